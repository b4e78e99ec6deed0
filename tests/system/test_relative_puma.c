/* The Puma 560 in joint coordinates against published numbers at the configuration qn = (0, 45, 180, 0, 45,
 * 0) degrees (Corke's toolbox; ten digits by an independent Newton–Euler program). */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/run/simulation.h"

static const double PI = 3.14159265358979323846;

typedef struct arm {
    vgDiag *diag;
    vgModel *m;
    vgSimulation sim;
    double q[6];
} arm;

static int open_arm(arm *a, int motors, const double *tau)
{
    char path[512], name[6][8];
    vgParamSet set[8] = {{"motors", motors, NULL}, {"load", tau != NULL, NULL}};
    int n = 2;
    for (int i = 0; tau && i < 6; i++) {
        snprintf(name[i], sizeof name[i], "tau%d", i + 1);
        set[n++] = (vgParamSet){name[i], tau[i], NULL};
    }
    snprintf(path, sizeof path, "%s/models/puma560.yaml", VERGE_SOURCE_DIR);
    a->diag = vg_diag_new();
    a->m = vg_model_load(path, set, n, a->diag);
    vgDials dials = {"relative", NULL, "generalized-alpha"};
    if (!a->m || vg_simulation_open(a->m, &dials, a->diag, &a->sim) != VG_OK) {
        printf("%s\n", vg_diag_count(a->diag) ? vg_diag_line(a->diag, 0) : "?");
        return 0;
    }
    double qn[6] = {0, PI / 4, PI, 0, PI / 4, 0};
    memcpy(a->q, qn, sizeof qn);
    vg_work_bind(a->sim.it->work, a->sim.state);
    return 1;
}

static void close_arm(arm *a)
{
    vg_simulation_close(&a->sim);
    vg_model_free(a->m);
    vg_diag_free(a->diag);
}

static void torques(arm *a, const double *v, const double *acc, double *tau)
{
    const vgSystem *sys = a->sim.sys;
    sys->ops->residual(sys, a->sim.it->work, 0, a->q, v, acc, NULL, tau, NULL);
}

static const double zero[6], one[6] = {1, 1, 1, 1, 1, 1};
static const double gravity[6] = {0, 31.6398803784, 6.0351380230, 0, 0.0282528000, 0};

TEST(six_coordinates_and_no_constraints)
{
    arm a;
    CHECK(open_arm(&a, 0, NULL));
    CHECK_INT(a.sim.sys->nv, 6);
    CHECK_INT(a.sim.sys->nl, 0);
    CHECK_INT(a.sim.assembly.freedom, 6);
    close_arm(&a);
}

TEST(gravity_and_inverse_dynamics)
{
    static const double moving[6] = {-1.3910743711, 33.4227989677, 5.2831112681,
                                     0.0012230818,  0.0306322785,  0.0001482843};
    static const double speeding[6] = {3.3531108581, 36.0025112440, 7.4259640774,
                                       0.1900430346, 0.2034409311,  0.1941327899};
    arm a;
    double tau[6];
    CHECK(open_arm(&a, 0, NULL));
    torques(&a, zero, zero, tau);
    for (int i = 0; i < 6; i++) CHECK_NEAR(tau[i], gravity[i], 1e-9);
    torques(&a, one, zero, tau);
    for (int i = 0; i < 6; i++) CHECK_NEAR(tau[i], moving[i], 1e-9);
    close_arm(&a);
    CHECK(open_arm(&a, 1, NULL));
    torques(&a, zero, one, tau);
    for (int i = 0; i < 6; i++) CHECK_NEAR(tau[i], speeding[i], 1e-9);
    close_arm(&a);
}

TEST(mass_matrix_by_unit_accelerations)
{
    static const double diag[2][6] = {
        {2.8753454435, 2.0889270886, 0.3609682433, 0.00174108, 0.00064216, 0.00004},
        {3.6593754122, 4.4137419336, 0.9378415752, 0.1925317061, 0.1713484517, 0.1941045057}};
    double want[6][6] = {{0}};
    want[0][1] = -0.4043612460, want[0][2] = 0.1006136478, want[0][3] = -0.0025169558;
    want[1][2] = 0.3508906650, want[1][4] = 0.0023595131, want[2][4] = 0.0014801664;
    want[3][5] = 0.0000282843;
    for (int motors = 0; motors < 2; motors++) {
        arm a;
        CHECK(open_arm(&a, motors, NULL));
        for (int k = 0; k < 6; k++) {
            double unit[6] = {0}, tau[6], still[6];
            unit[k] = 1;
            torques(&a, zero, unit, tau);
            torques(&a, zero, zero, still);
            for (int i = 0; i < 6; i++) {
                double m = i == k ? diag[motors][k] : i < k ? want[i][k] : want[k][i];
                CHECK_NEAR(tau[i] - still[i], m, 1e-9);
            }
        }
        close_arm(&a);
    }
}

TEST(forward_dynamics)
{
    static const double tau[6] = {1, 3.2, 1.8, 0.1, 0.7, 4.6}, v[6] = {0.1, 0.2, 0.8, 0.2, 0.5, 1.0};
    static const double want[6] = {-0.3540475686, -6.3989262832, -2.0684942475,
                                   0.5112435386,  4.0212231565,  23.6984540652};
    arm a;
    double acc[6], lambda[1];
    CHECK(open_arm(&a, 1, tau));
    const vgSystem *sys = a.sim.sys;
    CHECK_INT(sys->ops->accel(sys, a.sim.it->work, 0, a.q, v, acc, lambda), VG_OK);
    for (int i = 0; i < 6; i++) CHECK_NEAR(acc[i], want[i], 1e-9 * (1 + fabs(want[i])));
    close_arm(&a);
}

/* The tracking task of [H] 4.4: the arm ends where the bang-bang motion does, increments in degrees. */
TEST(tracking_reaches_the_goal)
{
    static const double by[6] = {-120, 60, -200, 90, 90, 45}, from[6] = {0, 22.5, 90, 0, 22.5, 0};
    char path[512];
    snprintf(path, sizeof path, "%s/models/puma560.yaml", VERGE_SOURCE_DIR);
    vgParamSet set[1] = {{"track", 1, NULL}};
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_load(path, set, 1, diag);
    vgDials dials = {"relative", NULL, "generalized-alpha"};
    vgSimulation sim;
    CHECK(m != NULL);
    CHECK_INT(vg_simulation_open(m, &dials, diag, &sim), VG_OK);
    sim.it->step_hint = 1e-3;
    CHECK_INT(sim.it->row->start(sim.it, sim.state), VG_OK);
    for (int k = 0; k < 1300; k++) {
        CHECK_INT(vg_integrator_advance(sim.it, sim.state, 1e-3), VG_OK);
        vg_work_accept(sim.sys, sim.it->work, sim.state);
    }
    for (int i = 0; i < 6; i++) CHECK_NEAR(sim.state->q[i], (from[i] + by[i]) * PI / 180, 3e-3);
    vg_simulation_close(&sim);
    vg_model_free(m);
    vg_diag_free(diag);
}

TEST_MAIN(six_coordinates_and_no_constraints, gravity_and_inverse_dynamics, mass_matrix_by_unit_accelerations,
          forward_dynamics, tracking_reaches_the_goal)
