/* A robot as the spec of a model: bodies, joints, couplings, forces. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/robot/robot.h"
#include "model/tuning.h"

static const double PI = 3.14159265358979323846;

/* An angle as k pi/12 where it is that number, else as it is. */
static vgNode *angle_node(vgRobot *r, vgLoc at, double angle)
{
    double k = nearbyint(angle * 12 / PI);
    if (fabs(k) > 24 || k == 0 || fabs(k * PI / 12 - angle) > VG_ROTATION_SAME)
        return vg_robot_number(r, at, angle);
    int n = (int)k, d = 12;
    while (d > 1 && n % 2 == 0 && d % 2 == 0) n /= 2, d /= 2;
    if (n % 3 == 0 && d % 3 == 0) n /= 3, d /= 3;
    char num[24] = "";
    if (n == -1)
        snprintf(num, sizeof num, "-");
    else if (n != 1)
        snprintf(num, sizeof num, "%d*", n);
    return d == 1 ? vg_robot_print(r, at, "%spi", num) : vg_robot_print(r, at, "%spi/%d", num, d);
}

/* The axis about which R turns if that is x, y or z: its number, −1 if it is another. */
static int simple_axis(vgMat3 R)
{
    for (int k = 0; k < 3; k++)
        if (R.m[k][k] == 1 && R.m[k][(k + 1) % 3] == 0 && R.m[(k + 1) % 3][k] == 0 &&
            R.m[k][(k + 2) % 3] == 0)
            return k;
    return -1;
}

void vg_robot_put_pose(vgRobot *r, vgNode *map, vgPose p)
{
    if (!map) return;
    vgLoc at = map->loc;
    if (vg_norm3(p.p) != 0) vg_robot_put(r, map, "position", vg_robot_vec(r, at, p.p));
    if (vg_mmax3(vg_msub3(p.R, vg_eye3())) == 0) return;
    int k = simple_axis(p.R);
    if (k >= 0) {
        vgNode *zero = vg_robot_number(r, at, 0), *item[3] = {zero, zero, zero};
        double c = p.R.m[(k + 1) % 3][(k + 1) % 3], s = p.R.m[(k + 2) % 3][(k + 1) % 3], angle = atan2(s, c);
        vgVec3 d = vg_scale3(vg_unit_axis3(k), angle);
        if (vg_mmax3(vg_msub3(vg_so3_exp(d), p.R)) < VG_ROTATION_SAME) { /* to the last digit */
            item[k] = angle_node(r, at, angle);
            vg_robot_put(r, map, "rotation", vg_robot_list(r, at, 3, item));
            return;
        }
    }
    vgQuat e = vg_quat_from_mat(p.R);
    double q[4];
    vg_quat_store(e, q);
    if (q[0] < 0)
        for (int i = 0; i < 4; i++) q[i] = -q[i];
    vg_robot_put(r, map, "quaternion", vg_robot_numbers(r, at, 4, q));
}

/* x, y, z, −x … where the axis is one of them. */
static vgNode *axis_node(vgRobot *r, vgLoc at, vgVec3 a)
{
    static const char *const names[2][3] = {{"x", "y", "z"}, {"-x", "-y", "-z"}};
    double v[3] = {a.x, a.y, a.z};
    for (int k = 0; k < 3; k++)
        if (fabs(v[k]) == 1 && v[(k + 1) % 3] == 0 && v[(k + 2) % 3] == 0)
            return vg_robot_text(r, at, names[v[k] < 0][k]);
    return vg_robot_vec(r, at, a);
}

static vgNode *inertia_node(vgRobot *r, const vgRobotBody *b)
{
    const vgMat3 *I = &b->inertia;
    double d[3] = {I->m[0][0], I->m[1][1], I->m[2][2]},
           o[3] = {0.5 * (I->m[0][1] + I->m[1][0]), 0.5 * (I->m[0][2] + I->m[2][0]),
                   0.5 * (I->m[1][2] + I->m[2][1])};
    if (b->measured) {
        vgNode *map = vg_robot_map(r, b->loc);
        vg_robot_put(r, map, "moments", vg_robot_numbers(r, b->loc, 3, d));
        vg_robot_put(r, map, "products", vg_robot_numbers(r, b->loc, 3, o));
        vg_robot_put(r, map, "measured", vg_robot_text(r, b->loc, "true"));
        return map;
    }
    double all[6] = {d[0], d[1], d[2], o[0], o[1], o[2]};
    return vg_robot_numbers(r, b->loc, o[0] == 0 && o[1] == 0 && o[2] == 0 ? 3 : 6, all);
}

/* A rigid body can have it: positive definite, no principal moment above the sum of the others. Judged by the leading
 * minors of I and of ½ tr(I) 1 − I, with the room that the reader of models leaves too. */
int vg_robot_is_rigid(vgMat3 I)
{
    vgMat3 E = vg_msub3(vg_mscale3(vg_eye3(), 0.5 * vg_trace3(I)), I);
    double tr = vg_trace3(I);
    if (!(tr > 0)) return 0;
    vgMat3 A = vg_msub3(vg_mscale3(I, 1 / tr), vg_mscale3(vg_eye3(), VG_IMPORT_DEFINITE));
    E = vg_madd3(vg_mscale3(E, 1 / tr), vg_mscale3(vg_eye3(), VG_IMPORT_TRIANGLE));
    const vgMat3 *both[2] = {&A, &E};
    for (int k = 0; k < 2; k++) {
        const vgMat3 *m = both[k];
        double second = m->m[0][0] * m->m[1][1] - m->m[0][1] * m->m[1][0];
        if (!(m->m[0][0] > 0 && second > 0 && vg_det3(*m) > 0)) return 0;
    }
    return 1;
}

static void put_markers(vgRobot *r, int carrier, vgNode *entry)
{
    vgNode *markers = NULL;
    for (int pass = 0; pass < 2; pass++) {
        int n = pass ? r->nsite : r->nbody;
        for (int i = 0; i < n; i++) {
            int body = pass ? r->site[i].body : i;
            int on = body < 0 ? -1 : r->body[body].carrier;
            if (on != carrier || (!pass && carrier == i)) continue;
            vgLoc at = pass ? r->site[i].loc : r->body[i].loc;
            vgPose in = body < 0 ? vg_pose_identity() : r->body[body].in;
            vgPose p = pass ? vg_pose_mul(in, r->site[i].at) : in;
            vgNode *place = vg_robot_map(r, at);
            vg_robot_put_pose(r, place, p);
            if (place && vg_mmax3(vg_msub3(p.R, vg_eye3())) == 0) place = vg_robot_vec(r, at, p.p);
            if (!markers) markers = vg_robot_map(r, at);
            vg_robot_put(r, markers, pass ? r->site[i].name : r->body[i].name, place);
        }
    }
    if (markers) vg_robot_put(r, entry, "markers", markers);
}

static void put_shapes(vgRobot *r, int carrier, vgNode *entry)
{
    int n = 0;
    for (int i = 0; i < r->nshape; i++) {
        int body = r->shape_body[i];
        n += (body < 0 ? -1 : r->body[body].carrier) == carrier;
    }
    vgNode **list = n ? VG_NEW(r->pool, vgNode *, n) : NULL;
    if (!list) return;
    n = 0;
    for (int i = 0; i < r->nshape; i++) {
        const vgRobotShape *s = &r->shape[i];
        int body = r->shape_body[i];
        if ((body < 0 ? -1 : r->body[body].carrier) != carrier) continue;
        vgNode *map = vg_robot_map(r, s->loc);
        if (s->file) {
            vg_robot_put(r, map, "mesh", vg_robot_text(r, s->loc, s->file));
            int same = s->size[0] == s->size[1] && s->size[1] == s->size[2];
            if (!same) vg_robot_put(r, map, "scale", vg_robot_numbers(r, s->loc, 3, s->size));
            if (same && s->size[0] != 1)
                vg_robot_put(r, map, "scale", vg_robot_number(r, s->loc, s->size[0]));
        } else
            vg_robot_put(r, map, s->kind,
                         s->nsize == 1 ? vg_robot_number(r, s->loc, s->size[0])
                                       : vg_robot_numbers(r, s->loc, s->nsize, s->size));
        vg_robot_put_pose(r, map, body < 0 ? s->at : vg_pose_mul(r->body[body].in, s->at));
        if (s->color[0] >= 0) vg_robot_put(r, map, "color", vg_robot_numbers(r, s->loc, 3, s->color));
        list[n++] = map;
    }
    vg_robot_put(r, entry, "shape", n == 1 ? list[0] : vg_robot_list(r, r->shape[0].loc, n, list));
}

/* free: its velocity is written where it is zero too, for what is left out follows the other bodies. */
static void put_motion(vgRobot *r, vgNode *entry, vgPose W, vgVec3 v, vgVec3 w, int free)
{
    vg_robot_put_pose(r, entry, W);
    if (!free && vg_norm3(v) == 0 && vg_norm3(w) == 0) return;
    vg_robot_put(r, entry, "velocity", vg_robot_vec(r, entry->loc, v));
    vg_robot_put(r, entry, "omega", vg_robot_vec(r, entry->loc, vg_mtv3(W.R, w)));
}

static int is_free(const vgRobot *r, const vgRobotBody *b)
{
    return b->fixed_root < 0 || (b->njoint == 1 && r->joint[b->joint0].kind == VG_ROBOT_FREE);
}

static int any_moves(const vgRobot *r)
{
    for (int i = 0; i < r->nbody; i++)
        if (vg_norm3(r->body[i].v) != 0 || vg_norm3(r->body[i].w) != 0) return 1;
    return 0;
}

static vgNode *body_entry(vgRobot *r, int i)
{
    vgRobotBody *b = &r->body[i];
    vgNode *entry = vg_robot_map(r, b->loc);
    if (!entry) return NULL;
    double sum = b->mass + b->com.x + b->com.y + b->com.z; /* not finite where one of them is not */
    for (int k = 0; k < 9; k++) sum += fabs(b->inertia.m[k / 3][k % 3]);
    if (!isfinite(sum)) {
        vg_robot_wrong(r, b->loc, "mass and inertia of link '%.80s' are too large for numbers", b->given);
        return NULL;
    }
    vg_robot_put(r, entry, "mass", vg_robot_number(r, b->loc, b->mass));
    if (vg_norm3(b->com) != 0) vg_robot_put(r, entry, "com", vg_robot_vec(r, b->loc, b->com));
    if (b->mass > 0 || vg_mmax3(b->inertia) > 0) {
        b->measured = !vg_robot_is_rigid(b->inertia);
        if (b->measured)
            vg_robot_note(r, VG_IMPORT_CHANGED, 0, b->loc,
                          "the inertia of link '%s' is one that no rigid body can have; it is taken as it is "
                          "(measured)",
                          b->given);
        vg_robot_put(r, entry, "inertia", inertia_node(r, b));
    }
    put_motion(r, entry, b->W, b->v, b->w, is_free(r, b) && any_moves(r));
    put_markers(r, i, entry);
    put_shapes(r, i, entry);
    return entry;
}

/* A marker of the joint's first body, and one of its second: at the drawn pose, q = ref there. */
static vgNode *joint_entry(vgRobot *r, const vgRobotJoint *j, vgNode *first, const char *second)
{
    static const char *const kinds[] = {"revolute", "prismatic", "spherical", "planar", ""};
    vgNode *entry = vg_robot_map(r, j->loc), *to = vg_robot_text(r, j->loc, second);
    vgPose B = {j->anchor, vg_eye3()};
    if (j->kind == VG_ROBOT_HINGE && j->ref != 0) B.R = vg_so3_exp(vg_scale3(j->axis, j->ref));
    if (j->kind == VG_ROBOT_SLIDE && j->ref != 0) B.p = vg_axpy3(j->ref, j->axis, B.p);
    if (j->kind == VG_ROBOT_PLANAR) B.R = j->plane;
    if (vg_norm3(B.p) != 0 || j->ref != 0 || vg_mmax3(vg_msub3(B.R, vg_eye3())) != 0) {
        vgNode *name = to;
        to = vg_robot_map(r, j->loc);
        vg_robot_put(r, to, "body", name);
        vg_robot_put_pose(r, to, B);
    }
    vgNode *pair[2] = {first, to};
    vg_robot_put(r, entry, kinds[j->kind], vg_robot_list(r, j->loc, 2, pair));
    if (j->kind == VG_ROBOT_HINGE || j->kind == VG_ROBOT_SLIDE) {
        vg_robot_put(r, entry, "axis", axis_node(r, j->loc, j->axis));
        vg_robot_put(r, entry, "axis2", axis_node(r, j->loc, j->axis));
        if (j->kind == VG_ROBOT_SLIDE) vg_robot_put(r, entry, "align", vg_robot_text(r, j->loc, "false"));
        double turns =
            nearbyint(j->q[0] / (2 * PI)); /* the angle by positions alone is within half a turn of zero */
        if (j->kind == VG_ROBOT_HINGE && turns != 0)
            vg_robot_put(r, entry, "turns", vg_robot_number(r, j->loc, turns));
    }
    if (j->driven) {
        vgNode *drive = vg_robot_map(r, j->loc);
        vg_robot_put(r, drive, j->kind == VG_ROBOT_SLIDE ? "displacement" : "angle",
                     vg_robot_number(r, j->loc, j->q[0]));
        vg_robot_put(r, entry, "drive", drive);
    }
    return entry;
}

/* The joints of one body, one after the other with bodies without mass between them. */
static void put_chain(vgRobot *r, int i, vgNode *bodies, vgNode *joints)
{
    vgRobotBody *b = &r->body[i];
    vgPose X = b->parent < 0 ? b->at : vg_pose_mul(r->body[b->parent].in, b->at);
    vgRobotBody mid = *b;
    for (int k = 0; k < b->njoint; k++) {
        const vgRobotJoint *j = &r->joint[b->joint0 + k];
        if (j->kind == VG_ROBOT_FREE) continue;
        vgPose A = vg_pose_mul(X, (vgPose){j->anchor, j->kind == VG_ROBOT_PLANAR ? j->plane : vg_eye3()});
        if (!j->held && strcmp(j->behind, b->name) != 0) {
            vg_robot_joint_pose(r, i, k + 1, &mid.W, &mid.v, &mid.w);
            vgNode *frame = vg_robot_map(r, j->loc);
            vg_robot_put(r, frame, "mass", vg_robot_number(r, j->loc, 0));
            if (frame) put_motion(r, frame, mid.W, mid.v, mid.w, 0);
            vg_robot_put(r, bodies, j->behind, frame);
        }
        vgNode *first = vg_robot_text(r, j->loc, j->before);
        if (vg_norm3(A.p) != 0 || vg_mmax3(vg_msub3(A.R, vg_eye3())) != 0) {
            vgNode *map = vg_robot_map(r, j->loc);
            vg_robot_put(r, map, "body", first);
            vg_robot_put_pose(r, map, A);
            first = map;
        }
        vg_robot_put(r, joints, j->name, joint_entry(r, j, first, j->behind));
        X = vg_pose_identity();
    }
}

static void put_root(vgRobot *r, int i, vgNode *joints)
{
    const vgRobotBody *b = &r->body[i];
    vgNode *entry = vg_robot_map(r, b->loc);
    vgNode *pair[2] = {vg_robot_frame(r, b->loc, -1, (vgPose){b->W.p, vg_eye3()}),
                       vg_robot_text(r, b->loc, b->name)};
    vg_robot_put(r, entry, "fixed", vg_robot_list(r, b->loc, 2, pair));
    if (b->fixed_root < 0) vg_robot_put(r, entry, "if", vg_robot_text(r, b->loc, "not floating"));
    const char *name =
        vg_robot_name(r, r->joint_names, vg_pool_printf(r->pool, "%s_base", b->name), b->loc, NULL);
    vg_robot_put(r, joints, name, entry);
}

static void put_loops(vgRobot *r, vgNode *joints)
{
    for (int i = 0; i < r->nloop; i++) {
        const vgRobotLoop *l = &r->loop[i];
        vgNode *entry = vg_robot_map(r, l->loc), *pair[2];
        for (int s = 0; s < 2; s++) pair[s] = vg_robot_frame(r, l->loc, l->body[s], l->at[s]);
        vg_robot_put(r, entry, l->kind, vg_robot_list(r, l->loc, 2, pair));
        if (strcmp(l->kind, "fixed") == 0) vg_robot_put(r, entry, "align", vg_robot_text(r, l->loc, "false"));
        if (strcmp(l->kind, "revolute") == 0) {
            vg_robot_put(r, entry, "axis", axis_node(r, l->loc, l->axis));
            vg_robot_put(r, entry, "axis2", axis_node(r, l->loc, l->axis));
        }
        vg_robot_put(r, entry, "cut", vg_robot_text(r, l->loc, "true"));
        vg_robot_put(r, joints, l->name, entry);
    }
}

static void put_couplings(vgRobot *r, vgNode *joints)
{
    for (int i = 0; i < r->ncoupling; i++) {
        const vgRobotCoupling *c = &r->coupling[i];
        vgNode *entry = vg_robot_map(r, c->loc), *name[VG_ROBOT_MAX_TERMS];
        int held = 0;
        for (int k = 0; k < c->n; k++) held |= r->joint[c->joint[k]].held;
        if (held) continue; /* reported with the joint */
        for (int k = 0; k < c->n; k++) name[k] = vg_robot_text(r, c->loc, r->joint[c->joint[k]].name);
        if (c->npoly) {
            vg_robot_put(r, entry, "polynomial", vg_robot_list(r, c->loc, c->n, name));
            vg_robot_put(r, entry, "coefficients", vg_robot_numbers(r, c->loc, c->npoly, c->poly));
            vg_robot_put(r, joints, c->name, entry);
            continue;
        }
        vg_robot_put(r, entry, "coupler", vg_robot_list(r, c->loc, c->n, name));
        vg_robot_put(r, entry, "factors", vg_robot_numbers(r, c->loc, c->n, c->factor));
        vg_robot_put(r, entry, "offset", vg_robot_number(r, c->loc, c->offset));
        vg_robot_put(r, joints, c->name, entry);
    }
}

/* The spring of a ball joint is relaxed as drawn and pulls by the vector of rotation from there. */
void vg_robot_ball_forces(vgRobot *r, const vgRobotJoint *j)
{
    static const char *const keys[] = {"damping", "inertia"}, *const with[] = {"damping", "armature"};
    const double value[] = {j->damping, j->armature}, k = j->stiffness, stiffness[6] = {0, 0, 0, k, k, k};
    const vgRobotBody *b = &r->body[j->body];
    const int first = j == &r->joint[b->joint0];
    vgNode *behind = vg_robot_text(r, j->loc, j->behind), *before = vg_robot_text(r, j->loc, j->before);
    for (int i = 0; i < 2; i++) {
        if (value[i] == 0) continue;
        vgNode *e = vg_robot_map(r, j->loc), *pair[2] = {before, behind};
        vg_robot_put(r, e, "ball-rotor", vg_robot_list(r, j->loc, 2, pair));
        vg_robot_put(r, e, keys[i], vg_robot_number(r, j->loc, value[i]));
        vg_robot_add_force(r, vg_pool_printf(r->pool, "%s_%s", j->name, keys[i]), j->loc, with[i], e);
    }
    if (k == 0) return;
    vgNode *e = vg_robot_map(r, j->loc), *pair[2] = {before, behind};
    vgPose at = first && b->parent >= 0 ? vg_pose_mul(r->body[b->parent].in, b->at) : b->at;
    if (first && vg_mmax3(vg_msub3(at.R, vg_eye3())) != 0) {
        pair[0] = vg_robot_map(r, j->loc);
        vg_robot_put(r, pair[0], "body", before);
        vg_robot_put_pose(r, pair[0], (vgPose){vg_zero3(), at.R});
    }
    vg_robot_put(r, e, "bushing", vg_robot_list(r, j->loc, 2, pair));
    vg_robot_put(r, e, "stiffness", vg_robot_numbers(r, j->loc, 6, stiffness));
    vg_robot_add_force(r, vg_pool_printf(r->pool, "%s_spring", j->name), j->loc, "springs", e);
}

/* The weight behind a joint at the length of its arm, N m (slides: the weight, N): what its stop has to carry. */
double vg_robot_load(const vgRobot *r, const vgRobotJoint *j)
{
    const vgRobotBody *first = &r->body[j->body];
    vgVec3 at = vg_add3(first->W.p, vg_mv3(first->W.R, j->anchor));
    double sum = 0, g = fmax(vg_norm3(r->gravity), 1);
    /* bodies stand in the order of a walk down the tree: those behind one follow it */
    for (int i = j->body; i < r->nbody && (i == j->body || r->body[i].parent >= j->body); i++) {
        vgVec3 com = vg_add3(r->body[i].W.p, vg_mv3(r->body[i].W.R, r->body[i].own_com));
        sum += r->body[i].own_mass * g * (j->kind == VG_ROBOT_HINGE ? vg_norm3(vg_sub3(com, at)) : 1);
    }
    return sum;
}

/* The format gives a range and no stiffness: the weight behind the joint presses the stop in by VG_STOP_DEPTH. */
static void put_stop(vgRobot *r, const vgRobotJoint *j, vgNode *head)
{
    double load = vg_robot_load(r, j) + VG_STOP_ARMATURE * j->armature;
    vgNode *e = vg_robot_map(r, j->loc);
    if (!(load > 0)) return;
    double k = load / pow(VG_STOP_DEPTH, 1.5), digit = pow(10, floor(log10(k)));
    vg_robot_put(r, e, "joint-stop", head);
    vg_robot_put(r, e, "lower", vg_robot_number(r, j->loc, j->lower));
    vg_robot_put(r, e, "upper", vg_robot_number(r, j->loc, j->upper));
    vg_robot_put(r, e, "stiffness", vg_robot_number(r, j->loc, ceil(k / digit) * digit));
    vg_robot_put(r, e, "damping", vg_robot_number(r, j->loc, VG_STOP_DAMPING));
    vg_robot_add_force(r, vg_pool_printf(r->pool, "%s_stop", j->name), j->loc, "limits", e);
}

/* What a joint's own numbers make: springs, dampers, friction, rotors. */
static void joint_forces(vgRobot *r, const vgRobotJoint *j)
{
    vgNode *head = vg_robot_text(r, j->loc, j->name);
    int angle = j->kind == VG_ROBOT_HINGE || j->kind == VG_ROBOT_SLIDE;
    if (j->held || !angle) return;
    if (j->stiffness != 0) {
        vgNode *e = vg_robot_map(r, j->loc);
        vg_robot_put(r, e, "torsion", head);
        vg_robot_put(r, e, "stiffness", vg_robot_number(r, j->loc, j->stiffness));
        if (j->springref != 0) vg_robot_put(r, e, "angle0", vg_robot_number(r, j->loc, j->springref));
        vg_robot_add_force(r, vg_pool_printf(r->pool, "%s_spring", j->name), j->loc, "springs", e);
    }
    if (j->damping != 0) {
        vgNode *e = vg_robot_map(r, j->loc);
        vg_robot_put(r, e, "torsion", head);
        vg_robot_put(r, e, "damping", vg_robot_number(r, j->loc, j->damping));
        vg_robot_add_force(r, vg_pool_printf(r->pool, "%s_damper", j->name), j->loc, "damping", e);
    }
    if (j->friction != 0) {
        vgNode *e = vg_robot_map(r, j->loc);
        vg_robot_put(r, e, "joint-friction", head);
        vg_robot_put(r, e, "coulomb", vg_robot_number(r, j->loc, j->friction));
        vg_robot_add_force(r, vg_pool_printf(r->pool, "%s_friction", j->name), j->loc, "friction", e);
    }
    if (j->limited && j->lower <= j->upper) put_stop(r, j, head);
    if (j->armature != 0) {
        vgNode *e = vg_robot_map(r, j->loc);
        vg_robot_put(r, e, "rotor", head);
        vg_robot_put(r, e, "inertia", vg_robot_number(r, j->loc, j->armature));
        vg_robot_add_force(r, vg_pool_printf(r->pool, "%s_rotor", j->name), j->loc, "armature", e);
    }
}

/* 0: the file turns off what this switch stands for. */
static int switched_on(const vgRobot *r, const char *with)
{
    static const char *const names[] = {"springs", "damping", "limits", "friction",
                                        "actuators"}; /* 1, 2, 4 … */
    for (int k = 0; k < 5; k++)
        if (strcmp(with, names[k]) == 0) return !(r->off & 1u << k);
    return 1;
}

static void put_forces(vgRobot *r, vgNode *root, vgNode *switches)
{
    for (int i = 0; i < r->njoint; i++) joint_forces(r, &r->joint[i]);
    vgNode *forces = vg_robot_map(r, root->loc);
    for (int i = 0; i < r->nforce; i++) {
        const vgRobotForce *f = &r->force[i];
        if (f->with && !vg_node_get(switches, f->with))
            vg_robot_put(r, switches, f->with, vg_robot_number(r, f->loc, switched_on(r, f->with)));
        if (f->with) vg_robot_put(r, f->value, "if", vg_robot_text(r, f->loc, f->with));
        vg_robot_put(r, forces, f->name, f->value);
    }
    if (forces && forces->n) vg_robot_put(r, root, "forces", forces);
}

static void put_ground(vgRobot *r, vgNode *bodies)
{
    vgNode *ground = vg_robot_map(r, bodies->loc);
    put_markers(r, -1, ground);
    put_shapes(r, -1, ground);
    if (ground && ground->n) vg_robot_put(r, bodies, "ground", ground);
}

vgNode *vg_robot_spec(vgRobot *r)
{
    vgLoc at = {r->nbody ? r->body[0].loc.file : 0, 1, 1};
    int left = 0;
    for (int i = 0; i < r->nbody; i++) left += r->body[i].carrier == i;
    if (left == 0) return vg_robot_wrong(r, at, "nothing in this file has mass and moves"), NULL;
    vgNode *root = vg_robot_map(r, at), *bodies = vg_robot_map(r, at), *joints = vg_robot_map(r, at),
           *switches = vg_robot_map(r, at);
    if (!root || !bodies || !joints || !switches) return NULL;
    vg_robot_put(r, root, "verge", vg_robot_number(r, at, 1));
    vg_robot_put(r, root, "title", vg_robot_text(r, at, r->title));
    vg_robot_put(r, root, "parameters", switches);
    vg_robot_put(r, root, "gravity", vg_robot_vec(r, at, r->gravity));
    put_ground(r, bodies);
    for (int i = 0; i < r->nbody && !r->full; i++) {
        const vgRobotBody *b = &r->body[i];
        if (b->carrier != i) continue;
        vg_robot_put(r, bodies, b->name, body_entry(r, i));
        if (b->fixed_root) put_root(r, i, joints);
        if (b->fixed_root < 0)
            vg_robot_put(r, switches, "floating",
                         vg_robot_number(r, at, r->options->base == VG_BASE_FLOATING));
        put_chain(r, i, bodies, joints);
    }
    put_couplings(r, joints);
    put_loops(r, joints);
    vg_robot_put(r, root, "bodies", bodies);
    if (joints->n) vg_robot_put(r, root, "joints", joints);
    put_forces(r, root, switches);
    vg_robot_put_run(r, root);
    return r->full ? NULL : root;
}
