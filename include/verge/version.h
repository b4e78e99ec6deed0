/* The version of Verge: of the headers at compile time, of the library at run time. */
#ifndef VERGE_VERSION_H
#define VERGE_VERSION_H

#define VERGE_VERSION_MAJOR  0
#define VERGE_VERSION_MINOR  1
#define VERGE_VERSION_PATCH  0
#define VERGE_VERSION_STRING "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the library that is linked; the macros above are those of the headers.
 *
 * Returns: "major.minor.patch"
 * Example:
 *     if (strcmp(vg_version(), VERGE_VERSION_STRING) != 0) puts("headers and library differ"); */
const char *vg_version(void);

#ifdef __cplusplus
}
#endif

#endif
