/* Absolute coordinates: adds the tangents of elements that are evaluated four at a time to their blocks of the
 * matrix. All their bodies have six native components and simple charts. The inertia that rotates with a body is
 * part of that body; what is left are the terms of positions and the mass between translations. */
#include <stdlib.h>
#include <string.h>

#include "element/beam/beam.h"
#include "system/absolute/absolute.h"

/* Values that no group writes first, as ranges. written: per value. */
static vgStatus find_ranges(vgMatrix *m, const unsigned char *written, size_t n)
{
    int count = 0;
    for (size_t i = 0; i < n; i++) count += !written[i] && (i == 0 || written[i - 1]);
    m->clear = malloc(((size_t)count + 1) * sizeof *m->clear);
    if (!m->clear) return VG_NO_MEMORY;
    for (size_t i = 0; i < n; i++) {
        if (written[i]) continue;
        if (i == 0 || written[i - 1]) m->clear[m->nclear++] = (vgRange){i, 0};
        m->clear[m->nclear - 1].n++;
    }
    return VG_OK;
}

static int is_skipped(const vgMatrix *m, int group)
{
    return m->skip && m->skip[group];
}

static vgStatus place_groups(const vgAbs *s, vgMatrix *m, unsigned char *written)
{
    size_t n = 0;
    double **at = m->lane, *values = vg_lin_values(m->lin, &n);
    for (int i = 0; i < s->lanes.ngroup; i++) {
        const vgLaneGroup *g = &s->lanes.group[i];
        if (is_skipped(m, i)) continue;
        for (int p = 0; p < g->nbody * g->nbody; p++)
            for (int k = 0; k < VG_LANES; k++, at++) {
                const int *body = g->body + k;
                *at = vg_lin_block(m->lin, m->node[body[VG_LANES * (p / g->nbody)]],
                                   m->node[body[VG_LANES * (p % g->nbody)]]);
                size_t first = (size_t)(*at - values);
                if (k >= g->n || written[first]) continue;
                m->fresh[i] |= UINT64_C(1) << (VG_LANES * p + k);
                memset(written + first, 1, 36);
            }
    }
    return find_ranges(m, written, n);
}

vgStatus vg_abs_lanes_place(const vgAbs *s, vgMatrix *m)
{
    size_t n = 0, nvalue;
    for (int i = 0; i < s->lanes.ngroup; i++)
        n += (size_t)(VG_LANES * s->lanes.group[i].nbody * s->lanes.group[i].nbody);
    vg_lin_values(m->lin, &nvalue);
    m->lane = malloc((n + 1) * sizeof *m->lane);
    m->fresh = calloc((size_t)s->lanes.ngroup + 1, sizeof *m->fresh);
    unsigned char *written = calloc(nvalue + 1, 1);
    vgStatus st = m->lane && m->fresh && written ? place_groups(s, m, written) : VG_NO_MEMORY;
    free(written);
    return st;
}

static void clear(vgMatrix *m)
{
    size_t n;
    double *values = vg_lin_values(m->lin, &n);
    for (int i = 0; i < m->nclear; i++) memset(values + m->clear[i].from, 0, m->clear[i].n * sizeof *values);
}

/* block of each lane += mass 1 (in translation) − c2 K; fresh: a bit a lane, the block is overwritten */
static void add_pair(double *const *block, int lanes, unsigned fresh, const vgLane *K, vgLane mass, double c2)
{
    vgLane x[36];
    for (int i = 0; i < 36; i++) x[i] = -c2 * K[i];
    for (int i = 0; i < 3; i++) x[7 * i] += mass;
    for (int i = 0; i < 36; i += 4) vg_lane_turn(x + i);
    for (int k = 0; k < lanes; k++)
        if (fresh >> k & 1)
            for (int i = 0; i < 36; i += 4) *(vgLaneLoose *)(block[k] + i) = x[i + k];
        else
            for (int i = 0; i < 36; i += 4) *(vgLaneLoose *)(block[k] + i) += x[i + k];
}

/* What turns with a body: ∂/∂(angular) columns through the stage map V. */
static void add_spin(double *block, const vgLaneSpin *sp, const vgKin *k, vgVec3 gravity, const vgMat3 *V,
                     double c1, double c2, double one)
{
    static const vgMat3 none;
    double f[6] = {0}, K[36] = {0}, C[36] = {0}, M[36] = {0};
    vgForceOut out = {.f = f, .K = K, .C = C, .M = M};
    vg_beam_turn(sp->S, &none, k, vg_sub3(k->dv, gravity), 0, 6, &out);
    for (int i = 0; i < 6; i++) {
        double x[6];
        for (int j = 0; j < 6; j++) x[j] = one * M[6 * i + j] - c1 * C[6 * i + j];
        for (int j = 0; j < 3; j++) {
            double turned = V ? x[3] * V->m[0][j] + x[4] * V->m[1][j] + x[5] * V->m[2][j] : x[3 + j];
            block[6 * i + j] += x[j] - c2 * K[6 * i + j];
            block[6 * i + 3 + j] += turned - c2 * K[6 * i + 3 + j];
        }
    }
}

/* A group's wrenches to native (NULL: not wanted) and its tangents to the matrix. */
static double *const *add_group(const vgLaneGroup *g, const vgKin *kin, vgVec3 gravity, double *const *block,
                                uint64_t fresh, double c2, double one, double *native)
{
    const int pairs = g->nbody * g->nbody;
    const vgKin *at[VG_LANES * VG_LANE_BODIES];
    vgLane f[6 * VG_LANE_BODIES], K[36 * VG_LANE_BODIES * VG_LANE_BODIES];
    memset(f, 0, sizeof f);
    memset(K, 0, (size_t)(36 * pairs) * sizeof *K);
    vg_lanes_kin(g, kin, at);
    if (c2 != 0) g->ops->eval(g->pack, at, gravity, f, K, NULL);
    for (int p = 0; p < pairs; p++, block += VG_LANES)
        add_pair(block, g->n, (unsigned)(fresh >> VG_LANES * p & 15), K + 36 * p, one * g->pack->mass[p], c2);
    if (native) vg_lanes_scatter(g, f, native);
    return block;
}

void vg_abs_lanes_clear(vgMatrix *m)
{
    clear(m);
}

void vg_abs_lanes_add_group(const vgAbs *s, vgAbsWork *w, vgMatrix *m, double c2, double one, int group)
{
    double *const *block = m->lane;
    if (is_skipped(m, group)) return;
    for (int i = 0; i < group; i++)
        if (!is_skipped(m, i)) block += VG_LANES * s->lanes.group[i].nbody * s->lanes.group[i].nbody;
    add_group(&s->lanes.group[group], w->kin, s->base.model->gravity, block, m->fresh[group], c2, one, NULL);
}

void vg_abs_lanes_add(const vgAbs *s, vgAbsWork *w, vgMatrix *m, double c2, double one, double *native)
{
    const vgVec3 gravity = s->base.model->gravity;
    double *const *block = m->lane;
    clear(m);
    for (int i = 0; i < s->lanes.ngroup; i++)
        if (!is_skipped(m, i))
            block = add_group(&s->lanes.group[i], w->kin, gravity, block, m->fresh[i], c2, one, native);
    if (native) vg_lanes_spins(&s->lanes, w->kin, gravity, native);
}

/* Blocks −= c1 C diag(1, V) of a group whose forces depend on velocities. */
static void add_damping(const vgLaneGroup *g, const vgKin *kin, double *const *block, const vgMat3 *V,
                        double c1)
{
    static const vgMat3 same = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const int nb = g->nbody;
    const vgKin *at[VG_LANES * VG_LANE_BODIES] = {0};
    vgLane f[6 * VG_LANE_BODIES], C[36 * VG_LANE_BODIES * VG_LANE_BODIES];
    memset(f, 0, sizeof f);
    memset(C, 0, sizeof C);
    vg_lanes_kin(g, kin, at);
    g->ops->eval(g->pack, at, vg_zero3(), f, NULL, C);
    for (int b = 0; b < nb; b++) {
        vgLane33 T = vg_lmzero3();
        for (int k = 0; k < VG_LANES; k++) {
            const vgMat3 *one = V ? &V[g->body[VG_LANES * b + k]] : &same;
            for (int i = 0; i < 9; i++) T.m[i / 3][i % 3][k] = one->m[i / 3][i % 3];
        }
        for (int a = 0; a < nb; a++) {
            vgLane *x = C + 36 * (nb * a + b);
            for (int i = 0; i < 36; i += 6) {
                vgLane3 t = vg_lmtv3(T, (vgLane3){x[i + 3], x[i + 4], x[i + 5]});
                x[i + 3] = t.x, x[i + 4] = t.y, x[i + 5] = t.z;
            }
            add_pair(block + VG_LANES * (nb * a + b), g->n, 0, x, vg_lane(0), c1);
        }
    }
}

void vg_abs_damping_add(const vgAbs *s, vgAbsWork *w, vgMatrix *m, const vgMat3 *V, double c1)
{
    double *const *block = m->lane;
    for (int i = 0; i < s->lanes.ngroup && c1 != 0; i++) {
        const vgLaneGroup *g = &s->lanes.group[i];
        if (is_skipped(m, i)) continue;
        if (g->pack->damped) add_damping(g, w->kin, block, V, c1);
        block += VG_LANES * g->nbody * g->nbody;
    }
}

void vg_abs_spins_add(const vgAbs *s, vgAbsWork *w, vgMatrix *m, const vgMat3 *V, double c1, double c2,
                      double one)
{
    for (int i = 0; i < s->lanes.nspin; i++) {
        const vgLaneSpin *sp = &s->lanes.spin[i];
        add_spin(m->diag[sp->body], sp, &w->kin[sp->body], s->base.model->gravity, V ? &V[sp->body] : NULL,
                 c1, c2, one);
    }
}

void vg_abs_ahead(const vgSystem *sys, vgWork *work, const vgTangent *p)
{
    const vgAbs *s = (const vgAbs *)sys;
    vgAbsWork *w = (vgAbsWork *)work;
    w->ahead =
        (sys->fast & VG_FAST_AHEAD) && s->lanes.ngroup > 0 && p->ca > 0 && !p->exact && !p->mass && !p->rows;
    w->ahead_c2 = 1 / p->ca;
    w->ahead_one = 1;
}

void vg_abs_lanes_forces(const vgAbs *s, vgAbsWork *w, double *native)
{
    const vgVec3 gravity = s->base.model->gravity;
    if (s->lanes.ngroup == 0) return;
    w->base.taken |= VG_FAST_LANES | (w->ahead ? VG_FAST_AHEAD : 0);
    w->filled = w->ahead ? &w->main : NULL;
    if (w->ahead) /* elements are looked at once for both */
        vg_abs_lanes_add(s, w, &w->main, w->ahead_c2, w->ahead_one, native);
    else
        vg_lanes_forces(&s->lanes, w->kin, gravity, native);
    w->ahead = 0;
}
