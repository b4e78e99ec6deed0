/* verge doc: reference pages made from the tables in the program, so that they cannot be out of date. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "cli/cli.h"
#include "model/model.h"

typedef struct page {
    const char *name, *doc;
    char *(*make)(void); /* Markdown, malloc'ed */
} page;

static const page pages[] = {
    {"format", "the model file: every key, its type, unit, default and range", vg_model_format_doc},
};
enum { NPAGE = sizeof pages / sizeof pages[0] };

static int doc(const vgArgs *args)
{
    const char *names[NPAGE], *wanted = vg_cli_word(args, 0), *output = vg_cli_value(args, "output");
    for (int i = 0; i < NPAGE; i++) {
        names[i] = pages[i].name;
        if (!wanted) printf("%-10s %s\n", pages[i].name, pages[i].doc);
        if (!wanted || strcmp(names[i], wanted) != 0) continue;
        char *text = pages[i].make();
        if (!text) return VG_EXIT_FAILED;
        int ok = output ? vg_cli_write(output, text) : fputs(text, stdout) >= 0;
        free(text);
        return ok ? VG_EXIT_OK : VG_EXIT_FAILED;
    }
    if (!wanted) return VG_EXIT_OK;
    const char *near = vg_name_closest(wanted, names, NPAGE);
    if (near) return vg_cli_wrong("doc: unknown page '%s'; did you mean '%s'?", wanted, near);
    return vg_cli_wrong("doc: unknown page '%s'; verge doc shows the pages", wanted);
}

static const vgOption options[] = {
    {"output", 'o', "FILE.md", "write to a file instead of stdout"},
    {0},
};

const vgCommand vg_cmd_doc = {
    .name = "doc",
    .usage = "[format] [options]",
    .doc = "print a reference page",
    .example = "  verge doc format -o format.md\n",
    .min = 0,
    .max = 1,
    .options = options,
    .run = doc,
};
