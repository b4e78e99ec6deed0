#include "analysis/energy.h"

/* Scalar coordinates of controllers have no energy of their own. */
static int is_matter(const vgBody *b)
{
    return !(b->element >= 0 && b->select.n == 1);
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

double vg_energy_force_power(vgProbe *p)
{
    double sum = 0;
    for (int i = 0; i < vg_probe_system(p)->model->nforce; i++) sum += vg_probe_force_power(p, i);
    return sum;
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
    double per = mass > 0 ? 1 / mass : 0;
    if (at) *at = vg_scale3(sum[0], per);
    if (v) *v = vg_scale3(sum[1], per);
    if (dv) *dv = vg_scale3(sum[2], per);
    return mass;
}

/* ∫ of the parabola through the last three points over the newest interval h1,
 *     h1 (P1 + P2)/2 − D h1³/6,   D = [P0, P1, P2] second divided difference;  trapezoid at the start. */
static double piece(const vgWorkSum *s, int which, double h1, double now)
{
    double last = s->power[0][which], area = 0.5 * h1 * (last + now);
    if (s->points < 2) return area;
    double h0 = s->t[0] - s->t[1];
    double bend = ((now - last) / h1 - (last - s->power[1][which]) / h0) / (h0 + h1);
    return area - bend * h1 * h1 * h1 / 6;
}

/* An element whose forces at rest are those of its potential: what they do need not be summed over time, so
 * that fast vibrations between the steps do not spoil the balance. */
static int is_spring(const vgForce *f)
{
    return f->kind->energy && !f->kind->kinetic && f->setup.nlaw == 0;
}

void vg_energy_sum(vgWorkSum *s, vgProbe *p)
{
    const vgModel *m = vg_probe_system(p)->model;
    double t = vg_probe_time(p), stored = 0, power[2] = {0, 0};
    if (s->points > 0 && t <= s->t[0]) return;
    power[1] = vg_energy_drive_power(p);
    for (int i = 0; i < m->nforce; i++) {
        int spring = is_spring(&m->force[i]);
        power[0] += spring ? vg_probe_loss_power(p, i) : vg_probe_force_power(p, i);
        if (!spring) stored += vg_energy_element(p, i) + element_kinetic(p, i);
    }
    if (s->points == 0) {
        s->stored0 = stored;
    } else {
        double h = t - s->t[0];
        s->force += piece(s, 0, h, power[0]);
        s->drive += piece(s, 1, h, power[1]);
    }
    s->dissipated = -s->force - (stored - s->stored0);
    s->t[1] = s->t[0];
    s->t[0] = t;
    for (int k = 0; k < 2; k++) s->power[1][k] = s->power[0][k], s->power[0][k] = power[k];
    if (s->points < 3) s->points++;
}
