#include "io/json.h"

#include <float.h>
#include <stdint.h>
#include <stdlib.h>

#include "test.h"

TEST(nested)
{
    vgJson json = {0};
    vg_json_open(&json, NULL, '{');
    vg_json_text(&json, "status", "ok");
    vg_json_int(&json, "steps", -12345678901LL);
    vg_json_bool(&json, "done", 1);
    vg_json_text(&json, "error", NULL);
    vg_json_open(&json, "list", '[');
    vg_json_number(&json, NULL, 0.1);
    vg_json_number(&json, NULL, NAN);
    vg_json_number(&json, NULL, INFINITY);
    vg_json_close(&json);
    vg_json_open(&json, "empty", '{');
    vg_json_close(&json);
    vg_json_numbers(&json, "v", 3, (double[]){1, -0.5, 1e300});
    vg_json_raw(&json, "raw", "[1]");
    vg_json_close(&json);
    CHECK(vg_text_ok(&json.text));
    CHECK(strcmp(vg_json_at(&json),
                 "{\"status\":\"ok\",\"steps\":-12345678901,\"done\":true,\"error\":null,\"list\":[0.1,null,"
                 "null],\"empty\":{},\"v\":[1,-0.5,1e+300],\"raw\":[1]}") == 0);
    vg_json_free(&json);
}

TEST(escapes)
{
    vgJson json = {0};
    vg_json_text(&json, NULL, "a\"\\\n\t\x01 \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \x7f");
    CHECK(strcmp(vg_json_at(&json),
                 "\"a\\\"\\\\\\n\\t\\u0001 \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \x7f\"") == 0);
    vg_json_free(&json);
}

/* overlong, surrogate, lone continuation, truncated: each bad byte becomes U+FFFD */
TEST(not_utf8)
{
    const char *bad[] = {"\xc0\xaf", "\xed\xa0\x80", "\x80", "\xe2\x82", "\xff", "\xf4\x90\x80\x80"};
    int bytes[] = {2, 3, 1, 2, 1, 4};
    for (int i = 0; i < 6; i++) {
        vgJson json = {0};
        vg_json_text(&json, NULL, bad[i]);
        CHECK_INT(strlen(vg_json_at(&json)), 2 + 3 * bytes[i]);
        vg_json_free(&json);
    }
}

TEST(numbers_round_trip)
{
    vgText text = {0};
    double cases[] = {0.1, 1.0 / 3, 0.1 + 0.2, DBL_MIN, DBL_MAX, DBL_TRUE_MIN, 1e22, 123456789012345680.0,
                      -0.0};
    for (int i = 0; i < 9; i++) {
        vg_text_clear(&text);
        vg_text_number(&text, cases[i]);
        CHECK(strtod(vg_text_at(&text), NULL) == cases[i]);
    }
    uint64_t x = 88172645463325252u; /* xorshift over all bit patterns */
    for (int i = 0; i < 20000; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        double value;
        memcpy(&value, &x, sizeof value);
        if (!isfinite(value)) continue;
        vg_text_clear(&text);
        vg_text_number(&text, value);
        CHECK(strtod(vg_text_at(&text), NULL) == value);
    }
    vg_text_clear(&text);
    vg_text_number(&text, 0.3);
    CHECK(strcmp(vg_text_at(&text), "0.3") == 0);
    vg_text_free(&text);
}

TEST(long_text)
{
    vgText text = {0};
    char big[5000];
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = 0;
    for (int i = 0; i < 10; i++) vg_text_add(&text, "%s", big);
    CHECK_INT(text.used, 10 * (sizeof big - 1));
    CHECK_INT(strlen(vg_text_at(&text)), text.used);
    vg_text_free(&text);
}

TEST_MAIN(nested, escapes, not_utf8, numbers_round_trip, long_text)
