/* Certificates by the C API: x = cos 5t has errors in closed form, and what is wrong is answered. */
#include <math.h>
#include <string.h>

#include "test.h"
#include "verge/verge.h"

static const char text[] = "verge: 1\n"
                           "planar: true\n"
                           "bodies:\n"
                           "  b: {mass: 2, inertia: 1, position: [1, 0]}\n"
                           "joints:\n"
                           "  rail: {prismatic: [ground, b], axis: x}\n"
                           "forces:\n"
                           "  k: {force: b, value: [\"-50*joint.rail.displacement\", 0]}\n"
                           "run: {integrator: generalized-alpha, step: 0.01, end: 2}\n"
                           "record: [body.b.position.x]\n";

/* The largest |x − cos 5t| of a simulation. */
static double true_error(const vgModel *model, double step)
{
    const vgSimOptions options = {.step = step};
    vgSim *sim = NULL;
    double worst = 0, x;
    CHECK_INT(vg_sim_new(model, &options, NULL, &sim), VG_OK);
    for (int k = 1; k <= (int)(2 / step + 0.5); k++) {
        CHECK_INT(vg_sim_advance(sim, k * step), VG_OK);
        CHECK_INT(vg_sim_get(sim, "body.b.position.x", &x), VG_OK);
        worst = fmax(worst, fabs(x - cos(5 * k * step)));
    }
    vg_sim_free(sim);
    return worst;
}

TEST(certify)
{
    static const double steps[] = {0.01, 0.002};
    vgModel *model = vg_parse(text, strlen(text), "test.yaml", NULL, NULL);
    CHECK(model != NULL);
    for (int i = 0; i < 2; i++) {
        vgTrust *trust = NULL;
        const vgSimOptions options = {.step = steps[i]};
        CHECK_INT(vg_certify(model, &options, 0, NULL, 0, 0, NULL, &trust), VG_OK);
        const double truth = true_error(model, steps[i]);
        CHECK_INT(trust->trusted, 1);
        CHECK_INT(trust->n, 1);
        CHECK(!strcmp(trust->channel[0].name, "body.b.position.x") && trust->channel[0].judged);
        CHECK(trust->channel[0].error < 2 * truth && trust->channel[0].error > 0.5 * truth);
        CHECK_NEAR(trust->digits, -log10(truth), 0.3);
        CHECK_STR(trust->line, "trusted to ");
        CHECK_STR(trust->json, "\"verdict\"");
        vg_trust_free(trust);
    }
    vg_model_free(model);
}

TEST(what_is_wrong_is_answered)
{
    vgDiag *diag = vg_diag_new();
    vgModel *model = vg_parse(text, strlen(text), "test.yaml", NULL, diag);
    vgTrust *trust = NULL;
    const char *const unknown[] = {"body.c.position.x"}, *const none[] = {NULL};
    const vgSimOptions bad = {.integrator = "no-such-method"};
    CHECK_INT(vg_certify(NULL, NULL, 0, NULL, 0, 0, diag, &trust), VG_BAD_INPUT);
    CHECK_INT(vg_certify(model, NULL, 0, NULL, 0, 0, diag, NULL), VG_BAD_INPUT);
    CHECK_INT(vg_certify(model, NULL, NAN, NULL, 1, 0, diag, &trust), VG_BAD_INPUT);
    CHECK_INT(vg_certify(model, NULL, 0, none, 1, 0, diag, &trust), VG_BAD_INPUT);
    CHECK_INT(vg_certify(model, NULL, 0, unknown, 1, 0, diag, &trust), VG_BAD_INPUT);
    CHECK_INT(vg_certify(model, &bad, 0, NULL, 0, 0, diag, &trust), VG_BAD_INPUT);
    CHECK(trust == NULL);
    vg_trust_free(NULL);
    vg_model_free(model);
    vg_diag_free(diag);
}

TEST_MAIN(certify, what_is_wrong_is_answered)
