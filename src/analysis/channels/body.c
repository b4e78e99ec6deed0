/* Channels of bodies and markers: position, rotation and their derivatives. */
#include <stdio.h>

#include "analysis/channels/list.h"
#include "math/rotpar.h"
#include "math/so3.h"

static const char *const xyz[] = {"x", "y", "z"};
static const char *const wxyz[] = {"w", "x", "y", "z"};

static double part3(vgVec3 v, int k)
{
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

/* A point fixed on a body at r (body axes, from the centre of mass): position, velocity, acceleration in W,
 * a = dv + R (dw×r + w×(w×r)). */
static vgVec3 point(vgProbe *p, int body, vgVec3 r, int derivative)
{
    const vgKin *k = vg_probe_kin(p, body);
    if (derivative == 0) return vg_kin_point(k, r);
    if (derivative == 1) return vg_kin_point_velocity(k, r);
    vgVec3 turn = vg_add3(vg_cross3(k->dw, r), vg_cross3(k->w, vg_cross3(k->w, r)));
    return vg_add3(k->dv, vg_mv3(k->R, turn));
}

/* part = 3·derivative + component */
static double body_point(const vgChanContext *c, vgChan *chan)
{
    vgVec3 r = vg_neg3(vg_probe_system(c->probe)->model->body[chan->index].com);
    return part3(point(c->probe, chan->index, r, chan->part / 3), chan->part % 3);
}

static double marker_point(const vgChanContext *c, vgChan *chan)
{
    const vgFrame *f = &vg_probe_system(c->probe)->model->marker[chan->index].frame;
    return part3(point(c->probe, f->body, f->r, chan->part / 3), chan->part % 3);
}

static double body_rotation(const vgChanContext *c, vgChan *chan)
{
    return part3(vg_angles_from_mat(vg_probe_kin(c->probe, chan->index)->R), chan->part);
}

static double body_quaternion(const vgChanContext *c, vgChan *chan)
{
    vgQuat q = vg_quat_from_mat(vg_probe_kin(c->probe, chan->index)->R);
    double e[4] = {q.w, q.x, q.y, q.z};
    return e[chan->part];
}

static double body_omega(const vgChanContext *c, vgChan *chan)
{
    return part3(vg_probe_kin(c->probe, chan->index)->w, chan->part);
}

static double body_alpha(const vgChanContext *c, vgChan *chan)
{
    return part3(vg_probe_kin(c->probe, chan->index)->dw, chan->part);
}

/* Planar angle, counted over turns as those of joints are: index is its measure. */
static double body_angle(const vgChanContext *c, vgChan *chan)
{
    return vg_probe_measure(c->probe, chan->index, 0)->value;
}

/* The measure body.NAME.angle, which every planar body that turns has. */
static int angle_measure(const vgModel *m, int body)
{
    char name[400];
    snprintf(name, sizeof name, "body.%s.angle", m->body[body].name);
    return vg_model_find_measure(m, name);
}

static void components(vgChanEmit *emit, const char *name, const char *const *suffix, int n, const char *unit,
                       vgChan chan)
{
    char text[40];
    int part = chan.part;
    for (int k = 0; k < n; k++) {
        snprintf(text, sizeof text, "%s.%s", name, suffix[k]);
        chan.part = part + k;
        emit->take(emit, text, unit, chan);
    }
}

static void points(vgChanEmit *emit, int index, int n, double (*eval)(const vgChanContext *, vgChan *))
{
    components(emit, "position", xyz, n, "m", (vgChan){.eval = eval, .index = index, .part = 0});
    components(emit, "velocity", xyz, n, "m/s", (vgChan){.eval = eval, .index = index, .part = 3});
    components(emit, "acceleration", xyz, n, "m/s^2", (vgChan){.eval = eval, .index = index, .part = 6});
}

static int turns(const vgSelect *s)
{
    return s->n > 0 && s->at[s->n - 1] >= 3;
}

void vg_chan_list_body(vgChanEmit *emit, int body)
{
    const vgModel *m = emit->sys->model;
    const vgSelect *select = &m->body[body].select;
    if (vg_body_is_hidden(&m->body[body])) return; /* a scalar coordinate is a measure, not a body in space */
    points(emit, body, m->planar ? 2 : 3, body_point);
    if (m->nmodal > 0) vg_chan_list_flexible(emit, body);
    vg_chan_list_station(emit, body);
    if (!turns(select)) return;
    if (m->planar) {
        int angle = angle_measure(m, body);
        if (angle >= 0)
            emit->take(emit, "angle", "rad",
                       (vgChan){.eval = body_angle, .index = angle, .watch = angle + 1});
        emit->take(emit, "omega", "rad/s", (vgChan){.eval = body_omega, .index = body, .part = 2});
        emit->take(emit, "alpha", "rad/s^2", (vgChan){.eval = body_alpha, .index = body, .part = 2});
        return;
    }
    components(emit, "rotation", xyz, 3, "rad", (vgChan){.eval = body_rotation, .index = body});
    components(emit, "quaternion", wxyz, 4, "", (vgChan){.eval = body_quaternion, .index = body});
    components(emit, "omega", xyz, 3, "rad/s", (vgChan){.eval = body_omega, .index = body});
    components(emit, "alpha", xyz, 3, "rad/s^2", (vgChan){.eval = body_alpha, .index = body});
}

void vg_chan_list_marker(vgChanEmit *emit, int marker)
{
    points(emit, marker, emit->sys->model->planar ? 2 : 3, marker_point);
}

/* ---- poses ---- */

int vg_poses_visible(const vgModel *m, int body)
{
    return !vg_body_is_hidden(&m->body[body]);
}

int vg_poses_count(const vgModel *m)
{
    int n = 0;
    for (int i = 0; i < m->nbody; i++) n += vg_poses_visible(m, i);
    return n;
}

void vg_poses_eval(vgProbe *p, double *poses)
{
    const vgModel *m = vg_probe_system(p)->model;
    for (int i = 0; i < m->nbody; i++) {
        if (!vg_poses_visible(m, i)) continue;
        const vgKin *k = vg_probe_kin(p, i);
        vgVec3 at = vg_kin_point(k, vg_neg3(m->body[i].com));
        vgQuat q = vg_quat_from_mat(k->R);
        double row[7] = {at.x, at.y, at.z, q.w, q.x, q.y, q.z};
        for (int n = 0; n < 7; n++) poses[n] = row[n];
        poses += 7;
    }
}
