/* Beams by hand for the tests: definitions as the reader would fill them, motions, Richardson differences. */
#ifndef VERGE_BEAM_CHECK_H
#define VERGE_BEAM_CHECK_H

#include <stdlib.h>

#include "element/beam/beam.h"
#include "math/so3.h"
#include "test.h"

extern const vgForceKind vg_force_beam, vg_force_beam3, vg_force_cable;

enum { BEAM_MAX = 3, BEAM_N = 18 };

static inline double beam_random(void)
{
    static unsigned long long s = 88172645463325252ULL;
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    return (double)(s >> 11) / 4503599627370496.0 - 1;
}

static inline vgVec3 beam_random3(double size)
{
    vgVec3 v = vg_v3(beam_random(), beam_random(), beam_random());
    return vg_scale3(v, size);
}

/* Every field at its fallback, bodies 0, 1, 2 along the beam, frames the bodies' own. */
static inline void beam_defaults(const vgForceKind *kind, void *def)
{
    memset(def, 0, kind->def_size);
    for (int i = 0; i < kind->nfield; i++) {
        const vgField *f = &kind->fields[i];
        char *at = (char *)def + f->offset;
        int absent = f->fallback && f->fallback[0] == '\0';
        double value = absent ? NAN : f->fallback ? strtod(f->fallback, NULL) : 0;
        if (f->type == VG_FIELD_NUMBER) *(double *)at = value;
        if (f->type == VG_FIELD_BOOL || f->type == VG_FIELD_INT) *(int *)at = (int)value;
        if (f->type == VG_FIELD_VEC3)
            for (int k = 0; k < 3; k++) ((double *)at)[k] = value;
        if (f->type == VG_FIELD_NAME) *(const char **)at = absent ? NULL : f->fallback;
    }
    vgForceHead *head = def;
    vgFrame eye = {.R = vg_eye3()};
    int three = kind == &vg_force_beam3;
    head->frame[0] = head->frame[1] = eye;
    head->frame[1].body = three ? 2 : 1;
    if (three) {
        ((vgBeam *)def)->middle = eye;
        ((vgBeam *)def)->middle.body = 1;
    }
}

static inline vgForceSetup beam_ready(const vgForceKind *kind, void *def, int planar, const vgKin *kin)
{
    vgForceSetup setup = {0};
    const vgKin *at[BEAM_MAX] = {&kin[0], &kin[1], &kin[2]};
    CHECK_INT(kind->setup(def, planar, &setup), VG_OK);
    vgForceIn in = {.nbody = setup.nbody, .kin = at};
    kind->place(def, &in);
    return setup;
}

static inline void beam_eval(const vgForceKind *kind, const void *def, int nbody, const vgKin *kin,
                             vgVec3 gravity, vgForceOut *out)
{
    const vgKin *at[BEAM_MAX] = {&kin[0], &kin[1], nbody > 2 ? &kin[2] : NULL};
    vgForceIn in = {.nbody = nbody, .kin = at, .gravity = gravity};
    kind->eval(def, &in, out);
}

static inline double beam_energy(const vgForceKind *kind, const void *def, int nbody, const vgKin *kin)
{
    const vgKin *at[BEAM_MAX] = {&kin[0], &kin[1], nbody > 2 ? &kin[2] : NULL};
    vgForceIn in = {.nbody = nbody, .kin = at};
    return kind->energy(def, &in);
}

/* Moves native component c of a motion: level 0 the pose, 1 the velocity, 2 the acceleration. */
static inline void beam_nudge(vgKin *kin, int level, int c, double h)
{
    vgKin *k = &kin[c / 6];
    int i = c % 6;
    double d[3] = {0, 0, 0};
    d[i % 3] = h;
    vgVec3 v = vg_load3(d);
    if (level == 0 && i < 3) k->p = vg_add3(k->p, v);
    if (level == 0 && i >= 3) k->R = vg_mm3(k->R, vg_so3_exp(v));
    if (level == 1 && i < 3) k->v = vg_add3(k->v, v);
    if (level == 1 && i >= 3) k->w = vg_add3(k->w, v);
    if (level == 2 && i < 3) k->dv = vg_add3(k->dv, v);
    if (level == 2 && i >= 3) k->dw = vg_add3(k->dw, v);
}

/* D (n×n) = ∂f/∂(level) by central differences with three Richardson steps. */
static inline void beam_differences(const vgForceKind *kind, const void *def, int nbody, const vgKin *kin0,
                                    vgVec3 gravity, int level, double step, double *D)
{
    int n = 6 * nbody;
    for (int c = 0; c < n; c++) {
        double d[4][BEAM_N];
        for (int k = 0; k < 4; k++) {
            double h = step / (1 << k), fp[BEAM_N] = {0}, fm[BEAM_N] = {0};
            vgKin kin[BEAM_MAX];
            memcpy(kin, kin0, sizeof kin);
            beam_nudge(kin, level, c, h);
            beam_eval(kind, def, nbody, kin, gravity, &(vgForceOut){.f = fp});
            memcpy(kin, kin0, sizeof kin);
            beam_nudge(kin, level, c, -h);
            beam_eval(kind, def, nbody, kin, gravity, &(vgForceOut){.f = fm});
            for (int i = 0; i < n; i++) d[k][i] = (fp[i] - fm[i]) / (2 * h);
        }
        for (int m = 1; m < 4; m++)
            for (int k = 0; k + m < 4; k++)
                for (int i = 0; i < n; i++)
                    d[k][i] = d[k + 1][i] + (d[k + 1][i] - d[k][i]) / ((1 << (2 * m)) - 1);
        for (int i = 0; i < n; i++) D[i * n + c] = d[0][i];
    }
}

static inline double beam_largest(int n, const double *a)
{
    double big = 0;
    for (int i = 0; i < n; i++) big = fmax(big, fabs(a[i]));
    return big;
}

static inline double beam_distance(int n, const double *a, const double *b)
{
    double big = 0;
    for (int i = 0; i < n; i++) big = fmax(big, fabs(a[i] - b[i]));
    return big;
}

#endif
