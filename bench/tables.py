#!/usr/bin/env python3
"""Writes the bench tables of docs/ from bench/results/*.jsonl, so that every figure was
measured.

usage: bench/tables.py [--check]             (--check: exit 1 if a page would change)
       bench/tables.py --results FOLDER   (of another folder than bench/results: prints its tables)

Between `<!-- bench FILE BENCH -->` and `<!-- end bench -->` stands one table: the lines of BENCH in
bench/results/FILE, ours and the peers' of the same run. Between `<!-- scaling -->` and
`<!-- end scaling -->`: the cases of bench/results/*_cuda_multi.jsonl that several GPUs do together,
a column a number of GPUs, with how many times as fast they are as one. Between `<!-- behind -->` and
`<!-- end behind -->`: every case of any file where a peer was faster than the best of ours. Between
`<!-- portable -->` and `<!-- end portable -->`: our rows of bench/results/portable/, the PTX of compute
capability 8.0 on the same GPU (CUDA_FORCE_PTX_JIT=1), beside those of its own code, slowest first.
Between `<!-- calls FILE -->` and `<!-- end calls -->`: a row a case, a column an implementation, those of one package
together. Between `<!-- runs -->` and `<!-- end runs -->`: every file with the page that shows it, its command and its digest.
"""
import hashlib
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGES = ["docs/drop-in.md", "docs/measured.md", "docs/performance.md", "docs/scale.md", "REPRODUCIBILITY.md"]
SCRIPTS = {"python": "python python/bench/overhead.py", "spark": "python python/bench/spark_forest.py",
           "dropin": "python python/bench/dropin.py --json", "dropin_cuda": "python python/bench/device_calls.py"}
REAL_INPUTS = {"trisolve": "matrices", "splice": "splice/vertebrate_cds"}  # in the Makefile's DATA
SCALING = re.compile(r"(<!-- scaling -->\n).*?(<!-- end scaling -->)", re.S)
BEHIND = re.compile(r"(<!-- behind -->\n).*?(<!-- end behind -->)", re.S)
PORTABLE = re.compile(r"(<!-- portable -->\n).*?(<!-- end portable -->)", re.S)
CALLS = re.compile(r"(<!-- calls (\S+) -->\n).*?(<!-- end calls -->)", re.S)
RUNS = re.compile(r"(<!-- runs -->\n).*?(<!-- end runs -->)", re.S)
TIME = re.compile(r"^(s|ms|us)\b")
GPUS = re.compile(r"^yupana cuda, (\d+) GPUs?\b")
BLOCK = re.compile(r"(<!-- bench (\S+) (\S+) -->\n).*?(<!-- end bench -->)", re.S)


def figure(value):
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def spread(row):
    """Of the times: " (5 runs, -1 % to +3 %)" about the median; lines of old have none."""
    if not row.get("repeats") or row["repeats"] < 2:
        return ""
    low, high = (100 * row[name] / row["seconds_median"] - 100 for name in ("seconds_min", "seconds_max"))
    return f" ({row['repeats']} runs, {low:.0f} % to +{high:.0f} %)"


def result_of(group):
    """One implementation of a case: its values, how often it ran, what a reader must know."""
    first = group[0]
    note = first.get("note")
    if first["value"] is None:
        return f"not measured: {note}"
    text = ", ".join(f"{figure(row['value'])} {row['unit']}" for row in group) + spread(first)
    if note:
        return f"{text}; {note}"
    return text + ("" if all(row["verified"] for row in group) else " (not verified)")


def table_of(rows):
    out = ["| case | implementation | result | share of this machine's limit |", "|---|---|---|---|"]
    merged = {}
    for row in rows:  # one line a case and implementation; further units follow the first
        merged.setdefault((row["case"], row["impl"]), []).append(row)
    for (case, impl), group in merged.items():
        version = group[0].get("version")
        name = f"**{impl}**" if impl.startswith("yupana") else impl
        name += f" ({version})" if version and version not in impl else ""
        share = group[0]["share_of_limit"]
        share = f"{100 * share:.0f} %" if share is not None else ""
        out.append(f"| {case} | {name} | {result_of(group)} | {share} |".replace("\n", " "))
    out.append("")
    out.append(f"{rows[0]['device']}; commit {rows[0]['commit']}.")
    return "\n".join(out) + "\n"


def table(file, bench):
    path = ROOT / "bench" / "results" / file
    rows = [line for line in lines_of(path) if line["bench"] == bench]
    if not rows:
        raise SystemExit(f"{path}: no line of bench {bench}")
    return table_of(rows)


def scaling():
    """Milliseconds by case and number of GPUs, and the speed beside one GPU's."""
    cases, runs = {}, []
    for path in sorted((ROOT / "bench" / "results").glob("*_cuda_multi.jsonl")):
        rows = [row for row in lines_of(path) if row["value"] is not None
                and row["unit"] in ("s", "ms") and GPUS.match(row["impl"])]
        for row in rows:
            count = int(GPUS.match(row["impl"])[1])
            cases.setdefault((row["bench"], row["case"]), {})[count] = row
        runs += [f"{row['bench']} {row['commit']}" for row in rows[:1]]
    counts = sorted({count for rows in cases.values() for count in rows})
    heads = [f"{count} GPU{'s' if count > 1 else ''}" for count in counts]
    out = [f"| bench | case | {' | '.join(heads)} |", "|---" * (2 + len(counts)) + "|"]
    for (bench, case), rows in cases.items():
        cells = []
        for count in counts:
            row = rows.get(count)
            cells.append("" if row is None else f"{figure(row['value'])} {row['unit']}")
            if row is not None and count > 1 and 1 in rows:
                times = rows[1]["value"] / row["value"]
                cells[-1] += f", {times:.2f} times ({100 * times / count:.0f} %)"
            if row is not None and not row["verified"]:
                cells[-1] += " (not verified)"
        out.append(f"| {bench} | {case} | {' | '.join(cells)} |")
    out += ["", f"{next(iter(next(iter(cases.values())).values()))['device']}; commits: {', '.join(runs)}."]
    return "\n".join(out) + "\n"


def is_peer(row):
    """Neither ours nor a limit, a textbook method or a step of one."""
    return not re.search(r"^yupana|limit|textbook|published|alone|copy", row["impl"])


def cases_behind(file, rows):
    """Rows of the table: what a peer did faster, by the first unit of each case."""
    cases = {}
    for row in rows:
        if row["value"] is not None and ("/s" in row["unit"] or TIME.match(row["unit"])):
            cases.setdefault((row["bench"], row["case"]), []).append(row)
    for (bench, case), group in cases.items():
        unit = group[0]["unit"]
        group = [row for row in group if row["unit"] == unit]
        ours = [row for row in group if row["impl"].startswith("yupana")]
        peers = [row for row in group if is_peer(row)]
        if not ours or not peers:
            continue
        time = TIME.match(unit)
        best, peer = ((min if time else max)(some, key=lambda row: row["value"]) for some in (ours, peers))
        times = best["value"] / peer["value"] if time else peer["value"] / best["value"]
        if times < 1.01:
            continue
        gpu = " on a GPU" if "_cuda" in file else ""
        yield (f"| {bench}{gpu} | {case} | {figure(best['value'])} | {peer['impl']}: "
               f"{figure(peer['value'])} | {unit} | {times:.2f} |")


def behind():
    out = ["| bench | case | best of ours | peer | unit | times as fast |", "|---|---|---|---|---|---|"]
    for path in sorted((ROOT / "bench" / "results").glob("*.jsonl")):
        out += cases_behind(path.name, lines_of(path))
    return "\n".join(out) + "\n"


def portable():
    """Our cases through PTX beside the same through code of the GPU, by the share of its speed."""
    found, runs = [], []
    for path in sorted((ROOT / "bench" / "results" / "portable").glob("*.jsonl")):
        native = {(row["case"], row["impl"], row["unit"]): row for row in lines_of(path.parents[1] / path.name)}
        rows = [row for row in lines_of(path) if row["impl"].startswith("yupana cuda") and row["value"]]
        runs += rows[:1]
        first_units = {(row["case"], row["impl"]): row for row in reversed(rows)}
        for row in first_units.values():
            own = native.get((row["case"], row["impl"], row["unit"]))
            if own is None or own["value"] is None or "/s" not in row["unit"] and not TIME.match(row["unit"]):
                continue
            share = own["value"] / row["value"] if TIME.match(row["unit"]) else row["value"] / own["value"]
            verified = "" if row["verified"] else " (not verified)"
            found.append((share, f"| {row['bench']} | {row['case']} | {row['impl'][7:]} | {figure(own['value'])} "
                                 f"| {figure(row['value'])}{verified} | {row['unit']} | {100 * share:.0f} % |"))
    out = ["| bench | case | implementation | native | portable | unit | share |", "|---" * 7 + "|"]
    out += [line for _, line in sorted(found)]
    commits = ", ".join(dict.fromkeys(row["commit"] for row in runs))
    return "\n".join(out) + f"\n\n{runs[0]['device']}; commit {commits}.\n"


def command_of(path):
    """The command that measured a file again."""
    if path.stem in SCRIPTS:
        return SCRIPTS[path.stem]
    name = path.stem.removesuffix("_multi").removesuffix("_cuda")
    if name in SCRIPTS:
        return SCRIPTS[name]
    device = "cuda" if "_cuda" in path.stem else "cpu"
    if path.stem.endswith("_multi"):
        device = "cuda:0,1,2,3 --scaling"
    data = f" --data DATA/{REAL_INPUTS[name]}" if name in REAL_INPUTS else ""
    portable_code = "CUDA_FORCE_PTX_JIT=1 " if path.parent.name == "portable" else ""
    return f"{portable_code}yupana bench {name} --json --device {device}{data}"


def runs():
    out = ["| file | shown in | command | machine; commit | SHA-256 |", "|---" * 5 + "|"]
    results = ROOT / "bench" / "results"
    pages = {name: (ROOT / name).read_text() for name in PAGES}
    for path in sorted(results.rglob("*.jsonl")):
        rows = lines_of(path)
        file = path.relative_to(results).as_posix()
        blocks = ["<!-- portable -->"] if "/" in file else [f"<!-- bench {file} ", f"<!-- calls {file} "]
        shown = [f"[{name[5:]}]({name})" for name in pages if any(block in pages[name] for block in blocks)]
        machines = ", ".join(dict.fromkeys(row["device"] for row in rows))
        commits = ", ".join(dict.fromkeys(row["commit"] for row in rows))
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        out.append(f"| {file} | {', '.join(shown)} | `{command_of(path)}` | {machines}; {commits} | {digest} |")
    return "\n".join(out) + "\n"


def calls(file):
    """Fastest turns of the calls of a Python package and of what they stand for, and the medians."""
    cases = {}
    for row in lines_of(ROOT / "bench" / "results" / file):
        cases.setdefault(row["case"], []).append(row)
    names = [row["impl"] for row in max(cases.values(), key=len)[1:]]
    same = any("all cores" in name for name in names)  # one peer, on one core and on all
    heads = ["peer", "peer, all cores"] if same else names
    out = [f"| call | yupana | {' | '.join(heads)} | times as fast |", "|---" + "|---:" * (len(heads) + 2) + "|"]
    for case, (ours, *peers) in cases.items():
        times = [f"{figure(row['value'])} ({figure(1e3 * row['seconds_median'])})" if row["verified"] else "differs"
                 for row in (ours, *peers)]
        gain = min(row["value"] for row in peers) / ours["value"]
        named = f"{case} ({peers[0]['impl']})" if same else case
        cells = [named, *times, *[""] * (len(heads) - len(peers)), f"{gain:.2f}"]
        out.append(f"| {' | '.join(cells)} |")
    rows = [row for group in cases.values() for row in group]
    loads = sorted((row["note"] for row in rows), key=lambda note: float(note.split()[-1]))
    versions = dict.fromkeys(f"{row['impl']} {row['version']}" for row in rows if row["version"] and "," not in row["impl"])
    out += ["", f"Milliseconds, the fastest of the turns and, in brackets, their median. {rows[0]['device']}, {loads[0]} to "
                f"{loads[-1].split()[-1]}; {rows[0]['compiler']}, {', '.join(versions)}; commit "
            f"{', '.join(dict.fromkeys(row['commit'] for row in rows))}."]
    return "\n".join(out) + "\n"


def print_tables(folder):
    for path in sorted(folder.glob("*.jsonl")):
        rows = lines_of(path)
        for bench in dict.fromkeys(row["bench"] for row in rows):
            print(f"## {bench}\n")
            print(table_of([row for row in rows if row["bench"] == bench]))
    return 0


def main():
    if "--results" in sys.argv:
        folder = pathlib.Path(sys.argv[sys.argv.index("--results") + 1]).resolve()
        if folder != ROOT / "bench" / "results":
            return print_tables(folder)
    stale = 0
    for name in PAGES:
        page = ROOT / name
        text = page.read_text()
        new = BLOCK.sub(lambda m: m.group(1) + table(m.group(2), m.group(3)) + m.group(4), text)
        new = BEHIND.sub(lambda m: m.group(1) + behind() + m.group(2), new)
        new = SCALING.sub(lambda m: m.group(1) + scaling() + m.group(2), new)
        new = PORTABLE.sub(lambda m: m.group(1) + portable() + m.group(2), new)
        new = CALLS.sub(lambda m: m.group(1) + calls(m.group(2)) + m.group(3), new)
        new = RUNS.sub(lambda m: m.group(1) + runs() + m.group(2), new)
        if "--check" not in sys.argv:
            page.write_text(new)
        elif new != text:
            print(f"{name}: bench tables differ from bench/results; run bench/tables.py")
            stale = 1
        else:
            print(f"{name}: bench tables match bench/results")
    return stale


if __name__ == "__main__":
    sys.exit(main())
