/* Internal forces of a spatial beam and their exact tangents.
 *
 * In the local coordinates u = (y_a, ψ_a) of the arms the element has a potential U(u). g = ∂U/∂u and H = ∂g/∂u
 * are summed over Gauss points, where with z = (y′, ψ, ψ′)
 *
 *     δΓ = exp(ψ)ᵀ δy′ + Γ × T δψ,     δκ = T δψ′ + D δψ,     D = ∂(T ψ′)/∂ψ          (B)
 *     ∂U/∂y′ = exp(ψ) N,   ∂U/∂ψ = Tᵀ (N × Γ) + Dᵀ M,   ∂U/∂ψ′ = Tᵀ M
 *
 * Native variations enter by δu = J δξ,
 *
 *     δy_a = R_rᵀ (δx_a − δx_r) + y_a × δθ_r,     δψ_a = T⁻¹ δθ_a − T⁻ᵀ δθ_r,     T at ψ_a
 *
 * so that f = −Jᵀ g and K = −(Jᵀ H J + ∂Jᵀ/∂q g). Damping adds β Bᵀ C ∂ε̇/∂q to K, and the damping matrix is −β Jᵀ
 * Bᵀ C B J. */
#include <string.h>

#include "element/beam/lanes.h"
#include "math/so3_lanes.h"

/* The arms as the reference sees them. */
typedef struct Arms {
    vgLane33 R;           /* of the reference */
    vgLane3 y[2], p[2];   /* y_a, ψ_a */
    vgLane3 dy[2], dp[2]; /* their rates */
    vgLane3 u[2];         /* R_rᵀ (v_a − v_r) */
    vgLaneCoefs k[2];     /* of T⁻¹(ψ_a) */
    vgLane33 Ti[2];
    vgLane3 gy[2], gp[2]; /* g */
} Arms;

/* H by 3×3 blocks: row y_a or ψ_a, column y_b or ψ_b. */
typedef struct Local {
    vgLane33 yy[2][2], yp[2][2], py[2][2], pp[2][2];
} Local;

/* One Gauss point. */
typedef struct Point {
    vgLane3 p, dp; /* ψ, ψ′ */
    vgLane3 gam, kap;
    vgLane33 E, T;
    vgLaneCoefs k;
    vgLane3 N, M; /* times weight */
} Point;

/* Blocks of a 6×9 matrix with the pattern of B: rows Γ, κ; columns y′, ψ, ψ′. */
typedef struct Strip {
    vgLane33 gy, gp, kp, kq;
} Strip;

/* Blocks of a 9×9 matrix over z. */
typedef struct Square {
    vgLane33 yy, yp, yq, py, pp, pq, qy, qp, qq;
} Square;

VG_LANEWISE vgLane3 combine(int n, const vgLane *c, const vgLane3 *v)
{
    vgLane3 s = vg_lscale3(v[0], c[0]);
    if (n == 2) s = vg_laxpy3(c[1], v[1], s);
    return s;
}

/* D ᵀ M = ∂(M·T(ψ) ψ′)/∂ψ without the matrix. */
VG_LANEWISE vgLane3 grad_dot(const vgLaneCoefs *k, vgLane3 d, vgLane3 w, vgLane3 M)
{
    vgLane3 c = vg_lcross3(w, M);
    vgLane dw = vg_ldot3(d, w), dM = vg_ldot3(d, M), wM = vg_ldot3(w, M);
    vgLane along = k->a1 * vg_ldot3(d, c) + k->b1 * (dM * dw - vg_ldot3(d, d) * wM) - 2 * k->b * wM;
    vgLane3 g = vg_ladd3(vg_lscale3(c, k->a), vg_lscale3(d, along));
    return vg_ladd3(g, vg_ladd3(vg_lscale3(M, k->b * dw), vg_lscale3(w, k->b * dM)));
}

/* ∂²(M·T(ψ) ψ′)/∂ψ², symmetric. */
VG_LANEWISE vgLane33 grad_dot_hess(const vgLaneCoefs *k, vgLane3 d, vgLane3 w, vgLane3 M)
{
    vgLane3 c = vg_lcross3(w, M);
    vgLane dw = vg_ldot3(d, w), dM = vg_ldot3(d, M), wM = vg_ldot3(w, M), al = vg_ldot3(d, c);
    vgLane be = dM * dw - vg_ldot3(d, d) * wM;
    /* (q dᵀ + d qᵀ) + b (M wᵀ + w Mᵀ) + diag I,   q = a1 c + b1 ∇β + ½ (a2 α + b2 β) d */
    vgLane3 gb = vg_ladd3(vg_ladd3(vg_lscale3(M, dw), vg_lscale3(w, dM)), vg_lscale3(d, -2 * wM));
    vgLane3 q = vg_ladd3(vg_lscale3(c, k->a1), vg_lscale3(gb, k->b1));
    q = vg_laxpy3(0.5 * (k->a2 * al + k->b2 * be), d, q);
    vgLane diag = k->a1 * al + k->b1 * be - 2 * k->b * wM;
    vgLane3 bw = vg_lscale3(w, k->b);
    vgLane xy = q.x * d.y + q.y * d.x + M.x * bw.y + M.y * bw.x;
    vgLane xz = q.x * d.z + q.z * d.x + M.x * bw.z + M.z * bw.x;
    vgLane yz = q.y * d.z + q.z * d.y + M.y * bw.z + M.z * bw.y;
    return (vgLane33){{{2 * (q.x * d.x + M.x * bw.x) + diag, xy, xz},
                       {xy, 2 * (q.y * d.y + M.y * bw.y) + diag, yz},
                       {xz, yz, 2 * (q.z * d.z + M.z * bw.z) + diag}}};
}

VG_LANEWISE void look(int narm, const vgLaneKin *kin, int rates, Arms *s)
{
    const vgLaneKin *r = &kin[narm - 1];
    s->R = r->R;
    for (int a = 0; a < narm; a++) {
        const vgLaneKin *k = &kin[narm == 1 ? 1 : 2 * a];
        vgLane c[9];
        s->y[a] = vg_lmtv3(r->R, vg_lsub3(k->p, r->p));
        s->p[a] = vg_llog3(vg_lmtm3(r->R, k->R));
        vgLane h2 = vg_ldot3(s->p[a], s->p[a]);
        vg_lstumpff(h2, c);
        s->k[a] = vg_ldexpinv_coefs(h2, c);
        s->Ti[a] = vg_lpoly_mat(vg_lane(0.5), s->k[a].b, s->p[a]);
        if (rates) {
            s->u[a] = vg_lmtv3(r->R, vg_lsub3(k->v, r->v));
            s->dy[a] = vg_ladd3(s->u[a], vg_lcross3(s->y[a], r->w));
            s->dp[a] = vg_lsub3(vg_lmv3(s->Ti[a], k->w), vg_lmtv3(s->Ti[a], r->w));
        }
    }
}

VG_LANEWISE void point_strain(const vgLanePoint *g, int narm, const Arms *s, Point *q)
{
    vgLane c[9];
    q->p = combine(narm, g->N, s->p);
    q->dp = combine(narm, g->dN, s->p);
    vgLane h2 = vg_ldot3(q->p, q->p);
    vg_lstumpff(h2, c);
    q->k = vg_ldexp_coefs(h2, c);
    q->E = vg_lpoly_mat(c[1], c[2], q->p);
    q->T = vg_lpoly_mat(-c[2], c[3], q->p);
    q->gam = vg_lmtv3(q->E, combine(narm, g->dN, s->y));
    q->kap = vg_lmv3(q->T, q->dp);
}

/* Γ̇ = exp(ψ)ᵀ ẏ′ + Γ × T ψ̇,  κ̇ = T ψ̇′ + D ψ̇ */
static void point_rate(const vgLanePoint *g, int narm, const Arms *s, const Point *q, vgLane3 *dgam,
                       vgLane3 *dkap)
{
    vgLane3 pd = combine(narm, g->N, s->dp);
    *dgam = vg_ladd3(vg_lmtv3(q->E, combine(narm, g->dN, s->dy)), vg_lcross3(q->gam, vg_lmv3(q->T, pd)));
    vgLane33 D = vg_lpoly_grad(&q->k, q->p, q->dp);
    *dkap = vg_ladd3(vg_lmv3(q->T, combine(narm, g->dN, s->dp)), vg_lmv3(D, pd));
}

VG_LANEWISE void point_stress(const vgLanePoint *g, int narm, int damped, int coupled, vgLane damping,
                              const Arms *s, Point *q)
{
    vgLane3 e = vg_lsub3(q->gam, g->gamma0), k = vg_lsub3(q->kap, g->kappa0);
    if (damped) {
        vgLane3 de, dk;
        point_rate(g, narm, s, q, &de, &dk);
        e = vg_laxpy3(damping, de, e);
        k = vg_laxpy3(damping, dk, k);
    }
    q->N = vg_lmv3(g->Cnn, e);
    q->M = vg_lmv3(g->Cmm, k);
    if (coupled) {
        q->N = vg_ladd3(q->N, vg_lmv3(g->Cnm, k));
        q->M = vg_ladd3(q->M, vg_lmtv3(g->Cnm, e));
    }
}

VG_LANEWISE void point_gradient(const vgLanePoint *g, int narm, const Point *q, Arms *s)
{
    vgLane3 gy = vg_lmv3(q->E, q->N), gq = vg_lmtv3(q->T, q->M);
    vgLane3 gp = vg_ladd3(vg_lmtv3(q->T, vg_lcross3(q->N, q->gam)), grad_dot(&q->k, q->p, q->dp, q->M));
    for (int a = 0; a < narm; a++) {
        s->gy[a] = vg_laxpy3(g->dN[a], gy, s->gy[a]);
        s->gp[a] = vg_laxpy3(g->N[a], gp, vg_laxpy3(g->dN[a], gq, s->gp[a]));
    }
}

/* Bᵀ C L for two strips. half: L is B, and the lower blocks py, qy, pq are not wanted. */
VG_LANEWISE void strip_product(const vgLanePoint *g, int coupled, int half, const Strip *B, const Strip *L,
                               Square *h)
{
    vgLane33 Ny = vg_lmm3(g->Cnn, L->gy), Np = vg_lmm3(g->Cnn, L->gp);
    vgLane33 Mp = vg_lmm3(g->Cmm, L->kp), Mq = vg_lmm3(g->Cmm, L->kq);
    if (coupled) {
        vgLane33 Nq = vg_lmm3(g->Cnm, L->kq);
        Np = vg_lmadd3(Np, vg_lmm3(g->Cnm, L->kp));
        Mp = vg_lmadd3(Mp, vg_lmtm3(g->Cnm, L->gp));
        h->yq = vg_lmtm3(B->gy, Nq);
        if (!half) {
            vgLane33 My = vg_lmtm3(g->Cnm, L->gy);
            h->qy = vg_lmtm3(B->kq, My);
            h->py = vg_lmadd3(vg_lmtm3(B->gp, Ny), vg_lmtm3(B->kp, My));
            h->pq = vg_lmadd3(vg_lmtm3(B->gp, Nq), vg_lmtm3(B->kp, Mq));
        }
    } else if (!half) {
        h->yq = h->qy = vg_lmzero3();
        h->py = vg_lmtm3(B->gp, Ny);
        h->pq = vg_lmtm3(B->kp, Mq);
    }
    h->yy = vg_lmtm3(B->gy, Ny);
    h->yp = vg_lmtm3(B->gy, Np);
    h->pp = vg_lmadd3(vg_lmtm3(B->gp, Np), vg_lmtm3(B->kp, Mp));
    h->qp = vg_lmtm3(B->kq, Mp);
    h->qq = vg_lmtm3(B->kq, Mq);
}

/* ∂²(N·Γ + M·κ)/∂z² at fixed N, M. */
VG_LANEWISE void point_geometric(const Point *q, const Strip *B, int half, Square *h)
{
    vgLane33 NT = vg_lcross_mat3(q->N, q->T);
    vgLaneCoefs kt = q->k; /* Tᵀ(ψ) = T(−ψ): the odd coefficient changes sign */
    kt.a = -kt.a;
    kt.a1 = -kt.a1;
    vgLane33 yp = vg_lmm3(q->E, NT);
    vgLane33 A = vg_lpoly_grad(&kt, q->p, q->M);
    vgLane33 pp = vg_lmsub3(vg_lpoly_grad(&kt, q->p, vg_lcross3(q->N, q->gam)), vg_lmtm3(NT, B->gp));
    pp = vg_lmadd3(pp, grad_dot_hess(&q->k, q->p, q->dp, q->M));
    h->yp = vg_lmsub3(h->yp, yp);
    h->pp = vg_lmadd3(h->pp, pp);
    h->qp = vg_lmadd3(h->qp, A);
    if (half) return;
    h->py = vg_lmsub3(h->py, vg_lmt3(yp));
    h->pq = vg_lmadd3(h->pq, vg_lmt3(A));
}

VG_LANEWISE Strip point_strip(const Point *q)
{
    return (Strip){.gy = vg_lmt3(q->E),
                   .gp = vg_lcross_mat3(q->gam, q->T),
                   .kp = vg_lpoly_grad(&q->k, q->p, q->dp),
                   .kq = q->T};
}

/* ∂(B ż)/∂z at fixed ż, ω = T ψ̇:
 *     by y′: −skew(ω) exp(ψ)ᵀ        by ψ: (skew(exp(ψ)ᵀ ẏ′) − skew(ω) skew(Γ)) T + skew(Γ) ∂(T ψ̇)/∂ψ
 *     by ψ′: Ṫ                       by ψ: ∂(T ψ̇′)/∂ψ + ∂(D ψ̇)/∂ψ */
static Strip point_strip_rate(const vgLanePoint *g, int narm, const Arms *s, const Point *q, const Strip *B)
{
    vgLane3 pd = combine(narm, g->N, s->dp), qd = combine(narm, g->dN, s->dp);
    vgLane3 yd = vg_lmtv3(q->E, combine(narm, g->dN, s->dy)), om = vg_lmv3(q->T, pd);
    vgLane33 P = vg_lpoly_grad(&q->k, q->p, pd);
    vgLane33 gp = vg_lmsub3(vg_lcross_mat3(yd, q->T), vg_lcross_mat3(om, B->gp));
    return (Strip){
        .gy = vg_lcross_mat3(vg_lneg3(om), B->gy),
        .gp = vg_lmadd3(gp, vg_lcross_mat3(q->gam, P)),
        .kp = vg_lmadd3(vg_lpoly_grad(&q->k, q->p, qd), vg_lpoly_hess(&q->k, q->p, q->dp, pd)),
        .kq = vg_lpoly_dot(&q->k, q->p, pd),
    };
}

/* H += f Pᵀ h P: from Gauss point to arms. */
static void spread(const vgLanePoint *g, int narm, vgLane f, const Square *h, Local *H)
{
    for (int a = 0; a < narm; a++)
        for (int c = 0; c < narm; c++) {
            vgLane nn = f * g->N[a] * g->N[c], nd = f * g->N[a] * g->dN[c];
            vgLane dn = f * g->dN[a] * g->N[c], dd = f * g->dN[a] * g->dN[c];
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
VG_LANEWISE void spread_half(const vgLanePoint *g, int narm, int coupled, const Square *h, Local *H)
{
    for (int a = 0; a < narm; a++)
        for (int c = 0; c < narm; c++) {
            const vgLane nn = g->N[a] * g->N[c], nd = g->N[a] * g->dN[c];
            const vgLane dn = g->dN[a] * g->N[c], dd = g->dN[a] * g->dN[c];
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

/* Block of three rows and columns i, j of a tangent in blocks of nodes. */
VG_LANEWISE vgLane *place(vgLane *K, int nn, int i, int j)
{
    return K + 36 * (nn * (i / 6) + j / 6) + 6 * (i % 6) + j % 6;
}

VG_LANEWISE void take(vgLane *K, int nn, int i, int j, const vgLane33 *A)
{
    vgLane *at = place(K, nn, i, j);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) at[6 * r + c] -= A->m[r][c];
}

/* K −= Jᵀ (H J + e): e are columns of δθ_r that do not come through J (ey, ep by local row, may be NULL);
 * geometric: also ∂Jᵀ/∂q g. */
static void pull(const Arms *s, int narm, const Local *H, const vgLane33 *ey, const vgLane33 *ep,
                 int geometric, vgLane *K)
{
    const int nn = narm + 1, r = 6 * (narm - 1);
    const vgLane33 Rt = vg_lmt3(s->R);
    vgLane33 rr = vg_lmzero3(), ry[2], rt[2], xr_sum = vg_lmzero3();
    for (int c = 0; c < narm; c++) ry[c] = rt[c] = vg_lmzero3();
    for (int a = 0; a < narm; a++) {
        const int ia = narm == 1 ? 6 : 12 * a;
        vgLane33 yr = ey ? ey[a] : vg_lmzero3(), pr = ep ? ep[a] : vg_lmzero3();
        for (int c = 0; c < narm; c++) {
            const int ic = narm == 1 ? 6 : 12 * c;
            vgLane33 yx = vg_lmm3(H->yy[a][c], Rt), yt = vg_lmm3(H->yp[a][c], s->Ti[c]);
            vgLane33 px = vg_lmm3(H->py[a][c], Rt), pt = vg_lmm3(H->pp[a][c], s->Ti[c]);
            yr = vg_lmadd3(yr,
                           vg_lmsub3(vg_lmat_cross3(H->yy[a][c], s->y[c]), vg_lmmt3(H->yp[a][c], s->Ti[c])));
            pr = vg_lmadd3(pr,
                           vg_lmsub3(vg_lmat_cross3(H->py[a][c], s->y[c]), vg_lmmt3(H->pp[a][c], s->Ti[c])));
            ry[c] = vg_lmadd3(ry[c], vg_lmadd3(vg_lcross_mat3(s->y[a], yx), vg_lmm3(s->Ti[a], px)));
            rt[c] = vg_lmadd3(rt[c], vg_lmadd3(vg_lcross_mat3(s->y[a], yt), vg_lmm3(s->Ti[a], pt)));
            vgLane33 xx = vg_lmm3(s->R, yx), xt = vg_lmm3(s->R, yt);
            vgLane33 tx = vg_lmtm3(s->Ti[a], px), tt = vg_lmtm3(s->Ti[a], pt);
            take(K, nn, ia, ic, &xx);
            take(K, nn, ia, ic + 3, &xt);
            take(K, nn, ia + 3, ic, &tx);
            take(K, nn, ia + 3, ic + 3, &tt);
            /* translation of the whole: the reference's rows and columns are minus the sums of the arms' */
            vgLane33 xxm = vg_lmscale3(xx, vg_lane(-1)), xtm = vg_lmscale3(xt, vg_lane(-1)),
                     txm = vg_lmscale3(tx, vg_lane(-1));
            take(K, nn, r, ic, &xxm);
            take(K, nn, r, ic + 3, &xtm);
            take(K, nn, ia, r, &xxm);
            take(K, nn, ia + 3, r, &txm);
            take(K, nn, r, r, &xx);
        }
        rr = vg_lmadd3(rr, vg_lmadd3(vg_lcross_mat3(s->y[a], yr), vg_lmm3(s->Ti[a], pr)));
        vgLane33 tr = vg_lmtm3(s->Ti[a], pr);
        if (geometric) {
            vgLaneCoefs k = s->k[a], kt = k;
            kt.a = -kt.a;
            vgLane33 W = vg_lpoly_grad(&kt, s->p[a], s->gp[a]); /* ∂(T⁻ᵀ g)/∂ψ */
            vgLane33 V = vg_lpoly_grad(&k, s->p[a], s->gp[a]);  /* ∂(T⁻¹ g)/∂ψ */
            vgLane33 WT = vg_lmm3(W, s->Ti[a]), Gy = vg_lskew3(s->gy[a]);
            take(K, nn, ia + 3, ia + 3, &WT);
            tr = vg_lmsub3(tr, vg_lmmt3(W, s->Ti[a]));
            yr = vg_lmsub3(yr, Gy);
            ry[a] = vg_lmsub3(ry[a], vg_lmm3(Gy, Rt));
            rt[a] = vg_lmadd3(rt[a], vg_lmm3(V, s->Ti[a]));
            rr = vg_lmsub3(rr, vg_lmadd3(vg_lmat_cross3(Gy, s->y[a]), vg_lmmt3(V, s->Ti[a])));
        }
        vgLane33 xr = vg_lmm3(s->R, yr);
        take(K, nn, ia, r + 3, &xr);
        take(K, nn, ia + 3, r + 3, &tr);
        xr_sum = vg_lmsub3(xr_sum, xr);
    }
    take(K, nn, r, r + 3, &xr_sum);
    /* the row of δθ_r carries the opposite sign so far */
    rr = vg_lmscale3(rr, vg_lane(-1));
    take(K, nn, r + 3, r + 3, &rr);
    for (int c = 0; c < narm; c++) {
        const int ic = narm == 1 ? 6 : 12 * c;
        vgLane33 rx = vg_lmscale3(ry[c], vg_lane(-1)), rc = vg_lmscale3(rt[c], vg_lane(-1));
        take(K, nn, r + 3, ic, &rx);
        take(K, nn, r + 3, r, &ry[c]);
        take(K, nn, r + 3, ic + 3, &rc);
    }
}

/* K −= A at (i, j) and Aᵀ at (j, i). */
VG_LANEWISE void take_both(vgLane *K, int nn, int i, int j, const vgLane33 *A)
{
    vgLane *up = place(K, nn, i, j), *down = place(K, nn, j, i);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            up[6 * r + c] -= A->m[r][c];
            down[6 * c + r] -= A->m[r][c];
        }
}

/* As pull with the geometric part, for a symmetric H given by its upper half (spread_half). A tangent in
 * native variations is symmetric but for the blocks of a rotation with itself. T⁻ᵀ = T⁻¹ − skew(ψ) saves
 * products, and V = ∂(T⁻¹ g)/∂ψ = W − skew(g). */
VG_LANEWISE void pull_half(const Arms *s, int narm, const Local *H, vgLane *K)
{
    const int nn = narm + 1, r = 6 * (narm - 1);
    vgLane33 yr[2], pr[2], xr_sum = vg_lmzero3(), rr = vg_lmzero3(), x_all = vg_lmzero3();
    for (int a = 0; a < narm; a++) yr[a] = pr[a] = vg_lmzero3();
    for (int a = 0; a < narm; a++) {
        const int ia = narm == 1 ? 6 : 12 * a;
        for (int c = 0; c < narm; c++) {
            const int ic = narm == 1 ? 6 : 12 * c;
            const vgLane33 *yp = &H->yp[a][c];
            vgLane33 yt = vg_lmm3(*yp, s->Ti[c]), ypt = vg_lmt3(*yp);
            vgLane33 xt = vg_lmm3(s->R, yt), xtm = vg_lmscale3(xt, vg_lane(-1));
            take_both(K, nn, ia, ic + 3, &xt);
            take_both(K, nn, r, ic + 3, &xtm);
            yr[a] = vg_lmadd3(yr[a], vg_lmsub3(vg_lmat_cross3(*yp, s->p[c]), yt));
            pr[c] = vg_lmadd3(pr[c], vg_lmat_cross3(ypt, s->y[a]));
            if (c < a) continue;
            vgLane33 yy = H->yy[a][c], pt = vg_lmm3(H->pp[a][c], s->Ti[c]);
            vgLane33 xx = vg_lmm3(s->R, vg_lmmt3(yy, s->R)), tt = vg_lmtm3(s->Ti[a], pt),
                     xxm = vg_lmscale3(xx, vg_lane(-1));
            yr[a] = vg_lmadd3(yr[a], vg_lmat_cross3(yy, s->y[c]));
            pr[a] = vg_lmadd3(pr[a], vg_lmsub3(vg_lmat_cross3(H->pp[a][c], s->p[c]), pt));
            if (a == c) {
                take(K, nn, ia, ia, &xx);
                take(K, nn, ia + 3, ia + 3, &tt);
                take_both(K, nn, ia, r, &xxm);
                x_all = vg_lmadd3(x_all, xx);
            } else {
                vgLane33 yyt = vg_lmt3(yy), ppt = vg_lmt3(H->pp[a][c]), xxmt = vg_lmt3(xxm);
                yr[c] = vg_lmadd3(yr[c], vg_lmat_cross3(yyt, s->y[a]));
                pr[c] = vg_lmadd3(pr[c], vg_lmsub3(vg_lmat_cross3(ppt, s->p[a]), vg_lmm3(ppt, s->Ti[a])));
                take_both(K, nn, ia, ic, &xx);
                take_both(K, nn, ia + 3, ic + 3, &tt);
                take_both(K, nn, ia, r, &xxm);
                take_both(K, nn, ic, r, &xxmt);
                x_all = vg_lmadd3(x_all, vg_lmadd3(xx, vg_lmt3(xx)));
            }
        }
    }
    take(K, nn, r, r, &x_all);
    for (int a = 0; a < narm; a++) {
        const int ia = narm == 1 ? 6 : 12 * a;
        vgLaneCoefs kt = s->k[a];
        kt.a = -kt.a;
        vgLane33 W = vg_lpoly_grad(&kt, s->p[a], s->gp[a]); /* ∂(T⁻ᵀ g)/∂ψ */
        vgLane33 WT = vg_lmm3(W, s->Ti[a]), WTt = vg_lmsub3(WT, vg_lmat_cross3(W, s->p[a]));
        vgLane33 tp = vg_lmtm3(s->Ti[a], pr[a]), tr = vg_lmsub3(tp, WTt), Tit = vg_lmt3(s->Ti[a]);
        vgLane33 Gy = vg_lskew3(s->gy[a]), xr = vg_lmm3(s->R, vg_lmsub3(yr[a], Gy));
        take(K, nn, ia + 3, ia + 3, &WT);
        take_both(K, nn, ia, r + 3, &xr);
        take_both(K, nn, ia + 3, r + 3, &tr);
        xr_sum = vg_lmsub3(xr_sum, xr);
        /* minus the rows of δθ_r: y × …, T⁻¹ … and what g does with δy, δψ */
        rr = vg_lmadd3(rr, vg_lmadd3(vg_lcross_mat3(s->y[a], yr[a]), tp));
        rr = vg_lmadd3(rr, vg_lmsub3(vg_lcross_mat3(s->p[a], pr[a]), vg_lmat_cross3(Gy, s->y[a])));
        rr = vg_lmadd3(rr, vg_lmsub3(vg_lcross_mat3(s->gp[a], Tit), WTt));
    }
    take_both(K, nn, r, r + 3, &xr_sum);
    rr = vg_lmscale3(rr, vg_lane(-1));
    take(K, nn, r + 3, r + 3, &rr);
}

/* f −= Jᵀ g */
VG_LANEWISE void push_force(const Arms *s, int narm, vgLane *f)
{
    vgLane3 fr = vg_lzero3(), tr = vg_lzero3();
    for (int a = 0; a < narm; a++) {
        vgLane *fa = f + (narm == 1 ? 6 : 12 * a);
        vgLane3 x = vg_lmv3(s->R, s->gy[a]), t = vg_lmtv3(s->Ti[a], s->gp[a]);
        fr = vg_ladd3(fr, x);
        tr = vg_ladd3(tr, vg_ladd3(vg_lcross3(s->y[a], s->gy[a]), vg_lmv3(s->Ti[a], s->gp[a])));
        fa[0] -= x.x, fa[1] -= x.y, fa[2] -= x.z;
        fa[3] -= t.x, fa[4] -= t.y, fa[5] -= t.z;
    }
    f += 6 * (narm - 1);
    f[0] += fr.x, f[1] += fr.y, f[2] += fr.z;
    f[3] += tr.x, f[4] += tr.y, f[5] += tr.z;
}

/* The part of ∂f/∂δξ at fixed ξ that comes through u̇ = J ξ: H += β Hm ∂u̇/∂u, and columns of δθ_r,
 *     δẏ_a = u_a × δθ_r − ω_r × δy_a,    δψ̇_a = (∂(T⁻¹ ω_a)/∂ψ − ∂(T⁻ᵀ ω_r)/∂ψ) δψ_a. */
static void add_rate_stiffness(const vgLaneKin *kin, int narm, const Arms *s, const Local *Hm, Local *H,
                               vgLane33 ey[2], vgLane33 ep[2])
{
    vgLane3 wr = kin[narm - 1].w;
    vgLane33 Z[2];
    for (int c = 0; c < narm; c++) {
        vgLaneCoefs k = s->k[c], kt = k;
        kt.a = -kt.a;
        Z[c] = vg_lmsub3(vg_lpoly_grad(&k, s->p[c], kin[narm == 1 ? 1 : 2 * c].w),
                         vg_lpoly_grad(&kt, s->p[c], wr));
    }
    for (int a = 0; a < narm; a++) {
        ey[a] = ep[a] = vg_lmzero3();
        for (int c = 0; c < narm; c++) {
            H->yy[a][c] = vg_lmsub3(H->yy[a][c], vg_lmat_cross3(Hm->yy[a][c], wr));
            H->py[a][c] = vg_lmsub3(H->py[a][c], vg_lmat_cross3(Hm->py[a][c], wr));
            H->yp[a][c] = vg_lmadd3(H->yp[a][c], vg_lmm3(Hm->yp[a][c], Z[c]));
            H->pp[a][c] = vg_lmadd3(H->pp[a][c], vg_lmm3(Hm->pp[a][c], Z[c]));
            ey[a] = vg_lmadd3(ey[a], vg_lmat_cross3(Hm->yy[a][c], s->u[c]));
            ep[a] = vg_lmadd3(ep[a], vg_lmat_cross3(Hm->py[a][c], s->u[c]));
        }
    }
}

/* narm, damped and coupled are constants where this is called for the common kinds. */
VG_LANEWISE void internal(const vgBeamPack *b, int narm, int damped, int coupled, const vgLaneKin *kin,
                          vgLane *f, vgLane *K, vgLane *C)
{
    Arms s;
    Local H, Hm; /* Hm: β Bᵀ C B alone */
    const int tangents = K || (damped && C);
    look(narm, kin, damped, &s);
    for (int a = 0; a < narm; a++) s.gy[a] = s.gp[a] = vg_lzero3();
    if (tangents) memset(&H, 0, sizeof H);
    if (tangents && damped) memset(&Hm, 0, sizeof Hm);
    for (int i = 0; i < narm; i++) {
        const vgLanePoint *g = &b->point[i];
        Point q;
        point_strain(g, narm, &s, &q);
        point_stress(g, narm, damped, coupled, b->damping, &s, &q);
        point_gradient(g, narm, &q, &s);
        if (!tangents) continue;
        Square h;
        Strip B = point_strip(&q);
        strip_product(g, coupled, !damped, &B, &B, &h);
        if (damped) spread(g, narm, b->damping, &h, &Hm);
        point_geometric(&q, &B, !damped, &h);
        if (damped) {
            spread(g, narm, vg_lane(1), &h, &H);
            Strip L = point_strip_rate(g, narm, &s, &q, &B);
            strip_product(g, coupled, 0, &B, &L, &h);
            spread(g, narm, b->damping, &h, &H);
        } else {
            spread_half(g, narm, coupled, &h, &H);
        }
    }
    push_force(&s, narm, f);
    if (!tangents) return;
    if (damped) {
        vgLane33 ey[2], ep[2];
        if (C) pull(&s, narm, &Hm, NULL, NULL, 0, C);
        add_rate_stiffness(kin, narm, &s, &Hm, &H, ey, ep);
        if (K) pull(&s, narm, &H, ey, ep, 1, K);
    } else {
        pull_half(&s, narm, &H, K);
    }
}

void vg_beam_lanes(const vgBeamPack *b, const vgLaneKin *kin, vgLane *f, vgLane *K, vgLane *C)
{
    if (b->narm == 2 && !b->damped && !b->coupled)
        internal(b, 2, 0, 0, kin, f, K, C);
    else if (b->narm == 2)
        internal(b, 2, b->damped, b->coupled, kin, f, K, C);
    else
        internal(b, 1, b->damped, b->coupled, kin, f, K, C);
}

void vg_beam_lanes_strain(const vgBeamPack *b, const vgLaneKin *kin, int point, vgLane strain[6],
                          vgLane rate[6])
{
    const vgLanePoint *g = &b->point[point];
    Arms s;
    Point q;
    look(b->narm, kin, rate != NULL, &s);
    point_strain(g, b->narm, &s, &q);
    vgLane3 e = vg_lsub3(q.gam, g->gamma0), k = vg_lsub3(q.kap, g->kappa0);
    strain[0] = e.x, strain[1] = e.y, strain[2] = e.z;
    strain[3] = k.x, strain[4] = k.y, strain[5] = k.z;
    if (!rate) return;
    point_rate(g, b->narm, &s, &q, &e, &k);
    rate[0] = e.x, rate[1] = e.y, rate[2] = e.z;
    rate[3] = k.x, rate[4] = k.y, rate[5] = k.z;
}
