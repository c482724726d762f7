"""Random jobs of columns, transforms, products, points and triangular systems."""
from ingredients import SIMD, Job, Npy, Text, column, number, size, some, text_column


def columns(rng):
    command = rng.choice(("scan", "scan", "reduce", "sort", "sort", "partition"))
    options = []
    if rng.random() < 0.25:
        data, kind = text_column(rng)
        name, options = "x.txt", [kind] if kind else []
    else:
        data, name = column(rng), "x.npy"
    if command == "sort":
        options += some(rng, ["--descending"], ["--unique"], ["--positions"], ["--top", range(1, 2000)])
    elif command == "partition":
        bounds = some(rng, ["--below", ("0", "3.5", "1e3", "-7", "18446744073709551615")], ["--above", ("-1", "0.5", "2")])
        options += (bounds or [["--above", "0"]]) + some(rng, ["--only"])
    else:
        options += some(rng, ["--op", ("sum", "min", "max", "product")], ["--wrap"])
    if command == "scan":
        options += some(rng, ["--exclusive"])
    inputs, out = {name: data}, rng.choice(("o.npy", "o.txt"))
    if command in ("scan", "reduce") and rng.random() < 0.3:
        inputs["k.txt"] = Text(sorted(str(rng.randrange(5)) for _ in range(len(data))))
        options += [["--by", "k.txt"]] + some(rng, ["--key-type", ("i8", "u8")])
        out = "o.tsv" if command == "reduce" else out
    return Job([command, name], inputs, options, out)


def sort_rows(rng):
    """sort --key: tables of names and numbers, some cells quoted or missing."""
    columns, header = rng.randrange(1, 4), rng.random() < 0.5
    cells = ["a", "b", "", '"a,b"', '"x ""y"""', "10", "9"]
    numeric = rng.random() < 0.5
    cell = lambda: rng.choice(("", "1", "2.5", "-3", "nan")) if numeric else rng.choice(cells)
    lines = [",".join(f"c{c}" for c in range(1, columns + 1))] if header else []
    lines += [",".join(cell() for _ in range(columns)) for _ in range(size(rng, 600))]
    place = rng.randrange(1, columns + 1)
    key = f"c{place}" if header and rng.random() < 0.5 else str(place)
    options = [["--key", key + rng.choice(("", ":a", ":d"))], ["--delimiter", "comma"]]
    options += [["--header"]] if header else []
    options += [["--numeric"]] if numeric else some(rng, ["--text"], ["--no-quotes"])
    options += some(rng, ["--descending"], ["--unique"], ["--top", range(1, 900)],
                    [rng.choice(("--positions", "--argsort"))])
    return Job(["sort", "t.csv"], {"t.csv": Text(lines)}, options, "o.txt")


def merge(rng):
    kind = rng.choice("dfqQiI")
    names = [f"x{k}.npy" for k in range(rng.randrange(1, 5))]
    inputs = {n: Npy(kind, sorted(number(rng, kind, rng.choice(("ties", "plain")))
                                  for _ in range(size(rng, 600)))) for n in names}
    options = []
    if rng.random() < 0.25:
        names = [name.replace(".npy", ".txt") for name in names]
        inputs = {n: Text([str(x) for x in rows.rows]) for n, rows in zip(names, inputs.values())}
        options = some(rng, ["--type", "i8" if kind in "qi" else "u8"]) if kind in "qQiI" else []
    return Job(["merge", *names], inputs, options, rng.choice(("o.npy", "o.txt")))


def fft(rng):
    kind, two, complexes = rng.choice("df"), rng.random() < 0.3, rng.random() < 0.5
    cols = max(1, size(rng, 60)) if two else 0
    count = max(1, size(rng, 40 if two else 3000))
    value = lambda: number(rng, kind, "plain")
    cell = (lambda: (value(), value())) if complexes else value
    rows = [[cell() for _ in range(cols)] if two else cell() for _ in range(count)]
    options = some(rng, ["--inverse"])
    if not complexes and rng.random() < 0.4 and not options:
        options.append(["--real"])
    elif complexes and options and rng.random() < 0.4:
        options.append(["--real"])
        options += some(rng, ["--odd"])
    if two:
        options += some(rng, rng.choice((["--2d"], ["--axis", (0, 1)])))
    return Job(["fft", "x.npy"], {"x.npy": Npy(kind, rows, cols, complexes)}, options, "o.npy",
               1e-12 if kind == "d" else 1e-4, SIMD)


def polymul(rng):
    if rng.random() < 0.3:
        base = rng.choice(("decimal", "hex", "binary"))
        letters = {"decimal": "0123456789", "hex": "0123456789abcdef", "binary": "01"}[base]
        value = lambda: Text([rng.choice(("", "-")) + "".join(
            rng.choice(letters) for _ in range(1 + size(rng, 3000)))])
        return Job(["polymul", "a.txt", "b.txt"], {"a.txt": value(), "b.txt": value()},
                   [["--digits", base]], "o.txt")
    exact = rng.random() < 0.6
    kind = rng.choice("qQiIhb" if exact else "df")
    style = rng.choice(("ties", "plain", "extremes") if exact else ("ties", "plain"))
    value = lambda: Npy(kind, [number(rng, kind, style) for _ in range(max(1, size(rng, 800)))])
    options = some(rng, [("--exact", "--real")])
    real = not exact or ["--real"] in options
    return Job(["polymul", "a.npy", "b.npy"], {"a.npy": value(), "b.npy": value()}, options, "o.npy",
               1e-11 if real else 0, SIMD)


def closest(rng):
    dimensions, style = rng.randrange(1, 9), rng.choice(("ties", "finite", "plain"))
    kind = rng.choice("df")
    rows = [[number(rng, kind, style) for _ in range(dimensions)] for _ in range(2 + size(rng, 900))]
    if rng.random() < 0.3:
        rows = [[x * 1e-3 if k else x for k, x in enumerate(row)] for row in rows]
    if rng.random() < 0.5:
        inputs = {"p.npy": Npy(kind, rows, dimensions)}
    else:
        inputs = {"p.csv": Text([",".join(repr(x) for x in row) for row in rows])}
    options = some(rng, ["--method", ("grid", "divide")])
    if "p.csv" in inputs:
        options += some(rng, ["--columns", range(1, dimensions + 1)], share=0.2)
    if rng.random() < 0.4:
        options = [o for o in options if o[0] != "--method"]
        lists = [[rng.choice(("--neighbors", "--radius")), str(rng.randrange(1, 60))]]
        files = list(inputs)
        if rng.random() < 0.5:
            inputs = {**inputs, "q.csv": Text([",".join(repr(x) for x in rng.choice(rows))
                                               for _ in range(rng.randrange(1, 90))])}
            lists = rng.choice((lists, [])) + [["--queries", "q.csv"]]
        return Job(["closest", *files], inputs, options + lists, "o.tsv")
    return Job(["closest", *inputs], inputs, options, rng.choice(("o.tsv", "o.json")))


def trisolve(rng):
    n, upper = max(1, size(rng, 200)), rng.random() < 0.4
    entries = set()
    for i in range(1, n + 1):
        others = range(i + 1, n + 1) if upper else range(1, i)
        count = min(len(others), rng.choice((0, 1, 1, 2, 3, 8, 20)))
        entries |= {(i, j) for j in rng.sample(list(others), count)} | {(i, i)}
    if rng.random() < 0.2:
        entries |= {(rng.randrange(1, n + 1), rng.randrange(1, n + 1)) for _ in range(3)}
    number = lambda: rng.gauss(0, 1)
    field, symmetry = rng.choice((("real", "general"), ("real", "general"), ("complex", "general"),
                                  ("complex", "hermitian"), ("real", "symmetric")))
    imaginary = lambda i, j: "" if field == "real" else f" {0.0 if i == j else number()!r}"
    value = lambda i, j: f"{rng.choice((1.0, 2.0, -3.0)) if i == j else number()!r}{imaginary(i, j)}"
    entries = sorted(entries, key=lambda _: rng.random())
    lines = [f"%%MatrixMarket matrix coordinate {field} {symmetry}", f"{n} {n} {len(entries)}",
             *(f"{i} {j} {value(i, j)}" for i, j in entries)]
    options = [["--upper"]] if upper else some(rng, ["--lower"], share=0.2)
    options += some(rng, [rng.choice(("--transpose", "--conjugate-transpose"))], share=0.3)
    options += some(rng, ["--method", ("serial", "level-set", "sync-free")], ["--unit-diagonal"],
                    ["--ignore-other"], ["--add-duplicates"])
    inputs = {"m.mtx": Text(lines)}
    if rng.random() < 0.3:
        cols = rng.randrange(4)
        inputs["b.npy"] = Npy("d", [[rng.gauss(0, 1) for _ in range(cols)] if cols else rng.gauss(0, 1)
                                    for _ in range(n)], cols)
    else:
        options += some(rng, ["--rhs", range(1, 5)], ["--seed", range(9)])
    return Job(["trisolve", *inputs], inputs, options, "o.npy")


FAMILIES = (columns, sort_rows, merge, fft, polymul, closest, trisolve)
