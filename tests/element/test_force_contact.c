/* Contacts against closed forms. */
#include "element/force_rig.h"

static const rigText ball[] = {{"radius", "0.1"},   {"stiffness", "1e6"}, {"damping", "0.3"},
                               {"friction", "0.4"}, {"velocity", "1e-3"}, {NULL, NULL}};

static Rig sphere(int planar)
{
    return rig_new("contact-sphere-plane", ball, rig_frame(-1, vg_zero3()), rig_frame(1, vg_zero3()), planar);
}

static rigState at(vgVec3 p, vgVec3 v, vgVec3 w)
{
    rigState s = {.kin = {rig_rest(), rig_rest()}};
    s.kin[1].p = p, s.kin[1].v = v, s.kin[1].w = w;
    return s;
}

TEST(hunt_crossley_normal_force)
{
    Rig rig = sphere(0);
    rigOut out;
    double values[RIG_MAX], E = 1e6 * pow(0.01, 1.5);
    rigState s = at(vg_v3(0.3, -0.2, 0.09), vg_v3(0, 0, -2), vg_zero3());
    rig_eval(&rig, &s, 0, &out);
    CHECK_NEAR(out.f[8], E * (1 + 0.3 * 2), 1e-9);
    CHECK_NEAR(rig_energy(&rig, &s), 1e6 * pow(0.01, 2.5) / 2.5, 1e-12);
    rig_output(&rig, &s, values);
    CHECK_NEAR(values[0], 0.01, 1e-15);
    CHECK_NEAR(values[1], out.f[8], 1e-12);
    s = at(vg_v3(0, 0, 0.09), vg_v3(0, 0, 10), vg_zero3()); /* leaves faster than the law allows to pull */
    rig_eval(&rig, &s, 0, &out);
    CHECK_NEAR(out.f[8], 0, 0);
    s = at(vg_v3(0, 0, 0.1001), vg_v3(0, 0, -10), vg_zero3());
    rig_eval(&rig, &s, 1, &out);
    CHECK_NEAR(out.f[8], 0, 0);
    CHECK_NEAR(out.K[12 * 8 + 8], 0, 0);
    rig_free(&rig);
}

/* Where 1 + c d' nears zero its positive part is rounded: force and slope have no jump, and the force is
 * never more than w/4 of the elastic one above the corner, w = 0.05. */
TEST(no_pull_with_a_round_corner)
{
    Rig rig = sphere(0);
    const double E = 1e6 * pow(0.01, 1.5), h = 1e-4;
    double last = 0, slope = 0;
    for (int i = 0; i <= 100; i++) { /* 1 + c d' from −0.1 to 0.1 */
        double sum = -0.1 + 0.002 * i;
        rigOut out, up, down;
        rigState s = at(vg_v3(0, 0, 0.09), vg_v3(0, 0, (1 - sum) / 0.3), vg_zero3());
        rigState a = at(vg_v3(0, 0, 0.09), vg_v3(0, 0, (1 - sum) / 0.3 + h), vg_zero3());
        rigState b = at(vg_v3(0, 0, 0.09), vg_v3(0, 0, (1 - sum) / 0.3 - h), vg_zero3());
        rig_eval(&rig, &s, 1, &out);
        rig_eval(&rig, &a, 0, &up);
        rig_eval(&rig, &b, 0, &down);
        CHECK_NEAR(out.C[12 * 8 + 8], (up.f[8] - down.f[8]) / (2 * h), 1e-7 * E + (i % 25 ? 0 : 1e-4 * E));
        CHECK(out.f[8] >= fmax(sum, 0) * E - 1e-9 && out.f[8] <= (fmax(sum, 0) + 0.0125) * E + 1e-9);
        if (i > 0) CHECK(out.f[8] >= last && out.f[8] - last <= 0.00201 * E);
        if (i > 0) CHECK(fabs(out.C[12 * 8 + 8] - slope) <= 0.3 * 0.0201 * E);
        last = out.f[8], slope = out.C[12 * 8 + 8];
    }
    CHECK_NEAR(last, 0.1 * E, 1e-9);
    CHECK_NEAR(slope, -0.3 * E, 1e-9);
    rig_free(&rig);
}

/* Sliding: μN against the motion, with the moment of a force at the lowest point. Rolling: v = ω × r up, no
 * friction. */
TEST(friction_slides_and_rolls)
{
    Rig rig = sphere(0);
    rigOut out;
    double N = 1e6 * pow(0.01, 1.5);
    rigState s = at(vg_v3(0, 0, 0.09), vg_v3(3, 0, 0), vg_zero3());
    rig_eval(&rig, &s, 0, &out);
    CHECK_NEAR(out.f[6], -0.4 * N * 3 / sqrt(9 + 1e-6), 1e-9);
    CHECK_NEAR(out.f[10], 0.1 * 0.4 * N, 1e-5);
    double values[RIG_MAX];
    rig_output(&rig, &s, values); /* the force it tells is the force it applies */
    for (int i = 0; i < 3; i++) CHECK_NEAR(values[4 + i], out.f[6 + i], 1e-9);
    s = at(vg_v3(0, 0, 0.09), vg_v3(3, 0, 0), vg_v3(0, 30, 0));
    rig_eval(&rig, &s, 0, &out);
    CHECK_NEAR(out.f[6], 0, 1e-9);
    CHECK_NEAR(out.f[10], 0, 1e-9);
    rig_free(&rig);
}

TEST(planar_disc_rests_on_the_line_y_0)
{
    Rig rig = sphere(1);
    rigOut out;
    rigState s = at(vg_v3(0.4, 0.09, 0), vg_v3(3, 0, 0), vg_v3(0, 0, -30));
    rig_eval(&rig, &s, 0, &out);
    CHECK_NEAR(out.f[7], 1e6 * pow(0.01, 1.5), 1e-9);
    CHECK_NEAR(out.f[6], 0, 1e-9);
    CHECK_NEAR(out.f[11], 0, 1e-9);
    rig_free(&rig);
}

static void use_profile(Rig *rig, vgTable *table)
{
    for (int i = 0; i < rig->kind->nfield; i++)
        if (rig->kind->fields[i].type == VG_FIELD_TABLE) {
            vgTable **to = (vgTable **)((char *)rig->def + rig->kind->fields[i].offset);
            vg_table_free(*to);
            *to = table;
        }
}

/* h = x²/2: from the foot (s, s²/2) a distance δ along the inner normal leads to a point of depth δ. */
TEST(depth_is_measured_along_the_perpendicular)
{
    static const rigText text[] = {
        {"profile", "hill"}, {"stiffness", "500"}, {"exponent", "1"}, {NULL, NULL}};
    Rig rig = rig_new("contact-point-profile", text, rig_frame(-1, vg_zero3()), rig_frame(1, vg_zero3()), 0);
    vgTable *parabola;
    rigOut out;
    double values[RIG_MAX];
    vg_table_new(4, (double[]){-4, -1, 1, 4}, (double[]){8, 0.5, 0.5, 8}, VG_TABLE_CUBIC, VG_TABLE_EXTEND,
                 NULL, &parabola);
    use_profile(&rig, parabola);
    for (double x = -1.5; x < 2; x += 0.7) {
        double q = sqrt(1 + x * x), depth = 0.2;
        vgVec3 n = vg_v3(-x / q, 0, 1 / q), p = vg_axpy3(-depth, n, vg_v3(x, 0.3, x * x / 2));
        rigState s = at(p, vg_zero3(), vg_zero3());
        rig_eval(&rig, &s, 0, &out);
        CHECK_NEAR(vg_norm3(vg_axpy3(-500 * depth, n, vg_load3(out.f + 6))), 0, 1e-9);
        rig_output(&rig, &s, values);
        CHECK_NEAR(values[0], depth, 1e-12);
    }
    rig_free(&rig);
}

/* A ball on a straight slope: depth = radius − distance. Planar models use y over x. */
TEST(ball_on_a_slope)
{
    static const rigText text[] = {
        {"profile", "ramp"}, {"radius", "0.5"}, {"stiffness", "10"}, {"exponent", "1"}, {NULL, NULL}};
    Rig rig = rig_new("contact-point-profile", text, rig_frame(-1, vg_zero3()), rig_frame(1, vg_zero3()), 1);
    vgTable *slope;
    rigOut out;
    vg_table_new(2, (double[]){-1, 1}, (double[]){-0.75, 0.75}, VG_TABLE_LINEAR, VG_TABLE_EXTEND, NULL,
                 &slope);
    use_profile(&rig, slope);
    rigState s =
        at(vg_v3(2, 1.5 + 0.5, 0), vg_zero3(), vg_zero3()); /* 0.5 above: 0.4 along the normal (−0.6, 0.8) */
    rig_eval(&rig, &s, 0, &out);
    CHECK_NEAR(out.f[6], -0.6 * 10 * 0.1, 1e-13);
    CHECK_NEAR(out.f[7], 0.8 * 10 * 0.1, 1e-13);
    CHECK_NEAR(out.f[8], 0, 0);
    rig_free(&rig);
}

/* The force on a ball of radius 0.5 at rest, linear with 10 N/m. */
static vgVec3 push(const char *kind, const rigText *text, int planar, vgVec3 p)
{
    Rig rig = rig_new(kind, text, rig_frame(-1, vg_zero3()), rig_frame(1, vg_zero3()), planar);
    rigOut out;
    rigState s = at(p, vg_zero3(), vg_zero3());
    CHECK_INT(rig.status, VG_OK);
    rig_eval(&rig, &s, 0, &out);
    rig_free(&rig);
    return vg_load3(out.f + 6);
}

static void check_push(vgVec3 F, vgVec3 n, double depth)
{
    CHECK_NEAR(vg_norm3(vg_axpy3(-10 * depth, n, F)), 0, 1e-13);
}

/* A box of 2 × 4 × 6: over a face, an edge and a corner, from inside to the nearest face; a plane model has
 * no third pair of faces. */
TEST(ball_against_a_box)
{
    static const rigText text[] = {
        {"size", "2 4 6"}, {"radius", "0.5"}, {"stiffness", "10"}, {"exponent", "1"}, {NULL, NULL}};
    static const rigText plane[] = {
        {"size", "2 4 0"}, {"radius", "0.5"}, {"stiffness", "10"}, {"exponent", "1"}, {NULL, NULL}};
    const char *kind = "contact-sphere-box";
    double c = sqrt(0.5), d = sqrt(1 / 3.0);
    check_push(push(kind, text, 0, vg_v3(-1.3, 1.5, -2)), vg_v3(-1, 0, 0), 0.2);
    check_push(push(kind, text, 0, vg_v3(0.3, -2.2, 3.2)), vg_v3(0, -c, c), 0.5 - 0.2 * sqrt(2));
    check_push(push(kind, text, 0, vg_v3(1.2, -2.2, 3.2)), vg_v3(d, -d, d), 0.5 - 0.2 * sqrt(3));
    check_push(push(kind, text, 0, vg_v3(0.3, 0.1, -2.9)), vg_v3(0, 0, -1), 0.6);
    check_push(push(kind, text, 0, vg_v3(1.6, 0, 0)), vg_v3(1, 0, 0), 0);
    check_push(push(kind, text, 0, vg_v3(1.4, 2.4, 0)), vg_v3(1, 0, 0), 0); /* off the edge by 0.57 */
    check_push(push(kind, plane, 1, vg_v3(0.3, 1.8, 0)), vg_v3(0, 1, 0), 0.7);
    check_push(push(kind, plane, 1, vg_v3(-1.2, -2.2, 0)), vg_v3(-c, -c, 0), 0.5 - 0.2 * sqrt(2));
}

/* A bar of radius 0.2 along y from −1 to 1, beside it and at its round end; the tube of radius 0.8 around the
 * ball. */
TEST(ball_against_a_capsule)
{
    static const rigText bar[] = {{"length", "2"},     {"first", "0.2"},  {"radius", "0.5"}, {"axis", "y"},
                                  {"stiffness", "10"}, {"exponent", "1"}, {NULL, NULL}};
    static const rigText tube[] = {{"length", "2"},    {"first", "0.8"},    {"radius", "0.5"}, {"axis", "y"},
                                   {"inside", "true"}, {"stiffness", "10"}, {"exponent", "1"}, {NULL, NULL}};
    const char *kind = "contact-sphere-capsule";
    check_push(push(kind, bar, 0, vg_v3(0.3, 0.5, -0.4)), vg_v3(0.6, 0, -0.8), 0.2);
    check_push(push(kind, bar, 0, vg_v3(0.3, -1.4, 0)), vg_v3(0.6, -0.8, 0), 0.2);
    check_push(push(kind, bar, 0, vg_v3(0, 1.7, 0)), vg_v3(0, 1, 0), 0);
    check_push(push(kind, tube, 0, vg_v3(0.3, 0.5, -0.4)), vg_v3(-0.6, 0, 0.8), 0.2);
    check_push(push(kind, tube, 0, vg_v3(0.3, 1.4, 0)), vg_v3(-0.6, -0.8, 0), 0.2);
    check_push(push(kind, tube, 0, vg_v3(0, 0.5, 0)), vg_v3(0, 1, 0), 0);
}

/* What does not make sense is refused: a ball too large for its bowl, damping and restitution at once. */
TEST(contacts_that_cannot_be)
{
    static const rigText big[] = {
        {"radius", "1"}, {"first", "0.9"}, {"inside", "true"}, {"stiffness", "1"}, {NULL, NULL}};
    static const rigText both[] = {
        {"radius", "1"}, {"damping", "1"}, {"restitution", "0.5"}, {"stiffness", "1"}, {NULL, NULL}};
    for (int k = 0; k < 2; k++) {
        Rig rig = rig_new("contact-sphere-sphere", k ? both : big, rig_frame(0, vg_zero3()),
                          rig_frame(1, vg_zero3()), 0);
        CHECK_INT(rig.status, VG_BAD_INPUT);
        CHECK_STR(rig.setup.key, k ? "restitution" : "inside");
        rig_free(&rig);
    }
}

TEST_MAIN(hunt_crossley_normal_force, no_pull_with_a_round_corner, friction_slides_and_rolls,
          planar_disc_rests_on_the_line_y_0, depth_is_measured_along_the_perpendicular, ball_on_a_slope,
          ball_against_a_box, ball_against_a_capsule, contacts_that_cannot_be)
