#include "integrator/geometric/body_axes.h"
#include "integrator/tuning.h"

#include <math.h>
#include <string.h>

void vg_body_momentum(const vgSystem *sys, const double *v, double *p)
{
    for (int i = 0; i < sys->nv;) {
        const vgBody *b = &sys->model->body[sys->v_body[i]];
        for (int k = 0; k < b->select.n; k++) {
            int c = b->select.at[k];
            p[i + k] = c < 3 ? b->mass * v[i + k] : b->inertia.m[2][2] * v[i + k];
        }
        if (b->select.n == 6) vg_store3(vg_mv3(b->inertia, vg_load3(v + i + 3)), p + i + 3);
        i += b->select.n;
    }
}

void vg_body_turn(const vgSystem *sys, const double *q, const double *delta, double sign, const double *y,
                  double *scratch, double *out)
{
    if (sys->vector_space) {
        memcpy(out, y, (size_t)sys->nv * sizeof(double));
        return;
    }
    double *d = scratch, *x = scratch + sys->nv;
    for (int i = 0; i < sys->nv; i++) d[i] = sign * delta[i];
    sys->ops->rates(sys, d, q, y, x); /* Exp(d) = T(−d) T⁻¹(d) */
    for (int i = 0; i < sys->nv; i++) d[i] = -d[i];
    sys->ops->twist(sys, d, q, x, out);
}

void vg_body_gyroscopic(const vgSystem *sys, const double *q, const double *v, const double *p,
                        double *scratch, double *out)
{
    double *d = scratch, *x = scratch + sys->nv, *y = scratch + 2 * sys->nv, size = 0;
    if (sys->vector_space) {
        memset(out, 0, (size_t)sys->nv * sizeof(double));
        return;
    }
    for (int i = 0; i < sys->nv; i++) size = fmax(size, fabs(v[i]));
    double e =
        size > 0 ? 0.25 / size : 0; /* T⁻¹(d) − T⁻¹(−d) is d × exactly, but T⁻¹ has poles at whole turns */
    for (int i = 0; i < sys->nv; i++) d[i] = e * v[i];
    sys->ops->rates(sys, d, q, p, x);
    for (int i = 0; i < sys->nv; i++) d[i] = -d[i];
    sys->ops->rates(sys, d, q, p, y);
    for (int i = 0; i < sys->nv; i++) out[i] = e > 0 ? (x[i] - y[i]) / e : 0;
}

/* Total mass, centre, velocity u and angular velocity w of the rigid motion with the momenta of all bodies.
 */
static void rigid_part(const vgModel *m, const vgKin *kin, vgVec3 *centre, vgVec3 *u, vgVec3 *w)
{
    double mass = 0;
    vgVec3 P = vg_v3(0, 0, 0), S = P, L = P;
    vgMat3 I = vg_mscale3(vg_eye3(), 0);
    for (int i = 0; i < m->nbody; i++) {
        const vgBody *b = &m->body[i];
        if (b->select.n == 1) continue;
        mass += b->mass;
        S = vg_axpy3(b->mass, kin[i].p, S);
        P = vg_axpy3(b->mass, kin[i].v, P);
    }
    *centre = vg_scale3(S, 1 / mass);
    *u = vg_scale3(P, 1 / mass);
    for (int i = 0; i < m->nbody; i++) {
        const vgBody *b = &m->body[i];
        if (b->select.n == 1) continue;
        vgVec3 r = vg_sub3(kin[i].p, *centre);
        L = vg_add3(L, vg_cross3(r, vg_scale3(kin[i].v, b->mass)));
        double rr = vg_dot3(r, r), x[3] = {r.x, r.y, r.z};
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) I.m[j][k] += b->mass * ((j == k ? rr : 0) - x[j] * x[k]);
        if (b->select.at[b->select.n - 1] != 5) continue; /* a point */
        vgMat3 J = b->select.n == 6 ? b->inertia : vg_mscale3(vg_eye3(), b->inertia.m[2][2]);
        L = vg_add3(L, vg_mv3(kin[i].R, vg_mv3(J, kin[i].w)));
        I = vg_madd3(I, vg_mm3(kin[i].R, vg_mm3(J, vg_mt3(kin[i].R))));
    }
    double trace = I.m[0][0] + I.m[1][1] + I.m[2][2];
    for (int j = 0; j < 3; j++)
        I.m[j][j] += VG_INERTIA_FLOOR * trace; /* points on a line have no inertia about it */
    if (m->planar)
        *w = vg_v3(0, 0, I.m[2][2] > 0 ? L.z / I.m[2][2] : 0);
    else
        *w = trace > 0 ? vg_mv3(vg_inv3(I), L) : vg_v3(0, 0, 0);
}

void vg_body_internal_velocity(const vgSystem *sys, const vgKin *kin, double *out)
{
    const vgModel *m = sys->model;
    vgVec3 centre, u, w;
    rigid_part(m, kin, &centre, &u, &w);
    for (int i = 0; i < sys->nv;) {
        int body = sys->v_body[i];
        const vgBody *b = &m->body[body];
        const vgKin *k = &kin[body];
        double x[6] = {k->v.x, 0, 0, 0, 0, 0};
        if (b->select.n > 1) {
            vgVec3 dv = vg_sub3(k->v, vg_add3(u, vg_cross3(w, vg_sub3(k->p, centre))));
            vg_store3(dv, x);
            vg_store3(vg_sub3(k->w, vg_mv3(vg_mt3(k->R), w)), x + 3);
        }
        for (int c = 0; c < b->select.n; c++) out[i + c] = x[b->select.at[c]];
        i += b->select.n;
    }
}

int vg_body_grounded(const vgSystem *sys)
{
    const vgModel *m = sys->model;
    for (int j = 0; j < m->njoint; j++)
        if (m->joint[j].a < 0 || m->joint[j].b < 0) return 1;
    for (int f = 0; f < m->nforce; f++) {
        const vgForceSetup *s = &m->force[f].setup;
        if (s->nmeasure > 0) continue; /* along coordinates of joints, which have been looked at */
        for (int b = 0; b < s->nbody; b++)
            if (s->body[b] < 0) return 1;
        if (s->nbody < 2) return 1; /* a load from outside */
    }
    return 0;
}
