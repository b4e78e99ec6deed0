/* Tendons of MJCF: fixed ones as sums of joint coordinates, spatial ones as paths over sites and about geoms. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "element/tendon/wrap.h"
#include "model/robot/mjcf.h"
#include "model/tuning.h"

static void fixed_terms(vgMjcf *m, vgMjcfTendon *t)
{
    for (vgXml *c = vg_xml_child(t->e, "joint"); c; c = vg_xml_next(c, "joint")) {
        double coef = 0;
        int k = vg_mjcf_scalar_joint(m, c, "joint");
        c->used = 1;
        vg_robot_attr_number(m->r, c, "coef", &coef);
        if (k < 0) return;
        if (t->n == VG_ROBOT_MAX_TERMS) {
            vg_robot_wrong(m->r, c->loc, "a fixed tendon over more than %d joints is not read",
                           VG_ROBOT_MAX_TERMS);
            return;
        }
        t->joint[t->n] = k;
        t->coef[t->n++] = coef;
    }
}

static int geom_of(const vgMjcf *m, const char *name)
{
    for (int i = 0; name && i < m->nround; i++)
        if (strcmp(m->round[i].name, name) == 0) return i;
    return -1;
}

/* One place of a spatial path; 0 after a report. */
static int read_place(vgMjcf *m, vgMjcfTendon *t, vgXml *c)
{
    vgRobot *r = m->r;
    vgMjcfPlace at = {.site = -1, .geom = -1, .side = -1};
    c->used = 1;
    if (strcmp(c->name, "pulley") == 0) {
        if (!vg_robot_attr_number(r, c, "divisor", &at.divisor) || !(at.divisor > 0))
            return vg_robot_wrong(r, c->loc, "the divisor of a pulley must be positive"), 0;
    } else if (strcmp(c->name, "site") == 0) {
        const char *name = vg_xml_get(c, "site");
        at.site = vg_mjcf_site_of(m, name);
        if (at.site < 0) return vg_robot_wrong(r, c->loc, "there is no site '%.80s'", name ? name : ""), 0;
    } else if (strcmp(c->name, "geom") == 0) {
        const char *name = vg_xml_get(c, "geom"), *side = vg_xml_get(c, "sidesite");
        at.geom = geom_of(m, name);
        if (at.geom < 0)
            return vg_robot_wrong(r, c->loc,
                                  "there is no sphere or cylinder '%.80s' that a tendon could lie on",
                                  name ? name : ""),
                   0;
        if (side && (at.side = vg_mjcf_site_of(m, side)) < 0)
            return vg_robot_wrong(r, c->loc, "there is no site '%.80s'", side), 0;
    } else {
        return 0;
    }
    if (t->nplace == VG_MJCF_MAX_PATH)
        return vg_robot_wrong(r, c->loc, "the path of a tendon has more than %d places", VG_MJCF_MAX_PATH), 0;
    t->place[t->nplace++] = at;
    return 1;
}

/* Why the model cannot have the path; NULL: it can. */
static const char *path_fault(const vgMjcf *m, const vgMjcfTendon *t)
{
    const vgRobot *r = m->r;
    if (t->nplace < 2 || t->place[0].site < 0 || t->place[t->nplace - 1].site < 0)
        return "its path does not begin and end at a site";
    for (int i = 0; i < t->nplace; i++) {
        const vgMjcfPlace *p = &t->place[i];
        if (p->geom >= 0 && (t->place[i - 1].site < 0 || t->place[i + 1].site < 0))
            return "a geom of its path is not between two sites";
        if (p->site < 0 && p->geom < 0 && t->place[i + 1].site < 0) return "no site follows its pulley";
        if (p->side < 0) continue;
        const vgMjcfGeom *g = &m->round[p->geom];
        const vgRobotSite *s = &r->site[p->side];
        if (s->body != g->body) return "a sidesite is on another body than its geom";
        if (!(vg_norm3(vg_sub3(s->at.p, g->at.p)) > g->radius)) return "it lies on the inside of a geom";
    }
    return NULL;
}

void vg_mjcf_tendons(vgMjcf *m)
{
    vgRobot *r = m->r;
    for (VG_MJCF_EACH(e, "tendon")) {
        int fixed = strcmp(e->name, "fixed") == 0;
        if (!fixed && strcmp(e->name, "spatial") != 0) continue;
        if (!vg_robot_room(r, &m->tendon, m->ntendon, &m->tendon_cap, sizeof *m->tendon)) return;
        vgMjcfTendon *t = &m->tendon[m->ntendon];
        *t = (vgMjcfTendon){.name = vg_mjcf_name(m, e, "tendon#", m->ntendon), .e = e, .fixed = fixed};
        m->ntendon++;
        e->used = 1;
        if (fixed)
            fixed_terms(m, t);
        else
            for (vgXml *c = e->child; c && read_place(m, t, c); c = c->next) continue;
        t->fault = fixed ? NULL : path_fault(m, t);
    }
}

static const char *coordinate(const vgRobotJoint *j)
{
    return j->kind == VG_ROBOT_SLIDE ? "displacement" : "angle";
}

/* Length (or rate) of a fixed tendon as an expression. */
const char *vg_mjcf_tendon_law(vgMjcf *m, const vgMjcfTendon *t, int rate)
{
    vgRobot *r = m->r;
    const char *sum = "0", *kept;
    for (int k = 0; k < t->n; k++) {
        const vgRobotJoint *j = &r->joint[t->joint[k]];
        const char *q = vg_pool_printf(r->pool, "joint.%s.%s", j->name, rate ? "rate" : coordinate(j));
        if (!q) r->full = 1, q = "0";
        sum = k ? vg_robot_plus(r, sum, t->coef[k], q) : vg_robot_times(r, t->coef[k], q);
    }
    kept = vg_pool_printf(r->pool, "(%s)", sum);
    if (!kept) r->full = 1;
    return kept ? kept : "0";
}

static vgNode *site_frame(vgMjcf *m, int site)
{
    const vgRobotSite *s = &m->r->site[site];
    return vg_robot_frame(m->r, s->loc, s->body, s->at);
}

vgNode *vg_mjcf_path(vgMjcf *m, const vgMjcfTendon *t)
{
    vgRobot *r = m->r;
    vgLoc at = t->e->loc;
    vgNode *e = vg_robot_map(r, at), *via[VG_MJCF_MAX_PATH],
           *ends[2] = {site_frame(m, t->place[0].site), site_frame(m, t->place[t->nplace - 1].site)};
    for (int i = 1; i < t->nplace - 1; i++) {
        const vgMjcfPlace *p = &t->place[i];
        vgNode **to = &via[i - 1];
        if (p->site >= 0) {
            *to = site_frame(m, p->site);
            continue;
        }
        *to = vg_robot_map(r, at);
        if (p->geom < 0) {
            vg_robot_put(r, *to, "pulley", vg_robot_number(r, at, p->divisor));
            continue;
        }
        const vgMjcfGeom *g = &m->round[p->geom];
        vg_robot_put(r, *to, g->cylinder ? "cylinder" : "sphere", vg_robot_number(r, at, g->radius));
        vg_robot_put(r, *to, "at", vg_robot_frame(r, at, g->body, g->at));
        if (p->side >= 0)
            vg_robot_put(r, *to, "side",
                         vg_robot_vec(r, at, vg_mtv3(g->at.R, vg_sub3(r->site[p->side].at.p, g->at.p))));
    }
    vg_robot_put(r, e, "tendon", vg_robot_list(r, at, 2, ends));
    if (t->nplace > 2) vg_robot_put(r, e, "via", vg_robot_list(r, at, t->nplace - 2, via));
    return e;
}

void vg_mjcf_tension(vgMjcf *m, const char *name, vgLoc at, const char *with, const vgMjcfTendon *t,
                     const char *law)
{
    vgRobot *r = m->r;
    vgNode *e = vg_mjcf_path(m, t);
    vg_robot_put(r, e, "force", vg_robot_text(r, at, law));
    vg_robot_add_force(r, name, at, with, e);
}

/* What the format writes for a free length that is to be found. */
static const double UNKNOWN = -1;

/* What tendons add up to, as text: a tension of length l and rate v. */
typedef struct tension {
    double k, d, low, high; /* spring without tension between low and high, damper */
    int limited;
    double lower, upper, stop;
    double loss;
} tension;

static const char *law_of(vgRobot *r, const tension *x, const char *l, const char *v)
{
    vgText text = {0};
    if (x->k != 0 && x->low == x->high) vg_text_add(&text, "%.17g*(%s - %.17g)", x->k, l, x->low);
    if (x->k != 0 && x->low != x->high)
        vg_text_add(&text, "%.17g*(max(0, %s - %.17g) - max(0, %.17g - %s))", x->k, l, x->high, x->low, l);
    if (x->d != 0) vg_text_add(&text, "%s%.17g*%s", *vg_text_at(&text) ? " + " : "", x->d, v);
    if (x->loss > 0)
        vg_text_add(&text, "%s%.17g*%s/sqrt((%s)^2 + %.17g)", *vg_text_at(&text) ? " + " : "", x->loss, v, v,
                    VG_TENDON_SLIP * VG_TENDON_SLIP);
    if (x->limited)
        vg_text_add(&text,
                    "%s%.17g*(max(0, %s - %.17g)^1.5*max(0, 1 + %.17g*%s) - max(0, %.17g - %s)^1.5*max(0, 1 "
                    "- %.17g*%s))",
                    *vg_text_at(&text) ? " + " : "", x->stop, l, x->upper, VG_STOP_DAMPING, v, x->lower, l,
                    VG_STOP_DAMPING, v);
    const char *kept = vg_text_ok(&text) ? vg_pool_strdup(r->pool, vg_text_at(&text)) : NULL;
    vg_text_free(&text);
    if (!kept) r->full = 1;
    return kept ? kept : "0";
}

/* The weight that hangs at a tendon at most presses its stop in by VG_STOP_DEPTH. */
static double stop_of(const vgMjcf *m, const vgMjcfTendon *t)
{
    double load = 0, g = fmax(vg_norm3(m->r->gravity), 1);
    for (int k = 0; k < t->n; k++)
        if (t->coef[k] != 0)
            load = fmax(load, vg_robot_load(m->r, &m->r->joint[t->joint[k]]) / fabs(t->coef[k]));
    for (int i = 0; !t->fixed && i < m->r->nbody; i++) load += m->r->body[i].own_mass * g;
    return load / pow(VG_STOP_DEPTH, 1.5);
}

static void read_tension(vgMjcf *m, const vgMjcfTendon *t, const vgMjcfItem *it, tension *x)
{
    double length[2] = {UNKNOWN, UNKNOWN}, range[2], armature = 0;
    *x = (tension){0};
    vg_mjcf_number(it, "stiffness", &x->k);
    vg_mjcf_number(it, "damping", &x->d);
    vg_mjcf_number(it, "frictionloss", &x->loss);
    int nl = vg_mjcf_numbers(it, "springlength", 1, 2, length), limited = vg_mjcf_switch(it, "limited");
    x->low = length[0];
    x->high = nl == 2 ? length[1] : length[0];
    if (vg_mjcf_numbers(it, "range", 2, 2, range) &&
        (limited > 0 || (limited < 0 && m->autolimits && range[0] < range[1])))
        x->limited = 1, x->lower = range[0], x->upper = range[1], x->stop = stop_of(m, t);
    if (m->r->off & VG_ROBOT_OFF_SPRINGS) x->k = 0;
    if (m->r->off & VG_ROBOT_OFF_DAMPING) x->d = 0;
    if (m->r->off & VG_ROBOT_OFF_FRICTION) x->loss = 0;
    if (m->r->off & VG_ROBOT_OFF_LIMITS) x->limited = 0;
    if (vg_mjcf_number(it, "armature", &armature) && armature > 0)
        vg_robot_note(m->r, VG_IMPORT_IGNORED, 1, t->e->loc, "the armature of tendon '%.80s' is ignored",
                      t->name);
}

/* Length of a spatial tendon with its bodies at `pose`. */
static double length_at(const vgMjcf *m, const vgMjcfTendon *t, const vgPose *pose)
{
    double sum = 0, weight = 1;
    vgVec3 from = vg_zero3();
    const vgMjcfGeom *g = NULL;
    vgVec3 side = vg_zero3();
    int begun = 0, sided = 0;
    for (int i = 0; i < t->nplace; i++) {
        const vgMjcfPlace *p = &t->place[i];
        if (p->geom >= 0) {
            g = &m->round[p->geom];
            sided = p->side >= 0;
            if (sided) side = vg_mtv3(g->at.R, vg_sub3(m->r->site[p->side].at.p, g->at.p));
        } else if (p->site < 0) {
            weight = 1 / p->divisor, begun = 0;
        } else {
            const vgRobotSite *s = &m->r->site[p->site];
            vgVec3 to = vg_pose_mul(s->body < 0 ? vg_pose_identity() : pose[s->body], s->at).p;
            vgPose X = !g ? vg_pose_identity() : g->body < 0 ? g->at : vg_pose_mul(pose[g->body], g->at);
            vgPose in = vg_pose_inv(X);
            vgWrapOut o;
            vg_wrap(!g            ? VG_WRAP_NONE
                    : g->cylinder ? VG_WRAP_CYLINDER
                                  : VG_WRAP_SPHERE,
                    g ? g->radius : 0, g && sided ? &side : NULL, vg_add3(in.p, vg_mv3(in.R, from)),
                    vg_add3(in.p, vg_mv3(in.R, to)), &o);
            if (begun) sum += weight * o.length;
            from = to, begun = 1, g = NULL;
        }
    }
    return sum;
}

/* The bodies with all joints where their springs are relaxed (springref); NULL: memory ran out. */
static vgPose *relaxed(vgMjcf *m)
{
    vgRobot *r = m->r;
    vgRobotJoint *keep = VG_NEW(r->pool, vgRobotJoint, r->njoint + 1);
    vgPose *pose = VG_NEW(r->pool, vgPose, r->nbody + 1);
    if (!keep || !pose) return r->full = 1, NULL;
    memcpy(keep, r->joint, (size_t)r->njoint * sizeof *keep);
    for (int i = 0; i < r->njoint; i++) {
        vgRobotJoint *j = &r->joint[i];
        if (j->kind <= VG_ROBOT_SLIDE) j->q[0] = j->springref;
        if (j->kind == VG_ROBOT_BALL) j->q[0] = 1, j->q[1] = j->q[2] = j->q[3] = 0;
        if (j->kind != VG_ROBOT_FREE) continue;
        vg_store3(r->body[j->body].at.p, j->q);
        vg_quat_store(vg_quat_from_mat(r->body[j->body].at.R), j->q + 3);
    }
    vg_robot_place(r);
    for (int i = 0; i < r->nbody; i++) pose[i] = r->body[i].W;
    memcpy(r->joint, keep, (size_t)r->njoint * sizeof *keep);
    vg_robot_place(r);
    return pose;
}

/* The free length that is not given: where the springs of the joints are relaxed. */
static double relaxed_length(vgMjcf *m, const vgMjcfTendon *t)
{
    double sum = 0;
    for (int j = 0; j < t->n; j++) sum += t->coef[j] * m->r->joint[t->joint[j]].springref;
    if (t->fixed) return sum;
    const vgPose *pose = relaxed(m);
    return pose ? length_at(m, t, pose) : 0;
}

/* Springs, dampers, friction and limits of tendons. */
void vg_mjcf_tendon_forces(vgMjcf *m)
{
    vgRobot *r = m->r;
    for (int i = 0; i < m->ntendon; i++) {
        vgMjcfTendon *t = &m->tendon[i];
        vgMjcfItem it = vg_mjcf_item(m, t->e, "tendon", m->main);
        tension x;
        read_tension(m, t, &it, &x);
        if (x.k == 0 && x.d == 0 && x.loss == 0 && !x.limited) continue;
        if (t->fault) {
            vg_robot_note(r, VG_IMPORT_IGNORED, 1, t->e->loc, "the spatial tendon '%.80s' is ignored: %s",
                          t->name, t->fault);
            continue;
        }
        if (x.low == UNKNOWN) x.low = x.high = relaxed_length(m, t);
        if (!t->fixed && x.loss == 0 && !x.limited) {
            vgNode *e = vg_mjcf_path(m, t);
            if (x.k != 0) vg_robot_put(r, e, "stiffness", vg_robot_number(r, t->e->loc, x.k));
            if (x.d != 0) vg_robot_put(r, e, "damping", vg_robot_number(r, t->e->loc, x.d));
            vg_robot_put(r, e, "length", vg_robot_number(r, t->e->loc, x.low));
            if (x.high > x.low) vg_robot_put(r, e, "play", vg_robot_number(r, t->e->loc, x.high - x.low));
            vg_robot_add_force(r, t->name, t->e->loc, "tendons", e);
            continue;
        }
        if (!t->fixed) {
            vg_mjcf_tension(m, t->name, t->e->loc, "tendons", t, law_of(r, &x, "x", "v"));
            continue;
        }
        const char *all = law_of(r, &x, vg_mjcf_tendon_law(m, t, 0), vg_mjcf_tendon_law(m, t, 1));
        for (int j = 0; j < t->n; j++) {
            const char *law = vg_pool_printf(r->pool, "%.17g*(%s)", -t->coef[j], all);
            if (!law) r->full = 1;
            if (law)
                vg_mjcf_joint_torque(m, vg_pool_printf(r->pool, "%s_%s", t->name, r->joint[t->joint[j]].name),
                                     t->e->loc, "tendons", t->joint[j], law);
        }
    }
}
