/* Expressions with their switches held: the value follows the given side, and the gradient is that of it. */
#include <math.h>

#include "element/law/expr.h"
#include "test.h"

static int input(void *user, const char *name, int *slot)
{
    (void)user;
    *slot = name[0] - 'a' + 1;
    return name[1] == 0 && name[0] >= 'a' && name[0] <= 'c';
}

static vgTable *tent; /* (0, 0), (1, 2), (3, 0) */
static const vgTable *table(void *user, const char *name)
{
    (void)user;
    return name[0] == 'T' ? tent : NULL;
}

TEST(sides_decide)
{
    static const struct {
        const char *text;
        double a, b;
        int n;            /* switches */
        signed char side; /* of all of them */
        double value;
    } cases[] = {{"if(a > b, a*a, 3*b)", 1, 2, 1, 1, 1},
                 {"if(a > b, a*a, 3*b)", 3, 2, 1, -1, 6},
                 {"if(a <= b, 1, 2) + b", 5, 2, 1, -1, 3},
                 {"abs(a - b)", 1, 3, 1, 1, -2},
                 {"sign(a)*b", 2, 3, 1, -1, -3},
                 {"min(a, b)", 1, 2, 1, 1, 2},
                 {"max(a, b)^2", 1, 2, 1, 1, 1},
                 {"if(a > 0 and b > 0, a*b, -1)", -2, -3, 2, 1, 6},
                 {"if(t < a, b, 2*b)", 1, 2, 1, 1, 4},
                 {"sin(a)*b", 1, 2, 0, 1, 0},
                 /* the side that is held ends at its event: as it is */
                 {"if(a > 0, b*a^1.5, -2*b)", -1, 3, 1, 1, -6},
                 {"b*sqrt(max(a, 0)) + 1", -4, 3, 1, 1, 1},
                 /* pieces between knots take turns: behind a knot the one before goes on, also the ends */
                 {"table(T, a)", 1.25, 0, 1, -1, 2.5},
                 {"table(T, a)", 0.75, 0, 1, 1, 2.25},
                 {"table(T, a)", -0.25, 0, 1, -1, -0.5},
                 {"table(T, a)", 3.25, 0, 1, 1, -0.25},
                 {"table(T, a)", 2.75, 0, 1, -1, 0},
                 {"step(a, 0, 0, 1, 1)", 1.2, 0, 1, 1, 0.864},
                 {"step(a, 0, 0, 1, 1)", 0.9, 0, 1, -1, 1},
                 {"step(a, 0, 0, 1, 1)", 0.1, 0, 1, -1, 0}};
    CHECK_INT(vg_table_new(3, (double[]){0, 1, 3}, (double[]){0, 2, 0}, VG_TABLE_LINEAR, VG_TABLE_HOLD, NULL,
                           &tent),
              VG_OK);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        vgExprScope scope = {.input = input, .table = table};
        vgExpr *e = vg_expr_compile(cases[k].text, &scope);
        CHECK(e != NULL);
        if (!e) continue;
        double in[4] = {0}, g[8], grad[4], other[4];
        int n = vg_expr_ninputs(e);
        for (int i = 0; i < n; i++)
            in[i] = vg_expr_input(e, i) == 1 ? cases[k].a : vg_expr_input(e, i) == 2 ? cases[k].b : 0;
        signed char side[8];
        for (int i = 0; i < 8; i++) side[i] = cases[k].side;
        CHECK_INT(vg_expr_switches(e, in, g, 8), cases[k].n);
        double value = vg_expr_grad_held(e, in, side, grad);
        if (cases[k].n) CHECK_NEAR(value, cases[k].value, 1e-14);
        for (int i = 0; i < n; i++) {
            double h = 1e-5, x[4];
            memcpy(x, in, sizeof x);
            x[i] = in[i] + h;
            double up = vg_expr_grad_held(e, x, side, NULL);
            x[i] = in[i] - h;
            CHECK_NEAR(grad[i], (up - vg_expr_grad_held(e, x, side, NULL)) / (2 * h), 1e-8);
        }
        /* held on the side where it is, nothing changes */
        for (int i = 0; i < cases[k].n; i++) side[i] = g[i] > 0 ? 1 : -1;
        CHECK_NEAR(vg_expr_grad_held(e, in, side, grad), vg_expr_grad(e, in, other), 0);
        for (int i = 0; i < n; i++) CHECK_NEAR(grad[i], other[i], 0);
        vg_expr_free(e);
    }
    vg_table_free(tent);
}

TEST_MAIN(sides_decide)
