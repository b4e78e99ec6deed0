/* The slowest modes of large models, by Krylov's method on the inverse of S(σ) near σ = 0 (docs/theory.md, eq. 59b):
 *
 *   without damping   x := (K + sM)⁻¹ M x,                                  ω² = 1/θ − s, symmetric in the mass metric
 *   else              y' := −S(σ)⁻¹ (M (v + σ y) + C y),   v' := y + σ y',     λ = σ + 1/μ
 *
 * with the rows B in every solution, so that all vectors keep the constraints. Cost: one sparse factorisation and some
 * dozens of solutions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/modes/lowest.h"
#include "analysis/modes/mode_list.h"
#include "analysis/tuning.h"
#include "linalg/eig_largest.h"
#include "linalg/lin/chol.h"

typedef struct Inverse {
    vgPencil *p;
    double sigma;
    double least, next; /* of shifts */
    double *t, *u;      /* [n] room */
} Inverse;

static void apply_square(void *of, double *x)
{
    const Inverse *v = of;
    vg_blocks_multiply(&v->p->M, x, v->t, v->p->n);
    vg_pencil_solve(v->p, v->t);
    memcpy(x, v->t, (size_t)v->p->n * sizeof *x);
}

static void weigh_square(void *of, const double *x, double *y)
{
    const Inverse *v = of;
    vg_blocks_multiply(&v->p->M, x, y, v->p->n);
}

/* Nothing depends on the coordinate of an integral; its rate alone is a state. */
static void drop_integrals(const vgPencil *p, double *y)
{
    const vgSystem *sys = p->sys;
    for (int i = 0; i < p->n; i++)
        if (vg_model_is_integral(sys->model, sys->v_body[i])) y[i] = 0;
}

static void apply_states(void *of, double *x)
{
    const Inverse *v = of;
    const vgPencil *p = v->p;
    const int n = p->n;
    double *y = x, *rate = x + n, *t = v->t, *u = v->u;
    drop_integrals(p, y);
    for (int i = 0; i < n; i++) rate[i] += v->sigma * y[i];
    vg_blocks_multiply(&p->M, rate, t, n);
    vg_blocks_multiply(&p->C, y, u, n);
    for (int i = 0; i < n; i++) t[i] = -(t[i] + u[i]);
    vg_pencil_solve(v->p, t);
    for (int i = 0; i < n; i++) {
        rate[i] = y[i] + v->sigma * t[i];
        y[i] = t[i];
    }
    drop_integrals(p, y);
}

static void weigh_states(void *of, const double *x, double *y)
{
    const vgPencil *p = ((const Inverse *)of)->p;
    for (int i = 0; i < p->n; i++) {
        const double scale = p->sys->v_scale[i] * p->sys->v_scale[i];
        y[i] = x[i] / scale;
        y[p->n + i] = x[p->n + i] / scale;
    }
}

/* Factors K + sM or S(σ) at the shift, or near it where an eigenvalue hits it. */
static vgStatus factor(vgPencil *p, const vgState *state, int square, double *sigma)
{
    enum { TRIES = 12 };
    vgStatus st = VG_SINGULAR;
    for (int i = 0; i < TRIES && st == VG_SINGULAR; i++) {
        if (i) *sigma *= 8;
        st = vg_pencil_factor(p, state, *sigma, square);
    }
    return st;
}

/* The shift s of K + sM is of the size of the slowest vibration: a much larger one makes all wanted θ nearly equal, a much
 * smaller one makes those of free motions so large that the others are their rounding. v->next: a better one. */
static int look_at_shift(void *of, int n, const double *theta)
{
    Inverse *v = of;
    double slow = INFINITY;
    int nfree = 0;
    for (int i = 0; i < n; i++) {
        const double w2 = fabs(1 / theta[i] - v->sigma);
        if (w2 > VG_MODE_SHIFT_SEES * v->sigma)
            slow = fmin(slow, w2);
        else
            nfree++;
    }
    v->next = fmax(slow, v->least);
    if (isinf(slow)) return 0;
    return v->next < VG_MODE_SHIFT_LARGE * v->sigma || (nfree && v->next > VG_MODE_SHIFT_SMALL * v->sigma);
}

static vgStatus largest(Inverse *v, int states, int want, int *found, double **re, double **vectors)
{
    const int n = v->p->n;
    const size_t N = (size_t)(states ? 2 * n : n), room = (size_t)want + 1;
    vgMap map = {.n = (int)N,
                 .of = v,
                 .apply = states ? apply_states : apply_square,
                 .weigh = states ? weigh_states : weigh_square,
                 .symmetric = !states,
                 .look = v->least > 0 ? look_at_shift : NULL};
    v->t = calloc(2 * (size_t)n + 1, sizeof *v->t);
    *re = calloc(2 * room, sizeof **re);
    *vectors = malloc((room * N + 1) * sizeof **vectors);
    vgStatus st = v->t && *re && *vectors ? VG_OK : VG_NO_MEMORY;
    if (st == VG_OK) {
        v->u = v->t + n;
        st = vg_eig_largest(&map, want, found, *re, *re + room, *vectors);
    }
    free(v->t);
    v->t = NULL;
    return st;
}

/* The root of the largest K_ii/M_ii: the fastest mode is at least about that fast. */
double vg_pencil_fastest(const vgPencil *p)
{
    double *k = calloc(2 * (size_t)p->n + 1, sizeof *k), most = 0;
    const vgBlocks *of[2] = {&p->K, &p->M};
    for (int a = 0; k && a < 2; a++)
        for (int i = 0; i < of[a]->n; i++) {
            const struct vgBlockAt *b = &of[a]->block[i];
            for (int r = 0; b->row == b->col && r < b->rows; r++)
                k[a * p->n + b->row + r] = of[a]->value[b->at + (size_t)(r * (b->cols + 1))];
        }
    for (int i = 0; k && i < p->n; i++)
        if (k[p->n + i] > 0 && !vg_model_is_integral(p->sys->model, p->sys->v_body[i]))
            most = fmax(most, fabs(k[i]) / k[p->n + i]);
    free(k);
    return sqrt(most);
}

vgStatus vg_lowest_squares(vgPencil *p, const vgState *state, int want, double *shift, int *found,
                           double **w2, double **x)
{
    enum { TRIES = 8 };
    const double fast = vg_pencil_fastest(p);
    Inverse v = {.p = p, .least = VG_MODE_SHIFT_LEAST * fast * fast};
    vgStatus st = VG_LIMIT;
    v.sigma = fmax(VG_MODES_SHIFT * VG_MODES_SHIFT, v.least);
    for (int i = 0; i < TRIES && st == VG_LIMIT; i++) {
        if (i) v.sigma = v.next;
        if (i == TRIES - 1) v.least = 0; /* as it is */
        *found = 0;
        *w2 = *x = NULL;
        st = factor(p, state, 1, &v.sigma);
        if (st == VG_OK) st = largest(&v, 0, want, found, w2, x);
        if (st != VG_LIMIT) break;
        free(*w2);
        free(*x);
        *w2 = *x = NULL;
    }
    for (int k = 0; st == VG_OK && k < *found; k++) (*w2)[k] = 1 / (*w2)[k] - v.sigma;
    *shift = v.sigma;
    return st;
}

/* 1: K + sM is positive definite wherever the rows hold, shown by Cholesky's factorisation of K + sM + BᵀαB. */
static vgStatus is_positive(vgPencil *p, const vgState *state, double s, int *yes)
{
    vgLinChol *c = NULL;
    double *alpha = calloc((size_t)p->size + 1, sizeof *alpha);
    vgStatus st = alpha ? vg_lin_chol_new(p->lin, VG_CHOL_AUTO, &c) : VG_NO_MEMORY;
    *yes = 0;
    if (st == VG_OK) {
        vg_pencil_fill(p, state, s, 1);
        vg_lin_chol_row_mass(c, alpha);
        for (int i = p->n; i < p->size; i++) alpha[i] *= VG_STABILITY_PENALTY;
        st = vg_lin_chol_factor(c, alpha);
        *yes = st == VG_OK && vg_lin_chol_fallbacks(c) == 0;
        if (st != VG_NO_MEMORY) st = VG_OK;
    }
    vg_lin_chol_free(c);
    free(alpha);
    return st;
}

vgStatus vg_lowest_bounded(vgPencil *p, const vgState *state, int want, int *found, double **w2, double **x)
{
    const double fast = vg_pencil_fastest(p), most = 64 * fast * fast;
    Inverse v = {.p = p, .sigma = fmax(VG_MODES_SHIFT * VG_MODES_SHIFT, VG_MODE_SHIFT_LEAST * fast * fast)};
    int yes = 0;
    *found = 0;
    *w2 = *x = NULL;
    vgStatus st = is_positive(p, state, v.sigma, &yes);
    while (st == VG_OK && !yes && v.sigma < most) {
        v.sigma *= 64;
        st = is_positive(p, state, v.sigma, &yes);
    }
    if (st == VG_OK && !yes) st = VG_LIMIT;
    if (st == VG_OK) st = vg_pencil_factor(p, state, v.sigma, 1);
    if (st == VG_OK) st = largest(&v, 0, want, found, w2, x);
    for (int k = 0; st == VG_OK && k < *found; k++) (*w2)[k] = 1 / (*w2)[k] - v.sigma;
    return st;
}

static vgStatus states(vgPencil *p, const vgState *state, double shift, int most, vgModeList *list)
{
    Inverse v = {.p = p, .sigma = sqrt(shift)};
    const int want = 2 * most + 2; /* pairs, and double zeros */
    const size_t n = (size_t)p->n;
    double *re = NULL, *vectors = NULL;
    int found = 0;
    vgStatus st = factor(p, state, 0, &v.sigma);
    if (st == VG_OK) st = largest(&v, 1, want, &found, &re, &vectors);
    for (int k = 0; st == VG_OK && k < found; k++) {
        const double *im = re + want + 1, *x = vectors + (size_t)k * 2 * n;
        const double size2 = re[k] * re[k] + im[k] * im[k];
        if (im[k] < 0) continue;
        /* Im λ > 0 is Im μ < 0: the conjugate vector */
        double *b = im[k] > 0 ? vectors + (size_t)(k + 1) * 2 * n : NULL;
        for (size_t i = 0; b && i < n; i++) b[i] = -b[i];
        vg_mode_list_add(list, v.sigma + re[k] / size2, im[k] / size2, x, b);
    }
    if (st == VG_OK) st = vg_mode_list_settle_free(p, list);
    free(re);
    free(vectors);
    return st;
}

int vg_modes_are_sparse(const vgSystem *sys)
{
    for (int r = 0; r < sys->nl; r++)
        if (sys->row_level[r] > 0) return 0;
    return sys->nv > VG_MODES_DENSE;
}

vgStatus vg_lowest(const vgSystem *sys, vgWork *work, const vgState *state, vgVec3 w, int most, vgModes *out)
{
    static const double PI = 3.14159265358979323846;
    vgPencil p = {0};
    vgModeList list = {0};
    double *w2 = NULL, *x = NULL, *K = NULL, shift = 0;
    int found = 0, integrals = 0, rows = 0;
    for (int i = 0; i < sys->nv; i++) integrals += vg_model_is_integral(sys->model, sys->v_body[i]);
    for (int r = 0; r < sys->model->nrow; r++) rows += state->active[r];
    out->freedom = sys->nv - integrals - rows;
    if (most > out->freedom) most = out->freedom;
    if (most <= 0) return VG_UNSUPPORTED;
    vgStatus st = vg_pencil_new(sys, work, state, w, &p);
    if (st == VG_OK) st = vg_mode_list_new(&list, 4 * most + 4, sys->nv);
    const int even = st == VG_OK && p.C.n == 0 && p.unsymmetry <= VG_MODE_EVEN;
    if (st == VG_OK && !even && !(K = malloc((p.nvalue + 1) * sizeof *K))) st = VG_NO_MEMORY;
    if (st == VG_OK) {
        if (K) memcpy(K, p.K.value, p.nvalue * sizeof *K);
        out->unsymmetry = p.unsymmetry;
        vg_pencil_symmetrise(&p);
        st = vg_lowest_squares(&p, state, most, &shift, &found, &w2, &x);
    }
    for (int k = 0; st == VG_OK && even && k < found; k++)
        vg_mode_list_add_square(&p, &list, w2[k], x + (size_t)k * (size_t)sys->nv);
    if (st == VG_OK) {
        out->undamped = calloc((size_t)found + 1, sizeof *out->undamped);
        if (!out->undamped) st = VG_NO_MEMORY;
    }
    if (st == VG_OK) {
        for (int k = 0; k < found; k++) {
            if (vg_pencil_is_free(&p, x + (size_t)k * (size_t)sys->nv)) w2[k] = 0;
            out->undamped[k] = (w2[k] < 0 ? -1 : 1) * sqrt(fabs(w2[k])) / (2 * PI);
        }
        for (int k = 1; k < found; k++) /* few */
            for (int i = k; i > 0 && out->undamped[i] < out->undamped[i - 1]; i--) {
                double keep = out->undamped[i];
                out->undamped[i] = out->undamped[i - 1], out->undamped[i - 1] = keep;
            }
        out->nundamped = found;
        if (K) memcpy(p.K.value, K, p.nvalue * sizeof *K);
    }
    if (st == VG_OK && !even) st = states(&p, state, shift, most, &list);
    if (st == VG_OK) {
        st = vg_mode_list_give(sys, sys->ops->kinematics(sys, work, state->t, state->q, state->v, state->a),
                               &list, most, out);
        out->fastest = fmax(out->fastest, vg_pencil_fastest(&p));
    }
    free(K);
    free(w2);
    free(x);
    vg_mode_list_free(&list);
    vg_pencil_free(&p);
    return st;
}
