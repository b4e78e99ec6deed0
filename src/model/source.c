/* Sources: the files of a model, parsed once. The reader notes in the nodes what it made of them, so that every model is
 * read from a copy of the nodes; their texts are shared. */
#include <stdlib.h>
#include <string.h>

#include "model/read/reader.h"

/* Numbers the nodes below this one; nodes that several anchors share have one number. */
static void number(vgNode *node, int *count)
{
    if (node->id) return;
    node->id = ++*count;
    for (int i = 0; i < node->n; i++) {
        if (node->kind == VG_NODE_LIST) number(node->item[i], count);
        if (node->kind == VG_NODE_MAP) number(node->pair[i].key, count), number(node->pair[i].value, count);
    }
}

/* What copies of nodes need: where they go, by number, and the file's index in the diagnostics. */
typedef struct Copies {
    vgPool *pool;
    vgNode **made;
    int file;
} Copies;

static vgNode *copy(const Copies *c, const vgNode *from)
{
    vgNode **made = &c->made[from->id];
    if (*made) return *made;
    vgNode *to = *made = VG_NEW(c->pool, vgNode, 1);
    if (!to) return NULL;
    *to = *from;
    to->loc.file = c->file;
    if (from->kind == VG_NODE_LIST && !(to->item = VG_NEW(c->pool, vgNode *, from->n))) return NULL;
    if (from->kind == VG_NODE_MAP && !(to->pair = VG_NEW(c->pool, vgNodePair, from->n))) return NULL;
    for (int i = 0; i < from->n; i++) {
        if (from->kind == VG_NODE_LIST) {
            to->item[i] = copy(c, from->item[i]);
            if (!to->item[i]) return NULL;
        } else {
            to->pair[i] = (vgNodePair){copy(c, from->pair[i].key), copy(c, from->pair[i].value)};
            if (!to->pair[i].key || !to->pair[i].value) return NULL;
        }
    }
    return to;
}

int vg_source_copy(const vgSource *source, vgReader *r)
{
    Copies c = {.pool = r->scratch, .made = VG_NEW(r->scratch, vgNode *, source->nnode + 1)};
    for (int f = 0; f < source->nfile && !r->full; f++) {
        c.file = vg_diag_file(r->diag, source->name[f]);
        r->file[f] = c.made ? copy(&c, source->file[f]) : NULL;
        r->real[f] = source->real[f];
        if (!r->file[f]) r->full = 1;
    }
    r->nfile = source->nfile;
    r->folder = source->folder;
    r->shown_folder = source->shown_folder;
    return !r->full;
}

/* Takes over what the reader has parsed. 0: out of memory. */
static int keep(vgSource *source, const vgReader *r)
{
    source->nfile = r->nfile;
    source->folder = r->folder;
    source->shown_folder = r->shown_folder;
    for (int f = 0; f < r->nfile; f++) {
        source->file[f] = r->file[f];
        source->real[f] = r->real[f];
        source->name[f] = vg_pool_strdup(source->pool, vg_diag_file_name(r->diag, r->file[f]->loc.file));
        if (!source->name[f]) return 0;
        number((vgNode *)r->file[f], &source->nnode);
    }
    return 1;
}

static int parse(vgSource *source, const char *path, const char *text, size_t n, const char *name,
                 vgDiag *diag)
{
    vgReader *r = calloc(1, sizeof *r);
    if (!r) return 0;
    *r = (vgReader){.diag = diag, .scratch = source->pool, .pool = source->pool};
    const int before = vg_diag_errors(diag);
    const char *yaml = NULL;
    char *mine = !text ? vg_spec_read(source->pool, path, VG_NOWHERE, &n, diag) : NULL;
    if (text && n <= VG_SPEC_MAX_BYTES && (mine = vg_pool_alloc(source->pool, n + 1)) && n)
        memcpy(mine, text, n);
    if (text && !mine) vg_diag_error(diag, VG_NOWHERE, "the text of the model is too large");
    source->text = mine;
    source->n = n;
    source->path = path ? vg_pool_strdup(source->pool, path) : NULL;
    int ok = mine && (!path || source->path) && vg_read_files(r, path, mine, n, name, &yaml) && !r->full;
    ok = ok && vg_diag_errors(diag) == before && keep(source, r);
    if (yaml) source->text = yaml, source->n = strlen(yaml);
    free(r);
    return ok;
}

vgSource *vg_source_new(const char *path, const char *text, size_t n, const char *name, vgDiag *diag)
{
    vgPool *pool = vg_pool_new(0);
    vgSource *source = pool ? VG_NEW(pool, vgSource, 1) : NULL;
    vgDiag *own = diag ? NULL : vg_diag_new();
    if (source) source->pool = pool;
    const int before = vg_diag_errors(diag);
    if (!source || (!diag && !own) || !parse(source, path, text, n, name ? name : path, diag ? diag : own)) {
        if (vg_diag_errors(diag) == before) vg_diag_no_memory(diag);
        vg_pool_free(pool);
        source = NULL;
    }
    vg_diag_free(own);
    return source;
}

void vg_source_free(vgSource *source)
{
    if (source) vg_pool_free(source->pool);
}
