/* Runs many short cases of the program without the cost of starting it: a fork for each.
 *
 * Standard input has one case a line: the limit of processor time in seconds, then the words that would follow
 * `verge` on the command line, all separated by tabs. For each line a child runs the program's own commands in a
 * process of its own. The answer on standard output is a line
 *
 *     CODE OUT ERR MICROSECONDS
 *
 * with the exit code (128 + signal where a signal ended it; 152 is the limit of processor time), the number of
 * bytes that the child wrote to standard output and to standard error, its processor time, and then these bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"

extern const vgCommand vg_cmd_run, vg_cmd_check, vg_cmd_list;

const vgCommand *const vg_commands[] = {&vg_cmd_run, &vg_cmd_check, &vg_cmd_list, NULL};

enum { WORDS = 64, LINE = 1 << 16 };

/* What a child may allocate. A model of this size needs megabytes; 2 GB ends what runs away before the machine
 * has to swap. */
#define MEMORY ((rlim_t)2 << 30)

/* The child: never returns. */
static void run_case(int limit, int argc, char **argv, int out, int err)
{
    struct rlimit cpu = {(rlim_t)limit, (rlim_t)limit + 1}, core = {0, 0};
    setrlimit(RLIMIT_CPU, &cpu);
    setrlimit(RLIMIT_CORE, &core);
#ifndef __SANITIZE_ADDRESS__
    struct rlimit memory = {MEMORY, MEMORY};
    if (!getenv("VERGE_CASES_UNLIMITED")) setrlimit(RLIMIT_AS, &memory);
#endif
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    int code = VG_EXIT_INPUT;
    for (int i = 0; vg_commands[i] && argc > 0; i++)
        if (strcmp(vg_commands[i]->name, argv[0]) == 0) code = vg_cli_run(vg_commands[i], argc - 1, argv + 1);
    fflush(stdout);
    fflush(stderr);
    _exit(code);
}

static long size_of(int file)
{
    return (long)lseek(file, 0, SEEK_END);
}

static void pass_on(int file, long size)
{
    char bytes[1 << 14];
    lseek(file, 0, SEEK_SET);
    while (size > 0) {
        ssize_t n = read(file, bytes, sizeof bytes);
        if (n <= 0) break;
        fwrite(bytes, 1, (size_t)n, stdout);
        size -= n;
    }
}

static void empty(int file)
{
    if (ftruncate(file, 0) != 0) exit(1);
    lseek(file, 0, SEEK_SET);
}

static void serve(char *line, int out, int err)
{
    char *word[WORDS + 1] = {0}, *rest = NULL;
    int n = 0, limit = atoi(line), status = 0;
    strtok_r(line, "\t\n", &rest);
    for (char *w; n < WORDS && (w = strtok_r(NULL, "\t\n", &rest));) word[n++] = w;
    empty(out);
    empty(err);
    struct rusage use = {0};
    pid_t child = fork();
    if (child == 0) run_case(limit, n, word, out, err);
    if (child < 0 || wait4(child, &status, 0, &use) < 0) exit(1);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    long nout = size_of(out), nerr = size_of(err);
    long micro =
        (use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000L + use.ru_utime.tv_usec + use.ru_stime.tv_usec;
    printf("%d %ld %ld %ld\n", code, nout, nerr, micro);
    pass_on(out, nout);
    pass_on(err, nerr);
    fflush(stdout);
}

static int scratch(void)
{
    FILE *file = tmpfile(); /* has no name and goes with the process */
    if (!file) exit(1);
    return fileno(file);
}

int main(void)
{
    static char line[LINE];
    vg_cli_prepare();
    int out = scratch(), err = scratch();
    while (fgets(line, sizeof line, stdin)) serve(line, out, err);
    return 0;
}
