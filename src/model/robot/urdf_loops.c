/* The description of loops in YAML that comes beside a URDF:
 *
 *     closed_loop: [['frame a', 'frame b'], …]    the frames of links that coincide
 *     type: ['6d', '3d', …]                       position and orientation, or position alone; 6d by default
 *     name_mot: ['joint', …]                      joints with an actuator */
#include <string.h>
#include <unistd.h>

#include "model/robot/robot.h"

static int frame_of(vgRobot *r, const vgNode *node)
{
    int k = node->kind == VG_NODE_SCALAR ? vg_robot_find_body(r, node->text) : -1;
    if (k < 0)
        vg_robot_wrong(r, node->loc, "there is no link '%.80s' for a loop",
                       node->kind == VG_NODE_SCALAR ? node->text : "");
    return k;
}

static void add_loop(vgRobot *r, const vgNode *pair, const vgNode *type)
{
    int ball = type && type->kind == VG_NODE_SCALAR && strcmp(type->text, "3d") == 0;
    if (pair->kind != VG_NODE_LIST || pair->n != 2) {
        vg_robot_wrong(r, pair->loc, "expected two frames, got %s", vg_node_kind_text(pair));
        return;
    }
    if (type && !ball && (type->kind != VG_NODE_SCALAR || strcmp(type->text, "6d") != 0)) {
        vg_robot_wrong(r, type->loc, "the type of a loop is 6d or 3d");
        return;
    }
    int a = frame_of(r, pair->item[0]), b = frame_of(r, pair->item[1]);
    if (a < 0 || b < 0) return;
    vgRobotLoop *l = vg_robot_add_loop(r, vg_pool_printf(r->pool, "loop_%d", r->nloop + 1), pair->loc,
                                       ball ? "spherical" : "fixed");
    if (!l) return;
    l->body[0] = a;
    l->body[1] = b;
}

/* NAME.yaml beside NAME.urdf; NULL: there is none. */
static const char *beside(vgRobot *r)
{
    const char *dot = r->path ? strrchr(r->path, '.') : NULL;
    if (!dot || strchr(dot, '/')) return NULL;
    const char *path = vg_pool_printf(r->pool, "%.*s.yaml", (int)(dot - r->path), r->path);
    return path && access(path, R_OK) == 0 ? path : NULL;
}

static void understood(vgRobot *r, const vgNode *root)
{
    static const char *const known[] = {"closed_loop", "type", "name_mot"};
    for (int i = 0; i < root->n; i++) {
        const vgNode *key = root->pair[i].key;
        int found = 0;
        for (int k = 0; k < 3; k++) found |= strcmp(key->text, known[k]) == 0;
        if (!found)
            vg_robot_note(r, VG_IMPORT_IGNORED, 1, key->loc, "'%.60s' of the loops is not known", key->text);
    }
}

void vg_urdf_loops(vgRobot *r)
{
    const char *asked = r->options->loops, *path = asked ? asked : beside(r);
    size_t n = 0;
    if (!path) return;
    const char *text = vg_spec_read(r->pool, path, VG_NOWHERE, &n, r->diag);
    if (!text || (!asked && !strstr(text, "closed_loop"))) return; /* another file of the same name */
    vgNode *root = vg_spec_parse(r->pool, text, n, vg_diag_file(r->diag, path), r->diag);
    const vgNode *loops = vg_node_get(root, "closed_loop"), *types = vg_node_get(root, "type");
    if (!root) return;
    if (!loops || loops->kind != VG_NODE_LIST) {
        vg_robot_wrong(r, root->loc, "a description of loops has closed_loop: [[frame, frame], …]");
        return;
    }
    for (int i = 0; i < loops->n && !r->full; i++)
        add_loop(r, loops->item[i],
                 types && types->kind == VG_NODE_LIST && i < types->n ? types->item[i] : NULL);
    r->motors = vg_node_get(root, "name_mot");
    understood(r, root);
    vg_robot_note(r, VG_IMPORT_USED, 1, root->loc, "%d loop%s closed as this file says", loops->n,
                  loops->n == 1 ? " is" : "s are");
}

void vg_urdf_motors(vgRobot *r)
{
    for (int i = 0; r->motors && r->motors->kind == VG_NODE_LIST && i < r->motors->n; i++) {
        const vgNode *node = r->motors->item[i];
        int k = node->kind == VG_NODE_SCALAR ? vg_robot_find_joint(r, node->text) : -1;
        if (k < 0 || r->joint[k].kind > VG_ROBOT_SLIDE) {
            vg_robot_wrong(r, node->loc, "there is no joint '%.80s' for a motor",
                           node->kind == VG_NODE_SCALAR ? node->text : "");
            continue;
        }
        if (r->joint[k].held)
            vg_robot_refuse_held(r, k, node->loc, "a motor drives it");
        else
            vg_robot_actuate(r, vg_robot_name(r, r->force_names, r->joint[k].name, node->loc, NULL),
                             node->loc, k, 1);
    }
}
