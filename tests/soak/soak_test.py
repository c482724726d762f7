"""A few jobs of the differential fuzzer; make soak runs many. And that it finds what differs."""
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
from help_text import commands, options
from program import PROGRAM, skip
import effects
import generator
import load
import soak as fuzzer

if any(name in pathlib.Path(PROGRAM).read_bytes() for name in (b"__asan_init", b"__tsan_init")):
    skip("sanitizers are slow, and libraries cannot be preloaded before them")


def run_soak(program, *words):
    return subprocess.run([sys.executable, HERE / "soak.py", program, *map(str, words)],
                          capture_output=True, text=True, check=False)


def a_sample_differs_nowhere():
    done = run_soak(PROGRAM, "--seed", 471818, "--count", 40)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "40 jobs" in done.stdout, done.stdout


# Commands that compute nothing of an input, and options that choose the way, not the bytes.
WITHOUT_JOBS = {"plan": "sizes alone", "info": "the machine", "bench": "times", "completion": "a text",
                "man": "a text", "help": "a text"}
WAYS = {"--help", "--device", "--threads", "--memory", "--gpu-memory", "--out", "--json", "--quiet",
        "--plan", "--checkpoint", "--checkpoint-interval", "--pair-groups", "--library", "--estimate",
        "--histograms"}
SHARED = re.compile(r"(?ms)^(?:Input|Filters|Table):\n.*?(?:\n\n|\Z)")


def every_command_and_option_has_a_job():
    """What --help names is in the jobs of its command; inputs, filters and forms of tables are one
    for all commands, so in the jobs of any."""
    seen, anywhere = {}, set()
    families = [*generator.FAMILIES, *["models"] * 8]
    for k in range(4000):
        job = generator.job(1, k, families)
        for words in (job.words(), *job.before):
            command = tuple(words[:2] if words[0] in ("tree", "forest", "som") else words[:1])
            found = {word for word in words if word.startswith("--")}
            seen.setdefault(command, set()).update(found)
            anywhere |= found
    without = []
    for command, text in commands().items():
        if command[0] in WITHOUT_JOBS:
            continue
        own = set(options(SHARED.sub("", text))) - WAYS - seen.get(command, set())
        shared = set(options(text)) - WAYS - anywhere
        without += [" ".join([*command, name]) for name in sorted(own | shared)]
        without += [] if command in seen else [" ".join(command)]
    assert not without, f"no job of {without}"


def an_option_without_effect_is_refused():
    """What is left out of jobs one by one makes a difference somewhere, in what is written, said or refused."""
    tried, had = effects.survey(os.path.abspath(PROGRAM), 1, 700, False)
    assert sum(count > 0 for count in had.values()) > 200, sum(count > 0 for count in had.values())
    assert not effects.silent(tried, had, 16), effects.silent(tried, had, 16)


def what_has_no_effect_is_found():
    """A program that takes an option away from a command that has it."""
    pathlib.Path("deaf").write_text(
        f'#!/bin/sh\nfor word; do shift; [ "$word" = --inverse ] || set -- "$@" "$word"; done\nexec "{PROGRAM}" "$@"\n')
    os.chmod("deaf", 0o755)
    driver = ("import sys; sys.path.insert(0, sys.argv[1]); import effects, ingredients, soak\n"
              "job = ingredients.Job(['fft', 'x.txt'], {'x.txt': ingredients.Text(['1', '2', '4'])}, [['--inverse']], 'o.txt')\n"
              "print(effects.examined(soak.Ways(sys.argv[2]), job, bool))\n")
    for program, has in ((os.path.abspath("deaf"), False), (os.path.abspath(PROGRAM), True)):
        done = subprocess.run([sys.executable, "-c", driver, HERE, program], capture_output=True, text=True, check=False)
        assert done.stdout == f"{{'--inverse': {has}}}\n", done.stdout + done.stderr


def pictures_do_not_depend_on_others_of_the_process():
    """Letters were fitted to pixels or not as in the picture that the process drew first."""
    ways = [fuzzer.Ways(os.path.abspath(PROGRAM), alone=alone) for alone in (False, True)]
    pictures = 0
    for k in range(18):
        job = generator.job(3, k, list(generator.FAMILIES))
        among_others = ways[0].run(job, "cpu 1").files
        if any(name.endswith(".png") for name in among_others):
            alone = ways[1].run(job, "cpu 1").files
            assert among_others == alone, [name for name in alone if alone[name] != among_others[name]]
            pictures += 1
    ways[0].servers.end()
    assert pictures > 2, pictures


def what_is_not_drawn_changes_no_other_file():
    ways, pictures = fuzzer.Ways(os.path.abspath(PROGRAM), alone=False), (".png", ".svg", ".pdf")
    for family in ("fermat", "som"):
        job = next(job for job in (generator.job(3, k, [family]) for k in range(99))
                   if any(name.endswith(pictures) for name in ways.run(job, "cpu 1").files))
        drawn = ways.run(job, "cpu 1").files
        job.drawn = False
        undrawn = ways.run(job, "cpu 1").files
        assert drawn.keys() == undrawn.keys()
        changed = [name for name in drawn if drawn[name] != undrawn[name]]
        assert changed and all(name.endswith(pictures) for name in changed), changed
    ways.servers.end()


def what_differs_is_found_and_made_smaller():
    """A program whose sort is wrong with seven threads where the input has a number twice."""
    pathlib.Path("wrong").write_text(
        f'#!/bin/sh\n"{PROGRAM}" "$@" || exit $?\n'
        'case "$*" in *"threads 7"*) [ $(sort x.txt | uniq -d | wc -l) = 0 ] || echo 9 >> o.txt;; '
        'esac\n')
    os.chmod("wrong", 0o755)
    driver = ("import sys, pathlib; sys.path.insert(0, sys.argv[1]); import ingredients, soak\n"
              "job = ingredients.Job(['sort', 'x.txt'], {'x.txt': ingredients.Text([str(k % 29) for k in"
              " range(40)])}, [['--type', 'i8']], 'o.txt')\n"
              "ways = soak.Ways(sys.argv[2]); way, told = soak.finding(ways, job, ['cpu 2', 'cpu 7'])\n"
              "less = soak.shrunk(ways, job, way)\n"
              "print(way, told, less.options, sorted(less.inputs['x.txt'].lines))\n")
    done = subprocess.run([sys.executable, "-c", driver, HERE, os.path.abspath("wrong")],
                          capture_output=True, text=True, check=False)
    assert done.stdout.startswith("cpu 7 cpu 7: o.txt differs []"), done.stdout + done.stderr
    assert done.stdout.count("'") == 4, done.stdout


def what_a_kill_leaves_is_found():
    """A program that leaves a file where it ran before, against the program itself."""
    load.INPUTS = ()
    load.JOBS = ("sort ../in/k.npy --memory 2M -o o.npy", "scan ../in/k.npy --memory 30M --wrap -o o.npy")
    pathlib.Path("leaves").write_text(f'#!/bin/sh\n[ -e mark ] && echo > left\n: > mark\nexec "{PROGRAM}" "$@"\n')
    os.chmod("leaves", 0o755)
    for program, right in ((PROGRAM, True), ("./leaves", False)):
        done = load.run([program, "--seconds", "5", "--at-once", "2", "--gigabytes", "1"])
        assert done.kills > 0 and done.done > 0, (done.kills, done.done)
        assert (not done.wrong) == right, done.wrong
