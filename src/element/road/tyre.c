#include "element/road/tyre.h"
#include "element/tuning.h"

#define VG_WIDTH 1
#include "math/width.h"
#define WTYRE vgTyre
#include "element/road/tyre_formulas.h"

const char *const vg_tyre_outputs[] = {"normal",     "lateral", "aligning", "deflection",
                                       "slip-angle", "camber",  NULL};

vgStatus vg_tyre_setup(vgTyre *tyre, vgTyreLaw *law, vgForceSetup *out)
{
    tyre->law = law;
    out->nbody = 2;
    out->body[0] = tyre->head.frame[0].body;
    out->body[1] = tyre->head.frame[1].body;
    out->velocity = 1;
    return VG_OK;
}

static void touch_down(const vgTyre *t, const vgForceIn *in, vgRel *rel, vgTyreContact_1 *c)
{
    vg_rel_motion(&t->head.frame[0], &t->head.frame[1], in->kin[0], in->kin[1], rel);
    c->u = rel->u;
    c->e = vg_mv3(rel->R_AB, vg_load3(t->axis));
    vg_road_eval(t->road, rel->y.x, c->h);
    vg_tyre_contact_1(t, rel->y, c);
}

static void column(double *A, int j, const vgVec3 x[2])
{
    for (int i = 0; i < 6; i++) A[6 * i + j] = (&x[i / 3].x)[i % 3];
}

static void tangents(const vgTyre *t, const vgRel *rel, const vgTyreContact_1 *c, const double W[6],
                     vgForceOut *out)
{
    double Wx[36] = {0}, Wv[36] = {0};
    vgVec3 X[6][2], V[3][2];
    vg_tyre_vary_1(t, c, X, V);
    for (int k = 0; k < 6; k++) column(Wx, k, X[k]);
    for (int k = 0; k < 3; k++) column(Wv, k, V[k]);
    vg_rel_tangent(rel, W, Wx, Wv, out->K, out->C);
}

void vg_tyre_eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    const vgTyre *tyre = def;
    vgRel rel;
    vgTyreContact_1 c;
    double W[6];
    touch_down(tyre, in, &rel, &c);
    if (!c.on) return;
    tyre->law(def, c.N, c.alpha, c.fade * c.gamma, c.side, vg_force_wants_tangent(out) ? c.slope : NULL);
    vg_tyre_force_1(&c);
    vg_store3(c.F, W);
    vg_store3(c.T, W + 3);
    vg_rel_wrench(&rel, W, out->f);
    if (vg_force_wants_tangent(out)) tangents(tyre, &rel, &c, W, out);
}

void vg_tyre_output(const void *def, const vgForceIn *in, double *values)
{
    const vgTyre *tyre = def;
    vgRel rel;
    vgTyreContact_1 c;
    touch_down(tyre, in, &rel, &c);
    for (int i = 0; i < VG_TYRE_OUTPUTS; i++) values[i] = 0;
    values[3] = c.d;
    if (!c.on) return;
    tyre->law(def, c.N, c.alpha, c.fade * c.gamma, c.side, NULL);
    values[0] = c.N, values[1] = c.side[0], values[2] = c.side[1];
    values[4] = c.alpha, values[5] = c.gamma;
}

int vg_tyre_switches(const void *def, const vgForceIn *in, double *out)
{
    const vgTyre *t = def;
    vgRel rel;
    vgTyreContact_1 c;
    touch_down(t, in, &rel, &c);
    out[0] = vg_road_switch(t->road, rel.y.x);
    out[1] = c.d;
    return 2;
}

void vg_tyre_look(const void *def, vgForceLook *out)
{
    const vgTyre *t = def;
    out->road = t->road;
    out->radius = t->radius;
}
