/* Which channels a run records. */
#ifndef VG_CLI_RECORD_H
#define VG_CLI_RECORD_H

#include "analysis/channels.h"
#include "model/model.h"

enum { VG_RECORD_BEAMS = 4 };

/* Patterns of the stress resultants that colour the beams of a page, as many as there is room for; how many.
 */
int vg_cli_record_beams(const vgModel *model, const char *names[VG_RECORD_BEAMS]);
/* What the model records and n more names (patterns allowed); when that is nothing, the coordinates of the
 * joints (or where the bodies are) and the energy. */
vgStatus vg_cli_record(const vgSystem *sys, const vgModel *model, const char *const *more, int n,
                       vgDiag *diag, vgChannels **out);

#endif
