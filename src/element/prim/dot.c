/* s1 uA·uB + s2 wA·wB − c = 0: a right angle, or two at once. */
#include "element/prim/arms.h"

static void eval(const vgPrim *p, const vgKin *ka, const vgKin *kb, unsigned what, vgPrimOut *out)
{
    vgArm ua = vg_arm_of(p->a, ka, p->ua, what), ub = vg_arm_of(p->b, kb, p->ub, what), wa = {0}, wb = {0};
    if (p->s2 != 0) wa = vg_arm_of(p->a, ka, p->wa, what), wb = vg_arm_of(p->b, kb, p->wb, what);
    int two = p->s2 != 0;
    if (what & VG_PRIM_VALUE) {
        out->phi[0] = p->s1 * vg_dot3(ua.x, ub.x) - p->c;
        if (two) out->phi[0] += p->s2 * vg_dot3(wa.x, wb.x);
    }
    if (what & VG_PRIM_RATE) {
        out->dot[0] = p->s1 * (vg_dot3(ua.d, ub.x) + vg_dot3(ua.x, ub.d));
        if (two) out->dot[0] += p->s2 * (vg_dot3(wa.d, wb.x) + vg_dot3(wa.x, wb.d));
    }
    if (what & VG_PRIM_BIAS) {
        out->bias[0] = p->s1 * (vg_dot3(ua.dd, ub.x) + 2 * vg_dot3(ua.d, ub.d) + vg_dot3(ua.x, ub.dd));
        if (two)
            out->bias[0] += p->s2 * (vg_dot3(wa.dd, wb.x) + 2 * vg_dot3(wa.d, wb.d) + vg_dot3(wa.x, wb.dd));
    }
    if (what & VG_PRIM_GRADIENT) { /* both torques are ±(uA×uB), each in its own body's axes */
        vgVec3 m = vg_scale3(vg_cross3(ua.x, ub.x), p->s1);
        if (two) m = vg_axpy3(p->s2, vg_cross3(wa.x, wb.x), m);
        double *a = out->Ba[0], *b = out->Bb[0];
        a[0] = a[1] = a[2] = b[0] = b[1] = b[2] = 0;
        vg_put3(a + 3, vg_mtv3(ka->R, m));
        vg_put3(b + 3, vg_neg3(vg_mtv3(kb->R, m)));
    }
}

/* s u·w: cross blocks −û R_AᵀR_B ŵ = (R_A û)ᵀ(R_B ŵ) and its transpose. */
static void dot_pair(double s, vgVec3 ua, vgVec3 ub, const vgKin *ka, const vgKin *kb, double K[144])
{
    vgVec3 gA = vg_mtv3(ka->R, vg_mv3(kb->R, ub)), gB = vg_mtv3(kb->R, vg_mv3(ka->R, ua));
    vg_add_turn(K, VG_TA, ua, vg_scale3(gA, s));
    vg_add_turn(K, VG_TB, ub, vg_scale3(gB, s));
    vgMat3 M = vg_mtm3(vg_times_skew(ka->R, ua), vg_times_skew(kb->R, ub));
    vg_add_block(K, VG_TA, VG_TB, s, M);
    vg_add_block(K, VG_TB, VG_TA, s, vg_mt3(M));
}

static void stiffness(const vgPrim *p, const vgKin *ka, const vgKin *kb, const double *lambda, double K[144])
{
    dot_pair(lambda[0] * p->s1, p->ua, p->ub, ka, kb, K);
    if (p->s2 != 0) dot_pair(lambda[0] * p->s2, p->wa, p->wb, ka, kb, K);
}

static void forms(const vgPrim *p, const vgAtoms *x, vgAtoms g[VG_PRIM_MAX_ROWS])
{
    g->Ua = vg_scale3(x->Ub, p->s1);
    g->Ub = vg_scale3(x->Ua, p->s1);
    g->Wa = vg_scale3(x->Wb, p->s2);
    g->Wb = vg_scale3(x->Wa, p->s2);
}

static void vary(const vgPrim *p, const vgAtoms *x, const vgAtoms *dx, vgAtoms dg[VG_PRIM_MAX_ROWS])
{
    (void)x;
    forms(p, dx, dg); /* linear in the atoms */
}

static void push(const vgPrim *p, const vgKin *ka, const vgKin *kb, const double *l, double *na, double *nb,
                 double *phi)
{
    vgVec3 ua = vg_mv3(ka->R, p->ua), ub = vg_mv3(kb->R, p->ub);
    phi[0] = p->s1 * vg_dot3(ua, ub) - p->c;
    if (na) vg_row_vector(ka, p->ua, vg_scale3(ub, p->s1 * l[0]), na);
    if (nb) vg_row_vector(kb, p->ub, vg_scale3(ua, p->s1 * l[0]), nb);
    if (p->s2 == 0) return;
    vgVec3 wa = vg_mv3(ka->R, p->wa), wb = vg_mv3(kb->R, p->wb);
    phi[0] += p->s2 * vg_dot3(wa, wb);
    if (na) vg_row_vector(ka, p->wa, vg_scale3(wb, p->s2 * l[0]), na);
    if (nb) vg_row_vector(kb, p->wb, vg_scale3(wa, p->s2 * l[0]), nb);
}

static int products(const vgPrim *p, vgProduct out[VG_PRIM_MAX_PRODUCTS], double *c)
{
    *c = p->c;
    out[0] = (vgProduct){p->s1, VG_ATOM_UA, VG_ATOM_UB};
    out[1] = (vgProduct){p->s2, VG_ATOM_WA, VG_ATOM_WB};
    return p->s2 != 0 ? 2 : 1;
}

const vgPrimType vg_prim_dot = {
    .name = "dot",
    .eval = eval,
    .stiffness = stiffness,
    .forms = forms,
    .vary = vary,
    .start = vg_prim_start_at_value,
    .push = push,
    .products = products,
    .orients = 1,
    .cost = 230,
};
