#include "io/json_read.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"

enum { DEEPEST = 64 }; /* nested lists and objects; what Verge writes has 16 */

typedef struct reader {
    char *at;
    vgJsonNode *node;
    size_t n, room;
    int bad;
} reader;

static void blanks(reader *r)
{
    while (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r') r->at++;
}

static int take(reader *r, char c)
{
    blanks(r);
    if (*r->at != c) return 0;
    r->at++;
    return 1;
}

/* Four digits of a code point; −1: they are not there. */
static long code_unit(const char *s)
{
    long value = 0;
    for (int i = 0; i < 4; i++) {
        char c = s[i];
        int digit = c >= '0' && c <= '9'                 ? c - '0'
                    : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                         : -1;
        if (digit < 0) return -1;
        value = 16 * value + digit;
    }
    return value;
}

/* A code point as UTF-8; never longer than the escape that it stands for. */
static char *put_code(char *to, long code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 63));
    } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 63));
        *to++ = (char)(0x80 | (code & 63));
    } else {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 63));
        *to++ = (char)(0x80 | (code >> 6 & 63));
        *to++ = (char)(0x80 | (code & 63));
    }
    return to;
}

/* What follows a backslash; *from stands behind it afterwards. */
static char *escaped(char **from, char *to, int *bad)
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    char c = *(*from)++;
    const char *found = c ? strchr(letters, c) : NULL;
    if (found) {
        *to++ = meant[found - letters];
        return to;
    }
    long code = c == 'u' ? code_unit(*from) : -1;
    if (code <= 0) {
        *bad = 1;
        return to;
    }
    *from += 4;
    if (code >= 0xd800 && code < 0xdc00 && (*from)[0] == '\\' && (*from)[1] == 'u') {
        long low = code_unit(*from + 2);
        if (low >= 0xdc00 && low < 0xe000) {
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
            *from += 6;
        }
    }
    return put_code(to, code);
}

/* A text, unescaped where it stands. */
static const char *string(reader *r)
{
    if (!take(r, '"')) {
        r->bad = 1;
        return "";
    }
    char *start = r->at, *to = start, *from = start;
    while (*from && *from != '"' && !r->bad) {
        if (*from != '\\') {
            *to++ = *from++;
            continue;
        }
        from++;
        to = escaped(&from, to, &r->bad);
    }
    if (*from != '"') {
        r->bad = 1;
        return "";
    }
    r->at = from + 1;
    *to = 0;
    return start;
}

static vgJsonNode *value(reader *r, int depth);

static void members(reader *r, vgJsonNode *parent, char close, int depth)
{
    const vgJsonNode **link = &parent->first;
    if (take(r, close)) return;
    do {
        const char *key = NULL;
        if (close == '}') {
            key = string(r);
            if (!take(r, ':')) r->bad = 1;
        }
        vgJsonNode *child = r->bad ? NULL : value(r, depth + 1);
        if (!child || r->bad) {
            r->bad = 1;
            return;
        }
        child->key = key;
        *link = child;
        link = &child->next;
    } while (take(r, ','));
    if (!take(r, close)) r->bad = 1;
}

static int word(reader *r, const char *text)
{
    size_t n = strlen(text);
    if (strncmp(r->at, text, n) != 0) return 0;
    r->at += n;
    return 1;
}

static vgJsonNode *value(reader *r, int depth)
{
    blanks(r);
    if (depth > DEEPEST || r->n == r->room) {
        r->bad = 1;
        return NULL;
    }
    vgJsonNode *node = &r->node[r->n++];
    char *stop = r->at;
    if (*r->at == '{' || *r->at == '[') {
        char close = *r->at++ == '{' ? '}' : ']';
        node->kind = close == '}' ? VG_JSON_OBJECT : VG_JSON_LIST;
        members(r, node, close, depth);
    } else if (*r->at == '"') {
        node->kind = VG_JSON_TEXT;
        node->text = string(r);
    } else if (word(r, "true")) {
        node->kind = VG_JSON_TRUE;
    } else if (word(r, "false")) {
        node->kind = VG_JSON_FALSE;
    } else if (!word(r, "null")) {
        node->kind = VG_JSON_NUMBER;
        node->number = *r->at == '-' || (*r->at >= '0' && *r->at <= '9') ? strtod(r->at, &stop) : NAN;
        if (stop == r->at) r->bad = 1;
        r->at = stop;
    }
    return node;
}

/* Values are behind brackets, colons and commas: no more of them than of these. */
static size_t most_values(const char *text)
{
    size_t n = 1;
    for (; *text; text++) n += *text == '[' || *text == '{' || *text == ':' || *text == ',';
    return n;
}

vgJsonTree *vg_json_parse(const char *text)
{
    errno = 0;
    vgJsonTree *tree = calloc(1, sizeof *tree);
    size_t n = strlen(text), room = most_values(text);
    if (!tree) return NULL;
    tree->text = malloc(n + 1);
    tree->node = calloc(room, sizeof *tree->node);
    reader r = {.at = tree->text, .node = tree->node, .room = room};
    r.bad = !tree->text || !tree->node;
    void *points = r.bad ? NULL : vg_os_points_begin();
    if (points) {
        memcpy(tree->text, text, n + 1);
        tree->root = value(&r, 0);
        vg_os_points_end(points);
        blanks(&r);
        if (*r.at) r.bad = 1;
    }
    if (points && !r.bad) return tree;
    vg_json_tree_free(tree);
    errno = points ? 0 : ENOMEM;
    return NULL;
}

void vg_json_tree_free(vgJsonTree *tree)
{
    if (!tree) return;
    free(tree->node);
    free(tree->text);
    free(tree);
}

const vgJsonNode *vg_json_member(const vgJsonNode *object, const char *key)
{
    if (!object || object->kind != VG_JSON_OBJECT) return NULL;
    for (const vgJsonNode *m = object->first; m; m = m->next)
        if (strcmp(m->key, key) == 0) return m;
    return NULL;
}

const vgJsonNode *vg_json_first(const vgJsonNode *list)
{
    return list && list->kind == VG_JSON_LIST ? list->first : NULL;
}

const char *vg_json_string(const vgJsonNode *node)
{
    return node && node->kind == VG_JSON_TEXT ? node->text : "";
}

int vg_json_vector(const vgJsonNode *list, int n, double *out)
{
    const vgJsonNode *x = vg_json_first(list);
    for (int i = 0; i < n; i++, x = x->next) {
        if (!x || x->kind != VG_JSON_NUMBER || !isfinite(x->number)) return 0;
        out[i] = x->number;
    }
    return x == NULL;
}
