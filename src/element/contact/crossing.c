/* Contacts within a step: do two bodies that are apart at both of its ends touch in between, or part?
 *
 * The path y(s), 0 ≤ s ≤ 1, of the second frame's origin is the cubic with the positions and velocities of both
 * ends. The depth changes no faster than y does, for its gradient is a unit vector. So over a part of the path
 * with the depths d₀ and d₁ at its ends nothing crosses if
 *     |d₀| + |d₁| > max|y'| Δs,
 * and max|y'| is bounded by the Bézier points of y'. Where the normal hardly turns the depth itself is nearly a
 * cubic, and nothing crosses if its Bézier points are on one side: so bodies that slide along each other are
 * soon done with. Other parts are halved (conservative advancement from both ends). */
#include "element/contact/contact.h"

enum {
    HALVINGS = 16, /* a contact of less than 1.5e-5 of the step is a touch, not a crossing */
    LOOKS = 2000   /* at places of the path; bodies that graze each other all along it end there */
};

/* Cosine between the normals of both ends: beyond 25° the surface is looked at more closely. At half the angle
 * a ball that rolls off a corner takes one halving more; at twice, a thin edge may be taken for a plane. */
static const double SAME_NORMAL = 0.9;

typedef struct Point {
    double s;
    vgApproach at; /* u: dy/ds */
} Point;

typedef struct Path {
    const vgContact *contact;
    Point a, b;
    int looks;
} Path;

static Point on_path(const Path *p, double s)
{
    const vgApproach *a = &p->a.at, *b = &p->b.at;
    double r = 1 - s, h0 = r * r * (1 + 2 * s), h1 = s * s * (3 - 2 * s), g0 = s * r * r, g1 = -s * s * r;
    double dh = 6 * s * r, dg0 = r * (1 - 3 * s), dg1 = s * (3 * s - 2);
    vgVec3 y = vg_add3(vg_axpy3(h0, a->y, vg_scale3(b->y, h1)), vg_axpy3(g0, a->u, vg_scale3(b->u, g1)));
    vgVec3 u = vg_axpy3(dh, vg_sub3(b->y, a->y), vg_axpy3(dg0, a->u, vg_scale3(b->u, dg1)));
    vgRel rel = {.y = y, .u = u, .R_AB = vg_eye3(), .R_WA = vg_eye3(), .R_Ab = vg_eye3()};
    vgContactAt at;
    p->contact->locate(p->contact, &rel, 0, &at);
    return (Point){s, {y, u, at.n, at.depth}};
}

static int is_free(const Point *a, const Point *b)
{
    const vgApproach *x = &a->at, *z = &b->at;
    double part = b->s - a->s;
    vgVec3 way = vg_sub3(z->y, x->y), mid = vg_axpy3(3 / part, way, vg_neg3(vg_add3(x->u, z->u)));
    double most = fmax(vg_norm3(mid), fmax(vg_norm3(x->u), vg_norm3(z->u)));
    if (fabs(x->depth) + fabs(z->depth) > most * part) return 1;
    if (vg_dot3(x->n, z->n) < SAME_NORMAL) return 0;
    double first = x->depth - part / 3 * vg_dot3(x->n, x->u),
           second = z->depth + part / 3 * vg_dot3(z->n, z->u);
    return (first > 0) == (x->depth > 0) && (second > 0) == (x->depth > 0);
}

static int crosses(Path *p, const Point *a, const Point *b, int halvings, double *when)
{
    if (is_free(a, b) || halvings == 0 || p->looks++ > LOOKS) return 0;
    Point mid = on_path(p, 0.5 * (a->s + b->s));
    if ((mid.at.depth > 0) != (a->at.depth > 0)) {
        *when = mid.s;
        return 1;
    }
    return crosses(p, a, &mid, halvings - 1, when) || crosses(p, &mid, b, halvings - 1, when);
}

int vg_contact_crosses(const void *def, const vgApproach *a, const vgApproach *b, double h, double *when)
{
    Path p = {def, {0, *a}, {1, *b}, 0};
    p.a.at.u = vg_scale3(a->u, h);
    p.b.at.u = vg_scale3(b->u, h);
    return (a->depth > 0) == (b->depth > 0) && crosses(&p, &p.a, &p.b, HALVINGS, when);
}
