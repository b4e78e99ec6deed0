/* An FMU that runs beside the model (FMI 2.0, 3.0, co-simulation). At sample k it does its step from t_{k−1} to t_k with the
 * inputs of sample k − 1, is given those of sample k, and its outputs are held until sample k + 1:
 *     x_k = step(x_{k−1}, u_{k−1}, T),   y_k = g(x_k, u_k)
 * The FMU's library is loaded when a simulation comes to the first sample. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/fmi/fmi2.h"
#include "base/fmi/fmi3.h"
#include "base/os.h"
#include "element/controller/controller.h"
#include "element/controller/fmu_read.h"
#include "element/force/util.h"

typedef struct Fmu {
    vgControllerHead head;
    const char *file, *inputs, *outputs;
    vgFmuRead is;
    int nin, nout;
    unsigned in[VG_CONTROLLER_MAX], out[VG_CONTROLLER_MAX];
} Fmu;

static const vgField fields[] = {
    {"file", VG_FIELD_STRING, offsetof(Fmu, file), "", NULL, 0, 0,
     "the FMU, in the model's folder; it is code that will be run"},
    {"inputs", VG_FIELD_STRING, offsetof(Fmu, inputs), "", NULL, 0, 0,
     "its inputs, with commas between them: one for each law"},
    {"outputs", VG_FIELD_STRING, offsetof(Fmu, outputs), "", NULL, 0, 0,
     "its outputs, with commas between them"},
};

/* ---- reading ---- */

/* References of the names in a list; −1: one is unknown. */
static int find_all(const Fmu *c, const char *xml, const char *list, const char *causality,
                    unsigned ref[VG_CONTROLLER_MAX])
{
    int n = 0;
    for (const char *at = list; n < VG_CONTROLLER_MAX; at++) {
        at += strspn(at, " ");
        const size_t all = strcspn(at, ",");
        size_t length = all;
        while (length > 0 && at[length - 1] == ' ') length--;
        const long found = vg_fmu_find(xml, c->is.version, at, length, causality);
        if (found < 0) return -1;
        ref[n++] = (unsigned)found;
        at += all;
        if (!*at) return n;
    }
    return -1;
}

static const char *look(Fmu *c, vgControllerSetup *out)
{
    const char *why;
    char *xml = NULL;
    out->key = "file";
    vgZip *zip = vg_zip_read(c->file, &why);
    if (zip) why = vg_fmu_read(zip, &c->is, &xml);
    if (!why) {
        c->nin = find_all(c, xml, c->inputs, "input", c->in);
        c->nout = find_all(c, xml, c->outputs, NULL, c->out);
        if (c->nout != out->nout)
            out->key = "outputs", why = "names a real variable that the FMU does not have";
        if (c->nin != out->nin)
            out->key = "inputs", why = c->nin < 0 ? "names a real input that the FMU does not have"
                                                  : "has not one name for each law";
    }
    vg_zip_free(zip);
    free(xml);
    return why;
}

static vgStatus setup(void *def, vgControllerSetup *out)
{
    out->why = look(def, out);
    return out->why ? VG_BAD_INPUT : VG_OK;
}

/* ---- the library ---- */

#define TYPE(result, name, args) typedef result name##Type args;
VG_FMI2_LIST(TYPE)
VG_FMI3_LIST(TYPE)
/* clang-format off */
#define CALLS2(F) \
    F(fmi2Instantiate) F(fmi2FreeInstance) F(fmi2SetupExperiment) F(fmi2EnterInitializationMode) \
    F(fmi2ExitInitializationMode) F(fmi2GetReal) F(fmi2SetReal) F(fmi2DoStep)
#define CALLS3(F) \
    F(fmi3InstantiateCoSimulation) F(fmi3FreeInstance) F(fmi3EnterInitializationMode) F(fmi3ExitInitializationMode) \
    F(fmi3GetFloat64) F(fmi3SetFloat64) F(fmi3DoStep)
/* clang-format on */
#define POINTER(name) name##Type *name;
#define NAME(name)    #name,
static const char *const names2[] = {CALLS2(NAME) NULL}, *const names3[] = {CALLS3(NAME) NULL};

typedef struct Unit {
    int version;
    char *folder;
    void *library, *instance;
    struct {
        CALLS2(POINTER)
    } two;
    struct {
        CALLS3(POINTER)
    } three;
    vgFmi2Callbacks callbacks;
    double t;                  /* the FMU is here */
    char said[VG_OUTSIDE_WHY]; /* the last message of the FMU that is no mere note */
} Unit;

/* Both versions number their statuses in the same way; a warning is no failure. */
static int is_good(int status)
{
    return status == VG_FMI2_OK || status == VG_FMI2_WARNING;
}

VG_PRINTF_LIKE(5, 6)
static void log_2(void *unit, const char *instance, vgFmi2Status status, const char *category,
                  const char *message, ...)
{
    Unit *u = unit;
    va_list args;
    (void)instance, (void)category;
    if (!u || !message || is_good(status)) return;
    va_start(args, message);
    vsnprintf(u->said, sizeof u->said, message, args);
    va_end(args);
}

static void log_3(void *unit, vgFmi3Status status, const char *category, const char *message)
{
    Unit *u = unit;
    (void)category;
    if (u && message && !is_good((int)status)) snprintf(u->said, sizeof u->said, "%s", message);
}

static int fill(void *library, const char *const *name, void *table, char why[VG_OUTSIDE_WHY])
{
    for (char *to = table; *name; name++, to += sizeof(void *)) {
        void *found = vg_os_symbol(library, *name);
        if (!found) return snprintf(why, VG_OUTSIDE_WHY, "the FMU has no function %s", *name), 0;
        memcpy(to, &found, sizeof found); /* a pointer to a function is not an object pointer in C */
    }
    return 1;
}

static void *instantiate(Unit *u, const Fmu *c)
{
    char *resources = malloc(strlen(u->folder) + 40);
    if (!resources) return NULL;
    const char *begin = u->version == 3 ? "" : vg_os_has_drive(u->folder) ? "file:///" : "file://";
    sprintf(resources, "%s%s/resources%s", begin, u->folder, u->version == 2 ? "" : "/");
    u->callbacks = (vgFmi2Callbacks){.logger = log_2, .allocate = calloc, .release = free, .environment = u};
    void *instance = u->version == 2
                         ? u->two.fmi2Instantiate("verge", VG_FMI2_CO_SIMULATION, c->is.token, resources,
                                                  &u->callbacks, 0, 0)
                         : u->three.fmi3InstantiateCoSimulation("verge", c->is.token, resources, false, false,
                                                                false, false, NULL, 0, u, log_3, NULL);
    free(resources);
    return instance;
}

static void close_unit(void *part)
{
    Unit *u = part;
    if (!u) return;
    if (u->instance && u->version == 2) u->two.fmi2FreeInstance(u->instance);
    if (u->instance && u->version == 3) u->three.fmi3FreeInstance(u->instance);
    vg_os_library_close(u->library);
    vg_zip_remove(u->folder);
    free(u);
}

/* Unpacks, loads, instantiates. */
static int load(Unit *u, const Fmu *c, char why[VG_OUTSIDE_WHY])
{
    const char *wrong = NULL;
    vgZip *zip = vg_zip_read(c->file, &wrong);
    if (!zip) return snprintf(why, VG_OUTSIDE_WHY, "'%.200s' %s", c->file, wrong), 0;
    u->version = c->is.version;
    u->folder = vg_zip_unpack(zip);
    vg_zip_free(zip);
    if (!u->folder)
        return snprintf(why, VG_OUTSIDE_WHY, "'%.200s' cannot be unpacked: %s", c->file, vg_file_why(errno)),
               0;
    char *path = malloc(strlen(u->folder) + sizeof c->is.library + 2);
    if (!path) return 0;
    sprintf(path, "%s/%s", u->folder, c->is.library);
    u->library = vg_os_library(path, why, VG_OUTSIDE_WHY);
    free(path);
    if (!u->library) return 0;
    if (!(u->version == 2 ? fill(u->library, names2, &u->two, why)
                          : fill(u->library, names3, &u->three, why)))
        return 0;
    u->instance = instantiate(u, c);
    if (!u->instance) snprintf(why, VG_OUTSIDE_WHY, "the FMU cannot be instantiated: %.300s", u->said);
    return u->instance != NULL;
}

static void *open_unit(const void *def, char why[VG_OUTSIDE_WHY])
{
    Unit *u = calloc(1, sizeof *u);
    if (!u || load(u, def, why)) return u;
    close_unit(u);
    return NULL;
}

/* ---- samples ---- */

static int set_inputs(Unit *u, const Fmu *c, const double *in)
{
    const size_t n = (size_t)c->nin;
    return is_good(u->version == 2 ? (int)u->two.fmi2SetReal(u->instance, c->in, n, in)
                                   : (int)u->three.fmi3SetFloat64(u->instance, c->in, n, in, n));
}

static int get_outputs(Unit *u, const Fmu *c, double *out)
{
    const size_t n = (size_t)c->nout;
    return is_good(u->version == 2 ? (int)u->two.fmi2GetReal(u->instance, c->out, n, out)
                                   : (int)u->three.fmi3GetFloat64(u->instance, c->out, n, out, n));
}

static int begin(Unit *u, const Fmu *c, double t, const double *in)
{
    u->t = t;
    if (u->version == 2)
        return is_good((int)u->two.fmi2SetupExperiment(u->instance, 0, 0, t, 0, 0)) &&
               is_good((int)u->two.fmi2EnterInitializationMode(u->instance)) && set_inputs(u, c, in) &&
               is_good((int)u->two.fmi2ExitInitializationMode(u->instance));
    return is_good((int)u->three.fmi3EnterInitializationMode(u->instance, false, 0, t, false, 0)) &&
           set_inputs(u, c, in) && is_good((int)u->three.fmi3ExitInitializationMode(u->instance));
}

static int advance(Unit *u, double t)
{
    bool event, end = false, early = false;
    double reached = t;
    const double h = t - u->t;
    int status = u->version == 2
                     ? (int)u->two.fmi2DoStep(u->instance, u->t, h, 1)
                     : (int)u->three.fmi3DoStep(u->instance, u->t, h, true, &event, &end, &early, &reached);
    u->t = t;
    if (end) snprintf(u->said, sizeof u->said, "it asks for the simulation to end");
    return is_good(status) && !end && !early;
}

static int sample(void *part, const void *def, int first, double t, const double *in, double *out,
                  char why[VG_OUTSIDE_WHY])
{
    Unit *u = part;
    const Fmu *c = def;
    double y[VG_CONTROLLER_MAX] = {0}; /* in and out may be the same place */
    u->said[0] = 0;
    const char *what = first ? "initialized" : "advanced";
    int good = first ? begin(u, c, t, in) : advance(u, t) && set_inputs(u, c, in);
    if (good) {
        what = "read";
        good = get_outputs(u, c, y);
    }
    for (int i = 0; good && i < c->nout; i++) {
        good = y[i] - y[i] == 0; /* finite */
        if (!good) snprintf(u->said, sizeof u->said, "output %d is not a finite number", i + 1);
    }
    if (good) memcpy(out, y, (size_t)c->nout * sizeof *out);
    if (!good)
        snprintf(why, VG_OUTSIDE_WHY, "the FMU cannot be %s%s%.300s", what, u->said[0] ? ": " : "", u->said);
    return good;
}

/* What the FMU has computed. */
static void step(const void *def, const double *in, double *memory, double *out)
{
    const Fmu *c = def;
    (void)memory;
    memcpy(out, in, (size_t)c->nout * sizeof *out);
}

static const vgOutsideOps outside = {open_unit, sample, close_unit};

const vgControllerKind vg_controller_fmu = {
    .name = "fmu",
    .doc = "An FMU (FMI 2.0 or 3.0, co-simulation) that runs beside the model and communicates at each "
           "sample. The outputs are controller.NAME, controller.NAME.y2, … (docs/fmi.md). An FMU is code: it "
           "is run with all rights of the user.",
    .head = "law or [law, …] of its inputs",
    .many = 1,
    .rows = "outputs",
    .file = "file",
    .outside = &outside,
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .def_size = sizeof(Fmu),
    .example = "motor: {fmu: [joint.hinge.rate, input.voltage], file: motor.fmu, inputs: \"speed, voltage\", "
               "outputs: torque, sample: 0.001}",
    .setup = setup,
    .step = step,
};
