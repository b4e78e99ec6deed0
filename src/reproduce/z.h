/* The integrators of [Z] section 5 in the order of its figures: (a) second order with ρ∞ = 0, (b) second
 * order with ρ∞ = 0.6, (c) higher order. */
#ifndef VG_REPRODUCE_Z_H
#define VG_REPRODUCE_Z_H

#include "reproduce/reproduce.h"

typedef enum vgZKind { VG_Z_MULTISTEP, VG_Z_SINGLE, VG_Z_SUBSTEPS, VG_Z_HIGHER } vgZKind;

typedef struct vgZMethod {
    const char *label, *integrator;
    int group; /* 0, 1, 2: figures (a), (b), (c) */
    vgZKind kind;
    int order;
    const char *twin; /* of a single-step method: its multistep form */
} vgZMethod;

/* Places of those that claims name; the first VG_Z_HIGHER_FROM are of second order. */
enum {
    VG_Z_LMS2 = 0,
    VG_Z_SS2 = 3,
    VG_Z_BATHE = 6,
    VG_Z_HIGHER_FROM = 20,
    VG_Z_MSSTH3 = 20,
    VG_Z_MSSTH4,
    VG_Z_ESDIRK324 = 23,
    VG_Z_ESDIRK325,
    VG_Z_ESDIRK436,
    VG_Z_METHODS
};
extern const vgZMethod vg_z_methods[VG_Z_METHODS];
extern const char *const vg_z_group[3]; /* titles of the three groups */
/* [Z] section 2: index 3, "no hidden constraints"; section 3.1: rotations of a step by Cayley–Gibbs–Rodrigues parameters. */
#define VG_Z_CONSTRAINTS "index3"
#define VG_Z_ROTATIONS   "cayley"
/* The method with the predictions of [Z] (12)–(17), the matrix of (21a) in every iteration, and as many iterations as it
 * takes; or with our own predictions, which take fewer. Returns `text`. */
enum { VG_Z_TEXT = 90 };
const char *vg_z_as_printed(int method, char text[VG_Z_TEXT]);
const char *vg_z_reference(int method, char text[VG_Z_TEXT]);

/* A problem that all methods run at the same Δt/n. */
typedef struct vgZProblem {
    const char *model, *coordinates, *set[VG_ASK_SETS];
    double per_stage, end, interval;
    int reference;      /* 1: with our own predictions, which take fewer iterations */
    int shared;         /* vgAsk.shared */
    double from, until; /* drawn from here on; methods are compared before `until` */
    const char *channel[3], *title[3], *unit[3];
} vgZProblem;
/* A quick report runs every third method and those that claims name. */
int vg_z_skipped(const vgExhibit *ex, int method);
/* A run of one of them as it is printed; a step that is split belongs to no Δt/n. */
void vg_z_run(vgExhibit *ex, const vgZProblem *problem, int method, vgHistory *out);
void vg_z_shaft_orders(vgExhibit *ex);
/* 'x': the methods that in the paper do not finish the buckling beam at 1e-3 s. */
extern const char vg_z_buckling_fails[VG_Z_METHODS + 1];

#endif
