"""Exact spliced alignment of a cDNA or a protein to chains of candidate exons."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import partial
from numbers import Integral, Real
from operator import index
from typing import TYPE_CHECKING, Any, Iterable, Sequence

from . import _core
from ._call import Keywords, Note, options, whole, with_keywords

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Alignment", "Exon", "ExonAlignment", "align", "align_batch", "candidate_exons", "isoforms"]

Exon = _core.splice.Exon
#: Scores of :func:`candidate_exons` count a match this many times.
candidate_scale: int = _core.splice.candidate_scale


@dataclass(frozen=True)
class ExonAlignment:
    """One exon of a chain.

    ``exon``: its place among the candidates. ``target_begin``, ``target_end``: the target's letters
    [begin, end), from 0. ``cigar``: columns as counts and letters; = and X a base (a codon) against
    a letter, equal or not, D a base against nothing, I a letter against nothing.
    """

    exon: int
    target_begin: int
    target_end: int
    cigar: str


@dataclass(frozen=True)
class Alignment:
    """The best score, its chain from left to right, and the cells computed for it."""

    score: int
    chain: tuple[ExonAlignment, ...]
    cells: int


def _exon(exon: Any) -> Exon:
    try:
        return exon if isinstance(exon, Exon) else Exon(*map(index, exon))
    except TypeError:
        raise TypeError(f"exons: expected Exon or whole numbers (first, last), got {exon!r}") from None


def _exons(exons: Iterable[Any]) -> list[Exon]:
    if not isinstance(exons, Iterable):
        raise TypeError(f"exons: expected Exon or whole numbers (first, last) in a list, got {exons!r}")
    return [_exon(exon) for exon in exons]


def _check_effect(
    protein: bool,
    match: int | None,
    mismatch: int | None,
    matrix: tuple[str, Sequence[int]] | None,
    genetic_code: int | None,
) -> None:
    """Refuses arguments without effect."""
    if (match is not None or mismatch is not None) and (protein or matrix is not None):
        raise ValueError(
            "splice: match and mismatch have no effect with "
            + ("protein=True; give scores by matrix" if protein else "matrix; leave them out")
        )
    if genetic_code is not None and not protein:
        raise ValueError("splice: genetic_code has no effect without protein=True")


def _scores(matrix: tuple[str, Sequence[int]] | None) -> tuple[str, list[int]]:
    """Letters and their scores, row by row; none without a matrix."""
    if matrix is None:
        return "", []
    letters, scores = matrix
    if not all(isinstance(score, Integral) for score in scores):
        raise TypeError(
            f"matrix: expected (letters, scores row by row), {len(letters) ** 2} whole numbers in one"
            f" list, got {type(next(s for s in scores if not isinstance(s, Integral))).__name__}"
        )
    return letters, [index(score) for score in scores]


def _check_letters(problems: list[tuple[str, list[Exon], str]], protein: bool) -> None:
    """Refuses what is no text, and says where a protein looks like a cDNA."""
    for bases, _, target in problems:
        for name, text in (("bases", bases), ("target", target)):
            if not isinstance(text, str):
                raise TypeError(f"{name}: expected str, got {type(text).__name__}")
    if protein and any(target and set(target.upper()) <= set("ACGTN") for _, _, target in problems):
        message = "target: a protein of A, C, G, T and N alone; leave protein=True out for a cDNA"
        warnings.warn(message, Note, stacklevel=5)


def _chains(
    problems: Sequence[tuple[str, Iterable[Any], str]],
    most: int,
    least_share: float,
    *,
    protein: bool = False,
    match: int | None = None,
    mismatch: int | None = None,
    matrix: tuple[str, Sequence[int]] | None = None,
    gap_open: int | None = None,
    gap_extend: int | None = None,
    min_intron: int = 0,
    alignment: bool = True,
    genetic_code: int | None = None,
    **keywords: Any,
) -> list[list[Alignment]]:
    """The best chains of each problem."""
    _check_effect(protein, match, mismatch, matrix, genetic_code)
    letters, scores = _scores(matrix)
    usual = _core.defaults()["align_protein" if protein else "align"]
    if gap_open is None:
        gap_open = usual["gap_open"]
    if gap_extend is None:
        gap_extend = usual["gap_extend"]
    given = [(bases, _exons(exons), target) for bases, exons, target in problems]
    _check_letters(given, protein)
    with options(**keywords) as call:
        found = _core.splice.align(
            call,
            given,
            protein=protein,
            letters=letters,
            scores=scores,
            match=1 if match is None else match,
            mismatch=-1 if mismatch is None else mismatch,
            gap_open=gap_open,
            gap_extend=gap_extend,
            min_intron=min_intron,
            alignment=alignment,
            genetic_code=1 if genetic_code is None else genetic_code,
            most=most,
            least_share=least_share,
        )
    return [
        [
            Alignment(one["score"], tuple(ExonAlignment(*part) for part in one["chain"]), one["cells"])
            for one in chains
        ]
        for chains in found
    ]


class AlignKeywords(Keywords, total=False):
    """Keywords of :func:`align`."""

    protein: bool
    match: int | None
    mismatch: int | None
    matrix: tuple[str, Sequence[int]] | None
    gap_open: int | None
    gap_extend: int | None
    min_intron: int
    alignment: bool
    genetic_code: int | None


_with_align_keywords = partial(with_keywords, more=_chains)


@_with_align_keywords
def align_batch(
    problems: Sequence[tuple[str, Iterable[Any], str]], **keywords: Unpack[AlignKeywords]
) -> list[Alignment]:
    """Many problems (bases, exons, target) at once, in the order given; see :func:`align`.

    Examples
    --------
    >>> import yupana
    >>> problems = [("ACGTTTTTACGT", [(1, 4), (9, 12)], t) for t in ("ACGTACGT", "ACGT")]
    >>> [found.score for found in yupana.splice.align_batch(problems)]
    [8, 4]
    """
    return [chains[0] for chains in _chains(problems, 1, 1.0, **keywords)]


@_with_align_keywords
def align(
    bases: str, exons: Iterable[Any], target: str, **keywords: Unpack[AlignKeywords]
) -> Alignment:
    """The best chain of candidate exons for a target, and its global alignment; exact.

    Of all chains in which each exon ends before the next begins, one whose concatenation has the
    best global alignment to the whole target (Gelfand, Mironov, Pevzner 1996).

    Parameters
    ----------
    bases : the genome's letters
    exons : candidates, as :class:`Exon` or (first, last), from 1, both included
    target : the cDNA's letters, or a protein's with ``protein=True``
    match, mismatch : scores of bases (1 and -1); matrix : (letters, scores row by row) instead
    gap_open, gap_extend : added once a gap, and for each letter of it (0 and -2; proteins -11, -1)
    min_intron : bases at least between two exons of a chain
    alignment : False gives the score alone
    genetic_code : NCBI's table for proteins (1; 1 to 6 and 9 to 13)
    device, threads, memory, progress : as everywhere

    Raises
    ------
    ValueError : an exon outside the bases, a letter without a score, a gap that gains, scores whose
        sums could pass 32 bits, an argument without effect
    MemoryError : the tables of a problem need more than ``memory``
    TypeError : scores or places that are no whole numbers

    Examples
    --------
    >>> import yupana
    >>> found = yupana.align("ACGTTTTTACGT", [(1, 4), (9, 12), (5, 8)], "ACGTACGT")
    >>> found.score
    8
    >>> [(exon.exon, exon.cigar) for exon in found.chain]
    [(0, '4='), (1, '4=')]
    """
    return align_batch([(bases, exons, target)], **keywords)[0]


@_with_align_keywords
def isoforms(
    bases: str,
    exons: Iterable[Any],
    target: str,
    most: int,
    *,
    least_share: float = 0.9,
    **keywords: Unpack[AlignKeywords],
) -> list[Alignment]:
    """The best chain and the next best ones, ``most`` in all, best first; exact.

    Each is the best of all chains that skip an exon of every one before it: none of their own exons
    overlaps it. Other keywords are those of :func:`align`.

    Parameters
    ----------
    most : chains, 1 to 100
    least_share : of the best one's score, that each has at least; 0 to 1

    Raises
    ------
    ValueError : ``alignment=False``, other numbers, and what :func:`align` raises

    Examples
    --------
    >>> import yupana
    >>> exons = [(1, 8), (11, 14), (17, 20), (23, 30)]
    >>> found = yupana.splice.isoforms("ACGTTGCAGTCATGAGCACGAGTTGACCTA", exons, "ACGTTGCACATGTTGACCTA", 2)
    >>> [(one.score, [part.exon for part in one.chain]) for one in found]
    [(20, [0, 1, 3]), (18, [0, 2, 3])]
    """
    most = whole("most", most, 101, 1)
    if not isinstance(least_share, Real) or not 0 <= least_share <= 1:
        raise ValueError(f"least_share: expected a number from 0 to 1, got {least_share!r}")
    if not keywords.get("alignment", True):
        raise ValueError("splice: isoforms are told apart by their chains; leave out alignment=False")
    return _chains([(bases, exons, target)], most, float(least_share), **keywords)[0]


def candidate_exons(
    bases: str, *, protein: bool = False, genetic_code: int | None = None
) -> list[Exon]:
    """Exons that a coding gene on this strand may have, by the signals at their ends.

    Their scores count ``candidate_scale`` for a match: align with ``match=candidate_scale`` and so
    on. Exons are in order of their bases, each once, but for those that may be a gene alone, from
    ATG to its stop codon, and have other scores between introns. With ``protein=True`` stop codons
    are those of a ``genetic_code`` (1).

    Examples
    --------
    >>> import yupana
    >>> exons = yupana.splice.candidate_exons("CCATGGCCAAGGTAAGTCCCTTTTTCCCTTTTTCAGGCCTGACC")
    >>> all(exon.last - exon.first >= 2 for exon in exons)
    True
    """
    _check_effect(protein, None, None, None, genetic_code)
    with options(threads=1) as call:
        return _core.splice.candidate_exons(
            call, bases, protein=protein, genetic_code=1 if genetic_code is None else genetic_code
        )
