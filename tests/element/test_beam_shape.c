/* The stress-free shape of a beam: from its placement, or given by length and curvature; where its section
 * points. */
#include "beam_check.h"

static void outputs(const vgForceKind *kind, const vgBeam *b, const vgKin *kin, double *out)
{
    const vgKin *at[BEAM_MAX] = {&kin[0], &kin[1], &kin[2]};
    vgForceIn in = {.nbody = kind == &vg_force_beam3 ? 3 : 2, .kin = at};
    kind->output(b, &in, out);
}

static vgBeam bar(const vgForceKind *kind)
{
    vgBeam b;
    beam_defaults(kind, &b);
    b.section.EA = 50, b.section.GAy = 20, b.section.GAz = 25, b.section.GJ = 3;
    b.section.EIy = 4, b.section.EIz = 7;
    return b;
}

static const vgForceKind *const kinds[2] = {&vg_force_beam, &vg_force_beam3};

/* A straight placement that is not stress-free: N = EA (placed/length − 1), M = −EI × the given curvature, in
 * section axes and whatever the nodes' own axes are. */
TEST(given_length_and_curvature)
{
    for (int i = 0; i < 4; i++) {
        const vgForceKind *kind = kinds[i & 1];
        vgBeam b = bar(kind);
        vgKin kin[BEAM_MAX] = {0};
        vgMat3 turn = vg_so3_exp(vg_v3(0.4, -0.7, 1.1));
        int nn = kind == &vg_force_beam3 ? 3 : 2;
        double out[19], L = 0.5 * (nn - 1);
        for (int a = 0; a < nn; a++) {
            kin[a].p = vg_mv3(turn, vg_v3(0.5 * a, 0, 0));
            kin[a].R =
                i < 2 ? turn : vg_mm3(turn, vg_so3_exp(vg_v3(0, 0, 0.5))); /* nodes not along the beam */
        }
        b.length = 0.8 * L;
        b.curvature[0] = 0.3, b.curvature[1] = -0.2, b.curvature[2] = 0.6;
        beam_ready(kind, &b, 0, kin);
        outputs(kind, &b, kin, out);
        double exact[6] = {50 * 0.25, 0, 0, -3 * 0.3, 4 * 0.2, -7 * 0.6};
        for (int k = 0; k < 6; k++) CHECK_NEAR(out[k], exact[k], 1e-13);
    }
}

/* Nodes on an arc of radius 2 that is said to be straight when free: M = EI/2, up to what three nodes see of
 * an arc, with triads along it and with triads that all stand like the world. Left alone it carries nothing.
 */
TEST(arc_forced_straight)
{
    for (int i = 0; i < 4; i++) {
        vgBeam b = bar(&vg_force_beam3);
        vgKin kin[BEAM_MAX] = {0};
        double out[19];
        for (int a = 0; a < 3; a++) {
            double s = 0.05 * a;
            kin[a].p = vg_v3(2 * sin(s), 2 * (1 - cos(s)), 0);
            kin[a].R = i & 1 ? vg_so3_exp(vg_v3(0, 0, s)) : vg_eye3();
        }
        if (i < 2)
            for (int k = 0; k < 3; k++) b.curvature[k] = 0;
        beam_ready(&vg_force_beam3, &b, 0, kin);
        outputs(&vg_force_beam3, &b, kin, out);
        CHECK_NEAR(out[5], i < 2 ? 7. / 2 : 0, i < 2 ? 0.01 : 1e-12);
        for (int k = 0; k < 5; k++) CHECK_NEAR(out[k], 0, 1e-12);
    }
}

/* The section's y axis: the nodes' own, or z for a beam along y, or as asked for. The same bending about the
 * world's z is then bending about the section's z (EI 7) or y (EI 4). */
TEST(orientation)
{
    static const struct {
        vgVec3 along, y, bend;
        int given, output;
        double moment;
    } cases[] = {
        {{1, 0, 0}, {0, 0, 0}, {0, 0, 1}, 0, 5, 7},   {{1, 0, 0}, {0, 0, 1}, {0, 0, 1}, 1, 4, 4},
        {{0, 1, 0}, {0, 0, 0}, {1, 0, 0}, 0, 5, 7},   {{0, 0, 1}, {0, 0, 0}, {0, 1, 0}, 0, 4, 4},
        {{1, 0, 0}, {0, -1, 0}, {0, 0, 1}, 1, 5, -7},
    };
    for (int i = 0; i < 2 * (int)(sizeof cases / sizeof cases[0]); i++) {
        const vgForceKind *kind = kinds[i & 1];
        int c = i / 2, nn = kind == &vg_force_beam3 ? 3 : 2;
        vgBeam b = bar(kind);
        vgKin kin[BEAM_MAX] = {0};
        const double angle = 1e-5;
        double out[19], L = 0.5 * (nn - 1);
        for (int a = 0; a < nn; a++) {
            kin[a].p = vg_scale3(cases[c].along, 0.5 * a);
            kin[a].R = vg_eye3();
        }
        if (cases[c].given) vg_store3(cases[c].y, b.orientation);
        beam_ready(kind, &b, 0, kin);
        for (int a = 0; a < nn; a++) { /* along a circle: no shear, and the moment is the same everywhere */
            double turn = angle * (a - 0.5 * (nn - 1)), r = 0.5 / angle;
            kin[a].R = vg_so3_exp(vg_scale3(cases[c].bend, turn));
            kin[a].p = vg_add3(vg_scale3(cases[c].along, r * sin(turn)),
                               vg_scale3(vg_cross3(cases[c].bend, cases[c].along),
                                         r * 2 * sin(0.5 * turn) * sin(0.5 * turn)));
        }
        outputs(kind, &b, kin, out);
        /* sense: the section's axis may point along or against the axis of bending */
        CHECK_NEAR(fabs(out[cases[c].output]), fabs(cases[c].moment) * angle * (nn - 1) / L, 1e-12);
        if (c == 0 || c == 4) CHECK(out[5] * cases[c].moment > 0);
        CHECK_NEAR(out[cases[c].output == 5 ? 4 : 5], 0, 1e-12);
    }
}

TEST_MAIN(given_length_and_curvature, arc_forced_straight, orientation)
