/* Sphere around the origin of frame B against the plane z = 0 of frame A, from the side of positive z (planar
 * models: a disc against the line y = 0). Depth = radius − z. */
#include "element/contact.h"

typedef struct vgSpherePlane {
    vgForceHead head;
    double radius;
    vgContactLaw law;
    int normal; /* axis of frame A: 2, planar 1 */
} vgSpherePlane;

static const vgField fields[] = {
    {"radius", VG_FIELD_NUMBER, offsetof(vgSpherePlane, radius), "m", NULL, 0, INFINITY,
     "radius of the sphere around the second frame's origin"},
    VG_CONTACT_FIELDS(vgSpherePlane, law),
};

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    vgSpherePlane *s = def;
    s->normal = planar ? 1 : 2;
    out->nbody = 2;
    out->body[0] = s->head.frame[0].body;
    out->body[1] = s->head.frame[1].body;
    out->velocity = s->law.damping != 0 || s->law.friction != 0;
    return VG_OK;
}

static void locate(const vgSpherePlane *s, const vgForceIn *in, vgRel *rel, vgContactAt *at)
{
    vg_rel_motion(&s->head.frame[0], &s->head.frame[1], in->kin[0], in->kin[1], rel);
    at->n = vg_unit_axis3(s->normal);
    at->dn = vg_mzero3();
    at->arm = s->radius;
    at->depth = s->radius - vg_dot3(at->n, rel->y);
}

static void eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    const vgSpherePlane *s = def;
    vgRel rel;
    vgContactAt at;
    locate(s, in, &rel, &at);
    vg_contact_apply(&s->law, &at, &rel, out);
}

static double energy(const void *def, const vgForceIn *in)
{
    const vgSpherePlane *s = def;
    vgRel rel;
    vgContactAt at;
    locate(s, in, &rel, &at);
    return vg_contact_energy(&s->law, at.depth);
}

static double depth(const void *def, const vgForceIn *in)
{
    vgRel rel;
    vgContactAt at;
    locate(def, in, &rel, &at);
    return at.depth;
}

static void output(const void *def, const vgForceIn *in, double *values)
{
    const vgSpherePlane *s = def;
    vgRel rel;
    vgContactAt at;
    locate(s, in, &rel, &at);
    vg_contact_output(&s->law, &at, &rel, values);
}

const vgForceKind vg_force_contact_sphere_plane = {
    .name = "contact-sphere-plane",
    .doc = "A sphere on the second frame against the plane z = 0 of the first (planar models: a disc against "
           "the "
           "line y = 0). Outputs: depth (negative: gap), normal, friction, slip, and force.x|y|z on the "
           "second in the axes of the first.",
    .planar = 1,
    .head = VG_HEAD_FRAMES,
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .def_size = sizeof(vgSpherePlane),
    .example = "floor: {contact-sphere-plane: [ground, ball], radius: 0.1, stiffness: 1e6, damping: 0.3, "
               "friction: 0.4}",
    .setup = setup,
    .eval = eval,
    .depth = depth,
    .energy = energy,
    .outputs = vg_contact_outputs,
    .output = output,
};
