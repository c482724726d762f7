"""Examples run: those of docstrings, of docs/python.md, and the notebooks."""

import doctest
import inspect
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import yupana
import yupana._call
import yupana._machine
import yupana.csgraph
import yupana.networkx_backend
import yupana.scipy_fft

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = [
    yupana.analysis,
    yupana.arrays,
    yupana.forest,
    yupana.genotype,
    yupana.geometry,
    yupana.graph,
    yupana.som,
    yupana.sparse,
    yupana.spectral,
    yupana.splice,
    yupana._machine,
]
# Their functions are documented by the library that they stand for.
DROP_INS = [yupana.csgraph, yupana.networkx_backend, yupana.scipy_fft]


@pytest.fixture(autouse=True)
def plain_numbers():
    with np.printoptions(legacy=False):
        yield


@pytest.mark.parametrize("module", MODULES + DROP_INS, ids=lambda module: module.__name__)
def test_examples_of_docstrings(module):
    result = doctest.testmod(module)
    assert result.attempted > 0 and result.failed == 0


@pytest.mark.parametrize("module", MODULES[:-1], ids=lambda module: module.__name__)
def test_every_public_function_and_class_has_an_example(module):
    silent = {
        "Alignment",
        "ClosestPair",
        "Exon",
        "ExonAlignment",
        "FermatResult",
        "LabelScores",
        "Mds",
        "PairCounts",
        "Tree",
    }
    for name in module.__all__:
        thing = getattr(module, name)
        assert inspect.getdoc(thing), f"{name}: no docstring"
        if name not in silent:
            assert ">>>" in inspect.getdoc(thing), f"{name}: no example"


def test_examples_of_the_page():
    page = ROOT / "docs" / "python.md"
    result = doctest.testfile(str(page), module_relative=False)
    assert result.attempted > 0 and result.failed == 0


@pytest.mark.parametrize(
    "notebook", sorted((ROOT / "docs" / "notebooks").glob("*.py")), ids=lambda path: path.stem
)
def test_notebooks_run(notebook, tmp_path):
    run = subprocess.run(
        [sys.executable, notebook, tmp_path], stdout=subprocess.PIPE, text=True, cwd=tmp_path
    )
    assert run.returncode == 0 and run.stdout
