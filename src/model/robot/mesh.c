/* Where the meshes of a robot are: package://NAME/…, file://…, or from the folder of the file. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"
#include "model/robot/robot.h"
#include "model/surface.h"

enum { UPWARDS = 8 }; /* folders above the file in which a package is looked for */

static int is_folder(const char *path)
{
    struct stat info;
    return path && stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static const char *whole_path(vgRobot *r, const char *path)
{
    char *whole = vg_os_real_path(path);
    const char *kept = vg_pool_strdup(r->pool, whole ? whole : path);
    free(whole);
    if (!kept) r->full = 1;
    return kept;
}

/* The folder of a package: as it was given, else a folder above the file, or beside one, with that name. */
static const char *package_folder(vgRobot *r, const char *name, size_t n)
{
    for (int i = 0; i < r->options->npackage; i++) {
        const char *given = r->options->package[i];
        if (strncmp(given, name, n) == 0 && given[n] == '=') return whole_path(r, given + n + 1);
    }
    char *here = r->folder ? vg_os_real_path(r->folder) : NULL;
    const char *found = NULL;
    for (int up = 0; here && *here && !found && up < UPWARDS; up++) {
        char *slash = strrchr(here, '/');
        if (!slash) break; /* C: */
        const char *beside = vg_pool_printf(r->pool, "%s/%.*s", here, (int)n, name);
        if (strlen(slash + 1) == n && strncmp(slash + 1, name, n) == 0)
            found = vg_pool_strdup(r->pool, here);
        else if (is_folder(beside))
            found = beside;
        *slash = 0;
    }
    free(here);
    return found;
}

const char *vg_robot_mesh_open(vgRobot *r, const char *path)
{
    if (path[0] == '/' || !r->folder) return path;
    const char *whole = vg_pool_printf(r->pool, "%s/%s", r->folder, path);
    if (!whole) r->full = 1;
    return whole ? whole : path;
}

static const char *find(vgRobot *r, const char *name, const char *folder)
{
    static const char package[] = "package://", model[] = "model://", file[] = "file://";
    size_t skip = strncmp(name, package, sizeof package - 1) == 0 ? sizeof package - 1
                  : strncmp(name, model, sizeof model - 1) == 0   ? sizeof model - 1
                                                                  : 0;
    if (skip) {
        const char *slash = strchr(name + skip, '/');
        const char *from = slash ? package_folder(r, name + skip, (size_t)(slash - name) - skip) : NULL;
        return from ? vg_pool_printf(r->pool, "%s%s", from, slash) : NULL;
    }
    if (strncmp(name, file, sizeof file - 1) == 0) name += sizeof file - 1;
    return name[0] == '/' || !folder ? name : vg_pool_printf(r->pool, "%s/%s", folder, name);
}

const char *vg_robot_mesh_path(vgRobot *r, vgLoc at, const char *name, const char *folder)
{
    if (!vg_surface_is_known(name)) {
        vg_robot_note(r, VG_IMPORT_IGNORED, 0, at,
                      "the mesh '%.200s' is not drawn: STL and OBJ files are read", name);
        return NULL;
    }
    if (!r->folder) {
        vg_robot_note(r, VG_IMPORT_IGNORED, 0, at, "the mesh '%.200s' is not drawn: the robot is no file",
                      name);
        return NULL;
    }
    const char *path = find(r, name, folder), *open = path ? vg_robot_mesh_open(r, path) : NULL;
    if (!open || access(open, R_OK) != 0) {
        vg_robot_note(
            r, VG_IMPORT_IGNORED, 0, at, "the mesh '%.200s' is not drawn: there is no such file%s", name,
            strstr(name, "://") && !path ? "; say where the package is: --package NAME=FOLDER" : "");
        return NULL;
    }
    return r->options->whole_paths ? whole_path(r, open) : path;
}
