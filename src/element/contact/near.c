#include "element/contact/near.h"

#include <math.h>
#include <string.h>

/* Room for so many pairs for each ball. Equal balls in a dense heap have 6, and 8 within the margin; where there are
 * more, the margin is made smaller, and then every pair is looked at. */
enum { PAIRS_A_BALL = 12, SMALLER_MARGINS = 6 };
/* A requested margin is enlarged by this factor, so that a slightly larger request later needs no new list. */
static const double AHEAD = 1.5;

static int room_of(const vgContactGroup *g)
{
    double most = (double)g->namong * (g->nfinite - 1), room = (double)PAIRS_A_BALL * g->nfinite;
    return (int)fmin(most, room) + 1;
}

vgGroupWork *vg_group_place(const vgContactGroup *g, vgArena *a)
{
    vgGroupWork *w = VG_TAKE(a, vgGroupWork, 1), measure = {0}, *x = w ? w : &measure;
    int rows = 0, others = g->n - g->namong;
    while (vg_contact_pairs[rows]) rows++;
    vg_broad_place(&x->broad, g->nfinite, room_of(g), a);
    x->room = room_of(g) + g->namong * (g->n - g->nfinite);
    x->pair = VG_TAKE(a, vgNear, x->room);
    x->centre = VG_TAKE(a, vgVec3, g->n + 1);
    x->then = VG_TAKE(a, vgVec3, g->n + 1);
    x->turn = others ? VG_TAKE(a, vgMat3, others) : NULL;
    x->def = vg_arena_take_many(a, (size_t)rows, sizeof *x->def);
    if (!w || !x->def) return w;
    w->broad.wanted = g->namong;
    w->broad.body = g->body;
    for (int i = 0; i < g->nfinite; i++) w->broad.radius[i] = g->shape[i].bound;
    for (int k = 0; k < rows; k++) {
        vgContact *c = (vgContact *)(void *)w->def[k].bytes;
        c->law = g->law;
        c->up = g->planar ? 1 : 2;
        c->locate = vg_contact_pairs[k]->locate;
    }
    return w;
}

const void *vg_group_bind(const vgContactGroup *g, vgGroupWork *w, vgNear p, const vgForceIn *in,
                          const vgKin *kin[2], int body[2])
{
    const vgTouchShape *a = &g->shape[p.a], *b = &g->shape[p.b];
    int swap = g->swap[a->kind][b->kind], row = g->row[a->kind][b->kind];
    void *def = w->def[row].bytes;
    vg_contact_pairs[row]->bind(def, swap ? b : a, swap ? a : b);
    body[0] = g->body[swap ? p.b : p.a], body[1] = g->body[swap ? p.a : p.b];
    kin[0] = vg_group_kin(in, body[0]), kin[1] = vg_group_kin(in, body[1]);
    return def;
}

/* Can this pair be near? Balls: their distance has been looked at. */
static int is_near(const vgContactGroup *g, vgGroupWork *w, vgNear p, const vgForceIn *in)
{
    const vgKin *kin[2];
    int body[2];
    if (g->shape[p.b].kind == VG_TOUCH_SPHERE && g->shape[p.a].kind == VG_TOUCH_SPHERE) return 1;
    if (g->shape[p.b].kind == VG_TOUCH_PLANE && g->body[p.b] >= 0) return 1; /* may turn by any arm */
    const void *def = vg_group_bind(g, w, p, in, kin, body);
    vgForceIn pair = {.nbody = 2, .kin = kin};
    return vg_contact_depth(def, &pair) >= -w->margin;
}

static vgMat3 axes_of(const vgContactGroup *g, int shape, const vgForceIn *in)
{
    return vg_mm3(vg_group_kin(in, g->body[shape])->R, g->shape[shape].frame.R);
}

/* The pairs of the grid and those with planes, ascending, without those that are found not to be near. */
static void gather(const vgContactGroup *g, vgGroupWork *w, int found, const vgForceIn *in)
{
    int at = 0;
    w->n = 0;
    for (int i = 0; i < g->nfinite; i++) {
        for (; at < found && w->broad.pair[at].a == i; at++)
            if (is_near(g, w, w->broad.pair[at], in)) w->pair[w->n++] = w->broad.pair[at];
        for (int k = g->nfinite; i < g->namong && k < g->n; k++)
            if (g->body[k] != g->body[i] && is_near(g, w, (vgNear){i, k}, in))
                w->pair[w->n++] = (vgNear){i, k};
    }
}

static void find(const vgContactGroup *g, vgGroupWork *w, const vgForceIn *in, double margin)
{
    int found = -1;
    for (int k = 0; k < SMALLER_MARGINS && found < 0; k++, margin /= 2) {
        w->margin = margin;
        found = vg_broad_find(&w->broad, w->centre, margin);
    }
    w->all = found < 0;
    if (!w->all) gather(g, w, found, in);
    memcpy(w->then, w->centre, (size_t)g->n * sizeof *w->then);
    for (int k = g->namong; k < g->n; k++) w->turn[k - g->namong] = axes_of(g, k, in);
    w->built = 1;
}

/* How far a point of the shape that may be touched has moved at most. */
static int has_moved(const vgContactGroup *g, const vgGroupWork *w, int i, const vgForceIn *in)
{
    vgVec3 d = vg_sub3(w->centre[i], w->then[i]);
    double half = 0.5 * w->margin, way2 = vg_dot3(d, d);
    if (!(way2 <= half * half)) return 1;
    if (i < g->namong || g->body[i] < 0 || g->shape[i].kind == VG_TOUCH_SPHERE) return 0;
    if (g->shape[i].kind == VG_TOUCH_PLANE) return 0; /* always near */
    vgMat3 change = vg_msub3(axes_of(g, i, in), w->turn[i - g->namong]);
    double angle2 = 0;
    for (int k = 0; k < 9; k++) angle2 += change.m[k / 3][k % 3] * change.m[k / 3][k % 3];
    return !(sqrt(way2) + sqrt(angle2) * (g->shape[i].bound + g->largest + w->margin) <= half);
}

void vg_group_look(const vgContactGroup *g, vgGroupWork *w, const vgForceIn *in, double least)
{
    int moved = !w->built || (!w->all && w->margin < least);
    for (int i = 0; i < g->n; i++) {
        const vgKin *k = vg_group_kin(in, g->body[i]);
        vgVec3 r = g->shape[i].frame.r;
        w->centre[i] = r.x == 0 && r.y == 0 && r.z == 0 ? k->p : vg_kin_point(k, r);
    }
    for (int i = 0; i < g->n && !moved; i++) moved = has_moved(g, w, i, in);
    if (moved) find(g, w, in, fmax(g->margin, AHEAD * least));
}

int vg_group_walk_all(vgGroupWalk *k, vgNear *out)
{
    const vgContactGroup *g = k->g;
    for (; k->a < g->nfinite; k->a++, k->b = k->a) {
        while (++k->b < g->n) {
            int plane = k->b >= g->nfinite;
            if (g->body[k->a] == g->body[k->b] || (k->a >= g->namong && (plane || k->b >= g->namong)))
                continue;
            *out = (vgNear){k->a, k->b};
            return 1;
        }
    }
    return 0;
}
