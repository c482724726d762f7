#!/usr/bin/env python3
"""Whether a change made anything slower: runs the quick benches of the program before it and after it in
turns, and compares the shortest time of each of our rows.

usage: bench/gate.py BEFORE AFTER [--benches "NAME ..."] [--rounds 5] [--slower 1.25]

BEFORE and AFTER are yupana programs with the program of benches next to them. A bench with a row that
took more than --slower times as long is repeated in as many rounds again, up to three times: what other
programs of the machine took goes away, what the code takes stays. Where a busy machine let only a few rounds
before be fast, the row is undecided: one lucky round told equal programs apart. Exit status 1: a row stayed slower.
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


def add_times(program, bench, times):
    """Appends the times of one run to `times`, {(case, implementation): [seconds]}."""
    words = [program, "bench", bench, "--quick", "--no-peers", "--json", "--device", "cpu"]
    run = subprocess.run(words, stdout=subprocess.PIPE, text=True)
    if run.returncode:
        sys.exit(f"{program} bench {bench}: expected exit status 0, got {run.returncode}")
    for line in run.stdout.splitlines():
        row = json.loads(line)
        if row["impl"].startswith("yupana") and row["seconds_min"]:
            times.setdefault((row["case"], row["impl"]), []).append(row["seconds_min"])


def usual(times):
    """What a quarter of the rounds reach."""
    return sorted(times)[len(times) // 4]


def slower_rows(bench, options):
    """[(row, times before, times after)] of those that stay slower; how many rows both have."""
    before, after = {}, {}
    turns = [(options.before, before), (options.after, after)]
    for _ in range(1 + REPEATS):
        for _ in range(options.rounds):
            for program, times in turns:
                add_times(program, bench, times)
            turns.reverse()
        rows = before.keys() & after.keys()
        slow = [(row, before[row], after[row]) for row in sorted(rows)
                if min(after[row]) > options.slower * min(before[row])]
        if not slow:
            break
    return slow, len(rows)


def main():
    options = parse()
    failed = compared = 0
    for bench in options.benches.split():
        slow, rows = slower_rows(bench, options)
        compared += rows
        undecided = [min(after) <= options.slower * usual(before) for _, before, after in slow]
        failed += undecided.count(False)
        print(f"{bench}: {rows} rows, {undecided.count(False)} slower", flush=True)
        for ((case, implementation), before, after), is_undecided in zip(slow, undecided):
            note = f", undecided: three of four rounds before took {usual(before):.3g} s or more" if is_undecided else ""
            print(f"  {case}, {implementation}: {min(before):.3g} s before, {min(after):.3g} s after{note}")
    if not compared:
        sys.exit("expected rows that both programs have, got none")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
