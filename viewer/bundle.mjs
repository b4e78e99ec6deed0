// One page of src/ in one text: script, style and licences of what was bundled.
import { build } from 'esbuild';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

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
export async function makePage(out, name, style, html, change = (text) => text) {
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
  let page = change(readFileSync(join(here, 'src', `${html}.html`), 'utf8'));
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
