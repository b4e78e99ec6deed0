// Beams and cables: surfaces swept along curves through their nodes, as thick as their sections, coloured by
// their stress resultants.
import * as THREE from 'three';

// stress resultants, in the order in which they are looked for
export const CARRIED = [
  'moment-z',
  'moment-y',
  'torsion',
  'axial',
  'shear-y',
  'shear-z',
  'force',
  'strain-energy',
];
const COLD = new THREE.Color('#2f6fc4'),
  MIDDLE = new THREE.Color('#b4b9c0'),
  WARM = new THREE.Color('#d8482a');

// elements of one line of a mesh are called NAME.1, NAME.2, …
const lineOf = (beam) => beam.name.replace(/\.\d+$/, '');

export const isBeam = (force) => /^(beam|cable)/.test(force.kind);

// Outline of a section of size 1 × 1: y, z and the normal's y, z of each vertex. Corners of a square have two.
function outlineOf(round, corners) {
  if (!round)
    return [
      [1, 1],
      [-1, 1],
      [-1, -1],
      [1, -1],
    ].flatMap(([y, z]) =>
      y * z > 0
        ? [
            [y / 2, z / 2, y, 0],
            [y / 2, z / 2, 0, z],
          ]
        : [
            [y / 2, z / 2, 0, z],
            [y / 2, z / 2, y, 0],
          ],
    );
  return Array.from({ length: corners }, (_, i) => [
    Math.cos((2 * Math.PI * i) / corners),
    Math.sin((2 * Math.PI * i) / corners),
  ]).map(([y, z]) => [y / 2, z / 2, y, z]);
}

// All beams of a run in one surface; place(frame, point, turn) gives the pose of a frame, material(colour) its
// material.
// least: the smallest half of a section that can still be seen.
export class Beams extends THREE.Group {
  constructor(run, beams, place, least, colour, material) {
    super();
    this.run = run;
    this.place = place;
    this.carried = CARRIED.filter((name) =>
      beams.some((beam) => run.channels.has(`force.${beam.name}.${name}`)),
    );
    this.chooseFirst(beams);
    this.lengths = new Map();
    const p = new THREE.Vector3(),
      q = new THREE.Vector3();
    for (const beam of beams) {
      const frames = beam.nodes ?? beam.frames;
      const length = place(frames[0], p).distanceTo(place(frames.at(-1), q));
      this.lengths.set(lineOf(beam), (this.lengths.get(lineOf(beam)) ?? 0) + length);
    }
    this.pieces = beams.length > 2000 ? 1 : beams.length > 200 ? 3 : 8; // straight pieces from node to node
    this.outlines = { round: outlineOf(true, beams.length > 200 ? 8 : 16), square: outlineOf(false) };
    this.spans = beams.flatMap((beam) => this.spansOf(beam, least));
    // the next element of the same line, where both share a node
    this.spans.forEach((span, i) => {
      const next = this.spans[i + 1];
      if (
        !next ||
        next.line !== span.line ||
        next.from.p.distanceTo(span.to.p) > 1e-6 * span.to.p.distanceTo(span.from.p)
      )
        return;
      span.after = next;
      next.before = span;
    });
    this.makeSurface(material(this.carried.length ? '#ffffff' : colour));
    this.show(this.carried[0]);
  }

  // Rings of vertices along every span, and a cap on each end where none follows.
  makeSurface(material) {
    const { pieces } = this,
      index = [];
    let n = 0;
    for (const span of this.spans) {
      const m = span.outline.length;
      span.first = n;
      for (let i = 0; i < pieces; i++) {
        for (let k = 0; k < m; k++) {
          const a = n + i * m + k,
            b = n + i * m + ((k + 1) % m);
          index.push(a, b, a + m, b, b + m, a + m);
        }
      }
      n += (pieces + 1) * m;
      span.caps = n;
      for (let k = 2; k < m; k++) {
        if (!span.before) index.push(n, n + k, n + k - 1);
        if (!span.after) index.push(n + m, n + m + k - 1, n + m + k);
      }
      n += 2 * m;
    }
    const attribute = () =>
      new THREE.BufferAttribute(new Float32Array(3 * n), 3).setUsage(THREE.DynamicDrawUsage);
    const geometry = new THREE.BufferGeometry()
      .setIndex(index)
      .setAttribute('position', attribute())
      .setAttribute('normal', attribute());
    if (this.carried.length) {
      geometry.setAttribute('color', attribute());
      material.vertexColors = true;
    }
    this.surface = new THREE.Mesh(geometry, material);
    this.surface.frustumCulled = false;
    this.surface.raycast = () => {}; // its nodes are touched instead
    this.add(this.surface);
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
    // one that is only guessed from stiffnesses looks like a beam: slender in its line
    const scale = guess
      ? Math.min(
          larger,
          Math.max(0.06 * (this.lengths.get(lineOf(beam)) ?? 0), 2 * least) / Math.max(width, height, 1e-300),
        )
      : larger;
    const size = width > 0 ? [width * scale, Math.max(height * scale, 0.3 * least)] : [2 * least, 2 * least];
    // a cable is straight between its ends, whatever the frames there do
    const straight = /^cable/.test(beam.kind),
      outline = round || !(width > 0) ? this.outlines.round : this.outlines.square;
    return nodes.slice(1).map((to, i) => {
      const from = nodes[i],
        chord = to.p.clone().sub(from.p);
      const local = (node) => chord.clone().applyQuaternion(node.q.clone().invert());
      return {
        name: beam.name,
        line: lineOf(beam),
        from: { ...from, p: from.p.clone() },
        to: { ...to, p: to.p.clone() },
        a: local(from),
        b: local(to),
        size,
        outline,
        straight,
        part: i,
        parts: nodes.length - 1,
      };
    });
  }

  // A moment that bends comes first, unless it is nothing beside another one; few elements tell.
  chooseFirst(beams) {
    const few = beams.filter((_, i) => i % Math.ceil(beams.length / 50) === 0),
      moments = this.carried.filter((name) => /moment|torsion/.test(name));
    const peak = (name) =>
      Math.max(...few.map((beam) => this.run.channels.peak(`force.${beam.name}.${name}`)));
    const most = Math.max(...moments.map(peak)),
      first = moments.find((name) => peak(name) >= 0.01 * most);
    if (first) this.carried = [first, ...this.carried.filter((name) => name !== first)];
  }

  // Which resultant gives the colours; undefined: none. An element with a middle node tells its ends as well;
  // of others the mean of both neighbours is shown at a node.
  show(name) {
    this.shown = name;
    const { channels } = this.run,
      base = (span) => `force.${span.name}.${name}`;
    for (const span of this.spans) {
      const own = base(span);
      span.channels = null;
      if (!name || !channels.has(own)) continue;
      if (channels.has(`${own}-start`) && channels.has(`${own}-end`)) {
        const at = (s) => [[`${own}-start`, own, `${own}-end`][Math.round(s * 2)]];
        span.channels = [at(span.part / span.parts), at((span.part + 1) / span.parts)];
      } else
        span.channels = [span.before, span.after].map((other) =>
          other && channels.has(base(other)) ? [own, base(other)] : [own],
        );
    }
    this.peak = Math.max(
      ...this.spans.flatMap((span) => span.channels?.flat() ?? []).map((channel) => channels.peak(channel)),
      0,
    );
    this.unit = name
      ? (channels.units.get(`force.${this.spans.find((span) => span.channels)?.name}.${name}`) ?? '')
      : '';
  }

  // The ring of a span at u in 0 … 1: its centre p and the axes d (along the beam), y and z there.
  ring(span, u, p, d, y, z, q) {
    const { from, to } = span,
      v = 1 - u,
      a = this.ahead,
      b = this.behind;
    // cubic with both ends and both directions
    p.copy(from.p)
      .multiplyScalar(v * v * (1 + 2 * u))
      .addScaledVector(to.p, u * u * (3 - 2 * u))
      .addScaledVector(a, u * v * v)
      .addScaledVector(b, -u * u * v);
    d.subVectors(to.p, from.p)
      .multiplyScalar(6 * u * v)
      .addScaledVector(a, v * (1 - 3 * u))
      .addScaledVector(b, u * (3 * u - 2));
    if (d.lengthSq() === 0) d.set(1, 0, 0);
    d.normalize();
    // the section's own y axis turns from node to node
    y.set(0, 1, 0).applyQuaternion(q.slerpQuaternions(from.q, to.q, u));
    z.crossVectors(d, y);
    if (z.lengthSq() < 1e-12) z.crossVectors(d, y.set(d.y, d.z, d.x));
    z.normalize();
    y.crossVectors(z, d);
  }

  update(t) {
    const p = new THREE.Vector3(),
      d = new THREE.Vector3(),
      y = new THREE.Vector3(),
      z = new THREE.Vector3(),
      q = new THREE.Quaternion(),
      tint = new THREE.Color();
    const { pieces } = this,
      { position, normal, color } = this.surface.geometry.attributes,
      { channels } = this.run;
    this.ahead ??= new THREE.Vector3();
    this.behind ??= new THREE.Vector3();
    const mean = (names) =>
      names.reduce((sum, name) => sum + (channels.at(name, t) || 0), 0) / (names.length * (this.peak || 1));
    const put = (at, outline, [width, height], cap) => {
      outline.forEach(([cy, cz, ny, nz], k) => {
        const i = 3 * (at + k),
          w = cy * width,
          h = cz * height;
        position.array[i] = p.x + w * y.x + h * z.x;
        position.array[i + 1] = p.y + w * y.y + h * z.y;
        position.array[i + 2] = p.z + w * y.z + h * z.z;
        normal.array[i] = cap ? cap * d.x : ny * y.x + nz * z.x;
        normal.array[i + 1] = cap ? cap * d.y : ny * y.y + nz * z.y;
        normal.array[i + 2] = cap ? cap * d.z : ny * y.z + nz * z.z;
        if (color) tint.toArray(color.array, i);
      });
    };
    for (const span of this.spans) {
      const { from, to, outline, size } = span,
        m = outline.length;
      this.place(from.frame, from.p, from.q);
      this.place(to.frame, to.p, to.q);
      this.ahead.copy(span.a).applyQuaternion(from.q);
      this.behind.copy(span.b).applyQuaternion(to.q);
      if (span.straight) this.behind.copy(this.ahead.subVectors(to.p, from.p));
      const ends = color && span.channels?.map(mean);
      for (let i = 0; i <= pieces; i++) {
        this.ring(span, i / pieces, p, d, y, z, q);
        const s = ends ? ends[0] + (ends[1] - ends[0]) * (i / pieces) : 0;
        if (color) tint.lerpColors(MIDDLE, s < 0 ? COLD : WARM, Math.min(Math.abs(s), 1));
        put(span.first + i * m, outline, size, 0);
        if (i === 0) put(span.caps, outline, size, -1);
        if (i === pieces) put(span.caps + m, outline, size, 1);
      }
    }
    for (const attribute of [position, normal, color]) if (attribute) attribute.needsUpdate = true;
  }
}
