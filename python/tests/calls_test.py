"""What every call promises: Ctrl-C, progress, threads beside each other, the installed program."""

import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import yupana


def test_ctrl_c_works_within_a_second():
    code = (
        "import yupana, time\n"
        "print('go', flush=True)\n"
        "try:\n"
        "    yupana.distances('simulate:3000x30M')\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', flush=True)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "go\n"
    time.sleep(1.5)
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "interrupted\n"
    assert time.monotonic() - begin < 2.5, "a second, and some for a busy machine"
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

    with pytest.raises(TypeError, match="host memory"):
        yupana.distances(OnGpu())


def test_pickled_exons_and_typed_package():
    exon = yupana.splice.Exon(1, 9, entry=-3)
    assert pickle.loads(pickle.dumps(exon)) == exon
    folder = pathlib.Path(yupana.__file__).parent
    if not (folder / "bin").exists():
        pytest.skip("not the installed package")
    assert (folder / "py.typed").exists()
    assert "class Options" in (folder / "_core.pyi").read_text()


def test_the_program_comes_with_the_package():
    command = pathlib.Path(sys.executable).with_name("yupana")
    if not command.exists():
        pytest.skip("not the installed package")
    answer = subprocess.run([command, "--version"], stdout=subprocess.PIPE, text=True, check=True)
    assert answer.stdout.strip() == f"yupana {yupana.__version__}"


def test_import_does_not_wait_for_scikit_learn():
    code = "import sys, yupana; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], env=os.environ).returncode == 0
