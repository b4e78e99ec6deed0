"""A file includes only its own room or rooms below, headers form no cycle, and public headers stand alone."""
import os
import pathlib
import re
import sys

SOURCE = pathlib.Path(os.environ["VERGE_SOURCE_DIR"])
ROOMS = ["base", "math", "linalg", "element", "model", "system", "integrator", "analysis", "io", "fmi", "cli", "reproduce", "web"]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def included(path):
    return INCLUDE.findall(path.read_text())


def order_problems(path, room):
    """What is wrong with the includes of one file of a room."""
    for kind, name in included(path):
        other = name.split("/")[0]
        if kind == "<":
            if other in ROOMS + ["verge"] and "/" in name:
                yield f'<{name}> is one of ours, write "{name}"'
        elif other == "verge":
            if not (SOURCE / "include" / name).exists():
                yield f'"{name}" is not a public header'
        elif other not in ROOMS or "/" not in name:
            yield f'"{name}" does not name its room'
        elif ROOMS.index(other) > ROOMS.index(room):
            yield f'"{name}" lies above {room}'
        elif not (SOURCE / "src" / name).exists():
            yield f'"{name}" does not exist'


def find_cycle(graph):
    done, path = set(), []

    def visit(node):
        if node in path:
            return path[path.index(node):] + [node]
        if node in done:
            return None
        path.append(node)
        for other in graph.get(node, []):
            cycle = visit(other)
            if cycle:
                return cycle
        path.pop()
        done.add(node)
        return None

    for node in sorted(graph):
        cycle = visit(node)
        if cycle:
            return cycle
    return None


def main():
    problems, graph, files = [], {}, 0
    for room in sorted(p.name for p in (SOURCE / "src").iterdir() if p.is_dir()):
        if room not in ROOMS:
            problems.append(f"src/{room} is not a room")
            continue
        for path in sorted((SOURCE / "src" / room).rglob("*.[ch]")):
            files += 1
            name = path.relative_to(SOURCE / "src").as_posix()
            problems += [f"src/{name}: {text}" for text in order_problems(path, room)]
            if path.suffix == ".h":
                graph[name] = [other for kind, other in included(path) if kind == '"']
    for path in sorted((SOURCE / "include" / "verge").glob("*.h")):
        files += 1
        for kind, name in included(path):
            if kind == '"' and not name.startswith("verge/"):
                problems.append(f'include/verge/{path.name}: "{name}" is not public')
        graph[f"verge/{path.name}"] = [other for _, other in included(path)]
    cycle = find_cycle(graph)
    if cycle:
        problems.append("headers include each other: " + " -> ".join(cycle))
    if files == 0:
        problems.append("no file was looked at")
    print("\n".join(problems) or f"ok   {files} files")
    sys.exit(bool(problems))


main()
