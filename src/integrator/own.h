/* The workspace of a method: a struct that begins with a vgArena, its arrays in that arena. */
#ifndef VERGE_INTEGRATOR_OWN_H
#define VERGE_INTEGRATOR_OWN_H

#include "base/arena.h"
#include "integrator/integrator.h"

/* Takes the arrays of own; called twice, first to measure. */
typedef void vgOwnPlace(void *own, const vgIntegrator *it, vgArena *arena);

/* it->own: size zeroed bytes and the arrays that place takes, freed with the integrator. */
vgStatus vg_own_new(vgIntegrator *it, size_t size, vgOwnPlace *place);
void vg_own_free(void *own);

#endif
