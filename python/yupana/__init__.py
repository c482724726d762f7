"""Exact parallel algorithms for genomes and big tables, on every core and every GPU.

Functions take ``device`` ("auto", "cpu", "reference", "cuda", "cuda:0,1"), ``threads`` (all cores
by default) and ``progress`` (True, or a callable). Results do not depend on them. Errors are
ValueError and TypeError (bad input or arguments), OSError (a file that cannot be opened),
MemoryError, and RuntimeError (a device that is missing or failed); Ctrl-C raises KeyboardInterrupt
within a second.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import analysis, arrays, genotype, geometry, graph, relationships, report, sparse, spectral, splice
from ._call import Note
from ._machine import __version__, info, show_config
from .analysis import linkage
from .genotype import Genotypes, distances, filter, ld_prune, read_genotypes, unrelated
from .geometry import closest_pair
from .graph import Fermat, fermat, path, shortest_paths
from .relationships import grm, pca, pca_project
from .sparse import triangular_solve
from .spectral import fft, ifft, irfft, polymul, rfft
from .splice import align

# Names by which users of other packages look for these.
nj = analysis.neighbor_joining
read_pgen = read_genotypes

if TYPE_CHECKING:
    from . import csgraph, distance, extra_trees, forest, hierarchy, scipy_fft, som
    from .extra_trees import (
        ExtraTreeClassifier,
        ExtraTreeRegressor,
        ExtraTreesClassifier,
        ExtraTreesRegressor,
    )
    from .forest import (
        DecisionTreeClassifier,
        DecisionTreeRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )
    from .som import SOM

# These need scikit-learn or SciPy, which take up to a second to import.
_LATER = {
    "DecisionTreeClassifier": "forest",
    "DecisionTreeRegressor": "forest",
    "ExtraTreeClassifier": "extra_trees",
    "ExtraTreeRegressor": "extra_trees",
    "ExtraTreesClassifier": "extra_trees",
    "ExtraTreesRegressor": "extra_trees",
    "RandomForestClassifier": "forest",
    "RandomForestRegressor": "forest",
    "SOM": "som",
    "csgraph": "csgraph",
    "distance": "distance",
    "extra_trees": "extra_trees",
    "forest": "forest",
    "hierarchy": "hierarchy",
    "scipy_fft": "scipy_fft",
    "som": "som",
}

__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "Fermat",
    "Genotypes",
    "Note",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "SOM",
    "__version__",
    "align",
    "analysis",
    "arrays",
    "closest_pair",
    "csgraph",
    "distance",
    "distances",
    "extra_trees",
    "fermat",
    "fft",
    "filter",
    "forest",
    "genotype",
    "geometry",
    "graph",
    "grm",
    "hierarchy",
    "ifft",
    "info",
    "irfft",
    "ld_prune",
    "linkage",
    "nj",
    "path",
    "pca",
    "pca_project",
    "polymul",
    "read_genotypes",
    "read_pgen",
    "relationships",
    "report",
    "rfft",
    "scipy_fft",
    "shortest_paths",
    "show_config",
    "som",
    "sparse",
    "spectral",
    "splice",
    "triangular_solve",
    "unrelated",
]


if not TYPE_CHECKING:  # or a type checker would take any misspelt name for one of these

    def __getattr__(name: str) -> Any:
        if name not in _LATER:
            raise AttributeError(f"module 'yupana' has no attribute '{name}'")
        module = import_module(f".{_LATER[name]}", __name__)
        return module if name == _LATER[name] else getattr(module, name)


def __dir__() -> list[str]:
    return sorted(__all__)
