"""What random jobs are made of: numbers with ties, NaN, duplicates and extremes, files of them, and
jobs, which can be made smaller: options can be left out one by one, lines and rows of inputs too."""
import dataclasses
import math
import random
import struct

KINDS = {"d": "<f8", "f": "<f4", "q": "<i8", "Q": "<u8", "i": "<i4", "I": "<u4", "h": "<i2",
         "b": "|i1", "B": "|u1"}
LIMITS = {"q": (-2**63, 2**63 - 1), "Q": (0, 2**64 - 1), "i": (-2**31, 2**31 - 1),
          "I": (0, 2**32 - 1), "h": (-2**15, 2**15 - 1), "b": (-128, 127), "B": (0, 255)}


SIMD = ("reference", "avx2", "sse4", "oldest")  # the ways whose Fourier transforms round otherwise


@dataclasses.dataclass
class Text:
    lines: list

    def data(self):
        return "".join(line + "\n" for line in self.lines).encode()

    def without(self, begin, end):
        return Text(self.lines[:begin] + self.lines[end:])

    def __len__(self):
        return len(self.lines)


@dataclasses.dataclass
class Npy:
    """A .npy file of rows; a row is a number where it has one dimension."""
    kind: str
    rows: list
    cols: int = 0
    complex: bool = False

    def data(self):
        shape = (len(self.rows), self.cols) if self.cols else (len(self.rows),)
        descr = {"d": "<c16", "f": "<c8"}[self.kind] if self.complex else KINDS[self.kind]
        flat = [x for row in self.rows for x in row] if self.cols or self.complex else self.rows
        if self.complex and self.cols:
            flat = [part for pair in flat for part in pair]
        head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
        head = head.ljust(117) + "\n"
        return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() +
                struct.pack(f"<{len(flat)}{self.kind}", *flat))

    def without(self, begin, end):
        return dataclasses.replace(self, rows=self.rows[:begin] + self.rows[end:])

    def __len__(self):
        return len(self.rows)


@dataclasses.dataclass
class Whole:
    """A file that is not made smaller."""
    bytes: bytes

    def data(self):
        return self.bytes

    def __len__(self):
        return 0


@dataclasses.dataclass
class Job:
    command: list
    inputs: dict
    options: list      # each a list of words
    out: str           # what -o names; "": nothing, and what is printed is compared
    bound: float = 0   # ways in `loose` differ by so much of the largest number; 0: by no bit
    loose: tuple = ("reference",)
    ranks: bool = False
    before: tuple = () # the runs whose files the command reads, each a list of words with its -o
    once: bool = False # the command has neither threads nor devices: the runs before it differ
    drawn: bool = True # its pictures hold something

    def words(self):
        named = ["-o", self.out] if self.out else []
        return [*self.command, *(w for option in self.options for w in option), *named]


def size(rng, most=400):
    """Small, often at a power of two or beside it."""
    if rng.random() < 0.4:
        return max(0, min(most, 2**rng.randrange(9) + rng.choice((-1, 0, 1))))
    return rng.randrange(1, max(2, int(most**rng.random()) + 1))


def number(rng, kind, style):
    if kind in LIMITS:
        low, high = LIMITS[kind]
        if style == "ties":
            return max(low, rng.randrange(4))
        if style == "extremes" and rng.random() < 0.2:
            return rng.choice((low, high, 0, high // 2))
        return rng.randrange(max(low, -1000), min(high, 1000) + 1)
    if style == "ties":
        return float(rng.randrange(-2, 3))
    if style == "extremes" and rng.random() < 0.2:
        top = 1e300 if kind == "d" else 1e38
        return rng.choice((math.nan, math.inf, -math.inf, 0.0, -0.0, top, -top, 5e-324, 1e-40))
    if style == "finite":
        return rng.choice((0.0, -0.0, 1.0, rng.uniform(-1e6, 1e6), rng.gauss(0, 1)))
    return rng.gauss(0, 1) * 10.0**rng.randrange(-3, 4)


def column(rng, kinds="dfqQiIhbB", most=3000, styles=("ties", "extremes", "plain")):
    kind, style = rng.choice(kinds), rng.choice(styles)
    values = [number(rng, kind, style) for _ in range(size(rng, most))]
    order = rng.random()
    if order < 0.15 and not any(isinstance(v, float) and math.isnan(v) for v in values):
        values.sort(reverse=order < 0.05)
    return Npy(kind, values)


def text_column(rng):
    whole = rng.random() < 0.5
    values = [rng.randrange(-50, 50) if whole else rng.choice((rng.gauss(0, 5), 0.5, 1e300, 1e-300))
              for _ in range(size(rng, 1000))]
    return Text([repr(v) for v in values]), ["--type", "i8"] if whole and rng.random() < 0.7 else []


def some(rng, *choices, share=0.35):
    """Each choice with a share: a list of words, or of alternatives to choose from."""
    chosen = []
    for choice in choices:
        if rng.random() < share:
            chosen.append([str(rng.choice(w) if isinstance(w, (list, tuple, range)) else w)
                           for w in choice])
    return chosen
