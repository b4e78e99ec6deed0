/* Numbers that decide in equilibrium, modes and studies. Corrections are in lengths of the model or radians.
 * scripts/tuning halves and doubles each. */
#ifndef VG_ANALYSIS_TUNING_H
#define VG_ANALYSIS_TUNING_H

/* Static equilibrium. A correction below VG_REST_ROUNDING that shrinks by less than the factor VG_REST_STALLED is
 * rounding: beams with EA/EI of 1e8 leave eight of sixteen digits of a length. */
#define VG_REST_ROUNDING 1e-8
#define VG_REST_STALLED  0.3
/* … a larger correction is divergence; the default tolerance of corrections */
#define VG_REST_DIVERGED  1e6
#define VG_REST_TOLERANCE 1e-11
/* … shortest step of the line search, about 2^-10; factor of load steps after a success */
#define VG_REST_SHORTEST  1e-3
#define VG_REST_LOAD_GROW 1.5
/* … relaxation. A step is accepted if its displacement is below LONGEST; below SHORT the damping is multiplied by EASE.
 * Newton's method takes over if the displacement is below ARRIVES and Newton's first correction below NEWTON. STIFFEST:
 * largest damping. DIRECTION: the direction of a smaller correction is rounding */
#define VG_RELAX_LONGEST   0.2
#define VG_RELAX_SHORT     0.1
#define VG_RELAX_EASE      0.4
#define VG_RELAX_ARRIVES   1e-4
#define VG_RELAX_NEWTON    0.05
#define VG_RELAX_STIFFEST  1e30
#define VG_RELAX_DIRECTION 1e-9
/* … by damped motion. A step that moves less than PART of the longest displacement is followed by one four times as long,
 * others by one GROW times as long. PART bounds the first guess of a step too */
#define VG_SETTLE_PART 0.1
#define VG_SETTLE_GROW 1.3
/* … along an arc: weight of the load's change in the length of the arc */
#define VG_ARC_LOAD 0.1
/* Modes. Entries of a shape that differ by less are equal, and the first of them is the largest, so that the sign of a
 * shape does not depend on rounding */
#define VG_LARGEST_FIRST 1e-9
/* … an eigenvalue with Im > VIBRATES |Re| is a vibration (less than 0.995 of critical damping). Frequencies below ZERO of
 * the shift are rounding of double zeros. Eigenvalues of the inverse below INFINITE of the largest belong to constraints */
#define VG_MODE_VIBRATES 0.1
#define VG_MODE_ZERO     1e-6
#define VG_MODE_INFINITE 1e-15
/* … FREE: a motion is free if its stiffness is below this part of the sum of the absolute terms, some thousand roundings.
 * APART: two free motions are the same direction if a smaller part of the kinetic energy of the second is normal to the
 * first (the two of a double zero differ by 1e-8). EVEN: a smaller skew part of K is ignored; it changes the squares of
 * frequencies by its square. DENSE: number of coordinates above which Krylov's method finds the slowest modes faster than
 * the dense method finds all */
#define VG_MODE_FREE   1e-12
#define VG_MODE_APART  1e-6
#define VG_MODE_EVEN   1e-9
#define VG_MODES_DENSE 240
/* … stability of an equilibrium. EVEN: skew part of K that follows from the tolerance of the equilibrium. DENSE: most
 * coordinates with rolling, where matrices are dense. PENALTY: stiffness of constraints relative to that of the elements
 * between the same bodies; it costs four of sixteen digits */
#define VG_STABILITY_EVEN    1e-6
#define VG_STABILITY_DENSE   600
#define VG_STABILITY_PENALTY 1e4
/* … shift. SEES: squares of frequencies below this part of the shift are lost in rounding. The shift is changed if the
 * square of the slowest frequency is below LARGE of it or, with free motions, above SMALL times it, but not below LEAST
 * times the square of the fastest frequency, a thousand roundings */
#define VG_MODE_SHIFT_SEES  1e-9
#define VG_MODE_SHIFT_LARGE 0.01
#define VG_MODE_SHIFT_SMALL 1e4
#define VG_MODE_SHIFT_LEAST 2e-13
/* … stiffness by differences over STEP lengths: rounding 1e-11 and truncation 1e-10 balance. It is negative only if two
 * step sizes agree to AGREE, and soft below SOFT of the largest stiffness */
#define VG_MODE_STEP  1e-5
#define VG_MODE_AGREE 0.05
#define VG_MODE_SOFT  1e-9
#define VG_MODE_MOVES 1e-6
/* … matrices of a free body, relative to the largest stiffness: six rigid motions are below BELOW, the first elastic one is
 * above ABOVE. SYMMETRIC: largest asymmetry of matrices in a file */
#define VG_RIGID_BELOW    1e-7
#define VG_ELASTIC_ABOVE  1e-10
#define VG_FILE_SYMMETRIC 1e-9
/* Studies. Errors of a channel that is smaller than SMALL of the largest are relative to that part of the largest; if all
 * channels are below NONE, errors are absolute */
#define VG_CHANNEL_SMALL 1e-9
#define VG_CHANNEL_NONE  1e-10
/* … ladder of tolerances: smallest rtol and atol, ten roundings and one; atol relative to rtol. Errors above ABOVE are not
 * used to determine an order */
#define VG_LADDER_RTOL 1e-14
#define VG_LADDER_ATOL 1e-16
#define VG_ATOL_PART   0.01
#define VG_ORDER_ABOVE 0.1
/* … spectrum. LINEAR: a number of the state belongs to the linear map if doubling the start doubles it to this part. REPEAT:
 * largest difference of two equal steps. SEEN: a root is seen if the motion's part of its vector is larger; unseen roots are
 * dropped, and others within SAME of them, unless their size is below DEAD (they decay at once). GROWS, ROUNDS: excess over
 * 1 that is growth, and that is rounding */
#define VG_SPECTRUM_LINEAR 1e-6
#define VG_SPECTRUM_REPEAT 1e-9
#define VG_SPECTRUM_SEEN   1e-7
#define VG_SPECTRUM_DEAD   1e-3
#define VG_SPECTRUM_SAME   1e-5
#define VG_SPECTRUM_GROWS  1e-7
#define VG_SPECTRUM_ROUNDS 1e-10
/* seconds in a nanosecond, and nanoseconds in a second */
#define VG_NANO       1e-9
#define VG_PER_SECOND 1e9
/* Runs. Angles whose turns are counted: half a turn forwards in a step cannot be distinguished from half a turn back. A step
 * whose size times rate exceeds VG_TURN_LOST π is refused; error control keeps it below VG_TURN_SAFE π, which allows the
 * rate to grow by a quarter within the step. */
#define VG_TURN_LOST 0.95
#define VG_TURN_SAFE 0.75
/* … samples of controllers. A sample is due if its time differs by less than DUE of the sample time plus TIME_ROUNDING of
 * the time. FITS: a step fits the samples if their quotient is an integer to this accuracy */
#define VG_SAMPLE_DUE    1e-9
#define VG_TIME_ROUNDING 1e-15
#define VG_SAMPLE_FITS   1e-6
/* … closing loops: factor of the damping after a first success */
#define VG_DAMPING_FALLS 0.1
/* … steps over a singular position: shortest interval of the extrapolation, relative to the usual step */
#define VG_OVER_LEAST 1e-4

/* … advise. Shares of the budget of processor time: a run to learn its cost, a reference, a stiff reference, what
 * must be left for another check, what may go into a longer one. Shares of the run: the shortest and the usual
 * length of trials. They divide a budget that the user gives; half and twice give fewer and more trials */
#define VG_ADVISE_FIRST      0.05
#define VG_ADVISE_REFERENCE  0.05
#define VG_ADVISE_STIFF_PART 0.2
#define VG_ADVISE_LEFT       0.01
#define VG_ADVISE_LONGER     0.1
#define VG_ADVISE_EXPLICIT   0.1
#define VG_ADVISE_SPAN_LEAST 0.01
#define VG_ADVISE_SPAN_USUAL 0.05
#define VG_ADVISE_TRIAL_S    1e-3 /* s, the shortest limit of a trial */
/* … a model is stiff if its fastest mode takes 1e4 rad within the trials; another eigenvalue counts as faster by a
 * hundredth; a rung is better if its error falls by a third; steps within 1.5 of the reference's are not judged by
 * it; a tighter tolerance leaves a tenth; quotients of times are whole to nine digits */
#define VG_ADVISE_STIFF    1e4
#define VG_ADVISE_FASTER   1.01
#define VG_ADVISE_BETTER   0.7
#define VG_ADVISE_TOO_NEAR 1.5
#define VG_ADVISE_TIGHTER  0.1
#define VG_ADVISE_WHOLE    1e-9
/* state: given velocities. Squares of what is missed, relative to what is given: below the first nothing is
 * changed, below the second the iteration ends (twelve and fifteen digits); a slope that is rounding ends it too */
#define VG_GIVEN_MET   1e-24
#define VG_GIVEN_ENDS  1e-30
#define VG_GIVEN_SLOPE 1e-13
/* … steady rotation: a correction of a million lengths is divergence, one of 1e-9 is the end */
#define VG_TURNING_DIVERGED 1e6
#define VG_TURNING_MET      1e-9

/* runs: rows that are due within this part of their interval are due now; a redundant constraint row may open by
 * this part of the model's length (index 3 closes positions to 1e-12, dependent rows by the square root of that) */
#define VG_ROW_NOW        1e-9
#define VG_REDUNDANT_OPEN 1e-6
/* and by this many times the violation of the rows that count: they add up along a loop */
#define VG_REDUNDANT_BESIDE 100

/* assembly: a start moves whose largest speed, in lengths or radians a second, is above this part of 1 and of its speeds
 * with those that drives ask for. It is looked at ASIDE
 * in its direction: rows that repeat others are open by the square of that there, and the way back onto the
 * constraints is BACK of it at most, where the square would be a thousandth. From a tenth to ten times of ASIDE the answers
 * are the same (test_start_aside). CLOSED: of a length */
#define VG_START_MOVES  1e-9
#define VG_START_ASIDE  1e-3
#define VG_START_BACK   0.1
#define VG_START_CLOSED 1e-13

#endif
