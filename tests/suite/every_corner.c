/* Laws of time that jump: every integrator of the list, with fixed and with controlled steps, ends a step at
 * the corner and sees the left side in all of it, the right side behind. Accelerations are constant between
 * the corners, so that velocities are exact for every method, and places for every one of order 2. */
#include "integrator/runs.h"
#include "test.h"

/* Along x a jump between two steps of 0.1 s, on the left side up to and with its time; along y one at the end
 * of a step, on the right side from its time on. */
#define JUMPS                                                                                                \
    "verge: 1\nplanar: true\ngravity: [0, 0]\n"                                                              \
    "bodies: {m: {mass: 2, point: true, position: [0, 0], velocity: [0.5, 0]}}\n"                            \
    "forces: {f: {force: m, value: ['if(t <= 0.35, 2, -4)', 'if(t < 0.5, 6, 1)']}}\n"

static void exact(double v0, double a, double b, double corner, double end, double *x, double *v)
{
    double w = v0 + a * corner, r = end - corner;
    *v = w + b * r;
    *x = v0 * corner + 0.5 * a * corner * corner + w * r + 0.5 * b * r * r;
}

static void check(const vgIntegratorRow *row, const char *options, double step)
{
    char text[96];
    snprintf(text, sizeof text, "%s%s", row->name, options);
    Final f = final_of(JUMPS, NULL, text, step, 1);
    double x[2], v[2];
    exact(0.5, 1, -2, 0.35, 1, &x[0], &v[0]);
    exact(0, 3, 0.5, 0.5, 1, &x[1], &v[1]);
    double ev = distance(f.v, v, 2), ex = distance(f.q, x, 2),
           tol = strstr(row->family, "SUND") ? 1e-6 : 1e-9;
    /* these start anew with a formula of first order, or with the auxiliaries of [Z] */
    int low = row->order < 2 || !strcmp(row->family, "single step") || !strcmp(row->name, "bdf") ||
              (step == 0 && (!strncmp(row->name, "bdf", 3) || !strcmp(row->name, "nstiff-si2")));
    if (!(f.ok && ev < tol && (low || ex < tol))) printf("%s: %g %g\n", text, ex, ev);
    CHECK(f.ok);
    CHECK_NEAR(ev, 0, tol);
    if (!low) CHECK_NEAR(ex, 0, tol);
}

TEST(steps_end_at_corners)
{
    for (const vgIntegratorRow *const *r = vg_integrators; *r; r++) {
        check(*r, (*r)->flags & VG_INT_ADAPTIVE ? ":adaptive=0" : "", 0.1);
        if ((*r)->flags & VG_INT_ESTIMATE) check(*r, ":rtol=1e-4,atol=1e-4", 0);
    }
    check(vg_integrator_find("sdirk"), ":gamma=1.7", 0.1);
}

/* Stages beyond the end of the step (MSSTH(4), MSSTH(5), ESDIRK4(3)6L[2]SA₂, Wilson's θ): a ramp that begins
 * between two steps leaves the order as it is. Closed form: v(1) = ½ s r², x(1) = s r³/6 with r = 1 − 0.35.
 */
TEST(corners_keep_the_order)
{
    static const char text[] =
        "verge: 1\nplanar: true\ngravity: [0, 0]\n"
        "bodies: {m: {mass: 1, point: true, position: [0, 0]}}\n"
        "forces: {f: {force: m, value: ['if(t < 0.352, 0, exp(2*(t - 0.352)) - 1)', 0]}}\n";
    static const struct {
        const char *name;
        int order;
    } rows[] = {{"mssth4", 4}, {"mssth5", 5}, {"esdirk436-2", 4}, {"wilson-theta", 2}, {"collocation", 2}};
    double r = 1 - 0.352, v = (exp(2 * r) - 1) / 2 - r, x = (exp(2 * r) - 1) / 4 - r / 2 - r * r / 2;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        double e[2];
        for (int i = 0; i < 2; i++) {
            Final f = final_of(text, NULL, rows[k].name, i ? 0.025 : 0.05, 1);
            CHECK(f.ok);
            e[i] = hypot(f.q[0] - x, f.v[0] - v);
        }
        double order = log2(e[0] / e[1]);
        if (!(order > rows[k].order - 0.3)) printf("%s: order %.2f (%g)\n", rows[k].name, order, e[1]);
        CHECK(order > rows[k].order - 0.3);
    }
}

TEST_MAIN(steps_end_at_corners, corners_keep_the_order)
