#include "element/road/tyre.h"
#include "element/tuning.h"

typedef struct Contact {
    vgRel rel;
    vgVec3 e, n, ex, ey, ez;
    double h[3], H; /* road below the centre; √(1 + h'²) */
    double s, sn;   /* cosine and sine of the camber */
    double L, r, d, N,
        touch; /* touch: 1 where the force follows deflection and rate, 0 where it is cut off */
    double vx, vy, q, alpha, gamma, fade; /* fade: 1 rolling, 0 standing */
    vgTyreLateral lat;
    vgVec3 F, M;
} Contact;

/* What varies: the centre (its x and z through the road), the wheel's axis, the velocity. */
typedef struct Variation {
    double dx, dz;
    vgVec3 e, u;
} Variation;

const char *const vg_tyre_outputs[] = {"normal",     "lateral", "aligning", "deflection",
                                       "slip-angle", "camber",  NULL};

vgStatus vg_tyre_setup(vgTyre *tyre, vgForceSetup *out)
{
    out->nbody = 2;
    out->body[0] = tyre->head.frame[0].body;
    out->body[1] = tyre->head.frame[1].body;
    out->velocity = 1;
    return VG_OK;
}

/* 0: off the ground, or the wheel lies flat. */
static int touch_down(const vgTyre *t, const vgForceIn *in, Contact *c)
{
    vg_rel_motion(&t->head.frame[0], &t->head.frame[1], in->kin[0], in->kin[1], &c->rel);
    c->e = vg_mv3(c->rel.R_AB, vg_load3(t->axis));
    vg_road_eval(t->road, c->rel.y.x, c->h);
    c->H = sqrt(1 + c->h[1] * c->h[1]);
    c->n = vg_v3(-c->h[1] / c->H, 0, 1 / c->H);
    double height = c->rel.y.z - c->h[0];
    c->L = height / c->H;
    c->d = t->vertical ? (t->radius - height) / c->H : t->radius - c->L;
    vgVec3 cross = vg_cross3(c->e, c->n);
    c->s = vg_norm3(cross);
    c->sn = vg_dot3(c->e, c->n);
    if (c->d <= 0 || c->s < VG_WHEEL_FLAT) return 0;
    c->ex = vg_scale3(cross, 1 / c->s);
    c->ey = vg_cross3(c->n, c->ex);
    c->ez = vg_cross3(c->ex, c->e);
    c->r = c->L / c->s;
    c->gamma = atan2(c->sn, c->s);
    c->vx = vg_dot3(c->rel.u, c->ex);
    c->vy = vg_dot3(c->rel.u, c->ey);
    c->q = sqrt(c->vx * c->vx + t->velocity * t->velocity);
    c->alpha = atan2(c->vy, c->q);
    c->fade = c->vx * c->vx / (c->q * c->q);
    c->N = t->stiffness * c->d - t->damping * vg_dot3(c->n, c->rel.u);
    c->touch = c->N > 0;
    if (!c->touch) c->N = 0;
    return 1;
}

static void forces(const vgTyre *t, vgTyreLaw *law, const void *def, Contact *c)
{
    (void)t;
    law(def, c->N, c->alpha, c->fade * c->gamma, &c->lat);
    c->F = vg_axpy3(c->lat.Fy, c->ey, vg_scale3(c->n, c->N));
    c->M = vg_scale3(c->n, c->lat.Mz);
}

static void wrench(const Contact *c, double W[6])
{
    vg_store3(c->F, W);
    vg_store3(vg_axpy3(-c->r, vg_cross3(c->ez, c->F), c->M), W + 3);
}

/* δ(F, T) along one variation, line by line as the head of tyre.h. */
static void vary(const vgTyre *t, const Contact *c, const Variation *v, double dW[6])
{
    double H = c->H, h1 = c->h[1], bend = h1 * c->h[2] / (H * H) * v->dx; /* δH/H */
    double height = c->rel.y.z - c->h[0], dheight = v->dz - h1 * v->dx;
    vgVec3 tangent = vg_v3(1 / H, 0, h1 / H);
    vgVec3 dn = vg_scale3(tangent, -c->h[2] / (H * H) * v->dx);
    vgVec3 dc = vg_add3(vg_cross3(v->e, c->n), vg_cross3(c->e, dn));
    double ds = vg_dot3(c->ex, dc), dsn = vg_dot3(v->e, c->n) + vg_dot3(c->e, dn);
    vgVec3 dex = vg_scale3(vg_axpy3(-ds, c->ex, dc), 1 / c->s);
    vgVec3 dey = vg_add3(vg_cross3(dn, c->ex), vg_cross3(c->n, dex));
    vgVec3 dez = vg_add3(vg_cross3(dex, c->e), vg_cross3(c->ex, v->e));
    double dL = dheight / H - height / H * bend;
    double dd = t->vertical ? -dheight / H - c->d * bend : -dL;
    double dr = (dL - c->r * ds) / c->s;
    double dvx = vg_dot3(v->u, c->ex) + vg_dot3(c->rel.u, dex),
           dvy = vg_dot3(v->u, c->ey) + vg_dot3(c->rel.u, dey);
    double dq = c->vx * dvx / c->q, dalpha = (c->q * dvy - c->vy * dq) / (c->q * c->q + c->vy * c->vy);
    double dfade = 2 * (1 - c->fade) * c->vx / (c->q * c->q) * dvx;
    double dgamma = c->fade * (c->s * dsn - c->sn * ds) + dfade * c->gamma;
    double approach = vg_dot3(dn, c->rel.u) + vg_dot3(c->n, v->u);
    double dN = c->touch * (t->stiffness * dd - t->damping * approach);
    const vgTyreLateral *l = &c->lat;
    double dFy = l->dFy[0] * dN + l->dFy[1] * dalpha + l->dFy[2] * dgamma;
    double dMz = l->dMz[0] * dN + l->dMz[1] * dalpha + l->dMz[2] * dgamma;
    vgVec3 dF = vg_add3(vg_axpy3(dN, c->n, vg_scale3(dn, c->N)), vg_axpy3(dFy, c->ey, vg_scale3(dey, l->Fy)));
    vgVec3 dT = vg_axpy3(dMz, c->n, vg_scale3(dn, l->Mz));
    dT = vg_axpy3(-dr, vg_cross3(c->ez, c->F), dT);
    dT = vg_axpy3(-c->r, vg_add3(vg_cross3(dez, c->F), vg_cross3(c->ez, dF)), dT);
    vg_store3(dF, dW);
    vg_store3(dT, dW + 3);
}

static void column(double *A, int j, const double x[6])
{
    for (int i = 0; i < 6; i++) A[6 * i + j] = x[i];
}

static void tangents(const vgTyre *t, const Contact *c, const double W[6], vgForceOut *out)
{
    double Wx[36] = {0}, Wv[36] = {0}, d[6];
    vgVec3 o = vg_zero3();
    vary(t, c, &(Variation){1, 0, o, o}, d);
    column(Wx, 0, d);
    vary(t, c, &(Variation){0, 1, o, o}, d);
    column(Wx, 2, d);
    for (int k = 0; k < 3; k++) {
        vary(t, c, &(Variation){0, 0, vg_cross3(vg_unit_axis3(k), c->e), o}, d);
        column(Wx, 3 + k, d);
        vary(t, c, &(Variation){0, 0, o, vg_unit_axis3(k)}, d);
        column(Wv, k, d);
    }
    vg_rel_tangent(&c->rel, W, Wx, Wv, out->K, out->C);
}

void vg_tyre_eval(const vgTyre *tyre, vgTyreLaw *law, const void *def, const vgForceIn *in, vgForceOut *out)
{
    Contact c;
    double W[6];
    if (!touch_down(tyre, in, &c)) return;
    forces(tyre, law, def, &c);
    wrench(&c, W);
    vg_rel_wrench(&c.rel, W, out->f);
    if (vg_force_wants_tangent(out)) tangents(tyre, &c, W, out);
}

void vg_tyre_output(const vgTyre *tyre, vgTyreLaw *law, const void *def, const vgForceIn *in, double *values)
{
    Contact c;
    int on = touch_down(tyre, in, &c);
    for (int i = 0; i < VG_TYRE_OUTPUTS; i++) values[i] = 0;
    values[3] = c.d;
    if (!on) return;
    forces(tyre, law, def, &c);
    values[0] = c.N, values[1] = c.lat.Fy, values[2] = c.lat.Mz;
    values[4] = c.alpha, values[5] = c.gamma;
}

int vg_tyre_switches(const void *def, const vgForceIn *in, double *out)
{
    const vgTyre *t = def;
    Contact c;
    touch_down(t, in, &c);
    out[0] = vg_road_switch(t->road, c.rel.y.x);
    out[1] = c.d;
    return 2;
}

void vg_tyre_look(const void *def, vgForceLook *out)
{
    const vgTyre *t = def;
    out->road = t->road;
    out->radius = t->radius;
}
