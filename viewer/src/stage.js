// What lies over the scene: views, layers, and the card of the body that was touched.
import { byId, colours, format, icon, iconButton, make, steady, unitText } from './dom.js';

const LAYERS = [
  ['joints', 'Joints'],
  ['markers', 'Markers'],
  ['springs', 'Springs and dampers'],
  ['arrows', 'Forces'],
  ['axes', 'Axes of bodies'],
  ['labels', 'Names'],
  ['grid', 'Grid'],
  ['shadows', 'Shadows'],
  ['ghosts', 'Other runs'],
];

export class Stage {
  constructor(world, player, panels) {
    Object.assign(this, { world, player, panels });
    this.layers = byId('layers');
    this.inspect = byId('inspect');
    this.makeTools();
    this.makeLayers();
    this.makeScale();
    this.listen();
    player.listen(() => this.tell());
  }

  // What the colours of beams mean; with several resultants recorded, which one they show.
  makeScale() {
    const beams = this.world.actors.map((actors) => actors.beams).filter((b) => b?.carried.length);
    if (!beams.length) return;
    const names = [...new Set(beams.flatMap((b) => b.carried))];
    const low = make('span'),
      high = make('span');
    const show = (name) => {
      for (const b of beams) b.show(name);
      const { peak, unit } = beams[0],
        text = `${format(peak, 3)} ${unitText(unit)}`.trim();
      const signed = name !== 'strain-energy';
      low.textContent = signed ? `−${text}` : '0';
      high.textContent = text;
      this.world.update(this.world.time);
    };
    const choice =
      names.length > 1
        ? make(
            'select',
            { 'aria-label': 'What colours beams', onchange: (event) => show(event.target.value) },
            ...names.map((name) => make('option', { value: name }, name)),
          )
        : make('b', {}, names[0]);
    byId('stage').append(make('div.scale', {}, choice, make('div.bar'), make('div.ends', {}, low, high)));
    show(names[0]);
  }

  makeTools() {
    const views = this.world.planar ? ['front', 'iso'] : ['iso', 'front', 'side', 'top'];
    this.followButton = iconButton('follow', 'Go with the chosen body (F)', () => this.follow());
    byId('tools').append(
      iconButton('fit', 'Fit the view (R)', () => this.world.view()),
      iconButton('cube', 'Next view (V)', () => {
        const next = views[(views.indexOf(this.world.lastView) + 1) % views.length];
        this.world.view(next);
      }),
      this.followButton,
      iconButton('layers', 'What is shown (L)', () => {
        this.layers.hidden = !this.layers.hidden;
      }),
    );
    this.views = views;
    this.tellFollow();
  }

  makeLayers() {
    const { world } = this;
    const rows = LAYERS.filter(
      ([name]) =>
        (name !== 'ghosts' || world.runs.length > 1) &&
        (!world.actors[0].layers[name] || world.actors[0].layers[name].length),
    );
    this.layers.append(
      ...rows.map(([name, label]) => {
        const row = make(
          'button.leaf',
          {
            role: 'checkbox',
            'aria-checked': world.shown[name],
            'data-layer': name,
            onclick: () => this.toggle(name),
          },
          make('span.tick', { html: icon('check') }),
          make('span.name', {}, label),
        );
        return row;
      }),
    );
    world.apply();
  }

  toggle(name) {
    this.world.show(name);
    this.layers.querySelector(`[data-layer="${name}"]`)?.setAttribute('aria-checked', this.world.shown[name]);
  }

  listen() {
    const { canvas } = this.world;
    let down = null;
    canvas.addEventListener('pointerdown', (event) => {
      down = [event.clientX, event.clientY];
      this.layers.hidden = true;
    });
    canvas.addEventListener('pointerup', (event) => {
      const still = down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < 5;
      down = null;
      if (still && !event.button)
        this.touch(this.world.pick(event.clientX, event.clientY, event.pointerType === 'touch' ? 26 : 13));
    });
  }

  touch(what) {
    this.world.select(what);
    this.inspect.hidden = !what;
    if (!what) return;
    const { run } = what.actors;
    const name = run.bodies[what.index];
    const about = what.group.userData.about;
    const local = what.local
      .toArray()
      .slice(0, this.world.planar ? 2 : 3)
      .map((v) => steady(v, 3))
      .join(', ');
    this.where = make('dd');
    this.traceButton = make('button.soft', {
      title: 'Trace this point (T)',
      onclick: () => this.trace(),
      html: `${icon('trace')}<span>Trace</span>`,
    });
    this.inspect.replaceChildren(
      make(
        'header',
        {},
        make('b', {}, what.marker ? `${name}.${what.marker.split('.').pop()}` : name),
        this.world.runs.length > 1 && make('span.hint', {}, run.name),
        iconButton('close', 'Close (Esc)', () => this.touch(null)),
      ),
      make(
        'dl',
        {},
        make('dt', {}, 'position'),
        this.where,
        make('dt', {}, 'on the body'),
        make('dd', {}, local),
        ...(about.mass > 0 ? [make('dt', {}, 'mass'), make('dd', {}, `${about.mass} kg`)] : []),
      ),
      make(
        'div.row',
        {},
        this.traceButton,
        make('button.soft', {
          title: 'Go with this body (F)',
          onclick: () => this.follow(),
          html: `${icon('follow')}<span>Follow</span>`,
        }),
        this.channelsOf(name).length > 0 &&
          make('button.soft', {
            title: 'Plot its channels',
            onclick: () => this.plot(name),
            html: `${icon('plot')}<span>Plot</span>`,
          }),
      ),
    );
    this.tell();
  }

  channelsOf(body) {
    return this.panels.all.filter(
      (name) => name.startsWith(`body.${body}.`) || name.startsWith(`marker.${body}.`),
    );
  }

  plot(body) {
    const names = this.channelsOf(body);
    const group = names[0].split('.').slice(0, 3).join('.');
    this.panels.openTab('plots');
    const plot = this.panels.addPlot(names.filter((name) => name.startsWith(group)).slice(0, 3));
    document.body.classList.remove('no-panel');
    plot.element.scrollIntoView({ behavior: 'smooth', block: 'nearest' });
  }

  trace() {
    const what = this.world.selected;
    if (!what) return;
    const palette = colours().series;
    const on = this.world.trace(
      what.actors,
      what.index,
      what.local,
      palette[this.world.traces.length % palette.length],
    );
    this.traceButton.setAttribute('aria-pressed', on);
  }

  follow() {
    const { world } = this;
    const what = world.selected;
    const stop =
      world.followed &&
      (!what || (world.followed.actors === what.actors && world.followed.index === what.index));
    world.follow(
      stop
        ? null
        : what
          ? { actors: what.actors, index: what.index }
          : { actors: world.actors[0], index: world.size.leader },
    );
    this.tellFollow();
  }

  tellFollow() {
    this.followButton.setAttribute('aria-pressed', !!this.world.followed);
  }

  tell() {
    const what = this.world.selected;
    if (!what) return;
    const p = what.local.clone().applyQuaternion(what.group.quaternion).add(what.group.position);
    this.where.textContent = `${p
      .toArray()
      .slice(0, this.world.planar ? 2 : 3)
      .map((v) => steady(v, 4))
      .join('  ')} m`;
  }
}
