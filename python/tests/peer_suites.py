"""The test suites of SciPy, NetworkX and scikit-learn, run with their calls handed to this package.

    python python/tests/peer_suites.py [SUITE ...]

prints a table: a test listed in peer_suites_expected.txt must fail, every other one must pass. The
same file is the pytest plugin that switches a suite over before its tests are collected; the list is
of the versions in PINNED, so that with others a listed test may pass too.
"""

import functools
import importlib
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from typing import Callable
from unittest import mock

import numpy

HERE = pathlib.Path(__file__).resolve().parent
PINNED = {"scipy": "1.17.1", "networkx": "3.6.1", "sklearn": "1.9.1"}
_calls = 0


def _counted(function):
    """The function; calls that it answers are counted."""

    def counting(*arguments, **keywords):
        global _calls
        result = function(*arguments, **keywords)
        _calls += result is not NotImplemented
        return result

    return counting


def _replace(theirs, name, ours):
    """theirs.name is ours from now on, but while ours runs, which may call it for what it lacks."""
    original = getattr(theirs, name)

    @functools.wraps(original)
    def replaced(*arguments, **keywords):
        with mock.patch.object(theirs, name, original):
            return ours(*arguments, **keywords)

    setattr(theirs, name, replaced)


def _switch_fft():
    import scipy.fft
    import scipy.fft._pocketfft as direct
    import yupana.scipy_fft as ours

    ours.__ua_function__ = _counted(ours.__ua_function__)
    scipy.fft.set_global_backend(ours)

    def or_else(function, original):
        @functools.wraps(original)
        def both(*arguments, **keywords):
            try:
                return function(*arguments, **keywords)
            except ours.LongDoubles:
                return original(*arguments, **keywords)

        return both

    # The tests beside SciPy's implementation call it itself.
    for name in {*ours.__all__} & {*vars(direct)}:
        setattr(direct, name, or_else(_counted(getattr(ours, name)), getattr(direct, name)))


def _switch_csgraph():
    import scipy.sparse.csgraph as theirs
    import yupana.csgraph as ours

    for name in ours.__all__:
        _replace(theirs, name, _counted(getattr(ours, name)))


def _switch_triangular():
    import scipy.sparse.linalg._dsolve as theirs
    import yupana.sparse as ours

    _replace(theirs, "spsolve_triangular", _counted(ours.spsolve_triangular))


def _switch_distance():
    """pdist and cdist; a table of any size is ours here."""
    import scipy.spatial.distance as theirs
    import yupana.distance as ours

    ours._LEAST_COLUMNS = ours._LEAST_VALUES = 1
    ours._between = _counted(ours._between)
    for name in ours.__all__:
        _replace(theirs, name, getattr(ours, name))


def _switch_hierarchy():
    """Trees of clusters; those of few points are ours too here."""
    import scipy.cluster.hierarchy as theirs
    import yupana.hierarchy as ours
    from scipy._lib._array_api import xp_capabilities_table as capabilities

    ours._LEAST_POINTS = dict.fromkeys(ours._LEAST_POINTS, 2)
    ours.analysis.linkage = _counted(ours.analysis.linkage)
    for name in ours.__all__:
        original = getattr(theirs, name)
        _replace(theirs, name, getattr(ours, name))
        capabilities[getattr(theirs, name)] = capabilities[original]  # tests look it up


def _switch_networkx():
    from yupana import networkx_backend as ours

    for name in ours.backend_info()["functions"]:
        setattr(ours.Backend, name, staticmethod(_counted(getattr(ours.backend, name))))


def _switch_trees():
    """The classes that stand for scikit-learn's; what they grow themselves is counted."""
    import sklearn.ensemble
    import sklearn.tree
    from yupana import extra_trees, forest
    from yupana._trees import Trees

    Trees._grow = _counted(Trees._grow)
    for ours in (forest, extra_trees):
        for name in ours.__all__:
            for theirs in (sklearn.tree, sklearn.ensemble):
                if name in theirs.__all__:
                    setattr(theirs, name, getattr(ours, name))


@dataclass
class Suite:
    """Test modules of a package, and how its calls are handed over."""

    modules: list[str]
    switch: Callable[[], None]
    environment: dict[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()

    @property
    def package(self):
        return self.modules[0].split(".")[0]


SUITES = {
    "scipy.fft": Suite(
        [
            "scipy.fft.tests.test_basic",
            "scipy.fft.tests.test_helper",
            "scipy.fft.tests.test_multithreading",
            "scipy.fft._pocketfft.tests.test_basic",
        ],
        _switch_fft,
    ),
    "scipy.sparse.csgraph": Suite(["scipy.sparse.csgraph.tests.test_shortest_path"], _switch_csgraph),
    "scipy.sparse.linalg": Suite(
        ["scipy.sparse.linalg._dsolve.tests.test_linsolve"],
        _switch_triangular,
        options=("-k", "SpsolveTriangular"),  # the rest tests SuperLU
    ),
    "scipy.spatial.distance": Suite(["scipy.spatial.tests.test_distance"], _switch_distance),
    "scipy.cluster.hierarchy": Suite(["scipy.cluster.tests.test_hierarchy"], _switch_hierarchy),
    "networkx": Suite(
        ["networkx.algorithms.shortest_paths"],
        _switch_networkx,
        {"NETWORKX_TEST_BACKEND": "yupana", "NETWORKX_FALLBACK_TO_NX": "True"},
    ),
    "sklearn.tree": Suite(["sklearn.tree.tests.test_tree"], _switch_trees),
    "sklearn.tree, monotonic": Suite(["sklearn.tree.tests.test_monotonic_tree"], _switch_trees),
    "sklearn.ensemble": Suite(["sklearn.ensemble.tests.test_forest"], _switch_trees),
}


def expected_failures():
    """{test: reason} of all suites."""
    lines = (HERE / "peer_suites_expected.txt").read_text().splitlines()
    entries = (line.split("  ", 1) for line in lines if line and not line.startswith("#"))
    return {test: reason.strip() for test, reason in entries}


def is_pinned(package):
    return importlib.import_module(package).__version__ == PINNED[package]


# The plugin.

_counts = {"passed": 0, "failed": 0, "expected to fail": 0, "skipped": 0, "of them ours": 0}


def pytest_configure(config):
    if "YUPANA_PEER_SUITE" in os.environ:
        SUITES[os.environ["YUPANA_PEER_SUITE"]].switch()


def pytest_collection_modifyitems(items):
    if "YUPANA_PEER_SUITE" not in os.environ:
        return
    import pytest

    expected = expected_failures()
    strict = is_pinned(SUITES[os.environ["YUPANA_PEER_SUITE"]].package)
    for item in items:
        reason = expected.get(f"{item.module.__name__}::{item.nodeid.split('::', 1)[1]}")
        if reason:
            always = not reason.startswith("on some processors")
            item.add_marker(pytest.mark.xfail(reason=reason, strict=strict and always))


def pytest_runtest_setup(item):
    item.calls_before = _calls
    # Peers compare single precision in relative terms: an input near 0 fails any implementation.
    random.seed(1)
    numpy.random.seed(1)


def pytest_runtest_teardown(item):
    _counts["of them ours"] += _calls > getattr(item, "calls_before", _calls)  # skipped: none


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome == "skipped" or report.failed:
        is_expected = hasattr(report, "wasxfail") and report.outcome == "skipped"
        _counts["expected to fail" if is_expected else report.outcome] += 1


def pytest_sessionfinish():
    if "YUPANA_PEER_REPORT" in os.environ:
        pathlib.Path(os.environ["YUPANA_PEER_REPORT"]).write_text(json.dumps(_counts))


# The program.


def run_suite(name, *options):
    """pytest's exit status and the counts of one suite."""
    suite = SUITES[name]
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "counts.json"
        environment = {
            **os.environ,
            **suite.environment,
            "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]),
            "YUPANA_PEER_SUITE": name,
            "YUPANA_PEER_REPORT": str(report),
        }
        command = [sys.executable, "-m", "pytest", "-q", "-p", "peer_suites", "-rfE"]
        status = subprocess.run(
            [*command, *(options or suite.options), "--pyargs", *suite.modules], cwd=folder, env=environment
        ).returncode
        return status, json.loads(report.read_text()) if report.exists() else {}


def main(names):
    rows, failed = [], False
    for name in names or SUITES:
        status, counts = run_suite(name)
        failed |= status != 0
        rows.append([name, *map(str, counts.values())])
    print("| suite |", " | ".join(_counts), "|")
    print("|---|" + "---:|" * len(_counts))
    for row in rows:
        print("|", " | ".join(row), "|")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
