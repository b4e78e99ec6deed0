/* Every order condition of the explicit tableaux, by rooted trees (Butcher 1963): with u_•= 1 and
 * u_t = Π (A u_child), a method has order p when Σ b_i u_t,i = 1/γ(t) for all trees of at most p nodes. */
#include "integrator/explicit/rk.h"
#include "test.h"

enum { MAX_ORDER = 9, MAX_TREES = 500, MAX_STAGES = 12 };

typedef struct Tree {
    int order;
    double gamma;
    int nchild, child[MAX_ORDER];
} Tree;

static Tree trees[MAX_TREES];
static int ntree, first_of[MAX_ORDER + 2];

/* Adds all trees whose children have `left` nodes together, none of higher number than `most`. */
static void add_children(Tree *t, int left, int most)
{
    if (left == 0) {
        trees[ntree++] = *t;
        return;
    }
    for (int c = most; c >= 0; c--) {
        if (trees[c].order > left) continue;
        Tree longer = *t;
        longer.child[longer.nchild++] = c;
        longer.gamma *= trees[c].gamma;
        add_children(&longer, left - trees[c].order, c);
    }
}

static void make_trees(void)
{
    if (ntree) return;
    for (int n = 1; n <= MAX_ORDER; n++) {
        first_of[n] = ntree;
        Tree t = {.order = n, .gamma = n};
        add_children(&t, n - 1, ntree - 1);
    }
    first_of[MAX_ORDER + 1] = ntree;
}

/* Σ w_i u_t,i */
static double weight(const vgTableau *tb, const double *w, const Tree *t)
{
    static double u[MAX_TREES][MAX_STAGES];
    int at = (int)(t - trees), n = tb->stages;
    double sum = 0;
    for (int i = 0; i < n; i++) u[at][i] = 1;
    for (int k = 0; k < t->nchild; k++) {
        weight(tb, w, &trees[t->child[k]]);
        for (int i = 0; i < n; i++) {
            double s = 0;
            for (int j = 0; j < n; j++) s += tb->a[i * n + j] * u[t->child[k]][j];
            u[at][i] *= s;
        }
    }
    for (int i = 0; i < n; i++) sum += w[i] * u[at][i];
    return sum;
}

/* Highest order whose conditions all hold, for weights b − scale·e. */
static int order_reached(const vgTableau *tb, const double *e, double tol)
{
    double w[MAX_STAGES];
    make_trees();
    for (int i = 0; i < tb->stages; i++) w[i] = tb->b[i] - (e ? e[i] : 0);
    for (int n = 1; n <= MAX_ORDER; n++)
        for (int t = first_of[n]; t < first_of[n + 1]; t++)
            if (!(fabs(weight(tb, w, &trees[t]) - 1 / trees[t].gamma) < tol)) return n - 1;
    return MAX_ORDER;
}

TEST(trees_are_complete)
{
    make_trees();
    static const int count[] = {1, 1, 2, 4, 9, 20, 48, 115, 286};
    for (int n = 1; n <= MAX_ORDER; n++) CHECK_INT(first_of[n + 1] - first_of[n], count[n - 1]);
}

static void check(const vgTableau *tb, int order, int embedded, int second)
{
    const double tol = 4e-14;
    CHECK_INT(tb->order, order);
    CHECK_INT(order_reached(tb, NULL, tol), order);
    CHECK_INT(tb->e ? order_reached(tb, tb->e, tol) : 0, embedded);
    CHECK_INT(tb->e2 ? order_reached(tb, tb->e2, tol) : 0, second);
    for (int i = 0; i < tb->stages; i++) {
        double c = 0;
        for (int j = 0; j < tb->stages; j++) {
            c += tb->a[i * tb->stages + j];
            if (j >= i) CHECK_NEAR(tb->a[i * tb->stages + j], 0, 0);
        }
        CHECK_NEAR(c, tb->c[i], 1e-14);
    }
    if (tb->fsal)
        for (int j = 0; j < tb->stages; j++)
            CHECK_NEAR(tb->a[(tb->stages - 1) * tb->stages + j], tb->b[j], 0);
}

static const vgTableau *tableau(const char *name)
{
    return vg_integrator_find(name)->data;
}

/* Every method of the family has the order that its row says, whoever added it. */
TEST(every_row_has_its_order)
{
    int found = 0;
    for (int i = 0; vg_integrators[i]; i++) {
        const vgIntegratorRow *row = vg_integrators[i];
        if (strcmp(row->family, vg_integrator_find("rk4")->family)) continue;
        const vgTableau *tb = row->data;
        int before = test_failed_checks;
        CHECK_INT(tb->stages, row->stages);
        CHECK_INT(order_reached(tb, NULL, 4e-14), row->order);
        if (test_failed_checks > before) printf("  in %s\n", row->name);
        found++;
    }
    CHECK(found >= 8);
}

TEST(orders)
{
    check(tableau("euler"), 1, 0, 0);
    check(tableau("heun"), 2, 0, 0);
    check(tableau("bs32"), 3, 2, 0);
    check(tableau("rk4"), 4, 0, 0);
    check(tableau("rkf45"), 4, 5, 0);
    check(tableau("dopri5"), 5, 4, 0);
    check(tableau("rk6"), 6, 0, 0);
    check(tableau("dop853"), 8, 5, 3);
}

TEST_MAIN(trees_are_complete, every_row_has_its_order, orders)
