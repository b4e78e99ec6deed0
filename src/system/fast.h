/* Fast paths: special code that gives the same numbers as the plain code, for models of a certain shape. This
 * is the list of all of them in the rooms `system` and `integrator`.
 *
 * A system is made with a set of paths that it may take (vgSystem.fast); a work notes the paths that it took
 * (vgWork.taken). `verge run --plain`, or `plain: true` under `run:` of a model, allows none of them.
 * tests/suite/every_fast_path.c compares every path with the plain code, and fails if a path of the list is
 * taken by none of its models. What each path gains is in docs/performance.md. */
#ifndef VERGE_SYSTEM_FAST_H
#define VERGE_SYSTEM_FAST_H

enum {
    VG_FAST_SWEEP = 1u << 0,
    VG_FAST_LINES = 1u << 1,
    VG_FAST_LANES = 1u << 2,
    VG_FAST_SPLIT = 1u << 3,
    VG_FAST_STAGE = 1u << 4,
    VG_FAST_FOURS = 1u << 5,
    VG_FAST_RODS = 1u << 6,
    VG_FAST_ROWS = 1u << 7,
    VG_FAST_JOINTS = 1u << 8,
    VG_FAST_LINKS = 1u << 9,
    VG_FAST_NEAR = 1u << 10,
    VG_FAST_CLOSURES = 1u << 11,
    VG_FAST_ALONG = 1u << 12,
    VG_FAST_TREE = 1u << 13,
    VG_FAST_AHEAD = 1u << 14,
    VG_FAST_PASSES = 1u << 15,
    VG_FAST_COUNT = 16,
    VG_FAST_ALL = (1u << VG_FAST_COUNT) - 1
};

typedef struct vgFastPath {
    const char *name;
    unsigned bit;
    unsigned needs;       /* other paths without which it cannot be taken */
    const char *where;    /* file */
    const char *replaces; /* the plain code */
    const char *applies;  /* which models take it */
} vgFastPath;
extern const vgFastPath vg_fast_paths[]; /* name == NULL ends */

#endif
