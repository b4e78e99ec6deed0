/* The law of tyre_linear.c at the width of math/width.h; WLINEAR has its coefficients. A tyre off the ground has no
 * lateral force, so the law is switched by N > 0. slope NULL: not wanted. */
static void WNAME(linear)(const void *def, WNUM N, WNUM alpha, WNUM camber, WNUM out[2], WNUM slope[6])
{
    const WLINEAR *s = def;
    const WNUM zero = W(num)(0);
    const WMASK on = N > zero;
    out[0] = W(pick)(on, -(s->cornering * alpha + s->camber * camber), zero);
    out[1] = -s->trail * out[0];
    if (!slope) return;
    slope[0] = zero;
    slope[1] = W(pick)(on, -s->cornering, zero);
    slope[2] = W(pick)(on, -s->camber, zero);
    for (int i = 0; i < 3; i++) slope[3 + i] = -s->trail * slope[i];
}
