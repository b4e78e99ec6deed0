#include "cli/progress.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/os.h"

enum { BAR = 30 };

double vg_cli_clock(void)
{
    return 1e-9 * (double)vg_os_clock();
}

void vg_progress_start(vgProgress *p, int quiet)
{
    *p = (vgProgress){
        .quiet = quiet, .terminal = vg_os_is_terminal(fileno(stderr)), .started = vg_cli_clock()};
    p->shown = p->started;
}

static void duration(char *text, size_t n, double seconds)
{
    if (seconds < 90)
        snprintf(text, n, "%.0f s", seconds);
    else if (seconds < 5400)
        snprintf(text, n, "%.1f min", seconds / 60);
    else
        snprintf(text, n, "%.1f h", seconds / 3600);
}

/* what: the words in the middle of the line. */
static void show(vgProgress *p, double done, const char *what)
{
    double now = vg_cli_clock();
    p->shown = now;
    done = fmin(1, fmax(0, done));
    char left[40] = "?";
    if (done > 0) duration(left, sizeof left, (now - p->started) * (1 - done) / done);
    if (!p->terminal) {
        fprintf(stderr, "%.0f %%, %s, %s left\n", 100 * done, what, left);
        return;
    }
    char bar[BAR + 1];
    memset(bar, '.', BAR);
    memset(bar, '#', (size_t)(done * BAR));
    bar[BAR] = 0;
    fprintf(stderr, "\r[%s] %3.0f %%  %s  %s left\033[K", bar, 100 * done, what, left);
    fflush(stderr);
    p->drawn = 1;
}

static int is_due(const vgProgress *p)
{
    return !p->quiet && vg_cli_clock() - p->shown >= (p->terminal ? 0.2 : 10);
}

void vg_progress_show(vgProgress *p, double t, double t0, double t_end, long steps)
{
    char what[120];
    if (!is_due(p)) return;
    snprintf(what, sizeof what, "t = %.6g s of %.6g s, %ld steps", t, t_end, steps);
    show(p, t_end > t0 ? (t - t0) / (t_end - t0) : 1, what);
}

void vg_progress_count(vgProgress *p, long done, long all, const char *of)
{
    char what[120];
    if (!is_due(p)) return;
    if (all > 0)
        snprintf(what, sizeof what, "%ld of %ld %s", done, all, of);
    else
        snprintf(what, sizeof what, "%ld %s", done, of);
    show(p, all > 0 ? (double)done / (double)all : 0, what);
}

void vg_progress_end(vgProgress *p)
{
    if (p->drawn) fputs("\r\033[K", stderr);
    p->drawn = 0;
}

static atomic_int stop_asked; /* set by a handler, seen by every thread */

static void ask(int signal_number)
{
    (void)signal_number;
    stop_asked = 1;
}

void vg_cli_catch_signals(void)
{
    vg_os_on_interrupt(ask);
}

int vg_cli_stop_asked(void)
{
    return stop_asked;
}
