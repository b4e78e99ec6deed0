#include "model/read/reader.h"

#include <stdlib.h>
#include <string.h>

enum { ENOUGH_ERRORS = 20 };

int vg_read_starved(const vgReader *r)
{
    const vgNames *const names[] = {r->param_names,   r->table_names,  r->road_names,
                                    r->body_names,    r->joint_names,  r->force_names,
                                    r->measure_names, r->marker_names, r->controller_names};
    int none = vg_pool_starved(r->pool) || vg_pool_starved(r->scratch);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) none = none || vg_names_starved(names[i]);
    return none;
}

int vg_read_stopped(vgReader *r)
{
    return r->full || vg_read_starved(r) || vg_diag_errors(r->diag) >= ENOUGH_ERRORS;
}

static void out_of_room(vgReader *r)
{
    /* pools double what they ask for: a limit that was reached is at least half used */
    size_t most =
        vg_pool_used(r->pool) > vg_pool_used(r->scratch) ? vg_pool_used(r->pool) : vg_pool_used(r->scratch);
    if (most < VG_POOL_DEFAULT_LIMIT / 2) vg_pool_starve(r->pool);
    if (!r->full)
        vg_diag_error(r->diag, VG_NOWHERE, "the model is too large for the memory set aside for it");
    r->full = 1;
}

void vg_read_no_memory(vgReader *r)
{
    vg_pool_starve(r->pool);
    r->full = 1;
}

vgNames *vg_read_names(vgReader *r)
{
    vgNames *names = vg_names_new();
    if (!names) vg_read_no_memory(r);
    return names;
}

void *vg_read_take(vgReader *r, size_t bytes)
{
    void *out = vg_pool_alloc(r->pool, bytes);
    if (!out) out_of_room(r);
    return out;
}

char *vg_read_keep(vgReader *r, const char *text)
{
    char *out = vg_pool_strdup(r->pool, text);
    if (!out) out_of_room(r);
    return out;
}

static int make_room(vgReader *r, vgPool *pool, void *array, int n, int *cap, size_t size)
{
    if (n < *cap) return 1;
    int more = *cap ? 2 * *cap : 64;
    void *old;
    memcpy(&old, array, sizeof old);
    void *grown = vg_pool_grow(pool, old, (size_t)n * size, (size_t)more * size);
    if (!grown) {
        out_of_room(r);
        return 0;
    }
    memcpy(array, &grown, sizeof grown);
    *cap = more;
    return 1;
}

int vg_read_room(vgReader *r, void *array, int n, int *cap, size_t size)
{
    return make_room(r, r->pool, array, n, cap, size);
}

int vg_read_scratch_room(vgReader *r, void *array, int n, int *cap, size_t size)
{
    return make_room(r, r->scratch, array, n, cap, size);
}

int vg_read_count(vgReader *r, vgLoc at)
{
    if (++r->objects <= VG_READ_MAX_OBJECTS) return 1;
    if (!r->full) vg_diag_error(r->diag, at, "the model has more than %d objects", VG_READ_MAX_OBJECTS);
    r->full = 1;
    return 0;
}

int vg_read_own(vgReader *r, vgModelOwned *owner, vgExpr *expr)
{
    if (owner->nexpr == owner->cap) {
        int cap = owner->cap ? 2 * owner->cap : 32;
        vgExpr **more = realloc(owner->expr, (size_t)cap * sizeof *more);
        if (!more) {
            out_of_room(r);
            vg_expr_free(expr);
            return 0;
        }
        owner->expr = more;
        owner->cap = cap;
    }
    owner->expr[owner->nexpr++] = expr;
    return 1;
}

void vg_model_owned_free(vgModelOwned *owner)
{
    if (!owner) return;
    for (int i = 0; i < owner->nexpr; i++) vg_expr_free(owner->expr[i]);
    for (int i = 0; i < owner->ntable; i++) vg_table_free(owner->table[i]);
    free(owner->expr);
    free(owner->table);
}

int vg_read_name_ok(vgReader *r, const char *name, vgLoc at, const char *what)
{
    size_t n = strlen(name);
    int ok = n > 0 && n <= VG_READ_MAX_NAME;
    for (size_t i = 0; i < n && ok; i++) {
        char c = name[i];
        int letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        ok = letter || (i > 0 && ((c >= '0' && c <= '9') || c == '-'));
    }
    if (!ok) {
        vg_diag_error(r->diag, at,
                      "'%.100s' cannot name a %s: expected a letter, then letters, digits, _ or -", name,
                      what);
    }
    return ok;
}

const char *vg_read_hint(vgReader *r, const char *word, const char *const *candidates, int n)
{
    const char *near = vg_read_stopped(r) ? NULL : vg_name_closest(word, candidates, n);
    const char *hint = near ? vg_pool_printf(r->scratch, ", did you mean '%s'?", near) : NULL;
    return hint ? hint : "";
}
