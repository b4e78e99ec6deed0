/* Coordinates `cayley`: rotations of a step by Cayley–Gibbs–Rodrigues parameters. The same orders as with the
 * exponential map, the same limit. */
#include "run_model.h"
#include "runs.h"
#include "test.h"

typedef struct Case {
    const char *name;
    double step, order;
} Case;

TEST(orders_on_the_free_top)
{
    static const Case cases[] = {{"generalized-alpha", 5e-4, 2},
                                 {"newmark:gamma=0.5,beta=0.25", 5e-4, 2},
                                 {"bdf2", 2.5e-4, 2},
                                 {"bdf3", 2.5e-4, 3},
                                 {"lms2", 5e-4, 2},
                                 {"ss2", 5e-4, 2},
                                 {"bathe", 5e-4, 2},
                                 {"esdirk324", 2e-4, 3},
                                 {"esdirk436", 2e-4, 4},
                                 {"radau2", 5e-4, 3},
                                 {"midpoint", 5e-4, 2},
                                 {"rk4", 5e-4, 4},
                                 {"ab3", 2e-4, 3},
                                 {"wilson-theta", 2e-4, 2}};
    Final ref = final_of("heavy-top-free.yaml", "lie", "dopri5:rtol=1e-13,atol=1e-14", 1e-5, 0.1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Order o = order_of("heavy-top-free.yaml", "cayley", cases[i].name, cases[i].step, 0.1, &ref);
        if (!(fabs(o.q - cases[i].order) < 0.15 && fabs(o.v - cases[i].order) < 0.15))
            printf("%s: orders %.2f, %.2f (%g)\n", cases[i].name, o.q, o.v, o.e_q);
        CHECK_NEAR(o.q, cases[i].order, 0.15);
        CHECK_NEAR(o.v, cases[i].order, 0.15);
    }
}

/* With a joint: the top on its tip, constraints at position level and stabilised. */
TEST(orders_on_the_held_top)
{
    runSpec fine = {
        .model = "heavy-top",
        .coordinates = "lie",
        .constraints = "index1",
        .integrator = "dopri5:rtol=1e-12,atol=1e-13",
        .end = 0.2,
        .channel = {"marker.top.com.position.x", "marker.top.com.position.y", "marker.top.com.position.z"}};
    runResult ref = run_model(&fine);
    CHECK_INT(ref.status, VG_OK);
    static const struct {
        const char *name, *constraints;
        double step, order;
    } cases[] = {{"generalized-alpha:acc=1e-10", "index3", 1e-3, 2},
                 {"generalized-alpha:acc=1e-10", "index2", 1e-3, 2},
                 {"bathe:acc=1e-10", "index3", 1e-3, 2},
                 {"esdirk324:acc=1e-10", "index2", 1e-3, 3},
                 {"bdf3:acc=1e-10", "index2", 2.5e-4, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double e[2] = {0};
        for (int k = 0; k < 2; k++) {
            runSpec s = fine;
            s.coordinates = "cayley";
            s.constraints = cases[i].constraints;
            s.integrator = cases[i].name;
            s.step = cases[i].step / (k + 1);
            runResult r = run_model(&s);
            CHECK_INT(r.status, VG_OK);
            for (int c = 0; c < 3; c++) e[k] = fmax(e[k], fabs(r.value[c] - ref.value[c]));
        }
        double order = log2(e[0] / e[1]);
        if (fabs(order - cases[i].order) > 0.15) printf("%s: order %.2f\n", cases[i].name, order);
        CHECK_NEAR(order, cases[i].order, 0.15);
    }
}

/* Both maps go to the same motion: runs to a tolerance agree far below what one step of either changes. */
TEST(same_limit_as_the_exponential_map)
{
    static const char *const names[] = {"dopri5:rtol=1e-12,atol=1e-13", "radau3"};
    for (int k = 0; k < 2; k++) {
        Final a = final_of("heavy-top-free.yaml", "lie", names[k], k ? 1e-4 : 0, 0.1),
              b = final_of("heavy-top-free.yaml", "cayley", names[k], k ? 1e-4 : 0, 0.1);
        CHECK(a.ok && b.ok);
        CHECK_NEAR(distance(a.q, b.q, a.nq), 0, 2e-9);
        CHECK_NEAR(distance(a.v, b.v, a.nv), 0, 2e-6);
        CHECK(distance(a.q, b.q, a.nq) > 0);
    }
}

TEST_MAIN(orders_on_the_free_top, orders_on_the_held_top, same_limit_as_the_exponential_map)
