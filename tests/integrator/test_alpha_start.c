/* Generalized-α on ẍ = −ω² x, step by step as its formulas say (Chung and Hulbert 1993),
 *     (1 − α_m) ā' + α_m ā = (1 − α_f) a' + α_f a,   x' = x + h v + h² ((½ − β) ā + β ā'),
 *     v' = v + h ((1 − γ) ā + γ ā'),
 * from ā = a, and from ā = a + (α_m − α_f) h ȧ, with which accelerations are of second order at once. */
#include "test.h"

#include "run_model.h"

static const char oscillator[] =
    "verge: 1\n"
    "bodies: {a: {mass: 2, inertia: [1, 1, 1], position: [0.3, 0, 0], velocity: [0.5, 0, 0]}}\n"
    "joints: {S: {prismatic: [ground, a], axis: x}}\n"
    "forces: {k: {torsion: S, stiffness: 18}}\n"; /* ω = 3 */

static void by_hand(double rho, int start, double h, int n, double *x, double *v)
{
    const double am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1), gamma = 0.5 + af - am,
                 beta = 0.25 * (gamma + 0.5) * (gamma + 0.5), w2 = 9;
    double a = -w2 * *x, abar = a + (start ? (am - af) * h * (-w2 * *v) : 0);
    for (int i = 0; i < n; i++) {
        /* (1 − α_m) ā' = (1 − α_f)(−ω²)(x̂ + h² β ā') + α_f a − α_m ā */
        double xhat = *x + h * *v + h * h * (0.5 - beta) * abar;
        double next = (-(1 - af) * w2 * xhat + af * a - am * abar) / (1 - am + (1 - af) * w2 * h * h * beta);
        *v += h * ((1 - gamma) * abar + gamma * next);
        *x = xhat + h * h * beta * next;
        a = -w2 * *x;
        abar = next;
    }
}

TEST(steps_as_the_formulas_say)
{
    static const char *const coordinates[] = {"relative", "lie"};
    for (int c = 0; c < 2; c++)
        for (int start = 0; start < 2; start++)
            for (int k = 0; k < 3; k++) {
                const double rho = 0.3 + 0.3 * k, h = 0.02;
                char name[80];
                snprintf(name, sizeof name, "generalized-alpha:rho=%g,start=%d", rho, start);
                runSpec spec = {.text = oscillator,
                                .coordinates = coordinates[c],
                                .constraints = "index3",
                                .integrator = name,
                                .step = h,
                                .end = 5 * h,
                                .channel = {"joint.S.displacement", "joint.S.rate"}};
                runResult got = run_model(&spec);
                double x = 0.3, v = 0.5, x0 = 0.3, v0 = 0.5;
                by_hand(rho, start, h, 5, &x, &v);
                by_hand(rho, !start, h, 5, &x0, &v0);
                CHECK_INT(got.status, VG_OK);
                CHECK_NEAR(got.value[0], x, 2e-9); /* ȧ by differences over a twentieth of the step */
                CHECK_NEAR(got.value[1], v, 2e-9);
                CHECK(fabs(v - v0) > 1e-6); /* and the two starts can be told from each other */
            }
}

TEST_MAIN(steps_as_the_formulas_say)
