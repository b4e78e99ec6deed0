/* Relative coordinates from the poses and velocities of the bodies. If these violate the joints of the tree, the
 * nearest motion in the mass metric is taken, as absolute coordinates do:
 *
 *     minimise ½ Σ ξᵀ M ξ,   ξ = given − J δ     ⇒     (Jᵀ M J) δ = Jᵀ M ξ_given
 *
 * by the articulated-body algorithm. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/so3.h"
#include "system/relative/relative.h"
#include "system/tuning.h"

static const double TURN = 6.28318530717958647692;

static void frame_in_world(const vgFrame *f, const vgKin *kin, vgVec3 *r, vgMat3 *R)
{
    if (f->body < 0) {
        *r = f->r;
        *R = f->R;
        return;
    }
    *r = vg_kin_point(&kin[f->body], f->r);
    *R = vg_mm3(kin[f->body].R, f->R);
}

static void first_guess(const vgTree *s, const vgKin *kin, double *q)
{
    const vgModel *m = s->base.model;
    for (int i = 0; i < s->nlink; i++) {
        const vgLink *l = &s->link[i];
        const vgJoint *j = s->tree->node[i].joint >= 0 ? &m->joint[s->tree->node[i].joint] : NULL;
        vgVec3 rA = vg_zero3(), rB = kin[l->body].p;
        vgMat3 RA = vg_eye3(), RB = kin[l->body].R;
        if (j) {
            frame_in_world(&j->def.A, kin, &rA, &RA);
            frame_in_world(&j->def.B, kin, &rB, &RB);
        }
        l->motion->from_pose(l->def, vg_mtv3(RA, vg_sub3(rB, rA)), vg_mtm3(RA, RB), q + l->q0);
        if (m->planar && j && l->way == VG_LINK_HINGE) { /* the whole turns that the user wrote */
            double turns = (j->b >= 0 ? m->body[j->b].theta0 : 0) - (j->a >= 0 ? m->body[j->a].theta0 : 0);
            q[l->q0] += TURN * round((turns - q[l->q0]) / TURN);
        } else if (j && l->way == VG_LINK_HINGE && j->ncoord) {
            q[l->q0] += m->measure[j->measure0].measure.begin;
        }
    }
}

/* δ (nv) nearest to the given variation of all bodies (xi: 6 a link, world axes). */
static vgStatus nearest(const vgTree *s, vgTreeWork *w, const double *xi, double *delta)
{
    for (int i = 0; i < s->nlink; i++) {
        const vgLink *l = &s->link[i];
        vgLinkMotion *m = &w->m[i];
        double *f = w->wrench + 6 * i;
        m->v = m->w = vg_zero3();
        memset(m->c, 0, sizeof m->c);
        vg_store3(vg_scale3(vg_load3(xi + 6 * i), -l->mass), f);
        vgVec3 o = vg_mtv3(m->R, vg_load3(xi + 6 * i + 3));
        vg_store3(vg_neg3(vg_mv3(m->R, vg_mv3(l->J, o))), f + 3);
    }
    w->have_wrench = 1;
    return vg_tree_articulated(s, w, vg_zero3(), delta);
}

/* The same tree in which links whose mass lies in elements (nodes of beams, amplitudes) weigh something: the
 * metric must be one, and does not matter where all fits. *out NULL: there are none. */
static vgStatus weighted(const vgTree *s, vgLink **out)
{
    const double L = s->base.length;
    double mass = 0;
    int n = 0, light = 0;
    for (int i = 0; i < s->nlink; i++) light |= !(s->link[i].mass > 0);
    vgLink *link = *out = light ? malloc((size_t)(s->nlink + 1) * sizeof *link) : NULL;
    if (!link) return light ? VG_NO_MEMORY : VG_OK;
    memcpy(link, s->link, (size_t)s->nlink * sizeof *link);
    for (int i = 0; i < s->nlink; i++)
        if (link[i].mass > 0) mass += link[i].mass, n++;
    mass = n ? mass / n : 1;
    for (int i = 0; i < s->nlink; i++) {
        const vgSelect *c = &s->base.model->body[link[i].body].select;
        if (link[i].mass > 0) continue;
        link[i].mass = mass;
        if (c->at[c->n - 1] == 5) link[i].J = vg_mscale3(vg_eye3(), 0.01 * mass * L * L);
    }
    return VG_OK;
}

vgStatus vg_tree_from_native(const vgSystem *sys, const vgKin *kin, double *q, double *v)
{
    vgTree heavy = *(const vgTree *)sys;
    const vgTree *s = &heavy;
    vgWork *work = NULL;
    vgLink *link = NULL;
    first_guess(s, kin, q);
    memset(v, 0, (size_t)sys->nv * sizeof(double));
    if (sys->nv == 0) return VG_OK;
    vgStatus st = vg_work_new(sys, &work);
    if (st == VG_OK) st = weighted(s, &link);
    if (st != VG_OK) {
        vg_work_free(work);
        return st;
    }
    if (link) heavy.link = link;
    vgTreeWork *w = (vgTreeWork *)work;
    memset(w->tau, 0, (size_t)sys->nv * sizeof(double));
    memset(w->rotor, 0, (size_t)sys->nv * sizeof(double));
    for (int it = 0; it < 30; it++) {
        double most = 0;
        vg_tree_motion(s, w, q, w->zero);
        for (int i = 0; i < s->nlink; i++) {
            const vgLink *l = &s->link[i];
            const vgKin *k = &kin[l->body];
            vgVec3 turn = vg_so3_log(vg_mmt3(vg_mm3(k->R, l->Q), w->m[i].R)); /* in W */
            vg_store3(vg_sub3(k->p, w->m[i].p), w->xi + 6 * i);
            vg_store3(turn, w->xi + 6 * i + 3);
        }
        if (nearest(s, w, w->xi, w->scratch_r) != VG_OK) break;
        for (int k = 0; k < sys->nv; k++) most = fmax(most, fabs(w->scratch_r[k]) / sys->v_scale[k]);
        if (!(most > VG_START_PLACED)) break; /* placed as given: nothing is moved by round-off */
        memcpy(w->q_old, q, (size_t)sys->nq * sizeof(double));
        vg_tree_retract(sys, w->q_old, w->scratch_r, q);
    }
    vg_tree_motion(s, w, q, w->zero);
    for (int i = 0; i < s->nlink; i++) {
        const vgKin *k = &kin[s->link[i].body];
        vg_store3(k->v, w->xi + 6 * i);
        vg_store3(vg_mv3(k->R, k->w), w->xi + 6 * i + 3);
    }
    nearest(s, w, w->xi, v);
    vg_work_free(work);
    free(link);
    return VG_OK;
}
