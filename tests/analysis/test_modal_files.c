/* Files of modes and reduction of matrices: the same bits back, frequencies of the full body, statics. */
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analysis/modes/reduce.h"
#include "moment.h"
#include "temporary.h"
#include "test.h"

enum { NODES = 9, N = 6 * NODES };

/* A free beam along x of Euler–Bernoulli elements with consistent masses (Przemieniecki 1968). */
typedef struct Frame {
    double K[N * N], M[N * N];
    vgVec3 at[NODES];
    const char *name[NODES];
} Frame;

static const double E = 2e11, rho = 8000, width = 0.04, height = 0.02, length = 2;

static void add(double *A, int n, const int *at, const double *a)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) A[at[i] * N + at[j]] += a[i * n + j];
}

static Frame *frame_new(void)
{
    static const char *const names[NODES] = {"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8"};
    Frame *f = calloc(1, sizeof *f);
    double h = length / (NODES - 1), A = width * height,
           I[2] = {height * pow(width, 3) / 12, width * pow(height, 3) / 12};
    for (int i = 0; i < NODES; i++) f->at[i] = vg_v3(i * h, 0, 0), f->name[i] = names[i];
    for (int e = 0; e + 1 < NODES; e++) {
        int o = 6 * e, p = o + 6;
        double k = E * A / h, m = rho * A * h / 6;
        add(f->K, 2, (int[]){o, p}, (double[]){k, -k, -k, k});
        add(f->M, 2, (int[]){o, p}, (double[]){2 * m, m, m, 2 * m});
        k = 8e10 * (I[0] + I[1]) / h, m = rho * (I[0] + I[1]) * h / 6;
        add(f->K, 2, (int[]){o + 3, p + 3}, (double[]){k, -k, -k, k});
        add(f->M, 2, (int[]){o + 3, p + 3}, (double[]){2 * m, m, m, 2 * m});
        for (int d = 0; d < 2; d++) { /* deflection y with rotation z, deflection z with rotation −y */
            double l = d ? -h : h, q = E * I[d] / (h * h * h), u = rho * A * h / 420;
            int at[4] = {o + 1 + d, o + 5 - d, p + 1 + d, p + 5 - d};
            add(f->K, 4, at,
                (double[]){12 * q, 6 * l * q, -12 * q, 6 * l * q, 6 * l * q, 4 * l * l * q, -6 * l * q,
                           2 * l * l * q, -12 * q, -6 * l * q, 12 * q, -6 * l * q, 6 * l * q, 2 * l * l * q,
                           -6 * l * q, 4 * l * l * q});
            add(f->M, 4, at,
                (double[]){156 * u, 22 * l * u, 54 * u, -13 * l * u, 22 * l * u, 4 * l * l * u, 13 * l * u,
                           -3 * l * l * u, 54 * u, 13 * l * u, 156 * u, -22 * l * u, -13 * l * u,
                           -3 * l * l * u, -22 * l * u, 4 * l * l * u});
        }
    }
    return f;
}

static vgReduce problem(const Frame *f, int keep)
{
    static const int ends[] = {0, NODES - 1};
    return (vgReduce){.nnode = NODES,
                      .name = f->name,
                      .at = f->at,
                      .per_node = 6,
                      .K = f->K,
                      .M = f->M,
                      .nboundary = 2,
                      .boundary = ends,
                      .keep = keep};
}

TEST(reduced_body_has_mass_and_frequencies_of_the_full_one)
{
    Frame *f = frame_new();
    vgPool *pool = vg_pool_new(0);
    vgDiag *diag = vg_diag_new();
    double w[60], last = INFINITY;
    const double c = sqrt(E / rho) / (length * length) * height / sqrt(12);
    for (int keep = 1; keep <= 9; keep += 4) {
        vgModal b;
        vgReduce in = problem(f, keep);
        CHECK_INT(vg_reduce(&in, pool, diag, &b, w), VG_OK);
        CHECK_INT(b.nmode, 6 + keep);
        CHECK_NEAR(b.mass, rho * width * height * length, 1e-9);
        CHECK_NEAR(b.com.x, 1, 1e-12);
        CHECK_NEAR(b.inertia.m[1][1], b.mass * length * length / 12, 1e-9);
        CHECK_NEAR(b.inertia.m[2][2], b.mass * length * length / 12, 1e-9);
        double error = fabs(w[6] / (4.73004074486270 * 4.73004074486270 * c) - 1);
        CHECK(error < last);
        last = error;
        for (int a = 0; a < b.nmode; a++) { /* mean axes */
            const vgMat3 *Q = vg_modal_Q(&b, 0, a + 1);
            CHECK(vg_norm3(b.P[a]) < 1e-8 * b.mass);
            CHECK(fabs(Q->m[0][1] - Q->m[1][0]) + fabs(Q->m[0][2] - Q->m[2][0]) < 1e-8 * b.mass * length);
            CHECK_NEAR(b.K[a * b.nmode + a] / (w[6 + a] * w[6 + a] * b.M[a * b.nmode + a]), 1, 1e-9);
        }
    }
    CHECK(last < 2e-4);
    vg_diag_free(diag);
    vg_pool_free(pool);
    free(f);
}

/* Clamped at one end: frequencies of the cantilever; a load at the other: F L³/3EI, exactly, with no mode at
 * all. */
static const char arm_model[] =
    "verge: 1\ngravity: 0\nflexible:\n  arm: {file: arm.modes}\njoints:\n  O: {fixed: [ground, arm.n0]}\n"
    "forces:\n  load: {force: arm.n8, value: [0, 0, 1]}\n";

static void write_file(const char *folder, const char *name, const char *text, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", folder, name);
    FILE *o = fopen(path, "w");
    CHECK(o != NULL);
    if (!o) return;
    fputs(text, o);
    fclose(o);
}

static momentRig load_from(const char *path)
{
    momentRig m = {.diag = vg_diag_new()};
    m.model = vg_model_load(path, NULL, 0, m.diag);
    moment_start(&m);
    return m;
}

TEST(reduced_body_in_a_model)
{
    char folder[TEMPORARY_PATH], modes[400], model[400];
    CHECK(temporary_folder(folder));
    Frame *f = frame_new();
    for (int keep = 0; keep <= 8; keep += 8) {
        vgPool *pool = vg_pool_new(0);
        vgModal b;
        vgReduce in = problem(f, keep);
        CHECK_INT(vg_reduce(&in, pool, NULL, &b, NULL), VG_OK);
        char *text = vg_modal_text(&b);
        CHECK(text != NULL);
        write_file(folder, "arm.modes", text, modes, sizeof modes);
        write_file(folder, "arm.yaml", arm_model, model, sizeof model);
        free(text);
        momentRig m = load_from(model);
        CHECK_INT(m.status, VG_OK);
        if (keep > 0) {
            double w = 1.87510406871196 * 1.87510406871196 * sqrt(E / rho) / (length * length) * height /
                       sqrt(12),
                   best = 1;
            moment_modes(&m);
            for (int k = 0; k < m.modes.n; k++) best = fmin(best, fabs(m.modes.mode[k].im / w - 1));
            CHECK(best < 1e-3);
        }
        moment_rest(&m, NULL);
        CHECK_INT(m.status, VG_OK);
        double I = width * pow(height, 3) / 12;
        CHECK_NEAR(moment_channel(&m, "body.arm.n8.position.z"), 8 / (3 * E * I), 1e-5 * 8 / (3 * E * I));
        moment_end(&m);
        vg_pool_free(pool);
    }
    remove(modes);
    remove(model);
    rmdir(folder);
    free(f);
}

/* A beam written to a file, as a text or in HDF5, and read again is the same body, to the last bit. */
TEST(a_body_comes_back_from_its_file)
{
    static const char beam[] =
        "verge: 1\nflexible:\n  b: {length: 1.2, modes: 3, ends: true, foreshortening: false, tube: [0.03, "
        "0.02], E: 7e10, rho: 2700, damping: 1e-4, nodes: {A: 0, B: 0.5, C: 1.2}}\n";
    static const char shortened[] =
        "verge: 1\nplanar: true\nflexible:\n  b: {length: 1.2, modes: 3, foreshortening: true, EA: 1e6, GAy: "
        "1e6, EIz: 10, m: 2, support: free}\n";
    char folder[TEMPORARY_PATH], modes[400], model[400];
    CHECK(temporary_folder(folder));
    for (int run = 0; run < 4; run++) {
        const int k = run % 2;
        momentRig a = moment_text(k ? shortened : beam);
        const vgModal *x = a.model->modal[0].data;
        char *text = vg_modal_text(x), again[300];
        write_file(folder, "b.modes", text, modes, sizeof modes);
        if (run > 1) CHECK_INT(vg_modal_save_h5(x, modes), VG_OK);
        snprintf(again, sizeof again, "verge: 1\n%sflexible:\n  b: {file: b.modes}\n",
                 k ? "planar: true\n" : "");
        write_file(folder, "b.yaml", again, model, sizeof model);
        momentRig b = load_from(model);
        CHECK_INT(b.status, VG_OK);
        if (b.status == VG_OK) {
            char *back = vg_modal_text(b.model->modal[0].data);
            CHECK(strcmp(text, back) == 0);
            free(back);
        }
        free(text);
        moment_end(&a);
        moment_end(&b);
    }
    remove(modes);
    remove(model);
    rmdir(folder);
}

/* Faults are named with their place. */
TEST(wrong_files)
{
    static const char *const texts[][2] = {
        {"modes 1\n", "b.modes:1:1: error: a file of modes begins"},
        {"verge-modes 2\n", "b.modes:1:13: error: version 1"},
        {"verge-modes 1\nmass 1 centre 0 0\ninertia", "b.modes:3:1: error: expected a number, got 'inertia'"},
        {"verge-modes 1\nmass 1\nmodes 99", "b.modes:3:7: error: expected 1 to 63 modes"},
        {"verge-modes 1\nmass 1\nstiffness 1", "b.modes:3:1: error: expected mass, centre"},
        {"verge-modes 1\nmodes 1\nend", "b.modes:3:1: error: something is missing"},
        {"verge-modes 1\nmodes 1\n# no end", "the file ends before 'end'"},
        {"verge-modes 1\nmodes 1 node a/b 0 0 0 1 2 3 4 5 6\nend", "error"},
        {"verge-modes 1\nmodes 1 stress 1", "b.modes:2:9: error: stress belongs"},
    };
    char folder[TEMPORARY_PATH], modes[400], model[400];
    CHECK(temporary_folder(folder));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        vgDiag *diag = vg_diag_new();
        write_file(folder, "b.modes", texts[i][0], modes, sizeof modes);
        write_file(folder, "b.yaml", "verge: 1\nflexible:\n  b: {file: b.modes}\n", model, sizeof model);
        CHECK(vg_model_load(model, NULL, 0, diag) == NULL);
        CHECK(vg_diag_count(diag) > 0 && strstr(vg_diag_line(diag, 0), texts[i][1]) != NULL);
        if (vg_diag_count(diag) == 0 || !strstr(vg_diag_line(diag, 0), texts[i][1]))
            printf("%s\n", vg_diag_count(diag) ? vg_diag_line(diag, 0) : "nothing said");
        vg_diag_free(diag);
    }
    remove(modes);
    remove(model);
    rmdir(folder);
}

/* ---- HDF5 ---- */

typedef struct Place {
    char folder[TEMPORARY_PATH], modes[400], model[400];
} Place;

static Place place_new(void)
{
    Place p;
    CHECK(temporary_folder(p.folder));
    snprintf(p.modes, sizeof p.modes, "%s/b.h5", p.folder);
    write_file(p.folder, "b.yaml", "verge: 1\nflexible:\n  b: {file: b.h5}\n", p.model, sizeof p.model);
    return p;
}

static void place_end(const Place *p)
{
    remove(p->modes);
    remove(p->model);
    rmdir(p->folder);
}

static momentRig small_body(void)
{
    return moment_text("verge: 1\nflexible:\n  b: {length: 1.2, modes: 2, foreshortening: true, circle: "
                       "0.02, E: 7e10, rho: 2700, damping: 1e-4, nodes: {A: 0, C: 1.2}}\n");
}

/* What the reader says of the file; 1: it is a body. */
static int says(const Place *p, char *line, size_t size)
{
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_load(p->model, NULL, 0, diag);
    snprintf(line, size, "%s", vg_diag_count(diag) ? vg_diag_line(diag, 0) : "");
    CHECK((m == NULL) == (vg_diag_errors(diag) > 0));
    vg_model_free(m);
    vg_diag_free(diag);
    return m != NULL;
}

static void put_numbers(hid_t file, const char *name, int rank, hsize_t a, hsize_t b)
{
    hsize_t size[2] = {a, b};
    double x[200] = {0};
    hid_t space = H5Screate_simple(rank, size, NULL);
    hid_t set = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

TEST(wrong_hdf5_files)
{
    static const struct {
        const char *take, *put; /* dataset taken away, dataset of a × b zeros put there */
        hsize_t a, b;
        const char *words;
    } cases[] = {
        {"stiffness", NULL, 0, 0, "b.h5: error: 'stiffness' is missing"},
        {"mass", "mass", 2, 1, "'mass' has 2 x 1 numbers, expected 1 x 1"},
        {"mass", "mass", 1, 1, "mass must be positive"},
        {"stiffness", "stiffness", 90, 2, "'stiffness' has 90 rows, expected 1 to"},
        {"stiffness", "stiffness", 2, 3, "'stiffness' has 2 x 3 numbers, expected 2 x 2"},
        {"momentum", "momentun", 5, 3, "unknown name 'momentun', did you mean 'momentum'?"},
        {"products", "products", 3, 2, "'products' must be pairs of numbers of modes"},
        {"node/C/shapes", NULL, 0, 0, "'shapes' is missing"},
        {"node/C", "node/C", 1, 1, "'C' under 'node' is not a group"},
        {"node", "node", 1, 1, "'node' must be a group"},
    };
    Place p = place_new();
    momentRig a = small_body();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[300];
        CHECK_INT(vg_modal_save_h5(a.model->modal[0].data, p.modes), VG_OK);
        hid_t file = H5Fopen(p.modes, H5F_ACC_RDWR, H5P_DEFAULT);
        CHECK(H5Ldelete(file, cases[i].take, H5P_DEFAULT) >= 0);
        if (cases[i].put) put_numbers(file, cases[i].put, 2, cases[i].a, cases[i].b);
        H5Fclose(file);
        CHECK(!says(&p, line, sizeof line));
        CHECK(strstr(line, cases[i].words) != NULL);
        if (!strstr(line, cases[i].words)) printf("%s\n", line);
    }
    CHECK_INT(vg_modal_save_h5(a.model->modal[0].data, "/no/such/folder/b.h5"), VG_IO);
    moment_end(&a);
    place_end(&p);
}

/* The library keeps memory of its own when it gives up on a damaged file; nothing a caller could free. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

/* Cut short anywhere or with bytes changed: an error in words, or a body. */
TEST(damaged_hdf5_files)
{
    Place p = place_new();
    momentRig a = small_body();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* its words at exit, when damage has cost it its own books */
    CHECK_INT(vg_modal_save_h5(a.model->modal[0].data, p.modes), VG_OK);
    static unsigned char whole[100000], some[100000];
    FILE *f = fopen(p.modes, "rb");
    size_t n = fread(whole, 1, sizeof whole, f);
    fclose(f);
    CHECK(n > 1000 && n < sizeof whole);
    unsigned long long seed = 7;
    int bodies = 0, tries = 0;
    for (int k = 0; k < 300; k++, tries++) {
        char line[300];
        size_t size = k < 100 ? n * (size_t)k / 100 : n;
        memcpy(some, whole, n);
        for (int c = 0; k >= 100 && c < 1 + k % 8; c++) {
            seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
            size_t at = (size_t)(seed >> 33) % (k % 2 ? n : 2000);
            some[at] ^= (unsigned char)(1 + (seed >> 20) % 255);
        }
        f = fopen(p.modes, "wb");
        CHECK(fwrite(some, 1, size, f) == size);
        fclose(f);
        int body = says(&p, line, sizeof line);
        CHECK(body ? k >= 100 : line[0] != 0);
        bodies += body;
    }
    CHECK(bodies < tries / 2);
    moment_end(&a);
    place_end(&p);
}

TEST(matrices_from_matrix_market)
{
    static const char sparse[] = "%%MatrixMarket matrix coordinate real symmetric\n% a comment\n3 3 4\n1 1 "
                                 "2\n2 1 -1.5e0\n2 2 4\n3 3 1\n";
    static const char dense[] = "%%MatrixMarket matrix array real general\n2 2\n1\n3\n3\n7\n";
    static const char *const bad[] = {"1 2 3\n", "%%MatrixMarket matrix coordinate real general\n2 3 0\n",
                                      "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n",
                                      "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 1\n",
                                      "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n"};
    int n = 0;
    double *a = vg_reduce_matrix(sparse, sizeof sparse - 1, "K", NULL, &n);
    CHECK_INT(n, 3);
    CHECK(a && a[0] == 2 && a[1] == -1.5 && a[3] == -1.5 && a[4] == 4 && a[8] == 1 && a[2] == 0);
    free(a);
    a = vg_reduce_matrix(dense, sizeof dense - 1, "K", NULL, &n);
    CHECK_INT(n, 2);
    CHECK(a && a[0] == 1 && a[1] == 3 && a[2] == 3 && a[3] == 7);
    free(a);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        vgDiag *diag = vg_diag_new();
        CHECK(vg_reduce_matrix(bad[i], strlen(bad[i]), "K", diag, &n) == NULL);
        CHECK_INT(vg_diag_errors(diag), 1);
        vg_diag_free(diag);
    }
}

TEST_MAIN(reduced_body_has_mass_and_frequencies_of_the_full_one, reduced_body_in_a_model,
          a_body_comes_back_from_its_file, wrong_files, wrong_hdf5_files, damaged_hdf5_files,
          matrices_from_matrix_market)
