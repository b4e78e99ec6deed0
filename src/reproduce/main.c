/* verge-reproduce: runs the experiments of the five papers and writes the report. What is finished is kept
 * beside the report until the report is complete, so an interrupted call goes on where it stopped. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "reproduce/reproduce.h"
#include "io/json.h"
#include "verge/version.h"

enum { MAX_PARTS = 128, MAX_WORKERS = 64 };

typedef struct Reproduce {
    vgPart part[MAX_PARTS];
    int n, finished, quick;
    const char *output;
    char models[1000], folder[1000];
    pthread_mutex_t lock;
    int reused, terminal, threads;
    double started;
} Reproduce;

static double thread_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int stop_asked(void *user)
{
    (void)user;
    return vg_cli_stop_asked();
}

/* ---- parts kept between calls ---- */

static void part_path(const Reproduce *r, const vgPart *p, char *path, size_t size)
{
    snprintf(path, size, "%s/%s.part", r->folder, p->experiment->id);
}

static void part_head(const Reproduce *r, char *head, size_t size)
{
    snprintf(head, size, "verge %s quick %d", vg_version(), r->quick);
}

/* Under another name until it is whole: who ends the call at any moment finds a part complete or not at all.
 */
static void save(const Reproduce *r, const vgPart *p)
{
    char path[1200], fresh[1210], head[100];
    part_path(r, p, path, sizeof path);
    part_head(r, head, sizeof head);
    snprintf(fresh, sizeof fresh, "%s.new", path);
    FILE *f = fopen(fresh, "w");
    if (!f) return; /* the report does not depend on it */
    fprintf(f, "%s\n%d %d %d %d %.3f %zu\n%s", head, p->verdict, p->held, p->failed, p->undecided, p->seconds,
            strlen(p->html), p->html);
    if (fclose(f) == 0) rename(fresh, path);
}

static void reuse(const Reproduce *r, vgPart *p)
{
    char path[1200], head[100], line[200];
    part_path(r, p, path, sizeof path);
    part_head(r, head, sizeof head);
    FILE *f = fopen(path, "r");
    if (!f) return;
    int verdict, held, failed, undecided;
    double seconds;
    size_t n;
    if (fgets(line, sizeof line, f) && strncmp(line, head, strlen(head)) == 0 && line[strlen(head)] == '\n' &&
        fgets(line, sizeof line, f) &&
        sscanf(line, "%d %d %d %d %lf %zu", &verdict, &held, &failed, &undecided, &seconds, &n) == 6 &&
        n < (1u << 28) && verdict >= 0 && verdict < VG_VERDICTS && (p->html = malloc(n + 1))) {
        p->html[fread(p->html, 1, n, f)] = 0;
        if (strlen(p->html) == n) {
            p->verdict = (vgVerdict)verdict;
            p->held = held;
            p->failed = failed;
            p->undecided = undecided;
            p->seconds = seconds;
            p->done = p->reused = 1;
        } else {
            free(p->html);
            p->html = NULL;
        }
    }
    fclose(f);
}

static void forget(const Reproduce *r)
{
    char path[1200], fresh[1210];
    for (int i = 0; i < r->n; i++) {
        part_path(r, &r->part[i], path, sizeof path);
        snprintf(fresh, sizeof fresh, "%s.new", path);
        remove(path);
        remove(fresh);
    }
    rmdir(r->folder);
}

/* ---- running ---- */

static void run_part(Reproduce *r, vgPart *p)
{
    vgExhibit ex = {.id = p->experiment->id, .models = r->models, .quick = r->quick, .cancelled = stop_asked};
    double start = thread_seconds();
    p->experiment->run(&ex);
    vg_exhibit_check_methods(&ex);
    p->seconds = thread_seconds() - start;
    p->verdict = vg_exhibit_verdict(&ex);
    p->held = ex.held;
    p->failed = ex.failed;
    p->undecided = ex.undecided;
    if (ex.ncommand)
        vg_text_add(&ex.html, "<details><summary>%d commands</summary><ol>\n%s</ol></details>\n", ex.ncommand,
                    vg_text_at(&ex.commands));
    p->html = vg_text_ok(&ex.html) && vg_text_ok(&ex.commands) ? strdup(vg_text_at(&ex.html)) : NULL;
    vg_text_free(&ex.html);
    vg_text_free(&ex.commands);
    p->done = p->html && !vg_cli_stop_asked();
}

static double cost(const vgPart *p)
{
    return p->experiment->cost > 0 ? p->experiment->cost : 1;
}

/* A line for each experiment; on a terminal a bar below, by what the experiments cost. */
static void tell(const Reproduce *r, const vgPart *p)
{
    enum { WIDTH = 30 };
    fprintf(stderr, "%s[%s] %s: %s (%d of %d findings, %.1f s)\n", r->terminal ? "\r\033[K" : "",
            p->paper->letter, p->experiment->what, vg_verdict_word(p->verdict), p->held, p->held + p->failed,
            p->seconds);
    double all = 0, done = 0, here = 0, gone = vg_cli_clock() - r->started;
    for (int i = 0; i < r->n; i++) {
        all += cost(&r->part[i]);
        if (r->part[i].done) done += cost(&r->part[i]);
        if (r->part[i].done && !r->part[i].reused) here += cost(&r->part[i]);
    }
    if (!r->terminal || !(done < all)) return;
    int full = (int)(WIDTH * done / all);
    fprintf(stderr, "[%.*s%*s] %d of %d experiments, about %.0f s left", full,
            "##############################", WIDTH - full, "", r->finished, r->n,
            here > 0 ? gone / here * (all - done) : 0);
    fflush(stderr);
}

/* An experiment whose runs another one is making would make them again now. */
static int better_later(const Reproduce *r, const vgPart *p)
{
    const vgShare *share = vg_shares;
    while (share->id && strcmp(share->id, p->experiment->id) != 0) share++;
    for (int i = 0; share->id && i < r->n; i++)
        if (strcmp(r->part[i].experiment->id, share->maker) == 0) return !r->part[i].done;
    return 0;
}

/* The longest of those not begun, so that none is left alone at the end. */
static vgPart *next_part(Reproduce *r)
{
    vgPart *best = NULL;
    for (int later = 0; later < 2 && !best; later++)
        for (int i = 0; i < r->n; i++) {
            vgPart *p = &r->part[i];
            if (p->begun || p->done || better_later(r, p) > later) continue;
            if (!best || p->experiment->cost > best->experiment->cost) best = p;
        }
    if (best) best->begun = 1;
    return best;
}

static void *worker(void *user)
{
    Reproduce *r = user;
    for (;;) {
        pthread_mutex_lock(&r->lock);
        vgPart *p = vg_cli_stop_asked() ? NULL : next_part(r);
        pthread_mutex_unlock(&r->lock);
        if (!p) return NULL;
        run_part(r, p);
        pthread_mutex_lock(&r->lock);
        if (p->done) {
            save(r, p);
            r->finished++;
            tell(r, p);
        }
        pthread_mutex_unlock(&r->lock);
    }
}

static void run_all(Reproduce *r)
{
    pthread_t id[MAX_WORKERS];
    int started = 0;
    if (r->threads > MAX_WORKERS) r->threads = MAX_WORKERS;
    while (started < r->threads - 1 && pthread_create(&id[started], NULL, worker, r) == 0) started++;
    worker(r);
    for (int i = 0; i < started; i++) pthread_join(id[i], NULL);
}

/* ---- choosing ---- */

static int wanted(const vgArgs *args, const vgPaper *paper, const vgExperiment *e)
{
    if (vg_cli_words(args) == 0) return 1;
    for (int i = 0; i < vg_cli_words(args); i++) {
        const char *w = vg_cli_word(args, i);
        if (strcmp(w, "all") == 0 || strcmp(w, paper->letter) == 0 || strcmp(w, e->id) == 0) return 1;
    }
    return 0;
}

static int choose(Reproduce *r, const vgArgs *args)
{
    for (int i = 0; i < vg_cli_words(args); i++) {
        const char *w = vg_cli_word(args, i);
        int known = strcmp(w, "all") == 0;
        for (const vgPaper *p = vg_papers; p->letter; p++) {
            known |= strcmp(w, p->letter) == 0;
            for (const vgExperiment *e = p->experiment; e->id; e++) known |= strcmp(w, e->id) == 0;
        }
        if (!known)
            return vg_cli_wrong("'%s' is no paper (Z, N, G, D, H, all) and no experiment (see --list)", w);
    }
    for (const vgPaper *p = vg_papers; p->letter; p++)
        for (const vgExperiment *e = p->experiment; e->id && r->n < MAX_PARTS; e++)
            if (wanted(args, p, e)) r->part[r->n++] = (vgPart){.paper = p, .experiment = e};
    return VG_EXIT_OK;
}

static int has_models(const char *folder)
{
    char path[1100];
    snprintf(path, sizeof path, "%s/squeezer.yaml", folder);
    return access(path, R_OK) == 0;
}

/* --models, else beside the program: in the source tree it was built in, or where it was installed. */
static int find_models(Reproduce *r, const vgArgs *args)
{
    static const char *const beside[] = {"../../models", "../share/verge/models"};
    const char *given = vg_cli_value(args, "models");
    char exe[800];
    if (given) {
        snprintf(r->models, sizeof r->models, "%s", given);
        if (has_models(given)) return VG_EXIT_OK;
        return vg_cli_wrong("no model files in %s", given);
    }
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = 0;
    char *slash = strrchr(exe, '/');
    if (slash) *slash = 0;
    for (int i = 0; slash && i < 2; i++) {
        snprintf(r->models, sizeof r->models, "%s/%s", exe, beside[i]);
        if (has_models(r->models)) return VG_EXIT_OK;
    }
    snprintf(r->models, sizeof r->models, "models");
    if (has_models(r->models)) return VG_EXIT_OK;
    return vg_cli_wrong("the model files are not beside the program: say --models FOLDER");
}

static void name_json(vgJson *j, const vgPart *p)
{
    vg_json_text(j, "id", p->experiment->id);
    vg_json_text(j, "paper", p->paper->letter);
    vg_json_text(j, "what", p->experiment->what);
}

static void list_all(const Reproduce *r, int as_json)
{
    vgJson j = {.indent = 2};
    vg_json_open(&j, NULL, '{');
    vg_cli_status(&j, 1, NULL);
    vg_json_open(&j, "experiments", '[');
    for (int i = 0; i < r->n; i++) {
        const vgExperiment *e = r->part[i].experiment;
        vg_json_open(&j, NULL, '{');
        name_json(&j, &r->part[i]);
        vg_json_text(&j, "title", e->title);
        vg_json_close(&j);
        if (!as_json) printf("%-8s [%s] %-28s %s\n", e->id, r->part[i].paper->letter, e->what, e->title);
    }
    vg_json_close(&j);
    vg_json_close(&j);
    as_json ? vg_cli_answer(&j) : vg_json_free(&j);
}

/* ---- telling ---- */

/* The findings in their order, a letter each: y holds, n does not, o is open. */
static void marks(const vgPart *p, char *out, size_t size)
{
    static const char MARK[] = "<p class=\"finding ";
    size_t n = 0;
    for (const char *at = strstr(p->html, MARK); at && n + 1 < size; at = strstr(at + 1, MARK))
        out[n++] = at[sizeof MARK - 1];
    out[n] = 0;
}

static void tell_json(const Reproduce *r, int good, double seconds)
{
    char of_part[400];
    vgJson j = {0};
    vg_json_open(&j, NULL, '{');
    vg_cli_status(&j, good, "stopped");
    vg_json_text(&j, "report", r->output);
    vg_json_number(&j, "seconds", seconds);
    vg_json_open(&j, "experiments", '[');
    for (int i = 0; i < r->n; i++) {
        const vgPart *p = &r->part[i];
        if (!p->done) continue;
        vg_json_open(&j, NULL, '{');
        name_json(&j, p);
        vg_json_text(&j, "verdict", vg_verdict_word(p->verdict));
        vg_json_int(&j, "held", p->held);
        vg_json_int(&j, "failed", p->failed);
        vg_json_int(&j, "undecided", p->undecided);
        marks(p, of_part, sizeof of_part);
        vg_json_text(&j, "findings", of_part);
        vg_json_number(&j, "seconds", p->seconds);
        vg_json_close(&j);
    }
    vg_json_close(&j);
    vg_json_close(&j);
    vg_cli_answer(&j);
}

static int finish(Reproduce *r, const vgArgs *args, double seconds)
{
    int done = 0, count[VG_VERDICTS] = {0};
    for (int i = 0; i < r->n; i++) {
        if (!r->part[i].done) continue;
        done++;
        count[r->part[i].verdict]++;
    }
    vgText page = {0};
    vg_reproduce_html(r->part, r->n, r->quick, seconds, &page);
    int good = vg_text_ok(&page) && vg_cli_write(r->output, vg_text_at(&page));
    vg_text_free(&page);
    if (good && done == r->n && vg_cli_value(args, "summary")) { /* no list of a part */
        vgText kept = {0};
        char took[80] = "";
        if (r->reused == 0)
            snprintf(took, sizeof took, " in %.0f s, %d experiments side by side", seconds, r->threads);
        vg_reproduce_markdown(r->part, r->n, r->quick, took, &kept);
        good = vg_text_ok(&kept) && vg_cli_write(vg_cli_value(args, "summary"), vg_text_at(&kept));
        vg_text_free(&kept);
    }
    if (vg_cli_given(args, "json"))
        tell_json(r, good && done == r->n, seconds);
    else if (good)
        printf("%d of %d experiments: %d hold, %d hold partly, %d do not, %d undecided, %d say nothing; %.0f "
               "s\n%s\n",
               done, r->n, count[VG_HOLDS], count[VG_HOLDS_PARTLY], count[VG_DOES_NOT_HOLD],
               count[VG_UNDECIDED], count[VG_SAYS_NOTHING], seconds, r->output);
    if (done < r->n) vg_cli_wrong("stopped; the same call goes on with what is left");
    if (good && done == r->n) forget(r);
    return good && done == r->n ? VG_EXIT_OK : VG_EXIT_FAILED;
}

static int reproduce(const vgArgs *args)
{
    Reproduce *r = calloc(1, sizeof *r);
    if (!r) return VG_EXIT_FAILED;
    long threads = sysconf(_SC_NPROCESSORS_ONLN);
    r->quick = vg_cli_given(args, "quick") > 0;
    r->output = vg_cli_value(args, "output") ? vg_cli_value(args, "output") : "report.html";
    int code = vg_cli_count(args, "threads", 1, &threads) < 0 ? VG_EXIT_INPUT : choose(r, args);
    int list = vg_cli_given(args, "list") > 0;
    if (code == VG_EXIT_OK && list) list_all(r, vg_cli_given(args, "json") > 0);
    if (code == VG_EXIT_OK && !list) code = find_models(r, args);
    if (code == VG_EXIT_OK && !list) {
        double start = vg_cli_clock();
        snprintf(r->folder, sizeof r->folder, "%.990s.parts", r->output);
        if (mkdir(r->folder, 0777) != 0 && errno != EEXIST)
            code = vg_cli_wrong("cannot make %s: %s", r->folder, strerror(errno));
        if (vg_cli_given(args, "fresh")) forget(r), mkdir(r->folder, 0777);
        for (int i = 0; code == VG_EXIT_OK && i < r->n; i++) {
            reuse(r, &r->part[i]);
            r->finished += r->part[i].done;
            r->reused += r->part[i].done;
        }
        if (code == VG_EXIT_OK) {
            pthread_mutex_init(&r->lock, NULL);
            vg_cli_catch_signals();
            r->terminal = isatty(STDERR_FILENO);
            r->started = start;
            r->threads = (int)threads;
            run_all(r);
            pthread_mutex_destroy(&r->lock);
            code = finish(r, args, vg_cli_clock() - start);
        }
    }
    for (int i = 0; i < r->n; i++) free(r->part[i].html);
    free(r);
    return code;
}

/* The command of `verge reproduce`, its options and help included, with the experiments behind it. */
int main(int argc, char **argv)
{
    vgCommand command = vg_cmd_reproduce;
    command.run = reproduce;
    vg_cli_prepare();
    return vg_cli_run(&command, argc - 1, argv + 1);
}
