"""What a type checker says of programs that use the package, by its annotations and stubs."""

import importlib.util
import pathlib
import subprocess
import sys

import pytest

import yupana

RIGHT = """
import numpy as np
import yupana
from yupana import arrays, genotype, graph, splice

calls = np.zeros((3, 4), np.int8)
cohort: yupana.Genotypes = yupana.read_genotypes(calls, min_maf=0.1)
d: np.ndarray = yupana.distances(cohort, "euclidean", threads=2)
result: graph.FermatResult = yupana.fermat(cohort, alpha=2, progress=True)
counts: genotype.PairCounts = genotype.pair_counts(calls)
som: yupana.SOM = yupana.SOM(rows=8, cols=7, random_state=0).fit(d)
tree: yupana.DecisionTreeClassifier = yupana.DecisionTreeClassifier(max_depth=3).fit(d, [0, 1, 1])
forest = yupana.RandomForestClassifier(5, oob_score=True).fit(d, [0, 1, 1])
depths: list[int] = [each.get_depth() for each in forest]
shares: np.ndarray = forest.oob_decision_function_
found: splice.Alignment = yupana.align("ACGT", [splice.Exon(1, 4)], "ACGT")
lengths: np.ndarray = yupana.Fermat(alpha=2, path_method="FW").fit(d).get_distances()
first: int = splice.Exon(1, 4).first
ordered: np.ndarray = arrays.sort(np.arange(3))
"""

WRONG = [
    "yupana.distances(np.zeros((3, 4)), metric=3)",
    "yupana.fermat(np.zeros((3, 3)), alpha=[1])",
    "yupana.distence(np.zeros((3, 4)))",
    "yupana.SOM(row=3)",
    "yupana.SOM(rows='three')",
    "yupana.RandomForestClassifier(n_estimators='ten')",
    "yupana.splice.Exon('a', 2)",
    "yupana.splice.Exon(1, 2).beginning",
    "yupana.Fermat(path_method=3)",
]


def told(tmp_path, text):
    """The lines of a program that mypy complains of."""
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    if not (pathlib.Path(yupana.__file__).parent / "bin").exists():
        pytest.skip("not the installed package")
    program = tmp_path / "program.py"
    program.write_text(text)
    answer = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path, program.name],
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    lines = answer.stdout.splitlines()
    return [line.split(":", 2)[1:] for line in lines if line.startswith("program.py:")]


def test_a_right_program_is_right_to_a_strict_type_checker(tmp_path):
    assert told(tmp_path, RIGHT) == []


def test_wrong_names_and_types_are_found(tmp_path):
    found = told(tmp_path, "\n".join(["import numpy as np, yupana", *WRONG]))
    lines = {int(line) for line, words in found if "error" in words}
    missed = [text for number, text in enumerate(WRONG, 2) if number not in lines]
    assert not missed
