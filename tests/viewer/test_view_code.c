/* The coding of numbers in the page, read back by a decoder written from its description. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/view_code.h"
#include "test.h"

static int digit_value(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    return (int)(strchr(digits, c) - digits);
}

/* Undoes the differences by summing up order times. */
static void decode(const char *text, size_t n, int order, int64_t *out)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t zigzag = 0;
        int digit, shift = 0;
        do {
            digit = digit_value(*text++);
            zigzag |= (uint64_t)(digit & 31) << shift;
            shift += 5;
        } while (digit & 32);
        out[i] = zigzag & 1 ? -(int64_t)((zigzag + 1) / 2) : (int64_t)(zigzag / 2);
    }
    for (int k = 0; k < order; k++)
        for (size_t i = 1; i < n; i++) out[i] += out[i - 1];
}

static void check_column(const int32_t *column, size_t n)
{
    int64_t *back = calloc(n + 1, sizeof *back);
    size_t best_length;
    int best = vg_code_best_order(column, n, &best_length);
    for (int order = 0; order <= VG_CODE_MAX_ORDER; order++) {
        vgText text = {0};
        vg_code_column(&text, column, n, order);
        CHECK(vg_text_ok(&text));
        CHECK(text.used >= best_length);
        if (order == best) CHECK_INT(text.used, best_length);
        decode(vg_text_at(&text), n, order, back);
        int same = 1;
        for (size_t i = 0; i < n; i++) same = same && back[i] == column[i];
        CHECK(same);
        vg_text_free(&text);
    }
    free(back);
}

TEST(columns_come_back)
{
    int32_t noise[500], wave[500];
    uint64_t state = 12345;
    for (int i = 0; i < 500; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        noise[i] = (int32_t)(state >> 32);
        wave[i] = (int32_t)lround(500000 * sin(0.01 * i));
    }
    check_column(noise, 500);
    check_column(wave, 500);
    check_column((const int32_t[]){INT32_MIN, INT32_MAX, 0, INT32_MIN, INT32_MIN, INT32_MAX}, 6);
    check_column((const int32_t[]){7}, 1);
    check_column(NULL, 0);
}

TEST(smooth_motion_is_short)
{
    enum { N = 10000 };
    static int32_t wave[N], still[N];
    for (int i = 0; i < N; i++) wave[i] = (int32_t)lround(524288 * sin(2 * 3.14159265358979 * i / 500));
    size_t length;
    CHECK_INT(vg_code_best_order(wave, N, &length) >= 2, 1);
    CHECK(length < N + N / 50); /* about one character a number, at 20 bits */
    vg_code_best_order(still, N, &length);
    CHECK_INT(length, N);
}

/* The test vectors of RFC 4648, section 10. */
TEST(base64)
{
    static const char *const pairs[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        vgText text = {0};
        vg_code_base64(&text, pairs[i][0], strlen(pairs[i][0]));
        CHECK(strcmp(vg_text_at(&text), pairs[i][1]) == 0);
        vg_text_free(&text);
    }
}

TEST(strings_cannot_leave_the_script)
{
    vgText text = {0};
    vg_code_string(&text, "a \"b\" \\ </script>\n\x01 é");
    CHECK(strcmp(vg_text_at(&text), "\"a \\u0022b\\u0022 \\u005c \\u003c/script>\\u000a\\u0001 é\"") == 0);
    vg_text_free(&text);
}

TEST_MAIN(columns_come_back, smooth_motion_is_short, base64, strings_cannot_leave_the_script)
