#include "element/contact/contact.h"
#include "element/contact/friction.h"

typedef struct Normal {
    double N, Nd, Nv; /* force and its derivatives by depth and depth rate */
} Normal;

/* touching > 0: contact is assumed, and a gap pulls as much as the same depth would push. The force is then smooth for
 * stages beyond the end of the step, where the bodies may have separated. */
static Normal normal_force(const vgContactLaw *law, int touching, double depth, double rate)
{
    if (touching < 0 || (touching == 0 && depth <= 0)) return (Normal){0, 0, 0};
    double size = fabs(depth), power = law->exponent == 1.5 ? sqrt(size) : pow(size, law->exponent - 1);
    double E = law->stiffness * power * depth, dE = law->stiffness * law->exponent * power, ds;
    double s = vg_contact_positive(1 + law->damping * rate, &ds);
    return (Normal){E * s, dE * s, E * ds * law->damping};
}

/* Everything of a contact at hand, in A's axes. */
typedef struct Touch {
    vgRel rel;
    vgContactAt at;
    Normal N;
    vgVec3 v, z, zt; /* sliding velocity; bend of the bristles, and its part in the tangent plane */
    vgGrip grip;
} Touch;

static vgVec3 friction(const Touch *c)
{
    return vg_scale3(c->grip.h, -c->N.N);
}

/* Derivatives of force, torque about B's origin and flow of the bristles. */
typedef struct Slopes {
    double Wx[36], Wv[36]; /* by (y, φ) and (u, w) */
    double Zx[36], Zv[36]; /* the flow's in the upper half */
    vgMat3 F_z, T_z, Z_z;
} Slopes;

/* By the chain rule, with n = n(y), ∇depth = −n, v_n = n·u, v_c = u − arm w × n, P = I − n nᵀ, z_t = P z:
 *     ∂N/∂y = −N_δ n − N_v (∂n/∂y)ᵀu,                     ∂N/∂u = −N_v n
 *     ∂v_t/∂y = −(arm w̃ + v_n) ∂n/∂y − n uᵀ∂n/∂y − give (w × n) nᵀ,   ∂v_t/∂u = P,   ∂v_t/∂w = arm ñ
 *     ∂z_t/∂y = −(n·z) ∂n/∂y − n zᵀ∂n/∂y,                 ∂z_t/∂z = P
 *     F_t = −N h(v_t, z_t),   T = −arm n × F_t,   ∂T/∂y = −arm (ñ ∂F_t/∂y − F̃_t ∂n/∂y) − give (n × F_t) nᵀ
 *     flow f(v_t, z_t) − (z − z_t)/τ. */
static void tangent(const vgContactLaw *law, const Touch *c, Slopes *s)
{
    const vgContactAt *at = &c->at;
    const vgGrip *g = &c->grip;
    vgVec3 n = at->n, u = c->rel.u, Ft = friction(c);
    vgMat3 nx = vg_skew3(n), dn = at->dn;
    vgVec3 udn = vg_mtv3(dn, u);
    vgVec3 Ny = vg_sub3(vg_scale3(n, -c->N.Nd), vg_scale3(udn, c->N.Nv)), Nu = vg_scale3(n, -c->N.Nv);
    vgMat3 P = vg_msub3(vg_eye3(), vg_outer3(n, n));
    vgMat3 spin = vg_maxpy3(vg_dot3(n, u), vg_eye3(), vg_mscale3(vg_skew3(c->rel.w), at->arm));
    vgMat3 v_y = vg_mscale3(vg_madd3(vg_mm3(spin, dn), vg_outer3(n, udn)), -1);
    v_y = vg_maxpy3(-at->give, vg_outer3(vg_cross3(c->rel.w, n), n), v_y);
    vgMat3 z_y = vg_mscale3(vg_maxpy3(vg_dot3(n, c->z), dn, vg_outer3(n, vg_mtv3(dn, c->z))), -1);
    vgMat3 h_y = vg_madd3(vg_mm3(g->hv, v_y), vg_mm3(g->hz, z_y));
    vgMat3 Ft_y = vg_mscale3(vg_maxpy3(c->N.N, h_y, vg_outer3(g->h, Ny)), -1);
    vgMat3 Ft_u = vg_mscale3(vg_maxpy3(c->N.N, vg_mm3(g->hv, P), vg_outer3(g->h, Nu)), -1);
    vgMat3 Ft_w = vg_mscale3(vg_mm3(g->hv, nx), -c->N.N * at->arm);
    vg_mput3(vg_madd3(vg_maxpy3(c->N.N, dn, vg_outer3(n, Ny)), Ft_y), s->Wx, 6);
    vg_mput3(vg_madd3(vg_outer3(n, Nu), Ft_u), s->Wv, 6);
    vg_mput3(Ft_w, s->Wv + 3, 6);
    vgMat3 T_y = vg_mscale3(vg_msub3(vg_mm3(nx, Ft_y), vg_mm3(vg_skew3(Ft), dn)), -at->arm);
    vg_mput3(vg_maxpy3(-at->give, vg_outer3(vg_cross3(n, Ft), n), T_y), s->Wx + 18, 6);
    vg_mput3(vg_mscale3(vg_mm3(nx, Ft_u), -at->arm), s->Wv + 18, 6);
    vg_mput3(vg_mscale3(vg_mm3(nx, Ft_w), -at->arm), s->Wv + 21, 6);
    if (!vg_contact_sticks(law)) return;
    vgMat3 fz = vg_maxpy3(1 / law->settle, vg_eye3(), g->fz);
    vg_mput3(vg_madd3(vg_mm3(g->fv, v_y), vg_mm3(fz, z_y)), s->Zx, 6);
    vg_mput3(vg_mm3(g->fv, P), s->Zv, 6);
    vg_mput3(vg_mscale3(vg_mm3(g->fv, nx), at->arm), s->Zv + 3, 6);
    s->F_z = vg_mscale3(vg_mm3(g->hz, P), -c->N.N);
    s->T_z = vg_mscale3(vg_mm3(nx, s->F_z), -at->arm);
    s->Z_z = vg_maxpy3(-1 / law->settle, vg_eye3(), vg_mm3(fz, P));
}

/* Eq. 52c: the damping with which an impact at `speed` ends with `restitution` times it. With v the depth rate
 *
 *     m v̇ = −k δ^e (1 + c v)   ⇒   v dv/(1 + c v) = −(k/m) δ^e dδ
 *
 * so that v/c − ln(1 + c v)/c² has the same value at −restitution·speed as at speed. With d = c·speed
 *
 *     (1 + restitution) d = ln((1 + d)/(1 − restitution d))
 *
 * for every mass, stiffness and exponent. Solved by bisection: d is between 0 and 1/restitution. */
static double damping_of(double restitution, double speed)
{
    double low = 0, high = 1 / restitution;
    if (restitution >= 1) return 0;
    for (int i = 0; i < 200; i++) {
        double d = 0.5 * (low + high);
        *(log1p(d) - log1p(-restitution * d) < (1 + restitution) * d ? &low : &high) = d;
    }
    return 0.5 * (low + high) / speed;
}

void vg_contact_round(const vgContact *c, vgVec3 from, vgMat3 free, double radius, double distance,
                      int inside, vgContactAt *at)
{
    double r = vg_norm3(from), sign = inside ? -1 : 1;
    if (r > 0) {
        at->n = vg_scale3(from, sign / r);
        at->dn = vg_mscale3(vg_msub3(free, vg_outer3(at->n, at->n)), sign / r);
    } else {
        at->n = vg_unit_axis3(c->up);
        at->dn = vg_mzero3();
    }
    at->depth = radius + sign * (distance - r);
    at->arm = radius;
    at->give = 0;
}

vgStatus vg_contact_law_setup(vgContactLaw *law, vgForceSetup *out)
{
    if (!isnan(law->restitution)) {
        if (law->damping != 0)
            return vg_force_refuse(out, "restitution", "and damping say the same: give one of them");
        law->damping = damping_of(law->restitution, law->speed);
    }
    out->velocity = law->damping != 0 || law->friction != 0;
    if (isnan(law->level0)) law->level0 = law->friction;
    if (law->friction == 0 && law->level0 > 0)
        return vg_force_refuse(out, "static", "needs friction: the coefficient while it slides");
    law->settle = sqrt(law->stick / (law->friction * 9.81));
    return VG_OK;
}

vgStatus vg_contact_setup(void *def, int planar, vgForceSetup *out)
{
    vgContact *c = def;
    vgStatus st = vg_contact_law_setup(&c->law, out);
    if (st != VG_OK) return st;
    c->up = planar ? 1 : 2;
    out->nbody = 2;
    out->body[0] = c->head.frame[0].body;
    out->body[1] = c->head.frame[1].body;
    if (vg_contact_sticks(&c->law)) out->nstate = planar ? 2 : 3;
    return VG_OK;
}

static void place_of(const vgContact *c, const vgForceIn *in, vgRel *rel, vgContactAt *at)
{
    vg_rel_motion(&c->head.frame[0], &c->head.frame[1], in->kin[0], in->kin[1], rel);
    c->locate(c, rel, in->held ? in->held[0] : 0, at);
}

/* Does it act? As its depth says, but where events are located: there it is on one side for a whole step. */
static int acts(const vgForceIn *in, double depth)
{
    return in->touching ? in->touching > 0 : depth > 0;
}

/* Most pairs of a pile are far from each other: seen without turning anything. */
static int far_apart(const vgContact *c, const vgForceIn *in)
{
    if (c->reach == 0) return 0;
    vgVec3 d =
        vg_sub3(vg_kin_point(in->kin[1], c->head.frame[1].r), vg_kin_point(in->kin[0], c->head.frame[0].r));
    return vg_dot3(d, d) > c->reach * c->reach;
}

static void touch(const vgContact *c, const vgForceIn *in, int tangents, Touch *out)
{
    vgVec3 n = out->at.n, v = vg_axpy3(-out->at.arm, vg_cross3(out->rel.w, n), out->rel.u);
    out->N = normal_force(&c->law, in->touching, out->at.depth, -vg_dot3(n, out->rel.u));
    out->v = vg_axpy3(-vg_dot3(n, v), n, v);
    out->z = vg_contact_sticks(&c->law) && !in->rest ? in->kin[2]->v : vg_zero3();
    out->zt = vg_axpy3(-vg_dot3(n, out->z), n, out->z);
    vg_contact_grip(&c->law, out->v, out->zt, tangents, in->wander, &out->grip);
}

/* The bristles are the velocity of a body of mass 1 that is nowhere and has no weight. Across the surface
 * and in the air they straighten within τ. Where a rest is looked for there is no friction, and they hold
 * their place. */
static void bristles(const vgContact *c, const vgForceIn *in, const Touch *t, int touches, vgForceOut *out)
{
    vgVec3 rate = vg_scale3(in->kin[2]->v, -1 / c->law.settle);
    if (in->rest)
        rate = vg_neg3(in->kin[2]->p);
    else if (touches)
        rate = vg_axpy3(-1 / c->law.settle, vg_sub3(t->z, t->zt), t->grip.flow);
    double *f = out->f + 12;
    f[0] += rate.x, f[1] += rate.y, f[2] += rate.z;
}

static void add_mat(double *to, int stride, vgMat3 m)
{
    for (int i = 0; i < 9; i++) to[i / 3 * stride + i % 3] += m.m[i / 3][i % 3];
}

/* Of 18×18: the two bodies' own 12×12, how the bristles act on them and they on the bristles. */
static void add_with_bristles(const Touch *t, const double W[6], const Slopes *s, double *K, double *C)
{
    double own[2][144] = {{0}}, rows[2][36] = {{0}}, *const to[2] = {K, C};
    vg_rel_tangent(&t->rel, W, s->Wx, s->Wv, own[0], own[1]);
    vg_rel_rows(&t->rel, s->Zx, s->Zv, rows[0], rows[1]);
    for (int k = 0; k < 2; k++) {
        if (!to[k]) continue;
        for (int i = 0; i < 144; i++) to[k][18 * (i / 12) + i % 12] += own[k][i];
        for (int i = 0; i < 36; i++) to[k][18 * (12 + i / 12) + i % 12] += rows[k][i];
    }
    if (!C) return;
    for (int j = 0; j < 3; j++) {
        double w[6], f[12] = {0};
        for (int i = 0; i < 3; i++) w[i] = s->F_z.m[i][j], w[3 + i] = s->T_z.m[i][j];
        vg_rel_wrench(&t->rel, w, f);
        for (int i = 0; i < 12; i++) C[18 * i + 12 + j] += f[i];
    }
    add_mat(C + 18 * 12 + 12, 18, s->Z_z);
}

/* In the air the bristles alone change. */
static void bristles_alone(const vgContact *c, int rest, vgForceOut *out)
{
    if (rest && out->K) add_mat(out->K + 18 * 12 + 12, 18, vg_mscale3(vg_eye3(), -1));
    if (!rest && out->C) add_mat(out->C + 18 * 12 + 12, 18, vg_mscale3(vg_eye3(), -1 / c->law.settle));
}

int vg_contact_act(const void *def, const vgForceIn *in, vgForceOut *out)
{
    const vgContact *c = def;
    int sticks = vg_contact_sticks(&c->law), tangents = out->K || out->C;
    Touch t;
    double W[6];
    t.at.depth = -1;
    if (in->touching > 0 || (in->touching == 0 && !far_apart(c, in))) place_of(c, in, &t.rel, &t.at);
    int touches = acts(in, t.at.depth);
    if (touches) touch(c, in, tangents, &t);
    if (sticks) bristles(c, in, &t, touches, out);
    if (sticks && tangents && (in->rest || !touches)) bristles_alone(c, in->rest, out);
    if (!touches) return 0;
    vgVec3 n = t.at.n, Ft = friction(&t);
    vg_store3(vg_axpy3(t.N.N, n, Ft), W);
    vg_store3(vg_scale3(vg_cross3(n, Ft), -t.at.arm), W + 3);
    vg_rel_wrench(&t.rel, W, out->f);
    if (!tangents) return 1;
    Slopes s = {.F_z = vg_mzero3()};
    tangent(&c->law, &t, &s);
    if (!sticks) {
        vg_rel_tangent(&t.rel, W, s.Wx, s.Wv, out->K, out->C);
        return 1;
    }
    if (in->rest) { /* its own tangent is there already */
        for (int i = 0; i < 36; i++) s.Zx[i] = s.Zv[i] = 0;
        s.F_z = s.T_z = s.Z_z = vg_mzero3();
    }
    add_with_bristles(&t, W, &s, out->K, out->C);
    return 1;
}

void vg_contact_eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    vg_contact_act(def, in, out);
}

vgHold vg_contact_hold(const void *def)
{
    const vgContactLaw *law = &((const vgContact *)def)->law;
    return vg_contact_sticks(law) ? VG_HOLD_STICKS : law->friction > 0 ? VG_HOLD_CREEPS : VG_HOLD_NONE;
}

/* Within τ they are bent at |v| = δ/τ. */
int vg_contact_begin(const void *def, const vgForceIn *in, double z[3])
{
    const vgContact *c = def;
    Touch t;
    place_of(c, in, &t.rel, &t.at);
    if (t.at.depth <= 0) return 0;
    touch(c, in, 0, &t);
    double speed = vg_norm3(t.v);
    if (!(speed * c->law.settle >= c->law.stick)) return 0;
    vg_store3(vg_scale3(t.v, vg_contact_level(&c->law, t.v) / speed), z);
    return 1;
}

double vg_contact_depth(const void *def, const vgForceIn *in)
{
    vgRel rel;
    vgContactAt at;
    place_of(def, in, &rel, &at);
    return at.depth;
}

void vg_contact_approach(const void *def, const vgForceIn *in, vgApproach *out)
{
    vgRel rel;
    vgContactAt at;
    place_of(def, in, &rel, &at);
    *out = (vgApproach){rel.y, rel.u, at.n, at.depth};
}

double vg_contact_energy(const void *def, const vgForceIn *in)
{
    const vgContactLaw *law = &((const vgContact *)def)->law;
    double depth = vg_contact_depth(def, in);
    return depth > 0 ? law->stiffness * pow(depth, law->exponent + 1) / (law->exponent + 1) : 0;
}

const char *const vg_contact_outputs[] = {"depth",   "normal",  "friction", "slip",
                                          "force.x", "force.y", "force.z",  NULL};

void vg_contact_output(const void *def, const vgForceIn *in, double *values)
{
    const vgContact *c = def;
    Touch t;
    place_of(c, in, &t.rel, &t.at);
    touch(c, in, 0, &t);
    vgVec3 Ft = friction(&t);
    values[0] = t.at.depth, values[1] = t.N.N, values[2] = vg_norm3(Ft), values[3] = vg_norm3(t.v);
    vg_store3(vg_axpy3(t.N.N, t.at.n, Ft), values + 4);
}
