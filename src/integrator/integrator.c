/* The list of methods, and how one is chosen: "name" or "name:key=value,…". */
#include "integrator/integrator.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/options.h"
#include "integrator/stage/metric.h"
#include "integrator/stage/renewal.h"
#include "integrator/tuning.h"
#include "integrator/user/user.h"

/* The list: a method is one row, defined as vg_NAME in its family's file. */
/* clang-format off */
#ifdef VERGE_HAVE_SUNDIALS
#define REFERENCES(ROW) \
    /* independent reference */ \
    ROW(cvode) \
    ROW(arkode) \
    ROW(ida)
#else
#define REFERENCES(ROW)
#endif
#define LIST(ROW) \
    /* structural */ \
    ROW(generalized_alpha) \
    ROW(newmark) \
    ROW(trapezoidal) \
    ROW(linear_acceleration) \
    ROW(hht) \
    ROW(wilson_theta) \
    ROW(collocation) \
    ROW(midpoint) \
    /* index-3 multibody */ \
    ROW(hht_i3) \
    ROW(nstiff) \
    /* geometric */ \
    ROW(rattle) \
    ROW(energy_momentum_row) \
    /* explicit */ \
    ROW(euler) \
    ROW(heun) \
    ROW(bs32) \
    ROW(rk4) \
    ROW(rkf45) \
    ROW(dopri5) \
    ROW(rk6) \
    ROW(dop853) \
    /* Adams */ \
    ROW(ab1) \
    ROW(ab2) \
    ROW(ab3) \
    ROW(ab4) \
    ROW(ab5) \
    ROW(am1) \
    ROW(am2) \
    ROW(am3) \
    ROW(am4) \
    ROW(am5) \
    ROW(abm) \
    ROW(adams) \
    /* composite, ESDIRK */ \
    ROW(bathe) \
    ROW(hope) \
    ROW(msstc3) \
    ROW(msstc4) \
    ROW(msstc5) \
    ROW(mssth3) \
    ROW(mssth4) \
    ROW(mssth5) \
    ROW(esdirk324) \
    ROW(esdirk325) \
    ROW(esdirk436) \
    ROW(esdirk436_2) \
    /* linear multistep, single-step forms, backward differences */ \
    ROW(lms2) \
    ROW(lms3) \
    ROW(lms4) \
    ROW(ss2) \
    ROW(ss3) \
    ROW(ss4) \
    ROW(bdf1) \
    ROW(bdf2) \
    ROW(bdf3) \
    ROW(bdf4) \
    ROW(bdf) \
    /* stabilised index 2 */ \
    ROW(hht_si2) \
    ROW(nstiff_si2) \
    ROW(hht_add) \
    ROW(hht_add_reactions) \
    /* implicit Runge–Kutta */ \
    ROW(sdirk) \
    ROW(radau2) \
    ROW(radau3) \
    ROW(lobatto3c) \
    REFERENCES(ROW)
/* clang-format on */
#define DECLARE(name) extern const vgIntegratorRow vg_##name;
#define POINT(name)   &vg_##name,
LIST(DECLARE)
const vgIntegratorRow *const vg_integrators[] = {LIST(POINT) NULL};

int vg_integrator_rho(const vgIntegratorRow *row, double range[2])
{
    range[0] = row->rho[0];
    range[1] = row->rho[1];
    for (int i = 0; i < row->nparam; i++)
        if (!strcmp(row->params[i].name, "rho")) {
            range[0] = row->params[i].min;
            range[1] = row->params[i].max;
        }
    return (row->flags & VG_INT_ASTABLE) != 0;
}

int vg_integrator_order(const vgIntegrator *it)
{
    return it->row->order_of ? it->row->order_of(it->param) : it->row->order;
}

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
     "family); "
     "0: no. tol= or acc= before it turn it off, and with it what ESDIRK and composite methods of order 3 "
     "and "
     "more do beyond acc"},
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
     "sample or an "
     "event may be shorter. An error that asks for less ends the run"},
    {"h_max", 0, 0, 1e9, "error control: largest step, s; 0: none"},
    {"grow", 0, 0, 100,
     "error control: most by which a step is multiplied for the next, above 1; 0: as the method (5, plain 2; "
     "methods "
     "of several steps at most 2)"},
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
     "0 updated once a step, 1 every iteration, 2 reused while convergence is good, 3 frozen (updated only "
     "where the iteration fails, or by refresh), 4 spread (updated all the time, in parts; spread=4 unless "
     "given), 5 auto, 6 modified ([H] 3.4: the first one, updated when an increment is more than half of the "
     "last or the iterations run out)"},
};

const vgParamSpec *vg_integrator_common(int *n)
{
    *n = NCOMMON;
    return common;
}

static void set_common(vgIntegrator *it, int k, double x)
{
    switch (k) {
    case K_TOL:
        it->newton_tol = x;
        it->newton_err = 0;
        break;
    case K_ACC:
        it->newton_acc = x;
        it->newton_err = 0;
        break;
    case K_ERR:
        it->newton_err = x;
        break;
    case K_ITERATIONS:
        it->newton_max = (int)x;
        break;
    case K_FIXED:
        it->newton_fixed = (int)x;
        break;
    case K_RTOL:
        it->rtol = x;
        break;
    case K_ATOL:
        it->atol = x;
        break;
    case K_ADAPTIVE:
        it->adaptive = x != 0;
        break;
    case K_MULTIPLIERS:
        it->error_lambda = x != 0;
        break;
    case K_REFRESH:
        it->newton_refresh = (int)x;
        break;
    case K_SPREAD:
        it->newton_spread = (int)x;
        break;
    case K_H_MIN:
        it->h_min = x;
        break;
    case K_H_MAX:
        it->h_max = x;
        break;
    case K_GROW:
        it->grow = x;
        break;
    case K_SHRINK:
        it->shrink = x;
        break;
    case K_CONTROL:
        it->control = x != 0 ? VG_CONTROL_PLAIN : VG_CONTROL_PI;
        break;
    default:
        it->newton_mode = (vgNewtonMode)(int)x;
        break;
    }
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

/* Who spreads the making of a matrix wants one that serves several steps. */
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

static const char *constraint_name(unsigned flag)
{
    for (const vgConstraintsRow *r = vg_constraints_list; r->name; r++)
        if (r->flag == flag) return r->name;
    return "none";
}

static vgStatus check_body_axes(const vgSystem *sys, const vgIntegratorRow *row, vgDiag *diag, vgLoc at)
{
    const vgModel *m = sys->model;
    if (!sys->body_axes) {
        vg_diag_error(diag, at, "integrator '%s' works with coordinates 'lie' or 'planar', not '%s'%s",
                      row->name, sys->coordinates, sys->mixed ? " mixed with those of single bodies" : "");
        return VG_BAD_INPUT;
    }
    for (int f = 0; f < m->nforce; f++)
        if (m->force[f].setup.inertial) {
            vg_diag_error(diag, at, "integrator '%s' does not know the inertia of force element '%s'",
                          row->name, m->force[f].name);
            return VG_BAD_INPUT;
        }
    return VG_OK;
}

static vgStatus check_holonomic(const vgSystem *sys, const vgIntegratorRow *row, vgDiag *diag, vgLoc at)
{
    for (int r = 0; r < sys->nl; r++)
        if (sys->row_level[r] != 0) {
            vg_diag_error(diag, at,
                          "integrator '%s' cannot keep joint '%s', which constrains velocities alone",
                          row->name, sys->model->joint[sys->row_joint[r]].name);
            return VG_BAD_INPUT;
        }
    return VG_OK;
}

/* Pairs that make no sense are refused by name, with the pairs that do. */
static vgStatus check_pair(const vgSystem *sys, const vgIntegratorRow *row, vgDiag *diag, vgLoc at)
{
    unsigned now = sys->nphi == 0 ? VG_CON_NONE | sys->con : sys->con;
    if (!sys->second_order && !(row->flags & VG_INT_EXPLICIT)) {
        vg_diag_error(diag, at,
                      "coordinates '%s' are of first order and work with explicit integrators only; use "
                      "'euler-angles' with '%s'",
                      sys->coordinates, row->name);
        return VG_BAD_INPUT;
    }
    if (row->flags & VG_INT_BODY_AXES) {
        vgStatus st = check_body_axes(sys, row, diag, at);
        if (st != VG_OK) return st;
    }
    if (row->flags & (VG_INT_BODY_AXES | VG_INT_HOLONOMIC)) {
        vgStatus st = check_holonomic(sys, row, diag, at);
        if (st != VG_OK) return st;
    }
    if ((row->flags & VG_INT_SPLITS) && sys->model->nload > 0) {
        vg_diag_error(
            diag, at,
            "integrator '%s' takes applied forces and reactions apart, but a force reads the reaction of "
            "joint '%s'; use 'generalized-alpha', 'bdf' or an explicit method",
            row->name, sys->model->joint[sys->model->load[0].joint].name);
        return VG_BAD_INPUT;
    }
    if (row->constraints & now) return VG_OK;
    char allowed[160] = "";
    for (const vgConstraintsRow *r = vg_constraints_list; r->name; r++)
        if (row->constraints & r->flag) {
            strcat(allowed, *allowed ? ", " : "");
            strcat(allowed, r->name);
        }
    vg_diag_error(diag, at, "integrator '%s' does not work with constraints '%s'; it takes %s", row->name,
                  constraint_name(sys->con), allowed);
    return VG_BAD_INPUT;
}

/* A lean work will do: the stages take their increments at once (stage.c), or there are none. */
static int makes_no_matrix(const vgIntegrator *it)
{
    if (!(it->row->flags & VG_INT_LEAN)) return 0;
    return (it->row->flags & VG_INT_EXPLICIT) ||
           (it->newton_mode == VG_NEWTON_STEP && it->sys->is.saddle && !vg_at_acceleration(it->sys));
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

static const vgIntegratorRow *row_of(const char *text, vgDiag *diag, vgLoc at)
{
    char name[64];
    size_t n = strcspn(text, ":");
    if (n >= sizeof name) n = sizeof name - 1;
    memcpy(name, text, n);
    name[n] = 0;
    const vgIntegratorRow *row = vg_integrator_find(name);
    const char *near = row ? NULL : vg_integrator_closest(name);
    if (near)
        vg_diag_error(diag, at, "unknown integrator '%s', did you mean '%s'?", name, near);
    else if (!row)
        vg_diag_error(diag, at, "unknown integrator '%s'; `verge list integrators` shows what there is",
                      name);
    return row;
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

/* Defaults, and what the text says. */
static vgStatus choose(vgIntegrator *it, const vgIntegratorRow *row, const char *text, vgDiag *diag, vgLoc at)
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

/* The row of a text, of the list or of a file; the file's method is the caller's. A path that the model itself gives
 * is relative to the model's folder. */
static vgStatus find_row(const vgModel *m, const char *text, vgDiag *diag, vgLoc at, vgUserMethod **user,
                         const vgIntegratorRow **row)
{
    char folder[1024] = "";
    *user = NULL;
    *row = NULL;
    if (!vg_user_is(text)) {
        *row = row_of(text, diag, at);
        return *row ? VG_OK : VG_BAD_INPUT;
    }
    int of_model = m && m->path && m->run.integrator && !strcmp(text, m->run.integrator);
    const char *slash = of_model ? strrchr(m->path, '/') : NULL;
    if (slash) snprintf(folder, sizeof folder, "%.*s", (int)(slash - m->path), m->path);
    vgStatus st = vg_user_load(text, slash ? folder : NULL, diag, at, user);
    if (st == VG_OK) *row = &(*user)->row;
    return st;
}

unsigned vg_integrator_takes(const vgModel *m, const char *text)
{
    vgUserMethod *user;
    const vgIntegratorRow *row;
    vgDiag *unheard = vg_diag_new(); /* who makes the integrator hears it */
    unsigned takes =
        unheard && find_row(m, text, unheard, VG_NOWHERE, &user, &row) == VG_OK ? row->constraints : 0;
    if (takes) vg_user_free(user);
    vg_diag_free(unheard);
    return takes;
}

vgStatus vg_integrator_check(const char *text, vgDiag *diag)
{
    vgIntegrator it = {0};
    const vgIntegratorRow *row;
    vgStatus st = find_row(NULL, text, diag, VG_NOWHERE, &it.user, &row);
    if (st == VG_OK) st = choose(&it, row, text, diag, VG_NOWHERE);
    vg_user_free(it.user);
    return st;
}

static int has_corners(const vgModel *m)
{
    int found = 0;
    for (int f = 0; f < m->nforce && !found; f++) {
        const vgForce *force = &m->force[f];
        found = force->kind->depth || force->kind->crowd || force->kind->switches || force->setup.foreign;
        for (int l = 0; l < force->setup.nlaw; l++) found |= force->setup.law[l]->expr != NULL;
    }
    return found;
}

vgStatus vg_integrator_new(const vgSystem *sys, const char *text, vgDiag *diag, vgIntegrator **out)
{
    vgLoc at = sys->model->run.loc;
    const vgIntegratorRow *row;
    vgUserMethod *user;
    vgStatus st = find_row(sys->model, text, diag, at, &user, &row);
    if (st == VG_OK) st = check_pair(sys, row, diag, at);
    vgIntegrator *it = st == VG_OK ? calloc(1, sizeof *it) : NULL;
    if (!it) {
        vg_user_free(user);
        return st == VG_OK ? VG_NO_MEMORY : st;
    }
    it->user = user;
    it->sys = sys;
    it->corners = has_corners(sys->model);
    st = choose(it, row, text, diag, at);
    it->rows_apart =
        it->newton_mode == VG_NEWTON_HOLD && it->newton_fixed == 0 && sys->cost.rows_apart && sys->nl > 0;
    if (st == VG_OK) st = (makes_no_matrix(it) ? vg_work_new_lean : vg_work_new)(sys, &it->work);
    if (st == VG_OK) st = row->setup(it);
    if (st == VG_OK) st = vg_control_new(it);
    if (st == VG_OK) st = vg_renewal_new(it);
    if ((st == VG_BAD_INPUT || st == VG_UNSUPPORTED) && it->failure.text[0])
        vg_diag_error(diag, at, "%s", it->failure.text);
    if (st != VG_OK) {
        vg_integrator_free(it);
        return st;
    }
    *out = it;
    return VG_OK;
}

void vg_integrator_free(vgIntegrator *it)
{
    if (!it) return;
    if (it->own && it->free_own) it->free_own(it->own);
    vg_control_free(it->controlled);
    vg_renewal_free(it->renewal);
    vg_metric_free(it->metric);
    vg_work_free(it->work);
    vg_user_free(it->user);
    free(it);
}
