// Checks the sources of the pages without further packages: node viewer/lint.mjs [FILE …]
// Syntax and esbuild's warnings, names that are imported or declared at the top and never used, loose equality, var,
// debugger, tabs, blanks at the end of a line, lines over 120 characters. Formatting is prettier's:
// `npm run format` in viewer/ (settings in .prettierrc.json).
import { transformSync } from 'esbuild';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAX_LINE = 120;
const here = dirname(fileURLToPath(import.meta.url));
const problems = [];

// Comments and plain strings blanked, line by line as before; template strings stay, since they hold code.
const bare = (text) =>
  text.replace(/\/\*[\s\S]*?\*\/|(?<![:'"`\\])\/\/[^\n]*|'(?:\\.|[^'\\\n])*'/g, (part) =>
    part.replace(/[^\n]/g, ' '),
  );

const count = (text, name) =>
  text.split(new RegExp(`(?<![\\w$]|(?<!\\.\\.)\\.)${name.replace(/\$/g, '\\$')}(?![\\w$])`)).length - 1;

function declared(code) {
  const names = [];
  for (const [, list] of code.matchAll(/^import\s+(?:\w+\s*,\s*)?\{([^}]*)\}\s+from/gm))
    for (const item of list.split(','))
      names.push(
        item
          .split(/\sas\s/)
          .pop()
          .trim(),
      );
  for (const [, name] of code.matchAll(/^import\s+(?:\*\s+as\s+)?(\w+)\s+from/gm)) names.push(name);
  for (const [, name] of code.matchAll(/^(?:async\s+)?(?:function|class)\s+(\w+)/gm)) names.push(name);
  for (const [, name] of code.matchAll(/^(?:const|let)\s+(\w+)\s*=/gm)) names.push(name);
  return names.filter(Boolean);
}

const FORBIDDEN = [
  [/(?<![=!])==(?!=)/, 'use ==='],
  [/!=(?!=)/, 'use !=='],
  [/(?<![\w$.])var\s/, 'use const or let'],
  [/(?<![\w$.])debugger\b/, 'debugger is left'],
];

function lintLines(path, text, code) {
  const lines = text.split('\n'),
    bared = code.split('\n');
  lines.forEach((line, i) => {
    const where = `${path}:${i + 1}`;
    if ([...line].length > MAX_LINE)
      problems.push(`${where}: ${[...line].length} characters, more than ${MAX_LINE}`);
    if (/\s$/.test(line)) problems.push(`${where}: blanks at the end`);
    if (line.includes('\t')) problems.push(`${where}: a tab`);
    if (!/\.m?js$/.test(path) || path.endsWith('lint.mjs')) return;
    for (const [pattern, words] of FORBIDDEN) if (pattern.test(bared[i])) problems.push(`${where}: ${words}`);
  });
}

function lint(path) {
  const text = readFileSync(path, 'utf8');
  const code = bare(text);
  lintLines(path, text, code);
  if (!/\.m?js$/.test(path)) return;
  try {
    const made = transformSync(text, { loader: 'js', format: 'esm', logLevel: 'silent' });
    for (const warning of made.warnings) problems.push(`${path}:${warning.location?.line}: ${warning.text}`);
  } catch (error) {
    for (const e of error.errors ?? [error]) problems.push(`${path}:${e.location?.line}: ${e.text ?? e}`);
  }
  for (const name of declared(code))
    if (count(code, name) < 2 && !new RegExp(`export[^;]*\\b${name}\\b`).test(code))
      problems.push(`${path}: ${name} is never used`);
}

const own = ['src', '.'].flatMap((folder) =>
  readdirSync(join(here, folder))
    .filter((name) => /\.(js|mjs|css|html)$/.test(name))
    .map((name) => join(here, folder, name)),
);
const files = process.argv.length > 2 ? process.argv.slice(2) : own;
files.forEach(lint);
console.info(problems.join('\n') || `ok   ${files.length} files`);
process.exitCode = problems.length ? 1 : 0;
