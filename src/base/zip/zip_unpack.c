/* Unpacking into a folder for temporary files, and removing it. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os.h"
#include "base/zip/zip.h"

static char *joined(const char *folder, const char *name)
{
    const size_t n = strlen(folder) + strlen(name) + 2;
    char *path = malloc(n);
    if (path) snprintf(path, n, "%s/%s", folder, name);
    return path;
}

static char *new_folder(void)
{
    char *folder = joined(vg_os_temporary_folder(), "verge-XXXXXX");
    if (folder && vg_os_make_temporary_folder(folder) == 0) return folder;
    free(folder);
    return NULL;
}

/* Folders on the way to the file; where there is one already, all is well. */
static void make_folders(char *path, size_t from)
{
    for (char *c = path + from; (c = strchr(c, '/')); c++) {
        *c = 0;
        vg_os_make_folder(path);
        *c = '/';
    }
}

static int unpack_one(const vgZip *zip, int i, const char *folder)
{
    const char *name = vg_zip_name(zip, i);
    char *path = joined(folder, name);
    size_t n = 0;
    if (!path) return 0;
    make_folders(path, strlen(folder) + 1);
    int good = name[strlen(name) - 1] == '/'; /* a folder */
    errno = 0;
    unsigned char *bytes = good ? NULL : vg_zip_take(zip, i, &n);
    if (bytes) good = vg_file_write(path, bytes, n);
    if (!good && !errno) errno = EBADMSG;
    free(bytes);
    free(path);
    return good;
}

char *vg_zip_unpack(const vgZip *zip)
{
    char *folder = new_folder();
    if (!folder) return NULL;
    for (int i = 0; i < vg_zip_count(zip); i++) {
        if (unpack_one(zip, i, folder)) continue;
        const int why = errno;
        vg_zip_remove(folder);
        errno = why;
        return NULL;
    }
    return folder;
}

static void empty(const char *folder)
{
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char *path = strcmp(e->d_name, ".") && strcmp(e->d_name, "..") ? joined(folder, e->d_name) : NULL;
        if (!path) continue;
        if (vg_os_is_folder(path)) {
            empty(path);
            rmdir(path);
        } else {
            unlink(path);
        }
        free(path);
    }
    if (dir) closedir(dir);
}

void vg_zip_remove(char *folder)
{
    if (!folder) return;
    empty(folder);
    rmdir(folder);
    free(folder);
}
