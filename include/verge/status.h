/* Status codes: what every fallible function of Verge returns. */
#ifndef VERGE_STATUS_H
#define VERGE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/* One row per status: X(name, text). The enum and the texts are both made from this list. */
#define VG_STATUS_LIST(X)                                                                                    \
    X(OK, "ok")                                                                                              \
    X(NO_MEMORY, "out of memory")                                                                            \
    X(BAD_INPUT, "bad input")                                                                                \
    X(NOT_CONVERGED, "the iteration did not converge")                                                       \
    X(SINGULAR, "the matrix is singular")                                                                    \
    X(NOT_FINITE, "a value is not finite")                                                                   \
    X(LIMIT, "a limit was reached")                                                                          \
    X(IO, "a file could not be read or written")                                                             \
    X(UNSUPPORTED, "not supported in this combination")                                                      \
    X(INTERRUPTED, "interrupted")                                                                            \
    X(STEP_TOO_SMALL, "the step size fell below its minimum")                                                \
    X(INCONSISTENT, "the constraints contradict each other")

typedef enum vgStatus {
#define VG_STATUS_ENUM(name, text) VG_##name,
    VG_STATUS_LIST(VG_STATUS_ENUM)
#undef VG_STATUS_ENUM
        VG_STATUS_COUNT
} vgStatus;

/* A short text for a status.
 *
 * Parameters:
 *   status  any value
 * Returns: the text, never NULL
 * Example:
 *     puts(vg_status_text(VG_NOT_CONVERGED)); */
const char *vg_status_text(vgStatus status);

#ifdef __cplusplus
}
#endif

#endif
