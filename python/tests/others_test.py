import random
import warnings

import numpy as np
import pytest
import scipy.fft
import scipy.sparse as sp
from scipy.spatial.distance import pdist, squareform

import yupana
from yupana import splice, spectral


@pytest.mark.parametrize("n", [1, 2, 7, 64, 100, 101, 1009, 4096])
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_fft_of_any_length_equals_scipys(n, dtype):
    rng = np.random.default_rng(n)
    x = (rng.normal(size=(3, n)) + 1j * rng.normal(size=(3, n))).astype(dtype)
    bound = 1e-5 if dtype == np.complex64 else 1e-12
    got = yupana.fft(x)
    assert got.dtype == dtype and got.shape == x.shape
    assert np.allclose(got, scipy.fft.fft(x), rtol=bound, atol=bound * n)
    assert np.allclose(yupana.ifft(got), x, rtol=bound, atol=bound * n)
    real = x.real
    half = yupana.rfft(real)
    assert np.allclose(half, scipy.fft.rfft(real), rtol=bound, atol=bound * n)
    assert np.allclose(yupana.irfft(half, n), real, rtol=bound, atol=bound * n)
    assert yupana.irfft(half, n).dtype == real.dtype


def test_fft_in_two_dimensions_and_matmul():
    x = np.random.default_rng(0).normal(size=(12, 35))
    assert np.allclose(spectral.fft2(x), scipy.fft.fft2(x))
    assert np.allclose(spectral.ifft2(spectral.fft2(x)), x)
    assert np.allclose(spectral.matmul(x, x.T), x @ x.T)
    with pytest.raises(ValueError):
        spectral.matmul(x, x)


def test_products_are_exact():
    rng = np.random.default_rng(0)
    a, b = rng.integers(-1000, 1000, 3000), rng.integers(-1000, 1000, 1700)
    assert np.array_equal(yupana.polymul(a, b), np.convolve(a, b))
    assert np.allclose(yupana.polymul(a * 0.5, b), np.convolve(a * 0.5, b))
    with pytest.raises(ValueError, match="2.63"):
        yupana.polymul([2**62], [4])
    words = random.Random(0)
    for bits in (0, 1, 31, 64, 5000, 200_000):
        x, y = words.getrandbits(bits + 1), -words.getrandbits(bits + 7)
        assert spectral.multiply(x, y) == x * y


def test_no_imaginary_part_is_dropped():
    i, system = np.array([1j, 2.0]), small_system()
    for call in (
        lambda: yupana.polymul(i, [1.0]),
        lambda: yupana.polymul([1.0], i),
        lambda: yupana.polymul(i, [1], exact=False),
        lambda: yupana.closest_pair(i[:, None]),
        lambda: system.update_values(np.array([1j, 1, 1])),
    ):
        with pytest.raises(TypeError, match="expected real numbers, got complex128"):
            call()


def test_integers_that_no_double_equals_are_not_rounded():
    one = np.array([2**60, 2**60 + 1])
    for call in (
        lambda: yupana.fft(one),
        lambda: yupana.rfft(one),
        lambda: spectral.matmul(one[None], one[:, None]),
        lambda: yupana.polymul(one, [0.5]),
        lambda: yupana.closest_pair(one[:, None]),
        lambda: yupana.closest_pair(np.array([[2**64 - 1], [0]], np.uint64)),
        lambda: yupana.closest_pair(np.array([[2**63 - 1], [0]])),
        lambda: small_system().solve(one),
    ):
        with pytest.raises(ValueError, match=r"beyond 2\*\*53"):
            call()
    assert yupana.closest_pair(np.array([[2**60], [2**61], [-(2**63)]])).distance == 2.0**60


def test_polynomials_have_one_dimension():
    with pytest.raises(ValueError, match="b: expected one dimension, got 2"):
        yupana.polymul([1], np.eye(2))


def small_system():
    return yupana.sparse.TriangularSystem(sp.csr_array([[2.0, 0.0], [1.0, 4.0]]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_closest_pair_equals_all_pairs(dtype):
    for d in (1, 2, 3, 8):
        points = np.random.default_rng(d).random((501, d)).astype(dtype)
        distances = squareform(pdist(points.astype(float)))
        np.fill_diagonal(distances, np.inf)
        found = yupana.closest_pair(points)
        assert np.isclose(found.distance, distances.min(), rtol=1e-12)
        assert distances[found.i, found.j] == distances.min() and found.i < found.j
    assert yupana.closest_pair(np.asfortranarray(points)) == found
    assert yupana.closest_pair(np.repeat(points, 2, axis=0)[::2]) == found
    points[17, 0] = np.nan
    with pytest.raises(ValueError, match="row 18 .from 1."):
        yupana.closest_pair(points)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_triangular_systems_equal_a_dense_solution(dtype, index):
    n = 300
    matrix = sp.random_array((n, n), density=0.02, rng=np.random.default_rng(0))
    lower = sp.csr_array(sp.tril(matrix, -1) + sp.eye_array(n) * 4).astype(dtype)
    lower.indices, lower.indptr = lower.indices.astype(index), lower.indptr.astype(index)
    b = np.random.default_rng(1).random((n, 3)).astype(dtype)
    wanted = np.linalg.solve(lower.toarray().astype(float), b)
    system = yupana.sparse.TriangularSystem(lower)
    results = [system.solve(b)]
    for method in ("serial", "level_set", "sync_free"):
        results.append(yupana.triangular_solve(lower, b, method=method))
    assert results[0].dtype == dtype and np.allclose(results[0], wanted, rtol=1e-4)
    assert all(x.tobytes() == results[0].tobytes() for x in results)
    assert system.level.max() == system.levels
    upper = yupana.triangular_solve(sp.csr_array(lower.T), b, lower=False)
    assert np.allclose(upper, np.linalg.solve(lower.toarray().astype(float).T, b), rtol=1e-4)
    system.update_values(lower.data * 2)
    assert np.allclose(system.solve(b[:, 0]), wanted[:, 0] / 2, rtol=1e-4)


def test_integers_of_a_sparse_matrix_were_rounded():
    matrix = sp.csr_array(np.array([[2**53 + 1, 0], [1, 3]]))
    with pytest.raises(ValueError, match="matrix: expected integers that a double equals"):
        yupana.sparse.TriangularSystem(matrix)
    labels = [0, 1]
    for kind in ("csr", "csc", "coo", "lil"):
        with pytest.raises(ValueError, match="X: expected integers that a double equals"):
            yupana.DecisionTreeClassifier().fit(matrix.asformat(kind), labels)
    model = yupana.DecisionTreeClassifier().fit(sp.csr_array([[2**53, 0], [1, 3]]), labels)
    with pytest.raises(ValueError, match="X: expected integers that a double equals"):
        model.predict(matrix)


def test_triangular_systems_may_be_empty():
    system = yupana.sparse.TriangularSystem(sp.csr_array((0, 0)))
    assert system.levels == 0
    assert system.solve(np.zeros(0)).shape == (0,)
    assert system.solve(np.zeros((0, 3))).shape == (0, 3)
    one = yupana.sparse.TriangularSystem(sp.csr_array([[2.0]]))
    assert one.solve(np.ones((1, 0))).shape == (1, 0)


def test_an_x_beyond_double_was_given_without_a_note():
    system = yupana.sparse.TriangularSystem(sp.csr_array(np.diag([1e-300, 1.0])))
    words = r"trisolve: 1 of 2 numbers of x is infinite or NaN, the first in row 1 \(from 1\)"
    with pytest.warns(yupana.Note, match=words):
        assert system.solve([1e300, 1.0]).tolist() == [np.inf, 1.0]
    with pytest.warns(yupana.Note, match=words):
        yupana.triangular_solve(sp.csr_array(np.diag([1e-300, 1.0])), [1e300, 1.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        system.solve([1.0, 1.0])


def test_triangular_faults_name_their_row():
    full = sp.csr_array(np.ones((3, 3)))
    with pytest.raises(ValueError, match="row 1 "):
        yupana.triangular_solve(full, np.ones(3))
    assert np.allclose(yupana.triangular_solve(full, [1.0, 1.0, 1.0], ignore_other=True), [1, 0, 0])
    hole = sp.csr_array(np.array([[1.0, 0.0], [1.0, 0.0]]))
    with pytest.raises(ValueError, match="row 2 "):
        yupana.triangular_solve(hole, np.ones(2))
    with pytest.raises(ValueError, match="expected 2 rows"):
        yupana.triangular_solve(sp.csr_array(np.eye(2)), np.ones(3))


def test_splice_aligns_a_planted_gene(program, tmp_path):
    words = random.Random(3)
    letters = [words.choice("ACGT") for _ in range(3000)]
    genome = "".join(letters)
    truth = [(301, 420), (900, 1003), (2000, 2090)]
    target = "".join(genome[a - 1 : b] for a, b in truth)
    exons = truth + [(words.randrange(1, 2000), 0) for _ in range(40)]
    exons = [(a, b or a + words.randrange(3, 300)) for a, b in exons]
    found = yupana.align(genome, exons, target)
    assert found.score == len(target)
    assert [exons[e.exon] for e in found.chain] == truth
    assert [e.cigar for e in found.chain] == [f"{b - a + 1}=" for a, b in truth]
    (tmp_path / "g.fa").write_text(f">g\n{genome}\n")
    (tmp_path / "t.fa").write_text(f">t\n{target[:200]}{target[210:]}\n")
    (tmp_path / "e.tsv").write_text("".join(f"g\t{a}\t{b}\t+\n" for a, b in exons))
    cut = target[:200] + target[210:]
    results = splice.align_batch([(genome, exons, target), (genome, exons, cut)], threads=2)
    assert results[0] == found and results[1].score == len(cut) - 20
    alone = yupana.align(genome, [splice.Exon(*e) for e in exons], cut, alignment=False)
    assert alone.score == results[1].score and alone.chain == ()


def test_an_end_of_two_kinds_listed_its_exon_twice():
    exons = yupana.splice.candidate_exons("ACGTAGGTAGGT")
    assert [(exon.first, exon.last) for exon in exons] == [(7, 10)]
    assert eval(repr(exons[0]), {"Exon": yupana.splice.Exon}) == exons[0]
    assert repr(yupana.splice.Exon(2, 5)) == "Exon(2, 5)"


def test_candidate_exons_of_proteins_took_the_standard_stop_codons_alone():
    bases = "ATGGCCTGAGCCAAATAA"  # table 4 reads TGA as W
    whole = {
        table: any(
            (exon.first, exon.last) == (1, len(bases))
            for exon in splice.candidate_exons(bases, protein=True, genetic_code=table)
        )
        for table in (1, 4)
    }
    assert whole == {1: False, 4: True}
    with pytest.raises(ValueError, match="genetic_code has no effect without protein=True"):
        splice.candidate_exons(bases, genetic_code=4)


def test_splice_named_other_functions_and_types():
    given = ("ACGTTTTTACGT", [(1, 4), (9, 12)], "ACGTACGT")
    with pytest.raises(TypeError, match="^align: expected keywords alignment, .*; got 'ends'"):
        yupana.align(*given, ends="local")
    for bases, target, name in ((b"ACGT", "ACGT", "bases"), ("ACGT", b"ACGT", "target")):
        with pytest.raises(TypeError, match=f"^{name}: expected str, got bytes"):
            yupana.align(bases, [(1, 4)], target)
    for scores in ([[1] * 4] * 4, [1.5] * 16):
        with pytest.raises(TypeError, match="^matrix: expected .* 16 whole numbers in one list"):
            yupana.align(*given, matrix=("ACGT", scores))
    with pytest.warns(yupana.Note, match="a protein of A, C, G, T and N alone"):
        yupana.align("ATGGCCAAA", [(1, 9)], "ATG", protein=True)


def test_splice_aligns_proteins_and_refuses_nonsense():
    bases = "ATGGCC" + "GTAAAG" + "AAATGA"
    found = yupana.align(bases, [(1, 6), (13, 18)], "MAK*", protein=True)
    assert [e.exon for e in found.chain] == [0, 1] and found.chain[0].cigar == "2="
    assert splice.candidate_exons("") == []
    with pytest.raises(ValueError, match="exon"):
        yupana.align("ACGT", [(1, 9)], "ACGT")
    with pytest.raises(ValueError):
        yupana.align("ACGT", [(1, 4)], "AC!T")


def test_splice_isoforms_exclude_each_others_exons_and_batches_have_the_best_alone():
    words = random.Random(4)
    first, either, last = ("".join(words.choices("ACGT", k=60)) for _ in range(3))
    other = either[:30] + ("A" if either[30] != "A" else "C") + either[31:]
    bases = "TT".join((first, either, other, last))
    exons = [(1, 60), (63, 122), (65, 122), (125, 184), (187, 246)]
    given = (bases, exons, first + either + last)
    found = splice.isoforms(*given, 5, gap_open=-3, threads=2)
    assert [one.score for one in found] == [180, 178]
    assert [[part.exon for part in one.chain] for one in found] == [[0, 1, 4], [0, 3, 4]]
    assert splice.isoforms(*given, 1, gap_open=-3) == found[:1] == [yupana.align(*given, gap_open=-3)]
    assert splice.isoforms(*given, 5, gap_open=-3, least_share=0.99) == found[:1]
    more = splice.isoforms(*given, 5, gap_open=-3, least_share=0)
    assert len(more) > 2 and more[:2] == found
    for wrong in ({"most": 0}, {"most": 101}, {"most": 2, "least_share": 1.5},
                  {"most": 2, "least_share": float("nan")}, {"most": 2, "alignment": False}):
        with pytest.raises(ValueError):
            splice.isoforms(*given, **wrong)
    with pytest.raises(TypeError):
        splice.isoforms(*given, 2, most_of_all=3)


def test_splice_refuses_arguments_without_effect_and_numbers_that_are_not_whole():
    given = ("ACGT", [(1, 4)], "ACGT")
    with pytest.raises(ValueError, match="match.*protein"):
        yupana.align(*given, protein=True, match=5)
    with pytest.raises(ValueError, match="match.*matrix"):
        yupana.align(*given, mismatch=-1, matrix=("ACGT", [0] * 16))
    with pytest.raises(ValueError, match="genetic_code.*protein"):
        yupana.align(*given, genetic_code=2)
    with pytest.raises(TypeError):
        yupana.align(*given, matrix=("ACGT", [1.5] * 16))
    with pytest.raises(TypeError):
        yupana.align("ACGT", [(1.5, 4)], "ACGT")
    with pytest.raises(ValueError):
        yupana.align(*given, match=1073741825)
    assert yupana.align(*given, match=2, mismatch=-2).score == 8
