/* ½(|P_B − P_A|² − c²)/c = 0: a rod; scaled so that λ is its force. */
#include "element/prim/arms.h"

static void eval(const vgPrim *p, const vgKin *ka, const vgKin *kb, unsigned what, vgPrimOut *out)
{
    vgArm Pa = vg_arm_of(p->a, ka, p->ra, what), Pb = vg_arm_of(p->b, kb, p->rb, what);
    vgVec3 D = vg_add3(vg_sub3(kb->p, ka->p), vg_sub3(Pb.x, Pa.x));
    vgVec3 g = vg_scale3(D, 1 / p->c);
    if (what & VG_PRIM_VALUE) out->phi[0] = 0.5 * (vg_dot3(D, g) - p->c);
    if (what & (VG_PRIM_RATE | VG_PRIM_BIAS)) {
        vgVec3 dD = vg_add3(vg_sub3(kb->v, ka->v), vg_sub3(Pb.d, Pa.d));
        if (what & VG_PRIM_RATE) out->dot[0] = vg_dot3(g, dD);
        if (what & VG_PRIM_BIAS) out->bias[0] = vg_dot3(dD, dD) / p->c + vg_dot3(g, vg_sub3(Pb.dd, Pa.dd));
    }
    if (what & VG_PRIM_GRADIENT) {
        double *a = out->Ba[0], *b = out->Bb[0];
        vg_put3(a, vg_neg3(g));
        vg_put3(b, g);
        vg_put3(a + 3, vg_mtv3(ka->R, vg_cross3(g, Pa.x)));
        vg_put3(b + 3, vg_mtv3(kb->R, vg_cross3(Pb.x, g)));
    }
}

/* H = 1/c on D = P_B − P_A, and the force D/c turned with both arms. */
static void stiffness(const vgPrim *p, const vgKin *ka, const vgKin *kb, const double *lambda, double K[144])
{
    double h = lambda[0] / p->c;
    vgVec3 D = vg_sub3(vg_kin_point(kb, p->rb), vg_kin_point(ka, p->ra));
    vgMat3 A = vg_times_skew(ka->R, p->ra),
           B = vg_times_skew(kb->R, p->rb); /* δD = δp_B − B δθ_B − δp_A + A δθ_A */
    vgMat3 At = vg_mt3(A), Bt = vg_mt3(B), AtB = vg_mm3(At, B);
    vg_add_scaled_eye(K, VG_PA, VG_PA, h);
    vg_add_scaled_eye(K, VG_PB, VG_PB, h);
    vg_add_scaled_eye(K, VG_PA, VG_PB, -h);
    vg_add_scaled_eye(K, VG_PB, VG_PA, -h);
    vg_add_block(K, VG_PA, VG_TA, -h, A);
    vg_add_block(K, VG_TA, VG_PA, -h, At);
    vg_add_block(K, VG_PB, VG_TA, h, A);
    vg_add_block(K, VG_TA, VG_PB, h, At);
    vg_add_block(K, VG_PB, VG_TB, -h, B);
    vg_add_block(K, VG_TB, VG_PB, -h, Bt);
    vg_add_block(K, VG_PA, VG_TB, h, B);
    vg_add_block(K, VG_TB, VG_PA, h, Bt);
    vg_add_block(K, VG_TA, VG_TA, h, vg_mm3(At, A));
    vg_add_block(K, VG_TB, VG_TB, h, vg_mm3(Bt, B));
    vg_add_block(K, VG_TA, VG_TB, -h, AtB);
    vg_add_block(K, VG_TB, VG_TA, -h, vg_mt3(AtB));
    vg_add_turn(K, VG_TA, p->ra, vg_scale3(vg_mtv3(ka->R, D), -h));
    vg_add_turn(K, VG_TB, p->rb, vg_scale3(vg_mtv3(kb->R, D), h));
}

static void forms(const vgPrim *p, const vgAtoms *x, vgAtoms g[VG_PRIM_MAX_ROWS])
{
    g->Pb = vg_scale3(vg_sub3(x->Pb, x->Pa), 1 / p->c);
    g->Pa = vg_neg3(g->Pb);
}

static void vary(const vgPrim *p, const vgAtoms *x, const vgAtoms *dx, vgAtoms dg[VG_PRIM_MAX_ROWS])
{
    (void)x;
    forms(p, dx, dg); /* linear in the atoms */
}

static void start(vgPrim *p, const vgKin *ka, const vgKin *kb)
{
    p->c = vg_norm3(vg_sub3(vg_kin_point(kb, p->rb), vg_kin_point(ka, p->ra)));
}

static void push(const vgPrim *p, const vgKin *ka, const vgKin *kb, const double *l, double *na, double *nb,
                 double *phi)
{
    vgVec3 d = vg_sub3(vg_kin_point(kb, p->rb), vg_kin_point(ka, p->ra)), g = vg_scale3(d, l[0] / p->c);
    phi[0] = 0.5 * (vg_dot3(d, d) - p->c * p->c) / p->c;
    if (nb) vg_row_point(kb, p->rb, g, nb);
    if (na) vg_row_point(ka, p->ra, vg_neg3(g), na);
}

static int products(const vgPrim *p, vgProduct out[VG_PRIM_MAX_PRODUCTS], double *c)
{
    *c = 0.5 * p->c;
    out[0] = (vgProduct){0.5 / p->c, VG_ATOM_D, VG_ATOM_D};
    return 1;
}

const vgPrimType vg_prim_distance = {
    .name = "distance",
    .eval = eval,
    .stiffness = stiffness,
    .forms = forms,
    .vary = vary,
    .start = start,
    .push = push,
    .products = products,
    .cost = 230,
};
