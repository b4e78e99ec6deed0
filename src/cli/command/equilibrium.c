/* verge equilibrium: where a model rests. */
#include <math.h>
#include <stdio.h>

#include "analysis/modes/modes.h"
#include "cli/moment.h"
#include "element/contact/friction.h"
#include "io/json.h"

static void path_json(const vgMoment *m, vgJson *json)
{
    int n = vg_channels_count(m->channels) + 1;
    vg_json_number(json, "limit_load", m->rest.limit);
    vg_json_open(json, "path", '[');
    for (int k = 0; k < m->npath; k++) {
        const double *row = m->path + (size_t)k * (size_t)n;
        vg_json_open(json, NULL, '{');
        vg_json_number(json, "load", row[0]);
        for (int i = 1; i < n; i++) vg_json_number(json, vg_channels_name(m->channels, i - 1), row[i]);
        vg_json_close(json);
    }
    vg_json_close(json);
}

static void path_table(const vgMoment *m)
{
    int n = vg_channels_count(m->channels), most = n < 6 ? n : 6;
    printf("          load");
    for (int i = 0; i < most; i++) printf("  %22s", vg_channels_name(m->channels, i));
    printf("\n");
    for (int k = 0; k < m->npath; k++) {
        const double *row = m->path + (size_t)k * (size_t)(n + 1);
        printf("  %12.7g", row[0]);
        for (int i = 0; i < most; i++) printf("  %22.9g", row[i + 1]);
        printf("\n");
    }
    if (m->rest.limit == m->rest.limit) printf("  the load turns back at %.6g\n", m->rest.limit);
}

static int creeps(const vgModel *m, int force)
{
    return vg_friction_hold(m->force[force].kind, m->force[force].def) == VG_HOLD_CREEPS;
}

static void tell_json(const vgMoment *m, int code)
{
    vgJson json = {.indent = 2};
    vg_json_open(&json, NULL, '{');
    vg_cli_status(&json, code == VG_EXIT_OK, NULL);
    if (m->sim.state) vg_json_number(&json, "time", m->sim.state->t);
    vg_json_int(&json, "load_steps", m->rest.load_steps);
    vg_json_int(&json, "iterations", m->rest.iterations);
    vg_json_int(&json, "relaxations", m->rest.relaxations);
    vg_json_number(&json, "correction", m->rest.correction);
    vg_json_number(&json, "residual", m->rest.residual);
    vg_json_number(&json, "violation", m->rest.phi);
    vg_json_number(&json, "unstable_directions", m->stability.unstable < 0 ? NAN : m->stability.unstable);
    vg_json_open(&json, "neutral_directions", '[');
    for (int i = 0; i < m->stability.neutral && i < VG_NEUTRAL_NAMES; i++) {
        char name[200];
        vg_modes_name(m->sim.sys, m->stability.coordinate[i], name, sizeof name);
        vg_json_text(&json, NULL, name);
    }
    vg_json_close(&json);
    vg_json_open(&json, "friction_left_out", '[');
    for (int i = 0; m->job.model && i < m->job.model->nforce; i++)
        if (creeps(m->job.model, i)) vg_json_text(&json, NULL, m->job.model->force[i].name);
    vg_json_close(&json);
    vg_json_open(&json, "channels", '{');
    for (int i = 0; m->values && i < vg_channels_count(m->channels); i++)
        vg_json_number(&json, vg_channels_name(m->channels, i), m->values[i]);
    vg_json_close(&json);
    if (m->path) path_json(m, &json);
    vg_json_close(&json);
    vg_cli_answer(&json);
}

/* Directions in which it could rest anywhere. */
static void tell_neutral(const vgMoment *m)
{
    const vgStability *s = &m->stability;
    if (s->neutral == 0) return;
    printf("  free to move, in equilibrium wherever it is placed:");
    for (int i = 0; i < s->neutral && i < VG_NEUTRAL_NAMES; i++) {
        char name[200];
        vg_modes_name(m->sim.sys, s->coordinate[i], name, sizeof name);
        printf("%s %s", i ? "," : "", name);
    }
    if (s->neutral > VG_NEUTRAL_NAMES) printf(" and %d more", s->neutral - VG_NEUTRAL_NAMES);
    puts("");
}

/* Smooth friction lets go slowly what it slows down: nothing rests by it. */
static void tell_creep(const vgModel *m)
{
    int n = 0, at = -1;
    for (int i = m->nforce - 1; i >= 0; i--)
        if (creeps(m, i)) n++, at = i;
    if (n == 0) return;
    printf("  friction of '%s'", m->force[at].name);
    if (n > 1) printf(" and %d more", n - 1);
    puts(" is smooth and does not hold: this is the equilibrium without it (with `stick` it holds)");
}

static void tell_table(const vgMoment *m)
{
    const vgEquilibrium *r = &m->rest;
    printf("equilibrium at t = %g s: %d load steps, %d iterations", m->sim.state->t, r->load_steps,
           r->iterations);
    if (r->relaxations) printf(", %d relaxation steps", r->relaxations);
    printf("\n  last correction %.1e, residual %.1e, violation %.1e\n", r->correction, r->residual, r->phi);
    if (m->stability.unstable > 0)
        printf(
            "  not stable: pushed ever so little it is left, in %d direction%s; --relax finds a stable one\n",
            m->stability.unstable, m->stability.unstable > 1 ? "s" : "");
    tell_neutral(m);
    tell_creep(m->job.model);
    for (int i = 0; i < vg_channels_count(m->channels); i++)
        printf("  %-32s %16.9g %s\n", vg_channels_name(m->channels, i), m->values[i],
               vg_channels_unit(m->channels, i));
}

static int equilibrium(const vgArgs *args)
{
    vgMoment m = {0};
    double t = 0;
    if (vg_cli_number(args, "at", 0, &t) < 0) return VG_EXIT_INPUT;
    int code = vg_moment_open(args, &m);
    if (code == VG_EXIT_OK) code = vg_moment_channels(args, &m);
    if (code == VG_EXIT_OK)
        code = vg_cli_given(args, "turning") ? vg_moment_turning(args, &m) : vg_moment_rest(args, &m, t);
    m.stability.unstable = -1;
    if (code == VG_EXIT_OK && !vg_cli_given(args, "turning"))
        m.stability = vg_modes_stability(m.sim.sys, m.sim.it->work, m.sim.state, NULL);
    if (m.stability.status != VG_OK) code = vg_cli_job_error(&m.job, m.stability.status);
    if (code == VG_EXIT_OK) vg_channels_eval(m.channels, m.sim.it->work, m.sim.state, m.values);
    if (vg_cli_given(args, "json"))
        tell_json(&m, code);
    else if (m.path)
        path_table(&m);
    if (!vg_cli_given(args, "json") && code == VG_EXIT_OK) tell_table(&m);
    vg_moment_close(&m);
    return code;
}

static const vgOption options[] = {
    {"at", 0, "T", "with the drives and loads of time T, taken there from 0 in steps"},
    {"steps", 0, "N", "least number of load steps (with --at: of times between 0 and T)"},
    {"relax", 0, NULL,
     "by relaxation (heavily damped motion) instead of load steps: slow, ends in a stable equilibrium"},
    {"arc", 0, NULL, "follow the path by arc length, also where the load falls, and report its points"},
    {"turning", 0, "BODY",
     "steady rotation: equilibrium in a frame that rotates with BODY at its initial speed"},
    {"tolerance", 0, "X", "of the last correction (default 1e-11)"},
    {"print", 0, "CHANNELS", "what to print, e.g. body.*.position.z,joint.A.force.*"},
    {"set", 0, "P=VALUE …", "parameter of the model; may be given several times"},
    {"json", 0, NULL, "one JSON object on stdout"},
    {0},
};

const vgCommand vg_cmd_equilibrium = {
    .name = "equilibrium",
    .usage = "MODEL.yaml [options]",
    .doc = "static equilibrium, or equilibrium under drives: positions and reactions",
    .more = "Friction with `stick` holds a load up to its limit, as if the model were released very slowly "
            "from its initial position. Smooth friction holds no load.\n",
    .example = "  verge equilibrium models/cantilever.yaml\n"
               "  verge equilibrium models/arch.yaml --arc --print body.arch.17.position.y\n",
    .min = 1,
    .max = 1,
    .options = options,
    .run = equilibrium,
};
