/* Relative coordinates: forces, the inverse recursion, the residual. */
#include <string.h>

#include "system/relative/tangent.h"

/* Elements along one joint coordinate x = sign q + offset: τ = sign Q, ∂τ/∂q = ∂Q/∂x, and their inertia. */
void vg_tree_joint_forces(const vgTree *s, vgTreeWork *w, double t, const double *q, const double *v,
                          const double *a, double *stiffness, double *damping)
{
    const vgModel *m = s->base.model;
    if (s->nnative_force == m->nforce) return;
    w->base.taken |= VG_FAST_ALONG;
    memset(w->tau, 0, (size_t)s->base.nv * sizeof(double));
    memset(w->rotor, 0, (size_t)s->base.nv * sizeof(double));
    if (stiffness) {
        memset(stiffness, 0, (size_t)s->base.nv * sizeof(double));
        memset(damping, 0, (size_t)s->base.nv * sizeof(double));
    }
    for (int f = 0; f < m->nforce; f++) {
        const vgTreeCoordinate *j = &s->joint_force[f];
        if (j->v < 0) continue;
        int inertial = m->force[f].setup.inertial;
        double Q = 0, dQ[2] = {0, 0}, dA = 0, acc = a ? j->sign * a[j->v] : 0;
        vgMeasureOut x = {.value = j->sign * q[j->q] + j->offset, .rate = j->sign * v[j->v]};
        vgForceIn in = {.t = t, .gravity = m->gravity, .measure = &x, .measure_acc = inertial ? &acc : NULL};
        vg_work_hold(&w->base, f, &in);
        vgForceOut out = {.Q = &Q, .dQ = stiffness ? dQ : NULL, .dA = inertial ? &dA : NULL};
        m->force[f].kind->eval(m->force[f].def, &in, &out);
        w->tau[j->v] += j->sign * Q;
        w->rotor[j->v] += dA;
        if (stiffness) {
            stiffness[j->v] += dQ[0];
            damping[j->v] += dQ[1];
        }
    }
}

void vg_tree_wrenches_begin(const vgTree *s, vgTreeWork *w)
{
    w->have_wrench = s->nnative_force > 0 || s->base.nl > 0;
    if (!w->have_wrench) return;
    memset(w->native, 0, (size_t)(6 * s->base.model->nbody) * sizeof(double));
    vg_native_measures(&w->native_motion, s->forces_measure ? 2 : 1);
}

void vg_tree_wrench_of(const vgTree *s, vgTreeWork *w, double t, int f)
{
    if (w->have_wrench && s->joint_force[f].v < 0)
        vg_native_subtract_force(&w->native_motion, f, t, w->native);
}

void vg_tree_wrenches_end(const vgTree *s, vgTreeWork *w, double t, const double *lambda, double *phi)
{
    vgNative *x = &w->native_motion;
    if (!w->have_wrench) return;
    if (s->base.nl > 0) {
        for (int r = 0; r < s->base.nl; r++) w->lambda_model[s->row_model[r]] = lambda ? lambda[r] : 0;
        vg_native_constraint_forces(x, t, w->lambda_model, w->native, w->phi);
        for (int r = 0; phi && r < s->base.nl; r++) phi[r] = w->phi[s->row_model[r]];
    }
    for (int i = 0; i < s->nlink; i++) {
        const double *n = w->native + 6 * s->link[i].body;
        double *o = w->wrench + 6 * i;
        o[0] = n[0], o[1] = n[1], o[2] = n[2];
        vg_store3(vg_mv3(x->kin[s->link[i].body].R, vg_load3(n + 3)), o + 3);
    }
}

/* −applied + Bᵀλ of every link, in W; needs the native motion. */
void vg_tree_wrenches(const vgTree *s, vgTreeWork *w, double t, const double *lambda, double *phi)
{
    const vgFours *fours = &w->native_motion.fours;
    int some = fours->of && !w->base.held, n = some ? fours->nvisit : s->base.model->nforce;
    vg_tree_wrenches_begin(s, w);
    for (int i = 0; i < n; i++) vg_tree_wrench_of(s, w, t, some ? fours->visit[i] : i);
    vg_tree_wrenches_end(s, w, t, lambda, phi);
}

void vg_tree_collect(const vgTree *s, vgTreeWork *w, double *r)
{
    for (int i = s->nlink - 1; i >= 0; i--) {
        if (w->have_wrench) vg_add_row6(w->m[i].F, w->wrench + 6 * i, 1);
        vg_tree_pass_force(s, w, i, r);
    }
}

/* F_i and r_i = S_iᵀ F_i − τ_i from the accelerations in w. r NULL: F alone. */
void vg_tree_inverse(const vgTree *s, vgTreeWork *w, double *r)
{
    for (int i = 0; i < s->nlink; i++) vg_tree_own_force(&s->link[i], &w->m[i]);
    vg_tree_collect(s, w, r);
}

/* Rows at acceleration level: B ξ̇ + γ. */
static void level_two(const vgTree *s, vgTreeWork *w, double t, double *phi)
{
    const vgModel *m = s->base.model;
    vgNative *x = &w->native_motion;
    for (int i = 0; i < m->nbody; i++) {
        vg_store3(x->kin[i].dv, w->xi + 6 * i);
        vg_store3(x->kin[i].dw, w->xi + 6 * i + 3);
    }
    vg_native_prims(x, t, VG_PRIM_GRADIENT | VG_PRIM_BIAS);
    vg_native_rows_times(x, w->xi, w->lam);
    for (int at = 0; at < x->nlist; at++) {
        const vgPrim *p = &m->prim[x->list[at]];
        for (int k = 0; p->level == 2 && k < p->rows; k++)
            phi[s->model_row[p->row + k]] = w->lam[p->row + k] + x->prim[x->list[at]].bias[k];
    }
}

void vg_tree_move(const vgTree *s, vgTreeWork *w, const double *q, const double *v, const double *a)
{
    w->have_reactions = 0;
    vg_tree_pass(s, w, q, v, a, s->nnative_force > 0 || s->base.nl > 0);
}

void vg_tree_residual(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                      const double *a, const double *lambda, double *r, double *phi)
{
    const vgTree *s = (const vgTree *)sys;
    vgTreeWork *w = (vgTreeWork *)work;
    if (s->nnative_force == 0 && sys->nl == 0) {
        w->have_reactions = 0;
        w->have_wrench = 0;
        vg_tree_pass(s, w, q, v, a, 0);
        vg_tree_joint_forces(s, w, t, q, v, a, NULL, NULL);
        for (int i = s->nlink - 1; i >= 0; i--) vg_tree_pass_force(s, w, i, r);
        return;
    }
    vg_tree_move(s, w, q, v, a);
    vg_tree_joint_forces(s, w, t, q, v, a, NULL, NULL);
    vg_tree_wrenches(s, w, t, lambda, phi);
    vg_tree_collect(s, w, r);
    if (phi && s->any_level == 2) level_two(s, w, t, phi);
}
