"""The documentation site: every page, equation, model and public function is there, nothing leads nowhere."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

SOURCE = pathlib.Path(os.environ["VERGE_SOURCE_DIR"])
PAGES = ["index", "guide", "dials", "realtime", "control", "models", "format", "commands", "integrators", "theory", "api", "reproduction", "performance",
         "architecture", "contributing", "changelog"]
problems = []


def check(good, text):
    if not good:
        problems.append(text)


def main():
    node = shutil.which("node") or shutil.which("nodejs")
    if not node or not (SOURCE / "viewer" / "node_modules" / "markdown-it").exists():
        print("no node or no packages")
        return 77
    with tempfile.TemporaryDirectory() as name:
        site = pathlib.Path(name) / "site"
        done = subprocess.run([node, SOURCE / "docs" / "site.mjs", SOURCE, site], capture_output=True, text=True)
        # links, parts and equations are checked while it is made
        check(done.returncode == 0, done.stderr)
        pages = {page: (site / f"{page}.html").read_text() for page in PAGES}
        theory = (SOURCE / "docs" / "theory.md").read_text()
        tags = len(re.findall(r"\\tag\{", theory))
        check(pages["theory"].count('class="katex-tag"') == tags > 30, f"{pages['theory'].count('class=' + chr(34) + 'tag')} of {tags} numbered equations")
        check("$$" not in re.sub(r"<annotation.*?</annotation>", "", pages["theory"], flags=re.S), "an equation is left as text")
        headers = "".join((SOURCE / "include" / "verge" / h).read_text() for h in ("verge.h", "status.h", "version.h"))
        for function in set(re.findall(r"\b(vg_\w+)\(", headers)):
            check(function in pages["api"], f"api: no {function}")
        named = re.findall(r"^`(models/[^`]+)`\..*?^!\[([^]]+)\]", (SOURCE / "docs" / "models.md").read_text(), re.M | re.S)
        check(len(named) > 20, "models.md has the models")
        for file, model in named:
            card = f'id="{model}"' in pages["models"] and f'href="{file}"' in pages["models"]
            check(card and (site / file).exists(), f"gallery: no {model}")
        kept = (SOURCE / "docs" / "reproduction.md").read_text()
        rows = re.findall(r"^\| \[[ZNGDH]\] \|.*\| (holds|holds partly|does not hold) \|", kept, re.M)
        listed = subprocess.run([os.environ["VERGE_EXE"], "reproduce", "--list"], capture_output=True, text=True).stdout.splitlines()
        check(len(rows) == len(listed) > 30, f"{len(rows)} verdicts kept of {len(listed)} experiments: verge reproduce all --summary docs/reproduction.md")
        check(pages["reproduction"].count("<tr>") > 30, "the summary of the reproduction is shown")
        for page, text in pages.items():
            check(not re.search(r'(src|rel="stylesheet" href)="https?:', text), f"{page} needs the network")
            check(text.count("<h1") == 1, f"{page}: one title")
        check(len(list((site / "assets" / "fonts").glob("*.woff2"))) > 10, "fonts of the equations")
    print("\n".join(problems) or "ok")
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
