/* verge doc: reference pages as Markdown, made from the tables that the program itself works by. One row per
 * page. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "cli/cli.h"
#include "integrator/integrator.h"
#include "base/text.h"
#include "model/model.h"
#include "verge/version.h"

typedef struct page {
    const char *name, *doc;
    void (*write)(vgText *);
} page;

/* A cell of a table: a bar would end it. */
static void cell(vgText *out, const char *text)
{
    vg_text_add(out, "| ");
    for (const char *c = text ? text : ""; *c; c++) vg_text_add(out, *c == '|' ? "\\|" : "%c", *c);
    vg_text_add(out, " ");
}

static void write_format(vgText *out)
{
    char *text = vg_model_format_doc();
    if (text)
        vg_text_put(out, text, strlen(text));
    else
        out->failed = 1;
    free(text);
}

/* ---- commands ---- */

static void write_option(vgText *out, const vgOption *o)
{
    char name[96];
    int n = snprintf(name, sizeof name, "`--%s%s%s`", o->name, o->value ? " " : "", o->value ? o->value : "");
    if (o->letter && n > 0) snprintf(name + n, sizeof name - (size_t)n, ", `-%c`", o->letter);
    cell(out, name);
    cell(out, o->doc);
    vg_text_add(out, "|\n");
}

static void write_commands(vgText *out)
{
    vg_text_add(out, "# Commands\n\nResults and answers go to stdout, everything else to stderr. Exit codes: "
                     "0 done, 1 the computation failed (what was computed is kept), 2 the input is wrong "
                     "(nothing was written). `verge COMMAND --help` says the same as this page.\n");
    for (int i = 0; vg_commands[i]; i++) {
        const vgCommand *c = vg_commands[i];
        vg_text_add(out, "\n## verge %s\n\n%s\n\n    verge %s %s\n", c->name, c->doc, c->name, c->usage);
        if (c->more) vg_text_add(out, "\n%s", c->more);
        if (c->options && c->options->name) vg_text_add(out, "\n| option | meaning |\n|---|---|\n");
        for (const vgOption *o = c->options; o && o->name; o++) write_option(out, o);
        vg_text_add(out, "\n```sh\n%s```\n", c->example);
    }
}

/* ---- integrators ---- */

static void write_settings(vgText *out, const vgParamSpec *p, int n)
{
    vg_text_add(out, "| ");
    for (int i = 0; i < n; i++)
        vg_text_add(out, "%s`%s` = %g (%g … %g): %s", i ? "<br>" : "", p[i].name, p[i].fallback, p[i].min,
                    p[i].max, p[i].doc);
    vg_text_add(out, " ");
}

static void write_integrator(vgText *out, const vgIntegratorRow *r)
{
    unsigned f = r->flags;
    int nother;
    const char *const *other = vg_integrator_others(r, &nother);
    vg_text_add(out, "| `%s`", r->name);
    for (int i = 0; i < nother; i++) vg_text_add(out, "%s%s", i ? ", " : "<br>also ", other[i]);
    vg_text_add(out, " ");
    cell(out, r->title);
    double rho[2];
    char range[40] = "";
    if (vg_integrator_rho(r, rho))
        snprintf(range, sizeof range, rho[0] < rho[1] ? "%.3g … %.3g" : "%.3g", rho[0], rho[1]);
    vg_text_add(out, "| %d | %d | %s | %s | %s | %s ", r->order, r->stages,
                f & VG_INT_IMPLICIT ? "implicit" : "explicit",
                f & VG_INT_LSTABLE   ? "L"
                : f & VG_INT_ASTABLE ? "A"
                                     : "",
                range,
                f & VG_INT_ADAPTIVE    ? "on"
                : f & VG_INT_ESTIMATE  ? "possible"
                : f & VG_INT_OWN_STEPS ? "within each step"
                                       : "none");
    write_settings(out, r->params, r->nparam);
    const char *words[8];
    int n = 0;
    for (const vgConstraintsRow *c = vg_constraints_list; c->name && n < 8; c++)
        if (r->constraints & c->flag) words[n++] = c->name;
    vg_text_add(out, "| ");
    for (int i = 0; i < n; i++) vg_text_add(out, "%s%s", i ? ", " : "", words[i]);
    vg_text_add(out, " ");
    cell(out, r->citation);
    vg_text_add(out, "|\n");
}

static void write_common(vgText *out)
{
    int n;
    const vgParamSpec *p = vg_integrator_common(&n);
    vg_text_add(
        out, "\n## Options of every method\n\n| option | default | range | meaning |\n|---|---|---|---|\n");
    for (int i = 0; i < n; i++) {
        vg_text_add(out, "| `%s` | %g | %g … %g ", p[i].name, p[i].fallback, p[i].min, p[i].max);
        cell(out, p[i].doc);
        vg_text_add(out, "|\n");
    }
}

/* Each family once, in the order of the list. */
static void write_integrators(vgText *out)
{
    vg_text_add(out, "# Integrators\n\nThe third dial, in a model `run: {integrator: {NAME: {key: value}}}`, "
                     "on the command line `--integrator NAME:key=value,…`. Stable: A or L. Error control: "
                     "possible (give `rtol` or `atol`), on by default, or none. Letter case and punctuation "
                     "in a name are free: `RK4`, `MSSTC(3)`.\n");
    for (const vgIntegratorRow *const *r = vg_integrators; *r; r++) {
        int seen = 0;
        for (const vgIntegratorRow *const *b = vg_integrators; b < r; b++)
            seen |= strcmp((*b)->family, (*r)->family) == 0;
        if (seen) continue;
        vg_text_add(
            out,
            "\n## Family: %s\n\n| name | method | order | stages | | stable | ρ∞ | error control | "
            "parameters | constraints | literature |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
            (*r)->family);
        for (const vgIntegratorRow *const *s = r; *s; s++)
            if (strcmp((*s)->family, (*r)->family) == 0) write_integrator(out, *s);
    }
    write_common(out);
}

/* ---- the manual page, in the macros of man(7) ---- */

/* Text of a manual page: a backslash, and a dot or quote that begins a line, would be read as a request. */
static void roff(vgText *out, const char *text)
{
    int begins = 1;
    for (const char *c = text ? text : ""; *c; c++) {
        if (begins && (*c == '.' || *c == '\'')) vg_text_add(out, "\\&");
        if (*c == '\\' || *c == '-')
            vg_text_add(out, *c == '-' ? "\\-" : "\\e");
        else
            vg_text_add(out, "%c", *c);
        begins = *c == '\n';
    }
}

static void roff_command(vgText *out, const vgCommand *c)
{
    vg_text_add(out, ".SS verge %s ", c->name);
    roff(out, c->usage);
    vg_text_add(out, "\n");
    roff(out, c->doc);
    vg_text_add(out, ".\n");
    if (c->more) {
        vg_text_add(out, ".PP\n");
        roff(out, c->more);
    }
    for (const vgOption *o = c->options; o && o->name; o++) {
        vg_text_add(out, ".TP\n\\fB\\-\\-%s\\fR ", o->name);
        roff(out, o->value);
        if (o->letter) vg_text_add(out, ", \\fB\\-%c\\fR", o->letter);
        vg_text_add(out, "\n");
        roff(out, o->doc);
        vg_text_add(out, "\n");
    }
    vg_text_add(out, ".PP\n.EX\n");
    roff(out, c->example);
    vg_text_add(out, ".EE\n");
}

static void write_man(vgText *out)
{
    vg_text_add(
        out,
        ".TH VERGE 1 \"\" \"verge %s\" \"User commands\"\n.SH NAME\nverge \\- multibody dynamics\n.SH "
        "SYNOPSIS\n\\fBverge\\fR COMMAND [words and options]\n.SH DESCRIPTION\nRuns rigid and flexible "
        "multibody systems through time, with a choice of coordinates, constraints and integrator. Results "
        "and answers go to stdout, everything else to stderr.\n.SH COMMANDS\n",
        vg_version());
    for (int i = 0; vg_commands[i]; i++) roff_command(out, vg_commands[i]);
    vg_text_add(out, ".SH EXIT STATUS\n0 done, 1 the computation failed (what was computed is kept), 2 the "
                     "input is wrong (nothing was written).\n");
}

static const page pages[] = {
    {"format", "the model format", write_format},
    {"commands", "commands and their options", write_commands},
    {"integrators", "integrators and their parameters", write_integrators},
    {"man", "the manual page verge(1), for man(7)", write_man},
};
enum { NPAGE = sizeof pages / sizeof pages[0] };

static int doc(const vgArgs *args)
{
    const char *wanted = vg_cli_word(args, 0), *names[NPAGE];
    for (int i = 0; i < NPAGE; i++) {
        names[i] = pages[i].name;
        if (!wanted) printf("%-12s %s\n", pages[i].name, pages[i].doc);
        if (!wanted || strcmp(wanted, names[i]) != 0) continue;
        vgText out = {0};
        pages[i].write(&out);
        int ok = vg_text_ok(&out);
        if (ok) vg_cli_print(&out);
        vg_text_free(&out);
        return ok ? VG_EXIT_OK : VG_EXIT_FAILED;
    }
    if (!wanted) return VG_EXIT_OK;
    const char *near = vg_name_closest(wanted, names, NPAGE);
    if (near) return vg_cli_wrong("doc: unknown page '%s'; did you mean '%s'?", wanted, near);
    return vg_cli_wrong("doc: unknown page '%s'; verge doc lists the pages", wanted);
}

const vgCommand vg_cmd_doc = {
    .name = "doc",
    .usage = "[format|commands|integrators|man]",
    .doc = "print a reference page as Markdown, or the manual page",
    .example = "  verge doc format >format.md\n",
    .min = 0,
    .max = 1,
    .run = doc,
};
