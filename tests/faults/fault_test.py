#!/usr/bin/env python3
"""Every allocation, file and thread that the program asks the system for is refused once: the run
ends in one line and the documented status, or survives with the same bytes; it leaves no partial
file, and does not hang. A sample of the calls is tested; --all tests every one (make faults)."""
import argparse
import concurrent.futures
import functools
import os
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import PROGRAM, skip
from injection import FOREVER, KINDS, ONCE, SHIM, Fault, Injector
from jobs import JOBS


GROUPS = ("forest", "som", "tree")  # of commands
# Allocations of the words of the command line: one that failed was an abort.
EARLIEST = range(1, 60)
# The jobs whose allocations are all tested. Those between the options and the command too: one that
# failed there left an empty folder. `sort` starts oneTBB, whose loading ended with a signal; texts of
# help lost the words of an option, with status 0, where the library's streams got no memory.
THOROUGH = ("sort", "help_of_an_option")


def parsed():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", nargs="?")
    parser.add_argument("--all", action="store_true", help="every call")
    parser.add_argument("--jobs", nargs="+", default=list(JOBS))
    parser.add_argument("--kinds", nargs="+", default=list(KINDS))
    parser.add_argument("--sample", type=int, default=2, help="calls of a job and kind")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def chosen(begin, count, sample, rng):
    """Calls after `begin`, counted from 1: all, or the last one and a sample."""
    if sample is None or count - begin <= sample:
        return range(begin + 1, count + 1)
    return sorted({count, *rng.sample(range(begin + 1, count), sample - 1)})


@functools.cache
def common_allocations(injector, command):
    """Allocations that a command begins with, those of its options: one job tests those of all.
    They were once counted in a run that has many of its own, which spared most commands the fault."""
    refused = injector.run(f"{command} --no-such-option")
    assert refused.status == 2, (command, refused.errors)
    return refused.counts["memory"] - 200


def faults_of(injector, job, kinds, sample, rng):
    words = JOBS[job].split()
    command = " ".join(words[:2] if words[0] in GROUPS else words[:1])
    skipped = 0 if job == "man" else common_allocations(injector, command)
    allocations = injector.reference(job, False)[0][0].counts["memory"]
    assert allocations > skipped, f"{job}: no allocation of its own is tested"
    has_outputs = any(text is not None for text in injector.reference(job, False)[0][0].files.values())
    over_of = {} if has_outputs else dict.fromkeys(kinds, False)
    for over in (False, True)[:1 + has_outputs]:
        (whole, _), older = injector.reference(job, over)
        for kind in kinds:
            every = kind == "memory" and job in THOROUGH and not over
            # Of a sample half is over older outputs.
            if sample is not None and not every and over_of.setdefault(kind, rng.random() < 0.5) != over:
                continue
            # Older files cannot be put back where no file can be renamed any more.
            once = kind in ONCE or over and kind == "rename"
            begin = skipped if kind == "memory" else 0
            calls = chosen(begin, whole.counts[KINDS[kind][0]], None if every else sample, rng)
            if kind == "memory" and job == "man":
                calls = sorted({*EARLIEST, *calls})
            for first in calls:
                for last in (first,) if once else (first, FOREVER):
                    yield Fault(job, kind, first, last, over)


def main():
    options = parsed()
    program = pathlib.Path(PROGRAM).read_bytes()
    if b"__asan_init" in program or b"__tsan_init" in program:
        skip("sanitizers replace what the faults replace")
    if not SHIM.exists():
        skip(f"{SHIM} is not built")
    rng = random.Random(options.seed)
    sample = None if options.all else options.sample
    injector = Injector()
    met, wrong = {kind: 0 for kind in options.kinds}, 0
    try:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for job in options.jobs:
                faults = list(faults_of(injector, job, options.kinds, sample, rng))
                before = sum(met.values())
                for fault, (hit, fault_wrong) in zip(faults, pool.map(injector.verdict, faults)):
                    met[fault.kind] += hit
                    if fault_wrong:
                        wrong += 1
                        print(f"FAILED  {fault}: {fault_wrong}", flush=True)
                print(f"ok      {job}: {len(faults)} runs, {sum(met.values()) - before} faults met",
                      flush=True)
    finally:
        injector.close()
    total = ", ".join(f"{kind} {count}" for kind, count in met.items())
    print(f"{sum(met.values())} faults met ({total}), {wrong} not handled; --seed {options.seed}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
