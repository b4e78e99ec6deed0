/* verge._core: the module, and what converts between C and Python. */
#include "core.h"

#include <string.h>
#include <time.h>

static PyObject *raiser; /* verge._errors.raise_error */

PyObject *core_lines(coreModel *model)
{
    const int n = model ? vg_diag_count(model->diag) : 0;
    PyObject *lines = PyList_New(0);
    for (int i = 0; lines && i < n; i++) {
        PyObject *line = PyUnicode_DecodeUTF8(vg_diag_line(model->diag, i),
                                              (Py_ssize_t)strlen(vg_diag_line(model->diag, i)), "replace");
        if (!line || PyList_Append(lines, line) < 0) Py_CLEAR(lines);
        Py_XDECREF(line);
    }
    if (model) vg_diag_clear(model->diag);
    return lines;
}

int core_raised(coreModel *model)
{
    if (!model || !model->raised[0]) return 0;
    PyErr_Restore(model->raised[0], model->raised[1], model->raised[2]);
    memset(model->raised, 0, sizeof model->raised);
    return 1;
}

PyObject *core_fail(coreModel *model, vgStatus status, const char *what)
{
    if (PyErr_Occurred() || core_raised(model)) return NULL;
    if (status == VG_NO_MEMORY) return PyErr_NoMemory();
    PyObject *lines = core_lines(model);
    if (!lines) return NULL;
    if (!raiser) {
        PyObject *errors = PyImport_ImportModule("verge._errors");
        raiser = errors ? PyObject_GetAttrString(errors, "raise_error") : NULL;
        Py_XDECREF(errors);
    }
    PyObject *words = PyUnicode_DecodeUTF8(what ? what : "", what ? (Py_ssize_t)strlen(what) : 0, "replace");
    PyObject *done = raiser && words ? PyObject_CallFunction(raiser, "iOOO", (int)status, words, lines,
                                                             model ? (PyObject *)model : Py_None)
                                     : NULL;
    Py_DECREF(lines);
    Py_XDECREF(words);
    Py_XDECREF(done);
    return NULL;
}

const char **core_texts(PyObject *sequence, int *n, PyObject **keep)
{
    *keep = NULL;
    const Py_ssize_t size = PySequence_Size(sequence);
    if (size < 0) return NULL;
    const char **text = PyMem_Malloc(((size_t)size + 1) * sizeof *text);
    *keep = PyList_New(0);
    if (!text || !*keep) goto wrong;
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *item = PySequence_GetItem(sequence, i);
        PyObject *bytes = item ? PyUnicode_AsUTF8String(item) : NULL;
        Py_XDECREF(item);
        if (!bytes || PyList_Append(*keep, bytes) < 0) {
            Py_XDECREF(bytes);
            goto wrong;
        }
        text[i] = PyBytes_AsString(bytes);
        Py_DECREF(bytes);
    }
    text[size] = NULL;
    *n = (int)size;
    return text;
wrong:
    PyMem_Free(text);
    Py_CLEAR(*keep);
    if (!PyErr_Occurred()) PyErr_NoMemory();
    return NULL;
}

PyObject *core_list_of_texts(const char *const *text, int n)
{
    PyObject *list = PyList_New(n);
    for (int i = 0; list && i < n; i++) {
        PyObject *one = PyUnicode_FromString(text[i] ? text[i] : "");
        if (!one)
            Py_CLEAR(list);
        else
            PyList_SetItem(list, i, one);
    }
    return list;
}

PyObject *core_array(const double *from, Py_ssize_t n)
{
    return PyByteArray_FromStringAndSize((const char *)from, n * (Py_ssize_t)sizeof *from);
}

double *core_numbers(PyObject *bytearray, Py_ssize_t n, int *none)
{
    if (none) *none = bytearray == Py_None;
    if (none && *none) return NULL;
    if (!PyObject_TypeCheck(bytearray, &PyByteArray_Type)) {
        PyErr_SetString(PyExc_TypeError, "a bytearray of doubles is wanted");
        return NULL;
    }
    if (PyByteArray_Size(bytearray) < n * (Py_ssize_t)sizeof(double)) {
        PyErr_SetString(PyExc_ValueError, "the array is too small");
        return NULL;
    }
    return (double *)(void *)PyByteArray_AsString(bytearray);
}

int core_set(PyObject *dict, const char *key, PyObject *value)
{
    if (!value) return -1;
    const int failed = PyDict_SetItemString(dict, key, value);
    Py_DECREF(value);
    return failed;
}

int core_signals(PyObject *progress, double *looked, double a, double b, long c)
{
    const double every = 0.05; /* s: a person sees no delay, and the GIL is asked for rarely */
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double t = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    if (t - *looked < every) return 0;
    *looked = t;
    PyGILState_STATE gil = PyGILState_Ensure();
    int stop = PyErr_CheckSignals() < 0;
    if (!stop && progress && progress != Py_None) {
        PyObject *done = PyObject_CallFunction(progress, "ddl", a, b, c);
        stop = !done;
        Py_XDECREF(done);
    }
    /* the exception stays set in this thread: whoever called the engine returns it */
    PyGILState_Release(gil);
    return stop;
}

static PyObject *status_text(PyObject *module, PyObject *number)
{
    (void)module;
    const long status = PyLong_AsLong(number);
    return status == -1 && PyErr_Occurred() ? NULL : PyUnicode_FromString(vg_status_text((vgStatus)status));
}

static PyMethodDef functions[] = {{"status_text", status_text, METH_O, NULL},
                                  {"run_save", core_run_save, METH_VARARGS, NULL},
                                  {"view", core_view, METH_VARARGS, NULL},
                                  {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        "verge._core",
                                        "The engine, as the package verge uses it.",
                                        -1,
                                        functions,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL};

PyMODINIT_FUNC PyInit__core(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (!module) return NULL;
    if (core_make_model_type(module) < 0 || core_make_sim_type(module) < 0 ||
        PyModule_AddStringConstant(module, "version", vg_version()) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
