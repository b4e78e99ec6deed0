/* Contacts between two shapes as groups need them (contact/group.h): a row for every pair of shapes that can touch.
 * A row names a contact kind and writes two shapes into the parameters of that kind, whose law, normal and tangents
 * are then the same as those of one element. A new pair is a file in this folder and one row of vg_contact_pairs. */
#ifndef VERGE_ELEMENT_CONTACT_PAIR_H
#define VERGE_ELEMENT_CONTACT_PAIR_H

#include "element/contact/contact.h"

typedef enum vgTouchKind {
    VG_TOUCH_SPHERE, /* size: radius */
    VG_TOUCH_BOX,    /* size: edges */
    VG_TOUCH_BAR,    /* size: length, radius; along x, with round ends */
    VG_TOUCH_PLANE,  /* z = 0 of its frame, planar y = 0; the outside is where that is positive */
    VG_TOUCH_COUNT
} vgTouchKind;

extern const char *const vg_touch_names[VG_TOUCH_COUNT];

typedef struct vgTouchShape {
    vgTouchKind kind;
    vgFrame frame; /* its centre and axes on its body */
    double size[3];
    double bound; /* radius of a ball around the frame's origin that contains it; infinite for a plane */
} vgTouchShape;

enum { VG_CONTACT_ROOM = 512 }; /* bytes for the parameters of any contact kind */

typedef struct vgContactPair {
    vgTouchKind first, second; /* of frames A and B */
    size_t def_size;           /* at most VG_CONTACT_ROOM */
    /* Writes frames, sizes and reach into the parameters; `law`, `up` and `locate` stay. */
    void (*bind)(void *def, const vgTouchShape *first, const vgTouchShape *second);
    void (*locate)(const void *def, const vgRel *rel, int side, vgContactAt *at);
} vgContactPair;

extern const vgContactPair *const vg_contact_pairs[]; /* NULL-terminated: the list */
/* The row for two shapes in either order, NULL: none. *swap: 1 when b is the first shape of the row. */
const vgContactPair *vg_contact_pair(vgTouchKind a, vgTouchKind b, int *swap);

#endif
