/* Second derivatives of the constraint primitives: the geometric stiffness K_λ = ∂(Bᵀλ)/∂δξ.
 *
 * A gradient g (W) at the body-fixed vector r gives the torque τ = r × Rᵀg. When the body turns by δθ and g
 * changes by δg
 *     δτ = r̂ (Rᵀg)^ δθ + r̂ Rᵀ δg
 * with ^ the skew matrix; the first part is the same for every primitive, the second follows from
 * ∂²φ/∂x_i∂x_j. K is 4×4 blocks of 3×3 in the order p_A, θ_A, p_B, θ_B. */
#include <string.h>

#include "element/prim/arms.h"

/* Change of atoms along a native variation. */
static vgAtoms atoms_vary(const vgPrim *p, const vgKin *ka, const vgKin *kb, const double dx[12])
{
    vgVec3 tA = vg_load3(dx + 3), tB = vg_load3(dx + 9);
    return (vgAtoms){vg_add3(vg_load3(dx), vg_mv3(ka->R, vg_cross3(tA, p->ra))),
                     vg_mv3(ka->R, vg_cross3(tA, p->ua)),
                     vg_mv3(ka->R, vg_cross3(tA, p->wa)),
                     vg_add3(vg_load3(dx + 6), vg_mv3(kb->R, vg_cross3(tB, p->rb))),
                     vg_mv3(kb->R, vg_cross3(tB, p->ub)),
                     vg_mv3(kb->R, vg_cross3(tB, p->wb))};
}

static void row_of_forms(const vgPrim *p, const vgKin *ka, const vgKin *kb, const vgAtoms *g, double row[12])
{
    vg_row_point(ka, p->ra, g->Pa, row);
    vg_row_vector(ka, p->ua, g->Ua, row);
    vg_row_vector(ka, p->wa, g->Wa, row);
    vg_row_point(kb, p->rb, g->Pb, row + 6);
    vg_row_vector(kb, p->ub, g->Ub, row + 6);
    vg_row_vector(kb, p->wb, g->Wb, row + 6);
}

void vg_prim_stiffness_by_forms(const vgPrim *p, const vgKin *ka, const vgKin *kb, const double *lambda,
                                double K[144])
{
    const double s = lambda[0];
    vgAtoms x = vg_prim_atoms(p, ka, kb), g[VG_PRIM_MAX_ROWS], dg[VG_PRIM_MAX_ROWS];
    vg_prim_forms(p, &x, g);
    vg_add_turn(K, VG_TA, p->ra, vg_scale3(vg_mtv3(ka->R, g->Pa), s));
    vg_add_turn(K, VG_TA, p->ua, vg_scale3(vg_mtv3(ka->R, g->Ua), s));
    vg_add_turn(K, VG_TB, p->rb, vg_scale3(vg_mtv3(kb->R, g->Pb), s));
    vg_add_turn(K, VG_TB, p->ub, vg_scale3(vg_mtv3(kb->R, g->Ub), s));
    for (int j = 0; j < 12; j++) {
        double dx[12] = {0}, row[12] = {0};
        dx[j] = 1;
        vgAtoms d = atoms_vary(p, ka, kb, dx);
        vg_prim_forms_vary(p, &x, &d, dg);
        row_of_forms(p, ka, kb, dg, row);
        for (int i = 0; i < 12; i++) K[i * 12 + j] += s * row[i];
    }
}

void vg_prim_stiffness(const vgPrim *p, const vgKin *ka, const vgKin *kb, const double *lambda, double K[144])
{
    vg_prim_type(p)->stiffness(p, ka, kb, lambda, K);
}

/* ∂(g·ẋ)/∂δξ: ẋ = R(w×r) turns like the vector w×r, and g changes by the second derivative along ẋ. */
void vg_prim_drate(const vgPrim *p, const vgKin *ka, const vgKin *kb, double D[VG_PRIM_MAX_ROWS][12])
{
    double xi[12];
    vg_store3(ka->v, xi);
    vg_store3(ka->w, xi + 3);
    vg_store3(kb->v, xi + 6);
    vg_store3(kb->w, xi + 9);
    memset(D, 0, (size_t)p->rows * sizeof D[0]);
    if (vg_prim_type(p)->drate) {
        vg_prim_type(p)->drate(p, ka, kb, xi, D);
        return;
    }
    vgAtoms x = vg_prim_atoms(p, ka, kb), dx = atoms_vary(p, ka, kb, xi);
    vgAtoms g[VG_PRIM_MAX_ROWS], dg[VG_PRIM_MAX_ROWS];
    int rows = vg_prim_forms(p, &x, g);
    vg_prim_forms_vary(p, &x, &dx, dg);
    for (int i = 0; i < rows; i++) {
        row_of_forms(p, ka, kb, &dg[i], D[i]);
        vg_row_vector(ka, vg_cross3(ka->w, p->ra), g[i].Pa, D[i]);
        vg_row_vector(ka, vg_cross3(ka->w, p->ua), g[i].Ua, D[i]);
        vg_row_vector(ka, vg_cross3(ka->w, p->wa), g[i].Wa, D[i]);
        vg_row_vector(kb, vg_cross3(kb->w, p->rb), g[i].Pb, D[i] + 6);
        vg_row_vector(kb, vg_cross3(kb->w, p->ub), g[i].Ub, D[i] + 6);
        vg_row_vector(kb, vg_cross3(kb->w, p->wb), g[i].Wb, D[i] + 6);
    }
}
