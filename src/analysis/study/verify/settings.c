/* The dials of the runs that a run is compared with: other coordinates, other constraints, another family of
 * integrator; three kinds of methods, since no single one suits soft, stiff and very stiff models. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/study/converge.h"
#include "analysis/study/verify/parts.h"

/* The least that methods take. */
static const double LEAST_RTOL = 1e-14;

/* A kind of method for references: the first of the two that is of another family than the run's. */
typedef struct Choice {
    const char *integrator[2];
    double rtol[VG_LADDER_RUNGS]; /* 0 ends; all 0: fixed steps, halved from rung to rung */
    double ratio;                 /* errors fall by so much from rung to rung, at least */
} Choice;

/* Explicit steps of high order are cheapest where nothing is stiff. Radau's methods damp what is, and hold
 * their order on constraints; without a tolerance, where even they cannot follow every vibration, a method
 * with the run's own steps is left. */
static const Choice choices[] = {
    {{"dop853", "adams"}, {1e-8, 1e-10, 1e-12, 1e-13}, 10},
    {{"radau3", "esdirk436-2"}, {1e-6, 1e-8, 1e-10, 1e-12}, 10},
    {{"esdirk436", "radau3"}, {0}, 8},
};
enum { CHOICES = sizeof choices / sizeof choices[0] };

static const char *const coordinates[] = {"relative", "natural", "lie", "planar", "euler-parameters"};

/* In planar models 'lie' is another name of 'planar'. */
static int suits(const vgVerify *x, const vgCoordinatesRow *row)
{
    return (row->models & (x->model->planar ? 1 : 2)) && !(x->model->planar && !strcmp(row->name, "lie"));
}

/* The n-th of the coordinates that are not the run's; they must also be able to start the model. */
static const char *other_coordinates(const vgVerify *x, int n)
{
    for (size_t i = 0; i < sizeof coordinates / sizeof coordinates[0]; i++) {
        if (!strcmp(coordinates[i], x->coordinates)) continue;
        for (const vgCoordinatesRow *row = vg_coordinates_list; row->name; row++)
            if (!strcmp(row->name, coordinates[i]) && suits(x, row) && n-- == 0) return row->name;
    }
    return NULL;
}

/* A constraint setting that the method takes and the run does not have. Index 1 gives multipliers and
 * accelerations without differentiation, index 2 keeps both levels. */
static const char *other_constraints(const vgVerify *x, const vgIntegratorRow *row)
{
    static const struct {
        const char *name;
        unsigned flag;
    } list[] = {{"index1", VG_CON_INDEX1}, {"index2", VG_CON_INDEX2}, {"augmented1", VG_CON_AUGMENTED1}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if ((row->constraints & list[i].flag) && x->con != list[i].flag) return list[i].name;
    return "";
}

int vg_verify_setting(const vgVerify *x, int k, int rung, vgVerifyRun *what, double *ratio)
{
    const int kind = k % CHOICES, place = k / CHOICES;
    const Choice *c = &choices[kind];
    const int fixed = !(c->rtol[0] > 0);
    const char *name = c->integrator[0], *coords = other_coordinates(x, place);
    const vgIntegratorRow *row = vg_integrator_find(name);
    if (!coords || rung >= VG_LADDER_RUNGS || (!fixed && !(c->rtol[rung] > 0))) return 0;
    if (row && !strcmp(row->family, x->row->family)) row = vg_integrator_find(name = c->integrator[1]);
    if (!row || (fixed && !(x->o->step > 0))) return 0;
    *ratio = c->ratio;
    snprintf(what->coordinates, sizeof what->coordinates, "%s", coords);
    snprintf(what->constraints, sizeof what->constraints, "%s", other_constraints(x, row));
    snprintf(what->integrator, sizeof what->integrator, "%s", name);
    if (fixed)
        what->step = ldexp(x->o->step, -rung);
    else
        vg_converge_tolerances(name, c->rtol[rung], c->rtol[rung] / 100, what->integrator);
    return 1;
}

void vg_verify_finer(const vgVerify *x, int rung, vgVerifyRun *what)
{
    snprintf(what->coordinates, sizeof what->coordinates, "%s", x->coordinates);
    snprintf(what->constraints, sizeof what->constraints, "%s", x->constraints);
    snprintf(what->integrator, sizeof what->integrator, "%s", x->integrator);
    what->step = x->steps ? x->o->step : 0;
    if (x->adaptive)
        vg_converge_tolerances(x->integrator, fmax(x->rtol * pow(10, -rung), LEAST_RTOL),
                               fmax(x->atol * pow(10, -rung), LEAST_RTOL / 100), what->integrator);
    else
        what->step = ldexp(x->o->step, -rung);
}
