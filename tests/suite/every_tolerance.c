/* Every integrator with an error estimate: the error at the end follows rtol over three decades, and stays
 * below what the steps may add up to; rejected steps are counted. */
#include "integrator/orders.h"
#include "test.h"

static Problem problem[NPROBLEM];
static void make(void)
{
    if (!problem[0].name) problems_make(problem, "dop853:adaptive=0", 0.000125);
}

static const char *constraints_of(const vgIntegratorRow *row)
{
    return row->constraints & VG_CON_INDEX3   ? "index3"
           : row->constraints & VG_CON_INDEX2 ? "index2"
                                              : "index1";
}

/* Error of the final state relative to the motion, for one tolerance. */
static double error_at(const vgIntegratorRow *row, const Problem *p, double rtol, const char *more, Final *f)
{
    char text[128];
    snprintf(text, sizeof text, "%s:adaptive=1,rtol=%g,atol=%g%s", row->name, rtol, rtol, more);
    *f = final_of(p->text, p->coordinates, text, 0, p->end);
    double size = distance(p->ref.v, (double[MAX_STATE]){0}, f->nv);
    return final_error(f, &p->ref, 0) / fmax(1, size);
}

TEST(the_error_follows_the_tolerance)
{
    make();
    for (const vgIntegratorRow *const *r = vg_integrators; *r; r++)
        for (int p = 0; p < NPROBLEM && ((*r)->flags & VG_INT_ESTIMATE); p++) {
            double e[2];
            Final f;
            rig_constraints = constraints_of(*r);
            for (int k = 0; k < 2; k++) {
                double rtol = k ? 1e-7 : 1e-4;
                e[k] = error_at(*r, &problem[p], rtol, "", &f);
                /* velocities at index 3 are a stage's alone: twice what the steps may add up to elsewhere */
                double most = (p == PENDULUM ? 8 : 4) * rtol * (double)f.stats.steps;
                if (!(f.ok && e[k] < most))
                    printf("%s on %s to %g: %g in %ld steps\n", (*r)->name, problem[p].name, rtol, e[k],
                           f.stats.steps);
                CHECK(f.ok && e[k] < most);
            }
            double decades = log10(e[0] / e[1]);
            if (getenv("VERGE_TEST_SHOW"))
                printf("%-20s %-18s %.2f decades, %ld steps, %ld rejected, %g\n", (*r)->name, problem[p].name,
                       decades, f.stats.steps, f.stats.rejected, e[1]);
            CHECK(decades > 1.4 && decades < 4.5);
        }
    rig_constraints = "index3";
}

/* A crank whose angle is driven, 3t + ½ sin 2t: positions are exact at any step, and the rate 3 + cos 2t has
 * to be within the tolerance all the same. */
TEST(driven_rates_are_within_the_tolerance)
{
    static const char text[] =
        "verge: 1\nplanar: true\ngravity: [0, -9.81]\n"
        "bodies: {crank: {mass: 1, inertia: 0.1, com: [0.5, 0]}}\n"
        "joints: {O: {revolute: [ground, crank], drive: {angle: '3*t + 0.5*sin(2*t)'}}}\n";
    for (const vgIntegratorRow *const *r = vg_integrators; *r; r++) {
        if (!((*r)->flags & VG_INT_ESTIMATE)) continue;
        for (double rtol = 1e-3; rtol > 1e-6; rtol *= 1e-2) {
            char method[64];
            rig_constraints = constraints_of(*r);
            snprintf(method, sizeof method, "%s:rtol=%g", (*r)->name, rtol);
            Final f = final_of(text, "planar", method, 0, 1.5);
            double e = fabs(f.v[2] - (3 + cos(3.0)));
            if (!(f.ok && e < 8 * rtol * (double)f.stats.steps))
                printf("%s: %g in %ld steps\n", method, e, f.stats.steps);
            CHECK(f.ok && e < 8 * rtol * (double)f.stats.steps);
        }
    }
    rig_constraints = "index3";
}

/* The absolute tolerance is a hundredth of the relative one unless given. */
TEST(atol_follows_rtol)
{
    static const struct {
        const char *text;
        double atol;
    } one[] = {{"dopri5", 1e-8},
               {"dopri5:rtol=1e-11", 1e-13},
               {"bdf:rtol=1e-3", 1e-5},
               {"dopri5:rtol=1e-11,atol=1e-3", 1e-3},
               {"dopri5:atol=1e-5", 1e-5}};
    for (int i = 0; i < 5; i++) {
        Rig r;
        if (rig_open(&r, OSCILLATOR, NULL, one[i].text, NULL, 0))
            CHECK_NEAR(r.sim.it->atol, one[i].atol, 1e-12 * one[i].atol);
        rig_close(&r);
    }
}

/* The multipliers' error counts when asked for: no larger steps, not many more, and an error of λ that
 * follows rtol or is below it. */
TEST(multipliers_count_when_asked_for)
{
    make();
    for (const vgIntegratorRow *const *r = vg_integrators; *r; r++) {
        if (!((*r)->flags & VG_INT_ESTIMATE)) continue;
        double l[3], size = fabs(problem[PENDULUM].ref.lambda[0]);
        long steps[3];
        rig_constraints = constraints_of(*r);
        for (int k = 0; k < 3; k++) {
            Final f;
            error_at(*r, &problem[PENDULUM], k == 2 ? 1e-5 : 1e-3, k ? ",multipliers=1" : "", &f);
            CHECK(f.ok);
            l[k] = distance(f.lambda, problem[PENDULUM].ref.lambda, 1) / size;
            steps[k] = f.stats.steps;
        }
        if (getenv("VERGE_TEST_SHOW") ||
            !(steps[1] >= steps[0] && l[1] < 0.1 && (l[2] < 0.2 * l[1] || l[2] < 5e-6)))
            printf("%s: %ld %ld %ld steps, %g %g %g\n", (*r)->name, steps[0], steps[1], steps[2], l[0], l[1],
                   l[2]);
        CHECK(steps[1] >= steps[0]);
        CHECK(steps[1] <= 3 * steps[0]); /* λ is as smooth as the motion here, and known as well */
        CHECK(l[1] < 0.1 && (l[2] < 0.2 * l[1] || l[2] < 5e-6));
    }
    rig_constraints = "index3";
}

/* A tolerance alone turns error control on: every method of the list has an estimate. */
TEST(a_tolerance_is_taken_or_refused)
{
    for (const vgIntegratorRow *const *r = vg_integrators; *r; r++) {
        if (!strcmp((*r)->family, "SUNDIALS")) continue; /* to a tolerance within each step, always */
        CHECK(((*r)->flags & VG_INT_ESTIMATE) != 0);
        for (int k = 0; k < 3; k++) {
            static const char *const given[] = {"rtol=1e-4", "atol=1e-4", "rtol=1e-4,adaptive=0"};
            char text[96];
            vgDiag *diag = vg_diag_new();
            vgModel *m = vg_model_parse(STIFF, sizeof STIFF - 1, "test", NULL, 0, diag);
            vgSimulation sim = {0};
            snprintf(text, sizeof text, "%s:%s", (*r)->name, given[k]);
            vgDials dials = {.integrator = text};
            vgStatus st = vg_simulation_open(m, &dials, diag, &sim);
            CHECK_INT(st, VG_OK);
            if (st == VG_OK) {
                CHECK_INT(sim.it->adaptive, k < 2);
                vg_simulation_close(&sim);
            } else {
                CHECK(strstr(vg_diag_line(diag, 0), "'lms2'") != NULL);
            }
            vg_model_free(m);
            vg_diag_free(diag);
        }
    }
}

/* A first step that is far too long is turned down, counted, and leaves no trace. */
TEST(rejected_steps_are_counted)
{
    make();
    for (const vgIntegratorRow *const *r = vg_integrators; *r; r++) {
        if (!((*r)->flags & VG_INT_ESTIMATE)) continue;
        char text[96];
        Rig rig;
        snprintf(text, sizeof text, "%s:adaptive=1,rtol=1e-6,atol=1e-6", (*r)->name);
        CHECK(rig_open(&rig, ELASTIC_PENDULUM, NULL, text, NULL, 0));
        CHECK(rig_run(&rig, 0.5, 2));
        CHECK(rig.stats.rejected > 0);
        double e = distance(rig.sim.state->q, problem[ELASTIC].ref.q, 2);
        CHECK(e < 4e-6 * (double)rig.stats.steps);
        rig_close(&rig);
    }
}

/* Nor is it taken where Newton's iteration fails with rows at the level of accelerations, as it also does
 * near a singular position, which is passed whatever the estimate says: a pendulum has none. */
TEST(long_first_steps_under_every_setting)
{
    static const struct {
        const char *name;
        unsigned flag;
    } settings[] = {{"index3", VG_CON_INDEX3},         {"index2", VG_CON_INDEX2},
                    {"index1", VG_CON_INDEX1},         {"augmented3", VG_CON_AUGMENTED3},
                    {"augmented1", VG_CON_AUGMENTED1}, {"independent", VG_CON_INDEPENDENT}};
    make();
    for (const vgIntegratorRow *const *r = vg_integrators; *r; r++)
        for (int k = 0; k < 6; k++) {
            if (!((*r)->flags & VG_INT_ESTIMATE) || !((*r)->constraints & settings[k].flag)) continue;
            char text[96];
            rig_constraints = settings[k].name;
            snprintf(text, sizeof text, "%s:adaptive=1,rtol=1e-5,atol=1e-5", (*r)->name);
            Final f = final_of(problem[PENDULUM].text, NULL, text, 0.5, problem[PENDULUM].end);
            double e = distance(f.q, problem[PENDULUM].ref.q, f.nq), most = 4e-5 * (double)f.stats.steps;
            if (!(f.ok && e < most))
                printf("%s %s: %g in %ld steps\n", (*r)->name, settings[k].name, e, f.stats.steps);
            CHECK(f.ok && e < most);
        }
    rig_constraints = "index3";
}

TEST_MAIN(atol_follows_rtol, the_error_follows_the_tolerance, driven_rates_are_within_the_tolerance,
          multipliers_count_when_asked_for, a_tolerance_is_taken_or_refused, rejected_steps_are_counted,
          long_first_steps_under_every_setting)
