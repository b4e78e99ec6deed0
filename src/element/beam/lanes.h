/* Up to four beams of one kind at once, a beam a lane (math/lanes.h). Beams that share lanes have the same
 * number of nodes, and all or none of them have damping, and coupling between forces and curvatures. */
#ifndef VERGE_ELEMENT_BEAM_LANES_H
#define VERGE_ELEMENT_BEAM_LANES_H

#include "element/beam/beam.h"
#include "element/fours.h"

enum { VG_BEAM_LANE_TANGENT = 36 * VG_BEAM_MAX_NODES * VG_BEAM_MAX_NODES };

/* vgBeamGauss */
typedef struct vgLanePoint {
    vgLane N[VG_BEAM_MAX_ARMS], dN[VG_BEAM_MAX_ARMS];
    vgLane33 Cnn, Cmm;
    vgLane3 gamma0, kappa0;
    vgLane33 Cnm;
} vgLanePoint;

/* What a beam has that does not change. */
typedef struct vgBeamPack {
    vgLanePack head;
    int narm, damped, coupled, attached;
    vgLane damping;
    vgLanePoint point[VG_BEAM_MAX_ARMS];
    vgLane3 r[VG_BEAM_MAX_NODES]; /* attached: as in vgBeamNode */
    vgLane33 N[VG_BEAM_MAX_NODES];
} vgBeamPack;

void vg_beam_pack(const vgBeam *const b[VG_LANES], vgBeamPack *out);

/* Internal forces at the nodes are added to f (6 nn), their tangents to K and C (NULL: not wanted), which are
 * blocks of 6 × 6 for each pair of nodes: entry (i, j) of nodes u, v is at 36 (nn u + v) + 6 i + j. */
void vg_beam_lanes(const vgBeamPack *b, const vgLaneKin *kin, vgLane *f, vgLane *K, vgLane *C);
void vg_beam_lanes_strain(const vgBeamPack *b, const vgLaneKin *kin, int point, vgLane strain[6],
                          vgLane rate[6]);

#endif
