/* Bodies of one model in rotation coordinates of their own, whatever the dial says ([H] Algorithm 1). */
#ifndef VERGE_TESTS_SUITE_MIXED_H
#define VERGE_TESTS_SUITE_MIXED_H

#include <stdint.h>

#include "model/model.h"

enum { MIXED_TURNS = 5 };

/* Bodies take turns, the first with number `first`. 0: the model is planar. */
static inline int mix_bodies(vgModel *m, int first)
{
    static const char *const turn[MIXED_TURNS] = {"euler-parameters", "lie", "euler-angles", "se3", "cayley"};
    vgBody *body = (vgBody *)(uintptr_t)m->body;     /* the model is the test's own */
    for (int i = 1; i < m->nbody && !m->planar; i++) /* 0 is the ground */
        body[i].coordinates = turn[(first + i - 1) % MIXED_TURNS];
    return !m->planar;
}

#endif
