#include "analysis/state/probe.h"

#include "analysis/state/least_norm.h"
#include "system/native/native.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { MAX_OUTPUTS = 32, MAX_SEEN = 256 };

typedef struct Seen { /* a measure at the state with this stamp */
    vgMeasureOut out;
    unsigned long stamp;
    int measure, derivatives;
} Seen;

/* Each cache remembers the stamp of the state it was filled at. */
struct vgProbe {
    const vgSystem *sys;
    vgWork *work;
    const vgState *state;
    const vgKin *kin; /* NULL: not asked for yet at this state */
    vgKin ground;
    unsigned long stamp;
    Seen *seen; /* [nseen]: measure i at i mod nseen, so that few measures of a large model are kept */
    int nseen;
    vgForceIn in;
    const vgKin *in_kin[VG_FORCE_MAX_BODIES];
    vgMeasureOut in_measure[4];
    double in_acc[4];
    double in_law[VG_FORCE_MAX_LAWS][VG_LAW_MAX_INPUTS];
    double output[MAX_OUTPUTS];
    int output_force, reaction_joint; /* −1: nothing cached */
    double reaction[6];
    double *residual;   /* [3·nl] */
    double *lambda;     /* [nl] multipliers of least norm where rows are redundant */
    vgLeastNorm *least; /* NULL: they are not */
    unsigned long lambda_stamp;
    unsigned long residual_stamp;
    int *row0, *nrow; /* [njoint] rows in the system */
    void **crowd;     /* [nforce] memory of kinds with `crowd`; NULL: there are none */
    vgKin *all;       /* the motion of all bodies and the ground, for those */
    unsigned long all_stamp;
    vgArena arena;
};

static void place(vgProbe *p, vgArena *arena)
{
    const vgModel *m = p->sys->model;
    p->nseen = m->nmeasure < MAX_SEEN ? m->nmeasure : MAX_SEEN;
    p->seen = VG_TAKE(arena, Seen, p->nseen);
    p->residual = VG_TAKE(arena, double, 3 * p->sys->nphi);
    p->lambda = VG_TAKE(arena, double, p->sys->nphi);
    p->row0 = VG_TAKE(arena, int, m->njoint);
    p->nrow = VG_TAKE(arena, int, m->njoint);
    const int crowd = vg_native_has_crowd(m);
    p->crowd = crowd ? VG_TAKE(arena, void *, m->nforce) : NULL;
    p->all = crowd ? VG_TAKE(arena, vgKin, m->nbody + 1) : NULL;
    for (int f = 0; f < m->nforce; f++) {
        if (!m->force[f].kind->crowd) continue;
        void *scratch = m->force[f].kind->crowd->scratch(m->force[f].def, arena);
        if (p->crowd) p->crowd[f] = scratch;
    }
}

vgStatus vg_probe_new(const vgSystem *sys, vgProbe **out)
{
    *out = NULL;
    vgProbe *p = calloc(1, sizeof *p);
    if (!p) return VG_NO_MEMORY;
    p->sys = sys;
    p->ground.R = vg_eye3();
    vgArena arena = {0};
    place(p, &arena);
    vgStatus status = vg_arena_alloc(&arena, arena.used);
    if (status != VG_OK) {
        free(p);
        return status;
    }
    place(p, &arena);
    p->arena = arena;
    status = vg_least_norm_new(sys, &p->least);
    if (status != VG_OK) {
        vg_probe_free(p);
        return status;
    }
    for (int i = 0; i < sys->nphi; i++) {
        int joint = sys->row_joint ? sys->row_joint[i] : -1;
        if (joint >= 0 && p->nrow[joint]++ == 0) p->row0[joint] = i;
    }
    *out = p;
    return VG_OK;
}

void vg_probe_free(vgProbe *p)
{
    if (!p) return;
    vg_least_norm_free(p->least);
    vg_arena_free(&p->arena);
    free(p);
}

void vg_probe_at(vgProbe *p, vgWork *work, const vgState *state)
{
    p->work = work;
    p->state = state;
    p->kin = NULL;
    p->output_force = p->reaction_joint = -1;
    p->stamp++;
}

const vgSystem *vg_probe_system(const vgProbe *p)
{
    return p->sys;
}

double vg_probe_time(const vgProbe *p)
{
    return p->state->t;
}

const vgKin *vg_probe_kin(vgProbe *p, int body)
{
    if (body < 0) return &p->ground;
    const vgState *s = p->state;
    if (!p->kin) p->kin = p->sys->ops->kinematics(p->sys, p->work, s->t, s->q, s->v, s->a);
    return &p->kin[body];
}

/* What forces read of reactions, with the multipliers that the equations of motion have. */
static double load_of(vgProbe *p, const vgLoad *load)
{
    double wrench[6] = {0};
    vg_probe_kin(p, 0); /* reactions are taken at the motion last given to kinematics() */
    p->sys->ops->reaction(p->sys, p->work, p->state->t, p->state->lambda, load->joint, wrench);
    return vg_load_value(load, vg_model_load_axis(p->sys->model, load, p->kin), wrench, NULL);
}

const vgMeasureOut *vg_probe_measure(vgProbe *p, int measure, int derivatives)
{
    Seen *seen = &p->seen[measure % p->nseen];
    if (seen->stamp == p->stamp && seen->measure == measure && seen->derivatives >= derivatives)
        return &seen->out;
    const vgMeasure *m = &p->sys->model->measure[measure].measure;
    double turn = m->turn >= 0 && p->state->turn ? p->state->turn[m->turn] : 0;
    if (m->kind == VG_MEASURE_LOAD) turn = load_of(p, &p->sys->model->load[m->axis]);
    if (p->work && p->work->watch)
        p->work->watch[measure] = 1; /* whoever looks at an angle wants its turns counted */
    const vgKin *ka = vg_probe_kin(p, m->A.body), *kb = vg_probe_kin(p, m->B.body);
    vg_measure_eval(m, ka, kb, turn, derivatives, &seen->out);
    seen->stamp = p->stamp;
    seen->measure = measure;
    seen->derivatives = derivatives;
    return &seen->out;
}

static double along(const double grad[6], const vgKin *k)
{
    return grad[0] * k->dv.x + grad[1] * k->dv.y + grad[2] * k->dv.z + grad[3] * k->dw.x + grad[4] * k->dw.y +
           grad[5] * k->dw.z;
}

double vg_probe_measure_acc(vgProbe *p, int measure)
{
    const vgMeasureOut *out = vg_probe_measure(p, measure, 1);
    const vgMeasure *m = &p->sys->model->measure[measure].measure;
    double acc = out->bias;
    if (m->A.body >= 0) acc += along(out->grad, vg_probe_kin(p, m->A.body));
    if (m->B.body >= 0) acc += along(out->grad + 6, vg_probe_kin(p, m->B.body));
    return acc;
}

/* What elements with `crowd` see. */
static void see_all(vgProbe *p, int force)
{
    const int n = p->sys->model->nbody;
    if (p->all_stamp != p->stamp) {
        vg_probe_kin(p, n > 0 ? 0 : -1);
        if (n > 0) memcpy(p->all, p->kin, (size_t)n * sizeof *p->all);
        p->all[n] = p->ground;
        p->all_stamp = p->stamp;
    }
    p->in.all = p->all;
    p->in.nall = n;
    p->in.scratch = p->crowd[force];
}

const vgForceIn *vg_probe_force_in(vgProbe *p, int force)
{
    const vgForceSetup *setup = &p->sys->model->force[force].setup;
    p->in = (vgForceIn){.t = p->state->t,
                        .unload = p->work ? p->work->unload : 0,
                        .nbody = setup->nbody,
                        .kin = p->in_kin,
                        .measure = p->in_measure};
    for (int i = 0; i < setup->nbody; i++) p->in_kin[i] = vg_probe_kin(p, setup->body[i]);
    for (int i = 0; i < setup->nmeasure; i++) {
        p->in_measure[i] = *vg_probe_measure(p, setup->measure[i], 1);
        p->in_acc[i] = vg_probe_measure_acc(p, setup->measure[i]);
    }
    p->in.measure_acc = p->in_acc;
    p->in.gravity = p->sys->model->gravity;
    if (p->crowd && p->crowd[force]) see_all(p, force);
    for (int i = 0; i < setup->nlaw; i++) {
        const vgLaw *law = setup->law[i];
        for (int k = 0; k < law->ninput; k++) {
            int external = law->slot[k] - VG_LAW_LOCAL;
            if (external < 0) continue;
            const vgMeasureOut *m = vg_probe_measure(p, external / 2, 0);
            p->in_law[i][k] = external % 2 ? m->rate : m->value;
        }
        p->in.law_inputs[i] = p->in_law[i];
    }
    if (p->work && p->work->shows_held) vg_work_hold(p->work, force, &p->in);
    return &p->in;
}

double vg_probe_force_output(vgProbe *p, int force, int k)
{
    const vgForce *f = &p->sys->model->force[force];
    if (p->output_force != force) {
        memset(p->output, 0, sizeof p->output);
        f->kind->output(f->def, vg_probe_force_in(p, force), p->output);
        p->output_force = force;
    }
    return k < MAX_OUTPUTS ? p->output[k] : NAN;
}

/* Power of the forces at `in` along the velocities of the state. */
static double power_of(vgProbe *p, int force, const vgForceIn *in)
{
    const vgForce *f = &p->sys->model->force[force];
    double wrench[6 * VG_FORCE_MAX_BODIES] = {0}, Q[4] = {0}, power = 0;
    f->kind->eval(f->def, in, &(vgForceOut){.f = wrench, .Q = Q});
    for (int i = 0; i < in->nbody; i++) {
        const vgKin *k = vg_probe_kin(p, f->setup.body[i]);
        if (f->setup.nstate && i == in->nbody - 1) continue; /* what it integrates has no power */
        power += vg_dot3(vg_load3(wrench + 6 * i), k->v) + vg_dot3(vg_load3(wrench + 6 * i + 3), k->w);
    }
    for (int i = 0; i < f->setup.nmeasure - f->setup.nscalar; i++)
        power += Q[i] * vg_probe_measure(p, f->setup.measure[i], 1)->rate;
    return power;
}

double vg_probe_force_power(vgProbe *p, int force)
{
    const vgForce *f = &p->sys->model->force[force];
    if (f->kind->crowd) return f->kind->crowd->power(f->def, vg_probe_force_in(p, force), 0);
    return power_of(p, force, vg_probe_force_in(p, force));
}

double vg_probe_loss_power(vgProbe *p, int force)
{
    const vgForce *f = &p->sys->model->force[force];
    if (f->kind->crowd) return f->kind->crowd->power(f->def, vg_probe_force_in(p, force), 1);
    vgForceIn in = *vg_probe_force_in(p, force);
    double moving = power_of(p, force, &in);
    vgKin at_rest[VG_FORCE_MAX_BODIES];
    const vgKin *kin[VG_FORCE_MAX_BODIES];
    for (int i = 0; i < in.nbody; i++) {
        at_rest[i] = *in.kin[i];
        at_rest[i].v = at_rest[i].w = vg_zero3();
        kin[i] = &at_rest[i];
    }
    for (int i = 0; i < p->sys->model->force[force].setup.nmeasure; i++) p->in_measure[i].rate = 0;
    in.kin = kin;
    return moving - power_of(p, force, &in);
}

/* The multipliers; where constraints repeat each other, those of least norm with the same forces on the
 * bodies. */
const double *vg_probe_multipliers(vgProbe *p)
{
    const vgState *s = p->state;
    if (!p->least || !memchr(s->active, 0, (size_t)p->sys->nphi)) return s->lambda;
    if (p->lambda_stamp != p->stamp) {
        if (vg_least_norm_multipliers(p->least, p->work, s->t, s->q, s->lambda, p->lambda) != VG_OK)
            memcpy(p->lambda, s->lambda, (size_t)p->sys->nphi * sizeof(double));
        p->kin = NULL; /* the Jacobian was taken at rest */
        p->lambda_stamp = p->stamp;
    }
    return p->lambda;
}

const double *vg_probe_reaction(vgProbe *p, int joint)
{
    if (p->reaction_joint != joint) {
        const double *lambda = vg_probe_multipliers(p);
        vg_probe_kin(p, 0); /* reactions are taken at the motion last given to kinematics() */
        memset(p->reaction, 0, sizeof p->reaction);
        p->sys->ops->reaction(p->sys, p->work, p->state->t, lambda, joint, p->reaction);
        p->reaction_joint = joint;
    }
    return p->reaction;
}

const double *vg_probe_residual(vgProbe *p, int level)
{
    int nl = p->sys->nphi;
    if (p->residual_stamp != p->stamp && nl > 0) {
        const vgState *s = p->state;
        p->sys->ops->levels(p->sys, p->work, s->t, s->q, s->v, s->a, p->residual, p->residual + nl,
                            p->residual + 2 * nl);
        p->residual_stamp = p->stamp;
        p->kin = NULL; /* levels() may have moved the work's motion */
        p->reaction_joint = -1;
    }
    return p->residual + level * nl;
}

int vg_probe_rows(const vgProbe *p, int joint, int *first)
{
    *first = p->row0[joint];
    return p->nrow[joint];
}

double vg_probe_violation(vgProbe *p, int joint, int level)
{
    int first = 0, n = joint < 0 ? p->sys->nphi : vg_probe_rows(p, joint, &first);
    const double *residual = vg_probe_residual(p, level);
    double most = 0;
    for (int i = first; i < first + n; i++) {
        if (p->sys->row_level[i] > level) continue;
        double size = fabs(residual[i]);
        if (size > most || isnan(size)) most = size;
    }
    return most;
}

double vg_probe_drive_power(vgProbe *p, int joint)
{
    const vgJoint *j = &p->sys->model->joint[joint];
    int first, n = vg_probe_rows(p, joint, &first);
    double power = 0;
    for (int i = 0, row = first; i < j->nprim && row < first + n; i++) {
        const vgPrim *prim = &p->sys->model->prim[j->prim0 + i];
        if (prim->nterm) {
            double rate = 0;
            for (int k = 0; k < prim->nterm; k++) {
                rate += prim->k[k] * vg_probe_measure(p, prim->measure[k], 0)->rate;
            }
            power -= p->state->lambda[row] * rate;
        }
        row += prim->rows;
    }
    return power;
}
