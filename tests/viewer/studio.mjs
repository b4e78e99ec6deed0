// The studio in a real browser: node studio.mjs ADDRESS VIEWER CHROMIUM MODEL_FILE [SCREENSHOT_FOLDER].
// The model is a pendulum of parameters L and a0; what is expected of its motion is computed here.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { browser, check, near, runAll } from './harness.mjs';

const [address, viewer, executablePath, modelFile, pictures] = process.argv.slice(2);
const context = await browser(viewer, executablePath, { width: 1200, height: 720 });
const page = await context.newPage();
const problems = [];
page.on('console', (m) => m.type() === 'error' && problems.push(m.text()));
page.on('pageerror', (e) => problems.push(e.message));
page.on(
  'request',
  (r) =>
    r.url().startsWith(new URL(address).origin) ||
    /^(data|blob):/.test(r.url()) ||
    problems.push(`asks for ${r.url()}`),
);
page.on('dialog', (d) => d.accept('copy.yaml'));

const shot = (name) => pictures && page.screenshot({ path: join(pictures, `${name}.png`) });
const text = () => page.evaluate(() => studio.editor.text);
const type = (from, to) =>
  page.evaluate(
    ([a, b]) => {
      const { view } = studio.editor,
        at = view.state.doc.toString().indexOf(a);
      view.dispatch({ changes: { from: at, to: at + a.length, insert: b } });
    },
    [from, to],
  );
const frame = () => page.frames().find((f) => f.url().includes('/view?'));

// Runs and waits until the viewer shows so many runs, the newest of them complete.
async function run(number) {
  await page.locator('#run').click();
  await page.waitForFunction(
    (n) =>
      window.studio?.runs.length &&
      studio.runs[0].name === `run ${n}` &&
      !studio.running &&
      studio.viewer?.world,
    number,
  );
}

async function opens() {
  await page.goto(address);
  await page.waitForFunction(() => window.studio?.checked);
  check((await text()) === readFileSync(modelFile, 'utf8'), 'the text of the file is in the editor');
  check((await page.locator('.problems li').count()) === 0, 'nothing to mend');
  check(
    (await page.locator('#integrator option').count()) > 20 &&
      (await page.locator('#coordinates option').first().textContent()).startsWith('planar'),
    'dials are filled',
  );
  check((await page.locator('#step').getAttribute('placeholder')) === '0.002', 'and say what the model says');
}

// An error while typing is marked at its line, and goes when it is mended.
async function marks() {
  const line = (await text()).split('\n').findIndex((l) => l.includes('mass: 1'));
  await type('mass: 1', 'mas: 1');
  await page.locator('.problems li').first().waitFor();
  const said = await page.locator('.problems li').first().textContent();
  check(said.startsWith(`line ${line + 1}`) && said.includes("did you mean 'mass'"), `message: ${said}`);
  check((await page.locator('.problems').boundingBox()).height > 20, 'it can be read');
  check(
    (await page.locator('.cm-line-wrong').first().textContent()).includes('mas: 1'),
    'the line is tinted',
  );
  check((await page.locator('.cm-lintRange-error').first().textContent()) === 'mas', 'the word is marked');
  await shot('error');
  await type('mas: 1', 'mass: 1');
  await page.waitForFunction(() => !document.querySelector('.problems li'));
  check((await page.locator('.cm-line-wrong').count()) === 0, 'and is clean again');
}

// Small swings of a point on a rod without mass: angle = a0 cos(sqrt(g/L) t).
const angleAt = (t) => page.evaluate((time) => studio.runs[0].channels.at('joint.O.angle', time), t);
async function runs() {
  await run(1);
  for (const t of [0.3, 1, 1.9])
    near(await angleAt(t), 0.01 * Math.cos(Math.sqrt(9.81) * t), 2e-5, `angle at ${t}`);
  check((await page.locator('#status').textContent()).startsWith('done: 1000 steps'), 'the status tells');
  const inner = frame();
  check((await inner.evaluate(() => verge.world.actors[0].bodies.length)) === 1, 'the body is on the stage');
  check((await inner.locator('.uplot').count()) > 0, 'and plots are there');
  await shot('first');
}

// Another length: the curve changes, and the run before lies under it.
async function compares() {
  await type('L: 1', 'L: 2');
  await run(2);
  for (const t of [0.3, 1, 1.9])
    near(await angleAt(t), 0.01 * Math.cos(Math.sqrt(9.81 / 2) * t), 2e-5, `angle of the longer one at ${t}`);
  const inner = frame();
  const seen = await inner.evaluate(() => {
    const plot = verge.panels.plots.find((p) => p.names.includes('joint.O.angle'));
    return {
      runs: verge.runs.map((r) => r.name).join(),
      series: plot.plot.series.length - 1,
      ghost: verge.world.actors[1].metal.transparent,
    };
  });
  check(seen.runs === 'run 2,run 1' && seen.series === 2 && seen.ghost, `overlaid: ${JSON.stringify(seen)}`);
  await shot('compare');
}

// A channel that was not recorded is computed in the background, for both runs; arrows do not need `record`.
async function picks() {
  const has = (name) => page.evaluate((n) => studio.shown.map((r) => r.channels.has(n)).join(), name);
  check((await has('body.bob.omega')) === 'false,false', 'not recorded');
  check((await has('joint.O.force.x')) === 'true,true', 'reactions are there for the arrows');
  const inner = frame();
  check((await inner.evaluate(() => verge.world.actors[0].layers.arrows.length)) > 0, 'and drawn');
  check(
    await inner.evaluate(() => verge.panels.plots.every((p) => !p.names.some((n) => n.includes('force')))),
    'but not plotted unasked',
  );
  await inner.locator('.add').click();
  await inner.locator('#picker input').fill('bob.omega');
  await inner.locator('#picker .leaf').first().click();
  await page.waitForFunction(
    () => !studio.again && studio.shown.every((r) => r.channels.has('body.bob.omega')),
  );
  for (const [k, length] of [2, 1].entries()) {
    const got = await page.evaluate((i) => studio.shown[i].channels.at('body.bob.omega', 1), k);
    const w = Math.sqrt(9.81 / length);
    near(got, -0.01 * w * Math.sin(w), 3e-4, `omega of run ${k}`);
  }
  const seen = await inner.evaluate(() => verge.panels.plots.at(-1).plot.series.length - 1);
  check(seen === 2, `both are plotted: ${seen}`);
  await shot('picked');
}

async function dials() {
  await page.locator('#integrator').selectOption('rk4');
  check(
    await page.locator('#constraints option[value=index3]').evaluate((o) => o.disabled),
    'pairs without sense cannot be chosen',
  );
  await page.locator('#constraints').selectOption('index1');
  await page.locator('#end').fill('1');
  await page.locator('#step').fill('0.01');
  await run(3);
  const seen = await page.evaluate(() => ({ ...studio.runs[0].statistics, end: studio.runs[0].end }));
  check(
    seen.integrator === 'rk4' && seen.constraints === 'index1' && seen.steps === 100,
    `the dials are heard: ${JSON.stringify(seen)}`,
  );
  near(seen.end, 1, 1e-12, 'end');
  await page.locator('#step').fill('fast');
  await page.locator('#run').click();
  check((await page.locator('#status').textContent()).includes('no positive number'), 'a step that is none');
  await page.locator('#step').fill('');
  await page.locator('#options').fill('nonsense=1');
  await page.locator('#run').click();
  await page.locator('.problems li').first().waitFor();
  check((await page.locator('.problems').textContent()).includes('nonsense'), 'an option that is none');
  await page.locator('#options').fill('');
  await page.locator('#integrator').selectOption('');
  await page.locator('#constraints').selectOption('');
}

// A run of hours of the model's time: it is seen while it goes on, and stops when it is told to.
async function lives() {
  await page.locator('#end').fill('1e7');
  await page.locator('#run').click();
  await page.waitForFunction(() => studio.viewer?.runs[0].name === 'run 4');
  check(
    (await page.locator('#run').textContent()) === 'Stop' && (await page.locator('#progress').isVisible()),
    'it says that it runs',
  );
  const grown = () =>
    frame().evaluate(() => ({
      n: verge.runs[0].frames.n,
      end: verge.player.end,
      plot: verge.panels.plots[0].plot.data[0].at(-1),
    }));
  const before = await grown();
  await page.waitForFunction((end) => studio.viewer?.player.end > end, before.end);
  const after = await grown();
  check(await frame().evaluate(() => verge.player.time === verge.player.end), 'the newest is shown');
  check(
    after.end > before.end && after.plot > before.plot,
    `scene and plots grow: ${JSON.stringify([before, after])}`,
  );
  await shot('live');
  const second = await page.evaluate(() =>
    fetch('/api/run', {
      method: 'POST',
      body: 'x',
      headers: { 'X-Verge-Token': new URLSearchParams(location.search).get('token') },
    }).then((r) => r.status),
  );
  check(second === 409, `one run at a time: ${second}`);
  problems.splice(0, problems.length, ...problems.filter((p) => !p.includes('409')));
  await page.locator('#run').click();
  await page.waitForFunction(() => !studio.running && studio.runs[0].name === 'run 4');
  check((await page.locator('#status').textContent()) === 'stopped', 'stopped');
  await page.locator('#end').fill('');
}

// A step that cannot be taken: what was computed is shown, and the cause in full, however long.
async function fails() {
  await page.locator('#integrator').selectOption('ab1');
  await page.locator('#constraints').selectOption('index1');
  await page.locator('#step').fill('0.5');
  await page.locator('#end').fill('1000');
  await run(5);
  const said = await page.locator('#notice').textContent();
  check(await page.locator('#notice').isVisible(), `the cause is shown in full: ${said}`);
  check(said === (await page.locator('#status').textContent()) && said.length > 60, `all of it: ${said}`);
  check((await frame().evaluate(() => verge.world.actors[0].bodies.length)) === 1, 'with what was computed');
  await shot('fails');
  for (const dial of ['integrator', 'constraints']) await page.locator(`#${dial}`).selectOption('');
  for (const dial of ['step', 'end']) await page.locator(`#${dial}`).fill('');
}

// Another model begins with an empty stage, and its runs are not laid over those of the one before.
async function changesModel() {
  const { name } = await page.evaluate(() => ({ name: studio.name }));
  await page.locator('#model').selectOption('new.yaml');
  await page.waitForFunction(() => studio.name === 'new.yaml' && studio.checked);
  check(await page.locator('#welcome').isVisible(), 'nothing of the other model is left');
  await run(6);
  check((await frame().evaluate(() => verge.runs.map((r) => r.name).join())) === 'run 6', 'it stands alone');
  await page.locator('#model').selectOption(name);
  await page.waitForFunction(() => studio.viewer?.runs[0].name === 'run 5');
  check((await page.evaluate(() => studio.name)) === name, 'its own runs are there again');
}

async function saves() {
  await page.keyboard.press('Control+s');
  await page.waitForFunction(() => document.getElementById('status').textContent.startsWith('saved'));
  check(readFileSync(modelFile, 'utf8').includes('L: 2'), 'the file has the change');
}

async function dark() {
  await page.locator('#theme').click();
  check(
    (await page.evaluate(() => getComputedStyle(document.body).backgroundColor)) === 'rgb(18, 21, 26)',
    'dark',
  );
  check(
    (await frame().evaluate(() => document.documentElement.dataset.theme)) === 'dark',
    'and so is the viewer',
  );
  await shot('dark');
  await page.setViewportSize({ width: 390, height: 844 });
  // fits on a phone
  await page.waitForFunction(() => innerWidth === 390 && document.documentElement.scrollWidth <= 390);
  await shot('phone');
}

await runAll(context, [opens, marks, runs, compares, picks, dials, lives, fails, saves, changesModel, dark], {
  after: (test, good) => good || shot(`failed-${test.name}`),
  last: () => check(problems.length === 0, `console: ${problems.join('; ')}`),
});
