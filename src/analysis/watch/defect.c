/* Does a step follow the equations of motion? The momenta of each body in W change over a step by what acts on it,
 *
 *     Δp = ∫ m v̇ dt,    Δ(R J w) = ∫ R (J ẇ + w × J w) dt,
 *
 * with accelerations that the equations of motion have at the states within the step (within.c). What is left over, the
 * defect, is a force or a torque that no element makes. It does not depend on the coordinates, nor on what a method calls
 * its accelerations. A fast spin makes it large where parameters of rotation, or velocities in body axes, turn far in a
 * step: the torque that turns the spin is then the small difference of large terms. */
#include <math.h>
#include <stdlib.h>

#include "analysis/watch/monitor.h"

/* In half of the steps, or more, the defect is this part of what acts. Methods of order 2 have (ω h)²/12 of a motion of
 * frequency ω: 0.03 is ten steps a period, and a tenth of a radian lost in each. Of rotors at up to 1 rad a step
 * (test_defects_rotors.py) those that are off by more than a tenth have 0.04 or more. At half of it runs with errors of
 * some per cent are warned of; at twice, some rotors that are off by 14 % are not. */
static const double DOUBTFUL = 0.03;
/* What acts on a body counts as this part of what acts on the body with the most at the least: what hardly moves does no
 * harm. */
static const double LEAST_PART = 0.05;
/* Fewer looks than this say nothing: a run may begin with a vibration. */
enum { FEWEST = 5 };
/* Parts are sorted into four bins an octave, from 2^LOWEST on: the middle one of all steps is known to 10 %. */
enum { BINS = 96, PER_OCTAVE = 4, LOWEST = -16 };

/* Of a body's force (in W) or torque (about its centre of mass, in W). */
typedef struct Side {
    vgVec3 defect; /* change of the momentum − ∫ what acts, of the step that is looked at */
    double acting; /* ∫ |what acts|, of that step */
    double sum;    /* Σ over the looks: mean |what acts| */
    double parts;  /* Σ over all steps: the defect as a part of what acts, 1 at most */
    double size;   /* of the momentum, the largest so far */
} Side;

typedef struct Own {
    int n;
    long looks, bin[BINS]; /* in steps: a look stands for those since the one before */
    long steps;            /* Σ bin */
    vgPeak worst;
    Side side[]; /* [2 nbody]: force and torque */
} Own;

static vgStatus open_up(const vgLook *k, void **own)
{
    const vgModel *m = k->it->sys->model;
    Own *x = calloc(1, sizeof *x + 2 * (size_t)m->nbody * sizeof x->side[0]);
    *own = x;
    if (!x) return VG_NO_MEMORY;
    x->n = 2 * m->nbody;
    return VG_OK;
}

static vgStatus look(void *own, const vgLook *k)
{
    (void)own;
    (void)k;
    return VG_OK;
}

static void add(Side *side, double sign, vgVec3 momentum, double weight, vgVec3 rate)
{
    side->defect = vg_axpy3(sign, momentum, vg_axpy3(-weight, rate, side->defect));
    side->acting += weight * vg_norm3(rate);
    if (sign != 0) side->size = fmax(side->size, vg_norm3(momentum));
}

/* A state of the step: its ends count by their momenta, what is between them by the rates. */
static void add_state(Own *x, const vgLook *k, double sign)
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

/* What acts on a body in a step, on average: as much at the least as changes its momentum by its own size in the time of
 * the run, and as LEAST_PART of the most that acts on a body. Forces count as torques, and torques as forces, by the model's
 * length. */
static double acting_on(const Own *x, const vgLook *k, int i, const double most[2])
{
    const double length = k->it->sys->length, time = k->s->t - k->t0;
    const double beside = i % 2 ? fmax(most[1], most[0] * length) : fmax(most[0], most[1] / length);
    return fmax(fmax(x->side[i].sum, LEAST_PART * beside) / (double)x->looks, x->side[i].size / time);
}

static int bin_of(double part)
{
    int octave;
    const double mantissa = frexp(part, &octave); /* in [½, 1) */
    const int bin = PER_OCTAVE * (octave - LOWEST) + (int)(2 * PER_OCTAVE * (mantissa - 0.5));
    if (!isfinite(part) || bin >= BINS) return BINS - 1;
    return part > 0 && bin > 0 ? bin : 0;
}

static void conclude(Own *x, const vgLook *k)
{
    double most[2], part = 0;
    x->looks++;
    for (int i = 0; i < x->n; i++) x->side[i].sum += x->side[i].acting / k->step;
    take_most(x, most);
    for (int i = 0; i < x->n; i++) {
        const double wrong = vg_norm3(x->side[i].defect) / k->step, acting = acting_on(x, k, i, most);
        if (wrong > 0) x->side[i].parts += (double)k->stands * fmin(wrong / acting, 1);
        if (!(wrong <= part * acting)) part = wrong / acting;
    }
    x->bin[bin_of(part)] += k->stands;
    x->steps += k->stands;
    vg_peak_raise(&x->worst, part, k->s->t);
}

static void within(void *own, const vgLook *k, int first)
{
    Own *x = own;
    for (int i = 0; first && i < x->n; i++) x->side[i].defect = vg_zero3(), x->side[i].acting = 0;
    add_state(x, k, first ? -1 : k->weight > 0 ? 0 : 1);
    if (!first && !(k->weight > 0)) conclude(x, k);
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

static void end(void *own, const vgLook *k)
{
    const Own *x = own;
    if (x->looks < FEWEST) return;
    k->out->defect = (vgPeak){middle(x), x->worst.t};
    if (!(k->out->defect.value > DOUBTFUL)) return;
    const int worst = worst_side(x);
    vg_watch_doubt(
        k->out,
        "steps do not follow the equations of motion: the %s of body '%s' changes by more than what acts, "
        "%.2g %% of it in half of the steps; accelerations and reactions are not surer than that: %s",
        worst % 2 ? "angular momentum" : "momentum", k->it->sys->model->body[worst / 2].name,
        100 * k->out->defect.value, vg_watch_remedy(k->it, VG_WATCH_DEFECT));
}

const vgMonitorKind vg_monitor_defect = {"defect", open_up, look, NULL, within, NULL, end, free};
