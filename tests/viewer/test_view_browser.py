"""The page of `verge view` in a real browser (tests/viewer/browser.mjs), on results files of known motions."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["VERGE_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["VERGE_BUILD_DIR"])
PAGES = {"pendulum": ["pendulum"], "fourbar": ["fourbar"], "crane": ["crane"], "cart": ["cart"], "long": ["long"],
         "chain": ["chain"], "compare": ["pendulum", "damped"]}


# A rod of 2 m thrown along x, turning about z.
# A cantilever of steel 20 mm wide (y) and 60 mm high (z) bent by a couple; a ball at rest on a hill that is flat there,
# and a spring that pulls it up with 2 N. A wheel on a road with a hump, and a brick of 0.6 × 0.4 × 0.2 m turned 30 degrees
# about z, of which only the inertia is given. A bob on a rod of 1 m. A plate that is nothing but its inertia, for 5 ms.
MODELS = {"trusted": """verge: 1
planar: true
gravity: [0, -9.81]
bodies: {bob: {mass: 1, inertia: 0.1, angle: 0.5, com: [0, -1]}}
joints: {O: {revolute: [ground, bob]}}
run: {step: 1e-3, end: 2, verify: true}
record: [joint.O.angle, joint.O.rate, joint.O.lambda.0]
""", "thrown": """verge: 1
mesh: {rod: {beam: 10, from: [-1, 0, 0], to: [1, 0, 0], velocity: [10, 0, 0], omega: [0, 0, 2], circle: 0.01, E: 2e11, rho: 7800}}
run: {step: 1e-2, end: 2}
record: [body.rod.1.position.*]
""", "aimed": """verge: 1
mesh: {rod: {beam: 10, from: [6, 0, 0], to: [0, 8, 0], circle: 0.01, E: 2e11, rho: 7800}}
run: {step: 1e-2, end: 0.1}
""", "beam": """verge: 1
bodies: {tip: {mass: 0.1, inertia: [1e-3, 1e-3, 1e-3], position: [1, 0, 0]}}
mesh: {bar: {beam: 4, start: {fixed: ground}, end: {fixed: tip}, to: [1, 0, 0], rectangle: [0.02, 0.06], E: 2e11, rho: 7800}}
forces: {couple: {torque: tip, value: [0, 0, "1000*min(t/0.1, 1)"]}}
run: {integrator: {generalized-alpha: {rho: 0.2}}, step: 1e-3, end: 0.2}
record: [body.tip.position.*]
""", "ball": """verge: 1
planar: true
gravity: [0, -9.81]
tables: {hill: {x: [-2, -1, 1, 2], y: [0.5, 0, 0, 0.5]}}
bodies:
  ground: {markers: {post: [0, 1.1]}}
  ball: {mass: 1, inertia: 0.004, position: [0, 0.1], shape: {disc: 0.1}}
forces:
  floor: {contact-point-profile: [ground, ball], profile: hill, radius: 0.1, stiffness: 1e6, exponent: 1, damping: 2}
  pull: {spring: [ground.post, ball], stiffness: 4, length: 0.5}
run: {step: 1e-3, end: 2}
record: [force.floor.*, force.pull.force, body.ball.position.y]
""", "hoist": """verge: 1
gravity: 9.81
bodies:
  ground: {markers: {mast: [2, 0, 0]}}
  block: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [2, 0, 0], shape: {box: [0.2, 0.2, 0.2]}}
joints: {lift: {prismatic: [ground.mast, block], axis: z, drive: {displacement: 0.5*t}}}
mesh: {bar: {beam: 4, start: {fixed: ground}, to: [1, 0, 0], rectangle: [0.02, 0.06], E: 2e11, rho: 7800}}
run: {integrator: {generalized-alpha: {rho: 0.2}}, step: 1e-3, end: 0.2}
record: [joint.lift.drive.force.*]
""", "wheel": """verge: 1
gravity: [0, 0, -9.81]
roads: {hump: {cosine: {start: 1, length: 2, height: 0.1}}}
bodies:
  brick: {mass: 12, inertia: [[0.25, -0.0866025404, 0], [-0.0866025404, 0.35, 0], [0, 0, 0.52]], position: [0, 1, 1]}
  wheel: {mass: 5, inertia: [0.2, 0.3, 0.2], position: [0, 0, 0.3], velocity: [4, 0, 0], shape: {cylinder: [0.3, 0.2], rotation: [pi/2, 0, 0]}}
forces:
  tyre: {tyre-linear: [ground, wheel], road: hump, radius: 0.3, stiffness: 2e5, cornering: 4e4}
run: {step: 1e-3, end: 0.5}
record: [body.wheel.position.*]
""", "machine": """verge: 1
planar: true
bodies:
  boom: {mass: 10, inertia: 5, com: [1, 0], markers: {lug: [1, 0]}}
  crank: {mass: 1, inertia: 0.1, position: [4, 0], com: [0.25, 0], markers: {tip: [0.5, 0]}}
  arm: {mass: 1, inertia: 0.1, position: [3, 0], com: [1, 0]}
  small: {mass: 1, inertia: 0.01, position: [0, 3]}
  large: {mass: 1, inertia: 0.1, position: [2, 3]}
joints:
  O: {revolute: [ground, boom]}
  jack: {distance: [{body: ground, position: [1, -1]}, boom.lug], drive: {distance: 1 + 0.5*t}}
  C: {revolute: [{body: ground, position: [4, 0]}, crank], drive: {angle: t}}
  A: {revolute: [{body: ground, position: [3, 0]}, arm]}
  slot: {point-on-line: [arm, crank.tip], axis: x}
  S: {revolute: [{body: ground, position: [0, 3]}, small], drive: {angle: 4*t}}
  L: {revolute: [{body: ground, position: [2, 3]}, large]}
  mesh: {gear: [S, L], ratio: -1/3}
run: {step: 1e-2, end: 1}
record: [joint.O.angle, energy.*]
""", "bob": """verge: 1
planar: true
gravity: 9.81
bodies: {bob: {mass: 1, point: true, position: [1, 0], shape: {sphere: 0.05}}}
joints: {rod: {distance: [ground, bob], length: 1}}
run: {step: 1e-2, end: 3}
""", "plate": """verge: 1
bodies: {plate: {mass: 1, inertia: [1, 2, 3], omega: [0, 5, 1]}}
run: {step: 1e-4, end: 5e-3}
""", "surfaces": """verge: 1
gravity: 9.81
bodies:
  ground:
    markers: {slope: {position: [1, 0, -0.2], rotation: [0, 0.3, 0]}, step: [-0.8, 0, -0.3], bar: [0, 1, 0]}
    shape: {box: [0.4, 0.3, 0.1], position: [-0.8, 0, -0.3]}
  ball: {mass: 0.1, inertia: [4e-5, 4e-5, 4e-5], position: [0.15, 0, -0.1]}
  roller: {mass: 0.1, inertia: [4e-5, 4e-5, 4e-5], position: [0.9, 0, 0]}
  hopper: {mass: 0.1, inertia: [4e-5, 4e-5, 4e-5], position: [-0.8, 0, 0.1]}
  bat: {mass: 0.2, inertia: [1e-3, 1e-3, 1e-3], com: [0.2, 0, 0], position: [-0.2, 1, 0.3], markers: {tip: [0.4, 0, 0]}}
joints: {hinge: {revolute: [{body: ground, position: [-0.2, 1, 0.3]}, bat], axis: y}}
forces:
  bowl: {contact-sphere-sphere: [ground, ball], radius: 0.03, first: 0.3, inside: true, stiffness: 1e5, damping: 0.3}
  slope: {contact-sphere-plane: [ground.slope, roller], radius: 0.05, stiffness: 1e5, damping: 0.3}
  step: {contact-sphere-box: [ground.step, hopper], size: [0.4, 0.3, 0.1], radius: 0.04, stiffness: 1e5, damping: 0.3}
  hit: {contact-sphere-capsule: [ground.bar, bat.tip], length: 0.4, axis: y, first: 0.02, radius: 0.06, stiffness: 1e5, damping: 0.3}
run: {step: 1e-3, end: 0.2}
"""}


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def main():
    if "VERGE_SANITIZE:BOOL=ON" in (BUILD / "CMakeCache.txt").read_text():
        skip("the page is the same in a build with sanitizers; the release build tests it")
    node = shutil.which("node") or shutil.which("nodejs")
    browser = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
    if not node:
        skip("no node")
    if not browser:
        skip("no chromium")
    viewer = SOURCE / "viewer"
    if not (viewer / "node_modules" / "playwright-core").exists():
        skip("no playwright-core: run npm ci in viewer/")
    samples = BUILD / "tests" / "viewer_samples"
    with tempfile.TemporaryDirectory(prefix="verge-view-") as folder:
        subprocess.run([samples, folder], check=True)
        for page, runs in PAGES.items():
            out = os.path.join(folder, page + ".html")
            files = [os.path.join(folder, run + ".h5") for run in runs]
            made = subprocess.run([samples, "page", out, *files])
            if made.returncode == 77:
                skip("verge was built without the page")
            if made.returncode:
                sys.exit(1)
        for name, text in MODELS.items():
            model = os.path.join(folder, name + ".yaml")
            pathlib.Path(model).write_text(text)
            subprocess.run([os.environ["VERGE_EXE"], "run", model, "-q", "--view", os.path.join(folder, name + ".html")], check=True)
        sys.exit(subprocess.run([node, SOURCE / "tests" / "viewer" / "browser.mjs", folder, viewer, browser]).returncode)


main()
