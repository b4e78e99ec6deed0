/* Drag of a body in a medium at rest or in wind, as that of a box about a frame on the body. In the axes of the frame,
 * with u the velocity of its origin against the medium, ω its angular velocity, edges b, d their mean:
 *
 *     F_i = −3 π μ d u_i − ½ ρ b_j b_k |u_i| u_i
 *     M_i = −π μ d³ ω_i − ρ/64 b_i (b_j⁴ + b_k⁴) |ω_i| ω_i
 *
 * The terms with the viscosity μ are those of a sphere of diameter d in slow flow (Stokes). Those with the density ρ: on a
 * face the pressure ½ ρ u²; in rotation the same pressure at the local speed of two pairs of faces, of which half is
 * pushed against the medium on either side: 2 ∫ ½ ρ (ω s)² s b_i ds from 0 to b_j/2 = ρ/64 b_i b_j⁴ ω².
 * With A the rotation of the frame in the body and r its place:
 *
 *     F_W = R A F,   torque A M + r × A F,   u = Aᵀ (Rᵀ (v − wind) + w × r),   δ(Rᵀ x) = [Rᵀ x] δθ */
#include "element/force/util.h"

typedef struct vgDrag {
    vgForceHead head;
    double size[3], density, viscosity, wind[3];
    double linear[6], square[6]; /* of F and M */
} vgDrag;

static const vgField fields[] = {
    {"size", VG_FIELD_VEC3, offsetof(vgDrag, size), "m", NULL, 0, INFINITY,
     "edges of the box along the axes of the frame"},
    {"density", VG_FIELD_NUMBER, offsetof(vgDrag, density), "kg/m^3", "0", 0, INFINITY,
     "density of the medium (air: 1.2, water: 1000): drag with the square of the speed"},
    {"viscosity", VG_FIELD_NUMBER, offsetof(vgDrag, viscosity), "Pa*s", "0", 0, INFINITY,
     "its dynamic viscosity (air: 1.8e-5, water: 1e-3): drag that is proportional to the speed"},
    {"wind", VG_FIELD_VEC3, offsetof(vgDrag, wind), "m/s", "0", 0, 0,
     "velocity of the medium along the axes of the world"},
};

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    static const double PI = 3.14159265358979323846;
    vgDrag *s = def;
    const double *b = s->size, d = (b[0] + b[1] + b[2]) / 3;
    (void)planar;
    for (int i = 0; i < 3; i++) {
        const double c = b[(i + 1) % 3], e = b[(i + 2) % 3];
        if (b[i] < 0) return vg_force_refuse(out, "size", "an edge is negative");
        s->linear[i] = 3 * PI * s->viscosity * d;
        s->linear[3 + i] = PI * s->viscosity * d * d * d;
        s->square[i] = 0.5 * s->density * c * e;
        s->square[3 + i] = s->density / 64 * b[i] * (c * c * c * c + e * e * e * e);
    }
    out->nbody = 1;
    out->body[0] = s->head.frame[0].body;
    out->velocity = 1;
    return VG_OK;
}

/* The state of the frame and what acts on it, in its axes; D: −∂F/∂u, −∂M/∂ω (diagonal). */
typedef struct State {
    vgVec3 against, F, M, D, E; /* against: Rᵀ (v − wind) */
} State;

static double drag(const vgDrag *s, int i, double x, double *slope)
{
    *slope = s->linear[i] + 2 * s->square[i] * fabs(x);
    return -(s->linear[i] + s->square[i] * fabs(x)) * x;
}

static State state_of(const vgDrag *s, const vgForceIn *in)
{
    const vgKin *k = in->kin[0];
    const vgFrame *A = &s->head.frame[0];
    const vgVec3 air = vg_scale3(vg_load3(s->wind), 1 - in->unload);
    State x;
    x.against = vg_mtv3(k->R, vg_sub3(k->v, air));
    const vgVec3 u = vg_mtv3(A->R, vg_add3(x.against, vg_cross3(k->w, A->r))), w = vg_mtv3(A->R, k->w);
    x.F = vg_v3(drag(s, 0, u.x, &x.D.x), drag(s, 1, u.y, &x.D.y), drag(s, 2, u.z, &x.D.z));
    x.M = vg_v3(drag(s, 3, w.x, &x.E.x), drag(s, 4, w.y, &x.E.y), drag(s, 5, w.z, &x.E.z));
    return x;
}

/* Adds a block of a 6×6 matrix. */
static void put(double *to, int row, int col, vgMat3 A)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) to[6 * (row + i) + col + j] += A.m[i][j];
}

static void eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    const vgDrag *s = def;
    const vgKin *k = in->kin[0];
    const vgFrame *A = &s->head.frame[0];
    const State x = state_of(s, in);
    const vgVec3 F = vg_mv3(A->R, x.F), M = vg_add3(vg_mv3(A->R, x.M), vg_cross3(A->r, F)),
                 W = vg_mv3(k->R, F);
    out->f[0] += W.x, out->f[1] += W.y, out->f[2] += W.z;
    out->f[3] += M.x, out->f[4] += M.y, out->f[5] += M.z;
    if (!out->K && !out->C) return;
    /* G = ∂(A F)/∂(Rᵀ v), H = ∂(A M)/∂w without the arm */
    const vgMat3 r = vg_skew3(A->r),
                 G = vg_mscale3(vg_mm3(A->R, vg_mmt3(vg_diag3(x.D.x, x.D.y, x.D.z), A->R)), -1),
                 H = vg_mscale3(vg_mm3(A->R, vg_mmt3(vg_diag3(x.E.x, x.E.y, x.E.z), A->R)), -1),
                 rG = vg_mm3(r, G);
    if (out->K) {
        const vgMat3 by = vg_mm3(G, vg_skew3(x.against));
        put(out->K, 0, 3, vg_mm3(k->R, vg_msub3(by, vg_skew3(F))));
        put(out->K, 3, 3, vg_mm3(r, by));
    }
    if (out->C) {
        put(out->C, 0, 0, vg_mm3(k->R, vg_mmt3(G, k->R)));
        put(out->C, 0, 3, vg_mscale3(vg_mm3(k->R, vg_mm3(G, r)), -1));
        put(out->C, 3, 0, vg_mmt3(rG, k->R));
        put(out->C, 3, 3, vg_msub3(H, vg_mm3(rG, r)));
    }
}

static const char *const some[] = {"density", "viscosity", NULL};
static const char *const outputs[] = {"force.x",  "force.y",  "force.z", "torque.x",
                                      "torque.y", "torque.z", NULL};

static void output(const void *def, const vgForceIn *in, double *values)
{
    const State x = state_of(def, in);
    vg_store3(x.F, values);
    vg_store3(x.M, values + 3);
}

const vgForceKind vg_force_drag = {
    .name = "drag",
    .doc = "Drag of a body in air or water, as that of a box about a frame: with the square of the speed by "
           "the density of the medium, and proportional to it by its viscosity. Outputs: force and torque in "
           "the axes of the frame.",
    .planar = 1,
    .head = VG_HEAD_FRAME,
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .some = some,
    .def_size = sizeof(vgDrag),
    .example = "air: {drag: car, size: [4, 1.8, 1.5], density: 1.2, wind: [-5, 0, 0]}",
    .setup = setup,
    .eval = eval,
    .outputs = outputs,
    .output = output,
};
