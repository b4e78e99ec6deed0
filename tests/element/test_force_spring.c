/* Springs and applied loads against closed forms. */
#include "element/force_rig.h"

/* Point A at the origin of a resting body, point B at distance x on the x axis moving at (v, u, 0). */
static rigState on_a_line(double x, double v, double u)
{
    rigState s = {.kin = {rig_rest(), rig_rest()}};
    s.kin[1].p = vg_v3(x, 0, 0);
    s.kin[1].v = vg_v3(v, u, 0);
    return s;
}

static Rig spring(const rigText *text)
{
    Rig rig = rig_new("spring", text, rig_frame(0, vg_zero3()), rig_frame(1, vg_zero3()), 0);
    CHECK_INT(rig.status, VG_OK);
    return rig;
}

TEST(tension_and_tangent_on_a_line)
{
    rigText text[] = {
        {"stiffness", "100"}, {"damping", "5"}, {"length", "0.2"}, {"preload", "3"}, {NULL, NULL}};
    Rig rig = spring(text);
    rigState s = on_a_line(0.5, 2, 7);
    rigOut out;
    double values[RIG_MAX], T = 100 * 0.3 + 5 * 2 + 3;
    rig_eval(&rig, &s, 1, &out);
    CHECK_NEAR(out.f[0], T, 1e-13);
    CHECK_NEAR(out.f[6], -T, 1e-13);
    CHECK_NEAR(out.f[7], 0, 0);
    CHECK_NEAR(out.K[12 * 6 + 6], -100, 1e-12);         /* along: k */
    CHECK_NEAR(out.K[12 * 7 + 7], -T / 0.5, 1e-12);     /* across: tension over length */
    CHECK_NEAR(out.K[12 * 6 + 7], -5 * 7 / 0.5, 1e-12); /* the rate turns with the line */
    CHECK_NEAR(out.C[12 * 6 + 6], -5, 1e-12);
    CHECK_NEAR(out.C[12 * 7 + 7], 0, 0);
    CHECK_NEAR(rig_energy(&rig, &s), 0.5 * 100 * 0.09 + 3 * 0.3, 1e-13);
    CHECK_INT(rig_output(&rig, &s, values), 3);
    CHECK_NEAR(values[0], T, 1e-13);
    CHECK_NEAR(values[1], 0.5, 1e-15);
    CHECK_NEAR(values[2], 2, 1e-15);
    rig_free(&rig);
}

TEST(free_length_defaults_to_the_initial_one)
{
    rigText text[] = {{"stiffness", "100"}, {NULL, NULL}};
    Rig rig = spring(text);
    rigState s = on_a_line(0.7, 0, 0);
    rigOut out;
    rig_place(&rig, &s);
    rig_eval(&rig, &s, 0, &out);
    CHECK_NEAR(out.f[6], 0, 0);
    s = on_a_line(0.8, 0, 0);
    rig_eval(&rig, &s, 0, &out);
    CHECK_NEAR(out.f[6], -10, 1e-13);
    rig_free(&rig);
}

/* ramp: slope 5 in compression, 20 in extension, so U = 5/2 e² and 10 e². */
TEST(tabulated_spring)
{
    rigText text[] = {{"table", "ramp"}, {"length", "0.5"}, {NULL, NULL}};
    Rig rig = spring(text);
    rigOut out;
    for (double e = -0.4; e < 2; e += 0.3) {
        rigState s = on_a_line(0.5 + e, 0, 0);
        rig_eval(&rig, &s, 0, &out);
        CHECK_NEAR(out.f[6], -(e < 0 ? 5 : 20) * e, 1e-13);
        CHECK_NEAR(rig_energy(&rig, &s), (e < 0 ? 2.5 : 10) * e * e, 1e-13);
    }
    rig_free(&rig);
}

TEST(law_of_length_and_rate_equals_the_linear_spring)
{
    rigText linear[] = {{"stiffness", "100"}, {"damping", "5"}, {"length", "0.2"}, {NULL, NULL}};
    rigText law[] = {{"force", "100*(x-0.2)+5*v"}, {NULL, NULL}};
    Rig a = spring(linear), b = spring(law);
    CHECK_INT(a.setup.nlaw, 0);
    CHECK_INT(b.setup.nlaw, 1);
    CHECK_INT(b.setup.velocity, 1);
    for (int k = 0; k < 5; k++) {
        rigState s = {.kin = {rig_rest(), rig_rest()}};
        rigOut x, y;
        s.kin[1].p = rig_vec(1), s.kin[1].v = rig_vec(1), s.kin[0].v = rig_vec(1);
        rig_eval(&a, &s, 1, &x);
        rig_eval(&b, &s, 1, &y);
        for (int i = 0; i < 12; i++) CHECK_NEAR(x.f[i], y.f[i], 1e-12);
        for (int i = 0; i < 144; i++) CHECK_NEAR(x.K[i], y.K[i], 1e-11);
        for (int i = 0; i < 144; i++) CHECK_NEAR(x.C[i], y.C[i], 1e-12);
    }
    rig_free(&a);
    rig_free(&b);
}

/* A spring of free length zero is linear in space: F = −k d, with the same tangent at d = 0. */
TEST(spring_of_no_free_length_is_linear)
{
    rigText text[] = {{"stiffness", "40"}, {"length", "0"}, {NULL, NULL}};
    Rig rig = spring(text);
    for (int k = 0; k < 4; k++) {
        rigState s = {.kin = {rig_rest(), rig_rest()}};
        rigOut out;
        vgVec3 d = k ? rig_vec(1) : vg_zero3();
        s.kin[1].p = d;
        rig_eval(&rig, &s, 1, &out);
        CHECK_NEAR(vg_norm3(vg_axpy3(40, d, vg_load3(out.f + 6))), 0, 1e-13);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) CHECK_NEAR(out.K[12 * (6 + i) + 6 + j], i == j ? -40 : 0, 1e-12);
    }
    rig_free(&rig);
}

TEST(contradictions_are_refused_with_a_reason)
{
    static const struct {
        rigText text[3];
        const char *key;
    } rows[] = {
        {{{"force", "x"}, {"stiffness", "3"}}, "force"},
        {{{"table", "ramp"}, {"stiffness", "3"}}, "table"},
        {{{"damper", "ramp"}, {"damping", "3"}}, "damper"},
    };
    for (int i = 0; i < 3; i++) {
        Rig rig = rig_new("spring", rows[i].text, rig_frame(0, vg_zero3()), rig_frame(1, vg_zero3()), 0);
        CHECK_INT(rig.status, VG_BAD_INPUT);
        CHECK_STR(rig.setup.key, rows[i].key);
        CHECK(rig.setup.why && *rig.setup.why);
        rig_free(&rig);
    }
    rigText text[] = {{"value", "1;2;3"}, {"frame", "moon"}, {NULL, NULL}};
    Rig rig = rig_new("force", text, rig_frame(0, vg_zero3()), rig_frame(1, vg_zero3()), 0);
    CHECK_INT(rig.status, VG_BAD_INPUT);
    CHECK_STR(rig.setup.why, "world");
    rig_free(&rig);
}

/* Body turned by 90° about z, point at (2, 0, 0) on it, hence at (0, 2, 0) in W. */
TEST(applied_force_and_torque)
{
    rigState s = {.t = 3, .kin = {rig_rest(), rig_rest()}};
    vgFrame A = rig_frame(0, vg_v3(2, 0, 0));
    rigText world[] = {{"value", "t;0;0"}, {NULL, NULL}};
    rigText body[] = {{"value", "0;t;0"}, {"frame", "body"}, {NULL, NULL}};
    rigOut out;
    s.kin[0].R = vg_so3_exp(vg_v3(0, 0, acos(0)));
    Rig a = rig_new("force", world, A, A, 0), b = rig_new("force", body, A, A, 0);
    rig_eval(&a, &s, 0, &out);
    CHECK_NEAR(out.f[0], 3, 1e-15);
    CHECK_NEAR(out.f[5], -6, 1e-14);
    rig_eval(&b, &s, 0, &out);
    CHECK_NEAR(out.f[0], -3, 1e-15);
    CHECK_NEAR(out.f[5], 6, 1e-14);
    Rig c = rig_new("torque", world, A, A, 0), d = rig_new("torque", body, A, A, 0);
    rig_eval(&c, &s, 0, &out);
    CHECK_NEAR(out.f[3], 0, 1e-15);
    CHECK_NEAR(out.f[4], -3, 1e-14);
    rig_eval(&d, &s, 0, &out);
    CHECK_NEAR(out.f[4], 3, 1e-14);
    rig_free(&a), rig_free(&b), rig_free(&c), rig_free(&d);
}

TEST_MAIN(tension_and_tangent_on_a_line, free_length_defaults_to_the_initial_one, tabulated_spring,
          law_of_length_and_rate_equals_the_linear_spring, spring_of_no_free_length_is_linear,
          contradictions_are_refused_with_a_reason, applied_force_and_torque)
