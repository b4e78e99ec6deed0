"""Tables of docs/performance.md from build/bench/results.json: between <!-- bench NAME --> and <!-- end of bench NAME --> stands what
that benchmark printed last, with machine and load. Tables of benchmarks that are not in the results stay as they are."""
import re

N = r"([\d.]+)"


def number(text):
    """Three significant digits where so many were printed, thousands with a comma; – where nothing was printed."""
    if text is None or not text.strip():
        return "–"
    value = float(text)
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2 if abs(value) >= 1 else 3
    printed = len(text.strip().partition(".")[2])
    return f"{value:,.{min(digits, printed)}f}" if value else "0"


def count(text):
    return f"{int(text):,}"


def peer(text):
    return "–" if text is None or float(text) == 0 else number(text)


def name(text):
    return text.strip()


def plain(text):
    return text.strip() if text else "–"


# Of each benchmark: what a row looks like, and title and form of each of its groups.
TABLES = {
    "rigid": (
        rf"^(.*?) +{N} +{N} +{N} +{N} +{N} +{N} +\d+ +\d+(?: +{N} +{N} (\S+))?$",
        [("case", name), ("µs a step", number), ("a body", number), ("Newton iterations a step", number), ("tangents", number),
         ("read, µs a body", number), ("set-up, µs a body", number), ("peer, µs a step", peer), ("peer ÷ Verge", number),
         ("peer", plain)]),
    "tree": (
        rf"^(.*?) +{N} µs( a body)? +goal +[\d.]+ +peer +{N} +iterations +{N}$",
        [("case", name), ("µs", number), ("", lambda text: (text or "").strip()), ("peer, µs", peer), ("Newton iterations", number)]),
    "mesh": (
        rf"^(.{{28}}) +(\d+) +{N} +{N} +{N}(?: {{8}}| +{N})(?: +{N} +{N}  (\S+))?$",
        [("model", name), ("bodies", count), ("set-up, ms", number), ("µs a body", number), ("ms a step", number),
         ("growth", number), ("fastest other, ms", number), ("other ÷ default", number), ("its dial", plain)]),
    "contacts": (
        rf"^ +(\d+) +{N} +{N}(?: {{9}}| +{N}) +{N} +(\d+) +(\d+) +{N}$",
        [("spheres", count), ("set-up, ms", number), ("µs a step", number), ("growth", number), ("Newton iterations", number),
         ("failed", count), ("bytes a body", count), ("largest depth, mm", number)]),
    "analyses": (
        rf"^(.*?), (\d+) +(\d+) +{N} +{N}(?: +{N})?$",
        [("analysis", name), ("size", plain), ("bodies", count), ("set-up, ms", number), ("work, ms", number), ("growth", number)]),
}


def table(benchmark):
    """Lines of the table; empty where no row is recognised."""
    pattern, columns = TABLES[benchmark["name"]]
    rows = [m.groups() for m in (re.match(pattern, line) for line in benchmark["text"].split("\n")) if m]
    if not rows:
        return []
    lines = ["| " + " | ".join(title for title, _ in columns) + " |", "|---" * len(columns) + "|"]
    for row in rows:
        lines.append("| " + " | ".join(form(cell) for (_, form), cell in zip(columns, row)) + " |")
    return lines


def under(benchmark, machine):
    said = f"{machine['processor']}, {machine['processors']} processors, {machine['compiler']}; {machine['date']}, "
    said += f"load {machine['load'][0]:.1f} at the beginning"
    if benchmark["disturbed"]:
        said += f"; disturbed, other programs took {benchmark['others']:.2f} processors beside it"
    return said + "."


def fill(page, results):
    """The page with the tables of these results, and the names of those that were filled."""
    filled = []
    for benchmark in results["benchmarks"]:
        title = benchmark["name"]
        begin, end = f"<!-- bench {title} -->\n", f"<!-- end of bench {title} -->"
        if title not in TABLES or benchmark["exit"] or page.count(begin) != 1 or page.count(end) != 1:
            continue
        lines = table(benchmark)
        if not lines:
            continue
        head, rest = page.split(begin)
        tail = rest.split(end)[1]
        page = head + begin + "\n".join(lines) + "\n\n" + under(benchmark, results["machine"]) + "\n" + end + tail
        filled.append(title)
    return page, filled
