"""Grows the packs of fuzz cases without libFuzzer: random changes of seeds. Where the library answers in words, a case is kept if its
words are new, numbers and names left out; elsewhere some of each length are kept.

    python3 tests/fuzz/grow.py [TRIES [TARGET…]]        needs a release build; writes tests/fuzz/corpus/*.pack"""
import ctypes
import os
import pathlib
import random
import re
import struct
import sys
import tempfile

import pack

LIB = ctypes.CDLL(str(pack.ROOT / "build" / "release" / "libverge.so"))
LIB.vg_diag_new.restype = LIB.vg_parse.restype = LIB.vg_load.restype = ctypes.c_void_p
LIB.vg_diag_line.restype = ctypes.c_char_p
LIB.vg_parse.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p]
LIB.vg_load.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p]
LIB.vg_diag_line.argtypes = [ctypes.c_void_p, ctypes.c_int]
for free in (LIB.vg_diag_free, LIB.vg_model_free, LIB.vg_diag_count):
    free.argtypes = [ctypes.c_void_p]
LAW = b"verge: 1\nbodies: {rod: {mass: 1, com: [0.5, 0, 0]}}\njoints: {O: {revolute: [ground, rod], axis: y}}\nforces: {T: {joint-torque: O, value: \"%s\"}}\n"
ARM = b"verge: 1\nflexible: {arm: {file: %s}}\njoints: {O: {revolute: [ground, arm], axis: z}}\n"

LOOK = b"verge: 1\nbodies: {rod: {density: 1, shape: {mesh: x.%s}}}\n"


def words(call):
    diag = LIB.vg_diag_new()
    model = call(diag)
    lines = [LIB.vg_diag_line(diag, i) for i in range(LIB.vg_diag_count(diag))]
    LIB.vg_model_free(model)
    LIB.vg_diag_free(diag)
    text = b"|".join(sorted({re.sub(rb"'[^']*'|\"[^\"]*\"|[-\d.e+]+", b"#", line) for line in lines}))
    return text or (b"taken" if model else b"mute")


def answer(target, case, place):
    if target in ("model", "urdf", "mjcf"):
        return words(lambda diag: LIB.vg_parse(case, len(case), b"fuzz", None, diag))
    if target == "expr":
        text = LAW % case.replace(b"\\", b"").replace(b'"', b"")
        return words(lambda diag: LIB.vg_parse(text, len(text), b"fuzz", None, diag))
    if target in ("stl", "obj"):
        (place / f"x.{target}").write_bytes(case)
        (place / "m.yaml").write_bytes(LOOK % target.encode())
        return words(lambda diag: LIB.vg_load(str(place / "m.yaml").encode(), None, diag))
    if target == "modes":
        (place / "x.modes").write_bytes(case)
        (place / "m.yaml").write_bytes(ARM % b"x.modes")
        return words(lambda diag: LIB.vg_load(str(place / "m.yaml").encode(), None, diag))
    return None


def change(case, others, tokens, dice):
    data = bytearray(case)
    for _ in range(dice.randint(1, 4)):
        at, n = dice.randrange(len(data) + 1), dice.randint(1, 12)
        kind = dice.randrange(6)
        if kind == 0 and data:
            data[at % len(data)] ^= 1 << dice.randrange(8)
        elif kind == 1:
            del data[at:at + n]
        elif kind == 2:
            data[at:at] = dice.choice(tokens) if tokens else bytes(dice.randrange(256) for _ in range(n))
        elif kind == 3:
            other = dice.choice(others)
            start = dice.randrange(len(other) + 1)
            data[at:at + n] = other[start:start + dice.randint(1, 60)]
        elif kind == 4:
            del data[at:]
        else:
            data[at:at] = data[at:at + n] * dice.randint(1, 3)
    return bytes(data)


def tokens_of(target):
    path = pack.HERE / "words" / target
    if not path.exists():
        return [b"1e308", b"nan", b"-1", b",", b"\n", b"="]
    return [re.sub(rb"\\x(..)", lambda m: bytes([int(m[1], 16)]), line[1:-1]) for line in path.read_bytes().split(b"\n") if line[:1] == b'"']


def grow(target, tries, place):
    dice = random.Random(target)
    folder = place / target
    folder.mkdir()
    pack.made(target, folder)
    seeds = [s for s in (*pack.unpack(target), *pack.seeds(target), *(f.read_bytes() for f in folder.iterdir())) if s]
    small = [s for s in seeds if len(s) <= pack.LONGEST] or [s[:pack.LONGEST] for s in seeds]
    if target == "h5":  # results are larger than a kept case: what stands at their beginning, and holes
        small = [s[:n] for s in seeds for n in (600, 1500, 2900)]
    if not small:
        small = [b"\x00"]
    known, kept, pool = set(), [], list(small)
    for k in range(tries):
        case = pool[k] if k < len(small) else change(dice.choice(pool), pool, tokens_of(target), dice)[:pack.LONGEST]
        said = answer(target, case, place)
        if said is None:
            said = struct.pack("<I", len(case) % 400) + case[:1]
        if said in known:
            continue
        known.add(said)
        kept.append(case)
        pool.append(case)
    return kept[:170]


def main():
    tries = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        for target in sys.argv[2:] or pack.TARGETS:
            kept = grow(target, tries, place)
            (pack.HERE / "corpus").mkdir(exist_ok=True)
            (pack.HERE / "corpus" / f"{target}.pack").write_bytes(b"".join(struct.pack("<I", len(c)) + c for c in kept))
            print(f"{target}: {len(kept)} cases, {sum(map(len, kept))} bytes", flush=True)


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(__file__))
    main()
