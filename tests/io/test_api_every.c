/* Every function of the public headers: with NULL in each place, with indices and sizes out of range, before what it needs, after a
 * failure, twice. Each answers as its header says; nothing crashes. A function that is not called here fails the last test. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "temporary.h"
#include "test.h"
#include "verge/verge.h"

static const char swing[] =
    "verge: 1\nparameters: {m: 1}\nbodies: {rod: {mass: m, com: [0.5, 0, 0], inertia: [0.1, 0.2, 0.2]}}\n"
    "joints: {O: {revolute: [ground, rod], axis: y}}\n"
    "forces: {T: {joint-torque: O, value: input.torque}}\nrun: {step: 1e-3, end: 0.01}\n";
/* its law has no value from 0.0105 s on */
static const char ends[] =
    "verge: 1\nbodies: {rod: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.2, 0.2]}}\n"
    "joints: {O: {revolute: [ground, rod], axis: y}}\n"
    "forces: {F: {force: rod, value: [\"sqrt(0.0105 - t)\", 0, 0]}}\nrun: {step: 1e-3, end: 1}\n";
static const char pushed[] = "verge: 1\nbodies: {rod: {mass: 1, inertia: [1, 1, 1]}}\n"
                             "forces: {C: {callback: [ground, rod]}}\nrun: {step: 1e-3, end: 0.01}\n";

enum { SEEN = 200 };
static const char *seen[SEEN];
static int nseen;

/* The calls that follow are of this function. */
static void of(const char *name)
{
    CHECK(nseen < SEEN);
    if (nseen < SEEN) seen[nseen++] = name;
}

static vgModel *parse(const char *text)
{
    return vg_parse(text, strlen(text), "text", NULL, NULL);
}

/* A failure with words. */
#define REFUSED(sim, call)                                                                                   \
    do {                                                                                                     \
        CHECK_INT(call, VG_BAD_INPUT);                                                                       \
        CHECK(vg_sim_error(sim)[0] != 0);                                                                    \
    } while (0)

TEST(diagnostics)
{
    vgDiag *diag = vg_diag_new();
    of("vg_diag_new");
    CHECK(diag != NULL);
    of("vg_diag_free");
    vg_diag_free(NULL);
    of("vg_diag_clear");
    vg_diag_clear(NULL);
    vg_diag_clear(diag);
    vg_diag_clear(diag);
    of("vg_diag_errors");
    CHECK_INT(vg_diag_errors(NULL), 0);
    of("vg_diag_warnings");
    CHECK_INT(vg_diag_warnings(NULL), 0);
    of("vg_diag_count");
    CHECK_INT(vg_diag_count(NULL), 0);
    of("vg_diag_line");
    CHECK(vg_diag_line(NULL, 0) == NULL);
    CHECK(vg_diag_line(diag, 0) == NULL && vg_diag_line(diag, -1) == NULL &&
          vg_diag_line(diag, INT_MIN) == NULL && vg_diag_line(diag, INT_MAX) == NULL);
    of("vg_status_text");
    for (int i = -2; i < VG_STATUS_COUNT + 2; i++) CHECK(vg_status_text((vgStatus)i)[0] != 0);
    CHECK(vg_status_text((vgStatus)INT_MIN)[0] != 0 && vg_status_text((vgStatus)INT_MAX)[0] != 0);
    of("vg_version");
    CHECK_STR(vg_version(), VERGE_VERSION_STRING);
    vg_diag_free(diag);
}

TEST(models)
{
    const char *none[] = {NULL}, *odd[] = {"", "=", "m", "m=", "=1", "m=1=2", "nobody=1", NULL};
    vgDiag *diag = vg_diag_new();
    vgModel *model;
    of("vg_load");
    CHECK(vg_load(NULL, NULL, diag) == NULL && vg_load("", NULL, diag) == NULL &&
          vg_load("/", NULL, NULL) == NULL);
    CHECK(vg_diag_errors(diag) >= 2);
    of("vg_parse");
    vg_diag_clear(diag);
    CHECK(vg_parse(NULL, 0, "text", NULL, diag) == NULL && vg_parse(NULL, 5, "text", NULL, diag) == NULL);
    CHECK(vg_parse("", 0, "text", NULL, diag) == NULL && vg_parse("\0", 1, "text", NULL, diag) == NULL);
    CHECK_INT(vg_diag_errors(diag), 3); /* the first two in the same words */
    model = vg_parse(swing, sizeof swing - 1, NULL, none, NULL);
    CHECK(model != NULL);
    of("vg_model_free");
    vg_model_free(NULL);
    vg_model_free(model);
    for (int i = 0; odd[i]; i++) {
        const char *set[] = {odd[i], NULL};
        vg_diag_clear(diag);
        CHECK(vg_parse(swing, sizeof swing - 1, "text", set, diag) == NULL);
        CHECK(vg_diag_errors(diag) > 0);
    }
    of("vg_model_set_plain");
    vg_model_set_plain(NULL, 1);
    vg_diag_free(diag);
}

TEST(sources)
{
    vgDiag *diag = vg_diag_new();
    vgSetting twice[] = {{"m", 2, NULL}, {"m", 3, NULL}}, nameless = {NULL, 1, NULL},
              infinite = {"m", INFINITY, NULL}, circle = {"m", 0, "m"};
    of("vg_source_load");
    CHECK(vg_source_load(NULL, diag) == NULL && vg_source_load("", NULL) == NULL);
    of("vg_source_parse");
    CHECK(vg_source_parse(NULL, 0, "text", diag) == NULL && vg_source_parse(NULL, 3, NULL, NULL) == NULL);
    vgSource *source = vg_source_parse(swing, sizeof swing - 1, NULL, NULL);
    CHECK(source != NULL);
    of("vg_source_model");
    CHECK(vg_source_model(NULL, NULL, 0, diag) == NULL);
    CHECK(vg_source_model(source, NULL, 1, diag) == NULL && vg_source_model(source, NULL, -1, diag) == NULL);
    CHECK(vg_source_model(source, twice, -1, diag) == NULL &&
          vg_source_model(source, &nameless, 1, diag) == NULL);
    CHECK(vg_source_model(source, &infinite, 1, diag) == NULL &&
          vg_source_model(source, &circle, 1, diag) == NULL);
    vgModel *model = vg_source_model(source, NULL, 0, NULL);
    CHECK(model != NULL);
    of("vg_source_free");
    vg_source_free(NULL);
    vg_source_free(source); /* models stay */
    of("vg_model_count");
    vgListing out = {0};
    CHECK_INT(vg_model_count(NULL, VG_LIST_BODIES), 0);
    CHECK_INT(vg_model_count(model, (vgListed)-1), 0);
    CHECK_INT(vg_model_count(model, (vgListed)99), 0);
    CHECK_INT(vg_model_count(model, VG_LIST_BODIES), 1);
    of("vg_model_listing");
    CHECK_INT(vg_model_listing(NULL, VG_LIST_BODIES, 0, &out), VG_BAD_INPUT);
    CHECK_INT(vg_model_listing(model, VG_LIST_BODIES, 0, NULL), VG_BAD_INPUT);
    CHECK_INT(vg_model_listing(model, VG_LIST_BODIES, -1, &out), VG_BAD_INPUT);
    CHECK_INT(vg_model_listing(model, VG_LIST_BODIES, INT_MAX, &out), VG_BAD_INPUT);
    CHECK_INT(vg_model_listing(model, (vgListed)99, 0, &out), VG_BAD_INPUT);
    of("vg_model_channels");
    vgChannelList *list = (vgChannelList *)&out;
    const char *empty[] = {NULL, ""};
    CHECK_INT(vg_model_channels(NULL, NULL, 0, NULL, &list), VG_BAD_INPUT);
    CHECK(list == NULL);
    CHECK_INT(vg_model_channels(model, NULL, 0, NULL, NULL), VG_BAD_INPUT);
    CHECK_INT(vg_model_channels(model, NULL, 1, NULL, &list), VG_BAD_INPUT);
    CHECK_INT(vg_model_channels(model, NULL, -1, NULL, &list), VG_BAD_INPUT);
    CHECK_INT(vg_model_channels(model, empty, 1, NULL, &list), VG_BAD_INPUT);
    CHECK_INT(vg_model_channels(model, empty + 1, 1, NULL, &list), VG_BAD_INPUT);
    CHECK(list == NULL);
    of("vg_channel_list_free");
    vg_channel_list_free(NULL);
    vg_model_free(model);
    vg_diag_free(diag);
}

static int nothing(void *user, double t, const vgCallbackMotion motion[2], double wrench[12],
                   double *jacobian)
{
    (void)user, (void)t, (void)motion, (void)wrench, (void)jacobian;
    return 0;
}

TEST(callbacks)
{
    vgModel *model = parse(pushed);
    vgSim *sim = NULL;
    of("vg_model_set_callback");
    CHECK_INT(vg_model_set_callback(NULL, "C", nothing, NULL), VG_BAD_INPUT);
    CHECK_INT(vg_model_set_callback(model, NULL, nothing, NULL), VG_BAD_INPUT);
    CHECK_INT(vg_model_set_callback(model, "rod", nothing, NULL), VG_BAD_INPUT);
    /* one that was never set, and one that is taken away: it acts as nothing, or is refused; never a crash */
    vgStatus st = vg_sim_new(model, NULL, NULL, &sim);
    if (st == VG_OK) vg_sim_advance(sim, 0.005);
    vg_sim_free(sim);
    CHECK_INT(vg_model_set_callback(model, "C", nothing, NULL), VG_OK);
    CHECK_INT(vg_model_set_callback(model, "C", nothing, NULL), VG_OK);
    CHECK_INT(vg_sim_new(model, NULL, NULL, &sim), VG_OK);
    CHECK_INT(vg_sim_advance(sim, 0.005), VG_OK);
    vg_sim_free(sim);
    vg_model_set_callback(model, "C", NULL, NULL);
    st = vg_sim_new(model, NULL, NULL, &sim);
    if (st == VG_OK) vg_sim_advance(sim, 0.005);
    vg_sim_free(sim);
    vg_model_free(model);
}

/* No simulation at all. */
TEST(simulations_that_are_null)
{
    double x = 0;
    int n = 0;
    char bytes[8] = {0};
    const char *name = "joint.O.angle";
    vgModel *model = parse(swing);
    vgSim *sim = (vgSim *)&x;
    of("vg_sim_new");
    CHECK_INT(vg_sim_new(NULL, NULL, NULL, &sim), VG_BAD_INPUT);
    CHECK(sim == NULL);
    CHECK_INT(vg_sim_new(model, NULL, NULL, NULL), VG_BAD_INPUT);
    vgSimOptions negative = {.step = -1}, odd = {.integrator = ""};
    sim = (vgSim *)&x;
    CHECK_INT(vg_sim_new(model, &negative, NULL, &sim), VG_BAD_INPUT);
    CHECK(sim == NULL);
    vgStatus st = vg_sim_new(model, &odd, NULL, &sim);
    CHECK((st == VG_OK) == (sim != NULL));
    of("vg_sim_free");
    vg_sim_free(NULL);
    vg_sim_free(sim);
    of("vg_sim_time");
    CHECK(isnan(vg_sim_time(NULL)));
    of("vg_sim_step");
    CHECK_INT(vg_sim_step(NULL, 1e-3), VG_BAD_INPUT);
    of("vg_sim_advance");
    CHECK_INT(vg_sim_advance(NULL, 1), VG_BAD_INPUT);
    of("vg_sim_error");
    CHECK(vg_sim_error(NULL) != NULL);
    of("vg_sim_get");
    CHECK_INT(vg_sim_get(NULL, name, &x), VG_BAD_INPUT);
    of("vg_sim_watch");
    CHECK_INT(vg_sim_watch(NULL, &name, 1, &n), VG_BAD_INPUT);
    of("vg_sim_watched");
    CHECK(vg_sim_watched(NULL, 0) == NULL);
    of("vg_sim_read");
    CHECK_INT(vg_sim_read(NULL, &x), VG_BAD_INPUT);
    of("vg_sim_set");
    CHECK_INT(vg_sim_set(NULL, name, 1), VG_BAD_INPUT);
    of("vg_sim_settle");
    CHECK_INT(vg_sim_settle(NULL), VG_BAD_INPUT);
    of("vg_sim_equilibrium");
    CHECK_INT(vg_sim_equilibrium(NULL, 0), VG_BAD_INPUT);
    vgSimModes *modes = (vgSimModes *)&x;
    of("vg_sim_modes");
    CHECK_INT(vg_sim_modes(NULL, &modes), VG_BAD_INPUT);
    CHECK(modes == NULL);
    of("vg_sim_modes_free");
    vg_sim_modes_free(NULL);
    vgSimLinear *linear = (vgSimLinear *)&x;
    of("vg_sim_linearize");
    CHECK_INT(vg_sim_linearize(NULL, NULL, NULL, &linear), VG_BAD_INPUT);
    CHECK(linear == NULL);
    of("vg_sim_linear_free");
    vg_sim_linear_free(NULL);
    of("vg_realtime_start");
    CHECK_INT(vg_realtime_start(NULL, 1e-3, 2), VG_BAD_INPUT);
    of("vg_realtime_inputs");
    CHECK_INT(vg_realtime_inputs(NULL), 0);
    of("vg_realtime_input");
    CHECK(vg_realtime_input(NULL, 0) == NULL);
    of("vg_realtime_step");
    CHECK_INT(vg_realtime_step(NULL, NULL, NULL), VG_BAD_INPUT);
    of("vg_sim_checkpoint_size");
    CHECK_INT((int)vg_sim_checkpoint_size(NULL), 0);
    of("vg_sim_save");
    CHECK_INT(vg_sim_save(NULL, bytes, sizeof bytes), VG_BAD_INPUT);
    of("vg_sim_restore");
    CHECK_INT(vg_sim_restore(NULL, bytes, sizeof bytes), VG_BAD_INPUT);
    n = 7;
    of("vg_sim_state_size");
    CHECK_INT(vg_sim_state_size(NULL, &n), 0);
    CHECK_INT(n, 0);
    CHECK_INT(vg_sim_state_size(NULL, NULL), 0);
    of("vg_sim_state_get");
    CHECK_INT(vg_sim_state_get(NULL, &x), VG_BAD_INPUT);
    of("vg_sim_state_set");
    CHECK_INT(vg_sim_state_set(NULL, 0, &x, 1), VG_BAD_INPUT);
    of("vg_sim_state_rate");
    CHECK_INT(vg_sim_state_rate(NULL, &x), VG_BAD_INPUT);
    vgSimPartials partials = {0};
    of("vg_sim_partials");
    CHECK_INT(vg_sim_partials(NULL, &partials), VG_BAD_INPUT);
    of("vg_sim_state_name");
    CHECK(vg_sim_state_name(NULL, 0) == NULL);
    of("vg_sim_set_progress");
    vg_sim_set_progress(NULL, NULL, NULL);
    of("vg_sim_set_inputs");
    CHECK_INT(vg_sim_set_inputs(NULL, 0, 1, &x), VG_BAD_INPUT);
    of("vg_sim_input");
    CHECK(isnan(vg_sim_input(NULL, 0)));
    of("vg_sim_channel");
    CHECK_INT(vg_sim_channel(NULL, name, &n), VG_BAD_INPUT);
    of("vg_sim_value");
    CHECK_INT(vg_sim_value(NULL, 0, &x), VG_BAD_INPUT);
    of("vg_sim_channel_unit");
    CHECK(vg_sim_channel_unit(NULL, 0) == NULL);
    vg_model_free(model);
}

/* Arguments of a simulation that are missing, out of range or asked for too early. */
static void wrong_arguments(vgSim *sim)
{
    double x[8] = {0}, nan[1] = {NAN};
    int at = 0, count = 0;
    const char *null_name[] = {NULL}, *name[] = {"joint.O.angle"};
    char bytes[8] = {0};
    size_t size = vg_sim_checkpoint_size(sim);
    REFUSED(sim, vg_sim_get(sim, NULL, x));
    REFUSED(sim, vg_sim_get(sim, "joint.O.angle", NULL));
    REFUSED(sim, vg_sim_watch(sim, NULL, 1, &count));
    REFUSED(sim, vg_sim_watch(sim, null_name, 1, &count));
    REFUSED(sim, vg_sim_watch(sim, name, -1, &count));
    CHECK(vg_sim_watched(sim, 0) == NULL && vg_sim_watched(sim, -1) == NULL &&
          vg_sim_watched(sim, INT_MAX) == NULL);
    CHECK_INT(vg_sim_watch(sim, name, 1, NULL), VG_OK);
    REFUSED(sim, vg_sim_read(sim, NULL));
    REFUSED(sim, vg_sim_set(sim, NULL, 1));
    REFUSED(sim, vg_sim_set(sim, "body.rod.omega.y", NAN));
    REFUSED(sim, vg_sim_modes(sim, NULL));
    REFUSED(sim, vg_sim_linearize(sim, NULL, NULL, NULL));
    REFUSED(sim, vg_sim_save(sim, NULL, size));
    REFUSED(sim, vg_sim_save(sim, bytes, sizeof bytes));
    REFUSED(sim, vg_sim_restore(sim, NULL, size));
    REFUSED(sim, vg_sim_restore(sim, bytes, sizeof bytes));
    REFUSED(sim, vg_sim_state_get(sim, NULL));
    REFUSED(sim, vg_sim_state_set(sim, 0, NULL, 1));
    REFUSED(sim, vg_sim_state_rate(sim, NULL));
    REFUSED(sim, vg_sim_partials(sim, NULL));
    CHECK(vg_sim_state_name(sim, -1) == NULL && vg_sim_state_name(sim, INT_MAX) == NULL);
    REFUSED(sim, vg_sim_set_inputs(sim, 0, 1, NULL));
    REFUSED(sim, vg_sim_set_inputs(sim, -1, 1, x));
    REFUSED(sim, vg_sim_set_inputs(sim, 0, 2, x));
    REFUSED(sim, vg_sim_set_inputs(sim, 1, INT_MAX, x));
    REFUSED(sim, vg_sim_set_inputs(sim, INT_MAX, 1, x));
    REFUSED(sim, vg_sim_set_inputs(sim, 0, -1, x));
    REFUSED(sim, vg_sim_set_inputs(sim, 0, 1, nan));
    CHECK(isnan(vg_sim_input(sim, -1)) && isnan(vg_sim_input(sim, 1)) && isnan(vg_sim_input(sim, INT_MIN)));
    CHECK(vg_realtime_input(sim, -1) == NULL && vg_realtime_input(sim, 1) == NULL);
    REFUSED(sim, vg_sim_value(sim, 0, x)); /* no channel was looked up */
    REFUSED(sim, vg_sim_channel(sim, NULL, &at));
    REFUSED(sim, vg_sim_channel(sim, "joint.O.angle", NULL));
    CHECK_INT(vg_sim_channel(sim, "joint.O.angle", &at), VG_OK);
    REFUSED(sim, vg_sim_value(sim, at, NULL));
    REFUSED(sim, vg_sim_value(sim, at + 1, x));
    REFUSED(sim, vg_sim_value(sim, INT_MIN, x));
    CHECK(vg_sim_channel_unit(sim, -1) == NULL && vg_sim_channel_unit(sim, INT_MAX) == NULL);
    CHECK(vg_realtime_step(sim, NULL, NULL) != VG_OK && vg_sim_error(sim)[0]); /* not started */
    CHECK(vg_realtime_start(sim, 0, 2) != VG_OK && vg_realtime_start(sim, NAN, 2) != VG_OK);
    CHECK(vg_realtime_start(sim, 1e-3, -1) != VG_OK && vg_realtime_step(sim, NULL, NULL) != VG_OK);
    CHECK(vg_sim_step(sim, 0) != VG_OK && vg_sim_step(sim, -1) != VG_OK && vg_sim_step(sim, NAN) != VG_OK);
    CHECK(vg_sim_step(sim, INFINITY) != VG_OK && vg_sim_advance(sim, -1) != VG_OK);
    CHECK(vg_sim_advance(sim, NAN) != VG_OK && vg_sim_advance(sim, INFINITY) != VG_OK);
}

TEST(wrong_arguments_leave_a_simulation_as_it_is)
{
    vgModel *model = parse(swing);
    vgSim *sim = NULL, *other = NULL;
    double a = 1, b = 2;
    CHECK_INT(vg_sim_new(model, NULL, NULL, &sim), VG_OK);
    CHECK_INT(vg_sim_new(model, NULL, NULL, &other), VG_OK);
    wrong_arguments(sim);
    CHECK_INT(vg_sim_advance(sim, 0.2), VG_OK);
    CHECK(vg_sim_error(sim)[0] == 0);
    CHECK_INT(vg_sim_advance(other, 0.2), VG_OK);
    CHECK_INT(vg_sim_get(sim, "joint.O.rate", &a), VG_OK);
    CHECK_INT(vg_sim_get(other, "joint.O.rate", &b), VG_OK);
    CHECK(memcmp(&a, &b, sizeof a) == 0);
    vg_sim_free(sim);
    vg_sim_free(other);
    vg_model_free(model);
}

/* What a failed simulation still does: it keeps its state and time, and goes on from an earlier state. */
TEST(after_a_failure)
{
    vgModel *model = parse(ends);
    vgSim *sim = NULL;
    double angle = 0, x[64], now;
    CHECK_INT(vg_sim_new(model, NULL, NULL, &sim), VG_OK);
    size_t size = vg_sim_checkpoint_size(sim);
    char *bytes = malloc(size);
    CHECK_INT(vg_sim_save(sim, bytes, size), VG_OK);
    for (int again = 0; again < 2; again++) {
        CHECK(vg_sim_advance(sim, 0.5) != VG_OK && vg_sim_error(sim)[0]);
        CHECK(vg_sim_advance(sim, 0.5) != VG_OK && vg_sim_error(sim)[0]);
        CHECK(vg_sim_step(sim, 1e-2) != VG_OK && vg_sim_error(sim)[0]);
        now = vg_sim_time(sim);
        CHECK(now > 0.009 && now <= 0.0105);
        CHECK_INT(vg_sim_get(sim, "joint.O.angle", &angle), VG_OK);
        CHECK(isfinite(angle));
        CHECK_INT(vg_sim_state_get(sim, x), VG_OK);
        CHECK_INT(vg_sim_restore(sim, bytes, size), VG_OK);
        CHECK(vg_sim_time(sim) == 0);
        CHECK_INT(vg_sim_advance(sim, 0.005), VG_OK);
    }
    free(bytes);
    vg_sim_free(sim);
    vg_model_free(model);
}

TEST(runs_and_certificates)
{
    double x = 0;
    const char *null_name[] = {NULL}, *file[] = {"/nowhere/run.h5"};
    vgModel *model = parse(swing);
    vgRun *run = (vgRun *)&x;
    vgTrust *trust = (vgTrust *)&x;
    of("vg_run");
    CHECK_INT(vg_run(NULL, NULL, NULL, &run), VG_BAD_INPUT);
    CHECK(run == NULL);
    CHECK_INT(vg_run(model, NULL, NULL, NULL), VG_BAD_INPUT);
    vgRunHow wrong[] = {{.nchannel = 1},   {.nchannel = -1},  {.channels = null_name, .nchannel = 1},
                        {.step = -1},      {.step = NAN},     {.end = -1},
                        {.end = NAN},      {.end = INFINITY}, {.interval = -1},
                        {.interval = NAN}, {.every = -1},     {.integrator = "nonsense"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        vgDiag *diag = vg_diag_new();
        run = (vgRun *)&x;
        CHECK(vg_run(model, &wrong[i], diag, &run) != VG_OK);
        CHECK(run == NULL && vg_diag_errors(diag) > 0);
        vg_diag_free(diag);
    }
    CHECK_INT(vg_run(model, NULL, NULL, &run), VG_OK);
    of("vg_run_save");
    CHECK_INT(vg_run_save(NULL, "run.h5", NULL), VG_BAD_INPUT);
    CHECK_INT(vg_run_save(run, NULL, NULL), VG_BAD_INPUT);
    CHECK_INT(vg_run_save(run, "run.txt", NULL), VG_BAD_INPUT);
    CHECK(vg_run_save(run, "/nowhere/run.h5", NULL) != VG_OK);
    of("vg_run_free");
    vg_run_free(NULL);
    vg_run_free(run);
    of("vg_view");
    CHECK(vg_view(NULL, 1, "page.html", NULL) != VG_OK && vg_view(file, 0, "page.html", NULL) != VG_OK);
    CHECK(vg_view(file, 1, NULL, NULL) != VG_OK && vg_view(null_name, 1, "page.html", NULL) != VG_OK);
    CHECK(vg_view(file, -1, "page.html", NULL) != VG_OK && vg_view(file, 1, "page.html", NULL) != VG_OK);
    CHECK(access("page.html", F_OK) != 0);
    of("vg_rollout");
    CHECK_INT(vg_rollout(NULL, NULL, NULL), VG_BAD_INPUT);
    CHECK_INT(vg_rollout(model, NULL, NULL), VG_BAD_INPUT);
    vgRolloutHow how[] = {{.count = -1, .steps = 1},
                          {.count = 1, .steps = -1},
                          {.count = INT_MAX, .steps = INT_MAX, .nchannel = 1},
                          {.count = 1, .steps = 1, .nchannel = 1},
                          {.count = 1, .steps = 1, .nchannel = -1},
                          {.count = 1, .steps = 1, .channels = null_name, .nchannel = 1},
                          {.count = 1, .steps = 1, .step = -1},
                          {.count = 1, .steps = 1, .t = NAN},
                          {.count = 1, .steps = 1, .threads = -1}};
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) CHECK(vg_rollout(model, &how[i], NULL) != VG_OK);
    of("vg_certify");
    CHECK_INT(vg_certify(NULL, NULL, 0, NULL, 0, 0, NULL, &trust), VG_BAD_INPUT);
    CHECK(trust == NULL);
    CHECK_INT(vg_certify(model, NULL, 0, NULL, 0, 0, NULL, NULL), VG_BAD_INPUT);
    CHECK_INT(vg_certify(model, NULL, 0, NULL, 1, 0, NULL, &trust), VG_BAD_INPUT);
    CHECK_INT(vg_certify(model, NULL, 0, NULL, -1, 0, NULL, &trust), VG_BAD_INPUT);
    CHECK_INT(vg_certify(model, NULL, -1, NULL, 0, 0, NULL, &trust), VG_BAD_INPUT);
    CHECK_INT(vg_certify(model, NULL, NAN, NULL, 0, 0, NULL, &trust), VG_BAD_INPUT);
    CHECK_INT(vg_certify(model, NULL, 0, NULL, 0, NAN, NULL, &trust), VG_BAD_INPUT);
    CHECK(trust == NULL);
    of("vg_trust_free");
    vg_trust_free(NULL);
    vg_model_free(model);
}

/* ---- nothing is left out ---- */

static int is_called(const char *name, size_t n)
{
    for (int i = 0; i < nseen; i++)
        if (strlen(seen[i]) == n && strncmp(seen[i], name, n) == 0) return 1;
    return 0;
}

TEST(every_function_is_called)
{
    static const char *const header[] = {"callback", "run", "source", "state", "status", "verge", "version"};
    int functions = 0;
    for (size_t h = 0; h < sizeof header / sizeof *header; h++) {
        char path[TEMPORARY_PATH], line[400];
        snprintf(path, sizeof path, VERGE_SOURCE_DIR "/include/verge/%s.h", header[h]);
        FILE *f = fopen(path, "r");
        CHECK(f != NULL);
        while (f && fgets(line, sizeof line, f)) {
            const char *at = line[0] == ' ' || line[0] == '/' || line[0] == '#' ? NULL : strstr(line, "vg_");
            size_t n = at ? strspn(at, "abcdefghijklmnopqrstuvwxyz_") : 0;
            if (!n || at[n] != '(') continue;
            functions++;
            if (is_called(at, n)) continue;
            printf("%.*s is not called\n", (int)n, at);
            CHECK(0);
        }
        if (f) fclose(f);
    }
    CHECK(functions > 50);
}

TEST_MAIN(diagnostics, models, sources, callbacks, simulations_that_are_null,
          wrong_arguments_leave_a_simulation_as_it_is, after_a_failure, runs_and_certificates,
          every_function_is_called)
