/* The C API over a run: sums over the steps, events, real time between other steps, states of other models.
 */
#include <verge/verge.h>

#include <stdlib.h>

#include "test.h"

/* v' = −v with m = c = 1: v = exp(−t), and ∫ c v² dt = (1 − exp(−2t))/2 of the energy is gone by t. */
static const char slider[] = "verge: 1\n"
                             "planar: true\n"
                             "bodies:\n"
                             "  a: {mass: 1, inertia: 0.1, velocity: [1, 0]}\n"
                             "joints:\n"
                             "  rail: {prismatic: [ground, a], axis: x}\n"
                             "forces:\n"
                             "  drag: {torsion: rail, damping: 1}\n"
                             "run: {step: 1e-3}\n";

static const char pendulum[] = "verge: 1\n"
                               "planar: true\n"
                               "gravity: 9.81\n"
                               "bodies:\n"
                               "  rod: {mass: 1, inertia: 0.1, com: [1, 0]}\n"
                               "joints:\n"
                               "  O: {revolute: [ground, rod]}\n"
                               "run: {step: 0.05}\n";

static vgSim *open_sim(const char *text, const char *integrator, vgModel **model)
{
    vgSim *sim = NULL;
    *model = vg_parse(text, strlen(text), "text", NULL, NULL);
    CHECK(*model != NULL);
    CHECK_INT(vg_sim_new(*model, &(vgSimOptions){.integrator = integrator}, NULL, &sim), VG_OK);
    return sim;
}

static void close_sim(vgSim *sim, vgModel *model)
{
    vg_sim_free(sim);
    vg_model_free(model);
}

static double get(vgSim *sim, const char *channel)
{
    double value;
    CHECK_INT(vg_sim_get(sim, channel, &value), VG_OK);
    return value;
}

static double lost(double from, double to)
{
    return 0.5 * (exp(-2 * from) - exp(-2 * to));
}

TEST(losses_are_summed_over_the_steps_and_not_over_the_readings)
{
    static const char *const methods[] = {"generalized-alpha", "rk4", "dopri5:rtol=1e-9"};
    for (int i = 0; i < 3; i++) {
        vgModel *model;
        vgSim *sim = open_sim(slider, methods[i], &model);
        CHECK_NEAR(get(sim, "energy.dissipated"), 0, 0);
        CHECK_INT(vg_sim_advance(sim, 1), VG_OK);
        CHECK_NEAR(get(sim, "energy.dissipated"), lost(0, 1), 1e-7);
        for (int k = 0; k < 500; k++) CHECK_INT(vg_sim_step(sim, 1e-3), VG_OK);
        CHECK_NEAR(get(sim, "energy.dissipated"), lost(0, 1.5), 1e-7);
        close_sim(sim, model);
    }
}

TEST(watched_losses_begin_with_the_watch_and_go_on_in_real_time)
{
    const char *const watched[] = {"energy.dissipated"};
    double out = 0;
    vgModel *model;
    vgSim *sim = open_sim(slider, NULL, &model);
    CHECK_INT(vg_sim_advance(sim, 0.5), VG_OK);
    CHECK_INT(vg_sim_watch(sim, watched, 1, NULL), VG_OK);
    CHECK_INT(vg_realtime_start(sim, 1e-3, 2), VG_OK);
    for (int k = 0; k < 999; k++) CHECK_INT(vg_realtime_step(sim, NULL, NULL), VG_OK);
    CHECK_INT(vg_realtime_step(sim, NULL, &out), VG_OK);
    CHECK_NEAR(out, lost(0.5, 1.5), 1e-7);
    close_sim(sim, model);
}

TEST(losses_begin_anew_with_a_checkpoint)
{
    vgModel *model;
    vgSim *sim = open_sim(slider, NULL, &model);
    CHECK_INT(vg_sim_advance(sim, 0.5), VG_OK);
    size_t size = vg_sim_checkpoint_size(sim);
    void *bytes = malloc(size);
    CHECK_INT(vg_sim_save(sim, bytes, size), VG_OK);
    get(sim, "energy.dissipated");
    CHECK_INT(vg_sim_advance(sim, 2), VG_OK);
    CHECK_INT(vg_sim_restore(sim, bytes, size), VG_OK);
    CHECK_INT(vg_sim_advance(sim, 1), VG_OK);
    CHECK_NEAR(get(sim, "energy.dissipated"), lost(0.5, 1), 1e-7);
    free(bytes);
    close_sim(sim, model);
}

/* Set back to its first speed at t = 1, the slider loses as much again; what the hand gave is not counted. */
TEST(losses_go_on_where_the_state_is_set)
{
    vgModel *model;
    vgSim *sim = open_sim(slider, NULL, &model);
    get(sim, "energy.dissipated");
    CHECK_INT(vg_sim_advance(sim, 1), VG_OK);
    CHECK_INT(vg_sim_set(sim, "body.a.velocity.x", 1), VG_OK);
    CHECK_INT(vg_sim_set(sim, "body.a.position.x", 0), VG_OK);
    CHECK_INT(vg_sim_advance(sim, 2), VG_OK);
    CHECK_NEAR(get(sim, "energy.dissipated"), 2 * lost(0, 1), 1e-7);
    close_sim(sim, model);
}

/* A ball falls by 1 m on a linear spring: x'' = g − ω² x from x = 0 with speed v lasts
 * 2 (π − atan(ω v/g))/ω, and at the apex behind it the ball is where it was. Runge–Kutta steps over the
 * corners are of first order, from corner to corner of fourth. */
TEST(events_of_the_model_are_located)
{
    static const char ball[] =
        "verge: 1\n"
        "planar: true\n"
        "gravity: 10\n"
        "bodies:\n"
        "  a: {mass: 1, inertia: 0.1, position: [0, 1.1]}\n"
        "forces:\n"
        "  floor: {contact-sphere-plane: [ground, a], radius: 0.1, stiffness: 1e4, exponent: 1}\n"
        "run: {step: 1e-3, events: locate}\n";
    const double omega = 100, g = 10, v = sqrt(20), pi = acos(-1);
    vgModel *model;
    vgSim *sim = open_sim(ball, "rk4", &model);
    CHECK_INT(vg_sim_advance(sim, 2 * v / g + 2 * (pi - atan(omega * v / g)) / omega), VG_OK);
    CHECK_NEAR(get(sim, "body.a.position.y"), 1.1, 2e-6);
    CHECK_NEAR(get(sim, "body.a.velocity.y"), 0, 2e-6);
    close_sim(sim, model);
}

/* One iteration a step is for vg_realtime_step: other steps go on converging, as if nothing had been. */
TEST(real_time_leaves_other_steps_converged)
{
    vgModel *model[2];
    vgSim *plain = open_sim(pendulum, NULL, &model[0]), *other = open_sim(pendulum, NULL, &model[1]);
    CHECK_INT(vg_realtime_start(other, 0.05, 1), VG_OK);
    CHECK_INT(vg_sim_advance(plain, 1), VG_OK);
    CHECK_INT(vg_sim_advance(other, 1), VG_OK);
    CHECK_NEAR(get(other, "joint.O.angle"), get(plain, "joint.O.angle"), 0);
    CHECK_INT(vg_sim_step(plain, 0.05), VG_OK);
    CHECK_INT(vg_sim_step(other, 0.05), VG_OK);
    CHECK_NEAR(get(other, "joint.O.angle"), get(plain, "joint.O.angle"), 0);
    close_sim(plain, model[0]);
    close_sim(other, model[1]);
}

/* As many coordinates, but another mechanism. */
TEST(a_checkpoint_of_another_model_is_refused)
{
    vgModel *model[2];
    static const char arm[] = "verge: 1\n"
                              "planar: true\n"
                              "bodies:\n"
                              "  arm: {mass: 3, inertia: 0.2, com: [0.5, 0]}\n"
                              "joints:\n"
                              "  hinge: {revolute: [ground, arm]}\n"
                              "run: {step: 0.05}\n";
    vgSim *a = open_sim(arm, NULL, &model[0]), *b = open_sim(pendulum, NULL, &model[1]);
    size_t size = vg_sim_checkpoint_size(a);
    void *bytes = malloc(size);
    CHECK_INT(vg_sim_save(a, bytes, size), VG_OK);
    CHECK_INT(vg_sim_restore(b, bytes, size), VG_BAD_INPUT);
    CHECK(strstr(vg_sim_error(b), "of another model") != NULL);
    CHECK_INT(vg_sim_restore(a, bytes, size), VG_OK);
    free(bytes);
    close_sim(a, model[0]);
    close_sim(b, model[1]);
}

TEST(a_body_that_is_not_there_is_named)
{
    vgModel *model;
    vgSim *sim = open_sim(slider, NULL, &model);
    CHECK_INT(vg_sim_set(sim, "body.b.velocity.x", 1), VG_BAD_INPUT);
    CHECK(strstr(vg_sim_error(sim), "no body 'b'") != NULL);
    CHECK_INT(vg_sim_set(sim, "body.a.velocity.u", 1), VG_BAD_INPUT);
    CHECK(strstr(vg_sim_error(sim), "did you mean 'body.a.velocity.") != NULL);
    close_sim(sim, model);
}

/* The general code and the fast paths differ by rounding alone. */
TEST(a_plain_model_moves_the_same)
{
    double angle[2] = {0, 1};
    for (int plain = 0; plain < 2; plain++) {
        vgModel *model = vg_parse(pendulum, strlen(pendulum), "text", NULL, NULL);
        vgSim *sim = NULL;
        CHECK(model != NULL);
        vg_model_set_plain(model, plain);
        vgSimOptions o = {.coordinates = "relative", .integrator = "rk4", .step = 1e-3};
        CHECK_INT(vg_sim_new(model, &o, NULL, &sim), VG_OK);
        CHECK_INT(vg_sim_advance(sim, 1), VG_OK);
        CHECK_INT(vg_sim_get(sim, "joint.O.angle", &angle[plain]), VG_OK);
        vg_sim_free(sim);
        vg_model_free(model);
    }
    CHECK_NEAR(angle[1], angle[0], 1e-12);
    vg_model_set_plain(NULL, 1); /* answered, not followed */
}

TEST_MAIN(a_plain_model_moves_the_same, losses_are_summed_over_the_steps_and_not_over_the_readings,
          watched_losses_begin_with_the_watch_and_go_on_in_real_time, losses_begin_anew_with_a_checkpoint,
          losses_go_on_where_the_state_is_set, events_of_the_model_are_located,
          real_time_leaves_other_steps_converged, a_checkpoint_of_another_model_is_refused,
          a_body_that_is_not_there_is_named)
