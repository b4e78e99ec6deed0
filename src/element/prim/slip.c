/* Knife edges and rolling discs.
 *
 * One row says that the velocity of the material point of B at the contact, relative to A, has no component
 * along e. With the contact at C = P_B + x, y_B = C − p_B and y_A = C − p_A (W):
 *
 *     φ = e·(v_B + ω_B×y_B − v_A − ω_A×y_A)
 *     row: body B ( e, R_Bᵀ(y_B×e) ),   body A ( −e, −R_Aᵀ(y_A×e) )
 *
 *   KNIFE    x = 0, e = uB fixed on B
 *   ROLLING  x = c d, d = −(n − s a)/√(1 − s²) with n = uA (normal of the plane), a = uB (axis of the disc)
 * and s = n·a: the lowest point of the rim of a leaning disc; e = wA and wb, fixed on A
 *
 * The bias is the change of the row along ξ itself, times ξ: γ = (δA|ξ) ξ. */
#include <string.h>

#include "element/prim/arms.h"

typedef struct slip {
    vgVec3 e, x, yA, yB;
} slip;

/* Direction to the lowest point, and its change when n and a change by dn and da. */
static vgVec3 lowest(vgVec3 n, vgVec3 a, vgVec3 dn, vgVec3 da, vgVec3 *change)
{
    double s = vg_dot3(n, a), ds = vg_dot3(dn, a) + vg_dot3(n, da);
    double q = sqrt(fmax(1 - s * s, 0)), dq = -s * ds / q;
    vgVec3 d = vg_scale3(vg_axpy3(-s, a, n), -1 / q);
    vgVec3 dm = vg_sub3(dn, vg_axpy3(ds, a, vg_scale3(da, s)));
    *change = vg_scale3(vg_axpy3(dq, d, dm), -1 / q);
    return d;
}

/* The direction e = Σ λ_i e_i in the axes of the body that carries it. */
static vgVec3 direction(const vgPrim *p, const double *lambda)
{
    if (p->kind == VG_PRIM_KNIFE) return vg_scale3(p->ub, lambda[0]);
    vgVec3 e = vg_scale3(p->wa, lambda[0]);
    return p->rows > 1 ? vg_axpy3(lambda[1], p->wb, e) : e;
}

/* Geometry at the present placement and its change along dx. */
static void geometry(const vgPrim *p, const vgKin *ka, const vgKin *kb, const double *lambda,
                     const double dx[12], slip *g, slip *dg)
{
    vgVec3 tA = vg_load3(dx + 3), tB = vg_load3(dx + 9);
    vgVec3 e_body = direction(p, lambda);
    const vgKin *ke = p->kind == VG_PRIM_KNIFE ? kb : ka;
    g->e = vg_mv3(ke->R, e_body);
    dg->e = vg_mv3(ke->R, vg_cross3(p->kind == VG_PRIM_KNIFE ? tB : tA, e_body));
    g->x = dg->x = vg_zero3();
    if (p->kind == VG_PRIM_ROLLING) {
        vgVec3 dn = vg_mv3(ka->R, vg_cross3(tA, p->ua)), da = vg_mv3(kb->R, vg_cross3(tB, p->ub)), change;
        g->x = vg_scale3(lowest(vg_mv3(ka->R, p->ua), vg_mv3(kb->R, p->ub), dn, da, &change), p->c);
        dg->x = vg_scale3(change, p->c);
    }
    g->yB = vg_add3(vg_mv3(kb->R, p->rb), g->x);
    dg->yB = vg_add3(vg_mv3(kb->R, vg_cross3(tB, p->rb)), dg->x);
    g->yA = vg_add3(vg_sub3(kb->p, ka->p), g->yB);
    dg->yA = vg_add3(vg_sub3(vg_load3(dx + 6), vg_load3(dx)), dg->yB);
}

/* Change of the rows, weighted by λ and summed, along the native variation dx of both bodies. */
static void slip_vary(const vgPrim *p, const vgKin *ka, const vgKin *kb, const double *lambda,
                      const double dx[12], double out[12])
{
    slip g, dg;
    geometry(p, ka, kb, lambda, dx, &g, &dg);
    vgVec3 zA = vg_cross3(g.yA, g.e), zB = vg_cross3(g.yB, g.e);
    vgVec3 dzA = vg_add3(vg_cross3(dg.yA, g.e), vg_cross3(g.yA, dg.e));
    vgVec3 dzB = vg_add3(vg_cross3(dg.yB, g.e), vg_cross3(g.yB, dg.e));
    vg_store3(vg_neg3(dg.e), out);
    /* δ(Rᵀz) = Rᵀδz − δθ × Rᵀz */
    vg_store3(vg_sub3(vg_cross3(vg_load3(dx + 3), vg_mtv3(ka->R, zA)), vg_mtv3(ka->R, dzA)), out + 3);
    vg_store3(dg.e, out + 6);
    vg_store3(vg_sub3(vg_mtv3(kb->R, dzB), vg_cross3(vg_load3(dx + 9), vg_mtv3(kb->R, zB))), out + 9);
}

static void eval(const vgPrim *p, const vgKin *ka, const vgKin *kb, unsigned what, vgPrimOut *out)
{
    double xi[12];
    vg_store3(ka->v, xi);
    vg_store3(ka->w, xi + 3);
    vg_store3(kb->v, xi + 6);
    vg_store3(kb->w, xi + 9);
    for (int i = 0; i < p->rows; i++) {
        double unit[2] = {i == 0, i == 1}, row[12], change[12], phi = 0, bias = 0;
        slip g, dg;
        geometry(p, ka, kb, unit, xi, &g, &dg);
        vg_store3(vg_neg3(g.e), row);
        vg_store3(vg_mtv3(ka->R, vg_cross3(g.e, g.yA)), row + 3);
        vg_store3(g.e, row + 6);
        vg_store3(vg_mtv3(kb->R, vg_cross3(g.yB, g.e)), row + 9);
        if (what & VG_PRIM_GRADIENT) {
            memcpy(out->Ba[i], row, sizeof out->Ba[i]);
            memcpy(out->Bb[i], row + 6, sizeof out->Bb[i]);
        }
        for (int j = 0; j < 12; j++) phi += row[j] * xi[j];
        if (what & VG_PRIM_VALUE) out->phi[i] = phi;
        if (what & VG_PRIM_RATE) out->dot[i] = phi;
        if (what & VG_PRIM_BIAS) {
            slip_vary(p, ka, kb, unit, xi, change);
            for (int j = 0; j < 12; j++) bias += change[j] * xi[j];
            out->bias[i] = bias;
        }
    }
}

static void stiffness(const vgPrim *p, const vgKin *ka, const vgKin *kb, const double *lambda, double K[144])
{
    for (int j = 0; j < 12; j++) {
        double dx[12] = {0}, row[12];
        dx[j] = 1;
        slip_vary(p, ka, kb, lambda, dx, row);
        for (int i = 0; i < 12; i++) K[i * 12 + j] += row[i];
    }
}

static void drate(const vgPrim *p, const vgKin *ka, const vgKin *kb, const double xi[12],
                  double D[VG_PRIM_MAX_ROWS][12])
{
    for (int i = 0; i < p->rows; i++) {
        double unit[2] = {i == 0, i == 1};
        for (int j = 0; j < 12; j++) {
            double e[12] = {0}, row[12], sum = 0;
            e[j] = 1;
            slip_vary(p, ka, kb, unit, e, row);
            for (int k = 0; k < 12; k++) sum += row[k] * xi[k];
            D[i][j] = sum;
        }
    }
}

const vgPrimType vg_prim_knife = {
    .name = "knife edge", .eval = eval, .stiffness = stiffness, .drate = drate, .cost = 230};
const vgPrimType vg_prim_rolling = {
    .name = "rolling", .eval = eval, .stiffness = stiffness, .drate = drate, .cost = 230};
