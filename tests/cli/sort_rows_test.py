"""yupana sort --key: rows of tables, against GNU sort, Python's csv and NumPy."""
import csv
import gzip
import io
import json
import os
import pathlib
import random
import shutil
import subprocess

from program import run

RNG = random.Random(5)


def sorted_by(*arguments, text=None, name="t.tsv"):
    if text is not None:
        pathlib.Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
    run("sort", name, *arguments, "-o", "o.out", "--quiet")
    return pathlib.Path("o.out").read_bytes()


def gnu(*arguments, name="t.tsv"):
    return subprocess.run(["sort", *arguments, name], check=True, capture_output=True,
                          env={**os.environ, "LC_ALL": "C"}).stdout


def rows_of_text(count, words):
    return "".join("\t".join((RNG.choice(words), str(RNG.randrange(-50, 50)), str(i),
                              RNG.choice(words) + RNG.choice(words))) + "\n" for i in range(count))


def rows_are_those_of_gnu_sort():
    if shutil.which("sort") is None:
        print("        left out: there is no sort")
        return
    words = ["", "a", "A", "ab", "a b", " a", "z\x01", "ü", "a\0b", "long" * 30, "0", "10", "9", "'"]
    pathlib.Path("t.tsv").write_text(rows_of_text(3000, words))
    tab = ["-t", "\t", "-s"]
    for ours, theirs in [
            (["--key", "1"], ["-k1,1"]), (["--key", "4,1"], ["-k4,4", "-k1,1"]),
            (["--key", "2", "--numeric"], ["-k2,2n"]), (["--key", "2:n,1"], ["-k2,2n", "-k1,1"]),
            (["--key", "1:d,2:n"], ["-k1,1r", "-k2,2n"]),
            (["--key", "1,2:nd,4:ta"], ["-k1,1", "-k2,2nr", "-k4,4"]),
            (["--key", "2:na,4", "--descending"], ["-k2,2n", "-k4,4r"]),
            (["--key", "1", "--unique"], ["-k1,1", "-u"]),
            (["--key", "2,1", "--text", "--unique"], ["-k2,2", "-k1,1", "-u"])]:
        want = gnu(*tab, *theirs)
        for more in [(), ("--threads", 1), ("--device", "reference"), ("--memory", "1200k"),
                     ("--top", 17)]:
            got = sorted_by(*ours, "--delimiter", "tab", "--no-quotes", *more)
            expected = b"".join(want.splitlines(True)[:17]) if "--top" in more else want
            assert got == expected, (ours, more)
    # Runs of blanks are one.
    sorted_by("--key", "2:n,1", text="b  2\na\t10\n c 2 x\n")
    assert pathlib.Path("o.out").read_text() == "b  2\n c 2 x\na\t10\n"


def what_exceeds_the_memory_waits_on_disk():
    words = ["".join(RNG.choices("abcxyz", k=RNG.randrange(40))) for _ in range(500)]
    text = rows_of_text(60_000, words) + "last\t1\t" + "long" * 50_000 + "\tx"
    pathlib.Path("t.tsv").write_text(text)
    for keys in (["--key", "1,2:n"], ["--key", "2:nd"], ["--key", "1", "--unique"]):
        whole = sorted_by(*keys)
        done = run("sort", "t.tsv", *keys, "-o", "o.out", "--memory", "3M", "--json")
        assert json.loads(done.stdout)["runs"] > 3, done.stdout
        assert "rows exceed the memory" in done.stderr
        assert pathlib.Path("o.out").read_bytes() == whole
        positions = run("sort", "t.tsv", *keys, "--argsort", "-o", "p.txt", "--memory", "2M")
        assert positions.stdout.endswith("sorted runs on disk\n"), positions.stdout
        lines = (text + "\n").splitlines(True)
        order = map(int, pathlib.Path("p.txt").read_text().split())
        assert "".join(lines[i] for i in order).encode() == whole
    assert sorted(p.name for p in pathlib.Path(".").iterdir()) == ["o.out", "p.txt", "t.tsv"]


def the_last_row_of_a_table_of_windows_without_an_end_had_that_of_unix():
    assert sorted_by("--key", "a:n", text="a,b\r\n2,x\r\n1,y", name="t.csv") == b"a,b\r\n1,y\r\n2,x\r\n"
    assert sorted_by("--key", "1:n", text="2\n1", name="t.csv") == b"1\n2\n"
    assert sorted_by("--key", "1:n", text="1", name="t.csv") == b"1\n"


def quoted_cells_hold_delimiters_quotes_and_line_ends():
    cells = ["", "a", 'say "a"', "a,b", "two\nlines", "two\r\nlines", '"', '""', "z", "b\n\n", "ü"]
    rows = [[RNG.choice(cells), str(i), RNG.choice(cells)] for i in range(2000)]
    for end in ("\n", "\r\n"):
        out = io.StringIO()
        csv.writer(out, lineterminator=end).writerows([["na,me", "place", 'x"']] + rows)
        for more in [(), ("--memory", "1200k")]:
            for key, column in [("1", 0), ("na,me", None), ("3,1", (2, 0)), ('x"', 2)]:
                if column is None:
                    continue
                got = sorted_by("--key", key, "--header", *more, text=out.getvalue(), name="t.csv")
                read = list(csv.reader(io.StringIO(got.decode(), newline="")))
                take = column if isinstance(column, tuple) else (column,)
                want = sorted(rows, key=lambda row: [row[c].encode() for c in take])
                assert read[0] == ["na,me", "place", 'x"'] and read[1:] == want, (end, key)
                assert got.count(end.encode()) >= len(rows)
    # The same bytes, a quote at the border of what is read at a time among them.
    for size in range(262_130, 262_150):
        text = f'"{"x" * size}""",2\n"y\n",1\n'
        assert sorted_by("--key", "2:n", text=text, name="t.csv") == \
            ('"y\n",1\n' + text[:-len('"y\n",1\n')]).encode()


def a_line_end_in_the_first_row_hid_the_delimiter():
    text = '"place\n(name)",2\nc,1\n'
    assert sorted_by("--key", "2:n", text=text, name="t.csv") == b'c,1\n"place\n(name)",2\n'
    text = '"height\n(m)";"place"\n3;"b,c"\n2;a\n'
    assert sorted_by("--key", "place", text=text, name="t.csv") == \
        b'"height\n(m)";"place"\n2;a\n3;"b,c"\n'


def numbers_and_missing_ones_are_those_of_numpy():
    try:
        import numpy as np
    except ImportError:
        print("        left out: NumPy is not installed")
        return
    values = ["1", "-1", "+2.5", "1e3", "", "nan", "-0", "0", "inf", "-inf", "0.0", "7", " 3 ", ""]
    chosen = RNG.choices(values, k=800)
    text = "v;w\n" + "".join(f"{v};{i}\n" for i, v in enumerate(chosen))
    numbers = np.array([float(v.strip() or "nan") for v in chosen])
    for down in ([], ["--descending"]):
        want = np.argsort(-numbers if down else numbers, kind="stable").tolist()
        got = sorted_by("--key", "v", "--numeric", *down, text=text, name="t.csv").decode()
        assert [int(line.split(";")[1]) for line in got.splitlines()[1:]] == want, down
        run("sort", "t.csv", "--key", "v:n", *down, "--argsort", "-o", "p.npy")
        assert np.load("p.npy").tolist() == want


def pipes_are_read_and_written():
    text = "b,1\na,2\nc,0\n"
    for data in (text.encode(), gzip.compress(text.encode()), b"\xef\xbb\xbf" + text.encode()):
        pathlib.Path("piped").write_bytes(data)
        with open("piped", "rb") as piped:
            done = run("sort", "-", "--key", 1, "-o", "/dev/stdout", "--quiet", stdin=piped)
        assert done.stdout == "a,2\nb,1\nc,0\n", done
    assert sorted_by("--key", 1, text="") == b""
    assert sorted_by("--key", "x", text="x\n") == b"x\n"
    assert sorted_by("--key", 1, text="b") == b"b\n"


def faults_end_in_one_line_and_no_file():
    def refuse(text, *arguments, says, status=3, out="no.csv"):
        pathlib.Path("t.csv").write_text(text)
        done = run("sort", "t.csv", *arguments, "-o", out, status=status)
        assert len(done.stderr.splitlines()) == 1 and not done.stdout, done
        for word in says:
            assert word in done.stderr, done.stderr
        assert not pathlib.Path(out).exists()

    refuse("a,1\nb,x\n", "--key", "2:n", says=["t.csv:2:", "expected a number in column 2", "'x'"])
    refuse('a,"1\n2"\nb,9007199254740993\n', "--key", "2", "--numeric", says=["t.csv:1:", "number"])
    refuse("a,1\nb,9007199254740993\n", "--key", "2", "--numeric", says=["t.csv:2:", "integer"])
    refuse("a,1\nb\n", "--key", 2, says=["t.csv:2:", "expected column 2"])
    refuse("a,b\n", "--key", "c", says=["t.csv:1:", "'c'", "got 0"])
    refuse("a,a\n", "--key", "a", says=["t.csv:1:", "'a'", "got 2"])
    refuse('a,1\n"b,2\nc,3\n', "--key", 1, says=["t.csv:2:", "nothing closes", "--no-quotes"])
    refuse("a,1\n", "--key", 0, says=["--key 0", "from 1"], status=2)
    refuse('"a,1\nb,2\n', "--key", "2:n", says=["t.csv:1:", "nothing closes"])
    for key in ("1:nt", "1:tdn", "1:ad"):
        refuse("a,1\n", "--key", key, says=[f"--key {key}", "exclude each other"], status=2)
    refuse("a,1\n", "--key", "1:x", says=["--key 1:x", "n, t, a or d"], status=2)
    refuse("a,1\n", "--key", 1, "--type", "i8", says=["--type", "--key"], status=2)
    refuse("1\n", "--numeric", says=["--numeric", "--key"], status=2)
    refuse("a,1\n", "--key", 1, "--text", "--numeric", says=["--text", "--numeric"], status=2)
    refuse("a,1\n", "--key", 1, says=["rows are text", "--positions"], status=2, out="no.npy")
    refuse("a,1\n", "--key", 1, "--delimiter", "xy", says=["--delimiter", "'xy'"], status=2)
    refuse("a,1\n", "--key", 1, "--memory", "100k", says=["sort: t.csv", "--memory"], status=4)
    refuse("b,1\n" + "x" * 600_000 + ",2\n", "--key", 1, "--memory", "1100k",
           says=["t.csv:2:", "row", "--memory"], status=4)
