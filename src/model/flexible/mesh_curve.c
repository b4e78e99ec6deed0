/* Points and tangents along polylines, circular arcs and splines. */
#include <math.h>

#include "model/flexible/mesh.h"
#include "model/tuning.h"

static double apart(vgVec3 a, vgVec3 b)
{
    return vg_norm3(vg_sub3(b, a));
}

/* Number of elements of a segment: proportional to its length, at least one, nelement in all. The largest
 * remainders get what rounding leaves. */
static void share_out(const vgMeshCurve *c, int *n)
{
    double all = 0;
    int left = c->nelement;
    for (int i = 0; i + 1 < c->npoint; i++) all += apart(c->point[i], c->point[i + 1]);
    for (int i = 0; i + 1 < c->npoint; i++) {
        n[i] = (int)fmax(1, floor(c->nelement * apart(c->point[i], c->point[i + 1]) / all));
        left -= n[i];
    }
    for (; left != 0; left -= left > 0 ? 1 : -1) {
        int best = -1;
        double most = -INFINITY;
        for (int i = 0; i + 1 < c->npoint; i++) {
            double size = apart(c->point[i], c->point[i + 1]) / n[i], want = left > 0 ? size : -size;
            if (left < 0 && n[i] == 1) continue;
            if (want > most) most = want, best = i;
        }
        n[best] += left > 0 ? 1 : -1;
    }
}

static void lines(const vgMeshCurve *c, const int *n, vgVec3 *x, vgVec3 *tangent)
{
    int k = 0;
    for (int i = 0; i + 1 < c->npoint; i++) {
        vgVec3 d = vg_sub3(c->point[i + 1], c->point[i]), t = vg_unit3(d);
        int steps = n[i] * c->step;
        for (int j = 0; j <= steps; j++) {
            x[k + j] = vg_axpy3((double)j / steps, d, c->point[i]);
            /* at a corner the mean of both directions */
            tangent[k + j] = j == 0 && i > 0 ? vg_unit3(vg_add3(tangent[k], t)) : t;
        }
        k += steps;
    }
}

/* The circle through three points: centre m, from a turning by angle about the axis. */
static const char *arc(const vgMeshCurve *c, vgVec3 *x, vgVec3 *tangent)
{
    if (c->npoint != 3) return "an arc passes through one point: via: [[x, y, z]]";
    vgVec3 a = c->point[0], u = vg_sub3(c->point[1], a), v = vg_sub3(c->point[2], a), n = vg_cross3(u, v);
    double nn = vg_dot3(n, n), uu = vg_dot3(u, u), vv = vg_dot3(v, v);
    if (!(nn > VG_ARC_STRAIGHT * uu * vv)) return "the points of the arc are on one line";
    vgVec3 m = vg_add3(vg_scale3(vg_cross3(n, u), vv), vg_scale3(vg_cross3(v, n), uu));
    m = vg_add3(a, vg_scale3(m, 0.5 / nn));
    vgVec3 axis = vg_unit3(n), e1 = vg_sub3(a, m), e2 = vg_cross3(axis, e1), last = vg_sub3(c->point[2], m);
    double angle = atan2(vg_dot3(last, e2), vg_dot3(last, e1));
    const int steps = c->nelement * c->step;
    if (angle < 0) angle += 2 * acos(-1.0);
    for (int k = 0; k <= steps; k++) {
        double s = angle * k / steps;
        x[k] = vg_add3(m, vg_add3(vg_scale3(e1, cos(s)), vg_scale3(e2, sin(s))));
        tangent[k] = vg_unit3(vg_axpy3(cos(s), e2, vg_scale3(e1, -sin(s))));
    }
    return NULL;
}

/* Second derivatives of the natural cubic spline over chord lengths h: Thomas's elimination. */
static void spline_bend(const vgMeshCurve *c, const double *h, vgVec3 *m, double *diag)
{
    const int n = c->npoint;
    m[0] = m[n - 1] = vg_zero3();
    for (int i = 1; i + 1 < n; i++) {
        vgVec3 right = vg_scale3(vg_sub3(c->point[i + 1], c->point[i]), 6 / h[i]);
        m[i] = vg_axpy3(-6 / h[i - 1], vg_sub3(c->point[i], c->point[i - 1]), right);
        diag[i] = 2 * (h[i - 1] + h[i]);
        if (i == 1) continue;
        double f = h[i - 1] / diag[i - 1];
        diag[i] -= f * h[i - 1];
        m[i] = vg_axpy3(-f, m[i - 1], m[i]);
    }
    for (int i = n - 2; i > 0; i--) m[i] = vg_scale3(vg_axpy3(-h[i], m[i + 1], m[i]), 1 / diag[i]);
}

static void spline(const vgMeshCurve *c, const double *h, const vgVec3 *m, vgVec3 *x, vgVec3 *tangent)
{
    const int steps = c->nelement * c->step;
    double all = 0, before = 0;
    int i = 0;
    for (int k = 0; k + 1 < c->npoint; k++) all += h[k];
    for (int k = 0; k <= steps; k++) {
        double s = all * k / steps;
        while (i + 2 < c->npoint && s > before + h[i]) before += h[i++];
        double b = fmin(1, (s - before) / h[i]), a = 1 - b, hh = h[i] * h[i] / 6;
        vgVec3 p = vg_add3(vg_scale3(c->point[i], a), vg_scale3(c->point[i + 1], b));
        p = vg_axpy3(hh * (a * a * a - a), m[i], vg_axpy3(hh * (b * b * b - b), m[i + 1], p));
        vgVec3 d = vg_scale3(vg_sub3(c->point[i + 1], c->point[i]), 1 / h[i]);
        d = vg_axpy3(-(3 * a * a - 1) * h[i] / 6, m[i], vg_axpy3((3 * b * b - 1) * h[i] / 6, m[i + 1], d));
        x[k] = p;
        tangent[k] = vg_unit3(d);
    }
}

const char *vg_mesh_course(vgReader *r, const vgMeshCurve *c, vgVec3 *x, vgVec3 *tangent)
{
    int *n = VG_NEW(r->scratch, int, c->npoint);
    double *h = VG_NEW(r->scratch, double, 2 * c->npoint);
    vgVec3 *m = VG_NEW(r->scratch, vgVec3, c->npoint);
    if (!n || !h || !m) {
        r->full = 1;
        return "no memory";
    }
    for (int i = 0; i + 1 < c->npoint; i++) {
        h[i] = apart(c->point[i], c->point[i + 1]);
        if (!(h[i] > 0))
            return c->npoint == 2 ? "its ends are at one place" : "two of its points are at one place";
    }
    if (c->shape == VG_MESH_ARC) return arc(c, x, tangent);
    if (c->shape == VG_MESH_SPLINE && c->npoint > 2) {
        spline_bend(c, h, m, h + c->npoint);
        spline(c, h, m, x, tangent);
        return NULL;
    }
    if (c->nelement < c->npoint - 1) return "it has more lines than elements";
    share_out(c, n);
    lines(c, n, x, tangent);
    return NULL;
}
