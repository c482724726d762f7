import os
import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix

import yupana
from yupana import genotype


def counted(calls):
    """Pair counts in NumPy, one pair at a time."""
    n = len(calls)
    ibs1, ibs0, shared = (np.zeros((n, n), np.int64) for _ in range(3))
    for i in range(n):
        both = (calls[i] >= 0) & (calls >= 0)
        difference = np.abs(calls[i].astype(int) - calls)
        ibs1[i] = (both & (difference == 1)).sum(axis=1)
        ibs0[i] = (both & (difference == 2)).sum(axis=1)
        shared[i] = both.sum(axis=1)
    return ibs1, ibs0, shared


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("sites", [1, 511, 512, 513, 1031])
def test_counts_equal_numpy(genotypes, threads, sites):
    calls = genotypes[:, :sites]
    counts = genotype.pair_counts(calls, threads=threads)
    ibs1, ibs0, shared = counted(calls)
    assert np.array_equal(counts.ibs1, ibs1)
    assert np.array_equal(counts.ibs0, ibs0)
    assert np.array_equal(counts.shared, shared)
    assert counts.summary["calls_missing"] == (calls < 0).sum()


def test_every_layout_and_type_gives_the_same(genotypes):
    wanted = yupana.distances(genotypes)
    strided = np.zeros((2 * len(genotypes), 1031), np.int8)
    strided[::2] = genotypes
    floats = genotypes.astype(float)
    floats[genotypes < 0] = np.nan
    for array in (
        np.asfortranarray(genotypes),
        strided[::2],
        genotypes[:, ::-1],
        genotypes.astype(np.int64),
        floats,
    ):
        assert np.array_equal(yupana.distances(array), wanted)


def test_files_arrays_and_the_command_line_agree(genotypes, program, tmp_path):
    np.save(tmp_path / "cohort.npy", genotypes)
    for metric in genotype.metric_names()[:-1]:  # normalized wants every call
        program(
            "dist",
            tmp_path / "cohort.npy",
            "--metric",
            metric,
            "-o",
            tmp_path / metric,
        )
        wanted = np.load(tmp_path / f"{metric}.dist.npy")
        for source in (genotypes, tmp_path / "cohort.npy"):
            assert yupana.distances(source, metric).tobytes() == wanted.tobytes()


def test_filters_are_the_same_for_arrays_and_files(genotypes, tmp_path):
    np.save(tmp_path / "cohort.npy", genotypes)
    filters = {"min_maf": 0.2, "max_site_missing": 0.04, "remove": ["3", "7"], "missing": "mode"}
    cohorts = [yupana.read_genotypes(s, **filters) for s in (genotypes, tmp_path / "cohort.npy")]
    assert cohorts[0].samples == cohorts[1].samples and len(cohorts[0].samples) == 81
    arrays = [cohort.to_numpy() for cohort in cohorts]
    assert np.array_equal(*arrays) and arrays[0].shape[1] < 1031 and (arrays[0] >= 0).all()
    assert np.array_equal(cohorts[0].distances(), cohorts[1].distances())
    assert np.array_equal(cohorts[0].distances(), yupana.distances(arrays[0]))


def test_plink_files_round_trip(program, tmp_path):
    program("simulate", "--samples", 41, "--sites", 700, "--missing", 0.01, "-o", tmp_path / "c")
    cohort = yupana.read_genotypes(tmp_path / "c.bed")
    calls = cohort.to_numpy()
    assert calls.shape == (41, 700) and (calls == -1).any()
    assert np.array_equal(cohort.distances(), yupana.distances(calls))
    assert yupana.read_genotypes(str(tmp_path / "c")).samples == cohort.samples
    assert np.array_equal(
        yupana.read_genotypes("simulate:41x700,missing=0.01").to_numpy(), calls
    )


def test_a_pgen_gives_what_the_bed_gives(program, tmp_path):
    arguments = ("--samples", 41, "--sites", 700, "--missing", 0.01)
    program("simulate", *arguments, "-o", tmp_path / "c")
    program("simulate", *arguments, "--format", "pgen", "-o", tmp_path / "d")
    bed = yupana.read_genotypes(tmp_path / "c.bed")
    os.rename(tmp_path / "d.pvar", tmp_path / "sites")
    os.rename(tmp_path / "d.psam", tmp_path / "samples")
    pgen = yupana.read_genotypes(
        tmp_path / "d.pgen", pvar=str(tmp_path / "sites"), psam=str(tmp_path / "samples")
    )
    assert pgen.samples == bed.samples
    assert np.array_equal(pgen.to_numpy(), bed.to_numpy())
    assert pgen.distances().tobytes() == bed.distances().tobytes()
    os.rename(tmp_path / "sites", tmp_path / "d.pvar")
    os.rename(tmp_path / "samples", tmp_path / "d.psam")
    assert yupana.read_genotypes(str(tmp_path / "d"), region="2").pair_counts().sites == 32


def test_an_int8_array_is_not_copied():
    calls = np.zeros((500, 400_000), np.int8)  # 200 MB
    calls[:, ::3] = 1
    for array in (calls, calls.reshape(400_000, 500).T):
        before = yupana._core.peak_memory()
        cohort = yupana.read_genotypes(array)
        assert cohort._source.ctypes.data == array.ctypes.data
        cohort.distances()
        assert yupana._core.peak_memory() - before < 150 << 20, "more than planes of a block"


def test_pairs_without_a_shared_site_are_nan_and_noted():
    calls = np.array([[0, -1], [-1, 1]], np.int8)
    with pytest.warns(yupana.Note, match="shares no called site"):
        distances = yupana.distances(calls)
    assert np.isnan(distances[0, 1]) and distances[0, 0] == 0


def test_pickles_with_its_filters(genotypes):
    cohort = yupana.read_genotypes(genotypes, min_maf=0.3, samples=[f"s{i}" for i in range(83)])
    again = pickle.loads(pickle.dumps(cohort))
    assert again.samples == cohort.samples
    assert np.array_equal(again.distances(), cohort.distances())


def test_frames_and_tables_with_gaps_are_genotypes_too(genotypes):
    some = genotypes[:9, :40]
    wanted = yupana.distances(some)
    frame = pd.DataFrame(some).astype("Int8").mask(some < 0)
    assert frame.isna().any().any()
    assert np.array_equal(yupana.distances(frame), wanted)
    table = pa.table({str(c): pa.array(some[:, c], mask=some[:, c] < 0) for c in range(40)})
    assert np.array_equal(yupana.distances(table), wanted)


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: yupana.distances(np.full((2, 3), 5, np.int8)), ValueError, "row 1, column 1 is 5"),
        (lambda: yupana.distances(np.full((2, 3), 0.5)), ValueError, "0, 1, 2"),
        (lambda: yupana.distances(np.zeros(3, np.int8)), ValueError, "samples x sites"),
        (lambda: yupana.distances(csr_matrix((2, 3), dtype=np.int8)), TypeError, "toarray"),
        (lambda: yupana.distances(pd.DataFrame({"a": ["x", "y"]})), TypeError, "expected numbers"),
        (
            lambda: yupana.read_genotypes(np.zeros((2, 3), np.int8), min_maf="rare"),
            TypeError,
            "min_maf: expected float, got .rare.",
        ),
        (lambda: yupana.distances(np.zeros((0, 3), np.int8)), ValueError, "at least one sample"),
        (lambda: yupana.distances(np.zeros((2, 3), np.int8), "miles"), ValueError, "miles"),
        (lambda: yupana.read_genotypes("no/such.vcf"), FileNotFoundError, "such.vcf"),
        (lambda: yupana.read_genotypes(__file__), ValueError, "not a kind of file"),
        (
            lambda: yupana.read_genotypes(np.zeros((2, 3), np.int8), samples=["a"]),
            ValueError,
            "expected 2 names",
        ),
        (
            lambda: yupana.read_genotypes(np.zeros((2, 3), np.int8), missing="guess"),
            ValueError,
            "pairwise, mode, error",
        ),
    ],
)
def test_bad_input_is_one_clear_line(call, error, words):
    with pytest.raises(error, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


class _Frame(dict):
    """The parts of a Dataset that are asked for."""

    data_vars = property(lambda self: self)


class _AnnData:
    def __init__(self, X, names):
        self.X, self.obs_names = X, names


def _calls(genotypes):
    """Alleles variants x samples x 2, as sgkit has them."""
    x = genotypes.T
    calls = np.stack([x > 1, x > 0], axis=2).astype(np.int8)
    calls[x < 0] = -1
    return calls


def test_datasets_of_sgkit_and_anndata_are_taken_as_their_matrix(genotypes):
    names = [f"s{i}" for i in range(len(genotypes))]
    wanted = yupana.distances(genotypes)
    calls = _calls(genotypes)
    for source in (_Frame(call_genotype=calls, sample_id=names), _AnnData(genotypes, names),
                   _AnnData(csr_matrix(genotypes), names)):
        cohort = yupana.read_genotypes(source)
        assert cohort.samples == names
        assert np.array_equal(cohort.distances(), wanted)
    dosage = np.where(genotypes < 0, np.nan, genotypes).astype(np.float32).T
    assert np.array_equal(yupana.distances(_Frame(call_dosage=dosage)), wanted)
    assert yupana.genotype.unrelated(_AnnData(genotypes, names), 0.49) == names


def test_half_calls_are_missing_and_haploid_ones_count_twice():
    calls = np.array([[[0, -1], [1, -2], [0, -2], [-1, 1]]], np.int8)
    cohort = yupana.read_genotypes(_Frame(call_genotype=calls))
    assert cohort.to_numpy().T.tolist() == [[-1, 2, 0, -1]]


def test_datasets_that_are_no_genotypes_are_refused():
    with pytest.raises(ValueError, match="expected two alleles"):
        yupana.read_genotypes(_Frame(call_genotype=np.full((2, 3, 2), 2, np.int8)))
    with pytest.raises(ValueError, match="variants x samples x 2"):
        yupana.read_genotypes(_Frame(call_genotype=np.zeros((2, 3, 4), np.int8)))
    with pytest.raises(ValueError, match="call_genotype or call_dosage, got one with depth"):
        yupana.read_genotypes(_Frame(depth=np.zeros((2, 3))))


def test_the_packages_own_objects_are_taken(genotypes):
    wanted = yupana.distances(genotypes)
    names = [f"s{i}" for i in range(len(genotypes))]
    xarray = pytest.importorskip("xarray")
    dataset = xarray.Dataset({"call_genotype": (("variants", "samples", "ploidy"), _calls(genotypes)),
                              "sample_id": ("samples", names)})
    assert np.array_equal(yupana.distances(dataset), wanted)
    assert yupana.read_genotypes(dataset).samples == names
    for dims, values in (("samples", "variants"), genotypes), (("variants", "samples"), genotypes.T):
        assert np.array_equal(yupana.distances(xarray.DataArray(values, dims=dims)), wanted)
    anndata = pytest.importorskip("anndata")
    annotated = anndata.AnnData(genotypes.astype(np.float32), obs=pd.DataFrame(index=names))
    assert yupana.read_genotypes(annotated).samples == names
    assert np.array_equal(yupana.distances(annotated), wanted)
