/* Controllers: outputs first, so that laws of any of them and of forces may name them, then the rest. */
#include <string.h>

#include "model/read/reader.h"

static int kind_at(int i, vgReadKind *kind)
{
    const vgControllerKind *k = vg_controller_kinds[i];
    if (k) *kind = (vgReadKind){k->name, k->fields, k->nfield};
    return k != NULL;
}

static const char *const keys[] = {"if", NULL};
static const vgReadKinds kinds = {"controller", "{pid: law, sample: 0.001, …}", keys, kind_at, NULL};

const vgFormatTable vg_format_controllers = {
    "Controllers",
    "`controllers: {name: {kind: law, sample: T, options}}`. At every sample a controller looks at its laws, "
    "computes, and holds its output until the next; integrators end a step there. Laws of forces and of "
    "other controllers call the output controller.NAME, and so do channels. Controllers that are due at the "
    "same time act in the order of the file. Static equilibrium, modes and linear models use the output as "
    "it is held. Keys of every controller:",
    "controllers:\n  servo: {pid: \"0.5 - joint.hinge.angle\", p: 40, d: 8, limit: 20, sample: 0.001}\n"
    "forces:\n  motor: {joint-torque: hinge, value: controller.servo}",
    vg_controller_fields, 5};

/* Names in a text, with commas between them. */
static int count_names(vgReader *r, const vgNode *text)
{
    int n = 1;
    for (const char *c = text->text; *c; c++) n += *c == ',';
    if (n <= VG_CONTROLLER_MAX) return n;
    vg_diag_error(r->diag, text->loc, "a controller has at most %d outputs", VG_CONTROLLER_MAX);
    return 0;
}

/* Rows of the matrix that says how many outputs there are. */
static int count_outputs(vgReader *r, const vgControllerKind *kind, const vgEntry *e)
{
    const vgNode *rows = kind->rows ? vg_node_get(e->value, kind->rows) : NULL;
    if (rows && rows->kind == VG_NODE_SCALAR && kind->file) return count_names(r, rows);
    int n = rows && rows->kind == VG_NODE_LIST && rows->n > 0 && rows->item[0]->kind == VG_NODE_LIST ? rows->n
                                                                                                     : 1;
    if (n <= VG_CONTROLLER_MAX) return n;
    vg_diag_error(r->diag, rows->loc, "%s: a controller has at most %d outputs", kind->rows,
                  VG_CONTROLLER_MAX);
    return 0;
}

/* controller.NAME, and where there are several controller.NAME.y1, …: all in a row. */
static int declare(vgReader *r, vgController *c, int nout)
{
    for (int i = 0; i < nout; i++) {
        char *name = i == 0 ? vg_pool_printf(r->pool, "controller.%s", c->name)
                            : vg_pool_printf(r->pool, "controller.%s.y%d", c->name, i + 1);
        int measure = name ? vg_read_add_held(r, name) : -1;
        if (measure < 0) return r->full = 1, 0;
        if (i == 0) c->out = measure;
    }
    c->setup.nout = nout;
    return 1;
}

static void begin(vgReader *r, const vgEntry *e)
{
    vgNode *head = NULL;
    int index, existed;
    int k = vg_read_kind(r, e, &kinds, &head);
    if (k == -1) vg_read_no_kind(r, e, &kinds);
    if (vg_names_add(r->controller_names, e->name, &index, &existed) != VG_OK) r->full = 1;
    if (existed) vg_diag_error(r->diag, e->loc, "the name '%s' is used twice for a controller", e->name);
    if (r->full || existed ||
        !vg_read_room(r, &r->controller, r->m->ncontroller, &r->controller_cap, sizeof *r->controller))
        return;
    vgController *c = &r->controller[r->m->ncontroller++];
    *c = (vgController){.name = vg_names_at(r->controller_names, index), .loc = e->loc};
    if (k < 0) return;
    int nout = count_outputs(r, vg_controller_kinds[k], e);
    if (nout > 0 && declare(r, c, nout)) c->kind = vg_controller_kinds[k];
}

/* The laws behind the kind's key, and room for one more. */
static int read_laws(vgReader *r, vgController *c, vgNode *node)
{
    const int list = node->kind == VG_NODE_LIST, n = list ? node->n : 1;
    if (list && !c->kind->many) {
        vg_diag_error(r->diag, node->loc, "%s: expected one law, got %s", c->kind->name,
                      vg_node_kind_text(node));
        return 0;
    }
    if (n < 1 || n >= VG_CONTROLLER_MAX) {
        vg_diag_error(r->diag, node->loc, "%s: expected 1 to %d laws", c->kind->name, VG_CONTROLLER_MAX - 1);
        return 0;
    }
    vgLaw *in = vg_read_take(r, (size_t)(n + 1) * sizeof *in);
    int ok = in != NULL;
    for (int i = 0; ok && i < n; i++) ok = vg_read_law(r, list ? node->item[i] : node, &in[i]);
    c->in = in;
    c->nin = c->setup.nin = n;
    return ok;
}

/* Own fields and those of every controller; each list knows the keys of the other. */
static int read_fields(vgReader *r, const vgControllerKind *kind, vgNode *map, void *def)
{
    const char *own[72] = {kind->name, "if"}, *common[72] = {kind->name, "if"};
    for (int i = 0; i < vg_controller_nfield; i++) own[2 + i] = vg_controller_fields[i].key;
    for (int i = 0; i < kind->nfield && i < 64; i++) common[2 + i] = kind->fields[i].key;
    return vg_read_fields(r, map, kind->fields, kind->nfield, def, own, "controller") &
           vg_read_fields(r, map, vg_controller_fields, vg_controller_nfield, def, common, "controller");
}

/* The file of the model's folder that a field names: its path. */
static int resolve_file(vgReader *r, const vgControllerKind *kind, vgNode *map, void *def)
{
    const vgNode *at = kind->file ? vg_node_get(map, kind->file) : NULL;
    for (int i = 0; at && i < kind->nfield; i++) {
        if (strcmp(kind->fields[i].key, kind->file) != 0) continue;
        const char **name = (const char **)((char *)def + kind->fields[i].offset);
        char *path = vg_read_resolve(r, at->loc, *name);
        *name = path ? vg_read_keep(r, path) : NULL;
        if (path && !*name) r->full = 1;
        return *name != NULL;
    }
    return 1;
}

static void finish(vgReader *r, vgController *c, const vgEntry *e)
{
    if (!c->kind) return;
    vgNode *head = vg_node_get(e->value, c->kind->name);
    void *def = vg_read_take(r, c->kind->def_size);
    if (!def) return;
    c->def = def;
    int ok = read_fields(r, c->kind, e->value, def);
    ok = read_laws(r, c, head) && ok;
    ok = ok && resolve_file(r, c->kind, e->value, def);
    if (!ok) return;
    vgControllerSetup *s = &c->setup;
    if (c->kind->setup(def, s) != VG_OK) {
        const vgNode *at = vg_node_get(e->value, s->key);
        vg_diag_error(r->diag, at ? at->loc : e->loc, "'%s' %s", s->key, s->why);
        return;
    }
    if (s->more) ((vgLaw *)c->in)[c->nin++] = *s->more;
    c->memory = r->m->nturn;
    r->m->nturn += 1 + vg_controller_memory(def, s);
}

void vg_read_controllers(vgReader *r)
{
    const vgEntries *e = &r->section[VG_SECTION_CONTROLLERS];
    for (int i = 0; i < e->n && !vg_read_stopped(r); i++) {
        r->ctx = e->at[i].ctx;
        begin(r, &e->at[i]);
    }
    for (int i = 0; i < r->m->ncontroller && r->m->ncontroller == e->n && !vg_read_stopped(r); i++) {
        r->ctx = e->at[i].ctx;
        finish(r, &r->controller[i], &e->at[i]);
    }
    r->ctx = NULL;
}
