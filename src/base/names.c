#include "base/names.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { MAX_WORD = 64 }; /* longer words get no suggestion */

static int fold(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A' + 'a';
    return c == '_' ? '-' : c;
}

static int min2(int a, int b)
{
    return a < b ? a : b;
}

/* Damerau-Levenshtein distance, optimal string alignment, by rows:
 * d[i][j] = min(d[i-1][j] + 1, d[i][j-1] + 1, d[i-1][j-1] + [a_i != b_j], d[i-2][j-2] + 1 if swapped). */
static int distance(const char *a, int na, const char *b, int nb)
{
    int rows[3][MAX_WORD + 1];
    int *before = rows[0], *last = rows[1], *now = rows[2];
    for (int j = 0; j <= nb; j++) before[j] = last[j] = j;
    for (int i = 1; i <= na; i++) {
        now[0] = i;
        for (int j = 1; j <= nb; j++) {
            int differ = fold(a[i - 1]) != fold(b[j - 1]);
            int d = min2(min2(last[j], now[j - 1]) + 1, last[j - 1] + differ);
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1])) {
                d = min2(d, before[j - 2] + 1);
            }
            now[j] = d;
        }
        int *spare = before;
        before = last, last = now, now = spare;
    }
    return last[nb];
}

static int begins_with(const char *text, const char *word)
{
    while (*word && fold(*text) == fold(*word)) text++, word++;
    return *word == 0;
}

/* Do whole words of a name joined by - read so? sphere-plane of contact-sphere-plane. */
static int has_words(const char *text, const char *word, size_t length)
{
    for (const char *at = text; *at; at++) {
        if ((at == text || at[-1] == '-') && begins_with(at, word) && (at[length] == 0 || at[length] == '-'))
            return 1;
    }
    return 0;
}

const char *vg_name_closest(const char *word, const char *const *candidates, int n)
{
    size_t length = word ? strlen(word) : 0;
    if (length == 0 || length > MAX_WORD) return NULL;
    const char *best = NULL, *longer = NULL, *within = NULL;
    int least = INT_MAX, nlonger = 0;
    for (int i = 0; i < n; i++) {
        size_t m = candidates[i] ? strlen(candidates[i]) : 0;
        if (m == 0) continue;
        if (length >= 3 && begins_with(candidates[i], word)) longer = candidates[i], nlonger++;
        if (length >= 3 && !within && has_words(candidates[i], word, length)) within = candidates[i];
        int na = (int)length, nb = (int)(m > MAX_WORD ? MAX_WORD + 1 : m);
        int limit = (na > nb ? na : nb) / 3;
        if (nb > MAX_WORD || abs(na - nb) > limit) continue;
        int d = distance(word, na, candidates[i], nb);
        if (d <= limit && d < least) least = d, best = candidates[i];
    }
    if (best) return best;
    return nlonger == 1 ? longer : within;
}

/* Open addressing with linear probing; the table is at most half full. */
struct vgNames {
    vgPool *pool;
    int count, cap;
    const char **name; /* [cap] by index */
    uint32_t *hash;    /* [cap] by index */
    int *slot;         /* [slots] index or -1 */
    uint32_t slots;    /* a power of two */
};

/* FNV-1a with a final mix, since linear probing looks at the low bits. */
static uint32_t hash_of(const char *text, size_t n)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)text[i]) * 16777619u;
    h ^= h >> 16;
    h *= 0x7feb352du;
    return h ^ h >> 15;
}

vgNames *vg_names_new(void)
{
    vgNames *names = calloc(1, sizeof *names);
    if (!names) return NULL;
    names->pool = vg_pool_new(0);
    if (!names->pool) {
        free(names);
        return NULL;
    }
    return names;
}

void vg_names_free(vgNames *names)
{
    if (!names) return;
    vg_pool_free(names->pool);
    free(names->name);
    free(names->hash);
    free(names->slot);
    free(names);
}

int vg_names_starved(const vgNames *names)
{
    return names && vg_pool_starved(names->pool);
}

static void put(vgNames *names, int index)
{
    uint32_t at = names->hash[index] & (names->slots - 1);
    while (names->slot[at] >= 0) at = (at + 1) & (names->slots - 1);
    names->slot[at] = index;
}

static int grow(vgNames *names)
{
    if (names->cap > INT_MAX / 8) return 0;
    int cap = names->cap ? 2 * names->cap : 32;
    uint32_t slots = 2 * (uint32_t)cap;
    const char **name = realloc(names->name, (size_t)cap * sizeof *name);
    if (name) names->name = name;
    uint32_t *hash = realloc(names->hash, (size_t)cap * sizeof *hash);
    if (hash) names->hash = hash;
    int *slot = malloc(slots * sizeof *slot);
    if (!name || !hash || !slot) {
        free(slot);
        vg_pool_starve(names->pool);
        return 0;
    }
    free(names->slot);
    names->slot = slot;
    names->slots = slots;
    names->cap = cap;
    for (uint32_t i = 0; i < slots; i++) slot[i] = -1;
    for (int i = 0; i < names->count; i++) put(names, i);
    return 1;
}

int vg_names_find_n(const vgNames *names, const char *name, size_t n)
{
    if (!names->slots) return -1;
    uint32_t h = hash_of(name, n), at = h & (names->slots - 1);
    for (int i; (i = names->slot[at]) >= 0; at = (at + 1) & (names->slots - 1)) {
        if (names->hash[i] == h && strncmp(names->name[i], name, n) == 0 && names->name[i][n] == 0) return i;
    }
    return -1;
}

int vg_names_find(const vgNames *names, const char *name)
{
    return vg_names_find_n(names, name, strlen(name));
}

vgStatus vg_names_add(vgNames *names, const char *name, int *index, int *existed)
{
    int i = vg_names_find(names, name);
    if (existed) *existed = i >= 0;
    if (index) *index = i;
    if (i >= 0) return VG_OK;
    if (names->count == names->cap && !grow(names)) return VG_NO_MEMORY;
    char *kept = vg_pool_strdup(names->pool, name);
    if (!kept) return VG_NO_MEMORY;
    i = names->count++;
    names->name[i] = kept;
    names->hash[i] = hash_of(name, strlen(name));
    put(names, i);
    if (index) *index = i;
    return VG_OK;
}

int vg_names_count(const vgNames *names)
{
    return names->count;
}

const char *vg_names_at(const vgNames *names, int index)
{
    return index >= 0 && index < names->count ? names->name[index] : NULL;
}

const char *const *vg_names_list(const vgNames *names)
{
    return names->name;
}

int vg_name_matches(const char *pattern, const char *text)
{
    const char *star = NULL, *again = NULL;
    while (*text) {
        if (*pattern == '*')
            star = pattern++, again = text;
        else if (*pattern == *text)
            pattern++, text++;
        else if (star)
            pattern = star + 1, text = ++again;
        else
            return 0;
    }
    while (*pattern == '*') pattern++;
    return *pattern == 0;
}
