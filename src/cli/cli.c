/* Words of the command line: options by table, help from the same table, "did you mean" for what is unknown.
 */
#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/names.h"
#include "base/os.h"

enum { MAX_OPTIONS = 64 };

struct vgArgs {
    const vgCommand *command;
    int nword, noption;
    const char **word;
    const vgOption **option; /* [noption] as given, in order */
    const char **value;
    int argc;
    char **argv; /* [argc] all of it, as given */
};

int vg_cli_words(const vgArgs *args)
{
    return args->nword;
}

const char *vg_cli_word(const vgArgs *args, int i)
{
    return i >= 0 && i < args->nword ? args->word[i] : NULL;
}

char **vg_cli_raw(const vgArgs *args, int *argc)
{
    *argc = args->argc;
    return args->argv;
}

const char *vg_cli_nth(const vgArgs *args, const char *option, int i)
{
    for (int k = 0; k < args->noption; k++) {
        if (strcmp(args->option[k]->name, option) == 0 && i-- == 0)
            return args->value[k] ? args->value[k] : "";
    }
    return NULL;
}

int vg_cli_given(const vgArgs *args, const char *option)
{
    int n = 0;
    while (vg_cli_nth(args, option, n)) n++;
    return n;
}

const char *vg_cli_value(const vgArgs *args, const char *option)
{
    return vg_cli_nth(args, option, vg_cli_given(args, option) - 1);
}

int vg_cli_number(const vgArgs *args, const char *option, double min, double *value)
{
    const char *text = vg_cli_value(args, option);
    if (!text) return 0;
    char *stop;
    double x = strtod(text, &stop);
    if (stop == text || *stop || !isfinite(x)) {
        vg_cli_wrong("--%s: '%s' is not a number", option, text);
        return -1;
    }
    if (x < min) {
        vg_cli_wrong("--%s: %s is too small (at least %g)", option, text, min);
        return -1;
    }
    *value = x;
    return 1;
}

int vg_cli_count(const vgArgs *args, const char *option, long min, long *value)
{
    const char *text = vg_cli_value(args, option);
    if (!text) return 0;
    char *stop;
    errno = 0;
    long n = strtol(text, &stop, 10);
    if (stop == text || *stop || errno || n < min || n > INT_MAX) {
        vg_cli_wrong("--%s: '%s' is not a whole number from %ld to %d", option, text, min, INT_MAX);
        return -1;
    }
    *value = n;
    return 1;
}

/* What the program has said so far. */
static struct {
    char complaint[1000];
    int answered; /* something was printed */
    int cut;      /* memory ran out while an answer was made: it was not printed */
    int starved;  /* memory ran out while something was read: that is not a fault of the input */
} said;

static const char starving[] = "out of memory";

static void complain(const char *text)
{
    size_t n = strlen(text), end = sizeof starving - 1;
    if (!said.complaint[0]) snprintf(said.complaint, sizeof said.complaint, "%s", text);
    if (n >= end && strcmp(text + n - end, starving) == 0) said.starved = 1;
}

int vg_cli_wrong(const char *format, ...)
{
    char text[1000];
    va_list rest;
    va_start(rest, format);
    vsnprintf(text, sizeof text, format, rest);
    va_end(rest);
    fprintf(stderr, "verge: error: %s\n", text);
    complain(text);
    return VG_EXIT_INPUT;
}

void vg_cli_say(const vgDiag *diag)
{
    for (int i = 0; i < vg_diag_count(diag); i++) {
        const char *line = vg_diag_line(diag, i);
        int bare = !strncmp(line, "error: ", 7); /* no place in a file */
        fprintf(stderr, "%s%s\n", bare || !strncmp(line, "warning: ", 9) ? "verge: " : "", line);
        if (strstr(line, "error: ")) complain(bare ? line + 7 : line);
    }
}

const char *vg_cli_complaint(void)
{
    return said.complaint;
}

void vg_cli_print(vgText *text)
{
    if (vg_text_ok(text)) {
        fwrite(vg_text_at(text), 1, text->used, stdout);
        said.answered = 1;
    } else {
        said.cut = 1;
    }
    vg_text_free(text);
}

void vg_cli_answer(vgJson *json)
{
    vg_text_put(&json->text, "\n", json->text.used && json->text.at[json->text.used - 1] != '\n');
    vg_cli_print(&json->text);
}

void vg_cli_status(vgJson *json, int good, const char *otherwise)
{
    if (!good && !said.complaint[0] && !otherwise) vg_cli_wrong("%s", vg_status_text(VG_NO_MEMORY));
    const char *error = said.complaint[0] ? said.complaint : otherwise;
    vg_json_text(json, "status", good ? "ok" : "failed");
    vg_json_text(json, "error", good ? NULL : error);
}

static void answer_failure(void)
{
    vgJson json = {.indent = 2};
    vg_json_open(&json, NULL, '{');
    vg_cli_status(&json, 0, NULL);
    vg_json_close(&json);
    vg_cli_answer(&json);
}

int vg_cli_write(const char *path, const char *text)
{
    int ok = vg_file_write(path, text, strlen(text));
    if (!ok) vg_cli_wrong("'%s' could not be written: %s", path, vg_file_why(errno));
    return ok;
}

int vg_cli_write_text(const char *path, const vgText *text)
{
    if (vg_text_ok(text)) return vg_cli_write(path, vg_text_at(text));
    vg_cli_wrong("'%s' is not written: %s", path, vg_status_text(VG_NO_MEMORY));
    return 0;
}

char **vg_cli_split(const char *text, int *n)
{
    size_t length = strlen(text), most = 1;
    for (const char *c = text; *c; c++) most += *c == ',';
    char **part = malloc(most * sizeof *part + length + 1);
    if (!part) return NULL;
    char *copy = memcpy((char *)(part + most), text, length + 1);
    *n = 0;
    for (char *at = copy, *next; at; at = next) {
        next = strchr(at, ',');
        if (next) *next++ = 0;
        while (*at == ' ') at++;
        size_t size = strlen(at);
        while (size && at[size - 1] == ' ') at[--size] = 0;
        if (size) part[(*n)++] = at;
    }
    return part;
}

/* ---- help ---- */

enum { LEFT = 28, LINE = 100 }; /* columns: of the left part of a row, of a line */

/* A character of several bytes (…) is one column wide. */
static int columns(const char *text, size_t bytes)
{
    int n = 0;
    for (size_t i = 0; i < bytes; i++) n += ((unsigned char)text[i] & 0xc0) != 0x80;
    return n;
}

/* Text up to its end or a line break, from column `at` on; what does not fit a line goes on below, at `indent`. Returns where
 * it ended. */
static const char *print_line(const char *text, int at, int indent)
{
    int first = 1;
    while (*text && *text != '\n') {
        size_t gap = strspn(text, " "), word = strcspn(text + gap, " \n");
        int wide = columns(text, gap + word);
        if (!first && at + wide > LINE) {
            printf("\n%*s", indent, "");
            at = indent;
            text += gap;
            wide -= (int)gap;
            gap = 0;
        }
        printf("%.*s", (int)(gap + word), text);
        at += wide;
        text += gap + word;
        first = 0;
    }
    putchar('\n');
    return *text ? text + 1 : text;
}

/* What is too long for the left part has a line of its own. */
static void print_row(const char *left, const char *right)
{
    int wide = columns(left, strlen(left));
    if (wide > LEFT)
        printf("  %s\n%*s", left, 3 + LEFT, "");
    else
        printf("  %s%*s ", left, LEFT - wide, "");
    print_line(right, 3 + LEFT, 3 + LEFT);
}

/* Lines as they are; those that are too long go on below, as far in as they begin. */
static void print_text(const char *text)
{
    while (*text) {
        int indent = (int)strspn(text, " ");
        text = print_line(text, 0, indent + 2 * (text[indent] == '-'));
    }
}

static void print_options(const vgOption *o)
{
    puts("\nOptions:");
    for (; o && o->name; o++) {
        char left[64];
        int n =
            snprintf(left, sizeof left, "--%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
        if (o->letter && n > 0 && n < 50) snprintf(left + n, sizeof left - (size_t)n, ", -%c", o->letter);
        print_row(left, o->doc);
    }
    print_row("--help, -h", "this text");
}

int vg_cli_help(const vgCommand *c)
{
    printf("verge %s — %s\n\nUsage: verge %s%s%s\n", c->name, c->doc, c->name, c->usage[0] ? " " : "",
           c->usage);
    if (c->more) putchar('\n'), print_text(c->more);
    print_options(c->options);
    printf("\nExample:\n%s", c->example);
    return VG_EXIT_OK;
}

/* ---- parsing ---- */

static const vgOption *find_option(const vgCommand *c, const char *name, size_t n)
{
    for (const vgOption *o = c->options; o && o->name; o++) {
        if (strlen(o->name) == n && strncmp(o->name, name, n) == 0) return o;
    }
    return NULL;
}

static const vgOption *find_letter(const vgCommand *c, char letter)
{
    for (const vgOption *o = c->options; o && o->name; o++) {
        if (o->letter == letter) return o;
    }
    return NULL;
}

static int unknown_option(const vgCommand *c, const char *given)
{
    const char *names[MAX_OPTIONS];
    int n = 0;
    for (const vgOption *o = c->options; o && o->name && n < MAX_OPTIONS - 1; o++) names[n++] = o->name;
    names[n++] = "help";
    char word[80];
    const char *start = given + strspn(given, "-");
    snprintf(word, sizeof word, "%.*s", (int)strcspn(start, "="), start);
    const char *near = vg_name_closest(word, names, n);
    if (near) return vg_cli_wrong("%s: unknown option %s; did you mean --%s?", c->name, given, near);
    return vg_cli_wrong("%s: unknown option %s; see verge %s --help", c->name, given, c->name);
}

/* Negative numbers are words, not options. */
static int is_option(const char *word)
{
    return word[0] == '-' && word[1] && !(word[1] >= '0' && word[1] <= '9') && word[1] != '.';
}

/* "page.html" ends as "[PAGE.html]" does. */
static int has_ending(const char *word, const char *optional)
{
    const char *dot = strrchr(word, '.'), *end = strrchr(optional, '.');
    size_t n = end ? strlen(end) - 1 : 0; /* without the bracket */
    return dot && end && strlen(dot) == n && strncmp(dot, end, n) == 0;
}

/* A value is given once; an option "P=VALUE …" once for each P. */
static int given_before(const vgArgs *args, const vgOption *o, const char *value)
{
    const char *blank = o->value ? strrchr(o->value, ' ') : NULL;
    size_t same = value && blank && strcmp(blank, " …") == 0 ? strcspn(value, "=") + 1 : 0;
    for (int k = 0; o->value && k < args->noption; k++) {
        const char *before = args->value[k] ? args->value[k] : "";
        if (args->option[k] == o && strncmp(before, value ? value : "", same) == 0)
            return vg_cli_wrong("%s: --%s is given twice, as '%s' and as '%s'", args->command->name, o->name,
                                before, value ? value : "");
    }
    return VG_EXIT_OK;
}

/* Takes argv[*i] (and its value) as an option. */
static int take_option(vgArgs *args, int argc, char **argv, int *i)
{
    const vgCommand *c = args->command;
    const char *given = argv[*i], *value = NULL;
    const vgOption *o;
    if (given[1] == '-') {
        size_t n = strcspn(given + 2, "=");
        o = find_option(c, given + 2, n);
        if (given[2 + n]) value = given + 2 + n + 1;
    } else {
        o = find_letter(c, given[1]);
        if (o && given[2]) value = o->value ? given + 2 : NULL;
        if (o && given[2] && !o->value) o = NULL;
    }
    if (!o) return unknown_option(c, given);
    if (!o->value && value) return vg_cli_wrong("%s: --%s takes no value", c->name, o->name);
    if (o->value && o->value[0] == '[') {
        if (!value && *i + 1 < argc && has_ending(argv[*i + 1], o->value)) value = argv[++*i];
    } else if (o->value && !value) {
        if (*i + 1 >= argc) return vg_cli_wrong("%s: --%s needs %s behind it", c->name, o->name, o->value);
        value = argv[++*i];
    }
    /* a variable of a script that is not set should not mean the default */
    if (value && !*value && strcmp(o->name, "title"))
        return vg_cli_wrong("%s: --%s needs %s, and what stands behind it is empty", c->name, o->name,
                            o->value);
    int wrong = given_before(args, o, value);
    if (wrong) return wrong;
    args->option[args->noption] = o;
    args->value[args->noption++] = value;
    return VG_EXIT_OK;
}

static int parse(vgArgs *args, int argc, char **argv)
{
    const vgCommand *c = args->command;
    for (int i = 0, rest = 0; i < argc; i++) {
        if (!rest && strcmp(argv[i], "--") == 0) {
            rest = 1;
        } else if (!rest && is_option(argv[i])) {
            int wrong = take_option(args, argc, argv, &i);
            if (wrong) return wrong;
        } else {
            args->word[args->nword++] = argv[i];
        }
    }
    if (args->nword < c->min) return vg_cli_wrong("%s: usage: verge %s %s", c->name, c->name, c->usage);
    if (c->max >= 0 && args->nword > c->max) {
        return vg_cli_wrong("%s: '%s' is one word too many; usage: verge %s %s", c->name, args->word[c->max],
                            c->name, c->usage);
    }
    return VG_EXIT_OK;
}

/* Whether a switch stands anywhere before a bare --, whatever else may be wrong. */
static int stands(const char *word, int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], word) == 0) return 1;
    }
    return 0;
}

/* Options that name a file to write. */
static int writes(const vgOption *o)
{
    static const char *const files[] = {"output", "csv",  "save-state", "summary", "page",
                                        "view",   "gltf", "mcap",       "vtk"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (strcmp(o->name, files[i]) == 0) return 1;
    return 0;
}

/* Whether two names are the same file, or will be. */
static int same_file(const char *a, const char *b)
{
    if (strcmp(a, b) == 0) return 1;
    char *x = vg_os_real_path(a), *y = x ? vg_os_real_path(b) : NULL;
    int same = y && strcmp(x, y) == 0;
    free(x);
    free(y);
    return same;
}

/* What option i would write is not what the command reads, nor what another option writes: it would be lost. A state may
 * take the place of the one from which the run went on. */
static int check_clash(const vgArgs *args, int i)
{
    const char *name = args->option[i]->name, *path = args->value[i];
    for (int k = 0; k < args->nword; k++)
        if (same_file(path, args->word[k]))
            return vg_cli_wrong("--%s: '%s' is what is read, and would be lost; give another name", name,
                                path);
    for (int k = 0; k < args->noption; k++) {
        const vgOption *o = args->option[k];
        if (k == i || !args->value[k] || o == args->option[i] || !same_file(path, args->value[k])) continue;
        if (strcmp(name, "save-state") == 0 && strcmp(o->name, "resume") == 0) continue;
        return vg_cli_wrong(
            "--%s: '%s' is the file of --%s, too, and one of them would be lost; give another name", name,
            path, o->name);
    }
    return VG_EXIT_OK;
}

int vg_cli_reads(const vgArgs *args, const char *path)
{
    for (int i = 0; i < args->noption; i++) {
        const char *to = args->value[i];
        if (to && writes(args->option[i]) && same_file(to, path))
            return vg_cli_wrong("--%s: '%s' is read by the model, and would be lost; give another name",
                                args->option[i]->name, to);
    }
    return VG_EXIT_OK;
}

/* Files to write that cannot be written are found before the work that goes into them. */
static int check_outputs(const vgArgs *args)
{
    for (int i = 0; i < args->noption; i++) {
        const char *name = args->option[i]->name, *path = args->value[i];
        if (!path || !path[0] || !writes(args->option[i])) continue;
        int misnamed = 0;
        const char *why = vg_file_unwritable(path, &misnamed);
        if (why) vg_cli_wrong("--%s: '%s' cannot be written: %s", name, path, why);
        if (why) return misnamed ? VG_EXIT_INPUT : VG_EXIT_FAILED;
        int code = check_clash(args, i);
        if (code != VG_EXIT_OK) return code;
    }
    return VG_EXIT_OK;
}

int vg_cli_run(const vgCommand *c, int argc, char **argv)
{
    if (stands("--help", argc, argv) || stands("-h", argc, argv)) return vg_cli_help(c);
    vgArgs args = {.command = c, .argc = argc, .argv = argv};
    size_t n = (size_t)argc + 1;
    args.word = calloc(n, sizeof *args.word);
    args.option = calloc(n, sizeof *args.option);
    args.value = calloc(n, sizeof *args.value);
    int code = VG_EXIT_FAILED;
    if (args.word && args.option && args.value) {
        code = parse(&args, argc, argv);
        if (code == VG_EXIT_OK) code = check_outputs(&args);
        if (code == VG_EXIT_OK) code = c->run(&args);
    }
    free(args.word);
    free(args.option);
    free(args.value);
    if (said.cut) {
        vg_cli_wrong("%s", vg_status_text(VG_NO_MEMORY));
        code = VG_EXIT_FAILED;
    }
    if (code == VG_EXIT_FAILED && !said.answered && !said.complaint[0])
        vg_cli_wrong("%s", vg_status_text(VG_NO_MEMORY));
    if (code != VG_EXIT_OK && !said.answered && find_option(c, "json", 4) && stands("--json", argc, argv))
        answer_failure();
    return vg_cli_end(code);
}

int vg_cli_end(int code)
{
    static int told; /* once is enough */
    int before = ferror(stdout), why = fflush(stdout) != 0 ? errno : before ? EIO : 0;
    if (code == VG_EXIT_INPUT && said.starved) code = VG_EXIT_FAILED;
    if (!why) return code;
    if (!told++) vg_cli_wrong("the answer could not be written to stdout: %s", vg_file_why(why));
    return code == VG_EXIT_OK ? VG_EXIT_FAILED : code;
}

void vg_cli_prepare(void)
{
    vg_os_prepare();
}
