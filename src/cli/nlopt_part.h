/* NLopt as a part (base/part/part.h), for command/optimize.c: the functions that it calls. */
#ifndef VG_CLI_NLOPT_PART_H
#define VG_CLI_NLOPT_PART_H

#include <nlopt.h>

#include "base/part/part.h"

#ifdef VERGE_LINK_PARTS
static inline const char *nlopt_missing(void)
{
    return NULL;
}
#else
/* clang-format off */
#define NLOPT_LIST(F) \
    F(nlopt_add_inequality_mconstraint) \
    F(nlopt_create) \
    F(nlopt_destroy) \
    F(nlopt_force_stop) \
    F(nlopt_optimize) \
    F(nlopt_set_ftol_rel) \
    F(nlopt_set_initial_step1) \
    F(nlopt_set_lower_bounds1) \
    F(nlopt_set_maxeval) \
    F(nlopt_set_min_objective) \
    F(nlopt_set_upper_bounds1) \
    F(nlopt_set_xtol_abs1) \
    F(nlopt_srand)
/* clang-format on */

VG_PART_TABLE(NloptTable, NLOPT_LIST);
static NloptTable nlopt;
static const char *const nlopt_files[] = {VERGE_NLOPT_FILES, NULL};
static const char *const nlopt_symbols[] = {NLOPT_LIST(VG_PART_NAME) NULL};
static vgPart nlopt_part = {.title = "NLopt", .file = nlopt_files, .symbol = nlopt_symbols, .table = &nlopt};

/* NULL: its functions can be called; else why not. */
static inline const char *nlopt_missing(void)
{
    return vg_part_missing(&nlopt_part);
}

#define nlopt_add_inequality_mconstraint (nlopt.nlopt_add_inequality_mconstraint)
#define nlopt_create                     (nlopt.nlopt_create)
#define nlopt_destroy                    (nlopt.nlopt_destroy)
#define nlopt_force_stop                 (nlopt.nlopt_force_stop)
#define nlopt_optimize                   (nlopt.nlopt_optimize)
#define nlopt_set_ftol_rel               (nlopt.nlopt_set_ftol_rel)
#define nlopt_set_initial_step1          (nlopt.nlopt_set_initial_step1)
#define nlopt_set_lower_bounds1          (nlopt.nlopt_set_lower_bounds1)
#define nlopt_set_maxeval                (nlopt.nlopt_set_maxeval)
#define nlopt_set_min_objective          (nlopt.nlopt_set_min_objective)
#define nlopt_set_upper_bounds1          (nlopt.nlopt_set_upper_bounds1)
#define nlopt_set_xtol_abs1              (nlopt.nlopt_set_xtol_abs1)
#define nlopt_srand                      (nlopt.nlopt_srand)
#endif

#endif
