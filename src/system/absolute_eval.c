/* Absolute coordinates: motion, residual, constraint values, force elements. */
#include "system/absolute.h"

#include <math.h>
#include <string.h>

/* Motion of a body without spatial rotation from its selected components. */
static void kin_plain(const vgAbsBody *b, const double *q, const double *v, const double *a, vgKin *k)
{
    double pos[3] = {0, 0, 0}, vel[3] = {0, 0, 0}, acc[3] = {0, 0, 0};
    for (int i = 0; i < b->select.n; i++) {
        int c = b->select.at[i];
        if (c < 3) {
            pos[c] = q[i];
            vel[c] = v[i];
            if (a) acc[c] = a[i];
        } else {
            double s = sin(q[i]), co = cos(q[i]);
            k->R = (vgMat3){{{co, -s, 0}, {s, co, 0}, {0, 0, 1}}};
            k->w = vg_v3(0, 0, v[i]);
            if (a) k->dw = vg_v3(0, 0, a[i]);
        }
    }
    k->p = vg_load3(pos);
    k->v = vg_load3(vel);
    if (a) k->dv = vg_load3(acc);
}

void vg_abs_kin(const vgAbs *s, vgAbsWork *w, const double *q, const double *v, const double *a)
{
    for (int i = 0; i < s->nbody; i++) {
        const vgAbsBody *b = &s->body[i];
        if (b->rotates)
            b->chart->kin(q + b->q0, v + b->v0, a ? a + b->v0 : NULL, &w->kin[i]);
        else
            kin_plain(b, q + b->q0, v + b->v0, a ? a + b->v0 : NULL, &w->kin[i]);
    }
}

static const vgKin *kin_of(const vgAbs *s, const vgAbsWork *w, int body)
{
    return &w->kin[body < 0 ? s->nbody : body];
}

void vg_abs_measures(const vgAbs *s, vgAbsWork *w, int derivatives)
{
    const vgModel *m = s->base.model;
    if (s->nmeasure_used == 0) return;
    for (int i = 0; i < m->nmeasure; i++) {
        if (!s->measure_used[i]) continue;
        const vgMeasure *me = &m->measure[i].measure;
        double ref = me->turn >= 0 && w->base.turn ? w->base.turn[me->turn] : 0;
        vg_measure_eval(me, kin_of(s, w, me->A.body), kin_of(s, w, me->B.body), ref, derivatives,
                        &w->measure[i]);
    }
}

void vg_abs_prims(const vgAbs *s, vgAbsWork *w, double t, unsigned what)
{
    const vgModel *m = s->base.model;
    for (int i = 0; i < m->nprim; i++) {
        const vgPrim *p = &m->prim[i];
        if (p->kind != VG_PRIM_MEASURE) {
            vg_prim_eval(p, t, kin_of(s, w, p->a), kin_of(s, w, p->b), what, &w->prim[i]);
            continue;
        }
        vgMeasureOut terms[VG_PRIM_MAX_TERMS];
        for (int k = 0; k < p->nterm; k++) terms[k] = w->measure[p->measure[k]];
        vg_prim_measure_eval(p, t, terms, what, w->prim[i].phi, w->prim[i].dot, w->prim[i].bias);
    }
}

static void add_row(double *out, const double *row, double s)
{
    for (int j = 0; j < 6; j++) out[j] += s * row[j];
}

static double dot6(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

void vg_abs_rows_times(const vgAbs *s, const vgAbsWork *w, const double *xi, double *out)
{
    const vgModel *m = s->base.model;
    for (int i = 0; i < m->nprim; i++) {
        const vgPrim *p = &m->prim[i];
        if (p->kind == VG_PRIM_MEASURE) {
            double sum = 0;
            for (int k = 0; k < p->nterm; k++) {
                const vgMeasure *me = &m->measure[p->measure[k]].measure;
                const double *g = w->measure[p->measure[k]].grad;
                if (me->A.body >= 0) sum += p->k[k] * dot6(g, xi + 6 * me->A.body);
                if (me->B.body >= 0) sum += p->k[k] * dot6(g + 6, xi + 6 * me->B.body);
            }
            out[p->row] = sum;
            continue;
        }
        for (int r = 0; r < p->rows; r++) {
            double sum = p->a >= 0 ? dot6(w->prim[i].Ba[r], xi + 6 * p->a) : 0;
            if (p->b >= 0) sum += dot6(w->prim[i].Bb[r], xi + 6 * p->b);
            out[p->row + r] = sum;
        }
    }
}

/* ---- force elements -------------------------------------------------------------------------------------
 */

typedef struct LawBuffer {
    double value[VG_FORCE_MAX_LAWS][VG_LAW_MAX_INPUTS];
    vgMeasureOut measure[4];
    double acc[4];
} LawBuffer;

static double native_dot(const vgAbs *s, const vgAbsWork *w, int body, const double *g)
{
    if (body < 0) return 0;
    const vgKin *k = kin_of(s, w, body);
    double xi[6] = {k->dv.x, k->dv.y, k->dv.z, k->dw.x, k->dw.y, k->dw.z};
    return dot6(g, xi);
}

/* Gathers what the element sees: bodies, its measures with their accelerations, external law inputs. */
static void force_inputs(const vgAbs *s, vgAbsWork *w, int f, double t, const vgKin **kin, LawBuffer *buf,
                         vgForceIn *in)
{
    const vgModel *m = s->base.model;
    const vgForceSetup *su = &m->force[f].setup;
    memset(in, 0, sizeof *in);
    in->t = t;
    in->nbody = su->nbody;
    in->kin = kin;
    in->gravity = m->gravity;
    for (int i = 0; i < su->nbody; i++) kin[i] = kin_of(s, w, su->body[i]);
    for (int i = 0; i < su->nmeasure; i++) {
        const vgMeasure *me = &m->measure[su->measure[i]].measure;
        buf->measure[i] = w->measure[su->measure[i]];
        if (su->inertial)
            buf->acc[i] = buf->measure[i].bias + native_dot(s, w, me->A.body, buf->measure[i].grad) +
                          native_dot(s, w, me->B.body, buf->measure[i].grad + 6);
    }
    in->measure = buf->measure;
    in->measure_acc = su->inertial ? buf->acc : NULL;
    for (int l = 0; l < su->nlaw; l++) {
        const vgLaw *law = su->law[l];
        for (int k = 0; k < law->ninput; k++) {
            int slot = law->slot[k] - VG_LAW_LOCAL;
            if (slot < 0) continue;
            const vgMeasureOut *mo = &w->measure[slot / 2];
            buf->value[l][k] = slot % 2 ? mo->rate : mo->value;
        }
        in->law_inputs[l] = buf->value[l];
    }
}

void vg_abs_force_in(const vgAbs *s, vgAbsWork *w, int f, double t, const vgKin **kin, void *buffer,
                     vgForceIn *in)
{
    force_inputs(s, w, f, t, kin, buffer, in);
}

/* out (n×n) += scale · col ⊗ row, each a 12-vector on the two bodies of a measure, placed by union indices.
 */
static void outer_add(double *out, int n, const int ci[2], const double *col, const int ri[2],
                      const double *row, double scale)
{
    if (scale == 0) return;
    for (int a = 0; a < 2; a++) {
        if (ci[a] < 0) continue;
        for (int b = 0; b < 2; b++) {
            if (ri[b] < 0) continue;
            for (int i = 0; i < 6; i++)
                for (int j = 0; j < 6; j++)
                    out[(6 * ci[a] + i) * n + 6 * ri[b] + j] += scale * col[6 * a + i] * row[6 * b + j];
        }
    }
}

static int union_of(const vgForcePlace *pl, int body)
{
    for (int i = 0; body >= 0 && i < pl->nu; i++)
        if (pl->body[i] == body) return i;
    return -1;
}

static void measure_ends(const vgAbs *s, const vgForcePlace *pl, int measure, int ends[2])
{
    const vgMeasure *me = &s->base.model->measure[measure].measure;
    ends[0] = union_of(pl, me->A.body);
    ends[1] = union_of(pl, me->B.body);
}

/* Generalised forces along measures: f = Q grad, and their tangents. */
static void along_measures(const vgAbs *s, vgAbsWork *w, int f, const vgForcePlace *pl, const vgForceIn *in,
                           const double *Q, const double *dQ, const double *dA, int tangents)
{
    const vgModel *m = s->base.model;
    const vgForceSetup *su = &m->force[f].setup;
    int n = 6 * pl->nu, nm = su->nmeasure;
    for (int i = 0; i < nm; i++) {
        const vgMeasure *me = &m->measure[su->measure[i]].measure;
        int ei[2];
        measure_ends(s, pl, su->measure[i], ei);
        const double *g = in->measure[i].grad;
        for (int a = 0; a < 2; a++)
            if (ei[a] >= 0) add_row(w->fl + 6 * ei[a], g + 6 * a, Q[i]);
        if (!tangents) continue;
        double H[144] = {0};
        vg_measure_hessian(me, kin_of(s, w, me->A.body), kin_of(s, w, me->B.body), Q[i], H);
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++)
                if (ei[a] >= 0 && ei[b] >= 0)
                    for (int r = 0; r < 6; r++)
                        add_row(w->Kl + (6 * ei[a] + r) * n + 6 * ei[b], H + (6 * a + r) * 12 + 6 * b, 1);
        for (int j = 0; j < nm; j++) {
            int ej[2];
            measure_ends(s, pl, su->measure[j], ej);
            outer_add(w->Kl, n, ei, g, ej, in->measure[j].grad, dQ[i * 2 * nm + j]);
            outer_add(w->Kl, n, ei, g, ej, in->measure[j].drate, dQ[i * 2 * nm + nm + j]);
            outer_add(w->Cl, n, ei, g, ej, in->measure[j].grad, dQ[i * 2 * nm + nm + j]);
            if (su->inertial) outer_add(w->Ml, n, ei, g, ej, in->measure[j].grad, dA[i * nm + j]);
        }
    }
}

/* Tangent through law inputs that are channels. dL: (6 nbody + nmeasure) × nlaw_in. */
static void through_laws(const vgAbs *s, vgAbsWork *w, int f, const vgForcePlace *pl, const vgForceIn *in,
                         const double *dL)
{
    const vgForceSetup *su = &s->base.model->force[f].setup;
    int n = 6 * pl->nu, nx = pl->nlaw_in, nf = 6 * su->nbody;
    for (int k = 0; k < nx; k++) {
        int measure = pl->law_slot[k] / 2, is_rate = pl->law_slot[k] % 2, ek[2];
        const vgMeasureOut *mo = &w->measure[measure];
        measure_ends(s, pl, measure, ek);
        for (int b = 0; b < su->nbody; b++) {
            int at[2] = {pl->own[b], -1};
            double col[12] = {0};
            for (int r = 0; r < 6; r++) col[r] = dL[(6 * b + r) * nx + k];
            outer_add(w->Kl, n, at, col, ek, is_rate ? mo->drate : mo->grad, 1);
            if (is_rate) outer_add(w->Cl, n, at, col, ek, mo->grad, 1);
        }
        for (int i = 0; i < su->nmeasure; i++) {
            int ei[2];
            measure_ends(s, pl, su->measure[i], ei);
            double d = dL[(nf + i) * nx + k];
            outer_add(w->Kl, n, ei, in->measure[i].grad, ek, is_rate ? mo->drate : mo->grad, d);
            if (is_rate) outer_add(w->Cl, n, ei, in->measure[i].grad, ek, mo->grad, d);
        }
    }
}

static void gather_own(const vgForcePlace *pl, int nbody, const double *own, double *local)
{
    int n = 6 * pl->nu, ne = 6 * nbody;
    for (int a = 0; a < nbody; a++)
        for (int b = 0; b < nbody; b++) {
            if (pl->own[a] < 0 || pl->own[b] < 0) continue;
            for (int r = 0; r < 6; r++)
                add_row(local + (6 * pl->own[a] + r) * n + 6 * pl->own[b], own + (6 * a + r) * ne + 6 * b, 1);
        }
}

/* Wrench (fl) and, when asked, K, C, M of force element f over the union of its bodies. */
void vg_abs_force_local(const vgAbs *s, vgAbsWork *w, int f, double t, int tangents)
{
    const vgForce *fo = &s->base.model->force[f];
    const vgForceSetup *su = &fo->setup;
    const vgForcePlace *pl = &w->main.force[f];
    const vgKin *kin[VG_FORCE_MAX_BODIES];
    LawBuffer buf;
    vgForceIn in;
    double fe[6 * VG_FORCE_MAX_BODIES], Q[4] = {0}, dQ[32] = {0}, dA[16] = {0};
    int n = 6 * pl->nu, ne = 6 * su->nbody;
    force_inputs(s, w, f, t, kin, &buf, &in);
    memset(w->fl, 0, (size_t)n * sizeof(double));
    vgForceOut out = {0};
    out.Q = Q;
    double *Ke = w->Dl, *Ce = Ke + ne * ne, *Me = Ce + ne * ne, *dL = Me + ne * ne;
    if (pl->plain) {
        out.f = w->fl;
        Ke = w->Kl;
        Ce = w->Cl;
        Me = w->Ml;
    } else {
        memset(fe, 0, sizeof(double) * (size_t)ne);
        out.f = fe;
    }
    if (tangents) {
        memset(w->Kl, 0, (size_t)(n * n) * sizeof(double));
        memset(w->Cl, 0, (size_t)(n * n) * sizeof(double));
        if (su->inertial) memset(w->Ml, 0, (size_t)(n * n) * sizeof(double));
        if (!pl->plain) memset(w->Dl, 0, sizeof(double) * (size_t)(3 * ne * ne + (ne + 4) * pl->nlaw_in));
        out.K = Ke;
        out.C = Ce;
        out.M = su->inertial ? Me : NULL;
        out.dQ = dQ;
        out.dA = su->inertial ? dA : NULL;
        out.dL = pl->nlaw_in ? dL : NULL;
    }
    fo->kind->eval(fo->def, &in, &out);
    if (pl->plain) return;
    for (int b = 0; b < su->nbody; b++)
        if (pl->own[b] >= 0) add_row(w->fl + 6 * pl->own[b], fe + 6 * b, 1);
    if (tangents) {
        gather_own(pl, su->nbody, Ke, w->Kl);
        gather_own(pl, su->nbody, Ce, w->Cl);
        if (su->inertial) gather_own(pl, su->nbody, Me, w->Ml);
    }
    if (su->nmeasure) along_measures(s, w, f, pl, &in, Q, dQ, dA, tangents);
    if (tangents && pl->nlaw_in) through_laws(s, w, f, pl, &in, dL);
}

void vg_abs_forces(const vgAbs *s, vgAbsWork *w, double t, double *native)
{
    const vgModel *m = s->base.model;
    for (int f = 0; f < m->nforce; f++) {
        const vgForcePlace *pl = &w->main.force[f];
        vg_abs_force_local(s, w, f, t, 0);
        for (int u = 0; u < pl->nu; u++) add_row(native + 6 * pl->body[u], w->fl + 6 * u, -1);
    }
}

/* ---- residual -------------------------------------------------------------------------------------------
 */

/* Native inertia: m (v̇ − g), J ẇ + w × J w. */
void vg_abs_inertia(const vgAbs *s, const vgAbsWork *w, double *native)
{
    vgVec3 g = s->base.model->gravity;
    for (int i = 0; i < s->nbody; i++) {
        const vgAbsBody *b = &s->body[i];
        const vgKin *k = &w->kin[i];
        double *n = native + 6 * i;
        vgVec3 grav = b->select.n == 1 ? vg_v3(0, 0, 0) : g; /* a scalar coordinate has no weight */
        vg_store3(vg_scale3(vg_sub3(k->dv, grav), b->mass), n);
        if (b->rotates) {
            vgVec3 Jw = vg_mv3(b->J, k->w);
            vg_store3(vg_add3(vg_mv3(b->J, k->dw), vg_cross3(k->w, Jw)), n + 3);
        } else {
            n[3] = n[4] = 0;
            n[5] = b->J.m[2][2] * k->dw.z;
        }
    }
}

static void pull_back(const vgAbs *s, const vgAbsWork *w, const double *q, const double *lambda, double *r)
{
    for (int i = 0; i < s->nbody; i++) {
        const vgAbsBody *b = &s->body[i];
        const double *n = w->native + 6 * i;
        double *ri = r + b->v0;
        if (!b->rotates) {
            for (int k = 0; k < b->select.n; k++) ri[k] = n[b->select.at[k]];
        } else if (b->chart->simple) {
            for (int k = 0; k < 6; k++) ri[k] = n[k];
        } else {
            b->chart->pull(q + b->q0, &w->kin[i], n, ri);
            if (b->unit_row >= 0)
                for (int k = 0; k < 4; k++) ri[3 + k] += lambda[b->unit_row] * q[b->q0 + 3 + k];
        }
    }
}

static void native_twist(const vgAbs *s, const vgAbsWork *w, int acceleration, double *xi)
{
    for (int i = 0; i < s->nbody; i++) {
        const vgKin *k = &w->kin[i];
        vg_store3(acceleration ? k->dv : k->v, xi + 6 * i);
        vg_store3(acceleration ? k->dw : k->w, xi + 6 * i + 3);
    }
}

void vg_abs_residual(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                     const double *a, const double *lambda, double *r, double *phi)
{
    const vgAbs *s = (const vgAbs *)sys;
    vgAbsWork *w = (vgAbsWork *)work;
    const vgModel *m = sys->model;
    vg_abs_kin(s, w, q, v, a);
    vg_abs_measures(s, w, 2);
    vg_abs_inertia(s, w, w->native);
    vg_abs_forces(s, w, t, w->native);
    double *values = phi ? phi : w->lam;
    vg_abs_constraint_forces(s, w, t, lambda, w->native, values);
    pull_back(s, w, q, lambda, r);
    if (!phi) return;
    if (s->any_level == 2) {
        native_twist(s, w, 1, w->xi);
        vg_abs_prims(s, w, t, VG_PRIM_GRADIENT | VG_PRIM_BIAS);
        vg_abs_rows_times(s, w, w->xi, w->lam);
        for (int i = 0; i < m->nprim; i++)
            if (m->prim[i].level == 2)
                for (int k = 0; k < m->prim[i].rows; k++)
                    phi[m->prim[i].row + k] = w->lam[m->prim[i].row + k] + w->prim[i].bias[k];
    }
    for (int i = 0; i < s->nbody; i++) {
        const vgAbsBody *b = &s->body[i];
        if (b->unit_row < 0) continue;
        const double *e = q + b->q0 + 3;
        phi[b->unit_row] = 0.5 * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3] - 1);
    }
}
