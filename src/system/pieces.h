/* A tangent as a list of tasks, each of a number of equal pieces, counted through. Internal to the room. */
#ifndef VERGE_SYSTEM_PIECES_H
#define VERGE_SYSTEM_PIECES_H

enum { VG_TASKS = 12 };

typedef struct vgTasks {
    int n[VG_TASKS];       /* pieces of each task */
    double cost[VG_TASKS]; /* of a piece, about in nanoseconds */
} vgTasks;

/* The task of piece i, and which of its pieces it is; −1: i lies behind all of them by *k. */
static inline int vg_tasks_find(const vgTasks *x, int i, int *k)
{
    for (int task = 0; task < VG_TASKS; task++) {
        *k = i;
        if (i < x->n[task]) return task;
        i -= x->n[task];
    }
    *k = i;
    return -1;
}

/* The first piece of a task. */
static inline int vg_tasks_first(const vgTasks *x, int task)
{
    int n = 0;
    for (int i = 0; i < task; i++) n += x->n[i];
    return n;
}

/* How many pieces in all; cost NULL: not wanted. */
static inline int vg_tasks_count(const vgTasks *x, double *cost)
{
    int n = 0;
    for (int task = 0; task < VG_TASKS; task++) {
        for (int i = 0; cost && i < x->n[task]; i++) cost[n + i] = x->cost[task];
        n += x->n[task];
    }
    return n;
}

#endif
