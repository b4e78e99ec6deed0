#include "cli/page/sheet.h"

#include <string.h>

#include "cli/cli.h"
#include "verge/version.h"

static const char style[] =
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem "
    "auto;padding:0 "
    "1rem}h1{margin:0}h2{margin-top:2rem}.of{opacity:.7;margin-top:0}table{border-collapse:collapse;display:"
    "block;overflow-x:auto}th,td{padding:.2rem .8rem;text-align:right;border-bottom:1px solid "
    "#8884}th:first-child,td:first-child{text-align:left}figure{margin:1rem "
    "0;background:#fff;border-radius:.4rem}svg{max-width:100%;height:auto}code,pre{font:14px/1.4 "
    "ui-monospace,monospace}pre{overflow-x:auto;padding:.6rem;border:1px solid #8884;border-radius:.4rem}";

void vg_sheet_text(vgText *page, const char *text)
{
    for (const char *p = text; *p; p++) {
        const char *out = *p == '&'   ? "&amp;"
                          : *p == '<' ? "&lt;"
                          : *p == '>' ? "&gt;"
                          : *p == '"' ? "&quot;"
                                      : NULL;
        if (out)
            vg_text_put(page, out, strlen(out));
        else
            vg_text_put(page, p, 1);
    }
}

static void element(vgText *page, const char *tag, const char *text)
{
    vg_text_add(page, "<%s>", tag);
    vg_sheet_text(page, text);
    vg_text_add(page, "</%s>\n", tag);
}

void vg_sheet_begin(vgText *page, const char *title, const char *subtitle)
{
    vg_text_add(page, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width\">\n");
    element(page, "title", title);
    vg_text_add(page, "<style>%s</style>\n</head>\n<body>\n", style);
    element(page, "h1", title);
    vg_text_add(page, "<p class=\"of\">");
    vg_sheet_text(page, subtitle);
    vg_text_add(page, "</p>\n");
}

void vg_sheet_heading(vgText *page, const char *text)
{
    element(page, "h2", text);
}

void vg_sheet_paragraph(vgText *page, const char *text)
{
    element(page, "p", text);
}

void vg_sheet_code(vgText *page, const char *text)
{
    element(page, "pre", text);
}

static void cells(vgText *page, const char *tag, const char *text)
{
    char cell[400];
    vg_text_add(page, "<tr>");
    for (const char *p = text;; p++) {
        size_t n = strcspn(p, "\t"), kept = n < sizeof cell - 1 ? n : sizeof cell - 1;
        memcpy(cell, p, kept);
        cell[kept] = 0;
        vg_text_add(page, "<%s>", tag);
        vg_sheet_text(page, cell);
        vg_text_add(page, "</%s>", tag);
        p += n;
        if (!*p) break;
    }
    vg_text_add(page, "</tr>\n");
}

void vg_sheet_table(vgText *page, const char *head)
{
    vg_text_add(page, "<table>\n");
    cells(page, "th", head);
}

void vg_sheet_row(vgText *page, const char *text)
{
    cells(page, "td", text);
}

void vg_sheet_table_end(vgText *page)
{
    vg_text_add(page, "</table>\n");
}

void vg_sheet_plot(vgText *page, const vgPlot *plot)
{
    vgText svg = {0};
    vg_plot_svg(plot, &svg);
    const char *from = strstr(vg_text_at(&svg), "<svg"); /* without the head of an XML file */
    vg_text_add(page, "<figure>");
    if (from) vg_text_put(page, from, strlen(from));
    vg_text_add(page, "</figure>\n");
    if (!vg_text_ok(&svg)) page->failed = 1;
    vg_text_free(&svg);
}

void vg_sheet_end(vgText *page)
{
    vg_text_add(page, "<p class=\"of\">verge %s</p>\n</body>\n</html>\n", vg_version());
}

int vg_sheet_check(const char *path)
{
    size_t n = path ? strlen(path) : 0;
    if (!path || (n > 5 && strcmp(path + n - 5, ".html") == 0)) return VG_EXIT_OK;
    return vg_cli_wrong("'%s': a report is a page, its name ends in .html", path);
}
