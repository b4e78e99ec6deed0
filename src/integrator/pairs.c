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

vgStatus vg_check_loads(const vgSystem *sys, const vgIntegratorRow *row, vgDiag *diag, vgLoc at)
{
    const char *joint = sys->model->joint[sys->model->load[0].joint].name;
    if (row->flags & VG_INT_SPLITS) {
        vg_diag_error(
            diag, at,
            "integrator '%s' takes applied forces and reactions apart, but a force reads the reaction of "
            "joint '%s'; use 'generalized-alpha', 'bdf' or an explicit method",
            row->name, joint);
        return VG_BAD_INPUT;
    }
    if (!(row->rough & sys->con) || sys->nphi == 0) return VG_OK;
    vg_diag_error(
        diag, at,
        "integrator '%s' with constraints '%s' knows reactions to first order only, and a force reads "
        "that of joint '%s'; use constraints 'index1', or integrator 'generalized-alpha'",
        row->name, sys->constraints, joint);
    return VG_BAD_INPUT;
}
