/* Numbers that decide in equilibrium, modes and studies. Corrections are in lengths of the model or radians.
 * scripts/tuning halves and doubles each. */
#ifndef VG_ANALYSIS_TUNING_H
#define VG_ANALYSIS_TUNING_H

/* equilibrium: a correction this small that no longer shrinks (by VG_REST_STALLED) is the rounding of stiff
 * models: eight digits of a length, which is what EA/EI of 1e8 leaves of sixteen. */
#define VG_REST_ROUNDING 1e-8
#define VG_REST_STALLED  0.3
/* … a correction of a million lengths is divergence; the default tolerance leaves eleven digits of a length */
#define VG_REST_DIVERGED  1e6
#define VG_REST_TOLERANCE 1e-11
/* … line search: the shortest step that is tried, 2^-10; load steps grow by this after a success */
#define VG_REST_SHORTEST  1e-3
#define VG_REST_LOAD_GROW 1.5
/* … relaxation: steps are accepted up to a fifth of a length, grow by 2.5 below a tenth, and Newton takes over
 * below 1e-4 if its own first correction is below a twentieth; the damping has no upper use beyond 1e30. The
 * direction of a correction below 1e-9 is rounding */
#define VG_RELAX_LONGEST   0.2
#define VG_RELAX_SHORT     0.1
#define VG_RELAX_EASE      0.4
#define VG_RELAX_ARRIVES   1e-4
#define VG_RELAX_NEWTON    0.05
#define VG_RELAX_STIFFEST  1e30
#define VG_RELAX_DIRECTION 1e-9
/* … by damped motion: the first guess and the growth of a step look at a tenth of the longest step; otherwise it
 * grows by 1.3 */
#define VG_SETTLE_PART 0.1
#define VG_SETTLE_GROW 1.3
/* … along an arc: the load's change counts by a tenth of the arc */
#define VG_ARC_LOAD 0.1
/* modes: the first of several equal entries is the largest, against rounding */
#define VG_LARGEST_FIRST 1e-9
/* … vibration with less than 0.995 of critical damping (Im > 0.1 |Re|); frequencies below 1e-6 of the shift are
 * rounding of double zeros; eigenvalues of the inverse below 1e-15 of the largest are infinite ones */
#define VG_MODE_VIBRATES 0.1
#define VG_MODE_ZERO     1e-6
#define VG_MODE_INFINITE 1e-15
/* … a motion is free whose stiffness is below 1e-12 of the sum of the terms that it consists of: some thousand roundings; shapes
 * of free motions are one direction if less than 1e-6 of the kinetic energy of the second is beside the first (the two of a
 * double zero differ by 1e-8); a skew part of K below 1e-9 changes squares of frequencies by its square; above 240 coordinates
 * Krylov's method finds the slowest modes faster than the dense one finds all */
#define VG_MODE_FREE   1e-12
#define VG_MODE_APART  1e-6
#define VG_MODE_EVEN   1e-9
#define VG_MODES_DENSE 240
/* … an equilibrium has a symmetric K but for 1e-6, what its tolerance leaves; dense matrices up to 600 coordinates where there is
 * rolling; rows as penalties 1e4 times stiffer than what they hold, which costs four of sixteen digits */
#define VG_STABILITY_EVEN    1e-6
#define VG_STABILITY_DENSE   600
#define VG_STABILITY_PENALTY 1e4
/* … squares of frequencies below 1e-9 of the shift are not seen beside it; shifts more than 100 times above or, where there are
 * free motions, 1e4 times below the slowest vibration are changed, but not below 1e3 roundings of the fastest one */
#define VG_MODE_SHIFT_SEES  1e-9
#define VG_MODE_SHIFT_LARGE 0.01
#define VG_MODE_SHIFT_SMALL 1e4
#define VG_MODE_SHIFT_LEAST 2e-13
/* … stiffness by differences over 1e-5 lengths: rounding 1e-11 and truncation 1e-10 balance. Negative only if two
 * step sizes agree to a twentieth; soft below 1e-9 of the stiffest */
#define VG_MODE_STEP  1e-5
#define VG_MODE_AGREE 0.05
#define VG_MODE_SOFT  1e-9
#define VG_MODE_MOVES 1e-6
/* … matrices of a free body: six rigid motions below, the first elastic one above, relative to the stiffest;
 * asymmetry of a matrix file */
#define VG_RIGID_BELOW    1e-7
#define VG_ELASTIC_ABOVE  1e-10
#define VG_FILE_SYMMETRIC 1e-9
/* studies: a channel below this part of the largest is measured by it; below 1e-10 all are rounding and errors are
 * absolute */
#define VG_CHANNEL_SMALL 1e-9
#define VG_CHANNEL_NONE  1e-10
/* … tolerances of a ladder end here: ten and one rounding; atol is a hundredth of rtol; errors above a tenth are
 * not in the range of an order */
#define VG_LADDER_RTOL 1e-14
#define VG_LADDER_ATOL 1e-16
#define VG_ATOL_PART   0.01
#define VG_ORDER_ABOVE 0.1
/* … spectrum: which numbers of the state are linear (six digits of a doubled start), repeatable and seen in the
 * motion; roots that the motion never sees are those within 1e-5 of one found before, unless they die at once
 * (1e-3) */
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
/* run: angles whose turns are counted. Half a turn in a step cannot be told from half a turn back; a step whose
 * rate times size exceeds VG_TURN_LOST π is refused, and error control keeps it below VG_TURN_SAFE π, which leaves
 * room for a rate that grows by a quarter within the step. */
#define VG_TURN_LOST 0.95
#define VG_TURN_SAFE 0.75
/* … samples of controllers: due to a part of the sample time, plus a few roundings of the time itself; a step fits
 * the samples if their quotient is whole to six digits */
#define VG_SAMPLE_DUE    1e-9
#define VG_TIME_ROUNDING 1e-15
#define VG_SAMPLE_FITS   1e-6
/* … closing loops: the damping falls by this after a first success */
#define VG_DAMPING_FALLS 0.1
/* … a step over a singular position is looked for down to this part of the usual step */
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
 * constraints is BACK of it at most, where the square would be a thousandth. CLOSED: of a length */
#define VG_START_MOVES  1e-9
#define VG_START_ASIDE  1e-3
#define VG_START_BACK   0.1
#define VG_START_CLOSED 1e-13

#endif
