/* Static and driven equilibrium: q and λ with v = a = 0,
 *     r(t, q, 0, 0, λ) = 0,   Φ(q, t) = 0,
 * by Newton's method with the exact static tangent [K Bᵀ; B 0].
 *
 * Load steps: a factor s rises from 0 to 1. Applied forces and torques are multiplied by s, follower loads at their
 * current position. All else that is out of balance at the start (weight, springs under tension) is balanced by a dead load
 * that is removed: r_s = r − (1 − s) r₀. A load step that does not converge is made shorter.
 *
 * Relaxation: if even short load steps fail (a mechanism far from equilibrium, a limit point), implicit Euler steps of growing
 * size integrate M q̇ = −r until Newton's method converges. This ends in a stable equilibrium.
 *
 * Arc length (equilibrium/arc.c): follows the path of equilibria through limit points, where the load falls.
 *
 * Constraint equations on velocities or accelerations hold the positions that they found. A small mass holds the directions in
 * which no force acts (a car along its road, a wheel that spins freely). */
#ifndef VERGE_ANALYSIS_EQUILIBRIUM_EQUILIBRIUM_H
#define VERGE_ANALYSIS_EQUILIBRIUM_EQUILIBRIUM_H

#include "base/diag.h"
#include "system/system.h"

typedef struct vgEquilibriumOptions {
    double tolerance; /* of the last correction, by the model's length and 1 rad; 0: 1e-11 */
    int max_iter;     /* Newton iterations for a load step; 0: 25 */
    int load_steps;   /* at least so many; 0: 1 */
    int whole;        /* 1: the whole load at once, or not at all */
    int relax;        /* 1: begin with relaxation */
    int arc_steps;    /* > 0: at most so many points along the path by arc length, through limit points */
    void (*path)(void *user, double load,
                 const vgState *state); /* every point of that path; NULL: not wanted */
    void *user;
} vgEquilibriumOptions;

typedef struct vgEquilibrium {
    int load_steps, iterations, relaxations;
    double correction;  /* last correction, scaled */
    double residual;    /* largest |r| left, N or N m */
    double load;        /* s reached: 1 on success */
    double phi;         /* largest constraint violation */
    double limit;       /* of a path by arc length: the first load that it turns back at, NAN none */
    const char *failed; /* NULL, or what could not be done */
    int body;           /* a body that is free to move or fails, −1 */
} vgEquilibrium;

/* Starts from the state's q and λ at its time. On success the state holds the equilibrium, with v and a zero. On
 * failure diag has the reason (VG_NOT_CONVERGED, VG_SINGULAR). */
vgStatus vg_equilibrium(const vgSystem *sys, vgWork *work, vgState *state,
                        const vgEquilibriumOptions *options, vgDiag *diag, vgEquilibrium *out);
/* Steady rotation: the relative equilibrium in a frame that rotates with `body` at its speed in the state, about a
 * fixed axis (turning.c). On success the state's v and a are those of the rotation. */
vgStatus vg_equilibrium_turning(const vgSystem *sys, vgWork *work, vgState *state, int body, vgDiag *diag,
                                vgEquilibrium *out);

#endif
