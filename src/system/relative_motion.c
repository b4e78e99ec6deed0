/* Relative coordinates: positions, velocities and accelerations from the ground outwards. */
#include <math.h>
#include <string.h>

#include "system/relative.h"

#define INLINE static inline __attribute__((always_inline))

/* The joint as seen from the parent: flipped, the pose of A in B is the inverse of that of B in A. */
void vg_tree_pose(const vgLink *l, const double *q, vgVec3 *r_PC, vgMat3 *R_PC)
{
    l->motion->pose(l->def, q, r_PC, R_PC);
    if (!l->flipped) return;
    *R_PC = vg_mt3(*R_PC);
    *r_PC = vg_neg3(vg_mv3(*R_PC, *r_PC));
}

/* A twist of frame B relative to A (in B's axes, at B's origin) as that of the link's centre of mass relative
 * to the parent, in tree axes. Flipped, A moves relative to B by the opposite twist, at A's origin:
 * w' = −R_AB w, v' = −R_AB (v + w × r_BA); the same holds for Ṡv, because R_AB and r_BA move by that twist.
 */
static void to_link(const vgLink *l, vgMat3 R_AB, vgVec3 r_AB, vgVec3 v, vgVec3 w, double out[6])
{
    if (l->flipped) {
        vgVec3 r_BA = vg_neg3(vg_mtv3(R_AB, r_AB));
        v = vg_neg3(vg_mv3(R_AB, vg_add3(v, vg_cross3(w, r_BA))));
        w = vg_neg3(vg_mv3(R_AB, w));
    }
    vg_store3(vg_add3(v, vg_cross3(l->rC, w)), out);
    vg_store3(w, out + 3);
}

void vg_tree_local_subspace(const vgLink *l, const double *q, double *S)
{
    double own[36];
    vgMat3 R = vg_eye3();
    vgVec3 r = vg_zero3();
    if (l->nv == 0) return;
    l->motion->subspace(l->def, q, own);
    if (l->flipped) l->motion->pose(l->def, q, &r, &R);
    for (int k = 0; k < l->nv; k++) {
        double x[6], y[6];
        for (int i = 0; i < 6; i++) x[i] = own[i * l->nv + k];
        to_link(l, R, r, vg_load3(x), vg_load3(x + 3), y);
        for (int i = 0; i < 6; i++) S[i * l->nv + k] = y[i];
    }
}

void vg_tree_local_bias(const vgLink *l, const double *q, const double *v, double b[6])
{
    double x[6];
    vgMat3 R = vg_eye3();
    vgVec3 r = vg_zero3();
    memset(b, 0, 6 * sizeof *b);
    if (!l->motion->bias) return;
    l->motion->bias(l->def, q, v, x);
    if (l->flipped) l->motion->pose(l->def, q, &r, &R);
    to_link(l, R, r, vg_load3(x), vg_load3(x + 3), b);
}

INLINE void hinge(const vgLink *l, const vgLinkMotion *p, double q, double v, vgLinkMotion *m, double *S)
{
    double s = sin(q) * l->turn, c = cos(q), sign = l->turn;
    vgMat3 N = vg_mm3(p->R, l->E);
    for (int i = 0; i < 3; i++) {
        m->R.m[i][0] = N.m[i][0] * c + N.m[i][1] * s;
        m->R.m[i][1] = N.m[i][1] * c - N.m[i][0] * s;
        m->R.m[i][2] = N.m[i][2];
    }
    vgVec3 z = vg_scale3(vg_col3(m->R, 2), sign);
    vgVec3 d = vg_sub3(vg_mv3(p->R, l->rP), vg_mv3(m->R, l->rC));
    double a = sign * l->rC.y, b = -sign * l->rC.x; /* sign rC × z */
    vgVec3 Sv = vg_v3(m->R.m[0][0] * a + m->R.m[0][1] * b, m->R.m[1][0] * a + m->R.m[1][1] * b,
                      m->R.m[2][0] * a + m->R.m[2][1] * b);
    vg_store3(Sv, S);
    vg_store3(z, S + 3);
    vgVec3 pv = vg_add3(p->v, vg_cross3(p->w, d)), uv = vg_scale3(Sv, v), uw = vg_scale3(z, v);
    m->d = d;
    m->p = vg_add3(p->p, d);
    m->v = vg_add3(pv, uv);
    m->w = vg_add3(p->w, uw);
    vg_store3(vg_add3(vg_cross3(p->w, uv), vg_cross3(pv, uw)), m->c);
    vg_store3(vg_cross3(p->w, uw), m->c + 3);
}

static void any_joint(const vgLink *l, const vgLinkMotion *p, const double *q, const double *v,
                      vgLinkMotion *m, double *S)
{
    double own[36], u[6] = {0}, b[6] = {0};
    const double *local = l->S;
    vgMat3 R_PC;
    vgVec3 r_PC;
    int at_once = !l->constant && l->motion->all && !l->flipped;
    if (at_once) {
        double x[6];
        l->motion->all(l->def, q, v, &r_PC, &R_PC, own, x);
        for (int k = 0; k < l->nv; k++) { /* to the centre of mass: v + rC × w */
            vgVec3 c = vg_cross3(l->rC, vg_v3(own[3 * l->nv + k], own[4 * l->nv + k], own[5 * l->nv + k]));
            own[k] += c.x, own[l->nv + k] += c.y, own[2 * l->nv + k] += c.z;
        }
        vg_store3(vg_add3(vg_load3(x), vg_cross3(l->rC, vg_load3(x + 3))), b);
        vg_store3(vg_load3(x + 3), b + 3);
        local = own;
    } else {
        vg_tree_pose(l, q, &r_PC, &R_PC);
    }
    m->R = vg_mm3(p->R, vg_mm3(l->E, R_PC));
    m->d = vg_sub3(vg_mv3(p->R, vg_add3(l->rP, vg_mv3(l->E, r_PC))), vg_mv3(m->R, l->rC));
    m->p = vg_add3(p->p, m->d);
    if (!l->constant && !at_once) {
        vg_tree_local_subspace(l, q, own);
        vg_tree_local_bias(l, q, v, b);
        local = own;
    }
    for (int k = 0; k < l->nv; k++) {
        vgVec3 x = vg_v3(local[k], local[l->nv + k], local[2 * l->nv + k]);
        vgVec3 y = vg_v3(local[3 * l->nv + k], local[4 * l->nv + k], local[5 * l->nv + k]);
        vg_store3(vg_mv3(m->R, x), S + 6 * k);
        vg_store3(vg_mv3(m->R, y), S + 6 * k + 3);
        vg_add_row6(u, S + 6 * k, v[k]);
    }
    vgVec3 pv = vg_add3(p->v, vg_cross3(p->w, m->d)), uv = vg_load3(u), uw = vg_load3(u + 3);
    m->v = vg_add3(pv, uv);
    m->w = vg_add3(p->w, uw);
    vgVec3 cv = vg_add3(vg_cross3(p->w, uv), vg_cross3(pv, uw)), cw = vg_cross3(p->w, uw);
    if (!l->constant) {
        cv = vg_add3(cv, vg_mv3(m->R, vg_load3(b)));
        cw = vg_add3(cw, vg_mv3(m->R, vg_load3(b + 3)));
    }
    vg_store3(cv, m->c);
    vg_store3(cw, m->c + 3);
}

INLINE void move_link(const vgTree *s, vgTreeWork *w, int i, const double *q, const double *v)
{
    const vgLink *l = &s->link[i];
    const vgLinkMotion *p = &w->m[l->parent < 0 ? s->nlink : l->parent];
    if (l->turn)
        hinge(l, p, q[l->q0], v[l->v0], &w->m[i], w->S + 6 * l->v0);
    else
        any_joint(l, p, q + l->q0, v + l->v0, &w->m[i], w->S + 6 * l->v0);
}

INLINE void accelerate_link(const vgTree *s, vgTreeWork *w, int i, const double *a)
{
    const vgLink *l = &s->link[i];
    vgLinkMotion *m = &w->m[i];
    vgVec3 Av = vg_load3(m->c), Aw = vg_load3(m->c + 3);
    if (l->parent >= 0) {
        const double *P = w->m[l->parent].A;
        vgVec3 pw = vg_load3(P + 3);
        Av = vg_add3(Av, vg_add3(vg_load3(P), vg_cross3(pw, m->d)));
        Aw = vg_add3(Aw, pw);
    } else if (!l->weightless) {
        Av = vg_sub3(Av, s->base.model->gravity);
    }
    for (int k = l->v0; a && k < l->v0 + l->nv; k++) {
        Av = vg_axpy3(a[k], vg_load3(w->S + 6 * k), Av);
        Aw = vg_axpy3(a[k], vg_load3(w->S + 6 * k + 3), Aw);
    }
    vg_store3(Av, m->A);
    vg_store3(Aw, m->A + 3);
}

void vg_tree_motion(const vgTree *s, vgTreeWork *w, const double *q, const double *v)
{
    for (int i = 0; i < s->nlink; i++) move_link(s, w, i, q, v);
}

void vg_tree_acceleration(const vgTree *s, vgTreeWork *w, const double *a)
{
    for (int i = 0; i < s->nlink; i++) accelerate_link(s, w, i, a);
}

void vg_tree_motion_and_forces(const vgTree *s, vgTreeWork *w, const double *q, const double *v,
                               const double *a)
{
    for (int i = 0; i < s->nlink; i++) {
        move_link(s, w, i, q, v);
        accelerate_link(s, w, i, a);
        vg_tree_own_force(&s->link[i], &w->m[i]);
    }
}

void vg_tree_native(const vgTree *s, vgTreeWork *w, int acceleration)
{
    vgVec3 g = s->base.model->gravity;
    for (int i = 0; i < s->nlink; i++) {
        const vgLink *l = &s->link[i];
        const vgLinkMotion *m = &w->m[i];
        vgKin *k = &w->native_motion.kin[l->body];
        k->p = m->p;
        k->R = l->own_axes ? m->R : vg_mmt3(m->R, l->Q);
        k->v = m->v;
        k->w = vg_mtv3(k->R, m->w);
        if (!acceleration) continue;
        k->dv = vg_add3(vg_load3(m->A), vg_cross3(m->w, m->v));
        if (!l->weightless) k->dv = vg_add3(k->dv, g);
        k->dw = vg_mtv3(k->R, vg_load3(m->A + 3));
    }
}
