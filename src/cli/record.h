/* Which channels a run records. */
#ifndef VG_CLI_RECORD_H
#define VG_CLI_RECORD_H

#include "analysis/channels/channels.h"
#include "model/model.h"

enum { VG_RECORD_BEAMS = 5 };

/* Names (patterns allowed) beside those of the model: what was asked for, and what is recorded in any case.
 */
typedef struct vgRecordMore {
    const char *const *asked, *const *name;
    int nasked, n;
} vgRecordMore;

/* Patterns of what beams and cables carry, by which a page colours them, as many as there is room for; how
 * many. */
int vg_cli_record_beams(const vgModel *model, const char *names[VG_RECORD_BEAMS]);
/* What the model records and what was asked for, or when that is nothing the coordinates of the joints (or
 * where the bodies are) and the energy; and what is recorded in any case. */
vgStatus vg_cli_record(const vgSystem *sys, const vgModel *model, const vgRecordMore *more, vgDiag *diag,
                       vgChannels **out);

#endif
