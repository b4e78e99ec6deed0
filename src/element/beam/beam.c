#include "element/beam/beam.h"

#include <math.h>
#include <string.h>

#include "element/force/util.h"

static int known_mass(const char *word)
{
    static const char *const words[] = {"consistent", "lumped", "slices", "none"};
    for (int i = 0; i < VG_COUNT(words); i++)
        if (strcmp(word, words[i]) == 0) return 1;
    return 0;
}

vgStatus vg_beam_setup(vgBeam *b, int planar, vgForceSetup *out)
{
    if (!b->mass) b->mass = "consistent";
    b->planar = planar;
    if (!known_mass(b->mass))
        return vg_force_refuse(out, "mass", "is one of consistent, lumped, slices and none");
    if (!isnan(b->length) && !(b->length > 0)) return vg_force_refuse(out, "length", "must be positive");
    vgStatus st = vg_section_make(&b->section, planar, &b->sec, &out->key, &out->why);
    if (st) return st;
    b->coupled = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 3; j < 6; j++) b->coupled |= b->sec.C[6 * i + j] != 0;
    b->inertial = strcmp(b->mass, "none") != 0 && (b->sec.m > 0 || vg_mmax3(b->sec.J) > 0);
    out->nbody = b->narm + 1;
    out->body[0] = b->head.frame[0].body;
    if (b->narm == 2) out->body[1] = b->middle.body;
    out->body[b->narm] = b->head.frame[1].body;
    out->inertial = b->inertial;
    out->velocity = b->inertial || b->damping != 0;
    out->turning = 1;
    return VG_OK;
}

/* The nodes' own frames where they differ from their bodies'. */
static const vgKin *const *node_frames(const vgBeam *b, const vgKin *const *kin,
                                       vgKin store[VG_BEAM_MAX_NODES], const vgKin *at[VG_BEAM_MAX_NODES])
{
    if (!b->attached) return kin;
    for (int a = 0; a <= b->narm; a++) {
        vg_node_motion(kin[a], b->node[a].r, &b->node[a].N, &store[a]);
        at[a] = &store[a];
    }
    return at;
}

static void eval_at_nodes(const vgBeam *b, const vgKin *const *kin, vgVec3 gravity, vgForceOut *out)
{
    if (b->planar)
        vg_beam_internal_planar(b, kin, out);
    else
        vg_beam_internal(b, kin, out);
    if (b->inertial) vg_beam_inertia(b, kin, gravity, out);
}

static void eval_attached(const vgBeam *b, const vgForceIn *in, vgForceOut *out)
{
    enum { N = 6 * VG_BEAM_MAX_NODES };
    const int nn = b->narm + 1, n = 6 * nn;
    double f[N] = {0}, K[N * N], C[N * N], M[N * N];
    vgForceOut part = {.f = f};
    vgKin store[VG_BEAM_MAX_NODES];
    const vgKin *at[VG_BEAM_MAX_NODES];
    vgVec3 r[VG_BEAM_MAX_NODES];
    vgMat3 turn[VG_BEAM_MAX_NODES];
    /* K needs C and M: the node's velocity depends on the body's rotation */
    const int tangents = out->K || out->C || out->M;
    if (tangents) {
        part.K = K, part.C = C, part.M = M;
        memset(K, 0, sizeof(double) * (size_t)(n * n));
        memset(C, 0, sizeof(double) * (size_t)(n * n));
        memset(M, 0, sizeof(double) * (size_t)(n * n));
    }
    for (int a = 0; a < nn; a++) {
        r[a] = b->node[a].r;
        turn[a] = b->node[a].N;
    }
    eval_at_nodes(b, node_frames(b, in->kin, store, at), in->gravity, &part);
    vg_node_pull(nn, in->kin, r, turn, &part, out);
}

void vg_beam_eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    const vgBeam *b = def;
    if (b->attached)
        eval_attached(b, in, out);
    else
        eval_at_nodes(b, in->kin, in->gravity, out);
}

/* n = C ε with ε in triad axes; C is the section's times weight. */
static void resultants(const vgBeamGauss *g, const double e[6], vgVec3 *N, vgVec3 *M)
{
    vgVec3 a = vg_load3(e), k = vg_load3(e + 3);
    *N = vg_add3(vg_mv3(g->Cnn, a), vg_mv3(g->Cnm, k));
    *M = vg_add3(vg_mtv3(g->Cnm, a), vg_mv3(g->Cmm, k));
}

double vg_beam_energy(const void *def, const vgForceIn *in)
{
    const vgBeam *b = def;
    vgKin store[VG_BEAM_MAX_NODES];
    const vgKin *at[VG_BEAM_MAX_NODES];
    const vgKin *const *kin = node_frames(b, in->kin, store, at);
    double U = 0;
    for (int i = 0; i < b->narm; i++) {
        double e[6];
        vgVec3 N, M;
        vg_beam_strain(b, kin, i, e, NULL);
        resultants(&b->gauss[i], e, &N, &M);
        U += 0.5 * (vg_dot3(N, vg_load3(e)) + vg_dot3(M, vg_load3(e + 3)));
    }
    return U + (b->inertial ? vg_beam_inertia_weight(b, kin, in->gravity) : 0);
}

double vg_beam_kinetic(const void *def, const vgForceIn *in)
{
    const vgBeam *b = def;
    vgKin store[VG_BEAM_MAX_NODES];
    const vgKin *at[VG_BEAM_MAX_NODES];
    return b->inertial ? vg_beam_inertia_kinetic(b, node_frames(b, in->kin, store, at)) : 0;
}

void vg_beam_stress(const vgBeam *b, const vgForceIn *in, int point, double stress[6])
{
    const vgBeamGauss *g = &b->gauss[point];
    vgKin store[VG_BEAM_MAX_NODES];
    const vgKin *at[VG_BEAM_MAX_NODES];
    double e[6], rate[6];
    vgVec3 N, M;
    vg_beam_strain(b, node_frames(b, in->kin, store, at), point, e, rate);
    for (int i = 0; i < 6; i++) e[i] += b->damping * rate[i];
    resultants(g, e, &N, &M);
    vg_store3(vg_scale3(vg_mtv3(g->Q, N), 1 / g->weight), stress);
    vg_store3(vg_scale3(vg_mtv3(g->Q, M), 1 / g->weight), stress + 3);
}

#define BEAM_FIELDS                                                                                          \
    {"orientation",                                                                                          \
     VG_FIELD_VEC3,                                                                                          \
     offsetof(vgBeam, orientation),                                                                          \
     "",                                                                                                     \
     "",                                                                                                     \
     0,                                                                                                      \
     0,                                                                                                      \
     "direction of the section's y axis in the axes of the nodes; absent: their own y axis, or z for a "     \
     "beam along y. In a plane y is always in it"},                                                          \
        {"length",                                                                                           \
         VG_FIELD_NUMBER,                                                                                    \
         offsetof(vgBeam, length),                                                                           \
         "m",                                                                                                \
         "",                                                                                                 \
         0,                                                                                                  \
         1e12,                                                                                               \
         "stress-free length; absent: that of the initial placement"},                                       \
        {"curvature",                                                                                        \
         VG_FIELD_VEC3,                                                                                      \
         offsetof(vgBeam, curvature),                                                                        \
         "1/m",                                                                                              \
         "",                                                                                                 \
         0,                                                                                                  \
         0,                                                                                                  \
         "stress-free [twist, curvature about y, about z] in section axes; absent: that of the initial "     \
         "placement"},                                                                                       \
        {"damping",                                                                                          \
         VG_FIELD_NUMBER,                                                                                    \
         offsetof(vgBeam, damping),                                                                          \
         "s",                                                                                                \
         "0",                                                                                                \
         0,                                                                                                  \
         1e12,                                                                                               \
         "viscous stress by elastic stress and strain rate: stress = C (strain + damping rate)"},            \
        {"mass",                                                                                             \
         VG_FIELD_STRING,                                                                                    \
         offsetof(vgBeam, mass),                                                                             \
         "",                                                                                                 \
         "consistent",                                                                                       \
         0,                                                                                                  \
         0,                                                                                                  \
         "how the beam's inertia is distributed to its nodes: consistent, lumped (Lobatto weights), slices " \
         "(rigid "                                                                                           \
         "pieces with their own length) or none (the nodes' bodies carry it)"},                              \
        VG_SECTION_FIELDS(vgBeam)

static const vgField fields2[] = {BEAM_FIELDS};
static const vgField fields3[] = {
    {"middle", VG_FIELD_FRAME, offsetof(vgBeam, middle), "", NULL, 0, 0, "the node between the two ends"},
    BEAM_FIELDS};

static vgStatus setup2(void *def, int planar, vgForceSetup *out)
{
    ((vgBeam *)def)->narm = 1;
    return vg_beam_setup(def, planar, out);
}

static vgStatus setup3(void *def, int planar, vgForceSetup *out)
{
    ((vgBeam *)def)->narm = 2;
    return vg_beam_setup(def, planar, out);
}

static double strain_energy(const void *def, const vgForceIn *in)
{
    vgForceIn weightless = *in;
    weightless.gravity = vg_zero3();
    return vg_beam_energy(def, &weightless);
}

static const char *const outputs[] = {"axial",         "shear-y",       "shear-z",        "torsion",
                                      "moment-y",      "moment-z",      "axial-start",    "shear-y-start",
                                      "shear-z-start", "torsion-start", "moment-y-start", "moment-z-start",
                                      "axial-end",     "shear-y-end",   "shear-z-end",    "torsion-end",
                                      "moment-y-end",  "moment-z-end",  "strain-energy",  NULL};

/* Force and moment of the element on an end node, weight and inertia included, in section axes: by virtual work
 * the stress resultants there, in equilibrium with the loads and reactions at the node (docs/theory.md, eq. 89a). */
static void end_resultants(const vgBeam *b, const vgKin *k, const double *f, int end, double *values)
{
    const vgMat3 *Q = &b->gauss[end ? b->narm - 1 : 0].Q;
    const double sign = end ? -1 : 1;
    vg_store3(vg_scale3(vg_mtv3(*Q, vg_mtv3(k->R, vg_load3(f))), sign), values);
    vg_store3(vg_scale3(vg_mtv3(*Q, vg_load3(f + 3)), sign), values + 3);
}

static void output(const void *def, const vgForceIn *in, double *values)
{
    const vgBeam *b = def;
    vgKin store[VG_BEAM_MAX_NODES];
    const vgKin *at[VG_BEAM_MAX_NODES];
    const vgKin *const *kin = node_frames(b, in->kin, store, at);
    double f[6 * VG_BEAM_MAX_NODES] = {0}, p[6], *start = values + 6, *end = values + 12;
    eval_at_nodes(b, kin, in->gravity, &(vgForceOut){.f = f});
    end_resultants(b, kin[0], f, 0, start);
    end_resultants(b, kin[b->narm], f + 6 * b->narm, 1, end);
    for (int i = 0; i < 6; i++) values[i] = 0;
    for (int g = 0; g < b->narm; g++) {
        vg_beam_stress(b, in, g, p);
        for (int i = 0; i < 6; i++) values[i] += p[i] / b->narm;
    }
    /* the middle of the parabola with these ends and this mean at ξ² = 1/3 */
    for (int i = 0; i < 6 && b->narm == 2; i++) values[i] = 1.5 * values[i] - 0.25 * (start[i] + end[i]);
    values[18] = strain_energy(def, in);
}

const vgForceKind vg_force_beam = {
    .name = "beam",
    .doc = "Geometrically exact beam between two nodes, which are bodies: shear-deformable, large rotations "
           "and strains, one integration point, second order in the mesh. Outputs at its middle in section "
           "axes (x along the beam): axial, shear-y, shear-z, torsion, moment-y, moment-z; with -start and "
           "-end at its ends, where they are in equilibrium with what acts on the node; strain-energy.",
    .planar = 1,
    .head = VG_HEAD_FRAMES,
    .fields = fields2,
    .nfield = VG_COUNT(fields2),
    .def_size = sizeof(vgBeam),
    .example = "b1: {beam: [n0, n1], circle: 0.01, E: 210e9, rho: 7850}",
    .setup = setup2,
    .place = vg_beam_place,
    .eval = vg_beam_eval,
    .energy = vg_beam_energy,
    .kinetic = vg_beam_kinetic,
    .outputs = outputs,
    .output = output,
    .look = vg_beam_look,
    .lanes = &vg_beam_lane_ops,
};

const vgForceKind vg_force_beam3 = {
    .name = "beam3",
    .doc = "Geometrically exact beam with a middle node: two integration points, fourth order in the mesh at "
           "the nodes. Outputs as for beam.",
    .planar = 1,
    .head = VG_HEAD_FRAMES,
    .fields = fields3,
    .nfield = VG_COUNT(fields3),
    .def_size = sizeof(vgBeam),
    .example = "b1: {beam3: [n0, n2], middle: n1, tube: [0.05, 0.045], E: 210e9, nu: 0.3, rho: 7800}",
    .setup = setup3,
    .place = vg_beam_place,
    .eval = vg_beam_eval,
    .energy = vg_beam_energy,
    .kinetic = vg_beam_kinetic,
    .outputs = outputs,
    .output = output,
    .look = vg_beam_look,
    .lanes = &vg_beam_lane_ops,
};
