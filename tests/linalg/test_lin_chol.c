/* The penalty form of saddle matrices: Cholesky's factorisation, dense and sparse, gives what the elimination
 * of the regularised saddle matrix gives, which shares no code with it. */
#include "base/alloc_count.h"
#include "linalg/graphs.h"
#include "linalg/lin/chol.h"
#include "test.h"

static double largest(const double *x, int n)
{
    double size = 0;
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i]) <= size)) size = fabs(x[i]);
    return size;
}

/* Makes the primal blocks symmetric; pairs of nodes become the mirror of each other. */
static void symmetrise(const graph *g, vgLin *lin)
{
    for (int k = 0; k < g->nnode; k++) {
        double *d = vg_lin_block(lin, k, k);
        int s = g->nodes[k].size;
        for (int i = 0; i < s; i++)
            for (int j = 0; j < i; j++) d[i * s + j] = d[j * s + i] = 0.5 * (d[i * s + j] + d[j * s + i]);
    }
    for (int e = 0; e < g->nedge; e++) {
        int i = g->edges[e].i, j = g->edges[e].j, si = g->nodes[i].size, sj = g->nodes[j].size;
        double *ij = vg_lin_block(lin, i, j), *ji = vg_lin_block(lin, j, i);
        for (int r = 0; ji && r < si; r++)
            for (int c = 0; c < sj; c++) ji[c * si + r] = ij[r * sj + c];
    }
}

/* −1/α on the dual diagonal. */
static void regularise(const graph *g, vgLin *lin, const double *alpha)
{
    for (int k = 0; k < g->nnode; k++) {
        double *d = vg_lin_block(lin, k, k);
        int s = g->nodes[k].size;
        for (int i = 0; i < s && g->nodes[k].dual; i++)
            d[i * (s + 1)] = -1 / alpha[vg_lin_offset(lin, k) + i];
    }
}

static void check_graph(graph g, int repeated)
{
    for (int way = VG_CHOL_DENSE; way <= VG_CHOL_SPARSE; way++) {
        vgLin *lin = NULL, *other = NULL;
        vgLinChol *chol = NULL;
        CHECK_INT(vg_lin_new(g.nnode, g.nodes, g.nedge, g.edges, VG_LIN_BLOCK, &lin), VG_OK);
        CHECK_INT(vg_lin_new(g.nnode, g.nodes, g.nedge, g.edges, VG_LIN_DENSE, &other), VG_OK);
        CHECK_INT(vg_lin_chol_new(lin, (vgLinCholWay)way, &chol), VG_OK);
        int n = vg_lin_size(lin);
        double *alpha = malloc((size_t)n * sizeof *alpha), *x = malloc((size_t)n * sizeof *x),
               *y = malloc((size_t)n * sizeof *y);
        for (int again = 0; again < 3; again++) {
            graph_fill(&g, lin, 0);
            symmetrise(&g, lin);
            if (repeated) { /* the second joint repeats the first */
                double *from = vg_lin_block(lin, g.edges[0].i, g.edges[0].j);
                double *to = vg_lin_block(lin, g.edges[1].i, g.edges[1].j);
                memcpy(to, from, (size_t)(g.nodes[g.edges[0].i].size * g.nodes[g.edges[0].j].size) * 8);
            }
            for (int i = 0; i < n; i++) {
                alpha[i] = 1e3 * (2 + random_unit());
                x[i] = y[i] = random_unit();
            }
            for (int i = 0; i < g.nnode; i++)
                for (int j = 0; j < g.nnode; j++) {
                    double *a = vg_lin_block(lin, i, j), *b = vg_lin_block(other, i, j);
                    if (a && b) memcpy(b, a, (size_t)(g.nodes[i].size * g.nodes[j].size) * sizeof *a);
                }
            regularise(&g, other, alpha);
            long before = alloc_count();
            CHECK_INT(vg_lin_chol_factor(chol, alpha), VG_OK);
            vg_lin_chol_solve(chol, x);
            CHECK_INT(alloc_count() - before, 0);
            CHECK_INT(vg_lin_factor(other), VG_OK);
            vg_lin_solve(other, y);
            for (int i = 0; i < n; i++) CHECK_NEAR(x[i], y[i], 1e-9 * largest(y, n));
        }
        CHECK_INT(vg_lin_chol_fallbacks(chol), 0);
        CHECK_INT(vg_lin_chol_bad_row(chol), -1);
        CHECK(vg_lin_chol_memory(chol) > 0);
        CHECK_STR(vg_lin_chol_name(chol), way == VG_CHOL_DENSE ? "dense Cholesky" : "sparse Cholesky");
        free(alpha);
        free(x);
        free(y);
        vg_lin_chol_free(chol);
        vg_lin_free(lin);
        vg_lin_free(other);
    }
    graph_free(&g);
}

TEST(equals_the_regularised_saddle_matrix)
{
    check_graph(graph_chain(1, 6, 3, 1), 0);
    check_graph(graph_chain(12, 6, 5, 1), 0);
    check_graph(graph_chain(9, 3, 2, 0), 0);
    check_graph(graph_squeezer(1), 0);
    check_graph(graph_squeezer(0), 0);
    check_graph(graph_grid(4, 3, 6, 3), 0);
}

/* Two joints with the same rows: the saddle matrix itself is singular, the penalty form is not. */
TEST(repeated_rows)
{
    graph g = {0};
    for (int i = 0; i < 2; i++) graph_node(&g, 6, 0);
    graph_joint(&g, 5, 0, -1, 1);
    graph_joint(&g, 5, 0, -1, 1);
    graph_joint(&g, 3, 1, 0, 1);
    check_graph(g, 1);
}

/* Not positive definite: the saddle matrix is eliminated instead, and says so. */
TEST(indefinite)
{
    graph g = graph_chain(5, 6, 2, 1);
    vgLin *lin = NULL;
    vgLinChol *chol = NULL;
    CHECK_INT(vg_lin_new(g.nnode, g.nodes, g.nedge, g.edges, VG_LIN_BLOCK, &lin), VG_OK);
    CHECK_INT(vg_lin_chol_new(lin, VG_CHOL_AUTO, &chol), VG_OK);
    int n = vg_lin_size(lin);
    double *alpha = malloc((size_t)n * sizeof *alpha), *x = malloc((size_t)n * sizeof *x),
           *b = malloc((size_t)n * sizeof *b), *r = malloc((size_t)n * sizeof *r);
    graph_fill(&g, lin, 1);
    for (int i = 0; i < n; i++) {
        alpha[i] = 50;
        x[i] = b[i] = random_unit();
    }
    CHECK_INT(vg_lin_chol_factor(chol, alpha), VG_OK);
    CHECK_INT(vg_lin_chol_fallbacks(chol), 1);
    vg_lin_chol_solve(chol, x);
    vg_lin_multiply(lin, x, r); /* the dual diagonal holds −1/α now */
    for (int i = 0; i < n; i++) CHECK_NEAR(r[i], b[i], 1e-10);
    free(alpha);
    free(x);
    free(b);
    free(r);
    vg_lin_chol_free(chol);
    vg_lin_free(lin);
    graph_free(&g);
}

/* A row on one body alone feels its mass: rows of unit length on a diagonal block m. */
TEST(row_mass)
{
    graph g = graph_chain(1, 3, 2, 1);
    vgLin *lin = NULL;
    vgLinChol *chol = NULL;
    CHECK_INT(vg_lin_new(g.nnode, g.nodes, g.nedge, g.edges, VG_LIN_DENSE, &lin), VG_OK);
    CHECK_INT(vg_lin_chol_new(lin, VG_CHOL_AUTO, &chol), VG_OK);
    double *m = vg_lin_block(lin, 0, 0), *row = vg_lin_block(lin, 1, 0), out[5];
    memset(m, 0, 9 * sizeof *m);
    memset(row, 0, 6 * sizeof *row);
    m[0] = 2, m[4] = 4, m[8] = 0.5;
    row[0] = 1;                 /* 1/(1/2) */
    row[3] = 0.6, row[4] = 0.8; /* 1/(0.36/2 + 0.64/4) */
    vg_lin_chol_row_mass(chol, out);
    CHECK_NEAR(out[3], 2, 1e-14);
    CHECK_NEAR(out[4], 1 / (0.18 + 0.16), 1e-14);
    vg_lin_chol_free(chol);
    vg_lin_free(lin);
    graph_free(&g);
}

/* A row between a body and a node without mass feels the body; where its entry on the body is rounding, and where it has
 * none, it feels no more than the heaviest body of all. In units a thousand times smaller the masses are as much smaller. */
TEST(row_mass_without_mass)
{
    graph g = {0};
    graph_node(&g, 3, 0);
    graph_node(&g, 3, 0);
    graph_joint(&g, 3, 0, 1, 1);
    for (double unit = 1; unit > 1e-4; unit *= 1e-3) {
        vgLin *lin = NULL;
        vgLinChol *chol = NULL;
        CHECK_INT(vg_lin_new(g.nnode, g.nodes, g.nedge, g.edges, VG_LIN_DENSE, &lin), VG_OK);
        CHECK_INT(vg_lin_chol_new(lin, VG_CHOL_AUTO, &chol), VG_OK);
        double *m = vg_lin_block(lin, 0, 0), *none = vg_lin_block(lin, 1, 1), out[9];
        double *body = vg_lin_block(lin, 2, 0), *node = vg_lin_block(lin, 2, 1);
        for (int k = 0; k < 9; k++) m[k] = none[k] = body[k] = node[k] = 0;
        m[0] = 2 * unit, m[4] = 4 * unit, m[8] = 0.5 * unit;
        for (int k = 0; k < 3; k++) node[4 * k] = 1;
        body[0] = 1;       /* 1/(1/2 + 1/4) */
        body[3] = 1.7e-14; /* rounding */
        vg_lin_chol_note_massless(chol);
        vg_lin_chol_row_mass(chol, out);
        CHECK_NEAR(out[6], unit * 4.0 / 3, 1e-14 * unit);
        CHECK_NEAR(out[7], 4 * unit, 1e-14 * unit);
        CHECK_NEAR(out[8], 4 * unit, 1e-14 * unit);
        vg_lin_chol_free(chol);
        vg_lin_free(lin);
    }
    graph_free(&g);
}

TEST_MAIN(equals_the_regularised_saddle_matrix, repeated_rows, indefinite, row_mass, row_mass_without_mass)
