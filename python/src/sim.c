/* verge._core.Sim: a simulation. Its steps keep the GIL, which costs more than a small step to release; advance() gives it
 * free. */
#include "core.h"

#include <math.h>
#include <string.h>

PyObject *core_sim_type;

static void dealloc(PyObject *object)
{
    coreSim *self = (coreSim *)object;
    PyTypeObject *type = Py_TYPE(object);
    vg_sim_free(self->sim);
    Py_XDECREF((PyObject *)self->model);
    Py_XDECREF(self->index);
    Py_XDECREF(self->view);
    Py_XDECREF(self->progress);
    freefunc free_it = (freefunc)PyType_GetSlot(type, Py_tp_free);
    free_it(object);
    Py_DECREF(type);
}

static PyObject *fail(coreSim *self, vgStatus status)
{
    return core_fail(self->model, status, vg_sim_error(self->sim));
}

/* Sim(model, coordinates, constraints, integrator, step) */
static PyObject *construct(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    vgSimOptions options = {0};
    PyObject *model;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "O!zzzd", (PyTypeObject *)core_model_type, &model, &options.coordinates,
                          &options.constraints, &options.integrator, &options.step))
        return NULL;
    allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    coreSim *self = (coreSim *)make(type, 0);
    if (!self) return NULL;
    Py_INCREF(model);
    self->model = (coreModel *)model;
    self->index = PyDict_New();
    vg_diag_clear(self->model->diag);
    vgStatus status = vg_sim_new(self->model->model, &options, self->model->diag, &self->sim);
    if (status != VG_OK || !self->index) {
        core_fail(self->model, status, "");
        Py_DECREF((PyObject *)self);
        return NULL;
    }
    self->nx = vg_sim_state_size(self->sim, &self->nq);
    return (PyObject *)self;
}

/* What Python sees of the state follows it. */
static vgStatus follow(coreSim *self, vgStatus status)
{
    if (self->view_at && status == VG_OK) vg_sim_state_get(self->sim, self->view_at);
    return status;
}

static PyObject *answer(coreSim *self, vgStatus status)
{
    follow(self, status);
    if (status != VG_OK || self->model->raised[0]) return fail(self, status);
    Py_RETURN_NONE;
}

/* ---- motion ---- */

static PyObject *step(coreSim *self, PyObject *size)
{
    const double h = PyFloat_AsDouble(size);
    if (h == -1 && PyErr_Occurred()) return NULL;
    return answer(self, vg_sim_step(self->sim, h));
}

static int look(void *user, double t)
{
    coreSim *self = user;
    return core_signals(self->progress, &self->looked, t, 0, 0);
}

static PyObject *advance(coreSim *self, PyObject *end)
{
    const double t = PyFloat_AsDouble(end);
    if (t == -1 && PyErr_Occurred()) return NULL;
    vgStatus status;
    vg_sim_set_progress(self->sim, look, self);
    Py_BEGIN_ALLOW_THREADS;
    status = vg_sim_advance(self->sim, t);
    Py_END_ALLOW_THREADS;
    follow(self, VG_OK);
    if (status == VG_OK && !self->model->raised[0] && !PyErr_Occurred()) Py_RETURN_NONE;
    return fail(self, status);
}

static PyObject *settle(coreSim *self, PyObject *none)
{
    (void)none;
    return answer(self, vg_sim_settle(self->sim));
}

static PyObject *equilibrium(coreSim *self, PyObject *relax)
{
    return answer(self, vg_sim_equilibrium(self->sim, PyObject_IsTrue(relax)));
}

/* ---- channels ---- */

static int index_of(coreSim *self, PyObject *name)
{
    PyObject *known = PyDict_GetItemWithError(self->index, name);
    if (known) return (int)PyLong_AsLong(known);
    if (PyErr_Occurred()) return -1;
    PyObject *bytes = PyUnicode_AsUTF8String(name);
    if (!bytes) return -1;
    int index = -1;
    vgStatus status = vg_sim_channel(self->sim, PyBytes_AsString(bytes), &index);
    Py_DECREF(bytes);
    if (status != VG_OK) {
        fail(self, status);
        return -1;
    }
    PyObject *number = PyLong_FromLong(index);
    if (!number || PyDict_SetItem(self->index, name, number) < 0) index = -1;
    Py_XDECREF(number);
    return index;
}

static PyObject *subscript(PyObject *object, PyObject *name)
{
    coreSim *self = (coreSim *)object;
    double value;
    const int index = index_of(self, name);
    if (index < 0) return NULL;
    vgStatus status = vg_sim_value(self->sim, index, &value);
    if (status != VG_OK || self->model->raised[0]) return fail(self, status);
    return PyFloat_FromDouble(value);
}

static int assign(PyObject *object, PyObject *name, PyObject *value)
{
    coreSim *self = (coreSim *)object;
    if (!value) {
        PyErr_SetString(PyExc_TypeError, "a channel cannot be deleted");
        return -1;
    }
    const double x = PyFloat_AsDouble(value);
    PyObject *bytes = PyErr_Occurred() ? NULL : PyUnicode_AsUTF8String(name);
    if (!bytes) return -1;
    vgStatus status = vg_sim_set(self->sim, PyBytes_AsString(bytes), x);
    Py_DECREF(bytes);
    if (status != VG_OK) fail(self, status);
    return status == VG_OK ? 0 : -1;
}

static PyObject *unit(coreSim *self, PyObject *name)
{
    const int index = index_of(self, name);
    return index < 0 ? NULL : PyUnicode_FromString(vg_sim_channel_unit(self->sim, index));
}

static PyObject *watch(coreSim *self, PyObject *names)
{
    int n, count = 0;
    PyObject *keep;
    const char **text = core_texts(names, &n, &keep);
    if (!text) return NULL;
    vgStatus status = vg_sim_watch(self->sim, text, n, &count);
    PyMem_Free(text);
    Py_DECREF(keep);
    if (status != VG_OK) return fail(self, status);
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < count; i++) {
        PyObject *name = PyUnicode_FromString(vg_sim_watched(self->sim, i));
        if (!name || PyList_Append(list, name) < 0) Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

/* read_into(bytearray): the watched channels */
static PyObject *read_into(coreSim *self, PyObject *array)
{
    int n = 0;
    while (vg_sim_watched(self->sim, n)) n++;
    double *to = core_numbers(array, n, NULL);
    if (!to) return NULL;
    vgStatus status = vg_sim_read(self->sim, to);
    if (status != VG_OK) return fail(self, status);
    Py_RETURN_NONE;
}

/* ---- inputs ---- */

static PyObject *inputs(coreSim *self, PyObject *none)
{
    (void)none;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && vg_realtime_input(self->sim, i); i++) {
        PyObject *name = PyUnicode_FromString(vg_realtime_input(self->sim, i));
        if (!name || PyList_Append(list, name) < 0) Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

/* set_input(i, value): no name is looked up */
static PyObject *set_input(coreSim *self, PyObject *args)
{
    int i;
    double value;
    if (!PyArg_ParseTuple(args, "id", &i, &value)) return NULL;
    vgStatus status = vg_sim_set_inputs(self->sim, i, 1, &value);
    if (status != VG_OK) return fail(self, status);
    Py_RETURN_NONE;
}

static PyObject *input(coreSim *self, PyObject *i)
{
    const long at = PyLong_AsLong(i);
    return at == -1 && PyErr_Occurred() ? NULL : PyFloat_FromDouble(vg_sim_input(self->sim, (int)at));
}

/* ---- states ---- */

static PyObject *state_view(coreSim *self, PyObject *none)
{
    (void)none;
    if (!self->view) {
        self->view = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)((size_t)self->nx * sizeof(double)));
        if (!self->view) return NULL;
        self->view_at = (double *)(void *)PyByteArray_AsString(self->view);
    }
    vgStatus status = vg_sim_state_get(self->sim, self->view_at);
    if (status != VG_OK) return fail(self, status);
    Py_INCREF(self->view);
    return self->view;
}

static PyObject *state_rate(coreSim *self, PyObject *none)
{
    (void)none;
    PyObject *rate = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)((size_t)self->nx * sizeof(double)));
    if (!rate) return NULL;
    vgStatus status = vg_sim_state_rate(self->sim, (double *)(void *)PyByteArray_AsString(rate));
    if (status == VG_OK) return rate;
    Py_DECREF(rate);
    return fail(self, status);
}

/* (∂a/∂q, ∂a/∂v, ∂a/∂u, ∂a/∂f, ∂τ/∂q, ∂τ/∂v, M), a bytearray each */
static PyObject *partials(coreSim *self, PyObject *none)
{
    (void)none;
    enum { COUNT = 7, BY_INPUTS = 2 };
    const size_t n = (size_t)(self->nx - self->nq), nu = (size_t)vg_realtime_inputs(self->sim);
    PyObject *tuple = PyTuple_New(COUNT);
    double *at[COUNT];
    for (int i = 0; tuple && i < COUNT; i++) {
        PyObject *matrix =
            PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(n * (i == BY_INPUTS ? nu : n) * sizeof(double)));
        if (!matrix) {
            Py_CLEAR(tuple);
            break;
        }
        at[i] = (double *)(void *)PyByteArray_AsString(matrix);
        PyTuple_SetItem(tuple, i, matrix);
    }
    if (!tuple) return NULL;
    const vgSimPartials want = {at[0], at[1], at[2], at[3], at[4], at[5], at[6]};
    vgStatus status = vg_sim_partials(self->sim, &want);
    if (status == VG_OK) return tuple;
    Py_DECREF(tuple);
    return fail(self, status);
}

/* set_state(bytearray, t, project) */
static PyObject *set_state(coreSim *self, PyObject *args)
{
    PyObject *array;
    double t;
    int project;
    if (!PyArg_ParseTuple(args, "Odp", &array, &t, &project)) return NULL;
    const double *x = core_numbers(array, self->nx, NULL);
    return x ? answer(self, vg_sim_state_set(self->sim, t, x, project)) : NULL;
}

static PyObject *state_names(coreSim *self, PyObject *none)
{
    (void)none;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < self->nx; i++) {
        const char *text = vg_sim_state_name(self->sim, i);
        PyObject *name = text ? PyUnicode_FromString(text) : PyErr_NoMemory();
        if (!name || PyList_Append(list, name) < 0) Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

static PyObject *save(coreSim *self, PyObject *none)
{
    (void)none;
    const size_t size = vg_sim_checkpoint_size(self->sim);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (!bytes) return NULL;
    vgStatus status = vg_sim_save(self->sim, PyBytes_AsString(bytes), size);
    if (status == VG_OK) return bytes;
    Py_DECREF(bytes);
    return fail(self, status);
}

static PyObject *restore(coreSim *self, PyObject *args)
{
    const char *bytes;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "y#", &bytes, &size)) return NULL;
    return answer(self, vg_sim_restore(self->sim, bytes, (size_t)size));
}

/* ---- modes and linear models ---- */

static PyObject *modes(coreSim *self, PyObject *none)
{
    (void)none;
    vgSimModes *m = NULL;
    vgStatus status = vg_sim_modes(self->sim, &m);
    if (status != VG_OK) return fail(self, status);
    const Py_ssize_t n = m->n, nc = m->ncoordinate;
    PyObject *found =
        Py_BuildValue("(NNNNNNN)", core_array(m->re, n), core_array(m->im, n), core_array(m->frequency, n),
                      core_array(m->damping, n), core_list_of_texts(m->coordinate, m->ncoordinate),
                      core_array(m->shape_re, n * nc), core_array(m->shape_im, n * nc));
    vg_sim_modes_free(m);
    return found;
}

/* linearize(inputs | None, outputs | None) */
static PyObject *linearize(coreSim *self, PyObject *args)
{
    PyObject *in, *out, *keep[2] = {NULL, NULL};
    int n;
    if (!PyArg_ParseTuple(args, "OO", &in, &out)) return NULL;
    const char **u = in == Py_None ? NULL : core_texts(in, &n, &keep[0]);
    const char **y = out == Py_None || PyErr_Occurred() ? NULL : core_texts(out, &n, &keep[1]);
    vgSimLinear *l = NULL;
    vgStatus status = PyErr_Occurred() ? VG_BAD_INPUT : vg_sim_linearize(self->sim, u, y, &l);
    PyMem_Free(u);
    PyMem_Free(y);
    Py_XDECREF(keep[0]);
    Py_XDECREF(keep[1]);
    if (status != VG_OK) return fail(self, status);
    const Py_ssize_t nx = l->nx, nu = l->nu, ny = l->ny;
    PyObject *found = Py_BuildValue(
        "(NNNNNNNNNNN)", core_array(l->A, nx * nx), core_array(l->B, nx * nu), core_array(l->C, ny * nx),
        core_array(l->D, ny * nu), core_array(l->x0, nx), core_array(l->rate, nx), core_array(l->u0, nu),
        core_array(l->y0, ny), core_list_of_texts(l->state, l->nx), core_list_of_texts(l->input, l->nu),
        core_list_of_texts(l->output, l->ny));
    vg_sim_linear_free(l);
    return found;
}

static PyObject *set_progress(coreSim *self, PyObject *function)
{
    Py_XDECREF(self->progress);
    Py_INCREF(function);
    self->progress = function;
    Py_RETURN_NONE;
}

static PyObject *get_time(PyObject *self, void *closure)
{
    (void)closure;
    return PyFloat_FromDouble(vg_sim_time(((coreSim *)self)->sim));
}

static PyObject *get_positions(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(((coreSim *)self)->nq);
}

#define METHOD(name, flags)                                                                                  \
    {                                                                                                        \
#name, (PyCFunction)(void (*)(void))name, flags, NULL                                                \
    }
static PyMethodDef methods[] = {METHOD(step, METH_O),
                                METHOD(advance, METH_O),
                                METHOD(settle, METH_NOARGS),
                                METHOD(equilibrium, METH_O),
                                METHOD(unit, METH_O),
                                METHOD(watch, METH_O),
                                METHOD(read_into, METH_O),
                                METHOD(inputs, METH_NOARGS),
                                METHOD(set_input, METH_VARARGS),
                                METHOD(input, METH_O),
                                METHOD(state_view, METH_NOARGS),
                                METHOD(state_rate, METH_NOARGS),
                                METHOD(partials, METH_NOARGS),
                                METHOD(set_state, METH_VARARGS),
                                METHOD(state_names, METH_NOARGS),
                                METHOD(save, METH_NOARGS),
                                METHOD(restore, METH_VARARGS),
                                METHOD(modes, METH_NOARGS),
                                METHOD(linearize, METH_VARARGS),
                                METHOD(set_progress, METH_O),
                                {NULL, NULL, 0, NULL}};

static PyGetSetDef properties[] = {{"time", get_time, NULL, "Time of the present state, s.", NULL},
                                   {"npositions", get_positions, NULL, NULL, NULL},
                                   {NULL, NULL, NULL, NULL, NULL}};

int core_make_sim_type(PyObject *module)
{
    static PyType_Slot slots[] = {{Py_tp_new, construct},
                                  {Py_tp_dealloc, dealloc},
                                  {Py_tp_methods, methods},
                                  {Py_tp_getset, properties},
                                  {Py_mp_subscript, subscript},
                                  {Py_mp_ass_subscript, assign},
                                  {0, NULL}};
    static PyType_Spec spec = {"verge._core.Sim", sizeof(coreSim), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    core_sim_type = PyType_FromSpec(&spec);
    if (!core_sim_type) return -1;
    Py_INCREF(core_sim_type);
    return PyModule_AddObject(module, "Sim", core_sim_type);
}
