/* verge optimize: parameters of a model that make a quantity least, subject to conditions. Methods by NLopt (S. G. Johnson,
 * The NLopt nonlinear-optimization package), which is loaded when it is needed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "analysis/study/sensitivity.h"
#include "cli/free.h"

#ifdef VERGE_HAVE_NLOPT
#include "cli/nlopt_part.h"

enum {
    MOST_CONDITIONS = 20,
    SCAN_PER_PARAMETER = 8,
    MOST_POINTS = 1 + 2 * VG_PLAN_PARAMETERS,
    EVALUATIONS = 400
};

/* Parameters are scaled by their ranges, 0 to 1. Half the distance of the points of a difference: the error of second order
 * is 1e-8 relative, that of runs (1e-9 and better) 1e-5. */
static const double DIFFERENCE = 1e-4;
static const double SAME_PLACE = 1e-7,
                    SAME_VALUE = 1e-11; /* where methods end: the last is below the error of runs */
static const double FIRST_STEP = 0.1;   /* of methods without derivatives, in ranges */
/* A condition is satisfied if it is violated by less than this part of its size: methods come to its border from outside. */
static const double SATISFIED = 1e-6;
static const double AT_LIMIT = 1e-4; /* satisfied by less than this part: shown as "at its limit" */

static const struct Method {
    const char *name, *doc;
    nlopt_algorithm algorithm;
    int slopes, conditions, global;
} method_list[] = {
    {"slsqp", "sequential quadratic programming, by derivatives", NLOPT_LD_SLSQP, 1, 1, 0},
    {"mma", "moving asymptotes, by derivatives", NLOPT_LD_MMA, 1, 1, 0},
    {"cobyla", "linear approximations, without derivatives: for quantities with corners", NLOPT_LN_COBYLA, 0,
     1, 0},
    {"bobyqa", "quadratic approximations, without derivatives and conditions", NLOPT_LN_BOBYQA, 0, 0, 0},
    {"isres", "evolution strategy over the whole ranges", NLOPT_GN_ISRES, 0, 1, 1},
    {"direct", "division of the ranges, without conditions", NLOPT_GN_DIRECT_L, 0, 0, 1},
};
enum { METHODS = sizeof method_list / sizeof method_list[0] };

typedef struct Optimize {
    vgCliFree free;
    const struct Method *method;
    char *keep[1 + MOST_CONDITIONS]; /* objective to be made least, conditions ≤ 0 */
    const char *goal;
    const char *condition[MOST_CONDITIONS];
    int ncondition, sign; /* sign −1: --maximise */
    nlopt_opt nlopt;
    int result;
    vgStatus status;
    double at[VG_PLAN_PARAMETERS], y[MOST_POINTS * (1 + MOST_CONDITIONS)]; /* the last point and its values */
    int known, with_slopes;
    double best[VG_PLAN_PARAMETERS], best_y[1 + MOST_CONDITIONS], size[1 + MOST_CONDITIONS];
    int have;
    char why[VG_SWEEP_WHY];
    char instead[VG_SWEEP_WHY]; /* why slopes are differences of runs; "": they are not */
} Optimize;

/* ---- reading ---- */

/* "A < B" → "(A) - (B)", "A > B" → "(B) - (A)". */
static int read_condition(Optimize *o, const char *text)
{
    int depth = 0;
    const char *p = text;
    for (; *p && (depth > 0 || (*p != '<' && *p != '>')); p++) depth += (*p == '(') - (*p == ')');
    const char *right = *p && p[1] == '=' ? p + 2 : p + 1;
    if (!*p || p == text || !*right || strpbrk(right, "<>"))
        return vg_cli_wrong("--subject '%s': expected A < B, such as 'max(force.spring.force) < 100'", text);
    size_t room = strlen(text) + 16;
    char *out = malloc(room);
    if (!out) return VG_EXIT_FAILED;
    if (*p == '<')
        snprintf(out, room, "(%.*s) - (%s)", (int)(p - text), text, right);
    else
        snprintf(out, room, "(%s) - (%.*s)", right, (int)(p - text), text);
    o->condition[o->ncondition] = text;
    o->keep[1 + o->ncondition++] = out;
    return VG_EXIT_OK;
}

static int read_goal(Optimize *o, const vgArgs *args)
{
    const char *least = vg_cli_value(args, "minimise"), *most = vg_cli_value(args, "maximise");
    if (!least == !most) return vg_cli_wrong("give one of --minimise QUANTITY and --maximise QUANTITY");
    o->goal = least ? least : most;
    o->sign = least ? 1 : -1;
    o->keep[0] = malloc(strlen(o->goal) + 1);
    if (!o->keep[0]) return VG_EXIT_FAILED;
    memcpy(o->keep[0], o->goal, strlen(o->goal) + 1);
    int n = vg_cli_given(args, "subject"), code = VG_EXIT_OK;
    if (n > MOST_CONDITIONS) return vg_cli_wrong("at most %d conditions", MOST_CONDITIONS);
    for (int i = 0; i < n && code == VG_EXIT_OK; i++)
        code = read_condition(o, vg_cli_nth(args, "subject", i));
    return code;
}

static int read_method(Optimize *o, const vgArgs *args)
{
    const char *given = vg_cli_value(args, "method"), *names[METHODS];
    for (int i = 0; i < METHODS; i++) names[i] = method_list[i].name;
    for (int i = 0; i < METHODS && !o->method; i++)
        if (strcmp(given ? given : names[0], names[i]) == 0) o->method = &method_list[i];
    if (!o->method) {
        const char *near = vg_name_closest(given, names, METHODS);
        return vg_cli_wrong("--method %s: expected slsqp, mma, cobyla, bobyqa, isres or direct%s%s", given,
                            near ? "; did you mean " : "", near ? near : "");
    }
    if (o->ncondition > 0 && !o->method->conditions)
        return vg_cli_wrong("%s takes no conditions; slsqp, mma, cobyla and isres do", o->method->name);
    return VG_EXIT_OK;
}

static int prepare(Optimize *o, const vgArgs *args)
{
    const char *spec = vg_cli_value(args, "free"), *missing = nlopt_missing();
    if (missing) {
        vg_cli_wrong("%s; the Debian package is libnlopt0", missing);
        return VG_EXIT_FAILED;
    }
    if (!spec) return vg_cli_wrong("which parameters? give --free NAME=LOW:HIGH,…");
    int code = read_goal(o, args);
    if (code == VG_EXIT_OK) code = read_method(o, args);
    if (code == VG_EXIT_OK)
        code = vg_free_open(&o->free, args, spec, 1, (const char *const *)o->keep, 1 + o->ncondition);
    return code == VG_EXIT_OK ? vg_free_check(&o->free) : code;
}

/* ---- points ---- */

static double parameter(const Optimize *o, int i, double u)
{
    const vgCliFree *f = &o->free;
    return u <= 0 ? f->low[i] : u >= 1 ? f->high[i] : f->low[i] + u * (f->high[i] - f->low[i]);
}

/* By how much conditions are violated, in parts of their sizes. */
static double violation(const Optimize *o, const double *y)
{
    double most = 0;
    for (int i = 1; i <= o->ncondition; i++) most = fmax(most, y[i] / o->size[i]);
    return most > SATISFIED ? most : 0;
}

/* Keeps the better point: less violated, else less. */
static void keep_best(Optimize *o, const double *u, const double *y)
{
    for (int i = 0; i <= o->ncondition; i++)
        if (!isfinite(y[i])) return;
    if (o->have) {
        double now = violation(o, y), before = violation(o, o->best_y);
        if (now > before || (now == before && !(o->sign * y[0] < o->sign * o->best_y[0]))) return;
    }
    memcpy(o->best, u, (size_t)o->free.batch.nparam * sizeof *u);
    memcpy(o->best_y, y, (size_t)(1 + o->ncondition) * sizeof *y);
    o->have = 1;
}

/* Values at u and their slopes along the steps of one run, as if they were those at the points of the differences. 0: not by
 * steps. */
static int slopes_by_steps(Optimize *o, const double *u)
{
    const int n = o->free.batch.nparam, each = 1 + o->ncondition;
    double p[VG_PLAN_PARAMETERS], range[VG_PLAN_PARAMETERS], dy[VG_PLAN_PARAMETERS * (1 + MOST_CONDITIONS)],
        error[VG_PLAN_PARAMETERS * (1 + MOST_CONDITIONS)];
    char why[VG_SWEEP_WHY];
    if (o->instead[0]) return 0;
    for (int i = 0; i < n; i++) p[i] = parameter(o, i, u[i]), range[i] = o->free.high[i] - o->free.low[i];
    o->status = vg_sensitivities(&o->free.batch, p, range, VG_BY_STEPS, o->y, dy, error, why, o->instead);
    for (int k = 0; k < n && o->status == VG_OK; k++) {
        const double above = fmin(u[k] + DIFFERENCE, 1) - u[k], below = fmax(u[k] - DIFFERENCE, 0) - u[k];
        for (int i = 0; i < each; i++) {
            const double slope = range[k] * dy[k * each + i];
            o->y[(1 + 2 * k) * each + i] = o->y[i] + above * slope;
            o->y[(2 + 2 * k) * each + i] = o->y[i] + below * slope;
        }
    }
    return o->status == VG_OK;
}

/* Values at u, and with slopes at the points of the differences about it; into o->y. 0: stop. */
static int compute(Optimize *o, const double *u, int slopes)
{
    const int n = o->free.batch.nparam, points = slopes ? 1 + 2 * n : 1;
    double p[MOST_POINTS * VG_PLAN_PARAMETERS];
    char why[VG_SWEEP_WHY];
    if (o->known && (o->with_slopes || !slopes) && memcmp(o->at, u, (size_t)n * sizeof *u) == 0) return 1;
    for (int k = 0; k < points; k++)
        for (int i = 0; i < n; i++) {
            double move = k == 0 || (k - 1) / 2 != i ? 0 : k % 2 ? DIFFERENCE : -DIFFERENCE;
            p[k * n + i] = parameter(o, i, u[i] + move);
        }
    why[0] = 0;
    if (!slopes || !slopes_by_steps(o, u)) o->status = vg_batch_run(&o->free.batch, points, p, o->y, why);
    if (o->status != VG_OK) return 0;
    memcpy(o->at, u, (size_t)n * sizeof *u);
    o->known = 1;
    o->with_slopes = slopes;
    keep_best(o, u, o->y);
    int good = 1;
    for (int i = 0; i < points * (1 + o->ncondition); i++) good &= isfinite(o->y[i]) != 0;
    if (!good && !o->why[0])
        snprintf(o->why, sizeof o->why, "%s", why[0] ? why : "a quantity is no number (NaN)");
    return good || o->method->global;
}

/* The derivative of value i with respect to u, n numbers. */
static void slopes_of(const Optimize *o, const double *u, int i, double by, double *out)
{
    const int n = o->free.batch.nparam, each = 1 + o->ncondition;
    for (int k = 0; k < n; k++) {
        double above = fmin(u[k] + DIFFERENCE, 1), below = fmax(u[k] - DIFFERENCE, 0);
        out[k] = by * (o->y[(1 + 2 * k) * each + i] - o->y[(2 + 2 * k) * each + i]) / (above - below);
    }
}

static double objective(unsigned n, const double *u, double *slope, void *user)
{
    Optimize *o = user;
    (void)n;
    if (!compute(o, u, slope != NULL)) {
        nlopt_force_stop(o->nlopt);
        return HUGE_VAL;
    }
    if (slope) slopes_of(o, u, 0, o->sign / o->size[0], slope);
    return isfinite(o->y[0]) ? o->sign * o->y[0] / o->size[0] : HUGE_VAL;
}

static void conditions(unsigned m, double *value, unsigned n, const double *u, double *slope, void *user)
{
    Optimize *o = user;
    int good = compute(o, u, slope != NULL);
    if (!good) nlopt_force_stop(o->nlopt);
    for (unsigned i = 0; i < m; i++) {
        value[i] = good && isfinite(o->y[1 + i]) ? o->y[1 + i] / o->size[1 + i] : 1;
        if (slope && good) slopes_of(o, u, 1 + (int)i, 1 / o->size[1 + i], slope + i * n);
    }
}

/* ---- running ---- */

/* The model's own values and points of Sobol's sequence: where to begin, and the sizes of the values. */
static int find_start(Optimize *o)
{
    vgCliFree *f = &o->free;
    const int n = f->batch.nparam, each = 1 + o->ncondition;
    long scan = (long)SCAN_PER_PARAMETER * n;
    if (vg_cli_count(f->args, "starts", 0, &scan) < 0) return VG_EXIT_INPUT;
    double *u = calloc((size_t)(scan + 1) * (size_t)n, sizeof *u),
           *p = calloc((size_t)(scan + 1) * (size_t)n, sizeof *p),
           *y = calloc((size_t)(scan + 1) * (size_t)each, sizeof *y);
    vgPlan plan = {.naxis = n, .rule = VG_PLAN_SOBOL, .runs = scan > 0 ? scan : 1};
    vgStatus status = u && p && y ? VG_OK : VG_NO_MEMORY;
    for (int i = 0; i < n; i++) plan.axis[i].law = VG_PLAN_UNIFORM, plan.axis[i].b = 1;
    for (long k = 0; k <= scan && status == VG_OK; k++) {
        if (k > 0) vg_plan_values(&plan, k - 1, u + k * n);
        for (int i = 0; i < n; i++) {
            if (k == 0) u[i] = fmin(fmax((f->value[i] - f->low[i]) / (f->high[i] - f->low[i]), 0), 1);
            p[k * n + i] = parameter(o, i, u[k * n + i]);
        }
    }
    if (status == VG_OK) status = vg_batch_run(&f->batch, scan + 1, p, y, o->why);
    for (int i = 0; i < each; i++) o->size[i] = 0;
    for (long k = 0; k <= scan && status == VG_OK; k++)
        for (int i = 0; i < each; i++)
            if (isfinite(y[k * each + i])) o->size[i] = fmax(o->size[i], fabs(y[k * each + i]));
    for (int i = 0; i < each; i++)
        if (!(o->size[i] > 0)) o->size[i] = 1;
    for (long k = 0; k <= scan && status == VG_OK; k++) keep_best(o, u + k * n, y + k * each);
    free(u), free(p), free(y);
    if (status != VG_OK) return vg_free_bad(f, status);
    if (o->have) return VG_EXIT_OK;
    vg_cli_wrong("no values in the ranges give numbers: %s",
                 o->why[0] ? o->why : "the quantities are not defined (NaN)");
    return VG_EXIT_FAILED;
}

static int optimise(Optimize *o)
{
    vgCliFree *f = &o->free;
    double u[VG_PLAN_PARAMETERS], tolerance[MOST_CONDITIONS], least;
    long most = EVALUATIONS * f->batch.nparam;
    if (vg_cli_count(f->args, "evaluations", 1, &most) < 0) return VG_EXIT_INPUT;
    int code = find_start(o);
    if (code != VG_EXIT_OK) return code;
    o->why[0] = 0;
    memcpy(u, o->best, sizeof u);
    o->nlopt = nlopt_create(o->method->algorithm, (unsigned)f->batch.nparam);
    if (!o->nlopt) return vg_free_bad(f, VG_NO_MEMORY);
    nlopt_srand(1); /* the same numbers at every call */
    int set = nlopt_set_min_objective(o->nlopt, objective, o) >= 0 &&
              nlopt_set_lower_bounds1(o->nlopt, 0) >= 0 && nlopt_set_upper_bounds1(o->nlopt, 1) >= 0 &&
              nlopt_set_xtol_abs1(o->nlopt, SAME_PLACE) >= 0 &&
              nlopt_set_ftol_rel(o->nlopt, SAME_VALUE) >= 0 &&
              (o->method->slopes || nlopt_set_initial_step1(o->nlopt, FIRST_STEP) >= 0);
    nlopt_set_maxeval(o->nlopt, (int)(most < 1000000000 ? most : 1000000000));
    for (int i = 0; i < o->ncondition; i++) tolerance[i] = SATISFIED / 100;
    if (o->ncondition > 0)
        set = set && nlopt_add_inequality_mconstraint(o->nlopt, (unsigned)o->ncondition, conditions, o,
                                                      tolerance) >= 0;
    o->result = set ? nlopt_optimize(o->nlopt, u, &least) : NLOPT_OUT_OF_MEMORY;
    nlopt_destroy(o->nlopt);
    if (o->status != VG_OK) return vg_free_bad(f, o->status);
    if (o->result == NLOPT_OUT_OF_MEMORY) return vg_free_bad(f, VG_NO_MEMORY);
    if (o->result == NLOPT_FORCED_STOP) {
        vg_cli_wrong("a run failed on the way: %s", o->why);
        return VG_EXIT_FAILED;
    }
    return VG_EXIT_OK;
}

/* ---- the answer ---- */

/* NULL: the best point satisfies the conditions and the method ended by itself; else why it is not to be relied on. */
static const char *doubt(const Optimize *o)
{
    if (violation(o, o->best_y) > 0) return "no values in the ranges were found that satisfy the conditions";
    if (o->result == NLOPT_MAXEVAL_REACHED && !o->method->global)
        return "too many evaluations; the best values so far are shown (--evaluations N allows more)";
    if (o->result < 0 && o->result != NLOPT_ROUNDOFF_LIMITED)
        return "the method failed; the best values so far are shown. Try --method cobyla";
    return NULL;
}

static void values_of(const Optimize *o, double *p)
{
    for (int i = 0; i < o->free.batch.nparam; i++) p[i] = parameter(o, i, o->best[i]);
}

static const char *place_of(double u)
{
    return u <= 0 ? "at its lower end" : u >= 1 ? "at its upper end" : "";
}

static void tell(const Optimize *o, double seconds)
{
    const vgCliFree *f = &o->free;
    double p[VG_PLAN_PARAMETERS];
    vgText t = {0};
    values_of(o, p);
    vg_text_add(&t, "%s: %s\n  runs           %ld, %s, %.3g s\n", vg_cli_word(f->args, 0), f->title,
                f->batch.runs, o->method->name, seconds);
    vg_text_add(&t, "  %-14s %s = %.9g\n", o->sign > 0 ? "least" : "largest", o->goal, o->best_y[0]);
    for (int i = 0; i < o->ncondition; i++) {
        double off = o->best_y[1 + i] / o->size[1 + i];
        vg_text_add(&t, "  subject to     %s: %s\n", o->condition[i],
                    off > SATISFIED   ? "violated"
                    : off > -AT_LIMIT ? "at its limit"
                                      : "satisfied");
    }
    vg_text_add(&t, "  %-16s %16s\n", "parameter", "value");
    for (int i = 0; i < f->batch.nparam; i++)
        vg_text_add(&t, "  %-16s %16.9g %s\n", f->name[i], p[i], place_of(o->best[i]));
    vg_text_add(&t, "  ");
    vg_free_command(f, p, &t);
    vg_text_add(&t, "\n");
    vg_cli_print(&t);
}

static void tell_json(const Optimize *o, double seconds)
{
    const vgCliFree *f = &o->free;
    double p[VG_PLAN_PARAMETERS];
    vgJson j = {0};
    vgText command = {0};
    values_of(o, p);
    vg_json_open(&j, NULL, '{');
    vg_cli_status(&j, !doubt(o), doubt(o));
    vg_json_number(&j, "value", o->best_y[0]);
    vg_json_open(&j, "parameters", '[');
    for (int i = 0; i < f->batch.nparam; i++) {
        vg_json_open(&j, NULL, '{');
        vg_json_text(&j, "name", f->name[i]);
        vg_json_number(&j, "value", p[i]);
        vg_json_text(&j, "bound", o->best[i] <= 0 ? "low" : o->best[i] >= 1 ? "high" : NULL);
        vg_json_close(&j);
    }
    vg_json_close(&j);
    vg_json_open(&j, "conditions", '[');
    for (int i = 0; i < o->ncondition; i++) {
        vg_json_open(&j, NULL, '{');
        vg_json_text(&j, "condition", o->condition[i]);
        vg_json_number(&j, "excess", o->best_y[1 + i]);
        vg_json_bool(&j, "satisfied", o->best_y[1 + i] <= SATISFIED * o->size[1 + i]);
        vg_json_close(&j);
    }
    vg_json_close(&j);
    vg_json_text(&j, "method", o->method->name);
    vg_json_int(&j, "runs", f->batch.runs);
    vg_json_number(&j, "seconds", seconds);
    vg_free_command(f, p, &command);
    vg_json_text(&j, "command", vg_text_at(&command));
    vg_text_free(&command);
    vg_json_close(&j);
    vg_cli_answer(&j);
}

static int optimize(const vgArgs *args)
{
    Optimize o = {.status = VG_OK};
    int code = prepare(&o, args);
    if (code == VG_EXIT_OK) {
        vg_cli_catch_signals();
        vg_progress_start(&o.free.progress, vg_cli_given(args, "quiet") > 0);
        code = optimise(&o);
        vg_progress_end(&o.free.progress);
    }
    if (code == VG_EXIT_OK) {
        double seconds = vg_cli_clock() - o.free.started;
        if (doubt(&o)) {
            vg_cli_wrong("%s", doubt(&o));
            code = VG_EXIT_FAILED;
        }
        if (vg_cli_given(args, "json"))
            tell_json(&o, seconds);
        else
            tell(&o, seconds);
    }
    for (int i = 0; i <= MOST_CONDITIONS; i++) free(o.keep[i]);
    vg_free_close(&o.free);
    return code;
}
#else
static int optimize(const vgArgs *args)
{
    (void)args;
    vg_cli_wrong("verge was built without NLopt (Debian: libnlopt-dev)");
    return VG_EXIT_FAILED;
}
#endif

static const vgOption options[] = {
    {"free", 0, "NAME=LOW:HIGH,…", "parameters to be chosen, each with its range"},
    {"minimise", 0, "QUANTITY", "what is to be least: max(C), final(C), rms(C) … or an expression of them"},
    {"maximise", 0, "QUANTITY", "what is to be largest"},
    {"subject", 0, "A<B …", "condition between quantities; may be given several times"},
    {"method", 0, "NAME", "slsqp (default), mma, cobyla, bobyqa, isres, direct"},
    {"starts", 0, "N", "points of the ranges that are tried as a start (default: 8 for each parameter)"},
    {"evaluations", 0, "N", "the method may ask for (default: 400 for each parameter)"},
    VG_FREE_OPTIONS,
    {0},
};

const vgCommand vg_cmd_optimize = {
    .name = "optimize",
    .usage = "MODEL.yaml --free NAME=LOW:HIGH,… --minimise QUANTITY [options]",
    .doc = "choose parameters of a model so that a quantity is least, subject to conditions",
    .example = "  verge optimize door.yaml --free k=10:200,d=0:5 --minimise 'rms(joint.hinge.angle)' \\\n"
               "      --subject 'max(force.closer.torque) < 100'\n",
    .more = "Methods by NLopt. slsqp and mma take derivatives by differences of runs, computed side by side; "
            "they find the least value near their start. cobyla and bobyqa need none, for quantities with "
            "corners, as max() of several peaks. isres and direct search the whole ranges and end after "
            "--evaluations.\n",
    .min = 1,
    .max = 1,
    .options = options,
    .run = optimize,
};
