/* Every force kind, looped over the list: tangents against Richardson differences, energy against wrench,
 * momentum, objectivity, dissipation, and sanity where things are zero. */
#include "element/force_rig.h"

typedef struct Sample {
    const char *kind;
    rigText text[8];
    int external; /* acts from outside: no reaction, fixed directions */
} Sample;

static const Sample listed[] = {
    {"spring", {{"stiffness", "300"}, {"damping", "7"}, {"length", "0.4"}, {"preload", "5"}}, 0},
    {"spring", {{"stiffness", "100"}}, 0},
    {"spring", {{"table", "curve"}, {"damper", "damper"}, {"length", "0.5"}}, 0},
    {"spring", {{"force", "20*(x-0.3)^3 + 4*v*x + ch1*x + ch0rate"}}, 0},
    {"spring", {{"force", "12"}}, 0},
    {"tendon", {{"stiffness", "300"}, {"damping", "7"}, {"length", "0.4"}, {"preload", "5"}}, 0},
    {"tendon", {{"force", "20*(x-0.3)^3 + 4*v*x + ch1*x + ch0rate"}}, 0},
    {"torsion", {{"stiffness", "30"}, {"damping", "2"}, {"angle0", "0.3"}, {"preload", "4"}}, 0},
    {"torsion", {{"table", "curve"}, {"damping", "1"}}, 0},
    {"torsion", {{"torque", "sin(x)*3 + v^3 - ch0*t"}}, 0},
    {"bushing",
     {{"stiffness", "100 200 300 10 20 30"}, {"damping", "5 6 7 1 2 3"}, {"preload", "1 -2 3 0.5 0.6 -0.7"}},
     0},
    {"bushing", {{"stiffness", "80"}, {"relaxed", "true"}}, 0},
    {"force", {{"value", "3;-2;5"}}, 1},
    {"force", {{"value", "3*ch0*ch0rate+t;-2;ch2-ch0"}}, 1},
    {"force", {{"value", "ch0^2;4;-1*t"}, {"frame", "body"}}, 1},
    {"torque", {{"value", "3*ch0rate;sin(t);ch3"}}, 1},
    {"torque", {{"value", "1;2;ch1"}, {"frame", "body"}}, 1},
    {"joint-torque", {{"value", "2*sin(4*t) - 3*x*v + ch0*ch1rate"}}, 1},
    {"joint-torque", {{"value", "4"}}, 1},
    {"joint-friction",
     {{"coulomb", "3"}, {"static", "5"}, {"viscous", "0.7"}, {"velocity", "0.8"}, {"stribeck", "0.9"}},
     0},
    {"joint-friction", {{"coulomb", "2"}, {"velocity", "0.5"}}, 0},
    {"pid", {{"target", "sin(2*t)"}, {"p", "40"}, {"d", "3"}, {"i", "11"}, {"limit", "30"}}, 1},
    {"pid", {{"target", "0.4*t"}, {"p", "40"}, {"d", "3"}}, 1},
    {"rotor", {{"inertia", "0.02"}, {"ratio", "12"}}, 1},
    {"contact-sphere-plane",
     {{"radius", "2.5"}, {"stiffness", "200"}, {"damping", "0.2"}, {"friction", "0.6"}, {"velocity", "0.7"}},
     0},
    {"contact-sphere-plane", {{"radius", "2.5"}, {"stiffness", "200"}, {"exponent", "2.2"}}, 0},
    {"contact-point-profile",
     {{"profile", "hill"},
      {"radius", "2.5"},
      {"stiffness", "200"},
      {"damping", "0.2"},
      {"friction", "0.6"},
      {"velocity", "0.7"}},
     0},
    {"contact-point-profile", {{"profile", "hill"}, {"radius", "2"}, {"stiffness", "50"}}, 0},
    {"tyre-calspan",
     {{"road", "waves"}, {"radius", "2.5"}, {"stiffness", "2000"}, {"damping", "40"}, {"velocity", "0.7"}},
     0},
    {"tyre-calspan", {{"radius", "2.5"}, {"stiffness", "2000"}, {"vertical", "true"}, {"skid", "0.3"}}, 0},
    {"tyre-calspan",
     {{"road", "waves"}, {"radius", "2.5"}, {"stiffness", "9000"}, {"vertical", "true"}, {"velocity", "0.7"}},
     0},
    {"tyre-linear",
     {{"road", "waves"},
      {"radius", "2.5"},
      {"stiffness", "200"},
      {"damping", "5"},
      {"cornering", "300"},
      {"camber", "50"},
      {"trail", "0.1"}},
     0},
    {"axial-spring",
     {{"axis", "-y"}, {"stiffness", "300"}, {"damping", "7"}, {"length", "0.4"}, {"preload", "5"}},
     0},
    {"axial-spring", {{"axis", "x"}, {"table", "curve"}, {"damper", "damper"}}, 0},
    {"axial-spring", {{"axis", "-x"}, {"stiffness", "300"}, {"length", "0.4"}, {"preload", "5"}}, 0},
    {"flywheel", {{"momentum", "3"}, {"axis", "y"}}, 1},
    {"callback", {{NULL, NULL}}, 1},
    {"drag", {{"size", "0.3 0.4 0.1"}, {"density", "50"}, {"viscosity", "3"}, {"wind", "0.3 -0.4 0.5"}}, 1},
    {"drag", {{"size", "0.3 0.4 0.1"}, {"density", "50"}}, 1},
    {"cable", {{"EA", "90"}, {"damping", "0.1"}, {"length", "0.5"}, {"compression", "0.4"}}, 0},
    {"contact-sphere-sphere",
     {{"radius", "2.5"},
      {"first", "1"},
      {"stiffness", "200"},
      {"damping", "0.2"},
      {"friction", "0.6"},
      {"velocity", "0.7"}},
     0},
    {"contact-sphere-sphere", {{"radius", "2.5"}, {"stiffness", "200"}, {"exponent", "2.2"}}, 0},
    {"contact-sphere-sphere",
     {{"radius", "2.9"},
      {"first", "3"},
      {"inside", "true"},
      {"stiffness", "200"},
      {"restitution", "0.7"},
      {"friction", "0.6"},
      {"velocity", "0.7"}},
     0},
    {"contact-sphere-box",
     {{"radius", "2.5"},
      {"size", "0.3 0.4 0.1"},
      {"stiffness", "200"},
      {"damping", "0.2"},
      {"friction", "0.6"},
      {"velocity", "0.7"}},
     0},
    {"contact-sphere-box", {{"radius", "2.5"}, {"size", "2 3 4"}, {"stiffness", "200"}}, 0},
    {"contact-sphere-capsule",
     {{"radius", "2.5"},
      {"first", "0.3"},
      {"length", "0.5"},
      {"stiffness", "200"},
      {"damping", "0.2"},
      {"friction", "0.6"},
      {"velocity", "0.7"}},
     0},
    {"contact-sphere-capsule",
     {{"radius", "2.9"}, {"first", "3"}, {"length", "0.2"}, {"inside", "true"}, {"stiffness", "200"}},
     0},
};

enum { NGIVEN = sizeof listed / sizeof listed[0], MAX_SAMPLES = NGIVEN + 64, POSES = 6 };

/* Kinds with more bodies than the rig holds, proven in a suite of their own (test_beam_tangent). */
static const char *const elsewhere[] = {"beam", "beam3"};

/* Some text for a field that an entry must have, or that makes it do something. */
static const char *some_text(const vgField *field)
{
    static char kept[64][24];
    static int n;
    double x = field->min < field->max ? fmin(fmax(1.3, field->min), field->max) : 1.3;
    snprintf(kept[n %= 64], sizeof kept[0], "%.17g", x);
    switch (field->type) {
    case VG_FIELD_BOOL:
        return "true";
    case VG_FIELD_LAW3:
        return "3;-2;ch0";
    case VG_FIELD_AXIS:
        return "x";
    case VG_FIELD_TABLE:
        return "curve";
    case VG_FIELD_ROAD:
        return "waves";
    default:
        return kept[n++];
    }
}

/* The listed samples, and one for every kind that has none: its required fields and those of which it needs one, by the
 * field table. So a new kind is tested by being in the list. */
static Sample samples[MAX_SAMPLES];
static int nsample;

static void sample_of(const vgForceKind *kind)
{
    Sample *s = &samples[nsample++];
    int n = 0, needed = kind->some != NULL;
    *s = (Sample){.kind = kind->name, .external = kind->head != VG_HEAD_FRAMES};
    for (int i = 0; i < kind->nfield && n < 7; i++) {
        int one_of = 0;
        for (int k = 0; kind->some && kind->some[k]; k++)
            one_of |= needed && strcmp(kind->some[k], kind->fields[i].key) == 0;
        if (kind->fields[i].fallback && !one_of) continue;
        if (one_of) needed = 0;
        s->text[n++] = (rigText){kind->fields[i].key, some_text(&kind->fields[i])};
    }
}

static void make_samples(void)
{
    for (; nsample < NGIVEN; nsample++) samples[nsample] = listed[nsample];
    for (int i = 0; vg_force_kinds[i] && nsample < MAX_SAMPLES; i++) {
        int known = 0;
        for (int k = 0; k < NGIVEN; k++) known |= strcmp(listed[k].kind, vg_force_kinds[i]->name) == 0;
        for (size_t k = 0; k < sizeof elsewhere / sizeof elsewhere[0]; k++)
            known |= strcmp(elsewhere[k], vg_force_kinds[i]->name) == 0;
        if (!known) sample_of(vg_force_kinds[i]);
    }
}

/* Whether there is a sample k; begins it with random numbers of its own, and names the one before if it failed:
 *     for (int k = 0; begin(k); k++) */
static int begin(int k)
{
    static int failed;
    if (!nsample) make_samples();
    if (k > 0 && test_failed_checks > failed) printf("  in %s, sample %d\n", samples[k - 1].kind, k - 1);
    failed = test_failed_checks;
    int nth = 0;
    for (int i = 0; i < k && k < nsample; i++) nth += strcmp(samples[i].kind, samples[k].kind) == 0;
    if (k < nsample) rig_seed = test_seed(samples[k].kind, nth);
    return k < nsample;
}

/* A force that depends on everything, of no physical meaning. */
static int odd_callback(void *user, double t, const vgCallbackMotion m[2], double wrench[12],
                        double *jacobian)
{
    (void)user, (void)jacobian;
    for (int i = 0; i < 3; i++) {
        double d = m[1].position[i] - m[0].position[i], u = m[1].velocity[i] - m[0].omega[i];
        wrench[i] = 3 * d - u + t;
        wrench[3 + i] = m[0].rotation[3 * i + 1] * d;
        wrench[6 + i] = m[1].rotation[i] * u + 0.3 * d * d;
        wrench[9 + i] = m[1].omega[i] * d - 2 * m[0].velocity[i];
    }
    return 0;
}

static vgFrame random_frame(int body)
{
    vgVec3 r = rig_vec(0.3), turn = rig_vec(0.5);
    return (vgFrame){body, r, vg_so3_exp(turn)};
}

static vgKin random_kin(void)
{
    vgVec3 p = rig_vec(0.4), turn = rig_vec(0.5), v = rig_vec(1), w = rig_vec(1);
    return (vgKin){.p = p, .R = vg_so3_exp(turn), .v = v, .w = w};
}

static rigState random_state(void)
{
    rigState s = {.t = 0.7};
    for (int i = 0; i < 2; i++) s.kin[i] = random_kin();
    for (int i = 0; i < 4; i++) {
        s.value[i] = rig_random();
        s.rate[i] = rig_random();
        s.acc[i] = rig_random();
    }
    for (int i = 0; i < 2 * RIG_CHANNELS; i++) s.channel[i] = rig_random();
    return s;
}

static void stop(rigState *s)
{
    for (int b = 0; b < 2; b++) s->kin[b].v = s->kin[b].w = vg_zero3();
    for (int i = 0; i < 4; i++) s->rate[i] = 0;
}

static Rig random_rig(const Sample *sample)
{
    vgFrame A = random_frame(0), B = random_frame(1);
    Rig rig = rig_new(sample->kind, sample->text, A, B, 0);
    CHECK_INT(rig.status, VG_OK);
    rig.setup.nmeasure += rig.setup.nscalar;
    if (strcmp(sample->kind, "callback") == 0) vg_force_callback_set(rig.def, odd_callback, NULL);
    rigState s = random_state();
    rig_place(&rig, &s);
    return rig;
}

static double *component(vgVec3 *v, int k)
{
    return k == 0 ? &v->x : k == 1 ? &v->y : &v->z;
}

/* What can be varied: 0..11 native pose, 12..23 native velocity, 24.. value, rate, acceleration of 4
 * measures, 36.. channels. */
static rigState vary(const rigState *s, int j, double h)
{
    rigState x = *s;
    int c = j % 6;
    if (j < 24) {
        vgKin *k = &x.kin[j / 6 % 2];
        if (j >= 12)
            *component(c < 3 ? &k->v : &k->w, c % 3) += h;
        else if (c < 3)
            *component(&k->p, c) += h;
        else
            k->R = vg_mm3(k->R, vg_so3_exp(vg_scale3(vg_unit_axis3(c - 3), h)));
    } else if (j < 36) {
        (j < 28 ? x.value : j < 32 ? x.rate : x.acc)[j % 4] += h;
    } else {
        x.channel[j - 36] += h;
    }
    return x;
}

/* d(f, Q)/d(variable j), central differences extrapolated: error O(h⁴). */
static void difference(const Rig *rig, const rigState *s, int j, double out[16])
{
    double d[2][16];
    for (int pass = 0; pass < 2; pass++) {
        double h = pass ? 5e-4 : 1e-3;
        rigOut plus, minus;
        rigState a = vary(s, j, h), b = vary(s, j, -h);
        rig_eval(rig, &a, 0, &plus);
        rig_eval(rig, &b, 0, &minus);
        for (int i = 0; i < 12; i++) d[pass][i] = (plus.f[i] - minus.f[i]) / (2 * h);
        for (int i = 0; i < 4; i++) d[pass][12 + i] = (plus.Q[i] - minus.Q[i]) / (2 * h);
    }
    for (int i = 0; i < 16; i++) out[i] = (4 * d[1][i] - d[0][i]) / 3;
}

static double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static void check_tangents(const Rig *rig, const rigState *s)
{
    rigOut out;
    double d[16];
    int n = 6 * rig->setup.nbody, m = rig->setup.nmeasure;
    rig_eval(rig, s, 1, &out);
    double k = fmax(1, largest(out.K, n * n)), c = fmax(1, largest(out.C, n * n));
    for (int j = 0; j < n; j++) {
        difference(rig, s, j, d);
        for (int i = 0; i < n; i++) CHECK_NEAR(out.K[n * i + j], d[i], 1e-8 * k);
        difference(rig, s, 12 + j, d);
        for (int i = 0; i < n; i++) CHECK_NEAR(out.C[n * i + j], d[i], 1e-8 * c);
    }
    double q = fmax(1, largest(out.dQ, 2 * m * m)), a = fmax(1, largest(out.dA, m * m));
    for (int j = 0; j < m; j++) {
        for (int level = 0; level < 2; level++) {
            difference(rig, s, 24 + 4 * level + j, d);
            for (int i = 0; i < m; i++) CHECK_NEAR(out.dQ[2 * m * i + m * level + j], d[12 + i], 1e-8 * q);
        }
        difference(rig, s, 32 + j, d);
        for (int i = 0; i < m; i++) CHECK_NEAR(out.dA[m * i + j], -d[12 + i], 1e-8 * a);
    }
}

TEST(tangents_agree_with_differences)
{
    for (int k = 0; begin(k); k++)
        for (int pose = 0; pose < POSES; pose++) {
            Rig rig = random_rig(&samples[k]);
            rigState s = random_state();
            check_tangents(&rig, &s);
            rig_free(&rig);
        }
}

/* Columns of dL follow the laws' external inputs. A channel that several laws use has a column in each. */
TEST(derivatives_by_channels)
{
    int columns = 0;
    for (int k = 0; begin(k); k++) {
        Rig rig = random_rig(&samples[k]);
        rigState s = random_state();
        rigOut out;
        int n = 6 * rig.setup.nbody, rows = n + rig.setup.nmeasure, total = 0;
        double sum[2 * RIG_CHANNELS][16] = {{0}}, d[16];
        rig_eval(&rig, &s, 1, &out);
        for (int l = 0; l < rig.setup.nlaw; l++) total += vg_law_nexternal(rig.setup.law[l]);
        for (int l = 0, col = 0; l < rig.setup.nlaw; l++)
            for (int i = 0; i < rig.setup.law[l]->ninput; i++) {
                int slot = rig.setup.law[l]->slot[i];
                if (slot < VG_LAW_LOCAL) continue;
                for (int r = 0; r < rows; r++)
                    sum[slot - VG_LAW_LOCAL][r < n ? r : 12 + r - n] += out.dL[total * r + col];
                col++, columns++;
            }
        for (int c = 0; c < 2 * RIG_CHANNELS; c++) {
            difference(&rig, &s, 36 + c, d);
            for (int i = 0; i < 16; i++) CHECK_NEAR(sum[c][i], d[i], 1e-9);
        }
        rig_free(&rig);
    }
    CHECK(columns >= 12);
}

static double slope_of_energy(const Rig *rig, const rigState *s, int variable)
{
    double d[2];
    for (int pass = 0; pass < 2; pass++) {
        double h = pass ? 5e-4 : 1e-3;
        rigState a = vary(s, variable, h), b = vary(s, variable, -h);
        d[pass] = (rig_energy(rig, &a) - rig_energy(rig, &b)) / (2 * h);
    }
    return (4 * d[1] - d[0]) / 3;
}

/* At rest what remains of an element with a potential is its negative gradient. */
TEST(energy_is_the_potential_of_the_wrench)
{
    int counted = 0;
    for (int k = 0; begin(k); k++)
        for (int pose = 0; pose < POSES; pose++) {
            Rig rig = random_rig(&samples[k]);
            rigState s = random_state();
            rigOut out;
            int n = 6 * rig.setup.nbody, m = rig.setup.nmeasure;
            stop(&s);
            rig_eval(&rig, &s, 0, &out);
            if (rig.kind->energy && rig_energy(&rig, &s) != 0) {
                double scale = fmax(1, largest(out.f, 12));
                counted++;
                for (int j = 0; j < n; j++) CHECK_NEAR(out.f[j], -slope_of_energy(&rig, &s, j), 1e-8 * scale);
                for (int j = 0; j < m; j++) CHECK_NEAR(out.Q[j], -slope_of_energy(&rig, &s, 24 + j), 1e-8);
            }
            rig_free(&rig);
        }
    CHECK(counted >= 11 * POSES);
}

TEST(internal_forces_have_no_resultant)
{
    for (int k = 0; begin(k); k++)
        for (int pose = 0; pose < POSES && !samples[k].external; pose++) {
            Rig rig = random_rig(&samples[k]);
            rigState s = random_state();
            rigOut out;
            vgVec3 force = vg_zero3(), moment = vg_zero3();
            rig_eval(&rig, &s, 0, &out);
            for (int b = 0; b < rig.setup.nbody; b++) {
                vgVec3 F = vg_load3(out.f + 6 * b);
                force = vg_add3(force, F);
                moment = vg_add3(moment, vg_cross3(s.kin[b].p, F));
                moment = vg_add3(moment, vg_mv3(s.kin[b].R, vg_load3(out.f + 6 * b + 3)));
            }
            double scale = fmax(1, largest(out.f, 12));
            CHECK(rig.setup.nbody == 0 || largest(out.f, 12) > 1e-6);
            CHECK_NEAR(vg_norm3(force), 0, 1e-13 * scale);
            CHECK_NEAR(vg_norm3(moment), 0, 1e-13 * scale);
            rig_free(&rig);
        }
}

/* Forces and torques as given, along the world or along the frame they are at, and what they tell of it. */
TEST(applied_loads)
{
    static const char *const kinds[] = {"force", "torque"};
    for (int k = 0; k < 2; k++)
        for (int follows = 0; follows < 2; follows++) {
            const rigText text[] = {
                {"value", "1.5;2*t;-0.7"}, {"frame", follows ? "body" : "world"}, {NULL, NULL}};
            vgFrame A = random_frame(0);
            Rig rig = rig_new(kinds[k], text, A, random_frame(1), 0);
            rigState s = random_state();
            rigOut out;
            double values[RIG_MAX];
            s.t = 0.3;
            vgVec3 given = vg_v3(1.5, 0.6, -0.7), in_body = vg_mtv3(s.kin[0].R, given);
            if (follows) in_body = vg_mv3(A.R, given);
            vgVec3 F = k ? vg_zero3() : vg_mv3(s.kin[0].R, in_body),
                   T = k ? in_body : vg_cross3(A.r, in_body);
            const double want[6] = {F.x, F.y, F.z, T.x, T.y, T.z};
            rig_eval(&rig, &s, 0, &out);
            for (int i = 0; i < 6; i++) CHECK_NEAR(out.f[i], want[i], 1e-14);
            CHECK_INT(rig_output(&rig, &s, values), 3);
            CHECK_NEAR(values[0], 1.5, 0);
            CHECK_NEAR(values[1], 0.6, 1e-15);
            CHECK_NEAR(values[2], -0.7, 0);
            rig_free(&rig);
        }
}

/* A pair force does not know where in the world it is, nor how the world turns and moves. */
TEST(internal_forces_are_objective)
{
    for (int k = 0; begin(k); k++) {
        if (samples[k].external) continue;
        Rig rig = random_rig(&samples[k]);
        rigState s = random_state(), x = s;
        rigOut out, moved;
        vgMat3 Q = vg_so3_exp(rig_vec(2));
        vgVec3 c = rig_vec(3), V = rig_vec(2), spin = rig_vec(2);
        for (int b = 0; b < 2; b++) {
            const vgKin *from = &s.kin[b];
            vgKin *to = &x.kin[b];
            to->p = vg_add3(c, vg_mv3(Q, from->p));
            to->R = vg_mm3(Q, from->R);
            to->v = vg_add3(vg_mv3(Q, from->v), vg_add3(V, vg_cross3(spin, to->p)));
            to->w = vg_add3(from->w, vg_mtv3(to->R, spin));
            to->dv = vg_add3(vg_mv3(Q, from->dv), vg_cross3(spin, vg_add3(vg_mv3(Q, from->v), to->v)));
            to->dw = vg_sub3(from->dw, vg_cross3(to->w, vg_mtv3(to->R, spin)));
        }
        rig_eval(&rig, &s, 0, &out);
        rig_eval(&rig, &x, 0, &moved);
        double tolerance = 1e-12 * fmax(1, largest(out.f, 12));
        for (int b = 0; b < rig.setup.nbody; b++) {
            vgVec3 F = vg_mv3(Q, vg_load3(out.f + 6 * b));
            CHECK_NEAR(vg_norm3(vg_sub3(F, vg_load3(moved.f + 6 * b))), 0, tolerance);
            for (int i = 3; i < 6; i++) CHECK_NEAR(moved.f[6 * b + i], out.f[6 * b + i], tolerance);
        }
        rig_free(&rig);
    }
}

/* Power of what velocity adds to the force: (f(ξ) − f(0))·ξ. */
static double damping_power(const Rig *rig, rigState s)
{
    rigState rest = s;
    rigOut moving, still;
    double power = 0;
    stop(&rest);
    rig_eval(rig, &s, 0, &moving);
    rig_eval(rig, &rest, 0, &still);
    for (int b = 0; b < rig->setup.nbody; b++)
        for (int i = 0; i < 6; i++)
            power += (moving.f[6 * b + i] - still.f[6 * b + i]) *
                     *component(i < 3 ? &s.kin[b].v : &s.kin[b].w, i % 3);
    for (int i = 0; i < rig->setup.nmeasure; i++) power += (moving.Q[i] - still.Q[i]) * s.rate[i];
    return power;
}

/* Dampers and friction take energy; laws given by the user may do as they like. A tyre looks at the velocity
 * of the wheel's centre and not at that of the point of contact, so it may give to a spin. */
TEST(damping_takes_energy)
{
    for (int k = 0; begin(k); k++) {
        const char *key = samples[k].text[0].key;
        if (samples[k].external || k >= NGIVEN || strncmp(samples[k].kind, "tyre", 4) == 0 ||
            strcmp(key, "force") == 0 || strcmp(key, "torque") == 0)
            continue;
        for (int pose = 0; pose < POSES; pose++) {
            Rig rig = random_rig(&samples[k]);
            double power = damping_power(&rig, random_state());
            CHECK(rig.setup.velocity ? power < 0 : power == 0);
            rig_free(&rig);
        }
    }
}

static int all_finite(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

TEST(finite_where_everything_is_zero)
{
    for (int k = 0; begin(k); k++) {
        rigState s = {.kin = {rig_rest(), rig_rest()}};
        double values[RIG_MAX];
        rigOut out;
        vgFrame A = rig_frame(0, vg_zero3()), B = rig_frame(1, vg_zero3());
        Rig rig = rig_new(samples[k].kind, samples[k].text, A, B, 0);
        rig_place(&rig, &s);
        rig_eval(&rig, &s, 1, &out);
        CHECK(all_finite(out.f, 12) && all_finite(out.K, 144) && all_finite(out.C, 144));
        CHECK(all_finite(out.Q, 4) && all_finite(out.dQ, 32) && all_finite(out.dL, 640));
        CHECK(!rig.kind->energy || isfinite(rig_energy(&rig, &s)));
        CHECK(all_finite(values, rig_output(&rig, &s, values)));
        rig_free(&rig);
    }
}

/* In planar motion with planar frames the wrench stays in the plane. */
TEST(planar_motion_gives_planar_wrenches)
{
    for (int k = 0; begin(k); k++) {
        if (samples[k].external || vg_force_kind(samples[k].kind)->planar == 0) continue;
        rigState s = random_state();
        rigOut out;
        rigText text[9] = {{NULL, NULL}};
        for (int i = 0; i < 8 && samples[k].text[i].key; i++) {
            text[i] = samples[k].text[i];
            if (strcmp(text[i].key, "preload") == 0 && strchr(text[i].text, ' '))
                text[i].text = "1 -2 0 0 0 3";
        }
        vgFrame A = {0, vg_v3(0.1, 0.2, 0), vg_so3_exp(vg_v3(0, 0, 0.4))};
        vgFrame B = {1, vg_v3(-0.2, 0.1, 0), vg_so3_exp(vg_v3(0, 0, -0.3))};
        Rig rig = rig_new(samples[k].kind, text, A, B, 1);
        for (int b = 0; b < 2; b++) {
            s.kin[b].p.z = s.kin[b].v.z = s.kin[b].w.x = s.kin[b].w.y = 0;
            s.kin[b].R = vg_so3_exp(vg_v3(0, 0, 0.3 + b));
        }
        rig_place(&rig, &s);
        rig_eval(&rig, &s, 0, &out);
        for (int b = 0; b < 2; b++)
            for (int i = 2; i < 5; i++) CHECK_NEAR(out.f[6 * b + i], 0, 1e-13 * fmax(1, largest(out.f, 12)));
        rig_free(&rig);
    }
}

/* With one end on the ground the moving body's rows and columns are the same. */
TEST(ground_changes_nothing_for_the_other_body)
{
    for (int k = 0; begin(k); k++)
        for (int grounded = 0; grounded < 2 && !samples[k].external; grounded++) {
            vgFrame A = random_frame(0), B = random_frame(1);
            rigState s = random_state();
            rigOut whole, part;
            s.kin[grounded] = rig_rest();
            Rig rig = rig_new(samples[k].kind, samples[k].text, A, B, 0);
            (grounded ? &B : &A)->body = -1;
            Rig on_ground = rig_new(samples[k].kind, samples[k].text, A, B, 0);
            rig_place(&rig, &s);
            rig_place(&on_ground, &s);
            rig_eval(&rig, &s, 1, &whole);
            rig_eval(&on_ground, &s, 1, &part);
            int first = grounded ? 0 : 6;
            for (int i = first; i < first + 6; i++) {
                CHECK(part.f[i] == whole.f[i]);
                for (int j = first; j < first + 6; j++)
                    CHECK(part.K[12 * i + j] == whole.K[12 * i + j] &&
                          part.C[12 * i + j] == whole.C[12 * i + j]);
            }
            rig_free(&rig);
            rig_free(&on_ground);
        }
}

TEST(every_kind_is_complete)
{
    for (int i = 0; vg_force_kinds[i]; i++) {
        const vgForceKind *kind = vg_force_kinds[i];
        int sampled = 0;
        CHECK(vg_force_kind(kind->name) == kind);
        CHECK(kind->doc && kind->setup && kind->eval);
        CHECK(kind->def_size >= sizeof(vgForceHead));
        CHECK_STR(kind->example, kind->name);
        CHECK(!kind->outputs == !kind->output);
        for (int k = 0; begin(k); k++) sampled += strcmp(samples[k].kind, kind->name) == 0;
        for (size_t k = 0; k < sizeof elsewhere / sizeof elsewhere[0]; k++)
            sampled += strcmp(elsewhere[k], kind->name) == 0;
        CHECK(sampled > 0);
        for (int f = 0; f < kind->nfield; f++) {
            const vgField *field = &kind->fields[f];
            CHECK(field->key && field->unit && field->doc && *field->doc);
            CHECK(field->min <= field->max);
            CHECK(field->offset >= sizeof(vgForceHead) && field->offset < kind->def_size);
        }
    }
    CHECK(vg_force_kind("no-such-kind") == NULL);
}

TEST_MAIN(tangents_agree_with_differences, derivatives_by_channels, energy_is_the_potential_of_the_wrench,
          internal_forces_have_no_resultant, applied_loads, internal_forces_are_objective,
          damping_takes_energy, finite_where_everything_is_zero, planar_motion_gives_planar_wrenches,
          ground_changes_nothing_for_the_other_body, every_kind_is_complete)
