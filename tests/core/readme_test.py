#!/usr/bin/env python3
"""The bench tables of docs/ are those of bench/results/: no figure appears
there unmeasured."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.exit(subprocess.run([sys.executable, ROOT / "bench" / "tables.py", "--check"]).returncode)
