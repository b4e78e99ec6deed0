// The panel beside the scene: plots, the balance of energy and constraints, and what was run.
import { byId, colours, format, icon, make } from './dom.js';
import { certificateCard } from './certificate.js';
import { Plot, Span } from './plots.js';
import { Picker } from './picker.js';

const ENERGY = ['energy.kinetic', 'energy.potential', 'energy.total', 'energy.dissipated', 'energy.drives'];
const CONSTRAINT = ['constraint.position', 'constraint.velocity', 'constraint.acceleration'];

export class Panels {
  constructor(runs, player) {
    this.runs = runs;
    this.player = player;
    this.span = new Span(player);
    this.picker = new Picker(byId('picker'), runs);
    this.plots = [];
    this.fixed = [];
    this.tiles = [];
    this.all = [...new Set(runs.flatMap((run) => run.channels.names))].filter((name) => name !== 'time');
    this.makePlots();
    this.makeBalance();
    this.makeRun();
    for (const button of document.querySelectorAll('[data-tab]'))
      button.addEventListener('click', () => this.openTab(button.dataset.tab));
    player.listen(() => this.tell());
  }

  openTab(name) {
    for (const button of document.querySelectorAll('[data-tab]')) {
      const on = button.dataset.tab === name;
      button.setAttribute('aria-selected', on);
      byId(`tab-${button.dataset.tab}`).hidden = !on;
    }
    this.picker.close();
    for (const plot of [...this.plots, ...this.fixed]) plot.fit();
    this.tell();
  }

  tell() {
    if (document.body.classList.contains('no-panel')) return;
    const plots = !byId('tab-plots').hidden ? this.plots : !byId('tab-balance').hidden ? this.fixed : [];
    for (const plot of plots) plot.tell();
    if (plots === this.fixed) for (const tile of this.tiles) tile();
  }

  // New rows: what is seen is drawn again.
  extend(end) {
    this.span.extend(end);
    const hidden = byId('tab-plots').hidden ? this.plots : this.fixed;
    for (const plot of [...this.plots, ...this.fixed]) if (!hidden.includes(plot)) plot.refresh();
  }

  // The runs have more channels than before.
  widen() {
    this.all = [...new Set(this.runs.flatMap((run) => run.channels.names))].filter((name) => name !== 'time');
    this.redraw();
  }

  redraw() {
    for (const plot of [...this.plots, ...this.fixed]) plot.draw();
  }

  makePlots() {
    this.holder = byId('tab-plots');
    this.adder = make('button.add', {
      onclick: () => this.picker.show(this.addPlot([])),
      html: `${icon('plus')}<span>Add a plot</span>`,
    });
    if (this.all.length) this.holder.append(this.adder);
    else
      this.holder.append(
        make('p.empty', {}, 'No channels were recorded. Name some under "record:" in the model file.'),
      );
    for (const names of this.firstPlots()) this.addPlot(names);
  }

  // What a reader most likely wants first: the recorded channels in their order, grouped by unit and kind.
  firstPlots() {
    const unit = (name) => this.runs.find((run) => run.channels.has(name)).channels.units.get(name);
    const groups = new Map();
    const asked = this.runs.some((run) => run.asked)
      ? new Set(this.runs.flatMap((run) => run.asked ?? []))
      : null;
    for (const name of this.all) {
      if (asked && !asked.has(name)) continue;
      if (/^(energy|constraint)\./.test(name) || !this.moves(name)) continue;
      const key = `${name.split('.')[0]} ${unit(name)} ${name.split('.').slice(2, 3)}`;
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(name);
    }
    const first = [...groups.values()]
      .slice(0, 3)
      .map((names) => (names.length <= 6 ? names : names.slice(0, 3)));
    if (!first.length) first.push(ENERGY.filter((name) => this.all.includes(name)));
    if (!first[0].length) first[0] = this.all.slice(0, 3);
    return first.filter((names) => names.length);
  }

  // Whether a channel does more than rounding noise.
  moves(name) {
    const values = this.runs.find((run) => run.channels.has(name)).channels.values(name);
    let low = Infinity,
      high = -Infinity;
    for (const v of values) {
      if (v < low) low = v;
      if (v > high) high = v;
    }
    return high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high)) && high - low > 1e-10;
  }

  addPlot(names) {
    const { runs, player, span } = this;
    const plot = new Plot({
      runs,
      player,
      span,
      names,
      onPick: (p) => this.picker.show(p),
      onClose: (p) => {
        p.dispose();
        this.plots.splice(this.plots.indexOf(p), 1);
      },
    });
    this.plots.push(plot);
    this.holder.insertBefore(plot.element, this.adder);
    plot.fit();
    return plot;
  }

  tile(label, read) {
    const values = this.runs.map((run) => {
      const value = make('b');
      this.tiles.push(() => {
        value.textContent = run.visible ? read(run, this.player.time) : '';
      });
      return make(
        'span',
        { style: `--dot: ${colours().run[run.index % 6]}`, class: this.runs.length > 1 ? 'dotted' : '' },
        value,
      );
    });
    return make('div.tile', {}, make('span.label', {}, label), ...values);
  }

  makeBalance() {
    const holder = byId('tab-balance');
    const some = (names) => names.filter((name) => this.all.includes(name));
    const energy = some(ENERGY),
      constraint = some(CONSTRAINT);
    const { runs, player, span } = this;
    const put = (options) => {
      const plot = new Plot({ runs, player, span, fixed: true, ...options });
      this.fixed.push(plot);
      holder.append(plot.element);
    };
    if (energy.length) {
      const tiles = make('div.tiles');
      if (energy.includes('energy.total')) {
        const change = (run, t) =>
          run.channels.at('energy.total', t) - run.channels.values('energy.total')[0];
        tiles.append(
          this.tile('total', (run, t) => `${format(run.channels.at('energy.total', t), 6)} J`),
          this.tile('change', (run, t) => `${format(change(run, t), 3)} J`),
        );
        // a change that drives, forces or dampers explain is no error: the balance of the run says what is left
        const left = (run) => {
          const { energy_balance: rest, energy_flow: flow } = run.statistics ?? {};
          if (typeof rest !== 'number') return '–';
          const part = flow > 0 ? ` (${format((100 * rest) / flow, 2)} %)` : '';
          return `${format(rest, 2)} J${part}`;
        };
        if (this.runs.some((run) => typeof run.statistics?.energy_balance === 'number'))
          tiles.append(this.tile('unexplained (of the flow)', left));
      }
      holder.append(make('h2', {}, 'Energy'), tiles);
      put({ names: energy, height: 210 });
    }
    if (constraint.length) {
      holder.append(
        make('h2', {}, 'Constraint violation'),
        make(
          'div.tiles',
          {},
          ...constraint.map((name) =>
            this.tile(`largest, ${name.split('.')[1]}`, (run) => format(run.channels.peak(name), 3)),
          ),
        ),
      );
      put({ names: constraint, log: true, height: 190 });
    }
    if (!energy.length && !constraint.length) {
      holder.append(
        make('p.empty', {}, 'Energies and constraint violations were not recorded. Add to the model file:'),
        make('pre', {}, 'record: [energy.*, constraint.*]'),
      );
    }
  }

  makeRun() {
    const holder = byId('tab-run');
    const row = (label, value) =>
      value === undefined || value === null || value === ''
        ? []
        : [make('dt', {}, label), make('dd', {}, String(value))];
    for (const run of this.runs) {
      if (run.statistics?.verify) holder.append(certificateCard(run.statistics.verify, this.player));
      const said = ['status', 'title', 'coordinates', 'constraints', 'integrator', 'bodies', 't']; // above, once
      const numbers = Object.entries(run.statistics ?? {}).flatMap(([key, value]) =>
        (value !== null && typeof value === 'object') || said.includes(key) || value === 0
          ? []
          : row(
              key.replace('energy_drift', 'energy change, J').replace(/_/g, ' '),
              typeof value === 'number' ? format(value, 6) : value,
            ),
      );
      const kept = !run.statistics || run.statistics.output !== null; // else it was made for this page alone
      const most = (have, of, what) =>
        of > have ? `${have} of ${of} ${what}, extremes kept` : `${have} ${what}`;
      const frames =
        run.frames.recorded > run.frames.n
          ? `${run.frames.n} of ${run.frames.recorded} frames`
          : `${run.frames.n} frames`;
      holder.append(
        make(
          'section.card.about',
          {},
          make(
            'h2',
            { class: this.runs.length > 1 ? 'dotted' : '', style: `--dot: ${colours().run[run.index % 6]}` },
            run.title || run.scene.file || run.name,
          ),
          make(
            'dl',
            {},
            ...row('status', run.status),
            ...row('file', kept ? run.name : ''),
            ...row('coordinates', run.coordinates),
            ...row('constraints', run.constraints),
            ...row('integrator', run.integrator),
            ...row('bodies', run.bodies.length),
            ...row('time', `${format(run.start)} … ${format(run.end, 6)} s`),
            ...row(
              'shown',
              `${frames}, ${most(run.channels.time.length, run.channels.recorded, 'points a channel')}`,
            ),
            ...numbers,
            ...row('verge', run.verge_version),
          ),
          run.scene.import && this.imported(run.scene.import),
          run.model_text &&
            make('details', {}, make('summary', {}, 'Model file'), make('pre.model', {}, run.model_text)),
        ),
      );
    }
  }

  // What became of the elements of a robot file: what concerns the motion first.
  imported(notes) {
    const count = (verdict) => notes.filter((note) => note.verdict === verdict).length;
    const physics = notes.filter((note) => note.physics && note.verdict !== 'used');
    const line = (note) =>
      make(
        'li',
        { class: `${note.verdict}${note.physics ? ' physics' : ''}` },
        make('b', {}, note.verdict),
        ` ${note.place}: ${note.text}`,
      );
    const rest = notes.filter((note) => !physics.includes(note));
    return make(
      'details.import',
      { open: physics.length > 0 },
      make(
        'summary',
        {},
        `Robot file: ${count('changed')} changed, ${count('ignored')} ignored, ` +
          `${physics.length} of them concern the motion`,
      ),
      make('ul', {}, ...[...physics, ...rest].map(line)),
    );
  }
}
