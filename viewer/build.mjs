// Bundles src/ into one page and writes it as C text, cut where the data goes:
//   node build.mjs OUT_DIR  ->  OUT_DIR/page.html (verge view), studio.html (verge studio), view_page.c
import { build } from 'esbuild';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, '..', 'build', 'viewer');
mkdirSync(out, { recursive: true });

const shared = { bundle: true, minify: true, legalComments: 'none', logLevel: 'warning', target: 'es2020' };

// A package belongs to a page when something of it was bundled; its licence goes along.
const licence = (name) => {
  const folder = join(here, 'node_modules', name);
  const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((f) => /^licen[cs]e/i.test(f));
  if (!file) throw new Error(`${name} has no licence text`);
  return `${about.name} ${about.version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}`;
};
const escape = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
const packagesOf = (inputs) =>
  [
    ...new Set(
      Object.keys(inputs)
        .map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1])
        .filter(Boolean),
    ),
  ].sort();

// A function as the replacement: the bundle is full of dollar signs.
const fill = (page, mark, text) => {
  if (page.split(mark).length !== 2) throw new Error(`the page must have ${mark} once`);
  return page.replace(mark, () => text);
};

// src/NAME.js, STYLE.css and PAGE.html in one text.
async function makePage(name, style, html) {
  const made = await build({
    ...shared,
    entryPoints: [join(here, 'src', `${name}.js`)],
    outfile: join(out, `${name}.js`),
    format: 'iife',
    metafile: true,
    nodePaths: [join(here, 'node_modules')],
  });
  await build({
    ...shared,
    entryPoints: [join(here, 'src', `${style}.css`)],
    outfile: join(out, `${style}.css`),
  });
  const script = readFileSync(join(out, `${name}.js`), 'utf8').replace(/<\/script/gi, '<\\/script');
  let page = readFileSync(join(here, 'src', `${html}.html`), 'utf8');
  page = fill(page, '/*verge:style*/', readFileSync(join(out, `${style}.css`), 'utf8').trim());
  page = fill(
    page,
    '<!--verge:licences-->',
    escape(packagesOf(made.metafile.inputs).map(licence).join('\n\n\n')),
  );
  page = fill(page, '/*verge:script*/', script);
  writeFileSync(join(out, `${html}.html`), page);
  return page;
}

const page = await makePage('main', 'style', 'page'),
  studio = await makePage('studio', 'studio', 'studio');

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
