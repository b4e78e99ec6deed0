/* Channels of places on beams: stress resultants, on the parabola through those of the element's ends and
 * middle (docs/theory.md, eq. 89a). */
#include <string.h>

#include "analysis/channels/list.h"

static double stress(const vgChanContext *c, vgChan *chan)
{
    const vgModel *m = vg_probe_system(c->probe)->model;
    const vgStation *s = &m->station[chan->index];
    const int k = chan->part;
    const double middle = vg_probe_force_output(c->probe, s->force, k),
                 start = vg_probe_force_output(c->probe, s->force, 6 + k),
                 end = vg_probe_force_output(c->probe, s->force, 12 + k);
    return middle + 0.5 * s->xi * (end - start + s->xi * (start + end - 2 * middle));
}

void vg_chan_list_station(vgChanEmit *emit, int body)
{
    static const char *const names[] = {"axial", "shear-y", "shear-z", "torsion", "moment-y", "moment-z"};
    const vgModel *m = emit->sys->model;
    for (int i = 0; i < m->nstation; i++) {
        const vgStation *s = &m->station[i];
        if (s->body != body || s->force < 0 || strncmp(m->force[s->force].kind->name, "beam", 4) != 0)
            continue;
        for (int k = 0; k < 6; k++) {
            if (m->planar && k != 0 && k != 1 && k != 5) continue;
            emit->take(emit, names[k], k < 3 ? "N" : "N*m", (vgChan){.eval = stress, .index = i, .part = k});
        }
    }
}
