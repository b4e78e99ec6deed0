/* Forces along joint coordinates against closed forms. */
#include "element/force_rig.h"

static Rig along(const char *kind, const rigText *text)
{
    vgFrame none = rig_frame(-1, vg_zero3());
    return rig_new(kind, text, none, none, 0);
}

static rigState at(double t, double x, double v)
{
    return (rigState){.t = t, .value = {x}, .rate = {v}};
}

static double force_along(const Rig *rig, rigState s)
{
    rigOut out;
    rig_eval(rig, &s, 0, &out);
    return out.Q[0];
}

TEST(torsion_spring)
{
    rigText text[] = {
        {"stiffness", "20"}, {"damping", "0.5"}, {"angle0", "0.1"}, {"preload", "2"}, {NULL, NULL}};
    Rig rig = along("torsion", text);
    rigState s = at(0, 7, 3); /* more than a turn */
    CHECK_NEAR(force_along(&rig, s), -(20 * 6.9 + 1.5 + 2), 1e-12);
    CHECK_NEAR(rig_energy(&rig, &s), 10 * 6.9 * 6.9 + 2 * 6.9, 1e-12);
    rig_free(&rig);
}

TEST(joint_torque_of_time_and_motion)
{
    rigText text[] = {{"value", "if(t < 0.5, 2*sin(pi*t), 0) - 3*v"}, {NULL, NULL}};
    Rig rig = along("joint-torque", text);
    double values[RIG_MAX];
    rigState s = at(0.5 / 3, 0, 0.2);
    CHECK_NEAR(force_along(&rig, s), 1 - 0.6, 1e-15);
    CHECK_NEAR(force_along(&rig, at(0.6, 0, 0.2)), -0.6, 1e-15);
    rig_output(&rig, &s, values);
    CHECK_NEAR(values[1], 0.4 * 0.2, 1e-15);
    rig_free(&rig);
}

/* Far from rest the level is Coulomb's, just above the regularisation it is the static one, at rest zero. */
TEST(friction_levels)
{
    rigText text[] = {{"coulomb", "3"},     {"static", "4"},     {"viscous", "0.2"},
                      {"velocity", "1e-4"}, {"stribeck", "0.1"}, {NULL, NULL}};
    Rig rig = along("joint-friction", text);
    CHECK_NEAR(force_along(&rig, at(0, 0, 0)), 0, 0);
    CHECK_NEAR(force_along(&rig, at(0, 0, 2)), -3.4, 1e-14);
    CHECK_NEAR(force_along(&rig, at(0, 0, -2)), 3.4, 1e-14);
    CHECK_NEAR(force_along(&rig, at(0, 0, 0.1)), -(3 + exp(-1) + 0.02), 1e-14);
    CHECK_NEAR(force_along(&rig, at(0, 0, 0.002)), -4, 1e-3);
    rig_free(&rig);
}

/* With bristles: the tangent by differences, where they bend, give way and slide; and z = G v/|v| is sliding,
 * with Coulomb's level or the static one. */
TEST(friction_by_bristles)
{
    rigText text[] = {{"coulomb", "3"}, {"static", "5"},     {"viscous", "0.2"}, {"velocity", "0.1"},
                      {"stick", "0.3"}, {"stribeck", "0.4"}, {NULL, NULL}};
    Rig rig = along("joint-friction", text);
    CHECK_INT(rig.setup.nscalar, 1);
    rig.setup.nmeasure = 2;
    for (int i = 0; i < 20; i++) {
        const double h = 1e-6, v = 0.3 * sin(1 + 3.0 * i), z = 1.4 * cos(2.0 * i);
        rigState s = at(0.4, 0, v);
        rigOut out, side[2];
        s.rate[1] = z;
        rig_eval(&rig, &s, 1, &out);
        for (int k = 0; k < 2; k++) {
            for (int d = 0; d < 2; d++) {
                rigState moved = s;
                moved.rate[k] += d ? h : -h;
                rig_eval(&rig, &moved, 0, &side[d]);
            }
            for (int q = 0; q < 2; q++)
                CHECK_NEAR(out.dQ[4 * q + 2 + k], (side[1].Q[q] - side[0].Q[q]) / (2 * h), 1e-5);
        }
    }
    for (int i = 0; i < 2; i++) {
        const double v = i ? 0.2 : -20, G = 1 + (5.0 / 3 - 1) * exp(-v * v / 0.16);
        rigState s = at(0, 0, v);
        rigOut out;
        s.rate[1] = v > 0 ? G : -G;
        rig_eval(&rig, &s, 0, &out);
        CHECK_NEAR(out.Q[0], (v > 0 ? -1 : 1) * 3 * G - 0.2 * v, 1e-12);
        CHECK_NEAR(out.Q[1], 0, 1e-12);
    }
    rig_free(&rig);
}

TEST(controller)
{
    rigText text[] = {{"target", "t^2"}, {"p", "100"}, {"d", "10"}, {"i", "7"}, {NULL, NULL}};
    Rig rig = along("pid", text);
    rigState s = at(3, 8.5, 5);
    rigOut out;
    CHECK_INT(rig.setup.nmeasure, 1);
    CHECK_INT(rig.setup.nscalar, 1);
    s.rate[1] = 0.25; /* the integral */
    rig.setup.nmeasure = 2;
    rig_eval(&rig, &s, 0, &out);
    CHECK_NEAR(out.Q[0], 100 * 0.5 + 10 * 1 + 7 * 0.25, 1e-12);
    CHECK_NEAR(out.Q[1], 9 - 8.5, 1e-14); /* e: what the integral's coordinate accelerates with */
    rig_free(&rig);
}

TEST(controller_with_limit)
{
    rigText text[] = {{"target", "1"}, {"p", "1000"}, {"limit", "40"}, {NULL, NULL}};
    rigText bad[] = {{"target", "ch0"}, {NULL, NULL}};
    Rig rig = along("pid", text);
    CHECK_INT(rig.setup.nscalar, 0);
    CHECK_NEAR(force_along(&rig, at(0, 0, 0)), 40, 1e-10);
    CHECK_NEAR(force_along(&rig, at(0, 2, 0)), -40, 1e-10);
    CHECK_NEAR(force_along(&rig, at(0, 1 - 1e-6, 0)), 1e-3, 1e-9);
    Rig refused = along("pid", bad);
    CHECK_INT(refused.status, VG_BAD_INPUT);
    CHECK_STR(refused.setup.key, "target");
    rig_free(&rig);
    rig_free(&refused);
}

TEST(rotor_adds_inertia)
{
    rigText text[] = {{"inertia", "2e-5"}, {"ratio", "100"}, {NULL, NULL}};
    Rig rig = along("rotor", text);
    rigState s = at(0, 0, 3);
    rigOut out;
    rigIn in;
    CHECK_INT(rig.setup.inertial, 1);
    s.acc[0] = 5;
    rig_eval(&rig, &s, 1, &out);
    CHECK_NEAR(out.Q[0], -0.2 * 5, 1e-15);
    CHECK_NEAR(out.dA[0], 0.2, 1e-15);
    CHECK_NEAR(rig.kind->kinetic(rig.def, rig_in(&rig, &s, &in)), 0.5 * 0.2 * 9, 1e-15);
    rig_free(&rig);
}

/* Local inputs from the element, time from the call, the others from the caller, derivatives sorted back. */
TEST(law_inputs)
{
    rigText text[] = {{"value", "ch1*x^2 + t*v + ch0rate"}, {NULL, NULL}};
    Rig rig = along("joint-torque", text);
    const vgLaw *law = rig.setup.law[0];
    double inputs[VG_LAW_MAX_INPUTS] = {0}, local[2] = {3, 5}, dlocal[3], dext[2], out[3];
    for (int i = 0; i < law->ninput; i++)
        inputs[i] = law->slot[i] == VG_LAW_LOCAL + 2 ? 7 : law->slot[i] == VG_LAW_LOCAL + 1 ? 11 : NAN;
    CHECK_INT(vg_law_nexternal(law), 2);
    CHECK(!vg_law_is_time(law));
    CHECK_NEAR(vg_law_value(law, 2, 2, local, inputs, NULL), 63 + 10 + 11, 1e-14);
    CHECK_NEAR(vg_law_grad(law, 2, 2, local, inputs, NULL, dlocal, dext), 84, 1e-14);
    CHECK_NEAR(dlocal[0], 5, 1e-14);
    CHECK_NEAR(dlocal[1], 42, 1e-14);
    CHECK_NEAR(dlocal[2], 2, 1e-14);
    CHECK_NEAR(dext[0], 9, 1e-14);
    CHECK_NEAR(dext[1], 1, 1e-14);
    vgLaw constant = {.value = 4}, absent = {.value = NAN};
    vg_law_time(&constant, 1, out);
    CHECK(out[0] == 4 && out[1] == 0 && out[2] == 0);
    CHECK(vg_law_given(&constant) && !vg_law_given(&absent) && vg_law_is_time(&constant));
    rig_free(&rig);
}

TEST_MAIN(friction_by_bristles, torsion_spring, joint_torque_of_time_and_motion, friction_levels, controller,
          controller_with_limit, rotor_adds_inertia, law_inputs)
