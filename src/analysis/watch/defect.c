/* Does a step follow the equations of motion? The momenta of each body in W change over a step by what acts on it,
 *
 *     Δp = ∫ m v̇ dt,    Δ(R J w) = ∫ R (J ẇ + w × J w) dt,
 *
 * with accelerations that the equations of motion have at the states within the step (within.c). What is left over, the
 * defect, is a force or a torque that no element makes. It does not depend on the coordinates, nor on what a method calls
 * its accelerations. A fast spin makes it large where parameters of rotation, or velocities in body axes, turn far in a
 * step: the torque that turns the spin is then the small difference of large terms.
 *
 * Defects add up: a frequency that is wrong by δ puts a phase off by δ times the angle that was passed. The sum Σ |defect|
 * of a body, as a part of what its momentum ranges over, estimates the error of the motion. A motion forgets its errors
 * as fast as power goes through it (dampers, drives, controllers): an oscillator with the energy E that loses P has an
 * error that decays with the rate P/(2 E), and E is twice the mean kinetic energy. Motions that depend sensitively on
 * their start (chaos) are off by more than that.
 *
 * Positions may change by something else than the integral of the velocities, too: parameters of rotation lack of the angle in each step,
 * while momenta are right to rounding. What a step lacks of its path, along the path, is seen at its ends,
 *
 *     (Δp − h (v₀ + v₁)/2 − h² (v̇₀ − v̇₁)/12)·v/|v|,    log(exp(θ)ᵀ R₀ᵀ R₁)·w/|w|,  θ = h (w₀ + w₁)/2 + h² (ẇ₀ − ẇ₁ + w₀ × w₁)/12,
 *
 * with an error of h⁵ (Hermite's rule; Magnus' second term). Its sum is how far a motion is behind or ahead; what lies across the path
 * is left out. */
#include <math.h>
#include <stdlib.h>

#include "analysis/channels/energy.h"
#include "analysis/watch/groups.h"
#include "analysis/watch/monitor.h"
#include "math/so3.h"

/* In half of the steps, or more, the defect is this part of what acts. Methods of order 2 have (ω h)²/12 of a motion of
 * frequency ω: 0.03 is ten steps a period, and a tenth of a radian lost in each. Of rotors at up to 1 rad a step
 * (test_defects_rotors.py) those that are off by more than a tenth have 0.04 or more. At half of it runs with errors of
 * some per cent are warned of; at twice, some rotors that are off by 14 % are not. */
static const double DOUBTFUL = 0.03;
/* What acts on a body counts as this part of what acts on the body with the most at the least: what hardly moves does no
 * harm. */
static const double LEAST_PART = 0.05;
/* What acts on a body counts as this part of its weight at the least: what is less are forces that cancel but for rounding
 * (a driven mechanism that stands still, 1e-16 to 1e-12). At half or twice of it nothing changes but for motions with 1e-8
 * m/s². */
static const double STILL = 1e-9;
/* An estimated error of the motion from which on it is doubtful, as a part of what the momenta range over. Of the shipped
 * models and those of tests/defects the estimate is mostly within three times of the true error; a tenth of a swing is what
 * the eye sees. */
static const double FAR_OFF = 0.1;
/* Decay of an error a unit of power per mean kinetic energy: P/(2 E) with E = 2 T. */
static const double FORGETS = 0.25;
/* Ranges of places and orientations count as this part of the model's length, or of a radian, at the least: what hardly moves does no
 * harm. An orientation is judged by a radian at the most: a spin is as far off after a hundred turns as after one. */
static const double SMALL_PATH = 0.01, MOST_ANGLE = 1;
/* Fewer looks than this say nothing: a run may begin with a vibration. */
enum { FEWEST = 5 };
/* Parts are sorted into four bins an octave, from 2^LOWEST on: the middle one of all steps is known to 10 %. */
enum { BINS = 96, PER_OCTAVE = 4, LOWEST = -16 };

/* Of a body's force (in W) or torque (about its centre of mass, in W). */
typedef struct Side {
    vgVec3 defect; /* change of the momentum − ∫ what acts, of the step that is looked at */
    /* in single precision: there are two of these for each body */
    float acting;       /* ∫ |what acts|, of that step */
    float sum;          /* Σ over the looks: mean |what acts| */
    float parts;        /* Σ over all steps: the defect as a part of what acts, 1 at most */
    float size;         /* of the momentum, the largest so far */
    float added;        /* Σ |defect| over all steps, less what the motion forgets */
    float start[3];     /* momentum when it was seen first */
    float range;        /* largest |momentum − start| */
    float old;          /* |defect| of the last step that was looked at */
    float lost, change; /* Σ over all steps: |defect|, ∫ |what acts| */
    float behind,
        old_behind; /* Σ over all steps of what they lack of the path (m, rad), less what the motion forgets; of the last look */
} Side;

/* Of a body, for its path: the start, and the motion at the beginning of the step that is looked at. There is one for each
 * body of a model that may have many: rotations as quaternions, and what needs few digits as floats. */
typedef struct Path {
    vgVec3 start_p, p, v, w;
    vgQuat r;
    float start_r[4], dv[3], dw[3];
} Path;

/* Bodies that hang together by joints and forces. Each group is judged by what it ranges over itself: a fast top beside a slow
 * pendulum is a motion of its own. */
typedef struct Group {
    vgPeak added;     /* the largest errors of its momenta so far */
    vgPeak behind[2]; /* largest sums of paths so far: places, orientations */
    double way[2];    /* largest displacement and turn of a body from the start */
    double sum;       /* room, for sums over its bodies */
} Group;

typedef struct Own {
    int n;
    long looks, bin[BINS]; /* in steps: a look stands for those since the one before */
    long steps;            /* Σ bin */
    vgPeak worst;
    double through,
        kinetic; /* ∫ of the power through the motion, ∫ of the kinetic energy, of the looks so far */
    int known;   /* 1: all that moves is seen, bodies with smooth forces: the sum means something */
    Path *path;  /* [nbody] */
    int *of;     /* [nbody]: the group of a body */
    Group *group;
    int ngroup;
    Side side[]; /* [2 nbody]: force and torque */
} Own;

/* Impacts are over before a step is looked at, and what moves within elements (beams, rotors) is no body's momentum. */
int vg_watch_sees_all(const vgModel *m)
{
    for (int i = 0; i < m->nforce; i++) {
        const vgForceKind *kind = m->force[i].kind;
        if (kind->depth || kind->brief || kind->kinetic || m->force[i].setup.foreign) return 0;
    }
    return 1;
}

static void begin_at(Side *side, vgVec3 momentum)
{
    side->start[0] = (float)momentum.x;
    side->start[1] = (float)momentum.y;
    side->start[2] = (float)momentum.z;
}

static void put3(vgVec3 x, float to[3])
{
    to[0] = (float)x.x, to[1] = (float)x.y, to[2] = (float)x.z;
}

static vgVec3 get3(const float x[3])
{
    return vg_v3(x[0], x[1], x[2]);
}

static void begin_path(Path *path, const vgKin *kin)
{
    const vgQuat r = vg_quat_from_mat(kin->R);
    path->start_p = kin->p;
    path->start_r[0] = (float)r.w, path->start_r[1] = (float)r.x;
    path->start_r[2] = (float)r.y, path->start_r[3] = (float)r.z;
}

static void begin_step(Path *path, const vgKin *kin)
{
    path->p = kin->p, path->v = kin->v, path->w = kin->w;
    path->r = vg_quat_from_mat(kin->R);
    put3(kin->dv, path->dv);
    put3(kin->dw, path->dw);
}

static vgKin step_began(const Path *path)
{
    return (vgKin){.p = path->p,
                   .R = vg_quat_to_mat(path->r),
                   .v = path->v,
                   .w = path->w,
                   .dv = get3(path->dv),
                   .dw = get3(path->dw)};
}

static double turned_since_start(const Path *path, vgMat3 R)
{
    const vgQuat r = {path->start_r[0], path->start_r[1], path->start_r[2], path->start_r[3]};
    return vg_norm3(vg_so3_log(vg_mtm3(vg_quat_to_mat(r), R)));
}

static void number_groups(Own *x, const vgModel *m)
{
    vg_watch_unite(m, -1, x->of);
    for (int i = 0; i < m->nbody; i++) x->of[i] = vg_watch_root(x->of, i);
    for (int i = 0; i < m->nbody; i++) /* roots become −1 − number */
        if (x->of[i] == i) x->of[i] = -1 - x->ngroup++;
    for (int i = 0; i < m->nbody; i++)
        if (x->of[i] >= 0) x->of[i] = x->of[x->of[i]];
    for (int i = 0; i < m->nbody; i++) x->of[i] = -1 - x->of[i];
}

static vgStatus open_up(const vgLook *k, void **own)
{
    const vgModel *m = k->it->sys->model;
    Own *x = calloc(1, sizeof *x + 2 * (size_t)m->nbody * sizeof x->side[0]);
    *own = x;
    if (!x) return VG_NO_MEMORY;
    x->path = calloc((size_t)m->nbody + 1, sizeof *x->path);
    x->of = calloc((size_t)m->nbody + 1, sizeof *x->of);
    if (!x->path || !x->of) return VG_NO_MEMORY;
    number_groups(x, m);
    x->group = calloc((size_t)x->ngroup + 1, sizeof *x->group);
    if (!x->group) return VG_NO_MEMORY;
    x->n = 2 * m->nbody;
    x->known = vg_watch_sees_all(m);
    for (int i = 0; i < m->nbody; i++) {
        const vgKin *kin = vg_probe_kin(k->probe, i);
        begin_path(&x->path[i], kin);
        begin_at(&x->side[2 * i], vg_scale3(kin->v, m->body[i].mass));
        begin_at(&x->side[2 * i + 1], vg_mv3(kin->R, vg_mv3(m->body[i].inertia, kin->w)));
    }
    return VG_OK;
}

static void shut(void *own)
{
    Own *x = own;
    free(x->path);
    free(x->of);
    free(x->group);
    free(x);
}

static vgStatus look(void *own, const vgLook *k)
{
    (void)own;
    (void)k;
    return VG_OK;
}

static void add(Side *side, int sign, vgVec3 momentum, double weight, vgVec3 rate)
{
    side->defect = vg_axpy3(sign, momentum, vg_axpy3(-weight, rate, side->defect));
    side->acting += (float)(weight * vg_norm3(rate));
    if (sign == 0) return;
    side->size = (float)fmax(side->size, vg_norm3(momentum));
    const vgVec3 start = {side->start[0], side->start[1], side->start[2]};
    side->range = (float)fmax(side->range, vg_norm3(vg_sub3(momentum, start)));
}

/* What drives, forces and dampers feed in or take out, whichever: each of them by its size, so that they do not cancel. */
static double power_through(vgProbe *p)
{
    const vgModel *m = vg_probe_system(p)->model;
    double sum = fabs(vg_energy_drive_power(p));
    for (int i = 0; i < m->nforce; i++) {
        const vgForce *f = &m->force[i];
        sum += fabs(f->kind->energy && f->setup.nlaw == 0 ? vg_probe_loss_power(p, i)
                                                          : vg_probe_force_power(p, i));
    }
    return sum;
}

/* A state of the step: its ends count by their momenta, what is between them by the rates. */
static void add_state(Own *x, const vgLook *k, int sign)
{
    const vgModel *m = k->it->sys->model;
    for (int i = 0; i < m->nbody; i++) {
        const vgKin *kin = vg_probe_kin(k->probe, i);
        const vgMat3 J = m->body[i].inertia;
        const vgVec3 spin = vg_mv3(J, kin->w);
        const vgVec3 rate = vg_add3(vg_mv3(J, kin->dw), vg_cross3(kin->w, spin));
        const double mass = m->body[i].mass;
        add(&x->side[2 * i], sign, vg_scale3(kin->v, mass), k->weight, vg_scale3(kin->dv, mass));
        add(&x->side[2 * i + 1], sign, vg_mv3(kin->R, spin), k->weight, vg_mv3(kin->R, rate));
    }
}

/* Largest sums of all bodies: forces, and torques. */
static void take_most(const Own *x, double most[2])
{
    most[0] = most[1] = 0;
    for (int i = 0; i < x->n; i++) most[i % 2] = fmax(most[i % 2], x->side[i].sum);
}

/* What counts as acting on a body that stands still, as a force or as a torque. */
static double least_on(const vgSystem *sys, int i)
{
    const vgModel *m = sys->model;
    return STILL * m->body[i / 2].mass * vg_norm3(m->gravity) * (i % 2 ? sys->length : 1);
}

/* What acts on a body in a step, on average: as much at the least as changes its momentum by its own size in the time of
 * the run, and as LEAST_PART of the most that acts on a body. Forces count as torques, and torques as forces, by the model's
 * length. */
static double acting_on(const Own *x, const vgLook *k, int i, const double most[2])
{
    const double length = k->it->sys->length, time = k->s->t - k->t0;
    const double beside = i % 2 ? fmax(most[1], most[0] * length) : fmax(most[0], most[1] / length);
    const double sum = fmax(x->side[i].sum, LEAST_PART * beside) / (double)x->looks;
    return fmax(fmax(sum, x->side[i].size / time), least_on(k->it->sys, i));
}

static int bin_of(double part)
{
    int octave;
    const double mantissa = frexp(part, &octave); /* in [½, 1) */
    const int bin = PER_OCTAVE * (octave - LOWEST) + (int)(2 * PER_OCTAVE * (mantissa - 0.5));
    if (!isfinite(part) || bin >= BINS) return BINS - 1;
    return part > 0 && bin > 0 ? bin : 0;
}

/* What swings cannot be off by more than twice its amplitude, however long it runs. A motion of frequency ω changes its
 * momentum by ω h of the amplitude in a step, and a method of order 2 has the defect (ω h)²/12 of that; better methods have
 * less, which makes the bound larger than it need be. */
static double at_most(const Side *side, long steps)
{
    const double turn = sqrt(12 * side->lost / side->change);
    return 2 * side->change / ((double)steps * turn);
}

static double inertia_of(const vgModel *m, int i)
{
    const vgMat3 *J = &m->body[i / 2].inertia;
    return i % 2 ? fmax(J->m[0][0], fmax(J->m[1][1], J->m[2][2])) : m->body[i / 2].mass;
}

/* Momenta of the bodies of a group as one, as of a kinetic energy: Σ p²/m + Σ L²/J. */
static void add_square(Own *x, const vgModel *m, int i, double momentum)
{
    const double inertia = inertia_of(m, i);
    if (inertia > 0) x->group[x->of[i / 2]].sum += momentum * momentum / inertia;
}

/* Errors so far. */
static void take_errors(Own *x, const vgLook *k)
{
    for (int g = 0; g < x->ngroup; g++) x->group[g].sum = 0;
    for (int i = 0; i < x->n; i++) {
        const Side *side = &x->side[i];
        if (side->lost > 0) add_square(x, k->it->sys->model, i, fmin(side->added, at_most(side, x->steps)));
    }
    for (int g = 0; g < x->ngroup; g++) vg_peak_raise(&x->group[g].added, sqrt(x->group[g].sum), k->s->t);
}

/* What they range over, in `sum`; 0: it is not finite. */
static int take_ranges(Own *x, const vgLook *k)
{
    const vgSystem *sys = k->it->sys;
    const double time = k->s->t - k->t0;
    for (int g = 0; g < x->ngroup; g++) x->group[g].sum = 0;
    for (int i = 0; i < x->n; i++) {
        const double still = inertia_of(sys->model, i) * SMALL_PATH * (i % 2 ? 1 : sys->length) / time;
        add_square(x, sys->model, i, fmax(x->side[i].range, fmax(least_on(sys, i) * time, still)));
    }
    double all = 0;
    for (int g = 0; g < x->ngroup; g++) all += x->group[g].sum = sqrt(x->group[g].sum);
    return isfinite(all);
}

/* The part of `rest` along a mean rate. */
static double along(vgVec3 rest, vgVec3 rate)
{
    const double speed = vg_norm3(rate);
    return speed > 0 ? vg_dot3(rest, rate) / speed : 0;
}

static double lacks_of_place(const vgKin *a, const vgKin *b, double h)
{
    const vgVec3 rate = vg_add3(a->v, b->v), bend = vg_scale3(vg_sub3(a->dv, b->dv), h * h / 12);
    return along(vg_sub3(vg_sub3(b->p, a->p), vg_axpy3(h / 2, rate, bend)), rate);
}

static double lacks_of_turn(const vgKin *a, const vgKin *b, double h)
{
    const vgVec3 rate = vg_add3(a->w, b->w), turns = vg_add3(vg_sub3(a->dw, b->dw), vg_cross3(a->w, b->w));
    const vgVec3 theta = vg_axpy3(h / 2, rate, vg_scale3(turns, h * h / 12));
    return along(vg_so3_log(vg_mtm3(vg_so3_exp(theta), vg_mtm3(a->R, b->R))), rate);
}

/* What the steps since the last look lack of the paths. */
static void fall_behind(Own *x, const vgLook *k, double kept)
{
    for (int i = 0; i < x->n; i++) {
        const Path *path = &x->path[i / 2];
        const vgKin a = step_began(path), *b = vg_probe_kin(k->probe, i / 2);
        Side *side = &x->side[i];
        Group *q = &x->group[x->of[i / 2]];
        const double now = i % 2 ? lacks_of_turn(&a, b, k->step) : lacks_of_place(&a, b, k->step);
        const double old = x->looks > 1 ? side->old_behind : now;
        const double way = i % 2 ? turned_since_start(path, b->R) : vg_norm3(vg_sub3(b->p, path->start_p));
        side->behind = (float)(kept * side->behind + 0.5 * (double)k->stands * (old + now));
        side->old_behind = (float)now;
        q->way[i % 2] = fmax(q->way[i % 2], way);
        vg_peak_raise(&q->behind[i % 2], fabs(side->behind), k->s->t);
    }
}

/* By how much the motion of a group is behind or ahead, as a part of what it ranges over; the larger of that and `error`. */
static vgPeak larger_of_paths(const Group *q, const vgLook *k, vgPeak error)
{
    const double way[2] = {fmax(q->way[0], SMALL_PATH * k->it->sys->length),
                           fmin(fmax(q->way[1], SMALL_PATH), MOST_ANGLE)};
    for (int s = 0; s < 2; s++)
        if (way[s] > 0) vg_peak_raise(&error, q->behind[s].value / way[s], q->behind[s].t);
    return error;
}

/* What the motion has kept of its errors since the last look. */
static double kept_of(const Own *x, const vgLook *k)
{
    return x->kinetic > 0 ? exp(-FORGETS * (double)k->stands * k->step * x->through / x->kinetic) : 1;
}

/* Steps since the last look, by trapezoids, and what was forgotten in that time. */
static void add_up(Own *x, const vgLook *k)
{
    const double kept = kept_of(x, k);
    for (int i = 0; i < x->n; i++) {
        const double now = vg_norm3(x->side[i].defect), old = x->looks > 1 ? x->side[i].old : now;
        const double lost = 0.5 * (double)k->stands * (old + now);
        x->side[i].old = (float)now;
        x->side[i].added = (float)(kept * x->side[i].added + lost);
        x->side[i].lost += (float)lost;
        x->side[i].change += (float)((double)k->stands * x->side[i].acting);
    }
    take_errors(x, k);
}

static void conclude(Own *x, const vgLook *k)
{
    double most[2], part = 0;
    x->looks++;
    x->steps += k->stands;
    add_up(x, k);
    fall_behind(x, k, kept_of(x, k));
    for (int i = 0; i < x->n; i++) x->side[i].sum += (float)(x->side[i].acting / k->step);
    take_most(x, most);
    for (int i = 0; i < x->n; i++) {
        const double wrong = vg_norm3(x->side[i].defect) / k->step, acting = acting_on(x, k, i, most);
        if (wrong > 0) x->side[i].parts += (float)((double)k->stands * fmin(wrong / acting, 1));
        if (!(wrong <= part * acting)) part = wrong / acting;
    }
    x->bin[bin_of(part)] += k->stands;
    vg_peak_raise(&x->worst, part, k->s->t);
}

static void within(void *own, const vgLook *k, vgPlace place)
{
    Own *x = own;
    const int first = place == VG_BEGINNING, last = place == VG_ENDING;
    for (int i = 0; first && i < x->n; i++) x->side[i].defect = vg_zero3(), x->side[i].acting = 0;
    for (int i = 0; first && i < x->n / 2; i++) begin_step(&x->path[i], vg_probe_kin(k->probe, i));
    add_state(x, k, last - first);
    if (place == VG_BETWEEN) {
        x->through += k->weight * power_through(k->probe);
        x->kinetic += k->weight * vg_energy_kinetic(k->probe);
    }
    if (last) conclude(x, k);
}

/* The part that half of the steps have, or more. */
static double middle(const Own *x)
{
    long sum = 0;
    int i = 0;
    while (i < BINS - 1 && 2 * (sum += x->bin[i]) < x->steps) i++;
    if (i == 0) return 0;
    return ldexp(0.5 + (i % PER_OCTAVE + 0.5) / (2 * PER_OCTAVE), i / PER_OCTAVE + LOWEST);
}

static int worst_side(const Own *x)
{
    int worst = 0;
    for (int i = 1; i < x->n; i++)
        if (x->side[i].parts > x->side[worst].parts) worst = i;
    return worst;
}

/* The body of a group that names it: the one that most acts on. */
static const char *name_of(const Own *x, const vgModel *m, int group)
{
    int named = -1;
    for (int i = 0; i < x->n; i++)
        if (x->of[i / 2] == group && (named < 0 || x->side[i].range > x->side[named].range)) named = i;
    return named < 0 ? "" : m->body[named / 2].name;
}

/* Errors that are spread over a run are of use to nobody who looks at a phase; they are doubted after the steps. */
static void doubt_sum(Own *x, const vgLook *k)
{
    vgPeak *error = &k->out->error;
    int worst = 0;
    if (!x->known || !take_ranges(x, k)) return;
    *error = (vgPeak){0, 0};
    for (int g = 0; g < x->ngroup; g++) {
        const Group *q = &x->group[g];
        const vgPeak sum = {q->added.value > 0 ? q->added.value / q->sum : 0, q->added.t};
        const vgPeak one = larger_of_paths(q, k, sum);
        if (one.value > error->value) *error = one, worst = g;
    }
    if (!(error->value > FAR_OFF)) return;
    const int apart = x->ngroup > 1;
    vg_watch_doubt(
        k->out,
        "the errors of the steps add up to some %.3g %% of the motion%s%s%s at t = %.9g s, by estimate: %s",
        100 * error->value, apart ? " of body '" : "", apart ? name_of(x, k->it->sys->model, worst) : "",
        apart ? "' and what hangs on it" : "", error->t, vg_watch_remedy(k->it, VG_WATCH_SUM));
}

/* Steps after the last one that was looked at are as that one. */
static void add_rest(Own *x, const vgLook *k)
{
    vgLook rest = *k;
    rest.stands = k->taken - x->steps;
    if (rest.stands <= 0) return;
    add_up(x, &rest);
    for (int i = 0; i < x->n; i++) {
        Side *side = &x->side[i];
        side->behind += (float)((double)rest.stands * side->old_behind);
        vg_peak_raise(&x->group[x->of[i / 2]].behind[i % 2], fabs(side->behind), k->s->t);
    }
}

static void end(void *own, const vgLook *k)
{
    Own *x = own;
    if (x->looks < FEWEST) return;
    add_rest(x, k);
    k->out->defect = (vgPeak){middle(x), x->worst.t};
    if (!(k->out->defect.value > DOUBTFUL)) {
        doubt_sum(x, k);
        return;
    }
    const int worst = worst_side(x);
    vg_watch_doubt(
        k->out,
        "steps do not follow the equations of motion: the %s of body '%s' changes by more than what acts, "
        "%.3g %% of it in half of the steps; accelerations and reactions are not surer than that: %s",
        worst % 2 ? "angular momentum" : "momentum", k->it->sys->model->body[worst / 2].name,
        100 * k->out->defect.value, vg_watch_remedy(k->it, VG_WATCH_DEFECT));
}

const vgMonitorKind vg_monitor_defect = {"defect", open_up, look, NULL, within, NULL, end, shut};
