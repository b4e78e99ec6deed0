/* Relative coordinates: accelerations by articulated bodies (Featherstone 2008, ch. 7), O(n).
 *     I_i^A = I_i + Σ Xᵀ I_c^a X,   U = I^A S,   D = Sᵀ U,   I^a = I^A − U D⁻¹ Uᵀ
 *     p_i^A = b_i − f_i + Σ Xᵀ p_c^a,   u = τ − Sᵀ p^A,   p^a = p^A + I^a c + U D⁻¹ u
 *     a = D⁻¹ (u − Uᵀ (X A_p + c)) */
#include <math.h>
#include <string.h>

#include "math/lanes.h"
#include "system/relative/relative.h"

/* A vector of three as four numbers side by side, of which the last means nothing and is never looked at;
 * matrices by rows, so that A x is a sum of columns or of the rows of Aᵀ, without sums across a vector. */
typedef vgLane Vec;
typedef struct Mat {
    Vec r[3];
} Mat;

/* Reads one number too many: it must be there. */
VG_LANEWISE Vec load(const double *x)
{
    return *(const vgLaneLoose *)x;
}

VG_LANEWISE void store(Vec a, double *to)
{
    to[0] = a[0];
    to[1] = a[1];
    to[2] = a[2];
}

VG_LANEWISE double sum(Vec a)
{
    return a[0] + a[1] + a[2];
}

/* x × y = (x y_yzx − x_yzx y)_yzx */
VG_LANEWISE Vec cross(Vec x, Vec y)
{
    Vec a = x * __builtin_shufflevector(y, y, 1, 2, 0, 3) - __builtin_shufflevector(x, x, 1, 2, 0, 3) * y;
    return __builtin_shufflevector(a, a, 1, 2, 0, 3);
}

VG_LANEWISE Mat transposed(const Mat *A)
{
    Vec x[4] = {A->r[0], A->r[1], A->r[2], vg_lane(0)};
    vg_lane_turn(x);
    return (Mat){{x[0], x[1], x[2]}};
}

/* Aᵀ x, x in memory */
VG_LANEWISE Vec times(const Mat *A, const double *x)
{
    return A->r[0] * x[0] + A->r[1] * x[1] + A->r[2] * x[2];
}

/* [d] A */
VG_LANEWISE Mat skew_times(const double *d, const Mat *A)
{
    return (Mat){
        {d[1] * A->r[2] - d[2] * A->r[1], d[2] * A->r[0] - d[0] * A->r[2], d[0] * A->r[1] - d[1] * A->r[0]}};
}

VG_LANEWISE void add(Mat *A, const Mat *B)
{
    for (int i = 0; i < 3; i++) A->r[i] += B->r[i];
}

/* A −= x yᵀ */
VG_LANEWISE void subtract_outer(Mat *A, Vec x, Vec y)
{
    for (int i = 0; i < 3; i++) A->r[i] -= x[i] * y;
}

/* A symmetric spatial inertia [vv vw; wv ww], wv = vwᵀ, and the bias force with it. */
typedef struct Inertia {
    Mat vv, vw, wv, ww;
    Vec pv, pw;
} Inertia;

_Static_assert(sizeof(Inertia) == VG_TREE_INERTIA * sizeof(double), "the accumulators' size");

/* Accumulators may be at any address. */
VG_LANEWISE Mat load_mat(const double *from)
{
    return (Mat){{load(from), load(from + VG_LANES), load(from + 2 * VG_LANES)}};
}

VG_LANEWISE void put(Vec x, double *to, int first)
{
    *(vgLaneLoose *)to = first ? x : x + load(to);
}

VG_LANEWISE void put_mat(const Mat *A, double *to, int first)
{
    for (int i = 0; i < 3; i++) put(A->r[i], to + VG_LANES * i, first);
}

enum { AT_VV = 0, AT_VW = 12, AT_WV = 24, AT_WW = 36, AT_PV = 48, AT_PW = 52 };

/* R J Rᵀ: the rows of J Rᵀ are sums of columns of R */
VG_LANEWISE Mat turned(const vgMat3 *R, const vgMat3 *J)
{
    Mat rows = {{load(R->m[0]), load(R->m[1]), load(R->m[2])}}, C = transposed(&rows), Y;
    for (int k = 0; k < 3; k++) Y.r[k] = times(&C, J->m[k]);
    return (Mat){{times(&Y, R->m[0]), times(&Y, R->m[1]), times(&Y, R->m[2])}};
}

/* The link's own inertia and bias, with what its children left in the accumulator. */
VG_LANEWISE void own_inertia(const vgLink *l, const vgLinkMotion *m, const double *wrench,
                             const double *children, Inertia *I)
{
    Mat J = turned(&m->R, &l->J);
    Vec w = load(&m->w.x);
    if (l->leaf) {
        memset(I, 0, sizeof *I);
    } else {
        I->vv = load_mat(children + AT_VV), I->vw = load_mat(children + AT_VW);
        I->wv = load_mat(children + AT_WV), I->ww = load_mat(children + AT_WW);
        I->pv = load(children + AT_PV), I->pw = load(children + AT_PW);
    }
    I->vv.r[0] += (Vec){l->mass, 0, 0, 0};
    I->vv.r[1] += (Vec){0, l->mass, 0, 0};
    I->vv.r[2] += (Vec){0, 0, l->mass, 0};
    add(&I->ww, &J);
    I->pv += l->mass * cross(w, load(&m->v.x));
    I->pw += cross(w, times(&J, &m->w.x));
    if (wrench) {
        I->pv += load(wrench);
        I->pw += load(wrench + 3);
    }
}

/* to (=, +=) Xᵀ I X and Xᵀ p:  vw' = vw − vv [d] = vw + ([d] vv)ᵀ,  ww' = ww + [d] vw' + ([d] vw)ᵀ. */
VG_LANEWISE void carry(const Inertia *I, const double *d, double *to, int first)
{
    Mat turn = skew_times(d, &I->vv), turn_t = transposed(&turn), arm = skew_times(d, &I->vw),
        arm_t = transposed(&arm), vw = I->vw, ww = I->ww;
    put_mat(&I->vv, to + AT_VV, first);
    add(&turn, &I->wv);
    put_mat(&turn, to + AT_WV, first);
    add(&vw, &turn_t);
    put_mat(&vw, to + AT_VW, first);
    turn = skew_times(d, &vw);
    add(&ww, &turn);
    add(&ww, &arm_t);
    put_mat(&ww, to + AT_WW, first);
    put(I->pv, to + AT_PV, first);
    put(I->pw + cross(load(d), I->pv), to + AT_PW, first);
}

/* (v, w) := I s */
VG_LANEWISE void apply(const Inertia *I, const double *s, Vec *v, Vec *w)
{
    *v = times(&I->vv, s) + times(&I->wv, s + 3);
    *w = times(&I->vw, s) + times(&I->ww, s + 3);
}

/* p += I c */
VG_LANEWISE void push_bias(Inertia *I, const double *c)
{
    Vec v, w;
    apply(I, c, &v, &w);
    I->pv += v;
    I->pw += w;
}

/* I −= V Uᵀ */
VG_LANEWISE void drop(Inertia *I, Vec Vv, Vec Vw, Vec Uv, Vec Uw)
{
    subtract_outer(&I->vv, Vv, Uv);
    subtract_outer(&I->vw, Vv, Uw);
    subtract_outer(&I->wv, Vw, Uv);
    subtract_outer(&I->ww, Vw, Uw);
}

/* One coordinate. Returns 0 for a joint without inertia. */
VG_LANEWISE int eliminate_one(const double *S, double tau, double rotor, const double *c, Inertia *I,
                              double *U, double *Dinv, double *u)
{
    Vec Sv = load(S), Sw = load(S + 3), Uv, Uw;
    apply(I, S, &Uv, &Uw);
    double D = sum(Sv * Uv + Sw * Uw) + rotor, z = tau - sum(Sv * I->pv + Sw * I->pw);
    if (!(D > 0)) return 0;
    double inv = 1 / D;
    store(Uv, U);
    store(Uw, U + 3);
    *Dinv = inv;
    *u = z;
    drop(I, inv * Uv, inv * Uw, Uv, Uw);
    push_bias(I, c);
    I->pv += (inv * z) * Uv;
    I->pw += (inv * z) * Uw;
    return 1;
}

/* Several coordinates: D is inverted by Cholesky in place (n ≤ 6). */
static int invert(double *D, int n)
{
    double L[36] = {0}, W[36] = {0};
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double x = D[i * n + j];
            for (int k = 0; k < j; k++) x -= L[i * n + k] * L[j * n + k];
            if (i == j && !(x > 0)) return 0;
            L[i * n + j] = i == j ? sqrt(x) : x / L[j * n + j];
        }
    for (int i = 0; i < n; i++) { /* W = L⁻¹ */
        W[i * n + i] = 1 / L[i * n + i];
        for (int j = 0; j < i; j++) {
            double x = 0;
            for (int k = j; k < i; k++) x -= L[i * n + k] * W[k * n + j];
            W[i * n + j] = x * W[i * n + i];
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double x = 0;
            for (int k = i > j ? i : j; k < n; k++) x += W[k * n + i] * W[k * n + j];
            D[i * n + j] = x;
        }
    return 1;
}

static int eliminate_many(int n, const double *S, const double *tau, const double *rotor, const double *c,
                          Inertia *I, double *U, double *D, double *u)
{
    Vec Uv[6], Uw[6];
    for (int k = 0; k < n; k++) {
        apply(I, S + 6 * k, &Uv[k], &Uw[k]);
        store(Uv[k], U + 6 * k);
        store(Uw[k], U + 6 * k + 3);
        u[k] = tau[k] - sum(load(S + 6 * k) * I->pv + load(S + 6 * k + 3) * I->pw);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            D[i * n + j] = vg_dot_row6(S + 6 * i, U + 6 * j) + (i == j ? rotor[i] : 0);
    if (!invert(D, n)) return 0;
    double z[6];
    for (int i = 0; i < n; i++) {
        Vec Vv = vg_lane(0), Vw = vg_lane(0); /* U D⁻¹ column i */
        z[i] = 0;
        for (int j = 0; j < n; j++) {
            z[i] += D[i * n + j] * u[j];
            Vv += D[i * n + j] * Uv[j];
            Vw += D[i * n + j] * Uw[j];
        }
        drop(I, Vv, Vw, Uv[i], Uw[i]);
    }
    push_bias(I, c);
    for (int k = 0; k < n; k++) {
        I->pv += z[k] * Uv[k];
        I->pw += z[k] * Uw[k];
    }
    return 1;
}

static double *accumulator(const vgTreeWork *w, const vgLink *l)
{
    return w->acc + VG_TREE_INERTIA * l->slot;
}

/* From the ends to the ground. */
static vgStatus inwards(const vgTree *s, vgTreeWork *w)
{
    for (int i = s->nlink - 1; i >= 0; i--) {
        const vgLink *l = &s->link[i];
        const vgLinkMotion *m = &w->m[i];
        Inertia I;
        int k = l->v0, ok = 1;
        own_inertia(l, m, w->have_wrench ? w->wrench + 6 * i : NULL, accumulator(w, l), &I);
        if (l->nv == 1)
            ok = eliminate_one(w->S + 6 * k, w->tau[k], w->rotor[k], m->c, &I, w->U + 6 * k, w->D + 6 * k,
                               w->u + k);
        else if (l->nv > 1)
            ok = eliminate_many(l->nv, w->S + 6 * k, w->tau + k, w->rotor + k, m->c, &I, w->U + 6 * k,
                                w->D + 6 * k, w->u + k);
        else
            push_bias(&I, m->c);
        if (!ok) {
            w->base.bad_row = k;
            return VG_SINGULAR;
        }
        if (l->parent >= 0) carry(&I, &m->d.x, accumulator(w, &s->link[l->parent]), l->first);
    }
    return VG_OK;
}

/* From the ground to the ends. ground: its acceleration, −g or zero. */
static void outwards(const vgTree *s, vgTreeWork *w, vgVec3 ground, double *a)
{
    Vec Av = vg_lane(0), Aw = Av; /* of the link before, most often the parent */
    for (int i = 0; i < s->nlink; i++) {
        const vgLink *l = &s->link[i];
        vgLinkMotion *m = &w->m[i];
        const double *U = w->U + 6 * l->v0, *S = w->S + 6 * l->v0, *D = w->D + 6 * l->v0;
        if (l->parent >= 0) {
            const double *P = w->m[l->parent].A;
            if (l->parent != i - 1) Av = load(P), Aw = load(P + 3);
            Av += load(m->c) + cross(Aw, load(&m->d.x));
            Aw += load(m->c + 3);
        } else {
            Av = load(m->c), Aw = load(m->c + 3);
            if (!l->weightless) Av += (Vec){ground.x, ground.y, ground.z, 0};
        }
        if (l->nv == 1) {
            double x = D[0] * (w->u[l->v0] - sum(load(U) * Av + load(U + 3) * Aw));
            a[l->v0] = x;
            Av += x * load(S);
            Aw += x * load(S + 3);
        } else {
            double z[6];
            for (int k = 0; k < l->nv; k++)
                z[k] = w->u[l->v0 + k] - sum(load(U + 6 * k) * Av + load(U + 6 * k + 3) * Aw);
            for (int k = 0; k < l->nv; k++) {
                double x = 0;
                for (int j = 0; j < l->nv; j++) x += D[k * l->nv + j] * z[j];
                a[l->v0 + k] = x;
                Av += x * load(S + 6 * k);
                Aw += x * load(S + 6 * k + 3);
            }
        }
        store(Av, m->A);
        store(Aw, m->A + 3);
    }
}

void vg_tree_composite(const vgTree *s, vgTreeWork *w,
                       void (*column)(void *user, int link, int k, const double F[6]), void *user)
{
    for (int i = s->nlink - 1; i >= 0; i--) {
        const vgLink *l = &s->link[i];
        Inertia I;
        own_inertia(l, &w->m[i], NULL, accumulator(w, l), &I);
        for (int k = 0; k < l->nv; k++) {
            Vec v, u;
            double F[6];
            apply(&I, w->S + 6 * (l->v0 + k), &v, &u);
            store(v, F);
            store(u, F + 3);
            column(user, i, k, F);
        }
        if (l->parent >= 0) carry(&I, &w->m[i].d.x, accumulator(w, &s->link[l->parent]), l->first);
    }
}

vgStatus vg_tree_articulated(const vgTree *s, vgTreeWork *w, vgVec3 ground, double *a)
{
    vgStatus st = inwards(s, w);
    if (st == VG_OK) outwards(s, w, ground, a);
    return st;
}

vgStatus vg_tree_accel(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                       double *a, double *lambda)
{
    const vgTree *s = (const vgTree *)sys;
    vgTreeWork *w = (vgTreeWork *)work;
    work->bad_row = -1;
    if (s->explicit_mass) return vg_tree_accel_explicit(s, w, t, q, v, a, lambda);
    vg_tree_motion(s, w, q, v);
    w->have_reactions = 0;
    w->have_wrench = 0;
    vg_tree_joint_forces(s, w, t, q, v, NULL, NULL, NULL);
    if (s->nnative_force > 0) {
        vg_tree_native(s, w, 0);
        vg_tree_wrenches(s, w, t, NULL, NULL);
    }
    return vg_tree_articulated(s, w, vg_neg3(sys->model->gravity), a);
}
