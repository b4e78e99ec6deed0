#include "element/contact/group.h"

#include <limits.h>
#include <math.h>

#include "element/contact/near.h"

/* Balls that are apart are seen by their centres; other shapes as far as their bounds say. */
static int may_touch(const vgContactGroup *g, const vgGroupWork *w, vgNear p)
{
    double reach = g->shape[p.a].bound + g->shape[p.b].bound;
    vgVec3 d = vg_sub3(w->centre[p.a], w->centre[p.b]);
    return !(vg_dot3(d, d) >= reach * reach);
}

/* By how much the last increment has moved the velocity at which a pair slides, at most. */
static double stirred(const vgContactGroup *g, vgNear p, const double *stir)
{
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        int shape = k ? p.b : p.a, body = g->body[shape];
        double arm = g->shape[shape].kind == VG_TOUCH_SPHERE ? g->shape[shape].bound : 0;
        if (body >= 0) sum += stir[2 * body] + arm * stir[2 * body + 1];
    }
    return sum;
}

/* A pair of the walk that acts: its wrench f (12), and tangents where they are wanted. */
typedef struct Acting {
    vgNear p;
    int body[2];
    const vgKin *kin[2];
    const void *def;
    double f[12];
} Acting;

static int act(const vgContactGroup *g, vgGroupWork *w, const vgForceIn *in, vgNear p, double *K, double *C,
               Acting *x)
{
    if (!may_touch(g, w, p)) return 0;
    x->p = p;
    x->def = vg_group_bind(g, w, p, in, x->kin, x->body);
    for (int i = 0; i < 12; i++) x->f[i] = 0;
    for (int i = 0; K && i < 144; i++) K[i] = C[i] = 0;
    vgForceIn pair = {.t = in->t,
                      .nbody = 2,
                      .kin = x->kin,
                      .rest = in->rest,
                      .unload = in->unload,
                      .wander = in->stir ? stirred(g, p, in->stir) : in->wander};
    return vg_contact_act(x->def, &pair, &(vgForceOut){.f = x->f, .K = K, .C = C});
}

static void add(const void *def, const vgForceIn *in, double sign, double *wrench)
{
    const vgContactGroup *g = def;
    vgGroupWork *w = in->scratch;
    vg_group_look(g, w, in, 0);
    vgGroupWalk walk = vg_group_walk(g, w);
    Acting x;
    for (vgNear p; vg_group_next(&walk, &p);) {
        if (!act(g, w, in, p, NULL, NULL, &x)) continue;
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < 6 && x.body[k] >= 0; i++) wrench[6 * x.body[k] + i] += sign * x.f[6 * k + i];
    }
}

static void tangent(const void *def, const vgForceIn *in, vgCrowdTake *take)
{
    const vgContactGroup *g = def;
    vgGroupWork *w = in->scratch;
    vg_group_look(g, w, in, 0);
    vgGroupWalk walk = vg_group_walk(g, w);
    double K[144], C[144];
    Acting x;
    for (vgNear p; vg_group_next(&walk, &p);)
        if (act(g, w, in, p, K, C, &x)) take->pair(take, x.body[0], x.body[1], K, C);
}

static double power_along(const double f[12], const vgKin *const kin[2])
{
    double sum = 0;
    for (int k = 0; k < 2; k++)
        sum += vg_dot3(vg_load3(f + 6 * k), kin[k]->v) + vg_dot3(vg_load3(f + 6 * k + 3), kin[k]->w);
    return sum;
}

static double power(const void *def, const vgForceIn *in, int loss)
{
    const vgContactGroup *g = def;
    vgGroupWork *w = in->scratch;
    vg_group_look(g, w, in, 0);
    vgGroupWalk walk = vg_group_walk(g, w);
    double sum = 0;
    Acting x;
    for (vgNear p; vg_group_next(&walk, &p);) {
        if (!act(g, w, in, p, NULL, NULL, &x)) continue;
        sum += power_along(x.f, x.kin);
        if (!loss) continue;
        vgKin still[2] = {*x.kin[0], *x.kin[1]};
        const vgKin *kin[2] = {&still[0], &still[1]};
        for (int k = 0; k < 2; k++) still[k].v = still[k].w = vg_zero3();
        double f[12] = {0};
        vgForceIn pair = {.t = in->t, .nbody = 2, .kin = kin, .unload = in->unload};
        vg_contact_act(x.def, &pair, &(vgForceOut){.f = f});
        sum -= power_along(f, x.kin);
    }
    return sum;
}

static double energy(const void *def, const vgForceIn *in)
{
    const vgContactGroup *g = def;
    vgGroupWork *w = in->scratch;
    vg_group_look(g, w, in, 0);
    vgGroupWalk walk = vg_group_walk(g, w);
    double sum = 0;
    for (vgNear p; vg_group_next(&walk, &p);) {
        const vgKin *kin[2];
        int body[2];
        if (!may_touch(g, w, p)) continue;
        const void *pair = vg_group_bind(g, w, p, in, kin, body);
        sum += vg_contact_energy(pair, &(vgForceIn){.nbody = 2, .kin = kin});
    }
    return sum;
}

static int next(const void *def, const vgForceIn *in, vgCrowdAt *at, vgCrowdPair *out)
{
    const vgContactGroup *g = def;
    vgGroupWork *w = in->scratch;
    if (!at->begun) vg_group_look(g, w, in, 0);
    vgGroupWalk walk = {g, w, at->at, at->a, at->b};
    Acting x;
    int found = 0;
    for (vgNear p; !found && vg_group_next(&walk, &p);) {
        if (!act(g, w, in, p, NULL, NULL, &x)) continue;
        vgApproach how;
        vg_contact_approach(x.def, &(vgForceIn){.nbody = 2, .kin = x.kin}, &how);
        const vgTouchShape *ball = &g->shape[x.body[1] == g->body[p.a] ? p.a : p.b];
        const vgFrame *A = &((const vgContact *)x.def)->head.frame[0];
        vgVec3 n = vg_mv3(vg_mm3(x.kin[0]->R, A->R), how.n), c = vg_kin_point(x.kin[1], ball->frame.r);
        *out = (vgCrowdPair){.first = p.a,
                             .second = p.b,
                             .a = x.body[0],
                             .b = x.body[1],
                             .point = vg_axpy3(-ball->size[0], n, c),
                             .force = vg_load3(x.f + 6),
                             .depth = how.depth};
        found = 1;
    }
    *at = (vgCrowdAt){1, walk.at, walk.a, walk.b};
    return found;
}

/* Shapes of `among` and of `with` stand in the order of their bodies. */
static int is_in(const int *body, int n, int wanted)
{
    int low = 0, high = n;
    while (low < high) {
        int mid = (low + high) / 2;
        if (body[mid] < wanted)
            low = mid + 1;
        else
            high = mid;
    }
    return low < n && body[low] == wanted;
}

static int acts_on(const void *def, int body)
{
    const vgContactGroup *g = def;
    return is_in(g->body, g->namong, body) || is_in(g->body + g->namong, g->nfinite - g->namong, body) ||
           is_in(g->body + g->nfinite, g->n - g->nfinite, body);
}

static int most(const void *def, int coupled)
{
    const vgContactGroup *g = def;
    enum { A_BALL = 6 }; /* in a dense heap of equal balls every one touches at most 12 others */
    double pairs = (double)g->namong * (g->n - 1), planes = 0;
    for (int i = g->nfinite; i < g->n; i++) planes += !coupled || g->body[i] >= 0;
    return (int)fmin(fmin(pairs, (double)A_BALL * g->nfinite + (double)g->namong * planes), INT_MAX / 2);
}

static void approach(const void *def, const vgForceIn *in, const vgKin *kin, int first, int second,
                     vgApproach *out)
{
    vg_group_approach(def, in->scratch, (vgNear){first, second}, kin, in->nall, out);
}

static void *scratch(const void *def, vgArena *a)
{
    return vg_group_place(def, a);
}

static void nothing(const void *def, const vgForceIn *in, vgForceOut *out)
{
    (void)def, (void)in, (void)out; /* its set-up has no bodies: see crowd */
}

static const char *const outputs[] = {"pairs", "depth", "force", NULL};

/* How many pairs act; the largest depth and force among them. */
static void output(const void *def, const vgForceIn *in, double *values)
{
    vgCrowdPair p;
    values[0] = values[1] = values[2] = 0;
    for (vgCrowdAt at = {0}; next(def, in, &at, &p);) {
        values[0]++;
        values[1] = fmax(values[1], p.depth);
        values[2] = fmax(values[2], vg_norm3(p.force));
    }
}

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    vgContactGroup *g = def;
    g->planar = planar;
    if (g->law.stick > 0)
        return vg_force_refuse(
            out, "stick",
            "friction that holds has coordinates of its own for every pair; a group has smooth friction: "
            "leave stick out, or give these pairs one by one under forces");
    return vg_contact_law_setup(&g->law, out);
}

static const vgForceCrowd crowd = {scratch, add,      tangent,          power, next,
                                   acts_on, approach, vg_group_crossed, most};

const vgForceKind vg_force_contact_group = {
    .name = "contacts",
    .doc = "A group of contacts.",
    .planar = 1,
    .head = VG_HEAD_NONE,
    .def_size = sizeof(vgContactGroup),
    .setup = setup,
    .brief = 1,
    .eval = nothing,
    .energy = energy,
    .outputs = outputs,
    .output = output,
    .crowd = &crowd,
};
