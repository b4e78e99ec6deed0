/* Channels of planar models as a user reads them: angles of bodies count their turns whenever they are looked
 * at, reactions have the components x, y and the torque about z whatever the joint's axis. */
#include <verge/verge.h>

#include <stdlib.h>

#include "test.h"

static vgSim *simulate(vgModel **model, const char *text, const char *coordinates)
{
    vgDiag *diag = vg_diag_new();
    vgSim *sim = NULL;
    vgSimOptions o = {.coordinates = coordinates};
    *model = vg_parse(text, strlen(text), "text", NULL, diag);
    CHECK(*model != NULL);
    CHECK_INT(vg_sim_new(*model, &o, diag, &sim), VG_OK);
    for (int i = 0; i < vg_diag_count(diag); i++) printf("%s\n", vg_diag_line(diag, i));
    vg_diag_free(diag);
    return sim;
}

static double get(vgSim *sim, const char *channel)
{
    double value;
    CHECK_INT(vg_sim_get(sim, channel, &value), VG_OK);
    return value;
}

/* θ = θ₀ + ½ T t²/J, looked at for the first time after many turns, and again from a saved state. */
TEST(angles_count_their_turns)
{
    static const char text[] = "verge: 1\n"
                               "planar: true\n"
                               "bodies:\n"
                               "  disc: {mass: 1, inertia: 0.1, angle: 7}\n"
                               "  arm: {mass: 1, inertia: 0.1, angle: 7}\n"
                               "joints:\n"
                               "  O: {revolute: [ground, disc]}\n"
                               "  A: {fixed: [disc, arm]}\n"
                               "forces:\n"
                               "  T: {torque: disc, value: 4}\n"
                               "run: {step: 0.001}\n";
    static const char *const coordinates[] = {"planar", "natural", "relative"};
    for (int k = 0; k < 3; k++) {
        vgModel *model;
        vgSim *sim = simulate(&model, text, coordinates[k]);
        CHECK_INT(vg_sim_advance(sim, 3), VG_OK);
        double theta = 7 + 0.5 * 4 / 0.2 * 9,
               off = k == 1 ? 0.1 : 1e-9; /* steps of natural coordinates err */
        CHECK_NEAR(get(sim, "body.disc.angle"), theta, off);
        CHECK_NEAR(get(sim, "body.arm.angle"), theta, off);
        size_t size = vg_sim_checkpoint_size(sim);
        void *bytes = malloc(size);
        CHECK_INT(vg_sim_save(sim, bytes, size), VG_OK);
        vg_sim_free(sim);
        vg_model_free(model);
        sim = simulate(&model, text, coordinates[k]);
        CHECK_INT(vg_sim_restore(sim, bytes, size), VG_OK);
        CHECK_NEAR(get(sim, "body.arm.angle"), theta, off);
        free(bytes);
        vg_sim_free(sim);
        vg_model_free(model);
    }
}

/* A block on a slope of 0.5 rad: the slope pushes with m g cos 0.5 along its normal. The same along the axes
 * of a marker that is turned with the slope. */
TEST(reactions_lie_in_the_plane)
{
    static const char text[] = "verge: 1\n"
                               "planar: true\n"
                               "gravity: [0, -10]\n"
                               "bodies:\n"
                               "  ground: {markers: {S: {position: [1, 0], angle: 0.5}}}\n"
                               "  a: {mass: 2, inertia: 0.1}\n"
                               "  b: {mass: 2, inertia: 0.1, position: [1, 0]}\n"
                               "  c: {mass: 2, inertia: 0.1, com: [0.3, 0]}\n"
                               "joints:\n"
                               "  A: {point-on-line: [ground, a], axis: [cos(0.5), sin(0.5)]}\n"
                               "  B: {point-on-line: [ground.S, b], axis: x}\n"
                               "  C: {prismatic: [ground, c], axis: y, drive: {displacement: 0}}\n"
                               "run: {step: 0.001}\n";
    vgModel *model;
    vgSim *sim = simulate(&model, text, NULL);
    const double N = 20 * cos(0.5);
    for (int k = 0; k < 2; k++) {
        if (k) CHECK_INT(vg_sim_advance(sim, 0.2), VG_OK);
        CHECK_NEAR(get(sim, "joint.A.force.x"), -N * sin(0.5), 1e-8);
        CHECK_NEAR(get(sim, "joint.A.force.y"), N * cos(0.5), 1e-8);
        CHECK_NEAR(get(sim, "joint.A.torque.z"), 0, 1e-8);
        CHECK_NEAR(get(sim, "joint.B.force.x"), 0, 1e-8);
        CHECK_NEAR(get(sim, "joint.B.force.y"), N, 1e-8);
        CHECK_NEAR(get(sim, "joint.C.force.x"), 0, 1e-8);
        CHECK_NEAR(get(sim, "joint.C.torque.z"), 20 * 0.3, 1e-8);
        CHECK_NEAR(get(sim, "joint.C.drive.force.y"), 20, 1e-8);
    }
    vg_sim_free(sim);
    vg_model_free(model);
}

/* A body with a mistake in it is not reported again by the joints that hold it. */
TEST(a_mistake_is_told_once)
{
    static const char text[] = "verge: 1\n"
                               "bodies:\n"
                               "  a: {mass: M, inertia: [1, 1, 1], markers: {E: [1, 0, 0]}}\n"
                               "  b: {mass: 1, inertia: [1, 1, 1]}\n"
                               "joints:\n"
                               "  O: {revolute: [ground, a]}\n"
                               "  P: {fixed: [a.E, b]}\n";
    vgDiag *diag = vg_diag_new();
    CHECK(vg_parse(text, strlen(text), "text", NULL, diag) == NULL);
    CHECK_INT(vg_diag_count(diag), 1);
    CHECK(strstr(vg_diag_line(diag, 0), "unknown name \"M\"") != NULL);
    for (int i = 1; i < vg_diag_count(diag); i++) printf("%s\n", vg_diag_line(diag, i));
    vg_diag_free(diag);
}

TEST_MAIN(angles_count_their_turns, reactions_lie_in_the_plane, a_mistake_is_told_once)
