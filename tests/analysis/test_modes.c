/* Eigenvalues against closed forms. */
#include <complex.h>
#include <math.h>

#include "linalg/dense.h"
#include "moment.h"
#include "test.h"

static const double pi = 3.14159265358979323846;

TEST(pendulum_small_oscillations)
{
    momentRig m = moment_file("pendulum", NULL, 0);
    moment_rest(&m, NULL);
    moment_modes(&m);
    CHECK_INT(m.status, VG_OK);
    CHECK_INT(m.modes.freedom, 1);
    CHECK_INT(m.modes.n, 1);
    /* J about the end = m L²/3, hence ω² = 3 g / (2 L) */
    CHECK_NEAR(m.modes.mode[0].im, sqrt(3 * 9.81 / (2 * 1.5)), 1e-9);
    CHECK_NEAR(m.modes.mode[0].damping, 0, 1e-10);
    moment_end(&m);
}

/* wall –k1,c1– m1 –k2– m2 along x; the planar points are free across: no stiffness there but what the
 * springs' tension gives, so they are guided by prismatic joints. */
static const char two_masses[] =
    "verge: 1\nplanar: true\n"
    "bodies:\n  ground: {markers: {O: [0, 0]}}\n"
    "  a: {mass: 2, inertia: 1, position: [1, 0]}\n  b: {mass: 3, inertia: 1, position: [2, 0]}\n"
    "joints:\n  A: {prismatic: [ground, a], axis: x}\n  B: {prismatic: [ground, b], axis: x}\n"
    "forces:\n  s1: {spring: [ground.O, a], stiffness: 50, damping: 4, length: 1}\n"
    "  s2: {spring: [a, b], stiffness: 70, length: 1}\n";

TEST(two_masses_damped)
{
    momentRig m = moment_text(two_masses);
    moment_modes(&m);
    CHECK_INT(m.status, VG_OK);
    CHECK_INT(m.modes.n, 2);
    for (int k = 0; k < m.modes.n; k++) {
        double complex s = m.modes.mode[k].re + I * m.modes.mode[k].im;
        double complex p = (2 * s * s + 4 * s + 120) * (3 * s * s + 70) - 4900;
        CHECK_NEAR(cabs(p) / 8400, 0, 1e-8);
        CHECK_NEAR(m.modes.mode[k].damping, -creal(s) / cabs(s), 1e-12);
        CHECK_NEAR(m.modes.mode[k].frequency, cimag(s) / (2 * pi), 1e-12);
    }
    /* without the damper: 6 w⁴ − 500 w² + 3500 = 0 for w² */
    double d = sqrt(500.0 * 500 - 4 * 6 * 3500);
    CHECK_INT(m.modes.nundamped, 2);
    CHECK_NEAR(m.modes.undamped[0], sqrt((500 - d) / 12) / (2 * pi), 1e-9);
    CHECK_NEAR(m.modes.undamped[1], sqrt((500 + d) / 12) / (2 * pi), 1e-9);
    moment_end(&m);
}

/* A turned body in a bushing along the world's axes: displacements of its centre of mass and turns about
 * world axes see the bushing's own numbers, and the inertia turned into the world. */
TEST(matrices_in_world_axes)
{
    momentRig m = moment_text("verge: 1\n"
                              "bodies:\n"
                              "  box: {mass: 1.2, inertia: [0.5, 0.8, 1.1], axis-angle: [[0, 0, 1], 0.7]}\n"
                              "forces:\n"
                              "  b: {bushing: [ground, {body: box, axis-angle: [[0, 0, 1], -0.7]}], "
                              "stiffness: [10, 20, 30, 4, 5, 6],\n"
                              "      damping: [1, 2, 3, 0.4, 0.5, 0.6]}\n");
    vgLinearised l;
    CHECK_INT(m.status, VG_OK);
    CHECK_INT(vg_linearise(m.sim.sys, m.sim.it->work, m.sim.state, &l), VG_OK);
    const double c = cos(0.7), s = sin(0.7), k[6] = {10, 20, 30, 4, 5, 6};
    double M[36] = {0}, K[36] = {0};
    M[0] = M[7] = M[14] = 1.2;
    M[21] = 0.5 * c * c + 0.8 * s * s, M[28] = 0.5 * s * s + 0.8 * c * c, M[35] = 1.1;
    M[22] = M[27] = (0.5 - 0.8) * s * c;
    for (int i = 0; i < 6; i++) K[7 * i] = k[i];
    CHECK_INT(l.n, 6);
    for (int i = 0; i < 36; i++) {
        CHECK_NEAR(l.M[i], M[i], 1e-9);
        CHECK_NEAR(l.K[i], K[i], 1e-6);
        CHECK_NEAR(l.C[i], K[i] / 10, 1e-7);
    }
    /* seen from a frame that turns: C + 2MΩ, K + CΩ + MΩ², Ω for displacements and for turns */
    const vgVec3 w = {0.3, -0.2, 0.5};
    const double O[9] = {0, -w.z, w.y, w.z, 0, -w.x, -w.y, w.x, 0};
    double Om[36] = {0}, MO[36], CO[36], MOO[36];
    for (int i = 0; i < 18; i++) Om[6 * (i % 9 / 3 + i / 9 * 3) + i % 3 + i / 9 * 3] = O[i % 9];
    vg_dense_multiply(M, Om, 6, 6, 6, MO);
    vg_dense_multiply(MO, Om, 6, 6, 6, MOO);
    vg_dense_multiply(K, Om, 6, 6, 6, CO);
    CHECK_INT(vg_linearised_spin(m.sim.sys, w, &l), VG_OK);
    for (int i = 0; i < 36; i++) {
        CHECK_NEAR(l.M[i], M[i], 1e-9);
        CHECK_NEAR(l.C[i], K[i] / 10 + 2 * MO[i], 1e-7);
        CHECK_NEAR(l.K[i], K[i] + CO[i] / 10 + MOO[i], 1e-6);
    }
    /* a turn of the body's x axis is one of the world's (c, s, 0), there and back */
    double x[6] = {1, 2, 3, 1, 0, 0};
    const vgKin kin = {.R = vg_m3(c, -s, 0, s, c, 0, 0, 0, 1)};
    vg_modes_turn(m.sim.sys, &kin, 0, x);
    CHECK_NEAR(x[3], c, 1e-15);
    CHECK_NEAR(x[4], s, 1e-15);
    CHECK(x[0] == 1 && x[1] == 2 && x[2] == 3 && x[5] == 0);
    vg_modes_turn(m.sim.sys, &kin, 1, x);
    CHECK_NEAR(x[3], 1, 1e-15);
    CHECK_NEAR(x[4], 0, 1e-15);
    vg_linearised_free(&l);
    moment_end(&m);
}

/* Rotor of revolution on two bearings at distances l, r from its centre: with w = y + i z and tilt t,
 *   (m s² + 2k) w + k (r − l) t = 0,   (Jt s² − i Jp Ω s + k (l² + r²)) t + k (r − l) w = 0. */
TEST(rotor_whirl)
{
    const double speed[] = {0, 100, 3000};
    for (int i = 0; i < 3; i++) {
        char text[900];
        snprintf(text, sizeof text,
                 "verge: 1\nbodies:\n  ground: {markers: {L: [-0.11, 0, 0], R: [0.06, 0, 0]}}\n"
                 "  rotor: {mass: 1.2, inertia: [0.0015, 0.0008, 0.0008], omega: [%g, 0, 0], markers: {L: "
                 "[-0.11, 0, 0], R: [0.06, 0, 0]}}\n"
                 "forces:\n  l: {bushing: [ground.L, rotor.L], stiffness: [4000, 4000, 4000, 0, 0, 0]}\n"
                 "  r: {bushing: [ground.R, rotor.R], stiffness: [0, 4000, 4000, 0, 0, 0]}\n",
                 speed[i]);
        momentRig m = moment_text(text);
        moment_modes(&m);
        CHECK_INT(m.status, VG_OK);
        int whirls = 0;
        for (int k = 0; k < m.modes.n; k++) {
            double kk = 4000, l = 0.11, r = 0.06, worst = INFINITY;
            double complex s = m.modes.mode[k].re + I * m.modes.mode[k].im;
            if (cabs(s) < 1e-3) continue; /* spin */
            for (int sign = -1; sign <= 1; sign += 2) {
                double complex p =
                    (1.2 * s * s + 2 * kk) *
                        (0.0008 * s * s - sign * I * 0.0015 * speed[i] * s + kk * (l * l + r * r)) -
                    kk * kk * (r - l) * (r - l);
                double size =
                    cabs(1.2 * s * s) * (cabs(0.0008 * s * s) + cabs(0.0015 * speed[i] * s) + kk * 0.02) +
                    kk * kk * 0.02;
                worst = fmin(worst, cabs(p) / size);
            }
            double axial = fabs(cimag(s) - sqrt(kk / 1.2));
            CHECK(worst < 1e-8 || axial < 1e-6);
            whirls += worst < 1e-8;
        }
        CHECK_INT(whirls, 4);
        moment_end(&m);
    }
}

/* The same rotor, its bearings ideal: a disc on a revolute joint whose axis turns in a spring-held gimbal has
 * ω = JpΩ/2Jt ± √((JpΩ/2Jt)² + k/Jt) with tilting stiffness k. */
TEST(rotor_whirl_with_constraints)
{
    momentRig m =
        moment_text("verge: 1\nbodies:\n"
                    "  hub: {mass: 1, inertia: [1e-9, 1e-9, 1e-9]}\n"
                    "  disc: {mass: 2, inertia: [0.004, 0.002, 0.002], omega: [500, 0, 0]}\n"
                    "joints:\n  S: {spherical: [ground, hub]}\n  R: {revolute: [hub, disc], axis: x}\n"
                    "forces:\n  k: {bushing: [ground, hub], stiffness: [0, 0, 0, 1e-3, 30, 30]}\n");
    moment_modes(&m);
    CHECK_INT(m.status, VG_OK);
    CHECK_INT(m.modes.freedom, 4);
    double a = 0.004 * 500 / (2 * (0.002 + 1e-9)), root = sqrt(a * a + 30 / (0.002 + 1e-9));
    int found = 0;
    for (int k = 0; k < m.modes.n; k++)
        found += fabs(m.modes.mode[k].im / (root - a) - 1) < 1e-6 ||
                 fabs(m.modes.mode[k].im / (root + a) - 1) < 1e-6;
    CHECK_INT(found, 2);
    moment_end(&m);
}

TEST(free_body_has_no_frequency)
{
    momentRig m = moment_text("verge: 1\nbodies:\n  b: {mass: 2, inertia: [1, 2, 2.5]}\n");
    moment_modes(&m);
    CHECK_INT(m.status, VG_OK);
    CHECK_INT(m.modes.freedom, 6);
    CHECK_INT(m.modes.nundamped, 6);
    for (int k = 0; k < 6; k++) CHECK_NEAR(m.modes.undamped[k], 0, 1e-8);
    moment_end(&m);
}

/* Two masses on springs of their own, λ² + cλ + k = 0 each: one of 1 Hz, one with damping 0.9999 at 200 1/s,
 * whose imaginary part is less than that of the first. It dies out before it could swing and comes last. */
TEST(nearly_critical_comes_last)
{
    momentRig m = moment_text("verge: 1\nplanar: true\nbodies:\n"
                              "  a: {mass: 1, inertia: 1}\n  b: {mass: 1, inertia: 1}\n"
                              "joints:\n  A: {prismatic: [ground, a]}\n  B: {prismatic: [ground, b]}\n"
                              "forces:\n  a: {torsion: A, stiffness: 4*pi^2}\n"
                              "  b: {torsion: B, stiffness: 4e4, damping: 399.96}\n");
    moment_modes(&m);
    CHECK_INT(m.status, VG_OK);
    CHECK_INT(m.modes.n, 2);
    CHECK_NEAR(m.modes.mode[0].frequency, 1, 1e-9);
    CHECK_NEAR(m.modes.mode[1].damping, 0.9999, 1e-9);
    CHECK(m.modes.mode[1].im < m.modes.mode[0].im);
    moment_end(&m);
}

/* A beam with so much damping of its strain that its fast modes only creep back (c ω > 2, towards −1/c): the
 * slow ones, ω of a cantilever and damping ratio c ω/2, are told first. */
TEST(vibrations_come_before_what_creeps)
{
    const double c = 1e-3, root[] = {1.87510407, 4.69409113, 7.85475744};
    momentRig m = moment_text("verge: 1\nplanar: true\nmesh:\n  b: {beam3: 8, from: ground, to: [1, 0], EA: "
                              "1e6, GAy: 1e6, EIz: 1, m: 1, Jz: 1e-6, damping: 1e-3}\n");
    moment_modes(&m);
    CHECK_INT(m.status, VG_OK);
    for (int k = 0; k < 3; k++) {
        double w = root[k] * root[k];
        CHECK_NEAR(hypot(m.modes.mode[k].re, m.modes.mode[k].im), w, 3e-3 * w);
        CHECK_NEAR(m.modes.mode[k].damping, c * w / 2, 3e-3 * c * w / 2);
    }
    CHECK_NEAR(m.modes.mode[m.modes.n - 1].im, 0, 0);
    moment_end(&m);
}

/* A cantilever that hardly stretches, shears or turns its sections (EA = 1e9 EI, no inertia of sections to
 * speak of: its fastest vibrations are 1e10 times as fast as its slowest): 1.8751041², 4.6940911². With
 * damping by the stiffness nearly all of it creeps: the vibrations come first and have ζ = β ω/2. */
TEST(slow_modes_of_what_is_stiff)
{
    static const double root[] = {1.8751040687119611, 4.694091132974175};
    for (int damping = 0; damping < 2; damping++) {
        char text[300];
        snprintf(text, sizeof text,
                 "verge: 1\nplanar: true\nmesh: {b: {beam3: 16, from: ground, to: [1, 0], EA: 1e9, GAy: 1e9, "
                 "EIz: 1, m: 1, Jz: 1e-9, damping: %g}}\n",
                 damping * 2e-3);
        momentRig m = moment_text(text);
        moment_modes(&m);
        CHECK_INT(m.status, VG_OK);
        for (int k = 0; k < 2 && m.modes.n > 2; k++) {
            const double w = root[k] * root[k];
            const vgMode *mode = &m.modes.mode[k];
            CHECK_NEAR(hypot(mode->re, mode->im), w, 5e-5 * w);
            CHECK_NEAR(mode->damping, damping * 1e-3 * w, 1e-5);
            CHECK_NEAR(6.283185307179586 * m.modes.undamped[k], w, 5e-5 * w);
        }
        moment_end(&m);
    }
}

TEST_MAIN(slow_modes_of_what_is_stiff, nearly_critical_comes_last, vibrations_come_before_what_creeps,
          pendulum_small_oscillations, two_masses_damped, matrices_in_world_axes, rotor_whirl,
          rotor_whirl_with_constraints, free_body_has_no_frequency)
