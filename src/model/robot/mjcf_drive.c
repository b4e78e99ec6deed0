/* Actuators of MJCF: gain × control + bias along joints, fixed tendons and at sites. */
#include <math.h>
#include <string.h>

#include "model/robot/mjcf.h"
#include "model/tuning.h"

static const double PI = 3.14159265358979323846;

typedef struct actuator {
    vgMjcfItem it;
    const char *name; /* of the input */
    vgLoc loc;
    double gear[6], gain[3], bias[3];
    int affine_gain;
    const char *activation; /* the number that takes the place of the control; NULL: the control itself */
} actuator;

/* The control, clamped. */
static const char *control(vgMjcf *m, const actuator *a)
{
    double range[2];
    const char *u = vg_pool_printf(m->r->pool, "input.%s", a->name);
    int limited = vg_mjcf_switch(&a->it, "ctrllimited");
    if (vg_mjcf_numbers(&a->it, "ctrlrange", 2, 2, range) && limited != 0 && (limited > 0 || m->autolimits))
        u = vg_pool_printf(m->r->pool, "min(max(%s, %.17g), %.17g)", u ? u : "", range[0], range[1]);
    if (!u) m->r->full = 1;
    return u ? u : "0";
}

/* gain × ctrl + bias as an expression of length l and velocity v, clamped. */
static const char *force_law(vgMjcf *m, const actuator *a, const char *l, const char *v)
{
    vgRobot *r = m->r;
    double range[2];
    const char *u = a->activation ? a->activation : control(m, a), *f;
    f = a->affine_gain ? vg_pool_printf(r->pool, "(%.17g + %.17g*%s + %.17g*%s)*%s", a->gain[0], a->gain[1],
                                        l, a->gain[2], v, u ? u : "")
                       : vg_pool_printf(r->pool, "%.17g*%s", a->gain[0], u ? u : "");
    if (a->bias[0] != 0) f = vg_pool_printf(r->pool, "%s + %.17g", f ? f : "", a->bias[0]);
    if (a->bias[1] != 0) f = vg_pool_printf(r->pool, "%s + %.17g*%s", f ? f : "", a->bias[1], l);
    if (a->bias[2] != 0) f = vg_pool_printf(r->pool, "%s + %.17g*%s", f ? f : "", a->bias[2], v);
    int limited = vg_mjcf_switch(&a->it, "forcelimited");
    if (vg_mjcf_numbers(&a->it, "forcerange", 2, 2, range) && limited != 0 && (limited > 0 || m->autolimits))
        f = vg_pool_printf(r->pool, "min(max(%s, %.17g), %.17g)", f ? f : "", range[0], range[1]);
    if (!u || !f) r->full = 1;
    return f ? f : "0";
}

/* Gain and bias of the shortcuts; 0: one that is not imported. */
static int read_gains(actuator *a)
{
    const char *kind = a->it.e->name;
    double kp = 1, kv = 0, x[10];
    if (strcmp(kind, "motor") == 0) {
        a->gain[0] = 1;
    } else if (strcmp(kind, "position") == 0) {
        vg_mjcf_number(&a->it, "kp", &kp), vg_mjcf_number(&a->it, "kv", &kv);
        a->gain[0] = kp, a->bias[1] = -kp, a->bias[2] = -kv;
    } else if (strcmp(kind, "velocity") == 0) {
        kv = 1;
        vg_mjcf_number(&a->it, "kv", &kv);
        a->gain[0] = kv, a->bias[2] = -kv;
    } else if (strcmp(kind, "damper") == 0) {
        kv = 1;
        vg_mjcf_number(&a->it, "kv", &kv);
        a->affine_gain = 1, a->gain[2] = -kv;
    } else if (strcmp(kind, "intvelocity") == 0) {
        vg_mjcf_number(&a->it, "kp", &kp), vg_mjcf_number(&a->it, "kv", &kv);
        a->gain[0] = kp, a->bias[1] = -kp, a->bias[2] = -kv;
    } else if (strcmp(kind, "cylinder") == 0) {
        double area = 1, diameter;
        vg_mjcf_number(&a->it, "area", &area);
        if (vg_mjcf_number(&a->it, "diameter", &diameter)) area = PI / 4 * diameter * diameter;
        a->gain[0] = area;
        vg_mjcf_numbers(&a->it, "bias", 3, 3, a->bias);
    } else if (strcmp(kind, "general") == 0) {
        int n = vg_mjcf_numbers(&a->it, "gainprm", 1, 10, x),
            affine = vg_mjcf_word(&a->it, "gaintype", "affine");
        a->gain[0] = n ? x[0] : 1;
        for (int k = 1; k < 3 && affine; k++) a->gain[k] = n > k ? x[k] : 0;
        a->affine_gain = affine;
        n = vg_mjcf_numbers(&a->it, "biasprm", 1, 10, x);
        for (int k = 0; k < 3 && k < n && vg_mjcf_word(&a->it, "biastype", "affine"); k++) a->bias[k] = x[k];
        if (vg_mjcf_word(&a->it, "gaintype", "muscle") || vg_mjcf_word(&a->it, "biastype", "muscle"))
            return 0;
    } else {
        return 0;
    }
    return 1;
}

/* ȧ = u (integrator) or (u − a)/τ (filter, filterexact), a within its range; where there is no dynamics, nothing. 0: one that
 * is not imported. */
static int read_dynamics(vgMjcf *m, actuator *a)
{
    vgRobot *r = m->r;
    const char *dyn = vg_mjcf_text(&a->it, "dyntype"), *u = control(m, a), *law;
    double tau[10] = {1}, range[2], timeconst = 0;
    int cylinder = strcmp(a->it.e->name, "cylinder") == 0,
        integral = strcmp(a->it.e->name, "intvelocity") == 0;
    int limited = vg_mjcf_switch(&a->it, "actlimited"), bounded;
    vg_mjcf_numbers(&a->it, "dynprm", 1, 10, tau);
    if (vg_mjcf_number(&a->it, "timeconst", &timeconst)) tau[0] = timeconst;
    if (cylinder || (!dyn && timeconst > 0)) dyn = "filter";
    if (integral) dyn = "integrator";
    if (!dyn || strcmp(dyn, "none") == 0) return 1;
    if (strcmp(dyn, "integrator") == 0)
        law = u;
    else if (strncmp(dyn, "filter", 6) == 0)
        law = vg_pool_printf(r->pool, "(%s - x)/%.17g", u, fmax(tau[0], VG_LEAST_TIME));
    else
        return 0;
    bounded =
        vg_mjcf_numbers(&a->it, "actrange", 2, 2, range) && (limited > 0 || (limited < 0 && m->autolimits));
    if (integral && !bounded)
        vg_robot_note(r, VG_IMPORT_CHANGED, 1, a->loc, "the activation of '%s' has no range", a->name);
    const char *name =
        vg_robot_name(r, r->force_names, vg_pool_printf(r->pool, "%s_activation", a->name), a->loc, NULL);
    vgNode *e = vg_robot_map(r, a->loc);
    vg_robot_put(r, e, "activation", vg_robot_number(r, a->loc, 0));
    vg_robot_put(r, e, "rate", vg_robot_text(r, a->loc, law));
    vg_robot_keep_force(r, name, a->loc, "actuators", e);
    a->activation = vg_pool_printf(r->pool, "force.%s.activation", name);
    if (bounded)
        a->activation = vg_pool_printf(r->pool, "min(max(%s, %.17g), %.17g)",
                                       a->activation ? a->activation : "0", range[0], range[1]);
    if (bounded)
        vg_robot_note(r, VG_IMPORT_CHANGED, 1, a->loc,
                      "the activation of actuator '%s' goes on beyond its range; the force does not",
                      a->name);
    if (!a->activation) r->full = 1;
    return 1;
}

/* Inertia about the axis of a joint (slides: mass) of what it moves, as drawn. */
static double inertia_behind(const vgMjcf *m, const vgRobotJoint *j)
{
    const vgRobot *r = m->r;
    vgPose X = m->drawn[j->body];
    vgVec3 at = vg_add3(X.p, vg_mv3(X.R, j->anchor)), axis = vg_mv3(X.R, j->axis);
    double sum = j->armature;
    for (int i = j->body; i < r->nbody; i++) {
        const vgRobotBody *b = &r->body[i];
        int k = i;
        while (k > j->body) k = r->body[k].parent;
        if (k != j->body) continue;
        vgVec3 com = vg_add3(m->drawn[i].p, vg_mv3(m->drawn[i].R, b->own_com)),
               arm = vg_cross3(axis, vg_sub3(com, at)), own = vg_mtv3(m->drawn[i].R, axis);
        sum += j->kind == VG_ROBOT_SLIDE
                   ? b->own_mass
                   : b->own_mass * vg_dot3(arm, arm) + vg_dot3(own, vg_mv3(b->own_inertia, own));
    }
    return sum;
}

/* Damping by its ratio: 2 ζ √(kp J), J behind the gear. */
static void damp_by_ratio(const vgMjcf *m, actuator *a, int joint)
{
    double ratio = 0, g = a->gear[0];
    if (strcmp(a->it.e->name, "position") != 0 || !vg_mjcf_number(&a->it, "dampratio", &ratio) || g == 0)
        return;
    a->bias[2] -= 2 * ratio * sqrt(a->gain[0] * inertia_behind(m, &m->r->joint[joint])) / fabs(g);
}

static void on_joint(vgMjcf *m, const actuator *a, int joint)
{
    vgRobot *r = m->r;
    double g = a->gear[0];
    const char *l = g == 1 ? "x" : vg_pool_printf(r->pool, "(%.17g*x)", g),
               *v = g == 1 ? "v" : vg_pool_printf(r->pool, "(%.17g*v)", g);
    const char *f = force_law(m, a, l ? l : "x", v ? v : "v"),
               *law = g == 1 ? f : vg_pool_printf(r->pool, "%.17g*(%s)", g, f);
    vg_mjcf_joint_torque(m, a->name, a->loc, "actuators", joint, law ? law : "0");
}

static void on_tendon(vgMjcf *m, const actuator *a, const vgMjcfTendon *t)
{
    vgRobot *r = m->r;
    double g = a->gear[0];
    const char *l = vg_pool_printf(r->pool, "(%.17g*%s)", g, vg_mjcf_tendon_law(m, t, 0)),
               *v = vg_pool_printf(r->pool, "(%.17g*%s)", g, vg_mjcf_tendon_law(m, t, 1));
    const char *f = force_law(m, a, l ? l : "0", v ? v : "0");
    for (int k = 0; k < t->n; k++) {
        const char *law = vg_pool_printf(r->pool, "%.17g*(%s)", g * t->coef[k], f);
        const char *name = vg_pool_printf(r->pool, "%s_%s", a->name, r->joint[t->joint[k]].name);
        if (!law || !name) r->full = 1;
        if (law && name) vg_mjcf_joint_torque(m, name, a->loc, "actuators", t->joint[k], law);
    }
}

/* A positive force lengthens: the tension is its opposite. */
static void on_path(vgMjcf *m, const actuator *a, const vgMjcfTendon *t)
{
    vgRobot *r = m->r;
    double g = a->gear[0];
    const char *l = g == 1 ? "x" : vg_pool_printf(r->pool, "(%.17g*x)", g),
               *v = g == 1 ? "v" : vg_pool_printf(r->pool, "(%.17g*v)", g);
    const char *law = vg_pool_printf(r->pool, "%.17g*(%s)", -g, force_law(m, a, l ? l : "x", v ? v : "v"));
    if (!law) r->full = 1;
    if (law) vg_mjcf_tension(m, a->name, a->loc, "actuators", t, law);
}

static void on_site(vgMjcf *m, const actuator *a, const vgRobotSite *s)
{
    vgRobot *r = m->r;
    const char *f = force_law(m, a, "0", "0");
    static const char *const kinds[] = {"force", "torque"};
    for (int k = 0; k < 2; k++) {
        vgNode *e = vg_robot_map(r, a->loc), *part[3];
        double most = 0;
        for (int i = 0; i < 3; i++) {
            double g = a->gear[3 * k + i];
            most = fmax(most, fabs(g));
            part[i] = g == 0 ? vg_robot_number(r, a->loc, 0) : vg_robot_print(r, a->loc, "%.17g*(%s)", g, f);
        }
        if (most == 0) continue;
        vg_robot_put(r, e, kinds[k], vg_robot_frame(r, a->loc, s->body, s->at));
        vg_robot_put(r, e, "value", vg_robot_list(r, a->loc, 3, part));
        vg_robot_put(r, e, "frame", vg_robot_text(r, a->loc, "body"));
        vg_robot_add_force(r, vg_pool_printf(r->pool, "%s_%s", a->name, kinds[k]), a->loc, "actuators", e);
    }
}

static void read_actuators(vgMjcf *m)
{
    vgRobot *r = m->r;
    int number = 0;
    vgNames *inputs = vg_names_new();
    if (!inputs) vg_pool_starve(r->pool), r->full = 1;
    for (VG_MJCF_EACH(e, "actuator")) {
        actuator a = {.it = vg_mjcf_item(m, e, e->name, m->nclass ? 0 : -1), .loc = e->loc, .gear = {1}};
        if (strcmp(e->name, "general") != 0) a.it.tag[1] = "general";
        a.name = vg_robot_name(r, inputs, vg_mjcf_name(m, e, "actuator#", number++), e->loc, "actuator");
        vg_mjcf_numbers(&a.it, "gear", 1, 6, a.gear);
        if (!read_gains(&a) || !read_dynamics(m, &a)) {
            e->used = 0;
            continue;
        }
        const char *joint = vg_xml_get(e, "joint"), *tendon = vg_xml_get(e, "tendon"),
                   *site = vg_xml_get(e, "site");
        if (!joint) joint = vg_xml_get(e, "jointinparent");
        int k = vg_robot_find_joint(r, joint), s = vg_mjcf_site_of(m, site), t = -1;
        for (int i = 0; tendon && i < m->ntendon; i++)
            if (strcmp(m->tendon[i].name, tendon) == 0) t = i;
        if (k >= 0 && r->joint[k].kind <= VG_ROBOT_SLIDE) {
            damp_by_ratio(m, &a, k);
            on_joint(m, &a, k);
        } else if (t >= 0 && m->tendon[t].fixed)
            on_tendon(m, &a, &m->tendon[t]);
        else if (t >= 0 && !m->tendon[t].fault)
            on_path(m, &a, &m->tendon[t]);
        else if (s >= 0 && !vg_xml_attr(e, "refsite"))
            on_site(m, &a, &r->site[s]);
        else if ((joint && k < 0) || (tendon && t < 0) || (site && s < 0))
            vg_robot_wrong(r, e->loc, "actuator '%s' acts on '%.80s', which does not exist", a.name,
                           joint    ? joint
                           : tendon ? tendon
                                    : site);
        else
            vg_robot_note(r, VG_IMPORT_IGNORED, 1, e->loc,
                          "actuator '%s' is ignored: hinges, slides, tendons and sites can be driven%s%s",
                          a.name, t >= 0 ? "; of its tendon: " : "", t >= 0 ? m->tendon[t].fault : "");
    }
    vg_names_free(inputs);
}

static void bounded_drives(vgMjcf *m)
{
    vgRobot *r = m->r;
    for (int i = 0; i < r->njoint; i++) {
        vgRobotJoint *j = &r->joint[i];
        if (!j->drive) continue;
        const char *law =
            vg_pool_printf(r->pool, "min(max(%s, %.17g), %.17g)", j->drive, j->force[0], j->force[1]);
        j->bounded = 0;
        if (!law) r->full = 1;
        if (law)
            vg_mjcf_joint_torque(m, vg_pool_printf(r->pool, "%s_drive", j->name), j->loc, "actuators", i,
                                 law);
    }
}

void vg_mjcf_drives(vgMjcf *m)
{
    read_actuators(m);
    bounded_drives(m);
}
