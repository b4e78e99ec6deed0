/* Polynomial: a joint coordinate as a polynomial of another one, q_1 = Σ c_k q_2^k. */
#include "element/joint/build.h"

typedef struct Polynomial {
    vgNumbers coefficients;
} Polynomial;
VG_JOINT_PARAMETERS(Polynomial)

static const vgField fields[] = {
    {"coefficients", VG_FIELD_NUMBERS, VG_JOINT_AT(Polynomial, coefficients), "", NULL, 0, 0,
     "[c0, c1, c2, …]: the first coordinate is c0 + c1*q + c2*q^2 + … of the second"}};

static vgNumbers curve(const vgJointDef *def)
{
    return own_of(def).coefficients;
}

/* The model has put the polynomial of the second coordinate in the place of that coordinate. */
static void build(const vgJointDef *def, int planar, vgJointBuild *out)
{
    (void)planar;
    vg_joint_coupled(2, (const double[]){1, -1}, (const int[]){def->first, def->second}, 0, out);
}

const vgJointKind vg_joint_polynomial = {
    .name = "polynomial",
    .doc = "A joint coordinate is a polynomial of another one.",
    .example = "knuckle: {polynomial: [tip, base], coefficients: [0, 0.9, 0.2]}",
    .planar = 1,
    .head = VG_HEAD_JOINTS,
    VG_JOINT_FIELDS(fields),
    .build = build,
    .curve = curve,
};
