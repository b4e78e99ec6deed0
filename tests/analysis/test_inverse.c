/* Inverse dynamics against closed forms, the rate of change of momentum and published torques; drives and
 * laws; what cannot be is refused by name. */
#include "test.h"

#include <math.h>

#include "analysis/state/inverse.h"
#include "math/so3.h"

static vgModel *parse(const char *text)
{
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_parse(text, strlen(text), "text", NULL, 0, diag);
    if (!m) printf("%s\n", vg_diag_line(diag, 0));
    vg_diag_free(diag);
    return m;
}

/* A lift with an arm on it that turns about y: x up by s(t), the arm of length l from the horizontal by φ(t).
 *     τ = (J + m l²) φ̈ − m l cos φ (s̈ + g)   (about +y, which turns the arm's tip down)
 *     F = (M + m)(s̈ + g) − m l (φ̈ cos φ − φ̇² sin φ) */
static const char lift[] =
    "verge: 1\nparameters: {l: 0.4}\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  car: {mass: 3, inertia: [0.1, 0.1, 0.1]}\n"
    "  arm: {mass: 1.5, inertia: [0.02, 0.05, 0.04], com: [l, 0, 0]}\n"
    "joints:\n  lift: {prismatic: [ground, car], axis: z}\n  hinge: {revolute: [car, arm], axis: y%s}\n";

TEST(lift_with_an_arm)
{
    for (int driven = 0; driven < 2; driven++) { /* the arm by a drive of the model or by a law given here */
        char text[1000];
        snprintf(text, sizeof text, lift, driven ? ", drive: {angle: 0.3 + t^2}" : "");
        vgModel *m = parse(text);
        vgDiag *diag = vg_diag_new();
        vgInverse *inv = NULL;
        CHECK(m != NULL);
        CHECK_INT(vg_inverse_new(m, diag, &inv), VG_OK);
        CHECK_INT(vg_inverse_count(inv), 2);
        CHECK_STR(vg_inverse_name(inv, 0), "joint.lift.displacement");
        CHECK_INT(vg_inverse_prescribe(inv, "lift", "0.2*sin(3*t)", diag), VG_OK);
        if (!driven) CHECK_INT(vg_inverse_prescribe(inv, "hinge.angle", "0.3 + t^2", diag), VG_OK);
        for (int k = 0; k < 5; k++) {
            double t = 0.3 * k, x[2], v[2], a[2], f[2], l = 0.4, s2 = -1.8 * sin(3 * t), p = 0.3 + t * t,
                   p1 = 2 * t, p2 = 2;
            CHECK_INT(vg_inverse_at(inv, t, x, v, a, f), VG_OK);
            CHECK_NEAR(x[0], 0.2 * sin(3 * t), 1e-14);
            CHECK_NEAR(v[1], p1, 1e-14);
            CHECK_NEAR(a[0], s2, 1e-13);
            CHECK_NEAR(f[1], (0.05 + 1.5 * l * l) * p2 - 1.5 * l * cos(p) * (s2 + 9.81), 1e-12);
            CHECK_NEAR(f[0], 4.5 * (s2 + 9.81) - 1.5 * l * (p2 * cos(p) - p1 * p1 * sin(p)), 1e-12);
        }
        vg_inverse_free(inv);
        vg_model_free(m);
        vg_diag_free(diag);
    }
}

/* A fast path through the published configuration qn: value qn, rate 1, acceleration 0 at t = 0. */
TEST(puma)
{
    static const double want[6] = {-1.3910743711, 33.4227989677, 5.2831112681,
                                   0.0012230818,  0.0306322785,  0.0001482843};
    static const char *const law[6] = {"t", "pi/4 + t", "pi + t", "t", "pi/4 + t", "t"};
    char path[512], which[16];
    snprintf(path, sizeof path, "%s/models/puma560.yaml", VERGE_SOURCE_DIR);
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_load(path, NULL, 0, diag);
    vgInverse *inv = NULL;
    double f[6];
    CHECK_INT(vg_inverse_new(m, diag, &inv), VG_OK);
    for (int i = 0; i < 6; i++) {
        snprintf(which, sizeof which, "J%d", i + 1);
        CHECK_INT(vg_inverse_prescribe(inv, which, law[i], diag), VG_OK);
    }
    CHECK_INT(vg_inverse_at(inv, 0, NULL, NULL, NULL, f), VG_OK);
    for (int i = 0; i < 6; i++) CHECK_NEAR(f[i], want[i], 1e-9);
    vg_inverse_free(inv);
    vg_model_free(m);
    vg_diag_free(diag);
}

static void check_vector(const double *x, vgVec3 want, double tol)
{
    CHECK_NEAR(x[0], want.x, tol);
    CHECK_NEAR(x[1], want.y, tol);
    CHECK_NEAR(x[2], want.z, tol);
}

/* A body on a ball turns with constant ω (body axes), R = R0 exp(ω t):
 *     τ = R (ω × J_O ω) − R c × m g,   J_O = J + m (c² 1 − c cᵀ)
 * in W; along the axes of the first frame, on the second body: with the ground first Aᵀ τ, A the axes of its
 * marker, with the body first −Rᵀ τ. */
TEST(ball_turning)
{
    static const char *const joint[2] = {"{spherical: [ground.m, top]}", "{spherical: [top, ground.m]}"};
    const vgVec3 w = vg_v3(0.5, 2, -1), c = vg_v3(0.1, 0.2, 0.3), g = vg_v3(0, 0, -9.81);
    const double mass = 3, J[3] = {0.1, 0.2, 0.25};
    const vgMat3 R0 = vg_so3_exp(vg_v3(0, 0.4, 0)), A = vg_so3_exp(vg_v3(0.7, 0, 0));
    for (int k = 0; k < 2; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "verge: 1\ngravity: [0, 0, -9.81]\n"
                 "bodies:\n  ground: {markers: {m: {axis-angle: [[1, 0, 0], 0.7]}}}\n  top: {mass: 3, "
                 "inertia: [0.1, 0.2, 0.25], com: [0.1, 0.2, 0.3],\n"
                 "        axis-angle: [[0, 1, 0], 0.4], omega: [0.5, 2, -1]}\njoints:\n  S: %s\n",
                 joint[k]);
        vgModel *m = parse(text);
        vgDiag *diag = vg_diag_new();
        vgInverse *inv = NULL;
        CHECK(m != NULL);
        CHECK_INT(vg_inverse_new(m, diag, &inv), VG_OK);
        CHECK_INT(vg_inverse_count(inv), 0);
        CHECK_INT(vg_inverse_wrench_count(inv), 3);
        CHECK_STR(vg_inverse_wrench_name(inv, 2), "joint.S.torque.z");
        CHECK_STR(vg_inverse_wrench_unit(inv, 2), "N*m");
        CHECK_INT(vg_inverse_prescribe(inv, "S", "t", diag), VG_BAD_INPUT);
        for (double t = 0; t < 1; t += 0.3) {
            double x[3];
            vgMat3 R = vg_mm3(R0, vg_so3_exp(vg_scale3(w, t)));
            vgVec3 Jw = vg_v3(J[0] * w.x, J[1] * w.y, J[2] * w.z);
            Jw = vg_axpy3(mass * vg_dot3(c, c), w, vg_axpy3(-mass * vg_dot3(c, w), c, Jw));
            vgVec3 moment = vg_cross3(vg_mv3(R, c), vg_scale3(g, mass));
            vgVec3 tau = vg_sub3(vg_mv3(R, vg_cross3(w, Jw)), moment);
            CHECK_INT(vg_inverse_at(inv, t, NULL, NULL, NULL, NULL), VG_OK);
            vg_inverse_wrench(inv, x);
            check_vector(x, k ? vg_neg3(vg_mtv3(R, tau)) : vg_mtv3(A, tau), 1e-12);
        }
        vg_inverse_free(inv);
        vg_model_free(m);
        vg_diag_free(diag);
    }
}

/* A body that is held by a ball on an arm turning about z with ω: in the axes of the arm, p from its bearing,
 * c from the ball,  F = m (−ω² (p_x, p_y, 0) − g),  τ = c × F + ω × J ω; on the second body, along the axes
 * of the first frame. */
TEST(ball_on_an_arm)
{
    static const char *const joint[2] = {"{spherical: [arm.e, b]}", "{spherical: [b, arm.e]}"};
    const vgVec3 w = vg_v3(0, 0, 2), c = vg_v3(0.1, 0.2, 0.3), p = vg_v3(0.6, 0.2, 0.3);
    const vgMat3 J = {{{0.1, 0.01, 0.02}, {0.01, 0.2, 0.03}, {0.02, 0.03, 0.25}}};
    for (int k = 0; k < 2; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "verge: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
                 "  arm: {mass: 1, inertia: [0.1, 0.1, 0.1], markers: {e: [0.5, 0, 0]}}\n"
                 "  b: {mass: 3, inertia: [0.1, 0.2, 0.25, 0.01, 0.02, 0.03],\n"
                 "      com: [0.1, 0.2, 0.3], position: [0.5, 0, 0]}\n"
                 "joints:\n  O: {revolute: [ground, arm], axis: z, drive: {angle: 2*t}}\n  S: %s\n",
                 joint[k]);
        vgModel *m = parse(text);
        vgDiag *diag = vg_diag_new();
        vgInverse *inv = NULL;
        double x[3];
        CHECK(m != NULL);
        CHECK_INT(vg_inverse_new(m, diag, &inv), VG_OK);
        CHECK_INT(vg_inverse_at(inv, 0.7, NULL, NULL, NULL, NULL), VG_OK);
        vg_inverse_wrench(inv, x);
        vgVec3 F = vg_scale3(vg_v3(-4 * p.x, -4 * p.y, 9.81), 3);
        vgVec3 tau = vg_add3(vg_cross3(c, F), vg_cross3(w, vg_mv3(J, w)));
        check_vector(x, k ? vg_neg3(tau) : tau, 1e-12);
        vg_inverse_free(inv);
        vg_model_free(m);
        vg_diag_free(diag);
    }
}

/* A free body with constant velocity and ω: F = −m g, T = R (ω × J ω). A planar one: m g upwards, no torque.
 */
TEST(free_bodies)
{
    vgModel *m = parse("verge: 1\ngravity: [0, 0, -9.81]\nbodies:\n  b: {mass: 3, inertia: [0.1, 0.2, 0.25], "
                       "com: [0.1, 0, 0], velocity: [1, 2, 3], omega: [0.5, 2, -1]}\n");
    vgDiag *diag = vg_diag_new();
    vgInverse *inv = NULL;
    double x[6];
    vgVec3 w = vg_v3(0.5, 2, -1);
    CHECK_INT(vg_inverse_new(m, diag, &inv), VG_OK);
    CHECK_INT(vg_inverse_wrench_count(inv), 6);
    CHECK_STR(vg_inverse_wrench_name(inv, 0), "body.b.force.x");
    CHECK_INT(vg_inverse_at(inv, 0.7, NULL, NULL, NULL, NULL), VG_OK);
    vg_inverse_wrench(inv, x);
    check_vector(x, vg_v3(0, 0, 3 * 9.81), 1e-12);
    vgVec3 T = vg_cross3(w, vg_v3(0.1 * w.x, 0.2 * w.y, 0.25 * w.z));
    check_vector(x + 3, vg_mv3(vg_so3_exp(vg_scale3(w, 0.7)), T), 1e-12);
    vg_inverse_free(inv);
    vg_model_free(m);
    m = parse("verge: 1\nplanar: true\nbodies:\n  b: {mass: 2, inertia: 0.1, omega: 3}\n");
    CHECK(m != NULL);
    CHECK_INT(vg_inverse_new(m, diag, &inv), VG_OK);
    CHECK_INT(vg_inverse_wrench_count(inv), 3);
    CHECK_STR(vg_inverse_wrench_name(inv, 2), "body.b.torque.z");
    CHECK_INT(vg_inverse_at(inv, 0.7, NULL, NULL, NULL, NULL), VG_OK);
    vg_inverse_wrench(inv, x);
    check_vector(x, vg_scale3(vg_neg3(m->gravity), 2), 1e-12);
    vg_inverse_free(inv);
    vg_model_free(m);
    vg_diag_free(diag);
}

/* An arm of two links on a free base that flies and turns: where the bodies are at t, written down by hand.
 */
typedef struct Arm {
    vgVec3 p[3], hinge[3];
    vgMat3 R[3];
    vgVec3 P[3], L[3]; /* momentum; moment of momentum about W's origin */
} Arm;

static const double arm_mass[3] = {5, 2, 1},
                    arm_J[3][3] = {{0.3, 0.4, 0.5}, {0.02, 0.1, 0.1}, {0.01, 0.05, 0.06}};

static void arm_place(double t, Arm *a)
{
    vgVec3 v = vg_v3(0.3, -0.2, 0.1), w = vg_v3(0.4, 1, -0.6);
    a->R[0] = vg_so3_exp(vg_scale3(w, t));
    a->p[0] = vg_add3(vg_v3(1, 2, 3), vg_scale3(v, t));
    a->hinge[1] = vg_add3(a->p[0], vg_mv3(a->R[0], vg_v3(0.5, 0, 0.2)));
    a->R[1] = vg_mm3(a->R[0], vg_so3_exp(vg_v3(0, 0.7 * sin(2 * t), 0)));
    a->p[1] = vg_add3(a->hinge[1], vg_mv3(a->R[1], vg_v3(0.4, 0, 0)));
    a->hinge[2] = vg_add3(a->hinge[1], vg_mv3(a->R[1], vg_v3(0.8, 0, 0)));
    a->R[2] = vg_mm3(a->R[1], vg_so3_exp(vg_v3(0, 0, 1.5 * t * t)));
    a->p[2] = vg_add3(a->hinge[2], vg_mv3(a->R[2], vg_v3(0.3, 0, 0)));
}

static const double STENCIL = 2e-3; /* differences of order 4 */

static vgVec3 difference(vgVec3 m2, vgVec3 m1, vgVec3 p1, vgVec3 p2)
{
    vgVec3 d = vg_sub3(vg_scale3(vg_sub3(p1, m1), 8), vg_sub3(p2, m2));
    return vg_scale3(d, 1 / (12 * STENCIL));
}

static void arm_momentum(double t, Arm *a)
{
    Arm at[5];
    arm_place(t, a);
    for (int k = 0; k < 5; k++) arm_place(t + (k - 2) * STENCIL, &at[k]);
    for (int i = 0; i < 3; i++) {
        vgVec3 v = difference(at[0].p[i], at[1].p[i], at[3].p[i], at[4].p[i]), turn[5];
        for (int k = 0; k < 5; k++) turn[k] = vg_so3_log(vg_mtm3(a->R[i], at[k].R[i]));
        vgVec3 w = difference(turn[0], turn[1], turn[3], turn[4]); /* body axes */
        vgVec3 spin = vg_v3(arm_J[i][0] * w.x, arm_J[i][1] * w.y, arm_J[i][2] * w.z);
        a->P[i] = vg_scale3(v, arm_mass[i]);
        a->L[i] = vg_add3(vg_cross3(a->p[i], a->P[i]), vg_mv3(a->R[i], spin));
    }
}

/* What links from `first` on need at a point: the rate of change of their momentum, less their weight. */
static void arm_wrench(double t, int first, vgVec3 about, vgVec3 *F, vgVec3 *T)
{
    Arm now, at[5];
    arm_place(t, &now);
    for (int k = 0; k < 5; k++) arm_momentum(t + (k - 2) * STENCIL, &at[k]);
    *F = *T = vg_zero3();
    for (int i = first; i < 3; i++) {
        vgVec3 weight = vg_v3(0, 0, -9.81 * arm_mass[i]);
        *F = vg_add3(*F, vg_sub3(difference(at[0].P[i], at[1].P[i], at[3].P[i], at[4].P[i]), weight));
        *T = vg_add3(*T, vg_sub3(difference(at[0].L[i], at[1].L[i], at[3].L[i], at[4].L[i]),
                                 vg_cross3(now.p[i], weight)));
    }
    *T = vg_sub3(*T, vg_cross3(about, *F));
}

TEST(arm_on_a_free_base)
{
    vgModel *m =
        parse("verge: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
              "  base: {mass: 5, inertia: [0.3, 0.4, 0.5], position: [1, 2, 3], velocity: [0.3, -0.2, 0.1],\n"
              "         omega: [0.4, 1, -0.6], markers: {arm: [0.5, 0, 0.2]}}\n"
              "  upper: {mass: 2, inertia: [0.02, 0.1, 0.1], com: [0.4, 0, 0], position: [1.5, 2, 3.2],\n"
              "          markers: {elbow: [0.8, 0, 0]}}\n"
              "  lower: {mass: 1, inertia: [0.01, 0.05, 0.06], com: [0.3, 0, 0], position: [2.3, 2, 3.2]}\n"
              "joints:\n  shoulder: {revolute: [base.arm, upper], axis: y}\n"
              "  elbow: {revolute: [upper.elbow, lower], axis: z}\n");
    vgDiag *diag = vg_diag_new();
    vgInverse *inv = NULL;
    CHECK(m != NULL);
    CHECK_INT(vg_inverse_new(m, diag, &inv), VG_OK);
    CHECK_INT(vg_inverse_prescribe(inv, "shoulder", "0.7*sin(2*t)", diag), VG_OK);
    CHECK_INT(vg_inverse_prescribe(inv, "elbow", "1.5*t^2", diag), VG_OK);
    for (double t = 0; t < 1; t += 0.3) {
        double f[2], x[6];
        vgVec3 F, T;
        Arm now;
        arm_place(t, &now);
        CHECK_INT(vg_inverse_at(inv, t, NULL, NULL, NULL, f), VG_OK);
        vg_inverse_wrench(inv, x);
        arm_wrench(t, 0, now.p[0], &F, &T);
        check_vector(x, F, 1e-7);
        check_vector(x + 3, T, 1e-7);
        arm_wrench(t, 1, now.hinge[1], &F, &T);
        CHECK_NEAR(f[0], vg_dot3(T, vg_col3(now.R[0], 1)), 1e-7);
        arm_wrench(t, 2, now.hinge[2], &F, &T);
        CHECK_NEAR(f[1], vg_dot3(T, vg_col3(now.R[1], 2)), 1e-7);
    }
    vg_inverse_free(inv);
    vg_model_free(m);
    vg_diag_free(diag);
}

/* A hinge whose body has a velocity goes on with it: the pendulum turns at a constant rate, τ = m g l sin φ.
 */
TEST(hinge_goes_on)
{
    vgModel *m = parse("verge: 1\nplanar: true\ngravity: [0, -9.81]\nbodies:\n"
                       "  b: {mass: 2, inertia: 0.1, com: [0, -0.5], omega: 3}\n"
                       "joints:\n  O: {revolute: [ground, b]}\n");
    vgDiag *diag = vg_diag_new();
    vgInverse *inv = NULL;
    double x, v, f;
    CHECK(m != NULL);
    CHECK_INT(vg_inverse_new(m, diag, &inv), VG_OK);
    CHECK_INT(vg_inverse_at(inv, 0.4, &x, &v, NULL, &f), VG_OK);
    CHECK_NEAR(x, 1.2, 1e-14);
    CHECK_NEAR(v, 3, 1e-14);
    CHECK_NEAR(f, 2 * 9.81 * 0.5 * sin(1.2), 1e-12);
    vg_inverse_free(inv);
    vg_model_free(m);
    vg_diag_free(diag);
}

/* A universal joint has two coordinates, and one must be named. */
TEST(coordinates_by_name)
{
    vgModel *m = parse("verge: 1\nbodies:\n  c: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n  d: {mass: 1, inertia: "
                       "[0.1, 0.1, 0.1]}\njoints:\n  U: {universal: [ground, c], axis: y, axis2: z}\n  S: "
                       "{revolute: [c, d], axis: y}\n");
    static const char *const wrong[] = {"U.angle", "U", "joint.U.angel1"};
    vgDiag *diag = vg_diag_new();
    vgInverse *inv = NULL;
    CHECK(m != NULL);
    CHECK_INT(vg_inverse_new(m, diag, &inv), VG_OK);
    for (int k = 0; k < 3; k++) {
        vg_diag_clear(diag);
        CHECK_INT(vg_inverse_prescribe(inv, wrong[k], "t", diag), VG_BAD_INPUT);
        CHECK(strstr(vg_diag_line(diag, 0), "'U.angle1', 'U.angle2'") != NULL);
    }
    CHECK_INT(vg_inverse_prescribe(inv, "U.angle2", "t", diag), VG_OK);
    CHECK_INT(vg_inverse_prescribe(inv, "joint.U.angle1", "t", diag), VG_OK);
    CHECK_INT(vg_inverse_prescribe(inv, "S", "t", diag), VG_OK);
    vg_inverse_free(inv);
    vg_model_free(m);
    vg_diag_free(diag);
}

TEST(refused_by_name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/models/four-bar-planar.yaml", VERGE_SOURCE_DIR);
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_load(path, NULL, 0, diag);
    vgInverse *inv = NULL;
    CHECK_INT(vg_inverse_new(m, diag, &inv), VG_UNSUPPORTED);
    CHECK(strstr(vg_diag_line(diag, 0), "closes a loop") != NULL);
    vg_model_free(m);
    vg_diag_clear(diag);
    snprintf(path, sizeof path, "%s/models/rotating-beam.yaml", VERGE_SOURCE_DIR);
    m = vg_model_load(path, NULL, 0, diag);
    CHECK_INT(vg_inverse_new(m, diag, &inv), VG_UNSUPPORTED);
    CHECK(strstr(vg_diag_line(diag, 0), "flexible") != NULL);
    vg_model_free(m);
    vg_diag_clear(diag);
    char text[1000];
    snprintf(text, sizeof text, lift, "");
    m = parse(text);
    CHECK_INT(vg_inverse_new(m, diag, &inv), VG_OK);
    CHECK_INT(vg_inverse_prescribe(inv, "hinge.angel", "t", diag), VG_BAD_INPUT);
    CHECK(strstr(vg_diag_line(diag, 0), "hinge.angle") != NULL);
    CHECK_INT(vg_inverse_prescribe(inv, "hinge", "sqrt(", diag), VG_BAD_INPUT);
    CHECK_INT(vg_inverse_prescribe(inv, "hinge", "sqrt(t - 1)", diag), VG_OK);
    CHECK_INT(vg_inverse_at(inv, 0, NULL, NULL, NULL, NULL), VG_NOT_FINITE);
    vg_inverse_free(inv);
    vg_model_free(m);
    vg_diag_free(diag);
}

TEST_MAIN(lift_with_an_arm, puma, ball_turning, ball_on_an_arm, free_bodies, arm_on_a_free_base,
          hinge_goes_on, coordinates_by_name, refused_by_name)
