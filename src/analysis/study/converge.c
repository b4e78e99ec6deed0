#include "analysis/study/converge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "analysis/tuning.h"

void vg_converge_tolerances(const char *integrator, double rtol, double atol, char out[VG_TRIAL_NAME])
{
    vg_options_set(integrator, "rtol", rtol, out, VG_TRIAL_NAME);
    vg_options_set(out, "atol", atol, out, VG_TRIAL_NAME);
}

static void put_trial(const vgConverge *plan, const vgLadder *l, int rung, vgTrial *t)
{
    memset(t, 0, sizeof *t);
    snprintf(t->coordinates, sizeof t->coordinates, "%s", plan->coordinates ? plan->coordinates : "");
    snprintf(t->constraints, sizeof t->constraints, "%s", plan->constraints ? plan->constraints : "");
    t->end = plan->end;
    t->limit = plan->limit;
    if (l->adaptive) {
        double scale = pow(10, -rung);
        vg_converge_tolerances(l->integrator, fmax(VG_LADDER_RTOL, l->rtol * scale),
                               fmax(VG_LADDER_ATOL, l->atol * scale), t->integrator);
        t->step = l->outside ? plan->step : 0;
    } else {
        snprintf(t->integrator, sizeof t->integrator, "%s", l->integrator);
        t->step = ldexp(plan->step, -rung);
    }
}

/* The number behind a key in the options of a method; 0: it is not there. */
static double given(const char *text, const char *key)
{
    const char *value = vg_options_value(text, key);
    return value ? strtod(value, NULL) : 0;
}

/* A method that follows a tolerance, by default or because one is given, is tightened from it on. */
static void tolerances(const vgConverge *plan, vgLadder *l)
{
    char name[VG_TRIAL_NAME];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(l->integrator, ":"), l->integrator);
    const vgIntegratorRow *row = vg_integrator_find(name);
    double rtol = given(l->integrator, "rtol"), atol = given(l->integrator, "atol");
    int by_default = row && (row->flags & VG_INT_ADAPTIVE), asked = rtol > 0 || atol > 0;
    l->outside = row && !strcmp(row->family, "SUNDIALS");
    if (strstr(l->integrator, "adaptive="))
        by_default = strstr(l->integrator, "adaptive=1") || strstr(l->integrator, "adaptive=yes");
    l->adaptive = by_default || asked || l->outside;
    l->rtol = rtol > 0 ? rtol : plan->rtol;
    l->atol = atol > 0 ? atol : VG_ATOL_PART * l->rtol;
}

int vg_converge_plan(const vgConverge *plan, char *const *integrator, int n, vgLadder *ladder, vgTrial *trial)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        vgLadder *l = &ladder[i];
        memset(l, 0, sizeof *l);
        snprintf(l->integrator, sizeof l->integrator, "%s", integrator[i]);
        tolerances(plan, l);
        l->first = count;
        l->nrung = plan->rungs;
        for (int k = 0; k < plan->rungs; k++) put_trial(plan, l, k, &trial[count++]);
        if (plan->own_reference) {
            l->own = count;
            put_trial(plan, l, plan->rungs + 1, &trial[count++]);
        }
    }
    return count;
}

static double error_of(const vgTrial *t, int channel)
{
    return t->status != VG_OK ? NAN : channel < 0 ? t->worst : t->error[channel];
}

double vg_converge_order(const vgLadder *l, const vgTrial *trial, int rung, int channel)
{
    if (rung < 1 || rung >= l->nrung) return NAN;
    double a = error_of(&trial[l->first + rung - 1], channel), b = error_of(&trial[l->first + rung], channel);
    return a > 0 && b > 0 ? log(a / b) / log(l->adaptive ? 10 : 2) : NAN;
}

double vg_converge_slope(const vgLadder *l, const vgTrial *trial, int channel, double floor)
{
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int k = 0; k < l->nrung; k++) {
        double e = error_of(&trial[l->first + k], channel), x = -(double)k * log(l->adaptive ? 10 : 2);
        if (!(e > floor && e < VG_ORDER_ABOVE)) continue;
        double y = log(e);
        n++, sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    return n < 2 ? NAN : (n * sxy - sx * sy) / (n * sxx - sx * sx);
}
