/* The families of channels: one row each, and the small ones themselves. */
#include "analysis/channels/list.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double part3(vgVec3 v, int k)
{
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

/* ---- force elements ---- */

static double force_output(const vgChanContext *c, vgChan *chan)
{
    return vg_probe_force_output(c->probe, chan->index, chan->part);
}

/* Along a joint coordinate a "torque" is a force and an "angle" a length where the joint slides. */
static const char *unit_along(const char *coordinate, const char *name)
{
    static const char *const units[][3] = {{"torque", "N*m", "N"},
                                           {"angle", "rad", "m"},
                                           {"rate", "rad/s", "m/s"},
                                           {"error", "rad", "m"},
                                           {"integral", "rad*s", "m*s"}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(name, units[i][0]) == 0) return units[i][strcmp(coordinate, "m") == 0 ? 2 : 1];
    return NULL;
}

/* Units of outputs by the words kinds use for them. */
static const char *output_unit(const vgModel *m, const vgForce *f, const char *name)
{
    static const char *const units[][2] = {
        {"force", "N"},        {"torque", "N*m"},  {"length", "m"},     {"rate", "m/s"},
        {"power", "W"},        {"position", "m"},  {"rotation", "rad"}, {"penetration", "m"},
        {"speed", "rad/s"},    {"normal", "N"},    {"friction", "N"},   {"slip", "m/s"},
        {"gap", "m"},          {"lateral", "N"},   {"aligning", "N*m"}, {"deflection", "m"},
        {"slip-angle", "rad"}, {"camber", "rad"},  {"depth", "m"},      {"axial", "N"},
        {"shear", "N"},        {"torsion", "N*m"}, {"moment", "N*m"},   {"strain", "J"},
        {"angle", "rad"},
    };
    const char *coordinate = f->setup.nmeasure > 0 ? m->measure[f->setup.measure[0]].unit : NULL;
    const char *along = coordinate ? unit_along(coordinate, name) : NULL;
    if (along) return along;
    size_t n = strcspn(name, ".");
    for (int whole = 1; whole >= 0;
         whole--) { /* slip-angle; else force.x, moment-y-start by their first word */
        if (!whole) n = strcspn(name, ".-");
        for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
            if (strlen(units[i][0]) == n && strncmp(units[i][0], name, n) == 0) return units[i][1];
        }
    }
    if (strcmp(f->kind->name, "force") == 0) return "N";
    return strcmp(f->kind->name, "torque") == 0 ? "N*m" : "";
}

static void list_force(vgChanEmit *emit, int force)
{
    const vgForce *f = &emit->sys->model->force[force];
    for (int k = 0; f->kind->outputs && f->kind->outputs[k]; k++) {
        emit->take(emit, f->kind->outputs[k], output_unit(emit->sys->model, f, f->kind->outputs[k]),
                   (vgChan){.eval = force_output, .index = force, .part = k});
    }
}

/* ---- inputs, and what controllers hold ---- */

static double held(const vgChanContext *c, vgChan *chan)
{
    return vg_probe_measure(c->probe, chan->index, 0)->value;
}

static void list_held(vgChanEmit *emit, const char *prefix)
{
    const vgModel *m = emit->sys->model;
    const size_t n = strlen(prefix);
    for (int i = 0; i < m->nmeasure; i++)
        if (m->measure[i].measure.kind == VG_MEASURE_INPUT && strncmp(m->measure[i].name, prefix, n) == 0)
            emit->take(emit, m->measure[i].name + n, "", (vgChan){.eval = held, .index = i});
}

static void list_inputs(vgChanEmit *emit, int member)
{
    (void)member;
    list_held(emit, "input.");
}

static void list_controllers(vgChanEmit *emit, int member)
{
    (void)member;
    list_held(emit, "controller.");
}

/* ---- energy ---- */

static double kinetic(const vgChanContext *c, vgChan *chan)
{
    (void)chan;
    return vg_energy_kinetic(c->probe);
}

static double potential(const vgChanContext *c, vgChan *chan)
{
    return chan->index < 0 ? vg_energy_potential(c->probe) : vg_energy_element(c->probe, chan->index);
}

static double gravity(const vgChanContext *c, vgChan *chan)
{
    (void)chan;
    return vg_energy_gravity(c->probe);
}

static double total(const vgChanContext *c, vgChan *chan)
{
    (void)chan;
    return vg_energy_total(c->probe);
}

static double dissipated(const vgChanContext *c, vgChan *chan)
{
    (void)chan;
    return c->work->dissipated;
}

static double drives(const vgChanContext *c, vgChan *chan)
{
    (void)chan;
    return c->work->drive;
}

static void list_energy(vgChanEmit *emit, int member)
{
    (void)member;
    const vgModel *m = emit->sys->model;
    emit->take(emit, "kinetic", "J", (vgChan){.eval = kinetic});
    emit->take(emit, "potential", "J", (vgChan){.eval = potential, .index = -1});
    emit->take(emit, "total", "J", (vgChan){.eval = total});
    emit->take(emit, "dissipated", "J", (vgChan){.eval = dissipated, .steps = 1});
    emit->take(emit, "drives", "J", (vgChan){.eval = drives, .steps = 1});
    emit->take(emit, "potential.gravity", "J", (vgChan){.eval = gravity});
    for (int i = 0; i < m->nforce; i++) {
        if (!m->force[i].kind->energy) continue;
        char name[200];
        snprintf(name, sizeof name, "potential.%s", m->force[i].name);
        emit->take(emit, name, "J", (vgChan){.eval = potential, .index = i});
    }
}

/* ---- constraints ---- */

static double violation(const vgChanContext *c, vgChan *chan)
{
    return vg_probe_violation(c->probe, chan->index, chan->part);
}

static void list_violation(vgChanEmit *emit, const char *prefix, int joint)
{
    static const char *const levels[] = {"position", "velocity", "acceleration"};
    for (int k = 0; k < 3; k++) {
        char name[200];
        snprintf(name, sizeof name, "%s%s", prefix, levels[k]);
        emit->take(emit, name, "", (vgChan){.eval = violation, .index = joint, .part = k});
    }
}

/* Both "constraint.position" and "constraint.JOINT.position". */
static void list_all_violations(vgChanEmit *emit, int member)
{
    (void)member;
    list_violation(emit, "", -1);
}

static void list_joint_violations(vgChanEmit *emit, int joint)
{
    int first;
    if (vg_probe_rows(emit->probe, joint, &first) > 0) list_violation(emit, "", joint);
}

/* ---- the whole ---- */

static double clock_time(const vgChanContext *c, vgChan *chan)
{
    (void)chan;
    return vg_probe_time(c->probe);
}

static double com(const vgChanContext *c, vgChan *chan)
{
    vgVec3 x[3];
    vg_energy_com(c->probe, &x[0], &x[1], &x[2]);
    return part3(x[chan->part / 3], chan->part % 3);
}

static double momentum(const vgChanContext *c, vgChan *chan)
{
    vgVec3 x[2];
    vg_energy_momentum(c->probe, &x[0], &x[1]);
    return part3(x[chan->part / 3], chan->part % 3);
}

static void list_com(vgChanEmit *emit, int member)
{
    (void)member;
    static const char *const names[] = {"position.x",     "position.y",     "position.z",
                                        "velocity.x",     "velocity.y",     "velocity.z",
                                        "acceleration.x", "acceleration.y", "acceleration.z"};
    static const char *const units[] = {"m", "m/s", "m/s^2"};
    for (int k = 0; k < 9; k++) {
        if (emit->sys->model->planar && k % 3 == 2) continue;
        emit->take(emit, names[k], units[k / 3], (vgChan){.eval = com, .part = k});
    }
}

static void list_momentum(vgChanEmit *emit, int member)
{
    (void)member;
    static const char *const names[] = {"x", "y", "z", "angular.x", "angular.y", "angular.z"};
    for (int k = 0; k < 6; k++) {
        if (emit->sys->model->planar && k > 1 && k < 5) continue;
        emit->take(emit, names[k], k < 3 ? "kg*m/s" : "kg*m^2/s", (vgChan){.eval = momentum, .part = k});
    }
}

static void list_time(vgChanEmit *emit, int member)
{
    (void)member;
    emit->take(emit, "", "s", (vgChan){.eval = clock_time});
}

/* ---- the list ---- */

static const vgNames *bodies(const vgModel *m)
{
    return m->body_names;
}

static const vgNames *markers(const vgModel *m)
{
    return m->marker_names;
}

static const vgNames *joints(const vgModel *m)
{
    return m->joint_names;
}

static const vgNames *forces(const vgModel *m)
{
    return m->force_names;
}

const vgFamily vg_families[] = {
    {"time", NULL, list_time},
    {"body", bodies, vg_chan_list_body},
    {"marker", markers, vg_chan_list_marker},
    {"joint", joints, vg_chan_list_joint},
    {"force", forces, list_force},
    {"input", NULL, list_inputs},
    {"controller", NULL, list_controllers},
    {"energy", NULL, list_energy},
    {"com", NULL, list_com},
    {"momentum", NULL, list_momentum},
    {"constraint", NULL, list_all_violations},
    {"constraint", joints, list_joint_violations},
    {NULL, NULL, NULL},
};
