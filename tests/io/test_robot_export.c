/* Models as robot files and back: poses, masses, torques and accelerations stay to rounding; what cannot be said is named. */
#include "model/model.h"
#include "model/robot/export.h"
#include "robot_files.h"

typedef int (*writer)(const vgModel *, vgExport *);

/* A model of the file with its own start, or the text given. */
static vgModel *model_of(const char *text, const char *name, vgDiag *diag)
{
    vgModel *m = vg_parse(text, strlen(text), name, NULL, diag);
    CHECK(m != NULL);
    for (int i = 0; !m && i < vg_diag_count(diag); i++) printf("%s\n", vg_diag_line(diag, i));
    return m;
}

static double get(vgSim *sim, const char *format, const char *name, char axis)
{
    char channel[200];
    double x = NAN;
    snprintf(channel, sizeof channel, format, name, axis);
    CHECK(vg_sim_get(sim, channel, &x) == VG_OK);
    return x;
}

/* There and back. off: settings that leave out what the format cannot say. */
static void round_trip(const char *file, writer write, const char *const *off, const char *keyframe,
                       const vgImportStart *start, int nstart)
{
    robotSim s;
    vgExport x = {0};
    vgDiag *diag = vg_diag_new();
    vgPool *pool = vg_pool_new(0);
    vgImportReport report = {0};
    vgImportOptions from = {.start = start, .nstart = nstart}, back = {.keyframe = keyframe};
    if (!keyframe) back.start = start, back.nstart = nstart;
    if (robot_open(&s, file, &from, off, "relative") && write(s.model, &x)) {
        const char *text = vg_text_at(&x.text);
        char *yaml = NULL;
        CHECK(vg_import_spec(pool, text, strlen(text), "back", NULL, &back, diag, &report, &yaml) != NULL);
        for (int i = 0; i < vg_diag_count(diag); i++) printf("%s\n", vg_diag_line(diag, i));
        vgModel *m = yaml ? model_of(yaml, "back", diag) : NULL;
        vgSim *sim = NULL;
        vgSimOptions dials = {.coordinates = "relative", .constraints = "index1", .step = 1e-3};
        CHECK(m && vg_sim_new(m, &dials, diag, &sim) == VG_OK);
        CHECK_NEAR(report.mass, s.report.mass, 1e-12 * report.mass);
        double most = 1;
        for (int i = 0; sim && i < s.model->njoint; i++)
            if (s.model->joint[i].ncoord == 1)
                most = fmax(most, fabs(get(s.sim, "joint.%s.acceleration", s.model->joint[i].name, 0)));
        for (int i = 0; sim && i < s.model->njoint; i++) {
            const char *name = s.model->joint[i].name;
            if (s.model->joint[i].ncoord != 1 || s.model->joint[i].cut)
                continue; /* loops may become points */
            CHECK_NEAR(get(sim, "joint.%s.acceleration", name, 0),
                       get(s.sim, "joint.%s.acceleration", name, 0), 1e-12 * most);
            CHECK_NEAR(get(sim, "joint.%s.rate", name, 0), get(s.sim, "joint.%s.rate", name, 0), 1e-12);
        }
        for (int i = 0; sim && i < s.model->nbody; i++)
            for (const char *c = "xyz"; *c && s.model->body[i].mass > 0; c++)
                CHECK_NEAR(get(sim, "body.%s.position.%c", s.model->body[i].name, *c),
                           get(s.sim, "body.%s.position.%c", s.model->body[i].name, *c), 1e-12);
        vg_sim_free(sim);
        vg_model_free(m);
    }
    vg_export_free(&x);
    robot_close(&s);
    vg_diag_free(diag);
    vg_pool_free(pool);
}

static const vgImportStart crane[] = {{"swing", 1, 1, {0.4}, {0.5}},
                                      {"hoist", 1, 1, {0.25}, {-0.2}},
                                      {"luff", 1, 1, {0.6}, {0.8}},
                                      {"pitch", 1, 1, {-0.3}, {1.1}},
                                      {"roll", 1, 1, {0.5}, {-0.6}}};

TEST(there_and_back)
{
    static const char *const crane_off[] = {"tendons=0", "actuators=0", NULL}, *const swivel_off[] = {
                                                                                   "damping=0", "armature=0",
                                                                                   NULL};
    round_trip("crane.xml", vg_export_mjcf, crane_off, "start", crane, 5);
    round_trip("swivel.xml", vg_export_mjcf, swivel_off, NULL, NULL, 0);
    round_trip("parallelogram.urdf", vg_export_mjcf, NULL, NULL, NULL, 0);
    round_trip("parallelogram.urdf", vg_export_urdf, NULL, NULL, NULL, 0);
}

/* A coupling and a polynomial keep their coefficients about other references. */
TEST(couplings_there_and_back)
{
    static const char text[] =
        "verge: 1\nbodies:\n  a: {mass: 2, inertia: [1, 1, 1], position: [0.37, 0, 0]}\n"
        "  b: {mass: 3, inertia: [1, 1, 1], position: [0, 0.5, 0]}\n  c: {mass: 1, inertia: [1, 1, 1], "
        "position: [0, 0, 1]}\n"
        "joints:\n  A: {prismatic: [ground, a], axis: x, align: false}\n  B: {prismatic: [ground, b], axis: "
        "y, align: false}\n"
        "  C: {prismatic: [ground, c], axis: z, align: false}\n"
        "  P: {polynomial: [A, B], coefficients: [0.12, 0.3, 0.4]}\n  K: {coupler: [C, B], factors: [1, "
        "-2]}\n"
        "forces: {push: {joint-torque: B, value: \"3*input.u\"}}\n";
    vgDiag *diag = vg_diag_new();
    vgModel *m[2] = {model_of(text, "first", diag), NULL};
    vgExport x = {0};
    double value[2][3] = {{0}};
    CHECK(m[0] && vg_export_mjcf(m[0], &x));
    CHECK_INT(x.nnote, 0);
    m[1] = model_of(vg_text_at(&x.text), "second", diag);
    for (int k = 0; k < 2; k++) {
        vgSim *sim = NULL;
        vgSimOptions dials = {.coordinates = "relative", .integrator = "rk4", .step = 1e-3};
        CHECK(m[k] && vg_sim_new(m[k], &dials, diag, &sim) == VG_OK);
        if (sim) CHECK(vg_sim_set(sim, "input.u", 1) == VG_OK && vg_sim_advance(sim, 0.5) == VG_OK);
        static const char *const joints[] = {"A", "B", "C"};
        for (int i = 0; sim && i < 3; i++) value[k][i] = get(sim, "joint.%s.displacement", joints[i], 0);
        vg_sim_free(sim);
    }
    for (int i = 0; i < 3; i++) CHECK_NEAR(value[1][i], value[0][i], 1e-11);
    CHECK_NEAR(value[1][0], 0.12 + 0.3 * value[1][1] + 0.4 * value[1][1] * value[1][1], 1e-9);
    CHECK_NEAR(value[1][2] - 2 * value[1][1], 0, 1e-9);
    vg_export_free(&x);
    for (int k = 0; k < 2; k++) vg_model_free(m[k]);
    vg_diag_free(diag);
}

TEST(what_cannot_be_said_is_named)
{
    static const char text[] =
        "verge: 1\nbodies: {a: {mass: 2, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1], position: [1, "
        "0, 0]}}\n"
        "joints:\n  A: {revolute: [ground, a], start: {angle: 0.1}}\n  D: {distance: [a, b], length: 1}\n"
        "forces: {s: {spring: [ground, b], stiffness: 3}}\n";
    vgDiag *diag = vg_diag_new();
    vgModel *m = model_of(text, "said", diag);
    vgExport x = {0};
    CHECK(m && vg_export_mjcf(m, &x));
    CHECK_INT(x.nnote, 3);
    CHECK_STR(x.note[0].name, "s");
    CHECK_STR(x.note[1].name, "A");
    CHECK_STR(x.note[2].name, "D");
    CHECK_INT(x.note[2].loc.line, 5);
    vg_export_free(&x);
    vg_model_free(m);
    vg_diag_free(diag);
}

TEST_MAIN(there_and_back, couplings_there_and_back, what_cannot_be_said_is_named)
