/* A discrete state space: y_k = C x_k + D u_k, x_{k+1} = A x_k + B u_k; an observer with its feedback is one.
 */
#include <string.h>

#include "element/controller/controller.h"
#include "element/force/util.h"

typedef struct StateSpace {
    vgControllerHead head;
    vgRows A, B, C, D;
    vgNumbers x0;
    int nin;
} StateSpace;

enum { MOST = 256 };

static const vgField fields[] = {
    {"A", VG_FIELD_ROWS, offsetof(StateSpace, A), "", NULL, 0, 0, "[[…], …]: n rows of n numbers"},
    {"B", VG_FIELD_ROWS, offsetof(StateSpace, B), "", NULL, 0, 0, "n rows, a column for each input"},
    {"C", VG_FIELD_ROWS, offsetof(StateSpace, C), "", NULL, 0, 0, "a row for each output, of n numbers"},
    {"D", VG_FIELD_ROWS, offsetof(StateSpace, D), "", "", 0, 0,
     "a row for each output, a column for each input (absent: zeros)"},
    {"start", VG_FIELD_NUMBERS, offsetof(StateSpace, x0), "", "", 0, 0,
     "x before the first sample (absent: zeros)"},
};

static vgStatus refuse(vgControllerSetup *out, const char *key, const char *why)
{
    out->key = key;
    out->why = why;
    return VG_BAD_INPUT;
}

static vgStatus setup(void *def, vgControllerSetup *out)
{
    StateSpace *c = def;
    const int n = c->A.m;
    c->nin = out->nin;
    if (n > MOST) return refuse(out, "A", "has more than 256 rows");
    if (c->A.n != n) return refuse(out, "A", "must have as many columns as rows");
    if (c->B.m != n || c->B.n != out->nin)
        return refuse(out, "B", "must have a row for each of A and a column for each input");
    if (c->C.n != n) return refuse(out, "C", "must have a column for each of A");
    if (c->D.at && (c->D.m != c->C.m || c->D.n != out->nin))
        return refuse(out, "D", "must have a row for each of C and a column for each input");
    if (c->x0.at && c->x0.n != n) return refuse(out, "start", "must have a number for each row of A");
    out->nmemory = 2 * n;
    return VG_OK;
}

static void start(const void *def, double *x)
{
    const StateSpace *c = def;
    if (c->x0.at) memcpy(x, c->x0.at, (size_t)c->A.m * sizeof *x);
}

/* y := M x + N u */
static void combine(const vgRows *M, const double *x, const vgRows *N, int nin, const double *u, double *y)
{
    for (int i = 0; i < M->m; i++) {
        double sum = 0;
        for (int k = 0; k < M->n; k++) sum += M->at[i * M->n + k] * x[k];
        for (int k = 0; k < nin && N->at; k++) sum += N->at[i * nin + k] * u[k];
        y[i] = sum;
    }
}

static void step(const void *def, const double *in, double *x, double *out)
{
    const StateSpace *c = def;
    double *next = x + c->A.m;
    combine(&c->C, x, &c->D, c->nin, in, out);
    combine(&c->A, x, &c->B, c->nin, in, next);
    memcpy(x, next, (size_t)c->A.m * sizeof *x);
}

const vgControllerKind vg_controller_state_space = {
    .name = "state-space",
    .doc = "Discrete state space with any number of inputs and outputs. The outputs are controller.NAME.y1, "
           "controller.NAME.y2, …; controller.NAME is the first.",
    .head = "law or [law, …] of the inputs",
    .many = 1,
    .rows = "C",
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .def_size = sizeof(StateSpace),
    .example = "observer: {state-space: [joint.rail.displacement, input.force], A: [[0.9, 0.01], [-0.4, "
               "0.8]], B: [[0.1, 0], [0.4, 0.01]], C: [[1, 0], [0, 1]], sample: 0.01}",
    .setup = setup,
    .start = start,
    .step = step,
};
