/* Runs many models by the public headers alone and prints what came out, for scripts/cross and scripts/same-bits, which
 * compare systems and compilers. Each line of the file is a case:
 *
 *     MODEL coordinates constraints integrator step end        "-": as the model says; 0 as well
 *
 * and is answered by one line: number, status, samples, a hash over the bits of all samples, the last sample. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "verge/verge.h"

/* FNV-1a over the bits of n numbers. */
static uint64_t hashed(uint64_t hash, const double *x, long n)
{
    for (long i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        for (int k = 0; k < 8; k++, bits >>= 8) hash = (hash ^ (bits & 255)) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static const char *given(const char *word)
{
    return strcmp(word, "-") ? word : NULL;
}

static void one(int number, const char *path, const vgRunHow *how)
{
    vgDiag *diag = vg_diag_new();
    vgModel *model = vg_load(path, NULL, diag);
    vgRun *run = NULL;
    vgStatus status = model ? vg_run(model, how, diag, &run) : VG_BAD_INPUT;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    if (run) {
        hash = hashed(hash, run->time, run->nrow);
        hash = hashed(hash, run->value, run->nrow * run->nchannel);
    }
    printf("%d %d %ld %08lx%08lx", number, (int)status, run ? run->nrow : 0, (unsigned long)(hash >> 32),
           (unsigned long)(hash & 0xffffffff));
    for (int i = 0; run && run->nrow > 0 && i < run->nchannel; i++)
        printf(" %.17g", run->value[(run->nrow - 1) * run->nchannel + i]);
    printf("\n");
    fflush(stdout);
    vg_run_free(run);
    vg_model_free(model);
    vg_diag_free(diag);
}

int main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    char line[2000], path[1000], word[3][200];
    double step, end;
    if (!file) {
        fprintf(stderr, "usage: cross_cases FILE\n");
        return 2;
    }
    for (int number = 0; fgets(line, sizeof line, file); number++) {
        if (sscanf(line, "%999s %199s %199s %199s %lf %lf", path, word[0], word[1], word[2], &step, &end) !=
            6)
            return 2;
        vgRunHow how = {.coordinates = given(word[0]),
                        .constraints = given(word[1]),
                        .integrator = given(word[2]),
                        .step = step,
                        .end = end,
                        .every = 1};
        one(number, path, &how);
    }
    fclose(file);
    return 0;
}
