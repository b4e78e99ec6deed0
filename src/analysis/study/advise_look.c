/* Advice, its first part: what the model is, and how fast it moves at the start. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/study/advise_parts.h"
#include "linalg/eig.h"

enum { MAX_EIGEN = 240 }; /* coordinates up to which the eigenvalues are looked at */

/* ---- the linearised motion ---- */

vgStatus vg_linear_eigenvalues(const vgSystem *sys, vgWork *work, const vgState *s, double *re, double *im)
{
    int nv = sys->nv, n = 2 * nv;
    double *a = calloc((size_t)n * (size_t)n + 1, sizeof *a);
    double *x = calloc((size_t)(sys->nq + 4 * nv + sys->nl) + 1, sizeof *x);
    vgStatus st = a && x ? VG_OK : VG_NO_MEMORY;
    double *q = x, *v = q + sys->nq, *d = v + nv, *acc = d + nv, *rate = acc + nv, *lambda = rate + nv;
    double size = 0;
    for (int i = 0; i < nv && st == VG_OK; i++) size = fmax(size, fabs(s->v[i]));
    for (int j = 0; j < n && st == VG_OK; j++)
        for (int side = -1; side <= 1 && st == VG_OK; side += 2) {
            int k = j < nv ? j : j - nv;
            double e = 1e-6 * sys->v_scale[k] * (j < nv ? 1 : fmax(1, size));
            memset(d, 0, (size_t)nv * sizeof *d);
            memcpy(v, s->v, (size_t)nv * sizeof *v);
            (j < nv ? d : v)[k] += side * e;
            sys->ops->retract(sys, s->q, d, q);
            sys->ops->rates(sys, d, q, v, rate);
            st = sys->ops->accel(sys, work, s->t, q, v, acc, lambda);
            for (int i = 0; i < nv; i++) {
                a[i * n + j] += side * rate[i] / (2 * e);
                a[(nv + i) * n + j] += side * acc[i] / (2 * e);
            }
        }
    if (st == VG_OK) st = vg_eig_general(a, n, re, im, NULL);
    free(a);
    free(x);
    return st;
}

static vgStatus look_at_eigenvalues(vgAdvice *a, const vgSimulation *sim)
{
    int n = 2 * sim->sys->nv;
    double *re = calloc(2 * (size_t)n + 1, sizeof *re), *im = re ? re + n : NULL;
    vgStatus st = re ? vg_linear_eigenvalues(sim->sys, sim->it->work, sim->state, re, im) : VG_NO_MEMORY;
    a->slowest = INFINITY;
    for (int i = 0; i < n && st == VG_OK; i++) {
        double size = hypot(re[i], im[i]);
        if (size > a->fastest) a->fastest = size, a->fastest_re = re[i], a->fastest_im = fabs(im[i]);
        a->decay = fmin(a->decay, re[i]);
    }
    for (int i = 0; i < n && st == VG_OK; i++) {
        double size = hypot(re[i], im[i]);
        if (size > 1e-3 * a->fastest && size < a->slowest)
            a->slowest = size; /* smaller ones may be rounding */
    }
    if (st == VG_OK) a->eigenvalues = 1;
    free(re);
    return st;
}

vgStatus vg_advise_look(const vgTrials *all, vgDiag *diag, vgAdvice *a)
{
    const vgModel *m = all->model;
    vgSimulation sim;
    vgDials dials = {.integrator = "rk4", .constraints = "index1"};
    vgStatus st = vg_simulation_open(m, &dials, diag, &sim);
    if (st != VG_OK) return st;
    vgModelSummary sum;
    vg_model_describe(m, &sum);
    a->bodies = sum.bodies;
    a->nv = sim.sys->nv;
    a->nl = sim.sys->nl;
    a->redundant = sim.assembly.nredundant;
    a->freedom = sim.assembly.freedom;
    for (int i = 0; i < m->njoint; i++)
        a->joints += m->joint[i].nrow > 0 && m->joint[i].kind->head == VG_HEAD_FRAMES;
    a->loops = a->joints > a->bodies ? a->joints - a->bodies : 0;
    for (int i = 0; i < m->nforce; i++) {
        const char *kind = m->force[i].kind->name;
        a->contacts += strstr(kind, "contact") || strstr(kind, "friction");
    }
    if (a->nv <= MAX_EIGEN) st = look_at_eigenvalues(a, &sim);
    if (st != VG_NO_MEMORY) st = VG_OK; /* a start where nothing can be differentiated is no hindrance */
    vg_simulation_close(&sim);
    return st;
}

void vg_advise_tell_model(vgAdvice *a)
{
    vg_advise_because(a, "%d bod%s, %d degree%s of freedom, %d coordinate%s and %d constraint row%s%s",
                      a->bodies, a->bodies == 1 ? "y" : "ies", a->freedom, a->freedom == 1 ? "" : "s", a->nv,
                      a->nv == 1 ? "" : "s", a->nl, a->nl == 1 ? "" : "s",
                      a->nl ? ""
                            : ": an ordinary differential equation, the constraint dial does not matter");
    if (a->loops) vg_advise_because(a, "%d closed loop%s", a->loops, a->loops > 1 ? "s" : "");
    if (a->redundant)
        vg_advise_because(a, "%d constraint row%s others; multipliers are not unique", a->redundant,
                          a->redundant == 1 ? " repeats" : "s repeat");
    if (a->eigenvalues && !(a->fastest > 0))
        vg_advise_because(a, "no motion of its own at the start: all eigenvalues are zero");
    else if (a->eigenvalues)
        vg_advise_because(a, "fastest motion at the start: |λ| = %.4g 1/s (%.4g ± %.4g i), slowest %.4g 1/s",
                          a->fastest, a->fastest_re, a->fastest_im, isfinite(a->slowest) ? a->slowest : 0);
    else
        vg_advise_because(a, "eigenvalues not looked at: more than %d coordinates", MAX_EIGEN);
    if (a->contacts)
        vg_advise_because(
            a, "%d contact%s during the motion: methods of low order or with error control follow that best",
            a->contacts,
            a->contacts == 1 ? " or friction element switches" : "s or friction elements switch");
}
