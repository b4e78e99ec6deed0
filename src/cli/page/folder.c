#include "cli/page/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

enum { MAX_MODELS = 500, MAX_SIZE = 1 << 20 };

int vg_folder_name_ok(const char *name)
{
    size_t n = name ? strlen(name) : 0;
    if (n < 5 || n > 100 || name[0] == '.') return 0;
    for (size_t i = 0; i < n; i++) {
        if ((unsigned char)name[i] < ' ' || strchr("/\\", name[i])) return 0;
    }
    static const char *const endings[] = {".yaml", ".yml", ".urdf", ".xml"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (strcmp(dot, endings[i]) == 0) return 1;
    return 0;
}

char *vg_folder_path(const char *folder, const char *name)
{
    if (!vg_folder_name_ok(name)) return NULL;
    size_t n = strlen(folder) + strlen(name) + 2;
    char *path = malloc(n);
    if (path) snprintf(path, n, "%s/%s", folder, name);
    return path;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void vg_folder_list(const char *folder, vgJson *json, const char *key)
{
    char *name[MAX_MODELS];
    size_t n = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && n < MAX_MODELS && (e = readdir(dir));) {
        if (vg_folder_name_ok(e->d_name) && (name[n] = strdup(e->d_name))) n++;
    }
    if (dir) closedir(dir);
    qsort(name, n, sizeof *name, by_name);
    vg_json_open(json, key, '[');
    for (size_t i = 0; i < n; i++) {
        vg_json_text(json, NULL, name[i]);
        free(name[i]);
    }
    vg_json_close(json);
}

char *vg_folder_read(const char *folder, const char *name, size_t *size)
{
    char *path = vg_folder_path(folder, name), *text = NULL;
    int file = path ? open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) : -1;
    struct stat info;
    if (file >= 0 && fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size <= MAX_SIZE) {
        size_t want = (size_t)info.st_size, have = 0;
        text = malloc(want + 1);
        for (ssize_t got = 1; text && have < want && got > 0; have += got > 0 ? (size_t)got : 0)
            got = read(file, text + have, want - have);
        if (text) text[have] = 0;
        *size = have;
    }
    if (file >= 0) close(file);
    free(path);
    return text;
}

int vg_folder_write(const char *folder, const char *name, const char *text, size_t size, int replace)
{
    char *path = vg_folder_path(folder, name);
    if (!path) return EINVAL;
    struct stat info;
    int there = lstat(path, &info) == 0, wrong = there && !replace ? EEXIST : 0;
    if (there && !wrong && !S_ISREG(info.st_mode)) wrong = S_ISLNK(info.st_mode) ? ELOOP : EPERM;
    if (!wrong && !vg_file_write(path, text, size)) wrong = errno ? errno : EIO;
    free(path);
    return wrong;
}
