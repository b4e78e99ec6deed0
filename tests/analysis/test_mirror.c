/* A car that is its own mirror image, on a road that is: it goes straight on, left is as right, and what is
 * steered to one side is the mirror image of what is steered to the other. The rest that a run starts from
 * has nothing to hold it sideways and in yaw, so that whatever the search adds there the car goes on with. */
#include <math.h>

#include "run_model.h"
#include "test.h"

#define CHASSIS "body.chassis."
static const char *const even[] = {CHASSIS "position.x", CHASSIS "position.z", CHASSIS "rotation.y"};
static const char *const odd[] = {CHASSIS "position.y", CHASSIS "rotation.x", CHASSIS "rotation.z",
                                  CHASSIS "velocity.y"};
static const char *const corner[] = {"force.tyre%d.normal", "force.leaf%d.force", "force.shock%d.force",
                                     "force.tyre%d.lateral"};
enum {
    EVEN = sizeof even / sizeof even[0],
    ODD = sizeof odd / sizeof odd[0],
    CORNER = sizeof corner / sizeof corner[0],
    NAME = 40,
    AXLES = 2
};

/* even, odd, then a pair of left and right for each axle and kind, the lateral ones (odd) last. */
static runResult drive(double end, const char *const set[3])
{
    static char names[AXLES * 2 * CORNER][NAME];
    runSpec spec = {.model = "iltis", .step = 2.5e-4, .end = end};
    int n = 0, k = 0;
    for (int i = 0; i < 3; i++) spec.set[i] = set[i];
    for (int i = 0; i < EVEN; i++) spec.channel[n++] = even[i];
    for (int i = 0; i < ODD; i++) spec.channel[n++] = odd[i];
    for (int i = 0; i < CORNER; i++)
        for (int c = 1; c <= 2 * AXLES; c++, k++) {
            snprintf(names[k], NAME, corner[i], c);
            spec.channel[n++] = names[k];
        }
    runResult out = run_model(&spec);
    CHECK_INT(out.status, VG_OK);
    return out;
}

/* b is the mirror image of a: metres and radians to 1e-8, forces to 1e-4 N. */
static void check_mirror(const runResult *a, const runResult *b)
{
    const double *x = a->value, *y = b->value;
    for (int i = 0; i < EVEN; i++) CHECK_NEAR(x[i], y[i], 1e-8);
    for (int i = EVEN; i < EVEN + ODD; i++) CHECK_NEAR(x[i], -y[i], 1e-8);
    x += EVEN + ODD, y += EVEN + ODD;
    for (int i = 0; i < CORNER; i++)
        for (int left = 0; left < 2 * AXLES; left += 2, x += 2, y += 2) {
            int sign = i == CORNER - 1 ? -1 : 1;
            CHECK_NEAR(x[0], sign * y[1], 1e-4);
            CHECK_NEAR(x[1], sign * y[0], 1e-4);
        }
}

TEST(rest_is_its_own_mirror_image)
{
    runResult r = drive(2.5e-4, (const char *const[3]){NULL});
    check_mirror(&r, &r);
}

TEST(bump_under_both_tracks_leads_straight_on)
{
    runResult r = drive(2.5, (const char *const[3]){NULL});
    CHECK(r.value[0] > 23);
    check_mirror(&r, &r);
}

TEST(steering_left_mirrors_steering_right)
{
    runResult left = drive(1.5, (const char *const[3]){"bump=0", "speed=20", "steer=0.002"});
    runResult right = drive(1.5, (const char *const[3]){"bump=0", "speed=20", "steer=-0.002"});
    CHECK(fabs(left.value[EVEN]) > 0.5);
    check_mirror(&left, &right);
}

TEST_MAIN(rest_is_its_own_mirror_image, bump_under_both_tracks_leads_straight_on,
          steering_left_mirrors_steering_right)
