/* Every kept case of every fuzz target: inputs that the fuzzers found to reach something new, and those that once broke
 * a promise. tests/fuzz/corpus/TARGET.pack has them one behind the other: length in four bytes, lowest first, then the
 * bytes. `scripts/fuzz pack` makes the packs. */
#include <fcntl.h>

#include "targets_program.h"
#include "test.h"

typedef struct fuzzTarget {
    const char *name;
    void (*feed)(const uint8_t *bytes, size_t n);
} fuzzTarget;

static const fuzzTarget targets[] = {{"model", fuzz_model},   {"words", fuzz_words}, {"expr", fuzz_expr},
                                     {"modes", fuzz_modes},   {"csv", fuzz_csv},     {"h5", fuzz_h5},
                                     {"state", fuzz_state},   {"line", fuzz_line},   {"http", fuzz_http},
                                     {"udp", fuzz_udp},       {"urdf", fuzz_urdf},   {"mjcf", fuzz_mjcf},
                                     {"stl", fuzz_stl},       {"obj", fuzz_obj},     {"fmu", fuzz_fmu},
                                     {"method", fuzz_method}, {"loops", fuzz_loops}, {"plan", fuzz_plan}};

static long feed_all(const fuzzTarget *t)
{
    static uint8_t bytes[1 << 16];
    unsigned char head[4];
    char path[512];
    long count = 0;
    snprintf(path, sizeof path, "%s/tests/fuzz/corpus/%s.pack", VERGE_SOURCE_DIR, t->name);
    FILE *pack = fopen(path, "rb");
    while (pack && fread(head, 1, 4, pack) == 4) {
        size_t n = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16;
        if (n > sizeof bytes || fread(bytes, 1, n, pack) != n) break;
        uint8_t *exact = malloc(n + !n); /* a sanitizer sees a byte too many */
        if (exact) memcpy(exact, bytes, n), t->feed(exact, n);
        free(exact);
        count++;
    }
    if (pack) fclose(pack);
    return count;
}

TEST(kept_cases)
{
    long all = 0, count[sizeof targets / sizeof *targets];
    int words = dup(2), answers = dup(1), nothing = open("/dev/null", O_WRONLY);
    fflush(stdout);
    dup2(nothing, 1), dup2(nothing, 2); /* the program says what is wrong with each command line */
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) all += count[i] = feed_all(&targets[i]);
    fflush(stdout);
    dup2(answers, 1), dup2(words, 2);
    close(answers), close(words), close(nothing);
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        printf("%s: %ld cases\n", targets[i].name, count[i]);
        CHECK(count[i] >= 10);
    }
    CHECK(all >= 1000);
}

TEST_MAIN(kept_cases)
