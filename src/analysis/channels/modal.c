/* Channels of flexible bodies: amplitudes and strain energy at the frame, stress resultants at the nodes. */
#include <stdio.h>

#include "analysis/channels/list.h"

static double part3(vgVec3 v, int k)
{
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

static double amplitude(vgProbe *p, const vgFlexible *x, int mode, int derivative)
{
    const vgKin *k = vg_probe_kin(p, x->carrier + mode / 3);
    return part3(derivative ? k->v : k->p, mode % 3);
}

/* part = 2 · mode + derivative */
static double mode(const vgChanContext *c, vgChan *chan)
{
    const vgFlexible *x = &vg_probe_system(c->probe)->model->modal[chan->index];
    return amplitude(c->probe, x, chan->part / 2, chan->part % 2);
}

static double strain_energy(const vgChanContext *c, vgChan *chan)
{
    const vgFlexible *x = &vg_probe_system(c->probe)->model->modal[chan->index];
    return vg_probe_force_output(c->probe, x->force, 0);
}

/* part = 6 · node + component */
static double stress(const vgChanContext *c, vgChan *chan)
{
    const vgFlexible *x = &vg_probe_system(c->probe)->model->modal[chan->index];
    const double *s = x->data->node[chan->part / 6].stress;
    double sum = 0;
    for (int k = 0; k < x->data->nmode; k++) sum += s[6 * k + chan->part % 6] * amplitude(c->probe, x, k, 0);
    return sum;
}

static void list_stress(vgChanEmit *emit, int flexible, int node, const char *prefix)
{
    static const char *const names[] = {"axial", "shear-y", "shear-z", "torsion", "moment-y", "moment-z"};
    const int planar = emit->sys->model->planar;
    char name[200];
    if (!emit->sys->model->modal[flexible].data->node[node].stress) return;
    for (int k = 0; k < 6; k++) {
        if (planar && k != 0 && k != 1 && k != 5) continue;
        snprintf(name, sizeof name, "%s%s", prefix, names[k]);
        emit->take(emit, name, k < 3 ? "N" : "N*m",
                   (vgChan){.eval = stress, .index = flexible, .part = 6 * node + k});
    }
}

void vg_chan_list_flexible(vgChanEmit *emit, int body)
{
    const vgModel *m = emit->sys->model;
    char name[200];
    for (int i = 0; i < m->nmodal; i++) {
        const vgFlexible *x = &m->modal[i];
        for (int k = 0; k < x->data->nnode; k++)
            if (x->node[k] == body) list_stress(emit, i, k, "");
        if (x->frame != body) continue;
        for (int k = 0; k < 2 * x->data->nmode; k++) {
            snprintf(name, sizeof name, k % 2 ? "mode-rate.%d" : "mode.%d", k / 2 + 1);
            emit->take(emit, name, k % 2 ? "m/s" : "m", (vgChan){.eval = mode, .index = i, .part = k});
        }
        emit->take(emit, "strain-energy", "J", (vgChan){.eval = strain_energy, .index = i});
        for (int k = 0; k < x->data->nnode; k++) { /* a node that does not move is a marker here */
            snprintf(name, sizeof name, "%s.", x->data->node[k].name);
            if (x->node[k] < 0) list_stress(emit, i, k, name);
        }
    }
}
