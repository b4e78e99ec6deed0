#include "system/native/fours.h"

#include <string.h>

enum { MANY = 8 };

/* Elements that can share lanes: of the same kind, group and number of bodies. */
typedef struct Sort {
    const vgForceFour *ops;
    int key, nbody, count, first, met; /* first: its groups; met: elements while they are placed */
} Sort;

static int can_share(const vgForce *f)
{
    const vgForceSetup *su = &f->setup;
    if (!f->kind->four || su->nbody > VG_LANE_BODIES || su->nmeasure > 0) return 0;
    for (int l = 0; l < su->nlaw; l++)
        if (vg_law_nexternal(su->law[l]) > 0) return 0;
    return f->kind->four->group(f->def) != 0;
}

/* The sort of an element among n known ones, n: a new one. */
static int find(const Sort *sort, int n, const vgForce *f)
{
    int i = 0, key = f->kind->four->group(f->def);
    while (i < n && (sort[i].ops != f->kind->four || sort[i].key != key || sort[i].nbody != f->setup.nbody))
        i++;
    return i;
}

static int count_sorts(const vgModel *m, Sort sort[MANY])
{
    int n = 0, first = 0;
    for (int f = 0; f < m->nforce; f++) {
        if (!can_share(&m->force[f])) continue;
        int i = find(sort, n, &m->force[f]);
        if (i == MANY) continue; /* more than anybody has: one at a time */
        if (i == n) {
            const vgForce *fo = &m->force[f];
            sort[n++] = (Sort){
                .ops = fo->kind->four, .key = fo->kind->four->group(fo->def), .nbody = fo->setup.nbody};
        }
        sort[i].count++;
    }
    for (int i = 0; i < n; i++) {
        sort[i].count -= sort[i].count % VG_LANES == 1; /* one that would be alone */
        sort[i].first = first;
        first += (sort[i].count + VG_LANES - 1) / VG_LANES;
    }
    return n;
}

static void fill(vgFours *x, const vgModel *m, Sort *sort, int n)
{
    for (int f = 0; f < m->nforce; f++) {
        const vgForce *fo = &m->force[f];
        int i = can_share(fo) ? find(sort, n, fo) : n;
        x->of[f] = VG_FOUR_NONE;
        x->tangent[f] = 0;
        if (i == n || sort[i].met == sort[i].count) continue;
        int lane = sort[i].met % VG_LANES, at = sort[i].first + sort[i].met++ / VG_LANES;
        vgFourGroup *g = &x->group[at];
        x->of[f] = lane == 0 ? at : VG_FOUR_MEMBER;
        g->ops = sort[i].ops;
        g->nbody = sort[i].nbody;
        g->n = lane + 1;
        for (int k = lane; k < VG_LANES; k++) {
            g->force[k] = f;
            for (int a = 0; a < g->nbody; a++) g->body[VG_LANES * a + k] = fo->setup.body[a];
        }
    }
}

static void share(vgFourGroup *g, const vgModel *m)
{
    const void *def[VG_LANES];
    for (int k = 0; k < VG_LANES; k++) def[k] = m->force[g->force[k]].def;
    g->ops->pack(def, g->pack);
    for (int a = 0; a < g->nbody; a++)
        g->shared[a] = g->n == VG_LANES && vg_four_shared(g->body + VG_LANES * a);
}

/* Acts on its last body alone, and has a tangent for that. */
static int on_single(const vgFourGroup *g)
{
    for (int i = 0; i < VG_LANES * g->nbody; i++)
        if ((g->body[i] < 0) != (i < VG_LANES * (g->nbody - 1))) return 0;
    return g->ops->tangent != NULL;
}

void vg_fours_place(vgFours *x, const vgModel *m, int fast, vgArena *a)
{
    Sort sort[MANY];
    int n = fast ? count_sorts(m, sort) : 0, ngroup = 0;
    for (int i = 0; i < n; i++) ngroup += (sort[i].count + VG_LANES - 1) / VG_LANES;
    x->of = NULL;
    x->ngroup = ngroup;
    if (ngroup == 0) return;
    x->group = VG_TAKE(a, vgFourGroup, ngroup);
    x->of = VG_TAKE(a, int, m->nforce);
    x->visit = VG_TAKE(a, int, m->nforce);
    x->tangent = VG_TAKE(a, unsigned char, m->nforce);
    x->nvisit = 0;
    if (x->of) fill(x, m, sort, n);
    for (int f = 0; x->of && f < m->nforce; f++)
        if (x->of[f] != VG_FOUR_MEMBER) x->visit[x->nvisit++] = f;
    for (int i = 0; i < n; i++)
        for (int g = 0; g < (sort[i].count + VG_LANES - 1) / VG_LANES; g++) {
            void *pack = VG_TAKE(a, char, sort[i].ops->pack_size);
            if (!pack) continue; /* measuring */
            vgFourGroup *at = &x->group[sort[i].first + g];
            at->pack = pack;
            share(at, m);
            for (int k = 0; k < VG_LANES; k++) x->tangent[at->force[k]] = (unsigned char)on_single(at);
        }
}

void vg_fours_add(const vgFourGroup *g, double t, const vgKin *kin, int nbody, double sign, double *wrench)
{
    const vgKin *at[VG_LANES * VG_LANE_BODIES];
    vgLane f[6 * VG_LANE_BODIES];
    for (int i = 0; i < VG_LANES * g->nbody; i++) at[i] = &kin[g->body[i] < 0 ? nbody : g->body[i]];
    g->ops->eval(g->pack, t, at, f);
    for (int a = 0; a < g->nbody; a++)
        vg_four_scatter(f + 6 * a, g->body + VG_LANES * a, g->n, g->shared[a], sign, wrench);
}

int vg_fours_next(const vgFours *x, int i)
{
    const vgFourGroup *g = &x->group[i++];
    const int *body = g->body + VG_LANES * (g->nbody - 1);
    if (!on_single(g)) return i;
    for (; i < x->ngroup && on_single(&x->group[i]); i++)
        if (memcmp(body, x->group[i].body + VG_LANES * (x->group[i].nbody - 1), VG_LANES * sizeof *body) != 0)
            break;
    return i;
}

int vg_fours_tangent(const vgFours *x, int i, const vgKin *kin, int nbody, vgLane *A)
{
    int end = vg_fours_next(x, i);
    if (!on_single(&x->group[i])) return 0;
    for (int k = 0; k < VG_FOUR_TANGENT; k++) A[k] = vg_lane(0);
    for (; i < end; i++) {
        const vgFourGroup *g = &x->group[i];
        const vgKin *at[VG_LANES * VG_LANE_BODIES];
        for (int k = 0; k < VG_LANES * g->nbody; k++) at[k] = &kin[g->body[k] < 0 ? nbody : g->body[k]];
        g->ops->tangent(g->pack, at, A);
    }
    return 1;
}
