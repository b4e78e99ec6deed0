// Beams and cables: curves through their nodes, as thick as their sections, coloured by what they carry.
import * as THREE from 'three';

const PIECES = 8; // straight pieces from node to node
// stress resultants, in the order in which they are looked for
export const CARRIED = ['moment-z', 'moment-y', 'torsion', 'axial', 'shear-y', 'shear-z', 'force', 'strain-energy'];
const COLD = new THREE.Color('#2f6fc4'), MIDDLE = new THREE.Color('#b4b9c0'), WARM = new THREE.Color('#d8482a');

// elements of one line of a mesh are called NAME.1, NAME.2, …
const lineOf = (beam) => beam.name.replace(/\.\d+$/, '');

export const isBeam = (force) => /^(beam|cable)/.test(force.kind);

// All beams of a run in one object; place(frame, point, turn) says where a frame is, material(colour) what it is made of.
// least: the smallest half of a section that can still be seen.
export class Beams extends THREE.Group {
  constructor(run, beams, place, least, colour, material) {
    super();
    this.run = run;
    this.place = place;
    this.carried = CARRIED.filter((name) => beams.some((beam) => run.channels.has(`force.${beam.name}.${name}`)));
    this.lengths = new Map();
    const p = new THREE.Vector3(), q = new THREE.Vector3();
    for (const beam of beams) {
      const frames = beam.nodes ?? beam.frames;
      const length = place(frames[0], p).distanceTo(place(frames.at(-1), q));
      this.lengths.set(lineOf(beam), (this.lengths.get(lineOf(beam)) ?? 0) + length);
    }
    this.spans = beams.flatMap((beam) => this.spansOf(beam, least));
    this.round = this.mesh(new THREE.CylinderGeometry(0.5, 0.5, 1, 20).rotateZ(Math.PI / 2), this.spans.filter((s) => s.round), material, colour);
    this.square = this.mesh(new THREE.BoxGeometry(1, 1, 1), this.spans.filter((s) => !s.round), material, colour);
    this.show(this.carried[0]);
  }

  mesh(geometry, spans, material, colour) {
    if (!spans.length) return null;
    const pieces = new THREE.InstancedMesh(geometry, material(this.carried.length ? '#ffffff' : colour), spans.length * PIECES);
    pieces.frustumCulled = false;
    pieces.raycast = () => {};
    spans.forEach((span, i) => {
      span.pieces = pieces;
      span.first = i * PIECES;
    });
    this.add(pieces);
    return pieces;
  }

  // From node to node: both places now, and the directions of the beam there in the axes of the nodes.
  spansOf(beam, least) {
    const frames = beam.nodes ?? [...beam.frames];
    if (!beam.nodes && beam.bodies?.length === 3) frames.splice(1, 0, { body: beam.bodies[1] });
    const nodes = frames.map((frame) => ({ frame, p: new THREE.Vector3(), q: new THREE.Quaternion() }));
    for (const node of nodes) this.place(node.frame, node.p, node.q);
    const { width = 0, height = 0, round = true, guess = false } = beam.section ?? {};
    // sections too thin to be seen are drawn thicker, in their proportions
    const larger = Math.max((2 * least) / Math.max(width, height, 1e-300), 1);
    // one that is only guessed from stiffnesses looks like a beam: not wider than a fifth of its line
    const scale = guess ? Math.min(larger, Math.max(0.2 * (this.lengths.get(lineOf(beam)) ?? 0), 2 * least) / Math.max(width, height, 1e-300)) : larger;
    const size = width > 0 ? [width * scale, Math.max(height * scale, 0.3 * least)] : [2 * least, 2 * least];
    // a cable is straight between its ends, whatever the frames there do
    const straight = /^cable/.test(beam.kind);
    return nodes.slice(1).map((to, i) => {
      const from = nodes[i], chord = to.p.clone().sub(from.p);
      const local = (node) => chord.clone().applyQuaternion(node.q.clone().invert());
      return { name: beam.name, from, to, a: local(from), b: local(to), size, round: round || !(width > 0), straight, part: i, parts: nodes.length - 1 };
    });
  }

  // Which resultant gives the colours; undefined: none.
  show(name) {
    this.shown = name;
    const { channels } = this.run;
    for (const span of this.spans) {
      const base = name && `force.${span.name}.${name}`;
      // an element with a middle node tells its ends as well
      const ends = base && channels.has(`${base}-start`) && channels.has(`${base}-end`) ? [`${base}-start`, base, `${base}-end`] : [base, base, base];
      const at = (s) => ends[Math.round(s * 2)];
      span.channels = base && channels.has(base) ? [at(span.part / span.parts), at((span.part + 1) / span.parts)] : null;
    }
    this.peak = Math.max(...this.spans.flatMap((span) => span.channels ?? []).map((channel) => channels.peak(channel)), 0);
    this.unit = name ? channels.units.get(`force.${this.spans.find((span) => span.channels)?.name}.${name}`) ?? '' : '';
  }

  update(t) {
    const a = new THREE.Vector3(), b = new THREE.Vector3(), last = new THREE.Vector3(), p = new THREE.Vector3(), d = new THREE.Vector3();
    const y = new THREE.Vector3(), z = new THREE.Vector3(), q = new THREE.Quaternion(), basis = new THREE.Matrix4(), colour = new THREE.Color();
    for (const span of this.spans) {
      const { from, to } = span;
      this.place(from.frame, from.p, from.q);
      this.place(to.frame, to.p, to.q);
      a.copy(span.a).applyQuaternion(from.q);
      b.copy(span.b).applyQuaternion(to.q);
      if (span.straight) b.copy(a.subVectors(to.p, from.p));
      last.copy(from.p);
      const ends = span.channels?.map((channel) => (this.run.channels.at(channel, t) || 0) / (this.peak || 1));
      for (let i = 1; i <= PIECES; i++) {
        const u = i / PIECES, v = 1 - u; // cubic with both ends and both directions
        p.copy(from.p).multiplyScalar(v * v * (1 + 2 * u)).addScaledVector(to.p, u * u * (3 - 2 * u)).addScaledVector(a, u * v * v).addScaledVector(b, -u * u * v);
        const length = Math.max(d.subVectors(p, last).length(), 1e-12);
        d.divideScalar(length);
        // the section's own y axis turns from node to node
        y.set(0, 1, 0).applyQuaternion(q.slerpQuaternions(from.q, to.q, u - 0.5 / PIECES));
        z.crossVectors(d, y);
        if (z.lengthSq() < 1e-12) z.crossVectors(d, y.set(d.y, d.z, d.x));
        z.normalize();
        y.crossVectors(z, d);
        basis.makeBasis(d.multiplyScalar(length * (span.round ? 1.02 : 1.004)), y.multiplyScalar(span.size[0]), z.multiplyScalar(span.size[1])).setPosition(last.lerp(p, 0.5));
        span.pieces.setMatrixAt(span.first + i - 1, basis);
        last.copy(p);
        if (!this.carried.length) continue;
        const s = ends ? ends[0] + (ends[1] - ends[0]) * (u - 0.5 / PIECES) : 0;
        span.pieces.setColorAt(span.first + i - 1, colour.lerpColors(MIDDLE, s < 0 ? COLD : WARM, Math.min(Math.abs(s), 1)));
      }
    }
    for (const pieces of this.children) {
      pieces.instanceMatrix.needsUpdate = true;
      if (pieces.instanceColor) pieces.instanceColor.needsUpdate = true;
    }
  }
}
