/* Natural coordinates: assembly and solution of the stage matrix
 *     S = [ M + C Q + (1/ca) K    Gᵀ ]
 *         [ G                     0  ]
 * M is constant, the second derivatives of the rows by atoms are constant blocks times multipliers. What
 * elements do comes through the native maps of natural/eval.c, written for the nodes of a body:
 *     P = A(e) W,   Q = (cv/ca) P − (1/ca) A(ė) W,   N = P − (1/ca) A(ë) W
 * A body with little inertia along one of its vectors (flat, thin) gets σ GᵀG of its rigidity rows added to
 * its inertia, and the right side σ Gᵀ times theirs: the solution is the same, its blocks are regular. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "system/natural/natural.h"
#include "system/pieces.h"

typedef struct Coef {
    double c1, c2, one; /* cv/ca, 1/ca, 1 (static: 0, 1, 0) */
} Coef;

static inline void add_spot(vgSpot at, int dim, vgWeight m)
{
    double *p = at.p;
    p[0] += m.re;
    if (dim == 1) return;
    p[1] -= m.im;
    p[at.ld] += m.im;
    p[at.ld + 1] += m.re;
    if (dim == 3) p[2 * at.ld + 2] += m.re;
}

static void add_mass(const vgNat *s, vgNatMatrix *m)
{
    for (int i = 0; i < s->nmass; i++) {
        const vgNatMass *e = &s->mass[i];
        add_spot(m->mass[2 * i], s->node[e->a].dim, e->m);
        if (e->a != e->b) add_spot(m->mass[2 * i + 1], s->node[e->a].dim, vg_conj(e->m));
    }
}

static void add_gradients(const vgNatWork *w, vgNatMatrix *m)
{
    for (int i = 0; i < m->ngrad; i++) {
        const vgNatGrad *g = &m->grad[i];
        vgVec3 x = vg_weigh(g->w, w->x[g->atom]);
        g->p[0] += g->s * x.x;
        if (g->dim > 1) g->p[1] += g->s * x.y;
        if (g->dim > 2) g->p[2] += g->s * x.z;
    }
}

static void add_constants(vgNatMatrix *m)
{
    for (int i = 0; i < m->nconst; i++) *m->fixed[i].p += m->fixed[i].value;
}

static void add_stiffness(vgNatMatrix *m, const double *lambda, double c2)
{
    for (int i = 0; i < m->nstiff; i++) {
        const vgNatStiff *k = &m->stiff[i];
        double l = c2 * lambda[k->row];
        if (l != 0) add_spot(k->spot, k->dim, (vgWeight){l * k->m.re, l * k->m.im});
    }
}

/* Bodies without inertia of their own (nodes of beams) take what their elements gave to the blocks. */
static double mean_diagonal(const vgNat *s, const vgNatStiffen *k)
{
    double sum = 0;
    int n = 0;
    for (int x = 0; x < k->n; x++)
        for (int r = 0; r < s->node[k->node[x]].dim; r++, n++)
            sum += fabs(k->spot[x][x].p[r * k->spot[x][x].ld + r]);
    return sum > 0 ? sum / n : 1;
}

static void add_stiffening(const vgNat *s, vgNatMatrix *m)
{
    for (int i = 0; i < m->nstiffen; i++) {
        vgNatStiffen *k = &m->stiffen[i];
        k->now = k->sigma > 0 ? k->sigma : -k->sigma * mean_diagonal(s, k);
    }
    for (int i = 0; i < m->nstiffen; i++) {
        const vgNatStiffen *k = &m->stiffen[i];
        for (int x = 0; x < k->n; x++)
            for (int y = 0; y < k->n; y++) {
                double *p = k->spot[x][y].p;
                int ld = k->spot[x][y].ld, dx = s->node[k->node[x]].dim, dy = s->node[k->node[y]].dim;
                for (int r = 0; r < dx; r++)
                    for (int c = 0; c < dy; c++) p[r * ld + c] += k->now * k->g[x][r] * k->g[y][c];
            }
    }
}

/* ---- native maps ---- */

/* Rows 3..5 of a 6 × 3n map += f A(u) W, rows 0..2 += f W_0. */
static void add_map(const vgNatBody *b, const vgVec3 *u, double linear, double f, double *out)
{
    int ld = 3 * b->n;
    for (int k = 0; k < b->n; k++) {
        if (b->item[k].node < 0) continue;
        double *o = out + 3 * k;
        vgWeight w = b->W[0][k];
        o[0] += linear * w.re, o[1] -= linear * w.im;
        o[ld] += linear * w.im, o[ld + 1] += linear * w.re;
        o[2 * ld + 2] += linear * w.re;
        if (b->ny == 2) { /* row 5: (−u_y, u_x) times the matrix of the weight */
            vgVec3 g = vg_weigh(vg_conj(b->W[1][k]), vg_v3(-u[1].y, u[1].x, 0));
            o[5 * ld] += f * g.x, o[5 * ld + 1] += f * g.y;
        } else if (b->ny == 4) {
            double w1 = 0.5 * f * b->W[1][k].re, w2 = 0.5 * f * b->W[2][k].re, w3 = 0.5 * f * b->W[3][k].re;
            vgVec3 g[3] = {vg_axpy3(w2, u[3], vg_scale3(u[2], -w3)), vg_axpy3(w3, u[1], vg_scale3(u[3], -w1)),
                           vg_axpy3(w1, u[2], vg_scale3(u[1], -w2))};
            for (int i = 0; i < 3; i++) {
                o[(3 + i) * ld] += g[i].x;
                o[(3 + i) * ld + 1] += g[i].y;
                o[(3 + i) * ld + 2] += g[i].z;
            }
        }
    }
}

static void rate_frame(const vgNatBody *b, const vgVec3 *x, vgVec3 y[4])
{
    for (int i = 0; i < b->ny; i++) {
        y[i] = vg_zero3();
        for (int k = 0; k < b->n; k++)
            if (b->item[k].node >= 0) y[i] = vg_add3(y[i], vg_weigh(b->W[i][k], x[b->item[k].node]));
    }
}

static void make_maps(const vgNat *s, vgNatWork *w, const Coef *co, int from, int to)
{
    for (int i = from; i < to; i++) {
        const vgNatBody *b = &s->body[i];
        vgNatMaps *m = &w->maps[i];
        size_t bytes = (size_t)(18 * b->n) * sizeof(double);
        vgVec3 y[4], d[4];
        if (!b->needed) continue;
        memset(w->own + 108 * i, 0, 108 * sizeof(double));
        memset(m->P, 0, bytes);
        vg_nat_axes(b, w->xn, y);
        add_map(b, y, 1, 1, m->P);
        for (int k = 0; k < 18 * b->n; k++) {
            m->Q[k] = co->c1 * m->P[k];
            m->N[k] = co->one * m->P[k];
        }
        if (b->ny == 1 || co->c2 == 0) continue;
        rate_frame(b, w->vn, d);
        add_map(b, d, 0, -co->c2, m->Q);
        if (!w->have_a) continue;
        rate_frame(b, w->an, d);
        add_map(b, d, 0, -co->c2, m->N);
    }
}

/* spots (nodes of u × nodes of v) += sign P_uᵀ (c2 K P_v + C Q_v + M N_v); native blocks of leading dimension
 * ld, NULL: absent. */
static void add_native(const vgNat *s, const vgNatWork *w, const vgSpot *spot, int ldspot, int u, int v,
                       const Coef *co, const double *K, const double *C, const double *M, int ld, double sign)
{
    const vgNatBody *bu = &s->body[u], *bv = &s->body[v];
    const vgNatMaps *mu = &w->maps[u], *mv = &w->maps[v];
    int nu = 3 * bu->n, nv = 3 * bv->n;
    double X[72];
    memset(X, 0, sizeof X);
    for (int r = 0; r < 6; r++)
        for (int k = 0; k < 6; k++) {
            double kk = K ? sign * co->c2 * K[r * ld + k] : 0, cc = C ? sign * C[r * ld + k] : 0,
                   mm = M ? sign * M[r * ld + k] : 0;
            if (kk == 0 && cc == 0 && mm == 0) continue;
            for (int j = 0; j < nv; j++)
                X[r * nv + j] += kk * mv->P[k * nv + j] + cc * mv->Q[k * nv + j] + mm * mv->N[k * nv + j];
        }
    for (int a = 0; a < bu->n; a++)
        for (int b = 0; b < bv->n; b++) {
            vgSpot at = spot[a * ldspot + b];
            if (!at.p) continue;
            int da = s->node[bu->item[a].node].dim, db = s->node[bv->item[b].node].dim;
            for (int i = 0; i < da; i++)
                for (int j = 0; j < db; j++) {
                    double sum = 0;
                    for (int r = 0; r < 6; r++) sum += mu->P[r * nu + 3 * a + i] * X[r * nv + 3 * b + j];
                    at.p[i * at.ld + j] += sum;
                }
        }
}

/* The torque τ (native residual) stays while the axes turn: ∂(A(e)ᵀτ)/∂e. */
static void add_turning(const vgNat *s, const vgNatWork *w, vgNatMatrix *m, double c2, int from, int to)
{
    for (int i = from; i < to; i++) {
        const vgNatBody *b = &s->body[i];
        const double *t = w->native + 6 * i + 3;
        if (!b->needed || b->ny == 1) continue;
        vgWeight D[4][4];
        memset(D, 0, sizeof D);
        if (b->ny == 2) {
            D[1][1].im = c2 * t[2];
        } else {
            double h = 0.5 * c2;
            D[2][3].re = h * t[0], D[3][2].re = -h * t[0];
            D[3][1].re = h * t[1], D[1][3].re = -h * t[1];
            D[1][2].re = h * t[2], D[2][1].re = -h * t[2];
        }
        for (int k = 0; k < b->n; k++)
            for (int l = 0; l < b->n; l++) {
                vgSpot at = m->own[16 * i + 4 * k + l];
                vgWeight sum = {0, 0};
                if (!at.p) continue;
                for (int x = 1; x < b->ny; x++)
                    for (int y = 1; y < b->ny; y++) {
                        vgWeight z =
                            vg_weight_times(vg_conj(b->W[x][k]), vg_weight_times(D[x][y], b->W[y][l]));
                        sum.re += z.re, sum.im += z.im;
                    }
                add_spot(at, s->node[b->item[k].node].dim, sum);
            }
    }
}

/* What elements do on one body is summed natively and mapped once. */
static void sum_own(vgNatWork *w, int body, int which, const double *K, int ld, double sign)
{
    double *out = w->own + 108 * body + 36 * which;
    for (int r = 0; r < 6; r++)
        for (int k = 0; k < 6; k++) out[6 * r + k] += sign * K[r * ld + k];
}

static void add_own(const vgNat *s, const vgNatWork *w, vgNatMatrix *m, const Coef *co, int from, int to)
{
    for (int i = from; i < to; i++) {
        const double *K = w->own + 108 * i;
        if (s->body[i].needed)
            add_native(s, w, m->own + 16 * i, 4, i, i, co, co->c2 > 0 ? K : NULL,
                       co->c1 > 0 || co->c2 > 0 ? K + 36 : NULL,
                       s->any_inertial && co->one > 0 ? K + 72 : NULL, 6, 1);
    }
}

static void add_forces(const vgNat *s, vgNatWork *w, vgNatMatrix *m, const Coef *co, double t, int from,
                       int to)
{
    const vgModel *mo = s->base.model;
    const vgNative *x = &w->motion;
    for (int f = from; f < to; f++) {
        const vgForcePlace *pl = &m->force[f];
        if (pl->nu == 0) continue;
        vg_native_force_local(&w->motion, f, t, 1);
        int ld = 6 * pl->nu, inertial = mo->force[f].setup.inertial && co->one > 0;
        for (int u = 0; u < pl->nu; u++)
            for (int v = 0; v < pl->nu; v++) {
                int at = 6 * u * ld + 6 * v, bu = pl->body[u], bv = pl->body[v];
                if (u == v) {
                    sum_own(w, bu, 0, x->Kl + at, ld, -1);
                    sum_own(w, bu, 1, x->Cl + at, ld, -1);
                    if (inertial) sum_own(w, bu, 2, x->Ml + at, ld, 1);
                    continue;
                }
                const vgSpot *spot = m->force_spot[f] + 16 * u * pl->nu + 4 * v;
                if (co->c1 > 0 || co->c2 > 0)
                    add_native(s, w, spot, 4 * pl->nu, bu, bv, co, x->Kl + at, x->Cl + at, NULL, ld, -1);
                if (inertial) add_native(s, w, spot, 4 * pl->nu, bu, bv, co, NULL, NULL, x->Ml + at, ld, 1);
            }
    }
}

/* ---- rows that are not made of atoms ---- */

static void put_row(const vgNat *s, const vgNatSide *sd, int r, const double *row, const double *map,
                    double scale, int column)
{
    const vgNatBody *b = &s->body[sd->body];
    int n = 3 * b->n;
    for (int k = 0; k < b->n; k++) {
        if (!sd->row[k]) continue;
        for (int d = 0; d < s->node[b->item[k].node].dim; d++) {
            double sum = 0;
            for (int i = 0; i < 6; i++) sum += row[i] * map[i * n + 3 * k + d];
            if (!column)
                sd->row[k][r * sd->ldrow[k] + d] += scale * sum;
            else if (sd->col[k])
                sd->col[k][d * sd->ldcol + r] += scale * sum;
        }
    }
}

static void add_native_rows(const vgNat *s, vgNatWork *w, vgNatMatrix *m, const Coef *co)
{
    const vgModel *mo = s->base.model;
    for (int at = 0; at < w->motion.nlist; at++) {
        int i = w->motion.list[at];
        const vgPrim *p = &mo->prim[i];
        const vgNatPlace *pl = &m->place[i];
        for (int k = 0; k < pl->nside && pl->nrow; k++) {
            const vgNatSide *sd = &pl->side[k];
            if (sd->body < 0) continue;
            const vgNatMaps *maps = &w->maps[sd->body];
            int rates = p->level == 1 && co->c1 > 0;
            const double *map = rates ? maps->Q : p->level == 2 && co->one > 0 ? maps->N : maps->P;
            vgTerm e = vg_native_term(&w->motion, i, k / 2);
            for (int r = 0; r < pl->nrow; r++) {
                double row[6];
                const double *g = (k % 2 ? e.gb : e.ga) + 6 * pl->from[r];
                for (int j = 0; j < 6; j++) row[j] = e.k * g[j];
                put_row(s, sd, r, row, map, rates ? 1 / co->c1 : 1, 0);
                put_row(s, sd, r, row, maps->P, 1, 1);
            }
        }
    }
}

static void add_native_stiffness(const vgNat *s, vgNatWork *w, vgNatMatrix *m, const Coef *co,
                                 const double *lambda)
{
    const vgModel *mo = s->base.model;
    for (int at = 0; at < w->motion.nlist; at++) {
        int i = w->motion.list[at];
        const vgPrim *p = &mo->prim[i];
        const double *l = lambda + s->model_row[p->row];
        double K[144];
        for (int k = 0; k < vg_prim_terms(p); k++) {
            vgTerm e = vg_native_term(&w->motion, i, k);
            const int ab[2] = {e.a, e.b};
            vg_native_term_stiffness(&w->motion, i, k, l, K);
            for (int a = 0; a < 2; a++)
                for (int b = 0; b < 2; b++) {
                    if (ab[a] < 0 || ab[b] < 0) continue;
                    if (a == b)
                        sum_own(w, ab[a], 0, K + 78 * a, 12, 1);
                    else if (m->place[i].cross)
                        add_native(s, w, m->place[i].cross + 32 * k + 16 * a, 4, ab[a], ab[b], co,
                                   K + 72 * a + 6 * b, NULL, NULL, 12, 1);
                }
        }
    }
}

/* ---- factor and solve ---- */

/* Which equation a failed factorisation means. */
static vgStatus conclude(vgNatWork *w, vgNatMatrix *m, int nv, vgStatus st)
{
    w->base.bad_row = -1;
    w->solve_with = m;
    if (st == VG_OK) return st;
    int bad = vg_lin_bad_row(m->lin);
    if (bad >= 0 && m->row_of[bad] >= 0) w->base.bad_row = nv + m->row_of[bad];
    for (int i = 0; bad >= 0 && w->base.bad_row < 0 && i < nv; i++)
        if (m->v_at[i] == bad) w->base.bad_row = i;
    return st;
}

static vgStatus finish(vgNatWork *w, vgNatMatrix *m, int nv)
{
    w->base.factorisations++;
    vg_lin_leave_out(m->lin, w->base.sys->nl, m->row_at, w->base.active);
    return conclude(w, m, nv, vg_lin_factor(m->lin));
}

/* Values that every matrix begins with. */
vgStatus vg_nat_constant(const vgNat *s, vgNatMatrix *m)
{
    size_t n;
    double *values = vg_lin_values(m->lin, &n);
    m->constant = malloc((n + 1) * sizeof *values);
    if (!m->constant) return VG_NO_MEMORY;
    memset(values, 0, n * sizeof *values);
    add_mass(s, m);
    add_constants(m);
    memcpy(m->constant, values, n * sizeof *values);
    return VG_OK;
}

static void begin(vgNatMatrix *m, int with_mass)
{
    size_t n;
    double *values = vg_lin_values(m->lin, &n);
    if (with_mass) {
        memcpy(values, m->constant, n * sizeof *values);
    } else {
        memset(values, 0, n * sizeof *values);
        add_constants(m);
    }
}

/* The matrix of the tangent at the motion last evaluated, without the stiffening that makes M regular. */
static vgStatus fill(const vgNat *s, vgNatWork *w, const vgTangent *p, vgNatMatrix **out)
{
    vgNatMatrix *m = *out = &w->main;
    Coef co = p->ca > 0 ? (Coef){p->cv / p->ca, 1 / p->ca, 1} : (Coef){0, 1, 0};
    if (p->exact) {
        if (!w->exact.lin) {
            vgStatus st = vg_nat_matrix_new(s, 1, &w->exact);
            if (st != VG_OK) return st;
        }
        m = *out = &w->exact;
    }
    if (!p->reuse) vg_nat_residual(&s->base, &w->base, p->t, p->q, p->v, p->a, p->lambda, w->scratch_r, NULL);
    begin(m, co.one > 0);
    add_gradients(w, m);
    add_stiffness(m, p->lambda, co.c2);
    if (s->base.model->nforce || s->any_native) {
        make_maps(s, w, &co, 0, s->nbody);
        add_turning(s, w, m, co.c2, 0, s->nbody);
        add_forces(s, w, m, &co, p->t, 0, s->base.model->nforce);
        if (s->any_native) {
            vg_native_prims(&w->motion, p->t, VG_PRIM_GRADIENT);
            add_native_rows(s, w, m, &co);
            add_native_stiffness(s, w, m, &co, p->lambda);
        }
        add_own(s, w, m, &co, 0, s->nbody);
    }
    return VG_OK;
}

static void fill_mass(const vgNat *s, vgNatWork *w, double t, int rows)
{
    vgNatMatrix *m = &w->main;
    Coef co = {0, 0, 1};
    begin(m, !rows);
    add_gradients(w, m);
    if (s->any_native || s->any_inertial) make_maps(s, w, &co, 0, s->nbody);
    if (s->any_inertial && !rows) {
        add_forces(s, w, m, &co, t, 0, s->base.model->nforce);
        add_own(s, w, m, &co, 0, s->nbody);
    }
    if (s->any_native) add_native_rows(s, w, m, &co);
}

vgStatus vg_nat_factor(const vgSystem *sys, vgWork *work, const vgTangent *p)
{
    vgNatMatrix *m;
    vgStatus st = fill((const vgNat *)sys, (vgNatWork *)work, p, &m);
    if (st != VG_OK) return st;
    add_stiffening((const vgNat *)sys, m);
    return finish((vgNatWork *)work, m, sys->nv);
}

vgStatus vg_nat_assemble(const vgSystem *sys, vgWork *work, const vgTangent *p, vgSaddle *out)
{
    const vgNat *s = (const vgNat *)sys;
    vgNatWork *w = (vgNatWork *)work;
    vgNatMatrix *m = &w->main;
    vgStatus st = VG_OK;
    if (p && p->mass) {
        if (!p->reuse) vg_nat_residual(sys, work, p->t, p->q, p->v, p->a, p->lambda, w->scratch_r, NULL);
        if (s->any_native) vg_native_prims(&w->motion, p->t, VG_PRIM_GRADIENT);
        fill_mass(s, w, p->t, p->rows);
    } else if (p) {
        st = fill(s, w, p, &m);
    }
    *out = (vgSaddle){m->lin, m->v_at, m->row_at};
    return st;
}

/* ---- in pieces ---- */

enum { MOTION, WRENCH, BEGIN, MAPS, FORCE, NATIVE, OWN };

static vgTasks tasks(const vgNat *s, const vgNatWork *w)
{
    int nforce = s->base.model->nforce, native = nforce || s->any_native, bodies = native ? s->nbody : 0;
    double rows = w->motion.nlist;
    return (vgTasks){
        .n = {[MOTION] = 1,
              [WRENCH] = nforce,
              [BEGIN] = 1,
              [MAPS] = bodies,
              [FORCE] = nforce,
              [NATIVE] = s->any_native != 0,
              [OWN] = bodies},
        .cost = {[MOTION] = 200. * s->nbody,
                 [BEGIN] = 50 + 2. * w->main.ngrad + 3. * w->main.nstiff,
                 [MAPS] = 500,
                 [NATIVE] = 1200 * rows,
                 [OWN] = 870},
    };
}

/* Elements by the bodies they touch. */
static void refine(const vgNat *s, const vgNatWork *w, const vgTasks *x, double *cost)
{
    int wrench = vg_tasks_first(x, WRENCH), force = vg_tasks_first(x, FORCE);
    for (int f = 0; f < s->base.model->nforce; f++) {
        int nu = w->main.force[f].nu;
        cost[wrench + f] = 20 + 80 * nu;
        cost[force + f] = 40 + 150 * nu + 500 * nu * nu;
    }
}

int vg_nat_pieces(const vgSystem *sys, const vgWork *work, double *cost, int *assembled)
{
    const vgNatWork *w = (const vgNatWork *)work;
    vgTasks x = tasks((const vgNat *)sys, w);
    int n = vg_tasks_count(&x, cost);
    if (cost) refine((const vgNat *)sys, w, &x, cost);
    if (assembled) *assembled = n;
    return n + vg_lin_pieces(w->main.lin, cost ? cost + n : NULL);
}

vgStatus vg_nat_piece(const vgSystem *sys, vgWork *work, const vgTangent *p, int i)
{
    const vgNat *s = (const vgNat *)sys;
    vgNatWork *w = (vgNatWork *)work;
    vgNatMatrix *m = &w->main;
    Coef co = p->ca > 0 ? (Coef){p->cv / p->ca, 1 / p->ca, 1} : (Coef){0, 1, 0};
    vgTasks x = tasks(s, w);
    int k, task = vg_tasks_find(&x, i, &k), native = sys->model->nforce || s->any_native;
    if (task == MOTION && !p->reuse) {
        vg_nat_motion(s, w, p->q, p->v, p->a);
        if (native) vg_nat_native_begin(s, w);
    } else if (task == WRENCH && !p->reuse) {
        vg_native_subtract_force(&w->motion, k, p->t, w->native);
    } else if (task == BEGIN) {
        if (native && !p->reuse) vg_nat_native_end(s, w, p->t, p->lambda, NULL);
        w->base.factorisations++;
        begin(m, co.one > 0);
        add_gradients(w, m);
        add_stiffness(m, p->lambda, co.c2);
    } else if (task == MAPS) {
        make_maps(s, w, &co, k, k + 1);
        add_turning(s, w, m, co.c2, k, k + 1);
    } else if (task == FORCE) {
        add_forces(s, w, m, &co, p->t, k, k + 1);
    } else if (task == NATIVE) {
        vg_native_prims(&w->motion, p->t, VG_PRIM_GRADIENT);
        add_native_rows(s, w, m, &co);
        add_native_stiffness(s, w, m, &co, p->lambda);
    } else if (task == OWN) {
        add_own(s, w, m, &co, k, k + 1);
    } else if (task < 0) {
        if (k == 0) add_stiffening(s, m);
        if (k == 0) vg_lin_leave_out(m->lin, sys->nl, m->row_at, work->active);
        return conclude(w, m, sys->nv, vg_lin_piece(m->lin, k));
    }
    return VG_OK;
}

/* [M Gᵀ; G 0] at the motion last evaluated (and the native gradients there): accelerations, projections. */
vgStatus vg_nat_factor_mass(const vgNat *s, vgNatWork *w, double t)
{
    fill_mass(s, w, t, 0);
    add_stiffening(s, &w->main);
    return finish(w, &w->main, s->base.nv);
}

static void solve_by(const vgSystem *sys, vgWork *work, void (*solve)(vgLin *, double *), double *x_v,
                     double *x_l)
{
    const vgNat *s = (const vgNat *)sys;
    vgNatWork *w = (vgNatWork *)work;
    vgNatMatrix *m = w->solve_with;
    double *x = m->x;
    for (int i = 0; i < sys->nv; i++) x[m->v_at[i]] = x_v[i];
    for (int r = 0; r < sys->nl; r++)
        if (m->row_at[r] >= 0) x[m->row_at[r]] = x_l[r];
    for (int i = 0; i < m->nstiffen; i++) {
        const vgNatStiffen *k = &m->stiffen[i];
        for (int a = 0; a < k->n; a++) {
            const vgNatNode *node = &s->node[k->node[a]];
            for (int d = 0; d < node->dim; d++) x[m->v_at[node->at + d]] += k->now * k->g[a][d] * x_l[k->row];
        }
    }
    solve(m->lin, x);
    for (int i = 0; i < sys->nv; i++) x_v[i] = x[m->v_at[i]];
    for (int r = 0; r < sys->nl; r++) x_l[r] = m->row_at[r] >= 0 ? x[m->row_at[r]] : 0;
}

void vg_nat_solve(const vgSystem *sys, vgWork *work, double *x_v, double *x_l)
{
    solve_by(sys, work, work->refined ? vg_lin_solve_refined : vg_lin_solve, x_v, x_l);
}

void vg_nat_solve_at_once(const vgSystem *sys, vgWork *work, double *x_v, double *x_l)
{
    solve_by(sys, work, vg_lin_solve_at_once, x_v, x_l);
}
