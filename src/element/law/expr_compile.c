/* From text to nodes: a recursive descent parser that folds constants as it goes, then keeps what the result
 * needs. The depth of recursion is limited, so no text can exhaust the stack. */
#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "element/law/expr_node.h"

enum { MAX_NAME = 128, MAX_ARGS = 16, FAILED = -1 };

typedef struct parser {
    const vgExprScope *scope;
    const char *text, *at;
    int depth, failed;
    int nnode, room;
    vgExprNode *node;
    int *fault; /* per node: 1 + offset in the text when it is not a finite constant, else 0 */
    int ninput;
    int slot[VG_EXPR_MAX_INPUTS], input_node[VG_EXPR_MAX_INPUTS];
} parser;

static int or_expression(parser *p);

/* The place of a character of the text, for messages. */
static vgLoc place(const parser *p, const char *at)
{
    vgLoc loc = p->scope->loc;
    if (loc.col > 0) loc.col += (int)(at - p->text);
    return loc;
}

/* Only the first error counts: later ones follow from it. */
#define FAIL(p, where, ...)                                                                                  \
    do {                                                                                                     \
        if (!(p)->failed) vg_diag_error((p)->scope->diag, place((p), (where)), __VA_ARGS__);                 \
        (p)->failed = 1;                                                                                     \
    } while (0)

static void skip_space(parser *p)
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

static int eat(parser *p, const char *token)
{
    skip_space(p);
    size_t n = strlen(token);
    if (strncmp(p->at, token, n) != 0) return 0;
    p->at += n;
    return 1;
}

static int eat_word(parser *p, const char *word)
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

static int push(parser *p, vgExprNode node, const char *fault)
{
    if (p->failed) return FAILED;
    if (p->nnode == p->room) {
        FAIL(p, p->text, "expression too large");
        return FAILED;
    }
    p->node[p->nnode] = node;
    p->fault[p->nnode] = fault ? 1 + (int)(fault - p->text) : 0;
    return p->nnode++;
}

static int push_const(parser *p, double value)
{
    return push(p, (vgExprNode){.op = VG_EXPR_CONST, .value = value}, NULL);
}

static int is_const(const parser *p, int node)
{
    return p->node[node].op == VG_EXPR_CONST;
}

/* 1: the node is finite wherever its inputs are, so that nought times it is nought: sums, products and what
 * stays within bounds. It looks at no more than `left` nodes. */
static int is_tame(const parser *p, int node, int *left)
{
    static const char *const bounded[] = {"sin",  "cos", "atan", "tanh",  "abs",
                                          "sign", "min", "max",  "smooth"};
    const vgExprNode *n = &p->node[node];
    if (n->op == VG_EXPR_CONST || n->op == VG_EXPR_INPUT) return 1;
    if (n->op < VG_EXPR_FIRST_ROW || --*left < 0) return 0;
    int row = n->op - VG_EXPR_FIRST_ROW;
    int good = row == VG_ROW_ADD || row == VG_ROW_SUB || row == VG_ROW_MUL || row == VG_ROW_NEG;
    for (size_t i = 0; i < sizeof bounded / sizeof bounded[0] && !good; i++)
        good = strcmp(vg_expr_functions[row].name, bounded[i]) == 0;
    for (int k = 0; good && k < vg_expr_node_nargs(n); k++) good = is_tame(p, n->arg[k], left);
    return good;
}

/* A row applied to its arguments (b ignored for one). Constants fold; what comes out infinite or undefined is
 * kept with its place and refused at the end if the result needs it: if(L > 0, 1/L, 0) is fine at L = 0. */
static int apply(parser *p, int row, int a, int b, const char *where)
{
    const vgExprFunction *f = &vg_expr_functions[row];
    if (p->failed || a < 0 || (f->nargs == 2 && b < 0)) return FAILED;
    vgExprNode n = {.op = VG_EXPR_FIRST_ROW + row, .arg = {a, f->nargs == 2 ? b : 0}};
    if (row == VG_ROW_DIV && is_const(p, b) && p->node[b].value == 0) return push(p, n, where);
    if (row == VG_ROW_MUL && is_const(p, a) != is_const(p, b)) {
        int constant = is_const(p, a) ? a : b, other = is_const(p, a) ? b : a, left = 100;
        if (p->node[constant].value == 0 && is_tame(p, other, &left)) return push_const(p, 0);
    }
    if (!is_const(p, a) || (f->nargs == 2 && !is_const(p, b))) return push(p, n, NULL);
    double value = f->nargs == 1 ? f->unary(p->node[a].value) : f->binary(p->node[a].value, p->node[b].value);
    return isfinite(value) ? push_const(p, value) : push(p, n, where);
}

static int select_node(parser *p, int c, int a, int b)
{
    if (p->failed || c < 0 || a < 0 || b < 0) return FAILED;
    if (is_const(p, c)) return p->node[c].value != 0 ? a : b;
    return push(p, (vgExprNode){.op = VG_EXPR_SELECT, .arg = {c, a, b}}, NULL);
}

static int push_input(parser *p, int slot, const char *name, const char *where)
{
    if (p->scope->constant_only) {
        FAIL(p, where, "\"%s\" varies in time, a constant is wanted here", name);
        return FAILED;
    }
    for (int k = 0; k < p->ninput; k++)
        if (p->slot[k] == slot) return p->input_node[k];
    if (p->ninput == VG_EXPR_MAX_INPUTS) {
        FAIL(p, where, "more than %d different quantities in one expression", VG_EXPR_MAX_INPUTS);
        return FAILED;
    }
    int k = p->ninput++;
    p->slot[k] = slot;
    return p->input_node[k] = push(p, (vgExprNode){.op = VG_EXPR_INPUT, .arg = {k}}, NULL);
}

/* Digits with point and exponent; strtod alone would take inf, nan, hexadecimals and the locale's comma. */
static int number(parser *p)
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
        FAIL(p, s, digits ? "number with too many digits" : "expected a number, found \".\"");
        return FAILED;
    }
    memcpy(word, s, n);
    word[n] = 0;
    if (dots) word[point] = localeconv()->decimal_point[0];
    double value = strtod(word, &end);
    if (*end || !isfinite(value)) {
        FAIL(p, s, "the number %.*s is too large", (int)n, s);
        return FAILED;
    }
    p->at += n;
    return push_const(p, value);
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

static void unknown(parser *p, const char *name, const char *where, int call)
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
        FAIL(p, where, "unknown name \"%s\": %s", name, advice);
    else if (near)
        FAIL(p, where, "unknown %s \"%s\", did you mean \"%s\"?", call ? "function" : "name", name, near);
    else
        FAIL(p, where, "unknown %s \"%s\"", call ? "function" : "name", name);
}

/* Looks a name up; -2 when nobody knows it. */
static int lookup(parser *p, const char *name, const char *where)
{
    const vgExprScope *s = p->scope;
    double value;
    int slot;
    if (strcmp(name, "t") == 0) return push_input(p, 0, name, where);
    if (strcmp(name, "pi") == 0) return push_const(p, 3.14159265358979323846);
    if (strcmp(name, "true") == 0) return push_const(p, 1);
    if (strcmp(name, "false") == 0) return push_const(p, 0);
    if (s->constant && s->constant(s->user, name, &value)) {
        if (!isfinite(value)) FAIL(p, where, "\"%s\" has no finite value", name);
        return push_const(p, value);
    }
    if (s->input && s->input(s->user, name, &slot)) return push_input(p, slot, name, where);
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
static void copy_name(parser *p, size_t n, char name[MAX_NAME])
{
    if (n >= MAX_NAME) {
        FAIL(p, p->at, "name longer than %d letters", MAX_NAME - 1);
        n = 0;
    }
    memcpy(name, p->at, n);
    name[n] = 0;
}

/* A parameter or channel. A dotted name may hold dashes: the longest reading that is known wins, so that
 * joint.a.angle-joint.b.angle is still a difference. */
static int variable(parser *p, size_t plain)
{
    const char *where = p->at;
    char name[MAX_NAME];
    size_t n = memchr(where, '.', plain) ? name_length(where, 1) : plain;
    if (n >= MAX_NAME) n = plain;
    while (!p->failed) {
        copy_name(p, n, name);
        int node = p->failed ? FAILED : lookup(p, name, where);
        if (node != -2) {
            p->at = where + n;
            return node;
        }
        if (n == plain) break;
        do n--;
        while (n > plain && where[n] != '-');
    }
    if (vg_expr_reserved(name))
        FAIL(p, where, "\"%s\" is not a value here", name);
    else
        unknown(p, name, where, 0);
    return FAILED;
}

/* The arguments up to the closing bracket; the opening one is eaten. Returns how many. */
static int arguments(parser *p, const char *name, const char *where, int min, int max, int *args)
{
    int n = 0;
    char word[32];
    if (!eat(p, ")")) {
        do {
            if (n == MAX_ARGS) {
                FAIL(p, where, "%s takes at most %d arguments", name, MAX_ARGS);
                return 0;
            }
            args[n++] = or_expression(p);
        } while (!p->failed && eat(p, ","));
        if (!p->failed && !eat(p, ")"))
            FAIL(p, p->at, "expected \",\" or \")\" in the call of %s, found %s%s", name, found(p->at, word),
                 *p->at ? "" : "; in lists and {…} an expression with commas must be quoted");
    }
    if (!p->failed && (n < min || n > max)) {
        if (min == max)
            FAIL(p, where, "%s takes %d argument%s, %d given", name, min, min == 1 ? "" : "s", n);
        else
            FAIL(p, where, "%s takes at least %d arguments, %d given", name, min, n);
    }
    return p->failed ? 0 : n;
}

/* h0 + (h1 - h0) smooth((x - x0)/(x1 - x0)) */
static int step_call(parser *p, const int a[5], const char *where)
{
    int width = apply(p, VG_ROW_SUB, a[3], a[1], where);
    int u = apply(p, VG_ROW_DIV, apply(p, VG_ROW_SUB, a[0], a[1], where), width, where);
    int rise = apply(p, VG_ROW_SUB, a[4], a[2], where);
    int s = apply(p, vg_expr_row("smooth"), u, 0, where);
    return apply(p, VG_ROW_ADD, a[2], apply(p, VG_ROW_MUL, rise, s, where), where);
}

static int table_call(parser *p, const char *where)
{
    char name[MAX_NAME], word[32];
    const vgExprScope *s = p->scope;
    skip_space(p);
    const char *begin = p->at;
    size_t n = name_length(p->at, 1);
    copy_name(p, n, name);
    p->at += p->failed ? 0 : n;
    if (n == 0) FAIL(p, begin, "expected the name of a table, found %s", found(begin, word));
    if (p->failed) return FAILED;
    const vgTable *table = s->table ? s->table(s->user, name) : NULL;
    if (!table) {
        const char *near = s->nknown > 0 ? vg_name_closest(name, s->known, s->nknown) : NULL;
        if (near)
            FAIL(p, begin, "unknown table \"%s\", did you mean \"%s\"?", name, near);
        else
            FAIL(p, begin, "unknown table \"%s\"", name);
        return FAILED;
    }
    if (!eat(p, ",")) FAIL(p, where, "table takes a name and an argument: table(%s, x)", name);
    int x = p->failed ? FAILED : or_expression(p);
    if (!p->failed && !eat(p, ")")) FAIL(p, p->at, "expected \")\", found %s", found(p->at, word));
    if (p->failed) return FAILED;
    if (is_const(p, x)) return push_const(p, vg_table_value(table, p->node[x].value));
    return push(p, (vgExprNode){.op = VG_EXPR_TABLE, .arg = {x}, .table = table}, NULL);
}

static int call(parser *p, const char *name, const char *where)
{
    int args[MAX_ARGS], row = vg_expr_row(name);
    if (strcmp(name, "table") == 0) return table_call(p, where);
    if (strcmp(name, "if") == 0)
        return arguments(p, name, where, 3, 3, args) ? select_node(p, args[0], args[1], args[2]) : FAILED;
    if (strcmp(name, "step") == 0)
        return arguments(p, name, where, 5, 5, args) ? step_call(p, args, where) : FAILED;
    if (strcmp(name, "deg") == 0) {
        if (!arguments(p, name, where, 1, 1, args)) return FAILED;
        return apply(p, VG_ROW_MUL, args[0], push_const(p, 3.14159265358979323846 / 180), where);
    }
    if (row < 0 || !vg_expr_functions[row].callable) {
        unknown(p, name, where, 1);
        return FAILED;
    }
    const vgExprFunction *f = &vg_expr_functions[row];
    int many = f->nargs == 2 && f->corner == VG_CORNER_DIFFERENCE; /* min and max take any number */
    int n = arguments(p, name, where, f->nargs, many ? MAX_ARGS : f->nargs, args);
    if (n == 0) return FAILED;
    int out = apply(p, row, args[0], f->nargs == 2 ? args[1] : 0, where);
    for (int i = 2; i < n; i++) out = apply(p, row, out, args[i], where);
    return out;
}

static int primary(parser *p)
{
    char name[MAX_NAME], word[32];
    skip_space(p);
    const char *where = p->at;
    if (isdigit((unsigned char)*where) || *where == '.') return number(p);
    if (eat(p, "(")) {
        int node = or_expression(p);
        if (!p->failed && !eat(p, ")")) FAIL(p, p->at, "expected \")\", found %s", found(p->at, word));
        return node;
    }
    if (!is_letter(*where)) {
        FAIL(p, where, "expected a value, found %s", found(where, word));
        return FAILED;
    }
    size_t n = name_length(where, 0);
    copy_name(p, n, name);
    if (p->failed) return FAILED;
    p->at += n;
    skip_space(p);
    if (*p->at == '(') {
        p->at++;
        return call(p, name, where);
    }
    p->at = where;
    int row = vg_expr_row(name);
    if (row >= 0 && vg_expr_functions[row].callable) {
        FAIL(p, where, "%s is a function: write %s(...)", name, name);
        return FAILED;
    }
    return variable(p, n);
}

static int unary(parser *p);

/* x^y, from the right and above the sign: -x^2 = -(x^2), 2^-1 = 1/2 */
static int power(parser *p)
{
    int base = primary(p);
    skip_space(p);
    const char *where = p->at;
    if (p->failed || !eat(p, "^")) return base;
    int y = unary(p);
    if (p->failed) return FAILED;
    /* small whole powers are products: a tenth of the time of pow */
    double n = is_const(p, y) ? p->node[y].value : 0;
    if (n == 2 || n == 3 || n == 4) {
        int square = apply(p, VG_ROW_MUL, base, base, where);
        if (n == 2 || p->failed) return square;
        return apply(p, VG_ROW_MUL, square, n == 3 ? base : square, where);
    }
    return apply(p, vg_expr_row("^"), base, y, where);
}

/* Every way down into a nested expression passes here, so here the depth is counted. */
static int unary(parser *p)
{
    int node;
    skip_space(p);
    const char *where = p->at;
    if (p->failed) return FAILED;
    if (p->depth > VG_EXPR_MAX_DEPTH) {
        FAIL(p, where, "nested deeper than %d", VG_EXPR_MAX_DEPTH);
        return FAILED;
    }
    p->depth++;
    if (eat(p, "-"))
        node = apply(p, VG_ROW_NEG, unary(p), 0, where);
    else if (eat(p, "+"))
        node = unary(p);
    else
        node = power(p);
    p->depth--;
    return node;
}

static int product(parser *p)
{
    int left = unary(p);
    while (!p->failed) {
        skip_space(p);
        const char *where = p->at;
        if (strncmp(where, "**", 2) == 0) FAIL(p, where, "a power is written with ^");
        int row = eat(p, "*") ? VG_ROW_MUL : eat(p, "/") ? VG_ROW_DIV : -1;
        if (row < 0) break;
        left = apply(p, row, left, unary(p), where);
    }
    return left;
}

static int sum(parser *p)
{
    int left = product(p);
    while (!p->failed) {
        skip_space(p);
        const char *where = p->at;
        int row = eat(p, "+") ? VG_ROW_ADD : eat(p, "-") ? VG_ROW_SUB : -1;
        if (row < 0) break;
        left = apply(p, row, left, product(p), where);
    }
    return left;
}

/* The row of the comparison that stands here, eaten; -1 for none. */
static int comparison_row(parser *p)
{
    static const char *const operators[] = {"<=", ">=", "==", "!=", "<", ">"};
    for (int i = 0; i < 6; i++)
        if (eat(p, operators[i])) return vg_expr_row(operators[i]);
    return -1;
}

static int comparison(parser *p)
{
    int left = sum(p);
    skip_space(p);
    const char *where = p->at;
    int row = p->failed ? -1 : comparison_row(p);
    if (row < 0) return left;
    left = apply(p, row, left, sum(p), where);
    skip_space(p);
    where = p->at;
    if (!p->failed && comparison_row(p) >= 0)
        FAIL(p, where, "comparisons do not chain: write a < b and b < c");
    return left;
}

static int not_expression(parser *p)
{
    int count = 0;
    skip_space(p);
    const char *where = p->at;
    while (eat_word(p, "not")) count++;
    int node = comparison(p);
    for (int i = 0; i < (count > 2 ? 2 - count % 2 : count); i++)
        node = apply(p, vg_expr_row("not"), node, 0, where);
    return node;
}

static int and_expression(parser *p)
{
    int left = not_expression(p);
    while (!p->failed) {
        skip_space(p);
        const char *where = p->at;
        if (!eat_word(p, "and")) break;
        left = apply(p, vg_expr_row("and"), left, not_expression(p), where);
    }
    return left;
}

static int or_expression(parser *p)
{
    int left = and_expression(p);
    while (!p->failed) {
        skip_space(p);
        const char *where = p->at;
        if (!eat_word(p, "or")) break;
        left = apply(p, vg_expr_row("or"), left, and_expression(p), where);
    }
    return left;
}

/* What follows a complete expression cannot be read; say what was probably meant. */
static void trailing(parser *p)
{
    char word[32];
    const char *s = p->at;
    if (strncmp(s, "&&", 2) == 0 || strncmp(s, "||", 2) == 0)
        FAIL(p, s, "write \"and\", \"or\" instead of \"&&\", \"||\"");
    else if (*s == '=')
        FAIL(p, s, "a comparison is written ==");
    else if (*s == ')')
        FAIL(p, s, "\")\" without \"(\"");
    else
        FAIL(p, s, "expected an operator, found %s%s", found(s, word),
             isalpha((unsigned char)*s) ? "; numbers stand without units (SI), products are written with *"
                                        : "");
}

/* Among the nodes that the result needs none may be a constant that is not finite. */
static void refuse_faults(parser *p, const int *keep)
{
    for (int i = 0; i < p->nnode; i++) {
        if (!keep[i] || !p->fault[i]) continue;
        const char *where = p->text + p->fault[i] - 1;
        if (p->node[i].op == VG_EXPR_FIRST_ROW + VG_ROW_DIV)
            FAIL(p, where, "division by zero");
        else
            FAIL(p, where, "\"%s\" of these constants is not a finite number",
                 vg_expr_functions[p->node[i].op - VG_EXPR_FIRST_ROW].name);
    }
}

static vgExpr *finish(parser *p, int root)
{
    vgExpr *e = NULL;
    int *keep = malloc((size_t)p->nnode * sizeof *keep);
    if (keep) {
        int count = vg_expr_mark(p->node, p->nnode, root, keep);
        refuse_faults(p, keep);
        if (count > VG_EXPR_MAX_NODES)
            FAIL(p, p->text, "expression of %d operations, at most %d are possible", count,
                 VG_EXPR_MAX_NODES);
        if (!p->failed) e = vg_expr_pack(p->node, root, count, keep, p->ninput, p->slot, p->input_node);
    }
    if (!e) FAIL(p, p->text, "out of memory");
    free(keep);
    return e;
}

vgExpr *vg_expr_compile(const char *text, const vgExprScope *scope)
{
    parser p = {.scope = scope, .text = text, .at = text};
    size_t length = strlen(text);
    if (length > VG_EXPR_MAX_LENGTH) {
        FAIL(&p, text, "expression of %zu characters, at most %d are possible", length, VG_EXPR_MAX_LENGTH);
        return NULL;
    }
    /* a character makes less than two nodes: deg( makes two, step( with its commas seven */
    p.room = 2 * (int)length + 8;
    p.node = malloc((size_t)p.room * (sizeof *p.node + sizeof *p.fault));
    if (!p.node) {
        FAIL(&p, text, "out of memory");
        return NULL;
    }
    p.fault = (int *)(void *)(p.node + p.room);
    skip_space(&p);
    if (!*p.at) FAIL(&p, p.at, "empty expression");
    int root = p.failed ? FAILED : or_expression(&p);
    skip_space(&p);
    if (!p.failed && *p.at) trailing(&p);
    vgExpr *e = p.failed ? NULL : finish(&p, root);
    free(p.node);
    return e;
}
