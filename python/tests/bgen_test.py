"""BGEN files are read wherever a path is."""

import struct

import numpy as np
import pytest
import yupana


def write_bgen(path, dosages):
    """Samples x sites of probabilities of the first and the second genotype, of 8 bits."""
    samples, sites = dosages.shape[:2]
    names = b"".join(struct.pack("<H", 2) + f"s{i}".encode() for i in range(samples))
    variants = b""
    for k in range(sites):
        data = struct.pack("<IHBB", samples, 2, 2, 2) + b"\2" * samples + b"\0\x08"
        data += dosages[:, k].astype(np.uint8).tobytes()
        variants += struct.pack("<H", 0) + b"\2\0rs\1\0" + b"1" + struct.pack("<IH", k + 1, 2)
        variants += b"\1\0\0\0G\1\0\0\0A" + struct.pack("<I", len(data)) + data
    head = struct.pack("<III", 20, sites, samples) + b"bgen" + struct.pack("<I", 2 << 2 | 1 << 31)
    block = struct.pack("<II", 8 + len(names), samples) + names
    path.write_bytes(struct.pack("<I", len(head) + len(block)) + head + block + variants)


def test_hard_calls_of_a_bgen(tmp_path):
    sure = np.array([[255, 0], [0, 255], [0, 0]])
    rng = np.random.default_rng(1)
    x = rng.integers(0, 3, (10, 40))
    dosages = sure[x]
    dosages[3, 5] = (128, 127)  # x = 0.498
    path = tmp_path / "c.bgen"
    write_bgen(path, dosages)
    expected = x.astype(np.int8)
    expected[3, 5] = -1
    cohort = yupana.read_genotypes(path)
    assert cohort.samples == [f"s{i}" for i in range(10)]
    assert (cohort.to_numpy() == expected).all()
    assert (yupana.distances(path, "manhattan") == yupana.distances(expected, "manhattan")).all()
    called = yupana.read_genotypes(path, hard_call_threshold=0.499).to_numpy()
    assert called[3, 5] == 0
    flipped = yupana.read_genotypes(path, ref_last=True).to_numpy()
    assert (flipped[expected >= 0] == 2 - expected[expected >= 0]).all()
    (tmp_path / "other").write_text("ID missing\n0 0\n" + "".join(f"p{i} 0\n" for i in range(10)))
    named = yupana.read_genotypes(path, sample_file=str(tmp_path / "other"))
    assert named.samples == [f"p{i}" for i in range(10)]


def test_options_without_an_effect_are_refused(tmp_path):
    with pytest.raises(ValueError, match="hard_call_threshold"):
        yupana.read_genotypes("simulate:5x10", hard_call_threshold=0.2)


def test_a_store_is_a_path(tmp_path):
    with pytest.raises(ValueError, match="shape"):
        folder = tmp_path / "c.zarr" / "call_genotype"
        folder.mkdir(parents=True)
        (folder / ".zarray").write_text("{}")
        yupana.read_genotypes(tmp_path / "c.zarr")


def test_relationships_of_dosages(tmp_path, program):
    rng = np.random.default_rng(2)
    first = rng.integers(0, 256, (10, 60))
    shares = np.stack([first, rng.integers(0, 256 - first)], -1)
    path = tmp_path / "c.bgen"
    write_bgen(path, shares)
    x = 2 - (2 * shares[..., 0] + shares[..., 1]) / 255
    p = x.mean(0) / 2
    z = (x - 2 * p) / np.sqrt(2 * p * (1 - p))
    got = yupana.grm(path, dosage=True)
    np.testing.assert_allclose(got, z @ z.T / 60, atol=2e-4)  # dosages are multiples of 1/16384
    assert not np.allclose(got, yupana.grm(path), atol=0.01)
    program("grm", path, "--dosage", "-o", tmp_path / "run")
    assert np.array_equal(np.load(tmp_path / "run.grm.npy"), got)
    found = yupana.pca(yupana.read_genotypes(path), 3, dosage=True)
    np.testing.assert_allclose(found.eigenvalues, np.linalg.eigvalsh(got)[::-1][:3], rtol=1e-6)
    program("pca", path, "--dosage", "--components", 3, "--loadings", "-o", tmp_path / "run")
    projected = yupana.pca_project(path, tmp_path / "run.loadings.tsv", dosage=True)
    np.testing.assert_allclose(projected, found.vectors, atol=1e-6)
    with pytest.raises(ValueError, match="dosage has no effect on an array"):
        yupana.grm(np.zeros((3, 4), np.int8), dosage=True)
