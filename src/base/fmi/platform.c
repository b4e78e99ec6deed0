#include "base/fmi/platform.h"

#include <stddef.h>
#include <string.h>

#define ROW(tuple, old, ending, words)                                                                       \
    {                                                                                                        \
        tuple, old, ending, words, "has no library for " words                                               \
    }
const vgFmiPlatform vg_fmi_platforms[] = {
    ROW("x86_64-linux", "linux64", "so", "x86-64 Linux"),
    ROW("aarch64-linux", NULL, "so", "64-bit ARM Linux"),
    ROW("x86_64-windows", "win64", "dll", "x86-64 Windows"),
    {0},
};

const vgFmiPlatform *vg_fmi_platform(const char *tuple, int length)
{
    for (const vgFmiPlatform *p = vg_fmi_platforms; p->tuple; p++)
        if ((int)strlen(p->tuple) == length && strncmp(p->tuple, tuple, (size_t)length) == 0) return p;
    return NULL;
}

const vgFmiPlatform *vg_fmi_here(void)
{
#if defined __x86_64__ && defined __linux__
    const char *here = "x86_64-linux";
#elif defined __aarch64__ && defined __linux__
    const char *here = "aarch64-linux";
#elif defined __x86_64__ && defined _WIN32
    const char *here = "x86_64-windows";
#else
    const char *here = "";
#endif
    return vg_fmi_platform(here, (int)strlen(here));
}

const char *vg_fmi_folder(const vgFmiPlatform *p, int version)
{
    return version == 2 && p->old ? p->old : p->tuple;
}
