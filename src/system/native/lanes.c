#include "system/native/lanes.h"

#include <string.h>

#include "element/beam/beam.h"

enum { OPEN = 8 };
static const double CANCELLED = 1e-14; /* of the moments that neighbouring elements bring */

/* Only elements between different bodies that are free in space. */
static int can_share(const vgModel *m, const vgForce *f)
{
    const vgForceSetup *su = &f->setup;
    if (!f->kind->lanes || su->nbody > VG_LANE_BODIES || f->kind->lanes->group(f->def) == 0) return 0;
    for (int a = 0; a < su->nbody; a++) {
        if (su->body[a] < 0 || m->body[su->body[a]].select.n != 6) return 0;
        for (int b = 0; b < a; b++)
            if (su->body[a] == su->body[b]) return 0;
    }
    return su->nmeasure == 0 && su->nlaw == 0;
}

/* Elements of the same kind and group fill lanes in the order of the model. open: the last group of each. */
static void make_groups(const vgModel *m, vgLaneSet *s)
{
    int open[OPEN], key[OPEN], nopen = 0;
    for (int f = 0; f < m->nforce; f++) {
        const vgForce *fo = &m->force[f];
        if (!can_share(m, fo)) continue;
        const vgForceLanes *ops = fo->kind->lanes;
        const int this = ops->group(fo->def), nbody = fo->setup.nbody;
        int k = 0;
        for (; k < nopen; k++) {
            const vgLaneGroup *g = &s->group[open[k]];
            if (g->ops == ops && key[k] == this && g->nbody == nbody) break;
        }
        if (k == OPEN) continue; /* more kinds than anybody has: one at a time */
        if (k == nopen || s->group[open[k]].n == VG_LANES) {
            open[k] = s->ngroup++;
            key[k] = this;
            nopen += k == nopen;
            s->group[open[k]] = (vgLaneGroup){.ops = ops, .nbody = nbody};
        }
        vgLaneGroup *g = &s->group[open[k]];
        s->taken[f] = 1;
        for (int lane = g->n; lane < VG_LANES; lane++) {
            g->force[lane] = f;
            for (int a = 0; a < nbody; a++) g->body[VG_LANES * a + lane] = fo->setup.body[a];
        }
        g->n++;
    }
}

/* Moments of mass of all that turns with each body. Those of neighbours may cancel. */
static void add_spins(const vgModel *m, vgLaneSet *s, double *mass, vgMat3 *J, vgVec3 *S, double *size)
{
    for (int f = 0; f < m->nforce; f++)
        for (int a = 0; s->taken[f] && a < m->force[f].setup.nbody; a++) {
            int body = m->force[f].setup.body[a];
            double part;
            vgVec3 first;
            vgMat3 second;
            m->force[f].kind->lanes->spin(m->force[f].def, a, &part, &first, &second);
            mass[body] += part;
            S[body] = vg_add3(S[body], first);
            size[body] += vg_norm3(first);
            J[body] = vg_madd3(J[body], second);
        }
    for (int i = 0; i < m->nbody; i++)
        if (vg_norm3(S[i]) > CANCELLED * size[i]) s->spin[s->nspin++] = (vgLaneSpin){i, S[i]};
}

static void place(vgLaneSet *s, const vgModel *m, vgArena *a)
{
    s->group = VG_TAKE(a, vgLaneGroup, s->ngroup);
    s->taken = VG_TAKE(a, unsigned char, m->nforce);
    s->spin = VG_TAKE(a, vgLaneSpin, s->nspin);
}

/* The constants of the elements side by side. */
static void place_packs(const vgModel *m, vgLaneSet *s, const vgLaneGroup *group, vgArena *a)
{
    for (int i = 0; i < s->ngroup; i++) {
        vgLanePack *pack = (vgLanePack *)VG_TAKE(a, char, group[i].ops->pack_size);
        if (!pack) continue; /* measuring */
        const void *def[VG_LANES];
        for (int k = 0; k < VG_LANES; k++) def[k] = m->force[group[i].force[k]].def;
        s->group[i].pack = pack;
        group[i].ops->pack(def, pack);
    }
}

vgStatus vg_lanes_new(const vgModel *m, double *mass, vgMat3 *J, vgLaneSet *out)
{
    vgLaneSet work = {.ngroup = m->nforce, .nspin = m->nbody};
    vgArena measure = {0}, scratch = {0};
    memset(out, 0, sizeof *out);
    place(&work, m, &measure);
    vgVec3 *S = VG_TAKE(&measure, vgVec3, m->nbody);
    double *size = VG_TAKE(&measure, double, m->nbody);
    vgStatus st = vg_arena_alloc(&scratch, measure.used);
    if (st != VG_OK) return st;
    place(&work, m, &scratch);
    S = VG_TAKE(&scratch, vgVec3, m->nbody);
    size = VG_TAKE(&scratch, double, m->nbody);
    work.ngroup = work.nspin = 0;
    make_groups(m, &work);
    if (work.ngroup > 0) {
        add_spins(m, &work, mass, J, S, size);
        *out = work;
        measure = (vgArena){0};
        place(out, m, &measure);
        place_packs(m, out, work.group, &measure);
        st = vg_arena_alloc(&out->arena, measure.used);
    }
    if (st == VG_OK && work.ngroup > 0) {
        place(out, m, &out->arena);
        memcpy(out->group, work.group, (size_t)work.ngroup * sizeof *work.group);
        memcpy(out->taken, work.taken, (size_t)m->nforce);
        memcpy(out->spin, work.spin, (size_t)work.nspin * sizeof *work.spin);
        place_packs(m, out, work.group, &out->arena);
    }
    vg_arena_free(&scratch);
    if (st != VG_OK) vg_lanes_free(out);
    return st;
}

void vg_lanes_free(vgLaneSet *s)
{
    vg_arena_free(&s->arena);
    memset(s, 0, sizeof *s);
}

void vg_lanes_scatter(const vgLaneGroup *g, const vgLane *f, double *native)
{
    for (int a = 0; a < g->nbody; a++, f += 6) {
        vgLane x[4] = {f[0], f[1], f[2], f[3]};
        vg_lane_turn(x);
        for (int k = 0; k < g->n; k++) {
            double *to = native + 6 * g->body[VG_LANES * a + k];
            *(vgLaneLoose *)to -= x[k];
            to[4] -= f[4][k];
            to[5] -= f[5][k];
        }
    }
}

void vg_lanes_spins(const vgLaneSet *s, const vgKin *kin, vgVec3 gravity, double *native)
{
    static const vgMat3 none;
    for (int i = 0; i < s->nspin; i++) {
        const vgKin *k = &kin[s->spin[i].body];
        double f[6] = {0};
        vg_beam_turn(s->spin[i].S, &none, k, vg_sub3(k->dv, gravity), 0, 6, &(vgForceOut){.f = f});
        for (int c = 0; c < 6; c++) native[6 * s->spin[i].body + c] -= f[c];
    }
}

void vg_lanes_forces(const vgLaneSet *s, const vgKin *kin, vgVec3 gravity, double *native)
{
    for (int i = 0; i < s->ngroup; i++) {
        const vgLaneGroup *g = &s->group[i];
        const vgKin *at[VG_LANES * VG_LANE_BODIES];
        vgLane f[6 * VG_LANE_BODIES];
        memset(f, 0, sizeof f);
        vg_lanes_kin(g, kin, at);
        g->ops->eval(g->pack, at, gravity, f, NULL, NULL);
        vg_lanes_scatter(g, f, native);
    }
    vg_lanes_spins(s, kin, gravity, native);
}
