// What contacts touch, where the model draws nothing itself: balls and surfaces become shapes of their bodies.
import * as THREE from 'three';
import { pointOf, shapePoints, turnOf } from './shapes.js';

const X = new THREE.Vector3(1, 0, 0);

function shapeAt(frame, kind, size, axis) {
  const turn = turnOf(frame.quaternion);
  if (kind === 'bar') turn.multiply(new THREE.Quaternion().setFromUnitVectors(X, pointOf(axis)));
  return {
    kind,
    size,
    at: { position: frame.position ?? [0, 0, 0], quaternion: [turn.w, turn.x, turn.y, turn.z] },
  };
}

const boxOf = (shapes) => shapes.map((shape) => new THREE.Box3().setFromPoints(shapePoints(shape)));

// Bodies with shapes look as the model says; on the ground, what no shape of it touches is added. bare: a body without
// shapes that something else than contacts holds still gets the look made up of its joints.
export function dressContacts(scene) {
  if (scene.dressed || !scene.forces?.some((force) => force.surface)) return;
  scene.dressed = true;
  scene.ground ??= {};
  const bodies = new Map([
    ...(scene.bodies ?? []).map((body) => [body.name, body]),
    ['ground', scene.ground],
  ]);
  const own = new Map([...bodies.values()].map((body) => [body, body.shapes ?? []]));
  const held = new Set((scene.joints ?? []).flatMap((joint) => [joint.a, joint.b]));
  for (const force of scene.forces) if (!force.surface) for (const body of force.bodies ?? []) held.add(body);
  const seen = new Set(),
    grounded = boxOf(scene.ground.shapes ?? []);
  const wear = (frame, shape, inside) => {
    const body = bodies.get(frame.body),
      key = JSON.stringify([frame.body, shape]);
    if (!body || seen.has(key) || !(Math.max(...shape.size) > 0)) return;
    seen.add(key);
    if (
      body === scene.ground
        ? boxOf([shape]).some((box) => grounded.some((other) => other.intersectsBox(box)))
        : own.get(body).length
    )
      return;
    body.shapes = [...(body.shapes ?? []), { ...shape, contact: true, inside }];
    body.bare = held.has(frame.body);
  };
  for (const {
    surface,
    frames: [first, second],
  } of scene.forces.filter((force) => force.surface)) {
    wear(second, shapeAt(second, 'sphere', [surface.ball, 0, 0]), false);
    if (surface.kind !== 'plane')
      wear(first, shapeAt(first, surface.kind, surface.size, surface.axis), surface.inside);
  }
}

// The planes of contacts: frames and the forces on each.
export function planesOf(scene) {
  const planes = new Map();
  for (const force of scene.forces ?? []) {
    if (force.surface?.kind !== 'plane') continue;
    const key = JSON.stringify(force.frames[0]);
    if (!planes.has(key)) planes.set(key, { frame: force.frames[0], forces: [] });
    planes.get(key).forces.push(force);
  }
  return [...planes.values()];
}

// Whether a shape that the model gives its body shows a patch of a plane already: it reaches into it.
export function planeShown(shapes, frame, patch) {
  const at = pointOf(frame.position),
    back = turnOf(frame.quaternion).invert();
  return (shapes ?? []).some(
    (shape) =>
      !shape.contact &&
      new THREE.Box3()
        .setFromPoints(shapePoints(shape).map((p) => p.sub(at).applyQuaternion(back)))
        .intersectsBox(patch),
  );
}
