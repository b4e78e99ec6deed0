/* Places on beams and cables between their nodes: where they are, what they carry, in every setting. */
#include <math.h>

#include "analysis/run/transient.h"
#include "integrator/pairs.h"
#include "math/so3.h"
#include "moment.h"
#include "test.h"

static vgVec3 vector(momentRig *m, const char *body, const char *what)
{
    double x[3];
    for (int k = 0; k < 3; k++) {
        char name[120];
        snprintf(name, sizeof name, "body.%s.%s.%c", body, what, 'x' + k);
        x[k] = moment_channel(m, name);
    }
    return vg_load3(x);
}

static vgMat3 axes(momentRig *m, const char *body)
{
    double q[4];
    for (int k = 0; k < 4; k++) {
        char name[120];
        snprintf(name, sizeof name, "body.%s.quaternion.%c", body, "wxyz"[k]);
        q[k] = moment_channel(m, name);
    }
    return vg_quat_to_mat((vgQuat){q[0], q[1], q[2], q[3]});
}

/* A line bent far by loads: the station is where the interpolation of the element's nodes says. */
TEST(moves_as_the_element_does)
{
    momentRig m =
        moment_text("verge: 1\nmesh:\n  b: {beam3: 2, from: ground, to: [2, 0, 0], circle: 0.02, E: 1e9, nu: "
                    "0.3, rho: 1000, stations: {p: 1.35, q: {at: 0.1}}}\nforces:\n"
                    "  P: {force: b.p, value: [0, 60, 45]}\n  T: {torque: b.q, value: [60, -80, 0]}\n");
    moment_rest(&m, NULL);
    CHECK_INT(m.status, VG_OK);
    for (int which = 0; which < 2; which++) {
        const char *const node[2][3] = {{"b.3", "b.4", "b.5"}, {"b.1", "b.2", "b.3"}};
        const char *body = which ? "b.q" : "b.p";
        double xi = which ? -0.6 : -0.3;
        double N[3] = {0.5 * xi * (xi - 1), 1 - xi * xi, 0.5 * xi * (xi + 1)};
        vgVec3 x = vg_zero3(), psi = vg_zero3();
        vgMat3 R = axes(&m, node[which][1]);
        for (int i = 0; i < 3; i++) {
            x = vg_axpy3(N[i], vector(&m, node[which][i], "position"), x);
            psi = vg_axpy3(N[i], vg_so3_log(vg_mtm3(R, axes(&m, node[which][i]))), psi);
        }
        CHECK(vg_norm3(vg_sub3(x, vector(&m, body, "position"))) < 1e-13);
        CHECK(vg_mmax3(vg_msub3(vg_mm3(R, vg_so3_exp(psi)), axes(&m, body))) < 1e-12);
        CHECK(vg_norm3(psi) > 5e-3);
    }
    CHECK(vg_norm3(vg_sub3(vector(&m, "b.5", "position"), vg_v3(2, 0, 0))) > 0.5);
    moment_end(&m);
}

/* At a node: the same as the node. */
TEST(at_a_node_it_is_the_node)
{
    static const char text[] = "verge: 1\nmesh:\n  b: {beam: 4, from: ground, to: [2, 0, 0], circle: 0.02, "
                               "E: 1e9, nu: 0.3, rho: 1000, stations: {p: 1.5}}\nforces:\n"
                               "  P: {force: %s, value: [0, 20, 15]}\n";
    vgVec3 end[2];
    for (int k = 0; k < 2; k++) {
        char model[400];
        snprintf(model, sizeof model, text, k ? "b.p" : "b.4");
        momentRig m = moment_text(model);
        moment_rest(&m, NULL);
        CHECK_INT(m.status, VG_OK);
        end[k] = vector(&m, "b.5", "position");
        moment_end(&m);
    }
    CHECK(vg_norm3(vg_sub3(end[0], end[1])) < 1e-11);
}

/* A small load P at a inside an element of a cantilever: end at P a²(3L − a)/(6EI) + P a/GA. What the load
 * does inside the element is lost (the interpolation cannot resolve the kink), so that the error falls with
 * the mesh; resultants: N = P, M = P (a − s) at other places. */
TEST(load_between_nodes)
{
    const double a = 1.125, L = 2, P = 1e-3, EI = 50, GA = 2e4;
    const double want = P * a * a * (3 * L - a) / (6 * EI) + P * a / GA;
    for (int kind = 0; kind < 2; kind++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            char text[500];
            snprintf(text, sizeof text,
                     "verge: 1\nplanar: true\nmesh:\n  b: {%s: %d, from: ground, to: [2, 0], EA: 1e6, GAy: "
                     "2e4, EIz: 50, m: 1, stations: {p: 1.125, q: 0.31, end: 2}}\nforces:\n"
                     "  P: {force: b.p, value: [0, 1e-3]}\n",
                     kind ? "beam3" : "beam", k ? 12 : 4);
            momentRig m = moment_text(text);
            moment_rest(&m, NULL);
            CHECK_INT(m.status, VG_OK);
            error[k] = fabs(moment_channel(&m, "body.b.end.position.y") / want - 1);
            /* one element bends as a whole: exact resultants where no load is in it */
            CHECK_NEAR(moment_channel(&m, "body.b.q.moment-z"), P * (a - 0.31), 1e-6 * P);
            CHECK_NEAR(moment_channel(&m, "body.b.q.shear-y"), P, 1e-6 * P);
            CHECK_NEAR(moment_channel(&m, "body.b.end.moment-z"), 0, 1e-6 * P);
            moment_end(&m);
        }
        CHECK(error[0] < 0.02);
        CHECK(error[1] < error[0] / 8);
    }
}

/* A quarter of a ring, clamped, bent far out of its plane by a force P at its end e: at s the section carries
 * P and (x_e − x_s) × P. At nodes exactly so, but for the axes of three nodes, whose parabola is no arc;
 * between them with the order of the element. */
static double off_equilibrium(momentRig *m, const char *body)
{
    static const char *const what[] = {"axial", "shear-y", "shear-z", "torsion", "moment-y", "moment-z"};
    const vgVec3 P = vg_v3(10, 20, 25);
    const vgMat3 R = axes(m, body);
    const vgVec3 arm = vg_sub3(vector(m, "b.end", "position"), vector(m, body, "position"));
    double want[6], off = 0;
    vg_store3(vg_mtv3(R, P), want);
    vg_store3(vg_mtv3(R, vg_cross3(arm, P)), want + 3);
    for (int k = 0; k < 6; k++) {
        char name[80];
        snprintf(name, sizeof name, "body.%s.%s", body, what[k]);
        off = fmax(off, fabs(moment_channel(m, name) - want[k]));
    }
    return off / vg_norm3(P);
}

TEST(resultants_are_in_equilibrium)
{
    static const char *const place[] = {"b.root", "b.node", "b.end", "b.p"};
    for (int kind = 0; kind < 2; kind++) {
        double error[2][4] = {0};
        for (int k = 0; k < 2; k++) {
            char text[500];
            snprintf(
                text, sizeof text,
                "verge: 1\nbodies: {ground: {markers: {A: [2, 0, 0]}}}\nmesh:\n  b: {%s: %d, from: ground.A, "
                "via: [[sqrt(2), sqrt(2), 0]], to: [0, 2, 0], curve: arc, circle: 0.02, E: 1e9, nu: 0.3, "
                "rho: 1000, stations: {root: 0, node: {at: 0.5}, p: {at: 0.41}, end: {at: 1}}}\n"
                "forces: {P: {force: b.end, value: [10, 20, 25]}}\n",
                kind ? "beam3" : "beam", k ? 20 : 4);
            momentRig m = moment_text(text);
            moment_rest(&m, NULL);
            CHECK_INT(m.status, VG_OK);
            for (int i = 0; i < 4; i++) error[k][i] = off_equilibrium(&m, place[i]);
            CHECK(vector(&m, "b.end", "position").z > 0.5);
            moment_end(&m);
        }
        for (int i = 0; i < 4; i++) {
            if (kind == 0 && i < 3)
                CHECK(error[0][i] < 1e-9 && error[1][i] < 1e-9);
            else
                CHECK(error[1][i] < (kind ? error[0][i] / 60 : error[0][i] / 15) &&
                      error[1][i] < (kind ? 2e-5 : 1e-3));
        }
    }
}

/* A quarter of a ring, flat in its plane, which starts along y and is loaded across its plane at the end. By
 * Castigliano's theorem δ = P R³ (π/4 / EI + (3π/4 − 2) / GJ), with the EI of bending about the radius: the
 * section stays as it is at the start, along z. */
TEST(section_along_an_arc_from_y)
{
    const double P = 1e-3, R = 2, EIz = 50, GJ = 30, pi = 3.14159265358979323846;
    momentRig m = moment_text("verge: 1\nbodies: {ground: {markers: {A: [2, 0, 0]}}}\nmesh:\n  b: {beam3: 8, "
                              "from: ground.A, via: [[sqrt(2), sqrt(2), 0]], to: [0, 2, 0], curve: arc, EA: "
                              "1e8, GAy: 1e8, GJ: 30, EIy: 5, EIz: 50, m: 1}\n"
                              "forces: {P: {force: b.17, value: [0, 0, 1e-3]}}\n");
    moment_rest(&m, NULL);
    CHECK_INT(m.status, VG_OK);
    const double want = P * R * R * R * (pi / 4 / EIz + (3 * pi / 4 - 2) / GJ);
    CHECK_NEAR(vector(&m, "b.17", "position").z, want, 1e-5 * want);
    moment_end(&m);
}

/* A bar hanging under its own weight: m g (L − s), wherever the place is in its element. */
TEST(weight_along_a_bar)
{
    for (int kind = 0; kind < 2; kind++) {
        char text[300];
        snprintf(text, sizeof text,
                 "verge: 1\ngravity: 10\nmesh:\n  b: {%s: 3, from: ground, to: [0, 0, -2], EA: 1e5, GAy: "
                 "1e5, GJ: 10, EIz: 10, m: 3, stations: {a: 0, p: 0.81, e: 2}}\n",
                 kind ? "beam3" : "beam");
        momentRig m = moment_text(text);
        moment_rest(&m, NULL);
        CHECK_INT(m.status, VG_OK);
        CHECK_NEAR(moment_channel(&m, "body.b.a.axial"), 60, 1e-8);
        CHECK_NEAR(moment_channel(&m, "body.b.p.axial"), 30 * (2 - 0.81), 1e-8);
        CHECK_NEAR(moment_channel(&m, "body.b.e.axial"), 0, 1e-8);
        moment_end(&m);
    }
}

/* Free in space with bodies hanging on places of the beam by a joint, a spring and a bushing: momentum and
 * energy stay, and every kind of coordinates gives the same motion. */
static const char flight[] =
    "verge: 1\nbodies:\n"
    "  ball: {mass: 0.4, inertia: [0.02, 0.03, 0.04], position: [0.62, 0, 0], com: [0, 0, 0.1]}\n"
    "  cube: {mass: 0.3, inertia: [0.02, 0.03, 0.04], position: [1.2, 0.2, 0], omega: [1, 2, 3]}\n"
    "mesh:\n  b: {beam3: 2, from: [0, 0, 0], to: [1.5, 0, 0], circle: 0.02, E: 1e8, nu: 0.3, rho: 1000, "
    "stations: {p: 0.62, q: 1.2}}\n"
    "joints:\n  J: {spherical: [b.p, ball]}\n"
    "forces:\n  k: {spring: [b.q, cube], stiffness: 300, length: 0.1}\n"
    "  B: {bushing: [b.p, ball], stiffness: [0, 0, 0, 1, 2, 3]}\n"
    "%s";

static const char push[] = "  P: {force: b.q, value: [3, -20, 10]}\n";

static momentRig run(const char *pushed, vgDials dials, double h, double end)
{
    momentRig m = {.diag = vg_diag_new()};
    char text[1500];
    snprintf(text, sizeof text, flight, pushed);
    m.model = vg_model_parse(text, strlen(text), "test", NULL, 0, m.diag);
    m.status = m.model ? vg_simulation_open(m.model, &dials, m.diag, &m.sim) : VG_BAD_INPUT;
    for (int i = 0; i < vg_diag_count(m.diag); i++) printf("%s\n", vg_diag_line(m.diag, i));
    vgTransientOptions o = {.step = h, .end = end, .every = 1 << 30};
    vgTransientResult r = {0};
    if (m.status == VG_OK && end > 0) m.status = vg_transient_run(m.sim.it, m.sim.state, &o, NULL, &r);
    if (m.status != VG_OK)
        printf("%s %s %s: %s\n", dials.coordinates, dials.constraints, dials.integrator, r.failure.text);
    return m;
}

TEST(momentum_in_free_flight)
{
    static const char *const names[] = {"momentum.x",         "momentum.y",         "momentum.z",
                                        "momentum.angular.x", "momentum.angular.y", "momentum.angular.z",
                                        "energy.total"};
    double first[7];
    for (int k = 0; k < 2; k++) {
        momentRig m = run("", (vgDials){"lie", "index3", "esdirk436"}, 5e-4, k ? 0.1 : 0);
        CHECK_INT(m.status, VG_OK);
        for (int i = 0; i < 7; i++) {
            double x = moment_channel(&m, names[i]);
            if (k == 0) first[i] = x;
            CHECK_NEAR(x, first[i], 2e-6 * (1 + fabs(first[i])));
        }
        moment_end(&m);
    }
}

static const char *const names[] = {"body.ball.position.x", "body.ball.position.z", "body.cube.position.y",
                                    "body.b.p.position.y", "body.b.5.position.z"};

TEST(the_same_motion_in_all_coordinates)
{
    static const char *const coordinates[] = {"lie",          "se3",      "euler-parameters",
                                              "euler-angles", "relative", "natural"};
    double first[5];
    for (int c = 0; c < 6; c++) {
        momentRig m = run(push, (vgDials){coordinates[c], "index3", "bathe"}, 5e-4, 0.05);
        CHECK_INT(m.status, VG_OK);
        for (int k = 0; k < 5 && m.status == VG_OK; k++) {
            double x = moment_channel(&m, names[k]);
            if (c == 0) first[k] = x;
            CHECK_NEAR(x, first[k], 1e-6);
        }
        moment_end(&m);
    }
}

/* Every A-stable method with every way of enforcing constraints that it takes. */
static int takes(const vgConstraintsRow *c, const vgIntegratorRow *i)
{
    if (i->flags & VG_INT_BODY_AXES) return 0;     /* not for elements with inertia */
    if (strcmp(i->name, "hht-add") == 0) return 0; /* asks for M⁻¹: nodes have no mass of their own */
    return vg_pair_allowed(&vg_coordinates_list[0], c, i) && (i->flags & VG_INT_ASTABLE);
}

TEST(every_stable_method)
{
    double want[5];
    int tried = 0;
    momentRig ref = run(push, (vgDials){"lie", "index3", "esdirk436"}, 1e-4, 0.005);
    for (int k = 0; k < 5; k++) want[k] = moment_channel(&ref, names[k]);
    moment_end(&ref);
    for (const vgConstraintsRow *c = vg_constraints_list; c->name; c++)
        for (const vgIntegratorRow *const *i = vg_integrators; *i; i++) {
            if (!takes(c, *i)) continue;
            momentRig m = run(push, (vgDials){"lie", c->name, (*i)->name}, 1e-3, 0.005);
            tried++;
            CHECK_INT(m.status, VG_OK);
            for (int k = 0; k < 5 && m.status == VG_OK; k++) {
                double off = moment_channel(&m, names[k]) - want[k], tol = (*i)->order > 1 ? 1e-4 : 5e-4;
                if (fabs(off) > tol) printf("%s %s %s: %g\n", c->name, (*i)->name, names[k], off);
                CHECK(fabs(off) <= tol);
            }
            moment_end(&m);
        }
    CHECK(tried > 150);
}

/* A place on a cable is a point on the straight piece. */
TEST(on_a_cable)
{
    momentRig m = moment_text("verge: 1\ngravity: [0, 0, -9.81]\nbodies:\n  load: {mass: 5, point: true, "
                              "position: [0.9, 0, -0.5]}\n  ground: {markers: {B: [2, 0, 0]}}\nmesh:\n"
                              "  c: {cable: 2, from: ground, to: ground.B, EA: 1e4, m: 1e-6, length: 2.2, "
                              "stations: {p: 0.9}}\njoints: {hang: {distance: [c.p, load]}}\n");
    CHECK_INT(m.status, VG_OK);
    moment_rest(&m, NULL);
    CHECK_INT(m.status, VG_OK);
    vgVec3 a = vector(&m, "c.2", "position"), p = vector(&m, "c.p", "position");
    CHECK(vg_norm3(vg_sub3(p, vg_scale3(a, 0.9))) < 1e-12);
    CHECK_NEAR(vector(&m, "load", "position").x, p.x, 1e-9);
    moment_end(&m);
}

TEST(along_an_arc)
{
    momentRig m = moment_text(
        "verge: 1\nmesh:\n  b: {beam3: 8, from: [2, 0, 0], via: [[sqrt(2), sqrt(2), 0]], to: [0, 2, 0], "
        "curve: arc, circle: 0.02, E: 1e9, nu: 0.3, rho: 1000, stations: {p: {at: 0.37}}}\n");
    CHECK_INT(m.status, VG_OK);
    vgVec3 p = vector(&m, "b.p", "position");
    const double angle = 0.37 * 1.5707963267948966;
    CHECK_NEAR(p.x, 2 * cos(angle), 1e-4);
    CHECK_NEAR(p.y, 2 * sin(angle), 1e-4);
    vgVec3 t = vg_col3(axes(&m, "b.p"), 0);
    CHECK_NEAR(t.x, -sin(angle), 1e-4);
    moment_end(&m);
}

static void bad(const char *stations, const char *words)
{
    char text[400];
    snprintf(text, sizeof text,
             "verge: 1\nmesh:\n  b: {beam: 4, from: ground, to: [2, 0, 0], circle: 0.02, E: 1e9, nu: 0.3, "
             "rho: 1000, stations: %s}\n",
             stations);
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_parse(text, strlen(text), "test", NULL, 0, diag);
    CHECK(m == NULL);
    const char *line = vg_diag_count(diag) ? vg_diag_line(diag, 0) : "";
    CHECK(strstr(line, words) != NULL && strstr(line, "test:3:") != NULL);
    if (!strstr(line, words)) printf("%s\n", line);
    vg_model_free(m);
    vg_diag_free(diag);
}

TEST(wrong_stations)
{
    bad("{p: 2.5}", "not on the line, which is 2 m long");
    bad("{p: -1}", "not on the line");
    bad("{p: {at: 1.5}}", "at");
    bad("{p: {att: 0.5}}", "did you mean 'at'");
    bad("{3: 0.5}", "3");
    bad("[0.5]", "map");
}

TEST_MAIN(moves_as_the_element_does, at_a_node_it_is_the_node, load_between_nodes,
          resultants_are_in_equilibrium, section_along_an_arc_from_y, weight_along_a_bar,
          momentum_in_free_flight, the_same_motion_in_all_coordinates, every_stable_method, on_a_cable,
          along_an_arc, wrong_stations)
