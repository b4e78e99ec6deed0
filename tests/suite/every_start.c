/* The start of a model is one: positions, velocities and accelerations of the bodies agree in every setting
 * of coordinates and constraints with those of the default one, also where the model must be assembled first.
 */
#include "analysis/run/simulation.h"
#include "suite/mixed.h"
#include "test.h"

#include <math.h>

#include "math/so3.h"

/* Largest differences of two motions, in m, rad, and their rates. */
typedef struct Difference {
    double place, speed, acceleration;
} Difference;

static double most(double a, double b)
{
    return b > a || isnan(b) ? b : a;
}

static vgStatus start(const vgModel *m, const char *coordinates, const char *constraints, vgKin *out)
{
    vgDiag *diag = vg_diag_new();
    vgSystem *sys = NULL;
    vgState *s = NULL;
    vgWork *w = NULL;
    vgStatus st = vg_system_new(m, coordinates, constraints, diag, &sys);
    if (st == VG_OK) {
        st = vg_assemble(sys, 0, 0, diag, NULL, &s);
        if (st == VG_OK) st = vg_work_new(sys, &w);
        if (st == VG_OK) {
            vg_work_bind(w, s);
            memcpy(out, sys->ops->kinematics(sys, w, 0, s->q, s->v, s->a), (size_t)m->nbody * sizeof *out);
        } else {
            printf("%s %s: %s\n", coordinates, constraints,
                   vg_diag_count(diag) ? vg_diag_line(diag, 0) : "?");
        }
        CHECK_INT(st, VG_OK);
    }
    vg_work_free(w);
    vg_state_free(s);
    vg_system_free(sys);
    vg_diag_free(diag);
    return st;
}

static Difference compare(const vgModel *m, const vgKin *a, const vgKin *b)
{
    Difference d = {0};
    for (int i = 0; i < m->nbody; i++) {
        if (m->body[i].element >= 0) continue;
        d.place = most(d.place, vg_norm3(vg_sub3(a[i].p, b[i].p)));
        d.place = most(d.place, vg_norm3(vg_so3_log(vg_mtm3(a[i].R, b[i].R))));
        d.speed = most(d.speed, vg_norm3(vg_sub3(a[i].v, b[i].v)));
        d.speed = most(d.speed, vg_norm3(vg_sub3(a[i].w, b[i].w)));
        d.acceleration = most(d.acceleration, vg_norm3(vg_sub3(a[i].dv, b[i].dv)));
        d.acceleration = most(d.acceleration, vg_norm3(vg_sub3(a[i].dw, b[i].dw)));
    }
    return d;
}

/* Largest acceleration of a motion, and its largest velocity. */
static double size_of(const vgModel *m, const vgKin *a)
{
    double size = 1;
    for (int i = 0; i < m->nbody; i++) {
        if (m->body[i].element >= 0) continue;
        size = most(most(size, vg_norm3(a[i].dv)), vg_norm3(a[i].dw));
        size = most(most(size, vg_norm3(a[i].v)), vg_norm3(a[i].w));
    }
    return size;
}

/* Coordinates whose second angle, of sine R_02, is 90° have no rates there. */
static int is_singular(const vgModel *m, const vgKin *a, const char *coordinates)
{
    int singular = 0;
    for (int i = 0; i < m->nbody; i++) singular |= fabs(a[i].R.m[0][2]) > 0.99;
    return singular && !strncmp(coordinates, "euler-angles", 12);
}

/* Pairs that are refused by name are left out; returns how many agree. Accelerations of penalties are
 * those of springs, which yield by λ/α: they are not compared. */
static int check_all(vgModel *m)
{
    static vgKin ref[64], now[64];
    int count = 0;
    CHECK(m->nbody <= 64);
    if (m->nbody > 64 || start(m, NULL, NULL, ref) != VG_OK) return 0;
    double size = size_of(m, ref);
    for (const vgCoordinatesRow *x = vg_coordinates_list; x->name; x++)
        for (const vgConstraintsRow *c = vg_constraints_list; c->name; c++) {
            if (!(x->models & (m->planar ? 1 : 2)) || is_singular(m, ref, x->name)) continue;
            if (start(m, x->name, c->name, now) != VG_OK) continue;
            Difference d = compare(m, ref, now);
            double loose = c->traits.settle == VG_SETTLE_NEVER ? INFINITY : 1e-9;
            int good = d.place <= 1e-10 && d.speed <= 1e-10 * size && d.acceleration <= loose * size;
            if (!good)
                printf("%s · %s: %.1e, %.1e, %.1e of %.1e\n", x->name, c->name, d.place, d.speed,
                       d.acceleration, size);
            CHECK(good);
            count += good;
        }
    if (m->planar || is_singular(m, ref, "euler-angles")) return count;
    for (int first = 0; first < MIXED_TURNS; first++) { /* bodies with coordinates of their own */
        mix_bodies(m, first);
        CHECK_INT(start(m, first % 2 ? "euler-parameters" : "lie", "index3", now), VG_OK);
        Difference d = compare(m, ref, now);
        int good = d.place <= 1e-10 && d.speed <= 1e-10 * size && d.acceleration <= 1e-9 * size;
        if (!good)
            printf("mixed %d: %.1e, %.1e, %.1e of %.1e\n", first, d.place, d.speed, d.acceleration, size);
        CHECK(good);
    }
    return count;
}

static int check_text(const char *text)
{
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_parse(text, strlen(text), "text", NULL, 0, diag);
    CHECK(m != NULL);
    if (!m) printf("%s\n", vg_diag_line(diag, 0));
    int n = m ? check_all(m) : 0;
    vg_model_free(m);
    vg_diag_free(diag);
    return n;
}

static int check_file(const char *name, const vgParamSet *set, int nset)
{
    char path[512];
    snprintf(path, sizeof path, "%s/models/%s.yaml", VERGE_SOURCE_DIR, name);
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_load(path, set, nset, diag);
    CHECK(m != NULL);
    int n = m ? check_all(m) : 0;
    vg_model_free(m);
    vg_diag_free(diag);
    return n;
}

TEST(shipped_models)
{
    static const char *const names[] = {"squeezer",        "four-bar-planar", "four-bar-spatial",
                                        "slider-crank-3d", "n-four-bar",      "double-pendulum",
                                        "bricard"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int n = check_file(names[i], NULL, 0);
        printf("%s: %d settings\n", names[i], n);
        CHECK(n >= 14);
    }
}

/* Lengths of crank and rod that do not fit the places given. */
TEST(perturbed_starts)
{
    unsigned long seed = 7;
    for (int i = 0; i < 200; i++) {
        double x[2];
        for (int k = 0; k < 2; k++) {
            seed = (seed * 1103515245UL + 12345UL) & 0x7fffffffUL;
            x[k] = (double)seed / 2147483648.0;
        }
        vgParamSet set[2] = {{.name = "L1", .value = 0.06 + 0.03 * x[0]},
                             {.name = "L2", .value = 0.23 + 0.1 * x[1]}};
        CHECK(check_file("slider-crank-3d", set, 2) >= 14);
    }
}

/* A wheelset with redundant rolling, a rod on a cart, and a body behind one that is driven: both move with
 * what carries them. */
TEST(carried_and_redundant)
{
    CHECK(check_text("verge: 1\ngravity: 9.81\nbodies:\n  ground: {markers: {P: [0, 0, 0.1]}}\n"
                     "  m: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0.1], velocity: [1, 0, "
                     "0], omega: [0, 0, 0.3], markers: {L: [0, 0.25, 0], R: [0, -0.25, 0]}}\n"
                     "  w1: {mass: 0.5, inertia: [0.02, 0.01, 0.02], position: [0, 0.25, 0.1]}\n"
                     "  w2: {mass: 0.5, inertia: [0.02, 0.01, 0.02], position: [0, -0.25, 0.1]}\n"
                     "joints:\n  plane: {planar: [ground.P, m], axis: z}\n"
                     "  a1: {revolute: [m.L, w1], axis: y}\n  a2: {revolute: [m.R, w2], axis: y}\n"
                     "  r1: {rolling-disc: [ground, w1], axis: z, axis2: y, radius: 0.1}\n"
                     "  r2: {rolling-disc: [ground, w2], axis: z, axis2: y, radius: 0.1}\n") >= 14);
    CHECK(check_text(
              "verge: 1\nplanar: true\ngravity: [0, -9.81]\nbodies:\n"
              "  cart: {mass: 1, inertia: 0.01, velocity: [10, 0]}\n"
              "  rod: {mass: 0.5, inertia: 0.1, com: [0.5, 0], angle: -pi/4}\n"
              "joints:\n  rail: {prismatic: [ground, cart], axis: x}\n  pin: {revolute: [cart, rod]}\n") >=
          7);
}

TEST_MAIN(shipped_models, perturbed_starts, carried_and_redundant)
