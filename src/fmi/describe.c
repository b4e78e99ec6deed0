#include "fmi/describe.h"

#include <stdio.h>
#include <string.h>

#include "fmi/units.h"
#include "verge/version.h"

/* ---- XML ---- */

static void escaped(vgText *xml, const char *text)
{
    for (; *text; text++) {
        const char *as = *text == '&'   ? "&amp;"
                         : *text == '<' ? "&lt;"
                         : *text == '>' ? "&gt;"
                         : *text == '"' ? "&quot;"
                                        : NULL;
        if (as)
            vg_text_put(xml, as, strlen(as));
        else if ((unsigned char)*text >= ' ')
            vg_text_put(xml, text, 1);
    }
}

static void attribute(vgText *xml, const char *name, const char *value)
{
    vg_text_add(xml, " %s=\"", name);
    escaped(xml, value);
    vg_text_put(xml, "\"", 1);
}

static void number(vgText *xml, const char *name, double value)
{
    vg_text_add(xml, " %s=\"", name);
    vg_text_number(xml, value);
    vg_text_put(xml, "\"", 1);
}

/* ---- parts ---- */

static void interface(const vgFmuDescription *d, vgText *xml)
{
    const int three = d->version == 3;
    vg_text_add(xml, "  <%s", d->is->exchange ? "ModelExchange" : "CoSimulation");
    attribute(xml, "modelIdentifier", d->identifier);
    vg_text_add(xml, three ? " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\""
                           : " canNotUseMemoryManagementFunctions=\"true\" canGetAndSetFMUstate=\"true\" "
                             "canSerializeFMUstate=\"true\"");
    if (!d->is->exchange) vg_text_add(xml, " canHandleVariableCommunicationStepSize=\"true\"");
    if (!d->is->exchange && three)
        vg_text_add(xml, " providesIntermediateUpdate=\"true\" "
                         "canReturnEarlyAfterIntermediateUpdate=\"true\" hasEventMode=\"true\"");
    vg_text_add(xml, "/>\n");
}

/* Each unit once; "" and what FMI's base units cannot say have no definition. */
static void units(const vgFmuDescription *d, vgText *xml)
{
    vgText some = {0};
    for (int i = 0; i < d->is->noutput; i++) {
        int seen = !d->unit[i][0];
        for (int k = 0; k < i && !seen; k++) seen = strcmp(d->unit[k], d->unit[i]) == 0;
        vgText powers = {0};
        if (!seen && vg_fmu_unit(d->unit[i], &powers)) {
            vg_text_add(&some, "    <Unit");
            attribute(&some, "name", d->unit[i]);
            vg_text_add(&some, "><BaseUnit%s/></Unit>\n", vg_text_at(&powers));
        }
        vg_text_free(&powers);
    }
    if (some.used) vg_text_add(xml, "  <UnitDefinitions>\n%s  </UnitDefinitions>\n", vg_text_at(&some));
    if (!vg_text_ok(&some)) xml->failed = 1;
    vg_text_free(&some);
}

static const char *unit_of(const vgFmuDescription *d, int output)
{
    vgText powers = {0};
    const int known = d->unit[output][0] && vg_fmu_unit(d->unit[output], &powers);
    vg_text_free(&powers);
    return known ? d->unit[output] : NULL;
}

static void categories(vgText *xml)
{
    static const char *const list[][2] = {{"logStatusWarning", "warnings"},
                                          {"logStatusDiscard", "steps that were not done to their end"},
                                          {"logStatusError", "wrong calls, models that cannot start"},
                                          {"logAll", "all messages"}};
    vg_text_add(xml, "  <LogCategories>\n");
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        vg_text_add(xml, "    <Category name=\"%s\" description=\"%s\"/>\n", list[i][0], list[i][1]);
    vg_text_add(xml, "  </LogCategories>\n");
}

static void experiment(const vgFmuDescription *d, vgText *xml)
{
    vg_text_add(xml, "  <DefaultExperiment startTime=\"0\"");
    if (d->stop > 0) number(xml, "stopTime", d->stop);
    if (d->step > 0) number(xml, "stepSize", d->step);
    vg_text_add(xml, "/>\n");
}

/* ---- variables ---- */

typedef struct Variable {
    const char *name, *causality, *variability, *initial, *unit, *description;
    double start;
    int has_start;
    unsigned ref, derivative; /* derivative: value reference of the state, 0: it is none */
} Variable;

static void put_variable(const vgFmuDescription *d, const Variable *v, vgText *xml)
{
    const int three = d->version == 3;
    vg_text_add(xml, "    <%s", three ? "Float64" : "ScalarVariable");
    attribute(xml, "name", v->name);
    vg_text_add(xml, " valueReference=\"%u\"", v->ref);
    if (v->description) attribute(xml, "description", v->description);
    attribute(xml, "causality", v->causality);
    attribute(xml, "variability", v->variability);
    /* in FMI 3.0 inputs and the time have no `initial`, as in 2.0 */
    if (v->initial) attribute(xml, "initial", v->initial);
    if (!three) vg_text_add(xml, "><Real");
    if (v->unit) attribute(xml, "unit", v->unit);
    if (v->has_start) number(xml, "start", v->start);
    /* FMI 2.0 counts variables from 1 in their order, which is that of the value references */
    if (v->derivative) vg_text_add(xml, " derivative=\"%u\"", three ? v->derivative : v->derivative + 1);
    vg_text_add(xml, three ? "/>\n" : "/></ScalarVariable>\n");
}

/* "input.force", "state.joint.O.angle", "der(…)"; what is longer than the room is cut. */
enum { NAME = 400 };

static void variables(const vgFmuDescription *d, vgText *xml)
{
    const vgFmuManifest *m = d->is;
    static const char *const variability[] = {"fixed", "tunable", "tunable"};
    char name[NAME];
    vg_text_add(xml, "  <ModelVariables>\n");
    put_variable(d, &(Variable){.name = "time", .causality = "independent", .variability = "continuous"},
                 xml);
    for (int i = 0; i < m->nparam; i++) {
        const vgFmuParam *p = &m->param[i];
        const int set = p->is != VG_FMU_CALCULATED;
        Variable v = {.name = p->name,
                      .causality = set ? "parameter" : "calculatedParameter",
                      .variability = variability[p->is],
                      .initial = set ? "exact" : "calculated",
                      .start = p->value,
                      .has_start = set,
                      .ref = vg_fmu_first(m, VG_FMU_PARAM) + (unsigned)i};
        put_variable(d, &v, xml);
    }
    for (int i = 0; i < m->ninput; i++) {
        snprintf(name, sizeof name, "input.%s", m->input[i]);
        Variable v = {.name = name,
                      .causality = "input",
                      .variability = "continuous",
                      .has_start = 1,
                      .ref = vg_fmu_first(m, VG_FMU_INPUT) + (unsigned)i};
        put_variable(d, &v, xml);
    }
    for (int i = 0; i < m->noutput; i++) {
        Variable v = {.name = m->output[i],
                      .causality = "output",
                      .variability = "continuous",
                      .initial = "calculated",
                      .unit = unit_of(d, i),
                      .ref = vg_fmu_first(m, VG_FMU_OUTPUT) + (unsigned)i};
        put_variable(d, &v, xml);
    }
    for (int i = 0; i < 2 * m->nstate; i++) {
        const int rate = i >= m->nstate, k = rate ? i - m->nstate : i;
        const unsigned state = vg_fmu_first(m, VG_FMU_STATE) + (unsigned)k;
        snprintf(name, sizeof name, rate ? "der(state.%s)" : "state.%s", d->state[k]);
        Variable v = {.name = name,
                      .causality = "local",
                      .variability = "continuous",
                      .initial = "calculated",
                      .ref = vg_fmu_first(m, rate ? VG_FMU_RATE : VG_FMU_STATE) + (unsigned)k,
                      .derivative = rate ? state : 0};
        put_variable(d, &v, xml);
    }
    vg_text_add(xml, "  </ModelVariables>\n");
}

/* ---- structure ---- */

/* Variables of a group as unknowns; `as`: the element of FMI 3.0. */
static void unknowns(const vgFmuDescription *d, vgFmuGroup group, const char *as, vgText *xml)
{
    for (int i = 0; i < vg_fmu_size(d->is, group); i++) {
        const unsigned ref = vg_fmu_first(d->is, group) + (unsigned)i;
        if (d->version == 3)
            vg_text_add(xml, "    <%s valueReference=\"%u\"/>\n", as, ref);
        else
            vg_text_add(xml, "      <Unknown index=\"%u\"/>\n", ref + 1);
    }
}

/* Parameters that others determine. */
static void calculated(const vgFmuDescription *d, vgText *xml)
{
    for (int i = 0; i < d->is->nparam; i++) {
        const unsigned ref = vg_fmu_first(d->is, VG_FMU_PARAM) + (unsigned)i;
        if (d->is->param[i].is != VG_FMU_CALCULATED) continue;
        if (d->version == 3)
            vg_text_add(xml, "    <InitialUnknown valueReference=\"%u\"/>\n", ref);
        else
            vg_text_add(xml, "      <Unknown index=\"%u\"/>\n", ref + 1);
    }
}

static void structure_2(const vgFmuDescription *d, vgText *xml)
{
    int later = d->is->noutput + d->is->nstate;
    for (int i = 0; i < d->is->nparam; i++) later += d->is->param[i].is == VG_FMU_CALCULATED;
    vg_text_add(xml, "  <ModelStructure>\n");
    if (d->is->noutput) {
        vg_text_add(xml, "    <Outputs>\n");
        unknowns(d, VG_FMU_OUTPUT, "", xml);
        vg_text_add(xml, "    </Outputs>\n");
    }
    if (d->is->nstate) {
        vg_text_add(xml, "    <Derivatives>\n");
        unknowns(d, VG_FMU_RATE, "", xml);
        vg_text_add(xml, "    </Derivatives>\n");
    }
    if (later) {
        vg_text_add(xml, "    <InitialUnknowns>\n");
        calculated(d, xml);
        unknowns(d, VG_FMU_OUTPUT, "", xml);
        unknowns(d, VG_FMU_STATE, "", xml);
        unknowns(d, VG_FMU_RATE, "", xml);
        vg_text_add(xml, "    </InitialUnknowns>\n");
    }
    vg_text_add(xml, "  </ModelStructure>\n");
}

static void structure_3(const vgFmuDescription *d, vgText *xml)
{
    vg_text_add(xml, "  <ModelStructure>\n");
    unknowns(d, VG_FMU_OUTPUT, "Output", xml);
    unknowns(d, VG_FMU_RATE, "ContinuousStateDerivative", xml);
    calculated(d, xml);
    unknowns(d, VG_FMU_OUTPUT, "InitialUnknown", xml);
    unknowns(d, VG_FMU_STATE, "InitialUnknown", xml);
    unknowns(d, VG_FMU_RATE, "InitialUnknown", xml);
    vg_text_add(xml, "  </ModelStructure>\n");
}

void vg_fmu_describe(const vgFmuDescription *d, vgText *xml)
{
    const int three = d->version == 3;
    vg_text_add(xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"%d.0\"",
                d->version);
    attribute(xml, "modelName", d->name);
    attribute(xml, three ? "instantiationToken" : "guid", d->is->token);
    if (d->title && d->title[0]) attribute(xml, "description", d->title);
    vg_text_add(xml, " generationTool=\"Verge %s\" variableNamingConvention=\"flat\"", VERGE_VERSION_STRING);
    if (!three) vg_text_add(xml, " numberOfEventIndicators=\"0\"");
    vg_text_add(xml, ">\n");
    interface(d, xml);
    units(d, xml);
    categories(xml);
    experiment(d, xml);
    variables(d, xml);
    if (three)
        structure_3(d, xml);
    else
        structure_2(d, xml);
    vg_text_add(xml, "</fmiModelDescription>\n");
}
