/* The tree of a robot: which bodies are one, what has no inertia, where everything is at the start. */
#include <math.h>
#include <string.h>

#include "model/robot/robot.h"

/* Joints of a body that stay: 0 where it is part of the body before it. */
static int moving_joints(const vgRobot *r, const vgRobotBody *b)
{
    int n = 0;
    for (int k = 0; k < b->njoint; k++) n += !r->joint[b->joint0 + k].held;
    return n;
}

static int has_inertia(const vgRobotBody *b)
{
    return b->mass > 0 || vg_mmax3(b->inertia) > 0;
}

/* Joints that couplings tie to one that moves something: they follow it, whatever they carry. follows: [njoint]. */
static void find_followers(const vgRobot *r, const unsigned char *heavy, unsigned char *follows)
{
    for (int i = 0; i < r->njoint; i++) {
        const vgRobotJoint *j = &r->joint[i];
        follows[i] = heavy[j->body] || j->armature > 0 || j->driven;
    }
    for (int changed = 1; changed;) {
        changed = 0;
        for (int c = 0; c < r->ncoupling; c++) {
            const vgRobotCoupling *k = &r->coupling[c];
            int left = 0, last = -1; /* a coupling settles one coordinate */
            for (int t = 0; t < k->n; t++)
                if (!follows[k->joint[t]]) left++, last = k->joint[t];
            if (left == 1) follows[last] = 1, changed = 1;
        }
    }
}

void vg_robot_refuse_held(vgRobot *r, int k, vgLoc at, const char *what)
{
    const vgRobotJoint *j = &r->joint[k];
    vg_robot_wrong(
        r, at,
        "joint '%.80s' moves link '%.80s', behind which nothing has mass, and %s: it has no equation of "
        "motion. Give the link mass and inertia, or make the joint fixed",
        j->given, r->body[j->body].given, what);
}

/* A joint behind which nothing has inertia has no equation of motion: its link is a frame that is carried along, unless
 * something acts on the joint, or a coupling moves it. heavy: [nbody]. */
static void hold_massless(vgRobot *r, unsigned char *heavy, unsigned char *follows)
{
    for (int l = 0; l < r->nloop; l++)
        for (int s = 0; s < 2; s++)
            if (r->loop[l].body[s] >= 0) heavy[r->loop[l].body[s]] = 1;
    for (int i = r->nbody - 1; i >= 0; i--) {
        const vgRobotBody *b = &r->body[i];
        heavy[i] |= (unsigned char)has_inertia(b);
        int carried = heavy[i];
        for (int k = 0; k < b->njoint; k++)
            carried |= r->joint[b->joint0 + k].armature > 0 || r->joint[b->joint0 + k].driven;
        if (b->parent >= 0) heavy[b->parent] |= (unsigned char)carried;
    }
    find_followers(r, heavy, follows);
    for (int i = 0; i < r->njoint; i++) {
        vgRobotJoint *j = &r->joint[i];
        const vgRobotBody *b = &r->body[j->body];
        int carried = heavy[j->body];
        for (int k = 0; k < b->njoint; k++) {
            const vgRobotJoint *o = &r->joint[b->joint0 + k];
            carried |= o->armature > 0 || o->driven || follows[b->joint0 + k];
        }
        if (carried) continue;
        j->held = 1;
        if (j->stiffness != 0) vg_robot_refuse_held(r, i, j->loc, "a spring pulls it");
        vg_robot_note(
            r, r->options->strict ? VG_IMPORT_IGNORED : VG_IMPORT_CHANGED, 1, j->loc,
            "joint '%s' moves link '%s', behind which nothing has mass, so that it has no equation of "
            "motion: the link is a frame that is carried along as it starts. Give the link mass and inertia "
            "to let it move, or make the joint fixed",
            j->given, b->given);
    }
}

/* The motion of a joint from the drawn pose, applied to a frame that moves with velocity v (of its origin) and w. */
static void move(const vgRobotJoint *j, vgPose *X, vgVec3 *v, vgVec3 *w)
{
    vgPose old = *X;
    vgVec3 axis = vg_mv3(old.R, j->axis), anchor = vg_add3(old.p, vg_mv3(old.R, j->anchor));
    vgVec3 at_anchor = vg_add3(*v, vg_cross3(*w, vg_sub3(anchor, old.p)));
    switch (j->kind) {
    case VG_ROBOT_HINGE:
        X->R = vg_mm3(old.R, vg_so3_exp(vg_scale3(j->axis, j->q[0] - j->ref)));
        *w = vg_axpy3(j->v[0], axis, *w);
        break;
    case VG_ROBOT_BALL:
        X->R = vg_mm3(old.R, vg_quat_to_mat(vg_quat_normalize(vg_quat_load(j->q))));
        *w = vg_add3(*w, vg_mv3(X->R, vg_load3(j->v)));
        break;
    case VG_ROBOT_SLIDE:
        anchor = vg_axpy3(j->q[0] - j->ref, axis, anchor);
        at_anchor = vg_add3(vg_add3(*v, vg_cross3(*w, vg_sub3(anchor, old.p))), vg_scale3(axis, j->v[0]));
        break;
    case VG_ROBOT_PLANAR: {
        vgMat3 P = vg_mm3(old.R, j->plane);
        vgVec3 d = vg_mv3(P, vg_v3(j->q[0], j->q[1], 0)), rate = vg_mv3(P, vg_v3(j->v[0], j->v[1], 0));
        anchor = vg_add3(anchor, d);
        at_anchor = vg_add3(vg_add3(*v, vg_cross3(*w, vg_sub3(anchor, old.p))), rate);
        X->R = vg_mm3(P, vg_mmt3(vg_so3_exp(vg_v3(0, 0, j->q[2])), j->plane));
        *w = vg_axpy3(j->v[2], vg_col3(P, 2), *w);
        break;
    }
    case VG_ROBOT_FREE:
        X->p = vg_load3(j->q);
        X->R = vg_quat_to_mat(vg_quat_normalize(vg_quat_load(j->q + 3)));
        *v = vg_load3(j->v);
        *w = vg_mv3(X->R, vg_load3(j->v + 3));
        return;
    }
    X->p = vg_sub3(anchor, vg_mv3(X->R, j->anchor));
    *v = vg_add3(at_anchor, vg_cross3(*w, vg_sub3(X->p, anchor)));
}

void vg_robot_joint_pose(const vgRobot *r, int i, int n, vgPose *X, vgVec3 *v, vgVec3 *w)
{
    const vgRobotBody *b = &r->body[i], *p = b->parent >= 0 ? &r->body[b->parent] : NULL;
    *X = b->at;
    *v = *w = vg_zero3();
    if (p) {
        *X = vg_pose_mul(p->W, b->at);
        *v = vg_add3(p->v, vg_cross3(p->w, vg_sub3(X->p, p->W.p)));
        *w = p->w;
    }
    for (int k = 0; k < n; k++) move(&r->joint[b->joint0 + k], X, v, w);
}

/* Poses and velocities at the start, of the bodies of the file. A root that floats has its velocity already. */
void vg_robot_place(vgRobot *r)
{
    for (int i = 0; i < r->nbody; i++) {
        vgRobotBody *b = &r->body[i];
        vgVec3 v, w;
        vg_robot_joint_pose(r, i, b->njoint, &b->W, &v, &w);
        if (b->fixed_root < 0) continue;
        b->v = v;
        b->w = w;
    }
}

/* Bodies without a joint belong to the one before them. What stands on the ground stays a body where it has mass. */
static void find_carriers(vgRobot *r)
{
    for (int i = 0; i < r->nbody; i++) {
        vgRobotBody *b = &r->body[i];
        int before = b->parent < 0 ? -1 : r->body[b->parent].carrier;
        b->carrier = i;
        b->in = vg_pose_identity();
        if (moving_joints(r, b)) continue;
        if (before < 0 && (b->mass > 0 || b->fixed_root)) {
            if (!b->fixed_root) b->fixed_root = 1;
            continue;
        }
        b->carrier = before;
        vgPose W = before < 0 ? vg_pose_identity() : r->body[before].W;
        b->in = vg_pose_mul(vg_pose_inv(W), b->W);
        /* as drawn it is exact; the way over the world only where held joints moved it */
        if (b->njoint == 0) b->in = b->parent < 0 ? b->at : vg_pose_mul(r->body[b->parent].in, b->at);
        if (before < 0) continue;
        vgPose com = vg_pose_mul(b->in, (vgPose){b->com, vg_eye3()});
        vg_robot_add_mass(&r->body[before], b->mass, com, b->inertia);
    }
}

/* A link at the end of a hinge that has all its mass on the axis, and no inertia about it, could turn at any rate. */
static void refuse_points(vgRobot *r)
{
    for (int i = 0; i < r->njoint; i++) {
        const vgRobotJoint *j = &r->joint[i];
        const vgRobotBody *b = &r->body[j->body];
        int more = j->held || j->driven || j->kind != VG_ROBOT_HINGE || b->njoint > 1 || !(b->mass > 0);
        for (int k = 0; k < r->nbody && !more; k++)
            more = k != j->body && r->body[k].parent >= 0 && r->body[k].carrier == k &&
                   r->body[r->body[k].parent].carrier == j->body;
        for (int c = 0; c < r->ncoupling; c++)
            for (int t = 0; t < r->coupling[c].n; t++) more |= r->coupling[c].joint[t] == i;
        if (more || vg_robot_least_inertia(r, j) != 0) continue;
        vg_robot_wrong(
            r, j->loc,
            "link '%.80s' turns about joint '%.80s' without inertia: its mass is on the axis. Give it "
            "inertia, or make the joint fixed",
            b->given, j->given);
    }
}

/* Several joints of one body have bodies without mass between them. */
static void name_frames(vgRobot *r)
{
    for (int i = 0; i < r->nbody; i++) {
        const vgRobotBody *b = &r->body[i];
        const int on = b->parent < 0 ? -1 : r->body[b->parent].carrier;
        const char *from = on < 0 ? "ground" : r->body[on].name;
        int left = moving_joints(r, b);
        for (int k = 0; k < b->njoint; k++) {
            vgRobotJoint *j = &r->joint[b->joint0 + k];
            j->before = j->behind = from;
            if (j->held || j->kind == VG_ROBOT_FREE) continue;
            j->behind = b->name;
            if (--left > 0) {
                const char *own = j->driven ? j->name : vg_pool_printf(r->pool, "%s_%s", b->name, j->name);
                j->behind = vg_robot_name(r, r->body_names, own ? own : "", j->loc, NULL);
            }
            from = j->behind;
        }
    }
}

static void apply_starts(vgRobot *r)
{
    for (int s = 0; s < r->options->nstart; s++) {
        const vgImportStart *start = &r->options->start[s];
        int k = vg_robot_find_joint(r, start->joint), at = start->nq == 4 ? 0 : start->nq == 7 ? 3 : -1;
        if (at >= 0 && !(vg_norm3(vg_load3(start->q + at)) > 0 || start->q[at + 3] != 0)) {
            vg_robot_wrong(r, VG_NOWHERE,
                           "the start of joint '%.80s' is a quaternion of zeros, which is no rotation",
                           start->joint);
        } else if (k >= 0) {
            memcpy(r->joint[k].q, start->q, (size_t)start->nq * sizeof(double));
            memcpy(r->joint[k].v, start->v, (size_t)start->nv * sizeof(double));
        } else if (strcmp(start->joint, "root_joint") == 0 && r->nbody && r->body[0].fixed_root) {
            vgRobotBody *b = &r->body[0];
            if (start->nq == 7) b->at.p = vg_load3(start->q);
            if (start->nq == 7) b->at.R = vg_quat_to_mat(vg_quat_normalize(vg_quat_load(start->q + 3)));
            if (start->nv == 6) b->v = vg_load3(start->v), b->w = vg_mv3(b->at.R, vg_load3(start->v + 3));
        } else {
            vg_robot_wrong(r, VG_NOWHERE, "there is no joint '%.80s' to start from", start->joint);
        }
    }
}

/* A body that is driven in all directions moves as it is told to, whatever it weighs, but needs inertia to be a body. */
static void give_mass(vgRobot *r, vgRobotBody *b)
{
    b->mass = 1;
    b->inertia = vg_diag3(1, 1, 1);
    vg_robot_note(r, VG_IMPORT_CHANGED, 0, b->loc,
                  "the mocap body '%.80s' has no mass: it is given 1 kg, which moves nothing else", b->given);
}

void vg_robot_finish_tree(vgRobot *r)
{
    unsigned char *heavy = VG_NEW(r->pool, unsigned char, r->nbody + 1),
                  *follows = VG_NEW(r->pool, unsigned char, r->njoint + 1);
    if (!heavy || !follows) {
        r->full = 1;
        return;
    }
    for (int i = 0; i < r->nbody; i++) {
        vgRobotBody *b = &r->body[i];
        r->report->mass += b->mass;
        b->own_mass = b->mass;
        b->own_parts = b->parts;
        b->own_com = b->com;
        b->own_inertia = b->inertia;
        if (b->mocap && !has_inertia(b)) give_mass(r, b);
    }
    apply_starts(r);
    hold_massless(r, heavy, follows);
    vg_robot_close_loops(r);
    vg_robot_place(r);
    find_carriers(r);
    name_frames(r);
    if (r->nloop == 0) refuse_points(r);
}

static int is_identity(vgPose p)
{
    return p.p.x == 0 && p.p.y == 0 && p.p.z == 0 && vg_mmax3(vg_msub3(p.R, vg_eye3())) == 0;
}

vgNode *vg_robot_frame(vgRobot *r, vgLoc at, int body, vgPose pose)
{
    const vgRobotBody *b = body >= 0 ? &r->body[body] : NULL;
    const char *name = !b || b->carrier < 0 ? "ground" : r->body[b->carrier].name;
    if (b && b->carrier != body && is_identity(pose)) return vg_robot_print(r, at, "%s.%s", name, b->name);
    vgPose P = b ? vg_pose_mul(b->in, pose) : pose;
    if (is_identity(P)) return vg_robot_text(r, at, name);
    vgNode *map = vg_robot_map(r, at);
    vg_robot_put(r, map, "body", vg_robot_text(r, at, name));
    vg_robot_put_pose(r, map, P);
    return map;
}
