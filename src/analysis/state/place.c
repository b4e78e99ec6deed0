#include "analysis/state/place.h"

#include <stdlib.h>
#include <string.h>

#include "system/tree.h"

/* q: joint coordinates as the placement has them; those with a start are set. */
static void set_starts(const vgSystem *tree, double *q)
{
    const vgModel *m = tree->model, *start = m->start;
    for (int i = m->njoint; i < start->njoint; i++) {
        const vgJointDef *d = &start->joint[i].def;
        vgTreeCoordinate at;
        if (d->level > 0 || !vg_tree_coordinate(tree, d->first, &at)) continue;
        q[at.q] = at.sign * (vg_law_value(&d->law, 0, 0, NULL, NULL, NULL) - at.offset);
    }
}

vgStatus vg_place_joints(const vgModel *m, double t, vgKin *kin)
{
    vgSystem *tree = NULL;
    vgWork *work = NULL;
    vgStatus st = vg_system_new(m, "relative", "index3", NULL, &tree);
    if (st != VG_OK)
        return st == VG_NO_MEMORY ? st : VG_OK; /* not of joint coordinates: the projection alone places it */
    double *q = calloc((size_t)tree->nq + 2 * (size_t)tree->nv + 1, sizeof *q);
    st = q ? vg_work_new(tree, &work) : VG_NO_MEMORY;
    if (st == VG_OK) {
        double *given = q + tree->nq, *still = given + tree->nv;
        st = tree->ops->from_native(tree, kin, q, given);
        if (st == VG_OK) {
            set_starts(tree, q);
            const vgKin *placed = tree->ops->kinematics(tree, work, t, q, still, NULL);
            for (int i = 0; i < m->nbody; i++) kin[i].p = placed[i].p, kin[i].R = placed[i].R;
        }
    }
    vg_work_free(work);
    vg_system_free(tree);
    free(q);
    return st == VG_NO_MEMORY ? st : VG_OK;
}
