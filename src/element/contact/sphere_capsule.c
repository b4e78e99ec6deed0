/* Sphere around the origin of frame B against a capsule centred at frame A: a round bar with round ends, all
 * that is within `first` of a line of some length (planar models: a disc against a slot). inside: true: the
 * sphere is in it, a ball in a tube. With y from A to B, a the axis, L the length:
 *     nearest place of the line  c = clamp(a·y, ±L/2) a,     contact of spheres around c and B. */
#include "element/contact/pair.h"

typedef struct vgSphereCapsule {
    vgContact contact;
    double radius, first, length, axis[3];
    int inside;
} vgSphereCapsule;

static const vgField fields[] = {
    {"length", VG_FIELD_NUMBER, offsetof(vgSphereCapsule, length), "m", NULL, 0, INFINITY,
     "of the straight part, centred at the first frame's origin"},
    {"first", VG_FIELD_NUMBER, offsetof(vgSphereCapsule, first), "m", NULL, 0, INFINITY,
     "radius of the capsule, of its round ends too"},
    {"radius", VG_FIELD_NUMBER, offsetof(vgSphereCapsule, radius), "m", NULL, 0, INFINITY,
     "radius of the sphere around the second frame's origin"},
    {"axis", VG_FIELD_AXIS, offsetof(vgSphereCapsule, axis), "", "x", 0, 0,
     "of the capsule, in the first frame"},
    {"inside", VG_FIELD_BOOL, offsetof(vgSphereCapsule, inside), "", "false", 0, 0,
     "true: the sphere is in the capsule, a ball in a closed tube"},
    VG_CONTACT_FIELDS(vgSphereCapsule, contact.law),
};

static void locate(const void *def, const vgRel *rel, int side, vgContactAt *at)
{
    (void)side;
    const vgSphereCapsule *s = def;
    vgVec3 a = vg_load3(s->axis);
    double along = vg_dot3(a, rel->y), end = 0.5 * s->length;
    int beside = fabs(along) < end;
    vgMat3 free = beside ? vg_msub3(vg_eye3(), vg_outer3(a, a)) : vg_eye3();
    vgVec3 from = vg_axpy3(beside ? -along : copysign(end, -along), a, rel->y);
    vg_contact_round(&s->contact, from, free, s->radius, s->first, s->inside, at);
}

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    vgSphereCapsule *s = def;
    s->contact.locate = locate;
    if (s->inside && s->first <= s->radius)
        return vg_force_refuse(out, "inside", "needs `first` larger than radius: the ball has to fit in");
    if (!s->inside) s->contact.reach = s->first + s->radius + 0.5 * s->length;
    return vg_contact_setup(def, planar, out);
}

static void look(const void *def, vgForceLook *out)
{
    const vgSphereCapsule *s = def;
    out->surface = "bar", out->radius = s->radius, out->inside = s->inside;
    out->size[0] = s->length, out->size[1] = s->first;
    for (int i = 0; i < 3; i++) out->axis[i] = s->axis[i];
}

const vgForceKind vg_force_contact_sphere_capsule = {
    .name = "contact-sphere-capsule",
    .doc = "A sphere on the second frame against a round bar with round ends on the first, or in it as in a "
           "closed tube (planar models: a disc and a slot). Outputs: depth (negative: gap), normal, "
           "friction, slip, and force.x|y|z on the second in the axes of the first.",
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .def_size = sizeof(vgSphereCapsule),
    .example = "flipper: {contact-sphere-capsule: [arm.tip, ball], length: 0.08, first: 0.01, radius: "
               "0.0135, stiffness: 1e6, damping: 0.2}",
    .setup = setup,
    .look = look,
    VG_CONTACT_CALLS,
};

static void bind(void *def, const vgTouchShape *first, const vgTouchShape *second)
{
    vgSphereCapsule *s = def;
    s->contact.head.frame[0] = first->frame;
    s->contact.head.frame[1] = second->frame;
    s->length = first->size[0];
    s->first = first->size[1];
    s->radius = second->size[0];
    s->inside = 0;
    vg_store3(vg_unit_axis3(0), s->axis);
    s->contact.reach = s->first + s->radius + 0.5 * s->length;
}

_Static_assert(sizeof(vgSphereCapsule) <= VG_CONTACT_ROOM,
               "the parameters of a contact fit into VG_CONTACT_ROOM");
const vgContactPair vg_pair_sphere_capsule = {VG_TOUCH_BAR, VG_TOUCH_SPHERE, sizeof(vgSphereCapsule), bind,
                                              locate};
