/* A constraint setting over a system with multipliers: what it does not do its own way goes to the system
 * inside. Internal to the room. */
#ifndef VERGE_SYSTEM_SETTING_WRAP_H
#define VERGE_SYSTEM_SETTING_WRAP_H

#include "base/arena.h"
#include "system/system.h"

typedef struct vgWrap {
    vgSystem base; /* first */
    vgSystem *inner;
} vgWrap;

typedef struct vgWrapWork {
    vgWork base; /* first */
    vgWork *inner;
    vgArena arena;
} vgWrapWork;

static inline const vgSystem *vg_inner(const vgSystem *sys)
{
    return ((const vgWrap *)sys)->inner;
}

/* The work inside, with the turns and switches of the state bound to the outer one. */
static inline vgWork *vg_inner_work(vgWork *work)
{
    vgWork *in = ((vgWrapWork *)work)->inner;
    in->turn = work->turn;
    in->active = work->active;
    in->held = work->held;
    in->pushed = work->pushed;
    in->push = work->push;
    in->load = work->load;
    in->unload = work->unload;
    in->rest = work->rest;
    return in;
}

/* Everything handed on. A setting copies this table and puts its own operations in. */
extern const vgSystemOps vg_wrap_ops;

/* out: a system of `size` bytes (vgWrap first) that looks like the inner one and owns it. */
vgStatus vg_wrap_new(vgSystem *inner, size_t size, const vgSystemOps *ops, vgWrap **out);
void vg_wrap_free(vgSystem *sys);
/* A work of `size` bytes (vgWrapWork first) with the inner one; place carves what the setting needs. */
vgStatus vg_wrap_work_new(const vgSystem *sys, size_t size,
                          void (*place)(const vgSystem *, vgWrapWork *, vgArena *), vgWrapWork **out);
void vg_wrap_work_free(vgWork *work);
size_t vg_wrap_memory(const vgWork *work);

/* The motion the model was given. */
void vg_wrap_start(const vgModel *m, vgKin *kin);

/* Forces that read reactions, over a system with any setting that has multipliers (setting/reactive.c). */
vgStatus vg_reactive_over(vgSystem *inner, vgSystem **out);

/* The settings: rows of vg_constraints_list. */
vgStatus vg_augmented_over(vgSystem *inner, vgSystem **out);
vgStatus vg_augmented1_over(vgSystem *inner, vgSystem **out); /* with its options on projections */
vgStatus vg_penalty_over(vgSystem *inner, vgSystem **out);
vgStatus vg_independent_over(vgSystem *inner, vgSystem **out);

#endif
