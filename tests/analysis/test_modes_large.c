/* The slowest modes of large models against closed forms and against all modes by dense matrices; M, C and K against
 * differences of the residual. */
#include <complex.h>
#include <dirent.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "analysis/modes/pencil.h"
#include "moment.h"
#include "test.h"

static const double pi = 3.14159265358979323846;
static const vgVec3 still = {0, 0, 0};

static void lowest(momentRig *m, int most)
{
    if (m->status == VG_OK)
        m->status =
            vg_modes_lowest(m->sim.sys, m->sim.it->work, m->sim.state, still, most, m->diag, &m->modes);
    for (int i = 0; i < vg_diag_count(m->diag); i++) printf("%s\n", vg_diag_line(m->diag, i));
    CHECK_INT(m->status, VG_OK);
}

/* ---- the matrices ---- */

/* Column j of ∂r/∂q (part 0), ∂r/∂v (1) or ∂r/∂a (2), fourth order. */
static void column(const momentRig *m, int part, int j, double *room, double *out)
{
    const vgSystem *sys = m->sim.sys;
    const vgState *s = m->sim.state;
    const int n = sys->nv;
    const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1},
                 h = part == 2 ? 1e3 : 1e-4 * (part ? 1 : sys->v_scale[j]);
    double *q = room, *d = q + sys->nq, *r = d + n;
    memset(out, 0, (size_t)n * sizeof *out);
    for (int k = 0; k < 4; k++) {
        const double *base[3] = {NULL, s->v, s->a};
        if (part)
            memcpy(d, base[part], (size_t)n * sizeof *d);
        else
            memset(d, 0, (size_t)n * sizeof *d);
        d[j] += at[k] * h;
        if (part == 0) sys->ops->retract(sys, s->q, d, q);
        sys->ops->residual(sys, m->sim.it->work, s->t, part ? s->q : q, part == 1 ? d : s->v,
                           part == 2 ? d : s->a, s->lambda, r, NULL);
        for (int i = 0; i < n; i++) out[i] += weight[k] * r[i] / (12 * h);
    }
}

/* C as the tangent has it: without −M [ω], which is added back here. */
static void add_spin(const momentRig *m, const vgKin *kin, const double *M, double *C)
{
    const vgSystem *sys = m->sim.sys;
    const int n = sys->nv;
    for (int j = 0; j < n; j++) {
        if (sys->model->body[sys->v_body[j]].select.n != 6 || vg_modes_component(sys, j) != 3) continue;
        const vgMat3 W = vg_skew3(kin[sys->v_body[j]].w);
        for (int i = 0; i < n; i++)
            for (int c = 0; c < 3; c++)
                for (int k = 0; k < 3; k++) C[i * n + j + c] += M[i * n + j + k] * W.m[k][c];
    }
}

static void compare(const char *name, momentRig *m)
{
    static const char *const part_name[3] = {"K", "C", "M"};
    const vgSystem *sys = m->sim.sys;
    const size_t n = (size_t)sys->nv;
    vgPencil p;
    if (vg_linearise_refuses(sys, m->sim.state) != VG_OK || sys->nv > 200) return;
    vg_work_bind(m->sim.it->work, m->sim.state);
    vgStatus st = vg_pencil_new(sys, m->sim.it->work, m->sim.state, still, &p);
    CHECK_INT(st, VG_OK);
    double *A[3], *room = calloc((size_t)sys->nq + 3 * n, sizeof *room), *d = calloc(n + 1, sizeof *d);
    const vgBlocks *blocks[3] = {&p.K, &p.C, &p.M};
    for (int k = 0; k < 3; k++) {
        A[k] = calloc(n * n + 1, sizeof *A[k]);
        vg_blocks_dense(blocks[k], A[k], sys->nv);
    }
    const vgState *s = m->sim.state;
    add_spin(m, sys->ops->kinematics(sys, m->sim.it->work, s->t, s->q, s->v, s->a), A[2], A[1]);
    for (int k = 0; k < 3; k++) {
        double big = 0, off = 0;
        for (size_t i = 0; i < n * n; i++) big = fmax(big, fabs(A[k][i]));
        for (int j = 0; j < sys->nv; j++) {
            column(m, k, j, room, d);
            for (size_t i = 0; i < n; i++) off = fmax(off, fabs(d[i] - A[k][i * n + (size_t)j]));
        }
        if (!(off <= 2e-8 * big + 1e-7)) printf("%s: %s off by %.3g of %.3g\n", name, part_name[k], off, big);
        CHECK(off <= 2e-8 * big + 1e-7);
        free(A[k]);
    }
    free(room);
    free(d);
    vg_pencil_free(&p);
}

TEST(matrices_are_derivatives)
{
    DIR *dir = opendir(VERGE_SOURCE_DIR "/models");
    int n = 0;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        const size_t length = strlen(e->d_name);
        char name[200];
        /* balls that just touch have no derivative */
        if (strcmp(e->d_name, "newtons-cradle.yaml") == 0 || strcmp(e->d_name, "billiards.yaml") == 0)
            continue;
        if (length < 6 || length > 150 || strcmp(e->d_name + length - 5, ".yaml") != 0) continue;
        snprintf(name, sizeof name, "%.*s", (int)length - 5, e->d_name);
        momentRig m = moment_file(name, NULL, 0);
        if (m.status == VG_OK) compare(name, &m), n++;
        moment_end(&m);
    }
    if (dir) closedir(dir);
    CHECK(n > 30);
}

/* ---- closed forms ---- */

/* A text that grows. */
typedef struct Text {
    char *s;
    size_t n, room;
} Text;

static void say(Text *t, const char *format, ...)
{
    va_list a;
    if (t->room - t->n < 1000) t->s = realloc(t->s, t->room = 2 * t->room + 4000);
    va_start(a, format);
    t->n += (size_t)vsnprintf(t->s + t->n, 1000, format, a);
    va_end(a);
}

static momentRig open_text(Text *t)
{
    momentRig m = moment_text(t->s);
    free(t->s);
    return m;
}

/* L_n(x), the Laguerre polynomial. */
static double laguerre(int n, double x)
{
    double before = 1, now = 1 - x;
    for (int k = 1; k < n; k++) {
        double next = ((2 * k + 1 - x) * now - k * before) / (k + 1);
        before = now, now = next;
    }
    return now;
}

/* N equal points on a hanging thread, l apart: ω² = (g/l) x with L_N(x) = 0. */
TEST(hanging_thread)
{
    enum { N = 400, MOST = 10 };
    Text t = {0};
    say(&t, "verge: 1\nplanar: true\ngravity: [0, -9.81]\nbodies:\n");
    for (int i = 0; i < N; i++)
        say(&t, "  p%d: {mass: 0.3, point: true, position: [0, %.17g]}\n", i, -0.05 * (i + 1));
    say(&t, "joints:\n  j0: {distance: [ground, p0]}\n");
    for (int i = 1; i < N; i++) say(&t, "  j%d: {distance: [p%d, p%d]}\n", i, i - 1, i);
    momentRig m = open_text(&t);
    lowest(&m, MOST);
    CHECK_INT(m.modes.n, MOST);
    CHECK_INT(m.modes.freedom, N);
    double x = 0, step = 1e-5;
    for (int k = 0; k < m.modes.n; k++) {
        while (laguerre(N, x) * laguerre(N, x + step) > 0) x += step;
        double low = x, high = x + step;
        for (int i = 0; i < 80; i++) {
            double middle = 0.5 * (low + high);
            if (laguerre(N, low) * laguerre(N, middle) <= 0)
                high = middle;
            else
                low = middle;
        }
        x = high;
        CHECK_NEAR(m.modes.mode[k].im / sqrt(9.81 / 0.05 * low), 1, 1e-9);
        CHECK_NEAR(m.modes.mode[k].re, 0, 0);
        CHECK_NEAR(m.modes.undamped[k] * 2 * pi / m.modes.mode[k].im, 1, 1e-12);
    }
    moment_end(&m);
}

/* N masses in a row on one rail, springs k and dampers β k between them, dampers α m to the ground; the ends free:
 * ω_j = 2 √(k/m) sin(jπ/2N), λ² + (α + β ω²) λ + ω² = 0, and for j = 0 the free motion, λ = 0 and −α. */
static momentRig row_of_masses(int n, double alpha, double beta)
{
    Text t = {0};
    const double k = 50, m = 2;
    say(&t, "verge: 1\nplanar: true\nbodies:\n");
    for (int i = 0; i < n; i++) say(&t, "  b%d: {mass: %g, inertia: 1, position: [%d, 0]}\n", i, m, i);
    say(&t, "joints:\n");
    for (int i = 0; i < n; i++)
        say(&t, "  j%d: {prismatic: [{body: ground, position: [%d, 0]}, b%d], axis: x}\n", i, i, i);
    say(&t, "forces:\n");
    for (int i = 1; i < n; i++)
        say(&t, "  s%d: {spring: [b%d, b%d], stiffness: %g, damping: %.17g, length: 1}\n", i, i - 1, i, k,
            beta * k);
    for (int i = 0; i < n && alpha > 0; i++)
        say(&t, "  d%d: {torsion: j%d, damping: %.17g}\n", i, i, alpha * m);
    return open_text(&t);
}

static double complex root_of(int j, int n, double alpha, double beta)
{
    const double w = 2 * sqrt(50.0 / 2) * sin(j * pi / (2 * n)), c = 0.5 * (alpha + beta * w * w);
    return -c + csqrt(c * c - w * w);
}

TEST(row_of_masses_damped)
{
    enum { N = 150, MOST = 9 };
    const double damping[4][2] = {{0, 0}, {0, 1e-3}, {0.02, 0}, {0.02, 1e-3}};
    for (int d = 0; d < 4; d++) {
        const double alpha = damping[d][0], beta = damping[d][1];
        momentRig m = row_of_masses(N, alpha, beta);
        lowest(&m, MOST);
        CHECK_INT(m.modes.n, MOST);
        int zeros = 0, decays = 0, seen = 0;
        for (int k = 0; k < m.modes.n; k++) {
            const vgMode *o = &m.modes.mode[k];
            const double complex l = o->re + I * o->im;
            if (o->re == 0 && o->im == 0) {
                zeros++;
                CHECK(o->damping == 0 && o->frequency == 0);
            } else if (alpha > 0 && fabs(o->re + alpha) < 1e-9 && o->im == 0) {
                decays++;
            } else {
                double best = INFINITY;
                for (int j = 1; j < 2 * MOST; j++) best = fmin(best, cabs(l - root_of(j, N, alpha, beta)));
                CHECK_NEAR(best, 0, 1e-9);
                seen++;
            }
        }
        CHECK_INT(zeros, 1);
        CHECK_INT(decays, alpha > 0);
        CHECK_INT(seen, MOST - 1 - (alpha > 0));
        moment_end(&m);
    }
}

/* Rotors of revolution on isotropic bearings, symmetric about their centres: tilting ω = JpΩ/2Jt ± √((JpΩ/2Jt)² + k/Jt),
 * backward whirl the slower; three equal ones each. */
TEST(many_rotors)
{
    enum { N = 45, MOST = 9 };
    Text t = {0};
    const double Jp = 0.004, Jt = 0.0025, speed = 300;
    say(&t, "verge: 1\nbodies:\n");
    for (int i = 0; i < N; i++)
        say(&t, "  r%d: {mass: 1, inertia: [%g, %g, %g], omega: [%g, 0, 0], position: [%d, 0, 0]}\n", i, Jp,
            Jt, Jt, speed, i);
    say(&t, "forces:\n");
    for (int i = 0; i < N; i++)
        say(&t,
            "  b%d: {bushing: [{body: ground, position: [%d, 0, 0]}, r%d], stiffness: [1e7, 1e7, 1e7, 1e6, "
            "%d, %d]}\n",
            i, i, i, 20 + i / 3, 20 + i / 3);
    momentRig m = open_text(&t);
    lowest(&m, MOST);
    CHECK_INT(m.modes.n, MOST);
    for (int k = 0; k < m.modes.n; k++) {
        const double a = Jp * speed / (2 * Jt), w = sqrt(a * a + (20 + k / 3) / Jt) - a;
        CHECK_NEAR(m.modes.mode[k].im / w, 1, 1e-8);
        CHECK_NEAR(m.modes.mode[k].re / w, 0, 1e-8);
        CHECK(vg_modes_whirl(m.sim.sys, m.sim.it->work, m.sim.state, &m.modes, k) < -0.99);
    }
    moment_end(&m);
}

/* A chain of ball joints that hangs: each link spins freely about its axis. */
TEST(free_spins)
{
    enum { N = 60, MOST = 8 };
    Text t = {0};
    say(&t, "verge: 1\ngravity: [0, 0, -9.81]\nbodies:\n");
    for (int i = 0; i < N; i++)
        say(&t,
            "  b%d: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [0, 0, %.17g], rotation: [0, \"pi/2\", "
            "0]}\n",
            i, -0.1 * (i + 0.5));
    say(&t, "joints:\n  j0: {spherical: [ground, {body: b0, position: [-0.05, 0, 0]}]}\n");
    for (int i = 1; i < N; i++)
        say(&t,
            "  j%d: {spherical: [{body: b%d, position: [0.05, 0, 0]}, {body: b%d, position: [-0.05, 0, "
            "0]}]}\n",
            i, i - 1, i);
    momentRig m = open_text(&t);
    lowest(&m, MOST);
    CHECK_INT(m.modes.n, MOST);
    for (int k = 0; k < m.modes.n; k++) {
        CHECK(m.modes.mode[k].re == 0 && m.modes.mode[k].im == 0);
        for (int i = 0; i < m.modes.nv; i++) /* nothing but turns about the vertical */
            if (vg_modes_component(m.sim.sys, i) != 5)
                CHECK_NEAR(hypot(m.modes.shape_re[k * m.modes.nv + i], m.modes.shape_im[k * m.modes.nv + i]),
                           0, 1e-6);
    }
    moment_end(&m);
}

/* N links in a line, hinged at one end: above it all N directions lead away, below it none. Masses in a row are free in
 * one. */
TEST(stability_of_many)
{
    enum { N = 100 };
    for (int up = 0; up < 2; up++) {
        Text t = {0};
        const double sign = up ? 1 : -1;
        say(&t, "verge: 1\nplanar: true\ngravity: [0, -9.81]\nbodies:\n");
        for (int i = 0; i < N; i++)
            say(&t, "  b%d: {mass: 1, inertia: 0.001, position: [0, %.17g]}\n", i, sign * 0.1 * (i + 0.5));
        say(&t, "joints:\n  j0: {revolute: [ground, {body: b0, position: [0, %g]}]}\n", -sign * 0.05);
        for (int i = 1; i < N; i++)
            say(&t, "  j%d: {revolute: [{body: b%d, position: [0, %g]}, {body: b%d, position: [0, %g]}]}\n",
                i, i - 1, sign * 0.05, i, -sign * 0.05);
        momentRig m = open_text(&t);
        CHECK_INT(m.status, VG_OK);
        vgStability s = vg_modes_stability(m.sim.sys, m.sim.it->work, m.sim.state, NULL);
        CHECK_INT(s.unstable, up ? N : 0);
        CHECK_INT(s.neutral, 0);
        moment_end(&m);
    }
    momentRig m = row_of_masses(N, 0, 0);
    vgStability s = vg_modes_stability(m.sim.sys, m.sim.it->work, m.sim.state, NULL);
    CHECK_INT(s.unstable, 0);
    CHECK_INT(s.neutral, 1);
    moment_end(&m);
}

/* ---- all modes by dense matrices ---- */

static momentRig frame(int n, double damping)
{
    Text t = {0};
    say(&t, "verge: 1\nbodies:\n");
    for (int i = 0; i < n * n; i++)
        say(&t, "  n%d: {mass: 0.01, inertia: [1e-5, 1e-5, 1e-5], position: [%d, %d, 0]}\n", i, i / n, i % n);
    say(&t, "joints:\n");
    for (int i = 0; i < n; i++)
        say(&t, "  g%d: {fixed: [{body: ground, position: [%d, 0, 0]}, n%d]}\n", i, i, i * n);
    say(&t, "forces:\n");
    const char *beam = "circle: 0.02, E: 2.1e9, rho: 7850";
    for (int i = 0; i < n * n; i++) {
        if (i + n < n * n && i % n)
            say(&t, "  h%d: {beam: [n%d, n%d], %s, damping: %g}\n", i, i, i + n, beam, damping);
        if (i % n + 1 < n)
            say(&t, "  v%d: {beam: [n%d, n%d], %s, damping: %g}\n", i, i, i + 1, beam, damping);
    }
    return open_text(&t);
}

TEST(few_as_all)
{
    enum { MOST = 6 };
    for (int d = 0; d < 2; d++) {
        momentRig m = frame(7, d * 1e-3);
        lowest(&m, MOST);
        vgModes few = m.modes;
        CHECK_INT(few.n, MOST);
        m.modes = (vgModes){0};
        moment_modes(&m);
        CHECK_INT(m.status, VG_OK);
        CHECK(m.modes.n >= m.modes.freedom);
        CHECK_INT(few.freedom, m.modes.freedom);
        for (int k = 0; k < few.n && k < m.modes.n; k++) {
            CHECK_NEAR(few.mode[k].im / m.modes.mode[k].im, 1, 1e-7);
            CHECK_NEAR((few.mode[k].re - m.modes.mode[k].re) / m.modes.mode[k].im, 0, 1e-7);
            CHECK_NEAR(few.undamped[k] / m.modes.undamped[k], 1, 1e-7);
            for (int i = 0; i < few.nv; i++)
                CHECK_NEAR(few.shape_re[k * few.nv + i], m.modes.shape_re[k * few.nv + i], 1e-5);
        }
        vg_modes_free(&few);
        moment_end(&m);
    }
}

TEST_MAIN(matrices_are_derivatives, hanging_thread, row_of_masses_damped, many_rotors, free_spins,
          stability_of_many, few_as_all)
