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

static const char *clamped(vgRobot *r, const char *law, const double range[2])
{
    const char *kept = vg_pool_printf(r->pool, "min(max(%s, %s), %s)", law, vg_robot_digits(r, range[0]),
                                      vg_robot_digits(r, range[1]));
    if (!kept) r->full = 1;
    return kept ? kept : "0";
}

/* k × (law) */
static const char *scaled(vgRobot *r, double k, const char *law)
{
    const char *factor = k == 1 ? law : vg_pool_printf(r->pool, "(%s)", law);
    if (!factor) r->full = 1;
    return factor ? vg_robot_times(r, k, factor) : "0";
}

/* inheritrange: the range of the joint, scaled about its middle. */
static int inherited(vgMjcf *m, const actuator *a, double range[2])
{
    double scale = 0;
    int k = vg_robot_find_joint(m->r, vg_xml_get(a->it.e, "joint"));
    const vgRobotJoint *j = k >= 0 ? &m->r->joint[k] : NULL;
    if (!vg_mjcf_number(&a->it, "inheritrange", &scale) || !(scale > 0)) return 0;
    if (!j || !(j->lower < j->upper)) {
        vg_robot_wrong(m->r, a->loc, "inheritrange of actuator '%s': its joint has no range", a->name);
        return 0;
    }
    const double middle = 0.5 * (j->lower + j->upper), half = 0.5 * scale * (j->upper - j->lower);
    range[0] = middle - half, range[1] = middle + half;
    return 1;
}

/* The control, clamped. */
static const char *control(vgMjcf *m, const actuator *a)
{
    double range[2];
    const char *u = vg_pool_printf(m->r->pool, "input.%s", a->name);
    int limited = vg_mjcf_switch(&a->it, "ctrllimited"), position = strcmp(a->it.e->name, "position") == 0;
    int given = vg_mjcf_numbers(&a->it, "ctrlrange", 2, 2, range) || (position && inherited(m, a, range));
    if (m->r->off & VG_ROBOT_OFF_CLAMP) limited = 0;
    if (given && limited != 0 && (limited > 0 || m->autolimits)) u = clamped(m->r, u ? u : "", range);
    if (!u) m->r->full = 1;
    return u ? u : "0";
}

/* gain × ctrl + bias as an expression of length l and velocity v, clamped. */
static const char *force_law(vgMjcf *m, const actuator *a, const char *l, const char *v)
{
    vgRobot *r = m->r;
    double range[2];
    const char *u = a->activation ? a->activation : control(m, a), *f;
    f = vg_robot_times(r, a->gain[0], u);
    if (a->affine_gain) {
        const char *gain = vg_robot_digits(r, a->gain[0]);
        if (a->gain[1] != 0) gain = vg_robot_plus(r, gain, a->gain[1], l);
        if (a->gain[2] != 0) gain = vg_robot_plus(r, gain, a->gain[2], v);
        f = vg_pool_printf(r->pool, "(%s)*%s", gain, u);
    }
    if (!f) r->full = 1, f = "0";
    if (a->bias[0] != 0) f = vg_robot_plus(r, f, a->bias[0], NULL);
    if (a->bias[1] != 0) f = vg_robot_plus(r, f, a->bias[1], l);
    if (a->bias[2] != 0) f = vg_robot_plus(r, f, a->bias[2], v);
    int limited = vg_mjcf_switch(&a->it, "forcelimited");
    if (vg_mjcf_numbers(&a->it, "forcerange", 2, 2, range) && limited != 0 && (limited > 0 || m->autolimits))
        f = clamped(r, f, range);
    return f;
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
        law = vg_pool_printf(r->pool, "(%s - x)/%s", u, vg_robot_digits(r, time));
        r->drive_rate = fmax(r->drive_rate, 1 / time);
    } else
        return 0;
    bounded = vg_mjcf_numbers(&a->it, "actrange", 2, 2, range) || (integral && inherited(m, a, range));
    bounded = bounded && (limited > 0 || (limited < 0 && m->autolimits));
    if (integral && !bounded)
        vg_robot_note(r, VG_IMPORT_CHANGED, 1, a->loc, "the activation of '%s' has no range", a->name);
    const char *name =
        vg_robot_name(r, r->force_names, vg_pool_printf(r->pool, "%s_activation", a->name), a->loc, NULL);
    vgNode *e = vg_robot_map(r, a->loc);
    vg_robot_put(r, e, "activation", vg_robot_number(r, a->loc, 0));
    vg_robot_put(r, e, "rate", vg_robot_text(r, a->loc, law));
    vg_robot_keep_force(r, name, a->loc, "actuators", e);
    a->activation = vg_pool_printf(r->pool, "force.%s.activation", name);
    if (bounded) a->activation = clamped(r, a->activation ? a->activation : "0", range);
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
    const char *l = g == 1 ? "x" : vg_pool_printf(r->pool, "(%s*x)", vg_robot_digits(r, g)),
               *v = g == 1 ? "v" : vg_pool_printf(r->pool, "(%s*v)", vg_robot_digits(r, g));
    stiffen(r, a, joint, g);
    vg_mjcf_joint_torque(m, a->name, a->loc, "actuators", joint,
                         scaled(r, g, force_law(m, a, l ? l : "x", v ? v : "v")));
}

static void on_tendon(vgMjcf *m, const actuator *a, const vgMjcfTendon *t)
{
    vgRobot *r = m->r;
    double g = a->gear[0];
    const char *l = vg_robot_times(r, g, vg_mjcf_tendon_law(m, t, 0)),
               *v = vg_robot_times(r, g, vg_mjcf_tendon_law(m, t, 1));
    l = g == 1 ? l : vg_pool_printf(r->pool, "(%s)", l);
    v = g == 1 ? v : vg_pool_printf(r->pool, "(%s)", v);
    const char *f = force_law(m, a, l ? l : "0", v ? v : "0");
    for (int k = 0; k < t->n; k++) {
        const char *law = scaled(r, g * t->coef[k], f);
        stiffen(r, a, t->joint[k], g * t->coef[k]);
        const char *name = vg_pool_printf(r->pool, "%s_%s", a->name, r->joint[t->joint[k]].name);
        if (!name) r->full = 1;
        if (name) vg_mjcf_joint_torque(m, name, a->loc, "actuators", t->joint[k], law);
    }
}

/* A positive force lengthens: the tension is its opposite. */
static void on_path(vgMjcf *m, const actuator *a, const vgMjcfTendon *t)
{
    vgRobot *r = m->r;
    double g = a->gear[0];
    const char *l = g == 1 ? "x" : vg_pool_printf(r->pool, "(%s*x)", vg_robot_digits(r, g)),
               *v = g == 1 ? "v" : vg_pool_printf(r->pool, "(%s*v)", vg_robot_digits(r, g));
    vg_mjcf_tension(m, a->name, a->loc, "actuators", t,
                    scaled(r, -g, force_law(m, a, l ? l : "x", v ? v : "v")));
}

/* A force or torque on a frame, its components the gears × the law. */
static void put_wrench(vgMjcf *m, const actuator *a, const char *kind, vgNode *frame, const char *axes,
                       const double gear[3], const char *law)
{
    vgRobot *r = m->r;
    vgNode *e = vg_robot_map(r, a->loc), *part[3];
    double most = 0;
    for (int i = 0; i < 3; i++) {
        most = fmax(most, fabs(gear[i]));
        part[i] =
            gear[i] == 0 ? vg_robot_number(r, a->loc, 0) : vg_robot_text(r, a->loc, scaled(r, gear[i], law));
    }
    if (most == 0) return;
    vg_robot_put(r, e, kind, frame);
    vg_robot_put(r, e, "value", vg_robot_list(r, a->loc, 3, part));
    vg_robot_put(r, e, "frame", vg_robot_text(r, a->loc, axes));
    vg_robot_add_force(r, vg_pool_printf(r->pool, "%s_%s", a->name, kind), a->loc, "actuators", e);
}

static void on_site(vgMjcf *m, const actuator *a, const vgRobotSite *s)
{
    vgRobot *r = m->r;
    const char *f = force_law(m, a, "0", "0");
    if (a->bias[2] != 0 || a->gain[2] != 0)
        vg_robot_note(r, VG_IMPORT_IGNORED, 1, a->loc,
                      "the damping of actuator '%s' is ignored: at a site it does not see the velocity",
                      a->name);
    vgNode *frame = vg_robot_frame(r, a->loc, s->body, s->at);
    put_wrench(m, a, "force", frame, "body", a->gear, f);
    put_wrench(m, a, "torque", frame, "body", a->gear + 3, f);
}

/* On a ball or free joint: a force in the world's axes at the frame's origin (free), a torque in the axes of the body, of
 * the world by jointinparent. 0: one that a model does not have. */
static int on_body(vgMjcf *m, const actuator *a, int joint)
{
    vgRobot *r = m->r;
    const vgRobotJoint *j = &r->joint[joint];
    const vgRobotBody *b = &r->body[j->body];
    const int in_world = vg_xml_attr(a->it.e, "jointinparent") != NULL, ball = j->kind == VG_ROBOT_BALL;
    const vgRobotBody *p = b->parent < 0 ? NULL : &r->body[b->parent];
    if (a->bias[1] != 0 || a->bias[2] != 0 || a->gain[1] != 0 || a->gain[2] != 0) return 0;
    if (b->njoint > 1 || b->carrier != j->body || (p && p->carrier >= 0)) return 0;
    if (ball && in_world && (p || vg_mmax3(vg_msub3(b->at.R, vg_eye3())) != 0)) return 0;
    const char *f = force_law(m, a, "0", "0"), *axes = in_world ? "world" : "body";
    vgNode *frame = vg_robot_frame(r, a->loc, j->body, vg_pose_identity());
    if (!ball) put_wrench(m, a, "force", frame, "world", a->gear, f);
    put_wrench(m, a, "torque", frame, axes, a->gear + (ball ? 0 : 3), f);
    return 1;
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
    if ((joint != NULL) + (tendon != NULL) + (site != NULL) > 1) {
        vg_robot_wrong(r, e->loc,
                       "actuator '%s' acts on more than one thing; leave one of joint, tendon, site",
                       a->name);
    } else if (moves) {
        damp_by_ratio(m, a, k);
        on_joint(m, a, k);
    } else if (t >= 0 && m->tendon[t].fixed) {
        on_tendon(m, a, &m->tendon[t]);
    } else if (t >= 0 && !m->tendon[t].fault) {
        on_path(m, a, &m->tendon[t]);
    } else if (s >= 0 && !vg_xml_attr(e, "refsite")) {
        on_site(m, a, &r->site[s]);
    } else if (k >= 0 && on_body(m, a, k)) {
        return;
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
        actuator a = {.it = vg_mjcf_item(m, e, e->name, m->main), .loc = e->loc, .gear = {1}};
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
        const char *law = clamped(r, j->drive, j->force);
        j->bounded = 0;
        vg_mjcf_joint_torque(m, vg_pool_printf(r->pool, "%s_drive", j->name), j->loc, "actuators", i, law);
    }
}

void vg_mjcf_drives(vgMjcf *m)
{
    read_actuators(m);
    bounded_drives(m);
}
