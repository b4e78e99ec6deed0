/* The report: one page, verdicts first. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "reproduce/reproduce.h"
#include "verge/version.h"

static const char HEAD[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>Verge: five papers reproduced</title>\n<style>\n"
    ":root{color-scheme:light "
    "dark;--ink:#1b1f24;--soft:#5b6470;--paper:#fff;--line:#d7dce2;--yes:#1a7f37;--partly:#9a6700;--no:#"
    "cf222e}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e9ed;--soft:#9aa4b0;--paper:#14171b;--line:#333a43;--"
    "yes:#3fb950;--partly:#d29922;--no:#ff7b72}figure{background:#fff;border-radius:6px}}\n"
    "body{font:16px/1.5 "
    "system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:70rem;margin:0 "
    "auto;padding:1.5rem}\nh1{font-size:1.8rem}h2{margin-top:2.5rem;border-bottom:2px solid var(--line)}\n"
    "h3{margin:2rem 0 .3rem}a{color:inherit}\n"
    "table{border-collapse:collapse;font-size:.9rem}th,td{padding:.2rem .7rem;border-bottom:1px solid "
    "var(--line);text-align:left;vertical-align:top;font-variant-numeric:tabular-nums}\n"
    ".wide{overflow-x:auto}figure{margin:1rem 0;max-width:50rem}figure svg{max-width:100%;height:auto}\n"
    ".claim{border-left:4px solid var(--line);padding-left:.8rem;color:var(--soft)}\n"
    ".note{font-size:.9rem;color:var(--soft)}.finding{margin:.25rem 0}.why{margin:.1rem 0 .6rem "
    "1.6rem;font-size:.9rem;color:var(--soft)}\n"
    ".yes b,.v2{color:var(--yes)}.no b,.wrong b,.v0,.v4{color:var(--no)}.v1,.v3,.open "
    "b{color:var(--partly)}.verdict{font-weight:600}.paper{color:var(--soft);border:1px solid "
    "var(--line);border-radius:4px;padding:0 "
    ".3rem;font-size:.9em}.how{font-size:.8em;color:var(--soft);white-space:nowrap}\n"
    "details{font-size:.85rem;color:var(--soft)}details "
    "ol{padding-left:3rem}code{overflow-wrap:anywhere}li:target{background:var(--line)}\n"
    "</style></head><body>\n";

/* A link to a command opens the list it is in. */
static const char TAIL[] =
    "<script>function show(){const e=document.getElementById(location.hash.slice(1));const "
    "d=e&&e.closest('details');if(d){d.open=true;e.scrollIntoView()}}addEventListener('hashchange',show);"
    "show()</script>\n</body></html>\n";

static void findings(const vgPart *p, char *text, size_t size)
{
    snprintf(text, size, "%d of %d", p->held, p->held + p->failed);
    size_t used = strlen(text);
    if (p->undecided) snprintf(text + used, size - used, ", %d undecided", p->undecided);
}

static void summary(const vgPart *part, int n, vgText *t)
{
    vg_text_add(t, "<div "
                   "class=\"wide\"><table>\n<tr><th>paper</th><th>what</th><th>experiment</th><th>verdict</"
                   "th><th>findings</th><th>time</th></tr>\n");
    for (int i = 0; i < n; i++) {
        const vgPart *p = &part[i];
        if (!p->done) continue;
        vg_text_add(t, "<tr><td>[%s]</td><td>%s</td><td><a href=\"#%s\">", p->paper->letter,
                    p->experiment->what, p->experiment->id);
        vg_html_escape(t, p->experiment->title);
        char found[60];
        findings(p, found, sizeof found);
        vg_text_add(t, "</a></td><td class=\"verdict v%d\">%s</td><td>%s</td><td>%.1f s</td></tr>\n",
                    p->verdict, vg_verdict_word(p->verdict), found, p->seconds);
    }
    vg_text_add(t, "</table></div>\n");
}

static void section(const vgPart *p, vgText *t)
{
    const vgExperiment *e = p->experiment;
    vg_text_add(t, "<section id=\"%s\"><h3>[%s] %s: ", e->id, p->paper->letter, e->what);
    vg_html_escape(t, e->title);
    char found[60];
    findings(p, found, sizeof found);
    vg_text_add(t,
                "</h3>\n<p class=\"verdict v%d\">%s: %s findings, %.1f s</p>\n<p class=\"note\">Made by "
                "<code>verge reproduce %s</code></p>\n<p class=\"claim\">",
                p->verdict, vg_verdict_word(p->verdict), found, p->seconds, e->id);
    vg_html_escape(t, e->claim);
    vg_text_add(t, "</p>\n");
    if (e->note) {
        vg_text_add(t, "<p class=\"note\">");
        vg_html_escape(t, e->note);
        vg_text_add(t, "</p>\n");
    }
    if (p->html) vg_text_put(t, p->html, strlen(p->html));
    vg_text_add(t, "</section>\n");
}

void vg_reproduce_html(const vgPart *part, int n, int quick, double seconds, vgText *t)
{
    int count[VG_VERDICTS] = {0}, done = 0;
    double cpu = 0;
    for (int i = 0; i < n; i++) {
        if (!part[i].done) continue;
        count[part[i].verdict]++;
        cpu += part[i].seconds;
        done++;
    }
    vg_text_put(t, HEAD, sizeof HEAD - 1);
    char missing[20] = "";
    if (done < n) snprintf(missing, sizeof missing, " of %d", n);
    vg_text_add(t,
                "<h1>Five papers on time integration, run again</h1>\n<p>Verge %s%s. %d%s experiments: %d "
                "hold, %d hold partly, %d do not, %d undecided, %d say nothing. %.0f s of experiments, %.0f "
                "s by the clock. Every verdict is computed from the numbers shown: a tick or a cross stands "
                "for one comparison, a question mark for one that times do not decide. An experiment with a "
                "method whose root on ẍ = −ω²x is not that of the printed formula says nothing. A cross is a "
                "finding, and says what was found instead. What the paper prints stands beside it in a "
                "frame; the link leads to the commands that made the numbers.</p>\n",
                vg_version(), quick ? ", quick: fewer methods and shorter runs" : "", done, missing,
                count[VG_HOLDS], count[VG_HOLDS_PARTLY], count[VG_DOES_NOT_HOLD], count[VG_UNDECIDED],
                count[VG_SAYS_NOTHING], cpu, seconds);
    summary(part, n, t);
    const vgPaper *paper = NULL;
    for (int i = 0; i < n; i++) {
        if (!part[i].done) continue;
        if (part[i].paper != paper) {
            paper = part[i].paper;
            vg_text_add(t, "<h2>[%s] ", paper->letter);
            vg_html_escape(t, paper->title);
            vg_text_add(t, "</h2>\n");
        }
        section(&part[i], t);
    }
    vg_text_put(t, TAIL, sizeof TAIL - 1);
}

/* ---- the summary ---- */

/* Text between two places of a page, its entities read, for a cell or a line of Markdown. */
static void plain(vgText *t, const char *s, const char *end)
{
    static const struct {
        const char *name, *text;
    } entity[] = {{"&lt;", "\\<"}, {"&gt;", ">"}, {"&amp;", "&"}};
    while (s < end) {
        if (*s == '<') { /* a tag; the link to the commands and its words are left out */
            const char *over =
                strncmp(s, " <a", 3) == 0 || strncmp(s, "<a", 2) == 0 ? strstr(s, "</a>") : NULL;
            s = over ? over + 4 : strchr(s, '>') + 1;
            continue;
        }
        size_t used = 1;
        const char *as = *s == '|' ? "\\|" : *s == '*' ? "\\*" : *s == '_' ? "\\_" : *s == '[' ? "\\[" : NULL;
        for (int i = 0; i < 3; i++)
            if (strncmp(s, entity[i].name, strlen(entity[i].name)) == 0)
                as = entity[i].text, used = strlen(entity[i].name);
        if (as)
            vg_text_add(t, "%s", as);
        else
            vg_text_put(t, s, 1);
        s += used;
    }
}

/* Findings that did not hold or are undecided, and why. */
static void crosses(const vgPart *p, vgText *t)
{
    static const struct {
        const char *starts, *as;
    } kind[] = {{"<p class=\"finding no\"><b>✗</b> ", "- "},
                {"<p class=\"finding wrong\"><b>✗</b> ", "- "},
                {"<p class=\"finding open\"><b>?</b> ", "- undecided: "},
                {"<p class=\"why\">", "  "}};
    for (const char *s = p->html; s && *s;) {
        const char *at = NULL;
        int which = 0;
        for (int i = 0; i < 4; i++) {
            const char *found = strstr(s, kind[i].starts);
            if (found && (!at || found < at)) at = found, which = i;
        }
        if (!at) break;
        const char *from = at + strlen(kind[which].starts), *end = strstr(from, "</p>");
        if (!end) break;
        vg_text_add(t, "%s", kind[which].as);
        plain(t, from, end);
        vg_text_add(t, "\n");
        s = end;
    }
}

void vg_reproduce_markdown(const vgPart *part, int n, int quick, const char *took, vgText *t)
{
    int count[VG_VERDICTS] = {0}, done = 0, held = 0, all = 0, open = 0;
    for (int i = 0; i < n; i++) {
        if (!part[i].done) continue;
        count[part[i].verdict]++;
        held += part[i].held;
        all += part[i].held + part[i].failed;
        open += part[i].undecided;
        done++;
    }
    vg_text_add(t,
                "# Reproduction\n\n%d experiments%s: %d hold, %d hold partly, %d do not, %d undecided, %d "
                "say nothing; %d of %d findings hold, %d more are undecided. Written by `make "
                "reproduction`%s; the report has the figures, the tables and every finding.\n\n| paper | "
                "what | experiment | verdict | findings |\n|---|---|---|---|---|\n",
                done, quick ? " (quick)" : "", count[VG_HOLDS], count[VG_HOLDS_PARTLY],
                count[VG_DOES_NOT_HOLD], count[VG_UNDECIDED], count[VG_SAYS_NOTHING], held, all, open, took);
    for (int i = 0; i < n; i++) {
        const vgPart *p = &part[i];
        const char *title = p->experiment->title;
        if (!p->done) continue;
        vg_text_add(t, "| [%s] | %s | ", p->paper->letter, p->experiment->what);
        plain(t, title, title + strlen(title));
        char found[60];
        findings(p, found, sizeof found);
        vg_text_add(t, " | %s | %s |\n", vg_verdict_word(p->verdict), found);
    }
    if (held < all || open) vg_text_add(t, "\n## What does not hold or is undecided, and why\n");
    for (int i = 0; i < n; i++) {
        if (!part[i].done || (part[i].failed + part[i].undecided == 0 && part[i].verdict != VG_SAYS_NOTHING))
            continue;
        vg_text_add(t, "\n### [%s] %s\n\n", part[i].paper->letter, part[i].experiment->what);
        crosses(&part[i], t);
    }
}
