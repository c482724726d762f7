#!/usr/bin/env python3
"""The bench tables of README.md and docs/measured.md are those of bench/results/: no figure stands
there unmeasured."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.exit(subprocess.run([sys.executable, ROOT / "bench" / "tables.py", "--check"]).returncode)
