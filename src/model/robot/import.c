/* From the text of a robot file to the spec of a model. */
#include "model/import.h"

#include <string.h>

#include "model/robot/robot.h"

static const char *folder_of(vgPool *pool, const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    if (!path) return NULL;
    return slash ? vg_pool_strndup(pool, path, slash == path ? 1 : (size_t)(slash - path)) : ".";
}

/* One line for whoever did not ask for the report. */
static void summary(vgRobot *r, vgLoc at)
{
    const vgImportReport *rep = r->report;
    if (rep->ignored_physics)
        vg_diag_warn(
            r->diag, at,
            "%d element%s of this file that concern the motion %s not used; `verge import` lists them",
            rep->ignored_physics, rep->ignored_physics == 1 ? "" : "s",
            rep->ignored_physics == 1 ? "is" : "are");
    for (int i = 0; i < rep->n; i++)
        if (rep->note[i].verdict == VG_IMPORT_CHANGED && rep->note[i].physics)
            vg_diag_warn(r->diag, rep->note[i].loc, "%s", rep->note[i].text);
}

static void count(vgRobot *r)
{
    vgImportReport *rep = r->report;
    rep->format = r->format;
    for (int i = 0; i < r->nbody; i++) rep->moving += r->body[i].carrier == i;
    rep->bodies = r->nbody;
    rep->joints = r->njoint;
    rep->loops = r->nloop;
    rep->couplings = r->ncoupling;
    rep->forces = r->nforce;
}

static vgNode *convert(vgRobot *r, vgXml *root, char **text_out)
{
    if (strcmp(root->name, "robot") == 0) {
        r->format = "URDF";
        vg_urdf_read(r, root);
    } else if (strcmp(root->name, "mujoco") == 0) {
        r->format = "MJCF";
        vg_mjcf_read(r, root);
    } else {
        vg_robot_wrong(r, root->loc,
                       "<%.60s> is no robot file that is understood: URDF has <robot>, MJCF <mujoco>%s",
                       root->name, strcmp(root->name, "sdf") == 0 ? "; SDF is not read" : "");
    }
    if (vg_robot_failed(r)) return NULL;
    vgNode *spec = vg_robot_spec(r);
    if (!spec || vg_robot_failed(r)) return NULL;
    count(r);
    if (text_out) *text_out = vg_robot_yaml(r->pool, spec, r->diag);
    if (text_out && !*text_out) return r->full = 1, NULL;
    return spec;
}

vgNode *vg_import_spec(vgPool *pool, const char *text, size_t n, const char *name, const char *path,
                       const vgImportOptions *options, vgDiag *diag, vgImportReport *report, char **text_out)
{
    static const vgImportOptions none = {0};
    vgImportReport own = {0};
    const int before = vg_diag_errors(diag), starving = vg_diag_starved(diag);
    int file = vg_diag_file(diag, name);
    vgRobot r = {.pool = pool,
                 .diag = diag,
                 .options = options ? options : &none,
                 .report = report ? report : &own,
                 .path = path,
                 .folder = folder_of(pool, path),
                 .gravity = vg_v3(0, 0, -9.81),
                 .timestep = 1e-3,
                 .before = before,
                 .title = ""};
    vgXml *root = vg_xml_parse(pool, text, n, file, diag);
    if (!root) return NULL;
    r.body_names = vg_names_new();
    r.joint_names = vg_names_new();
    r.force_names = vg_names_new();
    vgNode *spec = r.body_names && r.joint_names && r.force_names ? convert(&r, root, text_out) : NULL;
    if (spec && r.options->summary) summary(&r, root->loc);
    /* what was said meanwhile ("unknown parent") is no fault of the file */
    if (vg_pool_starved(pool) || vg_names_starved(r.body_names) || vg_names_starved(r.joint_names) ||
        vg_names_starved(r.force_names) || vg_diag_starved(diag) > starving ||
        (!spec && vg_diag_errors(diag) == before)) {
        vg_diag_no_memory(diag);
        spec = NULL;
    }
    vg_names_free(r.body_names);
    vg_names_free(r.joint_names);
    vg_names_free(r.force_names);
    return spec;
}

char *vg_import_file(vgPool *pool, const char *path, const vgImportOptions *options, vgDiag *diag,
                     vgImportReport *report)
{
    size_t n = 0;
    char *text = vg_spec_read(pool, path, VG_NOWHERE, &n, diag), *out = NULL;
    if (!text) return NULL;
    if (!vg_import_is_robot(text, n)) {
        vg_diag_error(diag, (vgLoc){vg_diag_file(diag, path), 1, 1},
                      "this is not a robot file: URDF and MJCF are XML");
        return NULL;
    }
    return vg_import_spec(pool, text, n, path, path, options, diag, report, &out) ? out : NULL;
}
