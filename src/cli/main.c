/* The list of commands: one row each. */
#include <signal.h>
#include <stddef.h>

#include "cli/cli.h"
#include "io/results.h"
#include "linalg/lapack.h"

const vgCommand *const vg_commands[] = {
    &vg_cmd_run,    //
    &vg_cmd_studio, //
    &vg_cmd_realtime,
    &vg_cmd_equilibrium,
    &vg_cmd_modes,
    &vg_cmd_linearize,
    &vg_cmd_inverse,
    &vg_cmd_reduce,
    &vg_cmd_check,
    &vg_cmd_list,
    &vg_cmd_plot,
    &vg_cmd_view,
    &vg_cmd_spectrum,
    &vg_cmd_converge,
    &vg_cmd_compare,
    &vg_cmd_advise,
    &vg_cmd_reproduce,
    &vg_cmd_doc,
    NULL,
};

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error of its writing, with its words */
    vg_results_quiet();
    vg_lapack_one_thread();
    return vg_cli_main(argc, argv);
}
