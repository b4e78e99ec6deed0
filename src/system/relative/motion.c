/* Relative coordinates: positions, velocities and accelerations from the ground outwards. */
#include <math.h>
#include <string.h>

#include "element/prim/motion_so3.h"
#include "math/trig_lanes.h"
#include "system/relative/relative.h"

#define INLINE static inline __attribute__((always_inline))
#define APART  static __attribute__((noinline)) /* the loop over hinges stays short */

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

INLINE void keep(const vgLinkMoved_1 *x, int n, vgLinkMotion *m, double *S)
{
    m->R = x->R, m->p = x->p, m->v = x->v, m->w = x->w, m->d = x->d;
    vg_store3(x->cv, m->c);
    vg_store3(x->cw, m->c + 3);
    for (int k = 0; k < n; k++) {
        vg_store3(x->Sv[k], S + 6 * k);
        vg_store3(x->Sw[k], S + 6 * k + 3);
    }
}

INLINE void hinge(const vgLink *l, const vgLinkMotion *p, double sine, double cosine, double v,
                  vgLinkMotion *m, double *S)
{
    vgLinkMoved_1 x;
    vg_link_move_1(l, p, 0, &sine, &cosine, &v, &x);
    keep(&x, 1, m, S);
}

APART void any_joint(const vgLink *l, int all, const vgLinkMotion *p, const double *q, const double *v,
                     vgLinkMotion *m, double *S)
{
    double own[36], u[6] = {0}, b[6] = {0};
    const double *local = l->S;
    vgMat3 R_PC;
    vgVec3 r_PC;
    int at_once = all && !l->constant && l->motion->all && !l->flipped;
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

APART void cardan(const vgLink *l, const vgLinkMotion *p, const double *sine, const double *cosine,
                  const double *v, vgLinkMotion *m, double *S)
{
    vgLinkMoved_1 x;
    vg_link_move_1(l, p, 1, (const double[]){sine[l->angle], sine[l->angle2]},
                   (const double[]){cosine[l->angle], cosine[l->angle2]}, v, &x);
    keep(&x, 2, m, S);
}

APART void slider(const vgLink *l, const vgLinkMotion *p, double q, double v, vgLinkMotion *m, double *S)
{
    m->R = vg_mm3(p->R, l->E);
    vgVec3 axis = vg_scale3(vg_col3(m->R, 2), l->turn), uv = vg_scale3(axis, v);
    m->d = vg_axpy3(q, axis, vg_sub3(vg_mv3(p->R, l->rP), vg_mv3(m->R, l->rC)));
    m->p = vg_add3(p->p, m->d);
    vg_store3(axis, S);
    vg_store3(vg_zero3(), S + 3);
    m->v = vg_add3(vg_add3(p->v, vg_cross3(p->w, m->d)), uv);
    m->w = p->w;
    vg_store3(vg_cross3(p->w, uv), m->c);
    vg_store3(vg_zero3(), m->c + 3);
}

/* S = [1 0; 0 R] in W, Ṡ v = (ṙ × w, 0) */
APART void floating(const double *q, const double *v, vgLinkMotion *m, double *S)
{
    m->R = vg_quat_to_mat(vg_quat_load(q + 3));
    m->p = m->d = vg_load3(q);
    m->v = vg_load3(v);
    m->w = vg_mv3(m->R, vg_load3(v + 3));
    for (int k = 0; k < 3; k++) {
        vg_store3(vg_unit_axis3(k), S + 6 * k);
        vg_store3(vg_zero3(), S + 6 * k + 3);
        vg_store3(vg_zero3(), S + 18 + 6 * k);
        vg_store3(vg_col3(m->R, k), S + 18 + 6 * k + 3);
    }
    vg_store3(vg_cross3(m->v, m->w), m->c);
    vg_store3(vg_zero3(), m->c + 3);
}

/* Of all angles, four at a time. */
static void make_sines(const vgTree *s, vgTreeWork *w, const double *q)
{
    const int *at = s->angle;
    for (int i = 0; i < s->nangle; i += VG_LANES) {
        vgLane sine, cosine;
        vg_lsincos((vgLane){q[at[i]], q[at[i + 1]], q[at[i + 2]], q[at[i + 3]]}, &sine, &cosine);
        *(vgLaneLoose *)(w->sine + i) = sine;
        *(vgLaneLoose *)(w->sine + s->nangle + i) = cosine;
    }
}

INLINE void move_link(const vgTree *s, vgTreeWork *w, int i, const double *q, const double *v)
{
    const vgLink *l = &s->link[i];
    const vgLinkMotion *p = &w->m[l->parent < 0 ? s->nlink : l->parent];
    const double *sine = w->sine, *cosine = w->sine + s->nangle;
    double *S = w->S + 6 * l->v0;
    q += l->q0, v += l->v0;
    if (l->way == VG_LINK_HINGE)
        hinge(l, p, sine[l->angle], cosine[l->angle], *v, &w->m[i], S);
    else if (l->way == VG_LINK_CARDAN)
        cardan(l, p, sine, cosine, v, &w->m[i], S);
    else if (l->way == VG_LINK_SLIDER)
        slider(l, p, *q, *v, &w->m[i], S);
    else if (l->way == VG_LINK_FLOAT)
        floating(q, v, &w->m[i], S);
    else
        any_joint(l, s->base.fast & VG_FAST_JOINTS, p, q, v, &w->m[i], S);
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
    make_sines(s, w, q);
    for (int i = 0; i < s->nlink; i++) move_link(s, w, i, q, v);
}

INLINE void native_link(const vgTree *s, vgTreeWork *w, int i, int acceleration)
{
    const vgLink *l = &s->link[i];
    const vgLinkMotion *m = &w->m[i];
    vgKin *k = &w->native_motion.kin[l->body];
    k->p = m->p;
    k->R = l->own_axes ? m->R : vg_mmt3(m->R, l->Q);
    k->v = m->v;
    k->w = vg_mtv3(k->R, m->w);
    if (!acceleration) return;
    k->dv = vg_add3(vg_load3(m->A), vg_cross3(m->w, m->v));
    if (!l->weightless) k->dv = vg_add3(k->dv, s->base.model->gravity);
    k->dw = vg_mtv3(k->R, vg_load3(m->A + 3));
}

void vg_tree_native(const vgTree *s, vgTreeWork *w, int acceleration)
{
    for (int i = 0; i < s->nlink; i++) native_link(s, w, i, acceleration);
}

INLINE void pass_link(const vgTree *s, vgTreeWork *w, int i, const double *q, const double *v,
                      const double *a, int native)
{
    move_link(s, w, i, q, v);
    accelerate_link(s, w, i, a);
    vg_tree_own_force(&s->link[i], &w->m[i]);
    if (native) native_link(s, w, i, 1);
}

void vg_tree_pass(const vgTree *s, vgTreeWork *w, const double *q, const double *v, const double *a,
                  int native)
{
    w->base.taken |= s->base.fast & (VG_FAST_JOINTS | (s->nfour ? VG_FAST_LINKS : 0));
    make_sines(s, w, q);
    if (!native && s->nfour == 0) {
        for (int i = 0; i < s->nlink; i++) pass_link(s, w, i, q, v, a, 0);
        return;
    }
    for (int t = 0; t < s->ntask; t++) {
        if (s->task[t].link >= 0)
            pass_link(s, w, s->task[t].link, q, v, a, native);
        else
            vg_tree_four(s, w, &s->four[s->task[t].four], v, a, native);
    }
}
