/* Bytes in the zlib form (RFC 1950, deflate) → what was compressed. */
#ifndef VG_BASE_H5_INFLATE_H
#define VG_BASE_H5_INFLATE_H

#include <stddef.h>
#include <stdint.h>

/* 1: exactly `room` bytes came out and their sum is right; 0: damaged, or of another size. Takes no memory, and time
 * proportional to n + room. */
int vg_inflate(const unsigned char *in, size_t n, unsigned char *out, size_t room);
/* The same without head and sum of the zlib form (RFC 1951 alone), as in ZIP files. */
int vg_inflate_raw(const unsigned char *in, size_t n, unsigned char *out, size_t room);

#endif
