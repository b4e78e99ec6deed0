/* Sphere around the origin of frame B against the sphere around that of frame A, beside it or, inside: true,
 * in it (planar models: discs, rings). With y from A to B:
 *     beside   depth = r_B + r_A − |y|,   n = y/|y|          inside   depth = r_B − r_A + |y|,   n = −y/|y|
 * The point of contact is midway between the two surfaces, so that it does not matter which sphere is first.
 */
#include "element/contact/pair.h"

typedef struct vgSphereSphere {
    vgContact contact;
    double radius, first;
    int inside;
} vgSphereSphere;

static const vgField fields[] = {
    {"radius", VG_FIELD_NUMBER, offsetof(vgSphereSphere, radius), "m", NULL, 0, INFINITY,
     "radius of the sphere around the second frame's origin"},
    {"first", VG_FIELD_NUMBER, offsetof(vgSphereSphere, first), "m", "", 0, INFINITY,
     "radius of the sphere around the first frame's origin; absent: the same"},
    {"inside", VG_FIELD_BOOL, offsetof(vgSphereSphere, inside), "", "false", 0, 0,
     "true: the second sphere is in the first, a ball in a bowl"},
    VG_CONTACT_FIELDS(vgSphereSphere, contact.law),
};

static void locate(const void *def, const vgRel *rel, int side, vgContactAt *at)
{
    (void)side;
    const vgSphereSphere *s = def;
    vg_contact_round(&s->contact, rel->y, vg_eye3(), s->radius, s->first, s->inside, at);
    at->arm -= 0.5 * at->depth;
    at->give = 0.5;
}

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    vgSphereSphere *s = def;
    s->contact.locate = locate;
    if (isnan(s->first)) s->first = s->radius;
    if (s->inside && s->first <= s->radius)
        return vg_force_refuse(out, "inside", "needs `first`, larger than radius: the ball has to fit in");
    if (!s->inside) s->contact.reach = s->first + s->radius;
    return vg_contact_setup(def, planar, out);
}

static void look(const void *def, vgForceLook *out)
{
    const vgSphereSphere *s = def;
    out->surface = "sphere", out->radius = s->radius, out->size[0] = s->first, out->inside = s->inside;
}

const vgForceKind vg_force_contact_sphere_sphere = {
    .name = "contact-sphere-sphere",
    .doc = "A sphere on the second frame against a sphere on the first, beside it or in it (planar models: "
           "discs). Outputs: depth (negative: gap), normal, friction, slip, and force.x|y|z on the second in "
           "the axes of the first.",
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .def_size = sizeof(vgSphereSphere),
    .example = "hit: {contact-sphere-sphere: [cue, ball], radius: 0.0286, stiffness: 1e8, restitution: 0.95, "
               "speed: 2, friction: 0.06}",
    .setup = setup,
    .look = look,
    VG_CONTACT_CALLS,
};

static void bind(void *def, const vgTouchShape *first, const vgTouchShape *second)
{
    vgSphereSphere *s = def;
    s->contact.head.frame[0] = first->frame;
    s->contact.head.frame[1] = second->frame;
    s->first = first->size[0];
    s->radius = second->size[0];
    s->inside = 0;
    s->contact.reach = s->first + s->radius;
}

_Static_assert(sizeof(vgSphereSphere) <= VG_CONTACT_ROOM,
               "the parameters of a contact fit into VG_CONTACT_ROOM");
const vgContactPair vg_pair_sphere_sphere = {VG_TOUCH_SPHERE, VG_TOUCH_SPHERE, sizeof(vgSphereSphere), bind,
                                             locate};
