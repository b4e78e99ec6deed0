/* Velocities of the start that nobody gave. A body moves with the one that carries it, as if the joint
 * between them were held: ω = ω_c, v = v_c + ω_c × (p − p_c). What the rows of that joint ask for beyond it
 * (drives, constraints that move, an angular velocity of its own about a pivot) is added with the least
 * change of what is not given. Bodies are reached from the ground along joints, the nearest first; parts of
 * the model without a joint to the ground from the bodies whose velocities are given. */
#include "analysis/state/given.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/rank.h"

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
    if (b->given & VG_GIVEN_OMEGA) w = vg_mv3(k->R, own_w);
    if (b->given & VG_GIVEN_VELOCITY) /* that of the user's origin */
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
            if (!(b->given & given)) J[r * n + own] = x->value[k] * sys->v_scale[c];
        }
        open = fmax(open, fabs(rest[r]));
    }
    vgStatus st = VG_OK;
    if (open > 1e-14 * size) {
        st = vg_lstsq_min_norm(J, rest, m, n, 1e-9, d, NULL);
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
    if (!joint || vg_body_is_hidden(b)) return VG_OK;
    follow(x, body, carrier);
    return fit(x, body, joint);
}

/* From the bodies in the queue on. `at`: joints by bodies, the ground last. */
static vgStatus spread(carryJob *x, const int *joint_start, const int *at, int next, int ground)
{
    const vgModel *m = x->sys->model;
    vgStatus st = VG_OK;
    for (int from = ground ? m->nbody : -1; st == VG_OK; from = -1) {
        if (from < 0 && next == x->nqueue) break;
        int body = from < 0 ? x->queue[next++] : from;
        for (int k = joint_start[body]; k < joint_start[body + 1] && st == VG_OK; k++) {
            const vgJoint *j = &m->joint[at[k]];
            int other = body == m->nbody ? (j->a < 0 ? j->b : j->a) : j->a == body ? j->b : j->a;
            if (other >= 0 && !x->reached[other]) st = reach(x, other, body == m->nbody ? -1 : body, j);
        }
    }
    return st;
}

/* Joints by the bodies that they join, the ground as number nbody: start [nbody + 2], at [2 njoint]. */
static void list_joints(const vgModel *m, int *start, int *at)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < m->njoint; j++) {
            int side[2] = {m->joint[j].a < 0 ? m->nbody : m->joint[j].a,
                           m->joint[j].b < 0 ? m->nbody : m->joint[j].b};
            for (int k = 0; k < 2 && m->joint[j].nrow > 0 && side[0] != side[1]; k++) {
                if (pass)
                    at[start[side[k]]++] = j;
                else
                    start[side[k] + 1]++;
            }
        }
        for (int i = 0; i <= m->nbody && !pass; i++) start[i + 1] += start[i];
    }
    for (int i = m->nbody + 1; i > 0; i--) start[i] = start[i - 1];
    start[0] = 0;
}

static vgStatus carry(carryJob *x, int *joint_start, int *at)
{
    const vgModel *m = x->sys->model;
    list_joints(m, joint_start, at);
    vgStatus st = spread(x, joint_start, at, 0, 1);
    for (int i = 0; i < m->nbody && st == VG_OK; i++) {
        if (x->reached[i] || !m->body[i].given) continue;
        int next = x->nqueue;
        st = reach(x, i, -1, NULL);
        if (st == VG_OK) st = spread(x, joint_start, at, next, 0);
    }
    return st;
}

vgStatus vg_carry_along(const vgSystem *sys, vgWork *work, double t, const double *q, double *v)
{
    const vgModel *m = sys->model;
    size_t nbody = (size_t)m->nbody, nv = (size_t)sys->nv, rows = (size_t)sys->njacobian;
    size_t entries = rows * (size_t)sys->row_entries;
    if (rows == 0) return VG_OK;
    double *real = calloc(nv + (size_t)sys->nphi + entries + 1, sizeof *real), *rest = real,
           *moving = rest + nv, *value = moving + sys->nphi;
    int *whole = calloc(3 * nbody + 4 + 2 * (size_t)m->njoint + rows + entries, sizeof *whole),
        *first = whole, *queue = first + nbody, *joint_start = queue + nbody, *at = joint_start + nbody + 2,
        *start = at + 2 * m->njoint, *col = start + rows + 1;
    vgKin *kin = malloc((nbody + 1) * sizeof *kin);
    unsigned char *reached = calloc(nbody + 1, 1);
    vgStatus st = real && whole && kin && reached ? VG_OK : VG_NO_MEMORY;
    if (st == VG_OK) {
        carryJob x = {sys, kin, v, first, start, col, value, moving, queue, 0, reached};
        for (int i = sys->nv - 1; i >= 0; i--) first[sys->v_body[i]] = i;
        memcpy(kin, sys->ops->kinematics(sys, work, t, q, v, NULL), nbody * sizeof *kin);
        sys->ops->levels(sys, work, t, q, rest, NULL, NULL, moving, NULL);
        sys->ops->jacobian(sys, work, t, q, start, col, value);
        st = carry(&x, joint_start, at);
    }
    free(real);
    free(whole);
    free(kin);
    free(reached);
    return st;
}
