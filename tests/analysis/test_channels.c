/* Channels and energies on a system that is nothing but a given motion, so that every expected number is a
 * closed form of that motion. */
#include "analysis/channels/channels.h"

#include <stdlib.h>

#include "analysis/channels/energy.h"
#include "math/rotpar.h"
#include "math/so3.h"
#include "test.h"

enum { NBODY = 2, NJOINT = 2 };

/* ---- a force kind: a spring-damper along world x on body 0, F = −k x − c v, and what it tells ---- */

static const double stiffness = 30, damping = 0.7;

static void pull_eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    (void)def;
    out->f[0] -= stiffness * in->kin[0]->p.x + damping * in->kin[0]->v.x;
}

static double pull_energy(const void *def, const vgForceIn *in)
{
    (void)def;
    return 0.5 * stiffness * in->kin[0]->p.x * in->kin[0]->p.x;
}

static void pull_output(const void *def, const vgForceIn *in, double *values)
{
    (void)def;
    values[0] = in->law_inputs[0][1]; /* rate of measure 0 through the law's external input */
    values[1] = in->t;
}

static const char *const pull_outputs[] = {"force", "clock", NULL};
static const vgForceKind pull = {
    .name = "pull", .eval = pull_eval, .energy = pull_energy, .outputs = pull_outputs, .output = pull_output};
static const vgLaw pull_law = {.ninput = 2, .slot = {0, VG_LAW_LOCAL + 1}};

/* ---- the model ---- */

static vgBody body[NBODY];
static vgMarker marker[2];
static vgJoint joint[NJOINT];
static vgForce force[1];
static vgNamedMeasure measure[3];
static vgPrim prim[2];
static vgModel model;
static const unsigned char row_level[] = {0, 0, 1};
static const int row_joint[] = {0, 0, 1};

/* ---- the system ---- */

static vgKin motion[NBODY];

static const vgKin *kinematics(const vgSystem *s, vgWork *w, double t, const double *q, const double *v,
                               const double *a)
{
    (void)s, (void)w, (void)t, (void)q, (void)v, (void)a;
    return motion;
}

static void reaction(const vgSystem *s, vgWork *w, double t, const double *lambda, int j, double wrench[6])
{
    (void)s, (void)w, (void)t, (void)lambda;
    for (int i = 0; i < 6; i++) wrench[i] = (j + 1) * (i + 1);
}

static void levels(const vgSystem *s, vgWork *w, double t, const double *q, const double *v, const double *a,
                   double *phi, double *phi_dot, double *phi_ddot)
{
    (void)s, (void)w, (void)t, (void)q, (void)v, (void)a;
    double rows[3][3] = {{1e-3, -2e-3, 99}, {0.1, 0.2, -0.3}, {5, 4, 3}};
    for (int i = 0; i < 3; i++) phi[i] = rows[0][i], phi_dot[i] = rows[1][i], phi_ddot[i] = rows[2][i];
}

static const vgSystemOps ops = {.kinematics = kinematics, .reaction = reaction, .levels = levels};
static vgSystem sys;
static vgWork work;
static double lambda[] = {7, 8, 9}, turn[3];
static vgState state = {.lambda = lambda, .turn = turn};

static vgNames *names_of(int n, const char *const *list)
{
    vgNames *names = vg_names_new();
    for (int i = 0; i < n; i++) vg_names_add(names, list[i], NULL, NULL);
    return names;
}

static void build(int planar)
{
    static const char *const body_names[] = {"crank", "rod"}, *const joint_names[] = {"O", "O.drive"};
    static const char *const marker_names[] = {"crank.tip", "ground.S"}, *const force_names[] = {"pull"};
    static const char *const measure_names[] = {"joint.O.angle", "body.crank.angle", "body.rod.angle"};
    vgFrame here = {0, {0.1, 0.2, 0.3}, vg_eye3()},
            ground = {-1, {1, 2, 3}, vg_angles_to_mat(vg_v3(0, 0, 0.4))};
    vgSelect rigid = planar ? (vgSelect){3, {0, 1, 5}} : (vgSelect){6, {0, 1, 2, 3, 4, 5}};
    body[0] = (vgBody){.name = "crank",
                       .select = rigid,
                       .mass = 2,
                       .inertia = vg_diag3(0.1, 0.2, 0.3),
                       .com = {0.5, -0.25, planar ? 0 : 0.125},
                       .element = -1,
                       .theta0 = 6.5};
    body[1] =
        (vgBody){.name = "rod", .select = rigid, .mass = 3, .inertia = vg_diag3(1, 1, 1), .element = -1};
    marker[0] = (vgMarker){"crank.tip", here};
    marker[1] = (vgMarker){"ground.S", ground};
    joint[0] = (vgJoint){.name = "O",
                         .def = {.A = ground, .B = here},
                         .a = -1,
                         .b = 0,
                         .nprim = 1,
                         .ncoord = 1,
                         .drive_of = -1};
    joint[1] = (vgJoint){.name = "O.drive", .a = -1, .b = 0, .prim0 = 1, .nprim = 1, .drive_of = 0};
    prim[0] = (vgPrim){.kind = VG_PRIM_COINCIDE, .rows = 2};
    prim[1] = (vgPrim){.kind = VG_PRIM_MEASURE, .rows = 1, .nterm = 1, .k = {2}, .measure = {0}};
    force[0] = (vgForce){
        .name = "pull", .kind = &pull, .setup = {.nbody = 1, .body = {0}, .nlaw = 1, .law = {&pull_law}}};
    measure[0] = (vgNamedMeasure){"joint.O.angle",
                                  "rad",
                                  {.kind = VG_MEASURE_ANGLE,
                                   .A = {-1, {0, 0, 0}, vg_eye3()},
                                   .B = {0, {0, 0, 0}, vg_eye3()},
                                   .planar = planar,
                                   .turn = 0}};
    for (int i = 0; i < NBODY; i++)
        measure[1 + i] = (vgNamedMeasure){measure_names[1 + i],
                                          "rad",
                                          {.kind = VG_MEASURE_ROTATION,
                                           .A = {-1, {0, 0, 0}, vg_eye3()},
                                           .B = {i, {0, 0, 0}, vg_eye3()},
                                           .planar = planar,
                                           .turn = 1 + i}};
    model = (vgModel){.planar = planar,
                      .gravity = {0, -10, 0},
                      .nbody = NBODY,
                      .body = body,
                      .nmarker = 2,
                      .marker = marker,
                      .njoint = NJOINT,
                      .joint = joint,
                      .nprim = 2,
                      .prim = prim,
                      .nforce = 1,
                      .force = force,
                      .nmeasure = planar ? 3 : 1,
                      .measure = measure,
                      .nturn = planar ? 3 : 1,
                      .body_names = names_of(2, body_names),
                      .joint_names = names_of(2, joint_names),
                      .force_names = names_of(1, force_names),
                      .marker_names = names_of(2, marker_names),
                      .measure_names = names_of(planar ? 3 : 1, measure_names)};
    sys = (vgSystem){
        .ops = &ops, .model = &model, .nl = 3, .nphi = 3, .row_level = row_level, .row_joint = row_joint};
    for (int i = 0; i < NBODY; i++) motion[i] = (vgKin){.R = vg_eye3()};
    state.t = 0;
}

static void drop(void)
{
    vg_names_free((vgNames *)model.body_names);
    vg_names_free((vgNames *)model.joint_names);
    vg_names_free((vgNames *)model.force_names);
    vg_names_free((vgNames *)model.marker_names);
    vg_names_free((vgNames *)model.measure_names);
}

static double value_of(const char *name)
{
    vgChannels *c;
    double value = NAN;
    vgDiag *diag = vg_diag_new();
    if (vg_channels_new(&sys, &name, 1, diag, &c) == VG_OK) {
        if (vg_channels_count(c) == 1) vg_channels_eval(c, &work, &state, &value);
        vg_channels_free(c);
    } else {
        printf("%s\n", vg_diag_line(diag, 0));
    }
    vg_diag_free(diag);
    return value;
}

/* A body that turns about a fixed axis through the user's origin, which itself moves with p = p0 + v t + ½ b
 * t². */
TEST(body_and_marker)
{
    build(0);
    vgVec3 p0 = {1, 2, 3}, v = {0.4, -0.3, 0.2}, b = {0.6, 0.5, -0.7};
    vgVec3 axis = vg_unit3(vg_v3(1, -2, 0.5));
    double t = 0.8, rate = 1.3, turn_acc = 0.9, angle = 0.2 + rate * t + 0.5 * turn_acc * t * t;
    double w = rate + turn_acc * t;
    vgMat3 R = vg_so3_exp(vg_scale3(axis, angle));
    vgVec3 origin = vg_axpy3(0.5 * t * t, b, vg_axpy3(t, v, p0)), dorigin = vg_axpy3(t, b, v);
    vgVec3 com = body[0].com, w_B = vg_scale3(axis, w),
           dw_B = vg_scale3(axis, turn_acc); /* axis fixed in both */
    vgVec3 arm = vg_mv3(R, com);
    motion[0] = (vgKin){.p = vg_add3(origin, arm), .R = R, .w = w_B, .dw = dw_B};
    motion[0].v = vg_add3(dorigin, vg_cross3(w_B, arm)); /* R w_B = w_B along the axis */
    motion[0].dv = vg_add3(b, vg_add3(vg_cross3(dw_B, arm), vg_cross3(w_B, vg_cross3(w_B, arm))));
    state.t = t;
    CHECK_NEAR(value_of("body.crank.position.x"), origin.x, 1e-14);
    CHECK_NEAR(value_of("body.crank.position.z"), origin.z, 1e-14);
    CHECK_NEAR(value_of("body.crank.velocity.y"), dorigin.y, 1e-14);
    CHECK_NEAR(value_of("body.crank.acceleration.x"), b.x, 1e-14);
    CHECK_NEAR(value_of("body.crank.acceleration.z"), b.z, 1e-14);
    CHECK_NEAR(value_of("body.crank.omega.x"), w_B.x, 0);
    CHECK_NEAR(value_of("body.crank.alpha.y"), dw_B.y, 0);
    CHECK_NEAR(value_of("body.crank.quaternion.w"), cos(angle / 2), 1e-14);
    CHECK_NEAR(value_of("body.crank.quaternion.y"), axis.y * sin(angle / 2), 1e-14);
    vgMat3 back = vg_angles_to_mat(vg_v3(value_of("body.crank.rotation.x"), value_of("body.crank.rotation.y"),
                                         value_of("body.crank.rotation.z")));
    CHECK_NEAR(vg_mmax3(vg_msub3(back, R)), 0, 1e-14);
    vgVec3 r = vg_mv3(R, marker[0].frame.r);
    CHECK_NEAR(value_of("marker.crank.tip.position.y"), origin.y + arm.y + r.y, 1e-14);
    vgVec3 tip_v = vg_add3(dorigin, vg_cross3(w_B, vg_add3(arm, r)));
    CHECK_NEAR(value_of("marker.crank.tip.velocity.z"), tip_v.z, 1e-14);
    CHECK_NEAR(value_of("marker.ground.S.position.z"), 3, 0);
    CHECK_NEAR(value_of("time"), 0.8, 0);
    double poses[7 * NBODY];
    vgChannels *c;
    CHECK_INT(vg_channels_all(&sys, &c), VG_OK);
    vg_probe_at(vg_channels_probe(c), &work, &state);
    CHECK_INT(vg_poses_count(&model), 2);
    CHECK(vg_poses_visible(&model, 1));
    vg_poses_eval(vg_channels_probe(c), poses);
    CHECK_NEAR(poses[1], origin.y, 1e-14);
    CHECK_NEAR(poses[3], cos(angle / 2), 1e-14);
    CHECK_NEAR(poses[7 + 3], 1, 0);
    vg_channels_free(c);
    drop();
}

TEST(joint_channels)
{
    build(0);
    double angle = 2.5, rate = -3;
    motion[0].R = vg_so3_exp(vg_v3(0, 0, angle));
    motion[0].w = vg_v3(0, 0, rate);
    motion[0].dw = vg_v3(0, 0, 11);
    turn[0] = 4 * 3.14159265358979323846; /* two turns ago */
    CHECK_NEAR(value_of("joint.O.angle"), angle + turn[0], 1e-13);
    CHECK_NEAR(value_of("joint.O.rate"), rate, 1e-14);
    CHECK_NEAR(value_of("joint.O.acceleration"), 11, 1e-13);
    /* reaction (1, 2, 3; 4, 5, 6) in W seen from axes turned by 0.4 about z */
    CHECK_NEAR(value_of("joint.O.force.x"), cos(0.4) + 2 * sin(0.4), 1e-14);
    CHECK_NEAR(value_of("joint.O.force.y"), -sin(0.4) + 2 * cos(0.4), 1e-14);
    CHECK_NEAR(value_of("joint.O.torque.z"), 6, 1e-14);
    CHECK_NEAR(value_of("joint.O.drive.torque.z"), 12, 1e-14); /* the frame of the driven joint */
    CHECK_NEAR(value_of("joint.O.lambda.1"), 8, 0);
    CHECK_NEAR(value_of("joint.O.drive.lambda.0"), 9, 0);
    CHECK_NEAR(value_of("force.pull.force"), rate, 1e-14);
    CHECK_NEAR(value_of("force.pull.clock"), 0, 0);
    /* levels: rows of velocity level do not count at position level */
    CHECK_NEAR(value_of("constraint.position"), 2e-3, 0);
    CHECK_NEAR(value_of("constraint.velocity"), 0.3, 0);
    CHECK_NEAR(value_of("constraint.acceleration"), 5, 0);
    CHECK_NEAR(value_of("constraint.O.velocity"), 0.2, 0);
    CHECK_NEAR(value_of("constraint.O.drive.position"), 0, 0);
    CHECK_NEAR(value_of("constraint.O.drive.acceleration"), 3, 0);
    drop();
}

TEST(energy)
{
    build(0);
    motion[0].p = vg_v3(0.5, 2, 0), motion[0].v = vg_v3(1, 2, 3), motion[0].w = vg_v3(1, 2, 3);
    motion[0].R = vg_angles_to_mat(vg_v3(0.3, 0.2, 0.1));
    motion[1].p = vg_v3(0, -1, 4), motion[1].v = vg_v3(0, 5, 0);
    double T0 = 0.5 * 2 * 14 + 0.5 * (0.1 + 0.8 + 2.7), T1 = 0.5 * 3 * 25, V = 0.5 * 30 * 0.25;
    CHECK_NEAR(value_of("energy.kinetic"), T0 + T1, 1e-13);
    CHECK_NEAR(value_of("energy.potential.gravity"), 2 * 10 * 2 - 3 * 10, 1e-13);
    CHECK_NEAR(value_of("energy.potential.pull"), V, 1e-14);
    CHECK_NEAR(value_of("energy.potential"), 10 + V, 1e-13);
    CHECK_NEAR(value_of("energy.total"), T0 + T1 + 10 + V, 1e-13);
    CHECK_NEAR(value_of("com.position.z"), 12.0 / 5, 1e-15);
    CHECK_NEAR(value_of("com.velocity.y"), (2 * 2 + 3 * 5) / 5.0, 1e-15);
    CHECK_NEAR(value_of("momentum.y"), 19, 1e-14);
    /* x × p of both: (0.5,2,0)×(2,4,6) + (0,−1,4)×(0,15,0), and the spin R J ω */
    vgVec3 spin = vg_mv3(motion[0].R, vg_v3(0.1, 0.4, 0.9));
    CHECK_NEAR(value_of("momentum.angular.x"), 12 - 60 + spin.x, 1e-13);
    CHECK_NEAR(value_of("momentum.angular.z"), 2 - 4 + spin.z, 1e-13);
    drop();
}

/* x = e^(−t/2): the damper takes ∫ c v² dt = c/4 (1 − e^(−t)); the drive with λ = 9 turns at a steady rate.
 */
TEST(work_sums)
{
    double error[2];
    for (int level = 0; level < 2; level++) {
        build(0);
        const char *names[] = {"energy.dissipated", "energy.drives"};
        vgChannels *c;
        CHECK_INT(vg_channels_new(&sys, names, 2, NULL, &c), VG_OK);
        CHECK(vg_channels_wants_steps(c));
        int n = level ? 400 : 200;
        double row[2] = {0, 0};
        for (int i = 0; i <= n; i++) {
            double t = 2.0 * i / n;
            state.t = t;
            motion[0].p.x = exp(-t / 2);
            motion[0].v.x = -0.5 * exp(-t / 2);
            motion[0].w.z = -1.5;
            if (i % 10)
                vg_channels_step(c, &work, &state);
            else
                vg_channels_eval(c, &work, &state, row);
        }
        error[level] = fabs(row[0] - 0.25 * damping * (1 - exp(-2)));
        CHECK_NEAR(row[0], 0.25 * damping * (1 - exp(-2)), 1e-4 / (level ? 4 : 1));
        CHECK_NEAR(row[1], -9 * 2 * -1.5 * 2, 1e-12); /* −λ k ṁ t */
        vg_channels_free(c);
        drop();
    }
    CHECK(error[0] / error[1] > 3.8); /* at least second order, from the first interval */
}

static int count_of(const char *pattern)
{
    vgChannels *c;
    if (vg_channels_new(&sys, &pattern, 1, NULL, &c) != VG_OK) return -1;
    int n = vg_channels_count(c);
    vg_channels_free(c);
    return n;
}

TEST(patterns)
{
    build(0);
    CHECK_INT(count_of("body.*.position.x"), 2);
    CHECK_INT(count_of("*.position.x"), 2 + 2 + 1); /* bodies, markers, com */
    CHECK_INT(count_of("body.crank.*"), 9 + 3 + 4 + 3 + 3);
    CHECK_INT(count_of("joint.O.*.z"), 4); /* the joint and its drive */
    CHECK_INT(count_of("nothing.*"), -1);
    /* a vector stands for its components */
    CHECK_INT(count_of("joint.O.force"), 3);
    CHECK_INT(count_of("body.crank.quaternion"), 4);
    CHECK_INT(count_of("body.crank"), -1);
    const char *twice[] = {"time", "body.crank.position.x", "body.*.position.x", "time"};
    vgChannels *c;
    CHECK_INT(vg_channels_new(&sys, twice, 4, NULL, &c), VG_OK);
    CHECK_INT(vg_channels_count(c), 3);
    CHECK_STR(vg_channels_name(c, 2), "body.rod.position.x");
    CHECK_STR(vg_channels_unit(c, 2), "m");
    vg_channels_free(c);
    /* every listed channel can be asked for by its name, once */
    CHECK_INT(vg_channels_all(&sys, &c), VG_OK);
    for (int i = 0; i < vg_channels_count(c); i++) CHECK_INT(count_of(vg_channels_name(c, i)), 1);
    double *row = malloc((size_t)vg_channels_count(c) * sizeof *row);
    vg_channels_eval(c, &work, &state, row);
    free(row);
    vg_channels_free(c);
    drop();
}

TEST(planar)
{
    build(1);
    CHECK_INT(count_of("body.crank.*"), 6 + 3);
    CHECK_INT(count_of("joint.O.force.*"), 2);
    CHECK_INT(count_of("joint.O.torque.*"), 1);
    CHECK_INT(count_of("joint.O.torque"), 1);
    CHECK_INT(count_of("com.*.*"), 6);
    CHECK_INT(count_of("momentum.*"), 3);
    /* turns are counted by the state, whenever the channel is looked at */
    turn[1] = 6 * 3.14159265358979323846;
    motion[0].R = vg_so3_exp(vg_v3(0, 0, 0.5));
    CHECK_NEAR(value_of("body.crank.angle"), turn[1] + 0.5, 1e-13);
    drop();
}

static void check_message(const char *name, const char *message)
{
    vgDiag *diag = vg_diag_new();
    vgChannels *c;
    CHECK_INT(vg_channels_new(&sys, &name, 1, diag, &c), VG_BAD_INPUT);
    CHECK(c == NULL);
    CHECK_INT(vg_diag_errors(diag), 1);
    CHECK_STR(vg_diag_count(diag) ? vg_diag_line(diag, 0) : "", message);
    vg_diag_free(diag);
}

TEST(did_you_mean)
{
    build(0);
    check_message("body.crnk.position.x", "did you mean 'body.crank.position.x'?");
    check_message("body.crank.positon.x", "did you mean 'body.crank.position.x'?");
    check_message("bdy.crank.position.x", "did you mean 'body.crank.position.x'?");
    check_message("joint.O.x", "did you mean 'joint.O.force.x'?");
    check_message("joint.O.angel", "did you mean 'joint.O.angle'?");
    check_message("energy.kinteic", "did you mean 'energy.kinetic'?");
    check_message("constraint.O.positon", "did you mean 'constraint.O.position'?");
    check_message("constraint.positon", "did you mean 'constraint.position'?");
    check_message("body.zzzzzzzz.position.x", "there is no body 'zzzzzzzz'");
    check_message("joint.O", "unknown channel 'joint.O'");
    check_message("q", "unknown channel 'q'");
    check_message("", "unknown channel ''");
    check_message("body", "unknown channel 'body'");
    check_message("time.x", "unknown channel 'time.x'");
    check_message("nope.*", "no channel matches 'nope.*'");
    drop();
}

TEST_MAIN(body_and_marker, joint_channels, energy, work_sums, patterns, planar, did_you_mean)
