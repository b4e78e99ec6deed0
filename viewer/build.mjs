// Bundles src/ into one page and writes it as C text, cut where the data goes:
//   node build.mjs OUT_DIR  ->  OUT_DIR/page.html (verge view), studio.html (verge studio), view_page.c
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makePage } from './bundle.mjs';

const here = dirname(fileURLToPath(import.meta.url));

const out = process.argv[2] ?? join(here, '..', 'build', 'viewer');
mkdirSync(out, { recursive: true });
const page = await makePage(out, 'main', 'style', 'page'),
  studio = await makePage(out, 'studio_server', 'studio', 'studio');

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
for (const [name, text] of [
  ['before', parts[0]],
  ['after', parts[1]],
]) {
  c.push(`const char vg_view_page_${name}[] =`, cText(text) + ';');
  c.push(`const size_t vg_view_page_${name}_size = sizeof vg_view_page_${name} - 1;`, '');
}
c.push(
  'const char vg_studio_page[] =',
  cText(studio) + ';',
  'const size_t vg_studio_page_size = sizeof vg_studio_page - 1;',
  '',
);
writeFileSync(join(out, 'view_page.c'), c.join('\n'));
