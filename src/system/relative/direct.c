/* Relative coordinates: tangents of elements between two bodies as their laws give them (vgForceDirect),
 * without a detour over native matrices.
 *
 * The law's wrench (F, T) on body b at its point varies by Z on (ε, ψ, ρ, φ): the point's way ρ, the rotation
 * φ, and ε, ψ of the velocities, all seen from a (of POINTS: in W). About the centres of mass, with arms r to
 * the point, δF of b is Q_b, of a Q_a on the same variations (rows of the force, then of the couple in body
 * axes turned to W):
 *     FRAME   Q_b = [Z_F; Z_T + [T]_φ + [r_b] (Z_F + [F]_φ)],   Q_a = −[Z_F; Z_T − [F]_ρ + [r_a] Z_F],
 *             and ∓[F] η_a in the forces;
 *     POINTS  Q = ±[Z_F; [r] Z_F], couples and the turn of their own body ±[r] [F];
 * and the variations are ρ = ±(η_v − [r] η_w), φ = ±η_w, of POINTS δu = ±(E_v − [r] E_w − [u] η_w). */
#include "system/relative/tangent.h"

enum { EPS = 0, PSI = 3, RHO = 6, PHI = 9, WIDE = 12 };

typedef double Rows[6][WIDE];

/* Couples: rows 3 to 5 += [r] rows 0 to 2. */
static void add_moment(Rows Q, vgVec3 r)
{
    for (int c = 0; c < WIDE; c++) {
        double x = Q[0][c], y = Q[1][c], z = Q[2][c];
        Q[3][c] += r.y * z - r.z * y;
        Q[4][c] += r.z * x - r.x * z;
        Q[5][c] += r.x * y - r.y * x;
    }
}

/* The 3×3 at A += s [x] */
static void add_skew(double *A, int ld, vgVec3 x, double s)
{
    A[1] -= s * x.z, A[2] += s * x.y;
    A[ld] += s * x.z, A[ld + 2] -= s * x.x;
    A[2 * ld] -= s * x.y, A[2 * ld + 1] += s * x.x;
}

static void rows_of(const vgForceDirect *d, int side, Rows Q)
{
    int frame = d->how == VG_DIRECT_FRAME, n = frame ? 6 : 3;
    double s = side ? 1 : -1;
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < 6; c++) {
            int on = r < n && c < n;
            Q[r][EPS + c] = on && d->damped ? s * d->V[6 * r + c] : 0;
            Q[r][RHO + c] = on ? s * d->X[6 * r + c] : 0;
        }
    if (!frame) {
        add_moment(Q, d->r[side]);
    } else if (side) {
        double Z[3][3];
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) Z[r][c] = Q[r][PHI + c];
        add_skew(&Q[0][PHI], WIDE, d->F, 1);
        add_moment(Q, d->r[1]);
        add_skew(&Q[3][PHI], WIDE, d->T, 1);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) Q[r][PHI + c] = Z[r][c];
    } else {
        add_moment(Q, d->r[0]);
        add_skew(&Q[3][RHO], WIDE, d->F, 1);
    }
}

static inline void add_turned(double *to, const double *q, const double *turned, vgVec3 arm, double s)
{
    to[0] += s * (q[0] + arm.y * turned[2] - arm.z * turned[1]);
    to[1] += s * (q[1] + arm.z * turned[0] - arm.x * turned[2]);
    to[2] += s * (q[2] + arm.x * turned[1] - arm.y * turned[0]);
}

/* A (6×18) += s Q by the motion of the body whose arm this is; u: of POINTS, how its point moves. */
static void add_block(double *A, Rows Q, vgVec3 arm, const vgVec3 *u, int damped, double s)
{
    static const double none[3] = {0};
    for (int r = 0; r < 6; r++) {
        double *a = A + 18 * r;
        const double *q = Q[r];
        for (int c = 0; c < 3; c++) a[12 + c] += s * q[RHO + c];
        add_turned(a + 15, q + PHI, q + RHO, arm, s);
    }
    for (int r = 0; r < 6 && damped; r++) {
        double *a = A + 18 * r;
        const double *q = Q[r];
        for (int c = 0; c < 3; c++) a[6 + c] += s * q[EPS + c];
        add_turned(a + 9, q + PSI, q + EPS, arm, s);
        if (u) add_turned(a + 15, none, q + EPS, *u, s);
    }
}

/* [r] [F], rows of couples by rotations */
static void add_own_turn(double *A, vgVec3 r, vgVec3 F, double s)
{
    vgMat3 m = vg_mm3(vg_skew3(r), vg_skew3(F));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A[18 * (3 + i) + 15 + j] += s * m.m[i][j];
}

void vg_tree_add_direct(const vgTree *s, vgTreeWork *w, vgTreePairs *pairs, const int body[2],
                        const vgForceDirect *d)
{
    int link[2] = {vg_tree_link(s, body[0]), vg_tree_link(s, body[1])}, frame = d->how == VG_DIRECT_FRAME;
    if (d->how == VG_DIRECT_NONE) return;
    for (int i = 0; i < 2; i++) {
        Rows Q;
        double mine = i ? 1 : -1;
        if (link[i] < 0) continue;
        rows_of(d, i, Q);
        for (int j = 0; j < 2; j++) {
            if (link[j] < 0) continue;
            double *A = i == j || link[i] == link[j]
                            ? w->extra + 108 * (size_t)w->extra_of[link[i]]
                            : vg_tree_pair_block(pairs, link[i], link[j], d->damped ? 6 : 12);
            /* of what is applied the negative is in the equations */
            add_block(A, Q, d->r[j], frame ? NULL : &d->u[j], d->damped, j ? -1 : 1);
            if (frame && j == 0) add_skew(A + 15, 18, d->F, mine);
            if (!frame && i == j) add_own_turn(A, d->r[i], d->F, -mine);
        }
    }
}
