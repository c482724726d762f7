"""What every call promises: Ctrl-C, progress, threads beside each other, the installed program."""

import os
import pathlib
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time
import types

import numpy as np
import pytest

import yupana


#: Calls of many seconds, one for each way that work is done, and what they need.
LONG = {
    "distances": ("", "yupana.distances('simulate:3000x30M')"),
    "fermat": ("d = sized(3000)", "yupana.fermat(d, 'auto', precision='float64')"),
    "landmarks": ("d = sized(3000)", "yupana.fermat(d, 2, landmarks=2000)"),
    "sparse paths": (
        "import scipy.sparse as sp; s = sp.random(6000, 6000, 0.02, format='csr')",
        "yupana.shortest_paths(s)",
    ),
    "map": ("X = rng.random((200_000, 16))", "yupana.SOM(40, 40, iterations=500).fit(X)"),
    "online map": (
        "X = rng.random((200_000, 16))",
        "yupana.SOM(40, 40, iterations=50, training='online').fit(X)",
    ),
    "forest": (
        "X = rng.random((200_000, 16)); y = rng.integers(0, 2, 200_000)",
        "yupana.RandomForestClassifier(1000).fit(X, y)",
    ),
    "splice": (
        "bases = letters('ACGT', 300_000); exons = [(i, i + 400) for i in range(1, 299_000, 60)]",
        "yupana.splice.align_batch([(bases, exons, bases[:6000])] * 50)",
    ),
    "candidates": ("bases = letters('ACGT', 40_000_000)", "yupana.splice.candidate_exons(bases)"),
    "matmul": ("x = rng.random((7000, 7000))", "yupana.spectral.matmul(x, x)"),
    "closest pair": ("x = rng.random((1_000_000, 8))", "yupana.closest_pair(x)"),
    "sort": ("x = rng.random(1 << 26)", "yupana.arrays.sort(x, out=x, threads=1)"),
}

PREPARE = """
import time
import numpy as np
import yupana
rng = np.random.default_rng(0)
def sized(n):
    x = rng.random((n, 3))
    return np.sqrt(((x[:, None] - x[None]) ** 2).sum(axis=2))
def letters(alphabet, n):
    return rng.choice(np.frombuffer(alphabet.encode(), np.uint8), n).tobytes().decode()
"""


@pytest.mark.parametrize("name", LONG)
def test_ctrl_c_works_within_a_second(name):
    before, call = LONG[name]
    code = (
        f"{PREPARE}{before}\n"
        "yupana.SOM  # imports scikit-learn\n"
        "try:\n"
        "    print('go', flush=True)\n"
        f"    {call}\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', flush=True)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        text=True,
        # What a shell started in the background ignores SIGINT, and hands that on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert process.stdout.readline() == "go\n"
    time.sleep(0.3)
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "interrupted\n", "it had ended before"
    assert time.monotonic() - begin < 5, "a second, and some for a busy machine"
    assert process.wait(60) == 0


def test_progress_is_told_and_its_exceptions_are_raised():
    told = []
    cohort = "simulate:1500x300k"
    yupana.distances(cohort, progress=lambda *report: told.append(report))
    assert told and told[-1][0] == "pair counts" and told[-1][3] == "pair-SNP"
    assert all(done <= total for _, done, total, _, _ in told if total)

    def stop(*report):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        yupana.distances(cohort, progress=stop)


def test_progress_bar_closes(capfd):
    pytest.importorskip("tqdm")
    yupana.distances("simulate:1500x300k", progress=True)
    assert "pair counts" in capfd.readouterr().err


def test_the_interpreter_goes_on_during_a_call():
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.005)

    other = threading.Thread(target=tick)
    other.start()
    begin = time.monotonic()
    yupana.distances("simulate:1500x300k")
    end = time.monotonic()
    done.set()
    other.join()
    during = [t for t in ticks if begin < t < end]
    assert len(during) > 5, "no other thread ran: the lock was held"


def test_calls_run_beside_each_other():
    x = np.random.default_rng(0).integers(0, 1000, 200_000)
    results = [None] * 4

    def work(k):
        for _ in range(5):
            results[k] = yupana.arrays.sort(x, threads=k % 2 + 1)

    workers = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(np.array_equal(result, np.sort(x)) for result in results)


def test_a_missing_gpu_is_an_error_not_a_fallback():
    if yupana.info()["devices"]:
        pytest.skip("there is a GPU here")
    with pytest.raises(RuntimeError):
        yupana.arrays.reduce(np.zeros(3), device="cuda")


def test_arrays_on_a_gpu_are_refused_where_there_is_no_way_for_them():
    class OnGpu:
        def __dlpack_device__(self):
            return (2, 0)

    with pytest.raises(TypeError, match="host memory|CuPy, torch or JAX"):
        yupana.distances(OnGpu())
    for refused in (yupana.analysis.linkage, yupana.analysis.mds, yupana.read_genotypes):
        with pytest.raises(TypeError, match="host memory"):
            refused(OnGpu())


def test_pickled_exons_and_typed_package():
    exon = yupana.splice.Exon(1, 9, entry=-3)
    assert pickle.loads(pickle.dumps(exon)) == exon
    folder = pathlib.Path(yupana.__file__).parent
    if not (folder / "bin").exists():
        pytest.skip("not the installed package")
    assert (folder / "py.typed").exists()
    assert "class Options" in (folder / "_core" / "__init__.pyi").read_text()


def test_the_program_comes_with_the_package():
    command = pathlib.Path(sys.executable).with_name("yupana")
    if not command.exists():
        pytest.skip("not the installed package")
    answer = subprocess.run([command, "--version"], stdout=subprocess.PIPE, text=True, check=True)
    assert answer.stdout.strip() == f"yupana {yupana.__version__}"


def test_the_program_of_the_package_runs_under_mpirun(tmp_path):
    folder = pathlib.Path(yupana.__file__).parent / "bin"
    if shutil.which("mpirun") is None or not folder.exists():
        pytest.skip("no mpirun, or not the installed package")
    command = [folder / "yupana", "dist", "simulate:50x2000", "--quiet", "-o"]
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    subprocess.run([*command, tmp_path / "one"], check=True)
    subprocess.run(
        ["mpirun", "--oversubscribe", "-n", "2", *command, tmp_path / "two"],
        check=True,
        env={**os.environ, **root},
    )
    assert (tmp_path / "two.dist.npy").read_bytes() == (tmp_path / "one.dist.npy").read_bytes()


def test_import_does_not_wait_for_scikit_learn():
    code = "import sys, yupana; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], env=os.environ).returncode == 0


def test_thousands_of_threads_ended_the_interpreter():
    for threads in (99_999, 2**31, -1):
        with pytest.raises(ValueError, match="threads: expected a whole number from 0 to 4096"):
            yupana.arrays.sort(np.arange(5), threads=threads)
    with pytest.raises(ValueError, match="memory: expected a whole number from 0, got -5"):
        yupana.arrays.sort(np.arange(5), memory=-5)
    X = np.random.default_rng(0).random((20, 2))
    with pytest.raises(ValueError, match="4096"):
        yupana.RandomForestClassifier(n_estimators=2, n_jobs=99_999).fit(X, X[:, 0] > 0.5)


def described(module):
    """What the bindings say of each function of _core and of each method of its classes."""
    for name in dir(module):
        thing = getattr(module, name)
        if isinstance(thing, types.ModuleType):
            yield from described(thing)
        elif isinstance(thing, type):
            yield from ((f"{name}.{method}", getattr(thing, method).__doc__) for method in dir(thing))
        else:
            yield name, thing.__doc__


def test_every_argument_of_the_bindings_is_of_a_type_that_python_can_give():
    """A type without its converter compiles, and refuses every call: transforms on a GPU did."""
    functions = dict(described(yupana._core))
    assert len(functions) > 100
    assert [name for name, doc in functions.items() if "::" in (doc or "")] == []


def test_short_vectors_are_worked_on_without_a_thread_and_still_tell_what_wraps_around():
    x = np.full(4, 2**62)
    with pytest.warns(yupana.Note, match="with number 4 .* beyond what int64 holds"):
        assert yupana.arrays.reduce(x) == 0
    with pytest.raises(ValueError, match="beyond what int64 holds"):
        yupana.arrays.inclusive_scan(x, overflow="error")
