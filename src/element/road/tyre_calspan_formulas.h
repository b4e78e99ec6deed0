/* The law of tyre_calspan.c at the width of math/width.h; WCALSPAN has its coefficients. The friction P is a parabola of
 * the load: beyond its root the tyre only slides freely. slope NULL: not wanted. */
static void WNAME(calspan)(const void *def, WNUM N, WNUM alpha, WNUM camber, WNUM out[2], WNUM slope[6])
{
    const WCALSPAN *s = def;
    const WNUM zero = W(num)(0);
    const WMASK low = N < s->A2;
    const WNUM P = (s->B1 * N + s->B3 + s->B4 * N * N) * s->skid * N, F = W(pick)(low, N, s->A2);
    const WNUM C = s->A1 * F * (s->A2 - F) / s->A2 + s->A0, G = s->A3 * F * (s->A4 - F) / s->A4;
    const WNUM a = -(C * alpha + G * camber) / P, m = W(abs)(a);
    const WMASK slides = m >= W(num)(3), on = (N > zero) & (P > zero);
    const WNUM end = W(pick)(a > zero, W(num)(1), W(num)(-1));
    const WNUM g = W(pick)(slides, end, a - a * m / 3 + a * a * a / 27);
    out[0] = W(pick)(on, P * g, zero);
    out[1] = (s->F1 * N + s->F2 * W(abs)(out[0])) * out[0];
    if (!slope) return;
    const WNUM dC = W(pick)(low, s->A1 * (s->A2 - 2 * F) / s->A2, zero),
               dG = W(pick)(low, s->A3 * (s->A4 - 2 * F) / s->A4, zero);
    const WNUM dP = (2 * s->B1 * N + s->B3 + 3 * s->B4 * N * N) * s->skid,
               dg = W(pick)(slides, zero, 1 - 2 * m / 3 + a * a / 9);
    const WNUM da = -(dC * alpha + dG * camber) / P - a * dP / P,
               arm = s->F1 * N + 2 * s->F2 * W(abs)(out[0]);
    slope[0] = W(pick)(on, dP * g + P * dg * da, zero);
    slope[1] = W(pick)(on, -dg * C, zero);
    slope[2] = W(pick)(on, -dg * G, zero);
    for (int i = 0; i < 3; i++) slope[3 + i] = arm * slope[i];
    slope[3] += s->F1 * out[0];
}
