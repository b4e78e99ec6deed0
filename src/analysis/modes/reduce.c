#include "analysis/modes/reduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/eig.h"
#include "analysis/tuning.h"

typedef struct Work {
    const vgReduce *in;
    int n, nb, m;      /* coordinates, those of the boundary, of the reduced body */
    int *order;        /* [n] coordinates, the boundary's first */
    double *K, *M, *T; /* ordered; shapes [n × m] by rows */
    double *k, *mm, *V, *w2;
    double *shape; /* [modes × n] in the order of the input */
    int modes;
} Work;

static void give_back(Work *w)
{
    void *all[] = {w->order, w->K, w->M, w->T, w->k, w->mm, w->V, w->w2, w->shape};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static double *take(size_t a, size_t b)
{
    return calloc(a * b + 1, sizeof(double));
}

static int prepare(Work *w)
{
    const vgReduce *in = w->in;
    size_t n = (size_t)w->n, m = (size_t)w->m;
    w->order = calloc(n + 1, sizeof *w->order);
    w->K = take(n, n), w->M = take(n, n), w->T = take(n, m);
    w->k = take(m, m), w->mm = take(m, m), w->V = take(m, m), w->w2 = take(m, 1);
    w->shape = take(m, n);
    if (!w->order || !w->K || !w->M || !w->T || !w->k || !w->mm || !w->V || !w->w2 || !w->shape) return 0;
    int at = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < in->nnode; i++) {
            int edge = 0;
            for (int b = 0; b < in->nboundary; b++) edge |= in->boundary[b] == i;
            for (int c = 0; c < in->per_node && edge == !pass; c++) w->order[at++] = i * in->per_node + c;
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            size_t from = (size_t)w->order[i] * n + (size_t)w->order[j];
            w->K[i * n + j] = in->K[from];
            w->M[i * n + j] = in->M[from];
        }
    return 1;
}

/* Craig–Bampton shapes, then the free modes in their span: rigid ones are left out, the others have mean
 * axes, ∫ρ ψ = ∫ρ X × ψ = 0. */
static vgStatus modes(Work *w, vgDiag *diag)
{
    const int rigid = 6;
    vgStatus st = vg_modal_craig_bampton(w->n, w->K, w->M, w->nb, w->in->keep, w->T);
    if (st == VG_SINGULAR)
        vg_diag_error(diag, VG_NOWHERE,
                      "with the boundary held the body can still move without strain, or has no mass "
                      "somewhere: give more boundary nodes, or a mass to every coordinate");
    if (st == VG_OK) st = vg_modal_project(w->n, w->m, w->K, w->T, w->k);
    if (st == VG_OK) st = vg_modal_project(w->n, w->m, w->M, w->T, w->mm);
    if (st == VG_OK) st = vg_eig_symmetric_pair(w->k, w->mm, w->m, w->w2, w->V);
    if (st != VG_OK) return st;
    double scale = fabs(w->w2[w->m - 1]);
    for (int i = 0; i < rigid; i++)
        if (!(fabs(w->w2[i]) < VG_RIGID_BELOW * scale)) st = VG_BAD_INPUT;
    if (st == VG_OK && w->m > rigid && !(w->w2[rigid] > VG_ELASTIC_ABOVE * scale)) st = VG_BAD_INPUT;
    if (st != VG_OK) {
        vg_diag_error(
            diag, VG_NOWHERE,
            "the stiffness matrix is not that of a free body: six motions without strain are expected");
        return st;
    }
    double length = 0;
    for (int i = 1; i < w->in->nnode; i++)
        length = fmax(length, vg_norm3(vg_sub3(w->in->at[i], w->in->at[0])));
    w->modes = w->m - rigid;
    for (int a = 0; a < w->modes; a++) {
        double *to = w->shape + (size_t)a * (size_t)w->n, big = 0, sign = 1;
        for (int i = 0; i < w->n; i++) {
            double sum = 0;
            for (int j = 0; j < w->m; j++)
                sum += w->T[(size_t)i * (size_t)w->m + (size_t)j] * w->V[(rigid + a) * w->m + j];
            to[w->order[i]] = sum;
        }
        for (int i = 0; i < w->n;
             i++) { /* one metre at the largest displacement; rotations by a tenth of the size */
            double size = fabs(to[i]) * (i % w->in->per_node > 2 ? 0.1 * length : 1);
            if (size <= big * (1 + VG_LARGEST_FIRST)) continue;
            big = size;
            sign = to[i] < 0 ? -1 : 1;
        }
        for (int i = 0; i < w->n && big > 0; i++) to[i] *= sign / big;
    }
    return VG_OK;
}

/* The mass between the displacements of two nodes: a third of the trace of their block. */
static double between(const vgReduce *in, int i, int j)
{
    const size_t n = (size_t)(in->nnode * in->per_node);
    double sum = 0;
    for (int c = 0; c < 3; c++)
        sum += in->M[(size_t)(i * in->per_node + c) * n + (size_t)(j * in->per_node + c)];
    return sum / 3;
}

/* y = M x over all coordinates, in the order of the input. */
static void times_mass(const vgReduce *in, const double *x, double *y)
{
    const size_t n = (size_t)(in->nnode * in->per_node);
    for (size_t i = 0; i < n; i++) {
        y[i] = 0;
        for (size_t j = 0; j < n; j++) y[i] += in->M[i * n + j] * x[j];
    }
}

/* Motion of the whole as a rigid body: k < 3 along an axis, else about one through c. */
static void rigid_motion(const vgReduce *in, int k, vgVec3 c, double *x)
{
    for (int i = 0; i < in->nnode; i++) {
        double *to = x + i * in->per_node;
        vgVec3 e = vg_unit_axis3(k % 3);
        vg_store3(k < 3 ? e : vg_cross3(e, vg_sub3(in->at[i], c)), to);
        if (in->per_node == 6) vg_store3(k < 3 ? vg_zero3() : e, to + 3);
    }
}

static double dot(size_t n, const double *x, const double *y)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* Mass, centre and inertia by the rigid motions: exact for any consistent mass matrix. */
static vgStatus rigid_body(const vgReduce *in, vgModal *b, vgDiag *diag)
{
    const size_t n = (size_t)(in->nnode * in->per_node);
    double *x[6], *y = take(n, 1), J[9];
    int ok = y != NULL;
    for (int k = 0; k < 6; k++) ok &= (x[k] = take(n, 1)) != NULL;
    for (int pass = 0; pass < 2 && ok; pass++) { /* about the origin, then about the centre of mass */
        for (int k = 0; k < 6; k++) rigid_motion(in, k, b->com, x[k]);
        times_mass(in, x[0], y);
        b->mass = dot(n, x[0], y);
        if (pass == 0) {
            double z = dot(n, x[4], y), v = -dot(n, x[5], y); /* e_y × X = (z, 0, −x), e_z × X = (−y, x, 0) */
            times_mass(in, x[1], y);
            double u = dot(n, x[5], y);
            b->com = vg_scale3(vg_v3(u, v, z), 1 / b->mass);
            continue;
        }
        for (int i = 0; i < 3; i++) {
            times_mass(in, x[3 + i], y);
            for (int j = 0; j < 3; j++) J[3 * i + j] = dot(n, x[3 + j], y);
        }
        b->inertia = vg_mload3(J);
    }
    free(y);
    for (int k = 0; k < 6; k++) free(x[k]);
    if (!ok) return VG_NO_MEMORY;
    if (b->mass > 0) return VG_OK;
    vg_diag_error(diag, VG_NOWHERE, "the mass matrix gives no positive mass");
    return VG_BAD_INPUT;
}

/* ∫ρ ψ and ∫ρ X × ψ by the rigid motions, which is exact; the latter is the skew part of ∫ρ X ψᵀ. */
static vgStatus momenta(const Work *w, vgModal *b)
{
    const size_t n = (size_t)w->n;
    double *x = take(n, 1), *y = take(n, 1);
    for (int k = 0; k < 6 && x && y; k++) {
        rigid_motion(w->in, k, b->com, x);
        times_mass(w->in, x, y);
        for (int a = 0; a < b->nshape; a++) {
            vgVec3 e = vg_scale3(vg_unit_axis3(k % 3), dot(n, y, w->shape + (size_t)a * n));
            vgMat3 *Q = vg_modal_Q(b, 0, a + 1);
            if (k < 3) {
                b->P[a] = vg_add3(b->P[a], e);
                continue;
            }
            if (k == 3) *Q = vg_mscale3(vg_madd3(*Q, vg_mt3(*Q)), 0.5);
            *Q = vg_maxpy3(-0.5, vg_skew3(e), *Q);
            *vg_modal_Q(b, a + 1, 0) = vg_mt3(*Q);
        }
    }
    vgStatus st = x && y ? VG_OK : VG_NO_MEMORY;
    free(x);
    free(y);
    return st;
}

/* Integrals over the shapes. Second moments are taken with the masses between displacements; the modal mass
 * and the stiffness with the matrices themselves. */
static vgStatus integrals(const Work *w, vgModal *b)
{
    const vgReduce *in = w->in;
    const int nn = in->nnode, ns = b->nshape;
    const size_t n = (size_t)w->n;
    vgVec3 *psi = calloc((size_t)((ns + 1) * nn) + 1, sizeof *psi),
           *pushed = calloc((size_t)((ns + 1) * nn) + 1, sizeof *pushed);
    double *y = take(n, 1);
    vgStatus st = psi && pushed && y ? VG_OK : VG_NO_MEMORY;
    for (int i = 0; i < nn && st == VG_OK; i++) {
        psi[i] = vg_sub3(in->at[i], b->com);
        for (int a = 0; a < ns; a++)
            psi[(a + 1) * nn + i] = vg_load3(w->shape + (size_t)a * n + (size_t)(i * in->per_node));
    }
    for (int i = 0; i < nn && st == VG_OK; i++)
        for (int j = 0; j < nn; j++) {
            double m = between(in, i, j);
            if (m == 0) continue;
            for (int a = 0; a <= ns; a++)
                pushed[a * nn + i] = vg_axpy3(m, psi[a * nn + j], pushed[a * nn + i]);
        }
    for (int a = 0; a <= ns && st == VG_OK; a++) {
        for (int c = 0; c <= ns; c++) {
            vgMat3 Q = vg_mzero3();
            for (int i = 0; i < nn; i++) Q = vg_madd3(Q, vg_outer3(psi[a * nn + i], pushed[c * nn + i]));
            *vg_modal_Q(b, a, c) = Q;
        }
    }
    for (int a = 0; a < ns && st == VG_OK; a++) {
        times_mass(in, w->shape + (size_t)a * n, y);
        for (int c = 0; c < ns; c++) b->M[a * ns + c] = dot(n, y, w->shape + (size_t)c * n);
        for (size_t i = 0; i < n; i++) y[i] = dot(n, in->K + i * n, w->shape + (size_t)a * n);
        for (int c = 0; c < ns; c++) b->K[a * ns + c] = dot(n, y, w->shape + (size_t)c * n);
    }
    for (int a = 0; a < ns && st == VG_OK; a++)
        for (int c = 0; c < a; c++) { /* orthogonal and symmetric but for rounding */
            b->M[a * ns + c] = b->M[c * ns + a] = 0.5 * (b->M[a * ns + c] + b->M[c * ns + a]);
            b->K[a * ns + c] = b->K[c * ns + a] = 0.5 * (b->K[a * ns + c] + b->K[c * ns + a]);
        }
    free(psi);
    free(pushed);
    free(y);
    return st;
}

static vgStatus nodes(const Work *w, vgPool *pool, vgModal *b)
{
    const vgReduce *in = w->in;
    for (int k = 0; k < in->nboundary; k++) {
        const int i = in->boundary[k];
        vgModalNode *x = &b->node[k];
        x->name = vg_pool_strdup(pool, in->name[i]);
        x->at = in->at[i];
        if (!x->name) return VG_NO_MEMORY;
        for (int a = 0; a < b->nshape; a++) {
            const double *from = w->shape + (size_t)a * (size_t)w->n + i * in->per_node;
            x->t[a] = vg_load3(from);
            if (in->per_node == 6) x->r[a] = vg_load3(from + 3);
        }
    }
    return VG_OK;
}

vgStatus vg_reduce(const vgReduce *in, vgPool *pool, vgDiag *diag, vgModal *out, double *frequency)
{
    Work w = {.in = in, .n = in->nnode * in->per_node, .nb = in->nboundary * in->per_node};
    w.m = w.nb + in->keep;
    vgStatus st = VG_BAD_INPUT;
    if ((in->per_node != 3 && in->per_node != 6) || w.n > VG_REDUCE_MAX)
        vg_diag_error(diag, VG_NOWHERE, "expected 3 or 6 coordinates a node, %d in all at most",
                      VG_REDUCE_MAX);
    else if (in->keep < 0 || w.m > w.n)
        vg_diag_error(diag, VG_NOWHERE, "%d modes are more than the %d coordinates inside", in->keep,
                      w.n - w.nb);
    else if (w.m < 7 || w.m - 6 > VG_MODAL_MAX_MODES)
        vg_diag_error(diag, VG_NOWHERE,
                      "%d boundary coordinates and %d modes leave %d shapes besides the six rigid ones; a "
                      "flexible body has 1 to %d",
                      w.nb, in->keep, w.m - 6, VG_MODAL_MAX_MODES);
    else
        st = prepare(&w) ? VG_OK : VG_NO_MEMORY;
    if (st == VG_OK) st = modes(&w, diag);
    if (st == VG_OK && !vg_modal_alloc(pool, w.modes, 0, in->nboundary, out)) st = VG_NO_MEMORY;
    if (st == VG_OK) st = rigid_body(in, out, diag);
    if (st == VG_OK) st = integrals(&w, out);
    if (st == VG_OK) st = momenta(&w, out);
    if (st == VG_OK) st = nodes(&w, pool, out);
    for (int i = 0; st == VG_OK && frequency && i < w.m; i++) frequency[i] = sqrt(fmax(w.w2[i], 0));
    give_back(&w);
    return st;
}
