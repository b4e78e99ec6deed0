/* The reference page of the model format, written from the field tables that also read it. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "model/read/reader.h"
#include "model/tuning.h"

static const char *const type_names[VG_FIELD_TYPE_COUNT] = {
    [VG_FIELD_NUMBER] = "number",
    [VG_FIELD_INT] = "whole number",
    [VG_FIELD_BOOL] = "true, false",
    [VG_FIELD_STRING] = "text",
    [VG_FIELD_NAME] = "word",
    [VG_FIELD_VEC3] = "vector",
    [VG_FIELD_MAT3] = "3 rows",
    [VG_FIELD_VEC6] = "6 numbers",
    [VG_FIELD_NUMBERS] = "list of numbers",
    [VG_FIELD_LAW] = "law",
    [VG_FIELD_FRAME] = "frame",
    [VG_FIELD_AXIS] = "axis",
    [VG_FIELD_ROTATION] = "angles",
    [VG_FIELD_MAP] = "map",
    [VG_FIELD_LIST] = "list",
    [VG_FIELD_TABLE] = "table",
    [VG_FIELD_LAW3] = "3 laws",
    [VG_FIELD_ROAD] = "road",
    [VG_FIELD_ROWS] = "rows of numbers",
    [VG_FIELD_PATH] = "list of frames and surfaces",
};

/* A cell of a Markdown table: a bar would end it. */
static void cell(vgText *p, const char *text)
{
    for (const char *c = text; *c; c++) vg_text_add(p, *c == '|' ? "\\|" : "%c", *c);
    vg_text_add(p, " |");
}

static void range(vgText *p, const vgField *f)
{
    if (f->min == 0 && f->max == 0) {
        vg_text_add(p, " | ");
    } else if (f->max >= DBL_MAX) {
        vg_text_add(p, f->min > 0 && f->min < VG_POSITIVE ? "> 0 | " : "≥ %g | ", f->min);
    } else if (f->min <= -DBL_MAX) {
        vg_text_add(p, "≤ %g | ", f->max);
    } else {
        vg_text_add(p, "%g … %g | ", f->min, f->max);
    }
}

static void rows(vgText *p, const vgField *fields, int n)
{
    if (n == 0) {
        vg_text_add(p, "No options.\n\n");
        return;
    }
    vg_text_add(p, "| key | type | unit | default | range | meaning |\n|---|---|---|---|---|---|\n");
    for (int i = 0; i < n; i++) {
        const vgField *f = &fields[i];
        vg_text_add(p, "| `%s` | %s | %s | ", f->key, type_names[f->type], f->unit ? f->unit : "");
        vg_text_add(p, !f->fallback ? "required | " : f->fallback[0] ? "`%s` | " : "– | ", f->fallback);
        range(p, f);
        cell(p, f->doc);
        vg_text_add(p, "\n");
    }
    vg_text_add(p, "\n");
}

static void example(vgText *p, const char *text)
{
    if (text && text[0]) vg_text_add(p, "```yaml\n%s\n```\n\n", text);
}

static void table(vgText *p, const vgFormatTable *t)
{
    vg_text_add(p, "## %s\n\n%s\n\n", t->title, t->doc);
    rows(p, t->fields, t->nfield);
    example(p, t->example);
}

static const char *head_text(vgHead head)
{
    static const char *const texts[] = {[VG_HEAD_NONE] = "true",
                                        [VG_HEAD_FRAME] = "frame",
                                        [VG_HEAD_FRAMES] = "[frame, frame]",
                                        [VG_HEAD_JOINT] = "joint or joint.coordinate",
                                        [VG_HEAD_JOINTS] = "[joint, joint]",
                                        [VG_HEAD_NUMBER] = "number",
                                        [VG_HEAD_BALL] = "joint"};
    return texts[head];
}

static void kind(vgText *p, const char *name, const char *doc, int planar, vgHead head, const vgField *fields,
                 int n, const char *sample)
{
    static const char *const where[] = {"spatial models", "spatial and planar models", "planar models"};
    vg_text_add(p, "### %s\n\n%s\n\n`%s: %s` – %s.\n\n", name, doc, name, head_text(head), where[planar]);
    rows(p, fields, n);
    example(p, sample);
}

/* What the names of `record:` and `--print` mean; verge list channels lists those of a model. */
static void channels(vgText *p)
{
    static const char *const meaning[][3] = {
        {"body.NAME.position.x", "m",
         "Of the body's origin, world axes; `velocity`, `acceleration` likewise."},
        {"body.NAME.rotation.x", "rad", "Angles of Rx Ry Rz, as `rotation` gives them; `quaternion.w` …"},
        {"body.NAME.omega.x", "rad/s", "Angular velocity in body axes; `alpha`: its rate, in body axes too."},
        {"body.NAME.angle", "rad", "Planar models: counted over turns; `omega` and `alpha` are one number."},
        {"marker.BODY.NAME.position.x", "m",
         "Of the marker, world axes; `velocity`, `acceleration` likewise."},
        {"joint.NAME.angle", "rad",
         "A coordinate of the joint, angles counted over turns; `rate` and `acceleration` of the first, "
         "`rate2` … of the second."},
        {"joint.NAME.force.x", "N",
         "What acts on the second body, see Joints; `torque` about the second frame."},
        {"joint.NAME.drive.effort", "N",
         "Force or torque (N*m) of a drive along its coordinate: positive where it pushes the coordinate to "
         "grow."},
        {"joint.NAME.lambda.0", "", "Multipliers, as the constraint setting has them."},
        {"force.NAME.force", "N", "Outputs of a force element, see its kind."},
        {"energy.total", "J",
         "`kinetic` + `potential` (gravity and what force elements store, `potential.NAME`)."},
        {"energy.dissipated", "J",
         "What force elements took out since the run began (a resumed run starts from 0); a motor makes it "
         "negative."},
        {"energy.drives", "J",
         "Work of drives since the run began: total - drives + dissipated stays constant."},
        {"com.position.x", "m", "Centre of mass of all bodies; `velocity`, `acceleration` likewise."},
        {"momentum.x", "kg*m/s", "Of all bodies; `momentum.angular` about the world's origin."},
        {"constraint.position", "",
         "Largest violation of a joint; `velocity`, `acceleration`: of its derivatives; "
         "`constraint.NAME.position`: of one joint."},
    };
    vg_text_add(p, "## Channels\n\nWhat `record` and `--print` name; * stands for any part. `verge list "
                   "channels` lists those of a model.\n\n| channel | unit | meaning |\n|---|---|---|\n");
    for (size_t i = 0; i < sizeof meaning / sizeof meaning[0]; i++)
        vg_text_add(p, "| `%s` | %s | %s |\n", meaning[i][0], meaning[i][1], meaning[i][2]);
    vg_text_add(p, "\n");
    example(p, "record: [joint.*.angle, body.rod.position.*, energy.total]");
}

/* The coordinates of a joint kind, asked from the kind itself. */
static void coordinates(vgText *p, const vgJointKind *k)
{
    vgJointDef def = vg_joint_def();
    vgJointBuild build;
    memset(&build, 0, sizeof build);
    if (k->head == VG_HEAD_FRAMES) k->build(&def, 0, &build);
    for (int i = 0; i < build.ncoord; i++) {
        vg_text_add(p, "%s`joint.NAME.%s` (%s)", i ? ", " : "Coordinates: ", build.coord[i].name,
                    build.coord[i].unit);
    }
    if (build.ncoord) vg_text_add(p, ".\n\n");
}

static void joints(vgText *p)
{
    table(p, &vg_format_joint);
    for (int i = 0; vg_joint_kinds[i]; i++) {
        const vgJointKind *k = vg_joint_kinds[i];
        kind(p, k->name, k->doc, k->planar, k->head, k->fields, k->nfield, k->example);
        coordinates(p, k);
    }
    table(p, &vg_format_drive);
}

static void forces(vgText *p)
{
    vg_text_add(
        p, "## Forces\n\n`forces: {name: {kind: where, options}}`. A law is an expression of t, of the "
           "element's own quantities listed below, and of joint.NAME.coordinate, joint.NAME.rate, "
           "joint.NAME.force.x … torque.z (its reaction), body.NAME.position.x, body.NAME.velocity.x and the "
           "same of marker.BODY.NAME. Planar bodies also have body.NAME.angle and body.NAME.omega; bodies "
           "and markers in space "
           "have rotation.x … z (angles of Rx Ry Rz; the first and the last count turns, and the second is "
           "between -90 and 90 "
           "degrees, where the others lose their meaning) and omega.x … z (along their own axes). input.NAME "
           "is a "
           "number that comes from outside while the model runs (`verge realtime`, the C API) and 0 until it "
           "does; controller.NAME is what a controller of the model holds. Every entry may carry `if`.\n\n");
    for (int i = 0; vg_force_kinds[i]; i++) {
        const vgForceKind *k = vg_force_kinds[i];
        kind(p, k->name, k->doc, k->planar, k->head, k->fields, k->nfield, k->example);
        for (int j = 0; k->some && k->some[j]; j++)
            vg_text_add(p, "%s`%s`", j ? ", " : "At least one of: ", k->some[j]);
        if (k->some) vg_text_add(p, ".\n\n");
        for (int j = 0; k->locals && k->locals[j]; j++)
            vg_text_add(p, "%s`%s`", j ? ", " : "Own quantities of its laws: ", k->locals[j]);
        if (k->locals && k->locals[0]) vg_text_add(p, ".\n\n");
        for (int j = 0; k->outputs && k->outputs[j]; j++) {
            vg_text_add(p, "%s`force.NAME.%s`", j ? ", " : "Channels: ", k->outputs[j]);
        }
        if (k->outputs && k->outputs[0]) vg_text_add(p, ".\n\n");
    }
}

static void contacts(vgText *p)
{
    table(p, &vg_format_contacts);
}

static void controllers(vgText *p)
{
    table(p, &vg_format_controllers);
    for (int i = 0; vg_controller_kinds[i]; i++) {
        const vgControllerKind *k = vg_controller_kinds[i];
        vg_text_add(p, "### Controller: %s\n\n%s\n\n`%s: %s`.\n\n", k->name, k->doc, k->name, k->head);
        if (k->nfield) rows(p, k->fields, k->nfield);
        example(p, k->example);
    }
}

static void roads(vgText *p)
{
    vg_text_add(
        p, "## Roads\n\n`roads: {name: {kind: {options}}}`: heights z over x in the frame that a tyre names, "
           "the same for every y. `on: name` lays a road on one that stands before it; heights add.\n\n");
    for (int i = 0; vg_road_kinds[i]; i++) {
        const vgRoadKind *k = vg_road_kinds[i];
        vg_text_add(p, "### Road: %s\n\n%s\n\n", k->name, k->doc);
        rows(p, k->fields, k->nfield);
        example(p, k->example);
    }
}

char *vg_model_format_doc(void)
{
    vgText p = {0};
    vg_text_add(
        &p,
        "# The model format\n\nMade by `verge doc format` from the tables that read models; do not edit.\n\n"
        "Numbers are SI, angles radians. A number may be an expression over the parameters, such as "
        "`m*L^2/12` or `deg(30)`; quote it where YAML would read it otherwise. Expressions know + - * / ^, "
        "comparisons, and, or, not, if(c, a, b), sin cos tan asin acos atan atan2 sinh cosh tanh sqrt exp "
        "log abs sign floor min max, deg(x), step(x, x0, h0, x1, h1), table(name, x), pi. A vector is [x, y, "
        "z]; in planar models [x, y]. An axis is x, y, z, -x, -y, -z or a vector. A frame is body, "
        "body.marker, ground, ground.marker or {body: name, position: …}. Names begin with a letter and hold "
        "letters, digits, _ and -; names used in expressions have no -.\n\n");
    table(&p, &vg_format_top);
    table(&p, &vg_format_body);
    table(&p, &vg_format_inertia);
    table(&p, &vg_format_marker);
    table(&p, &vg_format_shape);
    joints(&p);
    forces(&p);
    contacts(&p);
    controllers(&p);
    table(&p, &vg_format_mesh);
    table(&p, &vg_format_flexible);
    table(&p, &vg_format_modes);
    table(&p, &vg_format_repeat);
    table(&p, &vg_format_table);
    roads(&p);
    table(&p, &vg_format_run);
    channels(&p);
    return vg_text_take(&p);
}
