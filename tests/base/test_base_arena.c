#include "test.h"

#include <stdint.h>

#include "base/alloc_count.h"
#include "base/arena.h"

#ifdef ALLOC_COUNT_ASAN
#include <sanitizer/asan_interface.h>
#endif

typedef struct thing {
    int n;
    double *x;
    int *map;
    char *flag;
} thing;

static void place(thing *t, vgArena *arena)
{
    t->x = VG_TAKE(arena, double, t->n);
    t->map = VG_TAKE(arena, int, 2 * t->n);
    t->flag = VG_TAKE(arena, char, 1);
}

TEST(one_function_measures_and_places)
{
    thing t = {.n = 9};
    vgArena arena = {0};
    place(&t, &arena);
    CHECK(!t.x && !t.map && !t.flag);
#ifdef ALLOC_COUNT_ASAN
    CHECK_INT(arena.used, 128 + 128 + 64 + 3 * 64); /* and a guard after each */
#else
    CHECK_INT(arena.used, 128 + 128 + 64); /* 72, 72 and 1 byte in whole cache lines */
#endif
    CHECK_INT(vg_arena_alloc(&arena, arena.used), VG_OK);
    long before = alloc_count();
    place(&t, &arena);
    CHECK_INT(alloc_count() - before, 0);
    CHECK_INT(arena.used, arena.size);
    CHECK_INT((uintptr_t)t.x % 64 + (uintptr_t)t.map % 64 + (uintptr_t)t.flag % 64, 0);
    int dirty = 0;
    for (int i = 0; i < t.n; i++) dirty += t.x[i] != 0 || t.map[2 * i] != 0 || t.map[2 * i + 1] != 0;
    CHECK_INT(dirty, 0);
    CHECK(vg_arena_take(&arena, 1) == NULL); /* more than was measured */
    CHECK(arena.used > arena.size);
    vg_arena_free(&arena);
    CHECK(!arena.base);
    vg_arena_free(NULL);
}

TEST(writing_past_an_array_is_caught_by_the_sanitizer)
{
    vgArena arena = {0};
    CHECK_INT(vg_arena_alloc(&arena, 4096), VG_OK);
    double *x = VG_TAKE(&arena, double, 9), *y = VG_TAKE(&arena, double, 8);
    CHECK(x && y);
#ifdef ALLOC_COUNT_ASAN
    CHECK(!__asan_address_is_poisoned(x + 11) && __asan_address_is_poisoned(x + 12)); /* whole fours */
    CHECK(!__asan_address_is_poisoned(y + 7) && __asan_address_is_poisoned(y + 8));
    arena.used = 0;
    x = VG_TAKE(&arena, double, 20); /* an arena can be placed anew */
    CHECK(!__asan_address_is_poisoned(x + 19) && __asan_address_is_poisoned(x + 20));
#endif
    vg_arena_free(&arena);
}

TEST(an_absurd_size_is_no_memory)
{
    vgArena arena = {0};
    int negative = -1;
    CHECK(VG_TAKE(&arena, double, negative) == NULL);
    CHECK(VG_TAKE(&arena, double, 4) == NULL);
    CHECK(arena.used == SIZE_MAX);
    CHECK_INT(vg_arena_alloc(&arena, arena.used), VG_NO_MEMORY);
    CHECK(!arena.base);
    CHECK_INT(vg_arena_alloc(&arena, 0), VG_OK);
    vg_arena_free(&arena);
}

TEST(a_pool_keeps_everything_it_gave)
{
    enum { N = 3000 };
    static char *kept[N];
    vgPool *pool = vg_pool_new(0);
    int bad = 0;
    for (int i = 0; i < N; i++) {
        kept[i] = vg_pool_printf(pool, "name %d", i);
        bad += (uintptr_t)kept[i] % 16 != 0;
        if (i % 100 == 0) memset(vg_pool_alloc(pool, 50000), 'x', 50000);
    }
    for (int i = 0; i < N; i++) {
        char text[32];
        snprintf(text, sizeof text, "name %d", i);
        bad += strcmp(kept[i], text) != 0;
    }
    CHECK_INT(bad, 0);
    CHECK(vg_pool_used(pool) < 2000000);
    CHECK(strcmp(vg_pool_strdup(pool, "abc"), "abc") == 0);
    CHECK(strcmp(vg_pool_strndup(pool, "abcdef", 3), "abc") == 0);
    CHECK(strcmp(vg_pool_strndup(pool, "ab", 9), "ab") == 0);
    int *few = VG_NEW(pool, int, 3);
    few[2] = 5;
    int *more = vg_pool_grow(pool, few, 3 * sizeof(int), 6 * sizeof(int));
    CHECK(more[2] == 5 && more[0] == 0 && more[5] == 0);
    vg_pool_free(pool);
    vg_pool_free(NULL);
}

TEST(a_pool_ends_at_its_limit)
{
    vgPool *pool = vg_pool_new(1000000);
    size_t total = 0;
    while (vg_pool_alloc(pool, 1000)) total += 1000;
    CHECK(total > 900000 && total <= 1000000);
    CHECK(vg_pool_used(pool) <= 1000000);
    int negative = -1;
    CHECK(VG_NEW(pool, double, negative) == NULL);
    CHECK(vg_pool_strndup(pool, "a", 1) == NULL || vg_pool_used(pool) <= 1000000);
    vg_pool_free(pool);
}

TEST(allocations_are_counted)
{
    CHECK(alloc_count_works());
    long before = alloc_count();
    void *volatile a = malloc(10);
    void *volatile b = calloc(2, 10);
    a = realloc(a, 100000);
    void *volatile c = aligned_alloc(64, 128);
    CHECK_INT(alloc_count() - before, 4);
    free(a), free(b), free(c);
}

TEST_MAIN(one_function_measures_and_places, writing_past_an_array_is_caught_by_the_sanitizer,
          an_absurd_size_is_no_memory, a_pool_keeps_everything_it_gave, a_pool_ends_at_its_limit,
          allocations_are_counted)
