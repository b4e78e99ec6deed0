/* Counts the allocations a piece of code makes, to prove that a step makes none. Include in one test file:
 *
 *     long before = alloc_count();
 *     ... steps ...
 *     CHECK_INT(alloc_count() - before, 0);
 *
 * Counts malloc, calloc, realloc, aligned_alloc, posix_memalign and memalign of the whole program, shared
 * libraries included: the definitions here interpose glibc's. Under AddressSanitizer, which brings its own
 * allocator, its hook counts instead. alloc_count_works() tells whether anything is counted at all. */
#ifndef VERGE_TESTS_ALLOC_COUNT_H
#define VERGE_TESTS_ALLOC_COUNT_H

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_long alloc_counter;

#if defined(__SANITIZE_ADDRESS__)
#define ALLOC_COUNT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ALLOC_COUNT_ASAN 1
#endif
#endif

#ifdef ALLOC_COUNT_ASAN

int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
                                              void (*on_free)(const volatile void *));

static void alloc_on_malloc(const volatile void *block, size_t bytes)
{
    (void)block, (void)bytes;
    alloc_counter++;
}

static void alloc_on_free(const volatile void *block)
{
    (void)block;
}

static inline long alloc_count(void)
{
    static int hooked;
    if (!hooked) hooked = __sanitizer_install_malloc_and_free_hooks(alloc_on_malloc, alloc_on_free) > 0;
    return alloc_counter;
}

#elif defined(__GLIBC__)

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void *memalign(size_t alignment, size_t bytes);

void *malloc(size_t bytes)
{
    alloc_counter++;
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    alloc_counter++;
    return __libc_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes)
{
    alloc_counter++;
    return __libc_realloc(block, bytes);
}

void *memalign(size_t alignment, size_t bytes)
{
    alloc_counter++;
    return __libc_memalign(alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return memalign(alignment, bytes);
}

int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    void *block = memalign(alignment, bytes);
    if (!block) return ENOMEM;
    *out = block;
    return 0;
}

static inline long alloc_count(void)
{
    return alloc_counter;
}

#else

static inline long alloc_count(void)
{
    return alloc_counter;
}

#endif

static inline int alloc_count_works(void)
{
    long before = alloc_count();
    void *volatile block = malloc(1);
    free(block);
    return alloc_count() > before;
}

#endif
