"""Where outputs go: folders that are made, descriptors that a shell opened, permissions that stay,
and files that killed runs left."""
import os
import pathlib
import select
import shutil
import signal
import subprocess
import time

from program import PROGRAM, helper, refuse, run

COHORT = "simulate:10x100"
LARGE = "simulate:400x30000000,missing=0.01"


def numbers(name="n.txt"):
    pathlib.Path(name).write_text("".join(f"{k}\n" for k in range(1, 6)))
    return name


def folders_of_the_output_are_made():
    run("dist", COHORT, "-o", "new/deep/run")
    assert pathlib.Path("new/deep/run.dist.npy").exists()
    run("dist", "no.bed", "-o", "other/run", status=3)
    run("dist", COHORT, "--plan", "-o", "other/run")
    assert not pathlib.Path("other").exists(), "a folder without a file in it"


def standard_output_is_appended_to():
    scan = ["scan", numbers(), "-o"]
    pathlib.Path("log").write_text("old\n")
    sums = "1\n3\n6\n10\n15\n"
    for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
        pathlib.Path("log").write_text("old\n")
        with open("log", "a") as log:
            done = subprocess.run([PROGRAM, *scan, name], stdout=log, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 0 and "5 numbers" in done.stderr, done
        assert pathlib.Path("log").read_text() == "old\n" + sums, name
    assert run(*scan, "/dev/stdout").stdout == sums  # a pipe
    done = subprocess.run(f"{PROGRAM} scan n.txt -o >(cat > got)", shell=True, executable="/bin/bash")
    for _ in range(1000):
        if pathlib.Path("got").exists() and pathlib.Path("got").read_text() == sums:
            break
        time.sleep(0.01)
    assert pathlib.Path("got").read_text() == sums
    os.symlink("/dev/stdout", "link")
    assert run(*scan, "link", "--quiet").stdout == sums
    done = run(*scan, "/dev/stdout", "--json", status=2)
    assert "--json" in done.stderr and "/dev/stdout" in done.stderr


def a_replaced_file_keeps_its_permissions():
    pathlib.Path("o.txt").write_text("secret\n")
    for mode in (0o600, 0o640, 0o400):
        os.chmod("o.txt", mode)
        run("scan", numbers(), "-o", "o.txt")
        assert os.stat("o.txt").st_mode & 0o777 == mode, oct(os.stat("o.txt").st_mode)


def quiet_prints_nothing_but_results():
    for command in (("dist", COHORT, "-o", "x"), ("fermat", COHORT, "-o", "x"),
                    ("scan", numbers(), "-o", "y.txt")):
        done = run(*command, "--quiet")
        assert done.stdout == "" and done.stderr == "", done
    assert run("reduce", "n.txt", "--quiet").stdout == "15\n"
    assert "memory" in run("dist", COHORT, "--plan", "-o", "x", "--quiet").stdout


def quiet_prints_measures_that_were_asked_for():
    pathlib.Path("t.csv").write_text("x,y,class\n" + "".join(f"{i % 7},{i % 5},{'ab'[i % 7 > 3]}\n" for i in range(70)))
    fit = ("fit", "t.csv", "--label", "class", "-o", "m", "--quiet")
    assert run("tree", *fit).stdout == ""
    for family, option, says in (("forest", ["--oob"], "accuracy out of bag: "), ("tree", ["--cv", 3], "accuracy of 3 folds: ")):
        done = run(family, *fit, *option)
        assert says in done.stdout and "m.json" not in done.stdout and done.stderr == "", done
    predict = ("predict", "m.json", "t.csv", "-o", "p", "--quiet")
    assert run("tree", *predict).stdout == ""
    assert "accuracy 1.0000 on 70 rows" in run("tree", *predict, "--label", "class").stdout
    som = ("som", "fit", "t.csv", "--rows", 2, "--cols", 2, "-o", "s", "--quiet")
    assert run(*som, "--ignore", "class").stdout == ""
    assert "class of the neuron is right for " in run(*som, "--label", "class").stdout
    apply = ("som", "apply", "s.json", "t.csv", "-o", "a", "--quiet")
    assert "class of the neuron is right for " in run(*apply).stdout
    pathlib.Path("t.csv").write_text("x,y\n1,2\n3,4\n")
    assert run(*apply).stdout == ""


@helper
def parts():
    return sorted(p.name for p in pathlib.Path(".").iterdir() if ".part-" in p.name)


def start(*arguments):
    process = subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    while not parts() and process.poll() is None:
        time.sleep(0.01)
    assert process.poll() is None, process.stderr.read()
    return process


def the_next_run_removes_what_a_killed_one_left():
    process = start("dist", LARGE, "-o", "run")
    process.kill()
    process.wait()
    assert parts() != []
    run("dist", COHORT, "-o", "run")
    assert parts() == [], parts()


def a_run_leaves_the_files_of_a_living_one():
    process = start("dist", LARGE, "-o", "run")
    living = parts()
    run("dist", COHORT, "-o", "run")
    assert parts() == living, parts()
    process.kill()
    process.wait()


def hangup_and_termination_clean_up():
    for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
        process = start("dist", LARGE, "-o", "run")
        process.send_signal(number)
        _, errors = process.communicate(timeout=20)
        assert process.returncode == 130, (number, process.returncode, errors)
        assert parts() == [] and "interrupted" in errors, errors


def a_pipe_that_nobody_writes_can_be_interrupted():
    os.mkfifo("pipe.vcf")
    os.mkfifo("d.npy")
    for command in (("dist", "pipe.vcf"), ("fermat", "--from-distances", "d.npy")):
        process = subprocess.Popen([PROGRAM, *command, "-o", "new/run"], text=True, stderr=subprocess.PIPE)
        note = process.stderr.readline()
        assert "waiting for a program that writes" in note, note
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
        assert process.returncode == 130 and "interrupted" in errors, (process.returncode, errors)


def a_pipe_given_for_a_list_was_waited_for_without_a_word():
    run("simulate", "--samples", 10, "--sites", 40, "-o", "c")
    pathlib.Path("g.fa").write_text(">g\n" + "ACGTTGCA" * 20 + "\n")
    pathlib.Path("e.tsv").write_text("1 50\n")
    splice = ("splice", "--estimate")
    for k, command in enumerate((
            ("dist", "c", "-o", "o", "--keep"), ("dist", "c", "-o", "o", "--remove"),
            ("dist", "c.bed", "-o", "o", "--fam"), ("dist", "c.bed", "-o", "o", "--bim"),
            ("fermat", "c", "-o", "o", "--labels"), (*splice, "--batch"),
            (*splice, "--exons", "e.tsv", "--target", "g.fa", "--genome"),
            (*splice, "--genome", "g.fa", "--target", "g.fa", "--exons"),
            (*splice, "--genome", "g.fa", "--exons", "e.tsv", "--target"),
            (*splice, "--genome", "g.fa", "--exons", "e.tsv", "--target", "g.fa", "--matrix"))):
        os.mkfifo(f"pipe{k}")
        process = subprocess.Popen([PROGRAM, *map(str, command), f"pipe{k}"], text=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        note = process.stderr.readline()
        assert note == f"note: pipe{k}: is a pipe; waiting for a program that writes to it\n", (
            command, note)
        process.kill()
        process.communicate()
    keep = subprocess.run(f"{PROGRAM} dist c -o o --keep <(head -5 c.fam)", shell=True,
                          executable="/bin/bash", capture_output=True, text=True)
    assert keep.returncode == 0 and "5 of 10 kept" in keep.stdout, keep
    assert "pipe" not in keep.stderr, keep.stderr


def a_pipe_that_nobody_reads_can_be_interrupted():
    pathlib.Path("many.txt").write_text("1\n" * 200000)
    process = subprocess.Popen([PROGRAM, "scan", "many.txt", "-o", "/dev/stdout"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    select.select([process.stdout], [], [], 60)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 130


def empty_folders_of_a_checkpoint_stayed():
    for command in (("dist", COHORT), ("fermat", COHORT), ("dist", "no.bed"), ("fermat", "no.bed"),
                    ("dist", COHORT, "--plan")):
        status = 3 if "no.bed" in command else 0
        run(*command, "-o", "out/run", "--checkpoint", "ck/a/b", status=status)
        assert not pathlib.Path("ck").exists(), command
    pathlib.Path("ck").mkdir()
    run("dist", COHORT, "-o", "out/run", "--checkpoint", "ck/a/b")
    assert list(pathlib.Path("ck").iterdir()) == [], "a folder that was there before stays"


def a_run_that_was_interrupted_after_its_counts_did_not_name_their_checkpoint():
    run("simulate", "--samples", 2500, "--sites", 600, "-o", "c")
    for command in (("dist", "c.bed", "--format", "tsv"), ("fermat", "c.bed")):
        shutil.rmtree("ck", ignore_errors=True)
        process = subprocess.Popen([PROGRAM, *command, "-o", "late", "--checkpoint", "ck", "--checkpoint-interval", "0"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        # The first file of the output is begun after the counts.
        while not list(pathlib.Path(".").glob("late.*.part-*")) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        # On a busy machine the signal may come before the counts, or when the output is done.
        kept = process.returncode == 130 and pathlib.Path("ck/counts-0-2500.yupana").exists()
        assert not kept or "ck/counts-0-2500.yupana holds the counts so far" in errors, errors


def an_interrupted_run_names_its_checkpoint():
    process = subprocess.Popen([PROGRAM, "dist", LARGE, "-o", "run", "--checkpoint", "save",
                                "--checkpoint-interval", "0"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    while not list(pathlib.Path(".").glob("save/*.yupana")) and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130, (process.returncode, errors)
    assert "save/counts-0-400.yupana holds the counts so far" in errors, errors


def an_output_replaced_the_file_that_it_was_made_of():
    run("simulate", "--samples", 30, "--sites", 500, "--missing", 0.02, "-o", "c")
    run("dist", "c.bed", "-o", "run")
    for end in ("bim", "fam"):
        pathlib.Path(f"l2.{end}").write_bytes(pathlib.Path(f"c.{end}").read_bytes())
    run("filter", "c.bed", "--indep-pairwise", 50, 5, 0.1, "-o", "e.bed")
    before = {p.name: p.read_bytes() for p in pathlib.Path(".").iterdir()}
    for line in (("filter", "--bed", "c.bed", "--bim", "l2.bim", "--fam", "l2.fam", "--mind", 0.015,
                  "-o", "l2.bed"),
                 ("fermat", "--from-distances", "run.dist.npy", "--squared", "-o", "run"),
                 ("nj", "run.dist.npy", "-o", "run.dist.npy"),
                 ("filter", "c.bed", "--extract", "e.prune.in", "--indep-pairwise", 50, 5, 0.01,
                  "-o", "e.bed"),
                 ("filter", "c", "--maf", 0.1, "-o", "c.bed")):
        refuse(*line, status=2, says="is read by this command")
    assert {p.name: p.read_bytes() for p in pathlib.Path(".").iterdir()} == before


def a_file_of_the_same_prefix_was_said_to_be_read():
    run("simulate", "--samples", 30, "--sites", 500, "-o", "c")
    for line in (("c.bed", "-o", "c.pgen"), ("c.bed", "-o", "c.pgen"), ("c", "-o", "c.pgen"), ("c.pgen", "-o", "c.bed"),
                 ("--bfile", "c", "-o", "c.pgen"), ("--pfile", "c", "-o", "c.bed")):
        run("filter", *line)
    for line in (("c.pgen", "-o", "c.pgen"), ("--pfile", "c", "-o", "c.pgen"), ("--bfile=c", "-o", "c.bed")):
        refuse("filter", *line, status=2, says="is read by this command")
    for end in ("bed", "bim", "fam"):
        pathlib.Path(f"c.{end}").unlink()
    refuse("filter", "c", "-o", "c.pgen", status=2, says="is read by this command")
