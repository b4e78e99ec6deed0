/* What the force kinds share. */
#ifndef VERGE_ELEMENT_FORCE_UTIL_H
#define VERGE_ELEMENT_FORCE_UTIL_H

#include <math.h>
#include <stddef.h>

#include "element/force/force.h"
#include "element/law/table.h"

/* ∫ table from a to b, exact for linear and cubic pieces: the potential of a tabulated spring. */
double vg_force_table_integral(const vgTable *table, double a, double b);

/* Value and slope of a table in an element, on the side that is held (NULL, 0: as it is). */
static inline void vg_force_table(const vgTable *table, double x, const signed char *held, double out[3])
{
    if (held && *held)
        vg_table_eval_held(table, x, *held, out);
    else
        vg_table_eval(table, x, out);
}

/* The switches of a spring's table over x and of its damper's over v, each where there is one. */
static inline int vg_force_table_switches(const vgTable *table, double x, const vgTable *damper, double v,
                                          double *out)
{
    int n = 0;
    if (table) out[n++] = vg_table_switch(table, x);
    if (damper) out[n++] = vg_table_switch(damper, v);
    return n;
}

#define VG_COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

static inline vgStatus vg_force_refuse(vgForceSetup *out, const char *key, const char *why)
{
    out->key = key;
    out->why = why;
    return VG_BAD_INPUT;
}

/* Adds the law to the element's list unless it is a constant. */
static inline void vg_force_use_law(vgForceSetup *out, const vgLaw *law)
{
    if (law->expr) out->law[out->nlaw++] = law;
}

static inline int vg_law_uses_slot(const vgLaw *law, int slot)
{
    if (law->expr)
        for (int i = 0; i < law->ninput; i++)
            if (law->slot[i] == slot) return 1;
    return 0;
}

/* A law of channels is taken to depend on velocity: the channel may be a rate. */
static inline int vg_law_uses_channels(const vgLaw *law)
{
    return vg_law_nexternal(law) > 0;
}

/* dL: rows row.. of a matrix with `stride` columns, columns col..: += direction ⊗ dext. */
static inline void vg_force_add_dL(double *dL, int stride, int row, int nrow, const double *direction,
                                   int col, int n, const double *dext)
{
    for (int i = 0; i < nrow; i++)
        for (int j = 0; j < n; j++) dL[(row + i) * stride + col + j] += direction[i] * dext[j];
}

#endif
