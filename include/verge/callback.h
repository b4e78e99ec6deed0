/* Forces from the caller's own functions. */
#ifndef VERGE_CALLBACK_H
#define VERGE_CALLBACK_H

#ifdef __cplusplus
extern "C" {
#endif

/* Motion of a frame, all in world axes; rotation is row-major, its columns are the frame's axes. */
typedef struct vgCallbackMotion {
    double position[3], rotation[9], velocity[3], omega[3];
} vgCallbackMotion;

/* wrench: force and torque about the frame's origin on the first frame, then on the second, in world axes;
 * comes zeroed. jacobian: NULL, or 12×24 row-major, zeroed: derivative of wrench by (δp, δφ) of both frames,
 * then (velocity, omega) of both. Returns 1 if it filled the jacobian, 0 to have it found by differences.
 * Must be a pure function of what it is given: it is called several times a step. */
typedef int (*vgForceCallback)(void *user, double t, const vgCallbackMotion motion[2], double wrench[12],
                               double *jacobian);

#ifdef __cplusplus
}
#endif

#endif
