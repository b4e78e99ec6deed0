/* Universal (Cardan, Hooke) joint: the origins coincide and the axis z1 = zA fixed in the first body is
 * perpendicular to the axis z2 fixed in the second: zA·z2 = 0.
 *
 * Let B' be the second frame with z' = z2 (frame B itself if axis2 is given; otherwise z' = xB, so that the joint
 * is Rz(q1) Rx(q2)). With C the cyclic permutation that takes z to x,
 *
 *     R_AB' = Rz(q1) C Rz(q2)
 *     zA in B' = (sin q2, cos q2, 0)
 *     w_AB in B' = q1' (sin q2, cos q2, 0) + q2' (0, 0, 1) */
#include "base/libm/libm.h"
#include "element/joint/build.h"

static const vgField fields[] = {
    VG_JOINT_AXIS("first axis, in the first frame"),
    {"axis2", VG_FIELD_AXIS, offsetof(vgJointDef, axis2), "", "", 0, 0,
     "second axis, in the second frame, perpendicular to the first at the start; absent: the reference axis "
     "that follows the first cyclically (z: x)"}};

/* Columns y, z, x: takes z to x, x to y, y to z. */
static vgMat3 cyclic(void)
{
    return vg_m3(0, 0, 1, 1, 0, 0, 0, 1, 0);
}

/* R_BB' */
static vgMat3 second(const vgJointDef *def)
{
    return vg_joint_given(def->axis2) ? vg_eye3() : cyclic();
}

/* q1 turns z2 about zA, from xA. q2 turns zA about −z2, from y': measured with the bodies exchanged. */
static void build(const vgJointDef *def, int planar, vgJointBuild *out)
{
    vgMat3 E = second(def);
    vg_joint_coincide(def, 0, out);
    vg_joint_dot(def, vg_v3(0, 0, 1), vg_col3(E, 2), 0, out);
    vgMat3 B = vg_mm3(def->B.R, E);
    vgMeasure *m = vg_joint_coord(def, planar, "angle1", "rad", VG_MEASURE_ANGLE, out);
    m->B.R = vg_mm3(B, vg_m3(0, 1, 0, 0, 0, 1, 1, 0, 0)); /* columns z', x', y' */
    m = vg_joint_coord(def, planar, "angle2", "rad", VG_MEASURE_ANGLE, out);
    m->A = def->B;
    m->A.R = vg_mm3(B, vg_m3(0, 1, 0, 1, 0, 0, 0, 0, -1)); /* columns y', x', −z' */
    m->B = def->A;
    m->B.R = vg_mm3(def->A.R, vg_m3(0, 1, 0, 0, 0, 1, 1, 0, 0));
}

static void pose(const vgJointDef *def, const double *q, vgVec3 *r_AB, vgMat3 *R_AB)
{
    *r_AB = vg_zero3();
    *R_AB = vg_mmt3(vg_mm3(vg_mm3(vg_turn_z(q[0]), cyclic()), vg_turn_z(q[1])), second(def));
}

static void subspace(const vgJointDef *def, const double *q, double *S)
{
    vgMat3 E = second(def);
    vgVec3 a = vg_mv3(E, vg_v3(sin(q[1]), cos(q[1]), 0)), b = vg_col3(E, 2);
    memset(S, 0, 12 * sizeof *S);
    S[6] = a.x, S[8] = a.y, S[10] = a.z;
    S[7] = b.x, S[9] = b.y, S[11] = b.z;
}

static void bias(const vgJointDef *def, const double *q, const double *v, double out[6])
{
    double s = v[0] * v[1];
    vgVec3 a = vg_mv3(second(def), vg_v3(s * cos(q[1]), -s * sin(q[1]), 0));
    out[0] = out[1] = out[2] = 0;
    vg_store3(a, out + 3);
}

static void all(const vgJointDef *def, const double *q, const double *v, vgVec3 *r_AB, vgMat3 *R_AB,
                double *S, double *bias_out)
{
    double s1, c1, s2, c2, s = v[0] * v[1];
    vg_sincos(q[0], &s1, &c1);
    vg_sincos(q[1], &s2, &c2);
    vgMat3 E = second(def);
    vgVec3 a = vg_v3(s2, c2, 0), d = vg_v3(s * c2, -s * s2, 0);
    *r_AB = vg_zero3();
    *R_AB = vg_m3(-s1 * c2, s1 * s2, c1, c1 * c2, -c1 * s2, s1, s2, c2, 0); /* Rz(q1) C Rz(q2) */
    if (!vg_joint_given(def->axis2)) {
        *R_AB = vg_mmt3(*R_AB, E);
        a = vg_mv3(E, a), d = vg_mv3(E, d);
    }
    memset(S, 0, 12 * sizeof *S);
    S[6] = a.x, S[8] = a.y, S[10] = a.z;
    S[7] = E.m[0][2], S[9] = E.m[1][2], S[11] = E.m[2][2];
    bias_out[0] = bias_out[1] = bias_out[2] = 0;
    vg_store3(d, bias_out + 3);
}

/* S = [a b], a' = ∂a/∂q2, b constant; bias v1 v2 a'. */
static void vary(const vgJointDef *def, const double *q, const double *v, double *dS, double *b_q,
                 double *b_v)
{
    vgMat3 E = second(def);
    double s, c;
    vg_sincos(q[1], &s, &c);
    vgVec3 a = vg_mv3(E, vg_v3(s, c, 0)), d = vg_mv3(E, vg_v3(c, -s, 0));
    memset(dS, 0, 24 * sizeof *dS);
    memset(b_q, 0, 12 * sizeof *b_q);
    memset(b_v, 0, 12 * sizeof *b_v);
    dS[12 + 6] = d.x, dS[12 + 8] = d.y, dS[12 + 10] = d.z;
    vg_store3(vg_scale3(a, -v[0] * v[1]), b_q + 9);
    vg_store3(vg_scale3(d, v[1]), b_v + 3);
    vg_store3(vg_scale3(d, v[0]), b_v + 9);
}

static void from_pose(const vgJointDef *def, vgVec3 r_AB, vgMat3 R_AB, double *q)
{
    (void)r_AB;
    vgMat3 R = vg_mm3(R_AB, second(def)); /* R_AB' */
    q[0] = atan2(R.m[1][2], R.m[0][2]);
    q[1] = atan2(R.m[2][0], R.m[2][1]);
}

static const vgJointMotion motion = {.nq = 2,
                                     .nv = 2,
                                     .pose = pose,
                                     .subspace = subspace,
                                     .bias = bias,
                                     .all = all,
                                     .vary = vary,
                                     .from_pose = from_pose};

const vgJointKind vg_joint_universal = {
    .name = "universal",
    .doc = "Two rotations about perpendicular axes, one fixed in each body (Cardan joint).",
    .example = "cross: {universal: [shaft.end, driven.start], axis: x, axis2: y}",
    .head = VG_HEAD_FRAMES,
    .axes = VG_AXES_OWN,
    VG_JOINT_FIELDS(fields),
    .build = build,
    .motion = &motion,
};
