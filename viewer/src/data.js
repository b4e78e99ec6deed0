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
  let low = i,
    high = n - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (time[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}

class Frames {
  constructor(time, poses, recorded) {
    Object.assign(this, { n: time.length, time, poses, recorded, last: 0 });
  }

  static decode(raw, nbody) {
    const poses = [],
      { n } = raw;
    for (let b = 0; b < nbody; b++) {
      const pose = new Float32Array(7 * n);
      for (let c = 0; c < 7; c++) {
        const [origin, step, order, text] = raw.columns[7 * b + c];
        decodeColumn(text, n, order, (i, x) => {
          pose[7 * i + c] = origin + x * step;
        });
      }
      poses.push(pose);
    }
    return new Frames(doublesOf(raw.time), poses, raw.recorded);
  }

  // Sets position and quaternion (x y z w objects of three.js) of a body at time t; linear between frames.
  at(body, t, position, quaternion) {
    const pose = this.poses[body],
      time = this.time;
    const i = (this.last = indexAt(time, t, this.last));
    const j = Math.min(i + 1, this.n - 1);
    const span = time[j] - time[i];
    const u = span > 0 ? Math.min(Math.max((t - time[i]) / span, 0), 1) : 0;
    const p = 7 * i,
      q = 7 * j;
    const v = 1 - u;
    position.set(
      v * pose[p] + u * pose[q],
      v * pose[p + 1] + u * pose[q + 1],
      v * pose[p + 2] + u * pose[q + 2],
    );
    // Neighbouring quaternions have the same sign: the page was written so.
    if (quaternion)
      quaternion
        .set(
          v * pose[p + 4] + u * pose[q + 4],
          v * pose[p + 5] + u * pose[q + 5],
          v * pose[p + 6] + u * pose[q + 6],
          v * pose[p + 3] + u * pose[q + 3],
        )
        .normalize();
  }
}

class Channels {
  constructor(names, units, time, recorded) {
    Object.assign(this, { names, time, recorded, last: 0 });
    this.units = new Map(names.map((name, i) => [name, units[i] ?? '']));
    this.raw = new Map(); // what is not decoded yet
    this.ready = new Map();
  }

  static decode(raw) {
    const channels = new Channels(raw.names, raw.units, doublesOf(raw.time), raw.recorded);
    channels.raw = new Map(raw.names.map((name, i) => [name, raw.data[i]]));
    return channels;
  }

  has(name) {
    return this.units.has(name);
  }

  values(name) {
    if (!this.ready.has(name) && this.raw.has(name)) this.ready.set(name, samplesOf(this.raw.get(name)));
    return this.ready.get(name);
  }

  at(name, t) {
    const values = this.values(name),
      time = this.time;
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

export function readRuns(raw) {
  return raw.runs.map((run, index) => {
    const scene = parse(run.scene, {}) ?? {};
    const frames = Frames.decode(run.frames, run.bodies.length);
    const channels = Channels.decode(run.channels);
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

// A run that is still going on: rows of time, channels and poses are added as they come.
export class GrowingRun {
  constructor(head, name) {
    const { channels, units, bodies } = head;
    Object.assign(this, {
      name,
      title: head.title,
      model_text: head.model_text,
      coordinates: head.coordinates,
      constraints: head.constraints,
      integrator: head.integrator,
      bodies,
      scene: head.scene,
      statistics: null,
      status: '',
      start: 0,
      end: 0,
      visible: true,
      index: 0,
      frames: new Frames(new Float64Array(0), [], 0),
      channels: new Channels(channels, units, new Float64Array(0), 0),
      asked: channels.slice(0, head.asked), // the others are for the pictures
      every: new Map((head.every ?? []).map((channel, i) => [channel, head.every_unit[i]])),
    });
    this.room = 0;
  }

  // The rows of another run of the same model in the same setting, which has more channels.
  takeOver({ frames, channels, times, columns, poses, room, start, end }) {
    Object.assign(this, { frames, channels, times, columns, poses, room, start, end });
  }

  // Row-major doubles; rows from 0 on replace what was there (the server has thinned them).
  append(rows, from, columns) {
    const n = from + rows.length / columns,
      { frames, channels } = this,
      nchannel = channels.names.length;
    if (n > this.room) this.grow(Math.max(2 * this.room, n, 256));
    for (let i = from, at = 0; i < n; i++, at += columns) {
      this.times[i] = rows[at];
      for (let c = 0; c < nchannel; c++) this.columns[c][i] = rows[at + 1 + c];
      for (let b = 0; b < this.bodies.length; b++) this.pose(b, i, rows, at + 1 + nchannel + 7 * b);
    }
    const time = this.times.subarray(0, n);
    channels.names.forEach((name, c) => channels.ready.set(name, this.columns[c].subarray(0, n)));
    Object.assign(frames, { n, time, recorded: n, poses: this.poses, last: 0 });
    Object.assign(channels, { time, recorded: n, last: 0 });
    this.start = time[0] ?? 0;
    this.end = time[n - 1] ?? 0;
  }

  // Neighbouring quaternions get the same sign, so that poses between rows are means.
  pose(b, i, rows, at) {
    const to = this.poses[b],
      p = 7 * i;
    for (let c = 0; c < 7; c++) to[p + c] = rows[at + c];
    if (i === 0) return;
    let dot = 0;
    for (let c = 3; c < 7; c++) dot += to[p + c] * to[p - 7 + c];
    if (dot < 0) for (let c = 3; c < 7; c++) to[p + c] *= -1;
  }

  grow(room) {
    const larger = (Kind, old, size) => {
      const fresh = new Kind(size);
      if (old) fresh.set(old);
      return fresh;
    };
    this.room = room;
    this.times = larger(Float64Array, this.times, room);
    this.columns = this.channels.names.map((_, c) => larger(Float64Array, this.columns?.[c], room));
    this.poses = this.bodies.map((_, b) => larger(Float32Array, this.poses?.[b], 7 * room));
  }
}
