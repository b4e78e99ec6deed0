/* verge inverse: the torques and forces that a prescribed motion needs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/state/inverse.h"
#include "cli/page/job.h"
#include "io/json.h"
#include "io/results.h"

typedef struct inverseJob {
    vgCliJob job;
    vgInverse *inv;
    int n, nwrench, nall; /* coordinates; components of wrenches; 4 n + nwrench channels */
    char **name;          /* nall: coordinates, rates, accelerations, forces, then wrenches */
    const char **unit;    /* nall */
    double *row;
    vgResults *results;
    int as_json;
    vgJson json;
} inverseJob;

static int motions(const vgArgs *args, inverseJob *j)
{
    for (int i = 0; i < vg_cli_given(args, "motion"); i++) {
        const char *text = vg_cli_nth(args, "motion", i), *equal = strchr(text, '=');
        char which[128];
        if (!equal || equal == text || !equal[1] || equal - text >= (long)sizeof which)
            return vg_cli_wrong("--motion: '%s' must be JOINT=EXPRESSION", text);
        snprintf(which, sizeof which, "%.*s", (int)(equal - text), text);
        vgStatus st = vg_inverse_prescribe(j->inv, which, equal + 1, j->job.diag);
        if (st == VG_OK) continue;
        const char *line = vg_diag_line(j->job.diag, 0), *words = line ? strstr(line, "error: ") : NULL;
        return vg_cli_wrong("--motion '%s': %s", text,
                            words ? words + strlen("error: ") : vg_status_text(st));
    }
    return VG_EXIT_OK;
}

/* joint.J1.angle → joint.J1.angle, .angle.rate, .angle.acceleration, and its force. */
static int channels(inverseJob *j)
{
    static const char *const tail[4] = {"", ".rate", ".acceleration", NULL};
    j->n = vg_inverse_count(j->inv);
    j->nwrench = vg_inverse_wrench_count(j->inv);
    j->nall = 4 * j->n + j->nwrench;
    size_t n = (size_t)j->nall + 1;
    j->name = calloc(n, sizeof *j->name);
    j->unit = calloc(n, sizeof *j->unit);
    j->row = calloc(n, sizeof *j->row);
    if (!j->name || !j->unit || !j->row) return VG_EXIT_FAILED;
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < j->n; i++) {
            int turns = !strcmp(vg_inverse_unit(j->inv, i), "rad"), at = k * j->n + i;
            const char *base = vg_inverse_name(j->inv, i);
            size_t length = strlen(base) + 24;
            const char *units[2][4] = {{"m", "m/s", "m/s^2", "N"}, {"rad", "rad/s", "rad/s^2", "N*m"}};
            j->name[at] = malloc(length);
            if (!j->name[at]) return VG_EXIT_FAILED;
            snprintf(j->name[at], length, "%s%s", base, k < 3 ? tail[k] : turns ? ".torque" : ".force");
            j->unit[at] = units[turns][k];
        }
    for (int i = 0; i < j->nwrench; i++) {
        const char *base = vg_inverse_wrench_name(j->inv, i);
        int at = 4 * j->n + i;
        j->name[at] = malloc(strlen(base) + 1);
        if (!j->name[at]) return VG_EXIT_FAILED;
        memcpy(j->name[at], base, strlen(base) + 1);
        j->unit[at] = vg_inverse_wrench_unit(j->inv, i);
    }
    return VG_EXIT_OK;
}

static void print_row(inverseJob *j, double t)
{
    if (j->as_json) {
        vg_json_open(&j->json, NULL, '{');
        vg_json_number(&j->json, "time", t);
        for (int i = 0; i < j->nall; i++) vg_json_number(&j->json, j->name[i], j->row[i]);
        vg_json_close(&j->json);
        return;
    }
    printf("%.9g", t);
    for (int i = 3 * j->n; i < j->nall; i++) printf(",%.12g", j->row[i]);
    putchar('\n');
}

static int rows(const vgArgs *args, inverseJob *j)
{
    const vgRunOptions *run = &j->job.model->run;
    double end = run->end, step = run->output_interval > 0 ? run->output_interval : run->step;
    if (vg_cli_number(args, "end", 0, &end) < 0 || vg_cli_number(args, "step", 1e-12, &step) < 0)
        return VG_EXIT_INPUT;
    if (!(end > 0) || !(step > 0)) end = 0, step = 1; /* the start alone */
    if (!(end <= 1e15 * step)) return vg_cli_wrong("the step is too small for the length of the motion");
    const char *output = vg_cli_value(args, "output");
    if (output) {
        vgResultsHead head = {.title = j->job.model->title,
                              .model_text = j->job.model->text,
                              .coordinates = "relative",
                              .integrator = "inverse dynamics",
                              .nchannel = j->nall,
                              .channel = (const char *const *)j->name,
                              .unit = j->unit};
        vgStatus st = vg_results_create(output, &head, j->job.diag, &j->results);
        if (st != VG_OK) return vg_cli_job_error(&j->job, st);
    } else if (!j->as_json) {
        printf("time [s]");
        for (int i = 3 * j->n; i < j->nall; i++) printf(",%s [%s]", j->name[i], j->unit[i]);
        putchar('\n');
    }
    long n = lround(floor(end / step * (1 + 1e-12)));
    for (long k = 0; k <= n; k++) {
        double t = (double)k * step;
        vgStatus st = vg_inverse_at(j->inv, t, j->row, j->row + j->n, j->row + 2 * j->n, j->row + 3 * j->n);
        if (st == VG_OK) vg_inverse_wrench(j->inv, j->row + 4 * j->n);
        if (st == VG_OK && j->results) st = vg_results_row(j->results, t, j->row, NULL);
        if (st != VG_OK) {
            char cause[400];
            if (st == VG_IO) return VG_EXIT_FAILED; /* the close says why */
            if (st == VG_NOT_FINITE) vg_inverse_blame(j->inv, cause, sizeof cause);
            vg_cli_wrong("at t = %g s: %s", t, st == VG_NOT_FINITE ? cause : vg_status_text(st));
            return VG_EXIT_FAILED;
        }
        if (!j->results) print_row(j, t);
    }
    return VG_EXIT_OK;
}

static void end_json(inverseJob *j, int code)
{
    vg_json_close(&j->json);
    vg_cli_status(&j->json, code == VG_EXIT_OK, NULL);
    vg_json_close(&j->json);
    vg_cli_answer(&j->json);
}

static int inverse(const vgArgs *args)
{
    inverseJob j = {.as_json = vg_cli_given(args, "json"), .json = {.indent = 2}};
    if (j.as_json) {
        vg_json_open(&j.json, NULL, '{');
        vg_json_open(&j.json, "rows", '[');
    }
    int code = vg_cli_load(args, vg_cli_word(args, 0), &j.job);
    if (code == VG_EXIT_OK) {
        vgStatus st = vg_inverse_new(j.job.model, j.job.diag, &j.inv);
        if (st != VG_OK) code = vg_cli_job_error(&j.job, st);
    }
    if (code == VG_EXIT_OK && vg_inverse_count(j.inv) + vg_inverse_wrench_count(j.inv) == 0)
        code = vg_cli_wrong("the model has no joint that moves: there is no torque or force of one to find");
    if (code == VG_EXIT_OK) code = motions(args, &j);
    if (code == VG_EXIT_OK) code = channels(&j);
    if (code == VG_EXIT_OK) code = rows(args, &j);
    if (j.results) {
        vgStatus st = vg_results_close(j.results, code == VG_EXIT_OK ? "ok" : "failed", NULL, j.job.diag);
        if (st != VG_OK) code = vg_cli_job_error(&j.job, st);
    }
    if (j.as_json) end_json(&j, code);
    for (int i = 0; j.name && i < j.nall; i++) free(j.name[i]);
    free(j.name);
    free(j.unit);
    free(j.row);
    vg_inverse_free(j.inv);
    vg_cli_unload(&j.job);
    return code;
}

static const vgOption options[] = {
    {"motion", 'm', "JOINT=LAW …",
     "a joint coordinate (O.angle, or O) as an expression in t; several times (default: the drives)"},
    {"end", 0, "T", "last time, s (default: the model's)"},
    {"step", 0, "DT", "time between rows, s (default: the model's output interval)"},
    {"set", 0, "P=VALUE …", "parameter of the model; may be given several times"},
    {"output", 'o', "FILE.h5|.csv", "motion and forces there instead of forces on stdout"},
    {"json", 0, NULL, "one JSON object on stdout: motion and forces, a row each"},
    {0},
};

const vgCommand vg_cmd_inverse = {
    .name = "inverse",
    .usage = "MODEL.yaml [options]",
    .doc = "torques and forces that a prescribed motion needs, on trees",
    .more = "Joint coordinates follow --motion, or the model's drives. A joint or free body without either "
            "keeps its position, or, if the model gives its body a velocity (velocity, omega), continues "
            "with it: a hinge at constant rate, a spherical joint at constant angular velocity, a free body "
            "at constant velocity of its centre of mass and constant angular velocity. Bodies with modes "
            "keep their shape; beams and cables are refused.\n\n"
            "The result, in addition to the model's own forces:\n"
            "- along a joint coordinate: `joint.O.angle.torque` or `joint.O.displacement.force`, on the "
            "second body;\n"
            "- at a spherical joint: `joint.S.torque.x`, `.y`, `.z`, on the second body, along the axes of "
            "the first frame;\n"
            "- at a free body: `body.B.force.x`, `.y`, `.z` at its centre of mass and `body.B.torque.x`, "
            "`.y`, `.z`, in world axes (planar: `force.x`, `force.y`, `torque.z`).\n",
    .example = "  verge inverse models/puma560.yaml --motion 'J1=0.5*sin(t)' --motion J2=q2+0.1*t --end 1 "
               "--step 0.1\n",
    .min = 1,
    .max = 1,
    .options = options,
    .run = inverse,
};
