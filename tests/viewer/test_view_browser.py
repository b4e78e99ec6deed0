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
        sys.exit(subprocess.run([node, SOURCE / "tests" / "viewer" / "browser.mjs", folder, viewer, browser]).returncode)


main()
