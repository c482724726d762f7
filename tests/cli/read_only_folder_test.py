"""Every command that writes, into a folder that may not be written in: one line and exit status 3
before the work, and nothing left. Run as a plain user, since nothing is forbidden to root."""
import os
import pathlib
import shutil
import subprocess

from program import PROGRAM, helper, need, run

NOBODY = 65534
PLAIN = [PROGRAM]  # the program, run by a plain user


@helper
def inputs():
    run("simulate", "--samples", 12, "--sites", 200, "--populations", 2, "-o", "c")
    run("dist", "c", "-o", "d")
    pathlib.Path("n.txt").write_text("1\n2\n3\n")
    pathlib.Path("t.csv").write_text("a,b,class\n" + "".join(
        f"{i % 7},{i % 5},{'xy'[i % 2]}\n" for i in range(60)))
    pathlib.Path("m.mtx").write_text("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n")
    pathlib.Path("g.fa").write_text(">g\n" + "ACGTTGCA" * 20 + "\n")
    pathlib.Path("e.tsv").write_text("1 50\n")
    run("tree", "fit", "t.csv", "--label", "class", "-o", "tree")
    run("som", "fit", "t.csv", "--label", "class", "--rows", 3, "--cols", 3, "-o", "map")


MANY = [("dist", "c"), ("dist", "c", "--format", "tsv"), ("fermat", "c"),
        ("fermat", "--from-distances", "d.dist.npy", "--matrix-only"),
        ("simulate", "--samples", 4, "--sites", 10),
        ("splice", "--genome", "g.fa", "--exons", "e.tsv", "--target", "g.fa"),
        ("tree", "fit", "t.csv", "--label", "class"), ("tree", "predict", "tree.json", "t.csv"),
        ("tree", "apply", "tree.json", "t.csv"), ("tree", "prune", "tree.json", "--ccp-alpha", 0.1),
        ("tree", "show", "tree.json"), ("tree", "importances", "tree.json"),
        ("tree", "export", "tree.json"),
        ("forest", "fit", "t.csv", "--label", "class", "--trees", 3),
        ("som", "fit", "t.csv", "--label", "class", "--rows", 3, "--cols", 3),
        ("som", "apply", "map.json", "t.csv"), ("som", "report", "map.json")]
SINGLE = [("scan", "n.txt"), ("reduce", "n.txt"), ("sort", "n.txt"), ("merge", "n.txt", "n.txt"),
          ("sort", "n.txt", "--memory", 16), ("fft", "n.txt"), ("polymul", "n.txt", "n.txt"),
          ("trisolve", "m.mtx")]


def refused(*arguments, says):
    done = subprocess.run([*PLAIN, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 3 and done.stdout == "", (arguments, done)
    assert len(done.stderr.splitlines()) == 1, (arguments, done.stderr)
    for word in says:
        assert word in done.stderr, f"{arguments}: '{word}' wanted in: {done.stderr}"
    assert list(pathlib.Path("sealed").iterdir()) == [], arguments


@helper
def as_a_plain_user():
    """A folder that a plain user may read, in it one that nobody may write in."""
    if os.geteuid() == 0:
        need("setpriv")
        os.chmod(".", 0o755)
        shutil.copy(PROGRAM, "yupana")  # the build's folder may be closed to others
        PLAIN[:] = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "./yupana"]
    inputs()
    pathlib.Path("sealed").mkdir(mode=0o555)
    pathlib.Path("open").mkdir()
    os.chmod("open", 0o777)


def outputs_in_a_read_only_folder_were_refused_after_the_work():
    as_a_plain_user()
    commands = [(c, "") for c in MANY] + [(c, ".npy") for c in SINGLE] + [
        (("closest", "t.csv", "--columns", "1-2"), ".tsv")]
    for command, end in commands:
        refused(*command, "-o", f"sealed/run{end}", says=[f"-o sealed/run{end}: cannot write in the folder "
                                                          "sealed: Permission denied"])
        refused(*command, "-o", f"sealed/a/b/run{end}",
                says=["cannot make the folder sealed/a: Permission denied"])
    for command in (("dist", "c"), ("fermat", "c")):
        refused(*command, "-o", "open/run", "--checkpoint", "sealed",
                says=["--checkpoint sealed: cannot write in the folder sealed"])
    assert list(pathlib.Path("open").iterdir()) == []
    os.chmod("sealed", 0o755)


def a_link_out_of_a_read_only_folder_is_followed():
    as_a_plain_user()
    os.chmod("sealed", 0o755)
    os.symlink("../open/sums.txt", "sealed/link.txt")
    os.chmod("sealed", 0o555)
    done = subprocess.run([*PLAIN, "scan", "n.txt", "-o", "sealed/link.txt"])
    assert done.returncode == 0 and pathlib.Path("open/sums.txt").read_text() == "1\n3\n6\n"
    done = subprocess.run([*PLAIN, "scan", "n.txt", "-o", "/dev/stdout"], capture_output=True)
    assert done.returncode == 0 and done.stdout == b"1\n3\n6\n", done
    os.chmod("sealed", 0o755)
