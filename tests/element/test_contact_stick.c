/* Friction that holds: tangents by differences, and what bristles do by the law's own formulas. */
#include "element/contact/contact.h"
#include "element/force_rig.h"

typedef struct Here {
    vgKin kin[3];
    int rest;
} Here;

static void eval(const Rig *rig, const Here *x, double f[18], double *K, double *C)
{
    const vgKin *kin[3] = {&x->kin[0], &x->kin[1], &x->kin[2]};
    vgForceIn in = {.nbody = 3, .kin = kin, .rest = x->rest};
    for (int i = 0; i < 18; i++) f[i] = 0;
    for (int i = 0; i < 324 && K; i++) K[i] = C[i] = 0;
    rig->kind->eval(rig->def, &in, &(vgForceOut){.f = f, .K = K, .C = C});
}

static double *component(vgVec3 *v, int k)
{
    return k == 0 ? &v->x : k == 1 ? &v->y : &v->z;
}

static Here vary(const Here *s, int velocity, int j, double h)
{
    Here x = *s;
    vgKin *k = &x.kin[j / 6];
    int c = j % 6;
    if (velocity)
        *component(c < 3 ? &k->v : &k->w, c % 3) += h;
    else if (c < 3)
        *component(&k->p, c) += h;
    else
        k->R = vg_mm3(k->R, vg_so3_exp(vg_scale3(vg_unit_axis3(c - 3), h)));
    return x;
}

static void check_tangents(const Rig *rig, const Here *s)
{
    double f[18], J[2][324], k[2] = {1, 1};
    eval(rig, s, f, J[0], J[1]);
    for (int i = 0; i < 648; i++) k[i / 324] = fmax(k[i / 324], fabs(J[i / 324][i % 324]));
    for (int velocity = 0; velocity < 2; velocity++)
        for (int j = 0; j < 15; j++) { /* what integrates does not turn */
            double d[2][18];
            if (j / 6 == 1 && rig->setup.body[1] < 0) continue; /* the ground stays */
            for (int pass = 0; pass < 2; pass++) {
                double h = pass ? 2e-5 : 4e-5, plus[18], minus[18];
                Here a = vary(s, velocity, j, h), b = vary(s, velocity, j, -h);
                eval(rig, &a, plus, NULL, NULL);
                eval(rig, &b, minus, NULL, NULL);
                for (int i = 0; i < 18; i++) d[pass][i] = (plus[i] - minus[i]) / (2 * h);
            }
            for (int i = 0; i < 18; i++)
                if (i / 6 != 1 || rig->setup.body[1] >= 0)
                    CHECK_NEAR(J[velocity][18 * i + j], (4 * d[1][i] - d[0][i]) / 3, 1e-7 * k[velocity]);
        }
}

static const rigText law[] = {{"radius", "2.5"},   {"first", "1"},      {"stiffness", "200"},
                              {"damping", "0.2"},  {"friction", "0.6"}, {"static", "0.9"},
                              {"stribeck", "0.8"}, {"stick", "0.3"},    {NULL, NULL}};

static vgKin random_kin(void)
{
    vgVec3 p = rig_vec(0.4), turn = rig_vec(0.5), v = rig_vec(1), w = rig_vec(1);
    return (vgKin){.p = p, .R = vg_so3_exp(turn), .v = v, .w = w};
}

/* Bristles a little, half and more than fully bent, with and against the sliding; in the air; at rest. */
TEST(tangents_agree_with_differences)
{
    int loaded = 0;
    for (int pose = 0; pose < 24; pose++) {
        vgFrame A = {0, rig_vec(0.3), vg_so3_exp(rig_vec(0.5))};
        vgFrame B = {pose % 5 == 4 ? -1 : 1, rig_vec(0.3), vg_so3_exp(rig_vec(0.5))};
        Rig rig = rig_new("contact-sphere-sphere", law, A, B, 0);
        Here s = {.kin = {random_kin(), random_kin(), {.R = vg_eye3()}}, .rest = pose == 20};
        if (B.body < 0) s.kin[1] = rig_rest();
        if (pose == 21) s.kin[1].p = vg_v3(9, 0, 0);
        s.kin[2].v = rig_vec(pose % 3 == 0 ? 0.3 : pose % 3 == 1 ? 1 : 1.6);
        loaded += vg_norm3(s.kin[2].v) > 1;
        CHECK_INT(rig.status, VG_OK);
        CHECK_INT(rig.setup.nstate, 3);
        check_tangents(&rig, &s);
        rig_free(&rig);
    }
    CHECK(loaded >= 6);
}

static vgContactLaw bristles(double level0)
{
    return (vgContactLaw){.friction = 0.5, .level0 = level0, .stribeck = 0.01, .stick = 1e-3, .settle = 0.02};
}

static vgVec3 along(double x)
{
    return vg_v3(x, 0, 0);
}

/* Below 0.68 of the level all sliding bends the bristles; at the level nothing does and h = μ; backwards it
 * is elastic at once. Steady sliding across turns the bend towards the sliding. */
TEST(bristles_bend_and_slide)
{
    vgContactLaw law1 = bristles(0.5);
    vgGrip g;
    vg_contact_grip(&law1, along(0.2), along(0.5), 0, 0, &g);
    CHECK_NEAR(g.flow.x, 0.2 / 1e-3, 1e-12);
    vg_contact_grip(&law1, along(0.2), along(1), 0, 0, &g);
    CHECK_NEAR(g.flow.x, 0, 1e-12);
    CHECK_NEAR(g.h.x, 0.5, 1e-14);
    vg_contact_grip(&law1, along(0.2), along(1.1), 0, 0, &g);
    CHECK(g.flow.x < 0);
    vg_contact_grip(&law1, along(-0.2), along(1), 0, 0, &g);
    CHECK_NEAR(g.flow.x, -0.2 / 1e-3, 1e-12);
    vg_contact_grip(&law1, vg_v3(0.3, 0.4, 0), along(1), 0, 0, &g);
    CHECK_NEAR(g.flow.x, 0, 1e-12);
    CHECK_NEAR(g.flow.y, 0.4 / 1e-3, 1e-12);
    /* at rest what holds is the bend alone; static level at rest, sliding level far above Stribeck's speed */
    vg_contact_grip(&law1, along(0), along(0.9), 0, 0, &g);
    CHECK_NEAR(g.h.x, 0.45, 1e-15);
    law1 = bristles(0.75);
    vg_contact_grip(&law1, along(1), along(1), 0, 0, &g);
    CHECK_NEAR(g.flow.x, 0, 1e-12);
    vg_contact_grip(&law1, along(1e-9), along(1.5), 0, 0, &g);
    CHECK_NEAR(g.flow.x, 0, 1e-12);
    CHECK_NEAR(g.h.x, 0.75, 1e-8);
}

/* The damping of the bristles never adds more than half of the level, and takes energy. */
TEST(what_vibrates_is_damped)
{
    vgContactLaw law1 = bristles(0.5);
    vgGrip g;
    for (double v = -5; v < 5; v += 0.01) {
        vg_contact_grip(&law1, along(v), along(0), 0, 0, &g);
        CHECK(g.h.x * v >= 0 && fabs(g.h.x) <= 0.25 + 1e-12);
    }
    vg_contact_grip(&law1, along(1e-3 / 0.02), along(0), 0, 0, &g);
    CHECK_NEAR(g.h.x, 0.25, 1e-14);
}

TEST_MAIN(tangents_agree_with_differences, bristles_bend_and_slide, what_vibrates_is_damped)
