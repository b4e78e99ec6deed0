/* The C API under fire: random calls in any order with any arguments, from eight threads at once, and with each
 * allocation failing once. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "test.h"
#include "verge/verge.h"

/* ---- allocations: counted, and one of them fails ---- */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OWN_ALLOCATOR 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define OWN_ALLOCATOR 1
#endif
#endif

#if !defined(OWN_ALLOCATOR) && defined(__GLIBC__)
#define CAN_FAIL 1
static atomic_long asked, alive, fatal;
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *block);
void *memalign(size_t alignment, size_t bytes);

/* block: what the allocator gave, after the decision that it may */
static void *kept(void *block)
{
    if (block) alive++;
    return block;
}

static int fails(void)
{
    int now = ++asked == fatal;
    if (now) errno = ENOMEM;
    return now;
}

void *malloc(size_t bytes)
{
    return fails() ? NULL : kept(__libc_malloc(bytes));
}

void *calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : kept(__libc_calloc(count, bytes));
}

void *realloc(void *block, size_t bytes)
{
    if (fails()) return NULL;
    void *out = __libc_realloc(block, bytes);
    return block ? out : kept(out);
}

void *memalign(size_t alignment, size_t bytes)
{
    return fails() ? NULL : kept(__libc_memalign(alignment, bytes));
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return memalign(alignment, bytes);
}

int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    void *block = memalign(alignment, bytes);
    if (!block) return ENOMEM;
    *out = block;
    return 0;
}

void free(void *block)
{
    if (block) alive--;
    __libc_free(block);
}
#endif

/* ---- models ---- */

static const char crank[] =
    "verge: 1\nplanar: true\ngravity: [0, -9.81]\nbodies:\n"
    "  crank: {mass: 3, inertia: 0.02, com: [0.15, 0], markers: {A: [0.3, 0]}}\n"
    "  rod: {mass: 0.9, inertia: 0.03, com: [0.2, 0], position: [0.3, 0], markers: {B: [0.4, 0]}}\n"
    "joints:\n  O: {revolute: [ground, crank]}\n  A: {revolute: [crank.A, rod]}\n"
    "  B: {point-on-line: [ground, rod.B], axis: x}\n"
    "forces: {T: {joint-torque: O, value: input.torque}}\nrun: {step: 1e-3, end: 0.1}\n";
/* its law has no value from 0.0105 s on */
static const char ends[] =
    "verge: 1\nbodies: {rod: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.2, 0.2]}}\n"
    "joints: {O: {revolute: [ground, rod], axis: y}}\n"
    "forces: {F: {force: rod, value: [\"sqrt(0.0105 - t)\", 0, 0]}}\nrun: {step: 1e-3, end: 1}\n";

static const char *const integrators[] = {
    NULL, "rk4", "bdf", "dop853", "radau3", "nonsense", "generalized-alpha:rho=0.5"};
static const char *const coordinates[] = {NULL, "relative", "planar", "natural", "lie", "nonsense"};

/* ---- random calls ---- */

typedef struct Caller {
    unsigned long long seed;
    const vgModel *model;
    double sum; /* of everything read: the same calls give the same bits */
    int broken; /* promises */
    long calls;
} Caller;

static unsigned dice(Caller *c, unsigned n)
{
    c->seed = c->seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(c->seed >> 33) % n;
}

static double any_number(Caller *c)
{
    static const double x[] = {0,    1e-3, 2e-3, -1e-3, 1e300, -1e300,   1e-300,
                               0.05, 0.1,  1,    5,     NAN,   INFINITY, -0.0};
    return x[dice(c, sizeof x / sizeof *x)];
}

static const char *any_channel(Caller *c)
{
    static const char *const name[] = {"joint.O.angle",
                                       "energy.total",
                                       "body.rod.position.x",
                                       "body.crank.omega",
                                       "input.torque",
                                       "nonsense",
                                       "",
                                       NULL,
                                       "*",
                                       "body.rod.angle",
                                       "energy.dissipated",
                                       "joint.A.force.x"};
    return name[dice(c, sizeof name / sizeof *name)];
}

/* A failure has words, a success none. */
static void promise(Caller *c, const vgSim *sim, vgStatus st)
{
    c->calls++;
    int words = vg_sim_error(sim)[0] != 0;
    if (words != (st == VG_OK)) return;
    c->broken++;
    printf("status %d with the words '%s'\n", (int)st, vg_sim_error(sim));
}

static void read_one(Caller *c, vgSim *sim)
{
    double value = 0;
    vgStatus st = vg_sim_get(sim, any_channel(c), &value);
    promise(c, sim, st);
    if (st == VG_OK && !isfinite(value)) c->broken++, printf("a channel that is not finite\n");
    if (st == VG_OK) c->sum += value;
}

static void analyse(Caller *c, vgSim *sim)
{
    vgSimModes *modes = NULL;
    vgSimLinear *linear = NULL;
    unsigned which = dice(c, 4);
    vgStatus st = which == 0   ? vg_sim_modes(sim, &modes)
                  : which == 1 ? vg_sim_linearize(sim, NULL, NULL, &linear)
                  : which == 2 ? vg_sim_equilibrium(sim, (int)dice(c, 2))
                               : vg_sim_modes(sim, NULL);
    promise(c, sim, st);
    if (st == VG_OK && modes && modes->n) c->sum += modes->frequency[0];
    if (st == VG_OK && linear && linear->nx) c->sum += linear->A[0];
    vg_sim_modes_free(modes);
    vg_sim_linear_free(linear);
}

static void checkpoint(Caller *c, vgSim *sim, char *kept_state, size_t size)
{
    size_t n = dice(c, 4) ? size : dice(c, (unsigned)size + 9);
    if (dice(c, 2))
        promise(c, sim, vg_sim_save(sim, dice(c, 9) ? kept_state : NULL, n > size ? size : n));
    else
        promise(c, sim, vg_sim_restore(sim, dice(c, 9) ? kept_state : NULL, n > size ? size : n));
}

static void watch(Caller *c, vgSim *sim, int *watched)
{
    const char *names[3] = {any_channel(c), any_channel(c), any_channel(c)};
    int count = 0;
    vgStatus st = vg_sim_watch(sim, dice(c, 9) ? names : NULL, (int)dice(c, 4), &count);
    promise(c, sim, st);
    if (st == VG_OK) *watched = count;
}

static void one_call(Caller *c, vgSim *sim, char *kept_state, size_t size, int *watched)
{
    double values[400] = {0}, input[1] = {any_number(c)};
    switch (dice(c, 10)) {
    case 0:
        promise(c, sim, vg_sim_step(sim, any_number(c)));
        break;
    case 1:
        promise(c, sim, vg_sim_advance(sim, vg_sim_time(sim) + 2e-3));
        break;
    case 2:
        promise(c, sim, vg_sim_set(sim, any_channel(c), any_number(c)));
        break;
    case 3:
        promise(c, sim, vg_sim_settle(sim));
        break;
    case 4:
        checkpoint(c, sim, kept_state, size);
        break;
    case 5:
        promise(c, sim, vg_realtime_start(sim, dice(c, 2) ? 1e-3 : any_number(c), (int)dice(c, 4) - 1));
        break;
    case 6:
        promise(
            c, sim,
            vg_realtime_step(sim, dice(c, 2) ? input : NULL, dice(c, 2) && *watched < 400 ? values : NULL));
        break;
    case 7:
        watch(c, sim, watched);
        break;
    case 8:
        analyse(c, sim);
        break;
    default:
        read_one(c, sim);
        break;
    }
    if (*watched < 400) {
        vgStatus st = vg_sim_read(sim, values);
        for (int i = 0; i < *watched && st == VG_OK; i++) c->sum += isfinite(values[i]) ? values[i] : 0;
    }
}

/* A simulation in random dials, and calls until one fails for good or there were enough. */
static void sequence(Caller *c)
{
    vgSimOptions o = {.integrator = integrators[dice(c, sizeof integrators / sizeof *integrators)],
                      .coordinates = coordinates[dice(c, sizeof coordinates / sizeof *coordinates)],
                      .step = dice(c, 5) ? 1e-3 : any_number(c)};
    vgDiag *diag = vg_diag_new();
    vgSim *sim = NULL;
    vgStatus st = vg_sim_new(c->model, dice(c, 6) ? &o : NULL, diag, &sim);
    if ((st == VG_OK) != (sim != NULL) || (st != VG_OK && vg_diag_errors(diag) == 0)) c->broken++;
    size_t size = vg_sim_checkpoint_size(sim);
    char *kept_state = calloc(1, size + 16);
    int watched = 0;
    for (int k = 0; sim && kept_state && k < 25; k++) one_call(c, sim, kept_state, size, &watched);
    free(kept_state);
    vg_sim_free(sim);
    vg_diag_free(diag);
}

static void *call_at_random(void *user)
{
    Caller *c = user;
    for (int i = 0; i < 40; i++) sequence(c);
    return NULL;
}

/* Eight threads share two models; then each does the same calls alone. */
TEST(any_order_from_eight_threads)
{
    enum { THREADS = 8 };
    vgModel *model[2] = {vg_parse(crank, sizeof crank - 1, "crank", NULL, NULL),
                         vg_parse(ends, sizeof ends - 1, "ends", NULL, NULL)};
    CHECK(model[0] && model[1]);
    Caller together[THREADS], alone;
    pthread_t id[THREADS];
    long calls = 0;
    for (int i = 0; i < THREADS; i++) {
        together[i] = (Caller){.seed = (unsigned long long)i + 1, .model = model[i % 2]};
        CHECK_INT(pthread_create(&id[i], NULL, call_at_random, &together[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(id[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        alone = (Caller){.seed = (unsigned long long)i + 1, .model = model[i % 2]};
        call_at_random(&alone);
        CHECK_INT(together[i].broken, 0);
        CHECK(memcmp(&together[i].sum, &alone.sum, sizeof alone.sum) == 0);
        calls += together[i].calls;
    }
    printf("%ld calls in random order from %d threads\n", calls, THREADS);
    vg_model_free(model[0]);
    vg_model_free(model[1]);
}

/* ---- failing allocations ---- */

#ifdef CAN_FAIL
/* A whole life of a simulation. *sum: of what was read; the worst status, and whether its words were missing. */
static vgStatus life(const char *text, size_t n, const vgSimOptions *o, double *sum, int *mute)
{
    static const char *const all[] = {"joint.*.angle", "energy.total"};
    vgDiag *diag = vg_diag_new();
    vgModel *model = diag ? vg_parse(text, n, "fire", NULL, diag) : NULL;
    vgSim *sim = NULL;
    double values[64] = {0};
    vgSimModes *modes = NULL;
    vgSimLinear *linear = NULL;
    int count = 0;
    *sum = 0;
    vgStatus st = model ? vg_sim_new(model, o, diag, &sim) : VG_NO_MEMORY;
    *mute = diag && st != VG_OK && vg_diag_errors(diag) == 0;
    const char *line = diag && !model && vg_diag_count(diag) ? vg_diag_line(diag, 0) : "out of memory";
    *mute |= strstr(line, "out of memory") == NULL;
#define NEXT(call)                                                                                           \
    if (st == VG_OK) {                                                                                       \
        st = (call);                                                                                         \
        *mute |= st != VG_OK && vg_sim_error(sim)[0] == 0;                                                   \
    }
    NEXT(vg_sim_watch(sim, all, 2, &count))
    NEXT(vg_sim_advance(sim, 0.003))
    NEXT(vg_sim_set(sim, "body.rod.omega", 0.1))
    NEXT(vg_sim_settle(sim))
    NEXT(vg_sim_advance(sim, 0.005))
    NEXT(vg_sim_read(sim, values))
    for (int i = 0; i < count && st == VG_OK; i++) *sum += values[i];
    NEXT(vg_sim_get(sim, "body.rod.position.x", values))
    *sum += values[0];
    NEXT(vg_sim_modes(sim, &modes))
    if (modes && modes->n) *sum += modes->frequency[modes->n - 1];
    NEXT(vg_sim_linearize(sim, NULL, NULL, &linear))
    if (linear && linear->nx) *sum += linear->A[linear->nx];
    NEXT(vg_realtime_start(sim, 1e-3, 2))
    NEXT(vg_realtime_step(sim, NULL, values))
    *sum += st == VG_OK ? values[0] : 0;
#undef NEXT
    vg_sim_modes_free(modes);
    vg_sim_linear_free(linear);
    vg_sim_free(sim);
    vg_model_free(model);
    vg_diag_free(diag);
    return st;
}
#endif

TEST(any_allocation_fails)
{
#ifdef CAN_FAIL
    static const vgSimOptions dials[] = {{0}, {.coordinates = "relative"}, {.coordinates = "natural"}};
    const char *every = getenv("VERGE_API_FAULTS");
    long tried = 0, other = 0, silent = 0, lost = 0, wrong_status = 0;
    for (size_t d = 0; d < sizeof dials / sizeof *dials; d++) {
        double good = 0, sum = 0;
        int mute = 0;
        life(crank, sizeof crank - 1, &dials[d], &good, &mute); /* what is kept for ever is kept now */
        asked = 0;
        CHECK_INT(life(crank, sizeof crank - 1, &dials[d], &good, &mute), VG_OK);
        long n = asked, step = every ? 1 : 17;
        for (long k = 1 + (long)d; k <= n; k += step, tried++) {
            long before = alive;
            asked = 0;
            fatal = k;
            vgStatus st = life(crank, sizeof crank - 1, &dials[d], &sum, &mute);
            fatal = 0;
            lost += alive != before;
            silent += mute;
            wrong_status += st != VG_OK && st != VG_NO_MEMORY;
            other += st == VG_OK && memcmp(&sum, &good, sizeof sum) != 0;
            if (alive != before || mute || (st != VG_OK && st != VG_NO_MEMORY))
                printf("dials %zu, allocation %ld: status %d, %ld blocks lost, %s\n", d, k, (int)st,
                       (long)alive - before, mute ? "no words" : "words");
        }
    }
    printf("fire: api-memory: %ld failing allocations through the C API, %ld other answers, %ld leaks, %ld "
           "without words, %ld with another status\n",
           tried, other, lost, silent, wrong_status);
    CHECK(tried > 50);
    CHECK_INT(other, 0);
    CHECK_INT(silent, 0);
    CHECK_INT(lost, 0);
    CHECK_INT(wrong_status, 0);
#else
    printf("the allocator is the sanitizer's\n");
#endif
    CHECK(1);
}

TEST_MAIN(any_order_from_eight_threads, any_allocation_fails)
