/* Attributes as numbers, and what is left of a file when it was read. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/robot/robot.h"

static int is_separator(char c)
{
    return c == ' ' || c == ',' || c == '\t' || c == '\n' || c == '\r';
}

/* The numbers of a text; −1: something else is in it. more than `most`: most + 1. */
static int numbers_of(const char *text, int most, double *out)
{
    int n = 0;
    for (const char *c = text;;) {
        while (is_separator(*c)) c++;
        if (*c == 0) return n;
        char *stop;
        double x = strtod(c, &stop);
        if (stop == c || (*stop && !is_separator(*stop)) || strpbrk(c, "xX") == c + 1) return -1;
        if (n == most) return most + 1;
        out[n++] = x;
        c = stop;
    }
}

int vg_robot_attr_numbers(vgRobot *r, vgXml *e, const char *name, int least, int most, double *out)
{
    vgXmlAttr *a = vg_xml_attr(e, name);
    const char *text = a ? vg_xml_get(e, name) : NULL;
    if (!text) return 0;
    int n = numbers_of(text, most, out);
    if (n < least || n > most) {
        vg_robot_wrong(r, a->loc,
                       least == most ? "%s: %d number%s expected, got '%.80s'"
                                     : "%s: at least %d number%s expected, got '%.80s'",
                       name, least, least == 1 ? "" : "s", text);
        return 0;
    }
    for (int i = 0; i < n; i++)
        if (!isfinite(out[i])) {
            vg_robot_wrong(r, a->loc, "%s: '%.80s' is not finite", name, text);
            return 0;
        }
    return n;
}

int vg_robot_text_number(vgRobot *r, vgXml *e, double *out)
{
    double x;
    if (numbers_of(e->text, 1, &x) == 1 && isfinite(x)) return *out = x, 1;
    vg_robot_wrong(r, e->loc, "<%.60s>: a number expected, got '%.80s'", e->name, e->text);
    return 0;
}

int vg_robot_attr_number(vgRobot *r, vgXml *e, const char *name, double *out)
{
    return vg_robot_attr_numbers(r, e, name, 1, 1, out);
}

int vg_robot_attr_vec(vgRobot *r, vgXml *e, const char *name, vgVec3 *out)
{
    double x[3];
    if (!vg_robot_attr_numbers(r, e, name, 3, 3, x)) return 0;
    *out = vg_load3(x);
    return 1;
}

int vg_robot_attr_bool(vgRobot *r, vgXml *e, const char *name, int *out)
{
    vgXmlAttr *a = vg_xml_attr(e, name);
    const char *text = a ? vg_xml_get(e, name) : NULL;
    if (!text) return 0;
    if (strcmp(text, "true") == 0 || strcmp(text, "1") == 0) return *out = 1, 1;
    if (strcmp(text, "false") == 0 || strcmp(text, "0") == 0) return *out = 0, 1;
    vg_robot_wrong(r, a->loc, "%s: true or false expected, got '%.80s'", name, text);
    return 0;
}

vgMat3 vg_robot_rpy(double roll, double pitch, double yaw)
{
    return vg_mm3(vg_so3_exp(vg_v3(0, 0, yaw)),
                  vg_mm3(vg_so3_exp(vg_v3(0, pitch, 0)), vg_so3_exp(vg_v3(roll, 0, 0))));
}

vgMat3 vg_robot_z_to(vgVec3 axis)
{
    vgVec3 z = vg_v3(0, 0, 1), a = vg_unit3(axis), n = vg_cross3(z, a);
    double s = vg_norm3(n), angle = atan2(s, a.z);
    if (s == 0) n = vg_v3(1, 0, 0), s = 1;
    return vg_so3_exp(vg_scale3(n, angle / s));
}

static const vgRobotIgnored *reason_for(const vgRobotIgnored *table, const char *element, const char *attr)
{
    for (; table->what; table++) {
        const char *slash = strchr(table->what, '/');
        size_t n = slash ? (size_t)(slash - table->what) : strlen(table->what);
        int any = n == 1 && table->what[0] == '*';
        if (!any && (strlen(element) != n || strncmp(element, table->what, n) != 0)) continue;
        if (slash ? attr && strcmp(slash + 1, attr) == 0 : !attr) return table;
    }
    return table;
}

int vg_robot_lists(const vgRobotIgnored *table, const char *element, const char *attr)
{
    return reason_for(table, element, attr)->what != NULL;
}

void vg_robot_sweep(vgRobot *r, vgXml *e, const vgRobotIgnored *table)
{
    for (; e && !r->full; e = e->next) {
        if (!e->used) {
            const vgRobotIgnored *why = reason_for(table, e->name, NULL);
            const char *name = vg_xml_get(e, "name");
            if (why->reason)
                vg_robot_note(r, VG_IMPORT_IGNORED, why->physics, e->loc, "<%s%s%.60s%s> is ignored: %s",
                              e->name, name ? " name=\"" : "", name ? name : "", name ? "\"" : "",
                              why->reason);
            continue;
        }
        for (int i = 0; i < e->nattr; i++) {
            const vgXmlAttr *a = &e->attr[i];
            if (a->used) continue;
            const vgRobotIgnored *why = reason_for(table, e->name, a->name);
            if (why->reason)
                vg_robot_note(r, VG_IMPORT_IGNORED, why->physics, a->loc,
                              "%s=\"%.60s\" of <%s> is ignored: %s", a->name, a->value, e->name, why->reason);
        }
        vg_robot_sweep(r, e->child, table);
    }
}
