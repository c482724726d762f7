#!/usr/bin/env python3
"""A command line that cannot mean anything ends with exit status 2 and one line that names the
option, the value it got and the values it takes."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import main, run

COHORT = "simulate:10x100"


def refused(*arguments, says=()):
    before = sorted(pathlib.Path(".").iterdir())
    done = run(*arguments, status=2)
    assert done.stdout == "", done.stdout
    assert done.stderr.count("\n") == 1 and len(done.stderr) < 400, done.stderr
    for word in says:
        assert word in done.stderr, f"'{word}' wanted in: {done.stderr}"
    assert sorted(pathlib.Path(".").iterdir()) == before, "something was written"


def unknown_commands_are_named():
    refused("pca", says=["unknown command 'pca'", "dist", "sort"])
    refused("sord", says=["unknown command 'sord'", "did you mean 'sort'?"])
    refused("tree", "frob", says=["unknown command 'frob'", "fit", "prune"])
    refused("tree", says=["expected a command after 'yupana tree'", "fit"])
    refused(says=["expected a command after 'yupana'", "dist"])


def unknown_options_and_arguments_are_named():
    refused("dist", COHORT, "-o", "x", "--metrc", "king", says=["'--metrc'", "'--metric'", "--help"])
    refused("dist", COHORT, "more", "-o", "x", says=["'more'", "'yupana dist'"])
    refused("dist", COHORT, "-o", says=["--out", "expected a value"])


def values_out_of_range_show_the_range():
    for option, value, says in (
            ("--threads", "abc", "a whole number from 0 to 4096, got 'abc'"),
            ("--threads", "-1", "a whole number from 0 to 4096, got '-1'"),
            ("--thin", "2", "a number from 0 to 1, got '2'"),
            ("--maf", "x", "a number from 0 to 0.5, got 'x'"),
            ("--pair-groups", "0", "a whole number above 0, got '0'"),
            ("--checkpoint-interval", "-3", "a number from 0 to 1e+09, got '-3'"),
            ("--memory", "abc", "a size of at least 1 byte, as 16G, 500M or 1000000, got 'abc'"),
            ("--memory", "0", "got '0'"), ("--memory", "nan", "got 'nan'"),
            ("--memory", "1e30", "got '1e30'"), ("--gpu-memory", "4X", "got '4X'"),
            ("--dtype", "f3", "float64, float32, int32 or int64, got 'f3'"),
            ("--missing", "foo", "got 'foo'")):
        refused("dist", COHORT, "-o", "x", option, value, says=[option, "expected", says])
    refused("fft", "x.npy", "-o", "y.npy", "--library", "mkl",
            says=["--library: expected one of automatic, cufft, own, got 'mkl'"])
    refused("plan", "--samples", 10, "--sites", 10, "--gpus", 0,
            says=["--gpus: expected a whole number above 0, got '0'"])
    for value in ("0", "1.5", "-1", "x"):
        refused("plan", "--samples", value, "--sites", 10, says=["--samples", f"got '{value}'"])


def lists_of_devices_are_checked():
    for device in ("cuda:", "cuda:,", "cuda:0,", "cuda:x", "cuda:-1"):
        refused("dist", COHORT, "-o", "x", "--device", device, says=[f"got '{device}'", "cuda:0,1"])


def options_without_effect_are_refused():
    for command in (("info",), ("bench", "scan"), ("plan", "--samples", 3, "--sites", 3),
                    ("path", "run", "a", "b")):
        refused(*command, "-o", "x", says=["-o has no effect", command[0]])
        assert "--out" not in run(command[0], "--help").stdout
    refused("info", "--memory", "1G", says=["--memory has no effect"])
    refused("plan", "--samples", 3, "--sites", 3, "--threads", 2, says=["--threads has no effect"])
    refused("plan", "fermat", "--samples", 3, "--sites", 3, "--king", says=["--king has no effect"])
    for option in (("--memory", "1G"), ("--device", "cpu")):
        refused("plan", "--samples", 3, "--sites", 3, "--gpus", 2, *option, says=["--gpus", option[0]])
    refused("dist", COHORT, "-o", "x", "--device", "cpu", "--gpu-memory", "1G",
            says=["--gpu-memory", "--device cpu"])


def outputs_that_are_no_files_are_refused():
    pathlib.Path("folder").mkdir()
    for out in ("folder/", "none/", "folder/.", "", "-"):
        refused("dist", COHORT, "-o", out, says=["-o"])
        refused("sort", "x.npy", "-o", out, says=["-o"])


sys.exit(main([unknown_commands_are_named, unknown_options_and_arguments_are_named,
               values_out_of_range_show_the_range, lists_of_devices_are_checked,
               options_without_effect_are_refused, outputs_that_are_no_files_are_refused]))
