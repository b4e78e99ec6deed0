#include "model/model.h"

int vg_model_find_body(const vgModel *m, const char *name)
{
    return vg_names_find(m->body_names, name);
}

int vg_model_find_joint(const vgModel *m, const char *name)
{
    return vg_names_find(m->joint_names, name);
}

int vg_model_find_force(const vgModel *m, const char *name)
{
    return vg_names_find(m->force_names, name);
}

int vg_model_find_measure(const vgModel *m, const char *name)
{
    return vg_names_find(m->measure_names, name);
}

int vg_model_find_marker(const vgModel *m, const char *name)
{
    return vg_names_find(m->marker_names, name);
}

vgStatus vg_model_set_callback(vgModel *m, const char *force, vgForceCallback function, void *user)
{
    int k = vg_names_find(m->force_names, force);
    if (k < 0 || m->force[k].kind != vg_force_kind("callback")) return VG_BAD_INPUT;
    vg_force_callback_set((void *)m->force[k].def, function,
                          user); /* the pool's memory, ours to write until the model is used */
    return VG_OK;
}

/* Sums over the bodies: m = Σ m_i, c = Σ m_i p_i / m, I = Σ R_i I_i R_iᵀ + m_i (|d_i|² 1 − d_i d_iᵀ), d_i =
 * p_i − c. */
void vg_model_describe(const vgModel *m, vgModelSummary *out)
{
    *out = (vgModelSummary){.markers = m->nmarker, .forces = m->nforce, .rows = m->nrow};
    vgVec3 first = vg_zero3();
    for (int i = 0; i < m->nbody; i++) {
        const vgBody *b = &m->body[i];
        out->coordinates += b->select.n;
        if (b->element >= 0) continue;
        out->bodies++;
        out->points += b->select.at[b->select.n - 1] < 3;
        out->mass += b->mass;
        first = vg_axpy3(b->mass, b->p0, first);
    }
    out->com = out->mass > 0 ? vg_scale3(first, 1 / out->mass) : first;
    for (int i = 0; i < m->nbody; i++) {
        const vgBody *b = &m->body[i];
        if (b->element >= 0) continue;
        vgVec3 d = vg_sub3(b->p0, out->com);
        vgMat3 shift = vg_msub3(vg_mscale3(vg_eye3(), vg_dot3(d, d)), vg_outer3(d, d));
        out->inertia = vg_madd3(out->inertia, vg_mmt3(vg_mm3(b->R0, b->inertia), b->R0));
        out->inertia = vg_madd3(out->inertia, vg_mscale3(shift, b->mass));
    }
    for (int i = 0; i < m->njoint; i++) {
        if (m->joint[i].drive_of >= 0)
            out->drives++;
        else
            out->joints++;
    }
}
