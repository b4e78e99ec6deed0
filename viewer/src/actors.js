// Everything that one run puts on the stage.
import * as THREE from 'three';
import { Beams, isBeam } from './beams.js';
import { CROWD, Crowd, Threads } from './crowd.js';
import { Arrow, Link, Spring, hasRail, jointGlyph, rail, slot, support } from './glyphs.js';
import { acrossSlot, distanceRod, gearWheels } from './machinery.js';
import { bodyIndexOf, framesOfForce, markersOf } from './measure.js';
import { madeUpShape, pointOf, shapeObject, shapePoints, shared, turnOf } from './shapes.js';
import { planeShown, planesOf } from './surfaces.js';
import { NodeLine } from './trace.js';

const BODY_COLOURS = ['#41679f', '#c97b32', '#4a8567', '#a8566c', '#6f60ab', '#31848f', '#a98e35', '#7f6853'];
const RAMP = ['#31508a', '#3b7fa3', '#5aa58d', '#b9a94f', '#cf7b3a'].map((c) => new THREE.Color(c));

// Few bodies differ in colour; many run through a ramp, so that a chain reads as one thing.
function bodyColour(index, n) {
  if (n <= 8) return BODY_COLOURS[index % BODY_COLOURS.length];
  const at = (Math.round((index / (n - 1)) * 200) / 200) * (RAMP.length - 1),
    low = Math.min(Math.floor(at), RAMP.length - 2);
  return RAMP[low].clone().lerp(RAMP[low + 1], at - low);
}

const FEW = 2000; // bodies up to which pins, markers and axes of each can be seen

const a = new THREE.Vector3(),
  b = new THREE.Vector3(),
  f = new THREE.Vector3(),
  q = new THREE.Quaternion();

export class Actors {
  constructor(run, size, ghost) {
    this.run = run;
    this.size = size;
    this.ghost = ghost; // colour of a ghost, null for the first run
    this.planar = !!run.scene.planar;
    this.many = run.bodies.length >= CROWD; // materials are shared: one body is not lit up alone
    this.root = new THREE.Group();
    this.layers = Object.fromEntries(
      ['joints', 'markers', 'springs', 'arrows', 'axes'].map((name) => [name, []]),
    );
    this.movers = []; // update(t)
    this.thickness = size.unit * 0.9;
    this.makeMaterials();
    this.makeBodies();
    this.makeJoints();
    this.makeForces();
    this.makeBeams();
    this.makeArrows();
    for (const line of run.scene.lines ?? []) this.makeLine(line);
    if (this.many) this.makeCrowd();
    this.root.traverse((object) => {
      if (!object.isMesh) return;
      object.castShadow = !ghost && object.material !== this.force && !object.material.transparent;
      object.receiveShadow = !ghost && !object.isInstancedMesh; // pieces of beams would shade one another
    });
  }

  material(colour, metalness = 0.08, roughness = 0.52) {
    if (!this.ghost) return new THREE.MeshStandardMaterial({ color: colour, metalness, roughness });
    return new THREE.MeshStandardMaterial({
      color: this.ghost,
      metalness: 0,
      roughness: 1,
      transparent: true,
      opacity: 0.34,
      depthWrite: false,
    });
  }

  makeMaterials() {
    this.metal = this.material('#c7ccd3', 0.55, 0.34);
    this.metalDark = this.material('#5b636e', 0.5, 0.42);
    this.brass = this.material('#c79a3e', 0.6, 0.32);
    this.ink = new THREE.LineBasicMaterial({ color: '#8a929c' });
    this.force = new THREE.MeshStandardMaterial({
      color: this.ghost ?? '#d9482b',
      roughness: 0.6,
      transparent: !!this.ghost,
      opacity: this.ghost ? 0.4 : 1,
    });
  }

  styleFor(colour) {
    const { unit } = this.size,
      key = new THREE.Color(colour).getHexString();
    this.styles ??= new Map();
    if (this.many && this.styles.has(key)) return this.styles.get(key);
    const style = {
      planar: this.planar,
      unit,
      thickness: this.thickness,
      material: this.material(colour),
      dark: this.material(new THREE.Color(colour).multiplyScalar(0.45)),
      metal: this.metal,
      metalDark: this.metalDark,
      ink: this.ink,
      detail: this.run.bodies.length > 1000 ? 0.25 : this.run.bodies.length > 40 ? 0.5 : 1,
      barRadius: (length) => Math.min(unit * (this.planar ? 0.95 : 0.68), length * 0.16),
    };
    this.styles.set(key, style);
    return style;
  }

  makeBodies() {
    const { run } = this;
    this.described = new Map((run.scene.bodies ?? []).map((body) => [body.name, body]));
    this.bodies = run.bodies.map((name, index) => {
      const group = new THREE.Group();
      group.name = name;
      group.quaternion._onChange(() => {}); // nobody asks for Euler angles, which would be made anew at every pose
      const about = this.described.get(name) ?? { name };
      const look = new THREE.Group();
      const style = this.styleFor(bodyColour(index, run.bodies.length));
      group.userData = { run, index, about, look, style };
      for (const shape of about.shapes ?? []) look.add(shapeObject(shape, this.colouredStyle(shape, style)));
      if ((!about.shapes?.length || about.bare) && !this.onlyNode(index))
        look.add(madeUpShape(about, this.size.joints[index], style));
      // links of a planar mechanism lie in layers, as they do in a real one
      const plate = look.children.some((child) => child.userData.plate);
      if (this.planar) look.position.z = (plate ? -1.5 : (index % 3) - 0.5) * this.thickness * 1.04;
      look.traverse((object) => {
        object.userData.body = group;
      });
      group.add(look);
      this.addMarkers(group, about);
      this.addTriad(group, this.size.unit * 2.6);
      this.root.add(group);
      return group;
    });
    this.groundGroup = new THREE.Group();
    const ground = this.described.get('ground') ?? run.scene.ground;
    if (ground && !this.ghost) {
      const style = this.styleFor('#8b9199');
      for (const shape of ground.shapes ?? [])
        this.groundGroup.add(shapeObject(shape, this.colouredStyle(shape, style)));
      this.addMarkers(this.groundGroup, ground);
    }
    this.root.add(this.groundGroup);
  }

  // Nodes of beams that nothing else hangs on are seen as the beam.
  onlyNode(index) {
    if (!this.nodes) {
      this.nodes = new Set();
      const { forces = [] } = this.run.scene;
      const each = (force, what) =>
        [
          ...framesOfForce(force).map((frame) => frame.body),
          ...(isBeam(force) ? (force.bodies ?? []) : []),
        ].forEach((body) => what(bodyIndexOf(this.run, body)));
      for (const force of forces) if (isBeam(force)) each(force, (body) => this.nodes.add(body));
      // what only pushes is an arrow
      for (const force of forces)
        if (!isBeam(force) && !/^(force|torque)$/.test(force.kind))
          each(force, (body) => this.nodes.delete(body));
    }
    return this.nodes.has(index);
  }

  // Many bodies: few draw calls, and those thinner than a pixel as lines.
  makeCrowd() {
    const ends = this.bodies.flatMap((body, index) => {
      const points = [...(body.userData.about.shapes ?? []).flatMap(shapePoints), ...this.size.joints[index]];
      const box = new THREE.Box3().setFromPoints(points),
        sides = box
          .getSize(a)
          .toArray()
          .sort((x, y) => x - y);
      if (!points.length || sides[1] > 0.002 * this.size.start) return [];
      box.getCenter(b);
      const long = a.toArray().indexOf(sides[2]),
        [from, to] = [box.min, box.max].map((corner) =>
          b.clone().setComponent(long, corner.getComponent(long)),
        );
      return [[body, from, to, body.userData.style.material.color]];
    });
    this.root.children = this.root.children.filter((child) => !child.userData.look);
    this.crowd = new Crowd(this.bodies, this.layers, this.ghost);
    this.root.add(this.crowd);
    this.movers.push(() => this.crowd.update());
    if (!ends.length || this.ghost) return;
    const threads = new Threads(ends);
    this.root.add(threads);
    this.movers.push(() => threads.update());
  }

  makeBeams() {
    const beams = (this.run.scene.forces ?? []).filter(
      (force) => isBeam(force) && framesOfForce(force).length === 2,
    );
    if (!beams.length) return;
    this.pose(this.run.frames.time[0] ?? 0);
    const object = new Beams(
      this.run,
      beams,
      (frame, p, q) => this.place(frame, p, q),
      this.size.unit * 0.4,
      BODY_COLOURS[0],
      (colour) => this.material(colour),
    );
    this.beams = object;
    this.root.add(object);
    this.movers.push((t) => object.update(t));
  }

  colouredStyle(shape, style) {
    const colour = shape.color;
    if (shape.inside) return this.hollow(style);
    if (!colour || (Array.isArray(colour) && colour.some((c) => c < 0))) return style;
    return this.styleFor(
      Array.isArray(colour) ? new THREE.Color().setRGB(...colour, THREE.SRGBColorSpace) : colour,
    );
  }

  // What a ball is in: only its far side is seen, and through it.
  hollow(style) {
    const material = style.material.clone();
    Object.assign(material, {
      transparent: true,
      opacity: 0.3,
      depthWrite: false,
      roughness: 0.9,
      side: this.planar ? THREE.FrontSide : THREE.BackSide,
    });
    return { ...style, material, hollow: true };
  }

  addMarkers(group, about) {
    if (this.ghost || this.run.bodies.length > FEW) return;
    const geometry = shared(
      'marker',
      [this.size.unit],
      () => new THREE.SphereGeometry(this.size.unit * 0.24, 16, 12),
    );
    for (const marker of markersOf(about)) {
      const dot = new THREE.Mesh(geometry, this.brass);
      dot.position.copy(pointOf(marker.position));
      if (this.planar) dot.position.z += this.thickness * 2.4;
      dot.userData.marker = { name: marker.name, position: pointOf(marker.position) };
      group.add(dot);
      this.layers.markers.push(dot);
    }
  }

  addTriad(group, length) {
    if (this.ghost || this.run.bodies.length > FEW) return;
    this.triad ??= new THREE.AxesHelper(length);
    const triad = new THREE.LineSegments(this.triad.geometry, this.triad.material);
    triad.material.depthTest = false;
    triad.renderOrder = 5;
    triad.visible = false;
    group.add(triad);
    this.layers.axes.push(triad);
  }

  groupOf(frame) {
    const index = bodyIndexOf(this.run, frame?.body);
    return index < 0 ? this.groundGroup : (this.bodies[index] ?? this.groundGroup);
  }

  // Where a frame of the scene is, in the world (after update).
  place(frame, point, turn) {
    const group = this.groupOf(frame);
    point.copy(pointOf(frame?.position)).applyQuaternion(group.quaternion).add(group.position);
    if (turn) turn.copy(group.quaternion).multiply(turnOf(frame?.quaternion));
    return point;
  }

  makeJoints() {
    if (this.ghost) return;
    const u = this.size.unit,
      style = this.styleFor('#888888');
    for (const joint of this.run.scene.joints ?? []) {
      if (joint.name.endsWith('.drive')) continue; // drawn with the joint that it drives
      if (joint.kind === 'distance')
        this.between(distanceRod(this, joint), joint.frameA, joint.frameB, 'joints');
      if (joint.kind === 'gear') gearWheels(this, joint);
      const sliding = hasRail(joint.kind);
      // a slider that the model draws needs no block
      const drawn =
        sliding &&
        joint.kind !== 'point-on-line' &&
        this.groupOf(joint.frameB).userData.about?.shapes?.length;
      const glyph =
        drawn || this.run.bodies.length > FEW
          ? null
          : jointGlyph(joint.kind, joint.frameB ?? joint.frameA, u, style);
      if (glyph) {
        this.layers.joints.push(glyph);
        if (sliding && joint.frameA && joint.frameB) {
          // where the second frame is, along the first one's axis
          this.root.add(glyph);
          const upright = this.planar && joint.kind === 'point-on-line'; // a pin stands across the plane
          if (upright) glyph.quaternion.identity();
          this.movers.push(() => {
            this.place(joint.frameA, b, upright ? q : glyph.quaternion);
            this.place(joint.frameB, glyph.position);
          });
        } else {
          this.groupOf(joint.frameB ?? joint.frameA).add(glyph);
        }
      }
      if (sliding && joint.frameA) {
        const { min, max } = this.travel(joint.frameA, joint.frameB);
        const rod =
          joint.kind === 'point-on-line'
            ? slot(joint.frameA, min.z, max.z, acrossSlot(this, joint.frameA), u, style)
            : rail(joint.frameA, min.z - 2.4 * u, max.z + 2.4 * u, u, style);
        this.groupOf(joint.frameA).add(rod);
        this.layers.joints.push(rod);
      }
      const grounded = [joint.frameA, joint.frameB].find(
        (frame) => frame && bodyIndexOf(this.run, frame.body) < 0,
      );
      if (grounded && this.planar && !sliding && glyph) {
        const stand = support(u, style);
        stand.position.copy(pointOf(grounded.position));
        this.groundGroup.add(stand);
        this.layers.joints.push(stand);
      }
    }
  }

  // Where a second frame gets, seen from the first, over the run.
  travel(first, second, box = new THREE.Box3()) {
    const { frames } = this.run;
    for (let k = 0; k < 100; k++) {
      this.poseOf([first, second], frames.time[Math.round((k * (frames.n - 1)) / 99)] ?? 0);
      this.place(first, a, q);
      box.expandByPoint(this.place(second, b).sub(a).applyQuaternion(q.invert()));
    }
    return box;
  }

  makeForces() {
    if (this.ghost) return;
    const u = this.size.unit;
    for (const plane of planesOf(this.run.scene)) this.makePlane(plane);
    for (const force of this.run.scene.forces ?? []) {
      const [from, to] = framesOfForce(force);
      if (force.profile) this.makeProfile(force);
      if (force.road) this.makeRoad(force);
      if (!from || !to || isBeam(force) || /contact|tyre|axial/.test(force.kind)) continue;
      this.poseOf([from, to], this.run.frames.time[0] ?? 0);
      const length = this.place(from, a).distanceTo(this.place(to, b));
      this.between(
        force.kind === 'spring' && length > 0.5 * u ? new Spring(u, length, this.brass) : new Link(this.ink),
        from,
        to,
        'springs',
      );
      for (const frame of [from, to]) this.addEye(frame);
    }
  }

  // The plane of contacts, as far as they go on it; the floor may be it, or a shape show it.
  makePlane({ frame, forces }) {
    const body = this.described.get(frame.body) ?? this.run.scene.ground;
    const patch = new THREE.Box3(),
      near = 0.02 * this.size.start;
    for (const force of forces) this.travel(frame, force.frames[1], patch);
    const { min, max } = patch.expandByScalar(0.15 * this.size.start),
      normal = this.planar ? 'y' : 'z';
    min[normal] = -near;
    max[normal] = near;
    if (planeShown(body?.shapes, frame, patch)) return;
    if (this.planar) {
      this.makeProfile({ profile: [min.x, 0, max.x, 0], frames: [frame] });
      return;
    }
    this.poseOf([frame], this.run.frames.time[0] ?? 0);
    this.place(frame, a, q);
    const isFloor =
      bodyIndexOf(this.run, frame.body) < 0 &&
      Math.abs(f.set(0, 0, 1).applyQuaternion(q).dot(this.size.up)) > 0.9999 &&
      Math.abs(a.dot(this.size.up) - this.size.level) < 1e-3 * this.size.start;
    if (isFloor) return;
    const material = this.material('#8f958f', 0, 0.9);
    Object.assign(material, { side: THREE.DoubleSide, transparent: true, opacity: 0.45, depthWrite: false });
    const sheet = new THREE.Mesh(new THREE.PlaneGeometry(max.x - min.x, max.y - min.y), material),
      group = new THREE.Group();
    sheet.name = 'plane';
    sheet.position.set((min.x + max.x) / 2, (min.y + max.y) / 2, 0);
    group.position.copy(pointOf(frame.position));
    group.quaternion.copy(turnOf(frame.quaternion));
    group.add(sheet);
    this.groupOf(frame).add(group);
  }

  // The ground of a contact: a band as wide as things are long, in the plane as thick as a plate; drawn once for all
  // that roll on it.
  makeProfile({ profile, frames: [frame] }) {
    const key = JSON.stringify([profile, frame]);
    if (this.ghost || this.profiles?.has(key)) return;
    (this.profiles ??= new Set()).add(key);
    const n = profile.length / 2,
      half = this.planar ? this.thickness : this.size.length * 0.6;
    const points = new Float32Array(6 * n),
      index = [];
    for (let i = 0; i < n; i++) {
      const [x, h] = [profile[2 * i], profile[2 * i + 1]];
      points.set(this.planar ? [x, h, -half, x, h, half] : [x, -half, h, x, half, h], 6 * i);
      if (i) index.push(2 * i - 2, 2 * i - 1, 2 * i, 2 * i, 2 * i - 1, 2 * i + 1);
    }
    const geometry = new THREE.BufferGeometry()
      .setAttribute('position', new THREE.BufferAttribute(points, 3))
      .setIndex(index);
    geometry.computeVertexNormals();
    const material = this.material('#8f958f', 0, 0.9);
    material.side = THREE.DoubleSide;
    const band = new THREE.Mesh(geometry, material);
    const edge = new THREE.Line(
      new THREE.BufferGeometry().setFromPoints(
        Array.from(
          { length: n },
          (_, i) => new THREE.Vector3(points[6 * i + 3], points[6 * i + 4], points[6 * i + 5]),
        ),
      ),
      this.ink,
    );
    const group = new THREE.Group();
    group.add(band, edge);
    group.position.copy(pointOf(frame.position));
    group.quaternion.copy(turnOf(frame.quaternion));
    this.groupOf(frame).add(group);
  }

  // The road under a wheel: a strip as wide as its tyre, as far as it rolls and a little further.
  makeRoad({ road, radius, frames: [frame, wheel] }) {
    const {
      min: { x: low },
      max: { x: high },
    } = this.travel(frame, wheel);
    this.poseOf([frame, wheel], this.run.frames.time[0] ?? 0);
    this.place(frame, a, q);
    const across = this.place(wheel, b).sub(a).applyQuaternion(q.invert()).y;
    const margin = 0.8 * this.size.start;
    const knots = Array.from({ length: road.length / 2 }, (_, i) => [road[2 * i], road[2 * i + 1]]);
    const height = (x) => {
      const i = knots.findIndex(([at]) => at >= x);
      if (i <= 0) return i === 0 ? knots[0][1] : knots.at(-1)[1];
      const [[x0, h0], [x1, h1]] = [knots[i - 1], knots[i]];
      return h0 + ((x - x0) / (x1 - x0)) * (h1 - h0);
    };
    const inside = knots.filter(([x]) => x > low - margin && x < high + margin);
    const line = [[low - margin, height(low - margin)], ...inside, [high + margin, height(high + margin)]];
    const half = 0.32 * radius,
      points = new Float32Array(6 * line.length),
      index = [];
    line.forEach(([x, h], i) => {
      points.set([x, across - half, h, x, across + half, h], 6 * i);
      if (i) index.push(2 * i - 2, 2 * i, 2 * i - 1, 2 * i, 2 * i + 1, 2 * i - 1);
    });
    const geometry = new THREE.BufferGeometry()
      .setAttribute('position', new THREE.BufferAttribute(points, 3))
      .setIndex(index);
    geometry.computeVertexNormals();
    const material = this.material('#9aa0a6', 0, 0.95);
    material.side = THREE.DoubleSide;
    const strip = new THREE.Mesh(geometry, material);
    strip.name = 'road';
    strip.position.copy(pointOf(frame.position));
    strip.quaternion.copy(turnOf(frame.quaternion));
    this.groupOf(frame).add(strip);
  }

  // Something laid between two frames that move.
  between(object, from, to, layer) {
    if (!from || !to) return;
    this.root.add(object);
    this.layers[layer].push(object);
    const front = this.planar ? this.thickness * 2.4 : 0; // over the links
    this.movers.push(() => {
      this.place(from, a).z += front;
      this.place(to, b).z += front;
      object.set(a, b);
    });
  }

  // The eye that a spring hangs on.
  addEye(frame) {
    const eye = new THREE.Mesh(
      shared('eye', [this.size.unit], () => new THREE.SphereGeometry(this.size.unit * 0.3, 20, 14)),
      this.metalDark,
    );
    eye.position.copy(pointOf(frame.position));
    if (this.planar) eye.position.z += this.thickness * 2.4;
    this.groupOf(frame).add(eye);
    this.layers.springs.push(eye);
  }

  // Reactions of joints (axes of the first frame, acting on the second body), forces recorded by x, y, z, contacts.
  makeArrows() {
    const { channels, scene } = this.run;
    const found = [];
    const look = (prefix, frame, axes) => {
      const names = ['x', 'y', 'z'].map((c) => `${prefix}.${c}`);
      if (names.some((name) => channels.has(name))) found.push({ names, frame, axes });
    };
    const named = new Map((scene.joints ?? []).map((joint) => [joint.name, joint]));
    for (const joint of scene.joints ?? []) {
      // what a drive does, where the joint that it drives is; gears and the like are nowhere
      const at = joint.frameB ? joint : named.get(joint.name.replace(/\.drive.*$/, ''));
      if (at?.frameB) look(`joint.${joint.name}.force`, at.frameB, at.axes ?? at.frameA);
    }
    for (const force of scene.forces ?? []) {
      const [first, last] = framesOfForce(force);
      const contact = /^contact-/.test(force.kind);
      look(`force.${force.name}.force`, last ?? first, force.kind === 'bushing' || contact ? first : null);
      // a force at a point, by its components; a follower turns with its frame
      if (force.kind === 'force') look(`force.${force.name}`, first, force.follower ? first : null);
      // a plane pushes along its own normal
      const normal = `force.${force.name}.normal`;
      if (
        /^(contact-sphere-plane|tyre)/.test(force.kind) &&
        channels.has(normal) &&
        !channels.has(`force.${force.name}.force.x`)
      ) {
        found.push({ names: this.planar ? ['', normal, ''] : ['', '', normal], frame: last, axes: first });
      }
      // along the line between its ends: a spring that pulls draws its second end to the first
      const pull = `force.${force.name}.force`;
      if (first && last && channels.has(pull) && force.kind === 'spring')
        found.push({ names: [pull, '', ''], frame: last, towards: first });
    }
    if (!found.length) return;
    const sizes = [];
    const read = ({ names }, t) =>
      f.set(...names.map((name) => (channels.has(name) ? channels.at(name, t) || 0 : 0)));
    for (const item of found) {
      for (let k = 0; k < 200; k++)
        sizes.push(read(item, channels.time[Math.round((k * (channels.time.length - 1)) / 199)]).length());
    }
    sizes.sort((x, y) => x - y);
    const usual = sizes[Math.floor(sizes.length * 0.97)] || sizes.at(-1) || 1;
    const longest = this.size.length * 0.8;
    for (const item of found) {
      const arrow = new Arrow(this.size.unit, this.force);
      this.root.add(arrow);
      this.layers.arrows.push(arrow);
      this.movers.push((t) => {
        let strength = read(item, t).length();
        if (item.towards) {
          // tension is positive: drawn at the second end, towards the first; compression away from it
          const tension = f.x;
          strength = Math.abs(tension);
          f.subVectors(this.place(item.towards, b), this.place(item.frame, a)).multiplyScalar(
            Math.sign(tension),
          );
        } else if (strength > 0 && item.axes) {
          this.place(item.axes, b, q);
          f.applyQuaternion(q);
        }
        this.place(item.frame, a);
        if (this.planar) a.z += this.thickness * 2.6;
        arrow.set(a, f.normalize(), longest * Math.min(strength / usual, 1.6));
      });
    }
  }

  makeLine(line) {
    const object = new NodeLine(
      this.run,
      line,
      (body) => bodyIndexOf(this.run, body),
      this.ghost ?? BODY_COLOURS[0],
      4,
    );
    this.root.add(object);
    this.movers.push((t) => object.update(t));
  }

  pose(t) {
    this.bodies.forEach((group, index) => this.run.frames.at(index, t, group.position, group.quaternion));
  }

  // Only the bodies of these frames.
  poseOf(frames, t) {
    for (const index of frames.map((frame) => bodyIndexOf(this.run, frame?.body))) {
      if (index >= 0)
        this.run.frames.at(index, t, this.bodies[index].position, this.bodies[index].quaternion);
    }
  }

  update(t) {
    this.pose(t);
    for (const mover of this.movers) mover(t);
  }

  highlight(body) {
    this.crowd?.highlight(body);
    this.bodies.forEach((group) => {
      const on = group === body;
      group.userData.look.traverse((object) => {
        if (!object.isMesh) return;
        object.material.emissive?.set(on ? object.material.color : '#000000');
        object.material.emissiveIntensity = on ? 0.32 : 1;
      });
    });
  }
}
