/* LMS2–4 in their single-step form with steps of changing size: against the formulas written plainly, order 2 kept,
 * stable for any steps, error constants, error control. */
#include <complex.h>

#include "integrator/structural/ss.h"
#include "runs.h"
#include "test.h"

/* ÿ = −9 y − 0.4 ẏ + cos 2t, in two coordinates: OSCILLATOR of runs.h, y₀ along x. */
typedef struct Plain {
    int r;
    double g0;
    double complex o[3];
    double y[2], f[2];         /* (x, ẋ) and its rate */
    double complex w[3][2];    /* auxiliaries */
    double before[2], t, last; /* rate one step ago; size of that step */
} Plain;

static void rate(double t, const double *y, double *f)
{
    f[0] = y[1];
    f[1] = -9 * y[0] - 0.4 * y[1] + cos(2 * t);
}

static void plain_make(Plain *p, int r, double rho)
{
    static const double complex A[3][3] = {
        {1.5},
        {1.25 + 0.32274861218395140710 * I, 1.25 - 0.32274861218395140710 * I},
        {1.342384094858369131699304, 1.078807952570815434150348 + 0.3739306454336101226089716 * I,
         1.078807952570815434150348 - 0.3739306454336101226089716 * I}};
    *p = (Plain){.r = r, .g0 = 1 / (1 + rho), .y = {1, 0.3}};
    for (int j = 0; j < r - 1; j++) p->o[j] = (A[r - 2][j] - (A[r - 2][j] - 1) * rho) / (1 + rho);
    rate(0, p->y, p->f);
    for (int j = 0; j < r - 1; j++) p->w[j][0] = p->f[0], p->w[j][1] = p->f[1];
}

/* One step: (4) of [Z], the auxiliaries carried by δ_j (h − h_last) ÿ before. The equations are linear in the new rate:
 * w^j_new = c_j + d_j f, y = y_0 + h Re[(1 − γ₀) w^{r−1} + γ₀ (c + d f)]. */
static void plain_step(Plain *p, double h)
{
    double complex delta = 0, c[2], d = 1, old[2];
    for (int j = 0; j < p->r - 1 && p->last > 0; j++) {
        delta += p->g0 - p->o[j];
        p->w[j][0] += delta * (h - p->last) * p->f[1];
        p->w[j][1] += delta * (h - p->last) * (p->f[1] - p->before[1]) / p->last;
    }
    double complex add[3][2], gain[3];
    for (int i = 0; i < 2; i++) c[i] = 0, old[i] = p->f[i];
    for (int j = 0; j < p->r - 1; j++) {
        for (int i = 0; i < 2; i++) {
            c[i] = ((1 - p->g0) * old[i] + p->g0 * c[i] - (1 - p->o[j]) * p->w[j][i]) / p->o[j];
            old[i] = p->w[j][i];
            add[j][i] = c[i];
        }
        gain[j] = d = p->g0 * d / p->o[j];
    }
    double b0 = creal(p->g0 * d), hat[2], y[2], f[2], t = p->t + h;
    for (int i = 0; i < 2; i++) hat[i] = p->y[i] + h * creal((1 - p->g0) * old[i] + p->g0 * c[i]);
    /* y = hat + h b0 f(t, y), a 2 × 2 system */
    double k = h * b0, a11 = 1, a12 = -k, a21 = 9 * k, a22 = 1 + 0.4 * k, r2 = hat[1] + k * cos(2 * t),
           det = a11 * a22 - a12 * a21;
    y[0] = (hat[0] * a22 - a12 * r2) / det;
    y[1] = (a11 * r2 - a21 * hat[0]) / det;
    rate(t, y, f);
    for (int j = 0; j < p->r - 1; j++)
        for (int i = 0; i < 2; i++) p->w[j][i] = add[j][i] + gain[j] * f[i];
    memcpy(p->before, p->f, sizeof f);
    memcpy(p->y, y, sizeof y);
    memcpy(p->f, f, sizeof f);
    p->t = t;
    p->last = h;
}

static const double ratio[] = {1, 1.7, 0.4, 1, 0.6, 2.1, 0.8};
enum { RATIOS = sizeof ratio / sizeof ratio[0] };

TEST(steps_by_the_formula)
{
    for (int r = 2; r <= 4; r++)
        for (double rho = 0; rho < 1; rho += 0.45) {
            char name[64];
            Rig rig;
            Plain p;
            snprintf(name, sizeof name, "ss%d:rho=%g,tol=1e-14,acc=1e-12", r, rho);
            CHECK(rig_open(&rig, OSCILLATOR, "planar", name, NULL, 0));
            plain_make(&p, r, rho);
            CHECK_INT(vg_integrator_start(rig.sim.it, rig.sim.state), VG_OK);
            double worst = 0;
            for (int k = 0; k < 40; k++) {
                double h = 0.05 * ratio[k % RATIOS];
                CHECK_INT(vg_integrator_advance(rig.sim.it, rig.sim.state, h), VG_OK);
                plain_step(&p, h);
                worst = fmax(worst, fabs(rig.sim.state->q[0] - p.y[0]));
                worst = fmax(worst, fabs(rig.sim.state->v[0] - p.y[1]));
            }
            if (worst > 1e-10) printf("%s: %g\n", name, worst);
            CHECK(worst < 1e-10);
            rig_close(&rig);
        }
}

/* The closed form at time t. */
static double exact(double t)
{
    /* particular: (A cos 2t + B sin 2t), A (9 − 4) + 0.8 B = 1, −0.8 A + 5 B = 0 */
    double B = 0.8 / (25 + 0.64), A = 5 * B / 0.8, w = sqrt(9 - 0.04), c = 1 - A,
           s = (0.3 - 2 * B + 0.2 * c) / w;
    return exp(-0.2 * t) * (c * cos(w * t) + s * sin(w * t)) + A * cos(2 * t) + B * sin(2 * t);
}

TEST(order_is_kept_over_changes_of_step)
{
    for (int r = 2; r <= 4; r++)
        for (double rho = 0; rho < 1; rho += 0.3) {
            double e[2];
            for (int fine = 0; fine < 2; fine++) {
                Plain p;
                double h = fine ? 0.005 : 0.01;
                plain_make(&p, r, rho);
                for (int k = 0; p.t < 5; k++) plain_step(&p, h * ratio[k % RATIOS]);
                e[fine] = fabs(p.y[0] - exact(p.t));
            }
            double order = log2(e[0] / e[1]);
            if (fabs(order - 2) > 0.3) printf("r = %d, rho = %g: order %.2f\n", r, rho, order);
            CHECK_NEAR(order, 2, 0.3);
        }
}

/* C of order 2 over σ(1): those of LMSr, −1/12 for the trapezoidal rule (computed from the multistep
 * coefficients: y_k = Σ α_j y_{k−j} + h Σ β_j ẏ_{k−j}). */
TEST(error_constants_are_those_of_the_multistep_form)
{
    for (int r = 2; r <= 4; r++)
        for (double rho = 0; rho < 0.95; rho += 0.1) {
            double al[5] = {0}, be[5],
                   d = r == 2   ? (1 + rho) * (3 - rho)
                       : r == 3 ? (rho - 5) * rho + 10
                                : ((7 - rho) * rho - 21) * rho + 35;
            if (r == 2) al[1] = 4 * (1 - rho) / (3 - rho), al[2] = (3 * rho - 1) / (3 - rho);
            if (r == 3)
                al[1] = 3 * ((2 * rho - 9) * rho + 5) / d, al[2] = -3 * ((5 * rho - 9) * rho + 2) / d,
                al[3] = ((10 * rho - 5) * rho + 1) / d;
            if (r == 4)
                al[1] = 4 * (((13 - 2 * rho) * rho - 35) * rho + 14) / d,
                al[2] = -4 * (1 - rho) * ((7 * rho - 34) * rho + 7) / d,
                al[3] = -4 * (((14 * rho - 35) * rho + 13) * rho - 2) / d,
                al[4] = (((35 * rho - 21) * rho + 7) * rho - 1) / d;
            be[0] = r == 2 ? 2 / d : r == 3 ? 6 / ((1 + rho) * d) : 20 / ((1 + rho) * d);
            double residual = 0, sigma = be[0]; /* of t³/6 about t_k */
            for (int j = 1; j <= r; j++) {
                be[j] = be[j - 1] * rho * (r - j + 1) / j;
                residual += al[j] * j * j * j / 6. - be[j] * j * j / 2.;
                sigma += be[j];
            }
            vgSs ss = {0};
            vg_ss_make(&ss, r, rho);
            CHECK_NEAR(ss.constant, residual / sigma, 1e-13);
        }
}

/* Steps that jump by factors of four for long: nothing but the motion is left. */
TEST(any_steps_are_stable)
{
    for (int r = 2; r <= 4; r++) {
        Plain p;
        plain_make(&p, r, 0.9);
        for (int k = 0; k < 20000; k++) plain_step(&p, k % 2 ? 0.02 : 0.005);
        CHECK_NEAR(p.y[0], exact(p.t), 2e-3);
    }
}

TEST(error_control)
{
    static const char *const name[] = {"lms3", "lms4", "ss2", "ss3", "ss4", "lms3:rho=0", "lms4:rho=0.9"};
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
        double e[2];
        long steps[2];
        for (int k = 0; k < 2; k++) {
            char text[64];
            snprintf(text, sizeof text, "%s%srtol=%g", name[i], strchr(name[i], ':') ? "," : ":",
                     k ? 1e-8 : 1e-5);
            Rig r;
            CHECK(rig_open(&r, OSCILLATOR, "planar", text, NULL, 0));
            CHECK(rig_run(&r, 0, 5));
            e[k] = fabs(r.sim.state->q[0] - exact(5));
            steps[k] = r.stats.steps;
            rig_close(&r);
        }
        if (!(e[0] < 1e-3 && e[1] < 1e-5)) printf("%s: %g %g\n", name[i], e[0], e[1]);
        CHECK(e[0] < 1e-3);
        CHECK(e[1] < 1e-5);
        /* order 2: a thousandth of the error a step takes ten times the steps */
        CHECK(steps[1] > 6 * steps[0] && steps[1] < 16 * steps[0]);
    }
}

/* LMS3 and LMS4 under error control are the form above: the same steps and numbers as SS3 and SS4. */
TEST(multistep_forms_under_error_control_are_these)
{
    for (int r = 3; r <= 4; r++) {
        double q[2];
        long steps[2];
        for (int k = 0; k < 2; k++) {
            char text[64];
            Rig rig;
            snprintf(text, sizeof text, "%s%d:rho=0.6,rtol=1e-6", k ? "ss" : "lms", r);
            CHECK(rig_open(&rig, OSCILLATOR, "planar", text, NULL, 0));
            CHECK(rig_run(&rig, 0, 5));
            q[k] = rig.sim.state->q[0], steps[k] = rig.stats.steps;
            rig_close(&rig);
        }
        CHECK_INT(steps[0], steps[1]);
        CHECK_NEAR(q[0], q[1], 1e-14);
    }
}

TEST(rho_of_one_is_refused_with_the_reason)
{
    vgDiag *diag = vg_diag_new();
    CHECK_INT(vg_integrator_check("lms3:rho=1", diag), VG_BAD_INPUT);
    CHECK(vg_diag_count(diag) == 1 && strstr(vg_diag_line(diag, 0), "zero-stable") != NULL);
    CHECK_INT(vg_integrator_check("lms4:rho=1,rtol=1e-6", diag), VG_BAD_INPUT);
    vg_diag_free(diag);
}

TEST_MAIN(steps_by_the_formula, order_is_kept_over_changes_of_step,
          error_constants_are_those_of_the_multistep_form, any_steps_are_stable, error_control,
          multistep_forms_under_error_control_are_these, rho_of_one_is_refused_with_the_reason)
