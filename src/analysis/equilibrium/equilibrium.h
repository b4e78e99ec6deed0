/* Static and driven equilibrium: q, λ with v = a = 0,
 *     r(t, q, 0, 0, λ) = 0,   Φ(q, t) = 0.
 *
 * Newton on the exact static tangent [K Bᵀ; B 0]. The loads are raised in steps, s = 0 … 1: applied forces
 * and torques are s times what they are, follower loads where they are then; what else is out of balance at
 * the start (weight, springs under tension) is carried by a dead load that is taken away, r_s(q, λ) = (1 − s)
 * r₀, which from an unloaded start is the same as raising it. A step that does not converge is cut. Where
 * even small steps fail (a mechanism far from its rest, a limit point) the system is let go in its own mass
 * metric, M q̇ = −r with implicit Euler steps of growing size, until Newton takes over; this path ends in a
 * stable rest. By arc length the path itself is followed (equilibrium/arc.c), also where the load falls. Rows
 * of velocity or acceleration level hold the positions they found. Directions in which nothing pushes and
 * nothing holds (a car along its road, a wheel that spins freely) are held by a trace of mass. */
#ifndef VERGE_ANALYSIS_EQUILIBRIUM_EQUILIBRIUM_H
#define VERGE_ANALYSIS_EQUILIBRIUM_EQUILIBRIUM_H

#include "base/diag.h"
#include "system/system.h"

typedef struct vgEquilibriumOptions {
    double tolerance; /* of the last correction, by the model's length and 1 rad; 0: 1e-11 */
    int max_iter;     /* Newton iterations for a load step; 0: 25 */
    int load_steps;   /* at least so many; 0: 1 */
    int whole;        /* 1: the whole load at once, or not at all */
    int relax;        /* 1: start with the slow path that ends in a stable equilibrium */
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
