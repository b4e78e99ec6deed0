/* The public C API alone: models from text, simulations against closed forms, channels, checkpoints. */
#include <verge/verge.h>

#include <locale.h>
#include <stdlib.h>

#include "base/alloc_count.h"
#include "test.h"

static const char pendulum[] =
    "verge: 1\n"
    "planar: true\n"
    "parameters: {L: 1, start: 0.3}\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  bob: {mass: 2, inertia: 0.05, position: [L*sin(start), -L*cos(start)], angle: start,\n"
    "        markers: {O: [0, L]}}\n"
    "joints:\n"
    "  O: {revolute: [ground, bob.O]}\n"
    "run: {step: 1e-3}\n";

static const char particle[] =
    "verge: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  stone: {mass: 3, inertia: [1, 2, 2.5], com: [0.1, 0, 0], position: [1, 2, 3]}\n"
    "run: {step: 0.01}\n";

static const char oscillator[] = "verge: 1\n"
                                 "bodies:\n"
                                 "  a: {mass: 2, inertia: [1, 1, 1], position: [0.5, 0, 0]}\n"
                                 "forces:\n"
                                 "  pull: {callback: [ground, a]}\n"
                                 "run: {step: 1e-3, integrator: rk4}\n";

static vgModel *parse(const char *text)
{
    vgDiag *diag = vg_diag_new();
    vgModel *model = vg_parse(text, strlen(text), "text", NULL, diag);
    for (int i = 0; i < vg_diag_count(diag); i++) printf("%s\n", vg_diag_line(diag, i));
    CHECK(model != NULL);
    vg_diag_free(diag);
    return model;
}

static vgSim *simulate(const vgModel *model, const vgSimOptions *options)
{
    vgDiag *diag = vg_diag_new();
    vgSim *sim = NULL;
    CHECK_INT(vg_sim_new(model, options, diag, &sim), VG_OK);
    for (int i = 0; i < vg_diag_count(diag); i++) printf("%s\n", vg_diag_line(diag, i));
    vg_diag_free(diag);
    return sim;
}

static double get(vgSim *sim, const char *channel)
{
    double value;
    CHECK_INT(vg_sim_get(sim, channel, &value), VG_OK);
    if (*vg_sim_error(sim)) printf("%s\n", vg_sim_error(sim));
    return value;
}

/* Thrown with a spin about a principal axis: the centre of mass flies a parabola, the spin stays. */
TEST(set_and_throw)
{
    vgModel *model = parse(particle);
    vgSim *sim = simulate(model, NULL);
    CHECK_INT(vg_sim_set(sim, "body.stone.velocity.x", 4), VG_OK);
    CHECK_INT(vg_sim_set(sim, "body.stone.velocity.z", 5), VG_OK);
    CHECK_INT(vg_sim_set(sim, "body.stone.omega.z", 2), VG_OK);
    CHECK_INT(vg_sim_set(sim, "body.stone.position.y", -1), VG_OK);
    CHECK_NEAR(get(sim, "body.stone.velocity.x"), 4, 1e-14);
    CHECK_NEAR(get(sim, "body.stone.velocity.y"), 0, 1e-14);
    CHECK_NEAR(get(sim, "body.stone.position.y"), -1, 1e-15);
    CHECK_NEAR(get(sim, "body.stone.position.x"), 1, 1e-15);
    double v_com = get(sim, "com.velocity.y"); /* ω × com = 2·0.1 along y */
    CHECK_NEAR(v_com, 0.2, 1e-14);
    CHECK_INT(vg_sim_advance(sim, 0.7), VG_OK);
    CHECK_NEAR(vg_sim_time(sim), 0.7, 1e-12);
    CHECK_NEAR(get(sim, "com.position.x"), 1.1 + 4 * 0.7, 1e-11);
    CHECK_NEAR(get(sim, "com.position.y"), -1 + 0.2 * 0.7, 1e-11);
    CHECK_NEAR(get(sim, "com.position.z"), 3 + 5 * 0.7 - 0.5 * 9.81 * 0.49, 1e-11);
    CHECK_NEAR(get(sim, "body.stone.omega.z"), 2, 1e-12);
    CHECK_NEAR(get(sim, "body.stone.rotation.z"), 1.4, 1e-10);
    vg_sim_free(sim);
    vg_model_free(model);
}

static int pull(void *user, double t, const vgCallbackMotion motion[2], double wrench[12], double *jacobian)
{
    (void)t, (void)jacobian;
    for (int k = 0; k < 3; k++) wrench[6 + k] = -*(const double *)user * motion[1].position[k];
    return 0;
}

/* m ẍ = −k x with k from the caller: x = ½ cos √(k/m) t */
TEST(callback_force)
{
    double k = 50, omega = sqrt(k / 2);
    vgModel *model = parse(oscillator);
    vgDiag *diag = vg_diag_new();
    vgSim *still = NULL;
    CHECK_INT(vg_sim_new(model, NULL, diag, &still), VG_OK); /* nothing pulls yet, which is told */
    CHECK_INT(vg_diag_warnings(diag), 1);
    CHECK_STR(vg_diag_line(diag, 0), "the force 'pull' does nothing");
    vg_sim_free(still);
    vg_diag_free(diag);
    CHECK_INT(vg_model_set_callback(model, "nobody", pull, &k), VG_BAD_INPUT);
    CHECK_INT(vg_model_set_callback(model, "pull", pull, &k), VG_OK);
    vgSim *sim = simulate(model, NULL);
    for (int i = 1; i <= 4; i++) {
        CHECK_INT(vg_sim_advance(sim, 0.5 * i), VG_OK);
        CHECK_NEAR(get(sim, "body.a.position.x"), 0.5 * cos(omega * 0.5 * i), 1e-9);
        CHECK_NEAR(get(sim, "body.a.velocity.x"), -0.5 * omega * sin(omega * 0.5 * i), 1e-8);
    }
    vg_sim_free(sim);
    vg_model_free(model);
}

/* Turned away from its hinge, a body is put back on it; energy then is that of the new angle. */
TEST(set_against_joint)
{
    vgModel *model = parse(pendulum);
    vgSim *sim = simulate(model, NULL);
    CHECK_NEAR(get(sim, "joint.O.angle"), 0.3, 1e-12);
    CHECK_INT(vg_sim_set(sim, "body.bob.angle", 0.5), VG_OK);
    CHECK_INT(vg_sim_set(sim, "body.bob.omega", 1.5), VG_OK);
    CHECK_INT(vg_sim_settle(sim), VG_OK);
    CHECK(get(sim, "constraint.position") < 1e-13);
    CHECK(get(sim, "constraint.velocity") < 1e-12);
    double angle = get(sim, "joint.O.angle"), rate = get(sim, "joint.O.rate");
    CHECK(angle > 0.3 && angle < 0.5 && rate > 0 && rate < 1.5); /* least change in the mass metric */
    CHECK_NEAR(get(sim, "body.bob.position.x"), sin(angle), 1e-13);
    CHECK_NEAR(get(sim, "energy.total"), 0.5 * 2.05 * rate * rate - 2 * 9.81 * cos(angle), 1e-11);
    /* φ̈ = −m g L sin φ/(J + m L²) */
    CHECK_NEAR(get(sim, "joint.O.acceleration"), -2 * 9.81 * sin(angle) / 2.05, 1e-10);
    vg_sim_free(sim);
    vg_model_free(model);
}

TEST(steps_and_advance_agree)
{
    vgModel *model = parse(pendulum);
    vgSim *a = simulate(model, NULL), *b = simulate(model, NULL);
    for (int i = 0; i < 500; i++) CHECK_INT(vg_sim_step(a, 1e-3), VG_OK);
    CHECK_INT(vg_sim_advance(b, 0.2), VG_OK);
    CHECK_INT(vg_sim_advance(b, 0.5), VG_OK);
    CHECK_NEAR(get(a, "joint.O.angle"), get(b, "joint.O.angle"), 1e-13);
    CHECK_NEAR(vg_sim_time(a), vg_sim_time(b), 1e-12);
    vg_sim_free(a);
    vg_sim_free(b);
    vg_model_free(model);
}

/* A force of −3 N right of 0 and +2 N left of it on 2 kg from rest at 0.5 m: 0 is reached at √(2/3) s with
 * −√1.5 m/s, and again, with +√1.5, after 2√1.5 s; parabolas, which the method solves exactly if it meets the
 * switch. The calls end beside the events and at one. */
TEST(events_of_the_model_are_met)
{
    vgModel *model = parse("verge: 1\nplanar: true\n"
                           "bodies: {m: {mass: 2, inertia: 1, position: [0.5, 0]}}\n"
                           "forces: {u: {force: m, value: ['if(body.m.position.x > 0, -3, 2)', 0]}}\n"
                           "run: {step: 0.01, integrator: rk4, events: locate}\n");
    vgSim *sim = simulate(model, NULL);
    double first = sqrt(2. / 3), speed = sqrt(1.5), t = 2 - first, left = 3.5 - first - 2 * speed;
    CHECK_INT(vg_sim_advance(sim, first), VG_OK);
    CHECK_NEAR(get(sim, "body.m.position.x"), 0, 1e-12);
    CHECK_INT(vg_sim_advance(sim, 2), VG_OK);
    CHECK_NEAR(get(sim, "body.m.position.x"), -speed * t + t * t / 2, 1e-12);
    CHECK_INT(vg_sim_advance(sim, 3.5), VG_OK);
    CHECK_NEAR(get(sim, "body.m.position.x"), speed * left - 0.75 * left * left, 1e-12);
    CHECK_NEAR(get(sim, "body.m.velocity.x"), speed - 1.5 * left, 1e-12);
    vg_sim_free(sim);
    vg_model_free(model);
}

TEST(no_allocation)
{
    vgModel *model = parse(pendulum);
    vgSim *sim = simulate(model, NULL);
    const char *names[] = {"joint.O.*", "body.*.position.*", "energy.*", "constraint.*"};
    int n;
    CHECK_INT(vg_sim_watch(sim, names, 4, &n), VG_OK);
    CHECK(n > 15);
    CHECK_STR(vg_sim_watched(sim, 0), "joint.O.");
    CHECK(vg_sim_watched(sim, n) == NULL);
    double *values = malloc((size_t)n * sizeof *values);
    CHECK_INT(vg_sim_step(sim, 1e-3), VG_OK);
    long before = alloc_count();
    for (int i = 0; i < 100; i++) {
        CHECK_INT(vg_sim_step(sim, 1e-3), VG_OK);
        vg_sim_read(sim, values);
    }
    CHECK_INT(alloc_count() - before, 0);
    CHECK_NEAR(values[0], get(sim, vg_sim_watched(sim, 0)), 0);
    free(values);
    vg_sim_free(sim);
    vg_model_free(model);
}

TEST(checkpoint)
{
    vgModel *model = parse(pendulum);
    vgSim *sim = simulate(model, NULL), *other = simulate(model, &(vgSimOptions){.integrator = "rk4"});
    size_t size = vg_sim_checkpoint_size(sim);
    char *bytes = malloc(size);
    CHECK_INT(vg_sim_advance(sim, 0.3), VG_OK);
    CHECK_INT(vg_sim_save(sim, bytes, size - 1), VG_BAD_INPUT);
    CHECK_INT(vg_sim_save(sim, bytes, size), VG_OK);
    CHECK_INT(vg_sim_advance(sim, 0.9), VG_OK);
    double first = get(sim, "joint.O.angle");
    CHECK_INT(vg_sim_restore(sim, bytes, size), VG_OK);
    CHECK_NEAR(vg_sim_time(sim), 0.3, 1e-12);
    CHECK_INT(vg_sim_advance(sim, 0.9), VG_OK);
    CHECK_NEAR(get(sim, "joint.O.angle"), first, 0); /* the same bits */
    vgSim *fresh = simulate(model, NULL);            /* also in a simulation that never was there */
    CHECK_INT(vg_sim_restore(fresh, bytes, size), VG_OK);
    CHECK_INT(vg_sim_advance(fresh, 0.9), VG_OK);
    CHECK_NEAR(get(fresh, "joint.O.angle"), first, 0);
    CHECK(vg_sim_restore(other, bytes, size) == VG_BAD_INPUT);
    CHECK(vg_sim_restore(sim, bytes, size - 8) == VG_BAD_INPUT);
    bytes[size - 3] ^= 1;
    CHECK_INT(vg_sim_restore(sim, bytes, size), VG_BAD_INPUT);
    CHECK_STR(vg_sim_error(sim), "damaged");
    CHECK_NEAR(get(sim, "joint.O.angle"), first, 0); /* and nothing was touched */
    free(bytes);
    vg_sim_free(sim);
    vg_sim_free(fresh);
    vg_sim_free(other);
    vg_model_free(model);
}

TEST(mistakes)
{
    vgDiag *diag = vg_diag_new();
    const char *bad[] = {"L", NULL}, *unknown[] = {"Len=2", NULL}, *longer[] = {"L=2*2", "start=0.2", NULL};
    CHECK(vg_parse(pendulum, strlen(pendulum), "p.yaml", bad, diag) == NULL);
    CHECK_STR(vg_diag_line(diag, 0), "NAME=VALUE");
    vg_diag_clear(diag);
    CHECK(vg_parse(pendulum, strlen(pendulum), "p.yaml", unknown, diag) == NULL);
    CHECK(vg_diag_errors(diag) > 0);
    CHECK(vg_load("no/such/file.yaml", NULL, diag) == NULL);
    CHECK(vg_parse("verge: 1\nbodies: 5\n", 19, "p.yaml", NULL, NULL) == NULL);
    vgModel *model = vg_parse(pendulum, strlen(pendulum), "p.yaml", longer, diag);
    vgSim *sim = NULL;
    vg_diag_clear(diag);
    CHECK_INT(vg_sim_new(model, &(vgSimOptions){.integrator = "rk5"}, diag, &sim), VG_BAD_INPUT);
    CHECK(sim == NULL && vg_diag_errors(diag) == 1);
    vg_diag_free(diag);
    sim = simulate(model, NULL);
    CHECK_NEAR(get(sim, "body.bob.position.y"), -4 * cos(0.2), 1e-13);
    double value;
    CHECK_INT(vg_sim_get(sim, "joint.O.angel", &value), VG_BAD_INPUT);
    CHECK_STR(vg_sim_error(sim), "did you mean 'joint.O.angle'?");
    CHECK(isnan(value));
    CHECK_INT(vg_sim_get(sim, "joint.O.*", &value), VG_BAD_INPUT);
    CHECK_INT(vg_sim_set(sim, "joint.O.angle", 1), VG_BAD_INPUT);
    CHECK_INT(vg_sim_set(sim, "body.bob.agle", 1), VG_BAD_INPUT);
    CHECK_STR(vg_sim_error(sim), "did you mean 'body.bob.angle'?");
    CHECK_INT(vg_sim_set(sim, "body.bob.angle", NAN), VG_BAD_INPUT);
    CHECK_INT(vg_sim_step(sim, -1), VG_BAD_INPUT);
    CHECK_INT(vg_sim_advance(sim, 0.1), VG_OK);
    CHECK(strcmp(vg_sim_error(sim), "") == 0);
    CHECK_INT(vg_sim_advance(sim, 0.05), VG_BAD_INPUT);
    vg_sim_free(sim);
    vg_model_free(model);
}

/* What a caller forgot is answered with a status, never with a crash: every function, without what it needs.
 */
TEST(nothing_given)
{
    double value = 1;
    vgDiag *diag = vg_diag_new();
    vgSim *sim = NULL;
    CHECK(vg_load(NULL, NULL, diag) == NULL && vg_parse(NULL, 0, "p", NULL, diag) == NULL);
    CHECK_INT(vg_diag_errors(diag), 2);
    CHECK_STR(vg_diag_line(diag, 0), "path is NULL");
    CHECK_INT(vg_sim_new(NULL, NULL, diag, &sim), VG_BAD_INPUT);
    CHECK_STR(vg_diag_line(diag, 2), "model is NULL");
    CHECK_INT(vg_sim_new(NULL, NULL, NULL, NULL), VG_BAD_INPUT);
    CHECK_INT(vg_model_set_callback(NULL, "pull", pull, NULL), VG_BAD_INPUT);
    CHECK_INT(vg_sim_step(NULL, 1e-3), VG_BAD_INPUT);
    CHECK_INT(vg_sim_advance(NULL, 1), VG_BAD_INPUT);
    CHECK_INT(vg_sim_settle(NULL), VG_BAD_INPUT);
    CHECK_INT(vg_sim_get(NULL, "energy.total", &value), VG_BAD_INPUT);
    CHECK(isnan(value) && isnan(vg_sim_time(NULL)));
    CHECK_INT(vg_sim_set(NULL, "body.bob.angle", 0), VG_BAD_INPUT);
    CHECK_INT(vg_sim_watch(NULL, NULL, 0, NULL), VG_BAD_INPUT);
    CHECK_INT(vg_sim_read(NULL, &value), VG_BAD_INPUT);
    CHECK(vg_sim_watched(NULL, 0) == NULL && vg_realtime_input(NULL, 0) == NULL);
    CHECK_INT(vg_realtime_inputs(NULL), 0);
    CHECK_INT(vg_realtime_start(NULL, 1e-3, 2), VG_BAD_INPUT);
    CHECK_INT(vg_realtime_step(NULL, NULL, NULL), VG_BAD_INPUT);
    CHECK_INT((int)vg_sim_checkpoint_size(NULL), 0);
    CHECK_INT(vg_sim_save(NULL, &value, sizeof value), VG_BAD_INPUT);
    CHECK_INT(vg_sim_restore(NULL, &value, sizeof value), VG_BAD_INPUT);
    CHECK(*vg_sim_error(NULL) != 0);
    vg_sim_free(NULL), vg_model_free(NULL), vg_diag_free(NULL);

    vgModel *model = parse(pendulum);
    CHECK_INT(vg_model_set_callback(model, NULL, pull, NULL), VG_BAD_INPUT);
    vg_diag_clear(diag);
    CHECK_INT(vg_sim_new(model, &(vgSimOptions){.step = -1e-3}, diag, &sim), VG_BAD_INPUT);
    CHECK_STR(vg_diag_line(diag, 0), "step must be positive");
    CHECK_INT(vg_sim_new(model, &(vgSimOptions){.step = NAN}, diag, &sim), VG_BAD_INPUT);
    sim = simulate(model, NULL);
    CHECK_INT(vg_sim_read(sim, &value), VG_BAD_INPUT);
    CHECK_STR(vg_sim_error(sim), "vg_sim_watch comes first");
    CHECK_INT(vg_realtime_step(sim, NULL, NULL), VG_BAD_INPUT);
    CHECK_STR(vg_sim_error(sim), "vg_realtime_start comes first");
    CHECK_INT(vg_sim_get(sim, NULL, &value), VG_BAD_INPUT);
    CHECK_INT(vg_sim_get(sim, "energy.total", NULL), VG_BAD_INPUT);
    CHECK_INT(vg_sim_set(sim, NULL, 0), VG_BAD_INPUT);
    CHECK_INT(vg_sim_watch(sim, (const char *[]){"energy.total", NULL}, 2, NULL), VG_BAD_INPUT);
    CHECK_INT(vg_sim_save(sim, NULL, 1 << 20), VG_BAD_INPUT);
    CHECK_INT(vg_sim_restore(sim, NULL, 1 << 20), VG_BAD_INPUT);
    CHECK_INT(vg_sim_advance(sim, 0.1), VG_OK);
    vg_sim_free(sim);
    vg_model_free(model);
    vg_diag_free(diag);
}

/* A point on a rod that is put onto the rod's other end has no way back onto its sphere: the call says so,
 * and the simulation goes on from where it was. */
TEST(set_what_cannot_be)
{
    static const char text[] =
        "verge: 1\n"
        "bodies: {a: {mass: 1, point: true, position: [2, 0, 0], velocity: [0, 3, 0]}}\n"
        "joints: {rod: {distance: [ground, a], length: 2}}\n"
        "run: {step: 1e-3}\n";
    vgModel *model = parse(text);
    vgSim *sim = simulate(model, NULL);
    CHECK_INT(vg_sim_advance(sim, 0.2), VG_OK);
    CHECK_INT(vg_sim_set(sim, "body.a.position.x", 0), VG_OK);
    CHECK_INT(vg_sim_set(sim, "body.a.position.y", 0), VG_OK);
    CHECK(vg_sim_settle(sim) != VG_OK);
    CHECK_STR(vg_sim_error(sim), "cannot be made consistent");
    CHECK_NEAR(get(sim, "body.a.position.x"), 2 * cos(0.3), 1e-6); /* ω = 3 m/s / 2 m */
    CHECK_INT(vg_sim_advance(sim, 0.4), VG_OK);
    CHECK_NEAR(get(sim, "body.a.position.x"), 2 * cos(0.6), 1e-6);
    CHECK_NEAR(get(sim, "body.a.position.y"), 2 * sin(0.6), 1e-6);
    vg_sim_free(sim);
    vg_model_free(model);
}

/* A program may have set a locale with a decimal comma; models and options keep their points. Without such a
 * locale on the machine the comparison is of equals. */
TEST(decimal_comma)
{
    static const char text[] = "verge: 1\nparameters: {L: 1.5, k: 2.25*L}\n"
                               "bodies: {rod: {mass: 0.5, com: [0.75, 0, 0], inertia: [0.1, 0.2, 0.2]}}\n"
                               "joints: {O: {revolute: [ground, rod], axis: y}}\n"
                               "forces: {T: {torsion: O, stiffness: 0.5*k, angle0: 0.25}}\n"
                               "run: {step: 1e-3, integrator: {generalized-alpha: {rho: 0.8}}}\n";
    static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR", "C"};
    static const vgSimOptions options[] = {{0}, {.integrator = "generalized-alpha:rho=0.9"}};
    double angle[2][2] = {{0}};
    for (int comma = 0; comma < 2; comma++) {
        for (int i = 0; comma && i < 5 && !setlocale(LC_ALL, locales[i]); i++) continue;
        vgModel *model = vg_parse(text, sizeof text - 1, "comma", NULL, NULL);
        CHECK(model != NULL);
        for (int k = 0; model && k < 2; k++) {
            vgSim *sim = NULL;
            CHECK_INT(vg_sim_new(model, &options[k], NULL, &sim), VG_OK);
            if (!sim) continue;
            CHECK_INT(vg_sim_advance(sim, 0.5), VG_OK);
            CHECK_INT(vg_sim_get(sim, "joint.O.angle", &angle[comma][k]), VG_OK);
            vg_sim_free(sim);
        }
        vg_model_free(model);
    }
    setlocale(LC_ALL, "C");
    for (int k = 0; k < 2; k++) CHECK(angle[0][k] == angle[1][k] && angle[0][k] != 0);
    CHECK(angle[0][0] != angle[0][1]);
}

TEST_MAIN(decimal_comma, nothing_given, set_what_cannot_be, set_and_throw, callback_force, set_against_joint,
          steps_and_advance_agree, events_of_the_model_are_met, no_allocation, checkpoint, mistakes)
