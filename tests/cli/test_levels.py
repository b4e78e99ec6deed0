"""The program holds code for two levels of x86-64 processors (cmake/Levels.cmake): both print the same bits, and on a
processor that has AVX2 the second is taken. VERGE_LEVEL=v2 takes the first anywhere."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

EXE = os.environ["VERGE_EXE"]
SOURCE = pathlib.Path(os.environ["VERGE_SOURCE_DIR"])
MODELS = SOURCE / "models"
CASES = [  # model, settings, end
    ("heavy-top", [], 0.2), ("heavy-top", ["--coordinates", "euler-parameters"], 0.2), ("squeezer", [], 0.01),
    ("four-bar-spatial", [], 0.3), ("double-pendulum", ["--integrator", "dopri5", "--constraints", "index1"], 0.5),
    ("iltis", [], 0.05), ("puma560", [], 0.1), ("cantilever", [], 0.02), ("bicycle", [], 0.2),
]
if b"main_v2" not in pathlib.Path(EXE).read_bytes():
    print("one level in this build")
    sys.exit(77)


def rows(model, words, end, level):
    """The exit code and all samples of all recorded channels, 17 digits."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "run.csv"
        done = subprocess.run([EXE, "run", str(MODELS / f"{model}.yaml"), *words, "--end", str(end), "-q", "-o", str(out)],
                              capture_output=True, env={**os.environ, "VERGE_LEVEL": level})
        return done.returncode, out.read_bytes() if out.exists() else done.stderr


# Four numbers side by side are passed in other registers where there is AVX: sources that both levels share know no such type.
hot = re.search(r'set\(VERGE_HOT "(.+)"\)', (SOURCE / "cmake" / "Levels.cmake").read_text()).group(1)
shared = [path for path in (SOURCE / "src").rglob("*.[ch]") if not re.search(hot, str(path))]
wide = [str(path) for path in shared if re.search(r"\bvg(Lane|Four|Two)\w*|vector_size", path.read_text())]
if wide or len(shared) < 100:
    sys.exit(f"compiled once for both levels, but with vectors: {wide} of {len(shared)}")

failed = 0
for model, words, end in CASES:
    plain, fast = (rows(model, words, end, level) for level in ("v2", ""))
    if plain != fast or plain[0] or plain[1].count(b"\n") < 3:
        print("FAIL", model, *words, plain[0], fast[0])
        failed += 1
    else:
        print("ok  ", model, *words)
sys.exit(bool(failed))
