/* What to change about a method that does not keep energy or momentum. */
#include "analysis/watch/monitor.h"

const char *vg_watch_remedy(const vgIntegrator *it, int grows)
{
    const unsigned f = it->row->flags;
    if (grows && (f & VG_INT_IMPLICIT) && !(f & VG_INT_ASTABLE))
        return "this method is not stable on undamped vibrations. Take one that is (generalized-alpha, bdf2 "
               "or "
               "sdirk2): a smaller step may not help";
    if (grows && (f & VG_INT_EXPLICIT) && !it->adaptive)
        return "an explicit method is unstable with this step. Take a smaller step, error control (rtol), or "
               "an "
               "implicit method (generalized-alpha)";
    if (grows)
        return "the step is too large for this motion. Try a smaller step, a method with error control "
               "(rtol), "
               "or --events where contacts begin";
    return "that is the method's own error on a motion too fast for the step. Try a smaller step, or a "
           "method "
           "or setting with less damping (rho)";
}
