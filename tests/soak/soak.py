#!/usr/bin/env python3
"""Differential fuzzing: random jobs (generator.py), each run in every way that must give the same
bytes. One thread of the CPU is compared with the reference (within the stated bound where there is
one), with 2 and 7 threads, with the code of older processors, with less memory and with two ranks.
Pictures, which depend on little and take most of the time, are drawn in a tenth of the jobs.
One process makes many runs (serve_shim.cpp): what one leaves behind, the next one meets. A finding
is looked at again in processes of its own, made smaller and left in a folder with the lines that
show it.

    soak.py PROGRAM --seed 1 --count 1000 [--families fft dist] [--only 17]
"""
import argparse
import array
import concurrent.futures
import dataclasses
import math
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import generator
from runs import TIMEOUT, Place, Servers, read, write_inputs

DRAWN = 0.1  # of the jobs
# Highway's bits fall as instruction sets rise; "oldest" is what the compiler takes where no set is known.
OLDER = {"avx2": -(1 << 9), "sse4": -(1 << 11), "oldest": -(1 << 12)}
UNLIKE = (".html",)  # files that hold times
RECORDS = ("fermat",)  # commands whose .json holds times


@dataclasses.dataclass
class Outcome:
    status: object
    errors: str
    files: dict


class Ways:
    """The ways to run a job; each gives an Outcome. alone: each run in a process of its own."""

    def __init__(self, program, chosen=(), alone=True):
        self.program = program
        self.chosen = list(chosen)  # those of every job; none: all but the GPU
        self.shim = str(pathlib.Path(program).parent / "libserve_shim.so")
        self.servers = None if alone else Servers(program, self.shim)

    def of(self, job, rng):
        if self.chosen:
            return self.chosen
        ways = ["reference", "cpu 2", "cpu 7", "memory", rng.choice(sorted(OLDER))]
        of_one_process = any(option[0] in ("--king-cutoff", "--king-table-ibd", "--bootstrap") for option in job.options)
        if job.ranks and not of_one_process and shutil.which("mpirun") and rng.random() < 0.03:
            ways.append("ranks")
        return ways

    def run(self, job, way):
        with Place(job) as place:
            return self.run_in(place, job, way)

    def run_in(self, place, job, way):
        lines, environment = self.lines(job, way)
        for words in lines:
            status = self.start(words, place.folder, environment, place.streams)
            if status != 0:
                break
        files = place.take(without=UNLIKE + ((".json",) if is_record(job) else ()))
        if not job.out:
            files["standard output"] = read(place.streams[0])
        errors = read(place.streams[1]).decode(errors="replace").strip().splitlines() if status else []
        return Outcome(status, errors[-1] if errors else "", files)

    def start(self, words, folder, environment, streams):
        if self.servers and words[0] == self.program:
            return self.servers.run(words[1:], folder, environment, streams)
        if environment:
            environment = {**environment, "LD_PRELOAD": self.shim, "YUPANA_ONCE": "1"}
        with open(streams[0], "wb") as out, open(streams[1], "wb") as err:
            try:
                return subprocess.run(words, cwd=folder, env={**os.environ, **environment}, stdout=out,
                                      stderr=err, stdin=subprocess.DEVNULL, timeout=TIMEOUT,
                                      check=False).returncode
            except subprocess.TimeoutExpired:
                return "hangs"

    def lines(self, job, way):
        """(words of each run, environment)"""
        lines = [self.line(words, way) for words in job.before]
        if job.once:
            lines.append([self.program, *job.words(), "--quiet"])
        else:
            lines.append(self.line(job.words(), way))
        environment = {"YUPANA_TARGETS": str(OLDER[way])} if way in OLDER else {}
        return lines, environment if job.drawn else {**environment, "YUPANA_UNDRAWN": "1"}

    def line(self, words, way):
        words = [self.program, *words, "--quiet"]
        if way == "reference":
            if "--method" in words:  # it has one
                at = words.index("--method")
                del words[at:at + 2]
            return [*words, "--device", "reference", "--threads", "1"]
        threads = {"cpu 1": "1", "cpu 2": "2", "cpu 7": "7"}.get(way, "2")
        words += ["--device", way if way.startswith("cuda") else "cpu", "--threads", threads]
        if way == "memory":
            words += ["--memory", "3M"]
        if way == "ranks":
            words = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", *words]
        return words


def is_record(job):
    """Whether a .json holds times: the record of a run."""
    return any(words[0] in RECORDS for words in (job.command, *job.before))


def numbers_of(name, data):
    """The floating-point numbers of a file; None where it holds others."""
    if name.endswith(".npy"):
        header = 10 + int.from_bytes(data[8:10], "little")
        for descr, kind in (("<f8", "d"), ("<c16", "d"), ("<f4", "f"), ("<c8", "f")):
            if f"'{descr}'".encode() in data[:header]:
                return array.array(kind, data[header:])
        return None
    if name.endswith(".txt"):
        return [float(word) for word in data.split()]
    return None


def same_but_for_nans(name, one, other):
    """Whether the bits differ in nothing but the signs and payloads of NaNs, which are the processor's."""
    if not name.endswith(".npy"):
        return False
    left, right = numbers_of(name, one), numbers_of(name, other)
    if left is None or right is None or len(left) != len(right):
        return False
    for numbers in (left, right):
        for k, x in enumerate(numbers):
            if math.isnan(x):
                numbers[k] = math.nan
    return array.array("d", left).tobytes() == array.array("d", right).tobytes()


def are_near(name, one, other, bound):
    """Whether numbers differ by no more than the bound, of the largest of them."""
    left, right = numbers_of(name, one), numbers_of(name, other)
    if left is None:
        return one == other
    if right is None or len(left) != len(right):
        return False
    largest = max((abs(x) for x in left if math.isfinite(x)), default=0.0)
    return all(x == y or (math.isnan(x) and math.isnan(y)) or abs(x - y) <= bound * largest
               for x, y in zip(left, right))


def without_executed(data):
    """A splice table without its count of work, which is the reference's own."""
    rows = [line.split(b"\t") for line in data.splitlines()]
    column = rows[0].index(b"executed_cells") if b"executed_cells" in rows[0] else None
    return [row[:column] + row[column + 1:] for row in rows] if column is not None else rows


def difference(job, way, base, other):
    """What is wrong between one thread and another way, or None."""
    if other.status in ("hangs",) or (isinstance(other.status, int) and other.status < 0):
        return f"{way}: {other.status}"
    if way == "memory" and other.status == 4:
        return None
    if way.startswith("cuda") and other.status in (2, 3) and "--device" in other.errors:
        return None  # what no GPU does
    if base.status != other.status:
        return f"{way}: exit {other.status} ({other.errors}), one thread {base.status} ({base.errors})"
    if "unforeseen" in other.errors or other.status not in (0, 2, 3, 4):
        return f"{way}: exit {other.status}: {other.errors}"
    if base.files.keys() != other.files.keys():
        return f"{way}: files {sorted(base.files.keys() ^ other.files.keys())}"
    for name, data in base.files.items():
        if data == other.files[name] or same_but_for_nans(name, data, other.files[name]):
            continue
        if job.command == ["splice"] and (way == "reference" or way.startswith("cuda")):
            if without_executed(data) == without_executed(other.files[name]):
                continue
        # Products of coordinates round otherwise without fused multiply-adds.
        if way in ("sse4", "oldest") and ".mds." in name:
            continue
        # A GPU's floats may differ where the reference's may.
        if job.bound and (way in job.loose or way.startswith("cuda") and "reference" in job.loose):
            # What is derived from numbers that differ may differ more.
            if not name.endswith((".npy", ".txt")) or is_record(job) and (
                    ".fermat" not in name and ".dist" not in name):
                continue
            if are_near(name, data, other.files[name], job.bound):
                continue
        return f"{way}: {name} differs"
    return None


def finding(ways, job, chosen):
    with Place(job) as place:
        base = ways.run_in(place, job, "cpu 1")
        if base.status == "hangs" or base.status < 0 or "unforeseen" in base.errors:
            return "cpu 1", f"cpu 1: {base.status} {base.errors}"
        for way in chosen:
            told = difference(job, way, base, ways.run_in(place, job, way))
            if told:
                return way, told
    return None


def smaller_jobs(job):
    """The job without one of its options, or without some lines or rows of an input."""
    for k in range(len(job.options)):
        if job.options[k][0] not in ("--label", "--genome", "--target", "--protein"):
            yield dataclasses.replace(job, options=job.options[:k] + job.options[k + 1:])
    for name, content in job.inputs.items():
        step = len(content)
        while step > 1:
            step = (step + 1) // 2
            for begin in range(0, len(content), step):
                less = content.without(begin, min(begin + step, len(content)))
                yield dataclasses.replace(job, inputs={**job.inputs, name: less})


def shrunk(ways, job, way, tries=400):
    """The smallest job found that still differs."""
    for _ in range(tries):
        for less in smaller_jobs(job):
            tries -= 1
            if tries < 0:
                return job
            if finding(ways, less, [way]):
                job = less
                break
        else:
            return job
    return job


def keep(ways, job, way, told, folder):
    folder.mkdir(parents=True, exist_ok=True)
    write_inputs(job, folder)
    lines = [told]
    for each in ("cpu 1", way):
        runs, environment = ways.lines(job, each)
        lines += [" ".join([*(f"{k}={v}" for k, v in environment.items()), *words]) for words in runs]
    (folder / "finding.txt").write_text("\n".join(lines) + "\n")
    return lines


def examine(ways, options, number):
    job = generator.job(options.seed, number, options.families)
    rng = random.Random(number)
    chosen = ways.of(job, rng)
    job.drawn = rng.random() < DRAWN or "ranks" in chosen  # which nothing is preloaded into
    found = finding(ways, job, chosen)
    if not found:
        return len(chosen) + 1, None
    way, told = found
    alone = Ways(ways.program)
    again = finding(alone, job, [way])
    if again:
        job = shrunk(alone, job, way)
        told = (finding(alone, job, [way]) or again)[1]
    else:
        told += " (in a process of many runs, not in one of its own)"
    folder = pathlib.Path(options.findings) / f"{options.seed}-{number}"
    return len(chosen) + 1, (number, job, told, keep(alone, job, way, told, folder))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", type=int, help="the job of this number alone")
    parser.add_argument("--families", nargs="+", default=list(generator.FAMILIES))
    parser.add_argument("--findings", default="build/soak", help="folder for what differs")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="at a time")
    parser.add_argument("--ways", nargs="+", default=[], help="of each job, such as cuda or cuda:0,0")
    parser.add_argument("--alone", action="store_true", help="a process for each run")
    parser.add_argument("--seconds", type=float, default=math.inf, help="no job begins after so long")
    options = parser.parse_args()
    program = pathlib.Path(options.program).absolute()
    with open(program, "rb") as file:
        alone = options.alone or file.read(4) != b"\x7fELF"  # a script cannot make many runs
    ways = Ways(str(program), options.ways, alone)
    end = time.monotonic() + options.seconds
    numbers = range(options.first, options.first + options.count)
    if options.only is not None:
        numbers = [options.only]
    runs = done = findings = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for count, found in pool.map(lambda k: time.monotonic() < end and examine(ways, options, k) or (0, None),
                                     numbers):
            runs, done = runs + count, done + (count > 0)
            if found:
                findings += 1
                print(f"FINDING {options.seed}-{found[0]}: {found[2]}")
                print("\n".join(f"    {line}" for line in found[3]), flush=True)
            if done % 1000 == 0:
                print(f"{done} jobs, {runs} runs, {findings} findings", flush=True)
    if ways.servers:
        ways.servers.end()
    print(f"{done} jobs, {runs} runs, {findings} findings; --seed {options.seed}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
