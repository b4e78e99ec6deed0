#include <math.h>
#include <stdlib.h>

#include "element/law/expr.h"
#include "test.h"

static const double pi = 3.14159265358979323846;
static vgTable *speed;

static int constant(void *user, const char *name, double *value)
{
    (void)user;
    if (strcmp(name, "L1") == 0) return *value = 0.3, 1;
    if (strcmp(name, "m1") == 0) return *value = 3, 1;
    if (strcmp(name, "zero") == 0) return *value = 0, 1;
    return 0;
}

static int input(void *user, const char *name, int *slot)
{
    static const char *const names[] = {
        "x", "v", "joint.knee.angle", "joint.front-left.angle", "joint.a.angle", "body.b1.velocity.y"};
    (void)user;
    for (int i = 0; i < 6; i++)
        if (strcmp(name, names[i]) == 0) return *slot = i + 1, 1;
    return 0;
}

static const vgTable *table(void *user, const char *name)
{
    (void)user;
    return strcmp(name, "speed") == 0 ? speed : NULL;
}

static const char *const known[] = {"L1", "m1", "zero", "joint.knee.angle", "speed"};

static vgExprScope scope_with(vgDiag *diag)
{
    return (vgExprScope){.constant = constant,
                         .input = input,
                         .table = table,
                         .diag = diag,
                         .loc = {diag ? vg_diag_file(diag, "m.yaml") : 0, 7, 11},
                         .known = known,
                         .nknown = 5};
}

static vgExpr *compile(const char *text)
{
    vgDiag *diag = vg_diag_new();
    vgExprScope scope = scope_with(diag);
    vgExpr *e = vg_expr_compile(text, &scope);
    CHECK(e != NULL);
    if (!e) printf("%s: %s\n", text, vg_diag_line(diag, 0));
    vg_diag_free(diag);
    return e;
}

/* The value of a text in which nothing may vary. */
static vgStatus value_of(const char *text, const vgExprScope *scope, double *value)
{
    vgExprScope fixed = *scope;
    fixed.constant_only = 1;
    vgExpr *e = vg_expr_compile(text, &fixed);
    int good = e && vg_expr_constant_value(e, value);
    vg_expr_free(e);
    return good ? VG_OK : VG_BAD_INPUT;
}

TEST(constants)
{
    static const struct {
        const char *text;
        double value;
    } rows[] = {{"1", 1},
                {" 1.5e-3 ", 1.5e-3},
                {".5", 0.5},
                {"2.", 2},
                {"1+2*3", 7},
                {"(1+2)*3", 9},
                {"2^3^2", 512},
                {"-2^2", -4},
                {"2^-1", 0.5},
                {"--3", 3},
                {"7-2-1", 4},
                {"8/4/2", 1},
                {"m1*L1^2/12", 3 * (0.3 * 0.3) / 12},
                {"-L1/2", -0.15},
                {"deg(270)", 270 * (3.14159265358979323846 / 180)},
                {"1 < 2", 1},
                {"2 <= 1", 0},
                {"1 == 1 and not 0", 1},
                {"not 1 == 2", 1},
                {"not not not 1", 0},
                {"not not not not 3", 1},
                {"1 > 2 or 3 != 4", 1},
                {"true and false", 0},
                {"min(3, 1, 2)", 1},
                {"max(3, 1, 2, 5)", 5},
                {"abs(-2) + sign(-3) + floor(-0.5)", 0},
                {"if(m1 > 2, 10, 20)", 10},
                {"if(zero > 0, 1/zero, 4)", 4},
                {"step(0.5, 0, 1, 1, 3)", 2},
                {"step(-1, 0, 1, 1, 3)", 1},
                {"table(speed, 0.5)", 15},
                {"+3", 3},
                {"1e3", 1000}};
    vgDiag *diag = vg_diag_new();
    vgExprScope scope = scope_with(diag);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double value = NAN;
        CHECK_INT(value_of(rows[i].text, &scope, &value), VG_OK);
        CHECK_NEAR(value, rows[i].value, 1e-15 * fabs(rows[i].value));
    }
    CHECK_NEAR(vg_diag_count(diag), 0, 0);
    double value;
    CHECK_INT(value_of("sin(pi/6)+cos(0)+tan(pi/4)+asin(1)+acos(1)+atan(1)+atan2(1,-1)", &scope, &value),
              VG_OK);
    CHECK_NEAR(value, 0.5 + 1 + 1 + pi / 2 + 0 + pi / 4 + 3 * pi / 4, 1e-15);
    CHECK_INT(value_of("sinh(1)^2-cosh(1)^2+exp(log(5))+sqrt(16)+tanh(0)", &scope, &value), VG_OK);
    CHECK_NEAR(value, 8, 2e-15);
    vg_diag_free(diag);
}

TEST(errors_have_columns_and_suggestions)
{
    /* the text begins in column 11 */
    static const struct {
        const char *text, *message;
    } rows[] = {{"1 + zreo", "m.yaml:7:15: error: unknown name \"zreo\", did you mean \"zero\"?"},
                {"joint.knee.angel",
                 "7:11: error: unknown name \"joint.knee.angel\", did you mean \"joint.knee.angle\"?"},
                {"2*sni(t)", "7:13: error: unknown function \"sni\", did you mean \"sin\"?"},
                {"atan2(1)", "7:11: error: atan2 takes 2 arguments, 1 given"},
                {"1+sin()", "7:13: error: sin takes 1 argument, 0 given"},
                {"if(t<1, 2)", "if takes 3 arguments, 2 given"},
                {"max(1)", "max takes at least 2 arguments"},
                {"(1+2", "7:15: error: expected \")\", found the end"},
                {"sin(1", "found the end"},
                {"1+2)", "7:14: error: \")\" without \"(\""},
                {"1 +", "7:14: error: expected a value, found the end"},
                {"", "empty expression"},
                {"   ", "empty expression"},
                {"2 3", "7:13: error: expected an operator, found \"3\""},
                {"2pi", "7:12: error: expected an operator, found \"pi\""},
                {"2 kg", "found \"kg\"; numbers stand without units (SI), products are written with *"},
                {"1/0", "7:12: error: division by zero"},
                {"t/(L1-L1)", "7:12: error: division by zero"},
                {"1/zero", "division by zero"},
                {"sqrt(-1)", "\"sqrt\" of these constants is not a finite number"},
                {"log(0)+t", "not a finite number"},
                {"if(t<1, 1/0, 2)", "division by zero"},
                {"step(t, 1, 0, 1, 2)", "7:11: error: division by zero"},
                {"1e999", "too large"},
                {"1 < 2 < 3", "7:17: error: comparisons do not chain"},
                {"2**3", "written with ^"},
                {"1 = 2", "written =="},
                {"1 && 2", "\"and\""},
                {"sin + 1", "sin is a function"},
                {"if + 1", "not a value"},
                {"table(spede, t)", "unknown table \"spede\", did you mean \"speed\"?"},
                {"table(, t)", "expected the name of a table"},
                {"table(speed)", "table takes a name and an argument"},
                {"$", "found \"$\""},
                {"1..2", "expected an operator"},
                {".", "expected a number"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vgDiag *diag = vg_diag_new();
        vgExprScope scope = scope_with(diag);
        CHECK(vg_expr_compile(rows[i].text, &scope) == NULL);
        CHECK_INT(vg_diag_count(diag), 1);
        CHECK_STR(vg_diag_line(diag, 0), rows[i].message);
        vg_diag_free(diag);
    }
    vgDiag *diag = vg_diag_new();
    vgExprScope scope = scope_with(diag);
    double value;
    CHECK_INT(value_of("2*t", &scope, &value), VG_BAD_INPUT);
    CHECK_STR(vg_diag_line(diag, 0), "7:13: error: \"t\" varies in time");
    CHECK_INT(value_of("joint.knee.angle", &scope, &value), VG_BAD_INPUT);
    vg_diag_free(diag);
    scope = (vgExprScope){0}; /* nobody to ask and nobody to tell */
    CHECK(vg_expr_compile("x", &scope) == NULL);
    CHECK(vg_expr_compile("table(a, t)", &scope) == NULL);
}

TEST(limits)
{
    static char text[10000];
    vgDiag *diag = vg_diag_new();
    vgExprScope scope = scope_with(diag);
    memset(text, '(', 5000);
    CHECK(vg_expr_compile(text, &scope) == NULL);
    CHECK_STR(vg_diag_line(diag, 0), "5000 characters");
    text[4000] = 0;
    CHECK(vg_expr_compile(text, &scope) == NULL);
    CHECK_STR(vg_diag_line(diag, 1), "nested deeper than 64");
    memset(text, '-', 4000);
    CHECK(vg_expr_compile(text, &scope) == NULL);
    for (int i = 0; i < 1000; i++) memcpy(text + 4 * i, "sin(", 4);
    CHECK(vg_expr_compile(text, &scope) == NULL);
    for (int i = 0; i < 2000; i++) memcpy(text + 2 * i, "2^", 2);
    CHECK(vg_expr_compile(text, &scope) == NULL);
    for (int i = 0; i < 1000; i++) memcpy(text + 4 * i, "not ", 4);
    text[4000] = '1';
    text[4001] = 0;
    vgExpr *e = vg_expr_compile(text, &scope);
    double value = 0;
    CHECK(e && vg_expr_constant_value(e, &value) && value == 1);
    vg_expr_free(e);
    /* 64 brackets are fine */
    memset(text, '(', 64);
    text[64] = 't';
    memset(text + 65, ')', 64);
    text[129] = 0;
    e = vg_expr_compile(text, &scope);
    CHECK(e != NULL);
    vg_expr_free(e);
    /* a long flat sum; each t+ is one operation, the derivative counts them */
    for (int i = 0; i < 1500; i++) memcpy(text + 2 * i, "t+", 2);
    memcpy(text + 3000, "t", 2);
    e = vg_expr_compile(text, &scope);
    double t = 2, out[3], grad;
    CHECK(e != NULL);
    if (e) {
        vg_expr_time(e, t, out);
        CHECK_NEAR(out[0], 3002, 0);
        CHECK_NEAR(out[1], 1501, 0);
        CHECK_NEAR(vg_expr_grad(e, &t, &grad), 3002, 0);
        CHECK_NEAR(grad, 1501, 0);
    }
    vg_expr_free(e);
    vg_diag_free(diag);
}

TEST(inputs)
{
    vgExpr *e = compile("x*t + joint.knee.angle*x + if(true, v, body.b1.velocity.y)");
    CHECK_INT(vg_expr_ninputs(e), 4);
    CHECK_INT(vg_expr_input(e, 0), 1);
    CHECK_INT(vg_expr_input(e, 1), 0);
    CHECK_INT(vg_expr_input(e, 2), 3);
    CHECK_INT(vg_expr_input(e, 3), 2);
    double in[4] = {2, 5, 7, 100}, grad[4];
    CHECK_NEAR(vg_expr_value(e, in), 124, 0);
    CHECK_NEAR(vg_expr_grad(e, in, grad), 124, 0);
    CHECK_NEAR(grad[0], 12, 0);
    CHECK_NEAR(grad[1], 2, 0);
    CHECK_NEAR(grad[2], 2, 0);
    CHECK_NEAR(grad[3], 1, 0);
    vg_expr_free(e);
    /* names with dashes, and a difference that is one */
    double two[2] = {5, 3};
    e = compile("joint.front-left.angle-joint.a.angle");
    CHECK_INT(vg_expr_ninputs(e), 2);
    CHECK_NEAR(vg_expr_value(e, two), 2, 0);
    vg_expr_free(e);
    e = compile("joint.a.angle-x");
    CHECK_INT(vg_expr_ninputs(e), 2);
    CHECK_NEAR(vg_expr_value(e, two), 2, 0);
    vg_expr_free(e);
    CHECK(vg_expr_reserved("t") && vg_expr_reserved("sin") && vg_expr_reserved("if") &&
          vg_expr_reserved("pi"));
    CHECK(!vg_expr_reserved("smooth") && !vg_expr_reserved("L1") && !vg_expr_reserved("+x"));
}

/* 0 x is 0 for every finite x and is folded, also where x is not finite; 0/x is left, since it is no number at 0. */
TEST(nought_times_what_is_bounded)
{
    double in[8] = {0, INFINITY}, at_zero[8] = {0};
    vgExpr *bounded = compile("0*(x + sin(x)*x)"), *open = compile("0*(1/x)");
    if (bounded) CHECK_NEAR(vg_expr_value(bounded, in), 0, 0);
    if (open) CHECK(isnan(vg_expr_value(open, at_zero)));
    vg_expr_free(bounded);
    vg_expr_free(open);
}

TEST(corners)
{
    static const struct {
        const char *text;
        int n;
        double at[6];
    } rows[] = {{"if(t < 0.5, 2*sin(4*pi*t), 0)", 1, {0.5}},
                {"if(2*t - 1 >= 3, 1, 0)", 1, {2}},
                {"if(t > 1 and t < 2, 1, 0)", 2, {1, 2}},
                {"abs(t - 0.25)", 1, {0.25}},
                {"max(0, min(t - 1, 1))", 2, {1, 2}},
                {"min(t, 1, 3 - t)", 2, {1, 2}},
                {"step(t, 0.5, 0, 1.5, 1)", 2, {0.5, 1.5}},
                {"table(speed, t/2)", 2, {2, 4}},
                {"floor(2*t)", 5, {0.5, 1, 1.5, 2, 2.5}},
                {"floor(t + 0.5)", 3, {0.5, 1.5, 2.5}},
                {"floor(2 - t)", 2, {1, 2}},
                {"if(t > 7, 1, 0) + sin(t) + abs(x) + if(x < t, 1, 0)", 0, {0}},
                {"sign(1 - t) + (t < 1) - abs(t - 1)", 1, {1}},
                {"t^2", 0, {0}}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double out[16];
        vgExpr *e = compile(rows[i].text);
        int n = vg_expr_corners(e, 0, i == 7 ? 5 : 3, out, 16);
        CHECK_INT(n, rows[i].n);
        for (int k = 0; k < n && k < 6; k++) CHECK_NEAR(out[k], rows[i].at[k], 1e-15);
        CHECK_INT(vg_expr_corners(e, 0, i == 7 ? 5 : 3, out, 1), n > 0);
        if (n > 0) CHECK_NEAR(out[0], rows[i].at[0], 1e-15);
        vg_expr_free(e);
    }
}

/* Corners of arguments that are not affine, in closed form; a law that goes on as if nothing were has none.
 */
TEST(corners_of_any_argument)
{
    const struct {
        const char *text;
        int n;
        double at[6];
    } rows[] = {{"abs(sin(t))", 0, {0}},
                {"if(t^2 < 2, 1, 0)", 1, {sqrt(2)}},
                {"max(0, cos(2*t))", 2, {pi / 4, 3 * pi / 4}},
                {"if(exp(t) < 3, t, 0)", 1, {log(3)}},
                {"floor(t^2)", 8, {1, sqrt(2), sqrt(3), 2, sqrt(5), sqrt(6)}},
                {"if(t^3 - 3*t^2 + 2*t < 0, 1, 0)", 2, {1, 2}},
                {"abs((t - 1)^2)", 0, {0}},
                {"if((t - 1)^2 <= 1e-12, 1, 0)", 2, {1 - 1e-6, 1 + 1e-6}},
                {"if(t < 1, t^3, t^3)", 0, {0}},
                {"if(t < 1, t, if(t < 0.5, 7, 2 - t))", 1, {1}},
                {"sqrt(abs(t - 2))", 1, {2}},
                {"table(speed, t^2)", 2, {1, sqrt(2)}},
                {"atan2(sin(2*t), cos(2*t))", 1, {pi / 2}},
                {"if(tan(t) > 1, 1, 0)", 2, {pi / 4, pi / 2}},
                {"if(x < 0, 1, 0) + if(2^t < 4, 1, 0)", 1, {2}}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double out[16];
        vgExpr *e = compile(rows[i].text);
        int n = vg_expr_corners(e, 0, 3, out, 16);
        CHECK_INT(n, rows[i].n);
        for (int k = 0; k < n && k < 6; k++) CHECK_NEAR(out[k], rows[i].at[k], 1e-15 * 4);
        vg_expr_free(e);
    }
}

/* random strings out of meaningful pieces: never a crash, and an error exactly when there is no expression */
TEST(nonsense_is_refused)
{
    static const char *const pieces[] = {
        "(",      ")",        "+",     "-",  "*",    "/",    "^",      "t",    "x",
        "1",      "0",        ".5",    "e",  "sin(", "max(", ",",      "if(",  "step(",
        "table(", "speed",    " ",     "<",  "==",   "not ", " and ",  " or ", "joint.knee.angle",
        ".",      "\xc3\xa9", "1e300", "L1", "deg(", "$",    "floor(", "-",    "atan2(",
        "log(",   "sqrt("};
    unsigned long long s = 12345;
    int good = 0;
    for (int i = 0; i < 60000; i++) {
        char text[512] = "";
        s = s * 6364136223846793005ULL + 1442695040888963407ULL;
        int n = 1 + (int)(s >> 60);
        for (int k = 0; k < n; k++) {
            s = s * 6364136223846793005ULL + 1442695040888963407ULL;
            strcat(text, pieces[(s >> 40) % (sizeof pieces / sizeof pieces[0])]);
        }
        vgDiag *diag = vg_diag_new();
        vgExprScope scope = scope_with(diag);
        vgExpr *e = vg_expr_compile(text, &scope);
        CHECK((e == NULL) == (vg_diag_errors(diag) == 1));
        if (e) {
            double in[8] = {0.3, 0.7, 0.2, 1, 2, 3, 4, 5}, grad[8], out[3], times[4];
            double value = vg_expr_value(e, in), again = vg_expr_grad(e, in, grad);
            const double still[8] = {0};
            vg_expr_taylor2(e, in, in, in, out);
            vg_expr_taylor2(e, in, still, still, out); /* a path that moves may be on another side already */
            CHECK(memcmp(&value, &again, sizeof value) == 0 || (isnan(value) && isnan(again)));
            CHECK(memcmp(&value, &out[0], sizeof value) == 0 || (isnan(value) && isnan(out[0])));
            vg_expr_corners(e, 0, 10, times, 4);
            good++;
            vg_expr_free(e);
        }
        vg_diag_free(diag);
    }
    CHECK(good > 1000);
    for (int i = 0; i < 20000; i++) {
        char text[64];
        for (int k = 0; k < 63; k++) {
            s = s * 6364136223846793005ULL + 1442695040888963407ULL;
            text[k] = (char)(s >> 56);
        }
        text[63] = 0;
        vgExprScope scope = scope_with(NULL);
        vg_expr_free(vg_expr_compile(text, &scope));
    }
}

static void make_tables(void)
{
    double x[3] = {0, 1, 2}, y[3] = {10, 20, 0};
    vg_table_new(3, x, y, VG_TABLE_LINEAR, VG_TABLE_HOLD, NULL, &speed);
}

/* Values go a shorter way than gradients do, whose values come from the nodes one by one. */
TEST(values_as_with_gradients)
{
    static const char *const texts[] = {
        "1 - 2*x + 3*x^2 - 0.5*x^3 + if(v < -0.2, 1 - v, if(v > 0.21, 2 + 3*v, v + 7*v^2 - v^4)) - x",
        "if(x > v, if(x > 0.5, x^2 + v^2, sin(x*v)), if(v > 0, x*v + 1, 3))*(x*v + sin(x*v))",
        "-(x + 2*x^2 - 4) + (x - 1)^4 + (v - 1)*(v + 2) + table(speed, x^2 + x) + min(x, v, 0.1, x^2 - v)",
        "if(x >= v and not (x <= 0.1), x^3 + x^2, if(x == v or v != 0.5, 2, x)) + 2^x - 3/(2 + x) + x/4",
        "(x + x^2) + (v + v^2) + (x + x^2)*(v + v^2) - (x - x) + 0*x + step(v, -1, 2, 1, 3*x + 1)",
        "x^2*x^2*x^2*x^2*x^2 + x^2*x^2*x^2*x^2 + 1",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        vgExpr *e = compile(texts[i]);
        for (int k = 0; e && k < 200; k++) {
            double in[2], grad[2], at[2] = {sin(1.7 * k) * 2, cos(2.3 * k)};
            for (int j = 0; j < vg_expr_ninputs(e); j++) in[j] = at[vg_expr_input(e, j) - 1];
            double nodes = vg_expr_grad(e, in, grad);
            CHECK_NEAR(vg_expr_value(e, in), nodes, 1e-14 * (30 + fabs(nodes)));
        }
        vg_expr_free(e);
    }
}

TEST(set_up)
{
    make_tables();
    CHECK(speed != NULL);
}

TEST(tear_down)
{
    vg_table_free(speed);
    CHECK(vg_expr_compile("1+", &(vgExprScope){0}) == NULL);
}

TEST_MAIN(set_up, constants, errors_have_columns_and_suggestions, limits, inputs,
          nought_times_what_is_bounded, corners, corners_of_any_argument, nonsense_is_refused,
          values_as_with_gradients, tear_down)
