/* Relative coordinates: motion of the bodies and reactions of the joints, for channels. */
#include <string.h>

#include "system/relative/relative.h"

const vgKin *vg_tree_kinematics(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                                const double *a)
{
    const vgTree *s = (const vgTree *)sys;
    vgTreeWork *w = (vgTreeWork *)work;
    vg_tree_pass(s, w, q, v, a, 1);
    vg_native_measures(&w->native_motion, 2);
    vg_native_prims(&w->native_motion, t, VG_PRIM_VALUE | VG_PRIM_GRADIENT);
    w->have_reactions = 0;
    memcpy(w->q_at, q, (size_t)sys->nq * sizeof(double));
    memcpy(w->v_at, v, (size_t)sys->nv * sizeof(double));
    for (int i = 0; i < sys->nv; i++) w->a_at[i] = a ? a[i] : 0;
    return w->native_motion.kin;
}

/* F_i with the wrenches of all elements, also of those along joint coordinates: what is left is the joint's.
 */
static void make_reactions(const vgTree *s, vgTreeWork *w, double t, const double *lambda)
{
    const vgModel *m = s->base.model;
    vgNative *x = &w->native_motion;
    vg_tree_wrenches(s, w, t, lambda, NULL);
    if (!w->have_wrench) memset(w->wrench, 0, (size_t)(6 * s->nlink) * sizeof(double));
    for (int f = 0; f < m->nforce; f++) {
        const vgTreeCoordinate *j = &s->joint_force[f];
        if (j->v < 0) continue;
        const vgMeasure *me = &m->measure[m->force[f].setup.measure[0]].measure;
        vgMeasureOut o;
        double Q = 0, acc = j->sign * w->a_at[j->v];
        vg_measure_eval(me, vg_native_kin(x, me->A.body), vg_native_kin(x, me->B.body), 0, 1, &o);
        vgMeasureOut in_measure = {.value = j->sign * w->q_at[j->q] + j->offset,
                                   .rate = j->sign * w->v_at[j->v]};
        vgForceIn in = {.t = t, .gravity = m->gravity, .measure = &in_measure, .measure_acc = &acc};
        vgForceOut out = {.Q = &Q};
        m->force[f].kind->eval(m->force[f].def, &in, &out);
        for (int side = 0; side < 2; side++) {
            int body = side ? me->B.body : me->A.body;
            if (body < 0) continue;
            double *wr = w->wrench + 6 * s->link_of[body];
            const double *g = o.grad + 6 * side;
            vgVec3 T = vg_mv3(x->kin[body].R, vg_load3(g + 3));
            double row[6] = {g[0], g[1], g[2], T.x, T.y, T.z};
            vg_add_row6(wr, row, -Q);
        }
    }
    w->have_wrench = 1;
    vg_tree_inverse(s, w, NULL);
    w->have_reactions = 1;
}

void vg_tree_reaction(const vgSystem *sys, vgWork *work, double t, const double *lambda, int joint,
                      double wrench[6])
{
    const vgTree *s = (const vgTree *)sys;
    vgTreeWork *w = (vgTreeWork *)work;
    const vgJoint *j = &sys->model->joint[joint];
    const vgNative *x = &w->native_motion;
    if (s->tree->closure[joint]) {
        for (int r = 0; r < sys->nl; r++) w->lambda_model[s->row_model[r]] = lambda[r];
        vg_native_reaction(x, w->lambda_model, joint, wrench);
        return;
    }
    if (!w->have_reactions) make_reactions(s, w, t, lambda);
    int i = j->b >= 0 ? s->link_of[j->b] : -1;
    if (i < 0 || s->tree->node[i].joint != joint) i = s->link_of[j->a];
    const vgLinkMotion *m = &w->m[i];
    double to_b = s->link[i].flipped ? -1 : 1;
    int on;
    double sign;
    vgVec3 about = vg_native_reaction_point(x, joint, &on, &sign), F = vg_load3(m->F);
    vgVec3 T = vg_add3(vg_load3(m->F + 3), vg_cross3(vg_sub3(m->p, about), F));
    vg_store3(vg_scale3(F, to_b), wrench);
    vg_store3(vg_scale3(T, to_b), wrench + 3);
}
