#include "element/prim_check.h"

static primPair random_pair(int planar)
{
    primPair k = {motion_kin(planar), motion_kin(planar)};
    k.a.dv = motion_vec();
    k.b.dv = motion_vec();
    k.a.dw = planar ? vg_v3(0, 0, motion_random()) : motion_vec();
    k.b.dw = planar ? vg_v3(0, 0, motion_random()) : motion_vec();
    if (planar) k.a.dv.z = k.b.dv.z = 0;
    return k;
}

static vgVec3 flat(vgVec3 v)
{
    v.z = 0;
    return v;
}

static vgPrim random_prim(vgPrimKind kind, int planar)
{
    vgPrim p = {0};
    p.kind = kind;
    p.level = kind == VG_PRIM_KNIFE || kind == VG_PRIM_ROLLING;
    p.rows = kind == VG_PRIM_COINCIDE ? (planar ? 2 : 3) : kind == VG_PRIM_ROLLING ? (planar ? 1 : 2) : 1;
    p.a = 0;
    p.b = 1;
    p.ra = motion_vec();
    p.rb = motion_vec();
    p.ua = motion_unit();
    p.ub = motion_unit();
    p.wa = motion_unit();
    p.wb = motion_unit();
    p.s1 = 1.3;
    p.s2 = kind == VG_PRIM_DOT ? -0.6 : 0;
    p.c = 0.8;
    if (kind == VG_PRIM_ROLLING || kind == VG_PRIM_CONTACT_HEIGHT) {
        p.wa = vg_perp3(p.ua);
        p.wb = vg_cross3(p.ua, p.wa);
    }
    if (planar) {
        p.ra = flat(p.ra);
        p.rb = flat(p.rb);
        p.ua = vg_unit3(flat(p.ua));
        p.ub = vg_unit3(flat(p.ub));
        p.wa = vg_unit3(flat(p.wa));
        p.wb = vg_unit3(flat(p.wb));
        if (kind == VG_PRIM_ROLLING || kind == VG_PRIM_CONTACT_HEIGHT) p.ub = vg_v3(0, 0, 1);
    }
    return p;
}

static const vgPrimKind kinds[] = {VG_PRIM_COINCIDE, VG_PRIM_DOT,     VG_PRIM_ALONG,         VG_PRIM_DISTANCE,
                                   VG_PRIM_KNIFE,    VG_PRIM_ROLLING, VG_PRIM_CONTACT_HEIGHT};
enum { NKIND = sizeof kinds / sizeof kinds[0] };

/* Discs nearly flat on the plane have no well-conditioned lowest point: keep the lean below 60 degrees. */
static int leans_too_far(const vgPrim *p, const primPair *k)
{
    return (p->kind == VG_PRIM_ROLLING || p->kind == VG_PRIM_CONTACT_HEIGHT) &&
           fabs(vg_dot3(vg_mv3(k->a.R, p->ua), vg_mv3(k->b.R, p->ub))) > 0.85;
}

TEST(derivatives_of_every_primitive)
{
    for (int i = 0; i < NKIND; i++)
        for (int n = 0; n < 6; n++) {
            vgPrim p = random_prim(kinds[i], 0);
            primPair k = random_pair(0);
            while (leans_too_far(&p, &k)) k = random_pair(0);
            prim_check(&p, &k, 10);
        }
}

TEST(ground_on_either_side)
{
    for (int i = 0; i < NKIND; i++)
        for (int side = 0; side < 2; side++) {
            vgPrim p = random_prim(kinds[i], 0);
            primPair k = random_pair(0);
            *(side ? &p.b : &p.a) = -1;
            *(side ? &k.b : &k.a) = motion_ground();
            while (leans_too_far(&p, &k)) *(side ? &k.a : &k.b) = motion_kin(0);
            vgPrimOut out, as_body;
            vg_prim_eval(&p, 0, &k.a, &k.b, PRIM_ALL, &out);
            p.a = p.b = 0;
            vg_prim_eval(&p, 0, &k.a, &k.b, PRIM_ALL, &as_body);
            for (int r = 0; r < p.rows; r++) {
                CHECK_NEAR(out.phi[r], as_body.phi[r], 1e-15);
                CHECK_NEAR(out.bias[r], as_body.bias[r], 1e-14);
                for (int j = 0; j < 6; j++) {
                    CHECK_NEAR(out.Ba[r][j], as_body.Ba[r][j], 1e-15);
                    CHECK_NEAR(out.Bb[r][j], as_body.Bb[r][j], 1e-15);
                }
            }
        }
}

TEST(forms_by_points_and_vectors_give_the_same_rows)
{
    for (int i = 0; i < NKIND; i++) {
        vgPrim p = random_prim(kinds[i], 0);
        primPair k = random_pair(0);
        vgAtoms x = vg_prim_atoms(&p, &k.a, &k.b), g[VG_PRIM_MAX_ROWS];
        int rows = vg_prim_forms(&p, &x, g);
        CHECK_INT(rows, p.level == 0 ? p.rows : 0);
        vgPrimOut out;
        vg_prim_eval(&p, 0, &k.a, &k.b, VG_PRIM_RATE, &out);
        for (int r = 0; r < rows; r++) {
            double rate = vg_dot3(g[r].Pa, vg_kin_point_velocity(&k.a, p.ra)) +
                          vg_dot3(g[r].Pb, vg_kin_point_velocity(&k.b, p.rb)) +
                          vg_dot3(g[r].Ua, vg_mv3(k.a.R, vg_cross3(k.a.w, p.ua))) +
                          vg_dot3(g[r].Ub, vg_mv3(k.b.R, vg_cross3(k.b.w, p.ub))) +
                          vg_dot3(g[r].Wa, vg_mv3(k.a.R, vg_cross3(k.a.w, p.wa))) +
                          vg_dot3(g[r].Wb, vg_mv3(k.b.R, vg_cross3(k.b.w, p.wb)));
            CHECK_NEAR(rate, out.dot[r], 1e-13);
        }
    }
}

/* λ of DISTANCE is the force in the rod: the gradient has unit length on the constraint. */
TEST(distance_multiplier_is_the_rod_force)
{
    vgPrim p = random_prim(VG_PRIM_DISTANCE, 0);
    primPair k = random_pair(0);
    p.start = 1;
    vg_prim_start(&p, &k.a, &k.b);
    vgPrimOut out;
    vg_prim_eval(&p, 0, &k.a, &k.b, PRIM_ALL, &out);
    CHECK_NEAR(p.c, vg_norm3(vg_sub3(vg_kin_point(&k.b, p.rb), vg_kin_point(&k.a, p.ra))), 1e-15);
    CHECK_NEAR(out.phi[0], 0, 1e-15);
    CHECK_NEAR(vg_norm3(vg_load3(out.Bb[0])), 1, 1e-15);
}

/* A wheel on the plane z = 0 that leans by 0.3: the closed form of its centre's height and of pure rolling,
 * v = ω × (arm from the contact to the centre). */
TEST(leaning_wheel_in_closed_form)
{
    double lean = 0.3, radius = 0.5;
    vgPrim p = random_prim(VG_PRIM_CONTACT_HEIGHT, 0);
    p.a = -1;
    p.ra = p.rb = vg_zero3();
    p.ua = vg_v3(0, 0, 1);
    p.ub = vg_v3(0, 1, 0);
    p.c = radius;
    primPair k = {motion_ground(), motion_ground()};
    k.b.R = vg_so3_exp(vg_v3(lean, 0, 0));
    k.b.p = vg_v3(0.7, -0.2, radius * cos(lean));
    vgPrimOut out;
    vg_prim_eval(&p, 0, &k.a, &k.b, VG_PRIM_VALUE, &out);
    CHECK_NEAR(out.phi[0], 0, 1e-15);
    vgVec3 contact = vg_add3(k.b.p, vg_v3(0, radius * sin(lean), -radius * cos(lean)));
    vgVec3 w_W = vg_v3(0.4, -1.3, 0.8);
    k.b.w = vg_mtv3(k.b.R, w_W);
    k.b.v = vg_cross3(w_W, vg_sub3(k.b.p, contact));
    p.kind = VG_PRIM_ROLLING;
    p.level = 1;
    p.rows = 2;
    p.wa = vg_v3(1, 0, 0);
    p.wb = vg_v3(0, 1, 0);
    vg_prim_eval(&p, 0, &k.a, &k.b, VG_PRIM_VALUE, &out);
    CHECK_NEAR(out.phi[0], 0, 1e-15);
    CHECK_NEAR(out.phi[1], 0, 1e-15);
    k.b.v.x += 0.25; /* slips by just that */
    vg_prim_eval(&p, 0, &k.a, &k.b, VG_PRIM_VALUE, &out);
    CHECK_NEAR(out.phi[0], 0.25, 1e-15);
}

TEST(measure_rows_at_three_levels)
{
    vgMeasureOut m[2] = {{.value = 0.3, .rate = 2, .bias = 5}, {.value = -1, .rate = 0.5, .bias = 7}};
    vgLaw law = {.value = 0.25};
    vgPrim p = {.kind = VG_PRIM_MEASURE, .rows = 1, .nterm = 2, .k = {2, -3}, .law = &law, .c = 0.1};
    double phi, dot, bias;
    vg_prim_measure_eval(&p, 1, m, PRIM_ALL, &phi, &dot, &bias);
    CHECK_NEAR(phi, 2 * 0.3 + 3 - 0.1 - 0.25, 1e-15);
    CHECK_NEAR(dot, 4 - 1.5, 1e-15);
    CHECK_NEAR(bias, 10 - 21, 1e-14);
    p.level = 1;
    vg_prim_measure_eval(&p, 1, m, PRIM_ALL, &phi, &dot, &bias);
    CHECK_NEAR(phi, 2.5 - 0.25, 1e-15);
    CHECK_NEAR(dot, phi, 0);
    p.level = 2;
    vg_prim_measure_eval(&p, 1, m, PRIM_ALL, &phi, &dot, &bias);
    CHECK_NEAR(phi, 0, 0);
    CHECK_NEAR(bias, 10 - 21 - 0.25, 1e-14);
    p.level = 0;
    vg_prim_measure_start(&p, m);
    vg_prim_measure_eval(&p, 0, m, VG_PRIM_VALUE, &phi, &dot, &bias);
    CHECK_NEAR(phi, 0, 1e-15);
}

/* A right side f(t): value, rate and bias take f, its first and its second derivative. */
TEST(right_sides_of_time)
{
    vgExprScope scope = {0};
    vgExpr *expr = vg_expr_compile("0.2 + sin(3*t)", &scope);
    CHECK(expr != NULL);
    if (!expr) return;
    vgLaw law = {.expr = expr, .ninput = 1};
    vgPrim p = random_prim(VG_PRIM_ALONG, 0);
    primPair k = random_pair(0);
    vgPrimOut with, without;
    vg_prim_eval(&p, 0.4, &k.a, &k.b, PRIM_ALL, &without);
    p.law = &law;
    prim_check(&p, &k, 10);
    vg_prim_eval(&p, 0.4, &k.a, &k.b, PRIM_ALL, &with);
    CHECK_NEAR(without.phi[0] - with.phi[0], 0.2 + sin(1.2), 1e-15);
    CHECK_NEAR(without.dot[0] - with.dot[0], 3 * cos(1.2), 1e-14);
    CHECK_NEAR(without.bias[0] - with.bias[0], -9 * sin(1.2), 1e-14);
    vgMeasureOut m = {.value = 1, .rate = 2, .bias = 3};
    vgPrim drive = {.kind = VG_PRIM_MEASURE, .rows = 1, .nterm = 1, .k = {1}, .law = &law, .level = 1};
    double phi, dot, bias;
    vg_prim_measure_eval(&drive, 0.4, &m, PRIM_ALL, &phi, &dot, &bias);
    CHECK_NEAR(phi, 2 - 0.2 - sin(1.2), 1e-15);
    CHECK_NEAR(bias, 3 - 3 * cos(1.2), 1e-14);
    vg_expr_free(expr);
}

TEST_MAIN(derivatives_of_every_primitive, ground_on_either_side,
          forms_by_points_and_vectors_give_the_same_rows, distance_multiplier_is_the_rod_force,
          leaning_wheel_in_closed_form, measure_rows_at_three_levels, right_sides_of_time)
