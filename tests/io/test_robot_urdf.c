/* URDF files against another engine and against closed forms, in joint and in absolute coordinates. */
#include "robot_files.h"

static const char *const both[] = {"relative", "lie"};
static const char *const bare[] = {"friction=0", "damping=0", NULL};

/* MuJoCo 3.14.0 (npm @mujoco/mujoco): mj_forward of arm.urdf at the same state, contacts, limits and friction off. */
static const vgImportStart arm_start[] = {{"yaw", 1, 1, {0.7}, {1.1}},
                                          {"reach", 1, 1, {0.15}, {-0.3}},
                                          {"wrist_1", 1, 1, {-0.4}, {2.0}},
                                          {"wrist_2", 1, 1, {0.9}, {-1.4}}};
static const char *const arm_joints[] = {"yaw", "reach", "wrist_1", "wrist_2"};

static void check_accelerations(robotSim *s, const char *const *joint, int n, const double *expected)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(expected[i]));
    for (int i = 0; i < n; i++) {
        char channel[100];
        snprintf(channel, sizeof channel, "joint.%s.acceleration", joint[i]);
        CHECK_NEAR(robot_get(s, channel), expected[i], 1e-11 * most);
    }
}

TEST(arm_moves_as_in_another_engine)
{
    static const double qacc[] = {9.865424468078807, -9.557838524675711, -33.06569875298304,
                                  -10.31524327682915};
    static const double tool[] = {0.016517212110676253, 0.07759007637343242, 0.8232857902177098};
    vgImportOptions options = {.start = arm_start, .nstart = 4};
    for (int k = 0; k < 2; k++) {
        robotSim s;
        if (robot_open(&s, "arm.urdf", &options, bare, both[k])) {
            check_accelerations(&s, arm_joints, 4, qacc);
            CHECK_NEAR(robot_get(&s, "body.tool.position.x"), tool[0], 1e-14);
            CHECK_NEAR(robot_get(&s, "body.tool.position.y"), tool[1], 1e-14);
            CHECK_NEAR(robot_get(&s, "body.tool.position.z"), tool[2], 1e-14);
            CHECK_NEAR(robot_get(&s, "body.tool.quaternion.z"), 0.9136778241859035, 1e-14);
            CHECK_NEAR(s.report.mass, 5 + 2.5 + 0.4 + 0.7 + 0.05 + 0.3, 1e-14);
        }
        robot_close(&s);
    }
}

TEST(damping_is_that_of_the_other_engine)
{
    static const double qacc[] = {5.248394312374963, -9.598700648234455, -19.380153735837894,
                                  -16.511492596947974};
    static const char *const damped[] = {"friction=0", NULL};
    vgImportOptions options = {.start = arm_start, .nstart = 4};
    for (int k = 0; k < 2; k++) {
        robotSim s;
        if (robot_open(&s, "arm.urdf", &options, damped, both[k]))
            check_accelerations(&s, arm_joints, 4, qacc);
        robot_close(&s);
    }
}

/* The base is free: the centre of mass falls with g, whatever the joints do. */
TEST(floating_base_falls)
{
    static const char *const floating[] = {"friction=0", NULL};
    vgImportOptions options = {.start = arm_start, .nstart = 4, .base = VG_BASE_FLOATING};
    for (int k = 0; k < 2; k++) {
        robotSim s;
        if (robot_open(&s, "arm.urdf", &options, floating, both[k])) {
            CHECK_NEAR(robot_get(&s, "com.acceleration.x"), 0, 1e-11);
            CHECK_NEAR(robot_get(&s, "com.acceleration.z"), -9.81, 1e-11);
        }
        robot_close(&s);
    }
}

/* A joint turns on a floating base that stands still: speeds that are given count, also where they are zero. */
TEST(floating_base_starts_at_rest)
{
    static const vgImportStart turning[] = {{"yaw", 1, 1, {0.7}, {1.1}}};
    vgImportOptions options = {.start = turning, .nstart = 1, .base = VG_BASE_FLOATING};
    for (int k = 0; k < 2; k++) {
        robotSim s;
        if (robot_open(&s, "arm.urdf", &options, bare, both[k])) {
            CHECK_NEAR(robot_get(&s, "joint.yaw.rate"), 1.1, 1e-13);
            CHECK_NEAR(robot_get(&s, "body.base.velocity.x"), 0, 1e-13);
            CHECK_NEAR(robot_get(&s, "body.base.omega.z"), 0, 1e-13);
        }
        robot_close(&s);
    }
}

/* Cranks of length l turn together, the coupler only translates: (m l² + 2 J) q̈ = −(m l + 2 m_c l_c) g sin q. */
TEST(parallelogram_with_a_loop_joint)
{
    const double q = 0.5, l = 0.4, J = 0.01 + 0.5 * 0.2 * 0.2;
    const double expected = -(2 * l + 2 * 0.5 * 0.2) * 9.81 * sin(q) / (2 * l * l + 2 * J);
    const vgImportStart start[] = {
        {"left", 1, 0, {q}, {0}}, {"right", 1, 0, {q}, {0}}, {"knee", 1, 0, {-q}, {0}}};
    vgImportOptions options = {.start = start, .nstart = 3};
    for (int k = 0; k < 2; k++) {
        robotSim s;
        if (robot_open(&s, "parallelogram.urdf", &options, NULL, both[k])) {
            CHECK_NEAR(robot_get(&s, "joint.left.acceleration"), expected, 1e-11);
            CHECK_NEAR(robot_get(&s, "joint.right.acceleration"), expected, 1e-11);
            CHECK_NEAR(robot_get(&s, "joint.knee.acceleration"), -expected, 1e-11);
            CHECK_INT(s.report.loops, 1);
        }
        robot_close(&s);
    }
}

/* Pendulums in fixed ratios r: Σ r² J q̈ = −Σ r m g l sin q. A mimic of a mimic has the product of the ratios. */
TEST(mimic_of_a_mimic)
{
    const double r[] = {1, -1.5, -3}, J[] = {0.02 + 0.25, 0.03 + 2 * 0.09, 0.01 + 0.7 * 0.04},
                 ml[] = {0.5, 0.6, 0.14};
    const double q[] = {0.2, 0.3 - 1.5 * 0.2, 2 * (0.3 - 1.5 * 0.2)};
    double inertia = 0, moment = 0;
    for (int i = 0; i < 3; i++) inertia += r[i] * r[i] * J[i], moment -= r[i] * ml[i] * 9.81 * sin(q[i]);
    const vgImportStart start[] = {
        {"a", 1, 0, {q[0]}, {0}}, {"b", 1, 0, {q[1]}, {0}}, {"c", 1, 0, {q[2]}, {0}}};
    vgImportOptions options = {.start = start, .nstart = 3};
    for (int k = 0; k < 2; k++) {
        robotSim s;
        if (robot_open(&s, "mimic.urdf", &options, NULL, both[k])) {
            CHECK_NEAR(robot_get(&s, "joint.a.acceleration"), moment / inertia, 1e-12);
            CHECK_NEAR(robot_get(&s, "joint.c.acceleration"), r[2] * moment / inertia, 1e-11);
        }
        robot_close(&s);
    }
}

/* A file is a model wherever a model is expected; the text that `import` writes is the same model. */
TEST(a_robot_file_is_a_model)
{
    char path[1000];
    vgDiag *diag = vg_diag_new();
    snprintf(path, sizeof path, "%s/tests/io/robots/arm.urdf", VERGE_SOURCE_DIR);
    vgModel *direct = vg_load(path, bare, diag);
    vgSim *sim = NULL;
    robotSim written;
    CHECK(direct && vg_sim_new(direct, NULL, diag, &sim) == VG_OK);
    if (robot_open(&written, "arm.urdf", NULL, bare, NULL) && sim) {
        double value = NAN;
        CHECK(vg_sim_get(sim, "joint.yaw.acceleration", &value) == VG_OK);
        CHECK_NEAR(value, robot_get(&written, "joint.yaw.acceleration"), 1e-12);
        CHECK_STR(written.text, "# arm.urdf:");
        CHECK_STR(written.text, "mass_block");
    }
    robot_close(&written);
    vg_sim_free(sim);
    vg_model_free(direct);
    vg_diag_free(diag);
}

/* The delta robot swings into its stops for ten seconds, with its dampers: E + dissipated stays, loops stay closed. */
TEST(loops_swing_for_ten_seconds)
{
    static const char *const set[] = {"actuators=0", NULL};
    char path[1000];
    vgDiag *diag = vg_diag_new();
    vgSim *sim = NULL;
    vgSimOptions dials = {.coordinates = "relative", .integrator = "dopri5:rtol=1e-9,atol=1e-10"};
    double before = NAN, most = 0, open = 0, taken = NAN;
    snprintf(path, sizeof path, "%s/models/robots/delta.urdf", VERGE_SOURCE_DIR);
    vgModel *m = vg_load(path, set, diag);
    CHECK(m && vg_sim_new(m, &dials, diag, &sim) == VG_OK);
    if (sim) CHECK(vg_sim_get(sim, "energy.total", &before) == VG_OK);
    if (sim) CHECK(vg_sim_get(sim, "energy.dissipated", &taken) == VG_OK); /* the sum begins */
    for (int k = 1; sim && k <= 100; k++) {
        double total = NAN, gap = NAN;
        CHECK(vg_sim_advance(sim, 0.1 * k) == VG_OK);
        vg_sim_get(sim, "energy.total", &total);
        vg_sim_get(sim, "energy.dissipated", &taken);
        vg_sim_get(sim, "constraint.position", &gap);
        most = fmax(most, fabs(total + taken - before));
        open = fmax(open, gap);
    }
    CHECK(taken > 1);
    CHECK_NEAR(most / taken, 0, 1e-6);
    CHECK_NEAR(open, 0, 1e-10);
    vg_sim_free(sim);
    vg_model_free(m);
    vg_diag_free(diag);
}

/* Without damping, drives and stops the shipped robots keep their energy, and their loops stay closed. */
TEST(shipped_robots_keep_energy_and_loops)
{
    static const struct {
        const char *file;
        const char *set[4];
    } robot[] = {{"arm-gripper.urdf", {"damping=0", "actuators=0", "limits=0"}},
                 {"delta.urdf", {"damping=0", "actuators=0", "limits=0"}},
                 {"quadruped.xml", {"damping=0", "actuators=0", "limits=0"}}};
    for (size_t i = 0; i < sizeof robot / sizeof *robot; i++) {
        char path[1000];
        vgDiag *diag = vg_diag_new();
        vgSim *sim = NULL;
        vgSimOptions dials = {.coordinates = "relative", .integrator = "dopri5:rtol=1e-9,atol=1e-9"};
        double before = NAN, after = NAN, open = NAN, kinetic = NAN;
        snprintf(path, sizeof path, "%s/models/robots/%s", VERGE_SOURCE_DIR, robot[i].file);
        vgModel *m = vg_load(path, robot[i].set, diag);
        CHECK(m && vg_sim_new(m, &dials, diag, &sim) == VG_OK);
        if (sim) {
            CHECK(vg_sim_get(sim, "energy.total", &before) == VG_OK);
            CHECK(vg_sim_advance(sim, 0.15) == VG_OK);
            vg_sim_get(sim, "energy.total", &after);
            vg_sim_get(sim, "energy.kinetic", &kinetic);
            vg_sim_get(sim, "constraint.position", &open);
        }
        CHECK(kinetic > 0.05);
        CHECK_NEAR(after, before, 1e-7 * kinetic);
        CHECK_NEAR(open, 0, 1e-10);
        vg_sim_free(sim);
        vg_model_free(m);
        vg_diag_free(diag);
    }
}

static void refused(const char *text, const char *why)
{
    robot_refused("bad.urdf", text, why);
}

/* A link of 1 kg at (0.5, 0, 0), its inertia 0.1 about the centre, on the link before it by a hinge about y. */
#define MOVED(name, before, more)                                                                            \
    "<link name='" name                                                                                      \
    "'><inertial><origin xyz='0.5 0 0'/><mass value='1'/><inertia ixx='0.1' iyy='0.1' izz='0.1' "            \
    "ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='" name                                          \
    "_j' type='continuous'><parent link='" before "'/><child link='" name "'/><axis xyz='0 1 0'/>" more      \
    "</joint>"

/* A link without mass that mimics another joint moves with it, and changes no motion; so does one that follows it. */
TEST(massless_leaf_follows_what_it_mimics)
{
    static const char text[] = "<robot name='r'><link name='w'/>" MOVED(
        "p", "w",
        "") "<link name='t'/><link name='u'/><joint name='k' "
            "type='continuous'><origin xyz='1 0 0'/><parent link='p'/><child link='t'/><axis xyz='0 1 "
            "0'/><mimic joint='p_j' "
            "multiplier='-2' offset='0.1'/></joint><joint name='l' type='continuous'><origin xyz='1 0 "
            "0'/><parent link='t'/>"
            "<child link='u'/><axis xyz='0 1 0'/><mimic joint='k' multiplier='0.5'/></joint></robot>";
    for (int c = 0; c < 2; c++) {
        robotSim s;
        if (robot_parse(&s, text, NULL, both[c])) {
            CHECK(s.report.changed == 0 && s.report.ignored == 0);
            CHECK_NEAR(robot_get(&s, "joint.p_j.acceleration"), 9.81 * 0.5 / (0.1 + 0.25), 1e-12);
            CHECK(vg_sim_advance(s.sim, 0.3) == VG_OK);
            double p = robot_get(&s, "joint.p_j.angle"); /* x of u: cos p + cos(p + k), k = 0.1 − 2 p */
            CHECK(fabs(p) > 0.1);
            CHECK_NEAR(robot_get(&s, "body.u.position.x"), cos(p) + cos(0.1 - p), 1e-10);
        }
        robot_close(&s);
    }
}

/* Planes with any normal, orientations by quaternions: a body of 2 kg that slides down a plane about x accelerates by
 * g along it. */
TEST(planar_joint_with_its_own_normal)
{
    static const char text[] = "<robot name='r'><link name='w'/><link name='a'><inertial><mass "
                               "value='2'/><inertia ixx='0.1' iyy='0.2' izz='0.3' "
                               "ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='j' "
                               "type='planar'><origin quat_xyzw='0 0 0.6 0.8'/>"
                               "<parent link='w'/><child link='a'/><axis xyz='0 3 4'/></joint></robot>";
    /* normal (0, 0.6, 0.8) turned about z by the quaternion: cos 0.28, sin 0.96; a = g − (g·n) n */
    const double n[3] = {-0.96 * 0.6, 0.28 * 0.6, 0.8};
    for (int c = 0; c < 2; c++) {
        robotSim s;
        if (robot_parse(&s, text, NULL, both[c])) {
            CHECK_NEAR(robot_get(&s, "body.a.acceleration.x"), 9.81 * 0.8 * n[0], 1e-12);
            CHECK_NEAR(robot_get(&s, "body.a.acceleration.y"), 9.81 * 0.8 * n[1], 1e-12);
            CHECK_NEAR(robot_get(&s, "body.a.acceleration.z"), 9.81 * 0.8 * n[2] - 9.81, 1e-12);
            CHECK_NEAR(robot_get(&s, "body.a.quaternion.z"), 0.6, 1e-14);
        }
        robot_close(&s);
    }
}

TEST(what_is_wrong_is_refused_with_a_place)
{
    refused("<robot name='r'><link name='a'/>",
            "bad.urdf:1:1: error: this is not XML: the element that begins here");
    refused("<robot name='r'>\n <link name='a'/>\n <link name='b'/>\n</robot>",
            "bad.urdf:3:2: error: there are two root links");
    refused("<robot name='r'><xacro:include filename='x'/></robot>", "xacro FILE.xacro > FILE.urdf");
    refused("<!DOCTYPE r [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><robot name='&b;'/>",
            "a document type with declarations");
    refused("<robot name='&bomb;'/>", "an unknown entity");
    refused("<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='revolut'><parent "
            "link='a'/><child link='b'/></joint></robot>",
            "did you mean 'revolute'?");
    refused("<robot name='r'><link name='a'/><link name='a'/></robot>", "link 'a' is there twice");
    refused("<robot name='r'><link name='a'/><joint name='j' type='fixed'><parent link='a'/><child "
            "link='c'/></joint></robot>",
            "has an unknown child 'c'");
    refused("<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='fixed'><parent "
            "link='a'/><child link='b'/></joint><joint name='k' type='fixed'><parent link='b'/><child "
            "link='a'/></joint></robot>",
            "the joints form a circle");
    refused("<robot name='r'><link name='a'><inertial><mass value='x'/></inertial></link></robot>",
            "1 number expected, got 'x'");
    refused("<robot name='r'><link name='a'><xacro:x/></link></robot>", "xacro FILE.xacro > FILE.urdf");
    refused("<robot name='r'>\n<link name='${n}'/></robot>", "bad.urdf:2:7: error: name=\"${n}\" is xacro");
    refused("<robot name='r'><link name='a'/>" MOVED("b", "a", "<mimic joint='c_j'/>")
                MOVED("c", "a", "<mimic joint='b_j'/>") "</robot>",
            "joint 'b_j' mimics itself over other joints");
    refused(
        "<robot name='r'><link name='a'/>" MOVED(
            "b", "a",
            "") "<joint name='k' type='revolute'><parent "
                "link='b'/><child link='c'/></joint><link name='c'/>\n<transmission name='t'><joint "
                "name='k'/></transmission></robot>",
        "bad.urdf:2:1: error: joint 'k' moves link 'c', behind which nothing has mass, and a transmission");
    refused("<robot name='r'><link name='a'/><link name='b'><inertial><mass "
            "value='1'/></inertial></link><joint name='k' "
            "type='revolute'><parent link='a'/><child link='b'/></joint></robot>",
            "link 'b' turns about joint 'k' without inertia");
    refused("<sdf version='1.6'/>", "SDF is not read");
    refused("<robot name='r'><link name='a'></robot>", "</link> was expected");
}

/* A joint behind which nothing has mass is held, and reported; the others move. */
TEST(massless_leaf_is_held_and_reported)
{
    static const char text[] =
        "<robot name='r'><link name='w'/><joint name='swing' type='continuous'><parent link='w'/><child "
        "link='p'/><axis xyz='0 1 0'/></joint><link name='p'><inertial><origin xyz='0.5 0 0'/><mass "
        "value='1'/><inertia ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' izz='0.1'/></inertial></link><joint "
        "name='spin' type='continuous'><parent link='p'/><child link='tip'/><axis xyz='1 0 0'/></joint><link "
        "name='tip'/></robot>";
    vgPool *pool = vg_pool_new(0);
    vgDiag *diag = vg_diag_new();
    vgImportReport report = {0};
    char *yaml = NULL;
    int told = 0;
    CHECK(vg_import_spec(pool, text, sizeof text - 1, "r.urdf", NULL, NULL, diag, &report, &yaml) != NULL);
    for (int i = 0; i < report.n; i++) told |= strstr(report.note[i].text, "'spin' moves link 'tip'") != NULL;
    CHECK(told);
    vgModel *m = yaml ? vg_parse(yaml, strlen(yaml), "r", NULL, diag) : NULL;
    vgSim *sim = NULL;
    double value = NAN;
    CHECK(m && vg_sim_new(m, NULL, diag, &sim) == VG_OK);
    if (sim) CHECK(vg_sim_get(sim, "joint.swing.acceleration", &value) == VG_OK);
    CHECK_NEAR(value, 9.81 * 0.5 / (0.1 + 0.25), 1e-12);
    vgImportOptions strict = {.strict = 1};
    CHECK(!vg_import_spec(pool, text, sizeof text - 1, "r.urdf", NULL, &strict, diag, NULL, NULL));
    vg_sim_free(sim);
    vg_model_free(m);
    vg_diag_free(diag);
    vg_pool_free(pool);
}

/* Meshes of packages: found above the file, given by their folder, reported where they are not. */
TEST(meshes_of_packages)
{
    static const char *const given[] = {"elsewhere=" VERGE_SOURCE_DIR "/tests/io/robots/meshes"};
    for (int k = 0; k < 2; k++) {
        char path[1000];
        vgPool *pool = vg_pool_new(0);
        vgDiag *diag = vg_diag_new();
        vgImportReport report = {0};
        vgImportOptions options = {.package = given, .npackage = k};
        snprintf(path, sizeof path, "%s/tests/io/robots/meshed.urdf", VERGE_SOURCE_DIR);
        const char *text = vg_import_file(pool, path, &options, diag, &report), *at = text;
        int meshes = 0, missing = 0, other = 0;
        CHECK_STR(text, "scale: 0.001, position: [0, 0, 0.1]");
        while (at && (at = strstr(at, "mesh: /")) != NULL) meshes++, at++;
        for (int i = 0; i < report.n; i++) {
            missing += strstr(report.note[i].text, "--package NAME=FOLDER") != NULL;
            other += strstr(report.note[i].text, "STL and OBJ files are read") != NULL;
        }
        CHECK(meshes == 1 + k && missing == 1 - k && other == 1);
        vg_diag_free(diag);
        vg_pool_free(pool);
    }
}

TEST_MAIN(meshes_of_packages, massless_leaf_follows_what_it_mimics, planar_joint_with_its_own_normal,
          arm_moves_as_in_another_engine, damping_is_that_of_the_other_engine, floating_base_falls,
          floating_base_starts_at_rest, parallelogram_with_a_loop_joint, mimic_of_a_mimic,
          a_robot_file_is_a_model, shipped_robots_keep_energy_and_loops, loops_swing_for_ten_seconds,
          what_is_wrong_is_refused_with_a_place, massless_leaf_is_held_and_reported)
