/* Tendon: one tension T(x, v) along a path over points of bodies, about spheres and cylinders, without friction there.
 *
 *     x = Σ segments L_s / divisor,   v = ẋ,   f = −T ∂x/∂ξ
 *     ∂f/∂δξ = −T_x g gᵀ − T_v g (Hᵀξ)ᵀ − T H,   ∂f/∂ξ = −T_v g gᵀ,   g = ∂x/∂δξ,  H = ∂g/∂δξ
 *
 * A segment joins points on bodies a and b about a surface on body c. With y = R_cᵀ(P − p_c) of both points, L is a
 * function of the two y (tendon/wrap.h), and δy = R_cᵀ(δp + R(δθ × r) − δp_c) + y × δθ_c. */
#include <string.h>

#include "element/force/util.h"
#include "element/tendon/path.h"

enum { LOCAL = 18 }; /* native components of a, b and c */

typedef struct vgTendon {
    vgForceHead head;
    vgPath via;
    double stiffness, damping, length, play, preload;
    vgLaw force;
    int nbody, body[VG_FORCE_MAX_BODIES]; /* from set-up */
} vgTendon;

static const vgField fields[] = {
    {"via", VG_FIELD_PATH, offsetof(vgTendon, via), "", "", 0, 0,
     "what lies between the two ends, in order: frames; {sphere: radius, at: frame, side: point} and "
     "{cylinder: radius, at: frame, side: point} (axis z), each between two frames; {pulley: divisor}, "
     "behind which a branch begins that counts by 1/divisor. side: a point in the frame of the surface, past "
     "which the tendon goes; absent: the shorter way"},
    {"stiffness", VG_FIELD_NUMBER, offsetof(vgTendon, stiffness), "N/m", "0", 0, INFINITY,
     "tension per elongation"},
    {"damping", VG_FIELD_NUMBER, offsetof(vgTendon, damping), "N*s/m", "0", 0, INFINITY,
     "tension per rate of elongation"},
    {"length", VG_FIELD_NUMBER, offsetof(vgTendon, length), "m", "", 0, INFINITY,
     "free length; absent: the length at the initial placement"},
    {"play", VG_FIELD_NUMBER, offsetof(vgTendon, play), "m", "0", 0, INFINITY,
     "up to so much beyond the free length the spring has no tension"},
    {"preload", VG_FIELD_NUMBER, offsetof(vgTendon, preload), "N", "0", 0, 0, "tension at the free length"},
    {"force", VG_FIELD_LAW, offsetof(vgTendon, force), "N", "", 0, 0,
     "the whole tension as a law of x (length), v (its rate), t and channels; alone"},
};

static int slot_of(const vgTendon *s, int body)
{
    for (int i = 0; i < s->nbody; i++)
        if (s->body[i] == body) return i;
    return -1;
}

static int take_body(vgTendon *s, int body)
{
    if (slot_of(s, body) >= 0) return 1;
    if (s->nbody == VG_FORCE_MAX_BODIES) return 0;
    s->body[s->nbody++] = body;
    return 1;
}

static const char *path_error(const vgPath *p)
{
    for (int i = 0; i < p->n; i++) {
        const vgPathItem *e = &p->item[i];
        int last = i + 1 == p->n, surface = e->kind == VG_PATH_SPHERE || e->kind == VG_PATH_CYLINDER;
        if (surface && ((i > 0 && p->item[i - 1].kind != VG_PATH_POINT) ||
                        (!last && p->item[i + 1].kind != VG_PATH_POINT)))
            return "a surface stands between two frames of the path";
        if (surface && !(e->radius > 0)) return "the radius of a surface must be positive";
        if (surface && e->sided && !(vg_norm3(e->side) > e->radius))
            return "the side of a surface is a point outside it: paths on the inside are not known";
        if (e->kind == VG_PATH_PULLEY && !(e->radius > 0)) return "the divisor of a pulley must be positive";
        if (e->kind == VG_PATH_PULLEY && (last || p->item[i + 1].kind != VG_PATH_POINT))
            return "behind a pulley a branch begins with a frame";
    }
    return NULL;
}

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    vgTendon *s = def;
    const char *wrong = path_error(&s->via);
    (void)planar;
    if (wrong) return vg_force_refuse(out, "via", wrong);
    s->nbody = 0;
    int fits = take_body(s, s->head.frame[0].body) && take_body(s, s->head.frame[1].body);
    for (int i = 0; i < s->via.n; i++)
        if (s->via.item[i].kind != VG_PATH_PULLEY) fits = fits && take_body(s, s->via.item[i].at.body);
    if (!fits) return vg_force_refuse(out, "via", "a tendon passes over 22 bodies at most");
    out->nbody = s->nbody;
    memcpy(out->body, s->body, (size_t)s->nbody * sizeof *s->body);
    if (!vg_law_given(&s->force)) {
        out->velocity = s->damping != 0;
        return VG_OK;
    }
    if (s->stiffness != 0 || s->damping != 0 || s->preload != 0 || s->play != 0)
        return vg_force_refuse(out, "force", "a force law replaces stiffness, damping, play and preload");
    s->length = 0;
    vg_force_use_law(out, &s->force);
    out->velocity = vg_law_uses_slot(&s->force, 2) || vg_law_uses_channels(&s->force);
    return VG_OK;
}

/* One straight piece or one about a surface. */
typedef struct Segment {
    const vgFrame *a, *b;
    const vgPathItem *about; /* NULL: straight */
    double weight;           /* 1/divisor */
} Segment;

/* The next segment behind place *at of the path; 0: there is none. Place 0 is the first end. */
static int next_segment(const vgTendon *s, int *at, double *weight, const vgFrame **from, Segment *out)
{
    const vgPathItem *about = NULL;
    if (*at == 0) *from = &s->head.frame[0], *at = 1, *weight = 1;
    for (; *at <= s->via.n + 1; (*at)++) {
        const vgPathItem *e = *at <= s->via.n ? &s->via.item[*at - 1] : NULL;
        const vgFrame *to = e ? &e->at : &s->head.frame[1];
        if (e && e->kind == VG_PATH_PULLEY) {
            *weight = 1 / e->radius;
            *from = NULL;
        } else if (e && e->kind != VG_PATH_POINT) {
            about = e;
        } else {
            *out = (Segment){*from, to, about, *weight};
            *from = to;
            if (out->a) return (*at)++, 1;
        }
    }
    return 0;
}

typedef struct Spot {
    int slot[3];       /* of a, b, c in the element's bodies; c −1: none */
    const vgKin *k[3]; /* c: identity without a surface */
    vgVec3 r[2], Y[2]; /* of a and b: on their bodies; from c's origin in its axes */
    vgVec3 h[2];       /* ∂L/∂y, c's axes */
    vgMat3 R;          /* frame of the surface in c */
    vgWrapOut wrap;
} Spot;

static const vgKin still = {.R = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};

static void look_at(const vgTendon *s, const vgForceIn *in, const Segment *g, Spot *o)
{
    static const vgWrapKind kinds[] = {VG_WRAP_NONE, VG_WRAP_SPHERE, VG_WRAP_CYLINDER, VG_WRAP_NONE};
    const vgFrame *f[2] = {g->a, g->b};
    vgVec3 x[2], centre = g->about ? g->about->at.r : vg_zero3();
    o->R = g->about ? g->about->at.R : vg_eye3();
    o->slot[2] = g->about ? slot_of(s, g->about->at.body) : -1;
    o->k[2] = o->slot[2] < 0 ? &still : in->kin[o->slot[2]];
    for (int i = 0; i < 2; i++) {
        o->slot[i] = slot_of(s, f[i]->body);
        o->k[i] = in->kin[o->slot[i]];
        o->r[i] = f[i]->r;
        o->Y[i] = vg_mtv3(o->k[2]->R, vg_sub3(vg_kin_point(o->k[i], f[i]->r), o->k[2]->p));
        x[i] = vg_mtv3(o->R, vg_sub3(o->Y[i], centre));
    }
    vg_wrap(g->about ? kinds[g->about->kind] : VG_WRAP_NONE, g->about ? g->about->radius : 0,
            g->about && g->about->sided ? &g->about->side : NULL, x[0], x[1], &o->wrap);
    for (int i = 0; i < 2; i++) o->h[i] = vg_mv3(o->R, vg_load3(o->wrap.grad + 3 * i));
}

/* J of one y: rows y, columns (δp, δθ) of its own body and of c. */
static void arms(const Spot *o, int i, double J[3][LOCAL])
{
    vgMat3 to = vg_mt3(o->k[2]->R), own = vg_mm3(to, o->k[i]->R), r = vg_skew3(o->r[i]),
           Y = vg_skew3(o->Y[i]);
    vgMat3 turn = vg_mscale3(vg_mm3(own, r), -1);
    memset(J, 0, 3 * sizeof *J);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            J[a][6 * i + b] = to.m[a][b];
            J[a][6 * i + 3 + b] = turn.m[a][b];
            J[a][12 + b] = -to.m[a][b];
            J[a][15 + b] = Y.m[a][b];
        }
}

/* H += factor ∂(J_iᵀ h_i)/∂δξ at fixed h, for one point. */
static void turn_arms(const Spot *o, int i, const double J[3][LOCAL], double H[LOCAL][LOCAL])
{
    vgMat3 h = vg_skew3(o->h[i]), own = vg_mtm3(o->k[i]->R, o->k[2]->R), r = vg_skew3(o->r[i]);
    vgMat3 force = vg_mscale3(vg_mm3(o->k[2]->R, h), -1);    /* R_c(δθ_c × h) */
    vgMat3 back = vg_mm3(r, vg_skew3(vg_mv3(own, o->h[i]))); /* r × (g × δθ) */
    vgMat3 moment = vg_mscale3(vg_mm3(r, vg_mm3(own, h)), -1);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            H[6 * i + a][15 + b] += force.m[a][b];
            H[12 + a][15 + b] -= force.m[a][b];
            H[6 * i + 3 + a][6 * i + 3 + b] += back.m[a][b];
            H[6 * i + 3 + a][15 + b] += moment.m[a][b];
        }
    for (int a = 0; a < 3; a++) /* the moment on c is h × Y */
        for (int j = 0; j < LOCAL; j++)
            for (int b = 0; b < 3; b++) H[15 + a][j] += h.m[a][b] * J[b][j];
}

static void gradient(const Spot *o, double weight, double *grad)
{
    double J[3][LOCAL];
    for (int i = 0; i < 2; i++) {
        double h[3];
        vg_store3(o->h[i], h);
        arms(o, i, J);
        for (int c = 0; c < LOCAL; c++) {
            int slot = o->slot[c / 6];
            for (int a = 0; slot >= 0 && a < 3; a++) grad[6 * slot + c % 6] += weight * J[a][c] * h[a];
        }
    }
}

/* Length and its gradient by the native components of the element's bodies. */
static double whole(const vgTendon *s, const vgForceIn *in, double *grad)
{
    double length = 0, weight = 1;
    int at = 0;
    const vgFrame *from = NULL;
    Segment g;
    while (next_segment(s, &at, &weight, &from, &g)) {
        Spot o;
        look_at(s, in, &g, &o);
        length += g.weight * o.wrap.length;
        gradient(&o, g.weight, grad);
    }
    return length;
}

/* H, by the native components of the segment's bodies a, b and c. */
static void hessian(const Spot *o, double H[LOCAL][LOCAL])
{
    double J[2][3][LOCAL];
    for (int i = 0; i < 2; i++) arms(o, i, J[i]), turn_arms(o, i, (const double(*)[LOCAL])J[i], H);
    for (int ij = 0; ij < 4; ij++) {
        const int i = ij / 2, j = ij % 2;
        vgMat3 B;
        for (int ab = 0; ab < 9; ab++) B.m[ab / 3][ab % 3] = o->wrap.hess[3 * i + ab / 3][3 * j + ab % 3];
        B = vg_mm3(o->R, vg_mmt3(B, o->R));
        for (int p = 0; p < LOCAL; p++)
            for (int ab = 0; ab < 9; ab++) {
                const double x = J[i][ab / 3][p];
                for (int q = 0; q < LOCAL && x != 0; q++)
                    H[p][q] += x * B.m[ab / 3][ab % 3] * J[j][ab % 3][q];
            }
    }
}

/* K −= T H, and drate = Hᵀ ξ. */
static void bend(const vgTendon *s, const vgForceIn *in, double T, double *K, double *drate)
{
    double weight = 1;
    int at = 0, n = 6 * s->nbody;
    const vgFrame *from = NULL;
    Segment g;
    while (next_segment(s, &at, &weight, &from, &g)) {
        Spot o;
        double H[LOCAL][LOCAL] = {{0}}, xi[LOCAL] = {0};
        look_at(s, in, &g, &o);
        hessian(&o, H);
        for (int k = 0; k < 3; k++) {
            if (o.slot[k] < 0) continue;
            vg_store3(o.k[k]->v, xi + 6 * k);
            vg_store3(o.k[k]->w, xi + 6 * k + 3);
        }
        for (int p = 0; p < LOCAL; p++)
            for (int q = 0; q < LOCAL; q++) {
                int sp = o.slot[p / 6], sq = o.slot[q / 6];
                if (sp < 0 || sq < 0) continue;
                double h = g.weight * H[p][q];
                if (K) K[(6 * sp + p % 6) * n + 6 * sq + q % 6] -= T * h;
                drate[6 * sq + q % 6] += h * xi[p];
            }
    }
}

/* Tension with its derivatives by length and rate; dext of a law only if given. */
static double tension(const vgTendon *s, const vgForceIn *in, double x, double v, double d[2], double *dext)
{
    double e = x - s->length, local[2] = {x, v}, g[3];
    d[0] = d[1] = 0;
    if (s->force.expr) {
        if (!dext) return vg_law_value(&s->force, in->t, 2, local, in->law_inputs[0], in->law_held[0]);
        double T = vg_law_grad(&s->force, in->t, 2, local, in->law_inputs[0], in->law_held[0], g, dext);
        d[0] = g[1], d[1] = g[2];
        return T;
    }
    if (vg_law_given(&s->force)) return s->force.value;
    d[1] = s->damping;
    d[0] = e < 0 || e > s->play ? s->stiffness : 0;
    return s->stiffness * (e < 0 ? e : e > s->play ? e - s->play : 0) + s->damping * v + s->preload;
}

static double rate_of(const vgTendon *s, const vgForceIn *in, const double *grad)
{
    double v = 0, xi[6];
    for (int i = 0; i < s->nbody; i++) {
        vg_store3(in->kin[i]->v, xi);
        vg_store3(in->kin[i]->w, xi + 3);
        for (int k = 0; k < 6; k++) v += grad[6 * i + k] * xi[k];
    }
    return v;
}

static const char *place(void *def, const vgForceIn *in)
{
    vgTendon *s = def;
    double grad[6 * VG_FORCE_MAX_BODIES] = {0};
    double x = whole(s, in, grad);
    if (isnan(s->length)) s->length = x;
    return NULL;
}

static void eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    const vgTendon *s = def;
    double g[6 * VG_FORCE_MAX_BODIES] = {0}, drate[6 * VG_FORCE_MAX_BODIES] = {0}, d[2],
                 dext[VG_LAW_MAX_INPUTS];
    int n = 6 * s->nbody, tangents = out->K || out->C;
    double x = whole(s, in, g), v = rate_of(s, in, g);
    double T = tension(s, in, x, v, d, tangents || out->dL ? dext : NULL);
    for (int i = 0; i < n; i++) out->f[i] -= T * g[i];
    if (out->K) bend(s, in, T, out->K, drate);
    for (int i = 0; tangents && i < n; i++)
        for (int j = 0; j < n; j++) {
            if (out->K) out->K[i * n + j] -= g[i] * (d[0] * g[j] + d[1] * drate[j]);
            if (out->C) out->C[i * n + j] -= d[1] * g[i] * g[j];
        }
    int next = vg_law_nexternal(&s->force);
    if (out->dL && next > 0) {
        for (int i = 0; i < n; i++) g[i] = -g[i];
        vg_force_add_dL(out->dL, next, 0, n, g, 0, next, dext);
    }
}

static void local(const void *def, const vgForceIn *in, double *values)
{
    const vgTendon *s = def;
    double g[6 * VG_FORCE_MAX_BODIES] = {0};
    values[0] = whole(s, in, g);
    values[1] = rate_of(s, in, g);
}

static double energy(const void *def, const vgForceIn *in)
{
    const vgTendon *s = def;
    double g[6 * VG_FORCE_MAX_BODIES] = {0};
    if (vg_law_given(&s->force)) return 0;
    double e = whole(s, in, g) - s->length, stretched = e < 0 ? e : e > s->play ? e - s->play : 0;
    return 0.5 * s->stiffness * stretched * stretched + s->preload * e;
}

static const char *const locals[] = {"x", "v", NULL};
static const char *const some[] = {"stiffness", "damping", "preload", "force", NULL};
static const char *const outputs[] = {"force", "length", "rate", NULL};

static void output(const void *def, const vgForceIn *in, double *values)
{
    double at[2], d[2];
    local(def, in, at);
    values[0] = tension(def, in, at[0], at[1], d, NULL);
    values[1] = at[0];
    values[2] = at[1];
}

const vgForceKind vg_force_tendon = {
    .name = "tendon",
    .doc = "Tendon along a path over points of bodies, about spheres and cylinders and over pulleys, without "
           "friction there. Outputs: force (tension), length, rate.",
    .planar = 1,
    .head = VG_HEAD_FRAMES,
    .self = 1,
    .locals = locals,
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .some = some,
    .def_size = sizeof(vgTendon),
    .example = "flexor: {tendon: [ground.O, tip.P], via: [{cylinder: 0.01, at: {body: tip, position: [0, 0, "
               "0.1]}}], stiffness: 2e4, damping: 20}",
    .setup = setup,
    .place = place,
    .eval = eval,
    .local = local,
    .energy = energy,
    .outputs = outputs,
    .output = output,
};
