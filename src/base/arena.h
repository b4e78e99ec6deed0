/* Memory carved once at set-up.
 *
 * vgArena: one function measures and places. Write a function that takes every array it needs; call it with
 * an empty arena to measure, allocate, call it again to place:
 *
 *     static void place(vgThing *t, vgArena *a) { t->x = VG_TAKE(a, double, t->n); ... }
 *
 *     vgArena arena = {0};
 *     place(t, &arena);                                   (measures: every pointer is NULL)
 *     vgStatus status = vg_arena_alloc(&arena, arena.used);
 *     if (status == VG_OK) place(t, &arena);              (places: zeroed, 64-byte aligned)
 *     ...
 *     vg_arena_free(&arena);
 *
 * Under AddressSanitizer a guard follows every array, so that writing past its end is caught; copy arrays,
 * not the arena as a whole.
 *
 * vgPool: grows at set-up (strings, nodes of a parsed file), freed as a whole, with a limit in bytes so that
 * no input can exhaust the memory. */
#ifndef VG_BASE_ARENA_H
#define VG_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/status.h"

/* 2 to the n bytes, or half of what can be addressed where that is less. */
#define VG_BYTES_2_TO(n)                                                                                     \
    ((n) < 8 * sizeof(size_t) - 1 ? (size_t)1 << (n) % (8 * sizeof(size_t)) : SIZE_MAX / 2)

typedef struct vgArena {
    char *base;  /* NULL: only measure */
    size_t used; /* bytes taken so far; SIZE_MAX: more than can be counted */
    size_t size; /* bytes there are */
    int mapped;  /* 1: by vg_arena_reserve, from the system */
} vgArena;

/* The next count × bytes, 64-byte aligned, with room up to a multiple of 32 bytes, so that loops over vectors
 * of four need nothing for what is left over. NULL while measuring, and when placing asks for more than was
 * measured (used then exceeds size). */
void *vg_arena_take(vgArena *arena, size_t bytes);
void *vg_arena_take_many(vgArena *arena, size_t count, size_t bytes);
/* A negative or absurd n cannot be measured and makes vg_arena_alloc answer VG_NO_MEMORY. */
#define VG_TAKE(arena, type, n) ((type *)vg_arena_take_many((arena), (size_t)(n), sizeof(type)))

/* Gives the arena `size` zeroed bytes, none of them taken. VG_NO_MEMORY: the arena is empty. */
vgStatus vg_arena_alloc(vgArena *arena, size_t size);
/* As above, for memory that most runs never use: a large arena is only reserved, and the system provides its pages
 * when they are first touched. */
vgStatus vg_arena_reserve(vgArena *arena, size_t size);
void vg_arena_free(vgArena *arena);

typedef struct vgPool vgPool;

enum { VG_POOL_DEFAULT_LIMIT = 1 << 29 }; /* 512 MiB */

vgPool *vg_pool_new(size_t limit); /* limit in bytes, 0: the default; NULL when out of memory */
void vg_pool_free(vgPool *pool);
size_t vg_pool_used(const vgPool *pool);
int vg_pool_starved(const vgPool *pool); /* 1: the system had no memory at some time; NULL: 0 */
void vg_pool_starve(vgPool *pool);       /* for memory that was asked for elsewhere in the same work */

/* Zeroed, 16-byte aligned; NULL when the memory or the limit is exhausted. */
void *vg_pool_alloc(vgPool *pool, size_t bytes);
void *vg_pool_alloc_many(vgPool *pool, size_t count, size_t bytes);
#define VG_NEW(pool, type, n) ((type *)vg_pool_alloc_many((pool), (size_t)(n), sizeof(type)))
/* A larger zero-extended array in place of the old one, whose address becomes invalid; a small old array stays in
 * the pool. */
void *vg_pool_grow(vgPool *pool, void *old, size_t old_bytes, size_t new_bytes);
/* The first new_bytes of an array of old_bytes, the rest given back where it is large; small ones stay. */
void *vg_pool_trim(vgPool *pool, void *old, size_t old_bytes, size_t new_bytes);
char *vg_pool_strdup(vgPool *pool, const char *text);
char *vg_pool_strndup(vgPool *pool, const char *text, size_t n);
char *vg_pool_printf(vgPool *pool, const char *format, ...) VG_PRINTF_LIKE(2, 3);

#endif
