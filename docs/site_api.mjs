// The public headers as one Markdown page: comments become text, declarations stay code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const HEADERS = ['verge.h', 'callback.h', 'status.h', 'version.h'];

// Include guards and the brackets for C++ say nothing to a reader.
function bare(text) {
  return text.replace(/^#ifdef __cplusplus\n[\s\S]*?^#endif\n/gm, '').replace(/^#ifndef VERGE_\w+\n#define VERGE_\w+\n/m, '').replace(/\n#endif\s*$/, '\n').replace(/^#include .*\n/gm, '');
}

const words = (comment) => comment.replace(/^\/\*|\*\/$/g, '').split('\n').map((line) => line.replace(/^ ?\*( |$)/, '')).join('\n').trim();

// Examples in comments are indented by four: they come out as code by themselves; names become code.
const prose = (text) => text.split(/\n(?=\s*\n|\s{4})/).join('\n').split('\n\n').map((part) => (/^ {4}/m.test(part) ? part : part.replace(/\b(vg[A-Z]\w*|vg_\w+|VG_\w+)\b/g, '`$1`'))).join('\n\n');

export function apiPage(root) {
  const page = ['# C API', '', 'Made from the public headers. Compile with `pkg-config --cflags --libs verge`, or in CMake `find_package(Verge)` and the target `Verge::verge`.', ''];
  for (const header of HEADERS) {
    const text = bare(readFileSync(join(root, 'include', 'verge', header), 'utf8'));
    page.push(`## verge/${header}`, '');
    let code = [];
    const flush = () => {
      const body = code.join('\n').replace(/^\n+|\n+$/g, '');
      if (body) page.push('```c', body, '```', '');
      code = [];
    };
    for (const block of text.split(/^(\/\*[\s\S]*?\*\/)[ \t]*\n/m)) {
      if (!block.startsWith('/*')) {
        code.push(block);
        continue;
      }
      flush();
      const section = /^\/\* ---- (.*) ---- \*\/$/.exec(block);
      page.push(...(section ? [`### ${section[1][0].toUpperCase()}${section[1].slice(1)}`, ''] : [prose(words(block)), '']));
    }
    flush();
  }
  const example = readFileSync(join(root, 'examples', 'pendulum.c'), 'utf8');
  page.push('## Example', '', '```c', example.trim(), '```', '');
  return page.join('\n');
}
