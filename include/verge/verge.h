/* Verge's C API: read a model, run it, look at it, push it, save it.
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
 * words are in the diagnostics or in vg_sim_error. A NULL where something is needed
 * is answered (VG_BAD_INPUT, NULL, 0, not a number) and not followed; every free takes NULL. A model may be
 * shared by threads, a simulation belongs to one at a time. SI units and radians throughout; numbers in texts
 * have a point in every locale. */
#ifndef VERGE_VERGE_H
#define VERGE_VERGE_H

#include <stddef.h>

#include "verge/callback.h"
#include "verge/status.h"
#include "verge/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- diagnostics: what the library has to say ---- */

typedef struct vgDiag vgDiag;

vgDiag *vg_diag_new(void); /* NULL: out of memory; all functions take a diag that is NULL */
void vg_diag_free(vgDiag *diag);
void vg_diag_clear(vgDiag *diag);       /* forgets all lines; they collect until then */
int vg_diag_errors(const vgDiag *diag); /* how many there were, also beyond those kept as lines */
int vg_diag_warnings(const vgDiag *diag);
int vg_diag_count(const vgDiag *diag); /* lines: errors, warnings and notes in the order they came */
const char *vg_diag_line(const vgDiag *diag, int i); /* "file:line:col: error: text", NULL beyond the last */

/* ---- models ---- */

typedef struct vgModel vgModel;

/* settings: parameters of the model as "NAME=EXPRESSION" texts, NULL-terminated, or NULL. diag may be NULL.
 * NULL: the model is wrong, diag says where and why. */
vgModel *vg_load(const char *path, const char *const *settings, vgDiag *diag);
/* The same from size bytes of text; name stands for the file in messages. */
vgModel *vg_parse(const char *text, size_t size, const char *name, const char *const *settings, vgDiag *diag);
void vg_model_free(vgModel *model);
/* Gives the force element `force` of kind `callback` its function, which gets `user` with every call. Before
 * the first simulation of the model. VG_BAD_INPUT: there is no such element. */
vgStatus vg_model_set_callback(vgModel *model, const char *force, vgForceCallback function, void *user);

/* ---- simulations ---- */

typedef struct vgSim vgSim;

/* The three dials and the step. Zeros and NULLs: what the model's run part says, else the defaults. */
typedef struct vgSimOptions {
    const char *coordinates, *constraints;
    const char *integrator; /* "name" or "name:key=value,…" */
    double step;            /* of vg_sim_advance, s; adaptive methods: the first one. Negative is refused */
} vgSimOptions;

/* Assembles the model at t = 0. The model must outlive the simulation. options may be NULL. */
vgStatus vg_sim_new(const vgModel *model, const vgSimOptions *options, vgDiag *diag, vgSim **out);
void vg_sim_free(vgSim *sim);

double vg_sim_time(const vgSim *sim);
/* Exactly one step of size h, without allocation; controllers of the model that are due act before it, and
 * none may be due within it. On failure the state is as before. */
vgStatus vg_sim_step(vgSim *sim, double h);
/* Steps until t; halves steps that fail, meets the corners of time laws, and those of the motion where the
 * model says events: locate; controls errors where the integrator does. Controllers act at their samples; one
 * that is due at t acts when the simulation goes on, with the inputs set meanwhile. On failure the state is
 * at the time reached. */
vgStatus vg_sim_advance(vgSim *sim, double t);
/* Why the last call failed, "" if it did not. Owned by sim. */
const char *vg_sim_error(const vgSim *sim);

/* ---- channels ---- */

/* One channel at the present state, e.g. "joint.O.angle", "body.rod.position.x", "energy.total". Sums over
 * the steps (energy.dissipated, energy.drives) begin with the first call that names them, and anew with
 * vg_sim_watch and vg_sim_restore; what vg_sim_set and vg_sim_equilibrium change is no part of them. */
vgStatus vg_sim_get(vgSim *sim, const char *channel, double *value);
/* A list of channels (patterns allowed) to read often; *count (may be NULL) is how many there are. */
vgStatus vg_sim_watch(vgSim *sim, const char *const *channels, int n, int *count);
const char *vg_sim_watched(const vgSim *sim, int i); /* name, NULL beyond the last */
vgStatus vg_sim_read(vgSim *sim, double *values);    /* all watched channels, without allocation */

/* Sets body.NAME.position.x|y|z, velocity.x|y|z, omega.x|y|z, rotation.x|y|z; planar: angle, omega. Several
 * may be set; the next step, read or vg_sim_settle makes the whole consistent with the joints again, changing
 * as little as possible. Angles that are counted over turns go on from what they were by the shorter way.
 * Where that cannot be done the call fails and the state is as before. input.NAME sets a number that laws of
 * the model call so. */
vgStatus vg_sim_set(vgSim *sim, const char *channel, double value);
vgStatus vg_sim_settle(vgSim *sim);

/* ---- certificates: how many digits hold ---- */

typedef struct vgTrustChannel {
    const char *name, *unit;
    int judged;    /* 0: not determined by the model, or belongs to a setting; the numbers below are NaN */
    double size;   /* what the error is relative to */
    double error;  /* the largest over the run, as claimed */
    double digits; /* −log10(error / size), 0 to 12 */
    double until;  /* up to when two digits hold, s */
} vgTrustChannel;

typedef struct vgTrust {
    int trusted;   /* 1: to `digits`; 2: to two digits until `until`; 0: not; −1: could not be verified */
    double digits; /* the least of the judged channels */
    double until;  /* s */
    const char *line; /* the verdict in words, as `verge run --verify` prints it last */
    const char *json; /* all of it, as under the key `verify` of `verge run --verify --json` */
    int n;
    const vgTrustChannel *channel; /* [n] */
} vgTrust;

/* Runs the model from 0 to `end` with these dials (options may be NULL), again with finer steps and in an
 * independent setting, and says how many digits of the channels hold (docs/trust.md).
 *   end       s; 0: what the model's run part says
 *   channels  patterns allowed; n 0: what the model records
 *   budget    work, in multiples of that of the run; 0: 40, and in any case some seconds' worth
 * Returns VG_OK whenever there is a verdict. Free *out with vg_trust_free.
 *
 *     vgTrust *trust;
 *     if (vg_certify(model, NULL, 0, NULL, 0, 0, diag, &trust) == VG_OK) puts(trust->line);
 *     vg_trust_free(trust); */
vgStatus vg_certify(const vgModel *model, const vgSimOptions *options, double end,
                    const char *const *channels, int n, double budget, vgDiag *diag, vgTrust **out);
void vg_trust_free(vgTrust *trust);

/* ---- rests, modes and linear models ---- */

/* The simulation comes to rest: static equilibrium under the loads and drives of its time, from where it is.
 * relax 1: by the slow way, which ends in a stable rest. On failure the state is as before. */
vgStatus vg_sim_equilibrium(vgSim *sim, int relax);

/* Small motions about the present state, as `verge modes` has them. */
typedef struct vgSimModes {
    int n, ncoordinate;    /* modes (a complex pair is one), by growing frequency; numbers of a shape */
    const double *re, *im; /* [n] eigenvalues, 1/s; im is not negative */
    const double *frequency, *damping; /* [n] im/2π, Hz; share of critical damping */
    const char *const *coordinate;     /* [ncoordinate] "BODY.x", "BODY.turn.z": along and about world axes */
    const double *shape_re, *shape_im; /* [n × ncoordinate] a mode after the other, largest entry 1 */
} vgSimModes;

vgStatus vg_sim_modes(vgSim *sim, vgSimModes **out); /* free it; the simulation may be gone by then */
void vg_sim_modes_free(vgSimModes *modes);

/* The linear model about the present state, as `verge linearize` has it, matrices row by row:
 *     ẋ = rate + A (x − x0) + B (u − u0),     y = y0 + C (x − x0) + D (u − u0) */
typedef struct vgSimLinear {
    int nx, nu, ny;
    int nposition;               /* of the states the first are positions, the others rates */
    const double *A, *B, *C, *D; /* nx × nx, nx × nu, ny × nx, ny × nu */
    const double *x0, *rate;     /* [nx] */
    const double *u0, *y0;       /* [nu], [ny] */
    const char *const *state;    /* [nx] names: channels where there are such, else "body.NAME.turn.x" … */
    const char *const *input;    /* [nu] "input.NAME", "controller.NAME" */
    const char *const *output;   /* [ny] */
} vgSimLinear;

/* inputs: NAME of input.NAME or controller.NAME, NULL-terminated; NULL: all inputs, else all controllers.
 * outputs: channels, patterns allowed, NULL-terminated; NULL: the states. */
vgStatus vg_sim_linearize(vgSim *sim, const char *const *inputs, const char *const *outputs,
                          vgSimLinear **out);
void vg_sim_linear_free(vgSimLinear *linear);

/* ---- real time ---- */

/* Steps of one size and one cost: `iterations` of Newton's method each, whatever the motion does (0: as the
 * integrator's option `fixed` says, else 2). Integrators that control their step cannot. Watch the channels
 * that are wanted (vg_sim_watch) before. vg_sim_step and vg_sim_advance iterate as they did before. */
vgStatus vg_realtime_start(vgSim *sim, double step, int iterations);
/* The numbers that laws of the model call input.NAME; 0 until they are set, by vg_sim_set or here. */
int vg_realtime_inputs(const vgSim *sim);
const char *vg_realtime_input(const vgSim *sim, int i); /* NAME, NULL beyond the last */
/* Exactly one step, without allocation, retry or system call; when to call it is the caller's business.
 * inputs: all of them, in order, for this step and later ones (NULL: as they are). outputs: the watched
 * channels after the step (NULL: not wanted). On failure the state is as before. */
vgStatus vg_realtime_step(vgSim *sim, const double *inputs, double *outputs);

/* ---- checkpoints ---- */

/* All that is needed to go on later, or from the same point twice: same machine, same model and dials. */
size_t vg_sim_checkpoint_size(const vgSim *sim);
/* size: of the buffer, at least vg_sim_checkpoint_size. */
vgStatus vg_sim_save(vgSim *sim, void *bytes, size_t size);
/* size: what vg_sim_checkpoint_size said when it was saved. Bytes that do not fit change nothing. */
vgStatus vg_sim_restore(vgSim *sim, const void *bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif
