/* verge modes: eigenvalues and shapes of small motions about a state. */
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "analysis/modes/modes.h"
#include "cli/moment.h"
#include "io/json.h"

static void shape_json(vgJson *json, const vgMoment *m, const vgModes *modes, int k)
{
    const vgSystem *sys = m->sim.sys;
    vg_json_open(json, "shape", '{');
    for (int i = 0; i < modes->nv; i++) {
        char key[200];
        double z[2] = {modes->shape_re[k * modes->nv + i], modes->shape_im[k * modes->nv + i]};
        vg_modes_name(sys, i, key, sizeof key);
        vg_json_numbers(json, key, 2, z);
    }
    vg_json_close(json);
}

/* Warns of modes about a state that is not an equilibrium: the loads have not deformed anything yet. The state
 * counts as an equilibrium if its acceleration moves the fastest mode by less than a picometre. */
static const char *restless(const vgMoment *m, const vgModes *modes, char text[400])
{
    const vgSystem *sys = m->sim.sys;
    const vgState *s = m->sim.state;
    double fast = modes->fastest, big = 0;
    int at = 0;
    if (modes->n == 0) return NULL;
    for (int i = 0; i < modes->nv; i++) {
        if (s->v[i] != 0) return NULL;
        if (fabs(s->a[i]) > big) big = fabs(s->a[i]), at = i;
    }
    if (!(big > 1e-12 * fast * fast + 1e-9)) return NULL;
    snprintf(text, 400,
             "modes about a state that is not a rest: nothing moves at t = %g s, yet body '%.100s' "
             "accelerates by %.2g %s; --equilibrium looks for the rest first",
             s->t, sys->model->body[sys->v_body[at]].name, big,
             vg_modes_component(sys, at) < 3 ? "m/s^2" : "rad/s^2");
    return text;
}

typedef struct Warnings {
    char text[2][400];
    int n;
} Warnings;

static Warnings warnings(const vgArgs *args, const vgMoment *m, const vgModes *modes)
{
    Warnings w = {0};
    w.n += vg_cli_given(args, "equilibrium") && vg_moment_dropped(m, 1, w.text[w.n]) != NULL;
    w.n += restless(m, modes, w.text[w.n]) != NULL;
    return w;
}

static void tell_json(const vgMoment *m, const vgModes *modes, int code, int shapes, long most,
                      const Warnings *w)
{
    vgJson json = {.indent = 2};
    vg_json_open(&json, NULL, '{');
    vg_cli_status(&json, code == VG_EXIT_OK, NULL);
    vg_json_text(&json, "warning", w->n ? w->text[0] : NULL);
    vg_json_open(&json, "warnings", '[');
    for (int i = 0; i < w->n; i++) vg_json_text(&json, NULL, w->text[i]);
    vg_json_close(&json);
    if (m->sim.state) vg_json_number(&json, "time", m->sim.state->t);
    vg_json_int(&json, "degrees_of_freedom", modes->freedom);
    vg_json_number(&json, "unsymmetry", modes->unsymmetry);
    vg_json_numbers(&json, "undamped_frequencies", modes->nundamped < most ? modes->nundamped : (int)most,
                    modes->undamped);
    vg_json_open(&json, "modes", '[');
    for (int k = 0; k < modes->n && k < most; k++) {
        const vgMode *o = &modes->mode[k];
        double e[2] = {o->re, o->im};
        vg_json_open(&json, NULL, '{');
        vg_json_numbers(&json, "eigenvalue", 2, e);
        vg_json_number(&json, "frequency", o->frequency);
        vg_json_number(&json, "damping", o->damping);
        if (shapes) shape_json(&json, m, modes, k);
        vg_json_close(&json);
    }
    vg_json_close(&json);
    vg_json_close(&json);
    vg_cli_answer(&json);
}

/* The body that moves most, in words. */
static void biggest(const vgMoment *m, const vgModes *modes, int k, char *text, size_t size)
{
    const vgSystem *sys = m->sim.sys;
    double big = -1;
    int at = 0;
    for (int i = 0; i < modes->nv; i++) {
        double x = hypot(modes->shape_re[k * modes->nv + i], modes->shape_im[k * modes->nv + i]);
        if (x > big * (1 + 1e-9)) big = x, at = i;
    }
    if (modes->nv == 0) return;
    vg_modes_name(sys, at, text, size);
}

static void tell_table(const vgMoment *m, const vgModes *modes, long most)
{
    int freedom = m->sim.assembly.freedom < modes->freedom ? m->sim.assembly.freedom : modes->freedom;
    printf("modes at t = %g s: %d degree%s of freedom", m->sim.state->t, freedom, freedom == 1 ? "" : "s");
    /* rolling holds velocities and leaves positions free */
    printf(freedom == modes->freedom
               ? "\n"
               : ", %d of positions: rolling without slip holds velocities and leaves positions free\n",
           modes->freedom);
    puts("    mode   frequency, Hz     damping        real, 1/s   imaginary, 1/s  moves most");
    for (int k = 0; k < modes->n && k < most; k++) {
        const vgMode *o = &modes->mode[k];
        char what[200] = "";
        biggest(m, modes, k, what, sizeof what);
        printf("  %6d  %14.8g  ", k + 1, o->frequency);
        /* of a free motion, λ = 0 but for rounding, the damping would be that of the rounding */
        if (hypot(o->re, o->im) < 1e-9)
            printf("%10s", "-");
        else
            printf("%10.4g", o->damping);
        printf("  %15.7g  %15.7g  %s\n", o->re, o->im, what);
    }
}

/* The modes of the model as asked for. */
static int find(const vgArgs *args, vgMoment *m, long most, vgModes *found)
{
    double t = 0;
    int rest = vg_cli_given(args, "equilibrium") > 0;
    if (vg_cli_number(args, "at", 0, &t) < 0) return VG_EXIT_INPUT;
    int code = vg_moment_open(args, m);
    const char *seen = vg_cli_given(args, "turning") ? "turning" : "frame";
    if (rest && vg_cli_given(args, "frame"))
        return vg_cli_wrong("--frame does not go with --equilibrium, where nothing turns; --turning BODY is "
                            "for what turns steadily");
    if (code == VG_EXIT_OK)
        code = *seen == 't' ? vg_moment_turning(args, m)
               : rest       ? vg_moment_rest(args, m, t)
                            : vg_moment_run(args, m, t);
    vgVec3 w = vg_zero3();
    if (code != VG_EXIT_OK) return code;
    if (vg_cli_value(args, seen)) {
        const vgState *s = m->sim.state;
        const vgSystem *sys = m->sim.sys;
        int body;
        code = vg_moment_body(args, m, seen, &body);
        if (code != VG_EXIT_OK) return code;
        const vgKin *k = sys->ops->kinematics(sys, m->sim.it->work, s->t, s->q, s->v, s->a) + body;
        w = vg_mv3(k->R, k->w);
    }
    vgStatus st = vg_modes_lowest(m->sim.sys, m->sim.it->work, m->sim.state, w,
                                  most < INT_MAX ? (int)most : INT_MAX, m->job.diag, found);
    return st == VG_OK ? VG_EXIT_OK : vg_cli_job_error(&m->job, st);
}

/* ---- Campbell table ---- */

enum { CAMPBELL_MOST = 10000 };

typedef struct Sweep {
    char name[100];
    double from, to;
    int n;
} Sweep;

static int read_sweep(const char *text, Sweep *s)
{
    double n = 0;
    char rest;
    if (sscanf(text, "%99[^=]=%lf:%lf:%lf%c", s->name, &s->from, &s->to, &n, &rest) != 4 ||
        !isfinite(s->from) || !isfinite(s->to))
        return vg_cli_wrong("--campbell: '%s' must be PARAMETER=FROM:TO:NUMBER", text);
    if (!(n >= 1 && n <= CAMPBELL_MOST) || n != floor(n))
        return vg_cli_wrong("--campbell: '%s': the number of values must be 1 to %d", text, CAMPBELL_MOST);
    s->n = (int)n;
    return VG_EXIT_OK;
}

static char sense(double whirl)
{
    return whirl > 0.1 ? 'f' : whirl < -0.1 ? 'b' : ' ';
}

static void campbell_row(const vgMoment *m, const vgModes *found, const Sweep *s, double value, long most,
                         vgJson *json)
{
    double largest = 0, growth = NAN;
    for (int k = 0; k < found->n; k++) largest = fmax(largest, hypot(found->mode[k].re, found->mode[k].im));
    for (int k = 0; k < found->n; k++) /* rigid motion is known to the root of round-off */
        if (found->mode[k].re > fmax(1e-4, 3e-8 * largest)) growth = fmax(growth, found->mode[k].re);
    if (json) {
        vg_json_open(json, NULL, '{');
        vg_json_number(json, s->name, value);
        vg_json_number(json, "growth", growth);
        vg_json_open(json, "modes", '[');
    } else {
        printf("  %14.8g", value);
    }
    for (int k = 0, told = 0; k < found->n && told < most; k++) {
        const vgMode *o = &found->mode[k];
        double whirl = vg_modes_whirl(m->sim.sys, m->sim.it->work, m->sim.state, found, k);
        /* rigid motion, overdamped */
        if (!(o->im > 1e-6 * fabs(o->re)) || o->im < 1e-4 || o->im < 3e-8 * largest) continue;
        told++;
        if (json) {
            vg_json_open(json, NULL, '{');
            vg_json_number(json, "frequency", o->frequency);
            vg_json_number(json, "damping", o->damping);
            vg_json_number(json, "whirl", whirl);
            vg_json_close(json);
        } else {
            printf("  %12.7g %c", o->frequency, sense(whirl));
        }
    }
    if (!json) printf(isnan(growth) ? "\n" : "  grows, %.5g 1/s\n", growth);
    if (json) vg_json_close(json), vg_json_close(json);
}

/* Frequencies over a parameter, each with its sense of whirl: f with the spin, b against it. */
static int campbell(const vgArgs *args, long most)
{
    Sweep s;
    char text[400];
    vgJson json = {.indent = 2}, *out = vg_cli_given(args, "json") ? &json : NULL;
    int code = read_sweep(vg_cli_value(args, "campbell"), &s), rest = vg_cli_given(args, "equilibrium") > 0;
    if (code != VG_EXIT_OK) return code;
    if (out) vg_json_open(out, NULL, '{'), vg_json_open(out, "campbell", '[');
    for (int i = 0; i < s.n && code == VG_EXIT_OK; i++) {
        vgMoment m = {0};
        vgModes found = {0};
        m.job.sweep = s.name;
        m.job.sweep_value = s.n > 1 ? s.from + (s.to - s.from) * i / (s.n - 1) : s.from;
        code = find(args, &m, 0, &found);
        if (code == VG_EXIT_OK && rest && vg_moment_dropped(&m, 1, text)) {
            fprintf(stderr, "verge: warning: %s\n", text);
            rest = 0; /* once */
        }
        if (code == VG_EXIT_OK && i == 0 && !out)
            printf("frequencies in Hz over %s; f: whirl with the spin, b: against it\n", s.name);
        if (code == VG_EXIT_OK) campbell_row(&m, &found, &s, m.job.sweep_value, most, out);
        vg_modes_free(&found);
        vg_moment_close(&m);
    }
    if (out) {
        vg_json_close(out);
        vg_cli_status(out, code == VG_EXIT_OK, NULL);
        vg_json_close(out);
        vg_cli_answer(out);
    }
    return code;
}

static int modes(const vgArgs *args)
{
    vgMoment m = {0};
    vgModes found = {0};
    long most = vg_cli_given(args, "campbell") ? 8 : 20;
    if (vg_cli_count(args, "number", 1, &most) < 0) return VG_EXIT_INPUT;
    if (vg_cli_given(args, "campbell")) return campbell(args, most);
    int code = find(args, &m, most, &found);
    Warnings w = code == VG_EXIT_OK ? warnings(args, &m, &found) : (Warnings){0};
    for (int i = 0; i < w.n; i++) fprintf(stderr, "verge: warning: %s\n", w.text[i]);
    if (vg_cli_given(args, "json"))
        tell_json(&m, &found, code, vg_cli_given(args, "shapes") > 0, most, &w);
    else if (code == VG_EXIT_OK)
        tell_table(&m, &found, most);
    vg_modes_free(&found);
    vg_moment_close(&m);
    return code;
}

static const vgOption options[] = {
    {"at", 0, "T", "at time T of the run (with --equilibrium: with the drives of time T)"},
    {"equilibrium", 0, NULL, "about the equilibrium"},
    {"steps", 0, "N", "load steps to the equilibrium"},
    {"relax", 0, NULL,
     "by relaxation (heavily damped motion) instead of load steps: slow, ends in a stable equilibrium"},
    {"number", 'n', "N",
     "how many modes (default 20, 8 with --campbell); of models with more than 240 coordinates only these "
     "are computed, those with the least |eigenvalue|"},
    {"campbell", 0, "P=A:B:N",
     "frequencies over a parameter, N values from A to B, with whirl direction and growth"},
    {"frame", 0, "BODY",
     "in a frame that rotates with BODY: for rotors that are not axially symmetric, e.g. blades"},
    {"turning", 0, "BODY", "about steady rotation with BODY at its initial speed, in the frame of BODY"},
    {"shapes", 0, NULL,
     "with --json: also mode shapes, [real, imaginary] of displacements and rotations in world axes"},
    {"integrator", 0, "I", "for the run to T"},
    {"step", 0, "H", "its step"},
    {"set", 0, "P=VALUE …", "parameter of the model; may be given several times"},
    {"json", 0, NULL, "one JSON object on stdout"},
    {0},
};

const vgCommand vg_cmd_modes = {
    .name = "modes",
    .usage = "MODEL.yaml [options]",
    .doc = "eigenvalues, frequencies, damping and shapes about a state",
    .example =
        "  verge modes models/cantilever.yaml --equilibrium --number 6\n"
        "  verge modes models/rotor.yaml --at 0\n"
        "  verge modes models/rotor.yaml --campbell n=0:200000:11 --number 4\n"
        "  verge modes models/bicycle.yaml --set rolling=0 --campbell speed=3:7:9\n"
        "  verge modes models/governor.yaml --set damping=0 --campbell w0=14.5:19:10 --turning spindle\n",
    .min = 1,
    .max = 1,
    .options = options,
    .run = modes,
};
