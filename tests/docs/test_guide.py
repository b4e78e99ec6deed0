"""Every command of the guide, of the pages about dials, real time and results and of the README is run, in their order, with the files they write."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

EXE = pathlib.Path(os.environ["VERGE_EXE"])
SOURCE = pathlib.Path(os.environ["VERGE_SOURCE_DIR"])
# what the reader should have at the end
LEFT = {"guide.md": ["swing.h5", "swing.html", "swing.png", "phase.svg", "both.pdf", "both.html"],
        "dials.md": ["damping.svg", "converge.pdf", "compare.png"],
        "realtime.md": ["arm.yaml"],
        "results.md": ["cart.h5", "cart.csv"],
        "control.md": ["cart-pole.h5", "quadcopter.h5"],
        "fmi.md": ["cart-pole.fmu", "cart-pole-3.fmu", "double-pendulum.fmu", "beside.csv"],
        "../README.md": ["cart.h5", "cart.html", "angle.pdf"]}
LONG = ("verge advise models/iltis.yaml", "verge reproduce")  # tested elsewhere
problems = []
without = set()  # what this build cannot do
commands = 0


def serves(command, folder, paths):
    """A command that goes on until Ctrl-C: it must start, and end cleanly."""
    process = subprocess.Popen(["sh", "-c", f"exec {command} --no-open"], cwd=folder, env=paths, stdout=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    code = process.wait(timeout=600)
    process.stdout.close()
    return code == 0 and line.startswith("studio at http://127.0.0.1:"), line


def run(command, folder, paths):
    global commands
    commands += 1
    if command.startswith("verge studio"):
        good, said = serves(command, folder, paths)
        missing = "built without" in said or "no studio" in said or not said
        if not good and not missing:
            problems.append(f"{command}: {said}")
        return
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=paths, capture_output=True, text=True, timeout=600)
    if "built without cairo" in done.stderr:
        without.update([".png", ".pdf"])
    elif "no viewer" in done.stderr:
        without.update([".html", ".h5"])
    elif done.returncode:
        problems.append(f"{command}: exit {done.returncode}: {done.stderr[:300]}")


def read(program, folder, paths):
    """A program in Python, where its packages are there: /usr/bin/python3 has those of the system."""
    global commands
    for python in ("/usr/bin/python3", sys.executable):
        done = subprocess.run([python, "-c", program], cwd=folder, env=paths, capture_output=True, text=True, timeout=600) if os.path.exists(python) else None
        if done and (done.returncode == 0 or "ModuleNotFoundError" not in done.stderr):
            break
    if done.returncode and "ModuleNotFoundError" not in done.stderr:
        problems.append(f"{program}: {done.stderr[-300:]}")
    commands += 1


def follow(page):
    text = (SOURCE / "docs" / page).read_text()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tools = folder / "bin"
        tools.mkdir()
        os.symlink(EXE, tools / "verge")
        shutil.copytree(SOURCE / "models", folder / "models")
        paths = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}")
        for info, body in re.findall(r"^```([^\n]*)\n(.*?)^```", text, re.M | re.S):
            words = info.split()
            if words[:1] == ["yaml"] and len(words) == 2:
                (folder / words[1]).write_text(body)
            elif words[:1] == ["sh"]:
                for line in body.splitlines():
                    run(line, folder, paths)
            elif words[:1] == ["python"]:
                read(body, folder, paths)
            elif words[:1] == ["yaml"]:  # as shipped or a part of it, but for comments
                shipped = [re.sub(r"^#.*\n", "", model.read_text(), flags=re.M) for model in (SOURCE / "models").glob("*.yaml")]
                if not any(body in model for model in shipped):
                    problems.append(f"{page}: its model is not shipped so")
            for line in re.findall(r"^\$ build/release/(verge .*?)(?: {2,}#.*)?$", body, re.M):
                if not line.startswith(LONG):
                    run(line, folder, paths)
        prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
        for command in re.findall(r"`(verge [^`]*)`", prose):  # a command that is only named must be there
            run(command if "-" in command else f"{command} --help", folder, paths)
        missing = [file for file in LEFT[page] if not (folder / file).exists() and pathlib.Path(file).suffix not in without]
        if missing:
            problems.append(f"{page}: not there at the end: {missing}")
        for picture in re.findall(r"!\[[^]]*\]\(([^)]+)\)", text):
            if not (SOURCE / "docs" / page).parent.joinpath(picture).exists():
                problems.append(f"{page}: no picture {picture}")
        for link in re.findall(r"[^!]\[[^]]*\]\(([^)#]+)\)", text):
            made = link == "api.md"  # by the site alone, from the headers
            if not made and not (SOURCE / "docs" / page).parent.joinpath(link).exists():
                problems.append(f"{page}: dead link {link}")


def main():
    for page in LEFT:
        follow(page)
    print("\n".join(problems) or f"ok, {commands} commands")
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
