#ifndef _WIN32
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* locks that belong to the open file, not to the process; large pages */
#endif
#include "base/os.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- libraries ---- */

void *vg_os_library(const char *file, char *why, size_t size)
{
    void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
    if (!library && why) {
        const char *words = dlerror();
        snprintf(why, size, "%s", words ? words : file);
    }
    return library;
}

void vg_os_library_close(void *library)
{
    if (library) dlclose(library);
}

void *vg_os_symbol(void *library, const char *name)
{
    return dlsym(library, name);
}

static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;

void vg_os_lock(void)
{
    pthread_mutex_lock(&once);
}

void vg_os_unlock(void)
{
    pthread_mutex_unlock(&once);
}

/* ---- memory ---- */

/* Large arenas lie on large pages where the system has them: long chains walk through many arrays at once. */
void *vg_os_aligned(size_t align, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    enum { PAGE = 1 << 21 };
    void *base = NULL;
    if (bytes >= 2 * PAGE) {
        if (posix_memalign(&base, PAGE, bytes)) return NULL;
        madvise(base, bytes, MADV_HUGEPAGE);
        return base;
    }
#endif
    return aligned_alloc(align, bytes);
}

void vg_os_free_aligned(void *start)
{
    free(start);
}

void *vg_os_pages(size_t bytes)
{
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return base == MAP_FAILED ? NULL : base;
}

void vg_os_free_pages(void *start, size_t bytes)
{
    munmap(start, bytes);
}

/* ---- time and processors ---- */

long long vg_os_clock(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return 1000000000LL * ts.tv_sec + ts.tv_nsec;
}

double vg_os_thread_seconds(void)
{
    struct timespec ts;
    /* WebAssembly has no such clock, and one thread */
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts) != 0) clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

void vg_os_sleep_until(long long then)
{
    struct timespec ts = {.tv_sec = (time_t)(then / 1000000000LL), .tv_nsec = (long)(then % 1000000000LL)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

void vg_os_disturbances(long *faults, long *preemptions)
{
    *faults = *preemptions = 0;
#ifdef RUSAGE_THREAD
    struct rusage u;
    if (getrusage(RUSAGE_THREAD, &u) != 0) return;
    *faults = u.ru_minflt + u.ru_majflt;
    *preemptions = u.ru_nivcsw;
#endif
}

int vg_os_processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 1 ? (int)n : 1;
}

/* ---- numbers in texts ---- */

void *vg_os_points_begin(void)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return plain ? uselocale(plain) : (locale_t)0;
}

void vg_os_points_end(void *callers)
{
    if (callers) freelocale(uselocale(callers));
}

/* ---- files ---- */

char *vg_os_real_path(const char *path)
{
    return realpath(path, NULL);
}

int vg_os_is_dead_link(const char *path)
{
    struct stat info;
    return stat(path, &info) != 0 && lstat(path, &info) == 0;
}

int vg_os_open(const char *path, int how, int mode)
{
    static const int flags[] = {[VG_OS_THERE] = O_WRONLY | O_NONBLOCK,
                                [VG_OS_WAIT] = O_WRONLY,
                                [VG_OS_MAKE] = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK};
    return open(path, flags[how] | O_CLOEXEC, (mode_t)mode);
}

int vg_os_lock_file(int fd)
{
#ifdef F_OFD_SETLK
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(fd, F_OFD_SETLK, &whole) == 0 || (errno != EAGAIN && errno != EACCES)) return 1;
    errno = EBUSY;
    return 0;
#else
    (void)fd;
    return 1;
#endif
}

int vg_os_is_read_locked(int fd)
{
    return flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

int vg_os_is_named(int fd, const char *path)
{
    struct stat mine, named;
    return fstat(fd, &mine) == 0 && stat(path, &named) == 0 && named.st_ino == mine.st_ino &&
           named.st_dev == mine.st_dev;
}

long vg_os_write_at(int fd, const void *bytes, size_t n, uint64_t to)
{
    return (long)pwrite(fd, bytes, n, (off_t)to);
}

int vg_os_sync(int fd)
{
    return fsync(fd);
}

int vg_os_permit(int fd, int mode)
{
    return fchmod(fd, (mode_t)mode);
}

int vg_os_rename(const char *from, const char *to)
{
    return rename(from, to);
}

int vg_os_make_folder(const char *path)
{
    return mkdir(path, 0777);
}

int vg_os_has_drive(const char *path)
{
    (void)path;
    return 0;
}

const char *vg_os_temporary_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

int vg_os_make_temporary(char *name, int ending)
{
    int fd = mkstemps(name, ending);
    return fd < 0 ? -1 : close(fd);
}

int vg_os_make_temporary_folder(char *name)
{
    return mkdtemp(name) ? 0 : -1;
}

int vg_os_is_folder(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* ---- the process ---- */

void vg_os_prepare(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) >= 0) continue;
        int got = open("/dev/null",
                       fd == 2 ? O_WRONLY : O_RDONLY); /* what is written to stdout fails, and is said */
        if (got > fd) close(got);
    }
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
}

int vg_os_is_terminal(int fd)
{
    return isatty(fd);
}

int vg_os_columns(int fd)
{
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void vg_os_on_interrupt(void (*ask)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = ask;
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

size_t vg_os_program(char *path, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", path, size - 1);
    path[n > 0 ? n : 0] = 0;
    return n > 0 ? (size_t)n : 0;
}

int vg_os_become(const char *path, char **argv)
{
    return execvp(path, argv);
}

#else
typedef int vg_os_is_not_posix; /* a file needs a declaration */
#endif
