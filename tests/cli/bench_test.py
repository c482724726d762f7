"""Every line of `yupana bench NAME --json`: its fields, what counts as verified, shares of a limit
with their reasons, peers left out, real inputs, and options that a bench would ignore."""
import importlib.util
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

from program import PROGRAM, ROOT, run  # noqa: E402

FIELDS = ["bench", "case", "impl", "version", "value", "unit", "share_of_limit", "verified",
          "repeats", "seconds_median", "seconds_min", "seconds_max", "note", "device", "compiler",
          "commit"]
MATRIX = "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 2\n2 1 1\n3 2 1\n3 3 4\n"


def lines(*arguments, **options):
    done = run("bench", *arguments, "--quick", "--json", "--device", "cpu", **options)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert rows, arguments
    for row in rows:
        check(row)
    return rows


def check(row):
    assert list(row) == FIELDS, row
    for name in ("bench", "case", "impl", "unit", "device", "compiler", "commit"):
        assert isinstance(row[name], str) and row[name], (name, row)
    assert isinstance(row["verified"], bool), row
    if row["value"] is None:
        assert row["note"] and not row["verified"] and row["repeats"] is None, row
        return
    assert row["repeats"] >= 1, row
    assert 0 < row["seconds_min"] <= row["seconds_median"] <= row["seconds_max"], row
    if row["share_of_limit"] is not None and row["share_of_limit"] > 1.05:
        assert row["note"], row
    if not row["impl"].startswith(("yupana", "copy", "textbook", "published")):
        assert row["version"], row  # a peer names its version


def every_line_has_every_field():
    for name in ("scan", "merge", "packing", "pruning", "relationships", "array", "paths", "som", "matmul"):
        lines(name)


def a_bench_without_peers_has_only_our_lines():
    for name in ("sort", "closest", "polymul", "vcf", "tables", "trees"):
        for row in lines(name, "--no-peers"):
            assert row["impl"].startswith("yupana"), row


def limits_are_not_called_verified():
    rows = [row for row in lines("paths", "--no-peers") if "registers alone" in row["case"]]
    assert len(rows) == 3 and not any(row["verified"] for row in rows), rows
    assert all("limit" in row["note"] for row in rows), rows


def parallel_peers_name_their_threads():
    rows = lines("sort", "--threads", "2")
    for peer in ("tbb::parallel_sort", "std::sort, par_unseq", "boost::sort::block_indirect_sort"):
        impls = {row["impl"] for row in rows if row["impl"].startswith(peer)}
        assert impls and all(impl.endswith("2 threads") for impl in impls), (peer, impls)
    vqsort = [row for row in rows if row["impl"] == "Highway vqsort, 1 thread"]
    assert {row["case"].split()[1] for row in vqsort} == {"uint32", "float32", "uint64", "float64"}, vqsort
    ours = {row["case"] for row in rows if row["impl"] == "yupana sort"}
    assert all(row["case"] in ours for row in vqsort), (vqsort, ours)


def a_peer_that_is_missing_has_a_line_with_the_reason():
    pathlib.Path("none").mkdir()
    rows = [r for r in lines("fft", "--peers", "none") if r["impl"].startswith("mkl_fft")]
    assert rows and all(r["value"] is None for r in rows), rows
    note = "not installed in none/mkl/bin/python: run bench/peers/install_mkl_fft.sh"
    assert all(r["note"] == note for r in rows), rows


def a_build_of_fftw_that_is_not_this_machines_was_not_said():
    pathlib.Path("none").mkdir(exist_ok=True)
    for bench in ("fft", "polymul"):
        for row in lines(bench, "--peers", "none"):
            if row["impl"].startswith("FFTW 3 Debian"):
                assert "bench/peers/build_fftw.sh" in row["note"], row


def a_quick_copy_within_the_cache_limits_nothing():
    rows = [r for r in lines("scan", "--no-peers") if r["impl"].startswith("yupana")]
    assert rows and all(r["share_of_limit"] is None and not r["note"] for r in rows), rows


def the_reference_is_called_so():
    for name in ("scan", "merge", "trisolve", "matmul"):
        done = run("bench", name, "--quick", "--json", "--no-peers", "--device", "reference")
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        ours = [row["impl"] for row in rows if row["impl"].startswith("yupana")]
        assert ours and all(impl.startswith("yupana reference") for impl in ours), ours


def triangular_systems_come_from_files():
    pathlib.Path("data").mkdir()
    pathlib.Path("data/three.mtx").write_text(MATRIX)
    rows = [r for r in lines("trisolve", "--no-peers", "--data", "data") if "three.mtx" in r["case"]]
    assert rows and all(row["verified"] for row in rows), rows
    absent = [r for r in lines("trisolve", "--no-peers") if r["value"] is None]
    assert len(absent) == 1 and "--data" in absent[0]["note"], absent


def a_prediction_is_measured_beside_the_call():
    rows = [r for r in lines("splice", "--no-peers") if "predicted" in r["impl"]]
    assert rows and all(row["value"] > 0 and not row["verified"] for row in rows), rows


def options_without_effect_are_errors():
    pathlib.Path("data").mkdir()
    for arguments, option in (
        (("scan", "--data", "data"), "--data"),
        (("scan", "--peers", "data"), "--peers"),
        (("tables", "--device", "reference"), "--device"),
        (("scan", "-o", "out"), "-o"),
        (("fft", "--peers", "data", "--no-peers"), "--peers"),
    ):
        told = run("bench", *arguments, "--quick", status=2)
        assert option in told.stderr and not told.stdout, told.stderr


def calls_that_end_in_true(source):
    """emit(…, true), report(…, true) or emit({…, true}) of a source, strings left out."""
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', source)
    for start in re.finditer(r"\b(?:emit|report|lines)\(", text):
        depth, end = 1, start.end()
        while depth > 0 and end < len(text):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        call = text[start.start():end]
        if re.search(r",\s*true\s*\}?\s*\)$", call):
            yield call


def no_bench_says_verified_without_a_comparison():
    """A literal true where a line's `verified` is."""
    assert list(calls_that_end_in_true('emit({"x", fmt::format("{}) ", n), share, true});'))
    assert not list(calls_that_end_in_true("emit(what, timing, a == b);"))
    for path in sorted((ROOT / "bench").rglob("*")):
        if path.suffix in (".cpp", ".cu", ".hpp"):
            assert not list(calls_that_end_in_true(path.read_text())), path


def a_file_next_to_openblas_was_named_as_the_blas_of_numpy():
    for name in ("matmul", "som"):
        rows = [r for r in lines(name) if r["impl"].startswith("NumPy") and r["value"] is not None]
        for row in rows:
            assert re.fullmatch(r"NumPy [0-9.]+, (\S*(openblas|mkl_rt|blis)\S*|"
                                r"no OpenBLAS \(Debian: libopenblas0-pthread\))",
                                row["version"]), row


def tables_take_old_lines_and_new_ones():
    spec = importlib.util.spec_from_file_location("tables", ROOT / "bench" / "tables.py")
    tables = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)
    old = {"bench": "x", "case": "c", "impl": "peer", "value": 2.0, "unit": "s",
           "share_of_limit": None, "verified": True, "device": "d", "commit": "1"}
    spread = {"repeats": 3, "seconds_median": 2.0, "seconds_min": 1.0, "seconds_max": 4.0}
    new = dict(old, impl="yupana cpu", version=None, note=None, share_of_limit=0.5, **spread)
    gone = dict(old, impl="gone", value=None, verified=False, note="not installed")
    above = dict(new, impl="yupana fast", share_of_limit=1.5, note="fits the cache")
    text = tables.table_of([old, new, gone, above])
    for wanted in ("| c | peer | 2 s |", "**yupana cpu**", "3 runs, -50 % to +100 %", "50 %",
                   "| c | gone | not measured: not installed |", "150 %", "fits the cache"):
        assert wanted in text, (wanted, text)


def text_lines_lacked_versions_repeats_and_spread():
    rows = lines("trees")
    done = run("bench", "trees", "--quick", "--device", "cpu")
    told = done.stdout.splitlines()
    assert len(told) == len(rows), done.stdout
    for row, line in zip(rows, told):
        runs = "1 run" if row["repeats"] == 1 else f"{row['repeats']} runs, "
        if row["value"] is not None:
            wanted = f"[{row['version']}; {runs}" if row["version"] else f"[{runs}"
            assert wanted in line, line
    full = run("bench", "scan", "--quick", "--no-peers", "--device", "cpu").stdout
    assert all(" run" in line for line in full.splitlines()), full


def fewer_trees_of_ours_were_compared_with_more_of_scikit_learn():
    rows = lines("trees")
    ours = {row["case"] for row in rows if row["impl"].startswith("yupana")}
    peers = [row for row in rows if row["impl"].startswith("scikit-learn")]
    assert peers and all(row["case"] in ours for row in peers), peers


def a_reader_that_went_left_folders_behind():
    """SIGPIPE at a line, and SIGTERM within a peer's run."""
    pathlib.Path("tmp").mkdir()
    surroundings = dict(os.environ, TMPDIR=os.path.abspath("tmp"))
    command = [PROGRAM, "bench", "trees", "--quick", "--device", "cpu"]
    bench = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             env=surroundings)
    bench.stdout.readline()
    bench.stdout.close()
    told = bench.stderr.read()
    assert bench.wait() == -signal.SIGPIPE and told == b"", (bench.returncode, told)
    assert not list(pathlib.Path("tmp").iterdir()), list(pathlib.Path("tmp").iterdir())
    bench = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             env=surroundings)
    while not list(pathlib.Path("tmp").iterdir()) and bench.poll() is None:
        time.sleep(0.001)
    bench.send_signal(signal.SIGTERM)
    bench.communicate()
    assert bench.returncode == 130, bench.returncode
    assert not list(pathlib.Path("tmp").iterdir()), list(pathlib.Path("tmp").iterdir())


def a_program_without_its_benches_says_how_to_build_them():
    alone = os.path.abspath(shutil.copy(PROGRAM, "yupana"))
    done = subprocess.run([alone, "bench", "scan", "--quick"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stdout == "", done
    assert "expected the program yupana-bench in" in done.stderr and "make build" in done.stderr, done
    pathlib.Path("yupana-bench").write_text("#!/bin/sh\necho \"$0 $*\"\n")
    pathlib.Path("yupana-bench").chmod(0o755)
    done = subprocess.run([alone, "bench", "scan", "--quick"], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("yupana-bench bench scan --quick\n"), done
