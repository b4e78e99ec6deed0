/* Nodes that are frames fixed on a body away from its own frame: x = p + R r, triad R N.
 *
 *     (δx, δθ_n) = A (δp, δθ),   A = [I, −R skew(r); 0, Nᵀ]
 *     ξ_n = A ξ,   ξ̇_n = A ξ̇ + (R (ω × (ω × r)), 0)
 *
 * so that f = Aᵀ f_n, and the tangents are Aᵀ(…)A plus the terms of the change of A. */
#include "element/beam/beam.h"

void vg_node_motion(const vgKin *k, vgVec3 r, const vgMat3 *N, vgKin *n)
{
    vgVec3 wr = vg_cross3(k->w, r);
    n->p = vg_add3(k->p, vg_mv3(k->R, r));
    n->R = vg_mm3(k->R, *N);
    n->v = vg_add3(k->v, vg_mv3(k->R, wr));
    n->w = vg_mtv3(*N, k->w);
    n->dv = vg_add3(k->dv, vg_mv3(k->R, vg_add3(vg_cross3(k->dw, r), vg_cross3(k->w, wr))));
    n->dw = vg_mtv3(*N, k->dw);
}

static vgMat3 get(const double *at, int ld)
{
    return vg_m3(at[0], at[1], at[2], at[ld], at[ld + 1], at[ld + 2], at[2 * ld], at[2 * ld + 1],
                 at[2 * ld + 2]);
}

/* X (rows × 6 columns of one node) ← X A + Y·(a 3-column block G on the first three columns of Y) in the
 * rotational columns. */
static void columns(int rows, int ld, double *X, const vgMat3 *Rr, const vgMat3 *N)
{
    for (int i = 0; i < rows; i += 3) {
        vgMat3 x = get(X + i * ld, ld), t = get(X + i * ld + 3, ld);
        vg_mput3(vg_msub3(vg_mmt3(t, *N), vg_mm3(x, *Rr)), X + i * ld + 3, ld);
    }
}

static void add_columns(int rows, int ld, double *X, const double *Y, double s, vgMat3 G)
{
    for (int i = 0; i < rows; i += 3) {
        vgMat3 x = get(X + i * ld + 3, ld);
        vg_mput3(vg_maxpy3(s, vg_mm3(get(Y + i * ld, ld), G), x), X + i * ld + 3, ld);
    }
}

/* X (six rows of one node × cols) ← Aᵀ X */
static void rows_of(int cols, int ld, double *X, const vgMat3 *Rr, const vgMat3 *N)
{
    for (int j = 0; j < cols; j += 3) {
        vgMat3 x = get(X + j, ld), t = get(X + 3 * ld + j, ld);
        vg_mput3(vg_msub3(vg_mm3(*N, t), vg_mtm3(*Rr, x)), X + 3 * ld + j, ld);
    }
}

static void pull_node(int c, int n, const vgKin *k, vgVec3 r, const vgMat3 *N, vgForceOut *part)
{
    vgVec3 wr = vg_cross3(k->w, r), acc = vg_add3(vg_cross3(k->dw, r), vg_cross3(k->w, wr));
    vgMat3 Rr = vg_mm3(k->R, vg_skew3(r));
    double *K = part->K ? part->K + 6 * c : NULL, *C = part->C ? part->C + 6 * c : NULL;
    double *M = part->M ? part->M + 6 * c : NULL;
    if (K) columns(n, n, K, &Rr, N);
    /* through the node's velocity and acceleration: ∂v/∂δθ = −R skew(ω × r), and so on */
    if (K && C) add_columns(n, n, K, C, -1, vg_mm3(k->R, vg_skew3(wr)));
    if (K && M) add_columns(n, n, K, M, 1, vg_mm3(k->R, vg_skew3(acc)));
    if (C) columns(n, n, C, &Rr, N);
    if (C && M) {
        vgMat3 W = vg_madd3(vg_skew3(wr), vg_mm3(vg_skew3(k->w), vg_skew3(r)));
        add_columns(n, n, C, M, 1, vg_mm3(k->R, W));
    }
    if (M) columns(n, n, M, &Rr, N);
}

void vg_node_pull(int nn, const vgKin *const *body, const vgVec3 *r, const vgMat3 *N, vgForceOut *part,
                  vgForceOut *out)
{
    const int n = 6 * nn;
    double *const X[3] = {part->K, part->C, part->M};
    double *const Y[3] = {out->K, out->C, out->M};
    for (int c = 0; c < nn; c++) pull_node(c, n, body[c], r[c], &N[c], part);
    for (int a = 0; a < nn; a++) {
        vgMat3 Rr = vg_mm3(body[a]->R, vg_skew3(r[a]));
        double *f = part->f + 6 * a;
        vgVec3 F = vg_mtv3(body[a]->R, vg_load3(f));
        for (int i = 0; i < 3; i++)
            if (X[i]) rows_of(n, n, X[i] + 6 * a * n, &Rr, &N[a]);
        if (part->K) { /* δ(r × Rᵀ F) */
            double *at = part->K + (6 * a + 3) * n + 6 * a + 3;
            vg_mput3(vg_madd3(get(at, n), vg_mm3(vg_skew3(r[a]), vg_skew3(F))), at, n);
        }
        vg_store3(vg_add3(vg_mv3(N[a], vg_load3(f + 3)), vg_cross3(r[a], F)), f + 3);
    }
    for (int i = 0; i < n; i++) out->f[i] += part->f[i];
    for (int i = 0; i < 3; i++)
        if (X[i] && Y[i])
            for (int j = 0; j < n * n; j++) Y[i][j] += X[i][j];
}
