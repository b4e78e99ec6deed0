// Cylinders, slots and gears: joints that are drawn from how far they get over the run.
import * as THREE from 'three';
import { Cylinder, Rod, gearWheel } from './glyphs.js';
import { pointOf, turnOf } from './shapes.js';

const LOOKS = 100; // moments of the run at which a length is measured
const a = new THREE.Vector3(),
  b = new THREE.Vector3();

// The width of a slot lies in the plane; in space any direction will do.
export function acrossSlot(actors, frame) {
  const across = new THREE.Vector3(1, 0, 0);
  if (actors.planar)
    across
      .set(0, 0, 1)
      .applyQuaternion(turnOf(frame.quaternion).invert())
      .cross(a.set(0, 0, 1));
  return across.normalize();
}

// A rod; driven, it is a hydraulic cylinder.
export function distanceRod(actors, { name, frameA, frameB }) {
  const { frames, scene } = actors.run,
    u = actors.size.unit;
  if (!scene.joints.some((other) => other.name === `${name}.drive`)) return new Rod(u, actors.metalDark);
  let shortest = Infinity;
  for (let k = 0; k < LOOKS; k++) {
    actors.poseOf([frameA, frameB], frames.time[Math.round((k * (frames.n - 1)) / (LOOKS - 1))] ?? 0);
    shortest = Math.min(shortest, actors.place(frameA, a).distanceTo(actors.place(frameB, b)));
  }
  return new Cylinder(u, shortest, actors.metalDark, actors.metal);
}

// Wheels of a gear whose joints have parallel axes apart: their radii follow from the ratio and the distance. A body
// that the model draws is drawn already.
export function gearWheels(actors, { couples, factors }) {
  const { scene, frames } = actors.run,
    joints = (couples ?? []).map((name) => scene.joints.find((joint) => joint.name === name));
  if (joints.length !== 2 || !joints.every((joint) => joint?.kind === 'revolute')) return;
  actors.pose(frames.time[0] ?? 0);
  const [first, second] = joints.map((joint) => {
    const turn = new THREE.Quaternion(),
      axis = new THREE.Vector3(0, 0, 1),
      place = actors.place(joint.frameB, new THREE.Vector3(), turn);
    return { joint, place, axis: actors.planar ? axis : axis.applyQuaternion(turn) };
  });
  const apart = second.place.clone().sub(first.place);
  apart.addScaledVector(first.axis, -apart.dot(first.axis));
  const facing = first.axis.dot(second.axis),
    ratio = (-factors[0] / factors[1]) * Math.sign(facing), // turns of the second for one of the first
    distance = apart.length();
  if (Math.abs(facing) < 0.999 || !(distance > actors.size.unit) || Math.abs(ratio - 1) < 1e-6) return;
  first.radius = Math.abs((distance * ratio) / (1 - ratio));
  second.radius = first.radius / Math.abs(ratio);
  const larger = first.radius > second.radius ? first : second;
  for (const wheel of [first, second]) {
    const group = actors.groupOf(wheel.joint.frameB),
      { about, style } = group.userData;
    if (about?.shapes?.length) continue;
    const inside = ratio > 0 && wheel === larger;
    const object = gearWheel(wheel.radius, inside, actors.size.unit, style ?? actors.styleFor('#8b9199'));
    object.position.copy(pointOf(wheel.joint.frameB.position));
    if (!actors.planar) object.quaternion.copy(turnOf(wheel.joint.frameB.quaternion));
    object.name = 'gear';
    group.add(object);
    actors.layers.joints.push(object);
  }
}
