#include "io/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/scene.h"

/* Adds the name of a joint to a list of names, once. */
static void add_name(char *list, size_t room, const char *name)
{
    char quoted[70];
    snprintf(quoted, sizeof quoted, "'%.60s'", name);
    size_t n = strlen(list);
    if (!strstr(list, quoted) && n + strlen(quoted) + 3 < room)
        snprintf(list + n, room - n, "%s%s", n ? ", " : "", quoted);
}

/* The joints that hold the bodies of redundant rows more than once: their reactions are not unique. */
static void find_undetermined(vgRunReport *r, const vgSimulation *sim)
{
    const vgSystem *sys = sim->sys;
    const vgAssembly *found = &sim->assembly;
    for (int i = 0; i < found->nredundant; i++) {
        int joint = sys->row_joint[found->redundant[i]];
        if (joint < 0) continue;
        const vgJoint *j = &sys->model->joint[joint];
        add_name(r->undetermined, sizeof r->undetermined, j->name);
        for (int k = 0; k < joint; k++) { /* its partner: another joint of the same two bodies */
            const vgJoint *o = &sys->model->joint[k];
            int same = (o->a == j->a && o->b == j->b) || (o->a == j->b && o->b == j->a);
            if (same && o->drive_of < 0) add_name(r->undetermined, sizeof r->undetermined, o->name);
        }
    }
}

/* What a picture of the start would show: assembly has moved or turned a body from where it was given. */
static void find_moved(vgRunReport *r, const vgSimulation *sim)
{
    char *text = r->moved;
    size_t room = sizeof r->moved, n = 0;
    for (int i = 0; i < 2 && !sim->sys->model->run.equilibrium; i++) {
        char one[200];
        if (vg_assembly_change(&sim->assembly, sim->sys->model, i, VG_VISIBLE, one, sizeof one))
            n += (size_t)snprintf(text + n, room - n, "%s%s", n ? "; " : "", one);
    }
}

void vg_report_start(vgRunReport *report, const vgSimulation *sim)
{
    find_undetermined(report, sim);
    find_moved(report, sim);
}

vgStatus vg_report_results(const vgRunReport *report, const vgModel *m, const char *path, vgDiag *diag,
                           vgResults **out)
{
    int nbody = vg_poses_count(m);
    const char **bodies = calloc((size_t)nbody + 1, sizeof *bodies);
    vgJson scene = {0};
    if (!bodies) return VG_NO_MEMORY;
    for (int i = 0, n = 0; i < m->nbody && n < nbody; i++) {
        if (vg_poses_visible(m, i)) bodies[n++] = m->body[i].name;
    }
    vg_scene_write(m, &scene);
    vgResultsHead head = {.title = m->title,
                          .model_text = m->text,
                          .coordinates = report->coordinates,
                          .constraints = report->constraints,
                          .integrator = report->integrator,
                          .nchannel = vg_channels_count(report->channels),
                          .channel = vg_channels_names(report->channels),
                          .unit = vg_channels_units(report->channels),
                          .nbody = nbody,
                          .body = bodies,
                          .scene = vg_json_at(&scene)};
    vgStatus status = vg_results_create(path, &head, diag, out);
    vg_json_free(&scene);
    free(bodies);
    return status;
}

void vg_report_outcome(vgRunReport *r, const vgTransientResult *end, const vgModel *model)
{
    int n = r->nsetup;
    size_t room = sizeof r->warning[0];
    r->status = end->status;
    r->t = end->t;
    r->stats = end->stats;
    r->solve_seconds = end->solve_seconds;
    r->watch = end->watch;
    for (int i = 0; i < end->watch.ndoubt; i++) snprintf(r->warning[n++], room, "%s", end->watch.doubt[i]);
    if (end->status == VG_OK && end->stats.substeps > 0)
        snprintf(r->warning[n++], room,
                 "%ld step%s split into shorter ones, the first because %.380s. Check whether half the step "
                 "gives the same motion",
                 end->stats.substeps, end->stats.substeps == 1 ? " was" : "s were", end->split.text);
    if (end->early > 0)
        snprintf(
            r->warning[n++], room,
            "the mechanism comes to a singular position near t = %.9g s%s, where no step should end: what is "
            "shown there is extrapolated from shortly before%s; other samples are those of the motion",
            end->early_t, end->early > 1 ? " and later" : "",
            end->early_last ? ", also the end of the run" : "");
    if (vg_crossing_words(&end->crossed, model, r->warning[n], room)) n++;
    if (end->stats.growing > 0) snprintf(r->warning[n++], room, VG_GROWING_TEXT, end->stats.growing);
    r->nwarning = n;
}

/* A largest value and, under the same key with _t, when it was seen. */
static void peak(vgJson *json, const char *key, const vgPeak *p)
{
    char when[64];
    snprintf(when, sizeof when, "%s_t", key);
    vg_json_number(json, key, p->value);
    vg_json_number(json, when, p->t);
}

void vg_report_json(const vgRunReport *r, vgJson *json)
{
    vg_json_open(json, NULL, '{');
    vg_json_text(json, "status", r->status == VG_OK ? "ok" : "failed");
    vg_json_text(json, "error", r->status == VG_OK ? NULL : r->error);
    vg_json_text(json, "warning", r->nwarning ? r->warning[0] : NULL);
    vg_json_open(json, "warnings", '[');
    for (int i = 0; i < r->nwarning; i++) vg_json_text(json, NULL, r->warning[i]);
    vg_json_close(json);
    vg_json_text(json, "model", r->path);
    vg_json_text(json, "title", r->title);
    vg_json_text(json, "coordinates", r->coordinates);
    vg_json_text(json, "constraints", r->constraints);
    vg_json_text(json, "integrator", r->integrator);
    vg_json_number(json, "t", r->t);
    vg_json_int(json, "steps", r->stats.steps);
    vg_json_int(json, "rejected", r->stats.rejected);
    vg_json_int(json, "events", r->stats.events);
    vg_json_int(json, "substeps", r->stats.substeps);
    vg_json_int(json, "newton_iterations", r->stats.newton_iterations);
    vg_json_int(json, "newton_failures", r->stats.newton_failures);
    vg_json_int(json, "jacobians", r->stats.jacobians);
    vg_json_int(json, "residuals", r->stats.residuals);
    vg_json_int(json, "accelerations", r->stats.accels);
    vg_json_number(json, "setup_seconds", r->setup_seconds);
    vg_json_number(json, "solve_seconds", r->solve_seconds);
    peak(json, "max_position_violation", &r->watch.position);
    peak(json, "max_velocity_violation", &r->watch.velocity);
    peak(json, "max_velocity_violation_part", &r->watch.velocity_part);
    peak(json, "max_acceleration_violation", &r->watch.acceleration);
    peak(json, "energy_drift", &r->watch.energy_change);
    peak(json, "energy_balance", &r->watch.energy_balance);
    vg_json_bool(json, "energy_balance_taken", r->watch.energy_taken);
    vg_json_number(json, "energy_balance_unsure", r->watch.energy_unsure);
    vg_json_number(json, "energy_flow", r->watch.energy_flow);
    peak(json, "momentum_change_part", &r->watch.momentum);
    peak(json, "step_defect_part", &r->watch.defect);
    peak(json, "estimated_error_part", r->watch.looks ? &r->watch.error : &(vgPeak){NAN, NAN});
    peak(json, "max_newton_iterations", &r->watch.iterations);
    vg_json_int(json, "looks", r->watch.looks);
    vg_json_text(json, "assembly", r->moved[0] ? r->moved : NULL);
    vg_json_text(json, "undetermined_reactions", r->undetermined[0] ? r->undetermined : NULL);
    vg_json_int(json, "rows", r->rows);
    vg_json_text(json, "output", r->output);
    if (r->page) vg_json_text(json, "page", r->page);
    vg_json_open(json, "final", '{');
    for (int i = 0; r->channels && r->final && i < vg_channels_count(r->channels); i++) {
        vg_json_number(json, vg_channels_name(r->channels, i), r->final[i]);
    }
    vg_json_close(json);
    if (r->certificate) vg_certificate_json(r->certificate, "verify", json);
    vg_json_close(json);
}

static void seconds(vgText *text, const char *what, double s)
{
    if (s < 1e-3)
        vg_text_add(text, "%s %.0f µs", what, 1e6 * s);
    else if (s < 1)
        vg_text_add(text, "%s %.3g ms", what, 1e3 * s);
    else
        vg_text_add(text, "%s %.4g s", what, s);
}

void vg_report_table(const vgRunReport *r, vgText *text)
{
    vg_text_add(text, "%s%s%s\n", r->path, *r->title ? ": " : "", r->title);
    vg_text_add(text, "  %-14s %s · %s · %s\n", "method", r->coordinates, r->constraints, r->integrator);
    if (r->moved[0]) vg_text_add(text, "  %-14s %s\n", "start", r->moved);
    vg_text_add(text, "  %-14s t = %.9g s in %ld steps", r->status == VG_OK ? "done" : "stopped", r->t,
                r->stats.steps);
    if (r->stats.rejected) vg_text_add(text, ", %ld rejected", r->stats.rejected);
    if (r->stats.events) vg_text_add(text, ", %ld events", r->stats.events);
    if (r->stats.substeps) vg_text_add(text, ", %ld split", r->stats.substeps);
    vg_text_add(text, "\n  %-14s ", "work");
    if (r->stats.newton_iterations) {
        vg_text_add(text, "%ld Newton iterations, %ld Jacobians\n", r->stats.newton_iterations,
                    r->stats.jacobians);
    } else {
        vg_text_add(text, "%ld accelerations\n", r->stats.accels);
    }
    vg_text_add(text, "  %-14s ", "time spent");
    seconds(text, "set-up", r->setup_seconds);
    seconds(text, ", solving", r->solve_seconds);
    vg_text_add(text, "\n  %-14s position %.2e, velocity %.2e (%.3g %% of the speeds, at t = %.4g s)\n",
                "violation", r->watch.position.value, r->watch.velocity.value,
                100 * r->watch.velocity_part.value, r->watch.velocity_part.t);
    vg_text_add(text, "  %-14s %.3e J at most, %s %.2e J ", "energy change", r->watch.energy_change.value,
                r->watch.energy_taken ? "damped in beams or rotors, or unexplained," : "unexplained",
                r->watch.energy_balance.value);
    if (r->watch.energy_unsure > r->watch.energy_balance.value)
        vg_text_add(text, "(known to %.1g J) ", r->watch.energy_unsure);
    vg_text_add(text, "of %.3g J that flow\n", r->watch.energy_flow);
    if (r->watch.looks && r->watch.error.value >= 0)
        vg_text_add(text, "  %-14s some %.*g %% of the motion, by estimate (--verify measures it)\n", "error",
                    r->watch.error.value < 0.1 ? 1 : 3, 100 * r->watch.error.value);
    if (r->undetermined[0])
        vg_text_add(text,
                    "  %-14s not determined in %s: constraints repeat others, and the least are shown\n",
                    "reactions", r->undetermined);
    if (r->output) vg_text_add(text, "  %-14s %s (%ld rows)\n", "results", r->output, r->rows);
    if (r->page) vg_text_add(text, "  %-14s %s\n", "page", r->page);
    int n = r->channels && r->final ? vg_channels_count(r->channels) : 0, most = n > 40 ? 40 : n;
    for (int i = 0; i < most; i++) {
        if (i == 0) vg_text_add(text, "at t = %.9g s\n", r->t);
        vg_text_add(text, "  %-32s %20.12g %s\n", vg_channels_name(r->channels, i),
                    r->final[i] + 0.0, /* not -0 */
                    vg_channels_unit(r->channels, i));
    }
    if (n > most) vg_text_add(text, "  … and %d more channels\n", n - most);
    if (r->status != VG_OK) vg_text_add(text, "failed: %s\n", r->error);
    if (r->certificate) vg_certificate_table(r->certificate, text);
}
