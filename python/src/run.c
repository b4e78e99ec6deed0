/* verge._core: runs, rollouts and certificates of a model. */
#include "core.h"

#include <string.h>

typedef struct Progress {
    PyObject *function;
    double looked;
    PyThreadState *thread;
} Progress;

/* ---- runs ---- */

static int run_progress(void *user, double t, double end, long steps)
{
    Progress *p = user;
    return core_signals(p->function, &p->looked, t, end, steps);
}

static const char RUN[] = "verge.run";

static void free_run(PyObject *capsule)
{
    vg_run_free(PyCapsule_GetPointer(capsule, RUN));
    PyObject *model = PyCapsule_GetContext(capsule);
    Py_XDECREF(model);
}

/* The run as a dict; the capsule keeps it for its file. */
static PyObject *tell_run(coreModel *self, vgRun *run)
{
    PyObject *capsule = PyCapsule_New(run, RUN, free_run), *d = PyDict_New();
    if (!capsule) vg_run_free(run);
    if (capsule && d) {
        Py_INCREF((PyObject *)self);
        PyCapsule_SetContext(capsule, self);
        const Py_ssize_t n = run->nrow;
        int wrong =
            core_set(d, "run", capsule) < 0 || core_set(d, "time", core_array(run->time, n)) < 0 ||
            core_set(d, "values", core_array(run->value, n * run->nchannel)) < 0 ||
            core_set(d, "names", core_list_of_texts(run->name, run->nchannel)) < 0 ||
            core_set(d, "units", core_list_of_texts(run->unit, run->nchannel)) < 0 ||
            core_set(d, "warnings", core_list_of_texts(run->warning, run->nwarning)) < 0 ||
            core_set(d, "json", PyUnicode_DecodeUTF8(run->json, (Py_ssize_t)strlen(run->json), "replace")) <
                0 ||
            core_set(d, "status", PyLong_FromLong(run->status)) < 0 ||
            core_set(d, "error",
                     PyUnicode_DecodeUTF8(run->error, (Py_ssize_t)strlen(run->error), "replace")) < 0 ||
            core_set(d, "t", PyFloat_FromDouble(run->t)) < 0;
        if (!wrong) return d;
    } else {
        Py_XDECREF(capsule);
    }
    Py_XDECREF(d);
    return NULL;
}

/* run(coordinates, constraints, integrator, step, end, interval, every, events, channels, progress) → dict */
PyObject *core_model_run(coreModel *self, PyObject *args)
{
    vgRunHow how = {0};
    PyObject *channels, *progress, *keep;
    if (!PyArg_ParseTuple(args, "zzzdddipOO", &how.coordinates, &how.constraints, &how.integrator, &how.step,
                          &how.end, &how.interval, &how.every, &how.events, &channels, &progress))
        return NULL;
    const char **names = core_texts(channels, &how.nchannel, &keep);
    if (!names) return NULL;
    Progress p = {.function = progress};
    vgRun *run = NULL;
    how.channels = names, how.progress = run_progress, how.user = &p;
    vg_diag_clear(self->diag);
    Py_BEGIN_ALLOW_THREADS;
    vg_run(self->model, &how, self->diag, &run);
    Py_END_ALLOW_THREADS;
    PyMem_Free(names);
    Py_DECREF(keep);
    if (PyErr_Occurred() || core_raised(self)) {
        vg_run_free(run);
        return NULL;
    }
    return run ? tell_run(self, run) : core_fail(self, VG_BAD_INPUT, "");
}

/* run_save(run, model, path) */
PyObject *core_run_save(PyObject *module, PyObject *args)
{
    PyObject *capsule, *model;
    const char *path;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO!s", &capsule, (PyTypeObject *)core_model_type, &model, &path))
        return NULL;
    const vgRun *run = PyCapsule_GetPointer(capsule, RUN);
    if (!run) return NULL;
    vgDiag *diag = ((coreModel *)model)->diag;
    vgStatus status;
    vg_diag_clear(diag);
    Py_BEGIN_ALLOW_THREADS;
    status = vg_run_save(run, path, diag);
    Py_END_ALLOW_THREADS;
    if (status != VG_OK) return core_fail((coreModel *)model, status, "");
    Py_RETURN_NONE;
}

/* view(results files, page) */
PyObject *core_view(PyObject *module, PyObject *args)
{
    PyObject *files, *keep;
    const char *page;
    int n;
    (void)module;
    if (!PyArg_ParseTuple(args, "Os", &files, &page)) return NULL;
    const char **name = core_texts(files, &n, &keep);
    if (!name) return NULL;
    vgDiag *diag = vg_diag_new();
    vgStatus status;
    Py_BEGIN_ALLOW_THREADS;
    status = vg_view(name, n, page, diag);
    Py_END_ALLOW_THREADS;
    PyMem_Free(name);
    Py_DECREF(keep);
    char words[500];
    PyOS_snprintf(words, sizeof words, "%s",
                  vg_diag_count(diag) ? vg_diag_line(diag, 0) : vg_status_text(status));
    vg_diag_free(diag);
    if (status != VG_OK) return core_fail(NULL, status, words);
    Py_RETURN_NONE;
}

/* ---- rollouts ---- */

static int rollout_progress(void *user, long done)
{
    Progress *p = user;
    return core_signals(p->function, &p->looked, (double)done, 0, 0);
}

/* rollout(coordinates, constraints, integrator, step, count, steps, t, states, project, inputs, same_inputs, channels,
 * states_out, channels_out, status_out, threads) → words of the first failure; arrays are bytearrays or None */
PyObject *core_model_rollout(coreModel *self, PyObject *args)
{
    vgRolloutHow how = {0};
    PyObject *states, *inputs, *channels, *states_out, *channels_out, *status, *keep;
    if (!PyArg_ParseTuple(args, "zzzdiidOpOpOOOOi", &how.coordinates, &how.constraints, &how.integrator,
                          &how.step, &how.count, &how.steps, &how.t, &states, &how.project, &inputs,
                          &how.same_inputs, &channels, &states_out, &channels_out, &status, &how.threads))
        return NULL;
    int none;
    how.states = core_numbers(states, 0, &none);
    how.inputs = core_numbers(inputs, 0, &none);
    how.states_out = core_numbers(states_out, 0, &none);
    how.channels_out = core_numbers(channels_out, 0, &none);
    how.status = PyErr_Occurred() ? NULL : (int *)(void *)core_numbers(status, 0, NULL);
    const char **names = PyErr_Occurred() ? NULL : core_texts(channels, &how.nchannel, &keep);
    if (!names) return NULL;
    Progress p = {0};
    vgStatus result;
    how.channels = names, how.progress = rollout_progress, how.user = &p;
    vg_diag_clear(self->diag);
    Py_BEGIN_ALLOW_THREADS;
    result = vg_rollout(self->model, &how, self->diag);
    Py_END_ALLOW_THREADS;
    PyMem_Free(names);
    Py_DECREF(keep);
    if (PyErr_Occurred() || core_raised(self)) return NULL;
    return result == VG_OK ? core_lines(self) : core_fail(self, result, "");
}

/* ---- certificates ---- */

/* certify(coordinates, constraints, integrator, step, end, channels, budget) → JSON */
PyObject *core_model_certify(coreModel *self, PyObject *args)
{
    vgSimOptions options = {0};
    double end, budget;
    PyObject *channels, *keep;
    int n;
    if (!PyArg_ParseTuple(args, "zzzddOd", &options.coordinates, &options.constraints, &options.integrator,
                          &options.step, &end, &channels, &budget))
        return NULL;
    const char **names = core_texts(channels, &n, &keep);
    if (!names) return NULL;
    vgTrust *trust = NULL;
    vgStatus status;
    vg_diag_clear(self->diag);
    Py_BEGIN_ALLOW_THREADS;
    status = vg_certify(self->model, &options, end, names, n, budget, self->diag, &trust);
    Py_END_ALLOW_THREADS;
    PyMem_Free(names);
    Py_DECREF(keep);
    if (status != VG_OK) return core_fail(self, status, "");
    PyObject *json = PyUnicode_DecodeUTF8(trust->json, (Py_ssize_t)strlen(trust->json), "replace");
    vg_trust_free(trust);
    return json;
}
