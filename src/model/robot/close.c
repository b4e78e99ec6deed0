/* A start that closes the loops: joint coordinates q with e(q) = 0, found from the drawn ones by Levenberg–Marquardt steps
 *
 *     dq = −Jᵀ (J Jᵀ + μ 1)⁻¹ e,
 *
 * J by central differences. Redundant rows do no harm: μ stays above rounding. Where the drawn pose leads nowhere, the
 * search begins again from poses beside it, always the same ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/robot/robot.h"
#include "model/tuning.h"

enum { STEPS = 60, TRIES = 40, ROWS_OF_LOOP = 6, MAX_ROWS = 600, MAX_COLUMNS = 2000 };

typedef struct closing {
    vgRobot *r;
    int rows, cols;
    int *joint;     /* [cols] scalar joints that may move */
    double *e, *J;  /* [rows], [rows × cols] */
    double *A, *y;  /* [rows × rows], [rows] */
    double *q0, *q; /* [cols] */
} closing;

static int rows_of(const vgRobotLoop *l)
{
    return strcmp(l->kind, "spherical") == 0 ? 3 : ROWS_OF_LOOP;
}

static void residual(const closing *c, double *e)
{
    vgRobot *r = c->r;
    vg_robot_place(r);
    for (int i = 0; i < r->nloop; i++) {
        const vgRobotLoop *l = &r->loop[i];
        vgPose X[2];
        for (int s = 0; s < 2; s++)
            X[s] = l->body[s] < 0 ? l->at[s] : vg_pose_mul(r->body[l->body[s]].W, l->at[s]);
        vg_store3(vg_sub3(X[1].p, X[0].p), e);
        if (rows_of(l) == ROWS_OF_LOOP) {
            vgVec3 turn = vg_so3_log(vg_mmt3(X[1].R, X[0].R));
            if (strcmp(l->kind, "revolute") == 0)
                turn = vg_cross3(vg_mv3(X[0].R, l->axis), vg_mv3(X[1].R, l->axis));
            vg_store3(turn, e + 3);
        }
        e += rows_of(l);
    }
    for (int i = 0; i < r->ncoupling; i++) {
        const vgRobotCoupling *k = &r->coupling[i];
        if (k->npoly) {
            double p = 0;
            for (int n = k->npoly - 1; n >= 0; n--) p = p * r->joint[k->joint[1]].q[0] + k->poly[n];
            *e++ = r->joint[k->joint[0]].q[0] - p;
            continue;
        }
        *e = -k->offset;
        for (int t = 0; t < k->n; t++) *e += k->factor[t] * r->joint[k->joint[t]].q[0];
        e++;
    }
}

/* Infinite where one of them is no number. */
static double largest(const double *e, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, isfinite(e[i]) ? fabs(e[i]) : INFINITY);
    return most;
}

static void jacobian(closing *c)
{
    for (int k = 0; k < c->cols; k++) {
        double *q = &c->r->joint[c->joint[k]].q[0], keep = *q;
        for (int side = 0; side < 2; side++) {
            *q = keep + (side ? VG_CLOSE_DIFFERENCE : -VG_CLOSE_DIFFERENCE);
            residual(c, side ? c->e : c->y);
        }
        for (int i = 0; i < c->rows; i++)
            c->J[i * c->cols + k] = (c->e[i] - c->y[i]) / (2 * VG_CLOSE_DIFFERENCE);
        *q = keep;
    }
    residual(c, c->e);
}

/* y = (J Jᵀ + μ 1)⁻¹ e by Cholesky. */
static void solve(closing *c, double mu)
{
    int n = c->rows;
    double *A = c->A, *y = c->y;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = i == j ? mu : 0;
            for (int k = 0; k < c->cols; k++) sum += c->J[i * c->cols + k] * c->J[j * c->cols + k];
            for (int k = 0; k < j; k++) sum -= A[i * n + k] * A[j * n + k];
            A[i * n + j] = i == j ? sqrt(fmax(sum, mu * VG_CLOSE_PIVOT)) : sum / A[j * n + j];
        }
    for (int i = 0; i < n; i++) {
        y[i] = c->e[i];
        for (int k = 0; k < i; k++) y[i] -= A[i * n + k] * y[k];
        y[i] /= A[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) y[i] -= A[k * n + i] * y[k];
        y[i] /= A[i * n + i];
    }
}

static double norm2(const double *e, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += e[i] * e[i];
    return sum;
}

/* From where the joints are; 1: closed. */
static int search(closing *c)
{
    double mu = VG_CLOSE_MU;
    residual(c, c->e);
    for (int s = 0; s < STEPS; s++) {
        double before = norm2(c->e, c->rows);
        if (largest(c->e, c->rows) < VG_CLOSED) return 1;
        jacobian(c);
        for (int k = 0; k < c->cols; k++) c->q[k] = c->r->joint[c->joint[k]].q[0];
        for (int tries = 0; tries < STEPS; tries++) {
            solve(c, mu);
            for (int k = 0; k < c->cols; k++) {
                double d = 0;
                for (int i = 0; i < c->rows; i++) d += c->J[i * c->cols + k] * c->y[i];
                c->r->joint[c->joint[k]].q[0] = c->q[k] - d;
            }
            residual(c, c->y);
            if (norm2(c->y, c->rows) < before) break;
            mu *= 10;
        }
        memcpy(c->e, c->y, (size_t)c->rows * sizeof *c->e);
        mu = fmax(mu / 10, VG_CLOSE_LEAST_MU);
    }
    return largest(c->e, c->rows) < VG_CLOSED;
}

static int make_room(closing *c)
{
    vgRobot *r = c->r;
    for (int i = 0; i < r->nloop; i++) c->rows += rows_of(&r->loop[i]);
    c->rows += r->ncoupling;
    c->joint = VG_NEW(r->pool, int, r->njoint + 1);
    for (int j = 0; c->joint && j < r->njoint; j++)
        if (r->joint[j].kind <= VG_ROBOT_SLIDE && !r->joint[j].driven) c->joint[c->cols++] = j;
    if (c->rows == 0 || c->cols == 0 || c->rows > MAX_ROWS || c->cols > MAX_COLUMNS) return 0;
    size_t n = (size_t)c->rows, m = (size_t)c->cols;
    c->e = VG_NEW(r->pool, double, n);
    c->y = VG_NEW(r->pool, double, n);
    c->J = VG_NEW(r->pool, double, n *m);
    c->A = VG_NEW(r->pool, double, n *n);
    c->q0 = VG_NEW(r->pool, double, m);
    c->q = VG_NEW(r->pool, double, m);
    if (!c->joint || !c->e || !c->y || !c->J || !c->A || !c->q0 || !c->q) return r->full = 1, 0;
    return 1;
}

void vg_robot_close_loops(vgRobot *r)
{
    closing c = {.r = r};
    unsigned seed = 1;
    int closed = 0;
    if (r->nloop + r->ncoupling == 0 || !make_room(&c)) return;
    for (int k = 0; k < c.cols; k++) c.q0[k] = r->joint[c.joint[k]].q[0];
    residual(&c, c.e);
    double open = largest(c.e, c.rows);
    if (open < VG_CLOSED) return;
    for (int t = 0; t < TRIES && !closed; t++) {
        for (int k = 0; k < c.cols; k++) {
            seed = seed * 1664525u + 1013904223u;
            double beside =
                r->joint[c.joint[k]].kind == VG_ROBOT_HINGE ? (seed >> 8) / (double)(1 << 24) - 0.5 : 0;
            r->joint[c.joint[k]].q[0] = c.q0[k] + (t ? beside * fmin(2, VG_CLOSE_SPREAD * t) : 0);
        }
        closed = search(&c);
    }
    double most = 0;
    for (int k = 0; k < c.cols; k++) {
        if (!closed) r->joint[c.joint[k]].q[0] = c.q0[k];
        most = fmax(most, fabs(r->joint[c.joint[k]].q[0] - c.q0[k]));
    }
    if (closed)
        vg_robot_note(
            r, VG_IMPORT_CHANGED, 0, r->nloop ? r->loop[0].loc : r->coupling[0].loc,
            "the drawn pose leaves the loops open by %.3g; the start closes them, joints moved by up to %.3g",
            open, most);
    else
        vg_robot_note(r, VG_IMPORT_CHANGED, 1, r->nloop ? r->loop[0].loc : r->coupling[0].loc,
                      "the drawn pose leaves the loops open by %.3g, and no start that closes them was "
                      "found; give one (--start)",
                      open);
}
