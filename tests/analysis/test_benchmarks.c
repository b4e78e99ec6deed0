/* Shipped models against independent references.
 * Squeezer: 128-bit extrapolation in the seven angles, agreeing to 24 digits. Heavy top, slider-cranks: one-
 * or three-degree-of-freedom equations by an eighth-order method at 1e-13. Pendulum: elliptic functions. */
#include "run_model.h"
#include "test.h"

#define LONG_RUN 10 /* s; shorter where sanitizers make it slow */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#undef LONG_RUN
#define LONG_RUN 2
#endif
#endif

#define DOPRI "dopri5:rtol=1e-11,atol=1e-13"

/* ---- squeezer ---- */

/* β, Θ, γ, Φ, δ, Ω, ε of the test set at 0.03 s */
static const double squeezer_ref[7] = {15.81077119515370709711938730,   -15.75637105841183946972775285,
                                       0.04082224011964580485828231963, -0.5347301163420795937701850311,
                                       0.5244099658799540693716558000,  0.5347301163420795937701850311,
                                       1.048080741041937873068515472};

static runSpec squeezer(const char *constraints, const char *integrator, double step)
{
    runSpec s = {.model = "squeezer",
                 .constraints = constraints,
                 .integrator = integrator,
                 .step = step,
                 .end = 0.03,
                 .channel = {"joint.O.angle", "joint.F.angle", "joint.B.angle", "joint.G.angle",
                             "joint.AG.angle", "joint.H.angle", "joint.AH.angle", "joint.O.rate"}};
    return s;
}

/* Largest relative error of the seven angles. The test set measures Φ, Ω and ε from lines that stand at right
 * angles to the links' own. */
static double squeezer_error(const runResult *r)
{
    static const double quarter[7] = {0, 0, 0, 1, 0, -1, 1};
    double worst = 0;
    for (int i = 0; i < 7; i++) {
        double got = r->value[i] + quarter[i] * 1.57079632679489661923;
        worst = fmax(worst, fabs(got - squeezer_ref[i]) / fabs(squeezer_ref[i]));
    }
    return worst;
}

TEST(squeezer_dormand_prince)
{
    runSpec s = squeezer("index1", DOPRI, 0);
    runResult r = run_model(&s);
    CHECK_INT(r.status, VG_OK);
    CHECK_NEAR(squeezer_error(&r), 0, 1e-9);
    CHECK_NEAR(r.value[7], 1139.920302259106064198096848, 1e-8 * 1140);
    CHECK(r.end.stats.max_phi <= 1e-12 * 0.1);
}

TEST(squeezer_generalized_alpha)
{
    double e[3];
    const double h[3] = {1e-4, 5e-5, 2.5e-5};
    for (int i = 0; i < 3; i++) {
        runSpec s = squeezer(NULL, "generalized-alpha", h[i]);
        s.every = 1;
        runResult r = run_model(&s);
        CHECK_INT(r.status, VG_OK);
        e[i] = squeezer_error(&r);
        CHECK(r.end.stats.max_phi <= 1e-12 * 0.1); /* relative to the mechanism's size */
    }
    CHECK_NEAR(log2(e[1] / e[2]), 2, 0.1);
    CHECK_NEAR(log2(e[0] / e[1]), 2, 0.3);
    runSpec s = squeezer(NULL, "generalized-alpha", 1e-6);
    runResult r = run_model(&s);
    CHECK_INT(r.status, VG_OK);
    CHECK_NEAR(squeezer_error(&r), 0, 3e-6);
}

/* The multipliers of the test set are the forces that close its three loops at E. */
TEST(squeezer_reactions)
{
    static const double lambda[6] = {199.1753481045386281862395457, -29.75530997497176332441572810,
                                     23.06654361162215112861736539, 31.45272527577113707538453577,
                                     22.64249478639437857771291838, 11.61739235261125590680147684};
    runSpec s = squeezer("index1", DOPRI, 0);
    const char *channels[] = {"joint.E.lambda.0",  "joint.E.lambda.1",  "joint.EG.lambda.0",
                              "joint.EG.lambda.1", "joint.EH.lambda.0", "joint.EH.lambda.1"};
    for (int i = 0; i < 6; i++) s.channel[i] = channels[i];
    for (int i = 6; i < 8; i++) s.channel[i] = NULL;
    runResult r = run_model(&s);
    CHECK_INT(r.status, VG_OK);
    for (int i = 0; i < 6; i++) CHECK_NEAR(fabs(r.value[i]), fabs(lambda[i]), 1e-6 * fabs(lambda[i]));
}

TEST(squeezer_iftomm_start)
{
    runSpec s = squeezer("index1", DOPRI, 0);
    s.set[0] = "start=1";
    s.end = 0.05;
    runResult r = run_model(&s);
    CHECK_INT(r.status, VG_OK);
    CHECK_NEAR(r.value[0], 33.815340721360, 1e-8);
    CHECK_NEAR(r.value[7], 1140.942733447, 1e-6);
}

/* ---- heavy top ---- */

static const double top_t[5] = {0.1, 0.2, 0.5, 0.8, 1.0};
static const double top_ref[5][3] = {{0.42129665893, 0.89457197435, -0.14916470056},
                                     {0.60555056138, 0.59895768179, -0.52398302743},
                                     {-0.70246829706, -0.02116518470, -0.71140025765},
                                     {-0.41816242432, 0.90720796795, -0.04597705714},
                                     {0.17334396410, 0.64008859207, -0.74849079113}};

static runSpec top(const char *model, const char *coordinates, const char *constraints,
                   const char *integrator, double h, double end)
{
    runSpec s = {
        .model = model,
        .coordinates = coordinates,
        .constraints = constraints,
        .integrator = integrator,
        .step = h,
        .end = end,
        .channel = {"marker.top.com.position.x", "marker.top.com.position.y", "marker.top.com.position.z"}};
    return s;
}

static double distance_to(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

TEST(heavy_top_in_three_coordinates)
{
    const char *coordinates[] = {"lie", "se3", "euler-parameters"};
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 5; i++) {
            runSpec s =
                top("heavy-top", coordinates[c], "index1", "dopri5:rtol=1e-9,atol=1e-11", 0, top_t[i]);
            runResult r = run_model(&s);
            CHECK_INT(r.status, VG_OK);
            CHECK_NEAR(distance_to(r.value, top_ref[i]), 0, 1e-6);
        }
}

TEST(heavy_top_generalized_alpha_order)
{
    const char *coordinates[] = {"lie", "se3", "euler-parameters"};
    for (int c = 0; c < 3; c++) {
        double e[2];
        for (int i = 0; i < 2; i++) {
            runSpec s = top("heavy-top", coordinates[c], NULL, "generalized-alpha", i ? 5e-5 : 1e-4, 1);
            runResult r = run_model(&s);
            CHECK_INT(r.status, VG_OK);
            e[i] = distance_to(r.value, top_ref[4]);
        }
        CHECK_NEAR(log2(e[0] / e[1]), 2, 0.1);
    }
    /* the Lie group form reaches 1e-6 by itself */
    runSpec s = top("heavy-top", "lie", NULL, "generalized-alpha", 1e-5, 1);
    runResult r = run_model(&s);
    CHECK_NEAR(distance_to(r.value, top_ref[4]), 0, 1e-6);
}

TEST(heavy_top_default_settings)
{
    const char *coordinates[] = {"lie", "se3", "euler-parameters"};
    for (int c = 0; c < 3; c++) {
        runSpec s = top("heavy-top", coordinates[c], NULL, NULL, 1e-3, 1);
        s.every = 1;
        runResult r = run_model(&s);
        CHECK_INT(r.status, VG_OK);
        CHECK(distance_to(r.value, top_ref[4]) < 0.15);
        CHECK(r.end.stats.max_phi <= 2e-12);
    }
}

/* Multipliers too are of order 2 with the optimal start: against a fine run of Dormand–Prince. */
TEST(heavy_top_multipliers_order)
{
    const char *channels[] = {"joint.O.lambda.0", "joint.O.lambda.1", "joint.O.lambda.2"};
    double ref[3], e[2];
    runSpec s = top("heavy-top", "lie", "index1", "dopri5:rtol=1e-12,atol=1e-14", 0, 0.1);
    for (int i = 0; i < 3; i++) s.channel[i] = channels[i];
    runResult r = run_model(&s);
    for (int i = 0; i < 3; i++) ref[i] = r.value[i];
    for (int i = 0; i < 2; i++) {
        s.constraints = NULL;
        s.integrator = "generalized-alpha:start=optimal";
        s.step = i ? 5e-5 : 1e-4;
        r = run_model(&s);
        CHECK_INT(r.status, VG_OK);
        e[i] = distance_to(r.value, ref);
    }
    CHECK_NEAR(log2(e[0] / e[1]), 2, 0.1);
}

TEST(heavy_top_euler_angles)
{
    runSpec s = top("heavy-top", "euler-angles", NULL, "generalized-alpha", 6.25e-5, 1);
    runResult r = run_model(&s);
    CHECK_INT(r.status, VG_OK);
    CHECK_NEAR(distance_to(r.value, top_ref[4]), 0, 1e-2);
    s.step = 2.5e-4;
    r = run_model(&s);
    CHECK_INT(r.status, VG_OK);
    CHECK_NEAR(distance_to(r.value, top_ref[4]), 0, 16 * 1e-2);
    double e[2];
    for (int i = 0; i < 2; i++) {
        s.step = i ? 1.5625e-5 : 3.125e-5;
        r = run_model(&s);
        e[i] = distance_to(r.value, top_ref[4]);
    }
    CHECK_NEAR(log2(e[0] / e[1]), 2, 0.1);
}

TEST(heavy_top_free_dormand_prince_order)
{
    double e[3];
    for (int i = 0; i < 3; i++) {
        runSpec s = top("heavy-top-free", "lie", "index1", "dopri5:adaptive=0", 2e-3 / (1 << i), 0.2);
        runResult r = run_model(&s);
        CHECK_INT(r.status, VG_OK);
        runSpec f = top("heavy-top-free", "lie", "index1", "dopri5:adaptive=0", 2.5e-5, 0.2);
        static double ref[3];
        if (i == 0) memcpy(ref, run_model(&f).value, sizeof ref);
        CHECK_NEAR(distance_to(ref, top_ref[1]), 0, 2e-10); /* the reference has eleven digits */
        e[i] = distance_to(r.value, ref);
    }
    CHECK_NEAR(log2(e[1] / e[2]), 5, 0.2);
}

/* No more Newton iterations a step than [H] tables 4 (free) and 5 (joint, with T_exp, full Newton). */
TEST(heavy_top_newton_counts)
{
    static const struct {
        const char *model, *coordinates;
        double h, most;
    } rows[] = {{"heavy-top-free", "lie", 1e-3, 1.96},
                {"heavy-top-free", "lie", 5e-4, 1.9},
                {"heavy-top-free", "lie", 1.25e-4, 1.6},
                {"heavy-top-free", "euler-parameters", 1e-3, 3.0},
                {"heavy-top-free", "euler-parameters", 5e-4, 2.52},
                {"heavy-top-free", "euler-parameters", 1.25e-4, 2.0},
                {"heavy-top-free", "euler-angles", 6.25e-5, 2.36},
                {"heavy-top", "lie", 2.5e-3, 3.0},
                {"heavy-top", "lie", 1.25e-3, 2.41},
                {"heavy-top", "lie", 6.25e-4, 2.0},
                {"heavy-top", "lie", 1.5625e-4, 2.0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        runSpec s =
            top(rows[i].model, rows[i].coordinates, NULL, "generalized-alpha:newton=full", rows[i].h, 1);
        runResult r = run_model(&s);
        CHECK_INT(r.status, VG_OK);
        double per_step = (double)r.end.stats.newton_iterations / (double)r.end.stats.steps;
        if (!(per_step <= rows[i].most))
            printf("%s %s h=%g: %.3f\n", rows[i].model, rows[i].coordinates, rows[i].h, per_step);
        CHECK(per_step <= rows[i].most);
    }
}

/* ---- slider-cranks, pendulum ---- */

TEST(spatial_slider_crank)
{
    static const double theta[2] = {54.333332168266, 51.369439887902},
                        s_ref[2] = {0.240719573732, 0.254650085466};
    for (int v = 0; v < 2; v++) {
        runSpec s = {.model = "slider-crank-3d",
                     .constraints = "index1",
                     .integrator = "dopri5:rtol=1e-12,atol=1e-13",
                     .end = 5,
                     .set = {v ? "com=0" : "com=1"},
                     .channel = {"joint.A.angle", "joint.D.displacement"}};
        runResult r = run_model(&s);
        CHECK_INT(r.status, VG_OK);
        CHECK_NEAR(r.value[0], theta[v], 1e-7);
        CHECK_NEAR(r.value[1], s_ref[v], 1e-7);
    }
}

TEST(planar_slider_crank)
{
    static const double theta[3] = {14.1278922178, 55.0724437956, 121.8862775082},
                        rate[3] = {20.5374828514, 39.7955770412, 101.3656451113};
    for (int i = 0; i < 3; i++) {
        runSpec s = {.model = "slider-crank-torque",
                     .constraints = "index1",
                     .integrator = DOPRI,
                     .end = i + 1,
                     .channel = {"joint.O.angle", "joint.O.rate"}};
        runResult r = run_model(&s);
        CHECK_INT(r.status, VG_OK);
        CHECK_NEAR(r.value[0], theta[i], 1e-8 * theta[i]);
        CHECK_NEAR(r.value[1], rate[i], 1e-8 * rate[i]);
    }
}

TEST(pendulum_elliptic)
{
    static const double t[4] = {1, 2, 5, 10};
    static const double angle[4] = {-1.405027311524799146, 0.91664758966324498007, 1.2294518114853855593,
                                    0.27868067356998294843};
    for (int i = 0; i < 4; i++) {
        runSpec s = {.model = "pendulum",
                     .constraints = "index1",
                     .integrator = "dopri5:rtol=1e-13,atol=1e-14",
                     .end = t[i],
                     .channel = {"joint.O.angle"}};
        runResult r = run_model(&s);
        CHECK_INT(r.status, VG_OK);
        CHECK_NEAR(r.value[0], angle[i], 1e-10);
    }
}

/* ---- loops, energy ---- */

TEST(redundant_four_bar_moves_as_its_planar_twin)
{
    runSpec s = {.model = "four-bar-spatial",
                 .integrator = "generalized-alpha",
                 .step = 1e-3,
                 .end = 1,
                 .channel = {"joint.A.angle", "joint.A.rate"}};
    runSpec p = {.model = "four-bar-planar",
                 .integrator = "generalized-alpha",
                 .step = 1e-3,
                 .end = 1,
                 .channel = {"joint.A.angle", "joint.A.rate"}};
    runResult a = run_model(&s), b = run_model(&p);
    CHECK_INT(a.status, VG_OK);
    CHECK_INT(a.nredundant, 3);
    CHECK_INT(a.freedom, 1);
    CHECK_NEAR(a.value[0], b.value[0], 1e-9);
    CHECK_NEAR(a.value[1], b.value[1], 1e-9);
}

TEST(chain_reference)
{
    runSpec s = {.model = "chain",
                 .constraints = "index1",
                 .integrator = "dopri5:rtol=1e-9,atol=1e-11",
                 .end = 0.2,
                 .channel = {"marker.link1.end.position.x", "marker.link1.end.position.z",
                             "marker.link2.end.position.x", "marker.link2.end.position.z",
                             "marker.link10.end.position.x", "marker.link10.end.position.z"}};
    static const double ref[6] = {0.07154401, -0.06986741, 0.15025092, -0.13155390, 0.93544342, -0.19618465};
    runResult r = run_model(&s);
    CHECK_INT(r.status, VG_OK);
    for (int i = 0; i < 6; i++) CHECK_NEAR(r.value[i], ref[i], 2e-8);
}

/* Conservative chain of 20: the mean energy error falls with h², over 10 s when it swings from a slope of 1
 * rad, over one second from the horizontal (later that motion is chaotic and every step size has its own),
 * and what the method dissipates it never gives back: the energy at the end is below the start. That the loss
 * is the method's own: test_chain_dissipation.c. */
TEST(chain_energy)
{
    double mean[2][2];
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            double end = k ? LONG_RUN : 1;
            double h = i ? 1e-4 : 4e-4;
            runSpec s = {.model = "chain",
                         .set = {"N=20", k ? "slope=1" : "slope=0"},
                         .integrator = "generalized-alpha:rho=0.9",
                         .step = h,
                         .end = end,
                         .every = (int)lround(0.02 / h),
                         .channel = {"energy.total"}};
            runResult r = run_model(&s);
            CHECK_INT(r.status, VG_OK);
            mean[k][i] = r.mean;
            CHECK(r.value[0] < r.first);
        }
    CHECK_NEAR(log2(mean[0][0] / mean[0][1]) / 2, 2, 0.05);
    CHECK_NEAR(log2(mean[1][0] / mean[1][1]) / 2, 2, 0.05);
}

TEST_MAIN(squeezer_dormand_prince, squeezer_generalized_alpha, squeezer_reactions, squeezer_iftomm_start,
          heavy_top_in_three_coordinates, heavy_top_generalized_alpha_order, heavy_top_default_settings,
          heavy_top_multipliers_order, heavy_top_euler_angles, heavy_top_free_dormand_prince_order,
          heavy_top_newton_counts, spatial_slider_crank, planar_slider_crank, pendulum_elliptic,
          redundant_four_bar_moves_as_its_planar_twin, chain_reference, chain_energy)
