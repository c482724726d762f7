#!/usr/bin/env python3
"""Whether a change made anything slower: runs the quick benches of the program before it and after it in
turns, and compares the shortest time of each of our rows.

usage: bench/gate.py BEFORE AFTER [--benches "NAME ..."] [--rounds 5] [--slower 1.25]

BEFORE and AFTER are yupana programs with the program of benches next to them. A bench with a row that
took more than --slower times as long is repeated in as many rounds again, up to three times: what other
programs of the machine took goes away, what the code takes stays. Exit status 1: a row stayed slower.
"""
import argparse
import json
import subprocess
import sys

BENCHES = "distances relationships pruning paths vcf packing scan sort merge splice closest trisolve fft polymul matmul som trees tables"
REPEATS = 3  # times that a slow bench is run again


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--benches", default=BENCHES)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--slower", type=float, default=1.25)
    return parser.parse_args()


def add_times(program, bench, shortest):
    """Lowers `shortest`, {(case, implementation): seconds}, to the times of one run."""
    run = subprocess.run([program, "bench", bench, "--quick", "--json", "--device", "cpu"], stdout=subprocess.PIPE, text=True)
    if run.returncode:
        sys.exit(f"{program} bench {bench}: expected exit status 0, got {run.returncode}")
    for line in run.stdout.splitlines():
        row = json.loads(line)
        if row["impl"].startswith("yupana") and row["seconds_min"]:
            key = row["case"], row["impl"]
            shortest[key] = min(shortest.get(key, row["seconds_min"]), row["seconds_min"])


def slower_rows(bench, options):
    """[(row, seconds before, seconds after)] of those that stay slower; how many rows both have."""
    before, after = {}, {}
    for _ in range(1 + REPEATS):
        for _ in range(options.rounds):
            add_times(options.before, bench, before)
            add_times(options.after, bench, after)
        rows = before.keys() & after.keys()
        slow = [(row, before[row], after[row]) for row in sorted(rows) if after[row] > options.slower * before[row]]
        if not slow:
            break
    return slow, len(rows)


def main():
    options = parse()
    failed = compared = 0
    for bench in options.benches.split():
        slow, rows = slower_rows(bench, options)
        compared += rows
        failed += len(slow)
        print(f"{bench}: {rows} rows, {len(slow)} slower", flush=True)
        for (case, implementation), seconds_before, seconds_after in slow:
            print(f"  {case}, {implementation}: {seconds_before:.3g} s before, {seconds_after:.3g} s after")
    if not compared:
        sys.exit("expected rows that both programs have, got none")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
