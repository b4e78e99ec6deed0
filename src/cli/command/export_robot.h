/* verge export --urdf, --mjcf: a model as a robot file, with a report of what could not be said. An exit code. */
#ifndef VERGE_CLI_COMMAND_EXPORT_ROBOT_H
#define VERGE_CLI_COMMAND_EXPORT_ROBOT_H

#include "cli/cli.h"

int vg_cli_export_robot(const vgArgs *args);

#endif
