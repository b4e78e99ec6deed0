/* Compiler attributes used across the rooms. */
#ifndef VG_BASE_ATTR_H
#define VG_BASE_ATTR_H

#if defined(__GNUC__) || defined(__clang__)
#define VG_PRINTF_LIKE(text_arg, first_arg) __attribute__((format(printf, text_arg, first_arg)))
#else
#define VG_PRINTF_LIKE(text_arg, first_arg)
#endif

#endif
