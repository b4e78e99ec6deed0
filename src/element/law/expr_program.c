/* An expression in fewer steps than it has nodes: sums of powers of one quantity become a polynomial by
 * Horner's rule, constants stand in the steps, and of if(...) only the branch taken is computed. Derivatives
 * go back through the steps taken where these are sums, products, polynomials and tables alone; else through
 * the nodes (expr.c), whose values are the same to rounding. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "element/law/expr_node.h"

enum { MOST = 8, LONG = 256 }; /* degree of a polynomial; steps that derivatives go back through */

enum { CONST, COPY, POLY, UNLESS, SKIP, TABLE, UNARY, BINARY, ROWS };

/* v[to] from v[a] and v[b], b < 0: the value. UNLESS, SKIP: b is the step to go on with. */
typedef struct Step {
    int op, to, a, b;
    union {
        double value;
        int degree; /* POLY: coefficients from b on, the highest first */
        const vgTable *table;
        double (*unary)(double);
        double (*binary)(double, double);
    };
} Step;

struct vgExprProgram {
    int nstep, result;
    int smooth; /* 1: vg_expr_run_grad() may be asked */
    const double *coef;
    Step step[];
};

/* Σ c_k x^k with x another node; a constant has none (−1). What is no such sum is its own x. */
typedef struct Sum {
    int base, degree, terms;
    double c[MOST + 1];
} Sum;

typedef struct Builder {
    const vgExprNode *node;
    Sum *sum;
    int *need, *at; /* per node: how many others want its value; where it is, −1 nowhere yet */
    Step *step;
    double *coef;
    int nstep, ncoef, nslot, room, broken;
} Builder;

/* ---- sums of powers ---- */

static Sum own(int i)
{
    return (Sum){.base = i, .degree = 1, .terms = 1, .c = {0, 1}};
}

static void count(Sum *s)
{
    s->degree = s->terms = 0;
    for (int k = 0; k <= MOST; k++)
        if (s->c[k] != 0) s->degree = k, s->terms++; /* also what is not a number */
}

static int common_base(const Sum *a, const Sum *b)
{
    return a->base < 0 || a->base == b->base ? b->base : b->base < 0 ? a->base : -2;
}

/* Terms as they are written: products are taken only of single terms, because (x − 1)^4 is not better as a
 * sum of its five terms. */
static Sum sum_of(const Builder *b, int i)
{
    const vgExprNode *n = &b->node[i];
    const Sum *x = &b->sum[n->arg[0]], *y = &b->sum[n->arg[1]];
    Sum s = own(i);
    int row = n->op - VG_EXPR_FIRST_ROW, base;
    if (n->op == VG_EXPR_CONST) {
        s = (Sum){.base = -1, .c = {n->value}};
    } else if (row == VG_ROW_NEG) {
        s = *x;
        for (int k = 0; k <= MOST; k++) s.c[k] = -s.c[k];
    } else if (row == VG_ROW_ADD || row == VG_ROW_SUB) {
        if ((base = common_base(x, y)) == -2) return s;
        s.base = base;
        for (int k = 0; k <= MOST; k++) s.c[k] = row == VG_ROW_ADD ? x->c[k] + y->c[k] : x->c[k] - y->c[k];
    } else if (row == VG_ROW_MUL) {
        base = common_base(x, y);
        if (base == -2 || x->terms != 1 || y->terms != 1 || x->degree + y->degree > MOST) return s;
        s = (Sum){.base = base};
        s.c[x->degree + y->degree] = x->c[x->degree] * y->c[y->degree];
    }
    count(&s);
    return isfinite(s.c[s.degree]) ? s : own(i);
}

static int is_sum(const Builder *b, int i)
{
    return b->sum[i].base != i && b->sum[i].base >= 0 && b->sum[i].terms > 1;
}

/* ---- steps ---- */

static int emit(Builder *b, int i, int want);

static Step *add(Builder *b, int op, int to)
{
    b->broken |= b->nstep == b->room;
    Step *s = &b->step[b->broken ? 0 : b->nstep++];
    *s = (Step){.op = op, .to = to};
    return s;
}

static int slot(Builder *b, int want)
{
    if (want >= 0) return want;
    b->broken |= b->nslot == VG_EXPR_MAX_NODES;
    return b->broken ? 0 : b->nslot++;
}

static void emit_sum(Builder *b, int i, int to)
{
    const Sum *s = &b->sum[i];
    int x = emit(b, s->base, -1);
    Step *p = add(b, POLY, to);
    p->a = x;
    p->b = b->ncoef;
    p->degree = s->degree;
    for (int k = s->degree; k >= 0; k--) b->coef[b->ncoef++] = s->c[k];
}

static void emit_select(Builder *b, const vgExprNode *n, int to)
{
    int c = emit(b, n->arg[0], -1), test = b->nstep;
    add(b, UNLESS, -1)->a = c;
    emit(b, n->arg[1], to);
    int skip = b->nstep;
    add(b, SKIP, -1);
    b->step[b->broken ? 0 : test].b = b->nstep;
    emit(b, n->arg[2], to);
    b->step[b->broken ? 0 : skip].b = b->nstep;
}

static int in_line(int row)
{
    return row <= VG_ROW_NEG || (row >= VG_ROW_LESS && row <= VG_ROW_GREATER_EQUAL);
}

static void emit_row(Builder *b, const vgExprNode *n, int to)
{
    int row = n->op - VG_EXPR_FIRST_ROW;
    const vgExprFunction *f = &vg_expr_functions[row];
    int constant = f->nargs == 2 && in_line(row) && b->node[n->arg[1]].op == VG_EXPR_CONST;
    int x = emit(b, n->arg[0], -1), y = constant ? -1 : f->nargs == 2 ? emit(b, n->arg[1], -1) : 0;
    Step *s = add(b, in_line(row) ? ROWS + row : f->nargs == 2 ? BINARY : UNARY, to);
    s->a = x, s->b = y;
    if (constant)
        s->value = b->node[n->arg[1]].value;
    else if (s->op == UNARY)
        s->unary = f->unary;
    else if (s->op == BINARY)
        s->binary = f->binary;
}

/* Where the value of node i is: at `want` unless that is −1. Inputs are first in the frame. */
static int emit(Builder *b, int i, int want)
{
    const vgExprNode *n = &b->node[i];
    int at = n->op == VG_EXPR_INPUT ? n->arg[0] : b->at[i];
    if (b->broken) return 0;
    if (at >= 0) {
        if (want < 0) return at;
        add(b, COPY, want)->a = at;
        return want;
    }
    int to = slot(b, want);
    if (n->op == VG_EXPR_CONST) {
        add(b, CONST, to)->value = n->value;
    } else if (is_sum(b, i)) {
        emit_sum(b, i, to);
    } else if (n->op == VG_EXPR_SELECT) {
        emit_select(b, n, to);
    } else if (n->op == VG_EXPR_TABLE) {
        int x = emit(b, n->arg[0], -1);
        Step *s = add(b, TABLE, to);
        s->a = x;
        s->table = n->table;
    } else {
        emit_row(b, n, to);
    }
    return to;
}

static void count_needs(Builder *b, int nnode)
{
    memset(b->need, 0, (size_t)nnode * sizeof(int));
    b->need[nnode - 1] = 1;
    for (int i = nnode - 1; i >= 0; i--) {
        int n = vg_expr_node_nargs(&b->node[i]), sum = is_sum(b, i);
        for (int k = 0; b->need[i] && k < (sum ? 1 : n); k++)
            b->need[sum ? b->sum[i].base : b->node[i].arg[k]]++;
    }
}

/* What several want is computed first, so that no branch has to know what another has done. */
static int emit_all(Builder *b, int nnode)
{
    for (int i = 0; i < nnode; i++) b->at[i] = -1;
    for (int i = 0; i < nnode; i++)
        if (b->need[i] > 1 && b->node[i].op != VG_EXPR_CONST && b->node[i].op != VG_EXPR_INPUT)
            b->at[i] = emit(b, i, -1);
    return emit(b, nnode - 1, -1);
}

/* No larger than it has to be: a model may have a law for each of many elements. */
static vgExprProgram *packed(const Builder *b, int result)
{
    size_t steps = (size_t)b->nstep * sizeof(Step), coefs = (size_t)b->ncoef * sizeof(double);
    vgExprProgram *p = malloc(sizeof *p + steps + coefs);
    if (!p) return NULL;
    double *coef = (double *)(void *)((char *)p->step + steps);
    memcpy(p->step, b->step, steps);
    memcpy(coef, b->coef, coefs);
    p->nstep = b->nstep;
    p->result = result;
    p->coef = coef;
    p->smooth = p->nstep <= LONG;
    for (int i = 0; i < p->nstep; i++) {
        int op = p->step[i].op;
        if (op == UNARY || op == BINARY || op == ROWS + VG_ROW_DIV) p->smooth = 0;
    }
    return p;
}

vgStatus vg_expr_program(const vgExpr *e, vgExprProgram **out)
{
    size_t n = (size_t)e->nnode, room = 4 * n + 4, coefs = (MOST + 1) * n;
    Builder b = {.node = e->node, .nslot = e->ninput, .room = (int)room};
    *out = NULL;
    if (e->ninput == 0) return VG_OK;
    b.sum = malloc(n * (sizeof(Sum) + 2 * sizeof(int)) + room * sizeof(Step) + coefs * sizeof(double));
    if (!b.sum) return VG_NO_MEMORY;
    b.step = (Step *)(void *)(b.sum + n);
    b.coef = (double *)(void *)(b.step + room);
    b.need = (int *)(void *)(b.coef + coefs);
    b.at = b.need + n;
    for (int i = 0; i < e->nnode; i++) b.sum[i] = sum_of(&b, i);
    count_needs(&b, e->nnode);
    int result = emit_all(&b, e->nnode);
    if (!b.broken) *out = packed(&b, result);
    free(b.sum);
    return b.broken || *out ? VG_OK : VG_NO_MEMORY;
}

/* ---- evaluation ---- */

static inline double horner(const double *c, int degree, double x)
{
    double y = c[0];
    for (int k = 1; k <= degree; k++) y = y * x + c[k];
    return y;
}

/* One step; the next one is returned. */
static inline const Step *take(const vgExprProgram *p, const Step *s, double *v)
{
    double x = s->a >= 0 ? v[s->a] : 0, y = s->value;
    switch (s->op) {
    case CONST:
        v[s->to] = s->value;
        break;
    case COPY:
        v[s->to] = x;
        break;
    case POLY:
        v[s->to] = horner(p->coef + s->b, s->degree, x);
        break;
    case UNLESS:
        if (x == 0) return p->step + s->b;
        break;
    case SKIP:
        return p->step + s->b;
    case TABLE:
        v[s->to] = vg_table_value(s->table, x);
        break;
    case UNARY:
        v[s->to] = s->unary(x);
        break;
    case BINARY:
        v[s->to] = s->binary(x, v[s->b]);
        break;
    default:
        if (s->b >= 0) y = v[s->b];
        switch (s->op - ROWS) {
        case VG_ROW_ADD:
            v[s->to] = x + y;
            break;
        case VG_ROW_SUB:
            v[s->to] = x - y;
            break;
        case VG_ROW_MUL:
            v[s->to] = x * y;
            break;
        case VG_ROW_DIV:
            v[s->to] = x / y;
            break;
        case VG_ROW_NEG:
            v[s->to] = -x;
            break;
        case VG_ROW_LESS:
            v[s->to] = x < y;
            break;
        case VG_ROW_LESS_EQUAL:
            v[s->to] = x <= y;
            break;
        case VG_ROW_GREATER:
            v[s->to] = x > y;
            break;
        default:
            v[s->to] = x >= y;
        }
    }
    return s + 1;
}

double vg_expr_run(const vgExprProgram *p, int ninput, const double *in)
{
    double v[VG_EXPR_MAX_NODES];
    for (int k = 0; k < ninput; k++) v[k] = in[k];
    for (const Step *s = p->step, *end = s + p->nstep; s < end;) s = take(p, s, v);
    return v[p->result];
}

static inline double horner_slope(const double *c, int degree, double x)
{
    double y = degree * c[0];
    for (int k = 1; k < degree; k++) y = y * x + (degree - k) * c[k];
    return y;
}

/* Back through a step: adj of what it took += its derivatives times adj of what it made. */
static inline void step_back(const vgExprProgram *p, const Step *s, const double *v, double *adj)
{
    double bar = adj[s->to], d[3], y = s->b >= 0 ? v[s->b] : s->value;
    switch (s->op) {
    case COPY:
    case ROWS + VG_ROW_ADD:
    case ROWS + VG_ROW_SUB:
        adj[s->a] += bar;
        if (s->op != COPY && s->b >= 0) adj[s->b] += s->op == ROWS + VG_ROW_ADD ? bar : -bar;
        break;
    case POLY:
        adj[s->a] += bar * horner_slope(p->coef + s->b, s->degree, v[s->a]);
        break;
    case TABLE:
        vg_table_eval(s->table, v[s->a], d);
        adj[s->a] += bar * d[1];
        break;
    case ROWS + VG_ROW_MUL:
        adj[s->a] += bar * y;
        if (s->b >= 0) adj[s->b] += bar * v[s->a];
        break;
    case ROWS + VG_ROW_NEG:
        adj[s->a] -= bar;
        break;
    default: /* constants and comparisons */
        break;
    }
}

int vg_expr_smooth(const vgExprProgram *p)
{
    return p->smooth;
}

double vg_expr_run_grad(const vgExprProgram *p, int ninput, const double *in, double *grad)
{
    double v[VG_EXPR_MAX_NODES], adj[VG_EXPR_MAX_NODES];
    const Step *taken[LONG];
    int n = 0;
    for (int k = 0; k < ninput; k++) v[k] = in[k], adj[k] = 0;
    for (const Step *s = p->step, *end = s + p->nstep; s < end;) {
        if (s->to >= 0) adj[s->to] = 0, taken[n++] = s;
        s = take(p, s, v);
    }
    adj[p->result] = 1;
    while (n-- > 0)
        if (adj[taken[n]->to] != 0) step_back(p, taken[n], v, adj);
    for (int k = 0; k < ninput; k++) grad[k] = adj[k];
    return v[p->result];
}
