/* MJCF: drag of every body in the medium of <option>, as that of the box that has the body's inertia. */
#include <math.h>

#include "model/robot/mjcf.h"

/* Products of inertia below this part of the trace are rounding: where two moments are equal, rounding would turn the axes
 * by any angle. */
static const double ROUNDING = 1e-12;
enum { SWEEPS = 20 };

vgMat3 vg_mjcf_principal(vgMat3 I)
{
    const double least = ROUNDING * vg_trace3(I);
    vgMat3 V = vg_eye3();
    for (int k = 0; k < 3 * SWEEPS; k++) {
        const int a = k % 3, b = (k + 1) % 3;
        if (fabs(I.m[a][b]) <= least) continue;
        const double angle = 0.5 * atan2(2 * I.m[a][b], I.m[a][a] - I.m[b][b]);
        vgMat3 T = vg_eye3();
        T.m[a][a] = T.m[b][b] = cos(angle);
        T.m[b][a] = sin(angle);
        T.m[a][b] = -T.m[b][a];
        I = vg_mtm3(T, vg_mm3(I, T));
        V = vg_mm3(V, T);
    }
    return V;
}

/* A box of mass m has the moments m (b_j² + b_k²)/12. */
static void add_drag(vgMjcf *m, int body)
{
    vgRobot *r = m->r;
    const vgRobotBody *b = &r->body[body];
    vgMat3 A = b->own_parts == 1 ? b->axes : vg_eye3();
    A = vg_mm3(A, vg_mjcf_principal(vg_mtm3(A, vg_mm3(b->own_inertia, A))));
    const vgMat3 I = vg_mtm3(A, vg_mm3(b->own_inertia, A));
    double size[3];
    for (int i = 0; i < 3; i++) size[i] = sqrt(fmax(6 / b->own_mass * (vg_trace3(I) - 2 * I.m[i][i]), 0));
    vgNode *e = vg_robot_map(r, b->loc);
    vg_robot_put(r, e, "drag", vg_robot_frame(r, b->loc, body, (vgPose){b->own_com, A}));
    vg_robot_put(r, e, "size", vg_robot_numbers(r, b->loc, 3, size));
    if (m->density > 0) vg_robot_put(r, e, "density", vg_robot_number(r, b->loc, m->density));
    if (m->viscosity > 0) vg_robot_put(r, e, "viscosity", vg_robot_number(r, b->loc, m->viscosity));
    if (vg_norm3(m->wind) > 0) vg_robot_put(r, e, "wind", vg_robot_vec(r, b->loc, m->wind));
    vg_robot_add_force(r, vg_pool_printf(r->pool, "%s_drag", b->name), b->loc, "drag", e);
}

void vg_mjcf_fluid(vgMjcf *m)
{
    vgRobot *r = m->r;
    if (!(m->density > 0) && !(m->viscosity > 0)) return;
    for (int i = 0; i < r->nbody && !vg_robot_failed(r); i++) {
        const vgRobotBody *b = &r->body[i];
        if (b->carrier < 0 || b->mocap || !(b->own_mass > 0)) continue;
        if (b->ellipsoid)
            vg_robot_note(r, VG_IMPORT_IGNORED, 1, b->loc,
                          "body '%.80s' has no drag: fluidshape=\"ellipsoid\" is not imported, only the box "
                          "of its inertia",
                          b->given);
        else
            add_drag(m, i);
    }
}
