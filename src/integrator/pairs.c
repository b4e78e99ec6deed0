#include "integrator/pairs.h"

#include <string.h>

int vg_pair_system(const vgCoordinatesRow *x, const vgConstraintsRow *c)
{
    return !x->first_order || (!c->over && (c->flag & VG_CON_ACCEL));
}

/* Euler parameters have four rates for three inertias. */
int vg_mass_singular(const char *coordinates)
{
    return !strcmp(coordinates, "euler-parameters");
}

int vg_pair_allowed(const vgCoordinatesRow *x, const vgConstraintsRow *c, const vgIntegratorRow *i)
{
    if (!vg_pair_system(x, c) || !(i->constraints & c->flag)) return 0;
    if (x->first_order && !(i->flags & VG_INT_EXPLICIT)) return 0;
    if ((i->flags & VG_INT_INVERTS) && vg_mass_singular(x->name)) return 0;
    return x->body_axes || !(i->flags & VG_INT_BODY_AXES);
}
