/* Nested dissection in the elimination order: factors of lattices grow as theory allows, and the solution is that of another order. */
#include <math.h>
#include <stdlib.h>

#include "linalg/graphs.h"
#include "test.h"

/* n × n × n nodes (planar: n × n) of `size` rows, coupled to their neighbours. */
static graph lattice(int n, int planar, int size)
{
    const int deep = planar ? 1 : n;
    graph g = {0};
    for (int i = 0; i < n * n * deep; i++) graph_node(&g, size, 0);
    for (int i = 0; i < n * n * deep; i++) {
        if (i % n + 1 < n) graph_edge(&g, i, i + 1, 0);
        if (i / n % n + 1 < n) graph_edge(&g, i, i + n, 0);
        if (i / n / n + 1 < deep) graph_edge(&g, i, i + n * n, 0);
    }
    return g;
}

static double entries(graph g, vgLinBackend backend)
{
    vgLin *lin = NULL;
    CHECK_INT(vg_lin_new(g.nnode, g.nodes, g.nedge, g.edges, backend, &lin), VG_OK);
    const double n = (double)vg_lin_factor_size(lin);
    vg_lin_free(lin);
    graph_free(&g);
    return n;
}

/* George 1973, Lipton and Tarjan 1979: N^(4/3) entries for large cubes of N nodes, N log N for squares. Cubes of these sizes
 * grow a little faster, as N^1.44, and as N^1.56 by minimum degree. */
TEST(factors_of_lattices_grow_as_those_of_nested_dissection)
{
    const double cube = entries(lattice(16, 0, 6), VG_LIN_FRONTS) / entries(lattice(8, 0, 6), VG_LIN_FRONTS);
    CHECK(log(cube) / log(8) < 1.5);
    const double square =
        entries(lattice(96, 1, 6), VG_LIN_FRONTS) / entries(lattice(48, 1, 6), VG_LIN_FRONTS);
    CHECK(square < 4 * log(96) / log(48) * 1.1);
}

/* The sparse backend orders by AMD. Two lattices that are not connected are in it, and a node by itself. */
TEST(dissected_lattices_have_the_solution_of_another_order)
{
    graph g = lattice(7, 0, 6);
    const int n = g.nnode;
    for (int e = 0, ne = g.nedge; e < ne; e++) {
        if (e == 0)
            for (int i = 0; i <= n; i++) graph_node(&g, 6, 0);
        graph_edge(&g, g.edges[e].i + n, g.edges[e].j + n, 0);
    }
    double *x[2];
    const uint64_t seed = random_state;
    for (int k = 0; k < 2; k++) {
        vgLin *lin = NULL;
        CHECK_INT(vg_lin_new(g.nnode, g.nodes, g.nedge, g.edges, k ? VG_LIN_SPARSE : VG_LIN_FRONTS, &lin),
                  VG_OK);
        random_state = seed;
        graph_fill(&g, lin, 0);
        x[k] = malloc((size_t)vg_lin_size(lin) * sizeof(double));
        for (int i = 0; i < vg_lin_size(lin); i++) x[k][i] = random_unit();
        CHECK_INT(vg_lin_factor(lin), VG_OK);
        vg_lin_solve(lin, x[k]);
        CHECK_INT(vg_lin_fallbacks(lin), 0);
        for (int i = 0; i < vg_lin_size(lin) && k; i++) CHECK_NEAR(x[0][i], x[1][i], 1e-9);
        vg_lin_free(lin);
    }
    free(x[0]);
    free(x[1]);
    graph_free(&g);
}

TEST_MAIN(factors_of_lattices_grow_as_those_of_nested_dissection,
          dissected_lattices_have_the_solution_of_another_order)
