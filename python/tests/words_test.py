"""Errors and notes speak of the parameters of Python, not of the options of the command line."""

import numpy as np
import pytest

import yupana

CALLS = np.array([[0, 1, -1, 2], [1, 2, 0, 2], [2, 0, 0, 1]], np.int8)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: yupana.read_genotypes(CALLS, min_maf=0.6), r"^min_maf: expected a number"),
        (lambda: yupana.read_genotypes(CALLS, max_maf=0.6), r"^max_maf: expected a number"),
        (lambda: yupana.ld_prune(CALLS, 50, 5, 2.0), r"^indep_pairwise: "),
        (lambda: yupana.distances(CALLS, "normalized"), r"missing='mode', .*max_site_missing=0$"),
        (lambda: yupana.pca_project("simulate:9x9", "nofile"), r"^loadings: expected PREFIX"),
        (lambda: yupana.filter("simulate:9x9", "x.foo"), r"^out x\.foo: expected a name"),
        (lambda: yupana.fermat([[0, 0.5], [0.5, 0]], precision="int"), r"use precision='float64'$"),
    ],
)
def test_errors_named_options_of_the_command_line(call, says):
    with pytest.raises(ValueError, match=says) as caught:
        call()
    assert "--" not in str(caught.value)


def test_memory_to_give_was_no_number_of_python():
    with pytest.raises(MemoryError, match=r"raise memory to (\d+)") as caught:
        yupana.grm(CALLS, memory=1)
    assert "--memory" not in str(caught.value)
    needed = int(str(caught.value).split("raise memory to ")[1].split()[0])
    assert yupana.grm(CALLS, memory=needed).shape == (3, 3)


def test_a_device_that_is_missing_named_an_option():
    if "cuda" in str(yupana.info()).lower() and yupana.info().get("gpus"):
        pytest.skip("a GPU is here")
    with pytest.raises(RuntimeError, match="device='cpu'"):
        yupana.distances(CALLS, device="cuda")


def test_notes_named_options(tmp_path):
    yupana.filter("simulate:3x40", tmp_path / "c.bed")
    (tmp_path / "c.fam").write_text("f a 0 0 1 -9\nf b 0 0 2 -9\nf c a b 1 -9\n")
    with pytest.warns(yupana.Note, match="^min_maf counts founders alone.*; nonfounders counts"):
        yupana.filter(tmp_path / "c.bed", tmp_path / "d.npy", min_maf=0.1)


def test_command_lines_of_other_programs_stay(tmp_path):
    (tmp_path / "c.bed").write_bytes(bytes([0x6C, 0x1B, 0]) + b"\0" * 3)
    (tmp_path / "c.fam").write_text("1 1 0 0 0 -9\n" * 1)
    (tmp_path / "c.bim").write_text("1 a 0 1 A C\n" * 3)
    with pytest.raises(ValueError, match="plink1.9 --bfile OLD --make-bed --out NEW"):
        yupana.distances(str(tmp_path / "c.bed"))


def test_arguments_were_ignored_in_silence():
    cohort, d = yupana.read_genotypes(CALLS), [[0.0, 1.0], [1.0, 0.0]]
    with pytest.raises(ValueError, match="estimate has no effect without landmarks"):
        yupana.fermat(d, estimate="mean")
    assert yupana.fermat(d, estimate="mean", landmarks=1).lengths.shape == (2, 2)
    assert yupana.Fermat(estimator="mean", path_method="FW").fit(d).get_distance(0, 1) == 1
    with pytest.raises(ValueError, match="squared has no effect on genotypes"):
        yupana.fermat(cohort, squared=True)
    with pytest.raises(TypeError, match="expected distances or genotypes, got the path 'D.npy'"):
        yupana.fermat("D.npy")
    with pytest.raises(ValueError, match="min_mac: expected a whole number of 0 or more, got -1"):
        yupana.read_genotypes(CALLS, min_mac=-1).distances()
    with pytest.raises(TypeError, match="progress: expected True, False, None or a callable, got 5"):
        yupana.distances(CALLS, progress=5)
