/* The spec of a robot as a text that people read: sections, one entry a line or a few, where it came from behind it. */
#include <stdio.h>
#include <string.h>

#include "model/robot/robot.h"

enum { WIDTH = 110 }; /* a flow map longer than this is split over lines */

/* Words that YAML would not read as they are. */
static int needs_quotes(const char *text)
{
    if (!*text) return 1;
    if (strpbrk(text, ":{}[],&*#?|<>=!%@`\"'\\\n") || strstr(text, "- ") == text) return 1;
    return text[0] == ' ' || text[0] == '-' ? strchr("0123456789.xyzp", text[1]) == NULL : 0;
}

static void put_scalar(vgText *out, const char *text)
{
    if (!needs_quotes(text)) {
        vg_text_add(out, "%s", text);
        return;
    }
    vg_text_add(out, "\"");
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\') vg_text_add(out, "\\");
        if ((unsigned char)*c < 32)
            vg_text_add(out, " ");
        else
            vg_text_put(out, c, 1);
    }
    vg_text_add(out, "\"");
}

static void put_flow(vgText *out, const vgNode *e)
{
    if (e->kind == VG_NODE_SCALAR) {
        put_scalar(out, e->text);
        return;
    }
    int map = e->kind == VG_NODE_MAP;
    vg_text_add(out, map ? "{" : "[");
    for (int i = 0; i < e->n; i++) {
        if (i) vg_text_add(out, ", ");
        if (map) put_scalar(out, e->pair[i].key->text), vg_text_add(out, ": ");
        put_flow(out, map ? e->pair[i].value : e->item[i]);
    }
    vg_text_add(out, map ? "}" : "]");
}

static void put_origin(vgText *out, const vgNode *e, const vgDiag *diag)
{
    const char *file = vg_diag_file_name(diag, e->loc.file), *slash = strrchr(file, '/');
    if (e->loc.line > 0) vg_text_add(out, "  # %s:%d", slash ? slash + 1 : file, e->loc.line);
    vg_text_add(out, "\n");
}

/* An entry of a section: on one line if it is short. */
static void put_entry(vgText *out, const vgNodePair *p, const vgDiag *diag)
{
    vgText line = {0};
    put_flow(&line, p->value);
    vg_text_add(out, "  ");
    put_scalar(out, p->key->text);
    if (line.used <= WIDTH || p->value->kind != VG_NODE_MAP) {
        vg_text_add(out, ": %s", vg_text_at(&line));
        put_origin(out, p->value, diag);
    } else {
        vg_text_add(out, ":");
        put_origin(out, p->value, diag);
        for (int i = 0; i < p->value->n; i++) {
            const vgNodePair *q = &p->value->pair[i];
            vg_text_add(out, "    ");
            put_scalar(out, q->key->text);
            vg_text_add(out, ": ");
            put_flow(out, q->value);
            vg_text_add(out, "\n");
        }
    }
    if (!vg_text_ok(&line)) out->failed = 1;
    vg_text_free(&line);
}

static int is_section(const char *key)
{
    static const char *const names[] = {"bodies", "joints", "forces", "tables"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(key, names[i]) == 0) return 1;
    return 0;
}

char *vg_robot_yaml(vgPool *pool, const vgNode *root, const vgDiag *diag)
{
    vgText out = {0};
    for (int i = 0; i < root->n; i++) {
        const vgNodePair *p = &root->pair[i];
        if (is_section(p->key->text)) {
            vg_text_add(&out, "\n%s:\n", p->key->text);
            for (int k = 0; k < p->value->n; k++) put_entry(&out, &p->value->pair[k], diag);
            continue;
        }
        if (p->value->kind == VG_NODE_MAP && p->value->n == 0) continue;
        if (strcmp(p->key->text, "run") == 0) vg_text_add(&out, "\n");
        vg_text_add(&out, "%s: ", p->key->text);
        put_flow(&out, p->value);
        vg_text_add(&out, "\n");
    }
    char *kept = vg_text_ok(&out) ? vg_pool_strdup(pool, vg_text_at(&out)) : NULL;
    vg_text_free(&out);
    return kept;
}
