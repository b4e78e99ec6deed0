/* MCAP: a file of messages with times. Records are an opcode, a length and the content; messages are collected in chunks
 * with an index behind them, and a summary at the end says where everything is (https://mcap.dev/spec). Integers are
 * written little end first. */
#ifndef VG_IO_EXPORT_MCAP_FILE_H
#define VG_IO_EXPORT_MCAP_FILE_H

#include <stdint.h>

#include "base/file.h"
#include "base/text.h"

enum { VG_MCAP_CHANNELS = 3 };

typedef struct vgMcap {
    vgOutput *out;
    int failed;                       /* writing failed, errno says why; or memory ran out */
    vgText chunk;                     /* records of the chunk that grows */
    vgText index[VG_MCAP_CHANNELS];   /* of each channel: times and places in it */
    vgText summary, chunks;           /* records of the summary: schemas and channels; places of chunks */
    uint64_t first, last;             /* times of the chunk, ns */
    uint64_t from, to;                /* and of the file */
    uint64_t count[VG_MCAP_CHANNELS]; /* messages */
    uint32_t nchunk, nchannel;
} vgMcap;

void vg_mcap_begin(vgMcap *file, vgOutput *out, const char *library);
/* A channel of JSON messages with a schema of its own; its number. */
int vg_mcap_channel(vgMcap *file, const char *topic, const char *schema_name, const char *schema);
/* Times must not fall. */
void vg_mcap_message(vgMcap *file, int channel, uint64_t time, const char *json, size_t n);
void vg_mcap_end(vgMcap *file);
void vg_mcap_free(vgMcap *file);

#endif
