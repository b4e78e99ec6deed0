/* Inertia of a floating-frame body less that of its undeformed frame (docs/theory.md, eq. 82–85). With
 *     S = Σ c_a P_a,  U_a = ∫ρ r ψ_aᵀ,  N = Σ ċ_a U_a,  h_a = ∫ρ r × ψ_a,  J_a = ∂J/∂c_a,  a = Rᵀ(v̇ − g)
 *     f = −R (ω̇ × S + ω × (ω × S) + 2 ω × Ṡ + S̈)
 *     τ = −S × a − ΔJ ω̇ − ω × ΔJ ω − 2 (tr N − Nᵀ) ω − Σ c̈_a h_a
 *     φ_a = −P_a·a − h_a·ω̇ + ½ ω·J_a ω + 2 ω·∫ρ ψ_a × ḋ − Σ M_ab c̈_b
 * and φ acts on the amplitudes through D = ∂c/∂η. */
#include <string.h>

#include "element/modal/modal.h"

/* Dependence of a coefficient on amplitudes: δc = Σ d δη, with the analogous terms of η̇ and η̈ for the rates. */
typedef struct Hang {
    int n, at[2];
    double d[2], d1[2], d2[2];
} Hang;

typedef struct State {
    const vgModal *b;
    const vgKin *k;
    int n; /* native columns in all */
    double c[VG_MODAL_MAX_SHAPES], d[VG_MODAL_MAX_SHAPES], e[VG_MODAL_MAX_SHAPES];
    vgVec3 S, dS, ddS, a;
    vgMat3 U[VG_MODAL_MAX_SHAPES], N, J; /* J: ΔJ */
    vgVec3 h[VG_MODAL_MAX_SHAPES];
    vgVec3 Jw[VG_MODAL_MAX_SHAPES];  /* J_a ω */
    vgVec3 mix[VG_MODAL_MAX_SHAPES]; /* ∫ρ ψ_a × ḋ */
    double phi[VG_MODAL_MAX_SHAPES];
} State;

/* ε_ijk T_jk: ∫ρ x × y from ∫ρ x yᵀ */
static inline vgVec3 axial(const vgMat3 *T)
{
    return vg_v3(T->m[1][2] - T->m[2][1], T->m[2][0] - T->m[0][2], T->m[0][1] - T->m[1][0]);
}

/* (tr T − T) v, and with Tᵀ */
static inline vgVec3 spread(const vgMat3 *T, vgVec3 v)
{
    return vg_sub3(vg_scale3(v, vg_trace3(*T)), vg_mv3(*T, v));
}

static inline vgVec3 spread_t(const vgMat3 *T, vgVec3 v)
{
    return vg_sub3(vg_scale3(v, vg_trace3(*T)), vg_mtv3(*T, v));
}

static inline int column(int amplitude)
{
    return 6 + 6 * (amplitude / 3) + amplitude % 3;
}

void vg_modal_coefficients(const vgModal *b, const double *const eta[3], double *c, double *d, double *e)
{
    const double *x = eta[0], *v = eta[1], *a = eta[2];
    const size_t bytes = (size_t)b->nmode * sizeof *c;
    memcpy(c, x, bytes);
    memcpy(d, v, bytes);
    memcpy(e, a, bytes);
    for (int k = b->nmode; k < b->nshape; k++) {
        int i = b->product[k - b->nmode][0], j = b->product[k - b->nmode][1];
        c[k] = x[i] * x[j];
        d[k] = v[i] * x[j] + x[i] * v[j];
        e[k] = a[i] * x[j] + 2 * v[i] * v[j] + x[i] * a[j];
    }
}

static Hang hang(const State *s, const double *const eta[3], int a)
{
    const vgModal *b = s->b;
    if (a < b->nmode) return (Hang){.n = 1, .at = {a}, .d = {1}};
    int i = b->product[a - b->nmode][0], j = b->product[a - b->nmode][1];
    if (i == j) return (Hang){1, {i}, {2 * eta[0][i]}, {2 * eta[1][i]}, {2 * eta[2][i]}};
    return (Hang){2, {i, j}, {eta[0][j], eta[0][i]}, {eta[1][j], eta[1][i]}, {eta[2][j], eta[2][i]}};
}

/* The sums that force and tangent share. */
static void look(const vgModal *b, const vgKin *k, const double *const eta[3], vgVec3 gravity, State *s)
{
    const int n = b->nshape;
    s->b = b;
    s->k = k;
    s->n = 6 * (1 + vg_modal_carriers(b));
    vg_modal_coefficients(b, eta, s->c, s->d, s->e);
    s->S = s->dS = s->ddS = vg_zero3();
    s->N = vg_mzero3();
    s->a = vg_mtv3(k->R, vg_sub3(k->dv, gravity));
    vgMat3 G = vg_mzero3(); /* ∫ρ r rᵀ less that of X */
    for (int a = 0; a < n; a++) {
        vgMat3 U = *vg_modal_Q(b, 0, a + 1), W = vg_mzero3();
        for (int c = 0; c < n; c++) {
            U = vg_maxpy3(s->c[c], *vg_modal_Q(b, c + 1, a + 1), U);
            W = vg_maxpy3(s->d[c], *vg_modal_Q(b, a + 1, c + 1), W);
        }
        s->U[a] = U;
        s->h[a] = axial(&U);
        s->mix[a] = axial(&W);
        s->Jw[a] = vg_add3(spread(&U, k->w), spread_t(&U, k->w));
        s->S = vg_axpy3(s->c[a], b->P[a], s->S);
        s->dS = vg_axpy3(s->d[a], b->P[a], s->dS);
        s->ddS = vg_axpy3(s->e[a], b->P[a], s->ddS);
        s->N = vg_maxpy3(s->d[a], U, s->N);
        G = vg_maxpy3(s->c[a], vg_madd3(*vg_modal_Q(b, a + 1, 0), U), G);
    }
    s->J = vg_msub3(vg_mscale3(vg_eye3(), vg_trace3(G)), G);
}

static vgVec3 force_body(const State *s)
{
    const vgKin *k = s->k;
    vgVec3 u = vg_add3(vg_cross3(k->dw, s->S), vg_cross3(k->w, vg_cross3(k->w, s->S)));
    return vg_add3(u, vg_axpy3(2, vg_cross3(k->w, s->dS), s->ddS));
}

static void add3(double *f, double s, vgVec3 v)
{
    f[0] += s * v.x;
    f[1] += s * v.y;
    f[2] += s * v.z;
}

static void forces(State *s, const double *const eta[3], double *f)
{
    const vgModal *b = s->b;
    const vgKin *k = s->k;
    vgVec3 t = vg_add3(vg_cross3(s->S, s->a), vg_mv3(s->J, k->dw));
    t = vg_add3(t, vg_cross3(k->w, vg_mv3(s->J, k->w)));
    t = vg_axpy3(2, spread_t(&s->N, k->w), t);
    for (int a = 0; a < b->nshape; a++) {
        t = vg_axpy3(s->e[a], s->h[a], t);
        double phi = -vg_dot3(b->P[a], s->a) - vg_dot3(s->h[a], k->dw) + 0.5 * vg_dot3(k->w, s->Jw[a]) +
                     2 * vg_dot3(k->w, s->mix[a]);
        for (int c = 0; c < b->nshape; c++) phi -= b->M[a * b->nshape + c] * s->e[c];
        s->phi[a] = phi;
        Hang h = hang(s, eta, a);
        for (int i = 0; i < h.n; i++) f[column(h.at[i])] += h.d[i] * phi;
    }
    add3(f, -1, vg_mv3(k->R, force_body(s)));
    add3(f + 3, -1, t);
}

static void put3(double *A, int n, int i, int j, double s, vgMat3 B)
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) A[(i + r) * n + j + c] += s * B.m[r][c];
}

/* Blocks of the frame with itself. */
static void frame_tangent(const State *s, vgForceOut *out)
{
    const vgKin *k = s->k;
    const int n = s->n;
    vgMat3 RS = vg_mm3(k->R, vg_skew3(s->S));
    if (out->K) {
        put3(out->K, n, 0, 3, 1, vg_mm3(k->R, vg_skew3(force_body(s))));
        put3(out->K, n, 3, 3, -1, vg_mm3(vg_skew3(s->S), vg_skew3(s->a)));
    }
    if (out->C) {
        vgMat3 W = vg_madd3(vg_skew3(vg_cross3(k->w, s->S)), vg_mm3(vg_skew3(k->w), vg_skew3(s->S)));
        put3(out->C, n, 0, 3, 1, vg_mm3(k->R, vg_maxpy3(2, vg_skew3(s->dS), W)));
        vgMat3 G = vg_msub3(vg_skew3(vg_mv3(s->J, k->w)), vg_mm3(vg_skew3(k->w), s->J));
        vgMat3 T = vg_msub3(vg_mscale3(vg_eye3(), vg_trace3(s->N)), vg_mt3(s->N));
        put3(out->C, n, 3, 3, 1, vg_maxpy3(-2, T, G));
    }
    if (out->M) {
        put3(out->M, n, 0, 3, -1, RS);
        put3(out->M, n, 3, 0, -1, vg_mt3(RS));
        put3(out->M, n, 3, 3, 1, s->J);
    }
}

/* One column and one row of the frame against coefficient a. */
typedef struct Border {
    double K[6], C[6], M[6]; /* ∂(f, τ)/∂c_a, ∂/∂ċ_a, −∂/∂c̈_a */
    double k[6], g[6], m[6]; /* ∂φ_a/∂(δp, δθ), ∂/∂(v, ω), −∂/∂(v̇, ω̇) */
} Border;

static void border(const State *s, int a, Border *o)
{
    const vgModal *b = s->b;
    const vgKin *k = s->k;
    vgVec3 P = b->P[a], w = k->w, wP = vg_cross3(w, P), RP = vg_mv3(k->R, P);
    vgMat3 W = vg_mzero3(), Z = vg_mzero3(); /* ∫ρ ψ_a ḋᵀ, ∫ρ ψ_a d̈ᵀ */
    for (int c = 0; c < b->nshape; c++) {
        const vgMat3 *Q = vg_modal_Q(b, a + 1, c + 1);
        W = vg_maxpy3(s->d[c], *Q, W);
        Z = vg_maxpy3(s->e[c], *Q, Z);
    }
    vgVec3 x = vg_mv3(k->R, vg_add3(vg_cross3(k->dw, P), vg_cross3(w, wP)));
    vg_store3(vg_neg3(x), o->K);
    vgVec3 Jdw = vg_add3(spread(&s->U[a], k->dw), spread_t(&s->U[a], k->dw));
    vgVec3 t = vg_add3(vg_cross3(P, s->a), vg_add3(Jdw, vg_cross3(w, s->Jw[a])));
    t = vg_add3(vg_axpy3(2, spread_t(&W, w), t), axial(&Z));
    vg_store3(vg_neg3(t), o->K + 3);
    vg_store3(vg_scale3(vg_mv3(k->R, wP), -2), o->C);
    vg_store3(vg_scale3(spread_t(&s->U[a], w), -2), o->C + 3);
    vg_store3(RP, o->M);
    vg_store3(s->h[a], o->M + 3);
    vg_store3(vg_zero3(), o->k);
    vg_store3(vg_cross3(s->a, P), o->k + 3); /* −P·(a × δθ) */
    vg_store3(vg_zero3(), o->g);
    vg_store3(vg_axpy3(2, s->mix[a], s->Jw[a]), o->g + 3);
    vg_store3(RP, o->m);
    vg_store3(s->h[a], o->m + 3);
}

static void border_tangent(const State *s, const double *const eta[3], vgForceOut *out)
{
    const int n = s->n;
    for (int a = 0; a < s->b->nshape; a++) {
        Border o;
        Hang h = hang(s, eta, a);
        border(s, a, &o);
        for (int i = 0; i < h.n; i++) {
            const int at = column(h.at[i]);
            for (int r = 0; r < 6; r++) {
                if (out->K) {
                    out->K[r * n + at] += o.K[r] * h.d[i] + o.C[r] * h.d1[i] - o.M[r] * h.d2[i];
                    out->K[at * n + r] += o.k[r] * h.d[i];
                }
                if (out->C) {
                    out->C[r * n + at] += o.C[r] * h.d[i] - 2 * o.M[r] * h.d1[i];
                    out->C[at * n + r] += o.g[r] * h.d[i];
                }
                if (out->M) {
                    out->M[r * n + at] += o.M[r] * h.d[i];
                    out->M[at * n + r] += o.m[r] * h.d[i];
                }
            }
        }
    }
}

/* Coefficients against each other. */
static void inner_tangent(const State *s, const double *const eta[3], vgForceOut *out)
{
    const vgModal *b = s->b;
    const int n = s->n;
    vgVec3 w = s->k->w;
    for (int a = 0; a < b->nshape; a++) {
        Hang ha = hang(s, eta, a);
        for (int c = 0; c < b->nshape; c++) {
            Hang hc = hang(s, eta, c);
            const vgMat3 *Q = vg_modal_Q(b, a + 1, c + 1);
            vgVec3 cross = axial(Q); /* ∫ρ ψ_a × ψ_c */
            double K = vg_dot3(cross, s->k->dw) + vg_dot3(w, spread(Q, w)), C = 2 * vg_dot3(w, cross),
                   M = b->M[a * b->nshape + c];
            for (int i = 0; i < ha.n; i++)
                for (int j = 0; j < hc.n; j++) {
                    const int at = column(ha.at[i]) * n + column(hc.at[j]);
                    if (out->K) out->K[at] += ha.d[i] * (K * hc.d[j] + C * hc.d1[j] - M * hc.d2[j]);
                    if (out->C) out->C[at] += ha.d[i] * (C * hc.d[j] - 2 * M * hc.d1[j]);
                    if (out->M) out->M[at] += ha.d[i] * M * hc.d[j];
                }
        }
        if (!out->K || a < b->nmode) continue;
        int i = column(b->product[a - b->nmode][0]), j = column(b->product[a - b->nmode][1]);
        out->K[i * n + j] += s->phi[a];
        out->K[j * n + i] += s->phi[a];
    }
}

void vg_modal_inertia(const vgModal *b, const vgKin *frame, const double *const eta[3], vgVec3 gravity,
                      vgForceOut *out)
{
    State s;
    look(b, frame, eta, gravity, &s);
    forces(&s, eta, out->f);
    if (!out->K && !out->C && !out->M) return;
    frame_tangent(&s, out);
    border_tangent(&s, eta, out);
    inner_tangent(&s, eta, out);
}

double vg_modal_kinetic(const vgModal *b, const vgKin *k, const double *const eta[3])
{
    State s;
    look(b, k, eta, vg_zero3(), &s);
    double T = vg_dot3(k->v, vg_mv3(k->R, vg_add3(vg_cross3(k->w, s.S), s.dS)));
    T += 0.5 * vg_dot3(k->w, vg_mv3(s.J, k->w));
    for (int a = 0; a < b->nshape; a++) {
        T += s.d[a] * vg_dot3(k->w, s.h[a]);
        for (int c = 0; c < b->nshape; c++) T += 0.5 * s.d[a] * s.d[c] * b->M[a * b->nshape + c];
    }
    return T;
}

double vg_modal_weight(const vgModal *b, const vgKin *frame, const double *eta, vgVec3 gravity)
{
    double c[VG_MODAL_MAX_SHAPES], d[VG_MODAL_MAX_SHAPES], e[VG_MODAL_MAX_SHAPES];
    const double *const x[3] = {eta, eta, eta};
    vgVec3 S = vg_zero3();
    vg_modal_coefficients(b, x, c, d, e);
    for (int a = 0; a < b->nshape; a++) S = vg_axpy3(c[a], b->P[a], S);
    return -vg_dot3(gravity, vg_mv3(frame->R, S));
}
