/* Numbers that decide in model: how exactly users write what must be symmetric, orthogonal or on a line. Text with
 * ten digits differs by 1e-10; rounding is 1e-16. Doubling or halving one changes which faulty input is refused,
 * and no result. */
#ifndef VG_MODEL_TUNING_H
#define VG_MODEL_TUNING_H

#define VG_GIVEN_SYMMETRIC  1e-9 /* asymmetry of a matrix, relative to its largest entry */
#define VG_GIVEN_ROTATION   1e-6 /* entries of RᵀR − 1: six digits are enough, R is then made orthogonal */
#define VG_GIVEN_ON_LINE    1e-9  /* a node of a beam beyond its ends, relative to the length */
#define VG_GIVEN_STATION    1e-12 /* a station beyond the end, relative to the length: sums of rounded parts */
#define VG_GIVEN_QUATERNION 1e-8  /* length of a quaternion that is to be normalised */
#define VG_GIVEN_TRIANGLE                                                                                    \
    1e-9 /* principal moments: the largest may exceed the sum of the others by rounding */
#define VG_GIVEN_DEFINITE                                                                                    \
    1e-14 /* least principal moment relative to the largest: below, Euler's equations lose all digits */
#define VG_GIVEN_WHOLE 1e9 /* whole numbers up to this are exact in int and in messages */
/* Ranges that begin below this are written "positive". */
#define VG_POSITIVE 1e-200
/* Jacobi's rotations end when nothing is left beside the diagonal. */
#define VG_JACOBI_LEFT 1e-300
/* sin² of the angle between two chords of an arc: below, three points are on a line. */
#define VG_ARC_STRAIGHT 1e-20
/* A hint along the line (sin of the angle), and a line that starts along y (cos). */
#define VG_HINT_ALONG   1e-6
#define VG_LINE_ALONG_Y 0.999
/* A node that no shape moves (m or rad for one metre of a mode), and weights that cancelled to rounding. */
#define VG_NODE_STILL    1e-12
#define VG_WEIGHT_ROUNDS 1e-14
/* Loops of robots: m and rad that count as closed (the assembly does the rest), step of differences (cube root of
 * rounding), the first and the least regularisation, the least pivot relative to it. */
#define VG_CLOSED           1e-11
#define VG_CLOSE_DIFFERENCE 1e-5
#define VG_CLOSE_MU         1e-2
#define VG_CLOSE_LEAST_MU   1e-12
#define VG_CLOSE_PIVOT      1e-3
#define VG_CLOSE_SPREAD     0.2 /* rad: how much further from the drawn pose each new search begins, up to 2 */
/* Stops of imported joints: how deep (rad, m) the weight behind the joint presses one, what a rotor adds to that weight
 * (1/s²), and the factor of Hunt and Crossley (s/rad). Softer ones let joints go through, harder ones need short steps. */
#define VG_STOP_DEPTH    0.01
#define VG_STOP_ARMATURE 10.0
#define VG_STOP_DAMPING  0.5

/* Friction of a tendon is smooth below this speed, m/s, as that of joints is: F v/√(v² + v0²). Half of it: steps of a sticking
 * tendon are half as long; twice: it creeps twice as fast. */
#define VG_TENDON_SLIP 1e-3

/* Hinges whose axes pass one point within this, m, are one ball joint: coordinates of files have six digits or more. */
#define VG_BALL_POINT 1e-6

/* Relative error of a step with which robots are followed; a hundredth of it is the absolute one (rad, m). Of a leg with two
 * balls of hinges the energy balance is 2e-11 of what flows, of an arm that stands nearly still 7e-7; at ten times that
 * tolerance 2e-10 and 3e-6, in three quarters of the time; at a tenth 1e-12 and 3e-7, in a third more. */
#define VG_ROBOT_TOLERANCE 1e-10
/* Rate of the fastest damper times the step of the file, above which robots run with the implicit method and that step. The
 * explicit one is stable up to about 6: here it takes eight steps in place of one, of 12 evaluations without a Newton
 * iteration, which is about as dear. At half of it arms with geared grippers take 2e-4 in place of 2e-8 of the energy
 * from nowhere; at twice, stiff ones run twice as long. */
#define VG_ROBOT_STIFF 50.0
/* Default of `velocity` of joint-friction, rad/s or m/s: below it the friction is a damper. */
#define VG_FRICTION_SLIP 1e-2

/* Time constants of drives are not shorter, s: the format's own engine has this bound too, for a constant of 0. */
#define VG_LEAST_TIME 1e-15
/* Rotation matrices that agree in every entry to the last digit or two: an angle is written in place of a quaternion. */
#define VG_ROTATION_SAME 3e-16
/* Direction of an axis against z: text with ten digits. */
#define VG_GIVEN_AXIS 1e-9
/* An inertia that passes these passes the reader's own test: definite and triangle inequality, relative to the trace. */
#define VG_IMPORT_DEFINITE 1e-9
#define VG_IMPORT_TRIANGLE 1e-10
/* Groups of contacts: the margin within which pairs are kept, relative to the mean radius. Half of it: pairs are looked
 * for twice as often. Twice: twice as many pairs are kept that do not touch. No result depends on it. */
#define VG_CONTACT_MARGIN 0.3
#endif
