#include "integrator/pairs.h"

int vg_pair_system(const vgCoordinatesRow *x, const vgConstraintsRow *c)
{
    return !x->first_order || (!c->over && (c->flag & VG_CON_ACCEL));
}

int vg_pair_allowed(const vgCoordinatesRow *x, const vgConstraintsRow *c, const vgIntegratorRow *i)
{
    if (!vg_pair_system(x, c) || !(i->constraints & c->flag)) return 0;
    if (x->first_order && !(i->flags & VG_INT_EXPLICIT)) return 0;
    return x->body_axes || !(i->flags & VG_INT_BODY_AXES);
}
