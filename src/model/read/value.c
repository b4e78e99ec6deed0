/* Values of the spec as numbers, texts, vectors, rotations and laws. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/so3.h"
#include "math/rotpar.h"
#include "model/read/reader.h"
#include "model/tuning.h"

static int wrong(vgReader *r, vgNode *node, const char *expected)
{
    if (node->state != 3) {
        if (node->kind == VG_NODE_SCALAR && node->text[0]) {
            vg_diag_error(r->diag, node->loc, "expected %s, got '%.60s'", expected, node->text);
        } else {
            vg_diag_error(r->diag, node->loc, "expected %s, got %s", expected, vg_node_kind_text(node));
        }
    }
    node->state = 3;
    return 0;
}

/* A decimal number and nothing else: the common case, read without the expression compiler. */
static int plain_number(const char *s, double *out)
{
    const char *p = s + (*s == '-' || *s == '+');
    if (!((*p >= '0' && *p <= '9') || (*p == '.' && p[1] >= '0' && p[1] <= '9'))) return 0;
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) return 0;
    char *end;
    *out = strtod(s, &end);
    return *end == 0 && isfinite(*out);
}

static int find_constant(void *user, const char *name, double *value)
{
    vgReader *r = user;
    int found = vg_read_param(r, name, value);
    if (found < 0) { /* reported already: what leans on it fails in silence */
        r->tainted = 1;
        *value = 1;
    }
    return found != 0;
}

static int find_index(const vgReader *r, const char *name)
{
    for (int k = 0; r->ctx && k < r->ctx->scope->n; k++) {
        if (strcmp(r->ctx->scope->name[k], name) == 0) return k;
    }
    return -1;
}

/* In constants a repeat index is an input, so that one compilation serves every turn: slot = 1 + its place.
 */
static int find_index_slot(void *user, const char *name, int *slot)
{
    int k = find_index(user, name);
    *slot = k + 1;
    return k >= 0;
}

static const vgTable *find_table(void *user, const char *name)
{
    vgReader *r = user;
    int k = r->table_names ? vg_names_find(r->table_names, name) : -1;
    return k >= 0 && k < r->owned->ntable ? r->owned->table[k] : NULL;
}

static vgExprScope scope_of(vgReader *r, const vgNode *node)
{
    vgLoc at = node->loc;
    at.col += node->quoted;
    return (vgExprScope){.user = r,
                         .constant = find_constant,
                         .table = find_table,
                         .diag = r->diag,
                         .loc = at,
                         .known = r->param_names ? vg_names_list(r->param_names) : NULL,
                         .nknown = r->param_names ? vg_names_count(r->param_names) : 0};
}

static int finite_or_report(vgReader *r, vgNode *node, double value)
{
    if (isfinite(value)) return 1;
    if (node->state != 3) {
        vg_diag_error(r->diag, node->loc, "'%.60s' is not finite (a division by zero?)", node->text);
    }
    node->state = 3;
    return 0;
}

/* Compiles the text; a constant ends as state 1, an expression of repeat indices as state 2. */
static int compile_number(vgReader *r, vgNode *node)
{
    vgExprScope scope = scope_of(r, node);
    scope.input = find_index_slot;
    int errors = vg_diag_errors(r->diag), tainted = r->tainted;
    r->tainted = 0;
    vgExpr *expr = vg_expr_compile(node->text, &scope);
    if (r->tainted) {
        vg_expr_free(expr);
        node->state = 3;
        return 0; /* tainted stays for whoever asked */
    }
    r->tainted = tainted;
    if (!expr) {
        if (vg_diag_errors(r->diag) == errors) r->full = 1;
        node->state = 3;
        return 0;
    }
    double value;
    if (vg_expr_constant_value(expr, &value)) {
        vg_expr_free(expr);
        if (node->state == 3) return 0; /* a circle of parameters ran through here */
        node->value = value;
        node->state = isfinite(value) ? 1 : 0;
        return finite_or_report(r, node, value);
    }
    for (int k = 0; k < vg_expr_ninputs(expr); k++) {
        if (vg_expr_input(expr, k) > 0) continue;
        vg_diag_error(r->diag, node->loc, "'%.60s' varies with time; a constant is expected here",
                      node->text);
        vg_expr_free(expr);
        node->state = 3;
        return 0;
    }
    if (!vg_read_own(r, &r->own, expr)) return 0;
    node->expr = expr;
    node->scope = r->ctx->scope;
    node->state = 2;
    return 1;
}

int vg_read_number(vgReader *r, vgNode *node, double *out)
{
    if (node->state == 1) {
        *out = node->value;
        return 1;
    }
    if (node->state == 3) return 0;
    if (node->kind != VG_NODE_SCALAR || !node->text[0]) return wrong(r, node, "a number");
    if (node->state == 0 && plain_number(node->text, &node->value)) {
        node->state = 1;
        *out = node->value;
        return 1;
    }
    if (node->state != 2 || !r->ctx || node->scope != r->ctx->scope) {
        if (!compile_number(r, node)) return 0;
        if (node->state == 1) {
            *out = node->value;
            return 1;
        }
    }
    const vgExpr *expr = node->expr;
    double in[VG_READ_MAX_INDICES];
    for (int k = 0; k < vg_expr_ninputs(expr); k++) in[k] = r->ctx->value[vg_expr_input(expr, k) - 1];
    *out = vg_expr_value(expr, in);
    return finite_or_report(r, node, *out);
}

int vg_read_int(vgReader *r, vgNode *node, int *out)
{
    double value;
    if (!vg_read_number(r, node, &value)) return 0;
    if (value != floor(value) || fabs(value) > VG_GIVEN_WHOLE) return wrong(r, node, "a whole number");
    *out = (int)value;
    return 1;
}

int vg_read_bool(vgReader *r, vgNode *node, int *out)
{
    static const char *const words[] = {"no", "yes", "off", "on", "No", "Yes", "False", "True"};
    double value;
    for (int i = 0; node->kind == VG_NODE_SCALAR && i < 8; i++) {
        if (strcmp(node->text, words[i]) == 0) return wrong(r, node, "true or false");
    }
    if (!vg_read_number(r, node, &value)) return 0;
    *out = value != 0;
    return 1;
}

/* Text with {expression} pieces, split once. */
typedef struct piece {
    const char *literal;
    size_t n;
    vgNode *number; /* after the literal; NULL in the last piece */
} piece;

static const piece *split(vgReader *r, vgNode *node)
{
    int n = 1;
    for (const char *p = node->text; (p = strchr(p, '{')); p++) n++;
    piece *out = VG_NEW(r->scratch, piece, n);
    if (!out) {
        r->full = 1;
        return NULL;
    }
    const char *p = node->text;
    for (int i = 0; i < n; i++) {
        const char *open = strchr(p, '{'), *close = open ? strchr(open, '}') : NULL;
        if (open && !close) {
            vg_diag_error(r->diag, node->loc, "'%.60s' has a { without its }", node->text);
            node->state = 3;
            return NULL;
        }
        out[i] = (piece){p, open ? (size_t)(open - p) : strlen(p), NULL};
        if (!open) break;
        vgNode *number = VG_NEW(r->scratch, vgNode, 1);
        if (!number) return NULL;
        *number = (vgNode){.kind = VG_NODE_SCALAR, .loc = node->loc};
        number->loc.col += node->quoted + (int)(open + 1 - node->text);
        number->text = vg_pool_strndup(r->scratch, open + 1, (size_t)(close - open - 1));
        if (!number->text) return NULL;
        out[i].number = number;
        p = close + 1;
    }
    return out;
}

int vg_read_text(vgReader *r, vgNode *node, const char **out)
{
    if (node->kind != VG_NODE_SCALAR || !node->text[0]) return wrong(r, node, "a word");
    *out = node->text;
    if (!node->piece) {
        if (!strchr(node->text, '{')) return 1;
        if (node->state == 3 || !(node->piece = split(r, node))) return 0;
    }
    char buffer[VG_EXPR_MAX_LENGTH];
    size_t used = 0;
    for (const piece *p = node->piece;; p++) {
        char number[32] = "";
        double value = 0;
        if (p->number && !vg_read_number(r, p->number, &value)) return 0;
        int n = !p->number ? 0
                : value == floor(value) && fabs(value) < VG_GIVEN_WHOLE
                    ? snprintf(number, sizeof number, "%d", (int)value)
                    : snprintf(number, sizeof number, "%.17g", value);
        if (used + p->n + (size_t)n + 1 > sizeof buffer) return wrong(r, node, "a shorter text");
        memcpy(buffer + used, p->literal, p->n);
        memcpy(buffer + used + p->n, number, (size_t)n);
        used += p->n + (size_t)n;
        if (!p->number) break;
    }
    char *kept = vg_read_take(r, used + 1);
    if (!kept) return 0;
    memcpy(kept, buffer, used);
    *out = kept;
    return 1;
}

int vg_read_list(vgReader *r, vgNode *node, int n, double *out)
{
    char expected[40];
    if (node->kind != VG_NODE_LIST || node->n != n) {
        snprintf(expected, sizeof expected, "a list of %d numbers", n);
        return wrong(r, node, expected);
    }
    int ok = 1;
    for (int i = 0; i < n; i++) ok &= vg_read_number(r, node->item[i], &out[i]);
    return ok;
}

int vg_read_vec3(vgReader *r, vgNode *node, double out[3])
{
    out[0] = out[1] = out[2] = 0;
    if (node->kind == VG_NODE_LIST && r->m->planar && node->n == 2) return vg_read_list(r, node, 2, out);
    if (node->kind == VG_NODE_SCALAR && r->m->planar) return vg_read_number(r, node, &out[2]);
    if (node->kind != VG_NODE_LIST || node->n != 3 || r->m->planar) {
        return wrong(r, node, r->m->planar ? "[x, y]" : "[x, y, z]");
    }
    return vg_read_list(r, node, 3, out);
}

int vg_read_axis(vgReader *r, vgNode *node, double out[3])
{
    if (node->kind == VG_NODE_SCALAR) {
        const char *text = node->text;
        int minus = text[0] == '-';
        char c = text[minus];
        if (c < 'x' || c > 'z' || text[minus + 1]) return wrong(r, node, "x, y, z, -x, -y, -z or a vector");
        for (int i = 0; i < 3; i++) out[i] = c == 'x' + i ? (minus ? -1.0 : 1.0) : 0.0;
        return 1;
    }
    if (!vg_read_vec3(r, node, out)) return 0;
    vgVec3 v = vg_load3(out);
    double length = vg_norm3(v);
    if (!(length > 0) || !isfinite(length)) return wrong(r, node, "a direction of non-zero length");
    vg_store3(vg_scale3(v, 1 / length), out);
    return 1;
}

int vg_read_in_plane(vgReader *r, const vgNode *node, int across, const double axis[3])
{
    if (fabs(axis[2]) == (across ? 1 : 0)) return 1;
    vg_diag_error(r->diag, node->loc, "in a planar model this axis %s",
                  across ? "is across the plane: z or -z" : "lies in the plane: x, y, -x, -y or [x, y]");
    return 0;
}

int vg_read_matrix(vgReader *r, vgNode *node, double out[9])
{
    if (node->kind != VG_NODE_LIST || node->n != 3) return wrong(r, node, "three rows of three numbers");
    int ok = 1;
    for (int i = 0; i < 3; i++) ok &= vg_read_list(r, node->item[i], 3, out + 3 * i);
    return ok;
}

int vg_read_quaternion(vgReader *r, vgNode *node, vgMat3 *out)
{
    double q[4];
    if (!vg_read_list(r, node, 4, q)) return 0;
    double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(n > VG_GIVEN_QUATERNION) || !isfinite(n)) return wrong(r, node, "a quaternion of non-zero length");
    *out = vg_quat_to_mat((vgQuat){q[0] / n, q[1] / n, q[2] / n, q[3] / n});
    return 1;
}

/* [axis, angle] or {axis, angle} */
int vg_read_axis_angle(vgReader *r, vgNode *node, vgMat3 *out)
{
    vgNode *axis = vg_node_get(node, "axis"), *turn = vg_node_get(node, "angle");
    if (node->kind == VG_NODE_LIST && node->n == 2) axis = node->item[0], turn = node->item[1];
    if (!axis || !turn || (node->kind == VG_NODE_MAP && node->n != 2)) return wrong(r, node, "[axis, angle]");
    double u[3], angle;
    if (!vg_read_axis(r, axis, u) || !vg_read_number(r, turn, &angle)) return 0;
    *out = vg_so3_exp(vg_scale3(vg_load3(u), angle));
    return 1;
}

/* One angle about z, [x, y, z] angles of Rx Ry Rz, or a map with one of the named forms. */
int vg_read_rotation(vgReader *r, vgNode *node, vgMat3 *out)
{
    double a[3] = {0, 0, 0};
    if (node->kind == VG_NODE_MAP && node->n == 1) {
        const char *key = node->pair[0].key->text;
        vgNode *value = node->pair[0].value;
        if (strcmp(key, "quaternion") == 0) return vg_read_quaternion(r, value, out);
        if (strcmp(key, "axis-angle") == 0) return vg_read_axis_angle(r, value, out);
        if (strcmp(key, "matrix") == 0) {
            double m[9];
            if (!vg_read_matrix(r, value, m)) return 0;
            memcpy(out->m, m, sizeof m);
            vgMat3 e = vg_msub3(vg_mtm3(*out, *out), vg_eye3());
            double off = 0;
            for (int i = 0; i < 9; i++) off = fmax(off, fabs(e.m[i / 3][i % 3]));
            if (!(off < VG_GIVEN_ROTATION) || vg_det3(*out) < 0) return wrong(r, value, "a rotation matrix");
            *out = vg_quat_to_mat(vg_quat_from_mat(*out));
            return 1;
        }
    }
    if (node->kind == VG_NODE_SCALAR) {
        if (!vg_read_number(r, node, &a[2])) return 0;
    } else if (node->kind == VG_NODE_LIST && node->n == 3 && !r->m->planar) {
        if (!vg_read_list(r, node, 3, a)) return 0;
    } else {
        return wrong(r, node,
                     r->m->planar ? "an angle"
                                  : "[x, y, z] angles, {quaternion: …}, {axis-angle: …} or {matrix: …}");
    }
    vgMat3 x = vg_so3_exp(vg_v3(a[0], 0, 0)), y = vg_so3_exp(vg_v3(0, a[1], 0)),
           z = vg_so3_exp(vg_v3(0, 0, a[2]));
    *out = vg_mm3(vg_mm3(x, y), z);
    return 1;
}

/* In laws a repeat index is a constant, since every turn has a law of its own. */
static int law_constant(void *user, const char *name, double *value)
{
    const vgReader *r = user;
    int k = find_index(r, name);
    if (k < 0) return find_constant(user, name, value);
    *value = r->ctx->value[k];
    return 1;
}

static int law_input(void *user, const char *name, int *slot)
{
    vgReader *r = user;
    for (int k = 0; r->locals && r->locals[k]; k++) {
        if (strcmp(r->locals[k], name) != 0) continue;
        *slot = 1 + k;
        return 1;
    }
    int measure, rate;
    if (!vg_read_channel(r, name, &measure, &rate)) return 0;
    *slot = VG_LAW_LOCAL + 2 * measure + rate;
    return 1;
}

static int law_of(vgReader *r, vgNode *node, vgExpr *expr, vgLaw *out)
{
    *out = (vgLaw){.expr = expr, .ninput = vg_expr_ninputs(expr)};
    if (vg_expr_constant_value(expr, &out->value)) {
        out->expr = NULL;
        out->ninput = 0;
        vg_expr_free(expr);
        return finite_or_report(r, node, out->value);
    }
    if (out->ninput > VG_LAW_MAX_INPUTS) {
        vg_diag_error(r->diag, node->loc, "the law has %d inputs, %d are possible", out->ninput,
                      VG_LAW_MAX_INPUTS);
        vg_expr_free(expr);
        return 0;
    }
    for (int k = 0; k < out->ninput; k++) out->slot[k] = vg_expr_input(expr, k);
    char where[200];
    snprintf(where, sizeof where, "%.90s:%d:%d: '%.60s'", vg_diag_file_name(r->diag, node->loc.file),
             node->loc.line, node->loc.col, node->text);
    out->where = vg_read_keep(r, where);
    return vg_read_own(r, r->owned, expr);
}

/* Names for "did you mean": parameters, the element's own quantities and, in small models, joint coordinates.
 */
static void add_known(vgReader *r, vgExprScope *scope)
{
    int n = 0, nlocal = 0, nmeasure = r->m->nmeasure <= 500 ? r->m->nmeasure : 0;
    while (r->locals && r->locals[nlocal]) nlocal++;
    const char **known = VG_NEW(r->scratch, const char *, scope->nknown + nlocal + nmeasure + 1);
    if (!known) return;
    for (int k = 0; k < scope->nknown; k++) known[n++] = scope->known[k];
    for (int k = 0; k < nlocal; k++) known[n++] = r->locals[k];
    for (int k = 0; k < nmeasure; k++) known[n++] = r->measure[k].name;
    scope->known = known;
    scope->nknown = n;
}

/* A joint that has such a coordinate or rate, for an example; NULL: none. */
static const char *joint_with(const vgReader *r, const char *word)
{
    for (int j = 0; j < r->m->njoint; j++)
        for (int i = 0; i < r->joint[j].ncoord; i++) {
            const char *name = strrchr(r->measure[r->joint[j].measure0 + i].name, '.') + 1;
            if (strcmp(word, name) == 0 || strcmp(word, "rate") == 0) return r->joint[j].name;
        }
    return NULL;
}

/* The same of a body or a marker, or of what of them a law cannot see. */
static const char *body_advice(vgReader *r, const char *name)
{
    const char *dot = strchr(name, '.'), *end = dot ? strchr(dot + 1, '.') : NULL;
    const int planar = r->m->planar, marker = strncmp(name, "marker.", 7) == 0;
    if (planar && strcmp(name, "omega") == 0) return "a body's is written with its name: body.NAME.omega";
    if (strcmp(name, "position") == 0 || strcmp(name, "velocity") == 0 ||
        (!planar && (strcmp(name, "omega") == 0 || strcmp(name, "rotation") == 0)))
        return vg_pool_printf(r->scratch, "a body's is written with its name and component: body.NAME.%s.x",
                              name);
    if ((strncmp(name, "body.", 5) != 0 && !marker) || strstr(name, "acceleration")) return NULL;
    if (!marker &&
        vg_names_find_n(r->body_names, dot + 1, end ? (size_t)(end - dot - 1) : strlen(dot + 1)) < 0)
        return "there is no body of that name";
    return planar && !marker
               ? "of a body laws see position.x, position.y, velocity.x, velocity.y, angle and omega"
           : planar ? "of a marker, marker.BODY.NAME, laws see position.x, position.y, velocity.x, velocity.y"
           : marker
               ? "of a marker, marker.BODY.NAME, laws see position, velocity, rotation and omega, each .x … z"
               : "of a body laws see position, velocity, rotation and omega, each .x … z";
}

/* What a name was meant to be that laws do not know: the last part of a channel, or a channel that is computed
 * from forces and accelerations, which laws are part of. */
static const char *law_advice(void *user, const char *name)
{
    static const char *const family[] = {"joint.",    "body.",       "marker.",  "force.", "energy.",
                                         "momentum.", "constraint.", "station.", "modal."};
    vgReader *r = user;
    const char *joint = strchr(name, '.') ? NULL : joint_with(r, name), *text = NULL;
    if (joint)
        text = vg_pool_printf(r->scratch, "a joint's is written with its name: joint.%s.%s", joint, name);
    if (!text) text = body_advice(r, name);
    if (strcmp(name, "acceleration") == 0) text = "laws know no accelerations";
    if (strcmp(name, "x") == 0 || strcmp(name, "v") == 0)
        text = "springs, torsions and joint torques have an x and a v of their own, this has not; write "
               "joint.NAME.displacement or body.NAME.position.x";
    if (strcmp(name, "time") == 0) text = "the time is t";
    for (size_t i = 0; !text && i < sizeof family / sizeof family[0]; i++) {
        const char *last = strrchr(name, '.');
        if (strncmp(name, family[i], strlen(family[i])) != 0) continue;
        int computed = i > 2 || strstr(name, ".force") || strstr(name, ".torque") ||
                       strstr(name, ".effort") || strstr(last, "acceleration") || strstr(name, ".lambda");
        if (computed)
            text = "as a channel it can be recorded, but laws do not see it: they see t, positions, "
                   "velocities and reactions of joints (joint.NAME.angle, joint.NAME.rate, "
                   "joint.NAME.force.x, body.NAME.position.x, body.NAME.velocity.x …)";
    }
    return text;
}

int vg_read_law(vgReader *r, vgNode *node, vgLaw *out)
{
    *out = (vgLaw){0};
    if (node->kind != VG_NODE_SCALAR || !node->text[0]) return wrong(r, node, "a number or a law");
    if (plain_number(node->text, &out->value)) return 1;
    vgNode filled = *node;
    if (!vg_read_text(r, node, &filled.text)) return 0;
    vgExprScope scope = scope_of(r, node);
    scope.constant = law_constant;
    scope.input = law_input;
    scope.advice = law_advice;
    add_known(r, &scope);
    int errors = vg_diag_errors(r->diag);
    r->tainted = 0;
    vgExpr *expr = vg_expr_compile(filled.text, &scope);
    if (r->tainted) {
        vg_expr_free(expr);
        return 0;
    }
    if (!expr) {
        if (vg_diag_errors(r->diag) == errors) r->full = 1;
        return 0;
    }
    return law_of(r, &filled, expr, out);
}
