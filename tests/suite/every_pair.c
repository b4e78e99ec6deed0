/* The same motion from every pair of coordinates and constraints that goes together, on seven mechanisms: to
 * 1e-8 at small steps (1e-6 for penalty) of the motion in joint coordinates by an eighth-order method. */
#include <math.h>

#include "integrator/pairs.h"
#include "run_model.h"
#include "suite/mixed.h"
#include "test.h"

typedef struct Mechanism {
    const char *model, *channel[3];
    double step, end;
    int kind; /* 1 planar, 2 spatial */
    const char *set[3], *explicit_way, *implicit_way;
} Mechanism;

static const char rk4[] = "rk4", radau[] = "radau3:acc=1e-9,tol=1e-13";

static const Mechanism mechanism[] = {
    {"pendulum", {"joint.O.angle", "joint.O.rate"}, 1e-3, 0.1, 2, {0}, rk4, radau},
    {"double-pendulum", {"joint.J2.angle", "joint.J1.angle"}, 5e-5, 0.005, 1, {0}, rk4, radau},
    {"slider-crank", {"joint.O.angle"}, 1e-3, 0.05, 1, {0}, rk4, radau},
    {"slider-crank-3d", {"joint.A.angle"}, 5e-4, 0.025, 2, {0}, rk4, radau},
    {"squeezer", {"joint.O.angle"}, 1e-5, 5e-4, 1, {0}, rk4, radau},
    {"puma560", {"joint.J2.angle", "joint.J3.angle"}, 1e-3, 0.03, 2, {0}, rk4, radau},
    {"iltis",
     {"body.chassis.position.z", "body.wheel1.position.z", "body.chassis.rotation.z"},
     1e-3,
     0.02,
     2,
     {"bump=0", "speed=20", "sine=0.002"},
     "dop853:rtol=1e-9,atol=1e-10",
     radau},
};
enum { NMECHANISM = sizeof mechanism / sizeof mechanism[0] };

static int mixed; /* bodies have coordinates of their own */

/* Channels at the end, from the placement of the model (no search for an equilibrium); 0: refused or failed.
 */
static int run(const Mechanism *x, const char *coordinates, const char *constraints, const char *integrator,
               double value[3])
{
    char path[512], names[4][64];
    runSpec spec = {.set = {x->set[0], x->set[1], x->set[2]}};
    vgParamSet set[4] = {0};
    int nset = run_params(&spec, set, names), n = 0;
    vgDiag *diag = vg_diag_new();
    vgSimulation sim = {0};
    vgChannels *channels = NULL;
    vgTransientResult end = {0};
    snprintf(path, sizeof path, "%s/models/%s.yaml", VERGE_SOURCE_DIR, x->model);
    vgModel *model = vg_model_load(path, set, nset, diag);
    if (model) model->run.equilibrium = 0;
    if (model && mixed) mix_bodies(model, 0);
    vgStatus st =
        model ? vg_simulation_open(model, &(vgDials){coordinates, constraints, integrator}, diag, &sim)
              : VG_BAD_INPUT;
    while (n < 3 && x->channel[n]) n++;
    if (st == VG_OK) st = vg_channels_new(sim.sys, x->channel, n, diag, &channels);
    if (st == VG_OK) {
        vgTransientOptions o = {.step = x->step, .end = x->end, .every = 1 << 30};
        st = vg_transient_run(sim.it, sim.state, &o, NULL, &end);
        vg_channels_eval(channels, sim.it->work, sim.state, value);
    }
    if (st != VG_OK)
        printf("%s %s %s %s: %s%s\n", x->model, coordinates, constraints, integrator,
               vg_diag_count(diag) ? vg_diag_line(diag, 0) : "", end.failure.text);
    vg_channels_free(channels);
    if (sim.sys) vg_simulation_close(&sim);
    if (model) vg_model_free(model);
    vg_diag_free(diag);
    return st == VG_OK;
}

static void check_pair(const Mechanism *x, const char *coordinates, const vgConstraintsRow *c,
                       const double *ref)
{
    double tol = c->traits.settle == VG_SETTLE_NEVER ? 1e-6 : 1e-8, got[3] = {0};
    int ok = run(x, coordinates, c->name, c->flag & VG_CON_ACCEL ? x->explicit_way : x->implicit_way, got);
    CHECK(ok);
    for (int k = 0; ok && k < 3 && x->channel[k]; k++) {
        double off = fabs(remainder(got[k] - ref[k], 6.283185307179586));
        if (!(off <= tol))
            printf("%s %s%s %s: %s off by %.2e\n", x->model, coordinates, mixed ? " and others" : "", c->name,
                   x->channel[k], off);
        CHECK(off <= tol);
    }
}

TEST(same_motion_from_every_pair)
{
    for (int m = 0; m < NMECHANISM; m++) {
        const Mechanism *x = &mechanism[m];
        double ref[3] = {0};
        int pairs = 0;
        CHECK(run(x, "relative", "index1", "dop853:rtol=1e-12,atol=1e-14", ref));
        for (const vgCoordinatesRow *row = vg_coordinates_list; row->name; row++)
            for (const vgConstraintsRow *c = vg_constraints_list; c->name; c++) {
                if (!(row->models & x->kind) || !vg_pair_system(row, c)) continue;
                if (row->first_order && !(c->flag & VG_CON_INDEX1)) continue;
                check_pair(x, row->name, c, ref);
                pairs++;
            }
        CHECK(pairs >= (x->kind == 1 ? 28 : 50));
        mixed = 1;
        for (const vgConstraintsRow *c = vg_constraints_list; c->name && x->kind == 2; c++)
            check_pair(x, "lie", c, ref);
        mixed = 0;
    }
}

TEST_MAIN(same_motion_from_every_pair)
