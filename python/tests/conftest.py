"""What the tests share: the command line of the same build, and random genotypes."""

import os
import pathlib
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def program():
    """Runs the C++ program: what the package must equal."""
    path = os.environ.get("YUPANA_PROGRAM")
    if not path:
        pytest.skip("YUPANA_PROGRAM names no program to compare with")

    def run(*arguments):
        subprocess.run([path, *map(str, arguments), "--quiet"], check=True)

    return run


@pytest.fixture
def genotypes():
    """A structured cohort as an array, samples x sites, with missing calls."""
    rng = np.random.default_rng(7)
    calls = rng.binomial(2, rng.uniform(0.05, 0.95, 1031), (83, 1031)).astype(np.int8)
    calls[rng.random(calls.shape) < 0.03] = -1
    return calls
