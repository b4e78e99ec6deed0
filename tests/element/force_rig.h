/* Puts a force element together without a model: fields by key and text, frames, motion, channels. */
#ifndef FORCE_RIG_H
#define FORCE_RIG_H

#include <stdlib.h>

#include "element/force/force.h"
#include "element/road/road.h"
#include "math/so3.h"
#include "test.h"

enum { RIG_CHANNELS = 4, RIG_MAX = 16 };

typedef struct rigText {
    const char *key, *text;
} rigText;

typedef struct Rig {
    const vgForceKind *kind;
    void *def;
    vgForceSetup setup;
    vgStatus status;
    vgExpr *expr[RIG_MAX];
    int nexpr;
} Rig;

typedef struct rigState {
    double t;
    vgKin kin[2];
    double value[4], rate[4], acc[4]; /* measures */
    double channel[2 * RIG_CHANNELS];
} rigState;

typedef struct rigOut {
    double f[12], K[144], C[144], M[144], Q[4], dQ[32], dA[16], dL[16 * 40];
} rigOut;

/* A fixed sequence, the same on every machine; uniform in −1..1. */
static unsigned long long rig_seed = 88172645463325252ull;

static inline double rig_random(void)
{
    rig_seed ^= rig_seed << 13, rig_seed ^= rig_seed >> 7, rig_seed ^= rig_seed << 17;
    return (double)(rig_seed >> 11) / 4503599627370496.0 - 1;
}

static inline vgVec3 rig_vec(double size)
{
    double x = rig_random(), y = rig_random(), z = rig_random();
    return vg_v3(size * x, size * y, size * z);
}

/* Four knots of a cubic table are one cubic: smooth everywhere between them. `damper` is odd, as a damper
 * should be. */
static inline vgTable *rig_table(const char *name)
{
    static const struct {
        const char *name;
        int n;
        double x[4], y[4];
    } rows[] = {
        {"hill", 4, {-20, -1, 1, 20}, {1.2, 0.1, 0.3, 1.8}},
        {"curve", 4, {-20, -1, 1, 20}, {-900, -20, 25, 2000}},
        {"damper", 4, {-20, -1, 1, 20}, {-200, -8, 8, 200}},
        {"ramp", 3, {-1, 0, 1}, {-5, 0, 20}},
    };
    vgTable *table = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, name) == 0)
            vg_table_new(rows[i].n, rows[i].x, rows[i].y, rows[i].n == 4 ? VG_TABLE_CUBIC : VG_TABLE_LINEAR,
                         VG_TABLE_EXTEND, NULL, &table);
    CHECK(table != NULL);
    return table;
}

/* A road of waves, smooth everywhere. */
static inline void rig_waves_eval(const void *def, double x, double h[3])
{
    (void)def;
    h[0] += 0.2 * sin(1.3 * x), h[1] += 0.26 * cos(1.3 * x), h[2] -= 0.338 * sin(1.3 * x);
}

static const vgRoadKind rig_waves_kind = {.name = "waves", .eval = rig_waves_eval};
static const vgRoad rig_waves = {.name = "waves", .kind = &rig_waves_kind};

/* Names in laws: the kind's locals, and ch0, ch0rate, ch1 ... for channels. */
static inline int rig_input(void *user, const char *name, int *slot)
{
    const vgForceKind *kind = *(const vgForceKind *const *)user;
    for (int i = 0; kind->locals && kind->locals[i]; i++)
        if (strcmp(name, kind->locals[i]) == 0) return *slot = 1 + i, 1;
    if (strncmp(name, "ch", 2) == 0)
        return *slot = VG_LAW_LOCAL + 2 * (name[2] - '0') + (strcmp(name + 3, "rate") == 0), 1;
    return 0;
}

static inline vgLaw rig_law(Rig *rig, const char *text)
{
    vgLaw law = {.value = NAN};
    vgExprScope scope = {.user = &rig->kind, .input = rig_input};
    if (!*text) return law;
    vgExpr *e = vg_expr_compile(text, &scope);
    CHECK(e != NULL);
    if (!e) return law;
    if (vg_expr_constant_value(e, &law.value)) {
        vg_expr_free(e);
        return law;
    }
    rig->expr[rig->nexpr++] = e;
    law.expr = e;
    law.ninput = vg_expr_ninputs(e);
    for (int i = 0; i < law.ninput; i++) law.slot[i] = vg_expr_input(e, i);
    return law;
}

static inline void rig_numbers(const char *text, int n, double *out)
{
    char *end;
    int k = 0;
    for (const char *at = text; k < n; at = end) {
        double x = strtod(at, &end);
        if (end == at) break;
        out[k++] = x;
    }
    for (; k < n; k++) out[k] = k ? out[0] : NAN;
}

static inline void rig_fill(Rig *rig, const vgField *field, const char *text)
{
    char *at = (char *)rig->def + field->offset;
    char part[3][64] = {"0", "0", "0"};
    switch (field->type) {
    case VG_FIELD_NUMBER:
        rig_numbers(text, 1, (double *)at);
        break;
    case VG_FIELD_VEC3:
        rig_numbers(text, 3, (double *)at);
        break;
    case VG_FIELD_VEC6:
        rig_numbers(text, 6, (double *)at);
        break;
    case VG_FIELD_BOOL:
        *(int *)at = strcmp(text, "true") == 0;
        break;
    case VG_FIELD_NAME:
        *(const char **)at = *text ? text : NULL;
        break;
    case VG_FIELD_TABLE:
        *(vgTable **)at = *text ? rig_table(text) : NULL;
        break;
    case VG_FIELD_LAW:
        *(vgLaw *)at = rig_law(rig, text);
        break;
    case VG_FIELD_LAW3:
        sscanf(text, "%63[^;];%63[^;];%63[^;]", part[0], part[1], part[2]);
        for (int i = 0; i < 3; i++) ((vgLaw *)at)[i] = rig_law(rig, part[i]);
        break;
    case VG_FIELD_AXIS:
        for (int i = 0; i < 3; i++) ((double *)at)[i] = strchr(text, 'x' + i) ? (*text == '-' ? -1 : 1) : 0;
        break;
    case VG_FIELD_ROAD:
        *(const vgRoad **)at = *text ? &rig_waves : NULL;
        break;
    case VG_FIELD_NUMBERS: /* absent in every sample */
    case VG_FIELD_PATH:
        CHECK(*text == '\0');
        break;
    default:
        CHECK(!"a field type that the rig knows");
    }
}

/* texts end with a NULL key. Frames go into the head before set-up. */
static inline Rig rig_new(const char *kind, const rigText *texts, vgFrame A, vgFrame B, int planar)
{
    Rig rig = {.kind = vg_force_kind(kind)};
    rig.def = calloc(1, rig.kind->def_size);
    vgForceHead *head = rig.def;
    head->frame[0] = A;
    head->frame[1] = B;
    for (int i = 0; i < rig.kind->nfield; i++) {
        const vgField *field = &rig.kind->fields[i];
        const char *text = field->fallback;
        for (const rigText *at = texts; at->key; at++)
            if (strcmp(at->key, field->key) == 0) text = at->text;
        CHECK(text != NULL);
        if (text) rig_fill(&rig, field, text);
    }
    rig.status = rig.kind->setup(rig.def, planar, &rig.setup);
    return rig;
}

static inline void rig_free(Rig *rig)
{
    for (int i = 0; i < rig->nexpr; i++) vg_expr_free(rig->expr[i]);
    for (int i = 0; i < rig->kind->nfield; i++)
        if (rig->kind->fields[i].type == VG_FIELD_TABLE)
            vg_table_free(*(vgTable **)((char *)rig->def + rig->kind->fields[i].offset));
    free(rig->def);
}

typedef struct rigIn {
    vgForceIn in;
    const vgKin *kin[2];
    vgMeasureOut measure[4];
    double inputs[VG_FORCE_MAX_LAWS][VG_LAW_MAX_INPUTS];
} rigIn;

/* What the caller of an element does. Local inputs hold NaN: the element must not read them. */
static inline const vgForceIn *rig_in(const Rig *rig, const rigState *s, rigIn *x)
{
    memset(x, 0, sizeof *x);
    x->kin[0] = &s->kin[0], x->kin[1] = &s->kin[1];
    x->in = (vgForceIn){.t = s->t, .nbody = rig->setup.nbody, .kin = x->kin, .measure = x->measure};
    x->in.measure_acc = s->acc;
    for (int i = 0; i < 4; i++) x->measure[i].value = s->value[i], x->measure[i].rate = s->rate[i];
    for (int l = 0; l < rig->setup.nlaw; l++) {
        const vgLaw *law = rig->setup.law[l];
        for (int i = 0; i < law->ninput; i++)
            x->inputs[l][i] = law->slot[i] >= VG_LAW_LOCAL ? s->channel[law->slot[i] - VG_LAW_LOCAL] : NAN;
        x->in.law_inputs[l] = x->inputs[l];
    }
    return &x->in;
}

static inline void rig_eval(const Rig *rig, const rigState *s, int tangents, rigOut *out)
{
    rigIn x;
    memset(out, 0, sizeof *out);
    vgForceOut to = {.f = out->f, .Q = out->Q};
    if (tangents)
        to.K = out->K, to.C = out->C, to.M = out->M, to.dQ = out->dQ, to.dA = out->dA, to.dL = out->dL;
    rig->kind->eval(rig->def, rig_in(rig, s, &x), &to);
}

static inline double rig_energy(const Rig *rig, const rigState *s)
{
    rigIn x;
    return rig->kind->energy(rig->def, rig_in(rig, s, &x));
}

static inline void rig_place(Rig *rig, const rigState *s)
{
    rigIn x;
    if (rig->kind->place) rig->kind->place(rig->def, rig_in(rig, s, &x));
}

/* Fills the kind's outputs; returns how many there are. */
static inline int rig_output(const Rig *rig, const rigState *s, double values[RIG_MAX])
{
    rigIn x;
    int n = 0;
    while (rig->kind->outputs && rig->kind->outputs[n]) n++;
    if (n) rig->kind->output(rig->def, rig_in(rig, s, &x), values);
    return n;
}

static inline vgKin rig_rest(void)
{
    return (vgKin){.R = vg_eye3()};
}

static inline vgFrame rig_frame(int body, vgVec3 r)
{
    return (vgFrame){.body = body, .r = r, .R = vg_eye3()};
}

#endif
