/* Forces from the caller's own functions. */
#ifndef VERGE_CALLBACK_H
#define VERGE_CALLBACK_H

#ifdef __cplusplus
extern "C" {
#endif

/* Motion of a frame in world axes. rotation is row-major; its columns are the frame's axes. */
typedef struct vgCallbackMotion {
    double position[3], rotation[9], velocity[3], omega[3];
} vgCallbackMotion;

/* Computes the wrench of a force element of kind `callback`. It is called several times a step and must be a pure
 * function of its arguments.
 *
 * Parameters:
 *   user      as passed to vg_model_set_callback
 *   t         time, s
 *   motion    of the first and of the second frame
 *   wrench    zeroed; receives force and torque about the frame's origin on the first frame, then on the second, in
 *             world axes
 *   jacobian  NULL, or 12×24 row-major and zeroed: receives the derivative of wrench with respect to (δp, δφ) of both
 *             frames, then (velocity, omega) of both
 * Returns: 1 if it filled the jacobian, 0 to have it computed by differences
 * Example:
 *     int thruster(void *user, double t, const vgCallbackMotion motion[2], double wrench[12], double *jacobian)
 *     {
 *         (void)user, (void)t, (void)jacobian;
 *         for (int i = 0; i < 3; i++) wrench[i] = 5 * motion[0].rotation[3 * i];
 *         return 0;
 *     } */
typedef int (*vgForceCallback)(void *user, double t, const vgCallbackMotion motion[2], double wrench[12],
                               double *jacobian);

#ifdef __cplusplus
}
#endif

#endif
