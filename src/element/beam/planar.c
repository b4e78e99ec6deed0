/* The planar beam: three numbers a node (native components 0, 1, 5), strains (Γx, Γy, κ).
 *
 *     y_a = R_rᵀ (x_a − x_r),  ψ_a = θ_a − θ_r
 *     Γ = rot(ψ)ᵀ y′,  κ = ψ′                             at a Gauss point
 *     δΓ = rot(ψ)ᵀ δy′ − e Γ δψ,   e = rot(90°)
 *
 * Otherwise as the spatial beam, in matrices over z = (y′, ψ, ψ′), u = (y_a, ψ_a) and the nodes. */
#include "base/libm/libm.h"
#include "element/beam/beam.h"
#include "math/dense.h"

typedef struct Plane {
    double c, s;                       /* of the reference's angle */
    double y[2][2], p[2];              /* arms */
    double dy[2][2], dp[2], vel[2][2]; /* rates; R_rᵀ (v_a − v_r) */
    double w;                          /* of the reference */
} Plane;

VG_INLINE void look(const vgKin *const *kin, int narm, Plane *s)
{
    const vgKin *r = kin[narm - 1];
    s->c = r->R.m[0][0];
    s->s = r->R.m[1][0];
    s->w = r->w.z;
    for (int a = 0; a < narm; a++) {
        const vgKin *k = kin[narm == 1 ? 1 : 2 * a];
        double dx = k->p.x - r->p.x, dy = k->p.y - r->p.y, vx = k->v.x - r->v.x, vy = k->v.y - r->v.y;
        double ca = k->R.m[0][0], sa = k->R.m[1][0];
        s->y[a][0] = s->c * dx + s->s * dy;
        s->y[a][1] = s->c * dy - s->s * dx;
        s->p[a] = atan2(sa * s->c - ca * s->s, ca * s->c + sa * s->s);
        s->vel[a][0] = s->c * vx + s->s * vy;
        s->vel[a][1] = s->c * vy - s->s * vx;
        s->dy[a][0] = s->vel[a][0] + s->y[a][1] * s->w;
        s->dy[a][1] = s->vel[a][1] - s->y[a][0] * s->w;
        s->dp[a] = k->w.z - s->w;
    }
}

/* The section's stiffness in the plane, times weight. */
VG_INLINE void stiffness(const vgBeamGauss *g, double C[9])
{
    C[0] = g->Cnn.m[0][0], C[1] = g->Cnn.m[0][1], C[2] = g->Cnm.m[0][2];
    C[3] = g->Cnn.m[1][0], C[4] = g->Cnn.m[1][1], C[5] = g->Cnm.m[1][2];
    C[6] = g->Cnm.m[0][2], C[7] = g->Cnm.m[1][2], C[8] = g->Cmm.m[2][2];
}

/* J (3 narm × 3 nn): δu = J δξ */
VG_INLINE void jacobian(const Plane *s, int narm, double *J)
{
    const int n = 3 * (narm + 1), r = 3 * (narm - 1);
    vg_dzero(3 * narm * n, J);
    for (int a = 0; a < narm; a++) {
        double *Ja = J + 3 * a * n;
        const int i = narm == 1 ? 3 : 6 * a;
        Ja[i] = s->c, Ja[i + 1] = s->s;
        Ja[n + i] = -s->s, Ja[n + i + 1] = s->c;
        Ja[r] = -s->c, Ja[r + 1] = -s->s, Ja[r + 2] = s->y[a][1];
        Ja[n + r] = s->s, Ja[n + r + 1] = -s->c, Ja[n + r + 2] = -s->y[a][0];
        Ja[2 * n + i + 2] = 1;
        Ja[2 * n + r + 2] = -1;
    }
}

/* Sums of one Gauss point: g, H (with the geometric part and damping) and Hm = β Bᵀ C B over u. */
VG_INLINE void point(const vgBeam *b, const vgBeamGauss *g, int narm, const Plane *s, int tangents,
                     double *gu, double *H, double *Hm)
{
    const int nu = 3 * narm;
    double C[9], p = 0, yp[2] = {0, 0}, kap = 0, pd = 0, yd[2] = {0, 0}, kd = 0;
    for (int a = 0; a < narm; a++) {
        p += g->N[a] * s->p[a], kap += g->dN[a] * s->p[a];
        pd += g->N[a] * s->dp[a], kd += g->dN[a] * s->dp[a];
        for (int i = 0; i < 2; i++) yp[i] += g->dN[a] * s->y[a][i], yd[i] += g->dN[a] * s->dy[a][i];
    }
    const double be = b->damping;
    double c, sn;
    vg_sincos(p, &sn, &c);
    const double gx = c * yp[0] + sn * yp[1], gy = c * yp[1] - sn * yp[0];
    const double tx = c * yd[0] + sn * yd[1], ty = c * yd[1] - sn * yd[0];
    stiffness(g, C);
    double e[3] = {gx - g->gamma0.x + be * (tx + gy * pd), gy - g->gamma0.y + be * (ty - gx * pd),
                   kap - g->kappa0.z + be * kd};
    double n[3];
    vg_gemv(3, 3, C, e, n);
    /* B over u: rows Γx, Γy, κ */
    double B[18], L[18], CB[18];
    for (int a = 0; a < narm; a++) {
        double N = g->N[a], d = g->dN[a], *Ba = B + 3 * a;
        Ba[0] = d * c, Ba[1] = d * sn, Ba[2] = N * gy;
        Ba[nu] = -d * sn, Ba[nu + 1] = d * c, Ba[nu + 2] = -N * gx;
        Ba[2 * nu] = 0, Ba[2 * nu + 1] = 0, Ba[2 * nu + 2] = d;
    }
    vg_gemv_t_add(3, nu, 1, B, n, gu);
    if (!tangents) return;
    vg_gemm(3, 3, nu, C, B, CB);
    vg_gemm_tn_add(nu, 3, nu, 1, B, CB, H);
    double q[2] = {-c * n[1] - sn * n[0], c * n[0] - sn * n[1]}; /* rot(ψ) e N: cross of y′ and ψ */
    double pp = -(n[0] * gx + n[1] * gy);
    for (int a = 0; a < narm; a++)
        for (int k = 0; k < narm; k++) {
            for (int i = 0; i < 2; i++) {
                H[(3 * a + i) * nu + 3 * k + 2] += g->dN[a] * g->N[k] * q[i];
                H[(3 * a + 2) * nu + 3 * k + i] += g->N[a] * g->dN[k] * q[i];
            }
            H[(3 * a + 2) * nu + 3 * k + 2] += g->N[a] * g->N[k] * pp;
        }
    if (be == 0) return;
    vg_gemm_tn_add(nu, 3, nu, be, B, CB, Hm);
    /* L = ∂ε̇/∂u at fixed u̇: Γ̇ = rot(ψ)ᵀ ẏ′ − e Γ ψ̇ */
    for (int a = 0; a < narm; a++) {
        double N = g->N[a], d = g->dN[a], *La = L + 3 * a;
        La[0] = -d * sn * pd, La[1] = d * c * pd, La[2] = N * (ty - gx * pd);
        La[nu] = -d * c * pd, La[nu + 1] = -d * sn * pd, La[nu + 2] = -N * (tx + gy * pd);
        La[2 * nu] = La[2 * nu + 1] = La[2 * nu + 2] = 0;
    }
    vg_gemm(3, 3, nu, C, L, CB);
    vg_gemm_tn_add(nu, 3, nu, be, B, CB, H);
}

/* A −= X on the native components 0, 1, 5 of every node. */
VG_INLINE void take(int nn, const double *X, double *A)
{
    static const int at[3] = {0, 1, 5};
    const int n = 3 * nn, ld = 6 * nn;
    for (int a = 0; a < nn; a++)
        for (int i = 0; i < 3; i++)
            for (int c = 0; c < nn; c++)
                for (int j = 0; j < 3; j++)
                    A[(6 * a + at[i]) * ld + 6 * c + at[j]] -= X[(3 * a + i) * n + 3 * c + j];
}

/* H += β Bᵀ C B ∂u̇/∂u and, in the column of θ_r of HJ, what does not come through u:
 *     δẏ_a = −e (w δy_a) … = (−ω e) δy_a − e vel_a δθ_r */
VG_INLINE void add_rate(const Plane *s, int narm, const double *Hm, double *H, double *HJ)
{
    const int nu = 3 * narm, n = 3 * (narm + 1), r = 3 * (narm - 1);
    for (int i = 0; i < nu; i++)
        for (int a = 0; a < narm; a++) {
            double hx = Hm[i * nu + 3 * a], hy = Hm[i * nu + 3 * a + 1];
            H[i * nu + 3 * a] -= hy * s->w;
            H[i * nu + 3 * a + 1] += hx * s->w;
            HJ[i * n + r + 2] += hx * s->vel[a][1] - hy * s->vel[a][0];
        }
}

VG_INLINE void internal(const vgBeam *b, int narm, const vgKin *const *kin, vgForceOut *out)
{
    enum { MAXU = 6, MAXN = 9 };
    const int nn = narm + 1, nu = 3 * narm, n = 3 * nn, r = 3 * (narm - 1);
    const int tangents = out->K || (b->damping != 0 && out->C);
    Plane s;
    double gu[MAXU] = {0}, H[MAXU * MAXU] = {0}, Hm[MAXU * MAXU] = {0}, J[MAXU * MAXN], f[MAXN];
    look(kin, narm, &s);
    for (int i = 0; i < narm; i++) point(b, &b->gauss[i], narm, &s, tangents, gu, H, Hm);
    jacobian(&s, narm, J);
    vg_gemv_t(nu, n, J, gu, f);
    for (int a = 0; a < nn; a++) {
        out->f[6 * a] -= f[3 * a];
        out->f[6 * a + 1] -= f[3 * a + 1];
        out->f[6 * a + 5] -= f[3 * a + 2];
    }
    if (!tangents) return;
    double HJ[MAXU * MAXN] = {0}, X[MAXN * MAXN];
    if (b->damping != 0) {
        if (out->C) {
            double Y[MAXU * MAXN];
            vg_gemm(nu, nu, n, Hm, J, Y);
            vg_gemm_tn(n, nu, n, J, Y, X);
            take(nn, X, out->C);
        }
        add_rate(&s, narm, Hm, H, HJ);
    }
    if (!out->K) return;
    vg_gemm_add(nu, nu, n, 1, H, J, HJ);
    vg_gemm_tn(n, nu, n, J, HJ, X);
    for (int a = 0; a < narm; a++) { /* ∂Jᵀ/∂q g: forces turn with the reference */
        const int i = narm == 1 ? 3 : 6 * a;
        double fx = s.c * gu[3 * a] - s.s * gu[3 * a + 1], fy = s.s * gu[3 * a] + s.c * gu[3 * a + 1];
        X[i * n + r + 2] -= fy, X[(i + 1) * n + r + 2] += fx;
        X[r * n + r + 2] += fy, X[(r + 1) * n + r + 2] -= fx;
        X[(r + 2) * n + i] -= fy, X[(r + 2) * n + i + 1] += fx;
        X[(r + 2) * n + r] += fy, X[(r + 2) * n + r + 1] -= fx;
        X[(r + 2) * n + r + 2] -= gu[3 * a] * s.y[a][0] + gu[3 * a + 1] * s.y[a][1];
    }
    take(nn, X, out->K);
}

void vg_beam_internal_planar(const vgBeam *b, const vgKin *const *kin, vgForceOut *out)
{
    if (b->narm == 1)
        internal(b, 1, kin, out);
    else
        internal(b, 2, kin, out);
}
