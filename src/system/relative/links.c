/* Relative coordinates: how each link moves, found out by trying, so that no kind needs to be known; and
 * which links go four at a time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "system/relative/relative.h"
#include "system/tuning.h"

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
    return *seed;
}

/* Some q to try a joint at, within a radian or a metre. */
void vg_tree_try_q(const vgLink *l, uint64_t *seed, double *q)
{
    double d[6], zero[8] = {0};
    for (int i = 0; i < l->nv; i++) d[i] = 2 * ((double)(next_random(seed) >> 11) / 9007199254740992.0) - 1;
    if (l->motion->zero) l->motion->zero(zero);
    if (l->motion->retract)
        l->motion->retract(zero, d, q);
    else
        memcpy(q, d, (size_t)l->nv * sizeof *q);
}

/* ---- ways ---- */

static int same_turn(vgMat3 R, const double want[9])
{
    double worst = 0;
    for (int i = 0; i < 9; i++) worst = fmax(worst, fabs(R.m[i / 3][i % 3] - want[i]));
    return worst < VG_PLAIN_JOINT;
}

/* The pose at q is that of a joint of this kind. */
static int goes(const vgLink *l, vgLinkWay way, int turn, const double *q)
{
    vgVec3 r;
    vgMat3 R;
    double c = cos(q[0]), s = sin(q[0]);
    vg_tree_pose(l, q, &r, &R);
    if (way == VG_LINK_SLIDER)
        return same_turn(R, (const double[]){1, 0, 0, 0, 1, 0, 0, 0, 1}) &&
               vg_norm3(vg_sub3(r, vg_v3(0, 0, turn * q[0]))) < VG_PLAIN_JOINT;
    if (vg_norm3(r) > VG_PLAIN_JOINT) return 0;
    s *= way == VG_LINK_HINGE ? turn : 1;
    if (way == VG_LINK_HINGE) return same_turn(R, (const double[]){c, -s, 0, s, c, 0, 0, 0, 1});
    double c2 = cos(q[1]), s2 = sin(q[1]);
    if (turn > 0) return same_turn(R, (const double[]){-s * c2, s * s2, c, c * c2, -c * s2, s, s2, c2, 0});
    return same_turn(R, (const double[]){c, -s * c2, s * s2, s, c * c2, -c * s2, 0, s2, c2});
}

static const struct {
    vgLinkWay way;
    int n, turn;
} ways[] = {{VG_LINK_HINGE, 1, 1},   {VG_LINK_HINGE, 1, -1}, {VG_LINK_SLIDER, 1, 1},
            {VG_LINK_SLIDER, 1, -1}, {VG_LINK_CARDAN, 2, 1}, {VG_LINK_CARDAN, 2, -1}};
enum { NWAY = sizeof ways / sizeof ways[0], TRIALS = 5 };

void vg_tree_classify(vgLink *l, int fast)
{
    uint64_t seed = 88172645463325252u;
    double S[36], q[TRIALS][8];
    l->constant = !l->motion->bias;
    for (int k = 0; k < TRIALS; k++) {
        vg_tree_try_q(l, &seed, q[k]);
        vg_tree_local_subspace(l, q[k], S);
        if (k == 0) memcpy(l->S, S, (size_t)(6 * l->nv) * sizeof *S);
        for (int i = 0; i < 6 * l->nv; i++)
            if (fabs(S[i] - l->S[i]) > VG_PLAIN_JOINT) l->constant = 0;
    }
    l->way = VG_LINK_ANY;
    if (!fast) return;
    for (int i = 0; i < NWAY && l->way == VG_LINK_ANY; i++) {
        int fits = l->nv == ways[i].n && l->nq == l->nv && !l->motion->rates &&
                   l->constant == (ways[i].way != VG_LINK_CARDAN);
        for (int k = 0; k < TRIALS && fits; k++) fits = goes(l, ways[i].way, ways[i].turn, q[k]);
        if (fits) l->way = ways[i].way, l->turn = ways[i].turn;
    }
    vgMat3 eye = vg_eye3();
    if (l->motion == &vg_tree_floating && l->parent < 0 && memcmp(&l->E, &eye, sizeof eye) == 0 &&
        vg_norm3(l->rP) == 0 && vg_norm3(l->rC) == 0)
        l->way = VG_LINK_FLOAT;
}

/* ---- fours ---- */

/* Counts alone while the arena measures (task NULL). */
typedef struct Plan {
    vgTree *s;
    int ntask, nfour, nangle;
    int single; /* place of the next angle of a link outside the fours; these follow the angles of the fours */
} Plan;

static void put(vgLane *to, int k, double x)
{
    (*to)[k] = x;
}

static void put3(vgLane3 *to, int k, vgVec3 x)
{
    put(&to->x, k, x.x), put(&to->y, k, x.y), put(&to->z, k, x.z);
}

static void put33(vgLane33 *to, int k, vgMat3 x)
{
    for (int i = 0; i < 9; i++) put(&to->m[i / 3][i % 3], k, x.m[i / 3][i % 3]);
}

static void add_four(Plan *p, const int *link, int n)
{
    vgTree *s = p->s;
    int first = p->nangle, count = s->link[link[0]].nv;
    p->nangle += VG_LANES * count;
    if (s->task) {
        vgLinkFour *g = &s->four[p->nfour];
        s->task[p->ntask] = (vgLinkTask){-1, p->nfour};
        g->way = s->link[link[0]].way;
        g->own_axes = g->shared = 1;
        for (int k = 0; k < VG_LANES; k++) {
            int at = link[k < n ? k : n - 1];
            vgLink *l = &s->link[at];
            g->link[k] = at;
            g->shared &= l->parent == s->link[link[0]].parent;
            g->own_axes &= l->own_axes;
            put(&g->turn, k, l->turn);
            put(&g->mass, k, l->mass);
            put3(&g->rP, k, l->rP);
            put3(&g->rC, k, l->rC);
            put33(&g->E, k, l->E);
            put33(&g->J, k, l->J);
            put33(&g->Q, k, l->Q);
            for (int i = 0; i < count; i++) s->angle[first + VG_LANES * i + k] = l->q0 + i;
            if (k < n) l->angle = first + k, l->angle2 = first + VG_LANES + k;
        }
    }
    p->ntask++;
    p->nfour++;
}

static void add_one(Plan *p, int link)
{
    vgTree *s = p->s;
    vgLink *l = &s->link[link];
    int count = l->way == VG_LINK_HINGE || l->way == VG_LINK_CARDAN ? l->nv : 0;
    if (s->task) {
        s->task[p->ntask] = (vgLinkTask){link, -1};
        l->angle = p->single, l->angle2 = p->single + 1;
        for (int i = 0; i < count; i++) s->angle[p->single + i] = l->q0 + i;
    }
    p->ntask++;
    p->single += count;
}

/* The links of one depth: threes and fours of a kind together. */
static void add_depth(Plan *p, const int *link, int n)
{
    static const vgLinkWay together[] = {VG_LINK_HINGE, VG_LINK_CARDAN};
    const int fast = (p->s->base.fast & VG_FAST_LINKS) != 0;
    for (int i = 0; i < n; i++) {
        const vgLink *l = &p->s->link[link[i]];
        if (!fast || (l->way != VG_LINK_HINGE && l->way != VG_LINK_CARDAN) || l->weightless)
            add_one(p, link[i]);
    }
    for (int w = 0; w < 2 && fast; w++) {
        int four[VG_LANES], have = 0;
        for (int i = 0; i < n; i++) {
            const vgLink *l = &p->s->link[link[i]];
            if (l->way != together[w] || l->weightless) continue;
            four[have++] = link[i];
            if (have < VG_LANES) continue;
            add_four(p, four, have);
            have = 0;
        }
        if (have == 3)
            add_four(p, four, have);
        else
            for (int i = 0; i < have; i++) add_one(p, four[i]);
    }
}

static Plan plan(vgTree *s, const int *order, const int *depth, int single)
{
    Plan p = {.s = s, .single = single};
    for (int from = 0, to; from < s->nlink; from = to) {
        for (to = from; to < s->nlink && depth[order[to]] == depth[order[from]];) to++;
        add_depth(&p, order + from, to - from);
    }
    return p;
}

static void place_fours(vgTree *s, vgArena *a)
{
    s->task = VG_TAKE(a, vgLinkTask, s->ntask);
    s->four = VG_TAKE(a, vgLinkFour, s->nfour);
    s->angle = VG_TAKE(a, int, s->nangle);
    s->order = VG_TAKE(a, int, s->nlink);
}

vgStatus vg_tree_fours(vgTree *s)
{
    int n = s->nlink, *depth = calloc(3 * (size_t)n + 2, sizeof *depth), *order, *start;
    if (!depth) return VG_NO_MEMORY;
    order = depth + n;
    start = order + n;
    for (int i = 0; i < n; i++) {
        depth[i] = s->link[i].parent < 0 ? 0 : depth[s->link[i].parent] + 1;
        start[depth[i] + 1]++;
    }
    for (int d = 0; d < n; d++) start[d + 1] += start[d];
    for (int i = 0; i < n; i++) order[start[depth[i]]++] = i;
    vgArena measure = {0};
    s->task = NULL;
    Plan p = plan(s, order, depth, 0);
    int fours = p.nangle;
    s->ntask = p.ntask;
    s->nfour = p.nfour;
    s->nangle = (fours + p.single + VG_LANES - 1) / VG_LANES * VG_LANES;
    place_fours(s, &measure);
    vgStatus st = vg_arena_alloc(&s->fours, measure.used);
    if (st == VG_OK) {
        place_fours(s, &s->fours);
        for (int i = 0; i < s->nangle; i++) s->angle[i] = 0;
        memcpy(s->order, order, (size_t)n * sizeof *order);
        plan(s, order, depth, fours);
    }
    free(depth);
    return st;
}
