/* Linear systems on graphs: four backends that share no factorisation code give the same answers. */
#include "base/alloc_count.h"
#include "linalg/klu.h"
#include "test.h"

static const vgLinBackend BACKENDS[] = {VG_LIN_AUTO, VG_LIN_DENSE, VG_LIN_BLOCK, VG_LIN_FRONTS,
                                        VG_LIN_SPARSE};
enum { NBACKEND = 5 };

static double largest(const double *x, int n)
{
    double size = 0;
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i]) <= size)) size = fabs(x[i]);
    return size;
}

static double *random_vector(int n)
{
    double *x = malloc((size_t)n * sizeof *x);
    for (int i = 0; i < n; i++) x[i] = random_unit();
    return x;
}

/* Normwise backward error max|b − A x| / (max|A| max|x| + max|b|). */
static double residual(vgLin *lin, const double *b, double *x)
{
    int n = vg_lin_size(lin);
    size_t nvalue;
    const double *values = vg_lin_values(lin, &nvalue);
    double *r = malloc((size_t)n * sizeof *r),
           size = largest(values, (int)nvalue) * largest(x, n) + largest(b, n);
    vg_lin_multiply(lin, x, r);
    for (int i = 0; i < n; i++) r[i] -= b[i];
    size = largest(r, n) / size;
    free(r);
    return size;
}

/* Every backend solves the same values to 1e-10; the matrix is compared with a dense product made here. */
static void check_graph(graph g, int indefinite)
{
    uint64_t seed = random_state;
    for (int k = 0; k < NBACKEND; k++) {
        vgLin *lin = NULL;
        CHECK_INT(vg_lin_new(g.nnode, g.nodes, g.nedge, g.edges, BACKENDS[k], &lin), VG_OK);
        if (!lin) return;
        int n = vg_lin_size(lin);
        random_state = seed;
        for (int again = 0; again < 3; again++) {
            graph_fill(&g, lin, indefinite);
            double *b = random_vector(n), *x = malloc((size_t)n * sizeof *x);
            memcpy(x, b, (size_t)n * sizeof *x);
            CHECK_INT(vg_lin_factor(lin), VG_OK);
            CHECK_INT(vg_lin_bad_row(lin), -1);
            vg_lin_solve_at_once(lin, x); /* refined where pivots cost digits */
            CHECK_NEAR(residual(lin, b, x), 0, 1e-10);
            vg_lin_refine(lin, b, x);
            CHECK_NEAR(residual(lin, b, x), 0, 1e-12);
            free(b);
            free(x);
        }
        if (!indefinite) CHECK_INT(vg_lin_fallbacks(lin), 0);
        vg_lin_free(lin);
    }
    graph_free(&g);
}

TEST(chains)
{
    check_graph(graph_chain(1, 6, 3, 1), 0);
    check_graph(graph_chain(10, 6, 3, 1), 0);
    check_graph(graph_chain(10, 6, 5, 0), 0);
    check_graph(graph_chain(12, 3, 2, 1), 0);
    check_graph(graph_chain(9, 7, 5, 1), 0);
    check_graph(graph_chain(7, 12, 6, 0), 0);
    check_graph(graph_chain(6, 1, 1, 1), 0);
}

TEST(loops)
{
    check_graph(graph_squeezer(1), 0);
    check_graph(graph_squeezer(0), 0);
    check_graph(graph_grid(4, 3, 6, 3), 0);
    check_graph(graph_grid(5, 5, 6, 2), 0);
    graph four_bar = graph_chain(3, 3, 2, 1);
    graph_joint(&four_bar, 2, 2, -1, 1);
    check_graph(four_bar, 0);
}

TEST(indefinite_bodies)
{
    check_graph(graph_chain(10, 6, 3, 1), 1);
    check_graph(graph_squeezer(0), 1);
    check_graph(graph_grid(4, 3, 6, 3), 1);
}

static graph random_tree(int n)
{
    static const int sizes[] = {1, 3, 6, 7, 12, 2, 8, 5, 21};
    graph g = {0};
    for (int i = 0; i < n; i++) graph_node(&g, sizes[random_below(9)], 0);
    for (int i = 1; i < n; i++) {
        int parent = random_below(i), room = g.nodes[i].size < 5 ? g.nodes[i].size : 5;
        graph_joint(&g, 1 + random_below(room), i, parent, random_below(2));
    }
    for (int i = 0; i < n / 4; i++) { /* springs between bodies, and unit-length rows of a body alone */
        int a = random_below(n), b = random_below(n);
        if (a != b) graph_edge(&g, a < b ? a : b, a < b ? b : a, 0);
        int c = random_below(n);
        if (g.nodes[c].size > 6) graph_joint(&g, 1, c, -1, 1);
    }
    return g;
}

TEST(random_trees_of_mixed_sizes)
{
    for (int n = 2; n < 40; n += 5) check_graph(random_tree(n), 0);
}

/* A hub with many joints: eliminating the hub first would couple all of them. */
TEST(star_has_no_fill)
{
    graph g = {0};
    int hub = graph_node(&g, 6, 0), n = 40;
    for (int i = 0; i < n; i++) graph_joint(&g, 5, graph_node(&g, 6, 0), hub, 1);
    vgLin *lin = NULL;
    CHECK_INT(vg_lin_new(g.nnode, g.nodes, g.nedge, g.edges, VG_LIN_AUTO, &lin), VG_OK);
    CHECK_STR(vg_lin_backend_name(lin), "block");
    CHECK(vg_lin_factor_size(lin) < (size_t)n * 400);
    vg_lin_free(lin);
    check_graph(g, 0);
}

/* Knots on a square net, joined by rods with a ball joint at each end: knot k, rod r at x_k − p_k = 0 has the rows
 * v + ω × p − v_k. Along the rod the two joints' rows have no part of the rod's own motion in common with the
 * third: a rod carries five of its six rows. Of a rod without length it carries three. */
static int short_rods;

static void rod_rows(const graph *g, vgLin *lin, int joint)
{
    const vgLinEdge *e = g->edges;
    double arm[3] = {random_unit(), random_unit(), random_unit()};
    if (short_rods && joint % 25 == 0) memset(arm, 0, sizeof arm);
    for (; e->i != joint; e++) continue;
    double *to_rod = vg_lin_block(lin, joint, e[0].j);
    for (int end = 0; end < 2; end++) {
        double sign = end ? -1 : 1, *rod = end ? vg_lin_block(lin, joint + 1, e[0].j) : to_rod;
        double x = sign * arm[0], y = sign * arm[1], z = sign * arm[2];
        const double rows[18] = {1, 0, 0, 0, z, -y, 0, 1, 0, -z, 0, x, 0, 0, 1, y, -x, 0};
        memcpy(rod, rows, sizeof rows);
    }
    for (; e < g->edges + g->nedge && e->i <= joint + 1; e++) {
        if (g->nodes[e->j].size != 3) continue;
        double *knot = vg_lin_block(lin, e->i, e->j);
        for (int i = 0; i < 9; i++) knot[i] = i % 4 == 0 ? -1 : 0;
    }
}

static graph net_of_rods(int n)
{
    graph g = {0};
    for (int i = 0; i < n * n; i++) graph_node(&g, 3, 0);
    for (int i = 0; i < n * n; i++)
        for (int way = 0; way < 2; way++) {
            int other = way ? i + n : (i % n + 1 < n ? i + 1 : n * n);
            if (other >= n * n) continue;
            int rod = graph_node(&g, 6, 0);
            graph_joint(&g, 3, rod, i == 0 ? -1 : i, 1); /* the corner hangs on the ground */
            graph_joint(&g, 3, rod, other, 1);
        }
    return g;
}

static void fill_rods(const graph *g, vgLin *lin)
{
    graph_fill(g, lin, 0);
    for (int k = 0; k < g->nnode; k++)
        if (g->nodes[k].dual && k > 0 && g->nodes[k - 1].size == 6) rod_rows(g, lin, k);
}

static void check_rods(int size, vgLinBackend backend)
{
    graph g = net_of_rods(size);
    vgLin *dense = NULL, *plain = NULL, *taught = NULL;
    CHECK_INT(vg_lin_new(g.nnode, g.nodes, g.nedge, g.edges, VG_LIN_DENSE, &dense), VG_OK);
    CHECK_INT(vg_lin_new(g.nnode, g.nodes, g.nedge, g.edges, backend, &plain), VG_OK);
    int n = vg_lin_size(dense), passed = 0;
    vgLinNode *found = calloc((size_t)g.nnode, sizeof *found);
    uint64_t seed = random_state;
    for (int round = 0; round < 8; round++) {
        CHECK_INT(vg_lin_new(g.nnode, g.nodes, g.nedge, g.edges, backend, &taught), VG_OK);
        random_state = seed;
        fill_rods(&g, taught);
        int news = 0;
        CHECK_INT(vg_lin_learn(taught, found, &news), VG_OK);
        if (!news) break;
        for (int k = 0; k < g.nnode; k++) {
            g.nodes[k].pass += found[k].pass;
            g.nodes[k].wait += found[k].wait;
            passed += found[k].pass;
        }
        vg_lin_free(taught);
        taught = NULL;
    }
    CHECK(taught != NULL && passed > 0);
    for (int again = 0; again < 4 && taught; again++) { /* the rods turn: other rows are passed on */
        vgLin *list[] = {dense, plain, taught};
        double *x[3];
        seed = random_state;
        short_rods = backend == VG_LIN_FRONTS && again == 2; /* fronts pass on more rows than in the trial */
        for (int k = 0; k < 3; k++) {
            random_state = seed;
            fill_rods(&g, list[k]);
            x[k] = random_vector(n);
            CHECK_INT(vg_lin_factor(list[k]), VG_OK);
            vg_lin_solve_at_once(list[k], x[k]); /* other rows than those of the trial may cost digits */
        }
        for (int i = 0; i < n; i++) CHECK_NEAR(x[2][i], x[0][i], 1e-9 * largest(x[0], n));
        for (int k = 0; k < 3; k++) free(x[k]);
    }
    short_rods = 0;
    /* without passing on, every factorisation goes to the sparse backend; fronts pass on some without a trial */
    if (backend == VG_LIN_BLOCK) CHECK(vg_lin_fallbacks(plain) > 0);
    CHECK_INT(taught ? vg_lin_fallbacks(taught) : -1, 0);
    vg_lin_free(dense);
    vg_lin_free(plain);
    vg_lin_free(taught);
    free(found);
    graph_free(&g);
}

TEST(rods_pass_on_the_row_that_they_cannot_carry)
{
    check_rods(5, VG_LIN_BLOCK);
    check_rods(5, VG_LIN_FRONTS);
    check_rods(
        9,
        VG_LIN_FRONTS); /* rows are passed on through several fronts, and with other columns than their own */
}

/* D = [2 2 1; 2 2 0; 1 0 1]: after the pivot 2 the second row has no diagonal left, though its entry is as large as any, so that
 * the last column must be its pivot. */
TEST(rows_that_stay_are_independent_of_each_other)
{
    static const double D[9] = {2, 2, 1, 2, 2, 0, 1, 0, 1};
    const vgLinNode nodes[2] = {{.size = 3, .dual = 1, .pass = 1}, {.size = 1}};
    const vgLinEdge edge = {0, 1, 1};
    vgLin *lin = NULL;
    CHECK_INT(vg_lin_new(2, nodes, 1, &edge, VG_LIN_BLOCK, &lin), VG_OK);
    memcpy(vg_lin_block(lin, 0, 0), D, sizeof D);
    double *beside = vg_lin_block(lin, 0, 1), b[4] = {1, -2, 3, 5}, x[4];
    for (int i = 0; i < 3; i++) beside[i] = 0.1;
    *vg_lin_block(lin, 1, 1) = 0.01;
    memcpy(x, b, sizeof x);
    CHECK_INT(vg_lin_factor(lin), VG_OK);
    vg_lin_solve(lin, x);
    CHECK_NEAR(residual(lin, b, x), 0, 1e-14);
    CHECK_INT(vg_lin_fallbacks(lin), 0);
    vg_lin_free(lin);
}

TEST(dense_fill_goes_to_sparse_or_block_but_solves)
{
    graph g = {0};
    for (int i = 0; i < 60; i++) graph_node(&g, 1, 0);
    for (int i = 0; i < 60; i++)
        for (int j = 0; j < 4; j++) {
            int k = random_below(60);
            if (k != i) graph_edge(&g, i < k ? i : k, i < k ? k : i, 0);
        }
    check_graph(g, 0);
}

/* The solution of one system by each backend, entry by entry. */
TEST(backends_agree)
{
    graph g = graph_grid(3, 3, 6, 3);
    uint64_t seed = random_state;
    double *answers[NBACKEND];
    int n = 0;
    for (int k = 0; k < NBACKEND; k++) {
        vgLin *lin = NULL;
        CHECK_INT(vg_lin_new(g.nnode, g.nodes, g.nedge, g.edges, BACKENDS[k], &lin), VG_OK);
        random_state = seed;
        graph_fill(&g, lin, 0);
        n = vg_lin_size(lin);
        answers[k] = random_vector(n);
        CHECK_INT(vg_lin_factor(lin), VG_OK);
        vg_lin_solve(lin, answers[k]);
        vg_lin_free(lin);
    }
    for (int k = 1; k < NBACKEND; k++)
        for (int i = 0; i < n; i++) CHECK_NEAR(answers[k][i], answers[0][i], 1e-10 * largest(answers[0], n));
    for (int k = 0; k < NBACKEND; k++) free(answers[k]);
    graph_free(&g);
}

/* SuiteSparse KLU, from the same numbers, as a stranger would ask it. */
TEST(klu_agrees)
{
    graph list[] = {graph_chain(40, 6, 5, 1), graph_squeezer(0), graph_grid(4, 5, 6, 2), random_tree(30)};
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
        vgLin *lin = NULL;
        columns klu;
        CHECK_INT(vg_lin_new(list[k].nnode, list[k].nodes, list[k].nedge, list[k].edges, VG_LIN_SPARSE, &lin),
                  VG_OK);
        graph_fill(&list[k], lin, 1);
        int n = vg_lin_size(lin);
        double *x = random_vector(n), *y = malloc((size_t)n * sizeof *y);
        memcpy(y, x, (size_t)n * sizeof *y);
        CHECK_INT(vg_lin_factor(lin), VG_OK);
        vg_lin_solve(lin, x);
        CHECK(columns_factor(&klu, lin, &list[k]));
        CHECK(klu_solve(klu.symbolic, klu.numeric, n, 1, y, &klu.common));
        for (int i = 0; i < n; i++) CHECK_NEAR(x[i], y[i], 1e-9 * largest(y, n));
        columns_free(&klu);
        free(x);
        free(y);
        vg_lin_free(lin);
        graph_free(&list[k]);
    }
}

/* A 2 × 2 saddle by hand: m x + b λ = f, b x = c. */
TEST(closed_form)
{
    const vgLinNode nodes[] = {{.size = 1}, {.size = 1, .dual = 1}};
    const vgLinEdge edge = {1, 0, 1};
    for (int k = 0; k < NBACKEND; k++) {
        vgLin *lin = NULL;
        CHECK_INT(vg_lin_new(2, nodes, 1, &edge, BACKENDS[k], &lin), VG_OK);
        *vg_lin_block(lin, 0, 0) = 4;
        *vg_lin_block(lin, 1, 0) = 2;
        CHECK(vg_lin_block(lin, 0, 1) == NULL);
        double x[] = {10, 6};
        CHECK_INT(vg_lin_factor(lin), VG_OK);
        vg_lin_solve(lin, x);
        CHECK_NEAR(x[0], 3, 1e-15);
        CHECK_NEAR(x[1], -1, 1e-15);
        vg_lin_free(lin);
    }
}

/* Blocks are where the interface says: the product with unit vectors gives the blocks back. */
TEST(blocks_and_layout)
{
    const vgLinNode nodes[] = {{.size = 2}, {.size = 3}, {.size = 1, .dual = 1}};
    const vgLinEdge edges[] = {{1, 0, 0}, {2, 1, 1}, {1, 2, 0}, {0, 1, 0}};
    vgLin *lin = NULL;
    CHECK_INT(vg_lin_new(3, nodes, 3, edges, VG_LIN_BLOCK, &lin), VG_BAD_INPUT); /* mirror and not */
    const vgLinEdge good[] = {{1, 0, 0}, {2, 1, 1}, {2, 1, 1}, {0, 1, 0}};
    for (int k = 0; k < NBACKEND; k++) {
        CHECK_INT(vg_lin_new(3, nodes, 4, good, BACKENDS[k], &lin), VG_OK);
        CHECK_INT(vg_lin_size(lin), 6);
        CHECK_INT(vg_lin_offset(lin, 2), 5);
        CHECK(vg_lin_block(lin, 0, 2) == NULL && vg_lin_block(lin, 1, 2) == NULL);
        CHECK(vg_lin_block(lin, 2, 2) != NULL && vg_lin_block(lin, 0, 1) != vg_lin_block(lin, 1, 0));
        size_t nvalue;
        double *values = vg_lin_values(lin, &nvalue), unit[6] = {0}, y[6];
        CHECK_INT(nvalue, 4 + 9 + 1 + 6 + 6 + 3);
        for (size_t i = 0; i < nvalue; i++) values[i] = random_unit();
        unit[2] = 1; /* column 0 of node 1 */
        vg_lin_multiply(lin, unit, y);
        for (int r = 0; r < 2; r++) CHECK(y[r] == vg_lin_block(lin, 0, 1)[r * 3]);
        for (int r = 0; r < 3; r++) CHECK(y[2 + r] == vg_lin_block(lin, 1, 1)[r * 3]);
        CHECK(y[5] == vg_lin_block(lin, 2, 1)[0]);
        double none[6] = {0, 0, 0, 0, 0, 1}; /* the mirrored column */
        vg_lin_multiply(lin, none, y);
        for (int r = 0; r < 3; r++) CHECK(y[2 + r] == vg_lin_block(lin, 2, 1)[r]);
        vg_lin_free(lin);
    }
}

TEST(bad_input)
{
    vgLin *lin = NULL;
    vgLinNode node = {.size = 0}, pair[] = {{.size = 1}, {.size = 1}};
    vgLinEdge self = {1, 1, 0}, out = {0, 2, 0}, mirrored[] = {{0, 1, 1}, {1, 0, 1}};
    CHECK_INT(vg_lin_new(1, &node, 0, NULL, VG_LIN_AUTO, &lin), VG_BAD_INPUT);
    CHECK_INT(vg_lin_new(0, pair, 0, NULL, VG_LIN_AUTO, &lin), VG_BAD_INPUT);
    CHECK_INT(vg_lin_new(2, pair, 1, &self, VG_LIN_AUTO, &lin), VG_BAD_INPUT);
    CHECK_INT(vg_lin_new(2, pair, 1, &out, VG_LIN_AUTO, &lin), VG_BAD_INPUT);
    CHECK_INT(vg_lin_new(2, pair, 2, mirrored, VG_LIN_AUTO, &lin), VG_BAD_INPUT);
    CHECK(lin == NULL);
}

/* Two joints with a row in common: one of the two equal rows is named. */
TEST(redundant_row_is_named)
{
    for (int k = 0; k < NBACKEND; k++) {
        graph g = graph_chain(4, 6, 3, 1);
        int twin = graph_joint(&g, 3, 2, 1, 1), twin_of = 4 + 2;
        vgLin *lin = NULL;
        CHECK_INT(vg_lin_new(g.nnode, g.nodes, g.nedge, g.edges, BACKENDS[k], &lin), VG_OK);
        graph_fill(&g, lin, 0);
        for (int body = 1; body <= 2; body++)
            for (int c = 0; c < 6; c++)
                vg_lin_block(lin, twin, body)[6 + c] = vg_lin_block(lin, twin_of, body)[c];
        CHECK_INT(vg_lin_factor(lin), VG_SINGULAR);
        int row = vg_lin_bad_row(lin), first = vg_lin_offset(lin, twin_of),
            second = vg_lin_offset(lin, twin) + 1;
        CHECK(row == first || row == second);
        graph_fill(&g, lin, 0); /* and it recovers */
        CHECK_INT(vg_lin_factor(lin), VG_OK);
        vg_lin_free(lin);
        graph_free(&g);
    }
}

TEST(massless_body_and_bad_numbers_are_reported)
{
    for (int k = 0; k < NBACKEND; k++) {
        graph g = graph_chain(3, 6, 3, 1);
        vgLin *lin = NULL;
        CHECK_INT(vg_lin_new(g.nnode, g.nodes, g.nedge, g.edges, BACKENDS[k], &lin), VG_OK);
        graph_fill(&g, lin, 0);
        memset(vg_lin_block(lin, 2, 2), 0, 36 * sizeof(double)); /* the last body: 6 unknowns, 3 equations */
        CHECK_INT(vg_lin_factor(lin), VG_SINGULAR);
        int row = vg_lin_bad_row(lin);
        CHECK((row >= 12 && row < 18) || row >= 24);
        graph_fill(&g, lin, 0);
        vg_lin_block(lin, 1, 1)[3] = NAN;
        CHECK_INT(vg_lin_factor(lin), VG_NOT_FINITE);
        graph_fill(&g, lin, 0);
        vg_lin_block(lin, 3, 0)[1] = INFINITY;
        CHECK_INT(vg_lin_factor(lin), VG_NOT_FINITE);
        vg_lin_free(lin);
        graph_free(&g);
    }
}

/* A body without inertia that its joints hold completely: the block pivot is zero, the matrix is not
 * singular, and the caller sees nothing of it. */
TEST(fallback_to_sparse)
{
    graph g = graph_chain(3, 6, 3, 1);
    graph_joint(&g, 3, 2, -1, 1);
    vgLin *lin = NULL;
    CHECK_INT(vg_lin_new(g.nnode, g.nodes, g.nedge, g.edges, VG_LIN_BLOCK, &lin), VG_OK);
    int n = vg_lin_size(lin);
    for (int again = 0; again < 3; again++) {
        graph_fill(&g, lin, 0);
        memset(vg_lin_block(lin, 2, 2), 0, 36 * sizeof(double));
        double *b = random_vector(n), *x = malloc((size_t)n * sizeof *x);
        memcpy(x, b, (size_t)n * sizeof *x);
        CHECK_INT(vg_lin_factor(lin), VG_OK);
        vg_lin_solve(lin, x);
        CHECK_NEAR(residual(lin, b, x), 0, 1e-10);
        CHECK_INT(vg_lin_fallbacks(lin), again + 1);
        free(b);
        free(x);
    }
    graph_fill(&g, lin, 0); /* back to the block factors */
    CHECK_INT(vg_lin_factor(lin), VG_OK);
    CHECK_INT(vg_lin_fallbacks(lin), 3);
    vg_lin_free(lin);
    graph_free(&g);
}

/* Rows and columns in wildly different units change nothing about the digits. */
TEST(units_do_not_matter)
{
    graph g = graph_squeezer(1);
    uint64_t seed = random_state;
    for (int k = 0; k < NBACKEND; k++) {
        vgLin *lin = NULL;
        CHECK_INT(vg_lin_new(g.nnode, g.nodes, g.nedge, g.edges, BACKENDS[k], &lin), VG_OK);
        int n = vg_lin_size(lin);
        double *plain = malloc((size_t)n * sizeof *plain), *scaled = malloc((size_t)n * sizeof *scaled);
        random_state = seed;
        graph_fill(&g, lin, 0);
        for (int i = 0; i < n; i++) plain[i] = 1 + i;
        CHECK_INT(vg_lin_factor(lin), VG_OK);
        vg_lin_solve(lin, plain);
        /* bodies' equations and unknowns both in units of 2^-20, joints' in units of 2^13 */
        for (int i = 0; i < g.nnode; i++) {
            int s = g.nodes[i].size;
            double unit = g.nodes[i].dual ? 0x1p13 : 0x1p-20;
            for (int t = 0; t < s * s; t++) vg_lin_block(lin, i, i)[t] *= unit * unit;
            for (int t = 0; t < s; t++)
                scaled[vg_lin_offset(lin, i) + t] = unit * (1 + vg_lin_offset(lin, i) + t);
        }
        for (int e = 0; e < g.nedge; e++)
            for (int t = 0; t < 6; t++) vg_lin_block(lin, g.edges[e].i, g.edges[e].j)[t] *= 0x1p-7;
        CHECK_INT(vg_lin_factor(lin), VG_OK);
        vg_lin_solve(lin, scaled);
        for (int i = 0; i < g.nnode; i++)
            for (int t = 0; t < g.nodes[i].size; t++) {
                double unit = g.nodes[i].dual ? 0x1p13 : 0x1p-20, expected = plain[vg_lin_offset(lin, i) + t];
                CHECK_NEAR(scaled[vg_lin_offset(lin, i) + t] * unit, expected, 1e-9 * largest(plain, n));
            }
        free(plain);
        free(scaled);
        vg_lin_free(lin);
    }
    graph_free(&g);
}

TEST(no_allocation_and_same_bits)
{
    CHECK(alloc_count_works());
    graph graphs[] = {graph_chain(20, 6, 3, 1), graph_squeezer(1), graph_grid(3, 4, 6, 3)};
    for (int k = 0; k < NBACKEND; k++)
        for (int t = 0; t < 3; t++) {
            graph g = graphs[t];
            vgLin *lin = NULL;
            CHECK_INT(vg_lin_new(g.nnode, g.nodes, g.nedge, g.edges, BACKENDS[k], &lin), VG_OK);
            graph_fill(&g, lin, 0);
            int n = vg_lin_size(lin);
            double *x = random_vector(n), *y = malloc((size_t)n * sizeof *y),
                   *z = malloc((size_t)n * sizeof *z);
            memcpy(y, x, (size_t)n * sizeof *x);
            memcpy(z, x, (size_t)n * sizeof *x);
            CHECK_INT(vg_lin_factor(lin), VG_OK); /* the sparse backend takes its pivots here */
            vg_lin_factor(lin);
            vg_lin_solve(lin, x);
            long before = alloc_count();
            for (int again = 0; again < 3; again++) vg_lin_factor(lin);
            vg_lin_solve(lin, y);
            CHECK_INT(alloc_count() - before, 0);
            CHECK(memcmp(x, y, (size_t)n * sizeof *x) == 0);
            size_t nvalue;
            double *values = vg_lin_values(lin, &nvalue);
            memset(values, 0, nvalue * sizeof *values); /* the factors are the solver's own */
            vg_lin_solve(lin, z);
            CHECK(memcmp(x, z, (size_t)n * sizeof *x) == 0);
            free(x);
            free(y);
            free(z);
            vg_lin_free(lin);
        }
    for (int t = 0; t < 3; t++) graph_free(&graphs[t]);
}

/* Row exchanges, other ones for every matrix: bodies without inertia, blocks that vanish here and there.
 * Nothing is allocated, the first factorisation included, and what was factored before leaves no trace: a
 * solver that sees the matrix first gives the same bits. */
TEST(exchanges_allocate_nothing_and_leave_no_trace)
{
    enum { MATRICES = 8 };
    graph graphs[] = {graph_chain(12, 6, 3, 0), graph_squeezer(0), graph_grid(3, 4, 3, 2),
                      graph_grid(5, 5, 6, 3)};
    for (int k = 0; k < NBACKEND; k++)
        for (int t = 0; t < 4; t++) {
            graph g = graphs[t];
            vgLin *old = NULL;
            CHECK_INT(vg_lin_new(g.nnode, g.nodes, g.nedge, g.edges, BACKENDS[k], &old), VG_OK);
            int n = vg_lin_size(old), solved = 0;
            double *b = random_vector(n), *x = malloc((size_t)n * sizeof *x),
                   *y = malloc((size_t)n * sizeof *y);
            for (int m = 0; m < MATRICES; m++) {
                vgLin *fresh = NULL;
                size_t nvalue;
                CHECK_INT(vg_lin_new(g.nnode, g.nodes, g.nedge, g.edges, BACKENDS[k], &fresh), VG_OK);
                graph_fill(&g, old, 1);
                double *values = vg_lin_values(old, &nvalue);
                for (int i = 0; i < g.nnode; i++) { /* a row and a column of each keep them regular */
                    int s = g.nodes[i].size;
                    if (random_unit() > 0.3) continue;
                    double *d = vg_lin_block(old, i, i);
                    for (int e = 0; e < s * s; e++) d[e] = 0;
                    for (int e = 0; e < s; e++) d[e * s + (e + 1 + m) % s] = random_unit();
                }
                memcpy(vg_lin_values(fresh, &nvalue), values, nvalue * sizeof *values);
                memcpy(x, b, (size_t)n * sizeof *x);
                memcpy(y, b, (size_t)n * sizeof *x);
                long before = alloc_count();
                vgStatus st = vg_lin_factor(old), other = vg_lin_factor(fresh);
                CHECK_INT(alloc_count() - before, 0);
                CHECK_INT(st, other);
                if (st == VG_OK) {
                    vg_lin_solve(old, x);
                    vg_lin_solve(fresh, y);
                    CHECK(memcmp(x, y, (size_t)n * sizeof *x) == 0);
                    /* pivot blocks may have lost all but 1e-8 of what was summed into them (lin/block.c) */
                    CHECK_NEAR(residual(old, b, x), 0, BACKENDS[k] == VG_LIN_SPARSE ? 1e-12 : 1e-8);
                    solved++;
                } else {
                    CHECK_INT(vg_lin_bad_row(old), vg_lin_bad_row(fresh));
                }
                vg_lin_free(fresh);
            }
            CHECK(solved > MATRICES / 2);
            if (BACKENDS[k] == VG_LIN_SPARSE) CHECK(vg_lin_repivots(old) > MATRICES / 2);
            free(b);
            free(x);
            free(y);
            vg_lin_free(old);
        }
    for (int t = 0; t < 4; t++) graph_free(&graphs[t]);
}

/* Work and memory grow with the chain, not faster: 3 kB a body. */
TEST(long_chain_is_linear)
{
    graph g = graph_chain(2000, 6, 3, 1);
    vgLin *lin = NULL;
    CHECK_INT(vg_lin_new(g.nnode, g.nodes, g.nedge, g.edges, VG_LIN_AUTO, &lin), VG_OK);
    CHECK_STR(vg_lin_backend_name(lin), "block");
    CHECK(vg_lin_memory(lin) < 3000u * 2000u);
    CHECK(vg_lin_factor_size(lin) <= 156u * 2000u); /* padded: 48 + 24 + 24 body, 12 + 24 + 24 joint */
    vg_lin_free(lin);
    check_graph(graph_chain(60, 6, 3, 1), 0);
    graph_free(&g);
}

/* The motion (the first rows) and the multipliers (the others), each to 1e-9 of its own largest. */
static void check_against_dense(const graph *g, vgLin *lin, int nmotion)
{
    vgLin *dense = NULL;
    int n = vg_lin_size(lin);
    CHECK_INT(vg_lin_new(g->nnode, g->nodes, g->nedge, g->edges, VG_LIN_DENSE, &dense), VG_OK);
    for (int i = 0; i < g->nnode; i++)
        for (int t = 0; t < g->nodes[i].size * g->nodes[i].size; t++)
            vg_lin_block(dense, i, i)[t] = vg_lin_block(lin, i, i)[t];
    for (int e = 0; e < g->nedge; e++)
        for (int t = 0; t < g->nodes[g->edges[e].i].size * g->nodes[g->edges[e].j].size; t++)
            vg_lin_block(dense, g->edges[e].i, g->edges[e].j)[t] =
                vg_lin_block(lin, g->edges[e].i, g->edges[e].j)[t];
    double *x = random_vector(n), *y = malloc((size_t)n * sizeof *y);
    memcpy(y, x, (size_t)n * sizeof *y);
    CHECK_INT(vg_lin_factor(lin), VG_OK);
    CHECK_INT(vg_lin_factor(dense), VG_OK);
    vg_lin_solve(lin, x);
    vg_lin_solve(dense, y);
    for (int i = 0; i < n; i++) {
        double size = i < nmotion ? largest(y, nmotion) : largest(y + nmotion, n - nmotion);
        CHECK_NEAR(x[i], y[i], 1e-9 * size);
    }
    free(x);
    free(y);
    vg_lin_free(dense);
}

/* Rows of a revolute joint at the end s of a body: point [I | −s×], then two directions across the axis. */
static void revolute_rows(double *rows, double sign, const double *s, const double *u, const double *v)
{
    const double cross[3][3] = {{0, s[2], -s[1]}, {-s[2], 0, s[0]}, {s[1], -s[0], 0}};
    for (int r = 0; r < 3; r++) {
        rows[6 * r + r] = sign;
        for (int c = 0; c < 3; c++) {
            rows[6 * r + 3 + c] = sign * cross[r][c];
            rows[18 + 3 + c] = sign * u[c];
            rows[24 + 3 + c] = sign * v[c];
        }
    }
}

/* Thin rods in random directions, revolutes about axes across them, inertia over h² beside plain constraint
 * rows, with a gyroscopic part: what the factorisation meets in life, at four step sizes and without scaling.
 * No fallback is needed, and the answer is that of the pivoted dense backend. */
TEST(chain_of_rods)
{
    enum { N = 60 };
    graph g = graph_chain(N, 6, 5, 1);
    for (int k = 0; k < 4; k++) {
        vgLin *lin = NULL;
        double h = pow(10, -2 - k);
        CHECK_INT(vg_lin_new(g.nnode, g.nodes, g.nedge, g.edges, VG_LIN_BLOCK, &lin), VG_OK);
        for (int i = 0; i < N; i++) {
            double d[3], u[3], v[3], s[3], length = 0, across = 0, *m = vg_lin_block(lin, i, i);
            for (int c = 0; c < 3; c++) {
                d[c] = random_unit();
                length += d[c] * d[c];
            }
            for (int c = 0; c < 3; c++) d[c] /= sqrt(length); /* rod, first direction and axis: orthogonal */
            double e[3] = {fabs(d[0]) < 0.5, fabs(d[0]) >= 0.5, 0};
            double w[3] = {d[1] * e[2] - d[2] * e[1], d[2] * e[0] - d[0] * e[2], d[0] * e[1] - d[1] * e[0]};
            for (int c = 0; c < 3; c++) across += w[c] * w[c];
            for (int c = 0; c < 3; c++) u[c] = w[c] / sqrt(across), v[c] = d[c], s[c] = 0.1 * d[c];
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) {
                    double skew = c == (r + 1) % 3 ? 1 : c == (r + 2) % 3 ? -1 : 0;
                    m[6 * r + c] = r == c ? 0.3 / (h * h) : 0;
                    m[6 * (r + 3) + 3 + c] =
                        (1e-3 * ((r == c) - d[r] * d[c]) + 1e-6 * (r == c)) / (h * h) + 1e-3 * skew / h;
                }
            double minus[3] = {-s[0], -s[1], -s[2]};
            revolute_rows(vg_lin_block(lin, N + i, i), 1, minus, u, v);
            if (i + 1 < N) revolute_rows(vg_lin_block(lin, N + i + 1, i), -1, s, u, v);
        }
        check_against_dense(&g, lin, 6 * N);
        CHECK_INT(vg_lin_fallbacks(lin), 0);
        vg_lin_free(lin);
    }
    graph_free(&g);
}

/* A backend may know that values are those of its last factors: they are followed in any case, changed by one entry, after a
 * failure, with a row left out, or factored in pieces. */
TEST(values_that_change_and_come_back)
{
    graph g = graph_grid(5, 5, 6, 2);
    for (int k = 0; k < NBACKEND; k++) {
        vgLin *lin = NULL;
        CHECK_INT(vg_lin_new(g.nnode, g.nodes, g.nedge, g.edges, BACKENDS[k], &lin), VG_OK);
        const int n = vg_lin_size(lin), place[1] = {n - 1};
        const unsigned char none[1] = {0};
        size_t nvalue;
        double *values = vg_lin_values(lin, &nvalue), *b = random_vector(n),
               *x = malloc((size_t)n * sizeof *x);
        double *first = malloc((size_t)n * sizeof *first), *kept = malloc(nvalue * sizeof *kept);
        graph_fill(&g, lin, 0);
        memcpy(kept, values, nvalue * sizeof *kept);
        for (int round = 0; round < 6; round++) {
            memcpy(values, kept, nvalue * sizeof *kept);
            if (round == 1) values[0] *= 2;
            if (round == 3) values[0] = NAN;
            vg_lin_leave_out(lin, 1, place, round == 4 ? none : NULL);
            CHECK_INT(vg_lin_factor(lin), round == 3 ? VG_NOT_FINITE : VG_OK);
            if (round == 3) continue;
            if (round == 5) {
                for (int i = 0; i < vg_lin_pieces(lin, NULL); i++) CHECK_INT(vg_lin_piece(lin, i), VG_OK);
                CHECK_INT(vg_lin_factor(lin), VG_OK);
            }
            memcpy(x, b, (size_t)n * sizeof *x);
            vg_lin_solve(lin, x);
            if (round == 0) memcpy(first, x, (size_t)n * sizeof *x);
            if (round == 1) CHECK(fabs(x[0] - first[0]) > 1e-6 * fabs(first[0]));
            if (round == 2 || round == 5) CHECK(memcmp(first, x, (size_t)n * sizeof *x) == 0);
            if (round == 4) CHECK(x[n - 1] == 0);
            if (round != 4) CHECK_NEAR(residual(lin, b, x), 0, 1e-10);
        }
        free(b), free(x), free(first), free(kept);
        vg_lin_free(lin);
    }
    graph_free(&g);
}

TEST_MAIN(values_that_change_and_come_back, closed_form, blocks_and_layout, bad_input, chains, loops,
          indefinite_bodies, random_trees_of_mixed_sizes, star_has_no_fill,
          rods_pass_on_the_row_that_they_cannot_carry, rows_that_stay_are_independent_of_each_other,
          dense_fill_goes_to_sparse_or_block_but_solves, backends_agree, klu_agrees, redundant_row_is_named,
          massless_body_and_bad_numbers_are_reported, fallback_to_sparse, units_do_not_matter,
          no_allocation_and_same_bits, exchanges_allocate_nothing_and_leave_no_trace, chain_of_rods,
          long_chain_is_linear)
