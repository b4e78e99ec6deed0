/* Robot files of tests/io/robots, started at given joint coordinates, and channels of their first moment. */
#ifndef TESTS_IO_ROBOT_FILES_H
#define TESTS_IO_ROBOT_FILES_H

#include <stdlib.h>
#include <verge/verge.h>

#include "model/import.h"
#include "test.h"

typedef struct robotSim {
    vgPool *pool;
    vgDiag *diag;
    vgModel *model;
    vgSim *sim;
    vgImportReport report;
    char *text; /* the model */
} robotSim;

static inline void robot_close(robotSim *s)
{
    vg_sim_free(s->sim);
    vg_model_free(s->model);
    vg_diag_free(s->diag);
    vg_pool_free(s->pool);
}

/* file in tests/io/robots; settings: "NAME=VALUE" …, NULL. 0 with a failed check. */
static inline int robot_open(robotSim *s, const char *file, const vgImportOptions *options,
                             const char *const *settings, const char *coordinates)
{
    char path[1000];
    vgImportOptions none = {0};
    *s = (robotSim){.pool = vg_pool_new(0), .diag = vg_diag_new()};
    snprintf(path, sizeof path, "%s/tests/io/robots/%s", VERGE_SOURCE_DIR, file);
    s->text = vg_import_file(s->pool, path, options ? options : &none, s->diag, &s->report);
    if (s->text) s->model = vg_parse(s->text, strlen(s->text), file, settings, s->diag);
    vgSimOptions dials = {.coordinates = coordinates, .constraints = "index1", .step = 1e-3};
    int ok = s->model && vg_sim_new(s->model, &dials, s->diag, &s->sim) == VG_OK;
    CHECK(ok);
    for (int i = 0; !ok && i < vg_diag_count(s->diag); i++) printf("%s\n", vg_diag_line(s->diag, i));
    return ok;
}

/* The text is no model, and the first line says why. */
static inline void robot_refused(const char *name, const char *text, const char *why)
{
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_parse(text, strlen(text), name, NULL, diag);
    CHECK(m == NULL);
    CHECK_STR(vg_diag_line(diag, 0), why);
    vg_model_free(m);
    vg_diag_free(diag);
}

/* The text as a model that runs; 0 with a failed check. */
static inline int robot_parse(robotSim *s, const char *text, const vgImportOptions *options,
                              const char *coordinates)
{
    *s = (robotSim){.pool = vg_pool_new(0), .diag = vg_diag_new()};
    if (vg_import_spec(s->pool, text, strlen(text), "robot", NULL, options, s->diag, &s->report, &s->text))
        s->model = vg_parse(s->text, strlen(s->text), "robot", NULL, s->diag);
    vgSimOptions dials = {.coordinates = coordinates};
    int ok = s->model && vg_sim_new(s->model, &dials, s->diag, &s->sim) == VG_OK;
    CHECK(ok);
    for (int i = 0; !ok && i < vg_diag_count(s->diag); i++) printf("%s\n", vg_diag_line(s->diag, i));
    return ok;
}

static inline double robot_get(robotSim *s, const char *channel)
{
    double value = NAN;
    CHECK(vg_sim_get(s->sim, channel, &value) == VG_OK);
    return value;
}

#endif
