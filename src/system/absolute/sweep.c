/* The sweep over a tree in absolute coordinates (absolute/sweep_run.c): which trees, in which order. */
#include "system/absolute/sweep.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "model/topology.h"

static void place(vgSweep *w, vgArena *a)
{
    w->link = VG_TAKE(a, vgSweepLink, w->nlink + 1);
    w->slot = VG_TAKE(a, vgSweepSlot, w->nslot + 1);
    w->hinge = VG_TAKE(a, vgSweepHinge, w->nhinge + 1);
    w->keep = VG_TAKE(a, double, w->nkeep + 1);
}

static int joint_is_known(const vgAbs *s, const vgJoint *j)
{
    const vgModel *m = s->base.model;
    if (j->nprim < 1 || j->nprim > 1 + VG_SWEEP_ROWS || j->nrow != 2 + j->nprim) return 0;
    for (int i = 0; i < j->nprim; i++) {
        const vgPrim *p = &m->prim[j->prim0 + i];
        if (p->level != 0 || p->law || p->row != j->row0 + (i ? 2 + i : 0)) return 0;
        if (i == 0 ? !vg_prim_is_point(p) || p->rows != 3 : !vg_prim_is_angle(p)) return 0;
    }
    return 1;
}

static int is_known(const vgAbs *s)
{
    const vgModel *m = s->base.model;
    if (!(s->base.fast & VG_FAST_SWEEP)) return 0;
    if (!s->all_simple || m->nforce > 0 || m->nbody == 0 || s->nunit) return 0;
    if (s->base.mixed || s->chart->nq != 7 || s->chart->nv != 6) return 0;
    for (int i = 0; i < s->nbody; i++)
        if (!s->body[i].rotates || !(s->body[i].mass > 0)) return 0;
    for (int j = 0; j < m->njoint; j++)
        if (!joint_is_known(s, &m->joint[j])) return 0;
    return 1;
}

static int no_loops(const vgModel *m, const vgTopology *t)
{
    for (int j = 0; j < m->njoint; j++)
        if (t->closure[j]) return 0;
    return t->nloop == 0;
}

static void fill_hinges(vgSweep *w, const vgModel *m, const vgJoint *j, vgSweepLink *l)
{
    l->nhinge = j->nprim - 1;
    l->hinge = w->nhinge;
    l->hinge_row = j->row0 + 3;
    for (int i = 1; i < j->nprim; i++, w->nhinge++) {
        const vgPrim *p = &m->prim[j->prim0 + i];
        if (w->hinge)
            w->hinge[w->nhinge] = l->sign > 0 ? (vgSweepHinge){p->ua, p->ub, p->s1, p->c}
                                              : (vgSweepHinge){p->ub, p->ua, p->s1, p->c};
    }
}

/* The list of links, the slots that are open at a time, the room of each; counts alone while nothing is
 * taken. */
static void fill_links(vgSweep *w, const vgAbs *s, const vgTopology *t, int *slot_of, int *free_slot)
{
    const vgModel *m = s->base.model;
    int nfree = 0;
    w->nslot = w->nhinge = 0;
    w->nkeep = 0;
    for (int i = 0; i < t->nnode; i++) slot_of[i] = -1;
    for (int i = 0; i < t->nnode; i++) {
        int node = t->nnode - 1 - i; /* children first */
        const vgTreeNode *n = &t->node[node];
        vgSweepLink l = {.mass = s->body[n->body].mass,
                         .J = s->body[n->body].J,
                         .q0 = s->body[n->body].q0,
                         .v0 = s->body[n->body].v0,
                         .parent = -1,
                         .parent_slot = -1,
                         .row = -1,
                         .keep = (unsigned)w->nkeep};
        l.leaf = slot_of[node] < 0;
        if (l.leaf) slot_of[node] = nfree ? free_slot[--nfree] : w->nslot++;
        l.slot = slot_of[node];
        if (n->joint >= 0) {
            const vgJoint *j = &m->joint[n->joint];
            const vgPrim *p = &m->prim[j->prim0];
            l.sign = j->a == n->body ? 1 : -1;
            l.row = j->row0;
            l.r_child = l.sign > 0 ? p->ra : p->rb;
            l.r_parent = l.sign > 0 ? p->rb : p->ra;
            w->arm = fmax(w->arm, fmax(vg_norm3(l.r_child), n->parent < 0 ? 0 : vg_norm3(l.r_parent)));
            fill_hinges(w, m, j, &l);
            if (n->parent >= 0) {
                l.parent = t->nnode - 1 - n->parent;
                l.opens = slot_of[n->parent] < 0;
                if (l.opens) slot_of[n->parent] = nfree ? free_slot[--nfree] : w->nslot++;
                l.parent_slot = slot_of[n->parent];
            }
        }
        free_slot[nfree++] = l.slot;
        w->nkeep += (size_t)vg_sweep_kept(l.nhinge);
        if (w->link) w->link[i] = l;
    }
}

vgStatus vg_sweep_new(const vgAbs *s, vgSweep **out)
{
    const vgModel *m = s->base.model;
    *out = NULL;
    if (!is_known(s)) return VG_OK;
    vgTopology *t;
    vgStatus st = vg_topology_new(m, &t);
    if (st != VG_OK) return st;
    const int fits = no_loops(m, t);
    vgSweep *w = fits ? calloc(1, sizeof *w) : NULL;
    int *room = w ? malloc(2 * ((size_t)m->nbody + 1) * sizeof *room) : NULL;
    if (fits && !room) st = VG_NO_MEMORY; /* not the other path: its last bits differ */
    if (w && room) {
        vgArena measure = {0};
        w->nlink = t->nnode;
        w->chart = s->chart;
        fill_links(w, s, t, room, room + m->nbody + 1);
        place(w, &measure);
        st = w->nkeep < UINT32_MAX ? vg_arena_alloc(&w->arena, measure.used) : VG_LIMIT;
        if (st == VG_OK) {
            place(w, &w->arena);
            fill_links(w, s, t, room, room + m->nbody + 1);
            *out = w;
        }
    }
    if (!*out) free(w);
    free(room);
    vg_topology_free(t);
    return st == VG_LIMIT ? VG_OK : st;
}

void vg_sweep_free(vgSweep *w)
{
    if (!w) return;
    vg_arena_free(&w->arena);
    free(w);
}

size_t vg_sweep_memory(const vgSweep *w)
{
    return w ? sizeof *w + w->arena.size : 0;
}
