/* Every integrator of the list: steps allocate nothing, the same input gives the same bits, and all that a
 * run needs to go on is in the state. */
#include "base/alloc_count.h"
#include "integrator/runs.h"
#include "test.h"

typedef struct Case {
    const char *model, *coordinates;
    double step;
} Case;
/* Bodies with rotation coordinates of their own */
static const char mixed[] =
    "verge: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  a: {mass: 2, inertia: [0.1, 0.23, 0.3], position: [0.3, 0.1, -0.2], omega: [2, -1, 3],\n"
    "      markers: {O: [-0.3, -0.1, 0.2], E: [0.2, 0, 0]}, coordinates: euler-parameters}\n"
    "  b: {mass: 1, inertia: [0.05, 0.02, 0.04], position: [0.6, 0.1, -0.3], markers: {E: [-0.1, 0, 0.1]}}\n"
    "  c: {mass: 1, inertia: [0.05, 0.02, 0.04], position: [1, 0.1, -0.3], coordinates: euler-angles}\n"
    "joints:\n  O: {spherical: [ground, a.O]}\n  E: {spherical: [a.E, b.E]}\n"
    "forces:\n  s: {spring: [b, c], stiffness: 50, length: 0.3}\n";
static const Case models[] = {{"heavy-top-free.yaml", "lie", 2e-4},
                              {"pendulum.yaml", "lie", 1e-3},
                              {"slider-crank.yaml", NULL, 1e-3},
                              {mixed, "lie", 1e-3}};
enum { MODELS = sizeof models / sizeof *models };

/* What refuses the last model, in words (every_setting_spatial). */
static int is_for(const vgIntegratorRow *row, int model)
{
    return model < MODELS - 1 || !((row->flags & VG_INT_BODY_AXES) || strcmp(row->name, "hht-add") == 0);
}

static int independent(const vgIntegratorRow *row)
{
    return strstr(row->family, "SUNDIALS") != NULL; /* others' memory, others' state */
}

/* Steps as the driver takes them; a step that error control turns down is halved. */
static int advance(Rig *r, double h, int n)
{
    vgIntegrator *it = r->sim.it;
    vgState *s = r->sim.state;
    for (int done = 0, tries = 0; done < n && tries < 40 * n; tries++) {
        double t = s->t;
        vgStep x = VG_STEP;
        if (it->row->step(it, s, h, &x) != VG_OK) return 0;
        if (s->t == t) {
            h = x.next > 0 ? x.next : h / 2;
            continue;
        }
        vg_work_accept(it->sys, it->work, s);
        if (x.next > 0) h = x.next;
        s->step++;
        done++;
    }
    return 1;
}

static int begin(Rig *r, const Case *c, const char *name)
{
    if (!rig_open(r, c->model, c->coordinates, name, NULL, 0)) return 0;
    vg_work_bind(r->sim.it->work, r->sim.state);
    r->sim.it->step_hint = c->step;
    return r->sim.it->row->start(r->sim.it, r->sim.state) == VG_OK;
}

TEST(steps_allocate_nothing)
{
    CHECK(alloc_count_works());
    for (const vgIntegratorRow *const *row = vg_integrators; *row; row++)
        for (int m = 0; m < MODELS && !independent(*row) && is_for(*row, m); m++) {
            Rig r;
            int ok = begin(&r, &models[m], (*row)->name);
            long before = alloc_count();
            ok = ok && advance(&r, models[m].step, 12);
            if (!ok || alloc_count() != before) printf("%s on %s\n", (*row)->name, models[m].model);
            CHECK(ok);
            CHECK_INT(alloc_count() - before, 0);
            rig_close(&r);
        }
}

/* The same under error control, with step doubling and the multipliers' error where they apply. */
TEST(controlled_steps_allocate_nothing)
{
    for (const vgIntegratorRow *const *row = vg_integrators; *row; row++)
        for (int m = 0; m < MODELS && is_for(*row, m) && ((*row)->flags & VG_INT_ESTIMATE); m++) {
            Rig r;
            char text[96];
            snprintf(text, sizeof text, "%s:adaptive=1,rtol=1e-4,atol=1e-4,multipliers=1", (*row)->name);
            CHECK(begin(&r, &models[m], text));
            vgIntegrator *it = r.sim.it;
            double h = models[m].step;
            CHECK_INT(vg_integrator_start(it, r.sim.state), VG_OK);
            long before = alloc_count();
            int ok = 1;
            for (int k = 0; k < 8 && ok; k++) {
                vgStep x = VG_STEP;
                ok = vg_integrator_step(it, r.sim.state, h, &x) == VG_OK;
                h *= vg_step_refuses(&x) ? 0.4 : 1.1;
            }
            CHECK(ok && r.sim.state->t > 0);
            CHECK_INT(alloc_count() - before, 0);
            rig_close(&r);
        }
}

TEST(same_input_same_bits)
{
    for (const vgIntegratorRow *const *row = vg_integrators; *row; row++)
        for (int m = 0; m < MODELS && !independent(*row) && is_for(*row, m); m++) {
            Rig a, b;
            int ok = begin(&a, &models[m], (*row)->name) && advance(&a, models[m].step, 8);
            ok = begin(&b, &models[m], (*row)->name) && advance(&b, models[m].step, 8) && ok;
            CHECK(ok);
            if (ok) {
                size_t nq = (size_t)a.sim.sys->nq * sizeof(double),
                       nv = (size_t)a.sim.sys->nv * sizeof(double);
                CHECK(a.sim.state->t == b.sim.state->t && !memcmp(a.sim.state->q, b.sim.state->q, nq) &&
                      !memcmp(a.sim.state->v, b.sim.state->v, nv));
            }
            rig_close(&a);
            rig_close(&b);
        }
}

/* A copy of the state goes on in another integrator object, which never saw the start: the same motion but
 * for what Newton leaves. */
TEST(the_state_is_all)
{
    for (const vgIntegratorRow *const *row = vg_integrators; *row; row++)
        for (int m = 0; m < MODELS && !independent(*row) && is_for(*row, m); m++) {
            Rig a, b;
            double h = models[m].step;
            int ok = begin(&a, &models[m], (*row)->name) && advance(&a, h, 8);
            ok = rig_open(&b, models[m].model, models[m].coordinates, (*row)->name, NULL, 0) && ok;
            CHECK(ok);
            if (ok) {
                vg_state_copy(a.sim.sys, b.sim.state, a.sim.state);
                vg_work_bind(b.sim.it->work, b.sim.state);
                CHECK(advance(&a, h, 4) && advance(&b, h, 4));
                double d = distance(a.sim.state->q, b.sim.state->q, a.sim.sys->nq);
                if (!(d < 1e-9)) printf("%s on %s: %g\n", (*row)->name, models[m].model, d);
                CHECK_NEAR(d, 0, 1e-9);
            }
            rig_close(&a);
            rig_close(&b);
        }
}

/* Every option of every row: outside its range, no number, misspelt, half of a whole number. */
TEST(nonsense_options_are_refused)
{
    int ncommon;
    const vgParamSpec *common = vg_integrator_common(&ncommon);
    vgModel *m = vg_model_parse(STIFF, sizeof STIFF - 1, "test", NULL, 0, NULL);
    for (const vgIntegratorRow *const *row = vg_integrators; *row; row++)
        for (int i = 0; i < (*row)->nparam + ncommon; i++) {
            const vgParamSpec *p = i < (*row)->nparam ? &(*row)->params[i] : &common[i - (*row)->nparam];
            for (int k = 0; k < 5; k++) {
                char text[96];
                vgDiag *diag = vg_diag_new();
                vgSimulation sim = {0};
                if (k == 0) snprintf(text, sizeof text, "%s:%s=%g", (*row)->name, p->name, 2 * p->max + 1);
                if (k == 1) snprintf(text, sizeof text, "%s:%s=%g", (*row)->name, p->name, p->min - 1);
                if (k == 2) snprintf(text, sizeof text, "%s:%s=many", (*row)->name, p->name);
                if (k == 3) snprintf(text, sizeof text, "%s:%sx=1", (*row)->name, p->name);
                if (k == 4) snprintf(text, sizeof text, "%s:%s", (*row)->name, p->name);
                vgDials dials = {.integrator = text};
                vgStatus st = vg_simulation_open(m, &dials, diag, &sim);
                if (st != VG_BAD_INPUT) printf("%s is taken\n", text);
                CHECK_INT(st, VG_BAD_INPUT);
                CHECK(vg_diag_count(diag) > 0 && strstr(vg_diag_line(diag, 0), p->name) != NULL);
                if (st == VG_OK) vg_simulation_close(&sim);
                vg_diag_free(diag);
            }
        }
    static const char *const halves[] = {"bdf:order=2.5", "lms2:start=0.5", "sdirk:once=0.5",
                                         "heun:fixed=1.5", "hht:predictor=1.5"};
    for (int k = 0; k < 5; k++) {
        vgSimulation sim = {0};
        vgDials dials = {.integrator = halves[k]};
        CHECK_INT(vg_simulation_open(m, &dials, NULL, &sim), VG_BAD_INPUT);
    }
    vg_model_free(m);
}

TEST_MAIN(nonsense_options_are_refused, steps_allocate_nothing, controlled_steps_allocate_nothing,
          same_input_same_bits, the_state_is_all)
