/* FMUs for model exchange, integrated by a Runge–Kutta method of this test: trees, loops with projection, controllers and
 * laws with corners as time events. References are closed forms and runs of `verge run` by other methods. */
#include "fmi/checker.h"

static char place[TEMPORARY_PATH], fmu[TEMPORARY_PATH + 40], csv[TEMPORARY_PATH + 40],
    model[TEMPORARY_PATH + 40];
#define MODELS VERGE_SOURCE_DIR "/models/"

static void make_place(void)
{
    if (place[0]) return;
    CHECK(temporary_folder(place));
    snprintf(fmu, sizeof fmu, "%s/a.fmu", place);
    snprintf(csv, sizeof csv, "%s/run.csv", place);
    snprintf(model, sizeof model, "%s/m.yaml", place);
}

enum { MOST = 40 };

/* An instance of either version behind the same few calls. */
typedef struct Unit {
    Fmu f;
    int version, events, projections;
    void *c;
    size_t n;
    double t, next;
} Unit;

static void discrete(Unit *u)
{
    if (u->version == 2) {
        vgFmi2EventInfo info;
        CHECK_INT(u->f.two.fmi2NewDiscreteStates(u->c, &info), VG_FMI2_OK);
        CHECK(!info.again && !info.terminate);
        u->projections += info.values_changed;
        u->next = info.next_time_defined ? info.next_time : INFINITY;
        CHECK_INT(u->f.two.fmi2EnterContinuousTimeMode(u->c), VG_FMI2_OK);
    } else {
        bool again, end, nominals, values, defined;
        double next;
        CHECK_INT(
            u->f.three.fmi3UpdateDiscreteStates(u->c, &again, &end, &nominals, &values, &defined, &next),
            VG_FMI3_OK);
        CHECK(!again && !end);
        u->projections += values;
        u->next = defined ? next : INFINITY;
        CHECK_INT(u->f.three.fmi3EnterContinuousTimeMode(u->c), VG_FMI3_OK);
    }
}

static int unit_open(Unit *u, int version)
{
    *u = (Unit){.version = version};
    if (!fmu_open(&u->f, fmu)) return 0;
    if (version == 2) {
        u->c = fmu_start2(&u->f, VG_FMI2_MODEL_EXCHANGE);
        for (const char *at = u->f.xml; (at = strstr(at, " derivative=\"")); at++) u->n++;
    } else {
        u->c = u->f.three.fmi3InstantiateModelExchange("unit", u->f.token, u->f.resources, false, true, NULL,
                                                       fmu_log3);
        CHECK_INT(u->f.three.fmi3EnterInitializationMode(u->c, false, 0, 0, false, 0), VG_FMI3_OK);
        CHECK_INT(u->f.three.fmi3ExitInitializationMode(u->c), VG_FMI3_OK);
        CHECK_INT(u->f.three.fmi3GetNumberOfContinuousStates(u->c, &u->n), VG_FMI3_OK);
    }
    CHECK(u->c && u->n > 0 && u->n <= MOST);
    discrete(u);
    return u->c && u->n <= MOST;
}

static void unit_close(Unit *u)
{
    u->f.two.fmi2FreeInstance(u->c);
    fmu_close(&u->f);
}

static void rate(Unit *u, double t, const double *x, double *out)
{
    if (u->version == 2) {
        CHECK_INT(u->f.two.fmi2SetTime(u->c, t), VG_FMI2_OK);
        CHECK_INT(u->f.two.fmi2SetContinuousStates(u->c, x, u->n), VG_FMI2_OK);
        if (out) CHECK_INT(u->f.two.fmi2GetDerivatives(u->c, out, u->n), VG_FMI2_OK);
    } else {
        CHECK_INT(u->f.three.fmi3SetTime(u->c, t), VG_FMI3_OK);
        CHECK_INT(u->f.three.fmi3SetContinuousStates(u->c, x, u->n), VG_FMI3_OK);
        if (out) CHECK_INT(u->f.three.fmi3GetContinuousStateDerivatives(u->c, out, u->n), VG_FMI3_OK);
    }
}

static void states(Unit *u, double *x)
{
    if (u->version == 2)
        CHECK_INT(u->f.two.fmi2GetContinuousStates(u->c, x, u->n), VG_FMI2_OK);
    else
        CHECK_INT(u->f.three.fmi3GetContinuousStates(u->c, x, u->n), VG_FMI3_OK);
}

/* One step of the classical method, and what follows it. */
static void step(Unit *u, double h, double *x)
{
    double k[4][MOST], y[MOST];
    static const double c[4] = {0, 0.5, 0.5, 1}, b[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    for (int s = 0; s < 4; s++) {
        for (size_t i = 0; i < u->n; i++) y[i] = x[i] + (s ? c[s] * h * k[s - 1][i] : 0);
        rate(u, u->t + c[s] * h, y, k[s]);
    }
    for (size_t i = 0; i < u->n; i++)
        for (int s = 0; s < 4; s++) x[i] += h * b[s] * k[s][i];
    u->t += h;
    if (u->next - u->t < 1e-12) u->t = u->next;
    rate(u, u->t, x, NULL);
    int event = 0, end;
    bool event3, end3;
    if (u->version == 2) {
        CHECK_INT(u->f.two.fmi2CompletedIntegratorStep(u->c, 1, &event, &end), VG_FMI2_OK);
    } else {
        CHECK_INT(u->f.three.fmi3CompletedIntegratorStep(u->c, true, &event3, &end3), VG_FMI3_OK);
        event = event3;
    }
    if (!event && u->t < u->next) return;
    u->events++;
    if (u->version == 2)
        CHECK_INT(u->f.two.fmi2EnterEventMode(u->c), VG_FMI2_OK);
    else
        CHECK_INT(u->f.three.fmi3EnterEventMode(u->c), VG_FMI3_OK);
    discrete(u);
    states(u, x);
}

/* From the start to the end, in steps of h or up to an event. */
static void integrate(Unit *u, double h, double end)
{
    double x[MOST];
    states(u, x);
    while (u->t < end - 1e-12) step(u, fmin(h, fmin(end, u->next) - u->t), x);
}

static double get(Unit *u, const char *name)
{
    const unsigned ref = fmu_ref(&u->f, name);
    double value = NAN;
    if (u->version == 2)
        CHECK_INT(u->f.two.fmi2GetReal(u->c, &ref, 1, &value), VG_FMI2_OK);
    else
        CHECK_INT(u->f.three.fmi3GetFloat64(u->c, &ref, 1, &value, 1), VG_FMI3_OK);
    return value;
}

/* The last number of a column. */
static double last(const char *channel)
{
    static double column[20000];
    int n = csv_column(csv, channel, column, 20000);
    return n > 0 ? column[n - 1] : NAN;
}

/* A tree: errors of the Runge–Kutta method fall with the fourth power of the step. */
TEST(tree)
{
    make_place();
    CHECK_INT(verge("run " MODELS "double-pendulum.yaml --set rate=3 --integrator "
                    "dopri5:rtol=1e-12,atol=1e-12 --coordinates relative --end 0.5 -q -o '%s'",
                    csv),
              0);
    const double expected = last("joint.J2.angle");
    for (int version = 2; version <= 3; version++) {
        double error[2];
        CHECK_INT(
            verge("fmu " MODELS "double-pendulum.yaml --set rate=3 --type me --fmi %d -o '%s'", version, fmu),
            0);
        for (int k = 0; k < 2; k++) {
            Unit u;
            if (!unit_open(&u, version)) return;
            CHECK_INT(u.n, 4);
            integrate(&u, k ? 0.001 : 0.002, 0.5);
            error[k] = fabs(get(&u, "joint.J2.angle") - expected);
            CHECK_NEAR(get(&u, "joint.J2.angle"), get(&u, "state.joint.J2.angle"), 1e-13);
            CHECK_NEAR(get(&u, "joint.J2.rate"), get(&u, "der(state.joint.J2.angle)"), 1e-13);
            CHECK(u.events == 0 && get(&u, "time") == u.t);
            unit_close(&u);
        }
        CHECK_NEAR(log2(error[0] / error[1]), 4, 0.5);
        CHECK(error[1] < 1e-6);
    }
}

/* A loop: the states stay on the constraints, where they would drift off by 1e-6 and more. */
TEST(loop)
{
    make_place();
    CHECK_INT(
        verge("run " MODELS
              "slider-crank.yaml --integrator radau5 --constraints index2 --step 1e-3 --end 1.5 -q -o '%s'",
              csv),
        0);
    for (int version = 2; version <= 3; version++) {
        Unit u;
        CHECK_INT(verge("fmu " MODELS "slider-crank.yaml --type me --fmi %d --outputs "
                        "joint.O.angle,joint.B.displacement,constraint.position,constraint.velocity -o '%s'",
                        version, fmu),
                  0);
        if (!unit_open(&u, version)) return;
        integrate(&u, 0.01, 1.5);
        CHECK(u.projections > 5 && u.events >= u.projections);
        CHECK_NEAR(get(&u, "constraint.position"), 0, 1e-9);
        CHECK_NEAR(get(&u, "constraint.velocity"), 0, 1e-8);
        /* 150 steps of order 4 on a motion of about 1 Hz */
        CHECK_NEAR(get(&u, "joint.O.angle"), last("joint.O.angle"), 2e-4);
        CHECK_NEAR(get(&u, "joint.B.displacement"), last("joint.B.displacement"), 2e-4);
        unit_close(&u);
    }
}

/* A ball joint: Tait–Bryan angles outside, compared with rotations on the group. */
TEST(rotations)
{
    Unit u;
    make_place();
    fmu_write(model,
              "verge: 1\ngravity: [0, 0, -9.81]\n"
              "bodies: {top: {mass: 2, inertia: [0.02, 0.03, 0.04], com: [0, 0.3, 0.1], omega: [1, 2, 3]}}\n"
              "joints: {O: {spherical: [ground, top]}}\n"
              "run: {integrator: radau5, step: 1e-3, end: 0.4}\nrecord: [body.top.omega.x, energy.total]\n");
    CHECK_INT(verge("run '%s' -q -o '%s'", model, csv), 0);
    CHECK_INT(verge("fmu '%s' --type me -o '%s'", model, fmu), 0);
    if (!unit_open(&u, 2)) return;
    const double energy = get(&u, "energy.total");
    integrate(&u, 0.001, 0.4);
    CHECK_NEAR(get(&u, "energy.total"), energy, 1e-7);
    CHECK_NEAR(get(&u, "body.top.omega.x"), last("body.top.omega.x"), 1e-6);
    unit_close(&u);
}

/* A body of 1 kg is pushed by 1 N from t = 0.313 s on, and by an input: x = (t − 0.313)²/2 + 2 t²/2. Steps end at the
 * corner, and a method of order 4 is exact for a parabola. */
TEST(corner)
{
    Unit u;
    make_place();
    fmu_write(model, "verge: 1\nplanar: true\nbodies: {block: {mass: 1, inertia: 1}}\n"
                     "joints: {rail: {prismatic: [ground, block], axis: x}}\n"
                     "forces: {push: {joint-torque: rail, value: \"if(t < 0.313, 0, 1) + input.more\"}}\n"
                     "run: {step: 0.01, end: 1}\nrecord: [joint.rail.displacement, joint.rail.rate, "
                     "joint.rail.acceleration]\n");
    CHECK_INT(verge("fmu '%s' --type me -o '%s'", model, fmu), 0);
    if (!unit_open(&u, 2)) return;
    const unsigned in = fmu_ref(&u.f, "input.more");
    const double two = 2;
    CHECK_INT(u.f.two.fmi2SetReal(u.c, &in, 1, &two), VG_FMI2_OK);
    CHECK_NEAR(get(&u, "joint.rail.acceleration"), 2, 1e-14);
    CHECK_NEAR(u.next, 0.313, 1e-9);
    integrate(&u, 0.05, 1);
    CHECK_INT(u.events, 1);
    CHECK_NEAR(get(&u, "joint.rail.displacement"), 0.687 * 0.687 / 2 + 1,
               1e-8); /* the corner's time is known to 1e-9 */
    CHECK_NEAR(get(&u, "joint.rail.rate"), 0.687 + 2, 1e-8);
    unit_close(&u);
}

/* Samples of a controller are time events. */
TEST(controller)
{
    make_place();
    CHECK_INT(verge("run " MODELS "cart-pole.yaml --integrator radau5 --step 1e-3 --end 4 -q -o '%s'", csv),
              0);
    for (int version = 2; version <= 3; version++) {
        Unit u;
        CHECK_INT(verge("fmu " MODELS "cart-pole.yaml --type me --fmi %d -o '%s'", version, fmu), 0);
        if (!unit_open(&u, version)) return;
        integrate(&u, 0.005, 4);
        CHECK(u.events >= 199 && u.events <= 202);
        CHECK_NEAR(get(&u, "joint.pin.angle"), last("joint.pin.angle"), 1e-7);
        CHECK_NEAR(get(&u, "joint.rail.displacement"), last("joint.rail.displacement"), 1e-7);
        unit_close(&u);
    }
}

/* States kept and brought back give the same rates; calls that are wrong are errors. */
TEST(kept_and_wrong)
{
    Unit u;
    double x[MOST], a[MOST], b[MOST], nominal[MOST];
    void *state = NULL;
    int event, end;
    make_place();
    CHECK_INT(verge("fmu " MODELS "double-pendulum.yaml --type me -o '%s'", fmu), 0);
    if (!unit_open(&u, 2)) return;
    const Table2 *two = &u.f.two;
    states(&u, x);
    for (int i = 0; i < 10; i++) step(&u, 0.01, x);
    CHECK_INT(two->fmi2GetDerivatives(u.c, a, u.n), VG_FMI2_OK);
    CHECK_INT(two->fmi2GetFMUstate(u.c, &state), VG_FMI2_OK);
    for (int i = 0; i < 10; i++) step(&u, 0.01, x);
    CHECK_INT(two->fmi2SetFMUstate(u.c, state), VG_FMI2_OK);
    CHECK_INT(two->fmi2GetDerivatives(u.c, b, u.n), VG_FMI2_OK);
    CHECK(memcmp(a, b, u.n * sizeof *a) == 0);
    CHECK_INT(two->fmi2GetNominalsOfContinuousStates(u.c, nominal, u.n), VG_FMI2_OK);
    for (size_t i = 0; i < u.n; i++) CHECK(nominal[i] > 0);
    CHECK_INT(two->fmi2SetContinuousStates(u.c, x, u.n - 1), VG_FMI2_ERROR);
    CHECK_STR(fmu_log, "4 states");
    CHECK_INT(two->fmi2SetContinuousStates(u.c, NULL, u.n), VG_FMI2_ERROR);
    x[1] = NAN;
    CHECK_INT(two->fmi2SetContinuousStates(u.c, x, u.n), VG_FMI2_ERROR);
    CHECK_STR(fmu_log, "finite");
    CHECK_INT(two->fmi2SetTime(u.c, NAN), VG_FMI2_ERROR);
    CHECK_INT(two->fmi2GetDerivatives(u.c, NULL, u.n), VG_FMI2_ERROR);
    CHECK_INT(two->fmi2GetEventIndicators(u.c, x, 1), VG_FMI2_ERROR);
    CHECK_INT(two->fmi2GetEventIndicators(u.c, NULL, 0), VG_FMI2_OK);
    CHECK_INT(two->fmi2CompletedIntegratorStep(u.c, 1, NULL, &end), VG_FMI2_ERROR);
    CHECK_INT(two->fmi2CompletedIntegratorStep(u.c, 1, &event, &end), VG_FMI2_OK);
    CHECK_INT(two->fmi2DoStep(u.c, 0, 0.1, 0), VG_FMI2_ERROR);
    CHECK_INT(two->fmi2NewDiscreteStates(u.c, NULL), VG_FMI2_ERROR);
    CHECK_INT(two->fmi2GetDerivatives(u.c, b, u.n), VG_FMI2_OK);
    CHECK(memcmp(a, b, u.n * sizeof *a) == 0);
    CHECK_INT(two->fmi2FreeFMUstate(u.c, &state), VG_FMI2_OK);
    unit_close(&u);
    char line[TEMPORARY_PATH + 20];
    snprintf(line, sizeof line, "rm -r '%s'", place);
    CHECK(system(line) == 0);
}

TEST_MAIN(tree, loop, rotations, corner, controller, kept_and_wrong)
