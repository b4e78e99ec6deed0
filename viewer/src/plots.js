// Plots of channels against time, linked to the clock and to one another.
import uPlot from 'uplot';
import { colours, format, iconButton, make, unitText } from './dom.js';

const DASHES = [[], [6, 4], [2, 3], [9, 3, 2, 3], [1, 4], [12, 4]];

// The part of time that all plots show.
export class Span {
  constructor(player) {
    this.whole = [player.start, player.end > player.start ? player.end : player.start + 1];
    this.now = [...this.whole];
    this.listeners = new Set();
  }

  set(low, high) {
    const [a, b] = this.whole,
      least = (b - a) * 1e-4;
    if (high - low < least) return;
    this.now = [Math.max(low, a), Math.min(high, b)];
    for (const listener of this.listeners) listener();
  }

  reset() {
    this.set(...this.whole);
  }

  // The whole has grown; who looked at all of it still does.
  extend(high) {
    const all = this.now[0] === this.whole[0] && this.now[1] === this.whole[1];
    this.whole[1] = high > this.whole[0] ? high : this.whole[0] + 1;
    if (all) this.now = [...this.whole];
  }

  zoom(about, factor) {
    const [low, high] = this.now;
    this.set(about - (about - low) * factor, about + (high - about) * factor);
  }
}

// A name that loses its beginning where there is no room: what tells it from its neighbours is at its end.
function nameOf(text) {
  const end = text.lastIndexOf('.', text.lastIndexOf('.') - 1) + 1;
  return make(
    'span.name',
    { title: text },
    make('span', {}, text.slice(0, end)),
    make('span', {}, text.slice(end)),
  );
}

// The last number that is seen says the unit.
function timeTexts(u, ticks) {
  const { min, max } = u.scales.x,
    seen = ticks.filter((v) => v <= max + 1e-9 * (max - min));
  return ticks.map((v) => format(v, 6) + (v === seen.at(-1) ? ' s' : ''));
}

export class Plot {
  constructor({
    runs,
    player,
    span,
    names,
    title,
    log = false,
    height = 190,
    fixed = false,
    onPick,
    onClose,
  }) {
    Object.assign(this, { runs, player, span, log, height, title, fixed });
    this.names = [...names];
    this.legend = make('div.legend');
    const tools = make('div.plot-tools');
    this.logButton = make(
      'button.text',
      { title: 'Logarithmic scale, of absolute values', onclick: () => this.setLog(!this.log) },
      'log',
    );
    tools.append(this.logButton);
    if (!fixed) {
      tools.append(
        iconButton('plus', 'Choose channels', () => onPick(this)),
        iconButton('close', 'Remove this plot', () => onClose(this)),
      );
    }
    this.area = make('div.plot-area');
    this.element = make('section.card.plot', {}, make('header', {}, this.legend, tools), this.area);
    this.now = make('div.now');
    this.relay = () => this.plot?.setScale('x', { min: span.now[0], max: span.now[1] });
    span.listeners.add(this.relay);
    new ResizeObserver(() => this.fit()).observe(this.area);
    this.draw();
  }

  setNames(names) {
    this.names = [...names];
    this.draw();
  }

  setLog(on) {
    this.log = on;
    this.draw();
  }

  dispose() {
    this.span.listeners.delete(this.relay);
    this.plot?.destroy();
    this.element.remove();
  }

  // Colour says which channel and dash which run; a single channel takes the colours of the runs.
  list() {
    const { series, run } = colours();
    const runs = this.runs.filter((r) => r.visible);
    const present = this.names.filter((name) => runs.some((r) => r.channels.has(name)));
    const byRun = present.length === 1 && this.runs.length > 1;
    return present.flatMap((name, i) =>
      runs
        .filter((r) => r.channels.has(name))
        .map((r) => ({
          name,
          run: r,
          colour: byRun ? run[r.index % run.length] : series[i % series.length],
          dash: byRun ? [] : DASHES[r.index % DASHES.length],
        })),
    );
  }

  columns(items) {
    const shape = (values) =>
      this.log
        ? Array.from(values, (v) => (Math.abs(v) > 0 ? Math.abs(v) : null))
        : Array.from(values, (v) => (Number.isFinite(v) ? v : null));
    const tables = [...new Set(items.map((item) => item.run))].map((run) => [
      Array.from(run.channels.time),
      ...items.filter((item) => item.run === run).map((item) => shape(run.channels.values(item.name))),
    ]);
    if (!tables.length) return [[this.span.whole[0], this.span.whole[1]]];
    return tables.length === 1 ? tables[0] : uPlot.join(tables);
  }

  draw() {
    this.plot?.destroy();
    this.logButton.setAttribute('aria-pressed', this.log);
    const found = this.list();
    // the order of the columns: run after run
    const items = [...new Set(found.map((item) => item.run))].flatMap((run) =>
      found.filter((item) => item.run === run),
    );
    this.items = items;
    // beside the largest of the plot, what rounding left is nothing
    this.noise = this.log
      ? 0
      : 1e-13 * Math.max(0, ...items.map((item) => item.run.channels.peak(item.name)));
    this.drawLegend();
    const { get } = colours();
    const units = [...new Set(items.map((item) => unitText(item.run.channels.units.get(item.name))))];
    const axis = {
      stroke: get('--ink-soft'),
      grid: { stroke: get('--line'), width: 1 },
      ticks: { show: false },
      font: '11px system-ui, sans-serif',
    };
    this.plot = new uPlot(
      {
        width: Math.max(this.area.clientWidth, 120),
        height: this.height,
        legend: { show: false },
        pxAlign: 0, // smooth curves, not steps of whole pixels
        padding: [8, 26, 0, 0],
        focus: { alpha: 1 },
        cursor: {
          x: false,
          y: false,
          drag: { x: false, y: false, setScale: false },
          points: { show: false },
        },
        scales: {
          x: { time: false, min: this.span.now[0], max: this.span.now[1] },
          y: this.log ? { distr: 3 } : { range: (u, low, high) => flatRange(low, high) },
        },
        axes: [
          { ...axis, size: 26, gap: 4, values: timeTexts },
          {
            ...axis,
            ...(this.log ? { splits: decades } : {}),
            size: this.yWidth,
            gap: 4,
            values: (u, ticks) => tickTexts(ticks, this.log),
            label: units.length === 1 ? units[0] : '',
            labelSize: units.length === 1 && units[0] ? 16 : 0,
            labelFont: '11px system-ui, sans-serif',
            labelGap: 0,
          },
        ],
        series: [
          {},
          ...items.map((item) => ({
            label: item.name,
            stroke: item.colour,
            width: 1.6,
            dash: item.dash,
            pxAlign: 0,
            spanGaps: this.runs.length > 1,
            points: { show: false },
          })),
        ],
        hooks: {
          setSize: [() => this.tell()],
          setScale: [() => this.tell()],
          ready: [
            (u) => {
              u.over.append(this.now);
              u.ctx.canvas.setAttribute('role', 'img');
              u.ctx.canvas.setAttribute('aria-label', `Over time: ${this.names.join(', ')}`);
              this.listen(u);
            },
          ],
        },
      },
      this.columns(items),
      this.area,
    );
    this.tell();
  }

  // New rows in the same channels.
  refresh() {
    this.plot.setData(this.columns(this.items));
    this.relay();
    this.tell();
  }

  yWidth(u, texts) {
    const widest = Math.max(0, ...(texts ?? []).map((text) => (text ?? '').length));
    return Math.max(34, 12 + 6.4 * widest);
  }

  drawLegend() {
    this.values = [];
    const several = this.runs.filter((r) => r.visible).length > 1;
    const chips = this.items.map((item) => {
      const value = make('b');
      this.values.push(value);
      const swatch = make('i', {
        style: `border-top: 3px ${item.dash.length ? 'dashed' : 'solid'} ${item.colour}`,
      });
      const text =
        several && this.names.length === 1
          ? item.run.name
          : several
            ? `${item.name} · ${item.run.name}`
            : item.name;
      return make('span.chip', { title: `${item.name} (${item.run.name})` }, swatch, nameOf(text), value);
    });
    const missing = this.names.filter((name) => !this.items.some((item) => item.name === name));
    const title = this.title ?? (several && this.names.length === 1 ? this.names[0] : null);
    this.legend.replaceChildren(
      ...(title ? [make('span.plot-title', {}, title)] : []),
      ...chips,
      ...missing.map((name) =>
        make('span.chip.missing', { title: 'not in the visible runs' }, make('span.name', {}, name)),
      ),
      ...(this.names.length ? [] : [make('span.hint', {}, 'choose channels with +')]),
      ...this.names
        .filter((name) => !this.runs.some((run) => run.channels.has(name)))
        .map((name) => make('span.hint', {}, `${name}: being computed`)),
    );
  }

  // Pointer: click or drag sets the time, wheel and shift-drag zoom, double click shows all.
  listen(u) {
    const timeAt = (event) => u.posToVal(event.clientX - u.over.getBoundingClientRect().left, 'x');
    let from = null;
    u.over.addEventListener('pointerdown', (event) => {
      if (event.button) return;
      u.over.setPointerCapture(event.pointerId);
      from = { x: event.clientX, time: timeAt(event), zoom: event.shiftKey };
      if (!from.zoom) this.player.seek(from.time);
    });
    u.over.addEventListener('pointermove', (event) => {
      if (!from) return;
      if (!from.zoom) this.player.seek(timeAt(event));
      else {
        const left = Math.min(from.x, event.clientX) - u.over.getBoundingClientRect().left;
        u.setSelect(
          { left, width: Math.abs(event.clientX - from.x), top: 0, height: u.over.clientHeight },
          false,
        );
      }
    });
    u.over.addEventListener('pointerup', (event) => {
      if (from?.zoom) {
        const to = timeAt(event);
        u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
        this.span.set(Math.min(from.time, to), Math.max(from.time, to));
      }
      from = null;
    });
    u.over.addEventListener('pointercancel', () => {
      from = null;
    });
    u.over.addEventListener('dblclick', () => this.span.reset());
    u.over.addEventListener(
      'wheel',
      (event) => {
        if (!event.ctrlKey && Math.abs(event.deltaX) > Math.abs(event.deltaY)) return;
        event.preventDefault();
        this.span.zoom(timeAt(event), event.deltaY > 0 ? 1.25 : 0.8);
      },
      { passive: false },
    );
  }

  // The clock has moved: the line and the numbers follow.
  tell() {
    const u = this.plot;
    if (!u?.over) return;
    const { time } = this.player;
    const at = u.valToPos(time, 'x');
    this.now.hidden = !(at >= 0 && at <= u.over.clientWidth);
    this.now.style.transform = `translateX(${at.toFixed(2)}px)`;
    this.items.forEach((item, i) => {
      const unit = unitText(item.run.channels.units.get(item.name)),
        value = item.run.channels.at(item.name, time);
      this.values[i].textContent =
        `${format(Math.abs(value) < this.noise ? 0 : value)}${unit ? ` ${unit}` : ''}`;
    });
  }

  fit() {
    const width = this.area.clientWidth;
    if (width > 60 && this.plot && Math.abs(this.plot.width - width) > 1)
      this.plot.setSize({ width, height: this.height });
  }
}

// Powers of ten, every one or every few.
function decades(u, axis, low, high) {
  const first = Math.ceil(Math.log10(low) - 1e-9),
    last = Math.floor(Math.log10(high) + 1e-9);
  const every = Math.max(Math.ceil((last - first) / 6), 1);
  return Array.from(
    { length: Math.max(Math.floor((last - first) / every) + 1, 0) },
    (_, i) => 10 ** (first + i * every),
  );
}

// A constant stays a line in the middle; noise of the last digits is not blown up to mountains.
function flatRange(low, high) {
  if (low === null || high === null || !Number.isFinite(low)) return [-1, 1];
  const size = Math.max(Math.abs(low), Math.abs(high)),
    spread = high - low;
  if (spread <= size * 1e-13) {
    const pad = size ? size * 0.1 : 1;
    return [low - pad, high + pad];
  }
  return [low - spread * 0.06, high + spread * 0.06];
}

// Enough digits to tell neighbours apart, the same for all.
function tickTexts(ticks, log) {
  if (log)
    return ticks.map((v) =>
      v === null
        ? ''
        : v >= 0.01 && v < 1e4
          ? format(v, 2)
          : v.toExponential(0).replace('e+', 'e').replace('-', '−'),
    );
  const size = Math.max(...ticks.map(Math.abs)),
    step = ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) : size;
  const digits = Math.min(Math.max(Math.ceil(Math.log10(size / step || 1)) + 2, 2), 13);
  return ticks.map((v) => format(Math.abs(v) < step * 1e-9 ? 0 : v, digits));
}
