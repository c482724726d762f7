#!/usr/bin/env python3
"""A few jobs of the differential fuzzer; make soak runs many. And that it finds what differs."""
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from program import PROGRAM, main, skip

if any(name in pathlib.Path(PROGRAM).read_bytes() for name in (b"__asan_init", b"__tsan_init")):
    skip("sanitizers are slow, and libraries cannot be preloaded before them")


def soak(program, *words):
    return subprocess.run([sys.executable, HERE / "soak.py", program, *map(str, words)],
                          capture_output=True, text=True, check=False)


def a_sample_differs_nowhere():
    done = soak(PROGRAM, "--seed", 471818, "--count", 40)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "40 jobs" in done.stdout, done.stdout


def what_differs_is_found_and_made_smaller():
    """A program whose sort is wrong with seven threads where the input has a number twice."""
    pathlib.Path("wrong").write_text(
        f'#!/bin/sh\n"{PROGRAM}" "$@" || exit $?\n'
        'case "$*" in *"threads 7"*) [ $(sort x.txt | uniq -d | wc -l) = 0 ] || echo 9 >> o.txt;; '
        'esac\n')
    os.chmod("wrong", 0o755)
    driver = ("import sys, pathlib; sys.path.insert(0, sys.argv[1]); import generator, soak\n"
              "job = generator.Job(['sort', 'x.txt'], {'x.txt': generator.Text([str(k % 29) for k in"
              " range(40)])}, [['--type', 'i8']], 'o.txt')\n"
              "ways = soak.Ways(sys.argv[2]); way, told = soak.finding(ways, job, ['cpu 2', 'cpu 7'])\n"
              "less = soak.shrunk(ways, job, way)\n"
              "print(way, told, less.options, sorted(less.inputs['x.txt'].lines))\n")
    done = subprocess.run([sys.executable, "-c", driver, HERE, os.path.abspath("wrong")],
                          capture_output=True, text=True, check=False)
    assert done.stdout.startswith("cpu 7 cpu 7: o.txt differs []"), done.stdout + done.stderr
    assert done.stdout.count("'") == 4, done.stdout


sys.exit(main([a_sample_differs_nowhere, what_differs_is_found_and_made_smaller]))
