/* [H] Algorithms 1, 4 and 5, step by step against their printed lines: bodies on the group and bodies with angles or Euler
 * parameters in one model, and Newton's iteration from v̇ = 0, λ = 0. */
#include "formula.h"
#include "test.h"

#define BODIES(first, second)                                                                                \
    "verge: 1\ngravity: [0, 0, -9.81]\nbodies:\n"                                                            \
    "  a: {mass: 2, inertia: [0.1, 0.23, 0.3], position: [0.3, 0.1, -0.2], velocity: [0.1, 1.3, 0.5],\n"     \
    "      omega: [2, -1, 3], markers: {O: [-0.3, -0.1, 0.2], E: [0.2, 0, 0]}" first "}\n"                   \
    "  b: {mass: 1, inertia: [0.05, 0.02, 0.04], position: [0.6, 0.1, -0.3], markers: {E: [-0.1, 0, "        \
    "0.1]}" second "}\n"                                                                                     \
    "joints:\n  O: {spherical: [ground, a.O]}\n  E: {spherical: [a.E, b.E]}\n"

/* ---- Algorithm 1: 7 numbers (position, quaternion) or coordinates that are added ---- */

typedef struct Node {
    int lie, q0, v0, nv;
} Node;
enum { MOST_NODES = 2 };

static void compose(const double *q, const double *psi, double *out) /* q ⊗ exp(psi/2) */
{
    double phi = sqrt(psi[0] * psi[0] + psi[1] * psi[1] + psi[2] * psi[2]), c = cos(phi / 2),
           k = phi > 1e-8 ? sin(phi / 2) / phi : 0.5, x[3] = {k * psi[0], k * psi[1], k * psi[2]};
    out[0] = q[0] * c - q[1] * x[0] - q[2] * x[1] - q[3] * x[2];
    out[1] = q[0] * x[0] + q[1] * c + q[2] * x[2] - q[3] * x[1];
    out[2] = q[0] * x[1] + q[2] * c + q[3] * x[0] - q[1] * x[2];
    out[3] = q[0] * x[2] + q[3] * c + q[1] * x[1] - q[2] * x[0];
}

static void update(int n, const Node *node, const double *q, const double *d, double *out)
{
    for (int i = 0; i < n; i++) {
        const double *from = q + node[i].q0, *by = d + node[i].v0;
        double *to = out + node[i].q0;
        for (int k = 0; k < (node[i].lie ? 3 : node[i].nv); k++) to[k] = from[k] + by[k];
        if (node[i].lie) compose(from + 3, by + 3, to + 3);
    }
}

/* ---- Algorithm 5; Algorithm 4 where no node is on the group ---- */

typedef struct Alpha {
    int nnode;
    Node node[MOST_NODES];
    double t, h, am, af, beta, gamma;
    double q[F_MOST], v[F_MOST], vdot[F_MOST], a[F_MOST], lambda[F_MOST]; /* the state */
    double abar[F_MOST], delta[F_MOST];
} Alpha;

/* Residual at x = (Δq_n, λ), v and v̇ being those of lines 16, 17. */
static void lines_8(Plain *p, const void *step, const double *x, double *r)
{
    const Alpha *s = step;
    double q[F_MOST], v[F_MOST], vdot[F_MOST], unused[F_MOST];
    double beta_ = (1 - s->am) / (s->h * s->h * s->beta * (1 - s->af)), gamma_ = s->gamma / (s->h * s->beta);
    for (int i = 0; i < p->nv; i++) {
        double moved = x[i] - s->delta[i];
        v[i] = s->v[i] + s->h * (1 - s->gamma) * s->a[i] + s->h * s->gamma * s->abar[i] + gamma_ * moved;
        vdot[i] = beta_ * moved;
    }
    update(s->nnode, s->node, s->q, x, q);
    p->sys->ops->residual(p->sys, p->work, s->t + s->h, q, v, vdot, x + p->nv, r, r + p->nv);
    (void)unused;
}

/* Lines 1–6 from λ = 0, v̇ = 0 */
static void alpha_begin(const Plain *p, Alpha *s, double *x)
{
    double h = s->h;
    for (int i = 0; i < p->nv; i++) {
        s->abar[i] = (s->af * s->vdot[i] - s->am * s->a[i]) / (1 - s->am);
        x[i] = s->delta[i] = h * s->v[i] + h * h * (0.5 - s->beta) * s->a[i] + h * h * s->beta * s->abar[i];
    }
    for (int i = 0; i < p->nl; i++) x[p->nv + i] = 0;
}

/* Line 20 */
static void alpha_end(const Plain *p, Alpha *s, const double *x)
{
    double q[F_MOST], h = s->h;
    update(s->nnode, s->node, s->q, x, q);
    double beta_ = (1 - s->am) / (h * h * s->beta * (1 - s->af)), gamma_ = s->gamma / (h * s->beta);
    for (int i = 0; i < p->nv; i++) {
        s->v[i] += h * (1 - s->gamma) * s->a[i] + h * s->gamma * s->abar[i] + gamma_ * (x[i] - s->delta[i]);
        s->vdot[i] = beta_ * (x[i] - s->delta[i]);
        s->a[i] = s->abar[i] + (1 - s->af) / (1 - s->am) * s->vdot[i];
    }
    memcpy(s->q, q, sizeof q);
    memcpy(s->lambda, x + p->nv, (size_t)p->nl * sizeof(double));
    s->t += h;
}

static void matrix_by_differences(Plain *p, const Alpha *s, double *x, double *j)
{
    static const double at[4] = {-2, -1, 1, 2}, c[4] = {1. / 12, -2. / 3, 2. / 3, -1. / 12};
    int n = p->nv + p->nl;
    double w[2 * F_MOST];
    for (int col = 0; col < n; col++) {
        double keep = x[col], e = col < p->nv ? 1e-3 : 1;
        for (int i = 0; i < n; i++) j[i * n + col] = 0;
        for (int m = 0; m < 4; m++) {
            x[col] = keep + at[m] * e;
            lines_8(p, s, x, w);
            for (int i = 0; i < n; i++) j[i * n + col] += c[m] * w[i] / e;
        }
        x[col] = keep;
    }
}

/* A whole step; iterations: so many by differences of fourth order, 0: until it converges. */
static void alpha_step(Plain *p, Alpha *s, int iterations)
{
    int n = p->nv + p->nl;
    double x[2 * F_MOST];
    alpha_begin(p, s, x);
    for (int k = 0; k < iterations; k++) {
        static double j[4 * F_MOST * F_MOST], r[2 * F_MOST];
        lines_8(p, s, x, r);
        matrix_by_differences(p, s, x, j);
        CHECK(plain_solve(n, j, r));
        for (int i = 0; i < n; i++) x[i] -= r[i];
    }
    if (iterations == 0) CHECK(plain_newton(p, n, lines_8, s, x));
    alpha_end(p, s, x);
}

static Alpha alpha_of(const Rig *r, double rho, double h)
{
    const vgSystem *sys = r->sim.sys;
    const vgState *s = r->sim.state;
    Alpha a = {.t = s->t, .h = h, .am = (2 * rho - 1) / (rho + 1), .af = rho / (rho + 1)};
    a.gamma = 0.5 - a.am + a.af;
    a.beta = 0.25 * (a.gamma + 0.5) * (a.gamma + 0.5);
    memcpy(a.q, s->q, (size_t)sys->nq * sizeof(double));
    memcpy(a.v, s->v, (size_t)sys->nv * sizeof(double));
    memcpy(a.vdot, s->a, (size_t)sys->nv * sizeof(double));
    memcpy(a.a, s->a, (size_t)sys->nv * sizeof(double));
    return a;
}

static double apart(int n, const double *x, const double *y)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i] - y[i]) / fmax(1, fabs(y[i])));
    return most;
}

static double run_beside(const char *text, const char *coordinates, const char *integrator, int nnode,
                         const Node *node, int iterations, int steps, double within)
{
    Rig r;
    Plain p;
    rig_constraints = "index3";
    CHECK(rig_open(&r, text, coordinates, integrator, NULL, 0));
    if (r.status != VG_OK) return 0;
    plain_open(&p, &r);
    CHECK_INT(vg_integrator_start(r.sim.it, r.sim.state), VG_OK);
    Alpha a = alpha_of(&r, 0.8, 0.01);
    a.nnode = nnode;
    memcpy(a.node, node, (size_t)nnode * sizeof *node);
    double worst = 0;
    for (int k = 0; k < steps; k++) {
        alpha_step(&p, &a, iterations);
        vgStatus st = vg_integrator_advance(r.sim.it, r.sim.state, a.h);
        CHECK_INT(st, VG_OK);
        if (st != VG_OK) printf("%s\n", r.sim.it->failure.text);
        vg_work_accept(r.sim.sys, r.sim.it->work, r.sim.state);
        worst = fmax(worst, apart(r.sim.sys->nq, r.sim.state->q, a.q));
        worst = fmax(worst, apart(p.nv, r.sim.state->v, a.v));
        if (iterations == 0) worst = fmax(worst, 1e-3 * apart(p.nl, r.sim.state->lambda, a.lambda));
    }
    printf("%s %s: %.1e\n", coordinates, integrator, worst);
    CHECK(worst < within);
    plain_close(&p);
    rig_close(&r);
    return worst;
}

#define TIGHT "generalized-alpha:rho=0.8,tol=1e-14,acc=1e-12"

/* Converged, what Newton's iteration began with does not show: the equations of a step, in mixed coordinates. */
TEST(steps_in_mixed_coordinates)
{
    static const Node lie2[] = {{1, 0, 0, 6}, {1, 7, 6, 6}}, mixed[] = {{1, 0, 0, 6}, {0, 7, 6, 6}},
                      swapped[] = {{0, 0, 0, 6}, {1, 6, 6, 6}}, four[] = {{1, 0, 0, 6}, {0, 7, 6, 7}};
    run_beside(BODIES("", ""), "lie", TIGHT, 2, lie2, 0, 8, 1e-9);
    run_beside(BODIES("", ", coordinates: euler-angles"), "lie", TIGHT, 2, mixed, 0, 8, 1e-9);
    run_beside(BODIES("", ", coordinates: lie"), "euler-angles", TIGHT, 2, swapped, 0, 8, 1e-9);
    run_beside(BODIES("", ", coordinates: euler-parameters"), "lie", TIGHT, 2, four, 0, 8, 1e-9);
}

/* One iteration from v̇ = 0, λ = 0. One body: the program's matrix has all that (40) has, the exact K_t (41) included. */
#define ONE                                                                                                  \
    "verge: 1\ngravity: [0, 0, -9.81]\nbodies:\n"                                                            \
    "  a: {mass: 2, inertia: [0.1, 0.23, 0.3], position: [0.3, 0.1, -0.2], velocity: [0.1, 1.3, 0.5],\n"     \
    "      omega: [2, -1, 3], markers: {O: [-0.3, -0.1, 0.2]}}\n"                                            \
    "joints:\n  O: {spherical: [ground, a.O]}\n"
TEST(newton_from_zero)
{
    static const Node lie = {1, 0, 0, 6}, angles = {0, 0, 0, 6};
    run_beside(ONE, "lie", "generalized-alpha:rho=0.8,predictor=zero,fixed=1,newton=full", 1, &lie, 1, 1,
               1e-9);
    /* angles: the matrix of the program lacks what the angles' accelerations do to the inertia; another start is seen */
    double off[2];
    off[0] = run_beside(ONE, "euler-angles", "generalized-alpha:rho=0.8,predictor=zero,fixed=1,newton=full",
                        1, &angles, 1, 1, 1e-5);
    off[1] = run_beside(ONE, "euler-angles", "generalized-alpha:rho=0.8,predictor=0,fixed=1,newton=full", 1,
                        &angles, 1, 1, 1);
    CHECK(off[1] > 5 * off[0]);
    run_beside(ONE, "lie", "generalized-alpha:rho=0.8,predictor=-2,tol=1e-14,acc=1e-12", 1, &lie, 0, 8, 1e-9);
}

/* Coordinates of a body are its own affair: the same motion, with one method of order 4 and small steps. */
TEST(the_motion_does_not_depend_on_coordinates)
{
    static const char *const text[] = {BODIES("", ""), BODIES("", ", coordinates: euler-angles"),
                                       BODIES(", coordinates: euler-parameters", ", coordinates: se3"),
                                       BODIES(", coordinates: cayley", ", coordinates: euler-parameters")};
    static const char *const method[] = {"esdirk436", "dopri5:rtol=1e-10",
                                         "generalized-alpha:newton=modified"};
    double first[2][3] = {{0}};
    for (int m = 0; m < 3; m++)
        for (int k = 0; k < 4; k++) {
            Rig r;
            rig_constraints = m == 1 ? "index1" : "index2";
            CHECK(rig_open(&r, text[k], "lie", method[m], NULL, 0));
            if (r.status != VG_OK) continue;
            CHECK(rig_run(&r, m == 2 ? 1e-3 : 2e-3, 0.5));
            const vgKin *kin = r.sim.sys->ops->kinematics(r.sim.sys, r.sim.it->work, 0.5, r.sim.state->q,
                                                          r.sim.state->v, r.sim.state->a);
            double x[2][3] = {{kin[1].p.x, kin[1].p.y, kin[1].p.z}, {kin[1].v.x, kin[1].v.y, kin[1].v.z}};
            for (int i = 0; i < 3; i++) {
                if (m == 0 && k == 0) first[0][i] = x[0][i], first[1][i] = x[1][i];
                CHECK_NEAR(x[0][i], first[0][i], m == 2 ? 2e-4 : 1e-7);
                CHECK_NEAR(x[1][i], first[1][i], m == 2 ? 2e-3 : 1e-6);
            }
            rig_close(&r);
        }
}

/* [H] 3.4, modified Newton: the matrix of the very first iteration serves until an increment is not smaller than half of
 * the one before, or it has served eight iterations of a step. Written out: as many iterations as the program took in a step, each with the matrix at hand; returns
 * the number of matrices that the step made. */
typedef struct Modified {
    int have;
    double matrix[4 * F_MOST * F_MOST];
} Modified;

static int modified_iterations(Plain *p, const Alpha *s, Modified *m, long iterations, double *x,
                               double *last)
{
    static double copy[4 * F_MOST * F_MOST];
    int n = p->nv + p->nl, made = 0, had = 0, served = 0;
    double r[2 * F_MOST], before = 0;
    for (long k = 0; k < iterations; k++) {
        if (!m->have) matrix_by_differences(p, s, x, m->matrix), m->have = 1, made++;
        lines_8(p, s, x, r);
        memcpy(copy, m->matrix, sizeof copy);
        CHECK(plain_solve(n, copy, r));
        double size = 0;
        for (int i = 0; i < n; i++) x[i] -= r[i];
        for (int i = 0; i < p->nv; i++) size = fmax(size, fabs(r[i]) / p->sys->v_scale[i]);
        served = made > had ? 1 : served + 1;
        had = made;
        if (((k > 0 && size > 0.5 * before) || served >= 8) && k + 1 < iterations) m->have = 0;
        before = size;
    }
    *last = fmax(*last, before);
    return made;
}

static void modified_beside(const char *text, const char *coordinates, Node node, double h, int steps,
                            double within)
{
    Rig r;
    Plain p;
    static Modified m;
    rig_constraints = "index3";
    CHECK(rig_open(&r, text, coordinates,
                   "generalized-alpha:rho=0.8,predictor=zero,newton=modified,err=0,tol=1e-3,acc=1e-3", NULL,
                   0));
    if (r.status != VG_OK) return;
    plain_open(&p, &r);
    CHECK_INT(vg_integrator_start(r.sim.it, r.sim.state), VG_OK);
    Alpha a = alpha_of(&r, 0.8, h);
    a.nnode = 1, a.node[0] = node;
    m.have = 0;
    double worst = 0, last = 0;
    long matrices = 0, most = 0;
    for (int k = 0; k < steps; k++) {
        const vgStats *stats = &r.sim.it->stats;
        long done = stats->newton_iterations, had = stats->jacobians;
        CHECK_INT(vg_integrator_advance(r.sim.it, r.sim.state, h), VG_OK);
        vg_work_accept(r.sim.sys, r.sim.it->work, r.sim.state);
        double x[2 * F_MOST];
        alpha_begin(&p, &a, x);
        int made = modified_iterations(&p, &a, &m, stats->newton_iterations - done, x, &last);
        CHECK_INT(made, stats->jacobians - had);
        matrices += made;
        most = most > stats->newton_iterations - done ? most : stats->newton_iterations - done;
        alpha_end(&p, &a, x);
        worst = fmax(worst, apart(r.sim.sys->nq, r.sim.state->q, a.q));
        worst = fmax(worst, apart(p.nv, r.sim.state->v, a.v));
    }
    printf("%s: %ld matrices in %d steps, at most %ld iterations; apart %.1e, last increments up to %.1e\n",
           coordinates, matrices, steps, most, worst, last);
    CHECK(worst < within);
    CHECK(last > 1000 * within); /* not converged so far that any iteration would give the same */
    CHECK(matrices > 1 && matrices < steps / 2);
    plain_close(&p);
    rig_close(&r);
}

TEST(modified_newton_step_by_step)
{
    modified_beside(ONE, "lie", (Node){1, 0, 0, 6}, 0.01, 60, 1e-11);
}

/* [H] 3.4: far fewer matrices than steps, the same motion as with a new one every iteration. */
TEST(modified_newton)
{
    Rig r[2];
    rig_constraints = "index3";
    static const char *const name[2] = {"generalized-alpha:tol=1e-12,newton=modified",
                                        "generalized-alpha:tol=1e-12,newton=full"};
    for (int k = 0; k < 2; k++) {
        CHECK(rig_open(&r[k], ONE, "lie", name[k], NULL, 0));
        CHECK(rig_run(&r[k], 1e-3, 0.5));
    }
    CHECK(apart(7, r[0].sim.state->q, r[1].sim.state->q) < 1e-8);
    CHECK(r[0].stats.jacobians * 3 < r[0].stats.steps);
    CHECK(r[1].stats.jacobians == r[1].stats.newton_iterations);
    printf("modified: %ld matrices, %ld iterations; full: %ld, %ld\n", r[0].stats.jacobians,
           r[0].stats.newton_iterations, r[1].stats.jacobians, r[1].stats.newton_iterations);
    for (int k = 0; k < 2; k++) rig_close(&r[k]);
}

TEST_MAIN(steps_in_mixed_coordinates, newton_from_zero, the_motion_does_not_depend_on_coordinates,
          modified_newton_step_by_step, modified_newton)
