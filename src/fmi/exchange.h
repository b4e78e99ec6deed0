/* Model exchange: the environment integrates the states x = (q, v) of the model in coordinates that are a vector space,
 *     ẋ = (q̇, v̇),   v̇ from M v̇ + Bᵀλ = f, B v̇ = −γ   (index 1)
 * Where joints close loops, states drift off the constraints; after a step that left them too far the environment is
 * asked for event mode, in which they are projected back. */
#ifndef VG_FMI_EXCHANGE_H
#define VG_FMI_EXCHANGE_H

#include "fmi/instance.h"

/* The simulation is where the environment has put it, and f->x, f->rate are current. */
vgFmuStatus vg_fmu_evaluate(vgFmu *fmu);
/* x, rate and t are those of the simulation. */
vgFmuStatus vg_fmu_fetch(vgFmu *fmu);
vgFmuStatus vg_fmu_set_time(vgFmu *fmu, double t);
vgFmuStatus vg_fmu_set_states(vgFmu *fmu, const double *x, size_t n);
vgFmuStatus vg_fmu_get_states(vgFmu *fmu, double *x, size_t n);
vgFmuStatus vg_fmu_get_rates(vgFmu *fmu, double *rate, size_t n);
vgFmuStatus vg_fmu_get_nominals(vgFmu *fmu, double *nominal, size_t n);
/* After a step that the environment has accepted; *event: event mode is wanted. */
vgFmuStatus vg_fmu_completed(vgFmu *fmu, int *event);

typedef struct vgFmuEvent {
    int values_changed; /* of the states */
    double next;        /* time of the next event; INFINITY: none is known */
} vgFmuEvent;
vgFmuStatus vg_fmu_discrete(vgFmu *fmu, vgFmuEvent *out);

#endif
