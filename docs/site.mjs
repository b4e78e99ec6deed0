// The documentation as a static site: node site.mjs ROOT OUT. Pages are the Markdown files of docs/ and the headers of
// the C API; equations are set by KaTeX here, so that the site needs no network and no script to be read.
import { createRequire } from 'node:module';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { apiPage } from './site_api.mjs';

const [root, out] = process.argv.slice(2);
const require = createRequire(join(root, 'viewer', 'package.json'));
const { default: MarkdownIt } = await import(
  require.resolve('markdown-it').replace(/index\.cjs(\.js)?$/, 'index.mjs')
).catch(() => ({ default: require('markdown-it') }));
const katex = require('katex');
const docs = join(root, 'docs');
const escape = (text) =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
const slug = (text) =>
  text
    .toLowerCase()
    .replace(/<[^>]+>/g, '')
    .replace(/&\w+;/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');

// ---- Markdown with equations ----

const broken = [];
function equation(text, display, page) {
  try {
    return katex.renderToString(text, { displayMode: display, throwOnError: true, strict: 'ignore' });
  } catch (error) {
    broken.push(`${page}: ${error.message}`);
    return `<code>${escape(text)}</code>`;
  }
}

function mathInline(state, silent) {
  const { src, pos } = state;
  if (src[pos] !== '$') return false;
  const display = src[pos + 1] === '$',
    mark = display ? '$$' : '$',
    from = pos + mark.length;
  const to = src.indexOf(mark, from);
  if (to < 0 || to === from || (!display && /\s/.test(src[from]))) return false;
  if (!silent) {
    const token = state.push('math', '', 0);
    token.content = src.slice(from, to).trim();
    token.meta = { display };
  }
  state.pos = to + mark.length;
  return true;
}

function mathBlock(state, start, end, silent) {
  const line = (i) => state.src.slice(state.bMarks[i] + state.tShift[i], state.eMarks[i]);
  if (!line(start).startsWith('$$')) return false;
  let last = start;
  while (
    last < end &&
    !(line(last).trimEnd().endsWith('$$') && (last > start || line(last).trim().length > 2))
  )
    last++;
  if (last >= end) return false;
  if (silent) return true;
  const text = Array.from({ length: last - start + 1 }, (_, i) => line(start + i))
    .join('\n')
    .trim();
  const token = state.push('math', '', 0);
  token.content = text.slice(2, -2).trim();
  token.meta = { display: true };
  token.block = true;
  state.line = last + 1;
  return true;
}

function renderer(page, headings) {
  const md = new MarkdownIt({ html: true, linkify: false, typographer: false });
  md.inline.ruler.before('escape', 'math', mathInline);
  md.block.ruler.before('fence', 'math', mathBlock, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  });
  md.renderer.rules.math = (tokens, i) => equation(tokens[i].content, tokens[i].meta.display, page);
  const seen = new Map();
  md.renderer.rules.heading_open = (tokens, i) => {
    const text = tokens[i + 1].content.replace(/[`*$]/g, ''),
      base = slug(text),
      n = seen.get(base) ?? 0;
    seen.set(base, n + 1);
    const id = n ? `${base}-${n}` : base,
      level = Number(tokens[i].tag[1]);
    headings.push({ id, level, text });
    return `<${tokens[i].tag} id="${id}">`;
  };
  md.renderer.rules.heading_close = (tokens, i) =>
    `<a class="here" href="#${headings.at(-1).id}" aria-label="Link to this part">#</a></${tokens[i].tag}>\n`;
  md.renderer.rules.fence = (tokens, i) => {
    const [language, file] = tokens[i].info.split(/\s+/);
    const caption = file ? `<figcaption>${escape(file)}</figcaption>` : '';
    // a whole model can be tried: its text is in the address, as the page of play.js packs it
    const whole = language === 'yaml' && playable.size && /^verge: 1$/m.test(tokens[i].content);
    const link = whole
      ? tryIt(`m=${deflateRawSync(Buffer.from(tokens[i].content)).toString('base64url')}&run`)
      : '';
    return `<figure class="code ${escape(language ?? '')}">${caption}${link}<pre><code>${coloured(tokens[i].content, language)}</code></pre></figure>\n`;
  };
  md.renderer.rules.code_block = (tokens, i) =>
    `<figure class="code"><pre><code>${escape(tokens[i].content)}</code></pre></figure>\n`;
  md.renderer.rules.table_open = () => '<div class="wide"><table>\n';
  md.renderer.rules.table_close = () => '</table></div>\n';
  const link =
    md.renderer.rules.link_open ?? ((tokens, i, options, env, self) => self.renderToken(tokens, i, options));
  md.renderer.rules.link_open = (tokens, i, options, env, self) => {
    tokens[i].attrSet('href', target(tokens[i].attrGet('href')));
    return link(tokens, i, options, env, self);
  };
  return md;
}

// Comments, keys and commands stand out a little; that is enough to read by.
function coloured(text, language) {
  return text
    .split('\n')
    .map((line) => {
      const safe = escape(line);
      if (language === 'yaml')
        return safe.replace(/(^|\s)(#.*)$/, '$1<i>$2</i>').replace(/([\w-]+)(?=:(\s|$))/g, '<b>$1</b>');
      if (language === 'sh')
        return safe.replace(/^(\s*)(verge \w+)/, '$1<b>$2</b>').replace(/(#.*)$/, '<i>$1</i>');
      return safe;
    })
    .join('\n');
}

// Links of the repository, as the site has them.
function target(href) {
  if (/^[a-z]+:/.test(href) || href.startsWith('#')) return href;
  const [path, anchor] = href.split('#');
  const file = basename(path),
    tail = anchor ? `#${anchor}` : '';
  if (/verge\.h$/.test(path)) return `api.html${tail}`;
  if (path.endsWith('.md')) return `${file.replace(/\.md$/, '').toLowerCase()}.html${tail}`;
  if (/(^|\/)models\/?$/.test(path)) return 'models.html';
  return href.replace(/^(\.\.\/)?docs\//, '');
}

// ---- the pages ----

function reproduction() {
  const found = [
    'build/reproduce/report.html',
    'build/reproduction/report.html',
    'build/report.html',
    'report.html',
  ]
    .map((path) => join(root, path))
    .find(existsSync);
  const intro =
    '# Reproduction of the literature\n\nVerge is checked against five works on the integration of multibody systems: [Z] Zhang, Zhang, Zanoni and Masarati 2022; [N] Negrut, Jay and Khude 2009; [G] García de Jalón and Bayo, chapter 7; [D] Dopico, Lugrís, González and Cuadrado; [H] Holzinger, Arnold and Gerstmayr 2024. `verge reproduce` runs their experiments and writes a report: our figure or table, what was claimed, and a verdict computed from numbers.\n\n';
  // without a report of one's own: the summary that is kept with the sources
  if (!found) return intro + readFileSync(join(docs, 'reproduction.md'), 'utf8').replace(/^# .*\n+/, '');
  copyFileSync(found, join(out, 'report.html'));
  // its first sentence and its table of verdicts; the rest is a click away
  const text = readFileSync(found, 'utf8');
  const sentence = /<\/h1>\s*(<p>[\s\S]*?<\/p>)/.exec(text)?.[1] ?? '';
  const table = /<table>[\s\S]*?<\/table>/.exec(text)?.[0].replace(/href="#/g, 'href="report.html#') ?? '';
  return `${intro}**[Open the report](report.html)**\n\n${sentence}\n\n<div class="wide">${table.replace(/\n\s*\n/g, '\n')}</div>\n`;
}

const read = (name) => readFileSync(join(docs, name), 'utf8');
// A page of the root folder; its pictures are where those of docs/ are.
const top = (name) => readFileSync(join(root, name), 'utf8').replaceAll('](docs/img/', '](img/');
const PAGES = [
  ['guide', 'First model', () => read('guide.md')],
  ['install', 'Install', () => read('install.md')],
  ['dials', 'Choosing the dials', () => read('dials.md')],
  ['python', 'Python', () => read('python.md')],
  ['web', 'Browser', () => read('web.md')],
  ['fmi', 'FMI', () => read('fmi.md')],
  ['realtime', 'Real time', () => read('realtime.md')],
  ['control', 'Controllers', () => read('control.md')],
  ['models', 'Gallery', () => read('models.md')],
  ['format', 'Model format', () => read('format.md')],
  ['commands', 'Commands', () => read('commands.md')],
  ['results', 'Results', () => read('results.md')],
  ['trust', 'Trust', () => read('trust.md')],
  ['integrators', 'Integrators', () => read('integrators.md')],
  ['theory', 'Theory', () => read('theory.md')],
  ['api', 'C API', () => apiPage(root)],
  ['reproduction', 'Reproduction', reproduction],
  ['performance', 'Performance', () => read('performance.md')],
  ['architecture', 'Architecture', () => top('ARCHITECTURE.md')],
  ['contributing', 'Contributing', () => top('CONTRIBUTING.md')],
  ['changelog', 'Changes', () => top('CHANGELOG.md')],
];

// A link that opens a model in the page without a server (scripts/web), where that was made.
const playable = existsSync(join(out, 'play', 'index.html'))
  ? new Set(JSON.parse(readFileSync(join(out, 'play', 'models.json'), 'utf8')).models)
  : new Set();
const tryIt = (address) => `<a class="try" href="play/index.html#${address}">try it</a>`;

// The gallery has cards instead of a long list, each with its model file.
function gallery(text) {
  const [head, ...parts] = text.split(/^## /m);
  const cards = parts.map((part) => {
    const [title, ...rest] = part.split('\n'),
      body = rest.join('\n');
    const name = /!\[([^\]]+)\]/.exec(body)?.[1],
      [, file, words] = /`(models\/[^`]+)`\.[ ]*([^\n]*)/.exec(body) ?? [null, `models/${name}.yaml`, ''];
    const picture = existsSync(join(docs, 'img', `${name}.png`))
      ? `<img src="img/${name}.png" alt="${escape(title)}" loading="lazy" width="660" height="316">`
      : '<div class="none">no picture yet</div>';
    return `<article class="model" id="${name}">${picture}<h2>${escape(title)}</h2><p class="words" tabindex="0">${escape(words).replace(/`([^`]+)`/g, '<code>$1</code>')}</p><p><a href="${file}"><code>${file}</code></a>${playable.has(basename(file)) ? ` ${tryIt(`model=${basename(file)}&run`)}` : ''}</p></article>`;
  });
  return `${head}\n<div class="gallery">\n${cards.join('\n')}\n</div>\n`;
}

const mark =
  '<svg viewBox="0 0 32 32" aria-hidden="true"><circle cx="16" cy="16" r="9.2" fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray="3.1 2.68"/><path d="M16 5v22M16 9.5l5.4 3.2M16 22.5l-5.4-3.2" stroke="var(--accent)" stroke-width="2.4" stroke-linecap="round" fill="none"/></svg>';

function frame(name, title, body, headings) {
  const nav = PAGES.map(
    ([page, label]) => `<a href="${page}.html"${page === name ? ' aria-current="page"' : ''}>${label}</a>`,
  ).join('\n');
  const contents = headings.filter((h) => h.level === 2 || (h.level === 3 && headings.length < 60));
  const aside =
    contents.length > 2
      ? `<aside><p>On this page</p>${contents.map((h) => `<a class="level${h.level}" href="#${h.id}">${escape(h.text)}</a>`).join('\n')}</aside>`
      : '';
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${escape(title)} – Verge</title><link rel="icon" href="data:,"><link rel="stylesheet" href="assets/katex.min.css"><link rel="stylesheet" href="assets/site.css"></head>
<body><header><a class="brand" href="index.html">${mark}<span>verge</span></a>
<label class="search"><input id="search" type="search" placeholder="Search the documentation" aria-label="Search the documentation" autocomplete="off"></label><ol id="found" hidden></ol></header>
<div class="page ${name}"><nav aria-label="Pages">${nav}</nav><main>${body}</main>${aside}</div>
<script src="assets/search.js"></script><script src="assets/site.js"></script></body></html>
`;
}

function landing() {
  const cards = [
    ['guide', 'First model in five minutes', 'Write a model, run it, see it move.'],
    ['dials', 'Choosing the dials', 'Coordinates, constraints, integrator: what fits what.'],
    ['models', 'Gallery', 'Every model that comes with Verge, with its picture.'],
    ['theory', 'Theory', 'The equations, numbered as the code cites them.'],
    ['format', 'Model format', 'Everything a model file can say.'],
    ['commands', 'Commands', 'The program, command by command.'],
    ['api', 'C API', 'Read a model, step it, read channels.'],
    ['reproduction', 'Reproduction', 'What of the literature holds, by numbers.'],
  ];
  return `<div class="hero"><h1>Verge</h1><p>A multibody dynamics engine: rigid bodies, joints, forces and beams, in the plane and in space. Write a model in a text file, choose coordinates, constraints and integrator independently of each other, and see it move.</p>
<p><a class="button" href="guide.html">First model in five minutes</a>${playable.size ? ' <a class="button" href="play/index.html#model=radial-engine.yaml&run">Try it here</a>' : ''}</p></div>
<p><img class="shot" src="img/viewer.jpg" alt="The page of a run: a radial engine and its curves" width="1180" height="680"></p>
<div class="cards">${cards.map(([page, title, words]) => `<a href="${page}.html"><b>${title}</b><span>${words}</span></a>`).join('')}</div>`;
}

// ---- all of it ----

// all is made anew but the page without a server, which scripts/web makes
for (const name of existsSync(out) ? readdirSync(out) : [])
  if (name !== 'play') rmSync(join(out, name), { recursive: true, force: true });
mkdirSync(join(out, 'assets', 'fonts'), { recursive: true });
const katexFolder = join(root, 'viewer', 'node_modules', 'katex', 'dist');
for (const font of readdirSync(join(katexFolder, 'fonts')).filter((f) => f.endsWith('.woff2')))
  copyFileSync(join(katexFolder, 'fonts', font), join(out, 'assets', 'fonts', font));
copyFileSync(join(katexFolder, 'katex.min.css'), join(out, 'assets', 'katex.min.css'));
copyFileSync(
  join(root, 'viewer', 'node_modules', 'katex', 'LICENSE'),
  join(out, 'assets', 'katex-LICENSE.txt'),
);
for (const file of ['site.css', 'site.js']) copyFileSync(join(docs, file), join(out, 'assets', file));
cpSync(join(docs, 'img'), join(out, 'img'), { recursive: true });
cpSync(join(root, 'models'), join(out, 'models'), { recursive: true });

const made = PAGES.map(([name, label, make]) => {
  const headings = [],
    text = name === 'models' ? gallery(make()) : make();
  let body = renderer(name, headings).render(text);
  if (name === 'reproduction') {
    // verdicts in colour
    const kinds = { holds: 'holds', 'holds partly': 'partly', 'does not hold': 'not' };
    body = body.replace(
      /<td>(holds|holds partly|does not hold)<\/td>/g,
      (all, words) => `<td class="${kinds[words]}">${words}</td>`,
    );
  }
  return {
    name,
    title: headings[0]?.text ?? label,
    body,
    headings:
      name === 'models'
        ? [...body.matchAll(/<article class="model" id="([^"]+)">.*?<h2>(.*?)<\/h2>/gs)].map(([, id, t]) => ({
            id,
            level: 2,
            text: t,
          }))
        : headings,
  };
});
// What the search looks through: each heading with the words under it, once each.
function words(html) {
  const text = html
    .replace(/<annotation[\s\S]*?<\/annotation>|<span class="katex-html"[\s\S]*?<\/math>/g, ' ')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&\w+;/g, ' ')
    .toLowerCase();
  return [...new Set(text.match(/[\p{L}\p{N}_-]{3,}/gu) ?? [])].join(' ');
}
const index = made.flatMap(({ name, title, body, headings }) =>
  headings.map((h, i) => {
    const from = body.indexOf(`id="${h.id}"`),
      next = headings[i + 1],
      to = next ? body.indexOf(`id="${next.id}"`) : body.length;
    return [h.text, `${name}.html#${h.id}`, title, words(body.slice(from, to).replace(/^[^>]*>/, ''))];
  }),
);
writeFileSync(join(out, 'assets', 'search.js'), `const INDEX = ${JSON.stringify(index)};\n`);
for (const { name, title, body, headings } of made)
  writeFileSync(join(out, `${name}.html`), frame(name, title, body, headings));
writeFileSync(join(out, 'index.html'), frame('index', 'Documentation', landing(), []));

// ---- nothing may lead nowhere ----

for (const { name, body } of made) {
  for (const [, href] of body.matchAll(/(?:href|src)="([^"]+)"/g)) {
    if (/^(https?:|data:|mailto:)/.test(href)) continue;
    const [file, anchor] = href.split('#'),
      page = file ? join(out, decodeURIComponent(file)) : join(out, `${name}.html`);
    if (!existsSync(page)) broken.push(`${name}: leads to ${href}, which is not there`);
    else if (
      anchor &&
      page.endsWith('.html') &&
      !file.startsWith('play/') &&
      !readFileSync(page, 'utf8').includes(`id="${anchor}"`)
    )
      broken.push(`${name}: no part ${href}`);
  }
}
for (const line of broken) console.error(line);
console.log(`${join(out, 'index.html')} (${made.length + 1} pages)`);
process.exit(broken.length ? 1 : 0);
