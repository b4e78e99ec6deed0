/* A certificate: how many digits of a run hold. The model is run again with finer steps (or tolerances) of the
 * same setting and in an independent one (other coordinates, constraints and family of integrator), until the
 * differences tell, or the budget is used up. Budgets count evaluations of the model's equations, so that a
 * verdict depends on the input alone and not on the machine. docs/trust.md has the rules and what they are
 * worth. */
#ifndef VERGE_ANALYSIS_STUDY_VERIFY_VERIFY_H
#define VERGE_ANALYSIS_STUDY_VERIFY_VERIFY_H

#include "analysis/run/simulation.h"
#include "analysis/run/transient.h"

enum { VG_VERIFY_RUNS = 24, VG_VERIFY_TIMES = 8, VG_VERIFY_TEXT = 200 };

typedef struct vgVerifyOptions {
    vgDials dials; /* of the run; NULL: the model's */
    double step, end, interval;
    int every, locate;
    double budget;  /* for all further runs, in multiples of the run's own work; 0: VG_VERIFY_BUDGET */
    double seconds; /* last limit, of processor time; 0: VG_VERIFY_SECONDS */
    int (*cancelled)(void *user); /* may be NULL */
    void *user;
} vgVerifyOptions;

#define VG_VERIFY_BUDGET  40.
#define VG_VERIFY_SECONDS 300.

typedef enum vgVerifyRole {
    VG_VERIFY_SELF,
    VG_VERIFY_FINER,
    VG_VERIFY_OTHER,
    VG_VERIFY_ARBITER
} vgVerifyRole;

/* A run that was made for it. */
typedef struct vgVerifyRun {
    vgVerifyRole role;
    char coordinates[40], constraints[60], integrator[VG_VERIFY_TEXT];
    double step;     /* 0: by error control alone */
    vgStatus status; /* VG_INTERRUPTED: its budget ended */
    double t;        /* time reached */
    double work;     /* evaluations of the equations */
    char why[240];   /* "" when it came to the end */
} vgVerifyRun;

typedef enum vgVerifyKind {
    VG_VERIFY_JUDGED,
    VG_VERIFY_FREE, /* a reaction that the constraints, which repeat each other, do not determine */
    VG_VERIFY_OWN   /* belongs to the setting: multipliers, constraint violations */
} vgVerifyKind;

typedef struct vgVerifyChannel {
    char *name, unit_text[24];
    const char *unit;
    vgVerifyKind kind;
    double size;                  /* what errors are relative to: the channel's own size, or a physical one */
    double error;                 /* claimed: the largest over the run; NaN: not known */
    double at;                    /* when */
    double doubt;                 /* what the reference itself may be off by */
    double digits;                /* −log10(error / size) */
    double order;                 /* of the errors of h, h/2, h/4; NaN: not measured */
    double other;                 /* largest difference from the independent setting; NaN: none */
    double until;                 /* up to when two digits hold */
    double over[VG_VERIFY_TIMES]; /* digits up to the time k + 1 of VG_VERIFY_TIMES parts of the run */
} vgVerifyChannel;

typedef enum vgVerdict {
    VG_TRUSTED,       /* to `digits` */
    VG_TRUSTED_UNTIL, /* to two digits until `until`: small differences grow */
    VG_NOT_TRUSTED,
    VG_NOT_VERIFIED /* no independent run could be made */
} vgVerdict;

typedef struct vgCertificate {
    vgVerdict verdict;
    double digits; /* the least of the judged channels, 0 … 10 */
    double end, until;
    int worst;     /* channel, −1 none */
    int reference; /* run that errors are measured by, −1 none */
    int blame; /* 0: neither; 1: the run's setting; 2: the independent one, which was replaced by another */
    double grows;    /* s: differences grow tenfold in this time; 0: they do not */
    double remedy;   /* step or rtol with which three digits would hold by the order; 0: not known */
    int adaptive;    /* remedy is a tolerance */
    int by_time;     /* 1: processor time ended it, and the verdict may be another on another machine */
    int interrupted; /* 1: the caller ended it (cancelled) */
    int nrun, nchannel, nsample;
    vgVerifyRun run[VG_VERIFY_RUNS];
    vgVerifyChannel *channel;
    char why[500];  /* where it is not trusted: why */
    char line[600]; /* the verdict in a line */
} vgCertificate;

/* names: channels, no patterns. VG_OK whenever a verdict was reached, whatever it says. */
vgStatus vg_verify(const vgModel *model, const char *const *names, int n, const vgVerifyOptions *options,
                   vgDiag *diag, vgCertificate *out);
void vg_certificate_free(vgCertificate *certificate);

#endif
