"""filter, ld_prune and unrelated are the command line's, for files and arrays."""

import numpy as np
import pytest
import yupana


@pytest.fixture
def linked():
    """Samples x sites; many sites are copies of the one before."""
    rng = np.random.default_rng(3)
    calls = rng.integers(0, 3, (40, 300), dtype=np.int8)
    for k in range(1, 300):
        if rng.random() < 0.6:
            same = rng.random(40) < 0.9
            calls[same, k] = calls[same, k - 1]
    calls[rng.random(calls.shape) < 0.05] = -1
    calls[7] = calls[3]
    return calls


def correlated(a, b, most):
    both = (a >= 0) & (b >= 0)
    a, b = a[both].astype(np.int64), b[both].astype(np.int64)
    n = len(a)
    covariance = n * (a * b).sum() - a.sum() * b.sum()
    variances = [n * (x * x).sum() - x.sum() ** 2 for x in (a, b)]
    return covariance**2 > most * variances[0] * variances[1]


def test_no_two_sites_of_a_window_are_correlated(linked):
    names = yupana.ld_prune(linked, 20, 1, 0.3)
    kept = [int(name[3:]) - 1 for name in names]
    assert 50 < len(kept) < 250
    for i in kept:
        for j in kept:
            assert not (i < j < i + 20 and correlated(linked[:, i], linked[:, j], 0.3))
    again = yupana.read_genotypes(linked, indep_pairwise="20 1 0.3").to_numpy()
    assert (again == linked[:, kept]).all()


def test_files_and_arrays_agree_with_the_program(linked, tmp_path, program):
    path = tmp_path / "c.npy"
    np.save(path, linked)
    program("filter", path, "--indep-pairwise", 20, 2, 0.3, "-o", tmp_path / "p.bed")
    names = (tmp_path / "p.prune.in").read_text().split()
    assert yupana.ld_prune(path, 20, 2, 0.3) == yupana.ld_prune(linked, 20, 2, 0.3) == names
    for source in (path, linked):
        done = yupana.filter(source, tmp_path / "y.bed", indep_pairwise="20 2 0.3")
        assert done["sites_kept"] == len(names) and len(done["files"]) == 5
        for ending in ("bed", "bim", "fam", "prune.out"):
            assert (tmp_path / f"y.{ending}").read_bytes() == (tmp_path / f"p.{ending}").read_bytes()
    program("filter", path, "--king-cutoff", 0.3, "largest", "-o", tmp_path / "k.npy")
    ids = (tmp_path / "k.ids").read_text().split()
    assert yupana.unrelated(linked, 0.3, largest=True) == ids and len(ids) == 39
    assert yupana.unrelated(path, 0.3) == ids


def test_options_of_the_filters(linked, tmp_path):
    out = tmp_path / "x.npy"
    done = yupana.filter(linked, out, min_hwe=0.01, hwe_mid_p=True, min_maf=0.1)
    assert np.load(out).shape == (40, done["sites_kept"]) and 0 < done["sites_kept"] < 300
    with pytest.raises(ValueError, match="x.txt.*pgen"):
        yupana.filter(linked, tmp_path / "x.txt")
    with pytest.raises(ValueError, match="step: expected a whole number"):
        yupana.ld_prune(linked, "20kb", 5)
    with pytest.raises(ValueError, match="open genotypes"):
        yupana.unrelated(yupana.read_genotypes(linked))
    with pytest.raises(ValueError, match="from_bp has no effect on an array"):
        yupana.read_genotypes(linked, from_bp=5).to_numpy()


def test_a_missing_folder_was_bad_input_where_the_program_makes_it(linked, tmp_path):
    done = yupana.filter(linked, tmp_path / "new" / "deep" / "x.bed")
    assert sorted(p.name for p in (tmp_path / "new" / "deep").iterdir()) == ["x.bed", "x.bim", "x.fam"]
    assert len(done["files"]) == 3
    with pytest.raises(ValueError, match="expected a name that ends in"):
        yupana.filter(linked, tmp_path / "empty" / "deep" / "x.txt")
    assert not (tmp_path / "empty").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError):
        yupana.filter(linked, tmp_path / "file" / "x.bed")
    with pytest.raises(OSError):
        yupana.filter(linked, "/proc/none/x.bed")


def test_arguments_without_effect_were_taken_in_silence(linked):
    for name, value, needed in [
        ("seed", 3, {"thin": 0.9}),
        ("hwe_mid_p", True, {"min_hwe": 1e-9}),
        ("king_largest", True, {"king_cutoff": 0.3}),
    ]:
        with pytest.raises(ValueError, match=f"{name} has no effect without {next(iter(needed))}; leave it out"):
            yupana.read_genotypes(linked, **{name: value})
        yupana.read_genotypes(linked, **{name: value}, **needed)
    with pytest.raises(ValueError, match="nonfounders has no effect without min_maf or max_maf or min_mac"):
        yupana.read_genotypes(linked, nonfounders=True)
