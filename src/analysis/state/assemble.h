/* The start of every analysis: positions, velocities and accelerations made consistent with the constraints,
 * changing what the user gave as little as possible in the mass metric; redundant constraints found and
 * named (docs/theory.md, eq. 41–42 and 46–48). */
#ifndef VERGE_ANALYSIS_STATE_ASSEMBLE_H
#define VERGE_ANALYSIS_STATE_ASSEMBLE_H

#include "base/diag.h"
#include "system/system.h"

/* A movement that a picture of the model shows: a hundredth of its length, half a degree. Markers that a user has
 * rounded to two or three digits stay below it. */
#define VG_VISIBLE 1e-2
/* A movement that is more than rounding: `check` names it. */
#define VG_CHECK_MOVED 1e-9

typedef struct vgAssembly {
    double phi_before, phi_dot_before; /* largest violation as given, and the joints where */
    int joint_before, joint_dot_before;
    double phi, phi_dot; /* after */
    double length;       /* of the model, what movements are compared with */
    int iterations;
    double moved, turned,
        speed; /* largest change of a position (m), an orientation (rad), a velocity (m/s or rad/s) */
    int moved_body, turned_body, speed_body;
    int nredundant; /* rows that repeat others */
    int *redundant; /* malloc'ed: the rows */
    int freedom; /* degrees of freedom: native coordinates (but integrals of controllers) − independent rows
                  */
} vgAssembly;

/* Finds redundant rows (vgState.active), fills a new state at t with
 * consistent q, v, a, λ. Errors name the joint that cannot close or conflicts. it_nhistory: doubles of
 * history the state should hold. */
vgStatus vg_assemble(vgSystem *sys, double t, int nhistory, vgDiag *diag, vgAssembly *out, vgState **state);
/* What slides begins with its bristles bent as sliding leaves them; the others keep what the state has. */
vgStatus vg_bend_bristles(const vgSystem *sys, vgWork *work, vgState *state);
/* What assembly changed, one sentence for each i = 0, 1, 2: a position, an orientation, a velocity. Returns 0 where
 * that is no more than `least` (of the model's length, in rad, in m/s or rad/s). */
int vg_assembly_change(const vgAssembly *a, const vgModel *m, int i, double least, char *text, size_t size);
void vg_assembly_free(vgAssembly *a);

#endif
