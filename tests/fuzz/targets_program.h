/* Further targets of targets.h: laws, checkpoints, and what the program takes from outside: its words, requests and datagrams. */
#ifndef TESTS_FUZZ_TARGETS_PROGRAM_H
#define TESTS_FUZZ_TARGETS_PROGRAM_H

#include <arpa/inet.h>
#include <math.h>
#include <sys/socket.h>

#include "analysis/study/quantity.h"
#include "analysis/study/sample.h"
#include "base/names.h"
#include "cli/cli.h"
#include "cli/page/serve.h"
#include "cli/realtime/udp.h"
#include "element/law/expr.h"
#include "targets.h"

/* ---- laws ---- */

static int fuzz_input(void *user, const char *dotted, int *slot)
{
    (void)user;
    *slot = 1 + (dotted[0] & 3);
    return dotted[0] >= 'j'; /* joint.… and later letters are known */
}

/* A law: compiled, evaluated with derivatives, its corners found. */
static inline void fuzz_expr(const uint8_t *bytes, size_t n)
{
    char *text = malloc(n + 1);
    vgDiag *diag = vg_diag_new();
    if (!text || !diag) return;
    memcpy(text, bytes, n);
    text[n] = 0;
    vgExprScope scope = {.input = fuzz_input, .diag = diag, .loc = {vg_diag_file(diag, "fuzz"), 1, 1}};
    vgExpr *e = vg_expr_compile(text, &scope);
    fuzz_promise(e || vg_diag_errors(diag) == 1, "a law or one error");
    fuzz_errors_have_places(diag);
    if (e) {
        double in[VG_EXPR_MAX_INPUTS], rate[VG_EXPR_MAX_INPUTS], grad[VG_EXPR_MAX_INPUTS], out[3], at[16];
        for (int i = 0; i < VG_EXPR_MAX_INPUTS; i++) in[i] = 0.3 * i, rate[i] = 1 - 0.1 * i;
        double value = vg_expr_value(e, in), with = vg_expr_grad(e, in, grad);
        fuzz_promise(memcmp(&value, &with, sizeof value) == 0 || (isnan(value) && isnan(with)),
                     "one value with and without derivatives");
        vg_expr_taylor2(e, in, rate, in, out);
        vg_expr_switches(e, in, at, 16);
        int corners = vg_expr_corners(e, 0, 1, at, 16);
        for (int i = 1; i < corners; i++) fuzz_promise(at[i] > at[i - 1], "corners ascend");
    }
    vg_expr_free(e);
    vg_diag_free(diag);
    free(text);
}

/* ---- studies ---- */

/* A plan and quantities, a line each: --vary, --vary, --sample, --keep. */
static inline void fuzz_plan(const uint8_t *bytes, size_t n)
{
    char *copy = malloc(n + 1), *line[4] = {"", "", "", ""};
    vgDiag *diag = vg_diag_new();
    vgPlan plan = {0};
    vgQuantities *quantities = NULL;
    if (!copy || !diag) return;
    memcpy(copy, bytes, n);
    copy[n] = 0;
    char *at = copy;
    for (int i = 0; i < 4 && at; i++) {
        line[i] = at;
        at = strchr(at, '\n');
        if (at) *at++ = 0;
    }
    vgStatus status = vg_plan_vary(&plan, line[0], diag);
    if (status == VG_OK && line[1][0]) status = vg_plan_vary(&plan, line[1], diag);
    if (status == VG_OK) status = vg_plan_rule(&plan, line[2][0] ? line[2] : NULL, 1, diag);
    fuzz_promise(status == VG_OK || vg_diag_errors(diag) > 0, "a plan that is refused has words");
    for (long k = 0; status == VG_OK && k < 3 && k < plan.runs; k++) {
        double value[VG_PLAN_PARAMETERS];
        vg_plan_values(&plan, plan.runs - 1 - k, value);
        for (int i = 0; i < plan.naxis; i++) fuzz_promise(isfinite(value[i]), "values are finite");
    }
    vg_diag_clear(diag);
    const char *one = line[3];
    status = vg_quantities_new(&one, 1, diag, &quantities);
    fuzz_promise(status == VG_OK || vg_diag_errors(diag) > 0, "a quantity that is refused has words");
    vg_quantities_free(quantities);
    vg_plan_free(&plan);
    vg_diag_free(diag);
    free(copy);
}

/* ---- checkpoints ---- */

/* A state of a pendulum: taken, or refused in words with the simulation as it was. The first byte may say that the rest
 * is a change of a good one: pairs of a place and a value. */
static inline void fuzz_state(const uint8_t *bytes, size_t n)
{
    static const char text[] =
        "verge: 1\nbodies: {rod: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.2, 0.2]}}\n"
        "joints: {O: {revolute: [ground, rod], axis: y}}\nrun: {step: 1e-3, end: 1}\n";
    vgModel *model = vg_parse(text, sizeof text - 1, "fuzz", NULL, NULL);
    vgSim *sim = NULL;
    if (model && vg_sim_new(model, NULL, NULL, &sim) == VG_OK && vg_sim_step(sim, 1e-3) == VG_OK) {
        size_t size = vg_sim_checkpoint_size(sim);
        unsigned char *good = malloc(size), *tried = malloc(size), *after = malloc(size);
        if (good && tried && after && vg_sim_save(sim, good, size) == VG_OK) {
            memcpy(tried, good, size);
            int changes = n > 0 && bytes[0] == 'c';
            for (size_t i = 1; changes && i + 2 < n; i += 3)
                tried[(bytes[i] | (size_t)bytes[i + 1] << 8) % size] = bytes[i + 2];
            vgStatus st = changes ? vg_sim_restore(sim, tried, size) : vg_sim_restore(sim, bytes, n);
            fuzz_promise(st == VG_OK || vg_sim_error(sim)[0], "a state that is refused has words");
            fuzz_promise(st != VG_OK || memcmp(tried, good, size) == 0, "a changed state is refused");
            fuzz_promise(vg_sim_save(sim, after, size) == VG_OK && memcmp(after, good, size) == 0,
                         "the simulation is as it was");
        }
        free(good), free(tried), free(after);
    }
    vg_sim_free(sim);
    vg_model_free(model);
}

/* ---- the command line ---- */

extern const vgCommand vg_cmd_run, vg_cmd_studio, vg_cmd_realtime, vg_cmd_equilibrium, vg_cmd_modes,
    vg_cmd_linearize, vg_cmd_inverse, vg_cmd_reduce, vg_cmd_check, vg_cmd_list, vg_cmd_plot, vg_cmd_view,
    vg_cmd_spectrum, vg_cmd_converge, vg_cmd_compare, vg_cmd_advise;
/* in place of the program's list, whose main() is not linked */
const vgCommand *const vg_commands[] = {&vg_cmd_run,
                                        &vg_cmd_studio,
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
                                        NULL};

static const vgCommand *fuzz_command;

/* Asks for everything that a command could ask for. */
static int fuzz_ask(const vgArgs *args)
{
    for (const vgOption *o = fuzz_command->options; o && o->name; o++) {
        double x = 0;
        long k = 0;
        int n = 0, given = vg_cli_given(args, o->name);
        for (int i = 0; i < given; i++)
            fuzz_promise(vg_cli_nth(args, o->name, i) != NULL, "as many as given");
        const char *value = vg_cli_value(args, o->name);
        fuzz_promise((value != NULL) == (given > 0), "a value where one was given");
        if (vg_cli_number(args, o->name, 0, &x) == 1)
            fuzz_promise(isfinite(x) && x >= 0, "a number in range");
        if (vg_cli_count(args, o->name, 1, &k) == 1) fuzz_promise(k >= 1, "a count in range");
        char **part = value ? vg_cli_split(value, &n) : NULL;
        for (int i = 0; part && i < n; i++) fuzz_promise(part[i][0] != 0, "parts are not empty");
        free(part);
    }
    for (int i = 0; i < vg_cli_words(args); i++) fuzz_promise(vg_cli_word(args, i) != NULL, "a word");
    return VG_EXIT_OK;
}

/* Words a line each; the first byte chooses the command. Nothing is computed and nothing is written. */
static inline void fuzz_line(const uint8_t *bytes, size_t n)
{
    enum { WORDS = 40 };
    char *copy = malloc(n + 1), *word[WORDS + 1];
    int count = 0, commands = 0;
    if (!copy || n == 0) {
        free(copy);
        return;
    }
    memcpy(copy, bytes + 1, n - 1);
    copy[n - 1] = 0;
    for (char *at = copy; at && count < WORDS;) {
        word[count++] = at;
        at = strchr(at, '\n');
        if (at) *at++ = 0;
    }
    word[count] = NULL;
    while (vg_commands[commands]) commands++;
    vgCommand c = *vg_commands[bytes[0] % commands];
    c.run = fuzz_ask;
    fuzz_command = &c;
    int code = vg_cli_run(&c, count, word);
    fuzz_promise(code >= VG_EXIT_OK && code <= VG_EXIT_INPUT, "an exit code of the list");
    free(copy);
}

/* ---- requests ---- */

static void fuzz_handler(void *user, const vgRequest *request, vgReply *reply)
{
    (void)user;
    fuzz_promise(strlen(request->path) < 1 << 20 && request->body[request->size] == 0,
                 "a body ends with a zero");
    const char *name = vg_request_query(request, "name");
    vg_text_add(&reply->text, "%s %s %s %zu", request->method, request->path, name ? name : "-",
                request->size);
}

/* The bytes as they come over the wire; @ stands for the port and $ for the token, so that some get in. */
static inline void fuzz_http(const uint8_t *bytes, size_t n)
{
    static vgServe *serve;
    const char *why = "";
    if (!serve) serve = vg_serve_start(0, fuzz_handler, NULL, &why);
    if (!serve) return; /* no libmicrohttpd here */
    vgText text = {0};
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] == '@')
            vg_text_add(&text, "%d", vg_serve_port(serve));
        else if (bytes[i] == '$')
            vg_text_add(&text, "%s", vg_serve_token(serve));
        else
            vg_text_put(&text, (const char *)bytes + i, 1);
    }
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)vg_serve_port(serve))};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (s >= 0 && connect(s, (struct sockaddr *)&to, sizeof to) == 0) {
        char answer[4096];
        size_t sent = text.used ? (size_t)(send(s, text.at, text.used, MSG_NOSIGNAL) > 0) : 0;
        shutdown(s, SHUT_WR);
        while (sent && recv(s, answer, sizeof answer, 0) > 0) continue;
    }
    if (s >= 0) close(s);
    vg_text_free(&text);
}

/* ---- datagrams ---- */

/* One datagram for a model with two inputs: what is taken is finite. */
static inline void fuzz_udp(const uint8_t *bytes, size_t n)
{
    static const char *names[] = {"force", "brake"};
    static int slots[] = {0, 1};
    static vgUdp udp = {.in = -1};
    static const vgInputs inputs = {2, names, slots};
    static struct sockaddr_in to;
    static int from = -1;
    if (udp.in < 0) {
        static _Atomic double room[5];
        udp = (vgUdp){.out = -1, .in = -1, .sink = -1, .ninput = 2, .input = room};
        long port = 20000 + getpid() % 20000;
        while (port < 60000 && udp.in < 0) {
            int s = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
            to = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port++)};
            to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            if (s >= 0 && bind(s, (struct sockaddr *)&to, sizeof to) == 0)
                udp.in = s;
            else
                close(s);
        }
        from = socket(AF_INET, SOCK_DGRAM, 0);
        if (udp.in < 0 || from < 0) return;
    }
    double value[2];
    if (n > 65000 || sendto(from, bytes, n, 0, (struct sockaddr *)&to, sizeof to) < 0) return;
    vg_udp_take(&udp, &inputs, value);
    fuzz_promise(isfinite(value[0]) && isfinite(value[1]), "inputs are finite");
}

#endif
