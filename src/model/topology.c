/* Prim's algorithm with a heap, from the ground, then from the heaviest body of each remaining part. The next
 * joint is the one with the most constraint equations; among equals the one nearest the root, then the first in
 * the model. */
#include "model/topology.h"

#include <stdlib.h>
#include <string.h>

typedef struct Edge {
    int rows, depth, joint, from; /* from: the body already in the tree, −1 ground */
} Edge;

typedef struct Builder {
    const vgModel *m;
    vgTopology *t;
    Edge *heap;
    int nheap;
    int *start, *joint; /* joints of each body (nbody: the ground), by start[body]..start[body+1] */
    int *parent, *by, *depth;
    unsigned char *in;
    int *child, *next, *stack; /* first child, next sibling: made while ordering */
} Builder;

/* A body that turns: point masses and scalar coordinates have no frame to hang a joint on. */
static int turns(const vgModel *m, int body)
{
    if (body < 0) return 1;
    const vgSelect *s = &m->body[body].select;
    return s->n > 0 && s->at[s->n - 1] == 5;
}

static int has_tree_form(const vgModel *m, int joint)
{
    const vgJoint *j = &m->joint[joint];
    if (!j->kind->motion || j->cut || j->kind->head != VG_HEAD_FRAMES || j->drive_of >= 0) return 0;
    return turns(m, j->a) && turns(m, j->b) && j->a != j->b;
}

static int before(const Edge *a, const Edge *b)
{
    if (a->rows != b->rows) return a->rows > b->rows;
    if (a->depth != b->depth) return a->depth < b->depth;
    return a->joint < b->joint;
}

static void push(Builder *b, Edge e)
{
    int i = b->nheap++;
    for (; i > 0 && before(&e, &b->heap[(i - 1) / 2]); i = (i - 1) / 2) b->heap[i] = b->heap[(i - 1) / 2];
    b->heap[i] = e;
}

static Edge pop(Builder *b)
{
    Edge top = b->heap[0], e = b->heap[--b->nheap];
    int i = 0;
    for (;;) {
        int c = 2 * i + 1;
        if (c >= b->nheap) break;
        if (c + 1 < b->nheap && before(&b->heap[c + 1], &b->heap[c])) c++;
        if (!before(&b->heap[c], &e)) break;
        b->heap[i] = b->heap[c];
        i = c;
    }
    b->heap[i] = e;
    return top;
}

static void list_joints(Builder *b)
{
    const vgModel *m = b->m;
    for (int j = 0; j < m->njoint; j++) {
        if (!has_tree_form(m, j)) continue;
        b->start[(m->joint[j].a < 0 ? m->nbody : m->joint[j].a) + 1]++;
        b->start[(m->joint[j].b < 0 ? m->nbody : m->joint[j].b) + 1]++;
    }
    for (int i = 0; i <= m->nbody; i++) b->start[i + 1] += b->start[i];
    for (int j = m->njoint - 1; j >= 0; j--) {
        if (!has_tree_form(m, j)) continue;
        int side[2] = {m->joint[j].a < 0 ? m->nbody : m->joint[j].a,
                       m->joint[j].b < 0 ? m->nbody : m->joint[j].b};
        for (int k = 0; k < 2; k++) b->joint[--b->start[side[k] + 1]] = j;
    }
    /* start[i + 1] now holds where body i begins */
    for (int i = 0; i <= m->nbody; i++) b->start[i] = b->start[i + 1];
    b->start[m->nbody + 1] = 0;
    for (int j = 0; j < m->njoint; j++) b->start[m->nbody + 1] += 2 * has_tree_form(m, j);
}

static void reach(Builder *b, int body)
{
    const vgModel *m = b->m;
    int at = body < 0 ? m->nbody : body, depth = body < 0 ? 0 : b->depth[body];
    for (int k = b->start[at]; k < b->start[at + 1]; k++) {
        const vgJoint *j = &m->joint[b->joint[k]];
        int other = j->a == body ? j->b : j->a;
        if (other >= 0 && !b->in[other]) push(b, (Edge){j->nrow, depth, b->joint[k], body});
    }
}

static void grow(Builder *b)
{
    while (b->nheap > 0) {
        Edge e = pop(b);
        const vgJoint *j = &b->m->joint[e.joint];
        int body = j->a == e.from ? j->b : j->a;
        if (b->in[body]) continue;
        b->in[body] = 1;
        b->parent[body] = e.from;
        b->by[body] = e.joint;
        b->depth[body] = e.depth + 1;
        b->t->closure[e.joint] = 0;
        reach(b, body);
    }
}

static int by_mass(const void *x, const void *y)
{
    const double *a = x, *b = y;
    if (a[0] != b[0]) return a[0] > b[0] ? -1 : 1;
    return a[1] < b[1] ? -1 : 1;
}

/* Trees that do not reach the ground float on their heaviest body. */
static vgStatus float_rest(Builder *b)
{
    const vgModel *m = b->m;
    double *mass = malloc(2 * ((size_t)m->nbody + 1) * sizeof *mass);
    int n = 0;
    if (!mass) return VG_NO_MEMORY;
    for (int i = 0; i < m->nbody; i++)
        if (!b->in[i]) mass[2 * n] = m->body[i].mass, mass[2 * n++ + 1] = i;
    qsort(mass, (size_t)n, 2 * sizeof *mass, by_mass);
    for (int k = 0; k < n; k++) {
        int i = (int)mass[2 * k + 1];
        if (b->in[i]) continue;
        b->in[i] = 1;
        b->parent[i] = b->by[i] = -1;
        b->depth[i] = 1;
        reach(b, i);
        grow(b);
    }
    free(mass);
    return VG_OK;
}

/* Depth first, children in the order of the bodies. */
static void order(Builder *b)
{
    const vgModel *m = b->m;
    vgTopology *t = b->t;
    int top = 0;
    for (int i = 0; i < m->nbody; i++) b->child[i] = -1;
    for (int i = m->nbody - 1; i >= 0; i--) {
        if (b->parent[i] < 0) continue;
        b->next[i] = b->child[b->parent[i]];
        b->child[b->parent[i]] = i;
    }
    for (int i = m->nbody - 1; i >= 0; i--)
        if (b->parent[i] < 0) b->stack[top++] = i;
    while (top > 0) {
        int i = b->stack[--top], first = top;
        int joint = b->by[i];
        t->node_of[i] = t->nnode;
        t->node[t->nnode++] = (vgTreeNode){i, b->parent[i] < 0 ? -1 : t->node_of[b->parent[i]], joint,
                                           joint >= 0 && m->joint[joint].a == i};
        for (int c = b->child[i]; c >= 0; c = b->next[c]) b->stack[top++] = c;
        for (int lo = first, hi = top - 1; lo < hi; lo++, hi--) {
            int s = b->stack[lo];
            b->stack[lo] = b->stack[hi], b->stack[hi] = s;
        }
    }
}

static vgStatus build(Builder *b)
{
    const vgModel *m = b->m;
    memset(b->t->closure, 1, (size_t)m->njoint);
    list_joints(b);
    reach(b, -1);
    grow(b);
    vgStatus st = float_rest(b);
    if (st != VG_OK) return st;
    order(b);
    for (int j = 0; j < m->njoint; j++) b->t->nloop += b->t->closure[j] && m->joint[j].kind->motion;
    return VG_OK;
}

vgStatus vg_topology_new(const vgModel *m, vgTopology **out)
{
    size_t n = (size_t)m->nbody + 2, nj = 2 * (size_t)m->njoint + 1;
    vgTopology *t = calloc(1, sizeof *t);
    Builder b = {.m = m, .t = t};
    if (!t) return VG_NO_MEMORY;
    t->node = calloc(n, sizeof *t->node);
    t->node_of = calloc(n, sizeof(int));
    t->closure = calloc((size_t)m->njoint + 1, 1);
    b.heap = calloc(nj, sizeof *b.heap);
    b.joint = calloc(nj, sizeof(int));
    b.in = calloc(n, 1);
    int *ints = calloc(7 * n, sizeof(int));
    vgStatus st =
        t->node && t->node_of && t->closure && b.heap && b.joint && b.in && ints ? VG_OK : VG_NO_MEMORY;
    if (st == VG_OK) {
        int **part[] = {&b.start, &b.parent, &b.by, &b.depth, &b.child, &b.next, &b.stack};
        for (int i = 0; i < 7; i++) *part[i] = ints + (size_t)i * n;
        st = build(&b);
    }
    free(b.heap);
    free(b.joint);
    free(b.in);
    free(ints);
    if (st != VG_OK) {
        vg_topology_free(t);
        return st;
    }
    *out = t;
    return VG_OK;
}

/* Bodies of a piece. Measured on rings of 100 to 800 links: 12 and 16 are equal, 4 and 8 take up to 1.4 times as long, 32 takes 1.1 times.
 * Branches of up to twice as many are left whole: rings of 32 and 48 links take the same time either way. */
enum { PIECE = 16 };

/* A body can float if it has mass of its own; a joint that holds all of it is better kept. */
static int can_float(const vgModel *m, const vgTreeNode *n)
{
    const vgBody *b = &m->body[n->body];
    return n->joint >= 0 && b->mass > 0 && m->joint[n->joint].nrow < b->select.n;
}

vgStatus vg_topology_cut(vgTopology *t, const vgModel *m)
{
    int *depth = calloc((size_t)t->nnode + 1, sizeof *depth), deepest = 0, loops = 0;
    if (!depth) return VG_NO_MEMORY;
    for (int j = 0; j < m->njoint; j++) loops |= t->closure[j] && m->joint[j].nrow > 0;
    for (int i = 0; i < t->nnode; i++) {
        depth[i] = t->node[i].parent < 0 ? 1 : depth[t->node[i].parent] + 1;
        if (depth[i] > deepest) deepest = depth[i];
    }
    for (int i = 0; i < t->nnode && loops && deepest > 2 * PIECE; i++) {
        vgTreeNode *n = &t->node[i];
        depth[i] = n->parent < 0 ? 1 : depth[n->parent] + 1;
        if (depth[i] <= PIECE || !can_float(m, n)) continue;
        t->closure[n->joint] = 1;
        t->nloop++;
        n->parent = n->joint = -1;
        n->flipped = 0;
        depth[i] = 1;
    }
    free(depth);
    return VG_OK;
}

void vg_topology_free(vgTopology *t)
{
    if (!t) return;
    free(t->node);
    free(t->node_of);
    free(t->closure);
    free(t);
}
