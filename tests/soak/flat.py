#!/usr/bin/env python3
"""Whether memory stays: one process runs jobs of a family again and again (serve_shim.cpp), and its
resident memory after half of the runs is held against that after all.

    flat.py PROGRAM [--runs 1000] [--families fft dist] [--way "cpu 2"]
"""
import argparse
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import generator
import soak

KINDS = 5  # different jobs of a family, in turn
ALLOWED = 1 << 20  # bytes: what the allocator keeps or returns


def resident(ways):
    """Bytes of the processes that make runs; none is at work."""
    pages = 0
    for idle in ways.servers.idle.values():
        for _ in range(idle.qsize()):
            server = idle.get()
            pages += int(pathlib.Path(f"/proc/{server.process.pid}/statm").read_text().split()[1])
            idle.put(server)
    return pages * os.sysconf("SC_PAGESIZE")


def growth(program, family, way, runs):
    """(bytes after half of the runs, bytes after all)"""
    ways = soak.Ways(program, alone=False)
    jobs = [generator.job(7, k, [family]) for k in range(KINDS)]
    half = 0
    for k in range(runs):
        if k == runs // 2:
            half = resident(ways)
        outcome = ways.run(jobs[k % KINDS], way)
        assert outcome.status in (0, 2, 3, 4), (family, jobs[k % KINDS].words(), outcome)
    whole = resident(ways)
    ways.servers.end()
    return half, whole


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--families", nargs="+", default=list(generator.FAMILIES))
    parser.add_argument("--way", default="cpu 2")
    options = parser.parse_args()
    grew = []
    for family in options.families:
        half, whole = growth(str(pathlib.Path(options.program).absolute()), family, options.way, options.runs)
        print(f"{family:13} {half / 1e6:7.1f} MB after {options.runs // 2} runs, {whole / 1e6:7.1f} after all",
              flush=True)
        grew += [family] if whole - half > ALLOWED else []
    if grew:
        print("memory of", *grew, "does not stay")
    return 1 if grew else 0


if __name__ == "__main__":
    sys.exit(main())
