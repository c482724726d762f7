"""Genotype distances of DataFrames on two executors: those of one machine, bit for bit."""

import doctest

import numpy as np
import pytest
from cluster import wrong

import yupana
import yupana.spark.genotype
from yupana.spark import genotype_distances, genotype_pair_counts


@pytest.fixture(scope="module")
def calls():
    rng = np.random.default_rng(8)
    whole = rng.binomial(2, rng.uniform(0.05, 0.95, 1031), (37, 1031)).astype(np.int8)
    missing = whole.copy()
    missing[rng.random(whole.shape) < 0.03] = -1
    return whole, missing


def sites_frame(spark, calls, partitions, kind="array<tinyint>"):
    """A row a site."""
    if kind == "binary":
        rows = [(bytearray(site.astype(np.int8).tobytes()),) for site in calls.T]
    else:
        rows = [([None if x < 0 else int(x) for x in site],) for site in calls.T]
    return spark.createDataFrame(spark.sparkContext.parallelize(rows, partitions), f"calls {kind}")


@pytest.mark.parametrize(("metric", "partitions"), [("sqeuclidean", 1), ("king", 5), ("1-ibs", 2)])
def test_distances_are_those_of_one_machine(spark, calls, metric, partitions):
    for array in calls:
        expected = yupana.distances(array, metric, device="cpu")
        got = genotype_distances(sites_frame(spark, array, partitions), metric)
        assert got.tobytes() == expected.tobytes()


def test_binary_calls_and_columns_of_calls_are_the_same_sites(spark, calls):
    _, array = calls
    expected = yupana.distances(array, "euclidean", device="cpu")
    binary = genotype_distances(sites_frame(spark, array, 3, "binary"), "euclidean")
    assert binary.tobytes() == expected.tobytes()
    rows = [tuple(None if x < 0 else int(x) for x in site) for site in array.T]
    names = [f"s{i}" for i in range(len(array))]
    df = spark.createDataFrame(rows, ", ".join(f"{name} int" for name in names)).coalesce(2)
    counts = genotype_pair_counts(df, names)
    assert counts.samples == names
    assert counts.distances("euclidean").tobytes() == expected.tobytes()


def test_sites_with_and_without_missing_calls_may_lie_apart(spark, calls):
    whole, missing = calls
    both = np.concatenate([whole, missing], axis=1)
    df = sites_frame(spark, whole, 2).unionAll(sites_frame(spark, missing, 2))
    expected = yupana.genotype.pair_counts(both, device="cpu", hethet=True)
    got = genotype_pair_counts(df, hethet=True)
    assert np.array_equal(got.shared, expected.shared)
    assert np.array_equal(got.distances("king"), expected.distances("king"), equal_nan=True)


@pytest.mark.parametrize("bytes_of_band", [1, 24 * 40, 1 << 20])
def test_bands_cover_the_triangle_once(monkeypatch, bytes_of_band):
    monkeypatch.setattr(yupana.spark.genotype, "BAND_BYTES", bytes_of_band)
    for samples in (1, 2, 37):
        edges = yupana.spark.genotype.band_edges(samples, 3)
        assert edges[0] == 0 and edges[-1] == samples and sorted(set(edges)) == edges


def test_wrong_calls_are_said_in_one_line(spark):
    df = spark.createDataFrame([([0, 1],), ([2, 5],)], "calls array<int>")
    wrong(lambda: genotype_distances(df), "sample 2 (from 1) has 5")
    df = spark.createDataFrame([([0, 1],), ([2],)], "calls array<int>").coalesce(1)
    wrong(lambda: genotype_distances(df), "expected 2 numbers, got 1")
    apart = spark.sparkContext.parallelize([([0, 1],), ([2],)], 2)
    df = spark.createDataFrame(apart, "calls array<int>")
    wrong(lambda: genotype_distances(df), "expected sites of the same samples, got 1 and 2")
    wrong(lambda: genotype_distances(df.filter("false")), "no site")
    wrong(lambda: genotype_distances(df, calls="x"), "no column 'x'")
    wrong(lambda: genotype_distances(df, "cosine"), "cosine")


def test_examples_of_docstrings(spark):
    result = doctest.testmod(yupana.spark.genotype, extraglobs={"spark": spark})
    assert result.attempted > 0 and result.failed == 0
