/* Tendons, drives with dynamics and polynomial equalities of MJCF against the format's own engine and closed forms. */
#include "robot_files.h"

static const char *const both[] = {"relative", "lie"};

/* MuJoCo 3.14.0 (npm @mujoco/mujoco): mj_forward of hand.xml at this state, with constraints and contacts off. */
static const vgImportStart start[] = {
    {"wrist", 1, 1, {0.3}, {0.7}},
    {"twist", 1, 1, {-0.2}, {0.5}},
    {"base", 1, 1, {0.5}, {-1.1}},
    {"end", 1, 1, {0.4}, {0.9}},
};
static const struct {
    const char *input;
    double value;
} control[] = {
    {"input.pull", 0.2}, {"input.lift", 1.5}, {"input.slow", 0.8}, {"input.wind", 0.3}, {"input.air", 0.6}};
static const struct {
    const char *channel;
    double value, scale;
} expected[] = {
    {"joint.wrist.acceleration", 1027.2628541294773, 481712.90553604043},
    {"joint.twist.acceleration", 2474.297599626861, 481712.90553604043},
    {"joint.base.acceleration", -66320.38353866251, 481712.90553604043},
    {"joint.end.acceleration", 481712.90553604043, 481712.90553604043},
    {"force.extensor.length", 0.267585665888037, 1},
    {"force.flexor.length", 0.22573347436412833, 1},
    {"force.tackle.length", 0.34131574253354907, 1},
    {"force.extensor.rate", -0.0005235294200263579, 1},
    {"force.flexor.rate", -0.00786012042280447, 1},
    {"force.tackle.rate", 0.06738952015281759, 1},
};

TEST(tendons_about_geoms_and_over_pulleys)
{
    const vgImportOptions options = {.start = start, .nstart = 4};
    for (int k = 0; k < 2; k++) {
        robotSim s;
        if (robot_open(&s, "hand.xml", &options, NULL, both[k])) {
            for (int i = 0; i < 5; i++) CHECK(vg_sim_set(s.sim, control[i].input, control[i].value) == VG_OK);
            for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
                CHECK_NEAR(robot_get(&s, expected[i].channel), expected[i].value, 1e-12 * expected[i].scale);
        }
        robot_close(&s);
    }
}

static vgSim *opened(const char *text, const char *name, const char *coordinates, vgModel **model,
                     vgDiag *diag)
{
    vgSim *sim = NULL;
    vgSimOptions dials = {.coordinates = coordinates, .step = 1e-3};
    *model = vg_parse(text, strlen(text), name, NULL, diag);
    CHECK(*model && vg_sim_new(*model, &dials, diag, &sim) == VG_OK);
    for (int i = 0; !sim && i < vg_diag_count(diag); i++) printf("%s\n", vg_diag_line(diag, i));
    return sim;
}

static double value_of(vgSim *sim, const char *channel)
{
    double x = NAN;
    CHECK(sim && vg_sim_get(sim, channel, &x) == VG_OK);
    return x;
}

/* ȧ = (u − a)/τ and ȧ = u under a constant control. */
TEST(drives_with_dynamics)
{
    static const char text[] =
        "<mujoco><worldbody><body><joint name='j' type='slide' axis='1 0 0'/><geom size='0.1' "
        "mass='2'/></body></worldbody><option gravity='0 0 0'/><actuator><general name='lag' joint='j' "
        "dyntype='filterexact' dynprm='0.2' gainprm='3'/><general name='sum' joint='j' dyntype='integrator' "
        "gainprm='0'/></actuator></mujoco>";
    for (int k = 0; k < 2; k++) {
        vgDiag *diag = vg_diag_new();
        vgModel *m;
        vgSim *sim = opened(text, "lag.xml", both[k], &m, diag);
        if (sim) {
            CHECK(vg_sim_set(sim, "input.lag", 0.7) == VG_OK && vg_sim_set(sim, "input.sum", -1.5) == VG_OK);
            CHECK(vg_sim_advance(sim, 0.5) == VG_OK);
            double e = exp(-0.5 / 0.2), a = 0.7 * (1 - e), speed = 1.5 * 0.7 * (0.5 - 0.2 * (1 - e));
            CHECK_NEAR(value_of(sim, "force.lag_activation.activation"), a,
                       2e-6); /* second order in the step */
            CHECK_NEAR(value_of(sim, "force.sum_activation.activation"), -0.75, 1e-12);
            CHECK_NEAR(value_of(sim, "joint.j.rate"), speed, 2e-6);
        }
        vg_sim_free(sim);
        vg_model_free(m);
        vg_diag_free(diag);
    }
}

/* q1 − ref1 = P(q2 − ref2) of two slides: (m2 + m1 P'²) q̈2 = F2 − m1 P' P'' q̇2² along the weightless direction. */
TEST(polynomial_equality)
{
    static const char text[] =
        "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='a' type='slide' axis='1 0 0' "
        "ref='0.3'/><geom size='0.1' mass='2'/></body><body><joint name='b' type='slide' axis='0 1 0' "
        "ref='-0.1'/><geom size='0.1' mass='3'/></body></worldbody><equality><joint joint1='a' joint2='b' "
        "polycoef='0.05 0.8 0.3 -0.2 0.1'/></equality><actuator><motor name='push' "
        "joint='b'/></actuator></mujoco>";
    static const double c[] = {0.05, 0.8, 0.3, -0.2, 0.1};
    for (int k = 0; k < 2; k++) {
        vgDiag *diag = vg_diag_new();
        vgModel *m;
        vgSim *sim = opened(text, "poly.xml", both[k], &m, diag);
        if (sim) {
            CHECK(vg_sim_set(sim, "input.push", 4) == VG_OK);
            double first = value_of(sim, "joint.b.displacement");
            CHECK(vg_sim_advance(sim, 0.4) == VG_OK);
            double q = value_of(sim, "joint.b.displacement"), v = value_of(sim, "joint.b.rate"), x = q + 0.1;
            double P = 0, d = 0, dd = 0;
            for (int i = 4; i >= 0; i--) dd = dd * x + 2 * d, d = d * x + P, P = P * x + c[i];
            CHECK(fabs(v) > 0.2);
            CHECK_NEAR(value_of(sim, "joint.a.displacement"), 0.3 + P, 1e-10);
            CHECK_NEAR(value_of(sim, "joint.a.rate"), d * v, 1e-9);
            CHECK_NEAR(value_of(sim, "joint.b.acceleration"), (4 - 2 * d * dd * v * v) / (3 + 2 * d * d),
                       1e-5);
            /* energy: the work of the push */
            double T = 0.5 * (3 + 2 * d * d) * v * v;
            CHECK_NEAR(T, 4 * (q - first), 1e-6);
        }
        vg_sim_free(sim);
        vg_model_free(m);
        vg_diag_free(diag);
    }
}

/* `armature` and `limits` where the joint is: a pendulum with a rotor, (J + m l² + I) φ̈ = −m g l sin φ − k e^1.5. */
TEST(keys_of_joints)
{
    static const char text[] = "verge: 1\ngravity: [0, 0, -9.81]\n"
                               "bodies: {b: {mass: 2, inertia: [0.3, 0.4, 0.3], position: [0.5, 0, 0]}}\n"
                               "joints: {j: {revolute: [ground, {body: b, position: [-0.5, 0, 0]}], axis: y, "
                               "armature: 0.7, limits: {lower: -2, upper: -0.1, stiffness: 50}}}\n";
    for (int k = 0; k < 2; k++) {
        vgDiag *diag = vg_diag_new();
        vgModel *m;
        vgSim *sim = opened(text, "keys", both[k], &m, diag);
        double torque = 2 * 9.81 * 0.5 - 50 * pow(0.1, 1.5);
        CHECK_NEAR(value_of(sim, "joint.j.acceleration"), torque / (0.7 + 2 * 0.25 + 0.4), 1e-12);
        CHECK_NEAR(value_of(sim, "force.j_limits.torque"), -50 * pow(0.1, 1.5), 1e-12);
        vg_sim_free(sim);
        vg_model_free(m);
        vg_diag_free(diag);
    }
}

static void refused(const char *joint, const char *why)
{
    char text[600];
    vgDiag *diag = vg_diag_new();
    snprintf(text, sizeof text, "verge: 1\nbodies: {b: {mass: 2, inertia: [1, 1, 1]}}\njoints:\n  j: {%s}\n",
             joint);
    vgModel *m = vg_parse(text, strlen(text), "bad", NULL, diag);
    CHECK(m == NULL);
    CHECK_STR(vg_diag_line(diag, 0), why);
    vg_model_free(m);
    vg_diag_free(diag);
}

TEST(wrong_keys_are_refused_with_a_place)
{
    refused("revolute: [ground, b], limits: [0, 1]", "bad:4:38: error: limits: expected {lower");
    refused("revolute: [ground, b], limits: {lower: 1, upper: 0, stiffness: 1}", "upper is below lower");
    refused("cylindrical: [ground, b], armature: 1", "has 2 coordinates; name the one that is meant");
    refused("fixed: [ground, b], armature: 1", "has no coordinate");
    refused("revolute: [ground, b], limits: {lower: 0, upper: 1, stifness: 1}", "did you mean 'stiffness'");
}

TEST_MAIN(tendons_about_geoms_and_over_pulleys, drives_with_dynamics, polynomial_equality, keys_of_joints,
          wrong_keys_are_refused_with_a_place)
