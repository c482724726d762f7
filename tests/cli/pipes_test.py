#!/usr/bin/env python3
"""Every command that reads one file takes it from a pipe or from standard input, gzip or not."""
import gzip
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import PROGRAM, main, run

COMMANDS = {
    "x.txt": [("scan", "IN", "-o", "OUT.txt"), ("reduce", "IN", "-o", "OUT.txt"), ("sort", "IN", "-o", "OUT.txt"),
              ("fft", "IN", "-o", "OUT.txt"), ("polymul", "IN", "IN", "-o", "OUT.txt")],
    "points.txt": [("closest", "IN", "-o", "OUT.tsv")],
    "m.mtx": [("trisolve", "IN", "-o", "OUT.txt")],
    "t.csv": [("tree", "fit", "IN", "--label", "c", "-o", "OUT"), ("som", "fit", "IN", "--label", "c", "--rows", 2,
                                                                   "--cols", 2, "-o", "OUT")],
}


def inputs():
    pathlib.Path("x.txt").write_text("3\n1\n2\n7\n")
    pathlib.Path("points.txt").write_text("1 2\n3 4\n1 2.5\n")
    pathlib.Path("m.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 4\n")
    pathlib.Path("t.csv").write_text("x,y,c\n" + "".join(f"{i},{i * i % 7},{'ab'[i % 2]}\n" for i in range(20)))


def outputs(command, name, data):
    """What the command writes from a pipe that `data` comes through, by file."""
    words = [str(word).replace("IN", name).replace("OUT", "o") for word in command]
    before = set(os.listdir())
    done = subprocess.run([PROGRAM, *words, "--quiet"], input=data, capture_output=True, check=False)
    assert done.returncode == 0, (words, done.stderr)
    written = {new: pathlib.Path(new).read_bytes() for new in sorted(set(os.listdir()) - before)}
    for new in written:
        os.remove(new)
    assert written, words
    # Those name the input.
    return {new: data for new, data in written.items() if not new.endswith((".html", ".json", ".pdf", ".png", ".svg"))}


def a_pipe_gives_what_its_file_gives():
    inputs()
    for name, commands in COMMANDS.items():
        data = pathlib.Path(name).read_bytes()
        for command in commands:
            wanted = outputs(command, name, None)
            for pipe in ("-", "/dev/stdin"):
                assert outputs(command, pipe, data) == wanted, (command, pipe)
                assert outputs(command, pipe, gzip.compress(data)) == wanted, (command, pipe)


def genotypes_from_standard_input_were_said_to_be_read_twice():
    run("simulate", "--samples", 9, "--sites", 200, "--format", "vcf", "-o", "c")
    run("dist", "c.vcf", "-o", "file")
    run("dist", "-", "-o", "pipe", input=pathlib.Path("c.vcf").read_text())
    assert pathlib.Path("pipe.dist.npy").read_bytes() == pathlib.Path("file.dist.npy").read_bytes()
    done = run("dist", "-", "--tree", "nj", "--bootstrap", 3, "--block", 10, "-o", "p", status=2,
               input=pathlib.Path("c.vcf").read_text())
    assert "standard input cannot be read twice" in done.stderr, done.stderr


def standard_input_may_be_a_file():
    inputs()
    with open("x.txt") as file:
        subprocess.run([PROGRAM, "sort", "-", "-o", "o.txt", "--quiet"], stdin=file, check=True)
    assert pathlib.Path("o.txt").read_text() == "1\n2\n3\n7\n"


def errors_name_what_was_given():
    for data, text in [(b"1\na\n", "-:2: expected one number a line, got 'a'"),
                       (gzip.compress(b"1\n" * 90)[:20], "damaged gzip file")]:
        done = subprocess.run([PROGRAM, "sort", "-", "-o", "o.txt"], input=data, capture_output=True, check=False)
        assert done.returncode == 3 and text in done.stderr.decode(), done.stderr
        assert "/proc" not in done.stderr.decode() and not os.path.exists("o.txt")
    # Before anything is read: nobody closes this pipe.
    idle, pipe = os.pipe()
    done = subprocess.run([PROGRAM, "sort", "-"], stdin=idle, capture_output=True, timeout=60, check=False)
    os.close(pipe)
    assert done.returncode == 2 and b"expected -o" in done.stderr, done.stderr
    done = run("sort", "x.fifo", "-o", "o.txt", status=3)
    assert "x.fifo: cannot be opened" in done.stderr


sys.exit(main([a_pipe_gives_what_its_file_gives, genotypes_from_standard_input_were_said_to_be_read_twice,
               standard_input_may_be_a_file, errors_name_what_was_given]))
