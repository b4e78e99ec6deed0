/* Time of one factorisation and one solve of typical Newton matrices, and what set-up costs.
 *
 *     bench_linalg [auto | dense | block | sparse]
 *
 * KLU: the same matrix by SuiteSparse KLU (the pattern known, klu_refactor), as a multiple of ours. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../tests/linalg/klu.h"

enum { ROUNDS = 40 }; /* short ones, so that the best of them had the machine to itself */

typedef struct subject {
    vgLin *lin;
    double *x, *b;
    columns klu;
} subject;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void factor(subject *s)
{
    vg_lin_factor(s->lin);
}

static void solve(subject *s)
{
    memcpy(s->x, s->b, (size_t)vg_lin_size(s->lin) * sizeof *s->x);
    vg_lin_solve(s->lin, s->x);
}

static void klu_factor_again(subject *s)
{
    columns *c = &s->klu;
    klu_refactor(c->start, c->row, c->value, c->symbolic, c->numeric, &c->common);
}

static void klu_solve_once(subject *s)
{
    memcpy(s->x, s->b, (size_t)s->klu.n * sizeof *s->x);
    klu_solve(s->klu.symbolic, s->klu.numeric, s->klu.n, 1, s->x, &s->klu.common);
}

/* The best of several rounds, in microseconds for one call. */
static double best(void (*run)(subject *), subject *s, int calls)
{
    double least = 1e30;
    for (int r = 0; r < ROUNDS; r++) {
        double start = now();
        for (int c = 0; c < calls; c++) run(s);
        double took = (now() - start) / calls * 1e6;
        if (took < least) least = took;
    }
    return least;
}

static void report(const char *name, graph g, int bodies, vgLinBackend backend)
{
    subject s = {0};
    double setup = 1e30;
    for (int r = 0; r < 3; r++) {
        vg_lin_free(s.lin);
        double start = now();
        if (vg_lin_new(g.nnode, g.nodes, g.nedge, g.edges, backend, &s.lin) != VG_OK) return;
        if (now() - start < setup) setup = now() - start;
    }
    graph_fill(&g, s.lin, 0);
    int n = vg_lin_size(s.lin), calls = 1 + 20000 / n;
    s.x = calloc((size_t)n, sizeof *s.x);
    s.b = calloc((size_t)n, sizeof *s.b);
    for (int i = 0; i < n; i++) s.b[i] = random_unit();
    if (vg_lin_factor(s.lin) != VG_OK) return;
    double f = best(factor, &s, calls), x = best(solve, &s, calls);
    double kf = NAN, kx = NAN;
    if (columns_factor(&s.klu, s.lin, &g)) {
        kf = best(klu_factor_again, &s, calls);
        kx = best(klu_solve_once, &s, calls);
    }
    printf("%-22s %6d %-6s %10.3f %10.3f %10.3f %9.3f %9.3f %9.3f %8.0f %6.2f %6.2f\n", name, n,
           vg_lin_backend_name(s.lin), setup * 1e6, f, x, setup * 1e6 / bodies, f / bodies, x / bodies,
           (double)vg_lin_memory(s.lin) / bodies, kf / f, kx / x);
    columns_free(&s.klu);
    free(s.x);
    free(s.b);
    vg_lin_free(s.lin);
    graph_free(&g);
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"auto", "dense", "block", "fronts", "sparse"};
    vgLinBackend backend = VG_LIN_AUTO;
    for (int k = 0; k < 5; k++)
        if (argc > 1 && strcmp(argv[1], names[k]) == 0) backend = (vgLinBackend)k;
    int largest = backend == VG_LIN_DENSE ? 10 : 10000;
    printf("%-22s %6s %-6s %10s %10s %10s %9s %9s %9s %8s %6s %6s\n", "microseconds", "rows", "", "setup",
           "factor", "solve", "setup/b", "factor/b", "solve/b", "bytes/b", "KLU:", "solve");
    report("heavy top", graph_chain(1, 6, 3, 1), 1, backend);
    report("pendulum, planar", graph_chain(1, 3, 2, 1), 1, backend);
    report("squeezer", graph_squeezer(1), 7, backend);
    for (int n = 10; n <= largest; n *= 10) {
        char name[32];
        snprintf(name, sizeof name, "spherical chain %d", n);
        report(name, graph_chain(n, 6, 3, 1), n, backend);
    }
    report("revolute chain 100", graph_chain(backend == VG_LIN_DENSE ? 10 : 100, 6, 5, 1), 100, backend);
    report("planar chain 100", graph_chain(backend == VG_LIN_DENSE ? 10 : 100, 3, 2, 1), 100, backend);
    if (backend != VG_LIN_DENSE) {
        report("grid 10 x 10", graph_grid(10, 10, 6, 3), 100, backend);
        report("grid 30 x 30", graph_grid(30, 30, 6, 2), 900, backend);
    }
    return 0;
}
