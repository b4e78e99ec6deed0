/* Tendons: lengths about surfaces against closed forms and against a search over all paths, derivatives against
 * differences, wrenches against virtual work. */
#include <math.h>
#include <string.h>

#include "element/force/force.h"
#include "element/tendon/path.h"
#include "math/so3.h"
#include "test.h"

static const double PI = 3.14159265358979323846;

static double random_number(void)
{
    static unsigned long long seed = 88172645463325252ull;
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

static vgVec3 random_vec(double size)
{
    double x = random_number(), y = random_number(), z = random_number();
    return vg_v3(size * x, size * y, size * z);
}

/* Opposite points at distance 2r: two tangents of r√3 and an arc of π − 2·60°. */
TEST(lengths_in_closed_form)
{
    vgWrapOut o;
    double r = 0.3;
    vg_wrap(VG_WRAP_CYLINDER, r, NULL, vg_v3(2 * r, 1e-9, 0), vg_v3(-2 * r, 1e-9, 0), &o);
    CHECK(o.touches);
    CHECK_NEAR(o.length, r * (2 * sqrt(3) + PI / 3), 1e-8);
    /* the same with a rise along the axis: a straight line on the unrolled surface */
    vg_wrap(VG_WRAP_CYLINDER, r, NULL, vg_v3(2 * r, 1e-9, 0.1), vg_v3(-2 * r, 1e-9, 0.8), &o);
    CHECK_NEAR(o.length, hypot(r * (2 * sqrt(3) + PI / 3), 0.7), 1e-8);
    /* a quarter turn about a ball, any plane */
    vgMat3 R = vg_so3_exp(vg_v3(0.4, -1.1, 0.7));
    vg_wrap(VG_WRAP_SPHERE, r, NULL, vg_mv3(R, vg_v3(1.1 * r, 0, 0)), vg_mv3(R, vg_v3(0, 1.1 * r, 0)), &o);
    CHECK(o.touches);
    CHECK_NEAR(o.length, r * (2 * sqrt(0.21) + PI / 2 - 2 * acos(1 / 1.1)), 1e-14);
    /* by the long way: the side is opposite */
    vgVec3 side = vg_v3(-1, -1, 0);
    vg_wrap(VG_WRAP_CYLINDER, r, &side, vg_v3(1.1 * r, 0, 0), vg_v3(0, 1.1 * r, 0), &o);
    CHECK_NEAR(o.length, r * (2 * sqrt(0.21) + 3 * PI / 2 - 2 * acos(1 / 1.1)), 1e-14);
    /* clear of the surface, and inside: straight */
    vg_wrap(VG_WRAP_SPHERE, r, NULL, vg_v3(1, 0, 0), vg_v3(0, 1, 0), &o);
    CHECK(!o.touches);
    CHECK_NEAR(o.length, sqrt(2), 1e-15);
    vg_wrap(VG_WRAP_SPHERE, r, NULL, vg_v3(0.1, 0, 0), vg_v3(0, 1, 0), &o);
    CHECK(!o.touches);
}

/* The length is continuous with its gradient where the line begins to touch: slopes on both sides agree. */
TEST(touching_is_smooth)
{
    for (int kind = VG_WRAP_SPHERE; kind <= VG_WRAP_CYLINDER; kind++) {
        vgWrapOut a, b;
        vg_wrap((vgWrapKind)kind, 0.5, NULL, vg_v3(-1, 0.5 + 1e-9, 0), vg_v3(1.2, 0.5 + 1e-9, 0), &a);
        vg_wrap((vgWrapKind)kind, 0.5, NULL, vg_v3(-1, 0.5 - 1e-3, 0), vg_v3(1.2, 0.5 - 1e-3, 0), &b);
        CHECK(!a.touches && b.touches);
        CHECK_NEAR(a.length, b.length, 1e-5);
        for (int i = 0; i < 6; i++) CHECK_NEAR(a.grad[i], b.grad[i], 3e-3);
    }
}

/* No path over points of the surface is shorter than the one found: the least over many of them, from above. */
TEST(no_path_about_a_ball_is_shorter)
{
    for (int n = 0; n < 20; n++) {
        vgVec3 a = random_vec(2), b = random_vec(2);
        double r = 0.4 + 0.2 * random_number(), least = INFINITY;
        vgWrapOut o;
        vg_wrap(VG_WRAP_SPHERE, r, NULL, a, b, &o);
        if (!o.touches) continue;
        vgVec3 u = vg_unit3(a), w = vg_unit3(vg_axpy3(-vg_dot3(b, u), u, b));
        double end = acos(vg_dot3(u, vg_unit3(b)));
        for (int i = 0; i <= 400; i++)
            for (int j = i; j <= 400; j += 4) {
                double s = end * i / 400, t = end * j / 400;
                vgVec3 P = vg_scale3(vg_axpy3(tan(s), w, u), r * cos(s)),
                       Q = vg_scale3(vg_axpy3(tan(t), w, u), r * cos(t));
                double reach = vg_dot3(vg_sub3(a, P), P), back = vg_dot3(vg_sub3(b, Q), Q);
                if (reach < 0 || back < 0) continue; /* the line would cut the ball */
                least = fmin(least, vg_norm3(vg_sub3(a, P)) + r * (t - s) + vg_norm3(vg_sub3(b, Q)));
            }
        CHECK(o.length <= least + 1e-12);
        CHECK_NEAR(o.length, least, 2e-2);
    }
}

TEST(derivatives_agree_with_differences)
{
    int touched = 0;
    for (int n = 0; n < 200; n++) {
        vgWrapKind kind = n % 2 ? VG_WRAP_SPHERE : VG_WRAP_CYLINDER;
        double x[6], h = 1e-5;
        vgVec3 side = random_vec(3);
        const vgVec3 *s = n % 3 ? NULL : &side;
        for (int i = 0; i < 6; i++) x[i] = 1.5 * random_number();
        vgWrapOut o, p, m;
        vg_wrap(kind, 0.5, s, vg_load3(x), vg_load3(x + 3), &o);
        if (hypot(x[0], x[1]) < 0.55 || hypot(x[3], x[4]) < 0.55) continue;
        touched += o.touches;
        for (int i = 0; i < 6; i++) {
            double keep = x[i];
            x[i] = keep + h, vg_wrap(kind, 0.5, s, vg_load3(x), vg_load3(x + 3), &p);
            x[i] = keep - h, vg_wrap(kind, 0.5, s, vg_load3(x), vg_load3(x + 3), &m);
            x[i] = keep;
            if (p.touches != o.touches || m.touches != o.touches) break;
            CHECK_NEAR(o.grad[i], (p.length - m.length) / (2 * h), 1e-8);
            for (int j = 0; j < 6; j++) CHECK_NEAR(o.hess[j][i], (p.grad[j] - m.grad[j]) / (2 * h), 1e-6);
        }
    }
    CHECK(touched > 30);
}

/* A tendon over four bodies with a ball, a cylinder and a pulley. */
typedef struct Rope {
    vgPathItem item[6];
    vgForceHead head;
    const vgForceKind *kind;
    void *def;
    vgForceSetup setup;
    vgKin kin[4];
} Rope;

static void *field_at(Rope *r, const char *key)
{
    for (int i = 0; i < r->kind->nfield; i++)
        if (strcmp(r->kind->fields[i].key, key) == 0) return (char *)r->def + r->kind->fields[i].offset;
    CHECK(!"a field of tendons");
    return r->def;
}

static void make_rope(Rope *r, double store[64])
{
    memset(r, 0, sizeof *r);
    r->kind = vg_force_kind("tendon");
    CHECK(r->kind && r->kind->def_size <= 64 * sizeof *store);
    r->def = memset(store, 0, 64 * sizeof *store);
    vgForceHead *head = r->def;
    head->frame[0] = (vgFrame){-1, vg_v3(0, 0, 1), vg_eye3()};
    head->frame[1] = (vgFrame){2, vg_v3(0.1, 0.2, 0), vg_eye3()};
    r->item[0] = (vgPathItem){
        .kind = VG_PATH_SPHERE, .at = {0, vg_v3(0.1, 0, 0.1), vg_so3_exp(vg_v3(1, 2, 3))}, .radius = 0.4};
    r->item[1] = (vgPathItem){.kind = VG_PATH_POINT, .at = {1, vg_v3(0.2, -0.1, 0.3), vg_eye3()}};
    r->item[2] = (vgPathItem){.kind = VG_PATH_PULLEY, .radius = 2};
    r->item[3] = (vgPathItem){.kind = VG_PATH_POINT, .at = {1, vg_v3(0, 0.1, 0), vg_eye3()}};
    r->item[4] = (vgPathItem){.kind = VG_PATH_CYLINDER,
                              .at = {0, vg_v3(0, 0.3, 0), vg_so3_exp(vg_v3(0.3, -1, 0))},
                              .radius = 0.3,
                              .sided = 1,
                              .side = vg_v3(1, 1, 0)};
    *(vgPath *)field_at(r, "via") = (vgPath){5, r->item};
    *(double *)field_at(r, "stiffness") = 40;
    *(double *)field_at(r, "damping") = 3;
    *(double *)field_at(r, "length") = 0.7;
    ((vgLaw *)field_at(r, "force"))->value = NAN;
    CHECK_INT(r->kind->setup(r->def, 0, &r->setup), VG_OK);
    CHECK_INT(r->setup.nbody, 4);
    for (int i = 0; i < 4; i++) {
        vgVec3 spread = vg_v3(i == 1 ? 0 : 1.2, i == 3 ? 1.5 : 0, 0);
        r->kin[i] = (vgKin){.p = vg_add3(random_vec(0.3), spread),
                            .R = vg_so3_exp(random_vec(1)),
                            .v = random_vec(1),
                            .w = random_vec(1)};
        if (r->setup.body[i] < 0) r->kin[i] = (vgKin){.R = vg_eye3()};
    }
}

static void pull(const Rope *r, double f[24], double K[576], double C[576], double out[3])
{
    const vgKin *kin[4] = {&r->kin[0], &r->kin[1], &r->kin[2], &r->kin[3]};
    vgForceIn in = {.nbody = 4, .kin = kin};
    vgForceOut o = {.f = f, .K = K, .C = C};
    memset(f, 0, 24 * sizeof *f);
    if (K) memset(K, 0, 576 * sizeof *K);
    if (C) memset(C, 0, 576 * sizeof *C);
    r->kind->eval(r->def, &in, &o);
    if (out) r->kind->output(r->def, &in, out);
}

static void move(vgKin *k, int c, double h, int velocity)
{
    double d[6] = {0};
    d[c] = h;
    if (velocity) {
        k->v = vg_add3(k->v, vg_load3(d));
        k->w = vg_add3(k->w, vg_load3(d + 3));
    } else {
        k->p = vg_add3(k->p, vg_load3(d));
        k->R = vg_mm3(k->R, vg_so3_exp(vg_load3(d + 3)));
    }
}

TEST(wrenches_and_tangents_of_a_path)
{
    double store[64], f[24], K[576], C[576], out[3], p[24], m[24], up[3], down[3], h = 1e-5;
    for (int n = 0; n < 12; n++) {
        Rope r;
        make_rope(&r, store);
        pull(&r, f, K, C, out);
        CHECK_NEAR(out[0], 40 * (out[1] - 0.7) + 3 * out[2], 1e-12);
        double rate = 0;
        for (int i = 0; i < 4; i++) {
            double xi[6];
            vg_store3(r.kin[i].v, xi), vg_store3(r.kin[i].w, xi + 3);
            for (int c = 0; c < 6; c++) rate -= f[6 * i + c] * xi[c] / out[0];
        }
        CHECK_NEAR(rate, out[2], 1e-11 * fmax(1, fabs(rate))); /* power = −T ẋ */
        for (int j = 0; j < 24; j++)
            for (int level = 0; level < 2; level++) {
                Rope a = r, b = r;
                move(&a.kin[j / 6], j % 6, h, level), move(&b.kin[j / 6], j % 6, -h, level);
                pull(&a, p, NULL, NULL, up), pull(&b, m, NULL, NULL, down);
                if (!level) CHECK_NEAR(-f[j] / out[0], (up[1] - down[1]) / (2 * h), 1e-8); /* f = −T ∂x/∂ξ */
                for (int i = 0; i < 24; i++)
                    CHECK_NEAR((level ? C : K)[24 * i + j], (p[i] - m[i]) / (2 * h),
                               2e-5 * fmax(1, fabs(out[0])));
            }
    }
}

TEST(bad_paths_are_refused)
{
    double store[64];
    Rope r;
    make_rope(&r, store);
    r.item[1].kind = VG_PATH_CYLINDER, r.item[1].radius = 1; /* two surfaces side by side */
    CHECK_INT(r.kind->setup(r.def, 0, &r.setup), VG_BAD_INPUT);
    make_rope(&r, store);
    r.item[4].side = vg_v3(0.1, 0, 0); /* inside */
    CHECK_INT(r.kind->setup(r.def, 0, &r.setup), VG_BAD_INPUT);
    make_rope(&r, store);
    *(vgPath *)field_at(&r, "via") = (vgPath){3, r.item}; /* a pulley with nothing behind it */
    CHECK_INT(r.kind->setup(r.def, 0, &r.setup), VG_BAD_INPUT);
}

TEST_MAIN(lengths_in_closed_form, touching_is_smooth, no_path_about_a_ball_is_shorter,
          derivatives_agree_with_differences, wrenches_and_tangents_of_a_path, bad_paths_are_refused)
