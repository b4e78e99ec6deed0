/* Tyres against closed forms: deflection and damping along the road's normal, slip angle and camber, the
 * lateral force at the point of contact. */
#include "element/force_rig.h"

#define WHEEL                                                                                                \
    {"radius", "0.4"}, {"stiffness", "2e5"}, {"damping", "500"},                                             \
    {                                                                                                        \
        "velocity", "0.5"                                                                                    \
    }

static Rig wheel(const char *kind, const rigText *text)
{
    return rig_new(kind, text, rig_frame(-1, vg_zero3()), rig_frame(1, vg_zero3()), 0);
}

/* A wheel above x, leaning by the camber about its forward axis. */
static rigState at(double x, double z, double camber, vgVec3 v)
{
    rigState s = {.kin = {rig_rest(), rig_rest()}};
    s.kin[1].p = vg_v3(x, 0, z);
    s.kin[1].v = v;
    s.kin[1].R = vg_so3_exp(vg_v3(camber, 0, 0));
    return s;
}

/* F = N n + F_y e_y at the point where the spoke meets the road, M = M_z n; the torque in the wheel's axes.
 */
static void check_wrench(const rigOut *out, double z, double camber, double N, double Fy, double Mz)
{
    double c = cos(camber), s = sin(camber), spoke = z / c, tol = 1e-9 * (1 + N);
    CHECK_NEAR(out->f[6], 0, tol);
    CHECK_NEAR(out->f[7], Fy, tol);
    CHECK_NEAR(out->f[8], N, tol);
    CHECK_NEAR(out->f[9], spoke * (s * N + c * Fy), tol);
    CHECK_NEAR(out->f[10], s * Mz, tol);
    CHECK_NEAR(out->f[11], c * Mz, tol);
}

static void check_output(const Rig *rig, const rigState *s, const double want[6])
{
    double values[RIG_MAX];
    CHECK_INT(rig_output(rig, s, values), 6);
    for (int i = 0; i < 6; i++) CHECK_NEAR(values[i], want[i], 1e-9 * (1 + fabs(want[i])));
}

TEST(linear)
{
    static const rigText text[] = {
        WHEEL, {"cornering", "3e4"}, {"camber", "2e3"}, {"trail", "0.03"}, {NULL, NULL}};
    Rig rig = wheel("tyre-linear", text);
    for (int k = 0; k < 4; k++) {
        double camber = k & 1 ? 0.1 : -0.05, vx = k & 2 ? 20 : -7, vy = 1.2, vz = -0.3, z = 0.38;
        rigState s = at(3, z, camber, vg_v3(vx, vy, vz));
        rigOut out;
        rig_eval(&rig, &s, 0, &out);
        double q2 = vx * vx + 0.25, alpha = atan(vy / sqrt(q2)), N = 2e5 * 0.02 + 500 * 0.3;
        double Fy = -(3e4 * alpha + 2e3 * camber * vx * vx / q2);
        check_wrench(&out, z, camber, N, Fy, -0.03 * Fy);
        check_output(&rig, &s, (const double[6]){N, Fy, -0.03 * Fy, 0.02, alpha, camber});
    }
    rigOut out; /* it never pulls, and off the ground it does nothing */
    rigState up = at(0, 0.399, 0, vg_v3(10, 1, 2)), off = at(0, 0.401, 0, vg_v3(10, 1, -2));
    rig_eval(&rig, &up, 0, &out);
    for (int i = 6; i < 12; i++) CHECK_NEAR(out.f[i], 0, 0);
    rig_eval(&rig, &off, 0, &out);
    for (int i = 6; i < 12; i++) CHECK_NEAR(out.f[i], 0, 0);
    check_output(&rig, &off, (const double[6]){0, 0, 0, -0.001, 0, 0});
    rig_free(&rig);
}

/* On a slope the force stands on the road; measured vertically the deflection is (R − height)/H. */
TEST(normal_on_a_slope)
{
    for (int vertical = 0; vertical < 2; vertical++) {
        const rigText text[] = {
            WHEEL, {"road", "waves"}, {"vertical", vertical ? "true" : "false"}, {NULL, NULL}};
        Rig rig = wheel("tyre-linear", text);
        const double x = 0.4, h = 0.2 * sin(1.3 * x), slope = 0.26 * cos(1.3 * x),
                     H = sqrt(1 + slope * slope);
        const double height = 0.39;
        rigState s = at(x, h + height, 0, vg_v3(0, 0, -0.1));
        rigOut out;
        rig_eval(&rig, &s, 0, &out);
        double d = vertical ? (0.4 - height) / H : 0.4 - height / H, N = 2e5 * d + 500 * 0.1 / H;
        CHECK_NEAR(out.f[6], -N * slope / H, 1e-9 * N);
        CHECK_NEAR(out.f[7], 0, 1e-9 * N);
        CHECK_NEAR(out.f[8], N / H, 1e-9 * N);
        for (int i = 9; i < 12; i++) CHECK_NEAR(out.f[i], 0, 1e-9 * N); /* no torque about a free axis */
        rig_free(&rig);
    }
}

/* Calspan, with the coefficients of the IAVSD benchmark (Frik, Leister and Schwartz 1993). */
TEST(calspan)
{
    static const rigText text[] = {WHEEL, {NULL, NULL}};
    Rig rig = wheel("tyre-calspan", text);
    const double z[] = {0.38, 0.38, 0.33, 0.395, 0.25}, vy[] = {0.4, -9, 1, 0.3, 1},
                 lean[] = {0.05, 0, 0, -0.1, 0.1};
    for (int k = 0; k < 5; k++) {
        rigState s = at(0, z[k], lean[k], vg_v3(20, vy[k], 0));
        rigOut out;
        rig_eval(&rig, &s, 0, &out);
        double N = 2e5 * (0.4 - z[k]), F = fmin(N, 12930), q2 = 400.25, alpha = atan(vy[k] / sqrt(q2));
        double C = (14.47 * F * (12930 - F) + 2625 * 12930) / 12930, Cg = 2.29 * F * (18175 - F) / 18175;
        double P = N * (-0.464e-4 * N + 1.216 + 2.18e-11 * N * N) * 1.0274;
        double a = -(C * alpha + Cg * lean[k] * 400 / q2) / P;
        double g = fabs(a) < 3 ? a - a * fabs(a) / 3 + a * a * a / 27 : a > 0 ? 1 : -1;
        double Fy = P * g, Mz = (-0.171e-4 * N + 0.171e-4 * fabs(Fy)) * Fy;
        if (k == 1) CHECK(fabs(a) > 3 && Fy > 4000); /* slides */
        if (k == 4) {
            CHECK(P < 0); /* loads that the friction's parabola does not know: no lateral force */
            Fy = Mz = 0;
        }
        check_wrench(&out, z[k], lean[k], N, Fy, Mz);
        check_output(&rig, &s, (const double[6]){N, Fy, Mz, 0.4 - z[k], alpha, lean[k]});
    }
    rig_free(&rig);
}

TEST_MAIN(linear, normal_on_a_slope, calspan)
