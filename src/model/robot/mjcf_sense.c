/* Sensors of MJCF as channels that are recorded. */
#include <string.h>

#include "model/robot/mjcf.h"

/* A sensor, the attribute that names what it looks at, and what that is called in a model: %s is its name. Where all is 1,
 * the three components .x, .y, .z are meant. */
typedef struct sense {
    const char *sensor, *of, *channel;
    int all;
} sense;

static const sense senses[] = {
    {"jointpos", "joint", "joint.%s.", 0},
    {"jointvel", "joint", "joint.%s.rate", 0},
    {"tendonpos", "tendon", "force.%s.length", 0},
    {"tendonvel", "tendon", "force.%s.rate", 0},
    {"framepos", "objname", "%s.position.", 1},
    {"framelinvel", "objname", "%s.velocity.", 1},
    {"subtreecom", "body", "com.position.", 1},
    {"gyro", "site", "body.%s.omega.", 1},
    {"framelinacc", "objname", "%s.acceleration.", 1},
    {"subtreelinvel", "body", "com.velocity.", 1},
    {"e_kinetic", NULL, "energy.kinetic", 0},
    {"e_potential", NULL, "energy.potential", 0},
};
enum { SENSES = sizeof senses / sizeof senses[0], MAX_RECORD = 512 };

static void keep(vgRobot *r, const char *channel)
{
    for (int i = 0; channel && i < r->nrecord; i++)
        if (strcmp(r->record[i], channel) == 0) return;
    if (!channel) r->full = 1;
    if (channel && r->nrecord < MAX_RECORD) r->record[r->nrecord++] = channel;
}

/* `body.NAME` or `marker.BODY.NAME` of a body or site of the file; NULL: there is none. */
static const char *place_of(vgMjcf *m, const char *type, const char *name)
{
    vgRobot *r = m->r;
    int site = type && strcmp(type, "site") == 0 ? vg_mjcf_site_of(m, name) : -1;
    int body = site >= 0 ? r->site[site].body : vg_robot_find_body(r, name);
    if (site < 0 && (body < 0 || !type || strstr(type, "body") == NULL)) return NULL;
    if (site < 0 && strcmp(type, "body") == 0 && vg_norm3(r->body[body].own_com) > 0) { /* xbody: its frame */
        vgPose com = {r->body[body].own_com, vg_eye3()};
        const char *given = vg_pool_printf(r->pool, "%s_com", r->body[body].name);
        if (vg_mjcf_site_of(m, given) < 0 && given) {
            vgRobotSite *s = vg_robot_add_site(r, given, r->body[body].loc, body, com);
            if (s) s->name = vg_robot_name(r, r->body_names, given, s->loc, NULL);
        }
        site = vg_mjcf_site_of(m, given);
    }
    int on = body < 0 ? -1 : r->body[body].carrier;
    const char *owner = on < 0 ? "ground" : r->body[on].name;
    if (site < 0 && on == body) return vg_pool_printf(r->pool, "body.%s", owner);
    return vg_pool_printf(r->pool, "marker.%s.%s", owner,
                          site >= 0 ? r->site[site].name : r->body[body].name);
}

/* 1: all bodies are below this one. */
static int is_whole(const vgRobot *r, int body)
{
    int roots = 0;
    for (int i = 0; i < r->nbody; i++) roots += r->body[i].parent < 0;
    return body == 0 && roots == 1;
}

/* The name in the model of what a sensor looks at; NULL: it is not there, or not in the model. */
static const char *target_of(vgMjcf *m, vgXml *e, const sense *s, const char *name)
{
    vgRobot *r = m->r;
    if (!s->of) return "";
    if (strcmp(s->of, "joint") == 0) {
        int k = vg_robot_find_joint(r, name);
        return k >= 0 && r->joint[k].kind <= VG_ROBOT_SLIDE && !r->joint[k].held ? r->joint[k].name : NULL;
    }
    if (strcmp(s->of, "tendon") == 0) {
        for (int i = 0; i < r->nforce; i++)
            if (strcmp(r->force[i].name, name) == 0 && vg_node_get(r->force[i].value, "tendon")) return name;
        return NULL;
    }
    if (strcmp(s->of, "objname") == 0) return place_of(m, vg_xml_get(e, "objtype"), name);
    if (strcmp(s->of, "body") == 0) return is_whole(r, vg_robot_find_body(r, name)) ? name : NULL;
    int site = vg_mjcf_site_of(m, name), body = site < 0 ? -1 : r->site[site].body;
    if (body < 0 || r->body[body].carrier != body) return NULL;
    vgPose at = r->site[site].at;
    return vg_mmax3(vg_msub3(at.R, vg_eye3())) == 0 ? r->body[body].name : NULL; /* in the axes of the body */
}

static int read_sensor(vgMjcf *m, vgXml *e)
{
    vgRobot *r = m->r;
    for (int k = 0; k < SENSES; k++) {
        const sense *s = &senses[k];
        const char *name = strcmp(e->name, s->sensor) != 0 ? NULL : s->of ? vg_xml_get(e, s->of) : "";
        if (!name || (vg_xml_attr(e, "reftype") != NULL)) continue;
        const char *of = target_of(m, e, s, name);
        if (!of) return 0;
        const char *channel = strstr(s->channel, "%s") ? vg_pool_printf(r->pool, s->channel, of) : s->channel;
        if (strcmp(s->sensor, "jointpos") == 0)
            channel = vg_pool_printf(
                r->pool, "joint.%s.%s", of,
                r->joint[vg_robot_find_joint(r, name)].kind == VG_ROBOT_SLIDE ? "displacement" : "angle");
        for (int c = 0; s->all && c < 3 && channel; c++)
            keep(r, vg_pool_printf(r->pool, "%s%c", channel, 'x' + c));
        if (!s->all) keep(r, channel);
        e->used = 1;
        for (int i = 0; i < e->nattr; i++) e->attr[i].used = 1;
        vg_robot_note(r, VG_IMPORT_USED, 0, e->loc, "the sensor %s is the channel %s%s, which is recorded",
                      e->name, channel ? channel : "", s->all ? "x, y, z" : "");
        return 1;
    }
    return 0;
}

void vg_mjcf_sensors(vgMjcf *m)
{
    for (VG_MJCF_EACH(e, "sensor")) {
        if (read_sensor(m, e)) continue;
        e->used = 1;
        for (int i = 0; i < e->nattr; i++) e->attr[i].used = 1;
        vg_robot_note(m->r, VG_IMPORT_IGNORED, 0, e->loc,
                      "the sensor %.40s has no channel of the same meaning", e->name);
    }
}
