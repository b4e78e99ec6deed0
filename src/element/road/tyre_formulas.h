/* The contact of a tyre and its derivatives (tyre.h, docs/theory.md eq. 52a), at the width of math/width.h. tyre.c
 * includes this at width 1, tyre_four.c at width 4. WTYRE is vgTyre or vgTyreFour; all vectors are in the axes of the
 * road's frame. */

typedef struct WTYPE(TyreContact) {
    WMASK on;    /* the wheel touches the road and does not lie flat */
    WMASK touch; /* and the radial force is not cut off at zero */
    W3 u, e;     /* velocity of the centre, the wheel's axis */
    W3 n, ex, ey, ez;
    WNUM h[3], H;      /* the road below the centre with two derivatives; √(1 + h'²) */
    WNUM height, L, d; /* of the centre over the road; over the tangent plane; deflection */
    WNUM s, sn;        /* cosine and sine of the camber */
    WNUM r;            /* from the centre along the spoke to the point of contact */
    WNUM vx, vy, qq;   /* slip; v_x² + v0² */
    WNUM alpha, gamma; /* slip angle, camber */
    WNUM fade;         /* 1 rolling, 0 standing */
    WNUM N;            /* radial force */
    WNUM side[2];      /* F_y, M_z as the law gives them */
    WNUM slope[6];     /* derivatives of F_y by N, α, γ, then of M_z */
    W3 F, T;           /* on the wheel, about its centre */
} WTYPE(TyreContact);

/* y: the wheel's centre; u, e, h are set. Leaves what the law needs. */
WINLINE void WNAME(tyre_contact)(const WTYRE *t, W3 y, WTYPE(TyreContact) * c)
{
    const WNUM zero = W(num)(0);
    c->H = W(sqrt)(1 + c->h[1] * c->h[1]);
    c->height = y.z - c->h[0];
    c->L = c->height / c->H;
    c->n = (W3){-c->h[1] / c->H, zero, 1 / c->H};
    c->d = W(pick)(t->vertical, (t->radius - c->height) / c->H, t->radius - c->L);
    const W3 cross = W(cross3)(c->e, c->n);
    c->s = W(sqrt)(W(dot3)(cross, cross));
    c->sn = W(dot3)(c->e, c->n);
    c->on = (c->d > zero) & (c->s >= W(num)(VG_WHEEL_FLAT));
    c->ex = W(scale3)(cross, 1 / c->s);
    c->ey = W(cross3)(c->n, c->ex);
    c->ez = W(cross3)(c->ex, c->e);
    c->r = c->L / c->s;
    c->vx = W(dot3)(c->u, c->ex);
    c->vy = W(dot3)(c->u, c->ey);
    c->qq = c->vx * c->vx + t->velocity * t->velocity;
    c->alpha = W(atan)(c->vy / W(sqrt)(c->qq));
    c->fade = c->vx * c->vx / c->qq;
    c->gamma = W(atan)(c->sn / c->s);
    const WNUM N = t->stiffness * c->d - t->damping * W(dot3)(c->n, c->u);
    c->touch = c->on & (N > zero);
    c->N = W(pick)(c->touch, N, zero);
}

/* After the law. */
WINLINE void WNAME(tyre_force)(WTYPE(TyreContact) * c)
{
    c->F = W(axpy3)(c->side[0], c->ey, W(scale3)(c->n, c->N));
    c->T = W(axpy3)(-c->r, W(cross3)(c->ez, c->F), W(scale3)(c->n, c->side[1]));
}

/* Variations of the load, of the slip and of the axes; dgamma, dr: the parts that do not come from dvx. */
typedef struct WTYPE(TyreChange) {
    WNUM dN, dvx, dvy, dgamma, dr;
    W3 dn, dey, dez;
} WTYPE(TyreChange);

WINLINE void WNAME(tyre_answer)(const WTYPE(TyreContact) * c, const WTYPE(TyreChange) * x, W3 out[2])
{
    const WNUM q = W(sqrt)(c->qq), speed = c->qq + c->vy * c->vy;
    const WNUM dalpha = (c->qq * x->dvy - c->vy * c->vx * x->dvx) / (q * speed);
    const WNUM dgamma = x->dgamma + 2 * (1 - c->fade) * c->vx / c->qq * c->gamma * x->dvx;
    const WNUM dFy = c->slope[0] * x->dN + c->slope[1] * dalpha + c->slope[2] * dgamma;
    const WNUM dMz = c->slope[3] * x->dN + c->slope[4] * dalpha + c->slope[5] * dgamma;
    out[0] = W(add3)(W(axpy3)(x->dN, c->n, W(scale3)(x->dn, c->N)),
                     W(axpy3)(dFy, c->ey, W(scale3)(x->dey, c->side[0])));
    const W3 turn = W(add3)(W(cross3)(x->dez, c->F), W(cross3)(c->ez, out[0]));
    out[1] = W(axpy3)(dMz, c->n, W(scale3)(x->dn, c->side[1]));
    out[1] = W(axpy3)(-x->dr, W(cross3)(c->ez, c->F), out[1]);
    out[1] = W(axpy3)(-c->r, turn, out[1]);
}

/* The axes of the contact turn with the normal and the wheel's axis. */
WINLINE void WNAME(tyre_turn)(const WTYPE(TyreContact) * c, W3 dn, W3 de, WNUM dL, WTYPE(TyreChange) * x)
{
    const W3 dc = W(add3)(W(cross3)(de, c->n), W(cross3)(c->e, dn));
    const WNUM ds = W(dot3)(c->ex, dc), dsn = W(dot3)(de, c->n) + W(dot3)(c->e, dn);
    const W3 dex = W(scale3)(W(axpy3)(-ds, c->ex, dc), 1 / c->s);
    x->dn = dn;
    x->dey = W(add3)(W(cross3)(dn, c->ex), W(cross3)(c->n, dex));
    x->dez = W(add3)(W(cross3)(dex, c->e), W(cross3)(c->ex, de));
    x->dr = (dL - c->r * ds) / c->s;
    x->dvx = W(dot3)(c->u, dex);
    x->dvy = W(dot3)(c->u, x->dey);
    x->dgamma = c->fade * (c->s * dsn - c->sn * ds);
}

WINLINE W3 WNAME(tyre_unit)(int k)
{
    return (W3){W(num)(k == 0), W(num)(k == 1), W(num)(k == 2)};
}

/* Columns of ∂(F, T): X by x, y (zero) and z of the centre and by the wheel's rotation, V by the velocity. */
WINLINE void WNAME(tyre_vary)(const WTYRE *t, const WTYPE(TyreContact) * c, W3 X[6][2], W3 V[3][2])
{
    const WNUM zero = W(num)(0), inverse = 1 / c->H;
    const WNUM stiff = W(pick)(c->touch, t->stiffness, zero), damp = W(pick)(c->touch, t->damping, zero);
    const W3 o = W(zero3)();
    const WNUM by = -c->h[2] * inverse * inverse, bend = -c->h[1] * by; /* of n along the tangent, δH/H */
    const W3 dn = {by * inverse, zero, by * c->h[1] * inverse};
    const WNUM dheight = -c->h[1], dL = (dheight - c->height * bend) * inverse;
    WTYPE(TyreChange) x;
    WNAME(tyre_turn)(c, dn, o, dL, &x);
    x.dN = stiff * W(pick)(t->vertical, -dheight * inverse - c->d * bend, -dL) - damp * W(dot3)(dn, c->u);
    WNAME(tyre_answer)(c, &x, X[0]);
    X[1][0] = X[1][1] = o;
    x = (WTYPE(TyreChange)){.dN = -stiff * inverse, .dr = inverse / c->s};
    WNAME(tyre_answer)(c, &x, X[2]);
    for (int i = 0; i < 3; i++) {
        WNAME(tyre_turn)(c, o, W(cross3)(WNAME(tyre_unit)(i), c->e), zero, &x);
        x.dN = zero;
        WNAME(tyre_answer)(c, &x, X[3 + i]);
    }
    const WNUM *n = &c->n.x, *ex = &c->ex.x, *ey = &c->ey.x;
    for (int i = 0; i < 3; i++) {
        x = (WTYPE(TyreChange)){.dN = -damp * n[i], .dvx = ex[i], .dvy = ey[i]};
        WNAME(tyre_answer)(c, &x, V[i]);
    }
}
