#include "base/file.h"
#include "io/export/motion.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The page's own limits do not hold here: all frames, of files that fit into memory. */
enum { MOST_POSES = 1 << 25, FEW_SAMPLES = 1 << 10 };

void vg_motion_free(vgMotion *m)
{
    vg_view_run_free(&m->run);
    vg_json_tree_free(m->scene);
    vg_data_free(m->table);
    free(m->time);
    free(m->pose);
    *m = (vgMotion){0};
}

static vgPose pose_of(const double *x)
{
    vgPose p = {.at = {x[0], x[1], x[2]}};
    double n = sqrt(x[3] * x[3] + x[4] * x[4] + x[5] * x[5] + x[6] * x[6]);
    for (int i = 0; i < 4; i++) p.turn[i] = n > 0 ? x[3 + i] / n : i == 0;
    return p;
}

static double dot4(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static vgStatus take_frames(vgMotion *m, long frames)
{
    const vgViewRun *run = &m->run;
    size_t n = run->nframe, nbody = (size_t)m->nbody;
    size_t kept = frames > 0 && (size_t)frames < n ? (size_t)frames : n;
    m->time = calloc(kept + 1, sizeof *m->time);
    m->pose = calloc((kept + 1) * nbody + 1, sizeof *m->pose);
    if (!m->time || !m->pose) return VG_NO_MEMORY;
    m->nframe = (int)kept;
    for (size_t k = 0; k < kept; k++) {
        size_t row = kept > 1 ? (size_t)((double)k * (double)(n - 1) / (double)(kept - 1) + 0.5) : 0;
        m->time[k] = run->frame_time[row];
        for (size_t b = 0; b < nbody; b++) {
            vgPose *p = &m->pose[k * nbody + b];
            *p = pose_of(run->pose + 7 * (row * nbody + b));
            if (k > 0 && dot4(p->turn, p[-(long)nbody].turn) < 0)
                for (int i = 0; i < 4; i++) p->turn[i] = -p->turn[i];
        }
    }
    return VG_OK;
}

/* Half the diagonal of the box about all origins of the first frame, and about the shapes of the bodies there. */
static double extent(const vgMotion *m)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, sum = 0;
    const vgJsonNode *body = vg_json_first(vg_json_member(m->scene->root, "bodies"));
    for (int b = 0; b < m->nbody; b++) {
        for (int i = 0; i < 3; i++) {
            low[i] = fmin(low[i], m->pose[b].at[i]);
            high[i] = fmax(high[i], m->pose[b].at[i]);
        }
    }
    for (; body; body = body->next) {
        for (const vgJsonNode *k = vg_json_first(vg_json_member(body, "markers")); k; k = k->next) {
            int b = vg_motion_body(m, vg_json_string(vg_json_member(body, "name")));
            if (b < 0) continue;
            vgPose at = vg_pose_join(m->pose[b], vg_motion_pose(k));
            for (int i = 0; i < 3; i++) low[i] = fmin(low[i], at.at[i]), high[i] = fmax(high[i], at.at[i]);
        }
    }
    for (int i = 0; i < 3; i++) sum += high[i] > low[i] ? (high[i] - low[i]) * (high[i] - low[i]) : 0;
    return sum > 0 ? 0.5 * sqrt(sum) : 0.5;
}

static int finite_poses(const vgMotion *m)
{
    for (int k = 0; k < m->nframe; k++) {
        if (!isfinite(m->time[k]) || (k > 0 && !(m->time[k] > m->time[k - 1]))) return 0;
        for (int b = 0; b < m->nbody; b++) {
            const vgPose *p = &m->pose[k * m->nbody + b];
            for (int i = 0; i < 3; i++)
                if (!isfinite(p->at[i])) return 0;
            if (!isfinite(dot4(p->turn, p->turn))) return 0;
        }
    }
    return 1;
}

vgStatus vg_motion_read(vgMotion *m, const char *from, long frames, int with_table, vgDiag *diag)
{
    *m = (vgMotion){0};
    vgStatus status = vg_view_run_read(&m->run, from, MOST_POSES, FEW_SAMPLES, diag);
    if (status != VG_OK) return status;
    m->nbody = m->run.body.n;
    const char *why = NULL;
    enum { SCENE = VG_VIEW_TEXTS - 1 }; /* the last of the texts */
    if (m->nbody == 0 || m->run.nframe == 0)
        why = "it holds no poses of bodies";
    else if (!m->run.text[SCENE] || !(m->scene = vg_json_parse(m->run.text[SCENE])))
        why = m->run.text[SCENE] && errno == ENOMEM ? vg_file_why(ENOMEM) : "its scene cannot be read";
    else
        status = take_frames(m, frames);
    if (!why && status == VG_OK && !finite_poses(m))
        why = "its poses are not numbers, or its times do not grow";
    if (why) {
        vg_diag_error(diag, VG_NOWHERE, "%s: %s", from, why);
        status = why == vg_file_why(ENOMEM) ? VG_NO_MEMORY : VG_BAD_INPUT;
    }
    if (status == VG_OK) {
        const vgJsonNode *planar = vg_json_member(m->scene->root, "planar");
        m->planar = planar && planar->kind == VG_JSON_TRUE;
        m->length = extent(m);
        if (with_table) status = vg_data_read(from, diag, &m->table);
    }
    if (status != VG_OK) vg_motion_free(m);
    return status;
}

int vg_motion_body(const vgMotion *m, const char *name)
{
    for (int i = 0; i < m->nbody; i++)
        if (strcmp(m->run.body.at[i], name) == 0) return i;
    return -1;
}

vgPose vg_motion_pose(const vgJsonNode *at)
{
    double x[7] = {0, 0, 0, 1, 0, 0, 0};
    double q[4];
    if (!vg_json_vector(vg_json_member(at, "position"), 3, x)) x[0] = x[1] = x[2] = 0;
    if (vg_json_vector(vg_json_member(at, "quaternion"), 4, q)) memcpy(x + 3, q, sizeof q);
    return pose_of(x);
}

static void turned(const double q[4], const double v[3], double out[3])
{
    /* v + 2 u × (u × v + w v), u the vector part */
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double a = y * v[2] - z * v[1] + w * v[0], b = z * v[0] - x * v[2] + w * v[1],
           c = x * v[1] - y * v[0] + w * v[2];
    out[0] = v[0] + 2 * (y * c - z * b);
    out[1] = v[1] + 2 * (z * a - x * c);
    out[2] = v[2] + 2 * (x * b - y * a);
}

vgPose vg_pose_join(vgPose o, vgPose i)
{
    const double *p = o.turn, *q = i.turn;
    vgPose out;
    turned(o.turn, i.at, out.at);
    for (int k = 0; k < 3; k++) out.at[k] += o.at[k];
    out.turn[0] = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
    out.turn[1] = p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2];
    out.turn[2] = p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1];
    out.turn[3] = p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0];
    return out;
}

int vg_motion_nodes(const vgMotion *m, const vgJsonNode *force, int most, int body[], vgPose at[])
{
    int n = 0;
    for (const vgJsonNode *k = vg_json_first(vg_json_member(force, "nodes")); k && n < most;
         k = k->next, n++) {
        body[n] = vg_motion_body(m, vg_json_string(vg_json_member(k, "body")));
        at[n] = vg_motion_pose(k);
    }
    return n;
}

vgPose vg_motion_node(const vgMotion *m, int frame, int body, vgPose at)
{
    return body < 0 ? at : vg_pose_join(m->pose[(size_t)frame * (size_t)m->nbody + (size_t)body], at);
}
