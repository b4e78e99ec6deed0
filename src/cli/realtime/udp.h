/* Datagrams to and from programs on this machine: frames of a run out, named numbers in.
 *
 * Out: a frame per step in the machine's byte order, 8-byte aligned:
 *     char[8] "VGRT0001", uint64 step, double time, double channel[n], double pose[m][7]
 * (pose: x y z of the body's own origin, quaternion w x y z). A datagram that begins with '{' is JSON and
 * names channels, units, bodies and inputs; it is sent first and once in about a second.
 * In: text, "NAME=VALUE" separated by blanks or line ends; what is not of that form, has no finite value or
 * no such input is counted and left aside. */
#ifndef VG_CLI_UDP_H
#define VG_CLI_UDP_H

#include <stdatomic.h>
#include <stddef.h>

#include "analysis/channels/channels.h"
#include "analysis/realtime/realtime.h"

/* May be used by several threads at once, each with a frame of its own. */
typedef struct vgUdp {
    int out, in; /* sockets, −1: none */
    int port_out;
    int sink; /* a socket that nobody reads, and its port */
    int port_sink;
    char *head; /* the JSON datagram */
    size_t nhead;
    int nchannel, npose;
    int nframe; /* doubles of a frame, 0: none is sent */
    long every; /* frames between two heads */
    atomic_long sent, lost, taken, refused;
    int ninput;
    _Atomic double *input; /* 2 × ninput: what was taken last is in the half version % 2 */
    atomic_ulong version;
    atomic_flag reading; /* somebody takes inputs at this moment */
} vgUdp;

/* Ports 1 … 65535, 0: none of that. Exit codes; messages are said. */
int vg_udp_open(vgUdp *udp, long port_out, long port_in);
/* What frames will hold; where inputs begin. */
int vg_udp_describe(vgUdp *udp, const vgModel *model, const vgChannels *channels, const vgInputs *inputs,
                    const vgState *state, double rate);
/* Neither waits nor allocates. channels: what vg_channels_eval gave last; frame: nframe numbers. */
void vg_udp_frame(const vgUdp *udp, vgChannels *channels, const double *values, const vgState *state,
                  double *frame);
void vg_udp_send(vgUdp *udp, const double *frame);
void vg_udp_warm(vgUdp *udp, const double *frame); /* the same to nobody, for the caches */
/* values: the inputs, all words of a datagram or none. Datagrams are read by one at a time, so that an older
 * one never comes after a newer. Is another at it, waits for it a few µs, then goes without: who stands still
 * while reading holds up nobody. */
void vg_udp_take(vgUdp *udp, const vgInputs *inputs, double *values);
void vg_udp_close(vgUdp *udp);

#endif
