/* A line of beam elements with its own static solver: full Newton on native variations, banded LU of LAPACK.
 */
#ifndef VERGE_BEAM_MESH_H
#define VERGE_BEAM_MESH_H

#include "beam_check.h"

void dgbsv_(const int *n, const int *kl, const int *ku, const int *nrhs, double *ab, const int *ldab,
            int *ipiv, double *b, const int *ldb, int *info);

typedef struct Mesh {
    const vgForceKind *kind;
    int ne, nn, narm;
    vgBeam *b;    /* ne */
    vgKin *kin;   /* nn */
    double *load; /* 6 nn, native: dead forces, torques in body axes */
} Mesh;

/* Nodes at the places and triads that `line` gives for s in 0..1 (spread: s of node k of n). */
typedef void (*meshLine)(double s, vgKin *k);

static inline Mesh mesh_new(const vgForceKind *kind, int ne, meshLine line, const vgBeam *proto)
{
    Mesh m = {.kind = kind, .ne = ne, .narm = kind == &vg_force_beam3 ? 2 : 1};
    m.nn = ne * m.narm + 1;
    m.b = calloc((size_t)ne, sizeof *m.b);
    m.kin = calloc((size_t)m.nn, sizeof *m.kin);
    m.load = calloc((size_t)m.nn * 6, sizeof *m.load);
    for (int i = 0; i < m.nn; i++) line((double)i / (m.nn - 1), &m.kin[i]);
    for (int e = 0; e < ne; e++) {
        m.b[e] = *proto;
        vgKin at[BEAM_MAX] = {m.kin[e * m.narm], m.kin[e * m.narm + 1]};
        if (m.narm == 2) at[2] = m.kin[e * 2 + 2];
        beam_ready(kind, &m.b[e], 0, at);
    }
    return m;
}

static inline void mesh_free(Mesh *m)
{
    free(m->b);
    free(m->kin);
    free(m->load);
}

static inline void mesh_move(Mesh *m, const double *d)
{
    for (int i = 0; i < m->nn; i++) {
        m->kin[i].p = vg_add3(m->kin[i].p, vg_load3(d + 6 * i));
        m->kin[i].R = vg_mm3(m->kin[i].R, vg_so3_exp(vg_load3(d + 6 * i + 3)));
    }
}

/* One Newton step with load × factor, the first node clamped; returns the largest increment. */
static inline double mesh_step(Mesh *m, double factor)
{
    int n = 6 * m->nn - 6, kl = 6 * (m->narm + 1) - 1, ld = 3 * kl + 1, one = 1, info, nb = m->narm + 1;
    double *A = calloc((size_t)n * (size_t)ld, sizeof *A), *r = calloc((size_t)n + 6, sizeof *r), big = 0;
    int *piv = malloc(sizeof(int) * (size_t)n);
    for (int i = 0; i < n + 6; i++) r[i] = factor * m->load[i];
    for (int e = 0; e < m->ne; e++) {
        int at = 6 * e * m->narm;
        double f[BEAM_N] = {0}, K[BEAM_N * BEAM_N] = {0};
        beam_eval(m->kind, &m->b[e], nb, &m->kin[e * m->narm], vg_zero3(), &(vgForceOut){.f = f, .K = K});
        for (int i = 0; i < 6 * nb; i++) {
            r[at + i] += f[i];
            for (int j = 0; j < 6 * nb; j++) {
                int I = at + i - 6, J = at + j - 6;
                if (I >= 0 && J >= 0) A[J * ld + 2 * kl + I - J] -= K[i * 6 * nb + j];
            }
        }
    }
    for (int i = 0; i < 6; i++) r[i] = 0;
    dgbsv_(&n, &kl, &kl, &one, A, &ld, piv, r + 6, &n, &info);
    CHECK_INT(info, 0);
    mesh_move(m, r);
    for (int i = 0; i < n + 6; i++) big = fmax(big, fabs(r[i]));
    free(A);
    free(r);
    free(piv);
    return big;
}

/* Load in nstep steps, each to convergence. Returns the number of the last step's iterations. */
static inline int mesh_solve(Mesh *m, int nstep)
{
    int it = 0;
    for (int s = 1; s <= nstep; s++) {
        double big = 1, last = 2;
        for (it = 1; it <= 40 && big > 1e-13 && (big > 1e-9 || big < 0.5 * last); it++) {
            last = big;
            big = mesh_step(m, (double)s / nstep);
        }
        CHECK(big < 1e-9);
    }
    return it;
}

#endif
