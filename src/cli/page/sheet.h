/* Report pages: one HTML file without anything from outside, for a screen, light or dark, and for paper. */
#ifndef VG_CLI_SHEET_H
#define VG_CLI_SHEET_H

#include "base/text.h"
#include "io/plot/plot.h"

void vg_sheet_begin(vgText *page, const char *title, const char *subtitle);
void vg_sheet_heading(vgText *page, const char *text);
void vg_sheet_paragraph(vgText *page, const char *text);
void vg_sheet_code(vgText *page, const char *text);
/* Text with &, < and > written out. */
void vg_sheet_text(vgText *page, const char *text);
/* A table: head and rows are cells between tabs. */
void vg_sheet_table(vgText *page, const char *head);
void vg_sheet_row(vgText *page, const char *cells);
void vg_sheet_table_end(vgText *page);
void vg_sheet_plot(vgText *page, const vgPlot *plot);
void vg_sheet_end(vgText *page);
/* An exit code: whether the name ends in .html (NULL is good); an error has been said. */
int vg_sheet_check(const char *path);

#endif
