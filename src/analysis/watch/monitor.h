/* What is watched over the accepted steps of a run, whatever is recorded: constraint violation, energy
 * balance, momentum where it is conserved, Newton's iteration.
 *
 * Every accepted step is passed to vg_monitors_step. It compares numbers that the step has anyway (its
 * number, the largest speed, failures so far) and returns in nearly all cases. A *look* evaluates all
 * monitors at a state: at the first and the last step, at steps whose distance grows to a stride at which all
 * looks together cost under 1 % of the steps (budget.h), and at once where an indicator stands out.
 *
 * A monitor is a row of vg_monitor_kinds: what is beyond doubt wrong ends the run by name (a status, words in
 * it->failure), what is doubtful becomes a sentence in vgWatch at the end. */
#ifndef VERGE_ANALYSIS_WATCH_MONITOR_H
#define VERGE_ANALYSIS_WATCH_MONITOR_H

#include <math.h>

#include "analysis/run/dense_output.h"
#include "analysis/state/probe.h"
#include "analysis/watch/brief.h"
#include "integrator/integrator.h"

/* A largest value, and when it was seen. */
typedef struct vgPeak {
    double value, t;
} vgPeak;

enum { VG_DOUBTS = 4, VG_DOUBT_SIZE = 480 };

/* What was seen. Values are those of the steps looked at. */
typedef struct vgWatch {
    long looks;
    vgPeak position, velocity, acceleration; /* constraint violation, in the units of the equations */
    vgPeak velocity_part;  /* the velocity violation as a part of the speeds that its equation sees */
    int velocity_row;      /* the system's row of that */
    vgPeak energy_change;  /* |E − E(0)|, J */
    vgPeak energy_balance; /* |E − E(0) − work of drives, forces and inputs + dissipated|, J */
    double energy_flow;    /* kinetic and potential energy exchanged and work done, J */
    int energy_taken;      /* 1: damped beams take energy between the looks, which is part of the balance */
    double energy_unsure;  /* uncertainty of the balance, since work is integrated from samples, J */
    vgPeak momentum;       /* change of momenta that are conserved, as a part of their size */
    vgPeak
        defect; /* change of momenta that no force explains, as a part of the forces' impulse: exceeded in half of the steps */
    vgPeak
        error; /* of the motion, estimated: what the defects of the steps add up to, as a part of what momenta
                     range over. NaN: not known */
    vgPeak iterations; /* of Newton, most in a step */
    int ndoubt;
    char doubt[VG_DOUBTS][VG_DOUBT_SIZE]; /* reasons to doubt the result, each with a remedy */
} vgWatch;

/* A state that is looked at. */
typedef struct vgLook {
    vgIntegrator *it;
    const vgState *s;
    vgProbe *probe; /* at the state */
    double t0;      /* when the run began */
    int64_t taken;  /* steps since then */
    double weight;  /* of a state within a step in the integral over it: 0 at its beginning and its end, s */
    double step;    /* size of that step, s */
    int64_t stands; /* steps that it stands for, those since the last one that was looked at from within */
    const vgBriefSum *brief; /* what elements that act for moments have done up to here */
    vgWatch *out;
} vgLook;

/* How what is summed over time went on since the last sample. */
typedef enum vgCourse {
    VG_COURSE_NONE, /* there is nothing to be summed */
    VG_COURSE_SMOOTH,
    VG_COURSE_WELL,
    VG_COURSE_ROUGH
} vgCourse;

/* States of a step that is looked at from within (within.c): both ends, and the Gauss points between them. What jumps at an end is
 * not seen between them. */
enum { VG_WITHIN = 4 };
typedef enum vgPlace { VG_BEGINNING, VG_BETWEEN, VG_ENDING } vgPlace;

typedef struct vgMonitorKind {
    const char *name;
    /* *own NULL: there is nothing to watch in this system. look is at the first state. */
    vgStatus (*open)(const vgLook *look, void **own);
    /* VG_OK, or the motion is wrong beyond doubt: it->failure has the words */
    vgStatus (*look)(void *own, const vgLook *look);
    /* what is summed over time, more often than looks. NULL: nothing */
    vgCourse (*sample)(void *own, const vgLook *look);
    /* a step from within: at its beginning, at two Gauss points, and at its end, where all is known */
    void (*within)(void *own, const vgLook *look, vgPlace place);
    /* the motion jumped here from the state looked at last (a drive that strikes): what is kept is kept from
     * here on. NULL: nothing to do */
    void (*jump)(void *own, const vgLook *look);
    /* at the end of the run, failed or not: doubts */
    void (*end)(void *own, const vgLook *look);
    void (*close)(void *own);
} vgMonitorKind;

extern const vgMonitorKind *const vg_monitor_kinds[]; /* NULL-terminated */

typedef struct vgMonitors vgMonitors;
typedef struct vgResolution vgResolution;
typedef struct vgWithin vgWithin;

/* dense: of the run, NULL: one of their own. */
vgStatus vg_monitors_new(vgIntegrator *it, const vgState *first, vgDense *dense, vgWatch *out,
                         vgMonitors **m);
void vg_monitors_free(vgMonitors *m);
/* Looks at a state; last: whatever was planned. The work's motion may be another afterwards. */
vgStatus vg_monitors_look(vgMonitors *m, const vgState *s, double speed, int last);

/* How sharply the largest speed turns at its peaks: 2 s₁ − s₀ − s₂ of three steps in a row, (ω h)² of a motion of frequency
 * ω. What passes within a step or two (a link that is whipped over a stretched position) is seen by nothing else. Where another
 * velocity becomes the largest, or one changes its sign, the largest speed turns the other way. */
/* Steps that differ by less than this part of them are equal: they are, but for rounding of the time. */
#define VG_TURN_SAME 1e-6

typedef struct vgTurn {
    double t[2], speed, rise; /* ends of the last two steps; speed at the last one, and by what it rose */
    double fastest;
    long from; /* step from which on three in a row are of one motion */
    vgPeak sharpest;
} vgTurn;

static inline void vg_turn_step(vgTurn *x, long step, double t, double speed)
{
    const double rise = speed - x->speed, turn = x->rise - rise;
    if (turn > x->sharpest.value && step >= x->from) {
        const double h = t - x->t[0];
        if (fabs(h - (x->t[0] - x->t[1])) < VG_TURN_SAME * h) x->sharpest = (vgPeak){turn, x->t[0]};
    }
    if (speed > x->fastest) x->fastest = speed;
    x->t[1] = x->t[0], x->t[0] = t, x->speed = speed, x->rise = rise;
}

/* What says after a step whether there is anything to look at. */
typedef struct vgIndicators {
    const vgStats *stats;
    int64_t next;             /* step of the next look, or sample */
    long troubles;            /* failures, splits and events at the last look */
    double alarm;             /* a speed that is looked at at once */
    long newton;              /* iterations before this step */
    long most;                /* of them in a step */
    double when;              /* of that */
    vgResolution *resolution; /* NULL: of no use with this method */
    int64_t first, three;     /* step of the start; the first of the three that it looks at next */
    vgBrief *brief;           /* NULL: the model has no such elements */
    const vgIntegrator *it;
    vgTurn turn;
} vgIndicators;

static inline long vg_troubles(const vgStats *x)
{
    return x->newton_failures + x->substeps + x->events;
}

/* Three steps in a row are looked at, for the difference of two rises; their distance is a part of the steps taken, within
 * bounds: what a step does not resolve goes on, and all steps would be 3 % of those of one free body by RK4. The shortest
 * impacts that explicit methods are stable on take ten steps; at half of the largest distance that body exceeds 1 %. */
enum { VG_RESOLUTION_LEAST = 12, VG_RESOLUTION_PART = 32, VG_RESOLUTION_MOST = 192 };
static inline int64_t vg_resolution_apart(int64_t taken)
{
    const int64_t apart = taken / VG_RESOLUTION_PART;
    return apart < VG_RESOLUTION_LEAST  ? VG_RESOLUTION_LEAST
           : apart > VG_RESOLUTION_MOST ? VG_RESOLUTION_MOST
                                        : apart;
}
/* Whether steps resolve the motion (resolution.c); *out NULL: not asked of this method. */
vgStatus vg_resolution_new(const vgIntegrator *it, vgResolution **out);
void vg_resolution_step(vgResolution *x, const vgStats *stats, const vgState *s);
void vg_resolution_jumped(vgResolution *x);
void vg_resolution_end(const vgResolution *x, const vgLook *look);
void vg_turn_end(const vgTurn *x, const vgLook *look);

vgStatus vg_within_new(const vgIntegrator *it, const vgState *first, vgDense *dense, vgWithin **out);
void vg_within_free(vgWithin *x);
/* The step that begins at s is the one. */
void vg_within_keep(vgWithin *x, const vgIntegrator *it, const vgState *s);
/* It ended at s. Returns the number of steps that it stands for, those since the last one; 0: nothing is known of it. */
long vg_within_solve(vgWithin *x, const vgIntegrator *it, const vgState *s);
/* Its states in order of time, 0 … VG_WITHIN − 1, until the next call; NULL: the equations of motion are not solved there. */
const vgState *vg_within_at(vgWithin *x, const vgIntegrator *it, int i);

/* Elements that act for moments were looked at. */
void vg_monitors_brief(vgMonitors *m, const vgState *s, vgBriefSeen seen);
/* A piece of a step was accepted: a step, or a part of one that follows an impact and is not counted. */
static inline void vg_monitors_piece(vgMonitors *m, const vgState *s)
{
    vgIndicators *x = (vgIndicators *)m;
    const vgBriefSeen seen = x->brief ? vg_brief_step(x->brief, x->it, s) : VG_BRIEF_LEFT;
    if (seen != VG_BRIEF_LEFT) vg_monitors_brief(m, s, seen);
}

/* A step was accepted (s->step counts it), and its pieces; speed: its largest. last: the run ends here. */
static inline vgStatus vg_monitors_step(vgMonitors *m, const vgState *s, double speed, int last)
{
    vgIndicators *x = (vgIndicators *)m;
    const long newton = x->stats->newton_iterations, iterations = newton - x->newton;
    vg_turn_step(&x->turn, x->stats->steps, s->t, speed);
    x->newton = newton;
    if (iterations > x->most) x->most = iterations, x->when = s->t;
    if (s->step >= x->three) {
        vg_resolution_step(x->resolution, x->stats, s);
        if (s->step >= x->three + 2) x->three += vg_resolution_apart(s->step - x->first);
    }
    if (s->step < x->next && speed <= x->alarm && vg_troubles(x->stats) == x->troubles && !last) return VG_OK;
    return vg_monitors_look(m, s, speed, last);
}

/* The motion is about to jump at s, and has: work of an impulse is no error. */
vgStatus vg_monitors_before_jump(vgMonitors *m, const vgState *s);
void vg_monitors_jumped(vgMonitors *m, const vgState *s);
/* Forces jump at s (samples, events, corners of laws): speeds turn there without a fault. */
void vg_monitors_restarted(vgMonitors *m);
/* Somebody outside moved the state to s, or changed what acts on it: what happened since the last look is no error. */
void vg_monitors_push(vgMonitors *m, const vgState *s);
/* The run has ended at s: the doubts. */
void vg_monitors_end(vgMonitors *m, const vgState *s);

/* ---- for monitors ---- */

/* 1: value is the largest so far. A number that is not finite counts as largest. */
int vg_peak_raise(vgPeak *peak, double value, double t);
/* The sentence of a doubt; what finds no room is left out. */
void vg_watch_doubt(vgWatch *w, const char *format, ...) VG_PRINTF_LIKE(2, 3);
/* 1: all that moves is a body's momentum, and forces are smooth. */
int vg_watch_sees_all(const vgModel *m);
/* What to change where something is not kept, in words, by the traits of the method and the dials. */
typedef enum vgWatchWrong {
    VG_WATCH_GROWS,
    VG_WATCH_FALLS,
    VG_WATCH_MOMENTUM,
    VG_WATCH_VELOCITY,
    VG_WATCH_UNRESOLVED,
    VG_WATCH_SHARP,
    VG_WATCH_DEFECT,
    VG_WATCH_SUM
} vgWatchWrong;
const char *vg_watch_remedy(const vgIntegrator *it, vgWatchWrong what);

extern const vgMonitorKind vg_monitor_violation, vg_monitor_energy, vg_monitor_momentum, vg_monitor_defect;

#endif
