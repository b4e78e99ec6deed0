#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include "base/os.h"

#include <direct.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <locale.h>
#include <malloc.h>
#include <process.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

/* Why the last call failed, as errno. */
static int fail(void)
{
    switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
        errno = ENOENT;
        break;
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
        errno = EBUSY;
        break;
    case ERROR_DISK_FULL:
        errno = ENOSPC;
        break;
    case ERROR_NOT_ENOUGH_MEMORY:
        errno = ENOMEM;
        break;
    default:
        errno = EACCES;
    }
    return -1;
}

/* ---- libraries ---- */

void *vg_os_library(const char *file, char *why, size_t size)
{
    HMODULE library = LoadLibraryA(file);
    if (!library && why) snprintf(why, size, "%s cannot be loaded (error %lu)", file, GetLastError());
    return library;
}

void vg_os_library_close(void *library)
{
    if (library) FreeLibrary(library);
}

void *vg_os_symbol(void *library, const char *name)
{
    FARPROC found = GetProcAddress(library, name);
    void *out;
    memcpy(&out, &found, sizeof out);
    return out;
}

static SRWLOCK once = SRWLOCK_INIT;

void vg_os_lock(void)
{
    AcquireSRWLockExclusive(&once);
}

void vg_os_unlock(void)
{
    ReleaseSRWLockExclusive(&once);
}

/* ---- memory ---- */

void *vg_os_aligned(size_t align, size_t bytes)
{
    return _aligned_malloc(bytes, align);
}

void vg_os_free_aligned(void *start)
{
    _aligned_free(start);
}

void *vg_os_pages(size_t bytes)
{
    return VirtualAlloc(NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void vg_os_free_pages(void *start, size_t bytes)
{
    (void)bytes;
    VirtualFree(start, 0, MEM_RELEASE);
}

/* ---- time and processors ---- */

long long vg_os_clock(void)
{
    LARGE_INTEGER rate, now;
    QueryPerformanceFrequency(&rate);
    QueryPerformanceCounter(&now);
    long long whole = now.QuadPart / rate.QuadPart, rest = now.QuadPart % rate.QuadPart;
    return 1000000000LL * whole + 1000000000LL * rest / rate.QuadPart;
}

double vg_os_thread_seconds(void)
{
    FILETIME made, ended, kernel, user;
    if (!GetThreadTimes(GetCurrentThread(), &made, &ended, &kernel, &user)) return 0;
    double ticks = 4294967296.0 * ((double)kernel.dwHighDateTime + (double)user.dwHighDateTime) +
                   (double)kernel.dwLowDateTime + (double)user.dwLowDateTime;
    return 1e-7 * ticks; /* of 100 ns */
}

void vg_os_sleep_until(long long then)
{
    long long left = (then - vg_os_clock()) / 1000000;
    if (left > 0) Sleep((DWORD)left);
}

void vg_os_disturbances(long *faults, long *preemptions)
{
    *faults = *preemptions = 0;
}

int vg_os_processors(void)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwNumberOfProcessors > 1 ? (int)info.dwNumberOfProcessors : 1;
}

/* ---- numbers in texts ---- */

/* The thread has a locale of its own from the first call on. */
void *vg_os_points_begin(void)
{
    _configthreadlocale(_ENABLE_PER_THREAD_LOCALE);
    const char *now = setlocale(LC_NUMERIC, NULL);
    char *callers = now ? _strdup(now) : NULL;
    if (callers) setlocale(LC_NUMERIC, "C");
    return callers;
}

void vg_os_points_end(void *callers)
{
    if (callers) setlocale(LC_NUMERIC, callers);
    free(callers);
}

/* ---- files ---- */

char *vg_os_real_path(const char *path)
{
    if (GetFileAttributesA(path) == INVALID_FILE_ATTRIBUTES) {
        fail();
        return NULL;
    }
    char *out = _fullpath(NULL, path, 0);
    for (char *p = out; p && *p; p++)
        if (*p == '\\') *p = '/';
    return out;
}

int vg_os_is_dead_link(const char *path)
{
    (void)path;
    return 0;
}

/* Others may read, and rename an open file; none may write. */
int vg_os_open(const char *path, int how, int mode)
{
    const int make = how == VG_OS_MAKE;
    (void)mode;
    HANDLE h = CreateFileA(path, make ? GENERIC_READ | GENERIC_WRITE : GENERIC_WRITE,
                           FILE_SHARE_READ | FILE_SHARE_DELETE, NULL, make ? OPEN_ALWAYS : OPEN_EXISTING,
                           FILE_ATTRIBUTE_NORMAL, NULL);
    if (h == INVALID_HANDLE_VALUE) return fail();
    int fd = _open_osfhandle((intptr_t)h, _O_BINARY);
    if (fd < 0) CloseHandle(h);
    return fd;
}

int vg_os_lock_file(int fd)
{
    (void)fd; /* vg_os_open shares with no other writer */
    return 1;
}

int vg_os_is_read_locked(int fd)
{
    (void)fd;
    return 0;
}

int vg_os_is_named(int fd, const char *path)
{
    (void)fd;
    return GetFileAttributesA(path) !=
           INVALID_FILE_ATTRIBUTES; /* while it is open nobody can name another one so */
}

long vg_os_write_at(int fd, const void *bytes, size_t n, uint64_t to)
{
    OVERLAPPED at = {.Offset = (DWORD)to, .OffsetHigh = (DWORD)(to >> 32)};
    DWORD written, most = n < 1u << 30 ? (DWORD)n : 1u << 30;
    HANDLE h = (HANDLE)_get_osfhandle(fd);
    long long here = _lseeki64(fd, 0, SEEK_CUR); /* the call moves it */
    int ok = WriteFile(h, bytes, most, &written, &at);
    if (!ok) fail();
    if (here >= 0) _lseeki64(fd, here, SEEK_SET);
    return ok ? (long)written : -1;
}

int vg_os_sync(int fd)
{
    return _commit(fd);
}

int vg_os_permit(int fd, int mode)
{
    (void)fd, (void)mode;
    return 0;
}

int vg_os_rename(const char *from, const char *to)
{
    return MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING) ? 0 : fail();
}

int vg_os_make_folder(const char *path)
{
    return _mkdir(path);
}

int vg_os_has_drive(const char *path)
{
    return ((*path >= 'A' && *path <= 'Z') || (*path >= 'a' && *path <= 'z')) && path[1] == ':';
}

const char *vg_os_temporary_folder(void)
{
    const char *folder = getenv("TEMP");
    return folder && *folder ? folder : ".";
}

/* Writes another name over the XXXXXX that `ending` bytes follow. */
static void fill_in(char *name, int ending, int attempt)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345"; /* 32 */
    enum { MARKS = 6 };
    char *mark = name + strlen(name) - ending - MARKS;
    unsigned long long x =
        (unsigned long long)vg_os_clock() + GetCurrentProcessId() * 2654435761ULL + (unsigned)attempt;
    for (int k = 0; k < MARKS; k++, x /= 32) mark[k] = letters[x % 32];
}

enum { TRIES = 100 };

int vg_os_make_temporary(char *name, int ending)
{
    for (int i = 0; i < TRIES; i++) {
        fill_in(name, ending, i);
        int fd = _open(name, _O_RDWR | _O_CREAT | _O_EXCL | _O_BINARY, 0600);
        if (fd >= 0) return _close(fd);
        if (errno != EEXIST) break;
    }
    return -1;
}

int vg_os_make_temporary_folder(char *name)
{
    for (int i = 0; i < TRIES; i++) {
        fill_in(name, 0, i);
        if (_mkdir(name) == 0) return 0;
        if (errno != EEXIST) break;
    }
    return -1;
}

int vg_os_is_folder(const char *path)
{
    DWORD is = GetFileAttributesA(path);
    return is != INVALID_FILE_ATTRIBUTES && is & FILE_ATTRIBUTE_DIRECTORY &&
           !(is & FILE_ATTRIBUTE_REPARSE_POINT);
}

/* ---- the process ---- */

void vg_os_prepare(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (_setmode(fd, _O_BINARY) >= 0) continue;
        int got = _open("NUL", fd == 2 ? _O_WRONLY : _O_RDONLY);
        if (got > fd) _close(got);
    }
    SetConsoleOutputCP(CP_UTF8);
}

int vg_os_is_terminal(int fd)
{
    return _isatty(fd) != 0;
}

int vg_os_columns(int fd)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    HANDLE h = (HANDLE)_get_osfhandle(fd);
    return GetConsoleScreenBufferInfo(h, &info) ? info.srWindow.Right - info.srWindow.Left + 1 : 0;
}

void vg_os_on_interrupt(void (*ask)(int)) /* the system itself goes back to ending the process */
{
    signal(SIGINT, ask);
    signal(SIGTERM, ask);
}

size_t vg_os_program(char *path, size_t size)
{
    DWORD n = GetModuleFileNameA(NULL, path, (DWORD)size);
    if (n >= size) n = 0;
    path[n] = 0;
    for (char *p = path; *p; p++)
        if (*p == '\\') *p = '/';
    return n;
}

int vg_os_become(const char *path, char **argv)
{
    return (int)_spawnv(_P_WAIT, path, (const char *const *)argv);
}

#else
typedef int vg_os_is_not_windows; /* a file needs a declaration */
#endif
