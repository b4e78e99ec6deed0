/* What [H] (Holzinger, Arnold, Gerstmayr 2024) finds for Lie group methods against Euler angles and Euler
 * parameters, on the heavy top and the high-speed rotor. */
#include <math.h>

#include "run_model.h"
#include "test.h"

/* Where the top's centre is at 1 s, by an eighth-order method at 1e-13 in other coordinates. */
static const double top_ref[3] = {0.17334396410, 0.64008859207, -0.74849079113};

static runResult run(const char *model, const char *coordinates, const char *integrator, double h, double end)
{
    int rotor = model[0] == 'r', expl = strncmp(integrator, "generalized", 11) != 0;
    runSpec s = {.model = model,
                 .coordinates = coordinates,
                 .constraints = expl ? "index1" : NULL,
                 .integrator = integrator,
                 .step = h,
                 .end = end};
    const char *top[] = {"marker.top.com.position.x", "marker.top.com.position.y",
                         "marker.top.com.position.z"},
               *left[] = {"marker.rotor.L.position.x", "marker.rotor.L.position.y",
                          "marker.rotor.L.position.z"};
    for (int i = 0; i < 3; i++) s.channel[i] = rotor ? left[i] : top[i];
    runResult r = run_model(&s);
    /* explicit methods may stop at the singularity of Euler angles */
    if (r.status != VG_OK && !(expl && strncmp(coordinates, "euler-angles-xyz", 12) == 0)) {
        printf("%s %s %s: %s\n", model, coordinates, integrator, r.error);
        CHECK_INT(r.status, VG_OK);
    }
    return r;
}

static double error_of(const char *model, const char *coordinates, const char *integrator, double h,
                       double end, const double *ref)
{
    runResult r = run(model, coordinates, integrator, h, end);
    if (r.status != VG_OK) return INFINITY;
    double sum = 0;
    for (int i = 0; i < 3; i++) sum += (r.value[i] - ref[i]) * (r.value[i] - ref[i]);
    return sqrt(sum);
}

/* ---- explicit methods ---- */

/* A step with which the method reaches 1e-6 on the group; Euler angles miss that with ten times as many
 * evaluations. An evaluation costs no less with them (bench_integrators). */
TEST(heavy_top_explicit)
{
    static const struct {
        const char *integrator;
        double h;
        int first_form; /* also with angular velocities as unknowns (form 1) */
    } rows[] = {
        {"rk4", 2.5e-4, 0}, {"dopri5:adaptive=0", 7e-4, 0}, {"rk6", 1e-3, 1}, {"dop853:adaptive=0", 5e-3, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *name = rows[i].integrator;
        CHECK(error_of("heavy-top-free", "lie", name, rows[i].h, 1, top_ref) < 1e-6);
        CHECK(error_of("heavy-top-free", "euler-angles-xyz", name, rows[i].h / 10, 1, top_ref) > 1e-6);
        if (rows[i].first_form)
            CHECK(error_of("heavy-top-free", "euler-angles-1-xyz", name, rows[i].h / 10, 1, top_ref) > 1e-6);
    }
}

/* The rotor's first 0.4 s to 1e-9: with five times the evaluations Euler angles miss it. */
TEST(rotor_explicit)
{
    runResult ref = run("rotor", "lie", "dop853:adaptive=0", 2e-5, 0.4);
    CHECK(error_of("rotor", "lie", "dopri5:adaptive=0", 2.5e-5, 0.4, ref.value) < 1e-9);
    CHECK(error_of("rotor", "euler-angles-1-xyz", "dopri5:adaptive=0", 5e-6, 0.4, ref.value) > 1e-9);
}

/* ---- implicit ---- */

/* Euler parameters are the most accurate setting of generalized-α: their nonlinearity is quadratic. On the
 * rotor from the steps on with which they run at all in [H]. */
TEST(euler_parameters_are_most_accurate)
{
    static const char *const model[] = {"heavy-top-free", "heavy-top", "rotor"};
    static const double h[] = {5e-5, 5e-5, 6.25e-6}, end[] = {1, 1, 0.1};
    runResult rotor = run("rotor", "lie", "dop853:adaptive=0", 2e-5, 0.1);
    for (int i = 0; i < 3; i++) {
        const double *ref = i == 2 ? rotor.value : top_ref;
        double ep = error_of(model[i], "euler-parameters", "generalized-alpha", h[i], end[i], ref);
        CHECK(ep < 0.5 * error_of(model[i], "lie", "generalized-alpha", h[i], end[i], ref));
        CHECK(ep < 0.5 * error_of(model[i], "euler-angles-xyz", "generalized-alpha", h[i], end[i], ref));
    }
}

typedef struct Count {
    double h, angles, lie, parameters; /* iterations a step; 0: [H] has none */
} Count;

static void check_counts(const char *model, const char *coordinates, const char *integrator, double h,
                         double end, double most)
{
    if (most == 0) return;
    runResult r = run(model, coordinates, integrator, h, end);
    double n = (double)r.end.stats.newton_iterations / (double)r.end.stats.steps;
    if (!(n <= most + 0.005)) printf("%s %s %s h=%g: %.3f\n", model, coordinates, integrator, h, n);
    CHECK(n <= most + 0.005); /* as printed */
}

/* Tables 4 and 7: free top, rotor. */
TEST(newton_iterations)
{
    static const Count top[] = {{1e-3, 0, 1.96, 3.0},       {5e-4, 0, 1.9, 2.52},
                                {2.5e-4, 0, 1.8, 2.0},      {1.25e-4, 0, 1.6, 2.0},
                                {6.25e-5, 2.36, 1.0, 2.0},  {3.125e-5, 2.09, 1.0, 2.0},
                                {1.5625e-5, 2.01, 1.0, 2.0}};
    static const Count rotor[] = {{5e-5, 3.0, 2.0, 0},       {2.5e-5, 3.0, 2.0, 0},
                                  {1.25e-5, 3.0, 2.0, 0},    {6.25e-6, 2.0, 2.0, 3.17},
                                  {3.125e-6, 2.0, 2.0, 3.0}, {1.5625e-6, 2.0, 1.0, 2.81},
                                  {7.8125e-7, 2.0, 1.0, 2.0}};
    static const Count last[] = {
        {3.90625e-7, 2.0, 1.0, 2.0}, {1.953125e-7, 2.0, 1.0, 2.0}, {9.765625e-8, 1.23, 1.0, 2.0}};
    const char *full = "generalized-alpha:newton=full";
    for (int i = 0; i < 7; i++) {
        double end = top[i].h < 1e-4 ? 0.2 : 1;
        check_counts("heavy-top-free", "euler-angles-xyz", full, top[i].h, end, top[i].angles);
        check_counts("heavy-top-free", "lie", full, top[i].h, end, top[i].lie);
        check_counts("heavy-top-free", "euler-parameters", full, top[i].h, end, top[i].parameters);
        end = 3000 * rotor[i].h;
        check_counts("rotor", "euler-angles-xyz", full, rotor[i].h, end, rotor[i].angles);
        check_counts("rotor", "lie", full, rotor[i].h, end, rotor[i].lie);
        check_counts("rotor", "euler-parameters", full, rotor[i].h, end, rotor[i].parameters);
    }
    for (int i = 0; i < 3; i++) { /* where increments are rounding */
        double end = 10000 * last[i].h;
        check_counts("rotor", "euler-angles-xyz", full, last[i].h, end, last[i].angles);
        check_counts("rotor", "lie", full, last[i].h, end, last[i].lie);
        check_counts("rotor", "euler-parameters", full, last[i].h, end, last[i].parameters);
    }
}

/* Table 5: top with a joint, on the group; with T_exp in the matrix, and without (at the tolerance 1e-8). Of
 * its last column, modified Newton without T_exp, the first two rows are not tried. */
TEST(newton_iterations_with_a_joint)
{
    static const double table[][4] = {{2.5e-3, 3.0, 8.98, 11.99},  {1.25e-3, 2.41, 6.0, 11.94},
                                      {6.25e-4, 2.0, 4.86, 10.0},  {3.125e-4, 2.0, 4.0, 9.25},
                                      {1.5625e-4, 2.0, 3.0, 8.79}, {7.8125e-5, 2.0, 2.75, 8.55},
                                      {3.90625e-5, 2.0, 2.0, 8.37}};
    for (int i = 0; i < 7; i++) {
        check_counts("heavy-top", "lie", "generalized-alpha:newton=full", table[i][0], 1, table[i][1]);
        check_counts("heavy-top", "lie", "generalized-alpha:newton=full,tangent=0,tol=1e-8", table[i][0], 1,
                     table[i][2]);
        check_counts("heavy-top", "lie", "generalized-alpha:newton=modified,tangent=0,tol=1e-8", table[i][0],
                     1, table[i][3]);
    }
}

TEST_MAIN(heavy_top_explicit, rotor_explicit, euler_parameters_are_most_accurate, newton_iterations,
          newton_iterations_with_a_joint)
