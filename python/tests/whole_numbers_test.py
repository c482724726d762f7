"""An integer parameter that is given another value is named, by every public function."""

import importlib
import inspect
import re
import types
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import yupana

CALLS = np.array([[0, 1, 2, 0], [1, 1, 0, 2], [2, 0, 1, 1]], np.int8)
D = np.array([[0.0, 1, 2], [1, 0, 1], [2, 1, 0]])
LABELS = np.array([0, 1, 0])
MERGES = [[0, 2, 1.0, 2], [1, 3, 2.0, 3]]
TRIANGLE = sp.csr_array([[2.0, 0.0], [1.0, 4.0]])
VECTOR = np.arange(4)
GENE = ("ACGTTTTTACGT", [(1, 4), (9, 12)], "ACGTACGT")

#: Arguments with which each function runs.
ARGUMENTS = {
    "analysis.class_measures": ([0, 1], [[0.9, 0.1], [0.2, 0.8]]),
    "analysis.cut_tree": (MERGES, 2),
    "analysis.label_scores": (D, ["a", "b", "a"]),
    "analysis.number_measures": ([1.0, 2.0], [1.0, 2.5]),
    "arrays.lexsort": ([VECTOR, VECTOR],),
    "arrays.merge": (VECTOR, VECTOR),
    "arrays.merge_by_key": (VECTOR, VECTOR, VECTOR, VECTOR),
    "arrays.reduce_by_key": (VECTOR, VECTOR),
    "arrays.segmented_reduce": (VECTOR, [0, 4]),
    "arrays.segmented_scan": (VECTOR, [0, 4]),
    "arrays.sort_by_key": (VECTOR, VECTOR),
    "geometry.closest_between": (D, D),
    "geometry.neighbors": (D, 1),
    "geometry.pairs_within": (D, 1.0),
    "graph.keep_neighbors": (D, 1),
    "graph.path": (D, D, 0, 2),
    "graph.predecessors": (D, D),
    "report.pca": ("simulate:6x20,seed=1", "run"),
    "sparse.TriangularSystem": (TRIANGLE,),
    "sparse.triangular_solve": (TRIANGLE, [2.0, 9.0]),
    "spectral.matmul": (D, D),
    "spectral.multiply": (12, 34),
    "spectral.polymul": (VECTOR, VECTOR),
    "splice.align": GENE,
    "splice.align_batch": ([GENE],),
    "splice.candidate_exons": GENE[:1],
    "splice.isoforms": (*GENE, 2),
}
#: The first argument of all other functions of a module.
FIRST = {
    "analysis": D,
    "arrays": VECTOR,
    "genotype": CALLS,
    "geometry": D,
    "graph": D,
    "relationships": CALLS,
    "scipy_fft": D,
    "spectral": D,
}
#: Arguments that give a parameter its effect.
WITH = {
    ("seed", "read_genotypes"): {"thin": 0.5},
    ("seed", "fermat"): {"landmarks": 1},
    ("seed", "Fermat"): {"landmarks": 1, "path_method": "L"},
    ("landmarks", "Fermat"): {"path_method": "L"},
    ("k", "Fermat"): {"path_method": "D"},
    ("genetic_code", "align"): {"protein": True},
    ("genetic_code", "align_batch"): {"protein": True},
    ("genetic_code", "isoforms"): {"protein": True},
    ("genetic_code", "candidate_exons"): {"protein": True},
}
#: Values that a parameter takes.
TAKEN = {
    ("a", -1),
    ("axis", -1),
    ("b", -1),
    ("gap_extend", -1),
    ("gap_open", -1),
    ("match", -1),
    ("mismatch", -1),
    ("n_jobs", -1),
    ("random_state", -1),
    ("workers", -1),
}
FITTED = ("Classifier", "Regressor", "SOM", "Fermat")


def public_functions():
    """Of all modules of the package that a user imports, as "module.name" and the function."""
    for module in yupana.__all__:
        if not isinstance(getattr(yupana, module), types.ModuleType):
            continue
        for name in getattr(yupana, module).__all__:
            function = getattr(getattr(yupana, module), name)
            if inspect.isfunction(function) or name in yupana.__all__:
                yield f"{module}.{name}", function
    yield "sparse.TriangularSystem", yupana.sparse.TriangularSystem


def integers_of(function):
    for parameter in inspect.signature(function).parameters.values():
        words = re.findall(r"\w+", str(parameter.annotation).partition("tuple")[0])
        if "int" in words:
            yield parameter.name


CASES = sorted({(name, parameter) for name, function in public_functions() for parameter in integers_of(function)})


def called(name, parameter, value):
    module, _, one = name.partition(".")
    function = getattr(importlib.import_module(f"yupana.{module}"), one)
    more = {**WITH.get((parameter, one), {}), parameter: value}
    if one.endswith(FITTED):
        model = function(**more)
        return model.fit(D) if one in ("SOM", "Fermat") else model.fit(D, LABELS)
    arguments = ARGUMENTS[name] if name in ARGUMENTS else (FIRST[module],)
    places = list(inspect.signature(function).parameters)
    given = {place: argument for place, argument in zip(places, arguments)} | more
    result = function(**given)
    return result.distances() if isinstance(result, yupana.Genotypes) else result


@pytest.mark.parametrize("name, parameter", CASES)
def test_an_integer_parameter_of_another_value_was_not_named(name, parameter, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for value in (1.5, np.nan, "x", -1):
        if (parameter, value) in TAKEN:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with pytest.raises((ValueError, TypeError)) as raised:
                called(name, parameter, value)
        assert re.search(rf"\b{parameter}\b", str(raised.value)), f"{value!r}: {raised.value}"
        assert "\n" not in str(raised.value)


def test_integer_parameters_that_are_tried_are_many():
    assert len(CASES) > 100 and ("splice.isoforms", "most") in CASES and ("spectral.rfft", "n") in CASES


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: yupana.align("ACGTACGT", "ACGT", "ACGT"), "exons: expected Exon or whole numbers (first, last), got 'A'"),
        (lambda: yupana.align("ACGTACGT", 5, "ACGT"), "exons: expected"),
        (lambda: yupana.align("ACGTACGT", [(1, 2.5)], "ACGT"), "exons: expected"),
        (lambda: yupana.align(*GENE, gap_open=1), "gap_open: expected -"),
        (lambda: yupana.splice.isoforms(*GENE, 2, least_share="x"), "least_share: expected a number from 0 to 1"),
        (lambda: yupana.ld_prune(CALLS, 50.5), "window: expected a whole number from 2, got 50.5"),
        (lambda: yupana.ld_prune(CALLS, "nan"), "window: expected a whole number from 2, got 'nan'"),
        (lambda: yupana.ld_prune(CALLS, "0kb"), "window: expected kilobases above 0, as '200kb', got '0kb'"),
        (lambda: yupana.ld_prune(CALLS, 50, 51), "step: expected a whole number from 1 to 50, got 51"),
        (lambda: yupana.ld_prune(CALLS, "200kb", 5), "step: expected a whole number from 1 to 1, got 5"),
        (lambda: yupana.polymul([1.0, np.nan], [1.0]), "a: expected finite numbers, got nan at place 1 (from 0)"),
        (lambda: yupana.polymul([1.0], [1.0, 2.0, np.inf]), "b: expected finite numbers, got inf at place 2"),
    ],
)
def test_errors_named_no_parameter_or_that_of_another_function(call, words):
    with pytest.raises((ValueError, TypeError)) as raised:
        call()
    assert words in str(raised.value) and "indep_pairwise" not in str(raised.value)
