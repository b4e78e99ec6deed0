/* [D] table 2. */
#include <stddef.h>

#include "cli/reproduce.h"

const vgExperiment vg_reproduce_d[] = {{0}};
