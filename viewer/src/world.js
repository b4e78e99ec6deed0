// The stage: camera, light, floor, the actors of every run, and what the pointer touches.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { Actors } from './actors.js';
import { colours } from './dom.js';
import { Grid, roundLength } from './grid.js';
import { environment } from './light.js';
import { measure, upOf } from './measure.js';
import { pointOf, turnOf } from './shapes.js';
import { dressContacts, planesOf } from './surfaces.js';
import { Trace } from './trace.js';

export class World {
  constructor(canvas, labels, runs, asked = new Map()) {
    this.canvas = canvas;
    this.labels = labels;
    this.runs = runs;
    this.planar = !!runs[0].scene.planar;
    this.up = upOf(runs[0].scene);
    for (const run of runs) dressContacts(run.scene);
    this.sizes = runs.map(measure);
    this.size = this.sizes[0];
    if (!this.size.travels) this.size.cloud = this.sizes.flatMap((size) => size.cloud); // all runs are in the picture
    this.time = 0;
    this.traces = [];
    this.followed = null;
    this.selected = null;
    this.dirty = true;
    this.shown = {
      joints: true,
      markers: false,
      springs: true,
      arrows: true,
      axes: false,
      grid: true,
      shadows: true,
      labels: false,
      ghosts: true,
    };
    if (runs[0].bodies.length > 150) this.shown.joints = false; // pins would hide a long chain
    for (const layer of Object.keys(this.shown))
      if (asked.has(layer)) this.shown[layer] = asked.get(layer) !== 'off';
    this.slow = 0;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
    this.renderer.debug.checkShaderErrors = asked.has('shaders'); // waits for every shader before the next is begun
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = this.shown.shadows;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.renderer.toneMapping = THREE.ACESFilmicToneMapping;
    this.scene = new THREE.Scene();
    this.scene.environment = environment(this.renderer);
    this.scene.environmentRotation.setFromQuaternion(
      new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), this.up),
    );
    this.makeCamera();
    this.makeLight();
    this.makeFloor();
    const { run } = colours();
    this.actors = runs.map(
      (r, i) => new Actors(r, { ...this.size, joints: this.sizes[i].joints }, i ? run[i % run.length] : null),
    );
    for (const actors of this.actors) this.scene.add(actors.root);
    this.makeLabels();
    this.paint();
    this.view(
      ['iso', 'front', 'side', 'top'].find((name) => name === asked.get('view')) ??
        (this.planar ? 'front' : 'iso'),
    );
    if (this.size.travels) this.follow({ actors: this.actors[0], index: this.size.leader });
  }

  makeCamera() {
    this.camera = new THREE.PerspectiveCamera(this.planar ? 10 : 28, 1, 0.01, 1000);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('start', () => {
      this.untouched = false;
    });
    if (this.planar) {
      this.controls.mouseButtons = {
        LEFT: THREE.MOUSE.PAN,
        MIDDLE: THREE.MOUSE.DOLLY,
        RIGHT: THREE.MOUSE.ROTATE,
      };
      this.controls.touches = { ONE: THREE.TOUCH.PAN, TWO: THREE.TOUCH.DOLLY_PAN };
    }
    this.controls.addEventListener('change', () => {
      this.dirty = true;
    });
  }

  makeLight() {
    this.sun = new THREE.DirectionalLight('#fff6e6', 2.1);
    this.sun.castShadow = this.shown.shadows;
    this.sun.shadow.mapSize.set(2048, 2048);
    const reach = this.size.travels ? this.size.start * 1.6 : this.size.extent * 0.75;
    Object.assign(this.sun.shadow.camera, {
      left: -reach,
      right: reach,
      top: reach,
      bottom: -reach,
      near: reach * 0.1,
      far: reach * 6,
    });
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = this.size.unit * 0.08;
    this.sun.shadow.radius = 5;
    this.reach = reach;
    // beside the up axis: from the front left in space, from the viewer in the plane
    const side = this.planar
      ? new THREE.Vector3(-0.45, 0.6, 1.1)
      : this.up
          .clone()
          .multiplyScalar(1.5)
          .add(new THREE.Vector3(0.5, -0.75, 0.6).projectOnPlane(this.up));
    this.sunward = side.normalize().multiplyScalar(reach * 3);
    this.scene.add(this.sun, this.sun.target);
  }

  makeFloor() {
    const { all, extent, start, unit, travels } = this.size;
    const scale = travels ? start : extent;
    const normal = this.planar ? new THREE.Vector3(0, 0, 1) : this.up;
    const corners = [all.min, all.max].map((p) => p.dot(normal));
    const lowest = Math.min(...corners);
    // level planes of contacts on the ground near what is lowest: the floor is there
    const stood = planesOf(this.runs[0].scene)
      .filter(
        ({ frame }) =>
          frame.body === 'ground' &&
          new THREE.Vector3(0, 0, 1).applyQuaternion(turnOf(frame.quaternion)).dot(normal) > 0.9999,
      )
      .map(({ frame }) => pointOf(frame.position).dot(normal))
      .filter((height) => Math.abs(height - lowest) < 0.05 * extent);
    const level = this.planar
      ? -unit * 3.2
      : stood.length
        ? Math.min(...stood)
        : lowest >= -0.02 * extent
          ? 0
          : lowest - 0.06 * extent;
    Object.assign(this.size, { level, up: normal });
    this.grid = new Grid(normal, level, roundLength(scale / 14), scale * (this.planar ? 3 : 3.2));
    this.scene.add(this.grid);
  }

  makeLabels() {
    this.labels.replaceChildren();
    this.labelOf = this.actors[0].bodies.slice(0, 120).map((group) => {
      const label = document.createElement('span');
      label.textContent = group.name;
      this.labels.append(label);
      return [group, label];
    });
  }

  // Colours of the theme.
  paint() {
    const { get, run } = colours();
    this.scene.background = new THREE.Color(get('--stage'));
    this.scene.fog = null;
    const dark = document.documentElement.dataset.theme === 'dark';
    this.grid.colours(get('--grid'), dark ? 0.5 : 0.5, dark ? 0.45 : 0.17);
    this.scene.environmentIntensity = (dark ? 0.5 : 0.72) * (this.planar ? 0.8 : 1);
    this.sun.intensity = (dark ? 2 : 2.2) * (this.planar ? (dark ? 1 : 0.72) : 1);
    this.renderer.toneMappingExposure = dark ? 1.0 : 1.08;
    this.actors.forEach((actors, i) => {
      actors.ink.color.set(get('--ink-soft'));
      if (i) actors.root.traverse((o) => o.material?.color?.set(run[i % run.length]));
    });
    this.dirty = true;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (!width || !height) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.dirty = true;
    if (this.untouched) this.look(); // all of it still fits, unless the user has chosen what to see
  }

  // Puts the camera so that points just fit, seen from a direction. With s the place of the axis beside the
  // centre and d its distance, a point at (x, z) is seen where |x − s| ≤ h (d − z): so s is in the middle of
  // the largest x + h z and the least x − h z, and d half their difference over h.
  frame(points, move, direction) {
    const centre = new THREE.Box3().setFromPoints(points).getCenter(new THREE.Vector3());
    const right = new THREE.Vector3().crossVectors(this.camera.up, direction).normalize();
    const above = new THREE.Vector3().crossVectors(direction, right);
    const v = Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2)),
      tools = this.canvas.clientWidth > 400 ? 64 : 12;
    const c = new THREE.Vector3();
    const fit = (axis, h) => {
      let high = -Infinity,
        low = Infinity;
      for (const p of points) {
        const x = c.subVectors(p, centre).dot(axis),
          z = c.dot(direction);
        high = Math.max(high, x + h * z);
        low = Math.min(low, x - h * z);
      }
      return [(high + low) / 2, (high - low) / (2 * h)];
    };
    const [x, wide] = fit(
      right,
      v * this.camera.aspect * Math.max(1 - (2 * tools) / this.canvas.clientWidth, 0.5),
    );
    const [y, tall] = fit(above, v * 0.84);
    const distance = Math.max(wide, tall, this.size.unit * 20);
    centre.addScaledVector(right, x).addScaledVector(above, y).add(move);
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(direction, distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 60;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.camera.updateMatrixWorld(); // where it looks counts from now on, not from the next picture
    this.dirty = true;
  }

  view(name = this.lastView) {
    this.lastView = name;
    this.untouched = true;
    this.resize();
  }

  // From the right of the front, or from its left where that shows much more: a rod that points at the viewer
  // is not seen.
  oblique(ahead, side) {
    const right = new THREE.Vector3(),
      low = new THREE.Vector3(),
      high = new THREE.Vector3();
    const [best, other] = [0.62, -0.62].map((s) =>
      ahead.clone().addScaledVector(side, s).addScaledVector(this.up, 0.46).normalize(),
    );
    const seen = (direction) => {
      right.crossVectors(this.up, direction).normalize();
      const above = direction.clone().cross(right);
      low.setScalar(Infinity);
      high.setScalar(-Infinity);
      for (const p of this.size.begins) {
        const at = new THREE.Vector3(p.dot(right), p.dot(above), 0);
        low.min(at);
        high.max(at);
      }
      return high.distanceTo(low);
    };
    return seen(other) > 1.5 * seen(best) ? other : best;
  }

  look() {
    const up = this.up;
    const ahead = Math.abs(up.y) > 0.5 ? new THREE.Vector3(0, 0, 1) : new THREE.Vector3(0, -1, 0);
    const side = new THREE.Vector3().crossVectors(up, ahead);
    const directions = {
      front: this.planar ? new THREE.Vector3(0, 0, 1) : ahead,
      side,
      top: up.clone().addScaledVector(ahead, 1e-3),
      iso: this.oblique(ahead, side),
    };
    const move = new THREE.Vector3();
    if (this.size.travels && this.followed)
      move.copy(this.followed.actors.bodies[this.followed.index].position).sub(this.followed.first);
    this.frame(this.size.cloud, move, directions[this.lastView].normalize());
  }

  show(layer, on = !this.shown[layer]) {
    this.shown[layer] = on;
    this.apply();
  }

  apply() {
    const { shown } = this;
    this.actors.forEach((actors, i) => {
      actors.root.visible = this.runs[i].visible && (i === 0 || shown.ghosts);
      for (const [layer, objects] of Object.entries(actors.layers)) {
        for (const object of objects) if (layer !== 'arrows') object.visible = shown[layer];
      }
    });
    this.grid.visible = shown.grid;
    if (shown.shadows) this.renderer.shadowMap.enabled = true;
    this.sun.castShadow = shown.shadows;
    this.grid.shade.visible = shown.shadows;
    this.labels.hidden = !shown.labels;
    this.update(this.time);
  }

  update(t) {
    this.time = t;
    for (const actors of this.actors) {
      actors.update(t);
      if (!this.shown.arrows) for (const arrow of actors.layers.arrows) arrow.visible = false;
    }
    for (const trace of this.traces) trace.update(t);
    if (this.followed) this.goAlong();
    this.dirty = true;
  }

  follow(body) {
    this.followed = body;
    if (!body) return;
    body.first = new THREE.Vector3();
    body.actors.run.frames.at(body.index, body.actors.run.start, body.first, null);
    body.at = body.actors.bodies[body.index].position.clone();
    if (this.size.travels && !this.time) body.at.copy(body.first);
  }

  goAlong() {
    const { actors, index, at } = this.followed;
    const now = actors.bodies[index].position;
    const move = now.clone().sub(at);
    this.camera.position.add(move);
    this.controls.target.add(move);
    at.copy(now);
  }

  trace(actors, index, local, colour) {
    const near = this.size.unit * 0.05;
    const same = this.traces.find(
      (t) => t.run === actors.run && t.body === index && t.local.distanceTo(local) < near,
    );
    if (same) {
      this.scene.remove(same);
      same.dispose();
      this.traces.splice(this.traces.indexOf(same), 1);
    } else {
      const trace = new Trace(actors.run, index, local, colour);
      this.scene.add(trace);
      this.traces.push(trace);
      trace.update(this.time);
    }
    this.dirty = true;
    return !same;
  }

  // What lies under the pointer: a marker when one is near, else the body that is hit.
  pick(x, y, near) {
    const { width, height, left, top } = this.canvas.getBoundingClientRect();
    const at = new THREE.Vector2(((x - left) / width) * 2 - 1, 1 - ((y - top) / height) * 2);
    const first = this.actors[0],
      p = new THREE.Vector3();
    let best = null,
      nearest = near;
    for (const dot of first.layers.markers) {
      if (dot.parent === first.groundGroup) continue;
      dot.getWorldPosition(p).project(this.camera);
      const distance = Math.hypot(((p.x - at.x) * width) / 2, ((p.y - at.y) * height) / 2);
      if (distance < nearest) [best, nearest] = [dot, distance];
    }
    if (best)
      return {
        actors: first,
        group: best.parent,
        index: best.parent.userData.index,
        local: best.userData.marker.position,
        marker: best.userData.marker.name,
      };
    const ray = new THREE.Raycaster();
    ray.setFromCamera(at, this.camera);
    for (const hit of ray.intersectObjects(
      this.actors.filter((a) => a.root.visible).flatMap((a) => a.crowd?.meshes ?? a.bodies),
      true,
    )) {
      const group = hit.object.userData.body ?? hit.object.userData.entries?.[hit.instanceId].body;
      if (!group) continue;
      const actors = this.actors.find((a) => a.run === group.userData.run);
      const local = group.worldToLocal(hit.point.clone());
      if (this.planar) local.z = 0;
      return { actors, group, index: group.userData.index, local, marker: null };
    }
    return this.nearest(at, near * 0.8);
  }

  // Nothing was hit: the body with a point of it nearest to the pointer; so thin ones and nodes of beams can
  // be touched.
  nearest(at, near) {
    const { clientWidth: width, clientHeight: height } = this.canvas,
      first = this.actors[0],
      p = new THREE.Vector3();
    let found = null,
      least = near;
    first.bodies.forEach((group, index) => {
      for (const local of [new THREE.Vector3(), ...first.size.joints[index]]) {
        p.copy(local).applyQuaternion(group.quaternion).add(group.position).project(this.camera);
        const distance = Math.hypot(((p.x - at.x) * width) / 2, ((p.y - at.y) * height) / 2);
        if (distance < least)
          [found, least] = [{ actors: first, group, index, local, marker: null }, distance];
      }
    });
    return found;
  }

  select(what) {
    this.selected = what;
    for (const actors of this.actors) actors.highlight(what?.group ?? null);
    this.dirty = true;
  }

  // Where pictures come too slowly while playing, sharpness goes first and shadows next.
  keepUp(now, playing) {
    const passed = now - (this.lastPicture ?? now);
    this.lastPicture = now;
    this.slow = playing && passed > 60 ? this.slow + 1 : 0;
    if (this.slow < 12) return;
    this.slow = 0;
    if (this.renderer.getPixelRatio() > 1) {
      this.renderer.setPixelRatio(1);
      this.resize();
    } else if (this.shown.shadows) {
      this.show('shadows', false);
      document.querySelector('[data-layer="shadows"]')?.setAttribute('aria-checked', false);
    }
  }

  placeLabels() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const p = new THREE.Vector3();
    for (const [group, label] of this.labelOf) {
      p.copy(group.position).project(this.camera);
      label.hidden = Math.abs(p.z) > 1;
      const x = (((p.x + 1) * width) / 2).toFixed(1),
        y = (((1 - p.y) * height) / 2).toFixed(1);
      label.style.transform = `translate(${x}px, ${y}px) translate(-50%, -50%)`;
    }
  }

  render() {
    this.controls.update();
    if (!this.dirty) return;
    this.dirty = false;
    const target = this.controls.target;
    this.grid.centre(target);
    this.sun.target.position.copy(
      this.size.travels ? target : this.size.all.getCenter(this.sun.target.position),
    );
    this.sun.position.copy(this.sun.target.position).add(this.sunward);
    const distance = this.camera.position.distanceTo(target);
    this.camera.near = distance / 200;
    this.camera.far = distance * 20 + this.size.extent * 10;
    this.camera.updateProjectionMatrix();
    this.renderer.render(this.scene, this.camera);
    if (this.shown.labels) this.placeLabels();
  }
}
