#!/usr/bin/env python3
"""Writes the bench tables of README.md and docs/measured.md from bench/results/*.jsonl, so that every
figure was measured.

usage: bench/tables.py [--check]   (--check: exit 1 if a page would change)

Between `<!-- bench FILE BENCH -->` and `<!-- end bench -->` stands one table: the lines of BENCH in
bench/results/FILE, ours and the peers' of the same run.
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"(<!-- bench (\S+) (\S+) -->\n).*?(<!-- end bench -->)", re.S)


def figure(value):
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def table(file, bench):
    path = ROOT / "bench" / "results" / file
    lines = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    rows = [line for line in lines if line["bench"] == bench]
    if not rows:
        raise SystemExit(f"{path}: no line of bench {bench}")
    out = ["| case | implementation | result | share of this machine's limit |", "|---|---|---|---|"]
    merged = {}
    for row in rows:  # one line a case and implementation; further units stand behind the first
        merged.setdefault((row["case"], row["impl"]), []).append(row)
    for (case, impl), group in merged.items():
        name = f"**{impl}**" if impl.startswith("yupana") else impl
        result = ", ".join(f"{figure(row['value'])} {row['unit']}" for row in group)
        result += "" if all(row["verified"] for row in group) else " (not verified)"
        share = group[0]["share_of_limit"]
        out.append(f"| {case} | {name} | {result} | {f'{100 * share:.0f} %' if share is not None else ''} |")
    out.append("")
    out.append(f"{rows[0]['device']}; commit {rows[0]['commit']}.")
    return "\n".join(out) + "\n"


def main():
    stale = 0
    for name in ["README.md", "docs/measured.md"]:
        page = ROOT / name
        text = page.read_text()
        new = BLOCK.sub(lambda m: m.group(1) + table(m.group(2), m.group(3)) + m.group(4), text)
        if "--check" not in sys.argv:
            page.write_text(new)
        elif new != text:
            print(f"{name}: bench tables differ from bench/results; run bench/tables.py")
            stale = 1
        else:
            print(f"{name}: bench tables match bench/results")
    return stale


sys.exit(main())
