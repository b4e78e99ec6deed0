/* The file of a user's method:
 *     tableau: {a: [[…], …], b: […], c: […], embedded: […], order: 4}      c, embedded and order may be left out
 *     multistep: {alpha: […], beta: […], order: 2}
 * Numbers may be expressions without names, as 1/3 or (2 - sqrt(2))/4. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "element/law/expr.h"
#include "integrator/composite/irk.h"
#include "integrator/tuning.h"
#include "integrator/user/user.h"
#include "model/read/spec.h"
#include "base/names.h"

static const double CLOSE = 1e-8; /* c and the sums of the rows, b and a last row: eight digits */
/* Two roots of modulus 1 as near as that are one: coefficients of eight digits split a double root by 1e-4, a triple one by
 * 2e-3, and what two such roots 1e-3 apart make of an error is a thousand times as much. */
static const double ONE_ROOT = 5e-3;

typedef struct Reader {
    vgDiag *diag;
    vgUserMethod *m;
    const vgNode *order; /* as claimed; NULL: not */
} Reader;

int vg_user_is(const char *text)
{
    return !strncmp(text, "file:", 5);
}

const char *vg_user_options(const char *text)
{
    const char *comma = strchr(text, ',');
    return comma ? comma + 1 : NULL;
}

void vg_user_free(vgUserMethod *m)
{
    free(m);
}

static int number(Reader *r, const vgNode *n, double *x)
{
    if (n->kind != VG_NODE_SCALAR) {
        vg_diag_error(r->diag, n->loc, "expected a number, got %s", vg_node_kind_text(n));
        return 0;
    }
    vgExprScope scope = {.constant_only = 1, .diag = r->diag, .loc = n->loc};
    vgExpr *e = vg_expr_compile(n->text, &scope);
    if (!e) return 0;
    int ok = vg_expr_constant_value(e, x) && isfinite(*x);
    if (!ok) vg_diag_error(r->diag, n->loc, "'%s' is not a finite number", n->text);
    vg_expr_free(e);
    return ok;
}

/* A list of n numbers (n < 0: as many as there are, at most `most`); how many, −1: an error was reported. */
static int numbers(Reader *r, const vgNode *map, const char *key, int n, int most, double *out)
{
    const vgNode *list = vg_node_get(map, key);
    if (!list) {
        vg_diag_error(r->diag, map->loc, "'%s' is missing", key);
        return -1;
    }
    if (list->kind != VG_NODE_LIST || (n >= 0 && list->n != n) || list->n > most || list->n < 1) {
        if (n >= 0)
            vg_diag_error(r->diag, list->loc, "'%s' is a list of %d numbers here, got %s", key, n,
                          vg_node_kind_text(list));
        else
            vg_diag_error(r->diag, list->loc, "'%s' is a list of 1 to %d numbers, got %s", key, most,
                          vg_node_kind_text(list));
        return -1;
    }
    for (int i = 0; i < list->n; i++)
        if (!number(r, list->item[i], &out[i])) return -1;
    return list->n;
}

static int known_keys(Reader *r, const vgNode *map, const char *what, const char *const *keys, int n)
{
    for (int i = 0; i < map->n; i++) {
        const char *key = map->pair[i].key->text;
        int found = 0;
        for (int k = 0; k < n; k++) found |= !strcmp(key, keys[k]);
        if (found) continue;
        const char *near = vg_name_closest(key, keys, n);
        vg_diag_error(r->diag, map->pair[i].key->loc, "unknown key '%s' of a %s%s%s%s", key, what,
                      near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
        return 0;
    }
    return 1;
}

/* A claim of more than what is there is refused where it stands. */
static int claim(Reader *r, int found, const char *why)
{
    double x;
    if (!r->order) return 1;
    if (!number(r, r->order, &x)) return 0;
    if (x == floor(x) && x >= 1 && x <= found) return 1;
    vg_diag_error(r->diag, r->order->loc, "order %g is claimed, but the method is of order %d%s%s", x, found,
                  *why ? ": " : "", why);
    return 0;
}

/* ---- tableaux ---- */

static int read_matrix(Reader *r, const vgNode *map)
{
    vgUserMethod *m = r->m;
    const vgNode *a = vg_node_get(map, "a");
    if (!a || a->kind != VG_NODE_LIST || a->n < 1 || a->n > VG_USER_STAGES) {
        vg_diag_error(r->diag, a ? a->loc : map->loc, "'a' is a list of 1 to %d rows", VG_USER_STAGES);
        return 0;
    }
    m->s = a->n;
    for (int i = 0; i < m->s; i++) {
        const vgNode *row = a->item[i];
        int n = row->kind == VG_NODE_LIST ? row->n : -1;
        if (n < 0 || n > m->s) { /* rows may end with their last number that is not 0 */
            vg_diag_error(r->diag, row->loc, "row %d of 'a' is a list of at most %d numbers, got %s", i + 1,
                          m->s, vg_node_kind_text(row));
            return 0;
        }
        for (int j = 0; j < n; j++)
            if (!number(r, row->item[j], &m->a[i * m->s + j])) return 0;
    }
    return 1;
}

static int read_abscissae(Reader *r, const vgNode *map)
{
    vgUserMethod *m = r->m;
    double sum[VG_USER_STAGES], given[VG_USER_STAGES];
    for (int i = 0; i < m->s; i++) {
        sum[i] = 0;
        for (int j = 0; j < m->s; j++) sum[i] += m->a[i * m->s + j];
        m->c[i] = sum[i];
    }
    const vgNode *c = vg_node_get(map, "c");
    if (!c) return 1;
    if (numbers(r, map, "c", m->s, m->s, given) < 0) return 0;
    for (int i = 0; i < m->s; i++) {
        if (fabs(given[i] - sum[i]) <= CLOSE) continue;
        vg_diag_error(r->diag, c->item[i]->loc, "c of stage %d is %.10g, but row %d of 'a' has the sum %.10g",
                      i + 1, given[i], i + 1, sum[i]);
        return 0;
    }
    return 1;
}

static int read_embedded(Reader *r, const vgNode *map)
{
    vgUserMethod *m = r->m;
    double b[VG_USER_STAGES], worst, off, differ = 0;
    if (!vg_node_get(map, "embedded")) return 1;
    if (numbers(r, map, "embedded", m->s, m->s, b) < 0) return 0;
    m->embedded = vg_user_order(m->s, m->a, b, &worst, &off, NULL, 0);
    for (int i = 0; i < m->s; i++) {
        m->e[i] = m->b[i] - b[i];
        differ = fmax(differ, fabs(m->e[i]));
    }
    const vgNode *at = vg_node_get(map, "embedded");
    if (m->embedded >= 1 && differ > CLOSE) return 1;
    if (m->embedded >= 1)
        vg_diag_error(r->diag, at->loc,
                      "the embedded weights are those of the method: they estimate nothing");
    else
        vg_diag_error(r->diag, at->loc,
                      "the embedded weights are of no order: their sum is %.10g instead of 1", 1 + off);
    return 0;
}

/* What sort of tableau it is: explicit, or one that coupled.c can take. */
static int classify(Reader *r, const vgNode *map, int *is_explicit)
{
    vgUserMethod *m = r->m;
    int lower = 1, last = 1;
    for (int i = 0; i < m->s; i++)
        for (int j = i; j < m->s; j++) lower &= m->a[i * m->s + j] == 0;
    *is_explicit = lower;
    if (lower) return 1;
    m->first_explicit = 1;
    for (int j = 0; j < m->s; j++) m->first_explicit &= m->a[j] == 0;
    for (int j = 0; j < m->s; j++) last &= fabs(m->a[(m->s - 1) * m->s + j] - m->b[j]) <= CLOSE;
    m->stiffly = last;
    double inv[VG_USER_STAGES * VG_USER_STAGES], tri[VG_USER_STAGES * VG_USER_STAGES];
    int f = m->first_explicit, stage = vg_irk_invert(m->s - f, m->a + f * (m->s + 1), m->s, inv, tri, m->s);
    if (stage < 0) return 1;
    stage += f;
    vg_diag_error(
        r->diag, vg_node_get(map, "a")->item[stage]->loc,
        "stage %d does not depend on its own rate, or the stages on each other in such a way that they "
        "cannot be solved one after the other: of an implicit tableau only the first stage may be explicit",
        stage + 1);
    return 0;
}

/* C(2): Σ a_ij c_j = c_i²/2 of every stage. Without it multipliers of the stages are of first order. */
static int second_stage_order(const vgUserMethod *m)
{
    int holds = 1;
    for (int i = 0; i < m->s; i++) {
        double sum = 0;
        for (int j = 0; j < m->s; j++) sum += m->a[i * m->s + j] * m->c[j];
        holds &= fabs(sum - 0.5 * m->c[i] * m->c[i]) <= CLOSE;
    }
    return holds;
}

static int read_tableau(Reader *r, const vgNode *map)
{
    static const char *const keys[] = {"a", "b", "c", "embedded", "order", "name"};
    vgUserMethod *m = r->m;
    double off;
    char tree[64] = "", why[160] = "";
    int is_explicit, diagonal = 1;
    if (!known_keys(r, map, "tableau", keys, 6) || !read_matrix(r, map)) return 0;
    if (numbers(r, map, "b", m->s, m->s, m->b) < 0 || !read_abscissae(r, map)) return 0;
    int order = vg_user_order(m->s, m->a, m->b, &m->worst, &off, tree, sizeof tree);
    if (order < 1) {
        vg_diag_error(r->diag, vg_node_get(map, "b")->loc, "the weights b have the sum %.10g instead of 1",
                      1 + off);
        return 0;
    }
    if (order < VG_USER_ORDER)
        snprintf(why, sizeof why, "the condition of the tree %s is off by %.3g", tree, off);
    if (!claim(r, order, why) || !read_embedded(r, map) || !classify(r, map, &is_explicit)) return 0;
    for (int i = 0; i < m->s; i++)
        for (int j = i + 1; j < m->s; j++) diagonal &= m->a[i * m->s + j] == 0;
    unsigned estimate = m->embedded ? VG_INT_ESTIMATE : VG_INT_ESTIMATE | VG_INT_DOUBLING;
    double last = 0;
    for (int i = 0; i < m->s; i++) last = fmax(last, m->c[i]);
    if (last < 1 - VG_NODES_APART) estimate |= VG_INT_WITHIN;
    m->row.order = order;
    m->row.stages = is_explicit ? m->s : m->s - m->first_explicit;
    m->row.family = is_explicit ? "explicit Runge–Kutta" : "implicit Runge–Kutta";
    if (is_explicit) {
        m->explicit_form = (vgTableau){
            .stages = m->s, .order = order, .a = m->a, .b = m->b, .c = m->c, .e = m->embedded ? m->e : NULL};
        m->row.flags = VG_INT_EXPLICIT | VG_INT_LEAN | estimate | (m->embedded ? VG_INT_ADAPTIVE : 0);
        m->row.constraints = VG_CON_ACCEL;
        m->row.data = &m->explicit_form;
        m->row.setup = vg_rk_row_setup;
        m->row.start = vg_accel_state;
        m->row.step = vg_rk_row_step;
    } else {
        m->row.flags = VG_INT_IMPLICIT | VG_INT_OWN_NEWTON | estimate;
        m->row.constraints = VG_CON_INDEX3 | VG_CON_INDEX2 | VG_CON_INDEX1 | VG_CON_NONE;
        m->row.rough = second_stage_order(m) ? 0 : VG_CON_INDEX3 | VG_CON_INDEX2;
        m->row.data = m;
        m->row.setup = diagonal ? vg_user_diagonal_setup : vg_user_coupled_setup;
        m->row.start = vg_accel_state;
        m->row.step = diagonal ? vg_user_diagonal_step : vg_user_coupled_step;
    }
    snprintf(m->title, sizeof m->title, "tableau of %d stages, order %d%s", m->s, order,
             m->embedded ? ", with embedded weights" : "");
    return 1;
}

/* ---- multistep ---- */

static int zero_stable(Reader *r, const vgNode *map)
{
    const vgUserMethod *m = r->m;
    vgLoc at = vg_node_get(map, "alpha")->loc;
    vgUserRoots root;
    if (vg_user_roots(m->k, m->alpha, &root) != VG_OK) {
        vg_diag_error(r->diag, at, "the roots of the method cannot be found");
        return 0;
    }
    if (root.largest > 2 - VG_ON_CIRCLE)
        vg_diag_error(r->diag, at,
                      "the method is not zero-stable: a root of ζ^%d − Σ α_j ζ^(%d−j) has the modulus %.6g",
                      m->k, m->k, root.largest);
    else if (root.apart < ONE_ROOT)
        vg_diag_error(
            r->diag, at,
            "the method is not zero-stable: a root of modulus 1 of ζ^%d − Σ α_j ζ^(%d−j) is a double one",
            m->k, m->k);
    else
        return 1;
    return 0;
}

static int read_multistep(Reader *r, const vgNode *map)
{
    static const char *const keys[] = {"alpha", "beta", "order", "name"};
    vgUserMethod *m = r->m;
    double off;
    char why[120] = "";
    m->multistep = 1;
    if (!known_keys(r, map, "multistep method", keys, 4)) return 0;
    m->k = numbers(r, map, "alpha", -1, VG_USER_STEPS, m->alpha + 1);
    if (m->k < 1 || numbers(r, map, "beta", m->k + 1, m->k + 1, m->beta) < 0) return 0;
    int order = vg_user_multistep_order(m->k, m->alpha, m->beta, &m->worst, &off);
    if (order < 1) {
        vg_diag_error(r->diag, vg_node_get(map, "alpha")->loc,
                      order < 0 ? "alpha has the sum %.10g instead of 1"
                                : "the method is not consistent: off by %.10g",
                      order < 0 ? 1 - off : off);
        return 0;
    }
    snprintf(why, sizeof why, "the condition of order %d is off by %.3g", order + 1, off);
    if (!claim(r, order, why)) return 0;
    if (!zero_stable(r, map)) return 0;
    m->error = off;
    m->row.order = order;
    m->row.stages = 1;
    m->row.family = "linear multistep";
    m->row.flags = VG_INT_MULTISTEP | VG_INT_ESTIMATE | (m->beta[0] == 0 ? VG_INT_EXPLICIT : VG_INT_IMPLICIT);
    m->row.constraints =
        m->beta[0] == 0 ? VG_CON_ACCEL : VG_CON_INDEX3 | VG_CON_INDEX2 | VG_CON_INDEX1 | VG_CON_NONE;
    m->row.data = m;
    m->row.setup = vg_user_steps_setup;
    m->row.start = vg_user_steps_start;
    m->row.step = vg_user_steps_step;
    snprintf(m->title, sizeof m->title, "linear multistep method of %d steps, order %d", m->k, order);
    return 1;
}

/* ---- the file ---- */

static int read_root(Reader *r, const vgNode *root)
{
    const char *key = root->kind == VG_NODE_MAP && root->n == 1 ? root->pair[0].key->text : "";
    if (strcmp(key, "tableau") && strcmp(key, "multistep")) {
        vg_diag_error(r->diag, root->loc,
                      "the file of a method is a map with one key, 'tableau' or 'multistep'%s%s%s",
                      *key ? ", not '" : "", key, *key ? "'" : "");
        return 0;
    }
    const vgNode *map = root->pair[0].value;
    if (map->kind != VG_NODE_MAP) {
        vg_diag_error(r->diag, map->loc, "'%s' is a map of coefficients, got %s", key,
                      vg_node_kind_text(map));
        return 0;
    }
    r->order = vg_node_get(map, "order");
    return !strcmp(key, "tableau") ? read_tableau(r, map) : read_multistep(r, map);
}

vgStatus vg_user_load(const char *text, const char *folder, vgDiag *diag, vgLoc at, vgUserMethod **out)
{
    char path[1024], given[512];
    vgDiag *own = diag ? NULL : vg_diag_new();
    vgPool *pool = vg_pool_new(0);
    vgUserMethod *m = calloc(1, sizeof *m);
    vgStatus st = VG_BAD_INPUT;
    size_t n = strcspn(text + 5, ",");
    if (!pool || !m || (!diag && !own)) {
        vg_pool_free(pool);
        vg_diag_free(own);
        free(m);
        return VG_NO_MEMORY;
    }
    if (!diag) diag = own;
    snprintf(given, sizeof given, "%.*s", (int)(n < sizeof given ? n : sizeof given - 1), text + 5);
    if (folder && *given != '/')
        snprintf(path, sizeof path, "%s/%s", folder, given);
    else
        snprintf(path, sizeof path, "%s", given);
    size_t bytes = 0;
    char *mine = vg_spec_read(pool, path, at, &bytes, diag);
    vgNode *root = mine ? vg_spec_parse(pool, mine, bytes, vg_diag_file(diag, path), diag) : NULL;
    Reader r = {.diag = diag, .m = m};
    if (root && read_root(&r, root)) st = VG_OK;
    vg_pool_free(pool);
    vg_diag_free(own);
    snprintf(m->name, sizeof m->name, "file:%.70s", given);
    m->row.name = m->name;
    m->row.title = m->title;
    m->row.citation = "the user's file";
    if (st == VG_OK)
        *out = m;
    else
        vg_user_free(m);
    return st;
}
