/* The system below: what differs between Linux, Windows and WebAssembly. Rooms ask here; os_posix.c and os_windows.c
 * answer. Threads are POSIX threads and files POSIX descriptors, which all of them have. */
#ifndef VG_BASE_OS_H
#define VG_BASE_OS_H

#include <stddef.h>
#include <stdint.h>

/* ---- libraries ---- */

/* A shared library by file name, as the system searches for it; kept until the process ends. NULL: why, if not NULL,
 * receives the system's words. */
void *vg_os_library(const char *file, char *why, size_t size);
/* Gives a library back that nothing of is used any more. */
void vg_os_library_close(void *library);
/* A function or an object of a library, NULL: it has none of that name. */
void *vg_os_symbol(void *library, const char *name);

/* One lock for the whole process, for what is done once: loading a library, say. Never inside a step. */
void vg_os_lock(void);
void vg_os_unlock(void);

/* ---- memory ---- */

/* Bytes that begin at a multiple of align, a power of two that divides bytes; on large pages where there are many. Freed by
 * vg_os_free_aligned. NULL: no memory. */
void *vg_os_aligned(size_t align, size_t bytes);
void vg_os_free_aligned(void *start);
/* Pages of zeros that cost nothing until they are touched, where the system has such. NULL: no memory. */
void *vg_os_pages(size_t bytes);
void vg_os_free_pages(void *start, size_t bytes);

/* ---- time and processors ---- */

/* A clock that only goes forward, ns. */
long long vg_os_clock(void);
/* Processor time of this thread, s. */
double vg_os_thread_seconds(void);
/* Sleeps until that time of vg_os_clock, or until a signal comes. */
void vg_os_sleep_until(long long then);
/* Page faults and preemptions of this thread so far; 0 where the system does not count them. */
void vg_os_disturbances(long *faults, long *preemptions);
/* Processors that this process may use, 1 at least. */
int vg_os_processors(void);

/* ---- numbers in texts ---- */

/* Numbers have a point between begin and end, in this thread, whatever the caller's locale says. NULL: it could not be had. */
void *vg_os_points_begin(void);
void vg_os_points_end(void *callers);

/* ---- files ---- */

/* The path without links and dots, to be freed; with '/' between folders. NULL with errno. */
char *vg_os_real_path(const char *path);
/* 1: path is a link whose target does not exist. */
int vg_os_is_dead_link(const char *path);
/* Opens for writing what is there, or a file that is made if needed and is no link; without waiting, but for devices and pipes
 * (VG_OS_WAIT). −1 with errno. */
enum { VG_OS_THERE, VG_OS_WAIT, VG_OS_MAKE };
int vg_os_open(const char *path, int how, int mode);
/* 1: the lock is ours. 0 with errno EBUSY: another process has it. Systems without such locks: 1. */
int vg_os_lock_file(int fd);
/* 1: a reader has locked it against writing, as the HDF5 library does. */
int vg_os_is_read_locked(int fd);
/* 1: fd is the file that path names. */
int vg_os_is_named(int fd, const char *path);
/* As pwrite(). */
long vg_os_write_at(int fd, const void *bytes, size_t n, uint64_t to);
/* What was written is on the disk; 0, or −1 with errno. */
int vg_os_sync(int fd);
/* Permissions as given, where the system has such; 0, or −1 with errno. */
int vg_os_permit(int fd, int mode);
/* In place of what is there; fd may be open. 0, or −1 with errno. */
int vg_os_rename(const char *from, const char *to);
/* A folder for everybody (less the user's mask); 0, or −1 with errno. */
int vg_os_make_folder(const char *path);
/* 1: the path begins with a drive, as C:/ does. Always 0 where there are none. */
int vg_os_has_drive(const char *path);
/* Where files go that nobody asked for. */
const char *vg_os_temporary_folder(void);
/* Makes a file: XXXXXX before the last `ending` bytes of name becomes what no other file is called. 0, or −1 with errno. */
int vg_os_make_temporary(char *name, int ending);
/* The same for a folder, for this user alone; XXXXXX is the end of its name. */
int vg_os_make_temporary_folder(char *name);
/* 1: a folder, and no link to one. */
int vg_os_is_folder(const char *path);

/* ---- the process: for programs, not for the library ---- */

/* Standard streams that are closed are held, so that no file takes their number; bytes go through them as they are; writing
 * to a pipe that nobody reads, or beyond the limit of a file's size, fails with errno and ends no process. */
void vg_os_prepare(void);
/* 1: fd is a terminal. */
int vg_os_is_terminal(int fd);
/* Columns of the terminal at fd, 0: not known. */
int vg_os_columns(int fd);
/* SIGINT and SIGTERM call ask the first time, and end the process the second. */
void vg_os_on_interrupt(void (*ask)(int));
/* The path of this program, "" if the system does not say it; returns its length. */
size_t vg_os_program(char *path, size_t size);
/* Another program takes the place of this one; where a system cannot do that, it is run and its exit code returned. −1 with
 * errno: it could not be started. */
int vg_os_become(const char *path, char **argv);

#endif
