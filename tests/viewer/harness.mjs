// What the tests in a real browser share: checks that are counted, a browser of their own, and the end.
import { createRequire } from 'node:module';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let checks = 0,
  failed = 0;
export function check(good, text) {
  checks++;
  if (good) return;
  failed++;
  console.log(`failed: ${text}`);
}
export const near = (value, expected, tolerance, text) =>
  check(
    Math.abs(value - expected) <= tolerance,
    `${text}: ${value}, expected ${expected} within ${tolerance}`,
  );

let home = null;
export async function browser(viewer, executablePath, viewport) {
  const { chromium } = createRequire(join(viewer, 'package.json'))('playwright-core');
  home = mkdtempSync(join(tmpdir(), 'verge-browser-'));
  const context = await chromium.launchPersistentContext(home, {
    executablePath,
    headless: true,
    timeout: 120000,
    viewport,
    colorScheme: 'light',
    args: [
      '--no-sandbox',
      '--use-gl=angle',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
      '--ignore-gpu-blocklist',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--disable-component-update',
      '--no-first-run',
      '--disable-sync',
    ],
  });
  context.setDefaultTimeout(120000); // slow machines
  return context;
}

// Runs the tests one after the other, then last(), closes the browser and ends.
export async function runAll(context, tests, { after = () => {}, last = () => {} } = {}) {
  for (const test of tests) {
    const before = failed,
      start = Date.now();
    try {
      await test();
    } catch (error) {
      check(false, `${test.name}: ${error}`);
    }
    const good = failed === before;
    await after(test, good);
    console.log(`${good ? 'ok  ' : 'FAIL'} ${test.name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
  }
  last();
  await context.close();
  rmSync(home, { recursive: true, force: true });
  console.log(`${tests.length} tests, ${failed} failed, ${checks} checks`);
  process.exit(failed ? 1 : 0);
}
