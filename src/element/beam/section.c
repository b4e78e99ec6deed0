#include "element/beam/section.h"
#include "element/tuning.h"

#include <math.h>

/* Areas, second moments, torsion constant and shear factors of a shape. */
typedef struct shape {
    double A, Iy, Iz, J, ky, kz;
} shape;

static const double pi = 3.14159265358979323846;

static double pick(double given, double fallback)
{
    return isnan(given) ? fallback : given;
}

/* Saint-Venant's torsion constant of a rectangle with edges a ≥ b,
 *     J = a b³/3 (1 − 192 b/(π⁵ a) Σ_{n odd} tanh(nπa/2b)/n⁵)   (Timoshenko & Goodier, Theory of Elasticity).
 */
static double rectangle_torsion(double a, double b)
{
    if (a < b) {
        double swap = a;
        a = b;
        b = swap;
    }
    double sum = 0;
    for (int n = 59; n > 0; n -= 2) sum += tanh(n * pi * a / (2 * b)) / pow(n, 5);
    return a * b * b * b / 3 * (1 - 192 * b / (pow(pi, 5) * a) * sum);
}

/* A ring with radii R > r ≥ 0; the shear factor of a ring and of a rectangle as functions of Poisson's ratio
 * after Cowper (1966). */
static shape ring(double R, double r, double nu)
{
    double R2 = R * R, r2 = r * r, q = r2 / R2, p = (1 + q) * (1 + q);
    double I = pi / 4 * (R2 * R2 - r2 * r2);
    double k = 6 * (1 + nu) * p / ((7 + 6 * nu) * p + (20 + 12 * nu) * q);
    return (shape){.A = pi * (R2 - r2), .Iy = I, .Iz = I, .J = 2 * I, .ky = k, .kz = k};
}

static shape rectangle(double b, double h, double nu)
{
    double k = 10 * (1 + nu) / (12 + 11 * nu);
    return (shape){.A = b * h,
                   .Iy = b * h * h * h / 12,
                   .Iz = h * b * b * b / 12,
                   .J = rectangle_torsion(b, h),
                   .ky = k,
                   .kz = k};
}

static vgStatus fault(const char **key, const char **why, const char *at, const char *text)
{
    *key = at;
    *why = text;
    return VG_BAD_INPUT;
}

/* Without a shape every member is NAN. */
static vgStatus make_shape(const vgSectionDef *d, double nu, shape *out, const char **key, const char **why)
{
    int given = (d->rectangle.n > 0) + (d->tube.n > 0) + !isnan(d->circle);
    *out = (shape){NAN, NAN, NAN, NAN, NAN, NAN};
    if (given > 1) return fault(key, why, NULL, "gives more than one of rectangle, circle and tube");
    if (d->rectangle.n > 0) {
        if (d->rectangle.n != 2 || !(d->rectangle.at[0] > 0) || !(d->rectangle.at[1] > 0))
            return fault(key, why, "rectangle", "needs two positive lengths [width, height]");
        *out = rectangle(d->rectangle.at[0], d->rectangle.at[1], nu);
    } else if (d->tube.n > 0) {
        if (d->tube.n != 2 || !(d->tube.at[1] >= 0) || !(d->tube.at[0] > d->tube.at[1]))
            return fault(key, why, "tube", "needs [outer radius, inner radius], the outer one larger");
        *out = ring(d->tube.at[0], d->tube.at[1], nu);
    } else if (!isnan(d->circle)) {
        if (!(d->circle > 0)) return fault(key, why, "circle", "needs a positive radius");
        *out = ring(d->circle, 0, nu);
    }
    return VG_OK;
}

static vgStatus offsets(const vgNumbers *n, const char *name, double yz[2], const char **key,
                        const char **why)
{
    yz[0] = yz[1] = 0;
    if (n->n == 0) return VG_OK;
    if (n->n != 2) return fault(key, why, name, "needs two numbers [y, z]");
    yz[0] = n->at[0];
    yz[1] = n->at[1];
    return VG_OK;
}

/* C += k a aᵀ over the six strains. */
static void add_rank1(double k, const double a[6], double C[36])
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) C[6 * i + j] += k * a[i] * a[j];
}

/* The six stiffnesses act on the strains of their own centres: axial strain at the elastic centre e is
 * Γx + z_e κy − y_e κz, shear at the shear centre s is Γy − z_s κx and Γz + y_s κx. */
static void fill_stiffness(const double k[6], const double e[2], const double s[2], double C[36])
{
    for (int i = 0; i < 36; i++) C[i] = 0;
    add_rank1(k[0], (double[6]){1, 0, 0, 0, e[1], -e[0]}, C);
    add_rank1(k[1], (double[6]){0, 1, 0, -s[1], 0, 0}, C);
    add_rank1(k[2], (double[6]){0, 0, 1, s[0], 0, 0}, C);
    for (int i = 3; i < 6; i++) C[7 * i] += k[i];
}

static vgStatus whole_stiffness(const vgNumbers *n, double C[36], const char **key, const char **why)
{
    double big = 0;
    if (n->n != 36 && n->n != 21)
        return fault(key, why, "stiffness", "needs 36 numbers by rows or the 21 of the upper triangle");
    for (int i = 0, k = 0; i < 6; i++)
        for (int j = n->n == 36 ? 0 : i; j < 6; j++, k++) {
            C[6 * i + j] = n->at[k];
            if (n->n == 21) C[6 * j + i] = n->at[k];
            big = fmax(big, fabs(n->at[k]));
        }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            if (!(fabs(C[6 * i + j] - C[6 * j + i]) <= VG_SECTION_SYMMETRIC * big))
                return fault(key, why, "stiffness", "is not symmetric");
    return VG_OK;
}

/* Cholesky's pivots over the strains that are there. */
static vgStatus check_definite(const double C[36], int planar, const char **key, const char **why)
{
    double L[36];
    for (int i = 0; i < 36; i++) L[i] = C[i];
    for (int j = 0; j < 6; j++) {
        if (planar && j != 0 && j != 1 && j != 5) continue;
        if (!(L[7 * j] > VG_SECTION_DEFINITE * C[7 * j]))
            return fault(key, why, "stiffness", "is not positive definite: some strain would cost no energy");
        for (int i = j + 1; i < 6; i++)
            for (int k = j + 1; k < 6; k++) L[6 * i + k] -= L[6 * i + j] * L[6 * j + k] / L[7 * j];
    }
    return VG_OK;
}

static vgStatus check_stiffness(const double k[6], int planar, const char **key, const char **why)
{
    static const char *const names[6] = {"EA", "GAy", "GAz", "GJ", "EIy", "EIz"};
    for (int i = 0; i < 6; i++) {
        if (planar && i != 0 && i != 1 && i != 5) continue;
        if (isnan(k[i])) return fault(key, why, names[i], "is missing: give it, or a shape with E");
    }
    return VG_OK;
}

static double shear_modulus(const vgSectionDef *d, double *nu)
{
    *nu = !isnan(d->nu) ? d->nu : !isnan(d->G) && !isnan(d->E) ? d->E / (2 * d->G) - 1 : 0.3;
    return pick(d->G, d->E / (2 * (1 + *nu)));
}

/* Inertia about the reference line: Huygens–Steiner from the mass centre r = (0, y, z). */
static void fill_inertia(const vgSectionDef *d, const shape *s, const double k[6], const double r[2],
                         vgSection *out)
{
    double y = r[0], z = r[1], m = pick(pick(d->m, d->rho * s->A), 0);
    double Jy = pick(pick(d->Jy, pick(d->rho * s->Iy, m * k[4] / k[0])), 0);
    double Jz = pick(pick(d->Jz, pick(d->rho * s->Iz, m * k[5] / k[0])), 0);
    double Jx = pick(d->Jx, Jy + Jz);
    out->m = m;
    out->S = vg_v3(0, m * y, m * z);
    out->J =
        vg_m3(Jx + m * (y * y + z * z), 0, 0, 0, Jy + m * z * z, -m * y * z, 0, -m * y * z, Jz + m * y * y);
}

vgStatus vg_section_make(const vgSectionDef *d, int planar, vgSection *out, const char **key,
                         const char **why)
{
    double nu, G = shear_modulus(d, &nu), e[2], sc[2], mc[2];
    shape s;
    vgStatus st = make_shape(d, nu, &s, key, why);
    if (!st) st = offsets(&d->elastic_centre, "elastic-centre", e, key, why);
    if (!st) st = offsets(&d->shear_centre, "shear-centre", sc, key, why);
    if (!st) st = offsets(&d->mass_centre, "mass-centre", mc, key, why);
    if (st) return st;
    double k[6] = {pick(d->EA, d->E * s.A), pick(d->GAy, G * s.A * s.ky), pick(d->GAz, G * s.A * s.kz),
                   pick(d->GJ, G * s.J),    pick(d->EIy, d->E * s.Iy),    pick(d->EIz, d->E * s.Iz)};
    k[1] = pick(k[1], k[2]);
    k[2] = pick(k[2], k[1]);
    k[4] = pick(k[4], k[5]);
    k[5] = pick(k[5], k[4]);
    if (d->stiffness.n > 0) {
        st = whole_stiffness(&d->stiffness, out->C, key, why);
        if (!st) st = check_definite(out->C, planar, key, why);
        for (int i = 0; i < 6 && !st; i++) k[i] = out->C[7 * i];
    } else {
        st = check_stiffness(k, planar, key, why);
        for (int i = 0; i < 6; i++) k[i] = pick(k[i], 0); /* planar: what the plane does not see */
        fill_stiffness(k, e, sc, out->C);
    }
    if (!st) fill_inertia(d, &s, k, mc, out);
    return st;
}

vgStatus vg_section_make_cable(const vgSectionDef *d, double *EA, double *m, const char **key,
                               const char **why)
{
    shape s;
    vgStatus st = make_shape(d, 0, &s, key, why);
    if (st) return st;
    *EA = pick(d->EA, d->E * s.A);
    *m = pick(pick(d->m, d->rho * s.A), 0);
    return isnan(*EA) ? fault(key, why, "EA", "is missing: give it, or a shape with E") : VG_OK;
}
