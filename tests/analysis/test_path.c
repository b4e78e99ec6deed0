/* Paths of equilibria by arc length, follower loads, whirl over the speed: against closed forms. */
#include <math.h>

#include "moment.h"
#include "test.h"

static const double pi = 3.14159265358979323846;

/* ---- von Mises truss: two springs k from (±a, 0) to an apex at (0, h) pressed down by P ---- */

static const double half = 1, rise = 0.3, stiffness = 100, press = 3;

static double truss_load(double y)
{
    double l0 = hypot(half, rise), l = hypot(half, y);
    return 2 * stiffness * (l0 - l) * y / l;
}

typedef struct Path {
    vgChannels *channels;
    vgWork *work;
    int n, falls;
    double worst, last;
} Path;

static void point(void *user, double load, const vgState *state)
{
    Path *p = user;
    double y;
    vg_channels_eval(p->channels, p->work, state, &y);
    p->worst = fmax(p->worst, fabs(load * press - truss_load(y)));
    p->falls += p->n++ > 0 && load < p->last;
    p->last = load;
}

TEST(truss_snaps_through)
{
    momentRig m =
        moment_text("verge: 1\nplanar: true\nbodies:\n  ground: {markers: {A: [-1, 0], B: [1, 0]}}\n"
                    "  apex: {mass: 1, point: true, position: [0, 0.3]}\nforces:\n"
                    "  a: {spring: [ground.A, apex], stiffness: 100}\n"
                    "  b: {spring: [ground.B, apex], stiffness: 100}\n"
                    "  P: {force: apex, value: [0, -3]}\n");
    const char *name = "body.apex.position.y";
    Path path = {.work = m.sim.it->work};
    CHECK_INT(vg_channels_new(m.sim.sys, &name, 1, m.diag, &path.channels), VG_OK);
    vgEquilibriumOptions o = {.arc_steps = 500, .path = point, .user = &path};
    moment_rest(&m, &o);
    CHECK_INT(m.status, VG_OK);
    CHECK(path.n > 20);
    CHECK(path.falls > 5);
    CHECK_NEAR(path.worst, 0, 1e-9); /* every point is on the curve, also where the load is negative */
    double y = moment_channel(&m, name), top = 0;
    CHECK(y < -0.3); /* on the other side */
    CHECK_NEAR(truss_load(y), press, 1e-9);
    for (double x = 0; x < rise; x += 1e-6) top = fmax(top, truss_load(x));
    CHECK_NEAR(m.rest.limit * press, top, 2e-3 * top);
    vg_channels_free(path.channels);
    moment_end(&m);
}

/* A deep arc of the same kind: where the path bends back no load is enough, and that is said. */
TEST(a_path_that_does_not_get_there)
{
    momentRig m =
        moment_text("verge: 1\nplanar: true\nbodies:\n  ground: {markers: {A: [-1, 0], B: [1, 0]}}\n"
                    "  apex: {mass: 1, point: true, position: [0, 0.3]}\nforces:\n"
                    "  a: {spring: [ground.A, apex], stiffness: 100}\n"
                    "  b: {spring: [ground.B, apex], stiffness: 100}\n"
                    "  P: {force: apex, value: [0, -3]}\n");
    vgEquilibriumOptions o = {.arc_steps = 3};
    moment_rest(&m, &o);
    CHECK_INT(m.status, VG_NOT_CONVERGED);
    CHECK(m.rest.load > 0 && m.rest.load < 1);
    moment_end(&m);
}

/* ---- a cantilever with a force that stays across its end ----
 * With σ from the tip and φ = θ_tip − θ the bending moment is P × lever: φ″ = P cos φ, φ(0) = φ′(0) = 0, so
 * the shape is an initial-value problem from the tip; at the root θ = 0. */
static void follower(double P, double *x, double *y)
{
    const int n = 4000;
    double h = 1.0 / n, s[4] = {0, 0, 0, 0}; /* φ, φ′, ∫cos φ, ∫sin φ */
    for (int i = 0; i < n; i++) {
        double k[4][4], at[4];
        const double c[4] = {0, 0.5, 0.5, 1};
        for (int j = 0; j < 4; j++) {
            for (int m = 0; m < 4; m++) at[m] = s[m] + (j ? c[j] * h * k[j - 1][m] : 0);
            k[j][0] = at[1];
            k[j][1] = P * cos(at[0]);
            k[j][2] = cos(at[0]);
            k[j][3] = sin(at[0]);
        }
        for (int m = 0; m < 4; m++) s[m] += h / 6 * (k[0][m] + 2 * k[1][m] + 2 * k[2][m] + k[3][m]);
    }
    /* tip axes → root axes: turn by θ_tip = φ(root) */
    double tip = s[0];
    *x = cos(tip) * s[2] + sin(tip) * s[3];
    *y = sin(tip) * s[2] - cos(tip) * s[3];
}

TEST(follower_load)
{
    const double load[] = {1, 10};
    for (int i = 0; i < 2; i++) {
        char text[400];
        double x, y;
        snprintf(text, sizeof text,
                 "verge: 1\nplanar: true\nmesh:\n  b: {beam3: 16, from: ground, to: [1, 0], EA: 1e6, GAy: "
                 "1e6, EIz: 1, m: "
                 "1}\nforces:\n  P: {force: b.33, value: [0, %g], frame: body}\n",
                 load[i]);
        momentRig m = moment_text(text);
        vgEquilibriumOptions o = {.arc_steps = 2000};
        moment_rest(&m, i ? &o : NULL);
        CHECK_INT(m.status, VG_OK);
        follower(load[i], &x, &y);
        /* the model stretches and shears by load/1e6, and its mesh is of fourth order */
        CHECK_NEAR(moment_channel(&m, "body.b.33.position.x"), x, 1e-5 * load[i]);
        CHECK_NEAR(moment_channel(&m, "body.b.33.position.y"), y, 1e-5 * load[i]);
        moment_end(&m);
    }
}

/* ---- whirl of a spinning shaft on pinned ends (Rayleigh) ----
 * With k = nπ/L, J the inertia per length about a diameter and 2J about the axis,
 *     (m + J k²) ω² ∓ 2 J k² Ω ω − EI k⁴ = 0,  upper sign: with the spin. Shear is made small by a large GA.
 */
TEST(whirl_of_a_shaft)
{
    const double speed[] = {0, 5, 30}, J = 0.02;
    for (int i = 0; i < 3; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "verge: 1\nbodies: {ground: {markers: {B: [1, 0, 0]}}}\nmesh:\n"
                 "  s: {beam3: 8, start: {spherical: ground}, end: {point-on-line: ground.B, axis: x}, EA: "
                 "1e6, GAy: 1e6, GJ: "
                 "1, EIz: 1, m: 1, Jy: %g, Jz: %g, omega: [%g, 0, 0]}\n",
                 J, J, speed[i]);
        momentRig m = moment_text(text);
        moment_modes(&m);
        CHECK_INT(m.status, VG_OK);
        for (int n = 1; n <= 3; n++)
            for (int sign = -1; sign <= 1; sign += 2) {
                double k = n * pi, a = 1 + J * k * k, b = sign * J * k * k * speed[i];
                double w = (b + sqrt(b * b + a * pow(k, 4))) / a;
                int found = 0;
                for (int j = 0; j < m.modes.n; j++) {
                    double whirl = vg_modes_whirl(m.sim.sys, m.sim.it->work, m.sim.state, &m.modes, j);
                    if (fabs(m.modes.mode[j].im / w - 1) < 0.005) found |= i == 0 || whirl * sign > 0.99;
                }
                CHECK(found);
            }
        moment_end(&m);
    }
}

TEST_MAIN(truss_snaps_through, a_path_that_does_not_get_there, follower_load, whirl_of_a_shaft)
