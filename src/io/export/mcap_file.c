#include "io/export/mcap_file.h"

#include <string.h>

enum { CHUNK_BYTES = 1 << 20 };
enum opcode {
    HEADER = 1,
    FOOTER,
    SCHEMA,
    CHANNEL,
    MESSAGE,
    CHUNK,
    MESSAGE_INDEX,
    CHUNK_INDEX,
    STATISTICS = 0x0b,
    DATA_END = 0x0f
};

static void put_int(vgText *to, uint64_t value, int bytes)
{
    unsigned char b[8];
    for (int i = 0; i < bytes; i++) b[i] = (unsigned char)(value >> 8 * i & 255);
    vg_text_put(to, (const char *)b, (size_t)bytes);
}

static void put_text(vgText *to, const char *text)
{
    put_int(to, strlen(text), 4);
    vg_text_put(to, text, strlen(text));
}

static void write(vgMcap *f, const char *bytes, size_t n)
{
    if (!f->failed && !vg_output_put(f->out, bytes, n)) f->failed = 1;
}

/* A record into a text. */
static void record_to(vgText *to, enum opcode opcode, const vgText *content)
{
    put_int(to, opcode, 1);
    put_int(to, content->used, 8);
    vg_text_put(to, vg_text_at(content), content->used);
    if (!vg_text_ok(content)) to->failed = 1;
}

/* A record into the file; content is freed. */
static void record(vgMcap *f, enum opcode opcode, vgText *content)
{
    vgText whole = {0};
    record_to(&whole, opcode, content);
    if (!vg_text_ok(&whole)) f->failed = 1;
    write(f, vg_text_at(&whole), whole.used);
    vg_text_free(&whole);
    vg_text_free(content);
}

static const char magic[8] = {(char)0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};

void vg_mcap_begin(vgMcap *f, vgOutput *out, const char *library)
{
    vgText x = {0};
    *f = (vgMcap){.out = out, .from = UINT64_MAX};
    write(f, magic, sizeof magic);
    put_text(&x, "");
    put_text(&x, library);
    record(f, HEADER, &x);
}

int vg_mcap_channel(vgMcap *f, const char *topic, const char *schema_name, const char *schema)
{
    vgText s = {0}, c = {0}, both = {0};
    uint32_t id = ++f->nchannel;
    put_int(&s, id, 2);
    put_text(&s, schema_name);
    put_text(&s, "jsonschema");
    put_text(&s, schema);
    put_int(&c, id, 2);
    put_int(&c, id, 2);
    put_text(&c, topic);
    put_text(&c, "json");
    put_int(&c, 0, 4); /* no metadata */
    record_to(&both, SCHEMA, &s);
    record_to(&both, CHANNEL, &c);
    if (!vg_text_ok(&both)) f->failed = 1;
    /* before the messages for those who read from the start, and in the summary */
    write(f, vg_text_at(&both), both.used);
    vg_text_put(&f->summary, vg_text_at(&both), both.used);
    vg_text_free(&s), vg_text_free(&c), vg_text_free(&both);
    return (int)id - 1;
}

static void end_chunk(vgMcap *f)
{
    if (!f->chunk.used) return;
    uint64_t at = f->out->end;
    vgText x = {0}, offsets = {0}, place = {0};
    put_int(&x, f->first, 8);
    put_int(&x, f->last, 8);
    put_int(&x, f->chunk.used, 8);
    put_int(&x, 0, 4); /* no checksum */
    put_text(&x, "");  /* not compressed */
    put_int(&x, f->chunk.used, 8);
    vg_text_put(&x, vg_text_at(&f->chunk), f->chunk.used);
    record(f, CHUNK, &x);
    uint64_t end = f->out->end;
    for (uint32_t i = 0; i < f->nchannel; i++) {
        if (!f->index[i].used) continue;
        put_int(&offsets, i + 1, 2);
        put_int(&offsets, f->out->end, 8);
        put_int(&x, i + 1, 2);
        put_int(&x, f->index[i].used, 4);
        vg_text_put(&x, vg_text_at(&f->index[i]), f->index[i].used);
        if (!vg_text_ok(&f->index[i])) f->failed = 1;
        record(f, MESSAGE_INDEX, &x);
        vg_text_clear(&f->index[i]);
    }
    put_int(&place, f->first, 8);
    put_int(&place, f->last, 8);
    put_int(&place, at, 8);
    put_int(&place, end - at, 8);
    put_int(&place, offsets.used, 4);
    vg_text_put(&place, vg_text_at(&offsets), offsets.used);
    put_int(&place, f->out->end - end, 8);
    put_text(&place, "");
    put_int(&place, f->chunk.used, 8);
    put_int(&place, f->chunk.used, 8);
    record_to(&f->chunks, CHUNK_INDEX, &place);
    if (!vg_text_ok(&offsets) || !vg_text_ok(&f->chunk)) f->failed = 1;
    f->nchunk++;
    vg_text_clear(&f->chunk);
    vg_text_free(&offsets);
    vg_text_free(&place);
}

void vg_mcap_message(vgMcap *f, int channel, uint64_t time, const char *json, size_t n)
{
    if (!f->chunk.used) f->first = time;
    f->last = time;
    if (time < f->from) f->from = time;
    if (time > f->to) f->to = time;
    put_int(&f->index[channel], time, 8);
    put_int(&f->index[channel], f->chunk.used, 8);
    put_int(&f->chunk, MESSAGE, 1);
    put_int(&f->chunk, 2 + 4 + 8 + 8 + n, 8);
    put_int(&f->chunk, (uint64_t)channel + 1, 2);
    put_int(&f->chunk, f->count[channel]++ & UINT32_MAX, 4);
    put_int(&f->chunk, time, 8);
    put_int(&f->chunk, time, 8);
    vg_text_put(&f->chunk, json, n);
    if (f->chunk.used >= CHUNK_BYTES) end_chunk(f);
}

void vg_mcap_end(vgMcap *f)
{
    vgText x = {0};
    uint64_t all = 0;
    end_chunk(f);
    put_int(&x, 0, 4); /* no checksum of the data */
    record(f, DATA_END, &x);
    uint64_t start = f->out->end;
    write(f, vg_text_at(&f->summary), f->summary.used);
    for (uint32_t i = 0; i < f->nchannel; i++) all += f->count[i];
    put_int(&x, all, 8);
    put_int(&x, f->nchannel, 2);
    put_int(&x, f->nchannel, 4);
    put_int(&x, 0, 4);
    put_int(&x, 0, 4);
    put_int(&x, f->nchunk, 4);
    put_int(&x, all ? f->from : 0, 8);
    put_int(&x, f->to, 8);
    put_int(&x, 10 * (uint64_t)f->nchannel, 4);
    for (uint32_t i = 0; i < f->nchannel; i++) put_int(&x, i + 1, 2), put_int(&x, f->count[i], 8);
    record(f, STATISTICS, &x);
    write(f, vg_text_at(&f->chunks), f->chunks.used);
    if (!vg_text_ok(&f->summary) || !vg_text_ok(&f->chunks)) f->failed = 1;
    put_int(&x, start, 8);
    put_int(&x, 0, 8); /* no groups */
    put_int(&x, 0, 4); /* no checksum */
    record(f, FOOTER, &x);
    write(f, magic, sizeof magic);
}

void vg_mcap_free(vgMcap *f)
{
    vg_text_free(&f->chunk);
    for (int i = 0; i < VG_MCAP_CHANNELS; i++) vg_text_free(&f->index[i]);
    vg_text_free(&f->summary);
    vg_text_free(&f->chunks);
}
