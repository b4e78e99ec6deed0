#include "base/file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

const char *vg_file_wrong(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) return errno == ENOENT ? "does not exist" : strerror(errno);
    if (S_ISDIR(info.st_mode)) return "is a directory";
    return S_ISREG(info.st_mode) ? NULL : "is not a plain file";
}
