/* Lines of elements in absolute coordinates (absolute/lines_run.c): which, and how they join the rest. */
#include "system/absolute/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 8 }; /* elements of a line that is worth it */
enum {
    LONG = 32,
    ALWAYS = 128
}; /* groups beyond which a line does not stay in a cache; nor a matrix would */

/* ---- which ---- */

typedef struct Search {
    const vgAbs *s;
    unsigned char *held;   /* per body: something but elements in lanes is on it */
    int *count;            /* per body: elements in lanes on it */
    unsigned char *usable; /* per group: its elements follow each other, nothing else on the nodes between */
} Search;

/* Body of node a of a group's lane. */
static int body_at(const vgLaneGroup *g, int a, int lane)
{
    return g->body[VG_LANES * a + lane];
}

static int first_body(const vgLaneGroup *g)
{
    return body_at(g, 0, 0);
}

static int last_body(const vgLaneGroup *g)
{
    return body_at(g, g->nbody - 1, g->n - 1);
}

static void mark(const Search *x, int body)
{
    if (body >= 0) x->held[body] = 1;
}

static void mark_held(const Search *x)
{
    const vgModel *m = x->s->base.model;
    const vgLaneSet *lanes = &x->s->lanes;
    for (int i = 0; i < m->nbody; i++) x->held[i] = !x->s->body[i].rotates;
    for (int i = 0; i < m->nprim; i++) {
        int bodies[2 * VG_PRIM_MAX_TERMS], n = vg_native_prim_bodies(m, &m->prim[i], bodies);
        for (int k = 0; k < n; k++) mark(x, bodies[k]);
    }
    for (int i = 0; i < m->nmeasure; i++) {
        mark(x, m->measure[i].measure.A.body);
        mark(x, m->measure[i].measure.B.body);
    }
    for (int f = 0; f < m->nforce; f++) {
        vgForcePlace pl;
        if (lanes->taken[f]) continue;
        memset(&pl, 0, sizeof pl);
        vg_native_force_union(m, f, &pl);
        for (int u = 0; u < pl.nu; u++) mark(x, pl.body[u]);
    }
    for (int i = 0; i < lanes->nspin; i++) mark(x, lanes->spin[i].body);
    for (int i = 0; i < lanes->ngroup; i++)
        for (int k = 0; k < lanes->group[i].n; k++)
            for (int a = 0; a < lanes->group[i].nbody; a++) x->count[body_at(&lanes->group[i], a, k)]++;
}

/* A node between two elements of a line, or in the middle of one. */
static int is_inner(const Search *x, int body, int elements)
{
    return !x->held[body] && x->count[body] == elements;
}

static void find_usable(const Search *x)
{
    for (int i = 0; i < x->s->lanes.ngroup; i++) {
        const vgLaneGroup *g = &x->s->lanes.group[i];
        int good = 1;
        for (int k = 0; k < g->n; k++) {
            if (g->nbody == 3) good &= is_inner(x, body_at(g, 1, k), 1);
            if (k == 0) continue;
            good &= body_at(g, g->nbody - 1, k - 1) == body_at(g, 0, k);
            good &= is_inner(x, body_at(g, 0, k), 2);
        }
        x->usable[i] = (unsigned char)good;
    }
}

/* Does group b go on where a ends? */
static int goes_on(const Search *x, const vgLaneGroup *a, const vgLaneGroup *b)
{
    return a->n == VG_LANES && a->ops == b->ops && a->nbody == b->nbody && last_body(a) == first_body(b) &&
           is_inner(x, first_body(b), 2);
}

/* ---- lists ---- */

static void place(vgLines *w, const vgAbs *s, vgArena *a)
{
    w->line = VG_TAKE(a, vgLine, w->nline + 1);
    w->group = VG_TAKE(a, vgLineGroup, w->ngroup + 1);
    w->hidden = VG_TAKE(a, unsigned char, s->nbody + 1);
    w->in_line = VG_TAKE(a, unsigned char, s->lanes.ngroup + 1);
    w->keep = VG_TAKE(a, double, w->nkeep + 8);
}

static vgLineBody body_of(const vgLines *w, const vgAbs *s, int body)
{
    const vgAbsBody *b = &s->body[body];
    vgLineBody out = {.q0 = b->q0, .v0 = b->v0};
    if (!w->hidden[body]) return out; /* counted in the matrix */
    out.mass = b->mass;
    out.J = b->J;
    return out;
}

static void fill_line(vgLines *w, const Search *x, vgLine *l, int from, int to)
{
    const vgLaneGroup *group = x->s->lanes.group;
    const int step = l->near == 0 ? -1 : 1, start = l->near == 0 ? to : from;
    for (int i = from; i <= to; i++) {
        w->in_line[i] = 1;
        for (int k = 0; k < group[i].n; k++)
            for (int a = 0; a < l->nn; a++) w->hidden[body_at(&group[i], a, k)] = 1;
    }
    w->hidden[l->root] = 0;
    if (l->tip >= 0) w->hidden[l->tip] = 0;
    l->end = body_of(w, x->s, l->near == 0 ? last_body(&group[to]) : first_body(&group[from]));
    for (int i = 0; i < l->ngroup; i++) {
        vgLineGroup *out = &w->group[l->first + i];
        const vgLaneGroup *g = &group[start + step * i];
        *out = (vgLineGroup){.ops = g->ops, .pack = g->pack, .n = g->n};
        for (int k = 0; k < VG_LANES; k++) {
            out->near[k] = body_of(w, x->s, body_at(g, l->near, k));
            if (l->nn == 3) out->mid[k] = body_of(w, x->s, body_at(g, 1, k));
        }
    }
}

/* Lines by the groups from .. to; counts alone while nothing is taken. */
static void add_line(vgLines *w, const Search *x, int from, int to)
{
    const vgLaneGroup *group = x->s->lanes.group;
    const int a = first_body(&group[from]), b = last_body(&group[to]), nn = group[from].nbody;
    const int a_free = is_inner(x, a, 1), b_free = is_inner(x, b, 1);
    if (VG_LANES * (to - from) + group[to].n < LEAST || a == b) return;
    vgLine l = {.first = w->ngroup, .ngroup = to - from + 1, .nn = nn, .far = nn - 1, .root = a, .tip = b};
    if (b_free) {
        l.tip = -1;
    } else if (a_free) {
        l.near = nn - 1, l.far = 0;
        l.root = b, l.tip = -1;
    }
    l.keep = w->nkeep;
    l.is_long = l.ngroup > LONG;
    l.stride = VG_LANES * (size_t)((nn == 3 ? 6 * 13 : 0) + vg_line_room(l.tip >= 0));
    if (w->line) {
        fill_line(w, x, &l, from, to);
        w->line[w->nline] = l;
    }
    w->nline++;
    w->ngroup += l.ngroup;
    w->nkeep += (size_t)l.ngroup * l.stride;
}

static void find_lines(vgLines *w, const Search *x)
{
    const vgLaneSet *lanes = &x->s->lanes;
    w->nline = w->ngroup = 0;
    w->nkeep = 0;
    for (int i = 0; i < lanes->ngroup; i++) {
        int to = i;
        if (!x->usable[i]) continue;
        while (to + 1 < lanes->ngroup && x->usable[to + 1] &&
               goes_on(x, &lanes->group[to], &lanes->group[to + 1]))
            to++;
        add_line(w, x, i, to);
        i = to;
    }
}

static vgStatus build(vgLines *w, const vgAbs *s, const Search *x)
{
    vgArena measure = {0};
    mark_held(x);
    find_usable(x);
    find_lines(w, x);
    if (w->nline == 0) return VG_OK;
    place(w, s, &measure);
    vgStatus st = vg_arena_alloc(&w->arena, measure.used);
    if (st != VG_OK) return st;
    place(w, s, &w->arena);
    find_lines(w, x);
    st = vg_abs_matrix_new(s, 0, 0, w, NULL, &w->matrix);
    for (int i = 0; i < w->nline && st == VG_OK; i++) {
        vgLine *l = &w->line[i];
        const int *node = w->matrix.node, t = l->tip < 0 ? -1 : node[l->tip], r = node[l->root];
        l->block[0] = vg_lin_block(w->matrix.lin, r, r);
        if (t < 0) continue;
        l->block[1] = vg_lin_block(w->matrix.lin, r, t);
        l->block[2] = vg_lin_block(w->matrix.lin, t, r);
        l->block[3] = vg_lin_block(w->matrix.lin, t, t);
    }
    return st;
}

vgStatus vg_lines_new(const vgAbs *s, vgLines **out)
{
    const size_t nbody = (size_t)s->nbody + 1, ngroup = (size_t)s->lanes.ngroup + 1;
    *out = NULL;
    if (!(s->base.fast & VG_FAST_LINES) || vg_native_has_crowd(s->base.model)) return VG_OK;
    if (s->lanes.ngroup == 0 || s->nunit || s->any_level > 0 || s->base.mixed || s->chart->nq != 7 ||
        s->chart->nv != 6)
        return VG_OK;
    Search x = {
        .s = s, .held = calloc(nbody, 1), .count = calloc(nbody, sizeof(int)), .usable = calloc(ngroup, 1)};
    vgLines *w = calloc(1, sizeof *w);
    vgStatus st = w && x.held && x.count && x.usable ? build(w, s, &x) : VG_NO_MEMORY;
    free(x.held);
    free(x.count);
    free(x.usable);
    if (st == VG_OK && w->nline > 0) {
        *out = w;
    } else {
        vg_lines_free(w);
    }
    return st;
}

void vg_lines_free(vgLines *w)
{
    if (!w) return;
    if (w->matrix.list) vg_abs_matrix_free(&w->matrix);
    vg_arena_free(&w->arena);
    free(w);
}

size_t vg_lines_memory(const vgLines *w)
{
    return w ? sizeof *w + w->arena.size + vg_lin_memory(w->matrix.lin) : 0;
}

/* ---- the increment ---- */

/* The state of a body of the matrix by its Δ, into the stage's own arrays. */
static void state_of(const vgLinePoint *x, const vgAbsBody *b)
{
    const vgAffine *s = x->s;
    double none[6], *rate = s->delta_dot ? s->delta_dot + b->v0 : none;
    double *q = s->q + b->q0, *v = s->v + b->v0, *a = s->a + b->v0;
    if (b->rotates) {
        vg_line_state(x, b->q0, b->v0, q, v, a, rate);
        return;
    }
    for (int i = 0; i < b->nv; i++) {
        const double d = s->delta[b->v0 + i] - s->dhat[b->v0 + i], v_hat = s->vhat[b->v0 + i];
        q[i] = s->q_r[b->q0 + i] + s->delta[b->v0 + i];
        rate[i] = s->cv * d;
        v[i] = s->map == VG_STAGE_FIRST ? rate[i] : v_hat + rate[i];
        a[i] = s->map == VG_STAGE_FIRST ? s->cv * (v[i] - v_hat) : s->ca * d;
    }
}

/* Residual and matrix of what is not in lines; the right sides into the matrix's vector. */
static void fill_rest(const vgAbs *s, vgAbsWork *w, const vgLinePoint *x)
{
    vgMatrix *m = &w->lines->matrix;
    const vgTangent *p = x->p;
    for (int k = 0; k < m->nlist; k++) {
        const int i = m->list[k];
        if (x->s) state_of(x, &s->body[i]);
        vg_abs_kin_of(s, w, i, p->q, p->v, p->a);
        vg_abs_inertia_of(s, w, i, 1, w->native);
        for (int c = s->body[i].v0; c < s->body[i].v0 + s->body[i].nv; c++)
            x->acc[s->scale[c] == 1] = fmax(x->acc[s->scale[c] == 1], fabs(p->a[c]));
    }
    vg_native_measures(&w->native_motion, 2);
    vg_abs_lanes_add(s, w, m, x->c2, 1, w->native);
    w->filled = m, w->ahead_c2 = x->c2, w->ahead_one = 1;
    vg_native_forces(&w->native_motion, p->t, w->native);
    vg_native_constraint_forces(&w->native_motion, p->t, p->lambda, w->native, w->lam);
    vg_native_prims(&w->native_motion, p->t, VG_PRIM_GRADIENT);
    vg_abs_fill(s, w, m, p);
    for (int k = 0; k < m->nlist; k++) {
        const vgAbsBody *b = &s->body[m->list[k]];
        const double *n = w->native + 6 * m->list[k];
        for (int i = 0; i < b->nv; i++) m->x[m->v_offset[m->list[k]] + i] = -x->c2 * n[b->select.at[i]];
    }
    for (int r = 0; r < s->base.nl; r++)
        if (m->row_at[r] >= 0) m->x[m->row_at[r]] = -w->lam[r];
}

/* The increment of the bodies of the matrix; the largest that constraints may see. */
static double move_rest(const vgAbs *s, const vgMatrix *m, const vgLinePoint *x, double *x_v,
                        vgLineMost *most)
{
    double turned = 0, scale = 1 / s->base.length;
    for (int k = 0; k < m->nlist; k++) {
        const vgAbsBody *b = &s->body[m->list[k]];
        const double *from = m->x + m->v_offset[m->list[k]];
        memcpy(x_v + b->v0, from, (size_t)b->nv * sizeof *from);
        for (int i = 0; i < b->nv; i++) {
            const double unit = s->scale[b->v0 + i] == 1 ? 1 : scale;
            turned = fmax(turned, unit * fabs(from[i]));
        }
        if (!x->s) continue;
        if (b->rotates) {
            vg_line_move(x, b->v0, from, most);
            continue;
        }
        for (int i = 0; i < b->nv; i++) {
            double *delta = x->s->delta + b->v0 + i;
            const int kind = s->scale[b->v0 + i] == 1;
            *delta += from[i];
            most->x[kind] = fmax(most->x[kind], fabs(from[i]));
            most->bad += from[i] * 0;
        }
    }
    return turned;
}

vgStatus vg_abs_lines_increment(const vgAbs *s, vgAbsWork *w, const vgTangent *p, const vgAffine *affine,
                                double *x_v, double *x_l, vgIteration *out)
{
    vgLines *lines = w->lines;
    vgMatrix *m = &lines->matrix;
    double acc[2] = {0, 0};
    const vgLinePoint x = {.p = p,
                           .acc = acc,
                           .s = affine,
                           .chart = s->chart,
                           .kin = w->kin,
                           .g = s->base.model->gravity,
                           .c1 = p->cv / p->ca,
                           .c2 = 1 / p->ca,
                           .turning = p->map != VG_STAGE_PLAIN && !s->base.vector_space};
    w->base.taken |= VG_FAST_LINES;
    fill_rest(s, w, &x);
    for (int i = 0; i < lines->nline; i++) {
        const vgLine *l = &lines->line[i];
        double *at_tip = l->tip < 0 ? NULL : m->x + m->v_offset[l->tip];
        if (!vg_line_up(lines, l, &x, m->x + m->v_offset[l->root], at_tip)) return VG_LIMIT;
    }
    if (vg_abs_finish(&w->base, m, s->base.nv) != VG_OK) return VG_LIMIT;
    vg_lin_solve(m->lin, m->x);
    vgLineMost most = {0};
    const double turned = move_rest(s, m, &x, x_v, &most);
    for (int i = 0; i < lines->nline; i++) vg_line_down(lines, &lines->line[i], &x, x_v, &most);
    for (int r = 0; r < s->base.nl; r++) x_l[r] = m->row_at[r] >= 0 ? m->x[m->row_at[r]] : 0;
    const double scale = 1 / s->base.length;
    *out = (vgIteration){.norm = most.bad == 0 ? fmax(scale * most.x[0], most.x[1]) : NAN,
                         .acc = fmax(scale * acc[0], acc[1]),
                         .change = -1,
                         .open = turned * turned * s->base.reach};
    return VG_OK;
}

vgStatus vg_abs_lines_iterate(const vgAbs *s, vgAbsWork *w, const vgAffine *affine, vgIteration *out)
{
    if (affine->more && w->lines->ngroup < ALWAYS) return VG_LIMIT;
    const vgTangent p = {.t = affine->t,
                         .q = affine->q,
                         .v = affine->v,
                         .a = affine->a,
                         .lambda = affine->lambda,
                         .cv = affine->cv,
                         .ca = affine->ca,
                         .map = affine->map,
                         .delta = affine->delta,
                         .delta_dot = affine->delta_dot};
    vgStatus st = vg_abs_lines_increment(s, w, &p, affine, affine->x, w->lam, out);
    for (int r = 0; r < s->base.nl && st == VG_OK; r++) affine->lambda[r] += affine->ca * w->lam[r];
    return st;
}

void vg_abs_lines_again(const vgAbs *s, vgAbsWork *w, double *x_v, double *x_l)
{
    vgLines *lines = w->lines;
    vgMatrix *m = &lines->matrix;
    const vgLinePoint x = {.bare = 1};
    vgLineMost most = {0};
    for (int k = 0; k < m->nlist; k++)
        memset(m->x + m->v_offset[m->list[k]], 0, (size_t)s->body[m->list[k]].nv * sizeof *m->x);
    for (int r = 0; r < s->base.nl; r++)
        if (m->row_at[r] >= 0) m->x[m->row_at[r]] = x_l[r];
    vg_lin_solve(m->lin, m->x);
    move_rest(s, m, &x, x_v, &most);
    for (int i = 0; i < lines->nline; i++) vg_line_down(lines, &lines->line[i], &x, x_v, &most);
    for (int r = 0; r < s->base.nl; r++) x_l[r] = m->row_at[r] >= 0 ? m->x[m->row_at[r]] : 0;
}
