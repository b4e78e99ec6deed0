#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"

enum { LINE = 64, FOUR = 32 }; /* arrays start on a cache line; bytes of four numbers */

#if defined(__SANITIZE_ADDRESS__)
#define GUARDED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GUARDED 1
#endif
#endif

#ifdef GUARDED
#include <sanitizer/asan_interface.h>
enum { GUARD = LINE }; /* poisoned bytes after every array */
#else
enum { GUARD = 0 };
#define ASAN_POISON_MEMORY_REGION(start, bytes)   ((void)(start), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(start, bytes) ((void)(start), (void)(bytes))
#endif

void *vg_arena_take(vgArena *arena, size_t bytes)
{
    size_t start = arena->used;
    if (bytes > SIZE_MAX / 2 || start > SIZE_MAX / 2) {
        arena->used = SIZE_MAX;
        return NULL;
    }
    arena->used = start + (bytes + LINE - 1) / LINE * LINE + GUARD;
    if (!arena->base || arena->used > arena->size) return NULL;
    char *out = arena->base + start;
    size_t room = (bytes + FOUR - 1) / FOUR * FOUR;
    ASAN_UNPOISON_MEMORY_REGION(out, room);
    ASAN_POISON_MEMORY_REGION(out + room, arena->used - start - room);
    return out;
}

void *vg_arena_take_many(vgArena *arena, size_t count, size_t bytes)
{
    return vg_arena_take(arena, bytes && count > SIZE_MAX / bytes ? SIZE_MAX : count * bytes);
}

vgStatus vg_arena_alloc(vgArena *arena, size_t size)
{
    *arena = (vgArena){0};
    if (size > SIZE_MAX / 2) return VG_NO_MEMORY;
    size_t whole = size ? (size + LINE - 1) / LINE * LINE : LINE;
    char *base = vg_os_aligned(LINE, whole);
    if (!base) return VG_NO_MEMORY;
    memset(base, 0, whole); /* also touches every page now, not inside the first step */
    arena->base = base;
    arena->size = whole;
    return VG_OK;
}

vgStatus vg_arena_reserve(vgArena *arena, size_t size)
{
    enum { LARGE = 1 << 19 };
    if (size < LARGE) return vg_arena_alloc(arena, size);
    *arena = (vgArena){0};
    if (size > SIZE_MAX / 2) return VG_NO_MEMORY;
    void *base = vg_os_pages(size);
    if (!base) return VG_NO_MEMORY;
    *arena = (vgArena){.base = base, .size = size, .mapped = 1};
    return VG_OK;
}

void vg_arena_free(vgArena *arena)
{
    if (!arena) return;
    if (arena->base) ASAN_UNPOISON_MEMORY_REGION(arena->base, arena->size);
    if (arena->mapped)
        vg_os_free_pages(arena->base, arena->size);
    else
        vg_os_free_aligned(arena->base);
    *arena = (vgArena){0};
}

/* Chunks begin small and grow: a model has a dozen pools with a few names each, and zeroing 64 KiB for each of them took a
 * third of the time that it takes to make a small one. */
enum { ALIGN = 16, FIRST_CHUNK = 1 << 11, CHUNK = 1 << 16 };

typedef struct chunk {
    struct chunk *next;
    size_t used, size;
    _Alignas(ALIGN) char data[];
} chunk;

struct vgPool {
    chunk *head;
    size_t used, limit; /* bytes asked from the system */
    int starved;
};

vgPool *vg_pool_new(size_t limit)
{
    vgPool *pool = calloc(1, sizeof *pool);
    if (pool) pool->limit = limit ? limit : VG_POOL_DEFAULT_LIMIT;
    return pool;
}

void vg_pool_free(vgPool *pool)
{
    if (!pool) return;
    while (pool->head) {
        chunk *next = pool->head->next;
        free(pool->head);
        pool->head = next;
    }
    free(pool);
}

size_t vg_pool_used(const vgPool *pool)
{
    return pool->used;
}

int vg_pool_starved(const vgPool *pool)
{
    return pool && pool->starved;
}

void vg_pool_starve(vgPool *pool)
{
    pool->starved = 1;
}

static chunk *add_chunk(vgPool *pool, size_t bytes)
{
    size_t left = pool->limit - pool->used;
    size_t chunk_size = pool->used < FIRST_CHUNK ? FIRST_CHUNK : pool->used < CHUNK ? pool->used : CHUNK;
    size_t size = bytes > chunk_size / 4 ? bytes : chunk_size;
    if (size > left) size = bytes;
    if (size > left || size > SIZE_MAX / 2) return NULL;
    chunk *c = calloc(1, sizeof *c + size);
    if (!c) {
        pool->starved = 1;
        return NULL;
    }
    c->size = size;
    pool->used += size;
    /* A chunk made for one large piece goes behind the head, whose free room stays in use. */
    if (pool->head && pool->head->size - pool->head->used > size - bytes) {
        c->next = pool->head->next;
        pool->head->next = c;
    } else {
        c->next = pool->head;
        pool->head = c;
    }
    return c;
}

void *vg_pool_alloc(vgPool *pool, size_t bytes)
{
    if (bytes > SIZE_MAX / 2) return NULL;
    bytes = bytes ? (bytes + ALIGN - 1) / ALIGN * ALIGN : ALIGN;
    chunk *c = pool->head;
    if (!c || c->size - c->used < bytes) c = add_chunk(pool, bytes);
    if (!c) return NULL;
    void *out = c->data + c->used;
    c->used += bytes;
    return out;
}

void *vg_pool_alloc_many(vgPool *pool, size_t count, size_t bytes)
{
    return bytes && count > SIZE_MAX / bytes ? NULL : vg_pool_alloc(pool, count * bytes);
}

/* A large array that has a chunk to itself gets `bytes`, growing or shrinking; NULL: it has not, or there is
 * no room. */
static void *resize_whole(vgPool *pool, const void *old, size_t old_bytes, size_t bytes)
{
    size_t was = (old_bytes + ALIGN - 1) / ALIGN * ALIGN, now = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (!old || was <= CHUNK / 4 || now > SIZE_MAX / 4) return NULL;
    chunk **at = &pool->head;
    while (*at && (*at)->data != (const char *)old) at = &(*at)->next;
    if (!*at || (*at)->size != was || (*at)->used != was) return NULL;
    if (now > was && now - was > pool->limit - pool->used) return NULL;
    chunk *c = realloc(*at, sizeof *c + now);
    if (!c) return NULL;
    *at = c;
    if (now > was) memset(c->data + was, 0, now - was);
    c->size = c->used = now;
    pool->used = pool->used - was + now;
    return c->data;
}

void *vg_pool_trim(vgPool *pool, void *old, size_t old_bytes, size_t new_bytes)
{
    void *out = new_bytes < old_bytes ? resize_whole(pool, old, old_bytes, new_bytes) : NULL;
    return out ? out : old;
}

void *vg_pool_grow(vgPool *pool, void *old, size_t old_bytes, size_t new_bytes)
{
    void *whole = new_bytes > old_bytes ? resize_whole(pool, old, old_bytes, new_bytes) : NULL;
    if (whole) return whole;
    void *out = vg_pool_alloc(pool, new_bytes > old_bytes ? new_bytes : old_bytes);
    if (out && old_bytes) memcpy(out, old, old_bytes);
    return out;
}

char *vg_pool_strndup(vgPool *pool, const char *text, size_t n)
{
    const char *end = memchr(text, 0, n);
    size_t length = end ? (size_t)(end - text) : n;
    if (length > SIZE_MAX / 4) return NULL;
    char *out = vg_pool_alloc(pool, length + 1);
    if (out) memcpy(out, text, length);
    return out;
}

char *vg_pool_strdup(vgPool *pool, const char *text)
{
    return vg_pool_strndup(pool, text, strlen(text));
}

char *vg_pool_printf(vgPool *pool, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *out = length < 0 ? NULL : vg_pool_alloc(pool, (size_t)length + 1);
    if (!out) return NULL;
    va_start(args, format);
    vsnprintf(out, (size_t)length + 1, format, args);
    va_end(args);
    return out;
}
