/* A library to be loaded before a program (LD_PRELOAD): the call that VERGE_FAIL names fails.
 *
 *     VERGE_FAIL=malloc:37     the 37th allocation (malloc, calloc, realloc, memalign, …) returns NULL
 *     VERGE_FAIL=write:2       write or pwrite: ENOSPC
 *     VERGE_FAIL=fsync:1 rename:1 ftruncate:1 mmap:1 pthread_create:1 open:3
 *     VERGE_FAIL=fopen:1       ENOMEM, as where there is no memory for the stream
 *     VERGE_FAIL=malloc:0      none; calls are counted
 *     VERGE_FAIL_HOW=kill      the process is killed there, before the call
 *     VERGE_FAIL_HOW=half      half of a write is done, then the process is killed
 *
 * At the end of the program the number of calls of that kind is written to the file VERGE_FAIL_COUNT. Calls before main()
 * do not count: the loader's are not the program's. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

enum { MALLOC, WRITE, FSYNC, RENAME, FTRUNCATE, MMAP, THREAD, OPEN, STREAM, KINDS };
static const char *const names[KINDS] = {"malloc", "write",          "fsync", "rename", "ftruncate",
                                         "mmap",   "pthread_create", "open",  "fopen"};
static atomic_long calls;
static long fatal;
static int kind = -1, ready, kills, halves;

static int fails(int what)
{
    int now = ready && what == kind && atomic_fetch_add(&calls, 1) + 1 == fatal;
    if (now && kills) syscall(SYS_kill, getpid(), SIGKILL);
    return now;
}

__attribute__((constructor)) static void begin(void)
{
    const char *wanted = getenv("VERGE_FAIL"), *colon = wanted ? strchr(wanted, ':') : NULL;
    for (int i = 0; colon && i < KINDS; i++)
        if (strlen(names[i]) == (size_t)(colon - wanted) &&
            strncmp(wanted, names[i], (size_t)(colon - wanted)) == 0)
            kind = i;
    fatal = colon ? atol(colon + 1) : 0;
    const char *how = getenv("VERGE_FAIL_HOW");
    kills = how && strcmp(how, "kill") == 0;
    halves = how && strcmp(how, "half") == 0;
    ready = 1;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("VERGE_FAIL_COUNT");
    char text[32];
    ready = 0;
    int n = snprintf(text, sizeof text, "%ld\n", (long)calls),
        fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (fd >= 0 && syscall(SYS_write, fd, text, n) != n) _exit(99);
    if (fd >= 0) close(fd);
}

static void *no_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t bytes)
{
    return fails(MALLOC) ? no_memory() : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return fails(MALLOC) ? no_memory() : __libc_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes)
{
    return fails(MALLOC) ? no_memory() : __libc_realloc(block, bytes);
}

void *memalign(size_t alignment, size_t bytes)
{
    return fails(MALLOC) ? no_memory() : __libc_memalign(alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return memalign(alignment, bytes);
}

int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    void *block = memalign(alignment, bytes);
    if (!block) return ENOMEM;
    *out = block;
    return 0;
}

static int no_room(void)
{
    errno = ENOSPC;
    return -1;
}

ssize_t write(int fd, const void *bytes, size_t n)
{
    if (halves && fd != 2 && fails(WRITE)) {
        syscall(SYS_write, fd, bytes, n / 2);
        syscall(SYS_kill, getpid(), SIGKILL);
    }
    return fd != 2 && fails(WRITE) ? no_room() : syscall(SYS_write, fd, bytes, n);
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at)
{
    if (halves && fails(WRITE)) {
        syscall(SYS_pwrite64, fd, bytes, n / 2, at);
        syscall(SYS_kill, getpid(), SIGKILL);
    }
    return fails(WRITE) ? no_room() : syscall(SYS_pwrite64, fd, bytes, n, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t n, off64_t at)
{
    return pwrite(fd, bytes, n, at);
}

int fsync(int fd)
{
    return fails(FSYNC) ? no_room() : (int)syscall(SYS_fsync, fd);
}

int rename(const char *from, const char *to)
{
    return fails(RENAME) ? no_room() : (int)syscall(SYS_rename, from, to);
}

int ftruncate(int fd, off_t size)
{
    return fails(FTRUNCATE) ? no_room() : (int)syscall(SYS_ftruncate, fd, size);
}

int ftruncate64(int fd, off64_t size)
{
    return ftruncate(fd, size);
}

void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
    if (fails(MMAP)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, at, n, protection, flags, fd, offset);
}

static int open_by(const char *path, int flags, int mode)
{
    if (!fails(OPEN)) return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    errno = EMFILE;
    return -1;
}

int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    int mode = flags & O_CREAT ? va_arg(rest, int) : 0;
    va_end(rest);
    return open_by(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    int mode = flags & O_CREAT ? va_arg(rest, int) : 0;
    va_end(rest);
    return open_by(path, flags, mode);
}

static FILE *stream(const char *path, const char *mode)
{
    static FILE *(*next)(const char *, const char *);
    if (fails(STREAM)) return no_memory();
    if (!next) {
        void *found = dlsym(RTLD_NEXT, "fopen");
        memcpy(&next, &found, sizeof next);
    }
    return next(path, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    return stream(path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
    return stream(path, mode);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *user)
{
    static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (fails(THREAD)) return EAGAIN;
    if (!next) {
        void *found = dlsym(RTLD_NEXT, "pthread_create");
        memcpy(&next, &found, sizeof next);
    }
    return next(thread, how, run, user);
}
