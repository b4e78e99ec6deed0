// The page without a server, in a real browser: node play.mjs SITE VIEWER CHROMIUM NUMBERS [SCREENSHOT_FOLDER].
// SITE is the folder build/site/play; NUMBERS is JSON of the last rows that the program `verge` gives for some models.
import { createServer } from 'node:http';
import { existsSync, readFileSync } from 'node:fs';
import { extname, join, normalize } from 'node:path';
import { browser, check, near, runAll } from './harness.mjs';

const [site, viewer, executablePath, numbers, pictures] = process.argv.slice(2);
const native = JSON.parse(readFileSync(numbers, 'utf8'));
const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
};

// A server of files and nothing else.
const server = createServer((request, answer) => {
  const path = decodeURIComponent(new URL(request.url, 'http://here').pathname);
  const file = join(site, normalize(path === '/' ? '/index.html' : path));
  if (!existsSync(file)) return answer.writeHead(404).end();
  answer.writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'text/plain' }).end(readFileSync(file));
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const address = `http://127.0.0.1:${server.address().port}/`;

const context = await browser(viewer, executablePath, { width: 1280, height: 760 });
const page = await context.newPage();
const problems = [];
page.on('console', (m) => m.type() === 'error' && problems.push(m.text()));
page.on('pageerror', (e) => problems.push(e.message));
page.on(
  'request',
  (r) => r.url().startsWith(address) || /^(data|blob):/.test(r.url()) || problems.push(`asks for ${r.url()}`),
);
const shot = (name) => pictures && page.screenshot({ path: join(pictures, `${name}.png`) });
const frame = () => page.frames().find((f) => f.url().includes('view.html'));

async function open(hash) {
  await page.goto('about:blank');
  await page.goto(`${address}#${hash}`);
  await page.waitForFunction(() => window.studio?.checked);
}
async function ran(number) {
  await page.waitForFunction(
    (n) =>
      window.studio?.runs.length &&
      studio.runs[0].name === `run ${n}` &&
      !studio.running &&
      studio.viewer?.world,
    number,
  );
}
const type = (from, to) =>
  page.evaluate(
    ([a, b]) => {
      const { view } = studio.editor,
        at = view.state.doc.toString().indexOf(a);
      view.dispatch({ changes: { from: at, to: at + a.length, insert: b } });
    },
    [from, to],
  );

async function opens() {
  await open('model=cart.yaml');
  check((await page.evaluate(() => studio.engine)) === 'simd', 'vectors are used');
  check((await page.locator('#model option').count()) > 30, 'the models are there');
  check((await page.locator('#integrator option').count()) > 50, 'and the dials');
  check((await page.locator('.problems li').count()) === 0, 'nothing to mend');
  await type('mass: 1', 'mas: 1');
  await page.locator('.problems li').first().waitFor();
  check(
    (await page.locator('.problems').textContent()).includes("did you mean 'mass'"),
    'mistakes are found',
  );
  await type('mas: 1', 'mass: 1');
  await page.waitForFunction(() => !document.querySelector('.problems li'));
}

// The numbers of the program, to rounding.
async function agrees() {
  for (const [model, expected] of Object.entries(native)) {
    await open(`model=${model}&run&end=${expected.end}`);
    await ran(1);
    const got = await page.evaluate((names) => {
      const { channels, end } = studio.runs[0];
      return { end, values: names.map((name) => channels.values(name).at(-1)) };
    }, Object.keys(expected.last));
    near(got.end, expected.end, 1e-12, `${model}: end`);
    const size = Math.max(...Object.values(expected.last).map(Math.abs));
    Object.entries(expected.last).forEach(([name, value], i) =>
      near(got.values[i], value, 1e-12 * size, `${model}: ${name}`),
    );
    check((await page.locator('#status').textContent()).startsWith('done'), `${model}: done`);
    check(
      (await frame().evaluate(() => verge.world.actors[0].bodies.length)) === expected.bodies,
      `${model}: bodies on the stage`,
    );
    check((await frame().locator('.uplot').count()) > 0, `${model}: plots`);
    await shot(model);
  }
}

// The same numbers without vectors.
async function plain() {
  const [model, expected] = Object.entries(native)[0];
  await open(`model=${model}&run&end=${expected.end}&vectors=off`);
  await ran(1);
  check((await page.evaluate(() => studio.engine)) === 'plain', 'without vectors');
  for (const [name, value] of Object.entries(expected.last))
    near(
      await page.evaluate((n) => studio.runs[0].channels.values(n).at(-1), name),
      value,
      1e-12,
      `plain: ${name}`,
    );
}

async function verifies() {
  await open('model=cart.yaml&end=0.5');
  await page.locator('#verify').selectOption('1');
  await page.locator('#run').click();
  await ran(1);
  check(
    /trusted to \d/.test(await page.locator('#status').textContent()),
    await page.locator('#status').textContent(),
  );
}

// A run of hours is seen while it goes on; stopped, what came of it stays; and another one can be started.
async function stops() {
  await open('model=cart.yaml&end=1e7');
  await page.locator('#run').click();
  await page.waitForFunction(() => studio.viewer?.runs[0].frames.n > 10 && studio.running);
  const before = await page.evaluate(() => studio.viewer.player.end);
  await page.waitForFunction((end) => studio.viewer?.player.end > end, before);
  await page.locator('#run').click();
  await page.waitForFunction(() => !studio.running);
  check((await page.locator('#status').textContent()) === 'stopped', 'stopped');
  check((await page.evaluate(() => studio.runs[0].frames.n)) > 10, 'what was computed stays');
  await page.locator('#end').fill('0.2');
  await page.locator('#run').click();
  await ran(2);
  near(await page.evaluate(() => studio.runs[0].end), 0.2, 1e-12, 'a new run');
}

// The text goes into the address, and comes back from it, with the dials.
async function shares() {
  await open('model=cart.yaml');
  const written = '# πλοῦς, 船\n';
  await page.evaluate(
    (words) => studio.editor.view.dispatch({ changes: { from: 0, insert: words } }),
    written,
  );
  await page.locator('#end').fill('0.75');
  await page.locator('#save').click();
  await page.waitForFunction(() => location.hash.includes('m='));
  const link = page.url(),
    text = await page.evaluate(() => studio.editor.text);
  check(link.length < text.length + 100, `the link is short: ${link.length} of ${text.length}`);
  await open(new URL(link).hash.slice(1));
  check(
    (await page.evaluate(() => studio.editor.text)) === text && text.startsWith(written),
    'the text is back',
  );
  check((await page.locator('#end').inputValue()) === '0.75', 'and the dials');
  await shot('shared');
  await open('m=thisisnotamodel');
  check((await page.locator('#status').textContent()).includes('cannot be read'), 'a damaged link is told');
  await open('model=no-such.yaml');
  check(
    (await page.locator('#status').textContent()).includes('no-such.yaml'),
    'so is a model that is not there',
  );
}

// A model that includes another one, and a model that fails.
async function files() {
  await open('model=iltis-steer.yaml');
  check(
    (await page.locator('.problems .error').count()) === 0,
    await page.locator('.problems').textContent(),
  );
  await open('model=cart.yaml&integrator=ab1&constraints=index1&step=0.5&end=1000&run');
  await page.waitForFunction(() => !studio.running && studio.runs.length);
  check(/too long.*smaller step/.test(await page.locator('#status').textContent()), 'why it fails is said');
}

await runAll(context, [opens, agrees, plain, verifies, stops, shares, files], {
  after: (test, good) => good || shot(`failed-${test.name}`),
  last: () => {
    server.close();
    check(problems.length === 0, `console: ${problems.join('; ')}`);
  },
});
