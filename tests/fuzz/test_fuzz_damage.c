/* Damaged files of formats in plain text and of archives: a bit changed, bytes changed, or the end cut off. Each is refused in words, or
 * taken: text has no sum, and a digit that became another one is a number. Nothing crashes, hangs or breaks a promise of targets.h.
 * VERGE_DAMAGE_ROUNDS=N (scripts/endure): N files of each format. */

#include "targets.h"
#include "test.h"

enum { MOST = 1 << 16 };
static unsigned long long seed = 2024;

static size_t random_below(size_t n)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (size_t)(seed >> 33) % n;
}

static size_t slurp(const char *name, uint8_t *bytes)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", VERGE_SOURCE_DIR, name);
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(bytes, 1, MOST, file) : 0;
    if (file) fclose(file);
    return n;
}

/* A tetrahedron in binary STL. */
static size_t make_stl(uint8_t *bytes)
{
    static const float corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    size_t n = 84;
    memset(bytes, 0, 84 + 4 * 50);
    bytes[80] = 4;
    for (int i = 0; i < 4; i++, n += 50)
        for (int k = 0; k < 3; k++) memcpy(bytes + n + 12 + 12 * k, corner[face[i][k]], 12);
    return n;
}

/* An FMU without a library that could be loaded. */
static size_t make_fmu(uint8_t *bytes)
{
    static const char xml[] =
        "<fmiModelDescription fmiVersion='2.0' guid='g'><CoSimulation "
        "modelIdentifier='m'/><ModelVariables><ScalarVariable name='a' valueReference='0' "
        "causality='input'><Real/></ScalarVariable></ModelVariables></fmiModelDescription>";
    char path[TEMPORARY_PATH];
    snprintf(path, sizeof path, "%.250s/verge-damage-%ld.fmu", temporary_fast(), (long)getpid());
    vgZipOut zip;
    CHECK(vg_zip_open(&zip, path));
    vg_zip_put(&zip, "modelDescription.xml", xml, sizeof xml - 1);
    vg_zip_put(&zip, "binaries/linux64/m.so", "x", 1);
    CHECK(vg_zip_close(&zip));
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(bytes, 1, MOST, file) : 0;
    if (file) fclose(file);
    unlink(path);
    return n;
}

static const struct {
    const char *title, *file; /* NULL: made here */
    size_t (*make)(uint8_t *bytes);
    void (*feed)(const uint8_t *bytes, size_t n);
} formats[] = {
    {"models", "models/four-bar-planar.yaml", NULL, fuzz_model},
    {"URDF", "tests/io/robots/parallelogram.urdf", NULL, fuzz_urdf},
    {"MJCF", "tests/io/robots/drives.xml", NULL, fuzz_mjcf},
    {"modes", "models/crank.modes", NULL, fuzz_modes},
    {"OBJ", "tests/io/robots/meshes/block.obj", NULL, fuzz_obj},
    {"STL", NULL, make_stl, fuzz_stl},
    {"FMU", NULL, make_fmu, fuzz_fmu},
};

static void damage(uint8_t *copy, const uint8_t *whole, size_t n, long k, size_t *kept)
{
    memcpy(copy, whole, n);
    *kept = n;
    if (k % 3 == 2) {
        *kept = random_below(n);
    } else if (k % 4 == 3) {
        for (int i = 0; i < 5; i++) copy[random_below(n)] ^= (uint8_t)(1 + random_below(255));
    } else {
        copy[random_below(n)] ^= (uint8_t)(1 << random_below(8));
    }
}

TEST(damaged_files)
{
    static uint8_t whole[MOST];
    const char *more = getenv("VERGE_DAMAGE_ROUNDS");
    long rounds = more ? atol(more) : 120, all = 0;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        size_t n = formats[i].file ? slurp(formats[i].file, whole) : formats[i].make(whole), kept;
        CHECK(n > 0);
        for (long k = 0; n > 0 && k < rounds; k++, all++) {
            uint8_t *copy = malloc(n);
            damage(copy, whole, n, k, &kept);
            uint8_t *exact = malloc(kept + !kept); /* a sanitizer sees a byte too many */
            memcpy(exact, copy, kept);
            formats[i].feed(exact, kept);
            free(exact), free(copy);
        }
    }
    CHECK_INT(all, rounds * (long)(sizeof formats / sizeof *formats));
    printf("fire: texts: %ld damaged files each of models, URDF, MJCF, modes, OBJ, STL, FMU: no crash, all "
           "refused in words or taken; text has no sum\n",
           rounds);
}

TEST_MAIN(damaged_files)
