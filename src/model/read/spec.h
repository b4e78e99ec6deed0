/* The spec: the model file as a tree in which every value has its file:line:column.
 *
 * Bounded on purpose: size of the text, number and depth of nodes. An alias refers to the node of its anchor (the
 * tree is shared, not copied) and may not be inside that node; a key occurs once in a map. */
#ifndef VERGE_MODEL_READ_SPEC_H
#define VERGE_MODEL_READ_SPEC_H

#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"

typedef enum vgNodeKind { VG_NODE_SCALAR, VG_NODE_LIST, VG_NODE_MAP } vgNodeKind;

typedef struct vgNode vgNode;

typedef struct vgNodePair {
    vgNode *key, *value;
} vgNodePair;

struct vgNode {
    vgNodeKind kind;
    vgLoc loc;
    int n;            /* list, map: entries */
    int quoted;       /* scalar: columns before its first character */
    const char *text; /* scalar */
    vgNode **item;    /* list [n] */
    vgNodePair *pair; /* map [n] */
    /* what the reader made of a scalar, so that a node read ten thousand times is understood once */
    int state; /* 0 not read, 1 the constant `value`, 2 an expression of repeat indices, 3 an error was
                  reported */
    double value;
    const void *expr;  /* state 2: the expression */
    const void *piece; /* a text with {…}: its pieces */
    const void *scope; /* the repeat block for which it was made */
    int summed;        /* its sum is known (digest.c) */
    int id;            /* number of the node in a source, from 1; 0: none (source.c) */
    unsigned long long sum;
};

enum { VG_SPEC_MAX_BYTES = 16 << 20, VG_SPEC_MAX_NODES = 1000000, VG_SPEC_MAX_DEPTH = 64 };

/* The root of the only document in text, NULL with diagnostics. Text must stay alive no longer than the call.
 */
vgNode *vg_spec_parse(vgPool *pool, const char *text, size_t n, int file, vgDiag *diag);
/* A whole file, zero-terminated; at: where it was asked for. NULL with diagnostics. */
char *vg_spec_read(vgPool *pool, const char *path, vgLoc at, size_t *n, vgDiag *diag);

vgNode *vg_node_get(const vgNode *map, const char *key); /* NULL: not a map or no such key */
const char *vg_node_kind_text(const vgNode *node);       /* "a list of 3", "a map", "'text'" kept short */

#endif
