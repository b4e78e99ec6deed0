/* Joint frames from markers and axes. */
#include "element/joint/joint.h"
#include "element/motion.h"
#include "test.h"

static void check_same(vgMat3 A, vgMat3 B, double tol)
{
    CHECK_NEAR(vg_mmax3(vg_msub3(A, B)), 0, tol);
}

static vgMat3 world(const vgKin *k, const vgFrame *f)
{
    return vg_mm3(k->R, f->R);
}

TEST(axis_and_the_reference_that_follows)
{
    const vgJointKind *kind = vg_joint_kind("revolute");
    for (int k = 0; k < 3; k++)
        for (int sign = -1; sign < 2; sign += 2) {
            vgJointDef def = vg_joint_def();
            vg_store3(vg_scale3(vg_unit_axis3(k), 2.0 * sign), def.axis);
            vgFrame A = {0, motion_vec(), motion_rotation()}, B = {1, motion_vec(), motion_rotation()};
            vgKin ka = motion_kin(0), kb = motion_kin(0);
            vg_joint_frames(kind, 0, &A, &B, &ka, &kb, &def);
            vgVec3 z = vg_scale3(vg_unit_axis3(k), sign), x = vg_unit_axis3((k + 1) % 3);
            check_same(def.A.R, vg_mm3(A.R, vg_cols3(x, vg_cross3(z, x), z)), 1e-15);
            CHECK_NEAR(vg_det3(def.A.R), 1, 1e-14);
            CHECK_INT(def.A.body, 0);
            CHECK_INT(def.B.body, 1);
            CHECK_NEAR(vg_norm3(vg_sub3(def.B.r, B.r)), 0, 0);
            /* the second marker's axes do not fit: carried, the angle starts at zero */
            check_same(world(&ka, &def.A), world(&kb, &def.B), 1e-14);
        }
}

/* Markers with the same axis: the joint's angle is that between the markers. */
TEST(own_axes_where_they_fit)
{
    vgJointDef def = vg_joint_def();
    vgFrame A = {0, vg_zero3(), vg_eye3()}, B = {1, vg_zero3(), vg_eye3()};
    vgKin ka = motion_kin(0), kb = ka;
    kb.R = vg_mm3(ka.R, vg_so3_exp(vg_v3(0, 0, 0.6)));
    vg_joint_frames(vg_joint_kind("revolute"), 0, &A, &B, &ka, &kb, &def);
    check_same(def.B.R, vg_eye3(), 1e-15);
    vgJointBuild j = {0};
    vg_joint_kind("revolute")->build(&def, 0, &j);
    vgMeasureOut out;
    vg_measure_eval(&j.coord[0].measure, &ka, &kb, 0, 0, &out);
    CHECK_NEAR(out.value, 0.6, 1e-15);
    /* a prismatic joint between the same markers keeps that angle instead */
    vg_joint_frames(vg_joint_kind("prismatic"), 0, &A, &B, &ka, &kb, &def);
    check_same(world(&ka, &def.A), world(&kb, &def.B), 1e-14);
    def.align = 0; /* unless told to bring the axes together */
    vg_joint_frames(vg_joint_kind("prismatic"), 0, &A, &B, &ka, &kb, &def);
    check_same(def.B.R, vg_eye3(), 1e-15);
    /* axes that point against each other do not fit */
    kb.R = vg_mm3(ka.R, vg_diag3(1, -1, -1));
    def.align = 1;
    vg_joint_frames(vg_joint_kind("revolute"), 0, &A, &B, &ka, &kb, &def);
    check_same(world(&ka, &def.A), world(&kb, &def.B), 1e-14);
}

TEST(second_axis_as_given)
{
    vgJointDef def = vg_joint_def();
    vgVec3 axis2 = motion_unit();
    vg_store3(vg_scale3(axis2, 3), def.axis2);
    vgFrame A = {0, motion_vec(), motion_rotation()}, B = {1, motion_vec(), motion_rotation()};
    vgKin ka = motion_kin(0), kb = motion_kin(0);
    static const char *const names[] = {"universal", "angle", "revolute", "constant-velocity"};
    for (int i = 0; i < 4; i++) {
        vg_joint_frames(vg_joint_kind(names[i]), 0, &A, &B, &ka, &kb, &def);
        CHECK_NEAR(vg_norm3(vg_sub3(vg_col3(def.B.R, 2), vg_mv3(B.R, axis2))), 0, 1e-14);
        check_same(vg_mtm3(def.B.R, def.B.R), vg_eye3(), 1e-14);
        CHECK_NEAR(vg_det3(def.B.R), 1, 1e-14);
    }
    /* constant velocity: carried without twist, yA·xB = xA·yB */
    vgMat3 R = vg_mtm3(world(&ka, &def.A), world(&kb, &def.B));
    CHECK_NEAR(R.m[1][0], R.m[0][1], 1e-14);
}

TEST(planar_axes_stay_in_the_plane)
{
    vgJointDef def = vg_joint_def();
    def.axis[0] = 3, def.axis[1] = 4, def.axis[2] = 0;
    vgFrame A = {0, vg_v3(1, 2, 0), vg_so3_exp(vg_v3(0, 0, 0.3))}, B = {1, vg_zero3(), vg_eye3()};
    vgKin ka = motion_kin(1), kb = motion_kin(1);
    const vgJointKind *kind = vg_joint_kind("prismatic");
    vg_joint_frames(kind, 1, &A, &B, &ka, &kb, &def);
    CHECK_NEAR(def.A.R.m[2][0], 0, 1e-15);
    CHECK_NEAR(def.A.R.m[2][2], 0, 1e-15);
    vgJointBuild j = {0};
    kind->build(&def, 1, &j);
    vgVec3 along = vg_mv3(A.R, vg_v3(0.6, 0.8, 0));
    CHECK_NEAR(vg_dot3(j.prim[0].ua, along), 0, 1e-15);
    CHECK_NEAR(j.prim[0].ua.z, 0, 1e-15);
    /* as placed the orientation row holds */
    vgPrimOut out;
    vg_prim_eval(&j.prim[1], 0, &ka, &kb, VG_PRIM_VALUE, &out);
    CHECK_NEAR(out.phi[0], 0, 1e-15);
}

TEST_MAIN(axis_and_the_reference_that_follows, own_axes_where_they_fit, second_axis_as_given,
          planar_axes_stay_in_the_plane)
