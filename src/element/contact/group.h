/* A group of contacts: every pair of shapes of `among`, and each of them with every shape of `with`, on different
 * bodies. One element; the law and the tangents of a pair are those of its contact kind (contact/pair.h).
 *
 * Pairs that are near each other are found by a grid (contact/broad.h) with a margin, and kept until some shape has
 * moved by half of it. So no pair that touches is missed, whatever the step, and the forces do not depend on when the
 * pairs were last looked for: they are summed in the order of the members. */
#ifndef VERGE_ELEMENT_CONTACT_GROUP_H
#define VERGE_ELEMENT_CONTACT_GROUP_H

#include "element/contact/pair.h"
#include "element/force/crowd.h"

typedef struct vgContactGroup {
    vgForceHead head; /* as every def; not used */
    vgContactLaw law;
    int planar;
    int namong, nfinite, n;    /* shapes: those among, those with bounds, all (the last are planes) */
    const vgTouchShape *shape; /* n */
    const int *body;           /* n: their bodies, −1 ground */
    double margin, largest;    /* m: from their sizes; the largest bound among them */
    signed char row[VG_TOUCH_COUNT][VG_TOUCH_COUNT]; /* of vg_contact_pairs, −1: none */
    unsigned char swap[VG_TOUCH_COUNT][VG_TOUCH_COUNT];
} vgContactGroup;

extern const vgForceKind
    vg_force_contact_group; /* not in vg_force_kinds: `contacts:` makes it (model/contacts.c) */

#endif
