// Beam elements: curves between nodes that turn, coloured by what they carry.
import * as THREE from 'three';

const PIECES = 8; // straight pieces an element is drawn with
const CARRIED = ['moment-z', 'moment-y', 'axial', 'strain-energy']; // the first of these that was recorded gives the colour
const COLD = new THREE.Color('#2f6fc4'), MIDDLE = new THREE.Color('#b4b9c0'), WARM = new THREE.Color('#d8482a');

export const isBeam = (force) => /^beam/.test(force.kind);

// All beams of a run in one object; place(frame, point, turn) says where a node is, material(colour) what it is made of.
export class Beams extends THREE.Group {
  constructor(run, beams, place, radius, colour, material) {
    super();
    this.run = run;
    this.place = place;
    this.usual = radius;
    this.thinnest = radius * 0.4; // of what can be seen
    const carried = CARRIED.find((name) => beams.some((beam) => run.channels.has(`force.${beam.name}.${name}`)));
    this.spans = beams.flatMap((beam) => this.spansOf(beam, carried));
    this.peak = carried ? Math.max(...this.spans.map((span) => run.channels.peak(span.channel)), 1e-300) : 0;
    const rod = new THREE.CylinderGeometry(1, 1, 1, 16).rotateX(Math.PI / 2);
    this.pieces = new THREE.InstancedMesh(rod, material(carried ? '#ffffff' : colour), this.spans.length * PIECES);
    this.pieces.frustumCulled = false;
    this.pieces.raycast = () => {};
    this.add(this.pieces);
  }

  // From node to node: both places now, and the directions of the beam there in the axes of the nodes.
  spansOf(beam, carried) {
    const frames = [...beam.frames];
    if (beam.bodies?.length === 3) frames.splice(1, 0, beam.middle ?? { body: beam.bodies[1] });
    const nodes = frames.map((frame) => ({ frame, p: new THREE.Vector3(), q: new THREE.Quaternion() }));
    for (const node of nodes) this.place(node.frame, node.p, node.q);
    return nodes.slice(1).map((to, i) => {
      const from = nodes[i], chord = to.p.clone().sub(from.p);
      const local = (node) => chord.clone().applyQuaternion(node.q.clone().invert());
      return { from, to, a: local(from), b: local(to), radius: Math.max(beam.radius ?? this.usual, this.thinnest), channel: carried && `force.${beam.name}.${carried}` };
    });
  }

  update(t) {
    const a = new THREE.Vector3(), b = new THREE.Vector3(), last = new THREE.Vector3(), p = new THREE.Vector3();
    const colour = new THREE.Color(), rod = new THREE.Object3D(), along = new THREE.Vector3(0, 0, 1), d = new THREE.Vector3();
    this.spans.forEach((span, s) => {
      const { from, to } = span;
      this.place(from.frame, from.p, from.q);
      this.place(to.frame, to.p, to.q);
      a.copy(span.a).applyQuaternion(from.q);
      b.copy(span.b).applyQuaternion(to.q);
      last.copy(from.p);
      for (let i = 1; i <= PIECES; i++) {
        const u = i / PIECES, v = 1 - u; // cubic with both ends and both directions
        p.copy(from.p).multiplyScalar(v * v * (1 + 2 * u)).addScaledVector(to.p, u * u * (3 - 2 * u)).addScaledVector(a, u * v * v).addScaledVector(b, -u * u * v);
        const length = Math.max(d.subVectors(p, last).length(), 1e-12);
        rod.position.copy(last).addScaledVector(d, 0.5);
        rod.quaternion.setFromUnitVectors(along, d.divideScalar(length));
        rod.scale.set(span.radius, span.radius, length * 1.02);
        rod.updateMatrix();
        this.pieces.setMatrixAt(s * PIECES + i - 1, rod.matrix);
        last.copy(p);
      }
      if (!span.channel) return;
      const carried = (this.run.channels.at(span.channel, t) || 0) / this.peak;
      colour.lerpColors(MIDDLE, carried < 0 ? COLD : WARM, Math.min(Math.abs(carried), 1));
      for (let i = 0; i < PIECES; i++) this.pieces.setColorAt(s * PIECES + i, colour);
    });
    this.pieces.instanceMatrix.needsUpdate = true;
    if (this.pieces.instanceColor) this.pieces.instanceColor.needsUpdate = true;
  }
}
