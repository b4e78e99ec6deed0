/* The page of a study: scatter of every parameter and quantity with the response curves, tornado, Sobol's indices; a click on
 * a point shows its values and the command that runs it. */
#ifndef VG_CLI_STUDY_PAGE_H
#define VG_CLI_STUDY_PAGE_H

#include "cli/sweep_files.h"

/* command: the words that run the model, before the values of the parameters. 0: out of memory. */
int vg_study_page(const vgStudyFiles *study, const char *command, vgText *page);

#endif
