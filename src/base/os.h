/* The system below: what differs between Linux, Windows and WebAssembly. Rooms ask here; os_posix.c
 * answers. */
#ifndef VG_BASE_OS_H
#define VG_BASE_OS_H

#include <stddef.h>

/* A shared library by file name, as the system searches for it; kept until the process ends. NULL: why, if not NULL,
 * receives the system's words. */
void *vg_os_library(const char *file, char *why, size_t size);
/* Gives a library back that nothing of is used any more. */
void vg_os_library_close(void *library);
/* A function or an object of a library, NULL: it has none of that name. */
void *vg_os_symbol(void *library, const char *name);

/* One lock for the whole process, for what is done once: loading a library, say. Never inside a step. */
void vg_os_lock(void);
void vg_os_unlock(void);

#endif
