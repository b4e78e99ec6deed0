#include "element/prim/load.h"

#include <string.h>

/* weight |x|, its derivative added to d. */
static double size(double weight, vgVec3 x, double *d)
{
    double n = vg_norm3(x);
    if (d && n > 0) vg_store3(vg_axpy3(weight / n, x, vg_load3(d)), d);
    return weight * n;
}

double vg_load_value(const vgLoad *load, vgVec3 axis, const double wrench[6], double d[6])
{
    vgVec3 F = vg_load3(wrench), T = vg_load3(wrench + 3);
    double *dF = d, *dT = d ? d + 3 : NULL, couple = load->length > 0 ? 2 / load->length : 0;
    if (d) memset(d, 0, 6 * sizeof *d);
    if (load->kind == VG_LOAD_PART) {
        if (d) d[load->part] = 1;
        return wrench[load->part];
    }
    if (load->kind == VG_LOAD_BALL) return size(load->radius, F, dF);
    vgVec3 Fa = vg_scale3(axis, vg_dot3(axis, F)), Ta = vg_scale3(axis, vg_dot3(axis, T));
    vgVec3 Fr = vg_sub3(F, Fa), Tb = vg_sub3(T, Ta);
    if (load->kind == VG_LOAD_TURNING)
        return size(load->radius, Fr, dF) + size(load->thrust, Fa, dF) + size(load->radius * couple, Tb, dT);
    return size(1, Fr, dF) + size(couple, Tb, dT) + size(load->radius > 0 ? 1 / load->radius : 0, Ta, dT);
}
