/* What holds the nodes of flexible bodies: for every node, rows between its pose in the frame and the
 * amplitudes (docs/theory.md, eq. 86),
 *     Rᵀ(x_n − x) − X_n − Σ c_a(η) t_a = 0,      tilt(Rᵀ R_n) − Σ c_a(η) r_a = 0,
 * written as sums of measures: position or tilt of the node, a linear form of amplitudes (six in each
 * measure), bilinear ones where products of amplitudes take part. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/read/reader.h"
#include "model/tuning.h"

static void no_build(const vgJointDef *def, int planar, vgJointBuild *out)
{
    (void)def, (void)planar, (void)out;
}

/* Not in the list of kinds: a flexible body makes it. */
static const vgJointKind tie_kind = {
    .name = "flexible-node",
    .doc = "Holds a node of a flexible body to its frame and its amplitudes.",
    .planar = 1,
    .head = VG_HEAD_FRAMES,
    .build = no_build,
};

typedef struct Tie {
    vgReader *r;
    const vgFlexible *x;
    int node;     /* of the body's */
    int measures; /* made so far, for names */
    vgJoint *joint;
} Tie;

static double part(vgVec3 v, int k)
{
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

/* How much shape a moves row k: 0, 1, 2 displacements, 3, 4, 5 rotations. */
static double influence(const Tie *t, int a, int k)
{
    const vgModalNode *n = &t->x->data->node[t->node];
    double v = k < 3 ? part(n->t[a], k) : part(n->r[a], k - 3);
    return fabs(v) > VG_WEIGHT_ROUNDS ? v : 0;
}

static int add_term(Tie *t, vgPrim *p, const vgMeasure *m, double k)
{
    char name[2 * VG_READ_MAX_NAME + 60];
    snprintf(name, sizeof name, "flexible.%s.%s.%d", t->x->name, t->x->data->node[t->node].name,
             ++t->measures);
    int index = vg_read_add_measure(t->r, name, "", m);
    if (index < 0 || p->nterm == VG_PRIM_MAX_TERMS) return t->r->full = 1, 0;
    p->measure[p->nterm] = index;
    p->k[p->nterm++] = k;
    return 1;
}

static vgMeasure blank(const Tie *t, vgMeasureKind kind, int a, int b)
{
    return (vgMeasure){.kind = kind,
                       .A = {.body = a, .R = vg_eye3()},
                       .B = {.body = b, .R = vg_eye3()},
                       .planar = t->r->m->planar,
                       .turn = -1};
}

/* −Σ η_i w_i, six amplitudes a measure. */
static int linear_terms(Tie *t, int row, vgPrim *p)
{
    const vgModal *b = t->x->data;
    const int nc = vg_modal_carriers(b);
    for (int c = 0; c < nc; c += 2) {
        double w[6] = {0}, any = 0;
        for (int i = 0; i < 6 && 3 * c + i < b->nmode; i++) {
            w[i] = influence(t, 3 * c + i, row);
            any += fabs(w[i]);
        }
        if (any == 0) continue;
        vgMeasure m = blank(t, VG_MEASURE_LINEAR, t->x->carrier + c, c + 1 < nc ? t->x->carrier + c + 1 : -1);
        m.A.r = vg_load3(w);
        m.B.r = vg_load3(w + 3);
        if (!add_term(t, p, &m, -1)) return 0;
    }
    return 1;
}

/* −Σ η_i η_j w_ij, a measure for each pair of carriers. */
static int bilinear_terms(Tie *t, int row, vgPrim *p)
{
    const vgModal *b = t->x->data;
    const int nc = vg_modal_carriers(b);
    for (int c = 0; c < nc; c++)
        for (int d = c; d < nc; d++) {
            vgMeasure m = blank(t, VG_MEASURE_BILINEAR, t->x->carrier + c, t->x->carrier + d);
            double any = 0;
            m.A.R = vg_mzero3();
            for (int k = b->nmode; k < b->nshape; k++) {
                int i = b->product[k - b->nmode][0], j = b->product[k - b->nmode][1];
                if (i / 3 != c || j / 3 != d) continue;
                m.A.R.m[i % 3][j % 3] += influence(t, k, row);
                any += fabs(influence(t, k, row));
            }
            if (any > 0 && !add_term(t, p, &m, -1)) return 0;
        }
    return 1;
}

/* The node's own coordinates in the frame, which are the joint's. */
static int coordinates(Tie *t, int *row, int *nrow)
{
    static const char *const names[] = {"x", "y", "z", "tilt-x", "tilt-y", "tilt-z"};
    const vgModal *b = t->x->data;
    const int planar = t->r->m->planar;
    t->joint->measure0 = t->r->m->nmeasure;
    *nrow = 0;
    for (int k = 0; k < 6; k++) {
        char name[2 * VG_READ_MAX_NAME + 40];
        if (planar && k != 0 && k != 1 && k != 5) continue;
        vgMeasure m = blank(t,
                            k < 3    ? VG_MEASURE_POSITION
                            : planar ? VG_MEASURE_ANGLE
                                     : VG_MEASURE_TILT,
                            t->x->frame, t->x->node[t->node]);
        m.A.r = vg_sub3(b->node[t->node].at, t->r->body[t->x->frame].com);
        m.axis = k % 3;
        if (k >= 3 && planar) m.turn = 0;
        snprintf(name, sizeof name, "joint.%s.%s", t->joint->name, names[k]);
        if (vg_read_add_measure(t->r, name, k < 3 ? "m" : "rad", &m) < 0) return 0;
        row[(*nrow)++] = k;
    }
    t->joint->ncoord = *nrow;
    return 1;
}

int vg_read_tie_row(vgReader *r, vgJoint *j, const vgPrim *terms)
{
    vgPrim p = *terms;
    p.kind = VG_PRIM_MEASURE;
    p.rows = 1;
    p.a = p.b = -1;
    p.row = r->m->nrow;
    p.joint = (int)(j - r->joint);
    if (!vg_read_room(r, &r->prim, r->m->nprim, &r->prim_cap, sizeof *r->prim)) return 0;
    if (j->nprim++ == 0) {
        j->prim0 = r->m->nprim;
        j->row0 = r->m->nrow;
    }
    r->prim[r->m->nprim++] = p;
    r->m->nrow++;
    j->nrow++;
    return 1;
}

static int add_rows(Tie *t)
{
    int row[6], n;
    if (!coordinates(t, row, &n)) return 0;
    for (int k = 0; k < n; k++) {
        vgPrim p = {.nterm = 1, .k = {1}, .measure = {t->joint->measure0 + k}};
        if (!linear_terms(t, row[k], &p) || !bilinear_terms(t, row[k], &p)) return 0;
        if (!vg_read_tie_row(t->r, t->joint, &p)) return 0;
    }
    return 1;
}

vgJoint *vg_read_tie_joint(vgReader *r, const vgJointKind *kind, vgFrame A, int body)
{
    int index, existed = 0;
    if (vg_names_add(r->joint_names, r->body[body].name, &index, &existed) != VG_OK) r->full = 1;
    if (existed || r->full) {
        vg_diag_error(r->diag, r->body[body].loc, "the name '%s' of a node is used for a joint too",
                      r->body[body].name);
        return NULL;
    }
    vgJoint *j = &r->joint[r->m->njoint++];
    *j = (vgJoint){.name = vg_names_at(r->joint_names, index),
                   .loc = r->body[body].loc,
                   .kind = kind,
                   .a = A.body,
                   .b = body,
                   .drive_of = -1};
    j->def = vg_joint_def();
    j->def.A = A;
    j->def.B = (vgFrame){body, vg_zero3(), vg_eye3()};
    return j;
}

int vg_read_count_ties(const vgReader *r)
{
    int n = 0;
    for (int i = 0; i < r->m->nmodal; i++)
        for (int k = 0; k < r->modal[i].data->nnode; k++) n += r->modal[i].node[k] >= 0;
    return n + r->m->nstation;
}

void vg_read_ties(vgReader *r)
{
    for (int i = 0; i < r->m->nmodal; i++)
        for (int k = 0; k < r->modal[i].data->nnode && !vg_read_stopped(r); k++) {
            Tie t = {.r = r, .x = &r->modal[i], .node = k};
            if (t.x->node[k] < 0) continue;
            vgFrame A = {t.x->frame, vg_sub3(t.x->data->node[k].at, r->body[t.x->frame].com), vg_eye3()};
            t.joint = vg_read_tie_joint(r, &tie_kind, A, t.x->node[k]);
            if (!t.joint || !add_rows(&t)) return;
        }
    vg_read_station_ties(r);
}
