"""Messages speak of a Python caller's parameters, and no parameter is ignored without a word."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import yupana

CALLS = np.array([[0, 1, 2, 0], [1, 1, 0, 2], [2, 0, 1, 1]], np.int8)
TRIANGLE = sp.csr_array([[2.0, 0.0], [1.0, 4.0]])


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: yupana.read_genotypes(CALLS, min_maf=0.7), "min_maf: expected"),
        (lambda: yupana.read_genotypes(CALLS, max_site_missing=2), "max_site_missing: expected"),
        (lambda: yupana.read_genotypes(CALLS, thin=-1), "thin: expected"),
        (lambda: yupana.read_genotypes(CALLS, from_bp=3), "from_bp has no effect on an array"),
        (lambda: yupana.read_genotypes(CALLS, chromosomes="4-"), "chromosomes"),
        (lambda: yupana.filter(CALLS, "kept.txt"), 'out="kept.txt": expected'),
        (lambda: yupana.distances(CALLS - (CALLS == 2) * np.int8(3), "normalized"), 'missing="mode"'),
        (lambda: yupana.triangular_solve(sp.csr_array([[1.0, 2], [0, 1]]), [1.0, 1]), "pass ignore_other to"),
        (lambda: yupana.fermat(np.array([[0, 2**31], [2**31, 0]]), precision="int"), "precision="),
        (lambda: yupana.geometry.pairs_within(np.zeros((3000, 2)), 1, memory=65536), "raise memory"),
    ],
)
def test_errors_named_options_of_the_command_line(call, words):
    with pytest.raises((ValueError, MemoryError)) as raised, warnings.catch_warnings():
        warnings.simplefilter("ignore", yupana.Note)
        call()
    assert words in str(raised.value)
    assert " --" not in f" {raised.value}"


def test_notes_named_options_of_the_command_line(tmp_path):
    file = tmp_path / "sites.vcf"
    columns = "#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT a b"
    site = "1 {} . A {} . . . GT 0/1 1/1"
    lines = [columns, site.format(5, "C"), site.format(9, "C,G")]
    file.write_text("##fileformat=VCFv4.2\n" + "".join(f"{line}\n".replace(" ", "\t") for line in lines))
    with pytest.warns(yupana.Note, match='multiallelic="split" or'):
        yupana.read_genotypes(str(file)).pair_counts()


@pytest.mark.parametrize("method", ["level_set", "sync_free"])
def test_the_reference_ignored_the_method_of_a_triangular_system(method):
    with pytest.raises(ValueError, match=f"method: expected 'auto' or 'serial'.*got '{method}'"):
        yupana.sparse.TriangularSystem(TRIANGLE, device="reference", method=method)
    assert yupana.sparse.TriangularSystem(TRIANGLE, device="reference").method == "serial"


@pytest.mark.parametrize(
    "call",
    [
        lambda memory: yupana.arrays.sort(np.arange(5), memory=memory),
        lambda memory: yupana.fft(np.arange(5.0), memory=memory),
        lambda memory: yupana.shortest_paths(np.zeros((2, 2)), memory=memory),
        lambda memory: yupana.linkage(np.zeros((2, 2)), memory=memory),
        lambda memory: yupana.triangular_solve(TRIANGLE, [2.0, 9.0], memory=memory),
    ],
)
def test_memory_was_ignored_without_a_word(call):
    with pytest.warns(yupana.Note, match="memory has no effect on"):
        call(1000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call(None)


def test_the_method_was_ignored_for_sparse_graphs():
    graph = sp.csr_array([[0.0, 1.0], [2.0, 0.0]])
    assert yupana.shortest_paths(graph, "auto").tolist() == [[0, 1], [2, 0]]
    with pytest.raises(ValueError, match="method: expected 'auto' for a sparse matrix, got 'symmetric'"):
        yupana.shortest_paths(graph, "symmetric")


def test_negative_edges_are_edges_and_negative_cycles_an_error():
    assert yupana.shortest_paths(np.array([[0, -1], [1, 0]])).tolist() == [[0, -1], [1, 0]]
    with pytest.raises(ValueError, match="negative"):
        yupana.shortest_paths(np.array([[0, -2], [1, 0]]))
