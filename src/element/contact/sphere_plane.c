/* Sphere around the origin of frame B against the plane z = 0 of frame A, from the side of positive z (planar
 * models: a disc against the line y = 0). Depth = radius − z. */
#include "element/contact/pair.h"

typedef struct vgSpherePlane {
    vgContact contact;
    double radius;
} vgSpherePlane;

static const vgField fields[] = {
    {"radius", VG_FIELD_NUMBER, offsetof(vgSpherePlane, radius), "m", NULL, 0, INFINITY,
     "radius of the sphere around the second frame's origin"},
    VG_CONTACT_FIELDS(vgSpherePlane, contact.law),
};

static void locate(const void *def, const vgRel *rel, int side, vgContactAt *at)
{
    (void)side;
    const vgSpherePlane *s = def;
    at->n = vg_unit_axis3(s->contact.up);
    at->dn = vg_mzero3();
    at->arm = s->radius;
    at->give = 0;
    at->depth = s->radius - vg_dot3(at->n, rel->y);
}

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    ((vgContact *)def)->locate = locate;
    return vg_contact_setup(def, planar, out);
}

static void look(const void *def, vgForceLook *out)
{
    const vgSpherePlane *s = def;
    out->surface = "plane", out->radius = s->radius;
}

const vgForceKind vg_force_contact_sphere_plane = {
    .name = "contact-sphere-plane",
    .doc = "A sphere on the second frame against the plane z = 0 of the first (planar models: a disc against "
           "the line y = 0). Outputs: depth (negative: gap), normal, friction, slip, and force.x|y|z on the "
           "second in the axes of the first.",
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .def_size = sizeof(vgSpherePlane),
    .example = "floor: {contact-sphere-plane: [ground, ball], radius: 0.1, stiffness: 1e6, damping: 0.3, "
               "friction: 0.4}",
    .setup = setup,
    .look = look,
    VG_CONTACT_CALLS,
};

static void bind(void *def, const vgTouchShape *first, const vgTouchShape *second)
{
    vgSpherePlane *s = def;
    s->contact.head.frame[0] = first->frame;
    s->contact.head.frame[1] = second->frame;
    s->radius = second->size[0];
}

_Static_assert(sizeof(vgSpherePlane) <= VG_CONTACT_ROOM,
               "the parameters of a contact fit into VG_CONTACT_ROOM");
const vgContactPair vg_pair_sphere_plane = {VG_TOUCH_PLANE, VG_TOUCH_SPHERE, sizeof(vgSpherePlane), bind,
                                            locate};
