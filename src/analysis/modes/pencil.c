#include "analysis/modes/pencil.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- blocks ---- */

static void blocks_free(vgBlocks *a)
{
    free(a->block);
    free(a->value);
    *a = (vgBlocks){0};
}

void vg_blocks_multiply(const vgBlocks *a, const double *x, double *y, int n)
{
    memset(y, 0, (size_t)n * sizeof *y);
    for (int k = 0; k < a->n; k++) {
        const struct vgBlockAt *b = &a->block[k];
        const double *v = a->value + b->at;
        for (int r = 0; r < b->rows; r++, v += b->cols) {
            double sum = 0;
            for (int c = 0; c < b->cols; c++) sum += v[c] * x[b->col + c];
            y[b->row + r] += sum;
        }
    }
}

double vg_blocks_form(const vgBlocks *a, const double *x, const double *y)
{
    double sum = 0;
    for (int k = 0; k < a->n; k++) {
        const struct vgBlockAt *b = &a->block[k];
        const double *v = a->value + b->at;
        for (int r = 0; r < b->rows; r++, v += b->cols)
            for (int c = 0; c < b->cols; c++) sum += x[b->row + r] * v[c] * y[b->col + c];
    }
    return sum;
}

/* Σ over displacements and turns (0, 1) apart: largest |entry| of each part of a block by |x| and |y| of its rows and columns. */
double vg_pencil_bound(const vgPencil *p, const double *x, const double *y)
{
    double sum = 0;
    for (int k = 0; k < p->K.n; k++) {
        const struct vgBlockAt *b = &p->K.block[k];
        const double *v = p->K.value + b->at;
        const int *row = p->sys->model->body[p->sys->v_body[b->row]].select.at,
                  *col = p->sys->model->body[p->sys->v_body[b->col]].select.at;
        double big[2][2] = {{0}}, left[2] = {0}, right[2] = {0};
        for (int r = 0; r < b->rows; r++) {
            left[row[r] / 3] += fabs(x[b->row + r]);
            for (int c = 0; c < b->cols; c++) {
                double *to = &big[row[r] / 3][col[c] / 3];
                *to = fmax(*to, fabs(v[r * b->cols + c]));
            }
        }
        for (int c = 0; c < b->cols; c++) right[col[c] / 3] += fabs(y[b->col + c]);
        for (int i = 0; i < 4; i++) sum += left[i / 2] * big[i / 2][i % 2] * right[i % 2];
    }
    return sum;
}

void vg_blocks_dense(const vgBlocks *a, double *out, int n)
{
    memset(out, 0, (size_t)n * (size_t)n * sizeof *out);
    for (int k = 0; k < a->n; k++) {
        const struct vgBlockAt *b = &a->block[k];
        const double *v = a->value + b->at;
        for (int r = 0; r < b->rows; r++)
            for (int c = 0; c < b->cols; c++)
                out[(size_t)(b->row + r) * (size_t)n + (size_t)(b->col + c)] = v[r * b->cols + c];
    }
}

/* Stored block k of the graph where it couples coordinates; 0: it belongs to rows, or is one that was met before. */
static int place_of(const vgPencil *p, int k, struct vgBlockAt *b)
{
    const vgLinPlace place = vg_lin_place(p->lin, k);
    *b = (struct vgBlockAt){vg_lin_offset(p->lin, place.i), vg_lin_offset(p->lin, place.j),
                            vg_lin_rows(p->lin, place.i), vg_lin_rows(p->lin, place.j), place.at};
    return b->row < p->n && b->col < p->n;
}

static int is_zero(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (x[i] != 0) return 0;
    return 1;
}

/* Takes the blocks of coordinates out of `value`, which it owns from then on; zeros: also those that are zero. */
static vgStatus blocks_of(const vgPencil *p, double *value, int zeros, vgBlocks *out)
{
    const int all = vg_lin_stored(p->lin);
    struct vgBlockAt b;
    int n = 0;
    out->value = value;
    for (int pass = 0; pass < 2; pass++) {
        if (pass && !(out->block = calloc((size_t)n + 1, sizeof *out->block))) return VG_NO_MEMORY;
        n = 0;
        for (int k = 0; k < all; k++) {
            if (!place_of(p, k, &b) || (!zeros && is_zero(value + b.at, (size_t)(b.rows * b.cols)))) continue;
            if (pass) out->block[n] = b;
            n++;
        }
    }
    out->n = n;
    return VG_OK;
}

/* ---- what the system's tangents hold ---- */

/* The values of an assembled tangent; NULL: no memory. */
static double *assembled(vgPencil *p, vgWork *work, const vgTangent *at, vgStatus *st)
{
    vgSaddle saddle = {0};
    double *copy = NULL;
    *st = p->sys->ops->assemble(p->sys, work, at, &saddle);
    if (*st != VG_OK) return NULL;
    p->lin = saddle.lin, p->row_at = saddle.row_at;
    p->size = vg_lin_size(p->lin);
    const double *values = vg_lin_values(p->lin, &p->nvalue);
    copy = malloc((p->nvalue + 1) * sizeof *copy);
    if (copy)
        memcpy(copy, values, p->nvalue * sizeof *copy);
    else
        *st = VG_NO_MEMORY;
    return copy;
}

/* With these, S = M + 2²⁰ C + 2⁻¹⁰⁰⁰ K: K is nothing beside the others, and what it leaves alone is cleared. */
static const double C_FACTOR = 0x1p20, K_FACTOR = 0x1p-1000, K_ALONE = 0x1p-900;

static double *damping_of(vgPencil *p, vgWork *work, vgTangent at, const double *M, vgStatus *st)
{
    at.ca = 1 / K_FACTOR, at.cv = C_FACTOR / K_FACTOR;
    double *C = assembled(p, work, &at, st);
    for (size_t i = 0; C && i < p->nvalue; i++) {
        C[i] = (C[i] - M[i]) / C_FACTOR;
        if (fabs(C[i]) < K_ALONE) C[i] = 0;
    }
    return C;
}

/* B alone: what is left of K without the blocks of coordinates. */
static vgStatus rows_of(vgPencil *p, const double *K)
{
    const int all = vg_lin_stored(p->lin);
    struct vgBlockAt b;
    p->B = malloc((p->nvalue + 1) * sizeof *p->B);
    if (!p->B) return VG_NO_MEMORY;
    memcpy(p->B, K, p->nvalue * sizeof *p->B);
    for (int k = 0; k < all; k++)
        if (place_of(p, k, &b)) memset(p->B + b.at, 0, (size_t)(b.rows * b.cols) * sizeof *p->B);
    return VG_OK;
}

/* ---- rotation ---- */

/* The native 3 × 3 of ω × for displacements (part 0, world axes) or turns (1, body axes) of the body of a column. */
typedef struct Turning {
    vgMat3 part[2];
} Turning;

/* out += factor A Ω, Ω of each body its own; at[i]: first coordinate of each body. */
static void add_turning(const vgPencil *p, const vgBlocks *a, const Turning *turning, double factor,
                        double *out)
{
    const vgSystem *sys = p->sys;
    for (int k = 0; k < a->n; k++) {
        const struct vgBlockAt *b = &a->block[k];
        const int body = sys->v_body[b->col];
        const vgSelect *select = &sys->model->body[body].select;
        if (vg_body_is_hidden(&sys->model->body[body])) continue;
        for (int c = 0; c < b->cols; c++)
            for (int d = 0; d < b->cols; d++) {
                const int from = select->at[c], to = select->at[d];
                if (from / 3 != to / 3) continue;
                const double w = factor * turning[body].part[from / 3].m[from % 3][to % 3];
                if (w == 0) continue;
                for (int r = 0; r < b->rows; r++)
                    out[b->at + (size_t)(r * b->cols + d)] += w * a->value[b->at + (size_t)(r * b->cols + c)];
            }
    }
}

/* C −= M [ω], and the terms of a rotating frame: C += 2MΩ, K += CΩ + MΩ². */
static vgStatus add_rotations(vgPencil *p, const vgKin *kin, vgVec3 w, double *C, double *K)
{
    const vgModel *m = p->sys->model;
    const size_t nbody = (size_t)m->nbody + 1;
    Turning *own = calloc(2 * nbody, sizeof *own), *frame = own ? own + nbody : NULL;
    double *T = calloc(p->nvalue + 1, sizeof *T);
    vgBlocks c = {0}, t = {0};
    vgStatus st = own && T ? VG_OK : VG_NO_MEMORY;
    for (int i = 0; st == VG_OK && i < m->nbody; i++) {
        if (m->body[i].select.n == 6) own[i].part[1] = vg_skew3(kin[i].w);
        frame[i].part[0] = vg_skew3(w);
        frame[i].part[1] = vg_skew3(m->body[i].select.n == 6 ? vg_mtv3(kin[i].R, w) : w);
    }
    if (st == VG_OK) {
        add_turning(p, &p->M, own, -1, C);
        if (vg_norm3(w) > 0) {
            st = blocks_of(p, C, 0, &c);
            if (st == VG_OK) add_turning(p, &c, frame, 1, K);
            add_turning(p, &p->M, frame, 1, T);
            if (st == VG_OK) st = blocks_of(p, T, 0, &t);
            if (st == VG_OK) add_turning(p, &t, frame, 1, K);
            for (size_t i = 0; i < p->nvalue; i++) C[i] += 2 * T[i];
        }
    }
    free(c.block);
    free(t.block);
    free(own);
    free(T);
    return st;
}

/* ---- the whole ---- */

/* value[to] of the transposed entry; −1 where K has no such block (rows). */
static double *mirrored(const vgPencil *p, const vgLinPlace *place)
{
    size_t n;
    const double *values = vg_lin_values(p->lin, &n);
    const double *block = vg_lin_block(p->lin, place->j, place->i);
    return block ? p->K.value + (block - values) : NULL;
}

/* Largest |K − Kᵀ|; mend: K := (K + Kᵀ)/2. */
static double unsymmetry(vgPencil *p, int mend)
{
    const int all = vg_lin_stored(p->lin);
    double off = 0, big = 0;
    for (int k = 0; k < all; k++) {
        struct vgBlockAt b;
        const vgLinPlace place = vg_lin_place(p->lin, k);
        double *other = place_of(p, k, &b) ? mirrored(p, &place) : NULL, *own = p->K.value + b.at;
        for (int r = 0; other && r < b.rows; r++)
            for (int c = 0; c < b.cols; c++) {
                double *x = &own[r * b.cols + c], *y = &other[c * b.rows + r];
                off = fmax(off, fabs(*x - *y));
                big = fmax(big, fabs(*x));
                if (mend) *x = *y = 0.5 * (*x + *y);
            }
    }
    return big > 0 ? off / big : 0;
}

/* Integrals of controllers act as forces that are not symmetric; without them nothing depends on their coordinates,
 * which get a stiffness of one and no mass. */
void vg_pencil_symmetrise(vgPencil *p)
{
    const vgSystem *sys = p->sys;
    unsymmetry(p, 1);
    for (int k = 0; k < p->K.n; k++) {
        const struct vgBlockAt *b = &p->K.block[k];
        if (!vg_model_is_integral(sys->model, sys->v_body[b->row]) &&
            !vg_model_is_integral(sys->model, sys->v_body[b->col]))
            continue;
        for (int r = 0; r < b->rows; r++)
            for (int c = 0; c < b->cols; c++)
                p->K.value[b->at + (size_t)(r * b->cols + c)] = b->row + r == b->col + c;
    }
}

/* turned: as modes need it; 0: the derivatives in the system's own coordinates. */
static vgStatus take(const vgSystem *sys, vgWork *work, const vgState *s, vgVec3 w, int turned, vgPencil *out)
{
    vgPencil p = {.sys = sys, .n = sys->nv};
    vgTangent at = {.t = s->t, .q = s->q, .v = s->v, .a = s->a, .lambda = s->lambda, .exact = 1};
    vgStatus st;
    double *K = NULL, *M = NULL, *C = NULL;
    vg_work_bind(work, s);
    K = assembled(&p, work, &at, &st); /* ca = 0: the static tangent */
    at.mass = 1;
    if (st == VG_OK) M = assembled(&p, work, &at, &st);
    at.mass = 0;
    if (st == VG_OK) C = damping_of(&p, work, at, M, &st);
    if (st == VG_OK) st = rows_of(&p, K);
    if (st == VG_OK && !(p.x = malloc(((size_t)p.size + 1) * sizeof *p.x))) st = VG_NO_MEMORY;
    if (st == VG_OK) st = blocks_of(&p, M, 0, &p.M), M = NULL;
    if (st == VG_OK && turned)
        st = add_rotations(&p, sys->ops->kinematics(sys, work, s->t, s->q, s->v, s->a), w, C, K);
    if (st == VG_OK) st = blocks_of(&p, C, 0, &p.C), C = NULL;
    if (st == VG_OK) st = blocks_of(&p, K, 1, &p.K), K = NULL;
    if (st == VG_OK) p.unsymmetry = unsymmetry(&p, 0);
    free(M);
    free(C);
    free(K);
    if (st != VG_OK) vg_pencil_free(&p);
    *out = p;
    return st;
}

vgStatus vg_pencil_new(const vgSystem *sys, vgWork *work, const vgState *s, vgVec3 w, vgPencil *out)
{
    return take(sys, work, s, w, 1, out);
}

vgStatus vg_pencil_of_system(const vgSystem *sys, vgWork *work, const vgState *s, vgPencil *out)
{
    return take(sys, work, s, vg_zero3(), 0, out);
}

void vg_pencil_free(vgPencil *p)
{
    blocks_free(&p->M);
    blocks_free(&p->C);
    blocks_free(&p->K);
    free(p->B);
    free(p->x);
    *p = (vgPencil){0};
}

static void add_blocks(const vgBlocks *a, double factor, double *values)
{
    for (int k = 0; k < a->n; k++) {
        const struct vgBlockAt *b = &a->block[k];
        for (int i = 0; i < b->rows * b->cols; i++)
            values[b->at + (size_t)i] += factor * a->value[b->at + (size_t)i];
    }
}

void vg_pencil_fill(vgPencil *p, const vgState *state, double sigma, int square)
{
    size_t n;
    double *values = vg_lin_values(p->lin, &n);
    memcpy(values, p->B, n * sizeof *values);
    add_blocks(&p->K, 1, values);
    if (!square) add_blocks(&p->C, sigma, values);
    add_blocks(&p->M, square ? sigma : sigma * sigma, values);
    vg_lin_leave_out(p->lin, p->sys->nl, p->row_at, state->active);
}

vgStatus vg_pencil_factor(vgPencil *p, const vgState *state, double sigma, int square)
{
    vg_pencil_fill(p, state, sigma, square);
    return vg_lin_factor(p->lin);
}

void vg_pencil_solve(vgPencil *p, double *x)
{
    memcpy(p->x, x, (size_t)p->n * sizeof *x);
    memset(p->x + p->n, 0, (size_t)(p->size - p->n) * sizeof *x);
    vg_lin_solve_at_once(p->lin, p->x);
    memcpy(x, p->x, (size_t)p->n * sizeof *x);
}
