/* Meshes: where the nodes of straight, bent and curved lines are, bodies as nodes, and what such beams do. */
#include <math.h>

#include "moment.h"
#include "test.h"

static const double pi = 3.14159265358979323846;

static double at(momentRig *m, const char *body, char axis)
{
    char name[80];
    snprintf(name, sizeof name, "body.%s.position.%c", body, axis);
    return moment_channel(m, name);
}

TEST(lines_have_nodes_at_corners)
{
    momentRig m = moment_text("verge: 1\nmesh:\n"
                              "  b: {beam: 6, from: ground, via: [[2, 0, 0], [2, 1, 0]], to: [2, 1, 3], "
                              "circle: 0.1, E: 1e9, nu: 0.3, rho: 1000}\n");
    CHECK_INT(m.status, VG_OK);
    CHECK_INT(m.model->nbody, 7);
    CHECK_NEAR(at(&m, "b.3", 'x'), 2, 1e-15); /* two, one and three elements */
    CHECK_NEAR(at(&m, "b.3", 'y'), 0, 1e-15);
    CHECK_NEAR(at(&m, "b.4", 'y'), 1, 1e-15);
    CHECK_NEAR(at(&m, "b.6", 'z'), 2, 1e-15);
    moment_end(&m);
}

TEST(splines_go_through_their_points)
{
    /* points at equal chords on a circle: nodes at equal parameters hit them */
    momentRig m = moment_text("verge: 1\nmesh:\n"
                              "  b: {beam3: 4, from: [1, 0, 0], via: [[0, 1, 0], [-1, 0, 0], [0, -1, 0]], "
                              "to: [1, 0, 0], curve: spline, circle: 0.1, E: 1e9, nu: 0.3, rho: 1000}\n");
    CHECK_INT(m.status, VG_OK);
    CHECK_NEAR(at(&m, "b.3", 'y'), 1, 1e-12);
    CHECK_NEAR(at(&m, "b.5", 'x'), -1, 1e-12);
    CHECK_NEAR(at(&m, "b.7", 'y'), -1, 1e-12);
    moment_end(&m);
}

/* Through (0, 0), (1, 1), (2, 0), at equal chords, the natural cubic is x = b, y = (3b − b³)/2 with b from 0
 * to 1 over the first of them, and its mirror; nodes turn with it. Through four points in space, at chords of
 * different lengths, the numbers are those of scipy.interpolate.CubicSpline(bc_type="natural"). */
TEST(splines_are_natural_cubics)
{
    momentRig m = moment_text("verge: 1\nplanar: true\nmesh:\n"
                              "  b: {beam: 8, from: [0, 0], via: [[1, 1]], to: [2, 0], curve: spline, EA: 1, "
                              "GAy: 1, EIz: 1, m: 1}\n");
    CHECK_INT(m.status, VG_OK);
    for (int k = 0; k <= 8; k++) {
        char name[40];
        double b = k < 5 ? k / 4.0 : 2 - k / 4.0, slope = (k < 5 ? 1 : -1) * (1.5 - 1.5 * b * b);
        snprintf(name, sizeof name, "b.%d", k + 1);
        CHECK_NEAR(at(&m, name, 'x'), k / 4.0, 1e-14);
        CHECK_NEAR(at(&m, name, 'y'), (3 * b - b * b * b) / 2, 1e-14);
        snprintf(name, sizeof name, "body.b.%d.angle", k + 1);
        CHECK_NEAR(moment_channel(&m, name), atan(slope), 1e-14);
    }
    moment_end(&m);
    m = moment_text(
        "verge: 1\nmesh:\n"
        "  b: {beam: 6, from: [0, 0, 0], via: [[1, 0.5, 0.2], [1.5, 1.5, -0.3]], to: [3, 1, 0.4],\n"
        "      curve: spline, circle: 0.1, E: 1e9, nu: 0.3, rho: 1000}\n");
    static const double want[][3] = {{0.663045713114775, 0.232924205298773, 0.203511550111086},
                                     {1.117139076595868, 0.687822816239097, 0.130093021678371},
                                     {1.364939400642014, 1.300944585952382, -0.196569338172020},
                                     {1.724597927147665, 1.586219191307404, -0.305814547180754},
                                     {2.305124674872423, 1.411371789391041, -0.047718053658465}};
    CHECK_INT(m.status, VG_OK);
    for (int k = 0; k < 15; k++) {
        char name[16];
        snprintf(name, sizeof name, "b.%d", k / 3 + 2);
        CHECK_NEAR(at(&m, name, (char)('x' + k % 3)), want[k / 3][k % 3], 1e-14);
    }
    moment_end(&m);
}

/* A quarter of a ring clamped at one end, at the other a force P along the tangent: the bending moment is
 * P r (1 − cos φ), and by Castigliano the end moves by P r³/EI ∫ (1 − cos φ)² dφ = P r³/EI (3π/4 − 2) along P
 * (stretch and shear are small). */
TEST(quarter_ring)
{
    momentRig m = moment_text("verge: 1\nplanar: true\nbodies: {ground: {markers: {A: [2, 0]}}}\nmesh:\n"
                              "  b: {beam3: 8, from: ground.A, via: [[sqrt(2), sqrt(2)]], to: [0, 2], curve: "
                              "arc, EA: 1e7, GAy: 1e7, EIz: 1, m: 1}\nforces:\n"
                              "  P: {force: b.17, value: [1e-4, 0]}\n");
    CHECK_INT(m.status, VG_OK);
    CHECK_NEAR(hypot(at(&m, "b.6", 'x'), at(&m, "b.6", 'y')), 2, 1e-14);
    CHECK_NEAR(at(&m, "b.9", 'x'), sqrt(2), 1e-14);
    moment_rest(&m, NULL);
    CHECK_INT(m.status, VG_OK);
    CHECK_NEAR(at(&m, "b.17", 'x') / (1e-4 * 8 * (0.75 * pi - 2)), 1, 1e-3);
    moment_end(&m);
}

/* A body in the middle of a line is the same as one fixed to the node there. */
TEST(bodies_as_nodes)
{
    static const char text[] = "verge: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
                               "  disc: {mass: 3, com: [0, 0.1, 0.2], inertia: [0.1, 0.1, 0.1], position: "
                               "[1, 0, 0], rotation: [0.4, 0, 0]}\nmesh:\n"
                               "  b: {beam3: 2, from: ground, to: [2, 0, 0], rectangle: [0.02, 0.03], E: "
                               "1e9, nu: 0.3, rho: 1000%s}\n%s";
    char with[900], apart[900];
    snprintf(with, sizeof with, text, ", nodes: {3: disc}", "");
    snprintf(apart, sizeof apart, text, "", "joints: {hub: {fixed: [b.3, disc]}}\n");
    momentRig a = moment_text(with), b = moment_text(apart);
    moment_rest(&a, NULL);
    moment_rest(&b, NULL);
    CHECK_INT(a.status, VG_OK);
    CHECK_INT(b.status, VG_OK);
    CHECK_INT(a.model->nbody, 5);
    CHECK(at(&b, "b.5", 'z') < -0.05);
    for (const char *axis = "xyz"; *axis; axis++)
        CHECK_NEAR(at(&a, "b.5", *axis), at(&b, "b.5", *axis), 1e-9);
    moment_modes(&a);
    moment_modes(&b);
    for (int k = 0; k < 4; k++) CHECK_NEAR(a.modes.mode[k].im / b.modes.mode[k].im, 1, 1e-7);
    moment_end(&a);
    moment_end(&b);
}

/* A bent line with a mass on it, thrown: mass, centre of mass, momenta and inertia are those of rods and
 * points. */
TEST(matter_of_beams)
{
    static const char *const mass[] = {"consistent", "lumped", "slices"};
    for (int i = 0; i < 3; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "verge: 1\nbodies: {ball: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [2, 0, 0], "
                 "velocity: [1, 4, 3], omega: [0, 0, 2]}}\nmesh:\n"
                 "  b: {beam3: 6, from: [0, 0, 0], via: [[2, 0, 0]], to: [2, 1, 0], EA: 1e6, GAy: 1e6, GJ: "
                 "10, EIz: 10, m: 3, Jx: 0.01, Jy: 0.01, Jz: 0.01, mass: %s, velocity: [1, 0, 3], omega: [0, "
                 "0, 2], nodes: {9: ball}}\n",
                 mass[i]);
        momentRig m = moment_text(text);
        CHECK_INT(m.status, VG_OK);
        vgModelSummary s;
        vg_model_describe(m.model, &s);
        CHECK_NEAR(s.mass, 11, 1e-12);
        double x = (6 * 1 + 3 * 2 + 2 * 2) / 11., y = 1.5 / 11;
        CHECK_NEAR(s.com.x, x, 1e-12);
        CHECK_NEAR(s.com.y, y, 1e-12);
        CHECK_INT(s.nmassless, 0);
        /* ∫ x² + y² of both rods and the ball's own, about the origin, taken to the centre */
        double rods = 3 * (8. / 3) + 3 * (4 + 1. / 3) + 3 * 0.01, ball = 2 * 4 + 0.1;
        double I = rods + ball - 11 * (x * x + y * y);
        CHECK_NEAR(s.inertia.m[2][2], I, 1e-12 * I);
        CHECK_NEAR(moment_channel(&m, "com.position.x"), x, 1e-12);
        /* v + ω × r: linear momentum M v_c, angular about the origin c × M v_c + I ω */
        CHECK_NEAR(moment_channel(&m, "momentum.x"), 11 * (1 - 2 * y), 1e-11);
        CHECK_NEAR(moment_channel(&m, "momentum.y"), 11 * 2 * x, 1e-11);
        CHECK_NEAR(moment_channel(&m, "momentum.z"), 33, 1e-11);
        CHECK_NEAR(moment_channel(&m, "momentum.angular.z"), 11 * (x * 2 * x - y * (1 - 2 * y)) + 2 * I,
                   1e-10);
        moment_end(&m);
    }
}

TEST(nodes_without_mass)
{
    static const char text[] =
        "verge: 1\nbodies: {tip: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}}\nmesh:\n"
        "  b: {beam3: 1, from: ground, to: [1, 0, 0], circle: 0.01, E: 1e9, nu: 0.3, mass: none, nodes: {3: "
        "tip}}\n";
    vgDiag *diag = vg_diag_new();
    vgModel *model = vg_model_parse(text, strlen(text), "test", NULL, 0, diag);
    vgModelSummary s = {0};
    CHECK(model != NULL);
    if (model) vg_model_describe(model, &s);
    CHECK_INT(s.nmassless, 2);
    CHECK(model && strcmp(model->body[s.massless].name, "b.1") == 0);
    if (!model) printf("%s\n", vg_diag_line(diag, 0));
    vg_model_free(model);
    vg_diag_free(diag);
}

static void refused(const char *entry, const char *word)
{
    char text[600];
    snprintf(text, sizeof text,
             "verge: 1\nbodies: {disc: {mass: 1, inertia: [1, 1, 1]}}\nmesh:\n  b: {%s, circle: 1, E: 1, nu: "
             "0, rho: 1}\n",
             entry);
    vgDiag *diag = vg_diag_new();
    vgModel *model = vg_model_parse(text, strlen(text), "test", NULL, 0, diag);
    CHECK(!model);
    CHECK(vg_diag_count(diag) > 0 && strstr(vg_diag_line(diag, 0), word));
    if (vg_diag_count(diag) && !strstr(vg_diag_line(diag, 0), word)) printf("%s\n", vg_diag_line(diag, 0));
    vg_model_free(model);
    vg_diag_free(diag);
}

TEST(what_cannot_be_meshed)
{
    refused("beam: 2, from: ground, to: [1, 0, 0], curve: circle", "lines, spline and arc");
    refused("beam: 2, from: ground, to: [1, 0, 0], curve: arc", "one point");
    refused("beam: 2, from: ground, via: [[0.5, 0, 0]], to: [1, 0, 0], curve: arc", "on one line");
    refused("beam: 2, from: ground, via: [[1, 0, 0], [1, 1, 0]], to: [1, 1, 1]", "more lines than elements");
    refused("beam: 2, from: ground, to: [0, 0, 0]", "one place");
    refused("beam: 2, from: ground, to: [1, 0, 0], orientation: [1, 0, 0]", "along the line");
    refused("beam: 2, from: ground, to: [1, 0, 0], nodes: {4: disc}", "no node of this number");
    refused("beam: 2, from: ground, to: [1, 0, 0], nodes: {1: disc}", "joined");
}

TEST_MAIN(lines_have_nodes_at_corners, splines_go_through_their_points, splines_are_natural_cubics,
          quarter_ring, bodies_as_nodes, matter_of_beams, nodes_without_mass, what_cannot_be_meshed)
