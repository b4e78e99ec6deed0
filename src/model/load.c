/* Loading: file → spec → model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "element/force/crowd.h"
#include "model/import.h"
#include "model/read/reader.h"

static const vgField top_fields[] = {
    {"verge", VG_FIELD_INT, 0, "", NULL, 1, 1, "Version of the format: 1."},
    {"title", VG_FIELD_STRING, 0, "", "", 0, 0, "What the model is, in words."},
    {"planar", VG_FIELD_BOOL, 0, "", "false", 0, 0,
     "Everything moves in the x-y plane: vectors are [x, y], rotations one angle, three coordinates a body."},
    {"include", VG_FIELD_LIST, 0, "", "", 0, 0,
     "Files of the model's own folder whose parameters, tables, roads, bodies, joints, forces and repeats "
     "are added. A parameter of the including file wins over an included one."},
    {"parameters", VG_FIELD_MAP, 0, "", "", 0, 0,
     "Names for numbers. Each is an expression over the others, in any order; the command line can set "
     "them."},
    {"tables", VG_FIELD_MAP, 0, "", "", 0, 0, "Tables for laws and profiles, see Tables."},
    {"roads", VG_FIELD_MAP, 0, "", "", 0, 0, "Roads for tyres, see Roads."},
    {"gravity", VG_FIELD_VEC3, 0, "m/s^2", "0", 0, 0,
     "Acceleration of gravity: a vector in world axes, or one number g that acts along -z (planar: -y)."},
    {"bodies", VG_FIELD_MAP, 0, "", "", 0, 0,
     "Bodies by name; the name ground holds the markers of the world."},
    {"joints", VG_FIELD_MAP, 0, "", "", 0, 0, "Joints by name: `name: {kind: [frame, frame], options}`."},
    {"forces", VG_FIELD_MAP, 0, "", "", 0, 0, "Force elements by name: `name: {kind: where, options}`."},
    {"contacts", VG_FIELD_MAP, 0, "", "", 0, 0,
     "Groups of contacts by name: bodies of which any two may touch, see Contacts."},
    {"controllers", VG_FIELD_MAP, 0, "", "", 0, 0, "Controllers that act at a fixed rate, see Controllers."},
    {"mesh", VG_FIELD_MAP, 0, "", "", 0, 0, "Lines of beams and cables by name, see Mesh."},
    {"flexible", VG_FIELD_MAP, 0, "", "", 0, 0, "Bodies with modes by name, see Flexible bodies."},
    {"repeat", VG_FIELD_LIST, 0, "", "", 0, 0, "Blocks that stand for many entries, see Repeat."},
    {"run", VG_FIELD_MAP, 0, "", "", 0, 0,
     "How to run the model unless the command line says otherwise, see Run."},
    {"record", VG_FIELD_LIST, 0, "", "", 0, 0, "Channels to record; * stands for any name."},
};
const vgFormatTable vg_format_top = {
    "Top level",
    "A model file is one YAML map. Units are SI, angles radians. Any number may be an expression.",
    "verge: 1\ntitle: Pendulum\nparameters: {L: 1}\ngravity: [0, 0, -9.81]", top_fields,
    sizeof top_fields / sizeof *top_fields};

static void check_top(vgReader *r, vgNode *root, int main_file)
{
    static const char *const keys[] = {"verge",  "title",       "planar",   "include", "parameters",
                                       "tables", "roads",       "gravity",  "bodies",  "joints",
                                       "forces", "mesh",        "flexible", "repeat",  "run",
                                       "record", "controllers", "contacts", NULL};
    vgNode *version = vg_node_get(root, "verge");
    int number = 0;
    vg_read_fields(r, root, NULL, 0, NULL, keys, "model");
    if (!version && main_file) {
        vg_diag_error(r->diag, root->loc, "'verge' is missing: a model begins with 'verge: 1'");
    } else if (version && vg_read_int(r, version, &number) && number != 1) {
        vg_diag_error(r->diag, version->loc, "this is version %d of the format; version 1 is understood",
                      number);
    }
}

static void read_head(vgReader *r)
{
    const vgNode *root = r->file[0];
    vgNode *title = vg_node_get(root, "title"), *planar = vg_node_get(root, "planar"),
           *gravity = vg_node_get(root, "gravity");
    double g[3] = {0, 0, 0};
    if (planar) vg_read_bool(r, planar, &r->m->planar);
    if (title && title->kind != VG_NODE_SCALAR)
        vg_diag_error(r->diag, title->loc, "expected a text, got %s", vg_node_kind_text(title));
    r->m->title = vg_read_keep(r, title && title->kind == VG_NODE_SCALAR ? title->text : "");
    if (gravity && gravity->kind == VG_NODE_SCALAR) {
        if (vg_read_number(r, gravity, &g[r->m->planar ? 1 : 2])) g[r->m->planar ? 1 : 2] *= -1;
    } else if (gravity) {
        vg_read_vec3(r, gravity, g);
    }
    r->m->gravity = vg_load3(g);
}

static int make_names(vgReader *r)
{
    vgNames **all[] = {&r->body_names,    &r->joint_names,  &r->force_names,
                       &r->measure_names, &r->marker_names, &r->controller_names};
    int made = 1;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *all[i] = vg_names_new();
        made = made && *all[i];
    }
    r->m->body_names = r->body_names;
    r->m->joint_names = r->joint_names;
    r->m->force_names = r->force_names;
    r->m->measure_names = r->measure_names;
    r->m->marker_names = r->marker_names;
    r->m->controller_names = r->controller_names;
    return made;
}

/* What became of the elements of a robot file, for whoever shows the model. */
static void keep_report(vgReader *r, const vgImportReport *report)
{
    vgModelNote *note = VG_NEW(r->pool, vgModelNote, report->n + 1);
    if (!note) {
        r->full = 1;
        return;
    }
    for (int i = 0; i < report->n; i++) {
        const vgImportNote *from = &report->note[i];
        const char *file = vg_diag_file_name(r->diag, from->loc.file),
                   *slash = file ? strrchr(file, '/') : NULL;
        note[i] = (vgModelNote){.verdict = vg_import_verdicts[from->verdict],
                                .place = vg_pool_printf(r->pool, "%s:%d",
                                                        slash  ? slash + 1
                                                        : file ? file
                                                               : "",
                                                        from->loc.line),
                                .text = vg_read_keep(r, from->text),
                                .physics = from->physics};
        if (!note[i].place || !note[i].text) r->full = 1;
    }
    r->m->note = note;
    r->m->nnote = report->n;
}

/* The spec of a model file, or of a robot file; *yaml is then its model as text. */
static vgNode *spec_of(vgReader *r, const char *path, const char *text, size_t n, const char *name,
                       const char **yaml)
{
    *yaml = NULL;
    if (!vg_import_is_robot(text, n))
        return vg_spec_parse(r->scratch, text, n, vg_diag_file(r->diag, name), r->diag);
    char *made = NULL;
    vgImportReport report = {0};
    vgNode *root = vg_import_spec(r->scratch, text, n, name, path, &(vgImportOptions){.summary = 1}, r->diag,
                                  &report, &made);
    if (root && r->m) keep_report(r, &report); /* files alone are read without a model */
    if (root) *yaml = vg_read_keep(r, made);
    if (root && !*yaml) r->full = 1;
    return root;
}

int vg_read_files(vgReader *r, const char *path, const char *text, size_t n, const char *name,
                  const char **yaml)
{
    vgNode *root = spec_of(r, path, text, n, name, yaml);
    if (!root) return 0;
    if (root->kind != VG_NODE_MAP) {
        vg_diag_error(r->diag, root->loc, "a model is a map of verge, bodies, joints, …; got %s",
                      vg_node_kind_text(root));
        return 0;
    }
    r->file[r->nfile++] = root;
    vg_read_includes(r, path);
    return 1;
}

static void read_all(vgReader *r)
{
    for (int f = 0; f < r->nfile; f++) check_top(r, (vgNode *)r->file[f], f == 0);
    vg_read_params(r);
    vg_read_tables(r);
    read_head(r);
    vg_read_roads(r);
    vg_read_entries(r);
    vg_read_bodies(r);
    vg_read_flexibles(r);
    vg_read_meshes(r);
    vg_read_joints(r);
    vg_read_controllers(r);
    vg_read_forces(r);
    vg_read_contacts(r);
    vg_read_angles(r);
    vg_read_run(r);
#define TRIM(array, n, cap)                                                                                  \
    vg_pool_trim(r->pool, array, (size_t)(cap) * sizeof *(array), (size_t)(n) * sizeof *(array))
    r->m->body = TRIM(r->body, r->m->nbody, r->body_cap);
    r->m->marker = TRIM(r->marker, r->m->nmarker, r->marker_cap);
    r->m->joint = r->joint;
    r->m->prim = TRIM(r->prim, r->m->nprim, r->prim_cap);
    r->m->force = TRIM(r->force, r->m->nforce, r->force_cap);
    r->m->measure = TRIM(r->measure, r->m->nmeasure, r->measure_cap);
    r->m->load = TRIM(r->load, r->m->nload, r->load_cap);
    r->m->modal = r->modal;
    r->m->station = r->station;
    r->m->controller = r->controller;
#undef TRIM
    if (!vg_read_stopped(r)) vg_read_digest(r);
}

/* Among bodies that joints hold, one that nothing touches was probably forgotten; where no body is held, or one
 * is thrown, all is as it should be. */
static void warn_of_loose(vgReader *r)
{
    const vgModel *m = r->m;
    unsigned char *held = VG_NEW(r->scratch, unsigned char, m->nbody + 1);
    if (!held || m->njoint == 0) return;
    for (int j = 0; j < m->njoint; j++) {
        if (m->joint[j].a >= 0) held[m->joint[j].a] = 1;
        if (m->joint[j].b >= 0) held[m->joint[j].b] = 1;
    }
    for (int f = 0; f < m->nforce; f++)
        for (int i = 0; i < m->force[f].setup.nbody; i++)
            if (m->force[f].setup.body[i] >= 0) held[m->force[f].setup.body[i]] = 1;
    for (int f = 0; f < m->nforce; f++)
        for (int i = 0; m->force[f].kind->crowd && i < m->nbody; i++)
            if (m->force[f].kind->crowd->acts_on(m->force[f].def, i)) held[i] = 1;
    for (int i = 0; i < m->nbody; i++) {
        const vgBody *b = &m->body[i];
        if (held[i] || vg_body_is_hidden(b) || vg_norm3(b->v0) > 0 || vg_norm3(b->w0) > 0) continue;
        vg_diag_warn(
            r->diag, b->loc,
            "body '%s' is connected to nothing: no joint holds it and no force acts on it, so that it %s",
            b->name, vg_norm3(m->gravity) > 0 ? "falls freely" : "stays where it is");
    }
}

/* The joints whose coordinates joint k couples hold their bodies as a second joint would. */
static void held_by_coupling(const vgModel *m, const vgJoint *k, unsigned char *held)
{
    for (int p = k->prim0; p < k->prim0 + k->nprim; p++)
        for (int i = 0; i < m->prim[p].nterm && m->prim[p].nterm > 1; i++)
            for (int j = 0; j < m->njoint; j++) {
                const vgJoint *of = &m->joint[j];
                const int at = m->prim[p].measure[i] - of->measure0;
                if (at < 0 || at >= of->ncoord) continue;
                if (of->a >= 0) held[of->a] = 2;
                if (of->b >= 0) held[of->b] = 2;
            }
}

/* A body without mass is a frame between joints. With one joint that moves it, it has no equation of motion. */
static void refuse_massless_ends(vgReader *r)
{
    const vgModel *m = r->m;
    unsigned char *held = VG_NEW(r->scratch, unsigned char, m->nbody + 1);
    if (!held) return;
    for (int j = 0; j < m->njoint; j++) {
        const vgJoint *k = &m->joint[j];
        int enough = k->nrow >= 6 ? 2 : 1;
        if (k->a >= 0) held[k->a] = (unsigned char)(held[k->a] < 2 ? held[k->a] + enough : 2);
        if (k->b >= 0) held[k->b] = (unsigned char)(held[k->b] < 2 ? held[k->b] + enough : 2);
        held_by_coupling(m, k, held);
    }
    for (int f = 0; f < m->nforce; f++)
        for (int i = 0; i < m->force[f].setup.nbody; i++)
            if (m->force[f].setup.body[i] >= 0) held[m->force[f].setup.body[i]] = 2;
    for (int i = 0; i < m->nbody; i++) {
        const vgBody *b = &m->body[i];
        int enough = vg_mmax3(b->inertia) > 0 ? 1 : 2;
        if (b->element >= 0 || b->mass > 0 || held[i] >= enough) continue;
        if (strchr(b->name, '.')) continue; /* a node of a mesh or flexible body, held by rows of its own */
        vg_diag_error(r->diag, b->loc,
                      "body '%s' has no mass and %s, so that it has no equation of motion; give it mass and "
                      "inertia, or make it a marker of another body",
                      b->name, held[i] ? "moves at the end of one joint" : "nothing holds it");
    }
}

static vgModel *new_model(vgPool *pool)
{
    vgModel *m = pool ? VG_NEW(pool, vgModel, 1) : NULL;
    if (!m) {
        vg_pool_free(pool);
        return NULL;
    }
    m->pool = pool;
    m->owned = VG_NEW(pool, vgModelOwned, 1);
    if (m->owned) return m;
    vg_pool_free(pool);
    return NULL;
}

/* What a model is read from: a source, whose files have been parsed, or else a file or a text. */
typedef struct From {
    const vgSource *source;
    const char *path, *text;
    size_t n;
    const char *name; /* in messages */
    int starting;     /* for the start: with drives for `start` of joints */
} From;

static void read_from(vgReader *r, const From *from)
{
    size_t n = from->n;
    char *mine = !from->text ? vg_spec_read(r->pool, from->path, VG_NOWHERE, &n, r->diag) : NULL;
    if (from->text && n <= VG_SPEC_MAX_BYTES && (mine = vg_pool_alloc(r->pool, n + 1)) && n)
        memcpy(mine, from->text, n);
    r->m->text = mine;
    r->m->path = from->path ? vg_read_keep(r, from->path) : NULL;
    if (from->text && !mine) vg_diag_error(r->diag, VG_NOWHERE, "the text of the model is too large");
    if (mine && !make_names(r)) vg_read_no_memory(r);
    if (!mine || r->full) return;
    const int before = vg_diag_errors(r->diag);
    const char *yaml = NULL;
    const int parsed = from->source ? vg_source_copy(from->source, r)
                                    : vg_read_files(r, from->path, mine, n, from->name, &yaml);
    if (yaml) r->m->text = yaml;
    if (parsed) read_all(r);
    if (!vg_read_stopped(r) && vg_diag_errors(r->diag) == before) refuse_massless_ends(r);
    if (!vg_read_stopped(r) && vg_diag_errors(r->diag) == before) warn_of_loose(r);
}

static vgModel *load(const From *from, const vgParamSet *set, int nset, vgDiag *diag);

/* The model that the start is found with. Its warnings are those of the model; errors are found again to be reported. */
static void load_start(vgReader *r, const From *from)
{
    From again = *from;
    again.starting = 1;
    vgModel *start = load(&again, r->set, r->nset, NULL);
    if (!start) start = load(&again, r->set, r->nset, r->diag);
    if (start) start->run.equilibrium = 0;
    r->m->start = start;
}

static vgModel *load(const From *from, const vgParamSet *set, int nset, vgDiag *diag)
{
    vgReader *r = calloc(1, sizeof *r); /* too large for a stack that is not ours */
    vgPool *scratch = vg_pool_new(0);
    vgModel *m = r && scratch ? new_model(vg_pool_new(0)) : NULL;
    vgDiag *own = diag ? NULL : vg_diag_new();
    if (!m || (!diag && !own)) {
        vg_diag_no_memory(diag);
        vg_model_free(m);
        m = NULL;
    } else {
        *r = (vgReader){.diag = diag ? diag : own,
                        .scratch = scratch,
                        .pool = m->pool,
                        .m = m,
                        .owned = m->owned,
                        .set = set,
                        .nset = nset,
                        .starting = from->starting};
        int before = vg_diag_errors(r->diag), starving = vg_diag_starved(r->diag);
        read_from(r, from);
        if (r->has_starts && !from->starting && !r->full && vg_diag_errors(r->diag) == before)
            load_start(r, from);
        if (vg_read_starved(r) || vg_diag_starved(r->diag) > starving ||
            (r->full && vg_diag_errors(r->diag) == before))
            vg_diag_no_memory(r->diag), r->full = 1;
        vg_model_owned_free(&r->own);
        vg_names_free(r->param_names);
        vg_names_free(r->table_names);
        vg_names_free(r->road_names);
        if (r->full || vg_diag_errors(r->diag) > before) {
            vg_model_free(m);
            m = NULL;
        }
    }
    vg_diag_free(own);
    vg_pool_free(scratch);
    free(r);
    return m;
}

vgModel *vg_model_load(const char *path, const vgParamSet *set, int nset, vgDiag *diag)
{
    return load(&(From){.path = path, .name = path}, set, nset, diag);
}

vgModel *vg_model_parse(const char *text, size_t n, const char *name, const vgParamSet *set, int nset,
                        vgDiag *diag)
{
    return load(&(From){.text = text, .n = n, .name = name ? name : "model"}, set, nset, diag);
}

vgModel *vg_model_parse_as(const char *text, size_t n, const char *path, const vgParamSet *set, int nset,
                           vgDiag *diag)
{
    return load(&(From){.path = path, .text = text, .n = n, .name = path}, set, nset, diag);
}

vgModel *vg_model_of(const vgSource *source, const vgParamSet *set, int nset, vgDiag *diag)
{
    From from = {.source = source, .path = source->path, .text = source->text, .n = source->n};
    return load(&from, set, nset, diag);
}

void vg_model_free(vgModel *model)
{
    if (!model) return;
    vg_model_free((vgModel *)model->start);
    vg_names_free((vgNames *)model->body_names);
    vg_names_free((vgNames *)model->joint_names);
    vg_names_free((vgNames *)model->force_names);
    vg_names_free((vgNames *)model->measure_names);
    vg_names_free((vgNames *)model->marker_names);
    vg_names_free((vgNames *)model->controller_names);
    vg_model_owned_free(model->owned);
    vg_pool_free(model->pool);
}
