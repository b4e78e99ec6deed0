/* Cable between two points: axial force only, so its ends may be point masses.
 *
 *     l = |P_B − P_A|,  x = l/L − 1 + β l̇/L,   tension T = k x,   k = EA, where x < 0 EA times `compression`
 *
 * which is continuous and takes energy away whatever the rate: a rope that goes slack does not push. Force on
 * B: −T n, its tangents as for a spring; inertia m L/6 [2 1; 1 2] (lumped: m L/2 each), weight with it. */
#include <math.h>
#include <string.h>

#include "element/beam/beam.h"
#include "element/force/util.h"
#include "element/tuning.h"

typedef struct vgCable {
    vgForceHead head;
    vgSectionDef section;
    double length, damping, compression;
    const char *mass;
    /* completed by setup and place */
    double EA, m;
    int inertial, lumped, attached;
} vgCable;

static const vgField fields[] = {
    {"length", VG_FIELD_NUMBER, offsetof(vgCable, length), "m", "", 0, 1e12,
     "stress-free length; absent: that of the initial placement"},
    {"damping", VG_FIELD_NUMBER, offsetof(vgCable, damping), "s", "0", 0, 1e12,
     "viscous tension: EA times damping times strain rate; with compression: 0 it never pushes"},
    {"compression", VG_FIELD_NUMBER, offsetof(vgCable, compression), "", "1", 0, 1,
     "stiffness in compression as a share of that in tension; 0: the cable goes slack"},
    {"mass", VG_FIELD_NAME, offsetof(vgCable, mass), "", "consistent", 0, 0,
     "how the cable's mass is lumped to its ends: consistent, lumped or none (the bodies carry it)"},
    VG_SECTION_CABLE_FIELDS(vgCable)};

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    vgCable *c = def;
    (void)planar;
    if (!c->mass) c->mass = "consistent";
    c->lumped = strcmp(c->mass, "lumped") == 0;
    int none = strcmp(c->mass, "none") == 0;
    if (!c->lumped && !none && strcmp(c->mass, "consistent") != 0)
        return vg_force_refuse(out, "mass", "is one of consistent, lumped and none");
    if (!isnan(c->length) && !(c->length > 0)) return vg_force_refuse(out, "length", "must be positive");
    vgStatus st = vg_section_make_cable(&c->section, &c->EA, &c->m, &out->key, &out->why);
    if (st) return st;
    c->inertial = c->m > 0 && !none;
    c->attached = vg_norm3(c->head.frame[0].r) > 0 || vg_norm3(c->head.frame[1].r) > 0;
    out->nbody = 2;
    out->body[0] = c->head.frame[0].body;
    out->body[1] = c->head.frame[1].body;
    out->inertial = c->inertial;
    out->velocity = c->damping != 0 || (c->inertial && c->attached);
    return VG_OK;
}

/* What the two ends do to each other. */
typedef struct Line {
    vgVec3 n, u; /* direction (zero where the ends meet), relative velocity */
    double l, rate, T, k;
} Line;

/* strain and damped strain rate: where it changes its sign the stiffness does */
static double pull_of(const vgCable *c, const Line *s)
{
    return (s->l - c->length) / c->length + c->damping * s->rate / c->length;
}

/* side: the sign of the pull where it is held, 0: as it is */
static Line line(const vgCable *c, const vgKin *a, const vgKin *b, int side)
{
    Line s = {.u = vg_sub3(b->v, a->v)};
    vgVec3 d = vg_sub3(b->p, a->p);
    s.l = vg_norm3(d);
    if (s.l > VG_CABLE_NO_LINE * c->length) s.n = vg_scale3(d, 1 / s.l);
    s.rate = vg_dot3(s.n, s.u);
    double x = pull_of(c, &s);
    s.k = (side ? side < 0 : x < 0) ? c->EA * c->compression : c->EA;
    s.T = s.k * x;
    return s;
}

static void ends(const vgCable *c, const vgForceIn *in, vgKin at[2])
{
    const vgMat3 eye = vg_eye3();
    for (int i = 0; i < 2; i++) {
        if (c->attached)
            vg_node_motion(in->kin[i], c->head.frame[i].r, &eye, &at[i]);
        else
            at[i] = *in->kin[i];
    }
}

static const char *place(void *def, const vgForceIn *in)
{
    vgCable *c = def;
    vgKin at[2];
    ends(c, in, at);
    if (isnan(c->length)) c->length = vg_norm3(vg_sub3(at[1].p, at[0].p));
    return c->length > 0 ? NULL : "its ends are at one place: move them, or give a length";
}

/* A += s B on the block of forces (a, b) of a 12×12 matrix. */
static void put(double *A, int a, int b, double s, const vgMat3 *B)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A[(6 * a + i) * 12 + 6 * b + j] += s * B->m[i][j];
}

static void put_pair(double *A, const vgMat3 *B)
{
    put(A, 0, 0, 1, B);
    put(A, 0, 1, -1, B);
    put(A, 1, 0, -1, B);
    put(A, 1, 1, 1, B);
}

static void mass_of(const vgCable *c, double m[2])
{
    m[0] = c->m * c->length * (c->lumped ? 1. / 2 : 1. / 3);
    m[1] = c->m * c->length * (c->lumped ? 0 : 1. / 6);
}

static void eval_at(const vgCable *c, const vgForceIn *in, const vgKin *a, const vgKin *b, vgForceOut *out)
{
    Line s = line(c, a, b, in->held ? in->held[0] : 0);
    double m[2], n[3], acc[2][3];
    vg_store3(s.n, n);
    for (int i = 0; i < 3; i++) {
        out->f[i] += s.T * n[i];
        out->f[6 + i] -= s.T * n[i];
    }
    vgMat3 nn = vg_outer3(s.n, s.n);
    if (out->K && vg_dot3(s.n, s.n) > 0) {
        vgVec3 Pu = vg_axpy3(-s.rate, s.n, s.u);
        vgMat3 D = vg_mscale3(vg_msub3(vg_eye3(), nn), -s.T / s.l);
        D = vg_maxpy3(-s.k / c->length, nn, D);
        D = vg_maxpy3(-s.k * c->damping / (c->length * s.l), vg_outer3(s.n, Pu), D);
        put_pair(out->K, &D);
    }
    if (out->C && c->damping != 0) {
        vgMat3 D = vg_mscale3(nn, -s.k * c->damping / c->length);
        put_pair(out->C, &D);
    }
    if (!c->inertial) return;
    mass_of(c, m);
    vg_store3(vg_sub3(a->dv, in->gravity), acc[0]);
    vg_store3(vg_sub3(b->dv, in->gravity), acc[1]);
    for (int e = 0; e < 2; e++)
        for (int i = 0; i < 3; i++) {
            out->f[6 * e + i] -= m[0] * acc[e][i] + m[1] * acc[1 - e][i];
            if (!out->M) continue;
            out->M[(6 * e + i) * 12 + 6 * e + i] += m[0];
            out->M[(6 * e + i) * 12 + 6 * (1 - e) + i] += m[1];
        }
}

static void eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    const vgCable *c = def;
    if (!c->attached) {
        eval_at(c, in, in->kin[0], in->kin[1], out);
        return;
    }
    vgKin at[2];
    double f[12] = {0}, K[144] = {0}, C[144] = {0}, M[144] = {0};
    vgForceOut part = {.f = f};
    if (out->K || out->C || out->M) part.K = K, part.C = C, part.M = M;
    ends(c, in, at);
    eval_at(c, in, &at[0], &at[1], &part);
    vgVec3 r[2] = {c->head.frame[0].r, c->head.frame[1].r};
    vgMat3 eye[2] = {vg_eye3(), vg_eye3()};
    vg_node_pull(2, in->kin, r, eye, &part, out);
}

static double energy(const void *def, const vgForceIn *in)
{
    const vgCable *c = def;
    vgKin at[2];
    ends(c, in, at);
    double e = (vg_norm3(vg_sub3(at[1].p, at[0].p)) - c->length) / c->length;
    double V = 0.5 * (e < 0 ? c->compression : 1) * c->EA * e * e * c->length;
    if (c->inertial) V -= 0.5 * c->m * c->length * vg_dot3(in->gravity, vg_add3(at[0].p, at[1].p));
    return V;
}

static double kinetic(const void *def, const vgForceIn *in)
{
    const vgCable *c = def;
    vgKin at[2];
    double m[2];
    if (!c->inertial) return 0;
    ends(c, in, at);
    mass_of(c, m);
    return 0.5 * m[0] * (vg_dot3(at[0].v, at[0].v) + vg_dot3(at[1].v, at[1].v)) +
           m[1] * vg_dot3(at[0].v, at[1].v);
}

/* Where it goes slack and taut again. */
static int switches(const void *def, const vgForceIn *in, double *out)
{
    const vgCable *c = def;
    vgKin at[2];
    if (c->compression == 1) return 0;
    ends(c, in, at);
    Line s = line(c, &at[0], &at[1], 0);
    out[0] = pull_of(c, &s);
    return 1;
}

static const char *const outputs[] = {"force", "length", "rate", NULL};

static void output(const void *def, const vgForceIn *in, double *values)
{
    const vgCable *c = def;
    vgKin at[2];
    ends(c, in, at);
    Line s = line(c, &at[0], &at[1], in->held ? in->held[0] : 0);
    values[0] = s.T;
    values[1] = s.l;
    values[2] = s.rate;
}

static void look(const void *def, vgForceLook *out)
{
    const vgCable *c = def;
    out->nnode = 2;
    out->node[0] = c->head.frame[0], out->node[1] = c->head.frame[1];
    vg_section_look(&c->section, NULL, out);
    out->round = 1;
}

const vgForceKind vg_force_cable = {
    .name = "cable",
    .doc = "Piece of cable or rope between two points: axial force, mass and weight, no bending, shear or "
           "torsion. Its ends may be point masses. Outputs: force (tension), length, rate.",
    .planar = 1,
    .head = VG_HEAD_FRAMES,
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .def_size = sizeof(vgCable),
    .example = "rope1: {cable: [n0, n1], EA: 1e5, m: 0.2, damping: 1e-3, compression: 0}",
    .setup = setup,
    .place = place,
    .eval = eval,
    .switches = switches,
    .energy = energy,
    .kinetic = kinetic,
    .outputs = outputs,
    .output = output,
    .look = look,
};
