/* Graphs of mechanisms with random blocks, for the tests and the benchmark of linear systems. */
#ifndef VERGE_TESTS_LINALG_GRAPHS_H
#define VERGE_TESTS_LINALG_GRAPHS_H

#include <stdint.h>
#include <stdlib.h>

#include "linalg/lin/lin.h"

typedef struct graph {
    int nnode, nedge;
    vgLinNode *nodes;
    vgLinEdge *edges;
} graph;

static uint64_t random_state = 88172645463325252u;

static inline double random_unit(void) /* (-1, 1), xorshift64 */
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (double)(random_state >> 11) * 0x1p-52 - 1;
}

static inline int random_below(int n)
{
    return (int)((random_unit() + 1) * 0.5 * n) % n;
}

static inline int graph_node(graph *g, int size, int dual)
{
    g->nodes = realloc(g->nodes, ((size_t)g->nnode + 1) * sizeof *g->nodes);
    g->nodes[g->nnode] = (vgLinNode){.size = size, .dual = dual};
    return g->nnode++;
}

static inline void graph_edge(graph *g, int i, int j, int mirror)
{
    g->edges = realloc(g->edges, ((size_t)g->nedge + 1) * sizeof *g->edges);
    g->edges[g->nedge++] = (vgLinEdge){i, j, mirror};
}

/* A joint of some rows between two bodies (b < 0: the ground). */
static inline int graph_joint(graph *g, int rows, int a, int b, int mirror)
{
    int joint = graph_node(g, rows, 1);
    graph_edge(g, joint, a, mirror);
    if (b >= 0) graph_edge(g, joint, b, mirror);
    return joint;
}

static inline void graph_free(graph *g)
{
    free(g->nodes);
    free(g->edges);
    *g = (graph){0};
}

/* Bodies in a row, each joined to the one before, the first to the ground. */
static inline graph graph_chain(int n, int size, int rows, int mirror)
{
    graph g = {0};
    for (int i = 0; i < n; i++) graph_node(&g, size, 0);
    for (int i = 0; i < n; i++) graph_joint(&g, rows, i, i - 1, mirror);
    return g;
}

/* Seven planar bodies and ten revolute joints, the topology of Andrews' squeezer: 41 rows, 1 freedom. */
static inline graph graph_squeezer(int mirror)
{
    static const int joints[10][2] = {{0, -1}, {0, 1},  {1, 2}, {2, -1}, {1, 3},
                                      {3, 4},  {4, -1}, {1, 5}, {5, 6},  {6, -1}};
    graph g = {0};
    for (int i = 0; i < 7; i++) graph_node(&g, 3, 0);
    for (int i = 0; i < 10; i++) graph_joint(&g, 2, joints[i][0], joints[i][1], mirror);
    return g;
}

/* nx × ny bodies, a joint between neighbours, the corner on the ground: many loops. */
static inline graph graph_grid(int nx, int ny, int size, int rows)
{
    graph g = {0};
    for (int i = 0; i < nx * ny; i++) graph_node(&g, size, 0);
    graph_joint(&g, rows, 0, -1, 1);
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            if (x > 0) graph_joint(&g, rows, y * nx + x, y * nx + x - 1, 1);
            if (y > 0) graph_joint(&g, rows, y * nx + x, (y - 1) * nx + x, 1);
        }
    return g;
}

/* Random blocks: bodies positive definite with an unsymmetric part, or indefinite; duals zero. */
static inline void graph_fill(const graph *g, vgLin *lin, int indefinite)
{
    size_t nvalue;
    double *values = vg_lin_values(lin, &nvalue);
    for (size_t i = 0; i < nvalue; i++) values[i] = 0;
    for (int k = 0; k < g->nnode; k++) {
        double *d = vg_lin_block(lin, k, k);
        int s = g->nodes[k].size;
        if (g->nodes[k].dual) continue;
        double scale = 1 + 10 * (random_unit() + 1);
        for (int i = 0; i < s; i++)
            for (int j = 0; j < s; j++)
                d[i * s + j] = (i == j ? (indefinite && i % 2 ? -2.0 : 2.0) * s : random_unit()) * scale;
    }
    for (int e = 0; e < g->nedge; e++) {
        int i = g->edges[e].i, j = g->edges[e].j, n = g->nodes[i].size * g->nodes[j].size;
        double *ij = vg_lin_block(lin, i, j), *ji = vg_lin_block(lin, j, i);
        for (int t = 0; t < n; t++) ij[t] = random_unit();
        if (!ji) continue;
        for (int r = 0; r < g->nodes[i].size; r++) /* nearly the transpose, as in a real system */
            for (int c = 0; c < g->nodes[j].size; c++)
                ji[c * g->nodes[i].size + r] = ij[r * g->nodes[j].size + c] + 0.1 * random_unit();
    }
}

#endif
