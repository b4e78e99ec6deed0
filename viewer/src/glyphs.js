// Joints, springs and arrows: what connects bodies and what they feel.
import * as THREE from 'three';
import { pointOf, shared, turnOf } from './shapes.js';

const Z = new THREE.Vector3(0, 0, 1);

function mesh(geometry, material, z = 0) {
  const object = new THREE.Mesh(geometry, material);
  object.position.z = z;
  return object;
}

const cylinder = (radius, length, material, z) =>
  mesh(
    shared('rod', [radius, length], () =>
      new THREE.CylinderGeometry(radius, radius, length, 32).rotateX(Math.PI / 2),
    ),
    material,
    z,
  );
const ring = (radius, tube, material) =>
  mesh(
    shared('ring', [radius, tube], () => new THREE.TorusGeometry(radius, tube, 12, 48)),
    material,
  );
const sphere = (radius, material) =>
  mesh(
    shared('sphere', [radius], () => new THREE.SphereGeometry(radius, 32, 24)),
    material,
  );
const cuboid = (x, y, z, material) =>
  mesh(
    shared('box', [x, y, z], () => new THREE.BoxGeometry(x, y, z)),
    material,
  );

function pin(u, style) {
  const group = new THREE.Group();
  const length = style.planar ? style.thickness * 4.6 : u * 2.6;
  group.add(cylinder(u * 0.42, length, style.metal), cylinder(u * 0.16, length * 1.03, style.metalDark));
  if (!style.planar)
    for (const side of [-1, 1]) group.add(cylinder(u * 0.62, u * 0.3, style.metal, (side * length) / 2.3));
  return group;
}

function ball(u, style) {
  const group = new THREE.Group();
  group.add(sphere(u * 0.72, style.metal), ring(u * 0.78, u * 0.13, style.metalDark));
  return group;
}

function cross(u, style) {
  const group = new THREE.Group();
  for (const turn of [new THREE.Euler(), new THREE.Euler(Math.PI / 2, 0, 0)]) {
    const arm = cylinder(u * 0.25, u * 2.4, style.metal);
    arm.rotation.copy(turn);
    group.add(arm);
  }
  group.add(sphere(u * 0.42, style.metalDark));
  return group;
}

function block(u, style) {
  const width = u * (style.planar ? 2.5 : 1.7);
  const group = new THREE.Group();
  group.add(cuboid(width, width, u * (style.planar ? 3.6 : 2.6), style.metal));
  return group;
}

// The pin of a slot; the slot itself is drawn by slot() as long as the pin gets.
function slotPin(u, style) {
  if (!style.planar) return sphere(u * 0.62, style.metal);
  const group = new THREE.Group(); // its z is along the line; the pin stands across the plane
  group.add(cylinder(u * 0.5, style.thickness * 5.2, style.metal));
  return group;
}

const weld = (u, style) => cuboid(u, u, style.planar ? style.thickness * 2.6 : u, style.metalDark);
const diamond = (u, style) =>
  mesh(
    shared('diamond', [u], () => new THREE.OctahedronGeometry(u * 0.6)),
    style.metalDark,
  );

// The glyph at the second frame, by the name of the kind; what is not here gets a small diamond.
const GLYPHS = {
  revolute: pin,
  spherical: ball,
  universal: cross,
  'constant-velocity': cross,
  fixed: weld,
  prismatic: block,
  cylindrical: block,
  screw: block,
  'point-on-line': slotPin,
  'point-on-plane': ball,
};
const RAILED = new Set(['prismatic', 'cylindrical', 'screw', 'point-on-line']);
// these are seen by what they do, not at a place
const UNSEEN = new Set([
  'gear',
  'rack-and-pinion',
  'coupler',
  'distance',
  'drive',
  'constant-orientation',
  'parallel-axes',
  'angle',
  'rolling-disc',
  'knife-edge',
  'planar',
]);

export const hasRail = (kind) => RAILED.has(kind);

// A support under a joint to the ground, in the plane of planar models: a triangle on a hatched line.
export function support(u, style) {
  const group = new THREE.Group();
  const shape = new THREE.Shape();
  shape.moveTo(0, u * 0.3);
  shape.lineTo(u * 1.35, -u * 1.9);
  shape.lineTo(-u * 1.35, -u * 1.9);
  const body = mesh(
    new THREE.ExtrudeGeometry(shape, { depth: style.thickness * 0.6, bevelEnabled: false }),
    style.metalDark,
    -style.thickness * 2.2,
  );
  const lines = [[-2, -1.9, 2, -1.9]];
  for (let i = -4; i <= 3; i++) lines.push([i * 0.5 + 0.45, -1.9, i * 0.5, -2.45]);
  const points = lines.flatMap(([a, b, c, d]) => [
    new THREE.Vector3(a * u, b * u, 0),
    new THREE.Vector3(c * u, d * u, 0),
  ]);
  const hatch = new THREE.LineSegments(new THREE.BufferGeometry().setFromPoints(points), style.ink);
  hatch.position.z = -style.thickness * 2;
  group.add(body, hatch);
  return group;
}

export function jointGlyph(kind, frame, u, style) {
  if (UNSEEN.has(kind)) return null;
  const glyph = (GLYPHS[kind] ?? diamond)(u, style);
  const group = new THREE.Group();
  group.add(glyph);
  group.position.copy(pointOf(frame?.position));
  group.quaternion.copy(turnOf(frame?.quaternion));
  return group;
}

// A rod along the z axis of a frame, from low to high.
export function rail(frame, low, high, u, style) {
  const group = new THREE.Group();
  const rod = cylinder(u * 0.22, high - low, style.metalDark);
  rod.position.z = (low + high) / 2;
  group.add(rod);
  group.position.copy(pointOf(frame?.position));
  group.quaternion.copy(turnOf(frame?.quaternion));
  return group;
}

// A slot along the z axis of a frame, from low to high: two bars and their round ends about the pin that slides in it.
// across: the direction of its width, in the frame.
export function slot(frame, low, high, across, u, style) {
  const group = new THREE.Group(),
    inside = new THREE.Group(),
    half = u * 0.72,
    length = Math.max(high - low, u);
  for (const side of [-1, 1]) {
    const bar = cylinder(u * 0.2, length, style.metalDark);
    bar.position.set(side * half, 0, (low + high) / 2);
    const end = mesh(
      shared('slot-end', [half, u], () => new THREE.TorusGeometry(half, u * 0.2, 10, 24, Math.PI)),
      style.metalDark,
    );
    end.position.z = (low + high) / 2 + (side * length) / 2;
    end.rotation.x = (side * Math.PI) / 2;
    inside.add(bar, end);
  }
  inside.quaternion.setFromUnitVectors(new THREE.Vector3(1, 0, 0), across);
  group.add(inside);
  group.position.copy(pointOf(frame?.position));
  group.quaternion.copy(turnOf(frame?.quaternion));
  return group;
}

// A toothed wheel of this pitch radius about z; inside: a ring with its teeth inwards.
export function gearWheel(radius, inside, u, style) {
  const n = Math.min(Math.max(Math.round((radius * Math.PI) / u), 10), 120),
    tooth = Math.min((radius * Math.PI) / n, radius * 0.2) * 0.6;
  const outline = Array.from({ length: 4 * n }, (_, i) => {
    const r = radius + (i % 4 < 2 ? tooth : -tooth),
      angle = (2 * Math.PI * (i + (i % 2 ? -0.2 : 0.2))) / (4 * n);
    return new THREE.Vector2(r * Math.cos(angle), r * Math.sin(angle));
  });
  const circle = (r) => new THREE.Path().absarc(0, 0, r, 0, 2 * Math.PI, true);
  let shape = new THREE.Shape(outline);
  if (inside) {
    shape = new THREE.Shape().absarc(0, 0, radius + 3 * tooth, 0, 2 * Math.PI, false);
    shape.holes.push(new THREE.Path([...outline].reverse()));
  } else if (radius > 3 * u) shape.holes.push(circle(radius * 0.55));
  const depth = style.planar ? style.thickness * 0.8 : u * 0.9;
  const group = new THREE.Group();
  group.add(
    mesh(new THREE.ExtrudeGeometry(shape, { depth, bevelEnabled: false }), style.material, -depth / 2),
  );
  if (!inside && radius > 3 * u) {
    // a mark, so that the turn is seen
    const spoke = cuboid(radius * 1.2, u * 0.5, depth * 0.6, style.material);
    group.add(spoke);
  }
  return group;
}

// A coil of unit length along z; stretched by its matrix alone.
class Coil extends THREE.Curve {
  constructor(radius, turns) {
    super();
    this.radius = radius;
    this.turns = turns;
  }

  getPoint(s, to = new THREE.Vector3()) {
    const lead = 0.12;
    const grow = Math.min(Math.max((Math.min(s, 1 - s) - lead * 0.6) / (lead * 0.4), 0), 1);
    const angle = 2 * Math.PI * this.turns * s;
    return to.set(this.radius * grow * Math.cos(angle), this.radius * grow * Math.sin(angle), s);
  }
}

// Between two points that move: set(a, b) lays it.
export class Spring extends THREE.Group {
  constructor(u, length, material) {
    super();
    const turns = Math.round(Math.min(Math.max(length / (u * 0.85), 5), 24)),
      wire = u * 0.15;
    const tube = new THREE.TubeGeometry(new Coil(u * 0.75, turns), turns * 26, 1, 8, false);
    // The wire has radius 1 in a coil of unit length: give it the right section before it is stretched.
    const curve = new Coil(u * 0.75, turns),
      at = new THREE.Vector3();
    const position = tube.attributes.position,
      rings = turns * 26 + 1;
    for (let i = 0; i < rings; i++) {
      curve.getPointAt(i / (rings - 1), at);
      for (let j = 0; j <= 8; j++) {
        const k = i * 9 + j;
        position.setXYZ(
          k,
          at.x + (position.getX(k) - at.x) * wire,
          at.y + (position.getY(k) - at.y) * wire,
          at.z + ((position.getZ(k) - at.z) * wire) / length,
        );
      }
    }
    this.add(new THREE.Mesh(tube, material));
  }

  set(a, b) {
    lay(this, a, b);
  }
}

// A rod without mass.
export class Rod extends THREE.Group {
  constructor(u, material) {
    super();
    const rod = cylinder(u * 0.22, 1, material);
    rod.position.z = 0.5;
    this.add(rod);
  }

  set(a, b) {
    lay(this, a, b);
  }
}

// A hydraulic cylinder: a barrel at the first end, a piston rod that comes out of it to the second.
export class Cylinder extends THREE.Group {
  constructor(u, shortest, barrel, rod) {
    super();
    this.length = Math.max(shortest * 0.72, 1e-9);
    this.barrel = cylinder(u * 0.62, this.length, barrel, this.length / 2);
    this.rod = cylinder(u * 0.26, 1, rod);
    this.add(this.barrel, this.rod);
    for (const eye of [0, 1]) this.add(sphere(u * 0.45, eye ? rod : barrel));
  }

  set(from, to) {
    lay(this, from, to);
    const length = this.scale.z;
    this.scale.z = 1;
    this.rod.scale.z = Math.max(length - this.length * 0.5, 1e-9);
    this.rod.position.z = this.length * 0.5 + this.rod.scale.z / 2;
    this.children[3].position.z = length;
  }
}

// A thin line for what has no better picture.
export class Link extends THREE.Line {
  constructor(material) {
    super(new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), Z]), material);
  }

  set(a, b) {
    lay(this, a, b);
  }
}

const along = new THREE.Vector3();
function lay(object, a, b) {
  along.subVectors(b, a);
  const length = Math.max(along.length(), 1e-9);
  object.position.copy(a);
  object.quaternion.setFromUnitVectors(Z, along.divideScalar(length));
  object.scale.set(1, 1, length);
}

export class Arrow extends THREE.Group {
  constructor(u, material) {
    super();
    this.u = u;
    this.shaft = cylinder(u * 0.14, 1, material);
    this.head = mesh(
      shared('head', [u], () => new THREE.ConeGeometry(u * 0.42, u * 1.1, 24).rotateX(Math.PI / 2)),
      material,
    );
    this.add(this.shaft, this.head);
  }

  // From a point along a vector of this length.
  set(point, direction, length) {
    this.visible = length > this.u * 0.3;
    if (!this.visible) return;
    const tip = Math.min(this.u * 1.1, length * 0.6);
    this.position.copy(point);
    this.quaternion.setFromUnitVectors(Z, direction);
    this.shaft.scale.z = length - tip;
    this.shaft.position.z = (length - tip) / 2;
    this.head.scale.setScalar(tip / (this.u * 1.1));
    this.head.position.z = length - tip / 2;
  }
}
