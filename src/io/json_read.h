/* A small JSON reader: a text becomes a tree whose nodes are in one block.
 *
 *     vgJsonTree *tree = vg_json_parse(text);                  NULL: not JSON, too deep; with errno ENOMEM memory ran out
 *     const vgJsonNode *bodies = vg_json_member(tree->root, "bodies");
 *     for (const vgJsonNode *b = vg_json_first(bodies); b; b = b->next) …
 *     vg_json_tree_free(tree);
 *
 * Every function takes NULL for a node that is not there, so that a chain of questions needs one check at its end. */
#ifndef VG_IO_JSON_READ_H
#define VG_IO_JSON_READ_H

typedef enum vgJsonKind {
    VG_JSON_NULL,
    VG_JSON_FALSE,
    VG_JSON_TRUE,
    VG_JSON_NUMBER,
    VG_JSON_TEXT,
    VG_JSON_LIST,
    VG_JSON_OBJECT
} vgJsonKind;

typedef struct vgJsonNode {
    vgJsonKind kind;
    const char *key;  /* of a member of an object, otherwise NULL */
    const char *text; /* of a text */
    double number;    /* of a number */
    const struct vgJsonNode *first, *next;
} vgJsonNode;

typedef struct vgJsonTree {
    const vgJsonNode *root;
    vgJsonNode *node;
    char *text;
} vgJsonTree;

vgJsonTree *vg_json_parse(const char *text);
void vg_json_tree_free(vgJsonTree *tree);

const vgJsonNode *vg_json_member(const vgJsonNode *object, const char *key); /* NULL: none */
const vgJsonNode *vg_json_first(const vgJsonNode *list);
const char *vg_json_string(const vgJsonNode *node); /* "" where it is no text */
/* n finite numbers of a list; 0: it has another number of them. */
int vg_json_vector(const vgJsonNode *list, int n, double *out);

#endif
