/* The same motion from every coordinates and constraints setting, to 1e-8 at small steps (1e-6 for penalty);
 * redundant constraints and singular positions; reactions; no allocation and the same bits. */
#include "test.h"

#include <math.h>

#include "base/alloc_count.h"
#include "run_model.h"

typedef struct Mechanism {
    const char *model, *angle, *rate;
    double step, end;
    const char *coordinates[8];
} Mechanism;

static const Mechanism mechanism[] = {
    {"pendulum",
     "joint.O.angle",
     "joint.O.rate",
     1e-3,
     0.2,
     {"lie", "cayley", "se3", "euler-parameters", "euler-angles", "natural", "relative"}},
    {"double-pendulum", "joint.J2.angle", "joint.J2.rate", 5e-5, 0.01, {"planar", "natural", "relative"}},
    {"slider-crank", "joint.O.angle", "joint.O.rate", 1e-3, 0.1, {"planar", "natural", "relative"}},
    {"slider-crank-3d",
     "joint.A.angle",
     "joint.A.rate",
     5e-4,
     0.05,
     {"lie", "se3", "euler-parameters", "natural", "relative"}},
    {"squeezer", "joint.O.angle", "joint.O.rate", 1e-5, 1e-3, {"planar", "natural", "relative"}},
    {"puma560",
     "joint.J2.angle",
     "joint.J2.rate",
     1e-3,
     0.05,
     {"lie", "euler-parameters", "natural", "relative"}},
};
enum { NMECHANISM = sizeof mechanism / sizeof mechanism[0] };

static const struct {
    const char *constraints, *integrator;
    double tol;
} setting[] = {
    {"index1", "rk4", 1e-8},
    {"index3", "radau3", 1e-8},
    {"augmented3", "radau3", 1e-8},
    {"augmented1", "rk4", 1e-8},
    {"augmented1", "radau3", 1e-8},
    {"independent", "rk4", 1e-8},
    {"independent", "radau3:acc=1e-9,tol=1e-13", 1e-8},
    {"penalty", "rk4", 1e-6},
    {"penalty", "radau3", 1e-6},
};
enum { NSETTING = sizeof setting / sizeof setting[0] };

TEST(same_motion)
{
    for (int m = 0; m < NMECHANISM; m++) {
        const Mechanism *x = &mechanism[m];
        runSpec exact = {.model = x->model,
                         .constraints = "index1",
                         .integrator = "dop853:rtol=1e-12,atol=1e-14",
                         .step = x->step,
                         .end = x->end,
                         .channel = {x->angle, x->rate}};
        runResult ref = run_model(&exact);
        CHECK_INT(ref.status, VG_OK);
        for (int c = 0; c < 8 && x->coordinates[c]; c++)
            for (int k = 0; k < NSETTING; k++) {
                runSpec spec = {.model = x->model,
                                .coordinates = x->coordinates[c],
                                .constraints = setting[k].constraints,
                                .integrator = setting[k].integrator,
                                .step = x->step,
                                .end = x->end,
                                .channel = {x->angle, x->rate}};
                runResult got = run_model(&spec);
                double turns = 6.283185307179586 * round((got.value[0] - ref.value[0]) / 6.283185307179586);
                double off = fabs(got.value[0] - turns - ref.value[0]);
                if (got.status != VG_OK || !(off <= setting[k].tol))
                    printf("%s %s %s %s: %s off by %.2e rad, %.2e rad/s\n", x->model, x->coordinates[c],
                           setting[k].constraints, setting[k].integrator, got.error, off,
                           got.value[1] - ref.value[1]);
                CHECK_INT(got.status, VG_OK);
                CHECK(off <= setting[k].tol);
            }
    }
}

/* Slider-crank with two bars of one length: at a right angle the rod may as well turn with the crank, and the
 * rows of B depend on each other. Driven by a constant torque from rest, the kinetic energy is its work, and
 * on the branch it came from the slider stands at 2 L cos θ. */
TEST(singular_position)
{
    static const char *const coordinates[] = {"planar", "relative", "natural"};
    static const char *const constraints[] = {"augmented3", "independent"};
    static const double step[] = {2e-3, 1e-3, 5e-4, 2e-4};
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 2; k++)
            for (int h = 0; h < 4; h++) {
                runSpec spec = {.model = "slider-crank-torque",
                                .coordinates = coordinates[c],
                                .constraints = constraints[k],
                                .integrator = "trapezoidal",
                                .step = step[h],
                                .end = 0.6,
                                .set = {"L2=0.1"},
                                .channel = {"joint.O.angle", "energy.kinetic", "body.slider.position.x"}};
                runResult r = run_model(&spec);
                CHECK_INT(r.status, VG_OK);
                CHECK(r.value[0] > 2.3); /* well beyond */
                CHECK_NEAR(r.value[1], 0.1 * r.value[0], 3e-5);
                CHECK_NEAR(r.value[2], 0.2 * cos(r.value[0]), 1e-9);
            }
}

/* A planar four-bar of spatial revolutes: three rows too many. Carried by augmented3, dropped by index3. */
static const char four_bar[] =
    "verge: 1\ngravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  ground: {markers: {D: [0.5, 0, 0]}}\n"
    "  crank: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0.1, 0], omega: [0, 0, 4], velocity: "
    "[-0.4, 0, 0], markers: {O: [0, -0.1, 0], A: [0, 0.1, 0]}}\n"
    "  rod: {mass: 2, inertia: [0.01, 0.05, 0.05], position: [0.25, 0.25, 0], markers: {A: [-0.25, -0.05, "
    "0], B: [0.25, 0.05, 0]}}\n"
    "  rocker: {mass: 1.5, inertia: [0.02, 0.02, 0.02], position: [0.5, 0.15, 0], markers: {D: [0, -0.15, "
    "0], B: [0, 0.15, 0]}}\n"
    "joints:\n"
    "  O: {revolute: [ground, crank.O], axis: z}\n"
    "  A: {revolute: [crank.A, rod.A], axis: z}\n"
    "  B: {revolute: [rod.B, rocker.B], axis: z}\n"
    "  D: {revolute: [ground.D, rocker.D], axis: z}\n";

typedef struct Four {
    double value[8], first[8];
    int redundant, freedom;
    long allocations;
} Four;

static Four run_four_bar(const char *coordinates, const char *constraints, const char *integrator, int steps,
                         double h)
{
    static const char *const names[] = {"joint.O.angle",   "joint.O.rate",    "joint.A.force.x",
                                        "joint.A.force.y", "joint.A.force.z", "joint.A.torque.x",
                                        "joint.D.force.x", "energy.total"};
    Four out = {0};
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_parse(four_bar, strlen(four_bar), "four-bar", NULL, 0, diag);
    vgSimulation sim = {0};
    vgChannels *channels = NULL;
    vgDials dials = {coordinates, constraints, integrator};
    vgStatus st = m ? vg_simulation_open(m, &dials, diag, &sim) : VG_BAD_INPUT;
    if (st == VG_OK) st = vg_channels_new(sim.sys, names, 8, diag, &channels);
    if (st != VG_OK) printf("%s\n", vg_diag_line(diag, 0));
    CHECK_INT(st, VG_OK);
    if (st == VG_OK) {
        vg_work_bind(sim.it->work, sim.state);
        vg_channels_eval(channels, sim.it->work, sim.state, out.first);
        CHECK_INT(sim.it->row->start(sim.it, sim.state), VG_OK);
        for (int i = 0; i < steps; i++) {
            long before = alloc_count();
            CHECK_INT(vg_integrator_advance(sim.it, sim.state, h), VG_OK);
            vg_work_accept(sim.sys, sim.it->work, sim.state);
            out.allocations += alloc_count() - before;
        }
        vg_channels_eval(channels, sim.it->work, sim.state, out.value);
        out.redundant = sim.assembly.nredundant;
        out.freedom = sim.assembly.freedom;
    }
    vg_channels_free(channels);
    if (sim.sys) vg_simulation_close(&sim);
    if (m) vg_model_free(m);
    vg_diag_free(diag);
    return out;
}

TEST(redundant_four_bar)
{
    Four ref = run_four_bar("lie", "index3", "radau3", 60, 1e-3);
    CHECK_INT(ref.redundant, 3);
    static const char *const coordinates[] = {"lie", "se3", "euler-parameters", "relative"};
    for (int c = 0; c < 4; c++) {
        Four got = run_four_bar(coordinates[c], "augmented3", "radau3", 60, 1e-3);
        CHECK_INT(got.redundant, c == 3 ? ref.redundant : 3);
        CHECK_INT(got.freedom, 1);
        for (int i = 0; i < 8; i++) CHECK_NEAR(got.first[i], ref.first[i], 1e-6);
        CHECK_NEAR(got.value[0], ref.value[0], 1e-8);
        CHECK_NEAR(got.value[1], ref.value[1], 1e-6);
        CHECK_NEAR(got.value[7], got.first[7], 1e-6);
    }
}

/* A door on two hinges, one above the other: each carries half of its weight where the multipliers have least
 * norm, whatever the settings that carry repeated rows make of them. */
static const char door[] =
    "verge: 1\ngravity: [0, 0, -9.81]\nbodies:\n  ground: {}\n"
    "  door: {mass: 30, inertia: [8, 10, 2.5], position: [0.45, 0, 1], omega: [0, 0, 2], velocity: [0, 0.9, "
    "0]}\n"
    "joints:\n"
    "  H1: {revolute: [{body: ground, position: [0, 0, 0.3]}, {body: door, position: [-0.45, 0, -0.7]}]}\n"
    "  H2: {revolute: [{body: ground, position: [0, 0, 1.7]}, {body: door, position: [-0.45, 0, 0.7]}]}\n";

TEST(repeated_rows_share_reactions)
{
    static const struct {
        const char *constraints, *integrator;
    } way[] = {
        {"index3", "radau3"}, {"augmented3", "radau3"}, {"augmented3", "trapezoidal"}, {"augmented1", "rk4"}};
    static const char *const coordinates[] = {"lie", "euler-parameters"};
    for (int k = 0; k < 8; k++) {
        runSpec spec = {.text = door,
                        .coordinates = coordinates[k % 2],
                        .constraints = way[k / 2].constraints,
                        .integrator = way[k / 2].integrator,
                        .step = 1e-3,
                        .end = 0.2,
                        .channel = {"joint.H1.force.z", "joint.H2.force.z", "joint.H1.angle"}};
        runResult r = run_model(&spec);
        CHECK_INT(r.status, VG_OK);
        CHECK_NEAR(r.value[0], 0.5 * 30 * 9.81, 1e-4);
        CHECK_NEAR(r.value[1], 0.5 * 30 * 9.81, 1e-4);
        CHECK_NEAR(r.value[2], 0.4, 2e-7); /* at order 2 */
    }
}

/* A rolling disc: one row of positions and two of velocities. */
static const char disc[] = "verge: 1\ngravity: [0, 0, -9.81]\nbodies:\n  ground: {}\n"
                           "  disc: {mass: 2, inertia: [0.02, 0.04, 0.02], position: [0, 0, 0.2*cos(0.3)], "
                           "rotation: [0.3, 0, 0], omega: [0.2, 8, 0.5], velocity: [1.6, 0, 0]}\n"
                           "joints:\n  R: {rolling-disc: [ground, disc], radius: 0.2, axis2: y}\n";

TEST(rolling_disc)
{
    static const char *const coordinates[] = {"lie",          "se3",     "euler-parameters",
                                              "euler-angles", "natural", "relative"};
    static const char *const constraints[] = {"index1", "augmented1", "penalty", "independent"};
    runSpec spec = {.text = disc,
                    .coordinates = "lie",
                    .constraints = "index2",
                    .integrator = "radau3",
                    .step = 1e-3,
                    .end = 0.1,
                    .channel = {"body.disc.position.x", "body.disc.position.y", "body.disc.position.z",
                                "joint.R.force.x", "joint.R.force.z", "energy.total"}};
    runResult ref = run_model(&spec);
    spec.integrator = "rk4";
    for (int c = 0; c < 6; c++)
        for (int k = 0; k < 4; k++) {
            spec.coordinates = coordinates[c];
            spec.constraints = constraints[k];
            runResult r = run_model(&spec);
            CHECK_INT(r.status, VG_OK);
            for (int i = 0; i < 3; i++) CHECK_NEAR(r.value[i], ref.value[i], 1e-8);
            for (int i = 3; i < 5; i++) CHECK_NEAR(r.value[i], ref.value[i], k == 2 ? 2e-4 : 2e-5);
            CHECK_NEAR(r.value[5], ref.value[5], 2e-6);
        }
}

/* Steps of every setting allocate nothing and give the same bits twice; reactions agree. */
TEST(no_allocation_same_bits_same_reactions)
{
    static const char *const settings[] = {"index3", "augmented3", "augmented1", "penalty", "independent"};
    static const char *const coordinates[] = {"lie", "relative", "natural"};
    Four ref = run_four_bar("lie", "index1", "rk4", 100, 5e-4);
    CHECK(alloc_count_works());
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 5; k++) {
            Four a = run_four_bar(coordinates[c], settings[k], "trapezoidal", 100, 5e-4);
            Four b = run_four_bar(coordinates[c], settings[k], "trapezoidal", 100, 5e-4);
            CHECK_INT(a.allocations, 0);
            CHECK(memcmp(a.value, b.value, sizeof a.value) == 0);
            for (int i = 2; i < 4; i++) CHECK_NEAR(a.value[i], ref.value[i], 2e-2); /* of 30 N, at order 2 */
            CHECK_NEAR(a.value[6], ref.value[6], 2e-2);
        }
}

/* [G] problems 7/3–7/5: independent angles, penalties of 1e7, multipliers with the backward difference of
 * order one. The same motion, each at the order of its method. */
static double pendulum_error(const char *coordinates, const char *constraints, const char *integrator,
                             double h, double end, double ref)
{
    runSpec spec = {.model = "double-pendulum",
                    .coordinates = coordinates,
                    .constraints = constraints,
                    .integrator = integrator,
                    .step = h,
                    .end = end,
                    .set = {"k=100", "d=1"},
                    .channel = {"joint.J2.rate"}};
    runResult r = run_model(&spec);
    CHECK_INT(r.status, VG_OK);
    return ref == 0 ? r.value[0] : fabs(r.value[0] - ref);
}

TEST(garcia_de_jalon_problems)
{
    const char *exact = "dop853:rtol=1e-12,atol=1e-14";
    double ref = pendulum_error("relative", "index1", exact, 1e-4, 0.05, 0);
    static const char *const way[2][2] = {{"relative", "index1"}, {"natural", "penalty:alpha=1e7"}};
    for (int p = 0; p < 2; p++) {
        double coarse = pendulum_error(way[p][0], way[p][1], "trapezoidal", 2e-4, 0.05, ref);
        double fine = pendulum_error(way[p][0], way[p][1], "trapezoidal", 1e-4, 0.05, ref);
        CHECK(coarse / fine > 3 && coarse / fine < 5);
        CHECK(pendulum_error(way[p][0], way[p][1], "abm", 1e-4, 0.05, ref) < 2e-3);
    }
    double near = pendulum_error("relative", "index1", exact, 1e-4, 0.01, 0);
    double coarse = pendulum_error("natural", "index3", "bdf1", 1e-5, 0.01, near);
    double fine = pendulum_error("natural", "index3", "bdf1", 5e-6, 0.01, near);
    CHECK(coarse / fine > 1.7 && coarse / fine < 2.4);
}

/* [D] section 5: one leading matrix a step serves both stages of SDIRK, with the same result. */
TEST(sdirk_with_one_matrix)
{
    runSpec one = {.model = "slider-crank-3d",
                   .coordinates = "relative",
                   .constraints = "augmented1",
                   .integrator = "sdirk",
                   .step = 5e-4,
                   .end = 0.1,
                   .channel = {"joint.A.angle"}};
    runSpec two = one;
    two.integrator = "sdirk:once=0";
    runResult a = run_model(&one), b = run_model(&two);
    CHECK_INT(a.status, VG_OK);
    CHECK_NEAR(a.value[0], b.value[0], 1e-7);
    CHECK_INT(2 * a.end.stats.jacobians, b.end.stats.jacobians);
}

TEST_MAIN(garcia_de_jalon_problems, sdirk_with_one_matrix, same_motion, singular_position, redundant_four_bar,
          repeated_rows_share_reactions, rolling_disc, no_allocation_same_bits_same_reactions)
