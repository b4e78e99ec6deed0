/* Starts: what is given roughly is closed with the least change in the mass metric; what cannot close,
 * conflicts or stands in a singular position is an error that names the joint. */
#include "analysis/state/least_norm.h"
#include "test.h"

#include <math.h>

#include "analysis/run/simulation.h"
#include "run_model.h"

static vgStatus open_text(const char *text, vgDiag *diag, vgModel **m, vgSimulation *sim)
{
    vgDials dials = {0};
    *m = vg_model_parse(text, strlen(text), "test.yaml", NULL, 0, diag);
    if (!*m) return VG_BAD_INPUT;
    return vg_simulation_open(*m, &dials, diag, sim);
}

/* Two point masses on a rod of length 2, given 1 apart: each moves by the other's share of the mass. */
TEST(least_change_is_weighted_by_mass)
{
    const char *text = "verge: 1\ntitle: t\ngravity: [0, 0, 0]\nbodies:\n  a: {point: true, mass: 1, "
                       "position: [0, 0, 0], velocity: [0, 1, 0]}\n"
                       "  b: {point: true, mass: 3, position: [1, 0, 0], velocity: [4, 0, 0]}\njoints:\n  "
                       "rod: {distance: [a, b], length: 2}\n";
    vgDiag *diag = vg_diag_new();
    vgModel *m;
    vgSimulation sim;
    CHECK_INT(open_text(text, diag, &m, &sim), VG_OK);
    if (vg_diag_count(diag)) printf("%s\n", vg_diag_line(diag, 0));
    CHECK_NEAR(sim.state->q[0], -0.75, 1e-12);
    CHECK_NEAR(sim.state->q[3], 1.25, 1e-12);
    CHECK_NEAR(sim.state->v[0], 3, 1e-12); /* the velocity along the rod of the common centre */
    CHECK_NEAR(sim.state->v[3], 3, 1e-12);
    CHECK_NEAR(sim.state->v[1], 1, 1e-12);
    CHECK_NEAR(sim.assembly.moved, 0.75, 1e-12);
    CHECK_INT(sim.assembly.freedom, 5);
    vg_simulation_close(&sim);
    vg_model_free(m);
    vg_diag_free(diag);
}

/* A slider-crank, crank upwards: its rate alone is given, whatever its own mass, and all others follow.
 * v_A = (−5, 0) is along the slide, so the rod does not turn. Then the same from the slider's velocity, and
 * an open chain: a bar without a velocity of its own turns with the one that carries it. */
TEST(given_velocities_are_kept_and_the_rest_follows)
{
#define CRANK(crank, slider)                                                                                 \
    "verge: 1\nbodies:\n"                                                                                    \
    "  crank: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [0.1, 0.2, 0], " crank "markers: {A: [0, 0.5, 0]}}\n" \
    "  rod: {mass: 2, inertia: [0.3, 0.3, 0.3], position: [0, 0.5, 0], markers: {B: [1.2, -0.5, 0]}}\n"      \
    "  slider: {mass: 3, inertia: [1, 1, 1], com: [0, 0.3, 0], " slider "position: [1.2, 0, 0]}\n"           \
    "joints:\n  O: {revolute: [ground, crank]}\n  A: {spherical: [crank.A, rod]}\n"                          \
    "  B: {universal: [slider, rod.B], axis: y, axis2: z}\n  S: {prismatic: [ground, slider], axis: x}\n"
    static const char *const dial[] = {"lie", "se3", "euler-parameters", "natural", "relative"};
    for (int i = 0; i < 10; i++) {
        runResult r = run_model(
            &(runSpec){.text = i < 5 ? CRANK("omega: [0, 0, 10], ", "") : CRANK("", "velocity: [-5, 0, 0], "),
                       .coordinates = dial[i % 5],
                       .integrator = "generalized-alpha",
                       .step = 1e-9,
                       .end = 1e-9,
                       .channel = {"joint.O.rate", "body.slider.velocity.x", "body.rod.omega.z",
                                   "body.rod.velocity.x"}});
        CHECK_INT(r.status, VG_OK);
        CHECK_NEAR(r.value[0], 10, 1e-6);
        CHECK_NEAR(r.value[1], -5, 1e-6);
        CHECK_NEAR(r.value[2], 0, 1e-6);
        CHECK_NEAR(r.value[3], -5, 1e-6);
    }
    runResult r = run_model(&(runSpec){
        .text = "verge: 1\nplanar: true\nbodies:\n"
                "  a: {mass: 7, inertia: 1, com: [0.5, 0], omega: 2, markers: {end: [0.6, 0]}}\n"
                "  b: {mass: 3, inertia: 3*0.8^2/12, position: [1, 0], markers: {end: [-0.4, 0]}}\n"
                "joints: {O: {revolute: [ground, a]}, E: {revolute: [a.end, b.end]}}\n",
        .integrator = "generalized-alpha",
        .step = 1e-9,
        .end = 1e-9,
        .channel = {"body.a.omega", "body.b.omega"}});
    CHECK_NEAR(r.value[0], 2, 1e-6);
    CHECK_NEAR(r.value[1], 2, 1e-6);
}

/* The integral of a controller's error is a coordinate and no freedom. */
TEST(integrals_are_no_freedom)
{
    runResult r = run_model(&(runSpec){.text = "verge: 1\nplanar: true\nbodies: {a: {mass: 1, inertia: "
                                               "1}}\njoints: {O: {revolute: [ground, a]}}\n"
                                               "forces: {p: {pid: O, target: 1, p: 5, i: 3, d: 1}}\n",
                                       .integrator = "generalized-alpha",
                                       .step = 1e-3,
                                       .end = 1e-3,
                                       .channel = {"joint.O.angle"}});
    CHECK_INT(r.status, VG_OK);
    CHECK_INT(r.freedom, 1);
}

#define TWO_LINKS(x, last)                                                                                   \
    "verge: 1\ntitle: t\ngravity: [0, 0, -9.81]\nbodies:\n  ground: {markers: {B: [" x ", 0, 0]}}\n"         \
    "  crank: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.5], markers: {a: [0, 0, -0.5], b: [0, " \
    "0, 0.5]}}\n"                                                                                            \
    "  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 1], markers: {a: [-0.5, 0, 0], b: [0.5, " \
    "0, 0]}}\n"                                                                                              \
    "joints:\n  A: {revolute: [ground, crank.a], axis: y}\n  B: {revolute: [crank.b, rod.a], axis: y}\n  "   \
    "C: " last "\n"

static void refuse(const char *text, const char *part, const char *other)
{
    vgDiag *diag = vg_diag_new();
    vgModel *m;
    vgSimulation sim;
    CHECK_INT(open_text(text, diag, &m, &sim), VG_INCONSISTENT);
    CHECK_STR(vg_diag_line(diag, 0), part);
    CHECK_STR(vg_diag_line(diag, 0), other);
    CHECK_STR(vg_diag_line(diag, 0), "test.yaml:");
    vg_model_free(m);
    vg_diag_free(diag);
}

TEST(what_cannot_start_says_why)
{
    refuse(TWO_LINKS("2.5", "{spherical: [ground.B, rod.b]}"), "cannot be assembled", "stays open");
    refuse(TWO_LINKS("2", "{spherical: [ground.B, rod.b]}"), "singular position", "joint 'B'");
    refuse(TWO_LINKS("1.5", "{revolute: [ground.B, rod.b], axis: [0, 1, 0.2], axis2: [0, 1, 0]}"),
           "conflicts", "joint 'C'"); /* whose axis it is */
}

/* Four parallel revolutes: three rows too many, found, and the multipliers of least norm carry no torque
 * across. */
TEST(redundant_rows_are_found)
{
    char path[512];
    snprintf(path, sizeof path, "%s/models/four-bar-spatial.yaml", VERGE_SOURCE_DIR);
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_load(path, NULL, 0, diag);
    vgSimulation sim;
    vgDials dials = {0};
    CHECK(m != NULL);
    CHECK_INT(vg_simulation_open(m, &dials, diag, &sim), VG_OK);
    CHECK_INT(sim.assembly.nredundant, 3);
    CHECK_INT(sim.assembly.freedom, 1);
    double least[64], n0 = 0, n1 = 0, wrench[6];
    vgLeastNorm *norm = NULL;
    CHECK_INT(vg_least_norm_new(sim.sys, &norm), VG_OK);
    CHECK_INT(vg_least_norm_multipliers(norm, sim.it->work, 0, sim.state->q, sim.state->lambda, least),
              VG_OK);
    vg_least_norm_free(norm);
    for (int i = 0; i < sim.sys->nl; i++) {
        n0 += sim.state->lambda[i] * sim.state->lambda[i];
        n1 += least[i] * least[i];
    }
    CHECK(n1 <= n0 * (1 + 1e-12));
    sim.sys->ops->kinematics(sim.sys, sim.it->work, 0, sim.state->q, sim.state->v, sim.state->a);
    for (int j = 0; j < m->njoint; j++) { /* a mechanism in the x–y plane: nothing across it */
        sim.sys->ops->reaction(sim.sys, sim.it->work, 0, least, j, wrench);
        CHECK_NEAR(wrench[2], 0, 1e-10);
        CHECK_NEAR(wrench[3], 0, 1e-10);
        CHECK_NEAR(wrench[4], 0, 1e-10);
    }
    vg_simulation_close(&sim);
    vg_model_free(m);
    vg_diag_free(diag);
}

/* A platform on six legs that are given upright, where three of their lengths say nothing: they lean once the
 * tips are where they belong. With feet on a circle of 1 m, tips on one of 0.6 m, 0.3 rad apart to either
 * side, legs of length l lift the platform to z² = l² − (1 + 0.6² − 1.2 cos 0.3). */
/* One sentence for each change above the bound that was asked for, none for the others. */
TEST(changes_below_the_bound_have_no_words)
{
    static vgBody body[3] = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
    const vgModel m = {.body = body, .nbody = 3};
    const vgAssembly a = {.moved = 0.2,
                          .length = 2,
                          .moved_body = 0,
                          .turned = 0.03,
                          .turned_body = 1,
                          .speed = 4,
                          .speed_body = 2};
    static const struct {
        double just_below, just_above;
        const char *words;
    } change[] = {{0.099, 0.101, "moved body a by 0.2 m"},
                  {0.029, 0.031, "turned body b by 0.03 rad"},
                  {3.99, 4.01, "velocity of body c by 4"}};
    for (int i = 0; i < 3; i++) {
        char text[200] = "";
        CHECK(vg_assembly_change(&a, &m, i, change[i].just_below, text, sizeof text) > 0);
        CHECK_STR(text, change[i].words);
        CHECK_INT(vg_assembly_change(&a, &m, i, change[i].just_above, text, sizeof text), 0);
    }
}

TEST(rows_that_only_seemed_redundant_are_taken)
{
    const char *text =
        "verge: 1\ngravity: 9.81\nparameters: {c: sqrt(1.36 - 1.2*cos(0.3)), H: 1.2}\nbodies:\n"
        "  top: {mass: 20, inertia: [1.8, 1.8, 3.6], position: [0, 0, H]}\nrepeat:\n  to: 6\n  bodies:\n"
        "    'low{i}': {mass: 2, inertia: [0.1, 0.1, 0.01], com: [0, 0, 0.3], position: [cos(pi/3*i), "
        "sin(pi/3*i), 0]}\n"
        "    'up{i}': {mass: 1, inertia: [0.1, 0.1, 0.01], com: [0, 0, -0.3], position: [cos(pi/3*i), "
        "sin(pi/3*i), H]}\n  joints:\n"
        "    'foot{i}': {universal: [{body: ground, position: [cos(pi/3*i), sin(pi/3*i), 0]}, 'low{i}'], "
        "axis: x, axis2: y}\n"
        "    'leg{i}': {prismatic: ['low{i}', 'up{i}'], drive: {displacement: sqrt(c^2 + H^2) + 0.2*t}}\n"
        "    'tip{i}': {spherical: ['up{i}', {body: top, position: [0.6*cos(pi/3*i + 0.3*(-1)^i), "
        "0.6*sin(pi/3*i + 0.3*(-1)^i), 0]}]}\n";
    static const char *const dial[][2] = {{"lie", "index3"},
                                          {"euler-parameters", "index2"},
                                          {"natural", "augmented3"},
                                          {"relative", "index3"},
                                          {"relative", "independent"}};
    double c2 = 1.36 - 1.2 * cos(0.3), l = sqrt(c2 + 1.44) + 0.1;
    for (int i = 0; i < 5; i++) {
        runResult r = run_model(
            &(runSpec){.text = text,
                       .coordinates = dial[i][0],
                       .constraints = dial[i][1],
                       .integrator = "generalized-alpha",
                       .step = 1e-2,
                       .end = 0.5,
                       .channel = {"body.top.position.z", "body.top.position.x", "body.top.velocity.z"}});
        CHECK_INT(r.status, VG_OK);
        CHECK_INT(r.nredundant, 0);
        CHECK_NEAR(r.value[0], sqrt(l * l - c2), 1e-10);
        CHECK_NEAR(r.value[1], 0, 1e-10);
        CHECK_NEAR(r.value[2], 0.2 * l / sqrt(l * l - c2), 1e-4);
    }
}

TEST_MAIN(least_change_is_weighted_by_mass, given_velocities_are_kept_and_the_rest_follows,
          integrals_are_no_freedom, what_cannot_start_says_why, redundant_rows_are_found,
          changes_below_the_bound_have_no_words, rows_that_only_seemed_redundant_are_taken)
