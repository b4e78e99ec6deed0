/* verge completion: scripts that complete commands, options and the names that some options take, for bash, zsh and fish.
 * Made from the tables of commands and of dials, so that they know what this program knows. */
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "base/text.h"
#include "cli/cli.h"
#include "integrator/integrator.h"
#include "system/system.h"

/* Names that the value of an option may have; 0: a file. */
static int names_of(vgText *out, const char *option)
{
    if (strcmp(option, "coordinates") == 0)
        for (const vgCoordinatesRow *c = vg_coordinates_list; c->name; c++) vg_text_add(out, "%s ", c->name);
    else if (strcmp(option, "constraints") == 0)
        for (const vgConstraintsRow *c = vg_constraints_list; c->name; c++) vg_text_add(out, "%s ", c->name);
    else if (strcmp(option, "integrator") == 0)
        for (const vgIntegratorRow *const *r = vg_integrators; *r; r++) vg_text_add(out, "%s ", (*r)->name);
    else
        return 0;
    return 1;
}

static const char *const named[] = {"coordinates", "constraints", "integrator"};
enum { NNAMED = sizeof named / sizeof *named };

/* In single quotes of a shell: no quote, no backslash. */
static void plain(vgText *out, const char *text)
{
    for (const char *c = text; *c; c++)
        if (*c != '\'' && *c != '\\') vg_text_add(out, "%c", *c);
}

static void bash(vgText *out)
{
    vg_text_add(out, "# bash completion of verge; made by `verge completion bash`\n_verge()\n{\n"
                     "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
                     "    COMPREPLY=()\n    case $before in\n");
    for (int i = 0; i < NNAMED; i++) {
        vg_text_add(out, "    --%s) words='", named[i]);
        names_of(out, named[i]);
        vg_text_add(out, "' ;;\n");
    }
    vg_text_add(out, "    *)\n        if [ $COMP_CWORD -eq 1 ]; then\n            words='--help --version");
    for (int i = 0; vg_commands[i]; i++) vg_text_add(out, " %s", vg_commands[i]->name);
    vg_text_add(out, "'\n        else case $word in -*) case ${COMP_WORDS[1]} in\n");
    for (int i = 0; vg_commands[i]; i++) {
        vg_text_add(out, "        %s) words='--help", vg_commands[i]->name);
        for (const vgOption *o = vg_commands[i]->options; o && o->name; o++)
            vg_text_add(out, " --%s", o->name);
        vg_text_add(out, "' ;;\n");
    }
    vg_text_add(out,
                "        esac ;; esac; fi ;;\n    esac\n"
                "    if [ -n \"$words\" ]; then\n        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                "    else\n        COMPREPLY=($(compgen -f -- \"$word\"))\n    fi\n}\n"
                "complete -o filenames -F _verge verge\n");
}

static void zsh(vgText *out)
{
    vg_text_add(out, "#compdef verge\n# zsh completion of verge; made by `verge completion zsh`\n"
                     "case $words[CURRENT-1] in\n");
    for (int i = 0; i < NNAMED; i++) {
        vg_text_add(out, "--%s) compadd -- ", named[i]);
        names_of(out, named[i]);
        vg_text_add(out, "; return ;;\n");
    }
    vg_text_add(out, "esac\nif (( CURRENT == 2 )); then\n    local -a commands=(\n");
    for (int i = 0; vg_commands[i]; i++) {
        vg_text_add(out, "        '%s:", vg_commands[i]->name);
        plain(out, vg_commands[i]->doc);
        vg_text_add(out, "'\n");
    }
    vg_text_add(out, "    )\n    _describe command commands\n    return\nfi\nif [[ $PREFIX == -* ]]; then\n"
                     "    case $words[2] in\n");
    for (int i = 0; vg_commands[i]; i++) {
        vg_text_add(out, "    %s) compadd -- --help", vg_commands[i]->name);
        for (const vgOption *o = vg_commands[i]->options; o && o->name; o++)
            vg_text_add(out, " --%s", o->name);
        vg_text_add(out, " ;;\n");
    }
    vg_text_add(out, "    esac\nelse\n    _files\nfi\n");
}

static void fish(vgText *out)
{
    vg_text_add(out, "# fish completion of verge; made by `verge completion fish`\n");
    for (int i = 0; vg_commands[i]; i++) {
        const vgCommand *c = vg_commands[i];
        vg_text_add(out, "complete -c verge -n __fish_use_subcommand -f -a %s -d '", c->name);
        plain(out, c->doc);
        vg_text_add(out, "'\n");
        for (const vgOption *o = c->options; o && o->name; o++) {
            vg_text_add(out, "complete -c verge -n '__fish_seen_subcommand_from %s' -l %s", c->name, o->name);
            if (o->letter) vg_text_add(out, " -s %c", o->letter);
            vgText names = {0};
            if (names_of(&names, o->name))
                vg_text_add(out, " -x -a '%s'", vg_text_at(&names));
            else if (o->value && o->value[0] != '[')
                vg_text_add(out, " -r");
            out->failed |= names.failed;
            vg_text_free(&names);
            vg_text_add(out, " -d '");
            plain(out, o->doc);
            vg_text_add(out, "'\n");
        }
    }
}

static const struct {
    const char *name;
    void (*write)(vgText *);
} shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
enum { NSHELL = sizeof shells / sizeof *shells };

static int completion(const vgArgs *args)
{
    const char *wanted = vg_cli_word(args, 0), *names[NSHELL];
    for (int i = 0; i < NSHELL; i++) {
        names[i] = shells[i].name;
        if (strcmp(wanted, names[i]) != 0) continue;
        vgText out = {0};
        shells[i].write(&out);
        int ok = vg_text_ok(&out);
        vg_cli_print(&out);
        return ok ? VG_EXIT_OK : VG_EXIT_FAILED;
    }
    const char *near = vg_name_closest(wanted, names, NSHELL);
    if (near) return vg_cli_wrong("completion: unknown shell '%s'; did you mean '%s'?", wanted, near);
    return vg_cli_wrong("completion: unknown shell '%s'; there are bash, zsh and fish", wanted);
}

const vgCommand vg_cmd_completion = {
    .name = "completion",
    .usage = "bash|zsh|fish",
    .doc = "print a script that completes commands, options and names of dials",
    .example = "  verge completion bash >~/.local/share/bash-completion/completions/verge\n",
    .min = 1,
    .max = 1,
    .run = completion,
};
