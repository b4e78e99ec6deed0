/* Relative coordinates: how a body hangs in the tree, and what a prescribed motion asks of that place. */
#include "system/relative/relative.h"

vgTreeBranch vg_tree_branch(const vgSystem *sys, int body)
{
    const vgTree *s = (const vgTree *)sys;
    const vgLink *l = &s->link[s->link_of[body]];
    return (vgTreeBranch){
        .joint = s->tree->node[s->link_of[body]].joint, .q = l->q0, .v = l->v0, .nq = l->nq, .nv = l->nv};
}

/* F_i is what the link needs from its parent, about its centre of mass in W. */
void vg_tree_branch_wrench(const vgSystem *sys, const vgWork *work, int body, double wrench[6])
{
    const vgTree *s = (const vgTree *)sys;
    const vgTreeWork *w = (const vgTreeWork *)work;
    int i = s->link_of[body];
    const vgLink *l = &s->link[i];
    const vgLinkMotion *m = &w->m[i];
    vgVec3 F = vg_load3(m->F), T = vg_load3(m->F + 3);
    if (s->tree->node[i].joint >= 0) {
        double on_second = l->flipped ? -1 : 1;
        vgMat3 R = l->flipped      ? m->R
                   : l->parent < 0 ? l->E
                                   : vg_mm3(w->m[l->parent].R, l->E); /* first frame in W */
        T = vg_sub3(T, vg_cross3(vg_mv3(m->R, l->rC), F));
        F = vg_scale3(vg_mtv3(R, F), on_second);
        T = vg_scale3(vg_mtv3(R, T), on_second);
    }
    vg_store3(F, wrench);
    vg_store3(T, wrench + 3);
}
