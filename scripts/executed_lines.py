"""Which lines a run executed, by the files that gcc's --coverage writes (GCC 12 and later): notes of an object
(.gcno: blocks, arcs and lines of each function) and counters of a run (.gcda). gcov says the same, one object at a time."""
import os
import shutil
import struct

FUNCTION, BLOCKS, ARCS, LINES, COUNTERS = 0x01000000, 0x01410000, 0x01430000, 0x01450000, 0x01A10000
ON_TREE = 1  # an arc without a counter


def records(data, at):
    """The records of a file: tag, where its content begins, its length in bytes."""
    while at + 8 <= len(data):
        tag, length = struct.unpack_from("<Ii", data, at)
        if tag == 0:
            return
        yield tag, at + 8, length
        at += 8 + max(0, length)  # negative: so many counters, all zero


def text_at(data, at):
    n = struct.unpack_from("<I", data, at)[0]
    return data[at + 4:at + 4 + n].rstrip(b"\0").decode(), at + 4 + n


def lines_at(data, at, end):
    """(file, line) of a block."""
    name, at = "", at + 4
    while at < end:
        line, at = struct.unpack_from("<I", data, at)[0], at + 4
        if line:
            yield name, line
        else:
            name, at = text_at(data, at)
            if not name:
                return


class Function:
    def __init__(self, data, at):
        self.ident = struct.unpack_from("<I", data, at)[0]
        _, at = text_at(data, at + 12)
        source, at = text_at(data, at + 4)
        self.first, _, self.last = struct.unpack_from("<III", data, at)
        self.source = source
        self.blocks, self.arcs, self.lines = 0, [], {}

    def executed(self, counters):
        """The lines of the blocks that were entered: what flows into a block flows out of it, which gives the arcs of the
        tree, that have no counters."""
        count, counters = [None] * len(self.arcs), iter(counters)
        around = [[] for _ in range(self.blocks)]
        for k, (a, b, flags) in enumerate(self.arcs):
            if not flags & ON_TREE:
                count[k] = next(counters)
            around[a].append((k, 1))
            around[b].append((k, -1))
        around[0].append((len(count), -1))  # from the exit, block 1, back to the entry
        around[1].append((len(count), 1))
        count.append(None)
        todo = list(range(self.blocks))
        while todo:
            unknown = [(k, sign) for k, sign in around[todo[-1]] if count[k] is None]
            block = todo.pop()
            if len(unknown) == 1:
                k, sign = unknown[0]
                count[k] = -sign * sum(s * count[j] for j, s in around[block] if j != k)
                if k < len(self.arcs):
                    todo += [b for b in self.arcs[k][:2] if b != block]
        for block, places in self.lines.items():
            if any(count[k] for k, _ in around[block]):  # one that is not known counts as entered no more than 0 does
                yield from places


def notes_of(path, relative):
    """ident → Function, by a .gcno; relative(path): how a source is called."""
    data, found, f = open(path, "rb").read(), {}, None
    _, at = text_at(data, 16)  # magic, version, stamp, checksum; folder
    for tag, at, length in records(data, at + 4):
        if tag == FUNCTION:
            f = Function(data, at)
            f.source = relative(f.source)
            found[f.ident] = f
        elif tag == BLOCKS:
            f.blocks = struct.unpack_from("<I", data, at)[0]
        elif tag == ARCS:
            words = struct.unpack_from(f"<{length // 4}I", data, at)
            f.arcs += [(words[0], words[i], words[i + 1]) for i in range(1, len(words) - 1, 2)]
        elif tag == LINES:
            block = struct.unpack_from("<I", data, at)[0]
            f.lines.setdefault(block, []).extend((relative(n), line) for n, line in lines_at(data, at, at + length))
    return found


def executed(folder, notes):
    """file → lines that a test executed."""
    seen = {}
    for d, _, names in os.walk(folder):
        for name in names:
            if not name.endswith(".gcda"):
                continue
            data, known, f = open(os.path.join(d, name), "rb").read(), notes.get(name[:-5], {}), None
            for tag, at, length in records(data, 16):
                if tag == FUNCTION:
                    f = known.get(struct.unpack_from("<I", data, at)[0]) if length > 0 else None
                elif tag == COUNTERS and length > 0 and f:
                    for path, line in f.executed(struct.unpack_from(f"<{length // 8}Q", data, at)):
                        seen.setdefault(path, set()).add(line)
    shutil.rmtree(folder, ignore_errors=True)
    return seen
