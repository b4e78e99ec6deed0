#include "analysis/state/assemble.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run/diagnose.h"
#include "analysis/equilibrium/equilibrium.h"
#include "analysis/state/given.h"
#include "analysis/state/place.h"
#include "analysis/state/probe.h"
#include "analysis/tuning.h"
#include "element/contact/friction.h"
#include "math/so3.h"
#include "system/redundant.h"

enum { MAX_ITERATIONS = 60, ROUNDS = 4 };
/* Violation of positions that a projection leaves: rounding; and that a start may have, redundant equations included, whose
 * markers are as exact as the user's numbers: lengths of the model. */
static const double PROJECTED = 1e-14, CLOSED = 1e-9;
/* … of velocities, relative to the largest: equations that contradict each other by less are rounding of the geometry. */
static const double AGREES = 1e-8;
/* A body that was placed is elsewhere after assembly: lengths of the model. */
static const double ELSEWHERE = 0.1;

/* ---- the motion the user gave ---- */

static void native_start(const vgModel *m, vgKin *kin)
{
    for (int i = 0; i < m->nbody; i++) {
        memset(&kin[i], 0, sizeof kin[i]);
        kin[i].p = m->body[i].p0;
        kin[i].R = m->body[i].R0;
        kin[i].v = m->body[i].v0;
        kin[i].w = m->body[i].w0;
    }
}

/* Whole turns of planar angles as the user wrote them; spatial angles start within half a turn of zero. */
static void start_turns(const vgModel *m, double *turn)
{
    for (int i = 0; i < m->nmeasure; i++) {
        const vgMeasure *me = &m->measure[i].measure;
        if (me->turn < 0) continue;
        double a = me->A.body >= 0 ? m->body[me->A.body].theta0 : 0,
               b = me->B.body >= 0 ? m->body[me->B.body].theta0 : 0;
        turn[me->turn] =
            m->planar ? (me->kind == VG_MEASURE_ROTATION ? b : b - a) + me->offset : me->offset + me->begin;
    }
}

/* ---- report ---- */

static void measure_change(const vgModel *m, const vgKin *before, const vgKin *after, vgAssembly *a)
{
    for (int i = 0; i < m->nbody; i++) {
        if (m->body[i].element >= 0) continue;
        double d = vg_norm3(vg_sub3(after[i].p, before[i].p));
        double r = m->body[i].select.n >= 3 ? vg_norm3(vg_so3_log(vg_mtm3(before[i].R, after[i].R))) : 0;
        double s = vg_given_missed(&m->body[i], &after[i]);
        if (d > a->moved) a->moved = d, a->moved_body = i;
        if (r > a->turned) a->turned = r, a->turned_body = i;
        if (s > a->speed) a->speed = s, a->speed_body = i;
    }
}

static double worst(const vgSystem *sys, const double *x, int *joint)
{
    double big = 0;
    if (joint) *joint = -1;
    for (int r = 0; r < sys->nphi; r++)
        if (fabs(x[r]) > big || isnan(x[r])) {
            big = fabs(x[r]);
            if (joint) *joint = sys->row_joint[r];
        }
    return big;
}

static vgLoc joint_loc(const vgModel *m, int joint)
{
    return joint >= 0 ? m->joint[joint].loc : VG_NOWHERE;
}
static const char *joint_name(const vgModel *m, int joint)
{
    return joint >= 0 ? m->joint[joint].name : "?";
}

/* ---- the steps ---- */

typedef struct Start {
    vgSystem *sys;
    vgWork *w;
    vgState *s;
    double *phi; /* 3 nphi */
    vgKin *kin;  /* nbody: the motion as given */
    vgDiag *diag;
    vgAssembly *a;
    int carried; /* the motion is for a setting that passes singular positions */
    int strict; /* the motion is for a setting that cannot leave a singular position, whichever way it moves */
    const vgModel *whose; /* the motion is that of its `start`, in which drives hold joints, or NULL */
} Start;

static vgStatus renew_work(Start *x)
{
    vg_work_free(x->w);
    x->w = NULL;
    vgStatus st = vg_work_new_lean(x->sys, &x->w);
    if (st == VG_OK) vg_work_bind(x->w, x->s);
    return st;
}

/* Which rows count at the position as it is, where some may repeat others. */
static vgStatus choose_rows(Start *x, double t)
{
    vgSystem *sys = x->sys;
    if (!sys->may_repeat) return VG_OK;
    return vg_find_redundant(sys, x->w, t, x->s->q, x->a->redundant, &x->a->nredundant, x->s->active);
}

/* A drive without a value, or whose rates have none, would show as joints that do not close. */
static vgStatus check_drives(Start *x, double t)
{
    const vgModel *m = x->sys->model;
    char cause[400];
    int found = vg_diagnose_drive(m, t, cause, sizeof cause);
    if (found) vg_diag_error(x->diag, joint_loc(m, found - 1), "the model has no start: %s", cause);
    return found ? VG_INCONSISTENT : VG_OK;
}

/* What is redundant is found where the user has put the bodies, and that may be a special position (all legs
 * of a platform upright) which the assembled model is not in: as long as rows that were dropped stay open
 * where the others are closed, they are looked for again from there. */
static vgStatus close_positions(Start *x, double t)
{
    vgSystem *sys = x->sys;
    const vgModel *m = sys->model;
    double *phi = x->phi, left;
    int joint, n = 0;
    vgStatus st = VG_OK;
    for (int round = 0;; round++) {
        st = choose_rows(x, t);
        if (st != VG_OK) return st;
        st = sys->ops->project_q(sys, x->w, t, x->s->q, PROJECTED, MAX_ITERATIONS, &n);
        x->a->iterations += n;
        if (st == VG_NO_MEMORY) return st;
        sys->ops->levels(sys, x->w, t, x->s->q, x->s->v, NULL, phi, NULL, NULL);
        left = worst(sys, phi, &joint);
        if (left <= CLOSED * sys->length) return VG_OK; /* redundant rows are included: they must close too */
        if (st != VG_OK || x->a->nredundant == 0 || round == ROUNDS) break;
    }
    if (st == VG_OK)
        vg_diag_error(
            x->diag, joint_loc(m, joint),
            "joint '%s' conflicts with the other joints of its loop: its constraints repeat theirs, but a "
            "gap of %.3g stays; make the dimensions or axes agree, or choose a joint with more freedom",
            joint_name(m, joint), left);
    else
        vg_diag_error(x->diag, joint_loc(m, joint),
                      "the model cannot be assembled: joint '%s' stays open by %.3g after %d iterations; "
                      "check the lengths, or give positions closer to the assembled ones",
                      joint_name(m, joint), left, n);
    return VG_INCONSISTENT;
}

/* run: {start: equilibrium}: the static equilibrium that the given positions lead to. */
static vgStatus find_rest(Start *x, double t)
{
    vgEquilibrium rest;
    x->s->t = t;
    vgStatus st = vg_equilibrium(x->sys, x->w, x->s, &(vgEquilibriumOptions){0}, x->diag, &rest);
    if (x->a->iterations == 0) x->a->iterations = 1; /* positions have changed */
    return st;
}

/* The velocities as the user gave them (W, angular ones in body axes), whatever the closing of the positions
 * did to the coordinates they are kept in; integrals of controllers stay, which a rest may have found. */
static vgStatus given_velocities(Start *x, double t)
{
    vgSystem *sys = x->sys;
    const vgModel *m = sys->model;
    vgKin *kin = malloc(((size_t)m->nbody + 1) * sizeof *kin);
    double *q = malloc(((size_t)sys->nq + 1) * sizeof *q);
    vgStatus st = VG_NO_MEMORY;
    if (kin && q) {
        memcpy(kin, sys->ops->kinematics(sys, x->w, t, x->s->q, x->s->v, NULL),
               (size_t)m->nbody * sizeof *kin);
        for (int i = 0; i < m->nbody; i++) {
            if (vg_model_is_integral(m, i)) continue;
            kin[i].v = m->body[i].v0;
            kin[i].w = m->body[i].w0;
        }
        st = sys->ops->from_native(sys, kin, q, x->s->v);
    }
    free(kin);
    free(q);
    return st;
}

static vgStatus close_velocities(Start *x, double t)
{
    vgSystem *sys = x->sys;
    const vgModel *m = sys->model;
    int joint;
    if (x->a->iterations > 0 && !m->start && given_velocities(x, t) != VG_OK) return VG_NO_MEMORY;
    int given = !m->start; /* the start of joints has settled it otherwise */
    vgStatus st = given ? vg_carry_along(sys, x->w, t, x->s->q, x->s->v) : VG_OK;
    if (st == VG_OK) st = sys->ops->project_v(sys, x->w, t, x->s->q, x->s->v);
    if (st == VG_OK && given) st = vg_keep_given(sys, x->w, t, x->s->q, x->s->v);
    if (st == VG_NO_MEMORY) return st;
    if (st != VG_OK) {
        vg_diag_error(
            x->diag, VG_NOWHERE,
            "the initial velocities cannot be made consistent: the constraints are singular at the start");
        return st;
    }
    sys->ops->levels(sys, x->w, t, x->s->q, x->s->v, NULL, x->phi, x->phi + sys->nphi, NULL);
    double left = worst(sys, x->phi + sys->nphi, &joint), size = sys->length;
    for (int i = 0; i < sys->nv; i++) size = fmax(size, fabs(x->s->v[i]));
    if (left <= AGREES * size) return VG_OK;
    vg_diag_error(
        x->diag, joint_loc(m, joint),
        "joint '%s' conflicts with others at velocity level: %.3g stays; drives of one loop must agree",
        joint_name(m, joint), left);
    return VG_INCONSISTENT;
}

vgStatus vg_bend_bristles(const vgSystem *sys, vgWork *work, vgState *state)
{
    const vgModel *m = sys->model;
    vgProbe *probe = NULL;
    vgStatus st = VG_OK;
    for (int f = 0; f < m->nforce && st == VG_OK; f++) {
        const vgForce *force = &m->force[f];
        const vgForceSetup *s = &force->setup;
        double z[3];
        if (vg_friction_hold(force->kind, force->def) != VG_HOLD_STICKS) continue;
        if (!probe) st = vg_probe_new(sys, &probe);
        if (st != VG_OK) break;
        vg_probe_at(probe, work, state);
        if (!vg_friction_begin(force->kind, force->def, vg_probe_force_in(probe, f), z)) continue;
        int hidden = s->nstate ? s->body[s->nbody - 1]
                               : m->measure[s->measure[s->nmeasure - s->nscalar]].measure.B.body;
        for (int i = 0, k = 0; i < sys->nv && k < s->nstate + s->nscalar; i++)
            if (sys->v_body[i] == hidden) state->v[i] = z[k++];
    }
    vg_probe_free(probe);
    return st;
}

/* A direction that the constraints allow while time stands still, B v = 0: the velocities of the start, or any where it
 * is at rest, without what drives ask for. project_v keeps B v + Φ_t = 0 and is affine in v: the difference of two of
 * its results is such a direction. Its largest entry in the scales of the coordinates, 0: there is none. */
static vgStatus allowed_direction(Start *x, double t, double *v, double *size)
{
    vgSystem *sys = x->sys;
    double *driven = calloc((size_t)sys->nv + 1, sizeof *driven), speed = 1;
    vgStatus st = driven ? sys->ops->project_v(sys, x->w, t, x->s->q, driven) : VG_NO_MEMORY;
    *size = 0;
    for (int attempt = x->strict; attempt < 2 && st == VG_OK && *size == 0; attempt++) {
        unsigned long seed = 1;
        for (int i = 0; i < sys->nv; i++) {
            seed = (seed * 1103515245UL + 12345UL) & 0x7fffffffUL;
            v[i] = attempt == 0 ? x->s->v[i] : sys->v_scale[i] * ((double)seed / 1073741824.0 - 1);
            speed = fmax(speed, fabs(v[i]) / sys->v_scale[i]);
        }
        st = sys->ops->project_v(sys, x->w, t, x->s->q, v);
        for (int i = 0; st == VG_OK && i < sys->nv; i++) {
            v[i] -= driven[i];
            *size = fmax(*size, fabs(v[i]) / sys->v_scale[i]);
        }
        if (!(*size > VG_START_MOVES * speed)) *size = 0;
    }
    free(driven);
    return st;
}

/* Moved a little along v, and back onto the constraints with the rows that count there: the largest violation that
 * is left, INFINITY where there is no way back or a long one. Beside the constraints, rows that repeat others differ from them
 * by the second order of the motion, which may be more than the tolerance of their rank. So the rows are chosen twice, the
 * second time where the first projection has led. */
static vgStatus look_aside(Start *x, double t, const double *v, double size, double *left, int *joint)
{
    vgSystem *sys = x->sys;
    size_t nq = (size_t)sys->nq + 1, nv = (size_t)sys->nv + 1;
    double *q = calloc(2 * nq + nv, sizeof *q), *moved = q + nq, *d = moved + nq, back = 0;
    unsigned char *kept = malloc((size_t)sys->nphi + 1);
    int *redundant = calloc((size_t)sys->nphi + 1, sizeof *redundant), n, iter;
    vgStatus st = q && kept && redundant ? VG_OK : VG_NO_MEMORY;
    if (st == VG_OK) {
        memcpy(kept, x->s->active, (size_t)sys->nphi);
        for (int i = 0; i < sys->nv; i++) d[i] = VG_START_ASIDE * v[i] / size;
        sys->ops->retract(sys, x->s->q, d, q);
        memcpy(moved, q, nq * sizeof *q);
    }
    vgStatus closed = VG_OK;
    for (int again = 0; again < 2 && st == VG_OK; again++) {
        st = vg_find_redundant(sys, x->w, t, q, redundant, &n, x->s->active);
        if (st == VG_OK)
            closed = sys->ops->project_q(sys, x->w, t, q, VG_START_CLOSED, MAX_ITERATIONS, &iter);
    }
    if (st == VG_OK) {
        sys->ops->local(sys, moved, q, d);
        for (int i = 0; i < sys->nv; i++) back = fmax(back, fabs(d[i]) / sys->v_scale[i]);
        sys->ops->levels(sys, x->w, t, q, x->s->v, NULL, x->phi, NULL, NULL);
        *left = worst(sys, x->phi, joint);
        if (closed != VG_OK || !(back <= VG_START_BACK * VG_START_ASIDE)) *left = INFINITY;
        memcpy(x->s->active, kept, (size_t)sys->nphi);
    }
    free(q);
    free(kept);
    free(redundant);
    return st;
}

/* Do rows repeat others, or does the mechanism only stand in a singular position (links in line) that it cannot leave?
 * A little along a direction that the constraints allow, rows that repeat others are open by second order, and the
 * way back onto all constraints is as short. In a singular position it leads to another place, unless the motion
 * itself is along one of the branches. */
static vgStatus check_singular_start(Start *x, double t)
{
    vgSystem *sys = x->sys;
    double *v = calloc((size_t)sys->nv + 1, sizeof *v), size = 0, left = 0;
    int joint = -1;
    vgStatus st = v ? allowed_direction(x, t, v, &size) : VG_NO_MEMORY;
    if (st == VG_OK && size > 0) st = look_aside(x, t, v, size, &left, &joint);
    if (st == VG_OK && left > CLOSED * sys->length) {
        vg_diag_error(x->diag, joint_loc(sys->model, joint),
                      "the start is a singular position: joint '%s' repeats the others there, but not beside "
                      "it (links in line, for example); give a start a little away from it, or velocities "
                      "that say which way it goes, with constraints augmented3 for example",
                      joint_name(sys->model, joint));
        st = VG_INCONSISTENT;
    }
    free(v);
    return st;
}

/* A node of a beam, of a cable or of a flexible body. */
static int is_node(const vgModel *m, int body)
{
    int node = m->body[body].mass == 0;
    for (int f = 0; f < m->nforce && !node; f++)
        for (int b = 0; b < m->force[f].setup.nbody && m->force[f].setup.inertial; b++)
            node |= m->force[f].setup.body[b] == body;
    return node;
}

/* Joints are closed with the least change in the mass metric, which knows no stiffness: a beam that does not
 * reach its joint is stretched, and the run begins with that strain. A body whose position was given and that
 * is far from it afterwards is not where the user wanted it. */
static void warn_moved(const Start *x)
{
    const vgModel *m = x->sys->model;
    const vgAssembly *a = x->a;
    if (x->whose || m->run.equilibrium || a->joint_before < 0 ||
        !(a->phi_before > VG_VISIBLE * x->sys->length))
        return;
    if (!(a->moved > VG_VISIBLE * x->sys->length)) return;
    const vgBody *b = &m->body[a->moved_body];
    int node = is_node(m, a->moved_body);
    if (!node && !(b->placed && a->moved > ELSEWHERE * x->sys->length)) return;
    vg_diag_warn(
        x->diag, m->joint[a->joint_before].loc,
        "joint '%s' is open by %.3g as given; closing it moved '%s' by %.3g m%s",
        m->joint[a->joint_before].name, a->phi_before, b->name, a->moved,
        node ? ", so that a flexible part may start strained: move the part or the joint"
             : " from where it is placed. Markers where the bodies meet, or another place, avoid that");
}

/* A given velocity that the joints do not allow is not what the user meant. */
static void warn_changed(const Start *x)
{
    const vgModel *m = x->sys->model;
    double given = 0;
    for (int i = 0; i < m->nbody; i++)
        if (m->body[i].given) given = fmax(given, fmax(vg_norm3(m->body[i].v0), vg_norm3(m->body[i].w0)));
    if (!(given > 0 && x->a->speed > VG_VISIBLE * given)) return;
    const vgBody *b = &m->body[x->a->speed_body];
    vg_diag_warn(x->diag, b->loc,
                 "the velocities given do not fit the joints and drives: that of body '%s' is changed by "
                 "%.3g for the start. Give fewer, the rest follows",
                 b->name, x->a->speed);
}

/* ---- one start for one model ---- */

/* Every setting starts from the motion that is found here: in one kind of coordinates and in one metric, from
 * what the user gave. */
static int is_canonical(const vgSystem *sys)
{
    return sys->is.saddle && !vg_at_acceleration(sys) && !sys->mixed &&
           !strcmp(sys->coordinates, vg_default_coordinates(sys->model));
}

static vgStatus start_given(Start *x, double t)
{
    vgSystem *sys = x->sys;
    vgAssembly *a = x->a;
    vgStatus st = sys->ops->from_native(sys, x->kin, x->s->q, x->s->v);
    if (st != VG_OK) return st;
    sys->ops->levels(sys, x->w, t, x->s->q, x->s->v, NULL, x->phi, x->phi + sys->nphi, NULL);
    a->phi_before = worst(sys, x->phi, &a->joint_before);
    a->phi_dot_before = worst(sys, x->phi + sys->nphi, &a->joint_dot_before);
    return VG_OK;
}

static vgStatus joint_start(const Start *x, double t);

static vgStatus find_motion(Start *x, double t)
{
    vgSystem *sys = x->sys;
    const vgModel *m = sys->model;
    native_start(m, x->kin);
    start_turns(m, x->s->turn);
    vgStatus st = m->start ? joint_start(x, t) : x->whose ? vg_place_joints(x->whose, t, x->kin) : VG_OK;
    if (st == VG_OK) st = renew_work(x);
    if (st == VG_OK) st = start_given(x, t);
    if (st == VG_OK) st = check_drives(x, t);
    if (st == VG_OK) st = close_positions(x, t);
    if (st == VG_OK) st = choose_rows(x, t);
    if (st == VG_OK && m->run.equilibrium) st = find_rest(x, t);
    if (st == VG_OK) st = close_velocities(x, t);
    if (st == VG_OK && x->a->nredundant && !x->carried) st = check_singular_start(x, t);
    if (st != VG_OK) return st;
    measure_change(m, x->kin, sys->ops->kinematics(sys, x->w, t, x->s->q, x->s->v, NULL), x->a);
    warn_moved(x);
    warn_changed(x);
    return VG_OK;
}

static vgStatus start_memory(Start *x, vgAssembly *a, int nhistory)
{
    memset(a, 0, sizeof *a);
    x->a = a;
    a->joint_before = a->joint_dot_before = -1;
    a->length = x->sys->length;
    a->redundant = calloc((size_t)x->sys->nphi + 1, sizeof(int));
    x->phi = calloc(3 * (size_t)x->sys->nphi + 1, sizeof(double));
    x->kin = calloc((size_t)x->sys->model->nbody + 1, sizeof *x->kin);
    return a->redundant && x->phi && x->kin ? vg_state_new(x->sys, nhistory, &x->s) : VG_NO_MEMORY;
}

static void free_start(Start *x)
{
    vg_work_free(x->w);
    free(x->phi);
    free(x->kin);
    x->w = NULL;
}

/* x->kin: the motion in which joints are where they start, that of a model in which drives hold them there. */
static vgStatus joint_start(const Start *x, double t)
{
    const vgModel *m = x->sys->model;
    vgAssembly a = {0};
    Start y = {.diag = x->diag, .carried = 1, .whose = m};
    vgStatus st = vg_system_new_canonical(m->start, x->diag, &y.sys);
    if (st == VG_OK) st = start_memory(&y, &a, 0);
    if (st == VG_OK) st = find_motion(&y, t);
    if (st == VG_OK)
        memcpy(x->kin, y.sys->ops->kinematics(y.sys, y.w, t, y.s->q, y.s->v, NULL),
               (size_t)m->nbody * sizeof *x->kin);
    free_start(&y);
    vg_state_free(y.s);
    vg_assembly_free(&a);
    vg_system_free(y.sys);
    return st;
}

/* What the canonical setting found out; its rows are not this one's. */
static void take_news(vgAssembly *to, const vgAssembly *from)
{
    int *redundant = to->redundant;
    *to = *from;
    to->redundant = redundant;
    to->nredundant = 0;
}

/* The motion of the bodies as the canonical setting has found it. */
static vgStatus canonical_motion(Start *x, double t)
{
    vgSystem *sys = x->sys, *canonical = NULL;
    vgAssembly a = {0};
    vgStatus st = vg_system_new_canonical(sys->model, x->diag, &canonical);
    Start y = {.sys = canonical, .diag = x->diag, .carried = vg_penalises(sys), .strict = sys->is.chooses};
    if (st == VG_OK) st = start_memory(&y, &a, 0);
    if (st == VG_OK) st = find_motion(&y, t);
    if (st == VG_OK) {
        const vgKin *kin = canonical->ops->kinematics(canonical, y.w, t, y.s->q, y.s->v, NULL);
        st = sys->ops->from_native(sys, kin, x->s->q, x->s->v);
        start_turns(sys->model, x->s->turn);
        take_news(x->a, &a);
    }
    free_start(&y); /* before this one's work takes memory */
    vg_state_free(y.s);
    vg_assembly_free(&a);
    vg_system_free(canonical);
    return st;
}

/* The motion found in the canonical setting, handed over: what rounding opens is closed again. */
static vgStatus take_motion(Start *x, double t)
{
    vgSystem *sys = x->sys;
    int n = 0;
    vgStatus st = canonical_motion(x, t);
    if (st == VG_OK) st = renew_work(x);
    if (st == VG_OK) st = choose_rows(x, t);
    if (st == VG_OK) st = sys->ops->project_q(sys, x->w, t, x->s->q, PROJECTED, MAX_ITERATIONS, &n);
    if (st == VG_OK) st = sys->ops->project_v(sys, x->w, t, x->s->q, x->s->v);
    if (st == VG_NOT_CONVERGED || st == VG_SINGULAR)
        vg_diag_error(x->diag, VG_NOWHERE,
                      "the start cannot be taken over into coordinates '%s' with constraints '%s': use other "
                      "ones, or give a start that is not singular",
                      sys->coordinates, sys->constraints);
    return st;
}

/* Accelerations and multipliers, and what is reported of the start. */
static vgStatus finish(Start *x, double t)
{
    vgSystem *sys = x->sys;
    const vgModel *m = sys->model;
    vgAssembly *a = x->a;
    x->s->t = t;
    vgStatus st = vg_bend_bristles(sys, x->w, x->s);
    if (st != VG_OK) return st;
    st = sys->ops->accel(sys, x->w, t, x->s->q, x->s->v, x->s->a, x->s->lambda);
    if (st != VG_OK) {
        char cause[400];
        vg_diag_error(x->diag, VG_NOWHERE, "the initial accelerations cannot be solved for: %s",
                      vg_diagnose_number(sys, x->w, x->s, cause, sizeof cause) ? cause : vg_status_text(st));
        return st;
    }
    memset(x->w->watch, 1, (size_t)m->nmeasure); /* whoever looks at an angle later counts from here */
    vg_work_accept(sys, x->w, x->s);
    sys->ops->levels(sys, x->w, t, x->s->q, x->s->v, x->s->a, x->phi, x->phi + sys->nphi,
                     x->phi + 2 * sys->nphi);
    a->phi = worst(sys, x->phi, NULL);
    a->phi_dot = worst(sys, x->phi + sys->nphi, NULL);
    a->freedom =
        sys->ops->jacobian(sys, x->w, t, x->s->q, NULL, NULL, NULL) - (sys->njacobian - a->nredundant);
    for (int i = 0; i < m->nbody; i++) a->freedom -= vg_model_is_integral(m, i) ? m->body[i].select.n : 0;
    return VG_OK;
}

vgStatus vg_assemble(vgSystem *sys, double t, int nhistory, vgDiag *diag, vgAssembly *out, vgState **state)
{
    vgAssembly local;
    Start x = {.sys = sys, .diag = diag};
    vgStatus st = start_memory(&x, out ? out : &local, nhistory);
    if (st == VG_OK) st = is_canonical(sys) ? find_motion(&x, t) : take_motion(&x, t);
    if (st == VG_OK) st = finish(&x, t);
    free_start(&x);
    if (!out) vg_assembly_free(&local);
    if (st != VG_OK) {
        vg_state_free(x.s);
        x.s = NULL;
    }
    *state = x.s;
    return st;
}

int vg_assembly_change(const vgAssembly *a, const vgModel *m, int i, double least, char *text, size_t size)
{
    if (i == 0 && a->moved > least * a->length)
        return snprintf(text, size, "assembly moved body %s by %.3g m", m->body[a->moved_body].name,
                        a->moved);
    if (i == 1 && a->turned > least)
        return snprintf(text, size, "assembly turned body %s by %.3g rad", m->body[a->turned_body].name,
                        a->turned);
    if (i == 2 && a->speed > least)
        return snprintf(text, size, "assembly changed a velocity of body %s by %.3g",
                        m->body[a->speed_body].name, a->speed);
    return 0;
}

void vg_assembly_free(vgAssembly *a)
{
    free(a->redundant);
    a->redundant = NULL;
}
