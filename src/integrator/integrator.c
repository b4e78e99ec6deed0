/* The list of methods, and an integrator made of one. */
#include "integrator/integrator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/pairs.h"
#include "integrator/stage/metric.h"
#include "integrator/stage/renewal.h"
#include "integrator/user/user.h"

/* The list: a method is one row, defined as vg_NAME in its family's file. */
/* clang-format off */
#ifdef VERGE_HAVE_SUNDIALS
#define REFERENCES(ROW) \
    /* independent reference */ \
    ROW(cvode) \
    ROW(arkode) \
    ROW(ida)
#else
#define REFERENCES(ROW)
#endif
#define LIST(ROW) \
    /* structural */ \
    ROW(generalized_alpha) \
    ROW(newmark) \
    ROW(trapezoidal) \
    ROW(trapezoidal_energy) \
    ROW(linear_acceleration) \
    ROW(hht) \
    ROW(wilson_theta) \
    ROW(collocation) \
    ROW(midpoint) \
    /* index-3 multibody */ \
    ROW(hht_i3) \
    ROW(nstiff) \
    /* geometric */ \
    ROW(rattle) \
    ROW(energy_momentum_row) \
    /* explicit */ \
    ROW(euler) \
    ROW(heun) \
    ROW(bs32) \
    ROW(rk4) \
    ROW(rkf45) \
    ROW(dopri5) \
    ROW(rk6) \
    ROW(dop853) \
    /* Adams */ \
    ROW(ab1) \
    ROW(ab2) \
    ROW(ab3) \
    ROW(ab4) \
    ROW(ab5) \
    ROW(am1) \
    ROW(am2) \
    ROW(am3) \
    ROW(am4) \
    ROW(am5) \
    ROW(abm) \
    ROW(adams) \
    /* composite, ESDIRK */ \
    ROW(bathe) \
    ROW(hope) \
    ROW(msstc3) \
    ROW(msstc4) \
    ROW(msstc5) \
    ROW(mssth3) \
    ROW(mssth4) \
    ROW(mssth5) \
    ROW(esdirk324) \
    ROW(esdirk325) \
    ROW(esdirk436) \
    ROW(esdirk436_2) \
    /* linear multistep, single-step forms, backward differences */ \
    ROW(lms2) \
    ROW(lms3) \
    ROW(lms4) \
    ROW(ss2) \
    ROW(ss3) \
    ROW(ss4) \
    ROW(bdf1) \
    ROW(bdf2) \
    ROW(bdf3) \
    ROW(bdf4) \
    ROW(bdf) \
    /* stabilised index 2 */ \
    ROW(hht_si2) \
    ROW(nstiff_si2) \
    ROW(hht_add) \
    ROW(hht_add_reactions) \
    /* implicit Runge–Kutta */ \
    ROW(sdirk) \
    ROW(radau2) \
    ROW(radau3) \
    ROW(lobatto3c) \
    REFERENCES(ROW)
/* clang-format on */
#define DECLARE(name) extern const vgIntegratorRow vg_##name;
#define POINT(name)   &vg_##name,
LIST(DECLARE)
const vgIntegratorRow *const vg_integrators[] = {LIST(POINT) NULL};

int vg_integrator_rho(const vgIntegratorRow *row, double range[2])
{
    range[0] = row->rho[0];
    range[1] = row->rho[1];
    for (int i = 0; i < row->nparam; i++)
        if (!strcmp(row->params[i].name, "rho")) {
            range[0] = row->params[i].min;
            range[1] = row->params[i].max;
        }
    return (row->flags & VG_INT_ASTABLE) != 0;
}

int vg_integrator_order(const vgIntegrator *it)
{
    return it->row->order_of ? it->row->order_of(it->param) : it->row->order;
}

/* A lean work will do: the stages take their increments at once (stage.c), or there are none. */
static int makes_no_matrix(const vgIntegrator *it)
{
    if (!(it->row->flags & VG_INT_LEAN)) return 0;
    return (it->row->flags & VG_INT_EXPLICIT) ||
           (it->newton_mode == VG_NEWTON_STEP && it->sys->is.saddle && !vg_at_acceleration(it->sys));
}

static const vgIntegratorRow *row_of(const char *text, vgDiag *diag, vgLoc at)
{
    char name[64];
    size_t n = strcspn(text, ":");
    if (n >= sizeof name) n = sizeof name - 1;
    memcpy(name, text, n);
    name[n] = 0;
    const vgIntegratorRow *row = vg_integrator_find(name);
    const char *near = row ? NULL : vg_integrator_closest(name);
    if (near)
        vg_diag_error(diag, at, "unknown integrator '%s', did you mean '%s'?", name, near);
    else if (!row)
        vg_diag_error(diag, at, "unknown integrator '%s'; `verge list integrators` shows what there is",
                      name);
    return row;
}

/* The row of a text, of the list or of a file; the file's method is the caller's. A path that the model itself gives
 * is relative to the model's folder. */
static vgStatus find_row(const vgModel *m, const char *text, vgDiag *diag, vgLoc at, vgUserMethod **user,
                         const vgIntegratorRow **row)
{
    char folder[1024] = "";
    *user = NULL;
    *row = NULL;
    if (!vg_user_is(text)) {
        *row = row_of(text, diag, at);
        return *row ? VG_OK : VG_BAD_INPUT;
    }
    const char *own = m && m->path ? m->run.own_integrator : NULL;
    int of_model = own && own == m->run.integrator && !strcmp(text, own);
    const char *slash = of_model ? strrchr(m->path, '/') : NULL;
    if (slash) snprintf(folder, sizeof folder, "%.*s", (int)(slash - m->path), m->path);
    vgStatus st = vg_user_load(text, slash ? folder : NULL, diag, at, user);
    if (st == VG_OK) *row = &(*user)->row;
    return st;
}

unsigned vg_integrator_takes(const vgModel *m, const char *text)
{
    vgUserMethod *user;
    const vgIntegratorRow *row;
    vgDiag *unheard = vg_diag_new(); /* not reported here: the caller reports it */
    unsigned takes =
        unheard && find_row(m, text, unheard, VG_NOWHERE, &user, &row) == VG_OK ? row->constraints : 0;
    if (takes) vg_user_free(user);
    vg_diag_free(unheard);
    return takes;
}

vgStatus vg_integrator_check(const char *text, vgDiag *diag)
{
    vgIntegrator it = {0};
    const vgIntegratorRow *row;
    vgStatus st = find_row(NULL, text, diag, VG_NOWHERE, &it.user, &row);
    if (st == VG_OK) st = vg_integrator_choose(&it, row, text, diag, VG_NOWHERE);
    vg_user_free(it.user);
    return st;
}

static int has_corners(const vgModel *m)
{
    int found = 0;
    for (int f = 0; f < m->nforce && !found; f++) {
        const vgForce *force = &m->force[f];
        found = force->kind->depth || force->kind->crowd || force->kind->switches || force->setup.foreign;
        for (int l = 0; l < force->setup.nlaw; l++) found |= force->setup.law[l]->expr != NULL;
    }
    return found;
}

vgStatus vg_integrator_new(const vgSystem *sys, const char *text, vgDiag *diag, vgIntegrator **out)
{
    vgLoc at = sys->model->run.loc;
    const vgIntegratorRow *row;
    vgUserMethod *user;
    vgStatus st = find_row(sys->model, text, diag, at, &user, &row);
    if (st == VG_OK) st = vg_pair_check(sys, row, diag, at);
    vgIntegrator *it = st == VG_OK ? calloc(1, sizeof *it) : NULL;
    if (!it) {
        vg_user_free(user);
        return st == VG_OK ? VG_NO_MEMORY : st;
    }
    it->user = user;
    it->sys = sys;
    it->corners = has_corners(sys->model);
    st = vg_integrator_choose(it, row, text, diag, at);
    it->rows_apart =
        it->newton_mode == VG_NEWTON_HOLD && it->newton_fixed == 0 && sys->cost.rows_apart && sys->nl > 0;
    if (st == VG_OK) st = (makes_no_matrix(it) ? vg_work_new_lean : vg_work_new)(sys, &it->work);
    if (st == VG_OK) st = row->setup(it);
    if (st == VG_OK) st = vg_control_new(it);
    if (st == VG_OK) st = vg_renewal_new(it);
    if ((st == VG_BAD_INPUT || st == VG_UNSUPPORTED) && it->failure.text[0])
        vg_diag_error(diag, at, "%s", it->failure.text);
    if (st != VG_OK) {
        vg_integrator_free(it);
        return st;
    }
    *out = it;
    return VG_OK;
}

void vg_integrator_free(vgIntegrator *it)
{
    if (!it) return;
    if (it->own && it->free_own) it->free_own(it->own);
    vg_control_free(it->controlled);
    vg_renewal_free(it->renewal);
    vg_metric_free(it->metric);
    vg_work_free(it->work);
    vg_user_free(it->user);
    free(it);
}
