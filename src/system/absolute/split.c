/* The own block of a body whose chart maps translations to themselves and rotations by blocks of their own
 * (Euler parameters, angles): with P = diag(1, P_θ), Q = diag(c1, Q_θ), N = diag(1, N_θ)
 *     D += Pᵀ (M N + C Q + c2 K P),   M = diag(m, J), C = diag(0, gyro), K full. */
#include "system/absolute/absolute.h"

/* n: coordinates of the body, a constant where it is called, so that the loops are unrolled. */
static inline void add_split(const vgAbsBody *b, const vgChartMaps *maps, const vgMat3 *gyro, const double *K,
                             double c2, double one, double *D, const int n)
{
    const double *P = maps->P + 3 * n + 3, *Q = maps->Q + 3 * n + 3, *N = maps->N + 3 * n + 3;
    double X[3][4], S[3][3] = {{0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < n - 3; j++) {
            X[i][j] = 0;
            for (int k = 0; k < 3; k++) X[i][j] += b->J.m[i][k] * N[k * n + j] + gyro->m[i][k] * Q[k * n + j];
        }
    if (K) {
        double U[3][4];
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++) S[i][k] = c2 * K[(3 + i) * 6 + k];
            for (int j = 0; j < n - 3; j++) {
                double t = 0, r = 0;
                for (int k = 0; k < 3; k++) {
                    t += K[i * 6 + 3 + k] * P[k * n + j];
                    r += K[(3 + i) * 6 + 3 + k] * P[k * n + j];
                }
                U[i][j] = c2 * t;
                X[i][j] += c2 * r;
            }
        }
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) D[i * n + j] += c2 * K[i * 6 + j];
            for (int j = 0; j < n - 3; j++) D[i * n + 3 + j] += U[i][j];
        }
        for (int i = 0; i < n - 3; i++)
            for (int j = 0; j < 3; j++)
                D[(3 + i) * n + j] += P[i] * S[0][j] + P[n + i] * S[1][j] + P[2 * n + i] * S[2][j];
    }
    for (int i = 0; i < 3; i++) D[i * n + i] += one * b->mass;
    for (int i = 0; i < n - 3; i++)
        for (int j = 0; j < n - 3; j++)
            D[(3 + i) * n + 3 + j] += P[i] * X[0][j] + P[n + i] * X[1][j] + P[2 * n + i] * X[2][j];
}

void vg_abs_add_split(const vgAbsBody *b, const vgChartMaps *maps, const vgMat3 *gyro, const double *K,
                      double c2, double one, double *D)
{
    if (b->nv == 7)
        add_split(b, maps, gyro, K, c2, one, D, 7);
    else
        add_split(b, maps, gyro, K, c2, one, D, 6);
}
