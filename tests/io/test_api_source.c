/* Models made from one source, and the lists of what is in them. */
#include <pthread.h>
#include <stdlib.h>
#include <verge/verge.h>

#include "test.h"

/* A compound pendulum of length L: small oscillations have ω² = m g (L/2) / (m L²/3) = 3g/(2L). */
static const char rod[] = "verge: 1\n"
                          "planar: true\n"
                          "parameters: {L: 1, m: 2*L, push: 0}\n"
                          "gravity: 9.81\n"
                          "bodies:\n"
                          "  rod: &rod {mass: m, inertia: m*L^2/12, com: [0, -L/2], angle: 1e-4}\n"
                          "  other: *rod\n"
                          "  free: {mass: 3, inertia: 1, velocity: [1, 0]}\n"
                          "joints:\n"
                          "  O: {revolute: [ground, rod]}\n"
                          "  P: {revolute: [rod, other], drive: {angle: 0}}\n"
                          "forces:\n"
                          "  motor: {joint-torque: O, value: push*t + input.torque}\n"
                          "run: {integrator: rk4, step: 1e-3}\n";

static double angle_at(vgModel *model, double t)
{
    vgSim *sim = NULL;
    double angle = NAN;
    CHECK_INT(vg_sim_new(model, NULL, NULL, &sim), VG_OK);
    CHECK_INT(vg_sim_advance(sim, t), VG_OK);
    CHECK_INT(vg_sim_get(sim, "joint.O.angle", &angle), VG_OK);
    vg_sim_free(sim);
    return angle;
}

TEST(models_of_a_source_have_their_own_parameters)
{
    vgSource *source = vg_source_parse(rod, sizeof rod - 1, "rod", NULL);
    CHECK(source != NULL);
    for (int i = 1; i <= 4; i++) {
        double L = 0.5 * i;
        vgSetting set[] = {{"L", L, NULL}, {"m", 0, "7*L"}};
        vgModel *model = vg_source_model(source, set, 2, NULL);
        CHECK(model != NULL);
        vgListing p;
        CHECK_INT(vg_model_listing(model, VG_LIST_PARAMETERS, 1, &p), VG_OK);
        CHECK_NEAR(p.value, 7 * L, 0);
        vg_model_free(model);
    }
    vg_source_free(source);
}

/* One rod alone. */
static const char single[] = "verge: 1\n"
                             "planar: true\n"
                             "parameters: {L: 1}\n"
                             "gravity: 9.81\n"
                             "bodies: {rod: {mass: 2, inertia: 2*L^2/12, com: [0, -L/2], angle: 1e-4}}\n"
                             "joints: {O: {revolute: [ground, rod]}}\n"
                             "run: {integrator: rk4, step: 1e-3}\n";

TEST(the_motion_is_that_of_the_parameters)
{
    vgSource *source = vg_source_parse(single, sizeof single - 1, "single", NULL);
    for (int i = 1; i <= 4; i++) {
        vgModel *model = vg_source_model(source, &(vgSetting){"L", 0.5 * i, NULL}, 1, NULL);
        const double omega = sqrt(3 * 9.81 / (2 * 0.5 * i));
        CHECK_NEAR(angle_at(model, 1), 1e-4 * cos(omega), 1e-11);
        vg_model_free(model);
    }
    vg_source_free(source);
}

/* Every shipped model by both ways, after some steps: the same bits. */
TEST(a_source_gives_the_model_of_the_file)
{
    static const char *const names[] = {"cart-pole", "crank",     "four-bar-spatial",
                                        "iltis",     "princeton", "radial-engine"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[500];
        snprintf(path, sizeof path, "%s/models/%s.yaml", VERGE_SOURCE_DIR, names[i]);
        vgSource *source = vg_source_load(path, NULL);
        vgModel *model[] = {vg_load(path, NULL, NULL), vg_source_model(source, NULL, 0, NULL)};
        double *x[2] = {NULL, NULL};
        int n = 0;
        vg_source_free(source); /* models outlive it */
        for (int k = 0; k < 2; k++) {
            vgSim *sim = NULL;
            CHECK_INT(vg_sim_new(model[k], NULL, NULL, &sim), VG_OK);
            CHECK_INT(vg_sim_step(sim, 1e-4), VG_OK);
            CHECK_INT(vg_sim_step(sim, 1e-4), VG_OK);
            n = vg_sim_state_size(sim, NULL);
            x[k] = calloc((size_t)n, sizeof *x[k]);
            CHECK_INT(vg_sim_state_get(sim, x[k]), VG_OK);
            vg_sim_free(sim);
            vg_model_free(model[k]);
        }
        CHECK(n > 0 && memcmp(x[0], x[1], (size_t)n * sizeof *x[0]) == 0);
        free(x[0]), free(x[1]);
    }
}

TEST(errors_have_the_place_in_the_file)
{
    static const char wrong[] = "verge: 1\nparameters: {k: 1}\nbodies:\n  a: {mass: 1/k, inertia: 1}\n";
    vgDiag *diag = vg_diag_new();
    vgSource *source = vg_source_parse(wrong, sizeof wrong - 1, "wrong.yaml", diag);
    CHECK_INT(vg_diag_count(diag), 0);
    CHECK(vg_source_model(source, &(vgSetting){"k", -1, NULL}, 1, diag) == NULL);
    CHECK_STR(vg_diag_line(diag, 0), "wrong.yaml:4:13: error: ");
    vg_diag_clear(diag);
    CHECK(vg_source_model(source, &(vgSetting){"kk", 2, NULL}, 1, diag) == NULL);
    CHECK_STR(vg_diag_line(diag, 0), "no parameter 'kk'; it has k");
    CHECK(vg_source_model(source, &(vgSetting){"k", NAN, NULL}, 1, NULL) == NULL);
    CHECK(vg_source_model(source, &(vgSetting){NULL, 1, NULL}, 1, NULL) == NULL);
    CHECK(vg_source_model(NULL, NULL, 0, NULL) == NULL);
    vg_source_free(source);
    vg_diag_clear(diag);
    CHECK(vg_source_parse("a: [", 4, "open", diag) == NULL);
    CHECK_STR(vg_diag_line(diag, 0), "open:");
    CHECK(vg_source_load("/nowhere/at/all.yaml", diag) == NULL);
    CHECK(vg_source_load(NULL, diag) == NULL && vg_source_parse(NULL, 1, NULL, NULL) == NULL);
    vg_diag_free(diag);
}

typedef struct Worker {
    const vgSource *source;
    int from;
    double angle[40];
} Worker;

static void *work(void *user)
{
    Worker *w = user;
    for (int i = 0; i < 40; i++) {
        vgModel *model =
            vg_source_model(w->source, &(vgSetting){"L", 1 + 0.01 * (w->from + i), NULL}, 1, NULL);
        w->angle[i] = angle_at(model, 0.02);
        vg_model_free(model);
    }
    return NULL;
}

TEST(threads_share_a_source)
{
    vgSource *source = vg_source_parse(single, sizeof single - 1, "single", NULL);
    static Worker w[2], alone[2];
    pthread_t thread[2];
    for (int i = 0; i < 2; i++) {
        w[i] = alone[i] = (Worker){.source = source, .from = 40 * i};
        CHECK_INT(pthread_create(&thread[i], NULL, work, &w[i]), 0);
    }
    for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < 2; i++) {
        work(&alone[i]);
        CHECK(memcmp(alone[i].angle, w[i].angle, sizeof w[i].angle) == 0);
    }
    vg_source_free(source);
}

TEST(lists_name_what_the_model_names)
{
    vgModel *model = vg_parse(rod, sizeof rod - 1, "rod", NULL, NULL);
    static const int count[] = {3, 3, 2, 1, 0, 1};
    vgListing e;
    for (int i = 0; i < 6; i++) CHECK_INT(vg_model_count(model, (vgListed)i), count[i]);
    CHECK_INT(vg_model_listing(model, VG_LIST_BODIES, 2, &e), VG_OK);
    CHECK_STR(e.name, "free");
    CHECK_STR(e.kind, "planar");
    CHECK_NEAR(e.value, 3, 0);
    CHECK_INT(vg_model_listing(model, VG_LIST_JOINTS, 1, &e), VG_OK);
    CHECK_STR(e.name, "P");
    CHECK_STR(e.kind, "revolute");
    CHECK_STR(e.first, "rod");
    CHECK_STR(e.second, "other");
    CHECK_INT(vg_model_listing(model, VG_LIST_JOINTS, 0, &e), VG_OK);
    CHECK_STR(e.first, "ground");
    CHECK_INT(vg_model_listing(model, VG_LIST_FORCES, 0, &e), VG_OK);
    CHECK_STR(e.kind, "joint-torque");
    CHECK_INT(vg_model_listing(model, VG_LIST_INPUTS, 0, &e), VG_OK);
    CHECK(strcmp(e.name, "torque") == 0);
    CHECK_INT(vg_model_listing(model, VG_LIST_INPUTS, 1, &e), VG_BAD_INPUT);
    CHECK_INT(vg_model_listing(model, VG_LIST_BODIES, -1, &e), VG_BAD_INPUT);
    CHECK_INT(vg_model_listing(NULL, VG_LIST_BODIES, 0, &e), VG_BAD_INPUT);
    CHECK_INT(vg_model_count(NULL, VG_LIST_BODIES), 0);
    vg_model_free(model);
}

TEST(channels_have_units)
{
    vgModel *model = vg_parse(rod, sizeof rod - 1, "rod", NULL, NULL);
    vgChannelList *all = NULL, *some = NULL;
    const char *const names[] = {"joint.O.angle", "body.*.velocity.x", "energy.total"},
                      *none[] = {"joint.O.angel"};
    CHECK_INT(vg_model_channels(model, NULL, 0, NULL, &all), VG_OK);
    CHECK_INT(vg_model_channels(model, names, 3, NULL, &some), VG_OK);
    CHECK(all->n > 30);
    CHECK_INT(some->n, 5);
    CHECK_STR(some->unit[0], "rad");
    CHECK_STR(some->unit[1], "m/s");
    CHECK_STR(some->unit[4], "J");
    vgDiag *diag = vg_diag_new();
    vgChannelList *wrong = NULL;
    CHECK_INT(vg_model_channels(model, none, 1, diag, &wrong), VG_BAD_INPUT);
    CHECK_STR(vg_diag_line(diag, 0), "joint.O.angle");
    CHECK_INT(vg_model_channels(NULL, NULL, 0, NULL, &wrong), VG_BAD_INPUT);
    vg_diag_free(diag);
    vg_channel_list_free(all), vg_channel_list_free(some), vg_channel_list_free(wrong);
    vg_model_free(model);
}

TEST_MAIN(models_of_a_source_have_their_own_parameters, the_motion_is_that_of_the_parameters,
          a_source_gives_the_model_of_the_file, errors_have_the_place_in_the_file, threads_share_a_source,
          lists_name_what_the_model_names, channels_have_units)
