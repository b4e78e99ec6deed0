/* Verge's C API: read a model, simulate it, read channels, set states, save and restore.
 *
 *     vgDiag *diag = vg_diag_new();
 *     vgModel *model = vg_load("pendulum.yaml", NULL, diag);
 *     vgSim *sim = NULL;
 *     if (model && vg_sim_new(model, NULL, diag, &sim) == VG_OK) {
 *         vg_sim_advance(sim, 1.0);
 *         double angle;
 *         vg_sim_get(sim, "joint.O.angle", &angle);
 *     }
 *     for (int i = 0; i < vg_diag_count(diag); i++) puts(vg_diag_line(diag, i));
 *     vg_sim_free(sim), vg_model_free(model), vg_diag_free(diag);
 *
 * The library never prints and never ends the program. Functions that can fail return a status or NULL; the
 * reason is in the diagnostics or in vg_sim_error. A NULL argument where an object is needed is an error
 * (VG_BAD_INPUT, NULL, 0 or NAN is returned), not a crash; every free function takes NULL. A model may be
 * shared by threads; a simulation is used by one thread at a time. Units are SI and radians; numbers in texts
 * have a decimal point in every locale.
 *
 * Every function below is described in one form: what it does, its parameters, what it returns, an example.
 * The examples share the variables of the example above. */
#ifndef VERGE_VERGE_H
#define VERGE_VERGE_H

#include <stddef.h>

#include "verge/callback.h"
#include "verge/run.h"
#include "verge/source.h"
#include "verge/state.h"
#include "verge/status.h"
#include "verge/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- diagnostics: errors, warnings and notes ---- */

typedef struct vgDiag vgDiag;

/* Makes an empty list of diagnostics.
 *
 * Returns: the list, NULL if memory is out. Every function that takes a list also takes NULL.
 * Example:
 *     vgDiag *mine = vg_diag_new(); */
vgDiag *vg_diag_new(void);

/* Frees a list of diagnostics.
 *
 * Parameters:
 *   diag  the list, or NULL
 * Returns: nothing
 * Example:
 *     vg_diag_free(diag); */
void vg_diag_free(vgDiag *diag);

/* Removes all lines. Without it they collect over several calls.
 *
 * Parameters:
 *   diag  the list
 * Returns: nothing
 * Example:
 *     vg_diag_clear(diag); */
void vg_diag_clear(vgDiag *diag);

/* Counts errors, including those beyond the lines that are kept.
 *
 * Parameters:
 *   diag  the list
 * Returns: the number of errors
 * Example:
 *     if (vg_diag_errors(diag) > 0) return; */
int vg_diag_errors(const vgDiag *diag);

/* Counts warnings, including those beyond the lines that are kept.
 *
 * Parameters:
 *   diag  the list
 * Returns: the number of warnings
 * Example:
 *     int doubtful = vg_diag_warnings(diag); */
int vg_diag_warnings(const vgDiag *diag);

/* Counts the lines that are kept: errors, warnings and notes.
 *
 * Parameters:
 *   diag  the list
 * Returns: the number of lines
 * Example:
 *     for (int i = 0; i < vg_diag_count(diag); i++) puts(vg_diag_line(diag, i)); */
int vg_diag_count(const vgDiag *diag);

/* One line, "file:line:column: error: text", in the order of reporting.
 *
 * Parameters:
 *   diag  the list
 *   i     index from 0
 * Returns: the line, owned by the list; NULL if i is out of range
 * Example:
 *     const char *first = vg_diag_line(diag, 0); */
const char *vg_diag_line(const vgDiag *diag, int i);

/* ---- models ---- */

typedef struct vgModel vgModel;

/* Reads a model file and checks it.
 *
 * Parameters:
 *   path      the YAML file
 *   settings  parameters of the model as "NAME=EXPRESSION" texts, NULL-terminated; or NULL
 *   diag      receives errors and warnings; or NULL
 * Returns: the model, to be freed with vg_model_free; NULL if it is wrong
 * Example:
 *     const char *set[] = {"L=0.6", "mass=2*L", NULL};
 *     vgModel *longer = vg_load("swing.yaml", set, diag); */
vgModel *vg_load(const char *path, const char *const *settings, vgDiag *diag);

/* Reads a model from memory.
 *
 * Parameters:
 *   text      the model as YAML; need not end with a zero
 *   size      number of bytes
 *   name      stands for the file name in diagnostics
 *   settings  as for vg_load
 *   diag      as for vg_load
 * Returns: as vg_load
 * Example:
 *     const char text[] = "verge: 1\nbodies: {ball: {mass: 1}}\n";
 *     vgModel *small = vg_parse(text, sizeof text - 1, "ball", NULL, diag); */
vgModel *vg_parse(const char *text, size_t size, const char *name, const char *const *settings, vgDiag *diag);

/* Frees a model. Its simulations must be freed before.
 *
 * Parameters:
 *   model  the model, or NULL
 * Returns: nothing
 * Example:
 *     vg_model_free(model); */
void vg_model_free(vgModel *model);

/* Sets the function of a force element of kind `callback`. Call it before the first simulation of the model.
 *
 * Parameters:
 *   model     the model
 *   force     name of the force element
 *   function  computes its wrench, see verge/callback.h
 *   user      passed to every call of function
 * Returns: VG_OK; VG_BAD_INPUT if there is no such element
 * Example:
 *     vg_model_set_callback(model, "thruster", thruster, NULL); */
vgStatus vg_model_set_callback(vgModel *model, const char *force, vgForceCallback function, void *user);

/* Turns the fast paths off or on (`verge list fast-paths`): without them simulations of the model use the general code
 * alone, as with `plain: true` under `run:`. That is slower and gives the same results to rounding. Call it before the
 * first simulation of the model.
 *
 * Parameters:
 *   model  the model
 *   plain  1: no fast paths; 0: fast paths are allowed
 * Returns: nothing
 * Example:
 *     vg_model_set_plain(model, 1); */
void vg_model_set_plain(vgModel *model, int plain);

/* ---- simulations ---- */

typedef struct vgSim vgSim;

/* Coordinates, constraints, integrator and step. Zero or NULL: as the model's `run:` says, else the default. */
typedef struct vgSimOptions {
    const char *coordinates, *constraints;
    const char *integrator; /* "name" or "name:key=value,…" */
    double step;            /* of vg_sim_advance, s; adaptive methods: the first one. Negative is refused */
} vgSimOptions;

/* Makes a simulation and assembles the model at t = 0.
 *
 * Parameters:
 *   model    must outlive the simulation
 *   options  the settings; NULL: those of the model
 *   diag     receives errors and warnings; or NULL
 *   out      receives the simulation, NULL on failure; free it with vg_sim_free
 * Returns: VG_OK; otherwise diag has the reason: a model that cannot be assembled, settings that do not go together
 * Example:
 *     vgSimOptions options = {.coordinates = "relative", .integrator = "dopri5:rtol=1e-8"};
 *     if (vg_sim_new(model, &options, diag, &sim) != VG_OK) return; */
vgStatus vg_sim_new(const vgModel *model, const vgSimOptions *options, vgDiag *diag, vgSim **out);

/* Frees a simulation.
 *
 * Parameters:
 *   sim  the simulation, or NULL
 * Returns: nothing
 * Example:
 *     vg_sim_free(sim); */
void vg_sim_free(vgSim *sim);

/* The time of the present state.
 *
 * Parameters:
 *   sim  the simulation
 * Returns: the time in s; NAN if sim is NULL
 * Example:
 *     while (vg_sim_time(sim) < 1) vg_sim_step(sim, 1e-3); */
double vg_sim_time(const vgSim *sim);

/* Takes exactly one step, without allocation. Controllers of the model that are due act before it; none may be
 * due within it. The motion is watched as in `verge run` (docs/trust.md): what is beyond doubt wrong is a failure.
 *
 * Parameters:
 *   sim  the simulation
 *   h    size of the step, s
 * Returns: VG_OK; on failure the reason is in vg_sim_error, and the state is unchanged if the step was not taken
 * Example:
 *     if (vg_sim_step(sim, 1e-3) != VG_OK) puts(vg_sim_error(sim)); */
vgStatus vg_sim_step(vgSim *sim, double h);

/* Steps until t. Failed steps are halved. Steps end at corners of time laws, at samples of controllers, and at
 * events of the motion where the model has `events: locate`. Integrators with error control choose their steps.
 * A controller that is due at t acts at the beginning of the next call, with the inputs set meanwhile. The motion is
 * watched as in `verge run` (docs/trust.md): what is beyond doubt wrong ends the call.
 *
 * Parameters:
 *   sim  the simulation
 *   t    end time, s; not before the present time
 * Returns: VG_OK; on failure the reason is in vg_sim_error and the state is that of the time reached
 * Example:
 *     if (vg_sim_advance(sim, 2.5) != VG_OK) puts(vg_sim_error(sim)); */
vgStatus vg_sim_advance(vgSim *sim, double t);

/* The reason why the last call failed.
 *
 * Parameters:
 *   sim  the simulation
 * Returns: the text, owned by sim; "" if the last call did not fail
 * Example:
 *     puts(vg_sim_error(sim)); */
const char *vg_sim_error(const vgSim *sim);

/* ---- channels ---- */

/* Reads one channel at the present state. Sums over steps (energy.dissipated, energy.drives) begin with the
 * first call that names them, and again with vg_sim_watch and vg_sim_restore. Changes by vg_sim_set and
 * vg_sim_equilibrium are not part of them.
 *
 * Parameters:
 *   sim      the simulation
 *   channel  for example "joint.O.angle", "body.rod.position.x", "energy.total"
 *   value    receives the value
 * Returns: VG_OK; VG_BAD_INPUT if there is no such channel; VG_NOT_FINITE if its value is beyond what a double can hold
 * Example:
 *     double energy;
 *     vg_sim_get(sim, "energy.total", &energy); */
vgStatus vg_sim_get(vgSim *sim, const char *channel, double *value);

/* Chooses the channels of vg_sim_read. Replaces an earlier choice.
 *
 * Parameters:
 *   sim       the simulation
 *   channels  names; a * stands for any characters
 *   n         number of names
 *   count     receives the number of channels found; or NULL
 * Returns: VG_OK; VG_BAD_INPUT if a name matches no channel
 * Example:
 *     const char *names[] = {"joint.*.angle", "energy.total"};
 *     int count;
 *     vg_sim_watch(sim, names, 2, &count); */
vgStatus vg_sim_watch(vgSim *sim, const char *const *channels, int n, int *count);

/* Name of a watched channel.
 *
 * Parameters:
 *   sim  the simulation
 *   i    index from 0
 * Returns: the name, owned by sim; NULL if i is out of range
 * Example:
 *     for (int i = 0; vg_sim_watched(sim, i); i++) puts(vg_sim_watched(sim, i)); */
const char *vg_sim_watched(const vgSim *sim, int i);

/* Reads all watched channels, without allocation.
 *
 * Parameters:
 *   sim     the simulation
 *   values  [count] receives the values in the order of vg_sim_watched
 * Returns: VG_OK, or a failure as of vg_sim_get
 * Example:
 *     double values[16];
 *     vg_sim_read(sim, values); */
vgStatus vg_sim_read(vgSim *sim, double *values);

/* Sets a part of the state: body.NAME.position.x|y|z, velocity.x|y|z, omega.x|y|z, rotation.x|y|z (planar: angle,
 * omega), or an input of the model, input.NAME. Several calls may follow one another. The next step, read or
 * vg_sim_settle projects the whole state onto the constraints with the least change. Angles that count turns
 * continue by the shorter arc.
 *
 * Parameters:
 *   sim      the simulation
 *   channel  what to set
 *   value    its new value
 * Returns: VG_OK; VG_BAD_INPUT if it cannot be set
 * Example:
 *     vg_sim_set(sim, "body.rod.omega.z", 2.0); */
vgStatus vg_sim_set(vgSim *sim, const char *channel, double value);

/* Projects the state onto the constraints now, after calls of vg_sim_set.
 *
 * Parameters:
 *   sim  the simulation
 * Returns: VG_OK; on failure the state is that before the calls of vg_sim_set
 * Example:
 *     if (vg_sim_settle(sim) != VG_OK) puts(vg_sim_error(sim)); */
vgStatus vg_sim_settle(vgSim *sim);

/* ---- certificates: how many digits hold ---- */

/* What a certificate says of a channel. */
typedef struct vgTrustChannel {
    const char *name, *unit;
    int judged;    /* 0: not determined by the model, or specific to a setting; the numbers below are NaN */
    double size;   /* what the error is relative to */
    double error;  /* the largest over the run, as claimed */
    double digits; /* −log10(error / size), 0 to 10 */
    double until;  /* up to when two digits hold, s */
} vgTrustChannel;

/* A certificate (docs/trust.md). */
typedef struct vgTrust {
    int trusted;   /* 1: to `digits`; 2: to two digits until `until`; 0: not; −1: could not be verified */
    double digits; /* the least of the judged channels */
    double until;  /* s */
    const char *line; /* the verdict in words, as `verge run --verify` prints it last */
    const char *json; /* all of it, as under the key `verify` of `verge run --verify --json` */
    int n;
    const vgTrustChannel *channel; /* [n] */
} vgTrust;

/* Runs the model from 0 to `end`, again with finer steps and in an independent setting, and reports how many digits of
 * the channels hold.
 *
 * Parameters:
 *   model     the model
 *   options   dials and step of the run; or NULL
 *   end       s; 0: what the model's run part says
 *   channels  names; a * stands for any characters
 *   n         number of names; 0: what the model records
 *   budget    work, in multiples of that of the run; 0: 40, and in any case some seconds' worth
 *   diag      receives the reasons of a failure; or NULL
 *   out       receives the certificate; free it with vg_trust_free
 * Returns: VG_OK whenever there is a verdict, whatever it says; VG_BAD_INPUT if the dials, times or names are wrong
 * Example:
 *     vgTrust *trust;
 *     if (vg_certify(model, NULL, 0, NULL, 0, 0, diag, &trust) == VG_OK) puts(trust->line);
 *     vg_trust_free(trust); */
vgStatus vg_certify(const vgModel *model, const vgSimOptions *options, double end,
                    const char *const *channels, int n, double budget, vgDiag *diag, vgTrust **out);

/* Frees a certificate.
 *
 * Parameters:
 *   trust  the certificate; or NULL
 * Returns: nothing
 * Example:
 *     vgTrust *trust = NULL;
 *     vg_certify(model, NULL, 0, NULL, 0, 0, diag, &trust);
 *     vg_trust_free(trust); */
void vg_trust_free(vgTrust *trust);

/* ---- static equilibrium, modes and linear models ---- */

/* Moves the simulation to the static equilibrium near its present position, under the loads and drives of its time.
 *
 * Parameters:
 *   sim    the simulation
 *   relax  0: Newton's method; 1: by damped motion, slower, which ends in a stable equilibrium
 * Returns: VG_OK; on failure the reason is in vg_sim_error and the state is unchanged
 * Example:
 *     if (vg_sim_equilibrium(sim, 0) != VG_OK) vg_sim_equilibrium(sim, 1); */
vgStatus vg_sim_equilibrium(vgSim *sim, int relax);

/* Small motions about the present state, as `verge modes` computes them. */
typedef struct vgSimModes {
    int n, ncoordinate;    /* modes (a complex pair is one), by increasing frequency; entries of a shape */
    const double *re, *im; /* [n] eigenvalues, 1/s; im is not negative */
    const double *frequency, *damping; /* [n] im/2π, Hz; damping ratio */
    const char *const *coordinate;     /* [ncoordinate] "BODY.x", "BODY.turn.z": along and about world axes */
    const double *shape_re, *shape_im; /* [n × ncoordinate] mode by mode, largest entry 1 */
} vgSimModes;

/* Computes eigenvalues and mode shapes about the present state.
 *
 * Parameters:
 *   sim  the simulation
 *   out  receives the modes; free them with vg_sim_modes_free, before or after the simulation
 * Returns: VG_OK, or why not
 * Example:
 *     vgSimModes *modes;
 *     if (vg_sim_modes(sim, &modes) == VG_OK && modes->n > 0) printf("%g Hz\n", modes->frequency[0]); */
vgStatus vg_sim_modes(vgSim *sim, vgSimModes **out);

/* Frees modes.
 *
 * Parameters:
 *   modes  the modes, or NULL
 * Returns: nothing
 * Example:
 *     vg_sim_modes_free(NULL); */
void vg_sim_modes_free(vgSimModes *modes);

/* The linear model about the present state, as `verge linearize` computes it, matrices row by row:
 *     ẋ = rate + A (x − x0) + B (u − u0)
 *     y = y0   + C (x − x0) + D (u − u0) */
typedef struct vgSimLinear {
    int nx, nu, ny;
    int nposition;               /* the first nposition states are positions, the others rates */
    const double *A, *B, *C, *D; /* nx × nx, nx × nu, ny × nx, ny × nu */
    const double *x0, *rate;     /* [nx] */
    const double *u0, *y0;       /* [nu], [ny] */
    const char *const *state;    /* [nx] names: channels where they exist, else "body.NAME.turn.x" … */
    const char *const *input;    /* [nu] "input.NAME", "controller.NAME" */
    const char *const *output;   /* [ny] */
} vgSimLinear;

/* Computes the linear model about the present state.
 *
 * Parameters:
 *   sim      the simulation
 *   inputs   NAME of input.NAME or controller.NAME, NULL-terminated; NULL: all inputs, or all controllers
 *            if there are no inputs
 *   outputs  channels, patterns allowed, NULL-terminated; NULL: the states
 *   out      receives the linear model; free it with vg_sim_linear_free
 * Returns: VG_OK; VG_BAD_INPUT for an unknown name
 * Example:
 *     const char *force[] = {"force", NULL};
 *     vgSimLinear *linear;
 *     if (vg_sim_linearize(sim, force, NULL, &linear) == VG_OK) printf("%d states\n", linear->nx); */
vgStatus vg_sim_linearize(vgSim *sim, const char *const *inputs, const char *const *outputs,
                          vgSimLinear **out);

/* Frees a linear model.
 *
 * Parameters:
 *   linear  the linear model, or NULL
 * Returns: nothing
 * Example:
 *     vg_sim_linear_free(NULL); */
void vg_sim_linear_free(vgSimLinear *linear);

/* ---- real time ---- */

/* Prepares steps of one size and one cost. Choose the channels with vg_sim_watch before. vg_sim_step and
 * vg_sim_advance keep their own iteration.
 *
 * Parameters:
 *   sim         the simulation
 *   step        size of the steps, s
 *   iterations  of Newton's method in every step; 0: the integrator's option `fixed`, else 2
 * Returns: VG_OK; fails for integrators that choose their step
 * Example:
 *     vg_realtime_start(sim, 1e-3, 2); */
vgStatus vg_realtime_start(vgSim *sim, double step, int iterations);

/* Counts the inputs: numbers that laws of the model call input.NAME. They are 0 until they are set.
 *
 * Parameters:
 *   sim  the simulation
 * Returns: the number of inputs
 * Example:
 *     int inputs = vg_realtime_inputs(sim); */
int vg_realtime_inputs(const vgSim *sim);

/* Name of an input.
 *
 * Parameters:
 *   sim  the simulation
 *   i    index from 0
 * Returns: NAME of input.NAME, owned by sim; NULL if i is out of range
 * Example:
 *     for (int i = 0; vg_realtime_input(sim, i); i++) puts(vg_realtime_input(sim, i)); */
const char *vg_realtime_input(const vgSim *sim, int i);

/* Takes exactly one step, without allocation, retry or system call. The caller decides when.
 *
 * Parameters:
 *   sim      the simulation
 *   inputs   all inputs in order, for this step and later ones; NULL: unchanged
 *   outputs  receives the watched channels after the step; or NULL
 * Returns: VG_OK; on failure the reason is in vg_sim_error and the state is unchanged
 * Example:
 *     double in[1] = {0.5}, out[2];
 *     vg_realtime_step(sim, in, out); */
vgStatus vg_realtime_step(vgSim *sim, const double *inputs, double *outputs);

/* ---- checkpoints ---- */

/* Size of a checkpoint: all that is needed to continue later with the same bits, on the same machine with the same
 * model and settings.
 *
 * Parameters:
 *   sim  the simulation
 * Returns: the size in bytes
 * Example:
 *     size_t size = vg_sim_checkpoint_size(sim); */
size_t vg_sim_checkpoint_size(const vgSim *sim);

/* Writes a checkpoint.
 *
 * Parameters:
 *   sim    the simulation
 *   bytes  the buffer
 *   size   its size, at least vg_sim_checkpoint_size
 * Returns: VG_OK; VG_BAD_INPUT if the buffer is too small
 * Example:
 *     char bytes[100000];
 *     vg_sim_save(sim, bytes, sizeof bytes); */
vgStatus vg_sim_save(vgSim *sim, void *bytes, size_t size);

/* Returns to a checkpoint.
 *
 * Parameters:
 *   sim    the simulation
 *   bytes  the checkpoint
 *   size   what vg_sim_checkpoint_size returned when it was saved
 * Returns: VG_OK; VG_BAD_INPUT if the checkpoint is damaged, of another model (bodies, joints, forces, parameters) or of
 *   other dials: vg_sim_error names what differs, and the state is unchanged
 * Example:
 *     char kept[100000];
 *     vg_sim_restore(sim, kept, vg_sim_checkpoint_size(sim)); */
vgStatus vg_sim_restore(vgSim *sim, const void *bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif
