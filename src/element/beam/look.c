/* What beams and cables look like in pictures. */
#include <math.h>

#include "element/beam/beam.h"

void vg_section_look(const vgSectionDef *def, const vgSection *section, vgForceLook *out)
{
    if (def->rectangle.n == 2) {
        out->width = def->rectangle.at[0], out->height = def->rectangle.at[1];
    } else if (def->circle > 0 || def->tube.n == 2) {
        out->round = 1;
        out->width = out->height = 2 * (def->tube.n == 2 ? def->tube.at[0] : def->circle);
    } else if (section && section->C[0] > 0) { /* h = sqrt(12 EI/EA) of a rectangle */
        double EA = section->C[0], EIy = section->C[28], EIz = section->C[35];
        out->guess = 1;
        out->width = sqrt(12 * EIz / EA);
        out->height = EIy > 0 ? sqrt(12 * EIy / EA) : out->width;
    }
}

void vg_beam_look(const void *def, vgForceLook *out)
{
    const vgBeam *b = def;
    int n = b->narm + 1;
    out->nnode = n;
    for (int k = 0; k < n; k++) {
        const vgFrame *at = k == 0 ? &b->head.frame[0] : k == n - 1 ? &b->head.frame[1] : &b->middle;
        const vgBeamGauss *g = &b->gauss[k < b->narm ? k : b->narm - 1];
        out->node[k] = (vgFrame){.body = at->body, .r = b->node[k].r, .R = vg_mm3(b->node[k].N, g->Q)};
    }
    vg_section_look(&b->section, &b->sec, out);
}
