/* The experiments of [N] (Negrut, Jay, Khude 2009) on the slider-crank, section 3: order of the error, of the
 * mean energy error ε(T) (14) without the damper, and of the violation of the velocity constraints; 2 s.
 * The reference is the crank angle's own equation, as in [N], by RK4. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/study/compare.h"
#include "test.h"

typedef struct Method {
    const char *name;
    int order, stabilised;
} Method;

static const Method methods[] = {{"newmark", 1, 0}, {"hht-i3", 2, 0},     {"nstiff", 2, 0},
                                 {"hht-si2", 2, 1}, {"nstiff-si2", 2, 1}, {"hht-add", 2, 1}};
enum { NMETHOD = sizeof methods / sizeof methods[0], NSTEP = 2 };
static const double steps[NSTEP] = {5e-4, 2.5e-4};

/* θ̈ of the crank: J θ̈ + J′θ̇²/2 + V′ + c x′²θ̇ = 0 with the rod's angle φ, L₂ sin φ = −L₁ sin θ, p = dφ/dθ,
 * x the place of the rod's end; data of models/slider-crank.yaml. */
static double crank_acceleration(double theta, double rate, double c)
{
    const double m1 = 3, L1 = 0.3, m2 = 0.9, L2 = 0.6, k = 100, wall = 1.2, free_length = 0.2, g = 9.81;
    double s = sin(theta), co = cos(theta), sp = -L1 / L2 * s, cp = sqrt(1 - sp * sp);
    double p = -L1 / L2 * co / cp, dp = L1 / L2 * s / cp + p * p * sp / cp;
    double cx = -L1 * s - L2 / 2 * sp * p, cy = L1 * co / 2; /* of the rod's centre, by θ */
    double dcx = -L1 * co - L2 / 2 * (cp * p * p + sp * dp), dcy = -L1 * s / 2;
    double J = m1 * L1 * L1 / 3 + m2 * (cx * cx + cy * cy) + m2 * L2 * L2 / 12 * p * p;
    double dJ = 2 * m2 * (cx * dcx + cy * dcy) + m2 * L2 * L2 / 6 * p * dp;
    double x = L1 * co + L2 * cp, dx = -L1 * s - L2 * sp * p;
    double dV = (m1 + m2) * g * L1 / 2 * co - k * (wall - x - free_length) * dx;
    return -(0.5 * dJ * rate * rate + dV + c * dx * dx * rate) / J;
}

static double reference_rate(double c, double end)
{
    enum { N = 40000 };
    double h = end / N, y = 4.71238898038468985769, v = 0;
    for (int i = 0; i < N; i++) {
        double k1 = v, l1 = crank_acceleration(y, v, c);
        double k2 = v + h / 2 * l1, l2 = crank_acceleration(y + h / 2 * k1, k2, c);
        double k3 = v + h / 2 * l2, l3 = crank_acceleration(y + h / 2 * k2, k3, c);
        double k4 = v + h * l3, l4 = crank_acceleration(y + h * k3, k4, c);
        y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        v += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
    return v;
}

static vgTrial damped[NMETHOD][NSTEP], free_of_damping[NMETHOD][NSTEP];

static void run_all(double c, vgTrial t[NMETHOD][NSTEP])
{
    char path[512];
    const char *channel[] = {"joint.O.rate"};
    vgParamSet set = {.name = "c", .value = c};
    snprintf(path, sizeof path, "%s/models/slider-crank.yaml", VERGE_SOURCE_DIR);
    vgModel *m = vg_model_load(path, &set, 1, NULL);
    vgTrials all = {.model = m, .nchannel = 1, .channel = channel};
    for (int i = 0; i < NMETHOD; i++)
        for (int k = 0; k < NSTEP; k++) {
            t[i][k] = (vgTrial){.step = steps[k], .end = 2, .energies = 1};
            snprintf(t[i][k].integrator, sizeof t[i][k].integrator, "%s", methods[i].name);
        }
    vg_trials_run(&all, &t[0][0], NMETHOD * NSTEP, 2);
    for (int i = 0; i < NMETHOD; i++)
        for (int k = 0; k < NSTEP; k++) {
            if (t[i][k].status != VG_OK) printf("%s: %s\n", t[i][k].integrator, t[i][k].why);
            CHECK_INT(t[i][k].status, VG_OK);
        }
    vg_model_free(m);
}

TEST(errors_fall_with_the_order)
{
    double rate = reference_rate(5, 2);
    run_all(5, damped);
    for (int i = 0; i < NMETHOD; i++) {
        double coarse = fabs(damped[i][0].value[0] - rate), fine = fabs(damped[i][1].value[0] - rate);
        CHECK_NEAR(log2(coarse / fine), methods[i].order, 0.1);
        CHECK(fine < (methods[i].order == 1 ? 2e-3 : 2e-4));
    }
}

/* The damper is taken out: what is lost or gained is the method's. */
TEST(mean_energy_error_falls_with_the_order)
{
    run_all(0, free_of_damping);
    for (int i = 0; i < NMETHOD; i++)
        CHECK_NEAR(log2(free_of_damping[i][0].energy_mean / free_of_damping[i][1].energy_mean),
                   methods[i].order, 0.15);
}

/* At every step of every run: closed for the stabilised methods; for the others it falls with the order at
 * least (Newmark's with the square of the step). */
TEST(velocity_constraints)
{
    for (int i = 0; i < NMETHOD; i++) {
        for (int k = 0; k < NSTEP; k++) {
            const vgTrial *two[2] = {&damped[i][k], &free_of_damping[i][k]};
            for (int c = 0; c < 2; c++) {
                CHECK(two[c]->run.stats.max_phi <= 1e-12);
                if (methods[i].stabilised) CHECK(two[c]->run.stats.max_phi_dot <= 1e-10);
            }
        }
        if (methods[i].stabilised) continue;
        double order = log2(damped[i][0].run.stats.max_phi_dot / damped[i][1].run.stats.max_phi_dot);
        CHECK(damped[i][1].run.stats.max_phi_dot > 1e-8);
        CHECK(order > methods[i].order - 0.1);
        CHECK_NEAR(order, 2, 0.1);
    }
}

TEST_MAIN(errors_fall_with_the_order, mean_energy_error_falls_with_the_order, velocity_constraints)
