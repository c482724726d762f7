"""Damaged models, odd tables and options out of range, drawn from a seed: one line, the exit status that is documented,
nothing left behind, and no prediction that differs in silence."""
import pathlib
import random
import re
import subprocess

from program import PROGRAM, files, helper, run

NUMBERS = ["nan", "inf", "-inf", "-1", "0", "1e400", "", "x", "0.5", "99999999999999999999", "2147483648", "-0", "1e9",
           "1,2", " 3", "3 ", "0x3", "--", "é", "1e-320"]
WORDS = NUMBERS + ["None", "class", "last", "nofile.csv", "1;2", "1:2"]


def write_tables(rng):
    rows = [(rng.random() * 9, rng.randrange(20), rng.choice(["red", "blue", "green"]), rng.choice("abc"))
            for _ in range(120)]
    pathlib.Path("t.csv").write_text("x,y,colour,class\n" + "".join(f"{x:.4f},{y},{c},{k}\n" for x, y, c, k in rows))
    pathlib.Path("n.csv").write_text("x,y,class\n" + "".join(f"{x:.4f},{y},{k}\n" for x, y, _, k in rows))


@helper
def fit_models():
    run("tree", "fit", "t.csv", "--label", "class", "--categorical", "colour", "--categories", "native", "-o", "tree", "--binary")
    run("tree", "fit", "n.csv", "--label", "y", "--regression", "--ignore", "class", "-o", "number", "--binary")
    run("forest", "fit", "n.csv", "--label", "class", "--trees", 4, "-o", "forest", "--binary")
    run("som", "fit", "n.csv", "--label", "class", "--rows", 3, "--cols", 3, "--no-p-matrix", "-o", "map")


def ended_well(arguments, before, statuses):
    """Runs yupana; what is wrong with how it ended, or None."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, check=False, timeout=60)
    lines = [line for line in done.stderr.decode(errors="replace").splitlines() if not line.startswith("note: ")]
    left = sorted(set(files()) - set(before))
    if done.returncode not in statuses:
        return f"status {done.returncode}: {lines}"
    if done.returncode == 0:
        return f"said {lines}" if lines or any(".part" in name for name in left) else None
    if len(lines) != 1 or not lines[0].startswith("yupana: ") or len(lines[0]) > 700:
        return f"said {lines}"
    return f"left {left}" if left else None


def remove(names):
    for name in names:
        pathlib.Path(name).unlink(missing_ok=True)


def damaged(rng, data):
    data, kind = bytearray(data), rng.randrange(4)
    if kind == 0:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif kind == 1:
        for _ in range(5):
            data[rng.randrange(len(data))] = rng.randrange(256)
    elif kind == 2:
        del data[rng.randrange(len(data)):]
    else:
        data += rng.randbytes(rng.choice([1, 7, 100]))
    return bytes(data)


def damaged_models_predicted_otherwise():
    rng = random.Random(5)
    write_tables(rng)
    fit_models()
    uses = {"tree": ["tree", "predict", "{}", "t.csv", "--proba"], "number": ["tree", "predict", "{}", "n.csv"],
            "forest": ["forest", "predict", "{}", "n.csv", "--proba"], "map": ["som", "apply", "{}", "n.csv"]}
    models = [f"{base}{end}" for base in uses for end in (".json", ".model") if (base, end) != ("map", ".model")]
    faults = []
    for model in [*models, "map.codebook.npy"]:
        base = model.split(".")[0]
        read = "map.json" if base == "map" else model
        use = [word.format(read) for word in uses[base]] + ["-o", "out"]
        whole, before = pathlib.Path(model).read_bytes(), files()
        run(*use)
        made = [name for name in files() if name not in before]
        wanted = [pathlib.Path(name).read_bytes() for name in made]
        remove(made)
        for _ in range(16):
            pathlib.Path(model).write_bytes(damaged(rng, whole))
            fault = ended_well(use, before, (0, 3))
            left = [name for name in files() if name not in before]
            if not fault and left and [pathlib.Path(name).read_bytes() for name in left] != wanted:
                fault = "predicted otherwise"
            remove(left)
            faults += [f"{model}: {fault}"] if fault else []
        pathlib.Path(model).write_bytes(whole)
    assert not faults, faults


def odd_tables_ended_otherwise_than_in_a_line():
    head, rows = "x,y,class\n", "1,2,a\n3,4,b\n5,6,a\n"
    refused = {"latin": (head + "1,2,\xe4\n3,4,b\n").encode("latin1"), "utf16": (head + rows).encode("utf-16"),
               "cr": (head + rows).replace("\n", "\r"), "several": head + '1,2,"a\nb"\n3,4,b\n',
               "open": head + '1,2,"a\n3,4,b\n', "after": head + '1,2,"a"x\n3,4,b\n', "short": head + "1,2,a\n3,4\n",
               "commas": "x;y;class\n1,5;2;a\n3;4;b\n", "long": head + "1,2,a,\n3,4,b\n", "huge": head + "1e400,2,a\n3,4,b\n",
               "tiny": head + "1e-400,2,a\n3,4,b\n", "odd": head + "9007199254740993,2,a\n3,4,b\n", "label": head + "1,2,\n3,4,b\n",
               "twice": "x,x,class\n1,2,a\n", "none": head, "empty": "", "line": "\n", "one": "class\na\nb\n",
               "nul": head + "1\0,2,a\n3,4,b\n", "hex": head + "0x10,2,a\n3,4,b\n", "digits": head + "1," + "2" * 9999 + ",a\n",
               "npy": b"\x93NUMPY\x01\x00v\x00{'descr': '|O'}", "noise": random.Random(1).randbytes(300)}
    taken = {"bom": b"\xef\xbb\xbf" + (head + rows).encode(), "crlf": (head + rows).replace("\n", "\r\n"), "same": head + "1,1,a\n1,1,b\n",
             "semicolons": (head + rows).replace(",", ";"), "blank": head + "1,2,a\n\n3,4,b\n", "comments": "# c\n" + head + "#1,2,a\n" + rows,
             "missing": head + "nan,2,a\n3,NA,b\n,5,a\n", "infinite": head + "inf,2,a\n-inf,4,b\n", "cut": (head + rows)[:-1]}
    faults = []
    for tables, statuses in ((refused, (3,)), (taken, (0,))):
        for name, text in tables.items():
            pathlib.Path("t.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
            before = files()
            fault = ended_well(["tree", "fit", "t.csv", "--label", "last", "-o", "m"], before, statuses)
            remove(set(files()) - set(before))
            faults += [f"{name}: {fault}"] if fault else []
    assert not faults, faults


def options_out_of_range_ended_otherwise_than_in_a_line():
    rng = random.Random(7)
    write_tables(rng)
    fit_models()
    commands = (["tree", "fit", "n.csv", "--label", "class"], ["forest", "fit", "n.csv", "--label", "class", "--trees", 3],
                ["tree", "predict", "tree.json", "t.csv"], ["tree", "prune", "tree.json"], ["tree", "show", "tree.json"],
                ["tree", "importances", "tree.json"], ["tree", "export", "tree.json"], ["som", "apply", "map.json", "n.csv"],
                ["som", "fit", "n.csv", "--label", "class", "--rows", 2, "--cols", 2, "--iterations", 2, "--no-p-matrix"])
    before, faults = files(), []
    for command in commands:
        text = run(*command[:2], "--help").stdout
        options = re.findall(r"^  (?:-\w,)?(--[\w-]+)(?:,[-\w{}]+)? (INT|FLOAT|UINT|TEXT)", text, re.M)
        for _ in range(12):
            option, kind = rng.choice([pair for pair in options if pair[0] not in ("--out", "--threads")])
            given = [*command, option, rng.choice(WORDS if kind == "TEXT" else NUMBERS), "-o", "m"]
            fault = ended_well(given, before, (0, 2, 3, 4))
            remove(set(files()) - set(before))
            faults += [f"{given}: {fault}"] if fault else []
    assert not faults, faults


def members_that_occurred_twice_within_a_member_were_read_by_the_last():
    write_tables(random.Random(3))
    fit_models()
    run("tree", "fit", "t.csv", "--label", "y", "--regression", "--categorical", "colour", "--ignore", "class", "-o", "coded")
    for model, members, command in (("tree", ("categories", "values", "column", "feature", "one_hot"), ("tree", "predict")),
                                    ("coded", ("categories", "values"), ("tree", "predict")),
                                    ("map", ("lattice", "sigma0", "classes", "neurons", "hits", "file", "rows"), ("som", "apply"))):
        # As edited on purpose, without the checksum of the whole.
        text = re.sub(r',\s*"checksum": "[0-9a-f]+"\s*}\s*$', "\n}\n", pathlib.Path(f"{model}.json").read_text())
        for member in members:
            found = re.search(rf'(?<=[{{,\n ])"{member}": (\[[^\]]*\]|"[^"]*"|[\w.]+)', text)
            pathlib.Path("bad.json").write_text(text[:found.end()] + ", " + found[0] + text[found.end():])
            told = run(*command, "bad.json", "t.csv", "-o", "o", status=3).stderr
            assert told == f"yupana: bad.json: is a damaged model: {member}: expected one value, got two\n", told
