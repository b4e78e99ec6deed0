/* Inverse dynamics against closed forms and published torques; drives and laws; what cannot be is refused by
 * name. */
#include "test.h"

#include <math.h>

#include "analysis/inverse.h"

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

TEST_MAIN(lift_with_an_arm, puma, refused_by_name)
