/* Frames: where bodies and markers stand, and how other entries refer to them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/so3.h"
#include "model/read/reader.h"

typedef struct markerSpec {
    vgReadPlace place;
    int condition;
} markerSpec;

static const vgField marker_fields[] = {
    VG_PLACE_FIELDS(markerSpec),
    {"if", VG_FIELD_BOOL, offsetof(markerSpec, condition), "", "true", 0, 0,
     "The marker is left out when this is 0."},
};
const vgFormatTable vg_format_marker = {
    "Markers", "A frame fixed on a body, referred to as body.marker. Short form: its position.",
    "markers: {A: [0.1, 0, 0], B: {position: [0, 0, 0.2], rotation: [0, pi/2, 0]}}", marker_fields,
    sizeof marker_fields / sizeof *marker_fields};

int vg_read_place(vgReader *r, const vgNode *map, const vgReadPlace *s, vgVec3 *p, vgMat3 *R, double *theta)
{
    int given = !isnan(s->angle) + (s->rotation != NULL) + (s->quaternion != NULL) + (s->axis_angle != NULL);
    *p = vg_load3(s->position);
    *R = vg_eye3();
    *theta = 0;
    if (r->m->planar && s->position[2] != 0) {
        vg_diag_error(r->diag, vg_node_get(map, "position")->loc, "expected a position [x, y]");
        return 0;
    }
    if (given > 1) {
        vg_diag_error(r->diag, map->loc,
                      "the orientation is given twice; keep one of angle, rotation, quaternion, axis-angle");
        return 0;
    }
    if (r->m->planar && (s->quaternion || s->axis_angle)) {
        vg_diag_error(r->diag, map->loc, "in a planar model the orientation is given by angle");
        return 0;
    }
    if (!isnan(s->angle)) {
        *theta = s->angle;
        *R = vg_so3_exp(vg_v3(0, 0, s->angle));
    }
    if (s->rotation && r->m->planar) {
        if (!vg_read_number(r, s->rotation, theta)) return 0;
        *R = vg_so3_exp(vg_v3(0, 0, *theta));
        return 1;
    }
    if (s->rotation) return vg_read_rotation(r, s->rotation, R);
    if (s->quaternion) return vg_read_quaternion(r, s->quaternion, R);
    if (s->axis_angle) return vg_read_axis_angle(r, s->axis_angle, R);
    return 1;
}

static int add_marker(vgReader *r, const char *body_name, const vgNode *key, vgNode *value, int body,
                      vgVec3 com)
{
    vgNode *node = vg_read_variant(r, value);
    if (!node) return 1;
    const char *local;
    if (!vg_read_text(r, (vgNode *)key, &local) || !vg_read_name_ok(r, local, key->loc, "marker")) return 0;
    if (!vg_read_count(r, key->loc)) return 0;
    vgFrame frame = {.body = body, .R = vg_eye3()};
    if (node->kind == VG_NODE_MAP) {
        markerSpec spec = {0};
        double theta;
        if (!vg_read_fields(r, node, marker_fields, sizeof marker_fields / sizeof *marker_fields, &spec, NULL,
                            "marker")) {
            return 0;
        }
        if (!vg_read_place(r, node, &spec.place, &frame.r, &frame.R, &theta)) return 0;
    } else {
        double p[3];
        if (!vg_read_vec3(r, node, p)) return 0;
        if (r->m->planar && p[2] != 0)
            return vg_diag_error(r->diag, node->loc, "expected a position [x, y]"), 0;
        frame.r = vg_load3(p);
    }
    frame.r = vg_sub3(frame.r, com);
    return vg_read_add_marker(r, body_name, local, key->loc, frame);
}

int vg_read_add_marker(vgReader *r, const char *body_name, const char *local, vgLoc at, vgFrame frame)
{
    size_t na = strlen(body_name), nb = strlen(local);
    char *name = vg_read_take(r, na + nb + 2);
    int index, existed;
    if (!name || !vg_read_room(r, &r->marker, r->m->nmarker, &r->marker_cap, sizeof *r->marker)) return 0;
    memcpy(name, body_name, na);
    name[na] = '.';
    memcpy(name + na + 1, local, nb);
    if (vg_names_add(r->marker_names, name, &index, &existed) != VG_OK) return r->full = 1, 0;
    if (existed) {
        vg_diag_error(r->diag, at, "the marker '%s' is there twice", name);
        return 0;
    }
    r->marker[r->m->nmarker++] = (vgMarker){name, frame};
    return 1;
}

int vg_read_markers(vgReader *r, const char *name, vgNode *map, int body, vgVec3 com)
{
    int ok = 1;
    if (!map) return 1;
    if (!vg_read_map(r, map, "markers")) return 0;
    for (int i = 0; i < map->n && !vg_read_stopped(r); i++) {
        if (map->pair[i].key->kind != VG_NODE_SCALAR) continue;
        ok &= add_marker(r, name, map->pair[i].key, map->pair[i].value, body, com);
    }
    return ok;
}

/* A mesh or a flexible body of that name is in the file and has no nodes: it was wrong, and reported. */
static int failed_part(const vgReader *r, const char *name)
{
    static const int sections[] = {VG_SECTION_MESH, VG_SECTION_FLEXIBLE};
    char node[VG_READ_MAX_NAME + 8];
    snprintf(node, sizeof node, "%s.1", name);
    if (vg_diag_errors(r->diag) == 0 || vg_names_find(r->body_names, node) >= 0) return 0;
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < r->section[sections[s]].n; i++)
            if (strcmp(r->section[sections[s]].at[i].name, name) == 0) return 1;
    return 0;
}

/* 1: body is a mesh or a flexible body, whose nodes are listed. */
static int unknown_node(vgReader *r, const vgNode *node, const char *text, const char *body)
{
    const int all = vg_names_count(r->body_names);
    const char *const *names = vg_names_list(r->body_names), *first = NULL, *last = NULL;
    const size_t length = strlen(body);
    for (int i = 0; i < all; i++) {
        if (strncmp(names[i], body, length) != 0 || names[i][length] != '.') continue;
        if (!first) first = names[i];
        last = names[i];
    }
    if (first)
        vg_diag_error(r->diag, node->loc, "there is no '%.100s': the nodes of '%s' are %s to %s", text, body,
                      first, last);
    return first != NULL;
}

static int unknown_marker(vgReader *r, const vgNode *node, const char *text, const char *dot)
{
    char list[300] = "", body[VG_READ_MAX_NAME + 1];
    const char *names[64];
    int n = 0, k = -1, ground = (size_t)(dot - text) == 6 && strncmp(text, "ground", 6) == 0;
    size_t used = 0, length = (size_t)(dot - text) < sizeof body ? (size_t)(dot - text) : sizeof body - 1;
    memcpy(body, text, length);
    body[length] = 0;
    if (!ground) k = vg_names_find(r->body_names, body);
    if (!ground && k < 0 && failed_part(r, body)) return 0;
    if (!ground && k < 0 && unknown_node(r, node, text, body)) return 0;
    if (!ground && k < 0) {
        vg_diag_error(r->diag, node->loc, "'%.100s': there is no body '%s'%s", text, body,
                      vg_read_hint(r, body, vg_names_list(r->body_names), vg_names_count(r->body_names)));
        return 0;
    }
    int m0 = ground ? r->m->ground_marker0 : r->body[k].marker0;
    int m1 = m0 + (ground ? r->m->nground_marker : r->body[k].nmarker);
    for (int m = m0; m < m1 && n < 64; m++) {
        names[n++] = strchr(r->marker[m].name, '.') + 1;
        size_t more = strlen(names[n - 1]);
        if (used + more + 3 > sizeof list) continue;
        if (used) memcpy(list + used, ", ", 2), used += 2;
        memcpy(list + used, names[n - 1], more + 1);
        used += more;
    }
    const char *hint = vg_read_hint(r, dot + 1, names, n);
    vg_diag_error(r->diag, node->loc, "body '%s' has no marker '%.60s'%s%s%s", body, dot + 1,
                  *hint ? hint
                  : n   ? "; it has "
                        : "",
                  *hint ? "" : list, "");
    return 0;
}

/* A frame given on the spot: {body: name, position: …} */
static int inline_frame(vgReader *r, vgNode *node, vgFrame *out)
{
    static const char *const keys[] = {"body", NULL};
    markerSpec spec = {0};
    vgNode *on = vg_node_get(node, "body");
    vgFrame place = {.R = vg_eye3()};
    double theta;
    if (!on || !vg_read_fields(r, node, marker_fields, sizeof marker_fields / sizeof *marker_fields, &spec,
                               keys, "frame")) {
        if (!on)
            vg_diag_error(r->diag, node->loc,
                          "expected a frame: body, body.marker or {body: …, position: …}");
        return 0;
    }
    if (!vg_read_frame(r, on, out) || !vg_read_place(r, node, &spec.place, &place.r, &place.R, &theta))
        return 0;
    out->r = vg_add3(out->r, vg_mv3(out->R, place.r));
    out->R = vg_mm3(out->R, place.R);
    return 1;
}

int vg_read_frame(vgReader *r, vgNode *node, vgFrame *out)
{
    const char *text;
    if (node->kind == VG_NODE_MAP) return inline_frame(r, node, out);
    if (node->kind != VG_NODE_SCALAR) {
        vg_diag_error(r->diag, node->loc,
                      "expected a frame: body, body.marker or {body: …, position: …}, got %s",
                      vg_node_kind_text(node));
        return 0;
    }
    if (!vg_read_text(r, node, &text)) return 0;
    const char *dot = strchr(text, '.');
    if (dot && vg_names_find(r->body_names, text) < 0) { /* nodes of meshes are bodies with a dot */
        int k = vg_names_find(r->marker_names, text);
        if (k < 0) return unknown_marker(r, node, text, dot);
        *out = r->marker[k].frame;
        return 1;
    }
    *out = (vgFrame){.body = -1, .R = vg_eye3()};
    if (strcmp(text, "ground") == 0) return 1;
    out->body = vg_names_find(r->body_names, text);
    if (out->body >= 0) {
        out->r = vg_neg3(r->body[out->body].com);
        return 1;
    }
    vg_diag_error(r->diag, node->loc, "there is no body '%.100s'%s", text,
                  vg_read_hint(r, text, vg_names_list(r->body_names), vg_names_count(r->body_names)));
    return 0;
}
