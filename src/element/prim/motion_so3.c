#include "element/prim/motion_so3.h"

void vg_motion_so3_zero(double *q)
{
    vg_quat_store(vg_quat(1, 0, 0, 0), q);
}

void vg_motion_so3_retract(const double *q, const double *d, double *out)
{
    vgQuat r = vg_quat_mul(vg_quat_load(q), vg_quat_exp(vg_load3(d)));
    vg_quat_store(vg_quat_normalize(r), out);
}

void vg_motion_so3_local(const double *q0, const double *q1, double *d)
{
    vgQuat r = vg_quat_mul(vg_quat_conj(vg_quat_load(q0)), vg_quat_load(q1));
    vg_store3(vg_quat_log(r), d);
}

void vg_motion_so3_rates(const double *d, const double *v, double *ddot)
{
    vg_store3(vg_mv3(vg_so3_dexpinv(vg_load3(d)), vg_load3(v)), ddot);
}

void vg_motion_so3_twist(const double *d, const double *ddot, double *v)
{
    vg_store3(vg_mv3(vg_so3_dexp(vg_load3(d)), vg_load3(ddot)), v);
}

void vg_motion_so3_tangent_inv(const double *d, double *Tinv)
{
    vg_mstore3(vg_so3_dexpinv(vg_load3(d)), Tinv);
}

void vg_motion_so3_tangent_diff(const double *d, const double *ddot, double *D)
{
    vg_mstore3(vg_so3_d_dexp(vg_load3(d), vg_load3(ddot)), D);
}
