#include "model/read/spec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <yaml.h>

#include "base/file.h"
#include "base/names.h"

typedef struct anchor {
    const char *name;
    vgNode *node;
    int open; /* still being read: an alias to it would close a circle */
} anchor;

typedef struct parser {
    yaml_parser_t yaml;
    const char *text;
    size_t size;
    vgPool *pool;
    vgDiag *diag;
    int file, nodes, depth;
    vgNode **stack; /* children of the open lists and maps */
    int nstack, stack_cap;
    anchor *anchors;
    int nanchor, anchor_cap;
} parser;

static vgLoc mark(const parser *p, yaml_mark_t m)
{
    return (vgLoc){p->file, (int)m.line + 1, (int)m.column + 1};
}

static vgNode *out_of_memory(parser *p, vgLoc at)
{
    if (vg_pool_starved(p->pool))
        vg_diag_no_memory(p->diag);
    else
        vg_diag_error(p->diag, at, "the model is too large for the memory set aside for it");
    return NULL;
}

static vgNode *starved(parser *p)
{
    vg_pool_starve(p->pool);
    return out_of_memory(p, VG_NOWHERE);
}

static vgNode *new_node(parser *p, vgNodeKind kind, vgLoc at)
{
    if (++p->nodes > VG_SPEC_MAX_NODES) {
        vg_diag_error(p->diag, at, "the file has more than %d values", VG_SPEC_MAX_NODES);
        return NULL;
    }
    vgNode *node = VG_NEW(p->pool, vgNode, 1);
    if (!node) return out_of_memory(p, at);
    node->kind = kind;
    node->loc = at;
    return node;
}

static int push(parser *p, vgNode *node)
{
    if (p->nstack == p->stack_cap) {
        int cap = p->stack_cap ? 2 * p->stack_cap : 64;
        vgNode **more = realloc(p->stack, (size_t)cap * sizeof *more);
        if (!more) return starved(p) != NULL;
        p->stack = more;
        p->stack_cap = cap;
    }
    p->stack[p->nstack++] = node;
    return 1;
}

/* Index of the anchor, −1 when the node has none, −2 on failure. */
static int open_anchor(parser *p, const yaml_char_t *name, vgNode *node)
{
    if (!name) return -1;
    if (p->nanchor == p->anchor_cap) {
        int cap = p->anchor_cap ? 2 * p->anchor_cap : 16;
        anchor *more = realloc(p->anchors, (size_t)cap * sizeof *more);
        if (!more) {
            starved(p);
            return -2;
        }
        p->anchors = more;
        p->anchor_cap = cap;
    }
    char *kept = vg_pool_strdup(p->pool, (const char *)name);
    if (!kept) return -2;
    p->anchors[p->nanchor] = (anchor){kept, node, 1};
    return p->nanchor++;
}

static vgNode *follow_alias(parser *p, const char *name, vgLoc at)
{
    for (int i = p->nanchor - 1; i >= 0; i--) { /* a later anchor of the same name hides the earlier one */
        if (strcmp(p->anchors[i].name, name) != 0) continue;
        if (!p->anchors[i].open) return p->anchors[i].node;
        vg_diag_error(p->diag, at, "alias '%s' stands inside the value it stands for", name);
        return NULL;
    }
    vg_diag_error(p->diag, at, "unknown alias '%s'", name);
    return NULL;
}

/* libyaml gives the byte only where a character is invalid. */
static vgLoc place_of_byte(const parser *p, size_t byte)
{
    vgLoc at = {p->file, 1, 1};
    for (size_t i = 0; i < byte && i < p->size; i++) {
        at.col += ((unsigned char)p->text[i] & 0xC0) != 0x80;
        if (p->text[i] == '\n') at.line++, at.col = 1;
    }
    return at;
}

static int next_event(parser *p, yaml_event_t *event)
{
    if (yaml_parser_parse(&p->yaml, event)) return 1;
    vgLoc at = mark(p, p->yaml.problem_mark);
    const char *problem = p->yaml.problem ? p->yaml.problem : "the text cannot be read";
    if (p->yaml.error == YAML_MEMORY_ERROR) {
        starved(p);
        return 0;
    }
    if (p->yaml.error == YAML_READER_ERROR) {
        vg_diag_error(p->diag, place_of_byte(p, p->yaml.problem_offset), "%s", problem);
    } else if (p->yaml.error == YAML_SCANNER_ERROR && p->yaml.unread && *p->yaml.buffer.pointer == '\t') {
        vg_diag_error(p->diag, at, "a tab cannot indent YAML; use blanks");
    } else if (p->yaml.context) {
        vg_diag_error(p->diag, at, "%s %s (line %d): %s", "this is not YAML,", p->yaml.context,
                      (int)p->yaml.context_mark.line + 1, problem);
    } else {
        vg_diag_error(p->diag, at, "this is not YAML, %s", problem);
    }
    return 0;
}

static vgNode *read_node(parser *p, yaml_event_t *event);

static vgNode *read_scalar(parser *p, const yaml_event_t *event)
{
    vgNode *node = new_node(p, VG_NODE_SCALAR, mark(p, event->start_mark));
    if (!node) return NULL;
    const char *text = (const char *)event->data.scalar.value;
    if (memchr(text, 0, event->data.scalar.length)) {
        vg_diag_error(p->diag, node->loc, "the text holds a zero character");
        return NULL;
    }
    yaml_scalar_style_t style = event->data.scalar.style;
    node->quoted = style == YAML_SINGLE_QUOTED_SCALAR_STYLE || style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    node->text = vg_pool_strndup(p->pool, text, event->data.scalar.length);
    return node->text ? node : out_of_memory(p, node->loc);
}

/* Reads children up to the end event onto the stack. */
static int read_children(parser *p, yaml_event_type_t end)
{
    for (;;) {
        yaml_event_t event;
        if (!next_event(p, &event)) return 0;
        if (event.type == end) {
            yaml_event_delete(&event);
            return 1;
        }
        vgNode *child = read_node(p, &event);
        yaml_event_delete(&event);
        if (!child) return 0;
        if (!push(p, child)) {
            out_of_memory(p, child->loc);
            return 0;
        }
    }
}

/* Every key is a word and occurs once. A key that is not a word becomes an empty word, so that later code need not
 * check. */
static int check_keys(parser *p, const vgNode *map)
{
    vgNames *names = map->n > 12 ? vg_names_new() : NULL;
    if (map->n > 12 && !names) return starved(p) != NULL;
    int ok = 1;
    for (int i = 0; i < map->n; i++) {
        vgNode *key = map->pair[i].key;
        int twice = 0;
        if (key->kind != VG_NODE_SCALAR) {
            vg_diag_error(p->diag, key->loc, "a key must be a word, not %s", vg_node_kind_text(key));
            *key = (vgNode){.kind = VG_NODE_SCALAR, .loc = key->loc, .text = "", .state = 3};
            ok = 0;
            continue;
        }
        if (names) {
            if (vg_names_add(names, key->text, NULL, &twice) != VG_OK) ok = starved(p) != NULL;
        } else {
            for (int j = 0; j < i && !twice; j++) {
                const vgNode *other = map->pair[j].key;
                twice = other->kind == VG_NODE_SCALAR && strcmp(other->text, key->text) == 0;
            }
        }
        if (twice) {
            vg_diag_error(p->diag, key->loc, "'%s' is used twice in the same map", key->text);
            ok = 0;
        }
    }
    vg_names_free(names);
    return ok;
}

static vgNode *read_list(parser *p, vgNode *node)
{
    int base = p->nstack;
    if (!read_children(p, YAML_SEQUENCE_END_EVENT)) return NULL;
    node->n = p->nstack - base;
    node->item = VG_NEW(p->pool, vgNode *, node->n);
    if (!node->item) return out_of_memory(p, node->loc);
    if (node->n) memcpy(node->item, p->stack + base, (size_t)node->n * sizeof *node->item);
    p->nstack = base;
    return node;
}

static vgNode *read_map(parser *p, vgNode *node)
{
    int base = p->nstack;
    if (!read_children(p, YAML_MAPPING_END_EVENT)) return NULL;
    node->n = (p->nstack - base) / 2;
    node->pair = VG_NEW(p->pool, vgNodePair, node->n);
    if (!node->pair) return out_of_memory(p, node->loc);
    for (int i = 0; i < node->n; i++) {
        node->pair[i] = (vgNodePair){p->stack[base + 2 * i], p->stack[base + 2 * i + 1]};
    }
    p->nstack = base;
    check_keys(p, node);
    return node;
}

static vgNode *read_node(parser *p, yaml_event_t *event)
{
    vgLoc at = mark(p, event->start_mark);
    int is_map = event->type == YAML_MAPPING_START_EVENT;
    const yaml_char_t *name;
    vgNode *node;
    switch (event->type) {
    case YAML_ALIAS_EVENT:
        return follow_alias(p, (const char *)event->data.alias.anchor, at);
    case YAML_SCALAR_EVENT:
        node = read_scalar(p, event);
        name = event->data.scalar.anchor;
        break;
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        if (p->depth >= VG_SPEC_MAX_DEPTH) {
            vg_diag_error(p->diag, at, "lists and maps are nested deeper than %d", VG_SPEC_MAX_DEPTH);
            return NULL;
        }
        node = new_node(p, is_map ? VG_NODE_MAP : VG_NODE_LIST, at);
        name = is_map ? event->data.mapping_start.anchor : event->data.sequence_start.anchor;
        break;
    default:
        vg_diag_error(p->diag, at, "this is not YAML, a value was expected");
        return NULL;
    }
    if (!node) return NULL;
    int anchored = open_anchor(p, name, node);
    if (anchored == -2) return out_of_memory(p, at);
    if (node->kind != VG_NODE_SCALAR) {
        p->depth++;
        node = is_map ? read_map(p, node) : read_list(p, node);
        p->depth--;
    }
    if (anchored >= 0) p->anchors[anchored].open = 0;
    return node;
}

static vgNode *read_document(parser *p)
{
    vgNode *root = NULL;
    for (int done = 0, documents = 0; !done;) {
        yaml_event_t event;
        if (!next_event(p, &event)) return NULL;
        vgLoc at = mark(p, event.start_mark);
        switch (event.type) {
        case YAML_STREAM_START_EVENT:
        case YAML_DOCUMENT_END_EVENT:
            break;
        case YAML_STREAM_END_EVENT:
            done = 1;
            break;
        case YAML_DOCUMENT_START_EVENT:
            if (documents++ == 0) break;
            vg_diag_error(p->diag, at, "a second document begins here; a model file holds one");
            yaml_event_delete(&event);
            return NULL;
        default:
            root = read_node(p, &event);
            if (!root) done = 1;
        }
        yaml_event_delete(&event);
        if (done && !root && documents == 0) {
            vg_diag_error(p->diag, (vgLoc){p->file, 1, 1},
                          "the file is empty; a model begins with 'verge: 1'");
        }
    }
    return root;
}

vgNode *vg_spec_parse(vgPool *pool, const char *text, size_t n, int file, vgDiag *diag)
{
    parser p = {.text = text, .size = n, .pool = pool, .diag = diag, .file = file};
    if (n > VG_SPEC_MAX_BYTES) {
        vg_diag_error(diag, (vgLoc){file, 0, 0}, "the file is larger than %d MB", VG_SPEC_MAX_BYTES >> 20);
        return NULL;
    }
    if (n > 4 && memcmp(text, "\x89HDF", 4) == 0) {
        vg_diag_error(diag, (vgLoc){file, 1, 1}, "this is a results file (HDF5), not a model");
        return NULL;
    }
    if (!yaml_parser_initialize(&p.yaml)) return starved(&p);
    yaml_parser_set_input_string(&p.yaml, (const unsigned char *)text, n);
    vgNode *root = read_document(&p);
    yaml_parser_delete(&p.yaml);
    free(p.stack);
    free(p.anchors);
    return root;
}

char *vg_spec_read(vgPool *pool, const char *path, vgLoc at, size_t *n, vgDiag *diag)
{
    struct stat info;
    const char *why = vg_file_wrong(path);
    FILE *f = why ? NULL : fopen(path, "rb");
    if (!f || fstat(fileno(f), &info) != 0) {
        if (why)
            vg_diag_error(diag, at, "'%s' %s", path, why);
        else if (errno == ENOMEM)
            vg_diag_no_memory(diag);
        else
            vg_diag_error(diag, at, "cannot open '%s': %s", path, vg_file_why(errno));
        if (f) fclose(f);
        return NULL;
    }
    if (info.st_size > VG_SPEC_MAX_BYTES) {
        vg_diag_error(diag, at, "'%s' is larger than %d MB", path, VG_SPEC_MAX_BYTES >> 20);
        fclose(f);
        return NULL;
    }
    size_t size = (size_t)info.st_size;
    char *text = vg_pool_alloc(pool, size + 1);
    if (!text) vg_diag_no_memory(diag);
    if (text) *n = fread(text, 1, size, f); /* a file that shrinks meanwhile is simply shorter */
    if (text && ferror(f)) {
        vg_diag_error(diag, at, "cannot read '%s': %s", path, vg_file_why(errno));
        text = NULL;
    }
    fclose(f);
    return text;
}

vgNode *vg_node_get(const vgNode *map, const char *key)
{
    if (!map || map->kind != VG_NODE_MAP) return NULL;
    for (int i = 0; i < map->n; i++) {
        const vgNode *k = map->pair[i].key;
        if (k->kind == VG_NODE_SCALAR && strcmp(k->text, key) == 0) return map->pair[i].value;
    }
    return NULL;
}

/* A list whose entries are the pieces of an expression such as min(t, 1). */
static int split_expression(const vgNode *list)
{
    for (int i = 0; i < list->n; i++) {
        const vgNode *e = list->item[i];
        int open = 0;
        if (e->kind != VG_NODE_SCALAR || e->quoted) continue;
        for (const char *c = e->text; *c; c++) open += (*c == '(') - (*c == ')');
        if (open > 0) return 1;
    }
    return 0;
}

const char *vg_node_kind_text(const vgNode *node)
{
    static const char *const lists[] = {"an empty list", "a list of 1", "a list of 2",
                                        "a list of 3",   "a list of 4", "a longer list"};
    if (node->kind == VG_NODE_MAP) return "a map";
    if (node->kind == VG_NODE_LIST && split_expression(node))
        return "an expression split at its commas; quote it, as [\"min(t, 1)\", 0, 0]";
    if (node->kind == VG_NODE_LIST) return lists[node->n < 5 ? node->n : 5];
    return node->text[0] ? "a word or number" : "nothing";
}
