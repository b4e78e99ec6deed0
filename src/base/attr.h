/* Compiler attributes used across the rooms. */
#ifndef VG_BASE_ATTR_H
#define VG_BASE_ATTR_H

#if defined(__GNUC__) || defined(__clang__)
#ifdef __MINGW32__ /* the formats of C17, as __USE_MINGW_ANSI_STDIO gives them */
#define VG_PRINTF_LIKE(text_arg, first_arg) __attribute__((format(gnu_printf, text_arg, first_arg)))
#else
#define VG_PRINTF_LIKE(text_arg, first_arg) __attribute__((format(printf, text_arg, first_arg)))
#endif
/* Seldom called: what leads to the call is kept away from the code that runs every time. */
#define VG_COLD    __attribute__((cold))
#define VG_RARE(x) __builtin_expect(!!(x), 0)
/* The result says whether it worked: a caller that drops it does not compile. */
#define VG_CHECKED __attribute__((warn_unused_result))
#else
#define VG_PRINTF_LIKE(text_arg, first_arg)
#define VG_COLD
#define VG_RARE(x) (x)
#define VG_CHECKED
#endif

#endif
