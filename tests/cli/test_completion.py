"""What bash proposes with the script of verge completion, compared with verge list; the manual page through groff."""
import json
import os
import shutil
import subprocess
import sys

EXE = os.environ["VERGE_EXE"]
problems = []


def out(*words):
    done = subprocess.run([EXE, *words], capture_output=True, text=True)
    if done.returncode:
        problems.append(f"verge {' '.join(words)}: {done.stderr}")
    return done.stdout


def proposed(*words):
    script = 'eval "$("$0" completion bash)"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _verge; echo "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", script, EXE, *words], capture_output=True, text=True)
    if done.stderr:
        problems.append(f"bash: {done.stderr}")
    return set(done.stdout.split())


def names(subject):
    return {row["name"] for row in json.loads(out("list", subject, "--json"))[subject]}


commands = names("commands")
wanted = [
    (("verge", ""), commands | {"--help", "--version"}),
    (("verge", "sw"), {"sweep"}),
    (("verge", "run", "x.yaml", "--coordinates", ""), names("coordinates")),
    (("verge", "run", "x.yaml", "--constraints", ""), names("constraints")),
    (("verge", "run", "--integrator", "generalized"), {"generalized-alpha"}),
    (("verge", "run", "--ver"), {"--verify", "--verify-budget"}),
]
for words, right in wanted:
    if proposed(*words) != right:
        problems.append(f"{words}: differs by {sorted(proposed(*words) ^ right)}")

for shell, check in (("zsh", ["zsh", "-n"]), ("fish", ["fish", "--no-execute"])):
    text = out("completion", shell)
    missing = [c for c in commands if c not in text]
    if missing:
        problems.append(f"{shell}: no {missing}")
    if shutil.which(shell) and subprocess.run([*check, "/dev/stdin"], input=text, text=True).returncode:
        problems.append(f"{shell} does not read its script")
if subprocess.run([EXE, "completion", "basch"], capture_output=True, text=True).returncode != 2:
    problems.append("an unknown shell is not refused")

page = out("doc", "man")
if shutil.which("groff"):
    done = subprocess.run(["groff", "-k", "-man", "-ww", "-Tutf8"], input=page, capture_output=True, text=True)
    if done.stderr:
        problems.append(f"groff: {done.stderr[:300]}")
    shown = done.stdout.replace("\b", "")
    if not all(f"{c}" in shown for c in commands) or "EEXXIITT" not in shown and "EXIT" not in shown:
        problems.append("the manual page lacks a command or its end")
print("\n".join(problems) or f"ok   {len(commands)} commands")
sys.exit(bool(problems))
