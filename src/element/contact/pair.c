/* The list of pairs of shapes: a new pair is a file in this folder and one row here. */
#include "element/contact/pair.h"

#define VG_PAIR_LIST(X)                                                                                      \
    X(sphere_sphere)                                                                                         \
    X(sphere_plane)                                                                                          \
    X(sphere_box)                                                                                            \
    X(sphere_capsule)

#define VG_PAIR_DECLARE(pair) extern const vgContactPair vg_pair_##pair;
VG_PAIR_LIST(VG_PAIR_DECLARE)

#define VG_PAIR_ROW(pair) &vg_pair_##pair,
const vgContactPair *const vg_contact_pairs[] = {VG_PAIR_LIST(VG_PAIR_ROW) NULL};

const char *const vg_touch_names[VG_TOUCH_COUNT] = {"sphere", "box", "bar", "plane"};

const vgContactPair *vg_contact_pair(vgTouchKind a, vgTouchKind b, int *swap)
{
    for (int i = 0; vg_contact_pairs[i]; i++) {
        const vgContactPair *p = vg_contact_pairs[i];
        *swap = !(p->first == a && p->second == b);
        if (!*swap || (p->first == b && p->second == a)) return p;
    }
    return NULL;
}
