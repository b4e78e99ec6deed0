/* The momentum that a run watches: groups of bodies are found whatever the order of the bodies in the file, and what a
 * closed form says of them is what is reported. */
#include <math.h>

#include "run_model.h"
#include "test.h"

/* A chain a – b – c, held by the ground at c or free, with the bodies in every order. */
static const char *const order[6][3] = {{"a", "b", "c"}, {"a", "c", "b"}, {"b", "a", "c"},
                                        {"b", "c", "a"}, {"c", "a", "b"}, {"c", "b", "a"}};

static runResult chain(const char *const *names, int held, double gravity)
{
    char text[2000];
    int n = snprintf(text, sizeof text, "verge: 1\ngravity: %g\nbodies:\n", gravity);
    for (int i = 0; i < 3; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "  %s: {mass: 2, inertia: [0.1, 0.2, 0.3], position: [%d, 0, 0], omega: [0, 0, 1], "
                      "velocity: [0, %d, 0]}\n",
                      names[i], names[i][0] - 'a', names[i][0] - 'a');
    n += snprintf(
        text + n, sizeof text - (size_t)n,
        "joints:\n  ab: {spherical: [a, b], at: [0.5, 0, 0]}\n  bc: {spherical: [b, c], at: [1.5, 0, 0]}\n");
    if (held) snprintf(text + n, sizeof text - (size_t)n, "  cg: {spherical: [c, ground], at: [2, 0, 0]}\n");
    runSpec spec = {.text = text,
                    .integrator = "generalized-alpha",
                    .step = 1e-3,
                    .end = 0.2,
                    .every = 1,
                    .channel = {"energy.total"}};
    return run_model(&spec);
}

TEST(a_free_chain_keeps_its_momentum_in_every_order_of_its_bodies)
{
    for (int i = 0; i < 6; i++) {
        runResult r = chain(order[i], 0, 9.81); /* p falls by m g t: no change of what is conserved */
        CHECK_INT(r.status, VG_OK);
        CHECK(r.end.watch.momentum.value < 1e-6);
    }
}

TEST(a_chain_that_is_held_has_none_to_keep)
{
    for (int i = 0; i < 6; i++) {
        runResult r = chain(order[i], 1, 9.81);
        CHECK_INT(r.status, VG_OK);
        CHECK(r.end.watch.momentum.value == 0);
    }
}

/* Bodies beyond a thousand are watched too: each free body is a group of its own. */
TEST(many_bodies_are_watched)
{
    const char *text = "verge: 1\nrepeat: {index: i, from: 1, to: 1500, bodies: {\"b{i}\": {mass: 1, "
                       "inertia: [1, 2, 3], position: [3*i, 0, 0], omega: [0.1, 3, 0.1]}}}\n";
    runSpec spec = {.text = text,
                    .coordinates = "se3",
                    .integrator = "generalized-alpha",
                    .step = 0.05,
                    .end = 0.5,
                    .every = 1,
                    .channel = {"energy.total"}};
    runResult r = run_model(&spec);
    CHECK(r.end.watch.momentum.value > 0); /* the method's own error: rotating bodies in SE(3) */
}

TEST_MAIN(a_free_chain_keeps_its_momentum_in_every_order_of_its_bodies, a_chain_that_is_held_has_none_to_keep,
          many_bodies_are_watched)
