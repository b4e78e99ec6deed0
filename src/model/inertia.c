/* Inertia tensors: the forms in which they are given, and whether a rigid body can have them. */
#include <math.h>
#include <string.h>

#include "model/read/reader.h"
#include "model/tuning.h"

typedef struct inertiaSpec {
    vgNode *moments, *products, *matrix;
    const char *about;
    int measured;
} inertiaSpec;

static const vgField inertia_fields[] = {
    {"moments", VG_FIELD_LIST, offsetof(inertiaSpec, moments), "kg*m^2", "", 0, 0,
     "[xx, yy, zz]; planar: one number."},
    {"products", VG_FIELD_LIST, offsetof(inertiaSpec, products), "kg*m^2", "", 0, 0,
     "[xy, xz, yz], the entries of the matrix (minus the integral of x y dm, …)."},
    {"matrix", VG_FIELD_LIST, offsetof(inertiaSpec, matrix), "kg*m^2", "", 0, 0,
     "Three rows, instead of moments."},
    {"about", VG_FIELD_NAME, offsetof(inertiaSpec, about), "", "com", 0, 0,
     "The point: com, or origin (of the body's frame)."},
    {"measured", VG_FIELD_BOOL, offsetof(inertiaSpec, measured), "", "false", 0, 0,
     "Identified from measurements: taken as it is, even if no rigid body can have it."},
};
const vgFormatTable vg_format_inertia = {"Inertia", "`inertia:` as a map, in body axes.",
                                         "inertia: {moments: [15.2, 0.5, 15.2], about: origin}",
                                         inertia_fields, sizeof inertia_fields / sizeof *inertia_fields};

/* A body of mass elements has principal moments that are positive and of which none exceeds the sum of the
 * other two. Principal moments of the symmetric matrix by Jacobi rotations. */
static void principal(const vgMat3 *inertia, double out[3])
{
    double a[3][3];
    memcpy(a, inertia->m, sizeof a);
    for (int sweep = 0; sweep < 30; sweep++) {
        double off = fabs(a[0][1]) + fabs(a[0][2]) + fabs(a[1][2]);
        if (!(off > VG_JACOBI_LEFT)) break;
        for (int p = 0; p < 2; p++) {
            for (int q = p + 1; q < 3; q++) {
                if (a[p][q] == 0) continue;
                double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
                double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < 3; k++) {
                    double x = a[k][p], y = a[k][q];
                    a[k][p] = c * x - s * y, a[k][q] = s * x + c * y;
                }
                for (int k = 0; k < 3; k++) {
                    double x = a[p][k], y = a[q][k];
                    a[p][k] = c * x - s * y, a[q][k] = s * x + c * y;
                }
            }
        }
    }
    for (int k = 0; k < 3; k++) out[k] = a[k][k];
}

int vg_read_check_inertia(vgReader *r, const vgNode *at, const char *name, const vgMat3 *inertia,
                          int measured)
{
    double p[3];
    if (r->m->planar) {
        if (inertia->m[2][2] > 0) return 1;
        vg_diag_error(
            r->diag, at->loc,
            "the inertia of body '%s' must be positive, got %g; a mass without inertia is point: true", name,
            inertia->m[2][2]);
        return 0;
    }
    if (measured == VG_INERTIA_ANY) return 1;
    principal(inertia, p);
    double most = fmax(fmax(p[0], p[1]), p[2]), least = fmin(fmin(p[0], p[1]), p[2]),
           sum = p[0] + p[1] + p[2];
    if (!(least > VG_GIVEN_DEFINITE * most)) {
        vg_diag_error(r->diag, at->loc,
                      "the inertia of body '%s' is not positive definite (principal moments %g, %g, %g); "
                      "give a thin rod a small moment about its axis, or use point: true",
                      name, p[0], p[1], p[2]);
        return 0;
    }
    if (most > (sum - most) * (1 + VG_GIVEN_TRIANGLE) && !measured) {
        vg_diag_error(r->diag, at->loc,
                      "the inertia of body '%s' violates the triangle inequality: no principal moment may "
                      "exceed the sum of the other two (%g, %g, %g). If they are measured and that is their "
                      "error, say measured: true beside them",
                      name, p[0], p[1], p[2]);
        return 0;
    }
    return 1;
}

static int rows(vgReader *r, vgNode *node, vgMat3 *out)
{
    double m[9];
    if (!vg_read_matrix(r, node, m)) return 0;
    *out = vg_m3(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]);
    return 1;
}

static int from_map(vgReader *r, vgNode *node, vgMat3 *out, int *origin, int *measured)
{
    inertiaSpec s = {0};
    double d[3] = {0, 0, 0}, o[3] = {0, 0, 0};
    if (!vg_read_fields(r, node, inertia_fields, sizeof inertia_fields / sizeof *inertia_fields, &s, NULL,
                        "inertia"))
        return 0;
    *measured = s.measured ? VG_INERTIA_ANY : 0;
    *origin = strcmp(s.about, "origin") == 0;
    if (!*origin && strcmp(s.about, "com") != 0) {
        vg_diag_error(r->diag, vg_node_get(node, "about")->loc, "expected com or origin, got '%.60s'",
                      s.about);
        return 0;
    }
    if ((s.moments != NULL) == (s.matrix != NULL) || (s.matrix && s.products)) {
        vg_diag_error(r->diag, node->loc, "expected moments (and products), or matrix");
        return 0;
    }
    if (s.matrix) return rows(r, s.matrix, out);
    if (r->m->planar ? !vg_read_number(r, s.moments, &d[2]) : !vg_read_list(r, s.moments, 3, d)) return 0;
    if (s.products && !vg_read_list(r, s.products, 3, o)) return 0;
    *out = vg_m3(d[0], o[0], o[1], o[0], d[1], o[2], o[1], o[2], d[2]);
    return 1;
}

int vg_read_inertia(vgReader *r, vgNode *node, const char *name, double mass, vgVec3 com, vgMat3 *out)
{
    double v[6] = {0};
    int origin = 0, measured = 0;
    *out = vg_mzero3();
    if (node->kind == VG_NODE_MAP) {
        if (!from_map(r, node, out, &origin, &measured)) return 0;
    } else if (r->m->planar) {
        if (!vg_read_number(r, node, &out->m[2][2])) return 0;
    } else if (node->kind == VG_NODE_LIST && node->n == 6) {
        if (!vg_read_list(r, node, 6, v)) return 0;
        *out = vg_m3(v[0], v[3], v[4], v[3], v[1], v[5], v[4], v[5], v[2]);
    } else if (node->kind == VG_NODE_LIST && node->n == 3 && node->item[0]->kind == VG_NODE_LIST) {
        if (!rows(r, node, out)) return 0;
    } else if (node->kind == VG_NODE_SCALAR) {
        vg_diag_error(r->diag, node->loc,
                      "one number is the inertia of a planar body; in space it is [xx, yy, zz], of a ball "
                      "three times the same");
        return 0;
    } else {
        if (!vg_read_list(r, node, 3, v)) return 0;
        *out = vg_diag3(v[0], v[1], v[2]);
    }
    double big = fabs(out->m[0][0]) + fabs(out->m[1][1]) + fabs(out->m[2][2]);
    for (int i = 0; i < 2; i++) {
        for (int j = i + 1; j < 3; j++) {
            if (fabs(out->m[i][j] - out->m[j][i]) <= VG_GIVEN_SYMMETRIC * big) continue;
            vg_diag_error(r->diag, node->loc, "the inertia of body '%s' is not symmetric", name);
            return 0;
        }
    }
    if (origin) { /* Steiner: from the origin of the body's frame to the centre of mass */
        vgMat3 shift = vg_msub3(vg_mscale3(vg_eye3(), vg_dot3(com, com)), vg_outer3(com, com));
        *out = vg_msub3(*out, vg_mscale3(shift, mass));
    }
    return vg_read_check_inertia(r, node, name, out, measured);
}
