/* verge advise: a recommended setting of the dials with its reasons. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/study/advise/advise.h"
#include "cli/study.h"

/* For the model file: what the trials kept of its run part stays in it. */
static void run_block(const vgAdvice *a, const vgRunOptions *run, double end, vgText *t)
{
    char name[VG_TRIAL_NAME];
    const char *rest = strchr(a->run_integrator, ':');
    snprintf(name, sizeof name, "%.*s", (int)strcspn(a->run_integrator, ":"), a->run_integrator);
    vg_text_add(t, "run: {coordinates: %s, constraints: %s, integrator: ", a->run_coordinates,
                a->run_constraints);
    if (rest) {
        vg_text_add(t, "{%s: {", name);
        for (const char *c = rest + 1; *c; c++)
            vg_text_add(t, *c == '=' ? ": " : *c == ',' ? ", " : "%c", *c);
        vg_text_add(t, "}}");
    } else {
        vg_text_add(t, "%s", name);
    }
    if (a->run_step > 0) vg_text_add(t, ", step: %.3g", a->run_step);
    vg_text_add(t, ", end: %g%s%s}\n", end, run->locate_events > 0 ? ", events: locate" : "",
                run->equilibrium ? ", start: equilibrium" : "");
}

static void tell_failure(const vgTrial *r, vgText *t)
{
    vg_text_add(t, r->status == VG_INTERRUPTED ? "%s\n" : "failed: %s\n", r->why);
}

static void table(const vgAdvice *a, const vgRunOptions *run, double end, vgText *t)
{
    char b[4][24];
    if (a->best >= 0) run_block(a, run, end, t);
    vg_text_add(t, "\nbecause\n");
    for (int i = 0; i < a->nreason; i++) vg_text_add(t, "  - %s\n", a->reason[i]);
    vg_text_add(t, "\ntrials over %g s against %s\n", a->span, a->reference.integrator);
    vg_text_add(t, "  %-28s %-8s %10s %11s %10s %12s\n", "integrator", "constr.", "step|rtol", "error",
                "seconds", "meets, cost");
    for (int l = 0; l < a->nladder; l++) {
        const vgLadder *x = &a->ladder[l];
        if (x->nrung == 0) vg_text_add(t, "  %-28.28s not tried: the time was up\n", x->integrator);
        for (int k = 0; k < x->nrung; k++) {
            const vgTrial *r = &a->trial[x->first + k];
            double knob = x->adaptive ? pow(10, -3 - k) : r->step;
            vg_text_add(t, "  %-28.28s %-8.8s %10.3g ", k ? "" : x->integrator, r->constraints, knob);
            if (r->status != VG_OK)
                tell_failure(r, t);
            else
                vg_text_add(t, "%11s %10.3e %12s\n", vg_study_short(r->worst, b[0]), r->run.solve_seconds,
                            k ? "" : vg_study_short(a->cost[l], b[1]));
        }
    }
    for (int i = 0; i < a->ncoordinates + a->nsettings; i++) {
        const int other = i - a->ncoordinates;
        const vgTrial *r = other < 0 ? &a->coordinates[i] : &a->settings[other];
        vg_text_add(t, "  in %-25s %-8.8s %10.3g ", r->coordinates, r->constraints,
                    other < 0 ? a->coordinate_knob[i] : a->run_knob);
        if (r->status != VG_OK)
            tell_failure(r, t);
        else
            vg_text_add(t, "%11s %10.3e\n", vg_study_short(r->worst, b[0]), r->run.solve_seconds);
    }
}

static void trial_json(const vgStudy *s, const vgTrial *t, vgJson *j)
{
    vg_json_open(j, NULL, '{');
    vg_study_trial_json(s, t, j);
    vg_json_close(j);
}

static void tell_json(const vgStudy *s, const vgAdvice *a, vgJson *j)
{
    vg_json_open(j, NULL, '{');
    vg_study_status_json(a->best >= 0, j);
    if (a->best >= 0) {
        vg_json_open(j, "recommended", '{');
        vg_json_text(j, "coordinates", a->run_coordinates);
        vg_json_text(j, "constraints", a->run_constraints);
        vg_json_text(j, "integrator", a->run_integrator);
        if (a->run_step > 0) vg_json_number(j, "step", a->run_step);
        vg_json_number(j, "seconds_per_second", a->run_cost);
        vg_json_number(j, "error", a->run_error);
        vg_json_number(j, "error_until", a->run_until);
        vg_json_bool(j, "met", a->met);
        vg_json_close(j);
    } else {
        vg_json_null(j, "recommended");
    }
    vg_json_open(j, "reasons", '[');
    for (int i = 0; i < a->nreason; i++) vg_json_text(j, NULL, a->reason[i]);
    vg_json_close(j);
    vg_json_open(j, "model", '{');
    vg_json_int(j, "freedom", a->freedom);
    vg_json_int(j, "loops", a->loops);
    vg_json_int(j, "redundant", a->redundant);
    vg_json_number(j, "fastest", a->eigenvalues ? a->fastest : NAN);
    vg_json_number(j, "slowest", a->eigenvalues ? a->slowest : NAN);
    vg_json_number(j, "fastest_at_start", a->eigenvalues ? a->start : NAN);
    vg_json_number(j, "fastest_time", a->eigenvalues ? a->fastest_t : NAN);
    vg_json_close(j);
    vg_json_number(j, "span", a->span);
    vg_json_open(j, "trials", '[');
    for (int l = 0; l < a->nladder; l++)
        for (int k = 0; k < a->ladder[l].nrung; k++) trial_json(s, &a->trial[a->ladder[l].first + k], j);
    for (int i = 0; i < a->ncoordinates; i++) trial_json(s, &a->coordinates[i], j);
    for (int i = 0; i < a->nsettings; i++) trial_json(s, &a->settings[i], j);
    vg_json_close(j);
    vg_json_close(j);
}

static int advise(const vgArgs *args)
{
    vgStudy s = {0};
    vgAdvice *a = calloc(1, sizeof *a);
    vgAdviceOptions o = {.tolerance = 1e-4, .budget = 60};
    int code = a ? vg_study_open(&s, args) : VG_EXIT_FAILED;
    if (!a) return code;
    if (code == VG_EXIT_OK && !vg_cli_given(args, "limit")) s.limit = 5;
    o.end = s.end, o.limit = s.limit, o.threads = s.threads;
    if (code == VG_EXIT_OK &&
        (vg_cli_number(args, "error", 1e-10, &o.tolerance) < 0 ||
         vg_cli_number(args, "span", 1e-9, &o.span) < 0 || vg_cli_number(args, "budget", 0.1, &o.budget) < 0))
        code = VG_EXIT_INPUT;
    if (code == VG_EXIT_OK && o.span > o.end)
        code =
            vg_cli_wrong("--span: trials of %g s are longer than the run, which ends at %g s", o.span, o.end);
    if (code == VG_EXIT_OK) {
        vgStatus st = vg_advise(&s.trials, &o, s.job.diag, a);
        if (st != VG_OK) code = vg_cli_job_error(&s.job, st);
    }
    if (code == VG_EXIT_OK && vg_cli_given(args, "json")) {
        vgJson j = {.indent = 2};
        tell_json(&s, a, &j);
        vg_cli_answer(&j);
    } else if (code == VG_EXIT_OK) {
        vgText t = {0};
        table(a, &s.job.model->run, s.end, &t);
        vg_cli_print(&t);
        vg_text_free(&t);
    }
    if (code == VG_EXIT_OK && a->best >= 0 && !a->met)
        fprintf(stderr,
                "verge: warning: an error of %g is not kept: what is recommended has %.2g over %g s\n",
                a->tolerance, a->run_error, a->run_until);
    if (code == VG_EXIT_OK && a->best < 0) code = VG_EXIT_FAILED;
    vg_advice_free(a);
    free(a);
    vg_study_close(&s);
    return code;
}

static const vgOption options[] = {
    {"error", 0, "X", "acceptable relative error at all times of the run (default 1e-4)"},
    {"channels", 0, "CHANNEL,…", "whose errors are looked at (default: what the model records)"},
    {"span", 0, "T",
     "length of the trial runs, s (default: the whole run if short, else from the eigenvalues)"},
    {"end", 0, "T", "end time of the run to advise on, s (default: the model's)"},
    {"limit", 0, "SECONDS", "processor time a trial may take (default 5)"},
    {"budget", 0, "SECONDS", "processor time all of them may take, about (default 60)"},
    {"threads", 0, "N", "trials side by side (default: the cores)"},
    {"set", 0, "P=VALUE …", "parameter of the model; may be given several times"},
    {"json", 0, NULL, "one JSON object on stdout"},
    {0},
};

const vgCommand vg_cmd_advise = {
    .name = "advise",
    .usage = "MODEL.yaml [options]",
    .doc = "recommend dials, ρ∞ and step from eigenvalues and trials, with reasons",
    .example = "  verge advise models/squeezer.yaml --error 1e-6\n",
    .min = 1,
    .max = 1,
    .options = options,
    .run = advise,
};
