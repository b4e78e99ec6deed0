/* The state as an array; inputs and channels by index. */
#include <stdlib.h>
#include <verge/verge.h>

#include "test.h"

/* θ̈ = (τ − m g l sin θ)/(J + m l²) with m = 2, l = 0.5, J = 0.1, pushed by an input. */
static const char pendulum[] = "verge: 1\n"
                               "planar: true\n"
                               "gravity: 10\n"
                               "bodies:\n"
                               "  rod: {mass: 2, inertia: 0.1, com: [0, -0.5]}\n"
                               "joints:\n"
                               "  O: {revolute: [ground, rod]}\n"
                               "forces:\n"
                               "  motor: {joint-torque: O, value: input.a + 2*input.b}\n"
                               "run: {step: 1e-3}\n";
static const double INERTIA = 0.1 + 2 * 0.5 * 0.5, WEIGHT = 2 * 10 * 0.5;

static vgSim *open_sim(const char *text, vgSimOptions options, vgModel **model)
{
    vgSim *sim = NULL;
    *model = vg_parse(text, strlen(text), "text", NULL, NULL);
    CHECK(*model != NULL);
    CHECK_INT(vg_sim_new(*model, &options, NULL, &sim), VG_OK);
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

TEST(joint_coordinates_are_the_state_of_a_tree)
{
    vgModel *model;
    vgSim *sim = open_sim(pendulum, (vgSimOptions){.coordinates = "relative", .integrator = "rk4"}, &model);
    int nq;
    CHECK_INT(vg_sim_state_size(sim, &nq), 2);
    CHECK_INT(nq, 1);
    CHECK_STR(vg_sim_state_name(sim, 0), "joint.O.angle");
    CHECK_STR(vg_sim_state_name(sim, 1), "joint.O.rate");
    CHECK(vg_sim_state_name(sim, 2) == NULL && vg_sim_state_name(sim, -1) == NULL);
    /* three turns and 1 rad: the angle keeps its turns, accelerations follow at once */
    const double x[] = {6 * acos(-1) + 1, -3};
    double back[2];
    CHECK_INT(vg_sim_state_set(sim, 5, x, 0), VG_OK);
    CHECK_NEAR(vg_sim_time(sim), 5, 0);
    CHECK_NEAR(get(sim, "joint.O.angle"), x[0], 1e-13);
    CHECK_NEAR(get(sim, "joint.O.rate"), -3, 1e-15);
    CHECK_NEAR(get(sim, "joint.O.acceleration"), -WEIGHT * sin(1) / INERTIA, 1e-12);
    CHECK_INT(vg_sim_state_get(sim, back), VG_OK);
    CHECK(memcmp(x, back, sizeof x) == 0);
    close_sim(sim, model);
}

/* An explicit one-step method has no history: from its own state it continues with the same bits. */
TEST(a_state_that_was_read_continues_the_motion)
{
    static const char *const coordinates[] = {"relative", "planar"};
    for (int c = 0; c < 2; c++) {
        vgModel *model;
        vgSim *sim =
            open_sim(pendulum, (vgSimOptions){.coordinates = coordinates[c], .integrator = "rk4"}, &model);
        double x[20], first[20], second[20];
        const int n = vg_sim_state_size(sim, NULL);
        CHECK_INT(vg_sim_set(sim, "body.rod.omega", 4), VG_OK);
        for (int k = 0; k < 50; k++) CHECK_INT(vg_sim_step(sim, 1e-2), VG_OK);
        CHECK_INT(vg_sim_state_get(sim, x), VG_OK);
        double t = vg_sim_time(sim);
        for (int k = 0; k < 50; k++) CHECK_INT(vg_sim_step(sim, 1e-2), VG_OK);
        CHECK_INT(vg_sim_state_get(sim, first), VG_OK);
        CHECK_INT(vg_sim_state_set(sim, t, x, 0), VG_OK);
        for (int k = 0; k < 50; k++) CHECK_INT(vg_sim_step(sim, 1e-2), VG_OK);
        CHECK_INT(vg_sim_state_get(sim, second), VG_OK);
        CHECK(memcmp(first, second, (size_t)n * sizeof *x) == 0);
        CHECK(memcmp(first, x, (size_t)n * sizeof *x) != 0);
        close_sim(sim, model);
    }
}

TEST(a_state_off_the_constraints_is_refused_or_projected)
{
    vgModel *model;
    vgSim *sim = open_sim(pendulum, (vgSimOptions){.coordinates = "planar"}, &model);
    double x[6], back[6], moved[6];
    int nq;
    CHECK_INT(vg_sim_state_size(sim, &nq), 6);
    CHECK_INT(nq, 3);
    CHECK_STR(vg_sim_state_name(sim, 4), "body.rod.v.1");
    CHECK_INT(vg_sim_state_get(sim, x), VG_OK);
    memcpy(moved, x, sizeof x);
    moved[0] += 0.1;
    CHECK_INT(vg_sim_state_set(sim, 1, moved, 0), VG_INCONSISTENT);
    CHECK_STR(vg_sim_error(sim), "'O' by 0.1 in positions");
    CHECK_NEAR(vg_sim_time(sim), 0, 0);
    CHECK_INT(vg_sim_state_get(sim, back), VG_OK);
    CHECK(memcmp(x, back, sizeof x) == 0);
    memcpy(moved, x, sizeof x);
    moved[3] = 0.2;
    CHECK_INT(vg_sim_state_set(sim, 1, moved, 0), VG_INCONSISTENT);
    CHECK_STR(vg_sim_error(sim), "in velocities");
    /* Least change in the mass metric of a push v_x = 0.2 of the centre of mass, l below the pin:
     * ω = m l v / (J + m l²), and the centre moves with l ω. */
    CHECK_INT(vg_sim_state_set(sim, 1, moved, 1), VG_OK);
    CHECK_INT(vg_sim_state_get(sim, back), VG_OK);
    CHECK_NEAR(back[5], 2 * 0.5 * 0.2 / INERTIA, 1e-12);
    CHECK_NEAR(back[3], 0.5 * 2 * 0.5 * 0.2 / INERTIA, 1e-12);
    moved[1] = NAN;
    CHECK_INT(vg_sim_state_set(sim, 1, moved, 1), VG_BAD_INPUT);
    CHECK_INT(vg_sim_state_set(sim, INFINITY, back, 1), VG_BAD_INPUT);
    CHECK_INT(vg_sim_state_set(sim, 1, NULL, 1), VG_BAD_INPUT);
    CHECK_INT(vg_sim_state_set(NULL, 1, back, 1), VG_BAD_INPUT);
    CHECK_INT(vg_sim_state_get(sim, NULL), VG_BAD_INPUT);
    close_sim(sim, model);
}

/* I a = u − W sin φ:  ∂a/∂φ = −W cos φ/I, ∂a/∂f = 1/I, ∂τ/∂φ = W cos φ. In planar coordinates the closing rows of the pin have
 * differences: the turn's column is right for moves that keep it closed. */
TEST(partial_derivatives_of_the_dynamics)
{
    vgModel *model;
    vgSim *sim = open_sim(pendulum, (vgSimOptions){.coordinates = "relative"}, &model);
    double a_q = 9, a_v = 9, a_f = 9, tau_q = 9, tau_v = 9, mass = 9;
    const vgSimPartials want = {
        .a_q = &a_q, .a_v = &a_v, .a_f = &a_f, .tau_q = &tau_q, .tau_v = &tau_v, .mass = &mass};
    CHECK_INT(vg_sim_set(sim, "body.rod.angle", 0.7), VG_OK);
    CHECK_INT(vg_sim_set(sim, "body.rod.omega", 2), VG_OK);
    CHECK_INT(vg_sim_partials(sim, &want), VG_OK);
    CHECK_NEAR(a_q, -WEIGHT * cos(0.7) / INERTIA, 1e-12);
    CHECK_NEAR(a_v, 0, 1e-12);
    CHECK_NEAR(a_f, 1 / INERTIA, 1e-12);
    CHECK_NEAR(tau_q, WEIGHT * cos(0.7), 1e-12);
    CHECK_NEAR(tau_v, 0, 1e-12);
    CHECK_NEAR(mass, INERTIA, 1e-12);
    CHECK_INT(vg_sim_partials(sim, NULL), VG_BAD_INPUT);
    CHECK_INT(vg_sim_partials(NULL, &want), VG_BAD_INPUT);
    close_sim(sim, model);

    sim = open_sim(pendulum, (vgSimOptions){.constraints = "augmented3"}, &model);
    CHECK_INT(vg_sim_partials(sim, &want), VG_UNSUPPORTED);
    CHECK_STR(vg_sim_error(sim), "take index1");
    close_sim(sim, model);
}

TEST(rates_of_the_state)
{
    static const char *const coordinates[] = {"relative", "planar"};
    for (int c = 0; c < 2; c++) {
        vgModel *model;
        vgSim *sim = open_sim(pendulum, (vgSimOptions){.coordinates = coordinates[c]}, &model);
        double rate[6], x[6];
        int nq, n = vg_sim_state_size(sim, &nq);
        CHECK_INT(vg_sim_set(sim, "body.rod.angle", 0.7), VG_OK);
        CHECK_INT(vg_sim_set(sim, "body.rod.omega", 2), VG_OK);
        CHECK_INT(vg_sim_state_rate(sim, rate), VG_OK);
        CHECK_INT(vg_sim_state_get(sim, x), VG_OK);
        for (int i = 0; i < nq; i++) CHECK_NEAR(rate[i], x[nq + i], 1e-14);
        CHECK_NEAR(rate[n - 1], -WEIGHT * sin(0.7) / INERTIA, 1e-12);
        close_sim(sim, model);
    }
}

static int until(void *user, double t)
{
    return t >= *(double *)user;
}

TEST(advancing_can_be_ended)
{
    vgModel *model;
    vgSim *sim = open_sim(pendulum, (vgSimOptions){.coordinates = "relative"}, &model);
    double limit = 0.5;
    vg_sim_set_progress(sim, until, &limit);
    CHECK_INT(vg_sim_advance(sim, 2), VG_INTERRUPTED);
    CHECK_NEAR(vg_sim_time(sim), 0.5, 2e-3);
    vg_sim_set_progress(sim, NULL, NULL);
    CHECK_INT(vg_sim_advance(sim, 2), VG_OK);
    CHECK_NEAR(vg_sim_time(sim), 2, 1e-12);
    close_sim(sim, model);
}

/* Spatial bodies: numbers that are no rotation are refused; a rotated state is taken. */
TEST(rotations_are_checked)
{
    static const char top[] = "verge: 1\nbodies: {top: {mass: 1, inertia: [1, 2, 3], omega: [0.1, 2, 0]}}\n";
    static const char *const coordinates[] = {"lie", "euler-parameters"};
    for (int c = 0; c < 2; c++) {
        vgModel *model;
        vgSim *sim = open_sim(top, (vgSimOptions){.coordinates = coordinates[c], .step = 1e-3}, &model);
        double x[40];
        int nq;
        CHECK(vg_sim_state_size(sim, &nq) <= 40);
        CHECK_INT(vg_sim_advance(sim, 1), VG_OK);
        CHECK_INT(vg_sim_state_get(sim, x), VG_OK);
        CHECK_INT(vg_sim_state_set(sim, 0, x, 0), VG_OK);
        double rate[40];
        if (c == 0) CHECK_INT(vg_sim_state_rate(sim, rate), VG_UNSUPPORTED);
        x[nq - 1] += 0.01;
        CHECK_INT(vg_sim_state_set(sim, 0, x, 0), VG_INCONSISTENT);
        CHECK(strstr(vg_sim_error(sim), "rotation") || strstr(vg_sim_error(sim), "unit length"));
        close_sim(sim, model);
    }
}

TEST(inputs_and_channels_have_indices)
{
    vgModel *model;
    vgSim *sim = open_sim(pendulum, (vgSimOptions){.coordinates = "relative"}, &model);
    const double in[] = {1.5, -4};
    int angle = -1, acceleration = -1, again = -1;
    double value;
    CHECK_INT(vg_realtime_inputs(sim), 2);
    CHECK_INT(vg_sim_set_inputs(sim, 0, 2, in), VG_OK);
    CHECK_NEAR(vg_sim_input(sim, 1), -4, 0);
    CHECK_INT(vg_sim_channel(sim, "joint.O.angle", &angle), VG_OK);
    CHECK_INT(vg_sim_channel(sim, "joint.O.acceleration", &acceleration), VG_OK);
    CHECK_INT(vg_sim_channel(sim, "joint.O.angle", &again), VG_OK);
    CHECK_INT(again, angle);
    CHECK_STR(vg_sim_channel_unit(sim, acceleration), "rad/s^2");
    CHECK_INT(vg_sim_value(sim, acceleration, &value), VG_OK);
    CHECK_NEAR(value, (1.5 - 8) / INERTIA, 1e-12);
    CHECK_INT(vg_sim_set_inputs(sim, 1, 1, in), VG_OK); /* b = 1.5 */
    CHECK_INT(vg_sim_value(sim, acceleration, &value), VG_OK);
    CHECK_NEAR(value, 4.5 / INERTIA, 1e-12);
    CHECK_INT(vg_sim_set_inputs(sim, 1, 2, in), VG_BAD_INPUT);
    CHECK_INT(vg_sim_set_inputs(sim, 0, 1, &(double){NAN}), VG_BAD_INPUT);
    CHECK_INT(vg_sim_set_inputs(sim, -1, 1, in), VG_BAD_INPUT);
    CHECK_INT(vg_sim_channel(sim, "joint.O.angel", &again), VG_BAD_INPUT);
    CHECK_STR(vg_sim_error(sim), "joint.O.angle");
    CHECK_INT(vg_sim_value(sim, 99, &value), VG_BAD_INPUT);
    CHECK(isnan(value) && isnan(vg_sim_input(sim, 2)) && vg_sim_channel_unit(sim, -1) == NULL);
    close_sim(sim, model);
}

TEST_MAIN(joint_coordinates_are_the_state_of_a_tree, a_state_that_was_read_continues_the_motion,
          a_state_off_the_constraints_is_refused_or_projected, partial_derivatives_of_the_dynamics,
          rates_of_the_state, advancing_can_be_ended, rotations_are_checked, inputs_and_channels_have_indices)
