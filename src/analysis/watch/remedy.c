/* What to change where a monitor found something: each of these is tried in tests/defects/test_defects_watch.py. */
#include <string.h>

#include "analysis/watch/monitor.h"

static const char *of_growth(const vgIntegrator *it)
{
    const unsigned f = it->row->flags;
    if ((f & VG_INT_IMPLICIT) && !(f & VG_INT_ASTABLE))
        return "this method is not stable on undamped vibrations, and a smaller step may not help. Take one "
               "that is stable (generalized-alpha or bdf2)";
    if ((f & VG_INT_EXPLICIT) && !it->adaptive)
        return "this explicit method is not stable with this step. Take a smaller step, or, where this "
               "motion does not matter, a method that is stable (generalized-alpha)";
    return "the step is too large for this motion. Try a smaller step, a method with error control (rtol), "
           "or --events where contacts begin";
}

static int has_rho(const vgIntegratorRow *row)
{
    for (int i = 0; i < row->nparam; i++)
        if (!strcmp(row->params[i].name, "rho")) return 1;
    return 0;
}

/* Joint coordinates and rotations of a step do not see a steady spin; the others turn with it. */
static const char *of_defect(const vgIntegrator *it)
{
    const char *now = it->sys->coordinates;
    if (!strcmp(now, "lie") || !strcmp(now, "relative") || it->sys->model->planar)
        return "the step is too large for this motion. Try a smaller step, or a method with error control "
               "(rtol)";
    return "these coordinates turn too far in a step. Try coordinates lie or relative, or a smaller step";
}

const char *vg_watch_remedy(const vgIntegrator *it, vgWatchWrong what)
{
    switch (what) {
    case VG_WATCH_GROWS:
        return of_growth(it);
    case VG_WATCH_FALLS:
        return has_rho(it->row) ? "that is the method's own damping of a motion too fast for the step. Try a "
                                  "smaller step, or less damping (rho nearer to 1)"
                                : "that is the method's own damping of a motion too fast for the step. Try a "
                                  "smaller step, or a method with less damping (generalized-alpha)";
    case VG_WATCH_UNRESOLVED:
        return "the step does not resolve it, or the method is not stable with it. Take a smaller step, a "
               "method with error control (rtol), or one that is stable (generalized-alpha)";
    case VG_WATCH_SHARP:
        return "the step does not resolve it. Try a smaller step, or a method with error control (rtol)";
    case VG_WATCH_DEFECT:
        return of_defect(it);
    case VG_WATCH_SUM:
        return "the step is too large for so long a run. Try a smaller step, or a method with error control "
               "(dopri5, rtol); --verify measures the error";
    case VG_WATCH_MOMENTUM:
        return strcmp(it->sys->coordinates, "se3") ? "the step is too large for this spin. Try a smaller step"
                                                   : "these coordinates couple translation to the spin. Try "
                                                     "coordinates lie, or a smaller step";
    default:
        return it->sys->is.saddle && vg_at_position(it->sys)
                   ? "(try constraints index2, a smaller step, or a method with more damping at high "
                     "frequencies)"
                   : "(try a smaller step, or a method with more damping at high frequencies)";
    }
}
