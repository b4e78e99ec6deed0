/* Point at the origin of frame B, or a ball of some radius around it, against a profile z = h(x) of frame A,
 * the same for every y (planar models: y = h(x)). The profile pushes towards positive z.
 *
 * Foot (s, h(s)) of the perpendicular from (x, z):  φ(s) = s − x + (h − z) h' = 0,  by Newton from s = x.
 *     n = (−h', 1)/q,   q = √(1 + h'²),   gap g = (z − h) q,   κ = h''/q³
 *     ∇g = n,   ∂n/∂(x, z) = −κ/(1 − κ g) t tᵀ,   t = (1, h')/q */
#include "element/contact.h"
#include "element/table.h"

typedef struct vgPointProfile {
    vgForceHead head;
    const vgTable *profile;
    double radius;
    vgContactLaw law;
    int up; /* axis of frame A: 2, planar 1 */
} vgPointProfile;

static const vgField fields[] = {
    {"profile", VG_FIELD_TABLE, offsetof(vgPointProfile, profile), "m", NULL, 0, 0,
     "height z over x in the first frame (planar models: y over x); a cubic table keeps the force smooth"},
    {"radius", VG_FIELD_NUMBER, offsetof(vgPointProfile, radius), "m", "0", 0, INFINITY,
     "radius of a ball around the point; the profile should not curve up more sharply than it"},
    VG_CONTACT_FIELDS(vgPointProfile, law),
};

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    vgPointProfile *s = def;
    s->up = planar ? 1 : 2;
    out->nbody = 2;
    out->body[0] = s->head.frame[0].body;
    out->body[1] = s->head.frame[1].body;
    out->velocity = s->law.damping != 0 || s->law.friction != 0;
    return VG_OK;
}

/* Abscissa of the foot and the profile there. Where Newton leaves the near branch (beyond the centre of
 * curvature) the foot straight below is taken. */
static double foot(const vgTable *profile, double x, double z, double h[3])
{
    double s = x;
    for (int i = 0; i < 25; i++) {
        vg_table_eval(profile, s, h);
        double value = s - x + (h[0] - z) * h[1], slope = 1 + h[1] * h[1] + (h[0] - z) * h[2];
        if (slope <= 0) break;
        double step = value / slope;
        s -= step;
        if (fabs(step) <= 1e-14 * (1 + fabs(s))) {
            vg_table_eval(profile, s, h);
            return s;
        }
    }
    vg_table_eval(profile, x, h);
    return x;
}

static void locate(const vgPointProfile *s, const vgForceIn *in, vgRel *rel, vgContactAt *at)
{
    double h[3];
    vg_rel_motion(&s->head.frame[0], &s->head.frame[1], in->kin[0], in->kin[1], rel);
    vgVec3 ex = vg_unit_axis3(0), ez = vg_unit_axis3(s->up);
    double x = rel->y.x, z = vg_dot3(ez, rel->y);
    foot(s->profile, x, z, h);
    double q = sqrt(1 + h[1] * h[1]), gap = (z - h[0]) * q, kappa = h[2] / (q * q * q);
    vgVec3 tangent = vg_scale3(vg_axpy3(h[1], ez, ex), 1 / q);
    at->n = vg_scale3(vg_axpy3(-h[1], ex, ez), 1 / q);
    at->dn = vg_mscale3(vg_outer3(tangent, tangent), -kappa / (1 - kappa * gap));
    at->arm = s->radius;
    at->depth = s->radius - gap;
}

static void eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    const vgPointProfile *s = def;
    vgRel rel;
    vgContactAt at;
    locate(s, in, &rel, &at);
    vg_contact_apply(&s->law, &at, &rel, out);
}

static double energy(const void *def, const vgForceIn *in)
{
    const vgPointProfile *s = def;
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
    const vgPointProfile *s = def;
    vgRel rel;
    vgContactAt at;
    locate(s, in, &rel, &at);
    vg_contact_output(&s->law, &at, &rel, values);
}

static void look(const void *def, vgForceLook *out)
{
    out->profile = ((const vgPointProfile *)def)->profile;
}

const vgForceKind vg_force_contact_point_profile = {
    .name = "contact-point-profile",
    .doc = "A point or ball on the second frame against a profile z = table(x) of the first (planar models: "
           "y = table(x)). Outputs: depth (negative: gap), normal, friction, slip, and force.x|y|z on the "
           "second in the axes of the first.",
    .planar = 1,
    .head = VG_HEAD_FRAMES,
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .def_size = sizeof(vgPointProfile),
    .example =
        "track: {contact-point-profile: [ground, sled.runner], profile: hill, stiffness: 1e5, exponent: 1}",
    .setup = setup,
    .eval = eval,
    .depth = depth,
    .energy = energy,
    .outputs = vg_contact_outputs,
    .output = output,
    .look = look,
};
