/* Figures into files: SVG always, PNG and PDF where the program was built with cairo. */
#ifndef VG_CLI_FIGURE_H
#define VG_CLI_FIGURE_H

#include "io/plot/plot.h"

/* What stands behind -o of the commands that draw. */
#define VG_FIGURE_FILE "FIG.svg|.png|.pdf"

/* Whether the name ends in a format that can be written; an exit code, said on stderr. NULL is good. */
int vg_cli_figure_check(const char *path);
/* Writes the figure; 0 and a word on stderr when it cannot. */
int vg_cli_figure(const vgFigure *figure, const char *path);

#endif
