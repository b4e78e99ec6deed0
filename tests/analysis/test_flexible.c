/* Beams and cables from the model file to the answer, against closed forms and independent integrations. */
#include <math.h>

#include "moment.h"
#include "run_model.h"
#include "test.h"

static const double pi = 3.14159265358979323846;

/* Elastica: EI θ″ = P cos θ clamped at 0, free at 1, by shooting with Runge–Kutta; x, y of the tip (P down).
 */
static double elastica(double P, double bend, double *x, double *y)
{
    const int n = 2000;
    double h = 1.0 / n, s[4] = {0, bend, 0, 0};
    for (int i = 0; i < n; i++) {
        double k[4][4], at[4];
        const double c[4] = {0, 0.5, 0.5, 1};
        for (int j = 0; j < 4; j++) {
            for (int m = 0; m < 4; m++) at[m] = s[m] + (j ? c[j] * h * k[j - 1][m] : 0);
            k[j][0] = at[1];
            k[j][1] = -P * cos(at[0]);
            k[j][2] = cos(at[0]);
            k[j][3] = -sin(at[0]);
        }
        for (int m = 0; m < 4; m++) s[m] += h / 6 * (k[0][m] + 2 * k[1][m] + 2 * k[2][m] + k[3][m]);
    }
    *x = s[2];
    *y = s[3];
    return s[1];
}

TEST(cantilever_with_a_large_tip_load)
{
    const double load[] = {1, 10};
    for (int i = 0; i < 2; i++) {
        double low = 0, high = 2 * load[i], x, y;
        for (int k = 0; k < 60; k++) {
            double mid = 0.5 * (low + high);
            if (elastica(load[i], mid, &x, &y) > 0)
                high = mid;
            else
                low = mid;
        }
        vgParamSet set[] = {{.name = "load", .value = load[i]}};
        momentRig m = moment_file("cantilever", set, 1);
        moment_rest(&m, NULL);
        CHECK_INT(m.status, VG_OK);
        /* the model stretches and shears by load/1e6 */
        CHECK_NEAR(moment_channel(&m, "body.beam.33.position.x"), x, 3e-6 * load[i]);
        CHECK_NEAR(moment_channel(&m, "body.beam.33.position.y"), y, 3e-6 * load[i]);
        CHECK_NEAR(moment_channel(&m, "joint.beam.start.force.y"), load[i], 1e-6 * load[i]);
        moment_end(&m);
    }
}

TEST(cantilever_rolled_up)
{
    vgParamSet set[] = {
        {.name = "load", .value = 0}, {.name = "moment", .value = 2 * pi}, {.name = "n", .value = 8}};
    momentRig m = moment_file("cantilever", set, 3);
    moment_rest(&m, NULL);
    CHECK_INT(m.status, VG_OK);
    CHECK_NEAR(moment_channel(&m, "body.beam.17.position.x"), 0, 1e-8);
    CHECK_NEAR(moment_channel(&m, "body.beam.17.position.y"), 0, 1e-8);
    /* Half way round. Without strain at their Gauss points elements of length l have ends l cos(κ l/2√3)
     * apart, and eight such chords make an octagon; 1/π is its limit with order 4. */
    double x = pi / 8, half = cos(x / sqrt(3)) / (8 * sin(x));
    CHECK_NEAR(moment_channel(&m, "body.beam.9.position.y"), half, 1e-8);
    CHECK_NEAR(half, 1 / pi, 0.012 * pow(x, 4) / pi);
    moment_end(&m);
}

/* Timoshenko cantilever: w′ = ψ + Q/GA, ψ′ = M/EI, Q′ = −m ω² w, M′ = −Q − J ω² ψ; det of (M, Q) at the tip.
 */
typedef struct Timoshenko {
    double EI, GA, m, J;
} Timoshenko;

static double tip_determinant(const Timoshenko *b, double w2)
{
    const int n = 400;
    double h = 1.0 / n, end[2][2];
    for (int side = 0; side < 2; side++) {
        double s[4] = {0, 0, side == 0, side == 1};
        for (int i = 0; i < n; i++) {
            double k[4][4], at[4];
            const double c[4] = {0, 0.5, 0.5, 1};
            for (int j = 0; j < 4; j++) {
                for (int m = 0; m < 4; m++) at[m] = s[m] + (j ? c[j] * h * k[j - 1][m] : 0);
                k[j][0] = at[1] + at[3] / b->GA;
                k[j][1] = at[2] / b->EI;
                k[j][2] = -at[3] - b->J * w2 * at[1];
                k[j][3] = -b->m * w2 * at[0];
            }
            for (int m = 0; m < 4; m++) s[m] += h / 6 * (k[0][m] + 2 * k[1][m] + 2 * k[2][m] + k[3][m]);
        }
        end[side][0] = s[2];
        end[side][1] = s[3];
    }
    return end[0][0] * end[1][1] - end[0][1] * end[1][0];
}

static double timoshenko(const Timoshenko *b, int mode)
{
    double w = 0.1, dw = 0.1, last = tip_determinant(b, w * w);
    for (;; w += dw) {
        double now = tip_determinant(b, (w + dw) * (w + dw));
        if (now * last < 0 && mode-- == 1) break;
        last = now;
    }
    double low = w, high = w + dw;
    for (int k = 0; k < 50; k++) {
        double mid = 0.5 * (low + high);
        if (tip_determinant(b, mid * mid) * last > 0)
            low = mid;
        else
            high = mid;
    }
    return low;
}

TEST(cantilever_frequencies)
{
    static const char text[] = "verge: 1\nplanar: true\nmesh:\n  b: {beam3: 16, from: ground, to: [1, 0], "
                               "EA: 1e5, GAy: 500, EIz: 1, m: 1, Jz: 1e-3}\n";
    const Timoshenko b = {1, 500, 1, 1e-3};
    momentRig m = moment_text(text);
    moment_modes(&m);
    CHECK_INT(m.status, VG_OK);
    for (int k = 1; k <= 4; k++) CHECK_NEAR(m.modes.mode[k - 1].im / timoshenko(&b, k), 1, 1e-3);
    /* shear and rotary inertia matter here: Euler–Bernoulli's third frequency is 61.697 */
    CHECK(m.modes.mode[2].im < 0.95 * 61.697);
    moment_end(&m);
}

/* A rope hung at its ends: a catenary. EA is large, so x = a sinh⁻¹(s/a). */
TEST(hanging_rope)
{
    momentRig m = moment_text(
        "verge: 1\nplanar: true\ngravity: [0, -9.81]\nbodies:\n  ground: {markers: {A: [0, 0], B: [1, 0]}}\n"
        "mesh:\n  rope: {cable: 64, from: ground.A, to: ground.B, length: 1.2, EA: 1e6, m: 0.5}\n");
    vgEquilibriumOptions o = {.relax = 1};
    moment_rest(&m, &o);
    CHECK_INT(m.status, VG_OK);
    double low = 0.1, high = 10; /* 2 a sinh(1/2a) = 1.2 */
    for (int k = 0; k < 60; k++) {
        double a = 0.5 * (low + high);
        if (2 * a * sinh(0.5 / a) > 1.2)
            low = a;
        else
            high = a;
    }
    double sag = low * (cosh(0.5 / low) - 1);
    CHECK_NEAR(moment_channel(&m, "body.rope.33.position.y"), -sag, 2e-4 * sag + 1e-5);
    CHECK_NEAR(moment_channel(&m, "force.rope.32.force"), 0.5 * 9.81 * low, 2e-3 * 0.5 * 9.81 * low);
    moment_end(&m);
}

/* Against a run of an independent program (16 × 3-node beams, lumped slices, fourth-order DIRK at 1e-4 s);
 * its interpolation of rotations differs, the peak is 0.22 m. */
TEST(shaft_through_its_critical_speed)
{
    runSpec s = {.model = "rotating-shaft",
                 .integrator = "generalized-alpha:rho=0.6",
                 .step = 1e-3,
                 .end = 2.25,
                 .channel = {"body.disc.position.y", "body.disc.position.z", "body.disc.velocity.z"}};
    runResult r = run_model(&s);
    CHECK_INT(r.status, VG_OK);
    CHECK_NEAR(r.value[0], 2.2017468937e-01, 0.01 * 0.22);
    CHECK_NEAR(r.value[1], -1.1486368320e-02, 0.01 * 0.22);
    CHECK_NEAR(r.value[2], 1.3523047777e+01, 0.01 * 14);
}

/* Steady spin at the end of the spin-up: no lag, and the centrifugal force stretches the beam by m w² L³/3 EA
 * (first order in strain). The largest lag, 0.6 m, is that of the literature (Simo, Vu-Quoc 1986) to what its
 * figure shows. */
TEST(beam_spun_up)
{
    double rows[1001 * 3], lag = 0, late = 0, stretch = 0;
    runSpec s = {.model = "rotating-beam",
                 .integrator = "generalized-alpha:rho=0.6",
                 .step = 5e-3,
                 .end = 20,
                 .interval = 0.02,
                 .rows = rows,
                 .maxrow = 1001,
                 .channel = {"body.beam.17.position.x", "body.beam.17.position.y", "joint.beam.start.angle"}};
    runResult r = run_model(&s);
    CHECK_INT(r.status, VG_OK);
    CHECK_INT(r.end.rows, 1001);
    for (int k = 0; k < 1001; k++) {
        const double *x = rows + 3 * k, c = cos(x[2]), n = sin(x[2]);
        lag = fmin(lag, c * x[1] - n * x[0]);
        if (k < 800) continue;
        late = fmax(late, fabs(c * x[1] - n * x[0]));
        stretch += (c * x[0] + n * x[1] - 10) / 201;
    }
    CHECK_NEAR(lag, -0.6, 0.03);
    CHECK(late < 0.02);
    CHECK_NEAR(stretch / (1.2 * 36 * 1000 / (3 * 2.8e7)), 1, 0.01);
}

TEST_MAIN(cantilever_with_a_large_tip_load, cantilever_rolled_up, cantilever_frequencies, hanging_rope,
          shaft_through_its_critical_speed, beam_spun_up)
