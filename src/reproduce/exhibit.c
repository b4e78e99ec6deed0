/* What experiments write: findings with the commands behind them, tables, figures. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce/reproduce.h"

/* ---- writing ---- */

void vg_html_escape(vgText *t, const char *s)
{
    for (; *s; s++) {
        if (*s == '<')
            vg_text_add(t, "&lt;");
        else if (*s == '>')
            vg_text_add(t, "&gt;");
        else if (*s == '&')
            vg_text_add(t, "&amp;");
        else
            vg_text_put(t, s, 1);
    }
}

void vg_exhibit_say(vgExhibit *ex, const char *format, ...)
{
    char line[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    vg_text_add(&ex->html, "<p>");
    vg_html_escape(&ex->html, line);
    vg_text_add(&ex->html, "</p>\n");
}

/* ---- findings and the commands behind them ---- */

int vg_exhibit_command(vgExhibit *ex, const char *format, ...)
{
    char line[1600];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (ex->said || ex->ncommand == 0) ex->group = ex->ncommand + 1, ex->said = 0;
    ex->ncommand++;
    vg_text_add(&ex->commands, "<li id=\"%s-r%d\"><code>", ex->id, ex->ncommand);
    vg_html_escape(&ex->commands, line);
    vg_text_add(&ex->commands, "</code></li>\n");
    return ex->ncommand;
}

void vg_exhibit_about(vgExhibit *ex, int command)
{
    vg_exhibit_about_range(ex, command, command);
}

void vg_exhibit_about_range(vgExhibit *ex, int first, int last)
{
    ex->about = first;
    ex->about_last = last;
}

void vg_exhibit_paper(vgExhibit *ex, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(ex->beside, sizeof ex->beside, format, args);
    va_end(args);
}

static void finding(vgExhibit *ex, const char *kind, const char *sign, const char *line)
{
    vg_text_add(&ex->html, "<p class=\"finding %s\"><b>%s</b> ", kind, sign);
    vg_html_escape(&ex->html, line);
    if (ex->beside[0]) {
        vg_text_add(&ex->html, " <span class=\"paper\">paper: ");
        vg_html_escape(&ex->html, ex->beside);
        vg_text_add(&ex->html, "</span>");
    }
    int first = ex->about ? ex->about : ex->group, last = ex->about ? ex->about_last : ex->ncommand;
    if (first > 0)
        vg_text_add(&ex->html, " <a class=\"how\" href=\"#%s-r%d\">%s %d", ex->id, first,
                    first < last ? "commands" : "command", first);
    if (first > 0 && first < last) vg_text_add(&ex->html, "–%d", last);
    if (first > 0) vg_text_add(&ex->html, "</a>");
    vg_text_add(&ex->html, "</p>\n");
    ex->beside[0] = 0;
    ex->about = 0;
    ex->said = 1;
}

const char *vg_number(char text[VG_NUMBER], const char *format, double x)
{
    if (isfinite(x))
        snprintf(text, VG_NUMBER, format, x);
    else
        snprintf(text, VG_NUMBER, "none");
    return text;
}

/* Where in a sentence a number is none; NULL: nowhere. */
static const char *none_in(const char *line)
{
    for (const char *at = strstr(line, "nan"); at; at = strstr(at + 3, "nan"))
        if ((at == line || !isalpha((unsigned char)at[-1])) && !isalpha((unsigned char)at[3])) return at;
    return NULL;
}

int vg_exhibit_find(vgExhibit *ex, int ok, const char *format, ...)
{
    char line[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    ok = ok && !none_in(line); /* whatever the comparison made of it */
    finding(ex, ok ? "yes" : "no", ok ? "✓" : "✗", line);
    if (ok)
        ex->held++;
    else
        ex->failed++;
    return ok;
}

void vg_exhibit_undecided(vgExhibit *ex, const char *format, ...)
{
    char line[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    finding(ex, "open", "?", line);
    ex->undecided++;
}

void vg_exhibit_why(vgExhibit *ex, int ok, const char *format, ...)
{
    char line[1200];
    va_list args;
    if (ok) return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    vg_text_add(&ex->html, "<p class=\"why\">Why: ");
    const char *rest = line;
    for (const char *at = none_in(rest); at; at = none_in(rest)) { /* a run that failed has no number */
        line[at - line] = 0;
        vg_html_escape(&ex->html, rest);
        vg_text_add(&ex->html, "none");
        rest = at + 3;
    }
    vg_html_escape(&ex->html, rest);
    vg_text_add(&ex->html, "</p>\n");
}

void vg_exhibit_figure(vgExhibit *ex, const vgFigure *figure)
{
    vgText svg = {0};
    vg_figure_svg(figure, &svg);
    vg_text_add(&ex->html, "<figure>");
    /* names inside a figure must not meet those of others on the page */
    ex->nfigure++;
    for (const char *s = vg_text_at(&svg); *s;) {
        const char *name = strstr(s, "area");
        size_t n = name ? (size_t)(name - s) : strlen(s);
        vg_text_put(&ex->html, s, n);
        s += n;
        if (!name) break;
        int named = n > 0 && (s[-1] == '"' || s[-1] == '#');
        if (named) vg_text_add(&ex->html, "%s-%d-", ex->id, ex->nfigure);
        vg_text_put(&ex->html, s, 4);
        s += 4;
    }
    vg_text_add(&ex->html, "</figure>\n");
    vg_text_free(&svg);
}

void vg_exhibit_plot(vgExhibit *ex, const vgPlot *plot)
{
    vg_exhibit_figure(ex,
                      &(vgFigure){.nplot = 1, .plot = plot, .width = plot->width, .height = plot->height});
}

static void cells(vgExhibit *ex, const char *tag, const char *line)
{
    vg_text_add(&ex->html, "<tr>");
    for (;;) {
        size_t n = strcspn(line, "|");
        char cell[300];
        snprintf(cell, sizeof cell, "%.*s", (int)n, line);
        if (strcmp(cell, "nan") == 0 || strcmp(cell, "-nan") == 0 || strcmp(cell, "inf") == 0)
            snprintf(cell, sizeof cell, "–"); /* not run, or it did not get through */
        vg_text_add(&ex->html, "<%s>", tag);
        vg_html_escape(&ex->html, cell);
        vg_text_add(&ex->html, "</%s>", tag);
        if (!line[n]) break;
        line += n + 1;
    }
    vg_text_add(&ex->html, "</tr>\n");
}

void vg_exhibit_head(vgExhibit *ex, const char *line)
{
    vg_text_add(&ex->html, "<div class=\"wide\"><table>\n");
    cells(ex, "th", line);
}

void vg_exhibit_row(vgExhibit *ex, const char *format, ...)
{
    char line[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    cells(ex, "td", line);
}

void vg_exhibit_foot(vgExhibit *ex)
{
    vg_text_add(&ex->html, "</table></div>\n");
}

vgVerdict vg_exhibit_verdict(const vgExhibit *ex)
{
    if (ex->wrong) return VG_SAYS_NOTHING;
    if (ex->held == 0 && ex->failed == 0) return ex->undecided ? VG_UNDECIDED : VG_DOES_NOT_HOLD;
    return ex->failed == 0 ? VG_HOLDS : ex->held > 0 ? VG_HOLDS_PARTLY : VG_DOES_NOT_HOLD;
}

const char *vg_verdict_word(vgVerdict verdict)
{
    static const char *const word[] = {"does not hold", "holds partly", "holds", "undecided", "says nothing"};
    return word[verdict];
}
