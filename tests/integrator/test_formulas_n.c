/* The methods of [N] step by step against their printed equations, solved plainly (formula.h). */
#include "formula.h"
#include "test.h"

/* A body about a point that is not its centre, on a spring, in Euler angles: the mass matrix varies. And two links in
 * the plane with a slider. */
static const char BODY[] =
    "verge: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  ground: {markers: {S: [0.5, 0, 0.3]}}\n"
    "  b: {mass: 2, inertia: [0.1, 0.23, 0.3], position: [0.3, 0.1, -0.2], velocity: [0.1, 1.3, 0.5],\n"
    "      omega: [2, -1, 3], markers: {O: [-0.3, -0.1, 0.2]}}\n"
    "joints:\n  O: {spherical: [ground, b.O]}\n"
    "forces:\n  s: {spring: [ground.S, b], stiffness: 200, damping: 3, length: 0.2}\n";

typedef struct Case {
    const char *text, *coordinates;
    double h;
} Case;
static const Case mechanism[] = {{"slider-crank.yaml", "planar", 1. / 128}, {BODY, "euler-angles", 0.01}};
enum { CASES = 2, STEPS = 12 };

/* What the equations of a step see. */
typedef struct Step {
    double t, h, alpha, b;
    const double *q, *v, *a, *q1, *v1; /* at t_n; one step before */
    const double *g, *f;               /* (Bᵀλ − f)_n; M⁻¹f at t_n */
    const double *middle;              /* q of M̄ */
    double t_middle;
} Step;

/* ---- (9), (10): x = v̇, q̇, λ, μ ---- */

static void nstiff_states(const Plain *p, const Step *s, const double *x, double *q, double *v)
{
    for (int i = 0; i < p->nv; i++) {
        v[i] = 4. / 3 * s->v[i] - 1. / 3 * s->v1[i] + 2. / 3 * s->h * x[i];
        q[i] = 4. / 3 * s->q[i] - 1. / 3 * s->q1[i] + 2. / 3 * s->h * x[p->nv + i];
    }
}

static void nstiff_si2(Plain *p, const void *step, const double *x, double *r)
{
    const Step *s = step;
    int nv = p->nv, nl = p->nl;
    double q[F_MOST], v[F_MOST], m[F_MOST], f[F_MOST], bl[F_MOST], bm[F_MOST], t = s->t + s->h;
    nstiff_states(p, s, x, q, v);
    plain_mass(p, t, q, x, m);
    plain_force(p, t, q, v, f);
    plain_transposed(p, t, q, x + 2 * nv, bl);
    plain_transposed(p, t, q, x + 2 * nv + nl, bm);
    for (int i = 0; i < nv; i++) {
        r[i] = m[i] + bl[i] - f[i];
        r[nv + i] = v[i] - x[nv + i] + bm[i];
    }
    plain_levels(p, t, q, v, r + 2 * nv, r + 2 * nv + nl);
    for (int i = 0; i < 2 * nl; i++) r[2 * nv + i] *= 3 / (2 * s->h);
}

/* ---- (12), (13): x = a, ā, λ, μ ---- */

static void hht_states(const Plain *p, const Step *s, const double *x, double *q, double *v)
{
    double h = s->h, gamma = 0.5 - s->alpha, beta = 0.25 * (1 - s->alpha) * (1 - s->alpha);
    for (int i = 0; i < p->nv; i++) {
        q[i] = s->q[i] + h * s->v[i] + h * h / 2 * ((1 - 2 * beta) * s->a[i] + 2 * beta * x[i]) +
               h * h / 2 * x[p->nv + i];
        v[i] = s->v[i] + h * ((1 - gamma) * s->a[i] + gamma * x[i]);
    }
}

static void hht_si2(Plain *p, const void *step, const double *x, double *r)
{
    const Step *s = step;
    int nv = p->nv, nl = p->nl;
    double q[F_MOST], v[F_MOST], m[F_MOST], mb[F_MOST], f[F_MOST], bl[F_MOST], bm[F_MOST], t = s->t + s->h;
    hht_states(p, s, x, q, v);
    plain_force(p, t, q, v, f);
    plain_transposed(p, t, q, x + 2 * nv, bl);
    plain_transposed(p, t, q, x + 2 * nv + nl, bm);
    double c = 1 / (1 + s->alpha);
    if (s->middle) { /* as printed */
        plain_mass(p, s->t_middle, s->middle, x, m);
        plain_mass(p, s->t_middle, s->middle, x + nv, mb);
        for (int i = 0; i < nv; i++) r[i] = c * m[i] + bl[i] - f[i] - c * s->alpha * s->g[i];
    } else { /* a = (1 + α) v̇_{n+1} − α v̇_n, with s->f = v̇_n and M v̇ + Bᵀλ = f at t_{n+1} */
        double now[F_MOST];
        for (int i = 0; i < nv; i++) now[i] = c * (x[i] + s->alpha * s->f[i]);
        plain_mass(p, t, q, now, m);
        plain_mass(p, t, q, x + nv, mb);
        for (int i = 0; i < nv; i++) r[i] = m[i] + bl[i] - f[i];
    }
    for (int i = 0; i < nv; i++) r[nv + i] = mb[i] - bm[i];
    plain_levels(p, t, q, v, r + 2 * nv, r + 2 * nv + nl);
    for (int i = 0; i < nl; i++) {
        r[2 * nv + i] /= s->h * s->h;
        r[2 * nv + nl + i] /= s->h;
    }
}

/* ---- (11): x = a, ψ_I, ψ_II, q, v ---- */

static void hht_add(Plain *p, const void *step, const double *x, double *r)
{
    const Step *s = step;
    int nv = p->nv, nl = p->nl;
    const double *q = x + nv + 2 * nl, *v = q + nv;
    double f[F_MOST], r1[F_MOST], r2[F_MOST], t = s->t + s->h, h = s->h;
    double gamma = 0.5 - s->alpha, beta = 0.25 * (1 - s->alpha) * (1 - s->alpha);
    plain_force(p, t, q, v, f);
    plain_over_mass(p, t, q, f);
    plain_transposed(p, s->t, s->q, x + nv, r1);
    plain_over_mass(p, s->t, s->q, r1);
    plain_transposed(p, t, q, x + nv + nl, r2);
    plain_over_mass(p, t, q, r2);
    for (int i = 0; i < nv; i++) {
        r[i] = x[i] - (1 + s->alpha) * f[i] + s->alpha * s->f[i];
        r[nv + 2 * nl + i] =
            (q[i] - s->q[i] - h * s->v[i] - h * h / 2 * ((1 - 2 * beta) * s->a[i] + 2 * beta * x[i]) +
             h * h / 2 * ((1 - s->b) * r1[i] + s->b * r2[i])) /
            (h * h);
        r[2 * nv + 2 * nl + i] =
            (v[i] - s->v[i] - h * ((1 - gamma) * s->a[i] + gamma * x[i]) + h / 2 * (r1[i] + r2[i])) / h;
    }
    plain_levels(p, t, q, v, r + nv, r + nv + nl);
    for (int i = 0; i < nl; i++) {
        r[nv + i] /= h * h;
        r[nv + nl + i] /= h;
    }
}

/* ---- (3) to (8), index 3: x = a, λ ---- */

typedef struct Index3 {
    const char *name;
    double beta, gamma, alpha; /* NSTIFF: beta = 4/9, gamma = 2/3 */
    int differences;
} Index3;
typedef struct Step3 {
    Step of;
    const Index3 *m;
} Step3;

static void index3_states(const Plain *p, const Step3 *z, const double *x, double *q, double *v)
{
    const Step *s = &z->of;
    double h = s->h, beta = z->m->beta, gamma = z->m->gamma;
    for (int i = 0; i < p->nv; i++) {
        if (z->m->differences) { /* (3) */
            q[i] = 4. / 3 * s->q[i] - 1. / 3 * s->q1[i] + h * (8. / 9 * s->v[i] - 2. / 9 * s->v1[i]) +
                   4. / 9 * h * h * x[i];
            v[i] = 4. / 3 * s->v[i] - 1. / 3 * s->v1[i] + 2. / 3 * h * x[i];
        } else { /* (5), (8) */
            q[i] = s->q[i] + h * s->v[i] + h * h / 2 * ((1 - 2 * beta) * s->a[i] + 2 * beta * x[i]);
            v[i] = s->v[i] + h * ((1 - gamma) * s->a[i] + gamma * x[i]);
        }
    }
}

static void index3(Plain *p, const void *step, const double *x, double *r)
{
    const Step3 *z = step;
    const Step *s = &z->of;
    double q[F_MOST], v[F_MOST], m[F_MOST], f[F_MOST], bl[F_MOST], t = s->t + s->h, al = z->m->alpha,
                                                                   unused[F_MOST];
    index3_states(p, z, x, q, v);
    plain_mass(p, t, q, x, m);
    plain_force(p, t, q, v, f);
    plain_transposed(p, t, q, x + p->nv, bl);
    for (int i = 0; i < p->nv; i++) r[i] = m[i] / (1 + al) + bl[i] - f[i] - al / (1 + al) * s->g[i];
    plain_levels(p, t, q, v, r + p->nv, unused);
    for (int i = 0; i < p->nl; i++) r[p->nv + i] /= z->m->beta * s->h * s->h;
}

/* ---- runs side by side ---- */

static int open_pair(const Case *c, const char *integrator, const char *constraints, Rig *r, Plain *p)
{
    rig_constraints = constraints;
    int ok = rig_open(r, c->text, c->coordinates, integrator, NULL, 0);
    CHECK(ok);
    if (ok) CHECK(plain_open(p, r));
    if (ok) CHECK_INT(vg_integrator_start(r->sim.it, r->sim.state), VG_OK);
    return ok;
}

static void take_step(Rig *r, double h)
{
    vgStatus st = vg_integrator_advance(r->sim.it, r->sim.state, h);
    if (st != VG_OK) printf("%s\n", r->sim.it->failure.text);
    CHECK_INT(st, VG_OK);
    vg_work_accept(r->sim.sys, r->sim.it->work, r->sim.state);
}

/* Largest difference relative to the largest number. */
static double apart(int n, const double *x, const double *y)
{
    double most = 0, size = 1;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(y[i]));
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i] - y[i]));
    return most / size;
}

TEST(nstiff_si2_is_10)
{
    for (int c = 0; c < CASES; c++) {
        Rig r;
        Plain p;
        double q[2][F_MOST], v[2][F_MOST], x[3 * F_MOST] = {0}, worst[3] = {0}, h = mechanism[c].h, used = 0;
        if (!open_pair(&mechanism[c], "nstiff-si2:tol=1e-14,acc=1e-12", "index2", &r, &p)) continue;
        const vgState *s = r.sim.state;
        size_t n = (size_t)p.nv * sizeof(double);
        for (int k = 0; k < STEPS; k++) {
            memcpy(q[1], q[0], n);
            memcpy(v[1], v[0], n);
            memcpy(q[0], s->q, n);
            memcpy(v[0], s->v, n);
            Step step = {.t = s->t, .h = h, .q = q[0], .v = v[0], .q1 = q[1], .v1 = v[1]};
            memcpy(x, s->a, n);
            memcpy(x + p.nv, s->v, n);
            memcpy(x + 2 * p.nv, s->lambda, (size_t)p.nl * sizeof(double));
            take_step(&r, h);
            if (k == 0) continue; /* the start is not the paper's */
            CHECK(plain_newton(&p, 2 * p.nv + 2 * p.nl, nstiff_si2, &step, x));
            double qn[F_MOST], vn[F_MOST];
            nstiff_states(&p, &step, x, qn, vn);
            worst[0] = fmax(worst[0], apart(p.nv, s->q, qn));
            worst[1] = fmax(worst[1], apart(p.nv, s->v, vn));
            worst[2] = fmax(worst[2], apart(p.nl, s->lambda, x + 2 * p.nv));
            for (int i = 0; i < p.nv; i++) used = fmax(used, fabs(vn[i] - x[p.nv + i]));
        }
        printf("nstiff-si2 %s: %.1e %.1e %.1e (correction %.1e)\n", mechanism[c].coordinates, worst[0],
               worst[1], worst[2], used);
        CHECK(worst[0] < 1e-10 && worst[1] < 1e-9 && worst[2] < 1e-6);
        CHECK(used > 1e-5); /* there was something to correct */
        plain_close(&p);
        rig_close(&r);
    }
}

static void hht_si2_against(const char *integrator, double alpha, int printed)
{
    for (int c = 0; c < CASES; c++) {
        Rig r;
        Plain p;
        double q[F_MOST], v[F_MOST], a[F_MOST], acc[F_MOST], g[F_MOST], mid[F_MOST],
            x[3 * F_MOST] = {0}, worst[3] = {0}, h = mechanism[c].h;
        if (!open_pair(&mechanism[c], integrator, "index2", &r, &p)) continue;
        const vgState *s = r.sim.state;
        int nv = p.nv, nl = p.nl;
        size_t n = (size_t)nv * sizeof(double);
        memcpy(q, s->q, n); /* the plain run goes its own way from here */
        memcpy(v, s->v, n);
        memcpy(a, s->a, n);
        memcpy(acc, s->a, n);
        memcpy(x + 2 * nv, s->lambda, (size_t)nl * sizeof(double));
        for (int k = 0; k < STEPS; k++) {
            double f[F_MOST], qn[F_MOST], vn[F_MOST], bl[F_MOST];
            plain_force(&p, s->t, q, v, f);
            plain_transposed(&p, s->t, q, x + 2 * nv, bl);
            for (int i = 0; i < nv; i++) g[i] = bl[i] - f[i], mid[i] = q[i] + h * (1 + alpha) * v[i];
            Step step = {.t = s->t, .h = h, .alpha = alpha, .q = q, .v = v, .a = a, .g = g, .f = acc};
            if (printed) step.middle = mid, step.t_middle = s->t + (1 + alpha) * h;
            memcpy(x, a, n);
            memset(x + nv, 0, n);
            CHECK(plain_newton(&p, 2 * nv + 2 * nl, hht_si2, &step, x));
            hht_states(&p, &step, x, qn, vn);
            for (int i = 0; i < nv; i++) acc[i] = (x[i] + alpha * acc[i]) / (1 + alpha);
            memcpy(q, qn, n);
            memcpy(v, vn, n);
            memcpy(a, x, n);
            take_step(&r, h);
            worst[0] = fmax(worst[0], apart(nv, s->q, q));
            worst[1] = fmax(worst[1], apart(nv, s->v, v));
            worst[2] = fmax(worst[2], apart(nl, s->lambda, x + 2 * nv));
        }
        printf("%s %s: %.1e %.1e %.1e\n", integrator, mechanism[c].coordinates, worst[0], worst[1], worst[2]);
        CHECK(worst[0] < 1e-10 && worst[1] < 1e-9 && worst[2] < 1e-6);
        plain_close(&p);
        rig_close(&r);
    }
}

TEST(hht_si2_is_12_and_13)
{
    hht_si2_against("hht-si2:alpha=-0.2,tol=1e-14,acc=1e-12", -0.2, 0);
    hht_si2_against("hht-si2:alpha=-0.2,mass=1,tol=1e-14,acc=1e-12", -0.2, 1);
}

TEST(hht_add_is_11)
{
    static const struct {
        const char *name;
        double alpha, b;
    } form[] = {{"hht-add:alpha=-0.3,tol=1e-14,acc=1e-12", -0.3, 0},
                {"hht-add:alpha=-0.1,b=1,tol=1e-14,acc=1e-12", -0.1, 1}};
    for (int k = 0; k < 2; k++)
        for (int c = 0; c < CASES; c++) {
            Rig r;
            Plain p;
            double a[F_MOST], f[F_MOST], q[F_MOST], v[F_MOST], x[3 * F_MOST] = {0}, worst[2] = {0},
                                                                     h = mechanism[c].h;
            if (!open_pair(&mechanism[c], form[k].name, "index2", &r, &p)) continue;
            const vgState *s = r.sim.state;
            int nv = p.nv, nl = p.nl;
            size_t n = (size_t)nv * sizeof(double);
            memcpy(q, s->q, n);
            memcpy(v, s->v, n);
            plain_force(&p, s->t, q, v, f);
            CHECK(plain_over_mass(&p, s->t, q, f));
            memcpy(a, f, n); /* a_0 = f_0 */
            memcpy(x + nv, s->lambda, (size_t)nl * sizeof(double));
            memcpy(x + nv + nl, s->lambda, (size_t)nl * sizeof(double));
            for (int j = 0; j < STEPS; j++) {
                Step step = {.t = s->t, .h = h, .alpha = form[k].alpha, .b = form[k].b};
                step.q = q, step.v = v, step.a = a, step.f = f;
                memcpy(x, a, n);
                memcpy(x + nv + 2 * nl, q, n);
                memcpy(x + 2 * nv + 2 * nl, v, n);
                CHECK(plain_newton(&p, 3 * nv + 2 * nl, hht_add, &step, x));
                for (int i = 0; i < nv; i++) f[i] = (x[i] + step.alpha * f[i]) / (1 + step.alpha);
                memcpy(a, x, n);
                memcpy(q, x + nv + 2 * nl, n);
                memcpy(v, x + 2 * nv + 2 * nl, n);
                take_step(&r, h);
                worst[0] = fmax(worst[0], apart(nv, s->q, q));
                worst[1] = fmax(worst[1], apart(nv, s->v, v));
            }
            printf("%s %s: %.1e %.1e\n", form[k].name, mechanism[c].coordinates, worst[0], worst[1]);
            CHECK(worst[0] < 1e-10 && worst[1] < 1e-9);
            plain_close(&p);
            rig_close(&r);
        }
}

/* (4), (6), (8): the plain run goes its own way from the first step of the paper's formula on. */
TEST(index_3_is_3_to_8)
{
    static const Index3 method[] = {
        {"newmark:beta=0.3025,gamma=0.6,tol=1e-14,acc=1e-12", 0.3025, 0.6, 0, 0},
        {"newmark:beta=0.5,gamma=0.8,tol=1e-14,acc=1e-12", 0.5, 0.8, 0, 0},
        {"hht-i3:alpha=-0.3,mass=1,tol=1e-14,acc=1e-12", 0.4225, 0.8, -0.3, 0},
        {"hht-i3:alpha=-0.05,mass=1,tol=1e-14,acc=1e-12", 0.275625, 0.55, -0.05, 0},
        {"nstiff:tol=1e-14,acc=1e-12", 4. / 9, 2. / 3, 0, 1}};
    for (size_t k = 0; k < sizeof method / sizeof *method; k++)
        for (int c = 0; c < CASES; c++) {
            Rig r;
            Plain p;
            double q[2][F_MOST], v[2][F_MOST], a[F_MOST], g[F_MOST], x[2 * F_MOST] = {0}, worst[3] = {0},
                                                                           h = mechanism[c].h;
            if (!open_pair(&mechanism[c], method[k].name, "index3", &r, &p)) continue;
            const vgState *s = r.sim.state;
            int nv = p.nv, nl = p.nl;
            size_t n = (size_t)nv * sizeof(double);
            memcpy(q[0], s->q, n), memcpy(v[0], s->v, n), memcpy(a, s->a, n);
            memcpy(x + nv, s->lambda, (size_t)nl * sizeof(double));
            for (int j = 0; j < STEPS; j++) {
                double f[F_MOST], bl[F_MOST], qn[F_MOST], vn[F_MOST];
                if (method[k].differences && j == 0) { /* the start is not the paper's */
                    memcpy(q[1], q[0], n), memcpy(v[1], v[0], n);
                    take_step(&r, h);
                    memcpy(q[0], s->q, n), memcpy(v[0], s->v, n), memcpy(a, s->a, n);
                    memcpy(x + nv, s->lambda, (size_t)nl * sizeof(double));
                    continue;
                }
                plain_force(&p, s->t, q[0], v[0], f);
                plain_transposed(&p, s->t, q[0], x + nv, bl);
                for (int i = 0; i < nv; i++) g[i] = bl[i] - f[i];
                Step3 step = {
                    {.t = s->t, .h = h, .q = q[0], .v = v[0], .q1 = q[1], .v1 = v[1], .a = a, .g = g},
                    &method[k]};
                memcpy(x, a, n);
                CHECK(plain_newton(&p, nv + nl, index3, &step, x));
                index3_states(&p, &step, x, qn, vn);
                memcpy(q[1], q[0], n), memcpy(v[1], v[0], n);
                memcpy(q[0], qn, n), memcpy(v[0], vn, n), memcpy(a, x, n);
                take_step(&r, h);
                worst[0] = fmax(worst[0], apart(nv, s->q, q[0]));
                worst[1] = fmax(worst[1], apart(nv, s->v, v[0]));
                worst[2] = fmax(worst[2], apart(nl, s->lambda, x + nv));
            }
            printf("%s %s: %.1e %.1e %.1e\n", method[k].name, mechanism[c].coordinates, worst[0], worst[1],
                   worst[2]);
            CHECK(worst[0] < 1e-10 && worst[1] < 1e-9 && worst[2] < 1e-6);
            plain_close(&p);
            rig_close(&r);
        }
}

TEST_MAIN(index_3_is_3_to_8, nstiff_si2_is_10, hht_si2_is_12_and_13, hht_add_is_11)
