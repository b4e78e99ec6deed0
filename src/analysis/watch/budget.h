/* What a run may spend on looking at itself. Looks are paid in work of the run, counted as evaluations of the equations of motion
 * (vg_stats_work), never in time, so that a run looks at the same steps on every machine. A part of the work is earned by the steps;
 * the first looks are a loan that short runs do not pay back:
 *
 *     spent ≤ LOAN + PART work,
 *
 * so that the share of looks falls towards PART, whatever happens in the run. Where something happened a look may overdraw that once
 * more; it waits beyond it. */
#ifndef VERGE_ANALYSIS_WATCH_BUDGET_H
#define VERGE_ANALYSIS_WATCH_BUDGET_H

#include "integrator/integrator.h"

/* Part of the work. Comparisons of every step cost 0.1 to 0.6 % of the steps of single bodies (bench_watch): at twice of it these exceed
 * 1 %; at half, looks are 800 steps apart in long runs. */
#define VG_LOOKS_PART 0.0025
/* Work of a look (kinematics, constraint equations, energies), and of one step from within (four solutions of the equations of motion,
 * paths of the bodies); where there are no constraint equations an evaluation costs a third and less. At half of them small models
 * exceed 1 %; at twice, runs of some hundred steps are hardly looked at from within. */
#define VG_LOOK_WORK        2
#define VG_WITHIN_WORK      10
#define VG_WITHIN_FREE_WORK 30
/* The loan, in looks of each kind: as many as a run of some 2,000 steps wants. */
#define VG_LOAN_LOOKS  40
#define VG_LOAN_WITHIN 16

typedef struct vgBudget {
    const vgStats *stats;
    double begun, loan, spent; /* work of the run when it began; work */
    double within;             /* work of a look from within */
} vgBudget;

static inline vgBudget vg_budget(const vgIntegrator *it)
{
    const double within = it->sys->nl > 0 ? VG_WITHIN_WORK : VG_WITHIN_FREE_WORK;
    return (vgBudget){.stats = &it->stats,
                      .begun = vg_stats_work(&it->stats),
                      .loan = VG_LOAN_LOOKS * VG_LOOK_WORK + VG_LOAN_WITHIN * within,
                      .within = within};
}

/* 1: so much can be paid; urgent: something happened. */
static inline int vg_budget_allows(const vgBudget *b, double work, int urgent)
{
    const double whole = b->loan + VG_LOOKS_PART * (vg_stats_work(b->stats) - b->begun);
    return b->spent + work <= (urgent ? 2 : 1) * whole;
}

/* Steps, of those taken so far, until so much is earned. */
static inline double vg_budget_steps(const vgBudget *b, double work, double taken)
{
    const double done = vg_stats_work(b->stats) - b->begun;
    return done > 0 ? work * taken / (VG_LOOKS_PART * done) : 0;
}

#endif
