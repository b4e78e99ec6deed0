/* verge reproduce: the experiments of the five papers are a program of their own, `verge-reproduce`, installed beside
 * this one. Options, help and the first checks come from this row, which both programs use; then the program
 * `verge-reproduce` takes the place of this process. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "cli/cli.h"

#define PROGRAM "verge-reproduce"

static int hand_over(const vgArgs *args)
{
    int argc;
    char **given = vg_cli_raw(args, &argc), path[1000];
    char **argv = calloc((size_t)argc + 2, sizeof *argv);
    if (!argv) return VG_EXIT_FAILED;
    vg_os_program(path, sizeof path - sizeof PROGRAM);
    char *slash = strrchr(path, '/');
    strcpy(slash ? slash + 1 : path, PROGRAM);
    argv[0] = path;
    memcpy(argv + 1, given, (size_t)argc * sizeof *argv);
    int code = vg_os_become(path, argv), why = errno;
    free(argv);
    if (code >= 0) return code;
    return vg_cli_wrong("the experiments are a program of their own, and it cannot be started: %s: %s", path,
                        strerror(why));
}

static const vgOption options[] = {
    {"output", 'o', "REPORT.html", "where the report goes (default: report.html)"},
    {"summary", 0, "FILE.md", "also the verdicts as a table in Markdown, with what does not hold and why"},
    {"quick", 0, NULL, "fewer methods and shorter runs"},
    {"fresh", 0, NULL, "do not go on with what an interrupted call left"},
    {"list", 0, NULL, "the experiments, without running them"},
    {"models", 0, "FOLDER", "the model files (default: beside the program)"},
    {"threads", 0, "N", "experiments side by side (default: the cores)"},
    {"json", 0, NULL, "the verdicts as one JSON object on stdout"},
    {NULL, 0, NULL, NULL},
};

const vgCommand vg_cmd_reproduce = {
    .name = "reproduce",
    .usage = "[Z|N|G|D|H|all|EXPERIMENT …] [options]",
    .doc = "run the experiments of the five papers again and write a report with verdicts",
    .example = "  verge reproduce H -o report.html\n  verge reproduce --quick -o quick.html\n",
    .min = 0,
    .max = -1,
    .options = options,
    .run = hand_over,
};
