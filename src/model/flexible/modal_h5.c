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
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/h5_quiet.h"
#include "model/flexible/modal_h5.h"

typedef struct Image {
    vgReader *r;
    vgLoc loc;
    hid_t file;
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

static hid_t open_image(const char *image, size_t n)
{
    hid_t how = H5Pcreate(H5P_FILE_ACCESS), file = -1;
    /* HDF5 copies the image and does not write to it */
    if (H5Pset_fapl_core(how, 65536, 0) >= 0 && H5Pset_file_image(how, (void *)(size_t)image, n) >= 0)
        file = H5Fopen("modes", H5F_ACC_RDONLY, how);
    H5Pclose(how);
    return file;
}

static int here(hid_t at, const char *name)
{
    H5L_info_t info;
    return H5Lexists(at, name, H5P_DEFAULT) > 0 && H5Lget_info(at, name, &info, H5P_DEFAULT) >= 0 &&
           info.type == H5L_TYPE_HARD;
}

/* Numbers that stand in the file itself. */
static int plain(hid_t set)
{
    hid_t how = H5Dget_create_plist(set), type = H5Dget_type(set);
    H5T_class_t kind = H5Tget_class(type);
    int ok = (kind == H5T_INTEGER || kind == H5T_FLOAT) && H5Pget_external_count(how) == 0 &&
             H5Pget_layout(how) != H5D_VIRTUAL;
    H5Tclose(type);
    H5Pclose(how);
    return ok;
}

/* Extents of a dataset, ones behind; its rank, −1 with a report. */
static int extents(Image *f, hid_t set, const char *name, hsize_t size[2])
{
    hid_t space = H5Dget_space(set);
    int rank = H5Sget_simple_extent_ndims(space);
    size[0] = size[1] = 1;
    if (rank < 0 || rank > 2 || !plain(set)) {
        wrong(f, name, "must be numbers in at most two dimensions, in this file");
        rank = -1;
    } else if (H5Sget_simple_extent_dims(space, size, NULL) < 0) {
        rank = -1;
    }
    H5Sclose(space);
    return f->bad ? -1 : rank;
}

/* a × b numbers (b = 1: also a vector); optional: absent is fine. 1 when they were read. */
static int numbers(Image *f, hid_t at, const char *name, int a, int b, int optional, double *out)
{
    hsize_t size[2];
    if (f->bad) return 0;
    if (!here(at, name)) {
        if (!optional) wrong(f, name, "is missing");
        return 0;
    }
    hid_t set = H5Dopen2(at, name, H5P_DEFAULT);
    if (set < 0) {
        wrong(f, name, "is not a dataset");
        return 0;
    }
    int rank = extents(f, set, name, size);
    if (rank >= 0 && (size[0] != (hsize_t)a || size[1] != (hsize_t)b)) {
        char text[100];
        snprintf(text, sizeof text, "has %llu x %llu numbers, expected %d x %d", (unsigned long long)size[0],
                 (unsigned long long)size[1], a, b);
        wrong(f, name, text);
    }
    if (!f->bad && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0)
        wrong(f, name, "cannot be read: the file is damaged");
    for (int i = 0; i < a * b && !f->bad; i++)
        if (!isfinite(out[i])) wrong(f, name, "has a number that is not finite");
    H5Dclose(set);
    return !f->bad;
}

/* The number of rows of a dataset within limits; optional: 0 when absent. */
static int rows_of(Image *f, const char *name, int most, int optional)
{
    hsize_t size[2] = {0, 0};
    char text[100];
    if (f->bad || !here(f->file, name)) {
        if (!optional) wrong(f, name, "is missing");
        return 0;
    }
    hid_t set = H5Dopen2(f->file, name, H5P_DEFAULT);
    if (set < 0 || extents(f, set, name, size) < 0) wrong(f, name, "is not a dataset of numbers");
    if (set >= 0) H5Dclose(set);
    snprintf(text, sizeof text, "has %llu rows, expected %d to %d", (unsigned long long)size[0], !optional,
             most);
    if (!f->bad && (size[0] > (hsize_t)most || (size[0] < 1 && !optional))) wrong(f, name, text);
    return f->bad ? 0 : (int)size[0];
}

/* Names that nobody understands are mistakes. */
static herr_t known(hid_t at, const char *name, const H5L_info_t *info, void *user)
{
    static const char *const words[] = {"mass",    "centre",     "inertia",  "products", "stiffness",
                                        "damping", "modal-mass", "momentum", "moments",  "node"};
    Image *f = user;
    (void)at, (void)info;
    for (int i = 0; i < 10; i++)
        if (strcmp(name, words[i]) == 0) return 0;
    if (!f->bad)
        vg_diag_error(f->r->diag, f->loc, "unknown name '%.60s'%s", name,
                      vg_read_hint(f->r, name, words, 10));
    f->bad = 1;
    return 1;
}

static void check_version(Image *f)
{
    double version = 0;
    hid_t at = H5Aexists(f->file, "verge-modes") > 0 ? H5Aopen(f->file, "verge-modes", H5P_DEFAULT) : -1;
    hid_t space = at >= 0 ? H5Aget_space(at) : -1;
    int ok =
        at >= 0 && H5Sget_simple_extent_npoints(space) == 1 && H5Aread(at, H5T_NATIVE_DOUBLE, &version) >= 0;
    if (space >= 0) H5Sclose(space);
    if (at >= 0) H5Aclose(at);
    if (!ok)
        wrong(f, "", "a file of modes has the attribute 'verge-modes' = 1");
    else if (version != 1)
        wrong(f, "verge-modes", "must be 1: version 1 of the layout is understood");
}

static void read_products(Image *f, int modes, int n, vgModal *b)
{
    double pair[2 * VG_MODAL_MAX_SHAPES];
    if (n == 0 || !numbers(f, f->file, "products", n, 2, 0, pair)) return;
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
    numbers(f, f->file, "mass", 1, 1, 0, &b->mass);
    if (numbers(f, f->file, "centre", 3, 1, 0, x)) b->com = vg_load3(x);
    if (numbers(f, f->file, "inertia", 6, 1, 0, x))
        b->inertia = vg_m3(x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2]);
    numbers(f, f->file, "stiffness", m, m, 0, b->K);
    numbers(f, f->file, "damping", m, m, 1, b->C);
    numbers(f, f->file, "modal-mass", n, n, 0, b->M);
    if (numbers(f, f->file, "momentum", n, 3, 0, P))
        for (int a = 0; a < n; a++) b->P[a] = vg_load3(P + 3 * a);
    if (!numbers(f, f->file, "moments", pairs, 9, 0, Q)) return;
    for (int a = 0; a <= n; a++)
        for (int c = a ? a : 1; c <= n; c++, Q += 9) {
            *vg_modal_Q(b, c, a) = vg_mt3(vg_mload3(Q));
            *vg_modal_Q(b, a, c) = vg_mload3(Q);
        }
}

static void read_node(Image *f, hid_t at, const char *name, vgModal *b, vgModalNode *x)
{
    double p[3], *s = VG_NEW(f->r->scratch, double, 6 * b->nshape), stress[6 * VG_MODAL_MAX_MODES];
    hid_t group = here(at, name) ? H5Gopen2(at, name, H5P_DEFAULT) : -1;
    x->name = vg_pool_strdup(f->r->pool, name);
    x->t = VG_NEW(f->r->pool, vgVec3, b->nshape);
    x->r = VG_NEW(f->r->pool, vgVec3, b->nshape);
    if (!s || !x->name || !x->t || !x->r) f->bad = f->r->full = 1;
    if (!f->bad && group < 0) wrong(f, name, "under 'node' is not a group");
    if (!f->bad && !vg_read_name_ok(f->r, name, f->loc, "node")) f->bad = 1;
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
    if (group >= 0) H5Gclose(group);
}

/* Large groups in HDF5's dense form are not listed: version 1.10 of the library frees memory it never allocated if
 * such a list is damaged. */
static int can_be_listed(Image *f, hid_t group, const char *name, H5G_info_t *info)
{
    if (H5Gget_info(group, info) < 0) wrong(f, name, "cannot be read: the file is damaged");
    if (!f->bad && info->storage_type == H5G_STORAGE_TYPE_DENSE)
        wrong(
            f, name,
            "is a group in the dense form of HDF5, which is not read; write it with verge reduce, or in the "
            "earliest form (libver)");
    return !f->bad;
}

/* In the order in which they were made, where the file knows it, else by name. */
static void read_nodes(Image *f, vgModal *b)
{
    enum { MOST = 100000 };
    H5G_info_t info = {0};
    unsigned tracked = 0;
    if (f->bad || !here(f->file, "node")) return;
    hid_t nodes = H5Gopen2(f->file, "node", H5P_DEFAULT), how = nodes >= 0 ? H5Gget_create_plist(nodes) : -1;
    if (nodes < 0 || (can_be_listed(f, nodes, "node", &info) && info.nlinks > MOST))
        wrong(f, "node", "must be a group of nodes");
    if (how >= 0) H5Pget_link_creation_order(how, &tracked);
    H5_index_t by = tracked & H5P_CRT_ORDER_INDEXED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
    b->node = f->bad ? NULL : VG_NEW(f->r->pool, vgModalNode, (int)info.nlinks + 1);
    if (!f->bad && !b->node) f->bad = f->r->full = 1;
    for (hsize_t i = 0; i < info.nlinks && !f->bad; i++) {
        char name[200];
        if (H5Lget_name_by_idx(nodes, ".", by, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT) < 0)
            wrong(f, "node", "cannot be read: the file is damaged");
        else
            read_node(f, nodes, name, b, &b->node[b->nnode++]);
    }
    if (how >= 0) H5Pclose(how);
    if (nodes >= 0) H5Gclose(nodes);
}

int vg_read_modal_h5(vgReader *r, const char *image, size_t n, vgLoc loc, vgModal *out)
{
    vgH5Quiet quiet = vg_h5_quiet_begin();
    Image f = {.r = r, .loc = loc, .file = open_image(image, n)};
    *out = (vgModal){0};
    if (f.file < 0) {
        wrong(&f, "", "this HDF5 file is damaged or not complete");
    } else {
        hsize_t at = 0;
        H5G_info_t info;
        check_version(&f);
        if (!f.bad && can_be_listed(&f, f.file, "/", &info))
            H5Literate(f.file, H5_INDEX_NAME, H5_ITER_INC, &at, known, &f);
        int modes = rows_of(&f, "stiffness", VG_MODAL_MAX_MODES, 0);
        int products = rows_of(&f, "products", VG_MODAL_MAX_SHAPES - VG_MODAL_MAX_MODES, 1);
        if (!f.bad && !vg_modal_alloc(r->pool, modes, products, 0, out)) f.bad = r->full = 1;
        if (!f.bad) read_products(&f, modes, products, out);
        if (!f.bad) read_integrals(&f, out);
        read_nodes(&f, out);
        const char *fault = f.bad ? NULL : vg_modal_fault(out);
        if (fault) wrong(&f, "", fault);
        H5Fclose(f.file);
    }
    vg_h5_quiet_end(quiet);
    return !f.bad;
}

/* ---- writing ---- */

static int put(hid_t at, const char *name, int rank, int a, int b, const double *x)
{
    hsize_t size[2] = {(hsize_t)a, (hsize_t)b};
    hid_t space = rank ? H5Screate_simple(rank, size, NULL) : H5Screate(H5S_SCALAR);
    hid_t set = H5Dcreate2(at, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int ok = set >= 0 && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0;
    if (set >= 0) H5Dclose(set);
    H5Sclose(space);
    return ok;
}

static int put_version(hid_t file)
{
    const int one = 1;
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t at = H5Acreate2(file, "verge-modes", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT);
    int ok = at >= 0 && H5Awrite(at, H5T_NATIVE_INT, &one) >= 0;
    if (at >= 0) H5Aclose(at);
    H5Sclose(space);
    return ok;
}

static int put_node(hid_t nodes, const vgModal *b, const vgModalNode *x)
{
    double p[3], s[6 * VG_MODAL_MAX_SHAPES];
    hid_t group = H5Gcreate2(nodes, x->name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    vg_store3(x->at, p);
    for (int a = 0; a < b->nshape; a++) {
        vg_store3(x->t[a], s + 6 * a);
        vg_store3(x->r[a], s + 6 * a + 3);
    }
    int ok = group >= 0 && put(group, "position", 1, 3, 1, p) && put(group, "shapes", 2, b->nshape, 6, s) &&
             (!x->stress || put(group, "stress", 2, b->nmode, 6, x->stress));
    if (group >= 0) H5Gclose(group);
    return ok;
}

enum { MOST_LINKS = 65535 }; /* all groups in the compact form, see can_be_listed() */

static int put_nodes(hid_t file, const vgModal *b)
{
    hid_t how = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_link_creation_order(how, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_link_phase_change(how, MOST_LINKS, 0);
    hid_t nodes = H5Gcreate2(file, "node", H5P_DEFAULT, how, H5P_DEFAULT);
    int ok = nodes >= 0;
    for (int i = 0; i < b->nnode && ok; i++) ok = put_node(nodes, b, &b->node[i]);
    if (nodes >= 0) H5Gclose(nodes);
    H5Pclose(how);
    return ok;
}

static int put_moments(hid_t file, const vgModal *b)
{
    const int n = b->nshape, pairs = (n + 1) * (n + 2) / 2 - 1;
    double *x = malloc((size_t)(9 * pairs + 3 * n + 1) * sizeof *x), *to = x;
    if (!x) return 0;
    for (int a = 0; a <= n; a++)
        for (int c = a ? a : 1; c <= n; c++, to += 9)
            for (int i = 0; i < 9; i++) to[i] = vg_modal_Q(b, a, c)->m[i / 3][i % 3];
    for (int a = 0; a < n; a++) vg_store3(b->P[a], to + 3 * a);
    int ok = put(file, "moments", 2, pairs, 9, x) && put(file, "momentum", 2, n, 3, to);
    free(x);
    return ok;
}

static int put_all(hid_t file, const vgModal *b)
{
    const int n = b->nshape, m = b->nmode;
    const vgMat3 *J = &b->inertia;
    const double inertia[6] = {J->m[0][0], J->m[1][1], J->m[2][2], J->m[0][1], J->m[0][2], J->m[1][2]};
    double centre[3], pair[2 * VG_MODAL_MAX_SHAPES];
    int damped = 0;
    vg_store3(b->com, centre);
    for (int k = 0; k < 2 * (n - m); k++) pair[k] = b->product[k / 2][k % 2] + 1;
    for (int i = 0; i < m * m; i++) damped |= b->C[i] != 0;
    return put_version(file) && put(file, "mass", 0, 1, 1, &b->mass) &&
           put(file, "centre", 1, 3, 1, centre) && put(file, "inertia", 1, 6, 1, inertia) &&
           (n == m || put(file, "products", 2, n - m, 2, pair)) && put(file, "stiffness", 2, m, m, b->K) &&
           (!damped || put(file, "damping", 2, m, m, b->C)) && put(file, "modal-mass", 2, n, n, b->M) &&
           put_moments(file, b) && put_nodes(file, b);
}

vgStatus vg_modal_save_h5(const vgModal *body, const char *path)
{
    vgH5Quiet quiet = vg_h5_quiet_begin();
    hid_t how = H5Pcreate(H5P_FILE_ACCESS);
    /* this form has checksums: damage is seen when it is read */
    H5Pset_libver_bounds(how, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    hid_t form = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_link_phase_change(form, MOST_LINKS, 0);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, form, how);
    int ok = file >= 0 && put_all(file, body);
    H5Pclose(form);
    if (file >= 0 && H5Fclose(file) < 0) ok = 0;
    H5Pclose(how);
    vg_h5_quiet_end(quiet);
    return ok ? VG_OK : VG_IO;
}
