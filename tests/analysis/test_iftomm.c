/* Problems of the IFToMM library of computational benchmark problems, and the benchmark bicycle, against what
 * others computed: closed forms, the published linearised equations, and a program of our own in other
 * coordinates. */
#include <complex.h>
#include <math.h>

#include "moment.h"
#include "run_model.h"
#include "test.h"

/* ---- a row of four-bar linkages: passes positions in which it could go two ways ---- */

/* J θ'' = G sin θ, J = (N + 1)/3 + N, G = g ((N + 1)/2 + N): the rods stay parallel (RK4, 10 µs). */
static double row_angle(int N, double end)
{
    double J = (N + 1) / 3.0 + N, G = 9.81 * ((N + 1) / 2.0 + N), c = G / J, th = 0, w = 1, h = 1e-5;
    for (long n = lround(end / h); n > 0; n--) {
        double l1 = c * sin(th), k2 = w + h / 2 * l1, l2 = c * sin(th + h / 2 * w);
        double k3 = w + h / 2 * l2, l3 = c * sin(th + h / 2 * k2), k4 = w + h * l3, l4 = c * sin(th + h * k3);
        th += h / 6 * (w + 2 * k2 + 2 * k3 + k4);
        w += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
    return th;
}

TEST(row_of_four_bars_goes_on_through_singular_positions)
{
    static const char *const constraints[] = {"index3", "index2", "index1", "augmented3", "independent"};
    double th = row_angle(2, 10);
    CHECK_NEAR(sin(th), 0.32845811153, 1e-10); /* as the model's file says */
    for (int i = 0; i < 5; i++) {
        runResult r = run_model(&(runSpec){
            .model = "n-four-bar",
            .constraints = constraints[i],
            .integrator = "generalized-alpha",
            .step = 1e-3,
            .end = 10,
            .channel = {"marker.rod0.top.position.x", "marker.rod0.top.position.y", "energy.total"}});
        CHECK_INT(r.status, VG_OK);
        CHECK_INT(r.freedom, 1);
        CHECK_NEAR(r.value[0], sin(th), 2e-4);
        CHECK_NEAR(r.value[1], cos(th), 1e-4);
        CHECK_NEAR(r.value[2], 35.835, 1e-3);
    }
    static const char *const tight[][2] = {
        {"augmented1", "dopri5:rtol=1e-10"}, {"augmented1", "dopri5:rtol=1e-9"},
        {"augmented1", "dopri5:rtol=3e-10"}, {"augmented1", "dopri5:rtol=1e-11"},
        {"augmented1", "dop853:rtol=1e-10"}, {"index3", "bdf:rtol=1e-10"}};
    for (int i = 0; i < 6;
         i++) { /* what docs/dials.md advises; with one or the other a stage lands in them */
        runResult t = run_model(&(runSpec){.model = "n-four-bar",
                                           .constraints = tight[i][0],
                                           .integrator = tight[i][1],
                                           .end = 10,
                                           .channel = {"marker.rod0.top.position.x"}});
        CHECK_INT(t.status, VG_OK);
        CHECK_NEAR(t.value[0], sin(th), i < 5 ? 1e-6 : 1e-5); /* bdf: 3000 steps */
    }
    runResult r =
        run_model(&(runSpec){.model = "n-four-bar",
                             .integrator = "radau3",
                             .step = 5e-3,
                             .end = 10,
                             .set = {"N=4"},
                             .channel = {"marker.rod0.top.position.x", "marker.rod4.top.position.x"}});
    CHECK_NEAR(r.value[0], sin(row_angle(4, 10)), 1e-6);
    CHECK_NEAR(r.value[1], 4 + sin(row_angle(4, 10)), 1e-6);
}

/* ---- Bricard: one constraint repeats the others in every position ---- */

/* The reference: one coordinate along the closed loop of six hinges (product of exponentials, the direction
 * from the null space of the loop's Jacobian), energies of thin rods from their ends, RK4 with 5 ms; its own
 * energy stays to 1e-10. */
TEST(bricard_moves_as_in_one_coordinate)
{
    static const struct {
        const char *coordinates, *constraints, *integrator;
        double tolerance;
    } setting[] = {{"lie", "index3", "radau3", 1e-8},
                   {"relative", "index1", "dopri5:rtol=1e-10", 1e-8},
                   {"natural", "index3", "generalized-alpha", 2e-5},
                   {"lie", "augmented3", "generalized-alpha", 2e-5}};
    for (int i = 0; i < 4; i++) {
        runResult r =
            run_model(&(runSpec){.model = "bricard",
                                 .coordinates = setting[i].coordinates,
                                 .constraints = setting[i].constraints,
                                 .integrator = setting[i].integrator,
                                 .step = 1e-3,
                                 .end = 1,
                                 .channel = {"marker.rod2.end.position.x", "marker.rod2.end.position.y",
                                             "marker.rod2.end.position.z", "energy.total"}});
        CHECK_INT(r.status, VG_OK);
        CHECK_INT(r.freedom, 1);
        CHECK_NEAR(r.value[0], 0.27333426, setting[i].tolerance);
        CHECK_NEAR(r.value[1], -0.88654405, setting[i].tolerance);
        CHECK_NEAR(r.value[2], -0.46264419, setting[i].tolerance);
        CHECK_NEAR(r.value[3], -3 * 9.81, 1e-5);
    }
}

/* ---- bicycle ---- */

/* det(M s² + v C1 s + g K0 + v² K2), with the matrices that Meijaard et al. print for the benchmark bicycle,
 * divided by det M. */
static double complex characteristic(double v, double complex s)
{
    static const double M[4] = {80.81722, 2.31941332208709, 2.31941332208709, 0.29784188199686},
                        K0[4] = {-80.95, -2.59951685249872, -2.59951685249872, -0.80329488458618},
                        K2[4] = {0, 76.59734589573222, 0, 2.65431523794604},
                        C1[4] = {0, 33.86641391492494, -0.85035641456978, 1.68540397397560};
    double complex A[4];
    for (int i = 0; i < 4; i++) A[i] = M[i] * s * s + v * C1[i] * s + 9.81 * K0[i] + v * v * K2[i];
    return (A[0] * A[3] - A[1] * A[2]) / (M[0] * M[3] - M[1] * M[2]);
}

/* The modes that are not motions at rest: how many, and the largest miss of the characteristic equation. */
static int bicycle_modes(double v, double *miss, double *weave, double *capsize)
{
    vgParamSet set[] = {{.name = "speed", .value = v}, {.name = "rolling", .value = 0}};
    momentRig m = moment_file("bicycle", set, 2);
    int n = 0;
    CHECK_INT(m.sim.assembly.freedom, 3);
    moment_modes(&m);
    CHECK_INT(m.status, VG_OK);
    double near =
        0; /* of zeros that meet another eigenvalue rounding leaves the sum alone: that eigenvalue */
    *miss = 0, *weave = -INFINITY, *capsize = -INFINITY;
    for (int k = 0; k < m.modes.n; k++) {
        double complex s = m.modes.mode[k].re + I * m.modes.mode[k].im;
        if (cabs(s) < 1e-4) near += (m.modes.mode[k].im != 0 ? 2 : 1) * m.modes.mode[k].re;
        if (cabs(s) < 1e-4) continue; /* the path on the plane, the wheels' turns, the speed */
        n += m.modes.mode[k].im != 0 ? 2 : 1;
        *miss = fmax(*miss, cabs(characteristic(v, s)) / fmax(1, pow(cabs(s), 4)));
        if (m.modes.mode[k].im != 0)
            *weave = m.modes.mode[k].re;
        else
            *capsize = fmax(*capsize, m.modes.mode[k].re);
    }
    if (n == 3) *capsize = near;
    moment_end(&m);
    return n;
}

TEST(bicycle_has_the_published_eigenvalues)
{
    double miss, weave, capsize, speed[] = {1, 3, 5, 7, 10};
    for (int i = 0; i < 5; i++) {
        CHECK_INT(bicycle_modes(speed[i], &miss, &weave, &capsize), 4);
        CHECK_NEAR(miss, 0, 1e-6);
    }
    /* stable between the weave speed 4.2923825 m/s and the capsize speed 6.0242620 m/s */
    bicycle_modes(4.2923, &miss, &weave, &capsize);
    CHECK(weave > 0);
    bicycle_modes(4.2925, &miss, &weave, &capsize);
    CHECK(weave < 0);
    bicycle_modes(6.0242, &miss, &weave, &capsize);
    CHECK(capsize < 0);
    bicycle_modes(6.0243, &miss, &weave, &capsize);
    CHECK(capsize > 0);
}

/* Upright again, the energy of the push has become speed: v² m* = v₀² m* + A w², m* = m + Σ I/r², A the
 * inertia of all about the line of contact, M's first entry. */
TEST(bicycle_pushed_aside_comes_back_faster)
{
    double mass = 94 + 0.12 / 0.09 + 0.28 / 0.1225, speed = sqrt(4.6 * 4.6 + 80.81722 * 0.25 / mass);
    static const char *const coordinates[] = {"lie", "relative", "euler-parameters"};
    for (int i = 0; i < 3; i++) {
        runResult r = run_model(&(runSpec){.model = "bicycle",
                                           .coordinates = coordinates[i],
                                           .constraints = "index1",
                                           .integrator = "dopri5:rtol=1e-8",
                                           .end = 25,
                                           .channel = {"body.frame.velocity.x", "body.frame.velocity.y",
                                                       "body.frame.rotation.x", "joint.steer.angle"}});
        CHECK_INT(r.status, VG_OK);
        CHECK_NEAR(hypot(r.value[0], r.value[1]), speed, 1e-5);
        CHECK_NEAR(r.value[2], 0, 1e-4);
        CHECK_NEAR(r.value[3], 0, 1e-4);
    }
}

TEST_MAIN(row_of_four_bars_goes_on_through_singular_positions, bricard_moves_as_in_one_coordinate,
          bicycle_has_the_published_eigenvalues, bicycle_pushed_aside_comes_back_faster)
