/* Beams of the literature against values from elsewhere: the rod's equations integrated along its length by
 * another program (scipy's DOP853, shooting for the moment at the root, 1e-11), and what a free flight keeps.
 */
#include <math.h>

#include "moment.h"
#include "run_model.h"
#include "test.h"

/* The strip of the Princeton experiment: place of its tip and direction of the section's y axis there. */
TEST(princeton_beam)
{
    static const struct {
        double theta, P, tip[3], y[3];
    } c[] = {
        {0, 8.896, {0.507887589, 0, -0.009757199}, {0.028794785, 0, 0.999585344}},
        {30, 8.896, {0.500811664, -0.062114143, -0.046543259}, {0.022708184, -0.521012010, 0.853247223}},
        {45, 8.896, {0.494443852, -0.069166999, -0.080644413}, {0.016943543, -0.725948743, 0.687540063}},
        {60, 13.345, {0.468850525, -0.079458156, -0.159178949}, {0.011566265, -0.887888888, 0.459912540}},
        {90, 4.448, {0.501163515, 0, -0.075788607}, {0, -1, 0}}};
    static const char *const place[] = {"body.strip.17.position.x", "body.strip.17.position.y",
                                        "body.strip.17.position.z"};
    for (size_t k = 0; k < sizeof c / sizeof c[0]; k++) {
        vgParamSet set[] = {{.name = "theta", .value = c[k].theta * atan(1) / 45},
                            {.name = "P", .value = c[k].P}};
        momentRig m = moment_file("princeton", set, 2);
        m.sim.state->t = 1;
        moment_rest(&m, NULL);
        CHECK_INT(m.status, VG_OK);
        for (int i = 0; i < 3; i++) CHECK_NEAR(moment_channel(&m, place[i]), c[k].tip[i], 5e-7);
        const vgState *s = m.sim.state;
        const vgKin *kin = m.sim.sys->ops->kinematics(m.sim.sys, m.sim.it->work, s->t, s->q, s->v, s->a);
        const vgKin *tip = kin + vg_model_find_body(m.model, "strip.17");
        for (int i = 0; i < 3; i++) CHECK_NEAR(tip->R.m[i][1], c[k].y[i], 3e-6);
        moment_end(&m);
    }
}

/* An eighth of a circle of 100, clamped, with a force of 300 and 600 across its plane (Bathe, Bolourchi
 * 1979). */
TEST(bend_of_45_degrees)
{
    static const double tip[2][3] = {{58.77912249, 22.24478095, 40.19189167},
                                     {47.15043857, 15.68480053, 53.47485879}};
    for (int k = 0; k < 2; k++) {
        char text[700];
        snprintf(text, sizeof text,
                 "verge: 1\nmesh:\n"
                 "  b: {beam3: 8, from: ground, via: [['100*sin(pi/8)', '100*(1 - cos(pi/8))', 0]], to: "
                 "['100*sin(pi/4)', '100*(1 - cos(pi/4))', 0], curve: arc, EA: 1e7, GAy: 5e6, GJ: 1e7/12, "
                 "EIz: 1e7/12, m: 1}\n"
                 "forces: {tip: {force: b.17, value: [0, 0, %d]}}\n",
                 300 * (k + 1));
        momentRig m = moment_text(text);
        moment_rest(&m, &(vgEquilibriumOptions){.load_steps = 10});
        CHECK_INT(m.status, VG_OK);
        CHECK_NEAR(moment_channel(&m, "body.b.17.position.x"), tip[k][0], 5e-4);
        CHECK_NEAR(moment_channel(&m, "body.b.17.position.y"), tip[k][1], 5e-4);
        CHECK_NEAR(moment_channel(&m, "body.b.17.position.z"), tip[k][2], 5e-4);
        moment_end(&m);
    }
}

/* Momentum and centre of mass in closed form; energy and angular momentum, which nothing changes after the
 * kick, at 5 s and at 10 s; and the same flight by methods and coordinates that have little in common. */
TEST(flying_spaghetti)
{
    static const struct {
        const char *coordinates, *constraints, *integrator;
        double step, keeps; /* of energy, relative */
    } c[] = {{"lie", "index3", "generalized-alpha:rho=0.9", 0.01, 5e-5},
             {"lie", "index3", "esdirk436", 0.02, 1e-6},
             {"relative", "index3", "midpoint", 0.02, 1e-4},
             {"lie", "index1", "dopri5:rtol=1e-6,atol=1e-8", 0, 1e-6}};
    double tip[4][3];
    for (int k = 0; k < 4; k++) {
        double rows[3][9];
        runResult r = run_model(&(runSpec){
            .model = "spaghetti",
            .coordinates = c[k].coordinates,
            .constraints = c[k].constraints,
            .integrator = c[k].integrator,
            .step = c[k].step,
            .end = 10,
            .interval = 5,
            .channel = {"energy.total", "momentum.angular.x", "momentum.angular.y", "momentum.angular.z",
                        "momentum.x", "com.position.x", "body.rod.21.position.x", "body.rod.21.position.y",
                        "body.rod.21.position.z"},
            .rows = rows[0],
            .maxrow = 3});
        CHECK_INT(r.status, VG_OK);
        CHECK_NEAR(rows[2][0] / rows[1][0], 1, c[k].keeps);
        for (int i = 1; i < 4; i++) CHECK_NEAR(rows[2][i], rows[1][i], 600 * c[k].keeps);
        CHECK_NEAR(r.value[4], 50, 1e-9);
        CHECK_NEAR(r.value[5], 40.5, 1e-5);
        for (int i = 0; i < 3; i++) tip[k][i] = r.value[6 + i];
    }
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) CHECK_NEAR(tip[k][i], tip[3][i], k == 1 ? 1e-4 : 5e-3);
}

TEST_MAIN(princeton_beam, bend_of_45_degrees, flying_spaghetti)
