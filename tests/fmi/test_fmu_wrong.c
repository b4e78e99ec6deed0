/* FMUs called wrongly: an error and a message, no crash, and the instance goes on as if nothing had been. A model that fails
 * in the middle: the step is discarded, with the time it came to. */
#include "fmi/checker.h"

static char place[TEMPORARY_PATH], fmu[TEMPORARY_PATH + 40], model[TEMPORARY_PATH + 40];

static const char text[] = "verge: 1\nplanar: true\nparameters: {d: 0.1}\ngravity: [0, -9.81]\n"
                           "bodies: {rod: {mass: 1, inertia: 0.1, com: [0.5, 0]}}\n"
                           "joints: {O: {revolute: [ground, rod]}}\n"
                           "forces: {motor: {joint-torque: O, value: input.torque - d*joint.O.rate}}\n"
                           "run: {integrator: generalized-alpha, step: 0.01, end: 2}\n"
                           "record: [joint.O.angle]\n";

static int open_model(Fmu *f, const char *yaml, const char *options)
{
    if (!place[0]) CHECK(temporary_folder(place));
    snprintf(model, sizeof model, "%s/m.yaml", place);
    snprintf(fmu, sizeof fmu, "%s/m.fmu", place);
    fmu_write(model, yaml);
    CHECK_INT(verge("fmu '%s' %s -o '%s'", model, options, fmu), 0);
    return fmu_open(f, fmu);
}

/* The call fails and says why; part: of the words. */
#define WRONG(call, part)                                                                                    \
    do {                                                                                                     \
        const int said = fmu_logs;                                                                           \
        fmu_log[0] = 0;                                                                                      \
        CHECK_INT(call, VG_FMI2_ERROR);                                                                      \
        CHECK(fmu_logs > said);                                                                              \
        CHECK_STR(fmu_log, part);                                                                            \
    } while (0)

TEST(no_instance)
{
    Fmu f;
    if (!open_model(&f, text, "")) return;
    const Table2 *two = &f.two;
    unsigned ref = 0;
    double x = 0;
    int i = 0;
    size_t n = 0;
    void *state = NULL;
    const char *word = NULL;
    vgFmi2Status status;
    vgFmi2EventInfo info;
    CHECK_STR(two->fmi2GetVersion(), "2.0");
    CHECK_STR(two->fmi2GetTypesPlatform(), "default");
    const int answers[] = {two->fmi2SetDebugLogging(NULL, 1, 0, NULL),
                           two->fmi2SetupExperiment(NULL, 0, 0, 0, 0, 0),
                           two->fmi2EnterInitializationMode(NULL),
                           two->fmi2ExitInitializationMode(NULL),
                           two->fmi2Terminate(NULL),
                           two->fmi2Reset(NULL),
                           two->fmi2GetReal(NULL, &ref, 1, &x),
                           two->fmi2GetInteger(NULL, &ref, 1, &i),
                           two->fmi2GetBoolean(NULL, &ref, 1, &i),
                           two->fmi2GetString(NULL, &ref, 1, &word),
                           two->fmi2SetReal(NULL, &ref, 1, &x),
                           two->fmi2SetInteger(NULL, &ref, 1, &i),
                           two->fmi2SetBoolean(NULL, &ref, 1, &i),
                           two->fmi2SetString(NULL, &ref, 1, &word),
                           two->fmi2GetFMUstate(NULL, &state),
                           two->fmi2SetFMUstate(NULL, NULL),
                           two->fmi2FreeFMUstate(NULL, &state),
                           two->fmi2SerializedFMUstateSize(NULL, NULL, &n),
                           two->fmi2SerializeFMUstate(NULL, NULL, NULL, 0),
                           two->fmi2DeSerializeFMUstate(NULL, NULL, 0, &state),
                           two->fmi2GetDirectionalDerivative(NULL, &ref, 1, &ref, 1, &x, &x),
                           two->fmi2EnterEventMode(NULL),
                           two->fmi2NewDiscreteStates(NULL, &info),
                           two->fmi2EnterContinuousTimeMode(NULL),
                           two->fmi2CompletedIntegratorStep(NULL, 0, &i, &i),
                           two->fmi2SetTime(NULL, 0),
                           two->fmi2SetContinuousStates(NULL, &x, 1),
                           two->fmi2GetDerivatives(NULL, &x, 1),
                           two->fmi2GetEventIndicators(NULL, &x, 1),
                           two->fmi2GetContinuousStates(NULL, &x, 1),
                           two->fmi2GetNominalsOfContinuousStates(NULL, &x, 1),
                           two->fmi2SetRealInputDerivatives(NULL, &ref, 1, &i, &x),
                           two->fmi2GetRealOutputDerivatives(NULL, &ref, 1, &i, &x),
                           two->fmi2DoStep(NULL, 0, 1, 0),
                           two->fmi2CancelStep(NULL),
                           two->fmi2GetStatus(NULL, VG_FMI2_DO_STEP_STATUS, &status),
                           two->fmi2GetRealStatus(NULL, VG_FMI2_LAST_SUCCESSFUL_TIME, &x),
                           two->fmi2GetIntegerStatus(NULL, VG_FMI2_TERMINATED, &i),
                           two->fmi2GetBooleanStatus(NULL, VG_FMI2_TERMINATED, &i),
                           two->fmi2GetStringStatus(NULL, VG_FMI2_PENDING_STATUS, &word)};
    for (size_t k = 0; k < sizeof answers / sizeof *answers; k++) CHECK_INT(answers[k], VG_FMI2_ERROR);
    two->fmi2FreeInstance(NULL);
    fmu_close(&f);
}

/* What an instance cannot be made of. */
TEST(instantiation)
{
    Fmu f;
    if (!open_model(&f, text, "")) return;
    char uri[TEMPORARY_PATH + 60], path[TEMPORARY_PATH + 80];
    snprintf(uri, sizeof uri, "file://%s", f.resources);
    fmu_logs = 0;
    CHECK(!f.two.fmi2Instantiate("a", VG_FMI2_CO_SIMULATION, f.token, uri, NULL, 0, 1));
    CHECK(!f.two.fmi2Instantiate("a", VG_FMI2_CO_SIMULATION, "{other}", uri, &callbacks2, 0, 1));
    CHECK_STR(fmu_log, "token");
    CHECK(!f.two.fmi2Instantiate("a", VG_FMI2_CO_SIMULATION, NULL, uri, &callbacks2, 0, 1));
    CHECK(!f.two.fmi2Instantiate(NULL, VG_FMI2_CO_SIMULATION, f.token, uri, &callbacks2, 0, 1));
    CHECK_STR(fmu_log, "no name");
    CHECK(!f.two.fmi2Instantiate("a", VG_FMI2_CO_SIMULATION, f.token, NULL, &callbacks2, 0, 1));
    CHECK(!f.two.fmi2Instantiate("a", VG_FMI2_CO_SIMULATION, f.token, "file:///nowhere", &callbacks2, 0, 1));
    CHECK_STR(fmu_log, "/nowhere/verge-fmu.txt");
    CHECK(!f.two.fmi2Instantiate("a", VG_FMI2_MODEL_EXCHANGE, f.token, uri, &callbacks2, 0, 1));
    CHECK_STR(fmu_log, "co-simulation");
    CHECK(!f.three.fmi3InstantiateScheduledExecution("a", f.token, f.resources, false, true, NULL, fmu_log3,
                                                     NULL, NULL, NULL));
    CHECK_STR(fmu_log, "scheduled");
    CHECK_INT(fmu_logs, 7);
    /* without a logger in version 3.0, which allows it; with a path that is written with escapes in 2.0 */
    void *c = f.three.fmi3InstantiateCoSimulation("a", f.token, f.resources, false, true, false, false, NULL,
                                                  0, NULL, NULL, NULL);
    CHECK(c != NULL);
    CHECK_INT(f.three.fmi3DoStep(c, 0, 1, false, NULL, NULL, NULL, NULL), VG_FMI3_ERROR);
    f.three.fmi3FreeInstance(c);
    snprintf(path, sizeof path, "%s/with blank", f.folder);
    CHECK(symlink(f.resources, path) == 0);
    snprintf(uri, sizeof uri, "file://localhost%s/with%%20blank", f.folder);
    c = f.two.fmi2Instantiate("a", VG_FMI2_CO_SIMULATION, f.token, uri, &callbacks2, 0, 1);
    CHECK(c != NULL);
    f.two.fmi2FreeInstance(c);
    /* resources that are damaged */
    snprintf(path, sizeof path, "%s/verge-fmu.txt", f.resources);
    fmu_write(path, "verge-fmu 1\ntoken x\nparameter fixed a L\n");
    CHECK(!fmu_new2(&f, VG_FMI2_CO_SIMULATION));
    CHECK_STR(fmu_log, "damaged");
    fmu_close(&f);
}

TEST(order_and_values)
{
    Fmu f;
    if (!open_model(&f, text, "")) return;
    const Table2 *two = &f.two;
    void *c = fmu_new2(&f, VG_FMI2_CO_SIMULATION);
    const unsigned angle = fmu_ref(&f, "joint.O.angle"), torque = fmu_ref(&f, "input.torque"), none = 99,
                   both[2] = {torque, none};
    double x = 0, pair[2] = {1, 2}, nan = NAN, big = INFINITY;
    int i;
    size_t size;
    void *state = NULL;
    WRONG(two->fmi2DoStep(c, 0, 0.1, 0), "before initialization");
    WRONG(two->fmi2ExitInitializationMode(c), "before initialization");
    WRONG(two->fmi2GetReal(c, &angle, 1, &x), "before initialization");
    WRONG(two->fmi2Terminate(c), "before initialization");
    WRONG(two->fmi2SetupExperiment(c, 0, 0, NAN, 0, 0), "numbers");
    WRONG(two->fmi2SetupExperiment(c, 0, 0, 1, 1, 0), "numbers");
    CHECK_INT(two->fmi2EnterInitializationMode(c), VG_FMI2_OK);
    WRONG(two->fmi2EnterInitializationMode(c), "in initialization mode");
    WRONG(two->fmi2DoStep(c, 0, 0.1, 0), "in initialization mode");
    CHECK_INT(two->fmi2ExitInitializationMode(c), VG_FMI2_OK);
    WRONG(two->fmi2GetReal(c, &none, 1, &x), "99");
    WRONG(two->fmi2GetReal(c, NULL, 1, &x), "NULL");
    WRONG(two->fmi2GetReal(c, &angle, 1, NULL), "NULL");
    CHECK_INT(two->fmi2GetReal(c, NULL, 0, NULL), VG_FMI2_OK);
    WRONG(two->fmi2SetReal(c, both, 2, pair), "99");
    CHECK_INT(two->fmi2GetReal(c, &torque, 1, &x), VG_FMI2_OK);
    CHECK(x == 0); /* all or none */
    WRONG(two->fmi2SetReal(c, &torque, 1, &nan), "finite");
    WRONG(two->fmi2SetReal(c, &torque, 1, &big), "finite");
    WRONG(two->fmi2SetReal(c, &angle, 1, &x), "neither a parameter nor an input");
    WRONG(two->fmi2GetInteger(c, &angle, 1, &i), "no such variables");
    WRONG(two->fmi2DoStep(c, 0, 0, 0), "positive");
    WRONG(two->fmi2DoStep(c, 0, -0.1, 0), "positive");
    WRONG(two->fmi2DoStep(c, 0, NAN, 0), "positive");
    WRONG(two->fmi2DoStep(c, 0.5, 0.1, 0), "communication point");
    WRONG(two->fmi2SetFMUstate(c, NULL), "NULL");
    WRONG(two->fmi2GetFMUstate(c, NULL), "NULL");
    WRONG(two->fmi2SerializedFMUstateSize(c, NULL, &size), "NULL");
    WRONG(two->fmi2DeSerializeFMUstate(c, "short", 5, &state), "not the state");
    WRONG(two->fmi2SetTime(c, 0), "between steps");
    WRONG(two->fmi2EnterEventMode(c), "between steps");
    WRONG(two->fmi2CancelStep(c), "pending");
    WRONG(two->fmi2GetRealStatus(c, VG_FMI2_TERMINATED, &x), "time");
    WRONG(two->fmi2GetRealStatus(c, VG_FMI2_LAST_SUCCESSFUL_TIME, NULL), "time");
    /* and after all that it still works, as the same model does without */
    CHECK_INT(two->fmi2DoStep(c, 0, 0.1, 0), VG_FMI2_OK);
    CHECK_INT(two->fmi2GetReal(c, &angle, 1, &x), VG_FMI2_OK);
    void *calm = fmu_start2(&f, VG_FMI2_CO_SIMULATION);
    CHECK_INT(two->fmi2DoStep(calm, 0, 0.1, 0), VG_FMI2_OK);
    CHECK_INT(two->fmi2GetReal(calm, &angle, 1, pair), VG_FMI2_OK);
    CHECK(x == pair[0]);
    two->fmi2FreeInstance(calm);
    CHECK_INT(two->fmi2Terminate(c), VG_FMI2_OK);
    WRONG(two->fmi2DoStep(c, 0.1, 0.1, 0), "terminated");
    CHECK_INT(two->fmi2GetReal(c, &angle, 1, &x), VG_FMI2_OK);
    two->fmi2FreeInstance(c);
    fmu_close(&f);
}

TEST(version_three)
{
    Fmu f;
    if (!open_model(&f, text, "--fmi 3")) return;
    const Table3 *three = &f.three;
    CHECK_STR(three->fmi3GetVersion(), "3.0");
    unsigned angle = fmu_ref(&f, "joint.O.angle"), torque = fmu_ref(&f, "input.torque"), none = 99;
    double x = 0, nan = NAN, pair[2];
    float small;
    bool b, c1, c2, c3;
    size_t n;
    CHECK_INT(three->fmi3Reset(NULL), VG_FMI3_ERROR);
    CHECK_INT(three->fmi3GetFloat64(NULL, &angle, 1, &x, 1), VG_FMI3_ERROR);
    CHECK_INT(three->fmi3GetFloat32(NULL, &angle, 1, &small, 1), VG_FMI3_ERROR);
    CHECK_INT(three->fmi3GetNumberOfContinuousStates(NULL, &n), VG_FMI3_ERROR);
    void *c = fmu_new3(&f, false, false, NULL);
    WRONG((int)three->fmi3EnterInitializationMode(c, false, 0, NAN, false, 0), "finite");
    WRONG((int)three->fmi3DoStep(c, 0, 1, false, &b, &c1, &c2, &x), "before initialization");
    CHECK_INT(three->fmi3EnterInitializationMode(c, false, 0, 0, false, 0), VG_FMI3_OK);
    CHECK_INT(three->fmi3ExitInitializationMode(c), VG_FMI3_OK);
    WRONG((int)three->fmi3GetFloat64(c, &none, 1, &x, 1), "99");
    WRONG((int)three->fmi3GetFloat64(c, &angle, 1, pair, 2), "2 values for 1");
    WRONG((int)three->fmi3SetFloat64(c, &torque, 1, &nan, 1), "finite");
    WRONG((int)three->fmi3GetFloat32(c, &angle, 1, &small, 1), "nothing of that kind");
    WRONG((int)three->fmi3EnterConfigurationMode(c), "nothing of that kind");
    WRONG((int)three->fmi3ActivateModelPartition(c, 0, 0), "nothing of that kind");
    WRONG((int)three->fmi3EnterEventMode(c), "without event mode");
    WRONG((int)three->fmi3EnterStepMode(c), "between steps");
    WRONG((int)three->fmi3DoStep(c, 0, 1, false, NULL, &c1, &c2, &x), "NULL");
    WRONG((int)three->fmi3DoStep(c, 0, NAN, false, &b, &c1, &c2, &x), "positive");
    WRONG((int)three->fmi3UpdateDiscreteStates(c, &b, &c1, &c2, &c3, &b, &x), "between steps");
    CHECK_INT(three->fmi3DoStep(c, 0, 1, false, &b, &c1, &c2, &x), VG_FMI3_OK);
    CHECK(x == 1);
    three->fmi3FreeInstance(c);
    fmu_close(&f);
}

/* A hinge is driven by a law that has no value beyond t = 0.5 s. */
TEST(fails_in_the_middle)
{
    static const char failing[] =
        "verge: 1\nplanar: true\nbodies: {rod: {mass: 1, inertia: 0.1}}\n"
        "joints: {O: {revolute: [ground, rod]}}\n"
        "forces: {motor: {joint-torque: O, value: sqrt(0.5 - t)}}\n"
        "run: {integrator: generalized-alpha, step: 0.01, end: 2}\nrecord: [joint.O.angle]\n";
    Fmu f;
    if (!open_model(&f, failing, "")) return;
    const unsigned angle = fmu_ref(&f, "joint.O.angle");
    void *c = fmu_start2(&f, VG_FMI2_CO_SIMULATION), *state = NULL;
    double t = 0, x = 0, before = 0;
    int end = 1;
    CHECK_INT(f.two.fmi2DoStep(c, 0, 0.25, 0), VG_FMI2_OK);
    CHECK_INT(f.two.fmi2GetFMUstate(c, &state), VG_FMI2_OK);
    CHECK_INT(f.two.fmi2GetReal(c, &angle, 1, &before), VG_FMI2_OK);
    fmu_log[0] = 0;
    CHECK_INT(f.two.fmi2DoStep(c, 0.25, 0.5, 0), VG_FMI2_DISCARD);
    CHECK_STR(fmu_log, "instead of 0.75 s");
    CHECK_INT(f.two.fmi2GetRealStatus(c, VG_FMI2_LAST_SUCCESSFUL_TIME, &t), VG_FMI2_OK);
    CHECK(t > 0.45 && t <= 0.5 + 1e-9);
    CHECK_INT(f.two.fmi2GetBooleanStatus(c, VG_FMI2_TERMINATED, &end), VG_FMI2_OK);
    CHECK_INT(end, 0);
    CHECK_INT(f.two.fmi2GetReal(c, &angle, 1, &x), VG_FMI2_OK);
    /* θ'' = 10 √(0.5 − t), from rest: θ' = 10·2/3 (0.5^1.5 − (0.5−t)^1.5), θ = 20/3 (0.5^1.5 t − 2/5 (0.5^2.5 − (0.5−t)^2.5)) */
    const double left = fmax(0, 0.5 - t);
    CHECK_NEAR(x, 20.0 / 3 * (pow(0.5, 1.5) * t - 0.4 * (pow(0.5, 2.5) - pow(left, 2.5))), 1e-3);
    WRONG(f.two.fmi2DoStep(c, t, 0.1, 0), "not done to its end");
    /* back, and a shorter step */
    CHECK_INT(f.two.fmi2SetFMUstate(c, state), VG_FMI2_OK);
    CHECK_INT(f.two.fmi2GetReal(c, &angle, 1, &x), VG_FMI2_OK);
    CHECK(x == before);
    CHECK_INT(f.two.fmi2DoStep(c, 0.25, 0.2, 0), VG_FMI2_OK);
    CHECK_INT(f.two.fmi2FreeFMUstate(c, &state), VG_FMI2_OK);
    f.two.fmi2FreeInstance(c);
    bool b1, b2, b3;
    c = fmu_start3(&f, false, false, NULL);
    CHECK_INT(f.three.fmi3DoStep(c, 0, 1, false, &b1, &b2, &b3, &t), VG_FMI3_DISCARD);
    CHECK(t > 0.45 && t <= 0.5 + 1e-9);
    f.three.fmi3FreeInstance(c);
    fmu_close(&f);
    char line[TEMPORARY_PATH + 20];
    snprintf(line, sizeof line, "rm -r '%s'", place);
    CHECK(system(line) == 0);
}

TEST_MAIN(no_instance, instantiation, order_and_values, version_three, fails_in_the_middle)
