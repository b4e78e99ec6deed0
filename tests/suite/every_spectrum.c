/* Every integrator of the list on the test oscillator, by running it: order of its principal root, stability
 * as claimed; a few closed forms. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/study/spectrum.h"
#include "test.h"

/* 1 and the spectrum. Methods with inner steps of their own or of variable order have none and say so; Adams
 * formulas of large steps need Newton. */
static int open_one(const vgIntegratorRow *row, double zeta, vgSpectrum **p)
{
    vgDiag *diag = vg_diag_new();
    char text[80];
    int newton = 0;
    for (int i = 0; i < row->nparam; i++) newton |= !strcmp(row->params[i].name, "solver");
    snprintf(text, sizeof text, "%s%s", row->name, newton ? ":solver=1" : "");
    vgStatus st = vg_spectrum_open(text, zeta, diag, p);
    unsigned varies = VG_INT_ADAPTIVE | VG_INT_MULTISTEP;
    if (st != VG_OK && st != VG_UNSUPPORTED) printf("%s: %s\n", row->name, vg_diag_line(diag, 0));
    CHECK(st == VG_OK ||
          (st == VG_UNSUPPORTED && ((row->flags & varies) == varies || !strcmp(row->family, "SUNDIALS"))));
    vg_diag_free(diag);
    return st == VG_OK;
}

static double root_error(vgSpectrum *p, double wh)
{
    vgSpectrumPoint x;
    CHECK_INT(vg_spectrum_at(p, wh, &x), VG_OK);
    return cabs(x.re + I * x.im - cexp(I * wh));
}

/* A method of order p has a root exp(iωh) + O(h^{p+1}). */
TEST(principal_root_has_the_order)
{
    for (const vgIntegratorRow *const *r = vg_integrators; *r; r++) {
        vgSpectrum *p;
        if (!open_one(*r, 0, &p)) continue;
        double h = (*r)->order >= 6 ? 0.6 : (*r)->order >= 4 ? 0.16 : 0.04;
        double fine = root_error(p, h / 2), coarse = root_error(p, h), order = log2(coarse / fine);
        /* where the run chooses the order, ORDER is the highest */
        unsigned varies = VG_INT_ADAPTIVE | VG_INT_MULTISTEP;
        int least = ((*r)->flags & varies) == varies ? 1 : (*r)->order;
        if (!(order > least + 0.85))
            printf("%s: order %g of the root (%g, %g)\n", (*r)->name, order, coarse, fine);
        CHECK(order > least + 0.85);
        vg_spectrum_close(p);
    }
}

TEST(stability_as_claimed)
{
    for (const vgIntegratorRow *const *r = vg_integrators; *r; r++) {
        vgSpectrum *p;
        vgSpectrumPoint far;
        if (!open_one(*r, 0, &p)) continue;
        double limit = vg_spectrum_limit(p, 100);
        int claimed = ((*r)->flags & VG_INT_ASTABLE) != 0;
        if (claimed != isinf(limit)) printf("%s: grows from ωh = %g\n", (*r)->name, limit);
        CHECK(!claimed || isinf(limit));
        if ((*r)->flags & VG_INT_EXPLICIT) CHECK(limit < 100);
        if ((*r)->flags & VG_INT_LSTABLE) {
            CHECK_INT(vg_spectrum_at(p, 1e6, &far), VG_OK);
            CHECK(far.radius < 1e-2);
        }
        vg_spectrum_close(p);
    }
}

/* All methods with a parameter rho: the spectral radius at infinity is that, to 1e-6, at both ends and
 * between (multiple roots included, which come apart as a root of 1/ωh). */
TEST(radius_at_infinity_is_rho)
{
    for (const vgIntegratorRow *const *r = vg_integrators; *r; r++) {
        double range[2];
        int has = 0;
        for (int i = 0; i < (*r)->nparam; i++) has |= !strcmp((*r)->params[i].name, "rho");
        if (!has) continue;
        vg_integrator_rho(*r, range);
        const double rhos[] = {range[0], 0.3, 0.6, 0.9, range[1]};
        for (int k = 0; k < 5; k++) {
            char text[64];
            vgSpectrum *p;
            snprintf(text, sizeof text, "%s:rho=%g", (*r)->name, rhos[k]);
            CHECK_INT(vg_spectrum_open(text, 0, NULL, &p), VG_OK);
            double x = vg_spectrum_infinity(p);
            if (!(fabs(x - rhos[k]) < 1e-6)) printf("%s: %.12g\n", text, x);
            CHECK_NEAR(x, rhos[k], 1e-6);
            vg_spectrum_close(p);
        }
    }
}

/* What theory says at infinity of methods without rho, and of those that have no limit there. */
TEST(radius_at_infinity_closed_forms)
{
    static const struct {
        const char *text;
        double radius;
    } cases[] = {{"trapezoidal", 1},
                 {"midpoint", 1},
                 {"bdf2", 0},
                 {"bdf4", 0},
                 {"nstiff", 0},
                 {"newmark:gamma=0.6,beta=0.3025", 0.9 / 1.1},
                 {"hht:alpha=-0.3", 7. / 13},
                 {"sdirk:gamma=0.788675134594813", 0.7320508075688773},
                 {"rk4", INFINITY},
                 {"ab2", INFINITY}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        vgSpectrum *p;
        CHECK_INT(vg_spectrum_open(cases[k].text, 0, NULL, &p), VG_OK);
        double x = vg_spectrum_infinity(p);
        if (isinf(cases[k].radius))
            CHECK(isinf(x));
        else
            CHECK_NEAR(x, cases[k].radius, 1e-6);
        vg_spectrum_close(p);
    }
}

/* On the imaginary axis: R of order 2 is 1 + y⁴/8, backward differences of order 3 grow up to ωh = 1.94 and
 * Adams–Bashforth 2 always, but by so little that it must be looked for; the others have a limit. */
TEST(growth_at_every_step_is_told_from_a_limit)
{
    static const struct {
        const char *text;
        double limit;
    } cases[] = {{"euler", 0},
                 {"heun", 0},
                 {"ab2", 0},
                 {"bdf3", 0},
                 {"bdf4", 0},
                 {"ab3", 0.723627},
                 {"linear-acceleration", 3.4641016151377544},
                 {"bs32", 1.7320508075688772}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        vgSpectrum *p;
        CHECK_INT(vg_spectrum_open(cases[k].text, 0, NULL, &p), VG_OK);
        CHECK_NEAR(vg_spectrum_limit(p, 100), cases[k].limit, 1e-5);
        vg_spectrum_close(p);
    }
}

/* The range of ρ∞ in the list: every setting lies in it, and both ends are reached. */
TEST(listed_range_of_rho)
{
    static const struct {
        const char *row, *setting;
        double from, to;
    } sweeps[] = {{"hht", "alpha", -1. / 3, 0},
                  {"hht-i3", "alpha", -1. / 3, 0},
                  {"hht-si2", "alpha", -1. / 3, 0},
                  {"hht-add", "alpha", -1. / 3, 0},
                  {"wilson-theta", "theta", 1.3661, 2},
                  {"collocation:beta=0.16667,theta", NULL, 1.3661, 2},
                  {"sdirk", "gamma", 0.29289321881345248, 0.5}};
    for (size_t k = 0; k < sizeof sweeps / sizeof sweeps[0]; k++) {
        double least = 2, most = 0, range[2];
        char name[32], text[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(sweeps[k].row, ":"), sweeps[k].row);
        CHECK(vg_integrator_rho(vg_integrator_find(name), range));
        for (int i = 0; i <= 12; i++) {
            vgSpectrum *p;
            vgSpectrumPoint far;
            double x = sweeps[k].from + (sweeps[k].to - sweeps[k].from) * i / 12;
            snprintf(text, sizeof text, "%s%s%s=%.15g", sweeps[k].row, sweeps[k].setting ? ":" : "",
                     sweeps[k].setting ? sweeps[k].setting : "", x);
            CHECK_INT(vg_spectrum_open(text, 0, NULL, &p), VG_OK);
            CHECK_INT(vg_spectrum_at(p, 1e5, &far), VG_OK);
            least = fmin(least, far.radius);
            most = fmax(most, far.radius);
            vg_spectrum_close(p);
        }
        if (!(fabs(least - range[0]) < 0.02 && fabs(most - range[1]) < 0.02))
            printf("%s: %g to %g\n", name, least, most);
        CHECK_NEAR(least, range[0], 0.02);
        CHECK_NEAR(most, range[1], 0.02);
    }
    for (const vgIntegratorRow *const *r = vg_integrators; *r; r++) {
        vgSpectrum *p;
        vgSpectrumPoint far;
        double range[2];
        if (!vg_integrator_rho(*r, range) || !open_one(*r, 0, &p)) continue;
        CHECK_INT(vg_spectrum_at(p, 1e6, &far), VG_OK);
        if (!(far.radius > range[0] - 0.01 && far.radius < range[1] + 0.01))
            printf("%s: %g, listed %g to %g\n", (*r)->name, far.radius, range[0], range[1]);
        CHECK(far.radius > range[0] - 0.01 && far.radius < range[1] + 0.01);
        vg_spectrum_close(p);
    }
}

/* R(z) = 1 + z + z²/2 + z³/6 + z⁴/24; on the imaginary axis stable up to 2√2, on the real one to
 * −2.7852935634
 */
TEST(classical_runge_kutta_closed_form)
{
    vgSpectrum *p;
    vgSpectrumPoint x;
    CHECK_INT(vg_spectrum_open("rk4", 0, NULL, &p), VG_OK);
    for (double y = 0.1; y < 5; y += 0.23) {
        double complex z = I * y, root = 1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4)));
        CHECK_INT(vg_spectrum_at(p, y, &x), VG_OK);
        CHECK_NEAR(x.radius, cabs(root), 1e-13 * cabs(root));
        if (y > 2) continue;
        CHECK_NEAR(x.re, creal(root), 1e-13);
        CHECK_NEAR(x.elongation, y / carg(root) - 1, 1e-12);
        CHECK_NEAR(x.decay, -log(cabs(root)) / carg(root), 1e-12);
        /* [Z] (22): the root is exp(−ξ̄ω̄h + iω̄h√(1 − ξ̄²)) */
        double w = y / (1 + x.undamped_elongation), xi = x.damping_ratio;
        CHECK_NEAR(cabs(cexp(-xi * w + I * w * sqrt(1 - xi * xi)) - root), 0, 1e-12);
    }
    CHECK_NEAR(vg_spectrum_limit(p, 100), 2 * sqrt(2), 2e-6);
    vg_spectrum_close(p);
    enum { RAYS = 4 };
    double crossing[RAYS + 1];
    int inside[RAYS + 1];
    CHECK_INT(vg_spectrum_region("rk4", RAYS, 8, 1, NULL, crossing, inside), VG_OK);
    CHECK_INT(inside[0], 0);
    CHECK_INT(inside[RAYS], 1);
    CHECK_NEAR(crossing[RAYS], 2.785293563405282, 1e-6);
}

/* Chung and Hulbert: the cubic of the generalized-α method against its own determinant. The principal roots,
 * a pair at every step, are the largest: the third root is not taken for them where steps are long. */
static void generalized_alpha(double rho)
{
    double am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1), g = 0.5 - am + af;
    double b = 0.25 * (1 - am + af) * (1 - am + af);
    char name[40];
    vgSpectrum *p;
    vgSpectrumPoint x;
    snprintf(name, sizeof name, "generalized-alpha:rho=%g", rho);
    CHECK_INT(vg_spectrum_open(name, 0, NULL, &p), VG_OK);
    for (double w = 0.2; w < 40; w *= 1.15) {
        CHECK_INT(vg_spectrum_at(p, w, &x), VG_OK);
        double complex z = x.re + I * x.im;
        /* (x, hv, h²ā)_{n+1} = z (x, hv, h²ā)_n:
         *   (z − 1) X − V − ((½ − b) + b z) A = 0,  (z − 1) V − ((1 − g) + g z) A = 0,
         *   ((1 − am) z + am) A + w² ((1 − af) z + af) X = 0 */
        double complex one = z - 1, ka = 0.5 - b + b * z, va = 1 - g + g * z, m = (1 - am) * z + am;
        double complex f = w * w * ((1 - af) * z + af);
        double complex det = one * one * m + f * (va + one * ka);
        CHECK_NEAR(cabs(det) / (1 + w * w), 0, 1e-12);
        CHECK_NEAR(cabs(z), x.radius, 1e-12);
        CHECK(x.im > 0);
    }
    vg_spectrum_close(p);
}

TEST(generalized_alpha_closed_form)
{
    generalized_alpha(0.5);
    generalized_alpha(0.9);
}

TEST(damped_oscillator_decays_at_its_rate)
{
    vgSpectrum *p;
    vgSpectrumPoint x;
    double h = 0.05, zeta = 0.3;
    CHECK_INT(vg_spectrum_open("rk4", zeta, NULL, &p), VG_OK);
    CHECK_INT(vg_spectrum_at(p, h, &x), VG_OK);
    double complex exact = cexp(h * (-zeta + I * sqrt(1 - zeta * zeta)));
    CHECK_NEAR(cabs(x.re + I * x.im - exact), 0, pow(h, 5) / 100);
    CHECK_NEAR(x.decay, zeta / sqrt(1 - zeta * zeta), 1e-6);
    CHECK_NEAR(x.damping_ratio, zeta, 1e-6); /* the oscillator's own */
    CHECK_NEAR(x.undamped_elongation, 0, 1e-6);
    vg_spectrum_close(p);
}

TEST_MAIN(principal_root_has_the_order, stability_as_claimed, radius_at_infinity_is_rho,
          radius_at_infinity_closed_forms, growth_at_every_step_is_told_from_a_limit, listed_range_of_rho,
          classical_runge_kutta_closed_form, generalized_alpha_closed_form,
          damped_oscillator_decays_at_its_rate)
