// Puts the page together.
import { certificateChip } from './certificate.js';
import { byId, colours, icon, make } from './dom.js';
import { readRuns } from './data.js';
import { keepState, parentStudio } from './live.js';
import { Panels } from './panels.js';
import { Player } from './player.js';
import { Stage } from './stage.js';
import { Transport } from './transport.js';
import { World } from './world.js';

const KEYS = [
  ['space', 'play or pause'],
  ['← →', 'one frame back or on, with shift ten'],
  ['home end', 'to the start or the end'],
  ['+ −', 'faster or slower'],
  ['R', 'fit the view'],
  ['V', 'next view: front, side, top, oblique'],
  ['F', 'go with the chosen body'],
  ['T', 'trace the chosen point'],
  ['L', 'what is shown'],
  ['J M A N G', 'joints, markers, forces, names, grid'],
  ['P', 'plots beside the scene'],
  ['D', 'light or dark'],
  ['esc', 'close'],
  ['?', 'this help'],
];

const remembered = (key, value) => {
  try {
    if (value === undefined) return localStorage.getItem(`verge.${key}`);
    localStorage.setItem(`verge.${key}`, value);
  } catch {
    /* a page opened from a file may not remember anything */
  }
  return null;
};

// What the address asks for: page.html#t=1.5&view=top&theme=dark&tab=balance&shadows=off
const asked = new Map(
  location.hash
    .slice(1)
    .split('&')
    .filter(Boolean)
    .map((part) => part.split('=').map(decodeURIComponent)),
);

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
}

function startTheme() {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const kept = asked.get('theme') ?? remembered('theme');
  setTheme(kept === 'dark' || kept === 'light' ? kept : system.matches ? 'dark' : 'light');
}

function makeHelp() {
  byId('help-text').append(
    make('h2', {}, 'Looking at a run'),
    make(
      'p',
      {},
      'Drag to turn, right button or two fingers to move, wheel or pinch to come closer (plane models: drag moves, ' +
        'right button turns). Touch a body to see, trace or follow a point of it. In a plot, click or drag sets the ' +
        'time, the wheel zooms, shift and drag chooses a span, a double click shows all.',
    ),
    make(
      'dl.keys',
      {},
      ...KEYS.flatMap(([keys, what]) => [
        make('dt', {}, ...keys.split(' ').map((key) => make('kbd', {}, key))),
        make('dd', {}, what),
      ]),
    ),
  );
  const dialog = byId('help-dialog');
  dialog.prepend(
    make('button.icon.shut', { 'aria-label': 'Close', onclick: () => dialog.close(), html: icon('close') }),
  );
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
}

function makeTop(app) {
  const { runs } = app;
  const title = runs[0].title || runs[0].scene.file || runs[0].name;
  byId('title').textContent = title;
  document.title = `${title} – Verge`;
  for (const button of document.querySelectorAll('[data-icon]')) button.innerHTML = icon(button.dataset.icon);
  const failed = (run) => run.status && !/^(ok|done|finished)/i.test(run.status);
  const chips =
    runs.length > 1
      ? runs.map((run) =>
          make(
            'button.run',
            {
              style: `--dot: var(--run-${run.index % 6})`,
              'aria-pressed': true,
              title: [
                [run.coordinates, run.constraints, run.integrator].filter(Boolean).join(' · '),
                run.changes,
              ]
                .filter(Boolean)
                .join('\n'),
              onclick: (event) => {
                run.visible = !run.visible;
                event.currentTarget.setAttribute('aria-pressed', run.visible);
                app.world?.apply();
                app.panels.redraw();
              },
            },
            run.name,
          ),
        )
      : [];
  if (runs.length === 1) {
    const text = [runs[0].coordinates, runs[0].constraints, runs[0].integrator].filter(Boolean).join(' · ');
    if (text) chips.push(make('span.method', {}, text));
  }
  for (const run of runs)
    if (failed(run))
      chips.push(
        make(
          'span.failed',
          { title: run.status },
          // beside others its name says which; the studio has the whole sentence above
          runs.length > 1 ? `${run.name} failed` : run.status,
        ),
      );
  for (const run of runs)
    if (run.statistics?.verify)
      chips.push(
        certificateChip(run.statistics.verify, () => {
          document.body.classList.remove('no-panel');
          app.world?.resize();
          app.panels.openTab('run');
          byId('tab-run').scrollTop = 0;
        }),
      );
  byId('runs').append(...chips);
  document.body.classList.toggle('several', runs.length > 1);
}

function togglePanel(app) {
  document.body.classList.toggle('no-panel');
  app.world?.resize();
  app.panels.tell();
}

function toggleTheme(app) {
  const theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
  setTheme(theme);
  remembered('theme', theme);
  app.world?.paint();
  app.panels.redraw();
}

function listenKeys(app) {
  const { player, transport, stage } = app;
  const layer = { j: 'joints', m: 'markers', a: 'arrows', n: 'labels', g: 'grid' };
  const actions = {
    ' ': () => player.play(),
    ArrowLeft: (e) => transport.step(e.shiftKey ? -10 : -1),
    ArrowRight: (e) => transport.step(e.shiftKey ? 10 : 1),
    Home: () => player.seek(player.start),
    End: () => player.seek(player.end),
    '+': () => player.faster(1),
    '=': () => player.faster(1),
    '-': () => player.faster(-1),
    r: () => app.world?.view(),
    v: () =>
      stage &&
      app.world.view(stage.views[(stage.views.indexOf(app.world.lastView) + 1) % stage.views.length]),
    f: () => stage?.follow(),
    t: () => stage?.trace(),
    l: () => stage && (byId('layers').hidden = !byId('layers').hidden),
    p: () => togglePanel(app),
    d: () => toggleTheme(app),
    '?': () => byId('help-dialog').showModal(),
    Escape: () => {
      byId('layers').hidden = true;
      stage?.touch(null);
    },
  };
  // after a click the keys belong to the scene again; who came to a button by tab presses it by space
  document.addEventListener('click', (event) => event.detail && event.target.closest?.('button')?.blur());
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || byId('help-dialog').open) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== 'range') return;
    if (event.target.tagName === 'BUTTON' && (event.key === ' ' || event.key === 'Enter')) return; // presses it
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const action = actions[key] ?? (layer[key] && (() => stage?.toggle(layer[key])));
    if (!action) return;
    event.preventDefault();
    action(event);
  });
}

function listenDivider(app) {
  const divider = byId('divider'),
    side = byId('side');
  const setWidth = (width) =>
    document.documentElement.style.setProperty(
      '--side',
      `${Math.min(Math.max(width, 280), innerWidth * 0.7)}px`,
    );
  divider.addEventListener('pointerdown', (event) => {
    divider.setPointerCapture(event.pointerId);
    const move = (e) => setWidth(side.getBoundingClientRect().right - e.clientX);
    divider.addEventListener('pointermove', move);
    divider.addEventListener('pointerup', () => divider.removeEventListener('pointermove', move), {
      once: true,
    });
  });
  new ResizeObserver(() => app.world?.resize()).observe(byId('stage'));
}

function startWorld(app) {
  const say = (text) => {
    byId('nothing').textContent = text;
    byId('nothing').hidden = false;
  };
  if (!app.runs.some((run) => run.bodies.length && run.frames.n)) {
    say('This file has no poses to show; its channels are in the plots.');
    return;
  }
  try {
    app.world = new World(byId('canvas'), byId('labels'), app.runs, asked);
  } catch (error) {
    say('The scene needs WebGL, which this browser does not offer. The plots work all the same.');
    app.failure = String(error);
    return;
  }
  app.stage = new Stage(app.world, app.player, app.panels);
  app.player.listen((player) => app.world.update(player.time));
}

function start() {
  startTheme();
  const raw = JSON.parse(byId('data').textContent);
  const studio = raw.live ? parentStudio() : null;
  const runs = studio ? studio.runs() : readRuns(raw);
  const player = new Player(
    Math.min(...runs.map((run) => run.start)),
    Math.max(...runs.map((run) => run.end)),
  );
  const app = { runs, player };
  const times = () => (runs[0].frames.n ? runs[0].frames.time : runs[0].channels.time);
  app.panels = new Panels(runs, player);
  app.transport = new Transport(player, times);
  startWorld(app);
  makeTop(app);
  makeHelp();
  listenKeys(app);
  listenDivider(app);
  byId('panel').addEventListener('click', () => togglePanel(app));
  byId('theme').addEventListener('click', () => toggleTheme(app));
  byId('help').addEventListener('click', () => byId('help-dialog').showModal());
  if (asked.has('tab')) app.panels.openTab(asked.get('tab'));
  player.seek(asked.has('t') ? Number(asked.get('t')) || player.start : player.start);
  const picture = (now) => {
    player.tick(now);
    app.world?.render();
    app.world?.keepUp(now, player.playing);
    requestAnimationFrame(picture);
  };
  document.addEventListener('visibilitychange', () => player.pause());
  app.world?.render(); // the first picture comes with the page
  requestAnimationFrame(picture);
  app.colours = colours;
  window.verge = app; // for tests and for the curious
  if (studio) keepState(app, studio);
}

start();
