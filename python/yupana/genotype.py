"""Genotypes of a cohort: files and arrays in, exact pair counts and distances out."""

from __future__ import annotations

import os
from typing import Any, Sequence

import numpy as np

from . import _core
from ._call import Keywords, ProgressLike, note_memory, one_line, options
from ._dosages import PairCounts, check_number, check_opens, check_windows, counted_on_gpu, dosages, fields_of
from ._dosages import folder_of, readable, refuse_idle, refuse_overwriting, unwrapped
from ._views import on_gpu

__all__ = [
    "Genotypes",
    "PairCounts",
    "distances",
    "filter",
    "ld_prune",
    "metric_names",
    "pair_counts",
    "read_genotypes",
    "unrelated",
]


def metric_names() -> list[str]:
    """Names of the metrics, as the command line has them.

    Examples
    --------
    >>> import yupana
    >>> "king" in yupana.genotype.metric_names()
    True
    """
    return _core.genotype.metric_names()


class Genotypes:
    """A cohort: a file that is streamed, or an array that stays where it is. Nothing is read but
    the sample names until something is computed. Made by :func:`read_genotypes`.

    Examples
    --------
    >>> import yupana
    >>> cohort = yupana.read_genotypes("simulate:60x2000,populations=3,seed=1")
    >>> cohort
    Genotypes(60 samples of simulate:60x2000,populations=3,seed=1)
    >>> cohort.distances("hamming").shape
    (60, 60)
    """

    def __init__(self, input: _core.genotype.GenotypeInput, source: Any, keywords: dict[str, Any]):
        self._input = input
        self._source = source  # keeps an array alive
        self._keywords = keywords
        with options(**keywords) as call:
            self._samples = input.samples(call)

    def __repr__(self) -> str:
        name = self._source if isinstance(self._source, str) else "an array"
        return f"Genotypes({len(self._samples)} samples of {name})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self._source, self._arguments, self._keywords)

    _arguments: dict[str, Any] = {}

    @property
    def samples(self) -> list[str]:
        """Names of the samples that the filters keep."""
        return list(self._samples)

    def _counted(self, call: _core.Options, hethet: bool) -> _core.genotype.PairCounts:
        if not isinstance(self._source, str):
            note_memory("counts of an array", self._keywords)
        return _core.genotype.count(self._input, call, hethet)

    def pair_counts(self, *, hethet: bool = False) -> PairCounts:
        """Exact counts of every pair. ``hethet``: also what KING needs where calls are missing."""
        with options(**self._keywords) as call:
            return PairCounts(self._counted(call, hethet), self._keywords)

    def distances(self, metric: str = "sqeuclidean", *, rescale: bool = True) -> np.ndarray:
        """The distance matrix; see :func:`distances`."""
        with options(**self._keywords) as call:
            counts = self._counted(call, _core.genotype.needs_hethet(metric))
            return counts.distances(call, metric, rescale)

    def to_numpy(self) -> np.ndarray:
        """Genotypes after the filters, int8 samples x sites; -1: a missing call."""
        with options(**self._keywords) as call:
            return self._input.dosages(call)


def _rebuilt(source: Any, arguments: dict[str, Any], keywords: dict[str, Any]) -> Genotypes:
    return read_genotypes(source, **arguments, **keywords)


#: Arguments of read_genotypes that are no attributes of a GenotypeInput.
_NO_FILTERS = {"source", "samples", "missing", *Keywords.__optional_keys__}


def read_genotypes(
    source: Any,
    *,
    samples: Sequence[str] | None = None,
    keep: Sequence[str] | None = None,
    remove: Sequence[str] = (),
    keep_fam: str = "",
    remove_fam: str = "",
    extract: str = "",
    exclude: str = "",
    max_sample_missing: float = 1.0,
    max_site_missing: float = 1.0,
    min_maf: float = 0.0,
    max_maf: float = 0.5,
    min_mac: int = 0,
    min_hwe: float = 0.0,
    hwe_mid_p: bool = False,
    nonfounders: bool = False,
    thin: float = 1.0,
    seed: int = 0,
    missing: str = "pairwise",
    king_cutoff: float | None = None,
    king_largest: bool = False,
    indep_pairwise: str = "",
    chromosomes: str = "",
    from_bp: int | None = None,
    to_bp: int | None = None,
    all_chromosomes: bool = False,
    autosomes: int | None = None,
    region: str = "",
    half_call: str = "missing",
    polyploid: str = "error",
    multiallelic: str = "skip",
    snps_only: bool | str = False,
    var_filter: bool | Sequence[str] = False,
    min_qual: float | None = None,
    round: bool = False,
    bim: str = "",
    fam: str = "",
    pvar: str = "",
    psam: str = "",
    sample_file: str = "",
    ref_last: bool = False,
    hard_call_threshold: float | None = None,
    device: str = "auto",
    threads: int | None = None,
    memory: int | None = None,
    progress: ProgressLike = None,
) -> Genotypes:
    """Opens a cohort.

    Parameters
    ----------
    source : path of a .bed, .ped, .tped, .pgen, .bgen, .vcf, .vcf.gz, .bcf or .npy file, a PLINK
        prefix, a folder of VCF-Zarr,
        "simulate:SAMPLESxSITES", or an array samples x sites of allele counts 0, 1, 2 (negative or
        NaN: missing). An int8 array is used where it is, in either order, without a copy. An
        AnnData gives X and obs_names, a Dataset of sgkit call_genotype and sample_id
    samples : names of an array's rows; default 1, 2, ...
    keep, remove : names of samples to keep (None: all), or to leave out
    keep_fam, remove_fam : files of families to keep, or to leave out, in their first column
    extract, exclude : files of names of variants to keep, or to leave out
    max_sample_missing, max_site_missing, min_maf, max_maf, min_mac, min_hwe, thin, seed : PLINK's
        --mind, --geno, --maf, --max-maf, --mac, --hwe (``hwe_mid_p``: its midp), --thin
    king_cutoff : PLINK 2's --king-cutoff; ``king_largest`` leaves out as few samples as can be
    indep_pairwise : PLINK's --indep-pairwise, as "50 5 0.2" or "200kb 1 0.2"
    from_bp, to_bp : first and last position, of the one chromosome of ``chromosomes``
    nonfounders : ``min_maf`` counts every sample, not only those without parents in a .fam or .psam
    autosomes : autosomes of the species (``--chr-set``); None: 22, as a human
    multiallelic : sites of several ALT alleles (VCF, .pgen, .bgen, VCF-Zarr): "skip", "split" or "collapse"
    snps_only : True leaves out variants with an allele of several characters, "just-acgt" also
        those of other letters
    var_filter : True leaves out sites (VCF, .pvar) that failed a filter, a list those that failed
        another than these; min_qual leaves out those of lower QUAL
    missing : "pairwise" leaves a missing call out of its pairs, "mode" takes the site's most
        frequent genotype, "error" refuses
    chromosomes, all_chromosomes, region, half_call, polyploid, round, bim, fam, pvar, psam : as on
        the command line (``yupana dist --help``)

    sample_file, ref_last, hard_call_threshold : of a .bgen: its .sample; whether REF is the last
        allele of a variant; the most that a dosage may be away from a call (None: 0.1)

    Raises
    ------
    OSError : a file that cannot be opened
    ValueError : a file or an array that is not what it should be, with the place

    Examples
    --------
    >>> import numpy as np, yupana
    >>> cohort = yupana.read_genotypes(np.array([[0, 1, 2], [2, 1, 0]], np.int8), samples=["a", "b"])
    >>> cohort.samples
    ['a', 'b']
    """
    arguments = {name: value for name, value in locals().items() if name not in _NO_FILTERS}
    refuse_idle(arguments, read_genotypes)
    for name, names in (("keep", keep), ("remove", remove)):
        if isinstance(names, (str, bytes)):
            raise TypeError(f"{name}: expected a list of names, got the text {names!r}")
    if keep is not None and len(keep) == 0:
        raise ValueError("keep: expected at least one sample, got none; None keeps all")
    arguments.update(keep=keep if keep is None else list(keep), remove=list(remove))
    input = _core.genotype.GenotypeInput()
    if not isinstance(indep_pairwise, (str, type(None))):
        raise TypeError(f"indep_pairwise: expected a text as '50 5 0.2', got {indep_pairwise!r}")
    for name, value in fields_of(arguments).items():
        try:
            setattr(input, name, value)
        except TypeError:
            kind = type(getattr(input, name)).__name__
            raise TypeError(f"{name}: expected {kind}, got {value!r}") from None
    with one_line():
        input.set_missing(missing)
    if indep_pairwise:
        input.set_indep_pairwise(indep_pairwise.split())
    if isinstance(source, (str, os.PathLike)):
        source = input.path = readable(source)
        for name in ("keep_fam", "remove_fam", "extract", "exclude", "bim", "fam", "pvar", "psam", "sample_file"):
            check_opens(arguments[name])
        if samples is not None:
            raise ValueError("samples: only an array's rows can be named, a file has its own names")
    else:
        matrix, own_names = unwrapped(source)
        source = dosages(matrix)
        samples = own_names if samples is None else samples
        names = [str(name) for name in samples] if samples is not None else []
        input.set_array(source, names)
    keywords = Keywords(device=device, threads=threads, memory=memory, progress=progress)
    cohort = Genotypes(input, source, keywords)
    cohort._arguments = {**arguments, "samples": samples, "missing": missing}
    return cohort


def _opened(source: Any, keywords: dict[str, Any]) -> Genotypes:
    if not isinstance(source, Genotypes):
        return read_genotypes(source, **keywords)
    if set(keywords) - Keywords.__optional_keys__:
        raise ValueError("filters belong to read_genotypes(); these genotypes are open already")
    if not keywords:
        return source
    return _rebuilt(source._source, source._arguments, {**source._keywords, **keywords})


def filter(source: Any, out: str | os.PathLike[str], **keywords: Any) -> dict[str, Any]:
    """Writes the samples and sites that filters leave: ``yupana filter``.

    Parameters
    ----------
    source : :class:`Genotypes`, or what :func:`read_genotypes` takes, with its keywords
    out : a name that ends in .bed, .pgen, .vcf, .vcf.gz or .npy; its folder is made where it is missing

    Returns
    -------
    dict : samples and sites read and kept, why others were dropped, and ``files``

    Raises
    ------
    OSError : a folder that cannot be made or written
    ValueError : a name that ends otherwise, or of a file that is read

    Examples
    --------
    >>> import os, tempfile, yupana
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     done = yupana.genotype.filter("simulate:60x500,seed=1", folder + "/x.bed", min_maf=0.1)
    ...     sorted(os.listdir(folder))
    ['x.bed', 'x.bim', 'x.fam']
    """
    cohort = _opened(source, keywords)
    name = os.fspath(out)
    refuse_overwriting(cohort._source, name)
    with options(**cohort._keywords) as call, folder_of(name):
        summary, files = cohort._input.write(call, name)
    return {**summary, "files": files}


def ld_prune(
    source: Any, window: int | str = 50, step: int = 1, r2: float = 0.2, **keywords: Any
) -> list[str]:
    """Names of sites of which no two in a window are correlated by more than ``r2``: PLINK's
    ``--indep-pairwise``. Columns of an array are called snp1, snp2, ...

    Parameters
    ----------
    source : what :func:`read_genotypes` takes, with its keywords
    window : sites, or kilobases as "200kb"
    step : sites from a window to the next; 1 where it is in kilobases
    r2 : the largest squared correlation to keep, 0 to below 1

    Examples
    --------
    >>> import numpy as np, yupana
    >>> calls = np.array([[0, 0, 2], [1, 1, 0], [2, 2, 0], [1, 1, 1]], np.int8)
    >>> yupana.genotype.ld_prune(calls, r2=0.9)
    ['snp1', 'snp3']
    """
    if isinstance(source, Genotypes):
        raise ValueError("source: expected a file or an array with filters, got open genotypes")
    check_number("r2", r2, 1)
    check_windows(window, step)
    cohort = read_genotypes(source, indep_pairwise=f"{window} {step} {float(r2)!r}", **keywords)
    with options(**cohort._keywords) as call:
        return cohort._input.pruned(call).split("\n")[:-1]


def unrelated(
    source: Any, cutoff: float = 0.0884, *, largest: bool = False, **keywords: Any
) -> list[str]:
    """Names of samples of which no two have a KING-robust kinship above ``cutoff``: PLINK 2's
    ``--king-cutoff``; with ``largest`` as many as can be in families of up to 200 samples.

    Parameters
    ----------
    source : what :func:`read_genotypes` takes, with its keywords

    Examples
    --------
    >>> import numpy as np, yupana
    >>> rng = np.random.default_rng(1)
    >>> calls = rng.integers(0, 3, (3, 400), dtype=np.int8)
    >>> calls[2] = calls[0]
    >>> yupana.genotype.unrelated(calls, samples=["a", "b", "twin"])
    ['a', 'b']
    """
    if isinstance(source, Genotypes):
        raise ValueError("source: expected a file or an array with filters, got open genotypes")
    check_number("cutoff", cutoff, 0.5)
    return read_genotypes(source, king_cutoff=cutoff, king_largest=largest, **keywords).samples


def pair_counts(source: Any, *, hethet: bool = False, **keywords: Any) -> PairCounts:
    """Exact counts of every pair: ``ibs1``, ``ibs0``, ``shared``, from which metrics follow.

    Parameters
    ----------
    source : :class:`Genotypes`, or what :func:`read_genotypes` takes, with its keywords; or int8
        genotypes on a GPU (CuPy, torch), dense, without filters: counted there
    hethet : count also what KING needs where calls are missing

    Examples
    --------
    >>> import numpy as np, yupana
    >>> counts = yupana.genotype.pair_counts(np.array([[0, 1, 2, 0], [2, 1, 1, -1]], np.int8))
    >>> counts.ibs0
    array([[0, 1],
           [1, 0]])
    >>> counts.shared
    array([[4, 3],
           [3, 3]])
    """
    if on_gpu(source):
        return counted_on_gpu(source, hethet, keywords)
    return _opened(source, keywords).pair_counts(hethet=hethet)


def distances(
    source: Any, metric: str = "sqeuclidean", *, rescale: bool = True, **keywords: Any
) -> np.ndarray:
    """Distances between all samples, float64 n x n, exact up to one rounding an operation.

    With m sites, P of them called in both, ``ibs1`` differing by one allele and ``ibs0`` by two:

    =========== =======================================
    sqeuclidean (ibs1 + 4 ibs0) m / P
    euclidean   its square root
    manhattan   (ibs1 + 2 ibs0) m / P
    ibs         1 - (ibs1 + 2 ibs0) / 2P, a similarity
    1-ibs       (ibs1 + 2 ibs0) / 2P
    hamming     (ibs1 + ibs0) m / P
    king        KING-robust kinship, as PLINK 2
    normalized  squared distance of genotypes over their sums
    =========== =======================================

    Pairs that share no called site are NaN, with a :class:`yupana.Note` that says how many.

    Parameters
    ----------
    source : :class:`Genotypes`, or what :func:`read_genotypes` takes, with its keywords; or int8
        genotypes on a GPU (CuPy, torch), dense, without filters: counted there
    metric : a name of the table; the command line's
    rescale : scale incomplete pairs by m / P

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.distances(np.array([[0, 1, 2], [2, 1, 1]], np.int8), "manhattan")
    array([[0., 3.],
           [3., 0.]])
    """
    if on_gpu(source):
        counts = counted_on_gpu(source, _core.genotype.needs_hethet(metric), keywords)
        return counts.distances(metric, rescale=rescale)
    return _opened(source, keywords).distances(metric, rescale=rescale)
