"""Parameters of the estimators of trees: scikit-learn's with its defaults, and the library's own."""

from __future__ import annotations

from functools import wraps
from inspect import Parameter, signature
from typing import Any, Callable, TypedDict, TypeVar

from ._call import ProgressLike
from ._tables import keep


class _AnyTrees(TypedDict, total=False):
    criterion: str
    max_depth: int | None
    min_samples_split: float
    min_samples_leaf: float
    min_weight_fraction_leaf: float
    max_features: float | str | None
    random_state: Any
    max_leaf_nodes: int | None
    min_impurity_decrease: float
    ccp_alpha: float
    monotonic_cst: Any
    categorical_features: Any
    device: str
    threads: int | None


class _Classes(TypedDict, total=False):
    class_weight: dict[Any, float] | str | None


class TreeParameters(_AnyTrees, total=False):
    splitter: str


class ForestParameters(_AnyTrees, total=False):
    bootstrap: bool | str
    oob_score: bool | Callable[[Any, Any], float]
    n_jobs: int | None
    verbose: int
    warm_start: bool
    max_samples: float | None
    progress: ProgressLike


class ClassTreeParameters(TreeParameters, _Classes, total=False):
    pass


class ClassForestParameters(ForestParameters, _Classes, total=False):
    voting: str


_TYPES = {
    "n_estimators": "int",
    **ClassTreeParameters.__annotations__,
    **ClassForestParameters.__annotations__,
}
_OWN = {"categorical_features": None, "voting": "soft", "device": "auto", "threads": None, "progress": None}

_Init = TypeVar("_Init", bound=Callable[..., None])


def parameters(peer: Any, *own: str) -> Callable[[_Init], _Init]:
    """Gives an ``__init__`` the parameters of scikit-learn's class that are known here, and own ones
    before ``device`` and ``threads``: in its signature, and each set under its own name."""
    theirs = signature(peer.__init__)
    names = [*own, "device", "threads", *["progress"] * ("n_estimators" in theirs.parameters)]
    shown = [p for p in theirs.parameters.values() if p.name == "self" or p.name in _TYPES]
    shown += [Parameter(name, Parameter.KEYWORD_ONLY, default=_OWN[name]) for name in names]

    def typed(p: Parameter) -> Parameter:
        kind = _TYPES.get(p.name, Parameter.empty)
        return p.replace(annotation=getattr(kind, "__forward_arg__", kind))

    every = theirs.replace(parameters=[*map(typed, shown)], return_annotation="None")

    def with_parameters(function: _Init) -> _Init:
        @wraps(function)
        def __init__(self: Any, *arguments: Any, **keywords: Any) -> None:
            try:
                given = every.bind(self, *arguments, **keywords)
            except TypeError as error:
                raise TypeError(f"{function.__qualname__}() {error}") from None
            given.apply_defaults()
            keep(self, given.arguments)
            function(self)

        setattr(__init__, "__signature__", every)
        return __init__  # type: ignore[return-value]

    return with_parameters
