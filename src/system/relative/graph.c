/* Relative coordinates: the graph of the explicit stage matrix and the addresses of its blocks. */
#include <stdlib.h>
#include <string.h>

#include "system/relative/tangent.h"

enum { MAX_NODE = 12 };

/* ---- which coordinates close loops ---- */

/* Coordinates of the joints between the two links (−1: ground) are those a closing row depends on; of one
 * link alone, those between it and the ground. Returns how many. */
static int mark_closing(vgTree *s, int a, int b)
{
    int count = 0;
    if (a == b) b = -1;
    while (a != b) { /* links are numbered from the ground outwards */
        int i = a > b ? a : b;
        for (int k = s->link[i].v0; k < s->link[i].v0 + s->link[i].nv; k++) s->closes[k] = 1 / s->scale[k];
        count += s->link[i].nv;
        if (i == a)
            a = s->link[i].parent;
        else
            b = s->link[i].parent;
    }
    return count;
}

void vg_tree_mark_closing(vgTree *s)
{
    const vgModel *m = s->base.model;
    s->base.row_entries = 1;
    for (int p = 0; p < m->nprim; p++) {
        int body[2 * VG_PRIM_MAX_TERMS], n = s->closure[p] ? vg_native_prim_bodies(m, &m->prim[p], body) : 0;
        int entries = 0;
        for (int k = 0; k < n; k += 2)
            entries += mark_closing(s, body[k] < 0 ? -1 : s->link_of[body[k]],
                                    body[k + 1] < 0 ? -1 : s->link_of[body[k + 1]]);
        if (entries > s->base.row_entries) s->base.row_entries = entries;
    }
    if (s->base.nl > 0) s->base.v_closes = s->closes;
}

/* ---- the graph ---- */

typedef struct Graph {
    const vgTree *s;
    vgTreeMatrix *m;
    unsigned char *edge; /* nnode × nnode */
} Graph;

static vgStatus make_nodes(const vgTree *s, vgTreeMatrix *m, vgLinNode *node)
{
    int *kids = calloc((size_t)s->nlink + 1, sizeof(int)); /* links with coordinates that follow */
    if (!kids) return VG_NO_MEMORY;
    for (int i = 0; i < s->nlink; i++) {
        m->depth[i] = s->link[i].parent < 0 ? 0 : m->depth[s->link[i].parent] + 1;
        if (s->link[i].parent >= 0) kids[s->link[i].parent]++;
    }
    for (int i = 0; i < s->nlink; i++) {
        const vgLink *l = &s->link[i];
        int p = l->parent;
        m->node[i] = -1;
        if (l->nv == 0) continue;
        if (p >= 0 && m->node[p] >= 0 && kids[p] == 1 && node[m->node[p]].size + l->nv <= MAX_NODE) {
            m->node[i] = m->node[p];
        } else {
            m->node[i] = m->nnode;
            node[m->nnode++] = (vgLinNode){.dual = 0};
        }
        m->off[i] = node[m->node[i]].size;
        node[m->node[i]].size += l->nv;
    }
    free(kids);
    return VG_OK;
}

static void make_duals(const vgTree *s, vgTreeMatrix *m, vgLinNode *node)
{
    const vgModel *mo = s->base.model;
    for (int j = 0; j < mo->njoint; j++) {
        int rows = 0, level = 0;
        m->joint_node[j] = -1;
        for (int p = mo->joint[j].prim0; p < mo->joint[j].prim0 + mo->joint[j].nprim; p++) {
            if (!s->closure[p]) continue;
            if (mo->prim[p].level > level) level = mo->prim[p].level;
            for (int r = 0; r < mo->prim[p].rows; r++) {
                int row = s->model_row[mo->prim[p].row + r];
                m->local_row[row] = rows++;
            }
        }
        if (!rows) continue;
        m->joint_node[j] = m->nnode;
        m->mirror[m->nnode] = level == 0;
        m->dual[m->nnode] = 1;
        node[m->nnode++] = (vgLinNode){.size = rows, .dual = 1};
    }
}

static void mark(Graph *g, int a, int b)
{
    if (a >= 0 && b >= 0 && a != b) g->edge[(size_t)a * (size_t)g->m->nnode + (size_t)b] = 1;
}

/* All pairs of the paths above links u and v (−1: ground). */
static void mark_pair(Graph *g, int u, int v)
{
    for (int i = u; i >= 0; i = g->s->link[i].parent)
        for (int j = v; j >= 0; j = g->s->link[j].parent) {
            mark(g, g->m->node[i], g->m->node[j]);
            mark(g, g->m->node[j], g->m->node[i]);
        }
}

static void mark_rows(Graph *g, int node, int u, int v)
{
    int side, i;
    if (u == v) v = -1;
    while ((i = vg_tree_step_up(g->s, g->m, &u, &v, &side)) >= 0) mark(g, node, g->m->node[i]);
}

static void make_edges(Graph *g, const vgForcePlace *force)
{
    const vgTree *s = g->s;
    const vgModel *mo = s->base.model;
    for (int i = 0; i < s->nlink; i++) mark_pair(g, i, i);
    for (int f = 0; f < mo->nforce; f++) {
        if (s->joint_force[f].v >= 0) continue;
        for (int u = 0; u < force[f].nu; u++)
            for (int v = 0; v < u; v++)
                mark_pair(g, s->link_of[force[f].body[u]], s->link_of[force[f].body[v]]);
    }
    for (int p = 0; p < mo->nprim; p++) {
        const vgPrim *pr = &mo->prim[p];
        if (!s->closure[p]) continue;
        int body[2 * VG_PRIM_MAX_TERMS];
        for (int n = vg_native_prim_bodies(mo, pr, body), k = 0; k < n; k += 2) {
            const int a = body[k], b = body[k + 1];
            mark_pair(g, vg_tree_link(s, a), vg_tree_link(s, b));
            if (g->m->joint_node[pr->joint] >= 0)
                mark_rows(g, g->m->joint_node[pr->joint], vg_tree_link(s, a), vg_tree_link(s, b));
        }
    }
}

static vgStatus make_lin(Graph *g, const vgLinNode *node)
{
    vgTreeMatrix *m = g->m;
    size_t n = (size_t)m->nnode, count = 0, at = 0;
    for (size_t i = 0; i < n * n; i++) count += g->edge[i];
    vgLinEdge *edge = malloc((count + 1) * sizeof *edge);
    if (!edge) return VG_NO_MEMORY;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            int dual = node[i].dual;
            if (!g->edge[i * n + j] || (!dual && j > i)) continue; /* primal pairs are marked both ways */
            edge[at++] = (vgLinEdge){(int)i, (int)j, dual ? m->mirror[i] : 0};
        }
    vgStatus st = vg_lin_new(m->nnode, node, (int)at, edge, VG_LIN_AUTO, &m->lin);
    free(edge);
    return st;
}

static void find_places(const vgTree *s, vgTreeMatrix *m, const vgLinNode *node)
{
    int n = m->nnode;
    for (int i = 0; i < n; i++) {
        m->size[i] = node[i].size;
        for (int j = 0; j < n; j++) m->block[(size_t)i * (size_t)n + (size_t)j] = vg_lin_block(m->lin, i, j);
    }
    for (int i = 0; i < vg_lin_size(m->lin); i++) m->row_of[i] = -1;
    for (int i = 0; i < s->nlink; i++)
        for (int k = 0; k < s->link[i].nv; k++)
            m->v_at[s->link[i].v0 + k] = vg_lin_offset(m->lin, m->node[i]) + m->off[i] + k;
    for (int r = 0; r < s->base.nl; r++) {
        m->row_at[r] = -1;
        if (m->local_row[r] < 0) continue;
        m->row_at[r] = vg_lin_offset(m->lin, m->joint_node[s->base.row_joint[r]]) + m->local_row[r];
        m->row_of[m->row_at[r]] = r;
    }
}

vgStatus vg_tree_matrix_new(const vgTree *s, vgTreeWork *w, vgTreeMatrix **out)
{
    const vgModel *mo = s->base.model;
    size_t nl = (size_t)s->nlink + 1, nj = (size_t)mo->njoint + 1, nr = (size_t)s->base.nl + 1;
    vgTreeMatrix *m = calloc(1, sizeof *m);
    if (!m) return VG_NO_MEMORY;
    vgLinNode *node = calloc(nl + nj, sizeof *node);
    Graph g = {.s = s, .m = m};
    m->node = calloc(nl, sizeof(int));
    m->off = calloc(nl, sizeof(int));
    m->depth = calloc(nl, sizeof(int));
    m->size = calloc(nl + nj, sizeof(int));
    m->mirror = calloc(nl + nj, 1);
    m->dual = calloc(nl + nj, 1);
    m->joint_node = calloc(nj, sizeof(int));
    m->local_row = calloc(nr, sizeof(int));
    m->row_at = calloc(nr, sizeof(int));
    m->v_at = calloc((size_t)s->base.nv + 1, sizeof(int));
    m->row_of = calloc((size_t)s->base.nv + nr, sizeof(int));
    m->x = calloc((size_t)s->base.nv + nr, sizeof(double));
    m->wrench = calloc(6 * nl, sizeof(double));
    m->F = calloc(6 * nl, sizeof(double));
    vgStatus st = node && m->node && m->off && m->depth && m->size && m->mirror && m->dual && m->joint_node &&
                          m->local_row && m->row_at && m->v_at && m->row_of && m->x && m->wrench && m->F
                      ? VG_OK
                      : VG_NO_MEMORY;
    if (st == VG_OK) st = make_nodes(s, m, node);
    if (st == VG_OK) {
        make_duals(s, m, node);
        size_t n = (size_t)m->nnode;
        g.edge = calloc(n * n + 1, 1);
        m->block = calloc(n * n + 1, sizeof *m->block);
        st = g.edge && m->block ? VG_OK : VG_NO_MEMORY;
    }
    if (st == VG_OK) st = vg_tree_near_find(s, w->force, &m->near);
    if (st == VG_OK) st = vg_tree_pairs_new(s, w->force, m->near, &m->pairs);
    if (st == VG_OK && m->nnode > 0) {
        make_edges(&g, w->force);
        st = make_lin(&g, node);
        if (st == VG_OK) find_places(s, m, node);
        if (st == VG_OK) st = vg_tree_near_place(m->near, s, m);
    }
    free(g.edge);
    free(node);
    if (st != VG_OK) {
        vg_tree_matrix_free(m);
        return st;
    }
    *out = m;
    return VG_OK;
}

void vg_tree_matrix_free(vgTreeMatrix *m)
{
    if (!m) return;
    if (m->lin) vg_lin_free(m->lin);
    vg_tree_near_free(m->near);
    vg_tree_pairs_free(m->pairs);
    void *part[] = {m->dual,   m->node, m->off,    m->depth, m->size,  m->mirror, m->joint_node, m->local_row,
                    m->row_at, m->v_at, m->row_of, m->x,     m->block, m->wrench, m->F};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) free(part[i]);
    free(m);
}

size_t vg_tree_matrix_memory(const vgTreeMatrix *m)
{
    return m && m->lin ? vg_lin_memory(m->lin) + vg_tree_pairs_memory(m->pairs) + vg_tree_near_memory(m->near)
                       : 0;
}
