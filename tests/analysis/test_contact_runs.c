/* Motions with contacts against closed forms and integrations of their own. */
#include <math.h>

#include "run_model.h"
#include "test.h"

static const double PI = 3.14159265358979323846, G = 9.81;

static runResult run(const char *text, const char *coordinates, const char *integrator, double end,
                     const char *const *channel)
{
    runSpec spec = {
        .text = text, .coordinates = coordinates, .integrator = integrator, .step = 1e-4, .end = end};
    for (int i = 0; channel[i]; i++) spec.channel[i] = channel[i];
    runResult out = run_model(&spec);
    CHECK_INT(out.status, VG_OK);
    if (out.status != VG_OK) printf("   %s\n", out.error);
    return out;
}

/* Head-on, masses 1 and 2 at 3 m/s against 1 m/s: momentum and the restitution asked for at that speed, for
 * every exponent and stiffness. */
TEST(restitution_of_two_spheres)
{
    static const char *const law[] = {"exponent: 1.5, stiffness: 1e7", "exponent: 1, stiffness: 1e5",
                                      "exponent: 2.2, stiffness: 1e9"};
    for (int k = 0; k < 3; k++)
        for (double e = 0.3; e < 1.05; e += 0.35) {
            char text[600];
            snprintf(
                text, sizeof text,
                "verge: 1\nbodies:\n"
                "  a: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [-0.3, 0, 0], velocity: [3, 0, 0]}\n"
                "  b: {mass: 2, inertia: [0.01, 0.01, 0.01], position: [0.3, 0, 0], velocity: [-1, 0, 0]}\n"
                "forces: {hit: {contact-sphere-sphere: [a, b], radius: 0.1, first: 0.2, %s, restitution: %g, "
                "speed: 4}}\n",
                law[k], e);
            runResult r = run(text, "lie", "dp5:rtol=1e-10,atol=1e-12", 0.3,
                              (const char *const[]){"body.a.velocity.x", "body.b.velocity.x", NULL});
            CHECK_NEAR(r.value[0], (1 - 2 * e * 4) / 3, 1e-7);
            CHECK_NEAR(r.value[1], (1 + e * 4) / 3, 1e-7);
        }
}

/* A ball that falls from 1 m bounces to e². What the weight adds during the contact is of the order of
 * depth over height, 1e-4 here. */
TEST(height_of_a_bounce)
{
    for (double e = 0.4; e < 1.05; e += 0.2) {
        char text[500];
        snprintf(text, sizeof text,
                 "verge: 1\nplanar: true\ngravity: 9.81\n"
                 "bodies: {b: {mass: 1, inertia: 0.01, position: [0, 1.1]}}\n"
                 "forces: {f: {contact-sphere-plane: [ground, b], radius: 0.1, stiffness: 1e9, restitution: "
                 "%g, speed: sqrt(2*9.81)}}\n",
                 e);
        double fall = sqrt(2 / G);
        runResult r = run(text, "planar", "dp5:rtol=1e-9,atol=1e-12", fall * (1 + e),
                          (const char *const[]){"body.b.position.y", NULL});
        CHECK_NEAR(r.value[0] - 0.1, e * e, 1e-3);
    }
}

/* Equal balls without friction: the one at rest leaves along the line of centres with that part of the speed,
 * the other keeps the rest, at a right angle. In the plane and in space. */
TEST(billiard_balls_part_at_a_right_angle)
{
    for (int planar = 0; planar < 2; planar++) {
        char text[700];
        const char *z = planar ? "" : ", 0", *J = planar ? "1e-4" : "[1e-4, 1e-4, 1e-4]";
        snprintf(text, sizeof text,
                 "verge: 1\nplanar: %s\nbodies:\n"
                 "  a: {mass: 0.2, inertia: %s, position: [-0.5, 0.03%s], velocity: [2, 0%s]}\n"
                 "  b: {mass: 0.2, inertia: %s, position: [0, 0%s]}\n"
                 "forces: {hit: {contact-sphere-sphere: [a, b], radius: 0.03, stiffness: 1e10}}\n",
                 planar ? "true" : "false", J, z, z, J, z);
        runResult r = run(text, planar ? "planar" : "lie", "dp5:rtol=1e-10,atol=1e-12", 0.4,
                          (const char *const[]){"body.a.velocity.x", "body.a.velocity.y", "body.b.velocity.x",
                                                "body.b.velocity.y", "energy.total", NULL});
        double s = 0.5, c = sqrt(0.75); /* 0.03 off the line, centres 0.06 apart */
        CHECK_NEAR(r.value[2], 2 * c * c, 2e-3);
        CHECK_NEAR(r.value[3], -2 * c * s, 2e-3);
        CHECK_NEAR(r.value[0], 2 * s * s, 2e-3);
        CHECK_NEAR(r.value[1], 2 * s * c, 2e-3);
        CHECK_NEAR(r.value[4], 0.4, 1e-8);
    }
}

/* The same collision with friction in all coordinates, and with the two balls told in the other order. */
TEST(a_collision_is_the_same_in_all_coordinates)
{
    static const char *const body =
        "verge: 1\nbodies:\n"
        "  a: {mass: 0.2, inertia: [1e-4, 1e-4, 1e-4], position: [-0.1, 0.03, 0.01], velocity: [2, 0, 0], "
        "omega: [5, 9, -3]}\n"
        "  b: {mass: 0.3, inertia: [1e-4, 2e-4, 1e-4], position: [0, 0, 0], omega: [1, -4, 2]}\n"
        "forces: {hit: {contact-sphere-sphere: [%s], radius: 0.03, stiffness: 1e8, damping: 0.1, friction: "
        "0.3}}\n";
    static const char *const coordinates[] = {
        "lie", "lie", "euler-parameters", "euler-angles", "relative", "natural", "se3"};
    double first[4] = {0};
    for (int k = 0; k < 7; k++) {
        char text[600];
        snprintf(text, sizeof text, body, k == 1 ? "b, a" : "a, b");
        runResult r = run(text, coordinates[k], "dp5:rtol=1e-10,atol=1e-12", 0.1,
                          (const char *const[]){"body.a.velocity.y", "body.b.velocity.x", "body.a.omega.z",
                                                "body.b.omega.x", NULL});
        if (k == 0) CHECK(r.value[1] > 0.5 && fabs(r.value[2] + 3) > 0.5 && fabs(r.value[3] - 1) > 0.01);
        for (int i = 0; i < 4; i++)
            if (k == 0)
                first[i] = r.value[i];
            else
                CHECK_NEAR(r.value[i], first[i], 2e-6 * fmax(1, fabs(first[i])));
    }
}

/* Five balls in a row of gaps, k = 1e9, m = 0.1: velocities after the impact by Runge and Kutta's rule on the
 * line, written here. */
static void cradle(double gap, double v[5])
{
    enum { N = 5 };
    const double k = 1e9, m = 0.1, h = 2e-7;
    double x[N], u[N] = {1};
    for (int i = 0; i < N; i++) x[i] = i * gap - (i == 0 ? 0.001 : 0);
    for (long step = 0; step < 15000; step++) {
        double kx[4][N], ku[4][N], c[4] = {0, 0.5, 0.5, 1};
        for (int s = 0; s < 4; s++) {
            double y[N], w[N], F[N + 1] = {0};
            for (int i = 0; i < N; i++) {
                y[i] = x[i] + (s ? c[s] * h * kx[s - 1][i] : 0);
                w[i] = u[i] + (s ? c[s] * h * ku[s - 1][i] : 0);
            }
            for (int i = 1; i < N; i++) F[i] = k * pow(fmax(y[i - 1] - y[i], 0), 1.5);
            for (int i = 0; i < N; i++) kx[s][i] = w[i], ku[s][i] = (F[i] - F[i + 1]) / m;
        }
        for (int i = 0; i < N; i++) {
            x[i] += h / 6 * (kx[0][i] + 2 * kx[1][i] + 2 * kx[2][i] + kx[3][i]);
            u[i] += h / 6 * (ku[0][i] + 2 * ku[1][i] + 2 * ku[2][i] + ku[3][i]);
        }
    }
    for (int i = 0; i < N; i++) v[i] = u[i];
}

TEST(newtons_cradle)
{
    static const char *const channel[] = {"body.ball1.velocity.x", "body.ball2.velocity.x",
                                          "body.ball3.velocity.x", "body.ball4.velocity.x",
                                          "body.ball5.velocity.x", NULL};
    for (int apart = 0; apart < 2; apart++) {
        char text[800];
        double v[5], gap = apart ? 1e-4 : 0;
        snprintf(text, sizeof text,
                 "verge: 1\nplanar: true\n"
                 "repeat:\n  - to: 5\n    bodies: {'ball{i}': {mass: 0.1, inertia: 1e-4, position: ['(i - "
                 "1)*(0.04 + %g) - if(i == 1, 0.001, 0)', 0], velocity: ['if(i == 1, 1, 0)', 0]}}\n"
                 "  - from: 2\n    to: 5\n    forces: {'hit{i}': {contact-sphere-sphere: ['ball{i-1}', "
                 "'ball{i}'], radius: 0.02, stiffness: 1e9}}\n",
                 gap);
        cradle(gap, v);
        runResult r = run(text, "planar", "dp5:rtol=1e-10,atol=1e-13", 3e-3, channel);
        for (int i = 0; i < 5; i++) CHECK_NEAR(r.value[i], v[i], 2e-6);
        if (apart) CHECK(r.value[4] > 0.9999 && fabs(r.value[0]) < 1e-4); /* one impact after the other */
        if (!apart) CHECK(r.value[4] > 0.97 && r.value[4] < 0.995 && r.value[0] < -0.01);
    }
}

/* From sliding to rolling: μ m g (1 + m r²/J) t = v0, at 5/7 of the speed for a sphere. */
TEST(a_sliding_ball_begins_to_roll)
{
    static const char *const text =
        "verge: 1\ngravity: 9.81\n"
        "bodies: {b: {mass: 0.17, inertia: [0.4*0.17*9e-4, 0.4*0.17*9e-4, 0.4*0.17*9e-4], position: [0, 0, "
        "0.03 - (0.17*9.81/1e6)^(2/3)], velocity: [0, 2, 0]}}\n"
        "forces: {f: {contact-sphere-plane: [ground, b], radius: 0.03, stiffness: 1e6, friction: 0.2, "
        "velocity: 1e-5}}\n";
    const char *const channel[] = {"body.b.velocity.y", "body.b.omega.x", "body.b.position.y", NULL};
    double T = 2 * 2 / (7 * 0.2 * G), end = 0.6;
    runResult r = run(text, "lie", "esdirk436:rtol=1e-8", 0.5 * T, channel);
    CHECK_NEAR(r.value[0], 2 - 0.2 * G * 0.5 * T, 1e-5);
    CHECK_NEAR(r.value[1], -2.5 * 0.2 * G * 0.5 * T / 0.03, 1e-3);
    r = run(text, "lie", "esdirk436:rtol=1e-8", end, channel);
    CHECK_NEAR(r.value[0], 10.0 / 7, 1e-4);
    CHECK_NEAR(r.value[1], -10.0 / 7 / 0.03, 1e-2);
    CHECK_NEAR(r.value[2], 2 * T - 0.1 * G * T * T + 10.0 / 7 * (end - T), 1e-4);
}

/* A ball in a bowl, in a tube and in a slot, let go a little beside the lowest place: sliding it has the
 * period 2π √((R − r)/g), rolling 7/5 of its square. */
TEST(a_ball_swings_in_a_bowl)
{
    static const char *const kind[] = {
        "contact-sphere-sphere: [ground, b], inside: true, first: 1",
        "contact-sphere-capsule: [ground, b], inside: true, first: 1, length: 3, axis: y"};
    for (int k = 0; k < 2; k++)
        for (int rolls = 0; rolls < 2; rolls++) {
            char text[600];
            snprintf(text, sizeof text,
                     "verge: 1\ngravity: 9.81\nparameters: {s: 0.01, d: (9.81/1e8)^(2/3)}\n"
                     "bodies: {b: {mass: 1, inertia: [0.004, 0.004, 0.004], position: [(0.9 + d)*sin(s), 0, "
                     "-(0.9 + d)*cos(s)]}}\n"
                     "forces: {f: {%s, radius: 0.1, stiffness: 1e8, friction: %g, velocity: 1e-6}}\n",
                     kind[k], rolls ? 0.5 : 0.0);
            double T = 2 * PI * sqrt((rolls ? 1.4 : 1) * 0.9 / G);
            runResult r = run(text, "lie", "esdirk436:rtol=1e-8", T / 6,
                              (const char *const[]){"body.b.position.x", "body.b.velocity.x", NULL});
            CHECK_NEAR(r.value[0], 0.009 * cos(PI / 3), 1e-6);
            CHECK_NEAR(r.value[1], -0.009 * 2 * PI / T * sin(PI / 3), 5e-6);
        }
}

TEST_MAIN(restitution_of_two_spheres, height_of_a_bounce, billiard_balls_part_at_a_right_angle,
          a_collision_is_the_same_in_all_coordinates, newtons_cradle, a_sliding_ball_begins_to_roll,
          a_ball_swings_in_a_bowl)
