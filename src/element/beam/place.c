/* The stress-free shape of a beam from its nodes at the initial placement, and all constants that follow. */
#include "element/beam/beam.h"

#include "math/so3.h"
#include "element/tuning.h"

#include <math.h>
#include <string.h>

void vg_beam_shapes(int nn, double xi, double N[3], double dN[3])
{
    if (nn == 2) {
        N[0] = 0.5 * (1 - xi), N[1] = 0.5 * (1 + xi);
        dN[0] = -0.5, dN[1] = 0.5;
    } else {
        N[0] = 0.5 * xi * (xi - 1), N[1] = 1 - xi * xi, N[2] = 0.5 * xi * (xi + 1);
        dN[0] = xi - 0.5, dN[1] = -2 * xi, dN[2] = xi + 0.5;
    }
}

typedef struct Shape {
    int nn;
    vgVec3 x[VG_BEAM_MAX_NODES];
    vgMat3 F[VG_BEAM_MAX_NODES]; /* triads */
    vgVec3 hint;                 /* section's y axis in triad axes, roughly */
} Shape;

static vgVec3 slope(const Shape *s, double xi)
{
    double N[3], dN[3];
    vgVec3 t = vg_zero3();
    vg_beam_shapes(s->nn, xi, N, dN);
    for (int a = 0; a < s->nn; a++) t = vg_axpy3(dN[a], s->x[a], t);
    return t;
}

/* Axes with x along t and y as near to `hint` as that allows. */
static vgMat3 axes_along(vgVec3 t, vgVec3 hint)
{
    vgVec3 x = vg_unit3(t), y = vg_axpy3(-vg_dot3(hint, x), x, hint);
    y = vg_norm3(y) > VG_HINT_ACROSS ? vg_unit3(y) : vg_perp3(x);
    return vg_cols3(x, y, vg_cross3(x, y));
}

/* The interpolated triad at xi and its curvature by xi. */
static vgMat3 triad(const vgBeam *b, const vgMat3 *F, double xi, vgVec3 *kappa)
{
    double N[3], dN[3];
    vgVec3 p = vg_zero3(), dp = vg_zero3();
    const vgMat3 *Fr = &F[vg_beam_reference(b)];
    vg_beam_shapes(b->narm + 1, xi, N, dN);
    for (int a = 0; a < b->narm; a++) {
        int i = vg_beam_arm(b, a);
        vgVec3 pa = vg_so3_log(vg_mtm3(*Fr, F[i]));
        p = vg_axpy3(N[i], pa, p);
        dp = vg_axpy3(dN[i], pa, dp);
    }
    *kappa = vg_mv3(vg_so3_dexp(p), dp);
    return vg_mm3(*Fr, vg_so3_exp(p));
}

/* Node a's place among the Lagrange points. */
static double node_xi(int nn, int a)
{
    return 2.0 * a / (nn - 1) - 1;
}

/* Direction of the section's y axis: as given, else the triad's own y, or z for a beam along y. Triads that differ
 * by large rotations cannot be interpolated; they are replaced by the section's own axes at each node. */
static void choose_triads(vgBeam *b, const vgKin *const *kin, Shape *s)
{
    const vgMat3 F0 = s->F[0];
    vgVec3 t0 = vg_unit3(vg_mtv3(F0, vg_sub3(s->x[s->nn - 1], s->x[0])));
    if (b->planar)
        s->hint = vg_cross3(vg_v3(0, 0, 1), t0);
    else if (!isnan(b->orientation[0]))
        s->hint = vg_load3(b->orientation);
    else
        s->hint = fabs(t0.y) > VG_HINT_STEEP ? vg_v3(0, 0, 1) : vg_v3(0, 1, 0);
    double far = 0;
    for (int a = 1; a < s->nn; a++) far = fmax(far, vg_norm3(vg_so3_log(vg_mtm3(s->F[a - 1], s->F[a]))));
    if (far < VG_FRAMES_APART) return;
    vgVec3 up = vg_mv3(F0, s->hint);
    for (int a = 0; a < s->nn; a++) {
        s->F[a] = axes_along(slope(s, node_xi(s->nn, a)), up);
        b->node[a].N = vg_mtm3(kin[a]->R, s->F[a]);
    }
    s->hint = vg_v3(0, 1, 0);
}

static vgMat3 block(const double C[36], int i, int j)
{
    vgMat3 A;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) A.m[r][c] = C[6 * (i + r) + j + c];
    return A;
}

/* w Q A Qᵀ */
static vgMat3 turned(vgMat3 Q, vgMat3 A, double w)
{
    return vg_mscale3(vg_mm3(Q, vg_mmt3(A, Q)), w);
}

/* scale: given length by placed length. */
static void place_gauss(vgBeam *b, const Shape *s, const vgMat3 *sections, double scale)
{
    for (int i = 0; i < b->narm; i++) {
        vgBeamGauss *g = &b->gauss[i];
        double xi = b->narm == 1 ? 0 : (2 * i - 1) / sqrt(3.0), w = b->narm == 1 ? 2 : 1, N[3], dN[3];
        vgVec3 t = slope(s, xi), kappa;
        double metric = vg_norm3(t) * scale;
        vg_beam_shapes(s->nn, xi, N, dN);
        vgMat3 F = triad(b, s->F, xi, &kappa);
        g->Q = vg_mtm3(F, axes_along(t, vg_mv3(F, s->hint)));
        g->weight = w * metric;
        for (int a = 0; a < b->narm; a++) {
            g->N[a] = N[vg_beam_arm(b, a)];
            g->dN[a] = dN[vg_beam_arm(b, a)] / metric;
        }
        g->gamma0 = vg_col3(g->Q, 0);
        g->kappa0 = vg_scale3(kappa, 1 / metric);
        if (!isnan(b->curvature[0])) { /* given against the placed curvature of the section's axes */
            vgVec3 placed;
            triad(b, sections, xi, &placed);
            vgVec3 more = vg_sub3(vg_load3(b->curvature), vg_scale3(placed, 1 / metric));
            g->kappa0 = vg_add3(g->kappa0, vg_mv3(g->Q, more));
        }
        g->Cnn = turned(g->Q, block(b->sec.C, 0, 0), g->weight);
        g->Cnm = turned(g->Q, block(b->sec.C, 0, 3), g->weight);
        g->Cmm = turned(g->Q, block(b->sec.C, 3, 3), g->weight);
    }
}

/* Rigid slices: an end node carries the quarter (of two nodes: the half) of the element next to it, the
 * middle node the half around it. Slices of neighbours that share a node add up to one whole slice. */
static void place_slices(vgBeam *b, const vgMat3 *Q, double length)
{
    const int nn = b->narm + 1;
    for (int a = 0; a < nn; a++) {
        vgBeamNode *d = &b->node[a];
        double l = length * (nn == 2 ? 0.5 : a == 1 ? 0.5 : 0.25), m = b->sec.m * l;
        double c = a == 0 ? l / 2 : a == nn - 1 ? -l / 2 : 0; /* its middle, along the beam */
        double J = m * (l * l / 12 + c * c);
        vgVec3 S = vg_add3(vg_scale3(b->sec.S, l), vg_v3(m * c, 0, 0));
        vgMat3 I = vg_madd3(vg_mscale3(b->sec.J, l), vg_diag3(0, J, J));
        /* products of inertia between the offset along and the mass centre across */
        vgVec3 e = vg_scale3(b->sec.S, l * c);
        I.m[0][1] -= e.y, I.m[1][0] -= e.y, I.m[0][2] -= e.z, I.m[2][0] -= e.z;
        b->M[a * nn + a] = m;
        d->S = vg_mv3(Q[a], S);
        d->J = turned(Q[a], I, 1);
    }
}

static void place_mass(vgBeam *b, const Shape *s, const vgMat3 *sections, double scale)
{
    static const double x4[4] = {-0.8611363115940526, -0.3399810435848563, 0.3399810435848563,
                                 0.8611363115940526};
    static const double w4[4] = {0.3478548451374538, 0.6521451548625461, 0.6521451548625461,
                                 0.3478548451374538};
    const int nn = s->nn, lumped = strcmp(b->mass, "lumped") == 0;
    vgMat3 Q[VG_BEAM_MAX_NODES];
    double share[VG_BEAM_MAX_NODES] = {0}, length = 0;
    for (int i = 0; i < nn * nn; i++) b->M[i] = 0;
    for (int a = 0; a < nn; a++) Q[a] = vg_mtm3(s->F[a], sections[a]);
    for (int i = 0; i < 4; i++) {
        double N[3], dN[3], w = w4[i] * vg_norm3(slope(s, x4[i])) * scale;
        vg_beam_shapes(nn, x4[i], N, dN);
        length += w;
        for (int a = 0; a < nn; a++) {
            share[a] += w * N[a];
            for (int c = 0; c < nn && !lumped; c++) b->M[a * nn + c] += b->sec.m * w * N[a] * N[c];
        }
    }
    if (strcmp(b->mass, "slices") == 0) {
        for (int i = 0; i < nn * nn; i++) b->M[i] = 0;
        place_slices(b, Q, length);
        return;
    }
    for (int a = 0; a < nn; a++) {
        if (lumped) b->M[a * nn + a] = b->sec.m * share[a];
        b->node[a].S = vg_scale3(vg_mv3(Q[a], b->sec.S), share[a]);
        b->node[a].J = turned(Q[a], b->sec.J, share[a]);
    }
}

static double placed_length(const Shape *s)
{
    double h = sqrt(0.6);
    return (5 * vg_norm3(slope(s, -h)) + 8 * vg_norm3(slope(s, 0)) + 5 * vg_norm3(slope(s, h))) / 9;
}

/* Rejects geometries that are no beam: the map from −1 … 1 to the line must be monotonic (the middle node between
 * a quarter and three quarters of a straight one). */
static const char *misplaced(const Shape *s)
{
    const vgVec3 along = vg_sub3(s->x[s->nn - 1], s->x[0]);
    if (!(vg_norm3(along) > 0)) return "its ends are at one place";
    for (int end = -1; end <= 1; end += 2)
        if (s->nn == 3 && !(vg_dot3(slope(s, end), slope(s, 0)) > 0))
            return "its middle node is not between its ends: the order is beam3: [start, end], middle: node";
    return NULL;
}

const char *vg_beam_place(void *def, const vgForceIn *in)
{
    vgBeam *b = def;
    const int nn = b->narm + 1;
    Shape s = {.nn = nn};
    vgMat3 sections[VG_BEAM_MAX_NODES];
    for (int a = 0; a < nn; a++) {
        const vgFrame *f = a == 0 ? &b->head.frame[0] : a == nn - 1 ? &b->head.frame[1] : &b->middle;
        b->node[a] = (vgBeamNode){.r = f->r, .N = f->R};
        s.x[a] = vg_kin_point(in->kin[a], f->r);
        s.F[a] = vg_mm3(in->kin[a]->R, f->R);
    }
    const char *wrong = misplaced(&s);
    if (wrong) return wrong;
    choose_triads(b, in->kin, &s);
    for (int a = 0; a < nn; a++) sections[a] = axes_along(slope(&s, node_xi(nn, a)), vg_mv3(s.F[a], s.hint));
    double scale = isnan(b->length) ? 1 : b->length / placed_length(&s);
    place_gauss(b, &s, sections, scale);
    if (b->inertial) place_mass(b, &s, sections, scale);
    b->attached = b->spinning = 0;
    for (int a = 0; a < nn; a++) {
        const vgBeamNode *d = &b->node[a];
        b->attached |= vg_norm3(d->r) > 0 || vg_mmax3(vg_msub3(d->N, vg_eye3())) > 0;
        b->spinning |= vg_norm3(d->S) > 0 || vg_mmax3(d->J) > 0;
    }
    return NULL;
}
