// Bundles src/ into one page each and writes them compressed as C text:
//   node build.mjs OUT_DIR  ->  OUT_DIR/page.html (verge view), studio.html (verge studio), view_page.c
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import { makePage } from './bundle.mjs';

const here = dirname(fileURLToPath(import.meta.url));

const out = process.argv[2] ?? join(here, '..', 'build', 'viewer');
mkdirSync(out, { recursive: true });
const page = await makePage(out, 'main', 'style', 'page'),
  studio = await makePage(out, 'studio_server', 'studio', 'studio');

const cut = '/*verge:data*/';
const parts = page.split(cut);
if (parts.length !== 2) throw new Error(`page.html must have ${cut} once`);

const cText = (bytes) => {
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
const c = ['#include "io/view/view_page.h"', ''];
for (const [name, text, before] of [
  ['view', parts.join(''), parts[0]],
  ['studio', studio, studio],
]) {
  const packed = deflateSync(text, { level: 9 });
  c.push(`static const unsigned char ${name}[] =`, cText(packed) + ';');
  const sizes = `sizeof ${name} - 1, ${Buffer.byteLength(text)}, ${Buffer.byteLength(before)}`;
  c.push(`const vgPage vg_${name}_page = {${name}, ${sizes}};`, '');
}
writeFileSync(join(out, 'view_page.c'), c.join('\n'));
