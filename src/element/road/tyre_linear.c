/* Tyre whose lateral force is linear in slip angle and camber, for eigenvalues and small motions:
 *     F_y = −(C_α α + C_γ γ),   M_z = −trail F_y */
#include "element/road/tyre_four.h"

typedef struct vgTyreLinear {
    vgTyre tyre;
    double cornering, camber, trail;
} vgTyreLinear;

static const vgField fields[] = {
    VG_TYRE_FIELDS(vgTyreLinear, tyre),
    {"cornering", VG_FIELD_NUMBER, offsetof(vgTyreLinear, cornering), "N/rad", "0", 0, INFINITY,
     "lateral force per slip angle"},
    {"camber", VG_FIELD_NUMBER, offsetof(vgTyreLinear, camber), "N/rad", "0", 0, INFINITY,
     "lateral force per camber"},
    {"trail", VG_FIELD_NUMBER, offsetof(vgTyreLinear, trail), "m", "0", 0, INFINITY,
     "how far behind the point of contact the lateral force acts"},
};

#define VG_WIDTH 1
#include "math/width.h"
#define WLINEAR vgTyreLinear
#include "element/road/tyre_linear_formulas.h"

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    (void)planar;
    return vg_tyre_setup(def, vg_linear_1, out);
}

typedef struct Four {
    vgTyreFour tyre;
    vgLane cornering, camber, trail;
} Four;

#undef VG_WIDTH
#define VG_WIDTH 4
#include "math/width.h"
#undef WLINEAR
#define WLINEAR Four
#include "element/road/tyre_linear_formulas.h"

static void pack(const void *const def[VG_LANES], void *out)
{
    Four *s = out;
    vg_tyre_four_pack(def, vg_linear_4, &s->tyre);
    s->cornering = vg_four_number(def, offsetof(vgTyreLinear, cornering));
    s->camber = vg_four_number(def, offsetof(vgTyreLinear, camber));
    s->trail = vg_four_number(def, offsetof(vgTyreLinear, trail));
}

static const vgForceFour four = {vg_tyre_four_group, sizeof(Four), pack, vg_tyre_four_eval,
                                 vg_tyre_four_tangent};

const vgForceKind vg_force_tyre_linear = {
    .name = "tyre-linear",
    .doc = "Tyre on a road, between the road's frame and a wheel: radial spring and damper, lateral force "
           "linear in slip angle and camber. Outputs: normal, lateral (along the wheel's axis), aligning "
           "(moment about the normal), deflection, slip-angle, camber. A wheel that lies flat (its axis "
           "upright) is not carried.",
    .planar = 0,
    .head = VG_HEAD_FRAMES,
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .def_size = sizeof(vgTyreLinear),
    .example =
        "FL: {tyre-linear: [ground, wheel], radius: 0.36, stiffness: 2e5, cornering: 4e4, trail: 0.05}",
    .setup = setup,
    .eval = vg_tyre_eval,
    .outputs = vg_tyre_outputs,
    .output = vg_tyre_output,
    .look = vg_tyre_look,
    .switches = vg_tyre_switches,
    .four = &four,
};
