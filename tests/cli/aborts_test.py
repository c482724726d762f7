"""Inputs that once ended the program by abort: paths too long for the system, records of another
shape, names that are no UTF-8. Each is one line and a documented exit status."""
import json
import os
import pathlib
import subprocess

from program import PROGRAM, refuse, run


def refused(*arguments):
    done = refuse(*arguments)
    assert "unforeseen" not in done.stderr, done.stderr


def paths_that_are_too_long():
    for name in ("x" * 300, "x/" * 3000 + "x"):
        for ending in ("", ".bed", ".vcf", ".npy"):
            refused("dist", name + ending, "-o", "out")
        refused("fermat", "--from-distances", name + ".npy", "-o", "out")
        refused("fermat", "simulate:5x50", "--labels", name, "-o", "out")
        refused("dist", "simulate:5x50", "-o", name)
        refused("dist", "simulate:5x50", "--checkpoint", name, "-o", "out")
        refused("path", name, "a", "b")
        refused("sort", name, "-o", "out.npy")
        refused("tree", "fit", name, "--label", "1", "-o", "out")
        refused("som", "report", name, "-o", "out")


def records_of_another_shape():
    run("fermat", "simulate:5x50", "-o", "f")
    good = json.loads(pathlib.Path("f.json").read_text())
    wrong = [1, [], {}, {"runs": 1}, {"runs": []}, {"runs": [1]}, {"runs": [None]}, {"runs": [[1]]},
             dict(good, landmarks="x"), dict(good, neighbors="x"), dict(good, rooted=3),
             dict(good, runs=[dict(good["runs"][0], alpha="2")]),
             dict(good, runs=[dict(good["runs"][0], fermat=7)]),
             dict(good, runs=[dict(good["runs"][0], weight_scale=[])])]
    for record in wrong:
        pathlib.Path("f.json").write_text(json.dumps(record))
        refused("path", "f", "s1", "s2")
        refused("path", "f", "s1", "s2", "--alpha", "2")
    pathlib.Path("f.json").write_text(json.dumps(good))
    assert run("path", "f", "s1", "s2").stdout == run("path", "f.json", "s1", "s2").stdout


def names_that_are_no_text():
    run("simulate", "--samples", 5, "--sites", 50, "-o", "c")
    for ending in (b".bed", b".bim", b".fam"):
        os.rename(b"c" + ending, b"c\xff" + ending)
    done = subprocess.run([PROGRAM.encode(), b"fermat", b"c\xff.bed", b"-o", b"o\xff", b"--json"],
                          capture_output=True, check=False)
    assert done.returncode == 0, done
    json.loads(done.stdout)
