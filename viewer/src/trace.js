// Lines through time and through bodies.
import * as THREE from 'three';
import { Line2 } from 'three/examples/jsm/lines/Line2.js';
import { LineGeometry } from 'three/examples/jsm/lines/LineGeometry.js';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';

const p = new THREE.Vector3(),
  q = new THREE.Quaternion();

// The path of a point of a body: the whole of it faint, what has passed strong.
export class Trace extends THREE.Group {
  constructor(run, body, local, colour) {
    super();
    this.run = run;
    this.body = body;
    this.local = local.clone();
    const { n, time } = run.frames;
    const points = new Float32Array(3 * n);
    for (let i = 0; i < n; i++) {
      run.frames.at(body, time[i], p, q);
      p.add(local.clone().applyQuaternion(q)).toArray(points, 3 * i);
    }
    const line = (width, opacity) => {
      const geometry = new LineGeometry().setPositions(points);
      const material = new LineMaterial({
        color: colour,
        linewidth: width,
        transparent: true,
        opacity,
        depthWrite: false,
      });
      const object = new Line2(geometry, material);
      object.frustumCulled = false;
      object.raycast = () => {};
      this.add(object);
      return object;
    };
    this.whole = line(1.2, 0.28);
    this.past = line(2.6, 0.95);
  }

  update(t) {
    const { time, n } = this.run.frames;
    let low = 0,
      high = n - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (time[middle] <= t) low = middle;
      else high = middle - 1;
    }
    this.past.geometry.instanceCount = low;
  }

  dispose() {
    for (const line of [this.whole, this.past]) {
      line.geometry.dispose();
      line.material.dispose();
    }
  }
}

const COLD = new THREE.Color('#3567b5'),
  WARM = new THREE.Color('#e0582f'),
  MIDDLE = new THREE.Color('#e9e4d8');

// A line element of the scene: {nodes: [body, …], radius, color, channels: [a channel for each node]}.
// Colours run from cold to warm over the range of the channels.
export class NodeLine extends THREE.Group {
  constructor(run, line, bodyIndex, colour, pixels) {
    super();
    this.run = run;
    this.nodes = line.nodes.map(bodyIndex);
    this.channels = line.channels ?? null;
    this.peak = this.channels ? Math.max(...this.channels.map((c) => run.channels.peak(c)), 1e-300) : 1;
    this.points = new Float32Array(3 * this.nodes.length);
    this.colours = new Float32Array(3 * this.nodes.length);
    this.geometry = new LineGeometry();
    const world = line.radius > 0;
    this.material = new LineMaterial({
      color: this.channels ? '#ffffff' : line.color ? new THREE.Color(...line.color) : colour,
      linewidth: world ? 2 * line.radius : pixels,
      worldUnits: world,
      vertexColors: !!this.channels,
    });
    this.line = null;
  }

  update(t) {
    const colour = new THREE.Color();
    this.nodes.forEach((body, i) => {
      this.run.frames.at(body, t, p, null);
      p.toArray(this.points, 3 * i);
      if (!this.channels) return;
      const s = this.run.channels.at(this.channels[i], t) / this.peak;
      colour
        .lerpColors(MIDDLE, s < 0 ? COLD : WARM, Math.min(Math.abs(s) || 0, 1))
        .toArray(this.colours, 3 * i);
    });
    this.geometry.setPositions(this.points);
    if (this.channels) this.geometry.setColors(this.colours);
    if (!this.line) {
      this.line = new Line2(this.geometry, this.material);
      this.line.frustumCulled = false;
      this.line.raycast = () => {};
      this.add(this.line);
    }
  }
}
