/* C API: the page of results files (include/verge/run.h). */
#include "io/view/view.h"

#include <stddef.h>

#include "verge/run.h"

vgStatus vg_view(const char *const *results, int n, const char *page, vgDiag *diag)
{
    int ok = results && n > 0 && page;
    for (int i = 0; ok && i < n; i++) ok = results[i] != NULL;
    if (ok) return vg_view_write(results, n, page, diag);
    vg_diag_error(diag, VG_NOWHERE, "results files and a page are wanted");
    return VG_BAD_INPUT;
}
