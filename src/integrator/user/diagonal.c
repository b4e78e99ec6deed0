/* A diagonally implicit Runge–Kutta method by its tableau, the first stage explicit or not (composite/diagonal.c). */
#include "integrator/composite/diagonal.h"
#include "integrator/multistep/lms.h"
#include "integrator/own.h"
#include "integrator/user/user.h"

_Static_assert((int)VG_USER_STAGES <= (int)VG_DIAGONAL_MAX, "a user's tableau has room");

typedef struct Own {
    vgArena arena;
    vgDiagonal method;
} Own;

static void place(void *own, const vgIntegrator *it, vgArena *a)
{
    vgDiagonal *w = &((Own *)own)->method;
    const vgUserMethod *m = it->row->data;
    w->tb = (vgDiagonalTableau){.s = m->s,
                                .first_explicit = m->first_explicit,
                                .a = m->a,
                                .b = m->b,
                                .c = m->c,
                                .e = m->embedded ? m->e : NULL};
    vg_diagonal_place(w, it->sys, a);
}

vgStatus vg_user_diagonal_setup(vgIntegrator *it)
{
    vgStatus st = vg_own_new(it, sizeof(Own), place);
    if (st != VG_OK) return st;
    it->changes = "makes stages and results consistent with a matrix in the other's place";
    vg_user_tableau_setup(it);
    return VG_OK;
}

vgStatus vg_user_diagonal_step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    return vg_diagonal_step(it, &((Own *)it->own)->method, s, h, NULL, x);
}
