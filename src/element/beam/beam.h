/* Geometrically exact beams (Reissner 1981, Simo 1985) with two or three nodes; nodes are bodies.
 *
 * Kinematics. One node is the reference r (the first of two, the middle of three), the others are its arms a. All
 * deformation is measured in the reference's axes, so that rigid motion drops out exactly and nothing depends on
 * history (Crisfield & Jelenić 1999):
 *
 *     y_a = R_rᵀ (x_a − x_r),   ψ_a = log(R_rᵀ R_a)
 *     y′ = Σ N′_a y_a,   ψ = Σ N_a ψ_a,   ψ′ = Σ N′_a ψ_a     at a Gauss point, ′ by reference arc length
 *     Γ = exp(ψ)ᵀ y′,    κ = T(ψ) ψ′                          strains in the section's axes
 *     (N, M) = C (Γ − Γ0 + β Γ̇, κ − κ0 + β κ̇)                 stress resultants
 *
 * One Gauss point for each arm: exact for the interpolation, and free of shear and membrane locking.
 *
 * The triads R_a are the nodes' frames, which need not lie along the beam: the section's axes are rotated by a
 * constant Q against the interpolated triad at each Gauss point, and C, Γ0 and κ0 are kept in the triad's axes. */
#ifndef VERGE_ELEMENT_BEAM_BEAM_H
#define VERGE_ELEMENT_BEAM_BEAM_H

#include "element/force/force.h"
#include "element/beam/section.h"

enum { VG_BEAM_MAX_ARMS = 2, VG_BEAM_MAX_NODES = 3 };

typedef struct vgBeamGauss {
    double N[VG_BEAM_MAX_ARMS], dN[VG_BEAM_MAX_ARMS]; /* of the arms' nodes; dN by reference arc length */
    double weight;                                    /* reference arc length that the point stands for */
    vgMat3 Cnn, Cnm, Cmm;                             /* weight × section stiffness in triad axes */
    vgVec3 gamma0, kappa0;
    vgMat3 Q; /* triad → section: columns are the section's axes */
} vgBeamGauss;

typedef struct vgBeamNode {
    vgVec3 r; /* where the beam is attached to the body, and the axes of its triad there */
    vgMat3 N;
    vgVec3 S; /* first and second moment of mass that turn with the node, in triad axes about the node */
    vgMat3 J;
} vgBeamNode;

typedef struct vgBeam {
    vgForceHead head;
    vgFrame middle;
    vgSectionDef section;
    double orientation[3], length, curvature[3], damping;
    const char *mass;
    /* completed by setup */
    vgSection sec;
    int narm, planar;
    int inertial, coupled; /* coupled: C has a block between forces and curvatures */
    /* completed by place */
    int attached; /* some node is not its body's own frame */
    int spinning; /* some node has J or S */
    vgBeamNode node[VG_BEAM_MAX_NODES];
    vgBeamGauss gauss[VG_BEAM_MAX_ARMS];
    double M[VG_BEAM_MAX_NODES * VG_BEAM_MAX_NODES]; /* translational mass, nn × nn */
} vgBeam;

/* Nodes are in the order along the beam. */
static inline int vg_beam_reference(const vgBeam *b)
{
    return b->narm - 1;
}

static inline int vg_beam_arm(const vgBeam *b, int a)
{
    return b->narm == 1 ? 1 : 2 * a;
}

/* Lagrange's polynomials of the nn nodes on −1..1 and their derivatives. */
void vg_beam_shapes(int nn, double xi, double N[3], double dN[3]);

/* What the kinds share. */
vgStatus vg_beam_setup(vgBeam *b, int planar, vgForceSetup *out);
const char *vg_beam_place(void *def, const vgForceIn *in);
void vg_beam_eval(const void *def, const vgForceIn *in, vgForceOut *out);
double vg_beam_energy(const void *def, const vgForceIn *in); /* strain energy and weight */
double vg_beam_kinetic(const void *def, const vgForceIn *in);

/* Local kinematics at a Gauss point: strains less the stress-free ones, and their rates (NULL: not wanted).
 */
void vg_beam_strain(const vgBeam *b, const vgKin *const *kin, int point, double strain[6], double rate[6]);
/* Stress resultants at a Gauss point in section axes: axial, shear y, shear z, torsion, bending y, bending z.
 */
void vg_beam_stress(const vgBeam *b, const vgForceIn *in, int point, double stress[6]);

void vg_beam_look(const void *def, vgForceLook *out);
extern const vgForceLanes vg_beam_lane_ops; /* beam/lanes.c */

/* Parts of eval, on the nodes' frames. Outputs as in vgForceOut. */
void vg_beam_internal(const vgBeam *b, const vgKin *const *kin, vgForceOut *out);
void vg_beam_internal_planar(const vgBeam *b, const vgKin *const *kin, vgForceOut *out);
void vg_beam_inertia(const vgBeam *b, const vgKin *const *kin, vgVec3 gravity, vgForceOut *out);
/* What turns with the node whose six rows begin at i of n; acc: v̇ − g. */
void vg_beam_turn(vgVec3 S, const vgMat3 *J, const vgKin *k, vgVec3 acc, int i, int n, vgForceOut *out);
double vg_beam_inertia_kinetic(const vgBeam *b, const vgKin *const *kin);
double vg_beam_inertia_weight(const vgBeam *b, const vgKin *const *kin, vgVec3 gravity); /* potential */

/* Motion of a frame fixed on a body (r, N in the body's axes), and the reverse: wrenches and tangents of nn such
 * frames, row-major 6 nn × 6 nn, are transformed to those of their bodies and added to out. Overwrites part's
 * arrays. */
void vg_node_motion(const vgKin *body, vgVec3 r, const vgMat3 *N, vgKin *node);
void vg_node_pull(int nn, const vgKin *const *body, const vgVec3 *r, const vgMat3 *N, vgForceOut *part,
                  vgForceOut *out);

#endif
