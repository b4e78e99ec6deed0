/* States of an instance: parameters, inputs, the simulation's checkpoint, sums over steps. Head, then
 *     param[nparam] · input[ninput] · sums of the outputs · checkpoint
 * A state is taken by an instance of the same FMU, also in another process. */
#include <stdlib.h>
#include <string.h>

#include "fmi/exchange.h"
#include "fmi/instance.h"

typedef struct Head {
    char magic[8];
    unsigned long long token; /* sum of the FMU's token */
    unsigned long long sum;   /* of all bytes, with 0 here */
    long long checkpoint;     /* bytes of it; 0: there is no simulation yet */
    long long sums;           /* bytes of them */
    int mode, has_stop, tuned, corrected;
    double start, stop, t, next, from;
} Head;

static const char magic[8] = "VGFMU02";

static unsigned long long mix(unsigned long long h, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < n; i++) h = (h ^ at[i]) * 1099511628211ull; /* FNV-1a */
    return h;
}

static unsigned long long sum_of(const char *text)
{
    return mix(14695981039346656037ull, text, strlen(text));
}

static unsigned long long sum_of_state(Head head, const unsigned char *bytes, size_t size)
{
    head.sum = 0;
    return mix(mix(1, &head, sizeof head), bytes + sizeof head, size - sizeof head);
}

/* sums: size of what channels sum over time */
static size_t size_of(const vgFmu *f, size_t sums, size_t checkpoint)
{
    const size_t numbers = (size_t)(f->is.nparam + f->is.ninput) * sizeof(double);
    return sizeof(Head) + numbers + (checkpoint ? sums + checkpoint : 0);
}

/* Copies n bytes to the place and moves it. */
static void put(unsigned char **at, const void *bytes, size_t n)
{
    if (n) memcpy(*at, bytes, n);
    *at += n;
}

static void take(const unsigned char **at, void *bytes, size_t n)
{
    if (n) memcpy(bytes, *at, n);
    *at += n;
}

vgFmuStatus vg_fmu_keep(vgFmu *f, void **state)
{
    if (!state) return vg_fmu_wrong(f, "the place for the state is NULL");
    vgFmuStatus status = f->sim ? vg_fmu_refresh(f) : VG_FMU_OK;
    if (status == VG_FMU_OK && f->sim && f->is.exchange) status = vg_fmu_evaluate(f);
    if (status != VG_FMU_OK) return status;
    if (f->sim && vg_sim_settle(f->sim) != VG_OK) return vg_fmu_wrong(f, "%s", vg_sim_error(f->sim));
    const size_t checkpoint = f->sim ? vg_sim_checkpoint_size(f->sim) : 0,
                 sums = checkpoint ? vg_channels_sums_size(f->sim->watched) : 0,
                 size = size_of(f, sums, checkpoint);
    vgFmuState *s = calloc(1, sizeof *s + size);
    if (!s) return vg_fmu_wrong(f, "out of memory");
    Head head;
    memset(&head, 0, sizeof head);
    memcpy(head.magic, magic, sizeof magic);
    head.token = sum_of(f->is.token), head.checkpoint = (long long)checkpoint, head.sums = (long long)sums;
    head.mode = (int)f->mode, head.has_stop = f->has_stop, head.tuned = f->tuned,
    head.corrected = f->corrected;
    head.start = f->start, head.stop = f->stop, head.t = f->t, head.next = f->next, head.from = f->from;
    unsigned char *at = s->bytes;
    s->size = size;
    put(&at, &head, sizeof head);
    put(&at, f->param, (size_t)f->is.nparam * sizeof *f->param);
    put(&at, f->input, (size_t)f->is.ninput * sizeof *f->input);
    if (checkpoint) {
        vg_channels_sums_keep(f->sim->watched, at);
        at += sums;
        if (vg_sim_save(f->sim, at, checkpoint) != VG_OK) {
            free(s);
            return vg_fmu_wrong(f, "%s", vg_sim_error(f->sim));
        }
    }
    head.sum = sum_of_state(head, s->bytes, size);
    memcpy(s->bytes, &head, sizeof head);
    free(*state);
    *state = s;
    return VG_FMU_OK;
}

/* Of this FMU, and of the size that it says. */
static vgFmuStatus check(const vgFmu *f, const unsigned char *bytes, size_t size, Head *head)
{
    if (size >= sizeof *head) memcpy(head, bytes, sizeof *head);
    if (size < sizeof *head || memcmp(head->magic, magic, sizeof magic) != 0)
        return vg_fmu_wrong(f, "this is not the state of an FMU of Verge");
    if (head->token != sum_of(f->is.token)) return vg_fmu_wrong(f, "this is the state of another FMU");
    const int one_mode = head->mode > 0 && head->mode < VG_FMU_ANY && !(head->mode & (head->mode - 1));
    if (!one_mode || head->checkpoint < 0 || (unsigned long long)head->checkpoint > size || head->sums < 0 ||
        (unsigned long long)head->sums > size ||
        size_of(f, (size_t)head->sums, (size_t)head->checkpoint) != size ||
        head->sum != sum_of_state(*head, bytes, size))
        return vg_fmu_wrong(f, "the state is damaged");
    return VG_FMU_OK;
}

vgFmuStatus vg_fmu_bring_back(vgFmu *f, const vgFmuState *state)
{
    Head head;
    if (!state) return vg_fmu_wrong(f, "the state is NULL");
    vgFmuStatus status = check(f, state->bytes, state->size, &head);
    if (status != VG_FMU_OK) return status;
    const unsigned char *at = state->bytes + sizeof head;
    const size_t params = (size_t)f->is.nparam * sizeof(double),
                 inputs = (size_t)f->is.ninput * sizeof(double);
    const int same = f->sim && !f->tuned && memcmp(f->param, at, params) == 0;
    take(&at, f->param, params);
    take(&at, f->input, inputs);
    f->start = head.start, f->stop = head.stop, f->has_stop = head.has_stop;
    if (head.checkpoint) {
        f->mode = VG_FMU_INITIALIZATION; /* so that nothing of the present state is carried over */
        if (!same) f->tuned = 1;
        status = vg_fmu_refresh(f);
        if (status != VG_FMU_OK) return status;
        const unsigned char *sums = at;
        at += head.sums;
        if ((size_t)head.sums != vg_channels_sums_size(f->sim->watched))
            return vg_fmu_wrong(f, "the state is damaged");
        if (vg_sim_restore(f->sim, at, (size_t)head.checkpoint) != VG_OK)
            return vg_fmu_wrong(f, "%s", vg_sim_error(f->sim));
        vg_channels_sums_bring_back(f->sim->watched, sums);
    }
    f->mode = (vgFmuMode)head.mode;
    f->tuned = head.tuned, f->corrected = head.corrected;
    f->read = 0;
    if (f->sim && f->is.exchange) status = vg_fmu_fetch(f);
    f->t = head.t, f->next = head.next, f->from = head.from;
    return status;
}

vgFmuStatus vg_fmu_take_bytes(vgFmu *f, const void *bytes, size_t size, void **state)
{
    Head head;
    if (!bytes || !state) return vg_fmu_wrong(f, "the bytes of the state are NULL");
    vgFmuStatus status = check(f, bytes, size, &head);
    vgFmuState *s = status == VG_FMU_OK ? malloc(sizeof *s + size) : NULL;
    if (status != VG_FMU_OK) return status;
    if (!s) return vg_fmu_wrong(f, "out of memory");
    s->size = size;
    memcpy(s->bytes, bytes, size);
    *state = s;
    return VG_FMU_OK;
}
