#include "base/file.h"
#include "cli/realtime/udp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/cli.h"
#include "io/json.h"

enum {
    HEAD = 3,       /* words before the channels */
    MOST = 65507,   /* bytes of a datagram */
    AT_ONCE = 16,   /* datagrams taken before a step */
    TEXT = 2048,    /* their length */
    PATIENCE = 5000 /* with another who reads them, ns */
};

static struct sockaddr_in here(long port)
{
    struct sockaddr_in a;
    memset(&a, 0, sizeof a);
    a.sin_family = AF_INET;
    a.sin_port = htons((uint16_t)port);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return a;
}

static int socket_without_waiting(void)
{
    int s = socket(AF_INET, SOCK_DGRAM, 0);
    if (s >= 0 && fcntl(s, F_SETFL, O_NONBLOCK) < 0) {
        close(s);
        s = -1;
    }
    return s;
}

/* What nobody will read must not fill memory. */
static void open_sink(vgUdp *udp)
{
    struct sockaddr_in a = here(0);
    socklen_t n = sizeof a;
    int least = 0;
    udp->sink = socket_without_waiting();
    if (udp->sink < 0) return;
    setsockopt(udp->sink, SOL_SOCKET, SO_RCVBUF, &least, sizeof least);
    if (bind(udp->sink, (struct sockaddr *)&a, n) == 0 &&
        getsockname(udp->sink, (struct sockaddr *)&a, &n) == 0)
        udp->port_sink = ntohs(a.sin_port);
}

int vg_udp_open(vgUdp *udp, long port_out, long port_in)
{
    udp->out = udp->in = udp->sink = -1;
    udp->port_out = (int)port_out;
    if (port_out > 65535) return vg_cli_wrong("--udp-out: there is no port %ld", port_out);
    if (port_in > 65535) return vg_cli_wrong("--udp-in: there is no port %ld", port_in);
    if (port_out > 0 && (udp->out = socket_without_waiting()) < 0)
        return vg_cli_wrong("--udp-out: %s", vg_file_why(errno));
    if (port_out > 0) open_sink(udp);
    if (port_in > 0) {
        struct sockaddr_in a = here(port_in);
        udp->in = socket_without_waiting();
        if (udp->in < 0 || bind(udp->in, (struct sockaddr *)&a, sizeof a) < 0)
            return vg_cli_wrong("--udp-in: port %ld: %s", port_in, vg_file_why(errno));
    }
    return VG_EXIT_OK;
}

static void texts(vgJson *json, const char *key, int n, const char *const *text)
{
    vg_json_open(json, key, '[');
    for (int i = 0; i < n; i++) vg_json_text(json, NULL, text[i]);
    vg_json_close(json);
}

int vg_udp_describe(vgUdp *udp, const vgModel *m, const vgChannels *channels, const vgInputs *inputs,
                    const vgState *state, double rate)
{
    udp->input = calloc(2 * (size_t)inputs->n + 1, sizeof *udp->input);
    if (!udp->input) return VG_EXIT_FAILED;
    udp->ninput = inputs->n;
    for (int i = 0; i < inputs->n; i++) udp->input[i] = vg_inputs_get(inputs, state, i);
    if (udp->out < 0) return VG_EXIT_OK;
    udp->nchannel = vg_channels_count(channels);
    udp->npose = vg_poses_count(m);
    udp->every = rate > 1 ? (long)rate : 1;
    udp->nframe = HEAD + udp->nchannel + 7 * udp->npose;
    vgJson json = {0};
    vg_json_open(&json, NULL, '{');
    vg_json_text(&json, "verge", "realtime");
    vg_json_number(&json, "rate", rate);
    texts(&json, "channels", udp->nchannel, vg_channels_names(channels));
    texts(&json, "units", udp->nchannel, vg_channels_units(channels));
    vg_json_open(&json, "bodies", '[');
    for (int i = 0; i < m->nbody; i++)
        if (vg_poses_visible(m, i)) vg_json_text(&json, NULL, m->body[i].name);
    vg_json_close(&json);
    texts(&json, "inputs", inputs->n, inputs->name);
    vg_json_close(&json);
    udp->nhead = strlen(vg_json_at(&json));
    udp->head = malloc(udp->nhead + 1);
    if (udp->head) memcpy(udp->head, vg_json_at(&json), udp->nhead + 1);
    vg_json_free(&json);
    if (!udp->head) return VG_EXIT_FAILED;
    if ((size_t)udp->nframe * sizeof(double) > MOST || udp->nhead > MOST)
        return vg_cli_wrong("--udp-out: %d channels and %d bodies do not fit into a datagram", udp->nchannel,
                            udp->npose);
    return VG_EXIT_OK;
}

static int put_to(const vgUdp *udp, int port, const void *bytes, size_t n)
{
    struct sockaddr_in to = here(port);
    return sendto(udp->out, bytes, n, 0, (struct sockaddr *)&to, sizeof to) == (ssize_t)n;
}

static void put(vgUdp *udp, const void *bytes, size_t n)
{
    if (put_to(udp, udp->port_out, bytes, n))
        udp->sent++;
    else
        udp->lost++;
}

void vg_udp_frame(const vgUdp *udp, vgChannels *channels, const double *values, const vgState *state,
                  double *frame)
{
    uint64_t step = (uint64_t)state->step;
    if (udp->out < 0) return;
    memcpy(frame, "VGRT0001", 8);
    memcpy(frame + 1, &step, sizeof step);
    frame[2] = state->t;
    if (udp->nchannel) memcpy(frame + HEAD, values, (size_t)udp->nchannel * sizeof *values);
    vg_poses_eval(vg_channels_probe(channels), frame + HEAD + udp->nchannel);
}

void vg_udp_send(vgUdp *udp, const double *frame)
{
    uint64_t step;
    if (udp->out < 0) return;
    memcpy(&step, frame + 1, sizeof step);
    if ((step - 1) % (uint64_t)udp->every == 0) put(udp, udp->head, udp->nhead);
    put(udp, frame, (size_t)udp->nframe * sizeof *frame);
}

void vg_udp_warm(vgUdp *udp, const double *frame)
{
    if (udp->port_sink > 0) put_to(udp, udp->port_sink, frame, (size_t)udp->nframe * sizeof *frame);
}

/* One "NAME=VALUE" of n letters; the letter behind it ends a number. */
static int assign(const vgInputs *inputs, _Atomic double *input, const char *word, size_t n)
{
    const char *equal = memchr(word, '=', n);
    char *end;
    if (!equal || equal == word || equal + 1 == word + n) return 0;
    int i = vg_inputs_find(inputs, word, (size_t)(equal - word));
    double value = strtod(equal + 1, &end);
    if (i < 0 || end != word + n || !isfinite(value)) return 0;
    input[i] = value;
    return 1;
}

/* Into the half that nobody looks at; then everybody does. */
static void read_datagrams(vgUdp *udp, const vgInputs *inputs)
{
    static const char blanks[] = " \t\r\n";
    char text[TEXT];
    unsigned long version = udp->version;
    const _Atomic double *last = udp->input + version % 2 * (unsigned long)udp->ninput;
    _Atomic double *input = udp->input + (version + 1) % 2 * (unsigned long)udp->ninput;
    long taken = 0;
    for (int i = 0; i < udp->ninput; i++) input[i] = last[i];
    for (int k = 0; k < AT_ONCE; k++) {
        ssize_t n = recv(udp->in, text, sizeof text - 1, MSG_TRUNC);
        if (n < 0) break;
        if (n >= TEXT) {
            udp->refused++;
            continue;
        }
        text[n] = 0;
        for (const char *at = text + strspn(text, blanks); *at; at += strspn(at, blanks)) {
            size_t length = strcspn(at, blanks);
            if (assign(inputs, input, at, length))
                taken++;
            else
                udp->refused++;
            at += length;
        }
    }
    udp->taken += taken;
    if (taken > 0) udp->version = version + 1;
}

void vg_udp_take(vgUdp *udp, const vgInputs *inputs, double *values)
{
    if (udp->in >= 0) {
        long long patience = 0;
        int mine;
        while (!(mine = !atomic_flag_test_and_set_explicit(&udp->reading, memory_order_acquire))) {
            long long now = vg_realtime_clock();
            if (patience == 0) patience = now + PATIENCE;
            if (now > patience) break;
        }
        if (mine) {
            read_datagrams(udp, inputs);
            atomic_flag_clear_explicit(&udp->reading, memory_order_release);
        }
    }
    unsigned long version;
    do { /* again if it has changed meanwhile: the half may be written to */
        version = udp->version;
        const _Atomic double *input = udp->input + version % 2 * (unsigned long)udp->ninput;
        for (int i = 0; i < udp->ninput; i++) values[i] = input[i];
    } while (udp->version != version);
}

void vg_udp_close(vgUdp *udp)
{
    if (udp->out >= 0) close(udp->out);
    if (udp->in >= 0) close(udp->in);
    if (udp->sink >= 0) close(udp->sink);
    free(udp->head);
    free((void *)udp->input);
}
