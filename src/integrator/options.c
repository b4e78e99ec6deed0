/* Options of integrators: "name:key=value,key=value", those of the method and those that all understand. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/options.h"
#include "integrator/integrator.h"
#include "integrator/stage/renewal.h"
#include "integrator/tuning.h"
#include "integrator/user/user.h"

/* The tangent is reused by default if its force elements cost more than this many residuals. */
static const double HELD_FROM = 2;

/* Keys that every method understands. */
enum {
    K_TOL,
    K_ACC,
    K_ERR,
    K_ITERATIONS,
    K_FIXED,
    K_RTOL,
    K_ATOL,
    K_ADAPTIVE,
    K_MULTIPLIERS,
    K_CONTROL,
    K_H_MIN,
    K_H_MAX,
    K_GROW,
    K_SHRINK,
    K_REFRESH,
    K_SPREAD,
    K_NEWTON,
    NCOMMON
};
static const vgParamSpec common[NCOMMON] = {
    {"tol", 1e-10, 1e-15, 1, "Newton: what may remain of an increment, relative to the coordinates' scales"},
    {"acc", 1e-6, 1e-12, 1, "Newton: the same relative to the accelerations' part of the step"},
    {"err", 3e-3, 0, 0.1,
     "Newton: enough is also this part of the step's own error, where the method knows it (Newmark's "
     "family); 0: no. tol= or acc= before it turn it off, and with it what ESDIRK and composite methods of "
     "order 3 and more do beyond acc"},
    {"iterations", 12, 1, 200,
     "Newton: most iterations of a stage; 30 unless given where the model has groups of contacts"},
    {"fixed", 0, 0, 50, "Newton: exactly so many iterations (real time)"},
    {"rtol", 1e-6, 1e-14, 1, "error control: relative tolerance; given, the step follows the error"},
    {"atol", 1e-8, 1e-16, 1,
     "error control: absolute tolerance, in units of the coordinates' scales; not given: rtol/100"},
    {"adaptive", 0, 0, 1,
     "error control: 1 with rtol and atol as they are, 0 off, even where it is the default"},
    {"multipliers", 0, 0, 1, "error control: 1 the multipliers' error counts too"},
    {"control", 0, 0, 1, "step size from the error: 0 PI controller, 1 plain, as in [H] appendix B"},
    {"h_min", 0, 0, 1e9,
     "error control: least step, s (0: none); steps that end at the end of the run, a corner of a law, a "
     "sample or an event may be shorter. An error that asks for less ends the run"},
    {"h_max", 0, 0, 1e9, "error control: largest step, s; 0: none"},
    {"grow", 0, 0, 100,
     "error control: most by which a step is multiplied for the next, above 1; 0: as the method (5, plain 2; "
     "methods of several steps at most 2)"},
    {"shrink", 0, 0, 0.9,
     "error control: least by which a step is multiplied for the next; 0: as the method (0.2, plain 0.1)"},
    {"refresh", 0, 0, 1e9,
     "Newton matrix: a reused or frozen one is updated after so many steps; 0: the method decides. Real "
     "time: between steps"},
    {"spread", 0, 0, 64,
     "Newton matrix: an update is made in so many parts, one a step, while the last complete one is used "
     "(alone: newton=spread); 0: in one go"},
    {"newton", 5, 0, 6,
     "Newton matrix: auto (reused where the tangents of the elements are costly, else updated once a step), "
     "0 updated once a step, 1 every iteration (full; goes on where increments grow, up to `iterations`), 2 "
     "reused while convergence is good, 3 frozen (updated only "
     "where the iteration fails, or by refresh), 4 spread (updated all the time, in parts; spread=4 unless "
     "given), 5 auto, 6 modified ([H] 3.4: the first one, updated when an increment is more than half of the "
     "last, or after 8 iterations with one matrix; by err=0 for no other reason)"},
};

const vgParamSpec *vg_integrator_common(int *n)
{
    *n = NCOMMON;
    return common;
}

/* The number of an integrator that a key sets. */
#define WHOLE(field) offsetof(vgIntegrator, field), 1
#define REAL(field)  offsetof(vgIntegrator, field), 0
static const struct {
    size_t at;
    int whole;
} sets[NCOMMON] = {
    [K_TOL] = {REAL(newton_tol)},
    [K_ACC] = {REAL(newton_acc)},
    [K_ERR] = {REAL(newton_err)},
    [K_ITERATIONS] = {WHOLE(newton_max)},
    [K_FIXED] = {WHOLE(newton_fixed)},
    [K_RTOL] = {REAL(rtol)},
    [K_ATOL] = {REAL(atol)},
    [K_ADAPTIVE] = {WHOLE(adaptive)},
    [K_MULTIPLIERS] = {WHOLE(error_lambda)},
    [K_CONTROL] = {WHOLE(control)},
    [K_H_MIN] = {REAL(h_min)},
    [K_H_MAX] = {REAL(h_max)},
    [K_GROW] = {REAL(grow)},
    [K_SHRINK] = {REAL(shrink)},
    [K_REFRESH] = {WHOLE(newton_refresh)},
    [K_SPREAD] = {WHOLE(newton_spread)},
    [K_NEWTON] = {WHOLE(newton_mode)},
};

static void set_common(vgIntegrator *it, int k, double x)
{
    char *at = (char *)it + sets[k].at;
    if (sets[k].whole)
        *(int *)at = (int)x;
    else
        *(double *)at = x;
    if (k == K_TOL || k == K_ACC) it->newton_err = 0; /* err= behind them turns it on again */
}

/* Words that stand for numbers. */
static int word_value(const char *text, size_t n, double *x)
{
    static const struct {
        const char *word;
        double value;
    } words[] = {{"step", 0},   {"full", 1},  {"modified", 6}, {"hold", 2},    {"frozen", 3},
                 {"spread", 4}, {"yes", 1},   {"no", 0},       {"on", 1},      {"off", 0},
                 {"true", 1},   {"false", 0}, {"auto", 5},     {"optimal", 1}, {"pi", 0},
                 {"plain", 1},  {"best", 0},  {"printed", 1},  {"zero", -2}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i].word) == n && !strncmp(words[i].word, text, n)) {
            *x = words[i].value;
            return 1;
        }
    return 0;
}

/* Keys that choose or count: whole numbers. */
static int is_whole(const char *key)
{
    static const char *const keys[] = {"iterations", "fixed",   "adaptive", "multipliers", "control",
                                       "refresh",    "spread",  "newton",   "order",       "start",
                                       "predictor",  "tangent", "project",  "solver",      "once",
                                       "mass",       "guess"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (!strcmp(keys[i], key)) return 1;
    return 0;
}

/* given: the common keys that were, a bit each. */
static vgStatus one_option(vgIntegrator *it, const char *key, const char *text, size_t n, vgDiag *diag,
                           vgLoc at, unsigned *given)
{
    const vgIntegratorRow *row = it->row;
    const char *names[64];
    int count = 0;
    char *end;
    double x = strtod(text, &end);
    if ((end != text + n || n == 0) && !word_value(text, n, &x)) {
        vg_diag_error(diag, at, "integrator '%s': expected a number%s after '%s=', got '%.*s'", row->name,
                      strcmp(key, "newton") ? "" : ", auto, step, full, modified, hold, frozen or spread",
                      key, (int)n, text);
        return VG_BAD_INPUT;
    }
    for (int i = 0; i < row->nparam + NCOMMON; i++) {
        const vgParamSpec *p = i < row->nparam ? &row->params[i] : &common[i - row->nparam];
        if (count < 64) names[count++] = p->name;
        if (strcmp(p->name, key)) continue;
        if (!(x >= p->min && x <= p->max)) {
            vg_diag_error(diag, at, "integrator '%s': %s = %g is outside %g to %g (%s)", row->name, key, x,
                          p->min, p->max, p->doc);
            return VG_BAD_INPUT;
        }
        if (x != floor(x) && is_whole(key)) {
            vg_diag_error(diag, at, "integrator '%s': %s = %g is not a whole number (%s)", row->name, key, x,
                          p->doc);
            return VG_BAD_INPUT;
        }
        if (p->min == 0 && fmod(x, 2) != 0 && !strcmp(key, "predictor")) { /* [Z] (12)–(17) */
            vg_diag_error(diag, at, "integrator '%s': there is no predictor of order %g (%s)", row->name, x,
                          p->doc);
            return VG_BAD_INPUT;
        }
        if (i < row->nparam) {
            it->param[i] = x;
        } else {
            set_common(it, i - row->nparam, x);
            *given |= 1u << (i - row->nparam);
        }
        return VG_OK;
    }
    const char *near = vg_name_closest(key, names, count);
    vg_diag_error(diag, at, "integrator '%s' has no option '%s'%s%s%s", row->name, key,
                  near ? ", did you mean '" : "; `verge list integrators` shows them", near ? near : "",
                  near ? "'?" : "");
    return VG_BAD_INPUT;
}

static vgStatus options(vgIntegrator *it, const char *text, vgDiag *diag, vgLoc at, unsigned *given)
{
    const char *twice;
    int letters;
    if (vg_options_repeat(text, &twice, &letters)) {
        vg_diag_error(diag, at, "integrator '%s': option '%.*s' is given twice", it->row->name, letters,
                      twice);
        return VG_BAD_INPUT;
    }
    while (*text) {
        size_t n = strcspn(text, ","), k = strcspn(text, "=,");
        char key[64];
        if (k == n || k >= sizeof key) {
            vg_diag_error(diag, at, "integrator options are written key=value, got '%.*s'", (int)n, text);
            return VG_BAD_INPUT;
        }
        memcpy(key, text, k);
        key[k] = 0;
        vgStatus st = one_option(it, key, text + k + 1, n - k - 1, diag, at, given);
        if (st != VG_OK) return st;
        text += n + (text[n] == ',');
    }
    return VG_OK;
}

/* Bounds of steps that no step could meet. */
static vgStatus check_bounds(const vgIntegrator *it, vgDiag *diag, vgLoc at)
{
    if (it->h_max > 0 && it->h_min > it->h_max)
        vg_diag_error(diag, at, "integrator '%s': h_min = %g is larger than h_max = %g", it->row->name,
                      it->h_min, it->h_max);
    else if (it->grow > 0 && it->grow <= 1)
        vg_diag_error(diag, at,
                      "integrator '%s': grow = %g would let no step become longer; give more than 1",
                      it->row->name, it->grow);
    else
        return VG_OK;
    return VG_BAD_INPUT;
}

/* A tolerance turns error control on; a method without an error estimate reports an error that names methods with
 * one. */
static vgStatus want_control(vgIntegrator *it, unsigned given, vgDiag *diag, vgLoc at)
{
    const vgIntegratorRow *row = it->row;
    unsigned asked = given & (1u << K_RTOL | 1u << K_ATOL | 1u << K_MULTIPLIERS | 1u << K_CONTROL |
                              1u << K_H_MIN | 1u << K_H_MAX | 1u << K_GROW | 1u << K_SHRINK);
    if (asked && !(given & 1u << K_ADAPTIVE)) it->adaptive = 1;
    if ((given & 1u << K_RTOL) && !(given & 1u << K_ATOL))
        it->atol = fmax(VG_ATOL_LEAST, VG_ATOL_OF_RTOL * it->rtol);
    if (!it->adaptive || (row->flags & VG_INT_ESTIMATE)) return VG_OK;
    if (row->flags & VG_INT_OWN_STEPS) { /* its own, within each step */
        it->adaptive = 0;
        return VG_OK;
    }
    const char *other = "lms2";
    for (const vgIntegratorRow *const *r = vg_integrators; *r; r++)
        if (!strcmp((*r)->family, row->family) && ((*r)->flags & VG_INT_ESTIMATE)) {
            other = (*r)->name;
            break;
        }
    int k = K_ADAPTIVE;
    for (int i = 0; i < NCOMMON; i++)
        if (asked & 1u << i) k = i;
    vg_diag_error(diag, at,
                  "integrator '%s' has no error estimate and takes no '%s': give it a step, or take '%s', "
                  "which has one",
                  row->name, common[asked & 1u << K_RTOL ? K_RTOL : k].name, other);
    return VG_BAD_INPUT;
}

/* `spread` divides the update of the matrix over steps, so the matrix must be reused over several steps. */
static vgStatus want_spread(vgIntegrator *it, unsigned given, vgDiag *diag, vgLoc at)
{
    if (it->newton_spread > 0 && !(given & 1u << K_NEWTON)) it->newton_mode = VG_NEWTON_SPREAD;
    if (it->newton_mode == VG_NEWTON_SPREAD && it->newton_spread == 0) it->newton_spread = 4;
    if (it->newton_spread == 0 || it->newton_mode >= VG_NEWTON_HOLD) return VG_OK;
    vg_diag_error(diag, at,
                  "integrator '%s': spread=%d is for a matrix that serves several steps; take newton=hold, "
                  "frozen or spread",
                  it->row->name, it->newton_spread);
    return VG_BAD_INPUT;
}

/* A tangent that costs more than one or two iterations is worth reusing. Not if error control changes the step
 * size, if the number of iterations is fixed (real time: the user decides), or if another matrix replaces it after
 * every step. */
static vgNewtonMode newton_by_cost(const vgIntegrator *it)
{
    const vgSystem *sys = it->sys;
    if (!sys || it->adaptive || it->newton_fixed > 0 || sys->cost.high) return VG_NEWTON_STEP;
    if (it->row->flags & (VG_INT_EXPLICIT | VG_INT_OWN_NEWTON)) return VG_NEWTON_STEP;
    return sys->cost.elements >= HELD_FROM && !vg_renewal_is_lost(it) ? VG_NEWTON_HOLD : VG_NEWTON_STEP;
}

static int is_undamped(const vgIntegrator *it)
{
    for (int i = 0; i < it->row->nparam; i++)
        if (!strcmp(it->row->params[i].name, "rho")) return it->param[i] >= VG_UNDAMPED_FROM;
    return 0;
}

/* Where many contacts change between sticking and sliding in a step Newton's iteration takes up to twenty; a step that is
 * split at twelve takes more. */
enum { CROWD_ITERATIONS = 30 };

static int has_crowd(const vgModel *m)
{
    for (int f = 0; f < m->nforce; f++)
        if (m->force[f].kind->crowd) return 1;
    return 0;
}

vgStatus vg_integrator_choose(vgIntegrator *it, const vgIntegratorRow *row, const char *text, vgDiag *diag,
                              vgLoc at)
{
    const char *colon = strchr(text, ':'), *keys = colon ? colon + 1 : NULL;
    unsigned given = 0;
    if (vg_user_is(text)) keys = vg_user_options(text);
    it->row = row;
    for (int i = 0; i < row->nparam; i++) it->param[i] = row->params[i].fallback;
    for (int i = 0; i < NCOMMON; i++) set_common(it, i, common[i].fallback);
    if (it->sys && has_crowd(it->sys->model)) it->newton_max = CROWD_ITERATIONS;
    it->adaptive = (row->flags & VG_INT_ADAPTIVE) != 0;
    vgStatus st = keys ? options(it, keys, diag, at, &given) : VG_OK;
    if (st == VG_OK) st = check_bounds(it, diag, at);
    if (st == VG_OK) st = want_control(it, given, diag, at);
    if (st == VG_OK) st = want_spread(it, given, diag, at);
    if (it->newton_mode == VG_NEWTON_AUTO) it->newton_mode = newton_by_cost(it);
    it->undamped = is_undamped(it);
    return st;
}
