"""Long and large: many steps, large models, many requests (scripts/endure).

    python3 tests/cli/endure.py steps COUNT | size BODIES | studio REQUESTS

Memory that grows, energy beyond theory, or a size that is neither computed nor refused in words is a failure. The last line of each
part is its row of docs/trust.md."""
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

EXE, SOURCE = os.environ["VERGE_EXE"], pathlib.Path(os.environ["VERGE_SOURCE_DIR"])
PENDULUM = """\
verge: 1
gravity: [0, -9.81, 0]
bodies: {bob: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [1, 0, 0], markers: {O: [-1, 0, 0]}}}
joints: {O: {revolute: [ground, bob.O], axis: z}}
record: [energy.total]
run: {step: 1e-3}
"""


def resident(pid):
    with open(f"/proc/{pid}/status") as status:
        for line in status:
            if line.startswith("VmRSS"):
                return int(line.split()[1])
    return 0


def watch(words, folder):
    """Memory (kB) after a fifth of the time and at the end, the report, processor seconds."""
    process = subprocess.Popen([EXE, *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    seen = []
    while process.poll() is None:
        try:
            seen.append(resident(process.pid))
        except OSError:
            break
        time.sleep(0.2)
    out = process.communicate()[0]
    seen = [x for x in seen if x] or [0]
    early = seen[len(seen) // 5] if len(seen) > 50 else seen[-1]  # a short run is over before it has all its memory
    return early, seen[-1], json.loads(out) if out.startswith("{") else {}, process.returncode


def steps(count):
    """The cart, the Iltis and a pendulum whose energy an energy-momentum method keeps."""
    bad, told = 0, []
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        (folder / "pendulum.yaml").write_text(PENDULUM)
        cases = (("cart", str(SOURCE / "models" / "cart.yaml"), count, 1e-3, [], None),
                 ("iltis", str(SOURCE / "models" / "iltis.yaml"), count // 100, 1e-3, [], None),
                 ("pendulum, energy-momentum", "pendulum.yaml", count // 10, 1e-3, ["--integrator", "energy-momentum"], 1e-9))
        for name, model, n, h, more, drift in cases:
            before, after, report, code = watch(["run", model, "--step", str(h), "--end", str(n * h), "--every", str(n), "--json", *more], folder)
            done = report.get("steps", 0)
            grown = after - before
            energy = report.get("energy_drift", 0) or 0
            flow = report.get("energy_flow", 0) or 1
            wrong = code != 0 or done < n or grown > 256 or (drift is not None and abs(energy) > drift * max(flow, 1))
            bad += wrong
            told.append(f"{name}: {done:,} steps, memory +{grown} kB" + (f", energy drift {energy:.1e} J of {flow:.2g} J" if drift else ""))
            if wrong:
                print("failed:", name, code, report.get("error"), before, after, energy)
    print(f"fire: steps: {'; '.join(told)}; {bad} failed")
    return bad


# By repeat: the limit of a model file is 16 MB.
def chain_model(n):
    return ("verge: 1\ngravity: [0, 0, -9.81]\nrepeat:\n  index: i\n"
            f"  to: {n}\n"
            "  bodies: {\"b{i}\": {mass: 1, inertia: [0.1, 0.1, 0.1], position: [i - 0.5, 0, 0], markers: {a: [-0.5, 0, 0], b: [0.5, 0, 0]}}}\n"
            "  joints: {\"j{i}\": {revolute: [\"b{i-1}.b\", \"b{i}.a\"], axis: y}}\n"
            "  first: {joints: {\"j{i}\": {revolute: [ground, \"b{i}.a\"], axis: y}}}\n"
            "run: {step: 1e-4, end: 3e-4}\n")


def net_model(n):
    """About n point masses in a square net of springs, an edge held."""
    side = max(3, round(n ** 0.5))
    spring = "stiffness: 100, length: 1"
    return ("verge: 1\ngravity: [0, 0, -9.81]\n"
            f"parameters: {{N: {side}}}\n"
            "repeat:\n"
            "  - {index: i, to: N, repeat: [{index: j, to: N, bodies: {\"p{i}x{j}\": {mass: 0.01, point: true, position: [i, j, 0]}}}]}\n"
            f"  - {{index: i, to: N - 1, repeat: [{{index: j, to: N, forces: {{\"u{{i}}x{{j}}\": {{spring: [\"p{{i}}x{{j}}\", \"p{{i+1}}x{{j}}\"], {spring}}}}}}}]}}\n"
            f"  - {{index: i, to: N, repeat: [{{index: j, to: N - 1, forces: {{\"v{{i}}x{{j}}\": {{spring: [\"p{{i}}x{{j}}\", \"p{{i}}x{{j+1}}\"], {spring}}}}}}}]}}\n"
            "  - {index: i, to: N, forces: {\"h{i}\": {spring: [ground, \"p{i}x1\"], stiffness: 1e4, length: 0}}}\n"
            "run: {step: 1e-4, end: 3e-4}\n")


def beam_model(n):
    return (f"verge: 1\ngravity: [0, 0, -9.81]\nmesh: {{m: {{beam: {n}, from: ground, to: [100, 0, 0], E: 2e11, circle: 0.05, nu: 0.3, rho: 7800}}}}\n"
            "run: {step: 1e-5, end: 3e-5}\n")


def size(n):
    """Time and memory from a tenth of the size to the whole: proportional within a factor of two, or refused with a number. The elimination
    of a plane net of n masses takes of the order of n^1.5 operations (George 1973), 32 times as many for ten times the masses."""
    bad, told = 0, []
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        for name, make in (("chain", chain_model), ("net", net_model), ("beams", beam_model)):
            seen = []
            for count in (n // 10, n):
                (folder / "m.yaml").write_text(make(count))
                process = subprocess.Popen([EXE, "run", "m.yaml", "-q"], cwd=folder, stderr=subprocess.PIPE, text=True)
                said = process.stderr.read()
                _, status, usage = os.wait4(process.pid, 0)
                seen.append((os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, said.strip()))
            (c0, t0, m0, _), (c1, t1, m1, said) = seen
            if c0 == c1 == 0:
                wrong = t1 > (40 if name == "net" else 20) * max(t0, 0.05) or m1 > 20 * m0
                told.append(f"{name}: {n // 10:,} → {n:,} in {t0:.2g} → {t1:.2g} s, {m0:.0f} → {m1:.0f} MB")
            else:
                wrong = c1 not in (1, 2) or not re.search(r"\d", said)
                told.append(f"{name} of {n:,}: refused ({said.splitlines()[0][:120] if said else 'without a word'})")
            bad += wrong
            if wrong:
                print("failed:", name, seen)
    print(f"fire: size: {'; '.join(told)}; {bad} failed")
    return bad


def studio(count):
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        (folder / "a.yaml").write_text(PENDULUM)
        process = subprocess.Popen([EXE, "studio", "--no-open", folder / "a.yaml"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        found = re.search(r":(\d+)/\?token=(\w+)", process.stdout.readline())
        if not found:
            print("no studio here")
            return 0
        bad, first, link = 0, 0, http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=60)
        for i in range(count):
            if i % 3 == 0:
                link.request("POST", "/api/check?name=a.yaml", PENDULUM, {"X-Verge-Token": found[2]})
            else:
                link.request("GET", "/api/start" if i % 3 == 1 else "/api/model?name=a.yaml", headers={"X-Verge-Token": found[2]})
            answer = link.getresponse()
            answer.read()
            bad += answer.status != 200
            if i == count // 5:
                first = resident(process.pid)
        grown = resident(process.pid) - first
        process.send_signal(signal.SIGINT)
        code = process.wait(20)
    bad += grown > 1024 or code != 0
    print(f"fire: studio: {count:,} requests, memory +{grown} kB after the first fifth, {bad} failed")
    return bad


sys.exit({"steps": steps, "size": size, "studio": studio}[sys.argv[1]](int(sys.argv[2])) > 0)
