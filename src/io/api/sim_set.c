#include "io/api/sim_set.h"

#include <string.h>

#include "math/rotpar.h"

static double *part3(vgVec3 *v, int k)
{
    return k == 0 ? &v->x : k == 1 ? &v->y : &v->z;
}

static void set_position(const vgBody *b, vgKin *k, int part, double value)
{
    vgVec3 origin = vg_kin_point(k, vg_neg3(b->com));
    *part3(&k->p, part) += value - *part3(&origin, part);
}

static void set_velocity(const vgBody *b, vgKin *k, int part, double value)
{
    vgVec3 v = vg_kin_point_velocity(k, vg_neg3(b->com));
    *part3(&k->v, part) += value - *part3(&v, part);
}

/* Keeps position and velocity of the body's origin while rotation or angular velocity change. */
static void keep_origin(const vgBody *b, vgKin *k, vgVec3 origin, vgVec3 velocity)
{
    k->p = vg_add3(origin, vg_mv3(k->R, b->com));
    k->v = vg_add3(velocity, vg_mv3(k->R, vg_cross3(k->w, b->com)));
}

static void set_omega(const vgBody *b, vgKin *k, int part, double value)
{
    vgVec3 r = vg_neg3(b->com), origin = vg_kin_point(k, r), velocity = vg_kin_point_velocity(k, r);
    *part3(&k->w, part) = value;
    keep_origin(b, k, origin, velocity);
}

static void set_rotation(const vgBody *b, vgKin *k, int part, double value)
{
    vgVec3 r = vg_neg3(b->com), origin = vg_kin_point(k, r), velocity = vg_kin_point_velocity(k, r);
    vgVec3 angles = vg_angles_from_mat(k->R);
    *part3(&angles, part) = value;
    k->R = vg_angles_to_mat(angles);
    keep_origin(b, k, origin, velocity);
}

static const struct {
    const char *name;
    int planar; /* −1 both, 0 spatial, 1 planar */
    int part;
    void (*set)(const vgBody *, vgKin *, int part, double value);
} settable[] = {
    {"position.x", -1, 0, set_position}, {"position.y", -1, 1, set_position},
    {"position.z", 0, 2, set_position},  {"velocity.x", -1, 0, set_velocity},
    {"velocity.y", -1, 1, set_velocity}, {"velocity.z", 0, 2, set_velocity},
    {"omega.x", 0, 0, set_omega},        {"omega.y", 0, 1, set_omega},
    {"omega.z", 0, 2, set_omega},        {"rotation.x", 0, 0, set_rotation},
    {"rotation.y", 0, 1, set_rotation},  {"rotation.z", 0, 2, set_rotation},
    {"omega", 1, 2, set_omega},          {"angle", 1, 2, set_rotation},
};
enum { NSETTABLE = sizeof settable / sizeof settable[0] };

vgStatus vg_sim_set_motion(const vgModel *m, const char *channel, double value, vgKin *kin, vgDiag *diag)
{
    const char *names[NSETTABLE];
    int n = 0;
    size_t length = strlen(channel);
    for (int i = 0; i < NSETTABLE; i++) {
        if (settable[i].planar >= 0 && settable[i].planar != (m->planar != 0)) continue;
        const char *name = names[n++] = settable[i].name;
        size_t tail = strlen(name);
        if (strncmp(channel, "body.", 5) != 0 || length < 6 + tail + 1) continue;
        if (strcmp(channel + length - tail, name) != 0 || channel[length - tail - 1] != '.') continue;
        int body = vg_names_find_n(m->body_names, channel + 5, length - tail - 6);
        if (body < 0) continue;
        settable[i].set(&m->body[body], &kin[body], settable[i].part, value);
        return VG_OK;
    }
    const char *dot = strncmp(channel, "body.", 5) == 0 ? strchr(channel + 5, '.') : NULL;
    const char *near = dot ? vg_name_closest(dot + 1, names, n) : NULL;
    if (near && strcmp(near, dot + 1) == 0)
        vg_diag_error(diag, VG_NOWHERE, "'%s' cannot be set: the model has no body '%.*s'", channel,
                      (int)(dot - channel - 5), channel + 5);
    else if (near)
        vg_diag_error(diag, VG_NOWHERE, "'%s' cannot be set; did you mean '%.*s%s'?", channel,
                      (int)(dot + 1 - channel), channel, near);
    else
        vg_diag_error(diag, VG_NOWHERE,
                      "'%s' cannot be set; positions, rotations and velocities of bodies can", channel);
    return VG_BAD_INPUT;
}
