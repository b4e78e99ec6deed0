/* Order conditions by rooted trees (Butcher 1963; Hairer, Nørsett, Wanner I, II.2): for a tree t = [t_1 … t_k],
 *     g_i(t) = Π_k (A g(t_k))_i,   γ(t) = |t| Π_k γ(t_k),   Σ_i b_i g_i(t) = 1/γ(t)
 * for all trees of at most p nodes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

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
    for (int q = 0; q <= VG_USER_ORDER; q++) { /* of t^q/q! about t_k, t in steps */
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
    return VG_USER_ORDER;
}

/* ζ^k − Σ α_j ζ^{k−j} = (ζ − 1) q(ζ): the roots of q by the powers of its companion matrix, squared again and again. */
double vg_user_parasitic(int k, const double *alpha)
{
    enum { MOST = VG_USER_STEPS, SQUARES = 40 };
    double q[MOST] = {0}, m[MOST][MOST] = {{0}}, log_scale = 0;
    int n = k - 1;
    if (n < 1) return 0;
    q[0] = 1;
    for (int j = 1; j < k; j++) q[j] = q[j - 1] - alpha[j];
    for (int j = 0; j < n; j++) m[0][j] = -q[j + 1];
    for (int i = 1; i < n; i++) m[i][i - 1] = 1;
    for (int p = 0; p < SQUARES; p++) { /* m ← m²/scale²; log_scale: that of m^(2^p), over 2^p */
        double t[MOST][MOST] = {{0}}, most = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) most = fmax(most, fabs(m[i][j]));
        if (most == 0) return 0;
        log_scale += log(most) / ldexp(1, p);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                for (int l = 0; l < n; l++) t[i][j] += m[i][l] / most * (m[l][j] / most);
        memcpy(m, t, sizeof m);
    }
    return exp(log_scale);
}
