#include "integrator/stage/renewal.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "integrator/stage/stage.h"

enum { MADE_IN_STAGE = 1, MADE_BETWEEN, MADE_IN_PARTS, MADE_OF_ROWS };
enum { NSCALAR = 15, NPOINT = 6, SECANTS = 12 };
/* Increments along the last one that the secants may make longer or shorter by so much */
static const double LONGEST = 10, SHORTEST = 0.05;

/* Where a matrix was made. */
typedef struct Point {
    double t, cv, ca, wander;
    int map, how;
    double *q, *v, *a, *lambda, *delta, *delta_dot, *turn, *memory;
} Point;

struct vgRenewal {
    vgArena arena;
    Point now, next; /* of the matrix in use, of the one that is made */
    Point rows;      /* where its constraints' rows were taken since, MADE_OF_ROWS; how 0: with the rest */
    double *r, *phi; /* scratch */
    vgWork *work;    /* of the one that is made; NULL: in one go, in the integrator's own */
    int parts, part; /* how many, how many done */
    int *cut;        /* parts + 1: the pieces of each */
    double moved_before;                      /* way of the coordinates when it was begun */
    int nsecant;                              /* increments with the matrix in this stage: */
    double *secant[SECANTS], square[SECANTS]; /* δ and μ; (δ, δ) in the coordinates' scales */
};

/* ---- set-up ---- */

static void place_point(Point *x, const vgSystem *sys, vgArena *a)
{
    x->q = VG_TAKE(a, double, sys->nq + 1);
    x->v = VG_TAKE(a, double, sys->nv + 1);
    x->a = VG_TAKE(a, double, sys->nv + 1);
    x->lambda = VG_TAKE(a, double, sys->nphi + 1);
    x->delta = VG_TAKE(a, double, sys->nv + 1);
    x->delta_dot = VG_TAKE(a, double, sys->nv + 1);
    x->turn = VG_TAKE(a, double, sys->model->nturn + 1);
    x->memory = VG_TAKE(a, double, sys->nmemory + 1);
}

static void place(vgRenewal *x, const vgSystem *sys, vgArena *a)
{
    place_point(&x->now, sys, a);
    place_point(&x->next, sys, a);
    place_point(&x->rows, sys, a);
    x->r = VG_TAKE(a, double, sys->nv + 1);
    x->phi = VG_TAKE(a, double, sys->nphi + 1);
    x->cut = VG_TAKE(a, int, x->parts + 1);
    for (int k = 0; k < SECANTS; k++) x->secant[k] = VG_TAKE(a, double, sys->nv + sys->nl + 1);
}

/* Parts of about the same cost: the k-th ends with the piece in whose middle, or before, k/n of it is done.
 */
static vgStatus cut(const vgSystem *sys, vgRenewal *x)
{
    int n = sys->ops->pieces.count(sys, x->work, NULL, NULL), k = 1;
    double *cost = malloc(((size_t)n + 1) * sizeof *cost), all = 0, done = 0;
    if (!cost) return VG_NO_MEMORY;
    sys->ops->pieces.count(sys, x->work, cost, NULL);
    for (int i = 0; i < n; i++) all += cost[i];
    for (int i = 0; i < n; i++) {
        while (k < x->parts && done + 0.5 * cost[i] > all * k / x->parts) x->cut[k++] = i;
        done += cost[i];
    }
    while (k <= x->parts) x->cut[k++] = n;
    free(cost);
    return VG_OK;
}

int vg_renewal_is_lost(const vgIntegrator *it)
{
    return (it->row->flags & VG_INT_PROJECTS) ? it->sys->nl > 0 : vg_system_projects(it->sys);
}

static vgStatus can_be_spread(vgIntegrator *it)
{
    const vgSystem *sys = it->sys;
    const char *why = it->row->flags & (VG_INT_EXPLICIT | VG_INT_OWN_NEWTON)
                          ? "makes no matrix that could be held from step to step"
                      : it->adaptive ? "controls its step, and its matrix changes with it"
                      : !sys->ops->pieces.count
                          ? "finds no matrix in these coordinates that is made in pieces"
                      : it->changes            ? it->changes
                      : vg_renewal_is_lost(it) ? "projects after each step with a matrix in the other's place"
                                               : NULL;
    if (!why) return VG_OK;
    vg_fail(it, VG_BAD_INPUT, 0, "integrator '%s' %s: with coordinates '%s' and constraints '%s' no spread",
            it->row->name, why, sys->coordinates, sys->constraints);
    return VG_BAD_INPUT;
}

vgStatus vg_renewal_new(vgIntegrator *it)
{
    const vgSystem *sys = it->sys;
    if (it->newton_mode < VG_NEWTON_HOLD) return VG_OK;
    vgRenewal *x = calloc(1, sizeof *x);
    if (!x) return VG_NO_MEMORY;
    it->renewal = x;
    x->parts = it->newton_spread;
    vgArena measure = {0};
    place(x, sys, &measure);
    vgStatus st = vg_arena_alloc(&x->arena, measure.used);
    if (st == VG_OK) place(x, sys, &x->arena);
    if (st != VG_OK || x->parts == 0) return st;
    st = can_be_spread(it);
    if (st == VG_OK) st = vg_work_new(sys, &x->work);
    return st == VG_OK ? cut(sys, x) : st;
}

void vg_renewal_free(vgRenewal *x)
{
    if (!x) return;
    vg_work_free(x->work);
    vg_arena_free(&x->arena);
    free(x);
}

/* ---- when ---- */

/* Cost of a tangent with its factorisation, in residuals, where it has not been measured: of models with costly elements,
 * and of rigid bodies. The Iltis takes 5.5 µs for one of 1.65 µs (docs/performance.md). */
static const double OF_ELEMENTS = 4, OF_BODIES = 1.5;

double vg_renewal_cost(const vgSystem *sys)
{
    return sys->cost.tangent > 0 ? sys->cost.tangent : sys->cost.high ? OF_ELEMENTS : OF_BODIES;
}

/* A held matrix makes steps dearer with its age; the least cost a step on average, (tangent + Σ extra)/n, is
 * where the next step would cost more extra than that (docs/theory.md, eq. 72a). */
static int too_old(const vgIntegrator *it)
{
    const vgMatrixMemory *m = &it->matrix;
    return m->held > 0 && m->last_extra * m->held >= vg_renewal_cost(it->sys) + m->extra;
}

int vg_renewal_is_due(const vgIntegrator *it)
{
    const vgMatrixMemory *m = &it->matrix;
    if (m->stale || (it->newton_refresh > 0 && m->held >= it->newton_refresh)) return 1;
    if (it->newton_mode == VG_NEWTON_SPREAD) return it->newton_refresh == 0;
    return it->newton_mode == VG_NEWTON_HOLD && too_old(it);
}

int vg_renewal_shows(const vgIntegrator *it)
{
    const vgMatrixMemory *m = &it->matrix;
    if (it->newton_mode < VG_NEWTON_HOLD || it->newton_fixed > 0 || !(it->newton_err > 0)) return 0;
    if (!(m->corrected > 0) || m->held == 0) return 0;
    return m->bend < 0 || m->corrected * m->moved > VG_PART_OF_OWN / 6 * m->bend / m->cv;
}

int vg_renewal_in_parts(const vgIntegrator *it)
{
    return it->renewal && it->renewal->work;
}

/* ---- where ---- */

static void copy(double *to, const double *from, int n)
{
    if (n > 0 && from) memcpy(to, from, (size_t)n * sizeof *to);
}

static void note(Point *x, const vgSystem *sys, const vgWork *work, const vgTangent *p, int how)
{
    x->t = p->t, x->cv = p->cv, x->ca = p->ca, x->map = p->map, x->how = how;
    x->wander = work->wander;
    copy(x->q, p->q, sys->nq);
    copy(x->v, p->v, sys->nv);
    copy(x->a, p->a, sys->nv);
    copy(x->lambda, p->lambda, sys->nl);
    copy(x->delta, p->delta, sys->nv);
    copy(x->delta_dot, p->delta_dot, sys->nv);
    copy(x->turn, work->turn, sys->model->nturn);
    copy(x->memory, work->memory, sys->nmemory);
}

void vg_renewal_note(vgIntegrator *it, const vgTangent *at)
{
    if (!it->renewal) return;
    note(&it->renewal->now, it->sys, it->work, at, MADE_IN_STAGE);
    it->renewal->rows.how = 0;
}

void vg_renewal_place(const vgIntegrator *it, const double **delta, const double **q)
{
    *delta = it->renewal->now.delta;
    *q = it->renewal->now.q;
}

void vg_renewal_note_rows(vgIntegrator *it, const vgTangent *at)
{
    if (it->renewal) note(&it->renewal->rows, it->sys, it->work, at, MADE_OF_ROWS);
}

static vgTangent tangent(const Point *x)
{
    return (vgTangent){.t = x->t,
                       .q = x->q,
                       .v = x->v,
                       .a = x->a,
                       .lambda = x->lambda,
                       .cv = x->cv,
                       .ca = x->ca,
                       .map = (vgStageMap)x->map,
                       .delta = x->delta,
                       .delta_dot = x->delta_dot};
}

/* ---- secants ---- */

void vg_renewal_forget_secants(vgIntegrator *it)
{
    if (it->renewal) it->renewal->nsecant = 0;
}

static double product(int n, const double *a, const double *b, const double *unit)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * unit[i] * (b[i] * unit[i]);
    return sum;
}

/* Broyden's method by the increments alone (Kelley 1995, section 7.3; docs/theory.md, eq. 72c): z, the
 * solution with the old matrix, becomes the increment with the matrix that all increments s_j of this stage
 * have corrected,
 *     z += s_{j+1} (s_j, z)/(s_j, s_j)  for all but the last,    s = z/(1 − (s_k, z)/(s_k, s_k))
 * The product is that of positions: multipliers enter linearly and go along. */
void vg_renewal_use_secants(vgIntegrator *it, const double *unit, double *x, double *xl)
{
    vgRenewal *w = it->renewal;
    int nv = it->sys->nv, nl = it->sys->nl, n = w->nsecant;
    double by = 1;
    for (int j = 0; j < n; j++) {
        double part = product(nv, w->secant[j], x, unit) / w->square[j];
        if (j + 1 == n) {
            by = 1 / (1 - part);
            break;
        }
        for (int i = 0; i < nv; i++) x[i] += part * w->secant[j + 1][i];
        for (int i = 0; i < nl; i++) xl[i] += part * w->secant[j + 1][nv + i];
    }
    /* a curve that no secant follows, or no more room: the old matrix again */
    if (!(by > SHORTEST && by < LONGEST) || n == SECANTS) by = 1, n = 0;
    double *s = w->secant[n];
    for (int i = 0; i < nv; i++) s[i] = x[i] *= by;
    for (int i = 0; i < nl; i++) s[nv + i] = xl[i] *= by;
    w->square[n] = product(nv, s, s, unit);
    w->nsecant = w->square[n] > 0 ? n + 1 : 0;
}

/* ---- between two steps ---- */

/* At the state, with the coefficients of the matrix in use. */
static void begin(vgIntegrator *it, const vgState *s, Point *x, const vgWork *bound, int how)
{
    vgTangent p = {.t = s->t,
                   .q = s->q,
                   .v = s->v,
                   .a = s->a,
                   .lambda = s->lambda,
                   .cv = it->matrix.cv,
                   .ca = it->matrix.ca,
                   .map = (vgStageMap)it->matrix.map,
                   .delta_dot = s->v};
    note(x, it->sys, bound, &p, how);
    memset(x->delta, 0, (size_t)it->sys->nv * sizeof(double));
}

static void take_over(vgIntegrator *it, double moved)
{
    it->stats.jacobians++;
    it->matrix.moved = moved;
    it->matrix.held = it->matrix.stale = 0;
}

static void renew_whole(vgIntegrator *it, const vgState *s)
{
    vgRenewal *x = it->renewal;
    if (it->newton_fixed == 0 || !it->matrix.have || !vg_renewal_is_due(it)) return;
    begin(it, s, &x->now, it->work, MADE_BETWEEN);
    x->rows.how = 0;
    vgTangent p = tangent(&x->now);
    it->matrix.have = it->sys->ops->factor(it->sys, it->work, &p) == VG_OK;
    take_over(it, 0);
}

/* The pieces of one part, with the turns and choices of the state at which it was begun. */
static vgStatus make_part(const vgSystem *sys, vgRenewal *x, int part, const vgWork *running)
{
    vgTangent p = tangent(&x->next);
    x->work->turn = x->next.turn;
    x->work->memory = x->next.memory;
    x->work->held = running->held;
    x->work->active = running->active;
    for (int i = x->cut[part]; i < x->cut[part + 1]; i++) {
        vgStatus st = sys->ops->pieces.make(sys, x->work, &p, i);
        if (st != VG_OK) return st;
    }
    return VG_OK;
}

static void exchange(vgIntegrator *it)
{
    vgRenewal *x = it->renewal;
    vgWork *old = it->work, *made = x->work;
    Point was = x->now;
    made->turn = old->turn;
    made->held = old->held;
    made->memory = old->memory;
    made->active = old->active;
    made->matrix_lost = old->matrix_lost;
    memcpy(made->watch, old->watch, (size_t)it->sys->model->nmeasure);
    it->work = made;
    x->work = old;
    x->now = x->next;
    x->next = was;
    x->rows.how = 0;
}

void vg_renewal_between(vgIntegrator *it, const vgState *s)
{
    vgRenewal *x = it->renewal;
    const vgMatrixMemory *m = &it->matrix;
    if (!x) return;
    if (!x->work) {
        renew_whole(it, s);
        return;
    }
    /* another step size: what has been made is of no use */
    int same = m->have && x->next.cv == m->cv && x->next.ca == m->ca && x->next.map == m->map;
    if (!same) x->part = 0;
    if (x->part == 0) {
        if (!m->have || !vg_renewal_is_due(it)) return;
        begin(it, s, &x->next, it->work, MADE_IN_PARTS);
        x->moved_before = m->moved;
    }
    it->stats.parts++;
    if (make_part(it->sys, x, x->part, it->work) != VG_OK) {
        x->part = 0; /* from the next state on */
        return;
    }
    if (++x->part < x->parts) return;
    x->part = 0;
    exchange(it);
    take_over(it, m->moved - x->moved_before);
}

/* ---- checkpoints ---- */

typedef struct Array {
    double *at;
    int n;
} Array;

enum { NARRAY = 8 };

static void arrays(const vgSystem *sys, const Point *x, Array out[NARRAY])
{
    Array all[NARRAY] = {{x->q, sys->nq},
                         {x->v, sys->nv},
                         {x->a, sys->nv},
                         {x->lambda, sys->nl},
                         {x->delta, sys->nv},
                         {x->delta_dot, sys->nv},
                         {x->turn, sys->model->nturn},
                         {x->memory, sys->nmemory}};
    memcpy(out, all, sizeof all);
}

int vg_renewal_size(const vgIntegrator *it)
{
    Array a[NARRAY];
    int n = NPOINT;
    if (!it->renewal) return 0;
    arrays(it->sys, &it->renewal->now, a);
    for (int i = 0; i < NARRAY; i++) n += a[i].n;
    return NSCALAR + 3 * n;
}

static char *put(char *to, const double *from, int n)
{
    if (n > 0) memcpy(to, from, (size_t)n * sizeof *from);
    return to + (size_t)n * sizeof *from;
}

static const char *get(double *to, const char *from, int n)
{
    if (n > 0) memcpy(to, from, (size_t)n * sizeof *to);
    return from + (size_t)n * sizeof *to;
}

static char *write_point(const vgSystem *sys, const Point *x, char *to)
{
    Array a[NARRAY];
    double head[NPOINT] = {x->t, x->cv, x->ca, x->map, x->how, x->wander};
    to = put(to, head, NPOINT);
    arrays(sys, x, a);
    for (int i = 0; i < NARRAY; i++) to = put(to, a[i].at, a[i].n);
    return to;
}

static const char *read_point(const vgSystem *sys, Point *x, const char *from)
{
    Array a[NARRAY];
    double head[NPOINT];
    from = get(head, from, NPOINT);
    x->t = head[0], x->cv = head[1], x->ca = head[2], x->map = (int)head[3], x->how = (int)head[4];
    x->wander = head[5];
    arrays(sys, x, a);
    for (int i = 0; i < NARRAY; i++) from = get(a[i].at, from, a[i].n);
    return from;
}

void vg_renewal_write(const vgIntegrator *it, void *to)
{
    const vgRenewal *x = it->renewal;
    const vgMatrixMemory *m = &it->matrix;
    if (!x) return;
    double head[NSCALAR] = {
        m->have,         m->cv,         m->ca,   m->map,
        m->moved,        m->stale,      m->held, m->fresh_iterations,
        m->extra,        m->last_extra, x->part, x->parts,
        x->moved_before, m->corrected,  m->bend,
    };
    char *at = put(to, head, NSCALAR);
    at = write_point(it->sys, &x->now, at);
    at = write_point(it->sys, &x->rows, at);
    write_point(it->sys, &x->next, at);
}

/* As it was made at first, operation by operation: the same bits. */
static vgStatus make_again(vgIntegrator *it, const Point *at)
{
    const vgSystem *sys = it->sys;
    vgRenewal *x = it->renewal;
    vgWork *work = it->work;
    const double *turn = work->turn, *memory = work->memory;
    vgTangent p = tangent(at);
    vgStatus st = VG_OK;
    work->turn = at->turn;
    work->memory = at->memory;
    work->wander = at->wander;
    p.keep = at->how == MADE_OF_ROWS;
    p.reuse = p.keep || at->how == MADE_IN_STAGE;
    if (p.reuse) {
        if (sys->ops->approach.ahead && !p.keep) sys->ops->approach.ahead(sys, work, &p);
        sys->ops->residual(sys, work, p.t, p.q, p.v, p.a, p.lambda, x->r, x->phi);
    }
    if (at->how == MADE_IN_PARTS) {
        int n = sys->ops->pieces.count(sys, work, NULL, NULL);
        for (int i = 0; i < n && st == VG_OK; i++) st = sys->ops->pieces.make(sys, work, &p, i);
    } else {
        st = sys->ops->factor(sys, work, &p);
    }
    work->turn = turn;
    work->memory = memory;
    work->wander = 0;
    return st;
}

void vg_renewal_read(vgIntegrator *it, const void *from, int n)
{
    vgRenewal *x = it->renewal;
    double head[NSCALAR];
    it->matrix = (vgMatrixMemory){0};
    if (!x) return;
    x->part = 0;
    if (n != vg_renewal_size(it)) return;
    const char *at = get(head, from, NSCALAR);
    int part = (int)head[10], parts = (int)head[11];
    it->matrix = (vgMatrixMemory){.have = head[0] != 0,
                                  .cv = head[1],
                                  .ca = head[2],
                                  .map = (int)head[3],
                                  .moved = head[4],
                                  .stale = (int)head[5],
                                  .held = (int)head[6],
                                  .fresh_iterations = (int)head[7],
                                  .extra = head[8],
                                  .last_extra = head[9],
                                  .corrected = head[13],
                                  .bend = head[14]};
    x->moved_before = head[12];
    at = read_point(it->sys, &x->now, at);
    at = read_point(it->sys, &x->rows, at);
    read_point(it->sys, &x->next, at);
    if (it->matrix.have) it->matrix.have = make_again(it, &x->now) == VG_OK;
    if (it->matrix.have && x->rows.how) it->matrix.have = make_again(it, &x->rows) == VG_OK;
    for (; x->work && parts == x->parts && x->part < part; x->part++)
        if (make_part(it->sys, x, x->part, it->work) != VG_OK) {
            x->part = 0;
            break;
        }
}
