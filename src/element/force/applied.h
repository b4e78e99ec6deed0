/* Shared by the applied force and the applied torque: a vector of laws, fixed in W or turning with the frame.
 */
#ifndef VERGE_ELEMENT_FORCE_APPLIED_H
#define VERGE_ELEMENT_FORCE_APPLIED_H

#include <string.h>

#include "element/force/util.h"

typedef struct vgApplied {
    vgForceHead head;
    vgLaw value[3];
    const char *frame;
    int follower; /* set from `frame` */
    int constant; /* three numbers, no law */
} vgApplied;

static inline vgStatus vg_applied_setup(vgApplied *s, vgForceSetup *out)
{
    out->nbody = 1;
    out->body[0] = s->head.frame[0].body;
    if (strcmp(s->frame, "world") != 0 && strcmp(s->frame, "body") != 0)
        return vg_force_refuse(out, "frame", "must be 'world' or 'body'");
    s->follower = strcmp(s->frame, "body") == 0;
    s->constant = !s->value[0].expr && !s->value[1].expr && !s->value[2].expr;
    for (int i = 0; i < 3; i++) {
        vg_force_use_law(out, &s->value[i]);
        out->velocity = out->velocity || vg_law_uses_channels(&s->value[i]);
    }
    return VG_OK;
}

/* The vector in its own axes; dext: derivatives by channels, component after component; next: how many each.
 */
static inline vgVec3 vg_applied_value(const vgApplied *s, const vgForceIn *in, double dext[], int next[3])
{
    double x[3];
    for (int i = 0, law = 0, at = 0; i < 3; i++) {
        next[i] = vg_law_nexternal(&s->value[i]);
        x[i] = s->value[i].value;
        if (s->value[i].expr) {
            x[i] = next[i]
                       ? vg_law_grad(&s->value[i], in->t, 0, NULL, in->law_inputs[law], in->law_held[law],
                                     NULL, dext + at)
                       : vg_law_value(&s->value[i], in->t, 0, NULL, in->law_inputs[law], in->law_held[law]);
            law++;
        }
        at += next[i];
    }
    return vg_scale3(vg_load3(x), 1 - in->unload);
}

#endif
