/* The ring holds, for each twin and each of the last steps, what this twin proposed as inputs and computed as
 * outputs; only that twin writes there. Two words a step say whose inputs and whose outputs came first. Such
 * a word is step · MOST + twin, so that it only grows and names a step once: taking it by compare-and-swap
 * settles the matter for everybody.
 *
 * Memory order. (1) What a twin writes to its row happens before its word is set (release) and is read after
 * the word has been read (acquire). (2) A row is used again `ring` steps later, whoever may still read it:
 * its owner first stores `begun`, then a release fence, then the new contents; a reader copies, then an
 * acquire fence, then looks at `begun`. Who has read a word of the new contents sees the new `begun` and
 * knows that its copy is worthless: it is more than a ring behind. Contents are atomic words, relaxed, so
 * that such a reading is no data race. */
#include "analysis/realtime/twins.h"

#include <limits.h>
#include <math.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"

enum { LINE = 64, WORDS = LINE / 8 }; /* a line of the caches */

typedef _Atomic uint64_t Word;

typedef struct Twin {
    alignas(LINE) Word begun, done;            /* the step it does or did last; that it has brought */
    alignas(LINE) vgTwinDifference difference; /* its own, written once */
} Twin;

typedef struct Slot {
    alignas(LINE) Word input; /* whose */
    Word output;
} Slot;

struct vgTwins {
    Twin twin[VG_TWINS_MOST];
    atomic_int differ;
    int n, ninput, noutput;
    uint64_t ring, width; /* words of a row: inputs, 1 = the step went well, outputs */
    Slot *slot;           /* ring */
    Word *row;            /* n × ring × width */
};

static void *lines(size_t size)
{
    size = (size + LINE - 1) / LINE * LINE;
    void *p = vg_os_aligned(LINE, size);
    return p ? memset(p, 0, size) : NULL;
}

vgStatus vg_twins_new(int n, int ninput, int noutput, long ring, vgTwins **out)
{
    *out = NULL;
    if (n < 1 || n > VG_TWINS_MOST || ninput < 0 || noutput < 0 || ring < 1) return VG_BAD_INPUT;
    vgTwins *t = lines(sizeof *t);
    if (!t) return VG_NO_MEMORY;
    t->n = n, t->ninput = ninput, t->noutput = noutput;
    t->ring = (uint64_t)ring;
    t->width = ((uint64_t)ninput + (uint64_t)noutput + WORDS) / WORDS * WORDS;
    t->slot = lines(t->ring * sizeof *t->slot);
    t->row = lines((uint64_t)n * t->ring * t->width * sizeof *t->row);
    if (!t->slot || !t->row) {
        vg_twins_free(t);
        return VG_NO_MEMORY;
    }
    *out = t;
    return VG_OK;
}

void vg_twins_free(vgTwins *t)
{
    if (!t) return;
    vg_os_free_aligned(t->slot);
    vg_os_free_aligned(t->row);
    vg_os_free_aligned(t);
}

static Word *row_of(const vgTwins *t, int twin, long step)
{
    return t->row + ((uint64_t)twin * t->ring + (uint64_t)step % t->ring) * t->width;
}

static Slot *slot_of(const vgTwins *t, long step)
{
    return t->slot + (uint64_t)step % t->ring;
}

static uint64_t bits(double x)
{
    uint64_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}

static double number(uint64_t b)
{
    double x;
    memcpy(&x, &b, sizeof x);
    return x;
}

static void write_word(Word *to, uint64_t b)
{
    atomic_store_explicit(to, b, memory_order_relaxed);
}

static uint64_t read_word(const Word *from)
{
    return atomic_load_explicit(from, memory_order_relaxed);
}

long vg_twins_begin(vgTwins *t, int me, long step)
{
    uint64_t most = 0;
    write_word(&t->twin[me].begun, (uint64_t)step);
    atomic_thread_fence(memory_order_release);
    for (int i = 0; i < t->n; i++) {
        uint64_t at = read_word(&t->twin[i].begun);
        if (at > most) most = at;
    }
    return (long)(most - (uint64_t)step);
}

/* The twin to which this word assigns the step; VG_TWINS_MOST: not assigned yet; −1: too old. */
static int holder(uint64_t word, long step)
{
    uint64_t of = word / VG_TWINS_MOST;
    return of == (uint64_t)step ? (int)(word % VG_TWINS_MOST) : of < (uint64_t)step ? VG_TWINS_MOST : -1;
}

/* Takes the word for the step, unless another has. */
static int take(Word *word, int me, long step)
{
    uint64_t old = atomic_load_explicit(word, memory_order_acquire), mine;
    mine = (uint64_t)step * VG_TWINS_MOST + (uint64_t)me;
    while (holder(old, step) == VG_TWINS_MOST)
        if (atomic_compare_exchange_weak_explicit(word, &old, mine, memory_order_acq_rel,
                                                  memory_order_acquire))
            return me;
    return holder(old, step);
}

/* After a row of this twin was read: is it still that of the step? */
static int still(const vgTwins *t, int twin, long step)
{
    atomic_thread_fence(memory_order_acquire);
    return read_word(&t->twin[twin].begun) < (uint64_t)step + t->ring;
}

/* The inputs of a twin, if that is what `who` is. */
static vgTwinWord copy_inputs(const vgTwins *t, int who, long step, double *in)
{
    if (who == VG_TWINS_MOST) return VG_TWIN_FIRST;
    if (who < 0) return VG_TWIN_TOO_LATE;
    const Word *row = row_of(t, who, step);
    for (int i = 0; i < t->ninput; i++) in[i] = number(read_word(&row[i]));
    return still(t, who, step) ? VG_TWIN_SECOND : VG_TWIN_TOO_LATE;
}

vgTwinWord vg_twins_look(vgTwins *t, int me, long step, double *in)
{
    (void)me;
    uint64_t word = atomic_load_explicit(&slot_of(t, step)->input, memory_order_acquire);
    return copy_inputs(t, holder(word, step), step, in);
}

vgTwinWord vg_twins_inputs(vgTwins *t, int me, long step, double *in)
{
    Word *row = row_of(t, me, step);
    for (int i = 0; i < t->ninput; i++) write_word(&row[i], bits(in[i]));
    int who = take(&slot_of(t, step)->input, me, step);
    return who == me ? VG_TWIN_FIRST : copy_inputs(t, who, step, in);
}

/* Whether the rows differ: place of the first difference behind the inputs, −1: none. */
static int first_difference(const vgTwins *t, const Word *a, const Word *b)
{
    for (int i = 0; i <= t->noutput; i++)
        if (read_word(&a[t->ninput + i]) != read_word(&b[t->ninput + i])) return i;
    return -1;
}

long vg_twins_done(const vgTwins *t, int twin)
{
    return (long)read_word(&t->twin[twin].done);
}

void vg_twins_leave(vgTwins *t, int me)
{
    write_word(&t->twin[me].done, LONG_MAX);
}

vgTwinWord vg_twins_outputs(vgTwins *t, int me, long step, const double *out)
{
    Word *row = row_of(t, me, step);
    write_word(&row[t->ninput], out != NULL);
    for (int i = 0; i < t->noutput; i++) write_word(&row[t->ninput + 1 + i], out ? bits(out[i]) : 0);
    int who = take(&slot_of(t, step)->output, me, step);
    write_word(&t->twin[me].done, (uint64_t)step);
    if (who == me) return VG_TWIN_FIRST;
    if (who < 0) return VG_TWIN_TOO_LATE;
    const Word *other = row_of(t, who, step);
    int at = first_difference(t, row, other);
    double theirs = at > 0 ? number(read_word(&other[t->ninput + at])) : NAN;
    if (!still(t, who, step)) return VG_TWIN_TOO_LATE;
    if (at < 0) return VG_TWIN_SECOND;
    t->twin[me].difference =
        (vgTwinDifference){step, {me, who}, at - 1, {at > 0 ? out[at - 1] : NAN, theirs}};
    atomic_store(&t->differ, 1);
    return VG_TWIN_DIFFERENT;
}

int vg_twins_differ(const vgTwins *t)
{
    return atomic_load_explicit(&t->differ, memory_order_relaxed);
}

vgTwinDifference vg_twins_difference(const vgTwins *t)
{
    vgTwinDifference d = {0};
    for (int i = 0; i < t->n; i++) {
        const vgTwinDifference *x = &t->twin[i].difference;
        if (x->step > 0 && (d.step == 0 || x->step < d.step)) d = *x;
    }
    return d;
}
