/* Absolute coordinates: assembly and solution of the stage matrix
 *     S = [ M N + C Q + (1/ca) K P    PᵀBᵀ ]
 *         [ B P                        0   ]
 * in the coordinates' own unknowns; P, Q, N as in absolute.h. For `simple` charts P = I, Q = c1 diag(I,V),
 * N = diag(I,V), and only the rotational 3×3 V matters. */
#include "system/absolute/absolute.h"
#include "system/absolute/sweep.h"

#include <string.h>

#include "linalg/loose.h"

typedef struct Coef {
    double c1, c2, one; /* cv/ca, 1/ca, 1 (static: 0, 1, 0) */
} Coef;

static Coef coefficients(const vgTangent *p)
{
    return p->ca > 0 ? (Coef){p->cv / p->ca, 1 / p->ca, 1} : (Coef){0, 1, 0};
}

/* A body as the assembly sees it: where native columns go and how. */
typedef struct Column {
    const vgAbsBody *b;
    const vgMat3 *V;         /* simple and rotating, NULL: identity */
    const vgChartMaps *maps; /* not simple */
    int nv;
    int split; /* with maps: translations map to themselves (VG_FAST_SPLIT) */
} Column;

static int has_maps(const vgAbsBody *b)
{
    return b->rotates && !b->chart->simple;
}

static Column column_of(const vgAbs *s, const vgAbsWork *w, const vgMat3 *V, int native, int body)
{
    const vgAbsBody *b = &s->body[body];
    Column c = {b, NULL, NULL, native ? b->select.n : b->nv, 0};
    if (native || !b->rotates) return c;
    if (b->chart->simple)
        c.V = V;
    else
        c.maps = &w->maps[body], c.split = b->chart->split && (s->base.fast & VG_FAST_SPLIT);
    return c;
}

/* block (ni × nj) += P_iᵀ (c2 K P_j + C Q_j + M N_j) for native 6×6 K, C, M with leading dimension ld; NULL:
 * absent. */
static void add_mapped(double *block, const Column *ci, const Column *cj, const Coef *co, const double *K,
                       const double *C, const double *M, int ld, double sign)
{
    double X[48]; /* 6 × nj */
    int nj = cj->nv, ni = ci->nv;
    memset(X, 0, sizeof X);
    for (int r = 0; r < 6; r++) {
        double simple[6] = {0}; /* of a simple chart: its rotational columns go through V */
        for (int k = 0; k < 6; k++) {
            double kk = K ? co->c2 * K[r * ld + k] : 0, cc = C ? C[r * ld + k] : 0,
                   mm = M ? M[r * ld + k] : 0;
            simple[k] = co->c1 * cc + mm;
            if (!cj->maps || (kk == 0 && cc == 0 && mm == 0)) continue;
            const vgChartMaps *mp = cj->maps;
            for (int j = 0; j < nj; j++)
                X[r * nj + j] += kk * mp->P[k * nj + j] + cc * mp->Q[k * nj + j] + mm * mp->N[k * nj + j];
        }
        if (cj->maps) continue;
        if (cj->V) vg_store3(vg_mtv3(*cj->V, vg_load3(simple + 3)), simple + 3);
        for (int j = 0; j < nj; j++) {
            int k = cj->b->select.at[j];
            X[r * nj + j] = simple[k] + (K ? co->c2 * K[r * ld + k] : 0);
        }
    }
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++) {
            double sum = 0;
            if (ci->maps)
                for (int r = 0; r < 6; r++) sum += ci->maps->P[r * ni + i] * X[r * nj + j];
            else
                sum = X[ci->b->select.at[i] * nj + j];
            block[i * nj + j] += sign * sum;
        }
}

/* The same for simple charts: the rotational columns go through V. */
static void add_simple(double *block, const Column *ci, const Column *cj, const Coef *co, const double *K,
                       const double *C, const double *M, int ld, double sign)
{
    const int ni = ci->nv, nj = cj->nv;
    const double c1 = sign * co->c1,
                 c2 = sign * co->c2; /* the compiler does not know that `to` leaves co alone */
    const vgMat3 *V = C || M ? cj->V : NULL;
    for (int i = 0; i < ni; i++) {
        const int row = ci->b->select.at[i] * ld;
        double *to = block + i * nj, x[6] = {0};
        if (C)
            for (int k = 0; k < 6; k++) x[k] = c1 * C[row + k];
        if (M)
            for (int k = 0; k < 6; k++) x[k] += sign * M[row + k];
        if (V) vg_store3(vg_mtv3(*V, vg_load3(x + 3)), x + 3);
        if (K)
            for (int k = 0; k < 6; k++) x[k] += c2 * K[row + k];
        if (nj == 6)
            for (int k = 0; k < 6; k++) to[k] += x[k];
        else
            for (int j = 0; j < nj; j++) to[j] += x[cj->b->select.at[j]];
    }
}

static void add_block(double *block, const Column *ci, const Column *cj, const Coef *co, const double *K,
                      const double *C, const double *M, int ld, double sign)
{
    if (ci->maps || cj->maps)
        add_mapped(block, ci, cj, co, K, C, M, ld, sign);
    else
        add_simple(block, ci, cj, co, K, C, M, ld, sign);
}

/* Inertia of body i: M = diag(m, J), C = [w]J − [Jw] on the rotation. Bodies with maps: add_own(). */
static void add_inertia(double *D, const Column *c, const vgKin *k, const Coef *co)
{
    const vgAbsBody *b = c->b;
    int n = c->nv;
    if (!b->rotates) {
        for (int i = 0; i < n; i++) D[i * n + i] += co->one * (b->select.at[i] < 3 ? b->mass : b->J.m[2][2]);
        return;
    }
    if (c->maps) return;
    vgMat3 gyro = vg_msub3(vg_mm3(vg_skew3(k->w), b->J), vg_skew3(vg_mv3(b->J, k->w)));
    vgMat3 X = vg_madd3(vg_mscale3(b->J, co->one), vg_mscale3(gyro, co->c1));
    if (c->V) X = vg_mm3(X, *c->V);
    for (int i = 0; i < 3; i++) {
        D[i * n + i] += co->one * b->mass;
        for (int j = 0; j < 3; j++) D[(3 + i) * n + 3 + j] += X.m[i][j];
    }
}

/* As above for a body with maps, with the geometric stiffness K of its constraints (6×6, NULL: none). */
static void add_own(double *D, const Column *c, const vgKin *k, const Coef *co, const double *K)
{
    const vgAbsBody *b = c->b;
    vgMat3 gyro = vg_msub3(vg_mm3(vg_skew3(k->w), b->J), vg_skew3(vg_mv3(b->J, k->w)));
    if (c->split) {
        vg_abs_add_split(b, c->maps, &gyro, K, co->c2, co->one, D);
        return;
    }
    double M[36] = {0}, C[36] = {0};
    for (int i = 0; i < 3; i++) M[i * 7] = b->mass;
    vg_mput3(b->J, M + 21, 6);
    vg_mput3(gyro, C + 21, 6);
    add_mapped(D, c, c, co, K, C, M, 6, 1);
}

/* dst += a native row through `map` (6 × nv; NULL: the columns it selects); entries of dst are stride apart.
 */
static void put_row(double *dst, int stride, const Column *c, const double *row, const double *map)
{
    int n = c->nv;
    if (map && c->split) {
        for (int j = 0; j < 3; j++) dst[j * stride] += row[j];
        map += 3 * n;
        for (int j = 3; j < n; j++)
            dst[j * stride] += row[3] * map[j] + row[4] * map[n + j] + row[5] * map[2 * n + j];
    } else if (map) {
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < 6; k++) sum += row[k] * map[k * n + j];
            dst[j * stride] += sum;
        }
    } else if (n == 6) {
        for (int j = 0; j < 6; j++) dst[j * stride] += row[j];
    } else {
        for (int j = 0; j < n; j++) dst[j * stride] += row[c->b->select.at[j]];
    }
}

/* A velocity- or acceleration-level row: through Q/c1 or N instead of P; among accelerations alone (c1 = 0)
 * Q/c1 is P. */
static void put_level_row(double *dst, const Column *c, const double *row, int level, const Coef *co)
{
    double tmp[6];
    int n = c->nv;
    if (c->maps) {
        const double *map = level > 1 ? c->maps->N : co->c1 > 0 || co->one == 0 ? c->maps->Q : c->maps->P;
        double scale = level == 1 && co->c1 > 0 ? 1 / co->c1 : 1;
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < 6; k++) sum += row[k] * map[k * n + j];
            dst[j] += scale * sum;
        }
        return;
    }
    memcpy(tmp, row, sizeof tmp);
    if (c->V)
        for (int j = 0; j < 3; j++)
            tmp[3 + j] = row[3] * c->V->m[0][j] + row[4] * c->V->m[1][j] + row[5] * c->V->m[2][j];
    put_row(dst, 1, c, tmp, NULL);
}

static void add_constraint_rows(const vgAbs *s, vgAbsWork *w, vgMatrix *m, const vgMat3 *V, const Coef *co,
                                int from, int to)
{
    for (int i = from; i < to; i++) {
        const vgPrim *p = &s->base.model->prim[i];
        const vgPrimPlace *pl = &m->place[i];
        for (int k = 0; k < pl->nside && pl->nrow; k++) {
            const vgSide *sd = &pl->side[k];
            if (sd->body < 0) continue;
            Column c = column_of(s, w, V ? &V[sd->body] : NULL, m->native, sd->body);
            vgTerm e = vg_native_term(&w->native_motion, i, k / 2);
            for (int r = 0; r < pl->nrow; r++) {
                double row[6];
                const double *g = (k % 2 ? e.gb : e.ga) + 6 * pl->from[r];
                for (int j = 0; j < 6; j++) row[j] = e.k * g[j];
                const double *P = c.maps ? c.maps->P : NULL;
                if (p->level > 0 && !m->native && V)
                    put_level_row(sd->row + r * c.nv, &c, row, p->level, co);
                else
                    put_row(sd->row + r * c.nv, 1, &c, row, P);
                if (sd->col) put_row(sd->col + r, sd->ldcol, &c, row, P);
            }
        }
    }
}

/* COINCIDE: torque ±r × f with f = Rᵀλ, hence K = ±(f rᵀ − (f·r) 1) on the body's own rotation. */
static void add_coincide_stiffness(const vgAbs *s, vgAbsWork *w, vgMatrix *m, int body, vgVec3 r,
                                   const double *l, int rows, double c2, double sign)
{
    const vgAbsBody *b = &s->body[body];
    int maps = has_maps(b); /* then native, and scaled with the rest in add_own() */
    double *D = maps ? w->own + 36 * body : m->diag[body], scale = maps ? sign : sign * c2;
    vgVec3 f = vg_mtv3(w->kin[body].R, vg_v3(l[0], l[1], rows == 3 ? l[2] : 0));
    double fr = vg_dot3(f, r), fv[3] = {f.x, f.y, f.z}, rv[3] = {r.x, r.y, r.z};
    if (b->rotates) {
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) D[(3 + i) * 6 + 3 + j] += scale * fv[i] * rv[j];
            D[(3 + i) * 7] -= scale * fr;
        }
    } else if (b->select.n == 3 && b->select.at[2] == 5) {
        D[8] -= scale * fr;
    }
}

/* The four blocks of the stiffness K of a term between the bodies ab. */
static void add_stiffness_blocks(const vgAbs *s, vgAbsWork *w, vgMatrix *m, const vgMat3 *V, const Coef *co,
                                 int prim, const int ab[2], const double K[144])
{
    for (int k = 0; k < 4; k++) {
        const int a = k / 2, b = k % 2;
        if (ab[a] < 0 || ab[b] < 0) continue;
        double *block = ab[a] == ab[b] ? m->diag[ab[a]] : m->cross[2 * prim + a];
        if (!block && m == &w->exact) block = vg_lin_block(m->lin, m->node[ab[a]], m->node[ab[b]]);
        if (!block) continue;
        if (ab[a] == ab[b] && has_maps(&s->body[ab[a]])) {
            for (int r = 0; r < 6; r++)
                vg_add_row6(w->own + 36 * ab[a] + 6 * r, K + (6 * a + r) * 12 + 6 * b, 1);
            continue;
        }
        Column ca = column_of(s, w, V ? &V[ab[a]] : NULL, m->native, ab[a]);
        Column cb = column_of(s, w, V ? &V[ab[b]] : NULL, m->native, ab[b]);
        add_block(block, &ca, &cb, co, K + 72 * a + 6 * b, NULL, NULL, 12, 1);
    }
}

/* Geometric stiffness of the constraints: own-body blocks always, cross blocks where the graph has them. */
static void add_constraint_stiffness(const vgAbs *s, vgAbsWork *w, vgMatrix *m, const vgMat3 *V,
                                     const Coef *co, const double *lambda, int from, int to)
{
    const vgModel *mo = s->base.model;
    for (int i = from; i < to; i++) {
        const vgPrim *p = &mo->prim[i];
        const double *l = lambda + p->row;
        double K[144];
        if (vg_prim_is_point(p)) {
            if (p->a >= 0) add_coincide_stiffness(s, w, m, p->a, p->ra, l, p->rows, co->c2, 1);
            if (p->b >= 0) add_coincide_stiffness(s, w, m, p->b, p->rb, l, p->rows, co->c2, -1);
            continue;
        }
        if (l[0] == 0 && (p->rows < 2 || l[1] == 0) && (p->rows < 3 || l[2] == 0)) continue;
        for (int k = 0; k < vg_prim_terms(p); k++) {
            vgTerm e = vg_native_term(&w->native_motion, i, k);
            vg_native_term_stiffness(&w->native_motion, i, k, l, K);
            add_stiffness_blocks(s, w, m, V, co, i, (int[2]){e.a, e.b}, K);
        }
    }
}

/* What elements in lanes have beyond start(). */
static void add_lanes(const vgAbs *s, vgAbsWork *w, vgMatrix *m, const vgMat3 *V, const Coef *co)
{
    if (!s->lanes.taken) return;
    vg_abs_spins_add(s, w, m, V, co->c1, co->c2, co->one);
    vg_abs_damping_add(s, w, m, V, co->c1);
}

/* Pairs of an element with `crowd` on their way into the matrix. */
typedef struct Crowd {
    vgCrowdTake take; /* first */
    const vgAbs *s;
    vgAbsWork *w;
    vgMatrix *m;
    const vgMat3 *V;
    const Coef *co;
} Crowd;

static void take_pair(vgCrowdTake *take, int a, int b, const double *K, const double *C)
{
    const Crowd *x = (const Crowd *)take;
    const int body[2] = {a, b};
    Column column[2];
    double *block[4] = {NULL, NULL, NULL, NULL};
    for (int k = 0; k < 2; k++) {
        if (body[k] < 0) continue;
        column[k] = column_of(x->s, x->w, x->V ? &x->V[body[k]] : NULL, x->m->native, body[k]);
        block[3 * k] = x->m->diag[body[k]];
    }
    if (a >= 0 && b >= 0) vg_loose_pair(x->m->loose, x->m->node[a], x->m->node[b], &block[1], &block[2]);
    if (x->co->c1 == 0) C = NULL;
    for (int k = 0; k < 4; k++)
        if (block[k])
            add_block(block[k], &column[k / 2], &column[k % 2], x->co, K + 72 * (k / 2) + 6 * (k % 2),
                      C ? C + 72 * (k / 2) + 6 * (k % 2) : NULL, NULL, 12, -1);
}

static void add_crowd(const vgAbs *s, vgAbsWork *w, vgMatrix *m, const vgMat3 *V, const Coef *co, double t,
                      int f)
{
    Crowd x = {{take_pair}, s, w, m, V, co};
    if (co->c1 == 0 && co->c2 == 0) return; /* inertia alone */
    vg_native_crowd(&w->native_motion, f, t, &x.take);
}

static void add_forces(const vgAbs *s, vgAbsWork *w, vgMatrix *m, const vgMat3 *V, const Coef *co, double t,
                       int from, int to)
{
    const vgModel *mo = s->base.model;
    vgNative *x = &w->native_motion;
    const unsigned char *taken = s->lanes.taken;
    for (int f = from; f < to; f++) {
        if (taken && taken[f]) continue;
        const vgForcePlace *pl = &m->force[f];
        if (mo->force[f].kind->crowd) add_crowd(s, w, m, V, co, t, f);
        if (pl->nu == 0 || mo->force[f].setup.dead) continue;
        vg_native_force_local(x, f, t, 1);
        const vgForceSetup *su = &mo->force[f].setup;
        const int inertial = su->inertial && co->one > 0,
                  moving = co->c1 > 0 && (su->velocity || su->inertial || !pl->plain), ld = 6 * pl->nu;
        Column column[VG_FORCE_MAX_UNION];
        for (int u = 0; u < pl->nu; u++)
            column[u] = column_of(s, w, V ? &V[pl->body[u]] : NULL, m->native, pl->body[u]);
        for (int u = 0; u < pl->nu; u++)
            for (int v = 0; v < pl->nu; v++) {
                double *block = pl->block[u * pl->nu + v];
                const int at = 6 * u * ld + 6 * v;
                add_block(block, &column[u], &column[v], co, x->Kl + at, moving ? x->Cl + at : NULL, NULL, ld,
                          -1);
                if (inertial) add_block(block, &column[u], &column[v], co, NULL, NULL, x->Ml + at, ld, 1);
            }
    }
}

/* Unit-length equations of Euler parameters: B = eᵀ. σ e eᵀ is added to the body block so that the block alone is
 * regular; solve() adds σ e times the equation's right side, so the solution is unchanged. */
static void add_unit_squares(const vgAbs *s, vgMatrix *m, const double *q)
{
    for (int i = 0; i < s->nbody; i++) {
        const vgAbsBody *b = &s->body[i];
        if (!m->unit[i]) continue;
        const double *e = q + b->q0 + 3;
        double sigma = vg_abs_unit_sigma(b);
        for (int k = 0; k < 4; k++)
            for (int j = 0; j < 4; j++) m->diag[i][(3 + k) * 7 + 3 + j] += sigma * e[k] * e[j];
    }
}

static void add_units(const vgAbs *s, vgMatrix *m, const double *q)
{
    for (int i = 0; i < s->nbody; i++)
        for (int k = 0; m->unit[i] && k < 4; k++) m->unit[i][3 + k] = q[s->body[i].q0 + 3 + k];
}

/* Stage maps of the charts at the point of the tangent; NULL: none turns. */
static const vgMat3 *stage_maps(const vgAbs *s, vgAbsWork *w, const vgMatrix *m, const vgTangent *p)
{
    int turning = p->map != VG_STAGE_PLAIN && !s->base.vector_space;
    for (int k = 0; k < m->nlist; k++) {
        const int i = m->list[k];
        const vgAbsBody *b = &s->body[i];
        if (!b->rotates) continue;
        if (b->chart->simple) {
            if (turning)
                w->V[i] =
                    b->chart->stage_map(p, p->delta + b->v0, p->delta_dot ? p->delta_dot + b->v0 : NULL);
        } else {
            if (b->chart->split) w->base.taken |= s->base.fast & VG_FAST_SPLIT;
            b->chart->maps(p->q + b->q0, p->v + b->v0, p->a + b->v0, &w->kin[i], p,
                           p->delta ? p->delta + b->v0 : NULL, p->delta_dot ? p->delta_dot + b->v0 : NULL,
                           &w->maps[i]);
        }
    }
    return turning ? w->V : NULL;
}

/* Clears the matrix and adds the elements in lanes, unless the last residual has done so. */
static void start(const vgAbs *s, vgAbsWork *w, vgMatrix *m, const Coef *co, int forces)
{
    size_t n;
    double *values = vg_lin_values(m->lin, &n);
    const int filled = w->filled == m && forces && w->ahead_c2 == co->c2 && w->ahead_one == co->one;
    w->filled = NULL;
    w->ahead = 0;
    if (m->loose) vg_loose_clear(m->loose);
    if (filled) return;
    if (forces && s->lanes.ngroup)
        vg_abs_lanes_add(s, w, m, co->c2, co->one, NULL);
    else
        memset(values, 0, n * sizeof *values);
}

/* Fills the matrix at the point of the last residual (or levels, for the mass alone). */
static void fill(const vgAbs *s, vgAbsWork *w, vgMatrix *m, const vgTangent *p, int regular)
{
    Coef co = p->mass ? (Coef){0, 0, 1} : coefficients(p);
    const vgMat3 *V = stage_maps(s, w, m, p);
    const int forces = s->base.model->nforce && (!p->mass || s->any_inertial) && !p->rows;
    start(s, w, m, &co, forces);
    for (int k = 0; k < m->nlist && !p->rows; k++) {
        const int i = m->list[k];
        Column c = column_of(s, w, V ? &V[i] : NULL, 0, i);
        add_inertia(m->diag[i], &c, &w->kin[i], &co);
    }
    if (forces) {
        add_lanes(s, w, m, V, &co);
        add_forces(s, w, m, V, &co, p->t, 0, s->base.model->nforce);
    }
    if (!V)
        for (int k = 0; k < m->nlist; k++) w->V[m->list[k]] = vg_eye3();
    add_constraint_rows(s, w, m, w->V, &co, 0, s->base.model->nprim);
    if (w->own) memset(w->own, 0, (size_t)(36 * s->nbody) * sizeof(double));
    if (!p->mass) add_constraint_stiffness(s, w, m, V, &co, p->lambda, 0, s->base.model->nprim);
    for (int i = 0; i < s->nbody && !s->all_simple && !p->rows; i++) {
        Column c = column_of(s, w, NULL, 0, i);
        if (c.maps) add_own(m->diag[i], &c, &w->kin[i], &co, p->mass ? NULL : w->own + 36 * i);
    }
    if (s->nunit) add_units(s, m, p->q);
    if (s->nunit && regular) add_unit_squares(s, m, p->q);
    w->solve_with = m;
}

void vg_abs_fill(const vgAbs *s, vgAbsWork *w, vgMatrix *m, const vgTangent *p)
{
    vgMatrix *last = w->solve_with; /* what solve() has stays as it was */
    fill(s, w, m, p, 1);
    w->solve_with = last;
}

void vg_abs_fill_part(const vgAbs *s, vgAbsWork *w, vgMatrix *m, const vgTangent *p, vgAbsPart part, int k)
{
    Coef co = coefficients(p);
    const vgMat3 *V = p->map != VG_STAGE_PLAIN && !s->base.vector_space ? w->V : NULL;
    if (part == VG_ABS_MAPS) {
        if (!stage_maps(s, w, m, p))
            for (int i = 0; i < m->nlist; i++) w->V[m->list[i]] = vg_eye3();
        if (w->own) memset(w->own, 0, (size_t)(36 * s->nbody) * sizeof(double));
    } else if (part == VG_ABS_GROUP) {
        vg_abs_lanes_add_group(s, w, m, co.c2, co.one, k);
    } else if (part == VG_ABS_INERTIA) {
        Column c = column_of(s, w, V ? &V[k] : NULL, 0, k);
        add_inertia(m->diag[k], &c, &w->kin[k], &co);
    } else if (part == VG_ABS_SPINS) {
        add_lanes(s, w, m, V, &co);
    } else if (part == VG_ABS_FORCE) {
        add_forces(s, w, m, V, &co, p->t, k, k + 1);
    } else if (part == VG_ABS_ROWS) {
        add_constraint_rows(s, w, m, w->V, &co, k, k + 1);
    } else if (part == VG_ABS_STIFFNESS) {
        add_constraint_stiffness(s, w, m, V, &co, p->lambda, k, k + 1);
    } else if (part == VG_ABS_OWN) {
        Column c = column_of(s, w, NULL, 0, k);
        if (c.maps) add_own(m->diag[k], &c, &w->kin[k], &co, w->own + 36 * k);
    } else if (part == VG_ABS_UNITS) {
        add_units(s, m, p->q);
    } else {
        add_unit_squares(s, m, p->q);
    }
}

static vgStatus prepare(const vgAbs *s, vgAbsWork *w, const vgTangent *p, vgMatrix **m)
{
    vgStatus made = vg_abs_matrices(s, w);
    if (made != VG_OK) return made;
    *m = &w->main;
    if (p->exact) {
        if (!w->exact.lin) {
            vgStatus st = vg_abs_matrix_new(s, 0, 1, NULL, w->hint, &w->exact);
            if (st != VG_OK) return st;
        }
        *m = &w->exact;
    }
    if (!p->reuse) vg_abs_residual(&s->base, &w->base, p->t, p->q, p->v, p->a, p->lambda, w->scratch_r, NULL);
    vg_native_prims(&w->native_motion, p->t, VG_PRIM_GRADIENT);
    return VG_OK;
}

vgStatus vg_abs_factor(const vgSystem *sys, vgWork *work, const vgTangent *p)
{
    vgMatrix *m;
    vgStatus st = prepare((const vgAbs *)sys, (vgAbsWork *)work, p, &m);
    if (st != VG_OK) return st;
    fill((const vgAbs *)sys, (vgAbsWork *)work, m, p, 1);
    return vg_abs_finish(work, m, sys->nv);
}

vgStatus vg_abs_assemble(const vgSystem *sys, vgWork *work, const vgTangent *p, vgSaddle *out)
{
    vgMatrix *m = &((vgAbsWork *)work)->main;
    vgStatus made = vg_abs_matrices((const vgAbs *)sys, (vgAbsWork *)work);
    if (made != VG_OK) return made;
    *out = (vgSaddle){m->lin, NULL, m->row_at};
    if (!p) return VG_OK;
    vgTangent at = *p;
    if (p->mass) { /* accelerations alone: positions and velocities do not count against them */
        at.cv = 1e150, at.ca = 1e300;
        at.map = VG_STAGE_PLAIN;
    }
    vgStatus st = prepare((const vgAbs *)sys, (vgAbsWork *)work, &at, &m);
    if (st != VG_OK) return st;
    fill((const vgAbs *)sys, (vgAbsWork *)work, m, &at, 0);
    *out = (vgSaddle){m->lin, NULL, m->row_at};
    return VG_OK;
}

vgStatus vg_abs_factor_native(const vgAbs *s, vgAbsWork *w, double t)
{
    vgStatus made = vg_abs_matrices(s, w);
    if (made != VG_OK) return made;
    vgMatrix *m = w->nat.lin ? &w->nat : &w->main;
    Coef co = {0, 0, 1};
    start(s, w, m, &co, s->any_inertial);
    for (int i = 0; i < s->nbody; i++) {
        Column c = column_of(s, w, NULL, 1, i);
        add_inertia(m->diag[i], &c, &w->kin[i], &co);
    }
    if (s->any_inertial) {
        add_lanes(s, w, m, NULL, &co);
        add_forces(s, w, m, NULL, &co, t, 0, s->base.model->nforce);
    }
    int was = m->native;
    m->native = 1;
    add_constraint_rows(s, w, m, NULL, &co, 0, s->base.model->nprim);
    m->native = was;
    w->solve_with = m;
    return vg_abs_finish(&w->base, m, 0);
}
