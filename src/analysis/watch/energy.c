/* Energy balance: B = E − E(0) − W. W is the work of drives, forces and inputs, less what elements dissipate. The power is
 * sampled and integrated by parabolas; their curvature is the uncertainty of W, since the power between samples is unknown.
 * The work of contacts and stops is summed over every step (brief.h). Balances of single steps, integrated within the step,
 * are used where they have less uncertainty. Errors are judged against the energy that flows: the exchange of kinetic and
 * potential energy, and the work done in either direction. */
#include <math.h>
#include <stdlib.h>

#include "analysis/channels/energy.h"
#include "analysis/watch/monitor.h"
#include "integrator/stage/stage.h"

/* Unexplained energy as a part of the energy that flows. GREW: a gain that is warned of; FELL: a loss that is warned of (larger,
 * since methods with damping lose energy by design); WRONG: a gain that is impossible. */
static const double GREW = 0.01, FELL = 0.05, WRONG = 1;
/* Part of the largest kinetic energy that counts as flow in any case: a body that spins or flies freely exchanges none. */
static const double STEADY = 0.2;
/* Round-off of the potential energy, as a part of it. */
static const double ROUND_OFF = 1e-11;
/* A model that moves by less than this part of its length in a run stands still. */
static const double STILL = 1e-8;

/* The uncertainty of W is this many standard deviations of its sum. Samples are at irregular times, so that the errors of the
 * parts of W are independent. */
static const double SURE = 3;

/* UNSURE: target of the uncertainty of W, as a part of the energy that flows; it sets the density of samples. Their distance
 * is doubled where the uncertainty is below SMOOTH times the target (the error of a parabola grows with the cube of the
 * distance). At twice UNSURE the balance is half as certain; at half, the budget of samples is used up earlier. */
static const double UNSURE = 2e-3, SMOOTH = 0.1;

/* The first SETTLING steps from standstill are not judged: no energy has flowed, and a stiff spring may overshoot. Later a gain
 * is impossible only if it continues over STAYS looks. */
enum { SETTLING = 10, STAYS = 3 };

typedef enum Power {
    POWER_NONE,  /* conservative: all is in the potential and the kinetic energy */
    POWER_LOSS,  /* a potential, and a part that goes with the velocities */
    POWER_FORCE, /* the power of its forces is work from outside; no energy of its own counts */
    POWER_BRIEF, /* the same for moments that looks do not see (contacts, stops): summed over single steps */
    POWER_TAKES, /* takes energy out in a way that looks do not see (damped beams) */
    POWER_UNKNOWN, /* may do anything (the program's own forces) */
} Power;

typedef struct Own {
    Power *power;      /* per force */
    int driven;        /* 1: some joint is driven in time, or constraint equations do work otherwise */
    int takes;         /* 1: energy may go without being seen: only growth is judged */
    double E0, V0, T0; /* at the start */
    double E;          /* at the last look */
    double t, gap,
        P[2]; /* of the last sample, since the one before it (0: there is none); the last two powers */
    double brief,
        brief0; /* work of elements that act for moments: at the last look, and what of it does not count */
    double work, unsure, through; /* W; what it may be wrong by; ∫ |P| dt */
    double spread[2];             /* Σ of what each part of W may be wrong by, and of its square */
    double exchanged, fastest;    /* largest exchange; largest kinetic energy */
    double size;                  /* largest |V| */
    double gain, loss;            /* of B, beyond what is unsure */
    vgPeak at_gain, at_loss;
    int wrong;     /* looks in a row at which growth was beyond doubt, and went on */
    double B;      /* at the last look */
    int powered;   /* 1: there is power to be summed */
    double defect; /* of the step that is looked at from within: E(after) − E(before) − ∫ P dt */
    double old;    /* of the last one */
    double sum, sum_spread; /* B by the defects of such steps, and what it may be wrong by, squared */
    long defects;           /* how many of them */
    double still;           /* ½ m (STILL length)² */
} Own;

static Power power_of(const vgForce *f)
{
    const vgForceKind *k = f->kind;
    if (f->setup.foreign) return POWER_UNKNOWN;
    if (vg_brief_is(f)) return POWER_BRIEF;
    const int moves = k->kinetic && (f->setup.inertial || k->energy); /* else it is a damper */
    if (k->depth || k->brief || (moves && f->setup.velocity) || (k->energy && f->setup.nstate))
        return f->setup.nlaw ? POWER_UNKNOWN : POWER_TAKES;
    if (moves) return f->setup.nlaw ? POWER_UNKNOWN : POWER_NONE;
    if (k->energy && f->setup.nlaw == 0) return f->setup.velocity ? POWER_LOSS : POWER_NONE;
    return POWER_FORCE;
}

static double potential(const Own *x, vgProbe *p)
{
    const vgModel *m = vg_probe_system(p)->model;
    double sum = vg_energy_gravity(p);
    for (int i = 0; i < m->nforce; i++)
        if (x->power[i] != POWER_FORCE) sum += vg_energy_element(p, i);
    return sum;
}

/* brief: with elements that act for moments, which vgBrief sums over the run. */
static double power(const Own *x, vgProbe *p, int brief)
{
    const vgModel *m = vg_probe_system(p)->model;
    double sum = x->driven ? vg_energy_drive_power(p) : 0;
    for (int i = 0; i < m->nforce; i++) {
        if (x->power[i] == POWER_LOSS || (brief && x->power[i] == POWER_BRIEF))
            sum += vg_probe_loss_power(p, i);
        if (x->power[i] == POWER_FORCE) sum += vg_probe_force_power(p, i);
    }
    return sum;
}

static void shut(void *own)
{
    Own *x = own;
    free(x->power);
    free(x);
}

static vgStatus open_up(const vgLook *k, void **own)
{
    const vgSystem *sys = k->it->sys;
    const vgModel *m = sys->model;
    Own *x = calloc(1, sizeof *x);
    *own = NULL;
    if (x) x->power = calloc((size_t)m->nforce + 1, sizeof *x->power);
    if (!x || !x->power) {
        free(x);
        return VG_NO_MEMORY;
    }
    int unknown = 0;
    for (int i = 0; i < m->nforce; i++) {
        x->power[i] = power_of(&m->force[i]);
        x->takes |= x->power[i] == POWER_TAKES;
        unknown |= x->power[i] == POWER_UNKNOWN;
    }
    for (int i = 0; i < m->nprim; i++) x->driven |= m->prim[i].law != NULL;
    x->powered = x->driven;
    for (int i = 0; i < m->nforce; i++) x->powered |= x->power[i] == POWER_LOSS || x->power[i] == POWER_FORCE;
    if (unknown) {
        shut(x);
        return VG_OK;
    }
    x->T0 = vg_energy_kinetic(k->probe);
    x->V0 = potential(x, k->probe);
    x->E0 = x->T0 + x->V0;
    x->t = k->s->t;
    x->E = x->E0;
    x->P[0] = x->P[1] = power(x, k->probe, 0);
    x->fastest = x->T0;
    x->size = fabs(x->V0);
    x->still = 0.5 * vg_energy_com(k->probe, NULL, NULL, NULL) * STILL * sys->length * STILL * sys->length;
    *own = x;
    return VG_OK;
}

/* Σ |ΔT|, |ΔV| of the exchange and the work; energy from nowhere is no part of it. */
static double flow(const Own *x, const vgLook *k)
{
    /* an impact turns kinetic energy into potential energy between two looks */
    return fmax(x->exchanged, 2 * k->brief->most) + x->through + k->brief->through + STEADY * x->fastest;
}

/* Less than this is round-off, or belongs to a model that stands still all the time. */
static double unseen(const Own *x, double time)
{
    return fmax(ROUND_OFF * x->size, time > 0 ? x->still / (time * time) : 0);
}

/* Returns what it may be wrong by. */
static double add_work(Own *x, double t, double P)
{
    const double gap = t - x->t;
    double wrong;
    if (!(gap > 0)) return 0;
    x->work += vg_energy_area(gap, P, x->gap, x->P, &wrong);
    x->through += 0.5 * gap * (fabs(P) + fabs(x->P[0]));
    x->spread[0] += wrong;
    x->spread[1] += wrong * wrong;
    x->unsure = fmin(x->spread[0], SURE * sqrt(x->spread[1]));
    x->P[1] = x->P[0];
    x->P[0] = P;
    x->gap = gap;
    x->t = t;
    return wrong;
}

static vgCourse sample(void *own, const vgLook *k)
{
    Own *x = own;
    if (!x->powered) return VG_COURSE_NONE;
    const double gap = k->s->t - x->t, wrong = add_work(x, k->s->t, power(x, k->probe, 0));
    const double part = wrong / (UNSURE * flow(x, k) * gap / (k->s->t - k->t0));
    return part <= SMOOTH ? VG_COURSE_SMOOTH : part > 1 ? VG_COURSE_ROUGH : VG_COURSE_WELL;
}

static vgStatus look(void *own, const vgLook *k)
{
    Own *x = own;
    vgWatch *w = k->out;
    double t = k->s->t, T = vg_energy_kinetic(k->probe), V = potential(x, k->probe);
    if (x->powered) add_work(x, t, power(x, k->probe, 0));
    double E = T + V, B = E - x->E0 - x->work - (k->brief->work - x->brief0);
    double unsure = x->unsure + k->brief->unsure;
    x->E = E;
    x->brief = k->brief->work;
    /* steps that stand for others say nothing of impacts between them */
    const double other = SURE * sqrt(x->sum_spread) + k->brief->passed;
    if (x->defects > 0 && other < unsure) B = x->sum, unsure = other;
    const double beyond = fabs(B) - unsure;
    x->size = fmax(x->size, fabs(V));
    x->exchanged = fmax(x->exchanged, fabs(T - x->T0) + fabs(V - x->V0) - fabs(B));
    x->fastest = fmax(x->fastest, T - fmax(B, 0));
    vg_peak_raise(&w->energy_change, fabs(E - x->E0), t);
    vg_peak_raise(&w->energy_balance, fabs(B), t);
    w->energy_flow = flow(x, k);
    w->energy_unsure = unsure;
    w->energy_taken = x->takes;
    x->wrong = B > fmax(x->B, 0) && beyond > WRONG * w->energy_flow ? x->wrong + 1 : 0;
    x->B = B;
    if (!(beyond > unseen(x, t - k->t0)) || k->taken < SETTLING) return VG_OK;
    vg_peak_raise(B > 0 ? &x->at_gain : &x->at_loss, beyond, t);
    if (x->wrong < STAYS) return VG_OK;
    vg_fail(k->it, VG_NOT_CONVERGED, t,
            "at t = %.9g s the energy has grown by %.3g J from nowhere (%.3g J flow in this motion): %s", t,
            B, w->energy_flow, vg_watch_remedy(k->it, VG_WATCH_GROWS));
    return VG_NOT_CONVERGED;
}

/* The balance of a step that is looked at from within is known, however its power changes from step to step. Such steps
 * stand for those between them: a second sum, which is surer than that of the power at the looks where that varies. */
static void within(void *own, const vgLook *k, vgPlace place)
{
    Own *x = own;
    if (!x->powered) return;
    if (place == VG_BEGINNING) x->defect = 0;
    if (place == VG_BETWEEN) {
        x->defect -= k->weight * power(x, k->probe, 1);
        return;
    }
    const double E = vg_energy_kinetic(k->probe) + potential(x, k->probe);
    x->defect += place == VG_BEGINNING ? -E : E;
    if (place == VG_BEGINNING) return;
    const double n = (double)k->stands, old = x->defects++ ? x->old : x->defect;
    x->sum += 0.5 * n * (x->defect + old);
    x->sum_spread += n * n * (x->defect - old) * (x->defect - old);
    x->old = x->defect;
}

static void jump(void *own, const vgLook *k)
{
    Own *x = own;
    double T = vg_energy_kinetic(k->probe), V = potential(x, k->probe), change = T + V - x->E;
    x->E0 += change;
    x->brief0 += k->brief->work - x->brief;
    x->brief = k->brief->work;
    x->through += fabs(change);
    x->E = T + V;
    x->t = k->s->t;
    x->gap = 0;
    x->P[0] = x->P[1] = power(x, k->probe, 0);
}

static void end(void *own, const vgLook *k)
{
    const Own *x = own;
    double most = flow(x, k);
    if (x->at_gain.value > GREW * most && x->wrong < STAYS)
        vg_watch_doubt(k->out,
                       "the energy grew by %.3g J (%.3g %% of the energy that flows) up to t = %.9g s, "
                       "though nothing in the model accounts for it: %s",
                       x->at_gain.value, 100 * x->at_gain.value / most, x->at_gain.t,
                       vg_watch_remedy(k->it, VG_WATCH_GROWS));
    if (x->at_loss.value > FELL * most && !x->takes)
        vg_watch_doubt(k->out,
                       "the energy fell by %.3g J (%.3g %% of the energy that flows) up to t = %.9g s, "
                       "though nothing in the model accounts for it: %s",
                       x->at_loss.value, 100 * x->at_loss.value / most, x->at_loss.t,
                       vg_watch_remedy(k->it, VG_WATCH_FALLS));
}

const vgMonitorKind vg_monitor_energy = {"energy", open_up, look, sample, within, jump, end, shut};
