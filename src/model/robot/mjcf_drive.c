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
    int affine_gain, affine_bias, foreign; /* foreign: of a kind that is not imported */
    const char *dynamics;                  /* none, integrator, filter, … */
    double time, ratio;                    /* of the filter; of the damping, 0: none */
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

static const char *const shortcuts[] = {"general", "motor",    "position", "velocity", "intvelocity",
                                        "damper",  "cylinder", "muscle",   "adhesion", "plugin"};
enum { KINDS = sizeof shortcuts / sizeof shortcuts[0] };

/* A servo: kp (q* − q), and damping, which stays as it was where none is given. */
static void position(vgRobot *r, actuator *a, vgXml *e)
{
    double kv, time;
    vg_robot_attr_number(r, e, "kp", &a->gain[0]);
    a->bias[1] = -a->gain[0];
    if (vg_robot_attr_number(r, e, "kv", &kv)) a->bias[2] = -kv, a->ratio = 0;
    if (vg_robot_attr_number(r, e, "dampratio", &a->ratio)) a->bias[2] = 0;
    if (vg_robot_attr_number(r, e, "timeconst", &time))
        a->dynamics = time > 0 ? "filterexact" : "none", a->time = time;
    if (strcmp(e->name, "intvelocity") == 0) a->dynamics = "integrator";
    a->affine_gain = 0, a->affine_bias = 1;
}

static void cylinder(vgRobot *r, actuator *a, vgXml *e)
{
    double diameter;
    vg_robot_attr_number(r, e, "timeconst", &a->time);
    vg_robot_attr_numbers(r, e, "bias", 3, 3, a->bias);
    vg_robot_attr_number(r, e, "area", &a->gain[0]);
    if (vg_robot_attr_number(r, e, "diameter", &diameter)) a->gain[0] = PI / 4 * diameter * diameter;
    a->dynamics = "filter";
    a->affine_gain = 0, a->affine_bias = 1;
}

/* The first numbers of a list replace those that there are. */
static void replace(vgRobot *r, vgXml *e, const char *name, int n, double *list)
{
    double x[10];
    int given = vg_robot_attr_numbers(r, e, name, 1, 10, x);
    for (int k = 0; k < n && k < given; k++) list[k] = x[k];
}

static void general(vgRobot *r, actuator *a, vgXml *e)
{
    const char *gain = vg_xml_get(e, "gaintype"), *bias = vg_xml_get(e, "biastype"),
               *dynamics = vg_xml_get(e, "dyntype");
    replace(r, e, "gainprm", 3, a->gain);
    replace(r, e, "biasprm", 3, a->bias);
    replace(r, e, "dynprm", 1, &a->time);
    if (gain) a->affine_gain = strcmp(gain, "affine") == 0;
    if (bias) a->affine_bias = strcmp(bias, "affine") == 0;
    if (dynamics) a->dynamics = dynamics;
    a->foreign |= gain && strcmp(gain, "affine") != 0 && strcmp(gain, "fixed") != 0;
    a->foreign |= bias && strcmp(bias, "affine") != 0 && strcmp(bias, "none") != 0;
}

/* What an element, or one of the defaults, says: all kinds write into the same numbers. */
static void apply(vgRobot *r, actuator *a, vgXml *e)
{
    static const double none[3] = {0, 0, 0};
    const char *kind = e->name;
    double kv = 0, gear[6];
    int n = vg_robot_attr_numbers(r, e, "gear", 1, 6, gear);
    memcpy(a->gear, gear, (size_t)n * sizeof *gear);
    a->foreign = 0;
    if (strcmp(kind, "motor") == 0) {
        a->gain[0] = 1;
        a->affine_gain = a->affine_bias = 0, a->dynamics = "none";
    } else if (strcmp(kind, "position") == 0 || strcmp(kind, "intvelocity") == 0) {
        position(r, a, e);
    } else if (strcmp(kind, "velocity") == 0) {
        vg_robot_attr_number(r, e, "kv", &a->gain[0]);
        memcpy(a->bias, none, sizeof a->bias), a->bias[2] = -a->gain[0], a->ratio = 0;
        a->affine_gain = 0, a->affine_bias = 1, a->dynamics = "none";
    } else if (strcmp(kind, "damper") == 0) {
        vg_robot_attr_number(r, e, "kv", &kv);
        memcpy(a->gain, (double[3]){0, 0, -kv}, sizeof a->gain), memcpy(a->bias, none, sizeof a->bias);
        a->affine_gain = 1, a->affine_bias = 0, a->dynamics = "none";
    } else if (strcmp(kind, "cylinder") == 0) {
        cylinder(r, a, e);
    } else if (strcmp(kind, "general") == 0) {
        general(r, a, e);
    } else {
        a->foreign = 1;
    }
}

/* The defaults of the classes, the outermost first, then the element; 0: one that is not imported. */
static int read_gains(vgMjcf *m, actuator *a)
{
    int chain[VG_MJCF_MAX_CLASSES], n = 0;
    a->gain[0] = a->time = 1;
    a->dynamics = "none";
    for (int c = a->it.cls; c >= 0; c = m->cls[c].parent) chain[n++] = c;
    while (n-- > 0)
        for (vgXml *d = m->cls[chain[n]].e->child; d; d = d->next)
            for (int k = 0; k < KINDS; k++)
                if (strcmp(d->name, shortcuts[k]) == 0) apply(m->r, a, d);
    apply(m->r, a, a->it.e);
    if (!a->affine_bias) memset(a->bias, 0, sizeof a->bias), a->ratio = 0;
    if (!a->affine_gain) a->gain[1] = a->gain[2] = 0;
    return !a->foreign;
}

/* ȧ = u (integrator) or (u − a)/τ (filter, filterexact), a within its range; where there is no dynamics, nothing. 0: one that
 * is not imported. */
static int read_dynamics(vgMjcf *m, actuator *a)
{
    vgRobot *r = m->r;
    const char *dyn = a->dynamics, *u = control(m, a), *law;
    double range[2];
    int integral = strcmp(a->it.e->name, "intvelocity") == 0;
    int limited = vg_mjcf_switch(&a->it, "actlimited"), bounded;
    if (strcmp(dyn, "none") == 0) return 1;
    if (strcmp(dyn, "integrator") == 0)
        law = u;
    else if (strncmp(dyn, "filter", 6) == 0) {
        const double time = fmax(a->time, VG_LEAST_TIME);
        law = vg_pool_printf(r->pool, "(%s - x)/%.17g", u, time);
        r->drive_rate = fmax(r->drive_rate, 1 / time);
    } else
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
    double ratio = a->ratio, g = a->gear[0];
    if (ratio == 0 || g == 0) return;
    a->bias[2] -= 2 * ratio * sqrt(a->gain[0] * inertia_behind(m, &m->r->joint[joint])) / fabs(g);
}

/* What the drive does to a joint of which its length is `arm` times the coordinate. */
static void stiffen(vgRobot *r, const actuator *a, int joint, double arm)
{
    r->joint[joint].drive_stiffness += fmax(-a->bias[1], 0) * arm * arm;
    r->joint[joint].drive_damping += fmax(-a->bias[2], 0) * arm * arm;
}

static void on_joint(vgMjcf *m, const actuator *a, int joint)
{
    vgRobot *r = m->r;
    double g = a->gear[0];
    const char *l = g == 1 ? "x" : vg_pool_printf(r->pool, "(%.17g*x)", g),
               *v = g == 1 ? "v" : vg_pool_printf(r->pool, "(%.17g*v)", g);
    const char *f = force_law(m, a, l ? l : "x", v ? v : "v"),
               *law = g == 1 ? f : vg_pool_printf(r->pool, "%.17g*(%s)", g, f);
    stiffen(r, a, joint, g);
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
        stiffen(r, a, t->joint[k], g * t->coef[k]);
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
    if (a->bias[2] != 0 || a->gain[2] != 0)
        vg_robot_note(r, VG_IMPORT_IGNORED, 1, a->loc,
                      "the damping of actuator '%s' is ignored: at a site it does not see the velocity",
                      a->name);
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

/* Whatever the actuator acts on: a joint, a tendon or a site. */
static void act(vgMjcf *m, actuator *a, vgXml *e)
{
    vgRobot *r = m->r;
    const char *joint = vg_xml_get(e, "joint"), *tendon = vg_xml_get(e, "tendon"),
               *site = vg_xml_get(e, "site");
    if (!joint) joint = vg_xml_get(e, "jointinparent");
    int k = vg_robot_find_joint(r, joint), s = vg_mjcf_site_of(m, site), t = -1;
    for (int i = 0; tendon && i < m->ntendon; i++)
        if (strcmp(m->tendon[i].name, tendon) == 0) t = i;
    const int moves = k >= 0 && r->joint[k].kind <= VG_ROBOT_SLIDE;
    if (a->ratio != 0 && !moves)
        vg_robot_note(r, VG_IMPORT_IGNORED, 1, e->loc,
                      "dampratio of actuator '%s' is ignored: it is for hinges and slides", a->name);
    if (moves) {
        damp_by_ratio(m, a, k);
        on_joint(m, a, k);
    } else if (t >= 0 && m->tendon[t].fixed) {
        on_tendon(m, a, &m->tendon[t]);
    } else if (t >= 0 && !m->tendon[t].fault) {
        on_path(m, a, &m->tendon[t]);
    } else if (s >= 0 && !vg_xml_attr(e, "refsite")) {
        on_site(m, a, &r->site[s]);
    } else if ((joint && k < 0) || (tendon && t < 0) || (site && s < 0)) {
        vg_robot_wrong(r, e->loc, "actuator '%s' acts on '%.80s', which does not exist", a->name,
                       joint    ? joint
                       : tendon ? tendon
                                : site);
    } else {
        vg_robot_note(r, VG_IMPORT_IGNORED, 1, e->loc,
                      "actuator '%s' is ignored: hinges, slides, tendons and sites can be driven%s%s",
                      a->name, t >= 0 ? "; of its tendon: " : "", t >= 0 ? m->tendon[t].fault : "");
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
        for (int k = 0; k < KINDS; k++) a.it.tag[1 + k] = shortcuts[k];
        a.name = vg_robot_name(r, inputs, vg_mjcf_name(m, e, "actuator#", number++), e->loc, "actuator");
        if (read_gains(m, &a) && read_dynamics(m, &a))
            act(m, &a, e);
        else
            e->used = 0;
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
