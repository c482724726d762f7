"""Messages speak of a Python caller's parameters, and no parameter is ignored without a word."""

import importlib
import inspect
import os
import pathlib
import pkgutil
import re
import subprocess
import sys
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
        (lambda: yupana.SOM(sigmaf=-1).fit(np.eye(3)), "sigmaf: expected a number above 0, got -1"),
        (lambda: yupana.SOM(sigmaf=7).fit(np.eye(3)), "sigmaf: expected at most sigma0, which is 4, got 7"),
        (lambda: yupana.SOM(smooth=21).fit(np.eye(3)), "smooth: expected 0 to all 20 iterations, got 21"),
        (lambda: yupana.SOM(training="online", learning_rate=2).fit(np.eye(3)), "learning_rate: expected"),
        (lambda: yupana.path(np.eye(3), np.eye(3), 0, 1.5), "end: expected a whole number"),
        (lambda: yupana.analysis.number_measures([1, 2.0], [np.inf, 2]), "predicted: expected finite"),
        (lambda: yupana.analysis.number_measures([np.nan, 2.0], [1, 2]), "y_true: expected finite"),
        (lambda: yupana.graph.keep_neighbors(np.zeros((3, 3)), 1.5), "k: expected a whole number"),
        (lambda: yupana.read_genotypes(CALLS, max_site_missing=2), "max_site_missing: expected"),
        (lambda: yupana.read_genotypes(CALLS, thin=-1), "thin: expected"),
        (lambda: yupana.read_genotypes(CALLS, from_bp=3), "from_bp has no effect on an array"),
        (lambda: yupana.read_genotypes(CALLS, chromosomes="4-"), "chromosomes"),
        (lambda: yupana.filter(CALLS, "kept.txt"), 'out="kept.txt": expected'),
        (lambda: yupana.distances(CALLS - (CALLS == 2) * np.int8(3), "normalized"), 'missing="mode"'),
        (lambda: yupana.triangular_solve(sp.csr_array([[1.0, 2], [0, 1]]), [1.0, 1]), "pass ignore_other to"),
        (lambda: yupana.fermat(np.array([[0, 2**31], [2**31, 0]]), precision="int"), "precision="),
        (lambda: yupana.geometry.pairs_within(np.zeros((60, 2)), 1, memory=65536), "give memory="),
    ],
)
def test_errors_named_options_of_the_command_line(call, words):
    with pytest.raises((ValueError, MemoryError)) as raised, warnings.catch_warnings():
        warnings.simplefilter("ignore", yupana.Note)
        call()
    assert words in str(raised.value)
    assert " --" not in f" {raised.value}"


def test_numbers_of_numpy_were_refused(tmp_path):
    simulated = "simulate:20x300,seed=1"
    for r2 in (np.float64(0.25), np.float32(0.25)):
        assert yupana.ld_prune(CALLS, np.int64(50), np.int64(5), r2) == yupana.ld_prune(CALLS, 50, 5, 0.25)
    files = yupana.report.fermat(simulated, tmp_path / "numpy", alpha=np.int64(3))
    yupana.report.fermat(simulated, tmp_path / "plain", alpha=3)
    (lengths,) = (file for file in files if file.endswith(".fermat.npy"))
    assert np.array_equal(np.load(lengths), np.load(tmp_path / "plain.fermat.npy"))


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: yupana.ld_prune(CALLS, r2=np.nan), "r2: expected a number from 0 to below 1, got nan"),
        (lambda: yupana.unrelated(CALLS, np.nan), "cutoff: expected a number from 0 to below 0.5, got nan"),
    ],
)
def test_pruning_named_options_of_other_functions(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_notes_named_options_of_the_command_line(tmp_path):
    file = tmp_path / "sites.vcf"
    columns = "#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT a b"
    site = "1 {} . A {} . . . GT 0/1 1/1"
    lines = [columns, site.format(5, "C"), site.format(9, "C,G")]
    file.write_text("##fileformat=VCFv4.2\n" + "".join(f"{line}\n".replace(" ", "\t") for line in lines))
    with pytest.warns(yupana.Note, match='multiallelic="split" takes them, and so does multiallelic="collapse"'):
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
        with pytest.raises(ValueError, match="memory: expected a whole number"):
            call("1G")


def test_the_method_was_ignored_for_sparse_graphs():
    graph = sp.csr_array([[0.0, 1.0], [2.0, 0.0]])
    assert yupana.shortest_paths(graph, "auto").tolist() == [[0, 1], [2, 0]]
    with pytest.raises(ValueError, match="method: expected 'auto' for a sparse matrix, got 'symmetric'"):
        yupana.shortest_paths(graph, "symmetric")


def test_options_were_ignored_without_landmarks_and_by_the_reference():
    d = np.array([[0.0, 1, 2], [1, 0, 1], [2, 1, 0]])
    with pytest.raises(ValueError, match="estimate has no effect without landmarks"):
        yupana.fermat(d, estimate="lower")
    with pytest.raises(ValueError, match="seed has no effect without landmarks"):
        yupana.fermat(d, seed=3)
    with pytest.raises(ValueError, match="method: expected 'auto' for the device 'reference'"):
        yupana.closest_pair(d, "grid", device="reference")
    for method, option in (("FW", {"k": 2}), ("FW", {"landmarks": 1}), ("FW", {"seed": 1}),
                           ("FW", {"estimator": "mean"}), ("D", {"k": 2, "landmarks": 1})):  # fmt: skip
        with pytest.raises(ValueError, match=f"{[*option][-1]} has no effect with path_method {method}"):
            yupana.Fermat(path_method=method, **option).fit(d)
    assert yupana.Fermat(path_method="L", k=2, landmarks=2, seed=1).fit(d).get_distance(0, 2) == 2


@pytest.mark.parametrize(
    "call",
    [
        lambda k, d: yupana.graph.keep_neighbors(d, k),
        lambda k, d: yupana.fermat(d, neighbors=k, alpha=1).lengths,
        lambda k, d: yupana.fermat(d, landmarks=k, alpha=1).lengths,
        lambda k, d: yupana.analysis.mds(d, k).points,
        lambda k, d: yupana.geometry.neighbors(d, k)[1],
        lambda k, d: yupana.geometry.pairs_within(d, k).distance,
        lambda k, d: yupana.arrays.exclusive_scan(d[1], k),
    ],
)
def test_numpys_integers_beside_floats_truncated_the_floats(call):
    d = np.array([[0, 1.5, 9.25], [1.5, 0, 2.7], [9.25, 2.7, 0]])
    want = call(2, d)
    for k in (np.int64(2), np.int32(2), np.uint8(2)):
        got = call(k, d)
        assert got.dtype == want.dtype and np.array_equal(got, want)
    assert np.array_equal(yupana.geometry.pairs_within(d, 9).distance, yupana.geometry.pairs_within(d, 9.0).distance)


def test_a_negative_number_of_neighbours_wrote_beyond_the_memory():
    weights = np.array([[0, 1, 9], [1, 0, 2], [9, 2, 0]])
    with pytest.raises(ValueError, match="k: expected a whole number from 0, got -1"):
        yupana.graph.keep_neighbors(weights, -1)
    with pytest.raises(ValueError, match="weights: expected numbers, got NaN"):
        yupana.graph.keep_neighbors(weights * np.nan, 1)


def test_weights_beyond_the_integers_of_a_double_were_rounded():
    with pytest.raises(ValueError, match="weights: expected integers that a double equals"):
        yupana.shortest_paths(np.array([[0, 2**60 + 1], [3, 0]]))
    assert yupana.shortest_paths(np.array([[0, 2**60], [3, 0]]))[0, 1] == 2**60


def test_sizes_to_give_are_bytes():
    with pytest.raises(MemoryError, match=r"raise memory=[\d_]+, or take fewer samples \(keep\)"):
        yupana.grm(CALLS, memory=1)


def test_none_of_an_option_was_a_key_error():
    cohort = yupana.read_genotypes(CALLS, snps_only=None, var_filter=None, indep_pairwise=None)
    assert len(cohort.samples) == 3


def test_the_bindings_words_reached_the_caller():
    with pytest.raises(TypeError) as raised:
        yupana.analysis.cut_tree([[0, 2, 1.0, 2], [1, 3, 2.0, 3]], "two")
    assert "\n" not in str(raised.value)


def test_negative_edges_are_edges_and_negative_cycles_an_error():
    assert yupana.shortest_paths(np.array([[0, -1], [1, 0]])).tolist() == [[0, -1], [1, 0]]
    with pytest.raises(ValueError, match="negative"):
        yupana.shortest_paths(np.array([[0, -2], [1, 0]]))


def test_memory_to_give_was_no_number_of_python():
    with pytest.raises(MemoryError, match=r"raise memory=([\d_]+)") as caught:
        yupana.grm(CALLS, memory=1)
    assert "--memory" not in str(caught.value)
    needed = int(str(caught.value).split("raise memory=")[1].split(",")[0])
    assert yupana.grm(CALLS, memory=needed).shape == (3, 3)


def test_a_device_that_is_missing_named_an_option():
    if "cuda" in str(yupana.info()).lower() and yupana.info().get("gpus"):
        pytest.skip("a GPU is here")
    with pytest.raises(RuntimeError, match='device="cpu"'):
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


def test_a_genotype_that_is_none_had_no_place():
    calls = np.zeros((300, 4), "i8")
    calls[:, 0] = -1
    calls[299, 2] = 3
    with pytest.raises(ValueError, match=r"got 3 in row 299, column 2 \(from 0\)"):
        yupana.read_genotypes(calls)


def test_arguments_were_ignored_in_silence():
    cohort, d = yupana.read_genotypes(CALLS), [[0.0, 1.0], [1.0, 0.0]]
    with pytest.raises(ValueError, match="estimate has no effect without landmarks"):
        yupana.fermat(d, estimate="mean")
    assert yupana.fermat(d, estimate="mean", landmarks=1).lengths.shape == (2, 2)
    with pytest.raises(ValueError, match="squared has no effect on genotypes"):
        yupana.fermat(cohort, squared=True)
    with pytest.raises(TypeError, match="expected distances or genotypes, got the path 'D.npy'"):
        yupana.fermat("D.npy")
    with pytest.raises(ValueError, match="min_mac: expected a whole number of 0 or more, got -1"):
        yupana.read_genotypes(CALLS, min_mac=-1).distances()
    with pytest.raises(TypeError, match="progress: expected True, False, None or a callable, got 5"):
        yupana.distances(CALLS, progress=5)


def test_overflow_was_ignored_where_nothing_overflows():
    for function in (yupana.arrays.reduce, yupana.arrays.inclusive_scan, yupana.arrays.exclusive_scan):
        with pytest.raises(ValueError, match="^overflow has no effect on floats"):
            function(np.array([1.0, 2.0]), overflow="error")
    for function in (yupana.arrays.reduce, yupana.arrays.inclusive_scan):
        with pytest.raises(ValueError, match="^overflow has no effect on op='max'"):
            function(np.array([1, 2]), "max", overflow="wrap")


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: yupana.geometry.neighbors(np.eye(3), 1.5), "k: expected int, got float"),
        (lambda: yupana.analysis.mds(np.ones((3, 3)) - np.eye(3), 1.5), "dimensions: expected int, got float"),
        (lambda: yupana.triangular_solve(TRIANGLE, [1.0, 1], unit_diagonal=5), "unit_diagonal: expected bool, got int"),
        (lambda: yupana.splice.candidate_exons(b"ACGT"), "bases: expected str, got bytes"),
        (lambda: yupana.pca(CALLS, 1.5), "components: expected int, got float"),
        (lambda: yupana.grm(CALLS, dosage=3), "dosage: expected bool, got int"),
    ],
)
def test_parameters_of_another_type_were_named_by_a_number(call, words):
    with pytest.raises(TypeError) as raised:
        call()
    assert str(raised.value) == words


def test_the_learning_rate_was_ignored_by_the_batch_rule():
    X = np.random.default_rng(0).random((20, 2))
    with pytest.raises(ValueError, match='^learning_rate has no effect with training="batch"; leave it out'):
        yupana.SOM(2, 2, learning_rate=0.5).fit(X)
    slow, fast = (
        yupana.SOM(2, 2, training="online", learning_rate=rate, random_state=0).fit(X) for rate in (0.1, 0.9)
    )
    usual = yupana.SOM(2, 2, training="online", random_state=0).fit(X)
    given = yupana.SOM(2, 2, training="online", learning_rate=0.5, random_state=0).fit(X)
    assert np.array_equal(usual.weights_, given.weights_)
    assert not np.array_equal(slow.weights_, fast.weights_)


@pytest.mark.parametrize("name", ["sigma0", "tau"])
def test_radii_were_ignored_where_no_iteration_has_them(name):
    X = np.random.default_rng(0).random((20, 2))
    with pytest.raises(ValueError, match=f"^{name} has no effect with iterations=0"):
        yupana.SOM(2, 2, iterations=0, **{name: 2.0}).fit(X)
    with pytest.raises(ValueError, match=f"^{name} has no effect with smooth=4, which is every iteration"):
        yupana.SOM(2, 2, iterations=4, smooth=4, **{name: 2.0}).fit(X)


@pytest.mark.parametrize("is_there", [True, False])
def test_verbose_of_a_short_fit_said_nothing(is_there, capfd, monkeypatch):
    if is_there:
        pytest.importorskip("tqdm")
    else:
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    X, y = np.arange(20.0).reshape(10, 2), np.arange(10) % 2
    yupana.RandomForestClassifier(n_estimators=3, verbose=1).fit(X, y)
    said = capfd.readouterr().err
    assert "grow trees: " in said and ("%|" in said) == is_there
    yupana.RandomForestClassifier(n_estimators=3).fit(X, y)
    assert capfd.readouterr().err == ""


SOURCES = pathlib.Path(__file__).resolve().parents[2]
ROWS = dict(
    re.findall(r'Parameter\{"(--?[\w-]+)", "([^"]+)"', (SOURCES / "python/bindings/call.cpp").read_text())
)


#: Options that the package has not, though another function has a parameter of that name.
OF_THE_PROGRAM = {"--bootstrap", "--distance", "--index", "--tree", "--weight"}


def parameters_of_the_package():
    """The names of all parameters of all public functions and classes."""
    names = set()
    for module in pkgutil.iter_modules(yupana.__path__, "yupana."):
        if module.name.rpartition(".")[2].startswith("_") or module.name == "yupana.spark":
            continue
        for _, value in inspect.getmembers(importlib.import_module(module.name), callable):
            methods = [m for _, m in inspect.getmembers(value, callable)] if inspect.isclass(value) else []
            for function in (value, *methods):
                try:
                    names.update(inspect.signature(function).parameters)
                except (TypeError, ValueError):  # of C++
                    names.update(re.findall(r"(\w+): ", function.__doc__ or ""))
    return names


def test_words_of_the_program_were_changed_into_parameters_that_nobody_has():
    program = os.environ.get("YUPANA_PROGRAM", pathlib.Path(yupana.__file__).parent / "bin" / "yupana")
    completion = subprocess.run([program, "completion", "bash"], capture_output=True, text=True, check=True).stdout
    assert set(ROWS) <= set(re.findall(r"(?<![\w-])--?[\w-]+", completion)) and len(ROWS) > 50
    names = {name.partition("=")[0] for name in ROWS.values() if " " not in name}
    assert names <= parameters_of_the_package()


def test_parameters_were_named_as_options():
    # In the sources whose errors and notes a call of the package can end with.
    of_jobs = re.compile("(count|distances|filter|input|load|pca)")
    there, missing = parameters_of_the_package(), []
    for file in SOURCES.glob("yupana/**/*"):
        folder = file.relative_to(SOURCES).parts[1]
        if not file.suffix.startswith((".c", ".h")) or folder == "report":
            continue
        if folder == "job" and not of_jobs.match(file.name):
            continue
        code = re.sub(r"(?m)^\s*//.*", "", file.read_text())
        # A literal of several lines is one text, which may be another program's command line.
        for literal in re.findall(r'"(?:[^"\\\n]|\\.)*"(?:\s+"(?:[^"\\\n]|\\.)*")*', code):
            text = re.sub(r'"\s+"', "", literal)
            for option in [] if "plink" in text else re.findall(r"""(?<=[ ("'{}])--[a-z][\w-]*""", text):
                name = option[2:].replace("-", "_")
                if option not in {*ROWS, *OF_THE_PROGRAM} and name in there:
                    missing.append(f"{option} in {file.name}: {text}")
    assert not missing, "\n".join(missing)
