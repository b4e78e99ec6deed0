/* `include:`: more files of the model's own folder. Nothing outside it is ever opened. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "model/read/reader.h"

enum { MAX_DEPTH = 8 };

static char *folder_of(vgPool *pool, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) return vg_pool_strdup(pool, ".");
    return vg_pool_strndup(pool, path, slash == path ? 1 : (size_t)(slash - path));
}

/* Relative and without a step upwards. */
static int is_inside_name(const char *name)
{
    if (name[0] == '/' || name[0] == 0) return 0;
    for (const char *p = name; *p; p += strcspn(p, "/"), p += *p == '/') {
        if (strncmp(p, "..", 2) == 0 && (p[2] == '/' || p[2] == 0)) return 0;
    }
    return 1;
}

/* Notes a file that the model is read from; a model knows its files by the names that lead to them. */
static void note(vgReader *r, const char *path)
{
    vgModelFile *file = r->m ? VG_NEW(r->pool, vgModelFile, 1) : NULL;
    if (!r->m) return;
    if (file) file->name = vg_read_keep(r, path + strlen(r->folder) + (r->folder[1] != 0));
    if (!file || !file->name) {
        r->full = 1;
        return;
    }
    file->next = r->m->files;
    r->m->files = file;
}

/* The real path, after symbolic links, must lie in the model's folder. */
static char *resolve(vgReader *r, vgLoc at, const char *name, const char *folder)
{
    if (!is_inside_name(name)) {
        vg_diag_error(r->diag, at,
                      "'%.200s' cannot be included: give a path inside the model's folder, without ..", name);
        return NULL;
    }
    char *path = vg_pool_printf(r->scratch, "%s/%s", folder, name);
    errno = 0;
    char *real = path ? vg_os_real_path(path) : NULL;
    char *kept = real ? vg_pool_strdup(r->scratch, real) : NULL;
    free(real);
    if (!kept && errno == ENOMEM) {
        vg_read_no_memory(r);
        return NULL;
    }
    if (!kept) {
        vg_diag_error(r->diag, at, "cannot find the included file '%.200s'", name);
        return NULL;
    }
    size_t n = strlen(r->folder);
    if (strncmp(kept, r->folder, n) != 0 || (n > 1 && kept[n] != '/')) {
        vg_diag_error(r->diag, at, "'%.200s' leads out of the model's folder", name);
        return NULL;
    }
    note(r, path);
    if (strcmp(path, kept) != 0) note(r, kept);
    return kept;
}

char *vg_read_resolve(vgReader *r, vgLoc at, const char *name)
{
    if (r->folder) return resolve(r, at, name, r->folder);
    vg_diag_error(r->diag, at, "'%.200s' cannot be read: the model was not read from a file", name);
    return NULL;
}

static void include_all(vgReader *r, const vgNode *root, const char *folder, int depth);

static void include_one(vgReader *r, const vgNode *node, const char *folder, int depth)
{
    if (node->kind != VG_NODE_SCALAR) {
        vg_diag_error(r->diag, node->loc, "expected a file name, got %s", vg_node_kind_text(node));
        return;
    }
    if (!r->folder) {
        vg_diag_error(r->diag, node->loc, "'%.200s' cannot be included: the model was not read from a file",
                      node->text);
        return;
    }
    char *path = resolve(r, node->loc, node->text, folder);
    if (!path) return;
    for (int i = 0; i < r->nfile; i++) {
        if (strcmp(r->real[i], path) == 0) {
            vg_diag_error(r->diag, node->loc, "'%.200s' is included twice, or includes itself", node->text);
            return;
        }
    }
    if (depth >= MAX_DEPTH || r->nfile == VG_READ_MAX_FILES) {
        vg_diag_error(r->diag, node->loc, "too many included files (%d deep, %d in all are possible)",
                      MAX_DEPTH, VG_READ_MAX_FILES);
        return;
    }
    size_t n = 0;
    const char *shown =
        vg_pool_printf(r->scratch, "%s/%s", r->shown_folder, path + strlen(r->folder) + (r->folder[1] != 0));
    char *text = shown ? vg_spec_read(r->scratch, path, node->loc, &n, r->diag) : NULL;
    if (!text) return;
    if (strncmp(shown, "./", 2) == 0) shown += 2;
    vgNode *root = vg_spec_parse(r->scratch, text, n, vg_diag_file(r->diag, shown), r->diag);
    if (!root || !vg_read_map(r, root, "an included file")) return;
    r->file[r->nfile] = root;
    r->real[r->nfile++] = path;
    char *inner = folder_of(r->scratch, path);
    if (inner) include_all(r, root, inner, depth + 1);
}

static void include_all(vgReader *r, const vgNode *root, const char *folder, int depth)
{
    const vgNode *list = vg_node_get(root, "include");
    if (!list) return;
    if (list->kind != VG_NODE_LIST) {
        include_one(r, list, folder, depth);
        return;
    }
    for (int i = 0; i < list->n && !vg_read_stopped(r); i++) include_one(r, list->item[i], folder, depth);
}

void vg_read_includes(vgReader *r, const char *path)
{
    r->real[0] = "";
    if (path) {
        errno = 0;
        char *real = vg_os_real_path(path);
        if (!real && errno == ENOMEM) vg_read_no_memory(r);
        r->real[0] = real ? vg_pool_strdup(r->scratch, real) : "";
        free(real);
        r->shown_folder = folder_of(r->scratch, path);
        if (!r->real[0] || !r->shown_folder) {
            r->full = 1;
            return;
        }
        r->folder = r->real[0][0] ? folder_of(r->scratch, r->real[0]) : NULL;
    }
    include_all(r, r->file[0], r->folder, 1);
}
