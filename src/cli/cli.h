/* The program: a table of commands. A command is one file and one row in main.c.
 *
 * Exit codes: 0 done, 1 the computation failed (what was computed is kept), 2 the input is wrong (nothing was
 * written). Results and answers go to stdout, everything else to stderr. */
#ifndef VG_CLI_CLI_H
#define VG_CLI_CLI_H

#include "base/diag.h"
#include "base/status.h"
#include "io/json.h"

enum { VG_EXIT_OK = 0, VG_EXIT_FAILED = 1, VG_EXIT_INPUT = 2 };

typedef struct vgOption {
    const char *name;  /* "output" for --output */
    char letter;       /* 'o' for -o, 0: none */
    const char *value; /* name of its value, "FILE"; NULL: a switch; "[FILE.html]": optional, the next word is
                        * taken if it has the same ending; "P=VALUE …": the option may be repeated */
    const char *doc;
} vgOption;

typedef struct vgArgs vgArgs;

typedef struct vgCommand {
    const char *name;
    const char *usage;       /* what follows the name: "MODEL.yaml [options]" */
    const char *doc;         /* one line */
    const char *example;     /* one or more whole lines */
    const char *more;        /* whole lines of text for the help; may be NULL */
    int min, max;            /* words that are not options; max < 0: any number */
    const vgOption *options; /* name == NULL ends; may be NULL */
    int (*run)(const vgArgs *);
} vgCommand;

extern const vgCommand *const vg_commands[]; /* NULL-terminated */

int vg_cli_words(const vgArgs *);
const char *vg_cli_word(const vgArgs *, int i);               /* NULL beyond the last */
int vg_cli_given(const vgArgs *, const char *option);         /* how often */
const char *vg_cli_value(const vgArgs *, const char *option); /* the last one given, NULL: none */
const char *vg_cli_nth(const vgArgs *, const char *option, int i);
/* The option as a finite number ≥ min: 1 and *value, 0 when not given, −1 when wrong (said on stderr). */
int vg_cli_number(const vgArgs *, const char *option, double min, double *value);
/* A whole number from min to INT_MAX, in the same manner. */
int vg_cli_count(const vgArgs *, const char *option, long min, long *value);

/* "verge: error: …" on stderr; returns VG_EXIT_INPUT so that it can stand behind return. */
int vg_cli_wrong(const char *format, ...) VG_PRINTF_LIKE(1, 2);
/* All lines of the diagnostics on stderr. */
void vg_cli_say(const vgDiag *diag);
/* The first error that was said, "" if none was. */
const char *vg_cli_complaint(void);
/* Text on stdout, and frees it; if memory ran out while it was made, nothing is printed and the program fails. */
void vg_cli_print(vgText *text);
/* The answer to --json on stdout; frees json. A command that fails without one gets one of status and error.
 */
void vg_cli_answer(vgJson *json);
/* Its members status and error: the first error that was said, or otherwise (NULL: out of memory). */
void vg_cli_status(vgJson *json, int good, const char *otherwise);
/* Writes text to a file in one go; 0 and a word on stderr when it cannot. */
int vg_cli_write(const char *path, const char *text);
/* The same; also where memory ran out while the text was made. */
int vg_cli_write_text(const char *path, const vgText *text);

/* A file that the command reads besides its words: refused where an option would write there. */
int vg_cli_reads(const vgArgs *, const char *path);

/* "a,b , c" → its parts without blanks; *n parts; one block to free(). NULL: out of memory. */
char **vg_cli_split(const char *text, int *n);

/* The words behind the command, as given: *argc of them. */
char **vg_cli_raw(const vgArgs *, int *argc);

/* What every program of Verge does first: errors of writing and of HDF5 come back as codes. */
void vg_cli_prepare(void);
/* Parses the words behind the command, or shows its help, and runs it. Returns the exit code. */
int vg_cli_run(const vgCommand *, int argc, char **argv);
int vg_cli_help(const vgCommand *);
/* The last word: the code, or 1 with a reason if what was printed did not get out. */
int vg_cli_end(int code);

extern const vgCommand
    vg_cmd_reproduce; /* the program verge-reproduce has its options and help from this row */

#endif
