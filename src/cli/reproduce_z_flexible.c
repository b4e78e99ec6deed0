/* [Z] sections 5.2–5.4. */
#include <stddef.h>

#include "cli/reproduce.h"

const vgExperiment vg_reproduce_z_flexible[] = {{0}};
