/* uA·(P_B − P_A) − c = 0: a point on a plane. */
#include "element/prim/arms.h"

static void eval(const vgPrim *p, const vgKin *ka, const vgKin *kb, unsigned what, vgPrimOut *out)
{
    vgArm ua = vg_arm_of(p->a, ka, p->ua, what);
    vgArm Pa = vg_arm_of(p->a, ka, p->ra, what), Pb = vg_arm_of(p->b, kb, p->rb, what);
    vgVec3 D = vg_add3(vg_sub3(kb->p, ka->p), vg_sub3(Pb.x, Pa.x));
    if (what & VG_PRIM_VALUE) out->phi[0] = vg_dot3(ua.x, D) - p->c;
    if (what & (VG_PRIM_RATE | VG_PRIM_BIAS)) {
        vgVec3 dD = vg_add3(vg_sub3(kb->v, ka->v), vg_sub3(Pb.d, Pa.d));
        if (what & VG_PRIM_RATE) out->dot[0] = vg_dot3(ua.d, D) + vg_dot3(ua.x, dD);
        if (what & VG_PRIM_BIAS)
            out->bias[0] = vg_dot3(ua.dd, D) + 2 * vg_dot3(ua.d, dD) + vg_dot3(ua.x, vg_sub3(Pb.dd, Pa.dd));
    }
    if (what & VG_PRIM_GRADIENT) { /* on A the force −u acts at P_B: torque ua × (P_B seen from A's origin) */
        double *a = out->Ba[0], *b = out->Bb[0];
        vg_put3(a, vg_neg3(ua.x));
        vg_put3(b, ua.x);
        vg_put3(a + 3, vg_mtv3(ka->R, vg_cross3(ua.x, vg_add3(D, Pa.x))));
        vg_put3(b + 3, vg_mtv3(kb->R, vg_cross3(Pb.x, ua.x)));
    }
}

/* A gets (−u, ua × y), y = R_Aᵀ(P_B − p_A); B gets (u, rb × R_Bᵀu). */
static void stiffness(const vgPrim *p, const vgKin *ka, const vgKin *kb, const double *lambda, double K[144])
{
    const double s = lambda[0];
    vgVec3 y = vg_mtv3(ka->R, vg_sub3(vg_kin_point(kb, p->rb), ka->p));
    vgMat3 Ru = vg_times_skew(ka->R, p->ua), Ru_t = vg_mt3(Ru); /* δu = −R_A û δθ_A */
    vgMat3 cross = vg_mtm3(Ru, vg_times_skew(kb->R, p->rb));
    vg_add_block(K, VG_PA, VG_TA, s, Ru);
    vg_add_block(K, VG_PB, VG_TA, -s, Ru);
    vg_add_block(K, VG_TA, VG_PA, s, Ru_t);
    vg_add_block(K, VG_TA, VG_PB, -s, Ru_t);
    vg_add_turn(K, VG_TA, p->ua, vg_scale3(y, s));
    vg_add_block(K, VG_TA, VG_TB, s, cross);
    vg_add_block(K, VG_TB, VG_TA, s, vg_mt3(cross));
    vg_add_turn(K, VG_TB, p->rb, vg_scale3(vg_mtv3(kb->R, vg_mv3(ka->R, p->ua)), s));
}

static void forms(const vgPrim *p, const vgAtoms *x, vgAtoms g[VG_PRIM_MAX_ROWS])
{
    (void)p;
    g->Ua = vg_sub3(x->Pb, x->Pa);
    g->Pa = vg_neg3(x->Ua);
    g->Pb = x->Ua;
}

static void vary(const vgPrim *p, const vgAtoms *x, const vgAtoms *dx, vgAtoms dg[VG_PRIM_MAX_ROWS])
{
    (void)x;
    forms(p, dx, dg); /* linear in the atoms */
}

static void push(const vgPrim *p, const vgKin *ka, const vgKin *kb, const double *l, double *na, double *nb,
                 double *phi)
{
    vgVec3 u = vg_mv3(ka->R, p->ua), d = vg_sub3(vg_kin_point(kb, p->rb), vg_kin_point(ka, p->ra)),
           g = vg_scale3(u, l[0]);
    phi[0] = vg_dot3(u, d) - p->c;
    if (nb) vg_row_point(kb, p->rb, g, nb);
    if (na) {
        vg_row_point(ka, p->ra, vg_neg3(g), na);
        vg_row_vector(ka, p->ua, vg_scale3(d, l[0]), na);
    }
}

static int products(const vgPrim *p, vgProduct out[VG_PRIM_MAX_PRODUCTS], double *c)
{
    *c = p->c;
    out[0] = (vgProduct){1, VG_ATOM_UA, VG_ATOM_D};
    return 1;
}

const vgPrimType vg_prim_along = {
    .name = "along",
    .eval = eval,
    .stiffness = stiffness,
    .forms = forms,
    .vary = vary,
    .start = vg_prim_start_at_value,
    .push = push,
    .products = products,
    .cost = 230,
};
