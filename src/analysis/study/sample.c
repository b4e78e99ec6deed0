#include "analysis/study/sample.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"

enum { MOST_RUNS = 100000000, BITS = 32, DEGREE = 7 };
static const double HALF_ROOT = 0.70710678118654752440; /* √½ */

/* Degree s, coefficients a and the first direction numbers m of the primitive polynomial of each dimension but the
 * first. Joe and Kuo, new-joe-kuo-6. */
static const struct {
    unsigned s, a, m[DEGREE];
} sobol[VG_PLAN_PARAMETERS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

/* ---- random numbers that depend on a key alone ---- */

/* The finaliser of SplitMix64 (Steele, Lea, Flood 2014): every bit of the key changes half of the answer's. */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

static uint64_t random_bits(uint64_t seed, uint64_t axis, uint64_t run)
{
    return mix(mix(mix(seed) ^ axis) ^ run);
}

static double open_unit(uint64_t bits) /* in (0, 1) */
{
    return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

static uint32_t sobol_bits(int axis, uint32_t index)
{
    uint32_t v[BITS], x = 0;
    if (axis == 0) {
        for (int i = 0; i < BITS; i++) v[i] = UINT32_C(1) << (BITS - 1 - i);
    } else {
        unsigned s = sobol[axis - 1].s, a = sobol[axis - 1].a;
        for (unsigned i = 0; i < BITS; i++) {
            if (i < s) {
                v[i] = (uint32_t)sobol[axis - 1].m[i] << (BITS - 1 - i);
                continue;
            }
            v[i] = v[i - s] ^ (v[i - s] >> s);
            for (unsigned k = 1; k < s; k++)
                if ((a >> (s - 1 - k)) & 1) v[i] ^= v[i - k];
        }
    }
    for (int i = 0; i < BITS; i++)
        if ((index >> i) & 1) x ^= v[i];
    return x;
}

/* x with Φ(x) = p: bisected by the distribution function itself, so that it is right to rounding. */
static double normal_quantile(double p)
{
    double low = -40, high = 40;
    for (int i = 0; i < 80; i++) {
        double x = 0.5 * (low + high);
        if (0.5 * erfc(-x * HALF_ROOT) < p)
            low = x;
        else
            high = x;
    }
    return 0.5 * (low + high);
}

/* ---- the text of a parameter ---- */

static vgStatus wrong(vgDiag *diag, const char *text, const char *what)
{
    vg_diag_error(diag, VG_NOWHERE, "--vary %s: %s", text, what);
    return VG_BAD_INPUT;
}

static int number(const char **p, double *out)
{
    char *end;
    *out = strtod(*p, &end);
    if (end == *p || !isfinite(*out)) return 0;
    while (*end == ' ') end++;
    *p = end;
    return 1;
}

/* "NAME(a,b)" behind the tilde. */
static vgStatus read_law(vgPlanAxis *x, const char *text, const char *p, vgDiag *diag)
{
    static const char *const name[] = {"uniform", "normal", "lognormal"};
    static const vgPlanLaw law[] = {VG_PLAN_UNIFORM, VG_PLAN_NORMAL, VG_PLAN_LOGNORMAL};
    for (int i = 0; i < 3; i++) {
        size_t n = strlen(name[i]);
        if (strncmp(p, name[i], n) != 0 || p[n] != '(') continue;
        p += n + 1;
        x->law = law[i];
        if (!number(&p, &x->a) || *p++ != ',' || !number(&p, &x->b) || strcmp(p, ")") != 0) break;
        if (i == 0 ? !(x->a < x->b) : !(x->b > 0))
            return wrong(diag, text,
                         i == 0 ? "the second end must be above the first"
                                : "the standard deviation must be above 0");
        return VG_OK;
    }
    return wrong(
        diag, text,
        "expected uniform(a,b), normal(mean,deviation) or lognormal(mean,deviation) of the logarithm");
}

static vgStatus read_range(vgPlanAxis *x, const char *text, const char *p, vgDiag *diag)
{
    double n = 0;
    if (!number(&p, &x->b)) return wrong(diag, text, "expected a number behind ':'");
    if (!*p) {
        x->law = VG_PLAN_UNIFORM;
        return x->a < x->b ? VG_OK : wrong(diag, text, "the second end must be above the first");
    }
    if (*p++ != ':' || !number(&p, &n) || *p || n != floor(n) || n < 1 || n > MOST_RUNS)
        return wrong(diag, text, "expected FIRST:LAST:COUNT, such as 10:100:20");
    x->law = VG_PLAN_LIST;
    x->n = (int)n;
    return VG_OK;
}

static vgStatus read_list(vgPlanAxis *x, const char *text, const char *p, vgDiag *diag)
{
    int room = 1;
    for (const char *c = p; *c; c++) room += *c == ',';
    x->law = VG_PLAN_LIST;
    x->value = calloc((size_t)room + 1, sizeof *x->value);
    if (!x->value) return VG_NO_MEMORY;
    x->value[x->n++] = x->a;
    while (*p == ',') {
        p++;
        if (!number(&p, &x->value[x->n++])) return wrong(diag, text, "expected a number behind ','");
    }
    return *p ? wrong(diag, text, "expected numbers: 1,2,5 or 10:100:20") : VG_OK;
}

static vgStatus add_axis(vgPlan *plan, const char *name, size_t n, vgDiag *diag, vgPlanAxis **out)
{
    vgPlanAxis *x = &plan->axis[plan->naxis];
    if (plan->naxis == VG_PLAN_PARAMETERS) {
        vg_diag_error(diag, VG_NOWHERE, "a study varies at most %d parameters", VG_PLAN_PARAMETERS);
        return VG_BAD_INPUT;
    }
    if (n == 0 || n >= VG_PLAN_NAME) {
        vg_diag_error(diag, VG_NOWHERE, "'%.*s' is not the name of a parameter", (int)n, name);
        return VG_BAD_INPUT;
    }
    memset(x, 0, sizeof *x);
    memcpy(x->name, name, n);
    for (int i = 0; i < plan->naxis; i++)
        if (strcmp(plan->axis[i].name, x->name) == 0) {
            vg_diag_error(diag, VG_NOWHERE, "parameter '%s' is varied twice", x->name);
            return VG_BAD_INPUT;
        }
    plan->naxis++;
    *out = x;
    return VG_OK;
}

/* All values that the law can give are finite. The outermost points of a sample are ½·2⁻⁵² from the ends of (0, 1), where
 * the normal distribution is 8.2 deviations from its mean. */
static int stays_finite(const vgPlanAxis *x)
{
    const double far = fabs(x->a) + 8.3 * x->b;
    if (x->law == VG_PLAN_NORMAL) return isfinite(far);
    if (x->law == VG_PLAN_LOGNORMAL) return isfinite(exp(far));
    return isfinite(x->b - x->a);
}

vgStatus vg_plan_vary(vgPlan *plan, const char *text, vgDiag *diag)
{
    vgPlanAxis *x;
    size_t n = strcspn(text, "=~");
    if (!text[n])
        return wrong(diag, text, "expected NAME=FIRST:LAST:COUNT, NAME=A,B,C or NAME~normal(mean,deviation)");
    vgStatus status = add_axis(plan, text, n, diag, &x);
    if (status != VG_OK) return status;
    const char *p = text + n + 1;
    if (text[n] == '~')
        status = read_law(x, text, p, diag);
    else if (!number(&p, &x->a))
        return wrong(diag, text, "expected a number behind '='");
    else
        status = *p == ':' ? read_range(x, text, p + 1, diag) : read_list(x, text, p, diag);
    if (status != VG_OK || stays_finite(x)) return status;
    return wrong(diag, text, "some of these values are too large for a number");
}

vgStatus vg_plan_column(vgPlan *plan, const char *name, const double *value, long n, vgDiag *diag)
{
    vgPlanAxis *x;
    if (n < 1 || n > MOST_RUNS || (plan->naxis && plan->axis[0].n != n)) {
        vg_diag_error(diag, VG_NOWHERE,
                      "column '%s' has %ld values; all columns need the same number, and one at least", name,
                      n);
        return VG_BAD_INPUT;
    }
    vgStatus status = add_axis(plan, name, strlen(name), diag, &x);
    if (status != VG_OK) return status;
    x->law = VG_PLAN_LIST;
    x->n = (int)n;
    x->value = malloc((size_t)n * sizeof *x->value);
    if (!x->value) return VG_NO_MEMORY;
    memcpy(x->value, value, (size_t)n * sizeof *x->value);
    plan->rule = VG_PLAN_TABLE;
    return VG_OK;
}

/* ---- the rule ---- */

/* Fisher and Yates. */
static vgStatus shuffle(vgPlanAxis *x, uint64_t axis, uint64_t seed, long n)
{
    x->stratum = malloc((size_t)n * sizeof *x->stratum);
    if (!x->stratum) return VG_NO_MEMORY;
    for (long i = 0; i < n; i++) x->stratum[i] = (uint32_t)i;
    for (long i = n - 1; i > 0; i--) {
        long k = (long)(random_bits(~seed, axis, (uint64_t)i) % (uint64_t)(i + 1));
        uint32_t keep = x->stratum[i];
        x->stratum[i] = x->stratum[k];
        x->stratum[k] = keep;
    }
    return VG_OK;
}

static vgStatus all_combinations(vgPlan *plan, vgDiag *diag)
{
    double runs = 1;
    plan->rule = VG_PLAN_GRID;
    for (int i = 0; i < plan->naxis; i++) {
        if (plan->axis[i].law != VG_PLAN_LIST) {
            vg_diag_error(diag, VG_NOWHERE,
                          "'%s' is distributed: say how many runs with --sample sobol:N, lhs:N or random:N",
                          plan->axis[i].name);
            return VG_BAD_INPUT;
        }
        runs *= plan->axis[i].n;
    }
    if (runs > MOST_RUNS) {
        vg_diag_error(diag, VG_NOWHERE, "%.3g combinations; a study has at most %d runs", runs, MOST_RUNS);
        return VG_BAD_INPUT;
    }
    plan->runs = (long)runs;
    return VG_OK;
}

vgStatus vg_plan_rule(vgPlan *plan, const char *text, uint64_t seed, vgDiag *diag)
{
    static const char *const name[] = {"sobol", "lhs", "random"};
    static const vgPlanRule rule[] = {VG_PLAN_SOBOL, VG_PLAN_LHS, VG_PLAN_RANDOM};
    plan->seed = seed;
    if (!text && plan->rule == VG_PLAN_TABLE) {
        plan->runs = plan->axis[0].n;
        return VG_OK;
    }
    if (!text) return all_combinations(plan, diag);
    size_t n = strcspn(text, ":");
    for (int i = 0; i < 3; i++) {
        if (strlen(name[i]) != n || strncmp(text, name[i], n) != 0 || !text[n]) continue;
        char *end;
        long runs = strtol(text + n + 1, &end, 10);
        if (*end || end == text + n + 1 || runs < 1 || runs > MOST_RUNS) break;
        plan->rule = rule[i];
        plan->runs = runs;
        for (int a = 0; a < plan->naxis && rule[i] == VG_PLAN_LHS; a++)
            if (shuffle(&plan->axis[a], (uint64_t)a, seed, runs) != VG_OK) return VG_NO_MEMORY;
        return VG_OK;
    }
    char word[32];
    snprintf(word, sizeof word, "%.*s", (int)(n < 31 ? n : 31), text);
    const char *near = vg_name_closest(word, name, 3);
    vg_diag_error(diag, VG_NOWHERE, "--sample %s: expected %s:N with N from 1 to %d", text,
                  near ? near : "sobol:N, lhs:N or random", MOST_RUNS);
    return VG_BAD_INPUT;
}

/* Where in (0, 1) run i lies along an axis. */
static double place(const vgPlan *plan, int axis, long run)
{
    uint64_t bits = random_bits(plan->seed, (uint64_t)axis, (uint64_t)run);
    if (plan->rule == VG_PLAN_SOBOL) {
        uint32_t shift = (uint32_t)(random_bits(plan->seed, (uint64_t)axis, UINT64_MAX) >> 32);
        return ((double)(sobol_bits(axis, (uint32_t)run) ^ shift) + 0.5) * 0x1p-32;
    }
    if (plan->rule == VG_PLAN_LHS)
        return (plan->axis[axis].stratum[run] + open_unit(bits)) / (double)plan->runs;
    return open_unit(bits);
}

static double listed(const vgPlanAxis *x, long i)
{
    if (x->value) return x->value[i];
    if (x->n < 2 || i == 0) return x->a;
    return i == x->n - 1 ? x->b : x->a + (x->b - x->a) * ((double)i / (x->n - 1));
}

void vg_plan_values(const vgPlan *plan, long run, double *out)
{
    long rest = run;
    for (int i = plan->naxis - 1; i >= 0; i--) {
        const vgPlanAxis *x = &plan->axis[i];
        if (plan->rule == VG_PLAN_GRID) {
            out[i] = listed(x, rest % x->n);
            rest /= x->n;
            continue;
        }
        if (plan->rule == VG_PLAN_TABLE) {
            out[i] = listed(x, run);
            continue;
        }
        double u = place(plan, i, run);
        if (x->law == VG_PLAN_LIST)
            out[i] = listed(x, (long)fmin(floor(u * x->n), x->n - 1));
        else if (x->law == VG_PLAN_UNIFORM)
            out[i] = x->a + (x->b - x->a) * u;
        else
            out[i] = x->a + x->b * normal_quantile(u);
        if (x->law == VG_PLAN_LOGNORMAL) out[i] = exp(out[i]);
    }
}

void vg_plan_free(vgPlan *plan)
{
    for (int i = 0; i < plan->naxis; i++) {
        free(plan->axis[i].value);
        free(plan->axis[i].stratum);
    }
    *plan = (vgPlan){0};
}
