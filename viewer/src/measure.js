// Sizes of a run: how large its bodies are, where they go, how large pins and arrows should be drawn.
import * as THREE from 'three';
import { pointOf, shapePoints } from './shapes.js';

const isGround = (body) => body === undefined || body === null || body === 'ground' || body === -1 || body === '';

// Index of a body of a frame in the poses; −1 for the ground. Frames name bodies or number them.
export function bodyIndexOf(run, body) {
  if (isGround(body)) return -1;
  return typeof body === 'number' ? body : run.bodies.indexOf(body);
}

export function framesOfForce(force) {
  return force.frames ?? [force.frameA, force.frameB].filter(Boolean);
}

// Markers come as a list of {name, position} or as a map name → position or frame.
export function markersOf(body) {
  if (Array.isArray(body.markers)) return body.markers;
  return Object.entries(body.markers ?? {}).map(([name, at]) => ({ name, position: at.position ?? at }));
}

// Points fixed on each body, in its own frame: corners of shapes, markers, where joints and forces attach.
// The entry [-1] is the ground's.
export function attachments(run) {
  const shapes = run.bodies.map(() => []), joints = run.bodies.map(() => []);
  shapes[-1] = [];
  joints[-1] = [];
  const ground = run.scene.ground ? [{ ...run.scene.ground, name: 'ground' }] : [];
  for (const body of [...(run.scene.bodies ?? []), ...ground]) {
    const index = bodyIndexOf(run, body.name);
    if (index < 0 && !isGround(body.name)) continue;
    // a line on the ground is a road: it does not make the mechanism larger
    for (const shape of body.shapes ?? []) if (index >= 0 || shape.kind !== 'lines') shapes[index].push(...shapePoints(shape));
    for (const marker of markersOf(body)) joints[index].push(pointOf(marker.position));
  }
  const attach = (frame) => {
    const index = bodyIndexOf(run, frame?.body);
    if (frame && joints[index]) joints[index].push(pointOf(frame.position));
  };
  for (const joint of run.scene.joints ?? []) [joint.frameA, joint.frameB].forEach(attach);
  for (const force of run.scene.forces ?? []) framesOfForce(force).forEach(attach);
  return { shapes, joints };
}

const position = new THREE.Vector3(), turn = new THREE.Quaternion(), point = new THREE.Vector3();

function boxAt(run, points, t, box) {
  run.bodies.forEach((_, b) => {
    run.frames.at(b, t, position, turn);
    box.expandByPoint(position);
    for (const p of points[b]) box.expandByPoint(point.copy(p).applyQuaternion(turn).add(position));
  });
}

export function measure(run) {
  const { shapes, joints } = attachments(run);
  const points = run.bodies.map((_, b) => [...shapes[b], ...joints[b]]);
  const first = new THREE.Box3(), all = new THREE.Box3();
  const { n, time } = run.frames;
  if (n) boxAt(run, points, time[0], first);
  const samples = Math.min(n, 240, Math.ceil(60000 / Math.max(run.bodies.length, 1)));
  for (let k = 0; k < samples; k++) boxAt(run, points, time[Math.round((k * (n - 1)) / Math.max(samples - 1, 1))], all);
  for (const p of [...shapes[-1], ...joints[-1]]) {
    first.expandByPoint(p);
    all.expandByPoint(p);
  }
  if (all.isEmpty()) {
    first.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
    all.copy(first);
  }
  const extent = all.getSize(new THREE.Vector3()).length() || 1;
  const sizes = points
    .map((list) => (list.length ? new THREE.Box3().setFromPoints([...list, new THREE.Vector3()]).getSize(position).length() : 0))
    .filter((size) => size > 0)
    .sort((a, b) => a - b);
  const start = first.getSize(new THREE.Vector3()).length() || extent;
  const typical = sizes.length ? sizes[sizes.length >> 1] : start * 0.25;
  const length = Math.min(Math.max(typical, start * 0.04), start * 0.6);
  // travels: the mechanism as a whole leaves its place; the camera then goes with it
  const travels = extent > 5 * start && start > 0;
  return { first, all, extent, start, length, unit: Math.max(length * 0.055, start * 0.016), travels, joints };
}

// The direction away from the ground: against gravity, else z (y in the plane).
export function upOf(scene) {
  if (scene.planar) return new THREE.Vector3(0, 1, 0);
  const g = pointOf(scene.gravity);
  if (!(g.length() > 0)) return new THREE.Vector3(0, 0, 1);
  g.negate().normalize();
  // a slope or a tilted field is seen as such: up is the nearest axis
  const [axis] = ['x', 'y', 'z'].sort((a, b) => Math.abs(g[b]) - Math.abs(g[a]));
  return new THREE.Vector3().setComponent('xyz'.indexOf(axis), Math.sign(g[axis]));
}
