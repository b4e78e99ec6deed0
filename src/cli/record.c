#include "cli/record.h"

#include <stdlib.h>

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
