/* Eigenvalues and modes of small motions about a state.
 *
 *     M ÿ + C ẏ + K y + Bᵀδλ = 0,   B y = 0,     y = (u, φ): displacement and turn of every body, both in W
 *
 * The constraints are eliminated by an orthonormal basis Z of the null space of B. K holds the geometric
 * stiffness of constraint forces and stressed elements, C the gyroscopic terms of the motion; coefficients
 * are those of the moment. Turns are taken in world axes, R̃ = exp(φ) R, hence
 *     δω_B = Rᵀφ̇,   δω̇_B = Rᵀφ̈ − ω_B × Rᵀφ̇,
 * so that a spinning body of revolution has constant coefficients whether its bearings are isotropic or not.
 * Rows of velocity level give ẏ = N u − P G y and one state less each.
 *
 * M, C and K are the exact derivatives of the residual that its tangents hold (pencil.h); G is a central difference of fourth
 * order. */
#ifndef VERGE_ANALYSIS_MODES_MODES_H
#define VERGE_ANALYSIS_MODES_MODES_H

#include "base/diag.h"
#include "system/system.h"

enum { VG_MODES_MAX = 4000 }; /* coordinates, where all modes are wanted: the matrices are dense */

typedef struct vgMode {
    double re, im;    /* eigenvalue, 1/s; im ≥ 0 stands for the pair */
    double frequency; /* im / 2π, Hz */
    double damping;   /* −re / |eigenvalue|; 0 for the eigenvalue 0 */
} vgMode;

typedef struct vgModes {
    int n, nv;    /* modes (one for a pair); coordinates */
    int freedom;  /* columns of Z */
    vgMode *mode; /* [n] by increasing im, then re; modes that decay faster than the slowest vibration without
                        * vibrating come last */
    double *shape_re;  /* [n × nv] y of each mode, largest entry 1 */
    double *shape_im;  /* [n × nv] */
    int nundamped;     /* real ω² of K x = ω² M x with symmetric parts of K and M; 0: M is singular */
    double *undamped;  /* [nundamped] Hz, ascending; negative: ω² < 0, |ω|/2π */
    double unsymmetry; /* of K after elimination, by its largest entry: follower loads, rotation */
    double
        fastest; /* the largest |eigenvalue|, 1/s; where only the slowest are known an estimate from below */
} vgModes;

/* The linear system itself, all n × n row-major over the coordinates of sys, and all active rows of B. */
typedef struct vgLinearised {
    int n, m;
    double *M, *C, *K, *B, *G; /* B, G: m × n; G = ∂(velocity residual)/∂y for rows of level > 0, else 0 */
    int *row;                  /* [m] row of the system */
} vgLinearised;

/* sys: coordinates lie or planar (VG_UNSUPPORTED else). */
vgStatus vg_linearise_refuses(const vgSystem *sys, const vgState *state); /* VG_OK: it does not */
vgStatus vg_linearise(const vgSystem *sys, vgWork *work, const vgState *state, vgLinearised *out);
void vg_linearised_free(vgLinearised *lin);
/* As seen from a frame that rotates at ω (world axes): y = exp(ω̂t) z, hence M z̈ + (C + 2MΩ̂) ż + (K + CΩ̂ +
 * MΩ̂²) z. This has constant coefficients for a model that rotates as a whole without being axially symmetric
 * (blades). */
vgStatus vg_linearised_spin(const vgSystem *sys, vgVec3 w, vgLinearised *lin);
vgStatus vg_modes_seen(const vgSystem *sys, vgWork *work, const vgState *state, vgVec3 w, vgDiag *diag,
                       vgModes *out);
vgStatus vg_modes(const vgSystem *sys, vgWork *work, const vgState *state, vgDiag *diag, vgModes *out);
/* The `most` modes with the least |λ| where the model is large, else all. A multiple eigenvalue counts as often as it
 * occurs. */
vgStatus vg_modes_lowest(const vgSystem *sys, vgWork *work, const vgState *state, vgVec3 w, int most,
                         vgDiag *diag, vgModes *out);
void vg_modes_free(vgModes *modes);
/* Turns of x (nv) from body to world axes, or back. */
void vg_modes_turn(const vgSystem *sys, const vgKin *kin, int back, double *x);
/* ω² below which nothing holds a direction, 1/s². */
#define VG_MODES_NEUTRAL 1e-4
enum { VG_NEUTRAL_NAMES = 8 };
typedef struct vgStability {
    vgStatus status; /* VG_NO_MEMORY: nothing is known for want of memory */
    int unstable; /* number of unstable directions of an equilibrium: ω² < 0, beyond rounding. −1: not known
                   * (follower loads, bodies without mass, too many coordinates) */
    int neutral; /* in how many nothing holds it and nothing pushes (a cart on its rail, a free wheel) */
    int coordinate[VG_NEUTRAL_NAMES]; /* of each of them one that moves along it */
} vgStability;
/* way (nv, NULL: not wanted): an unstable direction, a variation of q, its largest entry one length or one
 * radian. */
vgStability vg_modes_stability(const vgSystem *sys, vgWork *work, const vgState *rest, double *way);
/* Its `unstable`. */
int vg_modes_unstable(const vgSystem *sys, vgWork *work, const vgState *rest, double *way);
/* Whirl of mode k relative to the spin of the bodies it moves: 1 forward and −1 backward on circles, 0 on a line
 * or without spin. With shapes a + ib, for the components perpendicular to ω: Σ 2 (b × a)·ω/|ω| / Σ (|a|² + |b|²). */
double vg_modes_whirl(const vgSystem *sys, vgWork *work, const vgState *state, const vgModes *modes, int k);
/* The native component (0 … 5) of a coordinate of a lie or planar system. */
int vg_modes_component(const vgSystem *sys, int coordinate);
/* Its name: "BODY.x", "BODY.turn.z". */
void vg_modes_name(const vgSystem *sys, int coordinate, char *text, size_t size);

#endif
