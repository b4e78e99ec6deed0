/* Every fast path of the list (system/fast.h) against the plain code: residuals, constraint levels, matrices,
 * increments, accelerations and explicit stages of models small and large, in every kind of coordinates, at
 * states off the constraints. The plain code itself is compared with differences of its residual. A path of
 * the list that none of the models takes fails the test. */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/run/simulation.h"
#include "analysis/state/assemble.h"
#include "suite/fast_models.h"
#include "suite/mixed.h"
#include "test.h"

/* Sums of some hundred terms in another order: measured 4e-15 at most. */
static const double SAME = 1e-12;
/* Solutions of matrices that differ by that much: times their condition, measured 3e-7 at most. */
static const double SOLVED = 1e-6;
/* Differences of the residual with a step of 1e-6: times the condition, measured 2e-5 at most. */
static const double DIFFERENCES = 1e-4;

static const double TIME = 1e-3, STEP = 0.02;

static unsigned taken_by_all; /* paths that some model took */

static unsigned long long seed;
static double noise(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

static double *room(int n)
{
    return calloc((size_t)n + 8, sizeof(double)); /* whole fours may be read */
}

static double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* ---- a system at a point, and its answers ---- */

typedef struct Point {
    double t, cv, ca;
    double *q_r, *delta, *rate, *q, *v, *a, *lambda;
    double *right_v, *right_l; /* a right side for solve() */
    double *dhat, *vhat; /* of the same stage in affine form: v = v̂ + cv (Δ − Δ̂), a = ca (Δ − Δ̂) */
} Point;

enum { ANSWERS = 40 };
typedef struct Answers {
    int n;
    struct {
        const char *what;
        int n;
        double *x, tolerance;
        double size; /* differences are judged against the largest number, and this */
    } of[ANSWERS];
} Answers;

static double *answer(Answers *to, const char *what, int n, double tolerance)
{
    double *x = room(n);
    to->of[to->n].what = what;
    to->of[to->n].n = n;
    to->of[to->n].tolerance = tolerance;
    to->of[to->n++].x = x;
    return x;
}

static void forget(Answers *a)
{
    for (int i = 0; i < a->n; i++) free(a->of[i].x);
    a->n = 0;
}

static const struct {
    vgStageMap map;
    const char *solution, *ahead, *increment;
} stage_maps[] = {
    {VG_STAGE_PLAIN, "solution, plain map", "solution after ahead, plain map", "increment, plain map"},
    {VG_STAGE_NEWMARK, "solution, Newmark map", "solution after ahead, Newmark map",
     "increment, Newmark map"},
    {VG_STAGE_FIRST, "solution, first-order map", "solution after ahead, first-order map",
     "increment, first-order map"}};

static vgTangent tangent(const Point *p, vgStageMap map)
{
    return (vgTangent){.t = p->t,
                       .q = p->q,
                       .v = p->v,
                       .a = p->a,
                       .lambda = p->lambda,
                       .cv = p->cv,
                       .ca = p->ca,
                       .map = map,
                       .delta = p->delta,
                       .delta_dot = p->rate};
}

static void solve(const vgSystem *sys, vgWork *w, const Point *p, double *x)
{
    memcpy(x, p->right_v, (size_t)sys->nv * sizeof *x);
    memcpy(x + sys->nv, p->right_l, (size_t)sys->nl * sizeof *x);
    sys->ops->solve(sys, w, x, x + sys->nv);
}

/* Newton's increment: by one call where it is offered, else the solution for −(r/ca, Φ). */
static int increment(const vgSystem *sys, vgWork *w, const Point *p, const vgTangent *at, double *x)
{
    double open, *r = room(sys->nv), *phi = room(sys->nl);
    int ok = !sys->vector_space || at->map != VG_STAGE_FIRST;
    vgStatus st = sys->ops->sweep.increment && ok
                      ? sys->ops->sweep.increment(sys, w, at, x, x + sys->nv, &open)
                      : VG_LIMIT;
    if (st == VG_LIMIT) {
        vgTangent fresh = *at;
        fresh.reuse = 1;
        sys->ops->residual(sys, w, p->t, p->q, p->v, p->a, p->lambda, r, phi);
        st = sys->ops->factor(sys, w, &fresh);
        const double by[3] = {1, p->cv, p->ca};
        for (int i = 0; i < sys->nv; i++) x[i] = -r[i] / p->ca;
        for (int i = 0; i < sys->nl; i++) x[sys->nv + i] = -phi[i] / by[sys->row_level[i]];
        if (st == VG_OK) sys->ops->solve(sys, w, x, x + sys->nv);
    }
    free(r), free(phi);
    return st == VG_OK;
}

static int look_at_tangents(const vgSystem *sys, vgWork *w, const Point *p, Answers *out)
{
    int n = sys->nv + sys->nl;
    for (int k = 0; k < 3; k++) {
        vgTangent at = tangent(p, stage_maps[k].map);
        if (k == 2) at.ca = p->cv * p->cv; /* Δ̇ = cv (Δ − Δ̂), a = cv (v − v̂) */
        Point here = *p;
        here.ca = at.ca;
        if (sys->ops->factor(sys, w, &at) != VG_OK) return 0;
        solve(sys, w, p, answer(out, stage_maps[k].solution, n, SOLVED));
        double *r = answer(out, "residual after ahead", sys->nv, SAME), *phi = room(sys->nl);
        if (sys->ops->approach.ahead) sys->ops->approach.ahead(sys, w, &at);
        sys->ops->residual(sys, w, p->t, p->q, p->v, p->a, p->lambda, r, phi);
        free(phi);
        at.reuse = 1;
        if (sys->ops->factor(sys, w, &at) != VG_OK) return 0;
        solve(sys, w, p, answer(out, stage_maps[k].ahead, n, SOLVED));
        at.reuse = 0;
        if (!increment(sys, w, &here, &at, answer(out, stage_maps[k].increment, n, SOLVED))) return 0;
    }
    return 1;
}

/* One iteration of a stage by its Δ: in one call, else by increment() and the maps. */
static int iterate(const vgSystem *sys, vgWork *w, const Point *p, double *x)
{
    int nv = sys->nv, nl = sys->nl;
    double *delta = x, *lambda = x + nv, *d = room(nv + nl), *q = room(sys->nq), *v = room(nv), *a = room(nv),
           *rate = room(nv);
    memcpy(delta, p->delta, (size_t)nv * sizeof *x);
    memcpy(lambda, p->lambda, (size_t)nl * sizeof *x);
    vgAffine s = {.t = p->t,
                  .q_r = p->q_r,
                  .dhat = p->dhat,
                  .vhat = p->vhat,
                  .a_old = p->a,
                  .cv = p->cv,
                  .ca = p->ca,
                  .map = VG_STAGE_NEWMARK,
                  .delta = delta,
                  .lambda = lambda,
                  .x = d,
                  .q = q,
                  .v = v,
                  .a = a,
                  .delta_dot = rate};
    vgIteration it;
    vgStatus st = w->in_one_go ? sys->ops->sweep.iterate(sys, w, &s, &it) : VG_LIMIT;
    if (st != VG_OK) {
        Point here = *p;
        for (int i = 0; i < nv; i++) {
            v[i] = p->vhat[i] + p->cv * (p->delta[i] - p->dhat[i]);
            a[i] = p->ca * (p->delta[i] - p->dhat[i]);
        }
        here.v = v, here.a = a;
        vgTangent at = tangent(&here, VG_STAGE_NEWMARK);
        if (increment(sys, w, &here, &at, d)) {
            st = VG_OK;
            sys->ops->rates(sys, p->delta, p->q, d, rate);
            for (int i = 0; i < nv; i++) delta[i] += rate[i];
            for (int i = 0; i < nl; i++) lambda[i] += p->ca * d[nv + i];
        }
    }
    free(d), free(q), free(v), free(a), free(rate);
    return st == VG_OK;
}

/* A stage of an explicit method with two earlier ones. */
static int explicit_stage(const vgSystem *sys, vgWork *w, const Point *p, double *x)
{
    const double c[2] = {0.3 * STEP, 0.5 * STEP}, *k_row[2] = {p->v, p->right_v},
                 *l_row[2] = {p->a, p->delta};
    int nv = sys->nv;
    double *v = x, *k = x + nv, *l = x + 2 * nv, *q = x + 3 * nv;
    if (sys->free_stages) {
        vgExplicit s = {p->t, p->q_r, p->v, 2, c, k_row, l_row, q, v, k, l, 1};
        return sys->ops->extra.stage(sys, w, &s) == VG_OK;
    }
    double *d = room(nv), *lambda = room(sys->nl);
    for (int i = 0; i < nv; i++) {
        d[i] = c[0] * k_row[0][i] + c[1] * k_row[1][i];
        v[i] = p->v[i] + (c[0] * l_row[0][i] + c[1] * l_row[1][i]);
    }
    sys->ops->retract(sys, p->q_r, d, q);
    sys->ops->rates(sys, d, q, v, k);
    vgStatus st = sys->ops->accel(sys, w, p->t, q, v, l, lambda);
    free(d), free(lambda);
    return st == VG_OK;
}

/* Levels of which only one is wanted are those that are all wanted together. */
static void look_at_levels_alone(const vgSystem *sys, vgWork *w, const Point *p, double *const level[3])
{
    for (int i = 0; i < 3; i++) {
        double *x = room(sys->nphi), worst = 0;
        sys->ops->levels(sys, w, p->t, p->q, p->v, i == 1 ? NULL : p->a, i == 0 ? x : NULL, i == 1 ? x : NULL,
                         i == 2 ? x : NULL);
        for (int k = 0; k < sys->nphi; k++) worst = fmax(worst, fabs(x[k] - level[i][k]));
        CHECK(worst <= SAME * fmax(sys->length, largest(level[i], sys->nphi)));
        free(x);
    }
}

static int look(const vgSystem *sys, vgWork *w, const Point *p, Answers *out)
{
    int nv = sys->nv, nl = sys->nl;
    double *r = answer(out, "residual", nv, SAME), *phi = answer(out, "constraints", nl, SAME);
    sys->ops->residual(sys, w, p->t, p->q, p->v, p->a, p->lambda, r, phi);
    double *level[3];
    static const char *const names[] = {"positions", "velocities of constraints",
                                        "accelerations of constraints"};
    out->of[1].size = sys->length;
    for (int i = 0; i < 3; i++) {
        level[i] = answer(out, names[i], sys->nphi, SAME);
        out->of[2 + i].size = sys->length;
    }
    sys->ops->levels(sys, w, p->t, p->q, p->v, p->a, level[0], level[1], level[2]);
    look_at_levels_alone(sys, w, p, level);
    if (!look_at_tangents(sys, w, p, out)) return 0;
    if (!iterate(sys, w, p, answer(out, "iteration", nv + nl, SOLVED))) return 0;
    double *a = answer(out, "accelerations", nv + nl, SOLVED);
    if (sys->ops->accel(sys, w, p->t, p->q, p->v, a, a + nv) != VG_OK) return 0;
    return nl > 0 || explicit_stage(sys, w, p, answer(out, "explicit stage", 3 * nv + sys->nq, SOLVED));
}

/* ---- comparison ---- */

typedef struct Subject {
    const char *model, *coordinates;
} Subject;

static const char *path_names(unsigned bits)
{
    static char text[256];
    size_t used = 0;
    text[0] = 0;
    for (const vgFastPath *p = vg_fast_paths; p->name; p++)
        if (bits & p->bit && used < sizeof text - 32)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s ", p->name);
    return text;
}

static void compare(const Subject *s, unsigned fast, const Answers *a, const Answers *plain)
{
    CHECK_INT(a->n, plain->n);
    for (int i = 0; i < a->n && i < plain->n; i++) {
        const double *x = a->of[i].x, *y = plain->of[i].x;
        double size = fmax(a->of[i].size, largest(y, a->of[i].n)), worst = 0;
        for (int k = 0; k < a->of[i].n; k++) worst = fmax(worst, fabs(x[k] - y[k]));
        int same = isfinite(size) && worst <= a->of[i].tolerance * size + 1e-300;
        for (int k = 0; k < a->of[i].n; k++) same &= isfinite(x[k]) != 0;
        if (!same)
            printf("%s in %s, %s: off by %.3g of %.3g with the paths %s\n", s->model, s->coordinates,
                   a->of[i].what, worst, size, path_names(fast));
        if (getenv("VERGE_SHOW_DIFFERENCES"))
            printf("%.2e %s %s %s\n", worst / (size + 1e-300), a->of[i].what, s->model, s->coordinates);
        CHECK(same);
    }
}

/* The residual with Δ moved by e·d, λ by e·ca·mu. */
static void moved(const vgSystem *sys, vgWork *w, const Point *p, const double *d, const double *mu, double e,
                  double *r, double *phi)
{
    double *D = room(sys->nv), *q = room(sys->nq), *v = room(sys->nv), *a = room(sys->nv), *l = room(sys->nl);
    for (int i = 0; i < sys->nv; i++) {
        D[i] = p->delta[i] + e * d[i];
        v[i] = p->v[i] + e * p->cv * d[i];
        a[i] = p->a[i] + e * p->ca * d[i];
    }
    for (int i = 0; i < sys->nl; i++) l[i] = p->lambda[i] + e * p->ca * mu[i];
    sys->ops->retract(sys, p->q_r, D, q);
    sys->ops->residual(sys, w, p->t, q, v, a, l, r, phi);
    free(D), free(q), free(v), free(a), free(l);
}

/* Differences say nothing where a contact begins within them, or near the singular angles of a chart; and of
 * rows at the level of velocities the matrix has B alone, not the derivative of B v by the positions. */
static int is_smooth(const vgSystem *sys, vgWork *w, const double *q)
{
    for (int i = 0; i < sys->model->nforce; i++)
        if (!strncmp(sys->model->force[i].kind->name, "contact", 7)) return 0;
    for (int i = 0; i < sys->nl; i++)
        if (sys->row_level[i] > 0) return 0;
    vgState *s;
    if (!sys->recasts || vg_state_new(sys, 0, &s) != VG_OK) return 1;
    memcpy(s->q, q, (size_t)sys->nq * sizeof *q);
    int steep = sys->ops->extra.recast(sys, w, s);
    vg_state_free(s);
    return !steep;
}

/* The right side that belongs to a random increment, by differences; and the increment that solve() makes of
 * it. Tangents are those of the end of Newton's iteration: constraints hold and forces balance (Point q, v,
 * a, λ are made so). exact: with the geometric stiffness between bodies, which absolute and natural
 * coordinates leave out otherwise. */
static void differentiate(const Subject *s, const vgSystem *sys, vgWork *w, Point *p)
{
    int iterations;
    sys->ops->project_q(sys, w, p->t, p->q, 1e-13, 50, &iterations);
    if (!is_smooth(sys, w, p->q)) return;
    sys->ops->local(sys, p->q_r, p->q, p->delta);
    sys->ops->project_v(sys, w, p->t, p->q, p->v);
    CHECK_INT(sys->ops->accel(sys, w, p->t, p->q, p->v, p->a, p->lambda), VG_OK);
    sys->ops->rates(sys, p->delta, p->q, p->v, p->rate);
    int nv = sys->nv, nl = sys->nl;
    const double e = 1e-6, by[3] = {1, p->cv, p->ca};
    double *x = room(nv + nl), *d = room(nv), *r = room(2 * nv), *phi = room(2 * nl), *y = room(nv + nl);
    for (int i = 0; i < nv; i++) x[i] = noise() * sys->v_scale[i];
    for (int i = 0; i < nl; i++) x[nv + i] = vg_row_counts(w, i) ? noise() : 0;
    sys->ops->rates(sys, p->delta, p->q, x, d);
    moved(sys, w, p, d, x + nv, e, r, phi);
    moved(sys, w, p, d, x + nv, -e, r + nv, phi + nl);
    for (int i = 0; i < nv; i++) y[i] = (r[i] - r[nv + i]) / (2 * e * p->ca);
    for (int i = 0; i < nl; i++) y[nv + i] = (phi[i] - phi[nl + i]) / (2 * e * by[sys->row_level[i]]);
    vgTangent at = tangent(p, VG_STAGE_NEWMARK);
    at.exact = 1;
    int ok = sys->ops->factor(sys, w, &at) == VG_OK;
    if (ok) sys->ops->solve(sys, w, y, y + nv);
    double worst = 0, size = largest(x, nv);
    for (int i = 0; i < nv; i++) worst = fmax(worst, fabs(x[i] - y[i]));
    ok = ok && worst <= DIFFERENCES * size;
    if (!ok || getenv("VERGE_SHOW_DIFFERENCES"))
        printf("%.2e differences of the residual, %s in %s\n", worst / size, s->model, s->coordinates);
    CHECK(ok);
    free(x), free(d), free(r), free(phi), free(y);
}

/* ---- points ---- */

/* Euler parameters of unit length: the last four of a body's seven coordinates. */
static void normalise(const vgSystem *sys, double *q)
{
    for (int i = 0; i + 7 <= sys->nv; i++) {
        if (sys->v_body[i] != sys->v_body[i + 6] || (i > 0 && sys->v_body[i - 1] == sys->v_body[i])) continue;
        double *e = q + i + 3, n = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
        for (int k = 0; k < 4; k++) e[k] /= n;
    }
}

static void make_point(const vgSystem *sys, vgWork *w, const vgState *start, int away, Point *p)
{
    int nv = sys->nv, nq = sys->nq, nl = sys->nl;
    *p = (Point){.t = TIME, .cv = 2.1 / STEP, .ca = 4.3 / (STEP * STEP)};
    double **part[] = {&p->q_r,    &p->delta,   &p->rate,    &p->q,    &p->v,   &p->a,
                       &p->lambda, &p->right_v, &p->right_l, &p->dhat, &p->vhat};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) *part[i] = room(nq + nv + nl);
    memcpy(p->q_r, start->q, (size_t)nq * sizeof(double));
    double load = 0;
    for (int i = 0; i < sys->model->nbody; i++) load += 10 * sys->model->body[i].mass;
    for (int i = 0; i < nv; i++) {
        double unit = sys->v_scale[i];
        p->delta[i] = (away ? 0.03 : 1e-4) * noise() * unit;
        p->v[i] = 0.7 * noise() * unit;
        p->a[i] = 3 * noise() * unit;
        p->right_v[i] = noise() * unit;
    }
    sys->ops->retract(sys, p->q_r, p->delta, p->q);
    if (!strcmp(sys->coordinates, "natural")) {
        int iterations; /* bodies are rigid */
        sys->ops->project_q(sys, w, p->t, p->q, 1e-12, 50, &iterations);
    }
    if (!strcmp(sys->coordinates, "euler-parameters")) normalise(sys, p->q);
    if (sys->vector_space) sys->ops->local(sys, p->q_r, p->q, p->delta);
    sys->ops->rates(sys, p->delta, p->q, p->v, p->rate);
    for (int i = 0; i < nl; i++) {
        p->lambda[i] = vg_row_counts(w, i) ? load * noise() : 0;
        p->right_l[i] = vg_row_counts(w, i) ? 0.1 * noise() : 0;
    }
    for (int i = 0; i < nv; i++) {
        p->dhat[i] = p->delta[i] - p->a[i] / p->ca;
        p->vhat[i] = p->v[i] - p->cv / p->ca * p->a[i];
    }
}

static void free_point(Point *p)
{
    double *part[] = {p->q_r,    p->delta,   p->rate,    p->q,    p->v,   p->a,
                      p->lambda, p->right_v, p->right_l, p->dhat, p->vhat};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) free(part[i]);
}

/* ---- one model ---- */

/* A system that may take the paths `fast`, at the state of the plain one. */
static unsigned try_paths(const Subject *s, const vgSystem *plain, const vgState *start, unsigned fast,
                          const Point *p, const Answers *right)
{
    vgSystem *sys = NULL;
    vgWork *w = NULL;
    Answers a = {0};
    vgStatus st = vg_system_new_by(plain->model, s->coordinates, "index3", fast, NULL, &sys);
    if (st == VG_OK) st = vg_work_new(sys, &w);
    CHECK_INT(st, VG_OK);
    unsigned taken = 0;
    if (st == VG_OK) {
        vg_work_bind(w, start);
        CHECK(look(sys, w, p, &a));
        compare(s, fast, &a, right);
        taken = w->taken;
    }
    if (taken & ~fast) printf("%s in %s took %s\n", s->model, s->coordinates, path_names(taken & ~fast));
    CHECK((taken & ~fast) == 0);
    forget(&a);
    vg_work_free(w);
    vg_system_free(sys);
    return taken;
}

/* All paths together, then each alone and (where that is not the same) all without it. */
static void compare_paths(const Subject *s, const vgSystem *plain, vgWork *w, const vgState *start, int away)
{
    Point p;
    Answers right = {0};
    make_point(plain, w, start, away, &p);
    int ok = look(plain, w, &p, &right);
    if (!ok) printf("%s in %s: no plain solution\n", s->model, s->coordinates);
    CHECK(ok);
    CHECK_INT(w->taken, 0);
    if (ok) {
        unsigned all = try_paths(s, plain, start, VG_FAST_ALL, &p, &right), met = all;
        for (const vgFastPath *f = vg_fast_paths; f->name; f++) {
            if (!(all & f->bit)) continue;
            met |= try_paths(s, plain, start, f->bit | f->needs, &p, &right);
            met |= try_paths(s, plain, start, VG_FAST_ALL & ~f->bit, &p, &right);
        }
        taken_by_all |= met;
        differentiate(s, plain, w, &p);
    }
    forget(&right);
    free_point(&p);
}

static void compare_in(const vgModel *m, const char *name, const char *coordinates)
{
    Subject s = {name, coordinates};
    vgSystem *sys = NULL;
    vgState *start = NULL;
    vgAssembly as = {0};
    vgWork *w = NULL;
    if (vg_system_new_by(m, coordinates, "index3", 0, NULL, &sys) != VG_OK) return;
    int ok = vg_assemble(sys, 0, 0, NULL, &as, &start) == VG_OK && vg_work_new(sys, &w) == VG_OK;
    if (!ok) printf("%s in %s: no start\n", name, coordinates);
    CHECK(ok);
    if (ok) {
        vg_work_bind(w, start);
        seed = 20240117;
        compare_paths(&s, sys, w, start, 0);
        compare_paths(&s, sys, w, start, 1);
    }
    vg_work_free(w);
    vg_state_free(start);
    vg_assembly_free(&as);
    vg_system_free(sys);
}

static void compare_model(vgModel *m, const char *name)
{
    for (const vgCoordinatesRow *row = vg_coordinates_list; row->name; row++)
        if (!row->first_order && (row->models & (m->planar ? 1 : 2))) compare_in(m, name, row->name);
    if (mix_bodies(m, 0)) compare_in(m, name, "lie");
}

/* Made smaller: what a thousand bodies do, thirty do as well. */
static const vgParamSet smaller[] = {{.name = "n", .value = 7}, {.name = "N", .value = 7}};

TEST(shipped_models)
{
    DIR *dir = opendir(VERGE_SOURCE_DIR "/models");
    CHECK(dir != NULL);
    for (const struct dirent *e; dir && (e = readdir(dir));) {
        char path[512];
        size_t n = strlen(e->d_name);
        if (n < 5 || strcmp(e->d_name + n - 5, ".yaml") != 0) continue;
        snprintf(path, sizeof path, "%s/models/%s", VERGE_SOURCE_DIR, e->d_name);
        vgModel *m = NULL;
        for (int k = 0; k < 3 && !m; k++) m = vg_model_load(path, k < 2 ? &smaller[k] : NULL, k < 2, NULL);
        CHECK(m != NULL);
        if (m) compare_model(m, e->d_name);
        vg_model_free(m);
    }
    if (dir) closedir(dir);
}

static void compare_text(const char *text, const char *name)
{
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_parse(text, strlen(text), name, NULL, 0, diag);
    if (!m) printf("%s\n", vg_diag_count(diag) ? vg_diag_line(diag, 0) : "?");
    CHECK(m != NULL);
    if (m) compare_model(m, name);
    vg_model_free(m);
    vg_diag_free(diag);
}

TEST(made_models)
{
    compare_text(fast_arms, "arms");
    compare_text(fast_tree, "tree");
    compare_text(fast_bare_tree, "bare tree");
    compare_text(fast_loose, "loose");
    compare_text(fast_beams, "beams");
}

/* ---- passes of the integrators ---- */

static int run(vgModel *m, int plain, const char *coordinates, const char *method, double h, double *q,
               unsigned *taken)
{
    vgDials dials = {coordinates, NULL, method};
    vgSimulation sim;
    m->run.plain = plain;
    if (vg_simulation_open(m, &dials, NULL, &sim) != VG_OK) return 0;
    vgIntegrator *it = sim.it;
    vg_work_bind(it->work, sim.state);
    it->step_hint = h;
    int ok = it->row->start(it, sim.state) == VG_OK;
    for (int i = 0; ok && i < 8; i++) {
        double t = sim.state->t;
        ok = vg_integrator_advance(it, sim.state, h) == VG_OK;
        if (sim.state->t != t) vg_work_accept(sim.sys, it->work, sim.state);
    }
    memcpy(q, sim.state->q, (size_t)sim.sys->nq * sizeof *q);
    memcpy(q + sim.sys->nq, sim.state->v, (size_t)sim.sys->nv * sizeof *q);
    *taken |= it->work->taken;
    vg_simulation_close(&sim);
    return ok ? sim.sys == NULL : -1;
}

TEST(integrators_step_the_same)
{
    static const char *const models[][2] = {{"four-bar-planar", "planar"},
                                            {"four-bar-planar", "relative"},
                                            {"puma560", "relative"},
                                            {"four-bar-planar", "natural"},
                                            {"heavy-top", "euler-parameters"}};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/models/%s.yaml", VERGE_SOURCE_DIR, models[i][0]);
        vgModel *m = vg_model_load(path, NULL, 0, NULL);
        CHECK(m != NULL);
        for (const vgIntegratorRow *const *row = vg_integrators; m && *row; row++) {
            if (strstr((*row)->family, "SUNDIALS")) continue; /* steps and passes of their own */
            double fast[256] = {0}, plain[256] = {0};
            unsigned none = 0;
            int a = run(m, 0, models[i][1], (*row)->name, 1e-3, fast, &taken_by_all);
            int b = run(m, 1, models[i][1], (*row)->name, 1e-3, plain, &none);
            CHECK_INT(a, b);
            CHECK_INT(none, 0);
            double worst = 0, size = largest(plain, 256);
            for (int k = 0; k < 256; k++) worst = fmax(worst, fabs(fast[k] - plain[k]));
            if (!(worst <= 1e-7 * size) || a != b)
                printf("%s of %s in %s: off by %.3g\n", (*row)->name, models[i][0], models[i][1],
                       worst / size);
            CHECK(worst <= 1e-7 * size);
        }
        vg_model_free(m);
    }
}

TEST(every_path_was_taken)
{
    unsigned all = 0;
    for (const vgFastPath *p = vg_fast_paths; p->name; p++) {
        if (!(taken_by_all & p->bit)) printf("no model takes the path '%s'\n", p->name);
        CHECK(taken_by_all & p->bit);
        CHECK((all & p->bit) == 0);
        all |= p->bit;
    }
    CHECK_INT(all, VG_FAST_ALL);
}

TEST_MAIN(shipped_models, made_models, integrators_step_the_same, every_path_was_taken)
