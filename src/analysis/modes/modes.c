#include "analysis/modes/modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/modes/lowest.h"
#include "analysis/modes/mode_list.h"
#include "analysis/modes/reduced.h"
#include "analysis/run/diagnose.h"
#include "linalg/dense.h"
#include "linalg/eig.h"
#include "linalg/null_space.h"
#include "analysis/tuning.h"
#include "system/native/native.h"

static const double PI = 3.14159265358979323846;

/* Nᵀ A D into a block of S, from column col0 on, times sign; D ne × k, of which `use` columns count. */
static void add_pencil(const vgReduced *r, const double *A, const double *D, int k, int use, int col0,
                       double sign, double *t, double *out, double *S)
{
    size_t n = (size_t)r->state;
    vg_sandwich(r->N, A, D, r->ne, r->ne, r->nu, k, t, out);
    for (int i = 0; i < r->nu; i++)
        for (int j = 0; j < use; j++)
            S[(size_t)(r->np + i) * n + (size_t)(col0 + j)] += sign * out[(size_t)i * (size_t)k + (size_t)j];
}

/* E ẋ = A x for x = (η, u):
 *   η̇ = N u − X η
 *   NᵀMN u̇ − NᵀMX η̇ + NᵀC(N u − X η) + NᵀK η = 0 */
static vgStatus pencil(const vgReduced *r, double *E, double *A)
{
    size_t n = (size_t)r->state;
    int ne = r->ne, np = r->np, nu = r->nu;
    double *t = vg_square(ne), *o = vg_square(ne), *eye = vg_square(ne);
    if (t && o && eye) {
        for (int i = 0; i < ne; i++) eye[i * ne + i] = 1;
        for (int i = 0; i < np; i++) {
            E[(size_t)i * n + (size_t)i] = 1;
            for (int j = 0; j < nu; j++) A[(size_t)i * n + (size_t)(np + j)] = r->N[i * nu + j];
            for (int j = 0; j < np; j++) A[(size_t)i * n + (size_t)j] = -r->X[i * ne + j];
        }
        add_pencil(r, r->M, r->N, nu, nu, np, 1, t, o, E);
        add_pencil(r, r->M, r->X, ne, np, 0, -1, t, o, E);
        add_pencil(r, r->C, r->N, nu, nu, np, -1, t, o, A);
        add_pencil(r, r->C, r->X, ne, np, 0, 1, t, o, A);
        add_pencil(r, r->K, eye, ne, np, 0, -1, t, o, A);
    }
    vgStatus st = t && o && eye ? VG_OK : VG_NO_MEMORY;
    free(t);
    free(o);
    free(eye);
    return st;
}

/* Slow modes are wanted with all digits, however stiff the model is. Eigenvalues μ = 1/(λ − σ) of (A − σE)⁻¹E are
 * computed with the rounding of the largest μ, so that λ near σ have nearly all digits; E⁻¹A would give them with
 * the rounding of the largest λ. E may be singular: then μ = 0 (docs/theory.md, eq. 59a).
 * E := (A − σE)⁻¹ E column by column; A is spoilt. */
static vgStatus shift_and_invert(double *E, double *A, int n)
{
    const size_t all = (size_t)n * (size_t)n;
    int *pivot = calloc((size_t)n + 1, sizeof *pivot);
    double *x = vg_matrix(1, n);
    vgStatus st = pivot && x ? VG_OK : VG_NO_MEMORY;
    for (size_t i = 0; i < all; i++) A[i] -= VG_MODES_SHIFT * E[i];
    if (st == VG_OK) st = vg_dense_lu(A, n, 0, pivot, NULL);
    for (int j = 0; st == VG_OK && j < n; j++) {
        for (int i = 0; i < n; i++) x[i] = E[(size_t)i * (size_t)n + (size_t)j];
        vg_dense_lu_solve(A, pivot, n, x);
        for (int i = 0; i < n; i++) E[(size_t)i * (size_t)n + (size_t)j] = x[i];
    }
    free(pivot);
    free(x);
    return st;
}

/* ---- what comes out ---- */

/* y = Z η, turns in body axes. */
static void take_shape(const vgSystem *sys, const vgKin *kin, const vgReduced *r, const double *x,
                       double sign, double *y)
{
    for (int i = 0; i < r->n; i++) {
        y[i] = 0;
        for (int k = 0; k < r->np; k++) y[i] += sign * r->Z[(size_t)i * (size_t)r->ne + (size_t)k] * x[k];
    }
    vg_modes_turn(sys, kin, 1, y);
}

/* λ = σ + 1/μ; the conjugate of a pair, which has Im λ < 0, is left out. Vectors of μ are those of λ. */
static vgStatus collect(const vgSystem *sys, const vgKin *kin, const vgReduced *r, const double *re,
                        const double *im, const double *vectors, vgModeList *list)
{
    int n = r->state;
    double largest = 0, *y = vg_matrix(2, r->n);
    if (!y) return VG_NO_MEMORY;
    for (int k = 0; k < n; k++) largest = fmax(largest, hypot(re[k], im[k]));
    for (int k = 0; k < n; k++) {
        const double size2 = re[k] * re[k] + im[k] * im[k], *x = vectors + (size_t)k * (size_t)n;
        if (im[k] < 0 || !(sqrt(size2) > VG_MODE_INFINITE * largest)) continue;
        take_shape(sys, kin, r, x, 1, y);
        if (im[k] > 0) take_shape(sys, kin, r, x + n, -1, y + r->n); /* Im λ > 0 is Im μ < 0 */
        vg_mode_list_add(list, VG_MODES_SHIFT + re[k] / size2, im[k] / size2, y, im[k] > 0 ? y + r->n : NULL);
    }
    free(y);
    return VG_OK;
}

static vgStatus damped(const vgSystem *sys, const vgKin *kin, const vgReduced *r, vgModeList *list)
{
    int n = r->state;
    double *E = vg_square(n), *A = vg_square(n), *re = vg_matrix(2, n), *vectors = vg_square(n),
           *im = re ? re + n : NULL;
    vgStatus st = E && A && re && vectors ? pencil(r, E, A) : VG_NO_MEMORY;
    if (st == VG_OK) st = shift_and_invert(E, A, n);
    if (st == VG_OK) st = vg_eig_general(E, n, re, im, vectors);
    if (st == VG_OK) st = collect(sys, kin, r, re, im, vectors, list);
    free(E);
    free(A);
    free(re);
    free(vectors);
    return st;
}

double vg_symmetrise(double *A, int n)
{
    double off = 0, big = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double *a = &A[(size_t)i * (size_t)n + (size_t)j], *b = &A[(size_t)j * (size_t)n + (size_t)i];
            off = fmax(off, fabs(*a - *b));
            big = fmax(big, fmax(fabs(*a), fabs(*b)));
            *a = *b = 0.5 * (*a + *b);
        }
    return big > 0 ? off / big : 0;
}

static void swap(double *a, double *b, int n)
{
    for (int i = 0; i < n; i++) {
        double keep = a[i];
        a[i] = b[i], b[i] = keep;
    }
}

/* K x = ω² M x, ascending, the infinite ones left out, by 1/(ω² + s) for the same reason, s such that K + sM
 * is positive definite; returns how many, or −1. */
vgStatus vg_squares(const double *K, const double *M, int n, double *w2, double *modes, int *found)
{
    const size_t all = (size_t)n * (size_t)n;
    double *shifted = vg_square(n), s = VG_MODES_SHIFT * VG_MODES_SHIFT / 64;
    vgStatus st = shifted ? VG_SINGULAR : VG_NO_MEMORY;
    for (int tried = 0; tried < 12 && st == VG_SINGULAR; tried++) {
        s *= 64;
        for (size_t i = 0; i < all; i++) shifted[i] = K[i] + s * M[i];
        st = vg_eig_symmetric_pair(M, shifted, n, w2, modes);
    }
    free(shifted);
    *found = -1;
    if (st != VG_OK) return st == VG_NO_MEMORY ? st : VG_OK;
    for (int i = 0, k = n - 1; i < k; i++, k--) {
        swap(&w2[i], &w2[k], 1);
        if (modes) swap(modes + (size_t)i * (size_t)n, modes + (size_t)k * (size_t)n, n);
    }
    int finite = 0;
    while (finite < n && w2[finite] > VG_MODE_INFINITE * w2[0]) finite++;
    for (int i = 0; i < finite; i++) w2[i] = 1 / w2[i] - s;
    *found = finite;
    return VG_OK;
}

/* 1: no damping, no rows of velocities, no integrals, K symmetric: modes are those of K x = ω² M x. */
static int is_even(const vgReduced *r)
{
    const int n = r->ne;
    double off = 0, big = 0;
    if (r->nu != n || r->np != n) return 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double k = r->K[(size_t)i * (size_t)n + (size_t)j];
            if (r->C[(size_t)i * (size_t)n + (size_t)j] != 0) return 0;
            off = fmax(off, fabs(k - r->K[(size_t)j * (size_t)n + (size_t)i]));
            big = fmax(big, fabs(k));
        }
    return off <= VG_MODE_EVEN * big;
}

/* Last: it spoils K and M. even (NULL: not wanted): the modes go there. */
static vgStatus undamped(const vgSystem *sys, const vgKin *kin, const vgPencil *p, vgReduced *r,
                         vgModeList *even, vgModes *out)
{
    int n = r->np;
    out->undamped = vg_matrix(1, n);
    if (!out->undamped) return VG_NO_MEMORY;
    for (int i = 0; i < n && n < r->ne; i++) { /* without integrals */
        memmove(r->K + (size_t)i * (size_t)n, r->K + (size_t)i * (size_t)r->ne, (size_t)n * sizeof *r->K);
        memmove(r->M + (size_t)i * (size_t)n, r->M + (size_t)i * (size_t)r->ne, (size_t)n * sizeof *r->M);
    }
    out->unsymmetry = vg_symmetrise(r->K, n);
    vg_symmetrise(r->M, n);
    int found = 0;
    double *x = vg_square(n), *y = vg_matrix(1, r->n);
    vgStatus st = x && y ? VG_OK : VG_NO_MEMORY;
    if (st == VG_OK && n) st = vg_squares(r->K, r->M, n, out->undamped, x, &found);
    out->nundamped = st == VG_OK && found > 0 ? found : 0;
    for (int i = 0; i < out->nundamped; i++) {
        double w2 = out->undamped[i];
        take_shape(sys, kin, r, x + (size_t)i * (size_t)n, 1, y);
        if (vg_pencil_is_free(p, y)) w2 = 0;
        if (even) vg_mode_list_add_square(p, even, w2, y);
        out->undamped[i] = (w2 < 0 ? -1 : 1) * sqrt(fabs(w2)) / (2 * PI);
    }
    free(x);
    free(y);
    return st;
}

/* All modes, by dense matrices. */
static vgStatus all_modes(const vgSystem *sys, const vgKin *kin, const vgPencil *p, vgReduced *r,
                          vgModes *out)
{
    vgModeList list;
    const int even = is_even(r);
    vgStatus st = vg_mode_list_new(&list, 2 * r->state, r->n);
    if (st == VG_OK && !even) st = damped(sys, kin, r, &list);
    /* rows of velocities bear forces along y */
    if (st == VG_OK && !even && r->nu == r->ne) st = vg_mode_list_settle_free(p, &list);
    if (st == VG_OK) st = undamped(sys, kin, p, r, even ? &list : NULL, out);
    if (st == VG_OK) st = vg_mode_list_give(sys, kin, &list, list.n, out);
    vg_mode_list_free(&list);
    return st;
}

vgStatus vg_modes(const vgSystem *sys, vgWork *work, const vgState *state, vgDiag *diag, vgModes *out)
{
    return vg_modes_seen(sys, work, state, vg_zero3(), diag, out);
}

vgStatus vg_modes_seen(const vgSystem *sys, vgWork *work, const vgState *state, vgVec3 w, vgDiag *diag,
                       vgModes *out)
{
    return vg_modes_lowest(sys, work, state, w, 0, diag, out);
}

/* Says why there are no modes. */
static void tell_refusal(const vgSystem *sys, vgStatus st, vgDiag *diag)
{
    if (st == VG_UNSUPPORTED && vg_native_has_crowd(sys->model))
        vg_diag_error(diag, VG_NOWHERE,
                      "modes do not know the contacts of groups (`contacts:`); write those that touch one by "
                      "one under `forces`, or take the eigenvalues of `verge linearize`");
    else if (st == VG_UNSUPPORTED && sys->body_axes)
        vg_diag_error(diag, VG_NOWHERE,
                      "a force reads the reaction of joint '%s'; modes are taken without such forces, or at "
                      "rest where they are friction",
                      sys->model->joint[sys->model->load[0].joint].name);
    else if (st == VG_UNSUPPORTED)
        vg_diag_error(diag, VG_NOWHERE, "modes are taken in coordinates lie or planar, not %s",
                      sys->coordinates);
    if (st == VG_LIMIT)
        vg_diag_error(
            diag, VG_NOWHERE,
            "the model has %d coordinates; all modes, or those of a model with rolling, are for at most %d",
            sys->nv, VG_MODES_MAX);
}

static vgStatus dense(const vgSystem *sys, vgWork *work, const vgState *state, vgVec3 w, vgModes *out)
{
    vgLinearised l;
    vgReduced r = {0};
    vgPencil p = {0};
    vgStatus st = vg_linearise(sys, work, state, &l);
    if (st == VG_OK && vg_norm3(w) > 0) st = vg_linearised_spin(sys, w, &l);
    if (st == VG_OK) st = vg_reduced_new(sys, &l, &r);
    if (st == VG_OK) st = vg_pencil_new(sys, work, state, w, &p);
    out->freedom = r.np;
    if (st == VG_OK && r.np > 0)
        st = all_modes(sys, sys->ops->kinematics(sys, work, state->t, state->q, state->v, state->a), &p, &r,
                       out);
    vg_pencil_free(&p);
    vg_reduced_free(&r);
    vg_linearised_free(&l);
    return st;
}

vgStatus vg_modes_lowest(const vgSystem *sys, vgWork *work, const vgState *state, vgVec3 w, int most,
                         vgDiag *diag, vgModes *out)
{
    char cause[400];
    const int few = most > 0 && vg_modes_are_sparse(sys);
    *out = (vgModes){.nv = sys->nv};
    vgStatus st = vg_linearise_refuses(sys, state);
    if (st == VG_OK && !few && sys->nv > VG_MODES_MAX) st = VG_LIMIT;
    if (st != VG_OK) {
        tell_refusal(sys, st, diag);
        return st;
    }
    st = few ? vg_lowest(sys, work, state, w, most, out) : dense(sys, work, state, w, out);
    const int held = out->freedom == 0 && (st == VG_OK || st == VG_UNSUPPORTED);
    if (held) st = VG_UNSUPPORTED;
    if (held)
        vg_diag_error(diag, VG_NOWHERE, "there are no modes: joints and drives leave no freedom");
    else if (st == VG_UNSUPPORTED)
        vg_diag_error(diag, VG_NOWHERE, "constraints of velocity level repeat others here");
    else if (st != VG_OK)
        vg_diag_error(diag, VG_NOWHERE, "the eigenvalues could not be computed: %s",
                      vg_diagnose_number(sys, work, state, cause, sizeof cause) ? cause : vg_status_text(st));
    if (st != VG_OK) vg_modes_free(out);
    return st;
}

double vg_modes_whirl(const vgSystem *sys, vgWork *work, const vgState *state, const vgModes *modes, int k)
{
    const double *re = modes->shape_re + (size_t)k * (size_t)modes->nv;
    const double *im = modes->shape_im + (size_t)k * (size_t)modes->nv;
    const vgKin *kin = sys->ops->kinematics(sys, work, state->t, state->q, state->v, state->a);
    double turns = 0, all = 0;
    for (int i = 0; i < modes->nv;) {
        int body = sys->v_body[i];
        double a[6] = {0}, b[6] = {0};
        for (; i < modes->nv && sys->v_body[i] == body; i++) {
            a[vg_modes_component(sys, i)] = re[i];
            b[vg_modes_component(sys, i)] = im[i];
        }
        vgVec3 w = vg_mv3(kin[body].R, kin[body].w);
        double spin = vg_norm3(w);
        if (!(spin > 0)) continue;
        for (int c = 0; c < 6; c += 3) { /* displacements, turns times the model's length */
            double scale = c ? sys->length * sys->length : 1;
            turns += 2 * scale * vg_dot3(vg_cross3(vg_load3(b + c), vg_load3(a + c)), w) / spin;
            for (int part = 0; part < 2; part++) {
                vgVec3 x = vg_load3((part ? b : a) + c), across = vg_cross3(x, w);
                all += scale * vg_dot3(across, across) / (spin * spin);
            }
        }
    }
    return all > 0 ? turns / all : 0;
}

void vg_modes_free(vgModes *m)
{
    free(m->mode);
    free(m->shape_re);
    free(m->shape_im);
    free(m->undamped);
    *m = (vgModes){0};
}
