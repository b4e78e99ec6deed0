/* Numbers that decide in math: where a power series takes over from a closed form. Both are exact to rounding on
 * either side of the border; it only has to lie where both are. scripts/tuning halves and doubles each. */
#ifndef VG_MATH_TUNING_H
#define VG_MATH_TUNING_H

/* |φ|², rad². Below, functions of a rotation vector come from their power series: the closed forms divide by |φ|²
 * and lose 1/|φ|² of their digits. Five terms leave s⁵ 8!/18! = 6e-17 at the border. At half the closed forms lose
 * a factor of two more; at twice the series leave 2e-15. */
#define VG_SERIES_BELOW 0.1
/* |sin φ|² up to which asin is summed in ten terms: the next term is 3e-18 of the sum at the border. At half: only
 * slower. At twice: 7e-15. */
#define VG_LOG_SERIES_BELOW 0.04
/* |v| of a quaternion (w, v) below which atan2(|v|, w)/|v| = 1/w − |v|²/(3 w³) is 1/w to the last digit: the
 * square root of the machine precision. At half and twice the same digits. */
#define VG_QUATERNION_SMALL 1e-8
/* x² below which atan is summed up to x^27: the next term is (1/16)^14/29 = 5e-19. At half: only slower. At twice:
 * 8e-15. */
#define VG_ATAN_SERIES_BELOW 0.0625
/* |x| below which k = x·2/π is exact in the reduction of sine and cosine by three parts of π/2: k has 19 bits
 * then, the first part 33, and their product fits 53. At half: only slower. At twice it still fits; at four times
 * it does not. */
#define VG_TRIG_REDUCED_BELOW 5e5
#endif
