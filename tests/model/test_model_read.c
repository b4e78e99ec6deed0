/* What the reader makes of a model: placement, masses, parameters, repeats, laws, drives, against closed
 * forms. */
#include <stdlib.h>
#include <unistd.h>

#include "model/model.h"
#include "model/read/spec.h"
#include "temporary.h"
#include "base/names.h"
#include "test.h"

static vgModel *parse_set(const char *text, const vgParamSet *set, int nset)
{
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_parse(text, strlen(text), "m", set, nset, diag);
    for (int i = 0; i < vg_diag_count(diag); i++) printf("%s\n", vg_diag_line(diag, i));
    CHECK(m != NULL);
    vg_diag_free(diag);
    if (!m) exit(1);
    return m;
}

static vgModel *parse(const char *text)
{
    return parse_set(text, NULL, 0);
}

static void check_vec(vgVec3 a, double x, double y, double z, double tol)
{
    CHECK_NEAR(a.x, x, tol);
    CHECK_NEAR(a.y, y, tol);
    CHECK_NEAR(a.z, z, tol);
}

static double parameter(const vgModel *m, const char *name)
{
    for (int i = 0; i < m->nparam; i++) {
        if (strcmp(m->param_name[i], name) == 0) return m->param_value[i];
    }
    return NAN;
}

TEST(parameters_in_any_order)
{
    const char *text = "verge: 1\nparameters: {a: b^2, b: c + 1, c: 2, d: 'if(c > 1, a, 0)'}\nbodies: {p: "
                       "{mass: a, point: true}}\n";
    vgModel *m = parse(text);
    CHECK_NEAR(parameter(m, "a"), 9, 0);
    CHECK_NEAR(parameter(m, "d"), 9, 0);
    CHECK_NEAR(m->body[0].mass, 9, 0);
    vg_model_free(m);
    vgParamSet set[] = {{"c", 4, NULL}, {"b", 0, "2*c"}};
    m = parse_set(text, set, 2);
    CHECK_NEAR(parameter(m, "a"), 64, 0);
    vg_model_free(m);
    vgDiag *diag = vg_diag_new();
    vgParamSet wrong[] = {{"speeed", 1, NULL}};
    CHECK(!vg_model_parse("verge: 1\nparameters: {speed: 1}\nbodies: {p: {mass: 1, point: true}}\n", 68, "m",
                          wrong, 1, diag));
    CHECK_STR(vg_diag_line(diag, 0), "the model has no parameter 'speeed', did you mean 'speed'?");
    vg_diag_clear(diag);
    wrong[0].name = "q";
    CHECK(!vg_model_parse("verge: 1\nparameters: {speed: 1}\nbodies: {p: {mass: 1, point: true}}\n", 68, "m",
                          wrong, 1, diag));
    CHECK_STR(vg_diag_line(diag, 0), "the model has no parameter 'q'; it has speed");
    vg_diag_free(diag);
}

/* A body turned by 90 degrees about z, its centre of mass off the origin: p, v of the centre of mass follow.
 */
TEST(placement)
{
    vgModel *m = parse("verge: 1\nbodies:\n  b: {mass: 2, inertia: [1, 1, 1], com: [1, 0, 0], position: [5, "
                       "6, 7], angle: pi/2, velocity: [0.1, 0.2, 0.3], omega: [0, 0, 3], markers: {A: [1, 2, "
                       "0], B: {position: [0, 0, 1], axis-angle: [x, pi/2]}}}\n");
    const vgBody *b = &m->body[0];
    check_vec(b->p0, 5, 7, 7, 1e-15);
    check_vec(b->v0, 0.1 - 3, 0.2, 0.3, 1e-15); /* w × R com = 3 z × y = −3 x */
    check_vec(b->w0, 0, 0, 3, 0);
    int A = vg_names_find(m->marker_names, "b.A"), B = vg_names_find(m->marker_names, "b.B");
    check_vec(m->marker[A].frame.r, 0, 2, 0, 1e-15);
    check_vec(vg_mv3(m->marker[B].frame.R, vg_v3(0, 1, 0)), 0, 0, 1, 1e-15);
    CHECK_INT(vg_model_find_body(m, "b"), 0);
    CHECK_INT(vg_model_find_body(m, "c"), -1);
    vg_model_free(m);
    m = parse("verge: 1\nbodies: {b: {mass: 2, inertia: [1, 1, 1], rotation: [pi/2, 0, 0], omega: {world: "
              "[0, 0, 2]}}}\n");
    check_vec(m->body[0].w0, 0, 2, 0, 1e-15); /* z of the world is y of the body */
    vg_model_free(m);
    m = parse("verge: 1\nplanar: true\nbodies: {b: {mass: 2, inertia: 3, angle: 3*pi, com: [1, 0], omega: 2, "
              "velocity: [1, 1]}}\n");
    CHECK_NEAR(m->body[0].theta0, 3 * acos(-1.0), 1e-15);
    CHECK_NEAR(m->body[0].inertia.m[2][2], 3, 0);
    check_vec(m->body[0].p0, -1, 0, 0, 1e-15);
    check_vec(m->body[0].v0, 1, -1, 0, 1e-14);
    CHECK_INT(m->body[0].select.n, 3);
    CHECK_INT(m->body[0].select.at[2], 5);
    vg_model_free(m);
}

/* Rotations written in five ways are the same rotation. */
TEST(orientations)
{
    static const char *const forms[] = {
        "rotation: [0, 0, pi/3]", "angle: pi/3", "axis-angle: [[0, 0, 2], pi/3]",
        "quaternion: [2*cos(pi/6), 0, 0, 2*sin(pi/6)]",
        "rotation: {matrix: [[0.5, -sqrt(3)/2, 0], [sqrt(3)/2, 0.5, 0], [0, 0, 1]]}"};
    for (int i = 0; i < 5; i++) {
        char text[300];
        snprintf(text, sizeof text, "verge: 1\nbodies: {b: {mass: 2, inertia: [1, 1, 1], %s}}\n", forms[i]);
        vgModel *m = parse(text);
        check_vec(vg_mv3(m->body[0].R0, vg_v3(1, 0, 0)), 0.5, sqrt(3) / 2, 0, 1e-15);
        check_vec(vg_mv3(m->body[0].R0, vg_v3(0, 0, 1)), 0, 0, 1, 1e-15);
        vg_model_free(m);
    }
}

TEST(inertia_forms)
{
    static const char *const forms[] = {
        "inertia: [2, 3, 4]",
        "inertia: [2, 3, 4, 0, 0, 0]",
        "inertia: [[2, 0, 0], [0, 3, 0], [0, 0, 4]]",
        "inertia: {moments: [2, 3, 4]}",
        /* Steiner with mass 2 and com (1, 2, 0): xx + 2·4, yy + 2·1, zz + 2·5, xy − 2·2 */
        "inertia: {moments: [10, 5, 14], products: [-4, 0, 0], about: origin}",
        "inertia: {matrix: [[10, -4, 0], [-4, 5, 0], [0, 0, 14]], about: origin}",
    };
    for (int i = 0; i < 6; i++) {
        char text[300];
        snprintf(text, sizeof text, "verge: 1\nbodies: {b: {mass: 2, com: [1, 2, 0], %s}}\n", forms[i]);
        vgModel *m = parse(text);
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) CHECK_NEAR(m->body[0].inertia.m[r][c], r == c ? 2 + r : 0, 1e-14);
        }
        vg_model_free(m);
    }
}

/* Mass properties of shapes: closed forms of solids, and two boxes that make one. */
TEST(shapes_and_density)
{
    const double pi = acos(-1.0);
    vgModel *m =
        parse("verge: 1\nbodies:\n"
              "  ball: {density: 3, shape: {sphere: 2}}\n"
              "  bar: {mass: 5, shape: {bar: [4, 0.5]}}\n"
              "  drum: {density: 2, shape: {cylinder: [1, 3], position: [1, 0, 0], rotation: [0, pi/2, 0]}}\n"
              "  two: {density: 1, shape: [{box: [1, 2, 3], position: [0.5, 0, 0]}, {box: [1, 2, 3], "
              "position: [1.5, 0, 0]}]}\n");
    double ball = 3 * 4.0 / 3 * pi * 8;
    CHECK_NEAR(m->body[0].mass, ball, 1e-13 * ball);
    CHECK_NEAR(m->body[0].inertia.m[1][1], 0.4 * ball * 4, 1e-12 * ball);
    CHECK_NEAR(m->body[1].inertia.m[0][0], 0.5 * 5 * 0.25, 1e-14);
    CHECK_NEAR(m->body[1].inertia.m[2][2], 5 * (3 * 0.25 + 16) / 12, 1e-14);
    check_vec(m->body[2].com, 1, 0, 0, 1e-15);
    CHECK_NEAR(m->body[2].inertia.m[0][0], 0.5 * 6 * pi, 1e-13); /* its axis now lies along x */
    CHECK_NEAR(m->body[3].mass, 12, 1e-14);
    check_vec(m->body[3].com, 1, 0, 0, 1e-15);
    CHECK_NEAR(m->body[3].inertia.m[0][0], 12 * (4 + 9) / 12.0, 1e-13);
    CHECK_NEAR(m->body[3].inertia.m[2][2], 12 * (4 + 4) / 12.0, 1e-13);
    vg_model_free(m);
}

TEST(repeat_variants_and_if)
{
    const char *text =
        "verge: 1\nparameters: {N: 5, kind: 1}\n"
        "repeat:\n"
        "  - index: i\n    to: N\n"
        "    bodies: {'k{i}': {mass: i, inertia: [1, 1, 1], position: [i^2, 0, 0], markers: {e: [i, 0, "
        "0]}}}\n"
        "    joints:\n"
        "      'J{i}': [{if: kind == 0, spherical: ['k{i-1}.e', 'k{i}']}, {revolute: ['k{i-1}.e', 'k{i}']}]\n"
        "    first: {joints: {'J{i}': {fixed: [ground, 'k{i}']}}}\n"
        "    last: {bodies: {'k{i}': {mass: 100, point: true}}, joints: {'J{i}': {if: 0}}}\n"
        "    repeat: {index: j, from: 2, to: 3, bodies: {'s{i}_{2*j}': {mass: 10*i + j, point: true}}}\n";
    vgModel *m = parse(text);
    CHECK_INT(m->nbody, 5 + 10);
    CHECK_INT(m->njoint, 4);
    CHECK_INT(vg_names_find(m->joint_names, "J5"), -1);
    CHECK_STR(m->joint[0].kind->name, "fixed");
    CHECK_STR(m->joint[1].kind->name, "revolute");
    CHECK_NEAR(m->body[vg_model_find_body(m, "k3")].p0.x, 9, 0);
    CHECK_NEAR(m->body[vg_model_find_body(m, "k5")].mass, 100, 0);
    CHECK_NEAR(m->body[vg_model_find_body(m, "s4_6")].mass, 43, 0);
    CHECK_INT(m->joint[2].a, vg_model_find_body(m, "k2"));
    CHECK_INT(m->joint[2].b, vg_model_find_body(m, "k3"));
    CHECK_NEAR(m->joint[2].def.A.r.x, 2, 0);
    vg_model_free(m);
    vgParamSet set = {"kind", 0, NULL};
    m = parse_set(text, &set, 1);
    CHECK_STR(m->joint[1].kind->name, "spherical");
    vg_model_free(m);
}

/* Rows, primitives and coordinates are numbered without gaps; drives are joints of their own. */
/* `at` is a place in the world: both frames are there and have its axes, however the bodies are placed. */
TEST(joints_at_a_place)
{
    vgModel *m = parse("verge: 1\n"
                       "bodies:\n"
                       "  a: {mass: 1, inertia: [1, 1, 1], position: [1, 2, 3], rotation: [0.3, -0.2, 0.9], "
                       "com: [0.1, 0.2, 0]}\n"
                       "  b: {mass: 1, inertia: [1, 1, 1], position: [4, 0, 1], axis-angle: [[1, 1, 0], 2]}\n"
                       "joints:\n"
                       "  O: {revolute: [ground, a], at: [0.5, 2, 3], axis: y}\n"
                       "  P: {prismatic: [a, b], at: [2, 1, 1 + 1], axis: [0, 0.6, 0.8]}\n");
    static const double place[2][3] = {{0.5, 2, 3}, {2, 1, 2}}, axis[2][3] = {{0, 1, 0}, {0, 0.6, 0.8}};
    for (int i = 0; i < 2; i++) {
        const vgFrame *frame[] = {&m->joint[i].def.A, &m->joint[i].def.B};
        for (int side = 0; side < 2; side++) {
            const vgFrame *f = frame[side];
            vgMat3 R = f->body < 0 ? vg_eye3() : m->body[f->body].R0;
            vgVec3 p = f->body < 0 ? vg_zero3() : m->body[f->body].p0,
                   z = vg_mv3(R, vg_mv3(f->R, vg_v3(0, 0, 1)));
            vgVec3 at = vg_add3(p, vg_mv3(R, f->r));
            check_vec(at, place[i][0], place[i][1], place[i][2], 1e-14);
            check_vec(z, axis[i][0], axis[i][1], axis[i][2], 1e-14);
        }
    }
    vg_model_free(m);
    static const char *const wrong[][2] = {
        {"O: {revolute: [ground, a.tip], at: [0, 0]}", "error: with 'at' the place of the joint is given"},
        {"O: {revolute: [ground, a], at: 3}", "error: expected the place [x, y], got"},
        {"O: {revolute: [ground, a]}\n  G: {drive: O, value: t, at: [0, 0]}", "error: drive couples joints"}};
    for (int i = 0; i < 3; i++) {
        char text[400];
        vgDiag *diag = vg_diag_new();
        snprintf(text, sizeof text, "verge: 1\nplanar: true\n%sjoints:\n  %s\n",
                 "bodies: {a: {mass: 1, inertia: 1, markers: {tip: [1, 0]}}}\n", wrong[i][0]);
        CHECK(!vg_model_parse(text, strlen(text), "m", NULL, 0, diag));
        int found = 0;
        for (int k = 0; k < vg_diag_count(diag); k++)
            found |= strstr(vg_diag_line(diag, k), wrong[i][1]) != NULL;
        if (!found) printf("%s\n", vg_diag_count(diag) ? vg_diag_line(diag, 0) : wrong[i][0]);
        CHECK(found);
        vg_diag_free(diag);
    }
}

TEST(joints_and_drives)
{
    vgModel *m = parse(
        "verge: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1], position: [1, "
        "0, 0], angle: 0.25}}\n"
        "joints:\n"
        "  O: {revolute: [ground, a], drive: {angle: 3*t^2}}\n"
        "  C: {cylindrical: [a, b], drive: {displacement: 0, rate: 2}, cut: true}\n"
        "forces: {M: {joint-torque: C.displacement, value: '2*joint.O.angle - joint.C.rate2 + t + x'}}\n");
    CHECK_INT(m->njoint, 5);
    CHECK_INT(m->nrow, 5 + 1 + 4 + 1 + 1);
    int row = 0, prim = 0;
    for (int i = 0; i < m->njoint; i++) {
        const vgJoint *j = &m->joint[i];
        CHECK_INT(j->row0, row);
        CHECK_INT(j->prim0, prim);
        for (int k = 0; k < j->nprim; k++) {
            CHECK_INT(m->prim[prim + k].row, row);
            CHECK_INT(m->prim[prim + k].joint, i);
            row += m->prim[prim + k].rows;
        }
        prim += j->nprim;
    }
    CHECK_INT(row, m->nrow);
    CHECK_INT(prim, m->nprim);
    CHECK_INT(m->joint[vg_names_find(m->joint_names, "O.drive")].drive_of,
              vg_names_find(m->joint_names, "O"));
    const vgPrim *p = &m->prim[m->joint[vg_names_find(m->joint_names, "O.drive")].prim0];
    CHECK_INT(p->kind, VG_PRIM_MEASURE);
    CHECK_INT(p->measure[0], vg_model_find_measure(m, "joint.O.angle"));
    double f[3];
    vg_law_time(p->law, 2, f);
    CHECK_NEAR(f[0], 12, 0);
    CHECK_NEAR(f[1], 12, 1e-14);
    CHECK_NEAR(f[2], 6, 1e-14);
    CHECK_INT(m->prim[m->joint[vg_names_find(m->joint_names, "C.drive2")].prim0].level, 1);
    CHECK_INT(m->joint[vg_names_find(m->joint_names, "C")].cut, 1);
    const vgForceSetup *s = &m->force[0].setup;
    int O = vg_model_find_measure(m, "joint.O.angle"), d = vg_model_find_measure(m, "joint.C.displacement");
    CHECK_INT(s->measure[0], d);
    CHECK_INT(s->law[0]->ninput, 4);
    CHECK_INT(s->law[0]->slot[0], VG_LAW_LOCAL + 2 * O);
    CHECK_INT(s->law[0]->slot[1], VG_LAW_LOCAL + 2 * d + 1);
    CHECK_INT(s->law[0]->slot[2], 0);
    CHECK_INT(s->law[0]->slot[3], 1);
    vg_model_free(m);
}

/* Channels in laws make measures; the controller's integral makes a scalar body.
 */
TEST(forces_and_channels)
{
    vgModel *m = parse(
        "verge: 1\nplanar: true\nbodies: {a: {mass: 1, inertia: 1, com: [1, 0], position: [2, 0], omega: 3, "
        "markers: {E: [2, 0]}}}\n"
        "joints: {O: {revolute: [ground, a]}}\n"
        "forces:\n"
        "  F: {force: a.E, value: [body.a.position.x + marker.a.E.velocity.y, body.a.angle + body.a.omega]}\n"
        "  C: {pid: O, target: 0.5, i: 2}\n"
        "  S: {spring: [ground, a.E], stiffness: 1}\n");
    CHECK_INT(vg_model_find_measure(m, "body.a.position.x") >= 0, 1);
    CHECK_INT(vg_model_find_measure(m, "marker.a.E.position.y") >= 0, 1);
    CHECK_INT(vg_model_find_measure(m, "body.a.angle") >= 0, 1);
    CHECK_INT(m->nturn, 2);
    CHECK_INT(m->nbody, 2);
    CHECK_INT(m->body[1].element, 1);
    CHECK_INT(m->body[1].select.n, 1);
    CHECK_NEAR(m->body[1].v0.x, 0, 0);
    CHECK_INT(m->force[1].setup.nmeasure, 2);
    vgModelSummary s;
    vg_model_describe(m, &s);
    CHECK_INT(s.bodies, 1);
    CHECK_INT(s.coordinates, 4);
    vg_model_free(m);
}

static int push(void *user, double t, const vgCallbackMotion motion[2], double wrench[12], double *jacobian)
{
    (void)t, (void)motion, (void)jacobian;
    wrench[6] = *(double *)user;
    return 0;
}

TEST(callbacks)
{
    vgModel *m = parse("verge: 1\nbodies: {p: {mass: 1, point: true}}\nforces: {wind: {callback: [ground, "
                       "p]}, S: {spring: [ground, p], stiffness: 1}}\n");
    double strength = 5, f[12] = {0};
    CHECK_INT(vg_model_set_callback(m, "S", push, &strength), VG_BAD_INPUT);
    CHECK_INT(vg_model_set_callback(m, "storm", push, &strength), VG_BAD_INPUT);
    CHECK_INT(vg_model_set_callback(m, "wind", push, &strength), VG_OK);
    vgKin kin[2] = {{.R = vg_eye3()}, {.R = vg_eye3()}};
    const vgKin *kins[2] = {&kin[0], &kin[1]};
    vgForceIn in = {.nbody = 2, .kin = kins};
    vgForceOut out = {.f = f};
    m->force[0].kind->eval(m->force[0].def, &in, &out);
    CHECK_NEAR(f[6], 5, 0);
    vg_model_free(m);
}

TEST(run_and_record)
{
    vgModel *m =
        parse("verge: 1\ntitle: It's a test\nparameters: {h: 1e-3}\nbodies: {p: {mass: 1, point: "
              "true}}\ngravity: 9.81\n"
              "run: {coordinates: lie, constraints: {index1: {alpha: 10*h, mode: fast}}, integrator: "
              "{generalized-alpha: {rho: 0.9, newton: full}}, step: h/2, end: 2, output: {interval: 0.01}}\n"
              "record: [body.p.position.*, energy.total]\n");
    CHECK(strcmp(m->title, "It's a test") == 0);
    CHECK(strcmp(m->run.coordinates, "lie") == 0);
    CHECK(strcmp(m->run.constraints, "index1:alpha=0.01,mode=fast") == 0);
    CHECK(strcmp(m->run.integrator, "generalized-alpha:rho=0.9,newton=full") == 0);
    CHECK_NEAR(m->run.step, 5e-4, 0);
    CHECK_NEAR(m->run.output_interval, 0.01, 0);
    CHECK_INT(m->nrecord, 2);
    CHECK_STR(m->record[1], "energy.total");
    check_vec(m->gravity, 0, 0, -9.81, 0);
    vg_model_free(m);
}

/* Two equal masses 2 m apart: m = 2, I = 2 across, 0 along. */
TEST(totals)
{
    vgModel *m = parse("verge: 1\nbodies: {a: {mass: 1, point: true, position: [0, 1, 0]}, b: {mass: 1, "
                       "point: true, position: [0, 3, 0]}}\n");
    vgModelSummary s;
    vg_model_describe(m, &s);
    CHECK_NEAR(s.mass, 2, 0);
    check_vec(s.com, 0, 2, 0, 0);
    CHECK_NEAR(s.inertia.m[0][0], 2, 0);
    CHECK_NEAR(s.inertia.m[1][1], 0, 0);
    CHECK_INT(s.points, 2);
    vg_model_free(m);
}

static void put(const char *folder, const char *name, const char *text)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    CHECK(f != NULL);
    if (!f) return;
    fputs(text, f);
    fclose(f);
}

TEST(includes)
{
    char folder[TEMPORARY_PATH], path[400], link[400];
    CHECK(temporary_folder(folder));
    put(folder, "part.yaml",
        "parameters: {m: 1, L: 2}\nbodies: {arm: {mass: m, point: true, position: [L, 0, 0]}}\n");
    put(folder, "main.yaml",
        "verge: 1\ninclude: [part.yaml]\nparameters: {m: 7}\nbodies: {base: {mass: 1, point: true}}\n");
    put(folder, "out.yaml", "verge: 1\ninclude: [link.yaml]\nbodies: {base: {mass: 1, point: true}}\n");
    snprintf(link, sizeof link, "%s/link.yaml", folder);
    CHECK_INT(symlink("/etc/passwd", link), 0);
    snprintf(path, sizeof path, "%s/main.yaml", folder);
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_load(path, NULL, 0, diag);
    CHECK(m != NULL);
    if (m) {
        CHECK_NEAR(m->body[vg_model_find_body(m, "arm")].mass, 7, 0); /* the including file wins */
        CHECK_NEAR(m->body[vg_model_find_body(m, "arm")].p0.x, 2, 0);
        vg_model_free(m);
    }
    snprintf(path, sizeof path, "%s/out.yaml", folder);
    CHECK(vg_model_load(path, NULL, 0, diag) == NULL);
    CHECK_STR(vg_diag_line(diag, 0), "'link.yaml' leads out of the model's folder");
    vg_diag_free(diag);
    static const char *const names[] = {"part.yaml", "main.yaml", "out.yaml", "link.yaml"};
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

/* The tree itself: places of values, aliases shared. */
TEST(spec_places)
{
    const char *text = "a: 1\nb: [x, \"y z\"]\nc: &k {d: 2}\ne: *k\n";
    vgPool *pool = vg_pool_new(0);
    vgDiag *diag = vg_diag_new();
    vgNode *root = vg_spec_parse(pool, text, strlen(text), vg_diag_file(diag, "f"), diag);
    CHECK(root && root->kind == VG_NODE_MAP && root->n == 4);
    vgNode *b = vg_node_get(root, "b");
    CHECK(b && b->kind == VG_NODE_LIST && b->n == 2);
    if (b) {
        CHECK_INT(b->item[1]->loc.line, 2);
        CHECK_INT(b->item[1]->loc.col, 8);
        CHECK_INT(b->item[1]->quoted, 1);
    }
    CHECK(vg_node_get(root, "c") == vg_node_get(root, "e"));
    vg_pool_free(pool);
    vg_diag_free(diag);
}

/* Values of 0.05 at most, knots a metre apart and then sixteen: the spline climbs to metres there, and the
 * reader says where. Even knots of the same values are well. */
TEST(splines_that_swing_out)
{
    static const char *const text[] = {"verge: 1\ntables: {r: {x: [0, 1, 2, 3, 19], y: [0, 0.05, -0.04, 0, "
                                       "0], interpolation: cubic}}\nbodies: {b: {mass: 1, point: true}}\n",
                                       "verge: 1\ntables: {r: {x: [0, 1, 2, 3, 4], y: [0, 0.05, -0.04, 0, "
                                       "0], interpolation: cubic}}\nbodies: {b: {mass: 1, point: true}}\n",
                                       "verge: 1\ntables: {r: {x: [0, 1, 2, 3, 19], y: [0, 0.05, -0.04, 0, "
                                       "0]}}\nbodies: {b: {mass: 1, point: true}}\n"};
    for (int k = 0; k < 3; k++) {
        vgDiag *diag = vg_diag_new();
        vgModel *m = vg_model_parse(text[k], strlen(text[k]), "m", NULL, 0, diag);
        CHECK(m != NULL);
        CHECK_INT(vg_diag_warnings(diag), k == 0);
        if (k == 0) CHECK_STR(vg_diag_line(diag, 0), "m:2:13: warning: between x = 3 and 19");
        vg_model_free(m);
        vg_diag_free(diag);
    }
}

TEST_MAIN(splines_that_swing_out, parameters_in_any_order, placement, orientations, inertia_forms,
          shapes_and_density, repeat_variants_and_if, joints_at_a_place, joints_and_drives,
          forces_and_channels, callbacks, run_and_record, totals, includes, spec_places)
