"""verge schema against an independent validator: what the reader takes the schema takes, misspelt keys neither takes."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.append("/usr/lib/python3/dist-packages")  # Debian's modules, also for another interpreter
import jsonschema
import yaml

EXE = os.environ["VERGE_EXE"]
ROOT = pathlib.Path(os.environ["VERGE_SOURCE_DIR"])
problems = []


class Core(yaml.SafeLoader):
    """YAML 1.2 as editors read it: `on` and `yes` are words."""


Core.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in rules if tag != "tag:yaml.org,2002:bool"]
    for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
Core.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(?:true|false)$"), list("tf"))

done = subprocess.run([EXE, "schema"], capture_output=True, text=True)
assert done.returncode == 0, done.stderr
schema = json.loads(done.stdout)
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)


def mistakes(text):
    return list(validator.iter_errors(yaml.load(text, Loader=Core)))


def reader_takes(text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "model.yaml")
        path.write_text(text)
        return subprocess.run([EXE, "check", path], capture_output=True).returncode != 2


# every model that the reader takes
models = sorted([*ROOT.glob("models/*.yaml"), *ROOT.glob("tests/defects/*.yaml")])
assert len(models) > 50
for path in models:
    if subprocess.run([EXE, "check", path], capture_output=True).returncode == 2:
        continue
    found = mistakes(path.read_text())
    if found:
        problems.append(f"{path.name}: {list(found[0].path)}: {found[0].message[:120]}")

# every example of the reference page that is an entry of a section
page = (ROOT / "docs/format.md").read_text()
examples = 0
for text in re.findall("```yaml\n(.*?)```", page, re.S):
    try:
        entry = yaml.load(text, Loader=Core)
    except yaml.YAMLError:
        continue
    if not isinstance(entry, dict) or not set(entry) <= set(schema["properties"]):
        continue
    examples += 1
    found = list(validator.iter_errors(entry))
    if found:
        problems.append(f"example {text[:60]!r}: {found[0].message[:120]}")
assert examples > 5, examples

# one word wrong at a time: schema and reader both refuse
GOOD = """verge: 1
gravity: [0, 0, -9.81]
bodies:
  rod: {mass: 1, inertia: [1, 1, 1], markers: {tip: {position: [1, 0, 0]}}, shape: {sphere: 0.1}}
joints:
  pin: {revolute: [ground, rod], axis: y}
forces:
  pull: {spring: [ground, rod.tip], stiffness: 10, length: 1}
controllers:
  servo: {pid: "0 - joint.pin.angle", p: 1, sample: 0.01}
roads:
  bump: {cosine: {length: 1, height: 0.1}}
run: {step: 1e-3, end: 1}
"""
if mistakes(GOOD) or not reader_takes(GOOD):
    problems.append(f"the good model is refused: {[m.message[:200] for m in mistakes(GOOD)]}")
for word in ("gravity:", "mass:", "position:", "sphere:", "revolute:", "axis:", "spring:", "stiffness:", "pid:", "sample:",
             "cosine:", "height:", "step:"):
    assert word in GOOD
    bad = GOOD.replace(word, "x" + word, 1)
    if not mistakes(bad):
        problems.append(f"the schema takes x{word}")
    if reader_takes(bad):
        problems.append(f"the reader takes x{word}")

print("\n".join(problems) or f"{len(models)} models, {examples} examples")
sys.exit(bool(problems))
