/* Natural coordinates: the graph of the saddle matrix and the addresses of its blocks.
 *
 * Graph nodes: the nodes that a body has alone, together; every shared node; the rigidity rows of a body that
 * touch its own nodes, together (the own nodes can carry them); other rigidity rows by the nodes they touch;
 * the rows of a joint. */
#include <stdlib.h>
#include <string.h>

#include "system/natural/natural.h"

typedef struct Builder {
    const vgNat *s;
    vgNatMatrix *out;
    int exact;
    int nnode;
    vgLinNode *node;
    vgLinEdges edges;
    int *row_node, *row_local; /* per row: graph node and row inside it, −1 inactive */
    int *joint_node;
} Builder;

static vgStatus add_edge(Builder *b, int i, int j, int mirror)
{
    if (i == j) return VG_OK;
    return vg_lin_edges_add(&b->edges, (vgLinEdge){i, j, mirror});
}

static void primal_nodes(Builder *b)
{
    const vgNat *s = b->s;
    vgNatMatrix *m = b->out;
    for (int i = 0; i < s->nbody; i++) {
        int own = -1;
        for (int k = 0; k < s->body[i].n; k++) {
            int node = s->body[i].item[k].node;
            if (node < 0 || s->node[node].users > 1) continue;
            if (own < 0) b->node[own = b->nnode++] = (vgLinNode){.dual = 0};
            m->node_lin[node] = own;
            m->node_at[node] = b->node[own].size;
            b->node[own].size += s->node[node].dim;
        }
    }
    for (int k = 0; k < s->nnode; k++) {
        if (s->node[k].users < 2) continue;
        m->node_lin[k] = b->nnode;
        b->node[b->nnode++] = (vgLinNode){.size = s->node[k].dim};
    }
}

/* Nodes of a row by atoms, each once. */
static int row_nodes(const vgNat *s, const vgNatRow *r, int out[4 * VG_NAT_PARTS])
{
    int n = 0, nterm = r->component >= 0 ? 1 : r->nterm;
    for (int t = 0; t < nterm; t++)
        for (int side = 0; side < 2; side++) {
            const vgNatAtom *a = &s->atom[side ? r->term[t].b : r->term[t].a];
            const vgNatPart *part = s->part + a->first;
            for (int i = 0; i < a->n; i++) {
                int known = 0;
                for (int k = 0; k < n; k++) known |= out[k] == part[i].node;
                if (!known) out[n++] = part[i].node;
            }
        }
    return n;
}

static int touches_own(const vgNat *s, const vgNatRow *r)
{
    int node[4 * VG_NAT_PARTS], n = row_nodes(s, r, node), own = 0;
    for (int k = 0; k < n; k++) own |= s->node[node[k]].users == 1;
    return own;
}

static int same_nodes(const vgNat *s, const vgNatRow *x, const vgNatRow *y)
{
    int a[4 * VG_NAT_PARTS], b[4 * VG_NAT_PARTS], n = row_nodes(s, x, a), same = 0;
    if (row_nodes(s, y, b) != n) return 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) same += a[i] == b[k];
    return same == n;
}

static void dual_nodes(Builder *b)
{
    const vgNat *s = b->s;
    for (int r = 0; r < s->base.nl; r++) {
        const vgNatRow *row = &s->row[r];
        b->row_node[r] = b->row_local[r] = -1;
        int node = -1;
        if (row->body < 0) {
            node = b->joint_node[s->row_joint[r]];
        } else {
            for (int k = r - 1; k >= 0 && s->row[k].body == row->body && node < 0; k--) {
                if (b->row_node[k] < 0) continue;
                int own = touches_own(s, row), other = touches_own(s, &s->row[k]);
                if (own != other || (!own && !same_nodes(s, row, &s->row[k]))) continue;
                node = b->row_node[k];
            }
        }
        if (node < 0) b->node[node = b->nnode++] = (vgLinNode){.dual = 1};
        if (row->body < 0) b->joint_node[s->row_joint[r]] = node;
        b->row_node[r] = node;
        b->row_local[r] = b->node[node].size++;
    }
}

static vgStatus couple(Builder *b, int x, int y)
{
    const vgNat *s = b->s;
    vgStatus st = VG_OK;
    if (x < 0 || y < 0) return VG_OK;
    for (int i = 0; i < s->body[x].n; i++)
        for (int j = 0; j < s->body[y].n && st == VG_OK; j++) {
            int k = s->body[x].item[i].node, l = s->body[y].item[j].node;
            if (k >= 0 && l >= 0) st = add_edge(b, b->out->node_lin[k], b->out->node_lin[l], 0);
        }
    return st;
}

static vgStatus row_edges(Builder *b, int r)
{
    const vgNat *s = b->s;
    const vgModel *m = s->base.model;
    const vgNatRow *row = &s->row[r];
    int node[4 * VG_NAT_PARTS], n = 0, mirror = vg_native_joint_mirror(m, s->row_joint[r]);
    vgStatus st = VG_OK;
    if (row->nterm > 0 || row->component >= 0) {
        n = row_nodes(s, row, node);
        for (int i = 0; i < n && st == VG_OK && b->row_node[r] >= 0; i++)
            st = add_edge(b, b->row_node[r], b->out->node_lin[node[i]], mirror);
        for (int i = 0; i < n && b->exact && row->component < 0; i++)
            for (int j = 0; j < i && st == VG_OK; j++)
                st = add_edge(b, b->out->node_lin[node[i]], b->out->node_lin[node[j]], 0);
        return st;
    }
    int bodies[2 * VG_PRIM_MAX_TERMS];
    n = vg_native_prim_bodies(m, &m->prim[row->prim], bodies);
    for (int i = 0; i < n; i++) {
        if (bodies[i] < 0) continue;
        const vgNatBody *nb = &s->body[bodies[i]];
        for (int k = 0; k < nb->n && st == VG_OK && b->row_node[r] >= 0; k++)
            if (nb->item[k].node >= 0)
                st = add_edge(b, b->row_node[r], b->out->node_lin[nb->item[k].node], mirror);
        if (b->exact && i % 2 && st == VG_OK) st = couple(b, bodies[i], bodies[i - 1]);
    }
    return st;
}

static vgStatus make_edges(Builder *b)
{
    const vgNat *s = b->s;
    vgStatus st = VG_OK;
    for (int i = 0; i < s->nmass && st == VG_OK; i++)
        st = add_edge(b, b->out->node_lin[s->mass[i].a], b->out->node_lin[s->mass[i].b], 0);
    for (int f = 0; f < s->base.model->nforce; f++)
        for (int u = 0; u < b->out->force[f].nu; u++)
            for (int v = 0; v <= u && st == VG_OK; v++)
                st = couple(b, b->out->force[f].body[u], b->out->force[f].body[v]);
    for (int r = 0; r < s->base.nl && st == VG_OK; r++) st = row_edges(b, r);
    return st;
}

/* ---- addresses ---- */

static vgSpot spot_of(const Builder *b, int x, int y)
{
    const vgNatMatrix *m = b->out;
    if (x < 0 || y < 0) return (vgSpot){NULL, 0};
    int i = m->node_lin[x], j = m->node_lin[y], size = b->node[j].size;
    double *block = vg_lin_block(m->lin, i, j);
    return (vgSpot){block ? block + m->node_at[x] * size + m->node_at[y] : NULL, size};
}

static double *row_spot(const Builder *b, int row, int node)
{
    const vgNatMatrix *m = b->out;
    int j = m->node_lin[node];
    return vg_lin_block(m->lin, b->row_node[row], j) + b->row_local[row] * b->node[j].size + m->node_at[node];
}

static void body_spots(const Builder *b, int x, int y, vgSpot *out, int ld)
{
    const vgNat *s = b->s;
    for (int i = 0; i < VG_NAT_NODES; i++)
        for (int j = 0; j < VG_NAT_NODES; j++)
            out[i * ld + j] = spot_of(b, i < s->body[x].n ? s->body[x].item[i].node : -1,
                                      j < s->body[y].n ? s->body[y].item[j].node : -1);
}

/* One entry for a spot of a row. */
static void add_stiff(vgNatMatrix *m, int row, int dim, vgWeight w, vgSpot spot)
{
    for (int i = m->nstiff - 1; i >= 0 && m->stiff[i].row == row; i--)
        if (m->stiff[i].spot.p == spot.p) {
            m->stiff[i].m.re += w.re;
            m->stiff[i].m.im += w.im;
            return;
        }
    m->stiff[m->nstiff++] = (vgNatStiff){row, dim, w, spot};
}

/* conj(wA) wB on (k, l) and its conjugate on (l, k), of every pair of parts of the two atoms */
static void place_stiffness(const Builder *b, int r)
{
    const vgNat *s = b->s;
    const vgNatRow *row = &s->row[r];
    for (int t = 0; t < row->nterm; t++) {
        const vgNatAtom *A = &s->atom[row->term[t].a], *B = &s->atom[row->term[t].b];
        for (int i = 0; i < A->n; i++)
            for (int j = 0; j < B->n; j++) {
                vgWeight w = vg_weight_times(vg_conj(s->part[A->first + i].w), s->part[B->first + j].w);
                w.re *= row->term[t].s, w.im *= row->term[t].s;
                int k = s->part[A->first + i].node, l = s->part[B->first + j].node, dim = s->node[k].dim;
                vgSpot kl = spot_of(b, k, l), lk = spot_of(b, l, k);
                if (!kl.p || !lk.p) continue;
                add_stiff(b->out, r, dim, w, kl);
                add_stiff(b->out, r, dim, vg_conj(w), lk);
            }
    }
}

static void place_gradient(const Builder *b, int r)
{
    const vgNat *s = b->s;
    const vgNatRow *row = &s->row[r];
    vgNatMatrix *m = b->out;
    if (row->component >= 0) { /* row `component` of the matrix of a weight */
        const vgNatAtom *A = &s->atom[row->term[0].a];
        for (int i = 0; i < A->n; i++) {
            double *p = row_spot(b, r, s->part[A->first + i].node);
            vgWeight w = s->part[A->first + i].w;
            m->fixed[m->nconst++] = (vgNatConst){p + row->component, w.re};
            if (w.im != 0 && row->component == 0) m->fixed[m->nconst++] = (vgNatConst){p + 1, -w.im};
            if (w.im != 0 && row->component == 1) m->fixed[m->nconst++] = (vgNatConst){p, w.im};
        }
        return;
    }
    for (int t = 0; t < row->nterm; t++) {
        int a = row->term[t].a, c = row->term[t].b;
        for (int side = 0; side < (a == c ? 1 : 2); side++) {
            const vgNatAtom *A = &s->atom[side ? c : a];
            for (int i = 0; i < A->n; i++) {
                int node = s->part[A->first + i].node;
                m->grad[m->ngrad++] = (vgNatGrad){.atom = side ? a : c,
                                                  .dim = s->node[node].dim,
                                                  .s = a == c ? 2 * row->term[t].s : row->term[t].s,
                                                  .w = vg_conj(s->part[A->first + i].w),
                                                  .p = row_spot(b, r, node)};
            }
        }
    }
}

static void place_stiffening(const Builder *b, int r)
{
    const vgNat *s = b->s;
    const vgNatRow *row = &s->row[r];
    int node[4 * VG_NAT_PARTS], n = row_nodes(s, row, node);
    if (row->body < 0 || row->sigma == 0) return;
    vgNatStiffen *st = &b->out->stiffen[b->out->nstiffen++];
    *st = (vgNatStiffen){.row = r, .n = n, .sigma = row->sigma};
    for (int i = 0; i < n; i++) {
        st->node[i] = node[i];
        st->g[i] = row_spot(b, r, node[i]);
        for (int j = 0; j < n; j++) st->spot[i][j] = spot_of(b, node[i], node[j]);
    }
}

static vgStatus place_native(const Builder *b, int i)
{
    const vgNat *s = b->s;
    const vgModel *mo = s->base.model;
    const vgPrim *p = &mo->prim[i];
    vgNatMatrix *m = b->out;
    vgNatPlace *pl = &m->place[i];
    int bodies[2 * VG_PRIM_MAX_TERMS], first = -1;
    pl->nside = vg_native_prim_bodies(mo, p, bodies);
    for (int r = 0; r < p->rows; r++) {
        int row = s->model_row[p->row + r];
        if (b->row_node[row] < 0) continue;
        if (first < 0) first = row;
        pl->from[pl->nrow++] = r;
    }
    for (int k = 0; k < pl->nside; k++) {
        vgNatSide *sd = &pl->side[k];
        sd->body = bodies[k];
        for (int j = 0; bodies[k] >= 0 && first >= 0 && j < s->body[bodies[k]].n; j++) {
            int node = s->body[bodies[k]].item[j].node, lin = node >= 0 ? m->node_lin[node] : -1;
            if (node < 0) continue;
            sd->row[j] = row_spot(b, first, node);
            sd->ldrow[j] = b->node[lin].size;
            double *col = vg_lin_block(m->lin, lin, b->row_node[first]);
            sd->ldcol = b->node[b->row_node[first]].size;
            if (col) sd->col[j] = col + m->node_at[node] * sd->ldcol + b->row_local[first];
        }
    }
    if (!b->exact) return VG_OK;
    pl->cross = calloc((size_t)(pl->nside / 2) * 32, sizeof *pl->cross);
    if (!pl->cross) return VG_NO_MEMORY;
    for (int k = 0; k + 1 < pl->nside; k += 2)
        if (bodies[k] >= 0 && bodies[k + 1] >= 0) {
            body_spots(b, bodies[k], bodies[k + 1], pl->cross + 16 * k, 4);
            body_spots(b, bodies[k + 1], bodies[k], pl->cross + 16 * k + 16, 4);
        }
    return VG_OK;
}

static vgStatus place_all(const Builder *b)
{
    const vgNat *s = b->s;
    const vgModel *mo = s->base.model;
    vgNatMatrix *m = b->out;
    vgStatus st = VG_OK;
    for (int i = 0; i < s->nmass; i++) {
        m->mass[2 * i] = spot_of(b, s->mass[i].a, s->mass[i].b);
        m->mass[2 * i + 1] = spot_of(b, s->mass[i].b, s->mass[i].a);
    }
    for (int i = 0; i < s->nbody; i++) body_spots(b, i, i, m->own + 16 * i, 4);
    for (int r = 0; r < s->base.nl; r++) {
        place_stiffness(b, r);
        if (b->row_node[r] < 0) continue;
        place_gradient(b, r);
        place_stiffening(b, r);
    }
    for (int i = 0; i < mo->nprim && st == VG_OK; i++)
        if (s->native_prim[i]) st = place_native(b, i);
    for (int f = 0; f < mo->nforce && st == VG_OK; f++) {
        const vgForcePlace *pl = &m->force[f];
        int ld = 4 * pl->nu;
        m->force_spot[f] = calloc((size_t)(ld * ld) + 1, sizeof(vgSpot));
        if (!m->force_spot[f]) return VG_NO_MEMORY;
        for (int u = 0; u < pl->nu; u++)
            for (int v = 0; v < pl->nu; v++)
                body_spots(b, pl->body[u], pl->body[v], m->force_spot[f] + 4 * u * ld + 4 * v, ld);
    }
    for (int k = 0; k < s->nnode; k++)
        for (int d = 0; d < s->node[k].dim; d++)
            m->v_at[s->node[k].at + d] = vg_lin_offset(m->lin, m->node_lin[k]) + m->node_at[k] + d;
    for (int i = 0; i < vg_lin_size(m->lin); i++) m->row_of[i] = -1;
    for (int r = 0; r < s->base.nl; r++) {
        m->row_at[r] = b->row_node[r] < 0 ? -1 : vg_lin_offset(m->lin, b->row_node[r]) + b->row_local[r];
        if (m->row_at[r] >= 0) m->row_of[m->row_at[r]] = r;
    }
    return st;
}

static vgStatus take_memory(Builder *b)
{
    const vgNat *s = b->s;
    const vgModel *mo = s->base.model;
    vgNatMatrix *m = b->out;
    size_t nn = (size_t)s->nnode + 1, nl = (size_t)s->base.nl + 1, nstiff = 1, ngrad = 1;
    for (int r = 0; r < s->base.nl; r++) {
        const vgNatRow *row = &s->row[r];
        if (row->component >= 0) ngrad += 2 * (size_t)s->atom[row->term[0].a].n;
        for (int t = 0; t < row->nterm; t++) {
            size_t na = (size_t)s->atom[row->term[t].a].n, nb = (size_t)s->atom[row->term[t].b].n;
            ngrad += na + nb;
            nstiff += 2 * na * nb;
        }
    }
    b->node = calloc(2 * nn + nl, sizeof *b->node);
    b->row_node = calloc(nl, sizeof(int));
    b->row_local = calloc(nl, sizeof(int));
    b->joint_node = malloc(((size_t)mo->njoint + 1) * sizeof(int));
    m->node_lin = calloc(nn, sizeof(int));
    m->node_at = calloc(nn, sizeof(int));
    m->row_at = calloc(nl, sizeof(int));
    m->mass = calloc(2 * (size_t)s->nmass + 1, sizeof *m->mass);
    m->stiff = calloc(nstiff, sizeof *m->stiff);
    m->grad = calloc(ngrad, sizeof *m->grad);
    m->fixed = calloc(ngrad, sizeof *m->fixed);
    m->stiffen = calloc(nl, sizeof *m->stiffen);
    m->place = calloc((size_t)mo->nprim + 1, sizeof *m->place);
    m->own = calloc(16 * (size_t)s->nbody + 1, sizeof *m->own);
    m->force = calloc((size_t)mo->nforce + 1, sizeof *m->force);
    m->force_spot = calloc((size_t)mo->nforce + 1, sizeof *m->force_spot);
    m->v_at = calloc((size_t)s->base.nv + 1, sizeof(int));
    return b->node && b->row_node && b->row_local && b->joint_node && m->node_lin && m->node_at &&
                   m->row_at && m->mass && m->stiff && m->grad && m->fixed && m->stiffen && m->place &&
                   m->own && m->force && m->force_spot && m->v_at
               ? VG_OK
               : VG_NO_MEMORY;
}

vgStatus vg_nat_matrix_new(const vgNat *s, int exact, vgNatMatrix *out)
{
    memset(out, 0, sizeof *out);
    Builder b = {.s = s, .out = out, .exact = exact};
    vgStatus st = take_memory(&b);
    if (st == VG_OK) {
        for (int j = 0; j < s->base.model->njoint; j++) b.joint_node[j] = -1;
        for (int f = 0; f < s->base.model->nforce; f++)
            vg_native_force_union(s->base.model, f, &out->force[f]);
        primal_nodes(&b);
        dual_nodes(&b);
        st = make_edges(&b);
    }
    if (st == VG_OK)
        st =
            vg_lin_new(b.nnode, b.node, b.edges.n, b.edges.edge, vg_native_backend(s->base.model), &out->lin);
    if (st == VG_OK) {
        size_t n = (size_t)vg_lin_size(out->lin) + 1;
        out->row_of = calloc(n, sizeof(int));
        out->x = calloc(n, sizeof(double));
        st = out->row_of && out->x ? place_all(&b) : VG_NO_MEMORY;
        if (st == VG_OK) st = vg_nat_constant(s, out);
    }
    free(b.node);
    free(b.edges.edge);
    free(b.row_node);
    free(b.row_local);
    free(b.joint_node);
    if (st != VG_OK) vg_nat_matrix_free(s, out);
    return st;
}

void vg_nat_matrix_free(const vgNat *s, vgNatMatrix *m)
{
    const vgModel *mo = s->base.model;
    vg_lin_free(m->lin);
    for (int i = 0; m->place && i < mo->nprim; i++) free(m->place[i].cross);
    for (int f = 0; m->force_spot && f < mo->nforce; f++) free(m->force_spot[f]);
    free(m->node_lin);
    free(m->node_at);
    free(m->row_at);
    free(m->row_of);
    free(m->constant);
    free(m->mass);
    free(m->stiff);
    free(m->grad);
    free(m->fixed);
    free(m->stiffen);
    free(m->place);
    free(m->own);
    free(m->force);
    free(m->force_spot);
    free(m->v_at);
    free(m->x);
    memset(m, 0, sizeof *m);
}
