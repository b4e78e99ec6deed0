/* Energies of a state, and the work done on it and by it.
 *
 *     E = T + V,   T = Σ ½ m v² + ½ ωᵀ J ω (+ inertia of elements),   V = −Σ m g·p + Σ V_element
 *     E(t) = E(0) + drives − dissipated
 *
 * drives: work of joints driven in time. dissipated: what the force elements took out beyond their potential,
 * −∫ Σ(f·ξ + Q·rate) dt − ΔV − ΔT of the elements; a motor makes it negative. */
#ifndef VG_ANALYSIS_ENERGY_H
#define VG_ANALYSIS_ENERGY_H

#include "analysis/state/probe.h"

double vg_energy_kinetic(vgProbe *probe);
double vg_energy_gravity(vgProbe *probe);
double vg_energy_element(vgProbe *probe, int force); /* potential of one force element, 0 without one */
double vg_energy_potential(vgProbe *probe);          /* gravity and all elements */
double vg_energy_total(vgProbe *probe);
double vg_energy_drive_power(vgProbe *probe); /* of all driven joints */

/* Momentum in W: force-free motion keeps both. angular: about the origin of W. */
void vg_energy_momentum(vgProbe *probe, vgVec3 *linear, vgVec3 *angular);
/* Total mass, centre of mass and its velocity and acceleration; out may be NULL. */
double vg_energy_com(vgProbe *probe, vgVec3 *p, vgVec3 *v, vgVec3 *dv);

/* ∫ P dt over an interval h at whose end the power is P, by the parabola through it and the last two powers (newest
 * first), which are `before` apart; by a trapezoid where that is 0 or too short for a parabola. unsure: a bound of its
 * error; the curvature of a power that varies faster than it is sampled counts in full. */
double vg_energy_area(double h, double P, double before, const double last[2], double *unsure);

/* Work summed over the steps of a run. */
/* A joint coordinate, its rate and second derivative at a time. */
typedef struct vgEnergyPath {
    double t, x[3];
} vgEnergyPath;

/* Elements whose force along a joint coordinate depends on it and its rate alone: what they take out between two states
 * is an integral along the path of the coordinate, however much happens in a step. */
int vg_energy_has_path(const vgForce *f);
void vg_energy_path_at(vgProbe *probe, int force, vgEnergyPath *out);
/* The work of the part that depends on the rate; *unsure: what it may be wrong by, since the path is interpolated. */
double vg_energy_path_work(const vgForce *f, const vgEnergyPath *a, const vgEnergyPath *b, double *unsure);

typedef struct vgWorkSum {
    int points;         /* states seen, at most 3 are needed */
    double t[2];        /* the last two times, newest first */
    double power[2][2]; /* and powers: [age][force, drive] */
    double force,
        drive; /* ∫ power dt; of springs only the part that depends on velocities, of constant forces by
                            the places alone ([Z] (23): T (β − β₀)) */
    double kinetic;    /* at the last state, where impacts change it at once */
    double constant;   /* Σ force times coordinate of the constant ones, at the last state */
    double stored0;    /* energy stored in the other elements at the first state */
    double dissipated; /* at the last state seen */
    vgEnergyPath *
        path; /* of the elements with one, at the last state: memory of the owner; NULL: summed like the others */
} vgWorkSum;

/* Takes the state the probe looks at; call it once a step, in order of time, and twice where forces jump. A
 * time before the last one is ignored. */
void vg_energy_sum(vgWorkSum *sum, vgProbe *probe);

#endif
