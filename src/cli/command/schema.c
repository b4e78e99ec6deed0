/* verge schema: a JSON schema (draft 7) of model files, made from the field tables that read them. Editors use it to complete
 * keys, show their meaning and mark mistakes while a model is written. It is wider than the reader: any number may be
 * an expression, so a text is accepted wherever a number is; what needs the whole model (names, ranges of expressions)
 * is left to `verge check`. */
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "element/controller/controller.h"
#include "element/road/road.h"
#include "io/json.h"
#include "model/read/reader.h"

/* What a value of each type may be, as members of a schema. */
static const char *const any = "{}";
static const char *const types[VG_FIELD_TYPE_COUNT] = {
    [VG_FIELD_NUMBER] = "{\"$ref\":\"#/definitions/number\"}",
    [VG_FIELD_INT] = "{\"type\":[\"integer\",\"string\"]}",
    [VG_FIELD_BOOL] = "{\"type\":[\"boolean\",\"number\",\"string\"]}",
    [VG_FIELD_STRING] = "{\"type\":[\"string\",\"number\",\"boolean\"]}",
    [VG_FIELD_NAME] = "{\"type\":[\"string\",\"number\"]}",
    [VG_FIELD_VEC3] = "{\"$ref\":\"#/definitions/vector\"}",
    [VG_FIELD_MAT3] = "{\"type\":\"array\",\"items\":{\"$ref\":\"#/definitions/numbers\"}}",
    [VG_FIELD_VEC6] = "{\"$ref\":\"#/definitions/numbers\"}",
    [VG_FIELD_NUMBERS] = "{\"$ref\":\"#/definitions/numbers\"}",
    [VG_FIELD_LAW] = "{\"$ref\":\"#/definitions/number\"}",
    [VG_FIELD_FRAME] = "{\"$ref\":\"#/definitions/frame\"}",
    [VG_FIELD_LAW3] = "{\"$ref\":\"#/definitions/vector\"}",
    [VG_FIELD_ROAD] = "{\"type\":\"string\"}",
};

/* Keys whose value has a schema of its own, wherever they stand. */
static const struct {
    const char *key, *schema;
} known[] = {
    {"bodies", "{\"$ref\":\"#/definitions/bodies\"}"},
    {"joints", "{\"$ref\":\"#/definitions/joints\"}"},
    {"forces", "{\"$ref\":\"#/definitions/forces\"}"},
    {"controllers", "{\"$ref\":\"#/definitions/controllers\"}"},
    {"contacts", "{\"$ref\":\"#/definitions/contacts\"}"},
    {"mesh", "{\"$ref\":\"#/definitions/meshes\"}"},
    {"flexible", "{\"$ref\":\"#/definitions/flexibles\"}"},
    {"roads", "{\"$ref\":\"#/definitions/roads\"}"},
    {"run", "{\"$ref\":\"#/definitions/run\"}"},
    {"markers", "{\"type\":\"object\",\"additionalProperties\":{\"$ref\":\"#/definitions/marker\"}}"},
    {"shape", "{\"anyOf\":[{\"$ref\":\"#/definitions/shape\"},{\"type\":\"array\",\"items\":{\"$ref\":\"#/"
              "definitions/shape\"}}]}"},
    {"parameters", "{\"type\":\"object\",\"additionalProperties\":{\"$ref\":\"#/definitions/number\"}}"},
    {"record", "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"},
    {"include", "{\"type\":[\"array\",\"string\"],\"items\":{\"type\":\"string\"}}"},
    {"repeat", "{\"anyOf\":[{\"$ref\":\"#/definitions/repeat\"},{\"type\":\"array\",\"items\":{\"$ref\":\"#/"
               "definitions/repeat\"}}]}"},
};

static const char *schema_of(const vgField *f)
{
    if (f->type == VG_FIELD_MAP || f->type == VG_FIELD_LIST)
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (strcmp(known[i].key, f->key) == 0) return known[i].schema;
    return types[f->type] ? types[f->type] : any;
}

/* Meaning, unit and default in one sentence for the editor. */
static void describe(vgText *text, const vgField *f)
{
    vg_text_add(text, "%s", f->doc);
    if (f->unit && f->unit[0]) vg_text_add(text, " Unit: %s.", f->unit);
    if (f->fallback && f->fallback[0]) vg_text_add(text, " Default: %s.", f->fallback);
}

/* A member of `properties`. A reference hides its neighbours in draft 7, hence allOf. */
static void property(vgJson *json, const char *key, const char *schema, const char *doc)
{
    vg_json_open(json, key, '{');
    vg_json_text(json, "description", doc);
    if (strcmp(schema, any) != 0) {
        vg_json_open(json, "allOf", '[');
        vg_json_raw(json, NULL, schema);
        vg_json_close(json);
    }
    vg_json_close(json);
}

/* The keys of a table; `angle, displacement, …` of the page's tables stands for names that are not fixed. */
static void properties(vgJson *json, const vgField *fields, int n)
{
    for (int i = 0; i < n; i++) {
        if (strchr(fields[i].key, ',')) continue;
        vgText doc = {0};
        describe(&doc, &fields[i]);
        property(json, fields[i].key, schema_of(&fields[i]), vg_text_at(&doc));
        if (!vg_text_ok(&doc)) json->text.failed = 1;
        vg_text_free(&doc);
    }
}

static void closed(vgJson *json, int open)
{
    vg_json_close(json);
    vg_json_bool(json, "additionalProperties", open);
}

/* A definition of a map with the keys of one table. */
static void definition(vgJson *json, const char *name, const vgFormatTable *t, int open)
{
    vg_json_open(json, name, '{');
    vg_json_text(json, "type", "object");
    vg_json_text(json, "description", t->doc);
    vg_json_open(json, "properties", '{');
    properties(json, t->fields, t->nfield);
    closed(json, open);
    vg_json_close(json);
}

/* A section {name: entry}: an entry is a map, or a list of maps of which the first whose `if` holds is taken. */
static void section(vgJson *json, const char *name, const char *entry)
{
    char text[256];
    snprintf(text, sizeof text,
             "{\"type\":\"object\",\"additionalProperties\":{\"if\":{\"type\":\"array\"},\"then\":{\"items\":"
             "{\"$ref\":\"#/definitions/%s\"}},\"else\":{\"$ref\":\"#/definitions/%s\"}}}",
             entry, entry);
    vg_json_raw(json, name, text);
}

/* An entry of a kind: {KIND: head, the kind's fields, keys of every entry}. The kind's own key selects it, so that an
 * editor reports the mistake in that kind and not one for each other kind. */
typedef struct kindRow {
    const char *name, *doc;
    const vgField *fields;
    int nfield;
} kindRow;

static const kindRow no_kind = {0};

static kindRow joint_at(int i)
{
    const vgJointKind *k = vg_joint_kinds[i];
    return k ? (kindRow){k->name, k->doc, k->fields, k->nfield} : no_kind;
}

static kindRow force_at(int i)
{
    const vgForceKind *k = vg_force_kinds[i];
    return k ? (kindRow){k->name, k->doc, k->fields, k->nfield} : no_kind;
}

static kindRow controller_at(int i)
{
    const vgControllerKind *k = vg_controller_kinds[i];
    return k ? (kindRow){k->name, k->doc, k->fields, k->nfield} : no_kind;
}

static void required(vgJson *json, const char *key, const char *name)
{
    vg_json_open(json, key, '{');
    vg_json_open(json, "required", '[');
    vg_json_text(json, NULL, name);
    vg_json_close(json);
    vg_json_close(json);
}

static int has_field(const kindRow *k, const char *key)
{
    for (int i = 0; i < k->nfield; i++)
        if (strcmp(k->fields[i].key, key) == 0) return 1;
    return 0;
}

/* The key of a kind may be a field of another one (`force` of a spring): there it does not select its kind. */
static void when_selected(vgJson *json, const char *name, kindRow (*at)(int))
{
    kindRow k;
    vg_json_open(json, "if", '{');
    vg_json_open(json, "allOf", '[');
    required(json, NULL, name);
    for (int i = 0; (k = at(i)).name; i++) {
        if (!has_field(&k, name)) continue;
        vg_json_open(json, NULL, '{');
        required(json, "not", k.name);
        vg_json_close(json);
    }
    vg_json_close(json);
    vg_json_close(json);
}

static void kind_entry(vgJson *json, const kindRow *k, kindRow (*at)(int), const vgField *common, int ncommon)
{
    vg_json_open(json, NULL, '{');
    when_selected(json, k->name, at);
    vg_json_open(json, "then", '{');
    vg_json_open(json, "properties", '{');
    vg_json_raw(json, k->name, any);
    for (int i = 0; i < k->nfield; i++) vg_json_raw(json, k->fields[i].key, schema_of(&k->fields[i]));
    for (int i = 0; i < ncommon; i++)
        if (strcmp(common[i].key, k->name) != 0) vg_json_raw(json, common[i].key, schema_of(&common[i]));
    closed(json, 0);
    vg_json_close(json);
    vg_json_close(json);
}

/* `drive` beside another kind drives that joint: as a kind of its own it stands alone and decides nothing here. */
static int stands_beside(const char *name, const vgField *common, int ncommon)
{
    for (int i = 0; i < ncommon; i++)
        if (strcmp(common[i].key, name) == 0) return 1;
    return 0;
}

static void kinds(vgJson *json, const char *name, kindRow (*at)(int), const vgField *common, int ncommon)
{
    kindRow k;
    vg_json_open(json, name, '{');
    vg_json_text(json, "type", "object");
    vg_json_open(json, "properties", '{');
    for (int i = 0; (k = at(i)).name; i++)
        if (!stands_beside(k.name, common, ncommon)) property(json, k.name, any, k.doc);
    properties(json, common, ncommon);
    vg_json_close(json);
    vg_json_open(json, "anyOf", '[');
    for (int i = 0; (k = at(i)).name; i++) required(json, NULL, k.name);
    vg_json_close(json);
    vg_json_open(json, "allOf", '[');
    for (int i = 0; (k = at(i)).name; i++)
        if (!stands_beside(k.name, common, ncommon)) kind_entry(json, &k, at, common, ncommon);
    vg_json_close(json);
    vg_json_close(json);
}

/* {kind: {fields}, on: road} */
static void roads(vgJson *json)
{
    vg_json_open(json, "roads", '{');
    vg_json_text(json, "type", "object");
    vg_json_open(json, "additionalProperties", '{');
    vg_json_open(json, "properties", '{');
    vg_json_raw(json, "on", types[VG_FIELD_ROAD]);
    for (int i = 0; vg_road_kinds[i]; i++) {
        const vgRoadKind *k = vg_road_kinds[i];
        vg_json_open(json, k->name, '{');
        vg_json_text(json, "description", k->doc);
        vg_json_open(json, "properties", '{');
        properties(json, k->fields, k->nfield);
        closed(json, 0);
        vg_json_close(json);
    }
    closed(json, 0);
    vg_json_close(json);
    vg_json_close(json);
}

static void definitions(vgJson *json)
{
    static const vgField condition[] = {
        {"if", VG_FIELD_BOOL, 0, "", "true", 0, 0, "The entry is left out when this is 0."}};
    vg_json_raw(json, "number", "{\"type\":[\"number\",\"string\"]}");
    vg_json_raw(json, "numbers",
                "{\"type\":[\"array\",\"number\",\"string\"],\"items\":{\"type\":[\"number\",\"string\","
                "\"array\"]}}");
    vg_json_raw(json, "vector",
                "{\"type\":[\"array\",\"number\",\"string\"],\"items\":{\"$ref\":\"#/definitions/"
                "number\"},\"minItems\":2,\"maxItems\":3}");
    vg_json_raw(json, "frame",
                "{\"type\":[\"string\",\"object\"],\"properties\":{\"body\":{\"type\":\"string\"}}}");
    vg_json_raw(json, "marker",
                "{\"if\":{\"type\":\"object\"},\"then\":{\"$ref\":\"#/definitions/"
                "marker-map\"},\"else\":{\"type\":\"array\"}}");
    definition(json, "marker-map", &vg_format_marker, 0);
    definition(json, "shape", &vg_format_shape, 0);
    definition(json, "body", &vg_format_body, 0);
    definition(json, "run", &vg_format_run, 0);
    definition(json, "repeat", &vg_format_repeat, 0);
    definition(json, "flexible", &vg_format_flexible, 0);
    definition(json, "group", &vg_format_contacts, 0);
    definition(json, "line", &vg_format_mesh, 1); /* and the fields of its kind of beam */
    kinds(json, "joint", joint_at, vg_format_joint.fields, vg_format_joint.nfield);
    kinds(json, "force", force_at, condition, 1);
    kinds(json, "controller", controller_at, vg_format_controllers.fields, vg_format_controllers.nfield);
    section(json, "bodies", "body");
    section(json, "joints", "joint");
    section(json, "forces", "force");
    section(json, "controllers", "controller");
    section(json, "contacts", "group");
    section(json, "flexibles", "flexible");
    section(json, "meshes", "line");
    roads(json);
}

static int schema(const vgArgs *args)
{
    (void)args;
    vgJson json = {.indent = 1};
    vg_json_open(&json, NULL, '{');
    vg_json_text(&json, "$schema", "http://json-schema.org/draft-07/schema#");
    vg_json_text(&json, "title", "Verge model");
    vg_json_text(&json, "description", vg_format_top.doc);
    vg_json_text(&json, "type", "object");
    vg_json_open(&json, "properties", '{');
    properties(&json, vg_format_top.fields, vg_format_top.nfield);
    closed(&json, 0);
    vg_json_open(&json, "definitions", '{');
    definitions(&json);
    vg_json_close(&json);
    vg_json_close(&json);
    vg_cli_answer(&json);
    return VG_EXIT_OK;
}

static const vgOption options[] = {{"json", 0, NULL, "the schema is JSON anyway; accepted for scripts"}, {0}};

const vgCommand vg_cmd_schema = {
    .name = "schema",
    .usage = "",
    .doc = "print a JSON schema of model files, for editors",
    .example = "  verge schema >verge.schema.json\n",
    .more = "Editors with a YAML language server complete keys and mark mistakes with it. In a model's first "
            "line:\n\n"
            "    # yaml-language-server: $schema=verge.schema.json\n",
    .options = options,
    .run = schema,
};
