#ifndef _WIN32
#include "base/os.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

void *vg_os_library(const char *file, char *why, size_t size)
{
    void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
    if (!library && why) {
        const char *words = dlerror();
        snprintf(why, size, "%s", words ? words : file);
    }
    return library;
}

void vg_os_library_close(void *library)
{
    if (library) dlclose(library);
}

void *vg_os_symbol(void *library, const char *name)
{
    return dlsym(library, name);
}

static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;

void vg_os_lock(void)
{
    pthread_mutex_lock(&once);
}

void vg_os_unlock(void)
{
    pthread_mutex_unlock(&once);
}

#else
typedef int vg_os_is_not_posix; /* a file needs a declaration */
#endif
