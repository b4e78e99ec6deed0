/* Lines of elements: the motion of a body at the point of an increment, and the increment added to its Δ. */
#include <math.h>
#include <string.h>

#include "system/absolute/lines.h"

void vg_line_state(const vgLinePoint *x, int q0, int v0, double q[7], double v[6], double a[6],
                   double rate[6])
{
    const vgAffine *s = x->s;
    const double *delta = s->delta + v0, *dhat = s->dhat + v0, *vhat = s->vhat + v0;
    x->chart->retract(s->q_r + q0, delta, q);
    if (s->map == VG_STAGE_FIRST) {
        for (int i = 0; i < 6; i++) rate[i] = s->cv * (delta[i] - dhat[i]);
        x->chart->twist(delta, q, rate, v);
        for (int i = 0; i < 6; i++) a[i] = s->cv * (v[i] - vhat[i]);
        return;
    }
    for (int i = 0; i < 6; i++) {
        double d = delta[i] - dhat[i];
        v[i] = vhat[i] + s->cv * d;
        a[i] = s->ca * d;
    }
}

void vg_line_look(const vgLinePoint *x, const vgLineBody *b, vgKin *k, vgMat3 *V)
{
    const vgTangent *p = x->p;
    double q[7], v[6], a[6], rate[6];
    const double *d_dot = rate;
    if (x->s) {
        vg_line_state(x, b->q0, b->v0, q, v, a, rate);
        x->chart->kin(q, v, a, k);
        for (int i = 0; i < 6; i++) x->acc[i / 3] = x->acc[i / 3] > fabs(a[i]) ? x->acc[i / 3] : fabs(a[i]);
    } else {
        x->chart->kin(p->q + b->q0, p->v + b->v0, p->a + b->v0, k);
        d_dot = p->delta_dot ? p->delta_dot + b->v0 : NULL;
    }
    *V = x->turning ? x->chart->stage_map(p, p->delta + b->v0, d_dot) : vg_eye3();
}

void vg_line_move(const vgLinePoint *x, int v0, const double *dx, vgLineMost *most)
{
    const vgAffine *s = x->s;
    double *delta = s->delta + v0, d[6];
    if (x->turning)
        x->chart->rates(delta, NULL, dx, d);
    else
        memcpy(d, dx, sizeof d);
    for (int i = 0; i < 6; i++) {
        delta[i] += d[i];
        double size = fabs(dx[i]);
        most->x[i / 3] = most->x[i / 3] > size ? most->x[i / 3] : size;
        most->bad += dx[i] * 0;
    }
}
