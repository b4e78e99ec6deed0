/* Numbers that decide in element. Lengths and vectors are compared relative to something named; rounding of the
 * few dozen operations behind each is 1e-15. scripts/tuning halves and doubles each. */
#ifndef VG_ELEMENT_TUNING_H
#define VG_ELEMENT_TUNING_H

/* Two points nearer than this (m; a cable: times its length) have no line between them: no direction, no pull. It
 * only keeps the division from overflowing. */
#define VG_NO_LINE       1e-14
#define VG_CABLE_NO_LINE 1e-12
/* A unit vector is taken for an axis of its frame when its component differs from 1 by less: rounding of a
 * normalised vector. Without it the axes of such joints would have entries of 1e-17 instead of 0. */
#define VG_AXIS_EXACT 1e-12
/* rad: the second marker's axis counts as parallel to the joint's axis. What users write in decimals differs by
 * 1e-6. Beyond, the angle is measured from the start instead of between the markers. */
#define VG_AXES_PARALLEL 1e-6
/* The part of a hint across the axis below which the hint gives no direction (its length is 1). */
#define VG_HINT_ACROSS 1e-9
/* cos of the angle from which on y is too near the beam's axis to be its section's hint (26°), and z is taken. */
#define VG_HINT_STEEP 0.9
/* rad between the frames of neighbouring nodes up to which their own orientations are kept; interpolation of
 * rotations is unique up to π, and half of that leaves room for the motion. */
#define VG_FRAMES_APART 1.2
/* Entries of a given section stiffness: asymmetry, and pivots of Cholesky, relative to the largest and to the
 * diagonal. */
#define VG_SECTION_SYMMETRIC 1e-12
#define VG_SECTION_DEFINITE  1e-14
/* Newton for the nearest point of a profile ends at this relative step: a few roundings. Below rounding the limit
 * of iterations ends it. */
#define VG_PROFILE_NEAREST 1e-14
/* Newton for the Gauss points ends at rounding; a normalised mode keeps its first largest entry against rounding
 * of others; products of slopes that vanish by symmetry are rounding of their factors, or below a nanometre of
 * shortening. */
#define VG_GAUSS_POINT     1e-16
#define VG_LARGEST_BY      1e-6
#define VG_SLOPES_VANISH   1e-12
#define VG_SLOPES_MATTER_M 1e-9
/* A reduced coordinate has no mass: eigenvalue relative to the largest, at rounding. */
#define VG_MASSLESS 1e-15
/* sin of the angle between wheel axis and road normal below which a wheel lies flat and has no direction of
 * rolling. */
#define VG_WHEEL_FLAT 1e-3
/* Two pieces of a law of time meet without a corner: difference of values and derivatives, relative to their sizes.
 * Rounding of a law's operations, some 1e-13, times a thousand for cancellation. At twice a corner of 2e-10 is missed. */
#define VG_PIECES_MEET 1e-10
#endif
