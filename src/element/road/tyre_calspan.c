/* Calspan tyre: lateral force and aligning moment that saturate with the slip angle and depend on the load
 * (Schuring, Kunkel, Massing and Roland 1974, as in the IAVSD road-vehicle benchmark, Frik, Leister and
 * Schwartz 1993).
 *
 *     F    = min(N, A2)                                       A_Ω = 1
 *     C    = (A1 F (A2 − F) + A0 A2)/A2                       cornering stiffness
 *     C_γ  = A3 F (A4 − F)/A4                                 camber stiffness
 *     P    = μ N,  μ = (B1 N + B3 + B4 N²) SN                 greatest lateral force
 *     ᾱ    = −(C α + C_γ γ)/P
 *     g(ᾱ) = ᾱ − ᾱ|ᾱ|/3 + ᾱ³/27   for |ᾱ| < 3, else sign ᾱ
 *     F_y  = P g,   M_z = (F1 N + F2 |F_y|) F_y */
#include "element/road/tyre_four.h"

typedef struct vgTyreCalspan {
    vgTyre tyre;
    double A0, A1, A2, A3, A4, B1, B3, B4, skid, F1, F2;
} vgTyreCalspan;

#define COEFFICIENT(name, unit, fallback, low, doc)                                                          \
    {                                                                                                        \
#name, VG_FIELD_NUMBER, offsetof(vgTyreCalspan, name), unit, fallback, low,                          \
            (low) != 0 ? INFINITY : 0, doc                                                                   \
    }

static const vgField fields[] = {
    VG_TYRE_FIELDS(vgTyreCalspan, tyre),
    COEFFICIENT(A0, "N", "2625", 0, "cornering stiffness C = (A1 N (A2 - N) + A0 A2)/A2"),
    COEFFICIENT(A1, "", "14.47", 0, "of C"),
    COEFFICIENT(A2, "N", "12930", 1e-300, "of C; loads above count as A2"),
    COEFFICIENT(A3, "", "2.29", 0, "camber stiffness A3 N (A4 - N)/A4"),
    COEFFICIENT(A4, "N", "18175", 1e-300, "of the camber stiffness"),
    COEFFICIENT(B1, "1/N", "-0.464e-4", 0, "friction (B1 N + B3 + B4 N^2) skid"),
    COEFFICIENT(B3, "", "1.216", 0, "of the friction"),
    COEFFICIENT(B4, "1/N^2", "2.18e-11", 0, "of the friction"),
    COEFFICIENT(skid, "", "1.0274", 0, "ratio of skid numbers of road and test surface"),
    COEFFICIENT(F1, "m/N", "-0.171e-4", 0, "aligning moment (F1 N + F2 |Fy|) Fy"),
    COEFFICIENT(F2, "m/N", "0.171e-4", 0, "of the aligning moment"),
};

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    (void)planar;
    return vg_tyre_setup(&((vgTyreCalspan *)def)->tyre, out);
}

static double shape(double a, double *slope)
{
    double m = fabs(a);
    *slope = 0;
    if (m >= 3) return a > 0 ? 1 : -1;
    *slope = 1 - 2 * m / 3 + a * a / 9;
    return a - a * m / 3 + a * a * a / 27;
}

static void law(const void *def, double N, double alpha, double camber, vgTyreLateral *out)
{
    const vgTyreCalspan *s = def;
    *out = (vgTyreLateral){0};
    double P = (s->B1 * N + s->B3 + s->B4 * N * N) * s->skid * N;
    if (N <= 0 || P <= 0)
        return; /* the friction law is a parabola: beyond its root the tyre only slides freely */
    int low = N < s->A2;
    double F = low ? N : s->A2;
    double C = s->A1 * F * (s->A2 - F) / s->A2 + s->A0, dC = low ? s->A1 * (s->A2 - 2 * F) / s->A2 : 0;
    double G = s->A3 * F * (s->A4 - F) / s->A4, dG = low ? s->A3 * (s->A4 - 2 * F) / s->A4 : 0;
    double dP = (2 * s->B1 * N + s->B3 + 3 * s->B4 * N * N) * s->skid;
    double a = -(C * alpha + G * camber) / P, slope, g = shape(a, &slope);
    double da = -(dC * alpha + dG * camber) / P - a * dP / P;
    out->Fy = P * g;
    out->dFy[0] = dP * g + P * slope * da;
    out->dFy[1] = -slope * C;
    out->dFy[2] = -slope * G;
    double arm = s->F1 * N + s->F2 * fabs(out->Fy), darm = s->F1 * N + 2 * s->F2 * fabs(out->Fy);
    out->Mz = arm * out->Fy;
    for (int i = 0; i < 3; i++) out->dMz[i] = darm * out->dFy[i];
    out->dMz[0] += s->F1 * out->Fy;
}

static void eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    vg_tyre_eval(def, law, def, in, out);
}

enum { COEFFICIENTS = 11 }; /* A0 and those behind it */
typedef struct Four {
    vgTyreFour tyre;
    vgLane c[COEFFICIENTS];
} Four;

static void pack(const void *const def[VG_LANES], void *out)
{
    Four *s = out;
    vg_tyre_four_pack(def, &s->tyre);
    for (int i = 0; i < COEFFICIENTS; i++)
        s->c[i] = vg_four_number(def, offsetof(vgTyreCalspan, A0) + (size_t)i * sizeof(double));
}

static void four_law(const void *pack, vgLane N, vgLane alpha, vgLane camber, vgLane out[2], vgLane slope[6])
{
    const vgLane *c = ((const Four *)pack)->c, A0 = c[0], A1 = c[1], A2 = c[2], A3 = c[3], A4 = c[4],
                 B1 = c[5], B3 = c[6], B4 = c[7], skid = c[8], F1 = c[9], F2 = c[10], zero = vg_lane(0);
    vgLaneMask low = N < A2;
    vgLane P = (B1 * N + B3 + B4 * N * N) * skid * N, F = vg_lane_pick(low, N, A2);
    vgLane C = A1 * F * (A2 - F) / A2 + A0, G = A3 * F * (A4 - F) / A4;
    vgLane a = -(C * alpha + G * camber) / P, m = vg_labs(a);
    vgLane end = vg_lane_pick(a > zero, vg_lane(1), vg_lane(-1));
    vgLaneMask slides = m >= vg_lane(3), on = (N > zero) & (P > zero);
    vgLane g = vg_lane_pick(slides, end, a - a * m / 3 + a * a * a / 27);
    out[0] = vg_lane_pick(on, P * g, zero);
    out[1] = (F1 * N + F2 * vg_labs(out[0])) * out[0];
    if (!slope) return;
    vgLane dC = vg_lane_pick(low, A1 * (A2 - 2 * F) / A2, zero),
           dG = vg_lane_pick(low, A3 * (A4 - 2 * F) / A4, zero);
    vgLane dP = (2 * B1 * N + B3 + 3 * B4 * N * N) * skid,
           dg = vg_lane_pick(slides, zero, 1 - 2 * m / 3 + a * a / 9);
    vgLane da = -(dC * alpha + dG * camber) / P - a * dP / P, arm = F1 * N + 2 * F2 * vg_labs(out[0]);
    slope[0] = vg_lane_pick(on, dP * g + P * dg * da, zero);
    slope[1] = vg_lane_pick(on, -dg * C, zero);
    slope[2] = vg_lane_pick(on, -dg * G, zero);
    for (int i = 0; i < 3; i++) slope[3 + i] = arm * slope[i];
    slope[3] += F1 * out[0];
}

static void four_eval(const void *pack, double t, const vgKin *const *kin, vgLane *f)
{
    (void)t;
    vg_tyre_four_eval(pack, four_law, kin, f);
}

static void four_tangent(const void *pack, const vgKin *const *kin, vgLane *A)
{
    vg_tyre_four_tangent(pack, four_law, kin, A);
}

static const vgForceFour four = {vg_tyre_four_group, sizeof(Four), pack, four_eval, four_tangent};

static void output(const void *def, const vgForceIn *in, double *values)
{
    vg_tyre_output(def, law, def, in, values);
}

const vgForceKind vg_force_tyre_calspan = {
    .name = "tyre-calspan",
    .doc = "Tyre on a road, between the road's frame and a wheel: radial spring and damper, Calspan law of "
           "lateral force "
           "and aligning moment; the defaults are the tyre of the IAVSD Iltis. Outputs: normal, lateral "
           "(along the "
           "wheel's axis), aligning (moment about the normal), deflection, slip-angle, camber. A wheel that "
           "lies flat (its axis upright) is not carried.",
    .planar = 0,
    .head = VG_HEAD_FRAMES,
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .def_size = sizeof(vgTyreCalspan),
    .example = "FL: {tyre-calspan: [ground, wheel], radius: 0.364, stiffness: 4.6e5}",
    .setup = setup,
    .eval = eval,
    .outputs = vg_tyre_outputs,
    .output = output,
    .look = vg_tyre_look,
    .switches = vg_tyre_switches,
    .four = &four,
};
