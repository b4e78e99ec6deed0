"""Files of strangers: far too large, endless, with zeros inside, nested, in circles; archives that would unpack to very much. Each is
refused in words and within a bound of processor time and memory, and nothing is written outside."""
import os
import pathlib
import resource
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib

EXE = os.environ["VERGE_EXE"]
SECONDS, MEMORY = 20, 3 << 30  # bounds of a run; all of these end at once
checks = failures = 0
MODEL = """verge: 1
parameters: {a: 1}
bodies: {rod: {mass: a, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}}
joints: {O: {revolute: [ground, rod], axis: y}}
run: {step: 1e-3, end: 0.01}
"""
LINK = '<link name="l%d"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
JOINT = ('<joint name="j%d" type="revolute"><parent link="l%d"/><child link="l%d"/><axis xyz="0 0 1"/>'
         '<limit effort="1" velocity="1" lower="-1" upper="1"/></joint>')
XML = ('<fmiModelDescription fmiVersion="2.0" guid="g"><CoSimulation modelIdentifier="m"/><ModelVariables>'
       '<ScalarVariable name="a" valueReference="0" causality="input"><Real/></ScalarVariable>'
       '<ScalarVariable name="b" valueReference="1" causality="output"><Real/></ScalarVariable></ModelVariables></fmiModelDescription>')


def check(good, text):
    global checks, failures
    checks += 1
    if not good:
        failures += 1
        print("failed:", text[:500])


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def verge(folder, *words, code=2, says=""):
    try:
        done = subprocess.run([EXE, *words], cwd=folder, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL,
                              timeout=120, preexec_fn=limit)
    except subprocess.TimeoutExpired:
        check(False, f"verge {' '.join(words)}: without end")
        return
    check(done.returncode == code and says in done.stderr, f"verge {' '.join(words)}: {done.returncode} {done.stderr}")


def tables(folder):
    """Files of 100 GB that take no room on the disk; a table with a zero in it, behind which lines would be lost."""
    for name in ("big.csv", "big.h5", "big.yaml", "big.state", "big.urdf"):
        with open(folder / name, "wb") as file:
            file.truncate(100 << 30)
    (folder / "zero.csv").write_bytes(b"time,a\n0,1\n1,2\0\n2,3\n")
    (folder / "a.csv").write_bytes(b"time,a\n0,1\n1,2\n\0")
    for file in ("big.csv", "zero.csv", "a.csv"):
        verge(folder, "plot", file, says="byte 0")
        verge(folder, "identify", "m.yaml", file, "--free", "a=0.5:2", "--match", "joint.O.angle", says="byte 0")
        verge(folder, "sweep", "m.yaml", "--from", file, "--keep", "final(energy.total)", says="byte 0")
    verge(folder, "plot", "zero.csv", says="zero.csv:3:4: error:")
    for words in (["plot", "big.h5"], ["view", "big.h5"], ["export", "big.h5", "--gltf"]):
        verge(folder, *words, says="not an HDF5 file")
    verge(folder, "run", "m.yaml", "--resume", "big.state", says="larger than 4 GB")
    for file in ("big.yaml", "big.urdf"):
        verge(folder, "check", file, says="larger than")


def robots(folder):
    """A long chain takes time that grows with its square, not its cube: 4,000 links took 22 s."""
    n = 6000
    text = "".join(LINK % i for i in range(n + 1)) + "".join(JOINT % (i, i, i + 1) for i in range(n))
    (folder / "chain.urdf").write_text(f'<robot name="r">{text}</robot>')
    verge(folder, "import", "chain.urdf", "-o", "chain.yaml", code=0)
    (folder / "bomb.urdf").write_text('<!DOCTYPE robot [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><robot name="&b;"/>')
    verge(folder, "check", "bomb.urdf", says="entities are not expanded")
    (folder / "deep.xml").write_text("<mujoco>" + "<worldbody>" * 100000)
    verge(folder, "check", "deep.xml", says="nested deeper")
    (folder / "circle.xml").write_text('<mujoco><include file="circle_b.xml"/><worldbody/></mujoco>')
    (folder / "circle_b.xml").write_text('<mujocoinclude><include file="circle.xml"/></mujocoinclude>')
    verge(folder, "check", "circle.xml", says="cannot be included")
    (folder / "outside.xml").write_text('<mujoco><include file="/dev/zero"/><worldbody/></mujoco>')
    verge(folder, "check", "outside.xml", says="cannot be included")


def models(folder):
    """YAML that would grow, nest or turn in circles."""
    tens = "".join(f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12))
    for name, text, says in (("laugh", "verge: 1\nparameters: {p: 1}\nbodies: {b: {mass: &a0 [x]}}\n" + tens, "unknown key"),
                             ("self", "verge: 1\nbodies: &a {b: *a}\n", "stands inside"), ("deep", "verge: 1\nbodies: " + "[" * 200000, "deeper than"),
                             ("repeat", 'verge: 1\nrepeat: {to: 1e9, bodies: {"b{i}": {mass: 1}}}\n', "more than 2000000"),
                             ("include", MODEL + "include: [include.yaml]\n", "includes itself"),
                             ("zero", MODEL + "include: [/dev/zero]\n", "cannot be included"),
                             ("long", MODEL + "tables: {s: [[0, 0], [1, '" + "1+" * 100000 + "1']]}\n", "characters")):
        (folder / f"{name}.yaml").write_text(text)
        verge(folder, "check", f"{name}.yaml", says=says)
    os.mkfifo(folder / "pipe.csv")
    verge(folder, "plot", "pipe.csv", says="not a plain file")


def overlapping(path, count, size):
    """A ZIP file whose members share their bytes."""
    maker = zlib.compressobj(9, zlib.DEFLATED, -15)
    zeros = maker.compress(bytes(size)) + maker.flush()
    members = [(b"modelDescription.xml", XML.encode(), 0, XML.encode()), (b"binaries/linux64/m.so", b"x", 0, b"x"), (b"m", zeros, 8, bytes(size))]
    data, directory = b"", b""
    for name, packed, method, whole in members:
        sums = struct.pack("<III", zlib.crc32(whole), len(packed), len(whole))
        for i in range(count if method else 1):
            directory += struct.pack("<IHHHHHH", 0x02014b50, 20, 20, 0, method, 0, 0) + sums
            directory += struct.pack("<HHHHHII", len(name) + 2, 0, 0, 0, 0, 0, len(data)) + (name + b"%02d" % i if method else name + b"")
            if not method:
                directory = directory[:-len(name) - 18] + struct.pack("<HHHHHII", len(name), 0, 0, 0, 0, 0, len(data)) + name
        data += struct.pack("<IHHHHH", 0x04034b50, 20, 0, method, 0, 0) + sums + struct.pack("<HH", len(name), 0) + name + packed
    n = len(members) - 1 + count
    path.write_bytes(data + directory + struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, n, n, len(directory), len(data), 0))


def units(folder):
    """FMUs: names that lead outside, bombs, no library, no description."""
    (folder / "fmu.yaml").write_text(MODEL + "controllers: {p: {fmu: 1, file: u.fmu, inputs: a, outputs: b, sample: 0.001}}\n"
                                     "forces: {f: {joint-torque: O, value: controller.p}}\n")
    path, good = folder / "u.fmu", [("modelDescription.xml", XML), ("binaries/linux64/m.so", "x")]
    for more, says in (([("../../outside", "x")], "leads out"), ([("/outside", "x")], "leads out"), ([("a\\..\\b", "x")], "leads out")):
        with zipfile.ZipFile(path, "w") as file:
            for name, text in good + more:
                file.writestr(name, text)
        verge(folder, "run", "fmu.yaml", "-q", says=says)
    overlapping(path, 90, 1 << 20)
    verge(folder, "run", "fmu.yaml", "-q", says="overlap")
    for members, code, says in ((good[:1], 2, "no library"), (good[1:], 2, "no modelDescription.xml"), (good, 1, "controller 'p'"),
                                (good + [("a", "1"), ("a/b", "2")], 1, "cannot be unpacked"),
                                ([("modelDescription.xml", "<a " * 300000), good[1]], 2, "no version")):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            for name, text in members:
                file.writestr(name, text)
        verge(folder, "run", "fmu.yaml", "-q", code=code, says=says)
    path.write_bytes(b"PK\5\6" + b"\xff" * 18)
    verge(folder, "run", "fmu.yaml", "-q", says="damaged directory")
    check(not (folder.parent / "outside").exists(), "something was written outside")


def main():
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place) / "here"
        folder.mkdir()
        os.environ["TMPDIR"] = str(folder)
        (folder / "m.yaml").write_text(MODEL)
        for part in (tables, robots, models, units):
            part(folder)
        check(not list(folder.glob("verge-*")), "folders for temporary files stay")
    print(f"{checks} checks, {failures} failed")
    return failures > 0


sys.exit(main())
