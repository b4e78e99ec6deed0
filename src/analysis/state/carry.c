/* Initial velocities that the model does not give. A body moves with the body that carries it, as if the joint or beam
 * between them were rigid: ω = ω_c, v = v_c + ω_c × (p − p_c). If the constraint equations of that joint require more (drives,
 * moving constraints, a given angular velocity about a pivot), the velocities that are not given change by the least amount.
 * Bodies are visited from the ground along joints and beams, nearest first. Parts of the model without a joint to the ground
 * are visited from bodies with given velocities. */
#include "analysis/state/given.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/rank.h"

/* Relative to the largest term: equations of a joint that are satisfied, and columns that depend on each other. */
static const double SATISFIED = 1e-14, DEPENDENT = 1e-9;

typedef struct carryJob {
    const vgSystem *sys;
    const vgKin *kin;
    double *v;
    const int *first; /* [nbody] first coordinate of each body */
    const int *start, *col;
    const double *value;  /* the rows' Jacobian over coordinates */
    const double *moving; /* [nrow] Φ_t */
    int *queue, nqueue;   /* bodies in the order in which they are reached */
    unsigned char *reached;
} carryJob;

/* Which velocities of a body the model gives, VG_GIVEN_…. Parts of beams and flexible bodies have those of their element. */
static unsigned given_of(const vgBody *b)
{
    const int moves = vg_norm3(b->v0) > 0 || vg_norm3(b->w0) > 0;
    return b->given ? b->given : moves ? VG_GIVEN_VELOCITY | VG_GIVEN_OMEGA : 0;
}

/* Velocity of the centre of mass in W and angular velocity in body axes, from the coordinates. */
static void twist_of(const carryJob *x, int body, vgVec3 *v, vgVec3 *w)
{
    double six[6] = {0};
    const vgSelect *s = &x->sys->model->body[body].select;
    for (int k = 0; k < s->n; k++) six[s->at[k]] = x->v[x->first[body] + k];
    *v = vg_load3(six);
    *w = vg_load3(six + 3);
}

/* What is not given of a body follows its carrier (−1: the ground, which does not move). */
static void follow(const carryJob *x, int body, int carrier)
{
    const vgBody *b = &x->sys->model->body[body];
    const vgKin *k = &x->kin[body];
    vgVec3 v = vg_zero3(), w = vg_zero3(), own_v, own_w, com = vg_mv3(k->R, b->com);
    twist_of(x, body, &own_v, &own_w);
    if (carrier >= 0) {
        vgVec3 w_c;
        twist_of(x, carrier, &v, &w_c);
        w = vg_mv3(x->kin[carrier].R, w_c);
        v = vg_add3(v, vg_cross3(w, vg_sub3(k->p, x->kin[carrier].p)));
    }
    if (given_of(b) & VG_GIVEN_OMEGA) w = vg_mv3(k->R, own_w);
    if (given_of(b) & VG_GIVEN_VELOCITY) /* that of the user's origin */
        v = vg_add3(vg_sub3(own_v, vg_cross3(vg_mv3(k->R, own_w), com)), vg_cross3(w, com));
    double six[6];
    vg_store3(v, six);
    vg_store3(vg_mtv3(k->R, w), six + 3);
    for (int i = 0; i < b->select.n; i++) x->v[x->first[body] + i] = six[b->select.at[i]];
}

/* The rows of a joint, by the least change of its body's velocities that are not given. */
static vgStatus fit(const carryJob *x, int body, const vgJoint *joint)
{
    const vgSystem *sys = x->sys;
    const vgBody *b = &sys->model->body[body];
    const int m = joint->nrow, n = b->select.n;
    double *J = calloc((size_t)(m * n + m) + 1, sizeof *J), *rest = J + m * n, d[6], open = 0, size = 0;
    if (!J) return VG_NO_MEMORY;
    for (int r = 0; r < m; r++) {
        int row = joint->row0 + r;
        rest[r] = -x->moving[row];
        size = fmax(size, fabs(x->moving[row]));
        for (int k = x->start[row]; k < x->start[row + 1]; k++) {
            int c = x->col[k], own = c - x->first[body];
            rest[r] -= x->value[k] * x->v[c];
            size = fmax(size, fabs(x->value[k] * x->v[c]));
            if (own < 0 || own >= n) continue;
            unsigned given = b->select.at[own] < 3 ? VG_GIVEN_VELOCITY : VG_GIVEN_OMEGA;
            if (!(given_of(b) & given)) J[r * n + own] = x->value[k] * sys->v_scale[c];
        }
        open = fmax(open, fabs(rest[r]));
    }
    vgStatus st = VG_OK;
    if (open > SATISFIED * size) {
        st = vg_lstsq_min_norm(J, rest, m, n, DEPENDENT, d, NULL);
        for (int k = 0; k < n && st == VG_OK; k++)
            x->v[x->first[body] + k] += d[k] * sys->v_scale[x->first[body] + k];
    }
    free(J);
    return st;
}

static vgStatus reach(carryJob *x, int body, int carrier, const vgJoint *joint)
{
    const vgBody *b = &x->sys->model->body[body];
    x->reached[body] = 1;
    x->queue[x->nqueue++] = body;
    if (vg_body_is_hidden(b)) return VG_OK;
    follow(x, body, carrier);
    return joint ? fit(x, body, joint) : VG_OK;
}

/* Does an element join its bodies as a part does: a beam, a flexible body? */
static int is_part(const vgForceSetup *s)
{
    return s->inertial && s->nbody > 1;
}

/* The bodies behind joint `at`, or behind element `at` − njoint, are reached from `body` (nbody: the ground). */
static vgStatus go_along(carryJob *x, int body, int at)
{
    const vgModel *m = x->sys->model;
    const int carrier = body == m->nbody ? -1 : body;
    vgStatus st = VG_OK;
    if (at < m->njoint) {
        const vgJoint *j = &m->joint[at];
        int other = body == m->nbody ? (j->a < 0 ? j->b : j->a) : j->a == body ? j->b : j->a;
        return other >= 0 && !x->reached[other] ? reach(x, other, carrier, j) : VG_OK;
    }
    const vgForceSetup *part = &m->force[at - m->njoint].setup;
    for (int k = 0; k < part->nbody && st == VG_OK; k++) {
        int other = part->body[k];
        if (other >= 0 && !x->reached[other]) st = reach(x, other, carrier, NULL);
    }
    return st;
}

/* From the bodies in the queue on. `at`: joints and parts by bodies, the ground last. */
static vgStatus spread(carryJob *x, const int *start, const int *at, int next, int ground)
{
    vgStatus st = VG_OK;
    for (int from = ground ? x->sys->model->nbody : -1; st == VG_OK; from = -1) {
        if (from < 0 && next == x->nqueue) break;
        int body = from < 0 ? x->queue[next++] : from;
        for (int k = start[body]; k < start[body + 1] && st == VG_OK; k++) st = go_along(x, body, at[k]);
    }
    return st;
}

typedef struct carryList {
    int *start, *at; /* [nbody + 2], [entries]: NULL while they are counted */
} carryList;

static void list_one(carryList *l, int pass, int body, int what)
{
    if (pass)
        l->at[l->start[body]++] = what;
    else
        l->start[body + 1]++;
}

/* Joints, and behind them parts, by the bodies that they join, the ground as number nbody. Pass 0 counts. */
static void list_all(const vgModel *m, carryList *l, int pass)
{
    for (int j = 0; j < m->njoint; j++) {
        int a = m->joint[j].a < 0 ? m->nbody : m->joint[j].a,
            b = m->joint[j].b < 0 ? m->nbody : m->joint[j].b;
        if (m->joint[j].nrow == 0 || a == b) continue;
        list_one(l, pass, a, j);
        list_one(l, pass, b, j);
    }
    for (int f = 0; f < m->nforce; f++) {
        const vgForceSetup *s = &m->force[f].setup;
        for (int k = 0; k < s->nbody && is_part(s); k++)
            if (s->body[k] >= 0) list_one(l, pass, s->body[k], m->njoint + f);
    }
    if (pass) { /* each start has moved on to the next one */
        for (int i = m->nbody + 1; i > 0; i--) l->start[i] = l->start[i - 1];
        l->start[0] = 0;
    } else {
        for (int i = 0; i <= m->nbody; i++) l->start[i + 1] += l->start[i];
    }
}

static vgStatus carry(carryJob *x)
{
    const vgModel *m = x->sys->model;
    carryList l = {.start = calloc((size_t)m->nbody + 2, sizeof(int))};
    vgStatus st = l.start ? VG_OK : VG_NO_MEMORY;
    if (st == VG_OK) {
        list_all(m, &l, 0);
        l.at = calloc((size_t)l.start[m->nbody + 1] + 1, sizeof(int));
        st = l.at ? VG_OK : VG_NO_MEMORY;
    }
    if (st == VG_OK) {
        list_all(m, &l, 1);
        st = spread(x, l.start, l.at, 0, 1);
    }
    for (int i = 0; i < m->nbody && st == VG_OK; i++) {
        if (x->reached[i] || !given_of(&m->body[i])) continue;
        int next = x->nqueue;
        x->reached[i] = 1;
        x->queue[x->nqueue++] = i;
        st = spread(x, l.start, l.at, next, 0);
    }
    free(l.start);
    free(l.at);
    return st;
}

/* Does anything move: bodies by what was given, joints by their drives? moving: Φ_t. */
static int anything_moves(const vgSystem *sys, const double *moving)
{
    const vgModel *m = sys->model;
    int moves = 0;
    for (int i = 0; i < m->nbody; i++) moves |= given_of(&m->body[i]) != 0;
    for (int r = 0; r < sys->nphi; r++) moves |= moving[r] != 0;
    return moves;
}

static vgStatus carry_all(const vgSystem *sys, vgWork *work, double t, const double *q, const double *moving,
                          double *v)
{
    size_t nbody = (size_t)sys->model->nbody, rows = (size_t)sys->njacobian;
    size_t entries = rows * (size_t)sys->row_entries;
    double *value = calloc(entries + 1, sizeof *value);
    int *whole = calloc(2 * nbody + rows + entries + 2, sizeof *whole), *first = whole,
        *queue = first + nbody, *start = queue + nbody, *col = start + rows + 1;
    vgKin *kin = malloc((nbody + 1) * sizeof *kin);
    unsigned char *reached = calloc(nbody + 1, 1);
    vgStatus st = value && whole && kin && reached ? VG_OK : VG_NO_MEMORY;
    if (st == VG_OK) {
        carryJob x = {sys, kin, v, first, start, col, value, moving, queue, 0, reached};
        for (int i = sys->nv - 1; i >= 0; i--) first[sys->v_body[i]] = i;
        memcpy(kin, sys->ops->kinematics(sys, work, t, q, v, NULL), nbody * sizeof *kin);
        sys->ops->jacobian(sys, work, t, q, start, col, value);
        st = carry(&x);
    }
    free(value);
    free(whole);
    free(kin);
    free(reached);
    return st;
}

vgStatus vg_carry_along(const vgSystem *sys, vgWork *work, double t, const double *q, double *v)
{
    if (sys->njacobian == 0) return VG_OK;
    double *rest = calloc((size_t)(sys->nv + sys->nphi) + 1, sizeof *rest), *moving = rest + sys->nv;
    if (!rest) return VG_NO_MEMORY;
    sys->ops->levels(sys, work, t, q, rest, NULL, NULL, moving, NULL);
    vgStatus st = anything_moves(sys, moving) ? carry_all(sys, work, t, q, moving, v) : VG_OK;
    free(rest);
    return st;
}
