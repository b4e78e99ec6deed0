"""verge export: what other programs read must be the motion. A body that flies and spins freely has a closed form; beams end where
their joint says. The formats are read here by their standards alone."""
import csv
import json
import math
import os
import pathlib
import struct
import subprocess
import tempfile
import xml.etree.ElementTree as xml

EXE = os.environ["VERGE_EXE"]
SOURCE = pathlib.Path(os.environ["VERGE_SOURCE_DIR"])
SPEED, SPIN = 2.0, 3.0
FLIGHT = f"""verge: 1
title: Flight
gravity: [0, 0, 0]
bodies:
  stone: {{mass: 1, inertia: [1, 1, 1], velocity: [{SPEED}, 0, 0], omega: [0, 0, {SPIN}], shape: {{box: [0.2, 0.1, 0.05]}}}}
run: {{step: 0.01, end: 2}}
record: [body.stone.position, energy.total]
"""
problems = []


def check(good, text):
    if not good:
        problems.append(str(text))


def verge(*words):
    return subprocess.run([EXE, *map(str, words)], capture_output=True, text=True, timeout=600)


class Glb:
    """Binary glTF: the document, and numbers of its accessors."""

    def __init__(self, path):
        data = path.read_bytes()
        mark, version, size = struct.unpack_from("<4sII", data)
        check(mark == b"glTF" and version == 2 and size == len(data), "header")
        length, kind = struct.unpack_from("<I4s", data, 12)
        self.document = json.loads(data[20:20 + length])
        binary, kind2 = struct.unpack_from("<I4s", data, 20 + length)
        check(kind == b"JSON" and kind2 == b"BIN\0" and 28 + length + binary == size, "chunks")
        self.bytes = data[28 + length:]

    def numbers(self, index):
        accessor = self.document["accessors"][index]
        view = self.document["bufferViews"][accessor["bufferView"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        flat = struct.unpack_from(f"<{accessor['count'] * width}f", self.bytes, view["byteOffset"])
        return [flat[i:i + width] for i in range(0, len(flat), width)]

    def motion(self, name, path):
        """Times and values of a node's channel."""
        node = next(i for i, n in enumerate(self.document["nodes"]) if n.get("name") == name)
        animation = self.document["animations"][0]
        channel = next(c for c in animation["channels"] if c["target"] == {"node": node, "path": path})
        sampler = animation["samplers"][channel["sampler"]]
        return [t for (t,) in self.numbers(sampler["input"])], self.numbers(sampler["output"])


def mcap_messages(path):
    """(topic, time, object) of all messages, from the start; the summary must agree."""
    data, at, topics, found = path.read_bytes(), 8, {}, []
    magic = b"\x89MCAP0\r\n"
    check(data.startswith(magic) and data.endswith(magic), "magic")
    text = lambda d, k: (d[k + 4:k + 4 + struct.unpack_from("<I", d, k)[0]].decode(), k + 4 + struct.unpack_from("<I", d, k)[0])

    def records(block, start, end):
        while start < end:
            opcode, size = struct.unpack_from("<BQ", block, start)
            yield opcode, block[start + 9:start + 9 + size], start
            start += 9 + size

    chunks, indexed, counted = {}, set(), None
    for opcode, content, place in records(data, at, len(data) - 8):
        if opcode == 4:
            number, _ = struct.unpack_from("<HH", content)
            topics[number] = text(content, 4)[0]
        elif opcode == 6:
            first, last, size = struct.unpack_from("<QQQ", content)
            compression, k = text(content, 28)
            check(compression == "" and struct.unpack_from("<Q", content, k)[0] == size == len(content) - k - 8, "chunk")
            chunks[place] = (first, last)
            inner = content[k + 8:]
            for code, message, _ in records(inner, 0, len(inner)):
                check(code == 5, "only messages in chunks")
                number, _, log_time = struct.unpack_from("<HIQ", message)
                check(first <= log_time <= last, "times of the chunk")
                found.append((topics[number], log_time / 1e9, json.loads(message[22:])))
        elif opcode == 8:
            first, last, offset = struct.unpack_from("<QQQ", content)
            check(chunks.get(offset) == (first, last), "the index leads to a chunk")
            indexed.add(offset)
        elif opcode == 0x0b:
            counted = struct.unpack_from("<Q", content)[0]
    check(indexed == set(chunks) and counted == len(found), f"summary: {counted} of {len(found)}")
    return found


def flight(folder):
    model = folder / "flight.yaml"
    model.write_text(FLIGHT)
    h5 = folder / "flight.h5"
    check(verge("run", model, "-o", h5, "-q").returncode == 0, "run")
    done = verge("export", h5, "--gltf", "--mcap", folder / "named.mcap", "--csv", "--frames", 41, "--json")
    said = json.loads(done.stdout)
    check(done.returncode == 0 and [f["format"] for f in said["files"]] == ["gltf", "mcap", "csv"], done)
    glb = Glb(folder / "flight.glb")
    time, at = glb.motion("stone", "translation")
    check(len(time) == 41 and time[0] == 0 and abs(time[-1] - 2) < 1e-6 and sorted(set(time)) == time, "times")
    for t, (x, y, z) in zip(time, at):
        check(abs(x - SPEED * t) < 1e-5 and y == z == 0, f"position at {t}: {x}, {y}, {z}")
    before = None
    for t, q in zip(*glb.motion("stone", "rotation")):
        half = SPIN * t / 2
        check(abs(abs(q[2] * math.sin(half) + q[3] * math.cos(half)) - 1) < 1e-6, f"rotation at {t}: {q}")
        check(abs(sum(x * x for x in q) - 1) < 1e-6, "of length one")
        check(before is None or sum(a * b for a, b in zip(q, before)) > 0, "the shorter way")
        before = q
    document = glb.document
    top = document["nodes"][document["scenes"][0]["nodes"][0]]
    check(top["name"] == "Flight" and abs(top["rotation"][0] + math.sqrt(0.5)) < 1e-12, "z is up")
    box = document["accessors"][document["meshes"][0]["primitives"][0]["attributes"]["POSITION"]]
    check([round(x, 6) for x in box["max"]] == [0.1, 0.05, 0.025], box)
    tf = [(t, m["transforms"][0]) for topic, t, m in mcap_messages(folder / "named.mcap") if topic == "/tf"]
    check(len(tf) == 41, len(tf))
    for t, pose in tf:
        stamp = pose["timestamp"]["sec"] + 1e-9 * pose["timestamp"]["nsec"]
        check(abs(pose["translation"]["x"] - SPEED * t) < 1e-8 and abs(stamp - t) < 1e-12, pose)
        check(abs(abs(pose["rotation"]["w"]) - abs(math.cos(SPIN * t / 2))) < 1e-8, pose)
    for topic, t, message in mcap_messages(folder / "named.mcap"):
        if topic == "/run":
            check(abs(message["body"]["stone"]["position"]["x"] - SPEED * t) < 1e-8, message)
    with open(folder / "flight.csv", newline="") as file:
        rows = list(csv.reader(file))
    check(rows[0][:2] == ["time [s]", "body.stone.position.x [m]"] and len(rows) == 202, rows[0])
    for row in rows[1:]:
        check(abs(float(row[1]) - SPEED * float(row[0])) < 1e-12, row)


def beams(folder):
    h5 = folder / "rod.h5"
    check(verge("run", SOURCE / "models" / "slider-crank-flexible.yaml", "--end", "0.02", "-o", h5, "-q").returncode == 0, "run")
    done = verge("export", h5, "--vtk", folder / "rod.pvd", "--frames", 4, "--csv", "--gltf")
    check(done.returncode == 0, done.stderr)
    with open(folder / "rod.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    slider = {float(row["time [s]"]): float(row["joint.B.displacement [m]"]) for row in rows}
    sets = xml.parse(folder / "rod.pvd").getroot().findall(".//DataSet")
    check(len(sets) == 4 and float(sets[0].get("timestep")) == 0, len(sets))
    for one in sets:
        root = xml.parse(folder / one.get("file")).getroot()
        piece = root.find(".//Piece")
        arrays = {a.get("Name"): [float(x) for x in a.text.split()] for a in root.iter("DataArray")}
        n = int(piece.get("NumberOfPoints"))
        check(len(arrays["Points"]) == 3 * n and len(arrays["connectivity"]) == n, "sizes")
        check(len(arrays["offsets"]) == int(piece.get("NumberOfLines")) and arrays["offsets"][-1] == n, "lines")
        # the rod ends at the slider
        check(abs(arrays["Points"][-3] - slider[float(one.get("timestep"))]) < 1e-9, one.get("timestep"))
    glb = Glb(folder / "rod.glb")
    scales = [c for c in glb.document["animations"][0]["channels"] if c["target"]["path"] == "scale"]
    check(len(scales) >= 8, "beams are stretched between their nodes")


def refusals(folder):
    h5 = folder / "flight.h5"
    done = verge("export", h5)
    check(done.returncode == 2 and "--gltf" in done.stderr, done.stderr)
    done = verge("export", h5, "--gltf=x.gltf")
    check(done.returncode == 2 and ".glb" in done.stderr, done)
    done = verge("export", h5, "--vtk", folder / "none.pvd")
    check(done.returncode == 2 and "no beams" in done.stderr and not (folder / "none.pvd").exists(), done)
    done = verge("export", folder / "flight.yaml", "--gltf")
    check(done.returncode == 2 and "verge run" in done.stderr, done)
    done = verge("export", h5, "--gltf", folder / "no" / "x.glb")
    check(done.returncode == 2 and "No such file" in done.stderr, done)
    done = verge("export", h5, "--gltf", "--frames", "1")
    check(done.returncode == 2, done)
    # damaged files are refused, or their damage is harmless: no crash
    data = bytearray(h5.read_bytes())
    for k in range(0, len(data), max(len(data) // 40, 1)):
        bad = bytearray(data)
        bad[k] ^= 0x55
        (folder / "bad.h5").write_bytes(bad)
        code = verge("export", folder / "bad.h5", "--gltf", "--mcap").returncode
        check(code in (0, 1, 2), f"byte {k}: {code}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        flight(folder)
        beams(folder)
        refusals(folder)
    print("\n".join(problems[:20]) or "ok")
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
