/* Numbers that decide in system. Lengths are relative to the model's typical length, vectors are unit vectors;
 * rounding of positions and rotations is a few 1e-16. scripts/tuning halves and doubles each. */
#ifndef VG_SYSTEM_TUNING_H
#define VG_SYSTEM_TUNING_H

/* A model without extent (all bodies at one point, no markers) has the length 1 m instead. */
#define VG_NO_EXTENT 1e-9
/* Pose or subspace of a joint is that of a plain hinge or slider: rounding of a product of three rotations. At
 * half such joints take the general path, slower and with the same result. */
#define VG_PLAIN_JOINT 1e-14
/* A column of S turns (rad a unit) or a measure follows a joint coordinate (slope and offset): rounding of the
 * geometry. */
#define VG_COLUMN_TURNS   1e-9
#define VG_MEASURE_IS_ONE 1e-12
/* Joint coordinates are those of the given poses when the correction is below this, in their scales: nothing is
 * moved by rounding. */
#define VG_START_PLACED 1e-13
/* sweep: least length, area or volume that the one to three unit rows of a joint span. Its inverse is the loss of digits
 * in the basis (1e-3: three of sixteen). At half more joints are swept near a singular position; at twice they take
 * the general matrix there. */
#define VG_ROWS_VOLUME 1e-3
/* Rows at the level of accelerations may be taken on positions where the deflection of their penalty is below this part
 * of the model's length: the square root of rounding, so that the step's error hides it. */
#define VG_DEFLECTION_HIDDEN 1e-8
/* natural coordinates. Weights that cancelled, relative to the largest. From a millionth to a million times of it nothing
 * changes in models and tests. */
#define VG_WEIGHT_NONE 1e-13
/* … a body is nearly flat or thin: det of its second moments relative to that of a sphere; then it gets stiff
 * rigidity rows */
#define VG_BODY_THIN 1e-3
/* … points (lengths of the model), directions and turns (rad) are the same: rounding of two chains of frames is a thousandth
 * of it. From a millionth to a million times of it no result changes: below, some are not shared, and there are more
 * coordinates for the same motion. */
#define VG_SHARED 1e-11
/* … base points and directions of a body must be apart: part of its radius of gyration, and sine to those before.
 * The condition number of the body's mass matrix grows with the inverse squares. */
#define VG_BASE_APART 0.1
#define VG_BASE_SINE  0.2
/* Forces that read reactions (setting/reactive.c): a load is changed by this part of the largest to differentiate
 * forces by it. Friction is linear, and any part gives the same; where a law is not, the tangent is off by about this. */
#define VG_LOAD_CHANGE 1e-4
/* … loads and reactions agree, relative to the largest load: rounding of a solution of well-conditioned equations; and
 * the most that is taken where they no longer come nearer to each other, rounding of ill-conditioned ones. */
#define VG_LOAD_EXACT 1e-13
#define VG_LOAD_MET   1e-8

#endif
