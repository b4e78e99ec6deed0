#include "element/matter.h"

#include <string.h>

enum { N = 6 * VG_FORCE_MAX_BODIES };

typedef struct Resultant {
    vgVec3 force, moment; /* about the origin, W axes */
} Resultant;

/* Native wrenches of all bodies as one force and one moment. */
static Resultant resultant(const vgForceIn *in, const double *f)
{
    Resultant r = {vg_zero3(), vg_zero3()};
    for (int b = 0; b < in->nbody; b++) {
        vgVec3 F = vg_load3(f + 6 * b), T = vg_mv3(in->kin[b]->R, vg_load3(f + 6 * b + 3));
        r.force = vg_add3(r.force, F);
        r.moment = vg_add3(r.moment, vg_add3(vg_cross3(in->kin[b]->p, F), T));
    }
    return r;
}

/* M times the motion v + w × p of all bodies. */
static Resultant moved(const vgForceIn *in, const double *M, vgVec3 v, vgVec3 w)
{
    const int n = 6 * in->nbody;
    double xi[N], f[N];
    for (int b = 0; b < in->nbody; b++) {
        vg_store3(vg_add3(v, vg_cross3(w, in->kin[b]->p)), xi + 6 * b);
        vg_store3(vg_mtv3(in->kin[b]->R, w), xi + 6 * b + 3);
    }
    for (int i = 0; i < n; i++) {
        f[i] = 0;
        for (int j = 0; j < n; j++) f[i] += M[i * n + j] * xi[j];
    }
    return resultant(in, f);
}

static Resultant momenta(const vgForceIn *in, const double *M)
{
    const int n = 6 * in->nbody;
    double xi[N], f[N];
    for (int b = 0; b < in->nbody; b++) {
        vg_store3(in->kin[b]->v, xi + 6 * b);
        vg_store3(in->kin[b]->w, xi + 6 * b + 3);
    }
    for (int i = 0; i < n; i++) {
        f[i] = 0;
        for (int j = 0; j < n; j++) f[i] += M[i * n + j] * xi[j];
    }
    return resultant(in, f);
}

void vg_matter_add(const vgForceKind *kind, const void *def, const vgForceSetup *setup, const vgForceIn *in,
                   vgMatter *sum, double *own)
{
    double f[N] = {0}, M[N * N];
    const int n = 6 * in->nbody;
    if (!setup->inertial || setup->nmeasure > 0 || in->nbody == 0) return;
    memset(M, 0, sizeof(double) * (size_t)(n * n));
    vgForceIn weightless = *in;
    weightless.gravity = vg_zero3();
    kind->eval(def, &weightless, &(vgForceOut){.f = f, .M = M});
    Resultant p = momenta(in, M), a = resultant(in, f);
    sum->mass += moved(in, M, vg_v3(1, 0, 0), vg_zero3()).force.x;
    sum->linear = vg_add3(sum->linear, p.force);
    sum->angular = vg_add3(sum->angular, p.moment);
    sum->rate = vg_sub3(sum->rate, a.force); /* inner forces are in balance */
    for (int k = 0; k < 3; k++) {
        Resultant r = moved(in, M, vg_zero3(), vg_unit_axis3(k));
        double column[3];
        vg_store3(r.moment, column);
        for (int i = 0; i < 3; i++) sum->inertia.m[i][k] += column[i];
        /* force = e × first: half of it, for each component is seen twice */
        sum->first = vg_axpy3(0.5, vg_cross3(r.force, vg_unit_axis3(k)), sum->first);
    }
    for (int b = 0; b < in->nbody && own; b++) own[b] = M[6 * b * n + 6 * b];
}
