#include "analysis/channels/energy.h"

#include <math.h>
#include <string.h>

/* Scalar coordinates of controllers have no energy of their own. */
static int is_matter(const vgBody *b)
{
    return !vg_body_is_hidden(b);
}

static double quadratic(vgMat3 J, vgVec3 w)
{
    return vg_dot3(w, vg_mv3(J, w));
}

static double element_kinetic(vgProbe *p, int force)
{
    const vgForce *f = &vg_probe_system(p)->model->force[force];
    return f->kind->kinetic ? f->kind->kinetic(f->def, vg_probe_force_in(p, force)) : 0;
}

double vg_energy_kinetic(vgProbe *p)
{
    const vgModel *m = vg_probe_system(p)->model;
    double sum = 0;
    for (int i = 0; i < m->nbody; i++) {
        if (!is_matter(&m->body[i])) continue;
        const vgKin *k = vg_probe_kin(p, i);
        sum += 0.5 * (m->body[i].mass * vg_dot3(k->v, k->v) + quadratic(m->body[i].inertia, k->w));
    }
    for (int i = 0; i < m->nforce; i++) sum += element_kinetic(p, i);
    return sum;
}

double vg_energy_gravity(vgProbe *p)
{
    const vgModel *m = vg_probe_system(p)->model;
    double sum = 0;
    for (int i = 0; i < m->nbody; i++) {
        if (is_matter(&m->body[i])) sum -= m->body[i].mass * vg_dot3(m->gravity, vg_probe_kin(p, i)->p);
    }
    return sum;
}

double vg_energy_element(vgProbe *p, int force)
{
    const vgForce *f = &vg_probe_system(p)->model->force[force];
    return f->kind->energy ? f->kind->energy(f->def, vg_probe_force_in(p, force)) : 0;
}

double vg_energy_potential(vgProbe *p)
{
    const vgModel *m = vg_probe_system(p)->model;
    double sum = vg_energy_gravity(p);
    for (int i = 0; i < m->nforce; i++) sum += vg_energy_element(p, i);
    return sum;
}

double vg_energy_total(vgProbe *p)
{
    return vg_energy_kinetic(p) + vg_energy_potential(p);
}

double vg_energy_drive_power(vgProbe *p)
{
    const vgModel *m = vg_probe_system(p)->model;
    double sum = 0;
    for (int i = 0; i < m->njoint; i++) {
        if (m->joint[i].drive_of >= 0) sum += vg_probe_drive_power(p, i);
    }
    return sum;
}

static int in_space(const vgModel *m, int body)
{
    return body < 0 || is_matter(&m->body[body]);
}

/* Inertia that elements have between bodies: with T = ½ ξᵀ M ξ the momenta are those of M ξ on each body
 * (coordinates that are nowhere carry none). moment: Σ m x, from the weight, which is linear in gravity;
 * rate: of the linear momentum, from the inertia forces, among which the internal ones cancel. NULL: not
 * wanted. */
static double element_momentum(vgProbe *p, int force, vgVec3 *linear, vgVec3 *angular, vgVec3 *moment,
                               vgVec3 *rate)
{
    enum { MOST = 6 * VG_FORCE_MAX_BODIES };
    const vgModel *m = vg_probe_system(p)->model;
    const vgForce *f = &m->force[force];
    double M[MOST * MOST], w[MOST] = {0}, Q[4] = {0}, mass = 0;
    int n = 6 * f->setup.nbody;
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    *linear = *angular = *moment = *rate = vg_zero3();
    if (!f->setup.inertial || f->setup.nmeasure > 0) return 0;
    vgForceIn in = *vg_probe_force_in(p, force);
    in.gravity = vg_zero3();
    f->kind->eval(f->def, &in, &(vgForceOut){.f = w, .M = M, .Q = Q});
    for (int i = 0; i < f->setup.nbody; i++) {
        const vgKin *k = in.kin[i];
        double x[6] = {0};
        if (!in_space(m, f->setup.body[i])) continue;
        for (int j = 0; j < f->setup.nbody; j++) {
            double xi[6];
            vg_store3(in.kin[j]->v, xi);
            vg_store3(in.kin[j]->w, xi + 3);
            for (int r = 0; r < 6; r++)
                for (int c = 0; c < 6; c++) x[r] += M[(6 * i + r) * n + 6 * j + c] * xi[c];
            if (in_space(m, f->setup.body[j])) mass += M[6 * i * n + 6 * j];
        }
        *linear = vg_add3(*linear, vg_load3(x));
        *angular = vg_add3(*angular, vg_add3(vg_cross3(k->p, vg_load3(x)), vg_mv3(k->R, vg_load3(x + 3))));
        *rate = vg_sub3(*rate, vg_load3(w + 6 * i));
    }
    double still = f->kind->energy ? f->kind->energy(f->def, &in) : 0, part[3] = {0, 0, 0};
    for (int k = 0; k < 3 && f->kind->energy; k++) {
        in.gravity = vg_unit_axis3(k);
        part[k] = still - f->kind->energy(f->def, &in);
    }
    *moment = vg_load3(part);
    return mass;
}

void vg_energy_momentum(vgProbe *p, vgVec3 *linear, vgVec3 *angular)
{
    const vgModel *m = vg_probe_system(p)->model;
    *linear = *angular = vg_zero3();
    for (int i = 0; i < m->nbody; i++) {
        const vgBody *b = &m->body[i];
        if (!is_matter(b)) continue;
        const vgKin *k = vg_probe_kin(p, i);
        vgVec3 mv = vg_scale3(k->v, b->mass), spin = vg_mv3(k->R, vg_mv3(b->inertia, k->w));
        *linear = vg_add3(*linear, mv);
        *angular = vg_add3(*angular, vg_add3(vg_cross3(k->p, mv), spin));
    }
    for (int i = 0; i < m->nforce; i++) {
        vgVec3 x[4];
        element_momentum(p, i, &x[0], &x[1], &x[2], &x[3]);
        *linear = vg_add3(*linear, x[0]);
        *angular = vg_add3(*angular, x[1]);
    }
}

double vg_energy_com(vgProbe *p, vgVec3 *at, vgVec3 *v, vgVec3 *dv)
{
    const vgModel *m = vg_probe_system(p)->model;
    vgVec3 sum[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    double mass = 0;
    for (int i = 0; i < m->nbody; i++) {
        if (!is_matter(&m->body[i])) continue;
        const vgKin *k = vg_probe_kin(p, i);
        mass += m->body[i].mass;
        sum[0] = vg_axpy3(m->body[i].mass, k->p, sum[0]);
        sum[1] = vg_axpy3(m->body[i].mass, k->v, sum[1]);
        sum[2] = vg_axpy3(m->body[i].mass, k->dv, sum[2]);
    }
    for (int i = 0; i < m->nforce; i++) {
        vgVec3 x[4];
        mass += element_momentum(p, i, &x[0], &x[1], &x[2], &x[3]);
        sum[0] = vg_add3(sum[0], x[2]);
        sum[1] = vg_add3(sum[1], x[0]);
        sum[2] = vg_add3(sum[2], x[3]);
    }
    double per = mass > 0 ? 1 / mass : 0;
    if (at) *at = vg_scale3(sum[0], per);
    if (v) *v = vg_scale3(sum[1], per);
    if (dv) *dv = vg_scale3(sum[2], per);
    return mass;
}

double vg_energy_area(double h, double P, double before, const double last[2], double *unsure)
{
    const double GROWS =
        3; /* an interval that is longer than the one before by more is not seen by a parabola */
    const double trapezoid = 0.5 * h * (P + last[0]);
    *unsure = 0.5 * h * fabs(P - last[0]);
    if (!(h <= GROWS * before)) return trapezoid;
    const double bend = ((P - last[0]) / h - (last[0] - last[1]) / before) / (before + h);
    *unsure = fmin(*unsure, 0.5 * fabs(bend) * h * h * (before + h));
    return trapezoid - bend * h * h * h / 6;
}

/* ∫ of a power over the newest interval h, from those of the last two states. */
static double piece(const vgWorkSum *s, int which, double h, double now)
{
    const double last[2] = {s->power[0][which], s->power[1][which]};
    double unsure;
    return vg_energy_area(h, now, s->points < 2 ? 0 : s->t[0] - s->t[1], last, &unsure);
}

/* An element whose forces at zero velocity are those of its potential: what they do need not be summed over time, so
 * that fast vibrations between the steps do not spoil the balance. */
static int is_spring(const vgForce *f)
{
    return f->kind->energy && !f->kind->kinetic && f->setup.nlaw == 0;
}

static int strikes(const vgModel *m)
{
    for (int i = 0; i < m->nforce; i++)
        if (m->force[i].setup.strikes) return 1;
    return 0;
}

/* What an element with a path did since the last state. */
static double follow(const vgWorkSum *s, vgProbe *p, int force, vgEnergyPath *path)
{
    const vgEnergyPath last = *path;
    double unsure;
    vg_energy_path_at(p, force, path);
    return s->points > 0 ? vg_energy_path_work(&vg_probe_system(p)->model->force[force], &last, path, &unsure)
                         : 0;
}

void vg_energy_sum(vgWorkSum *s, vgProbe *p)
{
    const vgModel *m = vg_probe_system(p)->model;
    const double AT_ONCE = 1e-9; /* part of the last interval: both sides of a jump */
    double t = vg_probe_time(p), stored = 0, constant = 0, power[2] = {0, 0}, along = 0;
    vgEnergyPath *path = s->path;
    if (s->points > 0 && t < s->t[0]) return;
    power[1] = vg_energy_drive_power(p);
    const double kinetic = strikes(m) ? vg_energy_kinetic(p) : 0, lost = s->kinetic - kinetic;
    s->kinetic = kinetic;
    for (int i = 0; i < m->nforce; i++) {
        int spring = is_spring(&m->force[i]);
        if (path && vg_energy_has_path(&m->force[i])) {
            along += follow(s, p, i, path++);
            continue;
        }
        const vgForceKind *kind = m->force[i].kind;
        double x = kind->constant ? kind->constant(m->force[i].def, vg_probe_force_in(p, i)) : NAN;
        if (!isnan(x)) {
            constant += x;
            continue;
        }
        power[0] += spring ? vg_probe_loss_power(p, i) : vg_probe_force_power(p, i);
        if (!spring) stored += vg_energy_element(p, i) + element_kinetic(p, i);
    }
    if (s->points > 0 &&
        t - s->t[0] <= AT_ONCE * (s->t[0] - s->t[1])) { /* forces that jump: no parabola across the jump */
        if (power[0] != s->power[0][0] || power[1] != s->power[0][1]) s->points = 1;
        s->force -= lost; /* an impact */
        s->dissipated += lost;
        memcpy(s->power[0], power, sizeof power);
        return;
    }
    if (s->points == 0) {
        s->stored0 = stored;
        s->t[0] = t;
    } else {
        double h = t - s->t[0];
        s->force += piece(s, 0, h, power[0]) + along + constant - s->constant;
        s->drive += piece(s, 1, h, power[1]);
    }
    s->dissipated = -s->force - (stored - s->stored0);
    s->constant = constant;
    s->t[1] = s->t[0];
    s->t[0] = t;
    for (int k = 0; k < 2; k++) s->power[1][k] = s->power[0][k], s->power[0][k] = power[k];
    if (s->points < 3) s->points++;
}
