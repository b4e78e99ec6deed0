/* Order conditions by rooted trees (Butcher 1963; Hairer, Nørsett, Wanner I, II.2): for a tree t = [t_1 … t_k],
 *     g_i(t) = Π_k (A g(t_k))_i,   γ(t) = |t| Π_k γ(t_k),   Σ_i b_i g_i(t) = 1/γ(t)
 * for all trees of at most p nodes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/eig.h"
#include "integrator/user/user.h"

/* Coefficients are written with some digits: what conditions may be off. Eight digits leave 1e-9 to 1e-8 */
static const double HOLDS = 1e-8;
enum { TREES = 200, BRANCHES = VG_USER_ORDER }; /* 1, 1, 2, 4, 9, 20, 48, 115 of 1 … 8 nodes */

typedef struct Tree {
    int nodes, n, child[BRANCHES];
    double gamma, g[VG_USER_STAGES];
} Tree;

typedef struct Forest {
    int s, n;
    const double *a;
    Tree tree[TREES];
} Forest;

static void grow(Forest *f, Tree t)
{
    t.gamma = t.nodes;
    for (int i = 0; i < f->s; i++) t.g[i] = 1;
    for (int k = 0; k < t.n; k++) {
        const Tree *c = &f->tree[t.child[k]];
        t.gamma *= c->gamma;
        for (int i = 0; i < f->s; i++) {
            double sum = 0;
            for (int j = 0; j < f->s; j++) sum += f->a[i * f->s + j] * c->g[j];
            t.g[i] *= sum;
        }
    }
    if (f->n < TREES) f->tree[f->n++] = t;
}

/* All trees whose branches have `left` more nodes in all, the next branch being no earlier than `from`. */
static void branch(Forest *f, Tree t, int left, int from)
{
    if (left == 0) grow(f, t);
    for (int k = from, most = f->n; k < most && left > 0; k++) {
        if (f->tree[k].nodes > left) break; /* they are in the order of their size */
        Tree next = t;
        next.child[next.n++] = k;
        branch(f, next, left - f->tree[k].nodes, k);
    }
}

/* [[•]•] and such */
static void write_tree(const Forest *f, const Tree *t, char *out, size_t size)
{
    size_t n = strlen(out);
    if (t->n == 0) {
        snprintf(out + n, size - n, "•");
        return;
    }
    snprintf(out + n, size - n, "[");
    for (int k = 0; k < t->n; k++) write_tree(f, &f->tree[t->child[k]], out, size);
    n = strlen(out);
    snprintf(out + n, size - n, "]");
}

int vg_user_order(int s, const double *a, const double *b, double *worst, double *off, char *tree,
                  size_t size)
{
    Forest f = {.s = s, .a = a};
    int done = 0;
    *worst = *off = 0;
    for (int order = 1; order <= VG_USER_ORDER; order++) {
        double most = 0;
        branch(&f, (Tree){.nodes = order}, order - 1, 0);
        for (; done < f.n; done++) {
            const Tree *t = &f.tree[done];
            double sum = 0;
            for (int i = 0; i < s; i++) sum += b[i] * t->g[i];
            double r = fabs(sum - 1 / t->gamma);
            most = fmax(most, r);
            if (r <= HOLDS) continue;
            *off = sum - 1 / t->gamma;
            if (tree) *tree = 0, write_tree(&f, t, tree, size);
            return order - 1;
        }
        *worst = fmax(*worst, most);
    }
    return VG_USER_ORDER;
}

int vg_user_multistep_order(int k, const double *alpha, const double *beta, double *worst, double *off)
{
    *worst = *off = 0;
    for (int q = 0; q <= VG_USER_MULTISTEP_ORDER + 1; q++) { /* of t^q/q! about t_k, t in steps */
        double r = q == 0, factorial = 1;
        for (int i = 2; i <= q; i++) factorial *= i;
        for (int j = 1; j <= k; j++) r -= alpha[j] * pow(-j, q) / factorial;
        for (int j = 0; j <= k && q > 0; j++) r -= beta[j] * (q == 1 ? 1 : pow(-j, q - 1)) * q / factorial;
        if (!(fabs(r) <= HOLDS)) {
            *off = r;
            return q - 1;
        }
        *worst = fmax(*worst, fabs(r));
    }
    return VG_USER_MULTISTEP_ORDER;
}

vgStatus vg_user_roots(int k, const double *alpha, vgUserRoots *out)
{
    enum { MOST = VG_USER_STEPS };
    double m[MOST * MOST] = {0}, re[MOST] = {0}, im[MOST] = {0}, q = 1;
    int n = k - 1; /* ζ^k − Σ α_j ζ^{k−j} = (ζ − 1) q(ζ), q by Horner's scheme; its companion matrix */
    *out = (vgUserRoots){0, INFINITY};
    if (n < 1) return VG_OK;
    for (int j = 0; j < n; j++) {
        q -= alpha[j + 1];
        m[j] = -q;
        if (j > 0) m[j * n + j - 1] = 1;
    }
    vgStatus st = vg_eig_general(m, n, re, im, NULL);
    if (st != VG_OK) return st;
    for (int i = 0; i < n; i++) {
        double size = hypot(re[i], im[i]);
        out->largest = fmax(out->largest, size);
        if (size < VG_ON_CIRCLE) continue;
        out->apart = fmin(out->apart, hypot(re[i] - 1, im[i]));
        for (int j = 0; j < n; j++)
            if (j != i) out->apart = fmin(out->apart, hypot(re[i] - re[j], im[i] - im[j]));
    }
    return VG_OK;
}
