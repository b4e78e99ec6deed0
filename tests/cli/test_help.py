"""The help fits a terminal: the list of commands in 100 columns, and of every command. Its paragraphs are filled once."""
import os
import re
import subprocess
import sys

EXE = os.environ["VERGE_EXE"]
problems = []


def lines(*words):
    done = subprocess.run([EXE, *words], capture_output=True, text=True)
    if done.returncode:
        problems.append(f"verge {' '.join(words)}: exit code {done.returncode}")
    return done.stdout.splitlines()


general = lines("--help")
commands = [m.group(1) for m in (re.match(r"  (\S+) +\S", line) for line in general) if m]
problems += [f"verge --help: {len(line)} columns: {line}" for line in general if len(line) > 100]
for command in commands:
    text = lines(command, "--help")
    problems += [f"verge {command} --help: {len(line)} columns: {line}" for line in text if len(line) > 100 and not line.startswith("  verge ")]
    problems += [f"verge {command} --help: blanks at the end: {line!r}" for line in text if line != line.rstrip()]
    # a line of a paragraph ends where the first word of the next does not fit it
    for line, after in zip(text, text[1:]):
        if re.match(r"\w", line) and re.match(r"\w", after) and len(line) + 1 + len(after.split()[0]) <= 100:
            problems.append(f"verge {command} --help: a line is broken early: {line}")
    # what an option means begins in one column
    begins = {len(m.group(1)) for m in (re.match(r"(  --\S+(?: \S+)*  +)\S", line) for line in text) if m}
    if len(begins) > 1:
        problems.append(f"verge {command} --help: options are explained from columns {sorted(begins)} on")
    if not any(line.startswith("Example") for line in text):
        problems.append(f"verge {command} --help has no example")
if len(commands) < 15:
    problems.append(f"only {commands} were looked at")
print("\n".join(problems) or f"ok   {len(commands)} commands")
sys.exit(bool(problems))
