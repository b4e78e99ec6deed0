/* Internal forces of a spatial beam and their exact tangents.
 *
 * In the local coordinates u = (y_a, ψ_a) of the arms the element has a potential U(u); g = ∂U/∂u and H =
 * ∂g/∂u are summed over Gauss points, where with z = (y′, ψ, ψ′) δΓ = exp(ψ)ᵀ δy′ + Γ × T δψ,     δκ = T δψ′
 * + D δψ,     D = ∂(T ψ′)/∂ψ                          (B) ∂U/∂y′ = exp(ψ) N,   ∂U/∂ψ = Tᵀ (N × Γ) + Dᵀ M,
 * ∂U/∂ψ′ = Tᵀ M Native variations enter by δu = J δξ, δy_a = R_rᵀ (δx_a − δx_r) + y_a × δθ_r,     δψ_a = T⁻¹
 * δθ_a − T⁻ᵀ δθ_r,     T at ψ_a, so that f = −Jᵀ g and K = −(Jᵀ H J + ∂Jᵀ/∂q g). Damping adds β Bᵀ C ∂ε̇/∂q to
 * K and makes C = −β Jᵀ Bᵀ C B J. */
#include "element/beam.h"
#include "math/dense.h"
#include "math/so3_poly.h"

/* The arms as the reference sees them. */
typedef struct Arms {
    vgMat3 R;            /* of the reference */
    vgVec3 y[2], p[2];   /* y_a, ψ_a */
    vgVec3 dy[2], dp[2]; /* their rates */
    vgVec3 u[2];         /* R_rᵀ (v_a − v_r) */
    vgSo3Coefs k[2];     /* of T⁻¹(ψ_a) */
    vgMat3 Ti[2];
    vgVec3 gy[2], gp[2]; /* g */
} Arms;

/* H by 3×3 blocks: row y_a or ψ_a, column y_b or ψ_b. */
typedef struct Local {
    vgMat3 yy[2][2], yp[2][2], py[2][2], pp[2][2];
} Local;

/* One Gauss point. */
typedef struct Point {
    vgVec3 p, dp; /* ψ, ψ′ */
    vgVec3 gam, kap;
    vgMat3 E, T;
    vgSo3Coefs k;
    vgVec3 N, M; /* times weight */
} Point;

/* Blocks of a 6×9 matrix with the pattern of B: rows Γ, κ; columns y′, ψ, ψ′. */
typedef struct Strip {
    vgMat3 gy, gp, kp, kq;
} Strip;

/* Blocks of a 9×9 matrix over z. */
typedef struct Square {
    vgMat3 yy, yp, yq, py, pp, pq, qy, qp, qq;
} Square;

static inline vgVec3 combine(int n, const double *c, const vgVec3 *v)
{
    vgVec3 s = vg_scale3(v[0], c[0]);
    if (n == 2) s = vg_axpy3(c[1], v[1], s);
    return s;
}

/* D ᵀ M = ∂(M·T(ψ) ψ′)/∂ψ without the matrix. */
static inline vgVec3 grad_dot(const vgSo3Coefs *k, vgVec3 d, vgVec3 w, vgVec3 M)
{
    vgVec3 c = vg_cross3(w, M);
    double dw = vg_dot3(d, w), dM = vg_dot3(d, M), wM = vg_dot3(w, M);
    double along = k->a1 * vg_dot3(d, c) + k->b1 * (dM * dw - vg_dot3(d, d) * wM) - 2 * k->b * wM;
    vgVec3 g = vg_add3(vg_scale3(c, k->a), vg_scale3(d, along));
    return vg_add3(g, vg_add3(vg_scale3(M, k->b * dw), vg_scale3(w, k->b * dM)));
}

/* ∂²(M·T(ψ) ψ′)/∂ψ², symmetric. */
VG_INLINE vgMat3 grad_dot_hess(const vgSo3Coefs *k, vgVec3 d, vgVec3 w, vgVec3 M)
{
    vgVec3 c = vg_cross3(w, M);
    double dw = vg_dot3(d, w), dM = vg_dot3(d, M), wM = vg_dot3(w, M), al = vg_dot3(d, c);
    double be = dM * dw - vg_dot3(d, d) * wM;
    /* (q dᵀ + d qᵀ) + b (M wᵀ + w Mᵀ) + diag I,   q = a1 c + b1 ∇β + ½ (a2 α + b2 β) d */
    vgVec3 gb = vg_add3(vg_add3(vg_scale3(M, dw), vg_scale3(w, dM)), vg_scale3(d, -2 * wM));
    vgVec3 q = vg_add3(vg_scale3(c, k->a1), vg_scale3(gb, k->b1));
    q = vg_axpy3(0.5 * (k->a2 * al + k->b2 * be), d, q);
    double diag = k->a1 * al + k->b1 * be - 2 * k->b * wM;
    vgVec3 bw = vg_scale3(w, k->b);
    double xy = q.x * d.y + q.y * d.x + M.x * bw.y + M.y * bw.x;
    double xz = q.x * d.z + q.z * d.x + M.x * bw.z + M.z * bw.x;
    double yz = q.y * d.z + q.z * d.y + M.y * bw.z + M.z * bw.y;
    return vg_m3(2 * (q.x * d.x + M.x * bw.x) + diag, xy, xz, xy, 2 * (q.y * d.y + M.y * bw.y) + diag, yz, xz,
                 yz, 2 * (q.z * d.z + M.z * bw.z) + diag);
}

/* skew(v) A, A skew(v) */
VG_INLINE vgMat3 cross_mat(vgVec3 v, const vgMat3 *A)
{
    vgMat3 B;
    for (int j = 0; j < 3; j++) {
        B.m[0][j] = v.y * A->m[2][j] - v.z * A->m[1][j];
        B.m[1][j] = v.z * A->m[0][j] - v.x * A->m[2][j];
        B.m[2][j] = v.x * A->m[1][j] - v.y * A->m[0][j];
    }
    return B;
}

VG_INLINE vgMat3 mat_cross(const vgMat3 *A, vgVec3 v)
{
    vgMat3 B;
    for (int i = 0; i < 3; i++) {
        B.m[i][0] = A->m[i][1] * v.z - A->m[i][2] * v.y;
        B.m[i][1] = A->m[i][2] * v.x - A->m[i][0] * v.z;
        B.m[i][2] = A->m[i][0] * v.y - A->m[i][1] * v.x;
    }
    return B;
}

VG_INLINE void look(int narm, const vgKin *const *kin, int rates, Arms *s)
{
    const vgKin *r = kin[narm - 1];
    s->R = r->R;
    for (int a = 0; a < narm; a++) {
        const vgKin *k = kin[narm == 1 ? 1 : 2 * a];
        double c[9];
        s->y[a] = vg_mtv3(r->R, vg_sub3(k->p, r->p));
        s->p[a] = vg_so3_log(vg_mtm3(r->R, k->R));
        double h2 = vg_dot3(s->p[a], s->p[a]);
        vg_stumpff(h2, c);
        s->k[a] = vg_so3_dexpinv_coefs(h2, c);
        s->Ti[a] = vg_so3_poly_mat(0.5, s->k[a].b, s->p[a]);
        if (rates) {
            s->u[a] = vg_mtv3(r->R, vg_sub3(k->v, r->v));
            s->dy[a] = vg_add3(s->u[a], vg_cross3(s->y[a], r->w));
            s->dp[a] = vg_sub3(vg_mv3(s->Ti[a], k->w), vg_mtv3(s->Ti[a], r->w));
        }
    }
}

VG_INLINE void point_strain(const vgBeamGauss *g, int narm, const Arms *s, Point *q)
{
    double c[9];
    q->p = combine(narm, g->N, s->p);
    q->dp = combine(narm, g->dN, s->p);
    double h2 = vg_dot3(q->p, q->p);
    vg_stumpff(h2, c);
    q->k = vg_so3_dexp_coefs(h2, c);
    q->E = vg_so3_poly_mat(c[1], c[2], q->p);
    q->T = vg_so3_poly_mat(-c[2], c[3], q->p);
    q->gam = vg_mtv3(q->E, combine(narm, g->dN, s->y));
    q->kap = vg_mv3(q->T, q->dp);
}

/* Γ̇ = exp(ψ)ᵀ ẏ′ + Γ × T ψ̇,  κ̇ = T ψ̇′ + D ψ̇ */
static void point_rate(const vgBeamGauss *g, int narm, const Arms *s, const Point *q, vgVec3 *dgam,
                       vgVec3 *dkap)
{
    vgVec3 pd = combine(narm, g->N, s->dp);
    *dgam = vg_add3(vg_mtv3(q->E, combine(narm, g->dN, s->dy)), vg_cross3(q->gam, vg_mv3(q->T, pd)));
    vgMat3 D = vg_so3_poly_grad(&q->k, q->p, q->dp);
    *dkap = vg_add3(vg_mv3(q->T, combine(narm, g->dN, s->dp)), vg_mv3(D, pd));
}

VG_INLINE void point_stress(const vgBeam *b, const vgBeamGauss *g, int narm, int damped, int coupled,
                            const Arms *s, Point *q)
{
    vgVec3 e = vg_sub3(q->gam, g->gamma0), k = vg_sub3(q->kap, g->kappa0);
    if (damped) {
        vgVec3 de, dk;
        point_rate(g, narm, s, q, &de, &dk);
        e = vg_axpy3(b->damping, de, e);
        k = vg_axpy3(b->damping, dk, k);
    }
    q->N = vg_mv3(g->Cnn, e);
    q->M = vg_mv3(g->Cmm, k);
    if (coupled) {
        q->N = vg_add3(q->N, vg_mv3(g->Cnm, k));
        q->M = vg_add3(q->M, vg_mtv3(g->Cnm, e));
    }
}

VG_INLINE void point_gradient(const vgBeamGauss *g, int narm, const Point *q, Arms *s)
{
    vgVec3 gy = vg_mv3(q->E, q->N), gq = vg_mtv3(q->T, q->M);
    vgVec3 gp = vg_add3(vg_mtv3(q->T, vg_cross3(q->N, q->gam)), grad_dot(&q->k, q->p, q->dp, q->M));
    for (int a = 0; a < narm; a++) {
        s->gy[a] = vg_axpy3(g->dN[a], gy, s->gy[a]);
        s->gp[a] = vg_axpy3(g->N[a], gp, vg_axpy3(g->dN[a], gq, s->gp[a]));
    }
}

/* Bᵀ C L for two strips. half: L is B, and the lower blocks py, qy, pq are not wanted. */
VG_INLINE void strip_product(const vgBeamGauss *g, int coupled, int half, const Strip *B, const Strip *L,
                             Square *h)
{
    vgMat3 Ny = vg_mm3(g->Cnn, L->gy), Np = vg_mm3(g->Cnn, L->gp);
    vgMat3 Mp = vg_mm3(g->Cmm, L->kp), Mq = vg_mm3(g->Cmm, L->kq);
    if (coupled) {
        vgMat3 Nq = vg_mm3(g->Cnm, L->kq);
        Np = vg_madd3(Np, vg_mm3(g->Cnm, L->kp));
        Mp = vg_madd3(Mp, vg_mtm3(g->Cnm, L->gp));
        h->yq = vg_mtm3(B->gy, Nq);
        if (!half) {
            vgMat3 My = vg_mtm3(g->Cnm, L->gy);
            h->qy = vg_mtm3(B->kq, My);
            h->py = vg_madd3(vg_mtm3(B->gp, Ny), vg_mtm3(B->kp, My));
            h->pq = vg_madd3(vg_mtm3(B->gp, Nq), vg_mtm3(B->kp, Mq));
        }
    } else if (!half) {
        h->yq = h->qy = vg_mzero3();
        h->py = vg_mtm3(B->gp, Ny);
        h->pq = vg_mtm3(B->kp, Mq);
    }
    h->yy = vg_mtm3(B->gy, Ny);
    h->yp = vg_mtm3(B->gy, Np);
    h->pp = vg_madd3(vg_mtm3(B->gp, Np), vg_mtm3(B->kp, Mp));
    h->qp = vg_mtm3(B->kq, Mp);
    h->qq = vg_mtm3(B->kq, Mq);
}

/* ∂²(N·Γ + M·κ)/∂z² at fixed N, M. */
VG_INLINE void point_geometric(const Point *q, const Strip *B, int half, Square *h)
{
    vgMat3 NT = cross_mat(q->N, &q->T);
    vgSo3Coefs kt = q->k; /* Tᵀ(ψ) = T(−ψ): the odd coefficient changes sign */
    kt.a = -kt.a;
    kt.a1 = -kt.a1;
    vgMat3 yp = vg_mm3(q->E, NT);
    vgMat3 A = vg_so3_poly_grad(&kt, q->p, q->M);
    vgMat3 pp = vg_msub3(vg_so3_poly_grad(&kt, q->p, vg_cross3(q->N, q->gam)), vg_mtm3(NT, B->gp));
    pp = vg_madd3(pp, grad_dot_hess(&q->k, q->p, q->dp, q->M));
    h->yp = vg_msub3(h->yp, yp);
    h->pp = vg_madd3(h->pp, pp);
    h->qp = vg_madd3(h->qp, A);
    if (half) return;
    h->py = vg_msub3(h->py, vg_mt3(yp));
    h->pq = vg_madd3(h->pq, vg_mt3(A));
}

VG_INLINE Strip point_strip(const Point *q)
{
    return (Strip){.gy = vg_mt3(q->E),
                   .gp = cross_mat(q->gam, &q->T),
                   .kp = vg_so3_poly_grad(&q->k, q->p, q->dp),
                   .kq = q->T};
}

/* ∂(B ż)/∂z at fixed ż, ω = T ψ̇:
 *     by y′: −skew(ω) exp(ψ)ᵀ        by ψ: (skew(exp(ψ)ᵀ ẏ′) − skew(ω) skew(Γ)) T + skew(Γ) ∂(T ψ̇)/∂ψ
 *     by ψ′: Ṫ                       by ψ: ∂(T ψ̇′)/∂ψ + ∂(D ψ̇)/∂ψ */
static Strip point_strip_rate(const vgBeamGauss *g, int narm, const Arms *s, const Point *q, const Strip *B)
{
    vgVec3 pd = combine(narm, g->N, s->dp), qd = combine(narm, g->dN, s->dp);
    vgVec3 yd = vg_mtv3(q->E, combine(narm, g->dN, s->dy)), om = vg_mv3(q->T, pd);
    vgMat3 P = vg_so3_poly_grad(&q->k, q->p, pd);
    vgMat3 gp = vg_msub3(cross_mat(yd, &q->T), cross_mat(om, &B->gp));
    return (Strip){
        .gy = cross_mat(vg_neg3(om), &B->gy),
        .gp = vg_madd3(gp, cross_mat(q->gam, &P)),
        .kp = vg_madd3(vg_so3_poly_grad(&q->k, q->p, qd), vg_so3_poly_hess(&q->k, q->p, q->dp, pd)),
        .kq = vg_so3_poly_dot(&q->k, q->p, pd),
    };
}

/* H += f Pᵀ h P: from Gauss point to arms. */
static void spread(const vgBeamGauss *g, int narm, double f, const Square *h, Local *H)
{
    for (int a = 0; a < narm; a++)
        for (int c = 0; c < narm; c++) {
            double nn = f * g->N[a] * g->N[c], nd = f * g->N[a] * g->dN[c];
            double dn = f * g->dN[a] * g->N[c], dd = f * g->dN[a] * g->dN[c];
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    H->yy[a][c].m[i][j] += dd * h->yy.m[i][j];
                    H->yp[a][c].m[i][j] += dn * h->yp.m[i][j] + dd * h->yq.m[i][j];
                    H->py[a][c].m[i][j] += nd * h->py.m[i][j] + dd * h->qy.m[i][j];
                    H->pp[a][c].m[i][j] +=
                        nn * h->pp.m[i][j] + nd * h->pq.m[i][j] + dn * h->qp.m[i][j] + dd * h->qq.m[i][j];
                }
        }
}

/* The same for a symmetric h given by yy, yp, yq, pp, qp, qq: fills H's blocks yy and pp with a ≤ c, and yp.
 */
VG_INLINE void spread_half(const vgBeamGauss *g, int narm, int coupled, const Square *h, Local *H)
{
    for (int a = 0; a < narm; a++)
        for (int c = 0; c < narm; c++) {
            const double nn = g->N[a] * g->N[c], nd = g->N[a] * g->dN[c];
            const double dn = g->dN[a] * g->N[c], dd = g->dN[a] * g->dN[c];
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    H->yp[a][c].m[i][j] += dn * h->yp.m[i][j];
                    if (coupled) H->yp[a][c].m[i][j] += dd * h->yq.m[i][j];
                    if (c < a) continue;
                    H->yy[a][c].m[i][j] += dd * h->yy.m[i][j];
                    H->pp[a][c].m[i][j] +=
                        nn * h->pp.m[i][j] + nd * h->qp.m[j][i] + dn * h->qp.m[i][j] + dd * h->qq.m[i][j];
                }
        }
}

VG_INLINE void take(double *K, int n, int i, int j, const vgMat3 *A)
{
    double *at = K + i * n + j;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) at[r * n + c] -= A->m[r][c];
}

/* K −= Jᵀ (H J + e): e are columns of δθ_r that do not come through J (ey, ep by local row, may be NULL);
 * geometric: also ∂Jᵀ/∂q g. */
static void pull(const Arms *s, int narm, const Local *H, const vgMat3 *ey, const vgMat3 *ep, int geometric,
                 double *K)
{
    const int n = 6 * (narm + 1), r = 6 * (narm - 1);
    const vgMat3 Rt = vg_mt3(s->R);
    vgMat3 rr = vg_mzero3(), ry[2], rt[2], xr_sum = vg_mzero3();
    for (int c = 0; c < narm; c++) ry[c] = rt[c] = vg_mzero3();
    for (int a = 0; a < narm; a++) {
        const int ia = narm == 1 ? 6 : 12 * a;
        vgMat3 yr = ey ? ey[a] : vg_mzero3(), pr = ep ? ep[a] : vg_mzero3();
        for (int c = 0; c < narm; c++) {
            const int ic = narm == 1 ? 6 : 12 * c;
            vgMat3 yx = vg_mm3(H->yy[a][c], Rt), yt = vg_mm3(H->yp[a][c], s->Ti[c]);
            vgMat3 px = vg_mm3(H->py[a][c], Rt), pt = vg_mm3(H->pp[a][c], s->Ti[c]);
            yr = vg_madd3(yr, vg_msub3(mat_cross(&H->yy[a][c], s->y[c]), vg_mmt3(H->yp[a][c], s->Ti[c])));
            pr = vg_madd3(pr, vg_msub3(mat_cross(&H->py[a][c], s->y[c]), vg_mmt3(H->pp[a][c], s->Ti[c])));
            ry[c] = vg_madd3(ry[c], vg_madd3(cross_mat(s->y[a], &yx), vg_mm3(s->Ti[a], px)));
            rt[c] = vg_madd3(rt[c], vg_madd3(cross_mat(s->y[a], &yt), vg_mm3(s->Ti[a], pt)));
            vgMat3 xx = vg_mm3(s->R, yx), xt = vg_mm3(s->R, yt);
            vgMat3 tx = vg_mtm3(s->Ti[a], px), tt = vg_mtm3(s->Ti[a], pt);
            take(K, n, ia, ic, &xx);
            take(K, n, ia, ic + 3, &xt);
            take(K, n, ia + 3, ic, &tx);
            take(K, n, ia + 3, ic + 3, &tt);
            /* translation of the whole: the reference's rows and columns are minus the sums of the arms' */
            vgMat3 xxm = vg_mscale3(xx, -1), xtm = vg_mscale3(xt, -1), txm = vg_mscale3(tx, -1);
            take(K, n, r, ic, &xxm);
            take(K, n, r, ic + 3, &xtm);
            take(K, n, ia, r, &xxm);
            take(K, n, ia + 3, r, &txm);
            take(K, n, r, r, &xx);
        }
        rr = vg_madd3(rr, vg_madd3(cross_mat(s->y[a], &yr), vg_mm3(s->Ti[a], pr)));
        vgMat3 tr = vg_mtm3(s->Ti[a], pr);
        if (geometric) {
            vgSo3Coefs k = s->k[a], kt = k;
            kt.a = -kt.a;
            vgMat3 W = vg_so3_poly_grad(&kt, s->p[a], s->gp[a]); /* ∂(T⁻ᵀ g)/∂ψ */
            vgMat3 V = vg_so3_poly_grad(&k, s->p[a], s->gp[a]);  /* ∂(T⁻¹ g)/∂ψ */
            vgMat3 WT = vg_mm3(W, s->Ti[a]), Gy = vg_skew3(s->gy[a]);
            take(K, n, ia + 3, ia + 3, &WT);
            tr = vg_msub3(tr, vg_mmt3(W, s->Ti[a]));
            yr = vg_msub3(yr, Gy);
            ry[a] = vg_msub3(ry[a], vg_mm3(Gy, Rt));
            rt[a] = vg_madd3(rt[a], vg_mm3(V, s->Ti[a]));
            rr = vg_msub3(rr, vg_madd3(mat_cross(&Gy, s->y[a]), vg_mmt3(V, s->Ti[a])));
        }
        vgMat3 xr = vg_mm3(s->R, yr);
        take(K, n, ia, r + 3, &xr);
        take(K, n, ia + 3, r + 3, &tr);
        xr_sum = vg_msub3(xr_sum, xr);
    }
    take(K, n, r, r + 3, &xr_sum);
    /* the row of δθ_r carries the opposite sign so far */
    rr = vg_mscale3(rr, -1);
    take(K, n, r + 3, r + 3, &rr);
    for (int c = 0; c < narm; c++) {
        const int ic = narm == 1 ? 6 : 12 * c;
        vgMat3 rx = vg_mscale3(ry[c], -1), rc = vg_mscale3(rt[c], -1);
        take(K, n, r + 3, ic, &rx);
        take(K, n, r + 3, r, &ry[c]);
        take(K, n, r + 3, ic + 3, &rc);
    }
}

/* K −= A at (i, j) and Aᵀ at (j, i). */
VG_INLINE void take_both(double *K, int n, int i, int j, const vgMat3 *A)
{
    double *up = K + i * n + j, *down = K + j * n + i;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            up[r * n + c] -= A->m[r][c];
            down[c * n + r] -= A->m[r][c];
        }
}

/* As pull with the geometric part, for a symmetric H given by its upper half (spread_half). A tangent in
 * native variations is symmetric but for the blocks of a rotation with itself. T⁻ᵀ = T⁻¹ − skew(ψ) saves
 * products, and V = ∂(T⁻¹ g)/∂ψ = W − skew(g). */
VG_INLINE void pull_half(const Arms *s, int narm, const Local *H, double *K)
{
    const int n = 6 * (narm + 1), r = 6 * (narm - 1);
    vgMat3 yr[2], pr[2], xr_sum = vg_mzero3(), rr = vg_mzero3(), x_all = vg_mzero3();
    for (int a = 0; a < narm; a++) yr[a] = pr[a] = vg_mzero3();
    for (int a = 0; a < narm; a++) {
        const int ia = narm == 1 ? 6 : 12 * a;
        for (int c = 0; c < narm; c++) {
            const int ic = narm == 1 ? 6 : 12 * c;
            const vgMat3 *yp = &H->yp[a][c];
            vgMat3 yt = vg_mm3(*yp, s->Ti[c]), ypt = vg_mt3(*yp);
            vgMat3 xt = vg_mm3(s->R, yt), xtm = vg_mscale3(xt, -1);
            take_both(K, n, ia, ic + 3, &xt);
            take_both(K, n, r, ic + 3, &xtm);
            yr[a] = vg_madd3(yr[a], vg_msub3(mat_cross(yp, s->p[c]), yt));
            pr[c] = vg_madd3(pr[c], mat_cross(&ypt, s->y[a]));
            if (c < a) continue;
            vgMat3 yy = H->yy[a][c], pt = vg_mm3(H->pp[a][c], s->Ti[c]);
            vgMat3 xx = vg_mm3(s->R, vg_mmt3(yy, s->R)), tt = vg_mtm3(s->Ti[a], pt), xxm = vg_mscale3(xx, -1);
            yr[a] = vg_madd3(yr[a], mat_cross(&yy, s->y[c]));
            pr[a] = vg_madd3(pr[a], vg_msub3(mat_cross(&H->pp[a][c], s->p[c]), pt));
            if (a == c) {
                take(K, n, ia, ia, &xx);
                take(K, n, ia + 3, ia + 3, &tt);
                take_both(K, n, ia, r, &xxm);
                x_all = vg_madd3(x_all, xx);
            } else {
                vgMat3 yyt = vg_mt3(yy), ppt = vg_mt3(H->pp[a][c]), xxmt = vg_mt3(xxm);
                yr[c] = vg_madd3(yr[c], mat_cross(&yyt, s->y[a]));
                pr[c] = vg_madd3(pr[c], vg_msub3(mat_cross(&ppt, s->p[a]), vg_mm3(ppt, s->Ti[a])));
                take_both(K, n, ia, ic, &xx);
                take_both(K, n, ia + 3, ic + 3, &tt);
                take_both(K, n, ia, r, &xxm);
                take_both(K, n, ic, r, &xxmt);
                x_all = vg_madd3(x_all, vg_madd3(xx, vg_mt3(xx)));
            }
        }
    }
    take(K, n, r, r, &x_all);
    for (int a = 0; a < narm; a++) {
        const int ia = narm == 1 ? 6 : 12 * a;
        vgSo3Coefs kt = s->k[a];
        kt.a = -kt.a;
        vgMat3 W = vg_so3_poly_grad(&kt, s->p[a], s->gp[a]); /* ∂(T⁻ᵀ g)/∂ψ */
        vgMat3 WT = vg_mm3(W, s->Ti[a]), WTt = vg_msub3(WT, mat_cross(&W, s->p[a]));
        vgMat3 tp = vg_mtm3(s->Ti[a], pr[a]), tr = vg_msub3(tp, WTt), Tit = vg_mt3(s->Ti[a]);
        vgMat3 Gy = vg_skew3(s->gy[a]), xr = vg_mm3(s->R, vg_msub3(yr[a], Gy));
        take(K, n, ia + 3, ia + 3, &WT);
        take_both(K, n, ia, r + 3, &xr);
        take_both(K, n, ia + 3, r + 3, &tr);
        xr_sum = vg_msub3(xr_sum, xr);
        /* minus the rows of δθ_r: y × …, T⁻¹ … and what g does with δy, δψ */
        rr = vg_madd3(rr, vg_madd3(cross_mat(s->y[a], &yr[a]), tp));
        rr = vg_madd3(rr, vg_msub3(cross_mat(s->p[a], &pr[a]), mat_cross(&Gy, s->y[a])));
        rr = vg_madd3(rr, vg_msub3(cross_mat(s->gp[a], &Tit), WTt));
    }
    take_both(K, n, r, r + 3, &xr_sum);
    rr = vg_mscale3(rr, -1);
    take(K, n, r + 3, r + 3, &rr);
}

/* f −= Jᵀ g */
VG_INLINE void push_force(const Arms *s, int narm, double *f)
{
    vgVec3 fr = vg_zero3(), tr = vg_zero3();
    for (int a = 0; a < narm; a++) {
        double *fa = f + (narm == 1 ? 6 : 12 * a);
        vgVec3 x = vg_mv3(s->R, s->gy[a]), t = vg_mtv3(s->Ti[a], s->gp[a]);
        fr = vg_add3(fr, x);
        tr = vg_add3(tr, vg_add3(vg_cross3(s->y[a], s->gy[a]), vg_mv3(s->Ti[a], s->gp[a])));
        fa[0] -= x.x, fa[1] -= x.y, fa[2] -= x.z;
        fa[3] -= t.x, fa[4] -= t.y, fa[5] -= t.z;
    }
    f += 6 * (narm - 1);
    f[0] += fr.x, f[1] += fr.y, f[2] += fr.z;
    f[3] += tr.x, f[4] += tr.y, f[5] += tr.z;
}

/* The part of ∂f/∂δξ at fixed ξ that comes through u̇ = J ξ: H += β Hm ∂u̇/∂u, and columns of δθ_r,
 *     δẏ_a = u_a × δθ_r − ω_r × δy_a,    δψ̇_a = (∂(T⁻¹ ω_a)/∂ψ − ∂(T⁻ᵀ ω_r)/∂ψ) δψ_a. */
static void add_rate_stiffness(const vgKin *const *kin, int narm, const Arms *s, const Local *Hm, Local *H,
                               vgMat3 ey[2], vgMat3 ep[2])
{
    vgVec3 wr = kin[narm - 1]->w;
    vgMat3 Z[2];
    for (int c = 0; c < narm; c++) {
        vgSo3Coefs k = s->k[c], kt = k;
        kt.a = -kt.a;
        Z[c] = vg_msub3(vg_so3_poly_grad(&k, s->p[c], kin[narm == 1 ? 1 : 2 * c]->w),
                        vg_so3_poly_grad(&kt, s->p[c], wr));
    }
    for (int a = 0; a < narm; a++) {
        ey[a] = ep[a] = vg_mzero3();
        for (int c = 0; c < narm; c++) {
            H->yy[a][c] = vg_msub3(H->yy[a][c], mat_cross(&Hm->yy[a][c], wr));
            H->py[a][c] = vg_msub3(H->py[a][c], mat_cross(&Hm->py[a][c], wr));
            H->yp[a][c] = vg_madd3(H->yp[a][c], vg_mm3(Hm->yp[a][c], Z[c]));
            H->pp[a][c] = vg_madd3(H->pp[a][c], vg_mm3(Hm->pp[a][c], Z[c]));
            ey[a] = vg_madd3(ey[a], mat_cross(&Hm->yy[a][c], s->u[c]));
            ep[a] = vg_madd3(ep[a], mat_cross(&Hm->py[a][c], s->u[c]));
        }
    }
}

/* narm, damped and coupled are constants where this is called for the common kinds. */
VG_INLINE void internal(const vgBeam *b, int narm, int damped, int coupled, const vgKin *const *kin,
                        vgForceOut *out)
{
    Arms s;
    Local H, Hm; /* Hm: β Bᵀ C B alone */
    const int tangents = out->K || (damped && out->C);
    look(narm, kin, damped, &s);
    for (int a = 0; a < narm; a++) s.gy[a] = s.gp[a] = vg_zero3();
    if (tangents) H = (Local){0};
    if (tangents && damped) Hm = (Local){0};
    for (int i = 0; i < narm; i++) {
        const vgBeamGauss *g = &b->gauss[i];
        Point q;
        point_strain(g, narm, &s, &q);
        point_stress(b, g, narm, damped, coupled, &s, &q);
        point_gradient(g, narm, &q, &s);
        if (!tangents) continue;
        Square h;
        Strip B = point_strip(&q);
        strip_product(g, coupled, !damped, &B, &B, &h);
        if (damped) spread(g, narm, b->damping, &h, &Hm);
        point_geometric(&q, &B, !damped, &h);
        if (damped) {
            spread(g, narm, 1, &h, &H);
            Strip L = point_strip_rate(g, narm, &s, &q, &B);
            strip_product(g, coupled, 0, &B, &L, &h);
            spread(g, narm, b->damping, &h, &H);
        } else {
            spread_half(g, narm, coupled, &h, &H);
        }
    }
    push_force(&s, narm, out->f);
    if (!tangents) return;
    if (damped) {
        vgMat3 ey[2], ep[2];
        if (out->C) pull(&s, narm, &Hm, NULL, NULL, 0, out->C);
        add_rate_stiffness(kin, narm, &s, &Hm, &H, ey, ep);
        if (out->K) pull(&s, narm, &H, ey, ep, 1, out->K);
    } else {
        pull_half(&s, narm, &H, out->K);
    }
}

void vg_beam_internal(const vgBeam *b, const vgKin *const *kin, vgForceOut *out)
{
    const int damped = b->damping != 0, coupled = b->coupled;
    if (b->narm == 2 && !damped && !coupled)
        internal(b, 2, 0, 0, kin, out);
    else if (b->narm == 2)
        internal(b, 2, damped, coupled, kin, out);
    else
        internal(b, 1, damped, coupled, kin, out);
}

void vg_beam_strain(const vgBeam *b, const vgKin *const *kin, int point, double strain[6], double rate[6])
{
    const vgBeamGauss *g = &b->gauss[point];
    Arms s;
    Point q;
    look(b->narm, kin, rate != NULL, &s);
    point_strain(g, b->narm, &s, &q);
    vg_store3(vg_sub3(q.gam, g->gamma0), strain);
    vg_store3(vg_sub3(q.kap, g->kappa0), strain + 3);
    if (rate) {
        vgVec3 de, dk;
        point_rate(g, b->narm, &s, &q, &de, &dk);
        vg_store3(de, rate);
        vg_store3(dk, rate + 3);
    }
}
