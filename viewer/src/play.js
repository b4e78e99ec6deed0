// The studio without a server: models are checked and run by the engine as WebAssembly, in workers of this page.
import { byId, icon } from './dom.js';
import { startStudio } from './studio.js';

const asked = new URLSearchParams(location.hash.slice(1));
const answer = (value) => ({
  json: async () => value,
  text: async () => value,
  arrayBuffer: async () => value,
});

// ---- texts in addresses ----

const toAddress = (bytes) =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
const fromAddress = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
const through = async (bytes, stream) =>
  new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

const LONGEST = 1 << 20; // bytes of a model, as in `verge studio`: a short address could hold a text without end

async function pack(text) {
  return toAddress(await through(new TextEncoder().encode(text), new CompressionStream('deflate-raw')));
}

async function unpack(packed) {
  const reader = new Blob([fromAddress(packed)])
    .stream()
    .pipeThrough(new DecompressionStream('deflate-raw'))
    .getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > LONGEST) throw new Error('it is longer than a model may be');
    parts.push(value);
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(await new Blob(parts).arrayBuffer());
}

// ---- workers ----

let compiled = null;

// One worker; questions are answered in turn. `onBytes` of a question takes what comes before the answer.
class Helper {
  constructor() {
    this.open = new Map();
    this.number = 0;
  }

  start() {
    this.worker = new Worker('worker.js', { type: 'module' });
    this.worker.postMessage({ compiled });
    this.worker.onmessage = ({ data }) => {
      const question = this.open.get(data.number);
      if (!question) return;
      if (data.bytes) return question.onBytes(data.bytes);
      this.open.delete(data.number);
      if (data.error) question.bad(new Error(data.error));
      else question.good(data.value);
    };
    this.worker.onerror = (event) => this.end(event.message || 'the engine could not be started');
  }

  ask(what, text = '', how = {}, onBytes = () => {}) {
    if (!this.worker) this.start();
    const number = ++this.number;
    return new Promise((good, bad) => {
      this.open.set(number, { good, bad, onBytes });
      this.worker.postMessage({ number, what, text, how });
    });
  }

  end(why) {
    this.worker?.terminate();
    this.worker = null;
    for (const { bad } of this.open.values()) bad(new Error(why));
    this.open.clear();
  }
}

const checker = new Helper(),
  runner = new Helper();

// ---- models and the files that they include ----

let shipped = { models: [], files: [] };
const texts = new Map();
async function fileText(name) {
  if (!texts.has(name)) {
    const got = await fetch(`models/${name}`);
    if (!got.ok) throw new Error(`models/${name}: ${got.status}`);
    texts.set(name, await got.text());
  }
  return texts.get(name);
}

async function filesOf(text, files = {}) {
  for (const name of shipped.files) {
    if (name in files || !text.includes(name)) continue;
    files[name] = await fileText(name);
    await filesOf(files[name], files);
  }
  return files;
}

// ---- what the studio asks ----

// Bytes of the run that the studio has not fetched yet, or who waits for them.
const run = { id: 0, bytes: [], waiting: null, failed: null };
function arrived(bytes) {
  run.last = bytes;
  if (run.waiting) {
    run.waiting.good(bytes);
    run.waiting = null;
  } else run.bytes.push(bytes);
}
function failed(error) {
  if (run.waiting) {
    run.waiting.bad(error);
    run.waiting = null;
  } else run.failed = error;
}

// The last words of a run whose worker was ended: what has come of it stays.
function stoppedNews() {
  const news = {
    id: run.id,
    state: 'stopped',
    t: 0,
    end: 0,
    steps: 0,
    version: 0,
    from: 0,
    rows: 0,
    total: 0,
    columns: 1,
  };
  if (run.last) {
    const length = new DataView(run.last).getUint32(0, true);
    Object.assign(news, JSON.parse(new TextDecoder().decode(new Uint8Array(run.last, 4, length))));
    Object.assign(news, { state: 'stopped', from: news.from + news.rows, rows: 0, head: undefined });
    news.total = news.from;
  }
  const text = new TextEncoder().encode(JSON.stringify(news));
  const size = Math.ceil((text.length + 4) / 8) * 8;
  const bytes = new Uint8Array(size).fill(32);
  new DataView(bytes.buffer).setUint32(0, size - 4, true);
  bytes.set(text, 4);
  return bytes.buffer;
}

const answers = {
  'GET start': async () => {
    const dials = await checker.ask('start');
    const first = await firstModel();
    return { ...dials, ...first, folder: 'models that come with Verge', models: shipped.models };
  },
  'GET model': async ({ name }) => fileText(name),
  'POST check': async ({ name }, text) => checker.ask('check', text, { name, files: await filesOf(text) }),
  'POST run': async (query, text) => {
    const files = await filesOf(text);
    Object.assign(run, { id: run.id + 1, bytes: [], waiting: null, failed: null, last: null });
    const record = query.record ? query.record.split(',') : [];
    runner.ask('run', text, { ...query, record, files }, arrived).catch(failed);
    return { id: run.id };
  },
  'GET run': async () => {
    if (run.bytes.length) return run.bytes.shift();
    if (run.failed) throw run.failed;
    return new Promise((good, bad) => {
      run.waiting = { good, bad };
    });
  },
  'POST stop': async () => {
    const waited = run.waiting;
    run.waiting = null;
    runner.end('stopped');
    run.failed = null;
    const last = stoppedNews();
    if (waited) waited.good(last);
    else run.bytes.push(last);
    return {};
  },
};

async function ask(method, path, query = {}, body = '') {
  return answer(await answers[`${method} ${path}`](query, body));
}

// The model of the address: its text, or the name of one that comes with Verge.
async function firstModel() {
  const dials = {};
  for (const dial of ['coordinates', 'constraints', 'integrator', 'options', 'step', 'end'])
    if (asked.has(dial)) dials[dial] = asked.get(dial);
  if (asked.has('m')) {
    try {
      return { name: 'shared.yaml', text: await unpack(asked.get('m')), dials };
    } catch (error) {
      trouble = `the model in the address cannot be read: ${error.message}`;
    }
  }
  const wanted = asked.get('model'),
    name = shipped.models.includes(wanted) ? wanted : 'cart.yaml';
  if (wanted && name !== wanted) trouble = `no model of this page is called ${wanted}`;
  return { name, text: await fileText(name), dials };
}
let trouble = '';

// A link with the text and the dials in it, in the address and in the clipboard.
async function share(app, { say, dialValues }) {
  try {
    const words = new URLSearchParams({ m: await pack(app.editor.text) });
    const { verify, ...dials } = dialValues();
    for (const [dial, value] of Object.entries(dials)) if (value) words.set(dial, value);
    history.replaceState(null, '', `#${words}`);
    app.saved = app.editor.text;
    try {
      await navigator.clipboard.writeText(location.href);
      say(`the link is in the clipboard (${location.href.length} characters)`);
    } catch {
      say('the link is in the address of this page');
    }
  } catch (error) {
    say(error.message, true);
  }
}

function dress() {
  const button = byId('save');
  button.textContent = 'Share';
  button.title = 'A link to this model, with its text in the address (Ctrl-S)';
  byId('verge-home').hidden = false;
  byId('help').innerHTML = icon('help');
}

async function begin() {
  dress();
  try {
    const { compile } = await import(new URL('engine/verge.js', location.href).href);
    const vectors = asked.get('vectors') === 'off' ? { vectors: false } : {};
    [compiled, shipped] = await Promise.all([
      compile(vectors),
      fetch('models.json').then((got) => got.json()),
    ]);
  } catch (error) {
    byId('status').textContent = `the engine could not be loaded: ${error.message}`;
    byId('status').classList.add('bad');
    return;
  }
  await startStudio({
    ask,
    view: 'view.html',
    title: 'Verge',
    save: share,
    begun: (app, { start }) => {
      app.engine = compiled.folder;
      if (trouble) byId('status').textContent = byId('status').title = trouble;
      else if (asked.has('run')) start();
    },
  });
  addEventListener('hashchange', () => location.reload());
}

begin();
