"""Pictures and pages as a user gets them: PNG, PDF and SVG of every command that draws, run --view."""
import os
import pathlib
import struct
import subprocess
import tempfile
import zlib

EXE = os.environ["VERGE_EXE"]
MODELS = pathlib.Path(os.environ["VERGE_SOURCE_DIR"]) / "models"
problems = []


def check(good, text):
    if not good:
        problems.append(str(text))


def verge(*words, code=0):
    done = subprocess.run([EXE, *map(str, words)], capture_output=True, text=True)
    check(done.returncode == code, f"verge {' '.join(map(str, words))}: exit {done.returncode}, {done.stderr[:300]}")
    return done


def png_colours(path):
    """Width, height and the set of colours of an RGB picture of 8 bits (filters of PNG undone)."""
    data = path.read_bytes()
    check(data[:8] == b"\x89PNG\r\n\x1a\n", f"{path} is no PNG")
    at, body, width, height = 8, b"", 0, 0
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", data[at + 8:at + 18])
            check((depth, colour) == (8, 2), f"{path}: RGB of 8 bits")
        if kind == b"IDAT":
            body += data[at + 8:at + 8 + size]
        at += 12 + size
    raw, stride, colours = zlib.decompress(body), 3 * width, set()
    above = bytearray(stride)
    for row in range(height):
        kind, line = raw[row * (stride + 1)], bytearray(raw[row * (stride + 1) + 1:(row + 1) * (stride + 1)])
        if kind in (1, 3, 4) or row % 8 == 0 or kind == 2:
            for i in range(stride):
                left, up, corner = line[i - 3] if i >= 3 else 0, above[i], above[i - 3] if i >= 3 else 0
                if kind == 1:
                    line[i] = (line[i] + left) & 255
                elif kind == 2:
                    line[i] = (line[i] + up) & 255
                elif kind == 3:
                    line[i] = (line[i] + (left + up) // 2) & 255
                elif kind == 4:
                    p = left + up - corner
                    near = min((abs(p - left), 0, left), (abs(p - up), 1, up), (abs(p - corner), 2, corner))[2]
                    line[i] = (line[i] + near) & 255
        colours.update(zip(line[0::3], line[1::3], line[2::3]))
        above = line
        if row > height * 0.55:
            break
    return width, height, colours


def figure(path):
    data = path.read_bytes()
    if path.suffix == ".svg":
        check(data.startswith(b"<svg") and data.rstrip().endswith(b"</svg>"), f"{path}")
    elif path.suffix == ".pdf":
        check(data.startswith(b"%PDF-") and b"%%EOF" in data[-16:] and b"/Font" in data, f"{path}")
    else:
        check(data.startswith(b"\x89PNG"), f"{path}")
    check(len(data) > 2000, f"{path} has {len(data)} bytes")


def plots(folder, formats):
    verge("run", MODELS / "cart.yaml", "-q", "-o", folder / "fine.h5", "--end", 1)
    verge("run", MODELS / "cart.yaml", "-q", "-o", folder / "coarse.h5", "--end", 1, "--step", 0.05)
    for ending in formats:
        path = folder / f"p.{ending}"
        verge("plot", folder / "fine.h5", folder / "coarse.h5", "joint.*", "energy.total", "-o", path)
        figure(path)
        verge("spectrum", "rk4", "bathe", "--points", 9, "--region", "-o", folder / f"s.{ending}")
        figure(folder / f"s.{ending}")
        words = [MODELS / "pendulum-point.yaml", "--integrators", "generalized-alpha,rk4", "--end", 0.2]
        verge("converge", *words, "--step", 0.02, "--halvings", 2, "-o", folder / f"c.{ending}")
        figure(folder / f"c.{ending}")
        verge("compare", *words, "--step", "0.02,0.01", "-o", folder / f"m.{ending}")
        figure(folder / f"m.{ending}")
    svg = (folder / "p.svg").read_text()
    # units differ: a panel each; one channel of two runs: the legend has the runs, the axis the channel
    check(svg.count("<clipPath") == 3 and svg.count(">fine<") == 3 and svg.count(">coarse<") == 3, "panels by unit")
    check(">joint.rail.displacement [m]<" in svg and ">joint.pin.angle [rad]<" in svg and ">time [s]<" in svg, "units")
    verge("plot", folder / "fine.h5", folder / "coarse.h5", "--x", "joint.pin.angle", "--y", "joint.rail.displacement,energy.total",
          "--one-axis", "-o", folder / "x.svg")
    svg = (folder / "x.svg").read_text()
    check(svg.count("<clipPath") == 1 and ">joint.pin.angle [rad]<" in svg and ">energy.total · coarse<" in svg, "phase plot")
    verge("plot", folder / "fine.h5", "nothing.*", code=2)
    verge("plot", "joint.pin.angle", code=2)
    verge("plot", folder / "fine.h5", "-o", folder / "p.gif", code=2)
    verge("converge", MODELS / "pendulum-point.yaml", "-o", "c.jpg", code=2)
    verge("plot", folder / "fine.h5", "-o", folder / "none" / "p.svg", code=2)
    if "png" in formats:
        verge("plot", folder / "fine.h5", "-o", folder / "none" / "p.png", code=2)
        verge("plot", folder / "fine.h5", "joint.pin.angle", "-o", folder / "one.png")
        width, height, colours = png_colours(folder / "one.png")
        check((width, height) == (1600, 1000), f"{width} × {height}")
        check({(255, 255, 255), (0x00, 0x72, 0xb2), (0x33, 0x33, 0x33)} <= colours, "paper, curve and axes are painted")


def pages(folder):
    out = verge("run", MODELS / "cart.yaml", "-o", folder / "v.h5", "--end", 0.5, "--view").stdout
    check(str(folder / "v.html") in out and (folder / "v.html").stat().st_size > 300000, "page beside the results")
    os.chdir(folder)
    scratch = folder / "scratch"  # of our own: other programs leave and take files in the usual one
    scratch.mkdir()
    os.environ["TMPDIR"] = str(scratch)
    out = verge("run", MODELS / "cart.yaml", "--view", "page.html", "--end", 0.5).stdout
    check("page.html" in out and "</html>" in (folder / "page.html").read_text()[-40:], out)
    check("cart.h5" not in os.listdir(folder), "no results file that was not asked for")
    left = os.listdir(scratch)
    check(not left, f"left behind: {left}")
    verge("run", "--view", MODELS / "cart.yaml", "--end", 0.1, "-q")
    check((folder / "cart.html").exists(), "the model's name where no results file is wanted")
    check("write -o FILE.h5" in verge("run", MODELS / "cart.yaml", "-o", "t.csv", "--view", code=2).stderr, "CSV has no poses")


def main():
    built = verge("plot", MODELS / "none.h5", "-o", "x.png", code=2).stderr
    formats = ["svg"] if "built without cairo" in built else ["svg", "png", "pdf"]
    with tempfile.TemporaryDirectory() as name:
        plots(pathlib.Path(name), formats)
        pages(pathlib.Path(name))
        os.chdir("/")
    print("\n".join(problems) or f"ok ({', '.join(formats)})")
    return bool(problems)


if __name__ == "__main__":
    raise SystemExit(main())
