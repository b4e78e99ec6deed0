/* Certificates: the claimed error is the true one, within a factor of 10. True errors come from closed forms
 * (oscillator, free rotor, driven and undriven pendulums), so that no method of Verge judges another. */
#include <math.h>

#include "analysis/study/verify/verify.h"
#include "run_model.h"
#include "test.h"

static vgModel *parse(const char *text)
{
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_parse(text, strlen(text), "test.yaml", NULL, 0, diag);
    if (!m) printf("%s\n", vg_diag_count(diag) ? vg_diag_line(diag, 0) : "?");
    vg_diag_free(diag);
    return m;
}

static vgCertificate certify(const vgModel *m, const char *integrator, const char *constraints, double step,
                             double end, const char *const *names, int n)
{
    vgCertificate c = {0};
    vgVerifyOptions o = {
        .dials = {NULL, constraints, integrator}, .step = step, .end = end, .locate = m->run.locate_events};
    CHECK_INT(vg_verify(m, names, n, &o, NULL, &c), VG_OK);
    return c;
}

static void within_ten(const char *what, double claimed, double truth)
{
    if (!(claimed <= 10 * truth && claimed >= 0.1 * truth))
        printf("%s: claimed %g, true %g\n", what, claimed, truth);
    CHECK(claimed <= 10 * truth && claimed >= 0.1 * truth);
}

/* x = cos(ωt): m = 2, k = 50, ω = 5. */
static const char oscillator[] = "verge: 1\n"
                                 "planar: true\n"
                                 "bodies:\n"
                                 "  b: {mass: 2, inertia: 1, position: [1, 0]}\n"
                                 "joints:\n"
                                 "  rail: {prismatic: [ground, b], axis: x}\n"
                                 "forces:\n"
                                 "  k: {force: b, value: [\"-50*joint.rail.displacement\", 0]}\n";

/* The largest true error over the rows of the same run. */
static double true_error(const char *text, const char *integrator, double step, double end,
                         const char *channel, double (*exact)(double))
{
    static double rows[20001];
    runSpec spec = {.text = text,
                    .integrator = integrator,
                    .step = step,
                    .end = end,
                    .every = 1,
                    .channel = {channel},
                    .rows = rows,
                    .maxrow = 20001};
    CHECK_INT(run_model(&spec).status, VG_OK);
    double worst = 0;
    for (int k = 0; k <= (int)(end / step + 0.5); k++) worst = fmax(worst, fabs(rows[k] - exact(k * step)));
    return worst;
}

static double cosine(double t)
{
    return cos(5 * t);
}

TEST(oscillator_has_its_error)
{
    static const char *const names[] = {"body.b.position.x"};
    static const char *const methods[] = {"generalized-alpha", "trapezoidal", "esdirk436", "bdf2", "rk4"};
    static const double steps[] = {0.02, 0.02, 0.05, 0.002, 0.02}, order[] = {2, 2, 4, 2, 4};
    vgModel *m = parse(oscillator);
    for (int i = 0; i < 5; i++) {
        vgCertificate c = certify(m, methods[i], NULL, steps[i], 4, names, 1);
        within_ten(methods[i], c.channel[0].error,
                   true_error(oscillator, methods[i], steps[i], 4, names[0], cosine));
        CHECK_NEAR(c.channel[0].order, order[i], 0.4);
        CHECK_NEAR(c.channel[0].size, 1, 1e-2);
        CHECK_NEAR(c.digits, -log10(c.channel[0].error / c.channel[0].size), 1e-9);
        CHECK_INT(c.verdict, VG_TRUSTED);
        vg_certificate_free(&c);
    }
    vg_model_free(m);
}

/* Steps of 0.5 rad and more are not to be trusted, and the certificate says which would be. */
TEST(too_long_steps_are_named)
{
    static const char *const names[] = {"body.b.position.x"};
    vgModel *m = parse(oscillator);
    vgCertificate c = certify(m, "generalized-alpha", NULL, 0.2, 20, names, 1);
    CHECK(c.verdict == VG_NOT_TRUSTED || c.verdict == VG_TRUSTED_UNTIL);
    CHECK(c.digits < 1);
    CHECK(strstr(c.line, "too long") != NULL);
    CHECK(c.until < 5);
    vg_certificate_free(&c);
    c = certify(m, "generalized-alpha", NULL, 0.05, 2, names, 1);
    CHECK(c.remedy > 0 && c.remedy < 0.05);
    double with_remedy =
        true_error(oscillator, "generalized-alpha", 2 / ceil(2 / c.remedy), 2, names[0], cosine);
    CHECK(with_remedy < 3e-3 && with_remedy > 1e-4);
    vg_certificate_free(&c);
    vg_model_free(m);
}

static double turned(double t)
{
    return 0.3 + 2 * t;
}

/* What a method has exactly is rounding; what is zero by symmetry is judged by the size of the others. */
TEST(exact_and_zero_channels)
{
    static const char *const names[] = {"joint.O.angle", "joint.O.force.z", "joint.O.force.x",
                                        "energy.total"};
    static const char text[] =
        "verge: 1\n"
        "bodies:\n"
        "  b: {mass: 2, inertia: [1, 1, 1], angle: 0.3, omega: [0, 0, 2], com: [0.1, 0, 0]}\n"
        "joints:\n"
        "  O: {revolute: [ground, b]}\n";
    vgModel *m = parse(text);
    vgCertificate c = certify(m, "generalized-alpha", NULL, 0.01, 3, names, 4);
    CHECK(true_error(text, "generalized-alpha", 0.01, 3, names[0], turned) < 1e-3);
    CHECK(c.channel[1].digits >= 9);
    CHECK(c.channel[1].size > 1e-4);
    CHECK_INT(c.verdict, VG_TRUSTED);
    vg_certificate_free(&c);
    vg_model_free(m);
}

/* Two hinges on one axis: forces across them are determined in sum only. */
TEST(redundant_reactions_are_named)
{
    static const char *const names[] = {"joint.A.angle",    "joint.A.force.z",     "joint.A.force.x",
                                        "joint.A.lambda.0", "constraint.position", "body.b.omega.z"};
    static const char text[] =
        "verge: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  b: {mass: 2, inertia: [1, 1, 1], com: [0.5, 0, 0]}\n"
        "joints:\n"
        "  A: {revolute: [ground, b]}\n"
        "  B: {revolute: [{body: ground, position: [0, 0, 1]}, {body: b, position: [0, 0, 1]}]}\n";
    vgModel *m = parse(text);
    vgCertificate c = certify(m, "generalized-alpha", NULL, 0.002, 2, names, 6);
    CHECK_INT(c.channel[0].kind, VG_VERIFY_JUDGED);
    CHECK_INT(c.channel[1].kind, VG_VERIFY_FREE);
    CHECK_INT(c.channel[2].kind, VG_VERIFY_FREE);
    CHECK_INT(c.channel[3].kind, VG_VERIFY_OWN);
    CHECK_INT(c.channel[4].kind, VG_VERIFY_OWN);
    CHECK_INT(c.channel[5].kind, VG_VERIFY_JUDGED);
    CHECK_INT(c.verdict, VG_TRUSTED);
    vg_certificate_free(&c);
    vg_model_free(m);
}

/* Chaos: digits fall with time, and the certificate says until when they hold. */
TEST(chaos_has_an_end_of_trust)
{
    static const char *const names[] = {"joint.A.angle", "joint.B.angle"};
    static const char text[] =
        "verge: 1\n"
        "planar: true\n"
        "gravity: [0, -9.81]\n"
        "bodies:\n"
        "  a: {mass: 1, inertia: 0.05, com: [0.5, 0], angle: 2, markers: {end: [1, 0]}}\n"
        "  b: {mass: 1, inertia: 0.05, com: [0.5, 0], position: [-0.4161468365471424, 0.9092974268256817], "
        "angle: 2.5}\n"
        "joints:\n"
        "  A: {revolute: [ground, a]}\n"
        "  B: {revolute: [a.end, b]}\n";
    vgModel *m = parse(text);
    vgCertificate c = certify(m, "generalized-alpha", NULL, 1e-3, 60, names, 2);
    CHECK_INT(c.verdict, VG_TRUSTED_UNTIL);
    CHECK(c.until > 1 && c.until < 50);
    CHECK(c.grows > 0.1 && c.grows < 20);
    CHECK(c.channel[0].over[0] > c.channel[0].over[VG_VERIFY_TIMES - 1]);
    vg_certificate_free(&c);
    vg_model_free(m);
}

/* The same input, the same certificate. */
TEST(same_bits)
{
    static const char *const names[] = {"body.b.position.x"};
    vgModel *m = parse(oscillator);
    vgCertificate a = certify(m, "bathe", NULL, 0.02, 2, names, 1),
                  b = certify(m, "bathe", NULL, 0.02, 2, names, 1);
    CHECK(a.channel[0].error == b.channel[0].error && a.nrun == b.nrun && !strcmp(a.line, b.line));
    for (int i = 0; i < a.nrun; i++) CHECK(a.run[i].work == b.run[i].work);
    vg_certificate_free(&a);
    vg_certificate_free(&b);
    vg_model_free(m);
}

/* The independent run is one: none of its three dials is the run's. */
TEST(the_other_setting_is_independent)
{
    static const char *const names[] = {"joint.A.angle"};
    static const char text[] = "verge: 1\n"
                               "planar: true\n"
                               "gravity: [0, -9.81]\n"
                               "bodies:\n"
                               "  a: {mass: 1, inertia: 0.05, com: [0.5, 0]}\n"
                               "joints:\n"
                               "  A: {revolute: [ground, a]}\n";
    static const char *const methods[] = {"generalized-alpha", "dopri5:rtol=1e-7", "radau3:rtol=1e-6",
                                          "bdf:rtol=1e-6", "adams:rtol=1e-7"};
    vgModel *m = parse(text);
    for (int i = 0; i < 5; i++) {
        vgCertificate c = certify(m, methods[i], NULL, 1e-3, 1, names, 1);
        CHECK(c.reference > 0);
        const vgVerifyRun *run = &c.run[0], *other = &c.run[c.reference];
        char family[2][40];
        for (int k = 0; k < 2; k++) {
            char name[60];
            snprintf(name, sizeof name, "%.*s", (int)strcspn(k ? other->integrator : run->integrator, ":"),
                     k ? other->integrator : run->integrator);
            snprintf(family[k], sizeof family[k], "%s", vg_integrator_find(name)->family);
        }
        CHECK(strcmp(run->coordinates, other->coordinates) != 0);
        CHECK(strcmp(family[0], family[1]) != 0);
        CHECK_INT(c.verdict, VG_TRUSTED);
        vg_certificate_free(&c);
    }
    vg_model_free(m);
}

/* Multipliers belong to the run's setting. Recorded among others they change nothing: the reference is still one in joint
 * coordinates, which have none, and the others keep their errors. */
TEST(multipliers_stand_in_no_reference_s_way)
{
    static const char *const with[] = {"joint.A.lambda.1", "joint.A.angle", "joint.A.lambda.0",
                                       "joint.A.rate"},
                             *const without[] = {"joint.A.angle", "joint.A.rate"};
    static const char text[] = "verge: 1\n"
                               "planar: true\n"
                               "gravity: [0, -9.81]\n"
                               "bodies:\n"
                               "  a: {mass: 1, inertia: 0.05, com: [0.5, 0]}\n"
                               "joints:\n"
                               "  A: {revolute: [ground, a]}\n";
    vgModel *m = parse(text);
    vgCertificate a = certify(m, "generalized-alpha", NULL, 1e-3, 1, with, 4),
                  b = certify(m, "generalized-alpha", NULL, 1e-3, 1, without, 2);
    CHECK(a.reference > 0 && !strcmp(a.run[a.reference].coordinates, "relative"));
    CHECK(a.channel[1].error == b.channel[0].error && a.channel[3].error == b.channel[1].error);
    CHECK(a.channel[1].digits > 3 && a.channel[3].digits > 3);
    CHECK_INT(a.channel[0].kind, VG_VERIFY_OWN);
    vg_certificate_free(&a);
    vg_certificate_free(&b);
    vg_model_free(m);
}

/* A motion that a law gives: every recorded reaction is that of the motion, whatever the step, also at the last
 * sample. */
TEST(driven_reactions_are_exact_to_the_end)
{
    static const char *const names[] = {"joint.S.displacement", "joint.O.torque.z", "joint.S.force.y"};
    static const char text[] =
        "verge: 1\n"
        "planar: true\n"
        "gravity: [0, -9.81]\n"
        "bodies:\n"
        "  crank: {mass: 1, inertia: 0.01, com: [0.15, 0], markers: {e: [0.3, 0]}}\n"
        "  rod: {mass: 1, inertia: 0.03, position: [0.3, 0], com: [0.3, 0], markers: {e: [0.6, 0]}}\n"
        "  slider: {mass: 1, inertia: 0.01, position: [0.9, 0]}\n"
        "joints:\n"
        "  O: {revolute: [ground, crank], drive: {angle: \"20*t + 0.3*sin(11*t)\"}}\n"
        "  A: {revolute: [crank.e, rod]}\n"
        "  B: {revolute: [rod.e, slider]}\n"
        "  S: {prismatic: [ground, slider], axis: x}\n";
    vgModel *m = parse(text);
    vgCertificate c = certify(m, "generalized-alpha", "index2", 0.01, 2, names, 3);
    for (int i = 0; i < 3; i++) CHECK(c.channel[i].error <= 1e-9 * c.channel[i].size);
    vg_certificate_free(&c);
    /* and a run that does not end in a row is judged by its rows: 0, 0.03 … 1.98 */
    vgVerifyOptions o = {
        .dials = {NULL, "index2", "generalized-alpha"}, .step = 0.01, .end = 2, .interval = 0.03};
    CHECK_INT(vg_verify(m, names, 3, &o, NULL, &c), VG_OK);
    CHECK_INT(c.nsample, 67);
    for (int i = 0; i < 3; i++) CHECK(c.channel[i].error <= 1e-9 * c.channel[i].size);
    CHECK_NEAR(c.until, 2, 0);
    vg_certificate_free(&c);
    vg_model_free(m);
}

/* A ball that flies through a wall of 5 cm in steps of 30 cm, in all its finer steps too: it should have come back with
 * the speed that it had (Hertz's contact without damping), and the independent runs know. */
TEST(stepped_over_contact_is_not_trusted)
{
    static const char *const names[] = {"body.ball.velocity.x"};
    static const char text[] =
        "verge: 1\n"
        "bodies:\n"
        "  ball: {mass: 0.01, inertia: [1e-6, 1e-6, 1e-6], position: [-1, 0, 0], velocity: [300, 0, 0]}\n"
        "forces:\n"
        "  wall: {contact-sphere-box: [ground, ball], size: [0.05, 1, 1], radius: 0.005, stiffness: 1e9}\n";
    vgModel *m = parse(text);
    vgCertificate c = certify(m, "generalized-alpha", NULL, 1e-3, 0.02, names, 1);
    within_ten("bullet", c.channel[0].error, 600);
    CHECK(c.verdict != VG_TRUSTED);
    vg_certificate_free(&c);
    vg_model_free(m);
}

/* Two bodies that know nothing of each other: one swings as cos(5t), one hangs still on a spring of 1e7 rad/s. No error
 * control follows the spring's vibrations to the end; such runs are given up early, and the references that can have
 * the budget. */
TEST(hopeless_references_are_given_up)
{
    static const char *const names[] = {"body.b.position.x"};
    static const char text[] = "verge: 1\n"
                               "planar: true\n"
                               "bodies:\n"
                               "  b: {mass: 2, inertia: 1, position: [1, 0]}\n"
                               "  s: {mass: 1, inertia: 1}\n"
                               "joints:\n"
                               "  rail: {prismatic: [ground, b], axis: x}\n"
                               "  stiff: {prismatic: [ground, s], axis: x}\n"
                               "forces:\n"
                               "  k: {force: b, value: [\"-50*joint.rail.displacement\", 0]}\n"
                               "  K: {force: s, value: [\"1 - 1e14*joint.stiff.displacement\", 0]}\n";
    vgModel *m = parse(text);
    vgCertificate c = certify(m, "generalized-alpha", NULL, 0.01, 4, names, 1);
    int given_up = 0;
    for (int i = 0; i < c.nrun; i++)
        if (strstr(c.run[i].why, "given up")) {
            given_up++;
            CHECK(c.run[i].work < 0.25 * 0.2 * 1e7 / 2); /* of the share of a first run, two coordinates */
        }
    CHECK(given_up > 0 && c.reference > 0);
    within_ten("beside a stiff spring", c.channel[0].error,
               true_error(text, "generalized-alpha", 0.01, 4, names[0], cosine));
    vg_certificate_free(&c);
    vg_model_free(m);
}

/* One channel in doubt, one that holds: the last line says how many hold, and to how many digits. */
TEST(others_are_counted)
{
    static const char *const names[] = {"body.b.position.x", "body.s.position.x"};
    static const char text[] = "verge: 1\n"
                               "planar: true\n"
                               "bodies:\n"
                               "  b: {mass: 2, inertia: 1, position: [1, 0]}\n"
                               "  s: {mass: 1, inertia: 1, position: [1, 0]}\n"
                               "joints:\n"
                               "  rail: {prismatic: [ground, b], axis: x}\n"
                               "  quick: {prismatic: [ground, s], axis: x}\n"
                               "forces:\n"
                               "  k: {force: b, value: [\"-50*joint.rail.displacement\", 0]}\n"
                               "  K: {force: s, value: [\"-1e4*joint.quick.displacement\", 0]}\n";
    vgModel *m = parse(text);
    vgCertificate c = certify(m, "generalized-alpha", NULL, 0.01, 4, names, 2);
    CHECK(c.channel[0].digits > 2 && c.channel[1].digits < 1);
    CHECK(strstr(c.line, "; 1 of 2 channels hold 2.") != NULL);
    vg_certificate_free(&c);
    vg_model_free(m);
}

/* The caller ends it, not the clock: the words say so. */
static int after_some_calls(void *user)
{
    int *left = user;
    return (*left)-- <= 0;
}

TEST(interrupted_by_the_caller)
{
    static const char *const names[] = {"joint.rail.displacement"};
    vgModel *m = parse(oscillator);
    int left = 60, said = 0;
    vgCertificate c = {0};
    vgVerifyOptions o = {.dials = {NULL, NULL, "generalized-alpha"},
                         .step = 1e-3,
                         .end = 20,
                         .budget = 1000,
                         .cancelled = after_some_calls,
                         .user = &left};
    CHECK_INT(vg_verify(m, names, 1, &o, NULL, &c), VG_OK);
    CHECK(left <= 0 && c.interrupted && !c.by_time);
    CHECK_STR(c.line, "interrupted");
    CHECK(!strstr(c.line, "clock"));
    for (int i = 0; i < c.nrun; i++) said += strstr(c.run[i].why, "interrupted at t") != NULL;
    CHECK(said > 0);
    vg_certificate_free(&c);
    vg_model_free(m);
}

TEST_MAIN(interrupted_by_the_caller, oscillator_has_its_error, too_long_steps_are_named,
          exact_and_zero_channels, redundant_reactions_are_named, chaos_has_an_end_of_trust, same_bits,
          the_other_setting_is_independent, multipliers_stand_in_no_reference_s_way,
          driven_reactions_are_exact_to_the_end, stepped_over_contact_is_not_trusted,
          hopeless_references_are_given_up, others_are_counted)
