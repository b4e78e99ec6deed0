/* Progress of a run: a bar with the time left on a terminal, an occasional line elsewhere. */
#ifndef VG_CLI_PROGRESS_H
#define VG_CLI_PROGRESS_H

typedef struct vgProgress {
    int quiet, terminal, drawn;
    double started, shown; /* seconds of the clock */
} vgProgress;

double vg_cli_clock(void); /* seconds, only forward */
void vg_progress_start(vgProgress *progress, int quiet);
void vg_progress_show(vgProgress *progress, double t, double t0, double t_end, long steps);
void vg_progress_count(vgProgress *progress, long done, long all,
                       const char *of);     /* 3 of 10 runs; all 0: not known */
void vg_progress_end(vgProgress *progress); /* wipes the bar */

/* Ctrl-C and a polite kill from here on only ask to stop; a second one ends the program at once. */
void vg_cli_catch_signals(void);
int vg_cli_stop_asked(void);

#endif
