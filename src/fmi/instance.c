/* Life of an instance: made from the files of its resources, built when parameters are known. */
#include "fmi/instance.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run/motion.h"
#include "base/file.h"
#include "base/os.h"
#include "fmi/exchange.h"

/* ---- log ---- */

static void log_words(const vgFmu *f, vgFmuStatus status, const char *format, va_list args)
{
    static const char *const category[] = {"logAll", "logStatusWarning", "logStatusDiscard", "logStatusError",
                                           "logStatusFatal"};
    char words[VG_FMU_WORDS];
    if (!f->caller.send || (status == VG_FMU_OK && !f->caller.logging)) return;
    vsnprintf(words, sizeof words, format, args);
    f->caller.send(f, status, category[status], words);
}

void vg_fmu_say(const vgFmu *f, vgFmuStatus status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    log_words(f, status, format, args);
    va_end(args);
}

vgFmuStatus vg_fmu_wrong(const vgFmu *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    log_words(f, VG_FMU_ERROR, format, args);
    va_end(args);
    return VG_FMU_ERROR;
}

/* Lines of the diagnostics; what is no error is a warning. */
static vgFmuStatus say_diag(vgFmu *f)
{
    const int errors = vg_diag_errors(f->diag);
    for (int i = 0; i < vg_diag_count(f->diag); i++)
        vg_fmu_say(f, errors ? VG_FMU_ERROR : VG_FMU_WARNING, "%s", vg_diag_line(f->diag, i));
    vg_diag_clear(f->diag);
    return VG_FMU_ERROR;
}

int vg_fmu_may(const vgFmu *f, const char *function, unsigned modes)
{
    static const char *const name[] = {"before initialization",   "in initialization mode",
                                       "between steps",           "in event mode",
                                       "in continuous-time mode", "after a step that was not done to its end",
                                       "after it was terminated"};
    int k = 0;
    if (!f) return 0;
    if (f->mode & modes) return 1;
    while (!(f->mode >> k & 1)) k++;
    vg_fmu_wrong(f, "%s is not allowed %s", function, name[k]);
    return 0;
}

/* ---- made ---- */

static char *read_text(vgPool *pool, const char *path)
{
    FILE *file = vg_file_wrong(path) ? NULL : fopen(path, "rb");
    long n = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *text = n >= 0 ? vg_pool_alloc(pool, (size_t)n + 1) : NULL;
    if (text && fseek(file, 0, SEEK_SET) == 0 && fread(text, 1, (size_t)n, file) == (size_t)n)
        text[n] = 0;
    else
        text = NULL;
    if (file) fclose(file);
    return text;
}

static int read_resources(vgFmu *f, const char *resources)
{
    const char *path = vg_pool_printf(f->pool, "%s/%s", resources, VG_FMU_MANIFEST);
    char *text = path ? read_text(f->pool, path) : NULL;
    if (!text) {
        vg_fmu_wrong(f, "'%s' of this FMU's resources cannot be read", path ? path : resources);
        return 0;
    }
    void *callers = vg_os_points_begin();
    int good = vg_fmu_manifest_read(text, f->pool, &f->is);
    vg_os_points_end(callers);
    if (!good) {
        vg_fmu_wrong(f, "'%s' is of another version of Verge, or damaged", path);
        return 0;
    }
    path = vg_pool_printf(f->pool, "%s/model/%s", resources, f->is.model);
    f->source = path ? vg_source_load(path, f->diag) : NULL;
    if (!f->source) say_diag(f);
    return f->source != NULL;
}

static int make_room(vgFmu *f)
{
    const vgFmuManifest *m = &f->is;
    f->param = VG_NEW(f->pool, double, m->nparam + 1);
    f->input = VG_NEW(f->pool, double, m->ninput + 1);
    f->output = VG_NEW(f->pool, double, m->noutput + 1);
    f->input_at = VG_NEW(f->pool, int, m->ninput + 1);
    f->x = VG_NEW(f->pool, double, m->nstate + 1);
    f->rate = VG_NEW(f->pool, double, m->nstate + 1);
    if (!f->param || !f->input || !f->output || !f->input_at || !f->x || !f->rate) return 0;
    for (int i = 0; i < m->nparam; i++) f->param[i] = m->param[i].value;
    return 1;
}

static int fill(vgFmu *f, int exchange, const char *token, const char *resources)
{
    if (!token || !resources)
        return vg_fmu_wrong(f, "%s is NULL", token ? "the folder of resources" : "the token"), 0;
    if (!read_resources(f, resources)) return 0;
    if (strcmp(token, f->is.token) != 0)
        return vg_fmu_wrong(f, "the token '%.100s' is not that of this FMU, '%s'", token, f->is.token), 0;
    if (exchange != f->is.exchange)
        return vg_fmu_wrong(f, "this FMU is for %s", f->is.exchange ? "model exchange" : "co-simulation"), 0;
    if (make_room(f)) return 1;
    return vg_fmu_wrong(f, "out of memory"), 0;
}

vgFmu *vg_fmu_new(const vgFmuCaller *caller, int exchange, const char *token, const char *resources)
{
    vgFmu *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->caller = *caller;
    f->mode = VG_FMU_INSTANTIATED;
    f->pool = vg_pool_new(0);
    f->diag = vg_diag_new();
    f->name = f->pool ? vg_pool_strdup(f->pool, caller->name ? caller->name : "") : NULL;
    f->caller.name = f->name ? f->name : "";
    void *callbacks = f->pool ? vg_pool_alloc(f->pool, caller->size) : NULL;
    if (callbacks) memcpy(callbacks, caller->callbacks, caller->size), f->caller.callbacks = callbacks;
    int good = f->diag && f->name && callbacks;
    if (good && !f->name[0]) good = 0, vg_fmu_wrong(f, "the instance has no name");
    if (good && fill(f, exchange, token, resources)) return f;
    vg_fmu_free(f);
    return NULL;
}

static void drop(vgFmu *f)
{
    vg_state_free(f->shown);
    vg_work_free(f->shown_work);
    f->shown = NULL;
    f->shown_work = NULL;
    vg_sim_free(f->sim);
    vg_model_free(f->model);
    f->sim = NULL;
    f->model = NULL;
    f->read = 0;
}

void vg_fmu_free(vgFmu *f)
{
    if (!f) return;
    drop(f);
    vg_source_free(f->source);
    vg_diag_free(f->diag);
    vg_pool_free(f->pool);
    free(f);
}

vgFmuStatus vg_fmu_reset(vgFmu *f)
{
    drop(f);
    for (int i = 0; i < f->is.nparam; i++) f->param[i] = f->is.param[i].value;
    memset(f->input, 0, (size_t)f->is.ninput * sizeof *f->input);
    f->mode = VG_FMU_INSTANTIATED;
    f->tuned = f->has_stop = f->moved = f->corrected = 0;
    return VG_FMU_OK;
}

/* ---- built ---- */

static vgModel *make_model(vgFmu *f)
{
    vgSetting *set = calloc((size_t)f->is.nparam + 1, sizeof *set);
    int n = 0;
    for (int i = 0; set && i < f->is.nparam; i++)
        if (f->is.param[i].is != VG_FMU_CALCULATED)
            set[n++] = (vgSetting){f->is.param[i].name, f->param[i], NULL};
    vgModel *model = set ? vg_source_model(f->source, set, n, f->diag) : NULL;
    free(set);
    return model;
}

/* Inputs and outputs by name; another value of a parameter may have removed them. */
static vgFmuStatus connect(vgFmu *f, vgSim *sim)
{
    int count = 0, nx = 0;
    for (int i = 0; i < f->is.ninput; i++) {
        int k = 0;
        while (vg_realtime_input(sim, k) && strcmp(vg_realtime_input(sim, k), f->is.input[i]) != 0) k++;
        if (!vg_realtime_input(sim, k))
            return vg_fmu_wrong(f, "with these parameters the model has no input '%s'", f->is.input[i]);
        f->input_at[i] = k;
    }
    if (vg_sim_watch(sim, f->is.output, f->is.noutput, &count) != VG_OK || count != f->is.noutput)
        return vg_fmu_wrong(f, "with these parameters the model has other outputs: %s", vg_sim_error(sim));
    nx = vg_sim_state_size(sim, NULL);
    if (f->is.exchange && nx != f->is.nstate)
        return vg_fmu_wrong(f, "with these parameters the model has %d states instead of %d", nx,
                            f->is.nstate);
    return VG_FMU_OK;
}

static vgFmuStatus put_inputs(vgFmu *f, vgSim *sim)
{
    for (int i = 0; i < f->is.ninput; i++)
        if (vg_sim_set_inputs(sim, f->input_at[i], 1, &f->input[i]) != VG_OK)
            return vg_fmu_wrong(f, "input '%s': %s", f->is.input[i], vg_sim_error(sim));
    return VG_FMU_OK;
}

/* The start of the model at the start time; drives may be elsewhere by then. */
static vgFmuStatus put_time(vgFmu *f, vgSim *sim)
{
    const int n = vg_sim_state_size(sim, NULL);
    double *x = calloc((size_t)n + 1, sizeof *x);
    if (!x) return vg_fmu_wrong(f, "out of memory");
    vgStatus status = vg_sim_state_get(sim, x);
    if (status == VG_OK) status = vg_sim_state_set(sim, f->start, x, 1);
    free(x);
    return status == VG_OK
               ? VG_FMU_OK
               : vg_fmu_wrong(f, "the model cannot begin at t = %g s: %s", f->start, vg_sim_error(sim));
}

/* The present state of the old simulation in the new one, whose model has other parameters; joints that these move are
 * closed with the least change. */
static vgFmuStatus carry(vgFmu *f, vgSim *old, vgSim *sim)
{
    const int n = vg_sim_state_size(sim, NULL), turns = sim->model->nturn;
    const size_t size = vg_channels_sums_size(sim->watched);
    unsigned char *sums = malloc(size);
    double *x = calloc((size_t)n + 1, sizeof *x);
    vgFmuStatus status = sums && x ? VG_FMU_OK : vg_fmu_wrong(f, "out of memory");
    if (status == VG_FMU_OK && (n != vg_sim_state_size(old, NULL) || turns != old->model->nturn))
        status = vg_fmu_wrong(f, "these parameters change what the state of the model consists of");
    if (status == VG_FMU_OK && vg_sim_state_get(old, x) != VG_OK)
        status = vg_fmu_wrong(f, "%s", vg_sim_error(old));
    if (status == VG_FMU_OK) {
        if (turns) memcpy(sim->run.state->turn, old->run.state->turn, (size_t)turns * sizeof(double));
        if (vg_channels_sums_size(old->watched) ==
            size) { /* else switches of the model changed its elements */
            vg_channels_sums_keep(old->watched, sums);
            vg_channels_sums_bring_back(sim->watched, sums);
        }
        if (vg_sim_state_set(sim, vg_sim_time(old), x, 1) != VG_OK)
            status = vg_fmu_wrong(f, "with these parameters the model cannot go on: %s", vg_sim_error(sim));
    }
    free(sums);
    free(x);
    return status;
}

static vgFmuStatus build(vgFmu *f)
{
    const vgFmuManifest *m = &f->is;
    const vgSimOptions options = {.coordinates = m->coordinates,
                                  .constraints = m->constraints,
                                  .integrator = m->integrator,
                                  .step = m->step};
    vgModel *model = make_model(f);
    vgSim *sim = NULL;
    vgFmuStatus status = VG_FMU_OK;
    if (!model || vg_sim_new(model, &options, f->diag, &sim) != VG_OK) {
        if (!vg_diag_count(f->diag)) vg_fmu_wrong(f, "out of memory");
        status = VG_FMU_ERROR;
    }
    say_diag(f);
    if (status == VG_FMU_OK) status = connect(f, sim);
    if (status == VG_FMU_OK && f->mode & VG_FMU_RUNNING)
        status = carry(f, f->sim, sim);
    else if (status == VG_FMU_OK && f->start != 0)
        status = put_time(f, sim);
    if (status == VG_FMU_OK) status = put_inputs(f, sim);
    if (status != VG_FMU_OK) {
        vg_sim_free(sim);
        vg_model_free(model);
        return status;
    }
    drop(f);
    f->model = model;
    f->sim = sim;
    if (!m->exchange && vg_motion_is_shown(sim->run.it) && /* reactions as in samples of a run */
        (vg_state_new(sim->run.sys, 0, &f->shown) != VG_OK ||
         vg_work_new_lean(sim->run.sys, &f->shown_work) != VG_OK))
        return vg_fmu_wrong(f, "out of memory");
    f->tuned = 0;
    for (int i = 0; i < m->nparam; i++)
        for (int k = 0; k < model->nparam; k++)
            if (strcmp(model->param_name[k], m->param[i].name) == 0) f->param[i] = model->param_value[k];
    return VG_FMU_OK;
}

vgFmuStatus vg_fmu_refresh(vgFmu *f)
{
    if (f->sim && !f->tuned) return VG_FMU_OK;
    const int outside = f->is.exchange && f->mode & VG_FMU_RUNNING; /* the state is the environment's */
    vgFmuStatus status = outside ? vg_fmu_evaluate(f) : VG_FMU_OK;
    if (status == VG_FMU_OK) status = build(f);
    return status == VG_FMU_OK && outside ? vg_fmu_fetch(f) : status;
}

vgFmuStatus vg_fmu_enter_initialization(vgFmu *f, double start, int has_stop, double stop)
{
    if (!isfinite(start) || (has_stop && !(stop >= start)))
        return vg_fmu_wrong(f, "start and stop time must be finite numbers, in this order");
    f->start = start, f->has_stop = has_stop, f->stop = stop;
    f->tuned = 1;
    vgFmuStatus status = vg_fmu_refresh(f);
    if (status == VG_FMU_OK) f->mode = VG_FMU_INITIALIZATION;
    return status;
}

vgFmuStatus vg_fmu_exit_initialization(vgFmu *f)
{
    vgFmuStatus status = vg_fmu_refresh(f);
    if (status != VG_FMU_OK) return status;
    if (vg_sim_settle(f->sim) != VG_OK) return vg_fmu_wrong(f, "%s", vg_sim_error(f->sim));
    if (f->is.exchange) status = vg_fmu_fetch(f);
    if (status != VG_FMU_OK) return status;
    f->mode = f->is.exchange || f->caller.event_mode ? VG_FMU_EVENT : VG_FMU_STEP;
    f->t = vg_sim_time(f->sim);
    return VG_FMU_OK;
}
