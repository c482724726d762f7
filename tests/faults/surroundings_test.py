"""Runs where something is short or closed, or changes meanwhile: address space, file sizes, open
files, standard streams, a reader that goes away, the clock, another run of the same name. Each ends in one line
and the documented status with nothing half-written, or does its work."""
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import time

from program import PROGRAM, helper, run
import injection
import jobs

SANITIZED = any(name in pathlib.Path(PROGRAM).read_bytes()
                for name in (b"__asan_init", b"__tsan_init"))
SOME = ("dist", "fermat", "scan", "sort", "tree_fit", "som_fit", "splice", "closest", "grm", "pca_project",
        "nj", "filter", "simulate", "forest_predict")
WRITERS = {name: line for name, line in jobs.JOBS.items() if " -o out/" in line}


@helper
def inputs():
    jobs.make_inputs(pathlib.Path("in"), run)
    pathlib.Path("work").mkdir()


def limited(limit, amount):
    return lambda: resource.setrlimit(limit, (amount, amount))


def start(line, redirection="", **options):
    """Runs yupana in an empty folder, with a redirection of the shell."""
    shutil.rmtree("work")
    pathlib.Path("work").mkdir()
    return subprocess.run(["sh", "-c", f'exec "$@" {redirection}', "sh", PROGRAM, *line.split()],
                          cwd="work", capture_output=True, timeout=60, text=True, check=False,
                          **options)


@helper
def written():
    return sorted(str(p.relative_to("work")) for p in pathlib.Path("work").rglob("*"))


def check(done, line, statuses, about):
    """Done, or one line, a documented status and nothing written; returns whether it was done."""
    if done.returncode == 0:
        return True
    lines = [x for x in done.stderr.splitlines() if not x.startswith("note: ")]
    # Before main(): the system could not load the program.
    if done.returncode == 127 and "shared libraries" in lines[0]:
        return False
    assert done.returncode in statuses, (about, line, done)
    assert len(lines) == 1 and lines[0].startswith("yupana: "), (about, line, done.stderr)
    assert "unforeseen" not in lines[0], (about, line, lines)
    left = [name for name in written() if not name.startswith("save")]
    assert not left, (about, line, left, lines)
    return False


def address_space_ends_in_one_line():
    if SANITIZED:
        print("        skipped: sanitizers reserve terabytes")
        return
    inputs()
    for name, line in jobs.JOBS.items():
        outcomes = [check(start(line, preexec_fn=limited(resource.RLIMIT_AS, mib << 20)),
                          line, {4}, f"{mib} MiB") for mib in (24, 40, 64, 96, 160, 256, 2048)]
        assert outcomes[-1] and not outcomes[0], (name, outcomes)


def a_small_text_was_sorted_in_half_of_the_free_memory():
    if SANITIZED:
        print("        skipped: sanitizers reserve terabytes")
        return
    inputs()
    pathlib.Path("in/one.txt").write_text("7")
    for name in ("x.txt", "one.txt"):
        done = start(f"sort ../in/{name} -o o.txt --memory 64G",
                     preexec_fn=limited(resource.RLIMIT_AS, 2 << 30))
        assert done.returncode == 0 and not done.stderr, (name, done)
    assert pathlib.Path("work/o.txt").read_text() == "7\n"


def memory_is_what_the_address_space_leaves():
    if SANITIZED:
        print("        skipped: sanitizers reserve terabytes")
        return
    inputs()
    done = start("info --json", preexec_fn=limited(resource.RLIMIT_AS, 1 << 30))
    assert json.loads(done.stdout)["memory_free"] < 1 << 30, done


def a_limit_of_file_sizes_leaves_nothing():
    inputs()
    for name, line in WRITERS.items():
        outcomes = [check(start(line, preexec_fn=limited(resource.RLIMIT_FSIZE, size)), line, {4},
                          f"{size} bytes") for size in (0, 1, 200, 5000, 1 << 26)]
        assert outcomes[-1] and not outcomes[0], (name, outcomes)


def a_limit_of_open_files_leaves_nothing():
    inputs()
    for name, line in jobs.JOBS.items():
        outcomes = [check(start(line, preexec_fn=limited(resource.RLIMIT_NOFILE, count)), line,
                          {3, 4}, f"{count} files") for count in (3, 4, 5, 6, 8, 12, 64)]
        assert outcomes[-1], (name, outcomes)


@helper
def whole_files():
    return {name: (pathlib.Path("work") / name).read_bytes() for name in written()
            if (pathlib.Path("work") / name).is_file()}


def whole(line):
    """The files of an undisturbed run."""
    done = start(line)
    assert done.returncode == 0, (line, done)
    return whole_files()


def closed_streams_change_no_file():
    inputs()
    for name in SOME:
        line = jobs.JOBS[name]
        names = whole(line).keys()
        for closed in ("<&-", "2>&-", "2>/dev/full", "<&- 2>&-", "2>closed"):
            done = start(line, closed)
            assert done.returncode == 0, (line, closed, done)
            assert whole_files().keys() - {"closed"} == names, (line, closed, written())


def closed_standard_output_is_an_error_after_the_files():
    inputs()
    for name in SOME:
        line = jobs.JOBS[name]
        names = whole(line).keys()
        for redirection in (">&-", ">/dev/full"):
            done = start(line, redirection)
            assert done.stderr.endswith("yupana: standard output: cannot write\n"), (line, done)
            assert done.returncode == 4 and whole_files().keys() == names, (line, done, written())


def a_reader_that_goes_away_leaves_nothing_half_written():
    """SIGPIPE ends the program, as it ends cat and sort; it once left temporary files."""
    inputs()
    for name in SOME:
        line = jobs.JOBS[name]
        names = whole(line).keys()
        for stream in ("stdout", "stderr"):
            shutil.rmtree("work")
            pathlib.Path("work").mkdir()
            process = subprocess.Popen([PROGRAM, *line.split()], cwd="work", stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            getattr(process, stream).close()
            other = process.stderr if stream == "stdout" else process.stdout
            told = other.read()
            other.close()
            status = process.wait(timeout=60)
            assert status in (0, 4, -signal.SIGPIPE), (line, stream, status, told)
            files = whole_files()
            assert files.keys() in ({}.keys(), names), (line, stream, status, written())
            assert status != 0 or files.keys() == names, (line, stream, status, written())


def fontconfig_printed_an_error_where_no_fonts_are_configured():
    """Where nobody reads standard error, its message ended the program with its files half-written."""
    inputs()
    bare = {**os.environ, "FONTCONFIG_FILE": "/nonexistent/fonts.conf"}
    for name in ("fermat", "pca", "som_fit", "tree_importances"):
        done = start(jobs.JOBS[name] + " --quiet", env=bare)
        assert done.returncode == 0 and not done.stderr, (name, done)


def a_clock_that_was_set_back_kept_a_stopped_run_for_as_long():
    """What does not end by itself is ended after a second, by no clock of the day."""
    inputs()
    ahead = {**os.environ, "LD_PRELOAD": str(injection.SHIM), "YUPANA_CLOCK_AHEAD": "86400"}
    for name in ("dist", "fermat", "scan", "tree_fit"):
        assert start(jobs.JOBS[name], env=ahead).returncode == 0
    size = 3000000
    head = f"{{'descr': '|i1', 'fortran_order': False, 'shape': ({size},), }}".ljust(117) + "\n"
    magic = b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode()
    pathlib.Path("b.npy").write_bytes(magic + b"\x01" * size)
    long = subprocess.Popen([PROGRAM, *"polymul b.npy b.npy --exact --device reference -o q.npy".split()],
                            env=ahead, stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    assert long.poll() is None, "it ended before it could be stopped"
    long.send_signal(signal.SIGTERM)
    errors = long.communicate(timeout=20)[1]
    assert long.returncode == 130 and errors.count("interrupted") == 1, (long.returncode, errors)


def two_runs_of_one_name_give_the_files_of_one():
    inputs()
    run("simulate", "--samples", 14, "--sites", 300, "--seed", 7, "--quiet", "-o", "in/z")
    for first, second, rounds in (
            ("dist ../in/c.bed --format npy tsv phylip --shared -o o",
             "dist ../in/z.bed --format npy tsv phylip --shared -o o", 30),
            ("sort ../in/x.npy -o o.npy", "sort ../in/k.npy -o o.npy", 10),
            ("simulate --samples 9 --sites 99 -o o", "simulate --samples 9 --sites 99 --seed 5 -o o", 10),
            ("splice --genome ../in/g.fa --exons ../in/e.tsv --target ../in/cdna.fa -o o",
             "splice --genome ../in/g.fa --exons auto --target ../in/cdna.fa -o o", 10)):
        run_at_once(first, second, rounds)


def run_at_once(first, second, rounds):
    both = [whole(line) for line in (first, second)]
    assert both[0] != both[1]
    for _ in range(rounds):
        shutil.rmtree("work")
        pathlib.Path("work").mkdir()
        runs = [subprocess.Popen([PROGRAM, *line.split(), "--quiet"], cwd="work",
                                 stderr=subprocess.PIPE, text=True) for line in (first, second)]
        for process in runs:
            errors = process.communicate(timeout=60)[1]
            assert process.returncode == 0, errors
        assert whole_files() in both, {name: [text == files[name] for files in both]
                                       for name, text in whole_files().items()}
