"""yupana sort --key: records of a .npy, against NumPy."""
import pathlib

import numpy as np
from program import run

RNG = np.random.default_rng(1)
TYPE = np.dtype([("k", "<i4"), ("v", ">f8"), ("s", "S5"), ("u", "<U4"), ("d", "M8[s]"), ("h", "<f2"), ("b", "?"),
                 ("w", "<u8"), ("several", "<f4", (2, 1)), ("inner", [("x", "<i2"), ("y", "<f4")]), ("it's", ">i8")])


def records(n):
    a = np.zeros(n, TYPE)
    a["k"] = RNG.integers(-50, 50, n)
    a["v"] = RNG.normal(size=n).round(1)
    a["v"][::97] = np.nan
    a["v"][1::89] = -0.0
    a["s"] = RNG.choice([b"", b"a", b"ab", b"b\0c", b"zz"], n)
    a["u"] = RNG.choice(["", "é", "ab", "\U0001d11e", "z", "\uffff"], n)
    a["d"] = RNG.integers(-5, 5, n).astype("M8[s]")
    a["d"][::101] = np.datetime64("NaT")
    a["h"] = RNG.integers(-3, 3, n)
    a["b"] = RNG.integers(0, 2, n)
    a["w"] = RNG.integers(0, 2**64 - 1, n, dtype=np.uint64, endpoint=True)
    a["several"] = RNG.normal(size=(n, 2, 1))
    a["inner"]["x"] = np.arange(n) % 30000
    a["it's"] = RNG.choice([-2**63, 2**63 - 1, 2**53, 2**53 + 1], n)
    np.save("r.npy", a)
    return a


def sort(*arguments, out="o.npy"):
    run("sort", "r.npy", *arguments, "-o", out, "--quiet")
    return np.load(out)


def check(got, want, what):
    assert got.dtype == want.dtype and got.tobytes() == want.tobytes(), what


def fields_sort_by_their_own_types():
    a = records(20000)
    for keys in [["k"], ["v"], ["s", "k"], ["u", "d"], ["d"], ["h", "w"], ["b", "u", "s"], ["w"], ["it's"]]:
        order = np.lexsort([a[key] for key in reversed(keys)])
        for more in [(), ("--memory", "1200k"), ("--threads", 1)]:
            check(sort("--key", ",".join(keys), *more), a[order], (keys, more))
    check(sort("--key", "k:d,w"), a[np.lexsort([a["w"], -a["k"].astype(int)])], "descending")
    check(sort("--key", "2:d")[:1], a[a["v"] == np.nanmax(a["v"])][:1], "the greatest, not NaN, is first")


def what_is_kept_is_chosen():
    a = records(3000)
    _, first = np.unique(a["k"], return_index=True)
    check(sort("--key", "1", "--unique"), a[first], "unique")
    order = np.argsort(a["k"], kind="stable")
    check(sort("--key", "k", "--top", 5), a[order[:5]], "top")
    assert (sort("--key", "k", "--positions", out="p.npy") == order).all()
    run("sort", "r.npy", "--key", "k", "--positions", "-o", "p.txt", "--quiet")
    assert pathlib.Path("p.txt").read_text().split() == [str(i) for i in order]


def headers_of_every_kind_are_read():
    for type_ in [[("x", "<i4")], [(("title", "x"), "<i4"), ("y", "V3")], [("x", "<f4"), ("é", "<i8")],
                  {"names": ["x", "z"], "formats": ["<i4", "<f8"], "offsets": [4, 16], "itemsize": 32}]:
        a = np.zeros(100, np.dtype(type_))
        a["x"] = RNG.permutation(100)
        for shape in [(100,), (100, 1)]:
            np.save("r.npy", a.reshape(shape))
            got = sort("--key", "x")
            assert (got["x"] == np.arange(100)).all(), type_
    np.save("r.npy", np.zeros(0, TYPE))
    assert sort("--key", "k").dtype == TYPE


def bad_records_are_refused_in_one_line():
    def refuse(*arguments, says, status=3, out="o.npy"):
        pathlib.Path(out).unlink(missing_ok=True)
        done = run("sort", "r.npy", *arguments, "-o", out, status=status)
        lines = done.stderr.splitlines()
        assert len(lines) == 1 and says in lines[0], done.stderr
        assert not pathlib.Path(out).exists()

    records(50)
    refuse("--key", "several", says="field 'several' is no integer, float, text or date of one value")
    refuse("--key", "inner", says="field 'inner' is no integer")
    refuse("--key", "none", says="no field 'none'; its fields are k, v, s")
    refuse("--key", "12", says="no field '12'")
    refuse("--key", "k:t", says="a field sorts by its own type; leave 't' out", status=2)
    for option in [("--header",), ("--text",), ("--numeric",), ("--no-quotes",), ("--delimiter", "tab")]:
        refuse("--key", "k", *option, says=f"{option[0]} is for a table of text", status=2)
    refuse("--key", "k", says="-o o.tsv: records are .npy; expected out.npy", status=2, out="o.tsv")
    refuse(says="r.npy: holds records; name fields to sort by with --key, or save one, x['NAME']")
    whole = pathlib.Path("r.npy").read_bytes()
    pathlib.Path("r.npy").write_bytes(whole[:-1])
    refuse("--key", "k", says="copy the file again")
    for old, new in [(b"'<i4'", b"'<i9x"), (b"('k'", b"('k "), (b"M8[s]", b"Q8[s]"), (b"(2, 1)", b"(2, x)"),
                     (b"<U4", b"|O4"), (b"[('x'", b"[[['x")]:
        assert old in whole, old
        pathlib.Path("r.npy").write_bytes(whole.replace(old, new))
        refuse("--key", "k", says="field 'u' holds values of Python" if b"O4" in new else "cannot be read at")
    np.save("r.npy", np.zeros((3, 2), TYPE))
    refuse("--key", "k", says="expected one dimension of records, got an array of 2 dimensions")

