// Pictures of pages made by `verge view`: node gallery.mjs JOBS.json VIEWER_FOLDER BROWSER
// A job: {page, png, t, view, theme, zoom, panel, width, height, traces: [[body, x, y, z], …]}
import { createRequire } from 'node:module';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [jobs, viewer, executablePath] = process.argv.slice(2);
const { chromium } = createRequire(join(viewer, 'package.json'))('playwright-core');
const home = mkdtempSync(join(tmpdir(), 'verge-gallery-'));
const context = await chromium.launchPersistentContext(home, {
  executablePath, headless: true,
  args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist',
    '--disable-background-networking', '--disable-component-update', '--no-first-run', '--disable-sync'],
});
try {
  for (const job of JSON.parse(readFileSync(jobs))) {
    const page = await context.newPage();
    await page.setViewportSize({ width: job.width, height: job.height });
    await page.goto(`file://${job.page}#t=${job.t}&theme=${job.theme ?? 'light'}${job.view ? `&view=${job.view}` : ''}`);
    await page.waitForFunction(() => window.verge?.player);
    if (!job.panel) {
      await page.keyboard.press('p');
      await page.addStyleTag({ content: '#tools { display: none !important }' });
    }
    await page.evaluate(([traces, t, zoom]) => {
      const { world, runs, player } = verge, colours = ['#2f7ed8', '#e8833a', '#3a9d5d'];
      for (const [n, [name, x, y, z]] of traces.entries()) {
        const index = world.actors[0].bodies.findIndex((body) => body.name === name);
        world.trace(world.actors[0], index, world.actors[0].bodies[index].position.clone().set(x, y, z), colours[n % 3]);
      }
      world.view();
      player.seek(t);
      if (world.camera.isPerspectiveCamera && !runs[0].planar) world.camera.position.lerp(world.controls.target, zoom);
    }, [job.traces ?? [], job.t, job.zoom ?? 0.25]);
    await page.waitForTimeout(1200);
    const target = job.panel ? page : page.locator('#stage');
    await target.screenshot(job.png.endsWith('.jpg') ? { path: job.png, type: 'jpeg', quality: 82 } : { path: job.png });
    await page.close();
    console.log(job.png);
  }
} finally {
  await context.close();
  rmSync(home, { recursive: true, force: true });
}
