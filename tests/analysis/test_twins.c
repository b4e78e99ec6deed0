/* Twins: the same inputs for all, the outputs of the first, whoever stands still and when; what differs is
 * found; who is too far behind is told. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "analysis/realtime/twins.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "analysis/realtime/realtime.h"
#include "base/alloc_count.h"
#include "test.h"
#include "verge/verge.h"

/* ---- by hand ---- */

TEST(the_first_says_what_is_used)
{
    vgTwins *t = NULL;
    double in[2];
    CHECK_INT(vg_twins_new(2, 2, 1, 8, &t), VG_OK);
    long before = alloc_count();
    for (long n = 1; n <= 50; n++) {
        int a = n % 3 == 0, b = !a; /* who comes first to the inputs, and to the outputs */
        double x = (double)n;
        CHECK_INT(vg_twins_begin(t, a, n), 0);
        CHECK_INT(vg_twins_look(t, a, n, in), VG_TWIN_FIRST);
        CHECK_INT(vg_twins_inputs(t, a, n, (double[]){x, -x}), VG_TWIN_FIRST);
        CHECK_INT(vg_twins_begin(t, b, n), 0);
        if (n % 2) { /* looks, or comes with its own */
            CHECK_INT(vg_twins_look(t, b, n, in), VG_TWIN_SECOND);
        } else {
            in[0] = in[1] = 1e9;
            CHECK_INT(vg_twins_inputs(t, b, n, in), VG_TWIN_SECOND);
        }
        CHECK(in[0] == x && in[1] == -x);
        CHECK_INT(vg_twins_outputs(t, b, n, &x), VG_TWIN_FIRST);
        CHECK(vg_twins_done(t, a) == n - 1 && vg_twins_done(t, b) == n);
        CHECK_INT(vg_twins_outputs(t, a, n, &x), VG_TWIN_SECOND);
        CHECK_INT(vg_twins_done(t, a), n);
    }
    vg_twins_leave(t, 1);
    CHECK(vg_twins_done(t, 1) > 1000000 && vg_twins_done(t, 0) == 50);
    CHECK_INT(alloc_count() - before, 0);
    CHECK(!vg_twins_differ(t));
    CHECK_INT(vg_twins_difference(t).step, 0);
    vg_twins_free(t);
    CHECK_INT(vg_twins_new(VG_TWINS_MOST + 1, 1, 1, 8, &t), VG_BAD_INPUT);
    CHECK_INT(vg_twins_new(2, 1, 1, 0, &t), VG_BAD_INPUT);
}

static vgTwinWord whole_step(vgTwins *t, int me, long n, double proposal, double *used)
{
    vg_twins_begin(t, me, n);
    *used = proposal;
    vgTwinWord word = vg_twins_inputs(t, me, n, used);
    if (word == VG_TWIN_TOO_LATE) return word;
    double out = *used * (double)n;
    return vg_twins_outputs(t, me, n, &out);
}

/* Twin 1 stands still after `stop` steps while twin 0 does `ahead` more, then goes on. */
static int catches_up(long ring, long stop, long ahead)
{
    vgTwins *t = NULL;
    double used;
    int level = 1;
    CHECK_INT(vg_twins_new(2, 1, 1, ring, &t), VG_OK);
    for (long n = 1; n <= stop; n++)
        for (int k = 0; k < 2; k++) whole_step(t, k, n, 7.0 * k, &used);
    for (long n = stop + 1; n <= stop + ahead; n++)
        CHECK_INT(whole_step(t, 0, n, (double)(n * n), &used), VG_TWIN_FIRST);
    CHECK_INT(vg_twins_begin(t, 1, stop + 1), ahead - 1);
    for (long n = stop + 1; n <= stop + ahead && level; n++) {
        vgTwinWord word = whole_step(t, 1, n, -1, &used);
        level = word == VG_TWIN_SECOND && used == (double)(n * n);
        CHECK(level || word == VG_TWIN_TOO_LATE);
    }
    CHECK(!vg_twins_differ(t));
    /* the other goes on as if nothing had happened */
    CHECK_INT(whole_step(t, 0, stop + ahead + 1, 3, &used), VG_TWIN_FIRST);
    vg_twins_free(t);
    return level;
}

TEST(who_stood_still_catches_up_as_far_as_the_ring_remembers)
{
    for (long stop = 0; stop < 20; stop++) {
        CHECK(catches_up(8, stop, 1));
        CHECK(catches_up(8, stop, 8));
        CHECK(!catches_up(8, stop, 9));
        CHECK(!catches_up(8, stop, 16));
        CHECK(!catches_up(8, stop, 100));
    }
}

/* One that read a row while its owner used it again must not trust it: step 1 is settled by twin 0, which
 * then begins step 1 + ring. */
TEST(a_row_in_use_again_is_not_trusted)
{
    vgTwins *t = NULL;
    double used;
    CHECK_INT(vg_twins_new(2, 1, 1, 4, &t), VG_OK);
    for (long n = 1; n <= 4; n++) whole_step(t, 0, n, 1, &used);
    CHECK_INT(vg_twins_look(t, 1, 1, &used), VG_TWIN_SECOND);
    vg_twins_begin(t, 0, 5);
    CHECK_INT(vg_twins_look(t, 1, 1, &used), VG_TWIN_TOO_LATE);
    CHECK_INT(vg_twins_look(t, 1, 2, &used), VG_TWIN_SECOND);
    CHECK_INT(vg_twins_outputs(t, 1, 1, &used), VG_TWIN_TOO_LATE);
    vg_twins_free(t);
}

TEST(one_bit_is_a_difference)
{
    for (int i = 0; i < 3; i++) {
        vgTwins *t = NULL;
        double a[3] = {1, 2, 3}, b[3] = {1, 2, 3};
        CHECK_INT(vg_twins_new(2, 0, 3, 8, &t), VG_OK);
        for (long n = 1; n <= 5; n++) {
            uint64_t word;
            vg_twins_begin(t, 0, n), vg_twins_begin(t, 1, n);
            memcpy(&word, &b[i], sizeof word);
            if (n == 5) word ^= 1;
            memcpy(&b[i], &word, sizeof word);
            CHECK_INT(vg_twins_outputs(t, 0, n, a), VG_TWIN_FIRST);
            CHECK_INT(vg_twins_outputs(t, 1, n, b), n == 5 ? VG_TWIN_DIFFERENT : VG_TWIN_SECOND);
            CHECK_INT(vg_twins_differ(t), n == 5);
        }
        vgTwinDifference d = vg_twins_difference(t);
        CHECK(d.step == 5 && d.twin[0] == 1 && d.twin[1] == 0 && d.output == i);
        CHECK(d.value[0] == b[i] && d.value[1] == a[i] && a[i] != b[i]);
        vg_twins_free(t);
    }
}

/* 0 and −0 are different bits; the same NaN is not. */
TEST(bits_are_compared_not_numbers)
{
    vgTwins *t = NULL;
    CHECK_INT(vg_twins_new(2, 0, 1, 8, &t), VG_OK);
    vg_twins_outputs(t, 0, 1, (double[]){NAN});
    CHECK_INT(vg_twins_outputs(t, 1, 1, (double[]){NAN}), VG_TWIN_SECOND);
    vg_twins_outputs(t, 0, 2, (double[]){0.0});
    CHECK_INT(vg_twins_outputs(t, 1, 2, (double[]){-0.0}), VG_TWIN_DIFFERENT);
    vg_twins_free(t);
}

TEST(all_must_fail_at_the_same_step)
{
    vgTwins *t = NULL;
    for (int k = 0; k < 2; k++) {
        CHECK_INT(vg_twins_new(2, 0, 1, 8, &t), VG_OK);
        vg_twins_outputs(t, 0, 1, NULL);
        CHECK_INT(vg_twins_outputs(t, 1, 1, k ? (double[]){0} : NULL),
                  k ? VG_TWIN_DIFFERENT : VG_TWIN_SECOND);
        CHECK_INT(vg_twins_difference(t).step, k);
        if (k) CHECK_INT(vg_twins_difference(t).output, -1);
        vg_twins_free(t);
    }
}

/* ---- a model in threads that stand still at random ---- */

static const char arm[] =
    "verge: 1\ngravity: 9.81\nbodies:\n"
    "  arm: {mass: 2, inertia: [0.01, 0.1, 0.1], com: [0.5, 0, 0], markers: {end: [1, 0, 0]}}\n"
    "  rod: {mass: 1, inertia: [0.01, 0.1, 0.1], com: [0.5, 0, 0], position: [1, 0, 0]}\n"
    "joints:\n  hinge: {revolute: [ground, arm], axis: y}\n"
    "  elbow: {revolute: [arm.end, rod], axis: y}\n"
    "forces:\n  motor: {joint-torque: hinge, value: input.u - input.v*joint.hinge.rate}\n";

enum { STEPS = 400, MOST = 4, NQ = 16 };

typedef struct Rig {
    vgTwins *twins;
    const vgModel *model;
    atomic_int clock;               /* inputs change with it, whoever looks */
    double used[STEPS + 1][2];      /* what the first used */
    double sent[STEPS + 1][2 * NQ]; /* what it sent */
    int nsent[STEPS + 1];
    long spoil; /* the last twin's step that is spoilt; 0: none */
    int nq, nv;
} Rig;

typedef struct Runner {
    Rig *rig;
    int me;
    unsigned random;
    vgTwinWord last;
    pthread_t id;
} Runner;

static unsigned roll(unsigned *x)
{
    return *x = *x * 1664525u + 1013904223u, *x >> 16;
}

/* Mostly nothing, at times a standstill as long as many steps. */
static void stand_still(unsigned *random)
{
    unsigned r = roll(random) % 32;
    if (r == 0) nanosleep(&(struct timespec){.tv_nsec = 1000 * (long)(roll(random) % 2000)}, NULL);
    if (r == 1) sched_yield();
}

static int open_model(const Rig *rig, vgSimulation *sim, vgRealtime *rt, vgInputs *inputs)
{
    static const vgDials dials = {"relative", NULL, "generalized-alpha"};
    return vg_simulation_open(rig->model, &dials, NULL, sim) == VG_OK &&
           vg_realtime_begin(rt, sim, 1e-3, 2, NULL) == VG_OK && vg_inputs_new(rig->model, inputs) == VG_OK &&
           inputs->n == 2;
}

static void *run_twin(void *user)
{
    Runner *r = user;
    Rig *rig = r->rig;
    vgSimulation sim;
    vgRealtime rt;
    vgInputs inputs;
    double in[2], out[2 * NQ];
    if (!open_model(rig, &sim, &rt, &inputs)) return NULL;
    for (long n = 1; n <= STEPS && !vg_twins_differ(rig->twins); n++) {
        vg_twins_begin(rig->twins, r->me, n);
        stand_still(&r->random);
        if (vg_twins_look(rig->twins, r->me, n, in) == VG_TWIN_FIRST) {
            in[0] = sin(0.1 * atomic_fetch_add(&rig->clock, 1));
            in[1] = 0.1 * r->me; /* each sees another world */
            stand_still(&r->random);
            vg_twins_inputs(rig->twins, r->me, n, in);
        }
        stand_still(&r->random);
        for (int i = 0; i < 2; i++) vg_inputs_set(&inputs, sim.state, i, in[i]);
        if (vg_realtime_advance(&rt) != VG_OK) break;
        memcpy(out, sim.state->q, (size_t)rig->nq * sizeof *out);
        memcpy(out + rig->nq, sim.state->v, (size_t)rig->nv * sizeof *out);
        if (n == rig->spoil && r->me == 1) out[rig->nq] *= 1 + 1e-15;
        stand_still(&r->random);
        r->last = vg_twins_outputs(rig->twins, r->me, n, out);
        if (r->last != VG_TWIN_FIRST) continue;
        memcpy(rig->used[n], in, sizeof in);
        memcpy(rig->sent[n], out, (size_t)(rig->nq + rig->nv) * sizeof *out);
        rig->nsent[n]++;
    }
    vg_inputs_free(&inputs);
    vg_simulation_close(&sim);
    return NULL;
}

static void run_threads(Rig *rig, int n, unsigned seed)
{
    Runner r[MOST];
    for (int i = 0; i < n; i++) {
        r[i] = (Runner){.rig = rig, .me = i, .random = seed + 77u * (unsigned)i};
        CHECK_INT(pthread_create(&r[i].id, NULL, run_twin, &r[i]), 0);
    }
    for (int i = 0; i < n; i++) pthread_join(r[i].id, NULL);
}

static void begin_rig(Rig *rig, int n)
{
    vgSimulation sim;
    memset(rig, 0, sizeof *rig);
    rig->model = vg_parse(arm, strlen(arm), "arm", NULL, NULL);
    CHECK_INT(vg_simulation_open(rig->model, &(vgDials){.coordinates = "relative"}, NULL, &sim), VG_OK);
    rig->nq = sim.sys->nq, rig->nv = sim.sys->nv;
    vg_simulation_close(&sim);
    CHECK_INT(vg_twins_new(n, 2, rig->nq + rig->nv, STEPS, &rig->twins), VG_OK);
}

static void end_rig(Rig *rig)
{
    vg_twins_free(rig->twins);
    vg_model_free((vgModel *)rig->model);
}

/* Every step was sent once, with the bits of one simulation alone that is given the inputs that were used. */
TEST(sent_is_what_one_alone_would_have_sent)
{
    static Rig rig;
    for (int n = 1; n <= MOST; n++) {
        vgSimulation sim;
        vgRealtime rt;
        vgInputs inputs;
        int other = 0;
        begin_rig(&rig, n);
        run_threads(&rig, n, 1000u * (unsigned)n);
        CHECK(!vg_twins_differ(rig.twins));
        CHECK(open_model(&rig, &sim, &rt, &inputs));
        for (long k = 1; k <= STEPS; k++) {
            CHECK_INT(rig.nsent[k], 1);
            for (int i = 0; i < 2; i++) vg_inputs_set(&inputs, sim.state, i, rig.used[k][i]);
            CHECK_INT(vg_realtime_advance(&rt), VG_OK);
            CHECK(!memcmp(rig.sent[k], sim.state->q, (size_t)rig.nq * sizeof(double)));
            CHECK(!memcmp(rig.sent[k] + rig.nq, sim.state->v, (size_t)rig.nv * sizeof(double)));
            other += rig.used[k][1] > 0;
        }
        printf("%d twins: inputs of %d steps by others than the first\n", n, other);
        CHECK(fabs(rig.sent[STEPS][0]) > 0.1); /* it moved */
        vg_inputs_free(&inputs);
        vg_simulation_close(&sim);
        end_rig(&rig);
    }
}

TEST(a_spoilt_step_is_found)
{
    static Rig rig;
    begin_rig(&rig, 2);
    rig.spoil = 123;
    run_threads(&rig, 2, 5);
    vgTwinDifference d = vg_twins_difference(rig.twins);
    CHECK(vg_twins_differ(rig.twins));
    CHECK(d.step == 123 && d.output == rig.nq && d.twin[0] != d.twin[1] && d.value[0] != d.value[1]);
    end_rig(&rig);
}

/* ---- a ring that is far too short ---- */

enum { WORDS = 12, SHORT = 3, MANY = 20000 };

typedef struct Racer {
    vgTwins *twins;
    int me;
    unsigned random;
    long settled, late;
    int torn;
    pthread_barrier_t *start;
    pthread_t id;
} Racer;

/* Inputs whose words all tell the same step; who falls off the ring goes on where the other is. */
static void *race(void *user)
{
    Racer *r = user;
    double in[WORDS];
    pthread_barrier_wait(r->start);
    for (long n = 1; n <= MANY; n++) {
        long behind = vg_twins_begin(r->twins, r->me, n);
        if (roll(&r->random) % 512 == 0) sched_yield();
        for (int i = 0; i < WORDS; i++) in[i] = (double)(2 * n + r->me);
        vgTwinWord word = vg_twins_inputs(r->twins, r->me, n, in);
        if (word == VG_TWIN_TOO_LATE) {
            r->late++;
            n += behind;
            continue;
        }
        r->settled++;
        double of = 2.0 * (double)n + (word == VG_TWIN_FIRST ? r->me : !r->me);
        for (int i = 0; i < WORDS; i++) r->torn += in[i] != of;
        vg_twins_outputs(r->twins, r->me, n, in);
    }
    return NULL;
}

/* One race over MANY steps. A step is begun by one at least, who settles it or comes too late; which of them
   runs when is the machine's affair. Whether both settled some is returned. */
static int race_once(unsigned seed)
{
    vgTwins *t = NULL;
    pthread_barrier_t start;
    CHECK_INT(vg_twins_new(2, WORDS, WORDS, SHORT, &t), VG_OK);
    CHECK_INT(pthread_barrier_init(&start, NULL, 2), 0);
    Racer r[2] = {{.twins = t, .me = 0, .random = seed, .start = &start},
                  {.twins = t, .me = 1, .random = seed + 1, .start = &start}};
    for (int i = 0; i < 2; i++) CHECK_INT(pthread_create(&r[i].id, NULL, race, &r[i]), 0);
    for (int i = 0; i < 2; i++) pthread_join(r[i].id, NULL);
    for (int i = 0; i < 2; i++) {
        printf("%ld steps settled, %ld too late\n", r[i].settled, r[i].late);
        CHECK_INT(r[i].torn, 0);
    }
    CHECK(r[0].settled + r[0].late + r[1].settled + r[1].late >= MANY);
    CHECK(!vg_twins_differ(t));
    pthread_barrier_destroy(&start);
    vg_twins_free(t);
    return r[0].settled > 0 && r[1].settled > 0;
}

/* Whatever is read was written for this step as a whole, or it is said to be too late. A busy machine may let
   one thread run through before the other begins: such a race shows little and is run again, at most so
   often. */
TEST(nothing_is_read_that_is_being_written)
{
    int races = 0;
    while (races < 50 && !race_once(1u + 2u * (unsigned)races)) races++;
}

TEST_MAIN(the_first_says_what_is_used, who_stood_still_catches_up_as_far_as_the_ring_remembers,
          a_row_in_use_again_is_not_trusted, one_bit_is_a_difference, bits_are_compared_not_numbers,
          all_must_fail_at_the_same_step, sent_is_what_one_alone_would_have_sent, a_spoilt_step_is_found,
          nothing_is_read_that_is_being_written)
