"""Relationship matrices and principal components against NumPy, file by file and array by array; tables of pairs."""

import numpy as np
import pytest

import yupana


def definition(calls, eigensoft=False):
    called = calls >= 0
    copies, alleles = np.where(called, calls, 0).sum(0), 2 * called.sum(0)
    p, q = copies / alleles, (1 + copies) / (2 + alleles)
    variance = q * (1 - q) if eigensoft else 2 * p * (1 - p)
    scale = np.sqrt(np.where(p * (1 - p) > 0, variance, np.inf))
    z = np.where(called, (calls - 2 * p) / scale, 0)
    return z @ z.T / (called.astype(float) @ called.T)


@pytest.mark.parametrize("standardize", ["gcta", "eigensoft"])
def test_grm_is_its_definition(genotypes, standardize):
    wanted = definition(genotypes, standardize == "eigensoft")
    got = yupana.grm(genotypes, standardize=standardize)
    assert got.dtype == np.float64
    np.testing.assert_allclose(got, wanted, atol=1e-6)
    for threads in (1, 7):
        assert np.array_equal(yupana.grm(genotypes, standardize=standardize, threads=threads), got)


def test_pca_finds_the_eigenvectors_of_numpy():
    cohort = yupana.read_genotypes("simulate:200x3000,populations=4,missing=0.01,seed=2", min_maf=0.1)
    found = yupana.pca(cohort, 3)
    values, vectors = np.linalg.eigh(definition(cohort.to_numpy()))
    np.testing.assert_allclose(found.eigenvalues, values[::-1][:3], rtol=1e-5)
    np.testing.assert_allclose(np.abs((found.vectors * vectors[:, ::-1][:, :3]).sum(0)), 1, atol=1e-6)
    np.testing.assert_allclose(found.trace, values.sum(), rtol=1e-6)
    assert (found.vectors.max(0) >= -found.vectors.min(0)).all()


def test_what_the_command_line_writes_is_the_same(genotypes, program, tmp_path):
    np.save(tmp_path / "cohort.npy", genotypes)
    program("grm", tmp_path / "cohort.npy", "-o", tmp_path / "run")
    assert np.array_equal(np.load(tmp_path / "run.grm.npy"), yupana.grm(genotypes))
    program("pca", tmp_path / "cohort.npy", "-o", tmp_path / "run", "--components", 2)
    written = np.loadtxt(tmp_path / "run.eigenvec", usecols=(1, 2))
    assert np.array_equal(written, yupana.pca(genotypes, 2).vectors)


def test_what_has_no_answer_is_refused(genotypes):
    with pytest.raises(ValueError, match="one of gcta, eigensoft"):
        yupana.grm(genotypes, standardize="plink")
    with pytest.raises(ValueError, match="components: expected at least 1"):
        yupana.pca(genotypes, 0)
    with pytest.raises(ValueError, match="expected individuals that differ"):
        yupana.pca(np.ones((4, 5), np.int8))


def test_parquet_reads_as_the_text_in_several_row_groups(tmp_path, program):
    pq, pd = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pandas")
    for name in ("tsv", "parquet"):
        program("dist", "simulate:600x2000,missing=0.01,seed=3", "--metric", "euclidean",
                "--pairs-above", 0, "--no-matrix", "--pairs-format", name, "-o", tmp_path / "d")
    text = pd.read_csv(tmp_path / "d.pairs.tsv", sep="\t", dtype=str)
    file = pq.ParquetFile(tmp_path / "d.pairs.parquet")
    assert file.metadata.num_row_groups > 1 and file.metadata.num_rows == 600 * 599 // 2
    table = file.read()
    assert [str(field.type) for field in table.schema] == ["string", "string", "double"]
    assert not any(field.nullable for field in table.schema)
    frame = table.to_pandas()
    assert np.array_equal(frame["value"], text["value"].astype(float))
    assert frame["sample1"].tolist() == text["sample1"].tolist()
    assert frame["sample2"].tolist() == text["sample2"].tolist()
