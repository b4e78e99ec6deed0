/* Wilson's θ-method and collocation under constraints: vibrations much faster than the steps are damped as
 * they are without constraints, and leave the slow motion its order. */
#include <math.h>

#include "integrator/integrator.h"
#include "integrator/pairs.h"
#include "run_model.h"
#include "test.h"

typedef struct Method {
    const char *text, *row;
    double theta, beta;
} Method;

static const Method methods[] = {{"wilson-theta", "wilson-theta", 1.42, 1. / 6},
                                 {"wilson-theta:theta=2", "wilson-theta", 2, 1. / 6},
                                 {"collocation", "collocation", 1.287301, 0.18},
                                 {"collocation:theta=1.5,beta=0.25", "collocation", 1.5, 0.25}};
enum { NMETHOD = sizeof methods / sizeof methods[0], STEPS = 40 };

static const vgCoordinatesRow *planar(void)
{
    const vgCoordinatesRow *row = vg_coordinates_list;
    while (strcmp(row->name, "planar") != 0) row++;
    return row;
}

static int takes(const vgConstraintsRow *c, const Method *m)
{
    return vg_pair_allowed(planar(), c, vg_integrator_find(m->row));
}

/* y'' + ω² y = 0 by the formulas of Hilber and Hughes, equilibrium at t + θh. */
static void by_hand(const Method *m, double omega2, double h, double v, double y[STEPS + 1])
{
    double a = 0, th = m->theta * h, th2 = th * th;
    y[0] = 0;
    for (int n = 0; n < STEPS; n++) {
        double a_theta = -omega2 * (y[n] + th * v + th2 * (0.5 - m->beta) * a) / (1 + omega2 * th2 * m->beta);
        double next = a + (a_theta - a) / m->theta;
        y[n + 1] = y[n] + h * v + h * h * ((0.5 - m->beta) * a + m->beta * next);
        v += 0.5 * h * (a + next);
        a = next;
    }
}

TEST(a_stiff_spring_on_a_joint)
{
    static const char text[] = "verge: 1\n"
                               "planar: true\n"
                               "bodies: {a: {mass: 1, inertia: 0.1, position: [0, 0], omega: 1e-6}}\n"
                               "joints: {O: {revolute: [ground, a]}}\n"
                               "forces: {s: {torsion: O, stiffness: 1e8}}\n"
                               "run: {step: 1e-3, end: 0.04}\n";
    int tried = 0;
    for (int k = 0; k < NMETHOD; k++) {
        double y[STEPS + 1], rows[STEPS + 1] = {0}, most = 0;
        by_hand(&methods[k], 1e9, 1e-3, 1e-6, y);
        for (int n = 0; n <= STEPS; n++) most = fmax(most, fabs(y[n]));
        for (const vgConstraintsRow *c = vg_constraints_list; c->name; c++) {
            if (!takes(c, &methods[k])) continue;
            runResult r = run_model(&(runSpec){.text = text,
                                               .coordinates = "planar",
                                               .constraints = c->name,
                                               .integrator = methods[k].text,
                                               .step = 1e-3,
                                               .end = 0.04,
                                               .every = 1,
                                               .free = 1,
                                               .channel = {"joint.O.angle"},
                                               .rows = rows,
                                               .maxrow = STEPS + 1});
            tried++;
            CHECK_INT(r.status, VG_OK);
            for (int n = 0; n <= STEPS; n++) CHECK_NEAR(rows[n] / most, y[n] / most, 1e-8);
        }
    }
    CHECK(tried >= 6 * NMETHOD);
}

/* Two bars held in line by a spring that vibrates a thousand times faster than the steps: a rigid pendulum of
 * twice the length, but for 1e-8. */
static const char bars[] = "verge: 1\n"
                           "planar: true\n"
                           "gravity: [0, -9.81]\n"
                           "bodies:\n"
                           "  a: {mass: 1, inertia: 1/12, com: [0.5, 0], markers: {end: [1, 0]}}\n"
                           "  b: {mass: 1, inertia: 1/12, com: [0.5, 0], position: [1, 0]}\n"
                           "joints:\n"
                           "  O: {revolute: [ground, a]}\n"
                           "  P: {revolute: [a.end, b]}\n"
                           "forces: {s: {torsion: P, stiffness: 1e10}}\n"
                           "run: {step: 0.01, end: 0.5}\n";
static const char bar[] = "verge: 1\n"
                          "planar: true\n"
                          "gravity: [0, -9.81]\n"
                          "bodies: {a: {mass: 2, inertia: 2/3, com: [1, 0]}}\n"
                          "joints: {O: {revolute: [ground, a]}}\n"
                          "run: {step: 0.01, end: 0.5}\n";

TEST(order_beside_a_stiff_spring)
{
    runSpec spec = {.text = bar,
                    .coordinates = "relative",
                    .integrator = "dop853:rtol=1e-12,atol=1e-14",
                    .step = 0.01,
                    .end = 0.5,
                    .channel = {"joint.O.angle", "joint.O.rate"}};
    runResult want = run_model(&spec);
    CHECK_INT(want.status, VG_OK);
    spec.text = bars;
    spec.coordinates = "planar";
    for (int k = 0; k < NMETHOD; k++)
        for (const vgConstraintsRow *c = vg_constraints_list; c->name; c++) {
            if (!takes(c, &methods[k])) continue;
            double e[2][2];
            spec.constraints = c->name;
            spec.integrator = methods[k].text;
            for (int half = 0; half < 2; half++) {
                spec.step = half ? 0.0025 : 0.005;
                runResult r = run_model(&spec);
                CHECK_INT(r.status, VG_OK);
                for (int i = 0; i < 2; i++) e[half][i] = fabs(r.value[i] - want.value[i]);
            }
            for (int i = 0; i < 2; i++) {
                double order = log2(e[0][i] / e[1][i]);
                if (!(fabs(order - 2) < 0.2))
                    printf("%s %s %d: %g, %g\n", methods[k].text, c->name, i, e[0][i], e[1][i]);
                CHECK_NEAR(order, 2, 0.2);
            }
        }
}

TEST_MAIN(a_stiff_spring_on_a_joint, order_beside_a_stiff_spring)
