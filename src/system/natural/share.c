/* Natural coordinates: which points and vectors joined bodies share.
 *
 * A joint that keeps two points coincident, or two vectors parallel, needs no equations if both bodies have the
 * point or the vector among the nodes that define their frames: it is then one node of both (García de Jalón).
 * Joints are processed one after the other. A body takes a point or vector that is independent of those it has, up
 * to four nodes (planar: two). Nodes of the ground are constants. Nodes that turn out to be the same are merged. A
 * node that is merged along a loop is redundant and needs no equations either. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "system/natural/natural.h"
#include "system/tuning.h"

typedef struct Raw { /* a node before merging */
    int parent;      /* itself: a root */
    vgWeight factor; /* value = factor ∘ parent's value */
    int fixed;
    vgVec3 value;    /* of a fixed root */
    int first, last; /* holders: a list of slots 4·body + item, −1 none */
} Raw;

typedef struct Edge {
    int joint, a, b, point; /* slots, −1 ground */
} Edge;

typedef struct Share {
    vgNat *s;
    Raw *raw;
    int nraw;
    int *next; /* per slot: next holder of its node */
    struct GroundItem {
        int point, raw;
        vgVec3 value;
    } * ground;
    int nground;
    Edge *edge;
    int nedge;
} Share;

/* A point or vector of a body that a joint asks for, and what the body has of it. */
typedef struct Wish {
    int body;
    vgVec3 local;
    int point;
    int raw;         /* the node it has, −1 none yet */
    int slot;        /* 4·body + item; −1 ground */
    vgWeight factor; /* node = factor ∘ wish */
} Wish;

static int root_of(Share *x, int n, vgWeight *factor)
{
    vgWeight f = {1, 0};
    while (x->raw[n].parent != n) {
        f = vg_weight_times(f, x->raw[n].factor);
        n = x->raw[n].parent;
    }
    *factor = f;
    return n;
}

static vgWeight by_planar(vgVec3 have, vgVec3 want) /* have = f ∘ want */
{
    double n = want.x * want.x + want.y * want.y;
    return vg_weight_times((vgWeight){have.x / n, have.y / n}, (vgWeight){want.x, -want.y});
}

/* Is `have` the wanted point, or a vector in its direction? */
static int fits(const Share *x, int planar, vgVec3 have, vgVec3 want, int point, vgWeight *factor)
{
    *factor = (vgWeight){1, 0};
    if (point) return vg_norm3(vg_sub3(have, want)) < VG_SHARED * x->s->base.length;
    if (planar) { /* all vectors of a planar body turn with it */
        *factor = by_planar(have, want);
        return 1;
    }
    if (vg_norm3(vg_cross3(have, want)) > VG_SHARED) return 0;
    factor->re = vg_dot3(have, want) < 0 ? -1 : 1;
    return 1;
}

static void look(Share *x, Wish *w)
{
    int planar = x->s->base.model->planar;
    w->raw = w->slot = -1;
    if (w->body < 0) {
        for (int i = 0; i < x->nground && w->raw < 0; i++)
            if (x->ground[i].point == w->point &&
                fits(x, planar, x->ground[i].value, w->local, w->point, &w->factor))
                w->raw = x->ground[i].raw;
        return;
    }
    const vgNatBody *b = &x->s->body[w->body];
    for (int k = 0; k < b->n && w->raw < 0; k++)
        if (b->item[k].point == w->point &&
            fits(x, planar, b->item[k].local, w->local, w->point, &w->factor)) {
            w->raw = b->item[k].node;
            w->slot = 4 * w->body + k;
        }
}

/* May a body that has not got it take it: room, and independent of what it has? */
static int has_room(const vgNatBody *b, vgVec3 local, int point)
{
    vgVec3 dir[4], from = vg_zero3();
    int points = 0, n = 0;
    if (!(b->mass > 0)) return 0; /* nodes of beams */
    if (b->ny == 1) return b->n == 0 && point && b->select.n > 1 && vg_norm3(local) == 0;
    if (b->n == b->ny) return 0;
    for (int k = 0; k < b->n; k++)
        if (b->item[k].point && points++ == 0) from = b->item[k].local;
    if (point && points == 0) return 1;
    if (!point && points == 0 && b->n == b->ny - 1) return 0; /* the last place is for a point */
    double size = sqrt(b->ny == 2 ? b->M[1][1] / b->mass : (b->M[1][1] + b->M[2][2] + b->M[3][3]) / b->mass);
    vgVec3 d = point ? vg_sub3(local, from) : local;
    if (point && !(vg_norm3(d) > VG_BASE_APART * size)) return 0;
    d = vg_unit3(d);
    if (b->ny == 2) return 1;
    for (int k = 0, first = 1; k < b->n; k++) {
        vgVec3 e = b->item[k].local;
        if (b->item[k].point && first) {
            first = 0;
            continue;
        }
        if (b->item[k].point) e = vg_sub3(e, from);
        for (int i = 0; i < n; i++) e = vg_axpy3(-vg_dot3(e, dir[i]), dir[i], e);
        dir[n++] = vg_unit3(e);
    }
    for (int i = 0; i < n; i++) d = vg_axpy3(-vg_dot3(d, dir[i]), dir[i], d);
    return vg_norm3(d) > VG_BASE_SINE;
}

static int close_to(vgWeight a, vgWeight b)
{
    return hypot(a.re - b.re, a.im - b.im) < VG_SHARED;
}

/* The ground has not got what a body has: a constant now, or it was one before and must be the same. */
static int can_fix(Share *x, const Wish *has, const Wish *ground)
{
    vgWeight f;
    const Raw *r = &x->raw[root_of(x, has->raw, &f)];
    if (!r->fixed) return 1;
    vgVec3 wish = has->point ? r->value : vg_weigh(vg_weight_times(vg_conj(has->factor), f), r->value);
    return vg_norm3(vg_sub3(wish, ground->local)) < VG_SHARED * (has->point ? x->s->base.length : 1) ? 2 : 0;
}

/* 0: no; 1: yes; 2: it is so already */
static int can_share(Share *x, Wish *a, Wish *b)
{
    look(x, a);
    look(x, b);
    if (a->raw >= 0 && b->raw < 0 && b->body < 0) return can_fix(x, a, b);
    if (b->raw >= 0 && a->raw < 0 && a->body < 0) return can_fix(x, b, a);
    if (a->raw < 0 && a->body >= 0 && !has_room(&x->s->body[a->body], a->local, a->point)) return 0;
    if (b->raw < 0 && b->body >= 0 && !has_room(&x->s->body[b->body], b->local, b->point)) return 0;
    if (a->raw < 0 || b->raw < 0) return 1;
    vgWeight fa, fb;
    int ra = root_of(x, a->raw, &fa), rb = root_of(x, b->raw, &fb);
    /* wish = conj(factor) raw = conj(factor) f root */
    vgWeight wa = vg_weight_times(vg_conj(a->factor), fa), wb = vg_weight_times(vg_conj(b->factor), fb);
    if (ra == rb) return close_to(wa, wb) ? 2 : 0;
    if (x->raw[ra].fixed && x->raw[rb].fixed) return 0;
    for (int s = x->raw[rb].first; s >= 0; s = x->next[s])
        for (int k = 0; k < x->s->body[s / 4].n; k++) {
            vgWeight f;
            if (root_of(x, x->s->body[s / 4].item[k].node, &f) == ra) return 0;
        }
    return 1;
}

static int new_raw(Share *x, const Wish *w)
{
    x->raw[x->nraw] = (Raw){.parent = x->nraw, .factor = {1, 0}, .first = -1, .last = -1};
    if (w->body < 0) {
        x->raw[x->nraw].fixed = 1;
        x->raw[x->nraw].value = w->local;
    }
    return x->nraw++;
}

static void hold(Share *x, int raw, int slot)
{
    vgWeight f;
    Raw *r = &x->raw[root_of(x, raw, &f)];
    x->next[slot] = -1;
    if (r->first < 0)
        r->first = slot;
    else
        x->next[r->last] = slot;
    r->last = slot;
}

/* The body (or the ground) takes node raw, whose value is factor ∘ wish. */
static void take(Share *x, Wish *w, int raw, vgWeight factor)
{
    w->raw = raw;
    w->factor = factor;
    if (w->body < 0) {
        x->ground[x->nground].point = w->point;
        x->ground[x->nground].raw = raw;
        x->ground[x->nground].value = w->point ? w->local : vg_weigh(factor, w->local);
        vgWeight f;
        Raw *r = &x->raw[root_of(x, raw, &f)];
        r->fixed = 1;
        r->value = w->point ? w->local : vg_weigh(vg_conj(f), x->ground[x->nground].value);
        x->nground++;
        return;
    }
    vgNatBody *b = &x->s->body[w->body];
    vgVec3 local = w->point ? w->local : vg_weigh(factor, w->local);
    b->item[b->n] = (vgNatItem){.point = w->point, .local = local, .node = raw};
    w->slot = 4 * w->body + b->n++;
    hold(x, raw, w->slot);
}

static void merge(Share *x, const Wish *a, const Wish *b)
{
    vgWeight fa, fb;
    int ra = root_of(x, a->raw, &fa), rb = root_of(x, b->raw, &fb);
    /* wish = conj(factor) f root, of a and of b: root_b = conj(w_b) w_a root_a, all of length 1 */
    vgWeight wa = vg_weight_times(vg_conj(a->factor), fa), wb = vg_weight_times(vg_conj(b->factor), fb);
    vgWeight g = vg_weight_times(vg_conj(wb), wa);
    Raw *A = &x->raw[ra], *B = &x->raw[rb];
    B->parent = ra;
    B->factor = g;
    if (B->fixed) {
        A->fixed = 1;
        A->value = a->point ? B->value : vg_weigh(vg_conj(g), B->value);
    }
    if (B->first >= 0) {
        if (A->first < 0)
            A->first = B->first;
        else
            x->next[A->last] = B->first;
        A->last = B->last;
    }
}

static void share(Share *x, int joint, Wish *a, Wish *b)
{
    int had_a = a->raw >= 0, had_b = b->raw >= 0;
    vgWeight one = {1, 0};
    if (!had_a && !had_b) take(x, a, new_raw(x, a->body < 0 ? a : b->body < 0 ? b : a), one);
    if (!had_a && had_b) take(x, a, b->raw, b->factor);
    if (!had_b) take(x, b, a->raw, a->factor);
    if (had_a && had_b) merge(x, a, b);
    x->edge[x->nedge++] = (Edge){joint, a->slot, b->slot, a->point};
}

/* ---- what joints ask for ---- */

static vgVec3 in_world(const vgModel *m, int body, vgVec3 u)
{
    return body < 0 ? u : vg_mv3(m->body[body].R0, u);
}

static void drop_rows(vgNat *s, const vgPrim *p)
{
    for (int r = 0; r < p->rows; r++) s->model_row[p->row + r] = -1;
}

static int plain(const vgPrim *p)
{
    return p->level == 0 && !p->law && p->a != p->b;
}

static void ask_point(Share *x, int joint, const vgPrim *p)
{
    Wish a = {.body = p->a, .local = p->ra, .point = 1}, b = {.body = p->b, .local = p->rb, .point = 1};
    if (x->s->base.model->planar) a.local.z = b.local.z = 0;
    int can = can_share(x, &a, &b);
    if (can == 1) share(x, joint, &a, &b);
    if (can) drop_rows(x->s, p);
}

/* ua on a and ub on b are parallel; their sense is that of the placement. */
static int ask_vector(Share *x, int joint, int ia, vgVec3 ua, int ib, vgVec3 ub, int do_it)
{
    const vgModel *m = x->s->base.model;
    if (vg_dot3(in_world(m, ia, ua), in_world(m, ib, ub)) < 0) ub = vg_neg3(ub);
    Wish a = {.body = ia, .local = ua}, b = {.body = ib, .local = ub};
    int can = can_share(x, &a, &b);
    if (can == 1 && do_it) share(x, joint, &a, &b);
    return can;
}

static int dot_row(const vgPrim *p)
{
    return vg_prim_is_angle(p) && plain(p) && p->c == 0;
}

static int same(vgVec3 a, vgVec3 b)
{
    return vg_norm3(vg_sub3(a, b)) < VG_SHARED;
}

/* Two rows with one vector against two of the other body: it is parallel to their cross product. */
static int ask_parallel(Share *x, int joint, const vgPrim *p, const vgPrim *o)
{
    vgVec3 ua = p->ua, ub = p->ub;
    if (same(p->ub, o->ub) && !same(p->ua, o->ua))
        ua = vg_unit3(vg_cross3(p->ua, o->ua));
    else if (same(p->ua, o->ua) && !same(p->ub, o->ub))
        ub = vg_unit3(vg_cross3(p->ub, o->ub));
    else
        return 0;
    if (!ask_vector(x, joint, p->a, ua, p->b, ub, 1)) return 0;
    drop_rows(x->s, p);
    drop_rows(x->s, o);
    return 1;
}

/* Three rows xA·yB = yA·zB = zA·xB = 0: the axes are those of both bodies, all three or none. */
static int ask_aligned(Share *x, int joint, const vgPrim *const p[3])
{
    const vgNat *s = x->s;
    int missing[2] = {0, 0};
    for (int k = 0; k < 3; k++) {
        Wish a = {.body = p[k]->a, .local = p[k]->ua}, b = {.body = p[k]->b, .local = p[(k + 2) % 3]->ub};
        double turned =
            vg_dot3(in_world(s->base.model, a.body, a.local), in_world(s->base.model, b.body, b.local));
        if (turned < 0.5 || !ask_vector(x, joint, a.body, a.local, b.body, b.local, 0)) return 0;
        look(x, &a);
        look(x, &b);
        missing[0] += a.raw < 0;
        missing[1] += b.raw < 0;
    }
    for (int side = 0; side < 2; side++) {
        int body = side ? p[0]->b : p[0]->a, points = 0;
        if (body < 0) continue;
        for (int k = 0; k < s->body[body].n; k++) points += s->body[body].item[k].point;
        if (s->body[body].n + missing[side] + (points == 0) > 4) return 0;
    }
    for (int k = 0; k < 3; k++) {
        int done = ask_vector(x, joint, p[k]->a, p[k]->ua, p[k]->b, p[(k + 2) % 3]->ub, 1);
        if (!done) return k >= 2; /* two common axes are enough */
    }
    return 1;
}

static int is_aligned(const vgPrim *const p[3])
{
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < k; j++)
            if (fabs(vg_dot3(p[k]->ua, p[j]->ua)) > VG_SHARED ||
                fabs(vg_dot3(p[k]->ub, p[j]->ub)) > VG_SHARED)
                return 0;
    vgVec3 za = vg_cross3(p[0]->ua, p[1]->ua), zb = vg_cross3(p[2]->ub, p[0]->ub);
    return same(za, p[2]->ua) && same(zb, p[1]->ub);
}

static void ask_joint(Share *x, int joint)
{
    const vgModel *m = x->s->base.model;
    const vgJoint *j = &m->joint[joint];
    const vgPrim *dots[VG_JOINT_MAX_PRIMS];
    int ndot = 0;
    for (int i = j->prim0; i < j->prim0 + j->nprim; i++)
        if (m->prim[i].level > 0) return;
    for (int i = j->prim0; i < j->prim0 + j->nprim; i++) {
        const vgPrim *p = &m->prim[i];
        if (vg_prim_is_point(p) && plain(p)) ask_point(x, joint, p);
        if (dot_row(p) && ndot < VG_JOINT_MAX_PRIMS) dots[ndot++] = p;
    }
    if (m->planar && ndot == 1) { /* uA·(z × w) = 0 */
        const vgPrim *p = dots[0];
        if (ask_vector(x, joint, p->a, p->ua, p->b, vg_v3(p->ub.y, -p->ub.x, 0), 1)) drop_rows(x->s, p);
    } else if (!m->planar && ndot == 2) {
        ask_parallel(x, joint, dots[0], dots[1]);
    } else if (!m->planar && ndot == 3 && is_aligned(dots) && ask_aligned(x, joint, dots)) {
        for (int k = 0; k < 3; k++) drop_rows(x->s, dots[k]);
    }
}

/* ---- the result ---- */

/* Children before parents, the ground being a parent only: leaves are taken off one after the other. */
static vgStatus order_passes(Share *x)
{
    vgNat *s = x->s;
    size_t n = 4 * (size_t)s->nbody + 1;
    int *degree = calloc(n, sizeof(int)), *only = calloc(n, sizeof(int)), *queue = calloc(n, sizeof(int));
    int count = 0;
    if (!degree || !only || !queue) {
        free(degree), free(only), free(queue);
        return VG_NO_MEMORY;
    }
    for (int e = 0; e < x->nedge; e++)
        for (int side = 0; side < 2; side++) {
            int slot = side ? x->edge[e].b : x->edge[e].a;
            if (slot < 0) continue;
            degree[slot]++;
            only[slot] ^= e; /* of the last edge left this is its number */
        }
    for (int i = 0; i < 4 * s->nbody; i++)
        if (degree[i] == 1) queue[count++] = i;
    for (int at = 0; at < count; at++) {
        int child = queue[at], e = only[child];
        if (degree[child] != 1) continue;
        int parent = x->edge[e].a == child ? x->edge[e].b : x->edge[e].a;
        s->pass[s->npass++] = (vgNatPass){.joint = x->edge[e].joint,
                                          .child = child,
                                          .parent = parent,
                                          .child_is_b = x->edge[e].b == child,
                                          .point = x->edge[e].point};
        degree[child] = 0;
        if (parent < 0) continue;
        only[parent] ^= e;
        if (--degree[parent] == 1) queue[count++] = parent;
    }
    free(degree), free(only), free(queue);
    return VG_OK;
}

/* Items get the numbers of the nodes that are left; fixed ones their values. */
static void number_nodes(Share *x)
{
    vgNat *s = x->s;
    for (int i = 0; i < x->nraw; i++)
        if (x->raw[i].parent == i) x->raw[i].last = -1;
    for (int i = 0; i < s->nbody; i++)
        for (int k = 0; k < s->body[i].n; k++) {
            vgNatBody *b = &s->body[i];
            vgNatItem *it = &b->item[k];
            vgWeight f;
            Raw *r = &x->raw[root_of(x, it->node, &f)];
            if (!it->point) it->local = vg_weigh(vg_conj(f), it->local);
            it->root = (int)(r - x->raw);
            it->node = -1;
            if (r->fixed) {
                it->fixed = r->value;
                continue;
            }
            if (r->last < 0) {
                r->last = s->nnode;
                s->node[s->nnode++] =
                    (vgNatNode){.dim = s->base.model->planar ? 2 : 3, .point = it->point, .body = i};
            }
            it->node = r->last;
        }
}

vgStatus vg_nat_share(vgNat *s)
{
    const vgModel *m = s->base.model;
    size_t most = 4 * (size_t)s->nbody + 3 * (size_t)m->nprim + 1;
    Share x = {.s = s};
    x.raw = calloc(most, sizeof *x.raw);
    x.next = calloc(4 * (size_t)s->nbody + 1, sizeof *x.next);
    x.ground = calloc(most, sizeof *x.ground);
    x.edge = calloc(most, sizeof *x.edge);
    vgStatus st = x.raw && x.next && x.ground && x.edge ? VG_OK : VG_NO_MEMORY;
    for (int j = 0; st == VG_OK && j < m->njoint; j++) ask_joint(&x, j);
    if (st == VG_OK) st = order_passes(&x);
    if (st == VG_OK) number_nodes(&x);
    s->nroot = x.nraw;
    free(x.raw);
    free(x.next);
    free(x.ground);
    free(x.edge);
    return st;
}
