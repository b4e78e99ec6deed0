/* Natural coordinates: the nodes of every body and the weights by which they make its frame. */
#include <math.h>
#include <string.h>

#include "system/natural/natural.h"
#include "system/tuning.h"

static int add_item(vgNatBody *b, int point, vgVec3 local)
{
    b->item[b->n] = (vgNatItem){.point = point, .local = local, .root = -1, .node = -1};
    return b->n++;
}

/* Directions that the items of a spatial body span so far, orthonormal. */
static int spanned(const vgNatBody *b, vgVec3 dir[3])
{
    int n = 0, first = -1;
    for (int k = 0; k < b->n; k++) {
        vgVec3 d = b->item[k].local;
        if (b->item[k].point && first < 0) {
            first = k;
            continue;
        }
        if (b->item[k].point) d = vg_sub3(d, b->item[first].local);
        for (int i = 0; i < n; i++) d = vg_axpy3(-vg_dot3(d, dir[i]), dir[i], d);
        if (n < 3) dir[n++] = vg_unit3(d);
    }
    return n;
}

/* Nodes that belong to this body alone, where the shared ones do not fix its frame: the centre of mass, then unit
 * vectors perpendicular to those there are. */
static void complete(vgNatBody *b)
{
    int points = 0;
    for (int k = 0; k < b->n; k++) points += b->item[k].point;
    if (points == 0) add_item(b, 1, vg_zero3());
    if (b->ny == 2 && b->n < 2) add_item(b, 0, vg_v3(1, 0, 0));
    if (b->ny == 4 && b->n < 4) {
        vgVec3 dir[3];
        int n = spanned(b, dir);
        if (n == 0) add_item(b, 0, dir[0] = vg_v3(1, 0, 0));
        if (n < 2) add_item(b, 0, dir[1] = n == 0 ? vg_v3(0, 1, 0) : vg_perp3(dir[0]));
        if (n < 3) add_item(b, 0, vg_cross3(dir[0], dir[1]));
    }
    while (!b->item[b->ref].point) b->ref++;
}

static void invert4(double A[4][8])
{
    for (int c = 0; c < 4; c++) {
        int p = c;
        for (int r = c + 1; r < 4; r++)
            if (fabs(A[r][c]) > fabs(A[p][c])) p = r;
        for (int k = 0; k < 8; k++) {
            double swap = A[c][k];
            A[c][k] = A[p][k];
            A[p][k] = swap;
        }
        double d = 1 / A[c][c];
        for (int k = 0; k < 8; k++) A[c][k] *= d;
        for (int r = 0; r < 4; r++) {
            double f = r == c ? 0 : A[r][c];
            for (int k = 0; k < 8; k++) A[r][k] -= f * A[c][k];
        }
    }
}

/* x_k = (r e1 e2 e3) (1, local) or (0, local), hence y = W x with W the inverse. */
static void weights_spatial(vgNatBody *b)
{
    double A[4][8] = {{0}}, most = 0;
    for (int k = 0; k < 4; k++) {
        double h[4] = {b->item[k].point ? 1 : 0};
        vg_store3(b->item[k].local, h + 1);
        for (int i = 0; i < 4; i++) A[k][i] = h[i];
        A[k][4 + k] = 1;
    }
    invert4(A);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) most = fmax(most, fabs(A[i][4 + k]));
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            b->W[i][k] = (vgWeight){fabs(A[i][4 + k]) > VG_WEIGHT_NONE * most ? A[i][4 + k] : 0, 0};
}

/* x_k = p_k r + z_k e1 with complex z_k. */
static void weights_planar(vgNatBody *b)
{
    int a = b->ref, o = 1 - a; /* a point, and the other */
    vgWeight z0 = {b->item[a].local.x, b->item[a].local.y}, z1 = {b->item[o].local.x, b->item[o].local.y};
    double p1 = b->item[o].point ? 1 : 0;
    vgWeight det = {z1.re - p1 * z0.re, z1.im - p1 * z0.im};
    double n = det.re * det.re + det.im * det.im;
    vgWeight inv = {det.re / n, -det.im / n};
    b->W[0][a] = vg_weight_times(z1, inv);
    b->W[0][o] = vg_weight_times((vgWeight){-z0.re, -z0.im}, inv);
    b->W[1][a] = (vgWeight){-p1 * inv.re, -p1 * inv.im};
    b->W[1][o] = inv;
}

static void inertia(vgNatBody *b, const vgBody *mb)
{
    b->mass = mb->mass;
    b->weight = vg_body_is_weightless(mb) ? 0 : mb->mass;
    b->M[0][0] = mb->mass;
    if (b->ny == 2) b->M[1][1] = mb->inertia.m[2][2];
    if (b->ny != 4) return;
    double half = 0.5 * vg_trace3(mb->inertia);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) b->M[1 + i][1 + j] = (i == j ? half : 0) - mb->inertia.m[i][j];
}

vgStatus vg_nat_nodes(vgNat *s)
{
    const vgModel *m = s->base.model;
    int at = 0;
    for (int i = 0; i < s->nbody; i++) {
        vgNatBody *b = &s->body[i];
        const vgBody *mb = &m->body[i];
        b->select = mb->select;
        b->ny = mb->select.n == 6 ? 4 : mb->select.n == 3 && mb->select.at[2] == 5 ? 2 : 1;
        inertia(b, mb);
    }
    vgStatus st = vg_nat_share(s);
    if (st != VG_OK) return st;
    for (int i = 0; i < s->nbody; i++) {
        vgNatBody *b = &s->body[i];
        complete(b);
        if (b->ny == 4)
            weights_spatial(b);
        else if (b->ny == 2)
            weights_planar(b);
        else
            b->W[0][0] = (vgWeight){1, 0};
        for (int k = 0; k < b->n; k++) {
            if (b->item[k].root >= 0) continue;
            b->item[k].root = s->nroot++;
            b->item[k].node = s->nnode;
            s->node[s->nnode++] = (vgNatNode){.dim = b->ny == 4   ? 3
                                                     : b->ny == 2 ? 2
                                                                  : b->select.n,
                                              .point = b->item[k].point,
                                              .body = i};
        }
    }
    for (int k = 0; k < s->nnode; k++) {
        s->node[k].at = at;
        at += s->node[k].dim;
    }
    for (int i = 0; i < s->nbody; i++)
        for (int k = 0; k < s->body[i].n; k++)
            if (s->body[i].item[k].node >= 0) s->node[s->body[i].item[k].node].users++;
    s->base.nq = s->base.nv = at;
    return VG_OK;
}
