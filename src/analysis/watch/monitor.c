#include "analysis/watch/monitor.h"

#include "analysis/watch/budget.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Steps between looks, at the least, and more where they cannot be paid (budget.h). At half of it vehicles exceed 1 %; at twice, a
 * wrong motion is found so much later, and a vibration that dies out is no longer seen in a run of 2,000 steps
 * (slider-crank-flexible in test_defects_watch.py). */
enum { STRIDE = 200 };
/* Until then looks are so far apart as this part of the steps taken: short runs are looked at as well. */
static const double EARLY = 0.5;
/* A speed that is so many times the largest one at a look is looked at at once. */
static const double OUTSTANDING = 2;

/* A step is looked at from within after a look, when so many steps were taken since the last one: a part of all steps, or
 * OFTEN_WITHIN, if it can be paid. It costs about as much as four steps; at half of
 * OFTEN_WITHIN small models exceed 1 %. At twice the part the last look from within may lie in the first half of a run, and at
 * 1.4 times of it a rotor that is off by 14 % is no longer warned of (test_defects_rotors.py). */
static const double PART_WITHIN = 0.25;
enum { OFTEN_WITHIN = 2400 };

const vgMonitorKind *const vg_monitor_kinds[] = {&vg_monitor_violation, &vg_monitor_energy,
                                                 &vg_monitor_momentum, &vg_monitor_defect, NULL};

enum { KINDS = sizeof vg_monitor_kinds / sizeof vg_monitor_kinds[0] - 1 };

/* Powers are summed over time, by samples whose distance in steps is doubled where they are smooth and halved where they
 * are not, but is not less than a part of the steps since the start, or since a contact began or ended. A sample costs as
 * much as a look: beyond FREE_SAMPLES of them, and one for every SAMPLE_COST steps, contacts do not count. At half of
 * SAMPLE_COST vehicles exceed 1 % of the steps; at half of EARLY_SAMPLES what brakes a robot at its stops is less sure. */
enum { EARLY_SAMPLES = 32, FREE_SAMPLES = 160, SAMPLE_COST = 200, MOST_APART = 256 };

struct vgMonitors {
    vgIndicators now; /* first: vg_monitors_step sees it alone */
    vgBudget budget;
    vgLook look;
    void *own[KINDS];
    vgWithin *within;
    int64_t awaited; /* the step whose end is looked at from within; −1: none */
    int64_t inside;  /* steps taken when one was looked at from within last */
    long breaks;     /* splits and events when it began */
    int64_t far;     /* step of the next look */
    int64_t sample;  /* step of the next sample; INT64_MAX: none is wanted */
    int64_t apart;   /* steps between samples */
    int64_t since;   /* step at which a contact began or ended */
    long samples;    /* how many there were */
    int64_t first;   /* step of the start */
    double seen;     /* time of the last look */
    int pushed;      /* 1: since then somebody outside moved the state, or changed what acts on it */
    unsigned char *watch;
    long nwatch;
};

int vg_peak_raise(vgPeak *peak, double value, double t)
{
    if (value <= peak->value) return 0;
    *peak = (vgPeak){value, t};
    return 1;
}

void vg_watch_doubt(vgWatch *w, const char *format, ...)
{
    va_list args;
    if (w->ndoubt == VG_DOUBTS) return;
    va_start(args, format);
    vsnprintf(w->doubt[w->ndoubt++], VG_DOUBT_SIZE, format, args);
    va_end(args);
}

void vg_monitors_free(vgMonitors *m)
{
    if (!m) return;
    for (int k = 0; k < KINDS; k++)
        if (m->own[k]) vg_monitor_kinds[k]->close(m->own[k]);
    vg_probe_free(m->look.probe);
    free(m->now.resolution);
    vg_brief_free(m->now.brief);
    vg_within_free(m->within);
    free(m->watch);
    free(m);
}

/* The probe asks for the turns of the angles that it sees to be counted; a look must not change the run. */
static void look_from(vgMonitors *m, const vgState *s)
{
    m->look.s = s;
    if (m->nwatch) memcpy(m->watch, m->look.it->work->watch, (size_t)m->nwatch);
    vg_probe_at(m->look.probe, m->look.it->work, s);
}

static void look_away(vgMonitors *m)
{
    if (m->nwatch) memcpy(m->look.it->work->watch, m->watch, (size_t)m->nwatch);
}

vgStatus vg_monitors_new(vgIntegrator *it, const vgState *first, vgDense *dense, vgWatch *out,
                         vgMonitors **to)
{
    vgMonitors *m = calloc(1, sizeof *m);
    *to = NULL;
    *out = (vgWatch){.error.value = NAN};
    if (!m) return VG_NO_MEMORY;
    m->look = (vgLook){.it = it, .s = first, .t0 = first->t, .out = out};
    m->budget = vg_budget(it);
    m->first = first->step;
    m->seen = first->t;
    m->now.next = m->far = m->sample = m->now.three = first->step + 1;
    m->now.first = first->step;
    m->now.turn.from = it->stats.steps + 3;
    m->apart = 1;
    m->since = first->step;
    m->awaited = -1;
    m->now.troubles = vg_troubles(&it->stats);
    m->now.stats = &it->stats;
    m->now.it = it;
    m->now.newton = it->stats.newton_iterations;
    m->nwatch = it->work->watch ? it->sys->model->nmeasure : 0;
    m->watch = calloc((size_t)m->nwatch + 1, 1);
    vgStatus st = m->watch ? vg_probe_new(it->sys, &m->look.probe) : VG_NO_MEMORY;
    if (st == VG_OK) st = vg_resolution_new(it, &m->now.resolution);
    if (!m->now.resolution) m->now.three = INT64_MAX;
    if (st == VG_OK) st = vg_within_new(it, first, dense, &m->within);
    if (st == VG_OK) st = vg_brief_new(it, first, &m->now.brief);
    m->look.brief = vg_brief_sum(m->now.brief);
    if (st == VG_OK) look_from(m, first);
    for (int k = 0; k < KINDS && st == VG_OK; k++) st = vg_monitor_kinds[k]->open(&m->look, &m->own[k]);
    if (st == VG_OK) look_away(m);
    if (st != VG_OK) {
        vg_monitors_free(m);
        return st;
    }
    *to = m;
    return VG_OK;
}

/* Steps to the next look or sample that are about `far`: a number between half and one and a half of it that depends on
 * the step alone, so that no period of the motion is in time with the looks. */
static int64_t stride(double far, int64_t step)
{
    uint64_t x = (uint64_t)step * UINT64_C(0x9e3779b97f4a7c15); /* multiplicative hash, golden ratio */
    int64_t n = (int64_t)(far * (0.5 + (double)(x >> 40) / (double)(1 << 24)));
    return n > 1 ? n : 1;
}

/* The step that ended at s, from within. */
static void look_within(vgMonitors *m, const vgState *s)
{
    vgIntegrator *it = m->look.it;
    m->look.stands = vg_within_solve(m->within, it, s);
    if (m->look.stands == 0) return;
    m->look.step = s->t - vg_within_at(m->within, it, 0)->t;
    for (int i = 0; i < VG_WITHIN; i++) {
        const vgState *at = vg_within_at(m->within, it, i);
        if (!at) break;
        vg_work_bind(it->work, at);
        look_from(m, at);
        const vgPlace place = i == 0 ? VG_BEGINNING : i < VG_WITHIN - 1 ? VG_BETWEEN : VG_ENDING;
        m->look.weight = place == VG_BETWEEN ? 0.5 * m->look.step : 0;
        for (int k = 0; k < KINDS; k++)
            if (m->own[k] && vg_monitor_kinds[k]->within)
                vg_monitor_kinds[k]->within(m->own[k], &m->look, place);
        look_away(m);
    }
    vg_work_bind(it->work, s);
}

/* What is summed over time; look: at the state. */
static void take_sample(vgMonitors *m, const vgLook *look)
{
    const vgState *s = look->s;
    vgCourse how = VG_COURSE_NONE;
    for (int k = 0; k < KINDS; k++) {
        const vgMonitorKind *kind = vg_monitor_kinds[k];
        const vgCourse one = m->own[k] && kind->sample ? kind->sample(m->own[k], look) : VG_COURSE_NONE;
        how = one > how ? one : how;
    }
    if (how == VG_COURSE_SMOOTH && m->apart < MOST_APART) m->apart *= 2;
    if (how == VG_COURSE_ROUGH && m->apart > 1) m->apart /= 2;
    const int64_t taken = s->step - m->first, allowed = FREE_SAMPLES + taken / SAMPLE_COST;
    const int64_t since = m->samples < allowed ? s->step - m->since : taken;
    const double far = fmax((double)m->apart, fmin((double)since / EARLY_SAMPLES, MOST_APART));
    m->sample = how == VG_COURSE_NONE ? INT64_MAX : s->step + stride(far, s->step);
}

/* A step with these is not one step: it was split, something happened in it, or its coordinates were exchanged. */
static long breaks(const vgStats *x)
{
    return x->substeps + x->events + x->recasts;
}

static void plan(vgMonitors *m)
{
    m->now.next = m->far < m->sample ? m->far : m->sample;
    if (m->awaited >= 0 && m->awaited < m->now.next) m->now.next = m->awaited;
}

/* What acts for moments passes its force on to drives and dampers, whose powers jump with it. They are sampled wherever such
 * elements are looked at: that is after every step before one of them may begin to act, so that no interval between two samples
 * reaches from a time at which it did not act far into one at which it does. These samples cost no more than those looks. */
void vg_monitors_brief(vgMonitors *m, const vgState *s, vgBriefSeen seen)
{
    if (m->sample == INT64_MAX) return;
    if (seen == VG_BRIEF_OTHER) m->since = s->step, m->apart = 1;
    vgLook look = m->look;
    look.s = s;
    look.probe = vg_brief_probe(m->now.brief);
    if (m->nwatch) memcpy(m->watch, look.it->work->watch, (size_t)m->nwatch);
    take_sample(m, &look);
    look_away(m);
    plan(m);
}

/* The next step is looked at from within, if it is time and can be paid. */
static void keep_for_within(vgMonitors *m, const vgState *s)
{
    const double taken = (double)m->look.taken;
    if ((double)(m->look.taken - m->inside) < fmin(PART_WITHIN * taken, OFTEN_WITHIN)) return;
    if (!vg_budget_allows(&m->budget, m->budget.within, 0)) return;
    m->budget.spent += m->budget.within;
    m->inside = m->look.taken;
    m->awaited = s->step + 1;
    m->breaks = breaks(m->budget.stats);
    vg_within_keep(m->within, m->look.it, s);
}

/* Plans the next look, and pays for this one; 0: it has to wait. */
static int spend(vgMonitors *m, const vgState *s, double speed, int last)
{
    const vgStats *stats = m->budget.stats;
    const double taken = (double)(s->step - m->first);
    const int urgent = speed > m->now.alarm || vg_troubles(stats) != m->now.troubles;
    const int pays = last || vg_budget_allows(&m->budget, VG_LOOK_WORK, urgent);
    const double earned = vg_budget_steps(&m->budget, VG_LOOK_WORK, taken);
    m->far = s->step +
             (pays ? stride(fmin(EARLY * taken, fmax(STRIDE, earned)), s->step) : stride(earned, s->step));
    m->now.alarm = fmax(m->now.alarm, OUTSTANDING * speed);
    m->now.troubles = vg_troubles(stats);
    if (pays) {
        m->budget.spent += VG_LOOK_WORK;
        m->look.taken = s->step - m->first;
        keep_for_within(m, s);
    }
    plan(m);
    return pays;
}

vgStatus vg_monitors_look(vgMonitors *m, const vgState *s, double speed, int last)
{
    vgStatus st = VG_OK;
    vgIntegrator *it = m->look.it;
    if (m->awaited == s->step && breaks(&it->stats) == m->breaks) look_within(m, s);
    if (m->awaited <= s->step) m->awaited = -1;
    if (s->step >= m->sample) {
        m->samples++;
        look_from(m, s);
        take_sample(m, &m->look);
        look_away(m);
    }
    plan(m);
    if (s->step < m->far && speed <= m->now.alarm && vg_troubles(&it->stats) == m->now.troubles && !last)
        return VG_OK; /* it was for that step, or a sample, alone */
    if (!spend(m, s, speed, last)) return VG_OK;
    m->seen = s->t;
    m->look.out->looks++;
    m->look.out->iterations = (vgPeak){(double)m->now.most, m->now.when};
    if (m->pushed) vg_monitors_jumped(m, s);
    vg_brief_up_to(m->now.brief, it, s);
    look_from(m, s);
    for (int k = 0; k < KINDS; k++) { /* all see the state; the first to refuse it has the word */
        vgFailure why = m->look.it->failure;
        vgStatus one = m->own[k] ? vg_monitor_kinds[k]->look(m->own[k], &m->look) : VG_OK;
        if (st != VG_OK)
            m->look.it->failure = why;
        else
            st = one;
    }
    look_away(m);
    return st;
}

vgStatus vg_monitors_before_jump(vgMonitors *m, const vgState *s)
{
    return m ? vg_monitors_look(m, s, 0, 1) : VG_OK;
}

void vg_monitors_push(vgMonitors *m, const vgState *s)
{
    m->pushed = 1;
    vg_monitors_restarted(m);
    if (s->step < m->first) m->first = m->now.first = s->step;
    if (m->now.resolution && m->now.three > s->step + VG_RESOLUTION_MOST) m->now.three = s->step + 1;
    if (m->far > s->step + 2 * STRIDE) m->now.next = m->far = s->step + 1; /* it went back */
    if (m->sample < INT64_MAX) m->sample = m->since = s->step + 1, m->apart = 1;
    plan(m);
}

void vg_monitors_restarted(vgMonitors *m)
{
    if (m) m->now.turn.from = m->now.stats->steps + 3;
}

void vg_monitors_jumped(vgMonitors *m, const vgState *s)
{
    if (!m) return;
    vg_resolution_jumped(m->now.resolution);
    vg_monitors_restarted(m);
    vg_brief_jumped(m->now.brief, m->look.it, s);
    m->pushed = 0;
    look_from(m, s);
    for (int k = 0; k < KINDS; k++)
        if (m->own[k] && vg_monitor_kinds[k]->jump) vg_monitor_kinds[k]->jump(m->own[k], &m->look);
    look_away(m);
}

void vg_monitors_end(vgMonitors *m, const vgState *s)
{
    if (s->t > m->seen) { /* it stopped between two looks: what is seen there counts, its verdict does not */
        vgFailure why = m->look.it->failure;
        vg_monitors_look(m, s, 0, 1);
        m->look.it->failure = why;
    }
    look_from(m, s);
    for (int k = 0; k < KINDS; k++)
        if (m->own[k]) vg_monitor_kinds[k]->end(m->own[k], &m->look);
    /* what momenta that are conserved have changed by is an error of the motion, whatever else is known of it */
    if (isfinite(m->look.out->error.value))
        vg_peak_raise(&m->look.out->error, m->look.out->momentum.value, m->look.out->momentum.t);
    vg_resolution_end(m->now.resolution, &m->look);
    vg_turn_end(&m->now.turn, &m->look);
    look_away(m);
}
