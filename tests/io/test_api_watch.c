/* The C API watches the motion as a run does: the same verdicts, whatever the calls, and none where the caller moved
 * something. */
#include <verge/verge.h>

#include <string.h>

#include "analysis/run/simulation.h"
#include "analysis/run/transient.h"
#include "test.h"

/* A fast rotor in gimbals at index 3 and half a radian a step: velocities leave the constraints (tests/defects). */
static const char *const path = VERGE_SOURCE_DIR "/tests/defects/gyro.yaml";
static const vgSimOptions dials = {.constraints = "index3", .step = 5e-4};

/* What `verge run` says. */
static void verdict(char *text, size_t room, vgStatus *status)
{
    vgDiag *diag = vg_diag_new();
    vgModel *model = vg_load(path, NULL, diag);
    vgSimulation sim;
    vgTransientResult res;
    vgTransientOptions o = {.step = dials.step, .end = 0.5, .every = 1 << 30, .monitor = 1};
    *status = vg_simulation_open(model, &(vgDials){.constraints = dials.constraints}, diag, &sim);
    CHECK_INT(*status, VG_OK);
    *status = vg_transient_run(sim.it, sim.state, &o, NULL, &res);
    snprintf(text, room, "%s", res.failure.text);
    vg_simulation_close(&sim);
    vg_model_free(model);
    vg_diag_free(diag);
}

static vgSim *open_sim(vgModel **model)
{
    vgSim *sim = NULL;
    *model = vg_load(path, NULL, NULL);
    CHECK_INT(vg_sim_new(*model, &dials, NULL, &sim), VG_OK);
    return sim;
}

TEST(one_call_many_calls_and_single_steps_have_the_verdict_of_a_run)
{
    char text[400];
    vgStatus said;
    verdict(text, sizeof text, &said);
    CHECK(said != VG_OK && strstr(text, "velocities left the constraints"));
    for (int how = 0; how < 3; how++) {
        vgModel *model;
        vgSim *sim = open_sim(&model);
        vgStatus st = VG_OK;
        if (how == 0) st = vg_sim_advance(sim, 0.5);
        for (int k = 1; how == 1 && k <= 50 && st == VG_OK; k++) st = vg_sim_advance(sim, 0.01 * k);
        for (int k = 0; how == 2 && k < 1000 && st == VG_OK; k++) st = vg_sim_step(sim, dials.step);
        CHECK_INT(st, said);
        CHECK(strstr(vg_sim_error(sim), "velocities left the constraints") != NULL);
        if (how == 0) CHECK(!strcmp(vg_sim_error(sim), text));
        vg_sim_free(sim);
        vg_model_free(model);
    }
}

/* Energy that the caller brings in, by the state or by an input, is no error of the motion. */
TEST(what_the_caller_does_is_no_error)
{
    static const char cart[] = "verge: 1\nplanar: true\ngravity: [0, 0]\n"
                               "bodies: {a: {mass: 1, inertia: 0.1, velocity: [0.1, 0]}}\n"
                               "joints: {rail: {prismatic: [ground, a], axis: x}}\n"
                               "forces: {push: {joint-torque: rail, value: input.F}}\nrun: {step: 1e-3}\n";
    for (int by_input = 0; by_input < 2; by_input++) {
        vgSim *sim = NULL;
        vgModel *model = vg_parse(cart, strlen(cart), "cart", NULL, NULL);
        CHECK(model != NULL);
        CHECK_INT(vg_sim_new(model, NULL, NULL, &sim), VG_OK);
        for (int k = 1; k <= 40; k++) {
            if (by_input)
                CHECK_INT(vg_sim_set(sim, "input.F", k % 2 ? 50 * k : -10), VG_OK);
            else
                CHECK_INT(vg_sim_set(sim, "body.a.velocity.x", 3.0 * k), VG_OK);
            CHECK_INT(vg_sim_advance(sim, 0.037 * k), VG_OK);
        }
        vg_sim_free(sim);
        vg_model_free(model);
    }
}

TEST(a_restored_state_is_watched_again)
{
    char bytes[1 << 16];
    vgModel *model;
    vgSim *sim = open_sim(&model);
    size_t size = vg_sim_checkpoint_size(sim);
    CHECK(size <= sizeof bytes);
    CHECK_INT(vg_sim_save(sim, bytes, size), VG_OK);
    CHECK(vg_sim_advance(sim, 0.5) != VG_OK);
    CHECK_INT(vg_sim_restore(sim, bytes, size), VG_OK);
    CHECK(vg_sim_advance(sim, 0.5) != VG_OK);
    CHECK(strstr(vg_sim_error(sim), "velocities left the constraints") != NULL);
    vg_sim_free(sim);
    vg_model_free(model);
}

TEST_MAIN(one_call_many_calls_and_single_steps_have_the_verdict_of_a_run, what_the_caller_does_is_no_error,
          a_restored_state_is_watched_again)
