#define _DEFAULT_SOURCE /* mkstemps */
#include "base/file.h"
#include "base/os.h"
#include "cli/page/page.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli/cli.h"
#include "io/view/view.h"

/* DIR/NAME.ending -> DIR/NAME + end */
static char *with_ending(const char *path, const char *end)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t stem = dot && dot > (slash ? slash + 1 : path) ? (size_t)(dot - path) : strlen(path);
    size_t n = stem + strlen(end) + 1;
    char *out = malloc(n);
    if (out) snprintf(out, n, "%.*s%s", (int)stem, path, end);
    return out;
}

char *vg_cli_page_beside(const char *results)
{
    return with_ending(results, ".html");
}

int vg_cli_page_check(const char *page)
{
    const char *dot = page ? strrchr(page, '.') : NULL;
    if (!page || !*page || (dot && (!strcasecmp(dot, ".html") || !strcasecmp(dot, ".htm"))))
        return VG_EXIT_OK;
    return vg_cli_wrong("'%s': a page must end in .html", page);
}

static char *temporary_name(void)
{
    const char *folder = vg_os_temporary_folder();
    static const char ending[] = ".h5";
    size_t n = strlen(folder) + sizeof "/verge-XXXXXX" + sizeof ending;
    char *name = malloc(n);
    if (!name) return NULL;
    snprintf(name, n, "%s/verge-XXXXXX%s", folder, ending);
    if (vg_os_make_temporary(name, (int)sizeof ending - 1) !=
        0) { /* stays: the name is ours as long as it is there */
        vg_cli_wrong("--view: no temporary file in '%s': %s", folder, vg_file_why(errno));
        free(name);
        return NULL;
    }
    return name;
}

int vg_cli_page_plan(const char *wanted, const char *model, const char *output, vgCliPage *page)
{
    *page = (vgCliPage){0};
    if (!wanted) return VG_EXIT_OK;
    int code = vg_cli_page_check(wanted);
    if (code != VG_EXIT_OK) return code;
    const char *dot = output ? strrchr(output, '.') : NULL, *slash = strrchr(model, '/');
    if (dot && !strcasecmp(dot, ".csv"))
        return vg_cli_wrong("--view: a page is made of poses, which '%s' does not hold; write -o FILE.h5",
                            output);
    page->results = output ? strdup(output) : temporary_name();
    page->temporary = !output;
    /* beside the results; without them in the folder where the user is */
    page->path = *wanted ? strdup(wanted) : vg_cli_page_beside(output ? output : slash ? slash + 1 : model);
    return page->results && page->path ? VG_EXIT_OK : VG_EXIT_FAILED;
}

int vg_cli_page_write(const vgCliPage *page)
{
    vgDiag *diag = vg_diag_new();
    const char *results = page->results;
    vgStatus status = vg_view_write(&results, 1, page->path, diag);
    vg_cli_say(diag);
    vg_diag_free(diag);
    return status == VG_OK ? VG_EXIT_OK : VG_EXIT_FAILED;
}

void vg_cli_page_close(vgCliPage *page)
{
    if (page->temporary && page->results) unlink(page->results);
    free(page->results);
    free(page->path);
    *page = (vgCliPage){0};
}
