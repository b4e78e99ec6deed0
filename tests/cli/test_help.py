"""The help fits a terminal: the list of commands in 100 columns, and of every command."""
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
    if not any(line.startswith("Example") for line in text):
        problems.append(f"verge {command} --help has no example")
if len(commands) < 15:
    problems.append(f"only {commands} were looked at")
print("\n".join(problems) or f"ok   {len(commands)} commands")
sys.exit(bool(problems))
