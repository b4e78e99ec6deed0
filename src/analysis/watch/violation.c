/* Constraint violation. A velocity violation is judged against the speeds that its equation sees,
 *
 *     part = |B v + Φ_t| / (Σ_j |B_j ξ_j| + |Φ_t|)
 *
 * with ξ the twists of the bodies in native components, so that the measure is the same in all coordinates.
 * The largest speeds so far count, since an error does not vanish where the motion reverses. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/watch/monitor.h"
#include "integrator/stage/stage.h"

/* Parts of the speeds. DOUBTFUL: two digits of the velocities hold. LOST: none do. */
static const double DOUBTFUL = 0.005, LOST = 0.3;
/* An equation across a spin sees next to nothing of it, and the spin is a thousand times what it measures:
 * this part of |B| |ξ| counts as speed. */
static const double ACROSS = 1e-3;
/* A violation that in the whole run could not open a joint by this part of the model's length, or turn it by
 * as many radians, is round-off. */
static const double UNSEEN = 1e-6;
/* In the first steps from standstill no speed has been seen yet. */
static const long SETTLING = 10;

typedef struct Own {
    double *speed;  /* nphi: largest so far */
    double *row;    /* model rows: speeds at this state */
    double fastest; /* largest velocity coordinate so far */
} Own;

static void shut(void *own)
{
    Own *x = own;
    free(x->speed);
    free(x);
}

static vgStatus open_up(const vgLook *k, void **own)
{
    const vgSystem *sys = k->it->sys;
    size_t n = (size_t)sys->nphi, rows = (size_t)sys->model->nrow;
    *own = NULL;
    if (n == 0) return VG_OK;
    Own *x = calloc(1, sizeof *x);
    double *at = x ? calloc(n + rows + 1, sizeof *at) : NULL;
    if (!at) {
        free(x);
        return VG_NO_MEMORY;
    }
    x->speed = at;
    x->row = at + n;
    *own = x;
    return VG_OK;
}

/* Σ |B_j ξ_j| over the six components of a body, and ACROSS times |B| |ξ| of its two halves. */
static double seen(const double B[6], const vgKin *k)
{
    const double xi[6] = {k->v.x, k->v.y, k->v.z, k->w.x, k->w.y, k->w.z};
    double sum = 0, half[4] = {0, 0, 0, 0};
    for (int j = 0; j < 6; j++) {
        sum += fabs(B[j] * xi[j]);
        half[j / 3] += B[j] * B[j];
        half[2 + j / 3] += xi[j] * xi[j];
    }
    return sum + ACROSS * (sqrt(half[0] * half[2]) + sqrt(half[1] * half[3]));
}

static double seen_by_measures(const vgLook *k, const vgPrim *p)
{
    const vgModel *m = k->it->sys->model;
    double sum = 0;
    for (int e = 0; e < p->nterm; e++) {
        const vgMeasure *me = &m->measure[p->measure[e]].measure;
        const vgMeasureOut *out = vg_probe_measure(k->probe, p->measure[e], 1);
        double size = fabs(p->k[e]);
        if (me->A.body < 0 && me->B.body < 0) {
            sum += size * fabs(out->rate);
            continue;
        }
        if (me->A.body >= 0) sum += size * seen(out->grad, vg_probe_kin(k->probe, me->A.body));
        if (me->B.body >= 0) sum += size * seen(out->grad + 6, vg_probe_kin(k->probe, me->B.body));
    }
    return sum;
}

/* The speeds that the equations of all joints see, by the model's rows. */
static void take_speeds(const vgLook *k, double *row)
{
    const vgModel *m = k->it->sys->model;
    for (int i = 0; i < m->nprim; i++) {
        const vgPrim *p = &m->prim[i];
        double f[3] = {0, 0, 0};
        if (p->law && p->law->expr) vg_law_time(p->law, k->s->t, f);
        double driven = fabs(f[p->level == 0 ? 1 : 0]);
        if (p->kind == VG_PRIM_MEASURE) {
            row[p->row] = seen_by_measures(k, p) + driven;
            continue;
        }
        const vgKin *ka = vg_probe_kin(k->probe, p->a), *kb = vg_probe_kin(k->probe, p->b);
        vgPrimOut o;
        vg_prim_eval(p, k->s->t, ka, kb, VG_PRIM_VALUE | VG_PRIM_GRADIENT, &o);
        for (int r = 0; r < p->rows; r++)
            row[p->row + r] = (p->a >= 0 ? seen(o.Ba[r], ka) : 0) + (p->b >= 0 ? seen(o.Bb[r], kb) : 0) +
                              (r == 0 ? driven : 0);
    }
}

/* The speed of the system's rows: those of the same joint in the same order; where coordinates write a joint
 * in another way, the largest of the joint; of shapes and unit lengths, the largest velocity. */
static void raise_speeds(Own *x, const vgLook *k)
{
    const vgSystem *sys = k->it->sys;
    const vgModel *m = sys->model;
    for (int i = 0; i < sys->nv; i++) x->fastest = fmax(x->fastest, fabs(k->s->v[i]));
    take_speeds(k, x->row);
    for (int i = 0; i < sys->nphi;) {
        int j = sys->row_joint[i], first, n = j >= 0 ? vg_probe_rows(k->probe, j, &first) : 1;
        if (j < 0 || first != i) {
            x->speed[i] = x->fastest;
            i++;
            continue;
        }
        const double *row = x->row + m->joint[j].row0;
        double most = 0;
        for (int r = 0; r < m->joint[j].nrow; r++) most = fmax(most, row[r]);
        for (int r = 0; r < n; r++)
            x->speed[i + r] = fmax(x->speed[i + r], n == m->joint[j].nrow ? row[r] : most);
        i += n;
    }
}

/* Of all rows the one whose violation is the largest part of its speeds. */
static double worst_part(const Own *x, const vgLook *k, const double *violation, int *row)
{
    const vgSystem *sys = k->it->sys;
    double most = 0, unseen = UNSEEN * sys->length / fmax(k->s->t - k->t0, DBL_MIN);
    *row = 0;
    for (int i = 0; i < sys->nphi; i++) {
        double dot = fabs(violation[i]), part = dot > unseen ? dot / (x->speed[i] + unseen) : 0;
        if (!(part <= most)) most = part, *row = i;
    }
    return most;
}

static double raise_all(vgPeak *peak, const double *x, int n, double t)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        double y = fabs(x[i]);
        if (!(y <= most)) most = y;
    }
    vg_peak_raise(peak, most, t);
    return most;
}

static vgStatus look(void *own, const vgLook *k)
{
    Own *x = own;
    vgIntegrator *it = k->it;
    const vgSystem *sys = it->sys;
    const vgState *s = k->s;
    vgWatch *w = k->out;
    int row;
    raise_speeds(x, k);
    vgPeak *const peak[] = {&w->position, &w->velocity, &w->acceleration};
    for (int level = 0; level < 3; level++)
        raise_all(peak[level], vg_probe_residual(k->probe, level), sys->nphi, s->t);
    it->stats.max_phi = w->position.value;
    it->stats.max_phi_dot = w->velocity.value;
    it->stats.max_phi_ddot = w->acceleration.value;
    /* The geometric methods answer for energy or momenta themselves, and may let their velocities differ from
     * the constraints at the ends of a long step. */
    if (k->taken < SETTLING || (it->row->flags & VG_INT_BODY_AXES)) return VG_OK;
    double part = worst_part(x, k, vg_probe_residual(k->probe, 1), &row);
    if (vg_peak_raise(&w->velocity_part, part, s->t)) w->velocity_row = row;
    if (!(part > LOST)) return VG_OK;
    char what[240];
    snprintf(what, sizeof what, "the velocities left the constraints %s",
             vg_watch_remedy(k->it, VG_WATCH_VELOCITY));
    vg_fail_equation(it, VG_NOT_CONVERGED, s->t, sys->nv + row, what);
    return VG_NOT_CONVERGED;
}

static void end(void *own, const vgLook *k)
{
    const vgWatch *w = k->out;
    const vgSystem *sys = k->it->sys;
    (void)own;
    if (!(w->velocity_part.value > DOUBTFUL) || w->velocity_part.value > LOST) return;
    int joint = sys->row_joint[w->velocity_row];
    vg_watch_doubt(k->out,
                   "the velocities leave the constraints: at t = %.9g s the violation in %s%s%s is %.3g %% "
                   "of the speeds there; reactions and accelerations are not to be trusted %s",
                   w->velocity_part.t, joint >= 0 ? "joint '" : "the unit length of a rotation",
                   joint >= 0 ? sys->model->joint[joint].name : "", joint >= 0 ? "'" : "",
                   100 * w->velocity_part.value, vg_watch_remedy(k->it, VG_WATCH_VELOCITY));
}

const vgMonitorKind vg_monitor_violation = {"violation", open_up, look, NULL, NULL, NULL, end, shut};
