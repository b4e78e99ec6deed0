#include "integrator/own.h"

#include <stdlib.h>

void vg_own_free(void *own)
{
    vg_arena_free(own); /* the first member */
    free(own);
}

vgStatus vg_own_new(vgIntegrator *it, size_t size, vgOwnPlace *place)
{
    vgArena measure = {0}, *arena = calloc(1, size);
    if (!arena) return VG_NO_MEMORY;
    it->own = arena;
    it->free_own = vg_own_free;
    place(it->own, it, &measure);
    vgStatus st = vg_arena_alloc(arena, measure.used);
    if (st == VG_OK) place(it->own, it, arena);
    return st;
}
