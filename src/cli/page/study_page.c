#include "cli/page/study_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/study/effects.h"
#include "cli/page/sheet.h"
#include "io/json.h"

enum { MOST_POINTS = 20000 };

/* Plain script of the browser; `study` is the data below. */
static const char script[] =
    "'use strict';\n"
    "const names = [...study.parameters, ...study.quantities], np = study.parameters.length;\n"
    "const short = (x) => (x === null ? '–' : Math.abs(x) >= 1e5 || (x && Math.abs(x) < 1e-3) ? "
    "x.toExponential(3) : String(+x.toPrecision(5)));\n"
    "const span = names.map((_, k) => {\n"
    "  let low = Infinity, high = -Infinity;\n"
    "  for (const r of study.runs) if (r[k + 1] !== null) { low = Math.min(low, r[k + 1]); high = "
    "Math.max(high, r[k + 1]); }\n"
    "  return high > low ? [low, high] : [low - 1, low + 1];\n"
    "});\n"
    "const make = (tag, parent, text) => { const e = document.createElement(tag); if (text !== undefined) "
    "e.textContent = text; parent.append(e); return e; };\n"
    "const W = 220, H = 160, M = 8;\n"
    "const at = (k, x, size) => M + ((x - span[k][0]) / (span[k][1] - span[k][0])) * (size - 2 * M);\n"
    "const cells = [];\n"
    "let chosen = null;\n"
    "function draw(c) {\n"
    "  const g = c.canvas.getContext('2d'), ink = getComputedStyle(document.body).color;\n"
    "  g.clearRect(0, 0, W, H);\n"
    "  g.fillStyle = '#3b7dd8';\n"
    "  g.globalAlpha = study.runs.length > 2000 ? 0.25 : 0.6;\n"
    "  for (const r of study.runs) {\n"
    "    if (r[c.x + 1] === null || r[c.y + 1] === null) continue;\n"
    "    g.fillRect(at(c.x, r[c.x + 1], W) - 1.5, H - at(c.y, r[c.y + 1], H) - 1.5, 3, 3);\n"
    "  }\n"
    "  g.globalAlpha = 1;\n"
    "  const effect = c.x < np && c.y >= np ? study.effects[c.y - np][c.x] : null;\n"
    "  if (effect) {\n"
    "    g.strokeStyle = '#d9480f'; g.lineWidth = 2; g.beginPath();\n"
    "    effect.at.forEach((x, i) => g.lineTo(at(c.x, x, W), H - at(c.y, effect.mean[i], H)));\n"
    "    g.stroke();\n"
    "  }\n"
    "  if (chosen && chosen[c.x + 1] !== null && chosen[c.y + 1] !== null) {\n"
    "    g.strokeStyle = ink; g.lineWidth = 2; g.beginPath();\n"
    "    g.arc(at(c.x, chosen[c.x + 1], W), H - at(c.y, chosen[c.y + 1], H), 6, 0, 7); g.stroke();\n"
    "  }\n"
    "}\n"
    "function choose(r) {\n"
    "  chosen = r;\n"
    "  cells.forEach(draw);\n"
    "  const box = document.getElementById('chosen');\n"
    "  box.textContent = '';\n"
    "  make('p', box, `Run ${r[0]}: ` + names.map((n, k) => `${n} = ${short(r[k + 1])}`).join(', '));\n"
    "  make('pre', box, study.command + study.parameters.map((n, k) => ` --set ${n}=${r[k + 1]}`).join('') + "
    "' --view');\n"
    "}\n"
    "const grid = document.getElementById('scatter');\n"
    "study.quantities.forEach((q, i) => {\n"
    "  names.forEach((n, k) => {\n"
    "    if (k === np + i) return;\n"
    "    const box = make('figure', grid), canvas = make('canvas', box);\n"
    "    canvas.width = W; canvas.height = H;\n"
    "    make('figcaption', box, `${q} over ${n}`).title = `${short(span[k][0])} … ${short(span[k][1])}; "
    "${short(span[np + i][0])} … ${short(span[np + i][1])}`;\n"
    "    const c = { canvas, x: k, y: np + i };\n"
    "    cells.push(c);\n"
    "    canvas.addEventListener('click', (e) => {\n"
    "      const b = canvas.getBoundingClientRect(), x = ((e.clientX - b.left) * W) / b.width, y = "
    "((e.clientY - b.top) * H) / b.height;\n"
    "      let best = null, least = Infinity;\n"
    "      for (const r of study.runs) {\n"
    "        if (r[c.x + 1] === null || r[c.y + 1] === null) continue;\n"
    "        const d = Math.hypot(at(c.x, r[c.x + 1], W) - x, H - at(c.y, r[c.y + 1], H) - y);\n"
    "        if (d < least) { least = d; best = r; }\n"
    "      }\n"
    "      if (best) choose(best);\n"
    "    });\n"
    "  });\n"
    "});\n"
    "cells.forEach(draw);\n"
    "const tornado = document.getElementById('tornado');\n"
    "study.quantities.forEach((q, i) => {\n"
    "  make('h3', tornado, q);\n"
    "  const table = make('table', tornado), head = make('tr', table);\n"
    "  ['parameter', 'from', 'to', 'means of the quantity', 'Sobol index', '±'].forEach((t) => make('th', "
    "head, t));\n"
    "  const rows = study.parameters.map((n, k) => [n, study.effects[i][k]]).filter((r) => r[1]);\n"
    "  rows.sort((a, b) => b[1].most - b[1].least - (a[1].most - a[1].least));\n"
    "  const low = Math.min(...rows.map((r) => r[1].least)), high = Math.max(...rows.map((r) => "
    "r[1].most));\n"
    "  for (const [n, e] of rows) {\n"
    "    const tr = make('tr', table);\n"
    "    make('td', tr, n); make('td', tr, short(e.least)); make('td', tr, short(e.most));\n"
    "    const bar = make('div', make('td', tr)); bar.className = 'bar';\n"
    "    bar.style.marginLeft = (300 * (e.least - low)) / (high - low || 1) + 'px';\n"
    "    bar.style.width = Math.max(1, (300 * (e.most - e.least)) / (high - low || 1)) + 'px';\n"
    "    make('td', tr, e.index.toFixed(3)); make('td', tr, e.noise.toFixed(3));\n"
    "  }\n"
    "});\n";

static const char style[] = "#scatter{display:flex;flex-wrap:wrap;gap:.6rem}#scatter "
                            "figure{margin:0;padding:.3rem;background:none;border:1px solid "
                            "#8884}canvas{cursor:crosshair}figcaption{font-size:12px;max-width:220px}.bar{"
                            "height:14px;background:#3b7dd8}#tornado "
                            "td:nth-child(4){min-width:300px}#chosen{position:sticky;bottom:0;background:"
                            "Canvas;border-top:1px solid #8884}";

static void put_runs(const vgStudyFiles *f, vgJson *j)
{
    const int np = f->plan->naxis, nq = vg_quantities_count(f->quantities);
    const long step = (f->plan->runs + MOST_POINTS - 1) / MOST_POINTS;
    double *row = malloc((size_t)(1 + np + nq) * sizeof *row);
    vg_json_open(j, "runs", '[');
    for (long i = 0; row && i < f->plan->runs; i += step) {
        if (f->run[i].state != VG_SWEEP_OK) continue;
        row[0] = (double)i;
        vg_plan_values(f->plan, i, row + 1);
        memcpy(row + 1 + np, f->run[i].quantity, (size_t)nq * sizeof *row);
        vg_json_numbers(j, NULL, 1 + np + nq, row);
    }
    vg_json_close(j);
    if (!row) j->text.failed = 1;
    free(row);
}

static int put_effects(const vgStudyFiles *f, vgJson *j)
{
    const int np = f->plan->naxis, nq = vg_quantities_count(f->quantities);
    const long n = f->plan->runs;
    double *x = malloc((size_t)n * (size_t)np * sizeof *x + 1),
           *y = malloc((size_t)n * (size_t)nq * sizeof *y + 1);
    int good = x && y;
    for (long i = 0; good && i < n; i++) {
        vg_plan_values(f->plan, i, x + i * np);
        for (int q = 0; q < nq; q++)
            y[i * nq + q] = f->run[i].state == VG_SWEEP_OK ? f->run[i].quantity[q] : NAN;
    }
    vg_json_open(j, "effects", '[');
    for (int q = 0; q < nq && good; q++) {
        vg_json_open(j, NULL, '[');
        for (int k = 0; k < np && good; k++) {
            vgEffect e;
            good = vg_effect(n, x + k, np, y + q, nq, &e);
            if (e.bins == 0) {
                vg_json_null(j, NULL);
                continue;
            }
            vg_json_open(j, NULL, '{');
            vg_json_numbers(j, "at", e.bins, e.at);
            vg_json_numbers(j, "mean", e.bins, e.mean);
            vg_json_number(j, "least", e.least);
            vg_json_number(j, "most", e.most);
            vg_json_number(j, "index", e.index);
            vg_json_number(j, "noise", e.noise);
            vg_json_close(j);
        }
        vg_json_close(j);
    }
    vg_json_close(j);
    free(x), free(y);
    return good;
}

int vg_study_page(const vgStudyFiles *f, const char *command, vgText *page)
{
    vgJson j = {0};
    vgText line = {0};
    long of[3] = {0, 0, 0};
    for (long i = 0; i < f->plan->runs; i++) of[f->run[i].state]++;
    vg_json_open(&j, NULL, '{');
    vg_json_open(&j, "parameters", '[');
    for (int i = 0; i < f->plan->naxis; i++) vg_json_text(&j, NULL, f->plan->axis[i].name);
    vg_json_close(&j);
    vg_json_open(&j, "quantities", '[');
    for (int i = 0; i < vg_quantities_count(f->quantities); i++)
        vg_json_text(&j, NULL, vg_quantities_text(f->quantities, i));
    vg_json_close(&j);
    vg_json_text(&j, "command", command);
    put_runs(f, &j);
    int good = put_effects(f, &j);
    vg_json_close(&j);
    vg_text_add(&line, "%s: %ld runs, %ld failed, %ld missing", f->title, f->plan->runs, of[VG_SWEEP_FAILED],
                of[VG_SWEEP_MISSING]);
    vg_sheet_begin(page, "Study", vg_text_at(&line));
    vg_text_add(page, "<style>%s</style>\n", style);
    vg_sheet_heading(page, "Quantities over parameters");
    vg_sheet_paragraph(page, "A point is a run; a click shows its values and the command that runs it. "
                             "Curves are means over bins of a sixteenth of the runs.");
    if (f->plan->runs > MOST_POINTS)
        vg_sheet_paragraph(page,
                           "Only some of the runs are drawn, evenly chosen; means and indices are of all.");
    vg_text_add(page, "<div id=\"scatter\"></div>\n<div id=\"chosen\"></div>\n");
    vg_sheet_heading(page, "What each parameter does");
    vg_sheet_paragraph(
        page, "Bars go from the least to the largest mean of the quantity along a parameter (tornado). "
              "Sobol's first-order index is the part of the variance that goes with the parameter alone, "
              "estimated from these runs; it has a meaning where the parameters were varied independently.");
    vg_text_add(page, "<div id=\"tornado\"></div>\n<script>const study = ");
    for (const char *p = vg_json_at(&j); *p; p++) { /* no end of the script within a name */
        if (*p == '<')
            vg_text_add(page, "\\u003c");
        else
            vg_text_put(page, p, 1);
    }
    vg_text_add(page, ";\n%s</script>\n", script);
    vg_sheet_end(page);
    good = good && vg_text_ok(page) && vg_text_ok(&line) && vg_text_ok(&j.text);
    vg_json_free(&j);
    vg_text_free(&line);
    return good;
}
