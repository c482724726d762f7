"""Pages and figures of whole runs, as the command line writes them: ``yupana fermat``, ``yupana pca --report``."""

from __future__ import annotations

import os
from numbers import Real
from typing import Any, Callable, Sequence

from . import _core
from ._call import one_line, options
from ._dosages import check_opens, folder_of
from .genotype import _opened

__all__ = ["fermat", "pca"]


def _drawing(given: dict[str, Any]) -> _core.report.Drawing:
    """A Drawing of the parameters that both functions have."""
    words = [given["figures"]] if isinstance(given["figures"], str) else given["figures"]
    drawing = _core.report.Drawing()
    values = {
        "out": os.fspath(given["out"]),
        "labels": "" if given["labels"] is None else os.fspath(given["labels"]),
        "label_column": given["label_column"] or "",
        "figures": [name for word in words for name in (word.split(",") if isinstance(word, str) else [word])],
        "width": given["figure_width"],
    }
    for name, value in values.items():
        try:
            setattr(drawing, name, value)
        except TypeError:
            wanted = {"width": "figure_width: expected a number", "figures": "figures: expected names"}
            raise TypeError(f"{wanted.get(name, f'{name}: expected a text')}, got {value!r}") from None
    return drawing


def _written(function: Callable[..., list[str]], given: dict[str, Any], *arguments: Any) -> list[str]:
    """The files that a function of the library writes; given: the parameters of ours."""
    cohort = _opened(given["source"], given["keywords"])
    out = os.fspath(given["out"])
    if not os.path.basename(out):
        raise ValueError(f"out: expected the beginning of a file's name, got the folder {out!r}")
    check_opens(given["labels"])
    with one_line(), options(**cohort._keywords) as call, folder_of(out):
        return function(call, cohort._input, _drawing(given), *arguments)


def fermat(
    source: Any,
    out: str | os.PathLike[str],
    *,
    alpha: float | str | Sequence[float] = 2.0,
    labels: str | os.PathLike[str] | None = None,
    label_column: str | None = None,
    figures: str | Sequence[str] = (),
    figure_width: float | None = None,
    **keywords: Any,
) -> list[str]:
    """The files of ``yupana fermat``: distances, lengths, tree, and the report OUT.html, .svg, .pdf, .png.

    Parameters
    ----------
    source : path of genotypes, or :class:`Genotypes` of one, with the keywords of :func:`read_genotypes`
    out : prefix of the files, whose folder is made where it is missing
    alpha : power on every distance, several, or "auto"
    labels : file of sample <tab> label: colours and scores; ``label_column``: its column's name or number
    figures : "svg", "pdf", "png" or several, "svg,pdf": also each figure of the page by itself, OUT.tree1.pdf
    figure_width : millimetres of the pictures, 60 to 1000; None: 271, and 85 of each figure by itself

    Returns
    -------
    list : the files

    Raises
    ------
    ValueError : another name of a format, another width, an array in place of a file
    OSError : labels that cannot be opened, a folder that cannot be made or written

    Examples
    --------
    >>> import os, tempfile, yupana.report
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = yupana.report.fermat("simulate:20x500,seed=1", folder + "/run", figures="pdf")
    ...     sorted(os.path.basename(file) for file in files if file.endswith("1.pdf"))
    ['run.embedding1.pdf', 'run.heat-map1.pdf', 'run.histogram1.pdf', 'run.tree1.pdf']
    """
    given = locals()
    alphas = [] if alpha == "auto" else [alpha] if isinstance(alpha, Real) else alpha
    return _written(_core.report.fermat, given, [float(one) for one in alphas])


def pca(
    source: Any,
    out: str | os.PathLike[str],
    *,
    components: int = 10,
    labels: str | os.PathLike[str] | None = None,
    label_column: str | None = None,
    figures: str | Sequence[str] = (),
    figure_width: float | None = None,
    **keywords: Any,
) -> list[str]:
    """The files of ``yupana pca --report``: OUT.eigenvec, .eigenval, .html, .svg, .pdf and .png.

    Parameters
    ----------
    components : eigenvectors
    source, out, labels, label_column, figures, figure_width : as of :func:`fermat`

    Examples
    --------
    >>> import os, tempfile, yupana.report
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = yupana.report.pca("simulate:20x500,seed=1", folder + "/run", figures=["svg"])
    ...     "run.scree.svg" in os.listdir(folder)
    True
    """
    return _written(_core.report.pca, locals(), components)
