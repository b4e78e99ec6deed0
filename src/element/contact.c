#include "element/contact.h"

typedef struct Normal {
    double N, Nd, Nv; /* force and its derivatives by depth and depth rate */
} Normal;

/* max(s, 0) with the corner rounded by a parabola over |s| < 0.05. */
static double positive(double s, double *ds)
{
    const double w = 0.05;
    if (s >= w) return *ds = 1, s;
    if (s <= -w) return *ds = 0;
    *ds = (s + w) / (2 * w);
    return (s + w) * (s + w) / (4 * w);
}

static Normal normal_force(const vgContactLaw *law, double depth, double rate)
{
    if (depth <= 0) return (Normal){0, 0, 0};
    double power = law->exponent == 1.5 ? sqrt(depth) : pow(depth, law->exponent - 1);
    double E = law->stiffness * power * depth, dE = law->stiffness * law->exponent * power, ds;
    double s = positive(1 + law->damping * rate, &ds);
    return (Normal){E * s, dE * s, E * ds * law->damping};
}

static vgVec3 sliding_velocity(const vgContactAt *at, const vgRel *rel)
{
    vgVec3 v = vg_axpy3(-at->arm, vg_cross3(rel->w, at->n), rel->u);
    return vg_axpy3(-vg_dot3(at->n, v), at->n, v);
}

/* s = v_t / √(|v_t|² + v0²) and ∂s/∂v_t = (I − s sᵀ)/√…. */
static vgVec3 friction_direction(const vgContactLaw *law, vgVec3 vt, vgMat3 *ds)
{
    double q = sqrt(vg_dot3(vt, vt) + law->velocity * law->velocity);
    vgVec3 s = vg_scale3(vt, 1 / q);
    if (ds) *ds = vg_mscale3(vg_msub3(vg_eye3(), vg_outer3(s, s)), 1 / q);
    return s;
}

/* W_x and W_v by the chain rule, with n = n(y), ∇depth = −n, v_n = n·u, v_c = u − arm w × n:
 *     ∂N/∂y = −N_δ n − N_v (∂n/∂y)ᵀu,                     ∂N/∂u = −N_v n
 *     ∂v_t/∂y = −(arm w̃ + v_n) ∂n/∂y − n uᵀ∂n/∂y − give (w × n) nᵀ,   ∂v_t/∂u = I − n nᵀ,   ∂v_t/∂w = arm ñ
 *     T = −arm n × F_t,   ∂T/∂y = −arm (ñ ∂F_t/∂y − F̃_t ∂n/∂y) − give (n × F_t) nᵀ. */
static void tangent(const vgContactLaw *law, const vgContactAt *at, const vgRel *rel, Normal N, vgVec3 Ft,
                    double *Wx, double *Wv)
{
    vgVec3 n = at->n, u = rel->u;
    vgMat3 S, nx = vg_skew3(n), dn = at->dn;
    vgVec3 s = friction_direction(law, sliding_velocity(at, rel), &S);
    vgVec3 udn = vg_mtv3(dn, u);
    vgVec3 Ny = vg_sub3(vg_scale3(n, -N.Nd), vg_scale3(udn, N.Nv)), Nu = vg_scale3(n, -N.Nv);
    vgMat3 P = vg_msub3(vg_eye3(), vg_outer3(n, n));
    vgMat3 spin = vg_maxpy3(vg_dot3(n, u), vg_eye3(), vg_mscale3(vg_skew3(rel->w), at->arm));
    vgMat3 vt_y = vg_mscale3(vg_madd3(vg_mm3(spin, dn), vg_outer3(n, udn)), -1);
    vt_y = vg_maxpy3(-at->give, vg_outer3(vg_cross3(rel->w, n), n), vt_y);
    double mu = law->friction;
    vgMat3 Ft_y = vg_mscale3(vg_maxpy3(N.N, vg_mm3(S, vt_y), vg_outer3(s, Ny)), -mu);
    vgMat3 Ft_u = vg_mscale3(vg_maxpy3(N.N, vg_mm3(S, P), vg_outer3(s, Nu)), -mu);
    vgMat3 Ft_w = vg_mscale3(vg_mm3(S, nx), -mu * N.N * at->arm);
    vg_mput3(vg_madd3(vg_maxpy3(N.N, dn, vg_outer3(n, Ny)), Ft_y), Wx, 6);
    vg_mput3(vg_madd3(vg_outer3(n, Nu), Ft_u), Wv, 6);
    vg_mput3(Ft_w, Wv + 3, 6);
    vgMat3 T_y = vg_mscale3(vg_msub3(vg_mm3(nx, Ft_y), vg_mm3(vg_skew3(Ft), dn)), -at->arm);
    vg_mput3(vg_maxpy3(-at->give, vg_outer3(vg_cross3(n, Ft), n), T_y), Wx + 18, 6);
    vg_mput3(vg_mscale3(vg_mm3(nx, Ft_u), -at->arm), Wv + 18, 6);
    vg_mput3(vg_mscale3(vg_mm3(nx, Ft_w), -at->arm), Wv + 21, 6);
}

/* Eq. 52c: the damping with which an impact at `speed` ends with `restitution` times it. With v the depth
 * rate, m v̇ = −k δ^e (1 + c v)   ⇒   v dv/(1 + c v) = −(k/m) δ^e dδ   ⇒   v/c − ln(1 + c v)/c² is as large at
 * −restitution·speed as at speed: with d = c·speed,  (1 + restitution) d = ln((1 + d)/(1 − restitution d)),
 * for every mass, stiffness and exponent. Solved by halving: d is between 0 and 1/restitution. */
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

vgStatus vg_contact_setup(void *def, int planar, vgForceSetup *out)
{
    vgContact *c = def;
    if (!isnan(c->law.restitution)) {
        if (c->law.damping != 0)
            return vg_force_refuse(out, "restitution", "and damping say the same: give one of them");
        c->law.damping = damping_of(c->law.restitution, c->law.speed);
    }
    c->up = planar ? 1 : 2;
    out->nbody = 2;
    out->body[0] = c->head.frame[0].body;
    out->body[1] = c->head.frame[1].body;
    out->velocity = c->law.damping != 0 || c->law.friction != 0;
    return VG_OK;
}

static void place_of(const vgContact *c, const vgForceIn *in, vgRel *rel, vgContactAt *at)
{
    vg_rel_motion(&c->head.frame[0], &c->head.frame[1], in->kin[0], in->kin[1], rel);
    c->locate(c, rel, in->held ? in->held[0] : 0, at);
}

void vg_contact_eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    const vgContact *c = def;
    vgRel rel;
    vgContactAt at;
    double W[6], Wx[36] = {0}, Wv[36] = {0};
    place_of(c, in, &rel, &at);
    if (at.depth <= 0) return;
    Normal N = normal_force(&c->law, at.depth, -vg_dot3(at.n, rel.u));
    vgVec3 Ft =
        vg_scale3(friction_direction(&c->law, sliding_velocity(&at, &rel), NULL), -c->law.friction * N.N);
    vg_store3(vg_axpy3(N.N, at.n, Ft), W);
    vg_store3(vg_scale3(vg_cross3(at.n, Ft), -at.arm), W + 3);
    vg_rel_wrench(&rel, W, out->f);
    if (!out->K && !out->C) return;
    tangent(&c->law, &at, &rel, N, Ft, Wx, Wv);
    vg_rel_tangent(&rel, W, Wx, Wv, out->K, out->C);
}

double vg_contact_depth(const void *def, const vgForceIn *in)
{
    vgRel rel;
    vgContactAt at;
    place_of(def, in, &rel, &at);
    return at.depth;
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
    vgRel rel;
    vgContactAt at;
    place_of(c, in, &rel, &at);
    Normal N = normal_force(&c->law, at.depth, -vg_dot3(at.n, rel.u));
    vgVec3 vt = sliding_velocity(&at, &rel);
    vgVec3 Ft = vg_scale3(friction_direction(&c->law, vt, NULL), -c->law.friction * N.N);
    values[0] = at.depth, values[1] = N.N, values[2] = vg_norm3(Ft), values[3] = vg_norm3(vt);
    vg_store3(vg_axpy3(N.N, at.n, Ft), values + 4);
}
