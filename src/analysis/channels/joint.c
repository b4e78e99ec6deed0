/* Channels of joints: coordinates, their derivatives, reactions, multipliers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/channels/list.h"

static double coordinate(const vgChanContext *c, vgChan *chan)
{
    return vg_probe_measure(c->probe, chan->index, 0)->value;
}

static double rate(const vgChanContext *c, vgChan *chan)
{
    return vg_probe_measure(c->probe, chan->index, 0)->rate;
}

static double acceleration(const vgChanContext *c, vgChan *chan)
{
    return vg_probe_measure_acc(c->probe, chan->index);
}

/* Force (part 0…2) or torque (3…5) on the second body, along the axes of the joint's first frame, whose z is
 * the joint's axis; in planar models of the first frame as given, so that x and y lie in the plane whatever
 * the axis. A drive shows itself in the frame of the joint it drives. */
static double reaction(const vgChanContext *c, vgChan *chan)
{
    const vgModel *m = vg_probe_system(c->probe)->model;
    const vgJoint *j = &m->joint[chan->index];
    if (j->drive_of >= 0) j = &m->joint[j->drive_of];
    const double *wrench = vg_probe_reaction(c->probe, chan->index);
    vgVec3 w = vg_load3(wrench + (chan->part < 3 ? 0 : 3));
    vgMat3 axes = m->planar ? vg_joint_first_frame(&j->def, 1).R : j->def.A.R;
    vgVec3 axis = vg_mv3(vg_probe_kin(c->probe, j->def.A.body)->R, vg_col3(axes, chan->part % 3));
    return vg_dot3(w, axis);
}

static double multiplier(const vgChanContext *c, vgChan *chan)
{
    int first, n = vg_probe_rows(c->probe, chan->index, &first);
    return chan->part < n ? vg_probe_multipliers(c->probe)[first + chan->part] : NAN;
}

/* What a drive pushes its coordinate with: r = … + Bᵀλ, so −λ acts. */
static double effort(const vgChanContext *c, vgChan *chan)
{
    return -multiplier(c, chan);
}

/* "angle" of the measure "joint.O.angle" */
static const char *last_part(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

static void derivatives(vgChanEmit *emit, int measure, int number)
{
    const vgNamedMeasure *m = &emit->sys->model->measure[measure];
    char name[40], unit[40];
    const char *length = m->unit ? m->unit : "";
    snprintf(name, sizeof name, number == 1 ? "rate" : "rate%d", number);
    snprintf(unit, sizeof unit, "%s/s", *length ? length : "1");
    emit->take(emit, name, unit, (vgChan){.eval = rate, .index = measure});
    snprintf(name, sizeof name, number == 1 ? "acceleration" : "acceleration%d", number);
    snprintf(unit, sizeof unit, "%s/s^2", *length ? length : "1");
    emit->take(emit, name, unit, (vgChan){.eval = acceleration, .index = measure});
}

void vg_chan_list_joint(vgChanEmit *emit, int joint)
{
    static const char *const parts[] = {"force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z"};
    const vgModel *m = emit->sys->model;
    const vgJoint *j = &m->joint[joint];
    char name[40];
    for (int i = 0; i < j->ncoord; i++) { /* a drive has none of its own */
        int measure = j->measure0 + i;
        emit->take(emit, last_part(m->measure[measure].name), m->measure[measure].unit,
                   (vgChan){.eval = coordinate, .index = measure, .watch = measure + 1});
    }
    for (int i = 0; i < j->ncoord; i++) derivatives(emit, j->measure0 + i, i + 1);
    /* gears and couplers act between joints: they have multipliers, but no force at one place */
    int apart = j->a < 0 && j->b < 0 && j->nprim == 1 && m->prim[j->prim0].nterm > 1;
    for (int k = 0; k < 6 && !apart; k++) {
        if (m->planar && k > 1 && k < 5) continue; /* forces lie in the plane, torques stand on it */
        emit->take(emit, parts[k], k < 3 ? "N" : "N*m",
                   (vgChan){.eval = reaction, .index = joint, .part = k});
    }
    int first, n = vg_probe_rows(emit->probe, joint, &first);
    const vgPrim *p = &m->prim[j->prim0];
    if (j->nprim == 1 && vg_prim_is_drive(p)) {
        const char *unit = m->measure[p->measure[0]].unit;
        emit->take(emit, "effort", unit && !strcmp(unit, "rad") ? "N*m" : "N",
                   (vgChan){.eval = effort, .index = joint});
    }
    for (int k = 0; k < n; k++) {
        snprintf(name, sizeof name, "lambda.%d", k);
        emit->take(emit, name, "", (vgChan){.eval = multiplier, .index = joint, .part = k});
    }
}
