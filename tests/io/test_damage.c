/* Damaged files of every format: a bit changed anywhere, or the end cut off. Each is refused in words, or nothing that is
 * read differs from the whole file. Nothing crashes, hangs or takes memory without bound. */
#include <sys/resource.h>
#include <unistd.h>

#include "io/results.h"
#include "io/view/view_run.h"
#include "temporary.h"
#include "test.h"
#include "verge/verge.h"

static unsigned long long seed = 12345;
static size_t random_below(size_t n)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (size_t)(seed >> 33) % n;
}

static int rounds(int few)
{
    const char *more = getenv("VERGE_DAMAGE_ROUNDS");
    return more ? atoi(more) : few;
}

static char *path_of(const char *ending)
{
    static char path[TEMPORARY_PATH];
    snprintf(path, sizeof path, "%.250s/verge_damage_%ld%s", temporary_fast(), (long)getpid(), ending);
    return path;
}

static unsigned char *slurp(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    unsigned char *bytes = malloc(*n + 1);
    CHECK(fread(bytes, 1, *n, f) == *n);
    fclose(f);
    return bytes;
}

static void dump(const char *path, const unsigned char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    CHECK(fwrite(bytes, 1, n, f) == n);
    fclose(f);
}

/* A changed copy: k even: one bit; every fourth: several bytes; every third odd one: cut. *kept: bytes of it. */
static void damage(unsigned char *copy, const unsigned char *whole, size_t n, int k, size_t *kept)
{
    memcpy(copy, whole, n);
    *kept = n;
    if (k % 3 == 2) {
        *kept = random_below(n);
    } else if (k % 4 == 3) {
        for (int i = 0; i < 5; i++) copy[random_below(n)] ^= (unsigned char)(1 + random_below(255));
    } else {
        copy[random_below(n)] ^= (unsigned char)(1 << random_below(8));
    }
}

/* ---- HDF5 results ---- */

static void write_results(const char *path)
{
    static const char *const channel[] = {"joint.O.angle", "energy.total", "body.rod.position.x"};
    static const char *const unit[] = {"rad", "J", "m"}, *const body[] = {"rod", "disc"};
    vgResultsHead h = {"a title", "verge: 1\n", "lie", "index3", "generalized-alpha", 3,
                       channel,   unit,         2,     body,     "{\"planar\":false}"};
    vgResults *r;
    CHECK_INT(vg_results_create(path, &h, NULL, &r), VG_OK);
    for (int i = 0; i < 60; i++) {
        double t = 0.01 * i, x[3] = {sin(t), 1 / (1 + t), t * t}, p[14];
        for (int k = 0; k < 14; k++) p[k] = cos(k + t);
        CHECK_INT(vg_results_row(r, t, x, p), VG_OK);
    }
    CHECK_INT(vg_results_close(r, "ok", "{\"steps\": 60}", NULL), VG_OK);
}

static int same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static int same_table(const vgTableData *a, const vgTableData *b)
{
    int same = a->ncol == b->ncol && a->nrow == b->nrow && same_text(a->title, b->title) &&
               same_text(a->status, b->status);
    for (int i = 0; same && i < a->ncol; i++)
        same = same_text(a->name[i], b->name[i]) && same_text(a->unit[i], b->unit[i]);
    return same && memcmp(a->value, b->value, (size_t)a->nrow * (size_t)a->ncol * sizeof(double)) == 0;
}

static int same_run(const vgViewRun *a, const vgViewRun *b)
{
    int same = a->nframe == b->nframe && a->nsample == b->nsample && a->body.n == b->body.n &&
               a->channel.n == b->channel.n;
    for (int i = 0; same && i < VG_VIEW_TEXTS; i++) same = same_text(a->text[i], b->text[i]);
    for (int i = 0; same && i < a->body.n; i++) same = same_text(a->body.at[i], b->body.at[i]);
    for (int i = 0; same && i < a->channel.n; i++) same = same_text(a->channel.at[i], b->channel.at[i]);
    return same && memcmp(a->pose, b->pose, a->nframe * (size_t)a->body.n * 7 * sizeof(double)) == 0 &&
           memcmp(a->sample, b->sample, a->nsample * (size_t)a->channel.n * sizeof(double)) == 0;
}

TEST(results_in_hdf5)
{
    char *path = path_of(".h5");
    size_t n, kept;
    vgTableData *good = NULL;
    vgViewRun shown;
    write_results(path);
    unsigned char *whole = slurp(path, &n), *copy = malloc(n);
    CHECK_INT(vg_data_read(path, NULL, &good), VG_OK);
    CHECK_INT(vg_view_run_read(&shown, path, 1000, 1000, NULL), VG_OK);
    long refused = 0, harmless = 0, wrong = 0, mute = 0, all = rounds(5000);
    for (int k = 0; k < all; k++) {
        vgTableData *t = NULL;
        vgViewRun run;
        vgDiag *diag = vg_diag_new();
        damage(copy, whole, n, k, &kept);
        dump(path, copy, kept);
        int read = vg_data_read(path, diag, &t) == VG_OK,
            looked = vg_view_run_read(&run, path, 1000, 1000, diag) == VG_OK;
        if (!read || !looked) mute += vg_diag_errors(diag) == 0;
        wrong += (read && !same_table(good, t)) || (looked && !same_run(&shown, &run));
        refused += !read || !looked;
        harmless += read && looked;
        vg_data_free(t);
        if (looked) vg_view_run_free(&run);
        vg_diag_free(diag);
    }
    printf("fire: damage: HDF5 results: %ld damaged files, %ld refused, %ld harmless, %ld wrong\n", all,
           refused, harmless, wrong);
    CHECK_INT(wrong, 0);
    CHECK_INT(mute, 0);
    CHECK(refused > all / 10 && harmless > 0); /* most of the file is room for rows to come */
    vg_data_free(good);
    vg_view_run_free(&shown);
    free(whole), free(copy);
    unlink(path);
}

/* Each part is named when its own bytes are changed. */
TEST(the_damaged_part_is_named)
{
    static const struct {
        const char *bytes, *part; /* bytes that stand once in the file */
        size_t n;
    } cases[] = {{"joint.O.angle", "channels", 13}, {"rad", "units", 3}, {"rod\0disc", "bodies", 8}};
    char *path = path_of(".h5");
    size_t n;
    write_results(path);
    unsigned char *whole = slurp(path, &n);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t at = 0;
        while (at + cases[i].n < n && memcmp(whole + at, cases[i].bytes, cases[i].n) != 0) at++;
        CHECK(at + cases[i].n < n);
        whole[at] ^= 1;
        dump(path, whole, n);
        whole[at] ^= 1;
        vgViewRun run;
        vgDiag *diag = vg_diag_new();
        CHECK(vg_view_run_read(&run, path, 1000, 1000, diag) != VG_OK);
        CHECK_STR(vg_diag_count(diag) ? vg_diag_line(diag, 0) : "", cases[i].part);
        vg_diag_free(diag);
    }
    double last = 1 / (1 + 0.59); /* the last of energy.total */
    for (size_t at = 0; at + 8 <= n; at++)
        if (memcmp(whole + at, &last, 8) == 0) whole[at] ^= 1;
    dump(path, whole, n);
    vgTableData *t = NULL;
    vgDiag *diag = vg_diag_new();
    CHECK(vg_data_read(path, diag, &t) != VG_OK);
    CHECK_STR(vg_diag_count(diag) ? vg_diag_line(diag, 0) : "", "'data'");
    CHECK_STR(vg_diag_count(diag) ? vg_diag_line(diag, 0) : "", "wrong sum");
    vg_diag_free(diag);
    free(whole);
    unlink(path);
}

/* ---- CSV ----
 *
 * A table in plain text has no sum: a digit that became another digit is a number. Anything else is refused, and an end
 * in the middle of a line is said; what is read is what stands in the file. */
TEST(results_in_csv)
{
    char *path = path_of(".csv");
    size_t n, kept;
    write_results(path);
    unsigned char *whole = slurp(path, &n), *copy = malloc(n);
    long mute = 0, unsaid = 0, all = rounds(5000);
    for (int k = 0; k < all; k++) {
        vgTableData *t = NULL;
        vgDiag *diag = vg_diag_new();
        damage(copy, whole, n, k, &kept);
        dump(path, copy, kept);
        int read = vg_data_read(path, diag, &t) == VG_OK;
        if (!read) mute += vg_diag_errors(diag) == 0;
        if (read && kept < n && kept > 0 && copy[kept - 1] != '\n' && memchr(copy, '\n', kept))
            unsaid += vg_diag_warnings(diag) == 0;
        vg_data_free(t);
        vg_diag_free(diag);
    }
    CHECK_INT(mute, 0);
    CHECK_INT(unsaid, 0);
    free(whole), free(copy);
    unlink(path);
}

/* ---- checkpoints ---- */

TEST(checkpoints)
{
    vgModel *model = vg_load(VERGE_SOURCE_DIR "/models/four-bar.yaml", NULL, NULL);
    vgSim *sim = NULL;
    CHECK_INT(vg_sim_new(model, NULL, NULL, &sim), VG_OK);
    for (int i = 0; i < 20; i++) CHECK_INT(vg_sim_step(sim, 1e-3), VG_OK);
    size_t n = vg_sim_checkpoint_size(sim), kept;
    unsigned char *whole = malloc(n), *copy = malloc(n), *after = malloc(n);
    CHECK_INT(vg_sim_save(sim, whole, n), VG_OK);
    long taken = 0, mute = 0, moved = 0, all = rounds(5000);
    for (int k = 0; k < all; k++) {
        damage(copy, whole, n, k, &kept);
        if (vg_sim_restore(sim, copy, kept) == VG_OK)
            taken++;
        else
            mute += vg_sim_error(sim)[0] == 0;
        CHECK_INT(vg_sim_save(sim, after, n), VG_OK);
        moved += memcmp(after, whole, n) != 0;
    }
    CHECK_INT(taken, 0);
    CHECK_INT(mute, 0);
    CHECK_INT(moved, 0);
    free(whole), free(copy), free(after);
    vg_sim_free(sim);
    vg_model_free(model);
}

TEST_MAIN(results_in_hdf5, the_damaged_part_is_named, results_in_csv, checkpoints)
