/* The rotation vector of frame B in frame A, component j (docs/theory.md, eq. 89):
 *     R = R_Aᵀ R_B (of the frames),   ψ = log R,   m = e_j·ψ
 * With B's and A's axes on their bodies B and A and T the tangent of so3.h,
 *     δψ = T⁻¹(ψ) Bᵀ δθ_B − T⁻¹(−ψ) Aᵀ δθ_A
 *     ∂m/∂θ_A = −A T⁻¹(ψ) e_j,   ∂m/∂θ_B = B T⁻¹(−ψ) e_j
 * and both gradients change with ψ alone. Good below half a turn; beams interpolate rotations by it. */
#include <string.h>

#include "element/prim/measure.h"
#include "math/so3.h"

typedef struct Turn {
    vgVec3 e, psi, gA, gB;
    vgMat3 PA, PB; /* δψ = PA δθ_A + PB δθ_B */
} Turn;

static Turn turn_of(const vgMeasure *m, const vgKin *ka, const vgKin *kb)
{
    Turn t = {.e = vg_v3(m->axis == 0, m->axis == 1, m->axis == 2)};
    t.psi = vg_so3_log(vg_mtm3(vg_mm3(ka->R, m->A.R), vg_mm3(kb->R, m->B.R)));
    vgMat3 fore = vg_so3_dexpinv(t.psi), back = vg_so3_dexpinv(vg_neg3(t.psi));
    t.gA = vg_neg3(vg_mv3(m->A.R, vg_mv3(fore, t.e)));
    t.gB = vg_mv3(m->B.R, vg_mv3(back, t.e));
    t.PA = vg_mscale3(vg_mmt3(back, m->A.R), -1);
    t.PB = vg_mmt3(fore, m->B.R);
    return t;
}

/* Change of the gradients by ψ. */
static void gradients_by_psi(const vgMeasure *m, const Turn *t, vgMat3 *DA, vgMat3 *DB)
{
    *DA = vg_mscale3(vg_mm3(m->A.R, vg_so3_d_dexpinv(t->psi, t->e)), -1);
    *DB = vg_mscale3(vg_mm3(m->B.R, vg_so3_d_dexpinv(vg_neg3(t->psi), t->e)), -1);
}

void vg_measure_turn_eval(const vgMeasure *m, const vgKin *ka, const vgKin *kb, int derivatives,
                          vgMeasureOut *out)
{
    const Turn t = turn_of(m, ka, kb);
    out->value = vg_dot3(t.e, t.psi) + m->offset;
    out->rate = vg_dot3(t.gA, ka->w) + vg_dot3(t.gB, kb->w);
    if (derivatives < 1) return;
    vgMat3 DA, DB;
    gradients_by_psi(m, &t, &DA, &DB);
    vgVec3 by_psi = vg_add3(vg_mtv3(DA, ka->w), vg_mtv3(DB, kb->w)); /* of the rate at fixed w */
    vgVec3 dA = vg_mtv3(t.PA, by_psi), dB = vg_mtv3(t.PB, by_psi);
    memset(out->grad, 0, sizeof out->grad);
    vg_store3(t.gA, out->grad + 3);
    vg_store3(t.gB, out->grad + 9);
    out->bias = vg_dot3(dA, ka->w) + vg_dot3(dB, kb->w);
    if (derivatives < 2) return;
    memset(out->drate, 0, sizeof out->drate);
    vg_store3(dA, out->drate + 3);
    vg_store3(dB, out->drate + 9);
}

void vg_measure_turn_hessian(const vgMeasure *m, const vgKin *ka, const vgKin *kb, double factor,
                             double H[144])
{
    const Turn t = turn_of(m, ka, kb);
    vgMat3 D[2];
    gradients_by_psi(m, &t, &D[0], &D[1]);
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < 2; c++) {
            vgMat3 B = vg_mm3(D[r], c ? t.PB : t.PA);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) H[(6 * r + 3 + i) * 12 + 6 * c + 3 + j] += factor * B.m[i][j];
        }
}
