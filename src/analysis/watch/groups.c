#include "analysis/watch/groups.h"

#include "system/native/native.h"

int vg_watch_root(int *of, int b)
{
    while (of[b] != b) b = of[b] = of[of[b]];
    return b;
}

/* Unites the bodies of an element; ground: the index of the ground in `of`, −1: it does not count. */
static void unite(int *of, int ground, int n, const int *body)
{
    int first = -1;
    for (int i = 0; i < n; i++) {
        const int at = body[i] < 0 ? ground : body[i];
        if (at < 0) continue;
        if (first < 0) first = at;
        of[vg_watch_root(of, at)] = vg_watch_root(of, first);
    }
}

static void unite_force(const vgModel *m, const vgForce *f, int ground, int *of)
{
    int body[VG_FORCE_MAX_BODIES + 8], n = 0;
    for (int i = 0; i < f->setup.nbody; i++) body[n++] = f->setup.body[i];
    for (int i = 0; i < f->setup.nmeasure; i++) {
        const vgMeasure *me = &m->measure[f->setup.measure[i]].measure;
        body[n++] = me->A.body;
        body[n++] = me->B.body;
    }
    if (f->kind->crowd) return;
    if (n < 2 || f->setup.inertial || f->setup.foreign || f->setup.nstate || f->setup.nscalar) body[n++] = -1;
    unite(of, ground, n, body);
}

/* All that may touch each other, and the ground where they may touch it. */
static void unite_crowd(const vgModel *m, const vgForce *f, int ground, int *of)
{
    int first = -1;
    for (int i = 0; i < m->nbody; i++) {
        if (!f->kind->crowd->acts_on(f->def, i)) continue;
        if (first >= 0) unite(of, ground, 2, (int[]){first, i});
        first = i;
    }
    if (first >= 0 && f->kind->crowd->acts_on(f->def, -1)) unite(of, ground, 2, (int[]){first, -1});
}

void vg_watch_unite(const vgModel *m, int ground, int *of)
{
    for (int i = 0; i <= m->nbody; i++) of[i] = i;
    for (int i = 0; i < m->nprim; i++) {
        int body[2 * VG_PRIM_MAX_TERMS], n = vg_native_prim_bodies(m, &m->prim[i], body);
        if (n == 1) body[n++] = -1;
        unite(of, ground, n, body);
    }
    for (int i = 0; i < m->nforce; i++) {
        unite_force(m, &m->force[i], ground, of);
        if (m->force[i].kind->crowd) unite_crowd(m, &m->force[i], ground, of);
    }
    for (int i = 0; i < m->nbody; i++) /* coordinates of elements are no matter */
        if (vg_body_is_hidden(&m->body[i]) || !(m->body[i].mass > 0)) unite(of, ground, 2, (int[]){i, -1});
}
