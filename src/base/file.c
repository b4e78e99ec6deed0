#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"
#include "base/status.h"

const char *vg_file_why(int number)
{
    return number == ENOMEM   ? vg_status_text(VG_NO_MEMORY)
           : number == EBUSY  ? "another run is writing it"
           : number == ESPIPE ? "what is written needs a file, not a pipe or a device"
                              : strerror(number);
}

const char *vg_file_wrong(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) return errno == ENOENT ? "does not exist" : vg_file_why(errno);
    if (S_ISDIR(info.st_mode)) return "is a directory";
    return S_ISREG(info.st_mode) ? NULL : "is not a plain file";
}

/* The folder of a path, as "." if none is named. */
static void folder_of(const char *path, char folder[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    int n = !slash ? 0 : slash == path ? 1 : (int)(slash - path);
    snprintf(folder, PATH_MAX, "%.*s", n ? n : 1, n ? path : ".");
}

const char *vg_file_unwritable(const char *path, int *misnamed)
{
    struct stat info;
    char folder[PATH_MAX];
    int there = stat(path, &info) == 0;
    *misnamed = 1;
    if (there && S_ISDIR(info.st_mode)) return "is a directory";
    *misnamed = 0;
    if (there && access(path, W_OK) != 0) return vg_file_why(errno);
    if (there && !S_ISREG(info.st_mode)) return NULL;
    if (!there && errno != ENOENT) return vg_file_why(errno);
    if (!there && vg_os_is_dead_link(path)) return "is a link to a file that does not exist";
    folder_of(path, folder);
    int why = stat(folder, &info) != 0 ? errno : S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
    *misnamed = why == ENOENT || why == ENOTDIR;
    if (why) return vg_file_why(why);
    return access(folder, W_OK | X_OK) == 0 ? NULL : vg_file_why(errno);
}

/* ---- writing ---- */

/* Whether a run is writing the file at path, or a program that locks it in the way of the HDF5 library. */
static int busy(const char *path)
{
    int fd = vg_os_open(path, VG_OS_THERE, 0);
    int taken =
        fd < 0 ? errno == EBUSY || errno == EWOULDBLOCK : !vg_os_lock_file(fd) || vg_os_is_read_locked(fd);
    if (fd >= 0) close(fd);
    return taken;
}

/* Opens PATH.part, empty and locked. Another process may rename it between open and lock: then once more. */
static int open_part(vgOutput *out, int mode)
{
    enum { TRIES = 100 };
    for (int i = 0; i < TRIES; i++) {
        struct stat mine;
        out->fd = vg_os_open(out->part, VG_OS_MAKE, mode);
        if (out->fd < 0 || !vg_os_lock_file(out->fd)) return 0;
        if (fstat(out->fd, &mine) != 0) return 0;
        if (vg_os_is_named(out->fd, out->part)) {
            if (S_ISREG(mine.st_mode)) return ftruncate(out->fd, 0) == 0;
            errno = EEXIST;
            return 0;
        }
        close(out->fd);
        out->fd = -1;
    }
    errno = EBUSY;
    return 0;
}

static void release(vgOutput *out)
{
    int why = errno;
    if (out->fd >= 0) close(out->fd);
    if (out->part != out->path) free(out->part);
    free(out->path);
    out->fd = -1;
    out->path = out->part = NULL;
    errno = why;
}

/* What a link points to, or the path itself. */
static char *resolved(const char *path, struct stat *info, int *there)
{
    *there = stat(path, info) == 0;
    char *real = *there ? vg_os_real_path(path) : NULL;
    if (real || *there) return real;
    if (vg_os_is_dead_link(path)) {
        errno = ENOENT;
        return NULL;
    }
    return strdup(path);
}

int vg_output_open(vgOutput *out, const char *path)
{
    struct stat info;
    int there;
    *out = (vgOutput){.fd = -1};
    out->path = resolved(path, &info, &there);
    if (!out->path) return 0;
    if (there && !S_ISREG(info.st_mode)) {
        out->part = out->path;
        out->fd = vg_os_open(out->path, VG_OS_WAIT, 0);
        if (out->fd < 0) release(out);
        return out->fd >= 0;
    }
    size_t n = strlen(out->path) + sizeof ".part";
    out->part = malloc(n);
    if (out->part) snprintf(out->part, n, "%s.part", out->path);
    out->replaces = there && info.st_size > 0;
    int ok = out->part != NULL;
    if (ok && there && busy(out->path)) ok = 0, errno = EBUSY;
    if (ok && there && access(out->path, W_OK) != 0) ok = 0;
    if (ok) ok = open_part(out, 0666);
    if (ok && there && vg_os_permit(out->fd, info.st_mode & 0777) != 0) ok = 0;
    if (!ok) release(out);
    return ok;
}

static int failed(vgOutput *out)
{
    if (!out->error) out->error = errno ? errno : EIO;
    errno = out->error;
    return 0;
}

int vg_output_put(vgOutput *out, const void *bytes, size_t n)
{
    const char *at = bytes;
    if (out->error) return failed(out);
    while (n > 0) {
        long m = (long)write(out->fd, at, n);
        if (m < 0 && errno == EINTR) continue;
        if (m <= 0) return failed(out);
        at += m;
        n -= (size_t)m;
        out->end += (uint64_t)m;
    }
    return 1;
}

int vg_output_at(vgOutput *out, uint64_t to, const void *bytes, size_t n)
{
    const char *at = bytes;
    if (out->error) return failed(out);
    while (n > 0) {
        long m = vg_os_write_at(out->fd, at, n, to);
        if (m < 0 && errno == EINTR) continue;
        if (m <= 0) return failed(out);
        at += m;
        to += (uint64_t)m;
        n -= (size_t)m;
    }
    return 1;
}

/* Sizes can be changed of files alone. */
static int is_a_file(vgOutput *out)
{
    struct stat info;
    if (fstat(out->fd, &info) != 0) return failed(out);
    errno = ESPIPE;
    return S_ISREG(info.st_mode) ? 1 : failed(out);
}

int vg_output_resize(vgOutput *out, uint64_t size)
{
    if (out->error) return failed(out);
    if (!is_a_file(out)) return 0;
    return ftruncate(out->fd, (off_t)size) == 0 ? 1 : failed(out);
}

int vg_output_extend(vgOutput *out, uint64_t most, uint64_t least, uint64_t *got)
{
    if (out->error) return failed(out);
    if (!is_a_file(out)) return 0;
    *got = most;
    if (ftruncate(out->fd, (off_t)most) == 0) return 1;
    *got = least; /* a limit of the file's size may lie between */
    return vg_output_resize(out, least);
}

static int name_it(vgOutput *out)
{
    if (out->part == out->path) return 1;
    if (vg_os_rename(out->part, out->path) != 0) return failed(out);
    free(out->part);
    out->part = out->path;
    return 1;
}

int vg_output_publish(vgOutput *out)
{
    return out->error ? failed(out) : out->replaces ? 1 : name_it(out);
}

int vg_output_close(vgOutput *out)
{
    if (out->fd < 0) return 1;
    /* what replaces something is on the disk first: after a loss of power one of the two is there */
    if (!out->error && out->replaces && out->part != out->path && vg_os_sync(out->fd) != 0) failed(out);
    if (!out->error) name_it(out);
    int why = out->error;
    if (why) {
        vg_output_abandon(out);
    } else {
        int bad = close(out->fd) != 0;
        why = bad ? errno : 0;
        out->fd = -1;
        release(out);
    }
    errno = why;
    return !why;
}

void vg_output_abandon(vgOutput *out)
{
    if (out->fd < 0) return;
    if (out->part != out->path) unlink(out->part);
    release(out);
}

void vg_output_leave(vgOutput *out, char *left, size_t room)
{
    struct stat info;
    int kept = out->fd >= 0 && out->part != out->path && fstat(out->fd, &info) == 0 && info.st_size > 0;
    snprintf(left, room, "%s", kept ? out->part : "");
    if (kept)
        release(out);
    else
        vg_output_abandon(out);
}

int vg_file_write(const char *path, const void *bytes, size_t n)
{
    vgOutput out;
    if (!vg_output_open(&out, path)) return 0;
    vg_output_put(&out, bytes, n);
    return vg_output_close(&out);
}
