/* MJCF files whose joints and inertias stand in frames, with parts of lists, shells, springs of balls and flags, against the
 * format's own engine; sensors and what a file turns off. */
#include "robot_files.h"

static const char *const both[] = {"relative", "lie"};

/* MuJoCo 3.14.0 (npm @mujoco/mujoco): mj_forward of frames.xml at this state, with controls, without constraints; the equality
 * of one joint holds `lock` where it is and touches no other body. */
static const vgImportStart start[] = {
    {"swing", 1, 1, {0.3}, {0.7}},
    {"roll", 1, 1, {-0.4}, {-1.1}},
    {"twist", 1, 1, {0.5}, {0.9}},
    {"pivot", 4, 3, {0.8, 0.36, -0.48, 0}, {0.5, -0.8, 1.2}},
    {"fly",
     7,
     6,
     {2.1, 0.2, 0.9, 0.92338051687663869, 0.10259783520851541, -0.30779350562554619, 0.20519567041703082},
     {0.3, 0.1, -0.4, 0.6, -0.2, 0.5}},
    {"lever", 1, 1, {0.6}, {-0.9}},
    {"lock", 1, 1, {0.42453292519943295}, {0}},
};
static const struct {
    const char *channel;
    double value;
} expected[] = {
    {"joint.swing.acceleration", -11.74145201939974},
    {"joint.roll.acceleration", 39.01104821076683},
    {"joint.twist.acceleration", -1.1015088280941931},
    {"joint.lever.acceleration", 42.16309549503837},
    {"body.ball.acceleration.x", 0.6197316864779641},
    {"body.ball.acceleration.y", -2.6958601898498338},
    {"body.ball.acceleration.z", -9.901671100190311},
    {"body.ball.alpha.x", -13.41547403884324},
    {"body.ball.alpha.y", 14.38567669315998},
    {"body.ball.alpha.z", -3.7553794765902198},
    {"body.drone.acceleration.x", -3.742355550041662},
    {"body.drone.acceleration.y", -5.241896102141902},
    {"body.drone.acceleration.z", 0.2234676064069241},
    {"body.drone.alpha.x", 4.787734475317365},
    {"body.drone.alpha.y", 53.48940786868754},
    {"body.drone.alpha.z", 4.9475379299039535},
    {"joint.lock.acceleration", 0},
};

TEST(frames_lists_shells_and_balls)
{
    vgImportOptions options = {.start = start, .nstart = 7};
    for (int k = 0; k < 2; k++) {
        robotSim s;
        if (robot_open(&s, "frames.xml", &options, NULL, both[k])) {
            CHECK_NEAR(s.report.mass, 15.83299063612112, 1e-13);
            CHECK(vg_sim_set(s.sim, "input.push", 1.5) == VG_OK &&
                  vg_sim_set(s.sim, "input.hold", 2) == VG_OK);
            for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
                CHECK_NEAR(robot_get(&s, expected[i].channel), expected[i].value, 1e-12 * 54);
            CHECK_STR(s.text, "limits: 0");
        }
        robot_close(&s);
    }
}

/* The equality of one joint holds it where the file says. */
TEST(one_joint_is_held)
{
    for (int k = 0; k < 2; k++) {
        robotSim s;
        if (robot_open(&s, "frames.xml", NULL, NULL, both[k])) {
            CHECK(vg_sim_advance(s.sim, 0.05) == VG_OK);
            CHECK_NEAR(robot_get(&s, "joint.lock.angle"), 0.25 + 3.14159265358979323846 / 18, 1e-12);
        }
        robot_close(&s);
    }
}

/* Velocities of a loop that are nearly consistent, over frames without mass, are made consistent. */
TEST(velocities_over_frames_without_mass)
{
    static const char text[] =
        "<mujoco><worldbody><body name='a' pos='0 0 1'><joint name='h' axis='0 1 0'/><geom size='.1' pos='.2 "
        "0 0'/>"
        "</body><body name='b' pos='.4 0 1'><joint name='x' type='slide' axis='1 0 0'/><joint name='y' "
        "type='slide' axis='0 1 0'/><joint name='z' type='slide' axis='0 0 1'/><joint name='r' "
        "type='ball'/><geom "
        "size='.1'/></body></worldbody><equality><weld body1='a' body2='b'/></equality></mujoco>";
    static const vgImportStart turning[] = {
        {"h", 1, 1, {0}, {0.5}}, {"z", 1, 1, {0}, {-0.2 - 1e-7}}, {"r", 4, 3, {1, 0, 0, 0}, {0, 0.5, 0}}};
    vgImportOptions options = {.start = turning, .nstart = 3};
    for (int k = 0; k < 2; k++) {
        robotSim s;
        if (robot_parse(&s, text, &options, both[k])) {
            double w = robot_get(&s, "joint.h.rate");
            CHECK_NEAR(w, 0.5, 1e-6);
            CHECK_NEAR(robot_get(&s, "joint.z.rate"), -0.4 * w, 1e-12); /* the arm of b */
        }
        robot_close(&s);
    }
}

/* relpose is the place of the anchor, which is in body 2, in body 1, as in MuJoCo 3.14.0 (npm @mujoco/mujoco): body 2 is drawn at
 * relpos − Q anchor, Q of relpose (cos 0.28, sin 0.96 about x), so that nothing is open. */
TEST(weld_at_an_anchor)
{
    static const char text[] =
        "<mujoco><worldbody><body name='a'><joint name='h' axis='0 1 0'/><geom size='.1' pos='.2 0 "
        "0'/></body><body name='b' "
        "pos='.25 .072 -.096' quat='.8 .6 0 0'><freejoint name='f'/><geom "
        "size='.1'/></body></worldbody><equality><weld "
        "body1='a' body2='b' relpose='.3 .1 0 .8 .6 0 0' anchor='.05 .1 0'/></equality></mujoco>";
    for (int k = 0; k < 2; k++) {
        robotSim s;
        if (robot_parse(&s, text, NULL, both[k])) {
            CHECK(s.report.ignored == 1 && strstr(s.text, "0.072") != NULL); /* contacts */
            for (int i = 0; i < s.report.n; i++) CHECK(strstr(s.report.note[i].text, "open") == NULL);
            CHECK_NEAR(robot_get(&s, "joint.h.angle"), 0, 1e-14);
            CHECK_NEAR(robot_get(&s, "body.b.position.x"), 0.25, 1e-14);
            CHECK_NEAR(robot_get(&s, "body.b.position.y"), 0.072, 1e-14);
        }
        robot_close(&s);
    }
}

/* MuJoCo 3.14.0 (npm @mujoco/mujoco) takes a quaternion of zeros in a keyframe as no rotation. */
TEST(keyframe_without_a_direction)
{
    static const char text[] = "<mujoco><worldbody><body name='b' quat='.8 .6 0 0'><freejoint "
                               "name='f'/><geom size='.1'/></body></worldbody>"
                               "<keyframe><key name='k' qpos='1 2 3 0 0 0 0'/></keyframe></mujoco>";
    vgImportOptions options = {.keyframe = "k"};
    robotSim s;
    if (robot_parse(&s, text, &options, NULL)) {
        CHECK_NEAR(robot_get(&s, "body.b.position.z"), 3, 1e-15);
        CHECK_NEAR(robot_get(&s, "body.b.quaternion.w"), 1, 1e-15);
        CHECK_NEAR(robot_get(&s, "body.b.quaternion.x"), 0, 1e-15);
    }
    robot_close(&s);
}

static void refused(const char *text, const char *why)
{
    robot_refused("bad.xml", text, why);
}

#define ARM "<mujoco><worldbody><body name='a'><joint name='j' axis='0 1 0'/><geom size='.1' pos='.2 0 0'/>"
TEST(what_has_no_meaning_is_refused)
{
    refused(ARM
            "<site name='s'/></body></worldbody><actuator><motor joint='j' site='s'/></actuator></mujoco>",
            "acts on more than one thing");
    refused(ARM "</body></worldbody><actuator>\n<position joint='j' inheritrange='1'/></actuator></mujoco>",
            "bad.xml:2:1: error: inheritrange of actuator 'actuator_0': its joint has no range");
    refused(ARM "<body name='t'><joint name='k' stiffness='2'/></body></body></worldbody></mujoco>",
            "joint 'k' moves link 't', behind which nothing has mass, and a spring pulls it");
    refused(ARM "<body name='t'><joint name='k'/></body></body></worldbody><actuator><motor "
                "joint='k'/></actuator></mujoco>",
            "an actuator or tendon acts on it");
    refused("<mujoco><worldbody><body><joint/><geom size='1' mass='-1'/></body></worldbody></mujoco>",
            "the mass of a geom must be positive");
    refused(
        "<mujoco><worldbody><body>\n<joint/><geom size='1e200' mass='1e308'/></body></worldbody></mujoco>",
        "mass and inertia of link '#1' are too large for numbers");
    refused("<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody><keyframe>\n<key "
            "qpos='1 2'/></keyframe></mujoco>",
            "bad.xml:2:6: error: qpos: 1 number expected");
    refused("<mujoco model='\xE9'><worldbody/></mujoco>",
            "bad.xml:1:16: error: this is not XML: it is not in UTF-8");
    refused("<mujoco><worldbody><body><joint/><geom size='1'/><freejoint/></body></worldbody></mujoco>",
            "a free joint is the only joint");
    refused("<mujoco><worldbody><body><joint/><geom type='ellipsoid' size='.1 .2 .3' shellinertia='true'/>"
            "</body></worldbody></mujoco>",
            "the mass of the shell of an ellipsoid is not known");
}

/* What sensors of the whole and of inertial frames are in the model; geoms that touch nothing are no contacts. */
TEST(sensors_and_contacts)
{
    static const char text[] =
        "<mujoco><worldbody><body name='a'><joint name='j' axis='0 1 0'/><geom size='.1' pos='.2 0 0' "
        "contype='0' "
        "conaffinity='0'/></body></worldbody><sensor><framepos objtype='body' objname='a'/><framepos "
        "objtype='xbody' objname='a'/><e_kinetic/><subtreelinvel body='a'/></sensor></mujoco>";
    vgPool *pool = vg_pool_new(0);
    vgDiag *diag = vg_diag_new();
    vgImportReport report = {0};
    vgImportOptions strict = {.strict = 1};
    char *yaml = NULL;
    CHECK(vg_import_spec(pool, text, sizeof text - 1, "s.xml", NULL, &strict, diag, &report, &yaml) != NULL);
    CHECK(report.ignored_physics == 0 && report.ignored == 0);
    CHECK_STR(yaml, "marker.a.a_com.position.x");
    CHECK_STR(yaml, "body.a.position.x");
    CHECK_STR(yaml, "energy.kinetic");
    CHECK_STR(yaml, "com.velocity.z");
    CHECK_STR(yaml, "a_com: [0.2, 0, 0]");
    vg_diag_free(diag);
    vg_pool_free(pool);
}

TEST_MAIN(frames_lists_shells_and_balls, one_joint_is_held, velocities_over_frames_without_mass,
          weld_at_an_anchor, keyframe_without_a_direction, what_has_no_meaning_is_refused,
          sensors_and_contacts)
