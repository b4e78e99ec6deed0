/* Spring and damper between two points, along the line that joins them.
 *
 *     d = P_B − P_A,  x = |d|,  n = d/x,  v = n·ḋ,   T(x, v) = k (x − x0) + c v + preload
 *     force on B: F = −T n,   on A: +T n
 *     ∂F/∂d = −[ T_x n nᵀ + T_v n (Pu)ᵀ/x + (T/x) P ],   ∂F/∂ḋ = −T_v n nᵀ,   P = I − n nᵀ
 *
 * Instead of k and c, tables over x − x0 and over v, or a law of x, v, time and channels. */
#include "element/force/util.h"
#include "element/fours.h"
#include "element/prim/relative.h"
#include "element/tuning.h"

typedef struct vgSpring {
    vgForceHead head;
    double stiffness, damping, length, preload;
    const vgTable *table, *damper;
    vgLaw force;
} vgSpring;

static const vgField fields[] = {
    {"stiffness", VG_FIELD_NUMBER, offsetof(vgSpring, stiffness), "N/m", "0", 0, INFINITY,
     "tension per elongation"},
    {"damping", VG_FIELD_NUMBER, offsetof(vgSpring, damping), "N*s/m", "0", 0, INFINITY,
     "tension per rate of elongation"},
    {"length", VG_FIELD_NUMBER, offsetof(vgSpring, length), "m", "", 0, INFINITY,
     "free length; absent: the length at the initial placement"},
    {"preload", VG_FIELD_NUMBER, offsetof(vgSpring, preload), "N", "0", 0, 0, "tension at the free length"},
    {"table", VG_FIELD_TABLE, offsetof(vgSpring, table), "N", "", 0, 0,
     "tension over elongation (length minus free length), instead of stiffness"},
    {"damper", VG_FIELD_TABLE, offsetof(vgSpring, damper), "N", "", 0, 0,
     "tension over rate of elongation, instead of damping"},
    {"force", VG_FIELD_LAW, offsetof(vgSpring, force), "N", "", 0, 0,
     "the whole tension as a law of x (length), v (its rate), t and channels; alone"},
};

/* Tension with its derivatives by x and v; derivatives of a law only if dext is given. */
typedef struct Tension {
    double value, dx, dv;
} Tension;

static Tension tension(const vgSpring *s, const vgForceIn *in, double x, double v, double *dext)
{
    double e = x - s->length, y[3];
    if (s->force.expr) {
        double local[2] = {x, v}, d[3];
        if (!dext)
            return (Tension){vg_law_value(&s->force, in->t, 2, local, in->law_inputs[0], in->law_held[0]), 0,
                             0};
        double value = vg_law_grad(&s->force, in->t, 2, local, in->law_inputs[0], in->law_held[0], d, dext);
        return (Tension){value, d[1], d[2]};
    }
    if (vg_law_given(&s->force)) return (Tension){s->force.value, 0, 0};
    Tension T = {s->stiffness * e + s->damping * v + s->preload, s->stiffness, s->damping};
    if (s->table) {
        vg_force_table(s->table, e, in->held, y);
        T.value += y[0], T.dx += y[1];
    }
    if (s->damper) {
        vg_force_table(s->damper, v, in->held ? in->held + (s->table != NULL) : NULL, y);
        T.value += y[0], T.dv += y[1];
    }
    return T;
}

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    vgSpring *s = def;
    (void)planar;
    out->nbody = 2;
    out->body[0] = s->head.frame[0].body;
    out->body[1] = s->head.frame[1].body;
    if (vg_law_given(&s->force)) {
        if (s->stiffness != 0 || s->damping != 0 || s->preload != 0 || s->table || s->damper)
            return vg_force_refuse(out, "force",
                                   "a force law replaces stiffness, damping, preload and tables");
        s->length = 0;
        vg_force_use_law(out, &s->force);
        out->velocity = vg_law_uses_slot(&s->force, 2) || vg_law_uses_channels(&s->force);
        return VG_OK;
    }
    if (s->table && s->stiffness != 0)
        return vg_force_refuse(out, "table", "give stiffness or a table, not both");
    if (s->damper && s->damping != 0)
        return vg_force_refuse(out, "damper", "give damping or a table, not both");
    out->velocity = s->damping != 0 || s->damper;
    return VG_OK;
}

static const char *place(void *def, const vgForceIn *in)
{
    vgSpring *s = def;
    vgPair pair;
    if (!isnan(s->length)) return NULL;
    vg_pair_motion(&s->head.frame[0], &s->head.frame[1], in->kin[0], in->kin[1], &pair);
    s->length = vg_norm3(pair.d);
    return NULL;
}

/* Points that coincide have no line: n = 0, and only a spring of free length zero keeps its stiffness, the
 * same in all directions. */
static int has_direction(double x)
{
    return x > VG_NO_LINE;
}

static void eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    const vgSpring *s = def;
    vgPair pair;
    double dext[VG_LAW_MAX_INPUTS];
    vg_pair_motion(&s->head.frame[0], &s->head.frame[1], in->kin[0], in->kin[1], &pair);
    double x = vg_norm3(pair.d);
    if (!has_direction(x)) {
        if (vg_force_wants_tangent(out) && s->length == 0 && s->preload == 0)
            vg_pair_tangent(&pair, vg_zero3(), vg_mscale3(vg_eye3(), -s->stiffness), vg_mzero3(), out->K,
                            out->C);
        return;
    }
    vgVec3 n = vg_scale3(pair.d, 1 / x);
    double v = vg_dot3(n, pair.u);
    Tension T = tension(s, in, x, v, vg_force_wants_tangent(out) || out->dL ? dext : NULL);
    vgVec3 F = vg_scale3(n, -T.value);
    vg_pair_wrench(&pair, F, out->f);
    if (vg_force_wants_tangent(out)) {
        vgMat3 nn = vg_outer3(n, n);
        vgVec3 Pu = vg_axpy3(-v, n, pair.u);
        vgMat3 Fd = vg_mscale3(vg_msub3(vg_eye3(), nn), -T.value / x);
        Fd = vg_maxpy3(-T.dx, nn, Fd);
        Fd = vg_maxpy3(-T.dv / x, vg_outer3(n, Pu), Fd);
        vg_pair_tangent(&pair, F, Fd, vg_mscale3(nn, -T.dv), out->K, out->C);
    }
    int next = vg_law_nexternal(&s->force);
    if (out->dL && next > 0) {
        double direction[12] = {0};
        vg_pair_wrench(&pair, vg_neg3(n), direction);
        vg_force_add_dL(out->dL, next, 0, 12, direction, 0, next, dext);
    }
}

/* Four at once. Those with laws or tables have their tension one by one. */
typedef struct Four {
    const vgSpring *def[VG_LANES];
    int plain;
    vgLane stiffness, damping, length, preload;
    vgLane3 a, b;
} Four;

static int is_plain(const vgSpring *s)
{
    return !s->table && !s->damper && !vg_law_given(&s->force);
}

static int group(const void *def)
{
    return is_plain(def) ? 1 : 2;
}

static void pack(const void *const def[VG_LANES], void *out)
{
    Four *s = out;
    for (int k = 0; k < VG_LANES; k++) s->def[k] = def[k];
    s->plain = is_plain(def[0]);
    s->stiffness = vg_four_number(def, offsetof(vgSpring, stiffness));
    s->damping = vg_four_number(def, offsetof(vgSpring, damping));
    s->length = vg_four_number(def, offsetof(vgSpring, length));
    s->preload = vg_four_number(def, offsetof(vgSpring, preload));
    s->a = vg_four_vector(def, offsetof(vgSpring, head.frame[0].r));
    s->b = vg_four_vector(def, offsetof(vgSpring, head.frame[1].r));
}

static void four_eval(const void *from, double t, const vgKin *const *kin, vgLane *f)
{
    const Four *s = from;
    vgLaneKin a, b;
    vg_four_kin(kin, 1, &a);
    vg_four_kin(kin + VG_LANES, 1, &b);
    vgLane3 d = vg_lsub3(vg_ladd3(b.p, vg_lmv3(b.R, s->b)), vg_ladd3(a.p, vg_lmv3(a.R, s->a)));
    vgLane3 u = vg_lsub3(vg_ladd3(b.v, vg_lmv3(b.R, vg_lcross3(b.w, s->b))),
                         vg_ladd3(a.v, vg_lmv3(a.R, vg_lcross3(a.w, s->a))));
    vgLane x = vg_lsqrt(vg_ldot3(d, d));
    vgLaneMask on = x > vg_lane(VG_NO_LINE);
    vgLane3 n = vg_lscale3(d, vg_lane_pick(on, 1 / x, vg_lane(0)));
    vgLane v = vg_ldot3(n, u), T = s->stiffness * (x - s->length) + s->damping * v + s->preload;
    if (!s->plain) {
        vgForceIn in = {.t = t};
        for (int k = 0; k < VG_LANES; k++) T[k] = on[k] ? tension(s->def[k], &in, x[k], v[k], NULL).value : 0;
    }
    vgLane3 F = vg_lscale3(n, -T), Fa = vg_lneg3(F);
    vg_four_put(Fa, vg_lcross3(s->a, vg_lmtv3(a.R, Fa)), f);
    vg_four_put(F, vg_lcross3(s->b, vg_lmtv3(b.R, F)), f + 6);
}

static const vgForceFour four = {group, sizeof(Four), pack, four_eval, NULL};

static void line_tension(const void *def, const vgForceIn *in, double length, double rate, double out[3])
{
    double dext[VG_LAW_MAX_INPUTS];
    Tension T = tension(def, in, length, rate, dext);
    out[0] = T.value, out[1] = T.dx, out[2] = T.dv;
}

static const vgForceLine line = {NULL, line_tension};

static double energy(const void *def, const vgForceIn *in)
{
    const vgSpring *s = def;
    vgPair pair;
    if (vg_law_given(&s->force)) return 0;
    vg_pair_motion(&s->head.frame[0], &s->head.frame[1], in->kin[0], in->kin[1], &pair);
    double e = vg_norm3(pair.d) - s->length;
    return 0.5 * s->stiffness * e * e + s->preload * e +
           (s->table ? vg_force_table_integral(s->table, 0, e) : 0);
}

static void local(const void *def, const vgForceIn *in, double *values)
{
    const vgSpring *s = def;
    vgPair pair;
    vg_pair_motion(&s->head.frame[0], &s->head.frame[1], in->kin[0], in->kin[1], &pair);
    values[0] = vg_norm3(pair.d);
    values[1] = has_direction(values[0]) ? vg_dot3(pair.d, pair.u) / values[0] : 0;
}

static int switches(const void *def, const vgForceIn *in, double *out)
{
    const vgSpring *s = def;
    double at[2];
    local(def, in, at);
    return vg_force_table_switches(s->table, at[0] - s->length, s->damper, at[1], out);
}

static const char *const locals[] = {"x", "v", NULL};
static const char *const some[] = {"stiffness", "damping", "preload", "table", "damper", "force", NULL};
static const char *const outputs[] = {"force", "length", "rate", NULL};

static void output(const void *def, const vgForceIn *in, double *values)
{
    const vgSpring *s = def;
    vgPair pair;
    vg_pair_motion(&s->head.frame[0], &s->head.frame[1], in->kin[0], in->kin[1], &pair);
    double x = vg_norm3(pair.d);
    double v = has_direction(x) ? vg_dot3(pair.d, pair.u) / x : 0;
    values[0] = tension(s, in, x, v, NULL).value;
    values[1] = x;
    values[2] = v;
}

const vgForceKind vg_force_spring = {
    .name = "spring",
    .doc = "Spring and damper along the line between two points. Outputs: force (tension), length, rate.",
    .planar = 1,
    .head = VG_HEAD_FRAMES,
    .locals = locals,
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .some = some,
    .def_size = sizeof(vgSpring),
    .example = "shock: {spring: [ground.S, rod.B], stiffness: 100, damping: 5, length: 0.2}",
    .setup = setup,
    .place = place,
    .eval = eval,
    .local = local,
    .switches = switches,
    .energy = energy,
    .outputs = outputs,
    .output = output,
    .four = &four,
    .line = &line,
};
