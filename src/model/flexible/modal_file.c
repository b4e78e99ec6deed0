/* Files of modes as text; the same layout in HDF5 is in modal_h5.c. Words and numbers with blanks or line
 * ends between them, # starts a comment; n = modes + products shapes, matrices by rows.
 *
 *     verge-modes 1
 *     mass m        centre x y z        inertia xx yy zz xy xz yz     (about the centre of mass)
 *     modes M       products P  i j …   (pairs of amplitudes, counted from 1; left out: none)
 *     stiffness …M×M   damping …M×M (left out: none)   modal-mass …n×n
 *     momentum …n×3                     ∫ρ ψ_a
 *     moments …                         ∫ρ ψ_a ψ_bᵀ, nine numbers each, for a = 0 … n, b = max(a, 1) … n;
 *                                       shape 0 is the position from the centre of mass
 *     node NAME x y z …n×6              displacement and small rotation in each shape
 *     stress …M×6                       resultants at the node before (left out: none)
 *     end */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/flexible/modal_h5.h"
#include "model/tuning.h"

static const vgField rows[] = {
    {"verge-modes", VG_FIELD_INT, 0, "", NULL, 1, 1, "First: the version of the layout."},
    {"mass", VG_FIELD_NUMBER, 0, "kg", NULL, 0, 0, "Of the whole body."},
    {"centre", VG_FIELD_VEC3, 0, "m", NULL, 0, 0, "Centre of mass, undeformed, in the body's frame."},
    {"inertia", VG_FIELD_VEC6, 0, "kg*m^2", NULL, 0, 0,
     "xx yy zz xy xz yz about the centre of mass, undeformed; xy is minus the integral of x y dm."},
    {"modes", VG_FIELD_INT, 0, "", NULL, 1, VG_MODAL_MAX_MODES, "How many modes there are: M."},
    {"products", VG_FIELD_LIST, 0, "", "0", 0, 0,
     "How many further shapes belong to products of two amplitudes, then the pairs (counted from 1): "
     "foreshortening. Only the first nine modes may have products. n = M + products."},
    {"stiffness", VG_FIELD_LIST, 0, "", NULL, 0, 0, "M x M numbers."},
    {"damping", VG_FIELD_LIST, 0, "", "", 0, 0, "M x M numbers."},
    {"modal-mass", VG_FIELD_LIST, 0, "", NULL, 0, 0, "n x n numbers: integral of rho psi_a . psi_b."},
    {"momentum", VG_FIELD_LIST, 0, "", NULL, 0, 0, "n x 3 numbers: integral of rho psi_a."},
    {"moments", VG_FIELD_LIST, 0, "", NULL, 0, 0,
     "The integrals of rho psi_a psi_b^T, nine numbers each by rows, for a = 0 … n and b = max(a, 1) … n; "
     "shape 0 is the position from the centre of mass."},
    {"node", VG_FIELD_LIST, 0, "", "", 0, 0,
     "NAME x y z in the body's frame, then for each shape its displacement and small rotation there, n x 6 "
     "numbers; as many nodes as wanted."},
    {"stress", VG_FIELD_LIST, 0, "", "", 0, 0,
     "M x 6 numbers: stress resultants (axial, shear y, shear z, torsion, bending y, bending z) of each mode "
     "at the node before."},
    {"end", VG_FIELD_BOOL, 0, "", NULL, 0, 0, "Last."},
};
const vgFormatTable vg_format_modes = {
    "Files of modes",
    "A text, or the same in HDF5. As a text: words and numbers with blanks or line ends between them; `#` "
    "starts a comment, matrices are written by rows, a word is followed by its numbers. In HDF5: "
    "`verge-modes` is an attribute of the file, every other word a dataset of its numbers: `mass` one, "
    "`centre` [3], `inertia` [6], `products` [P, 2] (pairs only), `stiffness` and `damping` [M, M], "
    "`modal-mass` [n, n], `momentum` [n, 3], `moments` [(n+1)(n+2)/2 - 1, 9]; M and n follow from the sizes. "
    "A node is a group `node/NAME` with `position` [3], `shapes` [n, 6] and perhaps `stress` [M, 6]. `verge "
    "reduce` writes such files from stiffness and mass matrices, or from a flexible body of a model, in HDF5 "
    "where the name ends in .h5; then every dataset has a sum, and damage is found when it is read. Other "
    "programs may compress the datasets with deflate (gzip). The words:",
    "", rows, sizeof rows / sizeof *rows};

typedef struct Text {
    vgReader *r;
    const char *at, *end, *line; /* next character; start of the line */
    int file, number;            /* of the line */
    const char *word;            /* the last one, its length and place */
    size_t n;
    vgLoc loc;
    int bad;
} Text;

static int next(Text *t)
{
    for (; t->at < t->end; t->at++) {
        if (*t->at == '#')
            while (t->at < t->end && *t->at != '\n') t->at++;
        if (t->at == t->end) break;
        if (*t->at == '\n') t->number++, t->line = t->at + 1;
        if (!isspace((unsigned char)*t->at)) break;
    }
    t->word = t->at;
    t->loc = (vgLoc){t->file, t->number, (int)(t->at - t->line) + 1};
    while (t->at < t->end && !isspace((unsigned char)*t->at) && *t->at != '#') t->at++;
    t->n = (size_t)(t->at - t->word);
    return t->n > 0;
}

static int is(const Text *t, const char *word)
{
    return t->n == strlen(word) && memcmp(t->word, word, t->n) == 0;
}

static void wrong(Text *t, const char *what)
{
    if (!t->bad)
        vg_diag_error(t->r->diag, t->loc, "%s, got '%.*s'", what, (int)(t->n > 40 ? 40 : t->n), t->word);
    t->bad = 1;
}

static double number(Text *t)
{
    char buffer[64], *end;
    if (t->bad) return 0;
    if (!next(t) || t->n >= sizeof buffer) {
        wrong(t, "expected a number");
        return 0;
    }
    memcpy(buffer, t->word, t->n);
    buffer[t->n] = 0;
    double x = strtod(buffer, &end);
    if (*end || !isfinite(x)) wrong(t, "expected a number");
    return x;
}

static int whole(Text *t, int least, int most, const char *what)
{
    double x = number(t);
    if (!t->bad && (x != floor(x) || x < least || x > most)) wrong(t, what);
    return t->bad ? least : (int)x;
}

static void numbers(Text *t, int n, double *out)
{
    for (int i = 0; i < n && !t->bad; i++) out[i] = number(t);
}

static vgVec3 vector(Text *t)
{
    double x[3] = {0, 0, 0};
    numbers(t, 3, x);
    return vg_load3(x);
}

/* What has been given; the order of the words is free once the numbers of shapes are known. */
enum {
    MASS = 1,
    CENTRE = 2,
    INERTIA = 4,
    STIFFNESS = 8,
    MODAL_MASS = 16,
    MOMENTUM = 32,
    MOMENTS = 64,
    ALL = 127
};

static void inertia(Text *t, vgModal *b)
{
    double x[6] = {0};
    numbers(t, 6, x);
    b->inertia = vg_m3(x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2]);
}

static void moments(Text *t, vgModal *b)
{
    for (int a = 0; a <= b->nshape && !t->bad; a++)
        for (int c = a ? a : 1; c <= b->nshape && !t->bad; c++) {
            double x[9] = {0};
            numbers(t, 9, x);
            *vg_modal_Q(b, c, a) = vg_mt3(vg_mload3(x));
            *vg_modal_Q(b, a, c) = vg_mload3(x);
        }
}

static void node(Text *t, vgModal *b, int *room)
{
    vgPool *pool = t->r->pool;
    if (b->nnode == *room) {
        vgModalNode *more =
            vg_pool_grow(pool, b->node, (size_t)*room * sizeof *more, (size_t)(2 * *room + 8) * sizeof *more);
        if (!more) {
            t->bad = t->r->full = 1;
            return;
        }
        b->node = more;
        *room = 2 * *room + 8;
    }
    vgModalNode *x = &b->node[b->nnode];
    if (!next(t)) wrong(t, "expected the name of the node");
    x->name = vg_pool_strndup(pool, t->word, t->n);
    x->t = VG_NEW(pool, vgVec3, b->nshape);
    x->r = VG_NEW(pool, vgVec3, b->nshape);
    if (!x->name || !x->t || !x->r) t->bad = t->r->full = 1;
    if (t->bad || !vg_read_name_ok(t->r, x->name, t->loc, "node")) {
        t->bad = 1;
        return;
    }
    x->at = vector(t);
    for (int a = 0; a < b->nshape && !t->bad; a++) {
        x->t[a] = vector(t);
        x->r[a] = vector(t);
    }
    b->nnode++;
}

static void stress(Text *t, vgModal *b)
{
    if (b->nnode == 0) {
        wrong(t, "stress belongs to the node before it");
        return;
    }
    vgModalNode *x = &b->node[b->nnode - 1];
    x->stress = VG_NEW(t->r->pool, double, 6 * b->nmode);
    if (!x->stress)
        t->bad = t->r->full = 1;
    else
        numbers(t, 6 * b->nmode, x->stress);
}

/* modes M [products P pairs]: memory is known from here on. */
static void shapes(Text *t, vgModal *b)
{
    int pair[VG_MODAL_MAX_SHAPES][2], np = 0;
    vgModal was = *b;
    int modes = whole(t, 1, VG_MODAL_MAX_MODES, "expected 1 to 63 modes");
    Text mark = *t;
    if (next(t) && is(t, "products")) {
        np = whole(t, 0, VG_MODAL_MAX_SHAPES - VG_MODAL_MAX_MODES, "too many products");
        for (int k = 0; k < np && !t->bad; k++) {
            const int most = modes < VG_MODAL_MAX_BENT ? modes : VG_MODAL_MAX_BENT;
            int i = whole(t, 1, most, "expected the number of a mode, one of the first nine"),
                j = whole(t, 1, most, "expected the number of a mode, one of the first nine");
            pair[k][0] = (i < j ? i : j) - 1;
            pair[k][1] = (i < j ? j : i) - 1;
        }
    } else {
        *t = mark;
    }
    if (t->bad) return;
    if (!vg_modal_alloc(t->r->pool, modes, np, 0, b)) {
        t->bad = t->r->full = 1;
        return;
    }
    memcpy(b->product, pair, (size_t)np * sizeof *pair);
    b->mass = was.mass;
    b->com = was.com;
    b->inertia = was.inertia;
}

/* One word and its numbers; the part of ALL that it gives. */
static unsigned entry(Text *t, vgModal *b, int *room)
{
    const int n = b->nshape, m = b->nmode;
    if (is(t, "mass")) return b->mass = number(t), MASS;
    if (is(t, "centre")) return b->com = vector(t), CENTRE;
    if (is(t, "inertia")) return inertia(t, b), INERTIA;
    if (is(t, "modes")) {
        if (m > 0) return wrong(t, "modes is there twice"), 0;
        return shapes(t, b), 0;
    }
    if (m == 0) return wrong(t, "expected mass, centre, inertia or modes before anything else"), 0;
    if (is(t, "stiffness")) return numbers(t, m * m, b->K), STIFFNESS;
    if (is(t, "damping")) return numbers(t, m * m, b->C), 0;
    if (is(t, "modal-mass")) return numbers(t, n * n, b->M), MODAL_MASS;
    if (is(t, "momentum")) {
        for (int a = 0; a < n && !t->bad; a++) b->P[a] = vector(t);
        return MOMENTUM;
    }
    if (is(t, "moments")) return moments(t, b), MOMENTS;
    if (is(t, "node")) return node(t, b, room), 0;
    if (is(t, "stress")) return stress(t, b), 0;
    wrong(t, "expected one of mass, centre, inertia, modes, stiffness, damping, modal-mass, momentum, "
             "moments, node, stress, end");
    return 0;
}

static int symmetric(int n, const double *A)
{
    double big = 0, off = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            big = fmax(big, fabs(A[i * n + j]));
            off = fmax(off, fabs(A[i * n + j] - A[j * n + i]));
        }
    return off <= VG_GIVEN_SYMMETRIC * big;
}

const char *vg_modal_fault(const vgModal *b)
{
    if (!(b->mass > 0)) return "mass must be positive";
    if (!symmetric(b->nmode, b->K)) return "stiffness must be symmetric";
    return symmetric(b->nshape, b->M) ? NULL : "modal-mass must be symmetric";
}

static void read_text(Text *t, vgModal *b)
{
    unsigned given = 0;
    int room = 0;
    if (!next(t) || !is(t, "verge-modes")) wrong(t, "a file of modes begins with 'verge-modes 1'");
    if (!t->bad) whole(t, 1, 1, "version 1 of the layout is understood");
    while (!t->bad) {
        if (!next(t)) {
            wrong(t, "the file ends before 'end'");
            break;
        }
        if (is(t, "end")) break;
        given |= entry(t, b, &room);
    }
    if (!t->bad && given != ALL)
        wrong(t, "something is missing: mass, centre, inertia, modes, stiffness, modal-mass, momentum and "
                 "moments are needed before the end");
    if (!t->bad && vg_modal_fault(b)) wrong(t, vg_modal_fault(b));
}

/* The nodes that the model asks for, in its order. */
static int choose(vgReader *r, vgNode *list, vgModal *b)
{
    if (!list) return 1;
    if (list->kind != VG_NODE_LIST) {
        vg_diag_error(r->diag, list->loc, "expected a list of names of nodes, got %s",
                      vg_node_kind_text(list));
        return 0;
    }
    vgModalNode *chosen = VG_NEW(r->pool, vgModalNode, list->n + 1);
    if (!chosen) return r->full = 1, 0;
    for (int i = 0; i < list->n; i++) {
        const char *name;
        int k = 0;
        if (!vg_read_text(r, list->item[i], &name)) return 0;
        while (k < b->nnode && strcmp(b->node[k].name, name) != 0) k++;
        if (k == b->nnode) {
            const char **names = VG_NEW(r->scratch, const char *, b->nnode + 1);
            for (int q = 0; names && q < b->nnode; q++) names[q] = b->node[q].name;
            vg_diag_error(r->diag, list->item[i]->loc, "the file has no node '%.60s'%s", name,
                          names ? vg_read_hint(r, name, names, b->nnode) : "");
            return 0;
        }
        chosen[i] = b->node[k];
    }
    b->node = chosen;
    b->nnode = list->n;
    return 1;
}

int vg_read_modal_file(vgReader *r, const vgEntry *e, const char *file, vgNode *nodes, vgModal *out)
{
    const vgNode *at = vg_node_get(e->value, "file");
    size_t n = 0;
    char *path = vg_read_resolve(r, at->loc, file);
    char *text = path ? vg_spec_read(r->scratch, path, at->loc, &n, r->diag) : NULL;
    if (!text) return 0;
    if (vg_modal_is_h5(text, n))
        return vg_read_modal_h5(r, text, n, (vgLoc){vg_diag_file(r->diag, file), 0, 0}, out) &&
               choose(r, nodes, out);
    Text t = {
        .r = r, .at = text, .end = text + n, .line = text, .number = 1, .file = vg_diag_file(r->diag, file)};
    *out = (vgModal){0};
    read_text(&t, out);
    return !t.bad && choose(r, nodes, out);
}

/* ---- writing ---- */

static void put_vector(vgText *p, vgVec3 v)
{
    vg_text_add(p, " %.17g %.17g %.17g", v.x, v.y, v.z);
}

static void put_matrix(vgText *p, const char *word, int n, int m, const double *A)
{
    vg_text_add(p, "%s\n", word);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) vg_text_add(p, " %.17g", A[i * m + j]);
        vg_text_add(p, "\n");
    }
}

static void put_node(vgText *p, const vgModal *b, const vgModalNode *x)
{
    vg_text_add(p, "node %.100s", x->name);
    put_vector(p, x->at);
    vg_text_add(p, "\n");
    for (int a = 0; a < b->nshape; a++) {
        put_vector(p, x->t[a]);
        put_vector(p, x->r[a]);
        vg_text_add(p, "\n");
    }
    if (x->stress) put_matrix(p, "stress", b->nmode, 6, x->stress);
}

char *vg_modal_text(const vgModal *b)
{
    vgText p = {0};
    const int np = b->nshape - b->nmode;
    const vgMat3 *J = &b->inertia;
    int damped = 0;
    vg_text_add(&p, "verge-modes 1\nmass %.17g\ncentre", b->mass);
    put_vector(&p, b->com);
    vg_text_add(&p, "\ninertia %.17g %.17g %.17g", J->m[0][0], J->m[1][1], J->m[2][2]);
    vg_text_add(&p, " %.17g %.17g %.17g\nmodes %d\n", J->m[0][1], J->m[0][2], J->m[1][2], b->nmode);
    if (np > 0) vg_text_add(&p, "products %d\n", np);
    for (int k = 0; k < np; k++) vg_text_add(&p, " %d %d\n", b->product[k][0] + 1, b->product[k][1] + 1);
    put_matrix(&p, "stiffness", b->nmode, b->nmode, b->K);
    for (int i = 0; i < b->nmode * b->nmode; i++) damped |= b->C[i] != 0;
    if (damped) put_matrix(&p, "damping", b->nmode, b->nmode, b->C);
    put_matrix(&p, "modal-mass", b->nshape, b->nshape, b->M);
    vg_text_add(&p, "momentum\n");
    for (int a = 0; a < b->nshape; a++) {
        put_vector(&p, b->P[a]);
        vg_text_add(&p, "\n");
    }
    vg_text_add(&p, "moments\n");
    for (int a = 0; a <= b->nshape; a++)
        for (int c = a ? a : 1; c <= b->nshape; c++) {
            const vgMat3 *Q = vg_modal_Q(b, a, c);
            for (int i = 0; i < 3; i++) put_vector(&p, vg_row3(*Q, i));
            vg_text_add(&p, "\n");
        }
    for (int i = 0; i < b->nnode; i++) put_node(&p, b, &b->node[i]);
    vg_text_add(&p, "end\n");
    return vg_text_take(&p);
}
