/* Failures of a step in words that name the joint or body, the equation and the time. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "integrator/stage/stage.h"

void vg_fail(vgIntegrator *it, vgStatus status, double t, const char *format, ...)
{
    va_list args;
    it->failure.status = status;
    it->failure.t = t;
    va_start(args, format);
    vsnprintf(it->failure.text, sizeof it->failure.text, format, args);
    va_end(args);
}

void vg_fail_equation(vgIntegrator *it, vgStatus status, double t, int row, const char *what)
{
    const vgSystem *sys = it->sys;
    const vgModel *m = sys->model;
    if (row >= sys->nv) {
        int r = row - sys->nv, joint = r < sys->nl ? sys->row_joint[r] : -1, nth = 0;
        for (int i = 0; i <= r && r < sys->nl; i++) nth += sys->row_joint[i] == joint;
        if (joint >= 0)
            vg_fail(it, status, t, "%s at t = %.9g s, worst in joint '%s' (constraint %d of %d)", what, t,
                    m->joint[joint].name, nth, m->joint[joint].nrow);
        else
            vg_fail(it, status, t, "%s at t = %.9g s, worst in the unit length of a rotation", what, t);
    } else if (row >= 0) {
        int body = sys->v_body[row];
        vg_fail(it, status, t, "%s at t = %.9g s, worst in the equations of motion of body '%s'", what, t,
                m->body[body].name);
    } else {
        vg_fail(it, status, t, "%s at t = %.9g s", what, t);
    }
}

int vg_fail_worst_row(const vgSystem *sys, const vgStage *st)
{
    int row = -1;
    double worst = -1;
    for (int i = 0; i < sys->nv; i++) {
        double x = fabs(st->x[i]) / sys->v_scale[i];
        if (!(x <= worst)) {
            worst = x;
            row = i;
        }
        if (!isfinite(x)) return i;
    }
    for (int i = 0; i < sys->nl; i++)
        if (fabs(st->phi[i]) / sys->length > worst) {
            worst = fabs(st->phi[i]) / sys->length;
            row = sys->nv + i;
        }
    return row;
}
