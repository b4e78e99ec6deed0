/* Every integrator goes on from a checkpoint with the same bits, in the same simulation and in a fresh one.
 */
#include <verge/verge.h>

#include <stdlib.h>

#include "integrator/integrator.h"
#include "suite/mixed.h"
#include "test.h"

#define TWO_BARS                                                                                             \
    "verge: 1\n"                                                                                             \
    "planar: true\n"                                                                                         \
    "gravity: [0, -9.81]\n"                                                                                  \
    "bodies:\n"                                                                                              \
    "  a: {mass: 2, inertia: 0.05, position: [0.5, 0], markers: {O: [-0.5, 0], P: [0.5, 0]}}\n"              \
    "  b: {mass: 1, inertia: 0.02, position: [1.5, 0], markers: {P: [-0.5, 0]}}\n"                           \
    "joints:\n"                                                                                              \
    "  O: {revolute: [ground, a.O]}\n"                                                                       \
    "  P: {revolute: [a.P, b.P]}\n"

static const char text[] = TWO_BARS "run: {step: 2e-3}\n";

/* The same with controllers that remember: one meets the steps, one does not, and both are due where the
 * checkpoint is. */
static const char sampled[] =
    TWO_BARS "controllers:\n"
             "  slow: {pid: -joint.O.angle, p: 40, i: 30, d: 2, filter: 0.02, sample: 0.01, delay: 2}\n"
             "  fast: {transfer: joint.P.rate, num: [0.2, 0.1], den: [1, -0.9, 0.3], sample: 0.0035}\n"
             "forces:\n"
             "  f: {joint-torque: O, value: controller.slow}\n"
             "  g: {joint-torque: P, value: -controller.fast}\n"
             "run: {step: 2e-3}\n";

static vgSim *make_with(const vgModel *model, const vgSimOptions *options)
{
    vgDiag *diag = vg_diag_new();
    vgSim *sim = NULL;
    if (vg_sim_new(model, options, diag, &sim) != VG_OK) {
        printf("%s: %s\n", options->integrator, vg_diag_count(diag) ? vg_diag_line(diag, 0) : "?");
    }
    vg_diag_free(diag);
    return sim;
}

static vgSim *make(const vgModel *model, const char *integrator)
{
    return make_with(model, &(vgSimOptions){.integrator = integrator});
}

static void finish(vgSim *sim, double values[3])
{
    CHECK_INT(vg_sim_advance(sim, 0.15), VG_OK);
    if (*vg_sim_error(sim)) printf("%s\n", vg_sim_error(sim));
    vg_sim_get(sim, "joint.O.angle", &values[0]);
    vg_sim_get(sim, "joint.P.rate", &values[1]);
    vg_sim_get(sim, "joint.P.force.x", &values[2]);
}

/* 1: it could be run. */
static int goes_on_with_the_same_bits(const vgModel *model, const char *name)
{
    vgSim *sim = make(model, name), *fresh = make(model, name);
    if (!sim || !fresh) return 0;
    size_t size = vg_sim_checkpoint_size(sim);
    char *bytes = malloc(size);
    double first[3], again[3], elsewhere[3];
    CHECK_INT(vg_sim_advance(sim, 0.07), VG_OK);
    CHECK_INT(vg_sim_save(sim, bytes, size), VG_OK);
    finish(sim, first);
    CHECK_INT(vg_sim_restore(sim, bytes, size), VG_OK);
    finish(sim, again);
    CHECK_INT(vg_sim_restore(fresh, bytes, size), VG_OK);
    finish(fresh, elsewhere);
    if (memcmp(first, again, sizeof first) || memcmp(first, elsewhere, sizeof first)) {
        printf("%s: %.17g %.17g %.17g\n", name, first[0], again[0], elsewhere[0]);
    }
    CHECK(memcmp(first, again, sizeof first) == 0);
    CHECK(memcmp(first, elsewhere, sizeof first) == 0);
    free(bytes);
    vg_sim_free(sim);
    vg_sim_free(fresh);
    return 1;
}

static vgModel *parse(void)
{
    vgModel *model = vg_parse(text, strlen(text), "text", NULL, NULL);
    CHECK(model != NULL);
    return model;
}

TEST(same_bits)
{
    vgModel *model = parse();
    int count = 0;
    for (int i = 0; vg_integrators[i]; i++)
        count += goes_on_with_the_same_bits(model, vg_integrators[i]->name);
    CHECK(count >= 3);
    vg_model_free(model);
}

TEST(same_bits_with_controllers)
{
    vgModel *model = vg_parse(sampled, strlen(sampled), "text", NULL, NULL);
    int count = 0;
    CHECK(model != NULL);
    for (int i = 0; model && vg_integrators[i]; i++)
        count += goes_on_with_the_same_bits(model, vg_integrators[i]->name);
    CHECK(count >= 3);
    vg_model_free(model);
}

/* A matrix that serves several steps is made again: held, frozen and renewed, and in the midst of a renewal
 * in parts (35 steps: two of three, seven of eight). */
TEST(same_bits_with_held_matrices)
{
    static const char *const how[] = {"newton=hold",
                                      "newton=modified",
                                      "newton=frozen,refresh=9",
                                      "newton=hold,fixed=2",
                                      "newton=frozen,refresh=4,fixed=2",
                                      "spread=3",
                                      "spread=8,fixed=3"};
    vgModel *model = parse();
    for (int i = 0; vg_integrators[i]; i++)
        for (size_t k = 0; k < sizeof how / sizeof *how; k++) {
            const vgIntegratorRow *row = vg_integrators[i];
            char name[128];
            if (row->flags & (VG_INT_EXPLICIT | VG_INT_OWN_NEWTON)) continue;
            /* projects after each step; or stages differ */
            int changes = !(row->constraints & VG_CON_INDEX3) || (row->flags & VG_INT_PROJECTS) ||
                          !strcmp(row->name, "hope") || !strcmp(row->name, "mssth5");
            if (changes && strstr(how[k], "spread")) continue;
            snprintf(name, sizeof name, "%s:adaptive=0,%s", row->name, how[k]);
            CHECK(goes_on_with_the_same_bits(model, name));
        }
    vg_model_free(model);
}

/* Bodies with modes, whose massless nodes leave zero blocks on the diagonal, are eliminated with row
 * exchanges; in natural coordinates other rows are chosen on the way. */
TEST(same_bits_with_row_exchanges)
{
    static const char *const coordinates[] = {"planar", "relative", "natural"};
    static const char *const how[] = {"newton=step", "newton=hold", "newton=frozen,refresh=7", "spread=4",
                                      "spread=8,fixed=2"};
    enum { AT = 30, STEPS = 50, WATCHED = 64 };
    vgModel *model = vg_load(VERGE_SOURCE_DIR "/models/slider-crank-flexible-modes.yaml", NULL, NULL);
    CHECK(model != NULL);
    for (int c = 0; c < 3 && model; c++)
        for (int k = 0; k < 5; k++) {
            char name[96];
            const char *watch[] = {"body.*.position.*", "body.*.velocity.*"};
            double v[3][WATCHED] = {{0}};
            int n = 0;
            snprintf(name, sizeof name, "generalized-alpha:%s", how[k]);
            vgSimOptions o = {.coordinates = coordinates[c], .integrator = name};
            vgSim *sim = make_with(model, &o), *fresh = make_with(model, &o);
            CHECK(sim && fresh);
            if (!sim || !fresh) return;
            size_t size = vg_sim_checkpoint_size(sim);
            char *bytes = malloc(size);
            for (int run = 0; run < 3; run++) { /* on; on again; elsewhere */
                vgSim *x = run < 2 ? sim : fresh;
                CHECK_INT(vg_sim_watch(x, watch, 2, &n), VG_OK);
                CHECK(n > 6 && n <= WATCHED);
                for (int i = 0; run == 0 && i < AT; i++) CHECK_INT(vg_sim_step(x, 5e-4), VG_OK);
                CHECK_INT(run == 0 ? vg_sim_save(x, bytes, size) : vg_sim_restore(x, bytes, size), VG_OK);
                for (int i = AT; i < STEPS; i++) CHECK_INT(vg_sim_step(x, 5e-4), VG_OK);
                vg_sim_read(x, v[run]);
            }
            CHECK(memcmp(v[0], v[1], sizeof v[0]) == 0);
            CHECK(memcmp(v[0], v[2], sizeof v[0]) == 0);
            free(bytes);
            vg_sim_free(sim);
            vg_sim_free(fresh);
        }
    vg_model_free(model);
}

/* A ball on a plane, thrown with spin: in the air, in contact, gliding, rolling. */
static const char ball[] = "verge: 1\n"
                           "gravity: [0, 0, -9.81]\n"
                           "bodies: {ball: {mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, "
                           "0.1015], velocity: [1, 0, -0.5]}}\n"
                           "forces: {floor: {contact-sphere-plane: [ground, ball], radius: 0.1, stiffness: "
                           "1e5, damping: 50, friction: 0.4}}\n"
                           "run: {step: 1e-3}\n";

/* All that a run goes on from, as bytes; n: steps from where it is. 0: they cannot be taken. */
static int bytes_after(vgSim *sim, int n, double h, char *bytes, size_t size)
{
    for (int i = 0; i < n; i++)
        if (vg_sim_step(sim, h) != VG_OK) return 0;
    return vg_sim_save(sim, bytes, size) == VG_OK;
}

/* 1: it could be run. */
static int same_bytes(const vgModel *model, const char *name, const vgSimOptions *o, double h, int before)
{
    enum { AFTER = 4 };
    vgSim *sim = NULL, *fresh = NULL;
    int ran = 0;
    if (vg_sim_new(model, o, NULL, &sim) == VG_OK && vg_sim_new(model, o, NULL, &fresh) == VG_OK) {
        size_t size = vg_sim_checkpoint_size(sim);
        char *at = calloc(3, size + 1), *there = at + size, *elsewhere = there + size;
        ran = bytes_after(sim, before, h, at, size) && bytes_after(sim, AFTER, h, there, size);
        if (ran) {
            CHECK_INT(vg_sim_restore(fresh, at, size), VG_OK);
            CHECK(bytes_after(fresh, AFTER, h, elsewhere, size));
            if (memcmp(there, elsewhere, size))
                printf("%s: %s, %s, %s\n", name, o->coordinates, o->constraints, o->integrator);
            CHECK(memcmp(there, elsewhere, size) == 0);
        }
        free(at);
    }
    vg_sim_free(sim);
    vg_sim_free(fresh);
    return ran;
}

/* The car on its bump, where a held matrix takes the rows of the loops anew once they have moved, between
 * checkpoint and tangent or not. */
TEST(same_bytes_with_rows_taken_since)
{
    static const char *const constraints[] = {"augmented3", "index3"};
    vgModel *model = vg_load(VERGE_SOURCE_DIR "/models/iltis.yaml", NULL, NULL);
    CHECK(model != NULL);
    for (int c = 0; c < 2 && model; c++)
        for (int before = 190; before < 200; before++) {
            vgSimOptions o = {
                .coordinates = "relative", .constraints = constraints[c], .integrator = "trapezoidal"};
            CHECK(same_bytes(model, "iltis", &o, 1e-3, before));
        }
    vg_model_free(model);
}

/* Models of many kinds in all coordinates and constraint settings, with a method of each family. */
TEST(same_bytes_with_every_setting)
{
    static const char *const methods[] = {"generalized-alpha:newton=hold",
                                          "generalized-alpha:newton=modified",
                                          "trapezoidal",
                                          "hht-i3",
                                          "energy-momentum",
                                          "rk4",
                                          "abm",
                                          "bathe",
                                          "esdirk324",
                                          "bdf",
                                          "lms3",
                                          "ss2",
                                          "hht-si2",
                                          "sdirk",
                                          "radau2"};
    static const struct {
        const char *name;
        double step;
        int every; /* of the settings one in so many: it takes its time */
    } models[] = {{"pendulum", 1e-3, 1},
                  {"squeezer", 2e-5, 2},
                  {"iltis", 1e-3, 13},
                  {"four-bar", 1e-4, 11},
                  {"slider-crank-flexible", 1e-5, 9},
                  {NULL, 1e-3, 1}};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        char path[512];
        int ran = 0, setting = 0;
        const char *name = models[m].name ? models[m].name : "ball";
        snprintf(path, sizeof path, "%s/models/%s.yaml", VERGE_SOURCE_DIR, name);
        vgModel *model =
            models[m].name ? vg_load(path, NULL, NULL) : vg_parse(ball, strlen(ball), "ball", NULL, NULL);
        CHECK(model != NULL);
        for (const vgCoordinatesRow *x = vg_coordinates_list; model && x->name; x++)
            for (const vgConstraintsRow *c = vg_constraints_list; c->name; c++)
                for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
                    vgSimOptions o = {
                        .coordinates = x->name, .constraints = c->name, .integrator = methods[i]};
                    if (setting++ % models[m].every) continue;
                    ran += same_bytes(model, name, &o, models[m].step, 4);
                }
        CHECK(ran > 15);
        int others = 0; /* bodies with coordinates of their own */
        for (const vgConstraintsRow *c = vg_constraints_list; model && c->name && mix_bodies(model, 0); c++)
            for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
                vgSimOptions o = {.coordinates = "lie", .constraints = c->name, .integrator = methods[i]};
                if (setting++ % models[m].every == 0)
                    others += same_bytes(model, name, &o, models[m].step, 4);
            }
        CHECK(!model || model->planar || others > 2);
        vg_model_free(model);
    }
}

TEST_MAIN(same_bits, same_bits_with_controllers, same_bytes_with_every_setting,
          same_bytes_with_rows_taken_since, same_bits_with_held_matrices, same_bits_with_row_exchanges)
