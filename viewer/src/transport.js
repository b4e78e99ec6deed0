// Play, pause, scrub, speed.
import { byId, icon, iconButton, make, steady } from './dom.js';

const STEPS = 100000;

export class Transport {
  constructor(player, frameTimes) {
    this.player = player;
    this.frameTimes = frameTimes; // may grow: a function
    this.playButton = iconButton('play', 'Play or pause (space)', () => player.play(), '.play');
    this.readout = make('output.clock', { 'aria-label': 'Time' });
    this.total = make('span.total');
    this.slider = make('input.scrub', {
      type: 'range',
      min: 0,
      max: STEPS,
      step: 1,
      value: 0,
      'aria-label': 'Time',
      oninput: () => player.seek(player.start + (this.slider.value / STEPS) * (player.end - player.start)),
    });
    this.speed = make(
      'select.speed',
      {
        'aria-label': 'Speed',
        title: 'Speed (+ and −)',
        onchange: () => player.setSpeed(Number(this.speed.value)),
      },
      ...player.speeds.map((s) => make('option', { value: s }, `${s}×`)),
    );
    this.loop = iconButton('loop', 'Repeat', () => {
      player.loop = !player.loop;
      player.tell();
    });
    byId('transport').append(
      make(
        'div.controls',
        {},
        iconButton('back', 'One frame back (←)', () => this.step(-1)),
        this.playButton,
        iconButton('next', 'One frame on (→)', () => this.step(1)),
      ),
      make('div.time', {}, this.readout, this.total),
      this.slider,
      make('div.options', {}, this.speed, this.loop),
    );
    player.listen(() => this.tell());
    this.fit();
    this.tell();
  }

  // The end of time has moved.
  fit() {
    const { player } = this;
    const length = player.end - player.start || 1;
    const [scale, unit] =
      length < 1e-8 ? [1e9, 'ns'] : length < 1e-5 ? [1e6, 'µs'] : length < 1e-2 ? [1e3, 'ms'] : [1, 's'];
    this.scale = scale;
    this.decimals = Math.max(3 - Math.floor(Math.log10(length * scale)), 2);
    this.total.textContent = ` / ${steady(player.end * scale, 2)} ${unit}`;
  }

  // To a neighbouring frame that was recorded.
  step(by) {
    const { player } = this,
      times = this.frameTimes();
    player.play(false);
    const near = (player.end - player.start) * 1e-9;
    let at = times.findIndex((t) => t > player.time + near);
    if (at < 0) at = times.length;
    if (by < 0) at = Math.max(at - 1 - (times[at - 1] > player.time - near ? 1 : 0), 0) + by + 1;
    else at += by - 1;
    if (times.length) player.seek(times[Math.min(Math.max(at, 0), times.length - 1)]);
  }

  tell() {
    const { player } = this;
    const part = player.end > player.start ? (player.time - player.start) / (player.end - player.start) : 0;
    this.slider.value = Math.round(part * STEPS);
    this.slider.style.setProperty('--part', `${part * 100}%`);
    this.readout.textContent = steady(player.time * this.scale, this.decimals);
    this.speed.value = player.speed;
    this.loop.setAttribute('aria-pressed', player.loop);
    if (this.shown !== player.playing) {
      this.shown = player.playing;
      this.playButton.innerHTML = icon(player.playing ? 'pause' : 'play');
    }
  }
}
