// Runs as the rest of the page sees them: poses and channels at any time.
import { decodeColumn, doublesOf, samplesOf } from './code.js';

const parse = (text, fallback) => {
  try {
    return text ? JSON.parse(text) : fallback;
  } catch {
    return fallback;
  }
};

// The last index i with time[i] <= t, 0 at least; `from` is where the search begins (usually the answer).
function indexAt(time, t, from) {
  const n = time.length;
  let i = from < n && time[from] <= t ? from : 0;
  if (i + 1 < n && time[i + 1] > t) return i;
  let low = i, high = n - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (time[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}

class Frames {
  constructor(raw, nbody) {
    this.n = raw.n;
    this.recorded = raw.recorded;
    this.time = doublesOf(raw.time);
    this.poses = [];
    for (let b = 0; b < nbody; b++) {
      const pose = new Float32Array(7 * this.n);
      for (let c = 0; c < 7; c++) {
        const [origin, step, order, text] = raw.columns[7 * b + c];
        decodeColumn(text, this.n, order, (i, x) => {
          pose[7 * i + c] = origin + x * step;
        });
      }
      this.poses.push(pose);
    }
    this.last = 0;
  }

  // Sets position and quaternion (x y z w objects of three.js) of a body at time t; linear between frames.
  at(body, t, position, quaternion) {
    const pose = this.poses[body], time = this.time;
    const i = (this.last = indexAt(time, t, this.last));
    const j = Math.min(i + 1, this.n - 1);
    const span = time[j] - time[i];
    const u = span > 0 ? Math.min(Math.max((t - time[i]) / span, 0), 1) : 0;
    const p = 7 * i, q = 7 * j;
    const mix = (c) => pose[p + c] + u * (pose[q + c] - pose[p + c]);
    position.set(mix(0), mix(1), mix(2));
    // Neighbouring quaternions have the same sign: the page was written so.
    if (quaternion) quaternion.set(mix(4), mix(5), mix(6), mix(3)).normalize();
  }
}

class Channels {
  constructor(raw) {
    this.names = raw.names;
    this.units = new Map(raw.names.map((name, i) => [name, raw.units[i] ?? '']));
    this.recorded = raw.recorded;
    this.time = doublesOf(raw.time);
    this.raw = new Map(raw.names.map((name, i) => [name, raw.data[i]]));
    this.ready = new Map();
    this.last = 0;
  }

  has(name) {
    return this.raw.has(name);
  }

  values(name) {
    if (!this.ready.has(name) && this.raw.has(name)) this.ready.set(name, samplesOf(this.raw.get(name)));
    return this.ready.get(name);
  }

  at(name, t) {
    const values = this.values(name), time = this.time;
    if (!values?.length) return NaN;
    const i = (this.last = indexAt(time, t, this.last));
    const j = Math.min(i + 1, time.length - 1);
    const span = time[j] - time[i];
    const u = span > 0 ? Math.min(Math.max((t - time[i]) / span, 0), 1) : 0;
    return u ? values[i] + u * (values[j] - values[i]) : values[i];
  }

  // Largest magnitude over the run.
  peak(name) {
    let peak = 0;
    for (const v of this.values(name) ?? []) if (Math.abs(v) > peak) peak = Math.abs(v);
    return peak;
  }
}

export function readRuns() {
  const raw = JSON.parse(document.getElementById('data').textContent);
  return raw.runs.map((run, index) => {
    const scene = parse(run.scene, {}) ?? {};
    const frames = new Frames(run.frames, run.bodies.length);
    const channels = new Channels(run.channels);
    const ends = [frames.time, channels.time].filter((time) => time.length);
    return {
      ...run,
      index,
      scene,
      frames,
      channels,
      statistics: parse(run.statistics, null),
      start: ends.length ? Math.min(...ends.map((time) => time[0])) : 0,
      end: ends.length ? Math.max(...ends.map((time) => time[time.length - 1])) : 1,
      visible: true,
    };
  });
}
