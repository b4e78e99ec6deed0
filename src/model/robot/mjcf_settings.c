/* MJCF: included files, default classes, settings of the compiler, options and flags. */
#include <math.h>
#include <string.h>

#include "model/robot/mjcf.h"

enum { MAX_INCLUDES = 64, MAX_GROUP = 1000 };

/* Included files take the place of their <include>. Names without .. only, each file once. */
static void include_all(vgMjcf *m, vgXml *e, int depth, int *files)
{
    vgRobot *r = m->r;
    for (vgXml **at = &e->child; *at && !vg_robot_failed(r);) {
        vgXml *c = *at;
        if (strcmp(c->name, "include") != 0) {
            include_all(m, c, depth, files);
            at = &c->next;
            continue;
        }
        const char *file = vg_xml_get(c, "file");
        if (!file || !r->folder || file[0] == '/' || strstr(file, "..") || depth > 8 ||
            ++*files > MAX_INCLUDES) {
            vg_robot_wrong(r, c->loc,
                           "'%.200s' cannot be included: a file below the folder of the robot is expected",
                           file ? file : "");
            return;
        }
        size_t n = 0;
        const char *path = vg_pool_printf(r->pool, "%s/%s", r->folder, file);
        const char *text = path ? vg_spec_read(r->pool, path, c->loc, &n, r->diag) : NULL;
        vgXml *root = text ? vg_xml_parse(r->pool, text, n, vg_diag_file(r->diag, path), r->diag) : NULL;
        if (!root) return;
        include_all(m, root, depth + 1, files);
        vgXml **last = &root->child;
        while (*last) last = &(*last)->next;
        *last = c->next;
        *at = root->child;
    }
}

static void add_classes(vgMjcf *m, vgXml *e, int parent)
{
    if (m->nclass == VG_MJCF_MAX_CLASSES) {
        vg_robot_wrong(m->r, e->loc, "there are more than %d default classes", VG_MJCF_MAX_CLASSES);
        return;
    }
    const char *name = vg_xml_get(e, "class");
    e->used = 1;
    int self = m->nclass++;
    m->cls[self] = (vgMjcfClass){name ? name : "main", parent, e};
    for (vgXml *c = e->child; c; c = c->next) {
        c->used = 1;
        if (strcmp(c->name, "geom") == 0) vg_mjcf_mark_contact(c);
        if (strcmp(c->name, "default") == 0) add_classes(m, c, self);
    }
}

/* A top-level section goes on with what the ones before it say; classes inside know their own and those before. */
static void read_defaults(vgMjcf *m)
{
    for (vgXml *e = vg_xml_child(m->root, "default"); e; e = vg_xml_next(e, "default")) {
        const int self = m->nclass;
        add_classes(m, e, m->main);
        m->main = self;
    }
}

/* What acts in the format by a switch that a flag turns off. */
typedef struct flag {
    const char *name;
    unsigned off;     /* VG_ROBOT_OFF_… */
    const char *said; /* what that is in the model */
} flag;

static const flag flags[] = {
    {"spring", VG_ROBOT_OFF_SPRINGS, "the parameter springs is 0"},
    {"damper", VG_ROBOT_OFF_DAMPING, "the parameter damping is 0"},
    {"limit", VG_ROBOT_OFF_LIMITS, "the parameter limits is 0"},
    {"frictionloss", VG_ROBOT_OFF_FRICTION, "the parameter friction is 0"},
    {"actuation", VG_ROBOT_OFF_ACTUATORS, "the parameter actuators is 0"},
    {"equality", VG_ROBOT_OFF_EQUALITIES, "there are no equalities"},
    {"constraint", VG_ROBOT_OFF_EQUALITIES | VG_ROBOT_OFF_LIMITS | VG_ROBOT_OFF_FRICTION,
     "there are no equalities, the parameters limits and friction are 0"},
    {"passive", VG_ROBOT_OFF_SPRINGS | VG_ROBOT_OFF_DAMPING, "the parameters springs and damping are 0"},
    {"contact", VG_ROBOT_OFF_CONTACTS, "geoms do not touch each other"},
    {"clampctrl", VG_ROBOT_OFF_CLAMP, "controls are not clamped"},
};

/* Parts of the motion that the file turns off. */
static void read_flags(vgRobot *r, vgXml *option)
{
    for (vgXml *e = vg_xml_child(option, "flag"); e; e = vg_xml_next(e, "flag")) {
        e->used = 1;
        for (int i = 0; i < e->nattr; i++) {
            vgXmlAttr *a = &e->attr[i];
            const int off = strcmp(a->value, "disable") == 0;
            int known = strcmp(a->name, "gravity") == 0;
            a->used = 1;
            if (known && off) r->gravity = vg_zero3();
            for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
                if (strcmp(a->name, flags[k].name) != 0) continue;
                known = 1;
                r->off |= off ? flags[k].off : 0;
                if (off)
                    vg_robot_note(r, VG_IMPORT_USED, 0, a->loc, "%s=\"disable\" of <flag>: %s", a->name,
                                  flags[k].said);
            }
            if (!known)
                vg_robot_note(r, VG_IMPORT_IGNORED, 0, a->loc,
                              "%s=\"%.40s\" of <flag> is ignored: a switch of another program", a->name,
                              a->value);
        }
    }
}

static void read_compiler(vgMjcf *m)
{
    vgRobot *r = m->r;
    for (vgXml *e = vg_xml_child(m->root, "compiler"); e; e = vg_xml_next(e, "compiler")) {
        const char *angle = vg_xml_get(e, "angle"), *seq = vg_xml_get(e, "eulerseq"),
                   *geom = vg_xml_get(e, "inertiafromgeom"), *coordinate = vg_xml_get(e, "coordinate");
        double range[2];
        e->used = 1;
        const char *assets = vg_xml_get(e, "assetdir"), *meshes = vg_xml_get(e, "meshdir");
        if (assets) m->meshdir = assets;
        if (meshes) m->meshdir = meshes;
        if (angle) m->degree = strcmp(angle, "radian") != 0;
        if (coordinate && strcmp(coordinate, "global") == 0)
            vg_robot_wrong(r, e->loc, "global coordinates are not read");
        if (geom) m->from_geom = strcmp(geom, "auto") == 0 ? 2 : strcmp(geom, "true") == 0;
        if (seq && (strlen(seq) != 3 || strspn(seq, "xyzXYZ") != 3))
            vg_robot_wrong(r, e->loc, "eulerseq: three letters of xyz or XYZ expected, got '%.40s'", seq);
        else if (seq)
            memcpy(m->eulerseq, seq, 4);
        vg_robot_attr_bool(r, e, "autolimits", &m->autolimits);
        vg_robot_attr_number(r, e, "settotalmass", &m->total_mass);
        vg_robot_attr_number(r, e, "boundmass", &m->bound_mass);
        vg_robot_attr_number(r, e, "boundinertia", &m->bound_inertia);
        vg_robot_attr_bool(r, e, "balanceinertia", &m->balance);
        if (vg_robot_attr_numbers(r, e, "inertiagrouprange", 2, 2, range))
            for (int k = 0; k < 2; k++) m->group[k] = (int)fmin(fmax(range[k], 0), MAX_GROUP);
        vg_robot_attr_bool(r, e, "strippath", &m->strippath);
        vg_xml_get(e, "discardvisual"), vg_xml_get(e, "fusestatic"), vg_xml_get(e, "usethread");
    }
}

static void read_options(vgMjcf *m)
{
    vgRobot *r = m->r;
    for (vgXml *e = vg_xml_child(m->root, "option"); e; e = vg_xml_next(e, "option")) {
        e->used = 1;
        vg_robot_attr_vec(r, e, "gravity", &r->gravity);
        vg_robot_attr_number(r, e, "density", &m->density);
        vg_robot_attr_number(r, e, "viscosity", &m->viscosity);
        vg_robot_attr_vec(r, e, "wind", &m->wind);
        if (m->density < 0 || m->viscosity < 0)
            vg_robot_wrong(r, e->loc, "density and viscosity of the medium must not be negative");
        read_flags(r, e);
        if (vg_robot_attr_number(r, e, "timestep", &r->timestep) && !(r->timestep > 0))
            vg_robot_wrong(r, e->loc, "timestep must be positive");
    }
}

int vg_mjcf_settings(vgMjcf *m)
{
    int files = 0;
    include_all(m, m->root, 0, &files);
    if (vg_robot_failed(m->r)) return 0;
    read_compiler(m);
    read_options(m);
    read_defaults(m);
    return !vg_robot_failed(m->r);
}
