"""A killed run goes on and ends with the same bytes; Ctrl-C ends with 130 and no partial file."""
import json
import os
import pathlib
import signal
import subprocess
import time

from program import PROGRAM, helper, run

COHORT = "simulate:400x3000000,missing=0.01,seed=4"
ENDLESS = "simulate:400x2000000000,missing=0.01,seed=4"  # no machine is through before it is stopped


def start(*arguments):
    return subprocess.Popen([PROGRAM, *map(str, arguments)], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True)


@helper
def leftovers():
    return sorted(p.name for p in pathlib.Path(".").rglob("*") if p.is_file())


def killed_run_resumes_to_the_same_bytes():
    run("dist", COHORT, "-o", "whole", "--quiet")
    arguments = ("dist", COHORT, "-o", "resumed", "--checkpoint", "save",
                 "--checkpoint-interval", 0, "--quiet")
    process = start(*arguments)
    checkpoint = pathlib.Path("save")
    for _ in range(3000):
        if list(checkpoint.glob("counts-*.yupana")) or process.poll() is not None:
            break
        time.sleep(0.01)
    assert process.poll() is None, "the run ended before it could be killed: make it longer"
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not pathlib.Path("resumed.dist.npy").exists()
    done = run(*[a for a in arguments if a != "--quiet"])
    assert "continuing after" in done.stderr, done.stderr
    assert pathlib.Path("whole.dist.npy").read_bytes() == pathlib.Path("resumed.dist.npy").read_bytes()
    assert not checkpoint.exists(), "a finished run clears its checkpoint"


def one_of_two_runs_removed_the_checkpoint_of_the_other():
    process = start("dist", "simulate:400x30000000,missing=0.01", "-o", "a", "--checkpoint", "save",
                    "--checkpoint-interval", 0)
    while not list(pathlib.Path("save").glob("counts-*.yupana")) and process.poll() is None:
        time.sleep(0.01)
    done = run("dist", "simulate:10x100", "-o", "b", "--checkpoint", "save", status=3)
    assert "--checkpoint save: another run saves its counts there" in done.stderr, done.stderr
    process.kill()
    process.wait()
    run("dist", "simulate:10x100", "-o", "b", "--checkpoint", "other")
    for left in pathlib.Path("save").iterdir():
        left.unlink()
    run("dist", "simulate:10x100", "-o", "b", "--checkpoint", "save")  # the lock ended with its run


def other_run_does_not_take_the_checkpoint():
    process = start("dist", ENDLESS, "-o", "a", "--checkpoint", "save", "--checkpoint-interval", 0)
    while not list(pathlib.Path("save").glob("counts-*.yupana")) and process.poll() is None:
        time.sleep(0.01)
    process.kill()
    process.wait()
    done = run("dist", ENDLESS.replace("seed=4", "seed=5"), "-o", "a", "--checkpoint", "save", status=3)
    assert "seed" in done.stderr or "input" in done.stderr, done.stderr
    assert done.stderr.count("\n") == 1, done.stderr


def interrupt_leaves_nothing():
    for command in ("dist", "fermat"):
        process = start(command, ENDLESS, "-o", "run")
        time.sleep(0.7)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=10)
        assert process.returncode == 130, f"{command}: exit {process.returncode}: {errors}"
        assert leftovers() == [], leftovers()


def ctrl_c_ends_a_long_run_within_a_second():
    """A run that does not end by itself is ended after a second; here it has five, for slow machines."""
    powers = ",".join(str(1 + i / 100) for i in range(1, 100))
    long = (("dist", ENDLESS, "-o", "sub/run", "--format", "tsv", "phylip"),
            ("fermat", "simulate:4000x3000,missing=0.01", "-o", "sub/run", "--alpha", powers,
             "--threads", 1),
            ("fermat", "simulate:4000x300", "-o", "run", "--landmarks", 1500, "--alpha", powers,
             "--threads", 1),
            ("simulate", "--samples", 4000, "--sites", "20M", "-o", "sub/run", "--format", "vcf.gz"))
    for arguments, wait in ((a, wait) for a in long for wait in (0.4, 1.5)):
        process = start(*arguments)
        time.sleep(wait)
        assert process.poll() is None, f"{arguments} ended before it could be stopped"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=5)
        assert process.returncode == 130, f"{arguments}: exit {process.returncode}: {errors}"
        assert errors.count("interrupted") == 1, errors
        assert not list(pathlib.Path(".").iterdir()), leftovers()


def a_second_signal_ends_at_once_and_leaves_nothing():
    for number in (signal.SIGINT, signal.SIGTERM):
        process = start("dist", ENDLESS, "-o", "run")
        while not leftovers() and process.poll() is None:
            time.sleep(0.01)
        for _ in range(2):
            process.send_signal(number)
        _, errors = process.communicate(timeout=10)
        assert process.returncode == 130, f"exit {process.returncode}: {errors}"
        assert leftovers() == [], leftovers()


def npy(name, kind, shape, data):
    """Writes a .npy file of random bytes."""
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    head = head.ljust(117) + "\n"
    pathlib.Path(name).write_bytes(
        b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + data)


def building_blocks_stop_as_well():
    size = 1 << 26
    data = os.urandom(8 * size)
    npy("x.npy", "<u8", (size,), data)
    npy("p.npy", "<u4", (size, 2), data)
    npy("f.npy", "<f8", (size,), bytes(6) + b"\xf0\x3f" + bytes(8 * size - 8))
    before = leftovers()
    for arguments in (("sort", "x.npy", "-o", "o.npy"),
                      ("sort", "x.npy", "-o", "o.npy", "--memory", "20M"),
                      ("fft", "f.npy", "-o", "o.npy"),
                      ("closest", "p.npy")):
        process = start(*arguments, "--threads", 1)
        time.sleep(0.2)
        assert process.poll() is None, f"{arguments} ended before it could be stopped"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=10)
        assert process.returncode == 130, f"{arguments}: exit {process.returncode}: {errors}"
        assert leftovers() == before, leftovers()


def closed_output_is_an_error():
    if not os.path.exists("/dev/full"):
        return
    with open("/dev/full", "w") as full:
        done = subprocess.run([PROGRAM, "info"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 4, done
    # A text longer than a buffer was "an unforeseen fault"; help was lost with exit 0.
    for arguments in (["man"], ["info", "--json"], ["--help"], ["completion"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
        assert (done.returncode, done.stderr) == (4, "yupana: standard output: cannot write\n"), done


def a_message_that_cannot_be_written_aborts_nothing():
    pathlib.Path("t.csv").write_text("# a note\na,class\n1,x\n2,y\n")
    fit = [PROGRAM, "tree", "fit", "t.csv", "-o", "m", "--label"]
    for closed in ("2>&-", "2>&- <&-", "2>/dev/full"):
        for label, status in (("class", 0), ("none", 3)):
            done = subprocess.run(["sh", "-c", f'"$@" {closed}', "sh", *fit, label],
                                  stdout=subprocess.PIPE, text=True)
            assert done.returncode == status, (closed, label, done)
        # Nor does it go into a file that took the place of standard error.
        assert "note" not in pathlib.Path("m.json").read_text()
        assert json.loads(pathlib.Path("m.json").read_text())["classes"] == ["x", "y"]
        pathlib.Path("m.json").unlink()
