// 1, 2, 5 in every decade from a thousandth to a thousand, and on to where a run of this length takes seconds.
function speedsFor(length) {
  const decade = length > 0 ? Math.floor(Math.log10(length)) : 0,
    speeds = [];
  for (let k = Math.min(-3, decade - 1); k < Math.max(3, decade); k++)
    speeds.push(...[1, 2, 5].map((x) => Number(`${x}e${k}`)));
  return [...speeds, speeds.at(-1) * 2];
}

// Time: one clock that the scene, the plots and the transport listen to.
export class Player {
  constructor(start, end) {
    this.start = start;
    this.end = end > start ? end : start;
    this.time = start;
    this.playing = false;
    this.loop = true;
    this.speeds = speedsFor(this.end - this.start);
    this.listeners = [];
    this.last = 0;
    // As it happened, unless that would be over in a moment or take minutes.
    const length = this.end - this.start;
    const usual = !length || (length >= 1.5 && length <= 90);
    this.speed = usual ? 1 : (this.speeds.filter((speed) => length / speed >= 6).at(-1) ?? this.speeds[0]);
  }

  // More has been computed.
  extend(end) {
    this.end = Math.max(end, this.start);
  }

  listen(listener) {
    this.listeners.push(listener);
  }

  tell() {
    for (const listener of this.listeners) listener(this);
  }

  seek(time) {
    this.time = Math.min(Math.max(time, this.start), this.end);
    this.tell();
  }

  play(on = !this.playing) {
    if (on && this.time >= this.end) this.time = this.start;
    this.playing = on && this.end > this.start;
    this.last = 0;
    this.tell();
  }

  faster(steps) {
    const here = this.speeds.findIndex((speed) => speed >= this.speed * 0.999);
    this.setSpeed(this.speeds[Math.min(Math.max(here + steps, 0), this.speeds.length - 1)]);
  }

  setSpeed(speed) {
    this.speed = speed;
    this.tell();
  }

  // No pictures were asked for: the time until the next one does not count.
  pause() {
    this.last = 0;
  }

  // Called for every picture with the clock of the browser in milliseconds.
  tick(now) {
    if (!this.playing) return;
    const passed = this.last ? (now - this.last) / 1000 : 0; // however few pictures there are
    this.last = now;
    let time = this.time + passed * this.speed;
    if (time >= this.end) {
      if (this.loop) {
        time = this.start + ((time - this.start) % (this.end - this.start));
      } else {
        time = this.end;
        this.playing = false;
      }
    }
    this.seek(time);
  }
}
