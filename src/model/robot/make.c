/* What the readers of robot files build with: arrays, names, notes, nodes of the spec. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/robot/robot.h"

enum { MAX_NOTE = 600, MAX_NAME = 90 };

int vg_robot_room(vgRobot *r, void *array, int n, int *cap, size_t size)
{
    void *old;
    memcpy(&old, array, sizeof old);
    if (n < *cap) return 1;
    int more = *cap ? 2 * *cap : 32;
    void *grown = vg_pool_grow(r->pool, old, (size_t)*cap * size, (size_t)more * size);
    if (!grown) return r->full = 1, 0;
    memcpy(array, &grown, sizeof grown);
    *cap = more;
    return 1;
}

void vg_robot_note(vgRobot *r, vgImportVerdict verdict, int physics, vgLoc at, const char *format, ...)
{
    vgImportReport *to = r->report;
    char text[MAX_NOTE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!vg_robot_room(r, &to->note, to->n, &to->cap, sizeof *to->note)) return;
    const char *kept = vg_pool_strdup(r->pool, text);
    if (!kept) {
        r->full = 1;
        return;
    }
    to->note[to->n++] = (vgImportNote){verdict, physics, at, kept};
    to->used += verdict == VG_IMPORT_USED;
    to->changed += verdict == VG_IMPORT_CHANGED;
    to->ignored += verdict == VG_IMPORT_IGNORED;
    to->ignored_physics += verdict == VG_IMPORT_IGNORED && physics;
    if (verdict == VG_IMPORT_IGNORED && physics && r->options->strict)
        vg_diag_error(r->diag, at, "%s (--strict)", text);
}

void vg_robot_wrong(vgRobot *r, vgLoc at, const char *format, ...)
{
    char text[MAX_NOTE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    vg_diag_error(r->diag, at, "%s", text);
}

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Letters, digits and _, a letter first: what may stand in the laws of a model. */
static void clean_name(const char *given, char out[MAX_NAME + 1])
{
    size_t n = 0;
    if (!is_letter(given[0])) out[n++] = 'n';
    if (n && given[0] != '_' && given[0]) out[n++] = '_';
    for (const char *c = given; *c && n < MAX_NAME - 8; c++)
        out[n++] = (char)(is_letter(*c) || (*c >= '0' && *c <= '9') ? *c : '_');
    out[n] = 0;
}

const char *vg_robot_name(vgRobot *r, vgNames *names, const char *given, vgLoc at, const char *what)
{
    char name[MAX_NAME + 1], base[MAX_NAME + 1];
    int existed = 1, index = 0;
    clean_name(given, base);
    if (strcmp(base, "ground") == 0) strcpy(base, "ground_link"); /* the world's own name */
    snprintf(name, sizeof name, "%s", base);
    for (int k = 2; vg_names_find(names, name) >= 0; k++)
        snprintf(name, sizeof name, "%.*s_%d", MAX_NAME - 12, base, k);
    if (vg_names_add(names, name, &index, &existed) != VG_OK) return r->full = 1, "";
    if (strcmp(name, given) != 0 && given[0] && what)
        vg_robot_note(r, VG_IMPORT_CHANGED, 0, at,
                      "%s '%.80s' is called '%s': names hold letters, digits and _, once", what, given, name);
    const char *kept = vg_pool_strdup(r->pool, name);
    if (!kept) return r->full = 1, "";
    return kept;
}

#define ADD(list, n, cap)                                                                                    \
    (vg_robot_room(r, &r->list, r->n, &r->cap, sizeof *r->list) ? &r->list[r->n++] : NULL)

vgRobotBody *vg_robot_add_body(vgRobot *r, const char *name, vgLoc at)
{
    vgRobotBody *b = ADD(body, nbody, body_cap);
    if (!b) return NULL;
    *b = (vgRobotBody){.given = name,
                       .loc = at,
                       .parent = -1,
                       .at = vg_pose_identity(),
                       .in = vg_pose_identity(),
                       .W = vg_pose_identity(),
                       .joint0 = r->njoint};
    b->name = vg_robot_name(r, r->body_names, name, at, "link");
    return b;
}

vgRobotJoint *vg_robot_add_joint(vgRobot *r, const char *name, vgLoc at, int body, vgRobotJointKind kind)
{
    vgRobotJoint *j = ADD(joint, njoint, joint_cap);
    if (!j) return NULL;
    *j = (vgRobotJoint){
        .given = name, .loc = at, .kind = kind, .body = body, .axis = vg_v3(0, 0, 1), .plane = vg_eye3()};
    j->name = vg_robot_name(r, r->joint_names, name, at, "joint");
    if (kind == VG_ROBOT_BALL) j->q[0] = 1;
    if (kind == VG_ROBOT_FREE) j->q[3] = 1;
    if (r->body[body].njoint++ == 0) r->body[body].joint0 = r->njoint - 1;
    return j;
}

vgRobotForce *vg_robot_add_force(vgRobot *r, const char *name, vgLoc at, const char *with, vgNode *value)
{
    vgRobotForce *f = ADD(force, nforce, force_cap);
    if (!f) return NULL;
    *f = (vgRobotForce){.loc = at, .with = with, .value = value};
    f->name = vg_robot_name(r, r->force_names, name, at, NULL);
    return f;
}

vgRobotForce *vg_robot_keep_force(vgRobot *r, const char *name, vgLoc at, const char *with, vgNode *value)
{
    vgRobotForce *f = ADD(force, nforce, force_cap);
    if (f) *f = (vgRobotForce){.name = name, .loc = at, .with = with, .value = value};
    return f;
}

void vg_robot_actuate(vgRobot *r, const char *name, vgLoc at, int joint, double gain)
{
    vgNode *e = vg_robot_map(r, at);
    vgRobotForce *f = ADD(force, nforce, force_cap);
    vg_robot_put(r, e, "joint-torque", vg_robot_text(r, at, r->joint[joint].name));
    const char *input = vg_pool_printf(r->pool, "input.%s", name);
    vg_robot_put(r, e, "value", vg_robot_text(r, at, vg_robot_times(r, gain, input ? input : "")));
    if (f) *f = (vgRobotForce){.name = name, .loc = at, .with = "actuators", .value = e};
}

vgRobotSite *vg_robot_add_site(vgRobot *r, const char *name, vgLoc at, int body, vgPose pose)
{
    vgRobotSite *s = ADD(site, nsite, site_cap);
    if (s) *s = (vgRobotSite){name, name, at, body, pose};
    return s;
}

vgRobotLoop *vg_robot_add_loop(vgRobot *r, const char *name, vgLoc at, const char *kind)
{
    vgRobotLoop *l = ADD(loop, nloop, loop_cap);
    if (!l) return NULL;
    *l = (vgRobotLoop){
        .kind = kind, .loc = at, .body = {-1, -1}, .at = {vg_pose_identity(), vg_pose_identity()}};
    l->name = vg_robot_name(r, r->joint_names, name, at, "loop");
    return l;
}

vgRobotCoupling *vg_robot_add_coupling(vgRobot *r, const char *name, vgLoc at)
{
    vgRobotCoupling *c = ADD(coupling, ncoupling, coupling_cap);
    if (!c) return NULL;
    *c = (vgRobotCoupling){.loc = at};
    c->name = vg_robot_name(r, r->joint_names, name, at, "coupling");
    return c;
}

vgRobotShape *vg_robot_add_shape(vgRobot *r, int body, const char *kind, vgLoc at)
{
    if (!vg_robot_room(r, &r->shape_body, r->nshape, &r->shape_body_cap, sizeof *r->shape_body)) return NULL;
    vgRobotShape *s = ADD(shape, nshape, shape_cap);
    if (!s) return NULL;
    *s = (vgRobotShape){.kind = kind, .loc = at, .at = vg_pose_identity(), .color = {-1, -1, -1}};
    r->shape_body[r->nshape - 1] = body;
    return s;
}

int vg_robot_failed(const vgRobot *r)
{
    return r->full || vg_diag_errors(r->diag) > r->before;
}

int vg_robot_find_body(const vgRobot *r, const char *given)
{
    for (int i = 0; given && i < r->nbody; i++)
        if (strcmp(r->body[i].given, given) == 0) return i;
    return -1;
}

int vg_robot_find_joint(const vgRobot *r, const char *given)
{
    for (int i = 0; given && i < r->njoint; i++)
        if (strcmp(r->joint[i].given, given) == 0) return i;
    return -1;
}

void vg_robot_add_mass(vgRobotBody *b, double mass, vgPose at, vgMat3 inertia)
{
    vgMat3 turned = vg_mm3(at.R, vg_mmt3(inertia, at.R));
    double sum = b->mass + mass;
    if (b->parts++ == 0) b->axes = at.R;
    if (sum == 0) {
        b->inertia = vg_madd3(b->inertia, turned);
        return;
    }
    vgVec3 d = vg_sub3(at.p, b->com);
    double reduced = b->mass * mass / sum;
    vgMat3 shift = vg_msub3(vg_mscale3(vg_eye3(), vg_dot3(d, d)), vg_outer3(d, d));
    b->com = b->mass == 0 ? at.p : vg_axpy3(mass / sum, d, b->com);
    b->inertia = vg_maxpy3(reduced, shift, vg_madd3(b->inertia, turned));
    b->mass = sum;
}

static vgNode *node(vgRobot *r, vgNodeKind kind, vgLoc at, int n)
{
    vgNode *e = VG_NEW(r->pool, vgNode, 1);
    if (!e) return r->full = 1, NULL;
    e->kind = kind;
    e->loc = at;
    e->text = "";
    if (kind == VG_NODE_LIST) {
        e->item = VG_NEW(r->pool, vgNode *, n + 1);
        if (!e->item) return r->full = 1, NULL;
        e->n = n;
    }
    return e;
}

vgNode *vg_robot_text(vgRobot *r, vgLoc at, const char *text)
{
    vgNode *e = node(r, VG_NODE_SCALAR, at, 0);
    if (e && text) e->text = text;
    return e;
}

vgNode *vg_robot_print(vgRobot *r, vgLoc at, const char *format, ...)
{
    char text[4 * MAX_NOTE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *kept = vg_pool_strdup(r->pool, text);
    if (!kept) return r->full = 1, NULL;
    return vg_robot_text(r, at, kept);
}

const char *vg_robot_digits(vgRobot *r, double x)
{
    vgText text = {0};
    vg_text_number(&text, x == 0 ? 0.0 : x); /* no −0 */
    const char *kept = vg_pool_strdup(r->pool, vg_text_at(&text));
    int ok = vg_text_ok(&text) && kept;
    vg_text_free(&text);
    if (!ok) return r->full = 1, "0";
    return kept;
}

const char *vg_robot_times(vgRobot *r, double k, const char *what)
{
    if (k == 1) return what;
    const char *kept = k == -1 ? vg_pool_printf(r->pool, "-%s", what)
                               : vg_pool_printf(r->pool, "%s*%s", vg_robot_digits(r, k), what);
    if (!kept) return r->full = 1, "0";
    return kept;
}

const char *vg_robot_plus(vgRobot *r, const char *sum, double k, const char *what)
{
    const char *part = what ? vg_robot_times(r, fabs(k), what) : vg_robot_digits(r, fabs(k));
    const char *kept = vg_pool_printf(r->pool, "%s %c %s", sum, k < 0 ? '-' : '+', part);
    if (!kept) return r->full = 1, "0";
    return kept;
}

vgNode *vg_robot_number(vgRobot *r, vgLoc at, double x)
{
    return vg_robot_text(r, at, vg_robot_digits(r, x));
}

vgNode *vg_robot_numbers(vgRobot *r, vgLoc at, int n, const double *x)
{
    vgNode *e = node(r, VG_NODE_LIST, at, n);
    for (int i = 0; e && i < n; i++)
        if (!(e->item[i] = vg_robot_number(r, at, x[i]))) return NULL;
    return e;
}

vgNode *vg_robot_vec(vgRobot *r, vgLoc at, vgVec3 v)
{
    double x[3] = {v.x, v.y, v.z};
    return vg_robot_numbers(r, at, 3, x);
}

vgNode *vg_robot_list(vgRobot *r, vgLoc at, int n, vgNode *const *item)
{
    vgNode *e = node(r, VG_NODE_LIST, at, n);
    for (int i = 0; e && i < n; i++)
        if (!(e->item[i] = item[i])) return NULL;
    return e;
}

vgNode *vg_robot_map(vgRobot *r, vgLoc at)
{
    return node(r, VG_NODE_MAP, at, 0);
}

/* Maps grow by doubling: at every power of two a new array. */
void vg_robot_put(vgRobot *r, vgNode *map, const char *key, vgNode *value)
{
    if (!map || !value) return;
    int n = map->n;
    if ((n & (n - 1)) == 0) {
        size_t bytes = sizeof *map->pair;
        vgNodePair *more =
            vg_pool_grow(r->pool, map->pair, (size_t)n * bytes, (size_t)(n ? 2 * n : 1) * bytes);
        if (!more) {
            r->full = 1;
            return;
        }
        map->pair = more;
    }
    vgNode *k = vg_robot_text(r, value->loc, key);
    if (!k) return;
    map->pair[map->n++] = (vgNodePair){k, value};
}
