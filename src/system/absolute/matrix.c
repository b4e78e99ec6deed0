/* Absolute coordinates: the graph of the saddle matrix and the addresses of its blocks. */
#include "system/absolute/absolute.h"
#include "system/absolute/lines.h"
#include "system/setting/wrap.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/loose.h"

typedef struct Builder {
    const vgAbs *s;
    int native, exact;
    int nnode;
    vgLinNode *node;
    vgLinEdges edges;
    const vgLines *lines;
    const vgLinNode *hint; /* per joint: what was learnt about its elimination; NULL: nothing */
    int *body_node;        /* per body, −1: not in it */
    int *joint_node;       /* per joint, −1: no rows */
    int *unit_node;        /* per body */
    int *local_row;        /* per row of nl: row inside its node */
} Builder;

static int body_size(const Builder *b, int body)
{
    return b->native ? b->s->body[body].select.n : b->s->body[body].nv;
}

static vgStatus add_edge(Builder *b, int i, int j, int mirror)
{
    return vg_lin_edges_add(&b->edges, (vgLinEdge){i, j, mirror});
}

static size_t count_sides(const vgModel *m)
{
    size_t n = 0;
    for (int i = 0; i < m->nprim; i++) n += 2 * (size_t)vg_prim_terms(&m->prim[i]);
    return n;
}

/* Nodes: bodies, then joints with rows, then unit-length rows. */
static void make_nodes(Builder *b)
{
    const vgAbs *s = b->s;
    const vgModel *m = s->base.model;
    for (int i = 0; i < s->nbody; i++) {
        b->body_node[i] = b->lines && b->lines->hidden[i] ? -1 : b->nnode;
        if (b->body_node[i] >= 0) b->node[b->nnode++] = (vgLinNode){.size = body_size(b, i)};
    }
    for (int j = 0; j < m->njoint; j++) {
        int rows = 0;
        for (int r = m->joint[j].row0; r < m->joint[j].row0 + m->joint[j].nrow; r++) b->local_row[r] = rows++;
        b->joint_node[j] = rows ? b->nnode : -1;
        if (rows)
            b->node[b->nnode++] = (vgLinNode){.size = rows,
                                              .dual = 1,
                                              .pass = b->hint ? b->hint[j].pass : 0,
                                              .wait = b->hint ? b->hint[j].wait : 0};
    }
    for (int i = 0; i < s->nbody; i++) {
        b->unit_node[i] = -1;
        if (b->native || s->body[i].unit_row < 0) continue;
        b->local_row[s->body[i].unit_row] = 0;
        b->unit_node[i] = b->nnode;
        b->node[b->nnode++] = (vgLinNode){.size = 1, .dual = 1};
    }
}

/* An element is in the matrix where all its bodies are. */
static int is_in(const Builder *b, const vgForcePlace *pl)
{
    for (int u = 0; u < pl->nu; u++)
        if (b->body_node[pl->body[u]] < 0) return 0;
    return 1;
}

static vgStatus make_edges(Builder *b, const vgForcePlace *force)
{
    const vgModel *m = b->s->base.model;
    vgStatus st = VG_OK;
    for (int i = 0; i < m->nprim && st == VG_OK; i++) {
        const vgPrim *p = &m->prim[i];
        int bodies[2 * VG_PRIM_MAX_TERMS], n = vg_native_prim_bodies(m, p, bodies);
        for (int k = 0; k < n; k++) {
            if (bodies[k] < 0) continue;
            if (b->joint_node[p->joint] >= 0)
                st = add_edge(b, b->joint_node[p->joint], b->body_node[bodies[k]],
                              vg_native_joint_mirror(m, p->joint));
            for (int l = 0; b->exact && l < k; l++)
                if (bodies[l] >= 0 && bodies[l] != bodies[k])
                    st = add_edge(b, b->body_node[bodies[k]], b->body_node[bodies[l]], 0);
        }
    }
    for (int f = 0; f < m->nforce && st == VG_OK; f++)
        for (int u = 0; u < force[f].nu && is_in(b, &force[f]); u++)
            for (int v = 0; v < u; v++)
                st = add_edge(b, b->body_node[force[f].body[u]], b->body_node[force[f].body[v]], 0);
    for (int i = 0; b->lines && i < b->lines->nline && st == VG_OK; i++) {
        const vgLine *l = &b->lines->line[i];
        if (l->tip >= 0) st = add_edge(b, b->body_node[l->root], b->body_node[l->tip], 0);
    }
    for (int i = 0; i < b->s->nbody && st == VG_OK; i++)
        if (b->unit_node[i] >= 0) st = add_edge(b, b->unit_node[i], b->body_node[i], 1);
    return st;
}

static void place_prims(const Builder *b, vgMatrix *out)
{
    const vgModel *m = b->s->base.model;
    vgSide *next = out->side;
    for (int i = 0; i < m->nprim; i++) {
        const vgPrim *p = &m->prim[i];
        vgPrimPlace *pl = &out->place[i];
        int node = b->joint_node[p->joint], bodies[2 * VG_PRIM_MAX_TERMS];
        pl->nside = vg_native_prim_bodies(m, p, bodies);
        pl->side = next;
        next += pl->nside;
        int first = -1;
        for (int r = 0; r < p->rows; r++) {
            if (b->local_row[p->row + r] < 0) continue;
            if (first < 0) first = b->local_row[p->row + r];
            pl->from[pl->nrow++] = r;
        }
        for (int k = 0; k < pl->nside; k++) {
            vgSide *sd = &pl->side[k];
            sd->body = bodies[k];
            if (bodies[k] < 0 || pl->nrow == 0) continue;
            const int body = b->body_node[bodies[k]];
            sd->row = vg_lin_block(out->lin, node, body) + (size_t)first * (size_t)body_size(b, bodies[k]);
            double *col = vg_lin_block(out->lin, body, node);
            sd->col = col ? col + first : NULL;
            sd->ldcol = b->node[node].size;
        }
        if (b->exact && p->nterm == 0 && p->a >= 0 && p->b >= 0) {
            out->cross[2 * i] = vg_lin_block(out->lin, b->body_node[p->a], b->body_node[p->b]);
            out->cross[2 * i + 1] = vg_lin_block(out->lin, b->body_node[p->b], b->body_node[p->a]);
        }
    }
}

static vgStatus place_all(const Builder *b, vgMatrix *out)
{
    const vgAbs *s = b->s;
    const vgModel *m = s->base.model;
    for (int i = 0; i < s->nbody; i++) {
        const int node = out->node[i] = b->body_node[i];
        if (node < 0) continue;
        out->list[out->nlist++] = i;
        out->diag[i] = vg_lin_block(out->lin, node, node);
        out->v_offset[i] = vg_lin_offset(out->lin, node);
        if (b->unit_node[i] >= 0) out->unit[i] = vg_lin_block(out->lin, b->unit_node[i], node);
    }
    place_prims(b, out);
    if (vg_abs_lanes_place(s, out) != VG_OK) return VG_NO_MEMORY;
    for (int f = 0; f < m->nforce; f++) {
        vgForcePlace *pl = &out->force[f];
        if (!is_in(b, pl)) continue;
        pl->block = malloc((size_t)(pl->nu * pl->nu + 1) * sizeof *pl->block);
        if (!pl->block) return VG_NO_MEMORY;
        for (int u = 0; u < pl->nu; u++)
            for (int v = 0; v < pl->nu; v++)
                pl->block[u * pl->nu + v] =
                    vg_lin_block(out->lin, b->body_node[pl->body[u]], b->body_node[pl->body[v]]);
    }
    for (int i = 0; i < vg_lin_size(out->lin); i++) out->row_of[i] = -1;
    for (int r = 0; r < s->base.nl; r++) {
        out->row_at[r] = -1;
        if (b->local_row[r] < 0) continue;
        int joint = s->base.row_joint[r];
        int node = joint >= 0 ? b->joint_node[joint] : -1;
        if (joint < 0)
            for (int i = 0; i < s->nbody; i++)
                if (s->body[i].unit_row == r) node = b->unit_node[i];
        if (node < 0) continue;
        out->row_at[r] = vg_lin_offset(out->lin, node) + b->local_row[r];
        out->row_of[out->row_at[r]] = r;
    }
    return VG_OK;
}

vgStatus vg_abs_matrix_new(const vgAbs *s, int native, int exact, const vgLines *lines, const vgLinNode *hint,
                           vgMatrix *out)
{
    const vgModel *m = s->base.model;
    memset(out, 0, sizeof *out);
    out->native = native;
    out->nforce = m->nforce;
    out->skip = lines ? lines->in_line : NULL;
    size_t nb = (size_t)s->nbody + 1, np = (size_t)m->nprim + 1, nl = (size_t)s->base.nl + 1,
           nj = (size_t)m->njoint + 1;
    Builder b = {.s = s, .native = native, .exact = exact, .lines = lines, .hint = hint};
    b.node = calloc(2 * nb + nj, sizeof *b.node);
    b.body_node = calloc(nb, sizeof(int));
    b.joint_node = calloc(nj, sizeof(int));
    b.unit_node = calloc(nb, sizeof(int));
    b.local_row = malloc(nl * sizeof(int));
    out->diag = calloc(nb, sizeof *out->diag);
    out->place = calloc(np, sizeof *out->place);
    out->side = calloc(count_sides(m) + 1, sizeof *out->side);
    out->cross = calloc(2 * np, sizeof *out->cross);
    out->force = calloc((size_t)m->nforce + 1, sizeof *out->force);
    out->unit = calloc(nb, sizeof *out->unit);
    out->v_offset = calloc(nb, sizeof(int));
    out->list = calloc(nb, sizeof(int));
    out->node = calloc(nb, sizeof(int));
    out->row_at = calloc(nl, sizeof(int));
    vgStatus st = b.node && b.body_node && out->list && out->node && b.joint_node && b.unit_node &&
                          b.local_row && out->diag && out->place && out->side && out->cross && out->force &&
                          out->unit && out->v_offset && out->row_at
                      ? VG_OK
                      : VG_NO_MEMORY;
    if (st == VG_OK) {
        memset(b.local_row, -1, nl * sizeof(int));
        for (int f = 0; f < m->nforce; f++) vg_native_force_union(m, f, &out->force[f]);
        make_nodes(&b);
        st = make_edges(&b, out->force);
    }
    if (st == VG_OK)
        st = vg_lin_new(b.nnode, b.node, b.edges.n, b.edges.edge, vg_native_backend(m), &out->lin);
    if (st == VG_OK) {
        size_t n = (size_t)vg_lin_size(out->lin) + 1;
        out->row_of = calloc(n, sizeof(int));
        out->x = calloc(n, sizeof(double));
        st = out->row_of && out->x ? place_all(&b, out) : VG_NO_MEMORY;
    }
    double most = 0;
    for (int f = 0; f < m->nforce; f++)
        if (m->force[f].kind->crowd) most += m->force[f].kind->crowd->most(m->force[f].def, 1);
    if (st == VG_OK && most > 0)
        st = vg_loose_new(out->lin, out->nlist, most < INT_MAX ? (int)most : INT_MAX, &out->loose);
    free(b.node);
    free(b.edges.edge);
    free(b.body_node);
    free(b.joint_node);
    free(b.unit_node);
    free(b.local_row);
    if (st != VG_OK) vg_abs_matrix_free(out);
    return st;
}

/* Adds what an elimination of [M Bᵀ; B 0] at the motion that the user gave shows of the joints. */
static vgStatus learn(const vgAbs *s, vgAbsWork *w, const vgKin *kin, double *q, vgLinNode *found, int *news)
{
    vgTangent at = {.q = q, .v = q + s->base.nq, .a = w->zero, .lambda = w->lam, .mass = 1};
    vgSaddle saddle;
    *news = 0;
    if (s->base.ops->from_native(&s->base, kin, q, q + s->base.nq) != VG_OK ||
        vg_abs_assemble(&s->base, &w->base, &at, &saddle) != VG_OK)
        return VG_OK;
    vgStatus st = vg_lin_learn(saddle.lin, found, news);
    for (int r = 0; *news && r < s->base.nl; r++) {
        int joint = s->base.row_joint[r];
        if (joint < 0 || saddle.row_at[r] < 0) continue;
        vgLinNode *node = &found[vg_lin_node(saddle.lin, saddle.row_at[r])];
        w->hint[joint].pass += node->pass;
        w->hint[joint].wait += node->wait;
        *node = (vgLinNode){0};
    }
    return st;
}

/* Rows that are passed on may be passed to where there is no room for them either. */
enum { LEARN_ROUNDS = 24 };

/* An order of elimination in which no pivot block is singular at the start. */
static vgStatus learn_order(const vgAbs *s, vgAbsWork *w)
{
    const vgModel *m = s->base.model;
    const double *turn = w->base.turn;
    size_t nnode = 2 * (size_t)s->nbody + (size_t)m->njoint + 1;
    vgKin *kin = calloc((size_t)m->nbody + 1, sizeof *kin);
    double *q = calloc((size_t)(s->base.nq + s->base.nv + m->nturn) + 1, sizeof *q);
    vgLinNode *found = calloc(nnode, sizeof *found);
    vgStatus st = kin && q && found ? VG_OK : VG_NO_MEMORY;
    if (st == VG_OK) {
        vg_wrap_start(m, kin);
        w->base.turn = q + s->base.nq + s->base.nv;
    }
    /* Without a node of which some rows are weak and others not, weakness is a matter of masses, which the
     * stiffness of the step's matrix may mend; and where there are redundant rows no order helps. */
    for (int round = 0, some = 0, news = 1; st == VG_OK && news; round++) {
        st = learn(s, w, kin, q, found, &news);
        if (st != VG_OK || !news) break;
        for (int j = 0; j < m->njoint; j++) some |= w->hint[j].pass > 0;
        int last = !some || round >= LEARN_ROUNDS;
        if (last) memset(w->hint, 0, (size_t)m->njoint * sizeof *w->hint);
        vg_abs_matrix_free(&w->main);
        st = vg_abs_matrix_new(s, 0, 0, NULL, w->hint, &w->main);
        w->native_motion.force = w->main.force;
        if (last) break;
    }
    w->base.turn = turn;
    w->filled = NULL;
    free(kin);
    free(q);
    free(found);
    return st;
}

vgStatus vg_abs_matrices(const vgAbs *s, vgAbsWork *w)
{
    vgStatus st = VG_OK;
    if (!w->main.lin) {
        st = vg_abs_matrix_new(s, 0, 0, NULL, w->hint, &w->main);
        w->native_motion.force = w->main.force;
        w->native_motion.lanes = s->lanes.ngroup ? &s->lanes : NULL;
        if (st == VG_OK && !w->sweep && s->base.second_order && s->base.may_repeat) st = learn_order(s, w);
    }
    if (st == VG_OK && !s->all_simple && !w->nat.lin) st = vg_abs_matrix_new(s, 1, 0, NULL, w->hint, &w->nat);
    return st;
}

void vg_abs_matrix_free(vgMatrix *m)
{
    vg_loose_free(m->loose);
    vg_lin_free(m->lin);
    for (int f = 0; m->force && f < m->nforce; f++) free(m->force[f].block);
    free(m->diag);
    free(m->place);
    free(m->side);
    free(m->cross);
    free(m->force);
    free(m->lane);
    free(m->fresh);
    free(m->clear);
    free(m->unit);
    free(m->v_offset);
    free(m->list);
    free(m->node);
    free(m->row_at);
    free(m->row_of);
    free(m->x);
    memset(m, 0, sizeof *m);
}
