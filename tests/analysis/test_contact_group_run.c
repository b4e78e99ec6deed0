/* Runs with groups of contacts: against one element a pair, against Hertz's impact, energy and momentum, words. */
#include "../run_model.h"
#include "../test.h"

static const char BALLS[] = "verge: 1\ngravity: 9.81\nparameters: {r: 0.05, m: 0.5, J: 0.4*m*r^2}\nbodies:\n";

/* n³ balls that fall onto the plane and onto each other; pairs: one element for each. */
static char *pile(int n, int pairs, const char *law)
{
    int all = n * n * n, at;
    char *text = malloc(300 * (size_t)(all * all + 4));
    at = sprintf(text, "%s", BALLS);
    for (int k = 0; k < all; k++)
        at += sprintf(text + at, "  b%d: {mass: m, inertia: [J, J, J], position: [%g, %g, %g]}\n", k,
                      0.101 * (k % n) + 0.012 * (k / n / n), 0.102 * (k / n % n) - 0.009 * (k / n / n),
                      0.0501 + 0.1 * (k / n / n));
    if (!pairs) {
        sprintf(text + at, "contacts:\n  g: {among: ['b*'], planes: [ground], radius: r, %s}\n", law);
        return text;
    }
    at += sprintf(text + at, "forces:\n");
    for (int k = 0; k < all; k++) {
        at += sprintf(text + at, "  f%d: {contact-sphere-plane: [ground, b%d], radius: r, %s}\n", k, k, law);
        for (int j = 0; j < k; j++)
            at += sprintf(text + at, "  c%d_%d: {contact-sphere-sphere: [b%d, b%d], radius: r, %s}\n", j, k,
                          j, k, law);
    }
    return text;
}

/* The same pile in both ways: to the tolerance of Newton's iteration, which impacts make larger. */
TEST(group_is_one_element_a_pair)
{
    static const char *const method[] = {"generalized-alpha:newton=full,err=0", "rk4"};
    for (int k = 0; k < 2; k++) {
        const char *law = "stiffness: 1e6, restitution: 0.5, friction: 0.3, velocity: 0.02";
        char *one = pile(2, 0, law), *many = pile(2, 1, law);
        runSpec spec = {.integrator = method[k],
                        .step = 5e-4,
                        .end = 0.06,
                        .channel = {"body.b0.position.x", "body.b3.position.z", "body.b7.position.x",
                                    "body.b7.position.y", "body.b7.position.z", "body.b5.omega.x",
                                    "energy.total", "energy.dissipated"}};
        spec.text = one;
        runResult a = run_model(&spec);
        spec.text = many;
        runResult b = run_model(&spec);
        CHECK_INT(a.status, VG_OK);
        CHECK_INT(b.status, VG_OK);
        if (a.status != VG_OK) printf("%s\n", a.error);
        for (int i = 0; i < 8; i++) CHECK_NEAR(a.value[i], b.value[i], 1e-9);
        CHECK(a.value[7] > 1e-3);
        free(one);
        free(many);
    }
}

/* Two balls meet at the speed v: greatest depth (5 m v²/4k)^(2/5) with the reduced mass m, time in touch 2.94327 depth/v
 * (Landau and Lifshitz, Theory of Elasticity, 9), and speeds exchanged; with damping, `restitution` of them. */
TEST(impact_is_that_of_hertz)
{
    const double v = 2, m = 0.25, k = 1e7, depth = pow(5 * m * v * v / (4 * k), 0.4),
                 time = 2.943275 * depth / v;
    static const char text[] =
        "verge: 1\nparameters: {e: 1}\nbodies:\n"
        "  b1: {mass: 0.5, inertia: [5e-4, 5e-4, 5e-4], position: [-0.05, 0, 0], velocity: [1, 0, 0], shape: "
        "{sphere: 0.05}}\n"
        "  b2: {mass: 0.5, inertia: [5e-4, 5e-4, 5e-4], position: [0.05, 0, 0], velocity: [-1, 0, 0], shape: "
        "{sphere: 0.05}}\n"
        "contacts:\n  g: {among: [b1, b2], stiffness: 1e7, restitution: e, speed: 2}\n";
    enum { STEPS = 400 };
    double rows[(STEPS + 2) * 2];
    const double h = time / 300;
    runSpec spec = {.text = text,
                    .integrator = "rk4",
                    .step = h,
                    .end = STEPS * h,
                    .every = 1,
                    .rows = rows,
                    .maxrow = STEPS + 1,
                    .channel = {"force.g.depth", "force.g.pairs"}};
    runResult a = run_model(&spec);
    double most = 0, touch = 0;
    for (int i = 0; i <= STEPS; i++) {
        most = fmax(most, rows[2 * i]);
        touch += rows[2 * i + 1];
    }
    CHECK_INT(a.status, VG_OK);
    CHECK_NEAR(most, depth, 1e-4 * depth); /* sampled: (π/2/150)² of it */
    CHECK_NEAR(touch * h, time, 1.5 * h);  /* both ends within a step */
    for (int half = 0; half < 2; half++) {
        runSpec after = {.text = text,
                         .integrator = "rk4",
                         .step = h,
                         .end = STEPS * h * 2,
                         .set = {half ? "e=0.5" : "e=1"},
                         .channel = {"body.b1.velocity.x", "body.b2.velocity.x"}};
        runResult b = run_model(&after);
        CHECK_INT(b.status, VG_OK);
        CHECK_NEAR(b.value[0], half ? -0.5 : -1, 1e-5);
        CHECK_NEAR(b.value[0] + b.value[1], 0, 1e-12);
    }
}

/* What is lost is dissipated: T + V + D stays, in an implicit run with friction whose steps resolve it. */
TEST(energy_is_accounted_for)
{
    char *text = pile(3, 0, "stiffness: 1e5, restitution: 0.3, friction: 0.4, velocity: 0.01");
    runSpec spec = {
        .text = text, .step = 2e-4, .end = 0.5, .every = 1, .channel = {"energy.total", "energy.dissipated"}};
    runResult a = run_model(&spec);
    CHECK_INT(a.status, VG_OK);
    if (a.status != VG_OK) printf("%s\n", a.error);
    CHECK_INT(a.end.stats.newton_failures, 0);
    CHECK(a.value[1] > 1);
    CHECK_NEAR(a.value[0] + a.value[1], a.first, 0.01 * a.value[1]);
    free(text);
}

/* A ball that goes through another between two steps is reported. */
TEST(steps_over_contacts_are_seen)
{
    static const char text[] =
        "verge: 1\nparameters: {k: 1e4}\nbodies:\n"
        "  b1: {mass: 1, inertia: [1, 1, 1], position: [-0.3, 0, 0], velocity: [50, 0, 0]}\n"
        "  b2: {mass: 1, inertia: [1, 1, 1]}\n"
        "contacts:\n  g: {among: ['b*'], radius: 0.05, stiffness: k}\n";
    runSpec spec = {.text = text, .step = 0.01, .end = 0.02, .free = 1};
    runResult a = run_model(&spec);
    CHECK_INT(a.status, VG_OK);
    CHECK_INT(a.end.crossed.passed, 1);
    CHECK_NEAR(a.end.crossed.passed_t, 0.006, 2e-3); /* they touch from 0.004 to 0.008 */
    spec.step = 4e-4, spec.set[0] = "k=1e8";         /* in touch for 0.7 ms */
    a = run_model(&spec);
    CHECK_INT(a.end.crossed.passed, 0);
    CHECK(a.end.crossed.brief > 0);
}

/* Joints and contacts in one matrix: balls on a chain fall onto the ground, against one element a pair. */
TEST(with_joints)
{
    static const char chain[] = "verge: 1\ngravity: 9.81\nbodies:\n"
                                "  b1: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0.06]}\n"
                                "  b2: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.11, 0, 0.06]}\n"
                                "  b3: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.2, 0, 0.1]}\n"
                                "joints:\n  j: {revolute: [{body: b1, position: [0.055, 0, 0]}, {body: b2, "
                                "position: [-0.055, 0, 0]}], axis: y}\n";
    static const char *const ways[] = {"contacts: {g: {among: ['b*'], planes: [ground], radius: 0.05, "
                                       "stiffness: 1e5, damping: 0.5, friction: 0.2}}\n",
                                       "forces:\n  f1: {contact-sphere-plane: [ground, b1], radius: 0.05, "
                                       "stiffness: 1e5, damping: 0.5, friction: 0.2}\n"
                                       "  f2: {contact-sphere-plane: [ground, b2], radius: 0.05, stiffness: "
                                       "1e5, damping: 0.5, friction: 0.2}\n"
                                       "  f3: {contact-sphere-plane: [ground, b3], radius: 0.05, stiffness: "
                                       "1e5, damping: 0.5, friction: 0.2}\n"
                                       "  c3: {contact-sphere-sphere: [b2, b3], radius: 0.05, stiffness: "
                                       "1e5, damping: 0.5, friction: 0.2}\n"};
    runResult end[2];
    for (int k = 0; k < 2; k++) {
        char text[2000];
        snprintf(text, sizeof text, "%s%s", chain, ways[k]);
        runSpec spec = {.text = text,
                        .integrator = "generalized-alpha:err=0",
                        .step = 5e-4,
                        .end = 0.2,
                        .channel = {"body.b1.position.z", "body.b2.position.x", "body.b3.position.x",
                                    "body.b3.position.z", "joint.j.angle"}};
        end[k] = run_model(&spec);
        CHECK_INT(end[k].status, VG_OK);
        if (end[k].status != VG_OK) printf("%s\n", end[k].error);
    }
    for (int i = 0; i < 5; i++) CHECK_NEAR(end[0].value[i], end[1].value[i], 1e-8);
    CHECK(fabs(end[0].value[4]) > 1e-4);
}

TEST(what_does_not_work_is_refused_in_words)
{
    char *text = pile(2, 0, "stiffness: 1e5");
    runSpec spec = {.text = text, .coordinates = "relative", .step = 1e-3, .end = 0.01};
    runResult a = run_model(&spec);
    CHECK_INT(a.status, VG_BAD_INPUT);
    CHECK_STR(a.error, "does not work in coordinates 'relative'; use coordinates 'lie'");
    free(text);
}

TEST_MAIN(group_is_one_element_a_pair, impact_is_that_of_hertz, energy_is_accounted_for,
          steps_over_contacts_are_seen, with_joints, what_does_not_work_is_refused_in_words)
