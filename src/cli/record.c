#include "cli/record.h"

#include <stdlib.h>
#include <string.h>

static const char *const joint_default[] = {"joint.*.angle", "joint.*.displacement", "energy.total"};
static const char *const body_default[] = {"body.*.position.*", "energy.total"};

static vgStatus by_default(const vgSystem *sys, vgChannels **out)
{
    vgDiag *nobody = NULL; /* a pattern without a match is no mistake here */
    for (int i = 0; i < 2; i++) {
        const char *names[2] = {joint_default[i], joint_default[2]};
        if (vg_channels_new(sys, names, 2, nobody, out) == VG_OK) return VG_OK;
    }
    return vg_channels_new(sys, body_default, 2, nobody, out);
}

int vg_cli_record_beams(const vgModel *model, const char *names[VG_RECORD_BEAMS])
{
    static const char *const planar[] = {"force.*.moment-z", "force.*.axial"};
    static const char *const spatial[] = {"force.*.moment-z", "force.*.moment-y", "force.*.torsion",
                                          "force.*.axial"};
    int beams = 0;
    for (int i = 0; i < model->nforce; i++) {
        const char *const *output = model->force[i].kind->outputs;
        for (; output && *output; output++) beams += !strcmp(*output, "moment-z");
    }
    int n = beams == 0 ? 0 : beams > 200 ? 1 : beams > 50 || model->planar ? 2 : VG_RECORD_BEAMS;
    for (int i = 0; i < n; i++) names[i] = model->planar ? planar[i] : spatial[i];
    return n;
}

vgStatus vg_cli_record(const vgSystem *sys, const vgModel *model, const char *const *more, int n,
                       vgDiag *diag, vgChannels **out)
{
    if (model->nrecord + n == 0) return by_default(sys, out);
    const char **names = calloc((size_t)(model->nrecord + n), sizeof *names);
    if (!names) return VG_NO_MEMORY;
    for (int i = 0; i < model->nrecord; i++) names[i] = model->record[i];
    for (int i = 0; i < n; i++) names[model->nrecord + i] = more[i];
    vgStatus status = vg_channels_new(sys, names, model->nrecord + n, diag, out);
    free(names);
    return status;
}
