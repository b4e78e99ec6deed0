/* Natural coordinates: points and vectors as functions of the nodes, the rows made of them, the constant mass
 * matrix.
 *
 * Rigidity of a body with directions d_i (unit vectors, or differences of points divided by their length):
 *     ½ l_i (d_i·d_i − 1) = 0,     √(l_i l_j) (d_i·d_j − c_ij) = 0
 * with the lengths l of differences, 1 of vectors: six rows of a spatial body, one of a planar one; rows
 * between constants, and those that another body has, are left out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "system/natural/natural.h"
#include "system/tuning.h"

static void put_part(vgNatForm *a, int node, vgWeight w)
{
    if (w.re == 0 && w.im == 0) return;
    for (int i = 0; i < a->n; i++)
        if (a->part[i].node == node) {
            a->part[i].w.re += w.re;
            a->part[i].w.im += w.im;
            return;
        }
    a->part[a->n++] = (vgNatPart){node, w};
}

/* Weights that cancelled are no weights. */
static void tidy(vgNatForm *a)
{
    double most = 0;
    int n = 0;
    for (int i = 0; i < a->n; i++) most = fmax(most, fabs(a->part[i].w.re) + fabs(a->part[i].w.im));
    for (int i = 0; i < a->n; i++)
        if (fabs(a->part[i].w.re) + fabs(a->part[i].w.im) > VG_WEIGHT_NONE * most) a->part[n++] = a->part[i];
    a->n = n;
}

vgWeight vg_nat_weight(const vgNatBody *b, int item, vgVec3 local, int point)
{
    vgWeight w = point ? b->W[0][item] : (vgWeight){0, 0};
    if (b->ny == 2) {
        vgWeight z = vg_weight_times((vgWeight){local.x, local.y}, b->W[1][item]);
        w.re += z.re, w.im += z.im;
    } else if (b->ny == 4) {
        w.re += local.x * b->W[1][item].re + local.y * b->W[2][item].re + local.z * b->W[3][item].re;
    }
    return w;
}

vgNatForm vg_nat_form_on(const vgNat *s, int body, vgVec3 local, int point)
{
    vgNatForm out = {.c = vg_zero3()};
    if (body < 0) {
        out.c = local;
        return out;
    }
    const vgNatBody *b = &s->body[body];
    if (b->ny == 2) out.c.z = local.z;
    for (int k = 0; k < b->n; k++) {
        vgWeight w = vg_nat_weight(b, k, local, point);
        if (b->item[k].node >= 0)
            put_part(&out, b->item[k].node, w);
        else
            out.c = vg_add3(out.c, vg_weigh(w, b->item[k].fixed));
    }
    tidy(&out);
    return out;
}

static vgNatForm minus(const vgNatForm *a, const vgNatForm *b)
{
    vgNatForm out = *a;
    out.c = vg_sub3(a->c, b->c);
    for (int i = 0; i < b->n; i++)
        put_part(&out, b->part[i].node, (vgWeight){-b->part[i].w.re, -b->part[i].w.im});
    tidy(&out);
    return out;
}

static int keep(vgNat *s, vgNatForm a)
{
    s->atom[s->natom] = (vgNatAtom){a.c, s->npart, a.n};
    for (int i = 0; i < a.n; i++) s->part[s->npart++] = a.part[i];
    return s->natom++;
}

/* ---- rigidity ---- */

static vgNatForm direction(const vgNatBody *b, int k, vgVec3 *local)
{
    vgNatForm out = {.c = vg_zero3()};
    const vgNatItem *it = &b->item[k], *ref = &b->item[b->ref];
    double scale = 1;
    *local = it->local;
    if (it->point) {
        *local = vg_sub3(it->local, ref->local);
        scale = 1 / vg_norm3(*local);
        *local = vg_scale3(*local, scale);
        if (ref->node >= 0)
            put_part(&out, ref->node, (vgWeight){-scale, 0});
        else
            out.c = vg_axpy3(-scale, ref->fixed, out.c);
    }
    if (it->node >= 0)
        put_part(&out, it->node, (vgWeight){scale, 0});
    else
        out.c = vg_axpy3(scale, it->fixed, out.c);
    return out;
}

/* Rows between directions that several bodies have are written once: a table of those seen so far. */
typedef struct Met {
    int size; /* a power of two */
    int (*key)[4];
} Met;

static void direction_key(const vgNatBody *b, int k, int key[2])
{
    int other = b->item[k].point ? b->item[b->ref].root : -1, root = b->item[k].root;
    key[0] = root > other ? root : other;
    key[1] = root > other ? other : root;
}

static int met_before(Met *met, const vgNatBody *b, int i, int j)
{
    int key[4], swap[4];
    direction_key(b, i, key);
    direction_key(b, j, key + 2);
    if (key[0] < key[2] || (key[0] == key[2] && key[1] < key[3])) {
        memcpy(swap, key, sizeof swap);
        memcpy(key, swap + 2, 2 * sizeof(int));
        memcpy(key + 2, swap, 2 * sizeof(int));
    }
    size_t at = 0;
    for (int k = 0; k < 4; k++) at = at * 1000003u + (size_t)(key[k] + 1);
    for (;; at++) {
        int *slot = met->key[at & (size_t)(met->size - 1)];
        if (slot[0] < 0) {
            memcpy(slot, key, sizeof key);
            return 0;
        }
        if (!memcmp(slot, key, sizeof key)) return 1;
    }
}

static vgStatus met_new(int rows, Met *out)
{
    out->size = 16;
    while (out->size < 2 * rows) out->size *= 2;
    out->key = malloc((size_t)out->size * sizeof *out->key);
    if (!out->key) return VG_NO_MEMORY;
    memset(out->key, -1, (size_t)out->size * sizeof *out->key);
    return VG_OK;
}

static double length_of(const vgNatBody *b, int k)
{
    return b->item[k].point ? vg_norm3(vg_sub3(b->item[k].local, b->item[b->ref].local)) : 1;
}

static void rigid_rows(vgNat *s, int body, Met *met)
{
    const vgNatBody *b = &s->body[body];
    int atom[4];
    vgVec3 local[4];
    for (int k = 0; k < b->n; k++) {
        if (k == b->ref) continue;
        vgNatForm d = direction(b, k, &local[k]);
        atom[k] = keep(s, d);
        for (int j = 0; j <= k; j++) {
            if (j == b->ref) continue;
            if ((s->atom[atom[j]].n == 0 && s->atom[atom[k]].n == 0) || met_before(met, b, j, k)) continue;
            double size = sqrt(length_of(b, j) * length_of(b, k)), scale = j == k ? 0.5 * size : size;
            vgNatRow *r = &s->row[s->base.nl];
            *r = (vgNatRow){.nterm = 1,
                            .component = -1,
                            .c = scale * vg_dot3(local[j], local[k]),
                            .body = body,
                            .item_a = j,
                            .item_b = k,
                            .sigma = s->body[body].sigma / (size * size),
                            .prim = -1};
            r->term[0].a = atom[j];
            r->term[0].b = atom[k];
            r->term[0].s = scale;
            s->row_joint[s->base.nl++] = -1;
        }
    }
}

/* ---- joints ---- */

static vgNatRow prim_row(const vgPrim *p, int prim)
{
    return (vgNatRow){.component = -1, .body = -1, .prim = prim, .law = p->law, .c = p->c};
}

static void put_term(vgNatRow *r, int a, int b, double scale)
{
    r->term[r->nterm].a = a;
    r->term[r->nterm].b = b;
    r->term[r->nterm++].s = scale;
}

/* The number of an atom of the primitive, as a form of the coordinates. */
static int atom_of(vgNat *s, const vgPrim *p, vgAtom atom)
{
    const int on_b = atom == VG_ATOM_UB || atom == VG_ATOM_WB;
    const vgVec3 fixed[] = {
        [VG_ATOM_UA] = p->ua, [VG_ATOM_WA] = p->wa, [VG_ATOM_UB] = p->ub, [VG_ATOM_WB] = p->wb};
    if (atom < VG_ATOM_D) return keep(s, vg_nat_form_on(s, on_b ? p->b : p->a, fixed[atom], 0));
    vgNatForm Pa = vg_nat_form_on(s, p->a, p->ra, 1), Pb = vg_nat_form_on(s, p->b, p->rb, 1);
    return keep(s, atom == VG_ATOM_D ? minus(&Pb, &Pa) : minus(&Pa, &Pb));
}

static void rows_of(vgNat *s, int i)
{
    const vgPrim *p = &s->base.model->prim[i];
    int row = s->model_row[p->row];
    vgNatRow r = prim_row(p, i);
    if (s->native_prim[i]) {
        for (int k = 0; k < p->rows; k++) s->row[row + k] = r;
        return;
    }
    vgProduct term[VG_PRIM_MAX_PRODUCTS];
    int n = vg_prim_type(p)->products(p, term, &r.c);
    for (int k = 0; k < p->rows && term[0].y == VG_ATOM_NONE; k++) {
        s->row[row + k] = r;
        s->row[row + k].law = k == 0 ? p->law : NULL;
        s->row[row + k].component = k;
    }
    if (term[0].y == VG_ATOM_NONE) {
        int d = atom_of(s, p, term[0].x);
        for (int k = 0; k < p->rows; k++) s->row[row + k].term[0].a = s->row[row + k].term[0].b = d;
        return;
    }
    for (int k = 0; k < n; k++) {
        int x = atom_of(s, p, term[k].x), y = term[k].y == term[k].x ? x : atom_of(s, p, term[k].y);
        put_term(&r, x, y, term[k].s);
    }
    s->row[row] = r;
}

/* ---- mass ---- */

static void add_mass(vgNat *s, int first, int a, int b, vgWeight m)
{
    if (a > b) {
        int swap = a;
        a = b;
        b = swap;
        m = vg_conj(m);
    }
    for (int i = first; i < s->nmass; i++)
        if (s->mass[i].a == a && s->mass[i].b == b) {
            s->mass[i].m.re += m.re;
            s->mass[i].m.im += m.im;
            return;
        }
    s->mass[s->nmass++] = (vgNatMass){a, b, m};
}

/* Wᵀ M W of a body; pairs (a, b) once. */
static void body_mass(vgNat *s, int body)
{
    const vgNatBody *b = &s->body[body];
    int first = s->nmass;
    for (int k = 0; k < b->n; k++)
        for (int l = k; l < b->n; l++) {
            vgWeight sum = {0, 0};
            if (b->item[k].node < 0 || b->item[l].node < 0) continue;
            for (int i = 0; i < b->ny; i++)
                for (int j = 0; j < b->ny; j++) {
                    vgWeight w = vg_weight_times(vg_conj(b->W[i][k]), b->W[j][l]);
                    sum.re += b->M[i][j] * w.re;
                    sum.im += b->M[i][j] * w.im;
                }
            add_mass(s, first, b->item[k].node, b->item[l].node, sum);
        }
    for (int k = 0; k < b->n; k++)
        if (b->item[k].node >= 0)
            vg_nat_add(&s->node[b->item[k].node], s->weight,
                       vg_weigh(vg_conj(b->W[0][k]), vg_scale3(s->base.model->gravity, b->weight)));
}

/* Flat bodies and thin bars have little or no inertia along some vectors: their matrices are made regular by
 * their rigidity rows. */
static double sigma_of(const vgNatBody *b)
{
    if (b->ny > 1 && b->mass == 0) return -1; /* a node of a beam */
    if (b->ny != 4) return 0;
    double most = 0, det;
    vgMat3 S;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) S.m[i][j] = b->M[1 + i][1 + j];
    most = vg_trace3(S);
    det = vg_det3(S);
    return most > 0 && det < VG_BODY_THIN * most * most * most / 27 ? most / 3 : 0;
}

/* Rows of velocities and accelerations have columns that are not their transposes: all rows of such a joint
 * are taken natively. */
static int has_levels(const vgModel *m, int joint)
{
    for (int i = 0; i < m->joint[joint].nprim; i++)
        if (m->prim[m->joint[joint].prim0 + i].level > 0) return 1;
    return 0;
}

vgStatus vg_nat_rows(vgNat *s)
{
    const vgModel *m = s->base.model;
    for (int i = 0; i < m->nprim; i++) {
        const vgPrim *p = &m->prim[i];
        for (int r = 0; r < p->rows; r++) {
            if (s->model_row[p->row + r] < 0) continue;
            s->model_row[p->row + r] = s->base.nl;
            s->level[s->base.nl] = (unsigned char)p->level;
            s->row_joint[s->base.nl++] = p->joint;
        }
        if (s->model_row[p->row] >= 0) {
            if (p->level > s->any_level) s->any_level = p->level;
            s->native_prim[i] = has_levels(m, p->joint) || !vg_prim_type(p)->products;
            s->any_native |= s->native_prim[i];
            rows_of(s, i);
        }
    }
    Met met;
    vgStatus st = met_new(6 * s->nbody, &met);
    if (st != VG_OK) return st;
    for (int i = 0; i < s->nbody; i++) {
        s->body[i].sigma = sigma_of(&s->body[i]);
        rigid_rows(s, i, &met);
        body_mass(s, i);
    }
    free(met.key);
    return VG_OK;
}
