"""Running the yupana program in tests: a scratch folder, the program, and skips with a reason."""
import contextlib
import inspect
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data" / "genotypes"
PROGRAM = str(pathlib.Path(sys.argv[1]).absolute() if len(sys.argv) > 1
              else ROOT / "build" / "release" / "yupana")

# `nohup make test` has it ignored, and so had the programs that tests hang up: one was waited for in vain, and
# `nohup make faults` tested no hangup.
signal.signal(signal.SIGHUP, signal.SIG_DFL)


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def need(*programs):
    for program in programs:
        if shutil.which(program) is None:
            skip(f"{program} is not installed")


@contextlib.contextmanager
def scratch():
    """A temporary working folder."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory(prefix="yupana_test.") as folder:
        os.chdir(folder)
        try:
            yield pathlib.Path(folder)
        finally:
            os.chdir(before)


def run(*arguments, status=0, **options):
    """Runs yupana, checks its exit status, returns the finished process."""
    done = subprocess.run(
        [PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == status, (
        f"yupana {' '.join(map(str, arguments))}\nexit {done.returncode}, wanted {status}\n"
        f"{done.stdout}\n{done.stderr}"
    )
    return done


def answer(*arguments, **options):
    """What a run says with --json."""
    return json.loads(run(*arguments, "--json", **options).stdout)


def notes(*arguments):
    """The notes of a run, line by line."""
    return [line for line in run(*arguments).stderr.splitlines() if line.startswith("note: ")]


def put(name, content):
    """Writes a file of text or bytes; returns its name."""
    pathlib.Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return name


def files():
    """The names of what is in the working folder."""
    return sorted(path.name for path in pathlib.Path(".").iterdir())


def refuse(*arguments, status=3, says=(), **options):
    """Runs yupana, which must end with this status, one line that holds these words, and no file."""
    before = files()
    done = run(*arguments, status=status, **options)
    lines = [line for line in done.stderr.splitlines() if not line.startswith("note: ")]
    assert len(lines) == 1 and lines[0].startswith("yupana: "), f"expected one line:\n{done.stderr}"
    for words in [says] if isinstance(says, str) else says:
        assert words in lines[0], f"expected '{words}' in: {lines[0]}"
    assert done.stdout == "", done.stdout
    after = files()
    assert after == before, f"left behind: {set(after) - set(before)}"
    return done


def peer(*command):
    """Runs another program and returns its standard output."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def helper(function):
    """Marks a function without parameters that is no test."""
    function.is_helper = True
    return function


def main(tests=None):
    """Runs every test of the script; prints one line each."""
    if tests is None:
        tests = [function for function in vars(sys.modules["__main__"]).values()
                 if inspect.isfunction(function) and function.__module__ == "__main__"
                 and not inspect.signature(function).parameters and not hasattr(function, "is_helper")]
    failed = 0
    for test in tests:
        try:
            with scratch():
                test()
            print(f"ok      {test.__name__}")
        except AssertionError as error:
            failed += 1
            print(f"FAILED  {test.__name__}: {error}")
    return 1 if failed else 0
