/* Is an equilibrium stable? The signs of ω² of K x = ω² M x, and directions that nothing holds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/modes/lowest.h"
#include "analysis/modes/reduced.h"
#include "analysis/tuning.h"
#include "linalg/dense.h"

static void swap(double *a, double *b, int n)
{
    for (int i = 0; i < n; i++) {
        double keep = a[i];
        a[i] = b[i], b[i] = keep;
    }
}

/* y · (r(q ⊕ y h) − r(q ⊖ y h))/2h: the stiffness along a displacement (rotations in body axes). A soft direction
 * shows here, which in K can be hidden by the rounding of stiff ones. */
static double stiffness_along(const vgSystem *sys, vgWork *work, const vgState *s, const double *y, double h,
                              double *room)
{
    double *q = room, *d = q + sys->nq, *r = d + sys->nv, sum = 0;
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 0; i < sys->nv; i++) d[i] = side * h * y[i];
        sys->ops->retract(sys, s->q, d, q);
        sys->ops->residual(sys, work, s->t, q, s->v, s->a, s->lambda, r, NULL);
        for (int i = 0; i < sys->nv; i++) sum += side * y[i] * r[i];
    }
    return sum / (2 * h);
}

/* y := x scaled so that its largest entry is one length or one radian. */
static void displacement(const vgSystem *sys, const double *x, double *y)
{
    double big = 0;
    for (int i = 0; i < sys->nv; i++) big = fmax(big, fabs(x[i]) / sys->v_scale[i]);
    for (int i = 0; i < sys->nv; i++) y[i] = x[i] / big;
}

/* 1: negative, and the same with other steps: not rounding. room: the displacement, then scratch. */
static int leads_away(const vgSystem *sys, vgWork *work, const vgState *s, const double *x, double *room)
{
    double *y = room, c[3];
    displacement(sys, x, y);
    for (int k = 0; k < 3; k++)
        c[k] = stiffness_along(sys, work, s, y, (double)(1 << k) * VG_MODE_STEP, room + sys->nv);
    double fine = (4 * c[0] - c[1]) / 3, coarse = (4 * c[1] - c[2]) / 3; /* bending stretches, by h² */
    return fine < 0 && fabs(coarse - fine) < -VG_MODE_AGREE * fine;
}

/* 1: the mode x has no stiffness. room as above. */
static int is_neutral(const vgPencil *p, vgWork *work, const vgState *s, const double *x, double *room)
{
    displacement(p->sys, x, room);
    const double mass = vg_blocks_form(&p->M, room, room);
    return fabs(stiffness_along(p->sys, work, s, room, VG_MODE_STEP, room + p->n)) < VG_MODES_NEUTRAL * mass;
}

/* Free directions by a coordinate each that moves along one of them alone: elimination with the largest
 * entries as pivots; integrals of elements count as nothing. free: [n × nv], spoilt. */
static void name_free(const vgSystem *sys, double *free_way, int n, vgStability *out)
{
    for (int k = 0; k < n; k++) {
        double big = VG_MODE_MOVES;
        int at = -1, row = k;
        for (int j = k; j < n; j++)
            for (int i = 0; i < sys->nv; i++) {
                double x = fabs(free_way[j * sys->nv + i]) / sys->v_scale[i];
                if (x > big * (1 + VG_MODE_MOVES) && !vg_model_is_integral(sys->model, sys->v_body[i]))
                    big = x, at = i, row = j;
            }
        if (at < 0) return;
        double *pivot = free_way + (size_t)k * (size_t)sys->nv;
        swap(pivot, free_way + (size_t)row * (size_t)sys->nv, sys->nv);
        for (int j = k + 1; j < n; j++) {
            double *other = free_way + (size_t)j * (size_t)sys->nv, share = other[at] / pivot[at];
            for (int i = 0; i < sys->nv; i++) other[i] -= share * pivot[i];
        }
        if (out->neutral < VG_NEUTRAL_NAMES) out->coordinate[out->neutral] = at;
        out->neutral++;
    }
}

/* Modes of K x = ω² M x at an equilibrium, by increasing ω². */
typedef struct Squares {
    int found;
    double *w2, *x;  /* [found], [found × nv] turns in body axes */
    double stiffest; /* an ω² of the size of the largest */
} Squares;

/* Directions without stiffness. Not computed for velocity constraints (rolling), which restrict more than
 * positions show. */
static void find_neutral(const vgPencil *p, vgWork *work, const vgState *s, const Squares *q, double *room,
                         vgStability *out)
{
    const vgSystem *sys = p->sys;
    const size_t nv = (size_t)sys->nv;
    double *ways = vg_matrix(q->found, sys->nv), soft = VG_MODE_SOFT * q->stiffest + VG_MODES_NEUTRAL;
    int n = 0, found = q->found;
    if (!ways) out->status = VG_NO_MEMORY;
    for (int i = 0; i < sys->nl; i++)
        if (sys->row_level[i] > 0) found = 0;
    for (int k = 0; k < found && ways; k++) {
        if (fabs(q->w2[k]) > soft || !is_neutral(p, work, s, q->x + (size_t)k * nv, room)) continue;
        vg_modes_turn(sys, sys->ops->kinematics(sys, work, s->t, s->q, s->v, s->a), 0, room);
        memcpy(ways + (size_t)n++ * nv, room, nv * sizeof *room);
    }
    if (ways) name_free(sys, ways, n, out);
    free(ways);
}

int vg_modes_unstable(const vgSystem *sys, vgWork *work, const vgState *rest, double *way)
{
    return vg_modes_stability(sys, work, rest, way).unstable;
}

/* All of them, by dense matrices. */
static vgStatus all_squares(const vgSystem *sys, vgWork *work, const vgState *rest, Squares *q)
{
    vgLinearised l;
    vgReduced r = {0};
    double *modes = NULL;
    vgStatus st = vg_linearise(sys, work, rest, &l);
    if (st != VG_OK) return st;
    st = vg_reduced_new(sys, &l, &r);
    q->w2 = vg_matrix(1, r.ne), q->x = vg_matrix(r.ne, sys->nv), modes = vg_square(r.ne);
    if (!q->w2 || !modes || !q->x) st = VG_NO_MEMORY;
    if (st == VG_OK && vg_symmetrise(r.K, r.ne) < VG_STABILITY_EVEN) {
        vg_symmetrise(r.M, r.ne);
        st = vg_squares(r.K, r.M, r.ne, q->w2, modes, &q->found);
    }
    const vgKin *kin = sys->ops->kinematics(sys, work, rest->t, rest->q, rest->v, rest->a);
    for (int k = 0; st == VG_OK && k < q->found; k++) {
        double *y = q->x + (size_t)k * (size_t)sys->nv;
        vg_dense_multiply(r.Z, modes + (size_t)k * (size_t)r.ne, r.n, r.ne, 1, y);
        vg_modes_turn(sys, kin, 1, y);
    }
    if (st == VG_OK && q->found > 0) q->stiffest = q->w2[q->found - 1];
    free(modes);
    vg_reduced_free(&r);
    vg_linearised_free(&l);
    return st;
}

/* The lowest, until all are seen that are not clearly positive. The shift of vg_lowest_bounded is proved to be below them
 * all, so that nothing is below the first that it finds. */
static vgStatus low_squares(vgPencil *p, const vgState *rest, Squares *q)
{
    enum { FIRST = 6, MOST = 400 };
    if (!(p->unsymmetry < VG_STABILITY_EVEN)) return VG_OK;
    vg_pencil_symmetrise(p);
    q->stiffest = vg_pencil_fastest(p) * vg_pencil_fastest(p);
    const double soft = VG_MODE_SOFT * q->stiffest + VG_MODES_NEUTRAL;
    vgStatus st = VG_OK;
    for (int want = FIRST; st == VG_OK; want *= 3) {
        free(q->w2);
        free(q->x);
        q->w2 = q->x = NULL;
        st = vg_lowest_bounded(p, rest, want, &q->found, &q->w2, &q->x);
        if (st != VG_OK || q->found < want || q->w2[q->found - 1] > soft) break;
        if (3 * want > MOST) st = VG_LIMIT; /* not known */
    }
    return st;
}

vgStability vg_modes_stability(const vgSystem *sys, vgWork *work, const vgState *rest, double *way)
{
    vgStability out = {.unstable = -1};
    Squares q = {.found = -1};
    vgPencil p = {0};
    vgStatus st = vg_linearise_refuses(sys, rest);
    const int sparse = vg_modes_are_sparse(sys);
    if (st == VG_OK && !sparse && sys->nv > VG_STABILITY_DENSE) st = VG_LIMIT;
    if (st != VG_OK) return out;
    st = vg_pencil_new(sys, work, rest, vg_zero3(), &p);
    if (st == VG_OK) st = sparse ? low_squares(&p, rest, &q) : all_squares(sys, work, rest, &q);
    double *room = vg_matrix(1, 3 * sys->nv + sys->nq);
    if (!room) st = VG_NO_MEMORY;
    if (st == VG_NO_MEMORY) out.status = st;
    if (st == VG_OK && q.found >= 0) {
        out.unstable = 0;
        for (int k = 0; k < q.found && q.w2[k] < 0; k++) {
            if (!leads_away(sys, work, rest, q.x + (size_t)k * (size_t)sys->nv, room)) continue;
            if (out.unstable++ == 0 && way) memcpy(way, room, (size_t)sys->nv * sizeof *way);
        }
        find_neutral(&p, work, rest, &q, room, &out);
    }
    free(q.w2);
    free(q.x);
    free(room);
    vg_pencil_free(&p);
    return out;
}
