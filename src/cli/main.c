/* The program `verge`: the list of commands, and the general help. */
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "cli/cli.h"
#include "verge/version.h"

/* clang-format off */
/* A command `name` is a file of src/cli/command that defines vg_cmd_name, and a row here. */
#ifdef VERGE_HAVE_SOCKETS
#define SERVERS(ROW) \
    ROW(studio) \
    ROW(realtime)
#else
#define SERVERS(ROW)
#endif
#define LIST(ROW) \
    ROW(run) \
    SERVERS(ROW) \
    ROW(equilibrium) \
    ROW(modes) \
    ROW(linearize) \
    ROW(inverse) \
    ROW(reduce) \
    ROW(check) \
    ROW(import) \
    ROW(export) \
    ROW(fmu) \
    ROW(list) \
    ROW(plot) \
    ROW(view) \
    ROW(spectrum) \
    ROW(converge) \
    ROW(compare) \
    ROW(sweep) \
    ROW(sensitivity) \
    ROW(identify) \
    ROW(optimize) \
    ROW(advise) \
    ROW(reproduce) \
    ROW(schema) \
    ROW(completion) \
    ROW(doc)
/* clang-format on */
#define DECLARE(name) extern const vgCommand vg_cmd_##name;
#define POINT(name)   &vg_cmd_##name,
LIST(DECLARE)
const vgCommand *const vg_commands[] = {LIST(POINT) NULL};
enum { COMMANDS = sizeof vg_commands / sizeof vg_commands[0] - 1 };

static int general_help(FILE *to)
{
    fputs("verge — multibody dynamics\n\nUsage: verge COMMAND [words and options]\n\nCommands:\n", to);
    for (int i = 0; i < COMMANDS; i++) fprintf(to, "  %-12s %s\n", vg_commands[i]->name, vg_commands[i]->doc);
    fputs("\n`verge COMMAND --help` shows options and an example; `verge --version` the version.\n", to);
    return to == stdout ? VG_EXIT_OK : VG_EXIT_INPUT;
}

static int command(int argc, char **argv)
{
    if (argc < 2) return general_help(stderr);
    const char *name = argv[1], *names[COMMANDS];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        if (argc < 3) return general_help(stdout);
        name = argv[2];
    }
    if (strcmp(name, "--version") == 0) {
        printf("verge %s\n", vg_version());
        return VG_EXIT_OK;
    }
    for (int i = 0; i < COMMANDS; i++) {
        names[i] = vg_commands[i]->name;
        if (strcmp(names[i], name) != 0) continue;
        return name != argv[1] ? vg_cli_help(vg_commands[i]) : vg_cli_run(vg_commands[i], argc - 2, argv + 2);
    }
    const char *near = vg_name_closest(name, names, COMMANDS);
    if (near) return vg_cli_wrong("unknown command '%s'; did you mean '%s'?", name, near);
    return vg_cli_wrong("unknown command '%s'; verge --help lists the commands", name);
}

int main(int argc, char **argv)
{
    vg_cli_prepare();
    return vg_cli_end(command(argc, argv));
}
