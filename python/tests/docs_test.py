"""Examples run: those of docstrings, of the pages, and the notebooks."""

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
import yupana.distance
import yupana.hierarchy
import yupana.networkx_backend
import yupana.scipy_fft

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))
import blocks  # noqa: E402

# Pages with Python; those of Spark want a session: spark_som_test.py.
PAGES = [
    page
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if page.name != "spark.md" and any(part["language"] == "python" for part in blocks.parts(page))
]
MODULES = [
    yupana.analysis,
    yupana.arrays,
    yupana.forest,
    yupana.genotype,
    yupana.geometry,
    yupana.graph,
    yupana.relationships,
    yupana.report,
    yupana.som,
    yupana.sparse,
    yupana.spectral,
    yupana.splice,
    yupana._machine,
]
# Their functions are documented by the library that they stand for.
DROP_INS = [yupana.csgraph, yupana.distance, yupana.hierarchy, yupana.networkx_backend, yupana.scipy_fft]


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
        "Pca",
        "PairCounts",
        "Pairs",
        "Tree",
    }
    for name in module.__all__:
        thing = getattr(module, name)
        assert inspect.getdoc(thing), f"{name}: no docstring"
        if name not in silent:
            assert ">>>" in inspect.getdoc(thing), f"{name}: no example"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_of_pages(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # The package brings the command line, next to the interpreter.
    _, scripts = blocks.run(page, tmp_path, sys.executable)
    result = doctest.testfile(str(page), module_relative=False)
    assert result.attempted + len(scripts) > 0 and result.failed == 0
    for script in scripts:
        run = subprocess.run([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True)
        assert run.returncode == 0, script + run.stderr


@pytest.mark.parametrize(
    "notebook", sorted((ROOT / "docs" / "notebooks").glob("*.py")), ids=lambda path: path.stem
)
def test_notebooks_run(notebook, tmp_path):
    run = subprocess.run(
        [sys.executable, notebook, tmp_path], stdout=subprocess.PIPE, text=True, cwd=tmp_path
    )
    assert run.returncode == 0 and run.stdout


# Runs a notebook and says which of the modules that the switch brings were imported.
SWITCHED = """
import runpy, sys
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
drop_ins = {"yupana.forest", "yupana.hierarchy", "yupana.scipy_fft"}
print(len(drop_ins & set(sys.modules)), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "notebook", sorted((ROOT / "docs" / "notebooks").glob("switch_*.py")), ids=lambda path: path.stem
)
def test_the_switch_changes_no_figure(notebook, tmp_path):
    shown, kept = [], []
    for words, drop_ins in ([], "1"), (["off"], "0"):
        run = subprocess.run(
            [sys.executable, "-c", SWITCHED, notebook, tmp_path, *words],
            capture_output=True,
            text=True,
            cwd=tmp_path,
        )
        assert run.returncode == 0, run.stderr
        assert run.stderr.splitlines()[-1] == drop_ins
        shown.append(run.stdout)
        kept.append(np.load(next(tmp_path.glob("*.npy"))))
    assert shown[0] == shown[1] and len(shown[0].splitlines()) > 9
    assert np.allclose(*kept, rtol=1e-9, atol=1e-9)
