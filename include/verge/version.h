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

/* "major.minor.patch" of the library that is linked. */
const char *vg_version(void);

#ifdef __cplusplus
}
#endif

#endif
