"""What a run holds, measured, and what its plan says."""
import json
import pathlib
import subprocess
import sys

from program import PROGRAM, run

# Run in an interpreter of its own: a child's peak begins with what its parent has.
PEAK = """import os, sys
_, status, usage = os.wait4(os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]), 0)
print(status, usage.ru_maxrss)"""

#: Of the program's own file the system maps more or fewer pages at once: copies of one file differ so much.
MAPPED = 1.5e6


def with_threads(arguments):
    """Two, unless others are named: of more a plan says what all of them may hold, at the most."""
    return arguments if "--threads" in arguments else (*arguments, "--threads", 2)


def peak_of(*arguments, out="o"):
    """Bytes that a run held at its peak."""
    words = map(str, with_threads(arguments))
    done = subprocess.run([sys.executable, "-S", "-c", PEAK, PROGRAM, *words, "-o", out, "--quiet"],
                          stdout=subprocess.PIPE, text=True, check=True)
    status, kilobytes = map(int, done.stdout.split())
    assert status == 0, arguments
    return kilobytes * 1024


def plan_of(*arguments, out="o"):
    return json.loads(run(*with_threads(arguments), "--plan", "--json", "-o", out).stdout)


def sanitized():
    """Or memory is filled: then pages count that nothing else writes, those of htslib's buffers too."""
    program = pathlib.Path(PROGRAM).read_bytes()
    if not any(name in program for name in (b"__asan_init", b"__tsan_init", b"new_memory_is_filled")):
        return False
    print("        skipped: sanitizers, and builds that fill new memory, hold more")
    return True
