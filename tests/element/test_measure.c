#include "element/prim_check.h"

static const vgSelect spatial = {6, {0, 1, 2, 3, 4, 5}}, plane = {3, {0, 1, 5}};

static vgMeasure random_measure(vgMeasureKind kind)
{
    vgMeasure m = {0};
    m.kind = kind;
    m.A = (vgFrame){0, motion_vec(), motion_rotation()};
    m.B = (vgFrame){1, motion_vec(), motion_rotation()};
    m.axis = 1;
    m.offset = 0.3;
    m.turn = -1;
    return m;
}

static primPair random_pair(int planar)
{
    primPair k = {motion_kin(planar), motion_kin(planar)};
    k.a.dv = motion_vec();
    k.b.dv = motion_vec();
    k.a.dw = planar ? vg_v3(0, 0, motion_random()) : motion_vec();
    k.b.dw = planar ? vg_v3(0, 0, motion_random()) : motion_vec();
    if (planar) k.a.dv.z = k.b.dv.z = 0;
    return k;
}

/* The angle loses its meaning where xB is along zA, the inclination where it is along xA: keep away from it. */
static int ill_angle(const vgMeasure *m, const primPair *k)
{
    const int column = m->kind == VG_MEASURE_ANGLE ? 2 : 0;
    return (m->kind == VG_MEASURE_ANGLE || m->kind == VG_MEASURE_INCLINE) &&
           fabs(vg_dot3(vg_mv3(k->a.R, vg_col3(m->A.R, column)), vg_mv3(k->b.R, vg_col3(m->B.R, 0)))) > 0.7;
}

TEST(derivatives_of_every_measure)
{
    for (int kind = 0; kind < VG_MEASURE_COUNT; kind++) {
        if (kind == VG_MEASURE_ROTATION || kind == VG_MEASURE_COORDINATE) continue;
        if (kind == VG_MEASURE_SPIN) continue; /* has no value: tested below */
        for (int n = 0; n < 6; n++) {
            vgMeasure m = random_measure((vgMeasureKind)kind);
            primPair k = random_pair(0);
            while (ill_angle(&m, &k)) k = random_pair(0);
            measure_check(&m, &k, 0, &spatial, 20);
        }
    }
}

/* Of a velocity alone: the rate is the component of R_Bᵀ ω, its gradient by velocities, its derivative by positions 0. */
TEST(spin_is_the_angular_velocity_along_an_axis_of_the_frame)
{
    for (int axis = 0; axis < 3; axis++) {
        vgMeasure m = random_measure(VG_MEASURE_SPIN);
        primPair k = random_pair(0);
        vgMeasureOut out, more;
        double w[3];
        m.axis = axis;
        vg_measure_eval(&m, &k.a, &k.b, 0, 2, &out);
        vg_store3(vg_mtv3(m.B.R, k.b.w), w);
        CHECK_NEAR(out.rate, w[axis], 1e-14);
        for (int j = 0; j < 3; j++) {
            primPair faster = k;
            double e[3] = {j == 0, j == 1, j == 2};
            faster.b.w = vg_add3(k.b.w, vg_load3(e));
            vg_measure_eval(&m, &faster.a, &faster.b, 0, 2, &more);
            CHECK_NEAR(out.grad[9 + j], more.rate - out.rate, 1e-14);
            CHECK_NEAR(out.grad[j], 0, 0);
            CHECK_NEAR(out.grad[6 + j], 0, 0);
            CHECK_NEAR(out.drate[9 + j], 0, 0);
        }
        CHECK_NEAR(out.bias, 0, 0);
    }
}

TEST(planar_angles_are_linear_and_equal_the_spatial_form)
{
    for (int n = 0; n < 8; n++) {
        vgMeasure m = random_measure(VG_MEASURE_ANGLE);
        m.A.R = vg_so3_exp(vg_v3(0, 0, motion_random()));
        if (n % 2) m.A.R = vg_mm3(m.A.R, vg_diag3(1, -1, -1)); /* axis −z */
        m.B.R = vg_so3_exp(vg_v3(0, 0, motion_random()));
        m.planar = 1;
        primPair k = random_pair(1);
        measure_check(&m, &k, 0, &plane, 5);
        vgMeasureOut flat, full;
        vg_measure_eval(&m, &k.a, &k.b, 0, 2, &flat);
        m.planar = 0;
        vg_measure_eval(&m, &k.a, &k.b, 0, 2, &full);
        CHECK_NEAR(flat.value, full.value, 1e-14);
        CHECK_NEAR(flat.rate, full.rate, 1e-14);
        CHECK_NEAR(flat.grad[5], full.grad[5], 1e-14);
        CHECK_NEAR(flat.grad[11], full.grad[11], 1e-14);
        CHECK_NEAR(full.bias, 0, 1e-13);
        m.kind = VG_MEASURE_ROTATION;
        measure_check(&m, &k, 0, &plane, 5);
    }
}

TEST(angle_is_the_turn_about_the_axis)
{
    vgMeasure m = random_measure(VG_MEASURE_ANGLE);
    m.offset = 0;
    vgKin a = motion_kin(0), b = a;
    for (double q = -3; q < 3.1; q += 0.5) {
        vgMat3 turn = vg_so3_exp(vg_v3(0, 0, q)); /* R_AB in the joint frame */
        b.R = vg_mmt3(vg_mm3(vg_mm3(a.R, m.A.R), turn), m.B.R);
        vgMeasureOut out;
        vg_measure_eval(&m, &a, &b, 0, 1, &out);
        CHECK_NEAR(out.value, q, 1e-14);
        /* on the joint the gradient is the axis itself */
        vgVec3 zB = vg_col3(m.B.R, 2), zA = vg_col3(m.A.R, 2);
        for (int i = 0; i < 3; i++) {
            double eB[3], eA[3];
            vg_store3(zB, eB);
            vg_store3(zA, eA);
            CHECK_NEAR(out.grad[9 + i] - eB[i], 0, 1e-14);
            CHECK_NEAR(out.grad[3 + i] + eA[i], 0, 1e-14);
        }
    }
}

TEST(angle_continues_over_turns)
{
    vgMeasure m = random_measure(VG_MEASURE_ANGLE);
    m.A = m.B = (vgFrame){0, vg_zero3(), vg_eye3()};
    m.offset = 0;
    for (int planar = 0; planar < 2; planar++) {
        m.planar = planar;
        vgKin a = motion_ground(), b = a;
        double last = 0;
        for (int i = 1; i <= 400; i++) {
            double q = 0.1 * i;
            b.R = vg_so3_exp(vg_v3(0, 0, q));
            vgMeasureOut out;
            vg_measure_eval(&m, &a, &b, last, 0, &out);
            CHECK_NEAR(out.value, q, 1e-12);
            last = out.value;
        }
    }
}

TEST(coordinate_of_a_scalar_body)
{
    vgMeasure m = random_measure(VG_MEASURE_COORDINATE);
    primPair k = random_pair(0);
    vgMeasureOut out;
    vg_measure_eval(&m, &k.a, &k.b, 0, 2, &out);
    CHECK_NEAR(out.value, k.b.p.y + 0.3, 0);
    CHECK_NEAR(out.rate, k.b.v.y, 0);
    CHECK_NEAR(out.grad[7], 1, 0);
    m.axis = 0;
    vg_measure_eval(&m, &k.a, &k.b, 0, 2, &out);
    CHECK_NEAR(out.value, k.b.p.x + 0.3, 0);
    CHECK_NEAR(out.rate, k.b.v.x, 0);
    CHECK_NEAR(out.grad[6], 1, 0);
    CHECK_NEAR(out.bias, 0, 0);
}

TEST(position_in_the_world_is_the_point)
{
    vgMeasure m = random_measure(VG_MEASURE_POSITION);
    m.A = (vgFrame){-1, vg_zero3(), vg_eye3()};
    m.offset = 0;
    vgKin a = motion_ground(), b = motion_kin(0);
    double at[3], v[3];
    vg_store3(vg_kin_point(&b, m.B.r), at);
    vg_store3(vg_kin_point_velocity(&b, m.B.r), v);
    for (m.axis = 0; m.axis < 3; m.axis++) {
        vgMeasureOut out;
        vg_measure_eval(&m, &a, &b, 0, 0, &out);
        CHECK_NEAR(out.value, at[m.axis], 1e-15);
        CHECK_NEAR(out.rate, v[m.axis], 1e-15);
    }
}

TEST(zero_distance_stays_finite)
{
    vgMeasure m = random_measure(VG_MEASURE_DISTANCE);
    m.A.r = m.B.r;
    vgKin a = motion_kin(0);
    vgMeasureOut out;
    vg_measure_eval(&m, &a, &a, 0, 2, &out);
    CHECK_NEAR(out.value, 0.3, 1e-15);
    for (int i = 0; i < 12; i++) CHECK(isfinite(out.grad[i]) && isfinite(out.drate[i]));
}

TEST_MAIN(derivatives_of_every_measure, spin_is_the_angular_velocity_along_an_axis_of_the_frame,
          planar_angles_are_linear_and_equal_the_spatial_form, angle_is_the_turn_about_the_axis,
          angle_continues_over_turns, coordinate_of_a_scalar_body, position_in_the_world_is_the_point,
          zero_distance_stays_finite)
