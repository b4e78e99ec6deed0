/* What every joint kind must meet, looped over the list: rows vanish on the motion it allows, gradients,
 * biases and stiffnesses agree with differences, reactions do no work and balance, coordinates are those of
 * the motion. */
#include "element/joint/joint.h"
#include "element/prim_check.h"

#include <stdlib.h>

static const vgSelect spatial = {6, {0, 1, 2, 3, 4, 5}}, plane = {3, {0, 1, 5}};
static const double numbers[3] = {2, -1, 0.5};

static vgVec3 axis_named(const char *name)
{
    return vg_unit_axis3(name[0] - 'x');
}

static vgFrame random_marker(int body, int planar)
{
    vgFrame f = {body, motion_vec(), motion_rotation()};
    if (planar) {
        f.r.z = 0;
        f.R = vg_so3_exp(vg_v3(0, 0, 3 * motion_random()));
    }
    return f;
}

/* A number of the kind's field table. */
static double *number(const vgJointKind *kind, vgJointDef *def, const char *key)
{
    for (int i = 0; i < kind->nfield; i++)
        if (strcmp(kind->fields[i].key, key) == 0)
            return (double *)(void *)((char *)def + kind->fields[i].offset);
    printf("%s has no field %s\n", kind->name, key);
    abort();
}

/* x, moved into the field's range. */
static double inside(const vgField *field, double x)
{
    return field->min == field->max ? x : fmin(fmax(x, field->min), field->max);
}

/* A joint of the kind between bodies 0 and 1, with some value for every option, whatever they are. */
static vgJointDef sample(const vgJointKind *kind, int planar)
{
    vgJointDef def = vg_joint_def();
    for (int i = 0; i < kind->nfield; i++) {
        const vgField *field = &kind->fields[i];
        if (field->type == VG_FIELD_NUMBER) *number(kind, &def, field->key) = inside(field, 0.4 + 0.3 * i);
        if (field->type == VG_FIELD_NUMBERS)
            *(vgNumbers *)(void *)((char *)&def + field->offset) = (vgNumbers){3, numbers};
    }
    def.first = 0;
    def.second = 1;
    def.third = 2;
    def.law.value = 0.3;
    if (planar) {
        if (kind->plane_axis) vg_store3(axis_named(kind->plane_axis), def.axis);
        if (kind->plane_axis2) vg_store3(axis_named(kind->plane_axis2), def.axis2);
    } else {
        vg_store3(motion_unit(), def.axis);
        if (kind->axes == VG_AXES_TWO) vg_store3(motion_unit(), def.axis2);
    }
    vgFrame A = random_marker(0, planar), B = random_marker(1, planar);
    vgKin ka = motion_kin(planar), kb = motion_kin(planar);
    vg_joint_frames(kind, planar, &A, &B, &ka, &kb, &def);
    return def;
}

static vgJointBuild built(const vgJointKind *kind, const vgJointDef *def, int planar)
{
    vgJointBuild out;
    memset(&out, 0, sizeof out);
    kind->build(def, planar, &out);
    return out;
}

static primPair random_pair(int planar)
{
    primPair k = {motion_kin(planar), motion_kin(planar)};
    k.a.dv = motion_vec();
    k.b.dv = motion_vec();
    k.a.dw = motion_vec();
    k.b.dw = motion_vec();
    if (planar) {
        k.a.dv.z = k.b.dv.z = 0;
        k.a.dw = vg_v3(0, 0, k.a.dw.z);
        k.b.dw = vg_v3(0, 0, k.b.dw.z);
    }
    return k;
}

/* Places body B so that the joint has the coordinates q and velocities v; A moves as it moves. */
static vgKin placed(const vgJointDef *def, const vgJointMotion *m, const vgKin *a, const double *q,
                    const double *v)
{
    vgVec3 r_AB;
    vgMat3 R_AB;
    double S[36] = {0}, twist[6] = {0};
    m->pose(def, q, &r_AB, &R_AB);
    m->subspace(def, q, S);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < m->nv; j++) twist[i] += S[i * m->nv + j] * v[j];
    vgKin b = {0};
    vgMat3 F = vg_mm3(vg_mm3(a->R, def->A.R), R_AB); /* frame B in W */
    b.R = vg_mmt3(F, def->B.R);
    vgVec3 P = vg_kin_point(a, vg_add3(def->A.r, vg_mv3(def->A.R, r_AB)));
    vgVec3 arm = vg_mv3(b.R, def->B.r), wA_W = vg_mv3(a->R, a->w);
    vgVec3 w_W = vg_add3(wA_W, vg_mv3(F, vg_load3(twist + 3)));
    b.p = vg_sub3(P, arm);
    b.w = vg_mtv3(b.R, w_W);
    vgVec3 vP = vg_add3(vg_add3(a->v, vg_cross3(wA_W, vg_sub3(P, a->p))), vg_mv3(F, vg_load3(twist)));
    b.v = vg_sub3(vP, vg_cross3(w_W, arm));
    return b;
}

static void random_coordinates(const vgJointMotion *m, double *q, double *v, double *acc)
{
    double d[6];
    for (int i = 0; i < 6; i++) d[i] = motion_random(), v[i] = motion_random(), acc[i] = motion_random();
    for (int i = 0; i < m->nq; i++) q[i] = 0;
    if (m->zero) m->zero(q);
    if (m->retract)
        m->retract(q, d, q);
    else
        memcpy(q, d, (size_t)m->nq * sizeof *q);
}

/* The joint at time t under the local motion d = v t + acc t²/2. */
static void coordinates_at(const vgJointMotion *m, const double *q, const double *v, const double *acc,
                           double t, double *qt, double *vt)
{
    double d[6], ddot[6];
    for (int i = 0; i < m->nv; i++) {
        d[i] = v[i] * t + acc[i] * t * t / 2;
        ddot[i] = v[i] + acc[i] * t;
    }
    if (m->retract)
        m->retract(q, d, qt);
    else
        for (int i = 0; i < m->nv; i++) qt[i] = q[i] + d[i];
    if (m->twist)
        m->twist(d, ddot, vt);
    else
        memcpy(vt, ddot, (size_t)m->nv * sizeof *vt);
}

/* Evaluates a primitive whatever its kind: MEASURE rows get the columns of the joint's own coordinates. */
static void evaluate(const vgJointBuild *j, const vgPrim *p, const primPair *k, double turn, vgPrimOut *out)
{
    if (p->kind != VG_PRIM_MEASURE) {
        vg_prim_eval(p, 0.4, &k->a, &k->b, PRIM_ALL, out);
        return;
    }
    vgMeasureOut m[VG_PRIM_MAX_TERMS];
    memset(out, 0, sizeof *out);
    for (int i = 0; i < p->nterm; i++) {
        int own = -1 - p->measure[i];
        CHECK(own >= 0 && own < j->ncoord);
        vg_measure_eval(&j->coord[own].measure, &k->a, &k->b, turn, 2, &m[i]);
        for (int c = 0; c < 6; c++) {
            out->Ba[0][c] += p->k[i] * m[i].grad[c];
            out->Bb[0][c] += p->k[i] * m[i].grad[6 + c];
        }
    }
    vg_prim_measure_eval(p, 0.4, m, PRIM_ALL, out->phi, out->dot, out->bias);
}

/* Smallest pivot of the rows with complete pivoting, as a measure of their independence. */
static double smallest_pivot(double rows[][6], int n, const vgSelect *select)
{
    double least = INFINITY;
    int used[6] = {0};
    for (int i = 0; i < n; i++) {
        int br = i, bc = -1;
        double best = 0;
        for (int r = i; r < n; r++)
            for (int c = 0; c < select->n; c++)
                if (!used[c] && fabs(rows[r][select->at[c]]) > best)
                    best = fabs(rows[r][select->at[c]]), br = r, bc = c;
        if (bc < 0) return 0;
        least = fmin(least, best);
        used[bc] = 1;
        double swap[6];
        memcpy(swap, rows[i], sizeof swap);
        memcpy(rows[i], rows[br], sizeof swap);
        memcpy(rows[br], swap, sizeof swap);
        for (int r = i + 1; r < n; r++) {
            double f = rows[r][select->at[bc]] / rows[i][select->at[bc]];
            for (int c = 0; c < 6; c++) rows[r][c] -= f * rows[i][c];
        }
    }
    return least;
}

/* A swapped measure (A of the measure on body 1) wants its bodies in its own order. */
static primPair in_order_of(const vgMeasure *m, const primPair *k)
{
    if (m->A.body == 1) return (primPair){k->b, k->a};
    return *k;
}

/* Internal forces: no resultant force, no resultant moment. */
static void check_balance(const vgPrim *p, const primPair *k)
{
    vgPrimOut out;
    vg_prim_eval(p, 0, &k->a, &k->b, VG_PRIM_GRADIENT, &out);
    for (int r = 0; r < p->rows; r++) {
        vgVec3 fA = vg_load3(out.Ba[r]), fB = vg_load3(out.Bb[r]);
        vgVec3 moment =
            vg_add3(vg_mv3(k->a.R, vg_load3(out.Ba[r] + 3)), vg_mv3(k->b.R, vg_load3(out.Bb[r] + 3)));
        moment = vg_add3(moment, vg_add3(vg_cross3(k->a.p, fA), vg_cross3(k->b.p, fB)));
        CHECK_NEAR(vg_norm3(vg_add3(fA, fB)), 0, 1e-14);
        CHECK_NEAR(vg_norm3(moment), 0, 1e-13);
    }
}

static void check_on_motion(const vgJointKind *kind, int planar)
{
    const vgJointMotion *m = kind->motion;
    const vgSelect *select = planar ? &plane : &spatial;
    vgJointDef def = sample(kind, planar);
    vgJointBuild j = built(kind, &def, planar);
    double q[7], v[6], acc[6], lambda_power = 0, rows[6][6];
    random_coordinates(m, q, v, acc);
    primPair k = random_pair(planar);
    k.b = placed(&def, m, &k.a, q, v);
    /* B's acceleration along q(t), by differences of the native velocity */
    double h = 2e-3, qt[7], vt[6];
    const double times[4] = {h, -h, h / 2, -h / 2};
    double w[4][6];
    for (int i = 0; i < 4; i++) {
        vgKin at = motion_at(&k.a, times[i]);
        coordinates_at(m, q, v, acc, times[i], qt, vt);
        vgKin b = placed(&def, m, &at, qt, vt);
        vg_store3(b.v, w[i]);
        vg_store3(b.w, w[i] + 3);
    }
    double xi[12], dxi[12];
    for (int c = 0; c < 6; c++) dxi[6 + c] = motion_richardson(w[0][c], w[1][c], w[2][c], w[3][c], h);
    k.b.dv = vg_load3(dxi + 6);
    k.b.dw = vg_load3(dxi + 9);
    vg_store3(k.a.dv, dxi);
    vg_store3(k.a.dw, dxi + 3);
    pair_velocity(&k, xi);
    int nrow = 0;
    for (int i = 0; i < j.nprim; i++) {
        vgPrimOut out;
        evaluate(&j, &j.prim[i], &k, q[0], &out);
        if (j.prim[i].kind != VG_PRIM_MEASURE) check_balance(&j.prim[i], &k);
        for (int r = 0; r < j.prim[i].rows; r++) {
            CHECK_NEAR(out.phi[r], 0, 1e-13);
            CHECK_NEAR(out.dot[r], 0, 1e-12);
            CHECK_NEAR(prim_row(&out, r, xi), 0, 1e-12);
            CHECK_NEAR(prim_row(&out, r, dxi) + out.bias[r], 0, 1e-8);
            lambda_power += motion_random() * prim_row(&out, r, xi);
            memcpy(rows[nrow++], out.Bb[r], sizeof rows[0]);
        }
    }
    CHECK_NEAR(lambda_power, 0, 1e-12);
    CHECK_INT(nrow, select->n - m->nv);
    if (nrow > 0) CHECK(smallest_pivot(rows, nrow, select) > 1e-2);
    /* the coordinates are those of the motion */
    for (int i = 0; i < j.ncoord && i < m->nq; i++) {
        const vgMeasure *c = &j.coord[i].measure;
        primPair ordered = in_order_of(c, &k);
        vgMeasureOut out;
        vg_measure_eval(c, &ordered.a, &ordered.b, q[i], 1, &out);
        CHECK_NEAR(out.value, q[i], 1e-13);
        CHECK_NEAR(out.rate, v[i], 1e-12);
    }
}

/* pose, subspace, bias, from_pose, local coordinates of a motion agree with each other. */
static void check_motion(const vgJointDef *def, const vgJointMotion *m)
{
    double q[7], q2[7], v[6], acc[6], h = 2e-3, S[36] = {0}, bias[6] = {0}, w[4][6], F[4][12];
    const double times[4] = {h, -h, h / 2, -h / 2};
    vgVec3 r;
    vgMat3 R;
    random_coordinates(m, q, v, acc);
    m->pose(def, q, &r, &R);
    m->subspace(def, q, S);
    if (m->bias) m->bias(def, q, v, bias);
    for (int i = 0; i < 4; i++) {
        double qt[7], vt[6], St[36] = {0};
        coordinates_at(m, q, v, acc, times[i], qt, vt);
        vgVec3 rt;
        vgMat3 Rt;
        m->pose(def, qt, &rt, &Rt);
        m->subspace(def, qt, St);
        for (int c = 0; c < 6; c++) {
            w[i][c] = 0;
            for (int d = 0; d < m->nv; d++) w[i][c] += St[c * m->nv + d] * vt[d];
        }
        vg_store3(vg_mtv3(R, rt), F[i]);
        vg_store3(vg_so3_log(vg_mtm3(R, Rt)), F[i] + 3);
    }
    double vdot[6], D0[36] = {0}; /* v̇ = ∂(T ḋ)/∂d ḋ + d̈ at d = 0 */
    if (m->tangent_diff) m->tangent_diff((double[6]){0}, v, D0);
    for (int i = 0; i < m->nv; i++) {
        vdot[i] = acc[i];
        for (int c = 0; c < m->nv; c++) vdot[i] += D0[i * m->nv + c] * v[c];
    }
    for (int c = 0; c < 6; c++) {
        double twist = 0, twist_dot = bias[c];
        for (int d = 0; d < m->nv; d++) {
            twist += S[c * m->nv + d] * v[d];
            twist_dot += S[c * m->nv + d] * vdot[d];
        }
        CHECK_NEAR(twist, motion_richardson(F[0][c], F[1][c], F[2][c], F[3][c], h), 1e-9);
        CHECK_NEAR(twist_dot, motion_richardson(w[0][c], w[1][c], w[2][c], w[3][c], h), 1e-9);
    }
    m->from_pose(def, r, R, q2);
    double d[6] = {0};
    if (m->local)
        m->local(q, q2, d);
    else
        for (int i = 0; i < m->nv; i++) d[i] = q2[i] - q[i];
    for (int i = 0; i < m->nv; i++) CHECK_NEAR(d[i], 0, 1e-13);
    if (!m->retract) return;
    m->retract(q, v, q2);
    m->local(q, q2, d);
    for (int i = 0; i < m->nv; i++) CHECK_NEAR(d[i], v[i], 1e-13);
    double ddot[6], back[6], Tinv[36], D[36];
    m->rates(v, acc, ddot);
    m->twist(v, ddot, back);
    m->tangent_inv(v, Tinv);
    m->tangent_diff(v, acc, D);
    for (int i = 0; i < m->nv; i++) {
        double sum = 0;
        CHECK_NEAR(back[i], acc[i], 1e-13);
        for (int c = 0; c < m->nv; c++) sum += Tinv[i * m->nv + c] * acc[c];
        CHECK_NEAR(sum, ddot[i], 1e-13);
        double out[4][6];
        for (int s = 0; s < 4; s++) {
            double x[6];
            memcpy(x, v, sizeof x);
            x[i] += times[s];
            m->twist(x, acc, out[s]);
        }
        for (int c = 0; c < m->nv; c++)
            CHECK_NEAR(D[c * m->nv + i], motion_richardson(out[0][c], out[1][c], out[2][c], out[3][c], h),
                       1e-9);
    }
}

/* Angles between axes and lowest points of discs are ill-conditioned near their singular places. */
static int near_singular(const vgJointBuild *j, const primPair *k)
{
    for (int i = 0; i < j->nprim; i++) {
        const vgPrim *p = &j->prim[i];
        if (p->kind != VG_PRIM_ROLLING && p->kind != VG_PRIM_CONTACT_HEIGHT) continue;
        if (fabs(vg_dot3(vg_mv3(k->a.R, p->ua), vg_mv3(k->b.R, p->ub))) > 0.8) return 1;
    }
    for (int i = 0; i < j->ncoord; i++) {
        const vgMeasure *m = &j->coord[i].measure;
        primPair o = in_order_of(m, k);
        vgVec3 z = vg_mv3(o.a.R, vg_col3(m->A.R, 2)), x = vg_mv3(o.b.R, vg_col3(m->B.R, 0));
        if (m->kind == VG_MEASURE_ANGLE && fabs(vg_dot3(z, x)) > 0.7) return 1;
    }
    return 0;
}

static void check_derivatives(const vgJointKind *kind, int planar)
{
    vgJointDef def = sample(kind, planar);
    vgJointBuild j = built(kind, &def, planar);
    primPair k = random_pair(planar);
    while (near_singular(&j, &k)) k = random_pair(planar);
    for (int i = 0; i < j.nprim; i++) {
        if (j.prim[i].kind == VG_PRIM_MEASURE) continue;
        prim_check(&j.prim[i], &k, 10);
        if (j.prim[i].kind != VG_PRIM_COINCIDE)
            check_balance(&j.prim[i], &k); /* two points: only when closed */
    }
    for (int i = 0; i < j.ncoord; i++) {
        primPair ordered = in_order_of(&j.coord[i].measure, &k);
        measure_check(&j.coord[i].measure, &ordered, 0.2, planar ? &plane : &spatial, 20);
    }
}

static void each(void (*check)(const vgJointKind *, int))
{
    for (int i = 0; vg_joint_kinds[i]; i++)
        for (int planar = 0; planar < 2; planar++) {
            const vgJointKind *kind = vg_joint_kinds[i];
            if ((planar && !kind->planar) || (!planar && kind->planar == 2)) continue;
            int before = test_failed_checks;
            motion_seed = test_seed(kind->name, planar);
            for (int n = 0; n < 3; n++) check(kind, planar);
            if (test_failed_checks > before) printf("  in %s%s\n", kind->name, planar ? " (planar)" : "");
        }
}

static void on_motion(const vgJointKind *kind, int planar)
{
    if (kind->motion) check_on_motion(kind, planar);
}

static void motion_alone(const vgJointKind *kind, int planar)
{
    vgJointDef def = sample(kind, planar);
    if (kind->motion) check_motion(&def, kind->motion);
}

TEST(rows_vanish_on_the_motion_they_allow)
{
    each(on_motion);
}

TEST(derivatives_agree_with_differences)
{
    each(check_derivatives);
}

TEST(motions_are_consistent)
{
    each(motion_alone);
    vgJointDef def = vg_joint_def();
    for (int n = 0; n < 5; n++) check_motion(&def, &vg_motion_planar);
}

TEST(universal_with_a_given_second_axis)
{
    const vgJointKind *kind = vg_joint_kind("universal");
    vgJointDef def = sample(kind, 0);
    for (int i = 0; i < 3; i++) def.axis2[i] = i == 1; /* frame B itself carries the axis as its z */
    check_motion(&def, kind->motion);
    vgJointBuild j = built(kind, &def, 0);
    double q[2] = {0.7, -0.4}, v[2] = {0.3, 0.9};
    primPair k = {motion_kin(0), motion_kin(0)};
    k.b = placed(&def, kind->motion, &k.a, q, v);
    for (int i = 0; i < j.nprim; i++) {
        vgPrimOut out;
        vg_prim_eval(&j.prim[i], 0, &k.a, &k.b, PRIM_ALL, &out);
        for (int r = 0; r < j.prim[i].rows; r++) CHECK_NEAR(fabs(out.phi[r]) + fabs(out.dot[r]), 0, 1e-13);
    }
    for (int i = 0; i < 2; i++) {
        primPair o = in_order_of(&j.coord[i].measure, &k);
        vgMeasureOut out;
        vg_measure_eval(&j.coord[i].measure, &o.a, &o.b, 0, 0, &out);
        CHECK_NEAR(out.value, q[i], 1e-14);
        CHECK_NEAR(out.rate, v[i], 1e-13);
    }
}

/* Shafts in bearings at an angle β: a Hooke joint follows tan γ = tan α / cos β, a homokinetic one γ = α. */
TEST(bent_shafts_in_closed_form)
{
    double bend = 0.6, alpha = 0.8, hooke = atan(tan(alpha) / cos(bend));
    vgMat3 tilt = vg_so3_exp(vg_v3(0, bend, 0)); /* shaft axes z, the second tilted about y */
    for (int homokinetic = 0; homokinetic < 2; homokinetic++) {
        const vgJointKind *kind = vg_joint_kind(homokinetic ? "constant-velocity" : "universal");
        vgJointDef def = vg_joint_def();
        vgFrame A = {0, vg_zero3(), vg_eye3()}, B = {1, vg_zero3(), vg_eye3()};
        vgKin ka = motion_ground(), kb = motion_ground();
        if (homokinetic) {
            for (int i = 0; i < 3; i++) def.axis2[i] = i == 2;
            kb.R = tilt;
        } else { /* arm of A along x, of B along y */
            for (int i = 0; i < 3; i++) def.axis[i] = i == 0, def.axis2[i] = i == 1;
        }
        vg_joint_frames(kind, 0, &A, &B, &ka, &kb, &def);
        vgJointBuild j = built(kind, &def, 0);
        double gamma = homokinetic ? alpha : hooke;
        for (int off = 0; off < 2; off++) {
            vgPrimOut out;
            ka.R = vg_so3_exp(vg_v3(0, 0, alpha));
            kb.R = vg_mm3(tilt, vg_so3_exp(vg_v3(0, 0, gamma + 0.05 * off)));
            vg_prim_eval(&j.prim[1], 0, &ka, &kb, VG_PRIM_VALUE, &out);
            if (off)
                CHECK(fabs(out.phi[0]) > 0.02);
            else
                CHECK_NEAR(out.phi[0], 0, 1e-14);
        }
    }
}

TEST(couplings_hold_their_ratio)
{
    vgMeasureOut m[3] = {{.value = 0.4, .rate = 1.5}, {.value = -0.9, .rate = 2}, {.value = 3, .rate = -1}};
    double phi, dot, bias;
    const vgJointKind *gear = vg_joint_kind("gear"), *rack = vg_joint_kind("rack-and-pinion"),
                      *coupler = vg_joint_kind("coupler");
    vgJointDef def = sample(gear, 0);
    *number(gear, &def, "ratio") = -2;
    *number(gear, &def, "offset") = 0.05;
    vgJointBuild j = built(gear, &def, 0);
    vg_prim_measure_eval(&j.prim[0], 0, m, PRIM_ALL, &phi, &dot, &bias);
    CHECK_NEAR(phi, -0.9 - (-2 * 0.4) - 0.05, 1e-15);
    CHECK_NEAR(dot, 2 + 2 * 1.5, 1e-15);
    def = sample(rack, 0);
    *number(rack, &def, "radius") = 0.4;
    *number(rack, &def, "offset") = NAN; /* as at the start */
    j = built(rack, &def, 0);
    CHECK(j.prim[0].start);
    vg_prim_measure_start(&j.prim[0], m);
    vg_prim_measure_eval(&j.prim[0], 0, m, PRIM_ALL, &phi, &dot, &bias);
    CHECK_NEAR(phi, 0, 1e-15);
    CHECK_NEAR(dot, 2 - 0.4 * 1.5, 1e-15);
    def = sample(coupler, 0);
    *number(coupler, &def, "offset") = 1;
    j = built(coupler, &def, 0);
    vg_prim_measure_eval(&j.prim[0], 0, m, PRIM_ALL, &phi, &dot, &bias);
    CHECK_NEAR(phi, 2 * 0.4 + 0.9 + 0.5 * 3 - 1, 1e-15);
    def.level = 1;
    j = built(vg_joint_kind("drive"), &def, 0);
    CHECK_INT(j.prim[0].measure[0], 0);
    vg_prim_measure_eval(&j.prim[0], 0, m, PRIM_ALL, &phi, &dot, &bias);
    CHECK_NEAR(phi, 1.5 - 0.3, 1e-15);
}

TEST(open_constants_come_from_the_start)
{
    static const char *const names[] = {"distance", "angle"}, *const keys[] = {"length", "value"};
    for (int i = 0; i < 2; i++) {
        const vgJointKind *kind = vg_joint_kind(names[i]);
        vgJointDef def = sample(kind, 0);
        *number(kind, &def, keys[i]) = NAN;
        vgJointBuild j = built(kind, &def, 0);
        primPair k = random_pair(0);
        CHECK(j.prim[0].start);
        vg_prim_start(&j.prim[0], &k.a, &k.b);
        vgPrimOut out;
        vg_prim_eval(&j.prim[0], 0, &k.a, &k.b, VG_PRIM_VALUE, &out);
        CHECK_NEAR(out.phi[0], 0, 1e-15);
    }
}

TEST(rows_of_the_list_are_complete)
{
    for (int i = 0; vg_joint_kinds[i]; i++) {
        const vgJointKind *kind = vg_joint_kinds[i];
        CHECK(kind->name && kind->doc && kind->example && kind->build);
        CHECK_STR(kind->example, kind->name);
        CHECK(vg_joint_kind(kind->name) == kind); /* no name twice */
        for (int f = 0; f < kind->nfield; f++) {
            CHECK(kind->fields[f].key && kind->fields[f].unit && kind->fields[f].doc);
            CHECK(kind->fields[f].offset < sizeof(vgJointDef));
        }
        motion_seed = test_seed(kind->name, 0);
        vgJointDef def = sample(kind, 0);
        vgJointBuild j = built(kind, &def, 0);
        CHECK(j.nprim >= 1 && j.nprim <= VG_JOINT_MAX_PRIMS && j.ncoord <= VG_JOINT_MAX_COORDS);
        for (int c = 0; c < j.ncoord; c++) CHECK(j.coord[c].name && j.coord[c].unit);
    }
    CHECK(vg_joint_kind("revolut") == NULL);
}

TEST_MAIN(rows_vanish_on_the_motion_they_allow, derivatives_agree_with_differences, motions_are_consistent,
          universal_with_a_given_second_axis, bent_shafts_in_closed_form, couplings_hold_their_ratio,
          open_constants_come_from_the_start, rows_of_the_list_are_complete)
