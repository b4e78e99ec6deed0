/* In the place of model/robot where a program has the core of the library alone. */
#include "model/import.h"

struct vgNode *vg_import_spec(vgPool *pool, const char *text, size_t n, const char *name, const char *path,
                              const vgImportOptions *options, vgDiag *diag, vgImportReport *report,
                              char **text_out)
{
    (void)pool, (void)text, (void)n, (void)path, (void)options, (void)report, (void)text_out;
    vg_diag_error(
        diag, (vgLoc){vg_diag_file(diag, name), 1, 1},
        "this program reads models, not robot files (URDF, MJCF): `verge import` makes a model of one");
    return NULL;
}
