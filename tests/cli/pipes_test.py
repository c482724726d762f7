"""Every command that reads one file takes it from a pipe or from standard input, gzip or not."""
import gzip
import os
import pathlib
import subprocess

from genes import example
from program import PROGRAM, helper, refuse, run

COMMANDS = {
    "x.txt": [("scan", "IN", "-o", "OUT.txt"), ("reduce", "IN", "-o", "OUT.txt"), ("sort", "IN", "-o", "OUT.txt"),
              ("fft", "IN", "-o", "OUT.txt"), ("polymul", "IN", "IN", "-o", "OUT.txt")],
    "points.txt": [("closest", "IN", "-o", "OUT.tsv")],
    "m.mtx": [("trisolve", "IN", "-o", "OUT.txt")],
    "t.csv": [("tree", "fit", "IN", "--label", "c", "-o", "OUT"), ("som", "fit", "IN", "--label", "c", "--rows", 2,
                                                                   "--cols", 2, "-o", "OUT")],
    # Was read as a table of text: a pipe has no name that ends in .libsvm.
    "t.libsvm": [("tree", "fit", "IN", "--label", "label", "-o", "OUT"),
                 ("som", "fit", "IN", "--label", "label", "--rows", 2, "--cols", 2, "-o", "OUT")],
}


@helper
def inputs():
    pathlib.Path("x.txt").write_text("3\n1\n2\n7\n")
    pathlib.Path("points.txt").write_text("1 2\n3 4\n1 2.5\n")
    pathlib.Path("m.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 4\n")
    pathlib.Path("t.libsvm").write_text("# rows\na\n" + "".join(
        f"{'ab'[i % 2]} 1:{i} 3:{i * i % 7} # row {i}\n" for i in range(20)))
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


def two_names_of_one_pipe_were_read_as_two_files_the_second_empty():
    """merge - /dev/stdin wrote half of the numbers, polymul - /dev/stdin nothing."""
    for command, wanted in ((("merge",), "1\n1\n2\n2\n"), (("polymul",), "1\n4\n4\n")):
        for names in (("-", "-"), ("-", "/dev/stdin"), ("/dev/stdin", "/dev/fd/0"), ("/proc/self/fd/0", "-")):
            run(*command, *names, "-o", "o.txt", input="1\n2\n")
            assert pathlib.Path("o.txt").read_text() == wanted, (command, names)
    inputs()
    table = pathlib.Path("t.csv").read_text()
    fit = ("tree", "fit", "-", "--label", "c", "--prune-with", "/dev/stdin", "-o", "m")
    run(*fit, input=table)
    pruned = pathlib.Path("m.json").read_bytes()
    run(*("t.csv" if word in ("-", "/dev/stdin") else word for word in fit))
    assert pathlib.Path("m.json").read_bytes() == pruned


def splice_knew_standard_input_by_one_of_its_names():
    example()
    files = {"--genome": "g.fa", "--exons": "e.tsv", "--target": "t.fa"}
    given = [word for pair in files.items() for word in pair]
    run("splice", *given, "-o", "file")
    for option, name in files.items():
        for pipe in ("-", "/dev/stdin"):
            words = [pipe if word == name else word for word in given]
            run("splice", *words, "-o", "pipe", input=pathlib.Path(name).read_text())
            for end in (".tsv", ".txt"):
                assert pathlib.Path("pipe" + end).read_text() == pathlib.Path("file" + end).read_text(), (option, pipe)
    run("splice", "--batch", "-", "-o", "pipe", input="g.fa e.tsv t.fa\n")
    assert pathlib.Path("pipe.tsv").read_text() == pathlib.Path("file.tsv").read_text()
    refuse("splice", "--genome", "-", "--exons", "e.tsv", "--target", "/dev/stdin", "-o", "two", status=2,
           says="expected one file from standard input, got two", input="")


def distances_from_a_pipe_were_looked_for_in_a_file_of_that_name():
    text = "0 1 3\n1 0 1\n3 1 0\n"
    pathlib.Path("d.txt").write_text(text)
    run("fermat", "--from-distances", "d.txt", "-o", "file", "--matrix-only")
    run("fermat", "--from-distances", "-", "-o", "pipe", "--matrix-only", input=text)
    assert pathlib.Path("pipe.fermat.npy").read_bytes() == pathlib.Path("file.fermat.npy").read_bytes()


def models_were_no_files_from_a_pipe():
    inputs()
    run("tree", "fit", "t.csv", "--label", "c", "-o", "m", "--binary")
    run("tree", "predict", "m.json", "t.csv", "-o", "file")
    rules = run("tree", "show", "m.json").stdout
    for name in ("m.json", "m.model"):
        model = pathlib.Path(name).read_bytes()
        for pipe in ("-", "/dev/stdin"):
            for command in (("predict", pipe, "t.csv", "-o", "pipe"), ("show", pipe)):
                done = subprocess.run([PROGRAM, "tree", *command], input=model, capture_output=True, check=False)
                assert done.returncode == 0, (command, done.stderr)
            assert done.stdout.decode() == rules
            assert pathlib.Path("pipe.predicted.tsv").read_text() == pathlib.Path("file.predicted.tsv").read_text()
    run("som", "fit", "t.csv", "--label", "c", "--rows", 2, "--cols", 2, "-o", "map")
    for pipe in ("-", "/dev/stdin"):
        refuse("som", "apply", pipe, "t.csv", "-o", "pipe", status=2,
               says=["next to its .codebook.npy, got standard input"], input="")


def what_takes_two_passes_read_all_of_a_pipe_before_it_was_refused():
    run("simulate", "--samples", 9, "--sites", 200, "--format", "vcf", "-o", "c")
    damaged = pathlib.Path("c.vcf").read_text().replace("0/1", "0/9", 1)  # status 3, once it is read
    run("dist", "-", "-o", "p", status=3, input=damaged)
    for command in (("dist", "--mind", 0.5), ("dist", "--king-cutoff", 0.1), ("dist", "--indep-pairwise", 50, 5, 0.2),
                    ("dist", "--tree", "nj", "--bootstrap", 3, "--block", 10), ("fermat", "--bootstrap", 3),
                    ("pca", "--loadings"), ("pca", "--approx")):
        for pipe in ("-", "/dev/stdin"):
            refuse(command[0], "--vcf", pipe, *command[1:], "-o", "p", status=2, input=damaged,
                   says=["takes two passes", "cannot be read twice"])
    with open("c.vcf") as file:
        refuse("pca", "-", "--loadings", "-o", "p", status=2, stdin=file,
               says="--loadings: takes two passes, and standard input cannot be read twice; write it to a file first")
