/* What bytes from anywhere may be fed to: each function takes them whole, and must come back. A broken
 * promise (an error without a place, a failure without words) ends the program, as a sanitizer would. */
#ifndef TESTS_FUZZ_TARGETS_H
#define TESTS_FUZZ_TARGETS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "element/controller/fmu_read.h"
#include "integrator/user/user.h"
#include "io/results.h"
#include "model/import.h"
#include "model/surface.h"
#include "temporary.h"
#include "verge/verge.h"

/* "fuzz:LINE:COL: error: …" */
static int has_place(const char *line)
{
    int row = 0, col = 0, n = 0;
    return sscanf(line, "%*[^:]:%d:%d: %n", &row, &col, &n) == 2 && row > 0 && col > 0 && n > 0;
}

static void fuzz_promise(int kept, const char *what)
{
    if (kept) return;
    fprintf(stderr, "promise broken: %s\n", what);
    abort();
}

static void fuzz_errors_have_places(const vgDiag *diag)
{
    for (int i = 0; i < vg_diag_count(diag); i++) {
        const char *line = vg_diag_line(diag, i);
        int counts = strncmp(line, "error: too many errors", 22) == 0;
        fuzz_promise(counts || has_place(line) || !strstr(line, "error: "), line);
    }
}

/* Opens, three steps, all channels, a checkpoint there and back. */
static void fuzz_sim(const vgModel *model, const vgSimOptions *options)
{
    static const char *const all[] = {"*"};
    vgDiag *diag = vg_diag_new();
    vgSim *sim = NULL;
    vgStatus status = vg_sim_new(model, options, diag, &sim);
    fuzz_promise(status == VG_OK || vg_diag_errors(diag) > 0, "a start that fails has words");
    if (status == VG_OK) {
        int n = 0;
        double *values = NULL;
        if (vg_sim_watch(sim, all, 1, &n) == VG_OK) values = malloc(((size_t)n + 1) * sizeof *values);
        for (int i = 0; i < 3; i++) {
            if (vg_sim_step(sim, 1e-3) != VG_OK) {
                fuzz_promise(vg_sim_error(sim)[0] != 0, "a step that fails has words");
                break;
            }
        }
        if (values) vg_sim_read(sim, values);
        size_t size = vg_sim_checkpoint_size(sim);
        char *bytes = malloc(size);
        if (bytes && vg_sim_save(sim, bytes, size) == VG_OK)
            fuzz_promise(vg_sim_restore(sim, bytes, size) == VG_OK, "what was saved is restored");
        free(bytes);
        free(values);
    }
    vg_sim_free(sim);
    vg_diag_free(diag);
}

/* A model file. */
static void fuzz_model(const uint8_t *bytes, size_t n)
{
    vgDiag *diag = vg_diag_new();
    vgModel *model = vg_parse((const char *)bytes, n, "fuzz", NULL, diag);
    fuzz_promise(model || vg_diag_errors(diag) > 0, "a model that is refused has words");
    if (!model) fuzz_errors_have_places(diag);
    if (model) fuzz_sim(model, NULL);
    vg_model_free(model);
    vg_diag_free(diag);
}

/* Robot files: the text says what it is. */
static inline void fuzz_urdf(const uint8_t *bytes, size_t n)
{
    fuzz_model(bytes, n);
}

static inline void fuzz_mjcf(const uint8_t *bytes, size_t n)
{
    fuzz_model(bytes, n);
}

/* A surface: closed ones weigh something finite, numbers of corners are those of vertices. */
static void fuzz_surface(const uint8_t *bytes, size_t n, const char *name)
{
    static const double scale[3] = {1, 1, 1};
    vgPool *pool = vg_pool_new(0);
    vgDiag *diag = vg_diag_new();
    vgSurface s;
    int ok = pool && diag && vg_surface_parse(pool, (const char *)bytes, n, name, scale, diag, &s);
    fuzz_promise(ok || vg_diag_errors(diag) > 0, "a surface that is refused has words");
    if (!ok) fuzz_errors_have_places(diag);
    for (int i = 0; ok && i < 3 * s.ntriangle; i++)
        fuzz_promise(s.corner[i] >= 0 && s.corner[i] < s.nvertex, "a corner is a vertex");
    if (ok) fuzz_promise(s.volume - s.volume == 0 && s.volume >= 0, "a volume is a number");
    vg_diag_free(diag);
    vg_pool_free(pool);
}

static inline void fuzz_stl(const uint8_t *bytes, size_t n)
{
    fuzz_surface(bytes, n, "fuzz.stl");
}

static inline void fuzz_obj(const uint8_t *bytes, size_t n)
{
    fuzz_surface(bytes, n, "fuzz.obj");
}

/* The words of a command line, a line each: coordinates, constraints, integrator, a channel, a parameter. */
static inline void fuzz_words(const uint8_t *bytes, size_t n)
{
    static const char text[] = "verge: 1\nparameters: {a: 1, b: 2*a}\ntables: {s: [[0, 0], [1, a]]}\n"
                               "bodies: {rod: {mass: a, com: [0.5, 0, 0], inertia: [0.1, 0.2, 0.2]}}\n"
                               "joints: {O: {revolute: [ground, rod], axis: y}}\n"
                               "forces: {T: {joint-torque: O, value: b*sin(t)}}\n"
                               "run: {step: 1e-3, end: 1}\n";
    char *copy = malloc(n + 1), *line[5] = {"", "", "", "", ""};
    if (!copy) return;
    memcpy(copy, bytes, n);
    copy[n] = 0;
    char *at = copy;
    for (int i = 0; i < 5 && at; i++) {
        line[i] = at;
        at = strchr(at, '\n');
        if (at) *at++ = 0;
    }
    const char *set[] = {line[4], NULL};
    vgDiag *diag = vg_diag_new();
    vgModel *model = vg_parse(text, sizeof text - 1, "fuzz", line[4][0] ? set : NULL, diag);
    fuzz_promise(model || vg_diag_errors(diag) > 0, "a parameter that is refused has words");
    if (!model) model = vg_parse(text, sizeof text - 1, "fuzz", NULL, NULL);
    vgSimOptions options = {.coordinates = line[0], .constraints = line[1], .integrator = line[2]};
    vgSim *sim = NULL;
    if (model) fuzz_sim(model, &options);
    if (model && vg_sim_new(model, NULL, NULL, &sim) == VG_OK) {
        double value;
        vgStatus got = vg_sim_get(sim, line[3], &value);
        fuzz_promise(got == VG_OK || vg_sim_error(sim)[0], "a channel that is refused has words");
        got = vg_sim_set(sim, line[3], 0.5);
        fuzz_promise(got == VG_OK || vg_sim_error(sim)[0], "a channel that is refused has words");
        vg_sim_settle(sim);
        vg_sim_restore(sim, bytes, n);
    }
    vg_sim_free(sim);
    vg_model_free(model);
    vg_diag_free(diag);
    free(copy);
}

static const char *fuzz_file(const char *ending, const uint8_t *bytes, size_t n)
{
    static char path[TEMPORARY_PATH];
    snprintf(path, sizeof path, "%.250s/verge-fuzz-%ld%s", temporary_place(), (long)getpid(), ending);
    FILE *file = fopen(path, "wb");
    if (!file) return NULL;
    fwrite(bytes, 1, n, file);
    fclose(file);
    return path;
}

/* A file of results of the kind that its name ends in. */
static void fuzz_results(const uint8_t *bytes, size_t n, const char *ending)
{
    const char *path = fuzz_file(ending, bytes, n);
    if (!path) return;
    vgTableData *table = NULL;
    vgDiag *diag = vg_diag_new();
    vgStatus status = vg_data_read(path, diag, &table);
    fuzz_promise((status == VG_OK) == (table != NULL), "a table or a failure");
    fuzz_promise(status == VG_OK || vg_diag_errors(diag) > 0, "results that are refused have words");
    vg_data_free(table);
    long nrow = 0;
    int nbody = 0;
    double *poses = NULL;
    char *scene = NULL;
    if (strcmp(ending, ".h5") == 0) vg_data_poses(path, NULL, &nrow, &nbody, &poses, &scene);
    free(poses);
    free(scene);
    vg_diag_free(diag);
    unlink(path);
}

static inline void fuzz_csv(const uint8_t *bytes, size_t n)
{
    fuzz_results(bytes, n, ".csv");
}

static inline void fuzz_h5(const uint8_t *bytes, size_t n)
{
    fuzz_results(bytes, n, ".h5");
}

/* A method in a file. */
static inline void fuzz_method(const uint8_t *bytes, size_t n)
{
    const char *path = fuzz_file(".yaml", bytes, n);
    char text[TEMPORARY_PATH + 8];
    if (!path) return;
    snprintf(text, sizeof text, "file:%s", path);
    vgUserMethod *method = NULL;
    vgDiag *diag = vg_diag_new();
    vgStatus status = vg_user_load(text, NULL, diag, VG_NOWHERE, &method);
    fuzz_promise(status == VG_OK || vg_diag_errors(diag) > 0, "a method that is refused has words");
    if (status == VG_OK) vg_user_free(method);
    vg_diag_free(diag);
    unlink(path);
}

/* Loops of a robot, beside the robot. */
static inline void fuzz_loops(const uint8_t *bytes, size_t n)
{
    static const char robot[] =
        "<robot name='r'><link name='a'><inertial><mass value='1'/></inertial></link><link "
        "name='b'><inertial><mass value='1'/></inertial></link><link name='c'/><joint name='j' "
        "type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/><limit effort='1' "
        "velocity='1'/></joint><joint name='k' type='fixed'><parent link='b'/><child "
        "link='c'/></joint></robot>";
    const char *path = fuzz_file(".yaml", bytes, n);
    if (!path) return;
    vgImportOptions options = {.loops = path};
    vgPool *pool = vg_pool_new(0);
    vgDiag *diag = vg_diag_new();
    char *out = NULL;
    struct vgNode *spec =
        vg_import_spec(pool, robot, sizeof robot - 1, "fuzz", NULL, &options, diag, NULL, &out);
    fuzz_promise(spec || vg_diag_errors(diag) > 0, "loops that are refused have words");
    vgModel *model = spec && out ? vg_parse(out, strlen(out), "fuzz", NULL, NULL) : NULL;
    vg_model_free(model);
    vg_diag_free(diag);
    vg_pool_free(pool);
    unlink(path);
}

/* An FMU: its members, its description, a variable. */
static inline void fuzz_fmu(const uint8_t *bytes, size_t n)
{
    const char *path = fuzz_file(".fmu", bytes, n), *why = NULL;
    if (!path) return;
    vgZip *zip = vg_zip_read(path, &why);
    fuzz_promise(zip || (why && *why), "an archive that is refused has words");
    size_t all = 0;
    for (int i = 0; zip && i < vg_zip_count(zip) && all < 1 << 20; i++) {
        size_t size = 0;
        const char *name = vg_zip_name(zip, i);
        unsigned char *member = vg_zip_take(zip, i, &size);
        fuzz_promise(name[0] && name[0] != '/' && !strstr(name, "../"), "names stay in their folder");
        fuzz_promise(!member || member[size] == 0, "a zero is behind a member");
        free(member);
        all += size;
    }
    vgFmuRead is;
    char *xml = NULL;
    if (zip) why = vg_fmu_read(zip, &is, &xml);
    if (zip && !why) vg_fmu_find(xml, is.version, "a", 1, "input");
    free(xml);
    vg_zip_free(zip);
    /* the description alone, as an archive would hold it: most changes of an archive break its sums */
    if (n > 2 && bytes[0] == '<') {
        char *text = malloc(n + 1);
        if (text) memcpy(text, bytes, n), text[n] = 0;
        if (text) vg_fmu_find(text, 2, "a", 1, "input"), vg_fmu_find(text, 3, "b", 1, NULL);
        free(text);
    }
    unlink(path);
}

/* A file of mode shapes beside a model that uses it. */
static inline void fuzz_modes(const uint8_t *bytes, size_t n)
{
    const char *path = fuzz_file(".modes", bytes, n);
    if (!path) return;
    char model_path[120], text[400];
    snprintf(model_path, sizeof model_path, "%s.yaml", path);
    snprintf(text, sizeof text,
             "verge: 1\nflexible: {arm: {file: %s}}\n"
             "joints: {O: {revolute: [ground, arm], axis: z}}\nrun: {step: 1e-3, end: 1}\n",
             strrchr(path, '/') + 1);
    FILE *file = fopen(model_path, "wb");
    if (!file) return;
    fputs(text, file);
    fclose(file);
    vgDiag *diag = vg_diag_new();
    vgModel *model = vg_load(model_path, NULL, diag);
    fuzz_promise(model || vg_diag_errors(diag) > 0, "modes that are refused have words");
    if (!model && (n == 0 || bytes[0] != 0x89)) fuzz_errors_have_places(diag); /* HDF5 has no lines */
    if (model) fuzz_sim(model, NULL);
    vg_model_free(model);
    vg_diag_free(diag);
    unlink(path);
    unlink(model_path);
}

#endif
