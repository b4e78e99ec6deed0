/* Relative coordinates: the motion of a link behind a hinge or a Cardan joint, at the width of math/width.h. motion.c
 * includes this at width 1, fours.c at width 4. WLINK is vgLink or vgLinkFour, WPARENT has R, p, v, w of the parent.
 *
 * N = R_parent E has the axes of the joint's frame on the parent. A hinge turns by q about ±z. A Cardan joint turns by q1
 * about z, then by q2 about x' = cos(q1) x + sin(q1) y; y' = z × x' is what the second axis changes by. */

typedef struct WTYPE(LinkMoved) {
    W33 R;
    W3 p, d, v, w;
    W3 cv, cw;       /* acceleration without that of the parent and without q̈ */
    W3 Sv[2], Sw[2]; /* columns of S about the centre of mass: translation, rotation */
} WTYPE(LinkMoved);

/* x c + y s */
WINLINE W3 WNAME(link_mixed)(W3 x, WNUM c, W3 y, WNUM s)
{
    return W(add3)(W(scale3)(x, c), W(scale3)(y, s));
}

/* v: joint rates. cardan: two coordinates, else one. */
WINLINE void WNAME(link_move)(const WLINK *l, const WPARENT *P, int cardan, const WNUM *sine,
                              const WNUM *cosine, const WNUM *v, WTYPE(LinkMoved) * m)
{
    const W33 N = W(mm3)(P->R, l->E);
    const W3 x = W(col3)(N, 0), y = W(col3)(N, 1), z = W(col3)(N, 2);
    W3 turning = z; /* y' */
    if (cardan) {
        const W3 x1 = WNAME(link_mixed)(x, cosine[0], y, sine[0]),
                 y1 = WNAME(link_mixed)(y, cosine[0], x, -sine[0]);
        const W3 a = WNAME(link_mixed)(y1, cosine[1], z, sine[1]),
                 b = WNAME(link_mixed)(z, cosine[1], y1, -sine[1]);
        m->R = W(where_positive33)(l->turn, W(cols3)(a, b, x1), W(cols3)(x1, a, b));
        m->Sw[0] = z, m->Sw[1] = x1, turning = y1;
    } else {
        const WNUM s = sine[0] * l->turn;
        m->R = W(cols3)(WNAME(link_mixed)(x, cosine[0], y, s), WNAME(link_mixed)(y, cosine[0], x, -s), z);
        m->Sw[0] = W(scale3)(z, l->turn);
    }
    const W3 arm = W(mv3)(m->R, l->rC);
    m->d = W(sub3)(W(mv3)(P->R, l->rP), arm);
    m->p = W(add3)(P->p, m->d);
    m->Sv[0] = W(cross3)(arm, m->Sw[0]);
    W3 uv = W(scale3)(m->Sv[0], v[0]), uw = W(scale3)(m->Sw[0], v[0]);
    if (cardan) {
        m->Sv[1] = W(cross3)(arm, m->Sw[1]);
        uv = W(axpy3)(v[1], m->Sv[1], uv);
        uw = W(axpy3)(v[1], m->Sw[1], uw);
    }
    const W3 pv = W(add3)(P->v, W(cross3)(P->w, m->d));
    m->v = W(add3)(pv, uv);
    m->w = W(add3)(P->w, uw);
    m->cv = W(add3)(W(cross3)(P->w, uv), W(cross3)(pv, uw));
    m->cw = W(cross3)(P->w, uw);
    if (cardan) {
        const WNUM both = v[0] * v[1];
        m->cv = W(axpy3)(both, W(cross3)(arm, turning), m->cv);
        m->cw = W(axpy3)(both, turning, m->cw);
    }
}

/* The wrench of the link's own inertia, weight being part of (Av, Aw). */
WINLINE void WNAME(link_own_force)(const WLINK *l, W33 R, W3 v, W3 w, W3 Av, W3 Aw, W3 *Fv, W3 *Fw)
{
    const W3 wl = W(mtv3)(R, w), al = W(mtv3)(R, Aw);
    const W3 T = W(add3)(W(mv3)(l->J, al), W(cross3)(wl, W(mv3)(l->J, wl)));
    *Fv = W(scale3)(W(add3)(Av, W(cross3)(w, v)), l->mass);
    *Fw = W(mv3)(R, T);
}
