/* verge reproduce: the experiments of the five papers, run again. An experiment is one row in a paper's list
 * and one function that runs models, draws, and states findings: sentences with numbers that hold or do not.
 * The verdict follows from them. Experiments see nothing of each other, so they run side by side. */
#ifndef VG_REPRODUCE_REPRODUCE_H
#define VG_REPRODUCE_REPRODUCE_H

#include <math.h>

#include "analysis/study/compare.h"
#include "analysis/study/spectrum.h"
#include "io/plot/plot.h"

typedef enum vgVerdict {
    VG_DOES_NOT_HOLD,
    VG_HOLDS_PARTLY,
    VG_HOLDS,
    VG_UNDECIDED,
    VG_SAYS_NOTHING, /* a method that was run is not the paper's */
    VG_VERDICTS
} vgVerdict;

enum { VG_EXHIBIT_METHODS = 64, VG_METHOD_TEXT = 80 };

/* What an experiment writes into while it runs. */
typedef struct vgExhibit {
    const char *id;     /* of the experiment */
    const char *models; /* folder of the model files */
    int quick;          /* 1: fewer methods, shorter runs; the claims stay */
    vgText html;
    int held, failed, undecided; /* findings */
    int nfigure;
    vgText commands;       /* the list of what was run, as command lines */
    int ncommand;          /* lines in it */
    int group, said;       /* findings are about the commands from `group` on, until the next run after one */
    int about, about_last; /* the commands of the next finding; 0: those of the group */
    char beside[300];      /* the paper's number for the next finding; "": it prints none */
    char method[VG_EXHIBIT_METHODS]
               [VG_METHOD_TEXT];  /* the integrators that were run, with what their formulas depend on */
    int nmethod, wrong;           /* how many; those that are not the paper's */
    int (*cancelled)(void *user); /* may be NULL */
    void *user;
} vgExhibit;

typedef struct vgExperiment {
    const char *id;    /* "Z2-4": part of a file name */
    const char *what;  /* "figures 2–4" */
    const char *title; /* one line */
    const char *claim; /* what the paper says, in our words */
    const char *note;  /* misprints, what is different here; NULL: nothing */
    void (*run)(vgExhibit *);
    double cost; /* seconds it takes, roughly: the longest are begun first; 0: few */
} vgExperiment;

typedef struct vgPaper {
    const char *letter, *title;
    const vgExperiment *experiment; /* id == NULL ends */
} vgPaper;
extern const vgPaper vg_papers[]; /* letter == NULL ends */
/* Experiments that share runs: `id` is begun after `maker`, which makes them, where there is a choice. */
typedef struct vgShare {
    const char *id, *maker;
} vgShare;
extern const vgShare vg_shares[]; /* id == NULL ends */
extern const vgExperiment vg_reproduce_z_linear[], vg_reproduce_z_squeezer[], vg_reproduce_z_flexible[],
    vg_reproduce_z_iterations[], vg_reproduce_n[], vg_reproduce_g[], vg_reproduce_d[], vg_reproduce_h_top[],
    vg_reproduce_h_rotor[], vg_reproduce_h_rest[];

/* ---- what experiments write ---- */
void vg_html_escape(vgText *text, const char *words);
void vg_exhibit_say(vgExhibit *ex, const char *format, ...) VG_PRINTF_LIKE(2, 3); /* a paragraph */
/* A finding: something the claim says, with the numbers found and a link to the commands that made them. It does not hold
 * if a number in its words is not a number. Returns whether it holds. */
int vg_exhibit_find(vgExhibit *ex, int ok, const char *format, ...) VG_PRINTF_LIKE(3, 4);
/* A number for the words of a finding that may be missing without harm to it: "none" then. */
enum { VG_NUMBER = 40 };
const char *vg_number(char text[VG_NUMBER], const char *format, double x);
/* A comparison that the numbers do not decide: neither held nor failed. */
void vg_exhibit_undecided(vgExhibit *ex, const char *format, ...) VG_PRINTF_LIKE(2, 3);
/* Before a finding: what the paper prints, shown beside ours. */
void vg_exhibit_paper(vgExhibit *ex, const char *format, ...) VG_PRINTF_LIKE(2, 3);
/* Before a finding: the number of the command it is about (vgHistory.command), or the first and the last. */
void vg_exhibit_about(vgExhibit *ex, int command);
void vg_exhibit_about_range(vgExhibit *ex, int first, int last);
/* A command line for the list; returns its number. Runs and sweeps add theirs. */
int vg_exhibit_command(vgExhibit *ex, const char *format, ...) VG_PRINTF_LIKE(2, 3);
/* After a finding that did not hold: what we know of the reason. */
void vg_exhibit_why(vgExhibit *ex, int ok, const char *format, ...) VG_PRINTF_LIKE(3, 4);
void vg_exhibit_plot(vgExhibit *ex, const vgPlot *plot);
void vg_exhibit_figure(vgExhibit *ex, const vgFigure *figure);
/* Bars for categories: value[i * nseries + k] of category i, one bar a series; what is not finite has none. */
typedef struct vgBars {
    const char *title, *unit;
    int n, nseries;
    const char *const *category, *const *series;
    const double *value;
} vgBars;
void vg_exhibit_bars(vgExhibit *ex, const vgBars *bars);
/* A table: cells separated by '|'. */
void vg_exhibit_head(vgExhibit *ex, const char *cells);
void vg_exhibit_row(vgExhibit *ex, const char *format, ...) VG_PRINTF_LIKE(2, 3);
void vg_exhibit_foot(vgExhibit *ex);
vgVerdict vg_exhibit_verdict(const vgExhibit *ex);

/* a < b of numbers; what is not a number or infinite never passes. */
static inline int vg_less(double a, double b)
{
    return isfinite(a) && isfinite(b) && a < b;
}
/* x within [low, high]; not-a-number is not. */
static inline int vg_within(double x, double low, double high)
{
    return x >= low && x <= high;
}

/* The greater and the lesser of two; not-a-number if one of them is, so that a run that failed is not passed over. */
static inline double vg_upper(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}
static inline double vg_lower(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : fmin(a, b);
}

/* ---- the methods (formulas.c) ---- */
/* An integrator that the experiment runs; runs, sweeps and races note theirs. */
void vg_exhibit_method(vgExhibit *ex, const char *integrator);
/* At the end: each of them against the printed formula; those that are not it are counted in `wrong`. */
void vg_exhibit_check_methods(vgExhibit *ex);
/* Distance of the root of "name:rho=…" on ẍ = −ω²x from the one that the printed formula has; −1: there is no formula
 * here; NaN: the method has no root. */
double vg_formula_apart(const char *method);

/* ---- runs with their history ---- */
enum { VG_ASK_CHANNELS = 8, VG_ASK_SETS = 6 };
typedef struct vgAsk {
    const char *model;            /* without .yaml; or the text of a model, of several lines */
    const char *set[VG_ASK_SETS]; /* "name=value" */
    const char *coordinates;      /* NULL: the model's */
    const char *constraints;      /* never left to a default: the index is part of what a paper claims */
    const char *integrator;
    double step, end, interval; /* interval 0: every step */
    const char *channel[VG_ASK_CHANNELS];
    int shared; /* 1: another experiment makes the same run; whoever is first keeps it */
} vgAsk;

typedef struct vgHistory {
    vgStatus status;
    char why[400];
    int nchannel;
    long n;                                              /* rows */
    double *rows;                                        /* n × (1 + nchannel): time, channels */
    double last[VG_ASK_CHANNELS], most[VG_ASK_CHANNELS]; /* at the end; largest magnitude */
    vgTransientResult run;
    int command; /* its number in the list */
} vgHistory;

void vg_exhibit_run(vgExhibit *ex, const vgAsk *ask, vgHistory *out);
/* It ended, no step was split, and no stage failed and was solved in another way. */
int vg_history_clean(const vgHistory *history);
/* Newton iterations of a step, or of a stage of a method of several; NaN where a step was split, since its
 * iterations belong to other steps. */
double vg_history_iterations(const vgHistory *history, int stages);
/* Largest distance of a channel of b from a's, row by row, over the largest value of a; NaN: one did not end. */
double vg_history_apart(const vgHistory *a, const vgHistory *b, int channel, double from, double until);
/* Leaves the rows at whole multiples of `interval`. */
void vg_history_thin(vgHistory *history, double interval);
void vg_history_free(vgHistory *history);
/* Channel k of a history as a curve. */
vgSeries vg_history_series(const vgHistory *history, int k, const char *label);

/* ---- runs that are kept (kept.c) ---- */
/* What was kept under `key`, a copy to be freed; NULL: nothing. */
void *vg_kept(const char *key);
void vg_keep(const char *key, const void *bytes, size_t size);

/* ---- times ---- */
/* The same runs again and again in turn: a machine has fast and slow seconds, and runs beside each other have
 * the same. One is faster than another if it is in every round (8 rounds: by chance in one of 256). */
enum { VG_RACE_MOST = 8, VG_RACE_ROUNDS = 8 };
typedef struct vgRace {
    int n, rounds;
    double seconds[VG_RACE_MOST][VG_RACE_ROUNDS]; /* NaN: it did not get through */
    /* what a run did: the same in every round */
    long steps[VG_RACE_MOST], iterations[VG_RACE_MOST], matrices[VG_RACE_MOST];
} vgRace;
void vg_exhibit_race(vgExhibit *ex, const vgAsk *ask, int n, vgRace *race);
/* Median, least and greatest of a's time over b's, round by round. */
typedef struct vgRatio {
    double median, low, high;
} vgRatio;
vgRatio vg_race_ratio(const vgRace *race, int a, int b);
/* After a finding on the times of a and b that did not hold: what they did. */
void vg_exhibit_race_why(vgExhibit *ex, int ok, const vgRace *race, int a, int b);
/* A finding: a takes less time than `factor` times b's; undecided where some rounds say so and others do not. */
void vg_exhibit_faster(vgExhibit *ex, const vgRace *race, int a, int b, double factor, const char *words);

/* ---- one model at several steps with several methods ---- */
enum { VG_SWEEP_STEPS = 16 };
typedef struct vgSweep {
    const char *model, *set[VG_ASK_SETS];
    double end, step[VG_SWEEP_STEPS];
    int nstep;
    int per_stage; /* 1: a method of n implicit stages takes steps of n·h */
    const char *channel[VG_ASK_CHANNELS];
    /* the reference: coordinates, constraints, method, step; method NULL: an explicit one at 1e-12, at index 1 */
    const char *ref_coordinates, *ref_constraints, *reference;
    double reference_step;
    double limit; /* seconds of processor time of one run, 0: any */
    int shared;   /* 1: another experiment makes runs of it, too; whoever is first keeps them */
} vgSweep;

typedef struct vgCurve {
    const char *label, *coordinates, *constraints, *integrator;
    /* results by step; NaN where the run failed */
    double step[VG_SWEEP_STEPS], error[VG_SWEEP_STEPS], seconds[VG_SWEEP_STEPS], iterations[VG_SWEEP_STEPS];
    double energy_mean[VG_SWEEP_STEPS], energy_end[VG_SWEEP_STEPS], drift[VG_SWEEP_STEPS]; /* drift: |Φ̇| */
    double second[VG_SWEEP_STEPS]; /* error of the second channel alone, NaN: there is none */
    double us[VG_SWEEP_STEPS];     /* microseconds of a step */
    int split[VG_SWEEP_STEPS];     /* steps that were split, or stages that failed; iterations are NaN then */
    int command[VG_SWEEP_STEPS];
    char why[420]; /* of the first failure */
    int failed;
} vgCurve;

/* 0: not even the reference could be made (said). */
int vg_exhibit_sweep(vgExhibit *ex, const vgSweep *sweep, vgCurve *curve, int n);
/* Log–log plot of y against x for all curves; both are members of vgCurve by offset. Iterations have a linear
 * axis. */
#define VG_CURVE(member) offsetof(vgCurve, member)
void vg_exhibit_curves(vgExhibit *ex, const char *title, const char *x_label, size_t x, const char *y_label,
                       size_t y, const vgCurve *curve, int n, int nstep);
/* Median of the slopes of log y over log step between neighbours with y between floor and ceiling: robust
 * against the ends, where round-off and the first step disturb. NaN: fewer than one. */
double vg_curve_slope(const vgCurve *curve, const double *y, int nstep, double floor, double ceiling);

/* n steps, each half of the one before. */
void vg_sweep_halve(vgSweep *sweep, double first, int n);
/* The step with which a curve reaches an error, between its points in log–log; NaN: it does not. */
double vg_curve_step_to(const vgCurve *curve, int nstep, double error);

/* Loads a shipped model; NULL and a finding that failed when it cannot be. */
vgModel *vg_exhibit_model(vgExhibit *ex, const char *name, const char *const *set, int nset);
/* stages of the method in "name:…" (at least 1) */
int vg_method_stages(const char *integrator);

/* ---- the report ---- */
typedef struct vgPart { /* an experiment's outcome, kept between calls */
    const vgPaper *paper;
    const vgExperiment *experiment;
    vgVerdict verdict;
    int held, failed, undecided, begun, done, reused;
    double seconds;
    char *html;
} vgPart;
void vg_reproduce_html(const vgPart *part, int n, int quick, double seconds, vgText *out);
/* The verdicts as one table, what does not hold and why; without times of experiments, so that two runs can be compared.
 * took: words on the whole run. */
void vg_reproduce_markdown(const vgPart *part, int n, int quick, const char *took, vgText *out);
const char *vg_verdict_word(vgVerdict verdict);

#endif
