/* Verge's test header: one executable per file, one function per claim.
 *
 *     TEST(name) { CHECK(cond); CHECK_NEAR(value, expected, tolerance); CHECK_STR(text, "part"); }
 *     TEST_MAIN(name, other_name)
 *
 * A failed check prints file:line with both numbers and the test goes on; the program's exit code counts. */
#ifndef VERGE_TEST_H
#define VERGE_TEST_H

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A seed for the random numbers of one kind: suites that loop over a list begin each kind with its own, so that a new row
 * changes nothing for the others. */
static inline unsigned long long test_seed(const char *kind, int n)
{
    unsigned long long hash = 1469598103934665603ull + (unsigned long long)n;
    for (const char *c = kind; *c; c++) hash = (hash ^ (unsigned char)*c) * 1099511628211ull;
    return hash | 1;
}

static int test_failed_checks;
static int test_run_checks;

typedef struct testCase {
    const char *name;
    void (*run)(void);
} testCase;

#define TEST(name) static void test_##name(void)

#define CHECK(cond)                                                                                          \
    do {                                                                                                     \
        test_run_checks++;                                                                                   \
        if (!(cond)) {                                                                                       \
            test_failed_checks++;                                                                            \
            printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #cond);                                        \
        }                                                                                                    \
    } while (0)

/* |value - expected| <= tolerance; a NaN fails. */
#define CHECK_NEAR(value, expected, tolerance)                                                               \
    do {                                                                                                     \
        double check_v = (value), check_e = (expected), check_t = (tolerance);                               \
        test_run_checks++;                                                                                   \
        if (!(fabs(check_v - check_e) <= check_t)) {                                                         \
            test_failed_checks++;                                                                            \
            printf("%s:%d: failed: %s = %.17g, expected %.17g within %.3g (off by %.3g)\n", __FILE__,        \
                   __LINE__, #value, check_v, check_e, check_t, check_v - check_e);                          \
        }                                                                                                    \
    } while (0)

#define CHECK_INT(value, expected)                                                                           \
    do {                                                                                                     \
        long long check_v = (long long)(value), check_e = (long long)(expected);                             \
        test_run_checks++;                                                                                   \
        if (check_v != check_e) {                                                                            \
            test_failed_checks++;                                                                            \
            printf("%s:%d: failed: %s = %lld, expected %lld\n", __FILE__, __LINE__, #value, check_v,         \
                   check_e);                                                                                 \
        }                                                                                                    \
    } while (0)

/* text contains part */
#define CHECK_STR(text, part)                                                                                \
    do {                                                                                                     \
        const char *check_v = (text), *check_e = (part);                                                     \
        test_run_checks++;                                                                                   \
        if (!check_v || !strstr(check_v, check_e)) {                                                         \
            test_failed_checks++;                                                                            \
            printf("%s:%d: failed: \"%s\" not in \"%s\"\n", __FILE__, __LINE__, check_e,                     \
                   check_v ? check_v : "(null)");                                                            \
        }                                                                                                    \
    } while (0)

#define TEST_MAIN_1(t) {#t, test_##t},
#define TEST_MAIN(...)                                                                                       \
    int main(void)                                                                                           \
    {                                                                                                        \
        static const testCase cases[] = {TEST_EACH(__VA_ARGS__)};                                            \
        int bad = 0, total = (int)(sizeof cases / sizeof cases[0]);                                          \
        for (int i = 0; i < total; i++) {                                                                    \
            int before = test_failed_checks;                                                                 \
            cases[i].run();                                                                                  \
            if (test_failed_checks > before) bad++;                                                          \
            printf("%s %s\n", test_failed_checks > before ? "FAIL" : "ok  ", cases[i].name);                 \
            fflush(stdout);                                                                                  \
        }                                                                                                    \
        printf("%d tests, %d failed, %d checks\n", total, bad, test_run_checks);                             \
        return bad != 0 || test_run_checks == 0;                                                             \
    }

/* TEST_EACH(a, b, c) -> TEST_MAIN_1(a) TEST_MAIN_1(b) TEST_MAIN_1(c), up to 40 names */
#define TEST_PICK(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, \
                  a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38,  \
                  a39, a40, pick, ...)                                                                       \
    pick
#define TEST_EACH(...)                                                                                       \
    TEST_PICK(__VA_ARGS__, TE40, TE39, TE38, TE37, TE36, TE35, TE34, TE33, TE32, TE31, TE30, TE29, TE28,     \
              TE27, TE26, TE25, TE24, TE23, TE22, TE21, TE20, TE19, TE18, TE17, TE16, TE15, TE14, TE13,      \
              TE12, TE11, TE10, TE9, TE8, TE7, TE6, TE5, TE4, TE3, TE2, TE1, 0)                              \
    (__VA_ARGS__)
#define TE1(t)       TEST_MAIN_1(t)
#define TE2(t, ...)  TEST_MAIN_1(t) TE1(__VA_ARGS__)
#define TE3(t, ...)  TEST_MAIN_1(t) TE2(__VA_ARGS__)
#define TE4(t, ...)  TEST_MAIN_1(t) TE3(__VA_ARGS__)
#define TE5(t, ...)  TEST_MAIN_1(t) TE4(__VA_ARGS__)
#define TE6(t, ...)  TEST_MAIN_1(t) TE5(__VA_ARGS__)
#define TE7(t, ...)  TEST_MAIN_1(t) TE6(__VA_ARGS__)
#define TE8(t, ...)  TEST_MAIN_1(t) TE7(__VA_ARGS__)
#define TE9(t, ...)  TEST_MAIN_1(t) TE8(__VA_ARGS__)
#define TE10(t, ...) TEST_MAIN_1(t) TE9(__VA_ARGS__)
#define TE11(t, ...) TEST_MAIN_1(t) TE10(__VA_ARGS__)
#define TE12(t, ...) TEST_MAIN_1(t) TE11(__VA_ARGS__)
#define TE13(t, ...) TEST_MAIN_1(t) TE12(__VA_ARGS__)
#define TE14(t, ...) TEST_MAIN_1(t) TE13(__VA_ARGS__)
#define TE15(t, ...) TEST_MAIN_1(t) TE14(__VA_ARGS__)
#define TE16(t, ...) TEST_MAIN_1(t) TE15(__VA_ARGS__)
#define TE17(t, ...) TEST_MAIN_1(t) TE16(__VA_ARGS__)
#define TE18(t, ...) TEST_MAIN_1(t) TE17(__VA_ARGS__)
#define TE19(t, ...) TEST_MAIN_1(t) TE18(__VA_ARGS__)
#define TE20(t, ...) TEST_MAIN_1(t) TE19(__VA_ARGS__)
#define TE21(t, ...) TEST_MAIN_1(t) TE20(__VA_ARGS__)
#define TE22(t, ...) TEST_MAIN_1(t) TE21(__VA_ARGS__)
#define TE23(t, ...) TEST_MAIN_1(t) TE22(__VA_ARGS__)
#define TE24(t, ...) TEST_MAIN_1(t) TE23(__VA_ARGS__)
#define TE25(t, ...) TEST_MAIN_1(t) TE24(__VA_ARGS__)
#define TE26(t, ...) TEST_MAIN_1(t) TE25(__VA_ARGS__)
#define TE27(t, ...) TEST_MAIN_1(t) TE26(__VA_ARGS__)
#define TE28(t, ...) TEST_MAIN_1(t) TE27(__VA_ARGS__)
#define TE29(t, ...) TEST_MAIN_1(t) TE28(__VA_ARGS__)
#define TE30(t, ...) TEST_MAIN_1(t) TE29(__VA_ARGS__)
#define TE31(t, ...) TEST_MAIN_1(t) TE30(__VA_ARGS__)
#define TE32(t, ...) TEST_MAIN_1(t) TE31(__VA_ARGS__)
#define TE33(t, ...) TEST_MAIN_1(t) TE32(__VA_ARGS__)
#define TE34(t, ...) TEST_MAIN_1(t) TE33(__VA_ARGS__)
#define TE35(t, ...) TEST_MAIN_1(t) TE34(__VA_ARGS__)
#define TE36(t, ...) TEST_MAIN_1(t) TE35(__VA_ARGS__)
#define TE37(t, ...) TEST_MAIN_1(t) TE36(__VA_ARGS__)
#define TE38(t, ...) TEST_MAIN_1(t) TE37(__VA_ARGS__)
#define TE39(t, ...) TEST_MAIN_1(t) TE38(__VA_ARGS__)
#define TE40(t, ...) TEST_MAIN_1(t) TE39(__VA_ARGS__)

#endif
