/* Mass of elements that have inertia: what it weighs, where it is, how it moves. */
#ifndef VERGE_ELEMENT_MATTER_H
#define VERGE_ELEMENT_MATTER_H

#include "element/force/force.h"

/* Sums over the matter of a system, W axes, moments about the origin. */
typedef struct vgMatter {
    double mass;
    vgVec3 first;           /* Σ m p */
    vgVec3 linear, angular; /* momenta */
    vgVec3 rate;            /* of the linear momentum */
    vgMat3 inertia;         /* Σ m (|p|² 1 − p pᵀ) and that of what turns */
} vgMatter;

/* Adds what the element's M says at a motion: with T = ½ ξᵀ M ξ its momenta are M ξ, for a unit translation
 * its mass, for a unit turn about the origin first moment and inertia. own: mass of translation that each
 * body gets by itself, may be NULL. Elements that act along measures have no place of their own and add
 * nothing. */
void vg_matter_add(const vgForceKind *kind, const void *def, const vgForceSetup *setup, const vgForceIn *in,
                   vgMatter *sum, double *own);

#endif
