// The public headers as one Markdown page. Declarations stay code. The comment of a function has a fixed form
// (text, Parameters, Returns, Example), which becomes text, a table, a line and a block of code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const HEADERS = ['verge.h', 'source.h', 'state.h', 'run.h', 'callback.h', 'status.h', 'version.h'];

// Include guards and the brackets for C++ say nothing to a reader.
function bare(text) {
  return text
    .replace(/^#ifdef __cplusplus\n[\s\S]*?^#endif\n/gm, '')
    .replace(/^#ifndef VERGE_\w+\n#define VERGE_\w+\n/m, '')
    .replace(/\n#endif\s*$/, '\n')
    .replace(/^#include .*\n/gm, '');
}

function words(comment) {
  const inside = comment.replace(/^\/\*|\*\/$/g, '').split('\n');
  return inside
    .map((line) => line.replace(/^ ?\*( |$)/, ''))
    .join('\n')
    .trim();
}

const named = (text) => text.replace(/`?\b(vg[A-Z]\w*|vg_\w+|VG_\w+)\b`?/g, '`$1`');

// Paragraphs; what is indented by four is code by itself.
function prose(text) {
  const parts = text.split('\n\n');
  return parts.map((part) => (/^ {4}/m.test(part) ? part : named(part))).join('\n\n');
}

function table(text) {
  const rows = [];
  for (const line of text.split('\n')) {
    const row = /^ {2}(\w+) {2,}(.*)$/.exec(line);
    if (row) rows.push([row[1], row[2]]);
    else if (line.trim() && rows.length) rows[rows.length - 1][1] += ` ${line.trim()}`;
  }
  const cells = rows.map(([name, what]) => `| \`${name}\` | ${named(what).replace(/\|/g, '\\|')} |`);
  return ['| parameter | meaning |', '|---|---|', ...cells].join('\n');
}

// The form of a function's comment; null for other comments.
function described(text) {
  const form = /^([\s\S]*?)(?:\nParameters:\n([\s\S]*?))?\nReturns: ([\s\S]*?)\nExample:\n([\s\S]*)$/.exec(
    `${text}`,
  );
  if (!form) return null;
  const [, what, parameters, returns, example] = form;
  return {
    what: prose(what.trim()),
    rest: [
      ...(parameters ? [table(parameters), ''] : []),
      `Returns: ${named(returns.replace(/\s+/g, ' '))}`,
      '',
      '```c',
      example.replace(/^ {4}/gm, '').trimEnd(),
      '```',
      '',
    ],
  };
}

function headerPage(text) {
  const page = [];
  let code = [];
  let after = [];
  const flush = () => {
    const body = code.join('\n').replace(/^\n+|\n+$/g, '');
    if (body) page.push('```c', body, '```', '');
    page.push(...after);
    code = [];
    after = [];
  };
  for (const block of text.split(/^(\/\*[\s\S]*?\*\/)[ \t]*\n/m)) {
    if (!block.startsWith('/*')) {
      code.push(block);
      continue;
    }
    flush();
    const section = /^\/\* ---- (.*) ---- \*\/$/.exec(block);
    const form = section ? null : described(words(block));
    if (section) page.push(`### ${section[1][0].toUpperCase()}${section[1].slice(1)}`, '');
    else if (form) {
      page.push(form.what, '');
      after = form.rest;
    } else page.push(prose(words(block)), '');
  }
  flush();
  return page;
}

export function apiPage(root) {
  const page = [
    '# C API',
    '',
    'Made from the public headers. Compile with `pkg-config --cflags --libs verge`, or in CMake',
    '`find_package(Verge)` and the target `Verge::verge`.',
    '',
  ];
  for (const header of HEADERS) {
    const text = bare(readFileSync(join(root, 'include', 'verge', header), 'utf8'));
    page.push(`## verge/${header}`, '', ...headerPage(text));
  }
  const example = readFileSync(join(root, 'examples', 'pendulum.c'), 'utf8');
  page.push('## Example', '', '```c', example.trim(), '```', '');
  return page.join('\n');
}
