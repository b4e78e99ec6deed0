/* The squeezer to 1e-9 by methods of different families: largest relative error of the seven angles at 0.03 s
 * against an extrapolation method in 128 bits (two runs agree to 24 digits). */
#include <math.h>

#include "run_model.h"
#include "test.h"

static double squeezer_error(const char *coordinates, const char *constraints, const char *integrator,
                             double step)
{
    /* β, Θ, γ, Φ, δ, Ω, ε of the IVP test set, which measures Φ, Ω and ε from lines at right angles to the
     * links' own */
    static const double ref[7] = {15.81077119515370709711938730,   -15.75637105841183946972775285,
                                  0.04082224011964580485828231963, -0.5347301163420795937701850311,
                                  0.5244099658799540693716558000,  0.5347301163420795937701850311,
                                  1.048080741041937873068515472};
    static const double quarter[7] = {0, 0, 0, 1, 0, -1, 1};
    runSpec s = {.model = "squeezer",
                 .coordinates = coordinates,
                 .constraints = constraints,
                 .integrator = integrator,
                 .step = step,
                 .end = 0.03,
                 .channel = {"joint.O.angle", "joint.F.angle", "joint.B.angle", "joint.G.angle",
                             "joint.AG.angle", "joint.H.angle", "joint.AH.angle"}};
    runResult r = run_model(&s);
    double worst = r.status == VG_OK ? 0 : INFINITY;
    for (int i = 0; i < 7; i++) {
        double got = r.value[i] + quarter[i] * 1.57079632679489661923;
        worst = fmax(worst, fabs(got - ref[i]) / fabs(ref[i]));
    }
    if (!(worst < 1e-9)) printf("%s: %.2e %s\n", integrator, worst, r.error);
    return worst;
}

TEST(explicit_runge_kutta)
{
    CHECK(squeezer_error("planar", "index1", "dopri5:rtol=1e-9,atol=1e-11", 0) < 1e-9);
    CHECK(squeezer_error("relative", "index1", "dop853:rtol=3e-9,atol=3e-11", 0) < 1e-9);
    CHECK(squeezer_error("planar", "index1", "rk6", 8e-5) < 1e-9);
}

TEST(adams)
{
    CHECK(squeezer_error("relative", "index1", "adams:rtol=1e-11,atol=1e-13", 0) < 1e-9);
    CHECK(squeezer_error("planar", "index1", "abm:order=8", 3e-5) < 1e-9);
}

TEST(backward_differences)
{
    CHECK(squeezer_error("planar", "index2", "bdf:rtol=5e-12,atol=5e-14", 0) < 1e-9);
    CHECK(squeezer_error("planar", "index1", "bdf4", 5e-6) < 1e-9);
}

TEST(implicit_runge_kutta)
{
    CHECK(squeezer_error("planar", "index1", "radau3:tol=1e-12", 3e-5) < 1e-9);
    CHECK(squeezer_error("planar", "index1", "lobatto3c:tol=1e-12", 2.5e-5) < 1e-9);
}

TEST(esdirk)
{
    CHECK(squeezer_error("planar", "index1", "esdirk436-2:tol=1e-12", 2.5e-5) < 1e-9);
}

TEST(composite)
{
    CHECK(squeezer_error("planar", "index1", "mssth5:tol=1e-12", 2.5e-5) < 1e-9);
}

#ifdef VERGE_HAVE_SUNDIALS
TEST(sundials)
{
    CHECK(squeezer_error("planar", "index1", "arkode:rtol=1e-9,atol=1e-11", 1e-3) < 1e-9);
}
TEST_MAIN(explicit_runge_kutta, adams, backward_differences, implicit_runge_kutta, esdirk, composite,
          sundials)
#else
TEST_MAIN(explicit_runge_kutta, adams, backward_differences, implicit_runge_kutta, esdirk, composite)
#endif
