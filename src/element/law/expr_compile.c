/* From text to nodes: a recursive descent parser. Constants are folded as nodes are made (expr_build.c); then the nodes
 * are kept that the result needs. The depth of recursion is limited, so no text can exhaust the stack. */
#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "element/law/expr_parser.h"

enum { MAX_NAME = 128, MAX_ARGS = 16 };

static int or_expression(vgExprParser *p);

static void skip_space(vgExprParser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r') p->at++;
}

/* Letters of names; every byte of a multi-byte character counts as one. */
static int is_letter(char c)
{
    return isalpha((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static int is_name(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9');
}

static int eat(vgExprParser *p, const char *token)
{
    skip_space(p);
    size_t n = strlen(token);
    if (strncmp(p->at, token, n) != 0) return 0;
    p->at += n;
    return 1;
}

static int eat_word(vgExprParser *p, const char *word)
{
    skip_space(p);
    size_t n = strlen(word);
    if (strncmp(p->at, word, n) != 0 || is_name(p->at[n]) || p->at[n] == '.') return 0;
    p->at += n;
    return 1;
}

/* What stands at a place, for messages: a word, a number or one character. */
static const char *found(const char *at, char out[32])
{
    int n = 0;
    if (!*at) return "the end";
    if (is_name(*at))
        while (n < 24 && is_name(at[n])) n++;
    else
        n = 1;
    snprintf(out, 32, "\"%.*s\"", n, at);
    return out;
}

/* Digits with point and exponent; strtod alone would take inf, nan, hexadecimals and the locale's comma. */
static int number(vgExprParser *p)
{
    const char *s = p->at;
    char word[MAX_NAME + 8], *end;
    size_t n = 0, point = 0;
    int digits = 0, dots = 0;
    for (; isdigit((unsigned char)s[n]) || (s[n] == '.' && !dots); n++) {
        if (s[n] == '.')
            dots = 1, point = n;
        else
            digits = 1;
    }
    if (digits && (s[n] == 'e' || s[n] == 'E')) {
        size_t m = n + 1 + (s[n + 1] == '+' || s[n + 1] == '-');
        if (isdigit((unsigned char)s[m]))
            for (n = m; isdigit((unsigned char)s[n]);) n++;
    }
    if (!digits || n >= MAX_NAME) {
        VG_EXPR_FAIL(p, s, digits ? "number with too many digits" : "expected a number, found \".\"");
        return VG_EXPR_FAILED;
    }
    memcpy(word, s, n);
    word[n] = 0;
    if (dots) word[point] = localeconv()->decimal_point[0];
    double value = strtod(word, &end);
    if (*end || !isfinite(value)) {
        VG_EXPR_FAIL(p, s, "the number %.*s is too large", (int)n, s);
        return VG_EXPR_FAILED;
    }
    p->at += n;
    return vg_expr_push_const(p, value);
}

static const char *const words[] = {"t",   "pi",    "true", "false", "if", "step",
                                    "deg", "table", "and",  "or",    "not"};
enum { NWORD = sizeof words / sizeof words[0] };

int vg_expr_reserved(const char *name)
{
    for (int i = 0; i < NWORD; i++)
        if (strcmp(name, words[i]) == 0) return 1;
    int row = vg_expr_row(name);
    return row >= 0 && vg_expr_functions[row].callable;
}

static void unknown(vgExprParser *p, const char *name, const char *where, int call)
{
    const char *candidates[64], *near = NULL;
    int n = 0;
    for (int i = 0; i < NWORD; i++) candidates[n++] = words[i];
    for (int i = 0; i < vg_expr_nfunctions && n < 64; i++)
        if (vg_expr_functions[i].callable) candidates[n++] = vg_expr_functions[i].name;
    if (!call && p->scope->nknown > 0) near = vg_name_closest(name, p->scope->known, p->scope->nknown);
    if (!near) near = vg_name_closest(name, candidates, n);
    const char *advice = !call && p->scope->advice ? p->scope->advice(p->scope->user, name) : NULL;
    if (advice && *advice)
        VG_EXPR_FAIL(p, where, "unknown name \"%s\": %s", name, advice);
    else if (near)
        VG_EXPR_FAIL(p, where, "unknown %s \"%s\", did you mean \"%s\"?", call ? "function" : "name", name,
                     near);
    else
        VG_EXPR_FAIL(p, where, "unknown %s \"%s\"", call ? "function" : "name", name);
}

/* Looks a name up; −2 if it is unknown. */
static int lookup(vgExprParser *p, const char *name, const char *where)
{
    const vgExprScope *s = p->scope;
    double value;
    int slot;
    if (strcmp(name, "t") == 0) return vg_expr_push_input(p, 0, name, where);
    if (strcmp(name, "pi") == 0) return vg_expr_push_const(p, 3.14159265358979323846);
    if (strcmp(name, "true") == 0) return vg_expr_push_const(p, 1);
    if (strcmp(name, "false") == 0) return vg_expr_push_const(p, 0);
    if (s->constant && s->constant(s->user, name, &value)) {
        if (!isfinite(value)) VG_EXPR_FAIL(p, where, "\"%s\" has no finite value", name);
        return vg_expr_push_const(p, value);
    }
    if (s->input && s->input(s->user, name, &slot)) return vg_expr_push_input(p, slot, name, where);
    return -2;
}

/* Length of the name at s: letters and digits, with dots between parts. With dashes it also takes "-" before
 * a letter or digit, for channels of things called front-left. */
static size_t name_length(const char *s, int dashes)
{
    size_t n = 0;
    while (is_name(s[n]) || ((s[n] == '.' || (dashes && s[n] == '-')) && n > 0 && is_name(s[n + 1]))) n++;
    return n;
}

/* Copies the n letters of a name, empty with an error when there are too many. */
static void copy_name(vgExprParser *p, size_t n, char name[MAX_NAME])
{
    if (n >= MAX_NAME) {
        VG_EXPR_FAIL(p, p->at, "name longer than %d letters", MAX_NAME - 1);
        n = 0;
    }
    memcpy(name, p->at, n);
    name[n] = 0;
}

/* A parameter or channel. A dotted name may hold dashes: the longest reading that is known wins, so that
 * joint.a.angle-joint.b.angle is still a difference. */
static int variable(vgExprParser *p, size_t plain)
{
    const char *where = p->at;
    char name[MAX_NAME];
    size_t n = memchr(where, '.', plain) ? name_length(where, 1) : plain;
    if (n >= MAX_NAME) n = plain;
    while (!p->failed) {
        copy_name(p, n, name);
        int node = p->failed ? VG_EXPR_FAILED : lookup(p, name, where);
        if (node != -2) {
            p->at = where + n;
            return node;
        }
        if (n == plain) break;
        do n--;
        while (n > plain && where[n] != '-');
    }
    if (vg_expr_reserved(name))
        VG_EXPR_FAIL(p, where, "\"%s\" is not a value here", name);
    else
        unknown(p, name, where, 0);
    return VG_EXPR_FAILED;
}

/* Expressions and commas up to the closing bracket. Returns how many. */
static int list(vgExprParser *p, const char *name, const char *where, int *args)
{
    int n = 0;
    char word[32];
    do {
        if (n == MAX_ARGS) {
            VG_EXPR_FAIL(p, where, "%s takes at most %d arguments", name, MAX_ARGS);
            return 0;
        }
        args[n++] = or_expression(p);
    } while (!p->failed && eat(p, ","));
    if (!p->failed && !eat(p, ")"))
        VG_EXPR_FAIL(p, p->at, "expected \",\" or \")\" in the call of %s, found %s%s", name,
                     found(p->at, word),
                     *p->at ? "" : "; in lists and {…} an expression with commas must be quoted");
    return n;
}

/* The arguments after the opening bracket. Returns how many. */
static int arguments(vgExprParser *p, const char *name, const char *where, int min, int max, int *args)
{
    int n = eat(p, ")") ? 0 : list(p, name, where, args);
    if (!p->failed && (n < min || n > max)) {
        if (min == max)
            VG_EXPR_FAIL(p, where, "%s takes %d argument%s, %d given", name, min, min == 1 ? "" : "s", n);
        else
            VG_EXPR_FAIL(p, where, "%s takes at least %d arguments, %d given", name, min, n);
    }
    return p->failed ? 0 : n;
}

/* h0 + (h1 - h0) smooth((x - x0)/(x1 - x0)) */
static int step_call(vgExprParser *p, const int a[5], const char *where)
{
    int width = vg_expr_apply(p, VG_ROW_SUB, a[3], a[1], where);
    int u = vg_expr_apply(p, VG_ROW_DIV, vg_expr_apply(p, VG_ROW_SUB, a[0], a[1], where), width, where);
    int rise = vg_expr_apply(p, VG_ROW_SUB, a[4], a[2], where);
    int s = vg_expr_apply(p, vg_expr_row("smooth"), u, 0, where);
    return vg_expr_apply(p, VG_ROW_ADD, a[2], vg_expr_apply(p, VG_ROW_MUL, rise, s, where), where);
}

static int table_call(vgExprParser *p, const char *where)
{
    char name[MAX_NAME], word[32];
    const vgExprScope *s = p->scope;
    skip_space(p);
    const char *begin = p->at;
    size_t n = name_length(p->at, 1);
    copy_name(p, n, name);
    p->at += p->failed ? 0 : n;
    if (n == 0) VG_EXPR_FAIL(p, begin, "expected the name of a table, found %s", found(begin, word));
    if (p->failed) return VG_EXPR_FAILED;
    const vgTable *table = s->table ? s->table(s->user, name) : NULL;
    if (!table) {
        const char *near = s->nknown > 0 ? vg_name_closest(name, s->known, s->nknown) : NULL;
        if (near)
            VG_EXPR_FAIL(p, begin, "unknown table \"%s\", did you mean \"%s\"?", name, near);
        else
            VG_EXPR_FAIL(p, begin, "unknown table \"%s\"", name);
        return VG_EXPR_FAILED;
    }
    if (!eat(p, ",")) VG_EXPR_FAIL(p, where, "table takes a name and an argument: table(%s, x)", name);
    int x = p->failed ? VG_EXPR_FAILED : or_expression(p);
    if (!p->failed && !eat(p, ")")) VG_EXPR_FAIL(p, p->at, "expected \")\", found %s", found(p->at, word));
    if (p->failed) return VG_EXPR_FAILED;
    if (vg_expr_is_const(p, x)) return vg_expr_push_const(p, vg_table_value(table, p->node[x].value));
    return vg_expr_push(p, (vgExprNode){.op = VG_EXPR_TABLE, .arg = {x}, .table = table}, NULL);
}

static int call(vgExprParser *p, const char *name, const char *where)
{
    int args[MAX_ARGS], row = vg_expr_row(name);
    if (strcmp(name, "table") == 0) return table_call(p, where);
    if (strcmp(name, "if") == 0)
        return arguments(p, name, where, 3, 3, args) ? vg_expr_select(p, args[0], args[1], args[2])
                                                     : VG_EXPR_FAILED;
    if (strcmp(name, "step") == 0)
        return arguments(p, name, where, 5, 5, args) ? step_call(p, args, where) : VG_EXPR_FAILED;
    if (strcmp(name, "deg") == 0) {
        if (!arguments(p, name, where, 1, 1, args)) return VG_EXPR_FAILED;
        return vg_expr_apply(p, VG_ROW_MUL, args[0], vg_expr_push_const(p, 3.14159265358979323846 / 180),
                             where);
    }
    if (row < 0 || !vg_expr_functions[row].callable) {
        unknown(p, name, where, 1);
        return VG_EXPR_FAILED;
    }
    const vgExprFunction *f = &vg_expr_functions[row];
    int many = f->nargs == 2 && f->corner == VG_CORNER_DIFFERENCE; /* min and max take any number */
    int n = arguments(p, name, where, f->nargs, many ? MAX_ARGS : f->nargs, args);
    if (n == 0) return VG_EXPR_FAILED;
    int out = vg_expr_apply(p, row, args[0], f->nargs == 2 ? args[1] : 0, where);
    for (int i = 2; i < n; i++) out = vg_expr_apply(p, row, out, args[i], where);
    return out;
}

static int primary(vgExprParser *p)
{
    char name[MAX_NAME], word[32];
    skip_space(p);
    const char *where = p->at;
    if (isdigit((unsigned char)*where) || *where == '.') return number(p);
    if (eat(p, "(")) {
        int node = or_expression(p);
        if (!p->failed && !eat(p, ")"))
            VG_EXPR_FAIL(p, p->at, "expected \")\", found %s", found(p->at, word));
        return node;
    }
    if (!is_letter(*where)) {
        VG_EXPR_FAIL(p, where, "expected a value, found %s", found(where, word));
        return VG_EXPR_FAILED;
    }
    size_t n = name_length(where, 0);
    copy_name(p, n, name);
    if (p->failed) return VG_EXPR_FAILED;
    p->at += n;
    skip_space(p);
    if (*p->at == '(') {
        p->at++;
        return call(p, name, where);
    }
    p->at = where;
    int row = vg_expr_row(name);
    if (row >= 0 && vg_expr_functions[row].callable) {
        VG_EXPR_FAIL(p, where, "%s is a function: write %s(...)", name, name);
        return VG_EXPR_FAILED;
    }
    return variable(p, n);
}

static int unary(vgExprParser *p);

/* x^y, from the right and above the sign: -x^2 = -(x^2), 2^-1 = 1/2 */
static int power(vgExprParser *p)
{
    int base = primary(p);
    skip_space(p);
    const char *where = p->at;
    if (p->failed || !eat(p, "^")) return base;
    int y = unary(p);
    if (p->failed) return VG_EXPR_FAILED;
    /* small whole powers are products: a tenth of the time of pow */
    double n = vg_expr_is_const(p, y) ? p->node[y].value : 0;
    if (n == 2 || n == 3 || n == 4) {
        int square = vg_expr_apply(p, VG_ROW_MUL, base, base, where);
        if (n == 2 || p->failed) return square;
        return vg_expr_apply(p, VG_ROW_MUL, square, n == 3 ? base : square, where);
    }
    return vg_expr_apply(p, vg_expr_row("^"), base, y, where);
}

/* Every nested expression is read here, so the depth is counted here. */
static int unary(vgExprParser *p)
{
    int node;
    skip_space(p);
    const char *where = p->at;
    if (p->failed) return VG_EXPR_FAILED;
    if (p->depth > VG_EXPR_MAX_DEPTH) {
        VG_EXPR_FAIL(p, where, "nested deeper than %d", VG_EXPR_MAX_DEPTH);
        return VG_EXPR_FAILED;
    }
    p->depth++;
    if (eat(p, "-"))
        node = vg_expr_apply(p, VG_ROW_NEG, unary(p), 0, where);
    else if (eat(p, "+"))
        node = unary(p);
    else
        node = power(p);
    p->depth--;
    return node;
}

static int product(vgExprParser *p)
{
    int left = unary(p);
    while (!p->failed) {
        skip_space(p);
        const char *where = p->at;
        if (strncmp(where, "**", 2) == 0) VG_EXPR_FAIL(p, where, "a power is written with ^");
        int row = eat(p, "*") ? VG_ROW_MUL : eat(p, "/") ? VG_ROW_DIV : -1;
        if (row < 0) break;
        left = vg_expr_apply(p, row, left, unary(p), where);
    }
    return left;
}

static int sum(vgExprParser *p)
{
    int left = product(p);
    while (!p->failed) {
        skip_space(p);
        const char *where = p->at;
        int row = eat(p, "+") ? VG_ROW_ADD : eat(p, "-") ? VG_ROW_SUB : -1;
        if (row < 0) break;
        left = vg_expr_apply(p, row, left, product(p), where);
    }
    return left;
}

/* The row of the comparison that stands here, eaten; -1 for none. */
static int comparison_row(vgExprParser *p)
{
    static const char *const operators[] = {"<=", ">=", "==", "!=", "<", ">"};
    for (int i = 0; i < 6; i++)
        if (eat(p, operators[i])) return vg_expr_row(operators[i]);
    return -1;
}

static int comparison(vgExprParser *p)
{
    int left = sum(p);
    skip_space(p);
    const char *where = p->at;
    int row = p->failed ? -1 : comparison_row(p);
    if (row < 0) return left;
    left = vg_expr_apply(p, row, left, sum(p), where);
    skip_space(p);
    where = p->at;
    if (!p->failed && comparison_row(p) >= 0)
        VG_EXPR_FAIL(p, where, "comparisons do not chain: write a < b and b < c");
    return left;
}

static int not_expression(vgExprParser *p)
{
    int count = 0;
    skip_space(p);
    const char *where = p->at;
    while (eat_word(p, "not")) count++;
    int node = comparison(p);
    for (int i = 0; i < (count > 2 ? 2 - count % 2 : count); i++)
        node = vg_expr_apply(p, vg_expr_row("not"), node, 0, where);
    return node;
}

static int and_expression(vgExprParser *p)
{
    int left = not_expression(p);
    while (!p->failed) {
        skip_space(p);
        const char *where = p->at;
        if (!eat_word(p, "and")) break;
        left = vg_expr_apply(p, vg_expr_row("and"), left, not_expression(p), where);
    }
    return left;
}

static int or_expression(vgExprParser *p)
{
    int left = and_expression(p);
    while (!p->failed) {
        skip_space(p);
        const char *where = p->at;
        if (!eat_word(p, "or")) break;
        left = vg_expr_apply(p, vg_expr_row("or"), left, and_expression(p), where);
    }
    return left;
}

/* What follows a complete expression cannot be read; say what was probably meant. */
static void trailing(vgExprParser *p)
{
    char word[32];
    const char *s = p->at;
    if (strncmp(s, "&&", 2) == 0 || strncmp(s, "||", 2) == 0)
        VG_EXPR_FAIL(p, s, "write \"and\", \"or\" instead of \"&&\", \"||\"");
    else if (*s == '=')
        VG_EXPR_FAIL(p, s, "a comparison is written ==");
    else if (*s == ')')
        VG_EXPR_FAIL(p, s, "\")\" without \"(\"");
    else
        VG_EXPR_FAIL(p, s, "expected an operator, found %s%s", found(s, word),
                     isalpha((unsigned char)*s)
                         ? "; numbers stand without units (SI), products are written with *"
                         : "");
}

/* Among the nodes that the result needs none may be a constant that is not finite. */
static void refuse_faults(vgExprParser *p, const int *keep)
{
    for (int i = 0; i < p->nnode; i++) {
        if (!keep[i] || !p->fault[i]) continue;
        const char *where = p->text + p->fault[i] - 1;
        if (p->node[i].op == VG_EXPR_FIRST_ROW + VG_ROW_DIV)
            VG_EXPR_FAIL(p, where, "division by zero");
        else
            VG_EXPR_FAIL(p, where, "\"%s\" of these constants is not a finite number",
                         vg_expr_functions[p->node[i].op - VG_EXPR_FIRST_ROW].name);
    }
}

static vgExpr *finish(vgExprParser *p, int root)
{
    vgExpr *e = NULL;
    int *keep = malloc((size_t)p->nnode * sizeof *keep);
    if (keep) {
        int count = vg_expr_mark(p->node, p->nnode, root, keep);
        refuse_faults(p, keep);
        if (count > VG_EXPR_MAX_NODES)
            VG_EXPR_FAIL(p, p->text, "expression of %d operations, at most %d are possible", count,
                         VG_EXPR_MAX_NODES);
        if (!p->failed) e = vg_expr_pack(p->node, root, count, keep, p->ninput, p->slot, p->input_node);
    }
    if (!e && !p->failed) vg_diag_no_memory(p->scope->diag);
    free(keep);
    return e;
}

vgExpr *vg_expr_compile(const char *text, const vgExprScope *scope)
{
    vgExprParser p = {.scope = scope, .text = text, .at = text};
    size_t length = strlen(text);
    if (length > VG_EXPR_MAX_LENGTH) {
        VG_EXPR_FAIL(&p, text, "expression of %zu characters, at most %d are possible", length,
                     VG_EXPR_MAX_LENGTH);
        return NULL;
    }
    /* a character makes less than two nodes: deg( makes two, step( with its commas seven */
    p.room = 2 * (int)length + 8;
    p.node = malloc((size_t)p.room * (sizeof *p.node + sizeof *p.fault));
    if (!p.node) {
        vg_diag_no_memory(scope->diag);
        return NULL;
    }
    p.fault = (int *)(void *)(p.node + p.room);
    skip_space(&p);
    if (!*p.at) VG_EXPR_FAIL(&p, p.at, "empty expression");
    int root = p.failed ? VG_EXPR_FAILED : or_expression(&p);
    skip_space(&p);
    if (!p.failed && *p.at) trailing(&p);
    vgExpr *e = p.failed ? NULL : finish(&p, root);
    free(p.node);
    return e;
}
