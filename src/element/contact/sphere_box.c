/* Sphere around the origin of frame B against the box centred at frame A with edges along its axes (planar
 * models: a disc against a rectangle). The nearest place of the box is B's origin clamped to it, component by
 * component: on a face, an edge or a corner. From within the box the nearest face pushes it out. */
#include "element/contact/pair.h"

typedef struct vgSphereBox {
    vgContact contact;
    double radius, size[3];
} vgSphereBox;

static const vgField fields[] = {
    {"size", VG_FIELD_VEC3, offsetof(vgSphereBox, size), "m", NULL, 0, INFINITY,
     "edges [x, y, z] of the box around the first frame's origin; planar [x, y]"},
    {"radius", VG_FIELD_NUMBER, offsetof(vgSphereBox, radius), "m", NULL, 0, INFINITY,
     "radius of the sphere around the second frame's origin"},
    VG_CONTACT_FIELDS(vgSphereBox, contact.law),
};

/* B's origin is in the box: the displacement to its nearest face. */
static void from_within(const vgSphereBox *s, const double y[3], int n, vgContactAt *at)
{
    int near = 0;
    for (int i = 1; i < n; i++)
        if (0.5 * s->size[i] - fabs(y[i]) < 0.5 * s->size[near] - fabs(y[near])) near = i;
    at->n = vg_scale3(vg_unit_axis3(near), y[near] < 0 ? -1 : 1);
    at->dn = vg_mzero3();
    at->depth = s->radius + 0.5 * s->size[near] - fabs(y[near]);
    at->arm = s->radius;
    at->give = 0;
}

static void locate(const void *def, const vgRel *rel, int side, vgContactAt *at)
{
    (void)side;
    const vgSphereBox *s = def;
    double y[3], from[3] = {0};
    int n = s->contact.up + 1, outside = 0; /* planar: two axes */
    vgMat3 free = vg_mzero3();
    vg_store3(rel->y, y);
    for (int i = 0; i < n; i++) {
        double over = fabs(y[i]) - 0.5 * s->size[i];
        if (over <= 0) continue;
        from[i] = copysign(over, y[i]);
        free.m[i][i] = 1;
        outside = 1;
    }
    if (outside)
        vg_contact_round(&s->contact, vg_load3(from), free, s->radius, 0, 0, at);
    else
        from_within(s, y, n, at);
}

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    vgSphereBox *s = def;
    s->contact.locate = locate;
    s->contact.reach = s->radius + 0.5 * vg_norm3(vg_load3(s->size));
    return vg_contact_setup(def, planar, out);
}

static void look(const void *def, vgForceLook *out)
{
    const vgSphereBox *s = def;
    out->surface = "box", out->radius = s->radius;
    for (int i = 0; i < 3; i++) out->size[i] = s->size[i];
}

const vgForceKind vg_force_contact_sphere_box = {
    .name = "contact-sphere-box",
    .doc = "A sphere on the second frame against a box centred at the first, edges along its axes (planar "
           "models: a disc against a rectangle). Outputs: depth (negative: gap), normal, friction, slip, and "
           "force.x|y|z on the second in the axes of the first.",
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .def_size = sizeof(vgSphereBox),
    .example = "cushion: {contact-sphere-box: [ground.rail, ball], size: [2, 0.05, 0.04], radius: 0.0286, "
               "stiffness: 1e6, damping: 0.2}",
    .setup = setup,
    .look = look,
    VG_CONTACT_CALLS,
};

static void bind(void *def, const vgTouchShape *first, const vgTouchShape *second)
{
    vgSphereBox *s = def;
    s->contact.head.frame[0] = first->frame;
    s->contact.head.frame[1] = second->frame;
    for (int i = 0; i < 3; i++) s->size[i] = first->size[i];
    s->radius = second->size[0];
    s->contact.reach = s->radius + 0.5 * vg_norm3(vg_load3(s->size));
}

_Static_assert(sizeof(vgSphereBox) <= VG_CONTACT_ROOM,
               "the parameters of a contact fit into VG_CONTACT_ROOM");
const vgContactPair vg_pair_sphere_box = {VG_TOUCH_BOX, VG_TOUCH_SPHERE, sizeof(vgSphereBox), bind, locate};
