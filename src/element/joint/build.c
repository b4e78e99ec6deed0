#include "element/joint/build.h"

vgPrim *vg_joint_prim(const vgJointDef *def, vgPrimKind kind, int rows, vgJointBuild *out)
{
    vgPrim *p = &out->prim[out->nprim++];
    memset(p, 0, sizeof *p);
    p->kind = kind;
    p->rows = rows;
    p->row = p->joint = -1;
    p->a = def->A.body;
    p->b = def->B.body;
    p->ra = def->A.r;
    p->rb = def->B.r;
    return p;
}

void vg_joint_coincide(const vgJointDef *def, int planar, vgJointBuild *out)
{
    vg_joint_prim(def, VG_PRIM_COINCIDE, planar ? 2 : 3, out);
}

vgPrim *vg_joint_dot(const vgJointDef *def, vgVec3 ua_A, vgVec3 ub_B, double c, vgJointBuild *out)
{
    vgPrim *p = vg_joint_prim(def, VG_PRIM_DOT, 1, out);
    p->ua = vg_mv3(def->A.R, ua_A);
    p->ub = vg_mv3(def->B.R, ub_B);
    p->s1 = 1;
    p->c = c;
    return p;
}

vgPrim *vg_joint_along(const vgJointDef *def, vgVec3 ua_A, double c, vgJointBuild *out)
{
    vgPrim *p = vg_joint_prim(def, VG_PRIM_ALONG, 1, out);
    p->ua = vg_mv3(def->A.R, ua_A);
    p->c = c;
    return p;
}

void vg_joint_parallel(const vgJointDef *def, vgJointBuild *out)
{
    vg_joint_dot(def, vg_v3(1, 0, 0), vg_v3(0, 0, 1), 0, out);
    vg_joint_dot(def, vg_v3(0, 1, 0), vg_v3(0, 0, 1), 0, out);
}

void vg_joint_on_line(const vgJointDef *def, int planar, vgJointBuild *out)
{
    if (planar) { /* the normal of the line in the plane: the bodies' z is the plane's */
        vgPrim *p = vg_joint_along(def, vg_zero3(), 0, out);
        p->ua = vg_unit3(vg_cross3(vg_v3(0, 0, 1), vg_col3(def->A.R, 2)));
        return;
    }
    vg_joint_along(def, vg_v3(1, 0, 0), 0, out);
    vg_joint_along(def, vg_v3(0, 1, 0), 0, out);
}

/* R_AB = 1 by xA·yB = yA·zB = zA·xB = 0: regular at the solution, where the three gradients are the three
 * axes. */
void vg_joint_aligned(const vgJointDef *def, int planar, vgJointBuild *out)
{
    if (planar) { /* some axis of both frames lies in the plane */
        int k = fabs(def->A.R.m[2][2]) < 0.5 ? 2 : 0;
        vgPrim *p = vg_joint_dot(def, vg_unit_axis3(k), vg_zero3(), 0, out);
        p->ub = vg_cross3(vg_v3(0, 0, 1), vg_col3(def->B.R, k));
        return;
    }
    for (int k = 0; k < 3; k++) vg_joint_dot(def, vg_unit_axis3(k), vg_unit_axis3((k + 1) % 3), 0, out);
}

vgPrim *vg_joint_coupled(int nterm, const double *k, const int *measure, double offset, vgJointBuild *out)
{
    vgPrim *p = &out->prim[out->nprim++];
    memset(p, 0, sizeof *p);
    p->kind = VG_PRIM_MEASURE;
    p->rows = 1;
    p->row = p->joint = p->a = p->b = -1;
    p->nterm = nterm;
    for (int i = 0; i < nterm; i++) {
        p->k[i] = k[i];
        p->measure[i] = measure[i];
    }
    p->start = !isfinite(offset);
    p->c = p->start ? 0 : offset;
    return p;
}

vgMeasure *vg_joint_coord(const vgJointDef *def, int planar, const char *name, const char *unit,
                          vgMeasureKind kind, vgJointBuild *out)
{
    vgJointCoord *coord = &out->coord[out->ncoord++];
    *coord = (vgJointCoord){.name = name, .unit = unit};
    coord->measure = (vgMeasure){.kind = kind, .A = def->A, .B = def->B, .planar = planar};
    coord->measure.turn = kind == VG_MEASURE_ANGLE ? 0 : -1;
    return &coord->measure;
}
