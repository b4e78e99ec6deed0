/* Files of a test: in folders of their own, where this machine wants them. */
#ifndef VERGE_TESTS_TEMPORARY_H
#define VERGE_TESTS_TEMPORARY_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TEMPORARY_PATH = 300 };

static inline const char *temporary_place(void)
{
    const char *place = getenv("TMPDIR");
    return place && place[0] ? place : "/tmp";
}

/* In memory, where there is such a place: for tests that write thousands of files. */
static inline const char *temporary_fast(void)
{
    return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : temporary_place();
}

/* A new folder, empty; 0: there is none to be had. */
static inline int temporary_folder(char folder[TEMPORARY_PATH])
{
    snprintf(folder, TEMPORARY_PATH, "%.250s/verge-test-XXXXXX", temporary_place());
    return mkdtemp(folder) != NULL;
}

#endif
