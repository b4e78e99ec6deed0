/* Bushing and callback against closed forms and against each other. */
#include "element/force_rig.h"

static const char *const stiffness = "100 200 300 10 20 30";

/* A pure turn about z, however large: torque −k θ. */
TEST(turn_about_one_axis)
{
    rigText text[] = {{"stiffness", stiffness}, {"damping", "0 0 0 0 0 4"}, {NULL, NULL}};
    Rig rig = rig_new("bushing", text, rig_frame(0, vg_zero3()), rig_frame(1, vg_zero3()), 0);
    for (double angle = -3; angle < 3.1; angle += 1.5) {
        rigState s = {.kin = {rig_rest(), rig_rest()}};
        rigOut out;
        s.kin[1].R = vg_so3_exp(vg_v3(0, 0, angle));
        s.kin[1].w = vg_v3(0, 0, 2);
        rig_eval(&rig, &s, 0, &out);
        CHECK_NEAR(out.f[11], -30 * angle - 8, 1e-12);
        CHECK_NEAR(out.f[5], 30 * angle + 8, 1e-12);
        CHECK_NEAR(rig_energy(&rig, &s), 15 * angle * angle, 1e-12);
    }
    rig_free(&rig);
}

/* The force acts at the second frame, along the first frame's axes; the first body feels its moment. */
TEST(force_in_the_first_frames_axes)
{
    rigText text[] = {{"stiffness", "100 0 0 0 0 0"}, {NULL, NULL}};
    Rig rig = rig_new("bushing", text, rig_frame(0, vg_zero3()), rig_frame(1, vg_zero3()), 0);
    rigState s = {.kin = {rig_rest(), rig_rest()}};
    rigOut out;
    s.kin[0].R = s.kin[1].R = vg_so3_exp(vg_v3(0, 0, acos(0))); /* A's x is the world's y */
    s.kin[1].p = vg_v3(0.5, 0.2, 0);
    rig_eval(&rig, &s, 0, &out);
    CHECK_NEAR(out.f[6], 0, 1e-14);
    CHECK_NEAR(out.f[7], -20, 1e-13);
    CHECK_NEAR(out.f[11], 0, 1e-14);
    CHECK_NEAR(out.f[1], 20, 1e-13);
    CHECK_NEAR(out.f[5], 0.5 * 20, 1e-13);
    rig_free(&rig);
}

TEST(relaxed_bushing_is_free_where_it_is_placed)
{
    rigText text[] = {{"stiffness", stiffness}, {"relaxed", "true"}, {NULL, NULL}};
    vgFrame A = {0, rig_vec(1), vg_so3_exp(rig_vec(1))}, B = {1, rig_vec(1), vg_so3_exp(rig_vec(1))};
    Rig rig = rig_new("bushing", text, A, B, 0);
    rigState s = {.kin = {rig_rest(), rig_rest()}};
    rigOut out;
    for (int b = 0; b < 2; b++) s.kin[b].p = rig_vec(1), s.kin[b].R = vg_so3_exp(rig_vec(1));
    rig_place(&rig, &s);
    rig_eval(&rig, &s, 0, &out);
    for (int i = 0; i < 12; i++) CHECK_NEAR(out.f[i], 0, 1e-12);
    rig_free(&rig);
}

/* Outputs: force and torque on the second frame, its position and rotation, all in the first frame's axes. */
TEST(outputs_are_as_documented)
{
    rigText text[] = {{"stiffness", stiffness}, {NULL, NULL}};
    Rig rig = rig_new("bushing", text, rig_frame(0, vg_zero3()), rig_frame(1, vg_zero3()), 0);
    rigState s = {.kin = {rig_rest(), rig_rest()}};
    const vgVec3 y = {0.1, -0.2, 0.3}, theta = {0, 0, 0.4};
    const double k[6] = {100, 200, 300, 10, 20, 30}, x[6] = {0.1, -0.2, 0.3, 0, 0, 0.4};
    double values[RIG_MAX];
    s.kin[0].R = vg_so3_exp(vg_v3(0.3, 0.2, -0.5));
    s.kin[1].p = vg_mv3(s.kin[0].R, y);
    s.kin[1].R = vg_mm3(s.kin[0].R, vg_so3_exp(theta));
    CHECK_INT(rig_output(&rig, &s, values), 12);
    for (int i = 0; i < 6; i++) {
        CHECK_NEAR(values[i], -k[i] * x[i], 1e-12);
        CHECK_NEAR(values[6 + i], x[i], 1e-14);
    }
    rig_free(&rig);
}

/* A linear spring of free length zero between the frames, with and without its own derivative. */
static int linear_spring(void *user, double t, const vgCallbackMotion m[2], double wrench[12],
                         double *jacobian)
{
    const double *kc = user;
    (void)t;
    for (int i = 0; i < 3; i++) {
        double F =
            kc[0] * (m[1].position[i] - m[0].position[i]) + kc[1] * (m[1].velocity[i] - m[0].velocity[i]);
        wrench[i] = F;
        wrench[6 + i] = -F;
        for (int b = 0; b < 2 && jacobian && kc[2] != 0; b++)
            for (int level = 0; level < 2; level++) {
                double d = (b ? 1 : -1) * kc[level];
                jacobian[24 * i + 12 * level + 6 * b + i] = d;
                jacobian[24 * (6 + i) + 12 * level + 6 * b + i] = -d;
            }
    }
    return kc[2] != 0;
}

/* The bushing with equal stiffness along all axes is the same spring, written in rotating axes: at rest they
 * agree. */
TEST(callback_agrees_with_a_spring)
{
    rigText none[] = {{NULL, NULL}}, text[] = {{"stiffness", "50"}, {"length", "0"}, {NULL, NULL}};
    vgFrame A = {0, rig_vec(0.4), vg_so3_exp(rig_vec(1))}, B = {1, rig_vec(0.4), vg_so3_exp(rig_vec(1))};
    double exact[3] = {50, 0, 1}, differenced[3] = {50, 0, 0};
    Rig spring = rig_new("spring", text, A, B, 0), a = rig_new("callback", none, A, B, 0);
    rigState s = {.kin = {rig_rest(), rig_rest()}};
    rigOut want, got;
    for (int b = 0; b < 2; b++)
        s.kin[b].p = rig_vec(1), s.kin[b].R = vg_so3_exp(rig_vec(1)), s.kin[b].w = rig_vec(1);
    rig_eval(&spring, &s, 1, &want);
    vg_force_callback_set(a.def, linear_spring, exact);
    rig_eval(&a, &s, 1, &got);
    for (int i = 0; i < 12; i++) CHECK_NEAR(got.f[i], want.f[i], 1e-12);
    for (int i = 0; i < 144; i++) CHECK_NEAR(got.K[i], want.K[i], 1e-11);
    vg_force_callback_set(a.def, linear_spring, differenced);
    rig_eval(&a, &s, 1, &got);
    for (int i = 0; i < 144; i++) CHECK_NEAR(got.K[i], want.K[i], 1e-7);
    rig_free(&spring);
    rig_free(&a);
}

TEST(callback_differences_agree_with_its_own_derivative)
{
    rigText none[] = {{NULL, NULL}};
    vgFrame A = {0, rig_vec(0.4), vg_so3_exp(rig_vec(1))}, B = {1, rig_vec(0.4), vg_so3_exp(rig_vec(1))};
    double exact[3] = {50, 4, 1}, differenced[3] = {50, 4, 0};
    Rig a = rig_new("callback", none, A, B, 0);
    rigState s = {.kin = {rig_rest(), rig_rest()}};
    rigOut x, y;
    for (int b = 0; b < 2; b++) s.kin[b].p = rig_vec(1), s.kin[b].v = rig_vec(1), s.kin[b].w = rig_vec(1);
    rig_eval(&a, &s, 1, &x); /* no function yet */
    for (int i = 0; i < 12; i++) CHECK_NEAR(x.f[i], 0, 0);
    vg_force_callback_set(a.def, linear_spring, exact);
    rig_eval(&a, &s, 1, &x);
    vg_force_callback_set(a.def, linear_spring, differenced);
    rig_eval(&a, &s, 1, &y);
    for (int i = 0; i < 144; i++) {
        CHECK_NEAR(x.K[i], y.K[i], 1e-7);
        CHECK_NEAR(x.C[i], y.C[i], 1e-7);
    }
    rig_free(&a);
}

TEST_MAIN(turn_about_one_axis, force_in_the_first_frames_axes, outputs_are_as_documented,
          relaxed_bushing_is_free_where_it_is_placed, callback_agrees_with_a_spring,
          callback_differences_agree_with_its_own_derivative)
