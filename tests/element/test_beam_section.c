/* Sections from shapes and materials against the tables of mechanics; cables. */
#include "beam_check.h"

static const double pi = 3.14159265358979323846;

static vgSectionDef empty(void)
{
    vgBeam b;
    beam_defaults(&vg_force_beam, &b);
    return b.section;
}

TEST(shapes)
{
    vgSection s;
    const char *key = NULL, *why = NULL;
    vgSectionDef d = empty();
    double tube[2] = {0.05, 0.045}, bar[2] = {0.02, 0.1};
    d.tube = (vgNumbers){2, tube}, d.E = 210e9, d.nu = 0.3, d.rho = 7800;
    CHECK_INT(vg_section_make(&d, 0, &s, &key, &why), VG_OK);
    double A = pi * (0.0025 - 0.002025), I = pi / 4 * (pow(0.05, 4) - pow(0.045, 4)), G = 210e9 / 2.6;
    CHECK_NEAR(s.C[0] / (210e9 * A), 1, 1e-14);
    CHECK_NEAR(s.C[21] / (G * 2 * I), 1, 1e-14);
    CHECK_NEAR(s.C[28] / (210e9 * I), 1, 1e-14);
    CHECK_NEAR(s.C[35] / (210e9 * I), 1, 1e-14);
    CHECK_NEAR(s.C[7] / (G * A), 0.53, 0.005); /* a thin tube's factor is near 2(1+nu)/(4+3nu) = 0.5306 */
    CHECK_NEAR(s.m / (7800 * A), 1, 1e-14);
    CHECK_NEAR(s.J.m[0][0] / (7800 * 2 * I), 1, 1e-14);
    d = empty();
    d.rectangle = (vgNumbers){2, bar}, d.E = 70e9, d.G = 26e9, d.rho = 2700;
    CHECK_INT(vg_section_make(&d, 0, &s, &key, &why), VG_OK);
    CHECK_NEAR(s.C[28] / (70e9 * 0.02 * 1e-3 / 12), 1, 1e-14); /* about y: height cubed */
    CHECK_NEAR(s.C[35] / (70e9 * 0.1 * 8e-6 / 12), 1, 1e-14);
    CHECK_NEAR(s.C[21] / (26e9 * 0.1 * 8e-6), 0.291, 5e-4); /* the table's value for edges 5 : 1 */
    CHECK_NEAR(s.J.m[1][1], 2700 * 0.02 * 1e-3 / 12, 1e-15);
    double square[2] = {1, 1};
    d.rectangle.at = square;
    CHECK_INT(vg_section_make(&d, 0, &s, &key, &why), VG_OK);
    CHECK_NEAR(s.C[21] / 26e9, 0.140577, 1e-6); /* Saint-Venant's square */
}

TEST(offsets)
{
    vgSection s;
    const char *key = NULL, *why = NULL;
    vgSectionDef d = empty();
    double e[2] = {0.1, -0.2}, sc[2] = {0.05, 0.3}, mc[2] = {-0.1, 0.4};
    d.EA = 10, d.GAy = 4, d.GAz = 5, d.GJ = 2, d.EIy = 3, d.EIz = 6, d.m = 2, d.Jx = 0.5, d.Jy = 0.2,
    d.Jz = 0.3;
    d.elastic_centre = (vgNumbers){2, e}, d.shear_centre = (vgNumbers){2, sc},
    d.mass_centre = (vgNumbers){2, mc};
    CHECK_INT(vg_section_make(&d, 0, &s, &key, &why), VG_OK);
    /* an axial force at the elastic centre, shear forces at the shear centre: the strains they should make */
    double strain[3][6] = {{0.1, 0, 0, 0, 0, 0}, {0, 0.2, 0, 0, 0, 0}, {0, 0, 0.3, 0, 0, 0}};
    double force[3][6] = {
        {1, 0, 0, 0, 1 * e[1], -1 * e[0]}, {0, 0.8, 0, -0.8 * sc[1], 0, 0}, {0, 0, 1.5, 1.5 * sc[0], 0, 0}};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 6; i++) {
            double f = 0;
            for (int j = 0; j < 6; j++) f += s.C[6 * i + j] * strain[k][j];
            CHECK_NEAR(f, force[k][i], 1e-15);
        }
    CHECK_NEAR(s.S.y, -0.2, 1e-15);
    CHECK_NEAR(s.S.z, 0.8, 1e-15);
    CHECK_NEAR(s.J.m[0][0], 0.5 + 2 * 0.17, 1e-15);
    CHECK_NEAR(s.J.m[1][2], 2 * 0.1 * 0.4, 1e-15);
}

TEST(refusals)
{
    vgSection s;
    const char *key = NULL, *why = NULL;
    vgSectionDef d = empty();
    CHECK_INT(vg_section_make(&d, 0, &s, &key, &why), VG_BAD_INPUT);
    CHECK_STR(key, "EA");
    double three[3] = {1, 2, 3}, wrong[36] = {0};
    d.EA = d.GAy = d.GJ = d.EIy = 1;
    CHECK_INT(vg_section_make(&d, 0, &s, &key, &why), VG_OK);
    d.tube = (vgNumbers){3, three};
    CHECK_INT(vg_section_make(&d, 0, &s, &key, &why), VG_BAD_INPUT);
    CHECK_STR(key, "tube");
    d.tube = (vgNumbers){0, NULL};
    d.stiffness = (vgNumbers){3, three};
    CHECK_INT(vg_section_make(&d, 0, &s, &key, &why), VG_BAD_INPUT);
    CHECK_STR(key, "stiffness");
    wrong[1] = 1;
    d.stiffness = (vgNumbers){36, wrong};
    CHECK_INT(vg_section_make(&d, 0, &s, &key, &why), VG_BAD_INPUT);
    CHECK_STR(why, "symmetric");
    d = empty();
    d.EA = d.GAy = d.EIz = 1;
    CHECK_INT(vg_section_make(&d, 1, &s, &key, &why), VG_OK); /* enough in the plane */
    CHECK_INT(vg_section_make(&d, 0, &s, &key, &why), VG_BAD_INPUT);
    CHECK_STR(key, "GJ");
}

typedef union Def {
    vgBeam b;
    char bytes[4096];
} Def;

static void set(Def *d, const char *key, double value)
{
    for (int i = 0; i < vg_force_cable.nfield; i++)
        if (strcmp(vg_force_cable.fields[i].key, key) == 0)
            memcpy(d->bytes + vg_force_cable.fields[i].offset, &value, sizeof value);
}

static void cable(int attached, double compression, Def *d, vgKin *kin)
{
    CHECK(vg_force_cable.def_size <= sizeof *d);
    beam_defaults(&vg_force_cable, d);
    set(d, "EA", 30);
    set(d, "m", 1.5);
    set(d, "damping", 0.2);
    set(d, "compression", compression);
    vgForceHead *head = (vgForceHead *)d;
    memset(kin, 0, BEAM_MAX * sizeof *kin);
    for (int a = 0; a < 2; a++) {
        kin[a].p = vg_v3(0.8 * a, 0.2 * a, 0);
        kin[a].R = vg_eye3();
        if (attached) head->frame[a].r = beam_random3(0.2);
    }
    vgForceSetup s = beam_ready(&vg_force_cable, d, 0, kin);
    CHECK_INT(s.inertial, 1);
    CHECK_INT(s.nbody, 2);
}

TEST(cable_tangents)
{
    vgVec3 g = vg_v3(1, -9.81, 2);
    for (int i = 0; i < 12; i++) {
        Def d;
        vgKin kin[BEAM_MAX];
        double f[BEAM_N] = {0}, K[144] = {0}, C[144] = {0}, M[144] = {0}, D[144];
        cable(i & 1, 0.3, &d, kin);
        for (int a = 0; a < 2; a++) {
            vgMat3 R = vg_so3_exp(beam_random3(0.3));
            kin[a].p = vg_add3(kin[a].p, beam_random3(0.15));
            kin[a].R = i & 1 ? R : vg_eye3();
            kin[a].v = beam_random3(2);
            kin[a].w = beam_random3(2);
            kin[a].dv = beam_random3(2);
            kin[a].dw = beam_random3(2);
        }
        kin[1].p = vg_add3(kin[1].p, vg_v3(i & 2 ? 0.6 : -0.3, 0, 0)); /* clearly taut or clearly slack, */
        kin[1].v = vg_add3(kin[1].v, vg_v3(i & 2 ? 5 : -5, 0, 0));     /* and more and more so */
        beam_eval(&vg_force_cable, &d, 2, kin, g, &(vgForceOut){.f = f, .K = K, .C = C, .M = M});
        beam_differences(&vg_force_cable, &d, 2, kin, g, 0, 0.02, D);
        CHECK(beam_distance(144, K, D) <= 1e-8 * beam_largest(144, D));
        beam_differences(&vg_force_cable, &d, 2, kin, g, 1, 0.2, D);
        CHECK(beam_distance(144, C, D) <= 1e-8 * beam_largest(144, D));
        beam_differences(&vg_force_cable, &d, 2, kin, g, 2, 0.2, D);
        for (int k = 0; k < 144; k++) D[k] = -D[k];
        CHECK(beam_distance(144, M, D) <= 1e-8 * beam_largest(144, D));
    }
}

/* A taut cable along each of the axes: EA/L along it, T/l across. */
TEST(cable_along_the_axes)
{
    for (int axis = 0; axis < 3; axis++) {
        Def d;
        vgKin kin[BEAM_MAX];
        double f[BEAM_N] = {0}, K[144] = {0}, L = hypot(0.8, 0.2);
        cable(0, 0, &d, kin);
        kin[0].p = vg_zero3();
        kin[1].p = vg_scale3(vg_unit_axis3(axis), 1.1 * L);
        beam_eval(&vg_force_cable, &d, 2, kin, vg_zero3(), &(vgForceOut){.f = f, .K = K});
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(f[i], i == axis ? 3 : 0, 1e-12);
            CHECK_NEAR(K[12 * i + 6 + i], i == axis ? 30 / L : 3 / (1.1 * L), 1e-10);
        }
    }
}

TEST(cable_pulls)
{
    Def d;
    vgKin kin[BEAM_MAX];
    double f[BEAM_N] = {0}, out[3], L = hypot(0.8, 0.2);
    cable(0, 0, &d, kin);
    kin[1].p = vg_scale3(kin[1].p, 1.1);
    const vgKin *at[2] = {&kin[0], &kin[1]};
    vgForceIn in = {.nbody = 2, .kin = at};
    vg_force_cable.output(&d, &in, out);
    CHECK_NEAR(out[0], 3, 1e-13);
    CHECK_NEAR(out[1], 1.1 * L, 1e-14);
    CHECK_NEAR(beam_energy(&vg_force_cable, &d, 2, kin), 0.5 * 30 * 0.01 * L, 1e-14);
    kin[1].v = vg_scale3(kin[1].p, -1e3); /* coming back fast it does not push */
    vg_force_cable.output(&d, &in, out);
    CHECK_NEAR(out[0], 0, 0);
    kin[1].v = vg_zero3();
    kin[1].p = vg_scale3(kin[1].p, 0.5); /* slack: only its weight */
    beam_eval(&vg_force_cable, &d, 2, kin, vg_v3(0, -10, 0), &(vgForceOut){.f = f});
    CHECK_NEAR(f[0], 0, 0);
    CHECK_NEAR(f[1] + f[7], -10 * 1.5 * L, 1e-13);
    kin[1].p = kin[0].p; /* ends that meet */
    double K[144] = {0};
    beam_eval(&vg_force_cable, &d, 2, kin, vg_zero3(), &(vgForceOut){.f = f, .K = K});
    CHECK(isfinite(f[0]) && isfinite(beam_largest(144, K)));
}

TEST_MAIN(shapes, offsets, refusals, cable_tangents, cable_along_the_axes, cable_pulls)
