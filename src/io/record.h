/* Which channels a run records. */
#ifndef VG_IO_RECORD_H
#define VG_IO_RECORD_H

#include "analysis/channels/channels.h"
#include "model/model.h"

enum { VG_RECORD_BEAMS = 5, VG_RECORD_ARROWS = 6 };

/* Names (patterns allowed) in addition to the model's: those requested, and those always recorded. */
typedef struct vgRecordMore {
    const char *const *asked, *const *name;
    int nasked, n;
} vgRecordMore;

/* Patterns of what beams and cables carry, by which a page colours them, as many as there is room for; how
 * many. */
int vg_record_beams(const vgModel *model, const char *names[VG_RECORD_BEAMS]);
/* Patterns of what joints, springs and contacts transmit, which a page draws as arrows; how many. None in models of so
 * many elements that the arrows would hide them. */
int vg_record_arrows(const vgSystem *sys, const vgModel *model, const char *names[VG_RECORD_ARROWS]);
/* 1: the model has channels of this name or pattern; −1: memory ran out. */
int vg_record_matches(const vgSystem *sys, const char *pattern);
/* Channels to record: those of the model and those requested; if there are none, the joint coordinates (or the
 * positions of the bodies) and the energy; and those always recorded. */
vgStatus vg_record_channels(const vgSystem *sys, const vgModel *model, const vgRecordMore *more, vgDiag *diag,
                            vgChannels **out);

#endif
