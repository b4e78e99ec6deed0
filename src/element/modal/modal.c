/* The element of a flexible body: amplitudes from their carriers, elasticity, energies. */
#include "element/modal/modal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/eig.h"

int vg_modal_alloc(vgPool *pool, int nmode, int nproduct, int nnode, vgModal *out)
{
    const int n = nmode + nproduct;
    *out = (vgModal){.nmode = nmode, .nshape = n, .nnode = nnode};
    out->product = vg_pool_alloc_many(pool, (size_t)nproduct + 1, sizeof *out->product);
    out->K = VG_NEW(pool, double, nmode *nmode);
    out->C = VG_NEW(pool, double, nmode *nmode);
    out->M = VG_NEW(pool, double, n *n);
    out->P = VG_NEW(pool, vgVec3, n);
    out->Q = VG_NEW(pool, vgMat3, (n + 1) * (n + 1));
    out->node = VG_NEW(pool, vgModalNode, nnode + 1);
    int ok = out->product && out->K && out->C && out->M && out->P && out->Q && out->node;
    for (int i = 0; ok && i < nnode; i++) {
        out->node[i].t = VG_NEW(pool, vgVec3, n);
        out->node[i].r = VG_NEW(pool, vgVec3, n);
        ok = out->node[i].t && out->node[i].r;
    }
    return ok;
}

vgVec3 vg_modal_node_shift(const vgModal *b, int node, const double *c)
{
    vgVec3 x = vg_zero3();
    for (int a = 0; a < b->nshape; a++) x = vg_axpy3(c[a], b->node[node].t[a], x);
    return x;
}

vgVec3 vg_modal_node_turn(const vgModal *b, int node, const double *c)
{
    vgVec3 x = vg_zero3();
    for (int a = 0; a < b->nshape; a++) x = vg_axpy3(c[a], b->node[node].r[a], x);
    return x;
}

vgStatus vg_modal_damp(vgModal *b, double ratio)
{
    const int n = b->nmode;
    double *M = malloc((size_t)(n * n) * sizeof *M), *V = malloc((size_t)(n * n) * sizeof *V);
    double *w2 = malloc((size_t)n * sizeof *w2), *MV = malloc((size_t)(n * n) * sizeof *MV);
    vgStatus st = M && V && w2 && MV ? VG_OK : VG_NO_MEMORY;
    if (st == VG_OK) {
        for (int i = 0; i < n * n; i++) M[i] = b->M[(i / n) * b->nshape + i % n];
        st = vg_eig_symmetric_pair(b->K, M, n, w2, V);
    }
    if (st == VG_OK) {
        for (int k = 0; k < n; k++)
            for (int i = 0; i < n; i++) {
                MV[k * n + i] = 0;
                for (int j = 0; j < n; j++) MV[k * n + i] += M[i * n + j] * V[k * n + j];
            }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                for (int k = 0; k < n; k++)
                    b->C[i * n + j] += 2 * ratio * sqrt(fmax(w2[k], 0)) * MV[k * n + i] * MV[k * n + j];
    }
    free(M);
    free(V);
    free(w2);
    free(MV);
    return st;
}

/* Value, rate and acceleration of the amplitudes. */
typedef struct Amplitudes {
    double x[3][VG_MODAL_MAX_MODES];
} Amplitudes;

static double part(vgVec3 v, int k)
{
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

static void amplitudes(const vgModal *b, const vgForceIn *in, Amplitudes *out)
{
    for (int i = 0; i < b->nmode; i++) {
        const vgKin *k = in->kin[1 + i / 3];
        out->x[0][i] = part(k->p, i % 3);
        out->x[1][i] = part(k->v, i % 3);
        out->x[2][i] = part(k->dv, i % 3);
    }
}

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    const vgModalForce *m = def;
    (void)planar;
    out->nbody = 1 + vg_modal_carriers(m->data);
    out->body[0] = m->frame;
    for (int i = 1; i < out->nbody; i++) out->body[i] = m->carrier + i - 1;
    out->inertial = out->velocity = 1;
    return VG_OK;
}

static void eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    const vgModal *b = ((const vgModalForce *)def)->data;
    Amplitudes a;
    amplitudes(b, in, &a);
    const double *const eta[3] = {a.x[0], a.x[1], a.x[2]};
    vg_modal_inertia(b, in->kin[0], eta, in->gravity, out);
    const int n = 6 * in->nbody;
    for (int i = 0; i < b->nmode; i++) {
        const int at = 6 + 6 * (i / 3) + i % 3;
        for (int j = 0; j < b->nmode; j++) {
            const double K = b->K[i * b->nmode + j], C = b->C[i * b->nmode + j];
            const int to = at * n + 6 + 6 * (j / 3) + j % 3;
            out->f[at] -= K * eta[0][j] + C * eta[1][j];
            if (out->K) out->K[to] -= K;
            if (out->C) out->C[to] -= C;
        }
    }
}

static double strain_energy(const vgModal *b, const double *eta)
{
    double V = 0;
    for (int i = 0; i < b->nmode; i++)
        for (int j = 0; j < b->nmode; j++) V += 0.5 * b->K[i * b->nmode + j] * eta[i] * eta[j];
    return V;
}

static double energy(const void *def, const vgForceIn *in)
{
    const vgModal *b = ((const vgModalForce *)def)->data;
    Amplitudes a;
    amplitudes(b, in, &a);
    return strain_energy(b, a.x[0]) + vg_modal_weight(b, in->kin[0], a.x[0], in->gravity);
}

static double kinetic(const void *def, const vgForceIn *in)
{
    const vgModal *b = ((const vgModalForce *)def)->data;
    Amplitudes a;
    amplitudes(b, in, &a);
    const double *const eta[3] = {a.x[0], a.x[1], a.x[2]};
    return vg_modal_kinetic(b, in->kin[0], eta);
}

static const char *const outputs[] = {"strain-energy", NULL};

static void output(const void *def, const vgForceIn *in, double *values)
{
    const vgModal *b = ((const vgModalForce *)def)->data;
    Amplitudes a;
    amplitudes(b, in, &a);
    values[0] = strain_energy(b, a.x[0]);
}

const vgForceKind vg_force_modal = {
    .name = "flexible",
    .doc = "The deformation of a flexible body: what its amplitudes add to the inertia of its frame, and its "
           "stiffness and damping.",
    .planar = 1,
    .head = VG_HEAD_NONE,
    .def_size = sizeof(vgModalForce),
    .setup = setup,
    .eval = eval,
    .energy = energy,
    .kinetic = kinetic,
    .outputs = outputs,
    .output = output,
};
