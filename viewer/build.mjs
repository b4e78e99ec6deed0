// Bundles src/ into one page and writes it as C text, cut where the data goes:
//   node build.mjs OUT_DIR  ->  OUT_DIR/viewer.js, viewer.css, page.html, view_page.c
import { build } from 'esbuild';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, '..', 'build', 'viewer');
mkdirSync(out, { recursive: true });

const shared = { bundle: true, minify: true, legalComments: 'none', logLevel: 'warning', target: 'es2020' };
await build({
  ...shared,
  entryPoints: [join(here, 'src', 'main.js')],
  outfile: join(out, 'viewer.js'),
  format: 'iife',
  nodePaths: [join(here, 'node_modules')],
});
await build({ ...shared, entryPoints: [join(here, 'src', 'style.css')], outfile: join(out, 'viewer.css') });

const licence = (name) => {
  const about = JSON.parse(readFileSync(join(here, 'node_modules', name, 'package.json'), 'utf8'));
  const text = readFileSync(join(here, 'node_modules', name, 'LICENSE'), 'utf8').trim();
  return `${about.name} ${about.version}\n\n${text}`;
};
const escape = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
const licences = ['three', 'uplot'].map(licence).join('\n\n\n');

// A function as the replacement: the bundle is full of dollar signs.
const fill = (page, mark, text) => {
  if (page.split(mark).length !== 2) throw new Error(`page.html must have ${mark} once`);
  return page.replace(mark, () => text);
};
const script = readFileSync(join(out, 'viewer.js'), 'utf8').replace(/<\/script/gi, '<\\/script');
let page = readFileSync(join(here, 'src', 'page.html'), 'utf8');
page = fill(page, '/*verge:style*/', readFileSync(join(out, 'viewer.css'), 'utf8').trim());
page = fill(page, '<!--verge:licences-->', escape(licences));
page = fill(page, '/*verge:script*/', script);
writeFileSync(join(out, 'page.html'), page);

const cut = '/*verge:data*/';
const parts = page.split(cut);
if (parts.length !== 2) throw new Error(`page.html must have ${cut} once`);

const cText = (text) => {
  const bytes = Buffer.from(text, 'utf8');
  const lines = [];
  for (let at = 0; at < bytes.length; at += 100) {
    let line = '';
    for (const byte of bytes.subarray(at, at + 100)) {
      // '?' could begin a trigraph; octal escapes have three digits so that no digit after them is taken in.
      const plain = byte >= 32 && byte < 127 && byte !== 34 && byte !== 92 && byte !== 63;
      line += plain ? String.fromCharCode(byte) : '\\' + byte.toString(8).padStart(3, '0');
    }
    lines.push(`    "${line}"`);
  }
  return lines.join('\n');
};
const c = ['#include "io/view_page.h"', ''];
for (const [name, text] of [['before', parts[0]], ['after', parts[1]]]) {
  c.push(`const char vg_view_page_${name}[] =`, cText(text) + ';');
  c.push(`const size_t vg_view_page_${name}_size = sizeof vg_view_page_${name} - 1;`, '');
}
writeFileSync(join(out, 'view_page.c'), c.join('\n'));
