/* The stage matrix of every chart against differences of the residual, through the solver: for random (δ, μ)
 * the directional derivative of (r/ca, Φ) is put on the right side and the solution must be (δ, μ) again. */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/run/simulation.h"
#include "math/so3.h"
#include "system/tree_text.h"

typedef struct rig {
    vgModel *m;
    vgDiag *diag;
    vgSimulation sim;
    int nv, nl;
    double *q_r, *delta, *ddot, *q, *v, *a, *lambda, *dhat, *vhat, *x, *mu, *rp, *rm, *pp, *pm, *tmp, *d;
} rig;

static unsigned long long seed = 12345;
static double noise(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

static double *vec(int n)
{
    return calloc((size_t)n + 8, sizeof(double));
}

static int open_rig(rig *r, const char *model, const char *coordinates, const char *constraints)
{
    char path[512];
    snprintf(path, sizeof path, "%s/models/%s.yaml", VERGE_SOURCE_DIR, model);
    r->diag = vg_diag_new();
    r->m = strchr(model, '\n') ? vg_model_parse(model, strlen(model), "text", NULL, 0, r->diag)
                               : vg_model_load(path, NULL, 0, r->diag);
    vgDials dials = {coordinates, constraints, "generalized-alpha"};
    if (!r->m || vg_simulation_open(r->m, &dials, r->diag, &r->sim) != VG_OK) {
        printf("%s\n", vg_diag_count(r->diag) ? vg_diag_line(r->diag, 0) : "?");
        return 0;
    }
    r->nv = r->sim.sys->nv;
    r->nl = r->sim.sys->nl;
    double **slot[] = {&r->q_r, &r->delta, &r->ddot, &r->q,  &r->v,  &r->a,  &r->lambda, &r->dhat, &r->vhat,
                       &r->x,   &r->mu,    &r->rp,   &r->rm, &r->pp, &r->pm, &r->tmp,    &r->d};
    for (size_t i = 0; i < sizeof slot / sizeof slot[0]; i++) *slot[i] = vec(r->sim.sys->nq + r->nv + r->nl);
    return 1;
}

static void close_rig(rig *r)
{
    double *all[] = {r->q_r, r->delta, r->ddot, r->q,  r->v,  r->a,  r->lambda, r->dhat, r->vhat,
                     r->x,   r->mu,    r->rp,   r->rm, r->pp, r->pm, r->tmp,    r->d};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
    vg_simulation_close(&r->sim);
    vg_model_free(r->m);
    vg_diag_free(r->diag);
}

/* q, v, a of the stage at Δ = delta + e·d, λ at lambda + e·ca·mu; then the residual. */
static void at(rig *r, vgStageMap map, double cv, double ca, double e, double *res, double *phi)
{
    const vgSystem *sys = r->sim.sys;
    double *D = vec(r->nv), *Dd = vec(r->nv), *q = vec(sys->nq), *v = vec(r->nv), *a = vec(r->nv),
           *l = vec(r->nl);
    for (int i = 0; i < r->nv; i++) D[i] = r->delta[i] + e * r->d[i];
    for (int i = 0; i < r->nl; i++) l[i] = r->lambda[i] + e * ca * r->mu[i];
    sys->ops->retract(sys, r->q_r, D, q);
    if (map == VG_STAGE_FIRST) {
        for (int i = 0; i < r->nv; i++) Dd[i] = cv * (D[i] - r->dhat[i]);
        sys->ops->twist(sys, D, q, Dd, v);
        for (int i = 0; i < r->nv; i++) a[i] = cv * (v[i] - r->vhat[i]);
    } else {
        for (int i = 0; i < r->nv; i++) {
            v[i] = r->vhat[i] + cv * (D[i] - r->dhat[i]);
            a[i] = r->tmp[i] + ca * (D[i] - r->dhat[i]);
        }
    }
    sys->ops->residual(sys, r->sim.it->work, 0.1, q, v, a, l, res, phi);
    free(D), free(Dd), free(q), free(v), free(a), free(l);
}

static double check(const char *model, const char *coordinates, vgStageMap map)
{
    rig r = {0};
    if (!open_rig(&r, model, coordinates, NULL)) return INFINITY;
    const vgSystem *sys = r.sim.sys;
    vgWork *w = r.sim.it->work;
    vg_work_bind(w, r.sim.state);
    double h = 0.05, cv = 2.1 / h, ca = map == VG_STAGE_FIRST ? cv * cv : 4.3 / (h * h);
    memcpy(r.q_r, r.sim.state->q, (size_t)sys->nq * sizeof(double));
    int points = coordinates && !strcmp(coordinates, "natural"); /* of small bodies: steps by their size */
    for (int i = 0; i < r.nv; i++) r.delta[i] = 0.05 * noise() * (points ? 0.1 * sys->v_scale[i] : 1);
    sys->ops->retract(sys, r.q_r, r.delta, r.q);
    if (points || sys->nl > r.m->nrow) { /* unit lengths hold at the point of comparison */
        int iter;
        sys->ops->project_q(sys, w, 0.1, r.q, 1e-14, 50, &iter);
        sys->ops->local(sys, r.q_r, r.q, r.delta);
    }
    for (int i = 0; i < r.nv; i++) r.v[i] = 0.7 * noise();
    sys->ops->project_v(sys, w, 0.1, r.q, r.v);
    /* forces in balance at the point, as they are at the end of Newton's iteration */
    CHECK_INT(sys->ops->accel(sys, w, 0.1, r.q, r.v, r.a, r.lambda), VG_OK);
    if (map == VG_STAGE_FIRST) {
        sys->ops->rates(sys, r.delta, r.q, r.v, r.ddot);
        for (int i = 0; i < r.nv; i++) {
            r.dhat[i] = r.delta[i] - r.ddot[i] / cv;
            r.vhat[i] = r.v[i] - r.a[i] / cv;
        }
    } else {
        for (int i = 0; i < r.nv; i++) {
            r.dhat[i] = r.delta[i];
            r.vhat[i] = r.v[i];
            r.tmp[i] = r.a[i];
        }
    }
    /* a random direction in the tangent space of q: δ, and d = T⁻¹ δ in local coordinates */
    for (int i = 0; i < r.nv; i++) r.x[i] = noise() * (points ? sys->v_scale[i] : 1);
    int unit = coordinates && !strcmp(coordinates, "euler-parameters");
    for (int b = 0; unit && b < r.m->nbody; b++) { /* along the unit sphere */
        double *x = r.x + 7 * b + 3, *q = r.q + 7 * b + 3, along = 0;
        for (int i = 0; i < 4; i++) along += x[i] * q[i];
        for (int i = 0; i < 4; i++) x[i] -= along * q[i];
    }
    for (int i = 0; i < r.nl; i++) r.mu[i] = vg_row_counts(w, i) ? noise() : 0;
    if (sys->vector_space)
        memcpy(r.d, r.x, (size_t)r.nv * sizeof(double));
    else
        sys->ops->rates(sys, r.delta, r.q, r.x, r.d);
    double *right = vec(r.nv), *rl = vec(r.nl), e = 1e-4;
    for (int level = 0; level < 2; level++) { /* Richardson: e and e/2 */
        double s = level ? e / 2 : e, weight = level ? 4.0 / 3 : -1.0 / 3;
        at(&r, map, cv, ca, s, r.rp, r.pp);
        at(&r, map, cv, ca, -s, r.rm, r.pm);
        for (int i = 0; i < r.nv; i++) right[i] += weight * (r.rp[i] - r.rm[i]) / (2 * s) / ca;
        for (int i = 0; i < r.nl; i++) {
            double scale = sys->row_level[i] == 1 ? cv : sys->row_level[i] == 2 ? ca : 1;
            rl[i] += weight * (r.pp[i] - r.pm[i]) / (2 * s) / scale;
        }
    }
    vgTangent p = {.t = 0.1,
                   .q = r.q,
                   .v = r.v,
                   .a = r.a,
                   .lambda = r.lambda,
                   .cv = cv,
                   .ca = ca,
                   .map = map,
                   .delta = r.delta,
                   .delta_dot = r.ddot,
                   .exact = 1};
    CHECK_INT(sys->ops->factor(sys, w, &p), VG_OK);
    sys->ops->solve(sys, w, right, rl);
    double worst = 0;
    for (int i = 0; i < r.nv; i++) worst = fmax(worst, fabs(right[i] - r.x[i]));
    free(right), free(rl);
    close_rig(&r);
    return worst;
}

TEST(every_chart)
{
    static const char *const models[] = {"heavy-top", "heavy-top-free", "slider-crank-3d",
                                         "rotor",     "chain",          "four-bar-spatial"};
    static const char *const charts[] = {"lie",          "se3",      "euler-parameters",
                                         "euler-angles", "relative", "natural"};
    for (size_t m = 0; m < sizeof models / sizeof models[0]; m++)
        for (size_t c = 0; c < sizeof charts / sizeof charts[0]; c++)
            for (int map = VG_STAGE_NEWMARK; map <= VG_STAGE_FIRST; map++) {
                double e = check(models[m], charts[c], (vgStageMap)map);
                if (!(e <= 1e-6)) printf("%s %s map %d: %.3g\n", models[m], charts[c], map, e);
                CHECK(e <= 1e-6);
            }
}

TEST(planar)
{
    static const char *const models[] = {"squeezer", "slider-crank", "slider-crank-torque", "double-pendulum",
                                         "four-bar-planar"};
    for (size_t m = 0; m < sizeof models / sizeof models[0]; m++)
        for (int c = 0; c < 3; c++)
            CHECK_NEAR(check(models[m],
                             c == 2 ? "natural"
                             : c    ? "relative"
                                    : NULL,
                             VG_STAGE_NEWMARK),
                       0, 1e-6);
}

/* Joint coordinates with every joint of a tree: eliminated along the tree, and as an explicit matrix. */
TEST(trees)
{
    const char *const texts[] = {tree_alone, tree_neighbours, tree_text, tree_near};
    for (int i = 0; i < 4; i++)
        for (int map = VG_STAGE_NEWMARK; map <= VG_STAGE_FIRST; map++)
            CHECK_NEAR(check(texts[i], "relative", (vgStageMap)map), 0, 1e-6);
}

/* Half a car in joint coordinates: a floating body, wheels on universal joints at the ends of arms, closed by
 * rods to it and to a driven rack, springs along an axis, between neighbours, to the ground and between the
 * wheels. */
TEST(pairs_of_links)
{
    static const char text[] =
        "verge: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  car: {mass: 40, inertia: [3, 5, 4], position: [0, 0, 0.6], markers: {a: [0.1, 0.3, -0.2], b: "
        "[0.1, -0.3, -0.2], t: [0, 0, 0.1], r: [0.2, 0, 0]}}\n"
        "  rack: {mass: 0.5, inertia: [0.01, 0.02, 0.03], position: [0.2, 0, 0.6], markers: {a: [0, 0.1, 0], "
        "b: [0, -0.1, 0]}}\n"
        "  arm1: {mass: 2, inertia: [0.1, 0.02, 0.1], position: [0.1, 0.5, 0.38], markers: {in: [0, -0.2, "
        "0.02], out: [0, 0.2, -0.02]}}\n"
        "  arm2: {mass: 2, inertia: [0.1, 0.02, 0.1], position: [0.1, -0.5, 0.38], markers: {in: [0, 0.2, "
        "0.02], out: [0, -0.2, -0.02]}}\n"
        "  wheel1: {mass: 6, inertia: [0.2, 0.3, 0.2], position: [0.12, 0.75, 0.4], markers: {low: [-0.02, "
        "-0.05, -0.04], top: [-0.02, -0.1, 0.15], rod: [0.1, -0.1, 0.1]}}\n"
        "  wheel2: {mass: 6, inertia: [0.2, 0.3, 0.2], position: [0.12, -0.75, 0.4], markers: {low: [-0.02, "
        "0.05, -0.04], top: [-0.02, 0.1, 0.15], rod: [0.1, 0.1, 0.1]}}\n"
        "joints:\n"
        "  slide: {prismatic: [car.r, rack], axis: y, drive: {displacement: 0.05*sin(3*t)}}\n"
        "  h1: {revolute: [car.a, arm1.in], axis: x}\n"
        "  h2: {revolute: [car.b, arm2.in], axis: x}\n"
        "  u1: {universal: [arm1.out, wheel1.low], axis: x, axis2: [0, 0.1, 1]}\n"
        "  u2: {universal: [arm2.out, wheel2.low], axis: x}\n"
        "  top1: {distance: [car.t, wheel1.top]}\n"
        "  top2: {distance: [car.t, wheel2.top]}\n"
        "  rod1: {distance: [rack.a, wheel1.rod]}\n"
        "  rod2: {distance: [rack.b, wheel2.rod]}\n"
        "forces:\n"
        "  leaf1: {axial-spring: [car, wheel1.top], axis: -z, stiffness: 900, length: 0.2}\n"
        "  leaf2: {axial-spring: [car, wheel2.top], axis: [0.3, 0, -1], stiffness: 900, damping: 40, length: "
        "0.2}\n"
        "  shock1: {spring: [car.t, arm1.out], stiffness: 700, damping: 60}\n"
        "  roll: {spring: [wheel1, wheel2.top], stiffness: 300, damping: 20, length: 1}\n"
        "  tie: {spring: [rack.a, arm2.out], stiffness: 500, damping: 9, length: 0.3}\n"
        "  ground: {spring: [ground, wheel1], stiffness: 800, damping: 5}\n";
    for (int map = VG_STAGE_NEWMARK; map <= VG_STAGE_FIRST; map++)
        CHECK_NEAR(check(text, "relative", (vgStageMap)map), 0, 1e-6);
}

/* Tyres and flywheels on the wheels of a whole car, four at a time and, tyres on a moving road, one by one.
 */
TEST(tyres)
{
    static const char text[] =
        "verge: 1\ngravity: [0, 0, -9.81]\nroads: {bump: {cosine: {start: -3, length: 6, height: 0.1}}}\n"
        "bodies:\n  car: {mass: 400, inertia: [100, 200, 300], position: [0, 0, 0.5], velocity: [8, 0.4, "
        "0]}\n"
        "repeat:\n  index: i\n  from: 0\n  to: 4\n"
        "  bodies:\n    \"wheel{i}\": {mass: 20, inertia: [0.5, 0.8, 0.5], com: [0.01, 0.02, 0], position: "
        "[0.5*i - 1, \"0.6*(-1)^i\", 0.3], rotation: [0.05, 0, 0.02*i], velocity: [8, 0.4, 0]}\n"
        "  joints:\n    \"h{i}\": {revolute: [{body: car, position: [0.5*i - 1, \"0.3*(-1)^i\", -0.2]}, "
        "{body: \"wheel{i}\", position: [0, \"-0.3*(-1)^i\", 0]}], axis: x}\n"
        "  forces:\n    \"s{i}\": {spring: [{body: car, position: [0.5*i - 1, \"0.5*(-1)^i\", 0.3]}, "
        "\"wheel{i}\"], stiffness: 9000, damping: 300}\n"
        "    \"f{i}\": {flywheel: \"wheel{i}\", axis: y, momentum: 3 + i}\n"
        "    \"t{i}\": {%s: [ground, {body: \"wheel{i}\", position: [0.01, 0.03*%d, 0.02]}], road: bump, "
        "radius: 0.46, stiffness: 50000, damping: 200%s}\n";
    static const char *const law[] = {"tyre-calspan", "tyre-linear"};
    static const char *const more[] = {", vertical: true", ", cornering: 4000, camber: 600, trail: 0.05"};
    for (int kind = 0; kind < 2; kind++)
        for (int map = VG_STAGE_NEWMARK; map <= VG_STAGE_FIRST; map++) {
            char model[2000];
            snprintf(model, sizeof model, text, law[kind], map, more[kind]);
            CHECK_NEAR(check(model, "relative", (vgStageMap)map), 0, 1e-6);
        }
}

/* Places on beams between nodes, held by rows of interpolated rotations: joints and springs on them. */
TEST(stations)
{
    static const char text[] =
        "verge: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  ball: {mass: 0.4, inertia: [0.02, 0.03, 0.04], position: [0.77, 0.1, 0.2]}\n"
        "mesh:\n  b: {%s: 2, from: ground, to: [1.5, 0, 0], EA: 900, GAy: 500, GAz: 400, GJ: 60, EIy: 70, "
        "EIz: 80, m: 2, Jx: 0.04, Jy: 0.02, Jz: 0.02, omega: [0, 0.4, 0.3], stations: {p: 0.62, q: {at: "
        "0.9}}}\n"
        "joints:\n  J: {revolute: [b.p, ball], axis: y}\n"
        "forces:\n  k: {spring: [b.q, ball], stiffness: 30, length: 0.3}\n";
    static const char *const charts[] = {"lie", "se3", "euler-parameters", "euler-angles", "natural"};
    for (int kind = 0; kind < 2; kind++) {
        char model[900];
        snprintf(model, sizeof model, text, kind ? "beam3" : "beam");
        for (size_t c = 0; c < sizeof charts / sizeof charts[0]; c++)
            for (int map = VG_STAGE_NEWMARK; map <= VG_STAGE_FIRST; map++) {
                double e = check(model, charts[c], (vgStageMap)map);
                if (!(e <= 1e-6)) printf("stations %s map %d: %.3g\n", charts[c], map, e);
                CHECK(e <= 1e-6);
            }
    }
}

/* Beams side by side in lanes: more than fit into one group, of two and of three nodes, with rigid slices,
 * a mass centre off the nodes, damping, coupled stiffness, attached off their nodes, and one that goes by
 * itself because its masses hang together. */
static const char beams[] =
    "verge: 1\ngravity: [0.3, 0.2, -9.81]\nmesh:\n"
    "  a: {beam3: 5, start: {spherical: ground}, to: [1, 0.2, 0.1], circle: 0.05, E: 1e6, nu: 0.3, rho: "
    "1000, mass: slices}\n"
    "  b: {beam: 6, from: [0, 1, 0], to: [0.5, 2, 0.3], EA: 900, GAy: 300, GAz: 200, GJ: 3, EIy: 2, EIz: 4, "
    "m: 0.7, mass-centre: [0.03, -0.02], elastic-centre: [0.01, 0.02], Jy: 0.02, Jz: 0.03}\n"
    "  c: {beam3: 2, from: [2, 0, 0], to: [2, 1, 0], rectangle: [0.03, 0.05], E: 1e7, nu: 0.3, rho: 900, "
    "damping: 0.01}\n"
    "bodies:\n  ground: {markers: {B: [0, 1, 0]}}\n  p: {mass: 2, inertia: [0.1, 0.2, 0.3], position: [1, "
    "0.6, 0.1]}\n  g: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.7, 1.3, 0.2]}\n"
    "forces:\n  d: {beam: [a.11, {body: p, position: [0, 0.1, 0]}], circle: 0.04, E: 1e6, nu: 0.3, rho: "
    "1000}\n"
    "  f: {beam3: [{body: p, position: [0.1, 0, 0.1], rotation: [0.3, 0.2, 0.1]}, b.7], middle: {body: g, "
    "position: [0, 0.05, 0.02]}, circle: 0.04, E: 1e6, nu: 0.3, rho: 1000, mass: slices}\n"
    "  e: {beam: [p, c.3], circle: 0.04, E: 1e6, nu: 0.3, rho: 1000, damping: 0.01}\n";

TEST(beams_in_lanes)
{
    static const char *const charts[] = {"lie", "se3", "cayley", "euler-parameters"};
    for (size_t c = 0; c < sizeof charts / sizeof charts[0]; c++)
        for (int map = VG_STAGE_NEWMARK; map <= VG_STAGE_FIRST; map++) {
            double e = check(beams, charts[c], (vgStageMap)map);
            if (!(e <= 1e-6)) printf("%s map %d: %.3g\n", charts[c], map, e);
            CHECK(e <= 1e-6);
        }
}

/* Euler parameters take beams one by one: the same accelerations come out. */
TEST(lanes_and_one_by_one)
{
    rig r[2] = {{0}, {0}};
    const vgKin *kin[2];
    CHECK(open_rig(&r[0], beams, "lie", NULL));
    CHECK(open_rig(&r[1], beams, "euler-parameters", NULL));
    vgKin *at = calloc((size_t)r[0].m->nbody + 1, sizeof *at);
    for (int i = 0; i < r[0].m->nbody; i++) {
        const vgBody *b = &r[0].m->body[i];
        vgVec3 turn = {0.1 * noise(), 0.1 * noise(), 0.1 * noise()};
        at[i] = (vgKin){.p = vg_add3(b->p0, vg_v3(0.02 * noise(), 0.02 * noise(), 0.02 * noise())),
                        .R = vg_mm3(b->R0, vg_so3_exp(turn)),
                        .v = {noise(), noise(), noise()},
                        .w = {noise(), noise(), noise()}};
    }
    for (int k = 0; k < 2; k++) {
        const vgSystem *sys = r[k].sim.sys;
        vgWork *w = r[k].sim.it->work;
        vg_work_bind(w, r[k].sim.state);
        CHECK_INT(sys->ops->from_native(sys, at, r[k].q, r[k].v), VG_OK);
        CHECK_INT(sys->ops->accel(sys, w, 0.1, r[k].q, r[k].v, r[k].a, r[k].lambda), VG_OK);
        kin[k] = sys->ops->kinematics(sys, w, 0.1, r[k].q, r[k].v, r[k].a);
    }
    for (int i = 0; i < r[0].m->nbody; i++)
        for (int c = 18; c < 24; c++) {
            double x = (&kin[0][i].p.x)[c], y = (&kin[1][i].p.x)[c];
            CHECK_NEAR(x, y, 1e-9 * (1 + fabs(y)));
        }
    free(at);
    close_rig(&r[0]);
    close_rig(&r[1]);
}

TEST_MAIN(every_chart, planar, trees, pairs_of_links, tyres, stations, beams_in_lanes, lanes_and_one_by_one)
