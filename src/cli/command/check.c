/* verge check: what a model is made of, and whether it fits together. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/state/assemble.h"
#include "analysis/run/simulation.h"
#include "cli/page/job.h"
#include "io/record.h"
#include "io/json.h"

typedef struct checkJob {
    vgCliJob job;
    vgModelSummary sum;
    vgAssembly found;
    vgStatus status;
    int *repeated; /* [njoint] redundant rows of each joint */
} checkJob;

static void count_redundant(checkJob *c)
{
    for (int i = 0; i < c->found.nredundant; i++) {
        int joint = c->job.sys->row_joint[c->found.redundant[i]];
        if (joint >= 0) c->repeated[joint]++;
    }
}

static const char *joint_name(const checkJob *c, int joint)
{
    return joint >= 0 ? c->job.model->joint[joint].name : NULL;
}

static void numbers3(vgJson *json, const char *key, vgVec3 v)
{
    double x[3] = {v.x, v.y, v.z};
    vg_json_numbers(json, key, 3, x);
}

static void initial_json(const checkJob *c, vgJson *json)
{
    const vgAssembly *f = &c->found;
    vg_json_open(json, "initial", '{');
    vg_json_number(json, "position_violation", f->phi_before);
    vg_json_text(json, "position_joint", joint_name(c, f->joint_before));
    vg_json_number(json, "velocity_violation", f->phi_dot_before);
    vg_json_text(json, "velocity_joint", joint_name(c, f->joint_dot_before));
    vg_json_close(json);
    if (c->status != VG_OK) return;
    vg_json_open(json, "assembled", '{');
    vg_json_number(json, "position_violation", f->phi);
    vg_json_number(json, "velocity_violation", f->phi_dot);
    vg_json_int(json, "iterations", f->iterations);
    vg_json_number(json, "moved", f->moved);
    vg_json_number(json, "turned", f->turned);
    vg_json_number(json, "speed_changed", f->speed);
    vg_json_close(json);
}

static void tell_json(const checkJob *c, vgJson *json)
{
    const vgModel *m = c->job.model;
    const vgModelSummary *s = &c->sum;
    double inertia[9];
    vg_mstore3(s->inertia, inertia);
    vg_json_open(json, NULL, '{');
    vg_cli_status(json, !*vg_cli_complaint(), NULL);
    vg_json_text(json, "title", m->title ? m->title : "");
    vg_json_bool(json, "planar", m->planar);
    vg_json_int(json, "bodies", s->bodies);
    vg_json_int(json, "joints", s->joints);
    vg_json_int(json, "drives", s->drives);
    vg_json_int(json, "forces", s->forces);
    vg_json_int(json, "controllers", m->ncontroller);
    vg_json_int(json, "coordinates", s->coordinates);
    vg_json_int(json, "constraints", s->rows);
    if (c->status == VG_OK) vg_json_int(json, "redundant_constraints", c->found.nredundant);
    if (c->status == VG_OK) vg_json_int(json, "degrees_of_freedom", c->found.freedom);
    vg_json_open(json, "redundant", '{');
    for (int i = 0; i < m->njoint; i++) {
        if (c->repeated[i]) vg_json_int(json, m->joint[i].name, c->repeated[i]);
    }
    vg_json_close(json);
    initial_json(c, json);
    vg_json_number(json, "mass", s->mass);
    numbers3(json, "center_of_mass", s->com);
    vg_json_numbers(json, "inertia", 9, inertia);
    vg_json_int(json, "bodies_without_mass", s->nmassless);
    vg_json_close(json);
}

static void redundant_table(const checkJob *c)
{
    const vgModel *m = c->job.model;
    if (c->found.nredundant == 0) return;
    printf("  redundant      %d:", c->found.nredundant);
    for (int i = 0, n = 0; i < m->njoint; i++) {
        if (c->repeated[i]) printf("%s %d of joint %s", n++ ? "," : "", c->repeated[i], m->joint[i].name);
    }
    puts("");
    if (c->status == VG_OK)
        puts("                 their share of the reactions is not determined; the motion is");
}

static void violation_row(const checkJob *c, const char *what, double value, int joint)
{
    printf("    %-10s %.3e", what, value);
    if (joint >= 0 && value > 0) printf(" at joint %s", joint_name(c, joint));
    putchar('\n');
}

static void count(const char *before, int n, const char *one, const char *many)
{
    printf("%s%d %s", before, n, n == 1 ? one : many);
}

/* Without what only rounding left, beside numbers of that size. */
static double clean(double value, double size)
{
    return fabs(value) < 1e-13 * size ? 0 : value;
}

static void mass_table(const vgModel *m, const vgModelSummary *s)
{
    double far = vg_norm3(s->com), most = vg_trace3(s->inertia), J[3][3];
    for (int i = 0; i < 9; i++) J[i / 3][i % 3] = clean(s->inertia.m[i / 3][i % 3], most);
    printf("  mass           %.9g kg, centre of mass at (%.6g, %.6g", s->mass, clean(s->com.x, far),
           clean(s->com.y, far));
    if (m->planar) {
        printf(") m\n  inertia        %.6g kg m²\n", J[2][2]);
        return;
    }
    printf(", %.6g) m\n  inertia        xx %.6g, yy %.6g, zz %.6g, xy %.6g, xz %.6g, yz %.6g kg m²\n",
           clean(s->com.z, far), J[0][0], J[1][1], J[2][2], J[0][1], J[0][2], J[1][2]);
}

static void tell_table(const checkJob *c)
{
    const vgModel *m = c->job.model;
    const vgModelSummary *s = &c->sum;
    const vgAssembly *f = &c->found;
    printf("%s%s%s\n", m->path ? m->path : "", m->title && *m->title ? ": " : "", m->title ? m->title : "");
    printf("  model          %s", m->planar ? "planar" : "spatial");
    count(", ", s->bodies, "body", "bodies");
    count(", ", s->joints, "joint", "joints");
    count(", ", s->drives, "drive", "drives");
    count(", ", s->forces, "force", "forces");
    if (m->ncontroller) count(", ", m->ncontroller, "controller", "controllers");
    printf("\n");
    printf("  coordinates    %d\n  constraints    %d\n", s->coordinates, s->rows);
    redundant_table(c);
    if (c->status == VG_OK) printf("  freedom        %d degree%s\n", f->freedom, f->freedom == 1 ? "" : "s");
    mass_table(m, s);
    if (s->nmassless)
        printf("  without mass   %d, the first '%s': joints must hold what has none, or it has no "
               "acceleration\n",
               s->nmassless, m->body[s->massless].name);
    puts("  violation as given");
    violation_row(c, "position", f->phi_before, f->joint_before);
    violation_row(c, "velocity", f->phi_dot_before, f->joint_dot_before);
    if (c->status != VG_OK) return;
    puts("  violation after assembly");
    violation_row(c, "position", f->phi, -1);
    violation_row(c, "velocity", f->phi_dot, -1);
    for (int i = 0; i < 3; i++) {
        char text[200];
        if (vg_assembly_change(f, m, i, VG_CHECK_MOVED, text, sizeof text)) printf("    %s\n", text);
    }
}

/* What a run would stumble over: names of channels, the integrator and its options. */
static vgStatus check_run(const checkJob *c)
{
    vgChannels *channels = NULL;
    vgSimulation sim;
    vgStatus recorded =
        vg_record_channels(c->job.sys, c->job.model, &(vgRecordMore){0}, c->job.diag, &channels);
    vgStatus opened = vg_simulation_open(c->job.model, &(vgDials){0}, c->job.diag, &sim);
    if (opened == VG_OK) vg_simulation_close(&sim);
    vg_channels_free(channels);
    return opened != VG_OK ? opened : recorded;
}

static int check_system(const vgArgs *args, checkJob *c)
{
    vgState *state = NULL;
    int code = vg_cli_system(&c->job);
    if (code != VG_EXIT_OK) return code;
    if (vg_model_describe(c->job.model, &c->sum) != VG_OK) return vg_cli_job_error(&c->job, VG_NO_MEMORY);
    c->repeated = calloc((size_t)c->job.model->njoint + 1, sizeof *c->repeated);
    if (!c->repeated) return VG_EXIT_FAILED;
    c->status = vg_assemble(c->job.sys, 0, 0, c->job.diag, &c->found, &state);
    vg_state_free(state);
    count_redundant(c);
    vgStatus runs = c->status == VG_OK ? check_run(c) : c->status;
    if (runs != VG_OK)
        code = vg_cli_job_error(&c->job, runs);
    else
        vg_cli_say(c->job.diag);
    vgJson json = {.indent = 2};
    if (vg_cli_given(args, "json")) {
        tell_json(c, &json);
        vg_cli_answer(&json);
    } else {
        tell_table(c);
    }
    return code;
}

static int check(const vgArgs *args)
{
    checkJob c = {0};
    int code = vg_cli_load(args, vg_cli_word(args, 0), &c.job);
    if (code == VG_EXIT_OK) code = check_system(args, &c);
    vg_assembly_free(&c.found);
    free(c.repeated);
    vg_cli_unload(&c.job);
    return code;
}

static const vgOption options[] = {
    {"coordinates", 0, "C", "see the model through these coordinates"},
    {"constraints", 0, "K", "and with these constraints"},
    {"set", 0, "P=VALUE …", "parameter of the model; VALUE may be an expression; may be given several times"},
    {"json", 0, NULL, "one JSON object on stdout"},
    {0},
};

const vgCommand vg_cmd_check = {
    .name = "check",
    .usage = "MODEL.yaml [options]",
    .doc = "check a model: degrees of freedom, redundant and conflicting constraints, mass",
    .example = "  verge check models/four-bar-spatial.yaml\n",
    .min = 1,
    .max = 1,
    .options = options,
    .run = check,
};
