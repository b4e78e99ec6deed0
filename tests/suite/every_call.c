/* No system call between the first step and the last, whatever the method and the model: from the first row
 * on the kernel ends a run that makes one. Reading the clock is left to the driver, which does it with rows.
 */
#include "analysis/run/simulation.h"
#include "analysis/run/transient.h"
#include "test.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1 /* sanitizers make calls of their own: there the runs are only to end well */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

#if defined(__linux__) && defined(__x86_64__)

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ALL_WELL = 7, FAILED = 8, NO_FILTER = 9 };

static int forbid_calls(void)
{
#ifdef SANITIZED
    return 1;
#else
    struct sock_filter only[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof only / sizeof *only, .filter = only};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
#endif
}

static vgStatus row(void *user, const vgState *state, vgWork *work)
{
    int *rows = user;
    (void)state, (void)work;
    if (++*rows > 1) _exit(ALL_WELL); /* the last */
    if (!forbid_calls()) _exit(NO_FILTER);
    return VG_OK;
}

/* In a process of its own, which ends with the last row. */
static void run(const vgModel *m, const vgDials *dials, double h)
{
    vgSimulation sim = {0};
    vgTransientResult res = {0};
    int rows = 0;
    vgSink sink = {.user = &rows, .row = row};
    vgTransientOptions o = {.step = h, .end = 30 * h, .every = 1 << 20, .monitor = 1};
    if (vg_simulation_open(m, dials, NULL, &sim) != VG_OK) _exit(FAILED);
    vg_transient_run(sim.it, sim.state, &o, &sink, &res);
    _exit(FAILED);
}

TEST(steps_make_no_system_calls)
{
    static const struct {
        const char *model, *coordinates, *integrator;
        double step;
    } runs[] = {
        {"pendulum", NULL, "rk4", 1e-3},
        {"heavy-top", NULL, "dop853", 1e-4},
        {"squeezer", NULL, "generalized-alpha", 1e-5},
        {"squeezer", "natural", "bdf", 1e-5},
        {"iltis", NULL, "generalized-alpha:adaptive=1", 1e-3},
        {"iltis-stairs", NULL, NULL, 1e-3},
        {"slider-crank-flexible", NULL, NULL, 1e-4},
        {"slider-crank-flexible-modes", "natural", NULL, 5e-4},
        {"four-bar", NULL, NULL, 4e-3},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/models/%s.yaml", VERGE_SOURCE_DIR, runs[i].model);
        vgModel *m = vg_model_load(path, NULL, 0, NULL);
        vgDials dials = {.coordinates = runs[i].coordinates, .integrator = runs[i].integrator};
        CHECK(m != NULL);
        fflush(stdout);
        pid_t child = m ? fork() : -1;
        int how = 0;
        if (child == 0) run(m, &dials, runs[i].step);
        CHECK(child > 0 && waitpid(child, &how, 0) == child);
        int well = WIFEXITED(how) && (WEXITSTATUS(how) == ALL_WELL || WEXITSTATUS(how) == NO_FILTER);
        if (!well)
            printf("%s, %s: %s\n", runs[i].model, runs[i].integrator ? runs[i].integrator : "-",
                   WIFSIGNALED(how) ? "a system call" : "the run failed");
        CHECK(well);
        vg_model_free(m);
    }
}

#else
TEST(steps_make_no_system_calls)
{
    printf("not on this system\n");
}
#endif

TEST_MAIN(steps_make_no_system_calls)
