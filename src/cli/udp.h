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

#include <stddef.h>

#include "analysis/channels.h"
#include "analysis/realtime.h"

typedef struct vgUdp {
    int out, in; /* sockets, −1: none */
    int port_out;
    char *head; /* the JSON datagram */
    size_t nhead;
    double *frame; /* the whole datagram */
    int nchannel, npose;
    long every; /* frames between two heads */
    long sent, lost, taken, refused;
} vgUdp;

/* Ports 1 … 65535, 0: none of that. Exit codes; messages are said. */
int vg_udp_open(vgUdp *udp, long port_out, long port_in);
/* What frames will hold. */
int vg_udp_describe(vgUdp *udp, const vgModel *model, const vgChannels *channels, const vgInputs *inputs,
                    double rate);
/* Neither waits nor allocates. channels: what vg_channels_eval gave last. */
void vg_udp_send(vgUdp *udp, vgChannels *channels, const double *values, const vgState *state);
void vg_udp_take(vgUdp *udp, const vgInputs *inputs, vgState *state);
void vg_udp_close(vgUdp *udp);

#endif
