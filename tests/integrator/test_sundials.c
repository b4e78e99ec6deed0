/* SUNDIALS as a reference: agrees with our own methods where it is built in. */
#include <math.h>
#include <stdlib.h>

#include "run_model.h"
#include "test.h"

TEST(agrees_with_dormand_prince)
{
    static const char *const names[] = {"cvode", "arkode", "ida"};
    static const char *const models[] = {"slider-crank", "heavy-top"};
    if (!vg_integrator_find("ida")) {
        CHECK(1); /* not built in */
        return;
    }
    for (int m = 0; m < 2; m++) {
        runSpec fine = {.model = models[m],
                        .constraints = "index1",
                        .integrator = "dopri5:rtol=1e-11,atol=1e-13",
                        .end = 0.2,
                        .channel = {m ? "marker.top.com.position.x" : "joint.O.angle"}};
        runResult ref = run_model(&fine);
        CHECK_INT(ref.status, VG_OK);
        for (int k = 0; k < 3; k++) {
            char text[64];
            snprintf(text, sizeof text, "%s:rtol=1e-9,atol=1e-11", names[k]);
            runSpec s = fine;
            s.integrator = text;
            s.step = 0.05;
            s.every = 1;
            runResult r = run_model(&s);
            if (r.status != VG_OK) printf("%s: %s\n", text, r.error);
            CHECK_INT(r.status, VG_OK);
            CHECK_NEAR(r.value[0], ref.value[0], 2e-6);
            CHECK(r.end.stats.max_phi < 1e-12);
        }
    }
}

/* IDA on the stabilised index-2 equations: the same motion, both levels of the constraints held to the
 * tolerance by IDA itself, multipliers too. */
TEST(ida_on_the_stabilised_equations)
{
    static const char *const models[] = {"pendulum-point", "slider-crank", "heavy-top"};
    static const char *const channels[] = {"joint.rod.lambda.0", "joint.O.angle",
                                           "marker.top.com.position.x"};
    if (!vg_integrator_find("ida")) {
        CHECK(1);
        return;
    }
    for (int m = 0; m < 3; m++) {
        runSpec fine = {.model = models[m],
                        .constraints = "index1",
                        .integrator = "dopri5:rtol=1e-11,atol=1e-13",
                        .end = 0.2,
                        .channel = {channels[m]}};
        runResult ref = run_model(&fine);
        CHECK_INT(ref.status, VG_OK);
        double e[2];
        for (int k = 0; k < 2; k++) {
            runSpec s = fine;
            s.constraints = "index2";
            s.integrator = k ? "ida:rtol=1e-8,atol=1e-9" : "ida:rtol=1e-5,atol=1e-6";
            s.step = 0.1;
            s.every = 1;
            runResult r = run_model(&s);
            if (r.status != VG_OK) printf("%s: %s\n", models[m], r.error);
            CHECK_INT(r.status, VG_OK);
            e[k] = fabs(r.value[0] - ref.value[0]);
            if (getenv("VERGE_TEST_SHOW"))
                printf("%s %s: %g, phi %g %g\n", models[m], s.integrator, e[k], r.end.stats.max_phi,
                       r.end.stats.max_phi_dot);
            CHECK(r.end.stats.max_phi < (k ? 1e-8 : 1e-5));
            CHECK(r.end.stats.max_phi_dot < (k ? 1e-6 : 1e-3));
        }
        CHECK(e[0] < 1e-3 && e[1] < 1e-6 && e[1] < e[0]); /* a thousandth of the tolerance */
    }
}

static int stop_later(void *user)
{
    return --*(int *)user < 0;
}

static int stop_once(void *user)
{
    return --*(int *)user == -1;
}

/* Asked to stop within one long step, for good or once: it ends there, and the state stays at the beginning
 * of the step. */
TEST(a_long_step_can_be_interrupted)
{
    static const char *const names[] = {"cvode:rtol=1e-10", "arkode:rtol=1e-10", "ida:rtol=1e-8"};
    for (int k = 0; k < 6 && vg_integrator_find("ida"); k++) {
        vgDiag *diag = vg_diag_new();
        vgModel *m = vg_model_load(VERGE_SOURCE_DIR "/models/pendulum-point.yaml", NULL, 0, diag);
        vgSimulation sim;
        int calls = 300;
        CHECK(m && vg_simulation_open(m, &(vgDials){NULL, "index1", names[k % 3]}, diag, &sim) == VG_OK);
        vgTransientOptions o = {.step = 1e3, .end = 1e3};
        vgSink sink = {.user = &calls, .cancelled = k < 3 ? stop_later : stop_once};
        vgTransientResult res;
        CHECK_INT(vg_transient_run(sim.it, sim.state, &o, &sink, &res), VG_INTERRUPTED);
        CHECK(res.t == 0);
        CHECK(strstr(res.failure.text, "interrupted"));
        CHECK_INT((int)res.stats.accels, 299); /* an evaluation a question; the driver asks the first */
        vg_simulation_close(&sim);
        vg_model_free(m);
        vg_diag_free(diag);
    }
}

/* A vibration of 1e6 rad/s over one step of 10 s takes an explicit method ten million evaluations: it ends by a bound of
 * work, with words. */
TEST(a_step_that_does_not_end_is_ended)
{
    static const char text[] =
        "verge: 1\nplanar: true\ngravity: [0, 0]\n"
        "bodies: {m: {mass: 1, point: true, position: [1, 0.5], velocity: [0.3, -0.2]}}\n"
        "forces: {s: {bushing: [ground, m], stiffness: [1e12, 1e12, 0, 0, 0, 0]}}\n";
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_parse(text, strlen(text), "test", NULL, 0, diag);
    vgSimulation sim;
    vgTransientResult res;
    if (vg_integrator_find("arkode")) {
        CHECK(m && vg_simulation_open(m, &(vgDials){NULL, "index1", "arkode"}, diag, &sim) == VG_OK);
        CHECK_INT(
            vg_transient_run(sim.it, sim.state, &(vgTransientOptions){.step = 10, .end = 10}, NULL, &res),
            VG_STEP_TOO_SMALL);
        CHECK(strstr(res.failure.text, "million") || strstr(res.failure.text, "fell to nothing"));
        CHECK(res.stats.accels <= 1000100);
        vg_simulation_close(&sim);
    }
    vg_model_free(m);
    vg_diag_free(diag);
}

TEST_MAIN(agrees_with_dormand_prince, ida_on_the_stabilised_equations, a_long_step_can_be_interrupted,
          a_step_that_does_not_end_is_ended)
