#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *vg_file_wrong(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) return errno == ENOENT ? "does not exist" : strerror(errno);
    if (S_ISDIR(info.st_mode)) return "is a directory";
    return S_ISREG(info.st_mode) ? NULL : "is not a plain file";
}

const char *vg_file_unwritable(const char *path)
{
    struct stat info;
    char folder[4096];
    const char *slash = strrchr(path, '/');
    if (stat(path, &info) == 0) {
        if (S_ISDIR(info.st_mode)) return "is a directory";
        return access(path, W_OK) == 0 ? NULL : strerror(errno);
    }
    if (errno != ENOENT) return strerror(errno);
    int n = !slash ? 0 : slash == path ? 1 : (int)(slash - path);
    snprintf(folder, sizeof folder, "%.*s", n ? n : 1, n ? path : ".");
    if (stat(folder, &info) == 0 && !S_ISDIR(info.st_mode)) return strerror(ENOTDIR);
    return access(folder, W_OK | X_OK) == 0 ? NULL : strerror(errno);
}
