/* Tableaux of the implicit Runge–Kutta methods with coupled stages, and the quantities derived from one. */
#include <math.h>
#include <string.h>

#include "base/expect.h"
#include "integrator/composite/irk.h"
#include "integrator/tuning.h"

void vg_irk_radau2(vgIrkTableau *tb)
{
    *tb = (vgIrkTableau){
        .s = 2, .a = {{5. / 12, -1. / 12}, {3. / 4, 1. / 4}}, .b = {3. / 4, 1. / 4}, .c = {1. / 3, 1}};
}

void vg_irk_radau3(vgIrkTableau *tb)
{
    double r = sqrt(6);
    *tb = (vgIrkTableau){.s = 3,
                         .a = {{(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (-2 + 3 * r) / 225},
                               {(296 + 169 * r) / 1800, (88 + 7 * r) / 360, (-2 - 3 * r) / 225},
                               {(16 - r) / 36, (16 + r) / 36, 1. / 9}},
                         .b = {(16 - r) / 36, (16 + r) / 36, 1. / 9},
                         .c = {(4 - r) / 10, (4 + r) / 10, 1}};
}

void vg_irk_lobatto(vgIrkTableau *tb)
{
    *tb = (vgIrkTableau){
        .s = 3,
        .a = {{1. / 6, -1. / 3, 1. / 6}, {1. / 6, 5. / 12, -1. / 12}, {1. / 6, 2. / 3, 1. / 6}},
        .b = {1. / 6, 2. / 3, 1. / 6},
        .c = {0, 0.5, 1}};
}

/* A⁻¹ by Gauss–Jordan elimination; its pivots are those of Crout's L, which are not 0. */
static void invert(int n, const double *from, int stride, double *inv, int out)
{
    double a[VG_IRK_INVERT_MAX][VG_IRK_INVERT_MAX];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[i][j] = from[i * stride + j], inv[i * out + j] = i == j;
    for (int k = 0; k < n; k++) {
        double p = a[k][k];
        for (int j = 0; j < n; j++) a[k][j] /= p, inv[k * out + j] /= p;
        for (int i = 0; i < n; i++) {
            double f = a[i][k];
            if (i == k) continue;
            for (int j = 0; j < n; j++) a[i][j] -= f * a[k][j], inv[i * out + j] -= f * inv[k * out + j];
        }
    }
}

int vg_irk_invert(int n, const double *a, int stride, double *inv, double *tri, int out)
{
    double l[VG_IRK_INVERT_MAX][VG_IRK_INVERT_MAX], u[VG_IRK_INVERT_MAX][VG_IRK_INVERT_MAX];
    VG_EXPECT(n > 0 && n <= VG_IRK_INVERT_MAX && stride >= n && out >= n);
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            l[i][j] = a[i * stride + j];
            for (int k = 0; k < j; k++) l[i][j] -= l[i][k] * u[k][j];
        }
        if (!(fabs(l[j][j]) > VG_DIAGONAL_SAME)) return j;
        for (int i = j + 1; i < n; i++) {
            u[j][i] = a[j * stride + i];
            for (int k = 0; k < j; k++) u[j][i] -= l[j][k] * u[k][i];
            u[j][i] /= l[j][j];
        }
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double x = i == j;
            for (int k = j; k < i; k++) x -= l[i][k] * tri[k * out + j];
            tri[i * out + j] = i < j ? 0 : x / l[i][i];
        }
    invert(n, a, stride, inv, out);
    return -1;
}

/* An embedded formula of order s with the rates at both the beginning of the step and the stages,
 *     ŷ = y_n + h (γ₀ f_n + Σ b̂_j k_j),   Σ b̂_j = 1 − γ₀,   Σ b̂_j c_j^{m−1} = 1/m, m = 2 … s
 * (Hairer, Wanner II, IV.8); e = b̂ − b. γ₀ is the diagonal of the last stage's matrix. */
void vg_irk_embed(const vgIrkTableau *tb, double gamma0, double *e)
{
    int n = tb->s;
    double a[VG_IRK_MAX][VG_IRK_MAX + 1];
    for (int m = 0; m < n; m++) {
        for (int j = 0; j < n; j++) a[m][j] = m == 0 ? 1 : pow(tb->c[j], m);
        a[m][n] = m == 0 ? 1 - gamma0 : 1. / (m + 1);
    }
    for (int k = 0; k < n; k++) { /* Gauss–Jordan, largest pivot: a Vandermonde matrix */
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
        for (int j = 0; j <= n; j++) {
            double x = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = x;
        }
        for (int i = 0; i < n; i++) {
            double f = i == k ? 0 : a[i][k] / a[k][k];
            for (int j = k; j <= n; j++) a[i][j] -= f * a[k][j];
        }
    }
    for (int j = 0; j < n; j++) e[j] = a[j][n] / a[j][j] - tb->b[j];
}
