/* verge equilibrium: where a model rests. */
#include <stdio.h>

#include "cli/moment.h"
#include "io/json.h"

static void tell_json(const vgMoment *m, int code)
{
    vgJson json = {.indent = 2};
    vg_json_open(&json, NULL, '{');
    vg_json_text(&json, "status", code == VG_EXIT_OK ? "ok" : "failed");
    vg_json_text(&json, "error", code == VG_EXIT_OK ? NULL : m->job.error);
    if (m->sim.state) vg_json_number(&json, "time", m->sim.state->t);
    vg_json_int(&json, "load_steps", m->rest.load_steps);
    vg_json_int(&json, "iterations", m->rest.iterations);
    vg_json_int(&json, "relaxations", m->rest.relaxations);
    vg_json_number(&json, "correction", m->rest.correction);
    vg_json_number(&json, "residual", m->rest.residual);
    vg_json_number(&json, "violation", m->rest.phi);
    vg_json_open(&json, "channels", '{');
    for (int i = 0; m->values && i < vg_channels_count(m->channels); i++)
        vg_json_number(&json, vg_channels_name(m->channels, i), m->values[i]);
    vg_json_close(&json);
    vg_json_close(&json);
    puts(vg_json_at(&json));
    vg_json_free(&json);
}

static void tell_table(const vgMoment *m)
{
    const vgEquilibrium *r = &m->rest;
    printf("equilibrium at t = %g s: %d load steps, %d iterations", m->sim.state->t, r->load_steps,
           r->iterations);
    if (r->relaxations) printf(", %d steps of the slow way", r->relaxations);
    printf("\n  last correction %.1e, residual %.1e, violation %.1e\n", r->correction, r->residual, r->phi);
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
    if (code == VG_EXIT_OK) code = vg_moment_rest(args, &m, t);
    if (code == VG_EXIT_OK) code = vg_moment_channels(args, &m);
    if (vg_cli_given(args, "json"))
        tell_json(&m, code);
    else if (code == VG_EXIT_OK)
        tell_table(&m);
    vg_moment_close(&m);
    return code;
}

static const vgOption options[] = {
    {"at", 0, "T", "with the drives and loads of time T, taken there from 0 in steps"},
    {"steps", 0, "N", "at least so many load steps (with --at: so many times between)"},
    {"relax", 0, NULL, "the slow way that ends in a stable rest"},
    {"tolerance", 0, "X", "of the last correction (default 1e-11)"},
    {"print", 0, "CHANNELS", "what to tell, e.g. body.*.position.z,joint.A.force.*"},
    {"set", 0, "P=VALUE", "parameter of the model; may be given several times"},
    {"json", 0, NULL, "one JSON object on stdout"},
    {0},
};

const vgCommand vg_cmd_equilibrium = {
    .name = "equilibrium",
    .usage = "MODEL.yaml [options]",
    .doc = "static and driven equilibrium: positions and reactions at rest",
    .example = "  verge equilibrium models/cantilever.yaml\n",
    .min = 1,
    .max = 1,
    .options = options,
    .run = equilibrium,
};
