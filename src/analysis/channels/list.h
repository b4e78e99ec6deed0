/* Lists of channels: each family returns the channels of one of its members. Private to channels. */
#ifndef VG_ANALYSIS_CHANNELS_LIST_H
#define VG_ANALYSIS_CHANNELS_LIST_H

#include "analysis/channels/channels.h"
#include "analysis/channels/energy.h"

typedef struct vgChan vgChan;

/* What an evaluation sees. */
typedef struct vgChanContext {
    vgProbe *probe;
    vgWorkSum *work;
} vgChanContext;

struct vgChan {
    double (*eval)(const vgChanContext *, vgChan *);
    int index; /* body, marker, joint, force, measure, row */
    int part;  /* component, level, output */
    int steps; /* 1: is evaluated after every step */
    int watch; /* measure + 1 whose turns must be counted, 0: none */
};

typedef struct vgChanEmit {
    void (*take)(struct vgChanEmit *, const char *suffix, const char *unit, vgChan chan);
    const vgSystem *sys;
    const vgProbe *probe;
} vgChanEmit;

typedef struct vgFamily {
    const char *prefix;                         /* "body" */
    const vgNames *(*members)(const vgModel *); /* NULL: a family without members (energy) */
    void (*list)(vgChanEmit *, int member);     /* calls take for every channel of the member */
} vgFamily;

extern const vgFamily vg_families[]; /* prefix == NULL ends */

/* families that live in files of their own */
void vg_chan_list_body(vgChanEmit *emit, int body);
void vg_chan_list_marker(vgChanEmit *emit, int marker);
void vg_chan_list_joint(vgChanEmit *emit, int joint);
/* what a frame or a node of a flexible body has besides, nothing for other bodies */
void vg_chan_list_flexible(vgChanEmit *emit, int body);
void vg_chan_list_station(vgChanEmit *emit, int body);

#endif
