/* Rests, modes and linear models through the public C API alone, against closed forms. */
#include <verge/verge.h>

#include <math.h>
#include <stdlib.h>

#include "test.h"

static const double PI = 3.14159265358979323846, G = 9.81;

/* A pendulum on a cart with a spring, a dashpot and an input that pushes it. */
static const char text[] =
    "verge: 1\nplanar: true\ngravity: [0, -9.81]\nparameters: {L: 0.7, start: 0.4}\n"
    "bodies:\n  cart: {mass: 3, inertia: 1}\n"
    "  bob: {mass: 2, inertia: 0.05, position: [L*sin(start), -L*cos(start)], angle: start,\n"
    "        markers: {O: [0, L]}}\n"
    "joints:\n  rail: {prismatic: [ground, cart], axis: x}\n  O: {revolute: [cart, bob.O]}\n"
    "forces:\n  spring: {axial-spring: [ground, cart], axis: x, stiffness: 50, damping: 4, length: 0}\n"
    "  push: {force: cart, value: [input.push, 0]}\n"
    "run: {step: 1e-3}\n";

static vgSim *simulate(vgModel **model, const char *coordinates, const char *constraints)
{
    vgDiag *diag = vg_diag_new();
    vgSim *sim = NULL;
    *model = vg_parse(text, strlen(text), "text", NULL, diag);
    vgSimOptions options = {.coordinates = coordinates, .constraints = constraints};
    CHECK_INT(vg_sim_new(*model, &options, diag, &sim), VG_OK);
    for (int i = 0; i < vg_diag_count(diag); i++) printf("%s\n", vg_diag_line(diag, i));
    vg_diag_free(diag);
    return sim;
}

static const char *const dials[][2] = {
    {"planar", "index3"}, {"relative", "index3"}, {"natural", "augmented3"}, {"planar", "independent"}};

static double get(vgSim *sim, const char *channel)
{
    double x;
    CHECK_INT(vg_sim_get(sim, channel, &x), VG_OK);
    return x;
}

/* With (s, φ) and M = [5, mL; mL, J + mL²], K = diag(50, mgL), C = diag(4, 0): the determinant of Mλ² + Cλ +
 * K vanishes at each eigenvalue, and the shapes are its null vectors. */
TEST(modes_of_a_pendulum_on_a_cart)
{
    const double m = 2, L = 0.7, M[3] = {5, m * L, 0.05 + m * L * L};
    for (int d = 0; d < 4; d++) {
        vgModel *model;
        vgSim *sim = simulate(&model, dials[d][0], dials[d][1]);
        vgSimModes *modes = NULL;
        CHECK_INT(vg_sim_advance(sim, 0.01), VG_OK);
        CHECK_INT(vg_sim_equilibrium(sim, d % 2), VG_OK);
        CHECK_NEAR(get(sim, "joint.O.angle"), 0, 1e-10);
        CHECK_NEAR(get(sim, "joint.rail.displacement"), 0, 1e-10);
        CHECK_NEAR(get(sim, "joint.O.rate"), 0, 1e-14);
        CHECK_NEAR(vg_sim_time(sim), 0.01, 1e-15);
        CHECK_INT(vg_sim_modes(sim, &modes), VG_OK);
        vg_sim_free(sim);
        CHECK_INT(modes->n, 2);
        int cart = -1, turn = -1;
        for (int i = 0; i < modes->ncoordinate; i++) {
            if (!strcmp(modes->coordinate[i], "cart.x")) cart = i;
            if (!strcmp(modes->coordinate[i], "bob.turn.z")) turn = i;
        }
        CHECK(cart >= 0 && turn >= 0);
        for (int k = 0; k < modes->n; k++) {
            double re = modes->re[k], im = modes->im[k], sq[2] = {re * re - im * im, 2 * re * im};
            double a[2] = {M[0] * sq[0] + 4 * re + 50, M[0] * sq[1] + 4 * im},
                   b[2] = {M[1] * sq[0], M[1] * sq[1]};
            double c[2] = {M[2] * sq[0] + m * G * L, M[2] * sq[1]};
            CHECK_NEAR(a[0] * c[0] - a[1] * c[1] - (b[0] * b[0] - b[1] * b[1]), 0, 1e-5);
            CHECK_NEAR(a[0] * c[1] + a[1] * c[0] - 2 * b[0] * b[1], 0, 1e-5);
            CHECK_NEAR(modes->frequency[k], im / (2 * PI), 1e-12);
            CHECK_NEAR(modes->damping[k], -re / hypot(re, im), 1e-12);
            const double *x = modes->shape_re + k * modes->ncoordinate,
                         *y = modes->shape_im + k * modes->ncoordinate;
            CHECK_NEAR(a[0] * x[cart] - a[1] * y[cart] + b[0] * x[turn] - b[1] * y[turn], 0, 1e-5);
            CHECK_NEAR(a[0] * y[cart] + a[1] * x[cart] + b[0] * y[turn] + b[1] * x[turn], 0, 1e-5);
        }
        vg_sim_modes_free(modes);
        vg_model_free(model);
    }
}

TEST(linear_model_of_a_pendulum_on_a_cart)
{
    const double m = 2, L = 0.7, J = 0.05 + m * L * L, det = 5 * J - m * L * m * L;
    const char *const outputs[] = {"joint.O.angle", "body.cart.velocity.x", NULL};
    const char *const inputs[] = {"push", NULL}, *const wrong[] = {"pull", NULL};
    for (int d = 0; d < 4; d++) {
        vgModel *model;
        vgSim *sim = simulate(&model, dials[d][0], dials[d][1]);
        vgSimLinear *l = NULL;
        CHECK_INT(vg_sim_set(sim, "input.push", 5), VG_OK); /* 0.1 m of the spring */
        CHECK_INT(vg_sim_equilibrium(sim, 0), VG_OK);
        CHECK_NEAR(get(sim, "joint.rail.displacement"), 0.1, 1e-10);
        CHECK_INT(vg_sim_linearize(sim, d ? inputs : NULL, outputs, &l), VG_OK);
        CHECK_INT(l->nx, 4);
        CHECK_INT(l->nposition, 2);
        CHECK_INT(l->nu, 1);
        CHECK_INT(l->ny, 2);
        CHECK(!strcmp(l->input[0], "input.push") && !strcmp(l->output[1], "body.cart.velocity.x"));
        CHECK_NEAR(l->u0[0], 5, 0);
        int s = !strcmp(l->state[0], "joint.rail.displacement") ? 0 : 1, p = 1 - s;
        CHECK(!strcmp(l->state[s], "joint.rail.displacement") && !strcmp(l->state[p], "joint.O.angle"));
        CHECK_NEAR(l->x0[s], 0.1, 1e-10);
        const double *row = l->A + 4 * (2 + s); /* of the cart's acceleration: M⁻¹ (−K, −C | 1) */
        CHECK_NEAR(row[s], -50 * J / det, 1e-6);
        CHECK_NEAR(row[p], m * L * m * G * L / det, 1e-6);
        CHECK_NEAR(row[2 + s], -4 * J / det, 1e-6);
        CHECK_NEAR(l->B[2 + s], J / det, 1e-7);
        CHECK_NEAR(l->B[2 + p], -m * L / det, 1e-7);
        CHECK_NEAR(l->C[p], 1, 1e-9);
        CHECK_NEAR(l->C[4 + 2 + s], 1, 1e-9);
        vg_sim_linear_free(l);
        CHECK_INT(vg_sim_linearize(sim, wrong, NULL, &l), VG_BAD_INPUT);
        CHECK_STR(vg_sim_error(sim), "no input 'pull'");
        CHECK(l == NULL);
        CHECK_INT(vg_sim_linearize(sim, NULL, NULL, &l), VG_OK);
        CHECK_INT(l->ny, l->nx);
        vg_sim_linear_free(l);
        CHECK_INT(vg_sim_advance(sim, 0.1), VG_OK); /* it rests where it was put */
        CHECK_NEAR(get(sim, "joint.rail.displacement"), 0.1, 1e-9);
        vg_sim_free(sim);
        vg_model_free(model);
    }
}

TEST(nothing_given)
{
    vgModel *model;
    vgSim *sim = simulate(&model, NULL, NULL);
    vgSimModes *modes;
    vgSimLinear *linear;
    CHECK_INT(vg_sim_equilibrium(NULL, 0), VG_BAD_INPUT);
    CHECK_INT(vg_sim_modes(NULL, &modes), VG_BAD_INPUT);
    CHECK(modes == NULL);
    CHECK_INT(vg_sim_modes(sim, NULL), VG_BAD_INPUT);
    CHECK_INT(vg_sim_linearize(NULL, NULL, NULL, &linear), VG_BAD_INPUT);
    CHECK(linear == NULL);
    CHECK_INT(vg_sim_linearize(sim, NULL, NULL, NULL), VG_BAD_INPUT);
    CHECK_STR(vg_sim_error(sim), "NULL");
    vg_sim_modes_free(NULL);
    vg_sim_linear_free(NULL);
    vg_sim_free(sim);
    vg_model_free(model);
}

TEST_MAIN(modes_of_a_pendulum_on_a_cart, linear_model_of_a_pendulum_on_a_cart, nothing_given)
