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

typedef struct Followed {
    vgChannels *channels;
    vgWork *work;
    double full, worst;
    int n;
} Followed;

/* Every point of the path is the rest under that part of the load. */
static void followed(void *user, double load, const vgState *state)
{
    Followed *f = user;
    double at[2], x, y;
    vg_channels_eval(f->channels, f->work, state, at);
    follower(load * f->full, &x, &y);
    f->worst = fmax(f->worst, hypot(at[0] - x, at[1] - y));
    f->n++;
}

static momentRig followed_cantilever(double load, double EA)
{
    char text[400];
    snprintf(text, sizeof text,
             "verge: 1\nplanar: true\nmesh:\n  b: {beam3: 32, from: ground, to: [1, 0], EA: %g, GAy: %g, "
             "EIz: 1, m: 1}\nforces:\n  P: {force: b.65, value: [0, %g], frame: body}\n",
             EA, EA, load);
    return moment_text(text);
}

static const char *const tip_at[] = {"body.b.65.position.x", "body.b.65.position.y"};

TEST(follower_load)
{
    momentRig m = followed_cantilever(30, 1e8);
    Followed f = {.work = m.sim.it->work, .full = 30};
    CHECK_INT(vg_channels_new(m.sim.sys, tip_at, 2, m.diag, &f.channels), VG_OK);
    vgEquilibriumOptions o = {.arc_steps = 2000, .path = followed, .user = &f};
    moment_rest(&m, &o);
    CHECK_INT(m.status, VG_OK);
    CHECK(f.n > 20);
    CHECK_NEAR(f.worst, 0, 1e-5); /* the mesh; it stretches and shears by 3e-7 */
    vg_channels_free(f.channels);
    moment_end(&m);
}

/* Wound up several times: the load is raised in steps as large as they may be. */
TEST(large_follower_load)
{
    const double load[] = {10, 130, 500};
    for (int i = 0; i < 3; i++) {
        double x, y;
        momentRig m = followed_cantilever(load[i], 1e9);
        moment_rest(&m, NULL);
        CHECK_INT(m.status, VG_OK);
        follower(load[i], &x, &y);
        CHECK_NEAR(moment_channel(&m, tip_at[0]), x, 1e-6 * load[i]);
        CHECK_NEAR(moment_channel(&m, tip_at[1]), y, 1e-6 * load[i]);
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
                 "1e6, GAy: 1e6, GJ: 1, EIz: 1, m: 1, Jy: %g, Jz: %g, omega: [%g, 0, 0]}\n",
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

/* ---- the shaft of models/rotating-shaft.yaml with its disc, balanced: exact theory ----
 * Round motions e^{iωt} of a round Timoshenko shaft that spins at Ω: deflection w, tilt φ, moment M, shear V
 * with w′ = φ + V/GA,   φ′ = M/EI,   V′ = −m ω² w,   M′ = −V − J (1 − 2Ω/ω) ω² φ, clamped at the ends (w = φ
 * = 0), with a disc of mass D and inertias Jd, Jp in the middle: symmetric modes       φ = 0,  V = ½ D ω² w
 *     antisymmetric modes   w = 0,  M = ½ (Jd − Jp Ω/ω) ω² φ
 * ω > 0: with the spin, ω < 0: against it. */
typedef struct Shaft {
    double GA, EI, m, J, half, D, Jd, Jp;
} Shaft;

static Shaft the_shaft(void)
{
    Shaft s = {60.5e6, 354.5e3, 7800 * pi * (0.05 * 0.05 - 0.045 * 0.045), 0, 3, 70.573, 0, 0};
    s.J = s.m * (0.05 * 0.05 + 0.045 * 0.045) / 4;
    s.Jd = s.D * (0.24 * 0.24 / 4 + 0.05 * 0.05 / 12);
    s.Jp = s.D * 0.24 * 0.24 / 2;
    return s;
}

static void shaft_rates(const Shaft *s, double w, double J, const double y[4], double d[4])
{
    d[0] = y[1] + y[3] / s->GA;
    d[1] = y[2] / s->EI;
    d[2] = -y[3] - J * w * w * y[1];
    d[3] = -s->m * w * w * y[0];
}

/* Zero where w is a natural frequency at the spin. */
static double shaft_condition(const Shaft *s, double spin, double w, int antisymmetric)
{
    double end[2][2];
    const double J = s->J * (1 - 2 * spin / w), h = s->half / 400;
    for (int k = 0; k < 2; k++) {
        double y[4] = {0, 0, k == 0, k == 1}, a[4], b[4], c[4], d[4], z[4];
        for (int i = 0; i < 400; i++) {
            shaft_rates(s, w, J, y, a);
            for (int j = 0; j < 4; j++) z[j] = y[j] + 0.5 * h * a[j];
            shaft_rates(s, w, J, z, b);
            for (int j = 0; j < 4; j++) z[j] = y[j] + 0.5 * h * b[j];
            shaft_rates(s, w, J, z, c);
            for (int j = 0; j < 4; j++) z[j] = y[j] + h * c[j];
            shaft_rates(s, w, J, z, d);
            for (int j = 0; j < 4; j++) y[j] += h / 6 * (a[j] + 2 * b[j] + 2 * c[j] + d[j]);
        }
        end[0][k] = antisymmetric ? y[0] : y[1];
        end[1][k] = antisymmetric ? y[2] - 0.5 * (s->Jd - s->Jp * spin / w) * w * w * y[1]
                                  : y[3] - 0.5 * s->D * w * w * y[0];
    }
    return end[0][0] * end[1][1] - end[0][1] * end[1][0];
}

/* The first root beyond zero on the side of `sign`; critical: with the spin equal to the frequency. */
static double shaft_root(const Shaft *s, double spin, int sign, int antisymmetric, int critical)
{
    double low = sign * 1.0, high = low;
    double f = shaft_condition(s, critical ? low : spin, low, antisymmetric);
    while (fabs(high) < 3000) {
        low = high, high += sign * 1.0;
        if (shaft_condition(s, critical ? high : spin, high, antisymmetric) * f < 0) break;
    }
    for (int i = 0; i < 60; i++) {
        double w = 0.5 * (low + high);
        if (shaft_condition(s, critical ? w : spin, w, antisymmetric) * f < 0)
            high = w;
        else
            low = w;
    }
    return low;
}

static momentRig spinning_shaft(double spin)
{
    char text[1100];
    snprintf(text, sizeof text,
             "verge: 1\nparameters: {m: 7800*pi*(0.05^2 - 0.045^2), d: 70.573, J: m*(0.05^2 + 0.045^2)/4}\n"
             "bodies:\n  ground: {markers: {T: [6, 0, 0]}}\n"
             "  disc: {mass: d, position: [3, 0, 0], omega: [%g, 0, 0], inertia: [d*0.24^2/2, \"d*(0.24^2/4 "
             "+ 0.05^2/12)\", \"d*(0.24^2/4 + 0.05^2/12)\"]}\n"
             "mesh:\n  shaft: {beam3: 16, start: {revolute: ground, axis: x}, end: {cylindrical: ground.T, "
             "axis: x}, nodes: {17: disc}, EA: 313.4e6, GAy: 60.5e6, GJ: 272.7e3, EIz: 354.5e3, m: m, Jy: J, "
             "Jz: J, mass: slices, omega: [%g, 0, 0]}\n",
             spin, spin);
    momentRig m = moment_text(text);
    moment_modes(&m);
    CHECK_INT(m.status, VG_OK);
    return m;
}

/* The mode nearest to a frequency, which must go round as its sign says. */
static double nearest_mode(momentRig *m, double w, int round)
{
    double best = INFINITY, off = INFINITY;
    for (int j = 0; j < m->modes.n; j++) {
        double d = fabs(m->modes.mode[j].im / fabs(w) - 1);
        if (d >= off) continue;
        if (round &&
            vg_modes_whirl(m->sim.sys, m->sim.it->work, m->sim.state, &m->modes, j) * w < 0.99 * fabs(w))
            continue;
        off = d;
        best = m->modes.mode[j].im;
    }
    return best;
}

/* To half a per cent, which the lumped slices keep with room. */
TEST(whirl_of_the_shaft_with_its_disc)
{
    const double speeds[] = {0, 90};
    const Shaft s = the_shaft();
    for (int i = 0; i < 2; i++) {
        momentRig m = spinning_shaft(speeds[i]);
        for (int sign = -1; sign <= 1; sign += 2)
            for (int antisymmetric = 0; antisymmetric < 2; antisymmetric++) {
                double w = shaft_root(&s, speeds[i], sign, antisymmetric, 0);
                CHECK_NEAR(nearest_mode(&m, w, i > 0) / fabs(w), 1, 0.005);
            }
        moment_end(&m);
    }
}

/* The critical speed is the one at which the forward whirl keeps up with the spin. */
TEST(critical_speed_of_the_shaft)
{
    const Shaft s = the_shaft();
    const double w = shaft_root(&s, 0, 1, 0, 1);
    CHECK(w > 55 && w < 65);
    momentRig m = spinning_shaft(w);
    CHECK_NEAR(nearest_mode(&m, w, 1) / w, 1, 0.005);
    moment_end(&m);
}

/* A blade clamped at the axis that turns steadily, Ω√(mL⁴/EI) = 12: stretched to tan(kL)/k with k² = mΩ²/EA;
 * out of the plane 13.1702 and 37.6031 (Wright, Smith, Thresher, Wang 1982), in the plane less by the spin,
 * ω² − Ω². */
TEST(turning_blade)
{
    momentRig m = moment_text(
        "verge: 1\nmesh:\n  b: {beam3: 12, start: {revolute: ground, axis: z, drive: {angle: 12*t}}, to: [1, "
        "0, 0], EA: 1e6, GAy: 1e6, GJ: 1, EIz: 1, m: 1, Jy: 1e-6, Jz: 1e-6, omega: [0, 0, 12]}\n");
    const double k = 12 / 1e3, flap = 13.1702;
    CHECK_INT(vg_equilibrium_turning(m.sim.sys, m.sim.it->work, m.sim.state, 0, m.diag, &m.rest), VG_OK);
    CHECK_NEAR(moment_channel(&m, "body.b.25.position.x"), tan(k) / k, 1e-9);
    CHECK_NEAR(moment_channel(&m, "body.b.25.velocity.y"), 12 * tan(k) / k, 1e-8);
    CHECK_NEAR(moment_channel(&m, "joint.b.start.force.x"), -1e6 * (1 / cos(k) - 1), 1e-3);
    CHECK_INT(vg_modes_seen(m.sim.sys, m.sim.it->work, m.sim.state, vg_v3(0, 0, 12), m.diag, &m.modes),
              VG_OK);
    CHECK_NEAR(nearest_mode(&m, flap, 0), flap, 2e-4 * flap);
    CHECK_NEAR(nearest_mode(&m, 37.6031, 0), 37.6031, 2e-4 * 37.6031);
    CHECK_NEAR(nearest_mode(&m, 5.4267, 0), sqrt(flap * flap - 144), 1e-3 * 5.4267);
    moment_end(&m);
}

TEST_MAIN(truss_snaps_through, a_path_that_does_not_get_there, follower_load, large_follower_load,
          whirl_of_a_shaft, whirl_of_the_shaft_with_its_disc, critical_speed_of_the_shaft, turning_blade)
