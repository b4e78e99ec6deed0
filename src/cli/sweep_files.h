/* The files of a study: parts, each with some of its runs, and the one with all of them.
 *
 * A study of n runs is cut into at most VG_SWEEP_PARTS parts of consecutive runs, whatever the number of workers. A part
 * is a file of OUTPUT.parts, written whole or not at all: a worker that is killed leaves the parts that it had finished.
 * The first line of a part has the key of its study, so that parts of another study are not taken. */
#ifndef VG_CLI_SWEEP_FILES_H
#define VG_CLI_SWEEP_FILES_H

#include "analysis/study/sweep.h"
#include "base/text.h"

enum { VG_SWEEP_PARTS = 256 };

typedef struct vgStudyFiles {
    const char *output; /* study.h5 or study.csv */
    const char *title;
    uint64_t key;
    const vgPlan *plan;
    const vgQuantities *quantities;
    vgSweepRun *run;            /* all runs of the plan */
    const char *const *history; /* channels whose histories are kept, and the times */
    int nhistory;
    const double *times;
    long ntimes;
} vgStudyFiles;

long vg_sweep_part_size(long runs);
/* 0 with words in why[VG_SWEEP_WHY]. */
int vg_sweep_make_folder(const vgStudyFiles *f, char *why);
int vg_sweep_write_part(const vgStudyFiles *f, long part, char *why);
/* Fills the runs of a part from its file. 1: done, 0: there is no such file, −1: it is not of this study (why). */
int vg_sweep_read_part(const vgStudyFiles *f, long part, char *why);
/* Removes the parts and their folder. */
void vg_sweep_remove_parts(const vgStudyFiles *f);
/* One file with all runs; 0 with words. */
int vg_sweep_write_all(const vgStudyFiles *f, char *why);

#endif
