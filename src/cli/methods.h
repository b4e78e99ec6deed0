/* Lists of integrators as the commands that compare them take them. */
#ifndef VG_CLI_METHODS_H
#define VG_CLI_METHODS_H

#include "cli/cli.h"
#include "io/plot/plot.h"

/* "a,b:rho=0.5,newton=full,c" → its integrators: a part key=value belongs to the one before it. "all": every
 * method there is. One block to free(); NULL: out of memory. */
char **vg_cli_methods(const char *text, int *n);
/* Is there a method, and "all" alone? VG_EXIT_INPUT and a word on stderr where not. */
int vg_cli_methods_check(char *const *method, int n);
/* A plot as PREFIX-suffix.svg; 0 and a word on stderr when it cannot be written. */
int vg_cli_plot(const vgPlot *plot, const char *prefix, const char *suffix);
/* Numbers "a,b,c"; −1 and a word on stderr when one is not positive, else how many (at most max). */
int vg_cli_numbers(const char *option, const char *text, double *out, int max);

#endif
