"""What a user of NumPy, scikit-learn and PLINK met first: each test is named after what went wrong."""

import os

import numpy as np
import pytest
import scipy.sparse as sp
import yupana
from yupana import arrays

LONG = 2**53 + 1
CALLS = np.random.default_rng(0).integers(0, 3, (12, 300), dtype=np.int8)


@pytest.mark.parametrize("call", [lambda x, out: arrays.inclusive_scan(x, out=out), lambda x, out: arrays.sort(x, out=out)])
def test_an_out_that_overlapped_the_vector_was_written_while_it_was_read(call):
    x = np.arange(8)
    with pytest.raises(ValueError, match="out: .* got one that overlaps it"):
        call(x[:-1], x[1:])
    assert (call(x, x) == call(np.arange(8), None)).all()


@pytest.mark.parametrize(
    "call",
    [
        lambda: arrays.sort([2**63 + 1, 1]),
        lambda: arrays.reduce([LONG, 0.5]),
        lambda: yupana.polymul([2**63 + 1, 1], [1]),
        lambda: yupana.fft([2**63 + 1, 1]),
        lambda: yupana.closest_pair([[2**63 + 1], [1]]),
        lambda: yupana.shortest_paths([[0, 2**63 + 1], [1, 0]]),
        lambda: yupana.shortest_paths(sp.csr_array(np.array([[0, LONG], [0, 0]]))),
        lambda: yupana.linkage([LONG, 2, 3]),
        lambda: yupana.DecisionTreeClassifier().fit([[LONG], [0]], [0, 1]),
    ],
)
def test_integers_of_lists_were_rounded_in_silence(call):
    with pytest.raises(ValueError, match="expected integers that a double equals"):
        call()


def test_a_distance_beyond_double_was_infinite():
    with pytest.raises(ValueError, match="points: expected a distance within the range of double"):
        yupana.closest_pair([[1e308], [-1e308]])
    assert yupana.closest_pair([[1e200], [-1e200]]).distance == 2e200


def test_the_imaginary_parts_of_edges_and_distances_were_dropped():
    with pytest.raises(TypeError, match="weights: expected real numbers, got complex128"):
        yupana.shortest_paths(sp.csr_array(np.array([[0, 1j], [0, 0]])))
    for wrong in (np.array([1j, 2, 3]), np.array(["1", "2", "3"])):
        with pytest.raises(TypeError, match="distances: expected real numbers"):
            yupana.linkage(wrong)
    with pytest.raises(TypeError, match="weights: expected real numbers"):
        yupana.SOM(1, 2).fit_from(np.ones((4, 1), np.float32), [[1j], [2]])


def test_an_init_beyond_float32_was_infinite():
    with pytest.raises(ValueError, match="init: expected a number that float32 holds, got 1e[+]300"):
        arrays.reduce(np.ones(3, np.float32), init=1e300)
    assert arrays.reduce(np.ones(3, np.float32), init=np.inf) == np.inf


@pytest.mark.parametrize(
    "call",
    [
        lambda memory: yupana.fermat(np.ones((2, 2)) - np.eye(2), memory=memory),
        lambda memory: yupana.Fermat(memory=memory).fit(np.ones((2, 2)) - np.eye(2)),
        lambda memory: yupana.shortest_paths(sp.csr_array(np.eye(2)), memory=memory),
        lambda memory: yupana.spectral.multiply(2, 3, memory=memory),
        lambda memory: yupana.distances(CALLS, memory=memory),
        lambda memory: yupana.genotype.pair_counts(CALLS, memory=memory),
        lambda memory: yupana.closest_pair(np.eye(3), memory=memory),
        lambda memory: yupana.geometry.neighbors(np.eye(3), 1, memory=memory),
        lambda memory: yupana.geometry.closest_between(np.eye(3), np.eye(3), memory=memory),
    ],
)
def test_memory_of_other_functions_was_ignored_without_a_word(call):
    with pytest.warns(yupana.Note, match="memory has no effect on"):
        call(10)


def test_a_second_size_of_memory_was_no_number_of_python():
    with pytest.raises(MemoryError, match=r"raise memory=[\d_]+, or memory=[\d_]+ to count in at most 4 passes"):
        yupana.unrelated(np.tile(CALLS, (50, 20)), memory=1)


@pytest.mark.parametrize("exact", [np.False_, False])
def test_exact_false_of_numpy_multiplied_integers(exact):
    assert yupana.polymul([1, 2], [3, 4], exact=exact).dtype == np.float64


def test_exact_took_any_word():
    for exact in (0, "no"):
        with pytest.raises(TypeError, match="exact: expected True, False or None"):
            yupana.polymul([1, 2], [3, 4], exact=exact)


def test_a_number_was_transformed_as_a_vector_of_one():
    for number in (3.0, 3j):
        with pytest.raises(ValueError, match="axes: expected axes of an array of 0 dimension"):
            yupana.fft(np.array(number))
    assert yupana.fft(np.ones(2, np.float16)).dtype == np.complex64  # as the docstring says


def test_missing_labels_of_pandas_were_ambiguous_and_tables_of_labels_unhashable():
    pandas = pytest.importorskip("pandas")
    x = np.array([0.0, 1.0, 10.0, 11.0, 5.0])
    distances = np.abs(x[:, None] - x)
    labels = pandas.Series(["a", "a", "b", "b", None], dtype="string")
    assert yupana.analysis.label_scores(distances, labels).individuals == 4
    with pytest.raises(ValueError, match="a: expected a label for each item, got none at item 4"):
        yupana.analysis.adjusted_rand(labels, x)
    with pytest.raises(ValueError, match="labels: expected one dimension, got 2"):
        yupana.analysis.label_scores(distances, x[:, None])


def test_parts_of_a_partition_were_refused_as_bootstrap_false():
    forest = yupana.RandomForestClassifier(bootstrap="partition", max_samples=2, n_estimators=2)
    with pytest.raises(ValueError, match="max_samples: expected None with bootstrap='partition'"):
        forest.fit([[0], [1], [2], [3]], [0, 0, 1, 1])


def test_maps_with_parameters_of_a_grid_had_no_bytes():
    X = np.random.default_rng(0).random((20, 2), np.float32)
    som = yupana.SOM(np.int64(2), 2, sigma0=np.float32(1.5), random_state=np.int64(3)).fit(X)
    again = yupana.SOM.from_bytes(som.to_bytes())
    assert (again.predict(X) == som.labels_).all() and again.random_state == 3 and again.sigma0 == 1.5


def test_the_last_radius_was_said_to_be_sigmaf():
    radii = yupana.SOM(sigma0=2, sigmaf=1, iterations=3).sigma_
    assert radii[-1] > 1 and (yupana.SOM(sigma0=2, sigmaf=1, iterations=3, smooth=2).sigma_ == [2, 1, 1]).all()


def test_arguments_were_named_by_their_place():
    with pytest.raises(TypeError, match="metric: expected str, got NoneType"):
        yupana.distances(CALLS, None)
    with pytest.raises(TypeError, match="rescale: expected bool, got str"):
        yupana.distances(CALLS, rescale="no")
    som = yupana.SOM(2, 2).fit(np.eye(4, dtype=np.float32))
    with pytest.raises(ValueError, match="neighbors: expected a whole number"):
        som.quality(np.eye(4, dtype=np.float32), 4.0)
    with pytest.raises(ValueError, match="offsets: expected one dimension, got 2"):
        arrays.segmented_reduce(np.arange(5), [[0, 3]])
    with pytest.raises(TypeError, match="such as numpy.bool for bool"):
        arrays.sort([2, 1], descending=np.True_)


@pytest.mark.parametrize("name", ["keep", "remove"])
def test_a_text_of_samples_was_taken_letter_by_letter(name):
    with pytest.raises(TypeError, match=f"{name}: expected a list of names, got the text '12'"):
        yupana.read_genotypes(CALLS, **{name: "12"})


@pytest.mark.parametrize("ending", ["bed", "pgen", "vcf", "npy"])
def test_filter_wrote_over_the_file_that_it_read(tmp_path, ending):
    first = yupana.filter(CALLS, tmp_path / f"c.{ending}")["files"]
    before = {file: open(file, "rb").read() for file in first}
    with pytest.raises(ValueError, match="is read by this call, which would write over it"):
        yupana.filter(tmp_path / f"c.{ending}", tmp_path / f"c.{ending}", min_maf=0.45)
    assert {file: open(file, "rb").read() for file in first} == before
    yupana.filter(tmp_path / f"c.{ending}", tmp_path / f"d.{ending}", min_maf=0.45)


def test_lists_that_cannot_be_opened_were_bad_values(tmp_path):
    file = yupana.filter(CALLS, tmp_path / "c.bed")["files"][0]
    for name in ("keep_fam", "remove_fam", "extract", "exclude", "bim", "fam"):
        with pytest.raises(FileNotFoundError, match="nope.txt"):
            yupana.read_genotypes(file, **{name: "nope.txt"})
    with pytest.raises(FileNotFoundError, match="nope.loadings.tsv"):
        yupana.pca_project(file, "nope.loadings.tsv")
    with pytest.raises(FileNotFoundError, match="nope.tsv"):
        yupana.report.fermat(file, tmp_path / "run", labels="nope.tsv")
    with pytest.raises(TypeError, match="indep_pairwise: expected a text"):
        yupana.read_genotypes(file, indep_pairwise=[50, 5, 0.2])


def test_a_report_needed_its_folder_made_and_hid_its_files_in_one(tmp_path):
    file = yupana.filter(CALLS, tmp_path / "c.bed")["files"][0]
    assert yupana.report.pca(file, tmp_path / "new" / "run")
    with pytest.raises(ValueError, match="out: expected the beginning of a file's name"):
        yupana.report.pca(file, f"{tmp_path}{os.sep}new{os.sep}")
    assert not [name for name in os.listdir(tmp_path / "new") if name.startswith(".")]
