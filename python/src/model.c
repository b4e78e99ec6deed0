/* verge._core.Model: a model and the source from which others are made. */
#include "core.h"

#include <math.h>
#include <string.h>

PyObject *core_model_type;

static void release(coreSource *source)
{
    if (!source || --source->users > 0) return;
    vg_source_free(source->source);
    PyMem_Free(source);
}

static void dealloc(PyObject *object)
{
    coreModel *self = (coreModel *)object;
    PyTypeObject *type = Py_TYPE(object);
    vg_model_free(self->model);
    vg_diag_free(self->diag);
    release(self->source);
    while (self->functions) {
        coreFunction *next = self->functions->next;
        Py_DECREF(self->functions->function);
        PyMem_Free(self->functions);
        self->functions = next;
    }
    for (int i = 0; i < 3; i++) Py_XDECREF(self->raised[i]);
    freefunc free_it = (freefunc)PyType_GetSlot(type, Py_tp_free);
    free_it(object);
    Py_DECREF(type);
}

/* {"L": 0.6, "m": "2*L"} → settings; *keep owns the texts. */
static vgSetting *settings(PyObject *dict, int *n, PyObject **keep)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    const Py_ssize_t size = PyDict_Size(dict);
    vgSetting *set = PyMem_Calloc((size_t)size + 1, sizeof *set);
    *keep = PyList_New(0);
    *n = 0;
    while (set && *keep && PyDict_Next(dict, &at, &key, &value)) {
        vgSetting *s = &set[(*n)++];
        PyObject *name = PyUnicode_AsUTF8String(key), *text = NULL;
        const int is_text = PyUnicode_Check(value);
        if (is_text)
            text = PyUnicode_AsUTF8String(value);
        else
            s->value = PyFloat_AsDouble(value);
        const int wrong = PyErr_Occurred() || !name || PyList_Append(*keep, name) < 0 ||
                          (text && PyList_Append(*keep, text) < 0);
        if (!wrong) s->name = PyBytes_AsString(name), s->text = text ? PyBytes_AsString(text) : NULL;
        Py_XDECREF(name);
        Py_XDECREF(text);
        if (!wrong) continue;
        PyMem_Free(set);
        Py_CLEAR(*keep);
        return NULL;
    }
    if (set && *keep) return set;
    PyMem_Free(set);
    Py_CLEAR(*keep);
    PyErr_NoMemory();
    return NULL;
}

static coreModel *empty(PyObject *type)
{
    allocfunc make = (allocfunc)PyType_GetSlot((PyTypeObject *)type, Py_tp_alloc);
    coreModel *self = (coreModel *)make((PyTypeObject *)type, 0);
    if (self && !(self->diag = vg_diag_new())) {
        Py_DECREF((PyObject *)self);
        PyErr_NoMemory();
        return NULL;
    }
    return self;
}

/* Makes the model from its source; 0: an exception is set. */
static int make(coreModel *self, PyObject *dict)
{
    int n;
    PyObject *keep;
    vgSetting *set = settings(dict, &n, &keep);
    if (!set) return 0;
    self->model = vg_source_model(self->source->source, set, n, self->diag);
    PyMem_Free(set);
    Py_DECREF(keep);
    if (!self->model) core_fail(self, VG_BAD_INPUT, "");
    return self->model != NULL;
}

/* Model(path | None, text | None, name, parameters) */
static PyObject *construct(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    const char *path, *text, *name;
    Py_ssize_t size;
    PyObject *dict;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "zz#sO!", &path, &text, &size, &name, &PyDict_Type, &dict)) return NULL;
    coreModel *self = empty((PyObject *)type);
    if (!self) return NULL;
    self->source = PyMem_Calloc(1, sizeof *self->source);
    if (!self->source) {
        Py_DECREF((PyObject *)self);
        return PyErr_NoMemory();
    }
    self->source->users = 1;
    self->source->source =
        path ? vg_source_load(path, self->diag) : vg_source_parse(text, (size_t)size, name, self->diag);
    if (!self->source->source) core_fail(self, VG_BAD_INPUT, "");
    if (self->source->source && make(self, dict)) return (PyObject *)self;
    Py_DECREF((PyObject *)self);
    return NULL;
}

/* another(parameters): the same source, other values */
static PyObject *another(coreModel *self, PyObject *dict)
{
    if (!PyDict_Check(dict)) {
        PyErr_SetString(PyExc_TypeError, "a dict of parameters is wanted");
        return NULL;
    }
    coreModel *other = empty((PyObject *)Py_TYPE((PyObject *)self));
    if (!other) return NULL;
    other->source = self->source;
    other->source->users++;
    if (make(other, dict)) return (PyObject *)other;
    Py_DECREF((PyObject *)other);
    return NULL;
}

/* ---- lists ---- */

static PyObject *number_or_none(double x)
{
    if (!isnan(x)) return PyFloat_FromDouble(x);
    Py_INCREF(Py_None);
    return Py_None;
}

static PyObject *listing(coreModel *self, PyObject *which)
{
    const long what = PyLong_AsLong(which);
    if (what == -1 && PyErr_Occurred()) return NULL;
    PyObject *list = PyList_New(0);
    vgListing e;
    for (int i = 0; list && vg_model_listing(self->model, (vgListed)what, i, &e) == VG_OK; i++) {
        PyObject *row = Py_BuildValue("(szNzz)", e.name, e.kind, number_or_none(e.value), e.first, e.second);
        if (!row || PyList_Append(list, row) < 0) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

static PyObject *channels(coreModel *self, PyObject *patterns)
{
    int n;
    PyObject *keep;
    const char **text = core_texts(patterns, &n, &keep);
    if (!text) return NULL;
    vgChannelList *list = NULL;
    vgStatus status = vg_model_channels(self->model, text, n, self->diag, &list);
    PyMem_Free(text);
    Py_DECREF(keep);
    if (status != VG_OK) return core_fail(self, status, "");
    PyObject *found = Py_BuildValue("(NN)", core_list_of_texts(list->name, list->n),
                                    core_list_of_texts(list->unit, list->n));
    vg_channel_list_free(list);
    return found;
}

static PyObject *lines(coreModel *self, PyObject *none)
{
    (void)none;
    return core_lines(self);
}

/* ---- functions of Python ---- */

/* Keeps the first exception of the model; the engine ends by a number that is not finite. */
static void keep_exception(coreModel *model)
{
    if (model->raised[0])
        PyErr_Clear();
    else
        PyErr_Fetch(&model->raised[0], &model->raised[1], &model->raised[2]);
}

/* Calls function(*args) → bytes of n doubles; steals args. On failure to is filled with NaN. */
static void call(const coreFunction *f, PyObject *args, double *to, int n)
{
    PyObject *answer = args ? PyObject_CallObject(f->function, args) : NULL;
    const int good =
        answer && PyBytes_Check(answer) && PyBytes_Size(answer) == (Py_ssize_t)((size_t)n * sizeof *to);
    if (answer && !good) PyErr_Format(PyExc_TypeError, "the function must return %d numbers", n);
    if (good)
        memcpy(to, PyBytes_AsString(answer), (size_t)n * sizeof *to);
    else
        keep_exception(f->model);
    for (int i = 0; !good && i < n; i++) to[i] = NAN;
    Py_XDECREF(answer);
    Py_XDECREF(args);
}

int core_force(void *user, double t, const vgCallbackMotion motion[2], double wrench[12], double *jacobian)
{
    const coreFunction *f = user;
    (void)jacobian;
    PyGILState_STATE gil = PyGILState_Ensure();
    call(f, Py_BuildValue("(dy#)", t, (const char *)motion, (Py_ssize_t)(2 * sizeof *motion)), wrench, 12);
    PyGILState_Release(gil);
    return 0;
}

static coreFunction *keep_function(coreModel *self, PyObject *function)
{
    coreFunction *f = PyMem_Calloc(1, sizeof *f);
    if (!f) {
        PyErr_NoMemory();
        return NULL;
    }
    Py_INCREF(function);
    *f = (coreFunction){self, function, self->functions};
    return self->functions = f;
}

/* set_force(name, function of (t, 36 doubles) → 12 doubles) */
static PyObject *set_force(coreModel *self, PyObject *args)
{
    const char *name;
    PyObject *function;
    if (!PyArg_ParseTuple(args, "sO", &name, &function)) return NULL;
    coreFunction *f = keep_function(self, function);
    if (!f) return NULL;
    if (vg_model_set_callback(self->model, name, core_force, f) != VG_OK)
        return PyErr_Format(PyExc_KeyError, "the model has no force '%s' of kind callback", name);
    Py_RETURN_NONE;
}

static PyObject *set_plain(coreModel *self, PyObject *on)
{
    vg_model_set_plain(self->model, PyObject_IsTrue(on));
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"another", (PyCFunction)(void (*)(void))another, METH_O, NULL},
    {"listing", (PyCFunction)(void (*)(void))listing, METH_O, NULL},
    {"channels", (PyCFunction)(void (*)(void))channels, METH_O, NULL},
    {"lines", (PyCFunction)(void (*)(void))lines, METH_NOARGS, NULL},
    {"set_force", (PyCFunction)(void (*)(void))set_force, METH_VARARGS, NULL},
    {"set_plain", (PyCFunction)(void (*)(void))set_plain, METH_O, NULL},
    {"run", (PyCFunction)(void (*)(void))core_model_run, METH_VARARGS, NULL},
    {"rollout", (PyCFunction)(void (*)(void))core_model_rollout, METH_VARARGS, NULL},
    {"certify", (PyCFunction)(void (*)(void))core_model_certify, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};

int core_make_model_type(PyObject *module)
{
    static PyType_Slot slots[] = {
        {Py_tp_new, construct}, {Py_tp_dealloc, dealloc}, {Py_tp_methods, methods}, {0, NULL}};
    static PyType_Spec spec = {"verge._core.Model", sizeof(coreModel), 0, Py_TPFLAGS_DEFAULT, slots};
    core_model_type = PyType_FromSpec(&spec);
    if (!core_model_type) return -1;
    Py_INCREF(core_model_type);
    return PyModule_AddObject(module, "Model", core_model_type);
}
