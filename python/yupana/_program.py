"""Starts the command line that the package carries."""

from __future__ import annotations

import os
import sys


def main() -> None:
    program = os.path.join(os.path.dirname(__file__), "bin", "yupana")
    os.execv(program, [program, *sys.argv[1:]])
