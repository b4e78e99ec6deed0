/* Point at the origin of frame B, or a ball of some radius around it, against a profile z = h(x) of frame A,
 * the same for every y (planar models: y = h(x)). The profile pushes towards positive z.
 *
 * Foot (s, h(s)) of the perpendicular from (x, z):  φ(s) = s − x + (h − z) h' = 0,  by Newton from s = x.
 *     n = (−h', 1)/q,   q = √(1 + h'²),   gap g = (z − h) q,   κ = h''/q³
 *     ∇g = n,   ∂n/∂(x, z) = −κ/(1 − κ g) t tᵀ,   t = (1, h')/q */
#include "element/contact/contact.h"
#include "element/law/table.h"
#include "element/tuning.h"

typedef struct vgPointProfile {
    vgContact contact;
    const vgTable *profile;
    double radius;
} vgPointProfile;

static const vgField fields[] = {
    {"profile", VG_FIELD_TABLE, offsetof(vgPointProfile, profile), "m", NULL, 0, 0,
     "height z over x in the first frame (planar models: y over x); a cubic table keeps the force smooth"},
    {"radius", VG_FIELD_NUMBER, offsetof(vgPointProfile, radius), "m", "0", 0, INFINITY,
     "radius of a ball around the point; the profile should not curve up more sharply than it"},
    VG_CONTACT_FIELDS(vgPointProfile, contact.law),
};

/* side 0: the profile; else its piece on that side of the corner at hand. */
static void eval_on(const vgTable *profile, double x, int side, double h[3])
{
    if (side)
        vg_table_eval_held(profile, x, side, h);
    else
        vg_table_eval(profile, x, h);
}

/* Abscissa of the foot and the profile there. Where Newton leaves the near branch (beyond the centre of
 * curvature) the foot straight below is taken. */
static double foot(const vgTable *profile, double x, double z, int side, double h[3])
{
    double s = x;
    for (int i = 0; i < 25; i++) {
        eval_on(profile, s, side, h);
        double value = s - x + (h[0] - z) * h[1], slope = 1 + h[1] * h[1] + (h[0] - z) * h[2];
        if (slope <= 0) break;
        double step = value / slope;
        s -= step;
        if (fabs(step) <= VG_PROFILE_NEAREST * (1 + fabs(s))) {
            eval_on(profile, s, side, h);
            return s;
        }
    }
    eval_on(profile, x, side, h);
    return x;
}

static void locate(const void *def, const vgRel *rel, int side, vgContactAt *at)
{
    const vgPointProfile *s = def;
    double h[3];
    vgVec3 ex = vg_unit_axis3(0), ez = vg_unit_axis3(s->contact.up);
    double x = rel->y.x, z = vg_dot3(ez, rel->y);
    foot(s->profile, x, z, side, h);
    double q = sqrt(1 + h[1] * h[1]), gap = (z - h[0]) * q, kappa = h[2] / (q * q * q);
    vgVec3 tangent = vg_scale3(vg_axpy3(h[1], ez, ex), 1 / q);
    at->n = vg_scale3(vg_axpy3(-h[1], ex, ez), 1 / q);
    at->dn = vg_mscale3(vg_outer3(tangent, tangent), -kappa / (1 - kappa * gap));
    at->arm = s->radius;
    at->give = 0;
    at->depth = s->radius - gap;
}

/* The corners of the profile under the foot. */
static int switches(const void *def, const vgForceIn *in, double *out)
{
    const vgPointProfile *s = def;
    const vgForceHead *head = &s->contact.head;
    vgRel rel;
    double h[3];
    vg_rel_motion(&head->frame[0], &head->frame[1], in->kin[0], in->kin[1], &rel);
    double z = vg_dot3(vg_unit_axis3(s->contact.up), rel.y);
    out[0] = vg_table_switch(s->profile, foot(s->profile, rel.y.x, z, 0, h));
    return 1;
}

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    ((vgContact *)def)->locate = locate;
    return vg_contact_setup(def, planar, out);
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
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .def_size = sizeof(vgPointProfile),
    .example =
        "track: {contact-point-profile: [ground, sled.runner], profile: hill, stiffness: 1e5, exponent: 1}",
    .setup = setup,
    .look = look,
    .switches = switches,
    VG_CONTACT_CALLS,
};
