// The studio over WebAssembly as a static folder: node play.mjs ROOT OUT, after scripts/web has made the engine.
import {
  cpSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePage } from './bundle.mjs';

const [root, out] = process.argv.slice(2);
const made = mkdtempSync(join(tmpdir(), 'verge-play-'));
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

const play = await makePage(made, 'play', 'studio', 'studio', (text) =>
  text.replaceAll('Verge studio', 'Verge').replace('verge studio', 'verge'),
);
writeFileSync(join(out, 'index.html'), play);
const view = await makePage(made, 'main', 'style', 'page');
writeFileSync(
  join(out, 'view.html'),
  view.replace('/*verge:data*/', () => '{"live": true}'),
);
rmSync(made, { recursive: true });

copyFileSync(join(root, 'viewer', 'src', 'play_worker.js'), join(out, 'worker.js'));
const engine = join(root, 'build', 'web', 'package');
for (const part of ['verge.js', 'simd', 'plain', 'LICENSE'])
  cpSync(join(engine, part), join(out, 'engine', part), { recursive: true });

// the models, and what they include
cpSync(join(root, 'models'), join(out, 'models'), {
  recursive: true,
  filter: (path) => !path.endsWith('robots'),
});
const files = readdirSync(join(out, 'models')).sort();
const models = files.filter(
  (name) => name.endsWith('.yaml') && /^run:/m.test(readFileSync(join(out, 'models', name), 'utf8')),
);
writeFileSync(join(out, 'models.json'), JSON.stringify({ models, files }));
console.log(`${join(out, 'index.html')} (${models.length} models)`);
