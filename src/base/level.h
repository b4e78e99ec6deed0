/* Which code this processor can run, for programs and libraries that hold two (cmake/Levels.cmake). */
#ifndef VG_BASE_LEVEL_H
#define VG_BASE_LEVEL_H

/* 1: x86-64-v3. Called before constructors run; uses nothing. */
static inline int vg_level_v3(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
}

#endif
