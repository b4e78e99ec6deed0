/* verge view: results files as a page to look at. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/page/page.h"
#include "io/view/view.h"

enum { MAX_RUNS = 16 };

static const vgOption options[] = {
    {"output", 'o', "FILE.html", "the page to write (default: beside the first results file)"},
    {NULL, 0, NULL, NULL},
};

static int view(const vgArgs *args)
{
    int n = vg_cli_words(args);
    const char *results[MAX_RUNS], *output = vg_cli_value(args, "output");
    for (int i = 0; i < n; i++) results[i] = vg_cli_word(args, i);
    int code = vg_cli_page_check(output);
    if (code != VG_EXIT_OK) return code;
    char *beside = output ? NULL : vg_cli_page_beside(results[0]);
    if (!output && !beside) return VG_EXIT_FAILED;
    vgDiag *diag = vg_diag_new();
    vgStatus status = vg_view_write(results, n, output ? output : beside, diag);
    vg_cli_say(diag);
    if (status == VG_OK) printf("%s\n", output ? output : beside);
    vg_diag_free(diag);
    free(beside);
    return status == VG_OK ? VG_EXIT_OK : status == VG_BAD_INPUT ? VG_EXIT_INPUT : VG_EXIT_FAILED;
}

const vgCommand vg_cmd_view = {
    .name = "view",
    .usage = "RESULTS.h5… [options]",
    .doc = "write a page that shows the motion and plots of results files",
    .example = "  verge view slider.h5\n"
               "  verge view implicit.h5 explicit.h5 -o compare.html\n",
    .min = 1,
    .max = MAX_RUNS,
    .options = options,
    .run = view,
};
