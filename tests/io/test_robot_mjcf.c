/* MJCF files against the format's own engine, in joint and in absolute coordinates. */
#include "robot_files.h"

static const char *const both[] = {"relative", "lie"};

/* MuJoCo 3.14.0 (npm @mujoco/mujoco): mj_forward of crane.xml at this state, with constraints and contacts off. */
static const vgImportStart start[] = {
    {"swing", 1, 1, {0.40000000000000002}, {0.5}},
    {"hoist", 1, 1, {0.25}, {-0.20000000000000001}},
    {"luff", 1, 1, {0.59999999999999998}, {0.80000000000000004}},
    {"pitch", 1, 1, {-0.29999999999999999}, {1.1000000000000001}},
    {"roll", 1, 1, {0.5}, {-0.59999999999999998}},
    {"spin_0", 1, 1, {0.20000000000000001}, {2}},
    {"spin_1", 1, 1, {-0.69999999999999996}, {-1}},
    {"fly",
     7,
     6,
     {1.1000000000000001, 0.20000000000000001, 0.90000000000000002, 0.92338051687663869, 0.10259783520851541,
      -0.30779350562554619, 0.20519567041703082},
     {0.29999999999999999, 0.10000000000000001, -0.40000000000000002, 0.59999999999999998,
      -0.20000000000000001, 0.5}},
};
static const char *const joints[] = {"swing", "hoist", "luff", "pitch", "roll", "spin_0", "spin_1"};
enum { JOINTS = 7 };
static const double bare[] = {10.103733351520445,     -7.7286588232320064,  -9.1016442253141268,
                              -8.4963492839003951,    -14.797520593618373,  -0.065087931190357731,
                              -0.022425671740982343,  0.29675853211009173,  0.20293211009174306,
                              -9.5971765137614664,    0.083486238532110457, 0.25045871559633781,
                              -1.1102230246251565e-15};
static const double passive[] = {14.459054812863833,     -10.331800778810406,  -30.670025015710241,
                                 25.325343273808606,     -20.897774986919778,  -1730.8343187004202,
                                 865.36218971287462,     0.29675853211009173,  0.20293211009174306,
                                 -9.5971765137614664,    0.083486238532110457, 0.25045871559633781,
                                 -1.1102230246251565e-15};
static const double driven[] = {
    20.445914392573332,  -10.821706871604913, -34.861388552511208,  34.395710305634935,  -20.025325071474398,
    -1730.8343187004202, 865.36218971287462,  -0.16640094820273185, 0.78275513442196676, -7.2663057745963195,
    94.415577745774385,  -68.842804300585357, 3.6276880293060794};

/* Accelerations of the joints, then of the free body: of its origin in world axes, angular in its own. */
static void check(robotSim *s, const double *expected, double tolerance)
{
    static const char axes[] = "xyz";
    char channel[100];
    double most = 0;
    for (int i = 0; i < JOINTS + 6; i++) most = fmax(most, fabs(expected[i]));
    for (int i = 0; i < JOINTS; i++) {
        snprintf(channel, sizeof channel, "joint.%s.acceleration", joints[i]);
        CHECK_NEAR(robot_get(s, channel), expected[i], tolerance * most);
    }
    for (int k = 0; k < 3; k++) {
        snprintf(channel, sizeof channel, "body.drone.acceleration.%c", axes[k]);
        CHECK_NEAR(robot_get(s, channel), expected[JOINTS + k], tolerance * most);
        snprintf(channel, sizeof channel, "body.drone.alpha.%c", axes[k]);
        CHECK_NEAR(robot_get(s, channel), expected[JOINTS + 3 + k], tolerance * most);
    }
}

static const vgImportOptions options = {.start = start, .nstart = JOINTS + 1};

TEST(tree_moves_as_in_its_own_engine)
{
    static const char *const off[] = {"springs=0", "damping=0",   "armature=0",
                                      "tendons=0", "actuators=0", NULL};
    for (int k = 0; k < 2; k++) {
        robotSim s;
        if (robot_open(&s, "crane.xml", &options, off, both[k])) {
            check(&s, bare, 1e-11);
            CHECK_NEAR(s.report.mass, 10.341209752471014, 1e-13);
        }
        robot_close(&s);
    }
}

TEST(springs_dampers_tendons_and_armature)
{
    static const char *const off[] = {"actuators=0", NULL};
    for (int k = 0; k < 2; k++) {
        robotSim s;
        if (robot_open(&s, "crane.xml", &options, off, both[k])) check(&s, passive, 1e-12);
        robot_close(&s);
    }
}

TEST(actuators)
{
    static const struct {
        const char *name;
        double value;
    } input[] = {{"input.turn", 1.5},
                 {"input.hold", 0.8},
                 {"input.lift", -0.4},
                 {"input.pull", 0.7},
                 {"input.thrust", 1.2}};
    for (int k = 0; k < 2; k++) {
        robotSim s;
        if (robot_open(&s, "crane.xml", &options, NULL, both[k])) {
            for (size_t i = 0; i < sizeof input / sizeof *input; i++)
                CHECK(vg_sim_set(s.sim, input[i].name, input[i].value) == VG_OK);
            check(&s, driven, 1e-12);
        }
        robot_close(&s);
    }
}

/* MuJoCo 3.14.0 (npm @mujoco/mujoco): mj_forward of fluid.xml at this state, contacts off: drag in wind of bodies made of
 * geoms, of one that is welded to another, of inertias about turned axes, also with two equal moments. */
TEST(drag_in_a_medium)
{
    static const vgImportStart at[] = {
        {"swing", 1, 1, {0.4}, {1.5}},
        {"slide", 1, 1, {0.05}, {-0.8}},
        {"pitch", 1, 1, {-0.7}, {2.2}},
        {"fly",
         7,
         6,
         {1.1, 0.2, 0.9, 0.92338051687663869, 0.10259783520851541, -0.30779350562554619, 0.20519567041703082},
         {0.3, 0.1, -0.4, 0.6, -0.2, 0.5}}};
    static const char *const channels[] = {
        "joint.swing.acceleration",  "joint.slide.acceleration",  "joint.pitch.acceleration",
        "body.drone.acceleration.x", "body.drone.acceleration.y", "body.drone.acceleration.z",
        "body.drone.alpha.x",        "body.drone.alpha.y",        "body.drone.alpha.z"};
    static const double expected[] = {23.075128217123044,  7.496980417146155,  -63.64789241937714,
                                      0.3812971036462984,  -3.370060835457206, -7.876563181282109,
                                      -2.6246713134539164, 0.6464663337563099, -1.7532766874044166};
    vgImportOptions from = {.start = at, .nstart = 4};
    for (int k = 0; k < 2; k++) {
        robotSim s;
        if (robot_open(&s, "fluid.xml", &from, NULL, both[k]))
            for (int i = 0; i < 9; i++)
                CHECK_NEAR(robot_get(&s, channels[i]), expected[i], 1e-12 * fabs(expected[2]));
        robot_close(&s);
    }
}

/* MuJoCo 3.14.0 (npm @mujoco/mujoco): mj_forward of settings.xml at this state, contacts off: eulerseq of both kinds,
 * autolimits, inertiafromgeom, groups, settotalmass, nested classes and frames, boxes from end to end, which have one width. */
TEST(settings_of_the_compiler)
{
    static const vgImportStart at[] = {{"j1", 1, 1, {0.5}, {0.7}},
                                       {"j2", 1, 1, {-0.3}, {-1.2}},
                                       {"j3", 1, 1, {0.12}, {0.4}},
                                       {"j4", 1, 1, {0.8}, {2}}};
    static const double expected[] = {26.616218180494204, -6.571825846672336, -6.3855576295564,
                                      -22.609208321297253};
    vgImportOptions from = {.start = at, .nstart = 4};
    char channel[40];
    for (int k = 0; k < 2; k++) {
        robotSim s;
        if (robot_open(&s, "settings.xml", &from, NULL, both[k])) {
            CHECK_NEAR(s.report.mass, 7.5, 1e-13);
            for (int i = 0; i < 4; i++) {
                snprintf(channel, sizeof channel, "joint.j%d.acceleration", i + 1);
                CHECK_NEAR(robot_get(&s, channel), expected[i], 1e-12 * fabs(expected[0]));
            }
        }
        robot_close(&s);
    }
}

/* MuJoCo 3.14.0 (npm @mujoco/mujoco): mj_forward of ends.xml at this state, contacts off: sites and geoms from end to end (z
 * points to the first end, which forces at sites and drag see), a spring and dampers of a free joint, and, though geoms are to
 * weigh the bodies, an <inertial> where there are none. */
TEST(ends_and_free_joints)
{
    static const vgImportStart at[] = {
        {"swing", 1, 1, {0.4}, {1.5}},
        {"turn", 1, 1, {-0.7}, {-2.2}},
        {"fly",
         7,
         6,
         {1.1, 0.2, 0.9, 0.92338051687663869, 0.10259783520851541, -0.30779350562554619, 0.20519567041703082},
         {0.3, 0.1, -0.4, 0.6, -0.2, 0.5}}};
    static const char *const channels[] = {
        "joint.swing.acceleration",    "joint.turn.acceleration",     "body.drone.acceleration.x",
        "body.drone.acceleration.y",   "body.drone.acceleration.z",   "body.drone.alpha.x",
        "body.drone.alpha.y",          "body.drone.alpha.z",          "marker.arm.tip.position.x",
        "marker.hand.palm.position.y", "marker.drone.nose.position.z"};
    static const double expected[] = {-20.869573146964488, 1081.4359183445108, -9.54979784748053,
                                      -2.020002843339384,  -7.141034104395503, 33.42597980799765,
                                      125.95807569945151,  -42.38956804017367, 0.41659467400669237,
                                      0.3001973643550569,  0.9228947368421053};
    vgImportOptions from = {.start = at, .nstart = 3};
    for (int k = 0; k < 2; k++) {
        robotSim s;
        if (robot_open(&s, "ends.xml", &from, NULL, both[k])) {
            CHECK_NEAR(s.report.mass, 4.106069860573145, 1e-13);
            CHECK(s.report.ignored_physics == 1); /* contacts */
            CHECK(vg_sim_set(s.sim, "input.push", 0.8) == VG_OK);
            CHECK(vg_sim_set(s.sim, "input.blow", -0.6) == VG_OK);
            for (int i = 0; i < 11; i++)
                CHECK_NEAR(robot_get(&s, channels[i]), expected[i], 1e-12 * fabs(i < 8 ? expected[1] : 1));
        }
        robot_close(&s);
    }
}

/* What nothing takes, or nothing understands, is reported; only the latter concerns the motion. */
TEST(words_that_do_nothing_are_reported)
{
    static const char text[] =
        "<mujoco><option><flag multiccd='enable'/></option><default><motor gear='2'/></default>"
        "<worldbody><geom type='plane' size='1 1 1' contype='0' conaffinity='0'/><body name='b'><joint "
        "name='j'/>"
        "<geom size='0.1' densty='5' contype='0' conaffinity='0'/></body></worldbody></mujoco>";
    robotSim s;
    if (robot_parse(&s, text, &(vgImportOptions){0}, "relative")) {
        static const char *const said[] = {"multiccd", "nothing in the file takes it",
                                           "a geom that is plane is not drawn",
                                           "densty=\"5\" of <geom> is ignored"};
        CHECK(s.report.ignored == 4 && s.report.ignored_physics == 1);
        for (int k = 0; k < 4; k++) {
            int found = 0;
            for (int i = 0; i < s.report.n; i++) found |= strstr(s.report.note[i].text, said[k]) != NULL;
            CHECK(found);
        }
    }
    robot_close(&s);
    const vgImportStart zero[] = {{"j", 4, 3, {0, 0, 0, 0}, {0, 0, 0}}};
    static const char ball[] = "<mujoco><worldbody><body name='b'><joint name='j' type='ball'/><geom "
                               "size='0.1'/></body></worldbody></mujoco>";
    vgPool *pool = vg_pool_new(0);
    vgDiag *diag = vg_diag_new();
    CHECK(!vg_import_spec(pool, ball, sizeof ball - 1, "ball", NULL,
                          &(vgImportOptions){.start = zero, .nstart = 1}, diag, NULL, NULL));
    CHECK_STR(vg_diag_line(diag, 0), "a quaternion of zeros");
    vg_diag_free(diag);
    vg_pool_free(pool);
}

/* A start beyond half a turn, bounds on the sum of actuators, damping by its ratio: 2 ζ √(kp J), closed forms. */
TEST(servo_beyond_half_a_turn_and_bounded_drives)
{
    static const vgImportStart at[] = {{"spin", 1, 1, {-7}, {0.2}}, {"servo", 1, 1, {3.6}, {1.5}}};
    const double J = 0.68, K = 0.5, sum[] = {9, 1.5, -7}, bounded[] = {4, 1.5, -3};
    vgImportOptions from = {.start = at, .nstart = 2};
    for (int k = 0; k < 2; k++) {
        robotSim s;
        if (robot_open(&s, "drives.xml", &from, NULL, both[k])) {
            CHECK_NEAR(robot_get(&s, "joint.spin.angle"), -7, 1e-12);
            CHECK_NEAR(robot_get(&s, "joint.servo.angle"), 3.6, 1e-12);
            for (int i = 0; i < 3; i++) {
                CHECK(vg_sim_set(s.sim, "input.first", sum[i] - 4) == VG_OK);
                CHECK(vg_sim_set(s.sim, "input.second", 2) == VG_OK);
                CHECK(vg_sim_set(s.sim, "input.hold", 4) == VG_OK);
                CHECK_NEAR(robot_get(&s, "joint.spin.acceleration"), bounded[i] / J, 1e-12);
                CHECK_NEAR(robot_get(&s, "joint.servo.acceleration"),
                           (20 * (4 - 3.6) - 2 * 0.7 * sqrt(20 * K) * 1.5) / K, 1e-11);
            }
        }
        robot_close(&s);
    }
}

/* Masses by meshes: 4 kg at (0.6, 0.05, 0.2), and 3 kg about its own centre by refpos. The moments about z are those of
 * blocks. */
TEST(mass_of_meshes)
{
    const double own = (0.2 * 0.2 + 0.1 * 0.1) / 12, gate = 4 * (own + 0.6 * 0.6 + 0.05 * 0.05),
                 top = 3 * own;
    char path[1000];
    snprintf(path, sizeof path, "%s/tests/io/robots/meshed.xml", VERGE_SOURCE_DIR);
    for (int k = 0; k < 2; k++) {
        vgDiag *diag = vg_diag_new();
        vgModel *m = vg_load(path, NULL, diag);
        vgSim *sim = NULL;
        double hinge = NAN, spin = NAN;
        CHECK(m && vg_sim_new(m, &(vgSimOptions){.coordinates = both[k]}, diag, &sim) == VG_OK);
        if (sim) {
            CHECK(vg_sim_set(sim, "input.a", 1) == VG_OK && vg_sim_set(sim, "input.b", 1) == VG_OK);
            CHECK(vg_sim_get(sim, "joint.hinge.acceleration", &hinge) == VG_OK);
            CHECK(vg_sim_get(sim, "joint.spin.acceleration", &spin) == VG_OK);
        }
        CHECK_NEAR(hinge, 1 / gate, 1e-12);
        CHECK_NEAR(spin, 1 / top, 1e-10);
        vg_sim_free(sim);
        vg_model_free(m);
        vg_diag_free(diag);
    }
    vgPool *pool = vg_pool_new(0);
    vgDiag *diag = vg_diag_new();
    vgImportReport report = {0};
    const char *text = vg_import_file(pool, path, &(vgImportOptions){0}, diag, &report);
    CHECK_NEAR(report.mass, 7, 1e-12);
    CHECK(report.ignored_physics == 1); /* contacts */
    CHECK_STR(text, "shape: {mesh: meshes/block.obj, scale: 0.001");
    CHECK_STR(text, "color: [0, 0, 1]");
    vg_diag_free(diag);
    vg_pool_free(pool);
}

/* A ball joint with damping and armature: MuJoCo's accelerations of the joints before and behind it. */
TEST(ball_with_damping_and_armature)
{
    static const vgImportStart at[] = {
        {"turn", 1, 1, {0.3}, {0.7}},
        {"socket",
         4,
         3,
         {0.8295613557843402, 0.20739033894608505, -0.3110855084191276, 0.4147806778921701},
         {0.9, -1.2, 0.5}},
        {"whirl", 1, 1, {0.6}, {2.0}}};
    static const char *const off[] = {"damping=0", "armature=0", NULL};
    static const double free_of[] = {27.391650548723582, 1.0123540969095615},
                        with[] = {23.40571065138751, -13.800208030387324};
    vgImportOptions from = {.start = at, .nstart = 3};
    for (int k = 0; k < 4; k++) {
        robotSim s;
        const double *expected = k < 2 ? free_of : with;
        if (robot_open(&s, "swivel.xml", &from, k < 2 ? off : NULL, both[k % 2])) {
            CHECK_NEAR(robot_get(&s, "joint.turn.acceleration"), expected[0], 1e-10);
            CHECK_NEAR(robot_get(&s, "joint.whirl.acceleration"), expected[1], 1e-10);
        }
        robot_close(&s);
    }
}

/* Beyond its end a stop pushes with k e^1.5 (1 + c ė), and never pulls. */
TEST(stop_of_a_joint)
{
    static const double speed[] = {0, 0.6, -0.6, -5};
    for (int k = 0; k < 4; k++) {
        char text[600];
        vgDiag *diag = vg_diag_new();
        vgSim *sim = NULL;
        double value = NAN, e = 0.04, push = 300 * pow(e, 1.5) * fmax(0, 1 + 0.5 * speed[k]);
        snprintf(text, sizeof text,
                 "verge: 1\nbodies: {b: {mass: 2, inertia: [1, 1, 1], position: [0.54, 0, 0], velocity: [%g, "
                 "0, 0]}}\n"
                 "joints: {s: {prismatic: [ground, b], axis: x}}\n"
                 "forces: {stop: {joint-stop: s, lower: -1, upper: 0.5, stiffness: 300, damping: 0.5}}\n",
                 speed[k]);
        vgModel *m = vg_parse(text, strlen(text), "stop", NULL, diag);
        CHECK(m && vg_sim_new(m, NULL, diag, &sim) == VG_OK);
        if (sim) CHECK(vg_sim_get(sim, "joint.s.acceleration", &value) == VG_OK);
        CHECK_NEAR(value, -push / 2, 1e-12);
        vg_sim_free(sim);
        vg_model_free(m);
        vg_diag_free(diag);
    }
}

/* The loops of a drawn pose that is open are closed at the start. */
TEST(open_loop_is_closed_at_the_start)
{
    static const char text[] =
        "<robot name='p'><link name='w'/><joint name='a' type='continuous'><parent link='w'/><child "
        "link='la'/><axis xyz='0 1 0'/></joint><link name='la'><inertial><origin xyz='0 0 0.5'/><mass "
        "value='1'/><inertia ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' izz='0.1'/></inertial></link><joint "
        "name='b' type='continuous'><parent link='w'/><child link='lb'/><origin xyz='1 0 0'/><axis xyz='0 1 "
        "0'/></joint><link name='lb'><inertial><origin xyz='0 0 0.5'/><mass value='1'/><inertia ixx='0.1' "
        "ixy='0' ixz='0' iyy='0.1' iyz='0' izz='0.1'/></inertial></link><loop_joint name='pin' "
        "type='continuous'><link1 link='la' xyz='0 0 1'/><link2 link='lb' xyz='0 0 1'/><axis xyz='0 1 "
        "0'/></loop_joint></robot>";
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_parse(text, sizeof text - 1, "p.urdf", NULL, diag);
    vgSim *sim = NULL;
    double a = NAN, b = NAN;
    CHECK(m && vg_sim_new(m, NULL, diag, &sim) == VG_OK);
    if (sim)
        CHECK(vg_sim_get(sim, "joint.a.angle", &a) == VG_OK && vg_sim_get(sim, "joint.b.angle", &b) == VG_OK);
    /* an equilateral triangle: the bars lean by 30 degrees, the tips above or below */
    CHECK_NEAR(fabs(sin(a)), 0.5, 1e-12);
    CHECK_NEAR(sin(a) + sin(b), 0, 1e-12);
    vg_sim_free(sim);
    vg_model_free(m);
    vg_diag_free(diag);
}

/* Defaults that actuators of all kinds share, orientations over those of a class, nested replicas: MuJoCo's accelerations
 * with armature, passive forces and controls, without constraints. */
TEST(defaults_and_replicas)
{
    static const char *const name[] = {"a", "b", "b2", "c", "rr00", "rr10", "rr01", "rr11"};
    static const char *const driven_by[] = {"input.g",  "input.p",  "input.m",
                                            "input.ve", "input.sg", "input.rp"};
    static const double q[] = {-0.09, -0.1, -0.3, 0.14, 0.04, 0.25, 0.2, -0.35},
                        v[] = {0.1, -0.3, 0.06, 0.7, 0.2, 0.04, 0.5, 0.6},
                        u[] = {-0.85, 0.3, -0.6, -0.6, 0.9, -0.9};
    static const double qacc[] = {-0.9504297980756681, 0.10859560194332801, -21.130470627312565,
                                  -95.95662176676939,  -11.096466360436459, 8.20405467139227,
                                  6.587986935547745,   -11.370684477086114};
    vgImportStart from[8];
    for (int i = 0; i < 8; i++) from[i] = (vgImportStart){name[i], 1, 1, {q[i]}, {v[i]}};
    vgImportOptions started = {.start = from, .nstart = 8};
    for (int k = 0; k < 2; k++) {
        robotSim s;
        if (robot_open(&s, "classes.xml", &started, NULL, both[k])) {
            for (int i = 0; i < 6; i++) CHECK(vg_sim_set(s.sim, driven_by[i], u[i]) == VG_OK);
            for (int i = 0; i < 8; i++) {
                char channel[100];
                snprintf(channel, sizeof channel, "joint.%s.acceleration", name[i]);
                CHECK_NEAR(robot_get(&s, channel), qacc[i], 1e-12 * 96);
            }
        }
        robot_close(&s);
    }
}

/* A mocap body is driven by laws of t; a box welded to it follows, without a warning where all stands still. */
TEST(mocap_bodies_are_driven)
{
    vgImportOptions key = {.keyframe = "k"};
    for (int k = 0; k < 4; k++) {
        robotSim s;
        int opened = robot_open(&s, "mocap.xml", &key, NULL, both[k % 2]);
        if (opened && k >= 2) { /* the hand goes up by t²/2 from height 2 */
            char *drive = strstr(strstr(s.text, "hand_z: {prismatic"), "displacement: 0}");
            vgSim *moved = NULL;
            double z = NAN, a = NAN;
            char *text = vg_pool_printf(s.pool, "%.*s", (int)(drive - s.text), s.text);
            text =
                vg_pool_printf(s.pool, "%sdisplacement: t^2/2}%s", text, drive + strlen("displacement: 0}"));
            vgModel *m = vg_parse(text, strlen(text), "mocap", NULL, s.diag);
            vgSimOptions dials = {.coordinates = both[k % 2], .step = 1e-3};
            CHECK(m && vg_sim_new(m, &dials, s.diag, &moved) == VG_OK);
            if (moved) CHECK(vg_sim_advance(moved, 0.2) == VG_OK);
            if (moved) vg_sim_get(moved, "body.box.position.z", &z);
            if (moved) vg_sim_get(moved, "body.box.acceleration.z", &a);
            CHECK_NEAR(z, 1.5 + 0.02, 1e-12);
            CHECK_NEAR(a, 1, 1e-9);
            vg_sim_free(moved);
            vg_model_free(m);
        } else if (opened) {
            CHECK(vg_sim_advance(s.sim, 0.1) == VG_OK);
            CHECK_NEAR(robot_get(&s, "body.box.position.z"), 1.5, 1e-13);
            CHECK_NEAR(robot_get(&s, "body.hand.position.z"), 2, 1e-13);
            CHECK_NEAR(robot_get(&s, "marker.target.s.position.x"), 1, 1e-13);
        }
        robot_close(&s);
    }
}

static void refused(const char *text, const char *why)
{
    robot_refused("bad.xml", text, why);
}

TEST(what_is_wrong_is_refused_with_a_place)
{
    refused("<mujoco><worldbody><body><body mocap='true'/></body></worldbody></mujoco>",
            "must be a body of the world without joints");
    refused("<mujoco/>", "the file has no bodies");
    refused("<mujoco><worldbody><body><joint type='hing'/></body></worldbody></mujoco>",
            "the joint type 'hing' is not known");
    refused("<mujoco><worldbody><body>\n<joint class='x'/></body></worldbody></mujoco>",
            "bad.xml:2:8: error: there is no default class 'x'");
    refused("<mujoco><include file='/etc/passwd'/></mujoco>", "cannot be included");
    refused("<mujoco><worldbody><replicate count='1e9'><body/></replicate></worldbody></mujoco>",
            "count must be from 0 to");
    refused("<mujoco><worldbody><body><geom type='mesh' mesh='m'/><joint/></body></worldbody></mujoco>",
            "comes from a mesh that is not there");
}

TEST_MAIN(tree_moves_as_in_its_own_engine, springs_dampers_tendons_and_armature, actuators,
          servo_beyond_half_a_turn_and_bounded_drives, drag_in_a_medium, settings_of_the_compiler,
          ends_and_free_joints, words_that_do_nothing_are_reported, mass_of_meshes,
          ball_with_damping_and_armature, stop_of_a_joint, open_loop_is_closed_at_the_start,
          defaults_and_replicas, mocap_bodies_are_driven, what_is_wrong_is_refused_with_a_place)
