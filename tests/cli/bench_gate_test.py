#!/usr/bin/env python3
"""bench/gate.py with programs that print times of their own: a row that stays slower fails, one that was slow once
does not, one that was fast once is undecided, and nothing to compare is a failure.

usage: bench_gate_test.py YUPANA
"""
import pathlib
import subprocess
import sys
import tempfile

GATE = pathlib.Path(__file__).resolve().parents[2] / "bench" / "gate.py"
PROGRAM = """#!/usr/bin/env python3
import json, pathlib
runs = pathlib.Path({count!r})
run = int(runs.read_text()) if runs.exists() else 0
runs.write_text(str(run + 1))
for case, seconds in {rows!r}:
    print(json.dumps({{"case": case, "impl": {implementation!r}, "seconds_min": seconds[min(run, len(seconds) - 1)]}}))
"""


def gate(rows_before, rows_after, implementation="yupana cpu"):
    with tempfile.TemporaryDirectory() as folder:
        programs = []
        for name, rows in (("before", rows_before), ("after", rows_after)):
            program = pathlib.Path(folder, name)
            program.write_text(PROGRAM.format(count=f"{folder}/{name}.runs", rows=rows, implementation=implementation))
            program.chmod(0o755)
            programs.append(str(program))
        return subprocess.run([sys.executable, GATE, *programs, "--benches", "scan", "--rounds", "1"], capture_output=True, text=True)


same = [("n=10", [1.0]), ("n=20", [None, 2.0])]
run = gate(same, same)
assert run.returncode == 0 and run.stdout == "scan: 1 rows, 0 slower\n", run
run = gate(same, [("n=10", [1.3]), ("n=30", [9.0])])
assert run.returncode == 1 and "n=10, yupana cpu: 1 s before, 1.3 s after" in run.stdout, run
run = gate([("n=10", [1.0])], [("n=10", [5.0, 1.2])])  # slow once
assert run.returncode == 0, run
run = gate([("n=10", [1.0, 1.5])], [("n=10", [1.4])])  # one lucky round before, which no other reached
assert run.returncode == 0 and "1 s before, 1.4 s after, undecided" in run.stdout, run
run = gate(same, same, "a peer")
assert run.returncode == 1 and "expected rows that both programs have, got none" in run.stderr, run
print("ok")
