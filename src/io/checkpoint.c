#include "io/checkpoint.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "integrator/stage/renewal.h"

typedef struct Head {
    char magic[8];
    int nq, nv, nl, nturn, nhistory, started, contraction_left;
    int nsum;    /* sums of the dials and of the parts of the model; they follow the head */
    int nmatrix; /* numbers from which a held Newton matrix is made again; follow the state */
    int unused;
    unsigned long long sum; /* that the bytes are whole */
    long long step;
    double t, contraction, contraction_norm;
} Head;

static const char magic[8] = "VERGE04";

static unsigned long long hash(unsigned long long h, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < n; i++) h = (h ^ at[i]) * 1099511628211ull;
    return h;
}

static unsigned long long hash_text(const char *text)
{
    return hash(14695981039346656037ull, text ? text : "", text ? strlen(text) : 0);
}

/* ---- which model, which dials ---- */

static const char *const dials[] = {"other coordinates", "other constraints", "another integrator",
                                    "other options of the integrator", "other tolerances"};
enum { DIALS = sizeof dials / sizeof *dials };

static int sum_count(const vgSimulation *run)
{
    return DIALS + run->sys->model->npart;
}

/* Sum i: of a dial, or of a part of the model as it was read. How a Newton matrix is kept (newton=, spread=) may differ:
 * another way goes on from the state too. */
static unsigned long long sum_at(const vgSimulation *run, int i)
{
    const vgIntegrator *it = run->it;
    const double tolerances[2] = {it->rtol, it->atol};
    if (i == 0) return hash_text(run->sys->coordinates);
    if (i == 1) return hash_text(run->sys->constraints);
    if (i == 2) return hash_text(it->row->name);
    if (i == 3) return hash(1, it->param, (size_t)it->row->nparam * sizeof it->param[0]);
    if (i == 4) return it->adaptive ? hash(2, tolerances, sizeof tolerances) : 0;
    return run->sys->model->part[i - DIALS].sum;
}

/* The first that differs, in words; 0: none. */
static int differs(const vgSimulation *run, const Head *head, const char *sums, char why[VG_CHECKPOINT_WHY])
{
    const vgModel *m = run->sys->model;
    for (int i = 0; i < head->nsum && i < sum_count(run); i++) {
        unsigned long long theirs;
        memcpy(&theirs, sums + (size_t)i * sizeof theirs, sizeof theirs);
        if (theirs == sum_at(run, i)) continue;
        const vgModelPart *p = i < DIALS ? NULL : &m->part[i - DIALS];
        if (!p)
            snprintf(why, VG_CHECKPOINT_WHY,
                     "this is a state of a run with %s: a state goes with one model and its dials", dials[i]);
        else
            snprintf(why, VG_CHECKPOINT_WHY, "this is a state of another model: %s%s%.80s%s is not the same",
                     p->kind, *p->name ? " '" : "", p->name, *p->name ? "'" : "");
        return 1;
    }
    if (head->nsum == sum_count(run)) return 0;
    snprintf(why, VG_CHECKPOINT_WHY,
             "this is a state of another model: it had %d parts (bodies, joints, forces, parameters, …), "
             "this one has %d",
             head->nsum - DIALS, m->npart);
    return 1;
}

typedef struct Part {
    void *at;
    int n;
    size_t size; /* of one */
} Part;

enum { NPART = 8 };

/* A body has some 1 kB in a state, and models at most two million objects. */
#define MOST_BYTES ((int64_t)1 << 32)

static void parts(const vgSimulation *run, Part p[NPART])
{
    const vgSystem *sys = run->sys;
    const vgState *s = run->state;
    const size_t number = sizeof(double);
    Part all[NPART] = {{s->q, sys->nq, number},
                       {s->v, sys->nv, number},
                       {s->a, sys->nv, number},
                       {s->lambda, sys->nphi, number},
                       {s->turn, sys->model->nturn, number},
                       {s->memory, sys->nmemory, number},
                       {s->history, s->nhistory, number},
                       {s->active, sys->nphi, 1}};
    memcpy(p, all, sizeof all);
}

static size_t size_of_sums(const vgSimulation *run)
{
    return (size_t)sum_count(run) * sizeof(unsigned long long);
}

static size_t size_of_state(const vgSimulation *run)
{
    Part p[NPART];
    size_t n = sizeof(Head) + size_of_sums(run);
    parts(run, p);
    for (int i = 0; i < NPART; i++) n += (size_t)p[i].n * p[i].size;
    return n;
}

size_t vg_checkpoint_size(const vgSimulation *run)
{
    return size_of_state(run) + (size_t)vg_renewal_size(run->it) * sizeof(double);
}

static Head head_of(const vgSimulation *run, int started)
{
    Head c;
    memset(&c, 0, sizeof c); /* the padding too: equal states give equal bytes */
    memcpy(c.magic, magic, sizeof magic);
    c.nq = run->sys->nq, c.nv = run->sys->nv, c.nl = run->sys->nphi;
    c.nturn = run->sys->model->nturn, c.nhistory = run->state->nhistory, c.started = started;
    c.nsum = sum_count(run);
    c.step = run->state->step;
    c.t = run->state->t;
    c.contraction = run->it->contraction;
    c.contraction_norm = run->it->contraction_norm;
    c.contraction_left = run->it->contraction_left;
    c.nmatrix = vg_renewal_size(run->it);
    return c;
}

void vg_checkpoint_write(const vgSimulation *run, int started, void *bytes)
{
    Head head = head_of(run, started);
    Part p[NPART];
    parts(run, p);
    char *at = (char *)bytes + sizeof head;
    for (int i = 0; i < head.nsum; i++) {
        unsigned long long sum = sum_at(run, i);
        memcpy(at, &sum, sizeof sum);
        at += sizeof sum;
    }
    for (int i = 0; i < NPART; i++) {
        size_t n = (size_t)p[i].n * p[i].size;
        if (n) memcpy(at, p[i].at, n);
        at += n;
    }
    vg_renewal_write(run->it, at);
    size_t body = vg_checkpoint_size(run) - sizeof head;
    head.sum = hash(hash(1, &head, sizeof head), (char *)bytes + sizeof head, body);
    memcpy(bytes, &head, sizeof head);
}

static vgStatus refuse(char why[VG_CHECKPOINT_WHY], const char *words)
{
    snprintf(why, VG_CHECKPOINT_WHY, "%s", words);
    return VG_BAD_INPUT;
}

/* Whole, of this model and of these dials. */
static vgStatus check(const vgSimulation *run, const char *bytes, size_t size, Head *head,
                      char why[VG_CHECKPOINT_WHY])
{
    const Head mine = head_of(run, 0);
    if (size < sizeof *head || memcmp(bytes, magic, 5) != 0) return refuse(why, "this is not a checkpoint");
    memcpy(head, bytes, sizeof *head);
    if (memcmp(head->magic, magic, sizeof magic) != 0)
        return refuse(why,
                      "this is a checkpoint of another version, which does not say of which model it is");
    unsigned long long sum = head->sum;
    head->sum = 0;
    if (sum != hash(hash(1, head, sizeof *head), bytes + sizeof *head, size - sizeof *head))
        return refuse(why, "the checkpoint is damaged");
    if (head->nsum < 0 || (size_t)head->nsum > (size - sizeof *head) / sizeof sum)
        return refuse(why, "the checkpoint is damaged");
    if (differs(run, head, bytes + sizeof *head, why)) return VG_BAD_INPUT;
    int same = head->nq == mine.nq && head->nv == mine.nv && head->nl == mine.nl &&
               head->nturn == mine.nturn && head->nhistory == mine.nhistory && head->nmatrix >= 0;
    if (!same || size != size_of_state(run) + (size_t)head->nmatrix * sizeof(double))
        return refuse(why,
                      "the checkpoint is not one of this simulation: it has another number of coordinates");
    return VG_OK;
}

vgStatus vg_checkpoint_read(vgSimulation *run, const void *bytes, size_t size, int *started,
                            char why[VG_CHECKPOINT_WHY])
{
    Head head;
    vgStatus status = check(run, bytes, size, &head, why);
    if (status != VG_OK) return status;
    Part p[NPART];
    parts(run, p);
    const char *at = (const char *)bytes + sizeof head + size_of_sums(run);
    for (int i = 0; i < NPART; i++) {
        size_t n = (size_t)p[i].n * p[i].size;
        if (n) memcpy(p[i].at, at, n);
        at += n;
    }
    run->state->t = head.t;
    run->state->step = head.step;
    run->it->contraction = head.contraction;
    run->it->contraction_norm = head.contraction_norm;
    run->it->contraction_left = head.contraction_left;
    vg_renewal_read(run->it, at, head.nmatrix);
    *started = head.started;
    return VG_OK;
}

vgStatus vg_checkpoint_save(const vgSimulation *run, const char *path)
{
    size_t size = vg_checkpoint_size(run);
    void *bytes = malloc(size);
    if (!bytes) return VG_NO_MEMORY;
    vg_checkpoint_write(run, 1, bytes);
    int ok = vg_file_write(path, bytes, size);
    free(bytes);
    return ok ? VG_OK : VG_IO;
}

vgStatus vg_checkpoint_load(vgSimulation *run, const char *path, char why[VG_CHECKPOINT_WHY])
{
    const char *wrong = vg_file_wrong(path);
    refuse(why, wrong ? wrong : "the file cannot be read");
    if (wrong) return VG_IO;
    FILE *file = fopen(path, "rb");
    const int unopened = file ? 0 : errno;
    long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size > MOST_BYTES) {
        fclose(file);
        return refuse(why, "it is larger than 4 GB, and no state of a run");
    }
    char *bytes = size >= 0 ? malloc((size_t)size + 1) : NULL;
    int started = 0, read = bytes && fseek(file, 0, SEEK_SET) == 0;
    vgStatus status = unopened == ENOMEM || (size >= 0 && !bytes) ? VG_NO_MEMORY : VG_IO;
    if (status == VG_NO_MEMORY) refuse(why, vg_status_text(status));
    if (read) status = vg_checkpoint_read(run, bytes, fread(bytes, 1, (size_t)size, file), &started, why);
    if (status == VG_OK && !started) status = refuse(why, "it holds no history");
    if (file) fclose(file);
    free(bytes);
    return status;
}
