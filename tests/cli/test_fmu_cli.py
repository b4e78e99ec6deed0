"""verge fmu as a user meets it: what is in the file, its description, wrong input. Where the folder of the standard's schemas
is in VERGE_FMI_SCHEMAS (fmi2/fmi2ModelDescription.xsd, fmi3/…), xmllint checks the descriptions too."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
import zipfile

EXE = os.environ["VERGE_EXE"]
MODELS = pathlib.Path(os.environ["VERGE_SOURCE_DIR"]) / "models"
SCHEMAS = os.environ.get("VERGE_FMI_SCHEMAS")
problems = []


def check(good, text):
    if not good:
        problems.append(text)


def verge(*words, code=0):
    done = subprocess.run([EXE, *map(str, words)], capture_output=True, text=True)
    check(done.returncode == code, f"verge {' '.join(map(str, words))}: exit {done.returncode}, {done.stderr[:300]}")
    return done


def variables(root, version):
    """(attributes of the variable and of its type) in order."""
    for v in root.find("ModelVariables"):
        yield {**v.attrib, **(v[0].attrib if version == 2 else {})}


def unknowns(root, version, part, element):
    """Value references of a list of unknowns."""
    structure = root.find("ModelStructure")
    if version == 3:
        return [int(e.get("valueReference")) for e in structure.findall(element)]
    found = structure.find(part)
    return [int(e.get("index")) - 1 for e in found] if found is not None else []


def described(path, version, kind):
    """The description says what the standard asks for."""
    archive = zipfile.ZipFile(path)
    check(archive.testzip() is None, f"{path}: damaged")
    text = archive.read("modelDescription.xml")
    root = ET.fromstring(text)
    name = f"{path.name}, FMI {version}"
    check(root.tag == "fmiModelDescription" and root.get("fmiVersion") == f"{version}.0", f"{name}: head")
    interface = root.find("ModelExchange" if kind == "me" else "CoSimulation")
    check(interface is not None, f"{name}: no interface")
    identifier = interface.get("modelIdentifier")
    check(re.fullmatch(r"[A-Za-z_]\w*", identifier), f"{name}: identifier {identifier}")
    binary = f"binaries/{'x86_64-linux' if version == 3 else 'linux64'}/{identifier}.so"
    check(archive.read(binary)[:4] == b"\x7fELF", f"{name}: no binary")
    every = list(variables(root, version))
    names, refs = [v["name"] for v in every], [int(v["valueReference"]) for v in every]
    check(len(set(names)) == len(names) and refs == list(range(len(refs))), f"{name}: names and references")
    outputs = [int(v["valueReference"]) for v in every if v["causality"] == "output"]
    rates = [int(v["valueReference"]) for v in every if "derivative" in v]
    calculated = [int(v["valueReference"]) for v in every if v.get("initial") == "calculated"]
    check(unknowns(root, version, "Outputs", "Output") == outputs, f"{name}: outputs")
    check(unknowns(root, version, "Derivatives", "ContinuousStateDerivative") == rates, f"{name}: derivatives")
    check(sorted(unknowns(root, version, "InitialUnknowns", "InitialUnknown")) == calculated, f"{name}: initial unknowns")
    units = {u.get("name") for u in root.iter("Unit")}
    for v in every:
        check(v.get("unit") is None or v["unit"] in units, f"{name}: unit of {v['name']}")
        check(("start" in v) == (v["causality"] in ("parameter", "input")), f"{name}: start of {v['name']}")
        if "derivative" in v:
            state = every[int(v["derivative"]) - (0 if version == 3 else 1)]
            check(f"der({state['name']})" == v["name"], f"{name}: {v['name']} is of {state['name']}")
    if SCHEMAS and shutil.which("xmllint"):
        schema = f"{SCHEMAS}/fmi{version}/fmi{version}ModelDescription.xsd"
        done = subprocess.run(["xmllint", "--noout", "--schema", schema, "-"], input=text, capture_output=True)
        check(done.returncode == 0, f"{name}: {done.stderr.decode()[:500]}")
    return root, every, archive.namelist()


def kinds(folder):
    """Trees, loops, controllers, beams, modes in a file of their own, robots; every version and type."""
    for model, types in (("cart-pole", ("cs", "me")), ("slider-crank", ("cs", "me")), ("heavy-top", ("cs", "me")),
                         ("cantilever", ("cs",)), ("crank", ("cs",))):
        for version in (2, 3):
            for kind in types:
                path = folder / f"{model}.fmu"
                answer = json.loads(verge("fmu", MODELS / f"{model}.yaml", "--fmi", version, "--type", kind, "-o", path,
                                          "--json").stdout)
                root, every, members = described(path, version, kind)
                check(answer["outputs"] == sum(v["causality"] == "output" for v in every) and
                      answer["parameters"] == sum("arameter" in v["causality"] for v in every), f"{model}: {answer}")
                check((answer["states"] > 0) == (kind == "me"), f"{model}: states")
                check(f"resources/model/{model}.yaml" in members, f"{model}: {members}")
    check("resources/model/crank.modes" in zipfile.ZipFile(folder / "crank.fmu").namelist(),
          "the file of modes is in the FMU")
    robot = next((MODELS / "robots").glob("*.urdf"))
    verge("fmu", robot, "--step", "1e-3", "-o", folder / "robot.fmu")
    _, _, members = described(folder / "robot.fmu", 2, "cs")
    check(f"resources/model/{robot.stem}.yaml" in members, f"a robot becomes a model: {members}")


def chosen(folder):
    """Outputs by pattern, inputs by name; base units; the same bytes again; the file's own name is of no account."""
    path = folder / "a.fmu"
    model = MODELS / "cart-pole.yaml"
    verge("fmu", model, "--outputs", "joint.pin.force,energy.*", "--inputs", "input.force", "-o", path)
    root, every, _ = described(path, 2, "cs")
    names = [v["name"] for v in every if v["causality"] == "output"]
    check({"joint.pin.force.x", "joint.pin.force.y", "energy.total", "energy.dissipated"} <= set(names), f"outputs {names}")
    newton = next(u for u in root.iter("Unit") if u.get("name") == "N")[0].attrib
    check(newton == {"kg": "1", "m": "1", "s": "-2"}, f"N is {newton}")
    verge("fmu", model, "--outputs", "joint.pin.force,energy.*", "--inputs", "force", "-o", folder / "b.fmu")
    check(path.read_bytes() == (folder / "b.fmu").read_bytes(), "the same input gives the same bytes")
    verge("fmu", model, "--set", "goal=2*lean", "-o", path)
    _, every, _ = described(path, 2, "cs")
    check(next(v for v in every if v["name"] == "goal")["start"] == "0.4", "--set gives the start value")


def systems(folder):
    """Libraries for other systems stand where the standards say, by their bytes (scripts/cross runs real ones)."""
    model, path = MODELS / "cart-pole.yaml", folder / "all.fmu"
    (folder / "arm").write_bytes(b"ARM")
    (folder / "dll").write_bytes(b"MZ")
    more = ["--binary", f"aarch64-linux={folder}/arm", "--binary", f"x86_64-windows={folder}/dll"]
    for version, windows in ((2, "win64"), (3, "x86_64-windows")):
        done = verge("fmu", model, "--fmi", version, *more, "-o", path, "--json")
        archive = zipfile.ZipFile(path)
        check(archive.read("binaries/aarch64-linux/cart_pole.so") == b"ARM", f"FMI {version}: ARM")
        check(archive.read(f"binaries/{windows}/cart_pole.dll") == b"MZ", f"FMI {version}: Windows")
        check(sorted(json.loads(done.stdout)["systems"]) == ["aarch64-linux", "x86_64-linux", "x86_64-windows"], done.stdout)


def wrong(folder):
    model, path = MODELS / "cart-pole.yaml", folder / "none.fmu"
    for words, part in ((["--fmi", "1"], "--fmi is 2 or 3"), (["--type", "x"], "--type is cs"),
                        (["--inputs", "forse"], "did you mean 'input.force'"), (["--outputs", "joint.pin.angel"], "did you mean"),
                        (["--set", "gaol=1"], "gaol"), (["--step", "0"], "above 0"), (["--step", "x"], "--step"),
                        (["--type", "me", "--step", "1"], "the other program integrates"),
                        (["--coordinates", "nix"], "nix"), (["--binary", "riscv=x"], "expected SYSTEM=FILE"),
                        (["--binary", "aarch64-linux"], "expected SYSTEM=FILE"), (["--binary", "aarch64-linux=none"], "no such file"),
                        (["--binary", "aarch64-linux=a", "--binary", "aarch64-linux=b"], "given twice")):
        done = verge("fmu", model, *words, "-o", path, code=2)
        check(part in done.stderr, f"{words}: {done.stderr}")
        check(not path.exists() and not list(folder.glob("none*")), f"{words}: nothing is written")
    done = verge("fmu", MODELS / "heavy-top.yaml", "--type", "me", "--coordinates", "lie", "-o", path, code=2)
    check("model exchange needs" in done.stderr and not path.exists(), f"lie in space: {done.stderr}")
    check("-o" in verge("fmu", model, code=2).stderr, "an output is needed")
    verge("fmu", folder / "missing.yaml", "-o", path, code=2)
    verge("fmu", model, "-o", folder / "no" / "folder.fmu", code=2)


with tempfile.TemporaryDirectory() as temporary:
    kinds(pathlib.Path(temporary))
    chosen(pathlib.Path(temporary))
    systems(pathlib.Path(temporary))
    wrong(pathlib.Path(temporary))
print("\n".join(problems) or "ok")
sys.exit(bool(problems))
