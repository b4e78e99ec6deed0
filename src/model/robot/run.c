/* How a robot runs: coordinates, method and times; what is recorded. */
#include <math.h>

#include "model/robot/robot.h"
#include "model/tuning.h"

/* The hinge before a hinge with nothing but a massless frame between them, both about one point; −1: there is none. */
static int hinge_before(const vgRobot *r, int k)
{
    const vgRobotJoint *j = &r->joint[k];
    const vgRobotBody *b = &r->body[j->body];
    int before = k - 1;
    if (k == b->joint0) { /* the last joint of the body before, if that has no inertia */
        int on = b->parent < 0 ? -1 : r->body[b->parent].carrier;
        const vgRobotBody *p = on < 0 ? NULL : &r->body[on];
        if (!p || p->njoint == 0 || p->mass > 0 || vg_mmax3(p->inertia) > 0) return -1;
        before = p->joint0 + p->njoint - 1;
    }
    const vgRobotJoint *i = &r->joint[before];
    if (i->kind != VG_ROBOT_HINGE || j->kind != VG_ROBOT_HINGE || i->held || j->held || j->driven) return -1;
    const vgRobotBody *c = &r->body[i->body];
    vgVec3 d =
        vg_sub3(vg_add3(b->W.p, vg_mv3(b->W.R, j->anchor)), vg_add3(c->W.p, vg_mv3(c->W.R, i->anchor)));
    return vg_norm3(d) < VG_BALL_POINT ? before : -1;
}

/* A ball joint of three hinges has positions in which its axes lie in a plane. Near them its frames, which have no inertia,
 * turn at any speed: steps of one size do not follow that. */
static int ball_of_hinges(vgRobot *r)
{
    for (int k = 0; k < r->njoint; k++) {
        int second = hinge_before(r, k), first = second < 0 ? -1 : hinge_before(r, second);
        if (first < 0) continue;
        vg_robot_note(
            r, VG_IMPORT_CHANGED, 0, r->joint[k].loc,
            "the hinges '%.80s', '%.80s' and '%.80s' without mass between them are a ball joint that is "
            "singular where their axes lie in a plane: the model is run with error control (dop853)",
            r->joint[first].given, r->joint[second].given, r->joint[k].given);
        return 1;
    }
    return 0;
}

double vg_robot_least_inertia(const vgRobot *r, const vgRobotJoint *j)
{
    const vgRobotBody *b = &r->body[j->body];
    if (j->kind == VG_ROBOT_SLIDE) return j->armature + b->mass;
    const vgVec3 arm = vg_cross3(j->axis, vg_sub3(b->com, j->anchor));
    return j->armature + b->mass * vg_dot3(arm, arm) + vg_dot3(j->axis, vg_mv3(b->inertia, j->axis));
}

/* The fastest rate of change, 1/s, that springs, dampers, friction and drives of single joints make. Where bodies without inertia
 * are between, it is not known: 0. */
static double fastest(const vgRobot *r)
{
    double most = r->drive_rate;
    for (int k = 0; k < r->njoint; k++) {
        const vgRobotJoint *j = &r->joint[k];
        if (j->held || j->driven || (j->kind != VG_ROBOT_HINGE && j->kind != VG_ROBOT_SLIDE)) continue;
        const double J = vg_robot_least_inertia(r, j),
                     c = j->damping + j->drive_damping + j->friction / VG_FRICTION_SLIP;
        if (!(J > 0)) continue;
        most = fmax(most, fmax(c / J, sqrt(fmax(j->stiffness + j->drive_stiffness, 0) / J)));
    }
    return most;
}

/* An explicit method of high order with error control, unless its steps would be bounded by stability alone. */
static void put_method(vgRobot *r, vgNode *run, vgLoc at)
{
    if (!ball_of_hinges(r) && fastest(r) * r->timestep > VG_ROBOT_STIFF) return;
    vgNode *tolerance = vg_robot_map(r, at), *method = vg_robot_map(r, at);
    vg_robot_put(r, tolerance, "rtol", vg_robot_number(r, at, VG_ROBOT_TOLERANCE));
    vg_robot_put(r, tolerance, "atol", vg_robot_number(r, at, VG_ROBOT_TOLERANCE / 100));
    vg_robot_put(r, method, "dop853", tolerance);
    vg_robot_put(r, run, "integrator", method);
}

void vg_robot_put_run(vgRobot *r, vgNode *root)
{
    vgNode *run = vg_robot_map(r, root->loc);
    vg_robot_put(r, run, "coordinates", vg_robot_text(r, root->loc, "relative"));
    put_method(r, run, root->loc);
    vg_robot_put(r, run, "step", vg_robot_number(r, root->loc, r->timestep));
    vg_robot_put(r, run, "end", vg_robot_number(r, root->loc, 5));
    vg_robot_put(r, run, "output", vg_robot_number(r, root->loc, 0.01));
    vg_robot_put(r, root, "run", run);
    vgNode *list[512];
    for (int i = 0; i < r->nrecord; i++) list[i] = vg_robot_text(r, root->loc, r->record[i]);
    if (r->nrecord) vg_robot_put(r, root, "record", vg_robot_list(r, root->loc, r->nrecord, list));
}
