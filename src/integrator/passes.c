#include "integrator/passes.h"

#include <math.h>

#include "integrator/fours.h"

VG_PASS void vg_pass_zero(int n, double *x)
{
    const vgFour zero = {0};
#define ZERO(N, i) PUT(N, x + (i), zero)
    VG_FOURS(n, ZERO);
}

VG_PASS void vg_pass_copy(int n, const double *x, double *out)
{
#define COPY(N, i) PUT(N, out + (i), GET(N, x + (i)))
    for (; n >= 8; n -= 8, x += 8, out += 8) {
        COPY(4, 0);
        COPY(4, 4);
    }
    VG_FOURS(n, COPY);
}

VG_PASS void vg_pass_scale(int n, double c, const double *x, double *out)
{
#define SCALE(N, i) PUT(N, out + (i), c * GET(N, x + (i)))
    VG_FOURS(n, SCALE);
}

VG_PASS void vg_pass_add(int n, double c, const double *x, double *y)
{
#define ADD(N, i) PUT(N, y + (i), GET(N, y + (i)) + c * GET(N, x + (i)))
    VG_FOURS(n, ADD);
}

VG_PASS void vg_pass_difference(int n, double c, const double *x, const double *y, double *out)
{
#define DIFFERENCE(N, i) PUT(N, out + (i), c * (GET(N, x + (i)) - GET(N, y + (i))))
    VG_FOURS(n, DIFFERENCE);
}

/* Gathered in registers during a pass: largest numbers, and a sum that is finite if all are. */
#define GATHER_BEGIN vgFour most_x = {0}, most_t = {0}, most_a = {0}, sum = {0}
#define GATHER(N, i, x_)                                                                                     \
    do {                                                                                                     \
        vgFour x4 = VG_SIZE_OF(x_), u4 = GET(N, unit + (i)), y4 = x4 * u4, z4 = x4 * GET(N, closes + (i)),   \
               a4 = VG_SIZE_OF(GET(N, a + (i))) * u4;                                                        \
        most_x = VG_LARGER(y4, most_x);                                                                      \
        most_t = VG_LARGER(z4, most_t);                                                                      \
        most_a = VG_LARGER(a4, most_a);                                                                      \
        sum += y4;                                                                                           \
    } while (0)
#define GATHER_END(out)                                                                                      \
    do {                                                                                                     \
        double all = VG_TOTAL(sum);                                                                          \
        (out)->x = all - all == 0 ? VG_LARGEST(most_x) : NAN;                                                \
        (out)->turned = VG_LARGEST(most_t);                                                                  \
        (out)->a = VG_LARGEST(most_a);                                                                       \
    } while (0)

VG_PASS void vg_pass_sizes(int n, const double *x, const double *a, const double *unit, const double *closes,
                           vgSizes *out)
{
    GATHER_BEGIN;
#define SIZES(N, i) GATHER(N, i, GET(N, x + (i)))
    VG_WHOLE_FOURS(n, SIZES);
    GATHER_END(out);
}

VG_PASS void vg_pass_states(int n, const vgStage *st, const vgStageSpec *sp)
{
    const double *w = st->w, *q_r = sp->q_r, *dhat = sp->dhat, *vhat = sp->vhat, *delta = st->delta,
                 cv = sp->cv, ca = sp->ca;
    double *q = st->q, *rate = st->delta_dot, *v = st->v, *a = st->a;
#define STATES(N, i)                                                                                         \
    do {                                                                                                     \
        vgFour d = GET(N, delta + (i)), r = cv * (d - GET(N, dhat + (i)));                                   \
        PUT(N, q + (i), GET(N, q_r + (i)) + d);                                                              \
        PUT(N, rate + (i), r);                                                                               \
        if (w) r -= GET(N, w + (i));                                                                         \
        PUT(N, v + (i), r);                                                                                  \
        PUT(N, a + (i), cv * (r - GET(N, vhat + (i))));                                                      \
    } while (0)
#define STATES_NEWMARK(N, i)                                                                                 \
    do {                                                                                                     \
        vgFour d = GET(N, delta + (i)), r = d - GET(N, dhat + (i));                                          \
        PUT(N, q + (i), GET(N, q_r + (i)) + d);                                                              \
        PUT(N, v + (i), GET(N, vhat + (i)) + cv * r);                                                        \
        PUT(N, a + (i), ca * r);                                                                             \
    } while (0)
    if (sp->map == VG_STAGE_FIRST)
        VG_WHOLE_FOURS(n, STATES);
    else
        VG_WHOLE_FOURS(n, STATES_NEWMARK);
}

VG_PASS void vg_pass_right_sides(const vgSystem *sys, const vgStage *st, double by, double by_phi)
{
    const double *r = st->r, *phi = st->phi;
    double *x = st->x, *xl = st->xl;
#define RIGHT(N, i)     PUT(N, x + (i), by * GET(N, r + (i)))
#define RIGHT_PHI(N, i) PUT(N, xl + (i), by_phi * GET(N, phi + (i)))
    VG_WHOLE_FOURS(sys->nv, RIGHT);
    VG_WHOLE_FOURS(sys->nl, RIGHT_PHI);
}

VG_PASS void vg_pass_move(const vgSystem *sys, const vgStage *st, const vgStageSpec *sp, double by_xl,
                          vgSizes *out)
{
    const double *x = st->x, *xl = st->xl, *w = st->w, *q_r = sp->q_r, *dhat = sp->dhat, *vhat = sp->vhat,
                 *unit = st->unit, *closes = sys->v_closes ? sys->v_closes : unit, cv = sp->cv, ca = sp->ca;
    double *delta = st->delta, *q = st->q, *rate = st->delta_dot, *v = st->v, *a = st->a,
           *lambda = st->lambda;
    GATHER_BEGIN;
#define MOVE(N, i)                                                                                           \
    do {                                                                                                     \
        vgFour y = GET(N, x + (i)), d = GET(N, delta + (i)) + y, r = cv * (d - GET(N, dhat + (i)));          \
        GATHER(N, i, y);                                                                                     \
        PUT(N, delta + (i), d);                                                                              \
        PUT(N, q + (i), GET(N, q_r + (i)) + d);                                                              \
        PUT(N, rate + (i), r);                                                                               \
        if (w) r -= GET(N, w + (i));                                                                         \
        PUT(N, v + (i), r);                                                                                  \
        PUT(N, a + (i), cv * (r - GET(N, vhat + (i))));                                                      \
    } while (0)
#define MOVE_NEWMARK(N, i)                                                                                   \
    do {                                                                                                     \
        vgFour y = GET(N, x + (i)), d = GET(N, delta + (i)) + y, r = d - GET(N, dhat + (i));                 \
        GATHER(N, i, y);                                                                                     \
        PUT(N, delta + (i), d);                                                                              \
        PUT(N, q + (i), GET(N, q_r + (i)) + d);                                                              \
        PUT(N, v + (i), GET(N, vhat + (i)) + cv * r);                                                        \
        PUT(N, a + (i), ca * r);                                                                             \
    } while (0)
    if (sp->map == VG_STAGE_FIRST)
        VG_WHOLE_FOURS(sys->nv, MOVE);
    else
        VG_WHOLE_FOURS(sys->nv, MOVE_NEWMARK);
        /* a solution stores these one by one, last of all: they are still on their way to the cache when fours are
         * loaded, so they come last */
#define MULTIPLIERS(N, i) PUT(N, lambda + (i), GET(N, lambda + (i)) + by_xl * GET(N, xl + (i)))
    VG_WHOLE_FOURS(sys->nl, MULTIPLIERS);
    GATHER_END(out);
}

VG_PASS void vg_pass_step(int n, const double *d, const vgStage *st, const vgStageSpec *sp)
{
    const double *dhat = sp->dhat, cv = sp->cv;
    double *delta = st->delta, *rate = st->delta_dot;
#define STEP(N, i)                                                                                           \
    do {                                                                                                     \
        vgFour x = GET(N, delta + (i)) + GET(N, d + (i));                                                    \
        PUT(N, delta + (i), x);                                                                              \
        PUT(N, rate + (i), cv * (x - GET(N, dhat + (i))));                                                   \
    } while (0)
    VG_WHOLE_FOURS(n, STEP);
}

VG_PASS double vg_pass_correct(int n, const vgStage *st, const vgStageSpec *sp)
{
    const double *d = st->d, *vhat = sp->vhat, *unit = st->unit, cv = sp->cv;
    double *w = st->w, *v = st->v, *a = st->a;
    vgFour most = {0}, sum = {0};
#define CORRECT(N, i)                                                                                        \
    do {                                                                                                     \
        vgFour y = GET(N, d + (i)), r = GET(N, v + (i)) - y;                                                 \
        PUT(N, w + (i), GET(N, w + (i)) + y);                                                                \
        PUT(N, v + (i), r);                                                                                  \
        PUT(N, a + (i), cv * (r - GET(N, vhat + (i))));                                                      \
        y = VG_SIZE_OF(y) * GET(N, unit + (i));                                                              \
        most = VG_LARGER(y, most);                                                                           \
        sum += y;                                                                                            \
    } while (0)
    VG_WHOLE_FOURS(n, CORRECT);
    double all = VG_TOTAL(sum);
    return all - all == 0 ? VG_LARGEST(most) : NAN;
}

VG_PASS vgCorrected vg_pass_correct_affine(int n, const vgStage *st, double by_a)
{
    const double *d = st->d, *unit = st->unit, old = st->guessed ? 1 : 0;
    double *w = st->w, *v = st->v, *a = st->a;
    vgFour most = {0}, most_w = {0}, sum = {0};
#define CORRECT_AFFINE(N, i)                                                                                 \
    do {                                                                                                     \
        vgFour y = GET(N, d + (i)), was = GET(N, w + (i)), u4 = GET(N, unit + (i)), change = y - old * was;  \
        was = was + change;                                                                                  \
        PUT(N, w + (i), was);                                                                                \
        PUT(N, v + (i), GET(N, v + (i)) - y);                                                                \
        PUT(N, a + (i), GET(N, a + (i)) - by_a * change);                                                    \
        was = VG_SIZE_OF(was) * u4;                                                                          \
        change = VG_SIZE_OF(change) * u4;                                                                    \
        most_w = VG_LARGER(was, most_w);                                                                     \
        most = VG_LARGER(change, most);                                                                      \
        sum += change;                                                                                       \
    } while (0)
    VG_WHOLE_FOURS(n, CORRECT_AFFINE);
    double all = VG_TOTAL(sum);
    return (vgCorrected){all - all == 0 ? VG_LARGEST(most) : NAN, VG_LARGEST(most_w)};
}

VG_PASS void vg_pass_correct_multipliers(int n, const vgStage *st, double c)
{
    const double *xl = st->xl, old = st->guessed ? 1 : 0;
    double *z = st->z, *lambda = st->lambda;
#define CORRECT_ROW(N, i)                                                                                    \
    do {                                                                                                     \
        vgFour was = GET(N, z + (i)), change = GET(N, xl + (i)) - old * was;                                 \
        PUT(N, z + (i), was + change);                                                                       \
        PUT(N, lambda + (i), GET(N, lambda + (i)) - c * change);                                             \
    } while (0)
    VG_FOURS(n, CORRECT_ROW);
}

VG_PASS void vg_pass_place(int n, const vgStage *st, const vgStageSpec *sp, const double *acc,
                           const double *speed)
{
    const double *q_r = sp->q_r, *dhat = sp->dhat, *vhat = sp->vhat, cv = sp->cv, b = 1 / cv;
    double *delta = st->delta, *q = st->q, *rate = st->delta_dot, *v = st->v, *a = st->a;
#define PLACE(N, i)                                                                                          \
    do {                                                                                                     \
        vgFour y, r, from = GET(N, vhat + (i));                                                              \
        if (acc) {                                                                                           \
            y = GET(N, acc + (i));                                                                           \
            r = from + b * y;                                                                                \
        } else {                                                                                             \
            r = GET(N, speed + (i));                                                                         \
            y = cv * (r - from);                                                                             \
        }                                                                                                    \
        vgFour d = GET(N, dhat + (i)) + b * r;                                                               \
        PUT(N, a + (i), y);                                                                                  \
        PUT(N, v + (i), r);                                                                                  \
        PUT(N, rate + (i), r);                                                                               \
        PUT(N, delta + (i), d);                                                                              \
        PUT(N, q + (i), GET(N, q_r + (i)) + d);                                                              \
    } while (0)
    VG_WHOLE_FOURS(n, PLACE);
}
