// Beam elements: curves between nodes that turn, coloured by what they carry.
import * as THREE from 'three';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';
import { LineSegments2 } from 'three/examples/jsm/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/examples/jsm/lines/LineSegmentsGeometry.js';

const PIECES = 8; // straight pieces an element is drawn with
const CARRIED = ['moment-z', 'moment-y', 'axial', 'strain-energy']; // the first of these that was recorded gives the colour
const COLD = new THREE.Color('#2f6fc4'), MIDDLE = new THREE.Color('#d9d4c6'), WARM = new THREE.Color('#d8482a');

export const isBeam = (force) => /^beam/.test(force.kind);

// All beams of a run in one object; place(frame, point, turn) says where a node is.
export class Beams extends THREE.Group {
  constructor(run, beams, place, radius, colour, opacity) {
    super();
    this.run = run;
    this.place = place;
    const carried = CARRIED.find((name) => beams.some((beam) => run.channels.has(`force.${beam.name}.${name}`)));
    this.spans = beams.flatMap((beam) => this.spansOf(beam, carried));
    this.peak = carried ? Math.max(...this.spans.map((span) => run.channels.peak(span.channel)), 1e-300) : 0;
    const n = this.spans.length * PIECES;
    this.geometry = new LineSegmentsGeometry();
    this.geometry.setPositions(new Float32Array(6 * n));
    this.geometry.setColors(new Float32Array(6 * n).fill(1));
    this.material = new LineMaterial({
      color: carried && !opacity ? '#ffffff' : colour, vertexColors: !!carried, linewidth: 2 * radius, worldUnits: true, transparent: !!opacity, opacity: opacity || 1,
    });
    const line = new LineSegments2(this.geometry, this.material);
    line.frustumCulled = false;
    line.raycast = () => {};
    this.add(line);
  }

  // From node to node: both places now, and the directions of the beam there in the axes of the nodes.
  spansOf(beam, carried) {
    const frames = [...beam.frames];
    if (beam.bodies?.length === 3) frames.splice(1, 0, { body: beam.bodies[1] });
    const nodes = frames.map((frame) => ({ frame, p: new THREE.Vector3(), q: new THREE.Quaternion() }));
    for (const node of nodes) this.place(node.frame, node.p, node.q);
    return nodes.slice(1).map((to, i) => {
      const from = nodes[i], chord = to.p.clone().sub(from.p);
      const local = (node) => chord.clone().applyQuaternion(node.q.clone().invert());
      return { from, to, a: local(from), b: local(to), channel: carried && `force.${beam.name}.${carried}` };
    });
  }

  update(t) {
    const points = this.geometry.attributes.instanceStart.data, colours = this.geometry.attributes.instanceColorStart.data;
    const a = new THREE.Vector3(), b = new THREE.Vector3(), p = new THREE.Vector3(), colour = new THREE.Color();
    this.spans.forEach((span, s) => {
      const { from, to } = span;
      this.place(from.frame, from.p, from.q);
      this.place(to.frame, to.p, to.q);
      a.copy(span.a).applyQuaternion(from.q);
      b.copy(span.b).applyQuaternion(to.q);
      for (let i = 0; i <= PIECES; i++) {
        const u = i / PIECES, v = 1 - u; // cubic with both ends and both directions
        p.copy(from.p).multiplyScalar(v * v * (1 + 2 * u)).addScaledVector(to.p, u * u * (3 - 2 * u)).addScaledVector(a, u * v * v).addScaledVector(b, -u * u * v);
        const k = 6 * (s * PIECES + i);
        if (i < PIECES) p.toArray(points.array, k);
        if (i > 0) p.toArray(points.array, k - 3);
      }
      if (!span.channel) return;
      const carried = (this.run.channels.at(span.channel, t) || 0) / this.peak;
      colour.lerpColors(MIDDLE, carried < 0 ? COLD : WARM, Math.min(Math.abs(carried), 1));
      for (let i = 0; i < 2 * PIECES; i++) colour.toArray(colours.array, 6 * s * PIECES + 3 * i);
    });
    points.needsUpdate = true;
    colours.needsUpdate = true;
  }
}
