/* verge spectrum: integrators run on the test oscillator; radius, decay, elongation, stability region. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/study/spectrum.h"
#include "cli/page/figure.h"
#include "cli/methods.h"
#include "io/json.h"

enum { RAYS = 36, CROSSINGS = 3, FIELD_RAYS = 54, FIELD_STEPS = 40, EDGE = 3 * 2 * FIELD_RAYS * FIELD_STEPS };

typedef struct curve {
    const char *name;
    int stages, is_explicit; /* of the method, which may be gone with its file */
    int order;               /* with its parameters */
    vgSpectrumPoint *point;
    double *x, *radius, *decay, *elongation, *damping, *undamped; /* against Δt/(nT), in percent */
    double infinity;                                              /* radius for ωh → ∞; ∞ */
    double limit;                                                 /* nothing grows up to this ωh; ∞, 0 */
    double *region;                                               /* (RAYS + 1) × CROSSINGS */
    double *edge_re, *edge_im; /* the boundary in pieces of two points and a gap */
    int nedge;
    int start[RAYS + 1];
    int failed;
    char why[300];
} curve;

typedef struct spectrumJob {
    int n, points, stride, want_region;
    double low, high, reach, zeta;
    curve *curve;
    double *pool;
} spectrumJob;

static double grid(const spectrumJob *job, int i)
{
    return job->low * pow(job->high / job->low, job->points > 1 ? (double)i / (job->points - 1) : 0);
}

/* A point of the boundary between two points of the field, in the plane of λΔt. */
static void boundary_point(curve *c, double reach, const int a[2], const int b[2], double fa, double fb)
{
    double x = fa / (fa - fb), ray = a[0] + x * (b[0] - a[0]), k = a[1] + x * (b[1] - a[1]);
    double r = reach * (0.01 + 0.99 * k / FIELD_STEPS), angle = acos(-1) * ray / FIELD_RAYS;
    c->edge_re[c->nedge] = r * cos(angle);
    c->edge_im[c->nedge++] = r * sin(angle);
}

/* The boundary through each cell of the field: where its sign changes along the sides, in pairs. */
static vgStatus boundary(curve *c, double reach, vgDiag *diag)
{
    double *f = calloc((FIELD_RAYS + 1) * (FIELD_STEPS + 1), sizeof *f);
    vgStatus st = f ? vg_spectrum_field(c->name, FIELD_RAYS, reach, FIELD_STEPS, diag, f) : VG_NO_MEMORY;
    for (int i = 0; i < FIELD_RAYS && st == VG_OK; i++)
        for (int k = 0; k < FIELD_STEPS; k++) {
            const int corner[5][2] = {{i, k}, {i + 1, k}, {i + 1, k + 1}, {i, k + 1}, {i, k}};
            int points = 0;
            for (int e = 0; e < 4; e++) {
                double fa = f[corner[e][0] * (FIELD_STEPS + 1) + corner[e][1]],
                       fb = f[corner[e + 1][0] * (FIELD_STEPS + 1) + corner[e + 1][1]];
                if ((fa > 0) == (fb > 0)) continue;
                boundary_point(c, reach, corner[e], corner[e + 1], fmin(fa, 0.5), fmin(fb, 0.5));
                if (++points % 2) continue;
                c->edge_re[c->nedge] = NAN;
                c->edge_im[c->nedge++] = NAN;
            }
        }
    free(f);
    return st;
}

static vgStatus measure(spectrumJob *job, curve *c, vgDiag *diag)
{
    vgSpectrum *p;
    vgStatus st = vg_spectrum_open(c->name, job->zeta, diag, &p);
    if (st != VG_OK) return st;
    c->stages = vg_spectrum_row(p)->stages;
    c->is_explicit = (vg_spectrum_row(p)->flags & VG_INT_EXPLICIT) != 0;
    c->order = vg_spectrum_order(p);
    double per = 2 * acos(-1) * c->stages;
    vgSpectrumPoint far;
    if (job->low * per > 0.1) vg_spectrum_at(p, 0.1, &far); /* finds the root */
    for (int i = 0; i < job->points && st == VG_OK; i++) {
        vgSpectrumPoint *q = &c->point[i];
        c->x[i] = grid(job, i);
        st = vg_spectrum_at(p, c->x[i] * per, q);
        c->radius[i] = isfinite(q->radius) ? q->radius : NAN;
        c->decay[i] = 100 * q->decay;
        c->elongation[i] = 100 * q->elongation;
        c->damping[i] = 100 * q->damping_ratio;
        c->undamped[i] = 100 * q->undamped_elongation;
    }
    c->infinity = vg_spectrum_infinity(p);
    c->limit = vg_spectrum_limit(p, 100);
    if (vg_spectrum_starved(p)) st = VG_NO_MEMORY;
    vg_spectrum_close(p);
    if (st == VG_OK && job->want_region) {
        double reach = job->reach > 0 ? job->reach : c->is_explicit ? 8 : 20;
        st = vg_spectrum_region(c->name, RAYS, reach, CROSSINGS, diag, c->region, c->start);
        if (st == VG_OK) st = boundary(c, reach, diag);
    }
    return st;
}

static void region_table(const curve *c, vgText *t)
{
    vg_text_add(t,
                "  stability region, along rays of λΔt from the origin\n  %8s %10s  crossings of radius 1\n",
                "angle °", "at origin");
    for (int i = 0; i <= RAYS; i++) {
        vg_text_add(t, "  %7.0f %10s ", 180. * i / RAYS, c->start[i] ? "stable" : "unstable");
        for (int k = 0; k < CROSSINGS && !isnan(c->region[i * CROSSINGS + k]); k++)
            vg_text_add(t, " %.6g", c->region[i * CROSSINGS + k]);
        vg_text_add(t, "\n");
    }
}

static void table(const spectrumJob *job, vgText *t)
{
    for (int m = 0; m < job->n; m++) {
        const curve *c = &job->curve[m];
        if (c->failed) continue; /* said on stderr */
        vg_text_add(t, "%s  order %d, n = %d %s\n", c->name, c->order, c->stages,
                    c->is_explicit ? "evaluations a step" : "implicit stages a step");
        if (isinf(c->infinity))
            vg_text_add(t, "  radius without limit at infinity; ");
        else
            vg_text_add(t, "  radius at infinity %.6g; ", fabs(c->infinity) < 1e-6 ? 0 : c->infinity);
        if (isinf(c->limit))
            vg_text_add(t, "no growth on the ray of the oscillator\n");
        else if (c->limit > 0)
            vg_text_add(t, "growth beyond ωh = %.4g\n", c->limit);
        else
            vg_text_add(t, "growth at every step, however small\n");
        vg_text_add(t, "  %12s %14s %14s %14s %14s %14s\n", "Δt/(nT)", "radius", "decay %", "elongation %",
                    "damping %", "undamped el. %");
        for (int i = 0; i < job->points; i += job->stride)
            vg_text_add(t, "  %11.5g %14.8g %14.6g %14.6g %14.6g %14.6g\n", c->x[i], c->point[i].radius,
                        c->decay[i], c->elongation[i], c->damping[i], c->undamped[i]);
        if (job->want_region) region_table(c, t);
        vg_text_add(t, "\n");
    }
}

static void csv(const spectrumJob *job, vgText *t)
{
    vg_text_add(t, "integrator,dt_over_nT,omega_h,radius,decay_percent,elongation_percent,root_re,root_im,"
                   "damping_ratio_percent,undamped_elongation_percent\n");
    for (int m = 0; m < job->n; m++)
        for (int i = 0; i < job->points && !job->curve[m].failed; i++) {
            const curve *c = &job->curve[m];
            const vgSpectrumPoint *p = &c->point[i];
            vg_text_add(t, "\"%s\",%.10g,%.10g,%.12g,%.12g,%.12g,%.12g,%.12g,%.12g,%.12g\n", c->name, c->x[i],
                        p->wh, p->radius, c->decay[i], c->elongation[i], p->re, p->im, c->damping[i],
                        c->undamped[i]);
        }
}

/* The boundary as points of the plane: what each ray crosses, outwards. */
static void region_csv(const spectrumJob *job, vgText *t)
{
    vg_text_add(t, "integrator,angle,crossing,re,im,stable_inside\n");
    for (int m = 0; m < job->n; m++) {
        const curve *c = &job->curve[m];
        for (int i = 0; i <= RAYS && !c->failed; i++)
            for (int k = 0; k < CROSSINGS && !isnan(c->region[i * CROSSINGS + k]); k++) {
                double angle = acos(-1) * i / RAYS, r = c->region[i * CROSSINGS + k];
                vg_text_add(t, "\"%s\",%.10g,%d,%.10g,%.10g,%d\n", c->name, angle, k + 1, r * cos(angle),
                            r * sin(angle), c->start[i] ^ (k & 1));
            }
    }
}

static void region_json(const curve *c, vgJson *j)
{
    vg_json_open(j, "region", '[');
    for (int i = 0; i <= RAYS; i++) {
        vg_json_open(j, NULL, '{');
        vg_json_number(j, "angle", acos(-1) * i / RAYS);
        vg_json_bool(j, "stable_at_zero", c->start[i]);
        vg_json_open(j, "crossings", '[');
        for (int k = 0; k < CROSSINGS && !isnan(c->region[i * CROSSINGS + k]); k++)
            vg_json_number(j, NULL, c->region[i * CROSSINGS + k]);
        vg_json_close(j);
        vg_json_close(j);
    }
    vg_json_close(j);
}

static void tell_json(const spectrumJob *job, int good, vgJson *j)
{
    vg_json_open(j, NULL, '{');
    vg_cli_status(j, good, NULL);
    vg_json_open(j, "integrators", '[');
    for (int m = 0; m < job->n; m++) {
        const curve *c = &job->curve[m];
        vg_json_open(j, NULL, '{');
        vg_json_text(j, "integrator", c->name);
        if (c->failed) {
            vg_json_text(j, "error", c->why);
        } else {
            vg_json_int(j, "order", c->order);
            vg_json_int(j, "stages", c->stages);
            vg_json_number(j, "radius_at_infinity", c->infinity);
            vg_json_number(j, "growth_beyond", c->limit);
            vg_json_numbers(j, "dt_over_nT", job->points, c->x);
            vg_json_numbers(j, "radius", job->points, c->radius);
            vg_json_numbers(j, "decay_percent", job->points, c->decay);
            vg_json_numbers(j, "elongation_percent", job->points, c->elongation);
            vg_json_numbers(j, "damping_ratio_percent", job->points, c->damping);
            vg_json_numbers(j, "undamped_elongation_percent", job->points, c->undamped);
            if (job->want_region) region_json(c, j);
        }
        vg_json_close(j);
    }
    vg_json_close(j);
    vg_json_close(j);
}

static const char *const picture_names[] = {"radius", "decay", "elongation", "region"};
static const char *const picture_labels[] = {"spectral radius", "amplitude decay [%]",
                                             "period elongation [%]", "boundary of the stability region"};

/* Picture k of radius, decay, elongation over Δt/(nT). */
static vgPlot over_step(const spectrumJob *job, int k, vgSeries *s)
{
    int n = 0;
    long shown = 0; /* decay and elongation matter where the motion is resolved: up to Δt/(nT) = 0.3 */
    while (shown < job->points && (k == 0 || grid(job, (int)shown) <= 0.3)) shown++;
    for (int m = 0; m < job->n; m++) {
        const curve *c = &job->curve[m];
        if (c->failed) continue;
        const double *y = k == 0 ? c->radius : k == 1 ? c->decay : c->elongation;
        s[n++] = (vgSeries){c->name, shown, c->x, y, 1};
    }
    return (vgPlot){.title = picture_labels[k],
                    .x_label = "Δt/(nT)",
                    .y_label = picture_labels[k],
                    .log_x = k == 0,
                    .top = k == 0 ? 2 : 100, /* beyond the limit of stability nothing is to be read */
                    .nseries = n,
                    .series = s};
}

/* Boundaries of the stability regions. */
static vgPlot region_plot(const spectrumJob *job, vgSeries *s)
{
    int n = 0;
    for (int m = 0; m < job->n; m++) {
        const curve *c = &job->curve[m];
        if (!c->failed) s[n++] = (vgSeries){c->name, c->nedge, c->edge_re, c->edge_im, 1};
    }
    return (vgPlot){.title = picture_labels[3],
                    .x_label = "Re λΔt",
                    .y_label = "Im λΔt",
                    .width = 640,
                    .height = 640,
                    .nseries = n,
                    .series = s};
}

/* PREFIX-radius.svg and so on, and all of them in one file. */
static int pictures(const spectrumJob *job, const char *prefix, const char *file)
{
    size_t n = (size_t)job->n;
    vgSeries *s = calloc(4 * n + 1, sizeof *s);
    int ok = s != NULL, nplot = job->want_region ? 4 : 3;
    vgPlot plot[4];
    for (int k = 0; k < nplot && ok; k++) {
        plot[k] = k < 3 ? over_step(job, k, s + (size_t)k * n) : region_plot(job, s + 3 * n);
        if (prefix) ok = vg_cli_plot(&plot[k], prefix, picture_names[k]);
        if (k < 3) plot[k].title = NULL; /* the axis says it */
    }
    vgFigure figure = {.columns = nplot == 3 ? 3 : 2,
                       .height = nplot == 3 ? 0 : 860,
                       .one_legend = 1,
                       .nplot = nplot,
                       .plot = plot};
    if (ok && file) ok = vg_cli_figure(&figure, file);
    free(s);
    return ok;
}

static int take_memory(spectrumJob *job, char **name)
{
    size_t points = (size_t)job->points, rays = CROSSINGS * (RAYS + 1), edge = job->want_region ? EDGE : 0,
           each = 6 * points + rays + 2 * edge;
    job->curve = calloc((size_t)job->n, sizeof *job->curve);
    job->pool = calloc((size_t)job->n * each, sizeof *job->pool);
    if (!job->curve || !job->pool) return 0;
    for (int m = 0; m < job->n; m++) {
        curve *c = &job->curve[m];
        double *at = job->pool + (size_t)m * each;
        c->name = name[m];
        c->x = at, c->radius = at + points, c->decay = at + 2 * points, c->elongation = at + 3 * points;
        c->damping = at + 4 * points, c->undamped = at + 5 * points;
        c->region = at + 6 * points, c->edge_re = c->region + rays, c->edge_im = c->edge_re + edge;
        c->point = calloc(points, sizeof *c->point);
        if (!c->point) return 0;
    }
    return 1;
}

static int write_csv(const spectrumJob *job, const char *path, void (*make)(const spectrumJob *, vgText *))
{
    vgText t = {0};
    make(job, &t);
    int ok = vg_cli_write_text(path, &t);
    vg_text_free(&t);
    return ok;
}

/* Files are written if there is a curve at all. */
static int tell(const spectrumJob *job, const vgArgs *args)
{
    int ok = 1, some = 0;
    for (int m = 0; m < job->n; m++) some |= !job->curve[m].failed;
    const char *file = some ? vg_cli_value(args, "csv") : NULL,
               *prefix = some ? vg_cli_value(args, "plot") : NULL,
               *figure = some ? vg_cli_value(args, "output") : NULL;
    if (file) ok = write_csv(job, file, csv);
    if (ok && file && job->want_region) {
        char path[600];
        const char *dot = strrchr(file, '.');
        int stem = (int)(dot && !strchr(dot, '/') ? (size_t)(dot - file) : strlen(file));
        snprintf(path, sizeof path, "%.*s-region.csv", stem, file);
        ok = write_csv(job, path, region_csv);
    }
    if (ok && (prefix || figure)) ok = pictures(job, prefix, figure);
    if (vg_cli_given(args, "json")) {
        vgJson j = {.indent = 2};
        tell_json(job, ok && !*vg_cli_complaint(), &j);
        vg_cli_answer(&j);
    } else {
        vgText t = {0};
        table(job, &t);
        vg_cli_print(&t);
        vg_text_free(&t);
    }
    return ok ? VG_EXIT_OK : VG_EXIT_FAILED;
}

static int read_range(spectrumJob *job, const vgArgs *args)
{
    long points = 65;
    *job = (spectrumJob){.low = 0.01, .high = 100};
    int bad =
        vg_cli_number(args, "from", 1e-6, &job->low) < 0 || vg_cli_number(args, "to", 1e-6, &job->high) < 0 ||
        vg_cli_number(args, "reach", 1e-3, &job->reach) < 0 ||
        vg_cli_number(args, "damping", -1, &job->zeta) < 0 || vg_cli_count(args, "points", 2, &points) < 0;
    if (bad) return VG_EXIT_INPUT;
    if (job->high <= job->low) return vg_cli_wrong("--to must be larger than --from");
    if (points > 2000) return vg_cli_wrong("--points: at most 2000");
    job->points = (int)points;
    job->stride = vg_cli_given(args, "points") ? 1 : 4;
    job->want_region = vg_cli_given(args, "region") > 0;
    return VG_EXIT_OK;
}

/* What a method that could not be measured leaves: its reason in the answer, and on stderr if it was asked for by name.
 * Returns the exit code. */
static int refuse(curve *c, vgStatus st, int by_name, vgDiag *diag)
{
    const char *line = vg_diag_count(diag) ? vg_diag_line(diag, 0) : vg_status_text(st);
    const char *text = strstr(line, "error: ");
    snprintf(c->why, sizeof c->why, "%.*s%s", text ? (int)(text - line) : 0, line, text ? text + 7 : line);
    c->failed = 1;
    if (by_name && vg_diag_count(diag)) vg_cli_say(diag);
    if (by_name && !vg_diag_count(diag)) vg_cli_wrong("%s", c->why);
    vg_diag_clear(diag);
    return !by_name                                     ? VG_EXIT_OK
           : st == VG_BAD_INPUT || st == VG_UNSUPPORTED ? VG_EXIT_INPUT
                                                        : VG_EXIT_FAILED;
}

static int spectrum(const vgArgs *args)
{
    spectrumJob job;
    vgText list = {0};
    int code = vg_cli_figure_check(vg_cli_value(args, "output")), failed = VG_EXIT_OK;
    if (code == VG_EXIT_OK) code = read_range(&job, args);
    if (code != VG_EXIT_OK) return code;
    for (int i = 0; i < vg_cli_words(args); i++)
        vg_text_add(&list, "%s%s", i ? "," : "", vg_cli_word(args, i));
    char **name = vg_text_ok(&list) ? vg_cli_methods(vg_text_at(&list), &job.n) : NULL;
    int everything = !strcmp(vg_text_at(&list), "all");
    vgDiag *diag = vg_diag_new();
    code = name && diag ? vg_cli_methods_check(name, job.n) : VG_EXIT_FAILED;
    if (code == VG_EXIT_OK && !take_memory(&job, name)) code = VG_EXIT_FAILED;
    for (int m = 0; m < job.n && code == VG_EXIT_OK; m++) {
        curve *c = &job.curve[m];
        vgStatus st = measure(&job, c, diag);
        if (st == VG_NO_MEMORY) vg_cli_wrong("%s", vg_status_text(st)), code = VG_EXIT_FAILED;
        if (st == VG_OK || st == VG_NO_MEMORY) continue;
        const int as = refuse(c, st, !(st == VG_UNSUPPORTED && everything), diag);
        if (as != VG_EXIT_OK && failed != VG_EXIT_INPUT) failed = as;
    }
    if (code == VG_EXIT_OK) code = tell(&job, args);
    if (code == VG_EXIT_OK) code = failed;
    for (int m = 0; m < job.n && job.curve; m++) free(job.curve[m].point);
    free(job.curve);
    free(job.pool);
    free(name);
    vg_text_free(&list);
    vg_diag_free(diag);
    return code;
}

static const vgOption options[] = {
    {"from", 0, "X", "smallest Δt/(nT), n the implicit stages of a step (default 0.01)"},
    {"to", 0, "X", "largest Δt/(nT) (default 100)"},
    {"points", 0, "N", "number of points, logarithmically spaced (default 65; every fourth in the table)"},
    {"damping", 0, "ZETA", "damping ratio of the oscillator (default 0)"},
    {"region", 0, NULL, "boundary of the stability region in the plane of λΔt as well"},
    {"reach", 0, "R", "how far out the region is searched (default 8 explicit, 20 implicit)"},
    {"csv", 0, "FILE.csv", "all numbers as a table; the region's boundary into FILE-region.csv"},
    {"output", 'o', VG_FIGURE_FILE, "picture: radius, decay, elongation (and the region)"},
    {"plot", 0, "PREFIX", "pictures PREFIX-radius.svg, -decay.svg, -elongation.svg, -region.svg"},
    {"json", 0, NULL, "one JSON object on stdout"},
    {0},
};

const vgCommand vg_cmd_spectrum = {
    .name = "spectrum",
    .usage = "INTEGRATOR[:key=value,…]… | all [options]",
    .doc = "run integrators on the test oscillator: radius, decay, elongation, stability",
    .example = "  verge spectrum generalized-alpha:rho=0.6 bathe:rho=0.6 -o damping.png\n"
               "  verge spectrum rk4 --region --plot rk4\n",
    .min = 1,
    .max = -1,
    .options = options,
    .run = spectrum,
};
