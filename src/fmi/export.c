#include "base/file.h"
#include "fmi/export.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/zip/zip.h"
#include "fmi/describe.h"
#include "fmi/instance.h"
#include "io/record.h"

/* A change of a parameter by which it is found out what depends on it: large against rounding, small against the value. */
static const double CHANGE = 1.0 / 1024;

typedef struct Job {
    const vgModel *model;
    const vgFmuExport *how;
    vgDiag *diag;
    vgPool *pool;
    vgSource *source;
    vgSim *sim;
    vgFmuManifest is;
    const char **unit, **state;
    double *start; /* state of the simulation at its start */
} Job;

static vgStatus no_memory(Job *j)
{
    vg_diag_no_memory(j->diag);
    return VG_NO_MEMORY;
}

/* ---- parameters ---- */

/* The model with parameter i changed; NULL: that is no model, or *starved, there is no memory. */
static vgModel *changed_model(Job *j, int i, double value, int *starved)
{
    const vgModel *m = j->model;
    vgParamSet *set = calloc((size_t)j->how->nset + 1, sizeof *set);
    vgDiag *diag = vg_diag_new();
    int n = j->how->nset, at = n;
    *starved = !set || !diag;
    if (*starved) {
        free(set);
        vg_diag_free(diag);
        return NULL;
    }
    for (int k = 0; k < n; k++) { /* what the command line set is a number from here on */
        set[k].name = j->how->set[k].name;
        for (int p = 0; p < m->nparam; p++)
            if (strcmp(m->param_name[p], set[k].name) == 0) set[k].value = m->param_value[p];
        if (strcmp(set[k].name, m->param_name[i]) == 0) at = k;
    }
    set[at] = (vgParamSet){m->param_name[i], value, NULL};
    vgModel *model = vg_model_of(j->source, set, at == n ? n + 1 : n, diag);
    *starved = vg_diag_starved(diag);
    vg_diag_free(diag);
    free(set);
    return model;
}

static vgStatus open_sim(Job *j, const vgModel *model, vgDiag *diag, vgSim **out)
{
    const vgSimOptions options = {.coordinates = j->is.coordinates,
                                  .constraints = j->is.constraints,
                                  .integrator = j->is.integrator,
                                  .step = j->is.step};
    return vg_sim_new(model, &options, diag, out);
}

/* Samples of controllers are counted: another rate would move all that are to come. */
static int same_samples(const vgModel *a, const vgModel *b)
{
    for (int i = 0; i < a->ncontroller; i++) {
        const vgControllerHead *x = a->controller[i].def, *y = b->controller[i].def;
        if (x->sample != y->sample || x->offset != y->offset) return 0;
    }
    return 1;
}

/* 1: the model begins in the very same state, so that a run can go on with the other value. */
static int same_start(Job *j, const vgModel *other, int *starved)
{
    const int n = vg_sim_state_size(j->sim, NULL);
    vgSim *sim = NULL;
    double *x = calloc((size_t)n + 1, sizeof *x);
    vgStatus status = x ? open_sim(j, other, NULL, &sim) : VG_NO_MEMORY;
    *starved = status == VG_NO_MEMORY;
    int same = status == VG_OK && vg_sim_state_size(sim, NULL) == n && other->nturn == j->model->nturn &&
               other->npart == j->model->npart && vg_sim_state_get(sim, x) == VG_OK &&
               memcmp(x, j->start, (size_t)n * sizeof *x) == 0 &&
               other->ncontroller == j->model->ncontroller && same_samples(j->model, other);
    vg_sim_free(sim);
    free(x);
    return same;
}

/* What a change of each parameter changes says what it is: others that follow are calculated; where the start stays as it
 * is, it can be tuned. */
static vgStatus find_parameters(Job *j)
{
    const vgModel *m = j->model;
    j->is.nparam = m->nparam;
    j->is.param = VG_NEW(j->pool, vgFmuParam, m->nparam + 1);
    if (!j->is.param) return no_memory(j);
    for (int i = 0; i < m->nparam; i++)
        j->is.param[i] = (vgFmuParam){m->param_name[i], m->param_value[i], VG_FMU_FIXED};
    for (int i = 0; i < m->nparam; i++) {
        const double value = m->param_value[i];
        if (j->is.param[i].is == VG_FMU_CALCULATED) continue;
        int starved = 0;
        vgModel *other = changed_model(j, i, value != 0 ? value * (1 + CHANGE) : CHANGE, &starved);
        if (starved) return no_memory(j);
        if (!other) continue;
        for (int k = 0; k < m->nparam && other->nparam == m->nparam; k++)
            if (k != i && other->param_value[k] != m->param_value[k]) j->is.param[k].is = VG_FMU_CALCULATED;
        if (same_start(j, other, &starved)) j->is.param[i].is = VG_FMU_TUNABLE;
        vg_model_free(other);
        if (starved) return no_memory(j);
    }
    return VG_OK;
}

/* ---- inputs, outputs, states ---- */

static vgStatus find_inputs(Job *j)
{
    const vgFmuExport *how = j->how;
    const int all = vg_realtime_inputs(j->sim);
    j->is.input = VG_NEW(j->pool, const char *, (how->ninput > 0 ? how->ninput : all) + 1);
    if (!j->is.input) return no_memory(j);
    for (int i = 0; how->ninput < 0 && i < all; i++)
        j->is.input[j->is.ninput++] = vg_realtime_input(j->sim, i);
    for (int i = 0; i < how->ninput; i++) {
        const char *name = how->input[i] + (strncmp(how->input[i], "input.", 6) ? 0 : 6), *found = NULL;
        for (int k = 0; k < all; k++)
            if (strcmp(vg_realtime_input(j->sim, k), name) == 0) found = vg_realtime_input(j->sim, k);
        for (int k = 0; k < j->is.ninput && found; k++)
            if (j->is.input[k] == found) found = "";
        if (!found) {
            const char *near = vg_name_closest(name, j->sim->inputs.name, all);
            vg_diag_error(j->diag, VG_NOWHERE, "no law of the model names 'input.%.100s'%s%s%s", name,
                          near ? ", did you mean 'input." : "", near ? near : "", near ? "'?" : "");
            return VG_BAD_INPUT;
        }
        if (*found) j->is.input[j->is.ninput++] = found;
    }
    return VG_OK;
}

static vgStatus find_outputs(Job *j)
{
    const vgSystem *sys = j->sim->run.sys;
    vgChannels *c = NULL;
    const vgRecordMore none = {0};
    vgStatus status = j->how->noutput < 0
                          ? vg_record_channels(sys, j->model, &none, j->diag, &c)
                          : vg_channels_new(sys, j->how->output, j->how->noutput, j->diag, &c);
    if (status != VG_OK) return status;
    const int n = vg_channels_count(c);
    j->is.output = VG_NEW(j->pool, const char *, n + 1);
    j->unit = VG_NEW(j->pool, const char *, n + 1);
    for (int i = 0; i < n && j->is.output && j->unit; i++) {
        if (strcmp(vg_channels_name(c, i), "time") == 0) continue; /* every FMU has it */
        const int k = j->is.noutput++;
        j->is.output[k] = vg_pool_strdup(j->pool, vg_channels_name(c, i));
        j->unit[k] = vg_pool_strdup(j->pool, vg_channels_unit(c, i));
        if (!j->is.output[k] || !j->unit[k]) status = VG_NO_MEMORY;
    }
    vg_channels_free(c);
    return j->is.output && j->unit && status == VG_OK ? VG_OK : no_memory(j);
}

static vgStatus find_states(Job *j)
{
    const int n = vg_sim_state_size(j->sim, NULL);
    j->start = VG_NEW(j->pool, double, n + 1);
    j->state = VG_NEW(j->pool, const char *, n + 1);
    if (!j->start || !j->state) return no_memory(j);
    if (vg_sim_state_get(j->sim, j->start) != VG_OK) return VG_NO_MEMORY;
    if (!j->how->exchange) return VG_OK;
    j->is.nstate = n;
    for (int i = 0; i < n; i++)
        if (!(j->state[i] = vg_sim_state_name(j->sim, i))) return no_memory(j);
    return VG_OK;
}

/* ---- the simulation ---- */

/* Coordinates that an integrator outside can use: as many numbers as freedoms, without a manifold. */
static int is_plain(const vgSim *sim)
{
    return sim->run.sys->vector_space && sim->run.sys->nq == sim->run.sys->nv;
}

static vgStatus open_exchange(Job *j)
{
    static const char *const tried[] = {"relative", "planar", "euler-angles"};
    j->is.integrator = "rk4"; /* not used; any that asks for accelerations */
    j->is.constraints = "index1";
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        const char *asked = j->how->coordinates;
        j->is.coordinates = asked ? asked : tried[i];
        vgStatus status = open_sim(j, j->model, asked ? j->diag : NULL, &j->sim);
        if (status == VG_OK && is_plain(j->sim)) return VG_OK;
        vg_sim_free(j->sim);
        j->sim = NULL;
        if (asked && status != VG_OK) return status;
        if (asked) break;
    }
    vg_diag_error(j->diag, VG_NOWHERE,
                  "model exchange needs coordinates whose rates are their velocities (relative, planar, "
                  "euler-angles), and %s; co-simulation (--type cs) takes every model",
                  j->how->coordinates ? "these are others" : "none of them can start this model");
    return VG_UNSUPPORTED;
}

static vgStatus open_model(Job *j)
{
    const vgFmuExport *how = j->how;
    j->is.coordinates = how->coordinates, j->is.constraints = how->constraints,
    j->is.integrator = how->integrator;
    j->is.step = how->step;
    j->is.exchange = how->exchange;
    if (how->exchange) return open_exchange(j);
    vgStatus status = open_sim(j, j->model, j->diag, &j->sim);
    if (status == VG_OK && !(j->sim->step > 0) && !j->sim->run.it->adaptive) {
        vg_diag_error(j->diag, j->model->run.loc,
                      "no step: give run: {step: H} in the model or --step H (or an adaptive integrator)");
        return VG_BAD_INPUT;
    }
    return status;
}

/* Every variable has a name of its own, which fits on one line. */
static vgStatus check_names(Job *j)
{
    const vgFmuManifest *m = &j->is;
    vgNames *names = vg_names_new();
    vgStatus status = names ? vg_names_add(names, "time", NULL, NULL) : VG_NO_MEMORY;
    for (int i = 0; i < m->nparam + m->noutput && status == VG_OK; i++) {
        const char *name = i < m->nparam ? m->param[i].name : m->output[i - m->nparam];
        int existed = 0, index;
        status = vg_names_add(names, name, &index, &existed);
        if (status != VG_OK || (!existed && !strpbrk(name, "\r\n"))) continue;
        vg_diag_error(j->diag, VG_NOWHERE, "the name '%.100s' %s", name,
                      existed ? "stands for two variables of the FMU" : "does not fit on one line");
        status = VG_BAD_INPUT;
    }
    vg_names_free(names);
    return status == VG_NO_MEMORY ? no_memory(j) : status;
}

/* ---- the file ---- */

static unsigned long long mix(unsigned long long h, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < n; i++) h = (h ^ at[i]) * 1099511628211ull; /* FNV-1a */
    return h;
}

/* A token made from what the FMU says, so that the same model gives the same FMU. */
static const char *token_of(Job *j, const vgText *manifest)
{
    const char *text = j->model->text ? j->model->text : "";
    unsigned long long a = mix(14695981039346656037ull, manifest->at, manifest->used);
    a = mix(a, text, strlen(text));
    const unsigned long long b = mix(a, VERGE_VERSION_STRING, sizeof VERGE_VERSION_STRING);
    return vg_pool_printf(j->pool, "{%08llx-%04llx-%04llx-%04llx-%012llx}", a >> 32, a >> 16 & 0xffff,
                          a & 0xffff, b >> 48, b & 0xffffffffffffull);
}

static unsigned char *read_file(Job *j, const char *path, size_t *n)
{
    const char *why = vg_file_wrong(path);
    FILE *f = why ? NULL : fopen(path, "rb");
    long size = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    unsigned char *bytes = size >= 0 ? malloc((size_t)size + 1) : NULL;
    *n = bytes && fseek(f, 0, SEEK_SET) == 0 ? fread(bytes, 1, (size_t)size, f) : 0;
    if (f) fclose(f);
    if (bytes && *n == (size_t)size) return bytes;
    vg_diag_error(j->diag, VG_NOWHERE, "'%s' cannot be read: %s", path, why ? why : vg_file_why(errno));
    free(bytes);
    return NULL;
}

static vgStatus put_file(Job *j, vgZipOut *zip, const char *name, const char *path, size_t *size)
{
    size_t n;
    unsigned char *bytes = read_file(j, path, &n);
    if (!bytes) return VG_IO;
    vg_zip_put(zip, name, bytes, n);
    if (size) *size = n;
    free(bytes);
    return VG_OK;
}

/* The model's text, and what it was read from beside it. */
static vgStatus put_model(Job *j, vgZipOut *zip, vgFmuReport *report)
{
    const char *path = j->model->path, *slash = strrchr(path, '/');
    const char *folder = slash ? vg_pool_strndup(j->pool, path, (size_t)(slash - path + 1)) : "./";
    const char *name = vg_pool_printf(j->pool, "resources/model/%s", j->is.model);
    if (!folder || !name) return no_memory(j);
    vg_zip_put(zip, name, j->model->text, strlen(j->model->text));
    report->files = 1;
    for (const vgModelFile *f = j->model->files; f; f = f->next) {
        int again = strcmp(f->name, j->is.model) == 0;
        for (const vgModelFile *g = f->next; g; g = g->next) again |= strcmp(f->name, g->name) == 0;
        if (again) continue;
        const char *from = vg_pool_printf(j->pool, "%s%s", folder, f->name),
                   *to = vg_pool_printf(j->pool, "resources/model/%s", f->name);
        if (!from || !to) return no_memory(j);
        vgStatus status = put_file(j, zip, to, from, NULL);
        if (status != VG_OK) return status;
        report->files++;
    }
    return VG_OK;
}

/* Letters, digits and _ of the file's name without its ending. */
static const char *identifier_of(Job *j, const char **stem)
{
    const char *path = j->model->path, *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path,
               *dot = strrchr(name, '.');
    *stem = vg_pool_strndup(j->pool, name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
    char *id = *stem
                   ? vg_pool_printf(j->pool, "%s%s", (*stem)[0] >= '0' && (*stem)[0] <= '9' ? "m" : "", *stem)
                   : NULL;
    for (char *c = id; c && *c; c++) {
        const int plain = (*c >= '0' && *c <= '9') || (*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z');
        if (!plain) *c = '_';
    }
    return id;
}

static vgStatus put_binaries(Job *j, vgZipOut *zip, const char *id, vgFmuReport *report)
{
    vgStatus status = VG_OK;
    for (int i = 0; i < j->how->nbinary && status == VG_OK; i++) {
        const vgFmuBinary *b = &j->how->binary[i];
        const char *to =
            vg_pool_printf(j->pool, "binaries/%s/%s.%s", vg_fmi_folder(b->platform, j->how->version), id,
                           b->platform->library);
        status = to ? put_file(j, zip, to, b->file, &report->bytes[i]) : no_memory(j);
    }
    return status;
}

static vgStatus fill(Job *j, vgZipOut *zip, vgFmuReport *report)
{
    vgText manifest = {0}, xml = {0};
    const char *stem, *id = identifier_of(j, &stem);
    if (!id) return no_memory(j);
    j->is.model = vg_pool_printf(j->pool, "%s.yaml", stem);
    if (!j->is.model) return no_memory(j);
    vg_fmu_manifest_write(&j->is, &manifest);
    j->is.token = token_of(j, &manifest);
    vg_text_clear(&manifest);
    vg_fmu_manifest_write(&j->is, &manifest);
    const vgFmuDescription d = {.version = j->how->version,
                                .is = &j->is,
                                .name = stem,
                                .identifier = id,
                                .title = j->model->title,
                                .unit = j->unit,
                                .state = j->state,
                                .stop = j->model->run.end,
                                .step = j->is.exchange ? 0 : j->sim->step};
    vg_fmu_describe(&d, &xml);
    vgStatus status = j->is.token && vg_text_ok(&manifest) && vg_text_ok(&xml) ? VG_OK : no_memory(j);
    if (status == VG_OK) {
        vg_zip_put(zip, "modelDescription.xml", xml.at, xml.used);
        vg_zip_put(zip, "resources/" VG_FMU_MANIFEST, manifest.at, manifest.used);
        status = put_model(j, zip, report);
        if (status == VG_OK) status = put_binaries(j, zip, id, report);
    }
    vg_text_free(&manifest);
    vg_text_free(&xml);
    return status;
}

static vgStatus write_file(Job *j, vgFmuReport *report)
{
    vgZipOut zip;
    if (!vg_zip_open(&zip, j->how->path)) {
        vg_diag_error(j->diag, VG_NOWHERE, "'%s' cannot be written: %s", j->how->path, vg_file_why(errno));
        return VG_IO;
    }
    vgStatus status = fill(j, &zip, report);
    if (status != VG_OK) {
        vg_zip_abandon(&zip);
        return status;
    }
    if (vg_zip_close(&zip)) return VG_OK;
    vg_diag_error(j->diag, VG_NOWHERE, "'%s' could not be written: %s", j->how->path, vg_file_why(errno));
    return VG_IO;
}

vgStatus vg_fmu_export(const vgModel *model, const vgFmuExport *how, vgDiag *diag, vgFmuReport *report)
{
    Job j = {.model = model, .how = how, .diag = diag, .pool = vg_pool_new(0)};
    *report = (vgFmuReport){0};
    vgStatus status = j.pool ? VG_OK : no_memory(&j);
    if (status == VG_OK && !(j.source = vg_source_new(model->path, NULL, 0, NULL, diag)))
        status = VG_BAD_INPUT;
    if (status == VG_OK) status = open_model(&j);
    if (status == VG_OK) status = find_inputs(&j);
    if (status == VG_OK) status = find_outputs(&j);
    if (status == VG_OK) status = find_states(&j);
    if (status == VG_OK) status = find_parameters(&j);
    if (status == VG_OK) status = check_names(&j);
    if (status == VG_OK) status = write_file(&j, report);
    const vgFmuManifest *m = &j.is;
    report->parameters = m->nparam, report->inputs = m->ninput, report->outputs = m->noutput,
    report->states = m->nstate;
    for (int i = 0; status == VG_OK && i < m->nparam; i++) {
        report->tunable += m->param[i].is == VG_FMU_TUNABLE;
        report->calculated += m->param[i].is == VG_FMU_CALCULATED;
    }
    vg_sim_free(j.sim);
    vg_source_free(j.source);
    vg_pool_free(j.pool);
    return status;
}
