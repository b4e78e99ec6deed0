#include "model/model.h"

#include <stdlib.h>

#include "element/matter.h"

int vg_model_find_body(const vgModel *m, const char *name)
{
    return vg_names_find(m->body_names, name);
}

int vg_model_find_measure(const vgModel *m, const char *name)
{
    return vg_names_find(m->measure_names, name);
}

vgStatus vg_model_set_callback(vgModel *m, const char *force, vgForceCallback function, void *user)
{
    if (!m || !force) return VG_BAD_INPUT;
    int k = vg_names_find(m->force_names, force);
    if (k < 0 || m->force[k].kind != vg_force_kind("callback")) return VG_BAD_INPUT;
    vg_force_callback_set((void *)m->force[k].def, function,
                          user); /* the pool's memory, ours to write until the model is used */
    return VG_OK;
}

void vg_model_set_plain(vgModel *m, int plain)
{
    if (m) m->run.plain = plain != 0;
}

/* Elements with mass of their own at the initial placement; gets[i]: 1 if body i has mass from one. */
static vgMatter element_matter(const vgModel *m, unsigned char *gets)
{
    vgMatter sum = {0};
    for (int f = 0; f < m->nforce; f++) {
        const vgForce *fo = &m->force[f];
        vgKin kin[VG_FORCE_MAX_BODIES];
        const vgKin *at[VG_FORCE_MAX_BODIES];
        double own[VG_FORCE_MAX_BODIES] = {0};
        int scalars = 0; /* coordinates that are nowhere: what such an element weighs is its own affair */
        if (!fo->setup.inertial || fo->setup.nmeasure > 0) continue;
        for (int b = 0; b < fo->setup.nbody; b++)
            scalars += fo->setup.body[b] >= 0 && vg_body_is_hidden(&m->body[fo->setup.body[b]]);
        for (int b = 0; b < fo->setup.nbody && scalars; b++)
            if (fo->setup.body[b] >= 0) gets[fo->setup.body[b]] = 1;
        if (scalars) continue;
        for (int b = 0; b < fo->setup.nbody; b++) {
            int body = fo->setup.body[b];
            kin[b] = (vgKin){.R = body < 0 ? vg_eye3() : m->body[body].R0};
            if (body >= 0) kin[b].p = m->body[body].p0;
            at[b] = &kin[b];
        }
        vgForceIn in = {.nbody = fo->setup.nbody, .kin = at};
        vg_matter_add(fo->kind, fo->def, &fo->setup, &in, &sum, own);
        for (int b = 0; b < fo->setup.nbody; b++)
            if (fo->setup.body[b] >= 0 && own[b] > 0) gets[fo->setup.body[b]] = 1;
    }
    return sum;
}

/* Nodes of flexible bodies and stations of beams have no mass by design: rows hold them. */
static void mark_held(const vgModel *m, unsigned char *gets)
{
    for (int i = 0; i < m->nstation; i++) gets[m->station[i].body] = 1;
    for (int i = 0; i < m->nmodal; i++)
        for (int k = 0; k < m->modal[i].data->nnode; k++)
            if (m->modal[i].node[k] >= 0) gets[m->modal[i].node[k]] = 1;
}

/* Sums over the bodies and over elements with mass: m = Σ m_i, c = Σ m_i p_i / m, I = Σ R_i I_i R_iᵀ + m_i
 * (|d_i|² 1 − d_i d_iᵀ), d_i = p_i − c. */
vgStatus vg_model_describe(const vgModel *m, vgModelSummary *out)
{
    *out = (vgModelSummary){.markers = m->nmarker, .forces = m->nforce, .rows = m->nrow};
    unsigned char *gets = calloc((size_t)m->nbody + 1, 1);
    if (!gets) return VG_NO_MEMORY;
    out->massless = -1;
    vgMatter elements = element_matter(m, gets);
    vgVec3 first = elements.first;
    out->mass = elements.mass;
    mark_held(m, gets);
    for (int i = 0; i < m->nbody; i++) {
        const vgBody *b = &m->body[i];
        out->coordinates += b->select.n;
        if (b->element >= 0) continue;
        out->bodies++;
        out->points += b->select.at[b->select.n - 1] < 3;
        out->mass += b->mass;
        first = vg_axpy3(b->mass, b->p0, first);
        if (b->mass == 0 && !gets[i] && out->nmassless++ == 0) out->massless = i;
    }
    free(gets);
    out->com = out->mass > 0 ? vg_scale3(first, 1 / out->mass) : first;
    /* from the origin to the centre of mass, for the elements' part of it */
    vgVec3 c = out->com, s = elements.first;
    vgMat3 back = vg_mscale3(vg_eye3(), elements.mass * vg_dot3(c, c) - 2 * vg_dot3(c, s));
    back = vg_msub3(back, vg_mscale3(vg_outer3(c, c), elements.mass));
    back = vg_madd3(back, vg_madd3(vg_outer3(c, s), vg_outer3(s, c)));
    out->inertia = vg_madd3(elements.inertia, back);
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
    return VG_OK;
}

vgVec3 vg_model_load_axis(const vgModel *m, const vgLoad *load, const vgKin *kin)
{
    if (load->kind != VG_LOAD_TURNING && load->kind != VG_LOAD_SLIDING) return vg_zero3();
    const vgFrame *A = &m->measure[load->measure].measure.A;
    vgVec3 z = vg_col3(A->R, 2);
    return A->body < 0 ? z : vg_mv3(kin[A->body].R, z);
}

int vg_model_reads_reactions(const vgModel *m)
{
    for (int f = 0; f < m->nforce; f++) {
        const vgForceSetup *s = &m->force[f].setup;
        for (int l = 0; l < s->nlaw; l++)
            for (int k = 0; k < s->law[l]->ninput; k++) {
                int slot = s->law[l]->slot[k] - VG_LAW_LOCAL;
                if (slot >= 0 && m->measure[slot / 2].measure.kind == VG_MEASURE_LOAD) return f;
            }
    }
    return -1;
}
