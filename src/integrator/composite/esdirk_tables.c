/* Tableaux of the ESDIRK family as functions of ρ∞: closed forms, roots, and numbers from the literature. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "integrator/composite/esdirk.h"

/* a_i1 from the row's sum, so that Σ_j a_ij = c_i. */
static void close_row(vgDirkTableau *tb, int i)
{
    double sum = 0;
    for (int j = 1; j <= i; j++) sum += tb->a[i][j];
    tb->a[i][0] = tb->c[i] - sum;
}

static void begin(vgDirkTableau *tb, int stages, double gamma)
{
    memset(tb, 0, sizeof *tb);
    tb->stages = stages;
    for (int i = 1; i < stages; i++) tb->a[i][i] = gamma;
    tb->c[1] = 2 * gamma;
    tb->a[1][0] = gamma;
    tb->c[stages - 1] = 1;
}

/* Row i has weights up to j = i − 1 set from stage 2 on, and abscissa c. */
static void row(vgDirkTableau *tb, int i, double c, const double *weights)
{
    tb->c[i] = c;
    for (int j = 1; j < i; j++) tb->a[i][j] = weights[j - 1];
    close_row(tb, i);
}

static void embedded(vgDirkTableau *tb, const double *b_hat)
{
    for (int j = 0; j < tb->stages; j++) tb->e[j] = tb->a[tb->stages - 1][j] - b_hat[j];
    tb->estimate = 1;
}

void vg_dirk_trapezoidal(double rho, vgDirkTableau *tb)
{
    (void)rho;
    begin(tb, 2, 0.5);
}

/* ρ∞-Bathe, [Z] (7): a trapezoidal sub-step of length 2γh, then a three-point formula. */
void vg_dirk_bathe(double rho, vgDirkTableau *tb)
{
    double g = 1 / (2 + sqrt(2 * (1 + rho)));
    begin(tb, 3, g);
    row(tb, 2, 1, (double[]){(1 - 2 * g) / (4 * g)});
}

/* HOPE: a pair of equal steps as one step over both; the two diagonals differ. */
void vg_dirk_hope(double rho, vgDirkTableau *tb)
{
    double al = 4 * rho / (3 + rho);
    begin(tb, 3, 0.25);
    tb->a[2][2] = (4 - al) / 12;
    row(tb, 2, 1, (double[]){(2 + al) / 6});
}

/* MSSTC(n) for every n and ρ∞ ([Z] section 2.3 gives n = 3, 4, 5 at eleven values): n − 1 trapezoidal rules
 * of length 2γh and a last row q_0 … q_{n−1}, γ with R(z) = P(z)/(1 − γz)^n,
 *     κ = (1 − ρ²)^{1/n},  s_k = √(1 − κ e^{2πik/n}),  γ = 1/(n + Σ s_k),  P(z) = Π (1 + s_k γ z),
 * which makes |Q(iy)|² − |P(iy)|² = (1 − ρ²)(γy)^{2n}. The q_j follow from
 *     Σ q_j (1 + x)^j (1 − x)^{n−1−j} = g(x) = γ [P − (1 − x)^{n−1}]/x,   x = γz,
 * with u = (1 + x)/(1 − x):  Σ q_j u^j = 2^{1−n} Σ g_m (u − 1)^m (u + 1)^{n−1−m}. */
static void msstc(int n, double rho, vgDirkTableau *tb)
{
    const double pi = 3.14159265358979323846;
    double kappa = pow(1 - rho * rho, 1.0 / n);
    double complex p[VG_DIRK_MAX + 1] = {1}, sum = 0;
    for (int k = 0; k < n; k++) {
        double complex s = csqrt(1 - kappa * cexp(2 * pi * I * k / n));
        sum += s;
        for (int m = k + 1; m > 0; m--) p[m] += s * p[m - 1];
    }
    double g = 1 / (n + creal(sum)), q[VG_DIRK_MAX] = {0}, binom = 1;
    begin(tb, n + 1, g);
    for (int m = 0; m < n; m++) { /* binom becomes (−1)^{m+1} C(n−1, m+1) */
        binom *= -(double)(n - 1 - m) / (m + 1);
        double poly[VG_DIRK_MAX] = {g * (creal(p[m + 1]) - binom)};
        for (int f = 0; f < n - 1; f++)
            for (int d = f + 1; d >= 0; d--)
                poly[d] = (d > 0 ? poly[d - 1] : 0) + (f < m ? -poly[d] : poly[d]);
        for (int j = 0; j < n; j++) q[j] += ldexp(poly[j], 1 - n);
    }
    for (int i = 2; i < n; i++) {
        tb->c[i] = 2 * i * g;
        for (int j = 0; j < i; j++) tb->a[i][j] = j == 0 ? g : 2 * g;
    }
    for (int j = 0; j < n; j++) tb->a[n][j] = q[j];
    tb->smooth = n % 2;
}

void vg_dirk_msstc3(double rho, vgDirkTableau *tb)
{
    msstc(3, rho, tb);
}

void vg_dirk_msstc4(double rho, vgDirkTableau *tb)
{
    msstc(4, rho, tb);
}

void vg_dirk_msstc5(double rho, vgDirkTableau *tb)
{
    msstc(5, rho, tb);
}

/* γ of MSSTH(n): Σ_j (−1)^j C(n,j) γ^j/(n−j)! = ±ρ γ^n in a bracket with one root, by bisection to round-off.
 */
static double mssth_gamma(int n, double target, double lo, double hi)
{
    double inv_fact[6] = {1, 1, 1. / 2, 1. / 6, 1. / 24, 1. / 120}, f_lo = 0, mid = lo;
    for (int pass = 0; pass < 80; pass++) {
        double g = pass == 0 ? lo : (mid = 0.5 * (lo + hi)), f = 0, term = 1;
        for (int j = 0; j <= n; j++) {
            f += term * inv_fact[n - j];
            term *= -g * (n - j) / (j + 1);
        }
        f -= target * pow(g, n);
        if (pass == 0)
            f_lo = f;
        else if ((f > 0) == (f_lo > 0))
            lo = mid;
        else
            hi = mid;
    }
    return mid;
}

/* MSSTH(3), [Z] appendix (33). The table of [Z] gives MSSTC(3)'s γ in its place by misprint. */
void vg_dirk_mssth3(double rho, vgDirkTableau *tb)
{
    double g = mssth_gamma(3, -rho, 0.33, 0.4359), c3 = (24 * g * g - 20 * g + 3) / (24 * g * g - 24 * g + 4);
    begin(tb, 4, g);
    row(tb, 2, c3, (double[]){c3 * (c3 - 2 * g) / (4 * g)});
    double b2 = (3 * c3 + 6 * g - 6 * c3 * g - 2) / (12 * g * (c3 - 2 * g));
    double b3 = (6 * g * g - 6 * g + 1) / (3 * c3 * (c3 - 2 * g));
    row(tb, 3, 1, (double[]){b2, b3});
}

/* Free abscissae, [Z] table 7 at ρ∞ = 0, 0.1, …, 1. Order and stability do not depend on them, and between
 * some of them two abscissae would meet: the nearest ones are taken. */
static double nearest(const double t[11], double rho)
{
    return t[(int)floor(10 * rho + 0.5)];
}

static const double mssth4_c3[11] = {0.55909857542294173, 0.60029388886983241, 0.63852281448916059,
                                     0.67524540713318077, 0.71166263135355824, 0.74893739013168579,
                                     0.78843701152100361, 0.83214959599683093, 0.88365850394190859,
                                     0.95088331353432272, 1.05348034117028673};
static const double mssth4_c4[11] = {0.74140116648336540, 0.75841298757803721, 0.77314366596046124,
                                     0.78603120641227375, 0.79725148192031436, 0.80671407474270417,
                                     0.81396625294191349, 0.81793010320067149, 0.81624789465002423,
                                     0.80362953525688307, 0.76893053626170526};
static const double mssth5_c4[11] = {0.96732586055716962, 0.90855001848651739, 0.85109126740887963,
                                     0.79517804197092967, 0.74096898647213860, 0.68856097870408505,
                                     0.63799727905607228, 0.58927567838046857, 0.54235622095961477,
                                     0.49716834141991045, 0.45361725766875554};

/* MSSTH(4), [Z] appendix (34). */
void vg_dirk_mssth4(double rho, vgDirkTableau *tb)
{
    double g = mssth_gamma(4, rho, 0.394, 0.573), g2 = g * g, g3 = g2 * g;
    double c3 = nearest(mssth4_c3, rho), c4 = nearest(mssth4_c4, rho);
    double e1 = 48 * (1 - c4) * g3 + 8 * (3 * c3 * c3 - 6 * c3 + 9 * c4 - 5) * g2 +
                6 * (-4 * c3 * c3 + 6 * c3 - 4 * c4 + 1) * g + 4 * c3 * c3 - 5 * c3 + 2 * c4;
    double e2 = 48 * (1 - c3) * g3 + 8 * (3 * c3 * c3 + 3 * c3 - 5) * g2 +
                6 * (-4 * c3 * c3 + 2 * c3 + 1) * g + 4 * c3 * c3 - 3 * c3;
    begin(tb, 5, g);
    row(tb, 2, c3, (double[]){c3 * (c3 - 2 * g) / (4 * g)});
    double a42 = c4 * (c4 - 2 * g) * e1 / (4 * g * e2);
    row(tb, 3, c4, (double[]){a42, (c4 * c4 - 4 * a42 * g - 2 * c4 * g) / (2 * c3)});
    double b2 = -(12 * (c3 * c4 - c3 - c4 + 1) * g + 4 * c3 + 4 * c4 - 6 * c3 * c4 - 3) /
                (24 * g * (c3 - 2 * g) * (c4 - 2 * g));
    double b3 =
        (24 * (c4 - 1) * g2 + 4 * (5 - 6 * c4) * g + 4 * c4 - 3) / (12 * c3 * (c4 - c3) * (c3 - 2 * g));
    double b4 =
        -(24 * (c3 - 1) * g2 + 4 * (5 - 6 * c3) * g + 4 * c3 - 3) / (12 * c4 * (c4 - c3) * (c4 - 2 * g));
    row(tb, 4, 1, (double[]){b2, b3, b4});
}

static double mssth5_d(double x, double y, double g)
{
    return 120 * (x + y - x * y - 1) * g * g + 10 * (12 * x * y - 10 * x - 10 * y + 9) * g + 15 * x + 15 * y -
           20 * x * y - 12;
}

/* MSSTH(5), [Z] appendix (35); (35i) there lacks + 15c₃ + 15c₅ − 20c₃c₅ − 12. */
void vg_dirk_mssth5(double rho, vgDirkTableau *tb)
{
    double g = mssth_gamma(5, rho, 0.2465, 0.2781), g2 = g * g, g3 = g2 * g, g4 = g3 * g, g5 = g4 * g;
    double c3 = 0.1, c4 = nearest(mssth5_c4, rho);
    double e3 = -720 * g5 + (360 * c3 + 848) * g4 - (336 * c3 + 368) * g3 + (120 * c3 + 64) * g2 -
                (18 * c3 + 4) * g + c3;
    double e4 = -480 * g5 + (240 * c3 + 600) * g4 - (240 * c3 + 288) * g3 + (96 * c3 + 56) * g2 -
                (16 * c3 + 4) * g + c3;
    double c5 = e3 / e4;
    double e1 = 240 * (1 - c4) * g4 + 40 * (3 * c3 * c3 - 6 * c3 + 12 * c4 - 7) * g3 +
                20 * (-9 * c3 * c3 + 13 * c3 - 12 * c4 + 4) * g2 +
                (60 * c3 * c3 - 70 * c3 + 40 * c4 - 6) * g - 5 * c3 * c3 + 5 * c3 - 2 * c4;
    double e2 = 120 * (1 - c3) * g3 + 20 * (9 * c3 - 7) * g2 + 20 * (2 - 3 * c3) * g + 5 * c3 - 3;
    double e5 = 120 * (-c4 * c4 + 2 * c4 - c3 - c5 + c3 * c5) * g3 +
                20 * (9 * c4 * c4 - 15 * c4 + 8 * c3 + 7 * c5 - 9 * c3 * c5) * g2 +
                10 * (-6 * c4 * c4 + 9 * c4 - 5 * c3 - 4 * c5 + 6 * c3 * c5) * g + 5 * c4 * c4 - 7 * c4 +
                4 * c3 + 3 * c5 - 5 * c3 * c5;
    double d34 = mssth5_d(c3, c4, g);
    begin(tb, 6, g);
    row(tb, 2, c3, (double[]){c3 * (c3 - 2 * g) / (4 * g)});
    double a42 = -c4 * (c4 - 2 * g) * e1 / (4 * g * (c3 - 2 * g) * e2);
    row(tb, 3, c4, (double[]){a42, (c4 * c4 - 4 * a42 * g - 2 * c4 * g) / (2 * c3)});
    double a53 = c5 * (c5 - c3) * (c5 - 2 * g) * e5 / (c3 * (c4 - c3) * (c3 - 2 * g) * d34);
    double a54 = c5 * (c5 - c3) * (c5 - c4) * (c5 - 2 * g) * e2 / (c4 * (c4 - c3) * (c4 - 2 * g) * d34);
    row(tb, 4, c5, (double[]){(c5 * c5 - 2 * a53 * c3 - 2 * a54 * c4 - 2 * c5 * g) / (4 * g), a53, a54});
    double b3 = -mssth5_d(c4, c5, g) / (60 * c3 * (c4 - c3) * (c5 - c3) * (c3 - 2 * g));
    double b4 = mssth5_d(c3, c5, g) / (60 * c4 * (c4 - c3) * (c5 - c4) * (c4 - 2 * g));
    double b5 = -d34 / (60 * c5 * (c5 - c3) * (c5 - c4) * (c5 - 2 * g));
    row(tb, 5, 1, (double[]){(1 - 2 * g - 2 * (b3 * c3 + b4 * c4 + b5 * c5)) / (4 * g), b3, b4, b5});
}

/* ---- Kennedy and Carpenter 2016, 2019: no ρ∞, with embedded methods of one order less ---- */

/* ESDIRK3(2)4L[2]SA */
void vg_dirk_324(double rho, vgDirkTableau *tb)
{
    const double g = 0.4358665215084589994160194511935568425293, c3 = 0.6;
    (void)rho;
    begin(tb, 4, g);
    row(tb, 2, c3, (double[]){c3 * (c3 - 2 * g) / (4 * g)});
    row(tb, 3, 1,
        (double[]){(-2 + 3 * c3 + 6 * g * (1 - c3)) / (12 * g * (c3 - 2 * g)),
                   (1 - 6 * g + 6 * g * g) / (3 * c3 * (c3 - 2 * g))});
    embedded(tb, (double[]){
                     0.1088966176158644541561307380704960821824, -0.9153258118707127534816380978168183454991,
                     1.271273597302152167844715894135642876535, 0.5351555969526961314807914656106793867813});
}

/* ESDIRK3(2)5L[2]SA */
void vg_dirk_325(double rho, vgDirkTableau *tb)
{
    const double g = 9. / 40, r = 1.4142135623730950488;
    double b2_hat = (5547709 * r - 4800247) / 16519545;
    (void)rho;
    begin(tb, 5, g);
    tb->rough = 1;
    row(tb, 2, 9 * (2 + r) / 40, (double[]){9 * (1 + r) / 80});
    row(tb, 3, 0.6, (double[]){(22 + 15 * r) / (80 * (1 + r)), -7 / (40 * (1 + r))});
    row(tb, 4, 1,
        (double[]){(2398 + 1205 * r) / (2835 * (4 + 3 * r)), -2374 * (1 + 2 * r) / (2835 * (5 + 3 * r)),
                   5827. / 7560});
    embedded(
        tb, (double[]){b2_hat, b2_hat, 11095418 * (1 - r) / 16519545, 30698249. / 44052120, 49563. / 233080});
}

/* ESDIRK4(3)6L[2]SA */
void vg_dirk_436(double rho, vgDirkTableau *tb)
{
    const double r = 1.4142135623730950488, b1_hat = -480923228411. / 4982971448372;
    (void)rho;
    begin(tb, 6, 0.25);
    row(tb, 2, (2 - r) / 4, (double[]){(1 - r) / 8});
    row(tb, 3, 5. / 8, (double[]){(5 - 7 * r) / 64, 7 * (1 + r) / 32});
    row(tb, 4, 26. / 25,
        (double[]){-(13796 + 54539 * r) / 125000, (506605 + 132109 * r) / 437500,
                   166 * (-97 + 376 * r) / 109375});
    row(tb, 5, 1,
        (double[]){(1181 - 987 * r) / 13782, 47 * (-267 + 1783 * r) / 273343,
                   -16 * (-22922 + 3525 * r) / 571953, -15625 * (97 + 376 * r) / 90749876});
    embedded(tb, (double[]){b1_hat, b1_hat, 6709447293961. / 12833189095359, 3513175791894. / 6748737351361,
                            -498863281070. / 6042575550617, 2077005547802. / 8945017530137});
}

/* ESDIRK4(3)6L[2]SA_2 */
void vg_dirk_436_2(double rho, vgDirkTableau *tb)
{
    const double b1_hat = -1007911106287. / 12117826057527;
    (void)rho;
    begin(tb, 6, 31. / 125);
    row(tb, 2, 486119545908. / 3346201505189, (double[]){-360286518617. / 7014585480527});
    row(tb, 3, 1043. / 1706, (double[]){-506388693497. / 5937754990171, 7149918333491. / 13390931526268});
    row(tb, 4, 1361. / 1300,
        (double[]){-7628305438933. / 11061539393788, 21592626537567. / 14352247503901,
                   11630056083252. / 17263101053231});
    row(tb, 5, 1,
        (double[]){-12917657251. / 5222094901039, 5602338284630. / 15643096342197,
                   9002339615474. / 18125249312447, -2420307481369. / 24731958684496});
    embedded(tb, (double[]){b1_hat, b1_hat, 17694008993113. / 35931961998873, 5816803040497. / 11256217655929,
                            -538664890905. / 7490061179786, 2032560730450. / 8872919773257});
}

/* The implicit part of ARK4(3)6L[2]SA (Kennedy, Carpenter 2003): order 4, stage order 2, L-stable, and the
 * one of its kind here whose stages all lie within the step. */
void vg_dirk_within(double rho, vgDirkTableau *tb)
{
    (void)rho;
    begin(tb, 6, 0.25);
    row(tb, 2, 83. / 250, (double[]){-1743. / 31250});
    row(tb, 3, 31. / 50, (double[]){-654441. / 2922500, 174375. / 388108});
    row(tb, 4, 17. / 20, (double[]){-71443401. / 120774400, 730878875. / 902184768, 2285395. / 8070912});
    row(tb, 5, 1, (double[]){0, 15625. / 83664, 69875. / 102672, -2260. / 8211});
    embedded(tb, (double[]){4586570599. / 29645900160, 0, 178811875. / 945068544, 814220225. / 1159782912,
                            -3700637. / 11593932, 61727. / 225920});
}
