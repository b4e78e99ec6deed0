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

static const char *constraint_name(unsigned flag)
{
    for (const vgConstraintsRow *r = vg_constraints_list; r->name; r++)
        if (r->flag == flag) return r->name;
    return "none";
}

static vgStatus check_body_axes(const vgSystem *sys, const vgIntegratorRow *row, vgDiag *diag, vgLoc at)
{
    const vgModel *m = sys->model;
    if (!sys->body_axes) {
        vg_diag_error(diag, at, "integrator '%s' works with coordinates 'lie' or 'planar', not '%s'%s",
                      row->name, sys->coordinates, sys->mixed ? " mixed with those of single bodies" : "");
        return VG_BAD_INPUT;
    }
    for (int f = 0; f < m->nforce; f++)
        if (m->force[f].setup.inertial) {
            vg_diag_error(diag, at, "integrator '%s' does not know the inertia of force element '%s'",
                          row->name, m->force[f].name);
            return VG_BAD_INPUT;
        }
    return VG_OK;
}

/* Forces that read reactions need a method that knows these as well as the motion. For models with loads. */
static vgStatus check_loads(const vgSystem *sys, const vgIntegratorRow *row, vgDiag *diag, vgLoc at)
{
    const char *joint = sys->model->joint[sys->model->load[0].joint].name;
    if (row->flags & VG_INT_SPLITS) {
        vg_diag_error(diag, at,
                      "integrator '%s' takes applied forces and reactions apart, but a force reads the "
                      "reaction of joint '%s'; use 'generalized-alpha', 'bdf' or an explicit method",
                      row->name, joint);
        return VG_BAD_INPUT;
    }
    if (!(row->rough & sys->con) || sys->nphi == 0) return VG_OK;
    vg_diag_error(diag, at,
                  "integrator '%s' with constraints '%s' knows reactions to first order only, and a force "
                  "reads that of joint '%s'; use constraints 'index1', or integrator 'generalized-alpha'",
                  row->name, sys->constraints, joint);
    return VG_BAD_INPUT;
}

static vgStatus check_holonomic(const vgSystem *sys, const vgIntegratorRow *row, vgDiag *diag, vgLoc at)
{
    for (int r = 0; r < sys->nl; r++)
        if (sys->row_level[r] != 0) {
            vg_diag_error(diag, at,
                          "integrator '%s' cannot keep joint '%s', which constrains velocities alone",
                          row->name, sys->model->joint[sys->row_joint[r]].name);
            return VG_BAD_INPUT;
        }
    return VG_OK;
}

vgStatus vg_pair_check(const vgSystem *sys, const vgIntegratorRow *row, vgDiag *diag, vgLoc at)
{
    unsigned now = sys->nphi == 0 ? VG_CON_NONE | sys->con : sys->con;
    if (!sys->second_order && !(row->flags & VG_INT_EXPLICIT)) {
        vg_diag_error(diag, at,
                      "coordinates '%s' are of first order and work with explicit integrators only; use "
                      "'euler-angles' with '%s'",
                      sys->coordinates, row->name);
        return VG_BAD_INPUT;
    }
    if (row->flags & VG_INT_BODY_AXES) {
        vgStatus st = check_body_axes(sys, row, diag, at);
        if (st != VG_OK) return st;
    }
    if (row->flags & (VG_INT_BODY_AXES | VG_INT_HOLONOMIC)) {
        vgStatus st = check_holonomic(sys, row, diag, at);
        if (st != VG_OK) return st;
    }
    if (sys->model->nload > 0) {
        vgStatus st = check_loads(sys, row, diag, at);
        if (st != VG_OK) return st;
    }
    if (row->constraints & now) return VG_OK;
    char allowed[160] = "";
    for (const vgConstraintsRow *r = vg_constraints_list; r->name; r++)
        if (row->constraints & r->flag) {
            strcat(allowed, *allowed ? ", " : "");
            strcat(allowed, r->name);
        }
    vg_diag_error(diag, at, "integrator '%s' does not work with constraints '%s'; it takes %s", row->name,
                  constraint_name(sys->con), allowed);
    return VG_BAD_INPUT;
}
