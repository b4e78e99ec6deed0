/* FMUs for co-simulation: the same numbers as `verge run`, to the bit; states kept, serialised and brought back; several
 * instances; parameters; events. */
#include "fmi/checker.h"

static char place[TEMPORARY_PATH], fmu[TEMPORARY_PATH + 40], csv[TEMPORARY_PATH + 40];
#define SOURCE VERGE_SOURCE_DIR

static void make_place(void)
{
    if (place[0]) return;
    CHECK(temporary_folder(place));
    snprintf(fmu, sizeof fmu, "%s/a.fmu", place);
    snprintf(csv, sizeof csv, "%s/run.csv", place);
}

enum { MOST = 20000 };
static double expected[MOST];

/* A pendulum with a motor and friction in its hinge, in two files. */
static const char *pendulum(void)
{
    static char path[TEMPORARY_PATH + 40];
    make_place();
    snprintf(path, sizeof path, "%s/part.yaml", place);
    fmu_write(path, "parameters: {d: 0.1, m: 2*L}\nbodies: {rod: {mass: m, inertia: m*L^2/12, com: [L/2, 0], "
                    "markers: {tip: [L, 0]}}}\n");
    snprintf(path, sizeof path, "%s/swing.yaml", place);
    fmu_write(path,
              "verge: 1\nplanar: true\ninclude: [part.yaml]\nparameters: {L: 0.5}\ngravity: [0, -9.81]\n"
              "joints: {O: {revolute: [ground, rod]}}\n"
              "forces: {motor: {joint-torque: O, value: input.torque - d*joint.O.rate}}\n"
              "run: {integrator: generalized-alpha, step: 0.01, end: 2}\n"
              "record: [joint.O.angle, joint.O.rate, energy.total, energy.dissipated]\n");
    return path;
}

/* ---- against verge run ---- */

/* Steps of `every` of the model's own, in version 2; the columns of outputs agree to the bit. */
static void same_as_run(const char *model, const char *options, double h, int every, int steps,
                        const char *const *channel)
{
    make_place();
    CHECK_INT(verge("fmu '%s' %s -o '%s'", model, options, fmu), 0);
    CHECK_INT(verge("run '%s' %s --step %.17g --end %.17g --every %d -q -o '%s'", model, options, h,
                    h * every * steps, every, csv),
              0);
    Fmu f;
    if (!fmu_open(&f, fmu)) return;
    void *c = fmu_start2(&f, VG_FMI2_CO_SIMULATION);
    double *seen = calloc((size_t)(steps + 1) * 8, sizeof *seen);
    unsigned ref[8];
    int n = 0;
    for (; channel[n]; n++) ref[n] = fmu_ref(&f, channel[n]);
    CHECK_INT(f.two.fmi2GetReal(c, ref, (size_t)n, seen), VG_FMI2_OK);
    for (int i = 0; i < steps; i++) {
        const double H = h * every;
        CHECK_INT(f.two.fmi2DoStep(c, H * i, H, 1), VG_FMI2_OK);
        CHECK_INT(f.two.fmi2GetReal(c, ref, (size_t)n, seen + 8 * (i + 1)), VG_FMI2_OK);
    }
    for (int k = 0; k < n; k++) {
        int rows = csv_column(csv, channel[k], expected, MOST), same = 0;
        CHECK_INT(rows, steps + 1);
        for (int i = 0; i < rows && i <= steps; i++) same += seen[8 * i + k] == expected[i];
        if (same != rows) printf("%s: %s: %d of %d rows are the same\n", model, channel[k], same, rows);
        CHECK_INT(same, rows);
    }
    free(seen);
    CHECK_INT(f.two.fmi2Terminate(c), VG_FMI2_OK);
    f.two.fmi2FreeInstance(c);
    fmu_close(&f);
}

static const char *const swing[] = {"joint.O.angle", "joint.O.rate", "energy.total", "energy.dissipated",
                                    NULL};

TEST(bits_of_a_run)
{
    static const char *const cart[] = {"joint.rail.displacement", "joint.pin.angle", NULL};
    static const char *const engine[] = {"joint.crank.force.x", "joint.crank.force.y", NULL};
    static const char *const crank[] = {"joint.O.angle", "joint.B.displacement", "energy.total", NULL};
    same_as_run(pendulum(), "", 0.01, 1, 200, swing);
    same_as_run(pendulum(), "--integrator radau3 --set d=0.3", 0.01, 7, 30, swing);
    same_as_run(SOURCE "/models/cart-pole.yaml", "", 0.005, 3, 500, cart);
    same_as_run(SOURCE "/models/slider-crank.yaml", "", 1e-3, 10, 150, crank);
    /* reactions of a method with constraints on positions are those of the motion, as in a run */
    same_as_run(SOURCE "/models/radial-engine.yaml", "", 1e-3, 5, 20, engine);
}

/* A step from the start to the end, of a method that chooses its own steps: one run. */
TEST(long_step_of_chosen_steps)
{
    Fmu f;
    double value[2];
    CHECK_INT(verge("fmu '%s' --integrator dopri5:rtol=1e-9 --coordinates relative -o '%s'", pendulum(), fmu),
              0);
    CHECK_INT(verge("run '%s' --integrator dopri5:rtol=1e-9 --coordinates relative --end 1.7 -q -o '%s'",
                    pendulum(), csv),
              0);
    if (!fmu_open(&f, fmu)) return;
    void *c = fmu_start2(&f, VG_FMI2_CO_SIMULATION);
    const unsigned ref[2] = {fmu_ref(&f, "joint.O.angle"), fmu_ref(&f, "joint.O.rate")};
    CHECK_INT(f.two.fmi2DoStep(c, 0, 1.7, 1), VG_FMI2_OK);
    CHECK_INT(f.two.fmi2GetReal(c, ref, 2, value), VG_FMI2_OK);
    for (int k = 0; k < 2; k++) {
        int n = csv_column(csv, k ? "joint.O.rate" : "joint.O.angle", expected, MOST);
        CHECK(n > 1 && value[k] == expected[n - 1]);
    }
    f.two.fmi2FreeInstance(c);
    fmu_close(&f);
}

/* ---- states ---- */

/* Two instances, one of which goes back: by its kept state, by its bytes, in another instance. */
TEST(states)
{
    Fmu f;
    CHECK_INT(verge("fmu '%s' -o '%s'", pendulum(), fmu), 0);
    if (!fmu_open(&f, fmu)) return;
    void *a = fmu_start2(&f, VG_FMI2_CO_SIMULATION), *b = fmu_start2(&f, VG_FMI2_CO_SIMULATION),
         *state = NULL, *other = NULL;
    unsigned out[4], in = fmu_ref(&f, "input.torque"), damping = fmu_ref(&f, "d");
    for (int k = 0; k < 4; k++) out[k] = fmu_ref(&f, swing[k]);
    double first[4], again[4], torque = 0.7, d = 0.4, zero = 0;
    CHECK_INT(f.two.fmi2SetReal(a, &in, 1, &torque), VG_FMI2_OK);
    for (int i = 0; i < 20; i++) CHECK_INT(f.two.fmi2DoStep(a, 0.01 * i, 0.01, 0), VG_FMI2_OK);
    CHECK_INT(f.two.fmi2GetFMUstate(a, &state), VG_FMI2_OK);
    for (int i = 20; i < 50; i++) CHECK_INT(f.two.fmi2DoStep(a, 0.01 * i, 0.01, 0), VG_FMI2_OK);
    CHECK_INT(f.two.fmi2GetReal(a, out, 4, first), VG_FMI2_OK);
    /* the other instance has not moved */
    CHECK_INT(f.two.fmi2GetReal(b, out, 1, again), VG_FMI2_OK);
    CHECK(again[0] == 0);
    /* back, after the parameter and the input have changed too */
    CHECK_INT(f.two.fmi2SetReal(a, &damping, 1, &d), VG_FMI2_OK);
    CHECK_INT(f.two.fmi2SetReal(a, &in, 1, &zero), VG_FMI2_OK);
    CHECK_INT(f.two.fmi2DoStep(a, 0.5, 0.01, 0), VG_FMI2_OK);
    CHECK_INT(f.two.fmi2SetFMUstate(a, state), VG_FMI2_OK);
    for (int i = 20; i < 50; i++) CHECK_INT(f.two.fmi2DoStep(a, 0.01 * i, 0.01, 0), VG_FMI2_OK);
    CHECK_INT(f.two.fmi2GetReal(a, out, 4, again), VG_FMI2_OK);
    CHECK(memcmp(first, again, sizeof first) == 0);
    /* as bytes, in the other instance */
    size_t size = 0;
    CHECK_INT(f.two.fmi2SerializedFMUstateSize(a, state, &size), VG_FMI2_OK);
    char *bytes = malloc(size + 1);
    CHECK(bytes && size > 100);
    CHECK_INT(f.two.fmi2SerializeFMUstate(a, state, bytes, size), VG_FMI2_OK);
    CHECK_INT(f.two.fmi2DeSerializeFMUstate(b, bytes, size, &other), VG_FMI2_OK);
    CHECK_INT(f.two.fmi2SetFMUstate(b, other), VG_FMI2_OK);
    for (int i = 20; i < 50; i++) CHECK_INT(f.two.fmi2DoStep(b, 0.01 * i, 0.01, 0), VG_FMI2_OK);
    CHECK_INT(f.two.fmi2GetReal(b, out, 4, again), VG_FMI2_OK);
    CHECK(memcmp(first, again, sizeof first) == 0);
    /* damaged bytes are refused */
    for (size_t i = 0; i < size; i += size / 40) {
        void *none = NULL;
        bytes[i] ^= 16;
        CHECK_INT(f.two.fmi2DeSerializeFMUstate(b, bytes, size, &none), VG_FMI2_ERROR);
        bytes[i] ^= 16;
        CHECK(none == NULL);
    }
    CHECK_INT(f.two.fmi2DeSerializeFMUstate(b, bytes, size / 2, &other), VG_FMI2_ERROR);
    free(bytes);
    CHECK_INT(f.two.fmi2FreeFMUstate(a, &state), VG_FMI2_OK);
    CHECK_INT(f.two.fmi2FreeFMUstate(b, &other), VG_FMI2_OK);
    CHECK(state == NULL && other == NULL);
    f.two.fmi2FreeInstance(a);
    f.two.fmi2FreeInstance(b);
    fmu_close(&f);
}

/* ---- parameters ---- */

/* Set before the start it is as if the model had been exported with it; reset brings the old one back. A parameter that
 * others determine follows, and cannot be set. */
TEST(parameters_at_the_start)
{
    Fmu f;
    CHECK_INT(verge("fmu '%s' -o '%s'", pendulum(), fmu), 0);
    CHECK_INT(verge("run '%s' --set L=0.8 --end 1 --every 100 -q -o '%s'", pendulum(), csv), 0);
    if (!fmu_open(&f, fmu)) return;
    char is[40] = "";
    CHECK(fmu_attribute(fmu_variable(&f, "L"), "variability", is, sizeof is) && strcmp(is, "fixed") == 0);
    CHECK(fmu_attribute(fmu_variable(&f, "d"), "variability", is, sizeof is) && strcmp(is, "tunable") == 0);
    CHECK(fmu_attribute(fmu_variable(&f, "m"), "causality", is, sizeof is) &&
          strcmp(is, "calculatedParameter") == 0);
    CHECK(fmu_attribute(fmu_variable(&f, "joint.O.rate"), "unit", is, sizeof is) && strcmp(is, "rad/s") == 0);
    void *c = fmu_new2(&f, VG_FMI2_CO_SIMULATION);
    const unsigned L = fmu_ref(&f, "L"), m = fmu_ref(&f, "m"), angle = fmu_ref(&f, "joint.O.angle");
    double value = 0.8, mass = 0, at = 0;
    CHECK_INT(f.two.fmi2SetReal(c, &L, 1, &value), VG_FMI2_OK);
    CHECK_INT(f.two.fmi2SetReal(c, &m, 1, &value), VG_FMI2_ERROR);
    CHECK_STR(fmu_log, "calculated");
    CHECK_INT(f.two.fmi2EnterInitializationMode(c), VG_FMI2_OK);
    CHECK_INT(f.two.fmi2GetReal(c, &m, 1, &mass), VG_FMI2_OK);
    CHECK(mass == 1.6);
    CHECK_INT(f.two.fmi2ExitInitializationMode(c), VG_FMI2_OK);
    CHECK_INT(f.two.fmi2SetReal(c, &L, 1, &value), VG_FMI2_ERROR); /* fixed from here on */
    CHECK_INT(f.two.fmi2DoStep(c, 0, 1, 1), VG_FMI2_OK);
    CHECK_INT(f.two.fmi2GetReal(c, &angle, 1, &at), VG_FMI2_OK);
    CHECK_INT(csv_column(csv, "joint.O.angle", expected, MOST), 2);
    CHECK(at == expected[1]);
    CHECK_INT(f.two.fmi2Reset(c), VG_FMI2_OK);
    CHECK_INT(f.two.fmi2GetReal(c, &L, 1, &value), VG_FMI2_OK);
    CHECK(value == 0.5);
    f.two.fmi2FreeInstance(c);
    fmu_close(&f);
}

/* A body slides with friction force d v: v = exp(−d t/m). Tuned at t = 1 from d = 1 to 3, it goes on with the other rate,
 * and the energy lost is that of the velocity: ½ (1 − v²). */
TEST(parameters_in_a_run)
{
    Fmu f;
    char model[TEMPORARY_PATH + 40];
    make_place();
    snprintf(model, sizeof model, "%s/slide.yaml", place);
    fmu_write(model, "verge: 1\nplanar: true\nparameters: {d: 1}\nbodies: {block: {mass: 1, inertia: 1, "
                     "velocity: [1, 0]}}\n"
                     "joints: {rail: {prismatic: [ground, block], axis: x}}\n"
                     "forces: {drag: {joint-torque: rail, value: -d*joint.rail.rate}}\n"
                     "run: {integrator: radau5, step: 0.01, end: 2}\n"
                     "record: [joint.rail.rate, energy.dissipated]\n");
    for (int version = 2; version <= 3; version++) {
        CHECK_INT(verge("fmu '%s' --fmi %d -o '%s'", model, version, fmu), 0);
        if (!fmu_open(&f, fmu)) return;
        const unsigned d = fmu_ref(&f, "d"),
                       out[2] = {fmu_ref(&f, "joint.rail.rate"), fmu_ref(&f, "energy.dissipated")};
        double value[2], three = 3, reached;
        bool event, end, early;
        void *c = version == 2 ? fmu_start2(&f, VG_FMI2_CO_SIMULATION) : fmu_start3(&f, false, false, NULL);
        for (int i = 0; i < 8; i++) {
            if (version == 2) {
                if (i == 4) CHECK_INT(f.two.fmi2SetReal(c, &d, 1, &three), VG_FMI2_OK);
                CHECK_INT(f.two.fmi2DoStep(c, 0.25 * i, 0.25, 1), VG_FMI2_OK);
                CHECK_INT(f.two.fmi2GetReal(c, out, 2, value), VG_FMI2_OK);
            } else {
                if (i == 4) CHECK_INT(f.three.fmi3SetFloat64(c, &d, 1, &three, 1), VG_FMI3_OK);
                CHECK_INT(f.three.fmi3DoStep(c, 0.25 * i, 0.25, true, &event, &end, &early, &reached),
                          VG_FMI3_OK);
                CHECK(!event && !end && !early && reached == 0.25 * (i + 1));
                CHECK_INT(f.three.fmi3GetFloat64(c, out, 2, value, 2), VG_FMI3_OK);
            }
            const double t = 0.25 * (i + 1), v = exp(-(t <= 1 ? t : 1 + 3 * (t - 1)));
            CHECK_NEAR(value[0], v, 1e-9);
            CHECK_NEAR(value[1], (1 - v * v) / 2, 1e-6); /* summed by parabolas over the steps */
        }
        f.two.fmi2FreeInstance(c);
        fmu_close(&f);
    }
}

/* ---- FMI 3.0: events and early return ---- */

static double seen_until;
static int seen_steps;

static void stop_at_one(void *environment, double t, bool set, bool get, bool finished, bool may, bool *asked,
                        double *when)
{
    (void)environment, (void)set, (void)get, (void)finished;
    seen_steps++;
    seen_until = t;
    *asked = may && t >= 0.5 - 1e-9;
    *when = t;
}

/* Controllers act in event mode: the same bits as where the FMU does it itself. Without event mode an environment can end
 * a step after one of the model's own. */
TEST(events)
{
    Fmu f;
    make_place();
    CHECK_INT(verge("fmu " SOURCE "/models/cart-pole.yaml --fmi 3 -o '%s'", fmu), 0);
    CHECK_INT(verge("run " SOURCE "/models/cart-pole.yaml --end 4 --every 10 -q -o '%s'", csv), 0);
    if (!fmu_open(&f, fmu)) return;
    void *c = fmu_start3(&f, true, true, NULL);
    const unsigned angle = fmu_ref(&f, "joint.pin.angle"), push = fmu_ref(&f, "controller.balance");
    double t = 0, value, next, reached;
    bool again, end, nominals, values, has_next, event, early;
    int n = csv_column(csv, "joint.pin.angle", expected, MOST), returned = 0, same = 0;
    CHECK_INT(n, 81);
    CHECK_INT(f.three.fmi3UpdateDiscreteStates(c, &again, &end, &nominals, &values, &has_next, &next),
              VG_FMI3_OK);
    CHECK(has_next && fabs(next - 0.02) < 1e-12);
    CHECK_INT(f.three.fmi3GetFloat64(c, &push, 1, &value, 1), VG_FMI3_OK);
    CHECK_NEAR(value, -48.4 * 0.2, 1e-12); /* it has acted, at t = 0 */
    CHECK_INT(f.three.fmi3EnterStepMode(c), VG_FMI3_OK);
    for (int i = 0; i < 80; i++) {
        while (t < 0.05 * (i + 1) - 1e-9) {
            CHECK_INT(f.three.fmi3DoStep(c, t, 0.05 * (i + 1) - t, true, &event, &end, &early, &reached),
                      VG_FMI3_OK);
            CHECK(reached > t && !end);
            returned += early;
            t = reached;
            if (!event) continue;
            CHECK_INT(f.three.fmi3EnterEventMode(c), VG_FMI3_OK);
            CHECK_INT(f.three.fmi3UpdateDiscreteStates(c, &again, &end, &nominals, &values, &has_next, &next),
                      VG_FMI3_OK);
            CHECK(!again && !end && has_next && next > t);
            CHECK_INT(f.three.fmi3EnterStepMode(c), VG_FMI3_OK);
        }
        CHECK_INT(f.three.fmi3GetFloat64(c, &angle, 1, &value, 1), VG_FMI3_OK);
        same += value == expected[i + 1];
    }
    CHECK(returned >= 120); /* 50 samples a second for 4 s, a fifth of them at the ends of steps */
    CHECK_INT(same, 80);
    f.three.fmi3FreeInstance(c);
    c = fmu_start3(&f, false, true, stop_at_one);
    CHECK_INT(f.three.fmi3DoStep(c, 0, 2, true, &event, &end, &early, &reached), VG_FMI3_OK);
    CHECK(early && !event && reached == seen_until && seen_steps > 50);
    CHECK_NEAR(reached, 0.5, 1e-9);
    f.three.fmi3FreeInstance(c);
    fmu_close(&f);
}

/* The start time of the experiment is the model's time: a drive is where it is by then. */
TEST(start_time)
{
    Fmu f;
    char model[TEMPORARY_PATH + 40];
    make_place();
    snprintf(model, sizeof model, "%s/driven.yaml", place);
    fmu_write(model, "verge: 1\nplanar: true\nbodies: {arm: {mass: 1, inertia: 1}}\n"
                     "joints: {O: {revolute: [ground, arm], drive: {angle: 0.3*sin(t)}}}\n"
                     "run: {integrator: generalized-alpha, step: 0.01, end: 2}\nrecord: [joint.O.angle]\n");
    CHECK_INT(verge("fmu '%s' -o '%s'", model, fmu), 0);
    if (!fmu_open(&f, fmu)) return;
    void *c = fmu_new2(&f, VG_FMI2_CO_SIMULATION);
    const unsigned angle = fmu_ref(&f, "joint.O.angle");
    double value;
    CHECK_INT(f.two.fmi2SetupExperiment(c, 0, 0, 1.5, 1, 2), VG_FMI2_OK);
    CHECK_INT(f.two.fmi2EnterInitializationMode(c), VG_FMI2_OK);
    CHECK_INT(f.two.fmi2GetReal(c, &angle, 1, &value), VG_FMI2_OK);
    CHECK_NEAR(value, 0.3 * sin(1.5), 1e-12);
    CHECK_INT(f.two.fmi2ExitInitializationMode(c), VG_FMI2_OK);
    CHECK_INT(f.two.fmi2DoStep(c, 1.5, 0.25, 1), VG_FMI2_OK);
    CHECK_INT(f.two.fmi2GetReal(c, &angle, 1, &value), VG_FMI2_OK);
    CHECK_NEAR(value, 0.3 * sin(1.75), 1e-10);
    CHECK_INT(f.two.fmi2DoStep(c, 1.75, 0.5, 1), VG_FMI2_ERROR); /* beyond the stop time */
    f.two.fmi2FreeInstance(c);
    fmu_close(&f);
    char line[TEMPORARY_PATH + 20];
    snprintf(line, sizeof line, "rm -r '%s'", place);
    CHECK(system(line) == 0);
}

TEST_MAIN(bits_of_a_run, long_step_of_chosen_steps, states, parameters_at_the_start, parameters_in_a_run,
          events, start_time)
