#include "io/checkpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "integrator/stage/renewal.h"

typedef struct Head {
    char magic[8];
    int nq, nv, nl, nturn, nhistory, started, contraction_left;
    int nmatrix; /* numbers from which a held Newton matrix is made again; follow the state */
    unsigned long long dials, sum; /* which system, and that the bytes are whole */
    long step;
    double t, contraction, contraction_norm;
} Head;

static unsigned long long hash(unsigned long long h, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < n; i++) h = (h ^ at[i]) * 1099511628211ull;
    return h;
}

static unsigned long long hash_text(unsigned long long h, const char *text)
{
    return hash(h, text, strlen(text) + 1);
}

/* The dials, and the bodies and joints by name: another model may have as many numbers. Values and forces are
 * left out, so that a run may go on with other loads. */
static unsigned long long dials_of(const vgSimulation *run)
{
    const vgModel *m = run->sys->model;
    const char *texts[] = {run->sys->coordinates, run->sys->constraints, run->it->row->name};
    unsigned long long h = 14695981039346656037ull;
    for (int i = 0; i < 3; i++) h = hash_text(h, texts[i]);
    for (int i = 0; i < m->nbody; i++) h = hash_text(h, m->body[i].name);
    for (int i = 0; i < m->njoint; i++) h = hash_text(hash_text(h, m->joint[i].name), m->joint[i].kind->name);
    return h;
}

typedef struct Part {
    double *at;
    int n;
} Part;

enum { NPART = 7 };

static void parts(const vgSimulation *run, Part p[NPART])
{
    const vgSystem *sys = run->sys;
    const vgState *s = run->state;
    Part all[NPART] = {{s->q, sys->nq},
                       {s->v, sys->nv},
                       {s->a, sys->nv},
                       {s->lambda, sys->nphi},
                       {s->turn, sys->model->nturn},
                       {s->memory, sys->nmemory},
                       {s->history, s->nhistory}};
    memcpy(p, all, sizeof all);
}

static size_t size_of_state(const vgSimulation *run)
{
    Part p[NPART];
    size_t n = sizeof(Head);
    parts(run, p);
    for (int i = 0; i < NPART; i++) n += (size_t)p[i].n * sizeof(double);
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
    memcpy(c.magic, "VERGE02", 8);
    c.nq = run->sys->nq, c.nv = run->sys->nv, c.nl = run->sys->nphi;
    c.nturn = run->sys->model->nturn, c.nhistory = run->state->nhistory, c.started = started;
    c.dials = dials_of(run);
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
    for (int i = 0; i < NPART; i++) {
        size_t n = (size_t)p[i].n * sizeof(double);
        if (n) memcpy(at, p[i].at, n);
        at += n;
    }
    vg_renewal_write(run->it, at);
    size_t body = vg_checkpoint_size(run) - sizeof head;
    head.sum = hash(hash(1, &head, sizeof head), (char *)bytes + sizeof head, body);
    memcpy(bytes, &head, sizeof head);
}

vgStatus vg_checkpoint_read(vgSimulation *run, const void *bytes, size_t size, int *started, const char **why)
{
    Head head, mine = head_of(run, 0);
    *why =
        "this is no checkpoint of this simulation: a state goes with one model, its dials and its parameters";
    if (size < sizeof head) return VG_BAD_INPUT;
    memcpy(&head, bytes, sizeof head);
    /* another way of making matrices (newton=…) goes on from it too */
    if (head.nmatrix < 0 || size != size_of_state(run) + (size_t)head.nmatrix * sizeof(double))
        return VG_BAD_INPUT;
    unsigned long long sum = head.sum;
    head.sum = 0;
    int same = memcmp(head.magic, mine.magic, sizeof head.magic) == 0 && head.nq == mine.nq &&
               head.nv == mine.nv && head.nl == mine.nl && head.nturn == mine.nturn &&
               head.nhistory == mine.nhistory && head.dials == mine.dials;
    if (!same) return VG_BAD_INPUT;
    *why = "the checkpoint is damaged";
    if (sum != hash(hash(1, &head, sizeof head), (const char *)bytes + sizeof head, size - sizeof head))
        return VG_BAD_INPUT;
    Part p[NPART];
    parts(run, p);
    const char *at = (const char *)bytes + sizeof head;
    for (int i = 0; i < NPART; i++) {
        size_t n = (size_t)p[i].n * sizeof(double);
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

vgStatus vg_checkpoint_load(vgSimulation *run, const char *path, const char **why)
{
    *why = vg_file_wrong(path);
    if (*why) return VG_IO;
    FILE *file = fopen(path, "rb");
    long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *bytes = size >= 0 ? malloc((size_t)size + 1) : NULL;
    int started = 0, read = bytes && fseek(file, 0, SEEK_SET) == 0;
    vgStatus status = size >= 0 && !bytes ? VG_NO_MEMORY : VG_IO;
    *why = "the file cannot be read";
    if (read) status = vg_checkpoint_read(run, bytes, fread(bytes, 1, (size_t)size, file), &started, why);
    if (status == VG_OK && !started) *why = "it holds no history", status = VG_BAD_INPUT;
    if (file) fclose(file);
    free(bytes);
    return status;
}
