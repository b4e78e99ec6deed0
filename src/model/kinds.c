/* Which key of an entry names its kind. */
#include <stdio.h>
#include <string.h>

#include "model/read/reader.h"

static int has_field(const vgReadKind *kind, const char *key)
{
    for (int i = 0; i < kind->nfield; i++) {
        if (strcmp(kind->fields[i].key, key) == 0) return 1;
    }
    return 0;
}

static int own_key(const vgReadKinds *list, const char *key)
{
    for (int k = 0; list->keys[k]; k++) {
        if (strcmp(key, list->keys[k]) == 0) return 1;
    }
    return 0;
}

static int find(const vgReadKinds *list, const char *key, vgReadKind *out)
{
    for (int i = 0; list->at(i, out); i++) {
        if (strcmp(out->name, key) == 0) return i;
    }
    return -1;
}

/* The options that may have been meant by the second of two kinds. */
static void two_kinds(vgReader *r, const vgEntry *e, const vgReadKinds *list, const vgReadKind *is,
                      const vgNode *key)
{
    const char *options = "";
    for (int i = 0; i < is->nfield && i < 12 && options; i++)
        options = vg_pool_printf(r->scratch, "%s%s%s", options, i ? ", " : "", is->fields[i].key);
    vg_diag_error(r->diag, key->loc,
                  "%s '%s' has two kinds, %s and %s. An entry has one: make two entries of it, or write what "
                  "'%s' was to say as an option of %s%s%s%s",
                  list->what, e->name, is->name, key->text, key->text, is->name,
                  options && *options ? ", which are " : "", options ? options : "",
                  list->note ? list->note : "");
}

/* A kind's name is also a field of other kinds (`torque` of torsion): such a key does not count beside the
 * kind whose field it is. */
int vg_read_kind(vgReader *r, const vgEntry *e, const vgReadKinds *list, vgNode **head)
{
    int found = -1;
    vgReadKind is = {0};
    const vgNode *map = e->value;
    char what[32];
    snprintf(what, sizeof what, "a %s", list->what);
    if (!vg_read_map(r, e->value, what)) return -2;
    for (int i = 0; i < map->n; i++) {
        vgReadKind kind;
        const char *key = map->pair[i].key->text;
        int k = key && !own_key(list, key) ? find(list, key, &kind) : -1;
        if (k < 0 || (found >= 0 && has_field(&is, key))) continue;
        if (found >= 0 && !has_field(&kind, is.name)) {
            two_kinds(r, e, list, &is, map->pair[i].key);
            return -2;
        }
        found = k;
        is = kind;
        *head = map->pair[i].value;
    }
    return found;
}

void vg_read_no_kind(vgReader *r, const vgEntry *e, const vgReadKinds *list)
{
    const char *names[64];
    const vgNode *other = NULL;
    vgReadKind kind;
    int n = 0;
    for (int i = 0; n < 64 && list->at(i, &kind); i++) names[n++] = kind.name;
    for (int i = 0; i < e->value->n && !other; i++) {
        const vgNode *key = e->value->pair[i].key;
        if (key->text && !own_key(list, key->text)) other = key;
    }
    if (e->value->state == 3) return;
    e->value->state = 3;
    if (!other) {
        vg_diag_error(r->diag, e->value->loc, "%s '%s' has no kind; expected e.g. %s", list->what, e->name,
                      list->example);
        return;
    }
    const char *hint = vg_read_hint(r, other->text, names, n);
    vg_diag_error(r->diag, other->loc, "unknown %s kind '%.60s'%s%s%s", list->what, other->text,
                  *hint ? hint : "; `verge list ", *hint ? "" : list->what,
                  *hint ? "" : "s` shows the kinds");
}
