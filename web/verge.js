// Verge in JavaScript: models are checked and run by the engine as WebAssembly, in node and in browsers.
//
//     import { load } from 'verge';
//     const verge = await load();
//     const run = verge.run(text, { end: 2, record: ['energy.*'] });
//     run.column('joint.pin.angle')       // Float64Array beside run.time

/** Whether vectors of two numbers (SIMD) are understood here. */
export function hasVectors() {
  // a function that makes a vector of zeros and throws it away
  const module = [
    0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 9, 1, 7, 0, 65, 0, 253, 15, 26, 11,
  ];
  return WebAssembly.validate(new Uint8Array(module));
}

async function bytesOf(address) {
  if (address.protocol === 'file:') {
    const { readFile } = await import('node:fs/promises');
    return readFile(address);
  }
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status} ${answer.statusText}`);
  return answer.arrayBuffer();
}

/** The compiled module: it can be sent to workers, which then need not compile it again. */
export async function compile({ vectors = hasVectors() } = {}) {
  const folder = vectors ? 'simd' : 'plain';
  const module = await WebAssembly.compile(
    await bytesOf(new URL(`./${folder}/engine.wasm`, import.meta.url)),
  );
  return { module, folder };
}

/** Compiles the module, or takes a compiled one, and starts the engine. */
export async function load(options = {}) {
  const { module, folder } = options.compiled ?? (await compile(options));
  const { default: start } =
    folder === 'simd' ? await import('./simd/engine.js') : await import('./plain/engine.js');
  const inside = await start({
    instantiateWasm: (imports, done) => {
      WebAssembly.instantiate(module, imports).then((instance) => done(instance, module));
      return {};
    },
  });
  return new Engine(inside);
}

/** What is wrong with a model, or why its run failed: messages are {line, column, severity, text}. */
export class VergeError extends Error {
  constructor(text, messages = [], result = null) {
    super(text);
    this.name = 'VergeError';
    this.messages = messages;
    this.result = result;
  }
}

/** Bytes of the engine: JSON behind its length, then rows of numbers. */
export function decode(bytes) {
  const length = new DataView(bytes).getUint32(0, true);
  const news = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length)));
  return { news, rows: new Float64Array(bytes, 4 + length) };
}

const FOLDER = '/models';

export class Engine {
  #inside;
  #files = new Set();

  constructor(inside) {
    this.#inside = inside;
    inside.FS.mkdir(FOLDER);
    Object.assign(this, JSON.parse(this.#call('web_start')));
  }

  #call(name, ...words) {
    const types = words.map((word) => (typeof word === 'number' ? 'number' : 'string'));
    return this.#inside.ccall(name, 'string', types, words);
  }

  // The model and the files beside it, which it includes; those of the last call are gone. The path of the model.
  #write(text, { files = {}, name = 'model.yaml' } = {}) {
    const { FS } = this.#inside,
      all = { ...files, [name]: text };
    for (const other of Object.keys(all))
      if (!/^[^/]+$/.test(other) || other === '.' || other === '..')
        throw new TypeError(`'${other}' is not the name of a file beside the model`);
    for (const path of this.#files) FS.unlink(path);
    this.#files.clear();
    for (const [other, content] of Object.entries(all)) {
      FS.writeFile(`${FOLDER}/${other}`, content);
      this.#files.add(`${FOLDER}/${other}`);
    }
    return `${FOLDER}/${name}`;
  }

  /** What can be said of a model without running it: {ok, messages, title, bodies, joints, step, end, …}. */
  check(text, options = {}) {
    return JSON.parse(this.#call('web_check', String(text), this.#write(text, options)));
  }

  /** Names and units of all channels of a model. */
  channels(text, options = {}) {
    const path = this.#write(text, options);
    const { ok, messages, names, units } = JSON.parse(this.#call('web_channels', path));
    if (!ok) throw new VergeError(first(messages) ?? 'the model is wrong', messages);
    return names.map((channel, i) => ({ name: channel, unit: units[i] }));
  }

  /**
   * Runs a model and hands over what is new, as bytes, about ten times a second and at the end; `onBytes` returns true
   * to stop it. For pages that show a run while it goes on.
   */
  stream(text, how, onBytes) {
    const inside = this.#inside;
    const { coordinates = '', constraints = '', integrator = '', record = [] } = how;
    const number = (key) => {
      const value = Number(how[key] || 0);
      if (!(value >= 0) || value === Infinity)
        throw new TypeError(`${key}: '${how[key]}' is no positive number`);
      return value;
    };
    const numbers = [number('step'), number('end'), how.verify ? 1 : 0];
    const path = this.#write(text, how);
    const words = [String(text), path, coordinates, constraints, integrator, [record].flat().join(',')];
    let version = 0,
      from = 0,
      id = this.runs ?? 0;
    const read = () => {
      const at = inside.ccall('web_read', 'number', ['number', 'number', 'number'], [id, version, from]);
      if (!at) return null;
      const bytes = inside.HEAPU8.slice(at, at + inside.ccall('web_read_size', 'number', [], [])).buffer;
      const { news } = decode(bytes);
      version = news.version;
      from = news.from + news.rows;
      return { bytes, news, more: from < news.total };
    };
    this.runs = ++id;
    inside.news = () => {
      const got = read();
      return got ? onBytes(got.bytes, got.news) === true : false;
    };
    const types = [...words.map(() => 'string'), ...numbers.map(() => 'number')];
    const started = inside.ccall('web_run', 'number', types, [...words, ...numbers]);
    inside.news = null;
    if (started !== id) throw new VergeError('no memory is left for this run');
    for (let more = true; more;) {
      const got = read();
      onBytes(got.bytes, got.news);
      more = got.more;
    }
  }

  /** Runs a model to its end. Throws a VergeError if it is wrong or fails; its `result` is what was computed. */
  run(text, how = {}) {
    const result = new Result();
    this.stream(text, how, (bytes) => {
      result.take(bytes);
      return how.onProgress?.({ t: result.t, end: result.end, steps: result.steps }) === false;
    });
    const { state, messages } = result;
    if (state === 'done' || state === 'stopped') return result;
    const why = result.report?.error ?? first(messages) ?? 'the run failed';
    throw new VergeError(why, messages, result.time.length ? result : null);
  }
}

const first = (messages) => messages.find((m) => m.severity === 'error')?.text;

/** A run: time, columns of channels, poses of bodies, and the report of `verge run --json`. */
export class Result {
  #rows = [];
  #width = 0;

  constructor() {
    Object.assign(this, { names: [], units: [], bodies: [], messages: [], report: null, scene: null });
    this.time = new Float64Array(0);
  }

  take(bytes) {
    const { news, rows } = decode(bytes);
    if (news.from === 0) this.#rows = [];
    if (rows.length) this.#rows.push(rows);
    this.#width = news.columns;
    Object.assign(this, { state: news.state, t: news.t, end: news.end, steps: news.steps });
    if (news.head) {
      const { channels, units, bodies, scene, coordinates, constraints, integrator } = news.head;
      Object.assign(this, { names: channels, units, bodies, scene, coordinates, constraints, integrator });
    }
    if (news.said) this.messages = news.said.messages;
    if (news.report) this.report = news.report;
    if (!['starting', 'running'].includes(news.state) && news.from + news.rows >= news.total) this.#close();
  }

  #close() {
    this.time = this.#column(0);
  }

  #column(k) {
    const width = this.#width,
      n = this.#rows.reduce((sum, rows) => sum + rows.length / width, 0),
      column = new Float64Array(n);
    let at = 0;
    for (const rows of this.#rows) for (let i = k; i < rows.length; i += width) column[at++] = rows[i];
    return column;
  }

  /** The values of a channel, one for each entry of `time`. */
  column(name) {
    const k = this.names.indexOf(name);
    if (k < 0) throw new RangeError(`there is no column '${name}'; the run has ${this.names.join(', ')}`);
    return this.#column(1 + k);
  }

  /** The pose of a body at row `i`: {position: [x, y, z], quaternion: [w, x, y, z]}. */
  pose(body, i) {
    const b = this.bodies.indexOf(body);
    if (b < 0) throw new RangeError(`there is no body '${body}'; the run has ${this.bodies.join(', ')}`);
    const at = 1 + this.names.length + 7 * b,
      number = (k) => this.#row(i)[at + k];
    return { position: [0, 1, 2].map(number), quaternion: [3, 4, 5, 6].map(number) };
  }

  #row(i) {
    let row = i < 0 ? this.time.length + i : i;
    for (const rows of this.#rows) {
      const n = rows.length / this.#width;
      if (row >= 0 && row < n) return rows.subarray(row * this.#width, (row + 1) * this.#width);
      row -= n;
    }
    throw new RangeError(`there is no row ${i} of ${this.time.length}`);
  }
}
