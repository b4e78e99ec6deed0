/* Natural frequencies from assembled K and M against Timoshenko's beam, solved exactly by its transfer
 * matrix, and against closed forms of bars. */
#include "beam_mesh.h"

void dsygv_(const int *itype, const char *jobz, const char *uplo, const int *n, double *A, const int *lda,
            double *B, const int *ldb, double *w, double *work, const int *lwork, int *info);

static const double pi = 3.14159265358979323846;
static const double L = 2, EA = 3e6, GA = 1e6, GJ = 900, EI = 1500, m = 1.7, J = 8.5e-4;

static void along_x(double s, vgKin *k)
{
    k->R = vg_eye3();
    k->p = vg_v3(L * s, 0, 0);
}

static vgBeam bar(const vgForceKind *kind, const char *mass)
{
    vgBeam b;
    beam_defaults(kind, &b);
    b.section.EA = EA, b.section.GAy = b.section.GAz = GA, b.section.GJ = GJ;
    b.section.EIy = b.section.EIz = EI, b.section.m = m, b.section.Jy = b.section.Jz = J;
    b.mass = mass;
    return b;
}

/* Angular frequencies in rising order. free_at(node, component) says what may move. Returns their number. */
static int frequencies(Mesh *q, int (*is_free)(int last, int node, int component), double *w)
{
    int *map = malloc(sizeof(int) * (size_t)(6 * q->nn)), n = 0, nb = q->narm + 1, one = 1, info;
    for (int i = 0; i < 6 * q->nn; i++) map[i] = is_free(q->nn - 1, i / 6, i % 6) ? n++ : -1;
    double *K = calloc((size_t)(n * n), sizeof *K), *M = calloc((size_t)(n * n), sizeof *M);
    int lwork = 40 * n;
    double *work = malloc(sizeof(double) * (size_t)lwork);
    for (int e = 0; e < q->ne; e++) {
        int at = 6 * e * q->narm, ld = 6 * nb;
        double f[BEAM_N] = {0}, Ke[BEAM_N * BEAM_N] = {0}, Me[BEAM_N * BEAM_N] = {0};
        beam_eval(q->kind, &q->b[e], nb, &q->kin[e * q->narm], vg_zero3(),
                  &(vgForceOut){.f = f, .K = Ke, .M = Me});
        for (int i = 0; i < ld; i++)
            for (int j = 0; j < ld; j++) {
                int I = map[at + i], C = map[at + j];
                if (I < 0 || C < 0) continue;
                K[I * n + C] -= Ke[i * ld + j];
                M[I * n + C] += Me[i * ld + j];
            }
    }
    dsygv_(&one, "N", "U", &n, K, &n, M, &n, w, work, &lwork, &info);
    CHECK_INT(info, 0);
    for (int i = 0; i < n; i++) w[i] = w[i] > 0 ? sqrt(w[i]) : 0;
    free(map), free(K), free(M), free(work);
    return n;
}

/* In one plane: u_z and θ_y; ends clamped, free or pinned. */
static int bending(int component)
{
    return component == 2 || component == 4;
}
static int cantilever(int last, int node, int c)
{
    (void)last;
    return bending(c) && node > 0;
}
static int floating(int last, int node, int c)
{
    (void)last, (void)node;
    return bending(c);
}
static int pinned(int last, int node, int c)
{
    return bending(c) && !(c == 2 && (node == 0 || node == last));
}
static int stretching(int last, int node, int c)
{
    (void)last;
    return c == 0 && node > 0;
}
static int twisting(int last, int node, int c)
{
    (void)last;
    return c == 3 && node > 0;
}

/* exp of a 4×4 matrix by its series after halving. */
static void expm4(const double *A, double *E)
{
    double X[16], T[16], Y[16];
    for (int i = 0; i < 16; i++) X[i] = A[i] / 1024, T[i] = E[i] = i % 5 == 0;
    for (int k = 1; k <= 40; k++) {
        for (int i = 0; i < 16; i++) {
            Y[i] = 0;
            for (int j = 0; j < 4; j++) Y[i] += T[i / 4 * 4 + j] * X[j * 4 + i % 4] / k;
        }
        for (int i = 0; i < 16; i++) T[i] = Y[i], E[i] += T[i];
    }
    for (int k = 0; k < 10; k++) {
        for (int i = 0; i < 16; i++) {
            Y[i] = 0;
            for (int j = 0; j < 4; j++) Y[i] += E[i / 4 * 4 + j] * E[j * 4 + i % 4];
        }
        memcpy(E, Y, sizeof Y);
    }
}

/* Timoshenko's beam: state (deflection w, rotation t, moment M, shear V) obeys
 *     w′ = t + V/GA,  t′ = M/EI,  M′ = −V − J ω² t,  V′ = −m ω² w.
 * Two of the state are zero at the start and two (a, b) at the end: the determinant of that minor of the
 * transfer matrix is zero at a natural frequency. */
static double determinant(double om, const int start[2], const int end[2])
{
    double A[16] = {0}, E[16];
    A[1] = L, A[3] = L / GA, A[6] = L / EI, A[9] = -J * om * om * L, A[11] = -L, A[12] = -m * om * om * L;
    expm4(A, E);
    double p = E[end[0] * 4 + start[0]], q = E[end[0] * 4 + start[1]];
    double r = E[end[1] * 4 + start[0]], s = E[end[1] * 4 + start[1]];
    return p * s - q * r;
}

static void exact(const int start[2], const int end[2], int n, double *w)
{
    double step = 2, om = 5, last = determinant(om, start, end);
    for (int k = 0; k < n;) {
        double next = determinant(om + step, start, end);
        if (last * next < 0) {
            double lo = om, hi = om + step;
            for (int i = 0; i < 80; i++) {
                double mid = 0.5 * (lo + hi);
                if (determinant(mid, start, end) * last > 0)
                    lo = mid;
                else
                    hi = mid;
            }
            w[k++] = lo;
        }
        om += step, last = next;
    }
}

enum { MODES = 4 };

/* Largest relative error of the first modes; skip: rigid ones. */
static double worst(const vgForceKind *kind, const char *mass, int ne, int (*is_free)(int, int, int),
                    int skip, const double *ref, int n)
{
    vgBeam b = bar(kind, mass);
    Mesh q = mesh_new(kind, ne, along_x, &b);
    double w[600], big = 0;
    CHECK(frequencies(&q, is_free, w) > skip + n);
    for (int i = 0; i < skip; i++) CHECK(w[i] < 1e-3 * ref[0]);
    for (int i = 0; i < n; i++) big = fmax(big, fabs(w[skip + i] / ref[i] - 1));
    mesh_free(&q);
    return big;
}

TEST(timoshenko)
{
    static const int clamp[2] = {2, 3}, open[2] = {0, 1}, pin[2] = {1, 3};
    static const int zero_open[2] = {2, 3}, zero_pin[2] = {0, 2};
    static const char *const masses[3] = {"consistent", "lumped", "slices"};
    double c[MODES], f[MODES], p[MODES];
    exact(clamp, zero_open, MODES, c); /* start has M, V; at the end M = V = 0 */
    exact(open, zero_open, MODES, f);
    exact(pin, zero_pin, MODES, p);
    /* slender limit: (1.8751)² √(EI/m)/L², and the closed form of the pinned beam */
    CHECK_NEAR(c[0], 1.8751040687 * 1.8751040687 * sqrt(EI / m) / (L * L), 0.01 * c[0]);
    for (int k = 1; k <= MODES; k++) {
        double a = k * pi / L, s = p[k - 1] * p[k - 1];
        double zero = (EI * a * a + GA - J * s) * (GA * a * a - m * s) - GA * a * GA * a;
        CHECK_NEAR(zero / (GA * GA * a * a), 0, 1e-9);
    }
    /* Rigid slices are second order only. Of the others consistent mass errs twice as much as lumped: in the
     * fourth free-free mode, the shortest wave here, by 0.114 % */
    static const double tol[3] = {1.2e-3, 1e-3, 6e-3};
    for (int i = 0; i < 3; i++) {
        CHECK(worst(&vg_force_beam3, masses[i], 16, cantilever, 0, c, MODES) < tol[i]);
        CHECK(worst(&vg_force_beam3, masses[i], 16, floating, 2, f, MODES) < tol[i]);
        CHECK(worst(&vg_force_beam3, masses[i], 16, pinned, 0, p, MODES) < tol[i]);
    }
    CHECK(worst(&vg_force_beam3, "consistent", 16, floating, 2, f, MODES - 1) < 1e-3);
    CHECK_NEAR(worst(&vg_force_beam3, "consistent", 16, floating, 2, f, MODES) /
                   worst(&vg_force_beam3, "lumped", 16, floating, 2, f, MODES),
               2, 0.1);
    /* order of the mesh: 4 and 2 */
    for (int i = 0; i < 2; i++) {
        double a = worst(&vg_force_beam3, masses[i], 6, cantilever, 0, c, MODES);
        double b = worst(&vg_force_beam3, masses[i], 12, cantilever, 0, c, MODES);
        CHECK_NEAR(log2(a / b), 4, 0.4);
        a = worst(&vg_force_beam, masses[i], 24, cantilever, 0, c, MODES);
        b = worst(&vg_force_beam, masses[i], 48, cantilever, 0, c, MODES);
        CHECK_NEAR(log2(a / b), 2, 0.2);
    }
    CHECK(worst(&vg_force_beam, "consistent", 16, cantilever, 0, c, 1) < 2e-3);
}

/* A bar clamped at one end: (2k − 1) π/2L times the speed of its waves. */
TEST(bars)
{
    double w[MODES];
    for (int k = 0; k < MODES; k++) w[k] = (2 * k + 1) * pi / (2 * L) * sqrt(EA / m);
    CHECK(worst(&vg_force_beam3, "consistent", 16, stretching, 0, w, MODES) < 1e-3);
    CHECK(worst(&vg_force_beam3, "lumped", 16, stretching, 0, w, MODES) < 1e-3);
    for (int k = 0; k < MODES; k++) w[k] = (2 * k + 1) * pi / (2 * L) * sqrt(GJ / (2 * J));
    CHECK(worst(&vg_force_beam3, "consistent", 16, twisting, 0, w, MODES) < 1e-3);
}

/* Tension stiffens: a pinned slender beam under tension N has w² = (k π/L)² (N + EI (k π/L)²)/m: the
 * geometric tangent. Shear and rotary inertia are small here. */
TEST(tension_stiffens)
{
    vgBeam b = bar(&vg_force_beam3, "consistent");
    b.section.EA = b.section.GAy = b.section.GAz = 1e8, b.section.Jy = b.section.Jz = 1e-5;
    Mesh q = mesh_new(&vg_force_beam3, 16, along_x, &b);
    double N = 4e3, w[600];
    for (int i = 0; i < q.nn; i++) q.kin[i].p.x *= 1 + N / 1e8;
    frequencies(&q, pinned, w);
    for (int k = 1; k <= 2; k++) {
        double a = k * pi / L;
        CHECK_NEAR(w[k - 1] / (a * sqrt((N + EI * a * a) / m)), 1, 1e-4 * k * k);
    }
    mesh_free(&q);
}

TEST_MAIN(timoshenko, bars, tension_stiffens)
