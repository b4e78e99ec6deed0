/* Laws that read how a body is turned in space and how fast: against channels, which compute the same from the rotation
 * matrix, and against closed forms. */
#include <verge/verge.h>

#include <math.h>
#include <stdlib.h>

#include "test.h"

static vgSim *open_sim(const char *text, vgSimOptions options, vgModel **model)
{
    vgSim *sim = NULL;
    vgDiag *diag = vg_diag_new();
    *model = vg_parse(text, strlen(text), "text", NULL, diag);
    if (!*model || vg_sim_new(*model, &options, diag, &sim) != VG_OK) printf("%s\n", vg_diag_line(diag, 0));
    CHECK(sim != NULL);
    vg_diag_free(diag);
    return sim;
}

static double get(vgSim *sim, const char *channel)
{
    double value = NAN;
    CHECK_INT(vg_sim_get(sim, channel, &value), VG_OK);
    return value;
}

/* Laws of a force without effect on what they read: 1e-9 of it acts. */
static const char tumbling[] =
    "verge: 1\n"
    "bodies:\n"
    "  top: {mass: 1, inertia: [0.1, 0.2, 0.25], omega: [1, 2, -1.5], rotation: [0.3, -0.2, 0.5],\n"
    "        markers: {tip: {position: [0.1, 0.2, 0.3], rotation: [0.4, 0.5, 0.6]}}}\n"
    "  dust: {mass: 1e9, inertia: [1e9, 1e9, 1e9]}\n"
    "forces:\n"
    "  angles: {force: dust, value: [body.top.rotation.x, body.top.rotation.y, body.top.rotation.z]}\n"
    "  rates: {force: dust, value: [body.top.omega.x, body.top.omega.y, body.top.omega.z]}\n"
    "  tip: {torque: dust, value: [marker.top.tip.omega.x, marker.top.tip.omega.y, marker.top.tip.omega.z]}\n"
    "run: {step: 1e-3, end: 1}\n";

TEST(laws_see_what_channels_show)
{
    static const char *const coordinates[] = {"lie", "euler-parameters", "relative", "natural"};
    for (int c = 0; c < 4; c++) {
        vgModel *model;
        vgSim *sim = open_sim(tumbling, (vgSimOptions){.coordinates = coordinates[c]}, &model);
        for (int i = 0; sim && i < 5; i++) {
            char law[40], channel[40];
            for (int k = 0; k < 6; k++) {
                snprintf(law, sizeof law, "force.%s.%c", k < 3 ? "angles" : "rates", 'x' + k % 3);
                snprintf(channel, sizeof channel, "body.top.%s.%c", k < 3 ? "rotation" : "omega",
                         'x' + k % 3);
                CHECK_NEAR(sin(get(sim, law)), sin(get(sim, channel)), 1e-12);
                CHECK_NEAR(cos(get(sim, law)), cos(get(sim, channel)), 1e-12);
            }
            /* R = Rx(0.4) Ry(0.5) Rz(0.6): its columns are the marker's axes on the body */
            const double a = 0.4, b = 0.5, g = 0.6,
                         R[3] = {cos(b) * cos(g), cos(a) * sin(g) + sin(a) * sin(b) * cos(g),
                                 sin(a) * sin(g) - cos(a) * sin(b) * cos(g)};
            const double along = R[0] * get(sim, "body.top.omega.x") + R[1] * get(sim, "body.top.omega.y") +
                                 R[2] * get(sim, "body.top.omega.z");
            CHECK_NEAR(get(sim, "force.tip.x"), along, 1e-12);
            CHECK_INT(vg_sim_advance(sim, 0.2 * (i + 1)), VG_OK);
        }
        vg_sim_free(sim);
        vg_model_free(model);
    }
}

/* J φ̈ = −k φ about one axis, whose swing of w/√(k/J) = 5 rad is more than half a turn: φ = 5 sin(4 t). */
TEST(angles_count_turns)
{
    static const char *const axes = "xz";
    for (int i = 0; i < 2; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "verge: 1\nbodies: {rotor: {mass: 1, inertia: [0.5, 0.5, 0.5], omega: [%s]}}\n"
                 "forces: {spring: {torque: rotor, frame: body, value: [%s]}}\nrun: {step: 1e-3, end: 1}\n",
                 i ? "0, 0, 20" : "20, 0, 0",
                 i ? "0, 0, -8*body.rotor.rotation.z" : "-8*body.rotor.rotation.x, 0, 0");
        vgModel *model;
        vgSim *sim = open_sim(text, (vgSimOptions){.integrator = "dopri5:rtol=1e-10"}, &model);
        char omega[40], torque[40];
        snprintf(omega, sizeof omega, "body.rotor.omega.%c", axes[i]);
        snprintf(torque, sizeof torque, "force.spring.%c", axes[i]);
        for (double t = 0.1; sim && t < 1.55; t += 0.1) {
            CHECK_INT(vg_sim_advance(sim, t), VG_OK);
            CHECK_NEAR(get(sim, omega), 20 * cos(4 * t), 1e-7);
            CHECK_NEAR(get(sim, torque), -8 * 5 * sin(4 * t), 1e-6);
        }
        vg_sim_free(sim);
        vg_model_free(model);
    }
}

/* An attitude that is held by laws of angles and rates, by an implicit method (which needs their tangents) in several
 * coordinates, against explicit steps under error control. */
TEST(tangents_of_attitude_laws)
{
    static const char text[] =
        "verge: 1\nbodies:\n"
        "  craft: {mass: 2, inertia: [0.1, 0.15, 0.2], com: [0.1, 0, 0], rotation: [0.5, -0.4, 0.3], omega: "
        "[1, -2, 0.5]}\n"
        "forces:\n  hold: {torque: craft, frame: body, value: ["
        "\"-90*sin(body.craft.rotation.x) - 4*body.craft.omega.x\", "
        "\"-90*body.craft.rotation.y - 4*body.craft.omega.y*abs(cos(body.craft.rotation.x))\", "
        "\"-90*body.craft.rotation.z*cos(body.craft.rotation.y) - 4*body.craft.omega.z\"]}\n"
        "run: {step: 2e-3, end: 0.5}\n";
    static const char *const coordinates[] = {"lie", "relative", "euler-parameters", "se3"};
    static const char *const channel[] = {"body.craft.rotation.x", "body.craft.rotation.y",
                                          "body.craft.rotation.z"};
    double expected[3];
    vgModel *model;
    vgSim *sim = open_sim(text, (vgSimOptions){.integrator = "dop853:rtol=1e-11"}, &model);
    CHECK_INT(vg_sim_advance(sim, 0.5), VG_OK);
    for (int k = 0; k < 3; k++) expected[k] = get(sim, channel[k]);
    vg_sim_free(sim);
    vg_model_free(model);
    for (int c = 0; c < 4; c++) {
        sim = open_sim(text, (vgSimOptions){.coordinates = coordinates[c], .integrator = "radau3:rtol=1e-9"},
                       &model);
        CHECK_INT(vg_sim_advance(sim, 0.5), VG_OK);
        for (int k = 0; k < 3; k++) CHECK_NEAR(get(sim, channel[k]), expected[k], 1e-7);
        vg_sim_free(sim);
        vg_model_free(model);
    }
}

TEST(names_that_laws_do_not_know_are_answered)
{
    static const struct {
        const char *name, *words;
    } wrong[] = {{"body.a.rotation", "rotation and omega, each .x … z"},
                 {"body.a.rotation.w", "rotation and omega, each .x … z"},
                 {"rotation", "body.NAME.rotation.x"},
                 {"body.a.omega", "rotation and omega, each .x … z"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[300];
        vgDiag *diag = vg_diag_new();
        snprintf(text, sizeof text,
                 "verge: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\nforces: {f: {torque: a, value: [0, "
                 "0, %s]}}\n",
                 wrong[i].name);
        vgModel *model = vg_parse(text, strlen(text), "text", NULL, diag);
        CHECK(model == NULL);
        CHECK(vg_diag_errors(diag) > 0);
        if (vg_diag_count(diag) > 0) CHECK_STR(vg_diag_line(diag, 0), wrong[i].words);
        vg_model_free(model);
        vg_diag_free(diag);
    }
}

TEST_MAIN(laws_see_what_channels_show, angles_count_turns, tangents_of_attitude_laws,
          names_that_laws_do_not_know_are_answered)
