/* Spring and damper along a fixed axis of frame A, free across it: a leaf spring on its guide, a plunger.
 *
 *     x = a·y,  v = a·ẏ   (y: origin of B in A's axes),   T(x, v) = k (x − x0) + c v + preload
 *     force on B: −T a at B's origin; the reaction on A has the same line of action */
#include "element/force/util.h"
#include "element/fours.h"
#include "element/prim/relative.h"

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

typedef struct Pull {
    double T, Tx, Tv;
} Pull;

typedef struct State {
    vgRel rel;
    vgVec3 a;
    double x, v, T, Tx, Tv;
} State;

static Pull pull(const vgAxialSpring *s, const signed char *held, double x, double v)
{
    double y[3];
    Pull p = {s->stiffness * (x - s->length) + s->damping * v + s->preload, s->stiffness, s->damping};
    if (s->table) {
        vg_force_table(s->table, x - s->length, held, y);
        p.T += y[0], p.Tx += y[1];
    }
    if (s->damper) {
        vg_force_table(s->damper, v, held ? held + (s->table != NULL) : NULL, y);
        p.T += y[0], p.Tv += y[1];
    }
    return p;
}

static void look(const vgAxialSpring *s, const vgForceIn *in, State *now)
{
    vg_rel_point(&s->head.frame[0], &s->head.frame[1], in->kin[0], in->kin[1], &now->rel);
    now->a = vg_load3(s->axis);
    now->x = vg_dot3(now->a, now->rel.y);
    now->v = vg_dot3(now->a, now->rel.u);
    Pull p = pull(s, in->held, now->x, now->v);
    now->T = p.T, now->Tx = p.Tx, now->Tv = p.Tv;
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

static const char *place(void *def, const vgForceIn *in)
{
    vgAxialSpring *s = def;
    State now;
    if (!isnan(s->length)) return NULL;
    s->length = 0;
    look(s, in, &now);
    s->length = now.x;
    return NULL;
}

/* g: the wrenches of a unit push along the axis, f = −T g. With s = R_aᵀ(P_B − p_a), α the axis in W, α_a on body
 * a, Z = [α]~ R_a, without damping:
 *
 *     g = (−α, −s × α_a, α, b × R_bᵀα)
 *     K = −T_x g gᵀ − T ∂g/∂δξ
 *                | 0    Z            0     0          |
 *     ∂g/∂δξ  =  | Zᵀ   [α_a]~ s~   −Zᵀ    Zᵀ R_b b~  |
 *                | 0   −Z            0     0          |
 *                | 0   −b~ R_bᵀ Z    0     b~ [R_bᵀα]~ | */
typedef struct Line {
    vgVec3 s, axis_a, axis, axis_b, b;
    double g[12];
} Line;

static void line(const State *now, const vgForceIn *in, Line *l)
{
    const vgFrame *A = now->rel.A, *B = now->rel.B;
    const vgKin *ka = in->kin[0], *kb = in->kin[1];
    l->b = B->r;
    l->axis_a = vg_mv3(A->R, now->a);
    l->axis = vg_mv3(ka->R, l->axis_a);
    l->axis_b = vg_mtv3(kb->R, l->axis);
    l->s = vg_add3(A->r, vg_mv3(A->R, now->rel.y));
    vg_store3(vg_neg3(l->axis), l->g);
    vg_store3(vg_cross3(l->axis_a, l->s), l->g + 3);
    vg_store3(l->axis, l->g + 6);
    vg_store3(vg_cross3(l->b, l->axis_b), l->g + 9);
}

static void put(double *K, int r, int c, double s, vgMat3 m)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) K[12 * (r + i) + c + j] += s * m.m[i][j];
}

static void line_tangent(const State *now, const vgForceIn *in, const Line *l, double *K)
{
    vgMat3 Z = vg_mm3(vg_skew3(l->axis), in->kin[0]->R), Zt = vg_mt3(Z), b = vg_skew3(l->b);
    vgMat3 bZ = vg_mm3(b, vg_mtm3(in->kin[1]->R, Z));
    double T = now->T;
    for (int i = 0; i < 12; i++) {
        double x = -now->Tx * l->g[i];
        for (int j = 0; j < 12; j++) K[12 * i + j] += x * l->g[j];
    }
    put(K, 0, 3, -T, Z);
    put(K, 6, 3, T, Z);
    put(K, 3, 0, -T, Zt);
    put(K, 3, 6, T, Zt);
    put(K, 3, 3, -T, vg_mm3(vg_skew3(l->axis_a), vg_skew3(l->s)));
    put(K, 9, 3, T, bZ);
    put(K, 3, 9, T, vg_mt3(bZ));
    put(K, 9, 9, -T, vg_mm3(b, vg_skew3(l->axis_b)));
}

static void eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    State now;
    Line l;
    double W[6] = {0}, Wx[36] = {0}, Wv[36] = {0};
    look(def, in, &now);
    if (!vg_force_wants_tangent(out) || now.Tv == 0) {
        line(&now, in, &l);
        for (int i = 0; i < 12; i++) out->f[i] -= now.T * l.g[i];
        if (out->K) line_tangent(&now, in, &l, out->K);
        return;
    }
    vg_rel_motion(now.rel.A, now.rel.B, in->kin[0], in->kin[1], &now.rel);
    vg_store3(vg_scale3(now.a, -now.T), W);
    vg_rel_wrench(&now.rel, W, out->f);
    vgMat3 aa = vg_outer3(now.a, now.a);
    vg_mput3(vg_mscale3(aa, -now.Tx), Wx, 6);
    vg_mput3(vg_mscale3(aa, -now.Tv), Wv, 6);
    vg_rel_tangent(&now.rel, W, Wx, Wv, out->K, out->C);
}

/* Four at once, by the same lines of action; the pull of each by itself. */
typedef struct Four {
    const vgAxialSpring *def[VG_LANES];
    int rates;
    vgLane3 a, b, axis; /* all on their bodies */
} Four;

static int has_rate(const vgAxialSpring *s)
{
    return s->damping != 0 || s->damper;
}

static int group(const void *def)
{
    return 1 + has_rate(def);
}

static void pack(const void *const def[VG_LANES], void *out)
{
    Four *s = out;
    s->rates = has_rate(def[0]);
    s->a = vg_four_vector(def, offsetof(vgAxialSpring, head.frame[0].r));
    s->b = vg_four_vector(def, offsetof(vgAxialSpring, head.frame[1].r));
    for (int k = 0; k < VG_LANES; k++) {
        s->def[k] = def[k];
        vgVec3 axis = vg_mv3(s->def[k]->head.frame[0].R, vg_load3(s->def[k]->axis));
        s->axis.x[k] = axis.x, s->axis.y[k] = axis.y, s->axis.z[k] = axis.z;
    }
}

static void four_eval(const void *from, double t, const vgKin *const *kin, vgLane *f)
{
    const Four *s = from;
    vgLaneKin a, b;
    vgLane T, v = vg_lane(0);
    vg_four_kin(kin, s->rates, &a);
    vg_four_kin(kin + VG_LANES, s->rates, &b);
    vgLane3 axis = vg_lmv3(a.R, s->axis);
    vgLane3 arm = vg_lmtv3(a.R, vg_lsub3(vg_ladd3(b.p, vg_lmv3(b.R, s->b)), a.p)); /* on a's axes */
    vgLane x = vg_ldot3(s->axis, vg_lsub3(arm, s->a));
    if (s->rates) { /* of the point of a that is where B is */
        vgLane3 u = vg_lsub3(vg_ladd3(b.v, vg_lmv3(b.R, vg_lcross3(b.w, s->b))), a.v);
        v = vg_ldot3(axis, u) - vg_ldot3(s->axis, vg_lcross3(a.w, arm));
    }
    for (int k = 0; k < VG_LANES; k++) T[k] = pull(s->def[k], NULL, x[k], v[k]).T;
    (void)t;
    vgLane3 F = vg_lscale3(axis, -T), F_a = vg_lscale3(s->axis, T);
    vg_four_put(vg_lneg3(F), vg_lcross3(arm, F_a), f);
    vg_four_put(F, vg_lcross3(s->b, vg_lmtv3(b.R, F)), f + 6);
}

static const vgForceFour four = {group, sizeof(Four), pack, four_eval, NULL};

static const double *line_axis(const void *def)
{
    return ((const vgAxialSpring *)def)->axis;
}

static void line_tension(const void *def, const vgForceIn *in, double length, double rate, double out[3])
{
    Pull p = pull(def, in->held, length, rate);
    out[0] = p.T, out[1] = p.Tx, out[2] = p.Tv;
}

static const vgForceLine along = {line_axis, line_tension};

static double energy(const void *def, const vgForceIn *in)
{
    const vgAxialSpring *s = def;
    State now;
    look(s, in, &now);
    double e = now.x - s->length;
    return 0.5 * s->stiffness * e * e + s->preload * e +
           (s->table ? vg_force_table_integral(s->table, 0, e) : 0);
}

static int switches(const void *def, const vgForceIn *in, double *out)
{
    const vgAxialSpring *s = def;
    State now;
    look(s, in, &now);
    return vg_force_table_switches(s->table, now.x - s->length, s->damper, now.v, out);
}

static const char *const some[] = {"stiffness", "damping", "preload", "table", "damper", NULL};
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
           "length (distance along the axis), rate.",
    .planar = 1,
    .head = VG_HEAD_FRAMES,
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .some = some,
    .def_size = sizeof(vgAxialSpring),
    .example = "leaf: {axial-spring: [chassis.leaf, carrier.top], axis: -z, stiffness: 35906, length: 0.25}",
    .setup = setup,
    .place = place,
    .eval = eval,
    .switches = switches,
    .energy = energy,
    .outputs = outputs,
    .output = output,
    .four = &four,
    .line = &along,
};
