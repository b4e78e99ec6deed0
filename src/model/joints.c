/* Joints: frames from markers and axes, primitives, coordinates, drives. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/read/reader.h"

/* Angles keep nine digits then. */
static const double MOST_TURNS = 1e6;
enum { MOST_COEFFICIENTS = 16 };

static const vgField joint_fields[] = {
    {"drive", VG_FIELD_MAP, 0, "", "", 0, 0, "Prescribes a coordinate by a law of t, see Drives."},
    {"cut", VG_FIELD_BOOL, 0, "", "false", 0, 0,
     "With relative coordinates: a loop through this joint is opened here."},
    {"at", VG_FIELD_VEC3, 0, "m", "", 0, 0,
     "Where the joint is, in world axes, with the bodies as they are placed: makes the frames of both bodies "
     "there, so that they fit. The list then names bodies, not markers, and axes are in world axes, too."},
    {"turns", VG_FIELD_NUMBER, 0, "", "0", 0, 0,
     "Spatial models: whole turns that the first angle has made at the start, which the positions of bodies "
     "do not show. Springs, stops and laws see the angle with them."},
    {"start", VG_FIELD_MAP, 0, "", "", 0, 0,
     "Where the motion starts: {angle: 0.3, rate: 2}, numbers, by the keys of Drives. Bodies are moved from "
     "where they are placed, by up to half a turn, and the rest of a loop follows. A coordinate without a "
     "rate starts at rest."},
    {"limits", VG_FIELD_MAP, 0, "", "", 0, 0,
     "Stops at the ends of a coordinate, with the keys of the force `joint-stop`: {lower: …, upper: …, "
     "stiffness: …}. Joints with several coordinates: {coordinate: {…}}. The force is called NAME_limits."},
    {"armature", VG_FIELD_NUMBER, 0, "kg*m^2", "", 0, 0,
     "Inertia along a coordinate, a rotor that turns with the joint (sliding joints: kg); {inertia: …, "
     "ratio: …} as the force `rotor`, of ball joints as `ball-rotor`. Joints with several coordinates: "
     "{coordinate: …}. The force is called NAME_armature."},
    {"if", VG_FIELD_BOOL, 0, "", "true", 0, 0, "The joint is left out when this is 0."},
};
const vgFormatTable vg_format_joint = {
    "Joints",
    "`joints: {name: {kind: [frame, frame], options}}`. A frame is body, body.marker, ground, ground.marker "
    "or {body: name, position: …}. The axis is given in the axes of the first frame. The channels "
    "joint.NAME.force.x … torque.z are the reaction on the second body, about the second frame's origin. Its "
    "axes are those of the first frame, renamed cyclically so that z is the joint's axis (axis x: x, y, z of "
    "the channel are y, z, x of the frame; axis y: z, x, y). In planar models the axes are those of the "
    "first frame: force.x, force.y and torque.z. The force of a drive is joint.NAME.drive.force.x …; along "
    "its coordinate it is joint.NAME.drive.effort. Keys of every joint:",
    "joints:\n  O: {revolute: [ground, crank.O], drive: {angle: 2*pi*t}}", joint_fields,
    sizeof joint_fields / sizeof *joint_fields};

static const vgField drive_fields[] = {
    {"angle, displacement, …", VG_FIELD_LAW, 0, "", "", 0, 0, "The coordinate of that name as a law of t."},
    {"rate", VG_FIELD_LAW, 0, "", "", 0, 0, "The rate of the first coordinate (rate2: of the second)."},
    {"acceleration", VG_FIELD_LAW, 0, "", "", 0, 0,
     "The acceleration of the first coordinate (acceleration2 …)."},
};
const vgFormatTable vg_format_drive = {
    "Drives", "`drive:` in a joint; each key is one driven coordinate.",
    "O: {revolute: [ground, crank.O], drive: {rate: \"10*(1 - exp(-t))\"}}", drive_fields,
    sizeof drive_fields / sizeof *drive_fields};

static int kind_at(int i, vgReadKind *kind)
{
    const vgJointKind *k = vg_joint_kinds[i];
    if (k) *kind = (vgReadKind){k->name, k->fields, k->nfield};
    return k != NULL;
}

/* `drive` beside another kind is what drives that joint; it is a kind only alone. */
static const vgJointKind *find_kind(vgReader *r, const vgEntry *e, vgNode **head)
{
    static const char *const keys[] = {"drive", "if",     "cut",      "at", "turns",
                                       "start", "limits", "armature", NULL};
    static const vgReadKinds kinds = {"joint", "{revolute: [frame, frame]}", keys, kind_at,
                                      ". Where a coordinate starts is 'start: {angle: 0.3, rate: 2}'"};
    int k = vg_read_kind(r, e, &kinds, head);
    if (k >= 0) return vg_joint_kinds[k];
    if (k == -2) return NULL;
    *head = vg_node_get(e->value, "drive");
    if (*head && (*head)->kind == VG_NODE_SCALAR) return vg_joint_kind("drive");
    vg_read_no_kind(r, e, &kinds);
    return NULL;
}

static int read_heads(vgReader *r, const vgJointKind *kind, vgNode *head, vgJointDef *def, vgFrame frame[2])
{
    if (kind->head == VG_HEAD_FRAMES) {
        if (head->kind != VG_NODE_LIST || head->n != 2) {
            vg_diag_error(r->diag, head->loc, "%s: expected [frame, frame], got %s", kind->name,
                          vg_node_kind_text(head));
            return 0;
        }
        int a = vg_read_frame(r, head->item[0], &frame[0]), b = vg_read_frame(r, head->item[1], &frame[1]);
        if (!a || !b) return 0;
        if (frame[0].body == frame[1].body) {
            const char *name = frame[0].body < 0 ? "ground" : r->body[frame[0].body].name;
            vg_diag_error(r->diag, head->loc,
                          "both frames of this joint are on '%s'; a joint needs two bodies", name);
            return 0;
        }
        return 1;
    }
    int *member[3] = {&def->first, &def->second, &def->third};
    if (kind->head == VG_HEAD_JOINT) return vg_read_joint_measure(r, head, member[0]);
    int most = kind->most ? kind->most : 2, ok = 1;
    if (head->kind != VG_NODE_LIST || head->n < 1 || head->n > most || (most == 2 && head->n != 2) ||
        most > 3) {
        vg_diag_error(r->diag, head->loc, "%s: expected [joint, joint%s], got %s", kind->name,
                      most > 2 ? ", …" : "", vg_node_kind_text(head));
        return 0;
    }
    for (int i = 0; i < head->n; i++) ok &= vg_read_joint_measure(r, head->item[i], member[i]);
    for (int i = 1; i < head->n && ok; i++)
        for (int k = 0; k < i && ok; k++)
            if (*member[i] == *member[k]) {
                vg_diag_error(r->diag, head->item[i]->loc,
                              "%s: the coordinate of '%s' is given twice; it would be locked", kind->name,
                              head->item[i]->text);
                ok = 0;
            }
    return ok;
}

/* `at: [x, y, z]`: the frames of both bodies are there, with the axes of the world. */
static int place_heads(vgReader *r, const vgJointKind *kind, const vgNode *head, vgNode *at, vgFrame frame[2])
{
    double place[3];
    if (kind->head != VG_HEAD_FRAMES) {
        vg_diag_error(r->diag, at->loc, "%s couples joints and has no place; leave 'at' out", kind->name);
        return 0;
    }
    if (at->kind != VG_NODE_LIST) {
        vg_diag_error(r->diag, at->loc, "expected the place [x, y%s], got %s", r->m->planar ? "" : ", z",
                      vg_node_kind_text(at));
        return 0;
    }
    if (!vg_read_vec3(r, at, place)) return 0;
    for (int i = 0; i < 2; i++) {
        const char *name = NULL;
        vgNode *item = head->item[i];
        const int text = item->kind == VG_NODE_SCALAR && vg_read_text(r, item, &name);
        if (!text || (strcmp(name, "ground") != 0 && vg_names_find(r->body_names, name) < 0)) {
            vg_diag_error(r->diag, item->loc,
                          "with 'at' the place of the joint is given: name a body here, not a frame on it");
            return 0;
        }
        vgKin k = vg_read_kin(r, frame[i].body);
        frame[i].r = vg_mtv3(k.R, vg_sub3(vg_load3(place), k.p));
        frame[i].R = vg_mt3(k.R);
    }
    return 1;
}

static int planar_ok(vgReader *r, int planar, const char *what, const char *kind, vgLoc at)
{
    if (planar == 1 || (planar == 2) == r->m->planar) return 1;
    vg_diag_error(r->diag, at, "the %s kind '%s' is for %s models only", what, kind,
                  planar ? "planar" : "spatial");
    return 0;
}

/* The axis in planar models: where none is given `plane`, else as that one across the plane or in it. */
static int plane_axis(vgReader *r, const vgNode *map, const char *key, const char *plane, double axis[3])
{
    vgNode *given = vg_node_get(map, key), node = {.kind = VG_NODE_SCALAR, .text = plane};
    if (!r->m->planar || !plane) return 1;
    if (!given) return vg_read_axis(r, &node, axis);
    return vg_read_in_plane(r, given, *plane == 'z', axis);
}

static int add_coordinates(vgReader *r, vgJoint *j, const vgJointBuild *build)
{
    j->measure0 = r->m->nmeasure;
    for (int i = 0; i < build->ncoord; i++) {
        char name[2 * VG_READ_MAX_NAME + 40];
        const vgJointCoord *c = &build->coord[i];
        snprintf(name, sizeof name, "joint.%s.%s", j->name, c->name);
        if (vg_read_add_measure(r, name, c->unit, &c->measure) < 0) return 0;
    }
    j->ncoord = build->ncoord;
    return 1;
}

static int add_prims(vgReader *r, vgJoint *j, vgJointBuild *build)
{
    j->prim0 = r->m->nprim;
    j->row0 = r->m->nrow;
    for (int i = 0; i < build->nprim; i++) {
        vgPrim *p = &build->prim[i];
        if (!vg_read_room(r, &r->prim, r->m->nprim, &r->prim_cap, sizeof *r->prim)) return 0;
        p->joint = (int)(j - r->joint);
        p->row = r->m->nrow;
        for (int k = 0; k < p->nterm; k++) {
            if (p->measure[k] < 0) p->measure[k] = j->measure0 - 1 - p->measure[k];
        }
        if (p->start && p->nterm) {
            vgMeasureOut m[VG_PRIM_MAX_TERMS];
            for (int k = 0; k < p->nterm; k++) vg_read_measure_value(r, p->measure[k], &m[k]);
            vg_prim_measure_start(p, m);
        } else if (p->start) {
            vgKin a = vg_read_kin(r, p->a), b = vg_read_kin(r, p->b);
            vg_prim_start(p, &a, &b);
        }
        r->m->nrow += p->rows;
        r->prim[r->m->nprim++] = *p;
    }
    j->nprim = build->nprim;
    j->nrow = r->m->nrow - j->row0;
    return 1;
}

/* A point mass has no orientation that a joint could hold. */
static int points_ok(vgReader *r, const vgJoint *j, const vgJointBuild *build)
{
    for (int i = 0; i < build->nprim; i++) {
        const vgPrim *p = &build->prim[i];
        for (int side = 0; side < 2 && vg_prim_type(p)->orients; side++) {
            int body = side ? p->b : p->a, n = body < 0 ? 0 : r->body[body].select.n;
            if (body < 0 || r->body[body].select.at[n ? n - 1 : 0] > 2) continue;
            vg_diag_error(r->diag, j->loc,
                          "joint '%s' (%s) holds an orientation, but '%s' is a point mass; use spherical",
                          j->name, j->kind->name, r->body[body].name);
            return 0;
        }
    }
    return 1;
}

/* The polynomial of the second coordinate as a measure of its own, which takes its place. */
static int add_curve(vgReader *r, vgJoint *j)
{
    vgNumbers c = j->kind->curve(&j->def);
    char name[2 * VG_READ_MAX_NAME + 40];
    if (c.n < 2 || c.n > MOST_COEFFICIENTS) {
        vg_diag_error(r->diag, j->loc, "joint '%s' (%s): 2 to %d coefficients are expected, got %d", j->name,
                      j->kind->name, MOST_COEFFICIENTS, c.n);
        return 0;
    }
    snprintf(name, sizeof name, "joint.%s.curve", j->name);
    const vgNamedMeasure *of = &r->measure[j->def.second];
    vgMeasure m = of->measure;
    const char *unit = r->measure[j->def.first].unit;
    m.turn = -1;
    m.ncurve = c.n;
    m.curve = c.at;
    int turn = of->measure.turn, index = vg_read_add_measure(r, name, unit, &m);
    if (index < 0) return 0;
    r->measure[index].measure.turn = turn;
    j->def.second = index;
    return 1;
}

static int build_joint(vgReader *r, vgJoint *j)
{
    vgJointBuild build;
    memset(&build, 0, sizeof build);
    if (j->kind->curve && !add_curve(r, j)) return 0;
    j->kind->build(&j->def, r->m->planar, &build);
    return points_ok(r, j, &build) && add_coordinates(r, j, &build) && add_prims(r, j, &build);
}

/* A new joint under its name; NULL when the name is taken. */
static vgJoint *new_joint(vgReader *r, const char *name, vgLoc at)
{
    int index, existed;
    if (vg_names_add(r->joint_names, name, &index, &existed) != VG_OK) {
        r->full = 1;
        return NULL;
    }
    if (existed) {
        vg_diag_error(r->diag, at, "the name '%s' is used twice for a joint", name);
        return NULL;
    }
    vgJoint *j = &r->joint[r->m->njoint++];
    *j = (vgJoint){.name = vg_names_at(r->joint_names, index), .loc = at, .a = -1, .b = -1, .drive_of = -1};
    j->def = vg_joint_def();
    return j;
}

/* The coordinate and level that a key of `drive:` means: angle, rate, rate2, acceleration … */
static int drive_target(vgReader *r, const vgJoint *j, const char *key, int *measure, int *level)
{
    static const char *const words[] = {"rate", "acceleration"};
    for (int i = 0; i < j->ncoord; i++) {
        if (strcmp(strrchr(r->measure[j->measure0 + i].name, '.') + 1, key) == 0) {
            *measure = j->measure0 + i, *level = 0;
            return 1;
        }
    }
    for (int w = 0; w < 2; w++) {
        size_t n = strlen(words[w]);
        int k = key[n > strlen(key) ? strlen(key) : n] ? key[n] - '0' : 1;
        if (strncmp(key, words[w], n) != 0 || (key[n] && (key[n + 1] || k < 2)) || k > j->ncoord) continue;
        *measure = j->measure0 + k - 1, *level = w + 1;
        return 1;
    }
    return 0;
}

/* Drives know the time alone: their constraints are differentiated twice in it. */
static int is_time_law(vgReader *r, const vgNode *node, const vgLaw *law)
{
    if (vg_law_is_time(law)) return 1;
    vg_diag_error(r->diag, node->loc,
                  "a drive must be a function of t alone; use a force or a controller for the rest, or "
                  "couple two joints by a gear");
    return 0;
}

/* `what` a joint does by a key that is none of its coordinates or rates up to `most`. */
static void no_target(vgReader *r, const vgJoint *j, const vgNode *key, const char *what, int most)
{
    static const char *const words[] = {"rate", "acceleration"};
    const char *names[VG_JOINT_MAX_COORDS + 2];
    int n = 0;
    for (int i = 0; i < j->ncoord; i++) names[n++] = strrchr(r->measure[j->measure0 + i].name, '.') + 1;
    for (int i = 0; i < most; i++) names[n++] = words[i];
    const char *hint = vg_read_hint(r, key->text, names, n);
    vgText expected = {0};
    for (int i = 0; i < n && j->ncoord; i++)
        vg_text_add(&expected, "%s%s", i == 0 ? "; expected " : i == n - 1 ? " or " : ", ", names[i]);
    vg_diag_error(r->diag, key->loc, "joint '%s' (%s) cannot %s '%.60s'%s", j->name, j->kind->name, what,
                  key->text,
                  *hint       ? hint
                  : j->ncoord ? vg_text_at(&expected)
                              : ": it has no coordinate");
    vg_text_free(&expected);
}

static void add_drive(vgReader *r, int driven, const vgNode *key, vgNode *value, int number)
{
    static const char *const none[] = {NULL};
    char name[VG_READ_MAX_NAME + 40];
    int measure, level;
    const vgJoint *j = &r->joint[driven];
    if (!drive_target(r, j, key->text, &measure, &level)) {
        no_target(r, j, key, "drive", 2);
        return;
    }
    snprintf(name, sizeof name, number ? "%s.drive%d" : "%s.drive", j->name, number + 1);
    vgJoint *d = new_joint(r, name, key->loc);
    if (!d) return;
    d->drive_of = driven;
    d->def.first = measure;
    d->def.level = level;
    r->locals = none;
    if (!vg_read_law(r, value, &d->def.law) || !is_time_law(r, value, &d->def.law)) return;
    d->kind = vg_joint_kind("drive");
    if (d->kind) build_joint(r, d);
}

static void read_drives(vgReader *r, vgNode *node, int driven)
{
    if (!vg_read_map(r, node, "drive")) return;
    for (int i = 0; i < node->n && !vg_read_stopped(r); i++) {
        if (node->pair[i].key->kind == VG_NODE_SCALAR)
            add_drive(r, driven, node->pair[i].key, node->pair[i].value, i);
    }
}

/* ---- where coordinates start ---- */

/* What `start:` says of a joint's coordinates: NaN where it says nothing. */
typedef struct jointStart {
    double value[VG_JOINT_MAX_COORDS], rate[VG_JOINT_MAX_COORDS];
} jointStart;

static int is_driven(const vgReader *r, int measure)
{
    for (int i = 0; i < r->m->njoint; i++)
        if (r->joint[i].drive_of >= 0 && r->joint[i].def.first == measure) return 1;
    return 0;
}

static int read_start(vgReader *r, vgNode *node, const vgJoint *j, jointStart *start)
{
    for (int i = 0; i < VG_JOINT_MAX_COORDS; i++) start->value[i] = start->rate[i] = NAN;
    if (!vg_read_map(r, node, "start")) return 0;
    for (int i = 0; i < node->n; i++) {
        const vgNode *key = node->pair[i].key;
        int measure, level;
        if (key->kind != VG_NODE_SCALAR) return 0;
        if (!drive_target(r, j, key->text, &measure, &level) || level > 1) {
            no_target(r, j, key, "start by", 1);
            return 0;
        }
        if (is_driven(r, measure)) {
            vg_diag_error(r->diag, key->loc,
                          "joint '%s' has a drive, whose law says where '%s' starts; leave one out", j->name,
                          r->measure[measure].name);
            return 0;
        }
        if (!vg_read_number(r, node->pair[i].value,
                            (level ? start->rate : start->value) + measure - j->measure0))
            return 0;
    }
    return 1;
}

/* In the model that the start is found with, the coordinate is driven from there. */
static void drive_start(vgReader *r, int driven, int coordinate, const jointStart *start, vgLoc at)
{
    const vgJoint *j = &r->joint[driven];
    double value = start->value[coordinate], rate = start->rate[coordinate];
    int level = isnan(value);
    if (level && isnan(rate)) return;
    vgNode *law = vg_read_take(r, sizeof *law);
    char *text = level ? vg_pool_printf(r->pool, "%.17g", rate)
                       : vg_pool_printf(r->pool, "%.17g + (%.17g)*t", value, isnan(rate) ? 0 : rate);
    char *name = vg_pool_printf(r->pool, coordinate ? "%s.start%d" : "%s.start", j->name, coordinate + 1);
    vgJoint *d = law && text && name ? new_joint(r, name, at) : NULL;
    if (!d) return;
    *law = (vgNode){.kind = VG_NODE_SCALAR, .loc = at, .text = text};
    d->drive_of = driven;
    d->def.first = r->joint[driven].measure0 + coordinate;
    d->def.level = level;
    d->kind = vg_joint_kind("drive");
    if (vg_read_law(r, law, &d->def.law) && d->kind) build_joint(r, d);
}

static void read_starts(vgReader *r)
{
    const vgEntries *e = &r->section[VG_SECTION_JOINTS];
    for (int i = 0; i < e->n && !vg_read_stopped(r); i++) {
        vgNode *node = vg_node_get(e->at[i].value, "start");
        int joint = node ? vg_names_find(r->joint_names, e->at[i].name) : -1;
        jointStart start;
        if (joint < 0 || !r->joint[joint].kind) continue;
        r->ctx = e->at[i].ctx;
        if (!read_start(r, node, &r->joint[joint], &start)) continue;
        r->has_starts = 1;
        for (int c = 0; r->starting && c < r->joint[joint].ncoord; c++)
            drive_start(r, joint, c, &start, node->loc);
    }
    r->ctx = NULL;
}

static int read_turns(vgReader *r, vgNode *node, const vgJoint *j)
{
    const double TURN = 2 * 3.14159265358979323846;
    double n = 0;
    if (!node) return 1;
    if (!vg_read_number(r, node, &n)) return 0;
    for (int i = j->measure0; i < j->measure0 + j->ncoord; i++)
        if (r->measure[i].measure.turn >= 0 && !r->m->planar) {
            if (n != nearbyint(n) || fabs(n) > MOST_TURNS) {
                vg_diag_error(r->diag, node->loc, "a whole number of turns is expected, up to %g",
                              MOST_TURNS);
                return 0;
            }
            r->measure[i].measure.begin = TURN * n;
            return 1;
        }
    vg_diag_error(r->diag, node->loc, "joint '%s' (%s) %s", j->name, j->kind->name,
                  r->m->planar ? "is planar: the angles of its bodies have their turns" : "has no angle");
    return 0;
}

static void read_joint(vgReader *r, const vgEntry *e)
{
    vgNode *head = NULL, *map = e->value, *cut = vg_node_get(map, "cut"), *drive = vg_node_get(map, "drive"),
           *at = vg_node_get(map, "at");
    vgJoint *j = new_joint(r, e->name, e->loc);
    const vgJointKind *kind = find_kind(r, e, &head);
    vgFrame frame[2];
    if (!j || !kind) return;
    int is_drive = head == drive;
    const char *const also[] = {
        kind->name, is_drive ? "if" : "drive", "cut", "at", "turns", "start", "limits", "armature", "if",
        NULL};
    static const char *const none[] = {NULL};
    r->locals = none;
    int ok =
        planar_ok(r, kind->planar, "joint", kind->name, e->loc) && read_heads(r, kind, head, &j->def, frame);
    if (ok && at) ok = place_heads(r, kind, head, at, frame);
    ok &= vg_read_fields(r, map, kind->fields, kind->nfield, &j->def, also, kind->name);
    if (ok && is_drive) ok = is_time_law(r, vg_node_get(map, "value"), &j->def.law);
    if (cut && !vg_read_bool(r, cut, &j->cut)) ok = 0;
    j->def.driven = drive && !is_drive && drive->n > 0;
    if (ok && j->def.driven && kind->undriven && vg_node_get(map, kind->undriven)) {
        vg_diag_error(r->diag, drive->loc,
                      "joint '%s' has a %s and a drive, which says what it is; leave one out", j->name,
                      kind->undriven);
        return;
    }
    if (!ok) return;
    if (!plane_axis(r, map, "axis", kind->plane_axis, j->def.axis) ||
        !plane_axis(r, map, "axis2", kind->plane_axis2, j->def.axis2))
        return;
    if (kind->head == VG_HEAD_FRAMES) {
        vgKin a = vg_read_kin(r, frame[0].body), b = vg_read_kin(r, frame[1].body);
        vg_joint_frames(kind, r->m->planar, &frame[0], &frame[1], &a, &b, &j->def);
        j->a = frame[0].body;
        j->b = frame[1].body;
    }
    j->kind = kind;
    if (!build_joint(r, j) || !read_turns(r, vg_node_get(map, "turns"), j)) return;
    if (drive && !is_drive) read_drives(r, drive, (int)(j - r->joint));
}

/* Gears, couplers and drives act on the coordinates of joints: these are read first, wherever they stand in the file. */
static int is_coupling(const vgEntry *e)
{
    int coupling = 0;
    for (int k = 0; vg_joint_kinds[k]; k++) {
        if (!vg_node_get(e->value, vg_joint_kinds[k]->name)) continue;
        if (vg_joint_kinds[k]->head == VG_HEAD_FRAMES) return 0; /* `drive` may stand beside it */
        coupling = 1;
    }
    return coupling;
}

void vg_read_joints(vgReader *r)
{
    const vgEntries *e = &r->section[VG_SECTION_JOINTS];
    int most = e->n; /* joints do not move once made: laws of drives are pointed to */
    for (int i = 0; i < e->n; i++) {
        const vgNode *drive = vg_node_get(e->at[i].value, "drive"),
                     *start = vg_node_get(e->at[i].value, "start");
        if (drive) most += drive->n;
        if (start) most += start->n;
    }
    most += vg_read_count_ties(r);
    r->joint_cap = most + 1;
    r->joint = vg_read_take(r, (size_t)r->joint_cap * sizeof *r->joint);
    for (int coupling = 0; coupling < 2; coupling++)
        for (int i = 0; r->joint && i < e->n && !vg_read_stopped(r); i++) {
            if (is_coupling(&e->at[i]) != coupling) continue;
            r->ctx = e->at[i].ctx;
            read_joint(r, &e->at[i]);
        }
    r->ctx = NULL;
    if (r->joint) vg_read_ties(r);
    if (r->joint) read_starts(r);
}
