/* Spring and damper along a fixed axis of frame A, free across it: a leaf spring on its guide, a plunger.
 *
 *     x = a·y,  v = a·ẏ   (y: origin of B in A's axes),   T(x, v) = k (x − x0) + c v + preload
 *     force on B: −T a at B's origin; the reaction on A has the same line of action */
#include "element/force_util.h"
#include "element/relative.h"
#include "element/table.h"

typedef struct vgAxialSpring {
    vgForceHead head;
    double axis[3], stiffness, damping, length, preload;
    const vgTable *table, *damper;
} vgAxialSpring;

static const vgField fields[] = {
    {"axis", VG_FIELD_AXIS, offsetof(vgAxialSpring, axis), "", "z", 0, 0, "in the first frame"},
    {"stiffness", VG_FIELD_NUMBER, offsetof(vgAxialSpring, stiffness), "N/m", "0", 0, INFINITY,
     "pull per distance along the axis"},
    {"damping", VG_FIELD_NUMBER, offsetof(vgAxialSpring, damping), "N*s/m", "0", 0, INFINITY,
     "pull per rate of it"},
    {"length", VG_FIELD_NUMBER, offsetof(vgAxialSpring, length), "m", "", 0, 0,
     "free distance along the axis; absent: that of the initial placement"},
    {"preload", VG_FIELD_NUMBER, offsetof(vgAxialSpring, preload), "N", "0", 0, 0,
     "pull at the free distance"},
    {"table", VG_FIELD_TABLE, offsetof(vgAxialSpring, table), "N", "", 0, 0,
     "pull over distance minus free distance, instead of stiffness"},
    {"damper", VG_FIELD_TABLE, offsetof(vgAxialSpring, damper), "N", "", 0, 0,
     "pull over the rate, instead of damping"},
};

typedef struct State {
    vgRel rel;
    vgVec3 a;
    double x, v, T, Tx, Tv;
} State;

static void look(const vgAxialSpring *s, const vgForceIn *in, State *now)
{
    double y[3];
    vg_rel_motion(&s->head.frame[0], &s->head.frame[1], in->kin[0], in->kin[1], &now->rel);
    now->a = vg_load3(s->axis);
    now->x = vg_dot3(now->a, now->rel.y);
    now->v = vg_dot3(now->a, now->rel.u);
    now->T = s->stiffness * (now->x - s->length) + s->damping * now->v + s->preload;
    now->Tx = s->stiffness, now->Tv = s->damping;
    if (s->table) {
        vg_table_eval(s->table, now->x - s->length, y);
        now->T += y[0], now->Tx += y[1];
    }
    if (s->damper) {
        vg_table_eval(s->damper, now->v, y);
        now->T += y[0], now->Tv += y[1];
    }
}

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    const vgAxialSpring *s = def;
    (void)planar;
    out->nbody = 2;
    out->body[0] = s->head.frame[0].body;
    out->body[1] = s->head.frame[1].body;
    out->velocity = s->damping != 0 || s->damper;
    if (s->table && s->stiffness != 0)
        return vg_force_refuse(out, "table", "give stiffness or a table, not both");
    if (s->damper && s->damping != 0)
        return vg_force_refuse(out, "damper", "give damping or a table, not both");
    return VG_OK;
}

static void place(void *def, const vgForceIn *in)
{
    vgAxialSpring *s = def;
    State now;
    if (!isnan(s->length)) return;
    s->length = 0;
    look(s, in, &now);
    s->length = now.x;
}

static void eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    State now;
    double W[6] = {0}, Wx[36] = {0}, Wv[36] = {0};
    look(def, in, &now);
    vg_store3(vg_scale3(now.a, -now.T), W);
    vg_rel_wrench(&now.rel, W, out->f);
    if (!out->K && !out->C) return;
    vgMat3 aa = vg_outer3(now.a, now.a);
    vg_mput3(vg_mscale3(aa, -now.Tx), Wx, 6);
    vg_mput3(vg_mscale3(aa, -now.Tv), Wv, 6);
    vg_rel_tangent(&now.rel, W, Wx, Wv, out->K, out->C);
}

static double energy(const void *def, const vgForceIn *in)
{
    const vgAxialSpring *s = def;
    State now;
    look(s, in, &now);
    double e = now.x - s->length;
    return 0.5 * s->stiffness * e * e + s->preload * e +
           (s->table ? vg_force_table_integral(s->table, 0, e) : 0);
}

static const char *const outputs[] = {"force", "length", "rate", NULL};

static void output(const void *def, const vgForceIn *in, double *values)
{
    State now;
    look(def, in, &now);
    values[0] = now.T, values[1] = now.x, values[2] = now.v;
}

const vgForceKind vg_force_axial_spring = {
    .name = "axial-spring",
    .doc = "Spring and damper along an axis of the first frame, free across it. Outputs: force (pull), "
           "length (distance "
           "along the axis), rate.",
    .planar = 1,
    .head = VG_HEAD_FRAMES,
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .def_size = sizeof(vgAxialSpring),
    .example = "leaf: {axial-spring: [chassis.leaf, carrier.top], axis: -z, stiffness: 35906, length: 0.25}",
    .setup = setup,
    .place = place,
    .eval = eval,
    .energy = energy,
    .outputs = outputs,
    .output = output,
};
