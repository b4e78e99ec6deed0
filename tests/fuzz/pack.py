"""Packs of fuzz cases: tests/fuzz/corpus/TARGET.pack, each case with its length in four bytes before it.

    python3 tests/fuzz/pack.py unpack TARGET FOLDER      cases of the pack and the seeds into a folder
    python3 tests/fuzz/pack.py pack TARGET FOLDER [N]    the N smallest cases of a folder into the pack (default 150)

Seeds are the shipped models and modes, and for the others a few written here."""
import hashlib
import pathlib
import struct
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LONGEST = 1500  # bytes of a kept case
TARGETS = ("model", "words", "expr", "modes", "csv", "h5", "state", "line", "http", "udp", "urdf", "mjcf", "stl", "obj", "fmu", "method", "loops", "plan")

FMU = ("<fmiModelDescription fmiVersion='2.0' guid='g'><CoSimulation modelIdentifier='m'/><ModelVariables><ScalarVariable name='a' "
       "valueReference='0' causality='input'><Real/></ScalarVariable><ScalarVariable name='b' valueReference='1'><Real/></ScalarVariable>"
       "</ModelVariables><ModelStructure/></fmiModelDescription>")
SEEDS = {
    "fmu": [FMU, FMU.replace("2.0", "3.0").replace("guid", "instantiationToken").replace("ScalarVariable", "Float64"), "PK\x05\x06" + "\xff" * 18],
    "method": ["tableau:\n  a: [[], [1/2], [0, 3/4]]\n  b: [2/9, 1/3, 4/9]\n", "multistep:\n  alpha: [4/3, -1/3]\n  beta: [2/3, 0, 0]\n",
               "tableau: {a: [[1/4], [1/2, 1/4]], b: [1/2, 1/2], c: [1/4, 3/4]}\n"],
    "loops": ["closed_loop: [[b, c]]\nname_mot: [j]\n", "closed_loop: [[a, c], [b, b]]\ntype: [6d, 3d]\n"],
    "plan": ["k=10:100:20\nm~normal(3,0.1)\nsobol:8\nmax(joint.O.angle) + 2*crossing(energy.total, 0.5)",
             "k=1,2,5\nb~lognormal(0,1)\nlhs:5\nfinal(a.b)", "k=10:100\nq~uniform(-1e300,1e300)\nrandom:3\nrms(x)"],
    "words": ["lie\nindex3\ngeneralized-alpha:rho=0.8\njoint.O.angle\na=2*b", "relative\nindex1\ndopri5:rtol=1e-6\nenergy.total\na=sin(1)"],
    "expr": ["2*sin(t)^2 - joint.O.angle", "if(t < 1, min(t, 2, 3), step(t, 1, 0, 2, 1))", "atan2(joint.a.rate, 1e-3) + floor(3*t) - abs(t - 0.5)",
             "not (t >= 1 and joint.x.rate != 0) or pi == 3", "deg(30)*sqrt(exp(-t))/tanh(t)", "((((1))))^-2^3"],
    "csv": ["time [s],joint.O.angle [rad]\n0,1\n0.1,2\n", "time,\"a,b\"\r\n0,1e300\r\n1,nan\r\n"],
    "state": ["c\x01\x00\x02\x40\x00\xff", "VERGE04", "c"],
    "line": ["\x00a.yaml\n--end\n2\n-o\nx.h5\n--set\na=1\n--set\nb=2", "\x0af.h5\njoint.*\n--y=a,b\n-ofig.svg", "\x01--port\n0\n--\n-x", "\x0e-h"],
    "http": ["GET /?token=$ HTTP/1.1\r\nHost: 127.0.0.1:@\r\n\r\n",
             "POST /api/check?name=a.yaml HTTP/1.1\r\nHost: 127.0.0.1:@\r\nX-Verge-Token: $\r\nContent-Length: 5\r\n\r\nverge",
             "GET /api/x?name=%2e%2e%00 HTTP/1.1\r\nHost: localhost:@\r\nOrigin: http://localhost:@\r\nX-Verge-Token: $\r\n\r\n",
             "POST / HTTP/1.1\r\nHost: 127.0.0.1:@\r\nTransfer-Encoding: chunked\r\nX-Verge-Token: $\r\n\r\n5\r\nhello\r\n0\r\n\r\n"],
    "urdf": ["<!DOCTYPE a [<!ENTITY b '&c;&c;'><!ENTITY c '&b;&b;'>]><robot name='&b;'/>",
             "<robot><link name='a'/><link name='b'/></robot>", "<robot><xacro:macro/></robot>",
             "<robot><link name='a'/><joint name='j' type='fixed'><parent link='a'/><child link='a'/></joint></robot>"],
    "mjcf": ["<mujoco><worldbody><replicate count='1e300'><body/></replicate></worldbody></mujoco>", "<mujoco><include file='fuzz'/></mujoco>",
             "<mujoco><worldbody><body><joint range='1 nan'/><geom size='1e300'/></body></worldbody></mujoco>",
             "<mujoco><asset><mesh name='m' file='a.stl'/></asset><worldbody><body><geom type='mesh' mesh='m'/></body></worldbody></mujoco>"],
    "stl": ["solid", "solid x\nfacet\nvertex 1 2 nan\n", "x" * 83, "\x00" * 80 + "\xff\xff\xff\xff"],
    "obj": ["v 1 2 3\nf 1 1 1\n", "f 1 2 3\n", "v 1e309 0 0\n", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -1 -2 -3 9999999999999999999\n"],
    "udp": ["force=1 brake=-2e3\n", "input.force=nan brake=1e999 =3 force= x=1", "force=0x1p3\tbrake=1;\r\n"],
}


def unpack(target):
    path = HERE / "corpus" / f"{target}.pack"
    data, at = (path.read_bytes() if path.exists() else b""), 0
    while at + 4 <= len(data):
        n, = struct.unpack_from("<I", data, at)
        yield data[at + 4:at + 4 + n]
        at += 4 + n


def seeds(target):
    yield from (text.encode("latin-1") for text in SEEDS.get(target, []))
    if target == "model":
        yield from (f.read_bytes() for f in sorted((ROOT / "models").glob("*.yaml")))
        yield from (f.read_bytes() for f in sorted((ROOT / "tests" / "bad").glob("*.yaml")))
    if target in ("urdf", "mjcf"):
        ending = "*.urdf" if target == "urdf" else "*.xml"
        yield from (f.read_bytes() for f in sorted((ROOT / "tests" / "io" / "robots").glob(ending)))
    if target == "obj":
        yield (ROOT / "tests" / "io" / "robots" / "meshes" / "block.obj").read_bytes()
    if target == "stl":
        corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        faces = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]
        yield bytes(80) + struct.pack("<I", 4) + b"".join(
            struct.pack("<12fH", 0, 0, 0, *(x for k in face for x in corners[k]), 0) for face in faces)
        yield b"solid t\n" + b"".join(
            b"facet normal 0 0 0\nouter loop\n" + b"".join(b"vertex %d %d %d\n" % corners[k] for k in face) + b"endloop\nendfacet\n"
            for face in faces) + b"endsolid t\n"
    if target == "modes":
        yield from (f.read_bytes() for f in sorted((ROOT / "models").glob("*.modes")))


def made(target, folder):
    """Files that the program writes."""
    exe, models = ROOT / "build" / "release" / "verge", ROOT / "models"
    out = folder / "seed.h5"
    words = {"h5": ["run", models / "pendulum.yaml", "--end", "0.003", "-q", "-o", out],
             "modes": ["reduce", models / "slider-crank-flexible-modes.yaml", "-o", out]}.get(target)
    if words and exe.exists():
        subprocess.run([exe, *words], stdout=subprocess.DEVNULL, check=False)


def main():
    what, target, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    if what == "unpack":
        for case in (*unpack(target), *seeds(target)):
            (folder / hashlib.sha1(case).hexdigest()).write_bytes(case)
        made(target, folder)
        return
    cases = {f.read_bytes() for f in folder.iterdir() if f.is_file()} | set(unpack(target))
    cases = sorted((c for c in cases if len(c) <= LONGEST), key=lambda c: (len(c), c))
    most = int(sys.argv[4]) if len(sys.argv) > 4 else 150
    step = max(1.0, len(cases) / most)  # of all lengths, not the shortest alone
    kept = [cases[int(i * step)] for i in range(min(most, len(cases)))]
    (HERE / "corpus").mkdir(exist_ok=True)
    (HERE / "corpus" / f"{target}.pack").write_bytes(b"".join(struct.pack("<I", len(c)) + c for c in kept))
    print(f"{target}: {len(kept)} of {len(cases)} cases kept")


if __name__ == "__main__":
    main()
