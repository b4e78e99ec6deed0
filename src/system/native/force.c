/* Force elements through the native motion: what they see, the wrench, the tangents. */
#include <string.h>

#include "base/expect.h"
#include "system/native/native.h"

static int in_union(vgForcePlace *pl, int body)
{
    if (body < 0) return -1;
    for (int i = 0; i < pl->nu; i++)
        if (pl->body[i] == body) return i;
    VG_EXPECT(pl->nu < VG_FORCE_MAX_UNION); /* the reader has counted them */
    if (pl->nu == VG_FORCE_MAX_UNION) return -1;
    pl->body[pl->nu] = body;
    return pl->nu++;
}

void vg_native_force_union(const vgModel *m, int f, vgForcePlace *pl)
{
    const vgForceSetup *su = &m->force[f].setup;
    memset(pl, 0, sizeof *pl);
    pl->plain = su->nmeasure == 0;
    for (int i = 0; i < su->nbody; i++) {
        int before = pl->nu;
        pl->own[i] = in_union(pl, su->body[i]);
        if (pl->own[i] != before || pl->own[i] != i) pl->plain = 0;
    }
    for (int i = 0; i < su->nmeasure; i++) {
        in_union(pl, m->measure[su->measure[i]].measure.A.body);
        in_union(pl, m->measure[su->measure[i]].measure.B.body);
    }
    for (int l = 0; l < su->nlaw; l++)
        for (int k = 0; k < su->law[l]->ninput; k++) {
            int slot = su->law[l]->slot[k] - VG_LAW_LOCAL;
            if (slot < 0) continue;
            in_union(pl, m->measure[slot / 2].measure.A.body);
            in_union(pl, m->measure[slot / 2].measure.B.body);
            pl->law_slot[pl->nlaw_in++] = slot;
            pl->plain = 0;
        }
    pl->alone = su->nmeasure == 0 && pl->nlaw_in == 0;
}

typedef struct LawBuffer {
    double value[VG_FORCE_MAX_LAWS][VG_LAW_MAX_INPUTS];
    vgMeasureOut measure[4];
    double acc[4];
} LawBuffer;

static double native_dot(const vgNative *x, int body, const double *g)
{
    if (body < 0) return 0;
    const vgKin *k = vg_native_kin(x, body);
    double xi[6] = {k->dv.x, k->dv.y, k->dv.z, k->dw.x, k->dw.y, k->dw.z};
    return vg_dot_row6(g, xi);
}

/* Gathers what the element sees: bodies, its measures with their accelerations, external law inputs. */
static void force_inputs(vgNative *x, int f, double t, const vgKin **kin, LawBuffer *buf, vgForceIn *in)
{
    const vgModel *m = x->model;
    const vgForceSetup *su = &m->force[f].setup;
    memset(in, 0, sizeof *in);
    in->t = t;
    in->nbody = su->nbody;
    in->kin = kin;
    in->gravity = m->gravity;
    in->unload = x->work->unload;
    in->rest = x->work->rest;
    in->wander = x->work->wander;
    for (int i = 0; i < su->nbody; i++) kin[i] = vg_native_kin(x, su->body[i]);
    for (int i = 0; i < su->nmeasure; i++) {
        const vgMeasure *me = &m->measure[su->measure[i]].measure;
        buf->measure[i] = x->measure[su->measure[i]];
        if (su->inertial)
            buf->acc[i] = buf->measure[i].bias + native_dot(x, me->A.body, buf->measure[i].grad) +
                          native_dot(x, me->B.body, buf->measure[i].grad + 6);
    }
    in->measure = buf->measure;
    in->measure_acc = su->inertial ? buf->acc : NULL;
    vg_work_hold(x->work, f, in);
    for (int l = 0; l < su->nlaw; l++) {
        const vgLaw *law = su->law[l];
        for (int k = 0; k < law->ninput; k++) {
            int slot = law->slot[k] - VG_LAW_LOCAL;
            if (slot < 0) continue;
            const vgMeasureOut *mo = &x->measure[slot / 2];
            buf->value[l][k] = slot % 2 ? mo->rate : mo->value;
        }
        in->law_inputs[l] = buf->value[l];
    }
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

static void measure_ends(const vgNative *x, const vgForcePlace *pl, int measure, int ends[2])
{
    const vgMeasure *me = &x->model->measure[measure].measure;
    ends[0] = union_of(pl, me->A.body);
    ends[1] = union_of(pl, me->B.body);
}

/* Generalised forces along measures: f = Q grad, and their tangents. */
static void along_measures(vgNative *x, int f, const vgForcePlace *pl, const vgForceIn *in, const double *Q,
                           const double *dQ, const double *dA, int tangents)
{
    const vgModel *m = x->model;
    const vgForceSetup *su = &m->force[f].setup;
    int n = 6 * pl->nu, nm = su->nmeasure;
    for (int i = 0; i < nm; i++) {
        const vgMeasure *me = &m->measure[su->measure[i]].measure;
        int ei[2];
        measure_ends(x, pl, su->measure[i], ei);
        const double *g = in->measure[i].grad;
        for (int a = 0; a < 2; a++)
            if (ei[a] >= 0) vg_add_row6(x->fl + 6 * ei[a], g + 6 * a, Q[i]);
        if (!tangents) continue;
        double H[144] = {0};
        vg_measure_hessian(me, vg_native_kin(x, me->A.body), vg_native_kin(x, me->B.body),
                           vg_native_turn(x, me), Q[i], H);
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++)
                if (ei[a] >= 0 && ei[b] >= 0)
                    for (int r = 0; r < 6; r++)
                        vg_add_row6(x->Kl + (6 * ei[a] + r) * n + 6 * ei[b], H + (6 * a + r) * 12 + 6 * b, 1);
        for (int j = 0; j < nm; j++) {
            int ej[2];
            measure_ends(x, pl, su->measure[j], ej);
            outer_add(x->Kl, n, ei, g, ej, in->measure[j].grad, dQ[i * 2 * nm + j]);
            outer_add(x->Kl, n, ei, g, ej, in->measure[j].drate, dQ[i * 2 * nm + nm + j]);
            outer_add(x->Cl, n, ei, g, ej, in->measure[j].grad, dQ[i * 2 * nm + nm + j]);
            if (su->inertial) outer_add(x->Ml, n, ei, g, ej, in->measure[j].grad, dA[i * nm + j]);
        }
    }
}

/* Tangent through law inputs that are channels. dL: (6 nbody + nmeasure) × nlaw_in. */
static void through_laws(vgNative *x, int f, const vgForcePlace *pl, const vgForceIn *in, const double *dL)
{
    const vgForceSetup *su = &x->model->force[f].setup;
    int n = 6 * pl->nu, nx = pl->nlaw_in, nf = 6 * su->nbody;
    for (int k = 0; k < nx; k++) {
        int measure = pl->law_slot[k] / 2, is_rate = pl->law_slot[k] % 2, ek[2];
        const vgMeasureOut *mo = &x->measure[measure];
        measure_ends(x, pl, measure, ek);
        for (int b = 0; b < su->nbody; b++) {
            int at[2] = {pl->own[b], -1};
            double col[12] = {0};
            for (int r = 0; r < 6; r++) col[r] = dL[(6 * b + r) * nx + k];
            outer_add(x->Kl, n, at, col, ek, is_rate ? mo->drate : mo->grad, 1);
            if (is_rate) outer_add(x->Cl, n, at, col, ek, mo->grad, 1);
        }
        for (int i = 0; i < su->nmeasure; i++) {
            int ei[2];
            measure_ends(x, pl, su->measure[i], ei);
            double d = dL[(nf + i) * nx + k];
            outer_add(x->Kl, n, ei, in->measure[i].grad, ek, is_rate ? mo->drate : mo->grad, d);
            if (is_rate) outer_add(x->Cl, n, ei, in->measure[i].grad, ek, mo->grad, d);
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
                vg_add_row6(local + (6 * pl->own[a] + r) * n + 6 * pl->own[b], own + (6 * a + r) * ne + 6 * b,
                            1);
        }
}

/* Wrench (fl) and, when asked, K, C, M of force element f over the union of its bodies. */
void vg_native_force_local(vgNative *x, int f, double t, int tangents)
{
    const vgForce *fo = &x->model->force[f];
    const vgForceSetup *su = &fo->setup;
    const vgForcePlace *pl = &x->force[f];
    const vgKin *kin[VG_FORCE_MAX_BODIES];
    LawBuffer buf;
    vgForceIn in;
    double fe[6 * VG_FORCE_MAX_BODIES], Q[4] = {0}, dQ[32] = {0}, dA[16] = {0};
    int n = 6 * pl->nu, ne = 6 * su->nbody;
    force_inputs(x, f, t, kin, &buf, &in);
    memset(x->fl, 0, (size_t)n * sizeof(double));
    vgForceOut out = {0};
    out.Q = Q;
    double *Ke = x->Dl, *Ce = Ke + ne * ne, *Me = Ce + ne * ne, *dL = Me + ne * ne;
    if (pl->plain) {
        out.f = x->fl;
        Ke = x->Kl;
        Ce = x->Cl;
        Me = x->Ml;
    } else {
        memset(fe, 0, sizeof(double) * (size_t)ne);
        out.f = fe;
    }
    if (tangents) {
        memset(x->Kl, 0, (size_t)(n * n) * sizeof(double));
        memset(x->Cl, 0, (size_t)(n * n) * sizeof(double));
        if (su->inertial) memset(x->Ml, 0, (size_t)(n * n) * sizeof(double));
        if (!pl->plain) memset(x->Dl, 0, sizeof(double) * (size_t)(3 * ne * ne + (ne + 4) * pl->nlaw_in));
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
        if (pl->own[b] >= 0) vg_add_row6(x->fl + 6 * pl->own[b], fe + 6 * b, 1);
    if (tangents) {
        gather_own(pl, su->nbody, Ke, x->Kl);
        gather_own(pl, su->nbody, Ce, x->Cl);
        if (su->inertial) gather_own(pl, su->nbody, Me, x->Ml);
    }
    if (su->nmeasure) along_measures(x, f, pl, &in, Q, dQ, dA, tangents);
    if (tangents && pl->nlaw_in) through_laws(x, f, pl, &in, dL);
}

void vg_native_tension(vgNative *x, int f, double t, double length, double rate, double out[3])
{
    const vgForce *fo = &x->model->force[f];
    x->alone.t = t;
    x->alone.unload = x->work->unload;
    if (!x->work->held) {
        fo->kind->line->tension(fo->def, &x->alone, length, rate, out);
        return;
    }
    const vgKin *kin[VG_FORCE_MAX_BODIES];
    LawBuffer buf;
    vgForceIn in;
    force_inputs(x, f, t, kin, &buf, &in);
    fo->kind->line->tension(fo->def, &in, length, rate, out);
}

/* The wrench alone of an element that sees only its own bodies, the common case of the residual: wrench +=
 * sign f. */
static inline void add_alone(vgNative *x, int f, double t, double sign, double *wrench)
{
    const vgForce *fo = &x->model->force[f];
    const int *body = fo->setup.body, n = fo->setup.nbody;
    const vgKin *kin[VG_FORCE_MAX_BODIES];
    double w[6 * VG_FORCE_MAX_BODIES];
    int straight = n == 1 && sign > 0 && body[0] >= 0;
    vgForceIn *in = &x->alone;
    vgForceOut out = {.f = straight ? wrench + 6 * body[0] : w};
    in->t = t;
    in->unload = x->work->unload;
    in->nbody = n;
    in->kin = kin;
    for (int u = 0; u < n; u++) kin[u] = vg_native_kin(x, body[u]);
    for (int i = 0; i < 6 * n && !straight; i++) w[i] = 0;
    fo->kind->eval(fo->def, in, &out);
    for (int u = 0; u < n && !straight; u++)
        if (body[u] >= 0) vg_add_row6(wrench + 6 * body[u], w + 6 * u, sign);
    in->kin = NULL;
}

static vgForceIn crowd_in(const vgNative *x, int f, double t)
{
    return (vgForceIn){.t = t,
                       .all = x->kin,
                       .nall = x->nbody,
                       .scratch = x->crowd[f],
                       .gravity = x->model->gravity,
                       .rest = x->work->rest,
                       .wander = x->work->wander,
                       .stir = x->work->stir,
                       .unload = x->work->unload};
}

void vg_native_crowd(vgNative *x, int f, double t, vgCrowdTake *take)
{
    vgForceIn in = crowd_in(x, f, t);
    x->model->force[f].kind->crowd->tangent(x->model->force[f].def, &in, take);
}

static void add_crowd(vgNative *x, int f, double t, double sign, double *wrench)
{
    vgForceIn in = crowd_in(x, f, t);
    x->model->force[f].kind->crowd->add(x->model->force[f].def, &in, sign, wrench);
}

static inline void add_force(vgNative *x, int f, double t, double sign, double *wrench)
{
    const vgForcePlace *pl = &x->force[f];
    if (x->crowd && x->crowd[f]) {
        add_crowd(x, f, t, sign, wrench);
        return;
    }
    if (pl->alone && !x->work->held) {
        int group = x->fours.of ? x->fours.of[f] : VG_FOUR_NONE;
        if (group == VG_FOUR_NONE)
            add_alone(x, f, t, sign, wrench);
        else if (group != VG_FOUR_MEMBER)
            x->work->taken |= VG_FAST_FOURS,
                vg_fours_add(&x->fours.group[group], t, x->kin, x->nbody, sign, wrench);
        return;
    }
    vg_native_force_local(x, f, t, 0);
    for (int u = 0; u < pl->nu; u++) vg_add_row6(wrench + 6 * pl->body[u], x->fl + 6 * u, sign);
}

void vg_native_subtract_force(vgNative *x, int f, double t, double *native)
{
    add_force(x, f, t, -1, native);
}

void vg_native_apply(vgNative *x, double t, double *wrench)
{
    for (int f = 0; f < x->model->nforce; f++) add_force(x, f, t, 1, wrench);
}

void vg_native_forces(vgNative *x, double t, double *native)
{
    const unsigned char *taken = x->lanes ? x->lanes->taken : NULL;
    for (int f = 0; f < x->model->nforce; f++)
        if (!taken || !taken[f]) add_force(x, f, t, -1, native);
}

double vg_native_potential(vgNative *x, double t, double *native)
{
    const vgModel *m = x->model;
    double sum = 0;
    for (int f = 0; f < m->nforce; f++) {
        const vgForcePlace *pl = &x->force[f];
        const vgKin *kin[VG_FORCE_MAX_BODIES];
        LawBuffer buf;
        vgForceIn in;
        if (!m->force[f].kind->energy) continue;
        if (m->force[f].kind->crowd) {
            in = crowd_in(x, f, t);
            sum += m->force[f].kind->energy(m->force[f].def, &in);
            add_crowd(x, f, t, 1, native);
            continue;
        }
        force_inputs(x, f, t, kin, &buf, &in);
        double energy = m->force[f].kind->energy(m->force[f].def, &in);
        if (energy == 0) continue; /* its energy is at its minimum, or it has no potential (a law) */
        sum += energy;
        vg_native_force_local(x, f, t, 0);
        for (int u = 0; u < pl->nu; u++) vg_add_row6(native + 6 * pl->body[u], x->fl + 6 * u, 1);
    }
    return sum;
}
