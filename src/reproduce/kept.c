/* Runs that several experiments need are made once: what a run gave is kept under its command line until the program
 * ends. A run gives the same numbers wherever it is made, so that nothing depends on who made it. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce/reproduce.h"

typedef struct Kept {
    struct Kept *next;
    size_t size;
    char *key;
    char bytes[];
} Kept;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Kept *first;

static const Kept *find(const char *key)
{
    pthread_mutex_lock(&lock);
    const Kept *k = first;
    while (k && strcmp(k->key, key) != 0) k = k->next;
    pthread_mutex_unlock(&lock);
    return k; /* never changed and never freed once it is in the list */
}

void *vg_kept(const char *key)
{
    const Kept *k = find(key);
    void *copy = k ? malloc(k->size) : NULL;
    if (copy) memcpy(copy, k->bytes, k->size);
    return copy;
}

void vg_keep(const char *key, const void *bytes, size_t size)
{
    size_t length = strlen(key) + 1;
    Kept *k = find(key) ? NULL : malloc(sizeof *k + size + length);
    if (!k) return; /* the next who needs it makes the run again */
    k->size = size;
    k->key = k->bytes + size;
    memcpy(k->bytes, bytes, size);
    memcpy(k->key, key, length);
    pthread_mutex_lock(&lock);
    k->next = first;
    first = k;
    pthread_mutex_unlock(&lock);
}
