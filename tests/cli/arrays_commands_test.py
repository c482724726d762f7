"""scan, reduce, sort and merge on files, against NumPy."""
import gzip
import json
import pathlib

import numpy as np
from program import files, refuse, run


TYPES = ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8"]
RNG = np.random.default_rng(1)


def numbers(kind, n):
    if kind[0] == "f":
        return RNG.normal(size=n).astype(kind)
    limits = np.iinfo(kind)
    return RNG.integers(limits.min, limits.max, n, dtype=kind, endpoint=True)


def same(path, want):
    got = np.load(path)
    assert got.dtype == want.dtype, f"{got.dtype} for {want.dtype}"
    assert got.shape == want.shape, f"{got.shape} for {want.shape}"
    assert got.tobytes() == want.tobytes(), f"{got} for {want}"


def sorts_every_type_of_any_size():
    for kind in TYPES:
        for n in [0, 1, 2, 1000, 70001]:
            x = numbers(kind, n)
            np.save("x.npy", x)
            run("sort", "x.npy", "-o", "out.npy")
            same("out.npy", np.sort(x, kind="stable"))


def sorts_beyond_memory_to_the_same_bytes():
    for kind in ["u4", "f8", "i2"]:
        x = numbers(kind, 300_007)
        if kind == "f8":
            x[::7] = np.nan
            x[1::7] = -0.0
            x[2::7] = 0.0
            x[3::7] = np.inf
        np.save("x.npy", x)
        run("sort", "x.npy", "-o", "whole.npy")
        answer = json.loads(run("sort", "x.npy", "-o", "runs.npy", "--memory", "200k", "--json").stdout)
        assert answer["runs"] > 2, answer
        same("whole.npy", np.sort(x, kind="stable"))
        assert pathlib.Path("whole.npy").read_bytes() == pathlib.Path("runs.npy").read_bytes()
        assert files() == ["runs.npy", "whole.npy", "x.npy"], files()
        pathlib.Path("runs.npy").unlink()
        pathlib.Path("whole.npy").unlink()


def expected(x, descending=False, unique=False, top=None):
    """The positions that sort leaves, by NumPy: NaN last either way, equal numbers in their order."""
    keys = x.astype(np.float64) if x.dtype.kind == "f" else x
    if descending:
        keys = np.where(np.isnan(keys), keys, -keys) if x.dtype.kind == "f" else ~keys
    order = np.argsort(keys, kind="stable")
    if unique:
        ranks = keys[order]
        same_as_before = (ranks[1:] == ranks[:-1]) | ((ranks[1:] != ranks[1:]) & (ranks[:-1] != ranks[:-1]))
        order = order[np.concatenate(([True], ~same_as_before))]
    return order[:top]


def sorts_as_its_options_say_within_any_memory():
    for kind in ["i1", "u2", "<i4", "u8", "f4", "f8"]:
        for n in [1, 700, 90_001]:
            x = (RNG.normal(size=n) * (40 if n < 1000 else 30000)).astype("f8")
            x = x.astype(kind) if kind[0] == "f" else np.abs(x).astype("i8").astype(kind)
            if kind[0] == "f":
                x[RNG.random(n) < 0.1] = np.nan
                x[RNG.random(n) < 0.1] = -0.0
                x[RNG.random(n) < 0.1] = 0.0
            np.save("x.npy", x)
            for options in [("descending",), ("unique",), ("descending", "unique", "top"), ("top",)]:
                wanted = {name: 10 if name == "top" else True for name in options}
                words = [w for name in options for w in ([f"--{name}"] + [10] * (name == "top"))]
                memory = ["--memory", "300k"] if n > 1000 else []
                order = expected(x, **wanted)
                run("sort", "x.npy", "-o", "out.npy", *words, *memory)
                same("out.npy", x[order])
                run("sort", "x.npy", "-o", "places.npy", "--positions", *words, *memory)
                same("places.npy", order)
    refuse("sort", "x.npy", "-o", "o.npy", "--top", 0, says=["--top"], status=2)


def sorts_text_beyond_memory():
    x = numbers("i8", 50_000)
    pathlib.Path("x.txt").write_text("\n".join(map(str, x)) + "\n")
    run("sort", "x.txt", "-o", "out.txt", "--type", "i8", "--memory", "100k")
    assert [int(line) for line in open("out.txt")] == sorted(x.tolist())
    assert files() == ["out.txt", "x.txt"], files()


def scans_in_64_bits():
    for kind in ["u1", "i2", "i4", "u8", "i8"]:
        x = numbers(kind, 70_001)
        np.save("x.npy", x)
        wrap = ["--wrap"] if kind[1] == "8" else []
        run("scan", "x.npy", "-o", "out.npy", *wrap)
        with np.errstate(over="ignore"):
            sums = np.cumsum(x, dtype=kind[0] + "8")
        same("out.npy", sums)
        run("scan", "x.npy", "-o", "out.npy", "--exclusive", *wrap)
        same("out.npy", np.concatenate([np.zeros(1, sums.dtype), sums[:-1]]))
        for name, ufunc in [("min", np.minimum), ("max", np.maximum)]:
            run("scan", "x.npy", "-o", "out.npy", "--op", name)
            same("out.npy", ufunc.accumulate(x.astype(kind[0] + "8")))


def scans_across_pieces_with_the_same_bytes_for_any_threads():
    n = 5_000_003  # more than two pieces of 2^21
    x = numbers("i4", n)
    np.save("x.npy", x)
    run("scan", "x.npy", "-o", "out.npy")
    same("out.npy", np.cumsum(x, dtype="i8"))
    run("scan", "x.npy", "-o", "out.npy", "--exclusive")
    same("out.npy", np.cumsum(x, dtype="i8") - x)
    np.save("y.npy", numbers("f8", n))
    for threads in [1, 2, 7]:
        run("scan", "y.npy", "-o", f"{threads}.npy", "--threads", threads)
    one = pathlib.Path("1.npy").read_bytes()
    assert one == pathlib.Path("2.npy").read_bytes() == pathlib.Path("7.npy").read_bytes()
    assert np.allclose(np.load("1.npy"), np.cumsum(np.load("y.npy")), atol=1e-9, rtol=1e-9)


def reference_agrees():
    x = numbers("i4", 5000)
    np.save("x.npy", x)
    run("scan", "x.npy", "-o", "out.npy", "--device", "reference")
    same("out.npy", np.cumsum(x, dtype="i8"))
    run("sort", "x.npy", "-o", "out.npy", "--device", "reference")
    same("out.npy", np.sort(x))


def reduces():
    x = numbers("i4", 5_000_003)
    np.save("x.npy", x)
    assert json.loads(run("reduce", "x.npy", "--json").stdout)["value"] == int(x.sum(dtype="i8"))
    assert run("reduce", "x.npy", "--op", "min").stdout == f"{x.min()}\n"
    assert run("reduce", "x.npy", "--op", "max").stdout == f"{x.max()}\n"
    pathlib.Path("x.txt").write_text("0.1\n 0.2 \nnan\n")
    assert run("reduce", "x.txt", "--op", "min").stdout == "0.1\n"
    assert run("reduce", "x.txt", "--op", "max").stdout == "nan\n"
    said = json.loads(run("reduce", "x.txt", "--json").stdout)
    assert said.pop("stages")[0]["stage"] == "reduce"
    assert said == {"command": "reduce", "count": 3, "value": None}
    np.save("e.npy", np.zeros(0, "u2"))
    assert run("reduce", "e.npy").stdout == "0\n"


def merges():
    for kind in ["f4", "u8"]:
        parts = [np.sort(numbers(kind, n)) for n in [70_001, 0, 1, 300_000]]
        for i, part in enumerate(parts):
            np.save(f"{i}.npy", part)
        names = [f"{i}.npy" for i in range(len(parts))]
        for memory in ["1G", "50k"]:
            run("merge", *names, "-o", "out.npy", "--memory", memory)
            same("out.npy", np.sort(np.concatenate(parts), kind="stable"))


def merging_keeps_the_order_of_equal_numbers():
    # -0 and +0 are equal: those of the first file come first.
    np.save("a.npy", np.full(3000, -0.0))
    np.save("b.npy", np.full(2000, 0.0))
    run("merge", "a.npy", "b.npy", "-o", "out.npy", "--memory", "20k")
    signs = np.signbit(np.load("out.npy"))
    assert signs[:3000].all() and not signs[3000:].any()


def reads_what_numpy_and_people_write():
    x = numbers("i4", 1000)
    np.save("x.npy", x.astype(">i4"))
    run("sort", "x.npy", "-o", "out.npy")
    same("out.npy", np.sort(x))
    np.save("x.npy", x.reshape(-1, 1))
    run("sort", "x.npy", "-o", "out.npy")
    same("out.npy", np.sort(x))
    gzip.open("x.txt.gz", "wt").write("3\r\n-1\n+2")
    run("sort", "x.txt.gz", "-o", "out.txt")
    assert pathlib.Path("out.txt").read_text() == "-1\n2\n3\n"
    pathlib.Path("z.txt").write_text("0\n-0\n-inf\nnan\n1e3\n-0\n")
    run("sort", "z.txt", "-o", "out.txt")
    assert pathlib.Path("out.txt").read_text() == "-inf\n0\n-0\n-0\n1000\nnan\n"


def halves_are_read_as_float32_and_bools_as_bytes():
    halves = np.arange(2**16, dtype="u2").view("f2")  # every one, subnormal ones too
    halves = halves[halves == halves]
    np.save("h.npy", halves)
    run("sort", "h.npy", "-o", "o.npy")
    same("o.npy", np.sort(halves.astype("f4"), kind="stable"))
    np.save("h.npy", np.array([np.nan, 1], "f2"))
    assert run("reduce", "h.npy").stdout.strip() == "nan"
    np.save("h.npy", np.array([1.5, -2], ">f2"))
    assert float(run("reduce", "h.npy").stdout) == -0.5
    bools = np.arange(1000) % 3 == 0
    np.save("b.npy", bools)
    assert int(run("reduce", "b.npy").stdout) == bools.sum()
    run("sort", "b.npy", "--descending", "-o", "o.npy")
    same("o.npy", np.sort(bools)[::-1].astype("u1"))


def text_may_have_remarks_and_end_in_blank_lines():
    pathlib.Path("x.txt").write_bytes(b"\xef\xbb\xbf# numbers\r\n3\r\n # one more\r\n1\r\n\r\n\r\n")
    run("sort", "x.txt", "-o", "y.txt")
    assert pathlib.Path("y.txt").read_text() == "1\n3\n"


def link_stays_and_leads_to_the_output():
    pathlib.Path("x.txt").write_text("3\n1\n")
    pathlib.Path("elsewhere").mkdir()
    pathlib.Path("link.txt").symlink_to("elsewhere/y.txt")
    for _ in range(2):  # the second time the target exists
        run("sort", "x.txt", "-o", "link.txt")
        assert pathlib.Path("link.txt").is_symlink()
        assert pathlib.Path("elsewhere/y.txt").read_text() == "1\n3\n"
    assert [p.name for p in pathlib.Path("elsewhere").iterdir()] == ["y.txt"]


def bad_input_ends_in_one_line_and_no_file():
    refuse("sort", "no.npy", "-o", "o.npy", says=["no.npy"])
    np.save("two.npy", np.zeros((3, 2)))
    refuse("scan", "two.npy", "-o", "o.npy", says=["two.npy", "2 dimensions"])
    np.save("c.npy", np.zeros(3, "c8"))
    refuse("reduce", "c.npy", says=["c.npy", "c8"])
    np.save("cut.npy", np.arange(100))
    pathlib.Path("cut.npy").write_bytes(pathlib.Path("cut.npy").read_bytes()[:-5])
    refuse("sort", "cut.npy", "-o", "o.npy", says=["cut.npy", "100"])
    for text, line, word in [("1\nx\n", 2, "'x'"), ("1 2\n", 1, "'1 2'"), ("1\n\n2\n", 2, "''")]:
        pathlib.Path("x.txt").write_text(text)
        refuse("sort", "x.txt", "-o", "o.npy", says=[f"x.txt:{line}:", word])
    pathlib.Path("x.txt").write_text("1.5\n")
    refuse("sort", "x.txt", "-o", "o.npy", "--type", "i8", says=["x.txt:1:", "i8"])
    for text, kind in [("1e999", "f8"), ("9223372036854775808", "i8"), ("18446744073709551616", "u8")]:
        pathlib.Path("x.txt").write_text(f"1\n{text}\n")
        refuse("sort", "x.txt", "-o", "o.npy", "--type", kind,
               says=["x.txt:2:", f"'{text}' is beyond what type {kind} holds"])
    np.save("long.npy", np.arange(4, dtype="i4"))
    with open("long.npy", "ab") as file:
        file.write(b"x")
    refuse("sort", "long.npy", "-o", "o.npy", says=["4 values of 4 bytes", "17 bytes"])
    refuse("closest", "long.npy", says=["4 values of 4 bytes", "17 bytes"])
    with gzip.open("packed.npy.gz", "wb") as file:
        file.write(pathlib.Path("two.npy").read_bytes())
    refuse("sort", "packed.npy.gz", "-o", "o.npy", says=["packed.npy.gz", "NumPy array", "unpack"])
    np.savez("archive.npz", np.zeros(3))
    refuse("sort", "archive.npz", "-o", "o.npy", says=["archive.npz", "zip archive"])
    refuse("sort", "two.npy", "-o", "-", says=["-o -", "name a file"], status=2)
    pathlib.Path("x.txt").write_text("3\n1\n")
    refuse("merge", "x.txt", "-o", "o.npy", says=["x.txt", "number 2", "sort the file first"])
    np.save("i.npy", np.zeros(3, "i4"))
    refuse("merge", "x.txt", "i.npy", "-o", "o.npy", says=["i.npy", "i4", "f8"])
    pathlib.Path("e.txt").write_text("")
    refuse("reduce", "e.txt", "--op", "min", says=["e.txt", "no numbers"])
    refuse("scan", "i.npy", says=["-o"], status=2)
    refuse("scan", "i.npy", "-o", "o.npy", "--op", "min", "--exclusive", says=["--exclusive"], status=2)
    np.save("big.npy", numbers("f8", 100_000))
    refuse("sort", "big.npy", "-o", "big.npy/o.npy", says=["big.npy"])
    pathlib.Path("folder").mkdir()
    refuse("sort", "big.npy", "-o", "folder", status=2, says="folder: expected the name of a file, got a folder; write folder/run")
    run("sort", "big.npy", "-o", "/dev/null")
