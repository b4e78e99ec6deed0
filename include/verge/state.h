/* The state of a simulation as an array of numbers; inputs and channels by index.
 *
 * The state is q, then v: the coordinates and their rates in the simulation's coordinates (first dial). In coordinates
 * `relative` of a tree of joints these are the joints' own. Time, turns that angles have counted, and what controllers
 * keep are not part of it; a checkpoint (vg_sim_save) has everything.
 *
 * Part of verge/verge.h, which says what holds for all functions. */
#ifndef VERGE_STATE_H
#define VERGE_STATE_H

#include "verge/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vgSim vgSim;

/* ---- the state as an array ---- */

/* Size of the state.
 *
 * Parameters:
 *   sim        the simulation
 *   positions  receives how many of the numbers are coordinates; the others are rates. Or NULL
 * Returns: how many numbers the state has; 0 if sim is NULL
 * Example:
 *     int nq, n = vg_sim_state_size(sim, &nq); */
int vg_sim_state_size(const vgSim *sim, int *positions);

/* Reads the state. What was set by vg_sim_set is projected before.
 *
 * Parameters:
 *   sim  the simulation
 *   x    [vg_sim_state_size] receives the state
 * Returns: VG_OK, or a failure as of vg_sim_settle
 * Example:
 *     double x[100];
 *     if (vg_sim_state_size(sim, NULL) <= 100) vg_sim_state_get(sim, x); */
vgStatus vg_sim_state_get(vgSim *sim, double *x);

/* Sets time and state, and computes the accelerations and reactions that go with them. Controllers act next when they
 * would have acted; angles that count turns continue by the shorter arc.
 *
 * Parameters:
 *   sim      the simulation
 *   t        time, s; NAN: as it is
 *   x        [vg_sim_state_size] the state
 *   project  1: projects x onto the constraints with the least change; 0: refuses an x that violates them by more than
 *            1e-8, positions in units of the model's length, rates in units of the largest speed
 * Returns: VG_OK; VG_INCONSISTENT if x violates the constraints: vg_sim_error names the joint, and the state is unchanged
 * Example:
 *     double x[100];
 *     if (vg_sim_state_size(sim, NULL) > 100 || vg_sim_state_get(sim, x) != VG_OK) return;
 *     x[0] += 0.1;
 *     if (vg_sim_state_set(sim, 0, x, 0) != VG_OK) puts(vg_sim_error(sim)); */
vgStatus vg_sim_state_set(vgSim *sim, double t, const double *x, int project);

/* The rate of the state: what an integrator of ordinary differential equations asks for.
 *
 * Parameters:
 *   sim   the simulation
 *   rate  [vg_sim_state_size] receives dq/dt, then dv/dt
 * Returns: VG_OK; VG_UNSUPPORTED if the coordinates describe rotations by more numbers than they have freedoms, as `lie`
 *   does: take `relative`, `planar` or `euler-angles`
 * Example:
 *     double rate[100];
 *     if (vg_sim_state_size(sim, NULL) <= 100) vg_sim_state_rate(sim, rate); */
vgStatus vg_sim_state_rate(vgSim *sim, double *rate);

/* What a number of the state means.
 *
 * Parameters:
 *   sim  the simulation
 *   i    index from 0
 * Returns: a channel ("joint.O.angle", "joint.O.rate") where the number is one, else the body with an index
 *   ("body.rod.q.3"); owned by sim; NULL if i is out of range
 * Example:
 *     for (int i = 0; vg_sim_state_name(sim, i); i++) puts(vg_sim_state_name(sim, i)); */
const char *vg_sim_state_name(vgSim *sim, int i);

/* Called by vg_sim_advance after each step.
 *
 * Parameters:
 *   user  as passed to vg_sim_set_progress
 *   t     the time reached, s
 * Returns: 1 to end the call, 0 to go on
 * Example:
 *     vgSimProgress none = NULL; */
typedef int (*vgSimProgress)(void *user, double t);

/* Sets a function that vg_sim_advance calls after each step, so that a caller can show how far it is, or end it.
 *
 * Parameters:
 *   sim       the simulation
 *   progress  returns 1 to end the call with VG_INTERRUPTED; or NULL
 *   user      passed to every call
 * Returns: nothing
 * Example:
 *     vg_sim_set_progress(sim, NULL, NULL); */
void vg_sim_set_progress(vgSim *sim, vgSimProgress progress, void *user);

/* ---- derivatives of the dynamics ---- */

/* Where vg_sim_partials writes: arrays of the caller, row-major, n being the number of rates. NULL: not wanted.
 *
 * Forward dynamics a(q, v, u, f), f being forces or torques added along the coordinates; inverse dynamics
 * τ(q, v, a) = M a − f(t, q, v). Derivatives by coordinates are along single rates: where a rotation is described by more
 * numbers than it has freedoms, by a small turn about the body's own axes. */
typedef struct vgSimPartials {
    double *a_q, *a_v; /* [n × n] ∂a/∂q, ∂a/∂v */
    double *a_u;       /* [n × inputs] ∂a/∂u, inputs in the order of vg_realtime_input */
    double *a_f;       /* [n × n] ∂a/∂f; without closed loops the inverse of the mass matrix */
    double *tau_q, *tau_v, *mass; /* [n × n] ∂τ/∂q, ∂τ/∂v, ∂τ/∂a */
} vgSimPartials;

/* Computes derivatives of the dynamics at the present state. Those of trees in `relative` coordinates are exact and take
 * some ten evaluations of the dynamics. With joints that close loops, a are the accelerations that keep them closed, and
 * changes of q and v must keep them closed too; the part of the closing joints is computed by differences, to ten digits or
 * so.
 *
 * Parameters:
 *   sim  the simulation
 *   out  where to write what
 * Returns: VG_OK; VG_UNSUPPORTED for constraint settings without multipliers (`independent`, `augmented3`, …), forces that
 *   depend on reactions, and groups of contacts; VG_SINGULAR if there is freedom without mass
 * Example:
 *     int nq, n = vg_sim_state_size(sim, &nq) - nq;
 *     double a_q[100], a_v[100];
 *     vgSimPartials want = {.a_q = a_q, .a_v = a_v};
 *     if (n <= 10 && vg_sim_partials(sim, &want) == VG_OK) printf("%g\n", a_q[0]); */
vgStatus vg_sim_partials(vgSim *sim, const vgSimPartials *out);

/* ---- inputs by index ---- */

/* Sets inputs, in the order of vg_realtime_input, for the next step and later ones.
 *
 * Parameters:
 *   sim     the simulation
 *   first   index of the first input to set
 *   n       their number
 *   values  [n] finite numbers
 * Returns: VG_OK; VG_BAD_INPUT if there are no such inputs or a value is not finite: none is set then
 * Example:
 *     double force = 2.5;
 *     vg_sim_set_inputs(sim, 0, 1, &force); */
vgStatus vg_sim_set_inputs(vgSim *sim, int first, int n, const double *values);

/* Reads an input.
 *
 * Parameters:
 *   sim  the simulation
 *   i    index from 0
 * Returns: its present value; NAN if there is no such input
 * Example:
 *     double force = vg_sim_input(sim, 0); */
double vg_sim_input(const vgSim *sim, int i);

/* ---- channels by index ---- */

/* Looks a channel up once, so that vg_sim_value reads it without its name.
 *
 * Parameters:
 *   sim      the simulation
 *   channel  its name
 *   index    receives its index, which is valid as long as sim
 * Returns: VG_OK; VG_BAD_INPUT if there is no such channel
 * Example:
 *     int angle;
 *     if (vg_sim_channel(sim, "joint.O.angle", &angle) != VG_OK) puts(vg_sim_error(sim)); */
vgStatus vg_sim_channel(vgSim *sim, const char *channel, int *index);

/* Reads a channel by its index. Several that are read together cost less by vg_sim_watch and vg_sim_read.
 *
 * Parameters:
 *   sim    the simulation
 *   index  from vg_sim_channel
 *   value  receives the value
 * Returns: VG_OK, or a failure as of vg_sim_get
 * Example:
 *     int angle;
 *     double value;
 *     if (vg_sim_channel(sim, "joint.O.angle", &angle) == VG_OK) vg_sim_value(sim, angle, &value); */
vgStatus vg_sim_value(vgSim *sim, int index, double *value);

/* Unit of a channel.
 *
 * Parameters:
 *   sim    the simulation
 *   index  from vg_sim_channel
 * Returns: the unit, "" where there is none; owned by sim; NULL if there is no such index
 * Example:
 *     puts(vg_sim_channel_unit(sim, 0)); */
const char *vg_sim_channel_unit(const vgSim *sim, int index);

#ifdef __cplusplus
}
#endif

#endif
