#include "io/record.h"

#include <stdlib.h>
#include <string.h>

#include "element/force/util.h"

int vg_record_matches(const vgSystem *sys, const char *pattern)
{
    vgChannels *found = NULL;
    vgDiag *nobody = NULL; /* a pattern without a match is no error here */
    vgStatus status = vg_channels_new(sys, &pattern, 1, nobody, &found);
    vg_channels_free(found);
    return status == VG_NO_MEMORY ? -1 : status == VG_OK;
}

/* The coordinates of the joints, or where the bodies are, and the energy. −1: memory ran out, and which there are is not
 * known. */
static int by_default(const vgSystem *sys, const char *names[])
{
    static const char *const pattern[] = {"joint.*.angle", "joint.*.displacement", "body.*.position.*"};
    int n = 0;
    for (int i = 0; i < 3 && (i < 2 || n == 0); i++) {
        const int has = vg_record_matches(sys, pattern[i]);
        if (has < 0) return -1;
        if (has) names[n++] = pattern[i];
    }
    names[n++] = "energy.total";
    return n;
}

/* How many elements of a model have an output. */
static int count_output(const vgModel *model, const char *kind, const char *name)
{
    int n = 0;
    for (int i = 0; i < model->nforce; i++) {
        const char *const *output = model->force[i].kind->outputs;
        if (strncmp(model->force[i].kind->name, kind, strlen(kind)) != 0) continue;
        for (; output && *output; output++) n += !strcmp(*output, name);
    }
    return n;
}

int vg_record_beams(const vgModel *model, const char *names[VG_RECORD_BEAMS])
{
    static const char *const planar[] = {"force.*.moment-z", "force.*.axial"};
    static const char *const spatial[] = {"force.*.moment-z", "force.*.moment-y", "force.*.torsion",
                                          "force.*.axial"};
    const int beams = count_output(model, "beam", "moment-z"), cables = count_output(model, "cable", "force");
    int n = beams == 0 ? 0 : beams > 200 ? 1 : beams > 50 || model->planar ? 2 : VG_COUNT(spatial);
    for (int i = 0; i < n; i++) names[i] = model->planar ? planar[i] : spatial[i];
    if (cables) names[n++] = "force.*.force";
    return n;
}

int vg_record_arrows(const vgSystem *sys, const vgModel *model, const char *names[VG_RECORD_ARROWS])
{
    enum { MOST = 200 }; /* joints and forces: more arrows cannot be distinguished */
    static const char *const patterns[VG_RECORD_ARROWS] = {"joint.*.force", "force.*.force", "force.*.normal",
                                                           "force.*.x",     "force.*.y",     "force.*.z"};
    int n = 0;
    if (model->njoint + model->nforce > MOST) return 0;
    for (int i = 0; i < VG_RECORD_ARROWS; i++)
        if (vg_record_matches(sys, patterns[i]) > 0) names[n++] = patterns[i];
    return n;
}

vgStatus vg_record_channels(const vgSystem *sys, const vgModel *model, const vgRecordMore *more, vgDiag *diag,
                            vgChannels **out)
{
    enum { DEFAULTS = 3 };
    int n = 0;
    const char **names = calloc((size_t)(model->nrecord + more->nasked + more->n + DEFAULTS), sizeof *names);
    if (!names) return VG_NO_MEMORY;
    for (int i = 0; i < model->nrecord; i++) names[n++] = model->record[i];
    for (int i = 0; i < more->nasked; i++) names[n++] = more->asked[i];
    if (n == 0) n = by_default(sys, names);
    if (n < 0) {
        free(names);
        return VG_NO_MEMORY;
    }
    for (int i = 0; i < more->n; i++) names[n++] = more->name[i];
    vgStatus status = vg_channels_new(sys, names, n, diag, out);
    free(names);
    return status;
}
