/* Are the methods of an experiment the paper's? On ẍ = −ω² x a method's step has a root ζ, measured by running it
 * (spectrum.h). It must satisfy the characteristic equation p(ζ) = 0 of the printed formula, with z = iωh. The formulas are
 * written here from the papers, with no code of the integrators. */
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce/reproduce.h"

typedef double complex Z;

/* What a formula needs; NaN: not given. */
typedef struct Choice {
    double rho, alpha, beta, gamma;
} Choice;

static Z power(Z z, int n)
{
    Z x = 1;
    for (int i = 0; i < n; i++) x *= z;
    return x;
}

/* ---- linear multistep: Σ a_j ζ^(r−j) = z Σ b_j ζ^(r−j) ---- */

static Z multistep(int r, const double *a, const double *b, Z z, Z zeta)
{
    Z sum = 0;
    for (int j = 0; j <= r; j++) sum = sum * zeta + a[j] - z * b[j];
    return sum;
}

/* [Z] (1)–(3): y_k = Σ α_j y_{k−j} + h Σ β_j ẏ_{k−j}; SSr (4)–(6) has the same equation. */
static Z lms2(const Choice *c, Z z, Z zeta)
{
    double x = c->rho, d = 4 - (1 - x) * (1 - x), a[3] = {1, -4 * (1 - x) / (3 - x), -(3 * x - 1) / (3 - x)},
           b[3] = {2 / d, 4 * x / d, 2 * x * x / d};
    return multistep(2, a, b, z, zeta);
}

static Z lms3(const Choice *c, Z z, Z zeta)
{
    double x = c->rho, d = x * x - 5 * x + 10, b0 = 6 / ((1 + x) * d),
           a[4] = {1, -3 * (2 * x * x - 9 * x + 5) / d, 3 * (5 * x * x - 9 * x + 2) / d,
                   -(10 * x * x - 5 * x + 1) / d},
           b[4] = {b0, 3 * x * b0, 3 * x * x * b0, x * x * x * b0};
    return multistep(3, a, b, z, zeta);
}

static Z lms4(const Choice *c, Z z, Z zeta)
{
    double x = c->rho, x2 = x * x, x3 = x2 * x, d = -x3 + 7 * x2 - 21 * x + 35, b0 = 20 / ((1 + x) * d),
           a[5] = {1, -4 * (-2 * x3 + 13 * x2 - 35 * x + 14) / d, 4 * (1 - x) * (7 * x2 - 34 * x + 7) / d,
                   4 * (14 * x3 - 35 * x2 + 13 * x - 2) / d, -(35 * x3 - 21 * x2 + 7 * x - 1) / d},
           b[5] = {b0, 4 * x * b0, 6 * x2 * b0, 4 * x3 * b0, x2 * x2 * b0};
    return multistep(4, a, b, z, zeta);
}

/* [N] (9): backward differences of order 2 at both levels */
static Z nstiff(const Choice *c, Z z, Z zeta)
{
    (void)c;
    return multistep(2, (const double[]){1, -4. / 3, 1. / 3}, (const double[]){2. / 3, 0, 0}, z, zeta);
}

static Z backward_euler(const Choice *c, Z z, Z zeta)
{
    (void)c;
    return multistep(1, (const double[]){1, -1}, (const double[]){1, 0}, z, zeta);
}

static const double AB4[] = {0, 55. / 24, -59. / 24, 37. / 24, -9. / 24}; /* [G] (7.22) */
static const double AM4[] = {9. / 24, 19. / 24, -5. / 24, 1. / 24, 0};    /* [G] (7.23) */

static Z bashforth(const Choice *c, Z z, Z zeta)
{
    (void)c;
    return multistep(4, (const double[]){1, -1, 0, 0, 0}, AB4, z, zeta);
}

static Z moulton(const Choice *c, Z z, Z zeta)
{
    (void)c;
    return multistep(4, (const double[]){1, -1, 0, 0, 0}, AM4, z, zeta);
}

/* The corrector once, with the rate at the predicted point; then the rate at the result (PECE). */
static Z predictor_corrector(const Choice *c, Z z, Z zeta)
{
    Z predicted = power(zeta, 4) - bashforth(c, z, zeta);
    Z with_result = moulton(c, z, zeta);
    return with_result + z * AM4[0] * (power(zeta, 4) - predicted);
}

/* ---- Runge–Kutta: ζ = R(z) ---- */

static double binomial(int n, int k)
{
    double x = 1;
    for (int i = 1; i <= k; i++) x = x * (n - k + i) / i;
    return x;
}

/* Coefficient p of e^z (1 − γz)^n: Σ (−γ)^j C(n, j)/(p − j)! */
static double coefficient(int p, int n, double g)
{
    double a = 0;
    for (int j = 0; j <= p && j <= n; j++) {
        double part = binomial(n, j);
        for (int i = 0; i < j; i++) part *= -g;
        for (int i = 2; i <= p - j; i++) part /= i;
        a += part;
    }
    return a;
}

/* R = Σ_{p≤m} a_p z^p/(1 − γz)^n with these coefficients: order m at least. */
static Z rational(int n, double g, int m, Z z)
{
    Z sum = 0;
    for (int p = 0; p <= m; p++) sum += coefficient(p, n, g) * power(z, p);
    return sum / power(1 - g * z, n);
}

/* How far the last coefficient of order n is from ± ρ γⁿ: none where |R(∞)| = ρ ([Z] appendix). */
static double at_infinity(int n, double rho, double sign, double g)
{
    double last = sign * rho;
    for (int i = 0; i < n; i++) last *= g;
    return coefficient(n, n, g) - last;
}

/* The least γ above `from` where that is so. */
static double diagonal(int n, double rho, double sign, double from)
{
    static const double SPACED = 1e-4; /* two roots are never that near */
    double low = from;
    while (low < 1 && at_infinity(n, rho, sign, low) * at_infinity(n, rho, sign, low + SPACED) > 0)
        low += SPACED;
    double high = low + SPACED, at_low = at_infinity(n, rho, sign, low);
    for (int i = 0; i < 60; i++) {
        double g = 0.5 * (low + high);
        if (at_infinity(n, rho, sign, g) * at_low > 0)
            low = g;
        else
            high = g;
    }
    return 0.5 * (low + high);
}

/* Bathe and MSSTC(n): |(1 − γz)ⁿ|² − |P|² = (1 − ρ²)(γ|z|)^2n on the imaginary axis; so P = Π (1 + s_k γ z),
 * s_k² = 1 − (1 − ρ²)^(1/n) e^(2πik/n), γ = 1/(n + Σ s_k) ([Z] section 2, and the linear theory of its reference) */
static Z sub_steps(int n, const Choice *c, Z z, Z zeta)
{
    Z s[5], sum = 0, p = 1;
    for (int k = 0; k < n; k++) {
        s[k] = csqrt(1 - pow(1 - c->rho * c->rho, 1. / n) * cexp(2 * acos(-1) * I * k / n));
        sum += s[k];
    }
    double g = 1 / (n + creal(sum));
    for (int k = 0; k < n; k++) p *= 1 + s[k] * g * z;
    return zeta - p / power(1 - g * z, n);
}

static Z bathe(const Choice *c, Z z, Z zeta)
{
    return sub_steps(2, c, z, zeta);
}
static Z msstc3(const Choice *c, Z z, Z zeta)
{
    return sub_steps(3, c, z, zeta);
}
static Z msstc4(const Choice *c, Z z, Z zeta)
{
    return sub_steps(4, c, z, zeta);
}
static Z msstc5(const Choice *c, Z z, Z zeta)
{
    return sub_steps(5, c, z, zeta);
}

/* MSSTH(n): order n in n stages; γ where the method begins to be A-stable */
static Z mssth3(const Choice *c, Z z, Z zeta)
{
    return zeta - rational(3, diagonal(3, c->rho, -1, 0.33), 3, z);
}
static Z mssth4(const Choice *c, Z z, Z zeta)
{
    return zeta - rational(4, diagonal(4, c->rho, 1, 0.39), 4, z);
}
static Z mssth5(const Choice *c, Z z, Z zeta)
{
    return zeta - rational(5, diagonal(5, c->rho, 1, 0.24), 5, z);
}

/* Kennedy, Carpenter: order p, L-stable: the coefficients beyond p are none */
static Z esdirk324(const Choice *c, Z z, Z zeta)
{
    (void)c;
    return zeta - rational(3, 0.43586652150845899942, 2, z);
}
static Z esdirk325(const Choice *c, Z z, Z zeta)
{
    (void)c;
    return zeta - rational(4, 9. / 40, 3, z);
}
static Z esdirk436(const Choice *c, Z z, Z zeta)
{
    (void)c;
    return zeta - rational(5, 31. / 125, 4, z);
}
/* [D]: two stages, γ = (3 + √3)/6, order 3 */
static Z sdirk(const Choice *c, Z z, Z zeta)
{
    (void)c;
    return zeta - rational(2, (3 + sqrt(3)) / 6, 2, z);
}
static Z midpoint(const Choice *c, Z z, Z zeta)
{
    (void)c;
    return zeta - (1 + z / 2) / (1 - z / 2);
}
static Z rk4(const Choice *c, Z z, Z zeta)
{
    (void)c;
    return zeta - rational(0, 0, 4, z);
}
static Z dopri5(const Choice *c, Z z, Z zeta)
{
    (void)c;
    return zeta - rational(0, 0, 5, z) - power(z, 6) / 600;
}
/* Butcher's: the product of the coefficients below the diagonal, from b₇ on, is that of z⁷ */
static Z rk6(const Choice *c, Z z, Z zeta)
{
    (void)c;
    double last = 13. / 200 * (80. / 39) * (1. / 10) * (15. / 8) * (-1. / 12) * (2. / 3) * (1. / 3);
    return zeta - rational(0, 0, 6, z) - last * power(z, 7);
}

/* ---- Newmark's family: det(ζ L − R) = 0 for (x, hv, h²a) ----
 *     x' = x + hv + h² ((½ − β) a + β a'),   v' = v + h ((1 − γ) a + γ a'),
 *     (1 − α_m) a' + α_m a = −ω² ((1 − α_f) x' + α_f x) */
static Z newmark_family(double am, double af, double beta, double gamma, Z z, Z zeta)
{
    Z w = -z * z; /* (ωh)² */
    Z m[3][3] = {{zeta - 1, -1, -beta * zeta - (0.5 - beta)},
                 {0, zeta - 1, -gamma * zeta - (1 - gamma)},
                 {w * ((1 - af) * zeta + af), 0, (1 - am) * zeta + am}};
    return m[0][0] * m[1][1] * m[2][2] + m[2][0] * (m[0][1] * m[1][2] - m[0][2] * m[1][1]);
}

static Z newmark(const Choice *c, Z z, Z zeta)
{
    return newmark_family(0, 0, c->beta, c->gamma, z, zeta);
}
static Z trapezoidal(const Choice *c, Z z, Z zeta)
{
    (void)c;
    return newmark_family(0, 0, 0.25, 0.5, z, zeta);
}
/* [N] (5)–(8), [G] (7.36) */
static Z hht(const Choice *c, Z z, Z zeta)
{
    return newmark_family(0, -c->alpha, 0.25 * (1 - c->alpha) * (1 - c->alpha), 0.5 - c->alpha, z, zeta);
}
/* [H] (29), (30) */
static Z generalized_alpha(const Choice *c, Z z, Z zeta)
{
    double am = (2 * c->rho - 1) / (c->rho + 1), af = c->rho / (c->rho + 1), gamma = 0.5 - am + af;
    return newmark_family(am, af, 0.25 * (gamma + 0.5) * (gamma + 0.5), gamma, z, zeta);
}

/* ---- the list ---- */

typedef Z Equation(const Choice *c, Z z, Z zeta);
static const struct {
    const char *name;
    Equation *equation;
} formulas[] = {{"lms2", lms2},
                {"lms3", lms3},
                {"lms4", lms4},
                {"ss2", lms2},
                {"ss3", lms3},
                {"ss4", lms4},
                {"bathe", bathe},
                {"msstc3", msstc3},
                {"msstc4", msstc4},
                {"msstc5", msstc5},
                {"mssth3", mssth3},
                {"mssth4", mssth4},
                {"mssth5", mssth5},
                {"esdirk324", esdirk324},
                {"esdirk325", esdirk325},
                {"esdirk436-2", esdirk436},
                {"nstiff", nstiff},
                {"nstiff-si2", nstiff},
                {"newmark", newmark},
                {"hht-i3", hht},
                {"hht-si2", hht},
                {"hht-add", hht},
                {"hht-add-reactions", hht},
                {"hht", hht},
                {"trapezoidal", trapezoidal},
                {"midpoint", midpoint},
                {"bdf1", backward_euler},
                {"ab4", bashforth},
                {"am4", moulton},
                {"abm", predictor_corrector},
                {"sdirk", sdirk},
                {"rk4", rk4},
                {"dopri5", dopri5},
                {"rk6", rk6},
                {"generalized-alpha", generalized_alpha}};
enum { FORMULAS = sizeof formulas / sizeof *formulas };

/* The options that formulas depend on; of the Adams methods the formulas above are those of order 4. */
enum { RHO, ALPHA, BETA, GAMMA, ORDER, KEYS };
static const char *const KEY[KEYS] = {"rho", "alpha", "beta", "gamma", "order"};

/* Value of a key in "name:key=value,…". */
static double value_of(const char *method, const char *key)
{
    size_t n = strlen(key);
    for (const char *s = strchr(method, ':'); s; s = strchr(s, ',')) {
        s++;
        if (strncmp(s, key, n) == 0 && s[n] == '=') return atof(s + n + 1);
    }
    return NAN;
}

static double apart(const char *method, Equation *equation, const Choice *c)
{
    static const double WH[] = {0.1, 0.3, 0.9}; /* the root is followed from below 0.5 */
    vgDiag *diag = vg_diag_new();
    vgSpectrum *s = NULL;
    double worst = 0;
    vgStatus status = vg_spectrum_open(method, 0, diag, &s);
    for (int k = 0; k < 3 && status == VG_OK; k++) {
        vgSpectrumPoint p;
        status = vg_spectrum_at(s, WH[k], &p);
        Z zeta = p.re + I * fabs(p.im), z = I * WH[k], e = 1e-5, value = equation(c, z, zeta),
          slope = (equation(c, z, zeta + e) - equation(c, z, zeta - e)) / (2 * e);
        worst = vg_upper(worst, cabs(value / slope)); /* Newton's increment: the distance of the two roots */
    }
    vg_spectrum_close(s);
    vg_diag_free(diag);
    return status == VG_OK ? worst : NAN;
}

double vg_formula_apart(const char *method)
{
    size_t length = strcspn(method, ":");
    double order = value_of(method, KEY[ORDER]);
    Choice c = {value_of(method, KEY[RHO]), value_of(method, KEY[ALPHA]), value_of(method, KEY[BETA]),
                value_of(method, KEY[GAMMA])};
    for (int i = 0; i < FORMULAS && !(order < 4) && !(order > 4); i++)
        if (strlen(formulas[i].name) == length && strncmp(formulas[i].name, method, length) == 0)
            return apart(method, formulas[i].equation, &c);
    return -1;
}

/* ---- of an experiment ---- */

void vg_exhibit_method(vgExhibit *ex, const char *integrator)
{
    char key[VG_METHOD_TEXT];
    if (!integrator || ex->nmethod >= VG_EXHIBIT_METHODS) return;
    int n = snprintf(key, sizeof key, "%.*s", (int)strcspn(integrator, ":"), integrator);
    char mark = ':';
    for (int i = 0; i < KEYS && n < (int)sizeof key; i++) {
        double x = value_of(integrator, KEY[i]);
        if (isnan(x)) continue;
        n += snprintf(key + n, sizeof key - (size_t)n, "%c%s=%.10g", mark, KEY[i], x);
        mark = ',';
    }
    for (int i = 0; i < ex->nmethod; i++)
        if (strcmp(ex->method[i], key) == 0) return;
    snprintf(ex->method[ex->nmethod++], sizeof key, "%s", key);
}

/* Roots are found from matrices of an LU and an eigenvalue solver: 1e-13 and more where they are multiple. */
static const double SAME_ROOT = 1e-9;

static void add_name(vgText *list, const char *name, double off)
{
    vg_text_add(list, "%s%s", vg_text_at(list)[0] ? ", " : "", name);
    if (off >= 0) vg_text_add(list, " (%.1e)", off);
}

void vg_exhibit_check_methods(vgExhibit *ex)
{
    vgText same = {0}, wrong = {0}, none = {0};
    double most = 0;
    for (int i = 0; i < ex->nmethod; i++) {
        double off = vg_formula_apart(ex->method[i]);
        if (off < 0)
            add_name(&none, ex->method[i], -1);
        else if (off < SAME_ROOT)
            add_name(&same, ex->method[i], -1), most = fmax(most, off);
        else
            add_name(&wrong, ex->method[i], isnan(off) ? -1 : off), ex->wrong++;
    }
    vg_text_add(&ex->html, "<p class=\"%s\">", ex->wrong ? "finding wrong" : "note");
    if (ex->wrong)
        vg_text_add(&ex->html,
                    "<b>✗</b> Not the paper's formula, so that the experiment says nothing: the root on ẍ = "
                    "−ω²x is another for %s.",
                    vg_text_at(&wrong));
    if (vg_text_at(&same)[0])
        vg_text_add(&ex->html,
                    " Formulas compared before the verdict: on ẍ = −ω²x the roots of %s are those of the "
                    "printed coefficients to %.0e.",
                    vg_text_at(&same), fmax(most, 1e-15));
    if (vg_text_at(&none)[0]) vg_text_add(&ex->html, " Not compared: %s.", vg_text_at(&none));
    vg_text_add(&ex->html, "</p>\n");
    vg_text_free(&same);
    vg_text_free(&wrong);
    vg_text_free(&none);
}
