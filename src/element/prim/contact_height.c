/* The lowest point of a disc. With n = uA, the disc's axis a = uB and s = n·a, the point of the rim that is
 * deepest against n lies in the direction d = −(n − s a)/√(1 − s²) from the centre, and n·d = −√(1 − s²):
 *     φ = n·(P_B − P_A) + F(s),   F = −c √(1 − s²),  F' = c s/√(1 − s²),  F'' = c/(1 − s²)^{3/2}
 * A disc that lies flat (s = ±1) has no lowest point; the value stays finite, the derivatives do not. */
#include "element/prim/arms.h"

static void disc_height(double c, double s, double F[3])
{
    double q = sqrt(fmax(1 - s * s, 0));
    F[0] = -c * q;
    F[1] = c * s / q;
    F[2] = c / (q * q * q);
}

static void eval(const vgPrim *p, const vgKin *ka, const vgKin *kb, unsigned what, vgPrimOut *out)
{
    vgArm n = vg_arm(ka, p->ua, what), a = vg_arm(kb, p->ub, what);
    vgPrim plane = *p;
    plane.c = 0;
    vg_prim_along.eval(&plane, ka, kb, what, out);
    double F[3], ds = vg_dot3(n.d, a.x) + vg_dot3(n.x, a.d);
    disc_height(p->c, vg_dot3(n.x, a.x), F);
    if (what & VG_PRIM_VALUE) out->phi[0] += F[0];
    if (what & VG_PRIM_RATE) out->dot[0] += F[1] * ds;
    if (what & VG_PRIM_BIAS)
        out->bias[0] +=
            F[2] * ds * ds + F[1] * (vg_dot3(n.dd, a.x) + 2 * vg_dot3(n.d, a.d) + vg_dot3(n.x, a.dd));
    if (what & VG_PRIM_GRADIENT) {
        vg_row_vector(ka, p->ua, vg_scale3(a.x, F[1]), out->Ba[0]);
        vg_row_vector(kb, p->ub, vg_scale3(n.x, F[1]), out->Bb[0]);
    }
}

static void forms(const vgPrim *p, const vgAtoms *x, vgAtoms g[VG_PRIM_MAX_ROWS])
{
    double F[3];
    vg_prim_along.forms(p, x, g);
    disc_height(p->c, vg_dot3(x->Ua, x->Ub), F);
    g->Ua = vg_axpy3(F[1], x->Ub, g->Ua);
    g->Ub = vg_axpy3(F[1], x->Ua, g->Ub);
}

static void vary(const vgPrim *p, const vgAtoms *x, const vgAtoms *dx, vgAtoms dg[VG_PRIM_MAX_ROWS])
{
    double F[3], ds = vg_dot3(dx->Ua, x->Ub) + vg_dot3(x->Ua, dx->Ub);
    vg_prim_along.vary(p, x, dx, dg);
    disc_height(p->c, vg_dot3(x->Ua, x->Ub), F);
    dg->Ua = vg_add3(dg->Ua, vg_axpy3(F[1], dx->Ub, vg_scale3(x->Ub, F[2] * ds)));
    dg->Ub = vg_add3(dg->Ub, vg_axpy3(F[1], dx->Ua, vg_scale3(x->Ua, F[2] * ds)));
}

const vgPrimType vg_prim_contact_height = {
    .name = "contact height",
    .eval = eval,
    .stiffness = vg_prim_stiffness_by_forms,
    .forms = forms,
    .vary = vary,
    .cost = 230,
};
