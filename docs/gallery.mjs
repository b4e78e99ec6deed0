// Pictures of pages made by `verge view`: node gallery.mjs JOBS.json VIEWER_FOLDER BROWSER
// A job: {page, png, t, view, theme, panel, width, height, traces: [[body, x, y, z], …]}
import { createRequire } from 'node:module';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [jobs, viewer, executablePath] = process.argv.slice(2);
const { chromium } = createRequire(join(viewer, 'package.json'))('playwright-core');
const home = mkdtempSync(join(tmpdir(), 'verge-gallery-'));
const context = await chromium.launchPersistentContext(home, {
  executablePath,
  headless: true,
  args: [
    '--no-sandbox',
    '--use-gl=angle',
    '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader',
    '--ignore-gpu-blocklist',
    '--disable-background-networking',
    '--disable-component-update',
    '--no-first-run',
    '--disable-sync',
  ],
});
context.setDefaultTimeout(120000); // slow machines
// The studio with two runs laid over one another: the second with a parameter changed in the text.
async function studio(job) {
  const page = await context.newPage();
  await page.setViewportSize({ width: job.width, height: job.height });
  await page.goto(job.studio);
  await page.waitForFunction(() => window.studio?.checked);
  for (const n of [1, 2]) {
    await page.locator('#run').click();
    await page.waitForFunction(
      (k) =>
        window.studio.runs[0]?.name === `run ${k}` && !window.studio.running && window.studio.viewer?.world,
      n,
    );
    if (n === 1) {
      await page.evaluate(() => {
        const { view } = window.studio.editor,
          text = view.state.doc.toString(),
          [all, head, number] = /(parameters:[^\n]*?: *)([0-9.]+)/.exec(text);
        const at = text.indexOf(all) + head.length;
        view.dispatch({
          changes: {
            from: at,
            to: at + number.length,
            insert: String(Number((Number(number) * 0.8).toPrecision(6))),
          },
        });
      });
    }
  }
  await page.evaluate((t) => window.studio.viewer.player.seek(t), job.t);
  await page.waitForTimeout(1500);
  await page.screenshot({ path: job.png, type: 'jpeg', quality: 84 });
  await page.close();
  console.log(job.png);
}

try {
  for (const job of JSON.parse(readFileSync(jobs))) {
    if (job.studio) {
      await studio(job);
      continue;
    }
    const page = await context.newPage();
    await page.setViewportSize({ width: job.width, height: job.height });
    await page.goto(
      `file://${job.page}#t=${job.t}&theme=${job.theme ?? 'light'}${job.view ? `&view=${job.view}` : ''}`,
    );
    await page.waitForFunction(() => window.verge?.player);
    if (!job.panel) {
      await page.keyboard.press('p');
      await page.addStyleTag({ content: '#tools, .scale { display: none !important }' });
    }
    await page.evaluate(
      ([traces, t]) => {
        const { world, player } = verge,
          colours = ['#2f7ed8', '#e8833a', '#3a9d5d'];
        for (const [n, [name, x, y, z]] of traces.entries()) {
          const index = world.actors[0].bodies.findIndex((body) => body.name === name);
          world.trace(
            world.actors[0],
            index,
            world.actors[0].bodies[index].position.clone().set(x, y, z),
            colours[n % 3],
          );
        }
        world.view();
        player.seek(t);
      },
      [job.traces ?? [], job.t],
    );
    await page.waitForTimeout(1200);
    const target = job.panel ? page : page.locator('#stage');
    await target.screenshot(
      job.png.endsWith('.jpg') ? { path: job.png, type: 'jpeg', quality: 82 } : { path: job.png },
    );
    await page.close();
    console.log(job.png);
  }
} finally {
  await context.close();
  rmSync(home, { recursive: true, force: true });
}
