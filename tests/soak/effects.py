#!/usr/bin/env python3
"""Options without effect: random jobs (generator.py), each run as it is and without one of its options. An option
that a command accepts and that never changes what is written, printed or refused is ignored in silence. With --pairs
the same of each option next to each other one: what has an effect, but never there, is printed to be judged, for few
runs prove nothing.

    effects.py PROGRAM --seed 1 --count 2000 [--pairs]
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import generator
import soak

# Options that choose a way to the same bytes, and those that say what is so without them in the jobs.
WAYS = {"--no-prune", "--exact-window", "--method"}
NAMES = {"--bim", "--fam", "--pvar", "--psam", "--sample"}  # the jobs' files have the usual ones
SPECIES = {"--chr-set", "--autosome-num", "--cow", "--dog", "--horse", "--mouse", "--sheep"}  # X is X in all
USUAL = {"--header", "--delimiter", "--zero-based", "--missing", "--float32", "--text", "--lower", "--exact", "--bootstrap",
         "--p-matrix", "--wrap", "--key-type", "--add-duplicates"}
OWN = {"path --alpha": "runs of one alpha", "tree show --tree": "trees are the first",
       "tree apply --label": "a column of a table without names that is no feature",
       "forest apply --label": "the same"}
TIMES = re.compile(rb"\d[\d.e+-]* ?(?:s|ms|us|MB|kB|GB|KiB|MiB)\b|\"(?:seconds|work)\":[^,}]*|\d{4}-\d\d-\d\d[T ][\d:]+")


def command_of(words):
    return " ".join(words[:2] if words[0] in ("tree", "forest", "som") else words[:1])


def name_of(option):
    return next((word for word in option if word.startswith("-")), "")


def trace(ways, job):
    """All that a run leaves, prints and says, without times, sizes and its own command line."""
    with tempfile.TemporaryDirectory(prefix="yupana_effects.") as place:
        streams = [f"{place}/{name}" for name in ("out", "err")]
        folder = pathlib.Path(place, "job")
        folder.mkdir()
        soak.write_inputs(job, folder)
        for words in [*job.before, job.words()]:
            line = [ways.program, *words] if job.once else [ways.program, *words, "--device", "cpu", "--threads", "1"]
            status = ways.start(line, folder, {}, streams)
            if status != 0:
                break
        files = {path.name: path.read_bytes() for path in folder.iterdir()
                 if path.is_file() and path.name not in job.inputs}
        files.update({name: pathlib.Path(path).read_bytes() for name, path in zip((">1", ">2"), streams)})
    own = " ".join(job.words()).encode()
    return status, {name: TIMES.sub(b"", data.replace(own, b""))
                    if name.endswith((".html", ".json", ">1", ">2")) else data for name, data in files.items()}


def silent(tried, had, least):
    """Options of at least so many runs, none of which they had an effect in."""
    return sorted(f"{command} {name}" for (command, name, other), runs in tried.items()
                  if other == "" and runs >= least and had[command, name, ""] == 0 and
                  name not in NAMES | SPECIES | USUAL and f"{command} {name}" not in OWN)


def examined(ways, job, wanted):
    """{option: whether leaving it out changes anything} of the options that `wanted` takes; none of a refused job."""
    chosen = [option for option in job.options if name_of(option) not in WAYS and wanted(option)]
    if not chosen:
        return {}
    base = trace(ways, job)
    if base[0] != 0:
        return {}
    found = {}
    for option in chosen:
        less = dataclasses.replace(job, options=[other for other in job.options if other is not option])
        found[name_of(option)] = trace(ways, less) != base
    return found


def survey(program, seed, count, pairs, threads=None):
    """Counters of (command, option, other): of the runs with it, and of those in which it had an effect."""
    ways = soak.Ways(program, alone=False)
    tried, had = collections.Counter(), collections.Counter()

    def one(number):
        job = generator.job(seed, number, list(generator.FAMILIES))
        command = command_of(job.command)
        names = [name_of(option) for option in job.options]
        names += [re.sub(r":.*|.*\.", "", word) for word in job.command[1:2]]

        def wanted(option):
            name = name_of(option)
            if not pairs:
                return had[command, name, ""] == 0
            return any(had[command, name, other] == 0 for other in ["", *names])
        for name, has in examined(ways, job, wanted).items():
            for other in ["", *names] if pairs else [""]:
                if other != name:
                    tried[command, name, other] += 1
                    had[command, name, other] += has
    with concurrent.futures.ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        list(pool.map(one, range(count)))
    ways.servers.end()
    return tried, had


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--pairs", action="store_true")
    options = parser.parse_args()
    tried, had = survey(str(pathlib.Path(options.program).absolute()), options.seed, options.count, options.pairs)
    found = silent(tried, had, 1)
    for name in found:
        print(f"{name}: no effect in {tried[(*name.rsplit(' ', 1), '')]} runs")
    pairs = [key for key, runs in sorted(tried.items())
             if key[2] and runs > 2 and had[key] == 0 and had[key[0], key[1], ""] > 0]
    for command, name, other in pairs:
        print(f"{command} {name} with {other}: no effect in {tried[command, name, other]} runs")
    print(f"{len([key for key in tried if key[2] == ''])} options of commands, {len(found) + len(pairs)} to judge")


if __name__ == "__main__":
    main()
