// The studio: text, dials, runs. The viewer sits in a frame and takes its runs from here. `verge studio` and the page
// that needs no server start it with engines of their own.
import { GrowingRun } from './data.js';
import { byId, format, icon, make } from './dom.js';
import { Editor } from './studio_editor.js';

const KEPT_RUNS = 6;

// Where models are checked and run: studio_server.js or play.js.
let engine = null;
const ask = (...words) => engine.ask(...words);

const app = {
  runs: [],
  shown: [],
  number: 0,
  running: null,
  again: null, // a run in the background
  picked: new Set(), // channels that plots show beside those of the model
  name: '',
  saved: '',
  kept: null,
  dials: null,
};

// ---- status and messages ----

// In the bar at the top; causes and remedies that do not fit there, in full below it.
function say(text, bad = false) {
  const bar = byId('status');
  bar.textContent = bar.title = text;
  bar.classList.toggle('bad', bad);
  const cut = bad && bar.scrollWidth > bar.clientWidth;
  byId('notice').textContent = cut ? text : '';
  byId('notice').hidden = !cut;
}

function showMessages(messages) {
  app.messages = messages;
  app.editor.mark(messages);
  byId('problems').replaceChildren(
    ...messages.map((m) =>
      make(
        'li',
        {},
        make(
          'button',
          { onclick: () => app.editor.go(m.line, m.column) },
          make('span.at', {}, m.line ? `line ${m.line}` : ''),
          make(`span.${m.severity}`, {}, m.text),
        ),
      ),
    ),
  );
}

// ---- checking while typing ----

let checkTimer = 0,
  checkNumber = 0;
function checkSoon() {
  clearTimeout(checkTimer);
  checkTimer = setTimeout(check, 250);
  tellSaved();
}

async function check() {
  const mine = ++checkNumber;
  try {
    const answer = await (await ask('POST', 'check', { name: app.name }, app.editor.text)).json();
    if (mine !== checkNumber) return; // the text has changed since
    showMessages(answer.messages);
    app.checked = answer;
    if (answer.ok) tellModel(answer);
    else {
      const wrong = answer.messages.filter((m) => m.severity === 'error').length;
      say(`${wrong} ${wrong === 1 ? 'error' : 'errors'}`, true);
    }
  } catch (error) {
    say(`the studio does not answer: ${error.message}`, true);
  }
}

// What the model says is what an empty dial means.
function tellModel(model) {
  for (const dial of ['coordinates', 'constraints', 'integrator'])
    byId(dial).options[0].textContent = model[dial] ? `${model[dial]} (model)` : 'automatic';
  byId('step').placeholder = model.step ? format(model.step) : '';
  byId('end').placeholder = model.end ? format(model.end) : '';
  for (const option of byId('coordinates').options) {
    const row = app.dials.coordinates.find((r) => r.name === option.value);
    if (row) option.disabled = !(model.planar ? row.planar : row.spatial);
  }
  if (!app.running)
    say(
      `${model.bodies} ${model.bodies === 1 ? 'body' : 'bodies'}, ` +
        `${model.joints} ${model.joints === 1 ? 'joint' : 'joints'}`,
    );
}

// ---- dials ----

function fillDials(dials) {
  app.dials = dials;
  for (const dial of ['coordinates', 'constraints', 'integrators']) {
    const select = byId(dial.replace('integrators', 'integrator'));
    select.append(
      make('option', { value: '' }, 'model'),
      ...dials[dial].map((row) => make('option', { value: row.name, title: row.doc }, row.name)),
    );
  }
  byId('integrator').addEventListener('change', fitConstraints);
}

// An integrator takes some constraints and not others.
function fitConstraints() {
  const row = app.dials.integrators.find((r) => r.name === byId('integrator').value);
  for (const option of byId('constraints').options)
    option.disabled = !!(row && option.value && !row.constraints.includes(option.value));
  if (byId('constraints').selectedOptions[0]?.disabled) byId('constraints').value = '';
  byId('options').placeholder = row
    ? row.parameters
        .slice(0, 3)
        .map((p) => `${p}=`)
        .join(',')
    : 'rho=0.8';
}

function dialValues() {
  const number = (id) => {
    const text = byId(id).value.trim(),
      good = text === '' || Number(text) > 0;
    byId(id).classList.toggle('wrong', !good);
    if (!good) throw new Error(`${id}: '${text}' is no positive number`);
    return text;
  };
  const options = byId('options').value.trim();
  let integrator = byId('integrator').value;
  if (options)
    integrator = `${integrator || (app.checked?.integrator || 'generalized-alpha').split(':')[0]}:${options}`;
  return {
    coordinates: byId('coordinates').value,
    constraints: byId('constraints').value,
    integrator,
    step: number('step'),
    end: number('end'),
    verify: byId('verify').value,
  };
}

// ---- runs ----

function tellRunning(on) {
  const button = byId('run');
  button.classList.toggle('stop', on);
  button.innerHTML = on ? `${icon('pause')}<span>Stop</span>` : `${icon('play')}<span>Run</span>`;
  byId('progress').hidden = !on;
}

async function start() {
  if (app.running) {
    await ask('POST', 'stop');
    return;
  }
  try {
    const how = dialValues();
    if (app.again) {
      app.againOver = true;
      await ask('POST', 'stop');
      await app.again;
    }
    const { id } = await (
      await ask('POST', 'run', { name: app.name, ...how, record: [...app.picked].join() }, app.editor.text)
    ).json();
    app.running = {
      how,
      id,
      version: 0,
      from: 0,
      run: null,
      began: performance.now(),
      model: app.name,
      text: app.editor.text,
    };
    tellRunning(true);
    say('setting up');
    setTimeout(poll, 60);
  } catch (error) {
    say(error.message, true);
  }
}

// Asks for what is new, hands it to the viewer, and so on until the run is over.
async function poll() {
  const now = app.running;
  try {
    const bytes = await (
      await ask('GET', 'run', { id: now.id, version: now.version, from: now.from })
    ).arrayBuffer();
    const length = new DataView(bytes).getUint32(0, true);
    const news = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length)));
    if (news.head && !now.run) {
      now.run = new GrowingRun(news.head, `run ${++app.number}`);
      Object.assign(now.run, { model: now.model, text: now.text, how: now.how });
    }
    if (now.run && news.rows) now.run.append(new Float64Array(bytes, 4 + length), news.from, news.columns);
    now.version = news.version;
    now.from = news.from + news.rows;
    const more = now.from < news.total,
      over = !['starting', 'running'].includes(news.state) && !more;
    byId('progress').firstElementChild.style.width =
      `${news.end > 0 ? Math.min((100 * news.t) / news.end, 100) : 0}%`;
    if (over) finish(news, now);
    else {
      if (now.run?.frames.n) showGrowth(now);
      if (news.state === 'running')
        say(`t = ${format(news.t)} s of ${format(news.end)} s, ${news.steps} steps`);
      setTimeout(poll, more ? 0 : 150);
    }
  } catch (error) {
    say(error.message, true);
    app.running = null;
    tellRunning(false);
  }
}

function showGrowth(now) {
  // a run that is over in a moment is shown once, at its end
  if (performance.now() - now.began < 400) return;
  if (!now.shown) {
    now.shown = true;
    keepState();
    if (app.kept) Object.assign(app.kept, { time: Infinity, playing: false }); // at the newest row
    show([now.run, ...earlier()], true);
  } else app.viewer?.grow?.();
}

// The runs of this model that a new one is laid over; those of others stay with theirs.
const ofModel = () => app.runs.filter((run) => run.model === app.name);
const earlier = () => ofModel().slice(0, Number(byId('compare').value));

// What was edited since the run before, line by line: what is written in the bubble of its name.
function changes(before, after) {
  if (before === undefined || before === after) return '';
  const [old, now] = [before, after].map((text) => new Set(text.split('\n').map((line) => line.trim())));
  const only = (lines, others, sign) =>
    [...lines].filter((line) => line && !others.has(line)).map((line) => `${sign} ${line}`);
  return [...only(old, now, '−'), ...only(now, old, '+')].slice(0, 12).join('\n');
}

function finish(news, now) {
  app.running = null;
  tellRunning(false);
  if (news.said?.messages.length) showMessages(news.said.messages);
  const error = news.report?.error ?? news.said?.messages.find((m) => m.severity === 'error')?.text;
  if (now.run?.frames.n) {
    now.run.statistics = news.report;
    now.run.status =
      news.state === 'done' ? 'ok' : news.state === 'stopped' ? 'stopped' : `failed: ${error ?? ''}`;
    const others = earlier();
    app.runs = [now.run, ...app.runs].slice(0, KEPT_RUNS);
    now.run.changes = changes(others[0]?.text, now.text);
    if (now.model !== app.name) return; // another model was opened meanwhile
    keepState();
    if (app.kept && now.shown)
      Object.assign(app.kept, { time: app.kept.time >= now.run.end * 0.999 ? 0 : app.kept.time });
    show([now.run, ...others], true);
  }
  const report = news.report;
  const digits = report?.verify ? `${report.verify.line}; ` : '';
  const doubt = report?.warning ? `; mind: ${report.warnings.join('; ')}` : '';
  if (news.state === 'done')
    say(
      `${digits}done: ${report.steps} steps in ${format(report.solve_seconds, 3)} s, ` +
        `energy unexplained ${format(report.energy_balance, 2)} J${doubt}`,
      doubt !== '' || report.verify?.verdict === 'not-trusted',
    );
  else say(error ?? news.state, news.state === 'failed');
}

// ---- channels that were not recorded: the runs that are shown are computed again in the background ----

let recordTimer = 0;
function record(name) {
  app.picked.add(name);
  clearTimeout(recordTimer);
  recordTimer = setTimeout(recordAgain, 200);
}

// The whole of a run that nobody watches; null: it was ended.
async function wholeRun(old) {
  // a run that did not reach its end is computed as far as it came
  const how = { ...old.how, verify: '', ...(old.status === 'ok' ? {} : { end: old.end }) };
  const query = { name: old.model, ...how, record: [...app.picked].join() };
  const { id } = await (await ask('POST', 'run', query, old.text)).json();
  let run = null,
    version = 0,
    from = 0;
  for (;;) {
    const bytes = await (await ask('GET', 'run', { id, version, from })).arrayBuffer();
    const length = new DataView(bytes).getUint32(0, true);
    const news = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length)));
    if (news.head && !run) run = new GrowingRun(news.head, old.name);
    if (run && news.rows) run.append(new Float64Array(bytes, 4 + length), news.from, news.columns);
    version = news.version;
    from = news.from + news.rows;
    if (app.againOver) return null;
    if (!['starting', 'running'].includes(news.state) && from >= news.total)
      return run?.frames.n ? run : null;
    if (from >= news.total)
      await new Promise((done) => {
        setTimeout(done, 60);
      });
  }
}

const lacks = (run) =>
  [...app.picked].some((name) => run.every?.has(name) && !run.channels.has(name) && !run.tried?.has(name));

async function recordAll() {
  for (let run; !app.againOver && (run = app.shown.find(lacks));) {
    run.tried = new Set([...(run.tried ?? []), ...app.picked]);
    const fresh = await wholeRun(run);
    if (!fresh) {
      run.tried = null;
      return;
    }
    run.takeOver(fresh);
    app.viewer?.widen?.();
  }
}

function recordAgain() {
  if (app.running || app.again) return;
  app.againOver = false;
  app.again = recordAll()
    .catch((error) => say(error.message, true))
    .finally(() => {
      app.again = null;
    });
}

// ---- the viewer in its frame ----

function keepState() {
  try {
    if (app.viewer?.state) app.kept = app.viewer.state();
  } catch {
    app.kept = null;
  }
}

function show(runs, stateKept = false) {
  if (!stateKept) keepState();
  app.shown = runs;
  runs.forEach((run, index) => Object.assign(run, { index, visible: true }));
  app.viewer = null;
  const old = byId('view');
  const frame = make('iframe', {
    id: 'view',
    title: 'Motion and plots',
    src: engine.view,
  });
  old.replaceWith(frame);
  byId('welcome').hidden = true;
}

// Nothing to show: as when the studio was opened.
function clear() {
  app.shown = [];
  app.viewer = null;
  byId('view').replaceWith(make('iframe', { id: 'view', title: 'Motion and plots', hidden: true }));
  byId('welcome').hidden = false;
}

window.vergeStudio = {
  runs: () => app.shown,
  get kept() {
    return app.kept;
  },
  ready: (viewer) => {
    app.viewer = viewer;
    if (app.shown.some(lacks)) recordAgain();
  },
  record,
};

// ---- models and files ----

function tellSaved() {
  const changed = app.editor.text !== app.saved;
  byId('save').setAttribute('aria-pressed', changed);
  document.title = `${changed ? '• ' : ''}${app.name} – ${engine.title}`;
}

async function openModel(name) {
  if (!engine.save && app.editor.text !== app.saved && !confirm(`Leave the changes to ${app.name}?`)) {
    byId('model').value = app.name;
    return;
  }
  const text = await (await ask('GET', 'model', { name })).text();
  app.name = name;
  app.saved = text;
  app.kept = null;
  app.picked.clear();
  const runs = ofModel();
  if (runs.length) show([runs[0]], true);
  else clear();
  app.editor.open(text);
  tellSaved();
  check();
}

async function save() {
  if (engine.save) return engine.save(app, { say, dialValues });
  let { name } = app;
  const known = [...byId('model').options].some((option) => option.value === name && !option.dataset.fresh);
  if (!known) name = prompt('Name of the file', name);
  if (!name) return;
  try {
    await ask('POST', 'save', { name, replace: known ? 1 : '' }, app.editor.text);
    if (!known)
      byId('model').replaceChildren(
        ...[...byId('model').options].filter((o) => !o.dataset.fresh),
        make('option', { value: name }, name),
      );
    app.name = name;
    byId('model').value = name;
    app.saved = app.editor.text;
    tellSaved();
    say(`saved ${name}`);
  } catch (error) {
    say(error.message, true);
  }
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem('verge.theme', theme);
  } catch {
    /* then it is not remembered */
  }
  const inner = app.viewer && byId('view').contentDocument;
  if (!inner) return;
  inner.documentElement.dataset.theme = theme;
  app.viewer.world?.paint();
  app.viewer.panels.redraw();
}

function startTheme() {
  let kept = null;
  try {
    kept = localStorage.getItem('verge.theme');
  } catch {
    /* as the system has it */
  }
  document.documentElement.dataset.theme =
    kept ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
}

function listen() {
  byId('run').addEventListener('click', start);
  byId('save').addEventListener('click', save);
  byId('model').addEventListener('change', (event) => openModel(event.target.value));
  byId('theme').innerHTML = icon('theme');
  byId('help').innerHTML = icon('help');
  byId('help').addEventListener('click', () => byId('about').showModal());
  byId('about').addEventListener('click', (event) => event.target === byId('about') && byId('about').close());
  byId('theme').addEventListener('click', () =>
    setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'),
  );
  addEventListener(
    'keydown',
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      if (event.key === 'Enter' && !app.running) start();
      else if (event.key.toLowerCase() === 's') save();
      else return;
      event.preventDefault();
      event.stopPropagation();
    },
    true,
  );
  if (!engine.save)
    addEventListener('beforeunload', (event) => app.editor.text !== app.saved && event.preventDefault());
  const divider = byId('divider');
  divider.addEventListener('pointerdown', (event) => {
    divider.setPointerCapture(event.pointerId);
    byId('view').style.pointerEvents = 'none';
    const move = (e) =>
      document.documentElement.style.setProperty(
        '--editor',
        `${Math.min(Math.max(e.clientX, 220), innerWidth - 320)}px`,
      );
    divider.addEventListener('pointermove', move);
    divider.addEventListener(
      'pointerup',
      () => {
        divider.removeEventListener('pointermove', move);
        byId('view').style.pointerEvents = '';
      },
      { once: true },
    );
  });
}

export async function startStudio(where) {
  engine = where;
  startTheme();
  app.editor = new Editor(byId('editor'), checkSoon);
  listen();
  tellRunning(false);
  try {
    const first = await (await ask('GET', 'start')).json();
    fillDials(first);
    const fresh = !first.models.includes(first.name);
    byId('model').append(
      ...(fresh ? [make('option', { value: first.name, 'data-fresh': '1' }, first.name)] : []),
      ...first.models.map((name) => make('option', { value: name }, name)),
    );
    byId('model').value = first.name;
    byId('model').title = first.folder;
    app.name = first.name;
    app.saved = first.text;
    app.editor.open(first.text);
    tellSaved();
    for (const [dial, value] of Object.entries(first.dials ?? {})) if (byId(dial)) byId(dial).value = value;
    await check();
  } catch (error) {
    say(error.message, true);
  }
  window.studio = app; // for tests and for the curious
  engine.begun?.(app, { start });
}
