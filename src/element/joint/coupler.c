/* Coupler: a linear relation of up to three joint coordinates, Σ factor_i q_i = offset. Three make a differential, one is
 * held. */
#include "element/joint/build.h"

typedef struct Coupler {
    vgNumbers factors; /* Σ factor_i q_i = offset */
    double offset;     /* NAN: as at the start */
} Coupler;
VG_JOINT_PARAMETERS(Coupler)

static const vgField fields[] = {{"factors", VG_FIELD_NUMBERS, VG_JOINT_AT(Coupler, factors), "", NULL, 0, 0,
                                  "one number for each joint of the list"},
                                 {"offset", VG_FIELD_NUMBER, VG_JOINT_AT(Coupler, offset), "", "", 0, 0,
                                  "value of the sum; absent: as at the start"}};

static void build(const vgJointDef *def, int planar, vgJointBuild *out)
{
    Coupler own = own_of(def);
    (void)planar;
    int measure[3] = {def->first, def->second, def->third}, n = def->third >= 0    ? 3
                                                                : def->second >= 0 ? 2
                                                                                   : 1;
    double k[3] = {0, 0, 0};
    for (int i = 0; i < n && i < own.factors.n; i++) k[i] = own.factors.at[i];
    vg_joint_coupled(n, k, measure, own.offset, out);
}

const vgJointKind vg_joint_coupler = {
    .name = "coupler",
    .doc = "A linear relation between two or three joint coordinates; of one, it holds the joint.",
    .example = "differential: {coupler: [carrier, left, right], factors: [2, -1, -1]}",
    .planar = 1,
    .head = VG_HEAD_JOINTS,
    .most = 3,
    VG_JOINT_FIELDS(fields),
    .build = build,
};
