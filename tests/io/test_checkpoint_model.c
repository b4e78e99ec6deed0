/* A state goes on in the same model and with the same dials alone; what differs is named. */
#include <verge/verge.h>

#include <stdlib.h>

#include "test.h"

static const char start[] = "verge: 1\ntitle: one\nparameters: {m: 2, k: 3*m}\n"
                            "bodies: {rod: {mass: m, com: [0.5, 0, 0], inertia: [0.1, 0.2, 0.2], shape: "
                            "{bar: 1}}, end: {point: true, mass: 1, position: [2, 0, 0]}}\n"
                            "joints: {O: {revolute: [ground, rod], axis: y}}\n"
                            "forces: {T: {joint-torque: O, value: k*sin(t)}}\n"
                            "run: {step: 1e-3, end: 1}\n";

static vgSim *sim_of(const char *text, const char *const *set, const vgSimOptions *options, vgModel **model)
{
    vgDiag *diag = vg_diag_new();
    vgSim *sim = NULL;
    *model = vg_parse(text, strlen(text), "text", set, diag);
    if (*model) vg_sim_new(*model, options, diag, &sim);
    if (!sim) printf("%s\n", vg_diag_count(diag) ? vg_diag_line(diag, 0) : "?");
    CHECK(sim != NULL);
    vg_diag_free(diag);
    return sim;
}

static void replaced(const char *old, const char *new, char out[2000])
{
    const char *at = strstr(start, old);
    CHECK(at != NULL);
    snprintf(out, 2000, "%.*s%s%s", (int)(at - start), start, new, at + strlen(old));
}

/* words: NULL: it goes on. */
static void try(const char *text, const char *const *set, const vgSimOptions *options, const char *words)
{
    vgModel *model, *other;
    const vgSimOptions usual = {.integrator = "generalized-alpha:rho=0.9"};
    vgSim *sim = sim_of(start, NULL, &usual, &model),
          *next = sim_of(text, set, options ? options : &usual, &other);
    if (!sim || !next) return;
    CHECK_INT(vg_sim_advance(sim, 0.01), VG_OK);
    size_t n = vg_sim_checkpoint_size(sim);
    void *bytes = malloc(n);
    CHECK_INT(vg_sim_save(sim, bytes, n), VG_OK);
    CHECK_INT(vg_sim_restore(next, bytes, n), words ? VG_BAD_INPUT : VG_OK);
    CHECK_STR(vg_sim_error(next), words ? words : "");
    CHECK_NEAR(vg_sim_time(next), words ? 0 : 0.01, 1e-12);
    free(bytes);
    vg_sim_free(sim), vg_sim_free(next);
    vg_model_free(model), vg_model_free(other);
}

TEST(the_same_model)
{
    char text[2000];
    try(start, NULL, NULL, NULL);
    replaced("title: one", "title: two", text);
    try(text, NULL, NULL, NULL);
    replaced("end: 1}", "end: 7, output: {interval: 0.1}}", text);
    try(text, NULL, NULL, NULL);
    replaced("shape: {bar: 1}", "shape: {bar: 2}", text);
    try(text, NULL, NULL, NULL);
    try(start, NULL, &(vgSimOptions){.integrator = "generalized-alpha:rho=0.9,newton=hold"}, NULL);
}

TEST(another_model)
{
    char text[2000];
    static const char *const set[] = {"m=2.5", NULL};
    static const struct {
        const char *old, *new, *words;
    } cases[] = {
        {"mass: m,", "mass: 2*m,", "body 'rod'"},
        {"position: [2, 0, 0]", "position: [2, 1, 0]", "body 'end'"},
        {"axis: y", "axis: x", "joint 'O'"},
        {"k*sin(t)", "k*cos(t)", "force 'T'"},
        {"k: 3*m", "k: 4*m", "parameter 'k'"},
        {"verge: 1\n", "verge: 1\ngravity: [0, 0, -1]\n", "another model"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        replaced(cases[i].old, cases[i].new, text);
        try(text, NULL, NULL, cases[i].words);
    }
    try(start, set, NULL, "parameter 'm'");
}

TEST(other_dials)
{
    try(start, NULL, &(vgSimOptions){.integrator = "generalized-alpha:rho=0.8"},
        "other options of the integrator");
    try(start, NULL, &(vgSimOptions){.integrator = "hht"}, "integrator");
    try(start, NULL,
        &(vgSimOptions){.integrator = "generalized-alpha:rho=0.9", .coordinates = "euler-parameters"},
        "other coordinates");
    try(start, NULL, &(vgSimOptions){.integrator = "generalized-alpha:rho=0.9", .constraints = "index3"},
        "other constraints");
}

TEST_MAIN(the_same_model, another_model, other_dials)
