/* Chooses the states of a linear model (linear_model.h). Candidates are tried in the order that readers expect,
 * joint coordinates before positions of bodies. One is taken if its gradient adds a direction to those taken
 * before, within the directions of freedom (Gram–Schmidt). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/modes/linear_model.h"
#include "base/arena.h"
#include "linalg/null_space.h"

typedef struct Candidate {
    const char *name, *unit, *rate_name, *rate_unit;
    vgMeasure measure;
    int joint;    /* 1: coordinate of a joint */
    int integral; /* 1: its rate alone is a state */
    int place;    /* in the list that comes out; candidates stand in the order in which they are tried */
    int taken;
} Candidate;

typedef struct Choice {
    const vgSystem *sys;
    const vgKin *kin;
    const double *turn;
    vgPool *pool;
    Candidate *at;
    int n, full;
    int *v0; /* [nbody] first coordinate */
} Choice;

/* ---- candidates ---- */

static void add(Choice *c, Candidate x)
{
    if (!x.name || !x.rate_name || !x.rate_unit) c->full = 1;
    if (x.place == 0) x.place = c->n + 1;
    c->at[c->n++] = x;
}

static void add_joints(Choice *c)
{
    const vgModel *m = c->sys->model;
    for (int j = 0; j < m->njoint; j++) {
        const vgJoint *jo = &m->joint[j];
        for (int k = 0; k < jo->ncoord && jo->drive_of < 0; k++) {
            const vgNamedMeasure *me = &m->measure[jo->measure0 + k];
            char number[12] = "";
            if (k > 0) snprintf(number, sizeof number, "%d", k + 1);
            add(c, (Candidate){.name = me->name,
                               .unit = me->unit,
                               .rate_name = vg_pool_printf(c->pool, "joint.%s.rate%s", jo->name, number),
                               .rate_unit = vg_pool_printf(c->pool, "%s/s", me->unit),
                               .measure = me->measure,
                               .joint = 1});
        }
    }
}

static vgMeasure coordinate(const vgModel *m, int body, int axis)
{
    return (vgMeasure){.kind = VG_MEASURE_COORDINATE,
                       .A = {.body = -1, .R = vg_eye3()},
                       .B = {.body = body, .R = vg_eye3()},
                       .axis = axis,
                       .planar = m->planar,
                       .turn = -1};
}

static void add_elements(Choice *c)
{
    const vgModel *m = c->sys->model;
    for (int f = 0; f < m->nforce; f++) {
        const vgForceSetup *s = &m->force[f].setup;
        for (int k = s->nmeasure - s->nscalar; k < s->nmeasure; k++)
            add(c, (Candidate){.name = "",
                               .unit = "",
                               .rate_name = vg_pool_printf(c->pool, "force.%s.integral", m->force[f].name),
                               .rate_unit = "",
                               .measure = m->measure[s->measure[k]].measure,
                               .integral = 1});
    }
    for (int f = 0; f < m->nforce; f++) {
        const vgForceSetup *s = &m->force[f].setup;
        for (int k = 0; k < s->nstate; k++)
            add(c, (Candidate){.name = "",
                               .unit = "",
                               .rate_name =
                                   vg_pool_printf(c->pool, "force.%s.state.%d", m->force[f].name, k + 1),
                               .rate_unit = "",
                               .measure = coordinate(m, s->body[s->nbody - 1], k),
                               .integral = 1});
    }
    for (int i = 0; i < m->nmodal; i++) {
        const vgFlexible *x = &m->modal[i];
        for (int k = 0; k < x->data->nmode; k++)
            add(c, (Candidate){.name = vg_pool_printf(c->pool, "body.%s.mode.%d", x->name, k + 1),
                               .unit = "m",
                               .rate_name = vg_pool_printf(c->pool, "body.%s.mode-rate.%d", x->name, k + 1),
                               .rate_unit = "m/s",
                               .measure = coordinate(m, x->carrier + k / 3, k % 3)});
    }
}

/* Rotations are tried before positions: the lean angle of a rolling wheel is a better state than the position it
 * leans to. */
static void add_body(Choice *c, int body)
{
    const vgModel *m = c->sys->model;
    const vgBody *b = &m->body[body];
    const int turns = b->select.n > 0 && b->select.at[b->select.n - 1] >= 3, first = c->n + 1;
    const vgFrame ground = {.body = -1, .R = vg_eye3()};
    for (int k = 0; turns && !m->planar && k < 3; k++) /* in world axes: log(R R₀ᵀ) */
        add(c, (Candidate){.name = vg_pool_printf(c->pool, "body.%s.turn.%c", b->name, 'x' + k),
                           .unit = "rad",
                           .rate_name = vg_pool_printf(c->pool, "body.%s.turn-rate.%c", b->name, 'x' + k),
                           .rate_unit = "rad/s",
                           .measure = {.kind = VG_MEASURE_TURN,
                                       .A = ground,
                                       .B = {.body = body, .R = vg_mt3(c->kin[body].R)},
                                       .axis = k,
                                       .turn = -1},
                           .place = first + 3 + k});
    const char *name = vg_pool_printf(c->pool, "body.%s.angle", b->name);
    int at = turns && m->planar && name ? vg_model_find_measure(m, name) : -1;
    if (at >= 0)
        add(c, (Candidate){.name = name,
                           .unit = "rad",
                           .rate_name = vg_pool_printf(c->pool, "body.%s.omega", b->name),
                           .rate_unit = "rad/s",
                           .measure = m->measure[at].measure,
                           .place = first + 2});
    for (int k = 0; k < (m->planar ? 2 : 3); k++)
        add(c, (Candidate){.name = vg_pool_printf(c->pool, "body.%s.position.%c", b->name, 'x' + k),
                           .unit = "m",
                           .rate_name = vg_pool_printf(c->pool, "body.%s.velocity.%c", b->name, 'x' + k),
                           .rate_unit = "m/s",
                           .measure = {.kind = VG_MEASURE_POSITION,
                                       .A = ground,
                                       .B = {.body = body, .r = vg_neg3(b->com), .R = vg_eye3()},
                                       .axis = k,
                                       .planar = m->planar,
                                       .turn = -1},
                           .place = first + k});
}

/* Spinning bodies come last: their rotations describe the attitude of a vehicle or rotor poorly. */
static void add_bodies(Choice *c)
{
    const vgModel *m = c->sys->model;
    double most = 0;
    for (int i = 0; i < m->nbody; i++) most = fmax(most, vg_norm3(c->kin[i].w));
    for (int spins = 0; spins < 2; spins++)
        for (int i = 0; i < m->nbody; i++)
            if (!vg_body_is_hidden(&m->body[i]) && (vg_norm3(c->kin[i].w) > 0.5 * most) == spins)
                add_body(c, i);
}

static vgStatus list(Choice *c)
{
    const vgModel *m = c->sys->model;
    size_t most = 6 * (size_t)m->nbody + (size_t)m->nmeasure + 1;
    for (int i = 0; i < m->nmodal; i++) most += (size_t)m->modal[i].data->nmode;
    c->at = calloc(most, sizeof *c->at);
    c->v0 = calloc((size_t)m->nbody + 1, sizeof *c->v0);
    if (!c->at || !c->v0) return VG_NO_MEMORY;
    for (int i = c->sys->nv - 1; i >= 0; i--) c->v0[c->sys->v_body[i]] = i;
    add_joints(c);
    add_elements(c);
    add_bodies(c);
    return c->full ? VG_NO_MEMORY : VG_OK;
}

/* ---- directions ---- */

/* Directions that the active rows of levels up to `level` leave, times the coordinates' scales. */
static vgStatus directions(const vgSystem *sys, vgWork *work, const vgState *s, int level, int *count,
                           double **out)
{
    const size_t n = (size_t)sys->nv, rows = (size_t)sys->njacobian;
    int *start = calloc(rows + 1, sizeof *start), m = 0, rank = 0;
    int *col = calloc(rows * (size_t)sys->row_entries + 1, sizeof *col);
    double *value = calloc(rows * (size_t)sys->row_entries + 1, sizeof *value);
    double *J = calloc((rows + n) * n + 1, sizeof *J), *Z = calloc(n * n + 1, sizeof *Z);
    vgStatus st = start && col && value && J && Z ? VG_OK : VG_NO_MEMORY;
    if (st == VG_OK && rows) sys->ops->jacobian(sys, work, s->t, s->q, start, col, value);
    for (size_t r = 0; st == VG_OK && r < rows; r++) {
        if (!s->active[r] || sys->row_level[r] > level) continue;
        for (int k = start[r]; k < start[r + 1]; k++)
            J[(size_t)m * n + (size_t)col[k]] += value[k] * sys->v_scale[col[k]];
        m++;
    }
    for (int i = 0; st == VG_OK && level == 0 && i < sys->nv;
         i++) /* no force depends on the value of an integral */
        if (vg_model_is_integral(sys->model, sys->v_body[i])) J[(size_t)m++ * n + (size_t)i] = 1;
    if (st == VG_OK && n) st = vg_null_space(J, m, sys->nv, 0, Z, &rank);
    *count = sys->nv - rank;
    *out = st == VG_OK ? calloc((size_t)*count * n + 1, sizeof **out) : NULL;
    if (st == VG_OK && !*out) st = VG_NO_MEMORY;
    for (int k = 0; st == VG_OK && k < *count; k++)
        for (size_t i = 0; i < n; i++) (*out)[(size_t)k * n + i] = Z[i * n + (size_t)(rank + k)];
    free(start);
    free(col);
    free(value);
    free(J);
    free(Z);
    return st;
}

/* ---- the choice ---- */

/* w := the change of a measure along each of n directions (in units of the scales); returns the size of its
 * gradient. */
static double along(const Choice *c, const vgMeasure *m, int n, const double *Z, double *w)
{
    static const vgKin rest = {.R = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    const vgSystem *sys = c->sys;
    vgMeasureOut o;
    double size = 0;
    vg_measure_eval(m, m->A.body < 0 ? &rest : &c->kin[m->A.body], m->B.body < 0 ? &rest : &c->kin[m->B.body],
                    m->turn >= 0 ? c->turn[m->turn] : 0, 1, &o);
    memset(w, 0, (size_t)n * sizeof *w);
    for (int end = 0; end < 2; end++) {
        const int body = end ? m->B.body : m->A.body;
        if (body < 0) continue;
        const vgSelect *select = &sys->model->body[body].select;
        for (int i = 0; i < select->n; i++) {
            const int at = c->v0[body] + i;
            const double g = o.grad[6 * end + select->at[i]] * sys->v_scale[at];
            size += g * g;
            for (int k = 0; k < n; k++) w[k] += g * Z[(size_t)k * (size_t)sys->nv + (size_t)at];
        }
    }
    return sqrt(size);
}

/* w less its parts along the m orthonormal rows of Q, twice for rounding; its length. */
static double rest_of(int n, int m, const double *Q, double *w)
{
    double size = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < m; k++) {
            const double *q = Q + (size_t)k * (size_t)n;
            double dot = 0;
            for (int i = 0; i < n; i++) dot += q[i] * w[i];
            for (int i = 0; i < n; i++) w[i] -= dot * q[i];
        }
    for (int i = 0; i < n; i++) size += w[i] * w[i];
    return sqrt(size);
}

/* n candidates that distinguish n directions; order 1: by their rates. */
static vgStatus choose(Choice *c, int n, const double *Z, int order, int *chosen)
{
    static const struct {
        int joints, again; /* 1: coordinates of joints and of elements alone; those of the positions alone */
        double least;
    } rounds[] = {{1, 1, 1e-5}, {0, 1, 1e-5}, {1, 0, 1e-2}, {1, 0, 1e-5}, {0, 0, 1e-2}, {0, 0, 1e-9}};
    double *Q = calloc((size_t)n * (size_t)n + 1, sizeof *Q);
    int m = 0;
    if (!Q) return VG_NO_MEMORY;
    for (size_t r = 0; r < sizeof rounds / sizeof *rounds; r++)
        for (int i = 0; i < c->n && m < n; i++) {
            Candidate *x = &c->at[i];
            double *w = Q + (size_t)m * (size_t)n;
            if (x->taken & (1 << order) || (x->integral && order == 0)) continue;
            if ((rounds[r].joints && !x->joint && !x->integral) || (rounds[r].again && !(x->taken & 1)))
                continue;
            double size = along(c, &x->measure, n, Z, w), left = rest_of(n, m, Q, w);
            if (!(left > rounds[r].least * size)) continue;
            for (int k = 0; k < n; k++) w[k] /= left;
            x->taken |= 1 << order;
            chosen[m++] = i;
        }
    free(Q);
    return m == n ? VG_OK : VG_SINGULAR;
}

/* Candidates by their places. */
static void sort(const Choice *c, int n, int *chosen)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && c->at[chosen[k]].place < c->at[chosen[k - 1]].place; k--) {
            int other = chosen[k];
            chosen[k] = chosen[k - 1];
            chosen[k - 1] = other;
        }
}

static vgStatus fill(Choice *c, vgLinearStates *out)
{
    const int np = out->np, nd = out->nd;
    int *chosen = calloc((size_t)(np + nd) + 1, sizeof *chosen), *rates = chosen ? chosen + np : NULL;
    out->state = calloc((size_t)(np + nd) + 1, sizeof *out->state);
    vgStatus st = chosen && out->state ? choose(c, np, out->P, 0, chosen) : VG_NO_MEMORY;
    if (st == VG_OK) st = choose(c, nd, out->V, 1, rates);
    if (st == VG_OK) sort(c, np, chosen);
    if (st == VG_OK) sort(c, nd, rates);
    for (int i = 0; st == VG_OK && i < np + nd; i++) {
        const Candidate *x = &c->at[chosen[i]];
        out->state[i] = i < np ? (vgLinearState){x->name, x->unit, x->measure, 0, -1}
                               : (vgLinearState){x->rate_name, x->rate_unit, x->measure, 1, -1};
        for (int k = 0; k < nd && i < np; k++)
            if (rates[k] == chosen[i]) out->state[i].rate = np + k;
    }
    free(chosen);
    return st;
}

/* Directions as variations of the coordinates, the largest entry one scale. */
static void scale(const vgSystem *sys, int n, double *Z)
{
    for (int k = 0; k < n; k++, Z += sys->nv) {
        double big = 0;
        for (int i = 0; i < sys->nv; i++) big = fmax(big, fabs(Z[i]));
        for (int i = 0; i < sys->nv; i++) Z[i] *= sys->v_scale[i] / big;
    }
}

vgStatus vg_linear_states(const vgSystem *sys, vgWork *work, const vgState *s, vgLinearStates *out)
{
    *out = (vgLinearStates){.pool = vg_pool_new(0)};
    Choice c = {.sys = sys, .turn = s->turn, .pool = out->pool};
    vgKin *kin = malloc(((size_t)sys->model->nbody + 1) * sizeof *kin);
    vgStatus st = kin && out->pool ? VG_OK : VG_NO_MEMORY;
    if (st == VG_OK) st = directions(sys, work, s, 0, &out->np, &out->P);
    if (st == VG_OK) st = directions(sys, work, s, 1, &out->nd, &out->V);
    if (st == VG_OK) {
        memcpy(kin, sys->ops->kinematics(sys, work, s->t, s->q, s->v, s->a),
               (size_t)sys->model->nbody * sizeof *kin);
        c.kin = kin;
        st = list(&c);
    }
    if (st == VG_OK) st = fill(&c, out);
    if (st == VG_OK) {
        scale(sys, out->np, out->P);
        scale(sys, out->nd, out->V);
    }
    free(kin);
    free(c.at);
    free(c.v0);
    if (st != VG_OK) vg_linear_states_free(out);
    return st;
}

void vg_linear_states_free(vgLinearStates *s)
{
    free(s->P);
    free(s->V);
    free(s->state);
    vg_pool_free(s->pool);
    *s = (vgLinearStates){0};
}
