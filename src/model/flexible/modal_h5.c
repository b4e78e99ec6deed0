/* Files of modes in HDF5: the words of the text layout (modal_file.c) as names of datasets, the numbers in
 * the same order; shapes of arrays say what is what.
 *
 *     attribute verge-modes = 1
 *     mass []   centre [3]   inertia [6]   products [P, 2] (left out: none)
 *     stiffness [M, M]   damping [M, M] (left out: none)   modal-mass [n, n]   momentum [n, 3]
 *     moments [(n + 1)(n + 2)/2 − 1, 9]
 *     node/NAME/position [3], node/NAME/shapes [n, 6], node/NAME/stress [M, 6] (left out: none)
 *
 * The image of the file is in memory; nothing but hard links and data inside it is followed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/h5/h5.h"
#include "model/flexible/modal_h5.h"

typedef struct Image {
    vgReader *r;
    vgLoc loc;
    vgH5 *file;
    int bad;
} Image;

static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

int vg_modal_is_h5(const char *image, size_t n)
{
    return n >= sizeof signature && memcmp(image, signature, sizeof signature) == 0;
}

/* ---- reading ---- */

static void wrong(Image *f, const char *name, const char *what)
{
    if (!f->bad)
        vg_diag_error(f->r->diag, f->loc, "%s%s%s%s", *name ? "'" : "", name, *name ? "' " : "", what);
    f->bad = 1;
}

/* What the reader of the file says of a part of it. */
static void wrong_part(Image *f, const char *name, vgStatus status)
{
    char text[300];
    if (status == VG_NO_MEMORY) f->bad = f->r->full = 1;
    snprintf(text, sizeof text, "cannot be read: %s", vg_h5_why(f->file));
    wrong(f, name, text);
}

/* A dataset of numbers in at most two dimensions; 0: absent, or reported. Then nothing is to be freed. */
static int open_numbers(Image *f, vgH5Object at, const char *name, int optional, vgH5Set *set)
{
    vgH5Object found = VG_H5_NONE;
    if (f->bad) return 0;
    vgStatus status = vg_h5_find(f->file, at, name, &found);
    if (status == VG_OK && found == VG_H5_NONE) {
        if (!optional) wrong(f, name, "is missing");
        return 0;
    }
    if (status == VG_OK) status = vg_h5_set(f->file, found, set);
    if (status != VG_OK) {
        wrong_part(f, name, status);
        return 0;
    }
    if (set->rank <= 2 && set->type.kind <= VG_H5_FLOAT) return 1;
    wrong(f, name, "must be numbers in at most two dimensions, in this file");
    vg_h5_set_free(set);
    return 0;
}

/* a × b numbers (b = 1: also a vector); optional: absent is fine. 1 when they were read. */
static int numbers(Image *f, vgH5Object at, const char *name, int a, int b, int optional, double *out)
{
    vgH5Set set;
    if (!open_numbers(f, at, name, optional, &set)) return 0;
    if (set.size[0] != (uint64_t)a || set.size[1] != (uint64_t)b) {
        char text[100];
        snprintf(text, sizeof text, "has %llu x %llu numbers, expected %d x %d",
                 (unsigned long long)set.size[0], (unsigned long long)set.size[1], a, b);
        wrong(f, name, text);
    }
    vgStatus status = f->bad ? VG_OK : vg_h5_rows(f->file, &set, 0, set.size[0], out);
    if (status == VG_OK && !f->bad) status = vg_h5_check(f->file, &set);
    if (status != VG_OK) wrong_part(f, name, status);
    for (int i = 0; i < a * b && !f->bad; i++)
        if (!isfinite(out[i])) wrong(f, name, "has a number that is not finite");
    vg_h5_set_free(&set);
    return !f->bad;
}

/* The number of rows of a dataset within limits; optional: 0 when absent. */
static int rows_of(Image *f, const char *name, int most, int optional)
{
    vgH5Set set;
    char text[100];
    if (!open_numbers(f, vg_h5_root(f->file), name, optional, &set)) return 0;
    snprintf(text, sizeof text, "has %llu rows, expected %d to %d", (unsigned long long)set.size[0],
             !optional, most);
    if (set.size[0] > (uint64_t)most || (set.size[0] < 1 && !optional)) wrong(f, name, text);
    vg_h5_set_free(&set);
    return f->bad ? 0 : (int)set.size[0];
}

/* Unknown names are errors. */
static vgStatus known(void *user, const char *name, vgH5Object at)
{
    static const char *const words[] = {"mass",    "centre",     "inertia",  "products", "stiffness",
                                        "damping", "modal-mass", "momentum", "moments",  "node"};
    Image *f = user;
    (void)at;
    for (int i = 0; i < 10; i++)
        if (strcmp(name, words[i]) == 0) return VG_OK;
    if (!f->bad)
        vg_diag_error(f->r->diag, f->loc, "unknown name '%.60s'%s", name,
                      vg_read_hint(f->r, name, words, 10));
    f->bad = 1;
    return VG_BAD_INPUT;
}

static void check_version(Image *f)
{
    double version = 0;
    int found = 0;
    vgStatus status = vg_h5_number(f->file, vg_h5_root(f->file), "verge-modes", &found, &version);
    if (status != VG_OK)
        wrong_part(f, "", status);
    else if (!found)
        wrong(f, "", "a file of modes has the attribute 'verge-modes' = 1");
    else if (version != 1)
        wrong(f, "verge-modes", "must be 1: version 1 of the layout is understood");
}

static void read_products(Image *f, int modes, int n, vgModal *b)
{
    double pair[2 * VG_MODAL_MAX_SHAPES];
    if (n == 0 || !numbers(f, vg_h5_root(f->file), "products", n, 2, 0, pair)) return;
    for (int k = 0; k < n && !f->bad; k++) {
        double i = fmin(pair[2 * k], pair[2 * k + 1]), j = fmax(pair[2 * k], pair[2 * k + 1]);
        if (i != floor(i) || j != floor(j) || i < 1 ||
            j > (modes < VG_MODAL_MAX_BENT ? modes : VG_MODAL_MAX_BENT))
            wrong(f, "products", "must be pairs of numbers of modes, counted from 1, of the first nine");
        else
            b->product[k][0] = (int)i - 1, b->product[k][1] = (int)j - 1;
    }
}

static void read_integrals(Image *f, vgModal *b)
{
    const int n = b->nshape, m = b->nmode, pairs = (n + 1) * (n + 2) / 2 - 1;
    double x[9], *Q = VG_NEW(f->r->scratch, double, 9 * pairs), *P = VG_NEW(f->r->scratch, double, 3 * n);
    if (!Q || !P) f->bad = f->r->full = 1;
    numbers(f, vg_h5_root(f->file), "mass", 1, 1, 0, &b->mass);
    if (numbers(f, vg_h5_root(f->file), "centre", 3, 1, 0, x)) b->com = vg_load3(x);
    if (numbers(f, vg_h5_root(f->file), "inertia", 6, 1, 0, x))
        b->inertia = vg_m3(x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2]);
    numbers(f, vg_h5_root(f->file), "stiffness", m, m, 0, b->K);
    numbers(f, vg_h5_root(f->file), "damping", m, m, 1, b->C);
    numbers(f, vg_h5_root(f->file), "modal-mass", n, n, 0, b->M);
    if (numbers(f, vg_h5_root(f->file), "momentum", n, 3, 0, P))
        for (int a = 0; a < n; a++) b->P[a] = vg_load3(P + 3 * a);
    if (!numbers(f, vg_h5_root(f->file), "moments", pairs, 9, 0, Q)) return;
    for (int a = 0; a <= n; a++)
        for (int c = a ? a : 1; c <= n; c++, Q += 9) {
            *vg_modal_Q(b, c, a) = vg_mt3(vg_mload3(Q));
            *vg_modal_Q(b, a, c) = vg_mload3(Q);
        }
}

static void read_node(Image *f, vgH5Object group, const char *name, vgModal *b, vgModalNode *x)
{
    double p[3], *s = VG_NEW(f->r->scratch, double, 6 * b->nshape), stress[6 * VG_MODAL_MAX_MODES];
    x->name = vg_read_keep(f->r, name);
    x->t = VG_NEW(f->r->pool, vgVec3, b->nshape);
    x->r = VG_NEW(f->r->pool, vgVec3, b->nshape);
    if (!s || !x->name || !x->t || !x->r) f->bad = f->r->full = 1;
    if (!f->bad && !vg_read_name_ok(f->r, name, f->loc, "node")) f->bad = 1;
    if (!f->bad && !vg_h5_is_group(f->file, group)) wrong(f, name, "under 'node' is not a group");
    if (numbers(f, group, "position", 3, 1, 0, p)) x->at = vg_load3(p);
    if (numbers(f, group, "shapes", b->nshape, 6, 0, s))
        for (int a = 0; a < b->nshape; a++) x->t[a] = vg_load3(s + 6 * a), x->r[a] = vg_load3(s + 6 * a + 3);
    if (numbers(f, group, "stress", b->nmode, 6, 1, stress)) {
        x->stress = VG_NEW(f->r->pool, double, 6 * b->nmode);
        if (x->stress)
            memcpy(x->stress, stress, (size_t)(6 * b->nmode) * sizeof(double));
        else
            f->bad = f->r->full = 1;
    }
}

enum { MOST_NODES = 100000 };

static vgStatus count_node(void *user, const char *name, vgH5Object at)
{
    int *n = user;
    (void)name, (void)at;
    return ++*n <= MOST_NODES ? VG_OK : VG_LIMIT;
}

typedef struct NodeList {
    Image *f;
    vgModal *b;
} NodeList;

static vgStatus take_node(void *user, const char *name, vgH5Object at)
{
    NodeList *l = user;
    read_node(l->f, at, name, l->b, &l->b->node[l->b->nnode++]);
    return l->f->bad ? VG_BAD_INPUT : VG_OK;
}

/* In the order in which the file lists them. */
static void read_nodes(Image *f, vgModal *b)
{
    vgH5Object nodes = VG_H5_NONE;
    NodeList list = {f, b};
    int n = 0;
    if (f->bad) return;
    vgStatus status = vg_h5_find(f->file, vg_h5_root(f->file), "node", &nodes);
    if (status == VG_OK && nodes == VG_H5_NONE) return;
    if (status == VG_OK && !vg_h5_is_group(f->file, nodes)) wrong(f, "node", "must be a group of nodes");
    if (f->bad) return;
    if (status == VG_OK) status = vg_h5_list(f->file, nodes, count_node, &n);
    if (status == VG_LIMIT) wrong(f, "node", "must be a group of at most 100000 nodes");
    if (status == VG_OK && !(b->node = VG_NEW(f->r->pool, vgModalNode, n + 1))) f->bad = f->r->full = 1;
    if (status == VG_OK && !f->bad) status = vg_h5_list(f->file, nodes, take_node, &list);
    if (status != VG_OK) wrong_part(f, "node", status);
}

int vg_read_modal_h5(vgReader *r, const char *image, size_t n, vgLoc loc, vgModal *out)
{
    Image f = {.r = r, .loc = loc};
    const char *why;
    *out = (vgModal){0};
    vgStatus status = vg_h5_open_image(image, n, &f.file, &why);
    if (status != VG_OK) {
        vg_diag_error(r->diag, loc, "this HDF5 file cannot be read: %s", why);
        return 0;
    }
    check_version(&f);
    if (!f.bad) status = vg_h5_list(f.file, vg_h5_root(f.file), known, &f);
    if (status != VG_OK) wrong_part(&f, "", status);
    int modes = rows_of(&f, "stiffness", VG_MODAL_MAX_MODES, 0);
    int products = rows_of(&f, "products", VG_MODAL_MAX_SHAPES - VG_MODAL_MAX_MODES, 1);
    if (!f.bad && !vg_modal_alloc(r->pool, modes, products, 0, out)) f.bad = r->full = 1;
    if (!f.bad) read_products(&f, modes, products, out);
    if (!f.bad) read_integrals(&f, out);
    read_nodes(&f, out);
    const char *fault = f.bad ? NULL : vg_modal_fault(out);
    if (fault) wrong(&f, "", fault);
    vg_h5_close(f.file);
    return !f.bad;
}

/* ---- writing ---- */

static void put(vgH5Out *out, vgH5Group *at, const char *name, int rank, int a, int b, const double *x)
{
    const uint64_t size[2] = {(uint64_t)a, (uint64_t)b};
    vg_h5_put_numbers(out, at, name, rank, size, x);
}

static void put_node(vgH5Out *out, vgH5Group *nodes, const vgModal *b, const vgModalNode *x)
{
    double p[3], s[6 * VG_MODAL_MAX_SHAPES];
    vgH5Group *group = vg_h5_group(out, nodes, x->name);
    vg_store3(x->at, p);
    for (int a = 0; a < b->nshape; a++) {
        vg_store3(x->t[a], s + 6 * a);
        vg_store3(x->r[a], s + 6 * a + 3);
    }
    put(out, group, "position", 1, 3, 1, p);
    put(out, group, "shapes", 2, b->nshape, 6, s);
    if (x->stress) put(out, group, "stress", 2, b->nmode, 6, x->stress);
}

/* 0: out of memory. */
static int put_moments(vgH5Out *out, vgH5Group *top, const vgModal *b)
{
    const int n = b->nshape, pairs = (n + 1) * (n + 2) / 2 - 1;
    double *x = malloc((size_t)(9 * pairs + 3 * n + 1) * sizeof *x), *to = x;
    if (!x) return 0;
    for (int a = 0; a <= n; a++)
        for (int c = a ? a : 1; c <= n; c++, to += 9)
            for (int i = 0; i < 9; i++) to[i] = vg_modal_Q(b, a, c)->m[i / 3][i % 3];
    for (int a = 0; a < n; a++) vg_store3(b->P[a], to + 3 * a);
    put(out, top, "moments", 2, pairs, 9, x);
    put(out, top, "momentum", 2, n, 3, to);
    free(x);
    return 1;
}

static int put_all(vgH5Out *out, const vgModal *b)
{
    const int n = b->nshape, m = b->nmode;
    const vgMat3 *J = &b->inertia;
    const double inertia[6] = {J->m[0][0], J->m[1][1], J->m[2][2], J->m[0][1], J->m[0][2], J->m[1][2]};
    double centre[3], pair[2 * VG_MODAL_MAX_SHAPES];
    int damped = 0;
    vgH5Group *top = vg_h5_top(out), *nodes = vg_h5_group(out, top, "node");
    vg_store3(b->com, centre);
    for (int k = 0; k < 2 * (n - m); k++) pair[k] = b->product[k / 2][k % 2] + 1;
    for (int i = 0; i < m * m; i++) damped |= b->C[i] != 0;
    vg_h5_put_integer(out, top, "verge-modes", 1);
    put(out, top, "mass", 0, 1, 1, &b->mass);
    put(out, top, "centre", 1, 3, 1, centre);
    put(out, top, "inertia", 1, 6, 1, inertia);
    if (n != m) put(out, top, "products", 2, n - m, 2, pair);
    put(out, top, "stiffness", 2, m, m, b->K);
    if (damped) put(out, top, "damping", 2, m, m, b->C);
    put(out, top, "modal-mass", 2, n, n, b->M);
    for (int i = 0; i < b->nnode; i++) put_node(out, nodes, b, &b->node[i]);
    return put_moments(out, top, b);
}

vgStatus vg_modal_save_h5(const vgModal *body, const char *path)
{
    vgOutput output;
    if (!vg_output_open(&output, path)) return VG_IO;
    vgH5Out *out = vg_h5_create(&output);
    if (out && !put_all(out, body)) {
        vg_h5_discard(out);
        out = NULL;
    }
    return vg_h5_end(out, &output);
}
