/* Shapes of a straight beam, by the method of Ritz with one element of high degree (docs/theory.md, eq. 81,
 * 87).
 *
 * Fields u = (u_x, u_y, u_z, φ_x, φ_y, φ_z) along s in [0, 1], each a sum of the two linear functions 1 − s
 * and s and of bubbles P_k(2s − 1) − P_{k−2}(2s − 1), which vanish at the ends: the first two coefficients
 * are displacements of the ends, and an end is held by leaving its function out. Rotations have one degree
 * less than deflections, so that slopes are reproduced and nothing locks.
 *     strains ε = (u_x′, u_y′ − φ_z, u_z′ + φ_y, φ_x′, φ_y′, φ_z′),    K = ∫ εᵀ C ε,    M = ∫ ρ ψ·ψ
 * A point (y, z) of the section moves by t + r × (0, y, z). Modes are those of (K, M), or the Craig–Bampton
 * shapes of the ends and of the beam held there; both then made orthogonal. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "element/modal/modal.h"
#include "element/tuning.h"

enum { MAX_DEGREE = 60, MAX_POINTS = 2 * MAX_DEGREE + 4, MAX_DOF = 6 * (MAX_DEGREE + 1), STATIONS = 65 };

static const double pi = 3.14159265358979323846;

typedef struct Ritz {
    const vgModalBeam *def;
    int degree, points;                  /* of deflections; Gauss points over the beam */
    int n, nb;                           /* coefficients; the first nb are displacements of the ends */
    int field[MAX_DOF];                  /* of the coefficient */
    int function[MAX_DOF];               /* 0: 1 − s, 1: s, k ≥ 2: bubble */
    double x[MAX_POINTS], w[MAX_POINTS]; /* Gauss points and weights in [0, 1] */
    double *K, *M;
    double *mode; /* [nmode × n] coefficients of the modes that are kept */
    int nmode;
    vgMat3 B; /* ∫ρ s sᵀ over the section */
} Ritz;

static void legendre(int degree, double x, double *P, double *dP)
{
    P[0] = 1, dP[0] = 0;
    P[1] = x, dP[1] = 1;
    for (int k = 2; k <= degree; k++) {
        P[k] = ((2 * k - 1) * x * P[k - 1] - (k - 1) * P[k - 2]) / k;
        dP[k] = dP[k - 2] + (2 * k - 1) * P[k - 1];
    }
}

/* Gauss–Legendre on [0, 1]: zeros of P_n by Newton's iteration. */
static void gauss(int n, double *x, double *w)
{
    double P[MAX_POINTS + 1], dP[MAX_POINTS + 1];
    for (int i = 0; i < n; i++) {
        double z = -cos(pi * (i + 0.75) / (n + 0.5));
        for (int k = 0; k < 30; k++) {
            legendre(n, z, P, dP);
            double step = P[n] / dP[n];
            z -= step;
            if (fabs(step) < VG_GAUSS_POINT) break;
        }
        legendre(n, z, P, dP);
        x[i] = 0.5 * (1 + z);
        w[i] = 1 / ((1 - z * z) * dP[n] * dP[n]);
    }
}

/* All functions and their derivatives by s. */
static void functions(int degree, double s, double *N, double *dN)
{
    double P[MAX_DEGREE + 1], dP[MAX_DEGREE + 1];
    legendre(degree, 2 * s - 1, P, dP);
    N[0] = 1 - s, dN[0] = -1;
    N[1] = s, dN[1] = 1;
    for (int k = 2; k <= degree; k++) {
        N[k] = P[k] - P[k - 2];
        dN[k] = 2 * (dP[k] - dP[k - 2]);
    }
}

static int held(const vgModalBeam *def, int field, int end)
{
    if (def->support == VG_MODAL_CLAMPED) return end == 0;
    if (def->support == VG_MODAL_PINNED) return end == 0 ? field < 4 : field == 1 || field == 2;
    return 0;
}

static void number(Ritz *r)
{
    const vgModalBeam *def = r->def;
    for (int bubbles = 0; bubbles < 2; bubbles++) {
        for (int f = 0; f < 6; f++) {
            if (def->planar && f != 0 && f != 1 && f != 5) continue;
            int last = f == 1 || f == 2 ? r->degree : r->degree - 1;
            for (int k = bubbles ? 2 : 0; k <= (bubbles ? last : 1); k++) {
                if (!bubbles && held(def, f, k)) continue;
                r->field[r->n] = f;
                r->function[r->n++] = k;
            }
        }
        if (!bubbles) r->nb = r->n;
    }
}

/* Displacement, rotation and strain of coefficient i. */
static void column(const Ritz *r, int i, const double *N, const double *dN, double u[6], double e[6])
{
    const int f = r->field[i], k = r->function[i];
    const double L = r->def->length;
    memset(u, 0, 6 * sizeof *u);
    memset(e, 0, 6 * sizeof *e);
    u[f] = N[k];
    e[f] = dN[k] / L;
    if (f == 4) e[2] += N[k];
    if (f == 5) e[1] -= N[k];
}

/* ∫ρ ψ_a ψ_bᵀ over the section, ψ = t + r × s. */
static vgMat3 section_product(const Ritz *r, const double a[6], const double b[6])
{
    const vgSection *c = &r->def->section;
    vgVec3 ta = vg_load3(a), tb = vg_load3(b), ra = vg_load3(a + 3), rb = vg_load3(b + 3);
    vgMat3 Q = vg_mscale3(vg_outer3(ta, tb), c->m);
    Q = vg_madd3(Q, vg_outer3(ta, vg_cross3(rb, c->S)));
    Q = vg_madd3(Q, vg_outer3(vg_cross3(ra, c->S), tb));
    return vg_madd3(Q, vg_mmt3(vg_mm3(vg_skew3(ra), r->B), vg_skew3(rb)));
}

/* A coefficient moves one field f, and strains f and at most one other: of the section's products only those of pairs of
 * fields are needed. */
static void matrices(Ritz *r)
{
    const double L = r->def->length, *C = r->def->section.C;
    double pair[6][6];
    for (int f = 0; f < 6; f++)
        for (int h = 0; h < 6; h++) {
            double a[6] = {0}, b[6] = {0};
            a[f] = b[h] = 1;
            pair[f][h] = vg_trace3(section_product(r, a, b));
        }
    for (int g = 0; g < r->points; g++) {
        double N[MAX_DEGREE + 1], dN[MAX_DEGREE + 1], u[MAX_DOF][6], e[MAX_DOF][6], s[MAX_DOF][6];
        functions(r->degree, r->x[g], N, dN);
        for (int i = 0; i < r->n; i++) {
            column(r, i, N, dN, u[i], e[i]);
            for (int k = 0; k < 6; k++) {
                s[i][k] = 0;
                for (int l = 0; l < 6; l++) s[i][k] += C[6 * k + l] * e[i][l];
            }
        }
        for (int i = 0; i < r->n; i++) {
            const int f = r->field[i], other = f == 4 ? 2 : f == 5 ? 1 : f;
            const double w = L * r->w[g], mass = w * u[i][f], first = w * e[i][f],
                         second = other == f ? 0 : w * e[i][other];
            for (int j = 0; j < r->n; j++) {
                r->K[i * r->n + j] += first * s[j][f] + second * s[j][other];
                r->M[i * r->n + j] += mass * u[j][r->field[j]] * pair[f][r->field[j]];
            }
        }
    }
}

/* The functions at s and their derivatives along the beam. */
static void functions_along(const Ritz *r, double s, double *N, double *rate)
{
    functions(r->degree, s, N, rate);
    for (int k = 0; k <= r->degree; k++) rate[k] /= r->def->length;
}

/* Displacement and strain of mode k where the functions are N and their derivatives `rate`. */
static void mode_by(const Ritz *r, int k, const double *N, const double *rate, double u[6], double e[6])
{
    memset(u, 0, 6 * sizeof *u);
    memset(e, 0, 6 * sizeof *e);
    for (int i = 0; i < r->n; i++) {
        const double c = r->mode[k * r->n + i];
        const int f = r->field[i], j = r->function[i];
        u[f] += c * N[j];
        e[f] += c * rate[j];
        if (f == 4) e[2] += c * N[j];
        if (f == 5) e[1] -= c * N[j];
    }
}

/* The same at s. */
static void mode_at(const Ritz *r, int k, double s, double u[6], double e[6])
{
    double N[MAX_DEGREE + 1], rate[MAX_DEGREE + 1];
    functions_along(r, s, N, rate);
    mode_by(r, k, N, rate, u, e);
}

/* One metre at the largest deflection (a rotation counts by a tenth of the length), positive at the end. */
static void normalise(Ritz *r)
{
    double big[VG_MODAL_MAX_MODES] = {0}, sign[VG_MODAL_MAX_MODES] = {0}, N[MAX_DEGREE + 1],
           rate[MAX_DEGREE + 1];
    for (int p = 0; p < STATIONS; p++) {
        functions_along(r, (double)p / (STATIONS - 1), N, rate);
        for (int k = 0; k < r->nmode; k++) {
            double u[6], e[6];
            mode_by(r, k, N, rate, u, e);
            for (int l = 0; l < 6; l++) {
                double size = fabs(u[l]) * (l < 3 ? 1 : 0.1 * r->def->length);
                if (size > big[k] * (1 + VG_LARGEST_BY)) big[k] = size, sign[k] = u[l] < 0 ? -1 : 1;
            }
        }
    }
    for (int k = 0; k < r->nmode; k++)
        for (int i = 0; i < r->n && big[k] > 0; i++) r->mode[k * r->n + i] *= sign[k] / big[k];
}

static vgStatus free_modes(Ritz *r, int keep)
{
    const vgModalBeam *def = r->def;
    const int rigid = def->support == VG_MODAL_FREE ? (def->planar ? 3 : 6) : 0;
    const double L = def->length, EI = fmin(def->section.C[35], def->planar ? INFINITY : def->section.C[28]);
    double *V = malloc((size_t)((rigid + keep) * r->n) * sizeof *V);
    double shift = rigid ? 100 * EI / (def->section.m * L * L * L * L) : 0;
    vgStatus st = V ? vg_modal_lowest(r->n, r->K, r->M, shift, rigid + keep, V) : VG_NO_MEMORY;
    if (st == VG_OK) memcpy(r->mode, V + (size_t)(rigid * r->n), (size_t)(keep * r->n) * sizeof *V);
    r->nmode = keep;
    free(V);
    return st;
}

/* Craig–Bampton shapes, made orthogonal: the modes of the reduced matrices. */
static vgStatus end_modes(Ritz *r, int keep)
{
    const int n = r->n, m = r->nb + keep;
    double *T = malloc((size_t)(n * m) * sizeof *T), *k = malloc((size_t)(m * m) * sizeof *k);
    double *mm = malloc((size_t)(m * m) * sizeof *mm), *V = malloc((size_t)(m * m) * sizeof *V);
    vgStatus st = T && k && mm && V ? VG_OK : VG_NO_MEMORY;
    if (st == VG_OK) st = vg_modal_craig_bampton(n, r->K, r->M, r->nb, keep, T);
    if (st == VG_OK) st = vg_modal_project(n, m, r->K, T, k);
    if (st == VG_OK) st = vg_modal_project(n, m, r->M, T, mm);
    if (st == VG_OK) st = vg_modal_lowest(m, k, mm, 0, m, V);
    for (int a = 0; a < m && st == VG_OK; a++)
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int j = 0; j < m; j++) sum += T[i * m + j] * V[a * m + j];
            r->mode[a * n + i] = sum;
        }
    r->nmode = m;
    free(T);
    free(k);
    free(mm);
    free(V);
    return st;
}

/* ---- from modes to the body ---- */

/* ∫₀ˣ (y_i′ y_j′ + z_i′ z_j′) for all pairs of modes, at s in [0, 1]. */
static void slopes(const Ritz *r, int npoint, const double *gx, const double *gw, double s, double *H)
{
    const int m = r->nmode;
    memset(H, 0, (size_t)(m * m) * sizeof *H);
    for (int p = 0; p < npoint; p++) {
        double slope[2][VG_MODAL_MAX_MODES] = {{0}}, N[MAX_DEGREE + 1], dN[MAX_DEGREE + 1];
        const double *y = slope[0], *z = slope[1], w = r->def->length * s * gw[p];
        functions(r->degree, s * gx[p], N, dN);
        for (int i = 0; i < r->n; i++) {
            if (r->field[i] != 1 && r->field[i] != 2) continue;
            const double rate = dN[r->function[i]] / r->def->length;
            for (int k = 0; k < m; k++) slope[r->field[i] - 1][k] += r->mode[k * r->n + i] * rate;
        }
        for (int i = 0; i < m; i++) {
            const double yi = w * y[i], zi = w * z[i];
            for (int j = i; j < m; j++) H[i * m + j] += yi * y[j] + zi * z[j];
        }
    }
}

/* Every shape at s: the modes and, behind them, the shortening that belongs to products of amplitudes. */
static void shapes_at(const Ritz *r, const vgModal *b, const Ritz *inner, double s, double (*u)[6])
{
    double e[6], H[VG_MODAL_MAX_MODES * VG_MODAL_MAX_MODES];
    double N[MAX_DEGREE + 1], rate[MAX_DEGREE + 1];
    functions_along(r, s, N, rate);
    for (int k = 0; k < r->nmode; k++) mode_by(r, k, N, rate, u[k], e);
    if (b->nshape == b->nmode) return;
    slopes(r, inner->points, inner->x, inner->w, s, H);
    for (int p = 0; p < b->nshape - b->nmode; p++) {
        int i = b->product[p][0], j = b->product[p][1];
        memset(u[b->nmode + p], 0, 6 * sizeof(double));
        u[b->nmode + p][0] = (i == j ? -0.5 : -1) * H[i * r->nmode + j];
    }
}

/* The integrals over the beam; X from the start of the beam, moved to the centre of mass at the end. */
static vgStatus integrals(const Ritz *r, const Ritz *inner, vgModal *b)
{
    const vgSection *c = &r->def->section;
    const double L = r->def->length;
    const int n = b->nshape;
    double(*u)[6] = malloc((size_t)(n + 1) * sizeof *u);
    vgMat3 G = vg_mzero3();
    vgVec3 first = vg_zero3();
    if (!u) return VG_NO_MEMORY;
    b->mass = c->m * L;
    for (int g = 0; g < r->points; g++) {
        const double w = L * r->w[g];
        vgVec3 x = vg_v3(L * r->x[g], 0, 0), xs = vg_add3(vg_scale3(x, c->m), c->S);
        shapes_at(r, b, inner, r->x[g], u);
        G = vg_maxpy3(w, vg_madd3(vg_outer3(xs, x), vg_madd3(vg_outer3(x, c->S), r->B)), G);
        first = vg_axpy3(w, xs, first);
        for (int a = 0; a < n; a++) {
            vgVec3 t = vg_load3(u[a]), q = vg_load3(u[a] + 3);
            b->P[a] = vg_axpy3(w, vg_add3(vg_scale3(t, c->m), vg_cross3(q, c->S)), b->P[a]);
            vgMat3 Q = vg_madd3(vg_outer3(xs, t), vg_outer3(x, vg_cross3(q, c->S)));
            Q = vg_madd3(Q, vg_mmt3(r->B, vg_skew3(q)));
            *vg_modal_Q(b, 0, a + 1) = vg_maxpy3(w, Q, *vg_modal_Q(b, 0, a + 1));
            for (int d = a; d < b->nmode; d++)
                *vg_modal_Q(b, a + 1, d + 1) =
                    vg_maxpy3(w, section_product(r, u[a], u[d]), *vg_modal_Q(b, a + 1, d + 1));
            /* shortening is along x alone: of the product of two one number is not zero, of one with a mode a column */
            const vgVec3 along = vg_scale3(vg_add3(vg_scale3(t, c->m), vg_cross3(q, c->S)), w);
            for (int d = a < b->nmode ? b->nmode : a; d < n; d++) {
                double *Q0 = &vg_modal_Q(b, a + 1, d + 1)->m[0][0];
                Q0[0] += along.x * u[d][0];
                if (a >= b->nmode) continue;
                Q0[3] += along.y * u[d][0];
                Q0[6] += along.z * u[d][0];
            }
        }
    }
    free(u);
    b->com = vg_scale3(first, 1 / b->mass);
    G = vg_maxpy3(-b->mass, vg_outer3(b->com, b->com), G);
    b->inertia = vg_msub3(vg_mscale3(vg_eye3(), vg_trace3(G)), G);
    *vg_modal_Q(b, 0, 0) = G;
    return VG_OK;
}

/* Mean axes stay where they are: what shortening moves the centre of mass by is taken out. */
static vgVec3 drift(const vgModal *b, int a, int mean)
{
    return mean && a >= b->nmode ? vg_scale3(b->P[a], 1 / b->mass) : vg_zero3();
}

static void finish(const Ritz *r, vgModal *b)
{
    const int n = b->nshape, mean = r->def->support == VG_MODAL_FREE;
    vgVec3 d[VG_MODAL_MAX_SHAPES], P[VG_MODAL_MAX_SHAPES];
    for (int a = 0; a < n; a++) d[a] = drift(b, a, mean), P[a] = b->P[a];
    for (int a = 0; a < n; a++) {
        vgMat3 *Q0 = vg_modal_Q(b, 0, a + 1);
        b->P[a] = vg_axpy3(-b->mass, d[a], P[a]);
        /* ∫ρ (X − X_c)(ψ − d)ᵀ = ∫ρ X ψᵀ − X_c Pᵀ, since ∫ρ (X − X_c) = 0 */
        *Q0 = vg_msub3(*Q0, vg_outer3(b->com, P[a]));
        *vg_modal_Q(b, a + 1, 0) = vg_mt3(*Q0);
        for (int c = a; c < n; c++) {
            vgMat3 Q = *vg_modal_Q(b, a + 1, c + 1);
            Q = vg_msub3(Q, vg_madd3(vg_outer3(P[a], d[c]), vg_outer3(d[a], P[c])));
            Q = vg_maxpy3(b->mass, vg_outer3(d[a], d[c]), Q);
            *vg_modal_Q(b, a + 1, c + 1) = Q;
            *vg_modal_Q(b, c + 1, a + 1) = vg_mt3(Q);
            b->M[a * n + c] = b->M[c * n + a] = vg_trace3(Q);
        }
        for (int i = 0; i < b->nnode; i++) b->node[i].t[a] = vg_sub3(b->node[i].t[a], d[a]);
    }
    for (int i = 0; i < b->nmode; i++) {
        const double *x = r->mode + i * r->n;
        double k = 0;
        for (int p = 0; p < r->n; p++)
            for (int q = 0; q < r->n; q++) k += x[p] * r->K[p * r->n + q] * x[q];
        for (int j = 0; j < b->nmode; j++) b->K[i * b->nmode + j] = b->C[i * b->nmode + j] = 0;
        b->K[i * b->nmode + i] = k; /* orthogonal but for rounding */
        b->C[i * b->nmode + i] = r->def->damping * k;
    }
}

static vgStatus nodes(const Ritz *r, const Ritz *inner, vgPool *pool, vgModal *b)
{
    const double *C = r->def->section.C;
    double(*u)[6] = malloc((size_t)(b->nshape + 1) * sizeof *u);
    if (!u) return VG_NO_MEMORY;
    for (int i = 0; i < b->nnode; i++) {
        vgModalNode *node = &b->node[i];
        double s = r->def->station[i] / r->def->length;
        node->name = vg_pool_strdup(pool, r->def->name[i]);
        node->at = vg_v3(r->def->station[i], 0, 0);
        node->stress = VG_NEW(pool, double, 6 * b->nmode);
        if (!node->name || !node->stress) {
            free(u);
            return VG_NO_MEMORY;
        }
        shapes_at(r, b, inner, s, u);
        for (int a = 0; a < b->nshape; a++) node->t[a] = vg_load3(u[a]), node->r[a] = vg_load3(u[a] + 3);
        for (int k = 0; k < b->nmode; k++) {
            double v[6], e[6];
            mode_at(r, k, s, v, e);
            for (int p = 0; p < 6; p++)
                for (int q = 0; q < 6; q++) node->stress[6 * k + p] += C[6 * p + q] * e[q];
        }
    }
    free(u);
    return VG_OK;
}

/* Products of amplitudes that shorten the beam: those of modes with slopes in the same plane. −1: too many.
 */
static int products(const Ritz *r, const Ritz *inner, int (*out)[2])
{
    enum { PLACES = 8 }; /* a sum of slopes may vanish at one place */
    double H[PLACES][VG_MODAL_MAX_MODES * VG_MODAL_MAX_MODES];
    const int m = r->nmode;
    int n = 0;
    if (!r->def->foreshortening) return 0;
    for (int p = 0; p < PLACES; p++) slopes(r, inner->points, inner->x, inner->w, (p + 1.0) / PLACES, H[p]);
    const int bent = m < VG_MODAL_MAX_BENT ? m : VG_MODAL_MAX_BENT;
    for (int i = 0; i < bent; i++)
        for (int j = i; j < bent; j++) {
            double big = 0, own = 0;
            for (int p = 0; p < PLACES; p++) {
                big = fmax(big, fabs(H[p][i * m + j]));
                own = fmax(own, sqrt(H[p][i * m + i] * H[p][j * m + j]));
            }
            if (big <= VG_SLOPES_VANISH * own || own * r->def->length <= VG_SLOPES_MATTER_M) continue;
            out[n][0] = i, out[n++][1] = j;
        }
    return n;
}

static vgStatus make(Ritz *r, vgPool *pool, vgModal *out, const char **why)
{
    const vgModalBeam *def = r->def;
    Ritz inner = {.points = r->degree};
    int pair[VG_MODAL_MAX_SHAPES][2], np;
    matrices(r);
    vgStatus st = def->ends ? end_modes(r, def->modes) : free_modes(r, def->modes);
    if (st == VG_SINGULAR)
        *why = "has no inertia in some direction: give m, and Jx, Jy, Jz where they are zero";
    if (st != VG_OK) return st == VG_SINGULAR ? VG_BAD_INPUT : st;
    normalise(r);
    gauss(inner.points, inner.x, inner.w);
    np = products(r, &inner, pair);
    if (!vg_modal_alloc(pool, r->nmode, np, def->nnode, out)) return VG_NO_MEMORY;
    memcpy(out->product, pair, (size_t)np * sizeof *pair);
    st = nodes(r, &inner, pool, out);
    if (st == VG_OK) st = integrals(r, &inner, out);
    if (st == VG_OK) finish(r, out);
    return st;
}

vgStatus vg_modal_beam(const vgModalBeam *def, vgPool *pool, vgModal *out, const char **why)
{
    *why = NULL;
    Ritz *r = calloc(1, sizeof *r);
    if (!r) return VG_NO_MEMORY;
    r->def = def;
    r->degree = 10 + def->modes < MAX_DEGREE ? 10 + def->modes : MAX_DEGREE;
    r->points = 2 * r->degree + 2;
    gauss(r->points, r->x, r->w);
    number(r);
    const vgMat3 *J = &def->section.J;
    r->B =
        def->planar ? vg_diag3(0, J->m[2][2], 0) : vg_msub3(vg_mscale3(vg_eye3(), 0.5 * vg_trace3(*J)), *J);
    int most = def->ends ? r->nb + def->modes : def->modes;
    vgStatus st = VG_OK;
    if (def->ends && def->support == VG_MODAL_FREE)
        *why = "cannot have shapes of its ends when it is free: hold it clamped or pinned", st = VG_BAD_INPUT;
    else if (most > VG_MODAL_MAX_MODES || most < 1)
        *why = "has too many or too few modes: 1 to 63 together with those of the ends", st = VG_BAD_INPUT;
    if (st == VG_OK) {
        r->K = calloc((size_t)(r->n * r->n), sizeof *r->K);
        r->M = calloc((size_t)(r->n * r->n), sizeof *r->M);
        r->mode = calloc((size_t)(most * r->n), sizeof *r->mode);
        st = r->K && r->M && r->mode ? make(r, pool, out, why) : VG_NO_MEMORY;
    }
    free(r->K);
    free(r->M);
    free(r->mode);
    free(r);
    return st;
}
