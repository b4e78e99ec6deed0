/* The extension verge._core: what its files share. It uses the stable ABI of Python 3.9; arrays are bytearrays, so that
 * NumPy is not needed to compile it and a view keeps the memory alive. */
#ifndef VERGE_PYTHON_CORE_H
#define VERGE_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <Python.h>

#include "verge/verge.h"

/* A source shared by the models made from it. */
typedef struct coreSource {
    vgSource *source;
    int users;
} coreSource;

/* A Python function of a force or controller, and the model that keeps its exception. */
typedef struct coreFunction {
    struct coreModel *model;
    PyObject *function;
    struct coreFunction *next;
} coreFunction;

typedef struct coreModel {
    PyObject ob_base;
    coreSource *source;
    vgModel *model;
    vgDiag *diag;
    coreFunction *functions;
    PyObject *raised[3]; /* the first exception of a function: type, value, traceback */
} coreModel;

typedef struct coreSim {
    PyObject ob_base;
    coreModel *model;
    vgSim *sim;
    PyObject *index; /* dict: name of a channel → its index */
    PyObject *view;  /* bytearray of the state, or NULL until it is asked for */
    double *view_at; /* its memory */
    int nx, nq;
    PyObject *progress; /* callable of t, or NULL */
    double looked;      /* when signals were last looked at, s */
} coreSim;

extern PyObject *core_model_type, *core_sim_type;

/* Raises through verge._errors.raise_error: its words are made in one place. Returns NULL. */
PyObject *core_fail(coreModel *model, vgStatus status, const char *what);
/* The lines of the model's diagnostics, which are cleared. */
PyObject *core_lines(coreModel *model);
/* 1: a Python function raised while the engine ran; the exception is set. */
int core_raised(coreModel *model);

/* A sequence of str as an array, NULL-terminated; *keep is a list that owns the texts. NULL: an exception is set. */
const char **core_texts(PyObject *sequence, int *n, PyObject **keep);
PyObject *core_list_of_texts(const char *const *text, int n);
PyObject *core_array(const double *from, Py_ssize_t n); /* a bytearray */
/* The numbers of a bytearray, n of them at least; NULL: an exception is set. None: *none = 1. */
double *core_numbers(PyObject *bytearray, Py_ssize_t n, int *none);
int core_set(PyObject *dict, const char *key, PyObject *value); /* steals value; −1: an exception is set */

/* Signals, at most every twentieth second: 1 where Ctrl-C or a progress function raised. The GIL is not held. */
int core_signals(PyObject *progress, double *looked, double a, double b, long c);

PyObject *core_model_run(coreModel *self, PyObject *args);
PyObject *core_model_rollout(coreModel *self, PyObject *args);
PyObject *core_model_certify(coreModel *self, PyObject *args);
PyObject *core_run_save(PyObject *module, PyObject *args);
PyObject *core_view(PyObject *module, PyObject *args);
int core_make_model_type(PyObject *module);
int core_make_sim_type(PyObject *module);

/* A function of Python as force and as controller. */
int core_force(void *user, double t, const vgCallbackMotion motion[2], double wrench[12], double *jacobian);

#endif
