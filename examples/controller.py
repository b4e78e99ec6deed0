"""A controller beside a running model: holds the arm of docs/realtime.md at 0.5 rad over UDP.

    verge realtime arm.yaml --rate 1000 --duration 0 --udp-out 5005 --udp-in 5006 &
    python3 examples/controller.py 5005 5006

Ends when no frame has come for two seconds.
"""
import json
import socket
import struct
import sys

port_of_frames, port_of_inputs = int(sys.argv[1]), int(sys.argv[2])
link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
link.bind(("127.0.0.1", port_of_frames))
link.settimeout(2)
names, answered, last = None, 0, 0
try:
    while True:
        datagram = link.recv(65536)
        if datagram[:1] == b"{":  # the names, first and about once a second
            names = json.loads(datagram)["channels"]
        elif names:
            step, t = struct.unpack_from("=Qd", datagram, 8)
            if step < last:  # overtaken by a newer one
                continue
            last = step
            value = dict(zip(names, struct.unpack_from(f"={len(names)}d", datagram, 24)))
            torque = 40 * (0.5 - value["joint.hinge.angle"]) - 8 * value["joint.hinge.rate"]
            link.sendto(f"torque={torque!r}".encode(), ("127.0.0.1", port_of_inputs))
            answered += 1
except socket.timeout:
    print(f"{answered} frames answered")
