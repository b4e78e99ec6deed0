/* The motion of all bodies and what elements say about it: measures, primitives, reactions. */
#include "system/native/native.h"
#include "system/tuning.h"

#include <math.h>
#include <string.h>

void vg_native_measures(vgNative *x, int derivatives)
{
    const vgModel *m = x->model;
    if (x->nused == 0) return;
    for (int i = 0; i < m->nmeasure; i++) {
        if (!x->used[i]) continue;
        const vgMeasure *me = &m->measure[i].measure;
        double ref = vg_native_turn(x, me);
        if (me->kind == VG_MEASURE_LOAD) ref = x->work->load ? x->work->load[me->axis] : 0;
        vg_measure_eval(me, vg_native_kin(x, me->A.body), vg_native_kin(x, me->B.body), ref, derivatives,
                        &x->measure[i]);
    }
}

const double *vg_native_law(vgNative *x, int prim, double t)
{
    const vgLaw *law = x->model->prim[prim].law;
    if (!law) return NULL;
    vgLawAt *at = &x->law[prim];
    if (!at->known || at->t != t) {
        vg_law_time(law, t, at->f);
        at->t = t;
        at->known = 1;
    }
    return at->f;
}

void vg_native_prim(vgNative *x, int i, double t, unsigned what)
{
    const vgPrim *p = &x->model->prim[i];
    vgPrimOut *o = &x->prim[i];
    if (p->nterm == 0)
        vg_prim_eval(p, t, vg_native_kin(x, p->a), vg_native_kin(x, p->b), what, o);
    else
        vg_prim_measure_among(p, vg_native_law(x, i, t), x->measure, what, o->phi, o->dot, o->bias);
}

void vg_native_prims(vgNative *x, double t, unsigned what)
{
    for (int at = 0; at < x->nlist; at++) vg_native_prim(x, x->list[at], t, what);
}

void vg_native_rows_times(const vgNative *x, const double *xi, double *out)
{
    const vgModel *m = x->model;
    for (int at = 0; at < x->nlist; at++) {
        int i = x->list[at];
        const vgPrim *p = &m->prim[i];
        for (int r = 0; r < p->rows; r++) out[p->row + r] = 0;
        for (int k = 0; k < vg_prim_terms(p); k++) {
            vgTerm e = vg_native_term(x, i, k);
            for (int r = 0; r < p->rows; r++) {
                if (e.a >= 0) out[p->row + r] += e.k * vg_dot_row6(e.ga + 6 * r, xi + 6 * e.a);
                if (e.b >= 0) out[p->row + r] += e.k * vg_dot_row6(e.gb + 6 * r, xi + 6 * e.b);
            }
        }
    }
}

void vg_native_term_stiffness(const vgNative *x, int prim, int term, const double *lambda, double K[144])
{
    const vgPrim *p = &x->model->prim[prim];
    memset(K, 0, 144 * sizeof *K);
    if (p->nterm == 0) {
        vg_prim_stiffness(p, vg_native_kin(x, p->a), vg_native_kin(x, p->b), lambda, K);
    } else {
        const vgMeasure *me = &x->model->measure[p->measure[term]].measure;
        vg_measure_hessian(me, vg_native_kin(x, me->A.body), vg_native_kin(x, me->B.body),
                           vg_native_turn(x, me), lambda[0] * p->k[term], K);
    }
}

static void add_wrench(double out[6], const vgKin *k, const double n[6], vgVec3 about, double sign)
{
    vgVec3 F = vg_scale3(vg_load3(n), sign);
    vgVec3 T = vg_add3(vg_scale3(vg_mv3(k->R, vg_load3(n + 3)), sign), vg_cross3(vg_sub3(k->p, about), F));
    double add[6] = {F.x, F.y, F.z, T.x, T.y, T.z};
    for (int i = 0; i < 6; i++) out[i] += add[i];
}

/* A drive has no frames of its own: it acts between those of the coordinate that it drives. */
vgVec3 vg_native_reaction_point(const vgNative *x, int joint, int *on, double *sign)
{
    const vgModel *m = x->model;
    const vgJoint *j = &m->joint[joint];
    const vgPrim *p = j->nprim == 1 ? &m->prim[j->prim0] : NULL;
    const vgFrame *B = &j->def.B;
    int a = j->a, b = j->b;
    if (a < 0 && b < 0 && p && p->nterm == 1) {
        const vgMeasure *me = &m->measure[p->measure[0]].measure;
        B = &me->B;
        a = me->A.body, b = B->body;
    }
    *on = b >= 0 ? b : a;
    *sign = b >= 0 ? -1 : 1;
    return vg_kin_point(vg_native_kin(x, b), B->r);
}

void vg_native_reaction(const vgNative *x, const double *lambda, int joint, double wrench[6])
{
    const vgModel *m = x->model;
    const vgJoint *j = &m->joint[joint];
    int on;
    double sign;
    vgVec3 about = vg_native_reaction_point(x, joint, &on, &sign);
    memset(wrench, 0, 6 * sizeof *wrench);
    if (on < 0) return;
    for (int i = j->prim0; i < j->prim0 + j->nprim; i++) {
        const vgPrim *p = &m->prim[i];
        double n[6] = {0};
        for (int k = 0; k < vg_prim_terms(p); k++) {
            vgTerm e = vg_native_term(x, i, k);
            for (int r = 0; r < p->rows; r++) {
                if (e.b == on) vg_add_row6(n, e.gb + 6 * r, lambda[p->row + r] * e.k);
                if (e.a == on) vg_add_row6(n, e.ga + 6 * r, lambda[p->row + r] * e.k);
            }
        }
        add_wrench(wrench, &x->kin[on], n, about, sign);
    }
}

void vg_native_accept(const vgNative *x, int evaluated, double *turn)
{
    const vgModel *m = x->model;
    for (int i = 0; i < m->nmeasure; i++) {
        if (!x->work->watch[i] || m->measure[i].measure.turn < 0) continue;
        vgMeasure plain = m->measure[i].measure;
        const vgMeasure *me = &plain;
        if (evaluated && x->used[i] && !plain.ncurve) {
            turn[me->turn] = x->measure[i].value;
            continue;
        }
        plain.ncurve = 0; /* what is remembered is the angle, not its polynomial */
        vgMeasureOut o;
        vg_measure_eval(me, vg_native_kin(x, me->A.body), vg_native_kin(x, me->B.body), turn[me->turn], 0,
                        &o);
        turn[me->turn] = o.value;
    }
}

double vg_native_length(const vgModel *m)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, arm = 0;
    for (int i = 0; i < m->nbody; i++) {
        if (vg_body_is_hidden(&m->body[i])) continue;
        double p[3];
        vg_store3(m->body[i].p0, p);
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], p[k]);
            hi[k] = fmax(hi[k], p[k]);
        }
    }
    for (int i = 0; i < m->nmarker; i++)
        if (m->marker[i].frame.body >= 0) arm = fmax(arm, vg_norm3(m->marker[i].frame.r));
    double size = arm;
    for (int k = 0; k < 3; k++) size = fmax(size, hi[k] - lo[k]);
    return size > VG_NO_EXTENT && isfinite(size) ? size : 1;
}

int vg_native_prim_bodies(const vgModel *m, const vgPrim *p, int out[2 * VG_PRIM_MAX_TERMS])
{
    if (p->nterm == 0) {
        out[0] = p->a;
        out[1] = p->b;
        return 2;
    }
    for (int k = 0; k < p->nterm; k++) {
        out[2 * k] = m->measure[p->measure[k]].measure.A.body;
        out[2 * k + 1] = m->measure[p->measure[k]].measure.B.body;
    }
    return 2 * p->nterm;
}

int vg_native_joint_mirror(const vgModel *m, int joint)
{
    for (int i = 0; joint >= 0 && i < m->joint[joint].nprim; i++)
        if (m->prim[m->joint[joint].prim0 + i].level > 0) return 0;
    return 1;
}

double vg_native_arm(const vgModel *m)
{
    double arm = 0;
    for (int i = 0; i < m->nprim; i++) {
        const vgPrim *p = &m->prim[i];
        if (!vg_prim_is_point(p)) return INFINITY;
        if (p->a >= 0) arm = fmax(arm, vg_norm3(p->ra));
        if (p->b >= 0) arm = fmax(arm, vg_norm3(p->rb));
    }
    return arm;
}

int vg_native_mark(const vgModel *m, const unsigned char *prim, unsigned char *used, int *inertial)
{
    int n = 0;
    for (int i = 0; i < m->nprim; i++)
        for (int k = 0; (!prim || prim[i]) && k < m->prim[i].nterm; k++) used[m->prim[i].measure[k]] = 1;
    for (int f = 0; f < m->nforce; f++) {
        const vgForceSetup *su = &m->force[f].setup;
        for (int k = 0; k < su->nmeasure; k++) used[su->measure[k]] = 1;
        for (int l = 0; l < su->nlaw; l++)
            for (int k = 0; k < su->law[l]->ninput; k++)
                if (su->law[l]->slot[k] >= VG_LAW_LOCAL) used[(su->law[l]->slot[k] - VG_LAW_LOCAL) / 2] = 1;
        *inertial |= su->inertial;
    }
    for (int i = 0; i < m->nmeasure; i++) n += used[i];
    return n;
}

static int largest_force(const vgModel *m)
{
    int n = 1;
    for (int f = 0; f < m->nforce; f++) {
        int nb = m->force[f].setup.nbody + 2 * m->force[f].setup.nmeasure + 2;
        for (int l = 0; l < m->force[f].setup.nlaw; l++) nb += 2 * m->force[f].setup.law[l]->ninput;
        n = nb > n ? nb : n;
    }
    return n < VG_FORCE_MAX_UNION ? n : VG_FORCE_MAX_UNION;
}

int vg_native_has_crowd(const vgModel *m)
{
    for (int f = 0; f < m->nforce; f++)
        if (m->force[f].kind->crowd) return 1;
    return 0;
}

void vg_native_place(vgNative *x, const vgSystem *sys, int nused, const unsigned char *prim, vgArena *a)
{
    const vgModel *m = sys->model;
    int nf = 6 * largest_force(m), rows = !prim || memchr(prim, 1, (size_t)m->nprim);
    x->model = m;
    x->nbody = m->nbody;
    x->kin = VG_TAKE(a, vgKin, m->nbody + 1);
    x->prim = VG_TAKE(a, vgPrimOut, rows ? m->nprim + 1 : 1);
    x->measure = VG_TAKE(a, vgMeasureOut, nused ? m->nmeasure + 1 : 1);
    x->list = VG_TAKE(a, int, rows ? m->nprim + 1 : 1);
    x->fl = VG_TAKE(a, double, nf);
    x->Kl = VG_TAKE(a, double, nf *nf);
    x->Cl = VG_TAKE(a, double, nf *nf);
    x->Ml = VG_TAKE(a, double, nf *nf);
    x->Dl = VG_TAKE(a, double, 3 * nf * nf + (nf + 4) * VG_FORCE_MAX_LAWS * VG_LAW_MAX_INPUTS);
    x->fast = sys->fast;
    vg_fours_place(&x->fours, m, (x->fast & VG_FAST_FOURS) != 0, a);
    vg_rods_place(&x->rods, m, prim, (x->fast & VG_FAST_RODS) != 0, a);
    x->crowd = vg_native_has_crowd(m) ? VG_TAKE(a, void *, m->nforce) : NULL;
    for (int f = 0; f < m->nforce; f++) {
        if (!m->force[f].kind->crowd) continue;
        void *scratch = m->force[f].kind->crowd->scratch(m->force[f].def, a);
        if (x->crowd) x->crowd[f] = scratch;
    }
    int laws = 0;
    for (int i = 0; i < m->nprim; i++) laws |= m->prim[i].law != NULL;
    x->law = laws && rows ? VG_TAKE(a, vgLawAt, m->nprim) : NULL;
}

void vg_native_start(vgNative *x, vgWork *work, const unsigned char *used, int nused,
                     const unsigned char *prim)
{
    x->work = work;
    x->used = used;
    x->nused = nused;
    x->nlist = 0;
    x->alone.gravity = x->model->gravity;
    for (int i = 0; i < x->model->nprim; i++)
        if (!prim || prim[i]) x->list[x->nlist++] = i;
    vg_rods_start(&x->rods, x->model, prim, (x->fast & VG_FAST_RODS) != 0);
    for (int i = 0; i <= x->nbody; i++) x->kin[i].R = vg_eye3();
}

/* Of the six columns of a body, with the point or direction on it that the row is about `arm` away. */
static double side_terms(const vgNative *x, int body, const double *row, double arm)
{
    const vgKin *k = vg_native_kin(x, body);
    return fabs(row[0]) * (fabs(k->p.x) + arm) + fabs(row[1]) * (fabs(k->p.y) + arm) +
           fabs(row[2]) * (fabs(k->p.z) + arm) + fabs(row[3]) + fabs(row[4]) + fabs(row[5]);
}

double vg_native_row_terms(vgNative *x, double t, int joint, int row)
{
    const vgModel *m = x->model;
    const vgJoint *jo = &m->joint[joint];
    double sum = 0;
    int i = jo->prim0;
    while (i + 1 < jo->prim0 + jo->nprim && m->prim[i + 1].row <= row) i++;
    const vgPrim *p = &m->prim[i];
    if (p->nterm == 0) {
        vg_native_prim(x, i, t, VG_PRIM_VALUE | VG_PRIM_GRADIENT);
        const vgPrimOut *o = &x->prim[i];
        return fabs(p->c) + side_terms(x, p->a, o->Ba[row - p->row], vg_norm3(p->ra)) +
               side_terms(x, p->b, o->Bb[row - p->row], vg_norm3(p->rb));
    }
    for (int e = 0; e < p->nterm; e++) {
        const vgMeasure *me = &m->measure[p->measure[e]].measure;
        const vgMeasureOut *o = &x->measure[p->measure[e]];
        sum += fabs(p->k[e]) * (fabs(o->value) + side_terms(x, me->A.body, o->grad, vg_norm3(me->A.r)) +
                                side_terms(x, me->B.body, o->grad + 6, vg_norm3(me->B.r)));
    }
    return sum;
}

/* Nodes of flexible bodies and stations of beams have no mass, they are held by rows: a zero block on the
 * diagonal, which only pivoting over the whole matrix can eliminate. */
vgLinBackend vg_native_backend(const vgModel *m)
{
    if (m->nstation > 0) return VG_LIN_SPARSE;
    for (int i = 0; i < m->nmodal; i++)
        for (int k = 0; k < m->modal[i].data->nnode; k++)
            if (m->modal[i].node[k] >= 0) return VG_LIN_SPARSE;
    return VG_LIN_AUTO;
}
