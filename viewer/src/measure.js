// Sizes of a run: how large its bodies are, where they go, how large pins and arrows should be drawn.
import * as THREE from 'three';
import { boxOfInertia, pointOf, principalAxes, shapePoints, turnOf } from './shapes.js';

const isGround = (body) =>
  body === undefined || body === null || body === 'ground' || body === -1 || body === '';

// Index of a body of a frame in the poses; −1 for the ground. Frames name bodies or number them.
export function bodyIndexOf(run, body) {
  if (isGround(body)) return -1;
  if (typeof body === 'number') return body;
  run.bodyIndex ??= new Map(run.bodies.map((name, i) => [name, i]));
  return run.bodyIndex.get(body) ?? -1;
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
  const shapes = run.bodies.map(() => []),
    joints = run.bodies.map(() => []);
  shapes[-1] = [];
  joints[-1] = [];
  const ground = run.scene.ground ? [{ ...run.scene.ground, name: 'ground' }] : [];
  for (const body of [...(run.scene.bodies ?? []), ...ground]) {
    const index = bodyIndexOf(run, body.name);
    if (index < 0 && !isGround(body.name)) continue;
    // a line on the ground is a road: it does not make the mechanism larger
    for (const shape of body.shapes ?? [])
      if (index >= 0 || shape.kind !== 'lines') shapes[index].push(...shapePoints(shape));
    for (const marker of markersOf(body)) joints[index].push(pointOf(marker.position));
  }
  const attach = (frame) => {
    const index = bodyIndexOf(run, frame?.body);
    if (frame && joints[index]) joints[index].push(pointOf(frame.position));
  };
  // a beam is as thick as its section
  const thicken = (frame, { width = 0, height = 0, guess }) => {
    const index = bodyIndexOf(run, frame.body),
      turn = turnOf(frame.quaternion);
    if (guess || index < 0) return;
    for (const side of [-0.5, 0.5])
      shapes[index].push(
        pointOf(frame.position).add(pointOf([0, side * width, side * height]).applyQuaternion(turn)),
      );
  };
  for (const joint of run.scene.joints ?? []) [joint.frameA, joint.frameB].forEach(attach);
  for (const force of run.scene.forces ?? []) {
    framesOfForce(force).forEach(attach);
    if (force.section)
      (force.nodes ?? framesOfForce(force)).forEach((frame) => thicken(frame, force.section));
  }
  // of a body that is nothing but mass and inertia: about as large as the box that has them
  for (const body of run.scene.bodies ?? []) {
    const index = bodyIndexOf(run, body.name);
    if (
      index < 0 ||
      shapes[index].length ||
      joints[index].length ||
      !(body.mass > 0) ||
      body.inertia?.length < 3
    )
      continue;
    const half = boxOfInertia(body.mass, principalAxes(body.inertia).moments).map((edge) => edge / 2);
    for (const side of [-1, 1]) shapes[index].push(pointOf(half).multiplyScalar(side).add(pointOf(body.com)));
  }
  return { shapes, joints };
}

const position = new THREE.Vector3(),
  turn = new THREE.Quaternion(),
  point = new THREE.Vector3();

// Where the points of all bodies are at a time.
function pointsAt(run, points, t, cloud) {
  run.bodies.forEach((_, b) => {
    run.frames.at(b, t, position, turn);
    if (!points[b].length) cloud.push(position.x, position.y, position.z);
    for (const p of points[b]) {
      point.copy(p).applyQuaternion(turn).add(position);
      cloud.push(point.x, point.y, point.z);
    }
  });
}

// One point of each cell of a fine grid: enough to frame what all of them cover.
function thinned(cloud, box) {
  const cells = 64,
    { min } = box,
    [dx, dy, dz] = box
      .getSize(new THREE.Vector3())
      .toArray()
      .map((d) => (d || 1) / cells);
  const seen = new Set(),
    out = [];
  for (let i = 0; i < cloud.length; i += 3) {
    const cell =
      (Math.floor((cloud[i] - min.x) / dx) * 100 + Math.floor((cloud[i + 1] - min.y) / dy)) * 100 +
      Math.floor((cloud[i + 2] - min.z) / dz);
    if (seen.has(cell)) continue;
    seen.add(cell);
    out.push(new THREE.Vector3(cloud[i], cloud[i + 1], cloud[i + 2]));
  }
  return out;
}

// How far the body that goes least gets away from where it began, as a few frames tell.
function leastWay(run) {
  const { n, time } = run.frames;
  if (!n) return 0;
  return Math.min(
    ...run.bodies.slice(0, 500).map((_, b) => {
      run.frames.at(b, time[0], position, null);
      return Math.max(
        ...[1, 2, 3, 4, 5, 6].map((k) => {
          run.frames.at(b, time[Math.round((k * (n - 1)) / 6)], point, null);
          return point.distanceTo(position);
        }),
      );
    }),
  );
}

// A point of the mechanism is held by the ground: what swings about it does not travel.
function anchored(run) {
  const kinds = ['revolute', 'spherical', 'universal', 'fixed', 'distance'];
  const ground = (frame) => bodyIndexOf(run, frame?.body) < 0;
  return (run.scene.joints ?? []).some(
    (joint) => kinds.includes(joint.kind) && (ground(joint.frameA) || ground(joint.frameB)),
  );
}

// The body to go with: the heaviest; of equals, as the nodes of a beam are, the one in the middle.
function leaderOf(run, first) {
  const masses = new Map((run.scene.bodies ?? []).map((body) => [body.name, body.mass ?? 0]));
  const centre = first.getCenter(new THREE.Vector3());
  const rank = run.bodies.map((name, b) => {
    run.frames.at(b, run.frames.time[0], position, null);
    return { b, mass: masses.get(name) ?? 0, off: position.distanceTo(centre) };
  });
  return rank.reduce((best, x) =>
    x.mass > best.mass || (x.mass === best.mass && x.off < best.off) ? x : best,
  ).b;
}

// The points of all frames as seen by who goes with a body, but what stays far behind.
function around(run, points, leader, samples, farthest) {
  const { n, time } = run.frames,
    out = [],
    home = new THREE.Vector3(),
    here = new THREE.Vector3();
  run.frames.at(leader, time[0], home, null);
  for (let k = 0; k < samples; k++) {
    const t = time[Math.round((k * (n - 1)) / Math.max(samples - 1, 1))],
      cloud = [];
    run.frames.at(leader, t, here, null);
    pointsAt(run, points, t, cloud);
    for (let i = 0; i < cloud.length; i += 3) {
      point.fromArray(cloud, i).sub(here);
      if (point.length() <= farthest) out.push(point.x + home.x, point.y + home.y, point.z + home.z);
    }
  }
  return out;
}

export function measure(run) {
  const { shapes, joints } = attachments(run);
  const points = run.bodies.map((_, b) => [...shapes[b], ...joints[b]]);
  const { n, time } = run.frames,
    ground = [...shapes[-1], ...joints[-1]].flatMap((p) => p.toArray());
  const atFirst = [...ground],
    atAll = [...ground];
  if (n) pointsAt(run, points, time[0], atFirst);
  const samples = Math.min(n, 240, Math.ceil(60000 / Math.max(run.bodies.length, 1)));
  for (let k = 0; k < samples; k++)
    pointsAt(run, points, time[Math.round((k * (n - 1)) / Math.max(samples - 1, 1))], atAll);
  for (const cloud of [atFirst, atAll]) if (!cloud.length) cloud.push(-1, -1, -1, 1, 1, 1);
  const first = new THREE.Box3().setFromArray(atFirst),
    all = new THREE.Box3().setFromArray(atAll);
  const extent = all.getSize(new THREE.Vector3()).length() || 1;
  const sizes = points
    .map((list) =>
      list.length
        ? new THREE.Box3()
            .setFromPoints([...list, new THREE.Vector3()])
            .getSize(position)
            .length()
        : 0,
    )
    .filter((size) => size > 0)
    .sort((a, b) => a - b);
  const start = first.getSize(new THREE.Vector3()).length() || extent;
  const typical = sizes.length ? sizes[sizes.length >> 1] : start * 0.25;
  const length = Math.min(Math.max(typical, start * 0.04), start * 0.6);
  // travels: the mechanism leaves its place, every body of it; the camera then goes with it
  const travels = start > 0 && (extent > 5 * start || (!anchored(run) && leastWay(run) > 1.5 * start));
  const leader = n && run.bodies.length ? leaderOf(run, first) : 0;
  const seen = travels ? [...atFirst, ...around(run, points, leader, samples, 1.2 * start)] : atAll;
  const cloud = thinned(seen, travels ? new THREE.Box3().setFromArray(seen) : all); // what the camera is to see
  return {
    first,
    all,
    cloud,
    begins: thinned(atFirst, first),
    extent,
    start,
    length,
    unit: Math.max(length * 0.055, start * 0.016),
    travels,
    leader,
    joints,
  };
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
