#include "integrator/step_size.h"

#include <math.h>

/* Attempts between judgements. From the smallest step a controller that doubles it is back at the usual one
 * within fifty; at half of it nothing changes, at a hundred times a second of processor time is exceeded. */
enum { WINDOW = 2000 };

double vg_pace(vgPace *p, double t, double end, double most)
{
    if (!p->known) *p = (vgPace){.from = t, .known = 1};
    if (++p->count < WINDOW) return 0;
    double gone = t - p->from, left = end - t, rest = WINDOW * left;
    *p = (vgPace){.from = t, .known = 1};
    return rest > most * gone ? (gone > 0 ? rest / gone : INFINITY) : 0;
}
