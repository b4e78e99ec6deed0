/* P_A − P_B = 0: two points coincide, in W. */
#include "element/prim/arms.h"

static void eval(const vgPrim *p, const vgKin *ka, const vgKin *kb, unsigned what, vgPrimOut *out)
{
    vgArm Pa = vg_arm_of(p->a, ka, p->ra, what), Pb = vg_arm_of(p->b, kb, p->rb, what);
    if (what & VG_PRIM_VALUE) vg_put3(out->phi, vg_add3(vg_sub3(ka->p, kb->p), vg_sub3(Pa.x, Pb.x)));
    if (what & VG_PRIM_RATE) vg_put3(out->dot, vg_add3(vg_sub3(ka->v, kb->v), vg_sub3(Pa.d, Pb.d)));
    if (what & VG_PRIM_BIAS) vg_put3(out->bias, vg_sub3(Pa.dd, Pb.dd));
    if (what & VG_PRIM_GRADIENT) { /* row i: g = ±e_i, Rᵀe_i is row i of R */
        const vgVec3 ra = p->ra, rb = p->rb;
        const int rows = p->rows;
        for (int i = 0; i < rows; i++) {
            double *a = out->Ba[i], *b = out->Bb[i];
            a[0] = a[1] = a[2] = b[0] = b[1] = b[2] = 0;
            a[i] = 1;
            b[i] = -1;
            vg_put3(a + 3, vg_cross3(ra, vg_load3(ka->R.m[i])));
            vg_put3(b + 3, vg_cross3(vg_load3(kb->R.m[i]), rb));
        }
    }
}

static void stiffness(const vgPrim *p, const vgKin *ka, const vgKin *kb, const double *lambda, double K[144])
{
    vgVec3 g = vg_v3(lambda[0], lambda[1], p->rows > 2 ? lambda[2] : 0);
    if (p->a >= 0) vg_add_turn(K, VG_TA, p->ra, vg_mtv3(ka->R, g));
    if (p->b >= 0) vg_add_turn(K, VG_TB, p->rb, vg_neg3(vg_mtv3(kb->R, g)));
}

static void forms(const vgPrim *p, const vgAtoms *x, vgAtoms g[VG_PRIM_MAX_ROWS])
{
    (void)x;
    for (int i = 0; i < p->rows; i++) {
        g[i].Pa = vg_unit_axis3(i);
        g[i].Pb = vg_neg3(g[i].Pa);
    }
}

static void vary(const vgPrim *p, const vgAtoms *x, const vgAtoms *dx, vgAtoms dg[VG_PRIM_MAX_ROWS])
{
    (void)p, (void)x, (void)dx, (void)dg; /* the forms are constant */
}

static void push(const vgPrim *p, const vgKin *ka, const vgKin *kb, const double *l, double *na, double *nb,
                 double *phi)
{
    vgVec3 d = vg_sub3(vg_kin_point(ka, p->ra), vg_kin_point(kb, p->rb));
    vgVec3 g = vg_v3(l[0], l[1], p->rows == 3 ? l[2] : 0);
    phi[0] = d.x;
    phi[1] = d.y;
    if (p->rows == 3) phi[2] = d.z;
    if (na) vg_row_point(ka, p->ra, g, na);
    if (nb) vg_row_point(kb, p->rb, vg_neg3(g), nb);
}

static int products(const vgPrim *p, vgProduct out[VG_PRIM_MAX_PRODUCTS], double *c)
{
    (void)p;
    *c = 0;
    out[0] = (vgProduct){1, VG_ATOM_BACK, VG_ATOM_NONE};
    return 1;
}

const vgPrimType vg_prim_coincide = {
    .name = "coincide",
    .eval = eval,
    .stiffness = stiffness,
    .forms = forms,
    .vary = vary,
    .push = push,
    .products = products,
    .cost = 35,
};
